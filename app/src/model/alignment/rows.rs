//! A window of an alignment as rows of the page, ready to draw. [`rows`] makes each [`AlignmentRow`], which consists of
//! pieces with one edit each ([`RowPiece`]).

pub use explain::invisible::visible_text;

use explain::invisible::visible_unit;
use explain::window::AlignmentWindow;
use kernels::alignment::EditKind;
use kernels::job::{Points, ScoringMatrix};

use crate::model::text::invisible;

/// A row of an alignment: the columns `column..column + len`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignmentRow {
    /// Number of the first column in the alignment.
    pub column: u64,
    /// Number of columns.
    pub len: u64,
    /// Range of positions in the text `a`, half-open.
    pub a: (u64, u64),
    /// Range of positions in the text `b`, half-open.
    pub b: (u64, u64),
    /// Pieces of the row: runs of columns with the same edit.
    pub pieces: Vec<RowPiece>,
    /// Number of differences (runs of edited columns) in the row.
    pub differences: u64,
    /// Width of a symbol's box in this row, in letters of a monospaced font: 1 if all symbols are plain, else more.
    pub cell: u8,
}

/// Consecutive columns of a row with the same edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPiece {
    pub edit: EditKind,
    /// Whether the piece has pairs of different symbols whose points are above 0.
    pub is_similar: bool,
    /// Number of the first column in the alignment.
    pub column: u64,
    /// Number of columns.
    pub len: u64,
    /// Position in the text `a` of the first symbol at or after the first column.
    pub a_at: u64,
    /// Position in the text `b` of the first symbol at or after the first column.
    pub b_at: u64,
    /// Symbols of the text `a` in these columns, with invisible characters replaced by glyphs.
    pub a: Vec<String>,
    /// Symbols of the text `b` in these columns, with invisible characters replaced by glyphs.
    pub b: Vec<String>,
    /// Original forms of the invisible symbols of `a` and of `b`, each with its index in the field `a` or `b`.
    pub invisible: [Vec<(usize, String)>; 2],
}

/// One of the two texts in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RowLine {
    A,
    B,
}

/// Columns of a row that are marked.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkedColumns {
    /// First column of the current edit, if it is in the row.
    pub here: Option<u64>,
    /// Column that the visitor went to, if it is in the row.
    pub spot: Option<u64>,
}

impl RowPiece {
    /// Returns the names of the piece's symbols of `a` and of `b`, such as "tab". The name is `None` if the symbol is
    /// visible, or if the piece does not have exactly one symbol of the text.
    pub fn names(&self) -> [Option<String>; 2] {
        [0, 1].map(|side| {
            let units = if side == 0 { &self.a } else { &self.b };
            self.invisible[side].first().filter(|_| units.len() == 1).and_then(|(_, unit)| invisible::name(unit))
        })
    }
}

impl AlignmentRow {
    /// Splits pieces of different symbols into pieces of similar and of other pairs, by the points of `matrix`.
    pub fn with_matrix(mut self, matrix: &ScoringMatrix) -> Self {
        self.pieces = self.pieces.into_iter().flat_map(|piece| piece.split_by(matrix)).collect();
        self
    }
}

impl RowPiece {
    /// Splits a piece of different symbols into pieces of similar and of other pairs. Returns other pieces as they are.
    fn split_by(self, matrix: &ScoringMatrix) -> Vec<Self> {
        if self.edit != EditKind::Substitute {
            return vec![self];
        }
        let mut pieces: Vec<Self> = Vec::new();
        for (at, (x, y)) in self.a.iter().zip(&self.b).enumerate() {
            let is_similar = matrix.points(matrix.letter_of(x), matrix.letter_of(y)) > Points::ZERO;
            if pieces.last().is_none_or(|last| last.is_similar != is_similar) {
                let (column, a_at, b_at) = (self.column + at as u64, self.a_at + at as u64, self.b_at + at as u64);
                let empty =
                    Self { edit: self.edit, is_similar, column, len: 0, a_at, b_at, a: vec![], b: vec![], invisible: Default::default() };
                pieces.push(empty);
            }
            let Some(piece) = pieces.last_mut() else { break };
            for (side, unseen) in self.invisible.iter().enumerate() {
                piece.invisible[side].extend(unseen.iter().filter(|(nth, _)| *nth == at).map(|(_, unit)| (piece.a.len(), unit.clone())));
            }
            piece.a.push(x.clone());
            piece.b.push(y.clone());
            piece.len += 1;
        }
        pieces
    }
}

/// Splits a window of the alignment into rows of `width` columns. The window must start where a row starts.
pub fn rows(window: &AlignmentWindow, width: u64) -> Vec<AlignmentRow> {
    let mut rows: Vec<AlignmentRow> = Vec::new();
    let (mut column, mut a_at, mut b_at) = (window.from, window.a_start, window.b_start);
    let (mut a, mut b) = (window.a.iter(), window.b.iter());
    for stretch in &window.stretches {
        let (di, dj) = stretch.edit.consumed_symbols();
        let mut left = u64::from(stretch.len);
        while left > 0 {
            if (column - window.from).is_multiple_of(width) {
                rows.push(AlignmentRow { column, a: (a_at, a_at), b: (b_at, b_at), cell: 1, ..AlignmentRow::default() });
            }
            let Some(row) = rows.last_mut() else { break };
            let len = left.min(width - (column - window.from) % width);
            let (of_a, unseen_a) = drawn(a.by_ref().take((di * len) as usize));
            let (of_b, unseen_b) = drawn(b.by_ref().take((dj * len) as usize));
            let piece = RowPiece {
                edit: stretch.edit,
                is_similar: false,
                column,
                len,
                a_at,
                b_at,
                a: of_a,
                b: of_b,
                invisible: [unseen_a, unseen_b],
            };
            row.cell = piece.a.iter().chain(&piece.b).map(|unit| cell(unit)).max().unwrap_or(1).max(row.cell);
            let goes_on = row.pieces.last().is_some_and(|last| last.edit != EditKind::Equal);
            row.differences += u64::from(piece.edit != EditKind::Equal && !goes_on);
            (column, a_at, b_at) = (column + len, a_at + di * len, b_at + dj * len);
            (row.len, row.a.1, row.b.1) = (row.len + len, a_at, b_at);
            row.pieces.push(piece);
            left -= len;
        }
    }
    rows
}

/// Replaces invisible characters in the symbol `unit` by glyphs. Line ends after other characters are left out.
pub fn visible(unit: &str) -> String {
    if let Some(picture) = visible_unit(unit) {
        return picture.into_owned();
    }
    let trimmed = unit.trim_end_matches(['\n', '\r']);
    if trimmed.is_empty() && !unit.is_empty() { "↵".into() } else { visible_text(trimmed) }
}

/// Replaces invisible characters in the symbols `units` by glyphs. Returns the symbols with glyphs, and the original
/// form of each invisible symbol with its index.
fn drawn<'u>(units: impl Iterator<Item = &'u String>) -> (Vec<String>, Vec<(usize, String)>) {
    let mut unseen = Vec::new();
    let shown = units.enumerate().map(|(at, unit)| {
        if visible_unit(unit).is_some() {
            unseen.push((at, unit.clone()));
        }
        visible(unit)
    });
    let shown = shown.collect();
    (shown, unseen)
}

fn cell(unit: &str) -> u8 {
    let mut chars = unit.chars();
    match (chars.next(), chars.next()) {
        (Some(' '..='~' | '↵' | '→'), None) => 1,
        (Some('\\'), Some('x')) => 4,
        // The glyph is a short name in letters.
        _ if unit.len() > 2 && unit.is_ascii() => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, ReadingOptions, Unit};

    use super::*;

    fn window(a: &str, b: &str, cigar: &str, unit: Unit) -> AlignmentWindow {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        AlignmentWindow::new(&cigar.parse().unwrap(), &pair, 0, 1_000)
    }

    #[test]
    fn window_is_split_into_rows() {
        let rows = rows(&window("kitten", "sitting", "1X3=1X1=1I", Unit::Bytes), 3);
        let shape: Vec<_> = rows.iter().map(|row| (row.column, row.len, row.a, row.b, row.differences)).collect();
        assert_eq!(shape, [(0, 3, (0, 3), (0, 3), 1), (3, 3, (3, 6), (3, 6), 1), (6, 1, (6, 6), (6, 7), 1)]);
        let pieces: Vec<_> =
            rows.iter().flat_map(|row| &row.pieces).map(|piece| (piece.edit, piece.a.concat(), piece.b.concat())).collect();
        use EditKind::{Equal, Insert, Substitute};
        let expected =
            [(Substitute, "k", "s"), (Equal, "it", "it"), (Equal, "t", "t"), (Substitute, "e", "i"), (Equal, "n", "n"), (Insert, "", "g")];
        assert_eq!(pieces, expected.map(|(edit, a, b)| (edit, a.to_owned(), b.to_owned())));
        assert!(rows.iter().all(|row| row.cell == 1));
    }

    #[test]
    fn similar_pairs_are_pieces_of_their_own() {
        // By BLOSUM62, L and I have 2 points, K and R have 2, W and A have -3.
        let row = rows(&window("LKWA", "IRAW", "4X", Unit::Bytes), 80).remove(0).with_matrix(&ScoringMatrix::BLOSUM62);
        let pieces: Vec<_> =
            row.pieces.iter().map(|piece| (piece.is_similar, piece.column, piece.a_at, piece.a.concat(), piece.b.concat())).collect();
        assert_eq!(pieces, [(true, 0, 0, "LK".into(), "IR".into()), (false, 2, 2, "WA".into(), "AW".into())]);
        assert_eq!((row.len, row.differences), (4, 1));
        let gaps = rows(&window("LK", "LI", "1=1D1I", Unit::Bytes), 80).remove(0);
        assert_eq!(gaps.clone().with_matrix(&ScoringMatrix::BLOSUM62), gaps);
    }

    #[test]
    fn adjacent_edits_are_one_difference() {
        let rows = rows(&window("ab", "cde", "2X1I", Unit::Bytes), 10);
        assert_eq!((rows.len(), rows[0].differences, rows[0].pieces.len()), (1, 1, 2));
    }

    #[test]
    fn invisible_characters_are_drawn_and_wide_symbols_are_detected() {
        let shown = |text: &str, unit| {
            rows(
                &window(
                    text,
                    text,
                    &format!(
                        "{}=",
                        Pair::parse(text.as_bytes(), &b""[..], &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap().a.len()
                    ),
                    unit,
                ),
                80,
            )
        };
        let ends = shown("a\r\n\tb\u{7}", Unit::Graphemes);
        assert_eq!(ends[0].pieces[0].a, ["a", "↵", "→", "b", "␇"]);
        assert_eq!((shown("né", Unit::Chars)[0].cell, shown("ne\n", Unit::Chars)[0].cell, shown("é", Unit::Bytes)[0].cell), (2, 1, 4));
        assert_eq!(shown("one\r\n\ntwo", Unit::Lines)[0].pieces[0].a, ["one", "↵", "two"]);
        let hidden = &shown("a\u{200b}\u{202e}\r", Unit::Chars)[0];
        assert_eq!((hidden.cell, &hidden.pieces[0].a[..]), (4, &["a", "ZWSP", "RLO", "␍"].map(String::from)[..]));
        assert_eq!(hidden.pieces[0].invisible[0].iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn empty_window_has_no_rows() {
        assert!(rows(&window("", "", "", Unit::Bytes), 80).is_empty());
    }
}
