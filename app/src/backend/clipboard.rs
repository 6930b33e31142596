//! Copies text to the clipboard: [`copy`]. Browsers offer `navigator.clipboard` only to secure pages. A class may use a
//! server in its own network by plain http; on a page from there, the text is copied from a selection.

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, HtmlElement, HtmlTextAreaElement};

/// Copies `text` to the clipboard. Returns whether the browser accepted it. A browser may refuse, for example without a
/// recent key press or click.
pub async fn copy(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let navigator = window.navigator();
    let has_clipboard = Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|clipboard| clipboard.is_object());
    if has_clipboard && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok() {
        return true;
    }
    window.document().and_then(|document| copy_as_selection(&document, text).ok()).unwrap_or(false)
}

/// Copies `text` by selecting it in a temporary field, then restores the focus. Returns whether the browser accepted
/// it.
fn copy_as_selection(document: &Document, text: &str) -> Result<bool, JsValue> {
    let focused = document.active_element();
    // A field outside of an open modal dialog cannot receive the focus.
    let dialog = focused.as_ref().and_then(|element| element.closest("dialog").ok().flatten());
    let place: Element = dialog.or_else(|| document.body().map(Into::into)).ok_or(JsValue::NULL)?;
    let field: HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    field.set_value(text);
    field.set_class_name("vh");
    field.set_read_only(true);
    place.append_child(&field)?;
    field.select();
    let command: Function = Reflect::get(document, &"execCommand".into())?.dyn_into()?;
    let copied = command.call1(document, &"copy".into());
    field.remove();
    if let Some(focused) = focused.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        focused.focus()?;
    }
    Ok(copied?.is_truthy())
}
