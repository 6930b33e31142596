//! Global and semi-global alignment by differences between neighbouring cells (after Suzuki and Kasahara 2018).
//!
//! Differences stay small for texts of any length, so that they fit into few bits. Values are raised by extend · (i + j),
//! so that extending a gap costs nothing. With o = open and s = points + 2 · extend:
//!
//! ```text
//! v = H[i, j] − H[i−1, j]       from −o to max(points, 0) + 2 · extend + o
//! h = H[i, j] − H[i, j−1]       in the same range
//! e = E[i+1, j] − H[i, j−1]     from −2o to max(points, 0) + 2 · extend
//! f = F[i, j+1] − H[i−1, j]     in the same range
//!
//! z = H[i, j] − H[i−1, j−1] = max(s,  e[i−1, j],  f[i, j−1])
//! v = z − h[i−1, j]                      h = z − v[i, j−1]
//! e = max(e[i−1, j], z − o) − v[i, j−1]  f = max(f[i, j−1], z − o) − h[i−1, j]
//! ```
//!
//! A gap of n symbols costs o + extend · n, so a cell is at least o less than the one above it after raising. Hence the
//! lower bounds. Two gaps replace any pair, so s may be raised to −2o − 1 without changing z.
//!
//! - [`tile`]: computes a rectangle of cells along its anti-diagonals, in SIMD lanes
//! - [`ends`]: finds the best end of an alignment
//! - [`trace`]: finds an alignment in little memory
//! - `kept_words`: finds an alignment from edges that a GPU has kept

use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::AlignmentModel;
use super::coded::{CodedTexts, Direction};
use crate::job::GapCosts;
use crate::pair::cells::wavefront::{self, LastEdges, Rectangle, TileGrid, TileKernel, TilePlace};
use crate::pair::cells::{Cell, padded};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use tile::{Tile, TileBuffers};

pub(super) use ends::FreeEdges;
#[cfg(not(target_family = "wasm"))]
pub(super) use ends::LastEdge;

mod ends;
#[cfg(not(target_family = "wasm"))]
mod kept_words;
mod tile;
mod trace;

/// Maximum height and width of a tile. Its arrays fit the fastest cache of a core if differences are bytes.
pub(super) const MAX_TILE: usize = 1 << 12;

/// Returns whether all differences fit into integers up to `most`, if no pair has more than `points` points.
pub(super) fn fit(points: i32, gap: GapCosts, most: i32) -> bool {
    let (open, extend) = (gap.open as i32, gap.extend as i32);
    3 * open < most && points.max(0) + 2 * extend + open <= most
}

/// Two texts and the differences along the edges of their matrix.
pub(super) struct Matrix<C: Cell> {
    texts: CodedTexts<C>,
    open: C,
    extend: i64,
}

/// The differences left of a rectangle, by row.
#[derive(Clone, Debug, Default)]
struct LeftEdge<C> {
    v: Vec<C>,
    f: Vec<C>,
}

/// The differences above a rectangle, from the last column to the first.
#[derive(Clone, Debug, Default)]
struct AboveEdge<C> {
    h: Vec<C>,
    e: Vec<C>,
}

/// The differences along the left and the upper edge of a rectangle.
#[derive(Clone, Debug, Default)]
struct RectangleEdges<C> {
    left: LeftEdge<C>,
    above: AboveEdge<C>,
}

impl<C: Cell> LeftEdge<C> {
    /// Returns the part of the edge in `rows`, with padding.
    fn part(&self, rows: &Range<usize>) -> Self {
        Self { v: padded(&self.v[rows.clone()]), f: padded(&self.f[rows.clone()]) }
    }
}

impl<C: Cell> AboveEdge<C> {
    /// Returns the part of the edge in `columns` of `n` columns, with padding.
    fn part(&self, columns: &Range<usize>, n: usize) -> Self {
        let reversed = n - columns.end..n - columns.start;
        Self { h: padded(&self.h[reversed.clone()]), e: padded(&self.e[reversed]) }
    }
}

impl<C: Cell> RectangleEdges<C> {
    /// Returns the size of all differences, in bytes.
    fn bytes(&self) -> u64 {
        (2 * (self.left.v.len() + self.above.h.len()) * size_of::<C>()) as u64
    }
}

impl<C: Cell> Matrix<C> {
    /// Creates the matrix of two texts that are read in `direction`. Takes O(|a| + |b|) time and memory.
    pub(super) fn new<T: Symbol>(a: &[T], b: &[T], model: &AlignmentModel, direction: Direction) -> Self {
        let (open, extend) = (model.gap.open as i32, model.gap.extend as i32);
        let texts = CodedTexts::new(a, b, model, direction, |points| (points + 2 * extend).max(-2 * open - 1));
        Self { texts, open: C::from_number(open), extend: extend.into() }
    }

    fn whole(&self) -> Rectangle {
        Rectangle { rows: 0..self.texts.m, columns: 0..self.texts.n }
    }

    /// Returns the edges of the whole matrix. Gaps along them are free as requested.
    fn outer_edges(&self, free: FreeEdges) -> RectangleEdges<C> {
        let mut edges = self.gaps(self.texts.m, self.texts.n);
        let opening = self.open.number();
        // Raised values grow along edges on which gaps are free.
        let (free_value, free_gap) = (C::from_number(self.extend as i32), C::from_number(self.extend as i32 - opening));
        if free.rows {
            edges.left.v.fill(free_value);
            edges.left.f.fill(free_gap);
        }
        if free.columns {
            edges.above.h.fill(free_value);
            edges.above.e.fill(free_gap);
        }
        edges
    }

    /// Returns edges of `m` rows and `n` columns, along which the texts are only deleted and inserted.
    fn gaps(&self, m: usize, n: usize) -> RectangleEdges<C> {
        let opening = self.open.number();
        let edge = |len: usize, less: i32| vec![C::from_number(-less); len];
        let mut edges = RectangleEdges {
            left: LeftEdge { v: edge(m, 0), f: edge(m, opening) },
            above: AboveEdge { h: edge(n, 0), e: edge(n, opening) },
        };
        // The first cell of a gap opens it.
        for (value, next) in
            [edges.left.v.first_mut().zip(edges.left.f.first_mut()), edges.above.h.last_mut().zip(edges.above.e.last_mut())]
                .into_iter()
                .flatten()
        {
            (*value, *next) = (C::from_number(-opening), C::from_number(-2 * opening));
        }
        edges
    }

    /// Computes the cells of `rectangle` in tiles of `grid`, from the differences along its edges. With `keeps`, keeps the
    /// edges of all tiles.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn sweep(
        &self,
        rectangle: &Rectangle,
        edges: &RectangleEdges<C>,
        grid: &TileGrid,
        keeps: bool,
        threads: usize,
        run: &Run,
    ) -> Result<Swept<C>, Halt> {
        let tiles = if keeps { vec![None; grid.strips() * grid.tiles()] } else { Vec::new() };
        let (tiles, sum) = (Mutex::new(tiles), AtomicI64::new(0));
        let sweep = Sweep { matrix: self, rectangle: rectangle.clone(), edges, grid, keeps, tiles, sum };
        let last = wavefront::sweep(&sweep, grid, threads, run)?;
        let tiles = sweep.tiles.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Swept { last, tiles, sum: sweep.sum.into_inner() })
    }
}

/// The result of a sweep.
struct Swept<C> {
    last: LastEdges<LeftEdge<C>, AboveEdge<C>>,
    /// The edges of all tiles, row by row, if the sweep kept them. `None` for a tile outside of the corridor.
    tiles: Vec<Option<RectangleEdges<C>>>,
    /// Sum of the differences v and h along a path from the first cell of the rectangle to its last cell.
    sum: i64,
}

/// The computation of a rectangle.
struct Sweep<'s, C: Cell> {
    matrix: &'s Matrix<C>,
    rectangle: Rectangle,
    edges: &'s RectangleEdges<C>,
    grid: &'s TileGrid,
    keeps: bool,
    tiles: Mutex<Vec<Option<RectangleEdges<C>>>>,
    sum: AtomicI64,
}

/// Returns the sum of `differences`.
fn sum<C: Cell>(differences: &[C]) -> i64 {
    differences.iter().map(|difference| i64::from(difference.number())).sum()
}

impl<C: Cell> TileKernel for Sweep<'_, C> {
    type Left = LeftEdge<C>;
    type Above = AboveEdge<C>;
    type Buffers = TileBuffers<C>;

    fn left(&self, rows: &Range<usize>, is_outer: bool) -> LeftEdge<C> {
        if is_outer { self.edges.left.part(rows) } else { self.matrix.gaps(rows.len(), 0).left.part(&(0..rows.len())) }
    }

    fn above(&self, columns: &Range<usize>, is_outer: bool) -> AboveEdge<C> {
        let n = columns.len();
        if is_outer { self.edges.above.part(columns, self.grid.n) } else { self.matrix.gaps(0, n).above.part(&(0..n), n) }
    }

    fn solve(&self, place: &TilePlace, left: &mut LeftEdge<C>, above: &mut AboveEdge<C>, buffers: &mut TileBuffers<C>) {
        let Rectangle { rows, columns } = self.rectangle.place_of(&place.rectangle);
        let (m, n) = (rows.len(), columns.len());
        if self.keeps {
            let edges = RectangleEdges { left: left.clone(), above: above.clone() };
            self.tiles.lock().unwrap_or_else(PoisonError::into_inner)[place.strip * self.grid.tiles() + place.number] = Some(edges);
        }
        let [takes_left, takes_last] = self.grid.is_on_path(place);
        let down = if takes_left { sum(&left.v[..m]) } else { 0 };
        let texts = &self.matrix.texts;
        let tile =
            Tile { a: texts.rows(&rows), b: texts.columns(&columns), v: &mut left.v, f: &mut left.f, h: &mut above.h, e: &mut above.e };
        tile::solve(&texts.points, self.matrix.open, tile, None, buffers);
        let along = if takes_last { sum(&above.h[..n]) } else { 0 };
        self.sum.fetch_add(down + along, Relaxed);
    }
}
