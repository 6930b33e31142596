//! Corpus: many texts whose symbols are numbered together.

use std::ops::Range;

use crate::text::TextSymbols;

/// The symbols of many texts, the members, one after another. Equal units of all members have equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    symbols: TextSymbols,
    /// Position in `symbols` after the last symbol of each member.
    ends: Vec<usize>,
    alphabet: u32,
}

/// The symbols of all members of a [`Corpus`], in their common width.
#[derive(Clone, Copy, Debug)]
pub enum CorpusSymbols<'c> {
    /// Symbols of one byte, for at most 256 distinct symbols.
    Narrow(&'c [u8]),
    /// Symbols of four bytes, for larger alphabets.
    Wide(&'c [u32]),
}

impl Corpus {
    /// Maximum number of symbols of a member. With it, every score fits `i32`, because costs and points are at most
    /// 1,000.
    pub const MAX_MEMBER: usize = 1 << 20;

    /// Creates a corpus from the symbols of all members, one after another, and the end of each member.
    ///
    /// `ends` is in ascending order, and its last element is the number of symbols. Every symbol is less than
    /// `alphabet`. No member is longer than [`MAX_MEMBER`](Self::MAX_MEMBER).
    pub(crate) fn new(symbols: TextSymbols, ends: Vec<usize>, alphabet: u32) -> Self {
        debug_assert_eq!(ends.last().copied().unwrap_or(0), symbols.len());
        Self { symbols, ends, alphabet }
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of distinct symbols. Every symbol is less than this number.
    pub fn alphabet(&self) -> u32 {
        self.alphabet
    }

    /// Returns the range of the symbols of the member `member` among those of all members.
    ///
    /// # Panics
    /// Panics if `member` is not below `len`.
    pub fn range(&self, member: usize) -> Range<usize> {
        let start = if member == 0 { 0 } else { self.ends[member - 1] };
        start..self.ends[member]
    }

    /// Returns the number of symbols of the member `member`.
    ///
    /// # Panics
    /// Panics if `member` is not below `len`.
    pub fn member_len(&self, member: usize) -> usize {
        self.range(member).len()
    }

    /// Returns the symbols of all members, one after another.
    pub fn symbols(&self) -> CorpusSymbols<'_> {
        match &self.symbols {
            TextSymbols::Narrow(symbols) => CorpusSymbols::Narrow(symbols),
            TextSymbols::Wide(symbols) => CorpusSymbols::Wide(symbols),
        }
    }
}

/// Evaluates an expression with the symbols of all members of a [`Corpus`], as a slice of `u8` or of `u32`. The code is
/// compiled for both types.
#[macro_export]
macro_rules! with_corpus_symbols {
    ($corpus:expr, |$symbols:ident| $body:expr) => {
        match $corpus.symbols() {
            $crate::collection::corpus::CorpusSymbols::Narrow($symbols) => $body,
            $crate::collection::corpus::CorpusSymbols::Wide($symbols) => $body,
        }
    };
}
