//! Score summary: the part of the score vector that an answer needs, collected in blocks as scores are computed.
//!
//! Every piece of at most [`MAX_REDUCED_OFFSETS`] offsets is first reduced to its least and greatest score and the sum,
//! in SIMD lanes. A profile needs no more. Single scores are only examined if the greatest one can matter. This is so
//! if it attains the best score so far, is within `max_mismatches`, or is among the best [`TOP_OFFSETS`].

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fearless_simd::{Level, Simd, dispatch};

use super::super::{ScoreRequest, TOP_OFFSETS};
use super::score::ScoreSlice;
use super::score::{BlockSummary, SCORES_PER_STEP, ScoreInteger};
use crate::cbor_struct;
use crate::event::PartialAnswer;
use crate::found::{Hit, ScoreSpan};
use crate::run::{Halt, Run};

/// Maximum number of offsets whose scores are reduced together. Every block of scores except the last one of a run is a
/// multiple of this number.
pub(super) const MAX_REDUCED_OFFSETS: usize = 512;

/// Results that all threads of a match count share.
#[derive(Default)]
pub(super) struct SharedScoreState {
    /// One more than the greatest score so far of all threads, or 0 before the first score.
    best: AtomicU64,
    /// Number of offsets so far, of all threads, with at most the requested number of unequal symbols.
    within: AtomicU64,
}

/// The results of one thread of a match count, which receives scores in ascending order of offsets.
pub(super) struct ScoreSummary<'s> {
    wanted: ScoreRequest,
    shared: &'s SharedScoreState,
    /// The greatest score so far of any thread, as far as this thread knows.
    pub(super) best: Option<u32>,
    /// Number of this thread's offsets with the score `best`.
    pub(super) total_best: u64,
    /// Number of this thread's offsets with at most the requested number of unequal symbols.
    pub(super) within: u64,
    /// This thread's hits, as the nonzero words of a bit set of offsets: the number of each word, and its 64 bits. Hits
    /// have at most the requested number of unequal symbols, or the score `best` if no number is requested.
    pub(super) hit_words: Vec<(u64, u64)>,
    /// This thread's best offsets, at most [`TOP_OFFSETS`]. An entry is the number of unequal symbols, and the offset.
    /// The worst entry is on top.
    pub(super) top: BinaryHeap<(u64, u64)>,
    /// This thread's spans of the profile in ascending order: the number of each span, and its summary.
    pub(super) spans: Vec<(u64, ScoreSpan)>,
    latest: Option<Hit>,
    reported: u64,
    pieces: Vec<BlockSummary>,
}

/// The results of one thread or of a share, in the form of a message. The fields are those of [`ScoreSummary`].
pub(super) struct SummaryRecord {
    pub(super) best: Option<u32>,
    pub(super) total_best: u64,
    pub(super) within: u64,
    pub(super) hit_words: Vec<(u64, u64)>,
    pub(super) top: Vec<(u64, u64)>,
    pub(super) spans: Vec<(u64, ScoreSpan)>,
}

cbor_struct!(SummaryRecord { best, total_best, within, hit_words, top, spans });

impl<'s> ScoreSummary<'s> {
    /// Returns the results.
    pub(super) fn record(self) -> SummaryRecord {
        let Self { best, total_best, within, hit_words, top, spans, .. } = self;
        SummaryRecord { best, total_best, within, hit_words, top: top.into_vec(), spans }
    }

    /// Creates an empty summary for the request `wanted`. All threads of a match count share `shared`.
    pub(super) fn new(wanted: ScoreRequest, shared: &'s SharedScoreState) -> Self {
        Self {
            wanted,
            shared,
            best: None,
            total_best: 0,
            within: 0,
            hit_words: Vec::new(),
            top: BinaryHeap::new(),
            spans: Vec::new(),
            latest: None,
            reported: 0,
            pieces: Vec::new(),
        }
    }

    /// Adds `scores`, the scores at the offsets from `from` on. Offsets must ascend from call to call. `from` is a
    /// multiple of the width of a profile span or of [`MAX_REDUCED_OFFSETS`], whichever is less.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn add_scores(&mut self, from: u64, scores: ScoreSlice, run: &Run) -> Result<(), Halt> {
        match self.shared.best.load(Relaxed).checked_sub(1) {
            Some(best) if self.best.is_none_or(|known| known < best as u32) => self.rise(best as u32),
            _ => {}
        }
        let before = self.best;
        match scores {
            ScoreSlice::Narrow(scores) => self.scan(from, scores),
            ScoreSlice::Middle(scores) => self.scan(from, scores),
            ScoreSlice::Wide(scores) => self.scan(from, scores),
        }
        match self.best {
            Some(best) if self.best > before => {
                let known = self.shared.best.fetch_max(u64::from(best) + 1, Relaxed);
                if known > u64::from(best) { Ok(()) } else { run.partial(PartialAnswer::Best { score: best.into() }) }
            }
            _ => Ok(()),
        }
    }

    /// Reports the number of offsets with at most the requested number of unequal symbols, of all threads, to `run`.
    /// Does nothing if this thread has found no more.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn report(&mut self, run: &Run) -> Result<(), Halt> {
        let new = self.within - std::mem::replace(&mut self.reported, self.within);
        if new == 0 {
            return Ok(());
        }
        run.partial(PartialAnswer::Found { total: self.shared.within.fetch_add(new, Relaxed) + new, latest: self.latest })
    }

    fn scan<T: ScoreInteger>(&mut self, from: u64, scores: &[T]) {
        let size = self.wanted.width.min(MAX_REDUCED_OFFSETS as u64) as usize;
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let level = Level::new();
        macro_rules! sizes {
            ($($size:literal)*) => {
                match size {
                    $($size => dispatch!(level, s => reduce_scores::<_, T, $size>(s, scores, &mut pieces)),)*
                    _ => dispatch!(level, s => reduce_scores::<_, T, MAX_REDUCED_OFFSETS>(s, scores, &mut pieces)),
                }
            };
        }
        sizes!(1 2 4 8 16 32 64 128 256);
        if !self.wanted.count_only {
            for (piece, at) in pieces.iter().zip((from..).step_by(size)) {
                let offsets = (scores.len() as u64 - (at - from)).min(size as u64);
                let span = ScoreSpan { offsets, least: piece.least.into(), most: piece.most.into(), sum: piece.sum };
                let number = at / self.wanted.width;
                match self.spans.last_mut() {
                    Some((last, whole)) if *last == number => *whole = whole.join(span),
                    _ => self.spans.push((number, span)),
                }
            }
        }
        let together = (SCORES_PER_STEP / size).max(1);
        for (pieces, at) in pieces.chunks(together).zip((0..).step_by(together * size)) {
            let most = pieces.iter().fold(0, |most, piece| most.max(piece.most));
            if most >= self.least_of_interest() {
                let end = scores.len().min(at + together * size);
                for (scores, at) in scores[at..end].chunks(SCORES_PER_STEP).zip((from + at as u64..).step_by(SCORES_PER_STEP)) {
                    self.examine(at, scores);
                }
            }
        }
        self.pieces = pieces;
    }

    /// Returns the least score that can change the results: the best score, the hits, or the best offsets.
    fn least_of_interest(&self) -> u32 {
        let top = if self.wanted.count_only { u32::MAX } else { self.least_of_top() };
        self.best.unwrap_or(0).min(self.least_within().unwrap_or(u32::MAX)).min(top)
    }

    /// Returns the least score of an offset with at most the requested number of unequal symbols. Returns `None` if no
    /// number is requested.
    fn least_within(&self) -> Option<u32> {
        self.wanted.max_mismatches.map(|most| self.wanted.m.saturating_sub(most) as u32)
    }

    /// Returns the least score with which a new offset enters `top`.
    fn least_of_top(&self) -> u32 {
        match self.top.peek() {
            Some((distance, _)) if self.top.len() == TOP_OFFSETS => (self.wanted.m - distance) as u32 + 1,
            _ => 0,
        }
    }

    /// Examines `scores`, the scores at the offsets from `at` on, one by one. There are at most [`SCORES_PER_STEP`].
    fn examine<T: ScoreInteger>(&mut self, at: u64, scores: &[T]) {
        let most = scores.iter().fold(0, |most, score| most.max(score.number()));
        if self.best.is_none_or(|best| most > best) {
            self.rise(most);
        }
        if self.best == Some(most) {
            let bits = at_least(scores, most);
            self.total_best += u64::from(bits.count_ones());
            if self.wanted.max_mismatches.is_none() {
                self.keep(at, bits);
            }
        }
        match self.least_within() {
            Some(least) if most >= least => {
                let bits = at_least(scores, least);
                self.within += u64::from(bits.count_ones());
                let last = bits.ilog2();
                let start = at + u64::from(last);
                let distance = self.wanted.m - u64::from(scores[last as usize].number());
                self.latest = Some(Hit::new(start, start + self.wanted.m, distance));
                self.keep(at, bits);
            }
            _ => {}
        }
        if !self.wanted.count_only && most >= self.least_of_top() {
            for (start, score) in (at..).zip(scores) {
                if score.number() >= self.least_of_top() {
                    if self.top.len() == TOP_OFFSETS {
                        self.top.pop();
                    }
                    self.top.push((self.wanted.m - u64::from(score.number()), start));
                }
            }
        }
    }

    /// Sets the best score to `best`, and drops the hits that were kept for the previous best score.
    fn rise(&mut self, best: u32) {
        self.best = Some(best);
        self.total_best = 0;
        if self.wanted.max_mismatches.is_none() {
            self.hit_words.clear();
        }
    }

    fn keep(&mut self, at: u64, bits: u64) {
        if !self.wanted.count_only {
            self.hit_words.push((at / 64, bits));
        }
    }

    /// Returns the memory of the summary in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.hit_words.capacity() * size_of::<(u64, u64)>() + self.spans.capacity() * size_of::<(u64, ScoreSpan)>()) as u64
    }
}

/// Appends a summary of every `N` neighbouring `scores` to `pieces`. The last summary may have fewer scores.
#[inline(always)]
fn reduce_scores<S: Simd, T: ScoreInteger, const N: usize>(s: S, scores: &[T], pieces: &mut Vec<BlockSummary>) {
    let (whole, rest) = scores.as_chunks::<N>();
    for scores in whole {
        pieces.push(if N < SCORES_PER_STEP { BlockSummary::of(scores) } else { T::summarize_step(s, scores) });
    }
    if !rest.is_empty() {
        pieces.push(BlockSummary::of(rest));
    }
}

/// Returns a word whose bit i is set if score i is at least `least`. Like [`ScoreInteger::at_least`], but `scores` may
/// have fewer than [`SCORES_PER_STEP`] entries.
fn at_least<T: ScoreInteger>(scores: &[T], least: u32) -> u64 {
    match scores.as_array::<SCORES_PER_STEP>() {
        Some(scores) if T::saturated(least).number() == least => {
            dispatch!(Level::new(), s => T::at_least(s, scores, T::saturated(least)))
        }
        _ => (0..).zip(scores).fold(0, |bits, (bit, score)| bits | u64::from(score.number() >= least) << bit),
    }
}
