//! The page that searches for many patterns ([`PatternPage`]).

use std::ops::Deref;
use std::sync::Arc;

use explain::collection::CollectionFormat;
use explain::worker_protocol::patterns::{PatternAsk, PlaceReport};
use explain::worker_protocol::{RequestKind, WorkerReply};
use js_sys::Uint8Array;
use kernels::cbor::{from_bytes, to_bytes};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::collection_files::read_all;
use super::form_page::{FormAddress, FormPage, PageForm};
use crate::backend::files::{self, archive::PathFile};
use crate::backend::local::{self, ReplyOutcome};
use crate::model::collection::opened::{OpenedTexts, replaced_says};
use crate::model::collection::patterns::answer::{PlaceNumber, SearchedTexts};
use crate::model::collection::patterns::form::PatternForm;
use crate::model::collection::patterns::link::{self, PatternView};
use crate::model::collection::patterns::sentences::bad_line;
use crate::model::collection::session::{SessionInput, replaces_new_texts};
use crate::model::collection::sources::TextSource;
use crate::model::link::fragment::FragmentError;
use crate::model::problem::Problem;

/// A place that is shown, with its alignment and the text around it.
pub type ShownPlace = (PlaceNumber, Arc<PlaceReport>);

/// A handle to the page that searches for many patterns. It extends [`FormPage`]. All copies share one state.
#[derive(Clone, Copy, Debug)]
pub struct PatternPage {
    page: FormPage<PatternForm>,
    /// The place that is shown.
    pub place: RwSignal<Option<ShownPlace>>,
    /// Sentences about files that were not read.
    pub unread: RwSignal<Vec<String>>,
    /// Whether files are being opened.
    pub is_opening: RwSignal<bool>,
}

impl Deref for PatternPage {
    type Target = FormPage<PatternForm>;

    fn deref(&self) -> &FormPage<PatternForm> {
        &self.page
    }
}

impl PageForm for PatternForm {
    const REQUESTS: RequestKind = RequestKind::Patterns;
    const FILE_NAME: &'static str = "patterns";

    fn request(&self, max_cells: u64) -> Result<[Vec<u8>; 2], Problem> {
        let (request, texts) = self.request(max_cells).map_err(|error| bad_line(&error))?;
        Ok([to_bytes(&PatternAsk::Search(request)), texts])
    }

    fn decode(self, reply: &[u8]) -> Option<SearchedTexts> {
        SearchedTexts::decode(self, reply)
    }

    fn export(format: CollectionFormat, _view: &PatternView) -> Vec<u8> {
        to_bytes(&PatternAsk::Export { format: format.name().into() })
    }

    fn is_address(fragment: &str) -> bool {
        link::search_task(fragment).is_some()
    }

    fn read(fragment: &str) -> Result<FormAddress<Self>, FragmentError> {
        let link = link::read(fragment)?;
        Ok(FormAddress {
            form: link.form.clone(),
            view: link.view,
            packed: link.packed,
            has_no_texts: link.form.is_empty(),
            fill: Box::new(|sources| link::with_sources(link.form, sources)),
        })
    }

    fn write(&self, packed: Option<&str>, view: &PatternView) -> String {
        link::write(self, packed, view)
    }

    fn write_without_texts(&self, view: &PatternView) -> String {
        link::write_without_texts(self, view)
    }

    fn needs_deflating(&self) -> bool {
        link::needs_deflating(self)
    }
}

impl PatternPage {
    pub fn new() -> Self {
        Self { page: FormPage::new(), place: RwSignal::new(None), unread: RwSignal::default(), is_opening: RwSignal::new(false) }
    }

    /// Reads files, and changes the form by those that are text.
    pub fn open_files(self, opened: impl Future<Output = Vec<PathFile>> + 'static, change: fn(&mut PatternForm, Vec<TextSource>)) {
        self.is_opening.set(true);
        let at_start = self.form.get_untracked();
        spawn_local(async move {
            let OpenedTexts { sources, mut unread } = OpenedTexts::new(Vec::new(), read_all(opened.await).await);
            if self.is_opening.try_set(false).is_some() {
                return;
            }
            let mut next = self.form.get_untracked();
            let has_texts = !sources.is_empty();
            if has_texts {
                change(&mut next, sources);
            }
            if self.form.with_untracked(|now| replaces_new_texts(&at_start, now, &next)) {
                unread.push(replaced_says());
            }
            self.unread.set(unread);
            if has_texts {
                self.edit_by_files(next);
            }
        });
    }

    /// Converts the files that are neither UTF-8 nor UTF-16.
    pub fn convert(self) {
        let mut form = self.form.get_untracked();
        let says = form.convert(files::decode);
        self.unread.update(|all| all.extend(says));
        self.handle_input(SessionInput::Edited(form));
    }

    /// Requests the alignment of a place, and the text around it. A running search has no places yet, and a request would end
    /// it.
    pub fn load_place(self, place: PlaceNumber) {
        if !self.is_answered() {
            return;
        }
        let ask = PatternAsk::Place { pattern: place.0 as u64, hit: place.1 as u64 };
        local::send_request(RequestKind::Patterns, &[Uint8Array::from(&to_bytes(&ask)[..])], move |outcome| {
            if let ReplyOutcome::Said(WorkerReply::Found, bytes) = outcome
                && let Some(report) = from_bytes::<PlaceReport>(&bytes)
            {
                self.place.try_set(Some((place, Arc::new(report))));
            }
        });
    }
}
