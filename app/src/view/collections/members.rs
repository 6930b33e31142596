//! The list of typed texts ([`MemberList`]).

use leptos::prelude::*;

use super::answer::AnswerState;
use crate::model::collection::members::{MemberRow, member_rows};
use crate::model::form::FormSide;
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;

/// Number of rows that are shown at first, and that each press adds.
const ROWS: usize = 200;

/// Renders the texts of a side, as the solver has read them last.
#[component]
pub fn MemberList(side: FormSide) -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let most = RwSignal::new(ROWS);
    let all = Memo::new(move |_| state.with(|texts| member_rows(texts, side)).unwrap_or_default());
    let row = |(number, row): (usize, &MemberRow)| {
        let note = match row.same_as {
            Some(first) => tr!("same as {n}", n = first + 1),
            None if row.symbols == 0 => t("empty").into(),
            None => String::new(),
        };
        view! {
            <tr>
                <td class="r">{grouped(number as u64 + 1)}</td>
                <th scope="row">{row.name.clone()}</th>
                <td class="r">{grouped(row.symbols)}</td>
                <td class="lengths">{length_bar(row.share)}</td>
                <td class="note">{note}</td>
            </tr>
        }
    };
    let rows = move || all.with(|all| all.iter().enumerate().take(most.get()).map(row).collect_view());
    let is_whole = move || most.get() >= all.with(Vec::len);
    view! {
        <div class="list" tabindex="0" role="region" aria-label=t("List of texts")>
            <table class="figures">
                <thead>
                    <tr>
                        <th class="r">{t("No.")}</th>
                        <th>{t("Text")}</th>
                        <th class="r">{t("Length")}</th>
                        <th aria-hidden="true"></th>
                        <th>{t("Note")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <button class="btn small" type="button" hidden=is_whole on:click=move |_| most.update(|most| *most += ROWS)>
                {tr!("Show {n} more", n = ROWS)}
            </button>
        </div>
    }
}

/// Renders a bar of the length `share`, from 0 to 1.
pub fn length_bar(share: f64) -> impl IntoView {
    view! {
        <svg class="length" aria-hidden="true">
            <rect width=format!("{:.1}%", 100.0 * share) height="100%"></rect>
        </svg>
    }
}
