//! The best end of an alignment in the last row or column.

use super::super::BestEnd;
use super::{MAX_TILE, Matrix, sum};
use crate::pair::cells::wavefront::TileGrid;
use crate::pair::cells::{Cell, Corridor};
use crate::run::{Halt, Run};

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
    /// Finds the best end of an alignment. Along the edges in `start`, it may also start in other cells than the first one.
    /// Along those in `end`, it may also end in other cells than the last one.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(in super::super) fn best_end(&self, start: FreeEdges, end: FreeEdges, threads: usize, run: &Run) -> Result<BestEnd, Halt> {
        let edges = self.outer_edges(start);
        let (m, n) = (self.texts.m, self.texts.n);
        let (right, mut bottom): (Vec<C>, Vec<C>) = if m == 0 || n == 0 {
            // The first column is also the last one, or the first row the last one.
            (if n == 0 { edges.left.v.clone() } else { Vec::new() }, if m == 0 { edges.above.h.clone() } else { Vec::new() })
        } else {
            let tile = TileGrid::tile_for_threads(m, MAX_TILE, threads);
            let grid = TileGrid::new(m, n, tile, Corridor::everything());
            let last = self.sweep(&self.whole(), &edges, &grid, false, threads, run)?.last;
            let right = last.right.iter().enumerate().flat_map(|(strip, edge)| &edge.v[..grid.rows(strip).len()]);
            let bottom = last.bottom.iter().enumerate().rev().flat_map(|(number, edge)| &edge.h[..grid.columns(number).len()]);
            (right.copied().collect(), bottom.copied().collect())
        };
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

    /// Computes the score of the best alignment of both whole texts, which lies in `corridor`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(in super::super) fn score(&self, corridor: Corridor, threads: usize, run: &Run) -> Result<i64, Halt> {
        let (m, n) = (self.texts.m, self.texts.n);
        let edges = self.outer_edges(FreeEdges::NONE);
        let sum = if m == 0 || n == 0 {
            sum(&edges.left.v) + sum(&edges.above.h)
        } else {
            let grid = TileGrid::new(m, n, TileGrid::tile_for_threads(m, MAX_TILE, threads), corridor);
            self.sweep(&self.whole(), &edges, &grid, false, threads, run)?.sum
        };
        Ok(sum - self.extend * (m as i64 + n as i64))
    }
}
