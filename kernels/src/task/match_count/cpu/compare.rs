//! Scores by comparing: all symbols of the pattern against a block of offsets, byte by byte in SIMD lanes.
//!
//! ```text
//! for some hundred offsets s at a time:
//!     sums := 0, a byte each
//!     for every position i of the pattern: sums += (text[s + i] = a[i]) at all of them
//!     every 255 positions: add the sums to the scores, before a byte overflows
//! ```
//!
//! If there are few codes, the codes of several neighbouring symbols of the text fit an index of 4 bits (6 with
//! AVX-512). One lookup in a table of 16 (64) bytes then returns how many of these symbols equal the symbols of the
//! pattern. It replaces one comparison per symbol: 4 (6) symbols with two codes, 2 (3) symbols with four codes. This is
//! the method of the Four Russians with a shuffle as its table.

use super::score::ScoreInteger;
use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

/// Maximum number of offsets that are counted together. The codes of a text must be followed by this number of bytes of
/// any value.
pub(super) const PAD: usize = 512;

/// Maximum number of pattern symbols whose scores fit a byte.
const MAX_NARROW_ROWS: usize = u8::MAX as usize;

/// A pattern, prepared for counting by comparing.
#[derive(Clone, Debug)]
pub(super) enum CompareKernel {
    /// Compares one symbol of the pattern at a time. An entry is the position of the symbol in the pattern, and its
    /// code. Symbols without a code are left out; they are counted by lists of occurrences.
    Single(Vec<(u32, u8)>),
    /// Compares one set of bases of the pattern at a time. Sets that overlap match.
    Sets(Vec<(u32, u8)>),
    /// Compares several neighbouring symbols of the pattern by one lookup in a table.
    Packed(PackedRows),
}

/// A pattern as tables, each of which counts the equal symbols among several neighbouring symbols of the pattern.
#[derive(Clone, Debug)]
pub(super) struct PackedRows {
    /// Number of bits in a code.
    bits: usize,
    /// Number of pattern symbols for each table.
    rows: usize,
    /// Number of bits in an index into a table: 4 or 6.
    index: usize,
    /// For each table, the number of equal symbols for each index. An index consists of the codes of `rows`
    /// neighbouring symbols of the text, the first one in the lowest bits. A table of 16 entries is stored four times.
    tables: Vec<[u8; 64]>,
}

/// Returns the number of bits of an index into a table that this machine looks up by one instruction: 4 or 6.
fn index_bits() -> usize {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if Level::new().as_avx512().is_some() {
        return 6;
    }
    4
}

/// Returns the number of bits that distinguish `codes` codes.
fn bits_of(codes: usize) -> usize {
    codes.saturating_sub(1).checked_ilog2().map_or(1, |log| log as usize + 1)
}

impl CompareKernel {
    /// Prepares a pattern, given the code of each symbol, for a text whose codes are below `codes`. A symbol with
    /// `None` never adds to a score.
    pub(super) fn new(pattern: &[Option<u8>], codes: usize) -> Self {
        Self::with_index(pattern, codes, index_bits())
    }

    /// Prepares a pattern like [`new`](Self::new), for tables whose index has `index` bits. 6 is only valid if
    /// [`index_bits`] returns 6.
    pub(super) fn with_index(pattern: &[Option<u8>], codes: usize, index: usize) -> Self {
        let bits = bits_of(codes);
        let rows = index / bits;
        if rows < 2 {
            return Self::Single((0..).zip(pattern).filter_map(|(at, code)| code.map(|code| (at, code))).collect());
        }
        let table = |group: &[Option<u8>]| {
            std::array::from_fn(|entry| {
                let code = |row: usize| (entry & ((1 << index) - 1)) >> (row * bits) & ((1 << bits) - 1);
                (0..).zip(group).filter(|(row, wanted)| wanted.is_some_and(|wanted| usize::from(wanted) == code(*row))).count() as u8
            })
        };
        Self::Packed(PackedRows { bits, rows, index, tables: pattern.chunks(rows).map(table).collect() })
    }

    /// Prepares a pattern of the sets of bases `sets`, for a text of sets of bases.
    pub(super) fn of_sets(sets: impl Iterator<Item = u8>) -> Self {
        Self::Sets((0..).zip(sets).collect())
    }

    /// Returns the number of pattern symbols that one lookup compares on this machine if there are `codes` codes. It is
    /// 1 if symbols are compared one by one.
    pub(super) fn at_once_with(codes: usize) -> usize {
        (index_bits() / bits_of(codes)).max(1)
    }

    /// Returns the number of pattern symbols that one vector operation compares.
    pub(super) fn at_once(&self) -> usize {
        match self {
            Self::Single(_) | Self::Sets(_) => 1,
            Self::Packed(packed) => packed.rows,
        }
    }

    /// Returns the memory of the prepared pattern in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Single(rows) | Self::Sets(rows) => size_of_val(rows.as_slice()),
            Self::Packed(packed) => size_of_val(packed.tables.as_slice()),
        }
    }

    /// Replaces each of `codes`, the codes of a text, by the index into the tables that begins there, if there are
    /// tables. Codes past the end are taken as 0.
    pub(super) fn pack(&self, codes: &mut [u8]) {
        if let Self::Packed(packed) = self {
            dispatch!(Level::new(), s => pack(s, packed, codes));
        }
    }

    /// Computes the scores at the offsets `0..scores.len()`. `text` must be converted by [`pack`](Self::pack). It
    /// consists of all codes that these offsets compare with the pattern, and [`PAD`] more of any value. The length of
    /// the pattern must fit the type `T` of the scores.
    pub(super) fn count<T: ScoreInteger>(&self, text: &[u8], scores: &mut [T]) {
        scores.fill(T::default());
        let level = Level::new();
        match self {
            Self::Single(rows) => dispatch!(level, s => single::<_, T, false>(s, rows, text, scores)),
            Self::Sets(rows) => dispatch!(level, s => single::<_, T, true>(s, rows, text, scores)),
            // As many vectors as fit the registers.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Packed(packed) if packed.index == 6 => dispatch!(level, s => count_by_tables::<_, T, 8, true>(s, packed, text, scores)),
            #[cfg(not(target_family = "wasm"))]
            Self::Packed(packed) => dispatch!(level, s => count_by_tables::<_, T, 4, false>(s, packed, text, scores)),
            #[cfg(target_family = "wasm")]
            Self::Packed(packed) => {
                debug_assert_eq!(packed.index, 4, "tables of what this machine looks up");
                dispatch!(level, s => count_by_tables::<_, T, 2, false>(s, packed, text, scores));
            }
        }
    }
}

#[inline(always)]
fn pack<S: Simd>(_s: S, packed: &PackedRows, codes: &mut [u8]) {
    let mask = (1 << packed.bits) - 1;
    for _ in 1..packed.rows {
        for at in 1..codes.len() {
            codes[at - 1] = codes[at - 1] & mask | codes[at] << packed.bits;
        }
    }
}

/// Number of offsets that are compared together, as many as the compiler keeps in registers.
const OFFSETS_PER_COMPARISON: usize = 256;

/// Adds the equal symbols to `scores`, one symbol of the pattern after another. An entry of `rows` is its position and
/// its code. If `SETS`, codes are sets, and sets that overlap count as equal. Plain loops over arrays let the compiler choose
/// the best instructions of every SIMD level.
#[inline(always)]
fn single<S: Simd, T: ScoreInteger, const SETS: bool>(s: S, rows: &[(u32, u8)], text: &[u8], scores: &mut [T]) {
    for (text, scores) in (0..).step_by(OFFSETS_PER_COMPARISON).map(|from| &text[from..]).zip(scores.chunks_mut(OFFSETS_PER_COMPARISON)) {
        for rows in rows.chunks(MAX_NARROW_ROWS) {
            let mut sums = [0u8; OFFSETS_PER_COMPARISON];
            for &(at, code) in rows {
                let text: &[u8] = &text[at as usize..at as usize + OFFSETS_PER_COMPARISON];
                for lane in 0..OFFSETS_PER_COMPARISON {
                    sums[lane] += u8::from(if SETS { text[lane] & code != 0 } else { text[lane] == code });
                }
            }
            T::add(s, scores, &sums[..scores.len()]);
        }
    }
}

/// Adds the equal symbols to `scores` by the tables of `packed`, in `N` vectors at a time. If `WIDE`, tables have 64
/// different entries, otherwise 16.
#[inline(always)]
fn count_by_tables<S: Simd, T: ScoreInteger, const N: usize, const WIDE: bool>(s: S, packed: &PackedRows, text: &[u8], scores: &mut [T]) {
    let most = MAX_NARROW_ROWS / packed.rows;
    for (text, scores) in (0..).step_by(64 * N).map(|from| &text[from..]).zip(scores.chunks_mut(64 * N)) {
        for (tables, from) in packed.tables.chunks(most).zip((0..).step_by(most * packed.rows)) {
            let mut sums = [u8x64::splat(s, 0); N];
            for (table, at) in tables.iter().zip((from..).step_by(packed.rows)) {
                let table = u8x64::from_slice(s, table);
                let text = &text[at..at + 64 * N];
                for (k, sum) in sums.iter_mut().enumerate() {
                    let index = u8x64::from_slice(s, &text[64 * k..64 * k + 64]);
                    *sum += if WIDE { table.swizzle_dyn(index) } else { table.swizzle_dyn_within_blocks(index) };
                }
            }
            let mut bytes = [[0; 64]; N];
            sums.iter().zip(&mut bytes).for_each(|(sum, bytes)| sum.store_slice(bytes));
            T::add(s, scores, &bytes.as_flattened()[..scores.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// Machines without AVX-512 look up 4 bits, and all machines can do so.
    #[test]
    fn short_tables_give_the_same_scores() {
        for (letters, codes) in [(&[0, 1][..], 2), (&[0, 1, 2], 3), (&[0, 1, 2, 3], 4), (&[0, 1, 2, 3, 4, 5, 6, 7], 8)] {
            let pattern: Vec<Option<u8>> = random(letters, 999, 1).into_iter().map(|code| (code != 1).then_some(code)).collect();
            let text = random(letters, 999 + 1500 + PAD, 2);
            let scores = |rows: CompareKernel| {
                let mut codes = text.clone();
                rows.pack(&mut codes);
                let mut scores = vec![0u16; 1501];
                rows.count(&codes, &mut scores);
                scores
            };
            let row = |s: usize| pattern.iter().zip(&text[s..]).filter(|(row, code)| **row == Some(**code)).count() as u16;
            let expected: Vec<u16> = (0..1501).map(row).collect();
            assert_eq!(scores(CompareKernel::with_index(&pattern, codes, 4)), expected, "{codes} codes");
            assert_eq!(scores(CompareKernel::new(&pattern, codes)), expected, "{codes} codes");
        }
    }
}
