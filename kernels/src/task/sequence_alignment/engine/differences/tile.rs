//! A tile: a rectangle of cells, computed along its anti-diagonals.
//!
//! The differences v and f are stored by row, and h and e by column ([`anti_diagonal`](crate::pair::cells)).

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

use super::super::coded::CodedPoints;
use super::super::lookup::{EQUALITY, FEW_CLASSES, MANY_CLASSES, VectorPoints, profile_rows, profile_stride};
use super::super::stored::StoredCells;
use crate::pair::cells::{AntiDiagonal, Cell, Lanes, PADDING};

/// The texts and the edges of a tile. All slices have [`PADDING`] more elements.
pub(super) struct Tile<'t, C: Cell> {
    /// The symbols of the rows.
    pub(super) a: &'t [C],
    /// The symbols of the columns, from the last to the first.
    pub(super) b: &'t [C],
    /// Differences v: before the call those left of the tile, afterwards those of its last column.
    pub(super) v: &'t mut [C],
    /// Differences f, like `v`.
    pub(super) f: &'t mut [C],
    /// Differences h from the last column to the first: before the call those above the tile, afterwards those of its
    /// last row.
    pub(super) h: &'t mut [C],
    /// Differences e, like `h`.
    pub(super) e: &'t mut [C],
}

/// Memory for the points of the rows of a tile.
#[derive(Default)]
pub(super) struct TileBuffers<C> {
    profile: Vec<C>,
}

/// The ways in which the best alignments end in each cell of a tile, as bits.
#[derive(Default)]
pub(super) struct TileSteps<C>(StoredCells<C>);

impl<C: Cell> TileSteps<C> {
    /// The best alignment ends with a pair.
    pub(super) const PAIR: i32 = 1;
    /// The best alignment ends with a deletion.
    pub(super) const DELETE: i32 = 2;
    /// The best alignment that ends with a deletion in the next row extends a gap.
    pub(super) const EXTEND_DELETE: i32 = 4;
    /// The best alignment that ends with an insertion in the next column extends a gap.
    pub(super) const EXTEND_INSERT: i32 = 8;

    /// Returns the bits of a cell.
    pub(super) fn at(&self, row: usize, column: usize) -> i32 {
        self.0.at(row, column).number()
    }
}

/// Computes all cells of `tile`, and the `steps` of each cell if requested.
pub(super) fn solve<C: Cell>(
    points: &CodedPoints<C>,
    open: C,
    tile: Tile<C>,
    mut steps: Option<&mut TileSteps<C>>,
    buffers: &mut TileBuffers<C>,
) {
    let (m, n) = (tile.a.len() - PADDING, tile.b.len() - PADDING);
    let depth = points.depth();
    let max_rows = if depth == EQUALITY { m } else { const { profile_rows::<C>() } };
    if let Some(steps) = &mut steps {
        steps.0.resize(m, n, max_rows);
    }
    for first in (0..m).step_by(max_rows.max(1)) {
        let rows = first..(first + max_rows).min(m) + PADDING;
        let part = Tile {
            a: &tile.a[rows.clone()],
            b: tile.b,
            v: &mut tile.v[rows.clone()],
            f: &mut tile.f[rows],
            h: &mut *tile.h,
            e: &mut *tile.e,
        };
        let steps = steps.as_mut().map(|steps| steps.0.part(first));
        let profile = points.profile(part.a, const { profile_stride::<C>() }, &mut buffers.profile);
        match depth {
            EQUALITY => dispatch!(Level::new(), s => sweep::<_, C, EQUALITY>(s, points, profile, open, part, steps)),
            FEW_CLASSES => dispatch!(Level::new(), s => sweep::<_, C, FEW_CLASSES>(s, points, profile, open, part, steps)),
            _ => dispatch!(Level::new(), s => sweep::<_, C, MANY_CLASSES>(s, points, profile, open, part, steps)),
        }
    }
}

/// The parts of all arrays that belong to an anti-diagonal, with [`PADDING`] more elements.
struct TileArrays<'t, C> {
    /// Number of the first row.
    row: usize,
    a: &'t [C],
    b: &'t [C],
    v: &'t mut [C],
    f: &'t mut [C],
    h: &'t mut [C],
    e: &'t mut [C],
    steps: Option<&'t mut [C]>,
}

/// The constants of a recurrence, in all lanes of a vector.
struct VectorCosts<'p, S: Simd, C: Cell> {
    lanes: Lanes<S, C>,
    points: VectorPoints<'p, S, C>,
    open: C::Vector<S>,
    zero: C::Vector<S>,
    bits: [C::Vector<S>; 4],
}

/// Computes the anti-diagonals of `tile`. Calls are inlined, so that every SIMD level compiles its own copy. `steps` has
/// the number of elements of an anti-diagonal, and all elements.
#[inline(always)]
fn sweep<S: Simd, C: Cell, const DEPTH: usize>(
    s: S,
    points: &CodedPoints<C>,
    profile: &[C],
    open: C,
    tile: Tile<C>,
    mut steps: Option<(usize, &mut [C])>,
) {
    let (m, n) = (tile.a.len() - PADDING, tile.b.len() - PADDING);
    let vectors = Lanes::new(s);
    let costs: VectorCosts<S, C> = VectorCosts {
        points: VectorPoints::new(s, points, profile),
        open: C::Vector::splat(s, open),
        zero: vectors.splat(0),
        bits: [
            vectors.splat(TileSteps::<C>::PAIR),
            vectors.splat(TileSteps::<C>::DELETE),
            vectors.splat(TileSteps::<C>::EXTEND_DELETE),
            vectors.splat(TileSteps::<C>::EXTEND_INSERT),
        ],
        lanes: vectors,
    };
    let lanes = C::Vector::<S>::LEN;
    for number in 0..m + n - 1 {
        let AntiDiagonal { row, column, len } = AntiDiagonal::new(m, n, number);
        let mut all = TileArrays {
            row,
            a: &tile.a[row..][..len + PADDING],
            b: &tile.b[column..][..len + PADDING],
            v: &mut tile.v[row..][..len + PADDING],
            f: &mut tile.f[row..][..len + PADDING],
            h: &mut tile.h[column..][..len + PADDING],
            e: &mut tile.e[column..][..len + PADDING],
            steps: None,
        };
        if let Some((stride, bits)) = &mut steps {
            all.steps = Some(&mut bits[number * *stride..][..len + PADDING]);
        }
        let mut at = 0;
        while at + lanes <= len {
            step::<S, C, DEPTH>(&costs, &mut all, at, None);
            at += lanes;
        }
        if at < len {
            step::<S, C, DEPTH>(&costs, &mut all, at, Some(costs.lanes.first(len - at)));
        }
    }
}

/// Computes the cells of one vector, which begins at the cell `at` of an anti-diagonal. With `active`, changes only the
/// lanes that are not 0 there.
#[inline(always)]
fn step<S: Simd, C: Cell, const DEPTH: usize>(costs: &VectorCosts<S, C>, all: &mut TileArrays<C>, at: usize, active: Option<&[C]>) {
    let lanes = &costs.lanes;
    let (a, b) = (lanes.load(all.a, at), lanes.load(all.b, at));
    let (left, above) = (lanes.load(all.v, at), lanes.load(all.h, at));
    let (insert, delete) = (lanes.load(all.f, at), lanes.load(all.e, at));
    let pair = costs.points.of::<DEPTH>(all.row + at, a, b);
    let best = pair.max(delete).max(insert);
    let opened = best - costs.open;
    if let Some(steps) = &mut all.steps {
        let [pair_bit, delete_bit, extend_delete, extend_insert] = costs.bits;
        let bits = pair.simd_eq(best).select(pair_bit, costs.zero)
            | delete.simd_eq(best).select(delete_bit, costs.zero)
            | delete.simd_gt(opened).select(extend_delete, costs.zero)
            | insert.simd_gt(opened).select(extend_insert, costs.zero);
        bits.store_slice(&mut steps[at..at + C::Vector::<S>::LEN]);
    }
    lanes.store(all.v, at, best - above, left, active);
    lanes.store(all.h, at, best - left, above, active);
    lanes.store(all.e, at, delete.max(opened) - left, delete, active);
    lanes.store(all.f, at, insert.max(opened) - above, insert, active);
}
