//! The edit distance of two members, if it is small: furthest rows by diagonals.
//!
//! ```text
//! row[e, d] = furthest row on the diagonal d = j − i that e edits reach
//!           = max(row[e−1, d] + 1,  row[e−1, d−1],  row[e−1, d+1] + 1), and then along equal symbols
//! ```
//!
//! Diagonals from which the remaining edits do not lead to the last cell are left out (Ukkonen 1985, section 3, and
//! Landau and Vishkin 1989).

use std::ops::Range;

use crate::symbol::Symbol;

/// Number of symbols behind the end of a member that are compared with it, because blocks of symbols are faster than
/// single ones.
const OVERRUN: usize = 8;

/// Computes distances up to a limit. Owns the buffers for them.
pub(super) struct BoundedDistance {
    limit: usize,
    /// Furthest rows for an even and an odd number of edits, from the diagonal −`limit` − 1 on.
    rows: [Vec<i64>; 2],
}

/// A row before all diagonals.
const NOWHERE: i64 = i64::MIN / 2;

impl BoundedDistance {
    /// Creates the buffers for distances up to `limit`, 32 bytes for each.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, rows: [(); 2].map(|()| vec![NOWHERE; 2 * limit + 3]) }
    }

    /// Returns the edit distance of two members at `a` and `b` of `symbols`, or `None` if it exceeds the limit. Takes
    /// O(limit² + limit · length / 8) time.
    pub(super) fn of<T: Symbol>(&mut self, symbols: &[T], a: Range<usize>, b: Range<usize>) -> Option<u32> {
        let (m, n, limit) = (a.len() as i64, b.len() as i64, self.limit as i64);
        let last = n - m;
        if last.abs() > limit {
            return None;
        }
        let equal = |row: i64, diagonal: i64| {
            let len = (m - row).min(n - row - diagonal) as usize;
            let from = |start: usize| &symbols[start..(start + len + OVERRUN).min(symbols.len())];
            T::common_prefix(from(a.start + row as usize), from(b.start + (row + diagonal) as usize)).min(len) as i64
        };
        self.rows.iter_mut().for_each(|rows| rows.fill(NOWHERE));
        for edits in 0..=limit {
            let [even, odd] = &mut self.rows;
            let (before, now) = if edits % 2 == 0 { (odd, even) } else { (even, odd) };
            let rest = limit - edits;
            for diagonal in (-edits).max(last - rest).max(-m)..=edits.min(last + rest).min(n) {
                let at = (diagonal + limit + 1) as usize;
                let row = if edits == 0 { 0 } else { (before[at] + 1).max(before[at - 1]).max(before[at + 1] + 1) };
                let row = row.min(m).min(n - diagonal);
                let row = row + equal(row, diagonal);
                if diagonal == last && row == m {
                    return Some(edits as u32);
                }
                now[at] = row;
            }
        }
        None
    }
}
