//! A tile: a rectangle of cells, computed along its anti-diagonals.
//!
//! The cells of an anti-diagonal do not depend on each other. The differences v are stored by row and the differences h
//! by column, from the last column to the first, and each new value replaces the old one. So the cells of an
//! anti-diagonal are neighbours in all arrays, and fill SIMD lanes without shifts. The differences z of transpositions
//! are stored by diagonal, in one array for even and one for odd anti-diagonals.
//!
//! A vector may reach beyond the end of an anti-diagonal. So all arrays have [`PADDING`] more elements at their end, and
//! the lanes beyond the end keep their values.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};

use super::CellCosts;
use super::cell::Cell;

/// Number of elements that all arrays have beyond their last one: the greatest number of lanes of a vector.
pub(super) const PADDING: usize = 64;

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

/// Buffers for the differences z of a tile, by diagonal.
#[derive(Default)]
pub(super) struct TileBuffers<C> {
    diagonals: [Vec<C>; 2],
}

/// Computes all cells of `tile`.
pub(super) fn solve<C: Cell>(costs: &TileCosts<C>, tile: &mut Tile<C>, buffers: &mut TileBuffers<C>) {
    if costs.transpose.is_none() {
        return dispatch!(Level::new(), s => sweep::<_, C, false>(s, costs, tile, &mut buffers.diagonals));
    }
    begin_diagonals(tile, buffers);
    dispatch!(Level::new(), s => sweep::<_, C, true>(s, costs, tile, &mut buffers.diagonals));
    end_diagonals(tile, buffers);
}

/// The parts of all arrays that belong to an anti-diagonal, with [`PADDING`] more elements.
struct AntiDiagonal<'t, C> {
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
    simd: S,
    substitute: C::Vector<S>,
    gap: C::Vector<S>,
    transpose: C::Vector<S>,
    zero: C::Vector<S>,
    most: C::Vector<S>,
}

/// Computes the anti-diagonals of `tile`, with transpositions if `TRANSPOSES`. Calls are inlined, so that every SIMD
/// level compiles its own copy.
#[inline(always)]
fn sweep<S: Simd, C: Cell, const TRANSPOSES: bool>(s: S, costs: &TileCosts<C>, tile: &mut Tile<C>, diagonals: &mut [Vec<C>; 2]) {
    let vectors: VectorCosts<S, C> = VectorCosts {
        simd: s,
        substitute: C::Vector::splat(s, costs.substitute),
        gap: C::Vector::splat(s, costs.gap),
        transpose: C::Vector::splat(s, costs.transpose.unwrap_or_default()),
        zero: C::Vector::splat(s, C::default()),
        most: C::Vector::splat(s, C::MAX),
    };
    let lanes = C::Vector::<S>::LEN;
    // A vector that begins at the index 64 − k has ones in its first k lanes.
    let mut ends = [C::default(); 2 * PADDING];
    ends[..PADDING].fill(C::from_number(-1));
    let (m, n) = (tile.m, tile.n);
    for k in 0..m + n - 1 {
        let row = (k + 1).saturating_sub(n);
        let len = (k + 1).min(m) - row;
        let column = n - 1 + row - k;
        let diagonal = column + row;
        let z = if TRANSPOSES { &mut diagonals[diagonal % 2][diagonal / 2..][..len + PADDING] } else { &mut [] };
        let mut all = AntiDiagonal {
            a: &tile.a[1 + row..][..len + PADDING],
            a_before: &tile.a[row..][..len + PADDING],
            b: &tile.b[column..][..len + PADDING],
            b_before: &tile.b[column + 1..][..len + PADDING],
            v: &mut tile.v[row..][..len + PADDING],
            h: &mut tile.h[column..][..len + PADDING],
            z,
        };
        let mut at = 0;
        while at + lanes <= len {
            step::<S, C, TRANSPOSES>(&vectors, &mut all, at, None);
            at += lanes;
        }
        if at < len {
            step::<S, C, TRANSPOSES>(&vectors, &mut all, at, Some(&ends[PADDING - (len - at)..][..lanes]));
        }
    }
}

// Functions instead of closures, because closures would be compiled without the instruction set of the caller.
impl<S: Simd, C: Cell> VectorCosts<S, C> {
    #[inline(always)]
    fn load(&self, array: &[C], at: usize) -> C::Vector<S> {
        C::Vector::from_slice(self.simd, &array[at..at + C::Vector::<S>::LEN])
    }

    /// Stores `new`. With `active`, stores `old` in the lanes that are 0 there.
    #[inline(always)]
    fn store(&self, array: &mut [C], at: usize, new: C::Vector<S>, old: C::Vector<S>, active: Option<&[C]>) {
        let new = match active {
            None => new,
            Some(active) => C::Vector::from_slice(self.simd, active).simd_eq(self.zero).select(old, new),
        };
        new.store_slice(&mut array[at..at + C::Vector::<S>::LEN]);
    }
}

/// Computes the cells of one vector, which begins at the cell `at` of an anti-diagonal. With `active`, changes only the
/// lanes that are not 0 there.
#[inline(always)]
fn step<S: Simd, C: Cell, const TRANSPOSES: bool>(costs: &VectorCosts<S, C>, all: &mut AntiDiagonal<C>, at: usize, active: Option<&[C]>) {
    let (a, b) = (costs.load(all.a, at), costs.load(all.b, at));
    let (left, above) = (costs.load(all.v, at), costs.load(all.h, at));
    let pair = a.simd_eq(b).select(costs.zero, costs.substitute);
    let mut least = pair.min(left).min(above);
    if TRANSPOSES {
        let before = costs.load(all.z, at);
        let is_exchanged = a.simd_eq(costs.load(all.b_before, at)) & costs.load(all.a_before, at).simd_eq(b);
        least = least.min(is_exchanged.select(costs.transpose - before, costs.most));
        costs.store(all.z, at, least, before, active);
    }
    let raised = least + costs.gap;
    costs.store(all.v, at, raised - above, left, active);
    costs.store(all.h, at, raised - left, above, active);
}

/// Copies the differences z along the edges of `tile` to the diagonals on which they are used. The number of a diagonal
/// is that of its row plus that of its reversed column.
fn begin_diagonals<C: Cell>(tile: &Tile<C>, buffers: &mut TileBuffers<C>) {
    let (m, n) = (tile.m, tile.n);
    for diagonal in &mut buffers.diagonals {
        diagonal.clear();
        diagonal.resize((m + n).div_ceil(2) + PADDING, C::default());
    }
    let mut set = |at: usize, z: C| buffers.diagonals[at % 2][at / 2] = z;
    for column in 1..n {
        set(n - 1 - column, tile.z.above[column - 1]);
    }
    set(n - 1, tile.z.corner);
    for row in 1..m {
        set(n - 1 + row, tile.z.left[row - 1]);
    }
}

/// Copies the last differences z of all diagonals to the edges of `tile`.
fn end_diagonals<C: Cell>(tile: &mut Tile<C>, buffers: &TileBuffers<C>) {
    let (m, n) = (tile.m, tile.n);
    let z = |at: usize| buffers.diagonals[at % 2][at / 2];
    for (column, above) in tile.z.above[..n].iter_mut().enumerate() {
        *above = z(n - 1 - column + m - 1);
    }
    for (row, left) in tile.z.left[..m].iter_mut().enumerate() {
        *left = z(row);
    }
}
