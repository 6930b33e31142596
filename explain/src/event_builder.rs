//! Conversion of a run's signals, which have no time, into events with rates and durations, by an [`EventBuilder`]. The
//! callers (worker, server) pass the current time, so that only this module computes rates and durations.
//!
//! Progress is measured in cells of the matrices that the run fills. The expected number of cells is at least the
//! number in the plan, and may change while a run learns about its texts. But the progress sent to clients never falls:
//! if the expected number grows, the last share is sent again until the run has really reached it.

use kernels::engine::EngineHardware;
use kernels::event::{JobEvent, PartialAnswer, RunMetric, RunProgress, RunSignal, RunStage, TaskAnswer};
use kernels::plan::{EngineName, JobPlan};

/// Minimum time between two `progress` events, in milliseconds. The same minimum applies between two `partial` events
/// with the number of hits, and between two with the best score, because every hit may cause one. Events in between are
/// skipped; the final answer contains their information.
const PROGRESS_INTERVAL_MS: f64 = 250.0;

/// Share of the cells after which only the measured rate determines the estimated time left. Before this share is
/// reached, the estimate moves gradually from the planned duration to the measured rate.
const RATE_ONLY_SHARE: f64 = 0.1;

/// Maximum share of the cells that is reported as solved before the end of a run.
const MAX_UNFINISHED_SHARE: f64 = 0.99;

/// A converter of the signals of one run into the events for its clients. Times are in milliseconds of any monotonic
/// clock.
#[derive(Clone, Debug)]
pub struct EventBuilder {
    engine: EngineName,
    started: f64,
    stage: Option<(RunStage, f64)>,
    stage_ms: [f64; RunStage::ALL.len()],
    last_sent_at: f64,
    sent_found: f64,
    sent_best: f64,
    /// The plan's expected number of cells (0 if the plan has none), and its expected duration in milliseconds.
    planned_work: (u64, f64),
    /// Share of the cells in the last computed progress, whether an event with this progress was sent or not. Never
    /// falls.
    share: f64,
    progress: RunProgress,
}

/// Measurements that the engine reports at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunTotals {
    /// Number of solved cells.
    pub cells: u64,
    /// Peak working memory, in bytes.
    pub peak_bytes: u64,
    /// The hardware that the run used.
    pub machine: EngineHardware,
}

impl EventBuilder {
    /// Creates the builder of a run that carries out `plan` and starts at `now` (in milliseconds).
    pub fn new(plan: &JobPlan, now: f64) -> Self {
        Self {
            engine: plan.engine,
            started: now,
            stage: None,
            stage_ms: [0.0; RunStage::ALL.len()],
            last_sent_at: f64::NEG_INFINITY,
            sent_found: f64::NEG_INFINITY,
            sent_best: f64::NEG_INFINITY,
            planned_work: (plan.expected_cells, plan.expected_ms),
            share: 0.0,
            progress: RunProgress::default(),
        }
    }

    /// Processes `signal`, a signal of the run at time `now`. Returns the event to send, or `None` if no event is due.
    pub fn event(&mut self, signal: RunSignal, now: f64) -> Option<JobEvent> {
        match signal {
            RunSignal::Stage(stage) => {
                self.close(now);
                self.stage = Some((stage, now));
                Some(JobEvent::Stage { stage })
            }
            RunSignal::Partial(partial) => {
                let sent = match partial {
                    PartialAnswer::Bounds { .. } => return Some(JobEvent::Partial(partial)),
                    PartialAnswer::Found { .. } => &mut self.sent_found,
                    PartialAnswer::Best { .. } => &mut self.sent_best,
                };
                (now - *sent >= PROGRESS_INTERVAL_MS).then(|| {
                    *sent = now;
                    JobEvent::Partial(partial)
                })
            }
            RunSignal::Progress { done, total } => {
                // If no cell is solved there is no rate: the task may have signalled only to check for cancellation.
                // Signals of several threads arrive in any order, so an older number is ignored.
                if done == 0 || done < self.progress.done {
                    return None;
                }
                self.progress = self.reached(done, total, now);
                if now - self.last_sent_at < PROGRESS_INTERVAL_MS {
                    return None;
                }
                self.last_sent_at = now;
                Some(JobEvent::Progress(self.progress))
            }
        }
    }

    /// Returns the progress at time `now` of a run that has solved `done` of `total` expected cells, and records its
    /// share.
    fn reached(&mut self, done: u64, total: u64, now: f64) -> RunProgress {
        let spent = self.solving_ms(now).max(1e-6);
        let cells = total.max(self.planned_work.0).max(done) as f64;
        let share = done as f64 / cells;
        // Rounded down, so that the share computed from the event never falls either.
        let total = (done as f64 / self.share.max(share.min(MAX_UNFINISHED_SHARE))) as u64;
        self.share = done as f64 / total.max(1) as f64;
        let by_rate = spent * (1.0 - share) / share;
        let by_plan = (self.planned_work.1 * (1.0 - share)).max(1e-6);
        // After the planned duration, the plan says nothing more about the time left.
        let rated = (share / RATE_ONLY_SHARE).max(spent / self.planned_work.1.max(1e-6)).min(1.0);
        RunProgress {
            done,
            total,
            cells_per_second: 1e3 * done as f64 / spent,
            // A geometric mean, because the rate of the first cells may be a thousandth of the final rate.
            eta_ms: by_plan * (by_rate / by_plan).powf(rated),
        }
    }

    /// Returns the last computed progress, even if no event was sent for it.
    pub fn progress(&self) -> RunProgress {
        self.progress
    }

    /// Returns the final progress of a run that succeeds, or `None` if no cell was solved.
    pub fn all_done(&self) -> Option<RunProgress> {
        let done = self.progress.done;
        (done > 0).then_some(RunProgress { total: done, eta_ms: 0.0, ..self.progress })
    }

    /// Returns the last events of a run that succeeds at time `now`: first the metrics (from `totals` and the measured
    /// times), then `answer`.
    pub fn finish(self, answer: TaskAnswer, totals: RunTotals, now: f64) -> Vec<JobEvent> {
        self.finish_with(JobEvent::Answer(answer), totals, now)
    }

    /// Returns the last events of a run like [`finish`](Self::finish), with `last` as the last one.
    pub fn finish_with(mut self, last: JobEvent, totals: RunTotals, now: f64) -> Vec<JobEvent> {
        self.close(now);
        let spent = |stage: RunStage| self.stage_ms[stage as usize];
        let solving = spent(RunStage::Compute) + spent(RunStage::Traceback);
        let mut metrics: Vec<(&str, f64, &str)> = vec![
            ("cells", totals.cells as f64, "cells"),
            ("cells_per_second", 1e3 * totals.cells as f64 / solving.max(1e-6), "cells/s"),
            ("peak_bytes", totals.peak_bytes as f64, "bytes"),
        ];
        let machine = [("threads", totals.machine.threads, "threads"), ("vector_bits", totals.machine.vector_bits, "bits")];
        metrics.extend(machine.into_iter().filter(|(_, figure, _)| *figure > 0).map(|(name, figure, unit)| (name, figure as f64, unit)));
        metrics.extend(RunStage::ALL.map(|stage| (stage.metric(), spent(stage), "ms")));
        metrics.push(("total_ms", now - self.started, "ms"));
        let metric = |(name, value, unit): (&str, f64, &str)| JobEvent::Metric(RunMetric { name: name.into(), value, unit: unit.into() });
        metrics.into_iter().map(metric).chain([last]).collect()
    }

    /// Returns the engine of the run.
    pub fn engine(&self) -> EngineName {
        self.engine
    }

    fn close(&mut self, now: f64) {
        if let Some((stage, since)) = self.stage.take() {
            self.stage_ms[stage as usize] += now - since;
        }
    }

    /// Returns the time spent until `now` in the stages that solve cells, in milliseconds.
    fn solving_ms(&self, now: f64) -> f64 {
        let open = match self.stage {
            Some((RunStage::Compute | RunStage::Traceback, since)) => now - since,
            _ => 0.0,
        };
        self.stage_ms[RunStage::Compute as usize] + self.stage_ms[RunStage::Traceback as usize] + open
    }
}

#[cfg(test)]
mod tests {
    use kernels::plan::EnginePlace;

    use super::*;

    fn plan() -> JobPlan {
        JobPlan { expected_ms: 1.0, ..JobPlan::unestimated(EngineName::Cpu, EnginePlace::Server) }
    }

    #[test]
    fn progress_is_sent_four_times_a_second_with_rate_and_time_left() {
        let mut builder = EventBuilder::new(&plan(), 0.0);
        builder.event(RunSignal::Stage(RunStage::Compute), 100.0);
        let sent: Vec<JobEvent> = (1..=100)
            .filter_map(|step| builder.event(RunSignal::Progress { done: step * 10, total: 1000 }, 100.0 + step as f64 * 10.0))
            .collect();
        assert_eq!(sent.len(), 4);
        let JobEvent::Progress(progress) = &sent[1] else { panic!("{sent:?}") };
        assert_eq!(progress.done, 260);
        assert!((progress.cells_per_second - 1000.0).abs() < 1.0 && (progress.eta_ms - 740.0).abs() < 1.0, "{progress:?}");
    }

    /// Simulates a run that sweeps a narrow band, then a wider one, and then goes back, on several threads whose ticks
    /// overtake each other.
    #[test]
    fn progress_never_decreases() {
        let quick = |expected_cells| JobPlan { expected_ms: 900.0, expected_cells, ..plan() };
        for plan in [plan(), quick(10), quick(1000), quick(3000), quick(1_000_000)] {
            let mut builder = EventBuilder::new(&plan, 0.0);
            builder.event(RunSignal::Stage(RunStage::Compute), 0.0);
            let bands = (1..=100).map(|done| (done, 100)).chain((100..=900).map(|done| (done, 1000)));
            let all = bands.chain((900..1200).map(|done| (done ^ 3, 1200))).chain([(1200, 1200)]);
            let (mut told, mut last) = (0, 0.0);
            for (at, (done, total)) in all.enumerate() {
                let event = builder.event(RunSignal::Progress { done, total }, 100.0 * at as f64);
                let share = builder.progress().done as f64 / builder.progress().total as f64;
                assert!((last..1.0).contains(&share), "{last}, then {share} at {done} of {total}");
                last = share;
                told += usize::from(event.is_some());
            }
            assert!(told > 300, "{told}");
            assert_eq!(builder.all_done(), Some(RunProgress { total: 1200, eta_ms: 0.0, ..builder.progress() }));
        }
    }

    /// Checks that the first cells have little influence: the plan determines the time left, unless the planned time
    /// has passed.
    #[test]
    fn time_left_follows_the_plan_at_first() {
        let mut builder = EventBuilder::new(&JobPlan { expected_ms: 2000.0, expected_cells: 1_000_000, ..plan() }, 0.0);
        builder.event(RunSignal::Stage(RunStage::Compute), 0.0);
        let mut left = |done, now| {
            builder.event(RunSignal::Progress { done, total: 1_000_000 }, now);
            builder.progress().eta_ms
        };
        let [first, tenth, half] = [left(10, 100.0), left(100_000, 300.0), left(500_000, 1500.0)];
        assert!((2000.0..4000.0).contains(&first), "{first}: the measured rate would give hours");
        assert!((tenth - 2700.0).abs() < 1.0 && (half - 1500.0).abs() < 1.0, "{tenth}, {half}: the measured rate decides");
        let mut builder = EventBuilder::new(&JobPlan { expected_ms: 10.0, ..plan() }, 0.0);
        builder.event(RunSignal::Stage(RunStage::Compute), 0.0);
        builder.event(RunSignal::Progress { done: 1, total: 100 }, 1000.0);
        assert!((builder.progress().eta_ms - 99_000.0).abs() < 1.0, "the planned time has passed");
    }

    #[test]
    fn progress_starts_with_the_first_solved_cell() {
        let mut builder = EventBuilder::new(&plan(), 0.0);
        assert_eq!(builder.event(RunSignal::Progress { done: 0, total: 10 }, 1.0), None);
        assert!(builder.event(RunSignal::Progress { done: 1, total: 10 }, 2.0).is_some());
    }

    #[test]
    fn hits_are_sent_four_times_a_second_and_bounds_always() {
        let mut builder = EventBuilder::new(&plan(), 0.0);
        let mut sent = |partial: fn(u64) -> PartialAnswer| -> usize {
            (1..=100).filter_map(|step| builder.event(RunSignal::Partial(partial(step)), step as f64 * 10.0)).count()
        };
        assert_eq!(sent(|total| PartialAnswer::Found { total, latest: None }), 4);
        assert_eq!(sent(|at_most| PartialAnswer::Bounds { at_least: 0, at_most }), 100);
    }

    /// Sends both kinds at the same times, and checks that neither suppresses the other.
    #[test]
    fn hits_and_best_score_are_sent_independently() {
        let mut builder = EventBuilder::new(&plan(), 0.0);
        let mut sent = [0, 0];
        for step in 1..=100 {
            let partials = [PartialAnswer::Best { score: step }, PartialAnswer::Found { total: step, latest: None }];
            for (sent, partial) in sent.iter_mut().zip(partials) {
                *sent += usize::from(builder.event(RunSignal::Partial(partial), step as f64 * 10.0).is_some());
            }
        }
        assert_eq!(sent, [4, 4]);
    }

    #[test]
    fn stages_are_timed_and_the_answer_is_last() {
        let mut builder = EventBuilder::new(&plan(), 0.0);
        builder.event(RunSignal::Stage(RunStage::Read), 0.0);
        builder.event(RunSignal::Stage(RunStage::Compute), 5.0);
        builder.event(RunSignal::Stage(RunStage::Traceback), 25.0);
        let answer = TaskAnswer::from_distance(3, None);
        let machine = EngineHardware { threads: 2, vector_bits: 0 };
        let events = builder.finish(answer, RunTotals { cells: 1000, peak_bytes: 7, machine }, 30.0);
        let value = |name: &str| {
            events.iter().find_map(|event| match event {
                JobEvent::Metric(metric) if metric.name == name => Some(metric.value),
                _ => None,
            })
        };
        assert_eq!(value("read_ms"), Some(5.0));
        assert_eq!(value("compute_ms"), Some(20.0));
        assert_eq!(value("traceback_ms"), Some(5.0));
        assert_eq!(value("total_ms"), Some(30.0));
        assert_eq!(value("cells_per_second"), Some(40_000.0));
        assert_eq!((value("threads"), value("vector_bits")), (Some(2.0), None), "values that an engine lacks are not sent");
        assert!(events.last().is_some_and(JobEvent::is_last));
        assert_eq!(events.iter().filter(|event| event.is_last()).count(), 1);
    }
}
