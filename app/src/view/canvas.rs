//! What drawings on a canvas share.

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::exports::save_blob;

/// The pen of a canvas.
pub fn pen(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// Saves what a canvas shows.
pub fn save_canvas(canvas: &HtmlCanvasElement, name: &'static str) {
    let ready = Closure::once_into_js(move |blob: JsValue| {
        if let Ok(blob) = blob.dyn_into::<web_sys::Blob>() {
            save_blob(&blob, name);
        }
    });
    let _ = canvas.to_blob(ready.unchecked_ref());
}
