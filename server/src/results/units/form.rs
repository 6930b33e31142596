//! Format of an index file of units: runs of adjacent units, in blocks of 1,024 units.
//!
//! ```text
//! "EUX1"
//! for each block:  offset of the block in this file: 8 bytes; end of the previous block's last unit in the text: 8 bytes
//! size of this file: 8 bytes
//! for each block, for each run of units of the same length without a gap between them:
//!     varint of length · 8 + 4 (with a normalized form) + 2 (more than one unit) + 1 (with a gap to the previous run)
//!     with a gap: signed varint of its length, which is negative if units overlap
//!     with more than one unit: varint of their number
//!     with a normalized form: varint of its length, and its bytes
//! ```
//!
//! The block of a unit follows from the unit's number, so that two reads suffice for an index of any size. The index of
//! a FASTA file takes three bytes for each line. That of a Chinese text takes three bytes for each block, and that of a
//! German text at most about one byte for each letter.

use std::io;
use std::ops::Range;

use explain::excerpt::excerpt;
use kernels::text::{ReadingOptions, Text};

use super::may_differ;
use crate::results::source::ByteSource;
use crate::results::varint::{VarintReader, invalid_data, put, put_signed};

const UNIT_INDEX_SIGNATURE: &[u8; 4] = b"EUX1";

/// Number of units in a block. The last block may have fewer.
pub(super) const UNITS_PER_BLOCK: u64 = 1024;

/// Size of a block's entry in the table at the beginning of the file, in bytes: two numbers of eight bytes.
const BLOCK_ENTRY_BYTES: u64 = 16;

/// Maximum number of bytes that a query reads from the blocks of an index. Blocks may contain the normalized forms of
/// their units.
const MAX_UNIT_BLOCK_BYTES: u64 = 64 << 20;

/// Flag of a run that does not begin where the previous run ends.
const GAP_FLAG: u64 = 1;
/// Flag of a run of more than one unit.
const RUN_FLAG: u64 = 2;
/// Flag of a run of one unit whose normalized form is stored.
const NORMAL_FORM_FLAG: u64 = 4;

/// The position of a unit in the bytes of its text, and its normalized form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnitEntry {
    /// Offset of the unit's first byte in the text.
    pub(super) start: u64,
    /// Number of bytes of the unit in the text.
    pub(super) len: u64,
    /// Normalized form of the unit, or `None` if it equals the unit's bytes.
    pub(super) normal: Option<String>,
}

impl UnitEntry {
    /// Creates the entry of a unit without a normalized form, from the offset and number of its bytes.
    pub(super) fn new(start: u64, len: u64) -> Self {
        Self { start, len, normal: None }
    }
}

/// Serializes the index of the units of `text`, which was parsed with the options `reading`.
pub(super) fn write(text: &Text, reading: &ReadingOptions) -> Vec<u8> {
    let blocks = (text.len() as u64).div_ceil(UNITS_PER_BLOCK);
    let first = UNIT_INDEX_SIGNATURE.len() as u64 + BLOCK_ENTRY_BYTES * blocks + 8;
    let mut writer = UnitIndexWriter { text, may_differ: may_differ(text, reading), last_run: 1, out: Vec::new() };
    let mut places = Vec::with_capacity(2 * blocks as usize + 1);
    let mut end = 0;
    for block in 0..blocks {
        places.extend([first + writer.out.len() as u64, end]);
        end = writer.block((block * UNITS_PER_BLOCK) as usize..text.len().min(((block + 1) * UNITS_PER_BLOCK) as usize), end);
    }
    places.push(first + writer.out.len() as u64);
    let places = places.iter().flat_map(|place| place.to_le_bytes());
    UNIT_INDEX_SIGNATURE.iter().copied().chain(places).chain(writer.out).collect()
}

struct UnitIndexWriter<'t> {
    text: &'t Text,
    /// Whether normalization may change units, so that they differ from their bytes.
    may_differ: bool,
    /// Number of units in the last run of one-byte units, as a guess for the next run: the lines of a sequence mostly
    /// have equal lengths.
    last_run: usize,
    out: Vec<u8>,
}

impl UnitIndexWriter<'_> {
    /// Appends the block of the units with the numbers `units`. `end` is the byte offset in the text at which the
    /// previous block's last unit ends. Returns the offset at which this block's last unit ends.
    fn block(&mut self, units: Range<usize>, mut end: u64) -> u64 {
        let mut at = units.start;
        while at < units.end {
            let range = self.text.range(at);
            let normal = self.normal(at);
            let run = if normal.is_some() { 1 } else { self.run(at..units.end) };
            let gap = range.start as i64 - end as i64;
            let says = [(gap != 0, GAP_FLAG), (run > 1, RUN_FLAG), (normal.is_some(), NORMAL_FORM_FLAG)];
            let tag = says.iter().map(|&(said, bit)| if said { bit } else { 0 }).sum::<u64>();
            put(&mut self.out, (range.len() as u64) << 3 | tag);
            if gap != 0 {
                put_signed(&mut self.out, gap);
            }
            if run > 1 {
                put(&mut self.out, run as u64);
            }
            if let Some(normal) = normal {
                put(&mut self.out, normal.len() as u64);
                self.out.extend(normal.as_bytes());
            }
            end = (range.start + run * range.len()) as u64;
            at += run;
        }
        end
    }

    /// Returns the normalized form of the unit with the number `at`, if it differs from the unit's bytes by more than
    /// ASCII case.
    fn normal(&self, at: usize) -> Option<String> {
        let bytes = &self.text.bytes()[self.text.range(at)];
        // The case is ignored here, because a single flag of the text says whether its letters are shown in upper case.
        let shown = self.may_differ.then(|| self.text.display_unit(at)).filter(|shown| !shown.as_bytes().eq_ignore_ascii_case(bytes));
        shown.map(excerpt)
    }

    /// Returns the number of units in the run that begins with the unit `units.start` and ends at the latest before
    /// `units.end`. The units of a run have the same length, no gaps and no normalized forms.
    fn run(&mut self, units: Range<usize>) -> usize {
        let first = self.text.range(units.start);
        if first.len() != 1 || self.may_differ {
            let same = |ahead: &usize| {
                let (at, start) = (units.start + ahead, first.start + ahead * first.len());
                self.text.range(at) == (start..start + first.len()) && self.normal(at).is_none()
            };
            return 1 + (1..units.len()).take_while(same).count();
        }
        // Every unit has at least one byte. If n adjacent units cover n bytes, each has exactly one.
        let reaches = |run: usize| run <= units.len() && self.text.range(units.start + run - 1).end == first.start + run;
        let run = match self.last_run {
            _ if reaches(units.len()) => units.len(),
            last if reaches(last) && !reaches(last + 1) => last,
            _ => {
                let (mut low, mut high) = (1, units.len());
                while low + 1 < high {
                    let middle = low.midpoint(high);
                    if reaches(middle) { low = middle } else { high = middle }
                }
                low
            }
        };
        self.last_run = run;
        run
    }
}

/// Reads the positions of the units with the numbers `units` from the index file `index`. `all` is the number of all
/// units of the text. Takes two reads.
///
/// # Errors
/// Returns an error if the file cannot be read, or `InvalidData` if it contains no valid index.
pub(super) fn read(index: &ByteSource, all: u64, units: Range<u64>) -> io::Result<Vec<UnitEntry>> {
    let (first, last) = (units.start / UNITS_PER_BLOCK, (units.end - 1) / UNITS_PER_BLOCK);
    let from = UNIT_INDEX_SIGNATURE.len() as u64 + BLOCK_ENTRY_BYTES * first;
    let places = index.range(from..from + BLOCK_ENTRY_BYTES * (last - first + 1) + 8)?;
    let mut reader = VarintReader(&places);
    let mut blocks = Vec::new();
    for _ in first..=last {
        blocks.push((reader.whole()?, reader.whole()?));
    }
    let end = reader.whole()?;
    let begin = blocks.first().map_or(end, |block| block.0);
    if end.checked_sub(begin).is_none_or(|bytes| bytes > MAX_UNIT_BLOCK_BYTES) {
        return Err(invalid_data("the place of a block"));
    }
    let bytes = index.range(begin..end)?;
    let mut entries = Vec::with_capacity((units.end - units.start) as usize);
    let mut unit = first * UNITS_PER_BLOCK;
    let ends = blocks.iter().skip(1).map(|block| block.0).chain([end]);
    for (&(from, counted), to) in blocks.iter().zip(ends) {
        let (from, to) = (from.checked_sub(begin), to.checked_sub(begin));
        let part = from.zip(to).and_then(|(from, to)| bytes.get(from as usize..to as usize));
        let mut reader = VarintReader(part.ok_or_else(|| invalid_data("the place of a block"))?);
        let border = all.min((unit / UNITS_PER_BLOCK + 1) * UNITS_PER_BLOCK);
        let mut at = counted;
        while !reader.is_empty() {
            let tag = reader.number()?;
            let len = tag >> 3;
            let gap = if tag & GAP_FLAG == 0 { 0 } else { reader.signed()? };
            let run = if tag & RUN_FLAG == 0 { 1 } else { reader.number()? };
            let normal = if tag & NORMAL_FORM_FLAG == 0 { None } else { Some(text(&mut reader)?) };
            let start = at.checked_add_signed(gap).filter(|_| run > 0 && run <= border - unit).ok_or_else(|| invalid_data("a run"))?;
            let end = len.checked_mul(run).and_then(|bytes| start.checked_add(bytes)).filter(|end| *end <= u32::MAX.into());
            at = end.ok_or_else(|| invalid_data("a run"))?;
            let wanted = units.start.max(unit)..units.end.min(unit + run);
            entries.extend(wanted.map(|wanted| UnitEntry { start: start + (wanted - unit) * len, len, normal: normal.clone() }));
            unit += run;
        }
        if unit != border {
            return Err(invalid_data("a block"));
        }
    }
    Ok(entries)
}

fn text(reader: &mut VarintReader<'_>) -> io::Result<String> {
    let len = reader.number()?;
    String::from_utf8(reader.bytes(len)?.to_vec()).map_err(|_| invalid_data("a unit"))
}
