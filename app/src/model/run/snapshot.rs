//! Conversion of a job of the server into a run of the page ([`run`]), and of its texts into texts of a form
//! ([`stored`]).

use explain::snapshot::{JobSnapshot, JobStatus, TextInfo};
use kernels::event::{JobEvent, RunMetric};
use kernels::failure::JobFailure;

use crate::model::form::{FormSide, FormText, TextContent};
use crate::model::run::{RunPhase, RunState};
use crate::tr::t;

/// Converts the server's snapshot of a job into a run. `now` is the time of the page's clock, in milliseconds.
pub fn run(snapshot: &JobSnapshot, now: f64) -> RunState {
    // The rate of a running job is its average since the computation began, so that the rate tells when that was.
    let computed_ms = match (snapshot.state, snapshot.progress) {
        (JobStatus::Running, Some(progress)) if progress.cells_per_second > 0.0 => {
            1_000.0 * progress.done as f64 / progress.cells_per_second
        }
        _ => 0.0,
    };
    let mut run = RunState::new(RunPhase::Reading, now - computed_ms);
    let metric = |(name, value): (&String, &f64)| JobEvent::Metric(RunMetric { name: name.clone(), value: *value, unit: String::new() });
    let mut events: Vec<JobEvent> = Vec::new();
    events.extend(snapshot.plan.clone().map(JobEvent::Planned));
    events.extend(snapshot.read_texts().map(JobEvent::Read));
    events.extend(snapshot.stage.map(|stage| JobEvent::Stage { stage }));
    events.extend(snapshot.progress.map(JobEvent::Progress));
    events.extend(snapshot.metrics.iter().map(metric));
    events.extend(match snapshot.state {
        JobStatus::Queued => Some(JobEvent::Queued { position: snapshot.queue_position.unwrap_or(0), wait_ms: snapshot.queue_wait_ms }),
        JobStatus::Running => None,
        JobStatus::Succeeded => snapshot.answer.clone().map(JobEvent::Answer),
        JobStatus::Failed => Some(JobEvent::Failed(snapshot.failure.clone().unwrap_or_else(|| JobFailure::engine(t("The job failed."))))),
        JobStatus::Cancelled => Some(JobEvent::Cancelled),
    });
    events.into_iter().for_each(|event| run.apply(event, now));
    run
}

/// Number of symbols that are fetched from the beginning of a long text to be shown.
const HEAD_SYMBOLS: u64 = 600;

/// Maximum size of a text that is fetched as a whole, so that it can be edited, in bytes.
const WHOLE_BYTES: u64 = 16_000;

/// Returns the server's facts about the text `which`.
pub fn info(snapshot: &JobSnapshot, which: FormSide) -> &TextInfo {
    match which {
        FormSide::A => &snapshot.a,
        FormSide::B => &snapshot.b,
    }
}

/// The extent of a text that is fetched with its job or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextExtent {
    /// All bytes, so that the text can be edited and compared differently.
    Whole,
    /// This number of symbols from the beginning. The text stays on the server.
    Head(u64),
}

/// Returns which part of a text is fetched from the server: all bytes, or the beginning of a long text. `info`
/// describes the text.
pub fn extent(info: &TextInfo) -> TextExtent {
    if info.bytes <= WHOLE_BYTES { TextExtent::Whole } else { TextExtent::Head(HEAD_SYMBOLS) }
}

/// Creates the text of a form for a text that stays on the server. `file` is its address there, and `head` its
/// beginning.
pub fn stored(info: &TextInfo, head: String, file: String) -> FormText {
    let content =
        TextContent::Stored { upload: info.upload.clone().unwrap_or_default(), bytes: info.bytes, symbols: info.symbols, head, file };
    FormText { name: info.name.clone().filter(|name| !name.is_empty()), content, choice: info.choice.clone(), ..FormText::default() }
}

#[cfg(test)]
mod tests {
    use kernels::event::{RunProgress, TaskAnswer};
    use kernels::job::{JobOptions, Task, Unit};

    use super::*;

    fn snapshot(state: JobStatus) -> JobSnapshot {
        let info = TextInfo { name: Some("one".into()), symbols: 60_000, bytes: 60_010, upload: Some("u".into()), ..TextInfo::default() };
        let new = JobSnapshot::new("x".into(), Task::EditDistance, JobOptions::default(), info, TextInfo::default());
        JobSnapshot {
            state,
            queue_position: Some(2),
            queue_wait_ms: Some(6e3),
            failure: Some(JobFailure::Interrupted),
            answer: Some(TaskAnswer::from_distance(3, None)),
            ..new
        }
    }

    #[test]
    fn every_job_status_has_a_phase() {
        let phase = |state| run(&snapshot(state), 0.0).phase;
        assert_eq!(phase(JobStatus::Queued), RunPhase::Queued { position: 2, starts: Some(6e3) });
        assert_eq!(phase(JobStatus::Running), RunPhase::Reading);
        assert_eq!(phase(JobStatus::Succeeded), RunPhase::Done);
        assert_eq!(phase(JobStatus::Failed), RunPhase::Failed(JobFailure::Interrupted));
        assert_eq!(phase(JobStatus::Cancelled), RunPhase::Cancelled);
    }

    #[test]
    fn start_of_a_running_job_is_derived_from_its_rate() {
        let progress = Some(RunProgress { done: 3_000, total: 9_000, cells_per_second: 1_000.0, eta_ms: 6_000.0 });
        let began = |state| run(&JobSnapshot { progress, ..snapshot(state) }, 50_000.0).started_at;
        assert_eq!((began(JobStatus::Running), began(JobStatus::Queued)), (47_000.0, 50_000.0));
        assert_eq!(run(&snapshot(JobStatus::Running), 50_000.0).started_at, 50_000.0);
    }

    #[test]
    fn long_texts_of_a_job_stay_on_the_server_and_short_ones_are_fetched() {
        let mut snapshot = snapshot(JobStatus::Succeeded);
        let long = stored(&snapshot.a, "ab".into(), "/f".into());
        assert_eq!((long.name.as_deref(), long.bytes(), long.text()), (Some("one"), 60_010, None));
        assert_eq!((extent(&snapshot.a), extent(&snapshot.b)), (TextExtent::Head(HEAD_SYMBOLS), TextExtent::Whole));
        // Short texts are fetched whole in every unit, because symbols omit ignored characters and bytes that are not
        // text.
        for unit in [Unit::Words, Unit::Bytes, Unit::Lines] {
            (snapshot.options.unit, snapshot.options.ignore_whitespace, snapshot.a.bytes) = (unit, true, 10);
            assert_eq!(extent(info(&snapshot, FormSide::A)), TextExtent::Whole);
        }
    }
}
