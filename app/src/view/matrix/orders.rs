//! Orders of filling as cards: the picture is the order itself, stronger is later, and the number of steps is the argument.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::words::grouped;
use explain::matrix::Cell;
use explain::matrix::order::{self, Order, Steps};
use kernels::job::Task;
use leptos::prelude::*;

use super::pieces;
use super::scene::Scene;
use crate::matrix::{Board, say};
use crate::tr;
use crate::tr::t;

/// Columns and rows of a picture, at most: larger matrices are sampled.
const MOST: (usize, usize) = (10, 8);

/// The cards.
#[component]
pub fn Orders() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let board = scene.board.get_value();
    let cards = Order::of(board.task()).iter().map(|&order| {
        let steps = board.steps(order);
        let (title, about) = words(&board, order, &steps);
        view! {
            <label>
                <input
                    type="radio"
                    name="order"
                    value=order.name()
                    prop:checked=move || scene.order.get() == order
                    on:change=move |_| scene.set_order(order)
                />
                {picture(&board, &steps)}
                <span>
                    <b>{pieces(&say::sentence(&title, &[]))}</b>
                    <small>{about}</small>
                </span>
            </label>
        }
    });
    view! {
        <section class="section projector-off" aria-labelledby="orders-title">
            <header>
                <h2 id="orders-title">{t("Fill it in another order")}</h2>
                <span class="note">{t("the stronger the colour, the later; the answer is the same")}</span>
            </header>
            <div class="orders" role="radiogroup" aria-labelledby="orders-title">
                {cards.collect_view()}
            </div>
        </section>
    }
}

/// Title, and what speaks for the order.
fn words(board: &Arc<Board>, order: Order, steps: &Steps) -> (String, String) {
    let last = board.matrix.last();
    let (number, all) = (grouped(steps.len() as u64), grouped((last.i * last.j) as u64));
    let one_each = tr!("{n} steps, one cell each", n = number);
    match order {
        Order::Row => (t("Row by row").into(), one_each),
        Order::Column => (t("Column by column").into(), one_each),
        Order::Diagonal => (
            t("Anti-diagonals").into(),
            tr!("{n} steps; the cells of a step do not need each other, so a GPU fills them together", n = number),
        ),
        Order::Band => {
            let value = board.matrix.value(last);
            let filled = grouped(steps.filled() as u64);
            match board.task() {
                Task::Lcs => {
                    let left = (last.i - usize::from(value), last.j - usize::from(value));
                    let about = tr!(
                        "{n} of {all} cells; enough, as only {a} and {b} symbols are left out",
                        n = filled,
                        all = all,
                        a = left.0,
                        b = left.1
                    );
                    (t("Band").into(), about)
                }
                Task::EditDistance | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => (
                    tr!("Band, *k* = {k}", k = value),
                    tr!("{n} of {all} cells; enough, as the distance is at most {k}", n = filled, all = all, k = value),
                ),
            }
        }
        Order::CutOff => {
            let (k, filled) = (order::nearest(&board.matrix), grouped(steps.filled() as u64));
            let about = tr!("{n} of {all} cells; no piece within {k} edits leads through the others", n = filled, all = all, k = k);
            (tr!("Cut-off, *k* = {k}", k = k), about)
        }
        Order::Bits => (t("Bit vectors").into(), tr!("{n} steps, a whole column in one machine word", n = number)),
        Order::Offset => (t("Diagonals").into(), tr!("{n} steps, one offset each", n = number)),
    }
}

/// The order as a picture.
fn picture(board: &Arc<Board>, steps: &Steps) -> impl IntoView + use<> {
    let Cell { i: rows, j: columns } = board.matrix.last();
    let (across, down) = (columns.min(MOST.0), rows.min(MOST.1));
    let mut cells = String::new();
    for y in 0..down {
        for x in 0..across {
            let cell = Cell { i: 1 + y * rows / down, j: 1 + x * columns / across };
            let (x, y) = (10 * x, 10 * y);
            let _ = match steps.of(cell) {
                None => write!(cells, r#"<rect x="{}.5" y="{}.5" width="8" height="8" class="f-none s-line"/>"#, x, y),
                Some(at) => {
                    let shade = 0.16 + 0.84 * at as f64 / steps.len().max(1) as f64;
                    write!(cells, r#"<rect x="{x}" y="{y}" width="9" height="9" class="f-pine" opacity="{shade:.2}"/>"#)
                }
            };
        }
    }
    let frame = format!("0 0 {} {}", (10 * across).max(10) - 1, (10 * down).max(10) - 1);
    view! { <svg viewBox=frame aria-hidden="true" inner_html=cells></svg> }
}
