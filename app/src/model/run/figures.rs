//! Measured times of a run: stages on one time line ([`spans`]), the estimate compared with the measurement
//! ([`expectation`]), and a comparison of two runs of one job ([`verdict`]).
//!
//! The views are in [`metrics`](crate::view::result::metrics).

use kernels::event::{RunStage, TaskAnswer};

use crate::model::run::RunState;
use crate::model::text::humanize;
use crate::tr;
use crate::tr::t;

/// Name of the metric for the duration of the upload, in milliseconds, which the page measures itself.
pub const SENDING: &str = "send_ms";

/// Minimum share, from 0 to 1, of the time that belongs to no stage in the total time. A smaller share is not listed.
const REST: f64 = 0.02;

/// Duration below which a measured time is mostly noise, in milliseconds, because browsers make their clocks coarse on
/// purpose.
const COARSE_MS: f64 = 0.2;

/// The activity in a span of a run's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// The upload of the texts.
    Send,
    /// The time in the queue.
    Queue,
    /// A stage of the engine.
    Engine(RunStage),
    /// The remaining time, in which no stage of the engine was measured.
    Rest,
    /// The communication between the page and its worker.
    Way,
}

impl SpanKind {
    /// Returns the translated name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Send => t("Sending"),
            Self::Queue => t("Waiting"),
            Self::Engine(RunStage::Read) => t("Reading"),
            Self::Engine(RunStage::Transfer) => t("To the device"),
            Self::Engine(RunStage::Compute) => t("Computing"),
            Self::Engine(RunStage::Traceback) => t("Alignment"),
            Self::Rest => t("Everything else"),
            Self::Way => t("To the worker and back"),
        }
    }

    /// Describes in a sentence what happens in this span.
    pub fn about(self) -> &'static str {
        match self {
            Self::Send => t("The texts travel from this browser to the server."),
            Self::Queue => t("Earlier jobs use the engine first."),
            Self::Engine(RunStage::Read) => t("The texts are cut into symbols, and every symbol gets a number."),
            Self::Engine(RunStage::Transfer) => t("The numbers are copied into the memory of the GPU, and its kernels are made ready."),
            Self::Engine(RunStage::Compute) => t("The score is computed, many cells with every instruction."),
            Self::Engine(RunStage::Traceback) => t("The way back through the matrix is found: the alignment."),
            Self::Rest => t("Time outside the stages: starting threads and returning the answer."),
            Self::Way => t("The texts go from the page to its worker, which has to start first, and the answer comes back."),
        }
    }
}

/// A span of a run's time line, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineSpan {
    pub part: SpanKind,
    /// Start of the span, in milliseconds since the start of the run.
    pub from: f64,
    /// Duration of the span, in milliseconds.
    pub ms: f64,
}

/// Returns the consecutive spans of a run. If `here` is true, the worker of this page solved the job, and the time for
/// messages between page and worker is included.
pub fn spans(run: &RunState, here: bool) -> Vec<TimelineSpan> {
    let metric = |name: &str| run.metrics.get(name).copied().unwrap_or_default();
    let total = metric("total_ms");
    let engine = RunStage::ALL.map(|stage| (SpanKind::Engine(stage), metric(stage.metric())));
    let rest = total - engine.iter().map(|(_, ms)| ms).sum::<f64>();
    let way = if here { run.elapsed - total } else { 0.0 };
    let always = |part: SpanKind| matches!(part, SpanKind::Engine(RunStage::Read | RunStage::Compute));
    let parts = [(SpanKind::Send, metric(SENDING)), (SpanKind::Queue, metric("queue_ms"))].into_iter().chain(engine);
    let parts = parts.chain([(SpanKind::Rest, if rest > REST * total { rest } else { 0.0 }), (SpanKind::Way, way)]);
    let mut at = 0.0;
    let place = |(part, ms): (SpanKind, f64)| {
        let from = at;
        at += ms.max(0.0);
        TimelineSpan { part, from, ms: ms.max(0.0) }
    };
    parts.map(place).filter(|span| span.ms > 0.0 || always(span.part)).collect()
}

/// Returns the times to label on a time line of `length` milliseconds: 0 and round numbers, four to nine in all.
pub fn ticks(length: f64) -> Vec<f64> {
    if length.is_nan() || length <= 0.0 {
        return vec![0.0];
    }
    let power = 10f64.powf((length / 4.0).log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().map(|step| step * power).find(|step| *step <= length / 4.0).unwrap_or(power);
    (0..).map(|nth| f64::from(nth) * step).take_while(|at| *at <= length * 1.000_001).collect()
}

/// Formats the expected and the measured time, with a likely reason for the difference. Returns `None` if the run has
/// no plan or no measured time.
pub fn expectation(run: &RunState) -> Option<String> {
    let (plan, took) = (run.plan.as_ref()?, *run.metrics.get("total_ms")?);
    let reason = match took / plan.expected_ms.max(0.001) {
        _ if took.max(plan.expected_ms) < 5.0 => "",
        ratio if ratio < 0.5 => t("The texts are more alike than a sample of them suggested."),
        ratio if ratio > 2.0 => t("The machine was busy, or still warming up."),
        _ => t("The estimate was about right."),
    };
    let said = tr!(
        "Estimated {expected}, took {took}.",
        expected = humanize::measured_time(plan.expected_ms),
        took = humanize::measured_time(took)
    );
    Some(if reason.is_empty() { said } else { format!("{said} {reason}") })
}

/// Formats the share of the matrix that was filled. `cells` is the number of filled cells, and `a` and `b` are the
/// lengths of the texts, in symbols. Returns `None` if no cell was filled or the matrix is empty.
pub fn share(cells: f64, (a, b): (u64, u64)) -> Option<String> {
    let all = a as f64 * b as f64;
    let share = cells / all;
    match share {
        _ if all < 1.0 || cells < 1.0 => None,
        share if share < 0.95 => {
            Some(tr!("That is {percent} of the matrix: the rest cannot be on an optimal alignment.", percent = humanize::percent(share)))
        }
        share if share > 1.05 => Some(tr!(
            "The matrix has {cells}: with the alignment some are filled more than once.",
            cells = humanize::count(all as u64, "cell", "cells")
        )),
        _ => Some(t("That is the whole matrix.").into()),
    }
}

/// A finished run, to be compared with another run of the same job.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRun {
    /// The run after its end.
    pub run: RunState,
    /// Time from the click to the answer, including upload and queue, in milliseconds.
    pub wall_ms: f64,
}

impl MeasuredRun {
    /// Returns the time of the engine alone, in milliseconds.
    pub fn total_ms(&self) -> f64 {
        self.run.metrics.get("total_ms").copied().unwrap_or(self.wall_ms)
    }
}

/// Formats which run was faster and by which factor: the one in this browser (`here`), or the one on the server
/// (`there`).
pub fn verdict(here: &MeasuredRun, there: &MeasuredRun) -> String {
    if here.total_ms() < COARSE_MS {
        return match there.wall_ms > 2.0 * here.wall_ms {
            true => tr!(
                "This browser solves this faster than its clock can measure. With sending and waiting, this browser was {n} times as fast.",
                n = times(there.wall_ms / here.wall_ms)
            ),
            false => t("This browser solves this faster than its clock can measure.").into(),
        };
    }
    let (pure, all) = (here.total_ms() / there.total_ms().max(1e-3), here.wall_ms / there.wall_ms.max(1e-3));
    match (pure, all) {
        (pure, all) if pure >= 1.1 && all >= 1.1 => {
            tr!("The server was {n} times as fast; with sending and waiting, {m} times.", n = times(pure), m = times(all))
        }
        (pure, all) if pure >= 1.1 && all > 0.9 => {
            tr!("The server was {n} times as fast; with sending and waiting, both took the same.", n = times(pure))
        }
        (pure, all) if pure >= 1.1 => tr!(
            "The server was {n} times as fast, but with sending and waiting this browser was {m} times as fast.",
            n = times(pure),
            m = times(1.0 / all)
        ),
        (pure, all) if pure > 0.9 && all > 0.9 => t("Both took about the same.").into(),
        (pure, all) if pure > 0.9 => {
            tr!("Both took about the same; with sending and waiting, this browser was {m} times as fast.", m = times(1.0 / all))
        }
        (pure, all) => tr!(
            "This browser was {n} times as fast; with sending and waiting, {m} times.",
            n = times(1.0 / pure),
            m = times(1.0 / all.min(1.0))
        ),
    }
}

/// Formats a ratio: with one decimal below 10 ("1.4"), as a whole number below 10,000 ("14"), and else as a multiple of
/// a power of a thousand.
fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 1e4 => humanize::large(ratio),
        ratio if ratio >= 9.95 => humanize::grouped(ratio.round() as u64),
        ratio => humanize::tenth(ratio),
    }
}

/// Returns whether both runs have an answer and the answers agree. Of answers with an alignment only the scores are
/// compared, because each engine may choose another optimal alignment.
pub fn agree(one: Option<&TaskAnswer>, other: Option<&TaskAnswer>) -> bool {
    match (one, other) {
        (
            Some(TaskAnswer::EditDistance { distance: x, more_than: k, .. }),
            Some(TaskAnswer::EditDistance { distance: y, more_than: l, .. }),
        ) => (x, k) == (y, l),
        (Some(TaskAnswer::Lcs { length: x, .. }), Some(TaskAnswer::Lcs { length: y, .. })) => x == y,
        (Some(x), Some(y)) => x == y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kernels::alignment::AlignmentSummary;
    use kernels::event::{JobEvent, RunMetric};
    use kernels::plan::{EngineName, EnginePlace, JobPlan};

    use super::*;
    use crate::model::run::RunPhase;

    fn run(expected_ms: f64, metrics: &[(&str, f64)]) -> RunState {
        let mut run = RunState::new(RunPhase::Reading, 0.0);
        let plan = JobPlan { expected_ms, ..JobPlan::unestimated(EngineName::Cpu, EnginePlace::Server) };
        run.apply(JobEvent::Planned(plan), 0.0);
        for (name, value) in metrics {
            run.apply(JobEvent::Metric(RunMetric { name: (*name).into(), value: *value, unit: String::new() }), 120.0);
        }
        run
    }

    fn measured(total_ms: f64, wall_ms: f64) -> MeasuredRun {
        MeasuredRun { run: run(1.0, &[("total_ms", total_ms)]), wall_ms }
    }

    #[test]
    fn spans_of_a_run_are_consecutive_and_add_up() {
        let figures = [("queue_ms", 20.0), ("read_ms", 10.0), ("compute_ms", 60.0), ("traceback_ms", 0.0), ("total_ms", 90.0)];
        let spans = spans(&run(1.0, &figures), false);
        let parts: Vec<_> = spans.iter().map(|span| (span.part, span.from, span.ms)).collect();
        let engine = SpanKind::Engine;
        let expected = [
            (SpanKind::Queue, 0.0, 20.0),
            (engine(RunStage::Read), 20.0, 10.0),
            (engine(RunStage::Compute), 30.0, 60.0),
            (SpanKind::Rest, 90.0, 20.0),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn message_time_of_the_solver_is_included_if_measured() {
        let run = run(1.0, &[("compute_ms", 100.0), ("total_ms", 100.0)]);
        let last = |here| spans(&run, here).last().map(|span| (span.part, span.ms));
        assert_eq!(last(true), Some((SpanKind::Way, 20.0)));
        assert_eq!(last(false), Some((SpanKind::Engine(RunStage::Compute), 100.0)));
    }

    #[test]
    fn rulers_have_round_ticks() {
        assert_eq!(ticks(90.0), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks(0.0), [0.0]);
        for length in [0.003, 0.4, 7.9, 8.0, 19.99, 120.0, 86_400_000.0] {
            assert!((5..=10).contains(&ticks(length).len()), "{length}: {:?}", ticks(length));
        }
    }

    #[test]
    fn gap_between_plan_and_run_is_explained() {
        let said = |expected, took| expectation(&run(expected, &[("total_ms", took)])).unwrap();
        assert_eq!(said(0.4, 0.3), "Estimated 0.4\u{a0}ms, took 0.3\u{a0}ms.");
        assert!(
            said(1_000.0, 100.0).contains("alike") && said(100.0, 1_000.0).contains("warming up") && said(100.0, 90.0).contains("right")
        );
        assert_eq!(expectation(&RunState::default()), None);
    }

    #[test]
    fn computed_cells_are_shown_as_share_of_the_matrix() {
        assert!(share(20.0, (10, 10)).unwrap().starts_with("That is 20"));
        assert_eq!(share(100.0, (10, 10)).unwrap(), "That is the whole matrix.");
        assert!(share(150.0, (10, 10)).unwrap().contains("100 cells"));
        assert_eq!(share(7.0, (0, 10)), None);
    }

    #[test]
    fn comparison_names_the_faster_engine_with_and_without_transfers() {
        let said = |here, there| verdict(&measured(here, here + 1.0), &there);
        assert_eq!(said(140.0, measured(10.0, 47.0)), "The server was 14 times as fast; with sending and waiting, 3.0 times.");
        assert!(said(140.0, measured(10.0, 1_410.0)).ends_with("but with sending and waiting this browser was 10 times as fast."));
        assert!(said(10.0, measured(20.0, 44.0)).starts_with("This browser was 2.0 times as fast; with sending and waiting, 4.0 times."));
        assert!(said(100.0, measured(101.0, 102.0)).starts_with("Both took about the same."));
        assert!(said(0.1, measured(5.0, 6.0)).contains("clock"));
    }

    #[test]
    fn same_score_by_another_alignment_is_the_same_answer() {
        let distance = |distance, columns| {
            Some(TaskAnswer::from_distance(distance, Some(AlignmentSummary { columns, ..AlignmentSummary::default() })))
        };
        assert!(agree(distance(3, 7).as_ref(), distance(3, 8).as_ref()));
        assert!(!agree(distance(3, 7).as_ref(), distance(4, 7).as_ref()));
        let found = |positions: &[u64]| {
            Some(TaskAnswer::ExactSearch {
                total: 2,
                positions: positions.to_vec(),
                records: Vec::new(),
                strands: Vec::new(),
                reverse: None,
            })
        };
        assert!(agree(found(&[1, 3]).as_ref(), found(&[1, 3]).as_ref()) && !agree(found(&[1, 3]).as_ref(), found(&[1, 4]).as_ref()));
        assert!(!agree(distance(3, 7).as_ref(), None));
    }
}
