//! Names of keys, and tests whether a pressed key is a shortcut of the page. Shortcuts are single letters that work
//! with any focus. They do not work in fields, while a dialog is open, or if they are switched off (WCAG 2.1.4).

use leptos::ev;
use leptos::prelude::*;

use crate::model::preferences::has_shortcuts;
use crate::tr::t;

/// Returns whether a key press is a shortcut: without modifier, outside of fields, while no dialog is open and
/// shortcuts are enabled.
pub(crate) fn is_shortcut(event: &ev::KeyboardEvent) -> bool {
    let is_modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    has_shortcuts() && !is_modified && !is_in(event, &["INPUT", "TEXTAREA", "SELECT"]) && !is_dialog_open()
}

/// Returns whether a key press undoes an action of the page: Ctrl+Z or ⌘Z while no dialog is open. In a single-line
/// field these keys undo typing in that field instead.
pub(crate) fn is_undo(event: &ev::KeyboardEvent) -> bool {
    let is_modified = (event.ctrl_key() || event.meta_key()) && !event.shift_key() && !event.alt_key();
    is_modified && event.key().eq_ignore_ascii_case("z") && !is_in(event, &["INPUT"]) && !is_dialog_open()
}

/// Returns whether the target of an event is an element with one of the tag names `tags`.
fn is_in(event: &ev::KeyboardEvent, tags: &[&str]) -> bool {
    let target = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
    target.is_some_and(|element| tags.contains(&element.tag_name().as_str()))
}

/// Returns whether a modal dialog is open. Shortcuts do nothing behind it.
pub(crate) fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|dialog| dialog.is_some())
}

/// Returns whether turning the wheel zooms a picture instead of scrolling the page: with Ctrl, or while the picture has
/// the focus.
pub(crate) fn is_zoom(event: &ev::WheelEvent) -> bool {
    let target = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
    event.ctrl_key() || event.meta_key() || (target.is_some() && document().active_element() == target)
}

/// Returns the name of a key in the current language. Names that are symbols stay as they are.
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
