//! Symbol numbers of two texts: equal units have the same one, in the order in which they first occur in `a`, then in `b`.
//!
//! - [`bytes`]: of units of one byte each, 64 at a time, of large texts on all cores
//! - [`units`]: of all others, by what they are compared by

use self::bytes::{Bytes, Numbers};
use super::{Spans, Symbols, Text};
use crate::cpu::Cpu;
use crate::reading::Reading;

mod bytes;
mod units;

/// Numbers of two texts whose units are one byte each, and how many there are. Small letters of ASCII count as capitals where `folds`
/// says so of a text. `None` where units have more bytes. Time O(bytes): 0.15 to 0.25 ns a byte on one core of a Zen 3, in memory
/// that was used before.
pub(super) fn of_bytes(texts: [&Text; 2], folds: [bool; 2]) -> Option<([Symbols; 2], u32)> {
    let (a, b) = (bytes_of(texts[0], folds[0])?, bytes_of(texts[1], folds[1])?);
    let (mut numbers, threads) = (Numbers::new(), Cpu::all_cores().threads);
    let symbols = [a, b].map(|text| Symbols::Narrow(numbers.number(&text, threads)));
    Some((symbols, numbers.len() as u32))
}

/// Numbers of two texts of any units, and how many there are. All borders between records of the second have one number, which no unit
/// has. Time and memory O(bytes).
pub(super) fn of_units(texts: [&Text; 2], reading: &Reading) -> ([Symbols; 2], u32) {
    units::number(texts, reading)
}

fn bytes_of(text: &Text, folds: bool) -> Option<Bytes<'_>> {
    match &text.spans {
        Spans::Pieces { starts, len } => Some(Bytes { bytes: &text.bytes, pieces: starts, len: *len, folds }),
        Spans::Ranges(_) => None,
    }
}
