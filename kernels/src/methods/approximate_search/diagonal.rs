//! `diagonal`: "Improved parallel ASM algorithm", papers 000 and 003, section 5. It runs on one discrete memory machine
//! (DMM): thread i computes row i, and all threads compute a diagonal of the matrix at the same time. Three diagonals
//! are stored.
//!
//! ```text
//! minval ← m; e[0][0] ← 0; e[0][1] ← 1; e[1][0] ← 0
//! for k ← 1 to n + m − 1 do
//!   for i ← 0 to m do in parallel
//!     j ← k − i + 1
//!     if i = 0 then e[j mod 3][i] ← 0
//!     else if j = 0 then e[j mod 3][i] ← i
//!     else if 1 ≤ j ≤ n then
//!       e[j mod 3][i] ← min(e[(j−1) mod 3][i] + 1, e[j mod 3][i−1] + 1, e[(j−1) mod 3][i−1] + (x[i] ≠ y[j]))
//!   if k ≥ m and e[j mod 3][m] < minval then minval ← e[j mod 3][m]      (the j of i = m)
//! output minval
//! ```
//!
//! Lemma 2: `O(mn/w + mnl/p)` time units with `w ≤ p ≤ m` threads.
//! [`machine::search::diagonal`](crate::machine::search::diagonal) counts the time units on a DMM.

use super::SubstringDistances;
use crate::methods::{StepSink, fill};
use crate::run::Halt;

/// Computes for each position in `y` the smallest distance between `x` and a substring of `y` that ends there, along
/// the diagonals of the matrix. Reports its steps to `tick`.
///
/// Takes O(mn) time on one core in mn steps of one cell each, and O(m) memory beside the result.
///
/// # Errors
/// Returns the error of `tick`.
pub fn diagonal<T: Copy + Eq>(x: &[T], y: &[T], tick: StepSink) -> Result<SubstringDistances, Halt> {
    let mut distances = Vec::with_capacity(y.len() + 1);
    distances.push(x.len() as u32);
    fill::by_diagonals(x, y, |_| 0, |_, distance| distances.push(distance), tick)?;
    Ok(SubstringDistances { distances })
}
