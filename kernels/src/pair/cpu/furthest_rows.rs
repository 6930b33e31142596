//! Furthest rows: finds few edits in texts of any length, by the furthest row that a number of edits reaches on every
//! diagonal (Ukkonen 1985; Landau, Vishkin 1988).
//!
//! ```text
//! F[e, x] = the largest i such that e edits lead to the row i of the diagonal x, the column i + x
//!         = slide(max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1))      a substitution, an insertion, a deletion
//! slide(i) goes on while symbols are equal
//! ```
//!
//! Takes O(e² + symbols slid over) time. A traceback needs all rows, at 4 bytes each.
//!
//! If F[e, x] would lie beyond the end of a text, it is cut to the last row or column. Such a cell needs fewer than e
//! edits, or a path through this cell takes a step back. Therefore no optimal path meets a cut cell.

use std::ops::ControlFlow;

use crate::alignment::EditKind;

pub(crate) mod slide;

/// Number of diagonals that are computed together.
const CHUNK: usize = 16;

/// Number of edits for which memory is reserved at once.
const EXPECTED_EDITS: usize = 40;

/// Number of rows reserved at once for the diagonals of one number of edits if only the last rows are stored.
const EXPECTED_STRIDE: usize = 128;

/// Marks a row that no path reaches.
pub(crate) const UNREACHED_ROW: i32 = i32::MIN / 2;

/// The numbers of edits whose rows a table stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StoredEdits {
    /// All, for a traceback.
    #[default]
    All,
    /// The last two, for a distance. The table then stays in a fast cache.
    LastTwo,
}

/// A table of the furthest rows F[e, x] that e = 0, 1, 2, … edits reach on the diagonals x. For each e, it has two
/// extra diagonals of [`UNREACHED_ROW`] on either side.
#[derive(Default)]
pub(crate) struct FurthestRows {
    m: i32,
    n: i32,
    substitutes: bool,
    stored: StoredEdits,
    /// Distance in `rows` between the last two numbers of edits, if only their rows are stored.
    stride: usize,
    rows: Vec<i32>,
}

/// Rows that some edits reach, before the equal symbols that follow.
pub(crate) struct ReachedRows<'r> {
    /// The lowest diagonal.
    low: i32,
    /// Number of diagonals.
    width: usize,
    /// The rows of the diagonals from `low` on, in whole chunks. The rest of the last chunk is [`UNREACHED_ROW`].
    chunks: &'r mut [i32],
}

impl FurthestRows {
    /// Maximum number of symbols of a text. Up to this number no sum of a row and a column exceeds 31 bits.
    pub(crate) const MAX_SYMBOLS: usize = (1 << 30) - 1;

    /// Clears the table for texts of `m` and `n` symbols, at most [`Self::MAX_SYMBOLS`] each. Without `substitutes`, edits are only
    /// insertions and deletions.
    pub(crate) fn begin(&mut self, m: usize, n: usize, substitutes: bool, stored: StoredEdits) {
        (self.m, self.n, self.substitutes, self.stored) = (m as i32, n as i32, substitutes, stored);
        self.rows.clear();
        match stored {
            StoredEdits::All => self.rows.reserve(EXPECTED_EDITS * (EXPECTED_EDITS + 4)),
            StoredEdits::LastTwo => {
                self.stride = EXPECTED_STRIDE;
                self.rows.resize(2 * EXPECTED_STRIDE, UNREACHED_ROW);
            }
        }
    }

    /// Returns the index in `rows` of the first row for `edits` edits.
    fn start(&self, edits: usize) -> usize {
        match self.stored {
            StoredEdits::All => edits * (edits + 4),
            StoredEdits::LastTwo => edits % 2 * self.stride,
        }
    }

    /// Returns the index in `rows` of F for `edits` edits on diagonal `x`, with |x| ≤ `edits` + 2.
    fn place(&self, edits: usize, x: i32) -> usize {
        self.start(edits) + (x + edits as i32 + 2) as usize
    }

    /// Makes room for the rows of `edits` edits and one more chunk.
    fn grow(&mut self, edits: usize) {
        let width = 2 * edits + 5 + CHUNK;
        match self.stored {
            StoredEdits::All => {
                let end = self.start(edits) + width;
                if self.rows.len() < end {
                    self.rows.resize(end, UNREACHED_ROW);
                }
            }
            StoredEdits::LastTwo if self.stride < width => {
                let old = self.stride;
                self.stride = width.next_power_of_two();
                self.rows.resize(2 * self.stride, UNREACHED_ROW);
                self.rows.copy_within(old..2 * old, self.stride);
            }
            StoredEdits::LastTwo => {}
        }
    }

    /// Returns the furthest row that `edits` edits reach on diagonal `x`, which must have been computed. It is negative
    /// if no path of `edits` edits leads there.
    pub(crate) fn at(&self, edits: usize, x: i32) -> i32 {
        if x.unsigned_abs() as usize > edits { UNREACHED_ROW } else { self.rows[self.place(edits, x)] }
    }

    /// Returns the furthest rows that `edits` edits reach on all diagonals from −`edits` to `edits`.
    pub(crate) fn all(&self, edits: usize) -> &[i32] {
        &self.rows[self.place(edits, -(edits as i32))..][..2 * edits + 1]
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
        let ReachedRows { low, width, chunks } = self.reach(edits, diagonals);
        for (x, reached) in (low..).zip(&mut chunks[..width]) {
            let from = *reached;
            *reached = if from >= 0 && from + x >= 0 { from + slide(x, from)? } else { UNREACHED_ROW };
        }
        ControlFlow::Continue(())
    }

    /// Computes the rows that `edits` edits reach from the rows after `edits` − 1, before the equal symbols that follow, on the
    /// diagonals from `least` to `most`, both inclusive. The caller extends them. Rows may be negative or lead to negative
    /// columns.
    #[inline(always)]
    pub(crate) fn reach(&mut self, edits: usize, [least, most]: [i32; 2]) -> ReachedRows<'_> {
        let Self { m, n, .. } = *self;
        self.grow(edits);
        let start = self.start(edits);
        let end = start + 2 * edits + 5;
        let (low, high) = ((-(edits as i32)).max(-m).max(least), (edits as i32).min(n).min(most));
        if low > high {
            self.rows[start..end].fill(UNREACHED_ROW);
            return ReachedRows { low, width: 0, chunks: &mut [] };
        }
        let (first, width) = (self.place(edits, low), (high - low + 1) as usize);
        let chunks = first..first + width.next_multiple_of(CHUNK);
        if edits == 0 {
            self.rows[first] = 0;
        } else {
            let before = self.place(edits - 1, low - 1);
            let substitutes = self.substitutes;
            // Whole chunks are written, so that the last one may go beyond the diagonals.
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
        self.rows[start..first].fill(UNREACHED_ROW);
        self.rows[first + width..end.max(chunks.end)].fill(UNREACHED_ROW);
        ReachedRows { low, width, chunks: &mut self.rows[chunks] }
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
