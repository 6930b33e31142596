//! Pieces of a pattern that occur in a text as they are: where. Up to eight pieces are looked for at once, at 64 positions at a time.
//!
//! A piece is a bit of a byte. For each of a few symbols in a row a table says which pieces have which symbol there; a shuffle of
//! bytes looks 64 symbols of the text up, and the conjunction over the row leaves hardly any position (the idea of Teddy in
//! Hyperscan, Wang et al. 2019). Tables have 16 entries: symbols are looked up by their low and high halves where there are more.
//! What is left is compared as a whole.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

use super::rows::WORD;

/// Most pieces at once.
pub(super) const MOST: usize = 8;

/// Most symbols in a row that are looked up, and fewest.
const ROW: usize = 16;
pub(super) const SHORTEST: usize = 4;

/// Entries of a table.
const ENTRIES: usize = 16;

/// Windows of the text whose symbols are counted, and symbols in each.
const WINDOWS: usize = 64;
const SAMPLE: usize = 64;

/// Words of positions between two looks whether one is left.
const TOGETHER: usize = 4;

/// Symbols that are looked up before such a look, and how often one may then be left.
const HEADS: [usize; 3] = [4, 6, 8];
const LEFT: f64 = 0.1;

/// A piece of a pattern.
#[derive(Clone, Debug)]
struct Piece {
    /// Where it lies in the pattern.
    place: Range<usize>,
    /// Where the row of symbols lies in the pattern that are looked up.
    row: usize,
}

/// Pieces of a pattern, ready to be looked for in a text.
pub(super) struct Seeds<'p> {
    pattern: &'p [u8],
    pieces: Vec<Piece>,
    /// Symbols in a row that are looked up.
    row: usize,
    /// Of these before the first look whether a position is left.
    head: usize,
    /// The pieces that have a symbol, for each in the row: by the symbol's low and high half.
    tables: Vec<[[u8; WORD]; 2]>,
    /// Whether symbols have high halves.
    halves: bool,
    /// How often a piece is expected to occur at a position.
    expected: f64,
}

/// Whether bytes are shuffled by one instruction, without which looking for pieces is slower than sweeping.
pub(super) fn are_quick() -> bool {
    // The level that code is compiled for, which may be lower than that of the processor.
    let level = dispatch!(Level::new(), s => s.level());
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return level.as_avx2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    !level.is_fallback()
}

/// How often each symbol occurs.
pub(super) struct Frequencies([f64; 256]);

impl Frequencies {
    /// In a text, by a sample.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut counts = [0.0; 256];
        let step = (text.len() / WINDOWS).max(SAMPLE);
        let mut all = 0;
        for window in text.chunks(step).map(|part| &part[..part.len().min(SAMPLE)]) {
            all += window.len();
            window.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1.0);
        }
        // A symbol that was not seen is rare, and may occur.
        Self(counts.map(|count| (count + 0.5) / (all as f64 + 1.0)))
    }

    /// Of a row of symbols at a position.
    fn product(&self, symbols: &[u8]) -> f64 {
        symbols.iter().map(|&symbol| self.0[usize::from(symbol)]).product()
    }

    /// Symbols of a piece, from its beginning, that occur by chance at most so often at a position; none where all are not enough.
    pub(super) fn rare(&self, piece: &[u8], expected: f64) -> Option<usize> {
        let mut product = 1.0;
        let enough = piece.iter().position(|&symbol| {
            product *= self.0[usize::from(symbol)];
            product <= expected
        });
        enough.map(|last| last + 1)
    }
}

impl<'p> Seeds<'p> {
    /// These pieces of a pattern, at most [`MOST`], none of them shorter than [`SHORTEST`]. Symbols are below `alphabet`. Time O(m).
    pub(super) fn new(pattern: &'p [u8], places: &[Range<usize>], alphabet: u32, frequencies: &Frequencies) -> Self {
        let row = places.iter().map(ExactSizeIterator::len).min().unwrap_or(SHORTEST).min(ROW);
        let rarest = |place: &Range<usize>| {
            let often = |at: &usize| frequencies.product(&pattern[*at..*at + row]);
            let rows = place.start..=place.end - row;
            let row = rows.min_by(|one, other| often(one).total_cmp(&often(other))).unwrap_or(place.start);
            Piece { place: place.clone(), row }
        };
        let pieces: Vec<Piece> = places.iter().map(rarest).collect();
        let mut tables = vec![[[0; WORD]; 2]; row];
        for (bit, piece) in pieces.iter().enumerate() {
            for (table, &symbol) in tables.iter_mut().zip(&pattern[piece.row..]) {
                let halves = [usize::from(symbol) % ENTRIES, usize::from(symbol) / ENTRIES];
                for (table, half) in table.iter_mut().zip(halves) {
                    // The same in each block of the vector.
                    (half..WORD).step_by(ENTRIES).for_each(|at| table[at] |= 1 << bit);
                }
            }
        }
        let sum = |len: usize| pieces.iter().map(|piece| frequencies.product(&pattern[piece.row..piece.row + len])).sum::<f64>();
        let mut fits = HEADS.into_iter().filter(|&head| head <= row);
        let few = |head: &usize| sum(*head) * (TOGETHER * WORD) as f64 <= LEFT;
        let head = fits.clone().find(few).or(fits.next_back()).unwrap_or(SHORTEST);
        let expected = sum(row);
        Self { pattern, pieces, row, head, tables, halves: alphabet as usize > ENTRIES, expected }
    }

    /// How often a piece is expected to occur at a position, by chance and at most.
    pub(super) fn expected(&self) -> f64 {
        self.expected
    }

    /// Tells of each occurrence of a piece where the pattern would begin, if it occurred there as a whole, as far as that lies in a
    /// range; in any order, and an occurrence of several pieces several times. Time O(range / lanes), and O(m) an occurrence.
    pub(super) fn find(&self, text: &[u8], starts: Range<isize>, bits: &mut Vec<u64>, mut tell: impl FnMut(isize)) {
        let rows = || self.pieces.iter().map(|piece| piece.row as isize);
        let (Some(least), Some(most)) = (rows().min(), rows().max()) else { return };
        let last = (text.len() + 1).saturating_sub(self.row) as isize;
        let (from, end) = ((starts.start + least).clamp(0, last) as usize, (starts.end + most).clamp(0, last) as usize);
        if from >= end {
            return;
        }
        bits.clear();
        bits.resize((end - from).div_ceil(WORD), 0);
        self.rows(&text[from..end + self.row - 1], bits);
        for (word, bits) in bits.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let at = from + WORD * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                for Piece { place, row } in &self.pieces {
                    let start = at as isize - *row as isize;
                    if starts.contains(&start) && self.occurs(text, start, place) {
                        tell(start);
                    }
                }
            }
        }
    }

    fn occurs(&self, text: &[u8], start: isize, place: &Range<usize>) -> bool {
        let from = usize::try_from(start + place.start as isize);
        from.ok().and_then(|from| text.get(from..from + place.len())) == Some(&self.pattern[place.clone()])
    }

    /// Sets the bits of the positions at which the row of a piece may begin. There are no false ones in texts of 16 symbols, but for the
    /// rows of several pieces being mixed up.
    fn rows(&self, text: &[u8], words: &mut [u64]) {
        let level = Level::new();
        match (self.head, self.halves) {
            (4, false) => dispatch!(level, s => scan::<_, 4, false>(s, self, text, words)),
            (6, false) => dispatch!(level, s => scan::<_, 6, false>(s, self, text, words)),
            (_, false) => dispatch!(level, s => scan::<_, 8, false>(s, self, text, words)),
            (4, true) => dispatch!(level, s => scan::<_, 4, true>(s, self, text, words)),
            (6, true) => dispatch!(level, s => scan::<_, 6, true>(s, self, text, words)),
            (_, true) => dispatch!(level, s => scan::<_, 8, true>(s, self, text, words)),
        }
    }
}

/// Which pieces have the symbols at a place of the row.
#[inline(always)]
fn look_up<S: Simd, const HALVES: bool>(s: S, [low, high]: &[u8x64<S>; 2], text: &[u8; WORD]) -> u8x64<S> {
    let symbols = u8x64::from_slice(s, text);
    if HALVES {
        low.swizzle_dyn_within_blocks(symbols & 15) & high.swizzle_dyn_within_blocks(symbols >> 4)
    } else {
        low.swizzle_dyn_within_blocks(symbols)
    }
}

/// Whole words by vectors, the positions after them one by one.
#[inline(always)]
fn scan<S: Simd, const HEAD: usize, const HALVES: bool>(s: S, seeds: &Seeds, text: &[u8], words: &mut [u64]) {
    let positions = text.len() + 1 - seeds.row;
    let full = positions / WORD / TOGETHER * TOGETHER;
    let mut head = [[u8x64::splat(s, 0); 2]; HEAD];
    let mut texts: [&[[u8; WORD]]; HEAD] = [&[]; HEAD];
    for at in 0..HEAD {
        head[at] = [u8x64::from_slice(s, &seeds.tables[at][0]), u8x64::from_slice(s, &seeds.tables[at][1])];
        texts[at] = &text[at..at + WORD * full].as_chunks::<WORD>().0[..full];
    }
    for first in (0..full).step_by(TOGETHER) {
        let mut left = [u8x64::splat(s, 0); TOGETHER];
        let mut any = u8x64::splat(s, 0);
        for word in 0..TOGETHER {
            let mut pieces = look_up::<S, HALVES>(s, &head[0], &texts[0][first + word]);
            for at in 1..HEAD {
                pieces &= look_up::<S, HALVES>(s, &head[at], &texts[at][first + word]);
            }
            left[word] = pieces;
            any |= pieces;
        }
        if any.simd_eq(u8x64::splat(s, 0)).all_true() {
            continue;
        }
        for word in 0..TOGETHER {
            let mut pieces = left[word];
            for (at, [low, high]) in seeds.tables.iter().enumerate().skip(HEAD) {
                let tables = [u8x64::from_slice(s, low), u8x64::from_slice(s, high)];
                if let Some(text) = text[at + WORD * (first + word)..].first_chunk() {
                    pieces &= look_up::<S, HALVES>(s, &tables, text);
                }
            }
            words[first + word] = !pieces.simd_eq(u8x64::splat(s, 0)).to_bitmask();
        }
    }
    for position in WORD * full..positions {
        let halves = |at: usize| [usize::from(text[position + at]) % ENTRIES, usize::from(text[position + at]) / ENTRIES];
        let pieces = seeds.tables.iter().enumerate().fold(!0, |pieces, (at, table)| {
            let [low, high] = halves(at);
            pieces & table[0][low] & table[1][high]
        });
        words[position / WORD] |= u64::from(pieces != 0) << (position % WORD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    fn check(pattern: &[u8], text: &[u8], places: &[Range<usize>], alphabet: u32) {
        let seeds = Seeds::new(pattern, places, alphabet, &Frequencies::of(text));
        let all = -(pattern.len() as isize)..text.len() as isize + 1;
        for starts in [all.clone(), 0..text.len() as isize / 2, text.len() as isize / 3..text.len() as isize / 2] {
            let mut found = Vec::new();
            seeds.find(text, starts.clone(), &mut Vec::new(), |start| found.push(start));
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
    fn pieces_are_found_where_they_occur() {
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
        check(&[1; 40], &[1; 700], &[0..20, 20..40], 2);
    }

    #[test]
    fn rare_symbols_are_looked_up() {
        let mut text = random(&[0, 1], 100_000, 1);
        text[50_000..50_020].fill(2);
        let pattern = [random(&[0, 1], 30, 2), vec![2; 10]].concat();
        let seeds = Seeds::new(&pattern, std::slice::from_ref(&(0..40)), 3, &Frequencies::of(&text));
        assert_eq!((seeds.row, seeds.pieces[0].row), (16, 24));
        assert!(seeds.expected() < 1e-9);
        assert_eq!(Frequencies::of(&text).rare(&pattern[..30], 1.0 / 1024.0), Some(10));
    }
}
