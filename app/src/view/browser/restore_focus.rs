//! Restores the focus of a control that changes the result to which it belongs. The control is redrawn with the new
//! result and would lose the focus. It calls [`remember`] before, and [`restore`] when it is redrawn.

use std::borrow::Cow;
use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The element that had the focus, and the visitor's choice that the element will show once it is redrawn.
struct SavedFocus {
    id: Cow<'static, str>,
    choice: String,
    /// Whether a text area had the focus when [`remember`] was called.
    was_typing: bool,
}

thread_local! {
    static SAVED_FOCUS: Cell<Option<SavedFocus>> = const { Cell::new(None) };
}

/// Remembers that the element `id` has the focus and is about to be redrawn with `choice`. Replaces what an earlier
/// call remembered.
pub fn remember(id: impl Into<Cow<'static, str>>, choice: impl ToString) {
    SAVED_FOCUS.set(Some(SavedFocus { id: id.into(), choice: choice.to_string(), was_typing: is_typing() }));
}

/// Restores the focus to the element `id`, which is being drawn with `choice`. Does so only if the last call of
/// [`remember`] had the same values, and if no text area has received the focus since. Meanwhile
/// [`keep_focus`](super::keep_focus) may have moved the focus to a nearby element.
pub fn restore(id: &str, choice: impl ToString) {
    let Some(left) = SAVED_FOCUS.take() else { return };
    if left.id != id || left.choice != choice.to_string() {
        SAVED_FOCUS.set(Some(left));
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
