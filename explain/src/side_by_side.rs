//! Two texts side by side, laid out by [`SideBySideLayout`]. A row ([`RowPair`]) has a line of each text, in which the
//! differences are marked. The symbols of the texts must be words or lines. If they are words, each sentence of a line
//! has a row of its own.
//!
//! If symbols are lines, a run of changed lines may be paired in many ways of equal cost. The way with the most common
//! words in paired lines is chosen, and the words of each pair are aligned. If symbols are words, lines that share
//! columns of the alignment are paired, and the alignment itself gives the differences.
//!
//! - `moves`: blocks of symbols that are at different positions in the two texts
//! - `pairing`: the pairs of lines
//! - `pieces`: a line as marked pieces
//! - `sentences`: the beginnings of sentences in a line
//! - `shortening`: the omission of parts of long lines
//! - `sliding`: gaps of the alignment moved to borders of sentences

use kernels::alignment::{Alignment, AlignmentSummary, EditKind};
use kernels::cbor_struct;
use kernels::failure::{JobFailure, large};
use kernels::text::{Pair, Unit};
use serde::{Deserialize, Serialize};

mod moves;
mod pairing;
mod pieces;
mod sentences;
mod shortening;
mod sliding;
#[cfg(test)]
mod tests;

/// Maximum number of rows of a layout. More rows would take much memory, and no reader scrolls farther.
const MAX_LAYOUT_ROWS: usize = 2_000_000;

/// Maximum number of rows in one reply to the page.
pub const MAX_REPLY_ROWS: u64 = 500;

/// Maximum number of bytes of text in one reply to the page.
const MAX_BYTES: usize = 4_000_000;

/// Maximum number of bytes of one line in a reply to the page, even if the reply has few rows.
const MAX_LINE_BYTES: usize = 64_000;

/// The layout of two texts side by side: the lines in each row, the rows that differ, and the moved blocks. Takes 16
/// bytes per row. If symbols are words, also takes 12 bytes per sentence and 8 bytes per run of equal edits in the
/// alignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideBySideLayout {
    rows: Vec<RowLines>,
    changes: Vec<(u64, u64)>,
    /// The sentences of both texts if symbols are words; empty if symbols are lines.
    lines: [Vec<SentenceSpan>; 2],
    /// The alignment of words with its gaps moved to borders of sentences; `None` if symbols are lines.
    shifted_alignment: Option<Alignment>,
    moves: Vec<RowMove>,
}

/// The numbers of the lines (or sentences) of `a` and `b` in one row; `None` for an empty side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowLines {
    a: Option<u32>,
    b: Option<u32>,
}

/// The beginning of a sentence in a text whose symbols are words. A line without sentence borders is one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SentenceSpan {
    /// Position of the sentence's first byte in the text.
    byte: u32,
    /// Number of the first word at or after `byte`.
    word: u32,
    /// Number of the text line that contains the sentence, from 0.
    number: u32,
}

/// A summary of a layout for folding and navigation: the number of rows, the rows that differ, and the moved blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideBySideOutline {
    /// Number of rows of the layout.
    pub rows: u64,
    /// Runs of rows that differ, each as its first row and the row after its last one.
    pub changes: Vec<(u64, u64)>,
    /// Whether some line is split into several rows, one for each of its sentences.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sentences: bool,
    /// Moved blocks: blocks of symbols that the second text has at another position than the first text.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub moves: Vec<RowMove>,
}

cbor_struct!(SideBySideOutline { rows, changes, sentences, moves });

/// A moved block: a run of words or lines that the second text has at another position than the first text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Move))]
pub struct RowMove {
    /// Number of words or lines of the block in the first text.
    pub symbols: u64,
    /// Number of the row that contains the beginning of the block in the first text, from 0.
    pub from_row: u64,
    /// Number of the line of the first text that contains the beginning of the block, from 0.
    pub from_line: u64,
    /// Number of the row that contains the beginning of the block in the second text, from 0.
    pub to_row: u64,
    /// Number of the line of the second text that contains the beginning of the block, from 0.
    pub to_line: u64,
}

cbor_struct!(RowMove { symbols, from_row, from_line, to_row, to_line });

/// One row of two texts side by side: a line (or sentence) of each text, in which the edits are marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Twin))]
pub struct RowPair {
    /// The line (or sentence) of the first text; absent if the row has only one of the second text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub a: Option<MarkedLine>,
    /// The line (or sentence) of the second text; absent if the row has only one of the first text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub b: Option<MarkedLine>,
    /// Whether the two sides of the row differ.
    pub changed: bool,
    /// Whether some edits in the row are not marked, because the lines are too long or have too many edits.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub coarse: bool,
}

cbor_struct!(RowPair { a, b, changed, coarse });

/// A line of a text, or one sentence of a line, divided into pieces. Each piece has the kind of edit that applies to
/// the piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Marked))]
pub struct MarkedLine {
    /// Number of the line in its text, from 0.
    pub line: u64,
    /// Whether the row has a later sentence of the line, so that the line began in an earlier row.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub continues: bool,
    /// The pieces from left to right: the edit and the text of each.
    pub pieces: Vec<(EditKind, String)>,
}

cbor_struct!(MarkedLine { line, continues, pieces });

impl SideBySideLayout {
    /// Lays out the rows of `alignment`, which must align the two whole texts of `pair`. For s runs of equal edits,
    /// takes O(bytes + s) time, plus a bounded amount for each run of changed lines.
    ///
    /// # Errors
    /// Returns `BadInput` unless the unit is words or lines and both whole texts are aligned. Returns `TooLarge` for more
    /// than 2 million rows.
    pub fn new(pair: &Pair, alignment: &Alignment) -> Result<Self, JobFailure> {
        let AlignmentSummary { columns, insertions, deletions, .. } = alignment.summary();
        if (columns - insertions, columns - deletions) != (pair.a.len() as u64, pair.b.len() as u64) {
            return Err(JobFailure::bad_input("Editions stand side by side where both texts are aligned from start to end."));
        }
        let editions = match pair.a.unit() {
            Unit::Lines => Self { rows: pairing::rows_of_lines(pair, alignment), ..Self::default() },
            Unit::Words => {
                let lines = [pieces::lines(&pair.a), pieces::lines(&pair.b)];
                let slid = sliding::gaps_at_sentences(pair, alignment, &lines);
                let rows = pairing::rows_of_words(&slid, &lines);
                Self { rows, lines, shifted_alignment: Some(slid), ..Self::default() }
            }
            Unit::Bytes | Unit::Chars | Unit::Graphemes => {
                return Err(JobFailure::bad_input("Editions stand side by side where words or lines are counted."));
            }
        };
        if editions.rows.len() > MAX_LAYOUT_ROWS {
            let what = large::ROWS.into();
            return Err(JobFailure::TooLarge { what, got: editions.rows.len() as u64, limit: MAX_LAYOUT_ROWS as u64 });
        }
        Ok(editions.with_changes(pair).with_moves(pair, alignment))
    }

    /// Returns the heap size of the layout, in bytes.
    pub fn bytes(&self) -> u64 {
        let lines = self.lines.iter().map(|lines| size_of_val(&lines[..])).sum::<usize>();
        let slid = self.shifted_alignment.as_ref().map_or(0, |slid| size_of_val(slid.cigar_ops()));
        (size_of_val(&self.rows[..]) + size_of_val(&self.changes[..]) + size_of_val(&self.moves[..]) + lines + slid) as u64
    }

    /// Returns the number of rows, the runs of rows that differ, and the moved blocks.
    pub fn outline(&self) -> SideBySideOutline {
        let sentences = (0..2).any(|side| (0..self.lines[side].len()).any(|at| self.continues(side, at)));
        SideBySideOutline { rows: self.rows.len() as u64, changes: self.changes.clone(), sentences, moves: self.moves.clone() }
    }

    /// Returns whether sentence `at` of text `side` (0 is `a`, 1 is `b`) is not the first one of its line.
    fn continues(&self, side: usize, at: usize) -> bool {
        let lines = &self.lines[side];
        at > 0 && lines.get(at).is_some_and(|line| line.number == lines[at - 1].number)
    }

    /// Returns the rows `from..from + len`, at most [`MAX_REPLY_ROWS`] of them, cut to the existing rows. Long lines
    /// are shortened less if fewer rows are requested. `pair` and `alignment` must be the ones for which the layout was
    /// created.
    pub fn row_pairs(&self, pair: &Pair, alignment: &Alignment, (from, len): (u64, u64)) -> Vec<RowPair> {
        let end = from.saturating_add(len.min(MAX_REPLY_ROWS)).min(self.rows.len() as u64);
        let rows = from.min(end)..end;
        let budget = (MAX_BYTES / 2 / (rows.end - rows.start).max(1) as usize).min(MAX_LINE_BYTES);
        rows.map(|at| self.row_pair(pair, alignment, at as usize, budget)).collect()
    }

    /// Returns row number `at`, with at most about `budget` bytes of each of its two lines.
    fn row_pair(&self, pair: &Pair, alignment: &Alignment, at: usize, budget: usize) -> RowPair {
        let row = self.rows[at];
        let pieces::PairedPieces { a, b, is_coarse } = match pair.a.unit() {
            Unit::Words => pieces::pieces_of_words(pair, self.shifted_alignment.as_ref().unwrap_or(alignment), &self.lines, row, budget),
            _ => pieces::pieces_of_lines(pair, row, budget),
        };
        let marked = |side: usize, at: Option<u32>, pieces: Vec<(EditKind, String)>| {
            let at = at?;
            let line = self.lines[side].get(at as usize).map_or(at, |line| line.number);
            Some(MarkedLine { line: line.into(), continues: self.continues(side, at as usize), pieces })
        };
        let inside = self.changes.partition_point(|change| change.1 <= at as u64);
        let changed = self.changes.get(inside).is_some_and(|change| change.0 <= at as u64);
        RowPair { a: marked(0, row.a, a), b: marked(1, row.b, b), changed, coarse: is_coarse }
    }

    /// Adds the moved blocks (runs of symbols at different positions in the two texts) to the layout, and returns it.
    fn with_moves(mut self, pair: &Pair, alignment: &Alignment) -> Self {
        let blocks = moves::moved_blocks(pair, self.shifted_alignment.as_ref().unwrap_or(alignment));
        let line = |side: usize, symbol: u64| match self.lines[side].is_empty() {
            true => symbol as u32,
            false => self.lines[side].partition_point(|line| u64::from(line.word) <= symbol).saturating_sub(1) as u32,
        };
        let number = |side: usize, line: u32| u64::from(self.lines[side].get(line as usize).map_or(line, |line| line.number));
        let row = |line: u32, of: fn(&RowLines) -> Option<u32>| self.rows.iter().position(|row| of(row) == Some(line)).unwrap_or(0) as u64;
        let moved = |block: moves::MovedBlock| {
            let (a, b) = (line(0, block.a.start), line(1, block.b.start));
            let (from_row, to_row) = (row(a, |row| row.a), row(b, |row| row.b));
            RowMove { symbols: block.a.end - block.a.start, from_row, from_line: number(0, a), to_row, to_line: number(1, b) }
        };
        self.moves = blocks.into_iter().map(moved).collect();
        self
    }

    /// Adds the runs of rows that differ to the layout, and returns it.
    fn with_changes(mut self, pair: &Pair) -> Self {
        let edited = match &self.shifted_alignment {
            Some(slid) => [pieces::has_edits(slid, &self.lines[0], true), pieces::has_edits(slid, &self.lines[1], false)],
            None => [Vec::new(), Vec::new()],
        };
        let differs = |row: RowLines| match (row.a, row.b) {
            (Some(a), Some(b)) if edited[0].is_empty() => !pieces::lines_match(pair, a, b),
            (Some(a), Some(b)) => edited[0][a as usize] || edited[1][b as usize],
            _ => true,
        };
        for (at, row) in (0u64..).zip(&self.rows) {
            if differs(*row) {
                match self.changes.last_mut().filter(|last| last.1 == at) {
                    Some(last) => last.1 = at + 1,
                    None => self.changes.push((at, at + 1)),
                }
            }
        }
        self
    }
}
