//! Session of the page of a collection: form, run, answer and view as one state machine ([`CollectionSession`]).
//!
//! [`CollectionSession::handle_input`] receives an input and returns effects. It waits for nothing. Each change of the
//! texts or options begins a new visit, and replies to older visits are ignored.

use std::sync::Arc;

use explain::worker_protocol::collection::{MAX_ASKED_CELLS, MAX_UNASKED_CELLS};
use kernels::event::RunProgress;
use kernels::failure::{JobFailure, large};

use super::answer::ComparedTexts;
use super::choices::CollectionView;
use super::form::CollectionForm;
use super::sources::TextSource;
use crate::model::problem::Problem;

/// Number of a visit.
pub type VisitNumber = u64;

/// The state of the comparison of the form.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CollectionPhase {
    /// There are no texts, or a side has none.
    #[default]
    Blank,
    /// The solver compares the texts. `None` until it reports its progress.
    Running(Option<RunProgress>),
    /// The answer is that of the form.
    Answered,
    /// The visitor has stopped the comparison.
    Cancelled,
    /// More cells are needed than are computed without being asked.
    Asking {
        cells: u64,
    },
    Failed(Problem),
}

/// An input of the session.
#[derive(Clone, Debug)]
pub enum CollectionInput {
    /// The visitor has changed texts or options.
    Edited(CollectionForm),
    /// An address was opened.
    Opened(CollectionForm, CollectionView),
    /// An address cannot be opened.
    Unreadable(Problem),
    /// The visitor has pressed the main button.
    Run,
    Cancel,
    /// The visit waits no longer for further changes.
    Due(VisitNumber),
    Progress(VisitNumber, RunProgress),
    Answered(VisitNumber, Box<Option<ComparedTexts>>),
    Refused(VisitNumber, JobFailure),
    Broken(VisitNumber, Problem),
    /// The visitor has changed the view.
    Viewed(CollectionView),
}

/// An effect that the page executes.
#[derive(Clone, Debug, PartialEq)]
pub enum CollectionEffect {
    /// Sends [`CollectionInput::Due`] after a pause.
    Wait(VisitNumber),
    /// Compares the form, with at most `max_cells` cells.
    Solve { visit: VisitNumber, max_cells: u64 },
    /// Ends the comparison.
    Stop,
    /// Writes the address as a new entry of the history.
    PushAddress,
    /// Writes the address of the current entry of the history.
    ReplaceAddress,
}

/// The state of the page.
#[derive(Clone, Debug, Default)]
pub struct CollectionSession {
    pub form: CollectionForm,
    pub phase: CollectionPhase,
    /// The latest answer. It is shown until the next one replaces it.
    pub answer: Option<Arc<ComparedTexts>>,
    pub view: CollectionView,
    visit: VisitNumber,
}

impl CollectionSession {
    /// Handles an input, and returns the effects to execute in their order.
    pub fn handle_input(&mut self, input: CollectionInput) -> Vec<CollectionEffect> {
        match input {
            CollectionInput::Edited(form) => self.edit(form),
            CollectionInput::Opened(form, view) => {
                let is_same = form == self.form && self.phase == CollectionPhase::Answered;
                self.view = view;
                self.form = form;
                if is_same { Vec::new() } else { self.begin(Vec::new(), false) }
            }
            CollectionInput::Unreadable(problem) => {
                let was_running = matches!(self.phase, CollectionPhase::Running(Some(_)));
                self.visit += 1;
                (self.phase, self.answer) = (CollectionPhase::Failed(problem), None);
                if was_running { vec![CollectionEffect::Stop] } else { Vec::new() }
            }
            CollectionInput::Run => self.solve(MAX_ASKED_CELLS),
            CollectionInput::Cancel if matches!(self.phase, CollectionPhase::Running(_)) => {
                self.visit += 1;
                self.phase = CollectionPhase::Cancelled;
                vec![CollectionEffect::Stop]
            }
            CollectionInput::Due(visit) if visit == self.visit => self.solve(MAX_UNASKED_CELLS),
            CollectionInput::Progress(visit, progress) if visit == self.visit => {
                self.phase = CollectionPhase::Running(Some(progress));
                Vec::new()
            }
            CollectionInput::Answered(visit, answer) if visit == self.visit => {
                match *answer {
                    Some(answer) => {
                        self.view.chosen = self.view.chosen.filter(|chosen| answer.pair_at(*chosen).is_some());
                        self.answer = Some(Arc::new(answer));
                        self.phase = CollectionPhase::Answered;
                    }
                    None => self.phase = CollectionPhase::Failed(Problem::not_understood()),
                }
                Vec::new()
            }
            CollectionInput::Refused(visit, failure) if visit == self.visit => {
                self.phase = match failure {
                    JobFailure::TooLarge { what, got, .. } if what == large::CELLS && got <= MAX_ASKED_CELLS => {
                        CollectionPhase::Asking { cells: got }
                    }
                    failure => CollectionPhase::Failed(super::sentences::refusal(&failure)),
                };
                Vec::new()
            }
            CollectionInput::Broken(visit, problem) if visit == self.visit => {
                self.phase = CollectionPhase::Failed(problem);
                Vec::new()
            }
            CollectionInput::Viewed(view) => {
                let is_step = view.tab != self.view.tab;
                if view == self.view {
                    return Vec::new();
                }
                self.view = view;
                vec![if is_step { CollectionEffect::PushAddress } else { CollectionEffect::ReplaceAddress }]
            }
            // Replies to an older visit.
            CollectionInput::Cancel
            | CollectionInput::Due(_)
            | CollectionInput::Progress(..)
            | CollectionInput::Answered(..)
            | CollectionInput::Refused(..)
            | CollectionInput::Broken(..) => Vec::new(),
        }
    }

    fn edit(&mut self, form: CollectionForm) -> Vec<CollectionEffect> {
        if form == self.form {
            return Vec::new();
        }
        let is_other = self.form.needs_other_scores(&form);
        if self.form.a != form.a || self.form.b != form.b {
            self.view.chosen = None;
        }
        if self.form.measure != form.measure {
            self.view.threshold = None;
        }
        // Opened texts begin a new entry of the history, because Back returns to the texts before.
        let is_new = |source: &TextSource| !source.name.is_empty() && !self.form.sources().any(|other| other == source);
        let is_opened = form.sources().any(is_new);
        let address = if is_opened { CollectionEffect::PushAddress } else { CollectionEffect::ReplaceAddress };
        self.form = form;
        if is_other {
            return self.begin(vec![address], is_opened);
        }
        // The scores are the same, and the answer is read by another measure.
        if let Some(answer) = &self.answer {
            self.answer = Some(Arc::new(answer.with_form(self.form.clone())));
        }
        vec![address]
    }

    /// Begins a new visit. `is_due` says whether the comparison begins at once.
    fn begin(&mut self, mut effects: Vec<CollectionEffect>, is_due: bool) -> Vec<CollectionEffect> {
        let was_running = matches!(self.phase, CollectionPhase::Running(Some(_)));
        self.visit += 1;
        if !self.form.is_complete() {
            (self.phase, self.answer) = (CollectionPhase::Blank, None);
            if was_running {
                effects.push(CollectionEffect::Stop);
            }
            return effects;
        }
        self.phase = CollectionPhase::Running(None);
        if is_due {
            effects.extend(self.solve(MAX_UNASKED_CELLS));
        } else {
            effects.push(CollectionEffect::Wait(self.visit));
        }
        effects
    }

    fn solve(&mut self, max_cells: u64) -> Vec<CollectionEffect> {
        if !self.form.is_complete() {
            return Vec::new();
        }
        self.visit += 1;
        self.phase = CollectionPhase::Running(None);
        vec![CollectionEffect::Solve { visit: self.visit, max_cells }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::compared;
    use super::super::choices::Tab;
    use super::super::measure::Measure;
    use super::super::sources::{TextSide, TextSource};
    use super::*;
    use crate::model::form::FormSide;

    fn typed(text: &str) -> CollectionForm {
        let mut form = CollectionForm::default();
        form.a.retype(text);
        form
    }

    /// Types two lines, and returns the session with the number of the visit that compares them.
    fn running() -> (CollectionSession, VisitNumber) {
        let mut session = CollectionSession::default();
        let effects = session.handle_input(CollectionInput::Edited(typed("kitten\nsitting")));
        let [CollectionEffect::ReplaceAddress, CollectionEffect::Wait(visit)] = effects[..] else { panic!("{effects:?}") };
        let effects = session.handle_input(CollectionInput::Due(visit));
        let [CollectionEffect::Solve { visit, max_cells: MAX_UNASKED_CELLS }] = effects[..] else { panic!("{effects:?}") };
        (session, visit)
    }

    fn answered() -> CollectionSession {
        let (mut session, visit) = running();
        let answer = compared(&["kitten", "sitting"], Measure::Similarity);
        assert!(session.handle_input(CollectionInput::Answered(visit, Box::new(Some(answer)))).is_empty());
        assert_eq!(session.phase, CollectionPhase::Answered);
        session
    }

    #[test]
    fn typed_lines_are_compared_after_a_pause() {
        let session = answered();
        assert_eq!(session.answer.as_ref().map(|answer| answer.score(0, 1)), Some(3));
    }

    #[test]
    fn replies_to_older_visits_are_ignored() {
        let (mut session, visit) = running();
        session.handle_input(CollectionInput::Edited(typed("kitten\nmitten")));
        let answer = compared(&["kitten", "sitting"], Measure::Similarity);
        session.handle_input(CollectionInput::Answered(visit, Box::new(Some(answer))));
        session.handle_input(CollectionInput::Broken(visit, Problem::default()));
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Running(None), true));
        assert!(session.handle_input(CollectionInput::Due(visit)).is_empty());
    }

    #[test]
    fn cancelled_run_is_stopped_and_can_be_started_again() {
        let (mut session, visit) = running();
        session.handle_input(CollectionInput::Progress(visit, RunProgress { done: 1, total: 2, cells_per_second: 1.0, eta_ms: 1.0 }));
        assert_eq!(session.handle_input(CollectionInput::Cancel), [CollectionEffect::Stop]);
        assert_eq!(session.phase, CollectionPhase::Cancelled);
        assert!(session.handle_input(CollectionInput::Cancel).is_empty());
        let effects = session.handle_input(CollectionInput::Run);
        assert!(matches!(effects[..], [CollectionEffect::Solve { max_cells: MAX_ASKED_CELLS, .. }]), "{effects:?}");
    }

    #[test]
    fn many_cells_are_computed_only_if_asked() {
        let (mut session, visit) = running();
        let failure = |got| JobFailure::TooLarge { what: large::CELLS.into(), got, limit: MAX_UNASKED_CELLS };
        session.handle_input(CollectionInput::Refused(visit, failure(20_000_000_000)));
        assert_eq!(session.phase, CollectionPhase::Asking { cells: 20_000_000_000 });
        session.handle_input(CollectionInput::Run);
        session.handle_input(CollectionInput::Refused(session.visit, failure(MAX_ASKED_CELLS + 1)));
        assert!(matches!(session.phase, CollectionPhase::Failed(_)), "{:?}", session.phase);
    }

    #[test]
    fn another_measure_of_the_same_scores_needs_no_run() {
        let mut session = answered();
        session.handle_input(CollectionInput::Viewed(CollectionView { threshold: Some(30), ..CollectionView::default() }));
        let edits = CollectionForm { measure: Measure::Edits, ..session.form.clone() };
        assert_eq!(session.handle_input(CollectionInput::Edited(edits)), [CollectionEffect::ReplaceAddress]);
        assert_eq!((session.phase.clone(), session.view.threshold), (CollectionPhase::Answered, None));
        assert_eq!(session.answer.as_ref().map(|answer| answer.nearness(0, 1)), Some(-3.0));
    }

    #[test]
    fn views_replace_the_address_and_tabs_begin_an_entry() {
        let mut session = answered();
        let chosen = CollectionView { chosen: Some((0, 1)), ..CollectionView::default() };
        assert_eq!(session.handle_input(CollectionInput::Viewed(chosen.clone())), [CollectionEffect::ReplaceAddress]);
        assert!(session.handle_input(CollectionInput::Viewed(chosen.clone())).is_empty());
        let pairs = CollectionView { tab: Tab::Pairs, ..chosen };
        assert_eq!(session.handle_input(CollectionInput::Viewed(pairs)), [CollectionEffect::PushAddress]);
        // Back to the same texts shows their answer without another run.
        let form = session.form.clone();
        assert!(session.handle_input(CollectionInput::Opened(form, CollectionView::default())).is_empty());
        assert_eq!((session.phase.clone(), session.view.clone()), (CollectionPhase::Answered, CollectionView::default()));
    }

    #[test]
    fn opened_files_begin_an_entry_and_are_compared_at_once() {
        let mut session = CollectionSession::default();
        let mut form = CollectionForm::default();
        form.open(FormSide::A, ["a", "b"].map(|name| TextSource::file(name, b"x")).to_vec());
        let effects = session.handle_input(CollectionInput::Edited(form));
        assert!(matches!(effects[..], [CollectionEffect::PushAddress, CollectionEffect::Solve { .. }]), "{effects:?}");
        let effects = session.handle_input(CollectionInput::Edited(CollectionForm::default()));
        assert_eq!(effects, [CollectionEffect::ReplaceAddress]);
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Blank, true));
    }

    #[test]
    fn typing_beside_an_opened_file_begins_no_entry() {
        let mut session = CollectionSession::default();
        let mut form = CollectionForm { b: Some(TextSide::default()), ..CollectionForm::default() };
        form.open(FormSide::A, vec![TextSource::file("a.txt", b"kitten\nsitting")]);
        assert!(session.handle_input(CollectionInput::Edited(form.clone())).contains(&CollectionEffect::PushAddress));
        form.side_mut(FormSide::B).retype("m");
        let effects = session.handle_input(CollectionInput::Edited(form));
        assert!(matches!(effects[..], [CollectionEffect::ReplaceAddress, CollectionEffect::Wait(_)]), "{effects:?}");
    }

    #[test]
    fn unreadable_address_has_no_answer_and_starts_no_run() {
        let mut session = answered();
        assert!(session.handle_input(CollectionInput::Unreadable(Problem::not_understood())).is_empty());
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Failed(Problem::not_understood()), true));
    }

    #[test]
    fn two_collections_are_compared_once_both_have_texts() {
        let mut session = answered();
        let form = CollectionForm { b: Some(TextSide::default()), ..session.form.clone() };
        assert_eq!(session.handle_input(CollectionInput::Edited(form.clone())), [CollectionEffect::ReplaceAddress]);
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Blank, true));
        let mut both = form;
        both.side_mut(FormSide::B).retype("mitten");
        let effects = session.handle_input(CollectionInput::Edited(both));
        assert!(matches!(effects[..], [CollectionEffect::ReplaceAddress, CollectionEffect::Wait(_)]), "{effects:?}");
    }

    #[test]
    fn chosen_pair_of_an_address_must_exist() {
        let mut session = CollectionSession::default();
        let view = CollectionView { chosen: Some((0, 7)), ..CollectionView::default() };
        session.handle_input(CollectionInput::Opened(typed("kitten\nsitting"), view));
        session.handle_input(CollectionInput::Due(session.visit));
        let answer = compared(&["kitten", "sitting"], Measure::Similarity);
        session.handle_input(CollectionInput::Answered(session.visit, Box::new(Some(answer))));
        assert_eq!((session.phase.clone(), session.view.chosen), (CollectionPhase::Answered, None));
    }
}
