//! A text that is markup already: the documentation of the API, in English only.

use leptos::prelude::*;

use super::{Frame, Reader, document};
use crate::tr::Language;

/// The page. `body` is trusted: nothing of a visitor may be in it.
pub fn page(reader: Reader, body: String) -> String {
    let about = "Everything that the page does, and what it cannot do, by HTTP.";
    document(
        Frame { reader: Reader { language: Language::English, ..reader }, title: || "The API", about, languages_of: None, styles: &[] },
        || view! { <div class="docs" inner_html=body></div> }.into_any(),
    )
}
