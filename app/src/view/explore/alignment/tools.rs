//! Tools of an alignment that few visitors use: the entries of a menu, and the field that goes to a column. Their code
//! is downloaded when they are drawn.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use super::MAX_LARGE_CELL_COLUMNS;
use super::goto::GoTo;
use super::scroller::AlignmentScroller;
use crate::backend::document;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::positions::PositionsMenu;

/// Draws the entries of the menu of further tools for the alignment.
#[inline(never)]
#[wasm_split(tools, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn menu() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <Tools /> }))
}

/// Draws the field that goes to a column or a position of the alignment.
#[inline(never)]
#[wasm_split(tools, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn goto() -> LazyPart<()> {
    Ok(|place, ()| {
        draw_into(place, || {
            view! {
                <span class="projector-off">
                    <GoTo />
                </span>
            }
        })
    })
}

#[component]
fn Tools() -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    view! {
        <div class="row menu-row">
            <PositionsMenu id="positions-alignment" />
            <Palette />
            {(scroller.summary.columns <= MAX_LARGE_CELL_COLUMNS).then(|| view! { <GoTo /> })}
        </div>
    }
}

/// Renders the switch between colours and black and white. It also applies to print.
#[component]
fn Palette() -> impl IntoView {
    let on = RwSignal::new(false);
    Effect::new(move |_| on.set(document::palette_is_print()));
    let toggle = move |_| {
        document::set_palette(!on.get_untracked());
        on.set(document::palette_is_print());
    };
    view! {
        <button class="btn small projector-off" type="button" aria-pressed=move || if on.get() { "true" } else { "false" } on:click=toggle>
            {move || on.get().then(|| icon(Icon::Check))}
            {t("Black and white")}
        </button>
    }
}
