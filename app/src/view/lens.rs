//! The frame of a lens: one method on one small input, a step at a time, in one screen. Title and fields stand above it (the form,
//! folded); in it are the picker of orders or methods, the picture, the sentence about the step with what it explains, counts, and the
//! deck with the controls of the steps, which stays in view.
//!
//! - [`player`]: which step is shown, and playing
//! - [`deck`]: its controls; [`counts`]: "9 of 48 cells filled"; [`title`]: what stands above

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use self::deck::Deck;
use self::player::Player;
use crate::model::preferences::has_shortcuts;
use crate::page::Page;

pub mod counts;
pub mod deck;
pub mod player;
pub mod title;

/// The frame. In the document's order: picker, picture, what is said of the step, what else is known of it, controls, and what is
/// looked up less often. A narrow window has the controls before what else is known.
#[component]
pub fn Lens<A, B, C, D, E>(player: Player, picker: A, picture: B, says: C, knows: D, more: E) -> impl IntoView
where
    A: IntoView + 'static,
    B: IntoView + 'static,
    C: IntoView + 'static,
    D: IntoView + 'static,
    E: IntoView + 'static,
{
    // Wherever the focus is, as the sheet of keys says.
    let keys = window_event_listener(ev::keydown, move |event| {
        if !event.default_prevented() && is_free(&event) && player.key(&event.key()) {
            event.prevent_default();
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <div class="lens">
            <div class="lens-pick">{picker}</div>
            <div class="lens-pic">{picture}</div>
            <div class="lens-side">
                <div class="lens-says stack">{says}</div>
                <div class="lens-knows stack loose">{knows}</div>
            </div>
            <Deck player />
            <div class="lens-more stack">{more}</div>
        </div>
    }
}

/// Tells the page while the answer is to be found, because it stands outside of the view too.
pub fn keep_answer(is_kept: Signal<bool>) {
    let Some(page) = use_context::<Page>() else { return };
    Effect::new(move |_| page.keeps_answer.set(Some(is_kept.get())));
    on_cleanup(move || {
        page.keeps_answer.try_set(None);
    });
}

/// Whether a key is for the lens: it goes into no field, presses nothing, no dialog is open, and the visitor has not switched single keys off.
fn is_free(event: &ev::KeyboardEvent) -> bool {
    let is_switched_off = event.key().chars().count() == 1 && !has_shortcuts();
    if is_switched_off || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return true };
    let is_in = |selector: &str| target.closest(selector).is_ok_and(|found| found.is_some());
    let writes = "textarea, select, [contenteditable], input:not([type=range], [type=radio], [type=checkbox])";
    let presses = "button, a, summary, input, label";
    let is_taken = is_in("dialog") || is_in(writes) || (event.key() == " " && is_in(presses));
    !is_taken
}
