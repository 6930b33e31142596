//! Scores by lists of occurrences, for symbols that are rare in the text: each pair of equal symbols adds 1 to the
//! score at its offset.
//!
//! ```text
//! for every symbol of the text, at p: for every position i of this symbol in the pattern: score[p − i] += 1
//! ```
//!
//! Takes O(|text| + pairs of equal symbols) time. This is the sparse half of Abrahamson's method (Generalized string
//! matching, SIAM J. Comput. 1987). [`compare`](super::compare) and [`spectrum`](super::spectrum) are its dense half,
//! for frequent symbols.

use std::ops::Range;

use crate::symbol::Symbol;

/// Lists of occurrences: the positions of each symbol in the pattern (rows).
#[derive(Clone, Debug)]
pub(super) struct OccurrenceLists {
    /// For each symbol number, the first [`FIRST_ROWS`] positions of the symbol in the pattern, filled with
    /// [`ABSENT_ROW`]. The last entry is for symbols that the pattern does not have.
    firsts: Vec<[u32; FIRST_ROWS]>,
    /// For each symbol number, the index in `rows` at which the remaining positions of the symbol begin. They end where
    /// those of the next symbol begin.
    starts: Vec<u32>,
    /// The remaining positions of all symbols in the pattern, ascending for each symbol.
    rows: Vec<u32>,
}

/// Number of positions in the pattern that are processed for every symbol, whether it has as many or not. A branch on
/// their number would be mispredicted.
const FIRST_ROWS: usize = 2;
/// Entry for a position that a symbol does not have, because it occurs fewer times in the pattern.
const ABSENT_ROW: u32 = u32::MAX;

/// Number of entries after the scores that receive the additions for [`ABSENT_ROW`]. They are used in turn, so that no
/// addition waits for another.
const ABSENT_ROW_ENTRIES: usize = 64;

/// Number of positions of the text, far apart, that are processed in turns. Consecutive additions to nearby scores
/// would wait for each other.
const INTERLEAVED_PLACES: usize = 16;

/// If a symbol has more remaining positions than this number, a binary search skips those whose offset lies behind the
/// last score.
const MIN_BINARY_SEARCH_ROWS: usize = 16;

impl OccurrenceLists {
    /// Lists the positions in `pattern` of the symbols for which `is_listed` returns `true`. `is_listed` receives a
    /// symbol number. The symbols of `pattern` are below `alphabet`.
    pub(super) fn new<T: Symbol>(pattern: &[T], alphabet: usize, is_listed: impl Fn(usize) -> bool) -> Self {
        let listed = || (0..).zip(pattern).map(|(row, &symbol)| (row, symbol.number() as usize)).filter(|(_, symbol)| is_listed(*symbol));
        let mut firsts = vec![[ABSENT_ROW; FIRST_ROWS]; alphabet + 1];
        let mut starts = vec![0; alphabet + 1];
        let mut others = Vec::new();
        for (row, symbol) in listed() {
            match firsts[symbol].iter_mut().find(|first| **first == ABSENT_ROW) {
                Some(first) => *first = row,
                None => {
                    starts[symbol + 1] += 1;
                    others.push((row, symbol));
                }
            }
        }
        (0..alphabet).for_each(|symbol| starts[symbol + 1] += starts[symbol]);
        let mut next = starts.clone();
        let mut rows = vec![0; others.len()];
        for (row, symbol) in others {
            rows[next[symbol] as usize] = row;
            next[symbol] += 1;
        }
        Self { firsts, starts, rows }
    }

    /// Returns the memory of the lists in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.firsts.as_slice()) + size_of_val(self.starts.as_slice()) + size_of_val(self.rows.as_slice())
    }

    /// Adds the pairs of equal symbols of the pattern and `text` to the scores at the offsets `0..scores.len()`.
    /// Temporarily extends `scores` by padding.
    pub(super) fn add<T: Symbol>(&self, text: &[T], scores: &mut Vec<u32>) {
        let offsets = scores.len();
        let absent = self.firsts.len() - 1;
        scores.resize(offsets + ABSENT_ROW_ENTRIES, 0);
        let stride = text.len().div_ceil(INTERLEAVED_PLACES);
        for at in (0..stride).flat_map(|first| (first..text.len()).step_by(stride)) {
            let symbol = (text[at].number() as usize).min(absent);
            for row in self.firsts[symbol] {
                let offset = at.wrapping_sub(row as usize);
                let offset = if offset < offsets && row != ABSENT_ROW { offset } else { offsets + at % ABSENT_ROW_ENTRIES };
                scores[offset] += 1;
            }
            let (start, end) = (self.starts[symbol], self.starts[(symbol + 1).min(absent)]);
            if start < end {
                self.others(at, start..end, &mut scores[..offsets]);
            }
        }
        scores.truncate(offsets);
    }

    /// Adds 1 to the scores of the remaining positions of one symbol, which the text has at position `at`. `rows` is
    /// the range of these positions in `self.rows`.
    #[inline(never)]
    fn others(&self, at: usize, rows: Range<u32>, scores: &mut [u32]) {
        let mut rows = &self.rows[rows.start as usize..rows.end as usize];
        // Only offsets `at` − `row` below the number of scores are needed.
        let least = (at + 1).saturating_sub(scores.len());
        if rows.len() > MIN_BINARY_SEARCH_ROWS {
            rows = &rows[rows.partition_point(|&row| (row as usize) < least)..];
        }
        for &row in rows {
            match at.checked_sub(row as usize) {
                None => break,
                Some(offset) => scores.get_mut(offset).into_iter().for_each(|score| *score += 1),
            }
        }
    }
}
