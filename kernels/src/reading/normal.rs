//! Normalisation form C of a text, with the way back to its bytes.
//!
//! A text is normalised between scalar values that start something and never join what is before them; all between two of those
//! becomes some scalar values together. Where that changes nothing, bytes map to bytes. Where it does, each of the new scalar values
//! stands for all bytes of the part: `e` and U+0301 become one, U+0958 becomes two that share its three bytes.

use std::iter::once;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc, is_nfc_quick};

/// The normalised text that units are cut from, without what is no unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Normal {
    text: String,
    /// Where each unit ends in it.
    ends: Vec<u32>,
}

impl Normal {
    /// Appends a unit.
    pub(crate) fn push(&mut self, unit: &str) {
        self.text.push_str(unit);
        self.ends.push(self.text.len() as u32);
    }

    /// What a unit is after normalisation.
    pub(crate) fn unit(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }
}

/// Neighbouring bytes of the normalised text.
struct MappedBytes {
    /// Where they begin.
    from: usize,
    /// Bytes of the original that they stand for.
    original: (usize, usize),
    /// They are those bytes.
    is_same: bool,
}

/// A text's form C, part by part.
pub(super) struct Parts {
    pub(super) text: String,
    parts: Vec<MappedBytes>,
}

impl Parts {
    /// Of a text. Time and memory O(its length).
    pub(super) fn of(text: &str) -> Self {
        let mut made = Self { text: String::with_capacity(text.len()), parts: Vec::new() };
        let mut start = 0;
        let borders = text.char_indices().skip(1).filter(|&(_, char)| is_border(char)).map(|(at, _)| at);
        for end in borders.chain(once(text.len())) {
            made.push(text, (start, end));
            start = end;
        }
        made
    }

    fn push(&mut self, text: &str, (start, end): (usize, usize)) {
        let part = &text[start..end];
        let from = self.text.len();
        let is_same = is_nfc(part);
        if is_same {
            self.text.push_str(part);
        } else {
            self.text.extend(part.nfc());
        }
        match self.parts.last_mut() {
            Some(last) if is_same && last.is_same => last.original.1 = end,
            _ => self.parts.push(MappedBytes { from, original: (start, end), is_same }),
        }
    }

    /// Maps ranges of the normalised text, which ascend, to those of the original.
    pub(super) fn back(&self) -> impl FnMut((usize, usize)) -> (usize, usize) + '_ {
        let mut at = 0;
        move |(start, end)| {
            let end_of = |at: usize| self.parts.get(at + 1).map_or(self.text.len(), |next| next.from);
            while end_of(at) <= start {
                at += 1;
            }
            let mut last = at;
            while end_of(last) < end {
                last += 1;
            }
            let (first, last) = (&self.parts[at], &self.parts[last]);
            let from = if first.is_same { first.original.0 + start - first.from } else { first.original.0 };
            let to = if last.is_same { last.original.0 + end - last.from } else { last.original.1 };
            (from, to)
        }
    }
}

/// Whether normalisation never joins this scalar value with what is before it: what it decomposes to begins with one that starts
/// something, and that never follows another in a composition.
fn is_border(char: char) -> bool {
    let is_start = |first: char| canonical_combining_class(first) == 0 && is_nfc_quick(once(first)) == IsNormalized::Yes;
    char.is_ascii() || once(char).nfd().next().is_some_and(is_start)
}
