//! Bytes: numbers byte values in the order of their first occurrence.
//!
//! ```text
//! for every block of the text:
//!     look all bytes up in a table of numbers, 64 at a time
//!     if one has no number yet: number the bytes of the block one by one, and look them up again
//! ```
//!
//! At most 256 blocks are looked up again, because a byte has 256 values. In a large text, each thread numbers its own
//! parts. It starts with the numbers of the first blocks, after which new values are rare. If two parts find new values,
//! the numbers of the later part are replaced by common ones.

use std::sync::{Mutex, PoisonError};

use fearless_simd::Level;

use crate::byte_table::ByteTable;
use crate::cpu::spread;

/// Mark for a byte value that has no number. As a number, 255 is given last, when no value lacks a number any more.
const UNKNOWN_VALUE: u8 = u8::MAX;

/// Number of bytes that are looked up in a table at a time.
const BLOCK: usize = 4096;

/// Maximum length of a text that is numbered byte by byte, in symbols. For so few symbols, creating a table would take
/// longer.
const MAX_UNTABLED_SYMBOLS: usize = 256;

/// Number of bytes at the start of a text that are numbered before other threads begin. Most values occur there, so
/// that the threads seldom find new values.
const FIRST_PART_BYTES: usize = 4 * BLOCK;

/// Number of bytes that one thread numbers at a time. This takes several times as long as starting a thread.
const NUMBERING_PART_BYTES: usize = 1 << 20;

/// A text whose units are single bytes: the bytes that remain after ignored bytes are dropped.
pub(super) struct BytePieces<'t> {
    /// All bytes of the text, including ignored ones.
    pub(super) bytes: &'t [u8],
    /// For every piece of adjacent remaining bytes, the number of symbols before the piece and the position of its
    /// first byte.
    pub(super) pieces: &'t [(u32, u32)],
    /// Number of symbols, which is the number of remaining bytes.
    pub(super) len: usize,
    /// Whether lower-case ASCII letters are treated as upper case.
    pub(super) folds: bool,
}

/// The byte values that have occurred so far, each with its number in the order of first occurrence.
#[derive(Clone)]
pub(super) struct ByteNumbers {
    of: [u8; 256],
    /// Byte value that has each number. This is the inverse of `of`.
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

    /// Returns the number of each symbol of `text`. New byte values get new numbers. Uses at most `threads` threads.
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

    /// Gives numbers to the new values of `bytes`, without writing the numbers of the text. Uses at most `threads` threads.
    pub(super) fn add_all(&mut self, bytes: &[u8], threads: usize) {
        let (first, rest) = bytes.split_at(FIRST_PART_BYTES.min(bytes.len()));
        self.add_part(first);
        if threads <= 1 || rest.len() <= NUMBERING_PART_BYTES {
            return self.add_part(rest);
        }
        let parts: Vec<_> = rest.chunks(NUMBERING_PART_BYTES).collect();
        let found = spread(&parts, threads, |part| {
            let mut own = self.clone();
            own.add_part(part);
            own
        });
        found.iter().flat_map(|own| &own.values).for_each(|&value| self.add(value));
    }

    /// Gives numbers to the new values of `bytes`, on this thread.
    fn add_part(&mut self, bytes: &[u8]) {
        if bytes.len() <= MAX_UNTABLED_SYMBOLS {
            return bytes.iter().for_each(|&byte| self.add(byte));
        }
        let (level, mut room) = (Level::new(), [0; BLOCK]);
        let mut table = ByteTable::new(UNKNOWN_VALUE, |byte| self.of[usize::from(byte)]);
        for block in bytes.chunks(BLOCK) {
            if self.len() == 256 {
                return;
            }
            if table.look_up(level, block, &mut room[..block.len()]) == UNKNOWN_VALUE {
                block.iter().for_each(|&byte| self.add(byte));
                table = ByteTable::new(UNKNOWN_VALUE, |byte| self.of[usize::from(byte)]);
            }
        }
    }

    /// Writes the numbers of a text of at most [`MAX_UNTABLED_SYMBOLS`] symbols to `symbols`, byte by byte.
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

    /// Fills `symbols` with the numbers of the symbols of `text` from index `at` on, by a table. New byte values get
    /// new numbers.
    fn fill(&mut self, text: &BytePieces, at: usize, symbols: &mut [u8]) {
        let fold = |byte: u8| if text.folds { byte.to_ascii_uppercase() } else { byte };
        let (level, mut room) = (Level::new(), [0; BLOCK]);
        let mut table = ByteTable::new(UNKNOWN_VALUE, |byte| self.of[usize::from(fold(byte))]);
        let mut left = BytePiecesCursor::new(text, at);
        for symbols in symbols.chunks_mut(BLOCK) {
            let bytes = left.take(&mut room[..symbols.len()]);
            if table.look_up(level, bytes, symbols) == UNKNOWN_VALUE && self.len() < 256 {
                bytes.iter().for_each(|&byte| self.add(fold(byte)));
                table = ByteTable::new(UNKNOWN_VALUE, |byte| self.of[usize::from(fold(byte))]);
                table.look_up(level, bytes, symbols);
            }
        }
    }

    /// Gives `value` the next free number, unless it has a number.
    fn add(&mut self, value: u8) {
        if self.of[usize::from(value)] == UNKNOWN_VALUE && self.len() < 256 {
            self.of[usize::from(value)] = self.len() as u8;
            self.values.push(value);
        }
    }

    /// Replaces each number in `symbols`, which `self` gave, by the number that `all` gave to the same value.
    fn replace(&self, all: &Self, symbols: &mut [u8]) {
        let (level, mut room) = (Level::new(), [0; BLOCK]);
        let table = ByteTable::new(UNKNOWN_VALUE, |number| {
            self.values.get(usize::from(number)).map_or(UNKNOWN_VALUE, |&value| all.of[usize::from(value)])
        });
        for symbols in symbols.chunks_mut(BLOCK) {
            let own = &mut room[..symbols.len()];
            own.copy_from_slice(symbols);
            table.look_up(level, own, symbols);
        }
    }
}

/// A cursor that takes the remaining bytes of [`BytePieces`] in order.
struct BytePiecesCursor<'t> {
    text: &'t BytePieces<'t>,
    /// Index of the piece that contains the next byte.
    piece: usize,
    /// Position of the next byte in `text.bytes`.
    from: usize,
}

impl<'t> BytePiecesCursor<'t> {
    fn new(text: &'t BytePieces, at: usize) -> Self {
        let piece = text.pieces.partition_point(|&(symbol, _)| symbol as usize <= at).saturating_sub(1);
        let from = text.pieces.get(piece).map_or(0, |&(symbol, byte)| byte as usize + at - symbol as usize);
        Self { text, piece, from }
    }

    /// Returns the position in `text.bytes` after the last byte of the current piece.
    fn end(&self) -> usize {
        let (symbol, byte) = self.text.pieces[self.piece];
        let next = self.text.pieces.get(self.piece + 1).map_or(self.text.len, |&(symbol, _)| symbol as usize);
        byte as usize + next - symbol as usize
    }

    /// Returns the next `room.len()` remaining bytes and moves behind them. If they are adjacent in the text, returns a
    /// slice of the text. Otherwise copies the bytes to `room` and returns `room`.
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
            if texts.iter().all(|text| text.pieces.len() == 1 && !text.folds) {
                let mut values = ByteNumbers::new();
                texts.iter().for_each(|text| values.add_all(text.bytes, threads));
                assert_eq!((values.of, values.values), (numbers.of, numbers.values), "{threads} threads");
            }
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
    fn every_length_around_vectors_and_blocks_is_numbered() {
        for len in (0..260).chain(BLOCK - 1..BLOCK + 2).chain(FIRST_PART_BYTES - 1..FIRST_PART_BYTES + 2) {
            for letters in [&b"ACGT"[..], b"aAbB zZ\xc4\xe4", &(0..=255).rev().collect::<Vec<u8>>()] {
                let (a, b) = (random(letters, len, 1), random(letters, len / 2 + 7, 2));
                for folds in [false, true] {
                    check(&[whole(&a, folds), whole(&b, false)]);
                }
            }
        }
    }

    #[test]
    fn runs_of_all_byte_values_are_numbered() {
        let up: Vec<u8> = (0..=255).flat_map(|value| [value; 100]).collect();
        let down: Vec<u8> = up.iter().rev().copied().collect();
        for folds in [false, true] {
            check(&[whole(&up, folds), whole(&down, folds)]);
            check(&[whole(&down, folds), whole(&up, !folds)]);
            check(&[whole(&up[100..], folds), whole(&up, false)]);
        }
    }

    #[test]
    fn pieces_of_any_length_are_numbered() {
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
    fn values_that_only_later_parts_have_are_numbered() {
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
