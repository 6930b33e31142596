//! Helpers for drawings on a canvas ([`pen`], [`rgb`]), and for their export as PNG ([`save_canvas`], [`png_of_svg`]).

use futures::channel::oneshot;
use leptos::prelude::document;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement};

use crate::backend::files;

/// Number of image pixels per user unit of an exported drawing. More than one, so that the image is sharp on paper and
/// on good screens.
const SHARPNESS: f64 = 2.0;

/// Returns the drawing context of a canvas, or `None` if the browser has none.
pub fn pen(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// Parses the red, green and blue component of a colour in the form `rgb(…)`, from 0 to 255.
pub fn rgb(colour: &str) -> [f64; 3] {
    let mut channels = colour.split(|letter: char| !letter.is_ascii_digit() && letter != '.').filter_map(|part| part.parse().ok());
    std::array::from_fn(|_| channels.next().unwrap_or(0.0))
}

/// Encodes the content of a canvas as a PNG. Returns `None` if the browser cannot.
async fn png_of(canvas: &HtmlCanvasElement) -> Option<Blob> {
    let (sender, receiver) = oneshot::channel();
    let done = Closure::once_into_js(move |blob: Option<Blob>| drop(sender.send(blob)));
    canvas.to_blob(done.unchecked_ref()).ok()?;
    receiver.await.ok()?
}

/// Converts an SVG drawing to a PNG. Returns `None` if the browser cannot draw it.
pub async fn png_of_svg(svg: &str) -> Option<Blob> {
    let image = HtmlImageElement::new().ok()?;
    image.set_src(&format!("data:image/svg+xml;charset=utf-8,{}", js_sys::encode_uri_component(svg)));
    JsFuture::from(image.decode()).await.ok()?;
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let [width, height] = [image.natural_width(), image.natural_height()].map(|size| SHARPNESS * f64::from(size));
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    pen(&canvas)?.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height).ok()?;
    png_of(&canvas).await
}

/// Saves the content of a canvas as a PNG file called `name`.
pub fn save_canvas(canvas: &HtmlCanvasElement, name: &'static str) {
    let canvas = canvas.clone();
    spawn_local(async move {
        if let Some(blob) = png_of(&canvas).await {
            files::save(&blob, name);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_channels_are_parsed() {
        assert_eq!(rgb("rgb(12, 0, 255)"), [12.0, 0.0, 255.0]);
        assert_eq!(rgb("rgba(1.5, 2, 3, 0.5)"), [1.5, 2.0, 3.0]);
        assert_eq!(rgb(""), [0.0; 3]);
    }
}
