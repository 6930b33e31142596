//! Solves pairs whose answer follows from how often symbols occur: texts without a common symbol, or with a single one.
//! A sweep of their matrix is wasted, and no other shortcut helps, because nothing is similar.
//!
//! [`solve`] computes the score and an alignment, and [`is_known`] tells whether it can. For texts of m and n symbols,
//! m ≤ n, with a longest common subsequence of length L:
//!
//! ```text
//! no common symbol:                        distance = n,             L = 0
//! one common symbol c, p and q times:      L = min(p, q): a common subsequence consists of c alone
//! the same, and one text is c repeated:    distance = n − min(p, q)
//! ```
//!
//! Proof of the last line: let a be c repeated m times, and let b contain c q times. Every alignment has at least
//! max(m, n) columns, of which at most min(m, q) are equal, so distance ≥ max(m, n) − min(m, q). The traceback of
//! [`aligned`] reaches this bound.

use crate::alignment::{Alignment, EditKind};
use crate::symbol::Symbol;

/// Number of symbols read from each text before the other text is read again.
const CHUNK: usize = 4096;

/// Number of symbols read first from each text. They contain several common symbols of most texts.
const FIRST_CHUNK: usize = 64;

/// The symbols that occur in both of two texts: none, one or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommonSymbols<T> {
    Nothing,
    /// Exactly one symbol, which this variant holds.
    One(T),
    Many,
}

/// Finds the common symbols of `a` and `b`, whose symbols are below `alphabet`. Takes O(|a| + |b| + alphabet) time, and
/// returns early once two common symbols are found.
fn common<T: Symbol>(a: &[T], b: &[T], alphabet: u32) -> CommonSymbols<T> {
    let mut occurs = vec![[false; 2]; alphabet as usize];
    let mut found = CommonSymbols::Nothing;
    let mut at = 0;
    while at < a.len().max(b.len()) {
        let end = at + if at == 0 { FIRST_CHUNK } else { CHUNK };
        for (side, text) in [a, b].into_iter().enumerate() {
            for &symbol in text.get(at..text.len().min(end)).unwrap_or_default() {
                let here = &mut occurs[symbol.number() as usize];
                if !here[side] {
                    here[side] = true;
                    if here[1 - side] {
                        match found {
                            CommonSymbols::Nothing => found = CommonSymbols::One(symbol),
                            CommonSymbols::One(_) | CommonSymbols::Many => return CommonSymbols::Many,
                        }
                    }
                }
            }
        }
        at = end;
    }
    found
}

/// The edits that a task allows, and the score that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairCost {
    /// Allows substitutions, insertions and deletions. The score is the number of these edits.
    EditDistance,
    /// Allows insertions and deletions only. The score is the number of equal columns of the alignment.
    Subsequence,
}

/// Returns whether [`solve`] would return a score for the same arguments. Takes O(|a| + |b| + alphabet) time.
pub(crate) fn is_known<T: Symbol>(a: &[T], b: &[T], alphabet: u32, cost: PairCost) -> bool {
    known(a, b, alphabet, cost).is_some()
}

/// Computes the score of `a` and `b` for the edits of `cost`, and an optimal alignment if `is_aligned`. Returns `None`
/// if the score does not follow from how often symbols occur. Symbols must be below `alphabet`. Takes O(|a| + |b| +
/// alphabet) time.
pub(crate) fn solve<T: Symbol>(a: &[T], b: &[T], alphabet: u32, cost: PairCost, is_aligned: bool) -> Option<(u64, Option<Alignment>)> {
    let common = known(a, b, alphabet, cost)?;
    let count = |text: &[T]| common.map_or(0, |common| text.iter().filter(|&&symbol| symbol == common).count());
    let equal = count(a).min(count(b)) as u64;
    let score = match cost {
        PairCost::EditDistance => a.len().max(b.len()) as u64 - equal,
        PairCost::Subsequence => equal,
    };
    Some((score, is_aligned.then(|| aligned(a, b, common, cost))))
}

/// Returns the only symbol that `a` and `b` have in common, as `Some(Some(symbol))`, or `Some(None)` if they have none.
/// Returns `None` if the numbers of occurrences do not determine the score. They do not determine it if there are two
/// or more common symbols. For [`PairCost::EditDistance`], they determine it with one common symbol only if a text
/// consists of that symbol alone. Symbols must be below `alphabet`.
fn known<T: Symbol>(a: &[T], b: &[T], alphabet: u32, cost: PairCost) -> Option<Option<T>> {
    match common(a, b, alphabet) {
        CommonSymbols::Nothing => Some(None),
        CommonSymbols::One(symbol) => {
            let is_repeated = |text: &[T]| text.iter().all(|&other| other == symbol);
            (cost == PairCost::Subsequence || is_repeated(a) || is_repeated(b)).then_some(Some(symbol))
        }
        CommonSymbols::Many => None,
    }
}

/// Builds an optimal alignment of `a` and `b`, whose only common symbol is `common` (`None` if they have none), for the
/// edits of `cost`. Of several optimal alignments, this is the one that a traceback of the matrix finds. Takes O(|a| +
/// |b|) time.
fn aligned<T: Symbol>(a: &[T], b: &[T], common: Option<T>, cost: PairCost) -> Alignment {
    let is_common = |symbol: T| Some(symbol) == common;
    let mut left = [a, b].map(|text| text.iter().filter(|&&symbol| is_common(symbol)).count());
    let (mut i, mut j, mut backwards) = (a.len(), b.len(), Alignment::default());
    while i > 0 && j > 0 {
        let (x, y) = (is_common(a[i - 1]), is_common(b[j - 1]));
        let edit = match (x, y) {
            (true, true) => EditKind::Equal,
            // This occurrence of the common symbol is needed for an equal column nearer the start, because the other
            // text has at least as many occurrences.
            (true, false) if cost == PairCost::Subsequence || left[0] == i && left[1] >= left[0] => EditKind::Insert,
            (false, true) if cost == PairCost::Subsequence || left[1] == j && left[0] >= left[1] => EditKind::Delete,
            _ if cost == PairCost::Subsequence => EditKind::Delete,
            _ => EditKind::Substitute,
        };
        backwards.push(edit, 1);
        let (di, dj) = edit.consumed_symbols();
        (i, j) = (i - di as usize, j - dj as usize);
        left = [left[0] - usize::from(x && di == 1), left[1] - usize::from(y && dj == 1)];
    }
    backwards.push(EditKind::Delete, i as u64);
    backwards.push(EditKind::Insert, j as u64);
    backwards.reversed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, random, serial};

    #[test]
    fn answers_agree_with_the_matrix() {
        let mut answered = [0; 3];
        for seed in 0..600u64 {
            let (x, y) = [(&b"a"[..], &b"b"[..]), (b"a", b"ab"), (b"abc", b"ade"), (b"ab", b"cd"), (b"abb", b"b")][seed as usize % 5];
            let a = random(x, seed as usize / 5 % 13, seed);
            let b = random(y, seed as usize / 65 % 11, seed + 1);
            for (a, b) in [(&a, &b), (&b, &a)] {
                let pair = bytes(a, b);
                for (at, cost) in [PairCost::EditDistance, PairCost::Subsequence].into_iter().enumerate() {
                    let Some((score, alignment)) = solve(a, b, 256, cost, true) else {
                        answered[2] += 1;
                        continue;
                    };
                    answered[at] += 1;
                    let alignment = alignment.unwrap();
                    let summary = alignment.summary();
                    assert_eq!(alignment.check(a, b), Ok(()), "{a:?}, {b:?}, {cost:?}");
                    let (expected, of_alignment) = match cost {
                        PairCost::EditDistance => (serial::edit_distance::align(&pair).0, summary.distance()),
                        PairCost::Subsequence => (serial::lcs::align(&pair).0, summary.matches),
                    };
                    assert_eq!((score, of_alignment), (expected, expected), "{a:?}, {b:?}, {cost:?}");
                    assert!(cost == PairCost::EditDistance || summary.mismatches == 0);
                    if cost == PairCost::EditDistance {
                        assert_eq!(alignment.clone().left_aligned(a, b), alignment, "{a:?}, {b:?}");
                    }
                }
            }
        }
        assert!(answered.iter().all(|&count| count > 50), "{answered:?}");
    }

    #[test]
    fn common_symbols_are_found_anywhere() {
        let (mut a, b) = (vec![0u8; 3 * CHUNK], vec![1u8; CHUNK + 1]);
        assert_eq!(common(&a, &b, 4), CommonSymbols::Nothing);
        a[3 * CHUNK - 1] = 1;
        assert_eq!(common(&a, &b, 4), CommonSymbols::One(1));
        assert_eq!(common(&[&a[..], &[2]].concat(), &[&b[..], &[2]].concat(), 4), CommonSymbols::Many);
    }
}
