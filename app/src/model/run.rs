//! State of a run, reduced from its events. Views only read it.
//!
//! - [`log`]: what happened, in words; [`reason`]: why an engine was chosen; [`sentence`]: which engine solves it
//! - [`at`]: location of the result; [`snapshot`]: conversion of a job on the server; [`checked`]: whether the answer
//!   was verified
//! - [`figures`]: measured times in words and spans; [`again`]: commands that reproduce the result

use std::collections::BTreeMap;

use kernels::alignment::Summary;
use kernels::event::{Answer, Event, Partial, Progress, ReadTexts, Stage};
use kernels::failure::Failure;
use kernels::found::Hit;
use kernels::job::Task;
use kernels::plan::{Place, Plan, Reason};
use kernels::reading::Warning;

use self::log::{FellBack, Happened, Line};

pub mod again;
pub mod at;
pub mod checked;
pub mod figures;
pub mod log;
pub mod reason;
pub mod sentence;
pub mod snapshot;

/// Minimum duration of a run for which the run view is shown, in milliseconds.
pub const SHOWN_AFTER_MS: f64 = 2_000.0;

/// Maximum number of points of the rate chart. Older points are thinned out.
const MAX_RATE_POINTS: usize = 240;

/// The phase of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// No run was started.
    #[default]
    Idle,
    /// The texts are being read.
    Reading,
    /// The run is planned and waits for the visitor.
    Waiting,
    /// The texts are being uploaded.
    Uploading {
        /// Bytes sent.
        sent: u64,
        /// Bytes to send.
        total: u64,
    },
    /// The job waits in the queue.
    Queued {
        /// Number of jobs ahead.
        position: u64,
        /// Expected start, in milliseconds of the page's clock.
        starts: Option<f64>,
    },
    /// An engine solves the job.
    Running,
    /// The run has an answer.
    Done,
    /// The run ended without an answer.
    Failed(Failure),
    /// The visitor cancelled the run.
    Cancelled,
}

/// The state of a run, reduced from the events received so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunState {
    pub phase: Phase,
    /// The chosen engine, and the reason for it.
    pub plan: Option<Plan>,
    /// Report on how both texts were read.
    pub reading: Option<ReadTexts>,
    /// The stage that the engine has reached.
    pub stage: Option<Stage>,
    /// Progress of the current stage.
    pub progress: Option<Progress>,
    /// Known lower and upper bound of the score.
    pub bounds: Option<(u64, u64)>,
    /// Number of hits found so far.
    pub found: Option<u64>,
    /// The hit that was found last.
    pub latest: Option<Hit>,
    /// The best score so far.
    pub best: Option<u64>,
    /// Measured values by name.
    pub metrics: BTreeMap<String, f64>,
    pub answer: Option<Answer>,
    /// The engine that failed and the one that replaced it.
    pub fell_back: Option<FellBack>,
    /// Log of the run, with at most one line per stage.
    pub log: Vec<Line>,
    /// Rates over time, as pairs of milliseconds since the start and cells per second.
    pub rates: Vec<(f64, f64)>,
    /// Start time, in milliseconds of the page's clock.
    pub began: f64,
    /// Time of the last event, in milliseconds since the start.
    pub elapsed: f64,
}

impl RunState {
    /// Returns the warnings about how the texts were read.
    pub fn warnings(&self) -> &[Warning] {
        self.reading.as_ref().map(|reading| reading.warnings.as_slice()).unwrap_or_default()
    }

    /// Creates a run that starts at `now`, in milliseconds of the page's clock.
    pub fn begun(phase: Phase, now: f64) -> Self {
        Self { phase, began: now, ..Self::default() }
    }

    /// Returns whether the run is active: reading, uploading, queued or running.
    pub fn is_under_way(&self) -> bool {
        matches!(self.phase, Phase::Reading | Phase::Uploading { .. } | Phase::Queued { .. } | Phase::Running)
    }

    /// Returns whether the run has ended, so that no event can follow.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Done | Phase::Failed(_) | Phase::Cancelled)
    }

    /// Returns whether the run is or will be long enough to show the run view. `now` is the time of the page's clock.
    pub fn is_shown(&self, now: f64) -> bool {
        let long = self.plan.as_ref().is_some_and(|plan| plan.expected_ms >= SHOWN_AFTER_MS);
        self.is_under_way() && self.phase != Phase::Reading && (long || now - self.began >= SHOWN_AFTER_MS)
    }

    /// Returns the share of the work that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match (&self.phase, self.progress) {
            (Phase::Done, _) => 1.0,
            (_, Some(progress)) if progress.total > 0 => (progress.done as f64 / progress.total as f64).min(1.0),
            _ => 0.0,
        }
    }

    /// Returns the summary of the answer's alignment.
    pub fn summary(&self) -> Option<Summary> {
        self.answer.as_ref().and_then(Answer::alignment)
    }

    /// Applies the next event. `now` is the time of the page's clock. Events after the last one are ignored.
    pub fn apply(&mut self, event: Event, now: f64) {
        if self.is_over() {
            return;
        }
        self.elapsed = now - self.began;
        match event {
            Event::Queued { position, wait_ms } => {
                if position > 0 && !matches!(self.phase, Phase::Queued { .. }) {
                    self.note(Happened::Queued { position, wait_ms });
                }
                self.phase = Phase::Queued { position, starts: wait_ms.map(|ms| now + ms) };
            }
            Event::Planned(plan) => {
                self.fell_back = self.fall_back(&plan).or(self.fell_back.take());
                if plan.place == Place::Server || plan.expected_ms >= SHOWN_AFTER_MS {
                    self.note(Happened::Planned(Box::new(plan.clone())));
                }
                self.plan = Some(plan);
                // A job whose engine failed starts again on another one.
                (self.stage, self.progress, self.bounds) = (None, None, None);
                (self.found, self.latest, self.best) = (None, None, None);
                self.phase = Phase::Running;
            }
            Event::Read(reading) => self.reading = Some(reading),
            Event::Stage { stage } => {
                if self.stage.is_none_or(|last| last < stage) {
                    self.note(self.reached(stage));
                }
                self.stage = Some(stage);
                self.phase = Phase::Running;
            }
            Event::Progress(progress) => {
                self.rates.push((self.elapsed, progress.cells_per_second));
                if self.rates.len() > MAX_RATE_POINTS {
                    let mut nth = 0;
                    self.rates.retain(|_| {
                        nth += 1;
                        nth % 2 == 0
                    });
                }
                self.progress = Some(progress);
                self.phase = Phase::Running;
            }
            Event::Metric(metric) => {
                self.metrics.insert(metric.name, metric.value);
            }
            Event::Partial(Partial::Bounds { at_least, at_most }) => {
                let (low, high) = self.bounds.unwrap_or((0, u64::MAX));
                self.bounds = Some((low.max(at_least), high.min(at_most)));
            }
            Event::Partial(Partial::Found { total, latest }) => (self.found, self.latest) = (Some(total), latest.or(self.latest)),
            Event::Partial(Partial::Best { score }) => self.best = Some(score),
            Event::Answer(answer) => {
                self.answer = Some(answer);
                self.phase = Phase::Done;
            }
            Event::Failed(failure) => self.phase = Phase::Failed(failure),
            Event::Cancelled => self.phase = Phase::Cancelled,
        }
    }

    /// Returns the change of engine, if `next` is a plan with another engine and the run had already started.
    fn fall_back(&self, next: &Plan) -> Option<FellBack> {
        let last = self.plan.as_ref().filter(|last| self.stage.is_some() && last.engine != next.engine)?;
        let [was, now] = [last, next].map(|plan| (plan.engine, plan.place));
        Some(FellBack { was, now, fraction: self.fraction(), needs_ms: next.expected_ms, instead_of_ms: last.expected_ms })
    }

    /// Marks the run as planned and waiting for the visitor.
    pub fn wait(&mut self) {
        if !self.is_over() {
            self.phase = Phase::Waiting;
        }
    }

    fn note(&mut self, what: Happened) {
        self.log.push(Line { at: self.elapsed, what });
    }

    fn reached(&self, stage: Stage) -> Happened {
        match stage {
            Stage::Read => Happened::Read,
            Stage::Transfer => Happened::Transferred,
            Stage::Compute => Happened::Computing { cells: self.progress.map(|progress| progress.total).filter(|total| *total > 0) },
            Stage::Traceback => {
                // The score of a longest common subsequence is a length, other scores are distances.
                let reason = self.plan.as_ref().and_then(|plan| plan.reason.as_ref());
                let is_length = matches!(reason, Some(Reason::Quick { task: Task::Lcs, .. }));
                Happened::Tracing { score: self.bounds.filter(|(low, high)| low == high).map(|(score, _)| score), is_length }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::event::Metric;
    use kernels::plan::EngineName;

    use super::*;

    fn plan(expected_ms: f64) -> Event {
        let because = "because".to_owned();
        Event::Planned(Plan {
            engine: EngineName::Cpu,
            place: Place::Server,
            device: "cores".into(),
            because,
            reason: None,
            expected_ms,
            alternative: None,
        })
    }

    fn answer(distance: u64) -> Event {
        Event::Answer(Answer::EditDistance { distance, alignment: None })
    }

    fn progress(done: u64) -> Event {
        Event::Progress(Progress { done, total: 100, cells_per_second: done as f64, eta_ms: 1.0 })
    }

    fn after(events: impl IntoIterator<Item = Event>) -> RunState {
        let mut run = RunState::begun(Phase::Reading, 0.0);
        events.into_iter().zip(1..).for_each(|(event, at)| run.apply(event, f64::from(at) * 100.0));
        run
    }

    #[test]
    fn events_lead_from_the_queue_to_the_answer() {
        let run = after([Event::Queued { position: 2, wait_ms: None }, Event::Queued { position: 1, wait_ms: Some(500.0) }]);
        assert_eq!(run.phase, Phase::Queued { position: 1, starts: Some(700.0) });
        assert_eq!(run.log.len(), 1);
        let metric = Event::Metric(Metric { name: "cells".into(), value: 7.0, unit: "cells".into() });
        let run = after([plan(1.0), Event::Stage { stage: Stage::Compute }, progress(50), metric]);
        assert_eq!((run.phase.clone(), run.fraction(), run.metrics["cells"]), (Phase::Running, 0.5, 7.0));
        let run = after([plan(1.0), progress(50), answer(3)]);
        assert_eq!((run.phase.clone(), run.fraction(), run.elapsed), (Phase::Done, 1.0, 300.0));
    }

    #[test]
    fn nothing_counts_after_the_last_event() {
        for last in [answer(3), Event::Cancelled, Event::Failed(Failure::Interrupted)] {
            let ended = after([plan(1.0), last.clone()]);
            for late in [answer(4), Event::Cancelled, progress(99), Event::Queued { position: 1, wait_ms: Some(500.0) }, plan(5.0)] {
                let mut run = ended.clone();
                run.apply(late.clone(), 900.0);
                assert_eq!(run, ended, "{last:?} then {late:?}");
                run.wait();
                assert_eq!(run, ended);
            }
        }
    }

    #[test]
    fn short_runs_are_never_shown_and_long_ones_at_once() {
        let short = after([plan(100.0), progress(1)]);
        assert!(!short.is_shown(1_900.0) && short.is_shown(2_000.0));
        assert!(after([plan(10_000.0)]).is_shown(150.0));
        assert!(!after([plan(10_000.0), answer(1)]).is_shown(9_000.0));
    }

    #[test]
    fn bounds_only_get_narrower() {
        let bounds = |at_least, at_most| Event::Partial(Partial::Bounds { at_least, at_most });
        assert_eq!(after([bounds(2, 90), bounds(1, 60), bounds(5, 80)]).bounds, Some((5, 60)));
    }

    #[test]
    fn a_search_says_what_it_has_found_so_far() {
        let found = |total| Event::Partial(Partial::Found { total, latest: None });
        let run = after([plan(1.0), found(3), found(12), Event::Partial(Partial::Best { score: 263 })]);
        assert_eq!((run.found, run.best), (Some(12), Some(263)));
    }

    #[test]
    fn another_engine_begins_from_the_start() {
        let found = Event::Partial(Partial::Found { total: 3, latest: None });
        let bounds = Event::Partial(Partial::Bounds { at_least: 1, at_most: 2 });
        let failed = [plan(1.0), Event::Stage { stage: Stage::Compute }, found, bounds, progress(50)];
        let run = after(failed.into_iter().chain([
            Event::Queued { position: 0, wait_ms: None },
            plan(3_000.0),
            Event::Stage { stage: Stage::Read },
        ]));
        assert_eq!((run.fraction(), run.stage, run.found, run.bounds), (0.0, Some(Stage::Read), None, None));
        assert!(run.log.iter().any(|line| line.what.said().contains("because")), "{:?}", run.log);
        assert_eq!(run.fell_back, None, "the same engine again");
        let Event::Planned(mut first) = plan(37_000.0) else { panic!() };
        first.engine = EngineName::Cuda;
        let gone = [Event::Planned(first), Event::Stage { stage: Stage::Compute }, progress(61), plan(3_000_000.0)];
        assert_eq!(
            after(gone).fell_back.unwrap().said(),
            "The server’s GPU stopped answering at 61%. The job now runs on the server’s processor: about 50\u{a0}min instead of 37\u{a0}s. The answer will be the same."
        );
    }

    #[test]
    fn what_happened_is_said_in_the_language_that_is_spoken_then() {
        let failed = [plan(37_000.0), Event::Stage { stage: Stage::Compute }, progress(50)];
        let Event::Planned(mut other) = plan(9_000.0) else { panic!() };
        other.engine = EngineName::Cuda;
        let traced = Event::Stage { stage: Stage::Traceback };
        let bounds = Event::Partial(Partial::Bounds { at_least: 7, at_most: 7 });
        let queued = Event::Queued { position: 2, wait_ms: Some(500.0) };
        let run = after([queued].into_iter().chain(failed).chain([Event::Planned(other), bounds, traced]));
        let said = || run.log.iter().map(|line| line.what.said()).chain(run.fell_back.as_ref().map(FellBack::said)).collect::<Vec<_>>();
        let english = said();
        let owner = leptos::prelude::Owner::new();
        let german = owner.with(|| {
            leptos::prelude::provide_context(crate::tr::Language::German);
            said()
        });
        assert_eq!(english.len(), 6);
        for (english, german) in english.iter().zip(&german) {
            assert_ne!(english, german);
        }
        assert!(german.contains(&"Die Distanz ist 7. Das Alignment wird zurückverfolgt.".to_owned()), "{german:?}");
    }

    #[test]
    fn the_rate_line_stays_short() {
        let run = after((0..2_000).map(|at| progress(at % 100)));
        assert!((MAX_RATE_POINTS / 2..=MAX_RATE_POINTS).contains(&run.rates.len()), "{}", run.rates.len());
        assert!(run.rates.is_sorted_by(|x, y| x.0 < y.0));
    }
}
