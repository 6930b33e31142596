//! Moves the focus to an element that is shown by the next drawing ([`focus_next`]).

use leptos::prelude::*;
use web_sys::HtmlElement;

/// Moves the focus to the element that `find` returns, after the page was drawn.
pub fn focus_next(find: impl FnOnce() -> Option<HtmlElement> + 'static) {
    request_animation_frame(move || {
        if let Some(element) = find() {
            let _ = element.focus();
        }
    });
}
