//! The recurrence on words.
//!
//! A word holds the vertical differences of 64 rows as two bit vectors, `vp` (+1) and `vn` (−1). One step of a word takes
//! the equality mask of its column and one horizontal difference from above, and hands one down (Myers 1999, in the form
//! of Hyyrö 2003 with the carry of the addition as the incoming −1):
//!
//! ```text
//! t   = eq & vp                 s   = t + vp + hn_in
//! hns = s ^ t ^ vp              d0  = eq | vn | hns          the carries of the addition are HN << 1 | hn_in
//! hp  = vn | ~(d0 | vp)         hps = hp << 1 | hp_in
//! vp' = hns | ~(d0 | hps)       vn' = hps & d0
//! out: hp >> 63, (d0 & vp) >> 63
//! ```

use fearless_simd::{Simd, u64x8};

use super::{Cells, Rule};
use crate::alignment::Edit;

/// Edit distance, with `[vp, vn]` and `[hp, hn]`. Seen are `d0` and `hp`.
pub(crate) struct Myers;

impl Rule<2> for Myers {
    const HIGH_FROM: usize = 32 * 1024;
    const SUBSTITUTES: bool = true;

    #[inline(always)]
    fn solve<S: Simd>(eq: u64x8<S>, [vp, vn]: [u64x8<S>; 2], [hp_in, hn_in]: [u64x8<S>; 2]) -> Cells<S, 2> {
        let t = eq & vp;
        let sum = t + vp + hn_in;
        let hns = sum ^ t ^ vp;
        let d0 = eq | vn | hns;
        let hp = vn | !(d0 | vp);
        let hps = (hp << 1) | hp_in;
        Cells { vertical: [hns | !(d0 | hps), hps & d0], horizontal: [hp, d0 & vp], seen: [d0, hp] }
    }

    fn back([free, rise]: [bool; 2]) -> Edit {
        step_back(false, free, rise)
    }
}

/// The edit that leads to a cell: the diagonal wherever it is optimal, then an insertion, then a deletion.
/// `free` says `D[i,j] = D[i−1,j−1]`, `rise` says `D[i,j] = D[i,j−1] + 1`.
pub(crate) fn step_back(equal: bool, free: bool, rise: bool) -> Edit {
    match (equal, free, rise) {
        (true, _, _) => Edit::Equal,
        (false, false, _) => Edit::Substitute,
        (false, true, true) => Edit::Insert,
        (false, true, false) => Edit::Delete,
    }
}
