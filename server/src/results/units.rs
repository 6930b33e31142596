//! Where the units of a large text lie in its bytes, so that a few of them are read without the others.
//!
//! Of a text whose units are one byte each and follow each other, as those of plain ASCII do, it is enough to know where the first one is.
//! Of any other an index file is written when its job has ended, while its units are at hand: see `form`. It knows of every unit where it
//! lies, and what it is where that is not what its bytes say, in normalisation form C. Units are not found again by cutting a part
//! of the text: words and grapheme clusters depend on what is around them, and records on all lines before.
//!
//! - `form`: the bytes of an index file
//! - [`part`]: some units as a text of their own

use std::io;
use std::ops::Range;
use std::sync::Arc;

use explain::excerpt;
use explain::wire::TextPiece;
use kernels::strand::NucleicAcid;
use kernels::text::{Reading, Text, Unit};
use serde::{Deserialize, Serialize};

use self::form::Entry;
use super::source::Source;
use super::varint::broken;
use crate::ports::files::{Files, Hash};

mod form;
pub mod part;
#[cfg(test)]
pub(super) mod tests;

/// Bytes of a character, at most.
const LONGEST: u64 = 4;

/// Bytes between two units that are rather read than skipped.
const NEAR: u64 = 4096;

/// Bytes of one piece of a text, at most.
const MOST_PIECE: u64 = 100_000;

/// Units that are looked at at a time for the end of a piece.
const STEP: u64 = 8192;

/// Bytes that are read at a time.
const AT_A_TIME: u64 = 1 << 20;

/// Where the units of one text lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// How many there are.
    pub len: u64,
    /// Letters are shown in upper case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// Whether the reverse complement of a pattern has the letters of RNA. Unknown if one strand was searched, and of older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rna: Option<bool>,
    /// The text in UTF-8, if it was decoded: places are those of this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoded: Option<Hash>,
    /// Where they are.
    #[serde(flatten)]
    pub place: Place,
}

impl Units {
    /// What the reverse complement of this pattern is written in, if it is known.
    pub fn nucleic_acid(&self) -> Option<NucleicAcid> {
        self.rna.map(|rna| if rna { NucleicAcid::Rna } else { NucleicAcid::Dna })
    }

    /// Their index file, if they have one.
    pub fn index(&self) -> Option<Hash> {
        if let Place::Index(hash) = self.place { Some(hash) } else { None }
    }

    /// The files that belong to them.
    pub fn files(&self) -> impl Iterator<Item = Hash> {
        self.index().into_iter().chain(self.decoded)
    }
}

/// Where units are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// One byte each, from this one on.
    Bytes(u64),
    /// An index file says it.
    Index(Hash),
}

/// The units of a text; those that need one get an index file. Time O(units), and for each line of a file of records O(log lines).
///
/// # Errors
/// When the file cannot be written.
pub fn store(text: &Text, reading: &Reading, files: &dyn Files) -> io::Result<Units> {
    let len = text.len();
    let place = match is_in_a_row(text, reading) {
        Some(first) => Place::Bytes(first),
        None => Place::Index(files.put(&form::write(text, reading))?),
    };
    let decoded = text.read_as().encoding.map(|_| files.put(text.bytes())).transpose()?;
    Ok(Units { len: len as u64, folded: text.is_upper(), rna: None, decoded, place })
}

/// The first byte of a text whose units are one byte each without a gap.
fn is_in_a_row(text: &Text, reading: &Reading) -> Option<u64> {
    if text.is_empty() {
        return Some(0);
    }
    let (first, last) = (text.range(0), text.range(text.len() - 1));
    // In normalisation form C three letters may stand for the three bytes of another.
    (!may_differ(text, reading) && last.end - first.start == text.len()).then_some(first.start as u64)
}

/// Whether units may be others than their bytes, and share those.
fn may_differ(text: &Text, reading: &Reading) -> bool {
    reading.normalize && reading.unit != Unit::Bytes && !text.bytes().is_ascii()
}

/// The symbols `from..from + len` as they stand in the original, at most `MOST_PIECE` bytes.
pub fn piece(text: &Text, from: u64, len: u64) -> TextPiece {
    let symbols = text.len() as u64;
    let from = from.min(symbols);
    // Where a symbol begins, with what stands before the first and after the last symbol given to them.
    let border = |at: u64| match at {
        at if at >= symbols => text.bytes().len(),
        0 => 0,
        at => text.range(at as usize).start,
    };
    let start = if from == 0 { 0 } else { border(from) };
    let wanted = from.saturating_add(len).min(symbols);
    let (mut low, mut high) = (from, wanted);
    while low < high {
        let middle = high - (high - low) / 2;
        if (border(middle) - start) as u64 <= MOST_PIECE { low = middle } else { high = middle - 1 }
    }
    let bytes = &text.bytes()[start..border(low).clamp(start, start + MOST_PIECE as usize)];
    TextPiece { from, len: low - from, symbols, text: String::from_utf8_lossy(bytes).into_owned() }
}

/// A text of which only what is looked at is read. Every call may block on the disk.
#[derive(Clone, Debug)]
pub struct StoredText {
    /// Its bytes.
    pub bytes: Source,
    /// Where its units are.
    pub units: Units,
    /// The index file, where there is one.
    pub index: Option<Source>,
}

impl StoredText {
    /// The text in this file.
    pub fn new(files: &Arc<dyn Files>, hash: Hash, units: Units) -> Self {
        let file = |hash| Source::File { files: files.clone(), hash };
        let index = match units.place {
            Place::Bytes(_) => None,
            Place::Index(hash) => Some(file(hash)),
        };
        Self { bytes: file(units.decoded.unwrap_or(hash)), units, index }
    }

    /// These units as they are shown in a window, as [`explain::excerpt::shown`] has it. One read of the text where its units are neighbours and
    /// brief, and two of the index where there is one.
    ///
    /// # Errors
    /// When a file cannot be read; `InvalidData` when there are not so many units.
    pub fn shown(&self, units: Range<u64>) -> io::Result<Vec<String>> {
        let entries = self.entries(units)?;
        let most = excerpt::of_each(entries.iter().map(|entry| entry.len));
        let wanted = |entry: &Entry| wanted(entry, most);
        let mut shown = Vec::with_capacity(entries.len());
        let mut rest = &entries[..];
        while let Some(first) = rest.first() {
            // What is shown of the units that are near each other is read at once.
            let (start, mut end) = (first.start, first.start + wanted(first));
            let more = rest.iter().skip(1).take_while(|next| {
                let near = next.start >= start && next.start <= end + NEAR && next.start + wanted(next) - start <= AT_A_TIME;
                end = if near { end.max(next.start + wanted(next)) } else { end };
                near
            });
            let taken = 1 + more.count();
            let bytes = if end > start { self.bytes.range(start..end)? } else { Vec::new() };
            let (near, others) = rest.split_at(taken);
            for entry in near {
                let from = (entry.start - start) as usize;
                let own = bytes.get(from..from + wanted(entry) as usize).ok_or_else(|| broken("a unit"))?;
                shown.push(excerpt::cut(self.show(entry, own), most));
            }
            rest = others;
        }
        Ok(shown)
    }

    /// As [`piece`], by the bytes of the piece and what the index says of its units.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn piece(&self, from: u64, len: u64) -> io::Result<TextPiece> {
        let symbols = self.units.len;
        let from = from.min(symbols);
        let wanted = from.saturating_add(len).min(symbols);
        let bytes = self.bytes.size()?;
        let start = match from {
            0 => 0,
            from if from == symbols => bytes,
            from => self.start(from)?,
        };
        // The last symbol that may follow it, and where that begins.
        let (mut low, mut end) = (from, if symbols == 0 { bytes.min(MOST_PIECE) } else { start });
        'steps: while low < wanted {
            let step = low..wanted.min(low + STEP);
            let mut starts: Vec<u64> =
                self.entries(step.start + 1..step.end.min(symbols - 1) + 1)?.iter().map(|entry| entry.start).collect();
            if step.end == symbols {
                starts.push(bytes);
            }
            for next in starts {
                if next.saturating_sub(start) > MOST_PIECE {
                    break 'steps;
                }
                (low, end) = (low + 1, next);
            }
        }
        let text = self.bytes.range(start..end.max(start))?;
        Ok(TextPiece { from, len: low - from, symbols, text: String::from_utf8_lossy(&text).into_owned() })
    }

    /// Where a unit begins.
    fn start(&self, unit: u64) -> io::Result<u64> {
        let entry = self.entries(unit..unit + 1)?.pop();
        entry.map(|entry| entry.start).ok_or_else(|| broken("the number of units"))
    }

    /// Where units are.
    fn entries(&self, units: Range<u64>) -> io::Result<Vec<Entry>> {
        if units.is_empty() {
            return Ok(Vec::new());
        }
        if units.end > self.units.len {
            return Err(broken("the number of units"));
        }
        match (&self.index, self.units.place) {
            (Some(index), _) => form::read(index, self.units.len, units),
            (None, Place::Bytes(first)) => Ok(units.map(|unit| Entry::at(first + unit, 1)).collect()),
            (None, Place::Index(_)) => Err(broken("the place of units")),
        }
    }

    /// What a unit looks like, of which these are the first bytes at least.
    fn show(&self, entry: &Entry, bytes: &[u8]) -> String {
        let mut shown = match &entry.normal {
            Some(normal) => normal.clone(),
            None => match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                // Its end was not read.
                Err(error) if (bytes.len() as u64) < entry.len => {
                    String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default()).into_owned()
                }
                Err(_) => bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect(),
            },
        };
        if self.units.folded {
            shown.make_ascii_uppercase();
        }
        shown
    }
}

/// Bytes of a unit that are read: those that are shown, `most` of them, and enough to see that there are more.
fn wanted(entry: &Entry, most: usize) -> u64 {
    if entry.normal.is_some() { 0 } else { entry.len.min(most as u64 + LONGEST) }
}
