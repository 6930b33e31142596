//! Sentences with parts that are not plain text: names of the two texts in italics ([`prose`](fn@prose)), or views
//! ([`placed`]).

use leptos::either::Either;
use leptos::prelude::*;

/// Draws a sentence with names in italics. In the sentence they stand between asterisks, such as `*a*`.
pub fn prose(sentence: &str) -> impl IntoView + use<> {
    let parts = sentence.split('*').enumerate().map(|(nth, part)| {
        let part = part.to_owned();
        if nth % 2 == 1 { Either::Left(view! { <var>{part}</var> }) } else { Either::Right(part) }
    });
    parts.collect_view()
}

/// Draws a formula. Names, which stand between asterisks, are in italics, and the indices `ᵢ` and `ⱼ` are subscripts.
pub fn formula(formula: &str) -> impl IntoView + use<> {
    let parts = formula.split(['ᵢ', 'ⱼ']).map(|part| prose(part).into_any());
    let indices = formula.chars().filter_map(|letter| match letter {
        'ᵢ' => Some("i"),
        'ⱼ' => Some("j"),
        _ => None,
    });
    let indices = indices.map(Some).chain([None]).map(|index| index.map(|index| view! { <sub><var>{index}</var></sub> }));
    parts.zip(indices).collect::<Vec<_>>()
}

/// Draws a sentence in which each placeholder in braces is replaced by the view that `values` has for its name.
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
