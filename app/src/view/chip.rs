//! The chip of an edit, in legends and lists.

use kernels::alignment::Edit;
use leptos::prelude::*;

use crate::model::alignment::sign::{class, sign};

/// The sign on its ground.
pub fn chip(edit: Edit) -> impl IntoView {
    view! {
        <span class=format!("chip {}", class(edit)) aria-hidden="true">
            {sign(edit)}
        </span>
    }
}
