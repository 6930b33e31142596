//! `sequential`: paper 000, section 4. "Algorithm ASM" with `c[0][j] ← j` in its first line.
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
//! The paper has no way back through the matrix: [`alignment`] is found by the division of paper 001, on last rows made row by row.

use super::hirschberg::align;
use crate::alignment::Alignment;
use crate::methods::{Tick, fill};
use crate::run::Halt;

/// Time O(mn), mn steps of a cell; memory O(n), as only one row of `c` is kept.
///
/// # Errors
/// What `tick` returns.
///
/// ```
/// # use kernels::methods::edit_distance::sequential::sequential;
/// // The example of section 4.
/// assert_eq!(sequential(b"ababa", b"aaabbb", &mut |_| Ok(())), Ok(3));
/// ```
pub fn sequential<T: Copy + Eq>(x: &[T], y: &[T], tick: Tick) -> Result<u32, Halt> {
    Ok(last_row(x, y, tick)?[y.len()])
}

/// `c[m][j]` for j = 0 … n. Time, memory and steps as of [`sequential`].
///
/// # Errors
/// What `tick` returns.
pub(crate) fn last_row<T: Copy + Eq>(x: &[T], y: &[T], tick: Tick) -> Result<Vec<u32>, Halt> {
    fill::by_rows(x, y, |j| j as u32, tick)
}

/// An optimal alignment of `x` to `y`. Time O(mn), about 2mn steps of a cell; memory O(m + n).
///
/// # Errors
/// What `tick` returns.
///
/// ```
/// # use kernels::methods::edit_distance::sequential::alignment;
/// assert_eq!(alignment(b"ababa", b"aaabbb", &mut |_| Ok(())).unwrap().summary().distance(), 3);
/// ```
pub fn alignment<T: Copy + Eq>(x: &[T], y: &[T], tick: Tick) -> Result<Alignment, Halt> {
    align(x, y, |x, y, tick| last_row(x.symbols, y.symbols, tick), tick)
}
