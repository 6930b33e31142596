//! Pattern: `a`, ready to be counted in any text, and the choice of how.
//!
//! Time per offset, in nanoseconds: m / 170 for comparing m rows, divided by the rows of one look; for lists 8, and 2 for each pair of
//! equal symbols; and some for each transform. Symbols go by lists where that is the least for them, the others are all compared or
//! all transformed. The example `crossover` measures whether the choice is the better one; only the ratios of these times matter.

use super::codes::{Codes, Symbol};
use super::compare::{PAD, Rows};
use super::lists::Lists;
use super::score::Score;
use super::spectrum::{Coded, Shape, Spectrum};
use super::stream::Scores;

/// Time to compare one row at one offset, in nanoseconds (170 GCUPS on one core with AVX-512).
const COMPARE_NS: f64 = 1.0 / 170.0;

/// Time to add 1 for one pair of equal symbols, in nanoseconds.
const PAIR_NS: f64 = 2.0;

/// Time to look up the list of one symbol of the text, in nanoseconds.
const LIST_NS: f64 = 8.0;

/// Most symbols that have codes: one more code stands for all others.
const CODED: usize = 255;

/// Offsets of a block that is compared: its codes and scores stay in the second-level cache.
const BLOCK: usize = 16 * 1024;

/// Cells of such a block at most, for a pattern so long that fewer offsets have to do: about a millisecond.
const BLOCK_CELLS: usize = 1 << 27;

/// How scores are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every row is compared at every offset.
    Compare,
    /// Fourier transforms.
    Transform,
}

/// What is known of the text before it is counted. It changes the cost, never a score.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'t, T> {
    /// Number of distinct symbols in pattern and text together, where it is known; not fewer.
    pub alphabet: Option<u32>,
    /// Some of the text's symbols, as frequent as in the text; without any the pattern's frequencies are taken.
    pub sample: &'t [T],
    /// Number of offsets, where it is known.
    pub offsets: Option<u64>,
    /// The method, where it is not to be chosen.
    pub method: Option<Method>,
}

impl<T> Default for Expected<'_, T> {
    fn default() -> Self {
        Self { alphabet: None, sample: &[], offsets: None, method: None }
    }
}

/// A pattern, ready to be counted. Memory O(|a| + its greatest symbol), and some transforms as long as a few times the pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    len: usize,
    codes: Codes,
    kernel: Kernel,
    lists: Option<Lists>,
    block: usize,
}

#[derive(Clone, Debug)]
enum Kernel {
    Compare(Rows),
    Transform(Spectrum),
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    codes: Vec<u8>,
    narrow: Vec<u8>,
    middle: Vec<u16>,
    wide: Vec<u32>,
    spectrum: super::spectrum::Scratch,
}

/// A way to count, and what it takes for one offset.
struct Way {
    /// For each symbol of the pattern, whether it goes by lists.
    listed: Vec<bool>,
    method: Method,
    shape: Shape,
    ns: f64,
}

/// What a way depends on beside frequencies.
#[derive(Clone, Copy, Debug)]
struct Text {
    /// Symbols of the pattern.
    m: usize,
    /// Whether the text has symbols that the pattern has not.
    has_others: bool,
    /// Whether symbols are bytes.
    is_byte: bool,
    /// Number of offsets, where it is known.
    offsets: Option<u64>,
}

/// Which symbols go by lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    /// Those for which there is no code.
    Needed,
    /// Those too that take less time so.
    Cheaper,
}

/// How often symbols occur.
struct Census {
    /// In the pattern, by symbol.
    rows: Vec<u32>,
    /// Share of the text, by symbol.
    share: Vec<f64>,
    /// Symbols that the pattern has.
    distinct: usize,
}

impl Census {
    fn new<T: Symbol>(symbols: &[T], sample: &[T]) -> Self {
        let above = symbols.iter().map(|&symbol| symbol.into() as usize + 1).max().unwrap_or(0);
        let mut rows = vec![0; above];
        symbols.iter().for_each(|&symbol| rows[symbol.into() as usize] += 1);
        let mut share = vec![0.0; above];
        let sample = if sample.is_empty() { symbols } else { sample };
        for &symbol in sample {
            if let Some(share) = share.get_mut(symbol.into() as usize) {
                *share += 1.0 / sample.len() as f64;
            }
        }
        let distinct = rows.iter().filter(|rows| **rows > 0).count();
        Self { rows, share, distinct }
    }

    /// Pairs of equal symbols for each offset, of one symbol.
    fn pairs(&self, symbol: usize) -> f64 {
        f64::from(self.rows[symbol]) * self.share[symbol]
    }

    /// The cheapest way by a method.
    fn cheapest(&self, method: Method, text: Text) -> Way {
        let [needed, cheaper] = [Listed::Needed, Listed::Cheaper].map(|lists| self.way(method, lists, text));
        if cheaper.ns < needed.ns { cheaper } else { needed }
    }

    /// A way by a method. Codes are given to at most [`CODED`] symbols, those with most pairs, if there are more.
    fn way(&self, method: Method, lists: Listed, text: Text) -> Way {
        let Text { m, has_others, is_byte, offsets } = text;
        let (shape, transform_ns) = Shape::cheapest(m, offsets);
        let mut symbols: Vec<usize> = (0..self.rows.len()).filter(|&symbol| self.rows[symbol] > 0).collect();
        symbols.sort_by(|&one, &other| self.pairs(other).total_cmp(&self.pairs(one)).then(one.cmp(&other)));
        let mut listed = vec![false; self.rows.len()];
        let mut ns = 0.0;
        let most = if is_byte { 256 } else { CODED };
        for (rank, &symbol) in symbols.iter().enumerate() {
            let dense_ns = match method {
                // Bytes are compared as they are, and a pass for lists costs more than it saves.
                Method::Compare if self.distinct <= most => 0.0,
                Method::Compare => f64::from(self.rows[symbol]) * COMPARE_NS,
                Method::Transform => transform_ns,
            };
            if rank >= most || (lists == Listed::Cheaper && self.pairs(symbol) * PAIR_NS < dense_ns) {
                listed[symbol] = true;
                ns += self.pairs(symbol) * PAIR_NS;
            }
        }
        if listed.contains(&true) {
            ns += LIST_NS;
        }
        let coded: Vec<usize> = symbols.into_iter().filter(|&symbol| !listed[symbol]).collect();
        let rows: f64 = coded.iter().map(|&symbol| f64::from(self.rows[symbol])).sum();
        let codes = coded.len() + usize::from(has_others || coded.len() < self.distinct);
        ns += match method {
            Method::Compare => rows * COMPARE_NS / Rows::at_once_with(codes) as f64,
            Method::Transform => (coded.len() + 1) as f64 * transform_ns,
        };
        Way { listed, method, shape, ns }
    }
}

impl Pattern {
    /// A pattern of dense symbol numbers. Time O(|a|), or O(|a| log |a|) for each symbol that is transformed.
    pub fn new<T: Symbol>(symbols: &[T], expected: &Expected<T>) -> Self {
        let census = Census::new(symbols, expected.sample);
        let m = symbols.len();
        let has_others = expected.alphabet.is_none_or(|alphabet| alphabet as usize > census.distinct);
        let text = Text { m, has_others, is_byte: T::IS_BYTE, offsets: expected.offsets };
        let way = |method| census.cheapest(method, text);
        let way = match expected.method {
            Some(method) => way(method),
            None => {
                let (compare, transform) = (way(Method::Compare), way(Method::Transform));
                if transform.ns < compare.ns { transform } else { compare }
            }
        };
        let listed = |symbol: usize| way.listed[symbol];
        let above = census.rows.len();
        let mut coded = 0;
        let mut code_of = vec![None; above];
        for symbol in (0..above).filter(|&symbol| census.rows[symbol] > 0 && !listed(symbol)) {
            code_of[symbol] = Some(coded as u8);
            coded += 1;
        }
        let any_listed = coded < census.distinct;
        let has_others = has_others || any_listed;
        let rows: Vec<Option<u8>> = symbols.iter().map(|&symbol| code_of[symbol.into() as usize]).collect();
        let mut codes = if coded == above && coded < 256 {
            Codes::Below(coded as u8)
        } else if T::IS_BYTE && coded == 256 {
            Codes::Same
        } else {
            Codes::Table(code_of.iter().map(|code| code.unwrap_or(coded as u8)).chain([coded as u8]).collect())
        };
        let kernel = match way.method {
            Method::Transform => Kernel::Transform(Spectrum::new(Coded { rows: &rows, codes: coded, has_others }, way.shape)),
            Method::Compare => {
                let packed = Rows::new(&rows, coded + usize::from(has_others));
                if T::IS_BYTE && packed.at_once() == 1 && !any_listed {
                    codes = Codes::Same;
                    let same: Vec<Option<u8>> = symbols.iter().map(|&symbol| Some(symbol.into() as u8)).collect();
                    Kernel::Compare(Rows::new(&same, 256))
                } else {
                    Kernel::Compare(packed)
                }
            }
        };
        let lists = any_listed.then(|| Lists::new(symbols, above, listed));
        let block = match &kernel {
            Kernel::Compare(_) => (BLOCK_CELLS / m.max(1) / PAD).clamp(1, BLOCK / PAD) * PAD,
            Kernel::Transform(spectrum) => spectrum.block(),
        };
        Self { len: m, codes, kernel, lists, block }
    }

    /// Number of symbols.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Offsets that are counted together; a multiple of 512.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Memory of the pattern and of one thread that counts it, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let kernel = match &self.kernel {
            Kernel::Compare(rows) => rows.bytes(),
            Kernel::Transform(spectrum) => spectrum.bytes(),
        };
        let own = self.codes.bytes() + kernel + self.lists.as_ref().map_or(0, Lists::bytes);
        (own + self.block * 6 + self.len + PAD) as u64
    }

    /// Scores at the offsets `0..offsets` of a text that has just the symbols for them.
    pub(super) fn count<'s, T: Symbol>(&self, text: &[T], offsets: usize, scratch: &'s mut Scratch) -> Scores<'s> {
        let Scratch { codes, narrow, middle, wide, spectrum } = scratch;
        codes.clear();
        self.codes.encode(text, codes);
        match &self.kernel {
            Kernel::Transform(transforms) => {
                wide.resize(offsets, 0);
                transforms.count(codes, wide, spectrum);
            }
            Kernel::Compare(rows) => {
                codes.resize(text.len() + PAD, 0);
                rows.pack(codes);
                if self.lists.is_none() && self.len <= usize::from(u8::MAX) {
                    return Scores::Narrow(compared(rows, codes, offsets, narrow));
                }
                if self.lists.is_none() && self.len <= usize::from(u16::MAX) {
                    return Scores::Middle(compared(rows, codes, offsets, middle));
                }
                compared(rows, codes, offsets, wide);
            }
        }
        if let Some(lists) = &self.lists {
            lists.add(text, wide);
        }
        Scores::Wide(wide)
    }
}

fn compared<'s, S: Score>(rows: &Rows, codes: &[u8], offsets: usize, scores: &'s mut Vec<S>) -> &'s [S] {
    scores.resize(offsets, S::default());
    rows.count(codes, scores);
    scores
}
