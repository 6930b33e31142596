//! The offer to bring back texts that were replaced as a whole, shown for some seconds: [`Toast`] is its container.

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::model::form::replacement::TextReplacement;
use crate::page::Page;
use crate::page::actions::Action;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into, lazy};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::prose::prose;

/// Time for which the offer is shown, not counting the time while the pointer or the focus is on it.
const OFFER_TIMEOUT: Duration = Duration::from_secs(10);

/// Renders the container of the offer. It exists before the offer, so that screen readers announce it.
#[component]
pub fn Toast() -> impl IntoView {
    let page = expect_context::<Page>();
    let offered = move || page.is_undo_offered.get().then(|| page.replaced.get_untracked()).flatten();
    view! {
        <div class="toast" role="status">
            {lazy(offered, offer)}
        </div>
    }
}

/// Draws the offer to bring back the given texts, which were replaced.
#[inline(never)]
#[wasm_split(read_as, wasm_split_path = ::leptos::wasm_split, fallible)]
fn offer() -> LazyPart<TextReplacement> {
    Ok(|place, replaced| draw_into(place, move || view! { <UndoOffer replaced /> }))
}

/// Renders the message about what was replaced, with a button that restores it.
#[component]
fn UndoOffer(replaced: TextReplacement) -> impl IntoView {
    let page = expect_context::<Page>();
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let (hovered, focused) = (StoredValue::new(false), StoredValue::new(false));
    let stop = move || {
        if let Some(Some(timer)) = timer.try_update_value(Option::take) {
            timer.clear();
        }
    };
    let count = move || {
        stop();
        if hovered.try_get_value() == Some(false) && focused.try_get_value() == Some(false) {
            timer.try_set_value(set_timeout_with_handle(move || page.end_offer(), OFFER_TIMEOUT).ok());
        }
    };
    // When the offer is removed, its button loses the focus after the signals are gone.
    let turn = move |state: StoredValue<bool>, on: bool| {
        if state.try_set_value(on).is_none() {
            count();
        }
    };
    count();
    on_cleanup(stop);
    view! {
        <div
            class="offer"
            on:pointerenter=move |_| turn(hovered, true)
            on:pointerleave=move |_| turn(hovered, false)
            on:focusin=move |_| turn(focused, true)
            on:focusout=move |_| turn(focused, false)
        >
            <span>{prose(&replaced.in_words())}</span>
            <button class="btn small" type="button" aria-keyshortcuts="Control+Z Meta+Z" on:click=move |_| page.dispatch(Action::Undo)>
                {t("Undo")}
            </button>
            <button class="btn ghost small only" type="button" aria-label=t("Close") on:click=move |_| page.end_offer()>
                {icon(Icon::Cross)}
            </button>
        </div>
    }
}
