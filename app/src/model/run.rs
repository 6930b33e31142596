//! State of a run (the work on one form, from reading the texts to the answer): [`RunState`], reduced from the events
//! of the run by [`RunState::apply`]. Views only read it.
//!
//! - [`log`]: what happened, in words; [`reason`]: why an engine was chosen; [`sentence`]: which engine solves the form
//! - [`location`]: location of the result; [`snapshot`]: conversion of a job on the server; [`checked`]: whether the answer
//!   was verified
//! - [`figures`]: measured times in words and spans; [`reproduce`]: commands that reproduce the result

use std::collections::BTreeMap;

use kernels::alignment::AlignmentSummary;
use kernels::event::{JobEvent, PairReadReport, PartialAnswer, RunProgress, RunStage, TaskAnswer};
use kernels::failure::JobFailure;
use kernels::found::Hit;
use kernels::job::Task;
use kernels::plan::{EnginePlace, JobPlan, PlanReason};
use kernels::reading::ReadWarning;

use self::log::{EngineFallback, LogEvent, LogLine};

pub mod checked;
pub mod figures;
pub mod location;
pub mod log;
pub mod reason;
pub mod reproduce;
pub mod sentence;
pub mod snapshot;

/// Minimum duration of a run for which its progress is shown, in milliseconds.
pub const SHOWN_AFTER_MS: f64 = 2_000.0;

/// Maximum number of points of the chart of the computing rate over time. Older points are thinned out.
const MAX_RATE_POINTS: usize = 240;

/// The phase of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunPhase {
    /// No run was started.
    #[default]
    Idle,
    /// The texts are being read.
    Reading,
    /// The run is planned and waits for the visitor to start it.
    Waiting,
    /// The texts are being uploaded.
    Uploading {
        /// Number of bytes sent so far.
        sent: u64,
        /// Number of bytes to send in all.
        total: u64,
    },
    /// The job waits in the queue.
    Queued {
        /// Number of jobs that run before this one.
        position: u64,
        /// Expected start, in milliseconds of the page's clock.
        starts: Option<f64>,
    },
    /// An engine solves the job.
    Running,
    /// The run has an answer.
    Done,
    /// The run ended without an answer.
    Failed(JobFailure),
    /// The visitor cancelled the run.
    Cancelled,
}

/// The state of a run, reduced from the events received so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunState {
    pub phase: RunPhase,
    /// The chosen engine, the reason for it, and the expected time.
    pub plan: Option<JobPlan>,
    /// Report on how both texts were read.
    pub reading: Option<PairReadReport>,
    /// The stage that the engine has reached.
    pub stage: Option<RunStage>,
    /// Progress of the current stage.
    pub progress: Option<RunProgress>,
    /// Known lower and upper bound of the score.
    pub bounds: Option<(u64, u64)>,
    /// Number of hits found so far.
    pub hit_count: Option<u64>,
    /// The hit that was found last.
    pub latest: Option<Hit>,
    /// The best score found so far.
    pub best: Option<u64>,
    /// Measured values by their names in the events.
    pub metrics: BTreeMap<String, f64>,
    pub answer: Option<TaskAnswer>,
    /// The change to another engine, if the first one failed.
    pub fell_back: Option<EngineFallback>,
    /// Log of the run, with at most one line per stage.
    pub log: Vec<LogLine>,
    /// Computing rates over time, as pairs: milliseconds since the start, and cells per second.
    pub rates: Vec<(f64, f64)>,
    /// Start time, in milliseconds of the page's clock.
    pub started_at: f64,
    /// Time of the last event, in milliseconds since the start.
    pub elapsed: f64,
}

impl RunState {
    /// Returns the warnings about how the texts were read.
    pub fn warnings(&self) -> &[ReadWarning] {
        self.reading.as_ref().map(|reading| reading.warnings.as_slice()).unwrap_or_default()
    }

    /// Creates a run in this phase that starts at `now`, in milliseconds of the page's clock.
    pub fn new(phase: RunPhase, now: f64) -> Self {
        Self { phase, started_at: now, ..Self::default() }
    }

    /// Returns whether the run is active: reading, uploading, queued or running.
    pub fn is_under_way(&self) -> bool {
        matches!(self.phase, RunPhase::Reading | RunPhase::Uploading { .. } | RunPhase::Queued { .. } | RunPhase::Running)
    }

    /// Returns whether the run has ended, so that no event can follow.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, RunPhase::Done | RunPhase::Failed(_) | RunPhase::Cancelled)
    }

    /// Returns whether the run takes or will take long enough to show its progress. `now` is the time of the page's
    /// clock, in milliseconds.
    pub fn is_shown(&self, now: f64) -> bool {
        let long = self.plan.as_ref().is_some_and(|plan| plan.expected_ms >= SHOWN_AFTER_MS);
        self.is_under_way() && self.phase != RunPhase::Reading && (long || now - self.started_at >= SHOWN_AFTER_MS)
    }

    /// Returns the share of the work that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match (&self.phase, self.progress) {
            (RunPhase::Done, _) => 1.0,
            (_, Some(progress)) if progress.total > 0 => (progress.done as f64 / progress.total as f64).min(1.0),
            _ => 0.0,
        }
    }

    /// Returns the summary of the answer's alignment, or `None` without an answer or an alignment.
    pub fn summary(&self) -> Option<AlignmentSummary> {
        self.answer.as_ref().and_then(TaskAnswer::alignment)
    }

    /// Applies the next event of the run. `now` is the time of the page's clock, in milliseconds. Events after the end
    /// of the run are ignored.
    pub fn apply(&mut self, event: JobEvent, now: f64) {
        if self.is_over() {
            return;
        }
        self.elapsed = now - self.started_at;
        match event {
            JobEvent::Queued { position, wait_ms } => {
                if position > 0 && !matches!(self.phase, RunPhase::Queued { .. }) {
                    self.note(LogEvent::Queued { position, wait_ms });
                }
                self.phase = RunPhase::Queued { position, starts: wait_ms.map(|ms| now + ms) };
            }
            JobEvent::Planned(plan) => {
                self.fell_back = self.fall_back(&plan).or(self.fell_back.take());
                if plan.place == EnginePlace::Server || plan.expected_ms >= SHOWN_AFTER_MS {
                    self.note(LogEvent::Planned(Box::new(plan.clone())));
                }
                self.plan = Some(plan);
                // A second plan means that an engine failed and another one starts from the beginning.
                (self.stage, self.progress, self.bounds) = (None, None, None);
                (self.hit_count, self.latest, self.best) = (None, None, None);
                self.phase = RunPhase::Running;
            }
            JobEvent::Read(reading) => self.reading = Some(reading),
            JobEvent::Stage { stage } => {
                if self.stage.is_none_or(|last| last < stage) {
                    self.note(self.reached(stage));
                }
                self.stage = Some(stage);
                self.phase = RunPhase::Running;
            }
            JobEvent::Progress(progress) => {
                self.rates.push((self.elapsed, progress.cells_per_second));
                if self.rates.len() > MAX_RATE_POINTS {
                    let mut nth = 0;
                    self.rates.retain(|_| {
                        nth += 1;
                        nth % 2 == 0
                    });
                }
                self.progress = Some(progress);
                self.phase = RunPhase::Running;
            }
            JobEvent::Metric(metric) => {
                self.metrics.insert(metric.name, metric.value);
            }
            JobEvent::Partial(PartialAnswer::Bounds { at_least, at_most }) => {
                let (low, high) = self.bounds.unwrap_or((0, u64::MAX));
                self.bounds = Some((low.max(at_least), high.min(at_most)));
            }
            JobEvent::Partial(PartialAnswer::Found { total, latest }) => {
                (self.hit_count, self.latest) = (Some(total), latest.or(self.latest))
            }
            JobEvent::Partial(PartialAnswer::Best { score }) => self.best = Some(score),
            JobEvent::Answer(answer) => {
                self.answer = Some(answer);
                self.phase = RunPhase::Done;
            }
            // The page starts no collections on a server.
            JobEvent::Compared => self.phase = RunPhase::Done,
            JobEvent::Failed(failure) => self.phase = RunPhase::Failed(failure),
            JobEvent::Cancelled => self.phase = RunPhase::Cancelled,
        }
    }

    /// Returns the change of the engine, if `next` is a plan with another engine although the run had already started.
    /// Otherwise returns `None`.
    fn fall_back(&self, next: &JobPlan) -> Option<EngineFallback> {
        let last = self.plan.as_ref().filter(|last| self.stage.is_some() && last.engine != next.engine)?;
        let [was, now] = [last, next].map(|plan| (plan.engine, plan.place));
        Some(EngineFallback { was, now, fraction: self.fraction(), needs_ms: next.expected_ms, instead_of_ms: last.expected_ms })
    }

    /// Marks the run as planned and waiting for the visitor.
    pub fn wait(&mut self) {
        if !self.is_over() {
            self.phase = RunPhase::Waiting;
        }
    }

    fn note(&mut self, what: LogEvent) {
        self.log.push(LogLine { elapsed_ms: self.elapsed, event: what });
    }

    fn reached(&self, stage: RunStage) -> LogEvent {
        match stage {
            RunStage::Read => LogEvent::Read,
            RunStage::Transfer => LogEvent::Transferred,
            RunStage::Compute => LogEvent::Computing { cells: self.progress.map(|progress| progress.total).filter(|total| *total > 0) },
            RunStage::Traceback => {
                // The score of a longest common subsequence is a length, other scores are distances.
                let reason = self.plan.as_ref().and_then(|plan| plan.reason.as_ref());
                let is_length = matches!(reason, Some(PlanReason::Quick { task: Task::Lcs, .. }));
                LogEvent::Tracing { score: self.bounds.filter(|(low, high)| low == high).map(|(score, _)| score), is_length }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kernels::event::RunMetric;
    use kernels::plan::EngineName;

    use super::*;

    fn plan(expected_ms: f64) -> JobEvent {
        JobEvent::Planned(JobPlan { because: "because".into(), expected_ms, ..JobPlan::unestimated(EngineName::Cpu, EnginePlace::Server) })
    }

    fn answer(distance: u64) -> JobEvent {
        JobEvent::Answer(TaskAnswer::from_distance(distance, None))
    }

    fn progress(done: u64) -> JobEvent {
        JobEvent::Progress(RunProgress { done, total: 100, cells_per_second: done as f64, eta_ms: 1.0 })
    }

    fn after(events: impl IntoIterator<Item = JobEvent>) -> RunState {
        let mut run = RunState::new(RunPhase::Reading, 0.0);
        events.into_iter().zip(1..).for_each(|(event, at)| run.apply(event, f64::from(at) * 100.0));
        run
    }

    #[test]
    fn events_lead_from_the_queue_to_the_answer() {
        let run = after([JobEvent::Queued { position: 2, wait_ms: None }, JobEvent::Queued { position: 1, wait_ms: Some(500.0) }]);
        assert_eq!(run.phase, RunPhase::Queued { position: 1, starts: Some(700.0) });
        assert_eq!(run.log.len(), 1);
        let metric = JobEvent::Metric(RunMetric { name: "cells".into(), value: 7.0, unit: "cells".into() });
        let run = after([plan(1.0), JobEvent::Stage { stage: RunStage::Compute }, progress(50), metric]);
        assert_eq!((run.phase.clone(), run.fraction(), run.metrics["cells"]), (RunPhase::Running, 0.5, 7.0));
        let run = after([plan(1.0), progress(50), answer(3)]);
        assert_eq!((run.phase.clone(), run.fraction(), run.elapsed), (RunPhase::Done, 1.0, 300.0));
    }

    #[test]
    fn events_after_the_last_one_are_ignored() {
        for last in [answer(3), JobEvent::Cancelled, JobEvent::Failed(JobFailure::Interrupted)] {
            let ended = after([plan(1.0), last.clone()]);
            for late in [answer(4), JobEvent::Cancelled, progress(99), JobEvent::Queued { position: 1, wait_ms: Some(500.0) }, plan(5.0)] {
                let mut run = ended.clone();
                run.apply(late.clone(), 900.0);
                assert_eq!(run, ended, "{last:?} then {late:?}");
                run.wait();
                assert_eq!(run, ended);
            }
        }
    }

    #[test]
    fn short_runs_are_not_shown_and_long_ones_at_once() {
        let short = after([plan(100.0), progress(1)]);
        assert!(!short.is_shown(1_900.0) && short.is_shown(2_000.0));
        assert!(after([plan(10_000.0)]).is_shown(150.0));
        assert!(!after([plan(10_000.0), answer(1)]).is_shown(9_000.0));
    }

    #[test]
    fn bounds_only_get_narrower() {
        let bounds = |at_least, at_most| JobEvent::Partial(PartialAnswer::Bounds { at_least, at_most });
        assert_eq!(after([bounds(2, 90), bounds(1, 60), bounds(5, 80)]).bounds, Some((5, 60)));
    }

    #[test]
    fn search_reports_the_hits_so_far() {
        let found = |total| JobEvent::Partial(PartialAnswer::Found { total, latest: None });
        let run = after([plan(1.0), found(3), found(12), JobEvent::Partial(PartialAnswer::Best { score: 263 })]);
        assert_eq!((run.hit_count, run.best), (Some(12), Some(263)));
    }

    #[test]
    fn run_on_another_engine_starts_from_zero() {
        let found = JobEvent::Partial(PartialAnswer::Found { total: 3, latest: None });
        let bounds = JobEvent::Partial(PartialAnswer::Bounds { at_least: 1, at_most: 2 });
        let failed = [plan(1.0), JobEvent::Stage { stage: RunStage::Compute }, found, bounds, progress(50)];
        let run = after(failed.into_iter().chain([
            JobEvent::Queued { position: 0, wait_ms: None },
            plan(3_000.0),
            JobEvent::Stage { stage: RunStage::Read },
        ]));
        assert_eq!((run.fraction(), run.stage, run.hit_count, run.bounds), (0.0, Some(RunStage::Read), None, None));
        assert!(run.log.iter().any(|line| line.event.sentence().contains("because")), "{:?}", run.log);
        assert_eq!(run.fell_back, None, "the same engine again");
        let JobEvent::Planned(mut first) = plan(37_000.0) else { panic!() };
        first.engine = EngineName::Cuda;
        let gone = [JobEvent::Planned(first), JobEvent::Stage { stage: RunStage::Compute }, progress(61), plan(3_000_000.0)];
        assert_eq!(
            after(gone).fell_back.unwrap().sentence(),
            "The server’s GPU stopped answering at 61%. The job now runs on the server’s processor: about 50\u{a0}min instead of 37\u{a0}s. The answer will be the same."
        );
    }

    #[test]
    fn log_is_translated_into_the_current_language() {
        let failed = [plan(37_000.0), JobEvent::Stage { stage: RunStage::Compute }, progress(50)];
        let JobEvent::Planned(mut other) = plan(9_000.0) else { panic!() };
        other.engine = EngineName::Cuda;
        let traced = JobEvent::Stage { stage: RunStage::Traceback };
        let bounds = JobEvent::Partial(PartialAnswer::Bounds { at_least: 7, at_most: 7 });
        let queued = JobEvent::Queued { position: 2, wait_ms: Some(500.0) };
        let run = after([queued].into_iter().chain(failed).chain([JobEvent::Planned(other), bounds, traced]));
        let said = || {
            run.log.iter().map(|line| line.event.sentence()).chain(run.fell_back.as_ref().map(EngineFallback::sentence)).collect::<Vec<_>>()
        };
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
    fn list_of_rates_stays_short() {
        let run = after((0..2_000).map(|at| progress(at % 100)));
        assert!((MAX_RATE_POINTS / 2..=MAX_RATE_POINTS).contains(&run.rates.len()), "{}", run.rates.len());
        assert!(run.rates.is_sorted_by(|x, y| x.0 < y.0));
    }
}
