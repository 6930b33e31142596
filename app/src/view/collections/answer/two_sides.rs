//! The texts of a second collection by their nearest text of the first one ([`AssignedTexts`]).

use leptos::prelude::*;

use super::AnswerState;
use crate::model::collection::sentences::value_of;
use crate::model::text::humanize::{count, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of rows that are shown at first.
const ROWS: usize = 24;

/// Number of rows that each further press adds.
const MORE_ROWS: usize = 100;

/// Number of texts near none that are shown at first.
const DISTANT: usize = 8;

/// Renders the number of assigned texts for each text of the first collection, and the texts that are near none.
#[component]
pub fn AssignedTexts() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let most = RwSignal::new(ROWS);
    let rows = move || {
        state.assigned.with(|assigned| {
            let longest = assigned.rows.iter().map(|row| row.all).max().unwrap_or(0).max(1) as f64;
            let row = |(text, row): (usize, &crate::model::collection::assignment::AssignedCount)| {
                let [equal, all] = [row.equal, row.all].map(|texts| format!("{:.1}%", 100.0 * texts as f64 / longest));
                view! {
                    <tr>
                        <th scope="row" class="wide">
                            <b>{state.name(text)}</b>
                        </th>
                        <td class="r">{grouped(row.all)}</td>
                        <td class="wide bars">
                            <svg aria-hidden="true">
                                <rect class="near" width=all height="100%"></rect>
                                <rect class="same" width=equal height="100%"></rect>
                            </svg>
                        </td>
                        <td class="r hide">{grouped(row.equal)}</td>
                    </tr>
                }
            };
            assigned.rows.iter().enumerate().take(most.get()).map(row).collect_view()
        })
    };
    let all = move || state.assigned.with(|assigned| assigned.rows.len());
    view! {
        <section class="section" aria-labelledby="assigned-title">
            <div class="split">
                <div class="stack">
                    <header class="row apart">
                        <h2 id="assigned-title">{t("Texts of b by their nearest text")}</h2>
                        <ul class="legend">
                            <li><span class="chip same"></span>{t("equal")}</li>
                            <li><span class="chip near"></span>{t("nearest to this text alone")}</li>
                        </ul>
                    </header>
                    <div class="scroll">
                        <table class="figures assigned">
                            <thead>
                                <tr>
                                    <th>{t("Text")}</th>
                                    <th class="r">{t("Texts")}</th>
                                    <th aria-hidden="true"></th>
                                    <th class="r">{t("equal")}</th>
                                </tr>
                            </thead>
                            <tbody>{rows}</tbody>
                        </table>
                    </div>
                    <p class="projector-off">{more_button(most, MORE_ROWS, all, || more_says(MORE_ROWS))}</p>
                </div>
                <aside class="stack" aria-labelledby="distant-title">
                    <NearNone />
                </aside>
            </div>
        </section>
    }
}

/// Renders the texts of the second collection that are near none of the first one, the nearest ones first.
#[component]
fn NearNone() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let most = RwSignal::new(DISTANT);
    let all = move || state.assigned.with(|assigned| assigned.near_none.len());
    let says = move || match all() {
        0 => t("Each text of b is near a text of a.").into(),
        distant => tr!("{texts} of b, the nearest first.", texts = count(distant as u64, "text", "texts")),
    };
    let rows = move || {
        let row = |&text: &usize| {
            let near = state.neighbours.with(|near| near.get(text).and_then(|near| near[0]));
            let value = near.and_then(|near| state.with(|texts| value_of(texts, text, near.text)));
            let choose = move |_| {
                if let Some(near) = near {
                    state.choose((near.text, text));
                }
            };
            view! {
                <tr>
                    <th scope="row">
                        <button class="go" type="button" on:click=choose>{state.name(text)}</button>
                    </th>
                    <td>{near.map(|near| state.name(near.text))}</td>
                    <td class="r">{value}</td>
                </tr>
            }
        };
        state.assigned.with(|assigned| assigned.near_none.iter().take(most.get()).map(row).collect_view())
    };
    view! {
        <h2 id="distant-title">{t("Texts of b near none")}</h2>
        <p class="note">{says}</p>
        <div class="scroll" hidden=move || all() == 0>
            <table class="figures distant">
                <thead>
                    <tr>
                        <th>{t("Text")}</th>
                        <th>{t("Nearest")}</th>
                        <th class="r">{t("Value")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p class="projector-off">{more_button(most, MORE_ROWS, all, || more_says(MORE_ROWS))}</p>
    }
}
