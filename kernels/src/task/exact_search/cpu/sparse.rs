//! Patterns with two symbols that are rare in the text: the whole pattern is compared only where both symbols occur.
//!
//! The text is read at the speed of memory, which is higher if several places are read in turns. Therefore a piece of
//! the text is cut into eight stretches that take turns. 32-bit symbols are first distinguished by their lowest bytes,
//! which are a fourth of the data. If positions with both symbols turn out to be many, the search continues with all
//! [probes](super::probe), whose time does not depend on the number of matches.
//!
//! All stretches are tested before one branch, and nothing is stored meanwhile. After a branch misprediction,
//! prefetching would start again, and later loads would wait for stores to unread addresses.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, mask8x64, prelude::*, u8x64};

use super::needle::{Needle, SymbolProbe};
use crate::symbol::Symbol;
use crate::symbol::lanes::{LANES, SymbolLanes};

/// Number of stretches into which a piece of the text is cut. They are read in turns.
const STRETCHES: usize = 8;

/// Number of vectors of each stretch (eighth of a piece of the text) that are tested together.
const VECTORS_PER_STEP: usize = 8;
/// Number of symbols of each stretch (eighth of a piece of the text) that are tested together.
const SYMBOLS_PER_STEP: usize = VECTORS_PER_STEP * LANES;

/// Number of symbols by which a stretch (eighth of a piece of the text) is longer than a multiple of
/// `STRETCH_CACHE_PAGE`. Otherwise all stretches would begin in the same few sets of the caches.
const STRETCH_CACHE_SKEW: usize = 3 * SYMBOLS_PER_STEP;
/// Distance in symbols at which addresses fall into the same sets of the caches.
const STRETCH_CACHE_PAGE: usize = 8 * SYMBOLS_PER_STEP;

/// Maximum length of a pattern that is searched by rare symbols. Longer patterns are not, because every candidate may
/// be compared as a whole.
const MAX_SPARSE_PATTERN: usize = 1 << 14;

/// Number of positions of the text for each allowed candidate. With more candidates, the symbols are no longer treated
/// as rare.
const POSITIONS_PER_CANDIDATE: usize = 256;

/// A pattern with two symbols that are rare in the text.
pub(super) struct SparsePattern<'p, T> {
    pattern: &'p [T],
    /// The lowest bytes and the offsets of the two rare symbols.
    probes: [SymbolProbe<u8>; 2],
}

/// A piece of a text: its symbols, and their lowest bytes.
#[derive(Clone, Copy)]
pub(super) struct ScanPiece<'t, T> {
    pub(super) text: &'t [T],
    pub(super) lowest: &'t [u8],
}

/// The occurrences found in a piece of the text.
#[derive(Default)]
pub(super) struct SparseHits {
    /// Ascending positions of the occurrences in each stretch (eighth of the piece), and behind all stretches.
    pub(super) positions: [Vec<usize>; STRETCHES + 1],
    /// Number of further candidates that are allowed before the search by rare symbols is given up.
    left: usize,
}

/// Some neighbouring stretches of a piece of the text, all of the same length.
#[derive(Clone, Copy)]
struct PieceStretches {
    /// Position of the first stretch in the piece.
    from: usize,
    /// Number of positions in each stretch, a multiple of [`SYMBOLS_PER_STEP`].
    len: usize,
    /// Index of the first of these stretches in [`SparseHits::positions`].
    first: usize,
}

impl<'p, T: Symbol> SparsePattern<'p, T> {
    /// Prepares the search for the pattern of `needle`. Returns `None` if the pattern has no two rare symbols or is too
    /// long.
    pub(super) fn new(needle: &Needle<'p, T>) -> Option<Self> {
        let is_sparse = needle.is_rare && needle.pattern.len() <= MAX_SPARSE_PATTERN;
        let lowest = |probe: usize| SymbolProbe { offset: needle.probes[probe].offset, symbol: needle.probes[probe].symbol.lowest() };
        is_sparse.then(|| Self { pattern: needle.pattern, probes: [lowest(0), lowest(1)] })
    }

    /// Finds the occurrences in `piece`, which ends with the last symbol of the last possible occurrence, and writes
    /// them to `few`. Returns `false` if there are too many candidates. Takes the time of reading the piece, and of
    /// comparing some candidates.
    pub(super) fn find(&self, piece: ScanPiece<T>, few: &mut SparseHits) -> bool {
        let text = piece.text;
        let positions = text.len() + 1 - self.pattern.len();
        few.positions.iter_mut().for_each(Vec::clear);
        few.left = positions / POSITIONS_PER_CANDIDATE;
        let len = stretch(positions);
        let rest = STRETCHES * len;
        let scanned = positions / SYMBOLS_PER_STEP * SYMBOLS_PER_STEP;
        let (stretches, last) =
            (PieceStretches { from: 0, len, first: 0 }, PieceStretches { from: rest, len: scanned - rest, first: STRETCHES });
        let few_so_far = dispatch!(Level::new(), s => {
            scan::<_, T, STRETCHES>(s, self, piece, stretches, few) && scan::<_, T, 1>(s, self, piece, last, few)
        });
        few.positions[STRETCHES].extend((scanned..positions).filter(|&at| self.occurs(text, at)));
        few_so_far
    }

    /// Compares the pattern at the candidates, which are the set bits of `words`. The first bit stands for position
    /// `at`. Appends the occurrences to `found`, and subtracts the candidates from `left`. Returns `false` if there are
    /// too many candidates.
    #[inline(never)]
    fn compare(&self, text: &[T], at: usize, words: &[u64; VECTORS_PER_STEP], found: &mut Vec<usize>, left: &mut usize) -> bool {
        for (word, first) in words.iter().zip((at..).step_by(LANES)) {
            let mut word = *word;
            while word != 0 {
                let at = first + word.trailing_zeros() as usize;
                word &= word - 1;
                if self.occurs(text, at) {
                    found.push(at);
                }
                let Some(less) = left.checked_sub(1) else { return false };
                *left = less;
            }
        }
        true
    }

    fn occurs(&self, text: &[T], at: usize) -> bool {
        text[at..at + self.pattern.len()] == *self.pattern
    }
}

/// Returns the number of positions in each stretch of a piece with `positions` positions, or 0 if the piece is too
/// short.
fn stretch(positions: usize) -> usize {
    (positions / STRETCHES)
        .checked_sub(STRETCH_CACHE_SKEW)
        .map_or(0, |more| more / STRETCH_CACHE_PAGE * STRETCH_CACHE_PAGE + STRETCH_CACHE_SKEW)
}

/// Finds the occurrences in the `N` stretches `part` of `piece`, and writes them to `few`. Returns `false` if there are
/// too many candidates.
#[inline(always)]
fn scan<S: Simd, T: Symbol, const N: usize>(
    s: S,
    sparse: &SparsePattern<T>,
    piece: ScanPiece<T>,
    part: PieceStretches,
    few: &mut SparseHits,
) -> bool {
    let symbols = sparse.probes.map(|probe| probe.symbol.splat(s));
    let rows = part.len / SYMBOLS_PER_STEP;
    let groups = sparse.probes.map(|probe| {
        let bytes = &piece.lowest[part.from + probe.offset..][..N * part.len];
        &bytes.as_chunks::<LANES>().0.as_chunks::<VECTORS_PER_STEP>().0[..N * rows]
    });
    let mut row = 0;
    while let Some((found, mut some)) = next::<S, N>(s, symbols, groups, row..rows) {
        while some != 0 {
            let stretch = some.trailing_zeros() as usize;
            some &= some - 1;
            let group = stretch * rows + found;
            let group_of_each = [&groups[0][group], &groups[1][group]];
            let mut words = [0; VECTORS_PER_STEP];
            for (vector, word) in words.iter_mut().enumerate() {
                *word = both(s, symbols, group_of_each, vector).to_bitmask();
            }
            let at = part.from + group * SYMBOLS_PER_STEP;
            if !sparse.compare(piece.text, at, &words, &mut few.positions[part.first + stretch], &mut few.left) {
                return false;
            }
        }
        row = found + 1;
    }
    true
}

/// The lowest bytes of the symbols of one stretch that are tested together.
type VectorGroup = [[u8; LANES]; VECTORS_PER_STEP];

/// Finds the first of `rows` in which both `symbols` occur at their offsets. Row `r` consists of group `r` of each of
/// the `N` stretches. For each symbol, `groups` holds the groups of bytes at its offset: `rows.end` groups of the first
/// stretch, then those of the next one, and so on. Returns the number of the row, and a bit for each stretch with
/// candidates.
#[inline(always)]
fn next<S: Simd, const N: usize>(s: S, symbols: [u8x64<S>; 2], groups: [&[VectorGroup]; 2], rows: Range<usize>) -> Option<(usize, u32)> {
    for row in rows.clone() {
        let (mut some, mut group) = (0, row);
        for stretch in 0..N {
            let group_of_each = [&groups[0][group], &groups[1][group]];
            let mut any = both(s, symbols, group_of_each, 0);
            for vector in 1..VECTORS_PER_STEP {
                any |= both(s, symbols, group_of_each, vector);
            }
            some |= u32::from(any.to_bitmask() != 0) << stretch;
            group += rows.end;
        }
        if some != 0 {
            return Some((row, some));
        }
    }
    None
}

/// Returns the positions in vector number `vector` of a group at which both `symbols` occur. `first` holds the bytes at
/// the offset of the first symbol, and `second` those at the offset of the second symbol.
#[inline(always)]
fn both<S: Simd>(s: S, symbols: [u8x64<S>; 2], [first, second]: [&VectorGroup; 2], vector: usize) -> mask8x64<S> {
    u8::both(u8::equal(s, &first[vector], symbols[0]), u8::equal(s, &second[vector], symbols[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    fn sparse<'p, T: Symbol>(pattern: &'p [T], text: &[T]) -> Option<SparsePattern<'p, T>> {
        SparsePattern::new(&Needle::new(pattern, text))
    }

    fn find<T: Symbol>(sparse: &SparsePattern<T>, text: &[T], few: &mut SparseHits) -> bool {
        let lowest: Vec<u8> = text.iter().map(|symbol| symbol.lowest()).collect();
        sparse.find(ScanPiece { text, lowest: &lowest }, few)
    }

    #[test]
    fn sparse_search_takes_patterns_with_rare_symbols() {
        let letters: Vec<u8> = (0..60).collect();
        let text = random(&letters, 100_000, 1);
        assert!(sparse(&text[500..508], &text).is_some());
        assert!(sparse(&text[500..501], &text).is_none(), "a single symbol");
        assert!(sparse(&text[500..508], &text[..10_000]).is_none(), "a short text");
        let dna = random(b"ACGT", 100_000, 1);
        assert!(sparse(&dna[500..530], &dna).is_none(), "four letters");
        assert!(sparse(&[200, 201], &dna).is_some(), "symbols that do not occur");
        let wide: Vec<u32> = text.iter().map(|&symbol| u32::from(symbol) << 8).collect();
        assert!(sparse(&wide[500..508], &wide).is_some());
    }

    /// Positions with the lowest bytes of the pattern are compared in full.
    #[test]
    fn wide_symbols_with_equal_lowest_bytes_are_distinguished() {
        let letters: Vec<u32> = (1002..1090).collect();
        let mut text = random(&letters, 100_000, 1);
        let pattern = [1000, 1007, 1001];
        let sparse = sparse(&pattern, &text).unwrap();
        for at in (0..99_000).step_by(1000) {
            text[at..at + 3].copy_from_slice(&pattern.map(|symbol| if at % 3000 == 0 { symbol } else { symbol ^ 1 << 16 }));
        }
        let mut few = SparseHits::default();
        assert!(find(&sparse, &text, &mut few));
        assert_eq!(few.positions.concat(), (0..99_000).step_by(3000).collect::<Vec<_>>());
    }

    /// Tests pieces of any length, with occurrences at the borders of all stretches.
    #[test]
    fn occurrences_at_every_border_are_found() {
        let letters: Vec<u8> = (2..90).collect();
        borders([0, 7, 1], &random(&letters, 300_000, 1));
        let letters: Vec<u32> = (1002..1090).collect();
        borders([1000, 1007, 1001], &random(&letters, 300_000, 1));
    }

    fn borders<T: Symbol>(pattern: [T; 3], text: &[T]) {
        let sparse = sparse(&pattern, text).unwrap();
        for len in [3, 4, 258, 259, 700, 33_000, 70_000, 150_001, 300_000] {
            let mut text = text[..len].to_vec();
            let mut expected = Vec::new();
            let stretch = super::stretch(len - 2).max(2 * SYMBOLS_PER_STEP);
            for at in (0..len - 2).filter(|at| at % stretch < 2 || (at + 2) % stretch == 0 || at % 1280 < 2 || at + 3 == len) {
                if expected.last().is_none_or(|last| last + 3 <= at) {
                    text[at..at + 3].copy_from_slice(&pattern);
                    expected.push(at);
                }
            }
            let mut few = SparseHits::default();
            assert!(find(&sparse, &text, &mut few) || expected.len() > len / POSITIONS_PER_CANDIDATE, "{len}");
            if expected.len() <= len / POSITIONS_PER_CANDIDATE {
                assert_eq!(few.positions.concat(), expected, "{len}");
            }
        }
        assert!(!find(&sparse, &pattern.repeat(20_000), &mut SparseHits::default()), "too many hits for a sparse search");
    }
}
