//! The sweep over the tiles of a matrix, on any number of threads.
//!
//! A thread computes one strip (row of tiles) from left to right. A tile waits until the strip above has computed the
//! tile above it. Tiles outside of a corridor of diagonals are skipped: their differences are those of insertions and
//! deletions only, so that all values remain sums of costs of real alignments.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::CellCosts;
use super::cell::Cell;
use super::corridor::Corridor;
use super::tile::{self, PADDING, Tile, TileBuffers, TileCosts, TransposeEdges};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum height of a rectangle that is computed at once. Its arrays fit the fastest cache of a core if differences are
/// bytes.
pub(super) const MAX_TILE: usize = 1 << 12;

/// Minimum height and width of a tile, except at the ends of the texts.
pub(super) const MIN_TILE: usize = 1 << 7;

/// Number of strips for each thread, so that the threads finish at about the same time.
const STRIPS_PER_THREAD: usize = 4;

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

/// A range of rows and a range of columns of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

impl Rectangle {
    pub(super) fn cells(&self) -> u64 {
        self.rows.len() as u64 * self.columns.len() as u64
    }
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

/// How a sweep computes a rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    /// Height and width of a tile.
    pub(super) tile: usize,
    /// Whether the edges of all tiles are kept.
    pub(super) keeps: bool,
    /// The diagonals whose tiles are computed.
    pub(super) corridor: Corridor,
    /// Maximum number of threads.
    pub(super) threads: usize,
}

/// The result of a sweep.
pub(super) struct Swept<C> {
    /// Sum of the differences v and h along a path from the first cell of the rectangle to its last cell.
    pub(super) sum: u64,
    /// The edges of all tiles, row by row, if the sweep kept them. `None` for a tile that was skipped.
    pub(super) tiles: Vec<Option<Edges<C>>>,
}

/// A column of tiles, between two strips.
struct TileColumn<C> {
    h: Vec<C>,
    above: Vec<C>,
    /// Number of the strip that computes this column next.
    next_strip: usize,
}

/// The state that all threads of a sweep share.
struct SharedSweep<'s, C> {
    rectangle: &'s Rectangle,
    tile: usize,
    keeps: bool,
    edges: &'s Edges<C>,
    /// The range of tiles that each strip computes.
    strips: Vec<Range<usize>>,
    columns: Vec<(Mutex<TileColumn<C>>, Condvar)>,
    next: AtomicUsize,
    is_given_up: AtomicBool,
    swept: Mutex<Swept<C>>,
    run: &'s Run<'s>,
}

impl<C> SharedSweep<'_, C> {
    /// Waits until `strip` may compute the tile `number` of its tiles. Returns `None` if the sweep was given up.
    fn wait(&self, strip: usize, number: usize) -> Option<MutexGuard<'_, TileColumn<C>>> {
        let (column, changed) = &self.columns[number];
        let mut column = column.lock().unwrap_or_else(PoisonError::into_inner);
        while column.next_strip != strip {
            if self.is_given_up.load(Relaxed) {
                return None;
            }
            column = changed.wait(column).unwrap_or_else(PoisonError::into_inner);
        }
        Some(column)
    }

    fn rows(&self, strip: usize) -> Range<usize> {
        part(&self.rectangle.rows, self.tile, strip)
    }

    fn tile_columns(&self, number: usize) -> Range<usize> {
        part(&self.rectangle.columns, self.tile, number)
    }
}

/// Returns the part with this number if `whole` is cut into parts of `len`.
fn part(whole: &Range<usize>, len: usize, number: usize) -> Range<usize> {
    let start = whole.start + number * len;
    start..(start + len).min(whole.end)
}

/// Ends the waits of all other threads if a thread leaves its strip early.
struct AbandonedStripGuard<'s, 'r, C>(&'s SharedSweep<'r, C>);

impl<C> Drop for AbandonedStripGuard<'_, '_, C> {
    fn drop(&mut self) {
        self.0.is_given_up.store(true, Relaxed);
        for (column, changed) in &self.0.columns {
            drop(column.lock().unwrap_or_else(PoisonError::into_inner));
            changed.notify_all();
        }
    }
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

    /// Returns a tile of the whole matrix, by the numbers of its row and of its column of tiles.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn tile(&self, tile: usize, strip: usize, number: usize) -> Rectangle {
        let Rectangle { rows, columns } = self.whole();
        Rectangle { rows: part(&rows, tile, strip), columns: part(&columns, tile, number) }
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
        let whole = self.whole();
        let strips = STRIPS_PER_THREAD * threads;
        let tile = if threads == 1 { MAX_TILE } else { whole.rows.len().div_ceil(strips).next_power_of_two().clamp(MIN_TILE, MAX_TILE) };
        let sweep = Sweep { tile, keeps: false, corridor, threads };
        Ok(self.sweep(&whole, &self.outer_edges(), sweep, run)?.sum)
    }

    /// Computes the cells of `rectangle` that lie in tiles of `corridor`, from the differences along its edges.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn sweep(&self, rectangle: &Rectangle, edges: &Edges<C>, sweep: Sweep, run: &Run) -> Result<Swept<C>, Halt> {
        let Sweep { tile, keeps, corridor, threads } = sweep;
        if rectangle.cells() == 0 {
            let sum = edges.v.iter().chain(&edges.h).map(|difference| difference.number() as u64).sum();
            return Ok(Swept { sum, tiles: Vec::new() });
        }
        let Rectangle { rows, columns } = rectangle;
        let tiles = columns.len().div_ceil(tile);
        let strips: Vec<Range<usize>> = (0..rows.len().div_ceil(tile))
            .map(|strip| {
                let rows = part(rows, tile, strip);
                let is_included = |number: &usize| corridor.includes(&rows, &part(columns, tile, *number));
                let first = (0..tiles).find(is_included).unwrap_or(0);
                first..(first..tiles).take_while(is_included).count() + first
            })
            .collect();
        let columns = (0..tiles)
            .map(|number| {
                let range = part(columns, tile, number);
                let next_strip = strips.iter().position(|tiles| tiles.contains(&number)).unwrap_or(usize::MAX);
                let (start, end) = (range.start - columns.start, range.end - columns.start);
                let (mut h, above) = if next_strip == 0 {
                    let reversed = columns.len() - end..columns.len() - start;
                    (edges.h[reversed].to_vec(), edges.above.get(start..end).unwrap_or_default().to_vec())
                } else {
                    let Edges { h, above, .. } = self.gaps(&(0..0), &range);
                    (h, above)
                };
                h.resize(range.len() + PADDING, C::default());
                (Mutex::new(TileColumn { h, above, next_strip }), Condvar::new())
            })
            .collect();
        let expected: u64 = strips
            .iter()
            .enumerate()
            .map(|(strip, tiles)| {
                let width = (tiles.end * tile).min(rectangle.columns.len()).saturating_sub(tiles.start * tile);
                part(rows, tile, strip).len() as u64 * width as u64
            })
            .sum();
        run.raise_expected(expected);
        let mut swept = Swept { sum: 0, tiles: Vec::new() };
        if keeps {
            swept.tiles.resize_with(strips.len() * tiles, || None);
        }
        let threads = threads.min(strips.len());
        let shared = SharedSweep {
            rectangle,
            tile,
            keeps,
            edges,
            strips,
            columns,
            next: 0.into(),
            is_given_up: false.into(),
            swept: Mutex::new(swept),
            run,
        };
        let numbers: Vec<usize> = (0..threads).collect();
        crate::cpu::try_spread(&numbers, threads, |_| self.work(&shared))?;
        Ok(shared.swept.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Computes strips on the calling thread until none remains.
    fn work(&self, shared: &SharedSweep<C>) -> Result<(), Halt> {
        let mut buffers = TileBuffers::default();
        loop {
            let strip = shared.next.fetch_add(1, Relaxed);
            if strip >= shared.strips.len() {
                return Ok(());
            }
            let leaving = AbandonedStripGuard(shared);
            self.strip(strip, shared, &mut buffers)?;
            std::mem::forget(leaving);
        }
    }

    fn strip(&self, strip: usize, shared: &SharedSweep<C>, buffers: &mut TileBuffers<C>) -> Result<(), Halt> {
        let rows = shared.rows(strip);
        let in_edge = rows.start - shared.rectangle.rows.start..rows.end - shared.rectangle.rows.start;
        let tiles = shared.strips[strip].clone();
        let Edges { mut v, mut left, mut corner, .. } = self.gaps(&rows, &(0..0));
        if tiles.start == 0 {
            v.copy_from_slice(&shared.edges.v[in_edge.clone()]);
            if let Some(edge) = shared.edges.left.get(in_edge.clone()) {
                left.copy_from_slice(edge);
            }
            corner = match in_edge.start.checked_sub(1) {
                None => shared.edges.corner,
                Some(before) => shared.edges.left.get(before).copied().unwrap_or_default(),
            };
        }
        v.resize(rows.len() + PADDING, C::default());
        let mut sum: u64 = v[..rows.len()].iter().map(|difference| difference.number() as u64).sum();
        // The path goes down the left edge of the first tile of each strip, and along its last row to the first tile of
        // the next strip.
        let path_end = shared.strips.get(strip + 1).map_or(tiles.end, |next| next.start);
        for number in tiles {
            let columns = shared.tile_columns(number);
            let mut column = shared.wait(strip, number).ok_or(Halt::Stopped)?;
            let TileColumn { h, above, next_strip } = &mut *column;
            if shared.keeps {
                let (v, h) = (v[..rows.len()].to_vec(), h[..columns.len()].to_vec());
                let kept = Edges { v, h, corner, left: left.clone(), above: above.clone() };
                shared.swept.lock().unwrap_or_else(PoisonError::into_inner).tiles[strip * shared.columns.len() + number] = Some(kept);
            }
            let next_corner = above.last().copied().unwrap_or_default();
            let b = self.b(&columns);
            for first in (0..rows.len()).step_by(MAX_TILE) {
                let m = (rows.len() - first).min(MAX_TILE);
                let a = &self.a(&rows)[first..=first + m + PADDING];
                let v = &mut v[first..first + m + PADDING];
                let left = left.get_mut(first..first + m).unwrap_or_default();
                let next = left.last().copied().unwrap_or_default();
                let z = TransposeEdges { corner, left, above };
                tile::solve(&self.costs, &mut Tile { m, n: columns.len(), a, b, v, h, z }, buffers);
                corner = next;
            }
            if number < path_end {
                sum += h[..columns.len()].iter().map(|difference| difference.number() as u64).sum::<u64>();
            }
            corner = next_corner;
            *next_strip = strip + 1;
            drop(column);
            shared.columns[number].1.notify_all();
            shared.run.tick(rows.len() as u64 * columns.len() as u64)?;
        }
        shared.swept.lock().unwrap_or_else(PoisonError::into_inner).sum += sum;
        Ok(())
    }
}
