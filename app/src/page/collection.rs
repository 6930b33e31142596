//! The page that compares many texts ([`CollectionPage`]): executes the effects of its session.

use std::sync::Arc;

use explain::collection::CollectionFormat;
use explain::worker_protocol::collection::CollectionAsk;
use explain::worker_protocol::{RequestKind, WorkerReply};
use js_sys::Uint8Array;
use kernels::cbor::to_bytes;
use kernels::event::JobEvent;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::backend::deflate;
use crate::backend::files;
use crate::backend::files::archive::PathFile;
use crate::backend::latest::RequestCounter;
use crate::backend::local::{self, ReplyOutcome};
use crate::model::collection::answer::ComparedTexts;
use crate::model::collection::choices::CollectionView;
use crate::model::collection::form::CollectionForm;
use crate::model::collection::opened::OpenedTexts;
use crate::model::collection::sentences::refusal;
use crate::model::collection::session::{CollectionEffect, CollectionInput, CollectionPhase, CollectionSession, VisitNumber};
use crate::model::collection::sources::{TextSide, TextSource};
use crate::model::collection::{frame, link, patterns};
use crate::model::form::{FormSide, FormState, FormText};
use crate::model::link::fragment::{self, MAX_FRAGMENT};
use crate::model::link::link_view::LinkView;
use crate::model::link::packed_texts::PackedTextsError;
use crate::model::problem::Problem;
use crate::model::visit::COLLECTIONS;
use crate::page::collection_files::read_all;

/// Pause in changes after which the texts are compared, in milliseconds.
pub(super) const SOLVE_DELAY_MS: i32 = 300;

/// Time without changes before the address is written, in milliseconds. Browsers reject pages that write it often.
pub(super) const ADDRESS_DELAY_MS: i32 = 400;

/// The deflated texts of an address.
#[derive(Clone, Debug)]
struct DeflatedTexts {
    sources: Vec<TextSource>,
    /// The letters that encode the texts in an address.
    letters: Option<String>,
    /// The same bytes for the history of the browser, if the letters are too long for an address.
    state: SendWrapper<JsValue>,
}

/// A handle to the page that compares many texts. All copies share one state.
#[derive(Clone, Copy, Debug)]
pub struct CollectionPage {
    session: StoredValue<CollectionSession>,
    pub form: RwSignal<CollectionForm>,
    pub phase: RwSignal<CollectionPhase>,
    pub answer: RwSignal<Option<Arc<ComparedTexts>>>,
    pub view: RwSignal<CollectionView>,
    /// The reason why a file was not saved.
    pub unsaved: RwSignal<Option<Problem>>,
    /// Sentences about files that were not read, with their side.
    pub unread: RwSignal<Vec<(FormSide, String)>>,
    /// Sides whose files are being opened.
    pub opening: RwSignal<Vec<FormSide>>,
    /// The second collection, while it is not compared.
    spare: StoredValue<TextSide>,
    deflated: StoredValue<Option<DeflatedTexts>>,
    /// Counter of delayed comparisons.
    changes: RequestCounter,
    /// Counter of delayed addresses.
    addresses: RequestCounter,
    is_unwritten: StoredValue<bool>,
}

impl CollectionPage {
    pub fn new() -> Self {
        Self {
            session: StoredValue::new(CollectionSession::default()),
            form: RwSignal::default(),
            phase: RwSignal::default(),
            answer: RwSignal::new(None),
            view: RwSignal::default(),
            unsaved: RwSignal::new(None),
            unread: RwSignal::default(),
            opening: RwSignal::default(),
            spare: StoredValue::default(),
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
    pub fn handle_input(self, input: CollectionInput) {
        let Some(effects) = self.session.try_update_value(|session| session.handle_input(input)) else { return };
        if effects.contains(&CollectionEffect::PushAddress) {
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
    pub fn edit(self, change: impl FnOnce(&mut CollectionForm)) {
        let mut form = self.form.get_untracked();
        change(&mut form);
        self.handle_input(CollectionInput::Edited(form));
    }

    /// Changes the view of the answer.
    pub fn look(self, change: impl FnOnce(&mut CollectionView)) {
        let mut view = self.view.get_untracked();
        change(&mut view);
        self.handle_input(CollectionInput::Viewed(view));
    }

    /// Compares two collections, or all pairs of the first one. The second one is kept for a later comparison.
    pub fn compare_two(self, is_two: bool) {
        self.edit(|form| match (&form.b, is_two) {
            (None, true) => form.b = Some(self.spare.get_value()),
            (Some(b), false) => {
                self.spare.set_value(b.clone());
                form.b = None;
            }
            (None, false) | (Some(_), true) => {}
        });
    }

    /// Opens files as the texts of a side. Further files are added to files that are there.
    pub fn open_files(self, side: FormSide, files: impl Future<Output = Vec<PathFile>> + 'static) {
        self.opening.update(|sides| sides.push(side));
        spawn_local(async move {
            let read = read_all(files.await).await;
            if self.opening.try_update(|sides| sides.retain(|other| *other != side)).is_none() || read.is_empty() {
                return;
            }
            let own = self.form.with_untracked(|form| form.side(side).cloned()).unwrap_or_default();
            let before = own.sources.into_iter().filter(|source| !source.name.is_empty()).collect();
            let OpenedTexts { sources, unread } = OpenedTexts::new(before, read);
            self.unread.update(|all| {
                all.retain(|(other, _)| *other != side);
                all.extend(unread.into_iter().map(|says| (side, says)));
            });
            if !sources.is_empty() {
                self.edit(|form| form.open(side, sources));
            }
        });
    }

    /// Opens files as the template. Files that cannot be read are listed below the first side.
    pub fn open_template(self, files: Vec<PathFile>) {
        spawn_local(async move {
            let OpenedTexts { sources, unread } = OpenedTexts::new(Vec::new(), read_all(files).await);
            self.unread.try_set(unread.into_iter().map(|says| (FormSide::A, says)).collect());
            if !sources.is_empty() {
                self.edit(|form| form.template = sources);
            }
        });
    }

    /// Saves the answer as a file in `format`. A request during a comparison would end it.
    pub fn save(self, format: CollectionFormat) {
        if self.phase.with_untracked(|phase| *phase != CollectionPhase::Answered) {
            return;
        }
        let beside = [Uint8Array::from(&to_bytes(&CollectionAsk::export(format))[..])];
        local::send_request(RequestKind::Collection, &beside, move |outcome| match outcome {
            ReplyOutcome::Said(WorkerReply::Found, bytes) => {
                files::save_bytes(&bytes, &format!("collection-{}.{}", format.name(), format.extension()));
            }
            ReplyOutcome::Said(WorkerReply::Refused(failure), _) => self.unsaved.set(Some(refusal(&failure))),
            ReplyOutcome::Said(..) => {}
            ReplyOutcome::Broken(problem) => self.unsaved.set(Some(problem)),
        });
    }

    fn execute_effect(self, effect: CollectionEffect) {
        match effect {
            CollectionEffect::Wait(visit) => spawn_local(async move {
                if self.changes.debounce(SOLVE_DELAY_MS).await.is_some() {
                    self.handle_input(CollectionInput::Due(visit));
                }
            }),
            CollectionEffect::Solve { visit, max_cells } => self.solve(visit, max_cells),
            CollectionEffect::Stop => local::stop(),
            CollectionEffect::PushAddress => self.write_address(true),
            CollectionEffect::ReplaceAddress => self.write_address_soon(),
        }
    }

    fn solve(self, visit: VisitNumber, max_cells: u64) {
        let form = self.form.get_untracked();
        let (request, texts) = form.request(max_cells);
        let request = to_bytes(&CollectionAsk::Compare(request));
        let beside = [Uint8Array::from(&request[..]), Uint8Array::from(&texts[..])];
        local::send_request(RequestKind::Collection, &beside, move |outcome| {
            let input = match outcome {
                ReplyOutcome::Said(WorkerReply::Event(JobEvent::Progress(progress)), _) => CollectionInput::Progress(visit, progress),
                ReplyOutcome::Said(WorkerReply::Found, bytes) => {
                    CollectionInput::Answered(visit, Box::new(ComparedTexts::decode(form.clone(), &bytes)))
                }
                ReplyOutcome::Said(WorkerReply::Refused(failure), _) => CollectionInput::Refused(visit, failure),
                ReplyOutcome::Said(..) => return,
                ReplyOutcome::Broken(problem) => CollectionInput::Broken(visit, problem),
            };
            self.handle_input(input);
        });
    }

    /// Shows the texts and the view that the address names.
    fn open_address(self) {
        let fragment = window().location().hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        if patterns::link::search_task(fragment).is_some() {
            // The address of a search must not be overwritten.
            return self.is_unwritten.set_value(false);
        }
        let link = match link::read(fragment) {
            Ok(link) => link,
            Err(unread) => return self.handle_input(CollectionInput::Unreadable(unread.into())),
        };
        let state = history().and_then(|history| history.state().ok()).and_then(|state| state.dyn_into::<Uint8Array>().ok());
        let deflated = match (&link.packed, state) {
            (Some(letters), _) => Some(frame::deflated(letters)),
            (None, Some(state)) if link.form.is_blank() => Some(Ok(state.to_vec())),
            (None, _) => None,
        };
        let Some(deflated) = deflated else { return self.handle_input(CollectionInput::Opened(link.form, link.view)) };
        let view = link.view.clone();
        spawn_local(async move {
            let sources = match deflated {
                Ok(deflated) => inflated(&deflated).await,
                Err(unreadable) => Err(unreadable),
            };
            self.handle_input(match sources {
                Ok(sources) => CollectionInput::Opened(link.form_with(sources), view),
                Err(unreadable) => CollectionInput::Unreadable(unreadable.into()),
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
    pub fn write_pending_address(self) {
        if self.is_unwritten.try_get_value() == Some(true) {
            self.write_address(false);
        }
    }

    /// Writes the address, as a new entry of the history if `is_step`. If the texts are not deflated yet, writes it again
    /// after that.
    fn write_address(self, is_step: bool) {
        self.is_unwritten.set_value(false);
        let (form, view) = (self.form.get_untracked(), self.view.get_untracked());
        let deflated = self.deflated.get_value().filter(|deflated| form.sources().eq(&deflated.sources));
        let fragment = link::write(&form, deflated.as_ref().and_then(|deflated| deflated.letters.as_deref()), &view);
        let address = if fragment.is_empty() { COLLECTIONS.to_owned() } else { format!("{COLLECTIONS}#{fragment}") };
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
                let frame = frame::frame(form.sources());
                let Ok(bytes) = deflate::deflated(&frame).await else { return };
                let letters = frame::letters(&bytes);
                let is_short = letters.len() < MAX_FRAGMENT;
                // The address may have no room for the letters beside its other parts.
                let state = Uint8Array::from(&bytes[..]).into();
                let sources: Vec<TextSource> = form.sources().cloned().collect();
                let texts = DeflatedTexts { sources, letters: is_short.then_some(letters), state: SendWrapper::new(state) };
                let is_current = self.form.try_with_untracked(|form| form.sources().eq(&texts.sources)) == Some(true);
                self.deflated.try_set_value(Some(texts));
                if is_current {
                    self.write_address(false);
                }
            });
        }
    }

    /// Returns the address of the two-text page with two texts of the answer. Returns `None` if the texts are too long for
    /// an address.
    pub async fn pair_address(self, texts: &ComparedTexts, a: usize, b: usize) -> Option<String> {
        let mut form = FormState::new(texts.form.measure.task());
        form.options.unit = texts.form.unit;
        form.options.case_insensitive = texts.form.case_insensitive;
        form.options.ignore_whitespace = texts.form.ignore_whitespace;
        (form.a, form.b) = (FormText::typed(texts.text(a)?), FormText::typed(texts.text(b)?));
        let packed = match fragment::to_deflate(&form) {
            Some(texts) => Some(deflate::pack(texts).await),
            None => None,
        };
        fragment::address(&form, &LinkView::default(), packed.as_ref())
    }
}

/// Sets a signal only if the value differs, because setting it redraws the views that read it.
pub(super) fn show<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: &T) {
    if signal.try_with_untracked(|shown| shown != value) == Some(true) {
        signal.set(value.clone());
    }
}

pub(super) fn history() -> Option<web_sys::History> {
    window().history().ok()
}

pub(super) async fn inflated(deflated: &[u8]) -> Result<Vec<TextSource>, PackedTextsError> {
    frame::unframe(&deflate::inflated(deflated, frame::MAX_INFLATED_BYTES).await?)
}
