//! Text: what was typed or uploaded, parsed once into dense symbol numbers.
//!
//! Below [`Pair`] no code sees Unicode: it works on numbers `0..alphabet`, the same number for equal units of both texts.
//! Every position that comes back is in units; [`Text::range`] maps it to bytes of the original.
//!
//! - [`mod@unit`]: how bytes are cut into units, and which units are equal
//! - [`fasta`]: what is dropped from FASTA input

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

mod fasta;
mod unit;

/// What counts as one symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes. Any input is valid.
    #[default]
    Bytes,
    /// Unicode scalar values.
    Chars,
    /// Extended grapheme clusters: what a reader calls a letter.
    Graphemes,
    /// Words and punctuation marks; white space between them does not count.
    Words,
    /// Lines; how a line ends does not count.
    Lines,
}

impl Unit {
    /// All units, from the smallest to the largest.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Chars, Self::Graphemes, Self::Words, Self::Lines];

    /// Plural name, as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Chars => "chars",
            Self::Graphemes => "graphemes",
            Self::Words => "words",
            Self::Lines => "lines",
        }
    }
}

/// How a text is read: the options that decide what its symbols are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What counts as one symbol.
    pub unit: Unit,
    /// Letters that differ only in case are equal (ASCII letters where the unit is a byte).
    pub case_insensitive: bool,
    /// White space does not count.
    pub ignore_whitespace: bool,
    /// Units are compared in Unicode normalisation form C. Has no meaning for bytes.
    pub normalize: bool,
}

/// One text, cut into units. Positions are unit numbers from 0.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Arc<[u8]>,
    name: Option<String>,
    unit: Unit,
    spans: Spans,
}

/// Where the units lie in the bytes.
#[derive(Clone, Debug)]
enum Spans {
    /// Units of one byte each, in pieces without a gap: `(first unit, first byte)` of every piece, and the number of units.
    Pieces { starts: Vec<(u32, u32)>, len: usize },
    /// Any units: first byte and byte after the last of each.
    Ranges(Vec<(u32, u32)>),
}

/// Dense symbol numbers of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// At most 256 distinct symbols in both texts together.
    Narrow(Vec<u8>),
    /// More.
    Wide(Vec<u32>),
}

impl Symbols {
    /// Number of symbols.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(symbols) => symbols.len(),
            Self::Wide(symbols) => symbols.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbol at a position.
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn at(&self, at: usize) -> u32 {
        match self {
            Self::Narrow(symbols) => symbols[at].into(),
            Self::Wide(symbols) => symbols[at],
        }
    }
}

/// Both texts of a job, and their symbols numbered together.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The first text.
    pub a: Text,
    /// The second text.
    pub b: Text,
    /// Symbols of `a`.
    pub a_symbols: Symbols,
    /// Symbols of `b`.
    pub b_symbols: Symbols,
    /// Lowest bytes of `b`'s symbols where they are wide, else none: searches that look at these first read a fourth as much.
    pub b_lowest: Vec<u8>,
    /// Number of distinct symbols in both together; symbols are below it.
    pub alphabet: u32,
}

/// Symbols of `a` and of `b`.
#[derive(Clone, Copy, Debug)]
pub enum Both<'p> {
    /// At most 256 distinct symbols in both texts together.
    Narrow(&'p [u8], &'p [u8]),
    /// More.
    Wide(&'p [u32], &'p [u32]),
}

impl Text {
    /// Number of units.
    pub fn len(&self) -> usize {
        match &self.spans {
            Spans::Pieces { len, .. } => *len,
            Spans::Ranges(ranges) => ranges.len(),
        }
    }

    /// Whether there is no unit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// First header line of FASTA input, without its `>`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What counts as one unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The original, headers and white space included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of the original that the unit at `at` stands for. Cost O(log of the number of lines).
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn range(&self, at: usize) -> Range<usize> {
        match &self.spans {
            Spans::Pieces { starts, len } => {
                assert!(at < *len, "unit {at} of {len}");
                let piece = starts.partition_point(|&(unit, _)| unit as usize <= at) - 1;
                let (unit, byte) = starts[piece];
                let start = byte as usize + at - unit as usize;
                start..start + 1
            }
            Spans::Ranges(ranges) => ranges[at].0 as usize..ranges[at].1 as usize,
        }
    }

    /// The unit at `at`, ready to show: text where it is text, else `\xHH` for each byte; FASTA letters in upper case.
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn show(&self, at: usize) -> String {
        let bytes = &self.bytes[self.range(at)];
        let mut shown = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect(),
        };
        if self.name.is_some() {
            shown.make_ascii_uppercase();
        }
        shown
    }

    /// As [`show`](Self::show), with what stands between this unit and the next: white space that is no symbol, ends of lines. What
    /// stands between letters of FASTA is left out.
    ///
    /// # Panics
    /// When `at` is not below `len`.
    pub fn written(&self, at: usize) -> String {
        let mut written = self.show(at);
        if self.name.is_none() && at + 1 < self.len() {
            let gap = &self.bytes[self.range(at).end..self.range(at + 1).start];
            written.push_str(&String::from_utf8_lossy(gap));
        }
        written
    }
}

impl Pair {
    /// Reads both texts. Time and memory O(bytes of both).
    ///
    /// # Errors
    /// `BadInput` when a text is not UTF-8 (it names the text and the byte) and the unit is not bytes, or when bytes are to be
    /// normalised; `TooLarge` when a text has 4 GiB or more.
    ///
    /// ```
    /// use kernels::text::{Pair, Reading, Unit};
    ///
    /// let pair = Pair::parse("naïve 👍🏽".as_bytes(), &b"naive"[..], &Reading { unit: Unit::Graphemes, ..Reading::default() }).unwrap();
    /// assert_eq!((pair.a.len(), pair.b.len()), (7, 5));
    /// assert_eq!(pair.a.show(6), "👍🏽");
    /// ```
    pub fn parse(a: impl Into<Arc<[u8]>>, b: impl Into<Arc<[u8]>>, reading: &Reading) -> Result<Self, Failure> {
        let (a, b) = (unit::cut("a", a.into(), reading)?, unit::cut("b", b.into(), reading)?);
        let (a_symbols, b_symbols, alphabet) = match (&a.spans, &b.spans) {
            (Spans::Pieces { .. }, Spans::Pieces { .. }) => number_bytes(&a, &b, reading),
            _ => number_units(&a, &b, reading),
        };
        let b_lowest = match &b_symbols {
            Symbols::Narrow(_) => Vec::new(),
            Symbols::Wide(symbols) => symbols.iter().map(|&symbol| symbol as u8).collect(),
        };
        Ok(Self { a, b, a_symbols, b_symbols, b_lowest, alphabet })
    }

    /// The symbols of both texts, in the width that they share.
    ///
    /// # Errors
    /// `Engine` when the texts were numbered apart from each other, which [`parse`](Self::parse) never does.
    pub fn both(&self) -> Result<Both<'_>, Failure> {
        match (&self.a_symbols, &self.b_symbols) {
            (Symbols::Narrow(a), Symbols::Narrow(b)) => Ok(Both::Narrow(a, b)),
            (Symbols::Wide(a), Symbols::Wide(b)) => Ok(Both::Wide(a, b)),
            _ => Err(Failure::engine("The two texts were numbered apart from each other.")),
        }
    }

    /// |a|·|b|.
    pub fn cells(&self) -> u64 {
        (self.a.len() as u64).saturating_mul(self.b.len() as u64)
    }
}

/// Numbers in the order in which bytes first occur in `a`, then in `b`.
fn number_bytes(a: &Text, b: &Text, reading: &Reading) -> (Symbols, Symbols, u32) {
    let mut number = [None; 256];
    let mut alphabet = 0u32;
    let fold = |text: &Text, byte: u8| if reading.case_insensitive || text.name.is_some() { byte.to_ascii_uppercase() } else { byte };
    let mut numbered = |text: &Text| {
        let mut symbols = Vec::with_capacity(text.len());
        let Spans::Pieces { starts, len } = &text.spans else { return Symbols::Narrow(symbols) };
        for (at, &(unit, byte)) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(*len, |next| next.0 as usize);
            let piece = &text.bytes[byte as usize..byte as usize + end - unit as usize];
            symbols.extend(piece.iter().map(|&byte| {
                *number[usize::from(fold(text, byte))].get_or_insert_with(|| {
                    alphabet += 1;
                    (alphabet - 1) as u8
                })
            }));
        }
        Symbols::Narrow(symbols)
    };
    let (a, b) = (numbered(a), numbered(b));
    (a, b, alphabet)
}

fn number_units(a: &Text, b: &Text, reading: &Reading) -> (Symbols, Symbols, u32) {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |key: Cow<str>| match numbers.get(key.as_ref()) {
        Some(&number) => number,
        None => {
            let number = numbers.len() as u32;
            numbers.insert(key.into_owned(), number);
            number
        }
    };
    // Most units of most texts are single bytes, which need no look into the map.
    let mut single = [[None; 256]; 2];
    let mut numbered = |text: &Text| -> Vec<u32> {
        let single = &mut single[usize::from(text.name.is_some())];
        (0..text.len())
            .map(|at| match text.bytes[text.range(at)] {
                [byte] => *single[usize::from(byte)].get_or_insert_with(|| number(unit::key(text, at, reading))),
                _ => number(unit::key(text, at, reading)),
            })
            .collect()
    };
    let (a, b) = (numbered(a), numbered(b));
    let alphabet = numbers.len() as u32;
    if alphabet <= 256 {
        let narrow = |wide: Vec<u32>| Symbols::Narrow(wide.into_iter().map(|symbol| symbol as u8).collect());
        (narrow(a), narrow(b), alphabet)
    } else {
        (Symbols::Wide(a), Symbols::Wide(b), alphabet)
    }
}

#[cfg(test)]
mod tests;
