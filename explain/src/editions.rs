//! Two editions side by side: the lines of both texts in pairs, with what differs inside them marked. For symbols that are words or
//! lines.
//!
//! Where lines are the symbols, a run of changed lines may be paired in many ways that cost the same; that in which the paired lines
//! have most words in common is shown, and inside a pair words are aligned in their turn. Where words are the symbols, lines that
//! share columns of the alignment are paired, and the alignment itself says what differs.
//!
//! - `pairing`: which line stands beside which
//! - `pieces`: a line as marked pieces
//! - `shortening`: what is left out of long lines

use kernels::alignment::{Alignment, Edit};
use kernels::cbor_struct;
use kernels::failure::{Failure, large};
use kernels::text::{Pair, Unit};
use serde::{Deserialize, Serialize};

mod pairing;
mod pieces;
mod shortening;
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

/// All rows of both editions: which lines stand side by side, and which rows differ. 12 bytes a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    rows: Vec<Row>,
    changes: Vec<(u64, u64)>,
    /// Where the lines of both texts lie; empty where a line is a symbol.
    lines: [Vec<Line>; 2],
}

/// Which line of each text stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    a: Option<u32>,
    b: Option<u32>,
}

/// A line of a text whose symbols are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// First byte.
    byte: u32,
    /// First word at or after it.
    word: u32,
}

/// What the editions consist of, for folding and stepping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Number of rows.
    pub rows: u64,
    /// Runs of rows that differ: the first, and the one after the last.
    pub changes: Vec<(u64, u64)>,
}

cbor_struct!(Outline { rows, changes });

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
    /// Its pieces: what is done with each, and its text.
    pub pieces: Vec<(Edit, String)>,
}

cbor_struct!(Marked { line, pieces });

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
                let rows = pairing::of_words(alignment, &lines);
                Self { rows, lines, ..Self::default() }
            }
            Unit::Bytes | Unit::Chars | Unit::Graphemes => {
                return Err(Failure::bad_input("Editions stand side by side where words or lines are counted."));
            }
        };
        if editions.rows.len() > MOST_ROWS {
            let what = large::ROWS.into();
            return Err(Failure::TooLarge { what, got: editions.rows.len() as u64, limit: MOST_ROWS as u64 });
        }
        Ok(editions.with_changes(pair, alignment))
    }

    /// What they consist of.
    pub fn outline(&self) -> Outline {
        Outline { rows: self.rows.len() as u64, changes: self.changes.clone() }
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
            Unit::Words => pieces::of_words(pair, alignment, &self.lines, row, budget),
            _ => pieces::of_lines(pair, row, budget),
        };
        let marked = |line: Option<u32>, pieces: Vec<(Edit, String)>| line.map(|line| Marked { line: line.into(), pieces });
        let inside = self.changes.partition_point(|change| change.1 <= at as u64);
        let changed = self.changes.get(inside).is_some_and(|change| change.0 <= at as u64);
        Twin { a: marked(row.a, a), b: marked(row.b, b), changed, coarse: is_coarse }
    }

    /// Finds the runs of rows that differ.
    fn with_changes(mut self, pair: &Pair, alignment: &Alignment) -> Self {
        let edited = match pair.a.unit() {
            Unit::Words => [pieces::edited(alignment, &self.lines[0], true), pieces::edited(alignment, &self.lines[1], false)],
            _ => [Vec::new(), Vec::new()],
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
