//! Bytes: numbers byte values in the order of their first occurrence.
//!
//! ```text
//! for every block of the text:
//!     look all bytes up in a table of numbers, 64 at a time
//!     if one has no number yet: number the bytes of the block one by one, and look them up again
//! ```
//!
//! At most 256 blocks need that, because a byte has 256 values. Tables are looked up by shuffles. They have a row of 16
//! numbers for each upper half of a byte that occurs: 2 rows for DNA, 6 for text. In a large text, each thread numbers
//! its own parts, starting with the numbers of the first blocks, after which new values are rare. If two parts find new
//! values, the numbers of the later part are replaced by common ones.

use std::sync::{Mutex, PoisonError};

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

use crate::cpu::spread;

/// Marks a value without a number. It is also the last number, once all values have one.
const UNKNOWN_VALUE: u8 = u8::MAX;

/// Number of bytes that are looked up together.
const BLOCK: usize = 4096;

/// Maximum number of symbols that are numbered one by one, because creating a table would take longer.
const MAX_UNTABLED_SYMBOLS: usize = 256;

/// Number of bytes that one thread numbers before others begin.
const FIRST_PART_BYTES: usize = 4 * BLOCK;

/// Number of bytes that one thread numbers at a time. This takes several times as long as starting a thread.
const NUMBERING_PART_BYTES: usize = 1 << 20;

/// Number of vectors that are looked up together, so that their latencies overlap.
const VECTORS_TOGETHER: usize = 2;

/// Number of lanes in a vector.
const LANES: usize = 64;

/// The remaining bytes of a text, in pieces.
pub(super) struct BytePieces<'t> {
    /// All bytes of the text.
    pub(super) bytes: &'t [u8],
    /// First symbol and first byte of every piece.
    pub(super) pieces: &'t [(u32, u32)],
    /// Number of symbols.
    pub(super) len: usize,
    /// Whether lower-case ASCII letters count as upper case.
    pub(super) folds: bool,
}

/// The numbers of the values that have occurred so far.
#[derive(Clone)]
pub(super) struct ByteNumbers {
    of: [u8; 256],
    /// Values, by number.
    values: Vec<u8>,
}

impl ByteNumbers {
    pub(super) fn new() -> Self {
        Self { of: [UNKNOWN_VALUE; 256], values: Vec::new() }
    }

    /// Returns the number of distinct values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Numbers the symbols of a text, on at most `threads` threads.
    pub(super) fn number(&mut self, text: &BytePieces, threads: usize) -> Vec<u8> {
        let mut symbols = vec![0; text.len];
        if text.len <= MAX_UNTABLED_SYMBOLS {
            self.number_few(text, &mut symbols);
            return symbols;
        }
        let (first, rest) = symbols.split_at_mut(FIRST_PART_BYTES.min(text.len));
        self.fill(text, 0, first);
        if threads <= 1 || rest.len() <= NUMBERING_PART_BYTES {
            self.fill(text, first.len(), rest);
            return symbols;
        }
        let parts: Vec<_> =
            (FIRST_PART_BYTES..).step_by(NUMBERING_PART_BYTES).zip(rest.chunks_mut(NUMBERING_PART_BYTES).map(Mutex::new)).collect();
        let found = spread(&parts, threads, |(at, part)| {
            let mut own = self.clone();
            own.fill(text, *at, &mut part.lock().unwrap_or_else(PoisonError::into_inner));
            own
        });
        found.iter().flat_map(|own| &own.values).for_each(|&value| self.add(value));
        let others: Vec<_> = parts.iter().zip(&found).filter(|(_, own)| !self.values.starts_with(&own.values)).collect();
        spread(&others, threads, |((_, part), own)| own.replace(self, &mut part.lock().unwrap_or_else(PoisonError::into_inner)));
        symbols
    }

    /// Numbers a text of at most [`MAX_UNTABLED_SYMBOLS`] symbols.
    fn number_few(&mut self, text: &BytePieces, symbols: &mut [u8]) {
        if symbols.is_empty() {
            return;
        }
        let mut room = [0; MAX_UNTABLED_SYMBOLS];
        let bytes = BytePiecesCursor::new(text, 0).take(&mut room[..symbols.len()]);
        for (symbol, &byte) in symbols.iter_mut().zip(bytes) {
            let value = if text.folds { byte.to_ascii_uppercase() } else { byte };
            self.add(value);
            *symbol = self.of[usize::from(value)];
        }
    }

    /// Numbers the symbols from `at` on.
    fn fill(&mut self, text: &BytePieces, at: usize, symbols: &mut [u8]) {
        let fold = |byte: u8| if text.folds { byte.to_ascii_uppercase() } else { byte };
        let (level, mut room) = (Level::new(), [0; BLOCK]);
        let mut table = NumberTable::new(|byte| self.of[usize::from(fold(byte))]);
        let mut left = BytePiecesCursor::new(text, at);
        for symbols in symbols.chunks_mut(BLOCK) {
            let bytes = left.take(&mut room[..symbols.len()]);
            if table.look_up(level, bytes, symbols) == UNKNOWN_VALUE && self.len() < 256 {
                bytes.iter().for_each(|&byte| self.add(fold(byte)));
                table = NumberTable::new(|byte| self.of[usize::from(fold(byte))]);
                table.look_up(level, bytes, symbols);
            }
        }
    }

    /// Gives a value the next number, unless it has one.
    fn add(&mut self, value: u8) {
        if self.of[usize::from(value)] == UNKNOWN_VALUE && self.len() < 256 {
            self.of[usize::from(value)] = self.len() as u8;
            self.values.push(value);
        }
    }

    /// Replaces the numbers of `self` in `symbols` by those of `all`.
    fn replace(&self, all: &Self, symbols: &mut [u8]) {
        let (level, mut room) = (Level::new(), [0; BLOCK]);
        let table =
            NumberTable::new(|number| self.values.get(usize::from(number)).map_or(UNKNOWN_VALUE, |&value| all.of[usize::from(value)]));
        for symbols in symbols.chunks_mut(BLOCK) {
            let own = &mut room[..symbols.len()];
            own.copy_from_slice(symbols);
            table.look_up(level, own, symbols);
        }
    }
}

/// The rest of a text, from some symbol on.
struct BytePiecesCursor<'t> {
    text: &'t BytePieces<'t>,
    /// Number of the current piece.
    piece: usize,
    /// First remaining byte of the piece.
    from: usize,
}

impl<'t> BytePiecesCursor<'t> {
    fn new(text: &'t BytePieces, at: usize) -> Self {
        let piece = text.pieces.partition_point(|&(symbol, _)| symbol as usize <= at).saturating_sub(1);
        let from = text.pieces.get(piece).map_or(0, |&(symbol, byte)| byte as usize + at - symbol as usize);
        Self { text, piece, from }
    }

    /// Returns the end of the current piece in the bytes.
    fn end(&self) -> usize {
        let (symbol, byte) = self.text.pieces[self.piece];
        let next = self.text.pieces.get(self.piece + 1).map_or(self.text.len, |&(symbol, _)| symbol as usize);
        byte as usize + next - symbol as usize
    }

    /// Takes the next `room.len()` bytes. Returns them in place if they are adjacent, otherwise copied to `room`.
    fn take<'r>(&mut self, room: &'r mut [u8]) -> &'r [u8]
    where
        't: 'r,
    {
        if self.end() - self.from >= room.len() {
            let bytes = &self.text.bytes[self.from..self.from + room.len()];
            self.from += room.len();
            return bytes;
        }
        let mut filled = 0;
        while filled < room.len() {
            let end = self.end();
            if self.from == end {
                self.piece += 1;
                self.from = self.text.pieces[self.piece].1 as usize;
                continue;
            }
            let len = (end - self.from).min(room.len() - filled);
            room[filled..filled + len].copy_from_slice(&self.text.bytes[self.from..self.from + len]);
            (filled, self.from) = (filled + len, self.from + len);
        }
        room
    }
}

/// A table from values to numbers.
struct NumberTable {
    numbers: [u8; 256],
    /// Upper halves of values that have numbers, each with the numbers of its 16 values, repeated four times.
    rows: Vec<(u8, [u8; LANES])>,
}

impl NumberTable {
    fn new(number: impl Fn(u8) -> u8) -> Self {
        let numbers: [u8; 256] = std::array::from_fn(|value| number(value as u8));
        let is_used = |upper: &u8| numbers[usize::from(*upper)..][..16].iter().any(|&number| number != UNKNOWN_VALUE);
        // If all values have numbers, every row is used, including the row of the last number, which equals `UNKNOWN_VALUE`.
        let rows = (0..=u8::MAX).step_by(16).filter(is_used);
        let rows = rows.map(|upper| (upper, std::array::from_fn(|lane| numbers[usize::from(upper) + lane % 16]))).collect();
        Self { numbers, rows }
    }

    /// Looks values up, and returns the highest number: `UNKNOWN_VALUE` if a value has none.
    fn look_up(&self, level: Level, values: &[u8], to: &mut [u8]) -> u8 {
        // Dispatches on the level that the code is compiled for, which may be lower than that of the processor.
        dispatch!(level, s => if shuffles(s) { shuffled(s, self, values, to) } else { self.one_by_one(values, to) })
    }

    #[inline(always)]
    fn one_by_one(&self, values: &[u8], to: &mut [u8]) -> u8 {
        let mut most = 0;
        for (&value, to) in values.iter().zip(to) {
            *to = self.numbers[usize::from(value)];
            most = most.max(*to);
        }
        most
    }
}

/// Returns whether one instruction shuffles bytes.
#[inline(always)]
fn shuffles<S: Simd>(s: S) -> bool {
    let level = s.level();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return level.as_avx2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    !level.is_fallback()
}

#[inline(always)]
fn shuffled<S: Simd>(s: S, table: &NumberTable, values: &[u8], to: &mut [u8]) -> u8 {
    let mut most = [u8x64::splat(s, 0); VECTORS_TOGETHER];
    let (values, values_left) = values.as_chunks::<{ VECTORS_TOGETHER * LANES }>();
    let (to, to_left) = to.as_chunks_mut::<{ VECTORS_TOGETHER * LANES }>();
    for (values, to) in values.iter().zip(to) {
        let mut lower = most;
        let mut upper = most;
        let mut numbers = [u8x64::splat(s, UNKNOWN_VALUE); VECTORS_TOGETHER];
        for k in 0..VECTORS_TOGETHER {
            let values = u8x64::from_slice(s, &values[LANES * k..LANES * (k + 1)]);
            (lower[k], upper[k]) = (values & 0x0f, values & 0xf0);
        }
        for (half, row) in &table.rows {
            let (half, row) = (u8x64::splat(s, *half), u8x64::from_slice(s, row));
            for k in 0..VECTORS_TOGETHER {
                numbers[k] = upper[k].simd_eq(half).select(row.swizzle_dyn_within_blocks(lower[k]), numbers[k]);
            }
        }
        for k in 0..VECTORS_TOGETHER {
            most[k] = most[k].max(numbers[k]);
            numbers[k].store_slice(&mut to[LANES * k..LANES * (k + 1)]);
        }
    }
    let mut all = [0; LANES];
    most.into_iter().reduce(|x, y| x.max(y)).unwrap_or(u8x64::splat(s, 0)).store_slice(&mut all);
    let rest = table.one_by_one(values_left, to_left);
    all.into_iter().fold(rest, u8::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::random;

    /// Numbers the texts by examining one byte after the other.
    fn one_by_one(texts: &[BytePieces]) -> (Vec<Vec<u8>>, usize) {
        let mut numbers: Vec<u8> = Vec::new();
        let mut number = |byte: u8| {
            let known = numbers.iter().position(|&known| known == byte);
            known.unwrap_or_else(|| {
                numbers.push(byte);
                numbers.len() - 1
            }) as u8
        };
        let mut all = Vec::new();
        for text in texts {
            let ends = text.pieces[1..].iter().map(|piece| piece.0 as usize).chain([text.len]);
            let bytes =
                text.pieces.iter().zip(ends).flat_map(|(&(symbol, byte), end)| &text.bytes[byte as usize..][..end - symbol as usize]);
            all.push(bytes.map(|&byte| number(if text.folds { byte.to_ascii_uppercase() } else { byte })).collect());
        }
        (all, numbers.len())
    }

    fn check(texts: &[BytePieces]) {
        let (expected, alphabet) = one_by_one(texts);
        for threads in [1, 3] {
            let mut numbers = ByteNumbers::new();
            for (text, expected) in texts.iter().zip(&expected) {
                let symbols = numbers.number(text, threads);
                let differs = symbols.iter().zip(expected).position(|(symbol, expected)| symbol != expected);
                assert_eq!((symbols.len(), differs), (expected.len(), None), "{threads} threads");
            }
            assert_eq!(numbers.len(), alphabet, "{threads} threads");
        }
    }

    fn whole(bytes: &[u8], folds: bool) -> BytePieces<'_> {
        BytePieces { bytes, pieces: &[(0, 0)], len: bytes.len(), folds }
    }

    /// Returns the pieces of all bytes except for dots.
    fn in_pieces(bytes: &[u8]) -> (Vec<(u32, u32)>, usize) {
        let (mut pieces, mut len) = (Vec::new(), 0);
        for (at, &byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte != b'.') {
            if at == 0 || bytes[at - 1] == b'.' {
                pieces.push((len as u32, at as u32));
            }
            len += usize::from(byte != b'.');
        }
        (pieces, len)
    }

    #[test]
    fn every_length_around_vectors_and_blocks() {
        for len in (0..2 * VECTORS_TOGETHER * LANES + 2).chain(BLOCK - 1..BLOCK + 2).chain(FIRST_PART_BYTES - 1..FIRST_PART_BYTES + 2) {
            for letters in [&b"ACGT"[..], b"aAbB zZ\xc4\xe4", &(0..=255).rev().collect::<Vec<u8>>()] {
                let (a, b) = (random(letters, len, 1), random(letters, len / 2 + 7, 2));
                for folds in [false, true] {
                    check(&[whole(&a, folds), whole(&b, false)]);
                }
            }
        }
    }

    #[test]
    fn all_values_one_after_the_other() {
        let up: Vec<u8> = (0..=255).flat_map(|value| [value; 100]).collect();
        let down: Vec<u8> = up.iter().rev().copied().collect();
        for folds in [false, true] {
            check(&[whole(&up, folds), whole(&down, folds)]);
            check(&[whole(&down, folds), whole(&up, !folds)]);
            check(&[whole(&up[100..], folds), whole(&up, false)]);
        }
    }

    #[test]
    fn pieces_of_any_length() {
        for dots in 1..40 {
            let letters = [&b"ACGTacgtn"[..], &vec![b'.'; dots]].concat();
            let (a, b) = (random(&letters, 3 * BLOCK, dots as u64), random(&letters, FIRST_PART_BYTES + NUMBERING_PART_BYTES + 17, 2));
            let ((of_a, a_len), (of_b, b_len)) = (in_pieces(&a), in_pieces(&b));
            let text = |bytes, pieces, len| BytePieces { bytes, pieces, len, folds: dots % 2 == 0 };
            check(&[text(&a, &of_a, a_len), text(&b, &of_b, b_len)]);
        }
    }

    /// Parts find new values in different orders, but all threads must agree on the numbers in the end.
    #[test]
    fn parts_that_find_values_of_their_own() {
        let mut text = random(b"ACGT", FIRST_PART_BYTES + 4 * NUMBERING_PART_BYTES + 99, 5);
        let rare = [
            (FIRST_PART_BYTES + NUMBERING_PART_BYTES - 1, b"x"),
            (FIRST_PART_BYTES + 2 * NUMBERING_PART_BYTES, b"z"),
            (FIRST_PART_BYTES + 2 * NUMBERING_PART_BYTES + 7, b"y"),
            (FIRST_PART_BYTES + 4 * NUMBERING_PART_BYTES + 50, b"x"),
        ];
        rare.iter().for_each(|&(at, value)| text[at] = value[0]);
        (0..=255).for_each(|value| text[FIRST_PART_BYTES + 3 * NUMBERING_PART_BYTES + 300 * usize::from(value)] = 255 - value);
        check(&[whole(&text, false), whole(b"zyxTGCA", false)]);
        check(&[whole(b"", true), whole(&text, true)]);
    }
}
