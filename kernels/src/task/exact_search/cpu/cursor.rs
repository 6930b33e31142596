//! Occurrences of a long pattern, in order: candidates from the probes, looked at from the cut of the critical factorization.
//!
//! ```text
//! at the first candidate s that is not excluded: k = symbols from the cut on that agree
//!   not all of them: exclude s .. s + k
//!   all of them:     s is an occurrence if the symbols left of the cut agree too
//!     period p is known:   the text goes on with period p up to e: s + p, s + 2p, … ≤ e − m are occurrences and no others;
//!                          the next one begins after e − p, since the text breaks the period at e
//!     only a bound p:      exclude s .. s + p − 1
//! ```
//!
//! Comparing costs as many symbols as are excluded, or twice as many: linear whatever the texts are. A stretch of the text with
//! the pattern's period is compared with itself once, at the speed of reading, and its occurrences are a pattern of bits.
//! The factorization takes longer than reading the pattern some times, so the first candidates are compared without it.

use std::ops::Range;

use fearless_simd::Simd;

use super::factors::{Factors, Period};
use super::needle::Needle;
use super::probe::candidates;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::symbol::lanes::{LANES, common_prefix};

/// The factorization is made when as many symbols agreed in vain, or did not, as the pattern has so many times.
const PLAINLY: usize = 64;

/// Where a search is in its part of the text.
pub(super) struct Cursor {
    /// Positions before it are decided.
    next: usize,
    stretch: Option<PeriodicRun>,
    factors: Option<Factors>,
    agreed: usize,
}

/// A part of the text with the pattern's period that covers an occurrence, perhaps but for the symbols left of the cut.
struct PeriodicRun {
    /// The first occurrence that is not noted yet, if the stretch is long enough.
    first: usize,
    /// It goes as far as here at least.
    end: usize,
    period: usize,
}

/// Bits of the positions of a chunk.
pub(super) struct Bits<'b> {
    pub(super) candidates: &'b mut [u64],
    pub(super) hits: &'b mut [u64],
}

impl Cursor {
    /// A search that begins at a position.
    pub(super) fn at(position: usize) -> Self {
        Self { next: position, stretch: None, factors: None, agreed: 0 }
    }

    /// Finds the occurrences at the next positions, of which the first is a multiple of 64 after where the cursor began, or there.
    /// The hits are zero before.
    ///
    /// # Errors
    /// When the run is stopped.
    #[inline(always)]
    pub(super) fn advance<S: Simd, T: Symbol>(
        &mut self,
        s: S,
        needle: &Needle<T>,
        text: &[T],
        positions: &Range<usize>,
        bits: &mut Bits,
        run: &Run,
    ) -> Result<(), Halt> {
        let m = needle.pattern.len();
        if !self.stretch_ends(s, m, text, positions, bits.hits) || self.next >= positions.end {
            return Ok(());
        }
        let mut word = self.next.saturating_sub(positions.start) / LANES;
        let from = positions.start + LANES * word;
        if !candidates(s, needle, &text[from..positions.end + m - 1], &mut bits.candidates[word..]) {
            return Ok(());
        }
        while let Some(&candidates) = bits.candidates.get(word) {
            if candidates == 0 {
                word += 1;
                continue;
            }
            let base = positions.start + LANES * word;
            let decided = self.next.saturating_sub(base);
            let left = if decided < LANES { candidates >> decided << decided } else { 0 };
            if left == 0 {
                word = (word + 1).max(self.next.saturating_sub(positions.start) / LANES);
                continue;
            }
            let at = base + left.trailing_zeros() as usize;
            if self.occurs(s, needle, text, at, run)? {
                bits.hits[word] |= 1 << (at - base);
            }
            if !self.stretch_ends(s, m, text, positions, bits.hits) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the pattern occurs here; says what that excludes.
    #[inline(always)]
    fn occurs<S: Simd, T: Symbol>(&mut self, s: S, needle: &Needle<T>, text: &[T], at: usize, run: &Run) -> Result<bool, Halt> {
        let pattern = needle.pattern;
        let text = &text[at..at + pattern.len()];
        let Some(Factors { cut, period }) = self.factors else {
            let agreed = common_prefix(s, text, pattern);
            self.next = at + 1;
            self.agreed += agreed;
            if self.agreed > PLAINLY * pattern.len() {
                self.factors = Some(needle.factors(run)?);
            }
            return Ok(agreed == pattern.len());
        };
        let agreed = common_prefix(s, &text[cut..], &pattern[cut..]);
        if agreed < pattern.len() - cut {
            self.next = at + agreed + 1;
            return Ok(false);
        }
        match period {
            Period::Exactly(period) => self.stretch = Some(PeriodicRun { first: at + period, end: at + pattern.len(), period }),
            Period::AtLeast(period) => self.next = at + period,
        }
        Ok(text[..cut] == pattern[..cut])
    }

    /// Follows the stretch, if there is one, and notes its occurrences. Whether it ends within these positions: if not, they are
    /// all decided.
    #[inline(always)]
    fn stretch_ends<S: Simd, T: Symbol>(&mut self, s: S, m: usize, text: &[T], positions: &Range<usize>, hits: &mut [u64]) -> bool {
        let Some(PeriodicRun { first, end, period }) = &mut self.stretch else { return true };
        let limit = positions.end + m - 1;
        if *end < limit {
            *end += common_prefix(s, &text[*end..limit], &text[*end - *period..limit]);
        }
        let until = positions.end.min(*end + 1 - m);
        if *first < until {
            set_every(*period, hits, *first - positions.start..until - positions.start);
            *first += (until - *first).next_multiple_of(*period);
        }
        if *end == limit {
            return false;
        }
        self.next = (*end + 1 - *period).max(*first);
        self.stretch = None;
        true
    }
}

/// Sets the first bit of a range and every `step`-th after it.
#[inline(always)]
fn set_every(step: usize, words: &mut [u64], range: Range<usize>) {
    if step >= LANES {
        range.step_by(step).for_each(|at| words[at / LANES] |= 1 << (at % LANES));
        return;
    }
    let comb = (0..LANES).step_by(step).fold(0u64, |comb, at| comb | 1 << at);
    let stride = LANES.next_multiple_of(step);
    let mut at = range.start;
    while at < range.end {
        let word = at / LANES;
        let room = range.end - LANES * word;
        let cut = if room < LANES { !(!0 << room) } else { !0 };
        words[word] |= comb << (at % LANES) & cut;
        at += stride;
        while at >= LANES * (word + 1) + step {
            at -= step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combs_of_any_step_and_range() {
        for step in 1..200 {
            for (start, end) in [(0, 512), (1, 511), (63, 64), (64, 65), (5, 5), (70, 300), (127, 129), (200, 512)] {
                let mut words = [0; 8];
                set_every(step, &mut words, start..end);
                let set: Vec<usize> = (0..512).filter(|at| words[at / 64] >> (at % 64) & 1 == 1).collect();
                assert_eq!(set, (start..end).step_by(step).collect::<Vec<_>>(), "step {step}, {start}..{end}");
            }
        }
    }
}
