//! Draws a symbol that may be invisible.

use leptos::prelude::*;

use crate::model::text::invisible::name;

/// Draws the symbol `unit` by its visible form `shown`. If the symbol is invisible, its name is added for screen
/// readers and as a tooltip.
pub fn symbol(shown: String, unit: Option<&str>) -> AnyView {
    match unit.and_then(name) {
        Some(name) => view! { <span role="img" aria-label=name.clone() title=name>{shown}</span> }.into_any(),
        None => shown.into_any(),
    }
}
