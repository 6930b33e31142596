//! Session of a page that solves a form: form, run, answer and view as one state machine ([`FormSession`]).
//!
//! [`FormSession::handle_input`] receives an input and returns effects. It waits for nothing. Each change of the texts or
//! options begins a new visit, and replies to older visits are ignored. The [comparison](super::comparison) of many texts
//! and the [search](super::patterns::session) for many patterns have a session each.

use std::fmt::Debug;
use std::sync::Arc;

use explain::worker_protocol::collection::{MAX_ASKED_CELLS, MAX_UNASKED_CELLS};
use kernels::event::RunProgress;
use kernels::failure::{JobFailure, large};

use super::sources::TextSource;
use crate::model::problem::Problem;

/// Number of a visit.
pub type VisitNumber = u64;

/// A form that a solver answers, with the types of the answer and of its view.
pub trait SolvedForm: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The answer to the form.
    type Answer: Clone + Debug + Send + Sync + 'static;
    /// The choices of the visitor in the view of an answer.
    type View: Clone + Debug + Default + PartialEq + Send + Sync + 'static;

    /// Returns whether the form has all texts that it needs.
    fn is_complete(&self) -> bool;

    /// Iterates over all texts of the form.
    fn sources(&self) -> impl Iterator<Item = &TextSource>;

    /// Returns whether the changed form `next` needs another run.
    fn needs_run(&self, _next: &Self) -> bool {
        true
    }

    /// Returns `answer` as the answer to this form, which needs no other run.
    fn reread(&self, answer: &Self::Answer) -> Self::Answer {
        answer.clone()
    }

    /// Removes the choices from `view` that the changed form `next` does not have.
    fn forget_choices(&self, next: &Self, view: &mut Self::View);

    /// Removes the choices from `view` that `answer` does not have.
    fn check_choices(answer: &Self::Answer, view: &mut Self::View);

    /// Returns whether a change of the view is a step of the history.
    fn is_step(_before: &Self::View, _after: &Self::View) -> bool {
        false
    }

    /// Returns the problem to show for a failure of the solver with this form.
    fn refusal(&self, failure: &JobFailure) -> Problem;
}

/// The state of the run of a form.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CollectionPhase {
    /// There are no texts, or a side has none.
    #[default]
    Blank,
    /// The solver computes the answer. `None` until it reports its progress.
    Running(Option<RunProgress>),
    /// The answer is that of the form.
    Answered,
    /// The visitor has cancelled the run.
    Cancelled,
    /// More cells are needed than are computed without being asked.
    Asking {
        cells: u64,
    },
    Failed(Problem),
}

/// An input of the session.
#[derive(Clone, Debug)]
pub enum SessionInput<F: SolvedForm> {
    /// The visitor has changed texts or options.
    Edited(F),
    /// An address was opened.
    Opened(F, F::View),
    /// An address cannot be opened.
    Unreadable(Problem),
    /// The visitor has pressed the main button.
    Run,
    Cancel,
    /// The visit waits no longer for further changes.
    Due(VisitNumber),
    Progress(VisitNumber, RunProgress),
    Answered(VisitNumber, Box<Option<F::Answer>>),
    Refused(VisitNumber, JobFailure),
    Broken(VisitNumber, Problem),
    /// The visitor has typed a number that an option cannot have. The form has the last one that it can have.
    Mistyped(Problem),
    /// The visitor has changed the view.
    Viewed(F::View),
}

/// An effect that the page executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEffect {
    /// Sends [`SessionInput::Due`] after a pause.
    Wait(VisitNumber),
    /// Solves the form, with at most `max_cells` cells.
    Solve { visit: VisitNumber, max_cells: u64 },
    /// Ends the run.
    Stop,
    /// Writes the address as a new entry of the history.
    PushAddress,
    /// Writes the address of the current entry of the history.
    ReplaceAddress,
}

/// The state of the page.
#[derive(Clone, Debug)]
pub struct FormSession<F: SolvedForm> {
    pub form: F,
    pub phase: CollectionPhase,
    /// The latest answer. It is shown until the next one replaces it.
    pub answer: Option<Arc<F::Answer>>,
    pub view: F::View,
    pub(super) visit: VisitNumber,
    /// Whether an option shows a number that the form does not have, or the answer was removed.
    is_mistyped: bool,
}

impl<F: SolvedForm> Default for FormSession<F> {
    fn default() -> Self {
        Self { form: F::default(), phase: CollectionPhase::default(), answer: None, view: F::View::default(), visit: 0, is_mistyped: false }
    }
}

impl<F: SolvedForm> FormSession<F> {
    /// Handles an input, and returns the effects to execute in their order.
    pub fn handle_input(&mut self, input: SessionInput<F>) -> Vec<SessionEffect> {
        match input {
            SessionInput::Edited(form) => self.edit(form),
            SessionInput::Opened(form, view) => {
                let is_same = form == self.form && self.phase == CollectionPhase::Answered;
                (self.form, self.view, self.is_mistyped) = (form, view, false);
                if is_same { Vec::new() } else { self.begin(Vec::new(), false) }
            }
            SessionInput::Unreadable(problem) => {
                let was_running = self.reports_progress();
                self.visit += 1;
                (self.phase, self.answer) = (CollectionPhase::Failed(problem), None);
                if was_running { vec![SessionEffect::Stop] } else { Vec::new() }
            }
            SessionInput::Run => self.solve(MAX_ASKED_CELLS),
            SessionInput::Cancel if matches!(self.phase, CollectionPhase::Running(_)) => {
                self.visit += 1;
                self.phase = CollectionPhase::Cancelled;
                vec![SessionEffect::Stop]
            }
            SessionInput::Due(visit) if visit == self.visit => self.solve(MAX_UNASKED_CELLS),
            SessionInput::Progress(visit, progress) if visit == self.visit => {
                self.phase = CollectionPhase::Running(Some(progress));
                Vec::new()
            }
            SessionInput::Answered(visit, answer) if visit == self.visit => {
                match *answer {
                    Some(answer) => {
                        F::check_choices(&answer, &mut self.view);
                        // The measure may have changed during the run.
                        self.answer = Some(Arc::new(self.form.reread(&answer)));
                        self.phase = CollectionPhase::Answered;
                    }
                    None => self.phase = CollectionPhase::Failed(Problem::not_understood()),
                }
                Vec::new()
            }
            SessionInput::Refused(visit, failure) if visit == self.visit => {
                self.phase = match failure {
                    JobFailure::TooLarge { what, got, .. } if what == large::CELLS && got <= MAX_ASKED_CELLS => {
                        CollectionPhase::Asking { cells: got }
                    }
                    failure => CollectionPhase::Failed(self.form.refusal(&failure)),
                };
                Vec::new()
            }
            SessionInput::Broken(visit, problem) if visit == self.visit => {
                self.phase = CollectionPhase::Failed(problem);
                Vec::new()
            }
            SessionInput::Mistyped(problem) => {
                let effects = if self.reports_progress() { vec![SessionEffect::Stop] } else { Vec::new() };
                self.visit += 1;
                self.phase = CollectionPhase::Failed(problem);
                self.is_mistyped = true;
                effects
            }
            SessionInput::Viewed(view) if view != self.view => {
                let is_step = F::is_step(&self.view, &view);
                self.view = view;
                vec![address(is_step)]
            }
            // Replies to an older visit, and an unchanged view.
            SessionInput::Cancel
            | SessionInput::Viewed(_)
            | SessionInput::Due(_)
            | SessionInput::Progress(..)
            | SessionInput::Answered(..)
            | SessionInput::Refused(..)
            | SessionInput::Broken(..) => Vec::new(),
        }
    }

    /// Removes the answer. The next form needs a run, also if it is the same.
    pub fn forget_answer(&mut self) {
        (self.answer, self.is_mistyped) = (None, true);
        if self.phase == CollectionPhase::Answered {
            self.phase = CollectionPhase::Blank;
        }
    }

    fn edit(&mut self, form: F) -> Vec<SessionEffect> {
        let was_mistyped = std::mem::take(&mut self.is_mistyped);
        if form == self.form && !was_mistyped {
            return Vec::new();
        }
        let needs_run = was_mistyped || self.form.needs_run(&form);
        self.form.forget_choices(&form, &mut self.view);
        // Opened texts begin a new entry of the history, because Back returns to the texts before.
        let is_new = |source: &TextSource| !source.name.is_empty() && !self.form.sources().any(|other| other.is_same_file(source));
        let is_opened = form.sources().any(is_new);
        self.form = form;
        if needs_run {
            return self.begin(vec![address(is_opened)], is_opened);
        }
        // An answer that stays during another run, or after a refused one, belongs to an older form.
        if let Some(answer) = self.answer.as_ref().filter(|_| self.phase == CollectionPhase::Answered) {
            self.answer = Some(Arc::new(self.form.reread(answer)));
        }
        vec![address(is_opened)]
    }

    /// Returns whether the solver has reported progress of the run.
    fn reports_progress(&self) -> bool {
        matches!(self.phase, CollectionPhase::Running(Some(_)))
    }

    /// Begins a new visit. `is_due` says whether the run begins at once.
    fn begin(&mut self, mut effects: Vec<SessionEffect>, is_due: bool) -> Vec<SessionEffect> {
        let was_running = self.reports_progress();
        self.visit += 1;
        if !self.form.is_complete() {
            (self.phase, self.answer) = (CollectionPhase::Blank, None);
            if was_running {
                effects.push(SessionEffect::Stop);
            }
            return effects;
        }
        self.phase = CollectionPhase::Running(None);
        if is_due {
            effects.extend(self.solve(MAX_UNASKED_CELLS));
        } else {
            effects.push(SessionEffect::Wait(self.visit));
        }
        effects
    }

    fn solve(&mut self, max_cells: u64) -> Vec<SessionEffect> {
        if !self.form.is_complete() {
            return Vec::new();
        }
        self.visit += 1;
        self.phase = CollectionPhase::Running(None);
        vec![SessionEffect::Solve { visit: self.visit, max_cells }]
    }
}

/// Returns whether the form `next`, which files changed, lacks texts that came into the form `now` after the files began to be read.
/// The form was `before` then.
pub fn replaces_new_texts<F: SolvedForm>(before: &F, now: &F, next: &F) -> bool {
    // A list of names changes the details of a text, but not its content.
    let is_in =
        |form: &F, source: &TextSource| form.sources().any(|other| other.is_same_file(source) || other.identity() == source.identity());
    now.sources().any(|source| !source.bytes.is_empty() && !is_in(before, source) && !is_in(next, source))
}

/// Returns the effect that writes the address, as a new entry of the history if `is_step`.
fn address(is_step: bool) -> SessionEffect {
    if is_step { SessionEffect::PushAddress } else { SessionEffect::ReplaceAddress }
}
