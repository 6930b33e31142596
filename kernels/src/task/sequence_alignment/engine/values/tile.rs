//! A tile: a rectangle of cells, computed along its anti-diagonals.
//!
//! The cells of an anti-diagonal do not depend on each other. The values F are stored by row, the values E by column from
//! the last to the first, and the values H by diagonal, in one array for even and one for odd diagonals. Each new value
//! replaces the old one. So the cells of an anti-diagonal are neighbours in all arrays, and fill SIMD lanes without shifts.
//!
//! A vector may reach beyond the end of an anti-diagonal. So all arrays have [`PADDING`] more elements at their end, and
//! the lanes beyond the end keep their values.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

use super::super::coded::{CodedPoints, PADDING};
use super::super::lookup::{EQUALITY, FEW_CLASSES, MANY_CLASSES, VectorPoints, profile_rows, profile_stride};
use super::super::stored::StoredCells;
use crate::task::edit_distance::weighted::cell::Cell;

/// The costs of gaps, as wide as the values.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileCosts<C> {
    pub(super) open: C,
    pub(super) extend: C,
}

/// The texts and the edges of a tile. The slices of symbols, `f` and `e` have [`PADDING`] more elements.
pub(super) struct Tile<'t, C: Cell> {
    /// The symbols of the rows.
    pub(super) a: &'t [C],
    /// The symbols of the columns, from the last to the first.
    pub(super) b: &'t [C],
    /// The value H diagonally before the first cell.
    pub(super) corner: C,
    /// Values H: before the call those of the column before the tile, afterwards those of its last column.
    pub(super) left: &'t mut [C],
    /// Values F of the first column, afterwards those of the column after the tile.
    pub(super) f: &'t mut [C],
    /// Values H: before the call those of the row before the tile, afterwards those of its last row.
    pub(super) above: &'t mut [C],
    /// Values E of the first row, from the last column to the first, afterwards those of the row after the tile.
    pub(super) e: &'t mut [C],
}

/// Memory for the diagonals of a tile, and for the points of its rows.
#[derive(Default)]
pub(super) struct TileBuffers<C> {
    diagonals: [Vec<C>; 2],
    profile: Vec<C>,
}

/// The value H of each cell of a tile.
#[derive(Default)]
pub(super) struct TileValues<C>(StoredCells<C>);

impl<C: Cell> TileValues<C> {
    /// Returns the row and the column of the first cell with `value`, in the order of columns.
    pub(super) fn first(&mut self, value: C) -> Option<(usize, usize)> {
        let (m, n) = (self.0.m, self.0.n);
        let mut first: Option<(usize, usize)> = None;
        for top in (0..m).step_by(self.0.part_rows) {
            let rows = self.0.part_rows.min(m - top);
            let (stride, cells) = self.0.part(top);
            for diagonal in 0..rows + n - 1 {
                let row = (diagonal + 1).saturating_sub(n);
                let len = (diagonal + 1).min(rows) - row;
                let cells = &cells[diagonal * stride..][..len];
                // Looks at all cells first, because most anti-diagonals do not have the value.
                if cells.iter().fold(false, |has, cell| has | (*cell == value)) {
                    // Later rows of an anti-diagonal are in earlier columns.
                    let last = cells.iter().rposition(|cell| *cell == value).map(|at| (diagonal - row - at, top + row + at));
                    first = [first, last].into_iter().flatten().min();
                }
            }
        }
        first.map(|(column, row)| (row, column))
    }
}

/// Computes all cells of `tile`, no value of which is below `floor`, and stores their `values` if requested. Returns the
/// highest value H.
pub(super) fn solve<C: Cell>(
    points: &CodedPoints<C>,
    costs: &TileCosts<C>,
    floor: C,
    tile: Tile<C>,
    mut values: Option<&mut TileValues<C>>,
    buffers: &mut TileBuffers<C>,
) -> C {
    let (m, n) = (tile.left.len(), tile.above.len());
    let depth = points.depth();
    let max_rows = if depth == EQUALITY { m } else { const { profile_rows::<C>() } };
    if let Some(values) = &mut values {
        values.0.resize(m, n, max_rows);
    }
    let mut highest = floor;
    let mut corner = tile.corner;
    for first in (0..m).step_by(max_rows.max(1)) {
        let rows = first..(first + max_rows).min(m);
        let padded = rows.start..rows.end + PADDING;
        let mut part = Tile {
            a: &tile.a[padded.clone()],
            b: tile.b,
            corner,
            left: &mut tile.left[rows],
            f: &mut tile.f[padded],
            above: &mut *tile.above,
            e: &mut *tile.e,
        };
        corner = part.left.last().copied().unwrap_or_default();
        let values = values.as_mut().map(|values| values.0.part(first));
        let profile = points.profile(part.a, const { profile_stride::<C>() }, &mut buffers.profile);
        begin_diagonals(&part, &mut buffers.diagonals);
        let diagonals = &mut buffers.diagonals;
        let part_highest = match depth {
            EQUALITY => {
                dispatch!(Level::new(), s => sweep::<_, C, EQUALITY>(s, points, profile, costs, floor, &mut part, diagonals, values))
            }
            FEW_CLASSES => {
                dispatch!(Level::new(), s => sweep::<_, C, FEW_CLASSES>(s, points, profile, costs, floor, &mut part, diagonals, values))
            }
            _ => dispatch!(Level::new(), s => sweep::<_, C, MANY_CLASSES>(s, points, profile, costs, floor, &mut part, diagonals, values)),
        };
        highest = highest.max(part_highest);
        end_diagonals(&mut part, &buffers.diagonals);
    }
    highest
}

/// The parts of all arrays that belong to an anti-diagonal, with [`PADDING`] more elements.
struct AntiDiagonal<'t, C> {
    /// Number of the first row.
    row: usize,
    a: &'t [C],
    b: &'t [C],
    f: &'t mut [C],
    e: &'t mut [C],
    h: &'t mut [C],
    values: Option<&'t mut [C]>,
}

/// The constants of a recurrence, in all lanes of a vector.
struct VectorCosts<'p, S: Simd, C: Cell> {
    simd: S,
    points: VectorPoints<'p, S, C>,
    open: C::Vector<S>,
    extend: C::Vector<S>,
    floor: C::Vector<S>,
    zero: C::Vector<S>,
}

/// Computes the anti-diagonals of `tile`. Returns the highest value. Calls are inlined, so that every SIMD level compiles
/// its own copy. `values` has the number of elements of an anti-diagonal, and all elements.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a structure of references would be as long")]
fn sweep<S: Simd, C: Cell, const DEPTH: usize>(
    s: S,
    points: &CodedPoints<C>,
    profile: &[C],
    costs: &TileCosts<C>,
    floor: C,
    tile: &mut Tile<C>,
    diagonals: &mut [Vec<C>; 2],
    mut values: Option<(usize, &mut [C])>,
) -> C {
    let (m, n) = (tile.left.len(), tile.above.len());
    let costs: VectorCosts<S, C> = VectorCosts {
        simd: s,
        points: VectorPoints::new(s, points, profile),
        open: C::Vector::splat(s, costs.open),
        extend: C::Vector::splat(s, costs.extend),
        floor: C::Vector::splat(s, floor),
        zero: C::Vector::splat(s, C::default()),
    };
    let lanes = C::Vector::<S>::LEN;
    // A vector that begins at the index 64 − k has ones in its first k lanes.
    let mut ends = [C::default(); 2 * PADDING];
    ends[..PADDING].fill(C::from_number(-1));
    let mut highest = costs.floor;
    for k in 0..m + n - 1 {
        let row = (k + 1).saturating_sub(n);
        let len = (k + 1).min(m) - row;
        let column = n - 1 + row - k;
        let diagonal = column + row;
        let mut all = AntiDiagonal {
            row,
            a: &tile.a[row..][..len + PADDING],
            b: &tile.b[column..][..len + PADDING],
            f: &mut tile.f[row..][..len + PADDING],
            e: &mut tile.e[column..][..len + PADDING],
            h: &mut diagonals[diagonal % 2][diagonal / 2..][..len + PADDING],
            values: None,
        };
        if let Some((stride, values)) = &mut values {
            all.values = Some(&mut values[k * *stride..][..len + PADDING]);
        }
        let mut at = 0;
        while at + lanes <= len {
            highest = highest.max(step::<S, C, DEPTH>(&costs, &mut all, at, None));
            at += lanes;
        }
        if at < len {
            highest = highest.max(step::<S, C, DEPTH>(&costs, &mut all, at, Some(&ends[PADDING - (len - at)..][..lanes])));
        }
    }
    let mut most = floor;
    for lane in 0..lanes {
        most = most.max(highest[lane]);
    }
    most
}

// Functions instead of closures, because closures would be compiled without the instruction set of the caller.
impl<S: Simd, C: Cell> VectorCosts<'_, S, C> {
    #[inline(always)]
    fn load(&self, array: &[C], at: usize) -> C::Vector<S> {
        C::Vector::from_slice(self.simd, &array[at..at + C::Vector::<S>::LEN])
    }

    /// Returns `new`. With `active`, returns `old` in the lanes that are 0 there.
    #[inline(always)]
    fn only(&self, new: C::Vector<S>, old: C::Vector<S>, active: Option<&[C]>) -> C::Vector<S> {
        match active {
            None => new,
            Some(active) => C::Vector::from_slice(self.simd, active).simd_eq(self.zero).select(old, new),
        }
    }
}

/// Computes the cells of one vector, which begins at the cell `at` of an anti-diagonal, and returns their values. With
/// `active`, changes only the lanes that are not 0 there, and returns the floor in the others.
#[inline(always)]
fn step<S: Simd, C: Cell, const DEPTH: usize>(
    costs: &VectorCosts<S, C>,
    all: &mut AntiDiagonal<C>,
    at: usize,
    active: Option<&[C]>,
) -> C::Vector<S> {
    let (a, b) = (costs.load(all.a, at), costs.load(all.b, at));
    let (insert, delete, diagonal) = (costs.load(all.f, at), costs.load(all.e, at), costs.load(all.h, at));
    let pair = diagonal + costs.points.of::<DEPTH>(all.row + at, a, b);
    let best = pair.max(delete).max(insert).max(costs.floor);
    let opened = best - costs.open;
    let vector = at..at + C::Vector::<S>::LEN;
    if let Some(values) = &mut all.values {
        best.store_slice(&mut values[vector.clone()]);
    }
    costs.only(best, diagonal, active).store_slice(&mut all.h[vector.clone()]);
    costs.only(delete.max(opened) - costs.extend, delete, active).store_slice(&mut all.e[vector.clone()]);
    costs.only(insert.max(opened) - costs.extend, insert, active).store_slice(&mut all.f[vector]);
    costs.only(best, costs.floor, active)
}

/// Copies the values H along the edges of `tile` to the diagonals on which they are used. The number of a diagonal is
/// that of its row plus that of its reversed column.
fn begin_diagonals<C: Cell>(tile: &Tile<C>, diagonals: &mut [Vec<C>; 2]) {
    let (m, n) = (tile.left.len(), tile.above.len());
    for diagonal in diagonals.iter_mut() {
        diagonal.clear();
        diagonal.resize((m + n).div_ceil(2) + PADDING, C::default());
    }
    let mut set = |at: usize, value: C| diagonals[at % 2][at / 2] = value;
    for column in 1..n {
        set(n - 1 - column, tile.above[column - 1]);
    }
    set(n - 1, tile.corner);
    for row in 1..m {
        set(n - 1 + row, tile.left[row - 1]);
    }
}

/// Copies the last values of all diagonals to the edges of `tile`.
fn end_diagonals<C: Cell>(tile: &mut Tile<C>, diagonals: &[Vec<C>; 2]) {
    let (m, n) = (tile.left.len(), tile.above.len());
    let value = |at: usize| diagonals[at % 2][at / 2];
    for (column, above) in tile.above.iter_mut().enumerate() {
        *above = value(n - 1 - column + m - 1);
    }
    for (row, left) in tile.left.iter_mut().enumerate() {
        *left = value(row);
    }
}
