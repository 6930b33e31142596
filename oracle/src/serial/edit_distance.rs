//! Edit distance by its plain recurrence.

use kernels::alignment::{Alignment, EditKind};
use kernels::text::Pair;

/// Returns the edit distance and one optimal alignment. Takes O(|a||b|) time and memory, so that it suits small texts
/// only.
pub fn align(pair: &Pair) -> (u64, Alignment) {
    let (m, n) = (pair.a_symbols.len(), pair.b_symbols.len());
    let equal = |i: usize, j: usize| pair.a_symbols.symbol_at(i - 1) == pair.b_symbols.symbol_at(j - 1);
    let mut d = vec![vec![0u64; n + 1]; m + 1];
    for i in 0..=m {
        for j in 0..=n {
            d[i][j] = match (i, j) {
                (0, j) => j as u64,
                (i, 0) => i as u64,
                (i, j) => (d[i - 1][j - 1] + u64::from(!equal(i, j))).min(d[i - 1][j] + 1).min(d[i][j - 1] + 1),
            };
        }
    }
    let mut backwards = Alignment::default();
    let (mut i, mut j) = (m, n);
    while i > 0 || j > 0 {
        if i > 0 && j > 0 && d[i][j] == d[i - 1][j - 1] + u64::from(!equal(i, j)) {
            backwards.push(if equal(i, j) { EditKind::Equal } else { EditKind::Substitute }, 1);
            (i, j) = (i - 1, j - 1);
        } else if j > 0 && d[i][j] == d[i][j - 1] + 1 {
            backwards.push(EditKind::Insert, 1);
            j -= 1;
        } else {
            backwards.push(EditKind::Delete, 1);
            i -= 1;
        }
    }
    (d[m][n], backwards.reversed())
}
