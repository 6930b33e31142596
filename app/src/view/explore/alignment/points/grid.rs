//! The substitution matrix as a grid of cells ([`substitutions`]). Arrow keys go through the cells, and Enter shows the
//! next column with the pair of the cell.

use std::sync::Arc;

use explain::points::{LetterPair, PointsSummary};
use leptos::ev;
use leptos::html::Table;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::PointsState;
use crate::model::alignment::residues::ResidueColours;
use crate::model::alignment::substitutions::{SubstitutionGrid, points_class};
use crate::model::text::humanize::{count, decimals, plus, point, signed};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::placed;

/// The grid, its used pairs, and the cell of the cursor.
#[derive(Clone)]
struct GridState {
    grid: Arc<SubstitutionGrid>,
    summary: Arc<PointsSummary>,
    /// Row and column of the cursor.
    cursor: RwSignal<(usize, usize)>,
}

impl GridState {
    /// Returns the pair of a cell if the alignment uses it.
    fn pair(&self, cell: (usize, usize)) -> Option<&LetterPair> {
        self.summary.pairs.iter().find(|pair| self.grid.cell(pair) == Some(cell))
    }
}

/// Draws one symbol over another one.
pub(super) fn over(x: String, y: String) -> impl IntoView {
    let symbol = |symbol: String| view! { <span class="seq">{symbol}</span> }.into_any();
    placed(t("{x} over {y}"), vec![("x", symbol(x)), ("y", symbol(y))])
}

/// Renders the matrix of the job, if it has one, when the used pairs are known.
pub(super) fn substitutions(state: PointsState) -> impl IntoView {
    move || {
        let (matrix, summary) = (state.scroller.matrix.get_value()?, state.summary.get()?);
        let title = matrix.name().unwrap_or_else(|| t("Custom matrix").to_owned());
        let grid = Arc::new(SubstitutionGrid::new(matrix, &summary));
        let of_grid = GridState { grid, summary, cursor: RwSignal::new((0, 0)) };
        // The cursor follows the chosen column.
        let followed = of_grid.clone();
        Effect::new(move |_| {
            let Some(column) = state.chosen().map(|chosen| chosen.column) else { return };
            let pair = followed.summary.pairs.iter().find(|pair| pair.columns.contains(&column));
            if let Some(cell) = pair.and_then(|pair| followed.grid.cell(pair)) {
                followed.cursor.set(cell);
            }
        });
        Some(view! {
            <section class="substitutions" aria-labelledby="substitutions-title">
                <h3 id="substitutions-title">{title}</h3>
                <p class="note">{t("Points of every two letters. A dot marks the pairs of this alignment.")}</p>
                <div class="substitutions-split">
                    {table(state, of_grid.clone())}
                    {aside(of_grid)}
                </div>
            </section>
        })
    }
}

/// Renders the cells.
fn table(state: PointsState, of_grid: GridState) -> impl IntoView {
    let GridState { grid, cursor, .. } = of_grid.clone();
    let size = grid.letters.len();
    let element = NodeRef::<Table>::new();
    let move_to = move |cell: (usize, usize)| {
        cursor.set(cell);
        request_animation_frame(move || {
            let found = element.get_untracked().and_then(|table| table.query_selector("td[tabindex=\"0\"]").ok().flatten());
            if let Some(cell) = found.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) {
                let _ = cell.focus();
            }
        });
    };
    let of_keys = of_grid.clone();
    let on_key = move |event: ev::KeyboardEvent| {
        let (row, column) = cursor.get_untracked();
        let last = size - 1;
        let next = match event.key().as_str() {
            "ArrowUp" => (row.saturating_sub(1), column),
            "ArrowDown" => ((row + 1).min(last), column),
            "ArrowLeft" => (row, column.saturating_sub(1)),
            "ArrowRight" => (row, (column + 1).min(last)),
            "Home" if event.ctrl_key() => (0, 0),
            "End" if event.ctrl_key() => (last, last),
            "Home" => (row, 0),
            "End" => (row, last),
            "Enter" | " " => {
                event.prevent_default();
                let after = state.scroller.spot.get_untracked();
                let next = of_keys.pair((row, column)).and_then(|pair| next_column(&pair.columns, after));
                return next.into_iter().for_each(|column| state.scroller.go_to_column(column));
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        move_to(next);
    };
    let head = |letter: char, is_lit: Memo<bool>, scope: &'static str| {
        let class = ResidueColours::Zappo.group_of(letter.encode_utf8(&mut [0; 4]), true).map_or("", |group| group.class);
        view! {
            <th scope=scope class:lit=is_lit>
                <span class=format!("aa {class}")>{letter.to_string()}</span>
            </th>
        }
    };
    let columns = (0..size).map(|at| head(grid.letters[at], Memo::new(move |_| cursor.get().1 == at), "col")).collect_view();
    let rows = (0..size)
        .map(|row| {
            let cells = (0..size)
                .map(|column| {
                    let cell = (row, column);
                    let points = grid.points(cell);
                    let used = if of_grid.pair(cell).is_some() { " used" } else { "" };
                    view! {
                        <td
                            class=points_class(points) + used
                            class:now=move || cursor.get() == cell
                            class:twin=move || cursor.get() == (column, row) && row != column
                            tabindex=move || if cursor.get() == cell { "0" } else { "-1" }
                            on:click=move |_| move_to(cell)
                        >
                            {signed(points)}
                        </td>
                    }
                })
                .collect_view();
            let title = head(grid.letters[row], Memo::new(move |_| cursor.get().0 == row), "row");
            view! { <tr>{title} {cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="scroll">
            <table class="subst" role="grid" aria-labelledby="substitutions-title" node_ref=element on:keydown=on_key>
                <thead>
                    <tr>
                        <td></td>
                        {columns}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Returns the first of `columns` after the column `after`, or the first of all.
fn next_column(columns: &[u64], after: Option<u64>) -> Option<u64> {
    let next = columns.iter().find(|column| after.is_none_or(|after| **column > after));
    next.or_else(|| columns.first()).copied()
}

/// Renders what the points of the cursor's cell mean.
fn aside(of_grid: GridState) -> impl IntoView {
    let cursor = of_grid.cursor;
    let told = move || {
        let (cell, grid) = (cursor.get(), &of_grid.grid);
        let points = grid.points(cell);
        let [x, y] = [cell.0, cell.1].map(|at| grid.letters[at].to_string());
        let chance = grid.doubling_points().map(|doubling| {
            let times = points.approximate() / f64::from(doubling);
            // Two significant digits, unless the number is large.
            let digits = if times >= 2.0 { 0 } else { 1 + (-times * std::f64::consts::LOG10_2).max(0.0).ceil() as u32 };
            let factor = point(decimals(times.exp2(), digits));
            let first = tr!("In related proteins this pair occurs about {n} times as often as by chance.", n = factor);
            format!("{first} {}", tr!("Every {n} points double this number.", n = doubling))
        });
        let used = match of_grid.pair(cell) {
            Some(pair) => {
                tr!("This alignment has the pair in {columns}.", columns = count(pair.count, "column", "columns"))
            }
            None => t("This alignment does not have the pair.").to_owned(),
        };
        view! {
            <p class="who">
                {over(x, y)}
                ": "
                <b>{plus(points)}</b>
            </p>
            <p class="say">{chance} " " {used}</p>
        }
    };
    view! {
        <div class="substitutions-aside">
            <div aria-live="polite">{told}</div>
            <ul class="legend" aria-hidden="true">
                <li>
                    <span class="chip s5"></span>
                    {t("above 0")}
                </li>
                <li>
                    <span class="chip s0"></span>
                    "0"
                </li>
                <li>
                    <span class="chip sm3"></span>
                    {t("below 0")}
                </li>
            </ul>
            <p class="note projector-off">{t("Arrow keys go through the cells. Enter shows the next column with the pair.")}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_column_with_a_pair_begins_again_at_the_first() {
        let columns = [3, 9, 40];
        assert_eq!([None, Some(2), Some(3), Some(39), Some(40)].map(|after| next_column(&columns, after)), [3, 3, 9, 40, 3].map(Some));
        assert_eq!(next_column(&[], Some(1)), None);
    }
}
