//! An optimal alignment in little memory.
//!
//! A sweep keeps the edges of all tiles. Then only the tiles on the path of the alignment are computed again, from the
//! last one to the first: a large tile by a sweep that keeps the edges of smaller tiles, and a small tile cell by cell.

use super::sweep::{Edges, MAX_TILE, Matrix, Swept};
use crate::alignment::{Alignment, EditKind};
use crate::event::RunStage;
use crate::failure::JobFailure;
#[cfg(not(target_family = "wasm"))]
use crate::pair::cells::cuda::kept_edges::traceback::{PathPlace, TracedTile};
#[cfg(not(target_family = "wasm"))]
use crate::pair::cells::cuda::kept_edges::{FetchWords, KeptWords};
use crate::pair::cells::wavefront::{Rectangle, TileGrid};
use crate::pair::cells::{Cell, Corridor};
use crate::run::{Halt, Run};

/// Minimum height and width of a tile whose edges are kept. A smaller one is traced cell by cell.
const MIN_KEPT_TILE: usize = 1 << 5;

/// Maximum number of cells of a rectangle that is traced cell by cell. This takes a byte per cell.
const MAX_LEAF_CELLS: u64 = (MIN_KEPT_TILE * MIN_KEPT_TILE) as u64;

/// Number of tiles along the longer side of a rectangle that is traced tile by tile.
const TILES: usize = 8;

/// Minimum number of cells of a tile that several threads compute again.
const MIN_THREADED_CELLS: u64 = 1 << 24;

/// Computes the sum of the differences along a path to the last cell, and an optimal alignment.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn align<C: Cell>(matrix: &Matrix<C>, corridor: Corridor, threads: usize, run: &Run) -> Result<(u64, Alignment), Halt> {
    let whole = matrix.whole();
    let longer = whole.rows.len().max(whole.columns.len());
    let edges = matrix.outer_edges();
    let mut path = Path::new(matrix, threads, run);
    let sum = if whole.cells() <= MAX_LEAF_CELLS {
        run.raise_expected(whole.cells());
        let sum = path.trace_cells(&whole, &edges);
        run.tick(whole.cells())?;
        sum
    } else {
        // Each cell on an edge has one difference, and two if transpositions are useful.
        let differences = if matrix.costs.transpose.is_some() { 2 } else { 1 };
        let tile = TileGrid::kept_tile(&whole, tile(longer), differences * size_of::<C>());
        let grid = TileGrid::new(whole.rows.len(), whole.columns.len(), tile, corridor);
        let swept = matrix.sweep(&whole, &edges, &grid, true, threads, run)?;
        let bytes = swept.tiles.iter().flatten().map(Edges::bytes).sum();
        run.hold(bytes);
        run.stage(RunStage::Traceback)?;
        let sum = swept.sum;
        path.trace_tiles(&whole, tile, swept.into_edges(&grid))?;
        run.release(bytes);
        sum
    };
    Ok((sum, path.finish()))
}

/// Finds an optimal alignment from the edges that a GPU has kept as `words`. `edges` returns the edges of a tile, by the
/// numbers of its row and of its column of tiles.
///
/// # Errors
/// Returns the errors of `edges`, and an error if the words cannot be fetched or the run is stopped.
#[cfg(not(target_family = "wasm"))]
pub(super) fn align_from_words<C: Cell>(
    matrix: &Matrix<C>,
    words: &KeptWords<impl FetchWords>,
    edges: impl Fn(usize, usize) -> Result<Edges<C>, Halt> + Sync,
    threads: usize,
    run: &Run,
) -> Result<Alignment, Halt> {
    words.trace(matrix.costs.gap.number().into(), threads, |threads| {
        let (mut path, edges) = (Path::new(matrix, threads, run), &edges);
        move |PathPlace { i, j, last: () }| {
            (path.i, path.j) = (i, j);
            path.trace_tile(&matrix.whole(), words.tiles.tile as usize, edges)?;
            Ok(TracedTile { backwards: std::mem::take(&mut path.backwards), next: PathPlace { i: path.i, j: path.j, last: () } })
        }
    })
}

/// Returns the height and width of tiles for a rectangle whose longer side has `longer` cells.
fn tile(longer: usize) -> usize {
    (longer / TILES).next_power_of_two().clamp(MIN_KEPT_TILE, MAX_TILE)
}

/// The path of an optimal alignment from the last cell back to the cell `(i, j)`.
struct Path<'m, 'r, C: Cell> {
    matrix: &'m Matrix<C>,
    threads: usize,
    /// Number of symbols of `a` that are not aligned yet.
    i: usize,
    /// Number of symbols of `b` that are not aligned yet.
    j: usize,
    backwards: Alignment,
    run: &'m Run<'r>,
}

/// The last step of the best alignment that ends in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Pair,
    Exchange,
    Above,
    Left,
}

impl<'m, 'r, C: Cell> Path<'m, 'r, C> {
    /// Begins at the last cell of `matrix`.
    fn new(matrix: &'m Matrix<C>, threads: usize, run: &'m Run<'r>) -> Self {
        let Rectangle { rows, columns } = matrix.whole();
        Self { matrix, threads, i: rows.end, j: columns.end, backwards: Alignment::default(), run }
    }

    /// Returns the alignment, which ends in the first row or in the first column.
    fn finish(mut self) -> Alignment {
        self.backwards.push(EditKind::Delete, self.i as u64);
        self.backwards.push(EditKind::Insert, self.j as u64);
        self.backwards.reversed()
    }

    /// Extends the path through `rectangle` until it leaves the rectangle. `edges` returns the edges of a tile, by the
    /// numbers of its row and of its column of tiles.
    fn trace_tiles(
        &mut self,
        rectangle: &Rectangle,
        tile: usize,
        mut edges: impl FnMut(usize, usize) -> Result<Edges<C>, Halt>,
    ) -> Result<(), Halt> {
        while self.i > rectangle.rows.start && self.j > rectangle.columns.start {
            self.trace_tile(rectangle, tile, &mut edges)?;
        }
        Ok(())
    }

    /// Extends the path through the tile of `rectangle` in which it ends.
    fn trace_tile(
        &mut self,
        Rectangle { rows, columns }: &Rectangle,
        tile: usize,
        mut edges: impl FnMut(usize, usize) -> Result<Edges<C>, Halt>,
    ) -> Result<(), Halt> {
        let (strip, number) = ((self.i - 1 - rows.start) / tile, (self.j - 1 - columns.start) / tile);
        let edges = edges(strip, number)?;
        let (top, left) = (rows.start + strip * tile, columns.start + number * tile);
        let width = (left + tile).min(columns.end) - left;
        self.trace(&Rectangle { rows: top..self.i, columns: left..self.j }, cut(edges, self.i - top, width - (self.j - left)))
    }

    /// Extends the path through `rectangle`, in whose last cell it ends, until it leaves the rectangle.
    fn trace(&mut self, rectangle: &Rectangle, edges: Edges<C>) -> Result<(), Halt> {
        if rectangle.cells() <= MAX_LEAF_CELLS {
            self.run.raise_expected(rectangle.cells());
            self.trace_cells(rectangle, &edges);
            return self.run.tick(rectangle.cells());
        }
        let Rectangle { rows, columns } = rectangle;
        let (m, n) = (rows.len(), columns.len());
        let tile = tile(m.max(n));
        let threads = if rectangle.cells() < MIN_THREADED_CELLS { 1 } else { self.threads };
        let grid = TileGrid::new(m, n, tile, Corridor::everything());
        let swept = self.matrix.sweep(rectangle, &edges, &grid, true, threads, self.run)?;
        self.trace_tiles(rectangle, tile, swept.into_edges(&grid))
    }

    /// Computes the cells of `rectangle` one after the other, and extends the path through it. Returns the sum of the
    /// differences along the left and the last row.
    fn trace_cells(&mut self, rectangle: &Rectangle, edges: &Edges<C>) -> u64 {
        match self.matrix.costs.transpose {
            None => self.trace_cells_with::<false>(0, rectangle, edges),
            Some(transpose) => self.trace_cells_with::<true>(transpose.number(), rectangle, edges),
        }
    }

    /// Traces like [`trace_cells`](Self::trace_cells), with exchanges at the cost `transpose` if `TRANSPOSES`.
    fn trace_cells_with<const TRANSPOSES: bool>(&mut self, transpose: i32, rectangle: &Rectangle, edges: &Edges<C>) -> u64 {
        let Rectangle { rows, columns } = rectangle;
        let (m, n) = (rows.len(), columns.len());
        let (a, b) = (self.matrix.a(rows), self.matrix.b(columns));
        let costs = &self.matrix.costs;
        let (substitute, gap) = (costs.substitute.number(), costs.gap.number());
        let mut steps = vec![Step::default(); m * n];
        let mut h: Vec<i32> = edges.h.iter().rev().map(|difference| difference.number()).collect();
        let mut z_above: Vec<i32> = edges.above.iter().map(|difference| difference.number()).collect();
        z_above.resize(n, 0);
        for row in 0..m {
            let mut left = edges.v[row].number();
            let before = if row == 0 { edges.corner } else { edges.left.get(row - 1).copied().unwrap_or_default() };
            let mut z_before = before.number();
            for column in 0..n {
                let (x, y) = (a[row + 1], b[n - 1 - column]);
                let above = h[column];
                let pair = if x == y { 0 } else { substitute };
                let is_exchanged = TRANSPOSES && x == b[n - column] && a[row] == y;
                let exchange = if is_exchanged { transpose - z_before } else { i32::MAX };
                let z = pair.min(above).min(left).min(exchange);
                // If a substitution costs as much as both gaps, the real cost may be even higher.
                steps[row * n + column] = if z == pair && (x == y || substitute < gap) {
                    Step::Pair
                } else if z == exchange {
                    Step::Exchange
                } else if z == above {
                    Step::Above
                } else {
                    Step::Left
                };
                z_before = std::mem::replace(&mut z_above[column], z);
                h[column] = gap + z - left;
                left = gap + z - above;
            }
        }
        while self.i > rows.start && self.j > columns.start {
            let (row, column) = (self.i - 1 - rows.start, self.j - 1 - columns.start);
            let (edit, taken_rows, taken_columns) = match steps[row * n + column] {
                Step::Pair if a[row + 1] == b[n - 1 - column] => (EditKind::Equal, 1, 1),
                Step::Pair => (EditKind::Substitute, 1, 1),
                Step::Exchange => (EditKind::Transpose, 2, 2),
                Step::Above => (EditKind::Delete, 1, 0),
                Step::Left => (EditKind::Insert, 0, 1),
            };
            self.backwards.push(edit, taken_rows.max(taken_columns));
            self.i -= taken_rows as usize;
            self.j -= taken_columns as usize;
        }
        edges.v.iter().map(|difference| difference.number() as u64).sum::<u64>()
            + h.iter().map(|difference| *difference as u64).sum::<u64>()
    }
}

impl<C: Cell> Swept<C> {
    /// Returns a function that takes the edges of a tile of `grid`, by the numbers of its row and of its column of tiles.
    fn into_edges(self, grid: &TileGrid) -> impl FnMut(usize, usize) -> Result<Edges<C>, Halt> + use<C> {
        let (mut tiles, in_row) = (self.tiles, grid.tiles());
        move |strip, number| {
            let edges = tiles[strip * in_row + number].take();
            Ok(edges.ok_or_else(|| JobFailure::engine("The alignment leaves its corridor."))?)
        }
    }
}

/// Cuts the edges of a rectangle to the first `rows` rows, and to the columns before the last `cut_columns`.
fn cut<C: Cell>(mut edges: Edges<C>, rows: usize, cut_columns: usize) -> Edges<C> {
    edges.v.truncate(rows);
    edges.left.truncate(rows);
    edges.h.drain(..cut_columns);
    edges.above.truncate(edges.h.len().min(edges.above.len()));
    edges
}
