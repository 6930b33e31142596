//! A tile: a rectangle of cells, computed along its anti-diagonals.
//!
//! The values F are stored by row, the values E by column, and the values H by diagonal
//! ([`anti_diagonal`](crate::pair::cells)).

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

use super::super::coded::CodedPoints;
use super::super::lookup::{EQUALITY, FEW_CLASSES, MANY_CLASSES, VectorPoints, profile_rows, profile_stride};
use super::super::stored::StoredCells;
use crate::pair::cells::{AntiDiagonal, Cell, CellDiagonals, Lanes, PADDING};

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
    diagonals: CellDiagonals<C>,
    profile: Vec<C>,
}

/// The value H of each cell of a tile.
#[derive(Default)]
pub(super) struct TileValues<C>(StoredCells<C>);

impl<C: Cell> TileValues<C> {
    /// Makes place for a tile of `m` rows and `n` columns that is computed as a whole.
    pub(super) fn resize(&mut self, m: usize, n: usize) {
        self.0.resize(m, n, m);
    }

    /// Stores the value of a cell.
    pub(super) fn set(&mut self, row: usize, column: usize, value: C) {
        self.0.set(row, column, value);
    }

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
        buffers.diagonals.begin(part.corner, part.left, part.above);
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
        buffers.diagonals.end(part.left, part.above);
    }
    highest
}

/// The parts of all arrays that belong to an anti-diagonal, with [`PADDING`] more elements.
struct TileArrays<'t, C> {
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
    lanes: Lanes<S, C>,
    points: VectorPoints<'p, S, C>,
    open: C::Vector<S>,
    extend: C::Vector<S>,
    floor: C::Vector<S>,
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
    diagonals: &mut CellDiagonals<C>,
    mut values: Option<(usize, &mut [C])>,
) -> C {
    let (m, n) = (tile.left.len(), tile.above.len());
    let costs: VectorCosts<S, C> = VectorCosts {
        lanes: Lanes::new(s),
        points: VectorPoints::new(s, points, profile),
        open: C::Vector::splat(s, costs.open),
        extend: C::Vector::splat(s, costs.extend),
        floor: C::Vector::splat(s, floor),
    };
    let lanes = C::Vector::<S>::LEN;
    let mut highest = costs.floor;
    for number in 0..m + n - 1 {
        let place = AntiDiagonal::new(m, n, number);
        let AntiDiagonal { row, column, len } = place;
        let mut all = TileArrays {
            row,
            a: &tile.a[row..][..len + PADDING],
            b: &tile.b[column..][..len + PADDING],
            f: &mut tile.f[row..][..len + PADDING],
            e: &mut tile.e[column..][..len + PADDING],
            h: diagonals.of(place),
            values: None,
        };
        if let Some((stride, values)) = &mut values {
            all.values = Some(&mut values[number * *stride..][..len + PADDING]);
        }
        let mut at = 0;
        while at + lanes <= len {
            highest = highest.max(step::<S, C, DEPTH>(&costs, &mut all, at, None));
            at += lanes;
        }
        if at < len {
            highest = highest.max(step::<S, C, DEPTH>(&costs, &mut all, at, Some(costs.lanes.first(len - at))));
        }
    }
    let mut most = floor;
    for lane in 0..lanes {
        most = most.max(highest[lane]);
    }
    most
}

/// Computes the cells of one vector, which begins at the cell `at` of an anti-diagonal, and returns their values. With
/// `active`, changes only the lanes that are not 0 there, and returns the floor in the others.
#[inline(always)]
fn step<S: Simd, C: Cell, const DEPTH: usize>(
    costs: &VectorCosts<S, C>,
    all: &mut TileArrays<C>,
    at: usize,
    active: Option<&[C]>,
) -> C::Vector<S> {
    let lanes = &costs.lanes;
    let (a, b) = (lanes.load(all.a, at), lanes.load(all.b, at));
    let (insert, delete, diagonal) = (lanes.load(all.f, at), lanes.load(all.e, at), lanes.load(all.h, at));
    let pair = diagonal + costs.points.of::<DEPTH>(all.row + at, a, b);
    let best = pair.max(delete).max(insert).max(costs.floor);
    let opened = best - costs.open;
    if let Some(values) = &mut all.values {
        best.store_slice(&mut values[at..at + C::Vector::<S>::LEN]);
    }
    lanes.store(all.h, at, best, diagonal, active);
    lanes.store(all.e, at, delete.max(opened) - costs.extend, delete, active);
    lanes.store(all.f, at, insert.max(opened) - costs.extend, insert, active);
    lanes.select(best, costs.floor, active)
}
