//! Furthest rows: finds few edits in texts of any length, by the furthest row that a number of edits reaches on every
//! diagonal (Ukkonen 1985; Landau, Vishkin 1988).
//!
//! ```text
//! F[e, x] = the largest i such that e edits lead to the row i of the diagonal x, the column i + x
//!         = slide(max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1))      a substitution, an insertion, a deletion
//! slide(i) goes on while symbols are equal
//! ```
//!
//! Takes O(e² + symbols slid over) time. All rows are kept for the traceback, at 4 bytes each.
//!
//! If F[e, x] would lie beyond the end of a text, it is cut to the last row or column. Such a cell needs fewer than e
//! edits, or a path through this cell takes a step back. Therefore no optimal path meets a cut cell.

use std::ops::ControlFlow;

use crate::alignment::EditKind;

/// Marks a row that no path reaches.
const UNREACHED_ROW: i32 = i32::MIN / 2;

/// A table of the furthest rows F[e, x] that e = 0, 1, 2, … edits reach on the diagonals x. For each e, it has two
/// extra diagonals of [`UNREACHED_ROW`] on either side.
#[derive(Default)]
pub(crate) struct FurthestRows {
    m: i32,
    n: i32,
    substitutes: bool,
    rows: Vec<i32>,
}

impl FurthestRows {
    /// Maximum number of symbols of a text. Up to this number no sum of a row and a diagonal exceeds 31 bits.
    pub(crate) const MAX_SYMBOLS: usize = 1 << 30;

    /// Clears the table for texts of `m` and `n` symbols, at most [`Self::MAX_SYMBOLS`] each. Without `substitutes`, edits are only
    /// insertions and deletions.
    pub(crate) fn begin(&mut self, m: usize, n: usize, substitutes: bool) {
        (self.m, self.n, self.substitutes) = (m as i32, n as i32, substitutes);
        self.rows.clear();
    }

    /// Returns the index in `rows` of F for `edits` edits on diagonal `x`, with |x| ≤ `edits` + 2.
    fn place(edits: usize, x: i32) -> usize {
        edits * (edits + 4) + (x + edits as i32 + 2) as usize
    }

    /// Returns the furthest row that `edits` edits reach on diagonal `x`, which must have been computed. It is negative
    /// if no path of `edits` edits leads there.
    pub(crate) fn at(&self, edits: usize, x: i32) -> i32 {
        if x.unsigned_abs() as usize > edits { UNREACHED_ROW } else { self.rows[Self::place(edits, x)] }
    }

    /// Returns the furthest rows that `edits` edits reach on all diagonals from −`edits` to `edits`.
    pub(crate) fn all(&self, edits: usize) -> &[i32] {
        &self.rows[Self::place(edits, -(edits as i32))..][..2 * edits + 1]
    }

    /// Returns the memory of the table in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.rows.as_slice()) as u64
    }

    /// Computes the furthest rows after `edits` edits from the rows after `edits` − 1, on the diagonals from `least` to
    /// `most`, both inclusive. Calls `slide` with each diagonal and the row that the edits reach there. `slide` returns
    /// the number of equal symbols that follow, or breaks to end the computation.
    #[inline(always)]
    pub(crate) fn extend<B>(
        &mut self,
        edits: usize,
        [least, most]: [i32; 2],
        mut slide: impl FnMut(i32, i32) -> ControlFlow<B, i32>,
    ) -> ControlFlow<B> {
        let Self { m, n, .. } = *self;
        self.rows.resize(Self::place(edits + 1, -(edits as i32) - 3), UNREACHED_ROW);
        let (low, high) = ((-(edits as i32)).max(-m).max(least), (edits as i32).min(n).min(most));
        if low > high {
            return ControlFlow::Continue(());
        }
        let width = (high - low + 1) as usize;
        let (old, new) = self.rows.split_at_mut(Self::place(edits, low));
        let old = if edits == 0 { &[UNREACHED_ROW, -1, UNREACHED_ROW] } else { &old[Self::place(edits - 1, low - 1)..][..width + 2] };
        // Two loops, because the compiler computes several diagonals of the first one together.
        let (inserted, kept, deleted) = (&old[..width], &old[1..=width], &old[2..]);
        let new = &mut new[..width];
        let substitutes = self.substitutes || edits == 0;
        for at in 0..width {
            let best = inserted[at].max(deleted[at] + 1);
            let best = if substitutes { best.max(kept[at] + 1) } else { best };
            new[at] = best.min(m).min(n - low - at as i32);
        }
        for (x, reached) in (low..).zip(new) {
            let from = *reached;
            *reached = if from >= 0 && from + x >= 0 { from + slide(x, from)? } else { UNREACHED_ROW };
        }
        ControlFlow::Continue(())
    }

    /// Returns the row of diagonal `x` that the last of `edits` edits reaches, before the equal symbols that follow. It lies
    /// behind the furthest row if the furthest row was cut to the end of a text.
    pub(crate) fn reached(&self, edits: usize, x: i32) -> i32 {
        match edits.checked_sub(1) {
            Some(before) => step([-1, 0, 1].map(|side| self.at(before, x + side)), self.substitutes).0,
            None => 0,
        }
    }

    /// Follows a path of `edits` edits back from its end, which is given as its diagonal `x` and the furthest `row`
    /// there. Calls `each` with each edit, or run of equal symbols, and its length, the last one first.
    pub(crate) fn trace_back(&self, edits: usize, (mut x, mut row): (i32, i32), mut each: impl FnMut(EditKind, u64)) {
        for edits in (1..=edits).rev() {
            let (from, edit) = step([-1, 0, 1].map(|side| self.at(edits - 1, x + side)), self.substitutes);
            each(EditKind::Equal, (row - from) as u64);
            each(edit, 1);
            let (di, dj) = edit.consumed_symbols();
            x += di as i32 - dj as i32;
            row = from - di as i32;
        }
        each(EditKind::Equal, row as u64);
    }
}

/// Returns the row that one more edit reaches on a diagonal x, and the edit that leads furthest. `before` holds the
/// furthest rows on the diagonals x − 1, x and x + 1. Substitutions are allowed if `substitutes`.
#[inline(always)]
fn step(before: [i32; 3], substitutes: bool) -> (i32, EditKind) {
    let (insert, delete) = (before[0], before[2] + 1);
    let substitute = if substitutes { before[1] + 1 } else { UNREACHED_ROW };
    let best = substitute.max(insert).max(delete);
    let edit = if best == substitute {
        EditKind::Substitute
    } else if best == insert {
        EditKind::Insert
    } else {
        EditKind::Delete
    };
    (best, edit)
}
