//! The nearest text of each text ([`Neighbours`]).

use leptos::prelude::*;

use super::AnswerState;
use crate::model::collection::answer::Neighbour;
use crate::model::collection::measure::Measure;
use crate::model::collection::sentences::{headings, value_of};
use crate::model::form::FormSide;
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of rows that are shown at first, and that are added by each press.
const ROWS: usize = 10;

/// Number of rows that each further press adds.
const MORE_ROWS: usize = 100;

/// Renders the table, most similar texts first.
#[component]
pub fn Neighbours() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let most = RwSignal::new(ROWS);
    // Of two collections, the texts of the second one are listed.
    let first = Memo::new(move |_| state.with(|texts| if texts.is_two() { texts.side(FormSide::B).start } else { 0 }).unwrap_or(0));
    let title = move || if state.is_two.get() { t("For each text of b, the nearest one") } else { t("Nearest neighbour of each text") };
    let sorted = Memo::new(move |_| {
        let near = |(text, [first, second]): (usize, &[Option<Neighbour>; 2])| Some((text, (*first)?, *second));
        let mut rows: Vec<(usize, Neighbour, Option<Neighbour>)> =
            state.neighbours.with(|all| all.iter().enumerate().skip(first.get()).filter_map(near).collect());
        rows.sort_by(|x, y| y.1.nearness.total_cmp(&x.1.nearness).then(x.0.cmp(&y.0)));
        rows
    });
    let rows = move || {
        let threshold = state.threshold.get().nearness();
        let row = |&(text, first, second): &(usize, Neighbour, Option<Neighbour>)| {
            let value = |near: Neighbour| state.with(|texts| value_of(texts, text, near.text));
            let choose = move |_| state.choose((text, first.text));
            let share = state.bar_of(text, first.text);
            let symbols = state.with(|texts| texts.symbols(text)).unwrap_or(0);
            view! {
                <tr class:below=first.nearness < threshold>
                    <th scope="row" class="wide">
                        <b>{state.labelled(text)}</b>
                    </th>
                    <td class="r hide">{grouped(symbols)}</td>
                    <td class="wide">
                        <button class="go" type="button" on:click=choose>
                            {state.name(first.text)}
                        </button>
                    </td>
                    <td class="wide">{share_bar(share, value(first).unwrap_or_default())}</td>
                    <td class="wide hide">{second.map(|near| state.name(near.text))}</td>
                    <td class="r hide">{second.and_then(value)}</td>
                </tr>
            }
        };
        sorted.with(|sorted| sorted.iter().take(most.get()).map(row).collect_view())
    };
    let all = move || sorted.with(Vec::len);
    let says = move || if all() <= ROWS + MORE_ROWS { tr!("Show all {n}", n = grouped(all() as u64)) } else { more_says(MORE_ROWS) };
    let measure = move || {
        let [first, edits] = headings(state.measure.get(), state.costs.get());
        if state.measure.get() == Measure::Edits { edits } else { first }
    };
    view! {
        <section class="section projector-off" aria-labelledby="near-title">
            <h2 id="near-title">{title}</h2>
            <div class="scroll">
                <table class="figures nearest-of">
                    <thead>
                        <tr>
                            <th>{t("Text")}</th>
                            <th class="r">{t("Length")}</th>
                            <th>{t("Nearest")}</th>
                            <th>{measure}</th>
                            <th>{t("Next nearest")}</th>
                            <th class="r">{measure}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="mt">
                {more_button(most, MORE_ROWS, all, says)}
            </p>
        </section>
    }
}

/// Renders a value with a bar of the length `share`, from 0 to 1.
pub fn share_bar(share: f64, value: String) -> impl IntoView {
    view! {
        <span class="share-bar">
            <span class="num">{value}</span>
            <svg aria-hidden="true">
                <rect width=format!("{:.1}%", 100.0 * share) height="100%"></rect>
            </svg>
        </span>
    }
}
