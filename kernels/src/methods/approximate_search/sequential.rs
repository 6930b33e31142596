//! `sequential`: "Algorithm ASM", paper 000, section 4 (003: "Sequential ASM Algorithm").
//!
//! ```text
//! for j ← 1 to n do c[0][j] ← 0
//! for i ← 0 to m do c[i][0] ← i
//! for i ← 1 to m do
//!   for j ← 1 to n do
//!     c[i][j] ← min(c[i][j−1] + 1, c[i−1][j] + 1, c[i−1][j−1] + (x_i ≠ y_j))
//! output min{c[m][j] | 0 ≤ j ≤ n}
//! ```

use super::SubstringDistances;
use crate::methods::{StepSink, fill};
use crate::run::Halt;

/// Computes for each position in `y` the smallest distance between `x` and a substring of `y` that ends there, row by
/// row. Reports its steps to `tick`.
///
/// Takes O(mn) time in mn steps of one cell each, and O(n) memory, because it stores only one row of `c`.
///
/// # Errors
/// Returns the error of `tick`.
///
/// ```
/// # use kernels::methods::approximate_search::sequential::sequential;
/// // Figure 4.
/// assert_eq!(sequential(b"ababa", b"aaabbbaa", &mut |_| Ok(())).unwrap().least(), 1);
/// ```
pub fn sequential<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<SubstringDistances, Halt> {
    Ok(SubstringDistances { distances: fill::by_rows(x, y, |_| 0, tick)? })
}
