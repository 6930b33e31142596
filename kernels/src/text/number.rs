//! Symbol numbers of two texts: equal units have the same one, in the order in which they first occur in `a`, then in `b`.
//!
//! - [`bytes`]: of units of one byte each, 64 at a time, of large texts on all cores
//! - [`units`]: of all others, by what they are compared by

use std::sync::Arc;

use self::bytes::{Bytes, Numbers};
use super::{Pair, Spans, Symbols, Text};
use crate::cpu::Cpu;
use crate::reading::Reading;

mod bytes;
mod units;

/// The texts that are numbered together.
#[derive(Clone, Copy)]
pub(super) struct Texts<'t> {
    /// The first.
    pub(super) a: &'t Text,
    /// Its other strand, where that is wanted.
    pub(super) other: Option<&'t Text>,
    /// The second.
    pub(super) b: &'t Text,
}

/// Symbols of these, and how many differ from each other.
pub(super) struct Numbered {
    a: Symbols,
    other: Option<Symbols>,
    b: Symbols,
    alphabet: u32,
}

impl Numbered {
    /// The pair of these texts.
    pub(super) fn pair(self, a: Text, other: Option<Text>, b: Text) -> Pair {
        let (a_symbols, b_symbols, b_lowest) = (Arc::new(self.a), Arc::new(self.b), Arc::default());
        let other = other.zip(self.other.map(Arc::new));
        let pair = Pair { a, b, a_symbols, b_symbols, b_lowest, alphabet: self.alphabet, other, warnings: Arc::default() };
        Pair { b_lowest: pair.b_symbols.lowest().into(), ..pair }
    }
}

/// Numbers of two texts whose units are one byte each, and how many there are. Small letters of ASCII count as capitals where `folds`
/// says so of a text. `None` where units have more bytes. Time O(bytes): 0.15 to 0.25 ns a byte on one core of a Zen 3, in memory
/// that was used before.
pub(super) fn of_bytes(texts: &Texts, folds: [bool; 2]) -> Option<Numbered> {
    let (a, b) = (bytes_of(texts.a, folds[0])?, bytes_of(texts.b, folds[1])?);
    let other = texts.other.and_then(|other| bytes_of(other, folds[0]));
    let (mut numbers, threads) = (Numbers::new(), Cpu::all_cores().threads);
    let mut number = |text: &Bytes| Symbols::Narrow(numbers.number(text, threads));
    let (a, other, b) = (number(&a), other.as_ref().map(&mut number), number(&b));
    Some(Numbered { a, other, b, alphabet: numbers.len() as u32 })
}

/// Numbers of two texts of any units, and how many there are. All borders between records of the second have one number, which no unit
/// has. Time and memory O(bytes).
pub(super) fn of_units(texts: &Texts, reading: &Reading) -> Numbered {
    let (mut symbols, alphabet) = match texts.other {
        None => units::number(&[texts.a, texts.b], reading),
        Some(other) => units::number(&[texts.a, other, texts.b], reading),
    };
    let mut next = || symbols.pop_front().unwrap_or(Symbols::Narrow(Vec::new()));
    let (a, other) = (next(), texts.other.map(|_| next()));
    Numbered { a, other, b: next(), alphabet }
}

fn bytes_of(text: &Text, folds: bool) -> Option<Bytes<'_>> {
    match &*text.spans {
        Spans::Pieces { starts, len } => Some(Bytes { bytes: &text.bytes, pieces: starts, len: *len, folds }),
        Spans::Ranges(_) => None,
    }
}
