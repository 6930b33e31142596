//! The best end of an alignment in any cell, by the values of cells.
//!
//! ```text
//! H[i, j] = max(H[i−1, j−1] + points(a[i], b[j]),  E[i, j],  F[i, j],  0 if local)
//! E[i, j] = max(H[i−1, j] − open,  E[i−1, j]) − extend
//! F[i, j] = max(H[i, j−1] − open,  F[i, j−1]) − extend
//! ```
//!
//! Values are relative to the value H of the cell diagonally before the first cell of their tile. With c = extend, a tile
//! of t rows and columns has values from −(3 · open + c · (2t + 2)) to t · (max(points, 0) + c) + open. So 16 bits suffice
//! for texts of any length if the tile is small enough ([`max_tile`]).
//!
//! A sweep finds the highest value, and the tiles of the first column of tiles that have it. These tiles are computed
//! again in smaller tiles, until a tile is so small that all of its values are stored.
//!
//! - [`tile`]: computes a rectangle of cells along its anti-diagonals, in SIMD lanes
//! - [`excluded_tile`]: computes a rectangle with excluded pairs, cell by cell

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::coded::{CodedTexts, Direction};
use super::excluded::ExcludedCells;
use super::{AlignmentModel, BestEnd};
use crate::job::GapCosts;
use crate::pair::cells::wavefront::{self, Rectangle, TileGrid, TileKernel, TilePlace};
use crate::pair::cells::{Cell, Corridor, PADDING};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use tile::{Tile, TileBuffers, TileCosts, TileValues};

mod excluded_tile;
mod tile;

/// Maximum height and width of a tile. Its arrays fit the second cache of a core.
pub(super) const MAX_TILE: usize = 1 << 12;

/// Minimum height and width of tiles, below which wider integers are faster.
const MIN_TILE: usize = 1 << 7;

/// Maximum number of cells of a rectangle whose values are stored.
const MAX_STORED: u64 = 1 << 16;

/// Minimum number of tiles along the longer side of the matrix.
const TILES_PER_SIDE: usize = 16;

/// Returns the greatest height and width of tiles whose values fit into integers up to `most`, if no pair has more than
/// `points` points. Returns `None` if such tiles are too small.
pub(super) fn max_tile(points: i32, gap: GapCosts, most: i32) -> Option<usize> {
    let (open, extend, points, most) = (gap.open as usize, gap.extend as usize, points.max(0) as usize, most as usize);
    // The least points of a pair are raised to the cost of two gaps, which is less than 2 · open + 2 · extend.
    let fits = |tile: &usize| tile * (points + extend) + open + points <= most && 2 * extend * tile + 6 * open + 6 * extend <= most;
    (MIN_TILE..=MAX_TILE).rev().filter(|tile| tile.is_power_of_two()).find(fits)
}

/// The matrix of two texts. With `is_local`, an alignment may start in each cell, otherwise only in the first one.
pub(super) struct ValueMatrix<'t, C: Cell> {
    texts: CodedTexts<C>,
    costs: TileCosts<C>,
    is_local: bool,
    tile: usize,
    /// Cells without a pair, if there are any.
    excluded: Option<ExcludedCells<'t>>,
}

/// The values left of a rectangle, by row.
#[derive(Clone, Debug)]
struct LeftValues<C> {
    base: i64,
    /// The value diagonally before the first cell.
    corner: C,
    h: Vec<C>,
    f: Vec<C>,
}

/// The values above a rectangle.
#[derive(Clone, Debug)]
struct AboveValues<C> {
    base: i64,
    /// Values H, from the first column to the last.
    h: Vec<C>,
    /// Values E, from the last column to the first.
    e: Vec<C>,
}

/// A rectangle of the matrix with the values along its edges.
struct ValueRectangle<C> {
    rectangle: Rectangle,
    left: LeftValues<C>,
    above: AboveValues<C>,
}

/// The tiles of the first column of tiles that have the highest value so far.
struct PeakTiles<C> {
    score: i64,
    number: usize,
    tiles: Vec<ValueRectangle<C>>,
}

fn rebase<C: Cell>(values: &mut [C], by: i64) {
    if by != 0 {
        values.iter_mut().for_each(|value| *value = C::from_number((i64::from(value.number()) + by) as i32));
    }
}

impl<C: Cell> LeftValues<C> {
    /// Makes the values relative to `base`.
    fn rebase(&mut self, base: i64) {
        let by = self.base - base;
        rebase(&mut self.h, by);
        rebase(&mut self.f, by);
        rebase(std::slice::from_mut(&mut self.corner), by);
        self.base = base;
    }
}

impl<C: Cell> AboveValues<C> {
    /// Makes the values relative to `base`.
    fn rebase(&mut self, base: i64) {
        let by = self.base - base;
        rebase(&mut self.h, by);
        rebase(&mut self.e, by);
        self.base = base;
    }
}

impl<'t, C: Cell> ValueMatrix<'t, C> {
    /// Creates the matrix of two texts that are read in `direction`, for tiles of at most `tile` rows and columns. Takes
    /// O(|a| + |b|) time and memory.
    pub(super) fn new<T: Symbol>(a: &[T], b: &[T], model: &AlignmentModel, direction: Direction, is_local: bool, tile: usize) -> Self {
        let (open, extend) = (model.gap.open as i32, model.gap.extend as i32);
        let texts = CodedTexts::new(a, b, model, direction, |points| points.max(-2 * (open + extend)));
        let costs = TileCosts { open: C::from_number(open), extend: C::from_number(extend) };
        Self { texts, costs, is_local, tile, excluded: None }
    }

    /// Returns the matrix without the pairs of `excluded`.
    pub(super) fn without(self, excluded: ExcludedCells<'t>) -> Self {
        Self { excluded: (!excluded.pairs.is_empty()).then_some(excluded), ..self }
    }

    /// Finds the best end of an alignment in any cell.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn best_end(&self, threads: usize, run: &Run) -> Result<BestEnd, Halt> {
        let (m, n) = (self.texts.m, self.texts.n);
        let first = BestEnd { score: 0, rows: 0, columns: 0 };
        if m == 0 || n == 0 {
            return Ok(first);
        }
        let rectangle = Rectangle { rows: 0..m, columns: 0..n };
        if self.is_stored(&rectangle) {
            let (left, above) = (self.left(&rectangle.rows), self.above(&rectangle.columns));
            run.raise_expected(rectangle.cells());
            let found = self.locate_stored(&ValueRectangle { rectangle, left, above });
            run.tick(m as u64 * n as u64)?;
            return Ok(found);
        }
        // A tile with the highest value is computed again, so that tiles are small beside the matrix.
        let tile = (m.max(n) / TILES_PER_SIDE).next_power_of_two().clamp(2 * MIN_TILE, MAX_TILE).min(self.tile);
        let grid = TileGrid::new(m, n, TileGrid::tile_for_threads(m, tile, threads), Corridor::everything());
        let peak = self.peak_tiles(None, &grid, threads, run)?;
        if peak.tiles.is_empty() {
            return Ok(first);
        }
        self.locate_in(peak, run)
    }

    /// Locates the highest value in `peak`.
    fn locate_in(&self, peak: PeakTiles<C>, run: &Run) -> Result<BestEnd, Halt> {
        let mut best = BestEnd { score: peak.score, rows: usize::MAX, columns: usize::MAX };
        for tile in peak.tiles {
            best.improve(self.locate(&tile, run)?);
        }
        Ok(best)
    }

    /// Returns whether a rectangle is so small that all of its values are stored.
    fn is_stored(&self, rectangle: &Rectangle) -> bool {
        rectangle.cells() <= MAX_STORED && rectangle.rows.len().max(rectangle.columns.len()) <= self.tile
    }

    /// Returns the values left of the matrix.
    fn left(&self, rows: &Range<usize>) -> LeftValues<C> {
        let base = self.gaps(rows.start);
        let h: Vec<i64> = rows.clone().map(|row| self.gaps(row + 1) - base).collect();
        let corner = C::default();
        let opening = i64::from(self.costs.open.number() + self.costs.extend.number());
        let mut f: Vec<C> = h.iter().map(|value| C::from_number((value - opening) as i32)).collect();
        let h = h.into_iter().map(|value| C::from_number(value as i32)).collect();
        f.resize(rows.len() + PADDING, C::default());
        LeftValues { base, corner, h, f }
    }

    /// Returns the values above the matrix.
    fn above(&self, columns: &Range<usize>) -> AboveValues<C> {
        let base = self.gaps(columns.start);
        let h: Vec<i64> = columns.clone().map(|column| self.gaps(column + 1) - base).collect();
        let opening = i64::from(self.costs.open.number() + self.costs.extend.number());
        let mut e: Vec<C> = h.iter().rev().map(|value| C::from_number((value - opening) as i32)).collect();
        let h = h.into_iter().map(|value| C::from_number(value as i32)).collect();
        e.resize(columns.len() + PADDING, C::default());
        AboveValues { base, h, e }
    }

    /// Returns the value after `len` symbols of one text only.
    fn gaps(&self, len: usize) -> i64 {
        let (open, extend) = (i64::from(self.costs.open.number()), i64::from(self.costs.extend.number()));
        if self.is_local || len == 0 { 0 } else { -(open + extend * len as i64) }
    }

    /// Sweeps over the whole matrix, or over the rectangle `within`.
    fn peak_tiles(&self, within: Option<&ValueRectangle<C>>, grid: &TileGrid, threads: usize, run: &Run) -> Result<PeakTiles<C>, Halt> {
        let peak = Mutex::new(PeakTiles { score: 0, number: 0, tiles: Vec::new() });
        let sweep = PeakSweep { matrix: self, within, grid, peak };
        wavefront::sweep(&sweep, grid, threads, run)?;
        Ok(sweep.peak.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Finds the first column with the highest value of a rectangle, and in this column the first row.
    fn locate(&self, rectangle: &ValueRectangle<C>, run: &Run) -> Result<BestEnd, Halt> {
        if self.is_stored(&rectangle.rectangle) {
            return Ok(self.locate_stored(rectangle));
        }
        let Rectangle { rows, columns } = &rectangle.rectangle;
        let (m, n) = (rows.len(), columns.len());
        let tile = (m.max(n) / TILES_PER_SIDE).next_power_of_two().clamp(MIN_TILE, self.tile);
        let grid = TileGrid::new(m, n, tile, Corridor::everything());
        self.locate_in(self.peak_tiles(Some(rectangle), &grid, 1, run)?, run)
    }

    /// Computes a small rectangle, and finds its highest value like [`locate`](Self::locate). Returns the first cell of
    /// the matrix if no value is positive.
    fn locate_stored(&self, ValueRectangle { rectangle, left, above }: &ValueRectangle<C>) -> BestEnd {
        let mut values = TileValues::default();
        let highest = self.solve(rectangle, &mut left.clone(), &mut above.clone(), Some(&mut values), &mut TileBuffers::default());
        let score = left.base + i64::from(left.corner.number()) + i64::from(highest.number());
        let mut best = BestEnd { score: 0, rows: 0, columns: 0 };
        if score > 0
            && let Some((row, column)) = values.first(highest)
        {
            best = BestEnd { score, rows: rectangle.rows.start + row + 1, columns: rectangle.columns.start + column + 1 };
        }
        best
    }

    /// Computes a tile. Returns its highest value, relative to the value diagonally before its first cell.
    fn solve(
        &self,
        Rectangle { rows, columns }: &Rectangle,
        left: &mut LeftValues<C>,
        above: &mut AboveValues<C>,
        values: Option<&mut TileValues<C>>,
        buffers: &mut TileBuffers<C>,
    ) -> C {
        let base = left.base + i64::from(left.corner.number());
        left.rebase(base);
        above.rebase(base);
        let floor =
            if self.is_local { C::from_number((-base).max((-C::MAX.number()).into()) as i32) } else { C::from_number(-C::MAX.number()) };
        let corner = std::mem::replace(&mut left.corner, above.h.last().copied().unwrap_or_default());
        let tile = Tile {
            a: self.texts.rows(rows),
            b: self.texts.columns(columns),
            corner,
            left: &mut left.h,
            f: &mut left.f,
            above: &mut above.h,
            e: &mut above.e,
        };
        let excluded = self.excluded.map(|excluded| excluded.within(rows, columns)).unwrap_or_default();
        if excluded.is_empty() {
            tile::solve(&self.texts.points, &self.costs, floor, tile, values, buffers)
        } else {
            excluded_tile::solve(&self.texts.points, &self.costs, floor, tile, values, &excluded)
        }
    }
}

/// The computation of the whole matrix, or of the rectangle `within`, for its highest value.
struct PeakSweep<'s, C: Cell> {
    matrix: &'s ValueMatrix<'s, C>,
    within: Option<&'s ValueRectangle<C>>,
    grid: &'s TileGrid,
    peak: Mutex<PeakTiles<C>>,
}

impl<C: Cell> TileKernel for PeakSweep<'_, C> {
    type Left = LeftValues<C>;
    type Above = AboveValues<C>;
    type Buffers = TileBuffers<C>;

    fn left(&self, rows: &Range<usize>, _is_outer: bool) -> LeftValues<C> {
        let Some(ValueRectangle { left, .. }) = self.within else { return self.matrix.left(rows) };
        let corner = rows.start.checked_sub(1).map_or(left.corner, |before| left.h[before]);
        let h = left.h[rows.clone()].to_vec();
        LeftValues { base: left.base, corner, h, f: left.f[rows.start..rows.end + PADDING].to_vec() }
    }

    fn above(&self, columns: &Range<usize>, _is_outer: bool) -> AboveValues<C> {
        let Some(ValueRectangle { above, .. }) = self.within else { return self.matrix.above(columns) };
        let h = above.h[columns.clone()].to_vec();
        let n = self.grid.n;
        AboveValues { base: above.base, h, e: above.e[n - columns.end..n - columns.start + PADDING].to_vec() }
    }

    fn solve(&self, place: &TilePlace, left: &mut LeftValues<C>, above: &mut AboveValues<C>, buffers: &mut TileBuffers<C>) {
        let outer = self.within.map(|within| &within.rectangle);
        let rectangle = outer.map_or_else(|| place.rectangle.clone(), |outer| outer.place_of(&place.rectangle));
        let before = (left.clone(), above.clone());
        let highest = self.matrix.solve(&rectangle, left, above, None, buffers);
        let score = left.base + i64::from(highest.number());
        let mut peak = self.peak.lock().unwrap_or_else(PoisonError::into_inner);
        if score <= 0 || score < peak.score || (score == peak.score && place.number > peak.number) {
            return;
        }
        if score > peak.score || place.number < peak.number {
            (peak.score, peak.number) = (score, place.number);
            peak.tiles.clear();
        }
        peak.tiles.push(ValueRectangle { rectangle, left: before.0, above: before.1 });
    }
}
