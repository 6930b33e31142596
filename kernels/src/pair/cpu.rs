//! The matrix of two texts on the CPU, as a wavefront of machine words, for recurrences in which neighbouring cells
//! differ by −1, 0 or +1.
//!
//! A [`Recurrence`] solves the cells of one word and one column. This module provides the rest: bit planes instead of
//! tables of equal symbols, words in SIMD lanes, bands, threads, and a traceback in linear memory. Values are distances
//! D with `D[0, j] = j` and `D[i, 0] = i`, so that values outside of a band rise by one per cell.
//!
//! - [`recurrence`]: computes the cells of a word from their neighbours
//! - [`planes`]: symbols as bit planes
//! - [`tile`]: the SIMD kernel over bit planes
//! - [`tiling`]: chooses the tile size for given texts
//! - [`grid`]: cuts the matrix into strips (rows of tiles)
//! - [`band`]: the range of diagonals that is computed
//! - [`limit`]: narrows a band by an upper bound
//! - [`sweep`], [`border`]: solve the strips on all cores, each from the bottom row (border) of the strip above
//! - [`trace`]: builds an alignment
//! - [`widen`]: solves wider and wider bands until one proves that its value is the distance
//! - [`affix`]: common prefix and suffix of both texts
//! - [`furthest_rows`]: finds few edits in texts of any length
//! - [`base_sets`]: solves texts with ambiguity codes

pub(crate) mod affix;
pub(crate) mod band;
pub(crate) mod base_sets;
pub(crate) mod border;
pub(crate) mod furthest_rows;
pub(crate) mod grid;
pub(crate) mod limit;
mod planes;
pub(crate) mod recurrence;
pub(crate) mod sweep;
mod tile;
pub(crate) mod tiling;
mod trace;
pub(super) mod widen;

pub(crate) use planes::BitPlanes;
use recurrence::Recurrence;
pub(crate) use widen::{KnownDistance, PairOutput, PairRequest};

/// The outcome of a method that suits only near-equal texts: its result, or the finding that the texts differ too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NearEqualAttempt<A> {
    Solved(A),
    /// No result, because the distance is too large for the method. Holds an estimate of the distance, or `None` if
    /// there is no estimate.
    Far(Option<u64>),
}

/// Number of cells whose differences a machine word holds: 64 rows of a column, or 64 columns of a row.
pub(crate) const WORD: usize = 64;

/// Differences between neighbouring cells, for 64 pairs of neighbours: in a column, each cell minus the cell above it;
/// in a row, each cell minus the cell to its left. Bit i of a word stands for the i-th pair from the top or from the
/// left.
///
/// With K = 1, the only word marks the differences −1, and all others are +1. With K = 2, the words are `[plus,
/// minus]`: they mark the differences +1 and −1, and all others are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordDifferences<const K: usize>(pub(crate) [u64; K]);

impl<const K: usize> WordDifferences<K> {
    /// All differences +1, as along the left and the top edge of the matrix.
    pub(crate) const RISING: Self = {
        let mut bits = [0; K];
        if K == 2 {
            bits[0] = !0;
        }
        Self(bits)
    };

    /// Returns these differences with +1 at the index `known` and at all later indices.
    fn rising_from(self, known: usize) -> Self {
        if known >= WORD {
            return self;
        }
        let keep = (1 << known) - 1;
        Self(std::array::from_fn(|side| self.0[side] & keep | Self::RISING.0[side] & !keep))
    }

    /// Returns the number of differences that are −1.
    fn falls(self) -> u64 {
        self.0[K - 1].count_ones().into()
    }

    /// Returns the sum of all 64 differences.
    fn rise(self) -> i64 {
        let ones = |side: usize| i64::from(self.0[side].count_ones());
        if K == 2 { ones(0) - ones(1) } else { WORD as i64 - 2 * ones(0) }
    }
}

/// Returns the sum of the first `len` differences in `differences`, which holds 64 per entry.
fn rise<const K: usize>(differences: &[WordDifferences<K>], len: usize) -> i64 {
    let words = differences.iter().take(len.div_ceil(WORD)).enumerate();
    let rise: i64 = words.map(|(word, bits)| bits.rising_from(len - word * WORD).rise()).sum();
    rise - (len.next_multiple_of(WORD) - len) as i64
}
