//! A text that is markup already: the documentation of the API.

use leptos::prelude::*;

use super::{Frame, document};

/// The page. `body` is trusted: nothing of a visitor may be in it.
pub fn page(frame: Frame, body: String) -> String {
    document(frame, || view! { <div class="docs" inner_html=body></div> }.into_any())
}
