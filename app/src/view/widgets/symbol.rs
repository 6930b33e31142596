//! Draws a symbol that may be invisible.

use leptos::prelude::*;

use crate::model::text::invisible::name;

/// Draws a symbol by its glyph `shown`. If the symbol `unit` itself is invisible, it gets a name.
pub fn symbol(shown: String, unit: Option<&str>) -> AnyView {
    match unit.and_then(name) {
        Some(name) => view! { <span role="img" aria-label=name.clone() title=name>{shown}</span> }.into_any(),
        None => shown.into_any(),
    }
}
