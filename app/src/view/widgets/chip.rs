//! The chip of an edit, for legends and lists: its sign on a coloured ground.

use kernels::alignment::EditKind;
use leptos::prelude::*;

use crate::model::alignment::sign::{SIMILAR, class, sign};

/// Draws the sign of an edit on a coloured ground.
pub fn chip(edit: EditKind) -> impl IntoView {
    view! {
        <span class=format!("chip {}", class(edit)) aria-hidden="true">
            {sign(edit)}
        </span>
    }
}

/// Draws the sign of two similar symbols on a hatched ground.
pub fn similar_chip() -> impl IntoView {
    view! {
        <span class="chip similar" aria-hidden="true">
            {SIMILAR}
        </span>
    }
}
