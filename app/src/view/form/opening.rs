//! The matrix of kitten and sitting on the first page. On the first visit of a browser the matrix fills step by step;
//! on later visits it is full from the beginning.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::backend::first_visit::is_first_visit;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};

const TEXTS: [&str; 2] = ["kitten", "sitting"];

/// Draws the matrix on the first page.
#[inline(never)]
#[wasm_split(opening, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn opening() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <Opening /> }))
}

/// Returns the edit distance of every pair of prefixes, one row for each prefix of `a`.
fn distances(a: &str, b: &str) -> Vec<Vec<usize>> {
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for (i, letter) in a.bytes().enumerate() {
        let above = &rows[i];
        let mut row = vec![i + 1];
        for (j, other) in b.bytes().enumerate() {
            row.push((above[j] + usize::from(letter != other)).min(above[j + 1] + 1).min(row[j] + 1));
        }
        rows.push(row);
    }
    rows
}

/// Returns the cells of an optimal path through the matrix `rows` of [`distances`], from the last cell to the first.
fn path(a: &str, b: &str, rows: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let (mut i, mut j) = (a.len(), b.len());
    let mut cells = vec![(i, j)];
    while (i, j) != (0, 0) {
        let is_diagonal = i > 0 && j > 0 && rows[i][j] == rows[i - 1][j - 1] + usize::from(a.as_bytes()[i - 1] != b.as_bytes()[j - 1]);
        let is_up = i > 0 && rows[i][j] == rows[i - 1][j] + 1;
        (i, j) = match (is_diagonal, is_up) {
            (true, _) => (i - 1, j - 1),
            (false, true) => (i - 1, j),
            (false, false) => (i, j - 1),
        };
        cells.push((i, j));
    }
    cells
}

/// Renders the matrix as a link to the matrix view of these texts. Pressing Escape or hiding the tab skips to the full
/// matrix.
#[component]
fn Opening() -> impl IntoView {
    let [a, b] = TEXTS;
    let rows = distances(a, b);
    let path = path(a, b, &rows);
    let plays = RwSignal::new(!document().hidden() && is_first_visit());
    let on_key = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" {
            plays.set(false);
        }
    });
    let on_hidden = window_event_listener(ev::visibilitychange, move |_| plays.set(false));
    on_cleanup(move || {
        on_key.remove();
        on_hidden.remove();
    });
    let head = b.chars().map(|letter| view! { <th>{letter.to_string()}</th> }).collect_view();
    let row = |(i, row): (usize, &Vec<usize>)| {
        let cell = |(j, value): (usize, &usize)| {
            let is_path = path.contains(&(i, j));
            view! { <td class:path=is_path style=("--step", (i + j).to_string())>{value.to_string()}</td> }
        };
        let letter = i.checked_sub(1).map(|at| a[at..=at].to_owned());
        view! {
            <tr>
                <th>{letter}</th>
                {row.iter().enumerate().map(cell).collect_view()}
            </tr>
        }
    };
    let rows = rows.iter().enumerate().map(row).collect_view();
    view! {
        <a class="opening" class:plays=plays href=format!("/#a={a}&b={b}&view=matrix")>
            <table aria-hidden="true">
                <thead>
                    <tr>
                        <th></th>
                        <th></th>
                        {head}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <span>{t("From kitten to sitting in 3 edits: see how the matrix is filled")}</span>
        </a>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_matrix_ends_at_the_distance_with_an_optimal_path() {
        let [a, b] = TEXTS;
        let rows = distances(a, b);
        let path = path(a, b, &rows);
        assert_eq!((rows[a.len()][b.len()], path.first(), path.last()), (3, Some(&(6, 7)), Some(&(0, 0))));
        let values: Vec<usize> = path.iter().map(|&(i, j)| rows[i][j]).collect();
        assert!(values.is_sorted_by(|last, next| last >= next && last - next <= 1), "{values:?}");
    }
}
