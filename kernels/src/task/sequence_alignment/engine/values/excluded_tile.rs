//! A tile with cells whose pairs are excluded, computed cell by cell.

use super::super::coded::CodedPoints;
use super::tile::{Tile, TileCosts, TileValues};
use crate::pair::cells::Cell;

/// Computes all cells of `tile` like [`tile::solve`](super::tile::solve). The cells in `excluded`, in the order of rows, have no
/// pair. Takes O(cells) time, about 20 times as long as the vectors of other tiles.
pub(super) fn solve<C: Cell>(
    points: &CodedPoints<C>,
    costs: &TileCosts<C>,
    floor: C,
    tile: Tile<C>,
    mut values: Option<&mut TileValues<C>>,
    excluded: &[(usize, usize)],
) -> C {
    let (m, n) = (tile.left.len(), tile.above.len());
    if let Some(values) = &mut values {
        values.resize(m, n);
    }
    let (open, extend, floor_value) = (costs.open.number(), costs.extend.number(), floor.number());
    let mut excluded = excluded.iter().peekable();
    let mut highest = floor_value;
    let mut corner = tile.corner.number();
    for row in 0..m {
        let next_corner = tile.left[row].number();
        let (mut diagonal, mut insert) = (corner, tile.f[row].number());
        for column in 0..n {
            let from_end = n - 1 - column;
            let delete = tile.e[from_end].number();
            let is_excluded = excluded.next_if_eq(&&(row, column)).is_some();
            let pair = if is_excluded { floor_value } else { diagonal + points.of(tile.a[row], tile.b[from_end]).number() };
            let best = pair.max(delete).max(insert).max(floor_value);
            diagonal = tile.above[column].number();
            tile.above[column] = C::from_number(best);
            tile.e[from_end] = C::from_number(delete.max(best - open) - extend);
            insert = insert.max(best - open) - extend;
            highest = highest.max(best);
            if let Some(values) = &mut values {
                values.set(row, column, C::from_number(best));
            }
        }
        tile.f[row] = C::from_number(insert);
        tile.left[row] = C::from_number(tile.above[n - 1].number());
        corner = next_corner;
    }
    C::from_number(highest)
}
