//! Pattern match vectors: for each symbol, where it is in `A`. Lines 5 to 10 of Listing 3 of paper 001.

use super::View;
use super::bit_parallel::WORD;

/// A bit vector for each distinct symbol of a text, where the paper has one for each of 256 bytes.
pub(super) struct Masks<T> {
    /// Distinct symbols, ascending.
    symbols: Vec<T>,
    bits: Vec<u64>,
    words: usize,
}

impl<T: Copy + Ord> Masks<T> {
    /// Time O(m log m + ⌈m/64⌉·s), memory O(⌈m/64⌉·s) words for s distinct symbols.
    pub(super) fn new(a: View<T>) -> Self {
        let mut symbols: Vec<T> = a.iter().collect();
        symbols.sort_unstable();
        symbols.dedup();
        let words = a.len().div_ceil(WORD);
        let mut bits = vec![0; symbols.len() * words];
        for (i, symbol) in a.iter().enumerate() {
            if let Ok(row) = symbols.binary_search(&symbol) {
                bits[row * words + i / WORD] |= 1 << (i % WORD);
            }
        }
        Self { symbols, bits, words }
    }

    /// Where a symbol is, the first position being the lowest bit of the first word; none for one that does not occur.
    pub(super) fn of(&self, symbol: T) -> Option<&[u64]> {
        let row = self.symbols.binary_search(&symbol).ok()?;
        Some(&self.bits[row * self.words..(row + 1) * self.words])
    }
}
