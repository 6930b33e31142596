//! State and actions of the page. Form, run and result belong to a [`Session`], a state machine without a browser.
//! [`Page::handle_input`] passes events to it, copies its state into the signals that views read, and carries out the effects
//! that it returns.
//!
//! - [`actions`]: actions on the page, whose code the first view does without
//! - `lazy_state`: state that exists from the first action on
//! - `edits`: changes of the form
//! - [`typing`]: answers by the worker while the visitor types
//! - [`server_requests`]: requests to the server, whose code is fetched when needed
//! - `navigation`: addresses that are opened
//! - [`jobs`]: jobs on the server
//! - [`offered_files`]: several files that were opened for one text
//! - [`form_page`]: a page that solves a form with many texts
//! - [`shared_form`]: its form as the share dialog sees it
//! - [`collection`]: the page that compares many texts
//! - [`patterns`]: the page that searches for many patterns
//! - `recent`: comparisons that are remembered on this device
//! - [`address_bar`]: the address, which follows the state of the page
//! - [`view_state`]: state of views that outlives them

use explain::difference_filter::EditKinds;
use explain::worker_protocol::ParsedTextInfo as Facts;
use kernels::alignment;
use kernels::job::Task;
use kernels::plan::EnginePlace;
use kernels::reading::ReadWarning;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use self::lazy_state::LazyPageState;
use crate::backend::files::archive::DroppedEntries;
use crate::backend::latest::RequestCounter;
use crate::backend::{deflate, local, now, remote, worker};
use crate::model::form::replacement::TextReplacement;
use crate::model::form::text_genre::TextGenre;
use crate::model::form::{FormSide, FormState, NextStep};
use crate::model::link::class_code::ClassCode;
use crate::model::link::link_view::{LinkView, Tab};
use crate::model::link::packed_texts::PackedTexts;
use crate::model::problem::Problem;
use crate::model::run::{RunPhase, RunState};
pub use crate::model::session::ShownResult;
use crate::model::session::{Session, SessionEffect, SessionInput, VisitNumber};
use crate::page::actions::{Action, ActionTable, PendingActionTable};

pub mod actions;
pub mod address_bar;
pub mod collection;
mod collection_files;
mod edits;
pub mod form_page;
mod history_entry;
pub mod jobs;
mod lazy_state;
mod navigation;
pub mod offered_files;
pub mod patterns;
mod recent;
mod server_requests;
pub mod shared_form;
pub mod typing;
pub mod view_state;

/// Time for which the server's offers (its engines with their speeds and limits) are reused, in milliseconds. Offers
/// change when the server measures its engines and when engines start or stop.
const OFFERS_HOLD_MS: f64 = 60_000.0;

/// Facts about the form's texts that the worker reports once it has read them: facts about each text, and about both
/// together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormFacts {
    pub a: Facts,
    pub b: Facts,
    /// Number of distinct symbols in both texts together.
    pub alphabet: u64,
    /// Warnings about how the texts were read.
    pub warnings: Vec<ReadWarning>,
}

impl FormFacts {
    pub fn side(&self, which: FormSide) -> &Facts {
        match which {
            FormSide::A => &self.a,
            FormSide::B => &self.b,
        }
    }
}

/// A handle to the page: its form, its result and all actions on them. All copies of a handle share one state.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The form. Code that changes it must perform [`Action::Changed`].
    pub form: RwSignal<FormState>,
    /// Task of the page of many texts, which has a form of its own; `None` on the page of two texts.
    pub task_of_many: RwSignal<Option<Task>>,
    /// Facts about the form's texts; `None` until the worker has read the texts.
    pub form_facts: RwSignal<Option<FormFacts>>,
    /// The run that computes the result of the form.
    pub run: RwSignal<RunState>,
    /// The latest result. It is shown until the next one replaces it, even while the form has already changed.
    pub shown: RwSignal<Option<ShownResult>>,
    /// The state of the result's views that links contain: tab, settings, projector mode.
    pub link_view: RwSignal<LinkView>,
    /// A problem other than the failure of the run.
    pub problem: RwSignal<Option<Problem>>,
    /// A remark about the form that is not a problem. It goes away when the form changes or is run.
    pub remark: RwSignal<Option<&'static str>>,
    /// A message that the connection to the server, which reports the progress of the run, is interrupted.
    pub connection: RwSignal<Option<&'static str>>,
    /// Whether the texts came from a private link. Such texts stay out of the address, even after they are edited.
    pub is_private: RwSignal<bool>,
    /// The latest class code (a short code that opens a link in class) made on this page.
    pub class_code: RwSignal<Option<ClassCode>>,
    /// Id of the server's job that computes or has computed the form; `None` for runs on this device.
    pub job: RwSignal<Option<String>>,
    /// The most recently replaced texts. Dropped when the form's texts change.
    pub replaced: RwSignal<Option<TextReplacement>>,
    /// Whether the page offers to bring back the replaced texts.
    pub is_undo_offered: RwSignal<bool>,
    /// Whether the visitor chose the unit. If so, texts do not change it automatically.
    pub has_own_unit: RwSignal<bool>,
    /// The kind of text that led to an automatically chosen unit; `None` if the texts suit characters.
    pub reason: RwSignal<Option<TextGenre>>,
    /// Kinds of edits that the alignment lists and steps through.
    pub kinds: RwSignal<EditKinds>,
    /// The half-open range of alignment columns that are in view, for export as a picture.
    pub in_view: StoredValue<Option<(u64, u64)>>,
    /// Whether the current view hides the answer because the visitor is to find it step by step. `None` until such a
    /// view has been drawn.
    pub hides_answer: RwSignal<Option<bool>>,
    /// The text and the position of the symbol that the alignment is to scroll to next.
    pub goal: RwSignal<Option<(alignment::PairSide, u64)>>,
    /// Time in milliseconds since the page was loaded, updated four times a second while a run is in progress.
    pub now: RwSignal<f64>,
    /// The server's offers (its engines with their speeds and limits) as it sent them, and the time of their request in
    /// milliseconds since the page was loaded; `None` before the first request.
    pub offers: StoredValue<Option<(String, f64)>>,
    /// Files that were opened at once for text `a` or `b`, of which the visitor has to choose one.
    pub offered_files: [RwSignal<Option<SendWrapper<DroppedEntries>>>; 2],
    /// Number of files that are being opened, and whether the visitor pressed the main button while they were opening.
    opening: RwSignal<(u32, bool)>,
    /// Counters of the files that were opened for texts `a` and `b`. Of two files for one text the later one wins,
    /// however long the earlier one takes to read.
    file_counters: [RequestCounter; 2],
    press: StoredValue<typing::EarlyPress>,
    /// The functions of [`actions`], once their code is loaded.
    action_table: RwSignal<Option<&'static ActionTable>>,
    /// Starts to load the code of [`actions`].
    load: fn() -> PendingActionTable,
    lazy_state: StoredValue<Option<LazyPageState>>,
    /// State of the attempts to receive the events of the run: the number of the latest one and how many failed.
    retries: StoredValue<jobs::RetryState>,
    /// Counter of delayed updates of the address, so that only the latest one writes it.
    changes: RequestCounter,
    /// Whether the state of the page has changed since the address was written.
    is_unwritten: StoredValue<bool>,
    /// The address when the visitor began to leave the page, which a reload uses.
    left_address: StoredValue<Option<String>>,
    /// Whether the next address becomes a new entry of the history instead of replacing the current entry.
    starts_history_entry: StoredValue<bool>,
    /// Time that identifies this comparison in the list of remembered comparisons
    /// ([`RecentComparison::stretch`](crate::model::recent::RecentComparison::stretch)); 0 if it is not in the list.
    stretch: StoredValue<u64>,
    /// Counter of answers that are about to be remembered, so that only the latest one is stored.
    answers: RequestCounter,
    /// Whether the timer that updates `now` is running.
    ticking: StoredValue<bool>,
    /// Downloads the views of a task's result, whose code is not part of the first download.
    prepare: fn(Task),
}

impl Page {
    /// Returns the task that the header marks.
    pub fn marked_task(self) -> Task {
        self.task_of_many.get().unwrap_or_else(|| self.form.with(|form| form.task))
    }

    /// Creates a page with `form`. `load` downloads the code of [`actions`]. `prepare` downloads the views of a task's
    /// result and is called when the visitor is about to need them.
    pub fn new(form: FormState, load: fn() -> PendingActionTable, prepare: fn(Task)) -> Self {
        Self {
            action_table: RwSignal::new(None),
            load,
            lazy_state: StoredValue::new(None),
            retries: StoredValue::new(jobs::RetryState::default()),
            changes: RequestCounter::new(),
            is_unwritten: StoredValue::new(false),
            left_address: StoredValue::new(None),
            starts_history_entry: StoredValue::new(false),
            stretch: StoredValue::new(0),
            answers: RequestCounter::new(),
            ticking: StoredValue::new(false),
            file_counters: [RequestCounter::new(), RequestCounter::new()],
            form: RwSignal::new(form),
            form_facts: RwSignal::new(None),
            run: RwSignal::new(RunState::default()),
            shown: RwSignal::new(None),
            link_view: RwSignal::new(LinkView::default()),
            problem: RwSignal::new(None),
            remark: RwSignal::new(None),
            connection: RwSignal::new(None),
            is_private: RwSignal::new(false),
            class_code: RwSignal::new(None),
            job: RwSignal::new(None),
            replaced: RwSignal::new(None),
            is_undo_offered: RwSignal::new(false),
            has_own_unit: RwSignal::new(false),
            reason: RwSignal::new(None),
            kinds: RwSignal::new(EditKinds::ALL),
            in_view: StoredValue::new(None),
            task_of_many: RwSignal::new(None),
            hides_answer: RwSignal::new(None),
            goal: RwSignal::new(None),
            now: RwSignal::new(0.0),
            offers: StoredValue::new(None),
            offered_files: [RwSignal::new(None), RwSignal::new(None)],
            opening: RwSignal::new((0, false)),
            press: StoredValue::new(typing::EarlyPress::default()),
            prepare,
        }
    }

    /// Returns whether the answer must not be shown outside of the current view, because the visitor is to find it
    /// there.
    ///
    /// Until the view is loaded, this follows from the address.
    pub fn is_answer_hidden(self) -> bool {
        self.hides_answer.get().unwrap_or_else(|| self.link_view.with(LinkView::hides_answer))
    }

    /// Passes an event to the session, copies the session's state into the signals and carries out its effects.
    pub(crate) fn handle_input(self, input: SessionInput) {
        let LazyPageState { session, packed, .. } = self.lazy_state();
        let Some(effects) = session.try_update_value(|session| session.handle_input(input, now())) else { return };
        let before = self.shown.with_untracked(|shown| shown.as_ref().map(|shown| shown.serial));
        session.with_value(|session| {
            show(self.form, &session.form);
            show(self.run, &session.run);
            show(self.shown, &session.shown);
            show(self.job, &session.job().map(str::to_owned));
            show(packed, &session.packed);
        });
        if self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|shown| Some(shown.serial) != before)) {
            self.remember_soon();
        }
        effects.into_iter().for_each(|effect| self.execute_effect(effect));
    }

    /// Returns the signal with the texts that were most recently deflated for an address.
    pub(crate) fn packed(self) -> RwSignal<Option<PackedTexts>> {
        self.lazy_state().packed
    }

    /// Returns the number of the current visit (an action in progress, such as opening an address). Returns `None`
    /// after the page is disposed of.
    pub(crate) fn visit(self) -> Option<VisitNumber> {
        self.lazy_state().session.try_with_value(Session::visit)
    }

    /// Returns whether `visit` is still the current one. The outcome of a request for an earlier visit is ignored.
    pub(crate) fn is_at(self, visit: VisitNumber) -> bool {
        self.visit() == Some(visit)
    }

    fn execute_effect(self, effect: SessionEffect) {
        match effect {
            SessionEffect::AnswerSoon(visit) => self.answer_soon(visit),
            SessionEffect::Measure(visit) => self.measure(visit),
            SessionEffect::Request(visit, request) => self.dispatch_request(visit, request),
            SessionEffect::GoToJob(id) => address_bar::push(&format!("/j/{id}")),
            SessionEffect::Detach => self.detach(),
            SessionEffect::StopSolver => local::stop(),
            SessionEffect::Deflate(texts) => {
                spawn_local(async move { self.handle_input(SessionInput::Deflated(deflate::pack(texts).await)) })
            }
            SessionEffect::WriteAddress => self.write_address(),
            SessionEffect::Say(problem) => self.problem.set(problem),
        }
    }

    /// Returns the latest class code (a short code that opens a link in class), if its link has the texts of the form.
    pub fn class_code_of_form(self) -> Option<ClassCode> {
        self.class_code.with(|code| code.as_ref().filter(|code| self.form.with(|form| code.matches_form(form))).cloned())
    }

    /// Removes the class code (a short code that opens a link) from the header. Called after the link with the path
    /// `place`, which the code opens, was deleted.
    pub fn drop_class_code(self, place: &str) {
        if self.class_code.with_untracked(|code| code.as_ref().is_some_and(|code| code.result_path == place)) {
            self.class_code.set(None);
        }
    }

    /// Starts the solver and loads the views of a result, because the visitor is about to need them.
    pub fn warm_up(self) {
        worker::start_early();
        (self.prepare)(self.form.with_untracked(|form| form.task));
        self.load_actions();
    }

    /// Handles a form that was changed or that came with an address. Unlike [`Action::Changed`], keeps the positions
    /// (such as the selected hit) in the result.
    fn handle_form_change(self) {
        if self.form.with_untracked(|form| form.a.is_blank() && form.b.is_blank()) {
            self.is_private.set(false);
        }
        let is_other = self.lazy_state().session.with_value(|session| self.form.with_untracked(|form| form.is_other_than(&session.form)));
        if is_other {
            self.leave_texts();
        }
        self.leave_job();
        self.plan_form();
        self.write_address_soon();
    }

    /// Reads the texts of the form, plans the run, and starts it if it is short.
    fn plan_form(self) {
        self.remark.set(None);
        let form = self.form.get_untracked();
        let next = form.next();
        if next != NextStep::Nothing {
            (self.prepare)(form.task);
        }
        self.forget_press(next != NextStep::Nothing);
        if next != NextStep::Read || form.is_to_fetch() {
            self.form_facts.set(None);
        }
        self.handle_input(SessionInput::Edited(form));
    }

    /// Starts the run of the form, because the main button was pressed. If the texts are not yet read or planned, the
    /// run starts as soon as its plan is made.
    fn start(self) {
        if self.opening.with_untracked(|(files, _)| *files > 0) {
            return self.opening.update(|(_, pressed)| *pressed = true);
        }
        if self.press_early() || self.run.with_untracked(RunState::is_under_way) {
            return;
        }
        self.problem.set(None);
        self.remark.set(None);
        let place = self.run.with_untracked(|run| run.plan.as_ref().map(|plan| plan.place));
        match (self.form.with_untracked(FormState::next), place) {
            (NextStep::Nothing, _) => {}
            (NextStep::Read, None) => self.start_unplanned(),
            (NextStep::Read, Some(EnginePlace::Browser)) => self.answer_now(explain::worker_protocol::SolveCondition::Always),
            _ => self.run_on_server(),
        }
    }

    /// Switches projector mode, which has large type and few controls, on or off.
    pub fn toggle_projector(self) {
        self.link_view.update(|look| look.projector = !look.projector);
        self.dispatch(Action::WriteAddressSoon);
    }

    /// Shows the tab with the alignment and scrolls to the symbol at `position` of text `side`. Called from other tabs.
    pub fn show_in_alignment(self, side: alignment::PairSide, position: u64) {
        self.dispatch(Action::LookAt(Tab::Found));
        self.goal.set(Some((side, position)));
    }

    /// Stores the setting `name` of a tab in the address; `None` removes it.
    pub fn remember(self, name: &str, value: Option<String>) {
        if self.link_view.with_untracked(|look| look.detail(name).map(str::to_owned) != value) {
            self.link_view.update(|look| look.set_detail(name, value));
            self.dispatch(Action::WriteAddressSoon);
        }
    }

    /// Returns the current problem, if any: a problem of the page or the failure of the run.
    pub fn trouble(self) -> Option<Problem> {
        let is_shown = self.shown.with(Option::is_some);
        let problem = self.problem.get().map(|problem| if is_shown && problem.is_of_network() { Problem::not_fetched() } else { problem });
        problem.or_else(|| {
            self.run.with(|run| match &run.phase {
                RunPhase::Failed(failure) => self.action_table.get_untracked().map(|acts| (acts.of_failure)(failure)),
                _ => None,
            })
        })
    }

    /// Returns whether the server's offers are recent enough to be reused.
    fn has_offers(self) -> bool {
        self.offers.with_value(|offers| offers.as_ref().is_some_and(|(_, asked)| now() - asked < OFFERS_HOLD_MS))
    }

    /// Requests the server's offers if the known ones are too old. If the server does not answer, no offers are stored,
    /// and the next call requests them again.
    async fn server_offers(self) -> Result<(), Problem> {
        if !self.has_offers() {
            self.offers.set_value(Some((remote::offers().await?, now())));
        }
        Ok(())
    }

    /// Returns the latest offers of the server, however old; empty before the first request.
    fn known_offers(self) -> String {
        self.offers.with_value(|offers| offers.as_ref().map(|(told, _)| told.clone()).unwrap_or_default())
    }
}

/// Sets a signal only if the value differs, because setting it redraws the views that read it.
fn show<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: &T) {
    if signal.try_with_untracked(|shown| shown != value) == Some(true) {
        signal.set(value.clone());
    }
}
