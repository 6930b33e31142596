//! The options of the form: the unit of comparison, differences to ignore, and options of the task. Options of other
//! tasks are hidden, but keep their values. A line lists options that differ from the defaults, and a button opens the
//! panel with all options.
//!
//! - [`costs`], [`points`]: costs of the edits, and points of sequence alignment; [`number_input`]:
//!   a field for one of their numbers
//! - [`costs_host`]: the page whose costs and points are changed
//! - [`custom_matrix`]: the text of a matrix that a visitor writes
//! - [`kinds`]: the other options

use kernels::job::{GapPlacement, JobOptions, PaperMethod, Scoring, SearchStrands, Task, Unit};
use leptos::either::Either;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use self::costs::CostsField;
use self::costs_host::CostsHost;
use self::kinds::{LimitOption, OptionSwitch, takes};
use super::unit_reason::UnitReason;
use crate::model::form::FormState;
use crate::model::form::costs::{said, set_ambiguity, set_method};
use crate::model::points::AlignedParts;
use crate::model::points::sentences::{name_of_parts, said as said_points};
use crate::model::task::TaskOption;
use crate::model::text::humanize;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu;

pub mod costs;
pub mod costs_host;
mod custom_matrix;
pub mod kinds;
mod number_input;
mod points;

/// Returns the name of a unit, and an example that shows how it differs from the other units.
fn name_of_unit(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::Graphemes => (t("Characters"), t("👍🏽 counts as 1")),
        Unit::Words => (t("Words"), t("for prose")),
        Unit::Lines => (t("Lines"), t("for code and poems")),
        Unit::Chars => (t("Code points"), t("👍🏽 counts as 2")),
        Unit::Bytes => (t("Bytes"), t("é counts as 2")),
    }
}

/// Units in the order of the panel.
const UNITS: [Unit; 5] = [Unit::Graphemes, Unit::Words, Unit::Lines, Unit::Chars, Unit::Bytes];

/// Returns the unit as a sentence, such as "Compared by words".
fn compared_by(unit: Unit) -> &'static str {
    match unit {
        Unit::Graphemes => t("Compared by characters"),
        Unit::Words => t("Compared by words"),
        Unit::Lines => t("Compared by lines"),
        Unit::Chars => t("Compared by code points"),
        Unit::Bytes => t("Compared by bytes"),
    }
}

/// Returns an explanation of the unit in one line.
fn about(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => t("What a file consists of. Any input is valid; an accented letter is two or three."),
        Unit::Chars => t("Unicode’s numbered code points. An emoji with a skin tone is two."),
        Unit::Graphemes => {
            t("What readers see as one character, accents and joined emoji included. In plain English and DNA the same as bytes.")
        }
        Unit::Words => t("Words and punctuation marks; the space between them does not count."),
        Unit::Lines => t("Whole lines; how a line ends does not count."),
    }
}

/// Renders the field of the number `most`, which may be empty.
#[component]
fn MostField(most: LimitOption) -> impl IntoView {
    let page = expect_context::<Page>();
    let mut options = page.form.with_untracked(|form| form.options.clone());
    let initial = most.value_mut(&mut options).map(|k| k.to_string());
    let value = move || page.form.with(|form| most.value_mut(&mut form.options.clone()).map(|k| k.to_string()).unwrap_or_default());
    let hidden = move || page.form.with(|form| !most.is_of(form.task, &form.options));
    let task = Memo::new(move |_| page.form.with(|form| form.task));
    let bad = RwSignal::new(false);
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let parsed = most.read(&event.target().value());
        bad.set(parsed.is_err());
        match parsed {
            Ok(k) => page.set_options(|options| *most.value_mut(options) = k),
            Err(()) => page.dispatch(Action::Refuse(most.problem(page.form.with_untracked(|form| form.task)))),
        }
    };
    view! {
        <div class="field" hidden=hidden>
            <label for=most.id()>{most.label()}</label>
            <input
                class="text column"
                id=most.id()
                inputmode="numeric"
                autocomplete="off"
                placeholder=move || most.empty(task.get())
                value=initial
                prop:value=value
                aria-invalid=move || bad.get().then_some("true")
                on:input:target=set
            />
        </div>
    }
}

/// Renders the option to search both strands, if both texts may be DNA or RNA. Once it is on, it stays visible until it
/// is switched off.
#[component]
fn StrandsField() -> impl IntoView {
    let page = expect_context::<Page>();
    let initial = page.form.with_untracked(|form| form.options.strands == SearchStrands::Both);
    let on = move || page.form.with(|form| form.options.strands == SearchStrands::Both);
    let hidden = move || page.form.with(|form| !form.offers_strands());
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let strands = if event.target().checked() { SearchStrands::Both } else { SearchStrands::Forward };
        page.set_options(|options| options.strands = strands);
    };
    view! {
        <label class="check" hidden=hidden>
            <input type="checkbox" checked=initial prop:checked=on on:change:target=set />
            <span>{t("Both strands")}</span>
        </label>
    }
}

/// Renders the option to read letters as sets of bases, if both texts may be DNA or RNA. Once it is on, it stays visible
/// until it is switched off.
#[component]
fn AmbiguityField() -> impl IntoView {
    let page = expect_context::<Page>();
    let initial = page.form.with_untracked(|form| form.options.ambiguity);
    let on = move || page.form.with(|form| form.options.ambiguity);
    let hidden = move || page.form.with(|form| !form.offers_ambiguity());
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let on = event.target().checked();
        page.set_options(|options| set_ambiguity(options, on));
    };
    view! {
        <label class="check" hidden=hidden>
            <input type="checkbox" checked=initial prop:checked=on on:change:target=set />
            <span>{t("Ambiguity codes")}</span>
        </label>
    }
}

/// Renders the option to show gaps as far right as possible.
#[component]
fn GapsField() -> impl IntoView {
    let page = expect_context::<Page>();
    let on = move || page.form.with(|form| !form.options.gaps.is_leftmost());
    let hidden = move || page.form.with(|form| !takes(form.task, TaskOption::Gaps));
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let gaps = if event.target().checked() { GapPlacement::Rightmost } else { GapPlacement::Leftmost };
        page.set_options(|options| options.gaps = gaps);
    };
    view! {
        <label class="check" hidden=hidden>
            <input type="checkbox" prop:checked=on on:change:target=set />
            <span>{t("Gaps on the right")}</span>
        </label>
    }
}

/// Returns the name of a method in the visitor's language.
pub(crate) fn called(method: PaperMethod) -> &'static str {
    match method {
        PaperMethod::Sequential => t("Row by row"),
        PaperMethod::Diagonal => t("Anti-diagonals"),
        PaperMethod::Slices => t("Slices"),
        PaperMethod::Hirschberg => "Hirschberg",
        PaperMethod::BitParallel => t("Bit vectors"),
        PaperMethod::BitParallelBlocks => t("Bit vectors in blocks"),
        PaperMethod::Naive => t("Every symbol at every place"),
        PaperMethod::ShiftAdd => "Shift-Add",
        PaperMethod::ParallelShiftAdd => t("Shift-Add in streams"),
        PaperMethod::Kmp => "Knuth, Morris, Pratt",
        PaperMethod::KmpBlocks => t("Knuth, Morris, Pratt in parts"),
    }
}

/// Renders the choice of a method: the fastest, or one of those that a paper describes.
#[component]
fn MethodField() -> impl IntoView {
    let page = expect_context::<Page>();
    let task = Memo::new(move |_| page.form.with(|form| form.task));
    let chosen = move || page.form.with(|form| form.options.method.map_or("", PaperMethod::name));
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let method = PaperMethod::ALL.into_iter().find(|method| method.name() == name);
        page.set_options(|options| set_method(options, method));
    };
    let methods = move || {
        let entry = |method: &PaperMethod| {
            let name = method.name();
            view! { <option value=name prop:selected=move || chosen() == name>{called(*method)}</option> }
        };
        PaperMethod::for_task(task.get()).iter().map(entry).collect_view()
    };
    view! {
        <div class="field">
            <label for="method">{t("Method")}</label>
            <span class="select">
                <select id="method" on:change:target=choose>
                    <option value="" prop:selected=move || chosen().is_empty()>{t("Fastest (default)")}</option>
                    {methods}
                </select>
                {icon(Icon::Chevron)}
            </span>
        </div>
    }
}

/// Lists the options of `form` that differ from the defaults, in the order of the panel. Text between asterisks is
/// bold. Includes the unit only if `says_unit`.
fn differing(form: &FormState, says_unit: bool) -> Vec<String> {
    let mut asked = form.job_options();
    let strong = |said: &str| format!("*{said}*");
    let mut parts = Vec::new();
    if says_unit && asked.unit != Unit::Graphemes {
        parts.push(strong(compared_by(asked.unit)));
    }
    if !asked.costs.is_levenshtein() {
        parts.push(said(asked.costs));
    }
    if asked.scoring() != Scoring::DEFAULT {
        let parts_of_texts = AlignedParts::of(&asked.scoring());
        if parts_of_texts != AlignedParts::Whole {
            parts.push(strong(&name_of_parts(parts_of_texts).0.replace('*', "")));
        }
        if asked.pieces != 1 {
            parts.push(strong(&humanize::count(asked.pieces.into(), "piece", "pieces")));
        }
        parts.push(said_points(&asked.scoring()));
    }
    if let Some(k) = asked.max_distance {
        parts.push(strong(&match asked.costs.is_levenshtein() {
            true => tr!("At most {edits}", edits = humanize::count(k, "edit", "edits")),
            false => tr!("Sum of costs at most {n}", n = humanize::grouped(k)),
        }));
    }
    if let Some(k) = asked.max_mismatches {
        parts.push(strong(&tr!("At most {n} unequal", n = humanize::grouped(k))));
    }
    let mut usual = JobOptions::default();
    let on: Vec<OptionSwitch> =
        OptionSwitch::ALL.into_iter().filter(|switch| *switch.value_mut(&mut asked) != *switch.value_mut(&mut usual)).collect();
    let ignored: Vec<&str> = on.iter().filter(|switch| switch.ignores()).map(|switch| switch.phrase()).collect();
    if !ignored.is_empty() {
        parts.push(tr!("*Ignored:* {what}", what = humanize::list(&ignored)));
    }
    parts.extend(on.iter().filter(|switch| !switch.ignores()).map(|switch| strong(switch.phrase())));
    if asked.strands == SearchStrands::Both {
        parts.push(strong(t("both strands")));
    }
    if asked.ambiguity {
        parts.push(strong(t("ambiguity codes")));
    }
    if !asked.gaps.is_leftmost() {
        parts.push(strong(t("gaps on the right")));
    }
    parts.extend(asked.method.map(|method| tr!("*Method:* {name}", name = called(method))));
    parts
}

/// Renders the button with the panel of all options, and a sentence about those that differ from the defaults.
#[component]
pub fn OptionsBar() -> impl IntoView {
    let page = expect_context::<Page>();
    // An automatically chosen unit is explained by a sentence of its own.
    let has_reason = Memo::new(move |_| page.reason_shown().is_some());
    let parts = Memo::new(move |_| page.form.with(|form| differing(form, !has_reason.get())));
    let blank = Memo::new(move |_| page.form.with(|form| form.a.is_blank() && form.b.is_blank()));
    let scored = Memo::new(move |_| page.form.with(|form| takes(form.task, TaskOption::Points)));
    let said = move || {
        let mut parts = parts.get();
        if parts.is_empty() && scored.get() && !blank.get() {
            parts.push(said_points(&Scoring::DEFAULT));
        }
        if parts.is_empty() && has_reason.get() {
            return Either::Left("");
        }
        if parts.is_empty() {
            let usual = if blank.get() { t("or drop a file on each box") } else { t("Compared by characters, nothing ignored") };
            return Either::Left(usual);
        }
        let bold = |(nth, said): (usize, &str)| match nth % 2 {
            0 => Either::Left(said.to_owned()),
            _ => Either::Right(view! { <b>{said.to_owned()}</b> }),
        };
        let part = |(nth, said): (usize, String)| {
            view! {
                {(nth > 0).then_some(" · ")}
                {said.split('*').enumerate().map(bold).collect_view()}
            }
        };
        Either::Right(parts.into_iter().enumerate().map(part).collect_view())
    };
    let reset = move |_| reset(page);
    let panel = NodeRef::<Div>::new();
    let label = view! { {icon(Icon::Sliders)} {t("Options")} {icon(Icon::Chevron)} };
    view! {
        {menu::menu_later("options".into(), "btn small", panel, label, || (), panel_part)}
        <UnitReason />
        <p class="options-said">
            {said}
        </p>
        <button class="link" type="button" hidden=move || parts.with(Vec::is_empty) on:click=reset>
            {t("Reset")}
        </button>
    }
}

/// Resets all options to their defaults.
fn reset(page: Page) {
    page.has_own_unit.set(false);
    page.reason.set(None);
    page.set_options(|options| *options = FormState::new(Task::EditDistance).options);
}

/// Draws the panel of all options.
#[inline(never)]
#[wasm_split(options, wasm_split_path = ::leptos::wasm_split, fallible)]
fn panel_part() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <OptionsPanel /> }))
}

/// Renders all options.
#[component]
fn OptionsPanel() -> impl IntoView {
    let page = expect_context::<Page>();
    provide_context(CostsHost::of(page));
    let choose = move |unit: Unit| {
        page.set_unit(unit);
    };
    let units = UNITS.map(|unit| {
        let selected = move || page.form.with(|form| form.options.unit) == unit;
        let (name, example) = name_of_unit(unit);
        view! {
            <label class="check">
                <input type="radio" name="unit" value=unit.name() checked=unit == Unit::Graphemes prop:checked=selected on:change=move |_| choose(unit) />
                <span>{name} " " <small>{example}</small></span>
            </label>
        }
    });
    let switch = move |switch: OptionSwitch| {
        let mut initial = page.form.with_untracked(|form| form.options.clone());
        let on = move || page.form.with(|form| *switch.value_mut(&mut form.options.clone()));
        let off = move || {
            matches!(switch, OptionSwitch::Normalize | OptionSwitch::Accents) && page.form.with(|form| form.options.unit) == Unit::Bytes
        };
        let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
            page.set_options(|options| *switch.value_mut(options) = event.target().checked())
        };
        let hidden = move || page.form.with(|form| !switch.is_of(form.task));
        view! {
            <label class="check" hidden=hidden>
                <input type="checkbox" checked=*switch.value_mut(&mut initial) prop:checked=on disabled=off on:change:target=set />
                <span>{switch.label()}</span>
            </label>
        }
    };
    let switches = |ignores: bool| OptionSwitch::ALL.into_iter().filter(|switch| switch.ignores() == ignores).map(switch).collect_view();
    let searches = move || page.form.with(|form| Task::SEARCHES.contains(&form.task));
    let has_no_method = move || page.form.with(|form| PaperMethod::for_task(form.task).is_empty());
    view! {
        <div class="option-panel" role="group" aria-label=t("Options")>
            <fieldset>
                <legend>{t("Compare by")}</legend>
                {units.collect_view()}
            </fieldset>
            <fieldset>
                <legend>{t("Ignore")}</legend>
                {switches(true)}
            </fieldset>
            <CostsField />
            <fieldset>
                <legend>{move || if searches() { t("Matches") } else { t("Result") }}</legend>
                <MostField most=LimitOption::Edits />
                <MostField most=LimitOption::Mismatches />
                <StrandsField />
                <AmbiguityField />
                <GapsField />
                {switches(false)}
            </fieldset>
            <div class="stack tight" hidden=has_no_method>
                <MethodField />
                <MostField most=LimitOption::Blocks />
                <p class="note">{t("The others are slower and give the same answer. They are there to be studied.")}</p>
            </div>
            <div class="option-foot">
                <Explained />
                <button class="btn small" type="button" on:click=move |_| reset(page)>
                    {t("Reset to defaults")}
                </button>
            </div>
        </div>
    }
}

/// Renders an explanation of every option.
#[component]
fn Explained() -> impl IntoView {
    let page = expect_context::<Page>();
    let units = UNITS.map(|unit| {
        view! {
            <dt>{name_of_unit(unit).0}</dt>
            <dd>{about(unit)}</dd>
        }
    });
    let switches = OptionSwitch::ALL.map(|switch| {
        let hidden = move || page.form.with(|form| !switch.is_of(form.task));
        view! {
            <dt hidden=hidden>{switch.label()}</dt>
            <dd hidden=hidden>{switch.about()}</dd>
        }
    });
    let numbers = LimitOption::ALL.map(|most| {
        let hidden = move || page.form.with(|form| !most.is_of(form.task, &form.options));
        view! {
            <dt hidden=hidden>{most.label()}</dt>
            <dd hidden=hidden>{move || most.about(page.form.with(|form| form.task))}</dd>
        }
    });
    let no_points = move || page.form.with(|form| !takes(form.task, TaskOption::Points));
    let has_no_method = move || page.form.with(|form| PaperMethod::for_task(form.task).is_empty());
    let no_costs = move || page.form.with(|form| !takes(form.task, TaskOption::Costs));
    let no_gaps = move || page.form.with(|form| !takes(form.task, TaskOption::Gaps));
    let no_ambiguity = move || page.form.with(|form| !form.offers_ambiguity());
    let one_strand = move || page.form.with(|form| !form.offers_strands());
    view! {
        <details class="why">
            <summary>{t("About these options")}</summary>
            <dl>
                {units.collect_view()} {numbers.collect_view()} <dt hidden=one_strand>{t("Both strands")}</dt>
                <dd hidden=one_strand>
                    {t("Also looks for the reverse complement of a: where a lies on the other strand of DNA or RNA.")}
                </dd> <dt hidden=no_ambiguity>{t("Ambiguity codes")}</dt>
                <dd hidden=no_ambiguity>
                    {t("Letters of DNA and RNA match if they have a base in common: R, which means A or G, matches A but not C, and N matches every letter. A method of a paper, a swap of neighbours and a matrix exclude this option: the choice that comes last counts.")}
                </dd> <dt hidden=no_gaps>{t("Gaps on the right")}</dt>
                <dd hidden=no_gaps>
                    {t("Of alignments that differ only in where a gap stands, shows the one whose gaps are as far right as possible. Otherwise it shows the one whose gaps are as far left as possible.")}
                </dd> {switches.collect_view()} <dt hidden=no_costs>{t("Costs")}</dt>
                <dd hidden=no_costs>
                    {t("How much each kind of edit counts; the least sum is the distance. The methods of papers count every edit as 1, so that choosing one resets the costs, and other costs reset the method.")}
                </dd> <dt hidden=no_points>{t("Points")}</dt>
                <dd hidden=no_points>
                    {t("How much each column earns or costs; the alignment with the largest sum is the best. A gap costs once to open, and once more for each of its symbols.")}
                </dd> <dt hidden=has_no_method>{t("Method")}</dt>
                <dd hidden=has_no_method>{t("A method as a paper published it, on one core: the same answer in more time. The metrics name its paper and section.")}</dd>
            </dl>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::EditCosts;

    use super::*;
    use crate::model::points::{PointsPreset, set_scoring};

    #[test]
    fn summary_names_the_options_that_differ_from_the_defaults() {
        let said = |form: &FormState| differing(form, true).join(" · ").replace('*', "");
        let mut form = FormState::new(Task::EditDistance);
        assert_eq!(said(&form), "");
        form.options = JobOptions { unit: Unit::Words, case_insensitive: true, normalize: true, alignment: false, ..form.options };
        assert_eq!(said(&form), "Compared by words · Ignored: case, how accents are stored · without the alignment");
        form.options = JobOptions { costs: EditCosts { insert: 1_000, ..EditCosts::OSA }, ..FormState::new(form.task).options };
        assert_eq!(said(&form), "Costs: substitute 1, insert 1,000, delete 1, swap 1");
        form.task = Task::SequenceAlignment;
        form.options = FormState::new(form.task).options;
        assert_eq!(said(&form), "");
        set_scoring(&mut form.options, PointsPreset::SmithWaterman.scoring());
        let smith_waterman = "Best piece of each · Equal +3, different −3, −2 for each symbol of a gap. The largest sum wins.";
        assert_eq!(said(&form), smith_waterman);
        form.task = Task::EditDistance;
        form.options = JobOptions { max_distance: Some(2), local_minima: true, unit: Unit::Graphemes, ..JobOptions::default() };
        assert_eq!(said(&form), "At most 2 edits", "local minima belong to another task");
        form.options.costs = EditCosts::INDEL;
        assert!(said(&form).ends_with(" · Sum of costs at most 2"));
        form.options.costs = EditCosts::LEVENSHTEIN;
        form.task = Task::ApproximateSearch;
        assert_eq!(said(&form), "At most 2 edits · overlapping matches merged");
        form.options.gaps = GapPlacement::Rightmost;
        assert!(said(&form).ends_with(" · gaps on the right"));
        form.options.method = Some(PaperMethod::Sequential);
        assert!(said(&form).ends_with(" · Method: Row by row"));
    }
}
