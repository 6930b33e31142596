//! Few edits in a tile: furthest-reaching diagonals, from a cell of the path backwards to where it leaves the tile.
//!
//! ```text
//! F[e, x] = the most rows that e edits go back, on the diagonal that has gone x columns more than rows
//!         = slide(max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1))      a substitution, an insertion, a deletion
//! ```
//!
//! All values along the tile's upper and left border are known. The path leaves the tile where the value is less by e than that of
//! its cell, for the first e for which there is such a place. Time O(e² + symbols slid over), where a tile solved again takes
//! all its cells. Rows are cut to the tile; a cell on its border that is reached with a cut is no better than its neighbour, since
//! neighbours differ by 1 at most, so that no path is taken to lead there.

use crate::alignment::Edit;
use crate::symbol::Symbol;

/// Rows where no edits lead.
const NOWHERE: i32 = i32::MIN / 2;

/// The part of a tile above and left of a cell.
pub(super) struct Corner<'t, T> {
    pub(super) a: &'t [T],
    pub(super) b: &'t [T],
    /// Whether a symbol may be substituted by one edit.
    pub(super) substitutes: bool,
    /// Most edits that are tried.
    pub(super) most: usize,
}

/// A way out of a tile, and the buffers to find it.
#[derive(Default)]
pub(super) struct Few {
    /// F for e = 0, 1, 2, …, with [`NOWHERE`] on two diagonals more to either side.
    reached: Vec<i32>,
    /// The edits from the border to the cell.
    pub(super) forwards: Vec<(Edit, u64)>,
}

impl Few {
    /// Finds the edits from the cell to where the path leaves the tile, and how many there are. `apart` says by how much less the
    /// value is at the border, after so many rows and columns. `None` where they are
    /// too many.
    pub(super) fn solve<T: Symbol>(&mut self, corner: &Corner<T>, apart: impl Fn(usize, usize) -> i64) -> Option<u64> {
        let (m, n) = (corner.a.len(), corner.b.len());
        self.reached.clear();
        // On the diagonal it would be about as many.
        let straight = m.min(n);
        if apart(m - straight, n - straight) > corner.most as i64 {
            return None;
        }
        for edits in 0..=corner.most {
            if let Some(x) = self.extend(corner, edits, &apart) {
                self.back(corner, edits, x);
                return Some(edits as u64);
            }
        }
        None
    }

    /// Place of F for a diagonal that is at most 2 beyond `edits`.
    fn place(edits: usize, x: i32) -> usize {
        edits * (edits + 4) + (x + edits as i32 + 2) as usize
    }

    fn at(&self, edits: usize, x: i32) -> i32 {
        self.reached[Self::place(edits, x)]
    }

    /// Goes on to so many edits. Returns a diagonal on which they lead to where the path leaves the tile.
    fn extend<T: Symbol>(&mut self, corner: &Corner<T>, edits: usize, apart: &impl Fn(usize, usize) -> i64) -> Option<i32> {
        let Corner { a, b, substitutes, .. } = corner;
        let (m, n) = (a.len() as i32, b.len() as i32);
        self.reached.resize(Self::place(edits + 1, -(edits as i32) - 3), NOWHERE);
        let (low, high) = ((-(edits as i32)).max(-m), (edits as i32).min(n));
        let width = (high - low + 1) as usize;
        let (old, new) = self.reached.split_at_mut(Self::place(edits, low));
        let old = if edits == 0 { &[NOWHERE, -1, NOWHERE] } else { &old[Self::place(edits - 1, low - 1)..][..width + 2] };
        for ((x, before), reached) in (low..).zip(old.windows(3)).zip(&mut new[..width]) {
            let from = step([before[0], before[1], before[2]], *substitutes || edits == 0).0.min(m).min(n - x);
            if from < 0 || from + x < 0 {
                continue;
            }
            let (i, j) = ((m - from) as usize, (n - from - x) as usize);
            let equal = T::common_suffix(&a[..i], &b[..j]);
            *reached = from + equal as i32;
            let (i, j) = (i - equal, j - equal);
            if (i == 0 || j == 0) && apart(i, j) == edits as i64 {
                return Some(x);
            }
        }
        None
    }

    /// The edits from where so many lead.
    fn back<T: Symbol>(&mut self, corner: &Corner<T>, edits: usize, mut x: i32) {
        self.forwards.clear();
        let mut rows = self.at(edits, x);
        for edits in (1..=edits).rev() {
            let (from, edit) = step([-1, 0, 1].map(|side| self.at(edits - 1, x + side)), corner.substitutes);
            self.forwards.push((Edit::Equal, (rows - from) as u64));
            self.forwards.push((edit, 1));
            let (di, dj) = edit.takes();
            x += di as i32 - dj as i32;
            rows = from - di as i32;
        }
        self.forwards.push((Edit::Equal, rows as u64));
    }
}

/// Rows after one edit more, given those on this diagonal and both beside it, and that edit.
#[inline(always)]
pub(crate) fn step(before: [i32; 3], substitutes: bool) -> (i32, Edit) {
    let (insert, delete) = (before[0], before[2] + 1);
    let substitute = if substitutes { before[1] + 1 } else { NOWHERE };
    let best = substitute.max(insert).max(delete);
    let edit = if best == substitute {
        Edit::Substitute
    } else if best == insert {
        Edit::Insert
    } else {
        Edit::Delete
    };
    (best, edit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};

    /// Values of a matrix with any borders whose neighbours differ by 1 at most.
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
    fn it_leads_to_the_border_by_the_edits_that_values_differ_by() {
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut few, mut found) = (Few::default(), 0);
        for round in 0..400 {
            let a = random(b"ACGT", 1 + round % 150, round as u64);
            let mut b = mutated(&a, b"ACGT", 0.1, 7);
            b.extend(random(b"ACGT", rng.usize(1..20), 5));
            let substitutes = round % 2 == 0;
            let values = values(&a, &b, substitutes, &mut rng);
            let value = values[a.len()][b.len()];
            let corner = Corner { a: &a, b: &b, substitutes, most: 60 };
            let Some(edits) = few.solve(&corner, |i, j| value - values[i][j]) else { continue };
            found += 1;
            let (mut i, mut j, mut cost) = (a.len(), b.len(), 0);
            for &(edit, len) in few.forwards.iter().rev() {
                for _ in 0..len {
                    assert_eq!(edit == Edit::Equal, edit.takes() == (1, 1) && edit != Edit::Substitute);
                    assert!(i > 0 && j > 0, "it goes on beyond the border");
                    assert!(edit != Edit::Equal || a[i - 1] == b[j - 1]);
                    assert!(edit != Edit::Substitute || substitutes);
                    let (di, dj) = edit.takes();
                    (i, j) = (i - di as usize, j - dj as usize);
                    cost += u64::from(edit != Edit::Equal);
                }
            }
            assert!(i == 0 || j == 0);
            assert_eq!((cost as i64, cost), (value - values[i][j], edits));
        }
        assert!(found > 200, "{found}");
    }
}
