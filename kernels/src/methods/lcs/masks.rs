//! Masks: pattern match vectors, which mark the positions of each symbol in `A`. Lines 5 to 10 of Listing 3 of paper
//! 001.

use super::DirectedSymbols;
use super::bit_parallel::WORD;

/// For each distinct symbol of a text, a bit vector that marks its positions: bit `i mod 64` of word `i / 64` stands
/// for position `i`. In paper 001 there is one for each of 256 byte values.
pub(super) struct SymbolMasks<T> {
    /// Distinct symbols of the text, in ascending order.
    symbols: Vec<T>,
    /// Words of the bit vectors of all symbols, one vector after another in the order of `symbols`.
    bits: Vec<u64>,
    /// Number of words in each bit vector.
    words: usize,
}

impl<T: Copy + Ord> SymbolMasks<T> {
    /// Creates the bit vectors for the text `a`. Takes O(m log m + ⌈m/64⌉·s) time and O(⌈m/64⌉·s) words for s distinct
    /// symbols.
    pub(super) fn new(a: DirectedSymbols<T>) -> Self {
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

    /// Returns the bit vector that marks the positions of `symbol`, or `None` if the symbol does not occur. The first
    /// position is the lowest bit of the first word.
    pub(super) fn of(&self, symbol: T) -> Option<&[u64]> {
        let row = self.symbols.binary_search(&symbol).ok()?;
        Some(&self.bits[row * self.words..(row + 1) * self.words])
    }
}
