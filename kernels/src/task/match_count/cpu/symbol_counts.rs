//! Frequencies of symbols in the pattern and in the text.

use crate::symbol::Symbol;

/// Frequencies of symbols in a pattern and a text.
pub(super) struct SymbolCounts {
    /// Number of occurrences in the pattern, by symbol number.
    pub(super) rows: Vec<u32>,
    /// Estimated fraction of the text, by symbol number.
    share: Vec<f64>,
    /// Number of distinct symbols in the pattern.
    pub(super) distinct: usize,
}

impl SymbolCounts {
    /// Counts the symbols of the pattern `symbols`, and estimates their fractions of a text from `sample`. Takes
    /// O(|symbols| + |sample|) time.
    pub(super) fn new<T: Symbol>(symbols: &[T], sample: &[T]) -> Self {
        let above = symbols.iter().map(|&symbol| symbol.number() as usize + 1).max().unwrap_or(0);
        let mut rows = vec![0; above];
        symbols.iter().for_each(|&symbol| rows[symbol.number() as usize] += 1);
        let mut share = vec![0.0; above];
        let sample = if sample.is_empty() { symbols } else { sample };
        for &symbol in sample {
            if let Some(share) = share.get_mut(symbol.number() as usize) {
                *share += 1.0 / sample.len() as f64;
            }
        }
        let distinct = rows.iter().filter(|rows| **rows > 0).count();
        Self { rows, share, distinct }
    }

    /// Returns the expected number of pairs of equal symbols at one offset, of the symbol with the number `symbol`.
    pub(super) fn pairs(&self, symbol: usize) -> f64 {
        f64::from(self.rows[symbol]) * self.share[symbol]
    }
}
