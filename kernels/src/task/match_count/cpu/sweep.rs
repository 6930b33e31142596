//! Match count of the whole text on all cores. Each core takes slices of offsets, as separate streams, until none is
//! left.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::super::ScoreRequest;
use super::pattern::PreparedPattern;
use super::score_summary::{MAX_REDUCED_OFFSETS, ScoreSummary, SharedScoreState};
use super::stream::ScoreStream;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of slices of offsets per thread, so that other threads take over the share of a delayed thread.
const SLICES_PER_THREAD: u64 = 8;

/// Minimum number of blocks of offsets in a slice, if the text is long enough. The last block of a slice may be short,
/// which costs time.
const MIN_SLICE_BLOCKS: u64 = 8;

/// Number of cells (pattern symbols times offsets) between two progress reports, far less than a millisecond of work. A
/// pattern of fewer than 64 symbols counts as a pattern of 64 symbols.
const TICK: u64 = 1 << 24;

/// Returns the number of offsets of a pattern of `m` symbols in a text of `n` symbols.
pub(in crate::task::match_count) fn offsets(m: usize, n: usize) -> u64 {
    (n as u64 + 1).saturating_sub(m as u64)
}

/// Computes the scores at all offsets of `text` on `threads` threads, which share `shared`. Returns the summary of each
/// thread, with the results that `wanted` requests.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn sweep<'s, T: Symbol>(
    pattern: &PreparedPattern,
    text: &[T],
    wanted: ScoreRequest,
    threads: usize,
    shared: &'s SharedScoreState,
    run: &Run,
) -> Result<Vec<ScoreSummary<'s>>, Halt> {
    let all = offsets(pattern.len(), text.len());
    let threads = threads.max(1) as u64;
    let slice = if threads == 1 {
        all.max(1)
    } else {
        let least = (MIN_SLICE_BLOCKS * pattern.block() as u64).min(all / threads);
        whole_spans((all / (SLICES_PER_THREAD * threads)).max(least), wanted)
    };
    let next = AtomicU64::new(0);
    let work = || -> Result<ScoreSummary<'s>, Halt> {
        let mut score_summary = ScoreSummary::new(wanted, shared);
        let bytes = pattern.bytes();
        run.hold(bytes);
        loop {
            let from = next.fetch_add(slice, Relaxed);
            if from >= all {
                break;
            }
            one(pattern, text, from, slice.min(all - from), &mut score_summary, run)?;
        }
        run.hold(score_summary.bytes());
        run.release(bytes);
        Ok(score_summary)
    };
    let threads = threads.min(all.div_ceil(slice));
    if threads <= 1 {
        return Ok(vec![work()?]);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Rounds up the number of offsets of a slice, so that no other slice has a part of its spans or words.
fn whole_spans(offsets: u64, wanted: ScoreRequest) -> u64 {
    offsets.max(1).next_multiple_of(wanted.width.max(MAX_REDUCED_OFFSETS as u64))
}

/// Returns the number of offsets of a slice if `all` offsets are divided into at most `slices` slices.
pub(super) fn slice_len(pattern: &PreparedPattern, wanted: ScoreRequest, slices: usize, all: u64) -> u64 {
    whole_spans((all / slices.max(1) as u64).max(MIN_SLICE_BLOCKS * pattern.block() as u64), wanted)
}

/// Computes the scores at `offsets` of `text` on this thread. Returns `summary` with the scores added.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn sweep_part<'s, T: Symbol>(
    pattern: &PreparedPattern,
    text: &[T],
    offsets: Range<u64>,
    mut summary: ScoreSummary<'s>,
    run: &Run,
) -> Result<ScoreSummary<'s>, Halt> {
    run.hold(pattern.bytes());
    one(pattern, text, offsets.start, offsets.end - offsets.start, &mut summary, run)?;
    run.hold(summary.bytes());
    Ok(summary)
}

/// Computes the scores at the `len` offsets of `text` from `from` on, and adds them to `score_summary`.
fn one<T: Symbol>(
    pattern: &PreparedPattern,
    text: &[T],
    from: u64,
    len: u64,
    score_summary: &mut ScoreSummary,
    run: &Run,
) -> Result<(), Halt> {
    let m = pattern.len() as u64;
    let end = (from + len + m).saturating_sub(1) as usize;
    let mut stream = ScoreStream::new(pattern);
    let (mut cells, mut weight) = (0, 0);
    let mut take = |at: u64, scores: super::score::ScoreSlice| {
        score_summary.add_scores(from + at, scores, run)?;
        cells += m * scores.len() as u64;
        weight += m.max(64) * scores.len() as u64;
        if weight >= TICK || at + scores.len() as u64 == len {
            weight = 0;
            score_summary.report(run)?;
            run.tick(std::mem::take(&mut cells))?;
        }
        Ok(())
    };
    stream.push(&text[from as usize..end], &mut take)?;
    stream.finish(&mut take)
}
