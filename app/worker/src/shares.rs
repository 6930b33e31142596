//! Requests with many texts, which several workers can answer together ([`ManyTextsFns`]). The worker of the page divides a
//! long request into shares. Each helper reads the same request, divides it in the same way, and computes some shares.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use explain::worker_protocol::{ReplyEnvelope, WorkerReply};
use kernels::event::{JobEvent, RunProgress, RunSignal};
use kernels::failure::JobFailure;
use kernels::run::{Halt, Observer, Run};

use crate::session::{DividedJob, LastAnswer, ReplyOutbox, SolverSession, WorkerEnvironment, lost};

/// Number of shares for each helper, because shares take unequal times.
const SHARES_OF_HELPER: usize = 16;

/// The request in CBOR, and the bytes of all texts.
pub(crate) type RequestParts<'r> = [&'r [u8]; 2];

/// Minimum time between two reports of the progress, in milliseconds.
const PROGRESS_INTERVAL_MS: f64 = 100.0;

/// An observer of a request that one worker answers, which posts its progress.
struct ProgressPoster<'p> {
    number: u64,
    world: WorkerEnvironment,
    outbox: &'p ReplyOutbox,
    started_ms: f64,
    /// Time of the last report.
    posted_ms: Mutex<f64>,
}

impl Observer for ProgressPoster<'_> {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let RunSignal::Progress { done, total } = signal else { return ControlFlow::Continue(()) };
        let now = (self.world.now)();
        let mut posted_ms = self.posted_ms.lock().unwrap_or_else(PoisonError::into_inner);
        if now - *posted_ms >= PROGRESS_INTERVAL_MS {
            *posted_ms = now;
            let ms = now - self.started_ms;
            let eta_ms = if done > 0 { ms * (total - done) as f64 / done as f64 } else { 0.0 };
            let progress = RunProgress { done, total, cells_per_second: 1e3 * done as f64 / ms.max(1.0), eta_ms };
            post_progress(self.number, progress, self.world, self.outbox);
        }
        ControlFlow::Continue(())
    }
}

/// The outcome of a request.
pub(crate) enum ManyTextsReply {
    /// The encoded report, or the bytes of a file.
    Answer(Vec<u8>),
    /// The request is divided into this number of shares.
    Divided(usize),
}

/// The functions of a part of the solver that answers requests with many texts.
#[derive(Clone, Copy)]
pub(crate) struct ManyTextsFns {
    /// Answers a request with a number, or divides it among a number of helpers.
    pub(crate) answer: fn(RequestParts, usize, u64, &mut SolverSession) -> Result<ManyTextsReply, Halt>,
    /// Prepares a helper for a request that is divided among a number of helpers.
    pub(crate) begin_shares: fn(RequestParts, usize) -> Result<Box<dyn DividedJob>, Halt>,
}

/// The texts of a request that compares or searches.
pub(crate) trait ManyTexts: Sized + 'static {
    /// Reads the texts of a request, and divides the work into about `shares` shares. Returns `None` if the request is about
    /// the last answer.
    ///
    /// # Errors
    /// Returns the failure of the request.
    fn read(request: RequestParts, shares: usize) -> Result<Option<Self>, JobFailure>;

    /// Returns the number of cells.
    fn cells(&self) -> u64;

    /// Returns the number of shares, or 0 if one worker is as fast as several.
    fn shares(&self) -> usize;

    /// Computes a share.
    ///
    /// # Errors
    /// Returns the failure of the request.
    fn solve_share(&self, share: usize) -> Result<Vec<u8>, Halt>;

    /// Computes everything, stores the answer, and returns the encoded report. `took_ms` returns the time since the start.
    ///
    /// # Errors
    /// Returns the failure of the request.
    fn solve(self, took_ms: impl FnOnce() -> f64, run: &Run, last: &mut LastAnswer) -> Result<Vec<u8>, Halt>;

    /// Returns the encoded report like [`solve`](Self::solve), given the results of all shares.
    ///
    /// # Errors
    /// Returns the failure of the request.
    fn join(self, results: Vec<Vec<u8>>, took_ms: impl FnOnce() -> f64, last: &mut LastAnswer) -> Result<Vec<u8>, Halt>;

    /// Answers a request about the last answer.
    ///
    /// # Errors
    /// Returns the failure of the request.
    fn answer_last(request: RequestParts, run: &Run, last: &LastAnswer) -> Result<Vec<u8>, Halt>;
}

/// A request whose shares several workers compute.
struct DividedRequest<T> {
    number: u64,
    texts: T,
    results: Vec<Option<Vec<u8>>>,
    started_ms: f64,
}

/// Returns the functions for requests with the texts `T`.
pub(crate) const fn many_texts_fns<T: ManyTexts>() -> ManyTextsFns {
    ManyTextsFns { answer: answer::<T>, begin_shares: begin_shares::<T> }
}

fn answer<T: ManyTexts>(request: RequestParts, helpers: usize, number: u64, session: &mut SolverSession) -> Result<ManyTextsReply, Halt> {
    let (world, started_ms) = (session.world, (session.world.now)());
    let observer = ProgressPoster { number, world, outbox: &session.outbox, started_ms, posted_ms: Mutex::new(started_ms) };
    let (run, last) = (Run::new(&observer), &mut session.last_collection);
    let Some(texts) = T::read(request, helpers * SHARES_OF_HELPER).inspect_err(|_| *last = None)? else {
        return T::answer_last(request, &run, last).map(ManyTextsReply::Answer);
    };
    *last = None;
    let (shares, cells) = (texts.shares(), texts.cells());
    if shares > 0 {
        // The page can cancel a run that has reported progress.
        post_progress(number, RunProgress { total: cells, ..RunProgress::default() }, world, &session.outbox);
        session.divided = Some(Box::new(DividedRequest { number, texts, results: vec![None; shares], started_ms }));
        return Ok(ManyTextsReply::Divided(shares));
    }
    texts.solve(|| (world.now)() - started_ms, &run, last).map(ManyTextsReply::Answer)
}

fn begin_shares<T: ManyTexts>(request: RequestParts, helpers: usize) -> Result<Box<dyn DividedJob>, Halt> {
    let texts = T::read(request, helpers * SHARES_OF_HELPER)?.ok_or_else(lost)?;
    Ok(Box::new(DividedRequest { number: 0, texts, results: Vec::new(), started_ms: 0.0 }))
}

impl<T: ManyTexts> DividedJob for DividedRequest<T> {
    fn solve_share(&self, share: usize, _details: &[u8]) -> Result<Vec<u8>, Halt> {
        self.texts.solve_share(share)
    }

    fn add_result(&mut self, share: usize, result: Option<Vec<u8>>, session: &SolverSession) {
        let Some(result) = result.or_else(|| self.texts.solve_share(share).ok()) else { return };
        let Some(place) = self.results.get_mut(share) else { return };
        *place = Some(result);
        let part = self.results.iter().flatten().count() as f64 / self.results.len() as f64;
        let (total, ms) = (self.texts.cells(), (session.world.now)() - self.started_ms);
        let done = (total as f64 * part) as u64;
        let progress = RunProgress { done, total, cells_per_second: 1e3 * done as f64 / ms.max(1.0), eta_ms: ms * (1.0 - part) / part };
        post_progress(self.number, progress, session.world, &session.outbox);
    }

    fn finish(self: Box<Self>, _workers: usize, session: &mut SolverSession) -> usize {
        let Self { number, texts, results, started_ms } = *self;
        let now = session.world.now;
        let result = |(share, result): (usize, Option<Vec<u8>>)| result.map_or_else(|| texts.solve_share(share), Ok);
        let results = results.into_iter().enumerate().map(result).collect::<Result<Vec<_>, Halt>>();
        let reply = results.and_then(|results| texts.join(results, || now() - started_ms, &mut session.last_collection));
        session.send_outcome(number, reply.map(Some).map_err(Halt::failure));
        session.outbox.flush(session.world);
        0
    }
}

fn post_progress(number: u64, progress: RunProgress, world: WorkerEnvironment, outbox: &ReplyOutbox) {
    outbox.put(ReplyEnvelope { number, say: WorkerReply::Event(JobEvent::Progress(progress)) });
    outbox.flush(world);
}
