//! The sign alphabet: every edit has a sign, a class, a word.

use kernels::alignment::Edit;
use leptos::prelude::*;

/// Sign between the rows.
pub fn sign(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "|",
        Edit::Substitute => "×",
        Edit::Insert => "+",
        Edit::Delete => "−",
    }
}

/// Class of what is drawn in the edit's colour.
pub fn class(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "eq",
        Edit::Substitute => "x",
        Edit::Insert => "i",
        Edit::Delete => "d",
    }
}

/// The sign on its ground.
pub fn chip(edit: Edit) -> impl IntoView {
    view! {
        <span class=format!("chip {}", class(edit)) aria-hidden="true">
            {sign(edit)}
        </span>
    }
}
