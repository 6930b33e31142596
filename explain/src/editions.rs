//! Two editions side by side: the lines of both texts in pairs, with what differs inside them marked. For symbols that are words or
//! lines. Where words are the symbols, each sentence of a line has a row.
//!
//! Where lines are the symbols, a run of changed lines may be paired in many ways that cost the same; that in which the paired lines
//! have most words in common is shown, and inside a pair words are aligned in their turn. Where words are the symbols, lines that
//! share columns of the alignment are paired, and the alignment itself says what differs.
//!
//! - `moves`: blocks that stand elsewhere in the other text
//! - `pairing`: which line stands beside which
//! - `pieces`: a line as marked pieces
//! - `sentences`: where the sentences of a line begin
//! - `shortening`: what is left out of long lines
//! - `sliding`: where gaps lie between sentences

use kernels::alignment::{Alignment, Edit};
use kernels::cbor_struct;
use kernels::failure::{Failure, large};
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

/// Most rows of an edition that is laid out: beyond them nobody scrolls, and the table would cost memory.
const MOST_ROWS: usize = 2_000_000;

/// Most rows that are drawn at once.
pub const MOST_LINES: u64 = 500;

/// Bytes of text that are handed out at once, at most.
const MAX_BYTES: usize = 4_000_000;

/// Bytes of a line that are handed out, however few rows are asked for.
const MAX_LINE_BYTES: usize = 64_000;

/// All rows of both editions: which lines stand side by side, and which rows differ. 12 bytes a row, and where words are the symbols 8 bytes a
/// stretch of the alignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    rows: Vec<Row>,
    changes: Vec<(u64, u64)>,
    /// Where the lines of both texts lie; empty where a line is a symbol.
    lines: [Vec<Line>; 2],
    /// The alignment of words with its gaps at sentences; nothing where a line is a symbol.
    slid: Option<Alignment>,
    moves: Vec<Move>,
}

/// Which line of each text stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    a: Option<u32>,
    b: Option<u32>,
}

/// A sentence of a text whose symbols are words, or a line with one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// First byte.
    byte: u32,
    /// First word at or after it.
    word: u32,
    /// Number of the text's line that it is in, from 0.
    number: u32,
}

/// What the editions consist of, for folding and stepping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Number of rows.
    pub rows: u64,
    /// Runs of rows that differ: the first, and the one after the last.
    pub changes: Vec<(u64, u64)>,
    /// Whether some lines have a row for each of their sentences.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sentences: bool,
    /// Blocks that stand elsewhere in the second text.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub moves: Vec<Move>,
}

cbor_struct!(Outline { rows, changes, sentences, moves });

/// A block that the first text has in one place and the second in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Move {
    /// Words or lines of the block in the first text.
    pub symbols: u64,
    /// Row in which the first text has its begin.
    pub from_row: u64,
    /// Number of the first text's line, from 0.
    pub from_line: u64,
    /// Row in which the second text has its begin.
    pub to_row: u64,
    /// Number of the second text's line, from 0.
    pub to_line: u64,
}

cbor_struct!(Move { symbols, from_row, from_line, to_row, to_line });

/// One row, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Twin {
    /// The line of the first text, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub a: Option<Marked>,
    /// The line of the second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub b: Option<Marked>,
    /// Whether they differ.
    pub changed: bool,
    /// Whether the lines are too long or have too many edits to mark each of them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub coarse: bool,
}

cbor_struct!(Twin { a, b, changed, coarse });

/// A line in pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Marked {
    /// Its number, from 0.
    pub line: u64,
    /// Whether the row has a later sentence of the line, not its beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub continues: bool,
    /// Its pieces: what is done with each, and its text.
    pub pieces: Vec<(Edit, String)>,
}

cbor_struct!(Marked { line, continues, pieces });

impl Editions {
    /// Lays out an alignment of whole texts. Time O(bytes + stretches), and a bounded amount for each run of changed lines.
    ///
    /// # Errors
    /// `BadInput` where neither words nor lines are counted, `TooLarge` beyond 2 million rows.
    pub fn new(pair: &Pair, alignment: &Alignment) -> Result<Self, Failure> {
        let editions = match pair.a.unit() {
            Unit::Lines => Self { rows: pairing::of_lines(pair, alignment), ..Self::default() },
            Unit::Words => {
                let lines = [pieces::lines(&pair.a), pieces::lines(&pair.b)];
                let slid = sliding::gaps_at_sentences(pair, alignment, &lines);
                let rows = pairing::of_words(&slid, &lines);
                Self { rows, lines, slid: Some(slid), ..Self::default() }
            }
            Unit::Bytes | Unit::Chars | Unit::Graphemes => {
                return Err(Failure::bad_input("Editions stand side by side where words or lines are counted."));
            }
        };
        if editions.rows.len() > MOST_ROWS {
            let what = large::ROWS.into();
            return Err(Failure::TooLarge { what, got: editions.rows.len() as u64, limit: MOST_ROWS as u64 });
        }
        Ok(editions.with_changes(pair).with_moves(pair, alignment))
    }

    /// Returns the bytes that they take.
    pub fn bytes(&self) -> u64 {
        let lines = self.lines.iter().map(|lines| size_of_val(&lines[..])).sum::<usize>();
        let slid = self.slid.as_ref().map_or(0, |slid| size_of_val(slid.stretches()));
        (size_of_val(&self.rows[..]) + size_of_val(&self.changes[..]) + lines + slid) as u64
    }

    /// What they consist of.
    pub fn outline(&self) -> Outline {
        let sentences = (0..2).any(|side| (0..self.lines[side].len()).any(|at| self.continues(side, at)));
        Outline { rows: self.rows.len() as u64, changes: self.changes.clone(), sentences, moves: self.moves.clone() }
    }

    /// Returns whether a sentence is not the first one of its line.
    fn continues(&self, side: usize, at: usize) -> bool {
        let lines = &self.lines[side];
        at > 0 && lines.get(at).is_some_and(|line| line.number == lines[at - 1].number)
    }

    /// The rows `from..from + len`, cut to what there is and to [`MOST_LINES`]. Fewer rows have more of each long line.
    pub fn twins(&self, pair: &Pair, alignment: &Alignment, (from, len): (u64, u64)) -> Vec<Twin> {
        let end = from.saturating_add(len.min(MOST_LINES)).min(self.rows.len() as u64);
        let rows = from.min(end)..end;
        let budget = (MAX_BYTES / 2 / (rows.end - rows.start).max(1) as usize).min(MAX_LINE_BYTES);
        rows.map(|at| self.twin(pair, alignment, at as usize, budget)).collect()
    }

    /// Draws a row, with at most `budget` bytes of each line.
    fn twin(&self, pair: &Pair, alignment: &Alignment, at: usize, budget: usize) -> Twin {
        let row = self.rows[at];
        let pieces::PairedPieces { a, b, is_coarse } = match pair.a.unit() {
            Unit::Words => pieces::of_words(pair, self.slid.as_ref().unwrap_or(alignment), &self.lines, row, budget),
            _ => pieces::of_lines(pair, row, budget),
        };
        let marked = |side: usize, at: Option<u32>, pieces: Vec<(Edit, String)>| {
            let at = at?;
            let line = self.lines[side].get(at as usize).map_or(at, |line| line.number);
            Some(Marked { line: line.into(), continues: self.continues(side, at as usize), pieces })
        };
        let inside = self.changes.partition_point(|change| change.1 <= at as u64);
        let changed = self.changes.get(inside).is_some_and(|change| change.0 <= at as u64);
        Twin { a: marked(0, row.a, a), b: marked(1, row.b, b), changed, coarse: is_coarse }
    }

    /// Finds the blocks that have moved.
    fn with_moves(mut self, pair: &Pair, alignment: &Alignment) -> Self {
        let blocks = moves::moved_blocks(pair, self.slid.as_ref().unwrap_or(alignment));
        let line = |side: usize, symbol: u64| match self.lines[side].is_empty() {
            true => symbol as u32,
            false => self.lines[side].partition_point(|line| u64::from(line.word) <= symbol).saturating_sub(1) as u32,
        };
        let number = |side: usize, line: u32| u64::from(self.lines[side].get(line as usize).map_or(line, |line| line.number));
        let row = |line: u32, of: fn(&Row) -> Option<u32>| self.rows.iter().position(|row| of(row) == Some(line)).unwrap_or(0) as u64;
        let moved = |block: moves::MovedBlock| {
            let (a, b) = (line(0, block.a.start), line(1, block.b.start));
            let (from_row, to_row) = (row(a, |row| row.a), row(b, |row| row.b));
            Move { symbols: block.a.end - block.a.start, from_row, from_line: number(0, a), to_row, to_line: number(1, b) }
        };
        self.moves = blocks.into_iter().map(moved).collect();
        self
    }

    /// Finds the runs of rows that differ.
    fn with_changes(mut self, pair: &Pair) -> Self {
        let edited = match &self.slid {
            Some(slid) => [pieces::edited(slid, &self.lines[0], true), pieces::edited(slid, &self.lines[1], false)],
            None => [Vec::new(), Vec::new()],
        };
        let differs = |row: Row| match (row.a, row.b) {
            (Some(a), Some(b)) if edited[0].is_empty() => pair.a_symbols.at(a as usize) != pair.b_symbols.at(b as usize),
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
