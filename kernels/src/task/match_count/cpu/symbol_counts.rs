//! How often symbols occur in the pattern and in the text.

use crate::symbol::Symbol;

/// How often symbols occur.
pub(super) struct SymbolCounts {
    /// In the pattern, by symbol.
    pub(super) rows: Vec<u32>,
    /// Share of the text, by symbol.
    share: Vec<f64>,
    /// Symbols that the pattern has.
    pub(super) distinct: usize,
}

impl SymbolCounts {
    /// Of a pattern, and of a text by some of its symbols. Time O(|symbols| + |sample|).
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

    /// Pairs of equal symbols for each offset, of one symbol.
    pub(super) fn pairs(&self, symbol: usize) -> f64 {
        f64::from(self.rows[symbol]) * self.share[symbol]
    }
}
