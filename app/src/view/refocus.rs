//! Keeps the focus where a control changes the result that it belongs to: the result is drawn anew, and its control with it.

use std::borrow::Cow;
use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

thread_local! {
    static LEFT: Cell<Option<Cow<'static, str>>> = const { Cell::new(None) };
}

/// The element with this id has the focus and is about to be drawn anew.
pub fn leave(id: impl Into<Cow<'static, str>>) {
    LEFT.set(Some(id.into()));
}

/// An element with this id is about to be there again: it gets the focus, if it had it and nobody has begun to type by then.
pub fn arrive(id: &str) {
    let Some(left) = LEFT.take() else { return };
    if left != id {
        LEFT.set(Some(left));
        return;
    }
    request_animation_frame(move || {
        // Meanwhile what stood around it may have taken the focus, see [`keep_focus`](super::keep_focus); a field is where somebody types.
        let is_free = document().active_element().is_none_or(|element| !["INPUT", "TEXTAREA"].contains(&element.tag_name().as_str()));
        let element = document().get_element_by_id(&left).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(element) = element.filter(|_| is_free) {
            let _ = element.focus();
        }
    });
}
