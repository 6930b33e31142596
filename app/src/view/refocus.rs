//! Keeps the focus where a control changes the result that it belongs to: the result is drawn anew, and its control with it.

use std::borrow::Cow;
use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Which element had it, and what will be chosen there when it is drawn anew.
struct Left {
    id: Cow<'static, str>,
    choice: String,
    /// Whether a field that one types in had it all the while.
    was_typing: bool,
}

thread_local! {
    static LEFT: Cell<Option<Left>> = const { Cell::new(None) };
}

/// The element with this id has the focus and is about to be drawn anew, with this choice. Who chooses quickly leaves again before it is: what
/// is drawn of an earlier choice does not count.
pub fn leave(id: impl Into<Cow<'static, str>>, choice: impl ToString) {
    LEFT.set(Some(Left { id: id.into(), choice: choice.to_string(), was_typing: is_typing() }));
}

/// An element with this id is about to be there again, with this choice: it gets the focus, if it had it and nobody types by now. Meanwhile
/// what stood around it may have taken it, see [`keep_focus`](super::keep_focus).
pub fn arrive(id: &str, choice: impl ToString) {
    let Some(left) = LEFT.take() else { return };
    if left.id != id || left.choice != choice.to_string() {
        LEFT.set(Some(left));
        return;
    }
    request_animation_frame(move || {
        if is_typing() && !left.was_typing {
            return;
        }
        let element = document().get_element_by_id(&left.id).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(element) = element {
            let _ = element.focus();
        }
    });
}

fn is_typing() -> bool {
    document().active_element().is_some_and(|active| active.tag_name() == "TEXTAREA")
}
