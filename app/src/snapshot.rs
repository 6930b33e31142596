//! A job of the server as the page's own run and form.

use explain::snapshot::{Snapshot, State, TextInfo};
use kernels::event::{Event, Metric};
use kernels::failure::Failure;
use kernels::job::Unit;

use crate::form::{Content, Form, Side, Which};
use crate::run::{Phase, RunState};
use crate::tr::t;

/// The run that this job is, for a page whose clock shows `now`.
pub fn run(snapshot: &Snapshot, now: f64) -> RunState {
    let mut run = RunState::begun(Phase::Reading, now);
    let metric = |(name, value): (&String, &f64)| Event::Metric(Metric { name: name.clone(), value: *value, unit: String::new() });
    let mut events: Vec<Event> = Vec::new();
    events.extend(snapshot.plan.clone().map(Event::Planned));
    events.extend(snapshot.reading.clone().map(Event::Read));
    events.extend(snapshot.stage.map(|stage| Event::Stage { stage }));
    events.extend(snapshot.progress.map(Event::Progress));
    events.extend(snapshot.metrics.iter().map(metric));
    events.extend(match snapshot.state {
        State::Queued => Some(Event::Queued { position: snapshot.queue_position.unwrap_or(0), wait_ms: snapshot.queue_wait_ms }),
        State::Running => None,
        State::Succeeded => snapshot.answer.clone().map(Event::Answer),
        State::Failed => Some(Event::Failed(snapshot.failure.clone().unwrap_or_else(|| Failure::engine(t("The job failed."))))),
        State::Cancelled => Some(Event::Cancelled),
        State::Expired => Some(Event::Failed(Failure::bad_input(t("The answer is not kept any more. Compare the texts again.")))),
    });
    events.into_iter().for_each(|event| run.apply(event, now));
    run
}

/// Symbols of a text's beginning, for the editor.
const HEAD_SYMBOLS: u64 = 600;

/// Texts up to this many bytes are brought here whole, so that they can be edited.
const WHOLE_BYTES: u64 = 16_000;

/// Symbols of a text that the form of this job asks for.
pub fn head_symbols(snapshot: &Snapshot, which: Which) -> u64 {
    let info = match which {
        Which::A => &snapshot.a,
        Which::B => &snapshot.b,
    };
    if is_whole(snapshot, info) { info.symbols.max(1) } else { HEAD_SYMBOLS }
}

/// Whether the symbols of a short text are the text: nothing lies between them.
fn is_whole(snapshot: &Snapshot, info: &TextInfo) -> bool {
    let options = snapshot.options;
    info.bytes <= WHOLE_BYTES && options.unit != Unit::Words && !options.ignore_whitespace
}

/// The form that a job came from. Long texts stay on the server, and `heads` are their beginnings; short ones are here whole.
pub fn form(snapshot: &Snapshot, heads: [String; 2]) -> Form {
    let side = |info: &TextInfo, head: String| {
        let choice = info.choice.clone();
        if is_whole(snapshot, info) {
            return Side { choice, ..Side::typed(head) };
        }
        let content = Content::Stored { upload: info.upload.clone().unwrap_or_default(), bytes: info.bytes, symbols: info.symbols, head };
        Side { name: info.name.clone().filter(|name| !name.is_empty()), content, choice }
    };
    let [a, b] = heads;
    Form { task: snapshot.task, options: snapshot.options, a: side(&snapshot.a, a), b: side(&snapshot.b, b) }
}

#[cfg(test)]
mod tests {
    use kernels::event::Answer;
    use kernels::job::{Options, Task};

    use super::*;

    fn snapshot(state: State) -> Snapshot {
        let info = TextInfo { name: Some("one".into()), symbols: 60_000, bytes: 60_010, upload: Some("u".into()), ..TextInfo::default() };
        let new = Snapshot::new("x".into(), Task::EditDistance, Options::default(), info, TextInfo::default());
        Snapshot {
            state,
            queue_position: Some(2),
            queue_wait_ms: Some(6e3),
            failure: Some(Failure::Interrupted),
            answer: Some(Answer::EditDistance { distance: 3, alignment: None }),
            ..new
        }
    }

    #[test]
    fn every_state_is_a_phase() {
        let phase = |state| run(&snapshot(state), 0.0).phase;
        assert_eq!(phase(State::Queued), Phase::Queued { position: 2, starts: Some(6e3) });
        assert_eq!(phase(State::Running), Phase::Reading);
        assert_eq!(phase(State::Succeeded), Phase::Done);
        assert_eq!(phase(State::Failed), Phase::Failed(Failure::Interrupted));
        assert_eq!(phase(State::Cancelled), Phase::Cancelled);
        assert!(matches!(phase(State::Expired), Phase::Failed(_)));
    }

    #[test]
    fn long_texts_of_a_job_stay_on_the_server_and_short_ones_can_be_edited() {
        let mut snapshot = snapshot(State::Succeeded);
        let long = form(&snapshot, ["ab".into(), String::new()]);
        assert_eq!((long.a.name.as_deref(), long.bytes(), long.bytes_to_send()), (Some("one"), 60_010, 0));
        assert_eq!(long.b.text(), Some(""));
        (snapshot.a.symbols, snapshot.a.bytes) = (4, 10);
        assert_eq!(
            (head_symbols(&snapshot, Which::A), form(&snapshot, [">one\nACGT".into(), String::new()]).a.text()),
            (4, Some(">one\nACGT"))
        );
        snapshot.options.unit = Unit::Words;
        assert_eq!(form(&snapshot, ["ab".into(), String::new()]).a.text(), None);
    }
}
