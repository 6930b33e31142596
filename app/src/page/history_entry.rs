//! Entries of the browser's history with the texts of a form: their states ([`EntryTexts`]), and how they are written.
//!
//! A reload requests the address from before the page is left, and drops the state of an entry whose address changes
//! meanwhile. An address that is not written yet is therefore kept in the state ([`keep_pending`]).

use js_sys::{Array, ArrayBuffer, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::backend::deflate;
use crate::model::collection::frame;
use crate::model::collection::sources::TextSource;
use crate::model::link::packed_texts::PackedTextsError;
use crate::model::visit::COLLECTIONS;

/// Maximum size of texts that an entry of the history has without being deflated, in bytes.
const MAX_FRAMED_BYTES: usize = 4_000_000;

/// Name of a private link in a fragment.
pub(super) const SEALED: &str = "s=";

/// The texts of an entry of the history of the browser.
pub(super) enum EntryTexts {
    Deflated(Vec<u8>),
    /// Texts that were not deflated yet, or came from a private link.
    Framed(Vec<u8>),
}

impl EntryTexts {
    /// Returns the texts of an entry of the history with this state. `None` if it has none.
    pub(super) fn of_state(state: &JsValue) -> Option<Self> {
        if let Some(deflated) = state.dyn_ref::<Uint8Array>() {
            return Some(Self::Deflated(deflated.to_vec()));
        }
        state.dyn_ref::<ArrayBuffer>().map(|framed| Self::Framed(Uint8Array::new(framed).to_vec()))
    }

    /// Inflates the texts.
    ///
    /// # Errors
    /// Returns the reason why the bytes are no texts.
    pub(super) async fn sources(self) -> Result<Vec<TextSource>, PackedTextsError> {
        match self {
            Self::Deflated(deflated) => inflated(&deflated).await,
            Self::Framed(frame) => frame::unframe(&frame),
        }
    }
}

/// Returns the address with a fragment, which may be empty.
pub(super) fn address_of(fragment: &str) -> String {
    if fragment.is_empty() { COLLECTIONS.to_owned() } else { format!("{COLLECTIONS}#{fragment}") }
}

/// Writes the fragment of a private link with the name `place`. `rest` has the form and its view without the texts.
pub(super) fn sealed_fragment(place: &str, rest: &str) -> String {
    let separator = if rest.is_empty() { "" } else { "&" };
    format!("{SEALED}{place}{separator}{rest}")
}

/// Returns the state of an entry of the history that has the texts `sources`, or null if they are too long for it.
pub(super) fn framed_state<'s>(sources: impl Iterator<Item = &'s TextSource>) -> JsValue {
    let sources: Vec<&TextSource> = sources.collect();
    if sources.iter().map(|source| source.bytes.len()).sum::<usize>() > MAX_FRAMED_BYTES {
        return JsValue::NULL;
    }
    Uint8Array::from(&frame::frame(sources.into_iter())[..]).buffer().into()
}

/// Writes an address with its state, as a new entry of the history if `is_step`. Leaves out a state that the browser refuses.
pub(super) fn write_history(address: &str, state: &JsValue, is_step: bool) {
    let Some(history) = history() else { return };
    let write = |state: &JsValue| match is_step {
        true => history.push_state_with_url(state, "", Some(address)),
        false => history.replace_state_with_url(state, "", Some(address)),
    };
    if write(state).is_err() && !state.is_null() {
        let _ = write(&JsValue::NULL);
    }
}

/// Keeps `fragment`, which is not written yet, and the state of its texts in the state of the current entry. Its address stays.
pub(super) fn keep_pending(fragment: &str, texts: &JsValue) {
    let Some(history) = history() else { return };
    // A browser refuses a state that is too long, and the entry keeps the state from before.
    let _ = history.replace_state(&Array::of2(&fragment.into(), texts), "");
}

/// Returns the fragment that [`keep_pending`] has kept in `state`, and the state of its texts.
pub(super) fn pending(state: &JsValue) -> Option<(String, JsValue)> {
    let kept: &Array = state.dyn_ref()?;
    Some((kept.get(0).as_string()?, kept.get(1)))
}

pub(super) fn history() -> Option<web_sys::History> {
    window().history().ok()
}

/// Inflates and reads the texts of an address, of an entry or of a private link.
///
/// # Errors
/// Returns the reason why the bytes are no texts.
pub(super) async fn inflated(deflated: &[u8]) -> Result<Vec<TextSource>, PackedTextsError> {
    frame::unframe(&deflate::inflated(deflated, frame::MAX_INFLATED_BYTES).await?)
}
