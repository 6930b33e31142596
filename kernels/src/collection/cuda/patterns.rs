//! Searches for many short patterns in one text, within a number of edits for each: several patterns in the words of a
//! thread. patterns.cu describes the recurrences and their layout.
//!
//! A long text is searched in parts, and a part in pieces if it has more hits than the memory for them. The pieces of a part
//! overlap by the symbols that a hit may have. Patterns with too many symbols or too many hits are left to the caller.
//!
//! - [`rows`]: patterns as rows of words, and a sample of the distances in a text
//! - [`plan`]: groups of patterns, chunks of a text and memory
//! - [`search`]: the search in a text

use super::launches;
use crate::base_set::SymbolMatch;

mod plan;
mod rows;
mod search;

pub(crate) use plan::{SearchSettings, takes, variants};
pub(crate) use search::{HitLists, find};

/// A text in which patterns are searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchedText<'t> {
    pub(crate) symbols: &'t [u8],
    /// Exclusive upper bound of the symbols of the text and of all patterns.
    pub(crate) alphabet: u32,
    pub(crate) symbol_match: SymbolMatch,
    /// The symbol between two records. No hit contains it, and it matches no symbol of a pattern.
    pub(crate) border: Option<u8>,
}

/// A pattern of 1 to 64 symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShortPattern {
    pub(crate) symbols: Vec<u8>,
    /// Maximum number of edits, less than the number of symbols.
    pub(crate) limit: u32,
}

/// The end of a substring within the limit of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ShortHit {
    /// Position after the last symbol.
    pub(crate) end: u64,
    /// Number of symbols from the greatest start that has the distance.
    pub(crate) length: u8,
    pub(crate) distance: u8,
}

#[cfg(test)]
pub(crate) mod tests;
