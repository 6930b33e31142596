//! Addresses of a [`FormPage`]: how they are opened, and how they follow the form and its view.

use js_sys::Uint8Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsValue;

use super::{DeflatedTexts, FormAddress, FormPage, PageForm, SealedTexts};
use crate::backend::{deflate, now, sealed_links};
use crate::model::collection::frame;
use crate::model::collection::session::SessionInput;
use crate::model::collection::sources::TextSource;
use crate::model::link::fragment::MAX_FRAGMENT;
use crate::model::link::seal;
use crate::model::problem::Problem;
use crate::page::history_entry::{
    EntryTexts, SEALED, address_of, framed_state, history, inflated, keep_pending, pending, sealed_fragment, write_history,
};
use crate::page::navigation::of_place;

/// Time without changes before the address is written, in milliseconds. Browsers reject pages that write it often.
const ADDRESS_DELAY_MS: i32 = 400;

/// Time after the start of a reload during which no address is written, in milliseconds. A download also starts like a reload,
/// and then the page stays.
const LEAVING_MS: f64 = 10_000.0;

/// The address and the state of an entry of the history.
#[derive(Debug)]
struct HistoryEntry {
    fragment: String,
    state: JsValue,
    /// Whether the texts must be deflated, so that the address gets them.
    is_undeflated: bool,
}

impl<F: PageForm> FormPage<F> {
    /// Shows the texts and the view that the address names.
    pub(super) fn open_address(self) {
        let turn = self.openings.begin();
        // The address that was to be written is that of another entry of the history.
        self.is_unwritten.set_value(false);
        let fragment = window().location().hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        if !F::is_address(fragment) {
            return;
        }
        self.is_unopened.set_value(true);
        let state = history().and_then(|history| history.state().ok()).unwrap_or(JsValue::NULL);
        let kept = pending(&state).filter(|(fragment, _)| F::is_address(fragment));
        let is_unwritten = kept.is_some();
        let (fragment, state) = kept.unwrap_or_else(|| (fragment.to_owned(), state));
        let fragment = fragment.as_str();
        let (place, fragment) = match fragment.strip_prefix(SEALED) {
            Some(sealed) => sealed.split_once('&').map_or((Some(sealed), ""), |(place, rest)| (Some(place), rest)),
            None => (None, fragment),
        };
        let FormAddress { form, view, packed, has_no_texts, fill } = match F::read(fragment) {
            Ok(address) => address,
            Err(unread) => return self.handle_input(SessionInput::Unreadable(unread.into())),
        };
        if let Some(place) = place {
            let place = place.to_owned();
            spawn_local(async move {
                let edited = match EntryTexts::of_state(&state) {
                    Some(texts) => texts.sources().await.ok(),
                    None => None,
                };
                let known = self.sealed.with_value(|sealed| sealed.as_ref().filter(|sealed| sealed.place == place).cloned());
                let is_deleted = known.as_ref().map_or(place.is_empty(), |known| known.is_deleted);
                let opened = match known.and_then(|known| known.sources) {
                    Some(sources) => Ok(sources),
                    None if is_deleted => Err(Problem::of_status(404)),
                    None => opened(&place).await,
                };
                if !turn.is_last() {
                    return;
                }
                let (sources, shown) = match (opened, edited) {
                    (Ok(sources), edited) => (Some(sources.clone()), edited.unwrap_or(sources)),
                    // Edited texts do not need the link.
                    (Err(_), Some(edited)) => (None, edited),
                    (Err(problem), None) => return self.handle_input(SessionInput::Unreadable(problem)),
                };
                self.is_unopened.set_value(false);
                self.sealed.set_value(Some(SealedTexts { place, is_deleted, sources }));
                self.handle_input(SessionInput::Opened(fill(shown), view));
                // The entry of a deleted link has no texts yet.
                self.write_address(false);
            });
            return;
        }
        let texts = match packed {
            Some(letters) => Some(frame::deflated(&letters).map(EntryTexts::Deflated)),
            None => EntryTexts::of_state(&state).filter(|_| has_no_texts).map(Ok),
        };
        let Some(texts) = texts else {
            return self.open_read(form, view, is_unwritten);
        };
        spawn_local(async move {
            let sources = match texts {
                Ok(texts) => texts.sources().await,
                Err(unreadable) => Err(unreadable),
            };
            if !turn.is_last() {
                return;
            }
            match sources {
                Ok(sources) => self.open_read(fill(sources), view, is_unwritten),
                Err(unreadable) => self.handle_input(SessionInput::Unreadable(unreadable.into())),
            }
        });
    }

    /// Shows the form and the view of an address with all texts. `is_unwritten` says that the browser shows another address.
    fn open_read(self, form: F, view: F::View, is_unwritten: bool) {
        self.is_unopened.set_value(false);
        self.forget_sealed();
        self.handle_input(SessionInput::Opened(form, view));
        if is_unwritten {
            self.write_address_soon();
        }
    }

    /// Keeps a pending address in the history before the visitor leaves the page.
    pub(super) fn keep_pending_address(self) {
        self.left_at.set_value(Some(now()));
        if self.is_unwritten.get_value() && !self.is_unopened.get_value() {
            let entry = self.entry();
            keep_pending(&entry.fragment, &entry.state);
        }
    }

    pub(super) fn write_address_soon(self) {
        self.is_unwritten.set_value(true);
        spawn_local(async move {
            if self.addresses.debounce(ADDRESS_DELAY_MS).await.is_some() {
                self.write_pending_address();
            }
        });
    }

    /// Writes the address if it is outdated.
    pub fn write_pending_address(self) {
        if self.is_unwritten.try_get_value() == Some(true) {
            self.write_address(false);
        }
    }

    /// Writes the address, as a new entry of the history if `is_step`. If the texts are not deflated yet, writes it again
    /// after that.
    ///
    /// The address of texts that came from a private link has the link. The entry of the history has the texts if they were edited,
    /// or if the link was deleted.
    pub(super) fn write_address(self, is_step: bool) {
        if !is_step && self.left_at.try_get_value().flatten().is_some_and(|left| now() - left < LEAVING_MS) {
            return self.write_address_soon();
        }
        self.is_unwritten.set_value(false);
        if self.is_unopened.get_value() {
            return;
        }
        let HistoryEntry { fragment, state, is_undeflated } = self.entry();
        write_history(&address_of(&fragment), &state, is_step);
        if is_undeflated {
            let form = self.form.get_untracked();
            spawn_local(async move {
                let Ok(bytes) = deflate::deflated(&frame::frame(form.sources())).await else { return };
                let letters = Some(frame::letters(&bytes)).filter(|letters| letters.len() < MAX_FRAGMENT);
                let state = SendWrapper::new(Uint8Array::from(&bytes[..]).into());
                let texts = DeflatedTexts { sources: form.sources().cloned().collect(), letters, state };
                let is_current = self.form.try_with_untracked(|form| form.sources().eq(&texts.sources)) == Some(true);
                self.deflated.try_set_value(Some(texts));
                if is_current {
                    self.write_address(false);
                }
            });
        }
    }

    /// Returns the entry of the history for the form and its view.
    fn entry(self) -> HistoryEntry {
        let (form, view) = (self.form.get_untracked(), self.view.get_untracked());
        let sealed = self.sealed.get_value();
        let needs_state = sealed.as_ref().map_or_else(|| form.needs_deflating(), |sealed| !sealed.has_texts_of(&form));
        let deflated = self.deflated.get_value().filter(|deflated| needs_state && form.sources().eq(&deflated.sources));
        let fragment = match &sealed {
            Some(sealed) => sealed_fragment(sealed.written_place(), &form.write_without_texts(&view)),
            None => form.write(deflated.as_ref().and_then(|deflated| deflated.letters.as_deref()), &view),
        };
        let state = match &deflated {
            Some(deflated) => (*deflated.state).clone(),
            None if needs_state => framed_state(form.sources()),
            None => JsValue::NULL,
        };
        HistoryEntry { fragment, is_undeflated: needs_state && deflated.is_none(), state }
    }
}

/// Fetches and decrypts the texts of the private link with the name `place`.
async fn opened(place: &str) -> Result<Vec<TextSource>, Problem> {
    let (id, key) = place.split_once('.').unwrap_or((place, ""));
    let bytes = sealed_links::open_bytes(id, key).await.map_err(|problem| of_place(problem, &format!("/s/{id}")))?;
    let deflated = seal::read_many(&bytes).ok_or_else(Problem::newer_link)?;
    Ok(inflated(&deflated).await?)
}
