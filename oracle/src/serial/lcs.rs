//! Longest common subsequence by its plain recurrence.

use kernels::alignment::{Alignment, EditKind};
use kernels::event::TaskAnswer;
use kernels::job::JobOptions;
use kernels::task::Solution;
use kernels::text::Pair;

/// Returns the length of a longest common subsequence and an alignment that contains one. Takes O(|a||b|) time and
/// memory, so that it suits small texts only.
pub fn align(pair: &Pair) -> (u64, Alignment) {
    let (m, n) = (pair.a_symbols().len(), pair.b_symbols().len());
    let equal = |i: usize, j: usize| super::matches(pair, i - 1, j - 1);
    let mut l = vec![vec![0u64; n + 1]; m + 1];
    for i in 1..=m {
        for j in 1..=n {
            l[i][j] = if equal(i, j) { l[i - 1][j - 1] + 1 } else { l[i - 1][j].max(l[i][j - 1]) };
        }
    }
    let mut backwards = Alignment::default();
    let (mut i, mut j) = (m, n);
    while i > 0 || j > 0 {
        if i > 0 && j > 0 && equal(i, j) {
            backwards.push(EditKind::Equal, 1);
            (i, j) = (i - 1, j - 1);
        } else if j > 0 && (i == 0 || l[i][j] == l[i][j - 1]) {
            backwards.push(EditKind::Insert, 1);
            j -= 1;
        } else {
            backwards.push(EditKind::Delete, 1);
            i -= 1;
        }
    }
    (l[m][n], backwards.reversed())
}

/// Solves the longest common subsequence by its definition, with one thread and without any optimization.
pub fn solve(pair: &Pair, options: &JobOptions) -> Solution {
    let (length, alignment) = align(pair);
    let alignment = options.alignment.then_some(alignment);
    Solution { answer: TaskAnswer::Lcs { length, alignment: alignment.as_ref().map(Alignment::summary) }, alignment, found: None }
}
