//! The longest common subsequence on words.
//!
//! In terms of the distance D = i + j − 2 L, neighbours differ by exactly 1. A word therefore holds the vertical
//! differences of 64 rows as one bit vector, `w` (−1: L rises). One step of a word takes the equality mask of its
//! column and one horizontal difference from above, and passes one down. It is the recurrence of Hyyrö 2004 for `v =
//! ~w` with the carry of the addition between words. It takes four operations per word, the minimum for this family
//! (Hyyrö 2017), and three for the carry.
//!
//! ```text
//! u = v & eq                    u  = eq & ~w
//! s = v + u + c                 ns = w − u − c               ns = ~s
//! v' = s | (v & ~eq)            w' = ns & (w | eq)
//! out: (u | (v & ~s)) >> 63     out: (u | (ns & ~w)) >> 63   the carries are the columns in which L rises
//! ```

use fearless_simd::{Simd, u64x8};

use super::{ColumnCells, Recurrence};
use crate::alignment::EditKind;

/// Recurrence of the longest common subsequence, in terms of the distance by insertions and deletions. It records the
/// horizontal differences for the traceback.
pub(crate) struct HyyroRecurrence;

impl Recurrence<1> for HyyroRecurrence {
    const MIN_HIGH_DISTANCE_SYMBOLS: usize = 4096;
    const SUBSTITUTES: bool = false;

    #[inline(always)]
    fn solve<S: Simd>(eq: u64x8<S>, [w]: [u64x8<S>; 1], [c]: [u64x8<S>; 1]) -> ColumnCells<S, 1> {
        let u = eq & !w;
        let ns = w - u - c;
        let rises = u | (ns & !w);
        ColumnCells { vertical: [ns & (w | eq)], horizontal: [rises], seen: [rises] }
    }

    fn last_edit([rises]: [bool; 1]) -> EditKind {
        if rises { EditKind::Delete } else { EditKind::Insert }
    }
}
