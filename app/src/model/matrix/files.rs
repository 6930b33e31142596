//! The matrix as a file: values for a spreadsheet ([`csv()`]), an SVG drawing with its legend, and a TikZ drawing for
//! LaTeX.
//!
//! - [`svg`], [`tikz`]: drawings of a matrix that is shown cell by cell

use explain::export::csv::field;
use explain::matrix::optimal::OptimalPath;
use explain::matrix::value::CellValue;
use explain::matrix::{MatrixCell, MatrixLayer};
use kernels::alignment::EditKind;

use super::{ArrowSelection, MatrixBoard};

pub mod svg;
pub mod tikz;

/// The content of a drawing: a matrix after some step of filling it.
#[derive(Clone, Copy)]
pub struct MatrixDrawing<'d> {
    /// The matrix.
    pub board: &'d MatrixBoard,
    /// Function that returns whether a cell is filled in this state.
    pub is_filled: &'d dyn Fn(MatrixCell) -> bool,
    /// Function that returns whether the last completed step filled a cell.
    pub is_now: &'d dyn Fn(MatrixCell) -> bool,
    /// The chosen optimal alignment, if all cells are filled.
    pub path: Option<&'d OptimalPath>,
    pub arrows: ArrowSelection,
    /// A line of text below the drawing.
    pub caption: &'d str,
}

/// Returns the fill colour of an edit, as hexadecimal digits.
fn colour(edit: EditKind) -> &'static str {
    match edit {
        EditKind::Equal => "c4ddd3",
        EditKind::Substitute | EditKind::Transpose => "fce078",
        EditKind::Insert => "b0d2fa",
        EditKind::Delete => "f8aca4",
    }
}

/// Formats the matrix as comma-separated values. The first line has the symbols of `b`. Every other line is a row of
/// the matrix and begins with its symbol of `a`.
///
/// The empty prefix is `ε`, and −∞ is `-inf`. Cells for which `is_told` returns `false` are not filled yet, and their
/// values are left out. Three layers are three tables, each below the letter of the layer.
pub fn csv(board: &MatrixBoard, is_told: &dyn Fn(MatrixCell) -> bool) -> String {
    let tables: Vec<String> = board.matrix.layers().iter().map(|&layer| layer_csv(board, layer, is_told)).collect();
    tables.join("\n")
}

fn layer_csv(board: &MatrixBoard, layer: MatrixLayer, is_told: &dyn Fn(MatrixCell) -> bool) -> String {
    let mut out = if board.has_layers() { format!("{},ε", layer.name()) } else { String::from(",ε") };
    let number = |value: &CellValue| value.number().map_or("-inf".to_owned(), |number| number.to_string());
    for symbol in &board.b {
        out.push(',');
        out.push_str(&field(symbol));
    }
    out.push('\n');
    for i in 0..=board.matrix.last().i {
        out.push_str(&i.checked_sub(1).map_or_else(|| "ε".into(), |at| field(&board.a[at]).into_owned()));
        for (j, value) in board.matrix.layer_row(layer, i).iter().enumerate() {
            out.push(',');
            if is_told(MatrixCell { i, j }) {
                out.push_str(&number(value));
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::tests::{board, board_with_scoring};
    use super::*;
    use crate::model::points::PointsPreset;

    #[test]
    fn csv_has_values_under_their_symbols() {
        let csv = |board| csv(&board, &|_| true);
        assert_eq!(csv(board(Task::EditDistance, "ab", "b,\"")), ",ε,b,\",\",\"\"\"\"\nε,0,1,2,3\na,1,1,2,3\nb,2,1,2,3\n");
        assert_eq!(csv(board(Task::Lcs, "", "")), ",ε\nε,0\n");
    }

    #[test]
    fn layers_are_tables_below_their_letters() {
        let board = board_with_scoring(PointsPreset::Gotoh.scoring(), "G", "C");
        let expected = "M,ε,C\nε,0,-inf\nG,-inf,-1\n\nD,ε,C\nε,-inf,-inf\nG,-3,-6\n\nI,ε,C\nε,-inf,-3\nG,-inf,-6\n";
        assert_eq!(csv(&board, &|_| true), expected);
    }

    #[test]
    fn unfilled_cells_are_empty() {
        let board = board(Task::EditDistance, "ab", "ab");
        assert_eq!(csv(&board, &|cell| cell.i < 2), ",ε,a,b\nε,0,1,2\na,1,0,1\nb,,,\n");
    }

    #[test]
    fn symbols_are_escaped_so_that_spreadsheets_run_no_formula() {
        assert_eq!(csv(&board(Task::Lcs, "=", "-@"), &|_| true), ",ε,'-,'@\nε,0,0,0\n'=,0,0,0\n");
    }
}
