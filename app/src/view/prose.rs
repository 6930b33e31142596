//! Sentences with the names of the two texts in them, which stand in italics, or with views.

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

/// A sentence with these views at their names in braces.
pub fn placed(sentence: &'static str, mut values: Vec<(&'static str, AnyView)>) -> impl IntoView {
    let mut parts = Vec::new();
    let mut rest = sentence;
    while let Some((before, (name, after))) = rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        parts.push(before.into_any());
        let at = values.iter().position(|(known, _)| *known == name);
        parts.extend(at.map(|at| values.swap_remove(at).1));
        rest = after;
    }
    parts.push(rest.into_any());
    parts
}
