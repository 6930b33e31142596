//! The solver without the browser around it: [`SolverState`] takes a [`WorkerRequest`], posts [`ReplyEnvelope`]s, and
//! stores the last result.
//!
//! - [`mod@rate`]: the measured speed of this solver

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use explain::event_builder::{EventBuilder, RunTotals};
use explain::worker_protocol::query::{ToolQuery, WorkerQuery as _};
use explain::worker_protocol::{ParsedTextInfo, ReplyEnvelope, RequestKind, ResultId, SolveCondition, WorkerReply, WorkerRequest};
use kernels::engine::{Cpu, Engine};
use kernels::event::{JobEvent, RunSignal, RunStage};
use kernels::failure::{InputError, JobFailure};
use kernels::job::{JobOptions, PairRecordChoices, Task};
use kernels::plan::{EngineEffort, EngineLimits, EngineName, EnginePlace, JobPlan, JobWork, MAX_LOCAL_MS, PlannerOffer, TaskRate, plan};
use kernels::run::{Halt, Observer, Run};
use kernels::task::{InputSize, Solution, solver, solvers};
use kernels::text::{Pair, Text};

use self::rate::{cells_per_second, rate};
use crate::kept_result::{KeptResult, LocalRunInfo, QueryReply};
use crate::shares::{DividedJob, LastAnswer, ManyTextsFns, ManyTextsReply, lost};
use crate::solver_parts;

mod rate;

/// The functions of the environment that the solver calls: a clock and a way to send replies. A browser or a test
/// provides them.
#[derive(Clone, Copy)]
pub struct WorkerEnvironment {
    /// Returns the time of a monotonic clock, in milliseconds.
    pub now: fn() -> f64,
    /// Sends replies to the page as one message, together with bytes that belong to the last reply.
    pub post: fn(&[ReplyEnvelope], &[u8]),
}

/// Time from the start of a request during which replies are collected into one message, in milliseconds. Each message
/// starts a task in the page, and even a quick answer has a dozen replies.
const REPLY_BATCH_MS: f64 = 30.0;

/// Minimum duration of a run whose measurement may lower the assumed rate of a task, in milliseconds.
const MIN_RATED_RUN_MS: f64 = 500.0;

/// The solver with its state between requests: measured rates, the last result, and replies to send. It answers one
/// request at a time.
pub struct SolverState {
    pub(crate) world: WorkerEnvironment,
    /// This solver as an engine that the planner may choose, with the rates of the tasks measured so far.
    offer: PlannerOffer,
    /// The stored result, and the number of the request that made it.
    kept_result: Option<(u64, KeptResult)>,
    /// The last answer about many texts.
    pub(crate) last_collection: LastAnswer,
    /// The divided request.
    pub(crate) divided: Option<Box<dyn DividedJob>>,
    pub(crate) outbox: ReplyOutbox,
}

/// The replies to the current request that are not sent yet, and the time at which this request began.
#[derive(Debug, Default)]
pub(crate) struct ReplyOutbox {
    waiting: Mutex<Vec<ReplyEnvelope>>,
    started_ms: f64,
}

impl ReplyOutbox {
    pub(crate) fn put(&self, reply: ReplyEnvelope) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(reply);
    }

    /// Sends the pending replies to the page if the request began at least [`REPLY_BATCH_MS`] before `now`.
    fn flush_if_due(&self, world: WorkerEnvironment, now: f64) {
        if now - self.started_ms >= REPLY_BATCH_MS {
            self.flush(world);
        }
    }

    /// Sends the pending replies to the page.
    pub(crate) fn flush(&self, world: WorkerEnvironment) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if !waiting.is_empty() {
            (world.post)(&waiting, &[]);
        }
    }
}

/// The bytes beside a request that are not part of its CBOR, such as the texts.
pub struct RequestBytes {
    /// The first text. In a request to store an alignment, the CIGAR.
    pub a: Vec<u8>,
    /// The second text.
    pub b: Vec<u8>,
}

impl SolverState {
    /// Creates the solver and posts [`WorkerReply::Ready`].
    pub fn open(world: WorkerEnvironment) -> Self {
        let desk = Self::new(world);
        desk.send_reply(0, WorkerReply::Ready);
        desk.outbox.flush(world);
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
        Self { world, offer, kept_result: None, last_collection: None, divided: None, outbox: ReplyOutbox::default() }
    }

    /// Answers the request `ask` by one or more replies. `beside` are the bytes that come with this request.
    ///
    /// Divides a long request into shares if there are `helpers`, other workers that compute shares. Returns the number of
    /// shares, or 0 if the request is answered. The caller must call [`finish`](Self::finish) after the shares are computed,
    /// and before the next request.
    pub fn answer(&mut self, ask: WorkerRequest, beside: RequestBytes, helpers: usize) -> usize {
        self.outbox.started_ms = (self.world.now)();
        let shares = self.reply(ask, beside, helpers);
        self.outbox.flush(self.world);
        shares
    }

    /// Stores the result of a share of the divided request, and reports the progress. Without a result, computes the share
    /// here. After a failure, [`finish`](Self::finish) computes the share again.
    pub fn add_result(&mut self, share: usize, result: Option<Vec<u8>>) {
        if let Some(mut job) = self.divided.take() {
            job.add_result(share, result, self);
            self.divided = Some(job);
        }
    }

    /// Returns what another worker needs for a share, beside the request.
    pub fn share_details(&self, share: usize) -> Vec<u8> {
        self.divided.as_ref().map(|job| job.details(share)).unwrap_or_default()
    }

    /// Joins the results of all shares, which `workers` workers have computed. Computes the shares without a result. Answers
    /// the divided request and returns 0, or returns the number of further shares.
    pub fn finish(&mut self, workers: usize) -> usize {
        self.divided.take().map_or(0, |job| job.finish(workers, self))
    }

    /// Prepares this solver to compute shares of the request `what`, which another worker has divided among `helpers`.
    ///
    /// # Errors
    /// Returns an error if the request has no shares, or if its texts cannot be read.
    pub fn begin_shares(&mut self, what: RequestKind, beside: RequestBytes, helpers: usize) -> Result<(), Halt> {
        self.divided = Some(match &what {
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
        self.divided.as_ref().ok_or_else(lost)?.solve_share(share, details)
    }

    /// Replies that the request `ask` failed with `failure` before it began.
    pub fn refuse(&self, ask: &WorkerRequest, failure: JobFailure) {
        let is_run = matches!(ask.what, RequestKind::Solve { .. } | RequestKind::Measure { .. });
        self.send_reply(ask.number, if is_run { WorkerReply::Event(JobEvent::Failed(failure)) } else { WorkerReply::Refused(failure) });
        self.outbox.flush(self.world);
    }

    /// Answers a request. Returns the number of shares into which it is divided, or 0.
    fn reply(&mut self, WorkerRequest { number, of, what }: WorkerRequest, beside: RequestBytes, helpers: usize) -> usize {
        let found = match what {
            RequestKind::Solve { task, options, choices: [a, b], offers, when } => {
                let asked = RequestedRun { task, options, choices: PairRecordChoices::of(task, a, b), when };
                self.kept_result = None;
                return match self.solve(number, asked, &solver_parts::offers(&offers), beside, helpers) {
                    Err(Halt::Failed(failure)) => {
                        self.send_reply(number, WorkerReply::Event(JobEvent::Failed(failure)));
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
                self.kept_result = None;
                match self.answer_many_texts(&what, number, &beside, helpers) {
                    Ok(ManyTextsReply::Divided(shares)) => return shares,
                    Ok(ManyTextsReply::Answer(reply)) => Ok(Some(reply)),
                    Err(halt) => Err(halt.failure()),
                }
            }
            RequestKind::Tool(query) => self.answer_tool_query(number, &query, &beside).map(Some),
            RequestKind::Alignment(query) => self.query_kept_result(of, |kept| kept.answer_alignment_query(&query)),
            RequestKind::Hits(query) => self.query_kept_result(of, |kept| solver_parts::hits(kept, &query)),
            RequestKind::Layout(query) => self.query_kept_result(of, |kept| (solver_parts::drawings()?.layout)(kept, &query)),
            RequestKind::Export { format, columns } => self.query_kept_result(of, |kept| solver_parts::file(kept, format, columns)),
        };
        self.send_outcome(number, found);
        0
    }

    /// Sends the last reply to a request that is no run. `None` means that the result is gone.
    pub(crate) fn send_outcome(&self, number: u64, outcome: Result<Option<Vec<u8>>, JobFailure>) {
        match outcome {
            Ok(Some(reply)) => (self.world.post)(&[ReplyEnvelope { number, say: WorkerReply::Found }], &reply),
            Ok(None) => self.send_reply(number, WorkerReply::Gone),
            Err(failure) => self.send_reply(number, WorkerReply::Refused(failure)),
        }
    }

    fn answer_tool_query(&mut self, number: u64, query: &ToolQuery, beside: &RequestBytes) -> QueryReply {
        Ok(match query {
            ToolQuery::Keep(query) => {
                let (kept, summary) = KeptResult::of_cigar(&beside.a)?;
                self.kept_result = Some((number, kept));
                query.encode(&summary)
            }
            ToolQuery::Code(query) => {
                let too_long = || JobFailure::wrong("This is too long for a QR code.", InputError::LongForCode);
                query.encode(&(solver_parts::drawings()?.code)(&query.text).ok_or_else(too_long)?)
            }
            ToolQuery::Digest(query) => query.encode(&solver_parts::digests([&beside.a, &beside.b])?),
        })
    }

    /// Answers a query about the stored result by calling `answer`. Returns `None` if the stored result is not `of`,
    /// the result that the query is about.
    ///
    /// # Errors
    /// Returns an error if no result is stored, or if `answer` fails.
    fn query_kept_result(
        &mut self,
        of: Option<ResultId>,
        answer: impl FnOnce(&mut KeptResult) -> QueryReply,
    ) -> Result<Option<Vec<u8>>, JobFailure> {
        match &mut self.kept_result {
            Some((made_by, kept)) if of.is_none_or(|of| of.ask == *made_by && kept.has(of.opened)) => answer(kept).map(Some),
            Some(_) => Ok(None),
            None => Err(JobFailure::engine("There is no result here any more. Run it again.")),
        }
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
        let WorkerEnvironment { now, .. } = self.world;
        self.offer_task(task);
        let started = now();
        let pair = Pair::parse_records(beside.a, beside.b, &options.reading(), &choices)?;
        let content = |text: &Text| ParsedTextInfo {
            name: text.name().map(str::to_owned),
            symbols: text.len() as u64,
            read_as: text.read_as().clone(),
        };
        let warnings = pair.warnings().to_vec();
        self.send_reply(number, WorkerReply::Read { a: content(&pair.a), b: content(&pair.b), alphabet: pair.alphabet().into(), warnings });
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
        self.send_reply(number, WorkerReply::Event(JobEvent::Planned(plan)));
        if !here || (when == SolveCondition::Quick && !quick) {
            self.send_reply(number, WorkerReply::Waiting);
            return Ok(0);
        }
        read.into_iter()
            .flatten()
            .chain([JobEvent::Read((&pair).into())])
            .for_each(|event| self.send_reply(number, WorkerReply::Event(event)));
        if long {
            self.outbox.flush(self.world);
        }
        let mut planned =
            Box::new(PlannedRun { number, asked: RequestedRun { task, options, choices, when }, pair, builder: Mutex::new(builder) });
        if let Some(fns) = fns.filter(|_| is_divided) {
            match (fns.divide)(self, planned, helpers + 1)? {
                ControlFlow::Break(shares) => return Ok(shares),
                ControlFlow::Continue(undivided) => planned = undivided,
            }
        }
        let PlannedRun { asked: RequestedRun { options, .. }, pair, .. } = &*planned;
        let poster = planned.poster(self);
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
        self.complete(planned, solution, totals)?;
        Ok(0)
    }

    /// Stores the result of a run, and sends its last events.
    pub(crate) fn complete(&mut self, planned: Box<PlannedRun>, solution: Solution, totals: RunTotals) -> Result<(), Halt> {
        let PlannedRun { number, asked, pair, builder } = *planned;
        let RequestedRun { task, options, choices, .. } = asked;
        let builder = builder.into_inner().unwrap_or_else(PoisonError::into_inner);
        let events = builder.finish(solution.answer.clone(), totals, (self.world.now)());
        let metrics = events.iter().filter_map(|event| match event {
            JobEvent::Metric(metric) => Some((metric.name.clone(), metric.value)),
            _ => None,
        });
        let ran = LocalRunInfo { choices: [choices.a, choices.b], metrics: metrics.collect() };
        self.kept_result = Some((number, KeptResult::of_run((task, options), pair, solution, ran)?));
        for event in events {
            self.send_reply(number, WorkerReply::Event(event));
        }
        Ok(())
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
        (many_texts_fns(what)?.answer)([&beside.a, &beside.b], helpers, number, self)
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
        self.send_reply(number, WorkerReply::Event(event));
        self.send_reply(number, WorkerReply::Waiting);
    }

    /// Measures the rate of a task if it is unknown. Skips tasks whose full solver is not loaded, because then the
    /// texts are so short that a run takes no noticeable time.
    fn offer_task(&mut self, task: Task) {
        if self.offer.rate(task).is_none() && solvers::is_provided(task) {
            self.offer.tasks.push(TaskRate { task, cells_per_second: rate(task, self.world.now) });
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

    pub(crate) fn send_reply(&self, number: u64, say: WorkerReply) {
        self.outbox.put(ReplyEnvelope { number, say });
        self.outbox.flush_if_due(self.world, (self.world.now)());
    }
}

/// The parameters of a `Solve` request, without its texts.
pub(crate) struct RequestedRun {
    pub(crate) task: Task,
    pub(crate) options: JobOptions,
    pub(crate) choices: PairRecordChoices,
    pub(crate) when: SolveCondition,
}

/// A run about two texts that this solver carries out.
pub(crate) struct PlannedRun {
    pub(crate) number: u64,
    pub(crate) asked: RequestedRun,
    pub(crate) pair: Pair,
    pub(crate) builder: Mutex<EventBuilder>,
}

impl PlannedRun {
    /// Returns the observer of the run.
    pub(crate) fn poster<'a>(&'a self, solver: &'a SolverState) -> EventPoster<'a> {
        EventPoster { world: solver.world, outbox: &solver.outbox, number: self.number, builder: &self.builder }
    }
}

/// An observer of a run that converts the run's signals into events and posts these to the page.
pub(crate) struct EventPoster<'a> {
    world: WorkerEnvironment,
    outbox: &'a ReplyOutbox,
    number: u64,
    builder: &'a Mutex<EventBuilder>,
}

impl Observer for EventPoster<'_> {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let now = (self.world.now)();
        let event = self.builder.lock().unwrap_or_else(PoisonError::into_inner).event(signal, now);
        if let Some(event) = event {
            self.outbox.put(ReplyEnvelope { number: self.number, say: WorkerReply::Event(event) });
        }
        self.outbox.flush_if_due(self.world, now);
        ControlFlow::Continue(())
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
