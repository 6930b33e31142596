//! Fill: the recurrence of section 4 of paper 000, evaluated in two orders.
//!
//! ```text
//! c[0][j] = 0 for approximate search, j for the edit distance       c[i][0] = i
//! c[i][j] = min(c[i][j−1] + 1, c[i−1][j] + 1, c[i−1][j−1] + (x_i ≠ y_j))
//! ```
//!
//! `top(j)` is `c[0][j]`, with `top(0) = 0`. Symbols are counted from 1 in the papers and from 0 in the arrays.

use super::StepSink;
use crate::run::Halt;

/// Fills the matrix of `x` and `y` row by row, like "Algorithm ASM": i in the outer loop and j in the inner one.
/// `top(j)` is the value `c[0][j]` of the first row. Returns the last row. Reports its steps to `tick`.
///
/// Stores only one row, because earlier rows are not read again. Takes O(mn) time and O(n) memory; a step is a cell.
pub(super) fn by_rows<T: Copy + Eq>(x: &[T], y: &[T], top: impl Fn(usize) -> u32, tick: StepSink) -> Result<Vec<u32>, Halt> {
    let mut row: Vec<u32> = (0..=y.len()).map(top).collect();
    for (i, x) in (1..).zip(x) {
        // c[i−1][j−1], which row[j−1] was before it became c[i][j−1].
        let mut before = std::mem::replace(&mut row[0], i);
        let mut left = i;
        for (cell, y) in row[1..].iter_mut().zip(y) {
            left = (left + 1).min(*cell + 1).min(before + u32::from(x != y));
            before = std::mem::replace(cell, left);
        }
        tick(y.len() as u64)?;
    }
    Ok(row)
}

/// Fills the matrix of `x` and `y` along the diagonals k = i + j − 1, like "Improved parallel ASM algorithm". `top(j)`
/// is the value `c[0][j]` of the first row. Calls `on_last(j, c[m][j])` for j = 1 … n. Reports its steps to `tick`.
///
/// The values of a diagonal depend on the previous two only, so `c[i][j]` is stored in `e[j mod 3][i]`. Takes O(mn)
/// time and O(m) memory; a step is a computed value, mn in all.
///
/// Follows the pseudo-code of paper 000 line by line, for `m, n ≥ 1`. All values of a diagonal may be computed at the
/// same time, because no thread reads a row of `e` that another thread writes in the same step. Here they are computed
/// in the order of i.
pub(super) fn by_diagonals<T: Copy + Eq>(
    x: &[T],
    y: &[T],
    top: impl Fn(usize) -> u32,
    mut on_last: impl FnMut(usize, u32),
    tick: StepSink,
) -> Result<(), Halt> {
    let (m, n) = (x.len(), y.len());
    if m == 0 || n == 0 {
        // The pseudo-code does not cover this case: the last row is the first one, or its only value is known.
        (1..=n).for_each(|j| on_last(j, top(j)));
        return Ok(());
    }
    let mut e = [(); 3].map(|()| vec![0; m + 1]);
    (e[0][0], e[0][1], e[1][0]) = (0, 1, top(1));
    for k in 1..n + m {
        let mut computed = 0;
        // Rows in which the diagonal has a value: j = k − i + 1 lies between 0 and n, or i is 0.
        let first = (k + 1).saturating_sub(n);
        for i in (first == 0).then_some(0).into_iter().chain(first.max(1)..=m.min(k + 1)) {
            let j = k + 1 - i;
            if i == 0 {
                e[j % 3][i] = top(j);
            } else if j == 0 {
                e[j % 3][i] = i as u32;
            } else {
                let (here, left) = (j % 3, (j - 1) % 3);
                let replaced = e[left][i - 1] + u32::from(x[i - 1] != y[j - 1]);
                e[here][i] = (e[left][i] + 1).min(e[here][i - 1] + 1).min(replaced);
                computed += 1;
            }
        }
        if k >= m {
            let j = k - m + 1;
            on_last(j, e[j % 3][m]);
        }
        tick(computed)?;
    }
    Ok(())
}
