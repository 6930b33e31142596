//! Number: assigns symbol numbers to the units of two texts. Equal units have the same number. Numbers follow the order
//! of first occurrence in `a`, then in `b`, unless they are sets of bases.
//!
//! - [`bytes`]: numbers units of one byte each, 64 at a time, and large texts on all cores
//! - [`base_sets`]: numbers units that stand for sets of bases
//! - [`units`]: numbers all other units by their keys (what remains after ignored parts are removed)

use std::sync::Arc;

use self::bytes::{ByteNumbers, BytePieces};
use super::{Text, TextSymbols, UnitSpans};
use crate::base_set::{BASE_SETS, SymbolMatch};
use crate::cpu::Cpu;
use crate::failure::JobFailure;
use crate::reading::ReadingOptions;

mod base_sets;
mod bytes;
mod units;

pub(super) use base_sets::number_base_sets;

/// The two texts of a pair and, if requested, the reverse complement of the first one. Their units are numbered
/// together.
#[derive(Clone, Copy)]
pub(super) struct TextsToNumber<'t> {
    /// First text.
    pub(super) a: &'t Text,
    /// Reverse complement of `a`, if requested.
    pub(super) other: Option<&'t Text>,
    /// Second text.
    pub(super) b: &'t Text,
}

/// The symbol numbers of both texts.
#[derive(Clone, Debug)]
pub(super) struct NumberedSymbols {
    pub(super) a: Arc<TextSymbols>,
    pub(super) b: Arc<TextSymbols>,
    /// Lowest byte of each symbol of `b` if symbols have four bytes, otherwise empty.
    pub(super) b_lowest: Arc<Vec<u8>>,
    /// Exclusive upper bound of the numbers.
    pub(super) alphabet: u32,
}

impl NumberedSymbols {
    /// Creates the symbols from their numbers. Takes O(|b|) time if symbols have four bytes.
    pub(super) fn new(a: Arc<TextSymbols>, b: TextSymbols, alphabet: u32) -> Self {
        let b_lowest = b.lowest().into();
        Self { a, b: b.into(), b_lowest, alphabet }
    }

    /// Returns the memory of the numbers in bytes.
    pub(super) fn bytes(&self) -> usize {
        let symbols = |symbols: &TextSymbols| match symbols {
            TextSymbols::Narrow(symbols) => symbols.len(),
            TextSymbols::Wide(symbols) => 4 * symbols.len(),
        };
        symbols(&self.a) + symbols(&self.b) + self.b_lowest.len()
    }
}

/// The symbol numbers of the units of [`TextsToNumber`], and the number of distinct symbols.
pub(super) struct NumberedTexts {
    pub(super) a: TextSymbols,
    pub(super) other: Option<TextSymbols>,
    pub(super) b: TextSymbols,
    pub(super) alphabet: u32,
    pub(super) symbol_match: SymbolMatch,
}

/// Numbers texts whose units are one byte each. Returns `None` if a unit may have more than one byte.
///
/// `folds` says for `a` and for `b` whether lower-case ASCII letters are treated as upper case. Takes O(bytes) time.
pub(super) fn number_bytes(texts: &TextsToNumber, folds: [bool; 2]) -> Option<NumberedTexts> {
    let (a, b) = (bytes_of(texts.a, folds[0])?, bytes_of(texts.b, folds[1])?);
    let other = texts.other.and_then(|other| bytes_of(other, folds[0]));
    let (mut numbers, threads) = (ByteNumbers::new(), Cpu::all_cores().threads);
    let mut number = |text: &BytePieces| TextSymbols::Narrow(numbers.number(text, threads));
    let (a, other, b) = (number(&a), other.as_ref().map(&mut number), number(&b));
    Some(NumberedTexts { a, other, b, alphabet: numbers.len() as u32, symbol_match: SymbolMatch::Equal })
}

/// Numbers the values of two texts of bytes, each of which is a unit. Takes O(bytes) time.
pub(super) fn number_values([a, b]: [&[u8]; 2]) -> NumberedSymbols {
    let (mut numbers, threads) = (ByteNumbers::new(), Cpu::all_cores().threads);
    let mut number = |bytes: &[u8]| {
        TextSymbols::Narrow(numbers.number(&BytePieces { bytes, pieces: &[(0, 0)], len: bytes.len(), folds: false }, threads))
    };
    let (a, b) = (number(a), number(b));
    NumberedSymbols::new(a.into(), b, numbers.len() as u32)
}

/// Returns the number of distinct values in `texts`. Takes O(bytes) time.
pub(super) fn count_values(texts: [&[u8]; 2]) -> u32 {
    let (mut numbers, threads) = (ByteNumbers::new(), Cpu::all_cores().threads);
    texts.iter().for_each(|text| numbers.add_all(text, threads));
    numbers.len() as u32
}

/// Numbers texts of any units, which compare as `reading` says. If records of `b` are searched separately, the border
/// between two records is one symbol. All borders have one number, which no unit has. Takes O(bytes) time and memory.
pub(super) fn number_units(texts: &TextsToNumber, reading: &ReadingOptions) -> NumberedTexts {
    let (mut symbols, alphabet) = match texts.other {
        None => units::number(&[texts.a, texts.b], reading),
        Some(other) => units::number(&[texts.a, other, texts.b], reading),
    };
    let mut next = || symbols.pop_front().unwrap_or(TextSymbols::Narrow(Vec::new()));
    let (a, other) = (next(), texts.other.map(|_| next()));
    NumberedTexts { a, other, b: next(), alphabet, symbol_match: SymbolMatch::Equal }
}

/// Numbers the units of many texts, which compare as `reading` says. If one text is read as records, lower-case letters of
/// all texts are read as upper case. Returns the symbol numbers of each text, and an upper bound of all numbers. The number
/// of a border between records is arbitrary. Takes O(bytes) time and memory.
pub(crate) fn number_all(texts: &[&Text], reading: &ReadingOptions) -> (Vec<TextSymbols>, u32) {
    let folds = folded(texts, reading).case_insensitive;
    let pieces: Option<Vec<_>> = texts.iter().map(|text| bytes_of(text, folds)).collect();
    match pieces {
        Some(pieces) => {
            let (mut numbers, threads) = (ByteNumbers::new(), Cpu::all_cores().threads);
            let symbols = pieces.iter().map(|text| TextSymbols::Narrow(numbers.number(text, threads))).collect();
            (symbols, numbers.len() as u32)
        }
        None => number_by_units(texts, reading),
    }
}

/// The symbol numbers of many patterns and of one text, numbered together.
pub(super) struct NumberedPatterns {
    pub(super) patterns: Vec<TextSymbols>,
    /// Numbers of the reverse complement of each pattern that has one.
    pub(super) reverses: Vec<Option<TextSymbols>>,
    pub(super) b: TextSymbols,
    pub(super) alphabet: u32,
    pub(super) symbol_match: SymbolMatch,
}

/// Numbers `patterns`, their reverse complements, and the text `b`. All borders between records of `b` have one number, which
/// no symbol of a pattern has. Takes O(bytes) time and memory.
///
/// # Errors
/// Returns the errors of [`number_base_sets`].
pub(super) fn number_patterns(
    patterns: &[Text],
    reverses: &[Option<Text>],
    b: &Text,
    reading: &ReadingOptions,
) -> Result<NumberedPatterns, JobFailure> {
    if reading.ambiguity {
        let sets = |text: &Text| base_sets::sets(text.name().unwrap_or("a"), text);
        return Ok(NumberedPatterns {
            patterns: patterns.iter().map(sets).collect::<Result<_, JobFailure>>()?,
            reverses: reverses.iter().map(|text| text.as_ref().map(sets).transpose()).collect::<Result<_, JobFailure>>()?,
            b: base_sets::sets(b.name().unwrap_or("b"), b)?,
            alphabet: BASE_SETS,
            symbol_match: SymbolMatch::Overlap,
        });
    }
    let all: Vec<&Text> = patterns.iter().chain(reverses.iter().flatten()).chain([b]).collect();
    let is_border_of_patterns = |border: u8| all[..all.len() - 1].iter().any(|text| text.pieces().any(|piece| piece.contains(&border)));
    let has_own_border = !b.has_separate_records() || b.is_strict && b.border_byte().is_some_and(|border| !is_border_of_patterns(border));
    let (mut symbols, alphabet) = if has_own_border { number_all(&all, reading) } else { number_by_units(&all, reading) };
    let b = symbols.pop().unwrap_or(TextSymbols::Narrow(Vec::new()));
    let mut rest = symbols.split_off(patterns.len()).into_iter();
    let reverses = reverses.iter().map(|text| text.as_ref().and_then(|_| rest.next())).collect();
    Ok(NumberedPatterns { patterns: symbols, reverses, b, alphabet, symbol_match: SymbolMatch::Equal })
}

/// Numbers texts like [`number_all`], but all borders of the last text have one number, which no unit has.
fn number_by_units(texts: &[&Text], reading: &ReadingOptions) -> (Vec<TextSymbols>, u32) {
    let (symbols, alphabet) = units::number(texts, &folded(texts, reading));
    (symbols.into(), alphabet)
}

/// Returns `reading`, with case ignored if one of `texts` is read as records.
fn folded(texts: &[&Text], reading: &ReadingOptions) -> ReadingOptions {
    ReadingOptions { case_insensitive: reading.case_insensitive || texts.iter().any(|text| text.is_upper()), ..*reading }
}

fn bytes_of(text: &Text, folds: bool) -> Option<BytePieces<'_>> {
    match &*text.spans {
        UnitSpans::Pieces { starts, len } => Some(BytePieces { bytes: &text.bytes, pieces: starts, len: *len, folds }),
        UnitSpans::Ranges(_) => None,
    }
}
