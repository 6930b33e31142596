//! Costs of the edits: a preset or own weights with their numbers ([`CostsField`]), and words for them ([`said`]).

use kernels::job::EditCosts;
use leptos::either::Either;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::kinds::{parse, takes};
use crate::model::form::costs::{CostPreset, set_costs};
use crate::model::problem::Problem;
use crate::model::task::TaskOption;
use crate::model::text::humanize::grouped;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Value of the menu entry for costs without a name.
const OWN: &str = "own";

/// Id of the note below the costs.
const NOTE: &str = "costs-note";

/// Returns the costs in words, with text between asterisks in bold.
pub(super) fn said(costs: EditCosts) -> String {
    let EditCosts { substitute, insert, delete, transpose } = costs;
    let [substitute, insert, delete] = [substitute, insert, delete].map(|cost| grouped(u64::from(cost)));
    match transpose.map(|cost| grouped(u64::from(cost))) {
        None => tr!(
            "*Costs:* substitute {substitute}, insert {insert}, delete {delete}",
            substitute = substitute,
            insert = insert,
            delete = delete
        ),
        Some(swap) => tr!(
            "*Costs:* substitute {substitute}, insert {insert}, delete {delete}, swap {swap}",
            substitute = substitute,
            insert = insert,
            delete = delete,
            swap = swap
        ),
    }
}

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
///
/// An unusable text stays in the field, and there is no answer, until the field or another part of the form is changed.
/// The field then shows the cost that counts.
fn cost_field(page: Page, field: EditCost, change: impl Fn(EditCosts) + Copy + 'static) -> impl IntoView {
    let bad = RwSignal::new(None::<String>);
    let costs = move || page.form.with(|form| form.options.costs);
    let number = move |costs| field.of(costs).map_or_else(String::new, |cost| cost.to_string());
    let value = move || bad.get().unwrap_or_else(|| number(costs()));
    Effect::new(move |_| {
        page.form.track();
        bad.set(None);
    });
    let current = move || untrack(costs);
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let text = event.target().value();
        match read(&text) {
            Ok(Some(cost)) => change(field.replace(current(), cost)),
            // A cleared field waits for a number, and the last cost still counts.
            Ok(None) if bad.with_untracked(Option::is_none) => {}
            Ok(None) => bad.set(Some(text)),
            Err(()) => {
                bad.set(Some(text));
                let (title, detail) = (t("A cost is a whole number"), t("Type a number from 0 to 1,000."));
                page.dispatch(Action::Refuse(Problem::new("bad-input", title, detail)));
            }
        }
    };
    let leave = move |event: ev::Targeted<ev::FocusEvent, HtmlInputElement>| {
        let input = event.target();
        if input.value().trim().is_empty() {
            if bad.with_untracked(Option::is_some) {
                change(current());
            }
            input.set_value(&number(current()));
        }
    };
    let is_off = move || field.of(costs()).is_none();
    let is_swap = field == EditCost::Swap;
    let swaps = move || costs().transpose.is_some();
    let switch = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        change(EditCosts { transpose: event.target().checked().then_some(1), ..current() });
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
            <input
                class="text column"
                id=field.id()
                inputmode="numeric"
                autocomplete="off"
                aria-label=is_swap.then(|| field.label())
                aria-describedby=NOTE
                placeholder=move || number(costs())
                prop:value=value
                disabled=is_off
                aria-invalid=move || bad.get().map(|_| "true")
                on:input:target=set
                on:blur:target=leave
            />
        </div>
    }
}

/// Renders the choice of costs, and the numbers of own weights.
#[component]
pub(super) fn CostsField() -> impl IntoView {
    let page = expect_context::<Page>();
    let costs = Memo::new(move |_| page.form.with(|form| form.options.costs));
    // Costs that are shown as own weights even if a preset has them.
    let own = RwSignal::new(None::<EditCosts>);
    let chosen = Memo::new(move |_| CostPreset::of(costs.get()).filter(|preset| own.get() != Some(preset.costs())));
    let change = move |costs: EditCosts| {
        own.set(Some(costs));
        page.set_options(|options| set_costs(options, costs));
    };
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| match CostPreset::of_name(&event.target().value()) {
        Some(preset) => {
            own.set(None);
            page.set_options(|options| set_costs(options, preset.costs()));
        }
        None => change(costs.get_untracked()),
    };
    let presets = CostPreset::ALL.map(|preset| {
        let selected = move || chosen.get() == Some(preset);
        view! { <option value=preset.name() prop:selected=selected>{entry(preset)}</option> }
    });
    let hidden = move || page.form.with(|form| !takes(form.task, TaskOption::Costs));
    view! {
        <div class="costs" hidden=hidden>
            <div class="field">
                <label for="costs">{t("Costs")}</label>
                <span class="select">
                    <select id="costs" aria-describedby=NOTE on:change:target=choose>
                        {presets.collect_view()}
                        <option value=OWN prop:selected=move || chosen.get().is_none()>
                            {t("Own weights: a number for each kind of edit")}
                        </option>
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            <div class="numbers" role="group" aria-label=t("Own weights") hidden=move || chosen.get().is_some()>
                {EditCost::ALL.map(|field| cost_field(page, field, change)).collect_view()}
            </div>
            <p class="note" id=NOTE>
                {move || note(chosen.get(), costs.get())}
            </p>
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
