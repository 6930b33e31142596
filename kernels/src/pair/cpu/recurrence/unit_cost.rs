//! The edit distance on words.
//!
//! A word holds the vertical differences of 64 rows as two bit vectors, `vp` (+1) and `vn` (−1). One step of a word
//! takes the equality mask of its column and one horizontal difference from above, and passes one down. It is the
//! recurrence of Myers 1999, in the form of Hyyrö 2003, with the carry of the addition as the incoming −1:
//!
//! ```text
//! t   = eq & vp                 s   = t + vp + hn_in
//! hns = s ^ t ^ vp              d0  = eq | vn | hns          the carries of the addition are HN << 1 | hn_in
//! hp  = vn | ~(d0 | vp)         hps = hp << 1 | hp_in
//! vp' = hns | ~(d0 | hps)       vn' = hps & d0
//! out: hp >> 63, (d0 & vp) >> 63
//! ```

use fearless_simd::{Simd, u64x8};

use super::{ColumnCells, Recurrence};
use crate::alignment::EditKind;
use crate::pair::cpu::WORD;

/// Recurrence of the edit distance, with vertical differences `[vp, vn]` and horizontal differences `[hp, hn]`. It
/// records `d0` and `hp` for the traceback.
pub(crate) struct MyersRecurrence;

impl Recurrence<2> for MyersRecurrence {
    const MIN_HIGH_DISTANCE_SYMBOLS: usize = 32 * 1024;
    const SUBSTITUTES: bool = true;

    #[inline(always)]
    fn solve<S: Simd>(eq: u64x8<S>, [vp, vn]: [u64x8<S>; 2], [hp_in, hn_in]: [u64x8<S>; 2]) -> ColumnCells<S, 2> {
        let t = eq & vp;
        let sum = t + vp + hn_in;
        let hns = sum ^ t ^ vp;
        let d0 = eq | vn | hns;
        let hp = vn | !(d0 | vp);
        let hps = (hp << 1) | hp_in;
        ColumnCells { vertical: [hns | !(d0 | hps), hps & d0], horizontal: [hp, d0 & vp], seen: [d0, hp] }
    }

    fn last_edit([free, rise]: [bool; 2]) -> EditKind {
        step_back(false, free, rise)
    }
}

/// Vertical differences of one column in 64 rows of a matrix, as scalar words: `vp` (+1) and `vn` (−1).
#[derive(Clone, Copy)]
pub(crate) struct VerticalWord {
    vp: u64,
    vn: u64,
}

impl VerticalWord {
    /// The column before the first symbol of the text: D[i, 0] = i.
    pub(crate) const FIRST: Self = Self { vp: !0, vn: 0 };

    /// Advances to the next column. `eq` marks the rows whose symbols equal the symbol of the next column, and bit 0 of
    /// `[hp_in, hn_in]` is the horizontal difference of the row above these 64 rows. Returns the horizontal differences
    /// `[hp, hn]` of all rows.
    #[inline(always)]
    pub(crate) fn step(&mut self, eq: u64, [hp_in, hn_in]: [u64; 2]) -> [u64; 2] {
        let Self { vp, vn } = *self;
        let t = eq & vp;
        let hns = t.wrapping_add(vp).wrapping_add(hn_in) ^ t ^ vp;
        let d0 = eq | vn | hns;
        let hp = vn | !(d0 | vp);
        let hps = hp << 1 | hp_in;
        *self = Self { vp: hns | !(d0 | hps), vn: hps & d0 };
        [hp, d0 & vp]
    }
}

/// A column of the matrix of a pattern with at most 64 symbols, in which row 0 rises by one per column. It holds the
/// same values as [`VerticalWord`], but its chain of dependent operations from one column to the next is shorter.
#[derive(Clone, Copy)]
pub(crate) struct PatternColumn {
    vp: u64,
    vn: u64,
    /// Bit i − 1 is set if `D[i,j] = D[i−1,j−1]`.
    pub(crate) free: u64,
    /// Bit i − 1 is set if `D[i,j] = D[i,j−1] + 1`.
    pub(crate) rise: u64,
}

impl PatternColumn {
    /// The column before the first symbol of the text: D[i, 0] = i.
    pub(crate) const FIRST: Self = Self { vp: !0, vn: 0, free: 0, rise: 0 };

    /// Returns the next column. `eq` marks the rows whose symbols equal the symbol of the next column.
    #[inline]
    pub(crate) fn next(self, eq: u64) -> Self {
        let Self { vp, vn, .. } = self;
        let sum = (eq & vp).wrapping_add(vp);
        let free = (sum ^ vp) | eq | vn;
        // `level` is the inverse of hp = vn | ~(free | vp). `free | vp` equals `sum | vp | eq | vn`, so that `level`
        // does not wait for `free`. This saves time because each column waits for the previous one.
        let level = (sum | (vp | eq)) & !vn;
        let fall = free & vp;
        let levels = level << 1;
        Self { vp: (fall << 1) | (levels & !free), vn: free & !levels, free, rise: !level }
    }

    /// Returns `D[m, n]`, the distance of a pattern of `m` symbols (1 to 64) and a text of `n` symbols. This column
    /// must be the column `n`. The distance is `D[0, n] = n` plus the differences down the column.
    #[inline]
    pub(crate) fn distance(self, m: usize, n: usize) -> u64 {
        let within = u64::MAX >> (WORD - m);
        n as u64 + u64::from((self.vp & within).count_ones()) - u64::from((self.vn & within).count_ones())
    }
}

/// Returns the edit by which an optimal path reaches the cell `[i,j]`. A match or substitution is preferred to an
/// insertion, and an insertion to a deletion. `equal` tells whether the symbols are equal. `free` tells whether `D[i,j]
/// = D[i−1,j−1]`, and `rise` whether `D[i,j] = D[i,j−1] + 1`.
pub(crate) fn step_back(equal: bool, free: bool, rise: bool) -> EditKind {
    match (equal, free, rise) {
        (true, _, _) => EditKind::Equal,
        (false, false, _) => EditKind::Substitute,
        (false, true, true) => EditKind::Insert,
        (false, true, false) => EditKind::Delete,
    }
}
