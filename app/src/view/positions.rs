//! The choice from which number positions are counted, beside what has positions.

use leptos::ev;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use super::refocus;
use crate::model::preferences::{POSITIONS, Positions, positions};
use crate::page::Page;
use crate::source::document::choose_positions;
use crate::tr::{Language, t};

/// A menu of 0 and 1. What is chosen is kept, and is in the address while it is not the usual one; the page is drawn anew with it. `id`
/// tells several such menus apart.
#[component]
pub fn PositionsMenu(id: &'static str) -> impl IntoView {
    let page = expect_context::<Page>();
    let drawn = expect_context::<RwSignal<Language>>();
    let current = positions();
    refocus::arrive(id, current.name());
    let said = (current != Positions::default()).then(|| current.name().to_owned());
    // Who opens a link to this sees the same numbers.
    page.remember(POSITIONS, said);
    let choose = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let Some(chosen) = Positions::of_name(&event.target().value()) else { return };
        choose_positions(chosen);
        refocus::leave(id, chosen.name());
        drawn.notify();
    };
    let option = |choice: Positions| view! { <option value=choice.name() selected=choice == current>{choice.name()}</option> };
    view! {
        <label class="row small projector-off">
            {t("Positions from")}
            <span class="select small">
                <select id=id on:change:target=choose>
                    {Positions::ALL.map(option).collect_view()}
                </select>
                {icon(Icon::Chevron)}
            </span>
        </label>
    }
}
