//! Planes: bit planes of the symbols of both texts. Plane p holds bit p of many symbols side by side. Tiles of the
//! matrix find symbols that match by comparing planes.

use std::convert::Infallible;

use super::WORD;
use super::tile::{self, PAD};
use super::tiling::TileHeight;
use crate::base_set::SymbolMatch;
use crate::symbol::Symbol;

/// Number of words written between two checks for a stop: 128 KiB. If the system has to clear the memory first, this
/// takes a millisecond.
const PLANE_CHECK_INTERVAL: usize = 1 << 14;

/// Bit planes of the symbols of both texts of a matrix. With `count` planes, they take `count` bits of memory per row
/// and `count` machine words per column.
pub(crate) struct BitPlanes {
    /// Number of bit planes, at least the number of bits of a symbol.
    pub(super) count: usize,
    pub(super) symbol_match: SymbolMatch,
    /// Bit planes of the text of the rows, `[word][plane]`, padded to whole tiles. Inverted if equal symbols match.
    rows: Vec<u64>,
    /// Bit planes of the text of the columns, `[plane][PAD + column]`, with a word of equal bits for each column.
    pub(super) columns: Vec<Vec<u64>>,
}

/// Returns a word with bit `p` of up to 64 symbols, the first symbol in the lowest bit. Takes eight symbols at a time:
/// a product moves the lowest bits of eight bytes into the highest byte.
fn plane<T: Symbol>(symbols: &[T], p: usize) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let bit = |symbol: &T| (symbol.number() >> p & 1) as u8;
    let (eights, rest) = symbols.as_chunks::<8>();
    let whole = eights.iter().enumerate().fold(0, |word, (at, eight)| {
        let bits = u64::from_le_bytes(eight.each_ref().map(bit)).wrapping_mul(GATHER) >> 56;
        word | bits << (8 * at)
    });
    rest.iter().enumerate().fold(whole, |word, (at, symbol)| word | u64::from(bit(symbol)) << (8 * eights.len() + at))
}

impl BitPlanes {
    /// Computes the bit planes of `a` (rows) and `b` (columns), for tiles of any height. Equal symbols match. Takes
    /// O(planes · (|a| + |b|)) time.
    pub(crate) fn new<T: Symbol>(a: &[T], b: &[T]) -> Self {
        let Ok(planes) = Self::new_with_checks(a, b, SymbolMatch::Equal, &mut || Ok::<_, Infallible>(()));
        planes
    }

    /// Computes the bit planes like [`new`](Self::new) for symbols that match by `symbol_match`. Calls `look` every
    /// [`PLANE_CHECK_INTERVAL`] words. An error of `look` ends the computation.
    ///
    /// # Errors
    /// Returns the error of `look`.
    pub(crate) fn new_with_checks<T: Symbol, E>(
        a: &[T],
        b: &[T],
        symbol_match: SymbolMatch,
        look: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let highest = a.iter().chain(b).map(|symbol| symbol.number()).max().unwrap_or(0);
        let count = tile::planes((u32::BITS - highest.leading_zeros()) as usize);
        let mut rows = vec![0u64; a.len().div_ceil(WORD).next_multiple_of(TileHeight::MAX_TILE_WORDS) * count];
        let words = (PLANE_CHECK_INTERVAL / count).max(1);
        for (symbols, rows) in a.chunks(words * WORD).zip(rows.chunks_mut(words * count)) {
            look()?;
            for (symbols, words) in symbols.chunks(WORD).zip(rows.chunks_exact_mut(count)) {
                words.iter_mut().enumerate().for_each(|(p, word)| *word = plane(symbols, p));
            }
        }
        if symbol_match.is_equality() {
            rows.iter_mut().for_each(|word| *word = !*word);
        }
        let columns = (0..count)
            .map(|p| {
                // Memory from the system is zero already.
                let mut plane = vec![0; b.len() + 4 * PAD];
                let word = |symbol: &T| 0u64.wrapping_sub(u64::from(symbol.number() >> p & 1));
                for (columns, symbols) in plane[PAD..].chunks_mut(PLANE_CHECK_INTERVAL).zip(b.chunks(PLANE_CHECK_INTERVAL)) {
                    look()?;
                    columns.iter_mut().zip(symbols).for_each(|(column, symbol)| *column = word(symbol));
                }
                Ok(plane)
            })
            .collect::<Result<_, E>>()?;
        Ok(Self { count, symbol_match, rows, columns })
    }

    /// Returns the bit planes of `words` words of 64 rows, from the word `word` on.
    pub(super) fn rows(&self, word: usize, words: usize) -> &[u64] {
        &self.rows[word * self.count..(word + words) * self.count]
    }

    /// Returns the memory of all bit planes in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.rows.len() + self.columns.iter().map(Vec::len).sum::<usize>()) as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_runs_at_every_interval_of_written_words() {
        let (a, b) = (vec![b'T'; 3 * PLANE_CHECK_INTERVAL * WORD], vec![b'G'; 3 * PLANE_CHECK_INTERVAL]);
        let mut looks = 0;
        let planes = BitPlanes::new_with_checks(&a, &b, SymbolMatch::Equal, &mut || {
            looks += 1;
            Ok::<_, Infallible>(())
        });
        // The number of words of all planes.
        let Ok(planes) = planes;
        assert_eq!(looks, 2 * 3 * planes.count);
        let mut left = 5;
        let stopped = BitPlanes::new_with_checks(&a, &b, SymbolMatch::Equal, &mut || {
            left -= 1;
            if left == 0 { Err("stop") } else { Ok(()) }
        });
        assert_eq!(stopped.err(), Some("stop"));
    }

    #[test]
    fn planes_contain_every_bit() {
        let mut rng = fastrand::Rng::with_seed(1);
        for len in [0, 1, 7, 8, 9, 63, 64] {
            let symbols: Vec<u32> = (0..len).map(|_| rng.u32(..)).collect();
            for p in 0..32 {
                let expected = symbols.iter().rev().fold(0u64, |word, symbol| word << 1 | u64::from(symbol >> p & 1));
                assert_eq!(plane(&symbols, p), expected, "{len} symbols, plane {p}");
            }
        }
    }
}
