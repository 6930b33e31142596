//! Requests with many texts, which several workers can answer together ([`ManyTextsFns`]). The worker of the page divides a
//! long request into shares. Each helper reads the same request, divides it in the same way, and computes some shares.

use std::any::Any;

use kernels::event::RunProgress;
use kernels::failure::JobFailure;
use kernels::run::{Halt, Run};

/// Number of shares for each helper, because shares take unequal times.
const SHARES_OF_HELPER: usize = 16;

/// The request in CBOR, and the bytes of all texts.
pub(crate) type RequestParts<'r> = [&'r [u8]; 2];

/// The last answer, or the divided request. Only the module of the part knows its type, so that the code for it is part of
/// this module.
pub(crate) type LastAnswer = Option<Box<dyn Any>>;

/// A clock in milliseconds.
type Clock = fn() -> f64;

/// The outcome of a request.
pub(crate) enum ManyTextsReply {
    /// The encoded report, or the bytes of a file.
    Answer(Vec<u8>),
    /// The request is divided.
    Divided {
        /// Number of shares.
        shares: usize,
        /// Number of cells of all shares.
        cells: u64,
    },
}

/// The functions of a part of the solver that answers requests with many texts.
#[derive(Clone, Copy)]
pub(crate) struct ManyTextsFns {
    /// Answers a request, or divides it among a number of helpers.
    pub(crate) answer: fn(RequestParts, usize, Clock, &Run, &mut LastAnswer) -> Result<ManyTextsReply, Halt>,
    /// Prepares a helper for a request that is divided among a number of helpers.
    pub(crate) begin_shares: fn(RequestParts, usize, &mut LastAnswer) -> Result<(), Halt>,
    /// Computes the share with this number.
    pub(crate) solve_share: fn(usize, &LastAnswer) -> Result<Vec<u8>, Halt>,
    /// Stores the result of a share, and returns the progress of the request.
    pub(crate) add_result: fn(usize, Vec<u8>, Clock, &mut LastAnswer) -> Option<RunProgress>,
    /// Answers the divided request. Computes the shares without a result.
    pub(crate) finish: fn(Clock, &mut LastAnswer) -> Result<Vec<u8>, Halt>,
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

/// A request whose shares helpers compute.
struct DividedRequest<T> {
    texts: T,
    results: Vec<Option<Vec<u8>>>,
    started_ms: f64,
}

/// Returns the functions for requests with the texts `T`.
pub(crate) const fn many_texts_fns<T: ManyTexts>() -> ManyTextsFns {
    ManyTextsFns {
        answer: answer::<T>,
        begin_shares: begin_shares::<T>,
        solve_share: solve_share::<T>,
        add_result: add_result::<T>,
        finish: finish::<T>,
    }
}

fn answer<T: ManyTexts>(
    request: RequestParts,
    helpers: usize,
    now: Clock,
    run: &Run,
    last: &mut LastAnswer,
) -> Result<ManyTextsReply, Halt> {
    let shares = if helpers > 1 { helpers * SHARES_OF_HELPER } else { 0 };
    let Some(texts) = T::read(request, shares).inspect_err(|_| *last = None)? else {
        return T::answer_last(request, run, last).map(ManyTextsReply::Answer);
    };
    let (shares, cells, started_ms) = (texts.shares(), texts.cells(), now());
    if shares > 0 {
        *last = Some(Box::new(DividedRequest { texts, results: vec![None; shares], started_ms }));
        return Ok(ManyTextsReply::Divided { shares, cells });
    }
    *last = None;
    texts.solve(|| now() - started_ms, run, last).map(ManyTextsReply::Answer)
}

fn begin_shares<T: ManyTexts>(request: RequestParts, helpers: usize, last: &mut LastAnswer) -> Result<(), Halt> {
    let texts = T::read(request, helpers * SHARES_OF_HELPER)?.ok_or_else(lost)?;
    *last = Some(Box::new(DividedRequest { texts, results: Vec::new(), started_ms: 0.0 }));
    Ok(())
}

fn solve_share<T: ManyTexts>(share: usize, last: &LastAnswer) -> Result<Vec<u8>, Halt> {
    let divided = last.as_ref().and_then(|last| last.downcast_ref::<DividedRequest<T>>()).ok_or_else(lost)?;
    divided.texts.solve_share(share)
}

fn add_result<T: ManyTexts>(share: usize, result: Vec<u8>, now: Clock, last: &mut LastAnswer) -> Option<RunProgress> {
    let DividedRequest { texts, results, started_ms } = last.as_mut()?.downcast_mut::<DividedRequest<T>>()?;
    *results.get_mut(share)? = Some(result);
    let part = results.iter().flatten().count() as f64 / results.len() as f64;
    let (total, ms) = (texts.cells(), now() - *started_ms);
    let done = (total as f64 * part) as u64;
    Some(RunProgress { done, total, cells_per_second: 1e3 * done as f64 / ms.max(1.0), eta_ms: ms * (1.0 - part) / part })
}

fn finish<T: ManyTexts>(now: Clock, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
    let divided = last.take().and_then(|last| last.downcast::<DividedRequest<T>>().ok()).ok_or_else(lost)?;
    let DividedRequest { texts, results, started_ms } = *divided;
    let result = |(share, result): (usize, Option<Vec<u8>>)| result.map_or_else(|| texts.solve_share(share), Ok);
    let results = results.into_iter().enumerate().map(result).collect::<Result<Vec<_>, Halt>>()?;
    texts.join(results, || now() - started_ms, last)
}

/// Returns the failure of a request about an answer that does not exist.
pub(crate) fn lost() -> JobFailure {
    JobFailure::engine("There is no result here any more. Run it again.")
}
