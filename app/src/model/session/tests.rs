//! Tests of the state machine: tables of single cases, and a simulation of its environment. In the simulation visitors
//! type, press and leave, and browser and server answer late, twice or never.

use kernels::event::TaskAnswer;
use kernels::job::{Task, TextSource};
use kernels::plan::{EngineName, EnginePlace, JobPlan};

use super::*;
use crate::model::form::{FormSide, FormText, TextContent};

/// Facts of this device beside the events of a run.
const HERE: LocalRunFacts = LocalRunFacts { request_number: 7, symbols: (1, 1) };

fn form(a: &str, b: &str) -> FormState {
    FormState { a: FormText::typed(a), b: FormText::typed(b), ..FormState::new(Task::EditDistance) }
}

/// Returns the answer for `form`, whose number identifies the form.
fn answer_of(form: &FormState) -> JobEvent {
    let bytes = |which| form.side(which).text().unwrap_or_default().bytes().map(u64::from).sum::<u64>();
    let distance = 1_000 * bytes(FormSide::A) + 7 * bytes(FormSide::B) + form.task as u64;
    JobEvent::Answer(TaskAnswer::from_distance(distance, None))
}

fn plan() -> JobEvent {
    JobEvent::Planned(JobPlan { expected_ms: 1.0, ..JobPlan::unestimated(EngineName::Cpu, EnginePlace::Server) })
}

fn job() -> JobRequest {
    let text = || TextSource::Text(String::new()).into();
    JobRequest { task: Task::EditDistance, options: Default::default(), a: text(), b: text() }
}

fn brought(form: &FormState, id: &str, over: bool) -> Box<LoadedResult> {
    let mut run = RunState::new(RunPhase::Reading, 0.0);
    if over {
        run.apply(answer_of(form), 1.0);
    }
    Box::new(LoadedResult { form: form.clone(), run, location: ResultLocation::Job(id.into()), symbols: (1, 1), seq: 1, expires_at: None })
}

/// Creates a session whose job for `form` runs on the server.
fn running(form: &FormState) -> Session {
    let mut session = Session::new(form.clone());
    session.handle_input(SessionInput::SentOff, 0.0);
    session.handle_input(SessionInput::Sent(session.visit(), job()), 0.0);
    session.handle_input(SessionInput::Posted(session.visit(), "1".into()), 0.0);
    session
}

/// Checks the invariant: the result belongs to the current form, unless that form is being read and its result comes
/// next.
fn check(session: &Session) {
    // The deflated texts always belong to the form that they claim.
    if let Some(packed) = session.packed.as_ref().filter(|packed| packed.matches_form(&session.form)) {
        let begin = |which| session.form.side(which).text().and_then(|text| text.chars().next()).map_or(String::new(), String::from);
        assert_eq!(packed.letters(), Some(format!("{}|{}", begin(FormSide::A), begin(FormSide::B)).as_str()));
    }
    let Some(shown) = &session.shown else { return };
    assert_eq!(shown.run.answer, RunState { answer: answer_in(&shown.form), ..RunState::default() }.answer, "the answer of another form");
    if session.is_stale() {
        assert!(session.run.is_under_way() && session.stage == SessionStage::Here, "{session:?}");
    }
    if session.run.is_over() {
        assert_eq!((&shown.form, &shown.run), (&session.form, &session.run));
    }
}

fn answer_in(form: &FormState) -> Option<TaskAnswer> {
    let JobEvent::Answer(answer) = answer_of(form) else { return None };
    Some(answer)
}

#[test]
fn text_typed_during_an_upload_is_not_replaced_by_the_job() {
    let (old, new) = (form("a", "b"), form("c", "d"));
    let mut session = Session::new(old);
    session.handle_input(SessionInput::SentOff, 0.0);
    let visit = session.visit();
    assert_eq!(session.handle_input(SessionInput::Edited(new.clone()), 1.0)[0], SessionEffect::Detach);
    let before = session.clone();
    // The texts were uploaded nevertheless, but no job is made of them.
    assert_eq!(session.handle_input(SessionInput::Sent(visit, job()), 2.0), []);
    assert_eq!(session, before);
}

#[test]
fn job_that_is_no_longer_wanted_is_cancelled() {
    for then in [SessionInput::Cancelled, SessionInput::Edited(form("c", "d")), SessionInput::Opened(None)] {
        let mut session = Session::new(form("a", "b"));
        session.handle_input(SessionInput::SentOff, 0.0);
        let visit = session.visit();
        session.handle_input(SessionInput::Sent(visit, job()), 0.0);
        session.handle_input(then, 1.0);
        let before = session.clone();
        assert_eq!(
            session.handle_input(SessionInput::Posted(visit, "7".into()), 2.0),
            [SessionEffect::Request(visit, ServerRequest::Cancel("7".into()))]
        );
        assert_eq!((session.job(), &session), (before.job(), &before));
    }
}

#[test]
fn ended_job_does_not_replace_a_form_that_was_edited_meanwhile() {
    let (old, new) = (form("a", "b"), form("c", "d"));
    let mut session = running(&old);
    let visit = session.visit();
    assert_eq!(
        session.handle_input(SessionInput::RunEvent(visit, answer_of(&old), LocalRunFacts::default()), 1.0)[1],
        SessionEffect::Request(visit, ServerRequest::Count("1".into()))
    );
    session.handle_input(SessionInput::Edited(new.clone()), 2.0);
    session.handle_input(SessionInput::Asked, 2.0);
    session.handle_input(SessionInput::RunEvent(session.visit(), answer_of(&new), HERE), 3.0);
    session.handle_input(SessionInput::Counted(visit, (1, 1)), 4.0);
    assert_eq!(session.shown.as_ref().map(|shown| (&shown.form, &shown.location)), Some((&new, &ResultLocation::Here(7))));
    check(&session);
}

#[test]
fn slow_address_does_not_overwrite_newer_edits() {
    let (old, new) = (form("a", "b"), form("c", "d"));
    let mut session = Session::new(form("", ""));
    session.handle_input(SessionInput::Opened(Some(RemoteContent::Job("1".into()))), 0.0);
    let visit = session.visit();
    session.handle_input(SessionInput::Edited(new.clone()), 1.0);
    assert_eq!(session.handle_input(SessionInput::Loaded(visit, brought(&old, "1", true)), 2.0), []);
    assert_eq!((session.form, session.shown), (new, None));
}

#[test]
fn stale_result_is_removed_if_another_address_opens() {
    let (old, new) = (form("a", "b"), form("c", "d"));
    let mut session = Session::new(old.clone());
    session.handle_input(SessionInput::Asked, 0.0);
    session.handle_input(SessionInput::RunEvent(session.visit(), answer_of(&old), HERE), 1.0);
    session.handle_input(SessionInput::Edited(new), 2.0);
    assert!(session.is_stale());
    session.handle_input(SessionInput::Opened(Some(RemoteContent::Job("1".into()))), 3.0);
    assert_eq!(session.shown, None);
}

#[test]
fn late_failures_of_earlier_requests_are_ignored() {
    let mut session = Session::new(form("a", "b"));
    session.handle_input(SessionInput::SentOff, 0.0);
    let visit = session.visit();
    let new = form("c", "d");
    session.handle_input(SessionInput::Edited(new.clone()), 1.0);
    session.handle_input(SessionInput::Asked, 1.0);
    session.handle_input(SessionInput::RunEvent(session.visit(), answer_of(&new), HERE), 2.0);
    let before = session.clone();
    assert_eq!(session.handle_input(SessionInput::Failed(visit, Problem::unreachable()), 3.0), []);
    assert_eq!(session, before);
    let visit = session.visit();
    assert!(
        session
            .handle_input(SessionInput::Failed(visit, Problem::unreachable()), 4.0)
            .contains(&SessionEffect::Say(Some(Problem::unreachable())))
    );
    assert_eq!(session.shown, None);
}

#[test]
fn missed_stream_resumes_at_the_state_of_the_job() {
    let old = form("a", "b");
    let mut session = running(&old);
    let visit = session.visit();
    assert_eq!(
        session.handle_input(SessionInput::Missed(visit), 1.0),
        [SessionEffect::Request(visit, ServerRequest::AskAgain("1".into()))]
    );
    assert_eq!(
        session.handle_input(SessionInput::CaughtUp(visit, brought(&old, "1", false)), 2.0),
        [SessionEffect::Request(visit, ServerRequest::Follow("1".into(), 1))]
    );
    assert_eq!(session.handle_input(SessionInput::CaughtUp(visit, brought(&old, "1", true)), 3.0), [SessionEffect::Detach]);
    check(&session);
    assert!(session.shown.is_some() && session.handle_input(SessionInput::Missed(visit), 4.0).is_empty());
}

#[test]
fn cancelling_stops_solver_upload_or_job() {
    let texts = form("a", "b");
    let mut here = Session::new(texts.clone());
    here.handle_input(SessionInput::Asked, 0.0);
    assert_eq!(here.handle_input(SessionInput::Cancelled, 1.0), [SessionEffect::StopSolver, SessionEffect::Detach]);
    let mut sending = Session::new(texts.clone());
    sending.handle_input(SessionInput::SentOff, 0.0);
    assert_eq!(sending.handle_input(SessionInput::Cancelled, 1.0), [SessionEffect::Detach]);
    let mut there = running(&texts);
    let visit = there.visit();
    assert_eq!(there.handle_input(SessionInput::Cancelled, 1.0), [SessionEffect::Request(visit, ServerRequest::Cancel("1".into()))]);
    assert!(there.run.is_under_way());
    there.handle_input(SessionInput::Stopped(visit), 2.0);
    assert_eq!([here.run.phase, sending.run.phase, there.run.phase], [RunPhase::Cancelled, RunPhase::Cancelled, RunPhase::Cancelled]);
    assert!(Session::new(texts).handle_input(SessionInput::Cancelled, 0.0).is_empty());
}

#[test]
fn texts_of_a_stored_result_are_fetched_before_a_new_comparison() {
    let content = TextContent::Stored { upload: String::new(), bytes: 9, symbols: 9, head: String::new(), file: "/f".into() };
    let stored = FormState { a: FormText { content, ..FormText::default() }, ..form("", "b") };
    let mut session = Session::new(FormState::new(Task::Lcs));
    let effects = session.handle_input(SessionInput::Edited(stored), 0.0);
    assert_eq!(effects.last(), Some(&SessionEffect::Request(session.visit(), ServerRequest::FetchTexts)));
}

/// Returns a stand-in for deflated texts, with the first letter of each.
fn packed(texts: TextPair) -> PackedTexts {
    let [a, b] = [&texts[0], &texts[1]].map(|text| text.chars().take(1).collect::<String>());
    let letters = format!("{a}|{b}");
    PackedTexts::opened(texts, &letters)
}

#[test]
fn long_texts_are_deflated_once_and_outdated_ones_are_ignored() {
    let (old, new) = (form(&"k".repeat(9_000), "sitting"), form(&"m".repeat(9_000), "sitting"));
    let mut session = Session::new(old.clone());
    let Some(SessionEffect::Deflate(texts)) = session.handle_input(SessionInput::AddressWanted, 0.0).pop() else {
        panic!("no texts to deflate")
    };
    // A new run in between changes no text.
    session.handle_input(SessionInput::Asked, 1.0);
    assert_eq!(session.handle_input(SessionInput::Deflated(packed(texts.clone())), 2.0), [SessionEffect::WriteAddress]);
    assert_eq!(session.handle_input(SessionInput::AddressWanted, 3.0), []);
    session.handle_input(SessionInput::Edited(new.clone()), 4.0);
    let Some(SessionEffect::Deflate(newer)) = session.handle_input(SessionInput::AddressWanted, 5.0).pop() else {
        panic!("no new texts to deflate")
    };
    assert_eq!(session.handle_input(SessionInput::Deflated(packed(texts)), 6.0), []);
    assert!(session.to_deflate().is_some());
    assert_eq!(session.handle_input(SessionInput::Deflated(packed(newer)), 7.0), [SessionEffect::WriteAddress]);
    assert_eq!(session.packed.as_ref().and_then(PackedTexts::letters), Some("m|s"));
    assert_eq!(Session::new(form("kitten", "sitting")).handle_input(SessionInput::AddressWanted, 0.0), []);
}

/// A small pseudo-random generator with the same sequence on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Returns the inputs that follow from `effect` later, executed with the form of that time. They include failures.
fn outcomes(effect: SessionEffect, form: &FormState, dice: &mut Dice) -> Vec<SessionInput> {
    let problem = || Problem::unreachable();
    let fails = dice.roll(5) == 0;
    let id = format!("{}", dice.roll(1_000));
    let event = |visit, event| SessionInput::RunEvent(visit, event, LocalRunFacts::default());
    let (visit, request) = match effect {
        SessionEffect::AnswerSoon(_) => return vec![SessionInput::Asked],
        SessionEffect::Measure(visit) if fails => return vec![SessionInput::Failed(visit, problem())],
        SessionEffect::Measure(visit) => return vec![event(visit, plan()), SessionInput::Planned(visit)],
        SessionEffect::Deflate(texts) => return vec![SessionInput::Deflated(packed(texts))],
        SessionEffect::Request(visit, request) => (visit, request),
        SessionEffect::GoToJob(_)
        | SessionEffect::Detach
        | SessionEffect::StopSolver
        | SessionEffect::WriteAddress
        | SessionEffect::Say(_) => return Vec::new(),
    };
    match request {
        ServerRequest::Open(_) | ServerRequest::FetchTexts | ServerRequest::Send | ServerRequest::Post(_) if fails => {
            vec![SessionInput::Failed(visit, problem())]
        }
        ServerRequest::Open(_) => {
            let opened = FormState { task: Task::ALL[dice.roll(Task::ALL.len())], ..form.clone() };
            vec![SessionInput::Loaded(visit, brought(&opened, "9", dice.roll(2) == 0))]
        }
        ServerRequest::FetchTexts => vec![SessionInput::Edited(form.clone())],
        ServerRequest::Send => vec![SessionInput::Uploaded(visit, 1), SessionInput::Sent(visit, job())],
        ServerRequest::Post(_) => vec![SessionInput::Posted(visit, id)],
        ServerRequest::Follow(..) if fails => vec![event(visit, plan()), SessionInput::Missed(visit)],
        ServerRequest::Follow(..) => vec![event(visit, plan()), event(visit, answer_of(form))],
        ServerRequest::AskAgain(id) => vec![SessionInput::CaughtUp(visit, brought(form, &id, dice.roll(2) == 0))],
        ServerRequest::Count(_) => vec![SessionInput::Counted(visit, (1, 1))],
        ServerRequest::Cancel(_) => vec![SessionInput::Stopped(visit)],
    }
}

#[test]
fn ten_thousand_sessions_show_no_result_of_another_form() {
    let (mut shown, long) = (0, "l".repeat(3_000));
    for seed in 1..=10_000 {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let mut session = Session::new(form("", ""));
        // Inputs that have not arrived yet, in no order.
        let mut pending: Vec<SessionInput> = Vec::new();
        for step in 0..40 {
            let texts = ["", "x", "kitten", &long];
            let other = form(texts[dice.roll(4)], texts[dice.roll(4)]);
            let input = match dice.roll(13) {
                7 => SessionInput::AddressWanted,
                0 => SessionInput::Edited(other),
                1 => SessionInput::Edited(FormState { task: Task::ALL[dice.roll(Task::ALL.len())], ..session.form.clone() }),
                2 => SessionInput::Asked,
                3 => SessionInput::SentOff,
                4 => SessionInput::Cancelled,
                5 => SessionInput::Opened(Some(RemoteContent::Job("9".into()))),
                6 if dice.roll(4) == 0 => SessionInput::Refused(Problem::unreachable()),
                _ if pending.is_empty() => continue,
                // Answers arrive late, out of order, and some of them twice.
                _ => {
                    let at = dice.roll(pending.len());
                    if dice.roll(10) == 0 { pending[at].clone() } else { pending.swap_remove(at) }
                }
            };
            let asked = matches!(input, SessionInput::Asked);
            let effects = session.handle_input(input, f64::from(step));
            check(&session);
            if asked {
                let (visit, failed) = (session.visit(), dice.roll(6) == 0);
                let last = if failed {
                    SessionInput::Failed(visit, Problem::unreachable())
                } else {
                    SessionInput::RunEvent(visit, answer_of(&session.form), HERE)
                };
                pending.extend([SessionInput::RunEvent(visit, plan(), HERE), last]);
            }
            for effect in effects {
                pending.extend(outcomes(effect, &session.form, &mut dice));
            }
            shown += usize::from(session.shown.is_some());
        }
    }
    assert!(shown > 10_000, "only {shown} results were seen");
}
