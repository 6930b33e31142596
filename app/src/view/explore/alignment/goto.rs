//! A field that goes to a column, or to a position of a text, by its number, and marks the column ([`GoTo`]). If the
//! number is out of range, shows the valid range.

use explain::window::AlignmentWindow;
use explain::worker_protocol::query::WindowQuery;
use kernels::alignment::{AlignmentSummary, PairSide};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::scroller::AlignmentScroller;
use crate::model::preferences::positions;
use crate::model::text::humanize::{self, position};
use crate::page::Page;
use crate::page::view_state::SettingLifetime;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::prose::prose;

/// The meaning of the typed number: a column of the alignment, or a position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GoToTarget {
    Column,
    In(PairSide),
}

impl GoToTarget {
    /// Returns the least valid number (from 0), and how many numbers are valid. `summary` has the numbers of columns of
    /// the alignment. `first` is the window of the alignment that begins at the first column.
    fn places(self, summary: &AlignmentSummary, first: &AlignmentWindow) -> (u64, u64) {
        match self {
            Self::Column => (0, summary.columns),
            Self::In(PairSide::A) => (first.a_start, summary.columns - summary.insertions),
            Self::In(PairSide::B) => (first.b_start, summary.columns - summary.deletions),
        }
    }
}

/// Renders the choice of the number's meaning, and the field for the number.
#[component]
pub fn GoTo() -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let goal = expect_context::<Page>().stored_setting(SettingLifetime::Always, "goto", GoToTarget::Column, |goal| goal);
    // The valid range, after the visitor has typed a number outside of it.
    let none = RwSignal::new(None::<(GoToTarget, u64, u64)>);
    let go = move |typed: String| {
        none.set(None);
        if typed.trim().is_empty() {
            return;
        }
        let goal = goal.get_untracked();
        spawn_local(async move {
            let Ok(window) = scroller.location().query(WindowQuery { from: 0, len: 1 }).await else { return };
            let (first, len) = goal.places(&scroller.summary, &window);
            match (parse_place(&typed, first, len), goal) {
                (Some(column), GoToTarget::Column) => scroller.go_to_column(column),
                (Some(at), GoToTarget::In(side)) => scroller.go_to_symbol(side, at),
                (None, _) => drop(none.try_set(Some((goal, first, len)))),
            }
        });
    };
    let choose = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        none.set(None);
        goal.set(match event.target().value().as_str() {
            "a" => GoToTarget::In(PairSide::A),
            "b" => GoToTarget::In(PairSide::B),
            _ => GoToTarget::Column,
        });
    };
    let told = move || none.get().map(|(goal, first, len)| prose(&range_sentence(goal, first, len)));
    view! {
        <span class="row small goto" role="group" aria-label=t("Go to")>
            <span class="select">
                <select aria-label=t("Go to") on:change:target=choose>
                    <option value="column" selected=move || goal.get() == GoToTarget::Column>{t("Go to column")}</option>
                    <option value="a" selected=move || goal.get() == GoToTarget::In(PairSide::A)>{t("Go to a at")}</option>
                    <option value="b" selected=move || goal.get() == GoToTarget::In(PairSide::B)>{t("Go to b at")}</option>
                </select>
                {icon(Icon::Chevron)}
            </span>
            <input
                class="text column"
                aria-label=t("Column or position")
                aria-invalid=move || none.with(Option::is_some).then_some("true")
                inputmode="numeric"
                autocomplete="off"
                on:change:target=move |event| go(event.target().value())
                // A browser sends no change event if the number is typed again, which makes sense for another text or
                // after scrolling.
                on:keydown:target=move |event| {
                    if event.key() == "Enter" {
                        go(event.target().value());
                    }
                }
            />
        </span>
        <span class="small" role="status">{told}</span>
    }
}

/// Converts `typed` to a number from 0. Returns `None` unless the result is one of the `len` valid numbers from `first`
/// on.
fn parse_place(typed: &str, first: u64, len: u64) -> Option<u64> {
    let number = humanize::typed_number(typed)?;
    let at = positions().to_zero_based(number);
    (number >= positions().to_displayed(first) && at < first + len).then_some(at)
}

/// Returns a sentence with the valid range for `goal`: `len` numbers from `first` on.
fn range_sentence(goal: GoToTarget, first: u64, len: u64) -> String {
    let (from, to) = (position(first), position((first + len).saturating_sub(1)));
    match goal {
        _ if len == 0 => t("There is nothing to go to: this text is empty.").into(),
        GoToTarget::Column => tr!("Columns go from {from} to {to}.", from = from, to = to),
        GoToTarget::In(PairSide::A) => tr!("Positions in *a* go from {from} to {to}.", from = from, to = to),
        GoToTarget::In(PairSide::B) => tr!("Positions in *b* go from {from} to {to}.", from = from, to = to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_outside_the_range_is_refused() {
        let in_seven = |typed| parse_place(typed, 0, 7);
        assert_eq!(["0", " 6 ", "7", "-5", "−5", "1,000", "k"].map(in_seven), [Some(0), Some(6), None, None, None, None, None]);
        assert_eq!(
            ["35", "36", "39", "40"].map(|typed| parse_place(typed, 36, 4)),
            [None, Some(36), Some(39), None],
            "a hit may begin anywhere"
        );
        assert_eq!(parse_place("0", 0, 0), None);
    }

    #[test]
    fn each_text_has_its_own_range_of_positions() {
        let summary =
            AlignmentSummary { columns: 9, matches: 4, mismatches: 2, insertions: 1, deletions: 2, transpositions: 0, differences: 3 };
        let first = AlignmentWindow { b_start: 36, ..AlignmentWindow::default() };
        let places =
            [GoToTarget::Column, GoToTarget::In(PairSide::A), GoToTarget::In(PairSide::B)].map(|goal| goal.places(&summary, &first));
        assert_eq!(places, [(0, 9), (0, 8), (36, 7)]);
        assert_eq!(range_sentence(GoToTarget::In(PairSide::B), 36, 7), "Positions in *b* go from 36 to 42.");
        assert_eq!(range_sentence(GoToTarget::Column, 0, 1_200), "Columns go from 0 to 1,199.");
    }
}
