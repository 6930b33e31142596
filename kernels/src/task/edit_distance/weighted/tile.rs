//! A tile: a rectangle of cells, computed along its anti-diagonals.
//!
//! The differences v are stored by row, the differences h by column, and the differences z of transpositions by diagonal
//! ([`anti_diagonal`](crate::pair::cells)).

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

use super::CellCosts;
use crate::pair::cells::{AntiDiagonal, Cell, CellDiagonals, Lanes, PADDING};

/// The costs of a matrix, as wide as its differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileCosts<C> {
    /// Cost of a substitution.
    pub(super) substitute: C,
    /// Sum of the costs of an insertion and a deletion. Along the left and the top edge of the matrix, all differences
    /// have this value.
    pub(super) gap: C,
    /// Cost of a transposition, if it is useful.
    pub(super) transpose: Option<C>,
    /// A difference z after which a transposition costs more than a substitution, for cells before the first row or
    /// column.
    pub(super) no_transpose: C,
}

impl<C: Cell> TileCosts<C> {
    pub(super) fn new(costs: &CellCosts) -> Self {
        let cost = |cost: u32| C::from_number(cost as i32);
        let no_transpose = costs.transpose.map_or(0, |transpose| transpose as i32 - costs.substitute as i32 - 1);
        Self {
            substitute: cost(costs.substitute),
            gap: cost(costs.gap),
            transpose: costs.transpose.map(cost),
            no_transpose: C::from_number(no_transpose),
        }
    }
}

/// The texts and the edges of a tile of m rows and n columns. All slices but those of `z` have [`PADDING`] more
/// elements.
pub(super) struct Tile<'t, C: Cell> {
    /// Number of rows, at least 1.
    pub(super) m: usize,
    /// Number of columns, at least 1.
    pub(super) n: usize,
    /// The symbol before the first row, and the symbols of the rows: m + 1 in all.
    pub(super) a: &'t [C],
    /// The symbols of the columns from the last to the first, and the symbol before the first column: n + 1 in all.
    pub(super) b: &'t [C],
    /// Differences v: before the call those left of the tile, afterwards those of its last column.
    pub(super) v: &'t mut [C],
    /// Differences h from the last column to the first: before the call those above the tile, afterwards those of its
    /// last row.
    pub(super) h: &'t mut [C],
    /// Differences z of the neighbouring cells. Unused if transpositions are not useful.
    pub(super) z: TransposeEdges<'t, C>,
}

/// The differences z along the edges of a tile. Each is before the call that of a neighbouring cell outside of the tile,
/// and afterwards that of a cell in the last column or row.
pub(super) struct TransposeEdges<'t, C> {
    /// The cell diagonally before the first cell of the tile.
    pub(super) corner: C,
    /// Cells of the column before the tile.
    pub(super) left: &'t mut [C],
    /// Cells of the row before the tile, from the first column to the last.
    pub(super) above: &'t mut [C],
}

/// Computes all cells of `tile`.
pub(super) fn solve<C: Cell>(costs: &TileCosts<C>, tile: &mut Tile<C>, diagonals: &mut CellDiagonals<C>) {
    if costs.transpose.is_none() {
        return dispatch!(Level::new(), s => sweep::<_, C, false>(s, costs, tile, diagonals));
    }
    diagonals.begin(tile.z.corner, tile.z.left, tile.z.above);
    dispatch!(Level::new(), s => sweep::<_, C, true>(s, costs, tile, diagonals));
    diagonals.end(tile.z.left, tile.z.above);
}

/// The parts of all arrays that belong to an anti-diagonal, with [`PADDING`] more elements.
struct TileArrays<'t, C> {
    a: &'t [C],
    a_before: &'t [C],
    b: &'t [C],
    b_before: &'t [C],
    v: &'t mut [C],
    h: &'t mut [C],
    z: &'t mut [C],
}

/// The costs in all lanes of a vector.
struct VectorCosts<S: Simd, C: Cell> {
    lanes: Lanes<S, C>,
    substitute: C::Vector<S>,
    gap: C::Vector<S>,
    transpose: C::Vector<S>,
    zero: C::Vector<S>,
    most: C::Vector<S>,
}

/// Computes the anti-diagonals of `tile`, with transpositions if `TRANSPOSES`. Calls are inlined, so that every SIMD
/// level compiles its own copy.
#[inline(always)]
fn sweep<S: Simd, C: Cell, const TRANSPOSES: bool>(s: S, costs: &TileCosts<C>, tile: &mut Tile<C>, diagonals: &mut CellDiagonals<C>) {
    let vectors: VectorCosts<S, C> = VectorCosts {
        lanes: Lanes::new(s),
        substitute: C::Vector::splat(s, costs.substitute),
        gap: C::Vector::splat(s, costs.gap),
        transpose: C::Vector::splat(s, costs.transpose.unwrap_or_default()),
        zero: C::Vector::splat(s, C::default()),
        most: C::Vector::splat(s, C::MAX),
    };
    let lanes = C::Vector::<S>::LEN;
    let (m, n) = (tile.m, tile.n);
    for number in 0..m + n - 1 {
        let place = AntiDiagonal::new(m, n, number);
        let AntiDiagonal { row, column, len } = place;
        let mut all = TileArrays {
            a: &tile.a[1 + row..][..len + PADDING],
            a_before: &tile.a[row..][..len + PADDING],
            b: &tile.b[column..][..len + PADDING],
            b_before: &tile.b[column + 1..][..len + PADDING],
            v: &mut tile.v[row..][..len + PADDING],
            h: &mut tile.h[column..][..len + PADDING],
            z: if TRANSPOSES { diagonals.of(place) } else { &mut [] },
        };
        let mut at = 0;
        while at + lanes <= len {
            step::<S, C, TRANSPOSES>(&vectors, &mut all, at, None);
            at += lanes;
        }
        if at < len {
            step::<S, C, TRANSPOSES>(&vectors, &mut all, at, Some(vectors.lanes.first(len - at)));
        }
    }
}

/// Computes the cells of one vector, which begins at the cell `at` of an anti-diagonal. With `active`, changes only the
/// lanes that are not 0 there.
#[inline(always)]
fn step<S: Simd, C: Cell, const TRANSPOSES: bool>(costs: &VectorCosts<S, C>, all: &mut TileArrays<C>, at: usize, active: Option<&[C]>) {
    let lanes = &costs.lanes;
    let (a, b) = (lanes.load(all.a, at), lanes.load(all.b, at));
    let (left, above) = (lanes.load(all.v, at), lanes.load(all.h, at));
    let pair = a.simd_eq(b).select(costs.zero, costs.substitute);
    let mut least = pair.min(left).min(above);
    if TRANSPOSES {
        let before = lanes.load(all.z, at);
        let is_exchanged = a.simd_eq(lanes.load(all.b_before, at)) & lanes.load(all.a_before, at).simd_eq(b);
        least = least.min(is_exchanged.select(costs.transpose - before, costs.most));
        lanes.store(all.z, at, least, before, active);
    }
    let raised = least + costs.gap;
    lanes.store(all.v, at, raised - above, left, active);
    lanes.store(all.h, at, raised - left, above, active);
}
