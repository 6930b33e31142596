//! The matrix of two texts as strips of tiles. A strip is a row of tiles that covers the width of the diagonal
//! [band](Band).

use std::marker::PhantomData;
use std::ops::Range;

use super::band::Band;
use super::planes::BitPlanes;
use super::tile::MatrixTile;
use super::tiling::{TileHeight, Tiling};
use super::{Recurrence, WordDifferences};
use crate::base_set::SymbolMatch;
use crate::run::Halt;
use crate::symbol::Symbol;

/// Default memory limit for the borders (bottom rows of strips) that one sweep keeps, in bytes. Short texts never need
/// that much.
pub(in crate::pair) const BORDERS_BYTES: u64 = 192 << 20;

/// Two texts whose matrix is cut into strips (rows of tiles).
pub(crate) struct StripGrid<'t, T, R, const K: usize> {
    /// Text of the rows.
    pub(crate) a: &'t [T],
    /// Text of the columns.
    pub(crate) b: &'t [T],
    pub(crate) height: TileHeight,
    pub(super) tile_columns: usize,
    /// Maximum memory for the borders (bottom rows of strips) that one sweep keeps, in bytes.
    pub(crate) borders_bytes: u64,
    /// Vertical differences down the left edge of the matrix: all +1, or all 0 if a path may begin in any row. If they
    /// are 0, the band must contain the first column of every row.
    pub(crate) left: WordDifferences<K>,
    /// Callback that receives the right edge of the matrix, or `None` if this edge is not needed.
    pub(crate) observer: Option<&'t RightBorderObserver<'t, K>>,
    planes: BitPlanes,
    pub(super) threads: usize,
    recurrence: PhantomData<R>,
}

/// Callback that receives the right edge of each strip that reaches the matrix's last column: the value at its bottom,
/// the vertical differences down it, and its number of rows. Strips arrive in approximately ascending order. An error
/// ends the sweep.
pub(crate) type RightBorderObserver<'h, const K: usize> = dyn Fn(u64, &[WordDifferences<K>], usize) -> Result<(), Halt> + Sync + 'h;

impl<'t, T: Symbol, R: Recurrence<K>, const K: usize> StripGrid<'t, T, R, K> {
    /// Creates the grid of the matrix with the rows `a` and the columns `b`, in tiles of the size `tiling`. Computes
    /// the bit planes of both texts. `threads` is the number of threads that sweep the grid, at least 1.
    pub(crate) fn new(a: &'t [T], b: &'t [T], tiling: Tiling, threads: usize) -> Self {
        Self::of((a, b), BitPlanes::new(a, b), tiling, threads)
    }

    /// Creates the grid like [`new`](Self::new), but with the bit planes `planes` of `a` and `b`, which the caller has
    /// computed.
    pub(crate) fn of((a, b): (&'t [T], &'t [T]), planes: BitPlanes, tiling: Tiling, threads: usize) -> Self {
        let Tiling { height, columns: tile_columns } = tiling;
        let left = WordDifferences::RISING;
        Self {
            a,
            b,
            height,
            tile_columns,
            borders_bytes: BORDERS_BYTES,
            left,
            observer: None,
            planes,
            threads: threads.max(1),
            recurrence: PhantomData,
        }
    }

    /// Returns which symbols match.
    pub(super) fn symbol_match(&self) -> SymbolMatch {
        self.planes.symbol_match
    }

    /// Returns the memory of the bit planes in bytes, without borders.
    pub(crate) fn bytes(&self) -> u64 {
        self.planes.bytes()
    }

    /// Returns the number of strips.
    pub(crate) fn strips(&self) -> usize {
        self.a.len().div_ceil(self.height.rows())
    }

    /// Returns the rows of the matrix in `strip`. The last strip may have fewer rows than all others.
    pub(super) fn rows(&self, strip: usize) -> Range<usize> {
        let first = strip * self.height.rows();
        first..(first + self.height.rows()).min(self.a.len())
    }

    /// Returns the columns of `strip` that lie in `band`, up to the column `end` (exclusive).
    pub(super) fn columns(&self, strip: usize, band: Band, end: usize) -> Range<usize> {
        band.columns(&self.rows(strip), end)
    }

    /// Returns the number of cells of `strips` that lie in `band`, up to the column `end` (exclusive).
    pub(crate) fn cells(&self, strips: Range<usize>, band: Band, end: usize) -> u64 {
        strips.map(|strip| (self.rows(strip).len() * self.columns(strip, band, end).len()) as u64).sum()
    }

    /// Describes the tile of `strip` at `columns`. Solving it reads the differences along its left and top edge from
    /// `vertical` and `horizontal`, and replaces them by the differences along its right and bottom edge.
    pub(super) fn tile<'g>(
        &'g self,
        strip: usize,
        columns: &Range<usize>,
        vertical: &'g mut [WordDifferences<K>],
        horizontal: &'g mut [WordDifferences<K>],
    ) -> MatrixTile<'g, K> {
        let words = self.height.words();
        MatrixTile {
            height: self.height,
            planes: self.planes.count,
            symbol_match: self.planes.symbol_match,
            rows: self.planes.rows(strip * words, words),
            columns: &self.planes.columns,
            start: columns.start,
            len: columns.len(),
            vertical,
            horizontal,
        }
    }
}
