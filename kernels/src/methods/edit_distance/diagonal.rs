//! `diagonal`: edit distance along the diagonals k = i + j − 1 of the matrix. This is "Improved parallel ASM algorithm"
//! (paper 000, section 5), which solves approximate search, with another row 0: D[0, j] = j instead of 0.
//!
//! The paper's array `e` stores the value of row i and column j in `e[j mod 3][i]`. In this array, row 0 is set by the
//! assignments `e[1][0] ← 1` and `e[j mod 3][0] ← j`. The result is the value of the last diagonal, k = n + m − 1, where
//! i = m and j = n. Lemma 2 applies: `O(mn/w + mnl/p)` time units with `w ≤ p ≤ m` threads of a DMM (a model of shared
//! memory) of width `w` and latency `l`, see [`machine`](crate::machine).
//!
//! The paper describes no traceback. [`alignment`] uses Hirschberg's division (paper 001), with last rows computed
//! along diagonals.

use super::hirschberg::align;
use crate::alignment::Alignment;
use crate::methods::{StepSink, fill};
use crate::run::Halt;

/// Computes the edit distance of `x` and `y` along the diagonals of the matrix. Takes O(mn) time on one core in mn
/// steps of one cell each, which it reports to `tick`, and O(m) memory.
///
/// # Errors
/// Returns the error of `tick`.
pub fn diagonal<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<u32, Halt> {
    let mut last = x.len() as u32;
    fill::by_diagonals(x, y, |j| j as u32, |_, distance| last = distance, tick)?;
    Ok(last)
}

/// Computes the last row of the matrix, `c[m][j]` for j = 0 … n: the distance of `x` to each prefix of `y`. Takes the
/// time and steps of [`diagonal`], and O(m + n) memory.
///
/// # Errors
/// Returns the error of `tick`.
pub(crate) fn last_row<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<Vec<u32>, Halt> {
    let mut row = Vec::with_capacity(y.len() + 1);
    row.push(x.len() as u32);
    fill::by_diagonals(x, y, |j| j as u32, |_, distance| row.push(distance), tick)?;
    Ok(row)
}

/// Computes an optimal alignment of `x` to `y` by Hirschberg's division. Takes O(mn) time in about 2mn steps of one
/// cell each, and O(m + n) memory.
///
/// # Errors
/// Returns the error of `tick`.
///
/// ```
/// # use kernels::methods::edit_distance::diagonal::alignment;
/// assert_eq!(alignment(b"ababa", b"aaabbb", &mut |_| Ok(())).unwrap().summary().distance(), 3);
/// ```
pub fn alignment<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<Alignment, Halt> {
    align(x, y, |x, y, tick| last_row(x.symbols, y.symbols, tick), tick)
}
