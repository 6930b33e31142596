//! Dot plots: pictures of the positions at which two texts of any size have a word in common. A word is a run of `k`
//! consecutive symbols. [`count_dots`] computes the [`DotPlot`] of a [`DotPlotFrame`], a window of both texts.
//!
//! A dot at `(i, j)` says that the `k` symbols of `a` from `i` on are the `k` symbols of `b` from `j` on. The window is
//! divided into `height` parts of `a` by `width` parts of `b`, and the dots of each part are counted:
//!
//! ```text
//! index the words of a by their parts        word → (part, count)*
//! for each part of b:
//!     for each distinct word in it:          times = its occurrences in this part
//!         for each (part, count) of the word:  counts[part of a, part of b] += times · count
//! ```
//!
//! Words are packed into 64 bits, so that equal numbers are equal words. They are long enough that chance fills few
//! parts: if two random positions of the window agree in a symbol with probability `p`, they agree in a word with
//! probability `p^k`.
//!
//! Long windows are sampled at every `s`-th position of `a`, a power of two, and every `t`-th of `b`, an odd number.
//! Since `s` and `t` have no common divisor, every diagonal keeps one in `s · t` of its dots, so that lines stay lines.
//! Sampled positions are multiples of `s` and `t`, counted from the beginning of the texts, so that a moving window
//! shows the same dots.
//!
//! On request, words of DNA on the other strand are counted too. The dots of an inverted piece are a line that rises to
//! the right. These dots are found in the same index, in which the reverse complement of each word of `b` is looked up.
//!
//! Takes O((A + B)(k + log) + width · A) time for A and B sampled positions, at most [`MAX_SAMPLED_A`] and
//! [`MAX_SAMPLED_B`]. The second term applies to a text without many different words; longer words make it small. Takes
//! O(A + width · height) memory.

use std::ops::Range;

use kernels::cbor_struct;
use kernels::failure::JobFailure;
use kernels::run::{Halt, Run};
use kernels::strand::complement;
use kernels::text::{Pair, SymbolSlices, Text};
use serde::{Deserialize, Serialize};

use crate::excerpt::excerpt;

/// Maximum number of sampled positions of `a`.
pub const MAX_SAMPLED_A: u64 = 1 << 20;

/// Maximum number of sampled positions of `b`.
pub const MAX_SAMPLED_B: u64 = 1 << 21;

/// Maximum number of parts into which the range of each text is divided.
pub const MAX_PLOT_PARTS: u64 = 1024;

/// Maximum length of a range of one text, in symbols, for which the symbols are listed beside the picture.
pub const MAX_NAMED_SYMBOLS: u64 = 256;

/// Number of parts of the picture for each dot that is expected by chance. The word length is chosen so that there are
/// no more such dots, except as [`MAX_CHANCE_DOTS`] allows.
const PARTS_PER_CHANCE_DOT: f64 = 50.0;

/// Number of dots by chance that is acceptable in every picture, however few parts it has. In short texts this permits
/// words of one symbol, so that single equal symbols are shown.
const MAX_CHANCE_DOTS: f64 = 1000.0;

/// A request for a dot plot: the ranges of both texts to draw, the number of parts of each range, and the length of the
/// compared words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DotsFrame))]
pub struct DotPlotFrame {
    /// Position of the first symbol of the range in `a`, from 0.
    pub from_a: u64,
    /// End of the range in `a`, exclusive.
    pub to_a: u64,
    /// Position of the first symbol of the range in `b`, from 0.
    pub from_b: u64,
    /// End of the range in `b`, exclusive.
    pub to_b: u64,
    /// Number of parts into which the range of `b` is divided, from left to right.
    pub width: u64,
    /// Number of parts into which the range of `a` is divided, from top to bottom.
    pub height: u64,
    /// Number of symbols of a word (a run of compared symbols). If absent, the shortest word is used with which few
    /// dots are expected by chance.
    #[serde(default)]
    pub word: Option<u32>,
    /// Whether to count also words of one text whose reverse complement is in the other text. Has an effect only if the
    /// texts are DNA or RNA.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inverted: bool,
}

cbor_struct!(DotPlotFrame { from_a, to_a, from_b, to_b, width, height, word, inverted });

/// A dot plot: for each part of the picture, the number of position pairs at which both texts have the same word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Dots))]
pub struct DotPlot {
    /// The frame as drawn: ranges cut to the texts, at most as many parts as symbols, and the word length that was
    /// used.
    #[serde(flatten)]
    pub frame: DotPlotFrame,
    /// Sampling rate: one in this many dots was counted. It is 1 if all dots were counted.
    pub one_in: u64,
    /// Maximum number of symbols of a word for these texts. It depends on the number of their distinct symbols, because
    /// a word takes at most 64 bits.
    pub longest: u32,
    /// Number of dots in each part, row by row from the top.
    pub counts: Vec<u32>,
    /// Number of inverted dots in each part, like `counts`. Empty unless `inverted` was requested and the texts are DNA
    /// or RNA.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inverted_counts: Vec<u32>,
    /// The displayed symbols of `a` in the drawn range; empty if there are more than 256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub a: Vec<String>,
    /// The displayed symbols of `b` in the drawn range; empty if there are more than 256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub b: Vec<String>,
}

cbor_struct!(DotPlot { frame, one_in, longest, counts, inverted_counts, a, b });

/// Counts the dots in each part of `frame`. The ranges of the frame are cut to the texts, and words longer than the
/// maximum for these texts are shortened to it.
///
/// # Errors
/// Returns `TooLarge` if the width or the height is more than [`MAX_PLOT_PARTS`] parts. Returns `BadInput` if one of
/// them is 0, if words have no symbols, or if a range ends before it begins. Returns `Halt::Stopped` if the observer
/// cancels the run.
///
/// ```
/// use explain::dots::{DotPlotFrame, count_dots};
/// use kernels::run::{NoObserver, Run};
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"abca"[..], &b"bcb"[..], &ReadingOptions::default()).unwrap();
/// let whole = DotPlotFrame { to_a: 4, to_b: 3, width: 9, height: 2, word: Some(1), ..DotPlotFrame::default() };
/// let drawn = count_dots(&pair, &whole, &Run::new(&NoObserver)).unwrap();
/// assert_eq!((drawn.frame.width, drawn.frame.height), (3, 2));
/// assert_eq!(drawn.counts, [1, 0, 1, 0, 1, 0]);
/// assert_eq!((drawn.a.concat(), drawn.b.concat()), ("abca".into(), "bcb".into()));
/// ```
pub fn count_dots(pair: &Pair, frame: &DotPlotFrame, run: &Run) -> Result<DotPlot, Halt> {
    frame.check()?;
    let dots = count_dots_within_limits(pair, frame, &SampleLimits { a: MAX_SAMPLED_A, b: MAX_SAMPLED_B }, run)?;
    let DotPlotFrame { from_a, to_a, from_b, to_b, .. } = dots.frame;
    Ok(DotPlot { a: named(&pair.a, from_a..to_a), b: named(&pair.b, from_b..to_b), ..dots })
}

/// Returns the displayed form of each symbol of `text` at the positions in `range`, or an empty list if there are more
/// than [`MAX_NAMED_SYMBOLS`].
fn named(text: &Text, range: Range<u64>) -> Vec<String> {
    let few = range.end - range.start <= MAX_NAMED_SYMBOLS;
    range.filter(|_| few).map(|at| excerpt(text.display_unit(at as usize))).collect()
}

impl DotPlotFrame {
    /// Checks the ranges, the numbers of parts and the word length of the frame. Does not need the texts.
    ///
    /// # Errors
    /// Returns the same errors as [`count_dots`], except `Halt::Stopped`.
    pub fn check(&self) -> Result<(), JobFailure> {
        for (what, parts) in [("The width", self.width), ("The height", self.height)] {
            if parts > MAX_PLOT_PARTS {
                return Err(JobFailure::TooLarge { what: what.into(), got: parts, limit: MAX_PLOT_PARTS });
            }
            if parts == 0 {
                return Err(JobFailure::bad_input(format!("{what} is 0; it must be at least 1.")));
            }
        }
        if self.word == Some(0) {
            return Err(JobFailure::bad_input("A word must have at least 1 symbol."));
        }
        if self.from_a > self.to_a || self.from_b > self.to_b {
            return Err(JobFailure::bad_input("The window ends before it begins."));
        }
        Ok(())
    }
}

/// The maximum numbers of sampled positions of `a` and of `b`.
struct SampleLimits {
    a: u64,
    b: u64,
}

fn count_dots_within_limits(pair: &Pair, frame: &DotPlotFrame, limits: &SampleLimits, run: &Run) -> Result<DotPlot, Halt> {
    let frame = cut(frame, pair.a.len() as u64, pair.b.len() as u64);
    let pairing = if frame.inverted { complements(pair) } else { None };
    match pair.symbol_slices()? {
        SymbolSlices::Narrow(a, b) => DotCounter::new(a, b, pair.alphabet(), frame, limits).draw(pairing.as_deref(), run),
        SymbolSlices::Wide(a, b) => DotCounter::new(a, b, pair.alphabet(), frame, limits).draw(pairing.as_deref(), run),
    }
}

/// Returns a table from each symbol number to the number of its complement, or to [`NO_COMPLEMENT`]. Returns `None`
/// unless at least 90 % of the first [`MAX_EXAMINED_SYMBOLS`] symbols of both texts together are letters of DNA or RNA.
/// Sets of bases always have complements.
fn complements(pair: &Pair) -> Option<Vec<u32>> {
    if !pair.symbol_match.is_equality() {
        // The complement of a set has the complements of its bases, and the empty set is a border between records.
        let complement = |set: u32| if set == 0 { NO_COMPLEMENT } else { u32::from((set as u8).reverse_bits() >> 4) };
        return Some((0..pair.alphabet()).map(complement).collect());
    }
    let mut letters = vec![0u8; pair.alphabet() as usize];
    let (mut all, mut bases) = (0u32, 0u32);
    for (text, symbols) in [(&pair.a, pair.a_symbols()), (&pair.b, pair.b_symbols())] {
        for at in 0..text.len().min(MAX_EXAMINED_SYMBOLS) {
            let known = &mut letters[symbols.symbol_at(at) as usize];
            if *known == 0 {
                *known = <[u8; 1]>::try_from(text.display_unit(at).as_bytes()).map_or(NO_LETTER, |[letter]| letter);
            }
            all += 1;
            bases += u32::from(b"ACGTUN".contains(&known.to_ascii_uppercase()));
        }
    }
    let number = |letter: u8| letters.iter().position(|known| *known == letter).map(|number| number as u32);
    let paired = |&letter: &u8| {
        let other = complement(letter)?;
        // In RNA, U takes the role of T.
        number(other).or_else(|| other.eq_ignore_ascii_case(&b'T').then(|| number(other + 1)).flatten())
    };
    (all > 0 && bases >= all - all / 10).then(|| letters.iter().map(|letter| paired(letter).unwrap_or(NO_COMPLEMENT)).collect())
}

/// Maximum number of symbols of each text that are examined to recognise DNA or RNA.
const MAX_EXAMINED_SYMBOLS: usize = 1 << 14;
/// Entry for a symbol that is not a single byte, in the table of letters by symbol number.
const NO_LETTER: u8 = 1;
/// Entry for a symbol without a complement, in the table of complements by symbol number.
const NO_COMPLEMENT: u32 = u32::MAX;

fn cut(frame: &DotPlotFrame, a: u64, b: u64) -> DotPlotFrame {
    let (to_a, to_b) = (frame.to_a.min(a), frame.to_b.min(b));
    let (from_a, from_b) = (frame.from_a.min(to_a), frame.from_b.min(to_b));
    let parts = |wanted: u64, symbols: u64| wanted.min(MAX_PLOT_PARTS).min(symbols).max(1);
    let (width, height) = (parts(frame.width, to_b - from_b), parts(frame.height, to_a - from_a));
    DotPlotFrame { from_a, to_a, from_b, to_b, width, height, ..*frame }
}

/// One text of a dot plot: its symbol numbers, the range that is drawn, the sampling step, and the number of parts into
/// which the range is divided.
struct PlotSide<'t, T> {
    symbols: &'t [T],
    window: Range<u64>,
    /// Step between sampled positions. All sampled positions are multiples of this number.
    every: u64,
    parts: u64,
}

impl<T: Copy + Into<u32>> PlotSide<'_, T> {
    fn len(&self) -> u64 {
        self.window.end - self.window.start
    }

    /// Returns the sampled positions of the range from which a word of `word` symbols fits in the text.
    fn positions(&self, word: u32) -> impl Iterator<Item = u64> + use<T> {
        let last = (self.symbols.len() as u64 + 1).saturating_sub(word.into()).min(self.window.end);
        (self.window.start.next_multiple_of(self.every)..last).step_by(self.every as usize)
    }

    /// Returns the number of the part that contains position `at` of the text: a row of the picture for `a`, a column
    /// for `b`. The position must be in the range that is drawn.
    fn part(&self, at: u64) -> u32 {
        ((at - self.window.start) * self.parts / self.len()) as u32
    }

    /// Packs the `word` symbols from position `at` on into a number, with `bits` bits per symbol.
    fn word(&self, at: u64, word: u32, bits: u32) -> u64 {
        let symbols = &self.symbols[at as usize..at as usize + word as usize];
        symbols.iter().fold(0, |packed, &symbol| packed << bits | u64::from(symbol.into()))
    }

    /// Packs the reverse complement of the `word` symbols from position `at` on into a number, with `bits` bits per
    /// symbol. `pairing` maps the number of a symbol to the number of its complement. Returns `None` if a symbol has no
    /// complement.
    fn reversed_word(&self, at: u64, (word, bits): (u32, u32), pairing: &[u32]) -> Option<u64> {
        let symbols = &self.symbols[at as usize..at as usize + word as usize];
        symbols.iter().rev().try_fold(0, |packed, &symbol| {
            let paired = pairing[symbol.into() as usize];
            (paired != NO_COMPLEMENT).then_some(packed << bits | u64::from(paired))
        })
    }

    /// Returns how often each of the `alphabet` symbols stands at a sampled position, and the number of sampled
    /// positions.
    fn symbols_seen(&self, alphabet: u32) -> (Vec<u32>, u64) {
        let mut seen = vec![0u32; alphabet as usize];
        let mut all = 0;
        for at in self.positions(1) {
            seen[self.symbols[at as usize].into() as usize] += 1;
            all += 1;
        }
        (seen, all)
    }
}

struct DotCounter<'t, T> {
    a: PlotSide<'t, T>,
    b: PlotSide<'t, T>,
    /// Number of bits of a symbol in a packed word.
    bits: u32,
    /// Number of symbols of a word.
    word: u32,
    inverted: bool,
}

impl<'t, T: Copy + Into<u32>> DotCounter<'t, T> {
    fn new(a: &'t [T], b: &'t [T], alphabet: u32, frame: DotPlotFrame, limits: &SampleLimits) -> Self {
        let least = |symbols: u64, most: u64| symbols.div_ceil(most).max(1);
        let every_a = least(frame.to_a - frame.from_a, limits.a).next_power_of_two();
        let every_b = least(frame.to_b - frame.from_b, limits.b) | 1;
        let a = PlotSide { symbols: a, window: frame.from_a..frame.to_a, every: every_a, parts: frame.height };
        let b = PlotSide { symbols: b, window: frame.from_b..frame.to_b, every: every_b, parts: frame.width };
        let bits = u32::BITS - alphabet.saturating_sub(1).max(1).leading_zeros();
        let longest = u64::BITS / bits;
        let word = frame.word.unwrap_or_else(|| quiet_word(&a, &b, alphabet)).clamp(1, longest);
        Self { a, b, bits, word, inverted: frame.inverted }
    }

    fn draw(&self, pairing: Option<&[u32]>, run: &Run) -> Result<DotPlot, Halt> {
        let Self { a, b, bits, word, inverted } = self;
        let index = WordIndex::new(a.positions(*word).map(|at| (a.word(at, *word, *bits), a.part(at))).collect());
        let counts = self.count(&index, |at| Some(b.word(at, *word, *bits)), run)?;
        let inverted_counts = match pairing {
            Some(pairing) => self.count(&index, |at| b.reversed_word(at, (*word, *bits), pairing), run)?,
            None => Vec::new(),
        };
        let frame = DotPlotFrame {
            from_a: a.window.start,
            to_a: a.window.end,
            from_b: b.window.start,
            to_b: b.window.end,
            width: b.parts,
            height: a.parts,
            word: Some(*word),
            inverted: *inverted,
        };
        let longest = u64::BITS / bits;
        Ok(DotPlot { frame, one_in: a.every * b.every, longest, counts, inverted_counts, ..DotPlot::default() })
    }

    /// Returns the number of dots in each part of the picture, row by row. For a sampled position of `b`, `word_at`
    /// returns the packed word to look up in `index`, or `None` if there is no word.
    fn count(&self, index: &WordIndex, word_at: impl Fn(u64) -> Option<u64>, run: &Run) -> Result<Vec<u32>, Halt> {
        let Self { a, b, word, .. } = self;
        let width = b.parts as usize;
        let mut counts = vec![0u32; a.parts as usize * width];
        // One column is counted in this buffer first, because its cells lie far apart in `counts`.
        let mut rows = vec![0u32; a.parts as usize];
        let mut positions = b.positions(*word).peekable();
        let mut found: Vec<u32> = Vec::new();
        while let Some(&at) = positions.peek() {
            let column = b.part(at);
            let mut looked = 0;
            found.clear();
            rows.fill(0);
            while let Some(at) = positions.next_if(|&at| b.part(at) == column) {
                found.extend(word_at(at).and_then(|word| index.find(word)));
                looked += 1;
            }
            found.sort_unstable();
            for same in found.chunk_by(|x, y| x == y) {
                for &(row, times) in index.parts(same[0]) {
                    let count = &mut rows[row as usize];
                    *count = count.saturating_add(times.saturating_mul(same.len() as u32));
                }
            }
            for (row, count) in rows.iter().enumerate().filter(|(_, count)| **count > 0) {
                counts[row * width + column as usize] = *count;
            }
            run.tick(looked)?;
        }
        Ok(counts)
    }
}

/// Returns the smallest number of symbols of a word for which few dots of the picture are expected by chance.
/// `alphabet` is the number of distinct symbols.
fn quiet_word<T: Copy + Into<u32>>(a: &PlotSide<T>, b: &PlotSide<T>, alphabet: u32) -> u32 {
    let ((in_a, all_a), (in_b, all_b)) = (a.symbols_seen(alphabet), b.symbols_seen(alphabet));
    let equal: f64 = in_a.iter().zip(&in_b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    let chance = equal / (all_a as f64 * all_b as f64).max(1.0);
    let pairs = all_a as f64 * all_b as f64;
    let quiet = ((a.parts * b.parts) as f64 / PARTS_PER_CHANCE_DOT).max(MAX_CHANCE_DOTS);
    let mut word = 1;
    while word < u64::BITS && pairs * chance.powi(word as i32) > quiet {
        word += 1;
    }
    word
}

/// An index of the packed words at the sampled positions of `a`. For each word, it has the parts of `a` in which the
/// word begins.
struct WordIndex {
    /// The distinct words, ascending, each with the index in `parts` at which its entries begin. An additional last
    /// element marks the end of `parts`.
    words: Vec<(u64, u32)>,
    /// The entries of each word: a part of `a` in which the word begins, with its number of occurrences there.
    parts: Vec<(u32, u32)>,
    /// An open-addressing hash table with linear probing. Each slot holds an index in `words` plus one, or 0 if it is
    /// empty. The length is a power of two, and at most half of the slots are used.
    slots: Vec<u32>,
}

impl WordIndex {
    fn new(mut found: Vec<(u64, u32)>) -> Self {
        found.sort_unstable();
        let mut index = Self { words: Vec::new(), parts: Vec::new(), slots: Vec::new() };
        for same in found.chunk_by(|x, y| x == y) {
            let (word, part) = same[0];
            if index.words.last().is_none_or(|last| last.0 != word) {
                index.words.push((word, index.parts.len() as u32));
            }
            index.parts.push((part, same.len() as u32));
        }
        index.slots = vec![0; (2 * index.words.len()).next_power_of_two().max(2)];
        for number in 0..index.words.len() {
            let mut slot = index.slot(index.words[number].0);
            while index.slots[slot] != 0 {
                slot = (slot + 1) % index.slots.len();
            }
            index.slots[slot] = number as u32 + 1;
        }
        index.words.push((0, index.parts.len() as u32));
        index
    }

    /// Returns the first slot of the hash table to probe for `word`.
    fn slot(&self, word: u64) -> usize {
        // Fibonacci hashing: multiplication by 2^64 divided by the golden ratio mixes the upper bits well.
        (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - self.slots.len().trailing_zeros())) as usize
    }

    /// Returns the index of `word` in `words`, or `None` if `a` does not contain it.
    fn find(&self, word: u64) -> Option<u32> {
        let mut slot = self.slot(word);
        loop {
            let number = self.slots[slot].checked_sub(1)?;
            if self.words[number as usize].0 == word {
                return Some(number);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }

    /// Returns the entries of the word at index `number` of `words`, one for each part of `a` in which the word begins.
    /// An entry is the part, and the number of times that the word begins in the part.
    fn parts(&self, number: u32) -> &[(u32, u32)] {
        let number = number as usize;
        &self.parts[self.words[number].1 as usize..self.words[number + 1].1 as usize]
    }
}

#[cfg(test)]
mod tests;
