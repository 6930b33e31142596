//! The menu of costs and points with their numbers ([`CostsField`]). The menu has
//! the presets of edit distance and those of sequence alignment. A choice from the other half changes the task.

use kernels::job::{EditCosts, Scoring, Task};
use leptos::either::Either;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::costs_host::CostsHost;
use super::kinds::{parse, takes};
use super::number_input::{NOTE, NumberField, number_input};
use super::points;
use crate::model::form::FormState;
use crate::model::form::costs::{CostPreset, set_costs};
use crate::model::points::{PointsPreset, set_scoring};
use crate::model::problem::Problem;
use crate::model::task::TaskOption;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Value of the menu entry for costs without a name.
const OWN: &str = "own";

/// Returns the menu entry of a preset.
fn entry(preset: CostPreset) -> &'static str {
    match preset {
        CostPreset::Levenshtein => t("Levenshtein: every edit counts 1"),
        CostPreset::Indel => t("Indel: a substitution counts 2"),
        CostPreset::Osa => t("Damerau–Levenshtein (OSA): a swap of two neighbours counts 1, too"),
    }
}

/// Returns a note about `costs`, which are those of `preset` or own weights.
fn note(preset: Option<CostPreset>, costs: EditCosts) -> &'static str {
    match preset {
        Some(CostPreset::Levenshtein) => t("The fewest edits win."),
        Some(CostPreset::Indel) => t(
            "A substitution counts as much as a deletion and an insertion: the distance is both lengths together, less twice the longest common subsequence.",
        ),
        Some(CostPreset::Osa) => t(
            "No symbol is edited twice: CA to ABC takes 3 edits here, and would take 2 if it were. This is optimal string alignment (OSA).",
        ),
        None if costs.transpose.is_some() && costs.useful_transpose().is_none() => {
            t("Whole numbers from 0 to 1,000. The least sum wins. Other edits never cost more than a swap here, so none is needed.")
        }
        None => t("Whole numbers from 0 to 1,000. The least sum wins."),
    }
}

/// The cost of one kind of edit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EditCost {
    Substitute,
    Insert,
    Delete,
    Swap,
}

impl EditCost {
    const ALL: [Self; 4] = [Self::Substitute, Self::Insert, Self::Delete, Self::Swap];

    fn id(self) -> &'static str {
        match self {
            Self::Substitute => "cost-substitute",
            Self::Insert => "cost-insert",
            Self::Delete => "cost-delete",
            Self::Swap => "cost-swap",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Substitute => t("Substitute"),
            Self::Insert => t("Insert"),
            Self::Delete => t("Delete"),
            Self::Swap => t("Cost of a swap"),
        }
    }

    /// Returns the cost, or `None` if this kind of edit does not exist.
    fn of(self, costs: EditCosts) -> Option<u32> {
        match self {
            Self::Substitute => Some(costs.substitute),
            Self::Insert => Some(costs.insert),
            Self::Delete => Some(costs.delete),
            Self::Swap => costs.transpose,
        }
    }

    /// Returns `costs` with `cost` for this kind of edit.
    fn replace(self, costs: EditCosts, cost: u32) -> EditCosts {
        match self {
            Self::Substitute => EditCosts { substitute: cost, ..costs },
            Self::Insert => EditCosts { insert: cost, ..costs },
            Self::Delete => EditCosts { delete: cost, ..costs },
            Self::Swap => EditCosts { transpose: Some(cost), ..costs },
        }
    }
}

/// Parses a typed cost. Returns `None` for an empty field, and an error if the text is not a number of the range.
fn read(text: &str) -> Result<Option<u32>, ()> {
    match parse(text)? {
        None => Ok(None),
        Some(cost) => u32::try_from(cost).ok().filter(|cost| *cost <= EditCosts::MAX).map(Some).ok_or(()),
    }
}

/// Renders the field of one cost. `change` sets the costs of the form.
fn cost_field(host: CostsHost, field: EditCost, change: impl Fn(EditCosts) + Copy + 'static) -> impl IntoView {
    let costs = move || host.form.with(|form| form.options.costs);
    let is_swap = field == EditCost::Swap;
    let shown = move || field.of(costs()).map(|cost| cost.to_string());
    let apply = move |text: &str| match read(text) {
        Ok(Some(cost)) => {
            change(field.replace(untrack(costs), cost));
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(()) => Err(Problem::new("bad-input", t("A cost is a whole number"), t("Type a number from 0 to 1,000."))),
    };
    let swaps = move || costs().transpose.is_some();
    let switch = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        change(EditCosts { transpose: event.target().checked().then_some(1), ..untrack(costs) });
    };
    let label = if is_swap {
        let check = view! {
            <label class="check">
                <input type="checkbox" prop:checked=swaps on:change:target=switch />
                <span>{t("Swap neighbours")}</span>
            </label>
        };
        Either::Left(check)
    } else {
        Either::Right(view! { <label for=field.id()>{field.label()}</label> })
    };
    view! {
        <div class="field">
            {label}
            {number_input(host, NumberField { id: field.id(), name: is_swap.then(|| field.label()), is_signed: false }, shown, apply)}
        </div>
    }
}

/// The scoring that the menu shows, which is that of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MenuEntry {
    Costs(CostPreset),
    OwnCosts,
    Points(PointsPreset),
    OwnPoints,
}

impl MenuEntry {
    /// Returns the value of the menu entry.
    fn value(self) -> &'static str {
        match self {
            Self::Costs(preset) => preset.name(),
            Self::OwnCosts => OWN,
            Self::Points(preset) => preset.name(),
            Self::OwnPoints => points::OWN,
        }
    }

    /// Returns the entry with the value `value`, or `None` if no entry has it.
    fn of_value(value: &str) -> Option<Self> {
        match value {
            OWN => Some(Self::OwnCosts),
            points::OWN => Some(Self::OwnPoints),
            name => CostPreset::of_name(name).map(Self::Costs).or_else(|| PointsPreset::of_name(name).map(Self::Points)),
        }
    }

    fn task(self) -> Task {
        match self {
            Self::Costs(_) | Self::OwnCosts => Task::EditDistance,
            Self::Points(_) | Self::OwnPoints => Task::SequenceAlignment,
        }
    }

    /// Returns the name of a preset in a sentence, or `None` for own numbers.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Costs(CostPreset::Levenshtein) => Some("Levenshtein"),
            Self::Costs(CostPreset::Indel) => Some("Indel"),
            Self::Costs(CostPreset::Osa) => Some("Damerau–Levenshtein (OSA)"),
            Self::Points(preset) => Some(points::called(preset)),
            Self::OwnCosts | Self::OwnPoints => None,
        }
    }

    /// Returns the preset with exactly the numbers of `form`, or own numbers.
    fn exact(form: &FormState) -> Self {
        if form.task == Task::SequenceAlignment {
            let scoring = form.options.scoring();
            let preset = PointsPreset::ALL.into_iter().find(|preset| preset.scoring() == scoring);
            preset.map_or(Self::OwnPoints, Self::Points)
        } else {
            CostPreset::of(form.options.costs).map_or(Self::OwnCosts, Self::Costs)
        }
    }

    /// Returns the preset that was changed to the numbers of `form`, as far as the numbers tell.
    fn nearest(form: &FormState) -> Self {
        if form.task == Task::SequenceAlignment { Self::Points(PointsPreset::nearest(&form.options.scoring())) } else { Self::OwnCosts }
    }
}

/// The last choice in the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MenuChoice {
    entry: MenuEntry,
    /// The numbers at the choice of own ones, which a preset may have, too.
    own: Option<(EditCosts, Scoring)>,
}

/// Renders the choice of costs or points, and their numbers.
#[component]
pub fn CostsField() -> impl IntoView {
    let host = expect_context::<CostsHost>();
    let costs = Memo::new(move |_| host.form.with(|form| form.options.costs));
    let choice = RwSignal::new(None::<MenuChoice>);
    // The preset to which the numbers belong. The numbers may differ from those of the preset.
    let base = Memo::new(move |_| {
        host.form.with(|form| {
            let of_task = choice.get().filter(|choice| choice.entry.task() == form.task);
            of_task.map_or_else(|| MenuEntry::nearest(form), |choice| choice.entry)
        })
    });
    let numbers = move |form: &FormState| (form.options.costs, form.options.scoring());
    let selected = Memo::new(move |_| {
        host.form.with(|form| {
            let is_own = choice.get().is_some_and(|choice| choice.own == Some(numbers(form)) && choice.entry.task() == form.task);
            match (MenuEntry::exact(form), is_own) {
                (exact, false) => exact,
                (exact, true) if exact.task() == Task::SequenceAlignment => MenuEntry::OwnPoints,
                (_, true) => MenuEntry::OwnCosts,
            }
        })
    });
    let changed = Memo::new(move |_| {
        base.get().name().filter(|_| selected.get().name().is_none() && host.form.with(|form| MenuEntry::exact(form).name().is_none()))
    });
    let change = move |costs: EditCosts| {
        host.set_options(|options| set_costs(options, costs));
        choice.update(|choice| {
            let entry =
                choice.take().filter(|choice| choice.entry.task() == Task::EditDistance).map_or(MenuEntry::OwnCosts, |choice| choice.entry);
            *choice = Some(MenuChoice { entry, own: Some(host.form.with_untracked(numbers)) });
        });
    };
    let take = move |entry: MenuEntry| {
        if host.form.with_untracked(|form| form.task != entry.task()) {
            host.set_task.run(entry.task());
        }
        match entry {
            MenuEntry::Costs(preset) => host.set_options(|options| set_costs(options, preset.costs())),
            MenuEntry::Points(preset) => host.set_options(|options| set_scoring(options, preset.scoring())),
            MenuEntry::OwnCosts | MenuEntry::OwnPoints => {}
        }
        let own = entry.name().is_none().then(|| host.form.with_untracked(numbers));
        // Own numbers begin with those of a preset, which stays known as their origin.
        let origin = choice.get_untracked().filter(|before| own.is_some() && before.entry.task() == entry.task());
        choice.set(Some(MenuChoice { entry: origin.map_or(entry, |before| before.entry), own }));
    };
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        if let Some(entry) = MenuEntry::of_value(&event.target().value()) {
            take(entry);
        }
    };
    let option = move |entry: MenuEntry, label: &'static str| {
        let text = move || match changed.get().filter(|_| entry.name().is_none() && entry.task() == selected.get().task()) {
            Some(preset) => tr!("{preset}, changed", preset = preset),
            None => label.to_owned(),
        };
        view! { <option value=entry.value() prop:selected=move || selected.get() == entry>{text}</option> }
    };
    let of_costs = CostPreset::ALL.map(|preset| option(MenuEntry::Costs(preset), entry(preset)));
    let of_points = PointsPreset::ALL.map(|preset| option(MenuEntry::Points(preset), points::entry(preset)));
    let hidden = move || host.form.with(|form| !takes(form.task, TaskOption::Costs) && !takes(form.task, TaskOption::Points));
    let is_of_points = Memo::new(move |_| host.form.with(|form| takes(form.task, TaskOption::Points)));
    let note = move || {
        if is_of_points.get() {
            return points::note(&host.form.with(|form| form.options.scoring()));
        }
        let preset = if let MenuEntry::Costs(preset) = selected.get() { Some(preset) } else { None };
        note(preset, costs.get()).to_owned()
    };
    view! {
        <div class="costs" hidden=hidden>
            <div class="row">
                <div class="field">
                    <label for="costs">{t("Costs")}</label>
                    <span class="select">
                        <select id="costs" aria-describedby=NOTE on:change:target=choose>
                            <optgroup label=t("Count edits: the least sum wins")>
                                {of_costs.collect_view()}
                                {option(MenuEntry::OwnCosts, t("Own weights: a number for each kind of edit"))}
                            </optgroup>
                            <optgroup label=t("Add points: the largest sum wins")>
                                {of_points.collect_view()}
                                {option(MenuEntry::OwnPoints, t("Own points: four numbers, or a matrix"))}
                            </optgroup>
                        </select>
                        {icon(Icon::Chevron)}
                    </span>
                </div>
                <button class="btn small" type="button" hidden=move || changed.get().is_none() on:click=move |_| take(base.get_untracked())>
                    {move || changed.get().map(|preset| tr!("Back to {preset}", preset = preset))}
                </button>
            </div>
            <div class="numbers" role="group" aria-label=t("Own weights") hidden=move || selected.get() != MenuEntry::OwnCosts>
                {EditCost::ALL.map(|field| cost_field(host, field, change)).collect_view()}
            </div>
            <div class="points" hidden=move || !is_of_points.get()>
                <points::Numbers />
            </div>
            <p class="note" id=NOTE>
                {note}
            </p>
            <div class="points" hidden=move || !is_of_points.get()>
                <points::Parts />
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_is_a_number_up_to_the_limit() {
        assert_eq!((read(""), read(" 0 "), read("1,000")), (Ok(None), Ok(Some(0)), Ok(Some(1_000))));
        for bad in ["1001", "-1", "2.5", "two", "99999999999"] {
            assert_eq!(read(bad), Err(()), "{bad}");
        }
    }

    #[test]
    fn each_field_changes_its_own_cost() {
        for field in EditCost::ALL {
            let costs = field.replace(EditCosts::LEVENSHTEIN, 7);
            let changed: Vec<_> = EditCost::ALL.into_iter().filter(|other| other.of(costs) == Some(7)).map(EditCost::id).collect();
            assert_eq!(changed, [field.id()]);
        }
    }

    #[test]
    fn note_tells_that_no_swap_is_needed() {
        let costs = |transpose| EditCosts { transpose, ..EditCosts::LEVENSHTEIN };
        assert!(note(None, costs(Some(2))).contains("none is needed"));
        assert_eq!(note(None, costs(Some(1))), note(None, costs(None)));
    }
}
