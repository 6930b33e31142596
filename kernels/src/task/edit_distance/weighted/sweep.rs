//! The sweep over the tiles of a matrix, on any number of threads.
//!
//! Tiles outside of a corridor of diagonals are skipped: their differences are those of insertions and deletions only, so
//! that all values remain sums of costs of real alignments.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::CellCosts;
use super::tile::{self, Tile, TileCosts, TransposeEdges};
use crate::pair::cells::wavefront::{self, Rectangle, TileGrid, TileKernel, TilePlace};
use crate::pair::cells::{Cell, CellDiagonals, Corridor, PADDING, padded};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum height of a rectangle that is computed at once. Its arrays fit the fastest cache of a core if differences are
/// bytes.
pub(super) const MAX_TILE: usize = 1 << 12;

/// Two texts and the costs of their edits.
pub(super) struct Matrix<C: Cell> {
    /// Number of symbols of `a`.
    m: usize,
    /// Number of symbols of `b`.
    n: usize,
    /// One unused symbol, then the symbols of `a`, then padding.
    a: Vec<C>,
    /// The symbols of `b` from the last to the first, then one unused symbol and padding.
    b: Vec<C>,
    pub(super) costs: TileCosts<C>,
}

/// The differences along the left and the top edge of a rectangle, as in [`Tile`].
#[derive(Clone, Debug, Default)]
pub(super) struct Edges<C> {
    pub(super) v: Vec<C>,
    /// Differences h, from the last column to the first.
    pub(super) h: Vec<C>,
    pub(super) corner: C,
    /// Differences z of the column before the rectangle. Empty if transpositions are not useful.
    pub(super) left: Vec<C>,
    /// Differences z of the row before the rectangle. Empty if transpositions are not useful.
    pub(super) above: Vec<C>,
}

impl<C> Edges<C> {
    /// Returns the size of all differences, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let differences = self.v.len() + self.h.len() + self.left.len() + self.above.len();
        (differences * size_of::<C>()) as u64
    }
}

/// Returns the sum of `differences`.
fn sum<C: Cell>(differences: &[C]) -> u64 {
    differences.iter().map(|difference| difference.number() as u64).sum()
}

/// The result of a sweep.
pub(super) struct Swept<C> {
    /// Sum of the differences v and h along a path from the first cell of the rectangle to its last cell.
    pub(super) sum: u64,
    /// The edges of all tiles, row by row, if the sweep kept them. `None` for a tile that was skipped.
    pub(super) tiles: Vec<Option<Edges<C>>>,
}

impl<C: Cell> Matrix<C> {
    /// Creates the matrix of two texts. Takes O(|a| + |b|) time and memory.
    pub(super) fn new<T: Symbol>(a: &[T], b: &[T], costs: CellCosts) -> Self {
        let code = |symbol: &T| C::from_number(symbol.number() as i32);
        let unused = [C::default()];
        let padding = [C::default(); PADDING];
        let (m, n) = (a.len(), b.len());
        let a = unused.into_iter().chain(a.iter().map(code)).chain(padding).collect();
        let b = b.iter().rev().map(code).chain(unused).chain(padding).collect();
        Self { m, n, a, b, costs: TileCosts::new(&costs) }
    }

    /// Returns all rows and all columns.
    pub(super) fn whole(&self) -> Rectangle {
        Rectangle { rows: 0..self.m, columns: 0..self.n }
    }

    /// Returns the edges of the whole matrix, along which the texts are only deleted and inserted.
    pub(super) fn outer_edges(&self) -> Edges<C> {
        let Rectangle { rows, columns } = self.whole();
        self.gaps(&rows, &columns)
    }

    /// Returns edges of a rectangle along which the texts are only deleted and inserted.
    pub(super) fn gaps(&self, rows: &Range<usize>, columns: &Range<usize>) -> Edges<C> {
        let TileCosts { gap, no_transpose, .. } = self.costs;
        let of_transpose = |len: usize| if self.costs.transpose.is_some() { vec![no_transpose; len] } else { Vec::new() };
        Edges {
            v: vec![gap; rows.len()],
            h: vec![gap; columns.len()],
            corner: no_transpose,
            left: of_transpose(rows.len()),
            above: of_transpose(columns.len()),
        }
    }

    /// Returns the symbol before `rows`, the symbols of `rows`, and padding.
    pub(super) fn a(&self, rows: &Range<usize>) -> &[C] {
        &self.a[rows.start..=rows.end + PADDING]
    }

    /// Returns the symbols of `columns` from the last to the first, the symbol before them, and padding.
    pub(super) fn b(&self, columns: &Range<usize>) -> &[C] {
        &self.b[self.n - columns.end..=self.n - columns.start + PADDING]
    }

    /// Returns the sum of the differences v and h along a path to the last cell.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn distance(&self, corridor: Corridor, threads: usize, run: &Run) -> Result<u64, Halt> {
        let grid = TileGrid::new(self.m, self.n, TileGrid::tile_for_threads(self.m, MAX_TILE, threads), corridor);
        Ok(self.sweep(&self.whole(), &self.outer_edges(), &grid, false, threads, run)?.sum)
    }

    /// Computes the cells of `rectangle` in tiles of `grid`, from the differences along its edges. With `keeps`, keeps the
    /// edges of all tiles.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn sweep(
        &self,
        rectangle: &Rectangle,
        edges: &Edges<C>,
        grid: &TileGrid,
        keeps: bool,
        threads: usize,
        run: &Run,
    ) -> Result<Swept<C>, Halt> {
        if rectangle.cells() == 0 {
            return Ok(Swept { sum: sum(&edges.v) + sum(&edges.h), tiles: Vec::new() });
        }
        let mut tiles = Vec::new();
        if keeps {
            tiles.resize_with(grid.strips() * grid.tiles(), || None);
        }
        let sweep = MatrixSweep { matrix: self, rectangle, edges, grid, keeps, tiles: Mutex::new(tiles), sum: 0.into() };
        wavefront::sweep(&sweep, grid, threads, run)?;
        Ok(Swept { sum: sweep.sum.into_inner(), tiles: sweep.tiles.into_inner().unwrap_or_else(PoisonError::into_inner) })
    }
}

/// The differences left of a tile, by row.
struct LeftEdge<C> {
    /// Differences v, with padding.
    v: Vec<C>,
    /// Differences z, as in [`Edges::left`].
    z: Vec<C>,
    /// The difference z of the cell diagonally before the tile.
    corner: C,
}

/// The differences above a tile.
struct AboveEdge<C> {
    /// Differences h from the last column to the first, with padding.
    h: Vec<C>,
    /// Differences z from the first column to the last, as in [`Edges::above`].
    z: Vec<C>,
}

/// The computation of a rectangle.
struct MatrixSweep<'s, C: Cell> {
    matrix: &'s Matrix<C>,
    rectangle: &'s Rectangle,
    edges: &'s Edges<C>,
    grid: &'s TileGrid,
    keeps: bool,
    tiles: Mutex<Vec<Option<Edges<C>>>>,
    sum: AtomicU64,
}

impl<C: Cell> TileKernel for MatrixSweep<'_, C> {
    type Left = LeftEdge<C>;
    type Above = AboveEdge<C>;
    type Buffers = CellDiagonals<C>;

    fn left(&self, rows: &Range<usize>, is_outer: bool) -> LeftEdge<C> {
        if !is_outer {
            let Edges { v, left, corner, .. } = self.matrix.gaps(rows, &(0..0));
            return LeftEdge { v: padded(&v), z: left, corner };
        }
        let Edges { v, left, corner, .. } = self.edges;
        let corner = match rows.start.checked_sub(1) {
            None => *corner,
            Some(before) => left.get(before).copied().unwrap_or_default(),
        };
        LeftEdge { v: padded(&v[rows.clone()]), z: left.get(rows.clone()).unwrap_or_default().to_vec(), corner }
    }

    fn above(&self, columns: &Range<usize>, is_outer: bool) -> AboveEdge<C> {
        if !is_outer {
            let Edges { h, above, .. } = self.matrix.gaps(&(0..0), columns);
            return AboveEdge { h: padded(&h), z: above };
        }
        let Edges { h, above, .. } = self.edges;
        let reversed = self.grid.n - columns.end..self.grid.n - columns.start;
        AboveEdge { h: padded(&h[reversed]), z: above.get(columns.clone()).unwrap_or_default().to_vec() }
    }

    fn solve(&self, place: &TilePlace, left: &mut LeftEdge<C>, above: &mut AboveEdge<C>, diagonals: &mut CellDiagonals<C>) {
        let Rectangle { rows, columns } = self.rectangle.place_of(&place.rectangle);
        let n = columns.len();
        if self.keeps {
            let (v, h) = (left.v[..rows.len()].to_vec(), above.h[..n].to_vec());
            let kept = Edges { v, h, corner: left.corner, left: left.z.clone(), above: above.z.clone() };
            self.tiles.lock().unwrap_or_else(PoisonError::into_inner)[place.strip * self.grid.tiles() + place.number] = Some(kept);
        }
        let [takes_left, takes_last] = self.grid.is_on_path(place);
        let down = if takes_left { sum(&left.v[..rows.len()]) } else { 0 };
        let next_corner = above.z.last().copied().unwrap_or_default();
        let (a, b) = (self.matrix.a(&rows), self.matrix.b(&columns));
        for first in (0..rows.len()).step_by(MAX_TILE) {
            let m = (rows.len() - first).min(MAX_TILE);
            let (a, v) = (&a[first..=first + m + PADDING], &mut left.v[first..first + m + PADDING]);
            let part_left = left.z.get_mut(first..first + m).unwrap_or_default();
            let next = part_left.last().copied().unwrap_or_default();
            let z = TransposeEdges { corner: left.corner, left: part_left, above: &mut above.z };
            tile::solve(&self.matrix.costs, &mut Tile { m, n, a, b, v, h: &mut above.h, z }, diagonals);
            left.corner = next;
        }
        left.corner = next_corner;
        let along = if takes_last { sum(&above.h[..n]) } else { 0 };
        self.sum.fetch_add(down + along, Relaxed);
    }
}
