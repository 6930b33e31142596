//! Edit distance by its plain recurrence, with a cost for each kind of edit.

use kernels::alignment::{Alignment, EditKind};
use kernels::job::EditCosts;
use kernels::text::Pair;

/// Returns the edit distance of Levenshtein and one optimal alignment, like [`align_with_costs`].
pub fn align(pair: &Pair) -> (u64, Alignment) {
    align_with_costs(pair, EditCosts::LEVENSHTEIN)
}

/// Returns the least sum of `costs` and one optimal alignment. Takes O(|a||b|) time and memory, so that it suits small
/// texts only.
pub fn align_with_costs(pair: &Pair, costs: EditCosts) -> (u64, Alignment) {
    let (m, n) = (pair.a_symbols().len(), pair.b_symbols().len());
    let (a, b) = (|i: usize| pair.a_symbols().symbol_at(i - 1), |j: usize| pair.b_symbols().symbol_at(j - 1));
    // Lists the edits that can end in a cell, each with the numbers of symbols that it consumes and its cost.
    let edits = |i: usize, j: usize| {
        let mut edits = Vec::new();
        if i > 0 && j > 0 {
            let (edit, cost) =
                if super::matches(pair, i - 1, j - 1) { (EditKind::Equal, 0) } else { (EditKind::Substitute, costs.substitute) };
            edits.push((edit, 1, 1, u64::from(cost)));
        }
        if let Some(cost) = costs.transpose
            && i > 1
            && j > 1
            && a(i) != a(i - 1)
            && a(i) == b(j - 1)
            && a(i - 1) == b(j)
        {
            edits.push((EditKind::Transpose, 2, 2, u64::from(cost)));
        }
        if j > 0 {
            edits.push((EditKind::Insert, 0, 1, u64::from(costs.insert)));
        }
        if i > 0 {
            edits.push((EditKind::Delete, 1, 0, u64::from(costs.delete)));
        }
        edits
    };
    let mut d = vec![vec![0u64; n + 1]; m + 1];
    for i in 0..=m {
        for j in 0..=n {
            d[i][j] = edits(i, j).iter().map(|&(_, rows, columns, cost)| d[i - rows][j - columns] + cost).min().unwrap_or(0);
        }
    }
    let mut backwards = Alignment::default();
    let (mut i, mut j) = (m, n);
    while i > 0 || j > 0 {
        let optimal = edits(i, j).into_iter().find(|&(_, rows, columns, cost)| d[i][j] == d[i - rows][j - columns] + cost);
        let (edit, rows, columns, _) = optimal.expect("the value of a cell is one of its sums");
        backwards.push(edit, rows.max(columns) as u64);
        (i, j) = (i - rows, j - columns);
    }
    (d[m][n], backwards.reversed())
}
