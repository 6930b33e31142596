//! `sequential`: "Algorithm ASM" (paper 000, section 4) with `c[0][j] ← j` in its first line instead of `c[0][j] ← 0`.
//!
//! ```text
//! for j ← 1 to n do c[0][j] ← j
//! for i ← 0 to m do c[i][0] ← i
//! for i ← 1 to m do
//!   for j ← 1 to n do
//!     c[i][j] ← min(c[i][j−1] + 1, c[i−1][j] + 1, c[i−1][j−1] + (x_i ≠ y_j))
//! output c[m][n]
//! ```
//!
//! The paper describes no traceback. [`alignment`] uses Hirschberg's division (paper 001), with last rows computed row
//! by row.

use super::hirschberg::align;
use crate::alignment::Alignment;
use crate::methods::{StepSink, fill};
use crate::run::Halt;

/// Computes the edit distance of `x` and `y` row by row. Takes O(mn) time in mn steps of one cell each, which it
/// reports to `tick`, and O(n) memory, because it stores only one row of `c`.
///
/// # Errors
/// Returns the error of `tick`.
///
/// ```
/// # use kernels::methods::edit_distance::sequential::sequential;
/// // The example of section 4.
/// assert_eq!(sequential(b"ababa", b"aaabbb", &mut |_| Ok(())), Ok(3));
/// ```
pub fn sequential<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<u32, Halt> {
    Ok(last_row(x, y, tick)?[y.len()])
}

/// Computes the last row of the matrix, `c[m][j]` for j = 0 … n: the distance of `x` to each prefix of `y`. Takes the
/// time, memory and steps of [`sequential`].
///
/// # Errors
/// Returns the error of `tick`.
pub(crate) fn last_row<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<Vec<u32>, Halt> {
    fill::by_rows(x, y, |j| j as u32, tick)
}

/// Computes an optimal alignment of `x` to `y` by Hirschberg's division. Takes O(mn) time in about 2mn steps of one
/// cell each, and O(m + n) memory.
///
/// # Errors
/// Returns the error of `tick`.
///
/// ```
/// # use kernels::methods::edit_distance::sequential::alignment;
/// assert_eq!(alignment(b"ababa", b"aaabbb", &mut |_| Ok(())).unwrap().summary().distance(), 3);
/// ```
pub fn alignment<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<Alignment, Halt> {
    align(x, y, |x, y, tick| last_row(x.symbols, y.symbols, tick), tick)
}
