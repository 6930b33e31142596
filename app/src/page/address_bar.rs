//! Writes the address of the page. The address follows the state of the page, so that it can be copied, reloaded and
//! restored by Back at any time.

use explain::matrix::MAX_GRID_SYMBOLS;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use web_sys::{History, Storage};

use super::Page;
use super::actions::Action;
use crate::model::link::address::{self, AddressState};
use crate::model::link::fragment::MAX_PLAIN_FRAGMENT;
use crate::model::link::link_view::Tab;
use crate::model::link::percent::encode;
use crate::model::session::SessionInput;
use crate::model::visit::{PageRoute, is_embed, task_path};

/// Time without changes before the address is written, in milliseconds. Browsers reject pages that write it at every
/// keystroke.
const ADDRESS_DELAY_MS: i32 = 400;

/// Key in the session storage of an address that was not written in time. The value holds the address that the browser
/// reloads and, after a line feed, the address that should replace it.
const UNWRITTEN: &str = "editscope-address";

impl Page {
    /// Writes the address after a pause in changes.
    pub(super) fn write_address_soon(self) {
        self.is_unwritten.set_value(true);
        spawn_local(async move {
            if self.changes.debounce(ADDRESS_DELAY_MS).await.is_some() {
                if self.holds_texts() {
                    self.handle_input(SessionInput::AddressWanted);
                }
                self.write_address();
            }
        });
    }

    /// Writes the address. If the texts are still being deflated for it, writes it after that.
    pub(super) fn write_address(self) {
        if self.is_deflating() {
            return;
        }
        let Some((before, address)) = self.unwritten_address() else { return };
        let is_blank = self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank());
        match self.starts_history_entry.try_update_value(std::mem::take) {
            Some(true) if before == address => {}
            Some(true) => go(&address, is_blank),
            _ => change(&address, is_blank),
        }
    }

    /// Leaves the current address in the history, so that the next address becomes a new entry.
    pub(super) fn begin_history_entry(self) {
        let is_blank = self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank());
        self.dispatch(Action::BeginStep(is_blank));
    }

    /// Ends the current entry of the history, at which the form is empty if `is_blank`. The next address becomes a new
    /// entry.
    pub(super) fn leave_entry(self, is_blank: bool) {
        self.write_address();
        if is_blank && let Some(shown) = shown_address() {
            change(&shown, true);
        }
        self.starts_history_entry.set_value(true);
        self.begin_stretch();
    }

    fn holds_texts(self) -> bool {
        path_and_fragment().is_some_and(|(path, _)| address::holds_texts(&path, self.is_private.get_untracked()))
    }

    /// Saves pending changes of the address when the visitor leaves, for Back and for a reload. A reload uses the
    /// address from before this call, hence [`UNWRITTEN`].
    pub(super) fn write_address_at_last(self) {
        let (left, shown) = (self.left_address.get_value(), shown_address());
        match (self.unwritten_address(), left, shown) {
            (Some((before, address)), left, _) => replace_before_leaving(&left.unwrap_or(before), &address),
            // Written after the reload had begun.
            (None, Some(left), Some(shown)) => remember_unwritten(&left, &shown),
            (None, ..) => {}
        }
    }

    /// Remembers the address that a reload uses, because the visitor begins to leave the page.
    pub fn begin_leaving(self) {
        self.left_address.set_value(shown_address());
    }

    /// Saves only the typed texts when the visitor leaves, if they are short enough. Stands in for
    /// [`Page::write_address_at_last`] before the code of full addresses is loaded.
    pub(super) fn write_typed_at_last(self) {
        let Some(shown) = shown_address() else { return };
        let address = self.form.with_untracked(|form| {
            let [a, b] = [&form.a, &form.b].map(|side| encode(side.text().unwrap_or_default()));
            format!("{}#a={a}&b={b}", task_path(form.task))
        });
        if address.len() <= MAX_PLAIN_FRAGMENT {
            replace_before_leaving(&self.left_address.get_value().unwrap_or(shown), &address);
        }
    }

    /// Switches to the tab `facet` of the result, as a new entry of the history, so that Back returns to the tab
    /// before.
    pub(super) fn switch_tab(self, facet: Tab) {
        if self.link_view.with_untracked(|look| look.tab == facet) {
            return;
        }
        self.write_address();
        let is_grid = self
            .shown
            .with_untracked(|shown| shown.as_ref().is_some_and(|shown| shown.symbols.0.max(shown.symbols.1) <= MAX_GRID_SYMBOLS as u64));
        self.link_view.update(|look| {
            look.tab = facet;
            // A class in front of a projector fills the cells before it sees the answer.
            if facet == Tab::Matrix && look.projector && is_grid && look.detail("step").is_none() {
                look.set_detail("step", Some("0".into()));
            }
        });
        // A private link is opened anew by each of its steps, which would lose what was changed since.
        let is_private = path_and_fragment().is_some_and(|(path, _)| matches!(PageRoute::of(&path), PageRoute::Sealed(_)));
        match self.address().filter(|_| !is_private && !self.is_deflating()) {
            Some((_, address)) => {
                self.is_unwritten.set_value(false);
                push(&address);
            }
            None => self.write_address_soon(),
        }
    }

    /// Returns whether the texts are being deflated for the address.
    fn is_deflating(self) -> bool {
        self.lazy_state().session.try_with_value(|session| session.to_deflate().is_some()) == Some(true) && self.holds_texts()
    }

    /// Returns the address that the browser shows, and the address that should replace it. Returns `None` if no change
    /// is pending. Afterwards no change counts as pending.
    fn unwritten_address(self) -> Option<(String, String)> {
        if self.is_unwritten.try_update_value(std::mem::take) != Some(true) {
            return None;
        }
        self.address()
    }

    /// Returns the address that the browser shows, and the address that suits the state of the page. Returns `None` if
    /// the browser does not tell its address.
    fn address(self) -> Option<(String, String)> {
        let (path, fragment) = path_and_fragment()?;
        let (look, packed) = (self.link_view.get_untracked(), self.packed().get_untracked());
        let is_private = self.is_private.get_untracked();
        let address = self.form.with_untracked(|form| {
            let shown = AddressState { form, link_view: &look, packed: packed.as_ref(), is_private };
            address::of_page(&path, fragment.trim_start_matches('#'), &shown)
        });
        Some((format!("{path}{fragment}"), address))
    }
}

/// Returns path and fragment of the current address.
fn path_and_fragment() -> Option<(String, String)> {
    let location = web_sys::window()?.location();
    Some((location.pathname().ok()?, location.hash().ok()?))
}

/// Returns path and fragment of the current address as one text.
fn shown_address() -> Option<String> {
    path_and_fragment().map(|(path, fragment)| path + &fragment)
}

/// State of a history entry at which the form is empty. An address without texts is not enough to tell, because not all
/// texts can be in the address.
const NOTHING: &str = "nothing";

fn state(is_blank: bool) -> JsValue {
    if is_blank { NOTHING.into() } else { JsValue::NULL }
}

/// Returns whether the form was empty when the page left this entry of the history.
pub(super) fn was_blank_entry() -> bool {
    history().and_then(|history| history.state().ok()).is_some_and(|state| state.as_string().as_deref() == Some(NOTHING))
}

/// Goes to `address` as a new entry of the history. `is_blank` says whether the form is empty at it.
fn go(address: &str, is_blank: bool) {
    if let Some(history) = history() {
        let _ = history.push_state_with_url(&state(is_blank), "", Some(address));
    }
}

/// Changes the address of the current entry of the history. `is_blank` says whether the form is empty at it.
fn change(address: &str, is_blank: bool) {
    if let Some(history) = history() {
        let _ = history.replace_state_with_url(&state(is_blank), "", Some(address));
    }
}

/// Replaces the address `before` by `address`, for Back and for a reload.
fn replace_before_leaving(before: &str, address: &str) {
    replace(address);
    remember_unwritten(before, address);
}

/// Lets the next page replace the address `before`, which the browser reloads, by `address`.
fn remember_unwritten(before: &str, address: &str) {
    if before != address
        && !is_framed()
        && let Some(storage) = storage()
    {
        let _ = storage.set_item(UNWRITTEN, &format!("{before}\n{address}"));
    }
}

/// Writes the address that the page could not write in time before a reload ([`UNWRITTEN`]).
pub fn restore() {
    let Some(storage) = storage() else { return };
    let Ok(Some(left)) = storage.get_item(UNWRITTEN) else { return };
    let _ = storage.remove_item(UNWRITTEN);
    if let Some((before, address)) = left.split_once('\n')
        && shown_address().as_deref() == Some(before)
    {
        replace(address);
    }
}

/// Goes to `address`, a path of this site, as a new entry of the history.
pub(super) fn push(address: &str) {
    go(address, false);
}

/// Changes the address of the current entry of the history.
fn replace(address: &str) {
    change(address, false);
}

/// Returns the history of the browser; `None` in a frame, whose address must stay as the embedding page gave it.
fn history() -> Option<History> {
    if is_framed() { None } else { web_sys::window()?.history().ok() }
}

fn is_framed() -> bool {
    web_sys::window().and_then(|window| window.location().pathname().ok()).is_some_and(|path| is_embed(&path))
}

/// Returns the session storage, which lasts until the browser tab is closed.
fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}
