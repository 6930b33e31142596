//! The anti-diagonals of a tile, in SIMD lanes.
//!
//! The cells of an anti-diagonal do not depend on each other. Numbers that move along a row are stored by row, and
//! numbers that move down a column by column, from the last column to the first. Each new number replaces the old one.
//! So the cells of an anti-diagonal are neighbours in all arrays, and fill SIMD lanes without shifts. Numbers that move
//! along a diagonal are stored by diagonal ([`CellDiagonals`]).
//!
//! A vector may reach beyond the end of an anti-diagonal. So all arrays have [`PADDING`] more elements at their end, and
//! the lanes beyond the end keep their numbers.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::Cell;

/// Number of elements that all arrays have beyond their last one: the greatest number of lanes of a vector.
pub(crate) const PADDING: usize = 64;

/// Returns the elements of `part`, then padding.
pub(crate) fn padded<C: Cell>(part: &[C]) -> Vec<C> {
    let mut padded = Vec::with_capacity(part.len() + PADDING);
    padded.extend_from_slice(part);
    padded.resize(part.len() + PADDING, C::default());
    padded
}

/// The places of the cells of an anti-diagonal in the arrays of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AntiDiagonal {
    /// Number of the row of the first cell.
    pub(crate) row: usize,
    /// Number of the column of the first cell, counted from the last column.
    pub(crate) column: usize,
    /// Number of cells.
    pub(crate) len: usize,
}

impl AntiDiagonal {
    /// Returns the anti-diagonal `number`, from 0 to m + n − 2, of a tile of `m` rows and `n` columns.
    #[inline(always)]
    pub(crate) fn new(m: usize, n: usize, number: usize) -> Self {
        let row = (number + 1).saturating_sub(n);
        Self { row, column: n - 1 + row - number, len: (number + 1).min(m) - row }
    }
}

/// Loads and stores of vectors, of which the last one of an anti-diagonal may be incomplete.
pub(crate) struct Lanes<S: Simd, C: Cell> {
    simd: S,
    zero: C::Vector<S>,
    /// A part that begins at the index 64 − k has ones in its first k elements.
    ends: [C; 2 * PADDING],
}

// Functions instead of closures, because closures would be compiled without the instruction set of the caller.
impl<S: Simd, C: Cell> Lanes<S, C> {
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        let mut ends = [C::default(); 2 * PADDING];
        ends[..PADDING].fill(C::from_number(-1));
        Self { simd, zero: C::Vector::splat(simd, C::default()), ends }
    }

    /// Returns a vector with `number` in all lanes.
    #[inline(always)]
    pub(crate) fn splat(&self, number: i32) -> C::Vector<S> {
        C::Vector::splat(self.simd, C::from_number(number))
    }

    #[inline(always)]
    pub(crate) fn load(&self, array: &[C], at: usize) -> C::Vector<S> {
        C::Vector::from_slice(self.simd, &array[at..at + C::Vector::<S>::LEN])
    }

    /// Returns a number for each lane, of which the first `len` are not 0.
    #[inline(always)]
    pub(crate) fn first(&self, len: usize) -> &[C] {
        &self.ends[PADDING - len..][..C::Vector::<S>::LEN]
    }

    /// Returns `new`. With `active`, returns `old` in the lanes that are 0 there.
    #[inline(always)]
    pub(crate) fn select(&self, new: C::Vector<S>, old: C::Vector<S>, active: Option<&[C]>) -> C::Vector<S> {
        match active {
            None => new,
            Some(active) => C::Vector::from_slice(self.simd, active).simd_eq(self.zero).select(old, new),
        }
    }

    /// Stores `new`. With `active`, stores `old` in the lanes that are 0 there.
    #[inline(always)]
    pub(crate) fn store(&self, array: &mut [C], at: usize, new: C::Vector<S>, old: C::Vector<S>, active: Option<&[C]>) {
        self.select(new, old, active).store_slice(&mut array[at..at + C::Vector::<S>::LEN]);
    }
}

/// Numbers that move along the diagonals of a tile, in one array for even and one for odd diagonals. The number of a
/// diagonal is that of its row plus that of its column, counted from the last column.
#[derive(Default)]
pub(crate) struct CellDiagonals<C>([Vec<C>; 2]);

impl<C: Cell> CellDiagonals<C> {
    /// Takes the numbers along the edges of a tile of `left.len()` rows and `above.len()` columns: `corner` lies
    /// diagonally before its first cell, `left` before its first column, and `above` before its first row.
    pub(crate) fn begin(&mut self, corner: C, left: &[C], above: &[C]) {
        let (m, n) = (left.len(), above.len());
        for diagonals in &mut self.0 {
            diagonals.clear();
            diagonals.resize((m + n).div_ceil(2) + PADDING, C::default());
        }
        let mut set = |at: usize, number: C| self.0[at % 2][at / 2] = number;
        for column in 1..n {
            set(n - 1 - column, above[column - 1]);
        }
        set(n - 1, corner);
        for row in 1..m {
            set(n - 1 + row, left[row - 1]);
        }
    }

    /// Returns the numbers of the cells of an anti-diagonal, with padding.
    #[inline(always)]
    pub(crate) fn of(&mut self, AntiDiagonal { row, column, len }: AntiDiagonal) -> &mut [C] {
        let diagonal = row + column;
        &mut self.0[diagonal % 2][diagonal / 2..][..len + PADDING]
    }

    /// Copies the numbers of the last column to `left`, and those of the last row to `above`.
    pub(crate) fn end(&self, left: &mut [C], above: &mut [C]) {
        let (m, n) = (left.len(), above.len());
        let number = |at: usize| self.0[at % 2][at / 2];
        for (column, above) in above.iter_mut().enumerate() {
            *above = number(n - 1 - column + m - 1);
        }
        for (row, left) in left.iter_mut().enumerate() {
            *left = number(row);
        }
    }
}
