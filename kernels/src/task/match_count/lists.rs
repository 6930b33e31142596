//! Scores by lists of occurrences, for symbols that are rare in the text: each pair of equal symbols adds 1 where it lies.
//!
//! ```text
//! for every symbol of the text, at p: for every row i of the pattern with this symbol: score[p − i] += 1
//! ```
//!
//! Time O(window + pairs of equal symbols): the sparse half of Abrahamson's method (Generalized string matching, SIAM J. Comput.
//! 1987). The other half, frequent symbols, is for [`compare`](super::compare) and [`spectrum`](super::spectrum).

use super::codes::Symbol;

/// Rows of the pattern by symbol.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    /// Where a symbol's rows begin; one more than there are symbols.
    starts: Vec<u32>,
    /// Positions in the pattern, ascending for each symbol.
    rows: Vec<u32>,
}

/// Rows from which the first one that matters is looked for by halving.
const LONG: usize = 16;

impl Lists {
    /// The rows of these symbols of the pattern, whose symbols are below `alphabet`.
    pub(super) fn new<T: Symbol>(pattern: &[T], alphabet: usize, is_listed: impl Fn(usize) -> bool) -> Self {
        let mut starts = vec![0; alphabet + 1];
        let listed = || (0..).zip(pattern).map(|(row, &symbol)| (row, symbol.into() as usize)).filter(|(_, symbol)| is_listed(*symbol));
        listed().for_each(|(_, symbol)| starts[symbol + 1] += 1);
        (0..alphabet).for_each(|symbol| starts[symbol + 1] += starts[symbol]);
        let mut next = starts.clone();
        let mut rows = vec![0; starts[alphabet] as usize];
        for (row, symbol) in listed() {
            rows[next[symbol] as usize] = row;
            next[symbol] += 1;
        }
        Self { starts, rows }
    }

    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.starts.as_slice()) + size_of_val(self.rows.as_slice())
    }

    /// Adds to the scores at the offsets `0..scores.len()` of this text.
    pub(super) fn add<T: Symbol>(&self, text: &[T], scores: &mut [u32]) {
        for (at, &symbol) in text.iter().enumerate() {
            let symbol = symbol.into() as usize;
            let (Some(&start), Some(&end)) = (self.starts.get(symbol), self.starts.get(symbol + 1)) else { continue };
            let mut rows = &self.rows[start as usize..end as usize];
            // Offsets at − row are below the scores' number.
            let least = (at + 1).saturating_sub(scores.len());
            if rows.len() > LONG {
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
}
