//! Run: the execution of a job on its engine, from the plan to the last event (`run`), with the data that is stored at
//! its end (`EndedRun`). Runs block their thread.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use explain::event_builder::{EventBuilder, RunTotals};
use kernels::event::{JobEvent, RunMetric, RunSignal, RunStage};
use kernels::failure::JobFailure;
use kernels::found::SearchResult;
use kernels::plan::{EngineName, JobPlan};
use kernels::run::{Halt, Observer, Run};
use kernels::task::Solution;
use kernels::text::Pair;
use tracing::{error, info, warn};

use super::JobServiceState;
use super::collection::{self, ComparedTexts};
use super::cpu_yield::YieldState;
use super::job_handle::JobHandle;
use crate::engines::learn::RunTiming;
use crate::engines::{DeviceId, DeviceLease};
use crate::results::ResultReader;
use crate::results::aligned;
use crate::results::file::{self, TextIndex};
use crate::storage::ports::bus::StopReason;
use crate::storage::ports::queue::QueueClass;
use crate::store::record::units::UnitPositions;

/// The outcome of one run of a job, which [`run`] returns.
pub(super) enum RunOutcome {
    /// The run has ended, with an answer, a failure or a cancellation.
    Ended(Box<EndedRun>),
    /// The engine failed or refused the job, so that another engine or device may try. The fields are the failure, and
    /// the device on which the job failed, if any.
    EngineFailed(JobFailure, Option<DeviceId>),
}

/// The end of a run: its last events, and the data that is stored before these events are published.
#[derive(Default)]
pub(super) struct EndedRun {
    pub(super) events: Vec<JobEvent>,
    /// Content of the alignment's file, if the job has an alignment.
    pub(super) alignment: Option<Vec<u8>>,
    /// Hits of a search, and the content of the file with the hits' positions. `None` if the job is no search.
    pub(super) found: Option<(SearchResult, Vec<u8>)>,
    /// Byte positions of the symbols of both texts, or `None` if the texts are small enough to be parsed for each
    /// query.
    pub(super) units: Option<[UnitPositions; 2]>,
    /// Answer about a collection.
    pub(super) compared: Option<ComparedTexts>,
}

/// The solution of a job.
enum SolvedJob {
    Pair(Box<(Solution, TextIndexes)>),
    Collection(ComparedTexts),
}

/// The indexes of a job's texts, with which later queries need not parse the texts. They are made while the texts are
/// in memory.
struct TextIndexes {
    /// Byte positions of the symbols of both texts, or `None` if the texts are small enough to be parsed for each
    /// query.
    units: Option<[UnitPositions; 2]>,
    /// Positions of records and lines of the searched text, or empty if the job is no search.
    searched: TextIndex,
}

impl EndedRun {
    pub(super) fn from_event(event: JobEvent) -> Self {
        Self { events: vec![event], ..Self::default() }
    }

    /// Returns whether the run was interrupted because the server is stopping.
    pub(super) fn is_interrupted(&self) -> bool {
        self.events == [JobEvent::Failed(JobFailure::Interrupted)]
    }
}

/// Runs the job `live` by its `plan`, on a device that is not in `failed`. Reads the texts unless `pair` has them.
/// `queued` is the time for which the job has waited. Publishes the progress of the engine as events, and returns the
/// last events without publishing them.
pub(super) fn run(
    shared: &JobServiceState,
    live: &JobHandle,
    pair: Option<Arc<Pair>>,
    plan: JobPlan,
    failed: &[DeviceId],
    queued: Duration,
) -> RunOutcome {
    let started = Instant::now();
    let builder = EventBuilder::new(&plan, 0.0);
    let brief = QueueClass::from_plan(&plan).brief;
    if !brief {
        info!(engine = ?plan.engine, "run starts");
    }
    live.report(JobEvent::Planned(plan.clone()));
    live.report(JobEvent::Metric(RunMetric { name: "queue_ms".into(), value: 1e3 * queued.as_secs_f64(), unit: "ms".into() }));
    let deadline = started + Duration::from_secs(shared.job_seconds);
    let gives_way = plan.engine == EngineName::Cpu && !brief;
    let Some(engine) = shared.engines.lend(plan.engine, brief, failed) else {
        return RunOutcome::EngineFailed(JobFailure::engine("This engine is not here."), None);
    };
    let rest = gives_way.then(|| YieldState::new(&shared.pending_brief_jobs));
    let observer = JobObserver { live, builder: Mutex::new(builder), started, deadline, yield_state: rest };
    let run = Run::new(&observer);
    let is_collection = live.is_collection();
    let solved = catch_unwind(AssertUnwindSafe(|| match is_collection {
        true => collection::solve(shared, live, &engine, &run).map(SolvedJob::Collection),
        false => solve(shared, live, pair, &engine, &run).map(Box::new).map(SolvedJob::Pair),
    }));
    let (machine, device) = (engine.machine(), Some(engine.id()));
    drop(engine);
    let filled = run.cells();
    let totals = RunTotals { cells: filled, peak_bytes: run.peak_bytes(), machine };
    let builder = observer.builder.into_inner().unwrap_or_else(PoisonError::into_inner);
    let now = ms(started);
    info!(engine = ?plan.engine, total_ms = now, "run ends");
    match solved {
        Ok(Ok(SolvedJob::Collection(compared))) => {
            collection::record_rate(shared, plan.engine, live.with_snapshot(|snapshot| snapshot.task), filled, now);
            let mut events: Vec<JobEvent> = builder.all_done().map(JobEvent::Progress).into_iter().collect();
            events.extend(builder.finish_with(JobEvent::Compared, totals, now));
            RunOutcome::Ended(Box::new(EndedRun { events, compared: Some(compared), ..EndedRun::default() }))
        }
        Ok(Ok(SolvedJob::Pair(solved))) => {
            let (solution, indexes) = *solved;
            let (task, has_codes) = live.with_snapshot(|snapshot| (snapshot.task, snapshot.options.ambiguity));
            // A run with ambiguity codes has a rate of its own.
            if !has_codes {
                shared.engines.learn(&RunTiming {
                    engine: plan.engine,
                    task,
                    expected_ms: plan.expected_ms,
                    took_ms: now,
                    expected_cells: plan.expected_cells,
                    cells: filled,
                });
            }
            let mut events = Vec::new();
            // Adds a final progress event, because the limit of four events a second may have dropped it.
            events.extend(builder.all_done().map(JobEvent::Progress));
            events.extend(builder.finish(solution.answer.clone(), totals, now));
            RunOutcome::Ended(Box::new(to_ended_run(solution, indexes, events).unwrap_or_else(|cause| {
                error!("a result could not be written: {cause:#}");
                EndedRun::from_event(JobEvent::Failed(JobFailure::engine(
                    "The result could not be written. This is a mistake in Editscope.",
                )))
            })))
        }
        Ok(Err(Halt::Stopped)) => {
            let why = live.stop_reason().unwrap_or(StopReason::Cancelled);
            RunOutcome::Ended(Box::new(EndedRun::from_event(why.event(shared.job_seconds, Some(builder.progress())))))
        }
        // The answer about a collection is too large on any engine.
        Ok(Err(Halt::Failed(failure @ JobFailure::TooLarge { .. }))) if is_collection => {
            RunOutcome::Ended(Box::new(EndedRun::from_event(JobEvent::Failed(failure))))
        }
        Ok(Err(Halt::Failed(failure @ (JobFailure::Engine { .. } | JobFailure::TooLarge { .. })))) => {
            RunOutcome::EngineFailed(failure, device)
        }
        Ok(Err(Halt::Failed(failure))) => RunOutcome::Ended(Box::new(EndedRun::from_event(JobEvent::Failed(failure)))),
        Err(_) => {
            error!(engine = ?plan.engine, "the engine panicked");
            let failure = JobFailure::engine("The engine broke down. This is a mistake in Editscope; another job may still work.");
            RunOutcome::EngineFailed(failure, device)
        }
    }
}

/// Converts a solution, the indexes of the texts and the last `events` of a run to the data that is stored.
fn to_ended_run(solution: Solution, TextIndexes { units, searched }: TextIndexes, events: Vec<JobEvent>) -> anyhow::Result<EndedRun> {
    let file = |found: SearchResult| file::write(&found, &searched).map(|file| (found, file));
    let alignment = solution.alignment.as_ref().map(aligned::write);
    Ok(EndedRun { events, alignment, found: solution.found.map(file).transpose()?, units, compared: None })
}

fn solve(
    shared: &JobServiceState,
    live: &JobHandle,
    pair: Option<Arc<Pair>>,
    engine: &DeviceLease,
    run: &Run<'_>,
) -> Result<(Solution, TextIndexes), Halt> {
    run.stage(RunStage::Read)?;
    let record = live.record();
    let options = &record.snapshot.options;
    let pair = pair.map_or_else(|| read(&shared.results, &record), Ok)?;
    live.report(JobEvent::Read((&*pair).into()));
    let solution = engine.run(record.snapshot.task, options, &pair, run)?;
    // Without these indexes, every query would have to parse the texts.
    let is_looked_at = solution.alignment.is_some() || solution.found.is_some();
    let units = is_looked_at.then(|| shared.results.store_units(&pair, &options.reading()));
    let units = units.and_then(|stored| stored.inspect_err(|cause| warn!("the units of texts were not stored: {cause}")).ok());
    let searched = solution.found.as_ref().map(|_| TextIndex::from_text(&pair.b)).unwrap_or_default();
    Ok((solution, TextIndexes { units: units.flatten(), searched }))
}

fn read(results: &ResultReader, record: &crate::store::record::StoredResult) -> Result<Arc<Pair>, JobFailure> {
    results.pair(record.texts()).map_err(|problem| JobFailure::engine(format!("The texts could not be read. {}", problem.detail)))
}

/// An observer that publishes the signals of an engine as events of the job `live`. It stops the run if the job was
/// stopped or `deadline` has passed.
struct JobObserver<'a> {
    live: &'a JobHandle,
    builder: Mutex<EventBuilder>,
    started: Instant,
    deadline: Instant,
    /// Pause state, if the run is a large CPU run, which pauses for brief jobs.
    yield_state: Option<YieldState>,
}

impl Observer for JobObserver<'_> {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        self.live.record_activity();
        if Instant::now() >= self.deadline {
            self.live.stop(StopReason::OutOfTime);
        }
        if self.live.stop_reason().is_some() {
            return ControlFlow::Break(());
        }
        if let Some(rest) = &self.yield_state {
            rest.pause_while_many();
        }
        let mut builder = match (signal, self.builder.try_lock()) {
            (_, Ok(builder)) => builder,
            // Another thread is reporting progress, so that this report can be skipped.
            (RunSignal::Progress { .. }, Err(_)) => return ControlFlow::Continue(()),
            (_, Err(_)) => self.builder.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if let Some(event) = builder.event(signal, ms(self.started)) {
            self.live.report(event);
        }
        ControlFlow::Continue(())
    }
}

fn ms(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}
