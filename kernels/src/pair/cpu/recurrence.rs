//! Recurrences on words, which compute cells from their neighbours for 64 rows at once. Distances and searches both use
//! them.
//!
//! - [`unit_cost`]: edit distance (Myers, Hyyrö)
//! - [`lcs`]: longest common subsequence (Hyyrö)

use fearless_simd::{Simd, u64x8};

use crate::alignment::EditKind;

pub(crate) mod lcs;
pub(crate) mod unit_cost;

/// Cells of one column in the 64 rows of a word, for the words in all lanes.
pub(crate) struct ColumnCells<S: Simd, const K: usize> {
    /// Vertical differences: of each row to the row above it.
    pub(crate) vertical: [u64x8<S>; K],
    /// Horizontal differences: of each row to the previous column.
    pub(crate) horizontal: [u64x8<S>; K],
    /// Bits of each row from which [`Recurrence::last_edit`] finds the last edit of a path to the cell.
    pub(crate) seen: [u64x8<S>; K],
}

/// A recurrence that computes 64 rows of a column at once, with `K` bits per difference between neighbouring cells.
pub(crate) trait Recurrence<const K: usize>: Sync {
    /// Minimum number of symbols of the shorter text from which high tiles are faster, if only the distance is
    /// computed. The fewer operations a word takes, the longer it waits for its neighbours, and the more words are
    /// needed to fill that time.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "there is only one height"))]
    const MIN_HIGH_DISTANCE_SYMBOLS: usize;

    /// Whether one edit can substitute a symbol.
    const SUBSTITUTES: bool;

    /// Computes one column of a word. `equal` marks the rows whose symbols equal the symbol of the column, `vertical`
    /// holds the vertical differences of the previous column, and bit 0 of `above` holds the horizontal difference of
    /// the row above the word. Implementations are `#[inline(always)]`, so that every SIMD level compiles its own copy.
    fn solve<S: Simd>(equal: u64x8<S>, vertical: [u64x8<S>; K], above: [u64x8<S>; K]) -> ColumnCells<S, K>;

    /// Returns the last edit of an optimal path to a cell whose two symbols differ, given the bits `seen` that were
    /// recorded for it. For equal symbols no call is needed, because matching them is always optimal.
    fn last_edit(seen: [bool; K]) -> EditKind;
}
