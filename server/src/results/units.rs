//! Positions of a large text's units in its bytes, so that a few units can be read without the others. Units are what a
//! job compares: bytes, characters, words or lines.
//!
//! If every unit has one byte and there are no gaps, as in plain ASCII, the offset of the first unit is sufficient. For
//! other texts, an index file is written when the job has ended: see `form`. It has the position of every unit, and the
//! unit's normalization form C if that differs from its bytes.
//!
//! Units cannot be found by splitting a part of the text: words and grapheme clusters depend on their surroundings, and
//! records on all lines before.
//!
//! - `form`: format of an index file
//! - [`part`]: some units as a text of their own

use std::io;
use std::ops::Range;
use std::sync::Arc;

use explain::excerpt;
use explain::wire::OriginalTextPiece;
use kernels::text::{ReadingOptions, Text, Unit};

use self::form::UnitEntry;
use super::source::ByteSource;
use super::varint::invalid_data;
use crate::storage::ports::files::{ContentHash, FileStore};
use crate::store::record::units::{UnitLayout, UnitPositions};

mod form;
pub mod part;
#[cfg(test)]
pub(super) mod tests;

/// Maximum size of a character in UTF-8, in bytes.
const MAX_CHAR_BYTES: u64 = 4;

/// Maximum number of bytes between two units that one read covers together.
const MAX_READ_GAP_BYTES: u64 = 4096;

/// Maximum number of bytes of the text in an excerpt ([`piece`]).
const MAX_EXCERPT_BYTES: u64 = 100_000;

/// Number of units whose positions one step reads to find the end of an excerpt.
const UNITS_PER_EXCERPT_STEP: u64 = 8192;

/// Maximum number of bytes in one read for several units.
const MAX_UNIT_READ_BYTES: u64 = 1 << 20;

/// Stores the positions of the units of `text`, which was parsed with the options `reading`, with an index file if
/// necessary. Takes O(units) time, and O(log lines) for each line of a file with records.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub fn store(text: &Text, reading: &ReadingOptions, files: &dyn FileStore) -> io::Result<UnitPositions> {
    let len = text.len();
    let place = match contiguous_start(text, reading) {
        Some(first) => UnitLayout::Bytes(first),
        None => UnitLayout::Index(files.put(&form::write(text, reading))?),
    };
    let decoded = text.read_as().encoding.map(|_| files.put(text.bytes())).transpose()?;
    Ok(UnitPositions { len: len as u64, folded: text.is_upper(), rna: None, decoded, place })
}

/// Returns the byte offset of the first unit of `text` if every unit is one byte and there are no gaps between units.
/// Returns `None` otherwise, or if normalization may change units, and 0 if the text has no units.
fn contiguous_start(text: &Text, reading: &ReadingOptions) -> Option<u64> {
    if text.is_empty() {
        return Some(0);
    }
    let (first, last) = (text.range(0), text.range(text.len() - 1));
    // In normalization form C, several units may stand for the bytes of one letter, so the sizes alone would not be a
    // proof.
    (!may_differ(text, reading) && last.end - first.start == text.len()).then_some(first.start as u64)
}

/// Returns whether normalization may change units of `text`. Then a unit may differ from its bytes, and several units
/// may stand for the same bytes.
fn may_differ(text: &Text, reading: &ReadingOptions) -> bool {
    reading.normalize && reading.unit != Unit::Bytes && !text.bytes().is_ascii()
}

/// Returns an excerpt of `text`: the symbols `from..from + len` in their original form, cut to `MAX_EXCERPT_BYTES`
/// bytes.
pub fn piece(text: &Text, from: u64, len: u64) -> OriginalTextPiece {
    let symbols = text.len() as u64;
    let from = from.min(symbols);
    // Returns the byte offset at which the symbol `at` begins. Bytes before the first symbol belong to the first
    // symbol, and bytes after the last symbol belong to the last symbol.
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
        if (border(middle) - start) as u64 <= MAX_EXCERPT_BYTES { low = middle } else { high = middle - 1 }
    }
    let bytes = &text.bytes()[start..border(low).clamp(start, start + MAX_EXCERPT_BYTES as usize)];
    OriginalTextPiece { from, len: low - from, symbols, text: String::from_utf8_lossy(bytes).into_owned() }
}

/// A text in the file store and the positions of its units, with which queries read only the needed bytes. Every method
/// may block on the disk.
#[derive(Clone, Debug)]
pub struct StoredText {
    pub bytes: ByteSource,
    pub units: UnitPositions,
    /// Index file with the positions of the units, if there is one.
    pub index: Option<ByteSource>,
}

impl StoredText {
    /// Opens the text in the file `hash`. `units` has the positions of its units.
    pub fn new(files: &Arc<dyn FileStore>, hash: ContentHash, units: UnitPositions) -> Self {
        let file = |hash| ByteSource::File { files: files.clone(), hash };
        let index = match units.place {
            UnitLayout::Bytes(_) => None,
            UnitLayout::Index(hash) => Some(file(hash)),
        };
        Self { bytes: file(units.decoded.unwrap_or(hash)), units, index }
    }

    /// Returns the units with the numbers `units`, each in display form like [`explain::excerpt::display_units`]. Takes one
    /// read of the text if these units are short and adjacent, and two reads of the index if there is one.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or `InvalidData` if the units do not exist.
    pub fn displayed_units(&self, units: Range<u64>) -> io::Result<Vec<String>> {
        let entries = self.entries(units)?;
        let most = excerpt::max_bytes_of_each(entries.iter().map(|entry| entry.len));
        let wanted = |entry: &UnitEntry| wanted(entry, most);
        let mut shown = Vec::with_capacity(entries.len());
        let mut rest = &entries[..];
        while let Some(first) = rest.first() {
            // Units that are near each other are read together, each up to the bytes that are shown of it.
            let (start, mut end) = (first.start, first.start + wanted(first));
            let more = rest.iter().skip(1).take_while(|next| {
                let near = next.start >= start
                    && next.start <= end + MAX_READ_GAP_BYTES
                    && next.start + wanted(next) - start <= MAX_UNIT_READ_BYTES;
                end = if near { end.max(next.start + wanted(next)) } else { end };
                near
            });
            let taken = 1 + more.count();
            let bytes = if end > start { self.bytes.range(start..end)? } else { Vec::new() };
            let (near, others) = rest.split_at(taken);
            for entry in near {
                let from = (entry.start - start) as usize;
                let own = bytes.get(from..from + wanted(entry) as usize).ok_or_else(|| invalid_data("a unit"))?;
                shown.push(excerpt::truncate(self.show(entry, own), most));
            }
            rest = others;
        }
        Ok(shown)
    }

    /// Returns the symbols `from..from + len` in their original form, cut like the function [`piece`]. Reads only the
    /// bytes of this excerpt, and the positions of its units.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn piece(&self, from: u64, len: u64) -> io::Result<OriginalTextPiece> {
        let symbols = self.units.len;
        let from = from.min(symbols);
        let wanted = from.saturating_add(len).min(symbols);
        let bytes = self.bytes.size()?;
        let start = match from {
            0 => 0,
            from if from == symbols => bytes,
            from => self.start(from)?,
        };
        // The symbol and the byte offset at which the longest excerpt that fits so far ends.
        let (mut low, mut end) = (from, if symbols == 0 { bytes.min(MAX_EXCERPT_BYTES) } else { start });
        'steps: while low < wanted {
            let step = low..wanted.min(low + UNITS_PER_EXCERPT_STEP);
            let mut starts: Vec<u64> =
                self.entries(step.start + 1..step.end.min(symbols - 1) + 1)?.iter().map(|entry| entry.start).collect();
            if step.end == symbols {
                starts.push(bytes);
            }
            for next in starts {
                if next.saturating_sub(start) > MAX_EXCERPT_BYTES {
                    break 'steps;
                }
                (low, end) = (low + 1, next);
            }
        }
        let text = self.bytes.range(start..end.max(start))?;
        Ok(OriginalTextPiece { from, len: low - from, symbols, text: String::from_utf8_lossy(&text).into_owned() })
    }

    /// Returns the byte offset at which the unit with the number `unit` begins.
    fn start(&self, unit: u64) -> io::Result<u64> {
        let entry = self.entries(unit..unit + 1)?.pop();
        entry.map(|entry| entry.start).ok_or_else(|| invalid_data("the number of units"))
    }

    /// Returns the positions and normalized forms of the units with the numbers `units`.
    fn entries(&self, units: Range<u64>) -> io::Result<Vec<UnitEntry>> {
        if units.is_empty() {
            return Ok(Vec::new());
        }
        if units.end > self.units.len {
            return Err(invalid_data("the number of units"));
        }
        match (&self.index, self.units.place) {
            (Some(index), _) => form::read(index, self.units.len, units),
            (None, UnitLayout::Bytes(first)) => Ok(units.map(|unit| UnitEntry::new(first + unit, 1)).collect()),
            (None, UnitLayout::Index(_)) => Err(invalid_data("the place of units")),
        }
    }

    /// Returns the display form of the unit `entry`. `bytes` begins with the bytes of the unit, and has at least those
    /// that are shown.
    fn show(&self, entry: &UnitEntry, bytes: &[u8]) -> String {
        let mut shown = match &entry.normal {
            Some(normal) => normal.clone(),
            None => match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                // The unit was read only in part, and a character was cut.
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

/// Returns the number of bytes to read of the unit `entry`: the `most` bytes that are shown, and enough to tell whether
/// the unit is longer. Returns 0 if the index has its normalized form.
fn wanted(entry: &UnitEntry, most: usize) -> u64 {
    if entry.normal.is_some() { 0 } else { entry.len.min(most as u64 + MAX_CHAR_BYTES) }
}
