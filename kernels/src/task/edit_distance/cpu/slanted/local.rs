//! Local costs: for each strip of rows, a lower bound on the edits of its rows in any alignment that stays inside a
//! [slanted band](super).
//!
//! The rows of a strip are aligned with any part of the columns, so that the row above the strip is 0 everywhere and the least
//! value of its last row counts. Random edits at the ends of a strip are cheaper than in the whole alignment, by less than
//! one edit on average. So the sum over all strips is close to the distance.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u64x8};

use super::{ColumnWindow, KEPT_INTERVAL, LaneState, PROVEN_VECTORS, SlantedBand, VECTOR_WORDS, WORDS_PER_TICK, inverted_planes, words};
use crate::pair::cpu::WORD;
use crate::pair::cpu::recurrence::Recurrence;
use crate::pair::cpu::recurrence::unit_cost::MyersRecurrence;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// The value 0, far from the ends of unsigned numbers.
const ZERO: u64 = 1 << 40;

/// Running sums of horizontal differences below all lanes, and the least of them.
#[derive(Clone, Copy)]
struct LaneSums<S: Simd, const N: usize> {
    sums: [u64x8<S>; N],
    least: [u64x8<S>; N],
}

impl SlantedBand {
    /// Returns a lower bound on the edits of each whole strip of `strip_words` words of rows, for alignments that stay inside
    /// the band. The band must come from `for_proof`. Symbols are below `alphabet`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn local_costs<T: Symbol>(&self, texts: [&[T]; 2], alphabet: u32, strip_words: usize, run: &Run) -> Result<Vec<u32>, Halt> {
        let cells = self.cells();
        run.raise_expected(cells);
        let costs = match alphabet {
            ..=4 => dispatch!(Level::new(), s => self.sweep_locally::<_, T, PROVEN_VECTORS, 2>(s, texts, strip_words, run)),
            _ => dispatch!(Level::new(), s => self.sweep_locally::<_, T, PROVEN_VECTORS, 8>(s, texts, strip_words, run)),
        }?;
        run.tick(cells)?;
        Ok(costs)
    }

    #[inline(always)]
    fn sweep_locally<S: Simd, T: Symbol, const N: usize, const P: usize>(
        &self,
        s: S,
        [a, b]: [&[T]; 2],
        strip_words: usize,
        run: &Run,
    ) -> Result<Vec<u32>, Halt> {
        let mut state = LaneState::<S, N, P>::new(s);
        let zero = u64x8::splat(s, ZERO);
        let mut sums = LaneSums { sums: [zero; N], least: [zero; N] };
        let mut columns = ColumnWindow::<T, P>::new(b);
        let count = self.words();
        let lanes = N * VECTOR_WORDS;
        let mut costs = vec![0; a.len() / (WORD * strip_words)];
        // Values to the left of the last rows of all words, from the top of their strips.
        let mut lefts = Vec::with_capacity(count);
        let mut value = 0;
        let mut column = 0;
        for (word, symbols) in a.chunks(WORD).enumerate() {
            if word % WORDS_PER_TICK == WORDS_PER_TICK - 1 {
                run.tick(0)?;
            }
            if let Some(left) = word.checked_sub(lanes) {
                sums.end(left, strip_words, lanes - 1, &lefts, &mut costs);
            }
            state = state.enter(s, inverted_planes(s, symbols));
            sums = sums.enter(s);
            value = if word % strip_words == 0 { 0 } else { value } + WORD as i64;
            lefts.push(value);
            let mut kept = [[!0; VECTOR_WORDS]; N];
            for (lane, kept) in kept.as_flattened_mut().iter_mut().enumerate() {
                *kept = if word >= lane && (word - lane) % strip_words == 0 { 0 } else { !0 };
            }
            let mut masks = [zero; N];
            for k in 0..N {
                masks[k] = u64x8::from_slice(s, &kept[k]);
            }
            let is_last = word + 1 == count;
            let end = self.start(word + 1) + usize::from(!is_last);
            let mut at = column;
            while at < end {
                let len = (end - at).min(KEPT_INTERVAL);
                let planes = columns.planes(at, len + lanes);
                let last = s.vectorize(
                    #[inline(always)]
                    || {
                        let before = words(sums.sums[0])[0];
                        // The last column is one more than the next word needs.
                        (state, sums) = state.advance_locally(s, sums, masks, planes, len - 1);
                        let next = words(sums.sums[0])[0];
                        let tail = planes.map(|plane| &plane[len - 1..]);
                        (state, sums) = state.advance_locally(s, sums, masks, tail, 1);
                        value += next as i64 - before as i64;
                        words(sums.sums[0])[0] as i64 - next as i64
                    },
                );
                at += len;
                value += if at == end && !is_last { 0 } else { last };
            }
            column = if is_last { end } else { end - 1 };
        }
        for left in count.saturating_sub(lanes)..count {
            sums.end(left, strip_words, count - 1 - left, &lefts, &mut costs);
        }
        Ok(costs)
    }
}

impl<S: Simd, const N: usize> LaneSums<S, N> {
    /// Moves every word to the next higher lane.
    #[inline(always)]
    fn enter(self, s: S) -> Self {
        let mut next = self;
        for k in 0..N {
            let zero = u64x8::splat(s, ZERO);
            let [sum, least] = if k == 0 { [zero, zero] } else { [self.sums[k - 1], self.least[k - 1]] };
            next.sums[k] = sum.slide::<7>(self.sums[k]);
            next.least[k] = least.slide::<7>(self.least[k]);
        }
        next
    }

    /// Stores the cost of a strip in `costs` if the word `word`, which ends in `lane`, is its last one.
    #[inline(always)]
    fn end(&self, word: usize, strip_words: usize, lane: usize, lefts: &[i64], costs: &mut [u32]) {
        if (word + 1).is_multiple_of(strip_words)
            && let Some(cost) = costs.get_mut(word / strip_words)
        {
            let least = words(self.least[lane / VECTOR_WORDS])[lane % VECTOR_WORDS] as i64 - ZERO as i64;
            *cost = (lefts[word] + least).max(0) as u32;
        }
    }
}

impl<S: Simd, const N: usize, const P: usize> LaneState<S, N, P> {
    /// Computes `len` columns of every word, and their sums. Lanes without bits in `masks` have a row of zeros above.
    #[inline(always)]
    fn advance_locally(self, s: S, all: LaneSums<S, N>, masks: [u64x8<S>; N], columns: [&[u64]; P], len: usize) -> (Self, LaneSums<S, N>) {
        let [zero, one] = [0, 1].map(|word| u64x8::splat(s, word));
        let columns = columns.map(|plane| &plane[..len + N * VECTOR_WORDS]);
        let Self { mut vertical, mut below, rows } = self;
        let LaneSums { mut sums, mut least } = all;
        for t in 0..len {
            let (mut next_vertical, mut next_below) = (vertical, below);
            for k in 0..N {
                let at = t + VECTOR_WORDS * k;
                let mut eq = rows[k][0] ^ u64x8::from_slice(s, &columns[0][at..at + VECTOR_WORDS]);
                for p in 1..P {
                    eq &= rows[k][p] ^ u64x8::from_slice(s, &columns[p][at..at + VECTOR_WORDS]);
                }
                let [rise, fall] = if k + 1 < N { below[k + 1] } else { [one, zero] };
                let above = [below[k][0].slide::<1>(rise) & masks[k], below[k][1].slide::<1>(fall) & masks[k]];
                let cells = MyersRecurrence::solve(eq, vertical[k], above);
                next_vertical[k] = cells.vertical;
                next_below[k] = [cells.horizontal[0] >> 63, cells.horizontal[1] >> 63];
                sums[k] = sums[k] + next_below[k][0] - next_below[k][1];
                least[k] = least[k].min(sums[k]);
            }
            (vertical, below) = (next_vertical, next_below);
        }
        (Self { vertical, below, rows }, LaneSums { sums, least })
    }
}
