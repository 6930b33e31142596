//! The session of a comparison of many texts ([`FormSession`](super::session::FormSession)).

use kernels::failure::JobFailure;

use super::answer::ComparedTexts;
use super::choices::CollectionView;
use super::form::CollectionForm;
use super::sentences;
use super::session::{SessionInput, SolvedForm};
use super::sources::TextSource;
use crate::model::problem::Problem;

/// An input of the session of a [`CollectionForm`].
pub type CollectionInput = SessionInput<CollectionForm>;

impl SolvedForm for CollectionForm {
    type Answer = ComparedTexts;
    type View = CollectionView;

    fn is_complete(&self) -> bool {
        self.is_complete()
    }

    fn sources(&self) -> impl Iterator<Item = &TextSource> {
        self.sources()
    }

    fn needs_run(&self, next: &Self) -> bool {
        self.needs_other_scores(next)
    }

    fn reread(&self, answer: &ComparedTexts) -> ComparedTexts {
        answer.with_form(self.clone())
    }

    fn forget_choices(&self, next: &Self, view: &mut CollectionView) {
        if self.a != next.a || self.b != next.b {
            view.chosen = None;
        }
        let sums = |form: &Self| (form.measure, form.job_options().costs, form.job_options().scoring());
        if sums(self) != sums(next) {
            view.threshold = None;
        }
    }

    fn check_choices(answer: &ComparedTexts, view: &mut CollectionView) {
        view.chosen = view.chosen.filter(|chosen| answer.pair_at(*chosen).is_some());
    }

    fn is_step(before: &CollectionView, after: &CollectionView) -> bool {
        before.tab != after.tab
    }

    fn refusal(&self, failure: &JobFailure) -> Problem {
        sentences::refusal(failure)
    }
}

#[cfg(test)]
mod tests {
    use explain::worker_protocol::collection::{MAX_ASKED_CELLS, MAX_UNASKED_CELLS};
    use kernels::event::RunProgress;
    use kernels::failure::large;
    use kernels::job::EditCosts;

    use super::super::answer::tests::compared;
    use super::super::choices::Tab;
    use super::super::measure::Measure;
    use super::super::session::{CollectionPhase, FormSession, SessionEffect, VisitNumber, replaces_new_texts};
    use super::super::sources::{TextSide, TextSource};
    use super::*;
    use crate::model::form::FormSide;

    type CollectionSession = FormSession<CollectionForm>;

    fn typed(text: &str) -> CollectionForm {
        let mut form = CollectionForm::default();
        form.a.retype(text);
        form
    }

    /// Types two lines, and returns the session with the number of the visit that compares them.
    fn running() -> (CollectionSession, VisitNumber) {
        let mut session = CollectionSession::default();
        let effects = session.handle_input(CollectionInput::Edited(typed("kitten\nsitting")));
        let [SessionEffect::ReplaceAddress, SessionEffect::Wait(visit)] = effects[..] else { panic!("{effects:?}") };
        let effects = session.handle_input(CollectionInput::Due(visit));
        let [SessionEffect::Solve { visit, max_cells: MAX_UNASKED_CELLS }] = effects[..] else { panic!("{effects:?}") };
        (session, visit)
    }

    #[test]
    fn texts_that_come_while_files_are_read_are_missed() {
        let file = |name: &str| TextSource::file(name, b"kitten");
        let opened = |mut form: CollectionForm, files: Vec<TextSource>| {
            form.open(FormSide::A, files);
            form
        };
        let [blank, text, files] = [CollectionForm::default(), typed("sitting"), opened(CollectionForm::default(), vec![file("a.txt")])];
        for (before, now, next, is_missed) in [
            (&blank, &blank, &files, false),
            (&blank, &text, &opened(text.clone(), vec![file("a.txt")]), true),
            // Files that are opened replace the text that was there before.
            (&text, &text, &opened(text.clone(), vec![file("a.txt")]), false),
            (&text, &typed("sitting\nkit"), &files, true),
            (&blank, &files, &opened(files.clone(), vec![file("b.txt")]), true),
            (&blank, &files, &opened(files.clone(), vec![file("a.txt"), file("b.txt")]), false),
        ] {
            assert_eq!(replaces_new_texts(before, now, next), is_missed, "{before:?} {now:?} {next:?}");
        }
        let mut two = opened(text.clone(), vec![file("a.txt")]);
        two.b = Some(text.a.clone());
        assert!(!replaces_new_texts(&blank, &text, &two));
    }

    fn answered() -> CollectionSession {
        let (mut session, visit) = running();
        let answer = compared(&["kitten", "sitting"], Measure::Similarity);
        assert!(session.handle_input(CollectionInput::Answered(visit, Box::new(Some(answer)))).is_empty());
        assert_eq!(session.phase, CollectionPhase::Answered);
        session
    }

    #[test]
    fn form_without_its_answer_is_compared_again() {
        let mut session = answered();
        session.forget_answer();
        assert!(session.answer.is_none() && session.phase == CollectionPhase::Blank);
        let form = session.form.clone();
        assert!(matches!(session.handle_input(CollectionInput::Edited(form))[..], [SessionEffect::ReplaceAddress, SessionEffect::Wait(_)]));
        let mut session = answered();
        session.forget_answer();
        let (form, view) = (session.form.clone(), session.view.clone());
        assert!(matches!(session.handle_input(CollectionInput::Opened(form, view))[..], [SessionEffect::Wait(_)]));
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
        assert_eq!(session.handle_input(CollectionInput::Cancel), [SessionEffect::Stop]);
        assert_eq!(session.phase, CollectionPhase::Cancelled);
        assert!(session.handle_input(CollectionInput::Cancel).is_empty());
        let effects = session.handle_input(CollectionInput::Run);
        assert!(matches!(effects[..], [SessionEffect::Solve { max_cells: MAX_ASKED_CELLS, .. }]), "{effects:?}");
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
        assert_eq!(session.handle_input(CollectionInput::Edited(edits)), [SessionEffect::ReplaceAddress]);
        assert_eq!((session.phase.clone(), session.view.threshold), (CollectionPhase::Answered, None));
        assert_eq!(session.answer.as_ref().map(|answer| answer.nearness(0, 1)), Some(-3.0));
    }

    #[test]
    fn answer_is_read_by_a_measure_that_was_chosen_during_the_run() {
        let (mut session, visit) = running();
        let edits = CollectionForm { measure: Measure::Edits, ..session.form.clone() };
        assert_eq!(session.handle_input(CollectionInput::Edited(edits)), [SessionEffect::ReplaceAddress]);
        let answer = compared(&["kitten", "sitting"], Measure::Similarity);
        session.handle_input(CollectionInput::Answered(visit, Box::new(Some(answer))));
        assert_eq!(session.answer.as_ref().map(|answer| answer.nearness(0, 1)), Some(-3.0));
    }

    #[test]
    fn older_answer_is_not_read_by_costs_that_it_does_not_have() {
        let mut session = answered();
        let mut form = session.form.clone();
        form.options.costs = EditCosts::INDEL;
        session.handle_input(CollectionInput::Edited(form.clone()));
        let failure = JobFailure::TooLarge { what: large::CELLS.into(), got: 20_000_000_000, limit: MAX_UNASKED_CELLS };
        session.handle_input(CollectionInput::Refused(session.visit, failure));
        assert!(matches!(session.phase, CollectionPhase::Asking { .. }), "{:?}", session.phase);
        session.handle_input(CollectionInput::Edited(CollectionForm { measure: Measure::Edits, ..form }));
        assert_eq!(session.answer.as_ref().map(|answer| answer.form.options.costs), Some(EditCosts::LEVENSHTEIN));
    }

    #[test]
    fn views_replace_the_address_and_tabs_begin_an_entry() {
        let mut session = answered();
        let chosen = CollectionView { chosen: Some((0, 1)), ..CollectionView::default() };
        assert_eq!(session.handle_input(CollectionInput::Viewed(chosen.clone())), [SessionEffect::ReplaceAddress]);
        assert!(session.handle_input(CollectionInput::Viewed(chosen.clone())).is_empty());
        let pairs = CollectionView { tab: Tab::Pairs, ..chosen };
        assert_eq!(session.handle_input(CollectionInput::Viewed(pairs)), [SessionEffect::PushAddress]);
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
        assert!(matches!(effects[..], [SessionEffect::PushAddress, SessionEffect::Solve { .. }]), "{effects:?}");
        let effects = session.handle_input(CollectionInput::Edited(CollectionForm::default()));
        assert_eq!(effects, [SessionEffect::ReplaceAddress]);
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Blank, true));
    }

    #[test]
    fn typing_beside_an_opened_file_begins_no_entry() {
        let mut session = CollectionSession::default();
        let mut form = CollectionForm { b: Some(TextSide::default()), ..CollectionForm::default() };
        form.open(FormSide::A, vec![TextSource::file("a.txt", b"kitten\nsitting")]);
        assert!(session.handle_input(CollectionInput::Edited(form.clone())).contains(&SessionEffect::PushAddress));
        form.side_mut(FormSide::B).retype("m");
        let effects = session.handle_input(CollectionInput::Edited(form));
        assert!(matches!(effects[..], [SessionEffect::ReplaceAddress, SessionEffect::Wait(_)]), "{effects:?}");
    }

    #[test]
    fn mistyped_number_stops_the_run_until_the_form_is_edited() {
        let mut session = answered();
        assert!(session.handle_input(CollectionInput::Mistyped(Problem::not_understood())).is_empty());
        assert!(matches!(session.phase, CollectionPhase::Failed(_)) && session.answer.is_some());
        let effects = session.handle_input(CollectionInput::Edited(session.form.clone()));
        assert!(matches!(effects[..], [SessionEffect::ReplaceAddress, SessionEffect::Wait(_)]), "{effects:?}");
        assert!(session.handle_input(CollectionInput::Edited(session.form.clone())).is_empty());
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
        assert_eq!(session.handle_input(CollectionInput::Edited(form.clone())), [SessionEffect::ReplaceAddress]);
        assert_eq!((session.phase.clone(), session.answer.is_none()), (CollectionPhase::Blank, true));
        let mut both = form;
        both.side_mut(FormSide::B).retype("mitten");
        let effects = session.handle_input(CollectionInput::Edited(both));
        assert!(matches!(effects[..], [SessionEffect::ReplaceAddress, SessionEffect::Wait(_)]), "{effects:?}");
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
