//! An optimal alignment in little memory.
//!
//! A sweep keeps the edges of all tiles. Then only the tiles on the path of the alignment are computed again, from the
//! last one to the first: a large tile by a sweep that keeps the edges of smaller tiles, and a small tile with the steps
//! of each cell.

use super::tile::{self, Tile, TileBuffers, TileSteps};
use super::{AboveEdge, FreeEdges, LeftEdge, MAX_TILE, Matrix, RectangleEdges, Swept, sum};
use crate::alignment::{Alignment, EditKind};
use crate::event::RunStage;
use crate::failure::JobFailure;
#[cfg(not(target_family = "wasm"))]
use crate::pair::cells::cuda::kept_edges::traceback::{PathPlace, TracedTile};
use crate::pair::cells::wavefront::{Rectangle, TileGrid};
use crate::pair::cells::{Cell, Corridor};
use crate::run::{Halt, Run};

/// Minimum height and width of a tile whose edges are kept.
const MIN_KEPT_TILE: usize = 1 << 9;

/// Maximum number of cells of a rectangle whose steps are stored.
const MAX_STEPS: u64 = (MIN_KEPT_TILE * MIN_KEPT_TILE) as u64;

/// Number of tiles along the longer side of a rectangle that is traced tile by tile.
const TILES: usize = 8;

/// Minimum number of cells of a tile that several threads compute again.
const MIN_THREADED_CELLS: u64 = 1 << 24;

impl<C: Cell> Matrix<C> {
    /// Finds an optimal alignment of both whole texts, which lies in `corridor`, and its score. In the alignment, `Equal`
    /// stands for all pairs, because a matrix may not distinguish all symbols.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(in super::super) fn align(&self, corridor: Corridor, threads: usize, run: &Run) -> Result<(i64, Alignment), Halt> {
        let whole = self.whole();
        let edges = self.outer_edges(FreeEdges::NONE);
        let mut path = Path::new(self, threads, run);
        let raised = self.extend * (self.texts.m as i64 + self.texts.n as i64);
        if whole.cells() <= MAX_STEPS {
            run.raise_expected(whole.cells());
            let right = path.trace_steps(&whole, &edges);
            run.tick(whole.cells())?;
            return Ok((sum(&edges.above.h) + sum(&right) - raised, path.finish()));
        }
        let (m, n) = (whole.rows.len(), whole.columns.len());
        // Each cell on an edge has two differences.
        let tile = TileGrid::kept_tile(&whole, tile(m.max(n)), 2 * size_of::<C>());
        let grid = TileGrid::new(m, n, tile, corridor);
        let Swept { tiles, sum, .. } = self.sweep(&whole, &edges, &grid, true, threads, run)?;
        let bytes = tiles.iter().flatten().map(RectangleEdges::bytes).sum();
        run.hold(bytes);
        run.stage(RunStage::Traceback)?;
        path.trace_tiles(&whole, tile, taken(tiles, &grid))?;
        run.release(bytes);
        Ok((sum - raised, path.finish()))
    }
}

/// Returns a function that takes the edges of a tile of `grid` from `tiles`, by the numbers of its row and of its column of
/// tiles.
fn taken<C: Cell>(
    mut tiles: Vec<Option<RectangleEdges<C>>>,
    grid: &TileGrid,
) -> impl FnMut(usize, usize) -> Result<RectangleEdges<C>, Halt> + use<C> {
    let in_row = grid.tiles();
    move |strip, number| {
        let edges = tiles[strip * in_row + number].take();
        Ok(edges.ok_or_else(|| JobFailure::engine("The alignment leaves its corridor."))?)
    }
}

/// Returns the height and width of tiles for a rectangle whose longer side has `longer` cells.
fn tile(longer: usize) -> usize {
    (longer / TILES).next_power_of_two().clamp(MIN_KEPT_TILE, MAX_TILE)
}

/// The path of an optimal alignment from the last cell back to the cell `(i, j)`.
pub(super) struct Path<'m, 'r, C: Cell> {
    matrix: &'m Matrix<C>,
    threads: usize,
    /// Number of symbols of `a` that are not aligned yet.
    i: usize,
    /// Number of symbols of `b` that are not aligned yet.
    j: usize,
    /// The last column, which begins the alignment so far. The next cell may extend its gap. `Equal` stands for all pairs.
    last: Option<EditKind>,
    backwards: Alignment,
    buffers: TileBuffers<C>,
    steps: TileSteps<C>,
    run: &'m Run<'r>,
}

impl<'m, 'r, C: Cell> Path<'m, 'r, C> {
    /// Begins at the last cell of `matrix`.
    pub(super) fn new(matrix: &'m Matrix<C>, threads: usize, run: &'m Run<'r>) -> Self {
        let Rectangle { rows, columns } = matrix.whole();
        let (backwards, buffers, steps) = (Alignment::default(), TileBuffers::default(), TileSteps::default());
        Self { matrix, threads, i: rows.end, j: columns.end, last: None, backwards, buffers, steps, run }
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
        mut edges: impl FnMut(usize, usize) -> Result<RectangleEdges<C>, Halt>,
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
        mut edges: impl FnMut(usize, usize) -> Result<RectangleEdges<C>, Halt>,
    ) -> Result<(), Halt> {
        let (strip, number) = ((self.i - 1 - rows.start) / tile, (self.j - 1 - columns.start) / tile);
        let edges = edges(strip, number)?;
        let (top, left) = (rows.start + strip * tile, columns.start + number * tile);
        let width = (left + tile).min(columns.end) - left;
        let edges = cut(&edges, self.i - top, width, self.j - left);
        self.trace(&Rectangle { rows: top..self.i, columns: left..self.j }, &edges)
    }

    /// Traces an alignment of both whole texts through a tile, from a place in it. `edges` returns the edges of a tile.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn trace_tile_at(
        &mut self,
        place: PathPlace<Option<EditKind>>,
        tile: usize,
        edges: impl FnMut(usize, usize) -> Result<RectangleEdges<C>, Halt>,
    ) -> Result<TracedTile<Option<EditKind>>, Halt> {
        (self.i, self.j, self.last) = (place.i, place.j, place.last);
        self.trace_tile(&self.matrix.whole(), tile, edges)?;
        let next = PathPlace { i: self.i, j: self.j, last: self.last };
        Ok(TracedTile { backwards: std::mem::take(&mut self.backwards), next })
    }

    /// Extends the path through `rectangle`, in whose last cell it ends, until it leaves the rectangle.
    fn trace(&mut self, rectangle: &Rectangle, edges: &RectangleEdges<C>) -> Result<(), Halt> {
        if rectangle.cells() <= MAX_STEPS {
            self.run.raise_expected(rectangle.cells());
            self.trace_steps(rectangle, edges);
            return self.run.tick(rectangle.cells());
        }
        let (m, n) = (rectangle.rows.len(), rectangle.columns.len());
        let tile = tile(m.max(n));
        let grid = TileGrid::new(m, n, tile, Corridor::everything());
        let threads = if rectangle.cells() < MIN_THREADED_CELLS { 1 } else { self.threads };
        let kept = self.matrix.sweep(rectangle, edges, &grid, true, threads, self.run)?.tiles;
        self.trace_tiles(rectangle, tile, taken(kept, &grid))
    }

    /// Computes the cells of `rectangle` with their steps, and extends the path through it. Returns the differences v of
    /// the last column.
    fn trace_steps(&mut self, rectangle: &Rectangle, edges: &RectangleEdges<C>) -> Vec<C> {
        let Rectangle { rows, columns } = rectangle;
        let (m, n) = (rows.len(), columns.len());
        let (mut left, mut above) = (edges.left.part(&(0..m)), edges.above.part(&(0..n), n));
        let texts = &self.matrix.texts;
        if m > 0 && n > 0 {
            let (a, b) = (texts.rows(rows), texts.columns(columns));
            let tile = Tile { a, b, v: &mut left.v, f: &mut left.f, h: &mut above.h, e: &mut above.e };
            tile::solve(&texts.points, self.matrix.open, tile, Some(&mut self.steps), &mut self.buffers);
        }
        while self.i > rows.start && self.j > columns.start {
            let bits = self.steps.at(self.i - 1 - rows.start, self.j - 1 - columns.start);
            let has = |bit: i32| bits & bit != 0;
            let edit = match self.last {
                Some(EditKind::Delete) if has(TileSteps::<C>::EXTEND_DELETE) => EditKind::Delete,
                Some(EditKind::Insert) if has(TileSteps::<C>::EXTEND_INSERT) => EditKind::Insert,
                _ if has(TileSteps::<C>::PAIR) => EditKind::Equal,
                _ if has(TileSteps::<C>::DELETE) => EditKind::Delete,
                _ => EditKind::Insert,
            };
            self.last = Some(edit);
            self.backwards.push(edit, 1);
            let (taken_rows, taken_columns) = edit.consumed_symbols();
            self.i -= taken_rows as usize;
            self.j -= taken_columns as usize;
        }
        left.v.truncate(m);
        left.v
    }
}

/// Returns the edges of the first `rows` rows, and of the first `columns` of `n` columns.
fn cut<C: Cell>(edges: &RectangleEdges<C>, rows: usize, n: usize, columns: usize) -> RectangleEdges<C> {
    let RectangleEdges { left, above } = edges;
    let (v, f) = (left.v[..rows].to_vec(), left.f[..rows].to_vec());
    let (h, e) = (above.h[n - columns..n].to_vec(), above.e[n - columns..n].to_vec());
    RectangleEdges { left: LeftEdge { v, f }, above: AboveEdge { h, e } }
}
