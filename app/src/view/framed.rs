//! In a frame of somebody's page: what its address asks for beside the result, and the way to the whole page.
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

/// The line below: a link to the same on the whole page.
#[component]
pub fn Framed(path: String) -> impl IntoView {
    let place = whole(&path);
    // Only the browser knows the fragment.
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

/// The same place outside of frames.
fn whole(path: &str) -> String {
    let rest = path.trim_start_matches('/').trim_start_matches("embed");
    let task = crate::model::visit::Route::of(path);
    match task {
        crate::model::visit::Route::Form(task) => crate::model::visit::task_path(task),
        _ => rest.to_owned(),
    }
}

/// Marks the document with what the address asks for; the styles do the rest.
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
    fn the_whole_page_is_one_step_up() {
        assert_eq!(whole("/embed/edit-distance"), "/");
        assert_eq!(whole("/embed/lcs"), "/lcs");
        assert_eq!(whole("/embed/r/abc"), "/r/abc");
    }
}
