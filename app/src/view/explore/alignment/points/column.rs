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
        Some(chosen) => of_column(&chosen, state.has_codes).into_any(),
        None => view! { <p class="note">{t("Press a column, or go to one with the left and right arrow keys.")}</p> }.into_any(),
    };
    view! {
        <section class="chosen-column" aria-live="polite">
            <h3>{heading}</h3>
            {told}
        </section>
    }
}

/// Returns a sentence about the kind of a column. `has_codes` says whether letters are ambiguity codes.
fn kind_in_words(chosen: &ChosenColumn, has_codes: bool) -> &'static str {
    match chosen.edit {
        // Ambiguity codes match without being equal. Other symbols are equal even if their case differs.
        EditKind::Equal if has_codes && chosen.symbols[0] != chosen.symbols[1] => t("They match."),
        EditKind::Equal => t("Equal."),
        EditKind::Substitute | EditKind::Transpose if chosen.is_similar => t("Similar."),
        EditKind::Substitute | EditKind::Transpose => t("Different."),
        EditKind::Insert => t("A gap in *a*."),
        EditKind::Delete => t("A gap in *b*."),
    }
}

/// Renders a column with its points.
fn of_column(chosen: &ChosenColumn, has_codes: bool) -> impl IntoView + use<> {
    let [x, y] = chosen.symbols.clone().map(|symbol| symbol.unwrap_or_else(|| "–".to_owned()));
    let kind = kind_in_words(chosen, has_codes);
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
    let sum = pair.points.times(pair.count);
    view! {
        <tr>
            <td>{super::grid::over(pair.a.clone(), pair.b.clone())}</td>
            <td class="r">{grouped(pair.count)}</td>
            <td class="r">{plus(pair.points)}</td>
            <td class="r">
                <b>{plus(sum)}</b>
            </td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Points;

    use super::*;

    #[test]
    fn only_ambiguity_codes_match_without_being_equal() {
        let said = |symbols: [&str; 2], has_codes| {
            let symbols = symbols.map(|symbol| Some(symbol.to_owned()));
            let chosen = ChosenColumn {
                column: 0,
                edit: EditKind::Equal,
                is_similar: false,
                symbols,
                points: Points::whole(1),
                before: Points::ZERO,
            };
            kind_in_words(&chosen, has_codes)
        };
        assert_eq!((said(["R", "G"], true), said(["G", "G"], true)), ("They match.", "Equal."));
        assert_eq!(said(["a", "A"], false), "Equal.", "upper and lower case may be equal");
    }
}
