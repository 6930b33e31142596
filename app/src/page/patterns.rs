//! The page that searches for many patterns ([`PatternPage`]): executes the effects of its session.

use std::sync::Arc;

use explain::collection::CollectionFormat;
use explain::worker_protocol::patterns::{PatternAsk, PlaceReport};
use explain::worker_protocol::{RequestKind, WorkerReply};
use js_sys::Uint8Array;
use kernels::cbor::{from_bytes, to_bytes};
use kernels::event::JobEvent;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast as _, JsValue};

use super::collection::{ADDRESS_DELAY_MS, SOLVE_DELAY_MS, history, inflated, show};
use super::collection_files::read_all;
use crate::backend::deflate;
use crate::backend::files;
use crate::backend::files::archive::PathFile;
use crate::backend::latest::RequestCounter;
use crate::backend::local::{self, ReplyOutcome};
use crate::model::collection::frame;
use crate::model::collection::opened::OpenedTexts;
use crate::model::collection::patterns::answer::{PlaceNumber, SearchedTexts};
use crate::model::collection::patterns::form::PatternForm;
use crate::model::collection::patterns::link::{self, PatternView};
use crate::model::collection::patterns::sentences::{bad_line, refusal};
use crate::model::collection::patterns::session::{PatternEffect, PatternInput, PatternSession};
use crate::model::collection::session::{CollectionPhase, VisitNumber};
use crate::model::collection::sources::TextSource;
use crate::model::link::fragment::MAX_FRAGMENT;
use crate::model::problem::Problem;
use crate::model::visit::COLLECTIONS;

/// The deflated texts of an address.
#[derive(Clone, Debug)]
struct DeflatedTexts {
    sources: Vec<TextSource>,
    /// The letters that encode the texts in an address.
    letters: Option<String>,
    /// The same bytes for the history of the browser, if the letters are too long for an address.
    state: SendWrapper<JsValue>,
}

/// A place that is shown, with its alignment and the text around it.
pub type ShownPlace = (PlaceNumber, Arc<PlaceReport>);

/// A handle to the page that searches for many patterns. All copies share one state.
#[derive(Clone, Copy, Debug)]
pub struct PatternPage {
    session: StoredValue<PatternSession>,
    pub form: RwSignal<PatternForm>,
    pub phase: RwSignal<CollectionPhase>,
    pub answer: RwSignal<Option<Arc<SearchedTexts>>>,
    pub view: RwSignal<PatternView>,
    /// The place that is shown.
    pub place: RwSignal<Option<ShownPlace>>,
    /// The reason why a file was not saved.
    pub unsaved: RwSignal<Option<Problem>>,
    /// Sentences about files that were not read.
    pub unread: RwSignal<Vec<String>>,
    /// Whether files are being opened.
    pub is_opening: RwSignal<bool>,
    deflated: StoredValue<Option<DeflatedTexts>>,
    /// Counter of delayed searches.
    changes: RequestCounter,
    /// Counter of delayed addresses.
    addresses: RequestCounter,
    is_unwritten: StoredValue<bool>,
}

impl PatternPage {
    pub fn new() -> Self {
        Self {
            session: StoredValue::new(PatternSession::default()),
            form: RwSignal::default(),
            phase: RwSignal::default(),
            answer: RwSignal::new(None),
            view: RwSignal::default(),
            place: RwSignal::new(None),
            unsaved: RwSignal::new(None),
            unread: RwSignal::default(),
            is_opening: RwSignal::new(false),
            deflated: StoredValue::new(None),
            changes: RequestCounter::new(),
            addresses: RequestCounter::new(),
            is_unwritten: StoredValue::new(false),
        }
    }

    /// Opens the address, and follows the history until the view is removed.
    pub fn begin(self) {
        self.open_address();
        let back = window_event_listener(ev::popstate, move |_| self.open_address());
        let left = window_event_listener(ev::pagehide, move |_| self.write_pending_address());
        on_cleanup(move || {
            self.write_pending_address();
            back.remove();
            left.remove();
        });
    }

    /// Passes an input to the session, copies the state of the session into the signals, and executes the effects.
    pub fn handle_input(self, input: PatternInput) {
        let Some(effects) = self.session.try_update_value(|session| session.handle_input(input)) else { return };
        if effects.contains(&PatternEffect::PushAddress) {
            // The entry of the history that is left has the form before.
            self.write_pending_address();
        }
        self.session.with_value(|session| {
            show(self.form, &session.form);
            show(self.phase, &session.phase);
            show(self.view, &session.view);
            let is_shown = self.answer.with_untracked(|shown| match (shown, &session.answer) {
                (Some(shown), Some(answer)) => Arc::ptr_eq(shown, answer),
                (shown, answer) => shown.is_none() && answer.is_none(),
            });
            if !is_shown {
                self.answer.set(session.answer.clone());
            }
        });
        effects.into_iter().for_each(|effect| self.execute_effect(effect));
    }

    /// Changes the form.
    pub fn edit(self, change: impl FnOnce(&mut PatternForm)) {
        let mut form = self.form.get_untracked();
        change(&mut form);
        self.handle_input(PatternInput::Edited(form));
    }

    /// Changes the view of the answer.
    pub fn look(self, change: impl FnOnce(&mut PatternView)) {
        let mut view = self.view.get_untracked();
        change(&mut view);
        self.handle_input(PatternInput::Viewed(view));
    }

    /// Reads files, and changes the form by those that are text.
    pub fn open_files(self, opened: impl Future<Output = Vec<PathFile>> + 'static, change: fn(&mut PatternForm, Vec<TextSource>)) {
        self.is_opening.set(true);
        spawn_local(async move {
            let OpenedTexts { sources, unread } = OpenedTexts::new(Vec::new(), read_all(opened.await).await);
            if self.is_opening.try_set(false).is_some() {
                return;
            }
            self.unread.set(unread);
            if !sources.is_empty() {
                self.edit(|form| change(form, sources));
            }
        });
    }

    /// Requests the alignment of a place, and the text around it. A running search has no places yet, and a request would end
    /// it.
    pub fn load_place(self, place: PlaceNumber) {
        if self.phase.with_untracked(|phase| *phase != CollectionPhase::Answered) {
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

    /// Saves the answer as a file in `format`. A request during a search would end it.
    pub fn save(self, format: CollectionFormat) {
        if self.phase.with_untracked(|phase| *phase != CollectionPhase::Answered) {
            return;
        }
        let ask = PatternAsk::Export { format: format.name().into() };
        local::send_request(RequestKind::Patterns, &[Uint8Array::from(&to_bytes(&ask)[..])], move |outcome| match outcome {
            ReplyOutcome::Said(WorkerReply::Found, bytes) => {
                files::save_bytes(&bytes, &format!("patterns-{}.{}", format.name(), format.extension()));
            }
            ReplyOutcome::Said(WorkerReply::Refused(failure), _) => self.unsaved.set(Some(refusal(&failure))),
            ReplyOutcome::Said(..) => {}
            ReplyOutcome::Broken(problem) => self.unsaved.set(Some(problem)),
        });
    }

    fn execute_effect(self, effect: PatternEffect) {
        match effect {
            PatternEffect::Wait(visit) => spawn_local(async move {
                if self.changes.debounce(SOLVE_DELAY_MS).await.is_some() {
                    self.handle_input(PatternInput::Due(visit));
                }
            }),
            PatternEffect::Solve { visit, max_cells } => self.solve(visit, max_cells),
            PatternEffect::Stop => local::stop(),
            PatternEffect::PushAddress => self.write_address(true),
            PatternEffect::ReplaceAddress => self.write_address_soon(),
        }
    }

    fn solve(self, visit: VisitNumber, max_cells: u64) {
        let form = self.form.get_untracked();
        let (request, texts) = match form.request(max_cells) {
            Ok(request) => request,
            Err(error) => return self.handle_input(PatternInput::Broken(visit, bad_line(&error))),
        };
        let request = to_bytes(&PatternAsk::Search(request));
        let beside = [Uint8Array::from(&request[..]), Uint8Array::from(&texts[..])];
        local::send_request(RequestKind::Patterns, &beside, move |outcome| {
            let input = match outcome {
                ReplyOutcome::Said(WorkerReply::Event(JobEvent::Progress(progress)), _) => PatternInput::Progress(visit, progress),
                ReplyOutcome::Said(WorkerReply::Found, bytes) => {
                    PatternInput::Answered(visit, Box::new(SearchedTexts::decode(form.clone(), &bytes)))
                }
                ReplyOutcome::Said(WorkerReply::Refused(failure), _) => PatternInput::Refused(visit, failure),
                ReplyOutcome::Said(..) => return,
                ReplyOutcome::Broken(problem) => PatternInput::Broken(visit, problem),
            };
            self.handle_input(input);
        });
    }

    /// Shows the texts and the view that the address names.
    fn open_address(self) {
        let fragment = window().location().hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        if link::search_task(fragment).is_none() {
            // The address of a comparison must not be overwritten.
            return self.is_unwritten.set_value(false);
        }
        let parsed = match link::read(fragment) {
            Ok(parsed) => parsed,
            Err(unread) => return self.handle_input(PatternInput::Unreadable(unread.into())),
        };
        let state = history().and_then(|history| history.state().ok()).and_then(|state| state.dyn_into::<Uint8Array>().ok());
        let deflated = match (&parsed.packed, state) {
            (Some(letters), _) => Some(frame::deflated(letters)),
            (None, Some(state)) if parsed.form.is_empty() => Some(Ok(state.to_vec())),
            (None, _) => None,
        };
        let Some(deflated) = deflated else { return self.handle_input(PatternInput::Opened(parsed.form, parsed.view)) };
        spawn_local(async move {
            let sources = match deflated {
                Ok(deflated) => inflated(&deflated).await,
                Err(unreadable) => Err(unreadable),
            };
            self.handle_input(match sources {
                Ok(sources) => PatternInput::Opened(link::with_sources(parsed.form, sources), parsed.view),
                Err(unreadable) => PatternInput::Unreadable(unreadable.into()),
            });
        });
    }

    fn write_address_soon(self) {
        self.is_unwritten.set_value(true);
        spawn_local(async move {
            if self.addresses.debounce(ADDRESS_DELAY_MS).await.is_some() {
                self.write_pending_address();
            }
        });
    }

    /// Writes the address if it is outdated.
    fn write_pending_address(self) {
        if self.is_unwritten.try_get_value() == Some(true) {
            self.write_address(false);
        }
    }

    /// Writes the address, as a new entry of the history if `is_step`. If the texts are not deflated yet, writes it again
    /// after that.
    fn write_address(self, is_step: bool) {
        self.is_unwritten.set_value(false);
        let (form, view) = (self.form.get_untracked(), self.view.get_untracked());
        let sources = link::sources(&form);
        let deflated = self.deflated.get_value().filter(|deflated| deflated.sources == sources);
        let fragment = link::write(&form, deflated.as_ref().and_then(|deflated| deflated.letters.as_deref()), &view);
        let address = format!("{COLLECTIONS}#{fragment}");
        let state = deflated.as_ref().map_or(JsValue::NULL, |deflated| (*deflated.state).clone());
        if let Some(history) = history() {
            let _ = if is_step {
                history.push_state_with_url(&state, "", Some(&address))
            } else {
                history.replace_state_with_url(&state, "", Some(&address))
            };
        }
        if deflated.is_none() && link::needs_deflating(&form) {
            spawn_local(async move {
                let Ok(bytes) = deflate::deflated(&frame::frame(sources.iter())).await else { return };
                let letters = frame::letters(&bytes);
                let is_short = letters.len() < MAX_FRAGMENT;
                // The address may have no room for the letters beside its other parts.
                let state = Uint8Array::from(&bytes[..]).into();
                let texts = DeflatedTexts { sources, letters: is_short.then_some(letters), state: SendWrapper::new(state) };
                let is_current = self.form.try_with_untracked(|form| link::sources(form) == texts.sources) == Some(true);
                self.deflated.try_set_value(Some(texts));
                if is_current {
                    self.write_address(false);
                }
            });
        }
    }
}
