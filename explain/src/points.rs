//! Points of an alignment of `sequence-alignment`: those of single columns ([`PointsWindow`]), and their sums for kinds
//! of columns and for pairs of letters ([`PointsSummary`]).
//!
//! All points follow from the columns and the scoring of the job. Thus they check the score that an engine found.

use std::collections::BTreeMap;

use kernels::alignment::{Alignment, EditKind};
use kernels::cbor_struct;
use kernels::job::{GapPoints, Points, Scoring, ScoringMatrix, ScoringNumbers};
use kernels::text::{Pair, TextSymbols};
use serde::{Deserialize, Serialize};

/// Maximum number of columns that a summary lists for a pair of letters.
pub const MAX_PAIR_COLUMNS: usize = 100;

/// Points of the columns `from..from + points.len()` of an alignment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PointsWindow {
    /// First column of the window.
    pub from: u64,
    /// Sum of the points of all columns before the window.
    pub before: Points,
    /// Points of each column. The first column of a gap has the cost of opening the gap, too.
    pub points: Vec<Points>,
}

cbor_struct!(PointsWindow { from, before, points });

/// Sums of the points of an alignment. The first five add up to its score.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PointsSummary {
    /// Points of all columns of equal symbols.
    pub equal: Points,
    /// Points of all columns of similar symbols: different ones with points above 0. 0 without a matrix.
    pub similar: Points,
    /// Points of all other columns of different symbols.
    pub different: Points,
    /// Points of all columns with a symbol of `b` only.
    pub inserted: Points,
    /// Points of all columns with a symbol of `a` only.
    pub deleted: Points,
    /// Score of `a` with itself: the points of each of its symbols with itself.
    pub a_itself: Points,
    /// Score of `b` with itself.
    pub b_itself: Points,
    /// Pairs of letters that the alignment has, if a matrix has their points. Ordered by letters.
    pub pairs: Vec<LetterPair>,
}

cbor_struct!(PointsSummary { equal, similar, different, inserted, deleted, a_itself, b_itself, pairs });

impl PointsSummary {
    /// Returns the sums of equal, similar, different, inserted and deleted columns.
    pub fn by_kind(&self) -> [Points; 5] {
        [self.equal, self.similar, self.different, self.inserted, self.deleted]
    }
}

/// Two letters that an alignment places in one column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LetterPair {
    /// Letter of `a`, as the matrix names it. Letters without a row are X, and N in matrices of bases.
    pub a: String,
    /// Letter of `b`.
    pub b: String,
    /// Points of the pair.
    pub points: Points,
    /// Number of columns with this pair.
    pub count: u64,
    /// The first of these columns, at most 100.
    pub columns: Vec<u64>,
}

cbor_struct!(LetterPair { a, b, points, count, columns });

impl PointsWindow {
    /// Returns the points of the columns `from..from + len`, cut to the existing ones, of an alignment of `pair`. Takes
    /// O(columns before the end of the window) time, and with a matrix O(|a| + |b|) more.
    pub fn new(alignment: &Alignment, pair: &Pair, scoring: &Scoring, from: u64, len: u64) -> Self {
        let from = from.min(alignment.summary().columns);
        let end = from.saturating_add(len);
        let mut window = Self { from, ..Self::default() };
        for column in ColumnPoints::new(pair, scoring).columns(alignment) {
            match column.number {
                number if number < from => window.before += column.points,
                number if number < end => window.points.push(column.points),
                _ => break,
            }
        }
        window
    }
}

impl PointsSummary {
    /// Adds up the points of an alignment of `pair`. Takes O(columns + |a| + |b|) time.
    pub fn new(alignment: &Alignment, pair: &Pair, scoring: &Scoring) -> Self {
        let columns = ColumnPoints::new(pair, scoring);
        let mut summary =
            Self { a_itself: columns.itself(pair.a_symbols()), b_itself: columns.itself(pair.b_symbols()), ..Self::default() };
        let mut pairs: BTreeMap<[char; 2], LetterPair> = BTreeMap::new();
        for column in columns.columns(alignment) {
            let sum = match column.edit {
                EditKind::Equal => &mut summary.equal,
                EditKind::Substitute | EditKind::Transpose if scoring.matrix.is_some() && column.points > Points::ZERO => {
                    &mut summary.similar
                }
                EditKind::Substitute | EditKind::Transpose => &mut summary.different,
                EditKind::Insert => &mut summary.inserted,
                EditKind::Delete => &mut summary.deleted,
            };
            *sum += column.points;
            let Some([x, y]) = column.letters else { continue };
            let pair = pairs.entry([x, y]).or_insert_with(|| LetterPair {
                a: x.into(),
                b: y.into(),
                points: column.points,
                ..LetterPair::default()
            });
            pair.count += 1;
            if pair.columns.len() < MAX_PAIR_COLUMNS {
                pair.columns.push(column.number);
            }
        }
        summary.pairs = pairs.into_values().collect();
        summary
    }
}

/// One column of an alignment with its points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoredColumn {
    /// Number of the column, from 0.
    number: u64,
    pub(crate) edit: EditKind,
    pub(crate) points: Points,
    /// Letters of both symbols, if a matrix has their points.
    letters: Option<[char; 2]>,
}

/// The points of the columns of an alignment.
pub(crate) struct ColumnPoints<'p> {
    pair: &'p Pair,
    equal: Points,
    different: Points,
    gap: GapPoints,
    letters: Option<MatrixLetters>,
}

/// The letter of each symbol in a matrix, and the points of the letters.
struct MatrixLetters {
    matrix: ScoringMatrix,
    /// Letter of each symbol, by its number.
    of_symbols: Vec<char>,
}

impl MatrixLetters {
    /// Finds the letter of each symbol at its first place in `a` or, for other symbols, in `b`.
    fn new(matrix: ScoringMatrix, pair: &Pair) -> Self {
        let mut found = vec![None; pair.alphabet() as usize];
        let mut missing = found.len();
        for (text, symbols) in [(&pair.a, pair.a_symbols()), (&pair.b, pair.b_symbols())] {
            for at in 0..symbols.len() {
                let place = &mut found[symbols.symbol_at(at) as usize];
                if place.is_none() {
                    *place = Some(matrix.letter_of(&text.display_unit(at)));
                    missing -= 1;
                }
                if missing == 0 {
                    break;
                }
            }
        }
        Self { matrix, of_symbols: found.into_iter().map(Option::unwrap_or_default).collect() }
    }
}

impl<'p> ColumnPoints<'p> {
    /// Creates the points of alignments of `pair`. With a matrix, takes O(|a| + |b|) time.
    pub(crate) fn new(pair: &'p Pair, scoring: &Scoring) -> Self {
        let letters = scoring.matrix.clone().map(|matrix| MatrixLetters::new(matrix, pair));
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        Self { pair, equal, different, gap, letters }
    }

    /// Returns the points of a text with itself.
    fn itself(&self, symbols: &TextSymbols) -> Points {
        match &self.letters {
            None => self.equal.times(symbols.len() as u64),
            Some(MatrixLetters { matrix, of_symbols }) => {
                let own: Vec<Points> = of_symbols.iter().map(|letter| matrix.points(*letter, *letter)).collect();
                (0..symbols.len()).map(|at| own[symbols.symbol_at(at) as usize]).sum()
            }
        }
    }

    /// Returns all columns of `alignment`, in order.
    pub(crate) fn columns<'c>(&'c self, alignment: &'c Alignment) -> impl Iterator<Item = ScoredColumn> + 'c {
        let edits = alignment.cigar_ops().iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
        let mut at = (alignment.a_start() as usize, alignment.b_start() as usize);
        let mut before = None;
        edits.zip(0..).map(move |(edit, number)| {
            let begins_run = before != Some(edit);
            let (points, letters) = self.of_column(edit, at, begins_run);
            let (di, dj) = edit.consumed_symbols();
            at = (at.0 + di as usize, at.1 + dj as usize);
            before = Some(edit);
            ScoredColumn { number, edit, points, letters }
        })
    }

    fn of_column(&self, edit: EditKind, (i, j): (usize, usize), begins_run: bool) -> (Points, Option<[char; 2]>) {
        match (edit, &self.letters) {
            (EditKind::Insert | EditKind::Delete, _) => {
                let opening = if begins_run { self.gap.open } else { Points::ZERO };
                (-(opening + self.gap.extend), None)
            }
            (EditKind::Equal, None) => (self.equal, None),
            (EditKind::Substitute | EditKind::Transpose, None) => (self.different, None),
            (EditKind::Equal | EditKind::Substitute | EditKind::Transpose, Some(MatrixLetters { matrix, of_symbols })) => {
                let (x, y) = (self.pair.a_symbols().symbol_at(i), self.pair.b_symbols().symbol_at(j));
                let letters = [of_symbols[x as usize], of_symbols[y as usize]];
                (matrix.points(letters[0], letters[1]), Some(letters))
            }
        }
    }
}

#[cfg(test)]
mod tests;
