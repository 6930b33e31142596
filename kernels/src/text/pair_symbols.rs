//! Pair symbols: the symbols of both texts of a pair. Texts whose units are their bytes are numbered only if an engine
//! needs numbers.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::number::{self, NumberedSymbols};
use crate::reading::SharedBytes;

/// The symbols of both texts of a pair.
#[derive(Clone, Debug)]
pub(super) enum PairSymbols {
    /// Numbers of the units.
    Numbered(NumberedSymbols),
    /// The bytes of both texts, each of which is a unit.
    Bytes(Arc<ByteUnits>),
}

/// A part of the bytes of a text, each of which is a unit.
#[derive(Debug)]
pub(super) struct UnitBytes {
    pub(super) bytes: SharedBytes,
    pub(super) range: Range<usize>,
}

/// The bytes of two texts, and facts about them that are computed when they are first needed.
#[derive(Debug)]
pub(super) struct ByteUnits {
    texts: [UnitBytes; 2],
    alphabet: OnceLock<u32>,
    numbers: OnceLock<NumberedSymbols>,
}

impl ByteUnits {
    pub(super) fn new(a: UnitBytes, b: UnitBytes) -> Self {
        Self { texts: [a, b], alphabet: OnceLock::new(), numbers: OnceLock::new() }
    }

    /// Returns the bytes of `a` and of `b`.
    pub(super) fn slices(&self) -> [&[u8]; 2] {
        self.texts.each_ref().map(|text| &text.bytes[text.range.clone()])
    }

    fn numbers(&self) -> &NumberedSymbols {
        self.numbers.get_or_init(|| number::number_values(self.slices()))
    }

    fn alphabet(&self) -> u32 {
        let count = || self.numbers.get().map_or_else(|| number::count_values(self.slices()), |numbers| numbers.alphabet);
        *self.alphabet.get_or_init(count)
    }
}

impl PairSymbols {
    /// Returns the numbers of the units. The first call numbers texts of bytes, in O(bytes) time.
    pub(super) fn numbers(&self) -> &NumberedSymbols {
        match self {
            Self::Numbered(numbers) => numbers,
            Self::Bytes(units) => units.numbers(),
        }
    }

    /// Returns the number of distinct symbols. The first call counts those of texts of bytes, in O(bytes) time.
    pub(super) fn alphabet(&self) -> u32 {
        match self {
            Self::Numbered(numbers) => numbers.alphabet,
            Self::Bytes(units) => units.alphabet(),
        }
    }

    /// Returns the memory of the numbers in bytes, also if they are not computed yet.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Numbered(numbers) => numbers.bytes(),
            Self::Bytes(units) => units.slices().map(<[u8]>::len).into_iter().sum(),
        }
    }
}
