//! The message about an automatically chosen unit: the reason, and a button back to characters.

use kernels::job::Unit;
use leptos::either::Either;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use super::later::{Part, draw_into, later};
use crate::model::form::nature::Reason;
use crate::page::Page;
use crate::tr::t;

/// Renders the container of the message. It exists before the message, so that screen readers announce it.
#[component]
pub fn UnitReason() -> impl IntoView {
    let page = expect_context::<Page>();
    let reason = Memo::new(move |_| page.reason_shown());
    view! {
        <div class="unit-said" aria-live="polite">
            {later(move || reason.get(), sentence)}
        </div>
    }
}

/// Draws the automatically chosen unit and the reason.
#[inline(never)]
#[wasm_split(read_as, wasm_split_path = ::leptos::wasm_split, fallible)]
fn sentence() -> Part<Reason> {
    Ok(|place, reason| draw_into(place, move || view! { <ReasonSaid reason /> }))
}

/// Renders the message, and the button that compares by characters.
#[component]
fn ReasonSaid(reason: Reason) -> impl IntoView {
    let page = expect_context::<Page>();
    let part = |(nth, said): (usize, &'static str)| if nth % 2 == 1 { Either::Left(view! { <b>{said}</b> }) } else { Either::Right(said) };
    view! {
        <p>
            <span class="said">{reason.in_words().split('*').enumerate().map(part).collect_view()}</span>
            <span class="dot">" · "</span>
            <button class="link" type="button" on:click=move |_| page.set_unit(Unit::Graphemes)>
                {t("Compare by characters")}
            </button>
        </p>
    }
}
