//! The page with the documentation of the API. Its content exists as HTML already, in English only.

use leptos::prelude::*;

use super::{StaticPageFrame, StaticPageRequest, document};
use crate::tr::Language;

/// Returns the HTML of the page with the API documentation. `body` is inserted unescaped, so that it must not contain
/// any input of a visitor.
pub fn page(reader: StaticPageRequest, body: String) -> String {
    let about = "Everything that the page does, and what it cannot do, by HTTP.";
    document(
        StaticPageFrame {
            reader: StaticPageRequest { language: Language::English, ..reader },
            title: || "The API",
            about,
            languages_of: None,
            styles: &[],
        },
        || view! { <div class="docs" inner_html=body></div> }.into_any(),
    )
}
