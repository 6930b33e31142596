//! Scores by lists of occurrences, for symbols that are rare in the text: each pair of equal symbols adds 1 to its
//! offset.
//!
//! ```text
//! for every symbol of the text, at p: for every row i of the pattern with this symbol: score[p − i] += 1
//! ```
//!
//! Takes O(window + pairs of equal symbols) time. This is the sparse half of Abrahamson's method (Generalized string
//! matching, SIAM J. Comput. 1987). [`compare`](super::compare) and [`spectrum`](super::spectrum) are the other half,
//! for frequent symbols.

use std::ops::Range;

use crate::symbol::Symbol;

/// Lists of the rows (positions in the pattern) of each symbol.
#[derive(Clone, Debug)]
pub(super) struct OccurrenceLists {
    /// The first rows of each symbol number. The last entry is for symbols that the pattern does not have.
    firsts: Vec<[u32; FIRST_ROWS]>,
    /// Index in `rows` of each symbol's remaining rows, and the end of the last ones.
    starts: Vec<u32>,
    /// The remaining rows of all symbols, ascending for each symbol.
    rows: Vec<u32>,
}

/// Number of rows that are always added for a symbol, whether it has as many or not. A branch on their number would be
/// mispredicted.
const FIRST_ROWS: usize = 2;
/// Stands for a row that a symbol does not have.
const ABSENT_ROW: u32 = u32::MAX;

/// Number of entries after the scores to which absent rows are added. They are used in turn, so that no addition waits
/// for another.
const ABSENT_ROW_ENTRIES: usize = 64;

/// Number of places of the text that are processed in turns, because consecutive additions to nearby scores would wait
/// for each other.
const INTERLEAVED_PLACES: usize = 16;

/// Minimum number of remaining rows of a symbol for which the first row that matters is found by binary search.
const MIN_BINARY_SEARCH_ROWS: usize = 16;

impl OccurrenceLists {
    /// Lists the rows of the symbols for which `is_listed` returns `true`. The symbols of `pattern` are below
    /// `alphabet`.
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

    /// Returns the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.firsts.as_slice()) + size_of_val(self.starts.as_slice()) + size_of_val(self.rows.as_slice())
    }

    /// Adds the pairs of equal symbols to the scores at the offsets `0..scores.len()` of `text`. Temporarily extends
    /// `scores` by padding.
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

    /// Adds 1 to the scores of the remaining rows of a symbol, which is at position `at` of the text. `rows` is their
    /// range.
    #[inline(never)]
    fn others(&self, at: usize, rows: Range<u32>, scores: &mut [u32]) {
        let mut rows = &self.rows[rows.start as usize..rows.end as usize];
        // Offsets `at` − `row` are below the number of scores.
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
