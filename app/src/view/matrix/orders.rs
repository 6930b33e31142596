//! Orders of filling, as the picker of the lens: the picture is the order itself, stronger is later, and the number of steps is the
//! argument.

use std::fmt::Write as _;
use std::sync::Arc;

use explain::matrix::Cell;
use explain::matrix::order::{self, Order, Steps};
use kernels::job::Task;
use leptos::prelude::*;

use super::pieces;
use super::scene::Scene;
use crate::matrix::{Board, say};
use crate::tr;
use crate::tr::t;
use crate::words::{count, grouped};

/// Columns and rows of a picture, at most: larger matrices are sampled.
const MOST: (usize, usize) = (10, 8);

/// The picker.
#[component]
pub fn Orders() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let board = scene.board.get_value();
    let entries = Order::of(board.task()).iter().map(|&order| {
        let steps = board.steps(order);
        let said = Said::of(&board, order, &steps);
        let (whole, hidden) = (said.title.clone(), said.without_value);
        // The distance, which a band is as wide as, is what is asked for.
        let title = move || if scene.is_asking() { hidden.to_owned() } else { whole.clone() };
        let about = said.about;
        view! {
            <label title=move || (!scene.is_asking()).then(|| about.clone())>
                <input
                    type="radio"
                    name="order"
                    value=order.name()
                    prop:checked=move || scene.order.get() == order
                    on:change=move |_| scene.set_order(order)
                />
                {picture(&board, &steps)}
                <span>
                    <b>{move || pieces(&say::sentence(&title(), &[]))}</b>
                    <small>{said.steps}</small>
                </span>
            </label>
        }
    });
    view! {
        <div class="orders" role="radiogroup" aria-label=t("Order of filling")>
            {entries.collect_view()}
        </div>
    }
}

/// What speaks for the chosen order. It names the distance, which is asked for where the visitor is to find the values.
#[component]
pub fn OrderAbout() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let about = move || {
        let board = scene.board.get_value();
        scene.steps.with(|steps| Said::of(&board, scene.order.get(), steps).about)
    };
    view! { <p class="note projector-off" hidden=move || scene.is_asking()>{about}</p> }
}

/// What is said of an order.
struct Said {
    /// Its name.
    title: String,
    /// Its name without what gives the answer away.
    without_value: &'static str,
    /// How many steps or cells it takes.
    steps: String,
    /// What speaks for it.
    about: String,
}

impl Said {
    fn of(board: &Arc<Board>, order: Order, steps: &Steps) -> Self {
        let last = board.matrix.last();
        let all = grouped((last.i * last.j) as u64);
        let steps_of = || count(steps.len() as u64, "step", "steps");
        let cells_of = || tr!("{n} of {all} cells", n = grouped(steps.filled() as u64), all = all);
        let said = |title: &'static str, about: String| Self { title: title.into(), without_value: title, steps: steps_of(), about };
        match order {
            Order::Row => said(t("Row by row"), t("One cell each step.").into()),
            Order::Column => said(t("Column by column"), t("One cell each step.").into()),
            Order::Diagonal => {
                said(t("Anti-diagonals"), t("The cells of a step do not need each other, so a GPU fills them together.").into())
            }
            Order::Band => {
                let value = board.matrix.value(last);
                let (title, about) = match board.task() {
                    Task::Lcs => {
                        let left = (last.i - usize::from(value), last.j - usize::from(value));
                        (t("Band").into(), tr!("Enough, as only {a} and {b} symbols are left out.", a = left.0, b = left.1))
                    }
                    Task::EditDistance | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => {
                        (tr!("Band, *k* = {k}", k = value), tr!("Enough, as the distance is at most {k}.", k = value))
                    }
                };
                Self { title, without_value: t("Band"), steps: cells_of(), about }
            }
            Order::CutOff => {
                let k = order::nearest(&board.matrix);
                Self {
                    title: tr!("Cut-off, *k* = {k}", k = k),
                    without_value: t("Cut-off"),
                    steps: cells_of(),
                    about: tr!("Enough, as no piece within {k} edits leads through the others.", k = k),
                }
            }
            Order::Bits => said(t("Bit vectors"), t("A whole column at once, in one machine word.").into()),
            Order::Offset => said(t("Diagonals"), t("One offset each step.").into()),
        }
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
