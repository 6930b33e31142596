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

/// Values and differences of the last row and the last column of a matrix. Values in cells are raised by the cost of
/// extending a gap, for each row and column.
pub(in super::super) struct LastEdge {
    /// Value before the first cell of the last column.
    pub(in super::super) top: i64,
    /// Value before the first cell of the last row.
    pub(in super::super) left: i64,
    /// Value of the last cell.
    pub(in super::super) corner: i64,
    /// Differences v of the last column. Unused if no alignment may end there.
    pub(in super::super) right: Vec<i64>,
    /// Differences h of the last row. Unused if no alignment may end there.
    pub(in super::super) bottom: Vec<i64>,
}

impl LastEdge {
    /// Returns the best end of an alignment of `m` rows and `n` columns. It may be any cell along the edges in `end`.
    pub(in super::super) fn best_end(&self, [m, n]: [usize; 2], extend: i64, end: FreeEdges) -> BestEnd {
        let raised = |rows: usize, columns: usize| extend * (rows as i64 + columns as i64);
        let mut best = BestEnd { score: self.corner - raised(m, n), rows: m, columns: n };
        let (mut down, mut along) = (self.top, self.left);
        if end.rows {
            for rows in 0..=m {
                best.improve(BestEnd { score: down - raised(rows, n), rows, columns: n });
                down += self.right.get(rows).copied().unwrap_or(0);
            }
        }
        if end.columns {
            for columns in 0..=n {
                best.improve(BestEnd { score: along - raised(m, columns), rows: m, columns });
                along += self.bottom.get(columns).copied().unwrap_or(0);
            }
        }
        best
    }
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
        let differences = |edge: &[C]| edge.iter().map(|difference| difference.number().into()).collect();
        let last = LastEdge {
            top: sum(&edges.above.h),
            left: sum(&edges.left.v),
            corner: sum(&edges.above.h) + sum(&right),
            right: if end.rows { differences(&right) } else { Vec::new() },
            bottom: if end.columns { differences(&bottom) } else { Vec::new() },
        };
        Ok(last.best_end([m, n], self.extend, end))
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
