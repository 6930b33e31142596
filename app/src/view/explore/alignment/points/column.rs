//! The chosen column with its points ([`chosen`]), and the pairs of letters that earn and lose the most points
//! ([`pairs`]).

use explain::points::LetterPair;
use kernels::alignment::EditKind;
use leptos::prelude::*;

use super::PointsState;
use crate::model::alignment::columns::ChosenColumn;
use crate::model::alignment::substitutions::ranked_pairs;
use crate::model::text::humanize::{grouped, plus, position, signed};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::prose;

/// Maximum number of pairs that are listed as earning points.
const MAX_EARNING: usize = 5;

/// Maximum number of pairs that are listed as losing points.
const MAX_LOSING: usize = 3;

/// Renders the chosen column: its symbols, its points, and the sums before and after it.
pub(super) fn chosen(state: PointsState) -> impl IntoView {
    let column = Memo::new(move |_| state.chosen());
    let title = move || column.with(|column| column.as_ref().map(|chosen| tr!("Column {n}", n = position(chosen.column))));
    let heading = move || title().unwrap_or_else(|| t("Points of a column").to_owned());
    let told = move || match column.get() {
        Some(chosen) => of_column(&chosen).into_any(),
        None => view! { <p class="note">{t("Press a column, or go to one with the left and right arrow keys.")}</p> }.into_any(),
    };
    view! {
        <section class="chosen-column" aria-live="polite">
            <h3>{heading}</h3>
            {told}
        </section>
    }
}

/// Renders a column with its points.
fn of_column(chosen: &ChosenColumn) -> impl IntoView + use<> {
    let [x, y] = chosen.symbols.clone().map(|symbol| symbol.unwrap_or_else(|| "–".to_owned()));
    let kind = match chosen.edit {
        // Letters of ambiguity codes match without being equal.
        EditKind::Equal if x != y => t("They match."),
        EditKind::Equal => t("Equal."),
        EditKind::Substitute | EditKind::Transpose if chosen.is_similar => t("Similar."),
        EditKind::Substitute | EditKind::Transpose => t("Different."),
        EditKind::Insert => t("A gap in *a*."),
        EditKind::Delete => t("A gap in *b*."),
    };
    let sums = tr!(
        "The sum is {before} before this column and {after} after it.",
        before = signed(chosen.before),
        after = signed(chosen.before + chosen.points)
    );
    view! {
        <p class="who">
            {super::grid::over(x, y)}
            ": "
            <b>{plus(chosen.points)}</b>
        </p>
        <p class="say">{prose(kind)} " " {sums}</p>
    }
}

/// Renders the pairs of letters with the highest and the lowest sums, if a matrix has their points.
pub(super) fn pairs(state: PointsState) -> impl IntoView {
    move || {
        let summary = state.summary.get()?;
        let [earned, lost] = ranked_pairs(&summary, MAX_EARNING, MAX_LOSING);
        let is_empty = earned.is_empty() && lost.is_empty();
        (!is_empty).then(|| {
            view! {
                <section>
                    <h3>{t("Where the points come from")}</h3>
                    <table class="figures">
                        <thead>
                            <tr>
                                <th scope="col">{t("Pair")}</th>
                                <th scope="col" class="r">{t("Times")}</th>
                                <th scope="col" class="r">{t("Points")}</th>
                                <th scope="col" class="r">{t("Sum")}</th>
                            </tr>
                        </thead>
                        <tbody>{earned.into_iter().map(row).collect_view()} {lost.into_iter().map(row).collect_view()}</tbody>
                    </table>
                </section>
            }
        })
    }
}

fn row(pair: &LetterPair) -> impl IntoView + use<> {
    let sum = i64::from(pair.points) * pair.count as i64;
    view! {
        <tr>
            <td>{super::grid::over(pair.a.clone(), pair.b.clone())}</td>
            <td class="r">{grouped(pair.count)}</td>
            <td class="r">{plus(pair.points.into())}</td>
            <td class="r">
                <b>{plus(sum)}</b>
            </td>
        </tr>
    }
}
