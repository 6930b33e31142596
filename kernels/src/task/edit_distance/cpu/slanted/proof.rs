//! Proof that the value of a [slanted band](super) is the distance, although the distance exceeds the edits that the band
//! proves by its width.
//!
//! Values inside the band are the costs of the best alignments that stay inside. An alignment that leaves the band costs at
//! least the value of the cell at which it leaves first, and a lower bound on the rest, which is a [`CostLimit`]. Inside the
//! band this bound uses [local costs](super::local). If no cell at an edge allows a lower sum than the value, the value is the
//! distance.
//!
//! ```text
//! left edge:   a path leaves the last row of word w − 1 before the first column of word w
//! right edge:  a path leaves a word at its last column, which the highest lane computes when the next word begins
//! ```

use super::trace::Staircase;
use super::{KeptPlace, PROVEN_VECTORS, SlantedBand, SolvedBand};
use crate::pair::cpu::WORD;
use crate::pair::cpu::furthest_rows::FurthestRows;
use crate::pair::cpu::limit::{CostLimit, LocalCosts, StripSize};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Numbers of words in a strip. High strips have fewer lower bounds.
const STRIP_WORDS: [usize; 4] = [16, 32, 64, 128];

/// Divisor of the edits that the band proves. Local costs that are lower than the value by more make a proof unlikely.
const MAX_UNKNOWN_SHARE: u64 = 4;

/// Maximum cost of a strip, so that an alignment that moves by many diagonals inside a strip costs more.
const MAX_STRIP_COST: u64 = 250;

/// Number of kept columns between two checks whether the run is stopped.
const PLACES_PER_TICK: usize = 1024;

impl SlantedBand {
    /// Returns the band for texts of `m` and `n` symbols whose value can be proven by local costs. Returns `None` if the last
    /// cell lies outside of it.
    pub(super) fn for_proof(m: usize, n: usize) -> Option<Self> {
        if m.max(n) <= FurthestRows::MAX_SYMBOLS { Self::new(PROVEN_VECTORS, m, n) } else { None }
    }

    /// Returns whether a value of about `edits` can be proven, because the lower bounds on it are fine enough.
    pub(super) fn can_prove(&self, edits: u64) -> bool {
        self.strip_words(edits).is_some()
    }

    /// Returns the number of words in a strip for the proof of `value`. Returns `None` if all bounds would be too coarse.
    fn strip_words(&self, value: u64) -> Option<usize> {
        let diagonals = self.diagonals_within(value);
        STRIP_WORDS.into_iter().find(|words| CostLimit::has_fine_ranges(diagonals, self.m.div_ceil(words * WORD)))
    }

    /// Returns whether the value of `solved` is proven to be the distance of `texts`. `solved` must have kept its columns.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn is_distance<T: Symbol>(&self, solved: &SolvedBand, texts: [&[T]; 2], alphabet: u32, run: &Run) -> Result<bool, Halt> {
        let Some(kept) = &solved.kept else { return Ok(false) };
        let value = solved.value;
        let diagonals = self.diagonals_within(value);
        let Some(strip_words) = self.strip_words(value) else { return Ok(false) };
        if value > MAX_STRIP_COST * (self.m / (strip_words * WORD)) as u64 {
            return Ok(false);
        }
        let costs = self.local_costs(texts, alphabet, strip_words, run)?;
        // Long gaps are not in the local costs, and then the proof fails.
        if value > costs.iter().map(|cost| u64::from(*cost)).sum::<u64>() + self.proven / MAX_UNKNOWN_SHARE + value / costs.len() as u64 {
            return Ok(false);
        }
        let local = LocalCosts { diagonals: (self.low, self.low + self.proven as i64 - 1), least: &costs };
        let size = StripSize { rows: strip_words * WORD, band: diagonals, threads: 1 };
        let limit = CostLimit::with_local_costs(texts[0], texts[1], value, size, local, run)?;
        let [mut left, mut right] = [limit.edges(), limit.edges()];
        let lanes = self.lanes();
        for (at, place) in kept.places.iter().enumerate() {
            if at % PLACES_PER_TICK == 0 {
                run.tick(0)?;
            }
            let KeptPlace { word, column, value: bottom } = *place;
            if column != self.start(word) {
                continue;
            }
            // Values at the edge fall by at most 1 per cell from the known cell.
            if column > 0 {
                let row = (WORD * word) as i64;
                let first = self.start(word - 1) as i64;
                let least = bottom - WORD as i64 - (column as i64 - first);
                if !left.exceeds(word.div_ceil(strip_words), (first - row, column as i64 - row), least, value) {
                    return Ok(false);
                }
            }
            if word >= lanes {
                let row = (WORD * (word + 1 - lanes)) as i64;
                let stairs = Staircase::new(*place, &kept.differences(at));
                let least = stairs.top() - WORD as i64 - 1;
                let last = (column + lanes) as i64;
                let strip = (word + 1 - lanes).div_ceil(strip_words);
                if !right.exceeds(strip, (last - row, last - row + WORD as i64), least, value) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns the lowest and the highest diagonal that a path of `edits` edits can reach.
    fn diagonals_within(&self, edits: u64) -> (i64, i64) {
        let apart = self.n as i64 - self.m as i64;
        let slack = (edits as i64 - apart.abs()).max(0) / 2;
        (apart.min(0) - slack, apart.max(0) + slack)
    }
}
