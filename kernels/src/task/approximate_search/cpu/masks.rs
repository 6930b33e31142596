//! Equality masks: the positions of each of the pattern's symbols in a text, one bit per column.

use fearless_simd::{Simd, prelude::*, u8x64};

use super::rows::{LANES, LaneVector, WORD};
use crate::base_set::SymbolMatch;
use crate::symbol::Symbol;

/// Minimum number of distinct symbols in the pattern at which each text symbol is looked up in a table. With fewer,
/// each symbol of the pattern is compared with all columns.
const MIN_LOOKUP_SYMBOLS: usize = 64;

/// Index that stands for a symbol that is not in the pattern.
const ABSENT_SYMBOL: u32 = u32::MAX;

/// A pattern whose distinct symbols are numbered from 0.
pub(super) struct EncodedPattern<T> {
    /// Symbols that occur in the pattern, ascending.
    pub(super) distinct: Vec<T>,
    /// Lowest bytes of the symbols at the start of `distinct` that can be compared as bytes. These are all symbols if
    /// symbols are bytes, otherwise the symbols below 255. In the text, greater symbols become 255.
    low: Vec<u8>,
    /// For each row (symbol of the pattern), the index of its symbol in `distinct`.
    pub(super) rows: Vec<u32>,
    /// For each symbol of the alphabet, its index in `distinct`, or [`ABSENT_SYMBOL`]. Empty if text symbols are
    /// compared instead of looked up.
    places: Vec<u32>,
    symbol_match: SymbolMatch,
}

impl<T: Symbol> EncodedPattern<T> {
    /// Numbers the distinct symbols of a pattern, whose symbols are `rows`. Takes O(m log m) time, and O(`alphabet`)
    /// more if the pattern has many distinct symbols. An `alphabet` of 0 means that its size is unknown. Symbols match by
    /// `symbol_match`.
    pub(super) fn new(rows: impl Iterator<Item = T> + Clone, alphabet: u32, symbol_match: SymbolMatch) -> Self {
        let mut distinct: Vec<T> = rows.clone().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let place = |symbol: T| distinct.binary_search(&symbol).unwrap_or_default() as u32;
        let rows = rows.map(place).collect();
        let mut places = Vec::new();
        if distinct.len() >= MIN_LOOKUP_SYMBOLS && alphabet > 0 {
            places.resize(alphabet as usize, ABSENT_SYMBOL);
            distinct.iter().zip(0..).for_each(|(symbol, place)| places[symbol.number() as usize] = place);
        }
        let low = distinct.iter().take_while(|symbol| symbol.has_own_byte()).map(|symbol| symbol.lowest()).collect();
        Self { distinct, low, rows, places, symbol_match }
    }

    /// Returns the number of vectors in the equality masks of `words` words of columns per lane.
    pub(super) fn masks(&self, words: usize) -> usize {
        self.distinct.len() * words
    }

    /// Fills `masks`, ordered `[symbol][word]`, for `N` words of columns per lane. The columns of lane i begin at the
    /// position `at[i]` of the text `texts[i]`. Columns outside the text equal no symbol.
    #[inline(always)]
    pub(super) fn fill<S: Simd, const N: usize>(&self, s: S, texts: &[&[T]; LANES], at: &[isize; LANES], masks: &mut [LaneVector]) {
        if self.places.is_empty() {
            for lane in 0..LANES {
                self.compare::<S, N>(s, texts[lane], at[lane], lane, masks);
            }
        } else {
            masks.fill(LaneVector::default());
            for lane in 0..LANES {
                self.look_up::<N>(texts[lane], at[lane], lane, masks);
            }
        }
    }

    #[inline(always)]
    fn compare<S: Simd, const N: usize>(&self, s: S, text: &[T], at: isize, lane: usize, masks: &mut [LaneVector]) {
        let mut valid = [!0; N];
        let mut known = [[T::default(); WORD]; N];
        let none = [T::default(); WORD];
        let mut windows = [&none; N];
        let mut bytes = [u8x64::splat(s, 0); N];
        for (q, known) in known.iter_mut().enumerate() {
            let first = at + (WORD * q) as isize;
            windows[q] = match usize::try_from(first).ok().and_then(|first| text.get(first..)?.first_chunk()) {
                Some(symbols) => symbols,
                None => {
                    valid[q] = 0;
                    for (bit, symbol) in known.iter_mut().enumerate() {
                        if let Some(&there) = usize::try_from(first + bit as isize).ok().and_then(|at| text.get(at)) {
                            *symbol = there;
                            valid[q] |= 1 << bit;
                        }
                    }
                    known
                }
            };
            bytes[q] = T::saturated(s, windows[q]);
        }
        let (low, high) = masks.split_at_mut(self.low.len() * N);
        for (&symbol, masks) in self.low.iter().zip(low.as_chunks_mut::<N>().0) {
            for q in 0..N {
                let symbols = u8x64::splat(s, symbol);
                let equal = match self.symbol_match {
                    SymbolMatch::Equal => bytes[q].simd_eq(symbols).to_bitmask(),
                    SymbolMatch::Overlap => !(bytes[q] & symbols).simd_eq(u8x64::splat(s, 0)).to_bitmask(),
                };
                masks[q].0[lane] = equal & valid[q];
            }
        }
        for (&symbol, masks) in self.distinct[self.low.len()..].iter().zip(high.as_chunks_mut::<N>().0) {
            for q in 0..N {
                masks[q].0[lane] = T::bits(T::equal(s, windows[q], symbol.splat(s))) & valid[q];
            }
        }
    }

    fn look_up<const N: usize>(&self, text: &[T], at: isize, lane: usize, masks: &mut [LaneVector]) {
        let first = at.max(0) as usize;
        let end = (at + (WORD * N) as isize).clamp(0, text.len() as isize) as usize;
        for (symbol, column) in text.get(first..end).unwrap_or_default().iter().zip((first as isize - at) as usize..) {
            let place = self.places[symbol.number() as usize];
            if place != ABSENT_SYMBOL {
                masks[place as usize * N + column / WORD].0[lane] |= 1 << (column % WORD);
            }
        }
    }
}
