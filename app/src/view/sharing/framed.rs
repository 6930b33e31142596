//! The page in a frame of another site: options in the address of the frame, and the link to the whole page.
//!
//! ```text
//! /embed/<task>#a=…&b=…   /embed/r/<id>#…
//! &texts       both texts stand above the result and can be changed
//! &controls=off   no buttons and sliders
//! &projector   large type
//! &steps=3-9   these steps of a matrix or a method only
//! ```

use leptos::prelude::*;

use crate::tr::t;

/// Renders the line below a result in a frame, with a link to the same view on the whole page. `path` is the path of
/// the frame's address.
#[component]
pub fn Framed(path: String) -> impl IntoView {
    let place = whole(&path);
    // Only the browser knows the fragment of the address, so that it is added there.
    let address = RwSignal::new(place.clone());
    Effect::new(move |_| {
        let fragment = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
        obey(&fragment);
        address.set(format!("{place}{fragment}"));
    });
    view! {
        <footer class="framed-foot">
            <a href=address target="_blank" rel="noopener">
                {t("Open in Editscope")}
            </a>
        </footer>
    }
}

/// Returns the path of the whole page that shows the same as `path`, the path of a frame.
fn whole(path: &str) -> String {
    let rest = path.trim_start_matches('/').trim_start_matches("embed");
    let task = crate::model::visit::PageRoute::of(path);
    match task {
        crate::model::visit::PageRoute::Form(task) => crate::model::visit::task_path(task),
        _ => rest.to_owned(),
    }
}

/// Sets attributes of the document for the options in the fragment of the address, so that style sheets can apply them.
fn obey(fragment: &str) {
    let Some(root) = web_sys::window().and_then(|window| window.document()?.document_element()) else { return };
    for part in fragment.trim_start_matches('#').split('&') {
        let mark = match part {
            "texts" => "data-texts",
            "controls=off" => "data-still",
            _ => continue,
        };
        let _ = root.set_attribute(mark, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_of_the_whole_page_drops_the_embed_prefix() {
        assert_eq!(whole("/embed/edit-distance"), "/");
        assert_eq!(whole("/embed/lcs"), "/lcs");
        assert_eq!(whole("/embed/r/abc"), "/r/abc");
    }
}
