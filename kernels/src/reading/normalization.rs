//! Normal: Unicode normalisation form C of a text, with a map back to the bytes of the original.
//!
//! A text is divided before scalar values that never combine with what precedes them, and each part is normalised
//! separately. If normalisation does not change a part, each of its bytes maps to itself. Otherwise each of the new
//! scalar values stands for all bytes of the part. For example, `e` and U+0301 become one scalar value. U+0958 becomes
//! two scalar values, each of which stands for the three bytes of U+0958.

use std::iter::once;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc, is_nfc_quick};

/// The units of a normalised text, one after the other. Ignored characters between units are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct NormalizedText {
    text: String,
    /// For each unit, the position in `text` after it.
    ends: Vec<u32>,
}

impl NormalizedText {
    /// Appends a unit.
    pub(crate) fn push(&mut self, unit: &str) {
        self.text.push_str(unit);
        self.ends.push(self.text.len() as u32);
    }

    /// Returns the unit with the number `at`, after normalisation.
    pub(crate) fn unit(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }
}

/// A range of bytes of the normalised text, up to the start of the next range, and the original bytes that became it.
struct MappedBytes {
    /// Position of the first byte in the normalised text.
    from: usize,
    /// Range of bytes in the original text, as start and end.
    original: (usize, usize),
    /// Whether normalisation left the bytes unchanged, so that each one stands for itself.
    is_same: bool,
}

/// A text in normalisation form C, and the parts of which it consists. Parts are normalised independently.
pub(super) struct NfcParts {
    pub(super) text: String,
    parts: Vec<MappedBytes>,
}

impl NfcParts {
    /// Converts `text` to normalisation form C. Takes O(length) time and memory.
    pub(super) fn from_text(text: &str) -> Self {
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

    /// Returns a function that maps a range of bytes of the normalised text, as start and end, to the range of the
    /// original bytes. The ranges must be passed to the function in ascending order.
    pub(super) fn to_original(&self) -> impl FnMut((usize, usize)) -> (usize, usize) + '_ {
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

/// Returns whether a text can be divided before `char` without changing its normalisation form C. For this the
/// decomposition of `char` must begin with a starter (combining class 0) that never follows another character in a
/// composition.
fn is_border(char: char) -> bool {
    let is_start = |first: char| canonical_combining_class(first) == 0 && is_nfc_quick(once(first)) == IsNormalized::Yes;
    char.is_ascii() || once(char).nfd().next().is_some_and(is_start)
}
