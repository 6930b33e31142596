//! Few edits, whatever the lengths: the furthest row that so many edits reach on every diagonal (Ukkonen 1985; Landau, Vishkin 1988).
//!
//! ```text
//! F[e, x] = the largest i such that e edits lead to the row i of the diagonal x, the column i + x
//!         = slide(max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1))      a substitution, an insertion, a deletion
//! slide(i) goes on while symbols are equal
//! ```
//!
//! Time O(e² + symbols slid over). All rows are kept for the way back, 4 bytes each. Rows are cut to the texts' ends: such a cell has
//! fewer edits than its row says, or a path through it takes a step back, so that no optimal path meets it.

use std::ops::ControlFlow;

use crate::alignment::Edit;

/// A row that no path reaches.
const NOWHERE: i32 = i32::MIN / 2;

/// F for e = 0, 1, 2, …, with [`NOWHERE`] on two diagonals more to either side.
#[derive(Default)]
pub(crate) struct FurthestRows {
    m: i32,
    n: i32,
    substitutes: bool,
    rows: Vec<i32>,
}

impl FurthestRows {
    /// Begins with texts of `m` and `n` symbols, of at most 2³⁰; where not, a symbol cannot be substituted by one edit.
    pub(crate) fn begin(&mut self, m: usize, n: usize, substitutes: bool) {
        (self.m, self.n, self.substitutes) = (m as i32, n as i32, substitutes);
        self.rows.clear();
    }

    /// Place of F for a diagonal that is at most 2 beyond `edits`.
    fn place(edits: usize, x: i32) -> usize {
        edits * (edits + 4) + (x + edits as i32 + 2) as usize
    }

    /// F, for a number of edits that was come to; negative where they do not lead.
    pub(crate) fn at(&self, edits: usize, x: i32) -> i32 {
        if x.unsigned_abs() as usize > edits { NOWHERE } else { self.rows[Self::place(edits, x)] }
    }

    /// F on all diagonals, from −`edits` on.
    pub(crate) fn all(&self, edits: usize) -> &[i32] {
        &self.rows[Self::place(edits, -(edits as i32))..][..2 * edits + 1]
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.rows.as_slice()) as u64
    }

    /// Goes on from all but the last number of edits to that, on the diagonals between these. `slide` is given each diagonal and a
    /// row of it, and says how many equal symbols follow there; it may break off.
    #[inline(always)]
    pub(crate) fn extend<B>(
        &mut self,
        edits: usize,
        [least, most]: [i32; 2],
        mut slide: impl FnMut(i32, i32) -> ControlFlow<B, i32>,
    ) -> ControlFlow<B> {
        let Self { m, n, .. } = *self;
        self.rows.resize(Self::place(edits + 1, -(edits as i32) - 3), NOWHERE);
        let (low, high) = ((-(edits as i32)).max(-m).max(least), (edits as i32).min(n).min(most));
        if low > high {
            return ControlFlow::Continue(());
        }
        let width = (high - low + 1) as usize;
        let (old, new) = self.rows.split_at_mut(Self::place(edits, low));
        let old = if edits == 0 { &[NOWHERE, -1, NOWHERE] } else { &old[Self::place(edits - 1, low - 1)..][..width + 2] };
        for ((x, before), reached) in (low..).zip(old.windows(3)).zip(&mut new[..width]) {
            let from = step([before[0], before[1], before[2]], self.substitutes || edits == 0).0.min(m).min(n - x);
            if from >= 0 && from + x >= 0 {
                *reached = from + slide(x, from)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Hands on so many edits that lead to a diagonal and its furthest row, from there back, with the equal symbols between them.
    pub(crate) fn back(&self, edits: usize, (mut x, mut row): (i32, i32), mut each: impl FnMut(Edit, u64)) {
        for edits in (1..=edits).rev() {
            let (from, edit) = step([-1, 0, 1].map(|side| self.at(edits - 1, x + side)), self.substitutes);
            each(Edit::Equal, (row - from) as u64);
            each(edit, 1);
            let (di, dj) = edit.takes();
            x += di as i32 - dj as i32;
            row = from - di as i32;
        }
        each(Edit::Equal, row as u64);
    }
}

/// Rows after one edit more, given those on this diagonal and both beside it, and that edit.
#[inline(always)]
fn step(before: [i32; 3], substitutes: bool) -> (i32, Edit) {
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
