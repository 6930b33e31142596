//! Sentences with the names of the two texts in them, which stand in italics.

use leptos::either::Either;
use leptos::prelude::*;

/// A sentence in which `*a*` and `*b*` are names.
pub fn prose(sentence: &str) -> impl IntoView + use<> {
    let parts = sentence.split('*').enumerate().map(|(nth, part)| {
        let part = part.to_owned();
        if nth % 2 == 1 { Either::Left(view! { <var>{part}</var> }) } else { Either::Right(part) }
    });
    parts.collect_view()
}
