//! Settings of the visit that the document holds: language, theme, palette, and choices that apply to every result.
//! [`current`] reads them. Choices are stored in cookies for the next visit, by [`remember`].

use leptos::prelude::*;

use crate::backend::offline;
use crate::model::preferences::{self, POSITIONS, PositionBase, SHORTCUTS};
use crate::model::visit::PageVisit;
use crate::tr;

fn root() -> Option<web_sys::HtmlElement> {
    wasm_bindgen::JsCast::dyn_into(web_sys::window()?.document()?.document_element()?).ok()
}

/// Returns whether the page is in the black and white palette.
pub fn palette_is_print() -> bool {
    root().is_some_and(|root| root.dataset().get("palette").is_some())
}

/// Switches to the black and white palette (`print`) or to colours. Later visits have the same palette.
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
    offline::refresh_documents();
}

/// Returns the settings of the visit for which the page is rendered. During rendering the server provides them; a
/// browser reads them from the document.
pub fn current() -> PageVisit {
    use_context::<PageVisit>().unwrap_or_else(|| {
        let path = web_sys::window().and_then(|window| window.location().pathname().ok()).unwrap_or_else(|| "/".into());
        PageVisit { path, language: tr::language(), ..PageVisit::default() }
    })
}

/// Stores the visitor's choice `value` under `name` in a cookie for a year, so that the server renders the next visit
/// with it.
pub fn remember(name: &str, value: &str) {
    let cookie = format!("{name}={value}; path=/; max-age=31536000; samesite=lax");
    let _ = js_sys::Reflect::set(&document(), &"cookie".into(), &cookie.into());
    offline::refresh_documents();
}

/// Returns the cookies that scripts of this document may read.
pub fn cookies() -> String {
    js_sys::Reflect::get(&document(), &"cookie".into()).ok().and_then(|cookies| cookies.as_string()).unwrap_or_default()
}

/// Converts `text` to Unicode NFC (composed letters), using the browser.
pub fn composed(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFC").into()
}

/// Switches the texts of the page to the language that the document names. `texts` is the catalogue of translations
/// into this language, as JSON.
#[cfg(not(feature = "ssr"))]
pub fn speak_as_the_document(texts: Option<&str>) {
    let root = document().document_element().and_then(|root| root.get_attribute("lang"));
    let language = root.as_deref().and_then(tr::Language::of_tag).unwrap_or_default();
    tr::speak(language, texts.and_then(tr::read));
}

/// Sets whether positions are counted from 0 or from 1, also for later visits.
pub fn choose_positions(positions: PositionBase) {
    preferences::count_positions(positions);
    remember(POSITIONS, positions.name());
}

/// Enables or disables single-key shortcuts. Later visits have the same setting.
pub fn choose_shortcuts(on: bool) {
    preferences::use_shortcuts(on);
    remember(SHORTCUTS, if on { "on" } else { "off" });
}
