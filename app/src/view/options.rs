//! The options: what to count in, what to ignore, and what a task takes beside that. Those of other tasks are hidden, and kept.

use kernels::job::{Options, Task, Unit};
use leptos::ev;
use leptos::prelude::*;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::icon::{Icon, icon};
use crate::page::Page;
use crate::problem::Problem;

fn example(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "Bytes: é is 2",
        Unit::Chars => "Characters: 👍🏽 is 2",
        Unit::Graphemes => "Letters: 👍🏽 is 1",
        Unit::Words => "Words: don’t stop is 2",
        Unit::Lines => "Lines",
    }
}

/// An option that is on or off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    Alignment,
    LocalMinima,
    CountOnly,
    Case,
    Whitespace,
    Normalize,
}

impl Switch {
    const ALL: [Self; 6] = [Self::Alignment, Self::LocalMinima, Self::CountOnly, Self::Case, Self::Whitespace, Self::Normalize];

    /// Whether a task takes it.
    pub(super) fn is_of(self, task: Task) -> bool {
        match self {
            Self::Alignment => matches!(task, Task::EditDistance | Task::Lcs),
            Self::LocalMinima => task == Task::ApproximateSearch,
            Self::CountOnly => Task::SEARCHES.contains(&task),
            Self::Case | Self::Whitespace | Self::Normalize => true,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Alignment => "Show the alignment",
            Self::LocalMinima => "Only the nearest of neighbouring ends",
            Self::CountOnly => "Only count",
            Self::Case => "Ignore case",
            Self::Whitespace => "Ignore white space",
            Self::Normalize => "Normalise Unicode (NFC)",
        }
    }

    fn of(self, options: &mut Options) -> &mut bool {
        match self {
            Self::Alignment => &mut options.alignment,
            Self::LocalMinima => &mut options.local_minima,
            Self::CountOnly => &mut options.count_only,
            Self::Case => &mut options.case_insensitive,
            Self::Whitespace => &mut options.ignore_whitespace,
            Self::Normalize => &mut options.normalize,
        }
    }
}

/// An option that is a number, or nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Most {
    Edits,
    Mismatches,
}

impl Most {
    const ALL: [Self; 2] = [Self::Edits, Self::Mismatches];

    fn task(self) -> Task {
        match self {
            Self::Edits => Task::ApproximateSearch,
            Self::Mismatches => Task::MatchCount,
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Edits => "max-distance",
            Self::Mismatches => "max-mismatches",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Edits => "At most k edits",
            Self::Mismatches => "At most k unequal",
        }
    }

    fn of(self, options: &mut Options) -> &mut Option<u64> {
        match self {
            Self::Edits => &mut options.max_distance,
            Self::Mismatches => &mut options.max_mismatches,
        }
    }
}

/// What a number field says: nothing, or a whole number, its thousands parted or not.
fn parse(text: &str) -> Result<Option<u64>, ()> {
    let text: String = text.chars().filter(|char| !char.is_whitespace() && *char != ',').collect();
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| ()) }
}

/// A number field; empty means the best only.
#[component]
fn MostField(most: Most) -> impl IntoView {
    let page = expect_context::<Page>();
    let mut options = page.form.with_untracked(|form| form.options);
    let initial = most.of(&mut options).map(|k| k.to_string());
    let value = move || page.form.with(|form| most.of(&mut form.options.clone()).map(|k| k.to_string()).unwrap_or_default());
    let hidden = move || page.form.with(|form| form.task != most.task());
    let bad = RwSignal::new(false);
    let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let parsed = parse(&event.target().value());
        bad.set(parsed.is_err());
        match parsed {
            Ok(k) => page.set_options(|options| *most.of(options) = k),
            Err(()) => page.refuse(Problem::new(
                "bad-input",
                "k is a whole number",
                "Type a number such as 3, or leave the field empty for the best only.",
            )),
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
                placeholder="best only"
                value=initial
                prop:value=value
                aria-invalid=move || bad.get().then_some("true")
                on:input:target=set
            />
        </div>
    }
}

/// Unit, numbers and switches.
#[component]
pub fn OptionsBar() -> impl IntoView {
    let page = expect_context::<Page>();
    let choose = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let chosen = event.target().value();
        if let Some(unit) = Unit::ALL.into_iter().find(|unit| unit.name() == chosen) {
            page.set_options(|options| {
                options.unit = unit;
                // Bytes have no normal form.
                options.normalize &= unit != Unit::Bytes;
            });
        }
    };
    let units = Unit::ALL.map(|unit| {
        let selected = move || page.form.with(|form| form.options.unit) == unit;
        view! { <option value=unit.name() selected=unit == Unit::Graphemes prop:selected=selected>{example(unit)}</option> }
    });
    let switches = Switch::ALL.map(|switch| {
        let mut initial = page.form.with_untracked(|form| form.options);
        let on = move || page.form.with(|form| *switch.of(&mut form.options.clone()));
        let off = move || switch == Switch::Normalize && page.form.with(|form| form.options.unit) == Unit::Bytes;
        let set = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
            page.set_options(|options| *switch.of(options) = event.target().checked())
        };
        let hidden = move || page.form.with(|form| !switch.is_of(form.task));
        view! {
            <label class="check" hidden=hidden>
                <input type="checkbox" checked=*switch.of(&mut initial) prop:checked=on disabled=off on:change:target=set />
                <span>{switch.label()}</span>
            </label>
        }
    });
    view! {
        <div class="options" role="group" aria-label="Options">
            <div class="field">
                <label for="unit">"Count in"</label>
                <span class="select">
                    <select id="unit" on:change:target=choose>
                        {units.collect_view()}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </div>
            {Most::ALL.map(|most| view! { <MostField most /> }).collect_view()}
            <div class="row wide">{switches.collect_view()}</div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_nothing() {
        assert_eq!(parse(""), Ok(None));
        assert_eq!(parse(" 3 "), Ok(Some(3)));
        assert_eq!(parse("1,024"), Ok(Some(1_024)));
        for bad in ["k", "-1", "2.5", "99999999999999999999999"] {
            assert_eq!(parse(bad), Err(()), "{bad}");
        }
    }

    #[test]
    fn a_hidden_switch_is_one_that_its_task_does_not_take() {
        for task in Task::ALL {
            let mut form = crate::form::Form::new(task);
            let before = form.asked();
            for switch in Switch::ALL {
                let options = form.options;
                *switch.of(&mut form.options) ^= true;
                assert_eq!(form.asked() != before, switch.is_of(task), "{task:?}");
                form.options = options;
            }
        }
    }
}
