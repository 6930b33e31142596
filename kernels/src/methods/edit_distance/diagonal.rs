//! `diagonal`: paper 000, section 5, "Improved parallel ASM algorithm" with the row 0 of the edit distance: `e[1][0] ← 1`, and `e[j mod 3][0]
//! ← j`. The output is the value of the last diagonal, k = n + m − 1, where i = m and j = n. Lemma 2 holds for it: `O(mn/w + mnl/p)` time
//! units with `w ≤ p ≤ m` threads of a DMM.
//!
//! The paper has no way back through the matrix: [`alignment`] is found by the division of paper 001, on last rows made along diagonals.

use super::hirschberg::align;
use crate::alignment::Alignment;
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

/// `c[m][j]` for j = 0 … n. Time and steps as of [`diagonal`], memory O(m + n).
///
/// # Errors
/// What `tick` returns.
pub(crate) fn last_row<T: Copy + Eq>(x: &[T], y: &[T], tick: Tick) -> Result<Vec<u32>, Halt> {
    let mut row = Vec::with_capacity(y.len() + 1);
    row.push(x.len() as u32);
    fill::by_diagonals(x, y, |j| j as u32, |_, distance| row.push(distance), tick)?;
    Ok(row)
}

/// An optimal alignment of `x` to `y`. Time O(mn), about 2mn steps of a cell; memory O(m + n).
///
/// # Errors
/// What `tick` returns.
///
/// ```
/// # use kernels::methods::edit_distance::diagonal::alignment;
/// assert_eq!(alignment(b"ababa", b"aaabbb", &mut |_| Ok(())).unwrap().summary().distance(), 3);
/// ```
pub fn alignment<T: Copy + Eq>(x: &[T], y: &[T], tick: Tick) -> Result<Alignment, Halt> {
    align(x, y, |x, y, tick| last_row(x.symbols, y.symbols, tick), tick)
}
