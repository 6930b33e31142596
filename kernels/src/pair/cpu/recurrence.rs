//! Recurrences on words: what a cell is made of its neighbours, for 64 rows at once. They serve distances and searches alike.
//!
//! - [`unit_cost`]: edit distance (Myers, Hyyrö)
//! - [`lcs`]: longest common subsequence (Hyyrö)

use fearless_simd::{Simd, u64x8};

use crate::alignment::Edit;

pub(crate) mod lcs;
pub(crate) mod unit_cost;

/// Cells of one column in the rows of a word, in every lane.
pub(crate) struct Cells<S: Simd, const K: usize> {
    /// Differences to the row above each.
    pub(crate) vertical: [u64x8<S>; K],
    /// Differences to the column before.
    pub(crate) horizontal: [u64x8<S>; K],
    /// What [`Recurrence::back`] asks for.
    pub(crate) seen: [u64x8<S>; K],
}

/// A recurrence on words, with `K` bits a difference.
pub(crate) trait Recurrence<const K: usize>: Sync {
    /// Symbols of the shorter text from which high tiles pay for a distance: the fewer operations a word takes, the longer it waits
    /// for its neighbours, and the more words it takes to fill the time.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "there is only one height"))]
    const HIGH_FROM: usize;

    /// Whether a symbol may be substituted by one edit.
    const SUBSTITUTES: bool;

    /// Solves a column of a word, given its equal symbols, the vertical differences of the column before, and the horizontal
    /// difference above in bit 0. Implemented as `#[inline(always)]`, so that every SIMD level compiles its own copy.
    fn solve<S: Simd>(equal: u64x8<S>, vertical: [u64x8<S>; K], above: [u64x8<S>; K]) -> Cells<S, K>;

    /// The last edit of an optimal path to a cell whose symbols differ, where this was seen. A step over equal symbols is always
    /// optimal.
    fn back(seen: [bool; K]) -> Edit;
}
