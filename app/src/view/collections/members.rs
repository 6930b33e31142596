//! The list of typed texts ([`MemberList`]).

use leptos::prelude::*;

use super::answer::AnswerState;
use super::rename::{Renaming, focused_button};
use crate::model::collection::members::{MemberRow, member_rows};
use crate::model::form::FormSide;
use crate::model::text::humanize::grouped;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Number of rows that are shown at first, and that each press adds.
const ROWS: usize = 200;

/// Renders the texts of a side, with buttons that rename them and leave them out.
#[component]
pub fn MemberList(side: FormSide) -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let most = RwSignal::new(ROWS);
    let all = Memo::new(move |_| {
        let texts = state.texts();
        collection.form.with(|form| form.side(side).map(|own| member_rows(own, side, texts.as_deref())).unwrap_or_default())
    });
    let renaming = Renaming::new(Callback::new(move |(part, name): (usize, String)| {
        // The first characters are no name.
        let begin = all
            .with_untracked(|all| all.iter().find(|row| row.part == Some(part)).map(|row| row.begin.clone().unwrap_or(row.name.clone())));
        let name = if begin.as_deref() == Some(name.trim()) { String::new() } else { name };
        collection.edit_members(side, |edits| edits.rename(part, &name));
    }));
    let left = RwSignal::new(None);
    let row = move |row: &MemberRow| {
        let note = match (row.number, row.same_as) {
            (None, _) => t("left out").into(),
            (Some(_), Some(first)) => tr!("same as {n}", n = first + 1),
            (Some(_), None) if row.symbols == Some(0) => t("empty").into(),
            (Some(_), None) => String::new(),
        };
        let name = row.name.clone();
        let title = match row.part {
            Some(part) => renaming.name(part, name.clone()).into_any(),
            None => name.clone().into_any(),
        };
        let begin = row.begin.clone().map(|begin| view! { " " <span class="quiet">{begin}</span> });
        let is_left_out = row.number.is_none();
        let actions = row.part.map(|part| view! { <RowActions side part name is_left_out renaming left /> });
        view! {
            <tr class:left-out=is_left_out>
                <td class="r">{row.number.map_or_else(|| "–".into(), |number| grouped(number as u64 + 1))}</td>
                <th scope="row">{title} {begin}</th>
                <td class="r">{row.symbols.map(grouped)}</td>
                <td class="lengths">{length_bar(row.share)}</td>
                <td class="note">{note}</td>
                <td class="actions">{actions}</td>
            </tr>
        }
    };
    let rows = move || all.with(|all| all.iter().take(most.get()).map(row).collect_view());
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
                        <th>
                            <span class="vh">{t("Change")}</span>
                        </th>
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

/// Renders the buttons of a text: rename, and leave out or take back. The latter sets `left` and has the focus afterwards.
#[component]
fn RowActions(
    side: FormSide,
    part: usize,
    name: String,
    is_left_out: bool,
    renaming: Renaming,
    left: RwSignal<Option<usize>>,
) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let leave = move |_| {
        left.set(Some(part));
        collection.edit_members(side, |edits| edits.leave_out(part, !is_left_out));
    };
    let own = focused_button(left, part);
    let button = if is_left_out {
        let label = tr!("Take back {name}", name = name);
        view! {
            <button class="btn ghost small" type="button" aria-label=label node_ref=own on:click=leave>
                {t("Take back")}
            </button>
        }
        .into_any()
    } else {
        let label = tr!("Leave out {name}", name = name);
        view! {
            <button class="btn ghost only" type="button" aria-label=label node_ref=own on:click=leave>
                {icon(Icon::Cross)}
            </button>
        }
        .into_any()
    };
    view! {
        {(!is_left_out).then(|| renaming.button(part, name.clone()))}
        {button}
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
