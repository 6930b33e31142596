//! Recurrences on words, which compute cells from their neighbours for 64 rows at once. Distances and searches both use
//! them.
//!
//! - [`unit_cost`]: edit distance (Myers, Hyyrö)
//! - [`lcs`]: longest common subsequence (Hyyrö)

use fearless_simd::{Simd, u64x8};

use crate::alignment::EditKind;

pub(crate) mod lcs;
pub(crate) mod unit_cost;

/// Cells of one column in the rows of a word, in every lane.
pub(crate) struct ColumnCells<S: Simd, const K: usize> {
    /// Differences to the row above each.
    pub(crate) vertical: [u64x8<S>; K],
    /// Differences to the previous column.
    pub(crate) horizontal: [u64x8<S>; K],
    /// Bits that [`Recurrence::back`] needs.
    pub(crate) seen: [u64x8<S>; K],
}

/// A recurrence on words, with `K` bits per difference.
pub(crate) trait Recurrence<const K: usize>: Sync {
    /// Minimum number of symbols of the shorter text at which high tiles are faster for a distance. The fewer
    /// operations a word takes, the longer it waits for its neighbours, and the more words are needed to fill that
    /// time.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "there is only one height"))]
    const MIN_HIGH_DISTANCE_SYMBOLS: usize;

    /// Whether one edit can substitute a symbol.
    const SUBSTITUTES: bool;

    /// Solves a column of a word, given its equal symbols, the vertical differences of the previous column, and the
    /// horizontal difference above in bit 0. Implementations are `#[inline(always)]`, so that every SIMD level compiles
    /// its own copy.
    fn solve<S: Simd>(equal: u64x8<S>, vertical: [u64x8<S>; K], above: [u64x8<S>; K]) -> ColumnCells<S, K>;

    /// Returns the last edit of an optimal path to a cell whose symbols differ, given the recorded bits `seen`. A step
    /// over equal symbols is always optimal.
    fn back(seen: [bool; K]) -> EditKind;
}
