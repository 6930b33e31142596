//! Shares: parts of a job that several engines without shared memory compute, such as the workers of a browser.
//!
//! One engine divides the job ([`DivisibleTask::divide`]). Each share is computed by any engine that has read the same
//! texts, and gives a few bytes. The first engine joins these bytes to the solution, or to further shares that depend on
//! them. Distances, lengths, scores and hits are those of an undivided run. Of several optimal alignments, another one may be
//! found.
//!
//! Threads of one process need no shares. They use the same divisions of the text, but share their results so far.

use std::ops::Range;

use super::Solution;
use crate::failure::JobFailure;
use crate::job::JobOptions;
use crate::run::{Halt, Run};
use crate::text::Pair;
use crate::{cbor_enum, cbor_struct};

/// Number of shares for each engine, because shares and engines take unequal times.
pub(super) const SHARES_PER_ENGINE: usize = 4;

/// The kind of work that a share is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareKind {
    /// A part of the searched text.
    Text,
    /// A part of the text that is searched for a long pattern, as one wavefront.
    LongPattern,
    /// Some records of the searched text.
    Records,
    /// Distances from the start of both texts to the middle of one of them.
    Forward,
    /// Distances from the middle of one text to the end of both texts.
    Reverse,
    /// The alignment of a part of one text to a part of the other.
    Align,
}

cbor_enum!(ShareKind { 0 Text, 1 LongPattern, 2 Records, 3 Forward, 4 Reverse, 5 Align });

/// A share of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobShare {
    /// Kind of work.
    pub kind: ShareKind,
    /// Whether the reverse complement of the pattern is searched.
    pub is_reverse: bool,
    /// First and end of the range of `a`. Searches have none.
    pub a: [u64; 2],
    /// First and end of the range of `b`. A search counts words, offsets or records, as its task divides the text.
    pub b: [u64; 2],
    /// Upper bound of the least distance that is known before the share is computed.
    pub bound: Option<u64>,
    /// Number of times that both parts of a pair are divided again.
    pub levels: u64,
}

cbor_struct!(JobShare { kind, is_reverse, a, b, bound, levels });

impl JobShare {
    /// Creates the share of a search in the part `range` of the text.
    pub(super) fn of_text(kind: ShareKind, range: Range<u64>) -> Self {
        Self { kind, is_reverse: false, a: [0; 2], b: [range.start, range.end], bound: None, levels: 0 }
    }

    /// Returns the range of `b`.
    pub(super) fn range(&self) -> Range<usize> {
        self.b[0] as usize..self.b[1] as usize
    }
}

/// The outcome of joining the results of all shares.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one outcome exists at a time")]
pub enum JoinedShares {
    /// The solution of the job.
    Solved(Solution),
    /// Further shares, which are computed next. Their results are joined in the same way.
    Further(Vec<JobShare>),
}

/// The interface of a task whose jobs can be divided.
pub trait DivisibleTask: Sync {
    /// Estimates how many times as fast `engines` equal engines solve a job as one of them, without the time to send texts
    /// and results. Returns 1 if the job is not divided. Takes much less time than the job.
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64;

    /// Divides a job among `engines` engines. Returns no shares if the job is not divided.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt>;

    /// Computes a share on this thread. Returns its result in CBOR.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if the share does not belong to the job.
    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt>;

    /// Joins the results of all shares, which are in the order of [`divide`](Self::divide).
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if a result is not that of its share.
    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, run: &Run) -> Result<JoinedShares, Halt>;
}

/// Returns the failure for a result that is not that of its share, which is a bug.
pub(super) fn malformed() -> JobFailure {
    JobFailure::engine("The result of a share is malformed.")
}

/// Divides `0..all` into ranges of `each` numbers. The last range may be shorter.
pub(super) fn ranges(all: u64, each: u64) -> impl Iterator<Item = Range<u64>> {
    (0..all).step_by(each.max(1) as usize).map(move |from| from..all.min(from + each.max(1)))
}

/// Estimates the speedup if `engines` engines take `shares` shares, each of which costs `share` if the undivided job costs
/// `whole`. At the end, engines wait for half a share on average.
pub(super) fn speedup_of_shares(whole: f64, share: f64, shares: usize, engines: usize) -> f64 {
    if shares < 2 {
        return 1.0;
    }
    let each = (shares as f64 / engines as f64).max(1.0);
    let wait = if shares > engines { 0.5 } else { 0.0 };
    (whole / (share * (each + wait)).max(f64::MIN_POSITIVE)).clamp(1.0, engines as f64)
}

#[cfg(test)]
mod tests;
