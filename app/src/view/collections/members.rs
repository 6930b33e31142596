//! The list of typed texts ([`MemberList`]).

use leptos::prelude::*;

use super::answer::AnswerState;
use super::rename::Renaming;
use crate::model::collection::members::{MemberRow, member_rows};
use crate::model::collection::sources::TextSide;
use crate::model::form::FormSide;
use crate::model::text::humanize::grouped;
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of rows that are shown at first, and that each press adds.
const ROWS: usize = 200;

/// Renders the texts of a side, with buttons that rename them and leave them out. `is_typing` becomes true if a button is pressed.
#[component]
pub fn MemberList(side: FormSide, is_typing: RwSignal<bool>) -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let most = RwSignal::new(ROWS);
    let all = Memo::new(move |_| {
        let texts = state.texts();
        collection.form.with(|form| form.side(side).map(|own| member_rows(own, side, texts.as_deref())).unwrap_or_default())
    });
    let renaming = Renaming::new(Callback::new(move |(part, name): (usize, String)| {
        // The first characters are no name.
        let is_begin = all.with_untracked(|all| all.get(part).is_some_and(|row| row.first_characters() == name.trim()));
        let name = if is_begin { String::new() } else { name };
        collection.edit_members(side, |edits| edits.rename(part, &name));
    }));
    let identity = Memo::new(move |_| collection.form.with(|form| form.side(side).map(TextSide::identity)));
    // A row stays in the page as long as its number exists, so that an answer ends no renaming and moves no focus.
    let shown = Memo::new(move |_| all.with(Vec::len).min(most.get()));
    let row = move |number: usize| {
        let row = Memo::new(move |_| all.with(|all| all.get(number).cloned()).unwrap_or_default());
        renaming.cancel_if_changed(number, identity);
        view! { <MemberCells side number row renaming /> }
    };
    view! {
        <div class="list" tabindex="0" role="region" aria-label=t("List of texts") on:click=move |_| is_typing.set(true)>
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
                <tbody>
                    <For each=move || 0..shown.get() key=|number| *number children=row />
                </tbody>
            </table>
            {more_button(most, ROWS, move || all.with(Vec::len), || more_says(ROWS))}
        </div>
    }
}

/// Renders the row of the text `number`.
#[component]
fn MemberCells(side: FormSide, number: usize, row: Memo<MemberRow>, renaming: Renaming) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let name = Signal::derive(move || row.with(|row| row.name.clone()));
    let is_left_out = Memo::new(move |_| row.with(|row| row.number.is_none()));
    let is_editable = Memo::new(move |_| row.with(|row| row.part.is_some()));
    let note = move || {
        row.with(|row| match (row.number, row.same_as) {
            (None, _) => t("left out").into(),
            (Some(_), Some(first)) => tr!("same as {n}", n = first + 1),
            (Some(_), None) if row.symbols == Some(0) => t("empty").into(),
            (Some(_), None) => String::new(),
        })
    };
    let title = move || if is_editable.get() { renaming.name(number, name).into_any() } else { view! { {move || name.get()} }.into_any() };
    let begin = move || row.with(|row| row.begin.clone()).map(|begin| view! { " " <span class="quiet">{begin}</span> });
    // One button leaves out and takes back, so that it keeps the focus.
    let leave = move |_| collection.edit_members(side, |edits| edits.leave_out(number, !is_left_out.get_untracked()));
    let leave_says = move || {
        let name = name.get();
        if is_left_out.get() { tr!("Take back {name}", name = name) } else { tr!("Leave out {name}", name = name) }
    };
    let leave_shows = move || if is_left_out.get() { t("Take back").into_any() } else { icon(Icon::Cross).into_any() };
    let leave_class = move || if is_left_out.get() { "btn ghost small" } else { "btn ghost only" };
    let actions = move || {
        is_editable.get().then(|| {
            view! {
                {move || (!is_left_out.get()).then(|| renaming.button(number, name))}
                <button class=leave_class type="button" aria-label=leave_says on:click=leave>
                    {leave_shows}
                </button>
            }
        })
    };
    view! {
        <tr class:left-out=is_left_out>
            <td class="r">{move || row.with(|row| row.number.map_or_else(|| "–".into(), |number| grouped(number as u64 + 1)))}</td>
            <th scope="row">{title} {begin}</th>
            <td class="r">{move || row.with(|row| row.symbols.map(grouped))}</td>
            <td class="lengths">{length_bar(Signal::derive(move || row.with(|row| row.share)))}</td>
            <td class="note">{note}</td>
            <td class="actions">{actions}</td>
        </tr>
    }
}

/// Renders a bar of the length `share`, from 0 to 1.
pub fn length_bar(share: Signal<f64>) -> impl IntoView {
    view! {
        <svg class="length" aria-hidden="true">
            <rect width=move || format!("{:.1}%", 100.0 * share.get()) height="100%"></rect>
        </svg>
    }
}
