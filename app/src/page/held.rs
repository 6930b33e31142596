//! What a page holds from the first act on: a first view is without it.

use leptos::prelude::*;
use send_wrapper::SendWrapper;

use super::Page;
use super::view_state::ViewState;
use crate::model::link::packed::Packed;
use crate::model::session::Session;
use crate::source::http::Upload;
use crate::source::remote::Stream;

/// A handle: copying it copies no state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) session: StoredValue<Session>,
    /// The text that is being sent.
    pub(super) upload: StoredValue<Upload>,
    /// The events of the job that is followed.
    pub(super) stream: StoredValue<Option<SendWrapper<Stream>>>,
    /// The texts that were deflated last.
    pub(super) packed: RwSignal<Option<Packed>>,
    /// How views are looked at.
    pub(super) views: StoredValue<ViewState>,
}

impl Page {
    /// What it holds, made when somebody asks first.
    pub(super) fn held(self) -> Held {
        self.held.get_value().unwrap_or_else(|| {
            let make = || Held {
                session: StoredValue::new(Session::new(self.form.get_untracked())),
                upload: StoredValue::new(Upload::default()),
                stream: StoredValue::new(None),
                packed: RwSignal::new(None),
                views: StoredValue::new(ViewState::default()),
            };
            // Whichever view asks first, it lasts as long as the page: a view goes when the page is drawn anew.
            let held = match std::iter::successors(Owner::current(), Owner::parent).last() {
                Some(root) => root.with(make),
                None => make(),
            };
            self.held.set_value(Some(held));
            held
        })
    }
}
