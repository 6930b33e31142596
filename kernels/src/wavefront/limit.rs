//! What can lie on an alignment that costs no more than a bound: a corridor in the band, found while it is swept.
//!
//! A cell (i, j) lies on an alignment of at most `most` edits only if D[i, j] and what the rest costs at least come to no more
//! than `most`. The rest costs at least its difference in length, and at least one edit for each seed: `a` is cut into seeds of
//! a few symbols, and one that occurs nowhere in `b` has an edit of its own in every alignment (the seed heuristic of A*, Ivanov et
//! al. 2022, Groot Koerkamp and Ivanov 2024, here with exact matches and without chaining).
//!
//! The values along the top of a strip are known when it is swept, so that it need begin only at the first column where that
//! holds. From the last such column j0 an alignment reaches the bottom of the strip at most `rows` columns further by equal
//! symbols, and one more for each edit that is left:
//!
//! ```text
//! j1 ≤ j0 + rows + most − D[i0, j0] − rest(i1)
//! ```
//!
//! j − D[i0, j] never falls with j, so that the right end of the word of j0 will do for j0. What is left out is replaced by
//! differences of +1, real edit scripts that are no better, so that everything inside stays an upper bound, and exact wherever
//! an alignment within the bound goes.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::border::{Border, State};
use super::{Differences, Symbol, WORD};

/// Bits of the table of seeds for one symbol of `b`: one seed in so many is taken for another one.
const BITS_PER_SYMBOL: usize = 64;

/// Columns of the border above that a strip waits for at a time while it looks for its first one.
const WAITED: usize = 1024;

/// A bound of the whole, and what the rest costs at least from the top of every strip on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    most: u64,
    /// Seeds that occur nowhere in `b`, from the first row of each strip on; 0 at the end.
    rest: Vec<u64>,
}

impl Limit {
    /// For strips of `rows` rows of `a`. Time O(|a| + |b|); memory 16 bytes a symbol of `b` while it is made.
    pub(crate) fn new<T: Symbol>(a: &[T], b: &[T], rows: usize, most: u64) -> Self {
        let len = seed_len(a, b);
        let mut rest = vec![0; a.len().div_ceil(rows) + 1];
        let table = Table::of(b, len);
        for (number, seed) in a.chunks_exact(len).enumerate() {
            if !table.may_hold(seed) {
                rest[number * len / rows] += 1;
            }
        }
        // A seed over the border of two strips counts for the upper one only, in which it begins.
        let mut sum = 0;
        for strip in rest.iter_mut().rev() {
            sum += *strip;
            *strip = sum;
        }
        Self { most, rest }
    }

    /// Memory while it is made, for a text of so many columns.
    pub(crate) fn bytes(columns: usize) -> u64 {
        (Table::size(columns) / 8) as u64
    }

    /// What the first cell of a path may cost on the top of a strip: all but the rest.
    fn left(&self, strip: usize) -> u64 {
        self.most.saturating_sub(self.rest[strip])
    }
}

/// Symbols of a seed: so many that few occur in an unrelated text of this length by chance.
fn seed_len<T: Symbol>(a: &[T], b: &[T]) -> usize {
    let mut seen = [false; 256];
    a.iter().step_by(1 + a.len() / 4096).for_each(|symbol| seen[symbol.number() as usize % 256] = true);
    // Rare symbols tell little apart.
    let letters = seen.iter().filter(|seen| **seen).count().clamp(2, 16) as f64;
    (1.2 * (b.len() as f64).ln() / letters.ln()).ceil() as usize + 2
}

/// Which seeds occur, as a bit set of their hashes.
struct Table {
    bits: Vec<u64>,
    shift: u32,
}

impl Table {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

    fn of<T: Symbol>(text: &[T], len: usize) -> Self {
        let size = Self::size(text.len());
        let mut table = Self { bits: vec![0; size / WORD], shift: u64::BITS - size.trailing_zeros() };
        let leaving = (0..len).fold(1u64, |power, _| power.wrapping_mul(Self::FACTOR));
        let mut hash = 0u64;
        for (at, symbol) in text.iter().enumerate() {
            hash = Self::add(hash, *symbol);
            if at >= len {
                hash = hash.wrapping_sub(leaving.wrapping_mul(u64::from(text[at - len].number()) + 1));
            }
            if at + 1 >= len {
                let place = table.place(hash);
                table.bits[place / WORD] |= 1 << (place % WORD);
            }
        }
        table
    }

    /// Bits for a text of so many symbols.
    fn size(symbols: usize) -> usize {
        (symbols * BITS_PER_SYMBOL).next_power_of_two().max(WORD)
    }

    fn add<T: Symbol>(hash: u64, symbol: T) -> u64 {
        hash.wrapping_mul(Self::FACTOR).wrapping_add(u64::from(symbol.number()) + 1)
    }

    fn place(&self, hash: u64) -> usize {
        let mixed = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> self.shift) as usize
    }

    /// Whether the seed may occur: never `false` for one that does.
    fn may_hold<T: Symbol>(&self, seed: &[T]) -> bool {
        let place = self.place(seed.iter().fold(0, |hash, symbol| Self::add(hash, *symbol)));
        self.bits[place / WORD] >> (place % WORD) & 1 == 1
    }
}

/// One strip in a limit.
pub(super) struct Corridor<'c> {
    pub(super) limit: &'c Limit,
    pub(super) strip: usize,
    pub(super) rows: &'c Range<usize>,
    /// Rows and columns of the matrix.
    pub(super) size: (usize, usize),
}

impl Corridor<'_> {
    /// First column that the strip needs, a multiple of 64; `None` when the sweep was given up.
    pub(super) fn first<const K: usize>(&self, above: &Border<K>, columns: &Range<usize>, given_up: &AtomicBool) -> Option<usize> {
        let from = above.first(given_up)?.max(columns.start).min(columns.end / WORD * WORD);
        let mut at = from;
        while at < columns.end {
            let part = at..(at + WAITED).min(columns.end);
            let state = above.wait(part.end, given_up)?;
            let found = above.words(&state, part.clone()).find(|&(column, left, word)| self.survives(column, left, word));
            if let Some((column, ..)) = found {
                return Some(column);
            }
            at = part.end;
        }
        // No alignment is within the bound: then the bound was none, and nothing may be left out.
        Some(from)
    }

    /// End of the columns that the strip needs, when what lies above is complete.
    pub(super) fn end<const K: usize>(&self, above: &Border<K>, state: &State<K>, columns: Range<usize>) -> usize {
        let words = above.words(state, columns.clone()).filter(|&(column, left, word)| self.survives(column, left, word));
        let Some((column, left, word)) = words.last() else { return columns.end };
        let value = left.saturating_add_signed(word.rise()) as i64;
        let reach = (column + WORD + self.rows.len()) as i64 + self.limit.left(self.strip + 1) as i64 - value;
        (reach.max((columns.start + WORD) as i64) as usize).next_multiple_of(WORD).min(columns.end)
    }

    /// Whether an alignment within the bound may cross the top of the strip in these 64 columns.
    fn survives<const K: usize>(&self, column: usize, left: u64, word: Differences<K>) -> bool {
        let least = left.saturating_sub(word.falls());
        // Where the rest of both texts is equally long.
        let even = (self.rows.start + self.size.1) as i64 - self.size.0 as i64;
        let apart = (column as i64 - even).max(even - (column + WORD) as i64).max(0) as u64;
        least <= self.limit.left(self.strip) && least + apart <= self.limit.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn a_seed_that_occurs_is_always_found() {
        let text = random(b"ACGT", 5000, 1);
        let table = Table::of(&text, 9);
        assert!(text.windows(9).all(|seed| table.may_hold(seed)));
        let other = random(b"ACGT", 5000, 2);
        let found = other.windows(9).filter(|seed| table.may_hold(seed)).count();
        assert!(found < 500, "{found} of 4992");
    }

    #[test]
    fn the_rest_counts_the_seeds_that_are_nowhere() {
        let a = [random(b"ACGT", 3000, 1), random(b"ACGT", 3000, 2)].concat();
        let limit = Limit::new(&a, &a[3000..], 512, 3000);
        assert_eq!(limit.rest.len(), 13);
        assert!(limit.rest[0] > 150 && limit.rest[6] <= 1 && limit.rest[12] == 0, "{:?}", limit.rest);
        assert!(limit.rest.is_sorted_by(|one, next| one >= next));
    }
}
