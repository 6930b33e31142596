//! Pattern: `a`, prepared for a match count in any text.

use super::adders::{self, AddKernel};
use super::codes::SymbolCodes;
use super::compare::{CompareKernel, PAD};
use super::cost_model::{self, ScoreCostInput, ScoreMethod};
use super::lists::OccurrenceLists;
use super::score::{ScoreInteger, ScoreSlice};
use super::spectrum::{CodedRows, TransformKernel};
use super::symbol_counts::SymbolCounts;
use crate::base_set::SymbolMatch;
use crate::byte_table::ByteTable;
use crate::symbol::Symbol;

/// Maximum number of offsets that are compared at a time, so that their codes and scores stay in the second-level
/// cache.
const BLOCK: usize = 16 * 1024;

/// Maximum number of cells (pattern symbols times offsets) that are compared at a time, about a millisecond of work.
/// This limits the offsets of a block for long patterns.
const BLOCK_CELLS: usize = 1 << 27;

/// Expected properties of a text in which a pattern will be counted. They change the time, never a score.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedText<'t, T> {
    /// Number of distinct symbols in pattern and text together, or an upper bound of it, if known.
    pub alphabet: Option<u32>,
    /// Some of the text's symbols, as frequent as in the text. If empty, the frequencies of the pattern are assumed.
    pub sample: &'t [T],
    /// Number of offsets in the text, if known.
    pub offsets: Option<u64>,
    /// The method to use, unless it does not support the pattern. If `None`, the fastest one is chosen.
    pub method: Option<ScoreMethod>,
    /// The rule by which symbols match.
    pub symbol_match: SymbolMatch,
}

impl<T> Default for ExpectedText<'_, T> {
    fn default() -> Self {
        Self { alphabet: None, sample: &[], offsets: None, method: None, symbol_match: SymbolMatch::Equal }
    }
}

impl<T> ExpectedText<'_, T> {
    /// Returns the facts on which the choice of a method depends, for a pattern of `m` symbols, of which `distinct` are
    /// distinct. `is_byte` says whether symbols are bytes.
    fn circumstances(&self, m: usize, distinct: usize, is_byte: bool) -> ScoreCostInput {
        let has_others = self.alphabet.is_none_or(|alphabet| alphabet as usize > distinct);
        ScoreCostInput { m, has_others, is_byte, offsets: self.offsets }
    }
}

/// A pattern, prepared for a match count in any number of texts. Takes O(|a| + its greatest symbol number) memory, plus
/// some transforms of a few times the pattern's length.
#[derive(Clone, Debug)]
pub struct PreparedPattern {
    len: usize,
    codes: SymbolCodes,
    kernel: ScoreKernel,
    lists: Option<OccurrenceLists>,
    block: usize,
}

#[derive(Clone, Debug)]
enum ScoreKernel {
    Compare(CompareKernel),
    Add(AddKernel),
    Transform(TransformKernel),
}

/// Buffers of one thread that counts equal symbols by a [`PreparedPattern`].
#[derive(Default)]
pub(super) struct ScoreScratch {
    codes: Vec<u8>,
    narrow: Vec<u8>,
    middle: Vec<u16>,
    wide: Vec<u32>,
    planes: Vec<u8>,
    spectrum: super::spectrum::TransformScratch,
}

/// Estimates the time for one offset of the pattern `symbols`, in nanoseconds on one core, with the method that is
/// probably chosen. `expected` are the known properties of the text. Takes O(|a|) time.
pub(super) fn offset_ns<T: Symbol>(symbols: &[T], expected: &ExpectedText<T>) -> f64 {
    if symbols.is_empty() {
        return 0.0;
    }
    if expected.symbol_match == SymbolMatch::Overlap {
        return cost_model::sets_ns(symbols.len());
    }
    let counts = SymbolCounts::new(symbols, expected.sample);
    counts.cheapest(expected.method, expected.circumstances(symbols.len(), counts.distinct, T::BYTES == 1)).ns
}

/// Returns the number of offsets whose scores are compared at a time for a pattern of `m` symbols.
fn compared_at_once(m: usize) -> usize {
    (BLOCK_CELLS / m.max(1) / PAD).clamp(1, BLOCK / PAD) * PAD
}

impl PreparedPattern {
    /// Prepares the pattern `symbols`, whose symbols are bytes or numbered densely from 0, for texts like `expected`. Takes
    /// O(|a|) time, or O(|a| log |a|) for each distinct symbol if Fourier transforms are used.
    pub fn new<T: Symbol>(symbols: &[T], expected: &ExpectedText<T>) -> Self {
        if expected.symbol_match == SymbolMatch::Overlap {
            let kernel = ScoreKernel::Compare(CompareKernel::of_sets(symbols.iter().map(|symbol| symbol.lowest())));
            return Self { len: symbols.len(), codes: SymbolCodes::Same, kernel, lists: None, block: compared_at_once(symbols.len()) };
        }
        let counts = SymbolCounts::new(symbols, expected.sample);
        let m = symbols.len();
        let given = expected.circumstances(m, counts.distinct, T::BYTES == 1);
        let has_others = given.has_others;
        let way = counts.cheapest(expected.method, given);
        let listed = |symbol: usize| way.listed[symbol];
        let above = counts.rows.len();
        let mut coded = 0;
        let mut code_of = vec![None; above];
        for symbol in (0..above).filter(|&symbol| counts.rows[symbol] > 0 && !listed(symbol)) {
            code_of[symbol] = Some(coded as u8);
            coded += 1;
        }
        let any_listed = coded < counts.distinct;
        let has_others = has_others || any_listed;
        let rows: Vec<Option<u8>> = symbols.iter().map(|&symbol| code_of[symbol.number() as usize]).collect();
        let mut codes = if coded == above && coded < 256 {
            SymbolCodes::Below(coded as u8)
        } else if (T::BYTES == 1) && coded == 256 {
            SymbolCodes::Same
        } else if T::BYTES == 1 && coded < 256 {
            let code = |value: u8| code_of.get(usize::from(value)).copied().flatten().unwrap_or(coded as u8);
            SymbolCodes::Bytes(ByteTable::new(coded as u8, code).into())
        } else {
            SymbolCodes::Table(code_of.iter().map(|code| code.unwrap_or(coded as u8)).chain([coded as u8]).collect())
        };
        let kernel = match way.method {
            ScoreMethod::Transform => {
                ScoreKernel::Transform(TransformKernel::new(CodedRows { rows: &rows, codes: coded, has_others }, way.shape))
            }
            ScoreMethod::Add => ScoreKernel::Add(AddKernel::new(&rows, coded, adders::block(m, coded))),
            ScoreMethod::Compare => {
                let packed = CompareKernel::new(&rows, coded + usize::from(has_others));
                if (T::BYTES == 1) && packed.at_once() == 1 && !any_listed {
                    codes = SymbolCodes::Same;
                    let same: Vec<Option<u8>> = symbols.iter().map(|&symbol| Some(symbol.lowest())).collect();
                    ScoreKernel::Compare(CompareKernel::new(&same, 256))
                } else {
                    ScoreKernel::Compare(packed)
                }
            }
        };
        let lists = any_listed.then(|| OccurrenceLists::new(symbols, above, listed));
        let block = match &kernel {
            ScoreKernel::Compare(_) => compared_at_once(m),
            ScoreKernel::Add(adders) => adders.block(),
            ScoreKernel::Transform(spectrum) => spectrum.block(),
        };
        Self { len: m, codes, kernel, lists, block }
    }

    /// Returns the number of symbols in the pattern.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the pattern is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of offsets whose scores are computed at a time, a multiple of 512.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Returns the memory that the pattern and one counting thread take, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let kernel = match &self.kernel {
            ScoreKernel::Compare(rows) => rows.bytes(),
            ScoreKernel::Add(adders) => adders.bytes(),
            ScoreKernel::Transform(spectrum) => spectrum.bytes(),
        };
        let own = self.codes.bytes() + kernel + self.lists.as_ref().map_or(0, OccurrenceLists::bytes);
        (own + self.block * 6 + self.len + PAD) as u64
    }

    /// Computes the scores at the offsets `0..offsets` of `text`, whose length must be `offsets` plus the length of the
    /// pattern minus 1. Returns the scores, which are stored in `scratch`.
    pub(super) fn count<'s, T: Symbol>(&self, text: &[T], offsets: usize, scratch: &'s mut ScoreScratch) -> ScoreSlice<'s> {
        let ScoreScratch { codes, narrow, middle, wide, planes, spectrum } = scratch;
        codes.clear();
        self.codes.encode(text, codes);
        let mut dense = match &self.kernel {
            ScoreKernel::Transform(transforms) => {
                wide.resize(offsets, 0);
                transforms.count(codes, wide, spectrum);
                None
            }
            ScoreKernel::Compare(rows) => {
                codes.resize(text.len() + PAD, 0);
                rows.pack(codes);
                Some(DenseKernel::Compare(rows, codes))
            }
            ScoreKernel::Add(adders) => {
                codes.resize(text.len() + PAD, 0);
                Some(DenseKernel::Add(adders, codes, planes))
            }
        };
        if let Some(dense) = &mut dense {
            if self.lists.is_none() && self.len <= usize::from(u8::MAX) {
                return ScoreSlice::Narrow(dense.count(offsets, narrow));
            }
            if self.lists.is_none() && self.len <= usize::from(u16::MAX) {
                return ScoreSlice::Middle(dense.count(offsets, middle));
            }
            dense.count(offsets, wide);
        }
        if let Some(lists) = &self.lists {
            lists.add(text, wide);
        }
        ScoreSlice::Wide(wide)
    }
}

/// The prepared pattern of a method that compares or adds bits, with the codes of a text. Computes scores of any width.
enum DenseKernel<'d> {
    Compare(&'d CompareKernel, &'d [u8]),
    Add(&'d AddKernel, &'d [u8], &'d mut Vec<u8>),
}

impl DenseKernel<'_> {
    fn count<'s, S: ScoreInteger>(&mut self, offsets: usize, scores: &'s mut Vec<S>) -> &'s [S] {
        scores.resize(offsets, S::default());
        match self {
            Self::Compare(rows, codes) => rows.count(codes, scores),
            Self::Add(adders, codes, planes) => adders.count(codes, scores, planes),
        }
        scores
    }
}
