//! The best end of an alignment in the last row or column.

use super::super::{BestEnd, wavefront::TileGrid};
use super::{MAX_TILE, Matrix};
use crate::run::{Halt, Run};
use crate::task::edit_distance::weighted::cell::Cell;

/// The edges of a matrix along which gaps are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct FreeEdges {
    /// Whether the gaps consume symbols of `a`.
    pub(in super::super) rows: bool,
    /// Whether the gaps consume symbols of `b`.
    pub(in super::super) columns: bool,
}

impl FreeEdges {
    /// No gap is free.
    pub(in super::super) const NONE: Self = Self { rows: false, columns: false };
}

impl<C: Cell> Matrix<C> {
    /// Finds the best end of an alignment that starts in the first cell, or in a cell of the first column or row after
    /// gaps that are free by `start`. The alignment may leave out symbols of each text that are free by `end`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(in super::super) fn best_end(&self, start: FreeEdges, end: FreeEdges, threads: usize, run: &Run) -> Result<BestEnd, Halt> {
        let edges = self.outer_edges(start.rows, start.columns);
        let (m, n) = (self.texts.m, self.texts.n);
        let (right, mut bottom): (Vec<C>, Vec<C>) = if m == 0 || n == 0 {
            // The first column is also the last one, or the first row the last one.
            (if n == 0 { edges.left.v.clone() } else { Vec::new() }, if m == 0 { edges.above.h.clone() } else { Vec::new() })
        } else {
            let grid = TileGrid::for_threads(m, n, MAX_TILE, threads);
            let (last, _) = self.sweep(&self.whole(), &edges, &grid, false, threads, run)?;
            let right = last.right.iter().enumerate().flat_map(|(strip, edge)| &edge.v[..grid.rows(strip).len()]);
            let bottom = last.bottom.iter().enumerate().rev().flat_map(|(number, edge)| &edge.h[..grid.columns(number).len()]);
            (right.copied().collect(), bottom.copied().collect())
        };
        let sum = |differences: &[C]| differences.iter().map(|difference| i64::from(difference.number())).sum::<i64>();
        bottom.reverse();
        // Values in cells are raised by the cost of extending a gap, for each row and column.
        let raised = |rows: usize, columns: usize| self.extend * (rows as i64 + columns as i64);
        let (mut down, mut along) = (sum(&edges.above.h), sum(&edges.left.v));
        let mut best = BestEnd { score: down + sum(&right) - raised(m, n), rows: m, columns: n };
        if end.rows {
            for rows in 0..=m {
                best.improve(BestEnd { score: down - raised(rows, n), rows, columns: n });
                down += right.get(rows).map_or(0, |difference| i64::from(difference.number()));
            }
        }
        if end.columns {
            for columns in 0..=n {
                best.improve(BestEnd { score: along - raised(m, columns), rows: m, columns });
                along += bottom.get(columns).map_or(0, |difference| i64::from(difference.number()));
            }
        }
        Ok(best)
    }
}
