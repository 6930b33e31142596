//! The state that all requests to the solver share ([`SolverSession`]), and what a run about two texts needs
//! ([`PlannedRun`]).

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use explain::event_builder::{EventBuilder, RunTotals};
use explain::worker_protocol::{ReplyEnvelope, ResultId, SolveCondition, WorkerReply};
use kernels::event::{JobEvent, RunSignal};
use kernels::failure::JobFailure;
use kernels::job::{JobOptions, PairRecordChoices, Task};
use kernels::run::{Halt, Observer};
use kernels::task::Solution;
use kernels::text::Pair;

use crate::kept_result::{KeptResult, LocalRunInfo, QueryReply};

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
pub(crate) const REPLY_BATCH_MS: f64 = 30.0;

/// The replies to the current request that are not sent yet, and the time at which this request began.
#[derive(Debug, Default)]
pub(crate) struct ReplyOutbox {
    waiting: Mutex<Vec<ReplyEnvelope>>,
    pub(crate) started_ms: f64,
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

/// The last answer about many texts. Only the module of the part knows its type, so that the code for it is part of
/// this module.
pub(crate) type LastAnswer = Option<Box<dyn Any>>;

/// A divided request, whose shares this worker and helpers compute. Only the modules of parts of the solver implement it, so
/// that the first download has none of their code.
pub(crate) trait DividedJob {
    /// Returns what a helper needs for a share, beside the request.
    fn details(&self, _share: usize) -> Vec<u8> {
        Vec::new()
    }

    /// Computes a share with these details.
    ///
    /// # Errors
    /// Returns the failure of the request.
    fn solve_share(&self, share: usize, details: &[u8]) -> Result<Vec<u8>, Halt>;

    /// Stores the result of a share, or computes the share if there is no result. Reports the progress by `session`.
    fn add_result(&mut self, share: usize, result: Option<Vec<u8>>, session: &SolverSession);

    /// Joins all results and answers the request by `session`, or stores further shares in `session` and returns their number.
    fn finish(self: Box<Self>, workers: usize, session: &mut SolverSession) -> usize;
}

/// The state that all requests share: results of earlier requests, the divided request, and replies to send.
pub(crate) struct SolverSession {
    pub(crate) world: WorkerEnvironment,
    /// The stored result, and the number of the request that made it.
    pub(crate) kept_result: Option<(u64, KeptResult)>,
    /// The last answer about many texts.
    pub(crate) last_collection: LastAnswer,
    /// The divided request.
    pub(crate) divided: Option<Box<dyn DividedJob>>,
    pub(crate) outbox: ReplyOutbox,
}

impl SolverSession {
    /// Creates a session without results.
    pub(crate) fn new(world: WorkerEnvironment) -> Self {
        Self { world, kept_result: None, last_collection: None, divided: None, outbox: ReplyOutbox::default() }
    }

    pub(crate) fn send_reply(&self, number: u64, say: WorkerReply) {
        self.outbox.put(ReplyEnvelope { number, say });
        self.outbox.flush_if_due(self.world, (self.world.now)());
    }

    /// Sends the last reply to a request that is no run. `None` means that the result is gone.
    pub(crate) fn send_outcome(&self, number: u64, outcome: Result<Option<Vec<u8>>, JobFailure>) {
        match outcome {
            Ok(Some(reply)) => (self.world.post)(&[ReplyEnvelope { number, say: WorkerReply::Found }], &reply),
            Ok(None) => self.send_reply(number, WorkerReply::Gone),
            Err(failure) => self.send_reply(number, WorkerReply::Refused(failure)),
        }
    }

    /// Answers a query about the stored result by calling `answer`. Returns `None` if the stored result is not `of`,
    /// the result that the query is about.
    ///
    /// # Errors
    /// Returns an error if no result is stored, or if `answer` fails.
    pub(crate) fn query_kept_result(
        &mut self,
        of: Option<ResultId>,
        answer: impl FnOnce(&mut KeptResult) -> QueryReply,
    ) -> Result<Option<Vec<u8>>, JobFailure> {
        match &mut self.kept_result {
            Some((made_by, kept)) if of.is_none_or(|of| of.ask == *made_by && kept.has(of.opened)) => answer(kept).map(Some),
            Some(_) => Ok(None),
            None => Err(lost()),
        }
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
}

/// Returns the failure of a request about an answer that does not exist.
pub(crate) fn lost() -> JobFailure {
    JobFailure::engine("There is no result here any more. Run it again.")
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
    pub(crate) fn poster<'a>(&'a self, session: &'a SolverSession) -> EventPoster<'a> {
        EventPoster { world: session.world, outbox: &session.outbox, number: self.number, builder: &self.builder }
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
