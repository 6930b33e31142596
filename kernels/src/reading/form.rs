//! Whether two texts are plain text or files of records. One decision for both: a sequence is folded as the file that it is compared
//! with, and a text that only looks a little like a file keeps every symbol.

use std::iter::once;

use super::choice::{Choice, Chosen};
use super::records::{self, File};
use super::{Fasta, ReadAs, Reading, Unit};
use crate::failure::Failure;

/// The UTF-8 byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What a text was taken for.
#[derive(Debug)]
pub(crate) struct Form {
    /// Bytes of a byte order mark at its begin, which is no part of the text.
    pub(super) mark: usize,
    /// Its records, unless it is plain text.
    pub(super) file: Option<File>,
    /// Which of them make the text.
    pub(super) chosen: Chosen,
}

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Segment {
    /// A record begins; where it is kept apart from one before, this byte stands for the border.
    Record {
        /// The first of its header.
        border: Option<u32>,
    },
    /// These bytes hold units.
    Range(u32, u32),
}

impl Form {
    fn plain(text: &[u8], reading: &Reading) -> Self {
        // Of a text in bytes no byte is left out.
        let mark = if reading.unit == Unit::Bytes { 0 } else { mark(text) };
        Self { mark, file: None, chosen: Chosen::Joined }
    }

    fn of_file(text: &[u8], file: File) -> Self {
        Self { mark: mark(text), file: Some(file), chosen: Chosen::Apart }
    }

    /// Its records by a choice.
    pub(super) fn choose(self, who: &str, text: &[u8], choice: &Choice, many: bool) -> Result<Self, Failure> {
        let chosen = choice.of(who, text, self.file.as_ref(), many)?;
        Ok(Self { chosen, ..self })
    }

    /// What its units are cut from, in order.
    pub(super) fn parts(&self, bytes: usize) -> impl Iterator<Item = Segment> + '_ {
        let whole = self.file.is_none().then_some(Segment::Range(self.mark as u32, bytes as u32));
        let of_file = self.file.iter().flat_map(|file| {
            let is_apart = self.chosen == Chosen::Apart;
            self.chosen.range(file.records.len()).enumerate().flat_map(move |(before, record)| {
                let border = (is_apart && before > 0).then_some(file.records[record].at);
                once(Segment::Record { border }).chain(file.lines_of(record).iter().map(|&(start, end)| Segment::Range(start, end)))
            })
        });
        of_file.chain(whole)
    }

    /// Whether no line of its records has anything but letters, `*` and `-`.
    pub(super) fn is_strict(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.is_strict)
    }

    /// What is told about it.
    pub(super) fn told(&self, text: &[u8]) -> ReadAs {
        let byte_order_mark = self.mark > 0;
        let Some(file) = &self.file else { return ReadAs { byte_order_mark, ..ReadAs::default() } };
        let records = file.records.len();
        let named = if file.has_names() { records.min(ReadAs::NAMES) } else { 0 };
        let record = match self.chosen {
            Chosen::One(number) if records > 1 => Some(number.into()),
            _ => None,
        };
        ReadAs {
            format: file.format,
            folded: true,
            byte_order_mark,
            records: records as u64,
            names: (0..named).map(|number| file.name(text, number, ReadAs::NAME)).collect(),
            record,
            joined: records > 1 && self.chosen == Chosen::Joined,
        }
    }
}

/// What these texts are read as. Time O(1) where neither begins as a file does, else that of looking for ends of lines.
pub(super) fn of(texts: [&[u8]; 2], reading: &Reading) -> [Form; 2] {
    let plain = || texts.map(|text| Form::plain(text, reading));
    if !reading.unit.is_a_letter() {
        return plain();
    }
    match reading.fasta {
        Fasta::Never => plain(),
        Fasta::Always => texts.map(|text| Form::of_file(text, strict(text).unwrap_or_else(|| records::lenient(text, mark(text))))),
        Fasta::Auto => {
            // The one that may be a file is looked at first: it mostly shows soon that it is none.
            let order = if begins_as_file(texts[0]) { [0, 1] } else { [1, 0] };
            if !begins_as_file(texts[order[0]]) {
                return plain();
            }
            let Some(one) = strict(texts[order[0]]) else { return plain() };
            let Some(other) = strict(texts[order[1]]) else { return plain() };
            // Headers alone may be quoted lines of one word each.
            if !one.is_beyond_doubt() && !other.is_beyond_doubt() {
                return plain();
            }
            let [first, second] = if order[0] == 0 { [one, other] } else { [other, one] };
            [Form::of_file(texts[0], first), Form::of_file(texts[1], second)]
        }
    }
}

/// Bytes of the byte order mark at the begin of a text.
fn mark(text: &[u8]) -> usize {
    if text.starts_with(MARK) { MARK.len() } else { 0 }
}

/// The text as FASTQ, FASTA or letters only, when it is nothing else.
fn strict(text: &[u8]) -> Option<File> {
    let from = mark(text);
    records::fastq(text, from).or_else(|| records::fasta(text, from))
}

/// Whether the first byte that is no line end may begin a file of records.
fn begins_as_file(text: &[u8]) -> bool {
    let first = text[mark(text)..].iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'>' | b';' | b'@'))
}
