//! The frame of a step-by-step view ([`Lens`]), which shows one method on one small input on one screen. The title and
//! the folded form stand above the frame. The frame contains the picker of orders or methods, the picture, the sentence
//! about the step with explanations, and counts. The deck, which has the controls of the steps, stays visible.
//!
//! - [`player`]: the current step, and playing
//! - [`deck`]: the controls of the steps; [`counts`]: "9 of 48 cells filled"; [`title`]: the title above the frame

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use self::deck::Deck;
use self::player::StepPlayer;
use crate::model::preferences::has_shortcuts;
use crate::page::Page;

pub mod counts;
pub mod deck;
pub mod player;
pub mod title;

/// Renders the frame of a lens. In document order: `picker`, `picture`, the sentence about the step (`says`),
/// explanations (`knows`), the controls of `player`, further material (`more`). A narrow window shows the controls
/// before the explanations.
#[component]
pub fn Lens<A, B, C, D, E>(player: StepPlayer, picker: A, picture: B, says: C, knows: D, more: E) -> impl IntoView
where
    A: IntoView + 'static,
    B: IntoView + 'static,
    C: IntoView + 'static,
    D: IntoView + 'static,
    E: IntoView + 'static,
{
    // The keys work wherever the focus is, as the help dialog says.
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

/// Tells the page whether this view hides the answer (`is_kept`). The page then hides it outside of the view too.
pub fn hide_answer(is_kept: Signal<bool>) {
    let Some(page) = use_context::<Page>() else { return };
    Effect::new(move |_| page.hides_answer.set(Some(is_kept.get())));
    on_cleanup(move || {
        page.hides_answer.try_set(None);
    });
}

/// Returns whether the lens may handle the key of `event`. It may not if a modifier key is pressed, if the focus is in
/// a text field, or if a dialog is open. A focused button or link handles the space key itself. Keys of one character
/// are ignored if the visitor has switched shortcuts off.
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
