//! The message about an automatically chosen unit ([`UnitReason`]): the reason, and a button back to characters.

use kernels::job::Unit;
use leptos::either::Either;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::model::form::text_genre::TextGenre;
use crate::page::Page;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into, lazy};

/// Renders the container of the message. It exists before the message, so that screen readers announce it.
#[component]
pub fn UnitReason() -> impl IntoView {
    let page = expect_context::<Page>();
    let reason = Memo::new(move |_| page.reason_shown());
    view! {
        <div class="unit-said" aria-live="polite">
            {lazy(move || reason.get(), sentence)}
        </div>
    }
}

/// Draws the sentence that names the automatically chosen unit and the reason for it. The value is the kind of text and
/// whether the choice is still in effect.
#[inline(never)]
#[wasm_split(read_as, wasm_split_path = ::leptos::wasm_split, fallible)]
fn sentence() -> LazyPart<(TextGenre, bool)> {
    Ok(|place, (reason, is_followed)| draw_into(place, move || view! { <ReasonSaid reason is_followed /> }))
}

/// Renders the message, and the button that compares by characters.
#[component]
fn ReasonSaid(reason: TextGenre, is_followed: bool) -> impl IntoView {
    let page = expect_context::<Page>();
    let part = |(nth, said): (usize, &'static str)| if nth % 2 == 1 { Either::Left(view! { <b>{said}</b> }) } else { Either::Right(said) };
    let said = if is_followed { reason.in_words() } else { t("Compared by characters") };
    let other = match (is_followed, reason) {
        (true, _) => t("Compare by characters"),
        (false, TextGenre::Prose) => t("Compare by words"),
        (false, TextGenre::Code | TextGenre::Data | TextGenre::List) => t("Compare by lines"),
    };
    let press = move |_| if is_followed { page.set_unit(Unit::Graphemes) } else { page.follow_reason(reason) };
    view! {
        <p>
            <span class="said">{said.split('*').enumerate().map(part).collect_view()}</span>
            <span class="dot">" · "</span>
            <button class="link" type="button" on:click=press>
                {other}
            </button>
        </p>
    }
}
