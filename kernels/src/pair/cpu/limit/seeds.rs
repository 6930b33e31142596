//! Seeds: counts the occurrences in `b` of the seeds (short pieces) of `a`, for each strip of the matrix and each range
//! of diagonals.

use std::ops::Range;

use super::DiagonalRanges;
use crate::pair::cpu::WORD;
use crate::pair::sample::letters;
use crate::symbol::Symbol;

/// Reciprocal of the probability with which a seed of a random text occurs by chance on the searched diagonals. The
/// length of seeds follows from it.
const POSITIONS_PER_CHANCE_SEED: f64 = 400.0;

/// Maximum number of symbols in a seed (short piece of `a`).
const MAX_SEED_LEN: usize = 64;

/// Maximum number of seeds in one entry of the hash index. Seeds of a fuller entry are left out, because they occur on
/// too many diagonals to exclude any.
const MAX_SEEDS_PER_ENTRY: u32 = 32;

/// Number of bits of the filter for each seed, a power of two.
const FILTER_BITS_PER_SEED: usize = 64;

/// Minimum number of rows of the matrix whose seeds are searched in one pass.
const MIN_SEARCHED_ROWS: usize = 1 << 16;

/// Number of seeds (short pieces of `a`) in one strip, and numbers of their occurrences in `b`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SeedOccurrences {
    /// Number of seeds of the strip that are searched.
    pub(super) seeds: u32,
    /// Number of occurrences in `b` in each range of diagonals.
    pub(super) counts: Vec<u32>,
}

/// A search for the seeds (consecutive pieces) of `a` in `b`, on the diagonals of a band.
pub(super) struct SeedSearch<'t, T> {
    pub(super) a: &'t [T],
    pub(super) b: &'t [T],
    /// Number of rows in a strip, a power of two.
    pub(super) rows: usize,
    pub(super) diagonals: &'t DiagonalRanges,
    /// Number of symbols in a seed.
    len: usize,
}

impl<'t, T: Symbol> SeedSearch<'t, T> {
    /// Prepares a search in strips of `rows` rows. Seeds are so long that one in [`POSITIONS_PER_CHANCE_SEED`] occurs
    /// by chance on `reach` neighbouring diagonals.
    pub(super) fn new(a: &'t [T], b: &'t [T], rows: usize, diagonals: &'t DiagonalRanges, reach: usize) -> Self {
        let len = ((POSITIONS_PER_CHANCE_SEED * reach as f64).ln() / letters(a).ln()).round();
        Self { a, b, rows, diagonals, len: (len as usize).clamp(1, MAX_SEED_LEN) }
    }

    /// Divides the strips into groups, and returns the range of strips of each. One pass searches the seeds of one
    /// group, so that at least `threads` threads have work. The columns of neighbouring groups overlap by the width of
    /// the band.
    pub(super) fn parts(&self, threads: usize) -> Vec<Range<usize>> {
        let strips = self.a.len().div_ceil(self.rows);
        let rows = (4 * self.diagonals.len()).max(MIN_SEARCHED_ROWS).min(self.a.len().div_ceil(threads));
        let each = rows.div_ceil(self.rows).max(1);
        (0..strips).step_by(each).map(|first| first..(first + each).min(strips)).collect()
    }

    /// Counts the occurrences of the seeds of `strips`, and returns the counts of each strip. Takes O(rows + columns)
    /// time unless texts repeat themselves.
    pub(super) fn count_occurrences(&self, strips: &Range<usize>) -> Vec<SeedOccurrences> {
        let mut found = vec![SeedOccurrences { seeds: 0, counts: vec![0; self.diagonals.ranges] }; strips.len()];
        let index = SeedIndex::new(self, strips, &mut found);
        let (low, high) = (self.diagonals.low, self.diagonals.end());
        let column = |row: usize, diagonal: i64| (row as i64 + diagonal).clamp(0, self.b.len() as i64) as usize;
        let columns = column(strips.start * self.rows, low)..column((strips.end * self.rows).min(self.a.len()), high);
        let (first_row, shift) = (strips.start * self.rows, self.rows.trailing_zeros());
        for (at, hash) in (columns.start..).zip(RollingHashes::new(&self.b[columns], self.len)) {
            if !index.may_contain(hash) {
                continue;
            }
            for seed in index.like(hash) {
                let diagonal = at as i64 - i64::from(seed.row) - first_row as i64;
                if seed.check == hash as u32 && (low..high).contains(&diagonal) {
                    let range = self.diagonals.range(diagonal);
                    found[(seed.row >> shift) as usize].counts[range] += 1;
                }
            }
        }
        found
    }
}

/// An iterator over the hashes of all pieces of `len` consecutive symbols of a text.
struct RollingHashes<'t, T> {
    text: &'t [T],
    len: usize,
    /// Hash of the next piece without its last symbol.
    hash: u64,
    /// Factor of the first symbol of a piece in its hash, used to remove this symbol from the hash.
    leaving: u64,
    /// Position of the last symbol of the next piece.
    at: usize,
}

impl<'t, T: Symbol> RollingHashes<'t, T> {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

    fn new(text: &'t [T], len: usize) -> Self {
        let leaving = (1..len).fold(1u64, |power, _| power.wrapping_mul(Self::FACTOR));
        let before = text.len().min(len - 1);
        let hash = text[..before].iter().fold(0, |hash, symbol| Self::add(hash, *symbol));
        Self { text, len, hash, leaving, at: before }
    }

    /// Returns the hash of one piece.
    fn one(piece: &[T]) -> u64 {
        Self::mixed(piece.iter().fold(0, |hash, symbol| Self::add(hash, *symbol)))
    }

    #[inline]
    fn add(hash: u64, symbol: T) -> u64 {
        hash.wrapping_mul(Self::FACTOR).wrapping_add(u64::from(symbol.number()) + 1)
    }

    #[inline]
    fn mixed(hash: u64) -> u64 {
        let mixed = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ mixed >> 32
    }
}

impl<T: Symbol> Iterator for RollingHashes<'_, T> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let symbol = self.text.get(self.at)?;
        self.hash = Self::add(self.hash, *symbol);
        let mixed = Self::mixed(self.hash);
        self.at += 1;
        // Removes the first symbol of this piece, which is not in the next one.
        let first = u64::from(self.text[self.at - self.len].number()) + 1;
        self.hash = self.hash.wrapping_sub(first.wrapping_mul(self.leaving));
        Some(mixed)
    }
}

/// A seed in a hash index.
#[derive(Clone, Copy, Default)]
struct IndexedSeed {
    check: u32,
    /// Row of the seed, counted from the first row of the index.
    row: u32,
}

/// A hash index of the seeds (pieces of `a`) of some strips.
struct SeedIndex {
    /// Index in `seeds` of the first seed of each entry of the hash table, and finally the number of all seeds.
    starts: Vec<u32>,
    seeds: Vec<IndexedSeed>,
    shift: u32,
    /// A bit for each value of the upper bits of a hash, which is set if a seed has this value. Most pieces of `b` equal no seed,
    /// and a predictable branch passes over them.
    filter: Vec<u64>,
    filter_shift: u32,
}

impl SeedIndex {
    /// Indexes the seeds of `strips`, and adds the number of indexed seeds of each strip to its entry in `found`.
    fn new<T: Symbol>(search: &SeedSearch<T>, strips: &Range<usize>, found: &mut [SeedOccurrences]) -> Self {
        let first_row = strips.start * search.rows;
        let rows = first_row..(strips.end * search.rows).min(search.a.len());
        let all: Vec<(u64, u32)> = search.a[rows]
            .chunks(search.rows)
            .zip((0u32..).step_by(search.rows))
            .flat_map(|(strip, row)| strip.chunks_exact(search.len).zip((row..).step_by(search.len)))
            .map(|(seed, row)| (RollingHashes::one(seed), row))
            .collect();
        let places = (2 * all.len()).next_power_of_two().max(2);
        let words = places.next_multiple_of(FILTER_BITS_PER_SEED) * FILTER_BITS_PER_SEED / 2 / WORD;
        let mut index = Self {
            starts: vec![0; places + 1],
            seeds: Vec::new(),
            shift: u64::BITS - places.trailing_zeros(),
            filter: vec![0; words],
            filter_shift: u64::BITS - (words * WORD).trailing_zeros(),
        };
        for (hash, _) in &all {
            let bit = (hash >> index.filter_shift) as usize;
            index.filter[bit / WORD] |= 1 << (bit % WORD);
            let place = index.place(*hash);
            index.starts[place + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut index.starts {
            // Entries with too many seeds stay empty.
            sum += if *start <= MAX_SEEDS_PER_ENTRY { *start } else { 0 };
            *start = sum;
        }
        index.seeds = vec![IndexedSeed::default(); sum as usize];
        let mut filled = index.starts.clone();
        for (hash, row) in all {
            let place = index.place(hash);
            if filled[place] < index.starts[place + 1] {
                index.seeds[filled[place] as usize] = IndexedSeed { check: hash as u32, row };
                filled[place] += 1;
                found[row as usize >> search.rows.trailing_zeros()].seeds += 1;
            }
        }
        index
    }

    /// Returns whether a seed may have the hash `hash`.
    #[inline]
    fn may_contain(&self, hash: u64) -> bool {
        let bit = (hash >> self.filter_shift) as usize;
        self.filter[bit / WORD] >> (bit % WORD) & 1 == 1
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    #[inline]
    fn like(&self, hash: u64) -> &[IndexedSeed] {
        let place = self.place(hash);
        &self.seeds[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};

    /// Checks that every occurrence is counted, unless a seed was left out as too frequent.
    #[test]
    fn every_occurrence_is_found() {
        for (letters, len) in [(&b"ACGT"[..], 3000), (b"ab", 2000), (b"a", 1500), (b"abcdefghijklmnopqrstuvwxyz", 5000)] {
            let a = random(letters, len, 1);
            let b = [&random(letters, 300, 2)[..], &mutated(&a, letters, 0.1, 3)].concat();
            let diagonals = DiagonalRanges::new(-500, 900, 6);
            let search = SeedSearch::new(&a, &b, 512, &diagonals, 704);
            for strips in [0..a.len().div_ceil(512), 1..2] {
                let found = search.count_occurrences(&strips);
                for (strip, found) in strips.zip(&found) {
                    let rows = strip * 512..(strip * 512 + 512).min(a.len());
                    let seeds = a[rows.clone()].chunks_exact(search.len).zip(rows.step_by(search.len));
                    let mut counts = vec![0; diagonals.ranges];
                    for (seed, row) in seeds.clone() {
                        for (column, _) in b.windows(search.len).enumerate().filter(|(_, piece)| *piece == seed) {
                            let diagonal = column as i64 - row as i64;
                            if (diagonals.low..diagonals.end()).contains(&diagonal) {
                                counts[diagonals.range(diagonal)] += 1;
                            }
                        }
                    }
                    let all = seeds.count() as u32;
                    assert!(found.seeds <= all);
                    if found.seeds == all {
                        assert_eq!(found.counts, counts, "{} letters, strip {strip}", letters.len());
                    }
                }
            }
        }
    }

    #[test]
    fn frequent_letters_reduce_the_effective_alphabet() {
        assert!((3.9..4.1).contains(&letters(&random(b"ACGT", 10_000, 1))));
        assert!((1.0..1.1).contains(&letters(&[7u32; 100])));
        assert!(letters(&random(b"eeeeeeeeeeeeabcdfghijklmnopqrst", 10_000, 1)) < 10.0);
    }
}
