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

/// Number of diagonals that are computed together.
const CHUNK: usize = 16;

/// Number of edits for which memory is reserved at once.
const EXPECTED_EDITS: usize = 40;

/// Marks a row that no path reaches.
pub(crate) const UNREACHED_ROW: i32 = i32::MIN / 2;

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
    /// Maximum number of symbols of a text. Up to this number no sum of a row and a column exceeds 31 bits.
    pub(crate) const MAX_SYMBOLS: usize = (1 << 30) - 1;

    /// Clears the table for texts of `m` and `n` symbols, at most [`Self::MAX_SYMBOLS`] each. Without `substitutes`, edits are only
    /// insertions and deletions.
    pub(crate) fn begin(&mut self, m: usize, n: usize, substitutes: bool) {
        (self.m, self.n, self.substitutes) = (m as i32, n as i32, substitutes);
        self.rows.clear();
        self.rows.reserve(Self::place(EXPECTED_EDITS, 0));
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
        diagonals: [i32; 2],
        mut slide: impl FnMut(i32, i32) -> ControlFlow<B, i32>,
    ) -> ControlFlow<B> {
        let (low, rows) = self.reach(edits, diagonals);
        for (x, reached) in (low..).zip(rows) {
            let from = *reached;
            *reached = if from >= 0 && from + x >= 0 { from + slide(x, from)? } else { UNREACHED_ROW };
        }
        ControlFlow::Continue(())
    }

    /// Computes the rows that `edits` edits reach from the rows after `edits` − 1, before the equal symbols that follow, on the
    /// diagonals from `least` to `most`, both inclusive. Returns the lowest of these diagonals that `edits` edits reach, and
    /// the rows from there on, which the caller extends. Rows may be negative or lead to negative columns.
    #[inline(always)]
    pub(crate) fn reach(&mut self, edits: usize, [least, most]: [i32; 2]) -> (i32, &mut [i32]) {
        let Self { m, n, .. } = *self;
        let edge = edits as i32 + 2;
        // Whole chunks are written, so that the last one may go beyond the row.
        let end = Self::place(edits + 1, -edge - 1);
        if self.rows.len() < end + CHUNK {
            self.rows.resize(end + CHUNK, UNREACHED_ROW);
        }
        let (low, high) = ((2 - edge).max(-m).max(least), (edge - 2).min(n).min(most));
        if low > high {
            self.rows[Self::place(edits, -edge)..end].fill(UNREACHED_ROW);
            return (low, &mut []);
        }
        let (first, width) = (Self::place(edits, low), (high - low + 1) as usize);
        if edits == 0 {
            self.rows[first] = 0;
        } else {
            let before = Self::place(edits - 1, low - 1);
            let substitutes = self.substitutes;
            for at in (0..width).step_by(CHUNK) {
                let [inserted, kept, deleted] = [0, 1, 2].map(|side| {
                    let mut rows = [0; CHUNK];
                    rows.copy_from_slice(&self.rows[before + at + side..before + at + side + CHUNK]);
                    rows
                });
                let mut new = [0; CHUNK];
                for lane in 0..CHUNK {
                    let best = inserted[lane].max(deleted[lane] + 1);
                    let best = if substitutes { best.max(kept[lane] + 1) } else { best };
                    new[lane] = best.min(m).min(n - low - (at + lane) as i32);
                }
                self.rows[first + at..first + at + CHUNK].copy_from_slice(&new);
            }
        }
        self.rows[Self::place(edits, -edge)..first].fill(UNREACHED_ROW);
        self.rows[first + width..end].fill(UNREACHED_ROW);
        (low, &mut self.rows[first..first + width])
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
