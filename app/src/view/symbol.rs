//! A symbol that may be one that nobody sees.

use leptos::prelude::*;

use crate::model::text::unseen::name;

/// A symbol as it is shown; `unit` is the symbol itself where nobody sees it, and has a name then.
pub fn symbol(shown: String, unit: Option<&str>) -> AnyView {
    match unit.and_then(name) {
        Some(name) => view! { <span role="img" aria-label=name.clone() title=name>{shown}</span> }.into_any(),
        None => shown.into_any(),
    }
}
