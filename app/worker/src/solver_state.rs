//! The solver without the browser around it: [`SolverState`] takes a [`WorkerRequest`] and answers it by replies.
//!
//! - [`mod@rate`]: the measured speed of this solver

use std::ops::ControlFlow;
use std::sync::Mutex;

use explain::event_builder::{EventBuilder, RunTotals};
use explain::worker_protocol::query::{ToolQuery, WorkerQuery as _};
use explain::worker_protocol::{ParsedTextInfo, RequestKind, SolveCondition, WorkerReply, WorkerRequest};
use kernels::engine::{Cpu, Engine};
use kernels::event::{JobEvent, RunSignal, RunStage};
use kernels::failure::{InputError, JobFailure};
use kernels::job::{JobOptions, PairRecordChoices, Task};
use kernels::plan::{EngineEffort, EngineLimits, EngineName, EnginePlace, JobPlan, JobWork, MAX_LOCAL_MS, PlannerOffer, TaskRate, plan};
use kernels::run::{Halt, Run};
use kernels::task::{InputSize, solver, solvers};
use kernels::text::{Pair, Text};

use self::rate::{cells_per_second, rate};
use crate::kept_result::{KeptResult, QueryReply};
use crate::session::{PlannedRun, REPLY_BATCH_MS, RequestBytes, RequestedRun, SolverSession, WorkerEnvironment, lost};
use crate::shares::{ManyTextsFns, ManyTextsReply};
use crate::solver_parts;

mod rate;

/// Minimum duration of a run whose measurement may lower the assumed rate of a task, in milliseconds.
const MIN_RATED_RUN_MS: f64 = 500.0;

/// The solver with its state between requests: measured rates, the last result, and replies to send. It answers one
/// request at a time.
pub struct SolverState {
    session: SolverSession,
    /// This solver as an engine that the planner may choose, with the rates of the tasks measured so far.
    offer: PlannerOffer,
}

impl SolverState {
    /// Creates the solver and posts [`WorkerReply::Ready`].
    pub fn open(world: WorkerEnvironment) -> Self {
        let desk = Self::new(world);
        desk.session.send_reply(0, WorkerReply::Ready);
        desk.session.outbox.flush(world);
        desk
    }

    /// Creates the solver.
    pub fn new(world: WorkerEnvironment) -> Self {
        let offer = PlannerOffer {
            engine: EngineName::Cpu,
            place: EnginePlace::Browser,
            device: "WebAssembly, one thread".into(),
            tasks: Vec::new(),
            start_ms: 0.0,
            bytes_per_second: 1e8,
            limits: EngineLimits { cells: 4_000_000_000_000, symbols: 16_000_000, ..EngineLimits::NONE },
            version: env!("CARGO_PKG_VERSION").into(),
        };
        Self { session: SolverSession::new(world), offer }
    }

    /// Answers the request `ask` by one or more replies. `beside` are the bytes that come with this request.
    ///
    /// Divides a long request into shares if there are `helpers`, other workers that compute shares. Returns the number of
    /// shares, or 0 if the request is answered. The caller must call [`finish`](Self::finish) after the shares are computed,
    /// and before the next request.
    pub fn answer(&mut self, ask: WorkerRequest, beside: RequestBytes, helpers: usize) -> usize {
        self.session.outbox.started_ms = (self.session.world.now)();
        let shares = self.reply(ask, beside, helpers);
        self.session.outbox.flush(self.session.world);
        shares
    }

    /// Stores the result of a share of the divided request, and reports the progress. Without a result, computes the share
    /// here. After a failure, [`finish`](Self::finish) computes the share again.
    pub fn add_result(&mut self, share: usize, result: Option<Vec<u8>>) {
        if let Some(mut job) = self.session.divided.take() {
            job.add_result(share, result, &self.session);
            self.session.divided = Some(job);
        }
    }

    /// Returns what another worker needs for a share, beside the request.
    pub fn share_details(&self, share: usize) -> Vec<u8> {
        self.session.divided.as_ref().map(|job| job.details(share)).unwrap_or_default()
    }

    /// Joins the results of all shares, which `workers` workers have computed. Computes the shares without a result. Answers
    /// the divided request and returns 0, or returns the number of further shares.
    pub fn finish(&mut self, workers: usize) -> usize {
        self.session.divided.take().map_or(0, |job| job.finish(workers, &mut self.session))
    }

    /// Prepares this solver to compute shares of the request `what`, which another worker has divided among `helpers`.
    ///
    /// # Errors
    /// Returns an error if the request has no shares, or if its texts cannot be read.
    pub fn begin_shares(&mut self, what: RequestKind, beside: RequestBytes, helpers: usize) -> Result<(), Halt> {
        self.session.divided = Some(match &what {
            RequestKind::Solve { task, .. } => {
                // The browser compiles code for speed after its first calls, and a share may be one long call.
                self.offer_task(*task);
                let fns = solver_parts::pair_shares().ok_or_else(solver_parts::missing)?;
                (fns.begin_shares)(what, beside)?
            }
            _ => (many_texts_fns(&what)?.begin_shares)([&beside.a, &beside.b], helpers)?,
        });
        Ok(())
    }

    /// Computes a share of the request of [`begin_shares`](Self::begin_shares). `details` are those of
    /// [`share_details`](Self::share_details).
    ///
    /// # Errors
    /// Returns an error if the share cannot be computed.
    pub fn solve_share(&self, share: usize, details: &[u8]) -> Result<Vec<u8>, Halt> {
        self.session.divided.as_ref().ok_or_else(lost)?.solve_share(share, details)
    }

    /// Replies that the request `ask` failed with `failure` before it began.
    pub fn refuse(&self, ask: &WorkerRequest, failure: JobFailure) {
        let is_run = matches!(ask.what, RequestKind::Solve { .. } | RequestKind::Measure { .. });
        self.session
            .send_reply(ask.number, if is_run { WorkerReply::Event(JobEvent::Failed(failure)) } else { WorkerReply::Refused(failure) });
        self.session.outbox.flush(self.session.world);
    }

    /// Answers a request. Returns the number of shares into which it is divided, or 0.
    fn reply(&mut self, WorkerRequest { number, of, what }: WorkerRequest, beside: RequestBytes, helpers: usize) -> usize {
        let found = match what {
            RequestKind::Solve { task, options, choices: [a, b], offers, when } => {
                let asked = RequestedRun { task, options, choices: PairRecordChoices::of(task, a, b), when };
                self.session.kept_result = None;
                return match self.solve(number, asked, &solver_parts::offers(&offers), beside, helpers) {
                    Err(Halt::Failed(failure)) => {
                        self.session.send_reply(number, WorkerReply::Event(JobEvent::Failed(failure)));
                        0
                    }
                    Err(Halt::Stopped) => 0,
                    Ok(shares) => shares,
                };
            }
            RequestKind::Measure { task, options, offers, a, b, bytes } => {
                self.measure(number, task, options, &solver_parts::offers(&offers), InputSize { a, b, alphabet: 1, bytes });
                return 0;
            }
            what @ (RequestKind::Collection | RequestKind::Patterns) => {
                self.session.kept_result = None;
                match self.answer_many_texts(&what, number, &beside, helpers) {
                    Ok(ManyTextsReply::Divided(shares)) => return shares,
                    Ok(ManyTextsReply::Answer(reply)) => Ok(Some(reply)),
                    Err(halt) => Err(halt.failure()),
                }
            }
            RequestKind::Tool(query) => self.answer_tool_query(number, &query, &beside).map(Some),
            RequestKind::Alignment(query) => self.session.query_kept_result(of, |kept| kept.answer_alignment_query(&query)),
            RequestKind::Hits(query) => self.session.query_kept_result(of, |kept| solver_parts::hits(kept, &query)),
            RequestKind::Layout(query) => self.session.query_kept_result(of, |kept| (solver_parts::drawings()?.layout)(kept, &query)),
            RequestKind::Export { format, columns } => self.session.query_kept_result(of, |kept| solver_parts::file(kept, format, columns)),
        };
        self.session.send_outcome(number, found);
        0
    }

    fn answer_tool_query(&mut self, number: u64, query: &ToolQuery, beside: &RequestBytes) -> QueryReply {
        Ok(match query {
            ToolQuery::Keep(query) => {
                let (kept, summary) = KeptResult::of_cigar(&beside.a)?;
                self.session.kept_result = Some((number, kept));
                query.encode(&summary)
            }
            ToolQuery::Code(query) => {
                let too_long = || JobFailure::wrong("This is too long for a QR code.", InputError::LongForCode);
                query.encode(&(solver_parts::drawings()?.code)(&query.text).ok_or_else(too_long)?)
            }
            ToolQuery::Digest(query) => query.encode(&solver_parts::digests([&beside.a, &beside.b])?),
        })
    }

    /// Plans a run and solves it if it shall be solved here. Returns the number of shares if it is divided, or 0.
    fn solve(
        &mut self,
        number: u64,
        asked: RequestedRun,
        offers: &[PlannerOffer],
        beside: RequestBytes,
        helpers: usize,
    ) -> Result<usize, Halt> {
        let RequestedRun { task, options, choices, when } = asked;
        let WorkerEnvironment { now, .. } = self.session.world;
        self.offer_task(task);
        let started = now();
        let pair = Pair::parse_records(beside.a, beside.b, &options.reading(), &choices)?;
        let content = |text: &Text| ParsedTextInfo {
            name: text.name().map(str::to_owned),
            symbols: text.len() as u64,
            read_as: text.read_as().clone(),
        };
        let warnings = pair.warnings().to_vec();
        self.session
            .send_reply(number, WorkerReply::Read { a: content(&pair.a), b: content(&pair.b), alphabet: pair.alphabet().into(), warnings });
        let work = solver(task).work_for(&pair, &options);
        let quick = |plan: &JobPlan| plan.place == EnginePlace::Browser && plan.expected_ms <= MAX_LOCAL_MS;
        let fns = if helpers > 0 { solver_parts::pair_shares() } else { None };
        let divides = |offer: &mut PlannerOffer| fns.is_some_and(|fns| (fns.divides)(offer, &work, &pair, &options, helpers + 1));
        let (mut plan, mut is_divided) = self.plan(&work, offers, &divides)?;
        if !quick(&plan) && self.offer.rate(task).is_some() {
            // The first measurement may be too low, because the browser was still compiling or the device was busy.
            self.learn(task, rate(task, now), 0.0);
            (plan, is_divided) = self.plan(&work, offers, &divides)?;
        }
        let (here, quick, long) = (plan.place == EnginePlace::Browser, quick(&plan), plan.expected_ms > REPLY_BATCH_MS);
        let mut builder = EventBuilder::new(&plan, started);
        let read = [builder.event(RunSignal::Stage(RunStage::Read), started)];
        self.session.send_reply(number, WorkerReply::Event(JobEvent::Planned(plan)));
        if !here || (when == SolveCondition::Quick && !quick) {
            self.session.send_reply(number, WorkerReply::Waiting);
            return Ok(0);
        }
        read.into_iter()
            .flatten()
            .chain([JobEvent::Read((&pair).into())])
            .for_each(|event| self.session.send_reply(number, WorkerReply::Event(event)));
        if long {
            self.session.outbox.flush(self.session.world);
        }
        let mut planned =
            Box::new(PlannedRun { number, asked: RequestedRun { task, options, choices, when }, pair, builder: Mutex::new(builder) });
        if let Some(fns) = fns.filter(|_| is_divided) {
            match (fns.divide)(&mut self.session, planned, helpers + 1)? {
                ControlFlow::Break(shares) => return Ok(shares),
                ControlFlow::Continue(undivided) => planned = undivided,
            }
        }
        let PlannedRun { asked: RequestedRun { options, .. }, pair, .. } = &*planned;
        let poster = planned.poster(&self.session);
        let run = Run::new(&poster);
        let solving = now();
        let engine = Engine::Cpu(Cpu::SINGLE);
        let solution = engine.run(task, options, pair, &run)?;
        let EngineEffort { cells, cost_cells: rated, overhead_ns: beside_ns } = work.effort(EngineName::Cpu);
        // If cells were skipped or computed twice, the measured rate is not that of full cells. A run with ambiguity codes has
        // a rate of its own.
        let took_ms = now() - solving - 1e-6 * beside_ns as f64;
        let rate = if rated >= cells && !options.ambiguity { cells_per_second(run.cells(), took_ms) } else { 0.0 };
        let totals = RunTotals { cells: run.cells(), peak_bytes: run.peak_bytes(), machine: engine.machine() };
        self.learn(task, rate, took_ms);
        self.session.complete(planned, solution, totals)?;
        Ok(0)
    }

    /// Answers the request `what` about many texts that is `beside` a message, and reports the progress. Divides a long
    /// request among `helpers`.
    fn answer_many_texts(
        &mut self,
        what: &RequestKind,
        number: u64,
        beside: &RequestBytes,
        helpers: usize,
    ) -> Result<ManyTextsReply, Halt> {
        (many_texts_fns(what)?.answer)([&beside.a, &beside.b], helpers, number, &mut self.session)
    }

    /// Chooses the engine for `work` among this solver and the engines of the server, `offers`. Returns the plan, and
    /// whether this solver divides the job, as `divides` decides, which changes the offer of this solver.
    fn plan(
        &self,
        work: &JobWork,
        offers: &[PlannerOffer],
        divides: &dyn Fn(&mut PlannerOffer) -> bool,
    ) -> Result<(JobPlan, bool), JobFailure> {
        let mut all: Vec<PlannerOffer> = std::iter::once(&self.offer).chain(offers).cloned().collect();
        if self.offer.rate(work.task).is_none() {
            all[0].tasks.push(TaskRate { task: work.task, cells_per_second: rate::DEFAULT_CELLS_PER_SECOND });
        }
        let is_divided = divides(&mut all[0]);
        Ok((plan(work, &all)?, is_divided))
    }

    fn measure(&self, number: u64, task: Task, options: JobOptions, offers: &[PlannerOffer], size: InputSize) {
        let work: JobWork = solver(task).work(&size, &options);
        let event = match plan(&work, offers) {
            Ok(plan) => JobEvent::Planned(plan),
            Err(failure) => JobEvent::Failed(failure),
        };
        self.session.send_reply(number, WorkerReply::Event(event));
        self.session.send_reply(number, WorkerReply::Waiting);
    }

    /// Measures the rate of a task if it is unknown. Skips tasks whose full solver is not loaded, because then the
    /// texts are so short that a run takes no noticeable time.
    fn offer_task(&mut self, task: Task) {
        if self.offer.rate(task).is_none() && solvers::is_provided(task) {
            self.offer.tasks.push(TaskRate { task, cells_per_second: rate(task, self.session.world.now) });
        }
    }

    /// Updates the rate of a task to `learnt`, the rate that a run of `took_ms` milliseconds has measured.
    ///
    /// The first measurement is taken while the browser still compiles, so that later ones may raise the rate. A short
    /// run may have been delayed, so that it can only raise the rate. A long run may also lower the rate, for example
    /// on a throttled device.
    fn learn(&mut self, task: Task, learnt: f64, took_ms: f64) {
        if let Some(rate) = self.offer.tasks.iter_mut().find(|rate| rate.task == task)
            && (learnt > rate.cells_per_second || (learnt > 0.0 && took_ms >= MIN_RATED_RUN_MS))
        {
            rate.cells_per_second = learnt;
        }
    }
}

/// Returns the functions that answer the request `what` about many texts.
///
/// # Errors
/// Returns an error if their part is not loaded, or if the request has no such part.
fn many_texts_fns(what: &RequestKind) -> Result<ManyTextsFns, JobFailure> {
    match what {
        RequestKind::Collection => solver_parts::collections(),
        RequestKind::Patterns => solver_parts::patterns(),
        _ => Err(solver_parts::missing()),
    }
}

#[cfg(test)]
mod tests;
