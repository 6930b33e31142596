//! Seeds: finds exact occurrences of pieces of a pattern in a text. [`tables`] find candidate positions, 64 at a time,
//! and each candidate is compared in full. Symbols of 32 bits are first distinguished by their lowest bytes.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};

use super::rows::WORD;
use crate::symbol::Symbol;
pub(super) use tables::GROUPS;
use tables::ShuffleTables;

mod tables;

/// Maximum number of pieces of a pattern.
pub(super) const MAX_PATTERN_PIECES: usize = 64;

/// Maximum number of consecutive symbols of a piece that are looked up in tables.
const MAX_ROW_SYMBOLS: usize = 16;
/// Minimum number of consecutive symbols of a piece that are looked up in tables.
pub(super) const MIN_ROW_SYMBOLS: usize = 4;

/// Number of windows of the text whose symbols are counted to estimate frequencies.
const SAMPLE_WINDOWS: usize = 64;
/// Number of symbols in each window of the text that is sampled to estimate frequencies.
const WINDOW_SYMBOLS: usize = 64;

/// A piece of a pattern, and the position of its symbols that are looked up first.
#[derive(Clone, Debug)]
struct PatternPiece {
    /// Range of the piece in the pattern.
    place: Range<usize>,
    /// Position in the pattern of the first symbol that is looked up in the tables. The symbols after it follow.
    row: usize,
}

/// Pieces of a pattern, prepared for searching a text.
pub(super) struct PatternSeeds<'p, T> {
    pattern: &'p [T],
    pieces: Vec<PatternPiece>,
    tables: ShuffleTables,
    /// Expected number of pieces whose looked-up symbols occur by chance, per position of the text.
    expected: f64,
}

/// Buffers of one thread for a search for pieces.
#[derive(Default)]
pub(super) struct SeedScratch {
    bytes: Vec<u8>,
    bits: Vec<u64>,
}

/// Returns whether the machine shuffles bytes by one instruction. On other machines, the search for pieces is slower
/// than a sweep.
pub(super) fn are_quick() -> bool {
    // The level for which code is compiled, which may be lower than that of the processor.
    let level = dispatch!(Level::new(), s => s.level());
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return level.as_avx2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    !level.is_fallback()
}

/// For each byte, the estimated fraction of the symbols that have it as their lowest byte.
pub(super) struct SymbolFrequencies([f64; 256]);

impl SymbolFrequencies {
    /// Estimates the frequencies of symbols in `text` from a sample.
    pub(super) fn of<T: Symbol>(text: &[T]) -> Self {
        let mut counts = [0.0; 256];
        let step = (text.len() / SAMPLE_WINDOWS).max(WINDOW_SYMBOLS);
        let mut all = 0;
        for window in text.chunks(step).map(|part| &part[..part.len().min(WINDOW_SYMBOLS)]) {
            all += window.len();
            window.iter().for_each(|&symbol| counts[usize::from(symbol.lowest())] += 1.0);
        }
        // A symbol that is not in the sample is rare, but may occur.
        Self(counts.map(|count| (count + 0.5) / (all as f64 + 1.0)))
    }

    /// Returns the probability that the consecutive symbols `symbols` occur at a position of the text by chance.
    fn product<T: Symbol>(&self, symbols: &[T]) -> f64 {
        symbols.iter().map(|symbol| self.0[usize::from(symbol.lowest())]).product()
    }

    /// Returns the length of the shortest prefix of `piece` that occurs at a position of the text by chance with a
    /// probability of at most `expected`. Returns `None` if the whole piece is more probable.
    pub(super) fn rare<T: Symbol>(&self, piece: &[T], expected: f64) -> Option<usize> {
        let mut product = 1.0;
        let enough = piece.iter().position(|symbol| {
            product *= self.0[usize::from(symbol.lowest())];
            product <= expected
        });
        enough.map(|last| last + 1)
    }
}

impl<'p, T: Symbol> PatternSeeds<'p, T> {
    /// Prepares pieces of `pattern`, given their ranges `places`: at most [`MAX_PATTERN_PIECES`], each of at least
    /// [`MIN_ROW_SYMBOLS`] symbols. Symbols are below `alphabet`, and `frequencies` are those of the text. Takes O(m)
    /// time.
    pub(super) fn new(pattern: &'p [T], places: &[Range<usize>], alphabet: u32, frequencies: &SymbolFrequencies) -> Self {
        let row = places.iter().map(ExactSizeIterator::len).min().unwrap_or(MIN_ROW_SYMBOLS).min(MAX_ROW_SYMBOLS);
        let rarest = |place: &Range<usize>| {
            let often = |at: &usize| frequencies.product(&pattern[*at..*at + row]);
            let rows = place.start..=place.end - row;
            let row = rows.min_by(|one, other| often(one).total_cmp(&often(other))).unwrap_or(place.start);
            PatternPiece { place: place.clone(), row }
        };
        let pieces: Vec<PatternPiece> = places.iter().map(rarest).collect();
        let rows = pieces.iter().map(|piece| &pattern[piece.row..piece.row + row]);
        let expected = rows.clone().map(|row| frequencies.product(row)).sum();
        let bytes = rows.map(|row| row.iter().map(|symbol| symbol.lowest()));
        let tables = ShuffleTables::new(bytes, row, alphabet, &frequencies.0);
        Self { pattern, pieces, tables, expected }
    }

    /// Returns an upper bound on the expected number of pieces that occur by chance at a position of the text.
    pub(super) fn expected(&self) -> f64 {
        self.expected
    }

    /// Returns the expected number of pieces that are compared in full per position of the text.
    pub(super) fn compared(&self) -> f64 {
        self.tables.left * self.pieces.len() as f64
    }

    /// Finds the occurrences of all pieces in `text`. Each suggests a start, the position at which the whole pattern
    /// would begin. Calls `tell` with each start that lies in `starts`. The order is arbitrary, and several pieces may
    /// suggest the same start. `scratch` is a buffer. Takes O(range / lanes) time, and O(m) per occurrence.
    pub(super) fn find(&self, text: &[T], starts: Range<isize>, scratch: &mut SeedScratch, mut tell: impl FnMut(isize)) {
        let rows = || self.pieces.iter().map(|piece| piece.row as isize);
        let (Some(least), Some(most)) = (rows().min(), rows().max()) else { return };
        let last = (text.len() + 1).saturating_sub(self.tables.len()) as isize;
        let (from, end) = ((starts.start + least).clamp(0, last) as usize, (starts.end + most).clamp(0, last) as usize);
        if from >= end {
            return;
        }
        scratch.bits.clear();
        scratch.bits.resize((end - from).div_ceil(WORD), 0);
        let bytes = T::lowest_bytes(&text[from..end + self.tables.len() - 1], &mut scratch.bytes);
        self.tables.find(bytes, &mut scratch.bits);
        for (word, bits) in scratch.bits.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let at = from + WORD * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                for PatternPiece { place, row } in &self.pieces {
                    let start = at as isize - *row as isize;
                    if starts.contains(&start) && self.occurs(text, start, place) {
                        tell(start);
                    }
                }
            }
        }
    }

    fn occurs(&self, text: &[T], start: isize, place: &Range<usize>) -> bool {
        let from = usize::try_from(start + place.start as isize);
        from.ok().and_then(|from| text.get(from..from + place.len())) == Some(&self.pattern[place.clone()])
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::oracle::random;

    fn check<T: Symbol + Debug>(pattern: &[T], text: &[T], places: &[Range<usize>], alphabet: u32) {
        let seeds = PatternSeeds::new(pattern, places, alphabet, &SymbolFrequencies::of(text));
        let all = -(pattern.len() as isize)..text.len() as isize + 1;
        for starts in [all.clone(), 0..text.len() as isize / 2, text.len() as isize / 3..text.len() as isize / 2] {
            let mut found = Vec::new();
            seeds.find(text, starts.clone(), &mut SeedScratch::default(), |start| found.push(start));
            found.sort_unstable();
            let mut expected: Vec<isize> = places
                .iter()
                .flat_map(|place| {
                    let piece = &pattern[place.clone()];
                    let at = text.windows(piece.len()).enumerate().filter(move |(_, window)| *window == piece);
                    at.map(|(at, _)| at as isize - place.start as isize)
                })
                .filter(|start| starts.contains(start))
                .collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{places:?} of {pattern:?} in {} symbols, {starts:?}", text.len());
        }
    }

    #[test]
    fn pieces_are_found_at_their_occurrences() {
        let many: Vec<u8> = (0..=255).collect();
        for (letters, seed) in [(&[0, 1][..], 1), (&[0, 1, 2, 3], 2), (&many[..16], 3), (&many[..17], 4), (&many, 5)] {
            for n in [3, 4, 63, 70, 300, 1000, 5000] {
                let mut text = random(letters, n, seed);
                let pattern = random(letters, 60, seed + 10);
                for at in [0, n / 3, n / 2, n.saturating_sub(60)] {
                    let end = (at + 60).min(n);
                    text[at..end].copy_from_slice(&pattern[..end - at]);
                }
                check(&pattern, &text, std::slice::from_ref(&(0..4)), letters.len() as u32);
                check(&pattern, &text, &[0..20, 20..40, 40..60], letters.len() as u32);
                check(&pattern, &text, &[3..8, 9..40], letters.len() as u32);
                let eight: Vec<Range<usize>> = (0..8).map(|at| 7 * at..7 * at + 7).collect();
                check(&pattern, &text, &eight, letters.len() as u32);
            }
        }
        check(&[1u8; 40], &[1; 700], &[0..20, 20..40], 2);
    }

    #[test]
    fn many_pieces_of_bytes_and_of_wide_symbols_are_found() {
        let letters: Vec<u32> = (0..1000).collect();
        let pattern = random(&letters, 500, 1);
        let mut text = random(&letters, 5000, 2);
        text[700..1200].copy_from_slice(&pattern);
        // Symbols with the same lowest bytes as those of the pattern.
        text.iter_mut().skip(2000).zip(&pattern).for_each(|(text, symbol)| *text = symbol ^ 256);
        text[4900..].copy_from_slice(&pattern[..100]);
        for number in [1, 9, 16, 50, 64] {
            let places: Vec<Range<usize>> = (0..number).map(|at| 7 * at..7 * at + 7).collect();
            check(&pattern, &text, &places, 1000);
            let low = |symbols: &[u32]| symbols.iter().map(|symbol| symbol.lowest()).collect::<Vec<u8>>();
            check(&low(&pattern), &low(&text), &places, 256);
        }
    }

    #[test]
    fn rare_symbols_get_lookup_tables() {
        let mut text = random(&[0u8, 1], 100_000, 1);
        text[50_000..50_020].fill(2);
        let pattern = [random(&[0u8, 1], 30, 2), vec![2; 10]].concat();
        let seeds = PatternSeeds::new(&pattern, std::slice::from_ref(&(0..40)), 3, &SymbolFrequencies::of(&text));
        assert_eq!((seeds.tables.len(), seeds.pieces[0].row), (16, 24));
        assert!(seeds.expected() < 1e-9);
        assert_eq!(SymbolFrequencies::of(&text).rare(&pattern[..30], 1.0 / 1024.0), Some(10));
    }
}
