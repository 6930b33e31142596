//! A page that solves a form with many texts ([`FormPage`]): executes the effects of its session.
//!
//! - `addresses`: how addresses are opened, and how they follow the form

use std::fmt::Debug;
use std::sync::Arc;

use explain::collection::CollectionFormat;
use explain::worker_protocol::{RequestKind, WorkerReply};
use js_sys::Uint8Array;
use kernels::event::JobEvent;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsValue;

use super::history_entry::{address_of, history, sealed_fragment};
use crate::backend::deflate;
use crate::backend::files;
use crate::backend::latest::RequestCounter;
use crate::backend::local::{self, ReplyOutcome};
use crate::model::collection::frame;
use crate::model::collection::session::{CollectionPhase, FormSession, SessionEffect, SessionInput, SolvedForm, VisitNumber};
use crate::model::collection::sources::TextSource;
use crate::model::link::fragment::FragmentError;
use crate::model::link::seal;
use crate::model::problem::Problem;
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;

mod addresses;

/// The future of a value that the share dialog waits for.
pub type Pending<T> = std::pin::Pin<Box<dyn Future<Output = T>>>;

/// Pause in changes after which the form is solved, in milliseconds.
const SOLVE_DELAY_MS: i32 = 300;

/// A form that a [`FormPage`] sends to the solver and writes into its address.
pub trait PageForm: SolvedForm {
    /// The kind of the requests to the solver.
    const REQUESTS: RequestKind;
    /// Start of the names of saved files.
    const FILE_NAME: &'static str;

    /// Encodes the request to solve the form with at most `max_cells` cells, and joins the bytes of all texts.
    ///
    /// # Errors
    /// Returns the problem of a form that cannot be sent.
    fn request(&self, max_cells: u64) -> Result<[Vec<u8>; 2], Problem>;

    /// Decodes the answer to the form. Returns `None` if the reply is not understood.
    fn decode(self, reply: &[u8]) -> Option<Self::Answer>;

    /// Encodes the request for the answer as a file in `format`, as `view` shows it.
    fn export(format: CollectionFormat, view: &Self::View) -> Vec<u8>;

    /// Returns whether `fragment` is an address of this page. The page must not overwrite other addresses.
    fn is_address(fragment: &str) -> bool;

    /// Parses a fragment without its `#`.
    ///
    /// # Errors
    /// Returns an error if a name has an invalid value.
    fn read(fragment: &str) -> Result<FormAddress<Self>, FragmentError>;

    /// Writes the fragment of the form and its view. `packed` are the letters of the texts, if they were deflated.
    fn write(&self, packed: Option<&str>, view: &Self::View) -> String;

    /// Writes the fragment of the form and its view without the texts.
    fn write_without_texts(&self, view: &Self::View) -> String;

    /// Returns whether the texts must be deflated for an address.
    fn needs_deflating(&self) -> bool;
}

/// Texts of a private link, by which the page was opened. They stay out of the address, also if they are edited: the entry of the
/// history has them then. Files and examples that replace them are written into the address.
#[derive(Clone, Debug)]
struct SealedTexts {
    /// The name of the link in addresses: its id, a dot, and the key. Empty if the link was deleted before the page was opened.
    place: String,
    is_deleted: bool,
    /// The texts of the link. `None` if only edited texts are known, which the history had.
    sources: Option<Vec<TextSource>>,
}

impl SealedTexts {
    /// Returns the name of the link in new addresses, which is empty if the link was deleted.
    fn written_place(&self) -> &str {
        if self.is_deleted { "" } else { &self.place }
    }

    /// Returns whether the link has the texts of `form`.
    fn has_texts_of<F: PageForm>(&self, form: &F) -> bool {
        !self.is_deleted && self.sources.as_ref().is_some_and(|sources| form.sources().eq(sources))
    }
}

/// Texts of which the server has stored an encrypted copy.
#[derive(Clone, Debug)]
struct StoredTexts {
    /// The id of the private link.
    id: String,
    is_deleted: bool,
    sources: Vec<TextSource>,
}

/// The future bytes to encrypt for a private link, and the function that is called with the id and the key of the stored bytes.
/// The function returns the link, or `None` if the page has other texts by then.
pub type FormToSeal = (Pending<Result<Vec<u8>, Problem>>, Box<dyn FnOnce(&str, &str) -> Option<String>>);

/// A form and its view, as an address has them.
pub struct FormAddress<F: SolvedForm> {
    /// The form. Its texts are missing if they are deflated.
    pub form: F,
    pub view: F::View,
    /// Letters that encode the deflated texts.
    pub packed: Option<String>,
    /// Whether the form has no texts.
    pub has_no_texts: bool,
    /// Gives the form the inflated texts.
    pub fill: Box<dyn FnOnce(Vec<TextSource>) -> F>,
}

/// The deflated texts of an address.
#[derive(Clone, Debug)]
struct DeflatedTexts {
    sources: Vec<TextSource>,
    /// The letters that encode the texts in an address.
    letters: Option<String>,
    /// The same bytes for the history of the browser, because the letters may be too long for an address.
    state: SendWrapper<JsValue>,
}

/// A handle to a page that solves a form. All copies share one state.
#[derive(Debug)]
pub struct FormPage<F: PageForm> {
    session: StoredValue<FormSession<F>>,
    pub form: RwSignal<F>,
    pub phase: RwSignal<CollectionPhase>,
    pub answer: RwSignal<Option<Arc<F::Answer>>>,
    pub view: RwSignal<F::View>,
    /// The reason why a file was not saved.
    pub unsaved: RwSignal<Option<Problem>>,
    /// Whether the server stores the texts for a private link that was made here. `Some(false)` if the link was deleted, `None`
    /// if none was made.
    pub is_stored: Memo<Option<bool>>,
    stored: RwSignal<Vec<StoredTexts>>,
    deflated: StoredValue<Option<DeflatedTexts>>,
    sealed: StoredValue<Option<SealedTexts>>,
    /// Counter of delayed runs.
    changes: RequestCounter,
    /// Counter of delayed addresses.
    addresses: RequestCounter,
    /// Counter of opened addresses. Texts of the visitor make an address that is being opened outdated.
    openings: RequestCounter,
    is_unwritten: StoredValue<bool>,
    /// Time at which the visitor began to leave the page, in milliseconds since it was loaded.
    left_at: StoredValue<Option<f64>>,
    /// Whether the texts of the address were not opened, so that no other address must replace it.
    is_unopened: StoredValue<bool>,
}

impl<F: PageForm> Clone for FormPage<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: PageForm> Copy for FormPage<F> {}

impl<F: PageForm> FormPage<F> {
    pub fn new() -> Self {
        let (form, stored) = (RwSignal::<F>::default(), RwSignal::<Vec<StoredTexts>>::default());
        let is_stored = Memo::new(move |_| {
            form.with(|form| {
                stored
                    .with(|stored| stored.iter().filter(|stored| form.sources().eq(&stored.sources)).map(|stored| !stored.is_deleted).max())
            })
        });
        Self {
            session: StoredValue::new(FormSession::default()),
            form,
            phase: RwSignal::default(),
            answer: RwSignal::new(None),
            view: RwSignal::default(),
            unsaved: RwSignal::new(None),
            is_stored,
            stored,
            deflated: StoredValue::new(None),
            sealed: StoredValue::new(None),
            changes: RequestCounter::new(),
            addresses: RequestCounter::new(),
            openings: RequestCounter::new(),
            is_unwritten: StoredValue::new(false),
            left_at: StoredValue::new(None),
            is_unopened: StoredValue::new(false),
        }
    }

    /// Opens the address, and follows the history until the view is removed.
    pub fn begin(self) {
        self.open_address();
        let back = window_event_listener(ev::popstate, move |_| self.open_address());
        let leaving = window_event_listener(ev::beforeunload, move |_| self.keep_pending_address());
        // For browsers that do not announce this before.
        let left = window_event_listener(ev::pagehide, move |_| self.write_pending_address());
        on_cleanup(move || {
            self.write_pending_address();
            back.remove();
            leaving.remove();
            left.remove();
        });
    }

    /// Replaces the form by one without texts of before.
    pub fn replace(self, form: F) {
        // The texts of before are still private.
        self.write_pending_address();
        self.forget_sealed();
        self.handle_input(SessionInput::Edited(form));
    }

    /// Changes the form by a button that removes texts. Without any text, there is no private link either.
    pub fn clear(self, change: impl FnOnce(&mut F)) {
        let mut form = self.form.get_untracked();
        change(&mut form);
        let has_texts = form.sources().any(|source| !source.bytes.is_empty());
        if has_texts { self.handle_input(SessionInput::Edited(form)) } else { self.replace(form) }
    }

    /// Changes the form by opened files.
    pub fn edit_by_files(self, form: F) {
        let has_sealed = self.sealed.with_value(|sealed| {
            let is_of = |source: &TextSource| {
                sealed.iter().filter_map(|sealed| sealed.sources.as_ref()).flatten().any(|own| own.bytes == source.bytes)
            };
            // Typed text may be an edited text of the link.
            form.sources().any(|source| !source.bytes.is_empty() && (source.name.is_empty() || is_of(source)))
        });
        if has_sealed { self.handle_input(SessionInput::Edited(form)) } else { self.replace(form) }
    }

    /// Forgets the private link, and its answer, whose texts are not for an address.
    fn forget_sealed(self) {
        if self.is_private() {
            self.sealed.set_value(None);
            self.session.update_value(FormSession::forget_answer);
        }
    }

    /// Returns whether the texts came from a private link, also if they were edited.
    pub fn is_private(self) -> bool {
        self.sealed.with_value(Option::is_some)
    }

    /// Returns the private link by which the page was opened, if the page has its texts.
    pub fn opened_link(self) -> Option<String> {
        let sealed = self.sealed.get_value()?;
        let is_current = self.form.with_untracked(|form| sealed.has_texts_of(form));
        is_current.then(|| address_of(&sealed_fragment(&sealed.place, &self.written_without_texts())))
    }

    /// Forgets that there is a private link with an id, which was deleted.
    pub fn forget_link(self, id: &str) {
        self.stored.update(|all| all.iter_mut().filter(|stored| stored.id == id).for_each(|stored| stored.is_deleted = true));
        let is_sealed = |sealed: &SealedTexts| sealed.place.split('.').next() == Some(id);
        if self.sealed.with_value(|sealed| sealed.as_ref().is_some_and(is_sealed)) {
            self.sealed.update_value(|sealed| sealed.iter_mut().for_each(|sealed| sealed.is_deleted = true));
            self.write_address(false);
        }
    }

    fn written_without_texts(self) -> String {
        self.form.with_untracked(|form| self.view.with_untracked(|view| form.write_without_texts(view)))
    }

    /// Returns the path and fragment of a link that contains the texts. Returns `None` if they are too long, or if this browser
    /// cannot deflate them.
    pub async fn text_link(self) -> Option<String> {
        let (form, view) = (self.form.get_untracked(), self.view.get_untracked());
        let letters = match form.needs_deflating() {
            true => Some(frame::letters(&deflate::deflated(&frame::frame(form.sources())).await.ok()?)),
            false => None,
        };
        let fragment = form.write(letters.as_deref(), &view);
        let written = F::read(&fragment).ok()?;
        (written.packed.is_some() || !written.has_no_texts).then(|| address_of(&fragment))
    }

    /// Begins a private link to the texts. The bytes are a problem if the texts are too large to open them again, or if this
    /// browser cannot deflate them.
    pub fn seal(self) -> FormToSeal {
        let sources: Vec<TextSource> = self.form.with_untracked(|form| form.sources().cloned().collect());
        let rest = self.written_without_texts();
        let framed = frame::frame(sources.iter());
        let content = async move {
            if framed.len() as u64 > frame::MAX_INFLATED_BYTES {
                let most = humanize::bytes(frame::MAX_INFLATED_BYTES);
                let detail = tr!("A private link has room for {most}. Send the files instead.", most = most);
                return Err(Problem::new("upload-too-large", t("The texts are too large for a private link"), detail));
            }
            let deflated = deflate::deflated(&framed).await.map_err(Problem::from)?;
            Ok(seal::write_many(&deflated))
        };
        let made = move |id: &str, key: &str| {
            let is_current = self.form.try_with_untracked(|form| form.sources().eq(&sources)) == Some(true);
            self.stored.try_update(|stored| stored.push(StoredTexts { id: id.to_owned(), is_deleted: false, sources }));
            is_current.then(|| address_of(&sealed_fragment(&format!("{id}.{key}"), &rest)))
        };
        (Box::pin(content), Box::new(made))
    }

    /// Shows `form` in the current entry of the history.
    pub fn open_form(self, form: F) {
        self.is_unopened.set_value(false);
        self.handle_input(SessionInput::Opened(form, F::View::default()));
        self.write_address_soon();
    }

    /// Replaces the fragment of the address, which the page has read already.
    pub fn replace_fragment(self, fragment: &str) {
        if let Some(history) = history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address_of(fragment)));
        }
    }

    /// Passes an input to the session, copies the state of the session into the signals, and executes the effects.
    pub fn handle_input(self, input: SessionInput<F>) {
        if let SessionInput::Edited(form) = &input
            && !self.form.with_untracked(|shown| has_same_texts(shown, form))
        {
            self.openings.begin();
            self.is_unopened.set_value(false);
        }
        let Some(effects) = self.session.try_update_value(|session| session.handle_input(input)) else { return };
        if effects.contains(&SessionEffect::PushAddress) {
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
    pub fn edit(self, change: impl FnOnce(&mut F)) {
        let mut form = self.form.get_untracked();
        change(&mut form);
        self.handle_input(SessionInput::Edited(form));
    }

    /// Changes the view of the answer.
    pub fn look(self, change: impl FnOnce(&mut F::View)) {
        let mut view = self.view.get_untracked();
        change(&mut view);
        self.handle_input(SessionInput::Viewed(view));
    }

    /// Returns whether the solver has the answer to the form. A request during a run would end the run.
    pub fn is_answered(self) -> bool {
        self.phase.with_untracked(|phase| *phase == CollectionPhase::Answered)
    }

    /// Saves the answer as a file in `format`, unless a run is in progress.
    pub fn save(self, format: CollectionFormat) {
        if !self.is_answered() {
            return;
        }
        let request = self.view.with_untracked(|view| F::export(format, view));
        local::send_request(F::REQUESTS, &[Uint8Array::from(&request[..])], move |outcome| match outcome {
            ReplyOutcome::Said(WorkerReply::Found, bytes) => {
                files::save_bytes(&bytes, &format!("{}-{}.{}", F::FILE_NAME, format.name(), format.extension()));
            }
            ReplyOutcome::Said(WorkerReply::Refused(failure), _) => {
                self.unsaved.set(Some(self.form.with_untracked(|form| form.refusal(&failure))));
            }
            ReplyOutcome::Said(..) => {}
            ReplyOutcome::Broken(problem) => self.unsaved.set(Some(problem)),
        });
    }

    fn execute_effect(self, effect: SessionEffect) {
        match effect {
            SessionEffect::Wait(visit) => spawn_local(async move {
                if self.changes.debounce(SOLVE_DELAY_MS).await.is_some() {
                    self.handle_input(SessionInput::Due(visit));
                }
            }),
            SessionEffect::Solve { visit, max_cells } => self.solve(visit, max_cells),
            SessionEffect::Stop => local::stop(),
            SessionEffect::PushAddress => self.write_address(true),
            SessionEffect::ReplaceAddress => self.write_address_soon(),
        }
    }

    fn solve(self, visit: VisitNumber, max_cells: u64) {
        let form = self.form.get_untracked();
        let request = match form.request(max_cells) {
            Ok(request) => request,
            Err(problem) => return self.handle_input(SessionInput::Broken(visit, problem)),
        };
        let beside = request.map(|part| Uint8Array::from(&part[..]));
        local::send_request(F::REQUESTS, &beside, move |outcome| {
            let input = match outcome {
                ReplyOutcome::Said(WorkerReply::Event(JobEvent::Progress(progress)), _) => SessionInput::Progress(visit, progress),
                ReplyOutcome::Said(WorkerReply::Found, bytes) => SessionInput::Answered(visit, Box::new(form.clone().decode(&bytes))),
                ReplyOutcome::Said(WorkerReply::Refused(failure), _) => SessionInput::Refused(visit, failure),
                ReplyOutcome::Said(..) => return,
                ReplyOutcome::Broken(problem) => SessionInput::Broken(visit, problem),
            };
            self.handle_input(input);
        });
    }
}

fn has_same_texts<F: PageForm>(one: &F, other: &F) -> bool {
    let has_text = |source: &&TextSource| !source.bytes.is_empty();
    one.sources().filter(has_text).eq(other.sources().filter(has_text))
}

/// Sets a signal only if the value differs, because setting it redraws the views that read it.
fn show<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: &T) {
    if signal.try_with_untracked(|shown| shown != value) == Some(true) {
        signal.set(value.clone());
    }
}
