//! A tile: a rectangle of cells, computed along its anti-diagonals.
//!
//! The cells of an anti-diagonal do not depend on each other. The differences v are stored by row and the differences h
//! by column, from the last column to the first, and each new value replaces the old one. So the cells of an
//! anti-diagonal are neighbours in all arrays, and the compiler uses SIMD lanes without shifts. The differences z of
//! transpositions are stored by diagonal, in one array for even and one for odd anti-diagonals.

use fearless_simd::{Level, dispatch};

use super::CellCosts;
use super::cell::Cell;

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
        let cost = |cost: u32| C::from_cost(cost as i32);
        let no_transpose = costs.transpose.map_or(0, |transpose| transpose as i32 - costs.substitute as i32 - 1);
        Self {
            substitute: cost(costs.substitute),
            gap: cost(costs.gap),
            transpose: costs.transpose.map(cost),
            no_transpose: C::from_cost(no_transpose),
        }
    }
}

/// The texts and the edges of a tile of m rows and n columns.
pub(super) struct Tile<'t, C: Cell> {
    /// The symbol before the first row, if there is one, and the symbols of the rows: m + 1 in all.
    pub(super) a: &'t [C::Code],
    /// The symbols of the columns from the last to the first, and the symbol before the first column: n + 1 in all.
    pub(super) b: &'t [C::Code],
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
    if tile.v.is_empty() || tile.h.is_empty() {
        return;
    }
    match costs.transpose {
        None => dispatch!(Level::new(), s => without_transpose(s, costs, tile)),
        Some(transpose) => {
            begin_diagonals(tile, buffers);
            dispatch!(Level::new(), s => with_transpose(s, costs, transpose, tile, &mut buffers.diagonals));
            end_diagonals(tile, buffers);
        }
    }
}

/// The cells of one anti-diagonal: a range of rows, and the offset of their columns in an array of reversed columns.
struct AntiDiagonal {
    rows: std::ops::Range<usize>,
    first_column: usize,
}

impl AntiDiagonal {
    /// Returns the anti-diagonal with the number `k` of a tile of `m` rows and `n` columns. The numbers are below
    /// m + n − 1.
    #[inline(always)]
    fn new(k: usize, m: usize, n: usize) -> Self {
        let first = (k + 1).saturating_sub(n);
        Self { rows: first..(k + 1).min(m), first_column: (n - 1 + first) - k }
    }
}

#[inline(always)]
fn without_transpose<S, C: Cell>(_: S, costs: &TileCosts<C>, tile: &mut Tile<C>) {
    let (m, n) = (tile.v.len(), tile.h.len());
    let TileCosts { substitute, gap, .. } = *costs;
    for k in 0..m + n - 1 {
        let AntiDiagonal { rows, first_column } = AntiDiagonal::new(k, m, n);
        let len = rows.len();
        let a = &tile.a[1 + rows.start..][..len];
        let b = &tile.b[first_column..][..len];
        let (v, h) = (&mut tile.v[rows], &mut tile.h[first_column..][..len]);
        for at in 0..len {
            let pair = if a[at] == b[at] { C::default() } else { substitute };
            let (left, above) = (v[at], h[at]);
            let raised = pair.min(left).min(above).plus(gap);
            v[at] = raised.minus(above);
            h[at] = raised.minus(left);
        }
    }
}

#[inline(always)]
fn with_transpose<S, C: Cell>(_: S, costs: &TileCosts<C>, transpose: C, tile: &mut Tile<C>, diagonals: &mut [Vec<C>; 2]) {
    let (m, n) = (tile.v.len(), tile.h.len());
    let TileCosts { substitute, gap, .. } = *costs;
    for k in 0..m + n - 1 {
        let AntiDiagonal { rows, first_column } = AntiDiagonal::new(k, m, n);
        let len = rows.len();
        let diagonal = first_column + rows.start;
        let z = &mut diagonals[diagonal % 2][diagonal / 2..][..len];
        let (a, a_before) = (&tile.a[1 + rows.start..][..len], &tile.a[rows.start..][..len]);
        let (b, b_before) = (&tile.b[first_column..][..len], &tile.b[first_column + 1..][..len]);
        let (v, h) = (&mut tile.v[rows], &mut tile.h[first_column..][..len]);
        for at in 0..len {
            let pair = if a[at] == b[at] { C::default() } else { substitute };
            let is_exchanged = (a[at] == b_before[at]) & (a_before[at] == b[at]);
            let exchange = if is_exchanged { transpose.minus(z[at]) } else { C::MAX };
            let (left, above) = (v[at], h[at]);
            let least = pair.min(left).min(above).min(exchange);
            z[at] = least;
            let raised = least.plus(gap);
            v[at] = raised.minus(above);
            h[at] = raised.minus(left);
        }
    }
}

/// Copies the differences z along the edges of `tile` to the diagonals on which they are used. The number of a diagonal
/// is that of its row plus that of its reversed column.
fn begin_diagonals<C: Cell>(tile: &Tile<C>, buffers: &mut TileBuffers<C>) {
    let (m, n) = (tile.v.len(), tile.h.len());
    for diagonal in &mut buffers.diagonals {
        diagonal.clear();
        diagonal.resize((m + n).div_ceil(2), C::default());
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
    let (m, n) = (tile.v.len(), tile.h.len());
    let z = |at: usize| buffers.diagonals[at % 2][at / 2];
    for (column, above) in tile.z.above.iter_mut().enumerate() {
        *above = z(n - 1 - column + m - 1);
    }
    for (row, left) in tile.z.left.iter_mut().enumerate() {
        *left = z(row);
    }
}
