//! Occurrences of a long pattern, in order. Candidates from the probes are compared with the pattern from the cut of
//! its critical factorization on.
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
//! A comparison reads up to about twice as many symbols as it excludes positions. The search is therefore linear for
//! every text. A run of the text with the pattern's period is compared with itself once, at the speed of reading, and
//! its occurrences are a regular pattern of bits. The factorization takes a few times longer than reading the pattern.
//! Therefore the first candidates are compared without it.

use std::ops::Range;

use fearless_simd::Simd;

use super::factors::{CriticalFactorization, PatternPeriod};
use super::needle::Needle;
use super::probe::candidates;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::symbol::lanes::{LANES, common_prefix};

/// Number of compared symbols, as a multiple of the pattern length, after which the factorization of the pattern is
/// computed.
const PLAIN_COMPARISON_FACTOR: usize = 64;

/// The state of a search for a long pattern in one part of the text.
pub(super) struct OccurrenceCursor {
    /// Position before which all occurrences are found.
    next: usize,
    stretch: Option<PeriodicRun>,
    factors: Option<CriticalFactorization>,
    agreed: usize,
}

/// A run of the text in which symbols repeat with the pattern's period. It covers an occurrence, possibly except for
/// the symbols left of the pattern's cut (see [`CriticalFactorization`]).
struct PeriodicRun {
    /// Position of the next occurrence to record. It is an occurrence if the run extends at least to its last symbol.
    first: usize,
    /// Position after the last symbol that is known to belong to the run.
    end: usize,
    period: usize,
}

/// Buffers with one bit for each position of a chunk of the text: candidates and hits.
pub(super) struct ChunkBits<'b> {
    pub(super) candidates: &'b mut [u64],
    pub(super) hits: &'b mut [u64],
}

impl OccurrenceCursor {
    /// Creates the state of a search that begins at `position`.
    pub(super) fn at(position: usize) -> Self {
        Self { next: position, stretch: None, factors: None, agreed: 0 }
    }

    /// Sets the bits in `bits.hits` of the occurrences at `positions`: bit `i` of word `w` stands for the position
    /// `positions.start + 64·w + i`. These bits must be zero before the call. `bits.candidates` is a buffer.
    /// `positions` must begin where the search begins, or a multiple of 64 after it.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    #[inline(always)]
    pub(super) fn advance<S: Simd, T: Symbol>(
        &mut self,
        s: S,
        needle: &Needle<T>,
        text: &[T],
        positions: &Range<usize>,
        bits: &mut ChunkBits,
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

    /// Returns whether the pattern occurs at position `at`, and notes at which of the following positions it therefore
    /// cannot occur.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    #[inline(always)]
    fn occurs<S: Simd, T: Symbol>(&mut self, s: S, needle: &Needle<T>, text: &[T], at: usize, run: &Run) -> Result<bool, Halt> {
        let pattern = needle.pattern;
        let text = &text[at..at + pattern.len()];
        let Some(CriticalFactorization { cut, period }) = self.factors else {
            let agreed = common_prefix(s, text, pattern);
            self.next = at + 1;
            self.agreed += agreed;
            if self.agreed > PLAIN_COMPARISON_FACTOR * pattern.len() {
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
            PatternPeriod::Exactly(period) => self.stretch = Some(PeriodicRun { first: at + period, end: at + pattern.len(), period }),
            PatternPeriod::AtLeast(period) => self.next = at + period,
        }
        Ok(text[..cut] == pattern[..cut])
    }

    /// Follows the periodic run of the text, if there is one, and sets the bits in `hits` of its occurrences at
    /// `positions`. `m` is the length of the pattern. Returns whether the run ends within `positions`. If there is no
    /// run, returns `true`. After `false`, all of `positions` are decided.
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

/// Sets the bits of `words` at the start of `range` and at every `step`-th position after it, up to the end of `range`.
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
    fn every_nth_bit_is_set_for_any_step_and_range() {
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
