//! Band: the diagonals of the matrix that a sweep computes, on both sides of the line from the top left to the bottom
//! right corner.
//!
//! Values computed inside a band are costs of real edit scripts, and therefore upper bounds. They are exact if an
//! optimal path lies inside the band (Ukkonen 1985).

use std::ops::Range;

use super::WORD;
use super::limit::CostLimit;

/// A range of diagonals of a matrix: those that a sweep computes. The diagonal of row `i` and column `j` is `j − i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band<'l> {
    low: i64,
    high: i64,
    /// Upper bound on the distance that excludes parts of these diagonals, or `None` if all of them are computed.
    pub(super) limit: Option<&'l CostLimit>,
}

impl<'l> Band<'l> {
    /// Creates the band of all cells on alignments with at most `k` edits in a matrix of `m` rows and `n` columns.
    /// Requires `k ≥ |n − m|`.
    pub(crate) fn for_edits(k: u64, m: usize, n: usize) -> Self {
        let delta = n as i64 - m as i64;
        let slack = (k as i64 - delta.abs()).max(0) / 2;
        Self { low: delta.min(0) - slack, high: delta.max(0) + slack, limit: None }
    }

    /// Creates the band of all cells that at most `k` edits can reach from the top left corner: the diagonals −`k` to
    /// `k`.
    pub(crate) fn from_corner(k: u64) -> Self {
        Self { low: -(k as i64), high: k as i64, limit: None }
    }

    /// Returns the lowest and the highest diagonal of the band, both inclusive.
    pub(super) fn diagonals(self) -> (i64, i64) {
        (self.low, self.high)
    }

    /// Limits the band to cells that can lie on an alignment whose cost is at most the upper bound of `limit`.
    pub(crate) fn limited_by(self, limit: &'l CostLimit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Returns the columns of the band in `rows`, cut off at the column `end` (exclusive). The first column is a
    /// multiple of 64.
    pub(super) fn columns(self, rows: &Range<usize>, end: usize) -> Range<usize> {
        let low = (rows.start as i64 + self.low).max(0) as usize / WORD * WORD;
        let high = ((rows.end as i64 + self.high).max(0) as usize).next_multiple_of(WORD).min(end);
        low.min(high / WORD * WORD)..high
    }
}
