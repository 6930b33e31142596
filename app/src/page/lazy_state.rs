//! State of the page that is created by the first action, because the form alone does not need it: [`LazyPageState`].

use leptos::prelude::*;
use send_wrapper::SendWrapper;

use super::Page;
use super::view_state::ViewState;
use crate::backend::http::UploadHandle;
use crate::backend::remote::JobEventStream;
use crate::model::link::packed_texts::PackedTexts;
use crate::model::session::Session;

/// A handle to the state of the page that is created on first use. All copies of a handle share one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct LazyPageState {
    pub(super) session: StoredValue<Session>,
    /// The running upload of a text.
    pub(super) upload: StoredValue<UploadHandle>,
    /// The stream of events of the job whose progress the page shows.
    pub(super) stream: StoredValue<Option<SendWrapper<JobEventStream>>>,
    /// The texts that were most recently deflated.
    pub(super) packed: RwSignal<Option<PackedTexts>>,
    /// Settings of views, which outlive the views.
    pub(super) views: StoredValue<ViewState>,
}

impl Page {
    /// Returns the state, and creates it on the first call.
    pub(super) fn lazy_state(self) -> LazyPageState {
        self.lazy_state.get_value().unwrap_or_else(|| {
            let make = || LazyPageState {
                session: StoredValue::new(Session::new(self.form.get_untracked())),
                upload: StoredValue::new(UploadHandle::default()),
                stream: StoredValue::new(None),
                packed: RwSignal::new(None),
                views: StoredValue::new(ViewState::default()),
            };
            // Created under the root owner, because it must outlive the view that happens to call first.
            let held = match std::iter::successors(Owner::current(), Owner::parent).last() {
                Some(root) => root.with(make),
                None => make(),
            };
            self.lazy_state.set_value(Some(held));
            held
        })
    }
}
