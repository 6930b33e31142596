//! The order in which several threads compute the tiles of a matrix.
//!
//! A thread computes one strip (row of tiles) from left to right. A tile waits until the strip above has computed the
//! tile above it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Corridor;
use crate::run::{Halt, Run};

/// Minimum height and width of a tile, except at the ends of the texts.
const MIN_TILE: usize = 1 << 7;

/// Number of strips for each thread, so that the threads finish at about the same time.
const STRIPS_PER_THREAD: usize = 4;

/// Maximum memory for the edges of all tiles, in bytes, unless the texts need larger tiles than [`MAX_KEPT_TILE`].
const MAX_EDGE_BYTES: u64 = 1 << 28;

/// Maximum height and width of a tile whose edges are kept.
const MAX_KEPT_TILE: usize = 1 << 16;

/// A range of rows and a range of columns of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    pub(crate) rows: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Rectangle {
    pub(crate) fn cells(&self) -> u64 {
        self.rows.len() as u64 * self.columns.len() as u64
    }

    /// Returns the place of `part` in the matrix, if `part` is a part of this rectangle.
    pub(crate) fn place_of(&self, part: &Self) -> Self {
        let within = |part: &Range<usize>, start: usize| part.start + start..part.end + start;
        Self { rows: within(&part.rows, self.rows.start), columns: within(&part.columns, self.columns.start) }
    }
}

/// A matrix that is cut into tiles, of which those in a corridor of diagonals are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TileGrid {
    /// Number of columns.
    pub(crate) n: usize,
    m: usize,
    /// Height and width of a tile.
    pub(crate) tile: usize,
    /// The range of tiles that each strip computes.
    strips: Vec<Range<usize>>,
}

/// The place of a tile in its grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TilePlace {
    /// Number of the row of tiles.
    pub(crate) strip: usize,
    /// Number of the column of tiles.
    pub(crate) number: usize,
    pub(crate) rectangle: Rectangle,
}

impl TileGrid {
    /// Cuts `m` rows and `n` columns into tiles of `tile` rows and columns, of which those in `corridor` are computed.
    pub(crate) fn new(m: usize, n: usize, tile: usize, corridor: Corridor) -> Self {
        let mut grid = Self { n, m, tile, strips: Vec::new() };
        let tiles = grid.tiles();
        grid.strips = (0..m.div_ceil(tile))
            .map(|strip| {
                let is_included = |number: &usize| corridor.includes(&grid.rows(strip), &grid.columns(*number));
                let first = (0..tiles).find(is_included).unwrap_or(0);
                first..(first..tiles).take_while(is_included).count() + first
            })
            .collect();
        grid
    }

    /// Returns the height and width of tiles, of at most `max_tile` rows, for `m` rows and `threads` threads.
    pub(crate) fn tile_for_threads(m: usize, max_tile: usize, threads: usize) -> usize {
        let strips = STRIPS_PER_THREAD * threads;
        if threads == 1 { max_tile } else { m.div_ceil(strips).next_power_of_two().clamp(MIN_TILE.min(max_tile), max_tile) }
    }

    /// Returns the height and width of tiles whose edges are kept, at least `least`. An edge takes `bytes` bytes for each
    /// row and each column.
    pub(crate) fn kept_tile(matrix: &Rectangle, least: usize, bytes: usize) -> usize {
        let needed = (matrix.cells() / MAX_EDGE_BYTES).saturating_mul(2 * bytes as u64).min(MAX_KEPT_TILE as u64) as usize;
        least.max(needed.next_power_of_two())
    }

    /// Returns whether a path from the first cell of the matrix to its last cell takes the left edge of a tile, and its
    /// last row. The path goes down the left edge of the first tile of each strip, and along its last row to the first
    /// tile of the next strip.
    pub(crate) fn is_on_path(&self, TilePlace { strip, number, .. }: &TilePlace) -> [bool; 2] {
        let Range { start, end } = self.tiles_of(*strip);
        let path_end = if strip + 1 < self.strips() { self.tiles_of(strip + 1).start } else { end };
        [*number == start, *number < path_end]
    }

    /// Returns the tiles that a strip computes.
    pub(crate) fn tiles_of(&self, strip: usize) -> Range<usize> {
        self.strips[strip].clone()
    }

    pub(crate) fn strips(&self) -> usize {
        self.strips.len()
    }

    /// Returns the number of cells in the tiles that are computed.
    fn cells(&self) -> u64 {
        let width = |tiles: &Range<usize>| (tiles.end * self.tile).min(self.n).saturating_sub(tiles.start * self.tile) as u64;
        self.strips.iter().enumerate().map(|(strip, tiles)| self.rows(strip).len() as u64 * width(tiles)).sum()
    }

    /// Returns the number of tiles in a strip.
    pub(crate) fn tiles(&self) -> usize {
        self.n.div_ceil(self.tile)
    }

    pub(crate) fn rows(&self, strip: usize) -> Range<usize> {
        strip * self.tile..((strip + 1) * self.tile).min(self.m)
    }

    pub(crate) fn columns(&self, number: usize) -> Range<usize> {
        number * self.tile..((number + 1) * self.tile).min(self.n)
    }
}

/// The bottom edge of the tiles of a column that are computed, between two strips.
struct TileColumn<E> {
    edge: E,
    /// Number of the strip that computes this column next.
    next_strip: usize,
}

/// The state that all threads of a sweep share.
struct SharedSweep<E> {
    columns: Vec<(Mutex<TileColumn<E>>, Condvar)>,
    next: AtomicUsize,
    is_given_up: AtomicBool,
}

impl<E> SharedSweep<E> {
    /// Waits until `strip` may compute the tile `number` of its tiles. Returns `None` if the sweep was given up.
    fn wait(&self, strip: usize, number: usize) -> Option<MutexGuard<'_, TileColumn<E>>> {
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
}

/// Ends the waits of all other threads if a thread leaves its strip early.
struct AbandonedStripGuard<'s, E>(&'s SharedSweep<E>);

impl<E> Drop for AbandonedStripGuard<'_, E> {
    fn drop(&mut self) {
        self.0.is_given_up.store(true, Relaxed);
        for (column, changed) in &self.0.columns {
            drop(column.lock().unwrap_or_else(PoisonError::into_inner));
            changed.notify_all();
        }
    }
}

/// The functions that compute the tiles of a sweep.
pub(crate) trait TileKernel: Sync {
    /// The cells left of a tile, which become the last column of the tile.
    type Left: Send;
    /// The cells above a tile, which become the last row of the tile.
    type Above: Send;
    /// Memory that a thread uses again for all of its tiles.
    type Buffers: Default;

    /// Returns the cells left of the first tile of a strip. With `is_outer`, they lie left of the matrix, otherwise left of
    /// the corridor.
    fn left(&self, rows: &Range<usize>, is_outer: bool) -> Self::Left;

    /// Returns the cells above the first tile in these columns. With `is_outer`, they lie above the matrix, otherwise above
    /// the corridor.
    fn above(&self, columns: &Range<usize>, is_outer: bool) -> Self::Above;

    /// Computes a tile.
    fn solve(&self, place: &TilePlace, left: &mut Self::Left, above: &mut Self::Above, buffers: &mut Self::Buffers);
}

/// The edges of a matrix that is computed. In a corridor, some parts are not those of the matrix.
pub(crate) struct LastEdges<L, A> {
    /// The last column, in one part for each strip.
    pub(crate) right: Vec<L>,
    /// The last row, in one part for each column of tiles.
    pub(crate) bottom: Vec<A>,
}

/// Computes the tiles of `grid` on at most `threads` threads.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn sweep<K: TileKernel>(kernel: &K, grid: &TileGrid, threads: usize, run: &Run) -> Result<LastEdges<K::Left, K::Above>, Halt> {
    run.raise_expected(grid.cells());
    let columns = (0..grid.tiles())
        .map(|number| {
            let next_strip = grid.strips.iter().position(|tiles| tiles.contains(&number)).unwrap_or(usize::MAX);
            (Mutex::new(TileColumn { edge: kernel.above(&grid.columns(number), next_strip == 0), next_strip }), Condvar::new())
        })
        .collect();
    let shared = SharedSweep { columns, next: 0.into(), is_given_up: false.into() };
    let threads = threads.min(grid.strips());
    let numbers: Vec<usize> = (0..threads).collect();
    let done = crate::cpu::try_spread(&numbers, threads, |_| work(kernel, grid, &shared, run))?;
    let mut right: Vec<(usize, K::Left)> = done.into_iter().flatten().collect();
    right.sort_unstable_by_key(|(strip, _)| *strip);
    let bottom = shared.columns.into_iter().map(|(column, _)| column.into_inner().unwrap_or_else(PoisonError::into_inner).edge).collect();
    Ok(LastEdges { right: right.into_iter().map(|(_, edge)| edge).collect(), bottom })
}

/// Computes strips on the calling thread until none remains. Returns the last column of each.
fn work<K: TileKernel>(kernel: &K, grid: &TileGrid, shared: &SharedSweep<K::Above>, run: &Run) -> Result<Vec<(usize, K::Left)>, Halt> {
    let mut buffers = K::Buffers::default();
    let mut done = Vec::new();
    loop {
        let strip = shared.next.fetch_add(1, Relaxed);
        if strip >= grid.strips() {
            return Ok(done);
        }
        let leaving = AbandonedStripGuard(shared);
        let rows = grid.rows(strip);
        let tiles = grid.tiles_of(strip);
        let mut left = kernel.left(&rows, tiles.start == 0);
        for number in tiles {
            let place = TilePlace { strip, number, rectangle: Rectangle { rows: rows.clone(), columns: grid.columns(number) } };
            let mut column = shared.wait(strip, number).ok_or(Halt::Stopped)?;
            kernel.solve(&place, &mut left, &mut column.edge, &mut buffers);
            column.next_strip = strip + 1;
            drop(column);
            shared.columns[number].1.notify_all();
            run.tick(place.rectangle.cells())?;
        }
        std::mem::forget(leaving);
        done.push((strip, left));
    }
}
