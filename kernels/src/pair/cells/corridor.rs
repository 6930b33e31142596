//! The diagonals of a matrix that an optimal alignment can reach.

use std::ops::Range;

/// The diagonals on which cells are computed, as bounds of column − row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corridor {
    least: i64,
    most: i64,
}

impl Corridor {
    /// Returns all diagonals of any matrix.
    pub(crate) fn everything() -> Self {
        Self { least: i64::MIN, most: i64::MAX }
    }

    /// Returns the diagonals that an alignment with at most `gaps` insertions and deletions can reach.
    pub(crate) fn with_gaps(m: usize, n: usize, gaps: u64) -> Self {
        let (gaps, more) = (gaps.min((m + n) as u64) as i64, n as i64 - m as i64);
        let (insertions, deletions) = ((gaps + more).max(0) / 2, (gaps - more).max(0) / 2);
        Self { least: (-deletions).min(more.min(0)), most: insertions.max(more.max(0)) }
    }

    /// Returns the diagonals of the transposed matrix.
    pub(crate) fn swapped(self) -> Self {
        Self { least: self.most.saturating_neg(), most: self.least.saturating_neg() }
    }

    /// Returns the columns of the corridor in `rows`, of `n` columns in all.
    pub(crate) fn columns(&self, rows: &Range<usize>, n: usize) -> Range<usize> {
        let within = |column: i64| column.clamp(0, n as i64) as usize;
        within((rows.start as i64).saturating_add(self.least))..within((rows.end as i64).saturating_add(self.most))
    }

    /// Returns whether a cell of `rows` and `columns` lies in the corridor.
    pub(crate) fn includes(&self, rows: &Range<usize>, columns: &Range<usize>) -> bool {
        let (least, most) = (columns.start as i64 - rows.end as i64, columns.end as i64 - rows.start as i64);
        least <= self.most && self.least <= most
    }
}
