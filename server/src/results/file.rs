//! File of found positions: the positions of the hits of a search, and the positions of records and line feeds in the
//! searched text, which a page of hits needs. It consists of blocks, of which a query reads only the needed ones.
//!
//! ```text
//! "EHF1"
//! blocks of three lists of positions: hits, first symbols of records, bytes that are line feeds (see `positions`)
//! the profile (scores by offset), as postcard
//! marks of the three lists
//! number of marks of each list: 8 bytes each, "EHF1"
//! ```
//!
//! Older files begin with a format byte and contain postcard; they are read whole. A bit set of 4 million positions,
//! half of them hits, is a file of 500 kB.

use std::io;
use std::ops::Range;

use anyhow::{Context as _, bail};
use kernels::found::{PositionSet, PositionSetBuilder, ScoreProfile, SearchResult};
use kernels::text::Text;

use super::positions::{self, POSITION_MARK_BYTES, StoredPositions};
use super::source::ByteSource;
use super::varint::{VarintReader, invalid_data};

/// Signature at the beginning and the end of a file of found positions.
const HITS_SIGNATURE: &[u8; 4] = b"EHF1";

/// First byte of a file of the older format.
const OLD_FORMAT_BYTE: u8 = 2;

/// Bytes after the last mark of the file: the number of marks of each list, and the signature.
const HITS_TAIL_BYTES: u64 = 3 * 8 + HITS_SIGNATURE.len() as u64;

/// Number of bytes at the end of a file that are read first. In most files they contain all marks.
const HITS_END_READ_BYTES: u64 = 64 << 10;

/// Positions in the searched text that a page of hits needs: the beginnings of records and of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextIndex {
    /// Positions of the first symbol of each record. Empty unless records are searched separately.
    records: PositionSet,
    /// Byte offsets of the line feeds in the text.
    line_feeds: PositionSet,
}

impl TextIndex {
    /// Creates the index of `text`, the searched text. Takes O(bytes) time.
    pub fn from_text(text: &Text) -> Self {
        let mut records = PositionSetBuilder::default();
        if text.has_separate_records() {
            (0..text.record_count()).for_each(|record| records.push(text.record_range(record).start as u64));
        }
        let mut line_feeds = PositionSetBuilder::default();
        text.bytes().iter().zip(0..).filter(|(byte, _)| **byte == b'\n').for_each(|(_, at)| line_feeds.push(at));
        Self { records: records.finish(), line_feeds: line_feeds.finish() }
    }
}

/// Serializes the found positions and scores `found`, and the index `text` of the searched text, in the format of the
/// file.
///
/// # Errors
/// Never fails for the positions found by a task.
pub fn write(found: &SearchResult, text: &TextIndex) -> anyhow::Result<Vec<u8>> {
    let mut out = HITS_SIGNATURE.to_vec();
    let marks = [&found.positions, &text.records, &text.line_feeds].map(|list| positions::write(list, &mut out));
    let mut out = postcard::to_extend(&found.profile, out)?;
    marks.iter().for_each(|marks| out.extend(marks));
    marks.iter().for_each(|marks| out.extend((marks.len() as u64 / POSITION_MARK_BYTES).to_le_bytes()));
    out.extend(HITS_SIGNATURE);
    Ok(out)
}

/// The found positions of a search in a file, of which only the marks of the blocks are in memory. Methods that return
/// a `Result` may block on the disk.
#[derive(Clone, Debug)]
pub struct StoredHits {
    pub(super) source: ByteSource,
    pub(super) hits: StoredPositions,
    /// Positions of the first symbol of each record of the searched text. Empty unless records are searched separately.
    pub(super) records: StoredPositions,
    /// Byte offsets of line feeds in the searched text.
    pub(super) line_feeds: StoredPositions,
    /// Range of bytes in the file that contains the profile (scores by offset).
    profile: Range<u64>,
}

impl StoredHits {
    /// Opens the file of found positions `source`. Returns `None` for a file of an older format. Takes two or three
    /// reads.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or `InvalidData` if it is broken.
    pub fn open(source: ByteSource) -> io::Result<Option<Self>> {
        let len = source.size()?;
        if len < HITS_SIGNATURE.len() as u64 || source.range(0..HITS_SIGNATURE.len() as u64)? != HITS_SIGNATURE {
            return Ok(None);
        }
        let first = len.saturating_sub(HITS_END_READ_BYTES);
        let end = source.range(first..len)?;
        let tail = end.len().checked_sub(HITS_TAIL_BYTES as usize).ok_or_else(|| invalid_data("the end"))?;
        let mut reader = VarintReader(&end[tail..]);
        let counts = [reader.whole()?, reader.whole()?, reader.whole()?];
        let bytes = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(count.checked_mul(POSITION_MARK_BYTES)?));
        let from = bytes
            .and_then(|bytes| (len - HITS_TAIL_BYTES).checked_sub(bytes))
            .filter(|_| reader.0 == HITS_SIGNATURE)
            .ok_or_else(|| invalid_data("the end"))?;
        let before = if from < first { source.range(from..first)? } else { Vec::new() };
        let own = [&before[..], &end[from.saturating_sub(first) as usize..tail]].concat();
        let mut reader = VarintReader(&own);
        let hits = StoredPositions::new(reader.bytes(POSITION_MARK_BYTES * counts[0])?, HITS_SIGNATURE.len() as u64)?;
        let records = StoredPositions::new(reader.bytes(POSITION_MARK_BYTES * counts[1])?, hits.end())?;
        let line_feeds = StoredPositions::new(reader.bytes(POSITION_MARK_BYTES * counts[2])?, records.end())?;
        let profile = line_feeds.end()..from;
        if profile.start > profile.end {
            Err(invalid_data("the profile"))
        } else {
            Ok(Some(Self { source, hits, records, line_feeds, profile }))
        }
    }

    pub fn total(&self) -> u64 {
        self.hits.len()
    }

    /// Returns the number of bytes of memory that this value uses.
    pub fn memory_bytes(&self) -> u64 {
        self.hits.memory_bytes() + self.records.memory_bytes() + self.line_feeds.memory_bytes() + self.source.memory_bytes()
    }

    /// Reads all found positions and the scores into memory. Takes O(hits) time.
    fn read_all(&self) -> anyhow::Result<SearchResult> {
        let profile: Option<ScoreProfile> =
            postcard::from_bytes(&self.source.range(self.profile.clone())?).context("a profile is broken")?;
        Ok(SearchResult { positions: self.hits.read_all(&self.source)?, profile })
    }
}

/// Reads a whole file of found positions, in the current or an older format.
///
/// # Errors
/// Returns an error if the file cannot be read or has a format that this version does not know.
pub fn read(source: ByteSource) -> anyhow::Result<SearchResult> {
    if let Some(stored) = StoredHits::open(source.clone())? {
        return stored.read_all();
    }
    match &source.range(0..source.size()?)?[..] {
        [OLD_FORMAT_BYTE, rest @ ..] => postcard::from_bytes(rest).context("a file of hits is broken"),
        _ => bail!("a file of hits was written by another version"),
    }
}

#[cfg(test)]
mod tests {
    use kernels::found::ScoreSpan;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    /// Draws a random set of positions below four million. Each is in the set with the given probability.
    fn random(probability: f64) -> PositionSet {
        let mut rng = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            rng ^= rng << 13;
            rng ^= rng >> 7;
            rng ^= rng << 17;
            (rng >> 11) as f64 / (1u64 << 53) as f64
        };
        PositionSet::from_list((0..4_000_000).filter(|_| next() < probability).collect())
    }

    fn of(bytes: &[u8]) -> ByteSource {
        ByteSource::Memory(bytes.into())
    }

    #[test]
    fn search_files_are_small_and_read_without_loss() {
        for (probability, most) in [(0.0, 180), (1e-3, 10_000), (0.5, 503_000), (1.0, 503_000)] {
            let profile = Some(ScoreProfile { width: 64, spans: vec![ScoreSpan::of(7); 3] });
            let found = SearchResult { positions: random(probability), profile };
            let bytes = write(&found, &TextIndex::default()).unwrap();
            assert_eq!(read(of(&bytes)).unwrap(), found);
            assert!(bytes.len() < most, "{} bytes at {probability}", bytes.len());
            assert!(read(of(&bytes[..bytes.len() - 1])).is_err());
        }
        assert!(read(of(&[])).is_err() && read(of(&[OLD_FORMAT_BYTE + 1, 0, 0, 0])).is_err() && read(of(b"EHF1EHF1")).is_err());
    }

    #[test]
    fn files_of_the_old_format_are_read() {
        let found = SearchResult { positions: random(1e-3), profile: Some(ScoreProfile { width: 64, spans: vec![ScoreSpan::of(7); 3] }) };
        let before = postcard::to_extend(&found, vec![OLD_FORMAT_BYTE]).unwrap();
        assert_eq!(read(of(&before)).unwrap(), found);
        assert!(StoredHits::open(of(&before)).unwrap().is_none(), "the old format has no index");
        assert!(read(of(&before[..before.len() - 1])).is_err());
    }

    #[test]
    fn index_contains_records_and_lines_of_the_text() {
        let text = ">one\nACGT\nAC\n>two\nGG\n";
        let b = Pair::parse_records(
            &b"AC"[..],
            text.as_bytes(),
            &ReadingOptions::default(),
            &kernels::reading::PairRecordChoices { allows_many: true, ..Default::default() },
        );
        let index = TextIndex::from_text(&b.unwrap().b);
        let feeds: Vec<u64> = text.bytes().zip(0..).filter(|(byte, _)| *byte == b'\n').map(|(_, at)| at).collect();
        let stored = StoredHits::open(of(&write(&SearchResult::default(), &index).unwrap())).unwrap().unwrap();
        assert_eq!(stored.records.page(&stored.source, 0..9).unwrap(), [0, 7]);
        assert_eq!(stored.line_feeds.page(&stored.source, 0..9).unwrap(), feeds);
        assert_eq!(stored.total(), 0);
    }
}
