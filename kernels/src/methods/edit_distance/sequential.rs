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
    let row = fill::by_rows(x, y, |j| j as u32, tick)?;
    Ok(row[y.len()])
}
