//! The session of a search for many patterns ([`FormSession`](super::super::session::FormSession)).

use kernels::failure::JobFailure;

use super::super::session::{SessionInput, SolvedForm};
use super::super::sources::TextSource;
use super::answer::SearchedTexts;
use super::form::PatternForm;
use super::link::PatternView;
use super::sentences;
use crate::model::problem::Problem;

/// An input of the session of a [`PatternForm`].
pub type PatternInput = SessionInput<PatternForm>;

impl SolvedForm for PatternForm {
    type Answer = SearchedTexts;
    type View = PatternView;

    fn is_complete(&self) -> bool {
        !self.is_blank()
    }

    fn sources(&self) -> impl Iterator<Item = &TextSource> {
        self.sources()
    }

    fn forget_choices(&self, _next: &Self, view: &mut PatternView) {
        (view.chosen, view.only) = (None, None);
    }

    fn check_choices(answer: &SearchedTexts, view: &mut PatternView) {
        view.chosen = view.chosen.filter(|place| answer.hit(*place).is_some());
        view.only = view.only.filter(|only| *only < answer.report.patterns.len());
    }

    fn refusal(&self, failure: &JobFailure) -> Problem {
        sentences::refusal(failure, self.patterns_name())
    }
}

#[cfg(test)]
mod tests {
    use explain::worker_protocol::collection::{MAX_ASKED_CELLS, MAX_UNASKED_CELLS};
    use kernels::failure::large;

    use super::super::super::session::{CollectionPhase, FormSession, SessionEffect, VisitNumber};
    use super::super::answer::LaneOrder;
    use super::super::answer::tests::searched;
    use super::*;

    type PatternSession = FormSession<PatternForm>;

    fn typed(patterns: &str, text: &str) -> PatternForm {
        let mut form = PatternForm { patterns: TextSource::typed(patterns), ..PatternForm::default() };
        form.retype_text(text);
        form
    }

    /// Types a pattern and a text, and returns the session with the number of the visit that searches.
    fn running() -> (PatternSession, VisitNumber) {
        let mut session = PatternSession::default();
        assert_eq!(session.handle_input(PatternInput::Edited(typed("kitten", ""))), [SessionEffect::ReplaceAddress]);
        assert_eq!(session.phase, CollectionPhase::Blank);
        let effects = session.handle_input(PatternInput::Edited(typed("kitten", "sitting")));
        let [SessionEffect::ReplaceAddress, SessionEffect::Wait(visit)] = effects[..] else { panic!("{effects:?}") };
        let effects = session.handle_input(PatternInput::Due(visit));
        let [SessionEffect::Solve { visit, max_cells: MAX_UNASKED_CELLS }] = effects[..] else { panic!("{effects:?}") };
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
        assert!(matches!(effects[..], [SessionEffect::Solve { max_cells: MAX_ASKED_CELLS, .. }]), "{effects:?}");
        assert_eq!(session.handle_input(PatternInput::Cancel), [SessionEffect::Stop]);
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
        assert_eq!(session.handle_input(PatternInput::Viewed(view.clone())), [SessionEffect::ReplaceAddress]);
        assert!(session.handle_input(PatternInput::Viewed(view)).is_empty());
        let file = TextSource::file("b.txt", b"x");
        let effects = session.handle_input(PatternInput::Edited(PatternForm { texts: vec![file], ..session.form.clone() }));
        assert!(matches!(effects[..], [SessionEffect::PushAddress, SessionEffect::Solve { .. }]), "{effects:?}");
        assert_eq!(session.view.chosen, None);
        let patterns = TextSource::typed("kit");
        let effects = session.handle_input(PatternInput::Edited(PatternForm { patterns, ..session.form.clone() }));
        assert!(matches!(effects[..], [SessionEffect::ReplaceAddress, SessionEffect::Wait(_)]), "{effects:?}");
    }

    #[test]
    fn unreadable_address_has_no_answer_and_starts_no_run() {
        let (mut session, visit) = running();
        session.handle_input(PatternInput::Answered(visit, Box::new(Some(searched()))));
        assert!(session.handle_input(PatternInput::Unreadable(Problem::not_understood())).is_empty());
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Failed(Problem::not_understood()), true));
    }
}
