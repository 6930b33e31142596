//! Jobs about two texts whose shares several workers compute (`DividedPair`). The functions are a part of the solver that
//! is loaded with long texts only ([`PairShareFns`]).

use std::ops::ControlFlow;
use std::sync::Mutex;

use explain::event_builder::{EventBuilder, RunTotals};
use explain::worker_protocol::{RequestKind, WorkerReply};
use kernels::cbor::{from_bytes, to_bytes};
use kernels::engine::{Cpu, Engine, EngineHardware};
use kernels::event::{JobEvent, RunSignal, RunStage};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, PairRecordChoices, Task};
use kernels::plan::{EngineName, EnginePlace, JobPlan, JobWork, PlannerOffer};
use kernels::run::{Halt, NoObserver, Observer, Run};
use kernels::task::{DivisibleTask, JobShare, JoinedShares, solver};
use kernels::text::Pair;

use crate::session::{DividedJob, EventPoster, PlannedRun, RequestBytes, RequestedRun, SolverSession};

/// Number of cells of two texts from which the functions are loaded. Fewer cells take less time than the start of a worker.
pub(crate) const MIN_DIVIDED_CELLS: u64 = 500_000_000;

/// Expected time until helpers are as fast as this worker, in milliseconds. They load the solver and read copies of the texts,
/// and the browser compiles their code again.
const HELPERS_START_MS: f64 = if cfg!(test) { 0.0 } else { 1500.0 };

/// Maximum share of the time of one worker that several workers may take, or else one worker solves a job.
const MAX_DIVIDED_SHARE: f64 = 0.8;

/// The number of shares of a divided run, or the run if it is not divided.
type RunDivision = Result<ControlFlow<usize, Box<PlannedRun>>, Halt>;

/// The functions for divided jobs about two texts.
#[derive(Clone, Copy)]
pub(crate) struct PairShareFns {
    /// Returns whether a number of workers divide the work. Changes the offer of one worker to that of all.
    pub(crate) divides: fn(&mut PlannerOffer, &JobWork, &Pair, &JobOptions, usize) -> bool,
    /// Divides a run among a number of workers, and returns the number of shares. Returns the run if it is not divided.
    pub(crate) divide: fn(&mut SolverSession, Box<PlannedRun>, usize) -> RunDivision,
    /// Prepares a helper for a request that is divided.
    pub(crate) begin_shares: fn(RequestKind, RequestBytes) -> Result<Box<dyn DividedJob>, Halt>,
}

/// The functions of the part.
pub(crate) const PAIR_SHARE_FNS: PairShareFns = PairShareFns { divides, divide, begin_shares };

/// A run about two texts with its shares, and their results so far.
struct DividedPair {
    run: Box<PlannedRun>,
    workers: u64,
    shares: Vec<JobShare>,
    results: Vec<Option<Vec<u8>>>,
    /// Number of cells of all results.
    cells: u64,
    /// Peak working memory of a worker, in bytes.
    peak_bytes: u64,
}

fn divisible(task: Task) -> Result<&'static dyn DivisibleTask, JobFailure> {
    solver(task).divisible().ok_or_else(malformed)
}

fn malformed() -> JobFailure {
    JobFailure::engine("The share of a job is malformed.")
}

fn divides(offer: &mut PlannerOffer, work: &JobWork, pair: &Pair, options: &JobOptions, workers: usize) -> bool {
    let Ok(task) = divisible(work.task) else { return false };
    let (one_ms, speedup) = (offer.expected_ms(work), task.speedup(pair, options, workers));
    let is_faster = HELPERS_START_MS + one_ms / speedup < MAX_DIVIDED_SHARE * one_ms;
    if is_faster {
        offer.device = format!("WebAssembly, {workers} workers");
        offer.start_ms = HELPERS_START_MS;
        offer.tasks.iter_mut().for_each(|rate| rate.cells_per_second *= speedup);
    }
    is_faster
}

fn divide(session: &mut SolverSession, run: Box<PlannedRun>, workers: usize) -> RunDivision {
    let poster = run.poster(session);
    let observed = Run::new(&poster);
    observed.stage(RunStage::Compute)?;
    let shares = divisible(run.asked.task)?.divide(&run.pair, &run.asked.options, workers, &observed)?;
    if shares.is_empty() {
        return Ok(ControlFlow::Continue(run));
    }
    let (number, results) = (shares.len(), vec![None; shares.len()]);
    let (cells, peak_bytes) = (observed.cells(), observed.peak_bytes());
    session.divided = Some(Box::new(DividedPair { run, workers: workers as u64, shares, results, cells, peak_bytes }));
    Ok(ControlFlow::Break(number))
}

fn begin_shares(what: RequestKind, beside: RequestBytes) -> Result<Box<dyn DividedJob>, Halt> {
    let RequestKind::Solve { task, options, choices: [a, b], when, .. } = what else { return Err(malformed().into()) };
    let choices = PairRecordChoices::of(task, a, b);
    let pair = Pair::parse_records(beside.a, beside.b, &options.reading(), &choices)?;
    let builder = Mutex::new(EventBuilder::new(&JobPlan::unestimated(EngineName::Cpu, EnginePlace::Browser), 0.0));
    let run = Box::new(PlannedRun { number: 0, asked: RequestedRun { task, options, choices, when }, pair, builder });
    Ok(Box::new(DividedPair { run, workers: 1, shares: Vec::new(), results: Vec::new(), cells: 0, peak_bytes: 0 }))
}

/// An observer of a share that this worker computes. Stages and partial answers of a share do not describe the whole run, so
/// that only its progress is posted. It assumes that other workers are as fast.
struct SharePoster<'a> {
    poster: EventPoster<'a>,
    workers: u64,
    /// Number of cells of all finished shares.
    before: u64,
}

impl Observer for SharePoster<'_> {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let RunSignal::Progress { done, total } = signal else { return ControlFlow::Continue(()) };
        let done = self.before + self.workers * done;
        self.poster.on_signal(RunSignal::Progress { done, total: total.max(done) })
    }
}

impl DividedPair {
    /// Returns the numbers of computed cells and of bytes of working memory, 8 bytes each, and then the result.
    fn solve(&self, details: &[u8], run: &Run) -> Result<Vec<u8>, Halt> {
        let share: JobShare = from_bytes(details).ok_or_else(malformed)?;
        let PlannedRun { asked: RequestedRun { task, options, .. }, pair, .. } = &*self.run;
        let bytes = divisible(*task)?.solve_share(&share, pair, options, run)?;
        let numbers = [run.cells(), run.peak_bytes()].map(u64::to_le_bytes);
        Ok([numbers.as_flattened(), &bytes].concat())
    }

    fn store(&mut self, share: usize, result: Vec<u8>) {
        let Some((numbers, bytes)) = result.split_at_checked(16) else { return };
        let [cells, peak] = [0, 8].map(|at| numbers[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number)));
        if let Some(place @ None) = self.results.get_mut(share) {
            *place = Some(bytes.to_vec());
            self.cells += cells;
            self.peak_bytes = self.peak_bytes.max(peak);
        }
    }

    /// Joins all results. Computes the shares without a result.
    fn join(&mut self) -> Result<JoinedShares, Halt> {
        for share in 0..self.shares.len() {
            if self.results[share].is_none() {
                let result = self.solve(&self.details(share), &Run::new(&NoObserver))?;
                self.store(share, result);
            }
        }
        let results = std::mem::take(&mut self.results).into_iter().flatten();
        let results = std::mem::take(&mut self.shares).into_iter().zip(results).collect();
        let PlannedRun { asked: RequestedRun { task, options, .. }, pair, .. } = &*self.run;
        divisible(*task)?.join(results, pair, options, &Run::new(&NoObserver))
    }
}

impl DividedJob for DividedPair {
    fn details(&self, share: usize) -> Vec<u8> {
        self.shares.get(share).map(to_bytes).unwrap_or_default()
    }

    fn solve_share(&self, _share: usize, details: &[u8]) -> Result<Vec<u8>, Halt> {
        self.solve(details, &Run::new(&NoObserver))
    }

    fn add_result(&mut self, share: usize, result: Option<Vec<u8>>, session: &SolverSession) {
        let own = || {
            // A pair has fewer shares than many devices have workers.
            let workers = self.workers.min(self.shares.len() as u64);
            let observer = SharePoster { poster: self.run.poster(session), workers, before: self.cells };
            self.solve(&self.details(share), &Run::new(&observer)).ok()
        };
        let Some(result) = result.or_else(own) else { return };
        self.store(share, result);
        // An observer of the solver never stops a run.
        let _ = self.run.poster(session).on_signal(RunSignal::Progress { done: self.cells, total: self.cells });
        session.outbox.flush(session.world);
    }

    fn finish(mut self: Box<Self>, workers: usize, session: &mut SolverSession) -> usize {
        let number = self.run.number;
        let outcome = match self.join() {
            Ok(JoinedShares::Further(shares)) => {
                let number = shares.len();
                (self.results, self.shares) = (vec![None; number], shares);
                session.divided = Some(self);
                return number;
            }
            Ok(JoinedShares::Solved(solution)) => {
                let machine = EngineHardware { threads: workers as u64, ..Engine::Cpu(Cpu::SINGLE).machine() };
                let totals = RunTotals { cells: self.cells, peak_bytes: self.peak_bytes * workers as u64, machine };
                session.complete(self.run, solution, totals)
            }
            Err(halt) => Err(halt),
        };
        if let Err(halt) = outcome {
            session.send_reply(number, WorkerReply::Event(JobEvent::Failed(halt.failure())));
        }
        session.outbox.flush(session.world);
        0
    }
}
