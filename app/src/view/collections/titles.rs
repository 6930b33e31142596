//! The title of the page, which the server renders for a comparison because it does not see the fragment of an address:
//! [`show`].

use leptos::prelude::document;
use web_sys::Element;

use crate::tr::t;

/// Writes the title and the sentence below it for a search or for a comparison.
pub fn show(is_search: bool) {
    let (title, short, lead) = if is_search {
        (
            t("Search for many patterns"),
            t("Search for many patterns"),
            t("Where each pattern of a list occurs in a text or in many, exactly or with edits, on one strand or on both."),
        )
    } else {
        (
            t("Compare many texts"),
            t("Many texts"),
            t("The fewest single-symbol changes between every two texts of a collection: which are alike, how much, and where."),
        )
    };
    let write = |place: &str, text: &str| {
        let found: Option<Element> = document().query_selector(place).ok().flatten();
        if let Some(element) = found {
            element.set_text_content(Some(text));
        }
    };
    write("main.collections > .lead h1", title);
    write("main.collections > .lead .say", lead);
    document().set_title(&format!("{short} · Editscope"));
}
