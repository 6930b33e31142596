//! Band: the diagonals around the one between two corners that a sweep computes.
//!
//! Values inside of a band are upper bounds, made of real edit scripts, and exact wherever an optimal path lies inside of it
//! (Ukkonen 1985).

use std::ops::Range;

use super::WORD;
use super::limit::Limit;

/// Diagonals `j − i` that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band<'l> {
    low: i64,
    high: i64,
    /// What leaves out a part of them.
    pub(super) limit: Option<&'l Limit>,
}

impl<'l> Band<'l> {
    /// Everything that an alignment of at most `k` edits can reach between texts of these lengths; `k ≥ |n − m|`.
    pub(crate) fn within(k: u64, m: usize, n: usize) -> Self {
        let delta = n as i64 - m as i64;
        let slack = (k as i64 - delta.abs()).max(0) / 2;
        Self { low: delta.min(0) - slack, high: delta.max(0) + slack, limit: None }
    }

    /// Everything that `k` edits can reach from the first row and the first column.
    pub(crate) fn from_corner(k: u64) -> Self {
        Self { low: -(k as i64), high: k as i64, limit: None }
    }

    /// The lowest and the highest one.
    pub(super) fn diagonals(self) -> (i64, i64) {
        (self.low, self.high)
    }

    /// Of these only what can lie on an alignment within the limit.
    pub(crate) fn under(self, limit: &'l Limit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Columns that some rows have in the band, as far as `end`; the first is a multiple of 64.
    pub(super) fn columns(self, rows: &Range<usize>, end: usize) -> Range<usize> {
        let low = (rows.start as i64 + self.low).max(0) as usize / WORD * WORD;
        let high = ((rows.end as i64 + self.high).max(0) as usize).next_multiple_of(WORD).min(end);
        low.min(high / WORD * WORD)..high
    }
}
