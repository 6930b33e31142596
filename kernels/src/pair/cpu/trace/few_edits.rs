//! Few edits in a tile, found by [furthest rows](FurthestRows) from a cell of the path backwards to where the path
//! leaves the tile.
//!
//! All values along the tile's top and left edge are known. The search goes through e = 0, 1, 2, … until e edits reach
//! an edge cell whose value is less by e than the value at the start. The path leaves the tile there. This takes O(e² +
//! symbols slid over) time, whereas solving the tile again takes time for all its cells.
//!
//! A furthest row beyond the edge of the tile is cut to the edge. The edge cell reached by a cut row is no better than
//! its neighbour, because neighbours differ by at most 1. Therefore the search never ends at such a cell.

use std::ops::ControlFlow::{Break, Continue};

use crate::alignment::EditKind;
use crate::pair::cpu::furthest_rows::{FurthestRows, StoredEdits};
use crate::symbol::Symbol;

/// The part of a tile above and left of a cell: the symbols of its rows (`a`) and of its columns (`b`).
pub(super) struct TileCorner<'t, T> {
    pub(super) a: &'t [T],
    pub(super) b: &'t [T],
    /// Whether one edit can substitute a symbol.
    pub(super) substitutes: bool,
    /// Maximum number of edits for which the search goes on.
    pub(super) most: usize,
}

/// A search for few edits in a tile: its result and its buffers.
#[derive(Default)]
pub(super) struct FewEditsSearch {
    furthest: FurthestRows,
    /// The edits of the path from the edge of the tile to the cell, each with its number of columns.
    pub(super) forwards: Vec<(EditKind, u64)>,
}

impl FewEditsSearch {
    /// Finds the edits of an optimal path from the corner's cell back to where it leaves the tile, and returns their
    /// number. `apart(rows, columns)` returns how much less the value is at an edge cell than at the corner's cell. The
    /// edge cell lies `rows` rows and `columns` columns from the top left of the tile. Returns `None` if more than
    /// `most` edits are needed.
    pub(super) fn solve<T: Symbol>(&mut self, corner: &TileCorner<T>, apart: impl Fn(usize, usize) -> i64) -> Option<u64> {
        let TileCorner { a, b, substitutes, most } = *corner;
        let (m, n) = (a.len(), b.len());
        // An estimate: leaving along the diagonal costs about as many edits.
        let straight = m.min(n);
        if apart(m - straight, n - straight) > most as i64 {
            return None;
        }
        self.furthest.begin(m, n, substitutes, StoredEdits::All);
        self.forwards.clear();
        for edits in 0..=most {
            // Breaks with the diagonal of the exit, and the number of rows gone back.
            let left = self.furthest.extend(edits, [i32::MIN, i32::MAX], |x, row| {
                let (i, j) = (m - row as usize, n - (row + x) as usize);
                let equal = T::common_suffix(&a[..i], &b[..j]);
                let (i, j) = (i - equal, j - equal);
                if (i == 0 || j == 0) && apart(i, j) == edits as i64 { Break((x, row + equal as i32)) } else { Continue(equal as i32) }
            });
            if let Break((x, rows)) = left {
                let forwards = &mut self.forwards;
                self.furthest.trace_back(edits, (x, rows), |edit, len| forwards.push((edit, len)));
                return Some(edits as u64);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};

    /// Fills a matrix with random borders whose neighbours differ by at most 1.
    fn values(a: &[u8], b: &[u8], substitutes: bool, rng: &mut fastrand::Rng) -> Vec<Vec<i64>> {
        let mut step = || if substitutes { rng.i64(-1..=1) } else { 2 * rng.i64(0..=1) - 1 };
        let mut all = vec![vec![1000; b.len() + 1]; a.len() + 1];
        (0..b.len()).for_each(|j| all[0][j + 1] = all[0][j] + step());
        for i in 0..a.len() {
            all[i + 1][0] = all[i][0] + step();
            for j in 0..b.len() {
                let (above, left) = (all[i][j + 1] + 1, all[i + 1][j] + 1);
                let diagonal = all[i][j] + if a[i] == b[j] { 0 } else { 2 - i64::from(substitutes) };
                all[i + 1][j + 1] = above.min(left).min(diagonal);
            }
        }
        all
    }

    #[test]
    fn trace_reaches_the_border_with_the_expected_edits() {
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut few_edits, mut found) = (FewEditsSearch::default(), 0);
        for round in 0..400 {
            let a = random(b"ACGT", 1 + round % 150, round as u64);
            let mut b = mutated(&a, b"ACGT", 0.1, 7);
            b.extend(random(b"ACGT", rng.usize(1..20), 5));
            let substitutes = round % 2 == 0;
            let values = values(&a, &b, substitutes, &mut rng);
            let value = values[a.len()][b.len()];
            let corner = TileCorner { a: &a, b: &b, substitutes, most: 60 };
            let Some(edits) = few_edits.solve(&corner, |i, j| value - values[i][j]) else { continue };
            found += 1;
            let (mut i, mut j, mut cost) = (a.len(), b.len(), 0);
            for &(edit, len) in few_edits.forwards.iter().rev() {
                for _ in 0..len {
                    assert_eq!(edit == EditKind::Equal, edit.consumed_symbols() == (1, 1) && edit != EditKind::Substitute);
                    assert!(i > 0 && j > 0, "the trace crosses the border");
                    assert!(edit != EditKind::Equal || a[i - 1] == b[j - 1]);
                    assert!(edit != EditKind::Substitute || substitutes);
                    let (di, dj) = edit.consumed_symbols();
                    (i, j) = (i - di as usize, j - dj as usize);
                    cost += u64::from(edit != EditKind::Equal);
                }
            }
            assert!(i == 0 || j == 0);
            assert_eq!((cost as i64, cost), (value - values[i][j], edits));
        }
        assert!(found > 200, "{found}");
    }
}
