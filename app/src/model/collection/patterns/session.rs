//! Session of a search for many patterns: form, run, answer and view as one state machine ([`PatternSession`]).
//!
//! [`PatternSession::handle_input`] receives an input and returns effects. Replies to older visits are ignored, as in the
//! [session](super::super::session) of a comparison.

use std::sync::Arc;

use explain::worker_protocol::collection::{MAX_ASKED_CELLS, MAX_UNASKED_CELLS};
use kernels::event::RunProgress;
use kernels::failure::{JobFailure, large};

use super::super::session::{CollectionPhase, VisitNumber};
use super::super::sources::TextSource;
use super::answer::SearchedTexts;
use super::form::PatternForm;
use super::link::PatternView;
use super::sentences::refusal;
use crate::model::problem::Problem;

/// An input of the session.
#[derive(Clone, Debug)]
pub enum PatternInput {
    /// The visitor has changed patterns, texts or options.
    Edited(PatternForm),
    /// An address was opened.
    Opened(PatternForm, PatternView),
    /// An address cannot be opened.
    Unreadable(Problem),
    /// The visitor has pressed the main button.
    Run,
    Cancel,
    /// The visit waits no longer for further changes.
    Due(VisitNumber),
    Progress(VisitNumber, RunProgress),
    Answered(VisitNumber, Box<Option<SearchedTexts>>),
    Refused(VisitNumber, JobFailure),
    Broken(VisitNumber, Problem),
    /// The visitor has changed the view.
    Viewed(PatternView),
}

/// An effect that the page executes.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternEffect {
    /// Sends [`PatternInput::Due`] after a pause.
    Wait(VisitNumber),
    /// Searches with at most `max_cells` cells.
    Solve { visit: VisitNumber, max_cells: u64 },
    /// Ends the search.
    Stop,
    /// Writes the address as a new entry of the history.
    PushAddress,
    /// Writes the address of the current entry of the history.
    ReplaceAddress,
}

/// The state of the page.
#[derive(Clone, Debug, Default)]
pub struct PatternSession {
    pub form: PatternForm,
    pub phase: CollectionPhase,
    /// The latest answer. It is shown until the next one replaces it.
    pub answer: Option<Arc<SearchedTexts>>,
    pub view: PatternView,
    visit: VisitNumber,
}

impl PatternSession {
    /// Handles an input, and returns the effects to execute in their order.
    pub fn handle_input(&mut self, input: PatternInput) -> Vec<PatternEffect> {
        match input {
            PatternInput::Edited(form) => self.edit(form),
            PatternInput::Opened(form, view) => {
                let is_same = form == self.form && self.phase == CollectionPhase::Answered;
                (self.form, self.view) = (form, view);
                if is_same { Vec::new() } else { self.begin(Vec::new(), false) }
            }
            PatternInput::Unreadable(problem) => {
                let was_running = matches!(self.phase, CollectionPhase::Running(Some(_)));
                self.visit += 1;
                (self.phase, self.answer) = (CollectionPhase::Failed(problem), None);
                if was_running { vec![PatternEffect::Stop] } else { Vec::new() }
            }
            PatternInput::Run => self.solve(MAX_ASKED_CELLS),
            PatternInput::Cancel if matches!(self.phase, CollectionPhase::Running(_)) => {
                self.visit += 1;
                self.phase = CollectionPhase::Cancelled;
                vec![PatternEffect::Stop]
            }
            PatternInput::Due(visit) if visit == self.visit => self.solve(MAX_UNASKED_CELLS),
            PatternInput::Progress(visit, progress) if visit == self.visit => {
                self.phase = CollectionPhase::Running(Some(progress));
                Vec::new()
            }
            PatternInput::Answered(visit, answer) if visit == self.visit => {
                match *answer {
                    Some(answer) => {
                        self.view.chosen = self.view.chosen.filter(|place| answer.hit(*place).is_some());
                        self.view.only = self.view.only.filter(|only| *only < answer.report.patterns.len());
                        self.answer = Some(Arc::new(answer));
                        self.phase = CollectionPhase::Answered;
                    }
                    None => self.phase = CollectionPhase::Failed(Problem::not_understood()),
                }
                Vec::new()
            }
            PatternInput::Refused(visit, failure) if visit == self.visit => {
                self.phase = match failure {
                    JobFailure::TooLarge { what, got, .. } if what == large::CELLS && got <= MAX_ASKED_CELLS => {
                        CollectionPhase::Asking { cells: got }
                    }
                    failure => CollectionPhase::Failed(refusal(&failure)),
                };
                Vec::new()
            }
            PatternInput::Broken(visit, problem) if visit == self.visit => {
                self.phase = CollectionPhase::Failed(problem);
                Vec::new()
            }
            PatternInput::Viewed(view) if view != self.view => {
                self.view = view;
                vec![PatternEffect::ReplaceAddress]
            }
            // Replies to an older visit, and an unchanged view.
            PatternInput::Cancel
            | PatternInput::Viewed(_)
            | PatternInput::Due(_)
            | PatternInput::Progress(..)
            | PatternInput::Answered(..)
            | PatternInput::Refused(..)
            | PatternInput::Broken(..) => Vec::new(),
        }
    }

    fn edit(&mut self, form: PatternForm) -> Vec<PatternEffect> {
        if form == self.form {
            return Vec::new();
        }
        (self.view.chosen, self.view.only) = (None, None);
        // Opened texts begin a new entry of the history, because Back returns to the texts before.
        let is_new = |text: &TextSource| !text.name.is_empty() && !self.form.texts.contains(text) && self.form.patterns != *text;
        let is_opened = !form.is_blank() && form.texts.iter().chain([&form.patterns]).any(is_new);
        let address = if is_opened { PatternEffect::PushAddress } else { PatternEffect::ReplaceAddress };
        self.form = form;
        self.begin(vec![address], is_opened)
    }

    /// Begins a new visit. `is_due` says whether the search begins at once.
    fn begin(&mut self, mut effects: Vec<PatternEffect>, is_due: bool) -> Vec<PatternEffect> {
        let was_running = matches!(self.phase, CollectionPhase::Running(Some(_)));
        self.visit += 1;
        if self.form.is_blank() {
            (self.phase, self.answer) = (CollectionPhase::Blank, None);
            if was_running {
                effects.push(PatternEffect::Stop);
            }
            return effects;
        }
        self.phase = CollectionPhase::Running(None);
        if is_due {
            effects.extend(self.solve(MAX_UNASKED_CELLS));
        } else {
            effects.push(PatternEffect::Wait(self.visit));
        }
        effects
    }

    fn solve(&mut self, max_cells: u64) -> Vec<PatternEffect> {
        if self.form.is_blank() {
            return Vec::new();
        }
        self.visit += 1;
        self.phase = CollectionPhase::Running(None);
        vec![PatternEffect::Solve { visit: self.visit, max_cells }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sources::TextSource;
    use super::super::answer::LaneOrder;
    use super::super::answer::tests::searched;
    use super::*;

    fn typed(patterns: &str, text: &str) -> PatternForm {
        let mut form = PatternForm { patterns: TextSource::typed(patterns), ..PatternForm::default() };
        form.retype_text(text);
        form
    }

    /// Types a pattern and a text, and returns the session with the number of the visit that searches.
    fn running() -> (PatternSession, VisitNumber) {
        let mut session = PatternSession::default();
        assert_eq!(session.handle_input(PatternInput::Edited(typed("kitten", ""))), [PatternEffect::ReplaceAddress]);
        assert_eq!(session.phase, CollectionPhase::Blank);
        let effects = session.handle_input(PatternInput::Edited(typed("kitten", "sitting")));
        let [PatternEffect::ReplaceAddress, PatternEffect::Wait(visit)] = effects[..] else { panic!("{effects:?}") };
        let effects = session.handle_input(PatternInput::Due(visit));
        let [PatternEffect::Solve { visit, max_cells: MAX_UNASKED_CELLS }] = effects[..] else { panic!("{effects:?}") };
        (session, visit)
    }

    #[test]
    fn typed_patterns_are_searched_after_a_pause() {
        let (mut session, visit) = running();
        assert!(session.handle_input(PatternInput::Answered(visit, Box::new(Some(searched())))).is_empty());
        assert_eq!((session.phase.clone(), session.answer.as_ref().map(|answer| answer.places())), (CollectionPhase::Answered, Some(3)));
        assert!(session.handle_input(PatternInput::Edited(session.form.clone())).is_empty());
    }

    #[test]
    fn replies_to_older_visits_are_ignored() {
        let (mut session, visit) = running();
        session.handle_input(PatternInput::Edited(typed("mitten", "sitting")));
        session.handle_input(PatternInput::Answered(visit, Box::new(Some(searched()))));
        session.handle_input(PatternInput::Broken(visit, Problem::default()));
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Running(None), true));
    }

    #[test]
    fn many_cells_are_computed_only_if_asked_and_runs_are_cancelled() {
        let (mut session, visit) = running();
        let failure = |got| JobFailure::TooLarge { what: large::CELLS.into(), got, limit: MAX_UNASKED_CELLS };
        session.handle_input(PatternInput::Refused(visit, failure(20_000_000_000)));
        assert_eq!(session.phase, CollectionPhase::Asking { cells: 20_000_000_000 });
        let effects = session.handle_input(PatternInput::Run);
        assert!(matches!(effects[..], [PatternEffect::Solve { max_cells: MAX_ASKED_CELLS, .. }]), "{effects:?}");
        assert_eq!(session.handle_input(PatternInput::Cancel), [PatternEffect::Stop]);
        assert_eq!((session.phase.clone(), session.handle_input(PatternInput::Cancel).len()), (CollectionPhase::Cancelled, 0));
        session.handle_input(PatternInput::Run);
        session.handle_input(PatternInput::Refused(session.visit, failure(MAX_ASKED_CELLS + 1)));
        assert!(matches!(session.phase, CollectionPhase::Failed(_)), "{:?}", session.phase);
    }

    #[test]
    fn chosen_place_of_an_address_must_exist() {
        for (chosen, expected) in [((0, 1), Some((0, 1))), ((0, 7), None), ((9, 0), None)] {
            let mut session = PatternSession::default();
            let view = PatternView { chosen: Some(chosen), only: Some(chosen.0), order: LaneOrder::Name };
            session.handle_input(PatternInput::Opened(typed("kitten", "sitting"), view));
            session.handle_input(PatternInput::Due(session.visit));
            session.handle_input(PatternInput::Answered(session.visit, Box::new(Some(searched()))));
            assert_eq!((session.view.chosen, session.view.only), (expected, Some(chosen.0).filter(|only| *only < 3)));
        }
    }

    #[test]
    fn views_replace_the_address_and_files_begin_an_entry() {
        let (mut session, visit) = running();
        session.handle_input(PatternInput::Answered(visit, Box::new(Some(searched()))));
        let view = PatternView { chosen: Some((0, 1)), ..PatternView::default() };
        assert_eq!(session.handle_input(PatternInput::Viewed(view.clone())), [PatternEffect::ReplaceAddress]);
        assert!(session.handle_input(PatternInput::Viewed(view)).is_empty());
        let file = TextSource::file("b.txt", b"x");
        let effects = session.handle_input(PatternInput::Edited(PatternForm { texts: vec![file], ..session.form.clone() }));
        assert!(matches!(effects[..], [PatternEffect::PushAddress, PatternEffect::Solve { .. }]), "{effects:?}");
        assert_eq!(session.view.chosen, None);
        let patterns = TextSource::typed("kit");
        let effects = session.handle_input(PatternInput::Edited(PatternForm { patterns, ..session.form.clone() }));
        assert!(matches!(effects[..], [PatternEffect::ReplaceAddress, PatternEffect::Wait(_)]), "{effects:?}");
    }

    #[test]
    fn unreadable_address_has_no_answer_and_starts_no_run() {
        let (mut session, visit) = running();
        session.handle_input(PatternInput::Answered(visit, Box::new(Some(searched()))));
        assert!(session.handle_input(PatternInput::Unreadable(Problem::not_understood())).is_empty());
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Failed(Problem::not_understood()), true));
    }
}
