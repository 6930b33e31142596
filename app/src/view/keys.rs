//! Names of keys, and which key presses are shortcuts of the page: single letters that work wherever the focus is, unless somebody types, a dialog is open, or
//! they are switched off (WCAG 2.1.4).

use leptos::ev;
use leptos::prelude::*;

use crate::model::preferences::has_shortcuts;
use crate::tr::t;

/// Whether a single key is meant for the page: no modifier is held, it goes into no field, no dialog is open, and shortcuts are on.
pub(crate) fn is_shortcut(event: &ev::KeyboardEvent) -> bool {
    let is_modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    has_shortcuts() && !is_modified && !is_in(event, &["INPUT", "TEXTAREA", "SELECT"]) && !is_dialog_open()
}

/// Whether a key asks to undo what was done on the page: in a field of one line it is about that field.
pub(crate) fn is_undo(event: &ev::KeyboardEvent) -> bool {
    let is_modified = (event.ctrl_key() || event.meta_key()) && !event.shift_key() && !event.alt_key();
    is_modified && event.key().eq_ignore_ascii_case("z") && !is_in(event, &["INPUT"]) && !is_dialog_open()
}

/// Whether the target of an event is an element with one of these names.
fn is_in(event: &ev::KeyboardEvent, tags: &[&str]) -> bool {
    let target = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
    target.is_some_and(|element| tags.contains(&element.tag_name().as_str()))
}

/// Whether a dialog is open: what is behind it takes no keys.
pub(crate) fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|dialog| dialog.is_some())
}

/// Whether the wheel is meant to zoom a picture: with Ctrl, or while the picture has the focus. Otherwise it scrolls the page past it.
pub(crate) fn is_zoom(event: &ev::WheelEvent) -> bool {
    let target = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
    event.ctrl_key() || event.meta_key() || (target.is_some() && document().active_element() == target)
}

/// What is written on a key in the country of the language: a key that has a sign for its name keeps it.
pub(crate) fn name_of(key: &'static str) -> &'static str {
    match key {
        "Ctrl" => t("Ctrl"),
        "Esc" => t("Esc"),
        "Home" => t("Home"),
        "End" => t("End"),
        "PgUp" => t("PgUp"),
        "PgDn" => t("PgDn"),
        "Space" => t("Space"),
        sign => sign,
    }
}
