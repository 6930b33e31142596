//! Dots: where two texts have a word in common, as a picture of counts. What a dot plot draws, for pairs of any size.
//!
//! A dot at `(i, j)` says that the `k` symbols of `a` from `i` on are the `k` symbols of `b` from `j` on. A window of all pairs of
//! positions is cut into `height` parts of `a` by `width` parts of `b`, and the dots of each part are counted:
//!
//! ```text
//! index the words of a by their parts        word → (part, how many)*
//! for each part of b:
//!     for each distinct word in it:          times it occurs there
//!         for each (part, how many) of the word:  counts[part of a, part of b] += times · how many
//! ```
//!
//! Words are packed into 64 bits, so that equal numbers are equal words. They are as long as it takes for chance to fill few parts:
//! two random positions agree in a symbol with the chance `p` that the symbols of the window have, in a word with `p^k`.
//!
//! Long windows are sampled at every `s`-th position of `a`, a power of two, and every `t`-th of `b`, an odd number. Since the two
//! have no common divisor, every diagonal keeps one in `s · t` of its dots: lines stay lines. Positions are multiples from the
//! beginning of the texts, so that a window that moves shows the same dots.
//!
//! Of DNA the words that lie on the other strand are counted too, where that is asked for: a piece that is inverted is a line of these,
//! up to the right. Their index is the same; what is looked up is the reverse complement of each word of `b`.
//!
//! Time O((A + B)(k + log) + width · A) for A and B sampled positions, at most [`MOST_A`] and [`MOST_B`]; memory O(A + width · height).
//! The second term is that of a text without many different words; longer words make it small.

use std::ops::Range;

use kernels::cbor_struct;
use kernels::failure::Failure;
use kernels::run::{Halt, Run};
use kernels::strand::complement;
use kernels::text::{Both, Pair, Text};
use serde::{Deserialize, Serialize};

use crate::excerpt::excerpt;

/// Positions of `a` that are looked at, at most.
pub const MOST_A: u64 = 1 << 20;

/// Positions of `b` that are looked at, at most.
pub const MOST_B: u64 = 1 << 21;

/// Parts of each text, at most.
pub const MOST_PARTS: u64 = 1024;

/// Symbols of a side up to which they are named beside the picture.
pub const MOST_NAMED: u64 = 256;

/// Chance may fill one in so many parts.
const QUIET: f64 = 50.0;

/// So many dots of chance are few in any picture: short texts show equal symbols.
const FEW: f64 = 1000.0;

/// What is to be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = DotsFrame))]
pub struct Frame {
    /// First symbol of `a`.
    pub from_a: u64,
    /// Symbol of `a` after the last one.
    pub to_a: u64,
    /// First symbol of `b`.
    pub from_b: u64,
    /// Symbol of `b` after the last one.
    pub to_b: u64,
    /// Parts of `b`, from left to right.
    pub width: u64,
    /// Parts of `a`, from top to bottom.
    pub height: u64,
    /// Symbols of a word; as many as chance asks for where it is left out.
    #[serde(default)]
    pub word: Option<u32>,
    /// Whether words are counted whose reverse complement is in the other text, where the texts are DNA or RNA.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inverted: bool,
}

cbor_struct!(Frame { from_a, to_a, from_b, to_b, width, height, word, inverted });

/// The picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Dots {
    /// What is drawn: cut to the texts, with no more parts than symbols, and the length of its words.
    #[serde(flatten)]
    pub frame: Frame,
    /// One in so many dots was looked for; 1 where all were.
    pub one_in: u64,
    /// Symbols of the longest word that there can be with these texts.
    pub longest: u32,
    /// Dots in each part, row by row from the top.
    pub counts: Vec<u32>,
    /// The same of words whose reverse complement is in the other text, where that was asked for and the texts are DNA or RNA.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inverted_counts: Vec<u32>,
    /// The symbols of `a` in the frame as they are shown, where they are at most [`MOST_NAMED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub a: Vec<String>,
    /// The same of `b`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub b: Vec<String>,
}

cbor_struct!(Dots { frame, one_in, longest, counts, inverted_counts, a, b });

/// Counts the dots of a frame, which is cut to the texts; words that are longer than can be are as long as can be.
///
/// # Errors
/// `TooLarge` for more than [`MOST_PARTS`] parts, `BadInput` for no parts, words of no symbols, and a window that ends before it
/// begins. `Halt::Stopped` when the observer breaks off.
///
/// ```
/// use explain::dots::{Frame, dots};
/// use kernels::run::{NoObserver, Run};
/// use kernels::text::{Pair, Reading};
///
/// let pair = Pair::parse(&b"abca"[..], &b"bcb"[..], &Reading::default()).unwrap();
/// let whole = Frame { to_a: 4, to_b: 3, width: 9, height: 2, word: Some(1), ..Frame::default() };
/// let drawn = dots(&pair, &whole, &Run::new(&NoObserver)).unwrap();
/// assert_eq!((drawn.frame.width, drawn.frame.height), (3, 2));
/// assert_eq!(drawn.counts, [1, 0, 1, 0, 1, 0]);
/// assert_eq!((drawn.a.concat(), drawn.b.concat()), ("abca".into(), "bcb".into()));
/// ```
pub fn dots(pair: &Pair, frame: &Frame, run: &Run) -> Result<Dots, Halt> {
    frame.check()?;
    let dots = within(pair, frame, &Limits { a: MOST_A, b: MOST_B }, run)?;
    let Frame { from_a, to_a, from_b, to_b, .. } = dots.frame;
    Ok(Dots { a: named(&pair.a, from_a..to_a), b: named(&pair.b, from_b..to_b), ..dots })
}

/// Symbols as they are shown, unless they are many.
fn named(text: &Text, range: Range<u64>) -> Vec<String> {
    let few = range.end - range.start <= MOST_NAMED;
    range.filter(|_| few).map(|at| excerpt(text.show(at as usize))).collect()
}

impl Frame {
    /// Whether this can be drawn of any texts.
    ///
    /// # Errors
    /// As [`dots`].
    pub fn check(&self) -> Result<(), Failure> {
        for (what, parts) in [("The width", self.width), ("The height", self.height)] {
            if parts > MOST_PARTS {
                return Err(Failure::TooLarge { what: what.into(), got: parts, limit: MOST_PARTS });
            }
            if parts == 0 {
                return Err(Failure::bad_input(format!("{what} is 0; it must be at least 1.")));
            }
        }
        if self.word == Some(0) {
            return Err(Failure::bad_input("A word must have at least 1 symbol."));
        }
        if self.from_a > self.to_a || self.from_b > self.to_b {
            return Err(Failure::bad_input("The window ends before it begins."));
        }
        Ok(())
    }
}

/// Positions that are looked at, at most.
struct Limits {
    a: u64,
    b: u64,
}

fn within(pair: &Pair, frame: &Frame, limits: &Limits, run: &Run) -> Result<Dots, Halt> {
    let frame = cut(frame, pair.a.len() as u64, pair.b.len() as u64);
    let pairing = if frame.inverted { pairing(pair) } else { None };
    match pair.both()? {
        Both::Narrow(a, b) => Plot::new(a, b, pair.alphabet, frame, limits).draw(pairing.as_deref(), run),
        Both::Wide(a, b) => Plot::new(a, b, pair.alphabet, frame, limits).draw(pairing.as_deref(), run),
    }
}

/// For each symbol the one that pairs with it; `None` where the texts are no DNA and no RNA, by their beginnings.
fn pairing(pair: &Pair) -> Option<Vec<u32>> {
    let mut letters = vec![0u8; pair.alphabet as usize];
    let (mut all, mut bases) = (0u32, 0u32);
    for (text, symbols) in [(&pair.a, &pair.a_symbols), (&pair.b, &pair.b_symbols)] {
        for at in 0..text.len().min(LOOKED_AT) {
            let known = &mut letters[symbols.at(at) as usize];
            if *known == 0 {
                *known = <[u8; 1]>::try_from(text.show(at).as_bytes()).map_or(OTHER, |[letter]| letter);
            }
            all += 1;
            bases += u32::from(b"ACGTUN".contains(&known.to_ascii_uppercase()));
        }
    }
    let number = |letter: u8| letters.iter().position(|known| *known == letter).map(|number| number as u32);
    let paired = |&letter: &u8| {
        let other = complement(letter)?;
        // In RNA U stands where T stands in DNA.
        number(other).or_else(|| other.eq_ignore_ascii_case(&b'T').then(|| number(other + 1)).flatten())
    };
    (all > 0 && bases >= all - all / 10).then(|| letters.iter().map(|letter| paired(letter).unwrap_or(NONE)).collect())
}

/// Symbols of a text by which it is taken for DNA; a symbol that is no letter; a symbol that pairs with none.
const LOOKED_AT: usize = 1 << 14;
const OTHER: u8 = 1;
const NONE: u32 = u32::MAX;

fn cut(frame: &Frame, a: u64, b: u64) -> Frame {
    let (to_a, to_b) = (frame.to_a.min(a), frame.to_b.min(b));
    let (from_a, from_b) = (frame.from_a.min(to_a), frame.from_b.min(to_b));
    let parts = |wanted: u64, symbols: u64| wanted.min(MOST_PARTS).min(symbols).max(1);
    let (width, height) = (parts(frame.width, to_b - from_b), parts(frame.height, to_a - from_a));
    Frame { from_a, to_a, from_b, to_b, width, height, ..*frame }
}

/// One text's side of a plot.
struct Side<'t, T> {
    symbols: &'t [T],
    window: Range<u64>,
    /// Positions that are multiples of this one are looked at.
    every: u64,
    parts: u64,
}

impl<T: Copy + Into<u32>> Side<'_, T> {
    fn len(&self) -> u64 {
        self.window.end - self.window.start
    }

    /// Positions that are looked at, where a word of `word` symbols has room.
    fn positions(&self, word: u32) -> impl Iterator<Item = u64> + use<T> {
        let last = (self.symbols.len() as u64 + 1).saturating_sub(word.into()).min(self.window.end);
        (self.window.start.next_multiple_of(self.every)..last).step_by(self.every as usize)
    }

    /// The part that a position of the window lies in.
    fn part(&self, at: u64) -> u32 {
        ((at - self.window.start) * self.parts / self.len()) as u32
    }

    /// The word at a position as a number.
    fn word(&self, at: u64, word: u32, bits: u32) -> u64 {
        let symbols = &self.symbols[at as usize..at as usize + word as usize];
        symbols.iter().fold(0, |packed, &symbol| packed << bits | u64::from(symbol.into()))
    }

    /// The reverse complement of the word at a position, by the symbol that pairs with each; none where one has no such symbol.
    fn reversed_word(&self, at: u64, (word, bits): (u32, u32), pairing: &[u32]) -> Option<u64> {
        let symbols = &self.symbols[at as usize..at as usize + word as usize];
        symbols.iter().rev().try_fold(0, |packed, &symbol| {
            let paired = pairing[symbol.into() as usize];
            (paired != NONE).then_some(packed << bits | u64::from(paired))
        })
    }

    /// How often each symbol is at a position that is looked at, and how many of those there are.
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

struct Plot<'t, T> {
    a: Side<'t, T>,
    b: Side<'t, T>,
    /// Bits of a symbol.
    bits: u32,
    /// Symbols of a word.
    word: u32,
    inverted: bool,
}

impl<'t, T: Copy + Into<u32>> Plot<'t, T> {
    fn new(a: &'t [T], b: &'t [T], alphabet: u32, frame: Frame, limits: &Limits) -> Self {
        let least = |symbols: u64, most: u64| symbols.div_ceil(most).max(1);
        let every_a = least(frame.to_a - frame.from_a, limits.a).next_power_of_two();
        let every_b = least(frame.to_b - frame.from_b, limits.b) | 1;
        let a = Side { symbols: a, window: frame.from_a..frame.to_a, every: every_a, parts: frame.height };
        let b = Side { symbols: b, window: frame.from_b..frame.to_b, every: every_b, parts: frame.width };
        let bits = u32::BITS - alphabet.saturating_sub(1).max(1).leading_zeros();
        let longest = u64::BITS / bits;
        let word = frame.word.unwrap_or_else(|| quiet_word(&a, &b, alphabet)).clamp(1, longest);
        Self { a, b, bits, word, inverted: frame.inverted }
    }

    fn draw(&self, pairing: Option<&[u32]>, run: &Run) -> Result<Dots, Halt> {
        let Self { a, b, bits, word, inverted } = self;
        let index = Index::new(a.positions(*word).map(|at| (a.word(at, *word, *bits), a.part(at))).collect());
        let counts = self.count(&index, |at| Some(b.word(at, *word, *bits)), run)?;
        let inverted_counts = match pairing {
            Some(pairing) => self.count(&index, |at| b.reversed_word(at, (*word, *bits), pairing), run)?,
            None => Vec::new(),
        };
        let frame = Frame {
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
        Ok(Dots { frame, one_in: a.every * b.every, longest, counts, inverted_counts, ..Dots::default() })
    }

    /// How often words of `a` are those that `word_at` makes of positions of `b`, in each part.
    fn count(&self, index: &Index, word_at: impl Fn(u64) -> Option<u64>, run: &Run) -> Result<Vec<u32>, Halt> {
        let Self { a, b, word, .. } = self;
        let width = b.parts as usize;
        let mut counts = vec![0u32; a.parts as usize * width];
        // Counted here first: a column of the picture is far apart in memory.
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

/// The least length of words for which chance fills few parts.
fn quiet_word<T: Copy + Into<u32>>(a: &Side<T>, b: &Side<T>, alphabet: u32) -> u32 {
    let ((in_a, all_a), (in_b, all_b)) = (a.symbols_seen(alphabet), b.symbols_seen(alphabet));
    let equal: f64 = in_a.iter().zip(&in_b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    let chance = equal / (all_a as f64 * all_b as f64).max(1.0);
    let pairs = all_a as f64 * all_b as f64;
    let quiet = ((a.parts * b.parts) as f64 / QUIET).max(FEW);
    let mut word = 1;
    while word < u64::BITS && pairs * chance.powi(word as i32) > quiet {
        word += 1;
    }
    word
}

/// Words of `a`, each with the parts that it lies in.
struct Index {
    /// A word, and where its parts begin; one more at the end.
    words: Vec<(u64, u32)>,
    /// A part, and how often the word is in it.
    parts: Vec<(u32, u32)>,
    /// Numbers of words plus one, by a hash of the word; the next free place is taken. A power of two, at most half full.
    slots: Vec<u32>,
}

impl Index {
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

    /// Where a word would be.
    fn slot(&self, word: u64) -> usize {
        // Multiplied by 2^64 divided by the golden ratio, the upper bits are well mixed.
        (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - self.slots.len().trailing_zeros())) as usize
    }

    /// The number of a word.
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

    /// The parts of a word, by its number.
    fn parts(&self, number: u32) -> &[(u32, u32)] {
        let number = number as usize;
        &self.parts[self.words[number].1 as usize..self.words[number + 1].1 as usize]
    }
}

#[cfg(test)]
mod tests;
