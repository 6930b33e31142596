//! Points of the columns in a row of an alignment ([`RowPoints`]), as bars, and the chosen column ([`ChosenColumn`]).

use std::fmt::Write as _;

use explain::points::PointsWindow;
use kernels::alignment::EditKind;
use kernels::job::Points;

use super::rows::AlignmentRow;

/// Largest number of points that a bar shows. Larger ones are cut.
pub const MAX_BAR_POINTS: Points = Points::whole(12);

/// Minimum number of columns between two labels of cut bars.
const LABEL_COLUMNS: u64 = 4;

/// Points of the columns of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowPoints {
    /// Sum of the points of all columns before the row.
    pub before: Points,
    /// Points of each column.
    pub columns: Vec<Points>,
}

/// A column that the visitor has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenColumn {
    /// Number of the column, from 0.
    pub column: u64,
    pub edit: EditKind,
    /// Whether the symbols are different and have points above 0.
    pub is_similar: bool,
    /// Symbols of `a` and of `b`; `None` for a gap.
    pub symbols: [Option<String>; 2],
    pub points: Points,
    /// Sum of the points of all columns before this one.
    pub before: Points,
}

impl RowPoints {
    /// Returns the points of a row, or `None` if the window does not have all of them.
    pub fn new(row: &AlignmentRow, window: &PointsWindow) -> Option<Self> {
        let first = row.column.checked_sub(window.from)? as usize;
        let columns = window.points.get(first..first + row.len as usize)?;
        Some(Self { before: window.before + window.points[..first].iter().sum::<Points>(), columns: columns.to_vec() })
    }

    /// Returns the sum of the points of the row.
    pub fn sum(&self) -> Points {
        self.columns.iter().sum()
    }

    /// Draws the bars as SVG: a unit of width for each column, and 20 units of height on each side of the line.
    pub fn bars(&self, row: &AlignmentRow) -> String {
        let mut svg = format!("<svg viewBox=\"0 0 {} 40\" preserveAspectRatio=\"none\">", row.len.max(1));
        let edits = row.pieces.iter().flat_map(|piece| std::iter::repeat_n(piece.edit, piece.len as usize));
        for (at, (points, edit)) in self.columns.iter().zip(edits).enumerate() {
            let class = match edit {
                EditKind::Insert => "i",
                EditKind::Delete => "d",
                EditKind::Equal | EditKind::Substitute | EditKind::Transpose if *points > Points::ZERO => "earned",
                EditKind::Equal | EditKind::Substitute | EditKind::Transpose => "lost",
            };
            // Tenths of units are exact as integers, and the code for decimals would make the download larger.
            let height = 16 * points.abs().min(MAX_BAR_POINTS).tenths() as u64 / 10;
            let top = if *points > Points::ZERO { 200 - height } else { 200 };
            let bar = |svg: &mut String, class: &str, top: u64, height: u64| {
                let _ = write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{at}.12\" width=\".76\" y=\"{}.{}\" height=\"{}.{}\"/>",
                    top / 10,
                    top % 10,
                    height / 10,
                    height % 10
                );
            };
            bar(&mut svg, class, top, height);
            if points.abs() > MAX_BAR_POINTS {
                bar(&mut svg, "cut", if *points > Points::ZERO { 30 } else { 355 }, 15);
            }
        }
        svg.push_str("<path d=\"M0 20h");
        let _ = write!(svg, "{}\"/></svg>", row.len.max(1));
        svg
    }

    /// Returns the columns of the row, from 0, whose bars are cut, with their points.
    pub fn cut(&self) -> Vec<(u64, Points)> {
        let is_cut = |points: &Points| points.abs() > MAX_BAR_POINTS;
        (0..).zip(&self.columns).filter(|(_, points)| is_cut(points)).map(|(at, points)| (at, *points)).collect()
    }

    /// Returns the cut bars that have room for a label.
    pub fn labels(&self) -> Vec<(u64, Points)> {
        let mut labels: Vec<(u64, Points)> = Vec::new();
        for (at, points) in self.cut() {
            if labels.last().is_none_or(|(last, _)| at >= last + LABEL_COLUMNS) {
                labels.push((at, points));
            }
        }
        labels
    }
}

impl ChosenColumn {
    /// Returns column `column` of a row with its points, or `None` if the row does not have the column.
    pub fn new(column: u64, row: &AlignmentRow, points: &RowPoints) -> Option<Self> {
        let piece = row.pieces.iter().find(|piece| (piece.column..piece.column + piece.len).contains(&column))?;
        let (in_piece, in_row) = ((column - piece.column) as usize, (column - row.column) as usize);
        Some(Self {
            column,
            edit: piece.edit,
            is_similar: piece.is_similar,
            symbols: [piece.a.get(in_piece).cloned(), piece.b.get(in_piece).cloned()],
            points: *points.columns.get(in_row)?,
            before: points.before + points.columns[..in_row].iter().sum::<Points>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use explain::window::AlignmentWindow;
    use kernels::job::{GapCosts, Scoring};
    use kernels::text::{Pair, ReadingOptions};

    use super::super::rows::rows;
    use super::*;

    /// Rows of five columns of an alignment, with their points.
    fn scored() -> Vec<(AlignmentRow, RowPoints)> {
        let pair = Pair::parse(&b"GATTACA"[..], &b"GCTAGA"[..], &ReadingOptions::default()).unwrap();
        let alignment = "1=1X2D1I1=1X1=".parse().unwrap();
        let scoring = Scoring { equal: 2, different: -3, gap: GapCosts { open: 14, extend: 2 }, ..Scoring::default() };
        let points = PointsWindow::new(&alignment, &pair, &scoring, 0, 99);
        let rows = rows(&AlignmentWindow::new(&alignment, &pair, 0, 99), 5);
        rows.into_iter().map(|row| (row.clone(), RowPoints::new(&row, &points).unwrap())).collect()
    }

    #[test]
    fn rows_have_their_sums() {
        let scored = scored();
        let sums: Vec<_> = scored.iter().map(|(_, points)| (points.before, points.sum())).collect();
        assert_eq!(sums, [(0, 2 - 3 - 16 - 2 - 16), (-35, 2 - 3 + 2)].map(|(before, sum)| (Points::whole(before), Points::whole(sum))));
        assert_eq!(RowPoints::new(&scored[1].0, &PointsWindow { points: vec![Points::whole(1); 6], ..PointsWindow::default() }), None);
    }

    #[test]
    fn large_points_are_cut_and_listed() {
        let (row, points) = &scored()[0];
        let svg = points.bars(row);
        assert_eq!((svg.matches("<rect").count(), svg.matches("class=\"cut\"").count()), (7, 2), "{svg}");
        assert!(svg.contains("<rect class=\"earned\" x=\"0.12\" width=\".76\" y=\"16.8\" height=\"3.2\"/>"), "{svg}");
        assert!(svg.contains("<rect class=\"d\" x=\"2.12\" width=\".76\" y=\"20.0\" height=\"19.2\"/>"), "{svg}");
        assert_eq!(
            (points.cut(), points.labels()),
            (vec![(2, Points::whole(-16)), (4, Points::whole(-16))], vec![(2, Points::whole(-16))])
        );
    }

    #[test]
    fn chosen_column_has_its_symbols_and_sums() {
        let scored = scored();
        let chosen = |column: u64| {
            let (row, points) = &scored[(column / 5) as usize];
            let chosen = ChosenColumn::new(column, row, points).unwrap();
            (chosen.symbols.map(Option::unwrap_or_default).concat(), chosen.points.to_string(), chosen.before.to_string())
        };
        assert_eq!(chosen(1), ("AC".into(), "-3".into(), "2".into()));
        assert_eq!(chosen(3), ("T".into(), "-2".into(), "-17".into()));
        assert_eq!(chosen(6), ("CG".into(), "-3".into(), "-33".into()));
        assert_eq!(ChosenColumn::new(4, &scored[1].0, &scored[1].1), None);
    }
}
