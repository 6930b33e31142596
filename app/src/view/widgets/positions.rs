//! The choice whether positions are counted from 0 or from 1, for views that show positions.

use leptos::ev;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use crate::backend::document::choose_positions;
use crate::model::preferences::{POSITIONS, PositionBase, positions};
use crate::page::Page;
use crate::tr::{Language, t};
use crate::view::browser::restore_focus;

/// Renders a menu that chooses the number of the first position, 0 or 1. Browser and address remember the choice, the
/// address only if it is not the default. The page is redrawn with the choice. `id` distinguishes several menus on a
/// page.
#[component]
pub fn PositionsMenu(id: &'static str) -> impl IntoView {
    let page = expect_context::<Page>();
    let drawn = expect_context::<RwSignal<Language>>();
    let current = positions();
    restore_focus::restore(id, current.name());
    let said = (current != PositionBase::default()).then(|| current.name().to_owned());
    // The address contains the choice, so that whoever opens it as a link sees the same numbers.
    page.remember(POSITIONS, said);
    let choose = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let Some(chosen) = PositionBase::of_name(&event.target().value()) else { return };
        choose_positions(chosen);
        restore_focus::remember(id, chosen.name());
        drawn.notify();
    };
    let option = |choice: PositionBase| view! { <option value=choice.name() selected=choice == current>{choice.name()}</option> };
    view! {
        <label class="row small projector-off">
            {t("Positions from")}
            <span class="select small">
                <select id=id on:change:target=choose>
                    {PositionBase::ALL.map(option).collect_view()}
                </select>
                {icon(Icon::Chevron)}
            </span>
        </label>
    }
}
