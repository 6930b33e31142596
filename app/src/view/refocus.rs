//! Keeps the focus where a control changes the result that it belongs to: the result is drawn anew, and its control with it.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

thread_local! {
    static LEFT: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The element with this id has the focus and is about to be drawn anew.
pub fn leave(id: &'static str) {
    LEFT.set(Some(id));
}

/// An element with this id is about to be there again: it gets the focus, if it had it.
pub fn arrive(id: &'static str) {
    if LEFT.get() != Some(id) {
        return;
    }
    LEFT.set(None);
    request_animation_frame(move || {
        let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(element) = element {
            let _ = element.focus();
        }
    });
}
