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

/// An element with this id is about to be there again: it gets the focus, if it had it. Meanwhile
/// what stood around it may have taken it, see [`keep_focus`](super::keep_focus).
pub fn arrive(id: &str) {
    let Some(left) = LEFT.take() else { return };
    if left != id {
        LEFT.set(Some(left));
        return;
    }
    request_animation_frame(move || {
        let element = document().get_element_by_id(&left).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(element) = element {
            let _ = element.focus();
        }
    });
}
