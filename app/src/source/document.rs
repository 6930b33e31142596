//! What the document tells of a visit, and what it remembers for the next one: language, theme, palette and what was chosen for every result.

use leptos::prelude::*;

use crate::model::preferences::{self, POSITIONS, Positions, SHORTCUTS};
use crate::model::visit::Visit;
use crate::source::offline;
use crate::tr;

fn root() -> Option<web_sys::HtmlElement> {
    wasm_bindgen::JsCast::dyn_into(web_sys::window()?.document()?.document_element()?).ok()
}

/// Whether the page is black and white now.
pub fn palette_is_print() -> bool {
    root().is_some_and(|root| root.dataset().get("palette").is_some())
}

/// Black and white, or colours, from now on and on the next visit.
pub fn set_palette(print: bool) {
    let Some(root) = root() else { return };
    let age = if print {
        let _ = root.dataset().set("palette", "print");
        31_536_000
    } else {
        root.dataset().delete("palette");
        0
    };
    let cookie = format!("palette=print; path=/; max-age={age}; samesite=lax");
    let _ = js_sys::Reflect::set(&document(), &"cookie".into(), &cookie.into());
    offline::renew();
}

/// The visit that is rendered now: told by the server, or found in the browser.
pub fn current() -> Visit {
    use_context::<Visit>().unwrap_or_else(|| {
        let path = web_sys::window().and_then(|window| window.location().pathname().ok()).unwrap_or_else(|| "/".into());
        Visit { path, language: tr::language(), ..Visit::default() }
    })
}

/// Remembers a choice for a year, so that the server renders the next visit with it.
pub fn remember(name: &str, value: &str) {
    let cookie = format!("{name}={value}; path=/; max-age=31536000; samesite=lax");
    let _ = js_sys::Reflect::set(&document(), &"cookie".into(), &cookie.into());
    offline::renew();
}

/// The cookies of the document, which this page's script may read.
pub fn cookies() -> String {
    js_sys::Reflect::get(&document(), &"cookie".into()).ok().and_then(|cookies| cookies.as_string()).unwrap_or_default()
}

/// Returns a text with its letters composed (Unicode NFC), by the browser.
pub fn composed(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFC").into()
}

/// From now on the page speaks the language of the document, with these texts: a catalogue, as JSON.
#[cfg(not(feature = "ssr"))]
pub fn speak_as_the_document(texts: Option<&str>) {
    let root = document().document_element().and_then(|root| root.get_attribute("lang"));
    let language = root.as_deref().and_then(tr::Language::of_tag).unwrap_or_default();
    tr::speak(language, texts.and_then(tr::read));
}

/// Folder of this build's scripts, from the document.
pub fn pkg() -> Option<String> {
    let meta = web_sys::window()?.document()?.query_selector("meta[name=pkg]").ok()??;
    meta.get_attribute("content")
}

/// From now on, and on the next visit.
pub fn choose_positions(positions: Positions) {
    preferences::count_positions(positions);
    remember(POSITIONS, positions.name());
}

/// Whether single keys are shortcuts from now on, and on the next visit.
pub fn choose_shortcuts(on: bool) {
    preferences::use_shortcuts(on);
    remember(SHORTCUTS, if on { "on" } else { "off" });
}
