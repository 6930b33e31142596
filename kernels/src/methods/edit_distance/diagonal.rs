//! `diagonal`: paper 000, section 5, "Improved parallel ASM algorithm" with the row 0 of the edit distance: `e[1][0] ← 1`, and `e[j mod 3][0]
//! ← j`. The output is the value of the last diagonal, k = n + m − 1, where i = m and j = n. Lemma 2 holds for it: `O(mn/w + mnl/p)` time
//! units with `w ≤ p ≤ m` threads of a DMM.

use crate::methods::{Tick, fill};
use crate::run::Halt;

/// Time O(mn) on one core, mn steps of a cell; memory O(m).
///
/// # Errors
/// What `tick` returns.
pub fn diagonal<T: Copy + Eq>(x: &[T], y: &[T], tick: Tick) -> Result<u32, Halt> {
    let mut last = x.len() as u32;
    fill::by_diagonals(x, y, |j| j as u32, |_, distance| last = distance, tick)?;
    Ok(last)
}
