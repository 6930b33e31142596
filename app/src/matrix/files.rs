//! The matrix as a file: values for a spreadsheet, a drawing with its legend for a page, a drawing in the words of LaTeX.
//!
//! - [`svg`], [`tikz`]: drawings of a matrix that is drawn cell by cell

use explain::export::csv::field;
use explain::matrix::optimal::Path;
use kernels::alignment::Edit;

use super::{Arrows, Board};
use crate::tr::t;

pub mod svg;
pub mod tikz;

/// What is drawn of a board.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'d> {
    /// The matrix.
    pub board: &'d Board,
    /// The chosen alignment.
    pub path: Option<&'d Path>,
    /// Which arrows.
    pub arrows: Arrows,
    /// One line under the drawing.
    pub caption: &'d str,
}

/// The colours of the edits on paper, as on the page: what a band of the ribbon is filled with.
fn colour(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => "c4ddd3",
        Edit::Substitute => "fce078",
        Edit::Insert => "b0d2fa",
        Edit::Delete => "f8aca4",
    }
}

/// What an edit is called in a legend.
pub fn word(edit: Edit) -> &'static str {
    match edit {
        Edit::Equal => t("equal"),
        Edit::Substitute => t("substitute"),
        Edit::Insert => t("insert"),
        Edit::Delete => t("delete"),
    }
}

/// Comma-separated values: the symbols of `b` in the first line, then for each row its symbol of `a` and its values. The empty text
/// is `ε`.
pub fn csv(board: &Board) -> String {
    let mut out = String::from(",ε");
    for symbol in &board.b {
        out.push(',');
        out.push_str(&field(symbol));
    }
    out.push('\n');
    for i in 0..=board.matrix.last().i {
        out.push_str(&i.checked_sub(1).map_or_else(|| "ε".into(), |at| field(&board.a[at]).into_owned()));
        for value in board.matrix.row(i) {
            out.push(',');
            out.push_str(&value.to_string());
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::tests::board;
    use super::*;

    #[test]
    fn values_stand_under_their_symbols() {
        assert_eq!(csv(&board(Task::EditDistance, "ab", "b,\"")), ",ε,b,\",\",\"\"\"\"\nε,0,1,2,3\na,1,1,2,3\nb,2,1,2,3\n");
        assert_eq!(csv(&board(Task::Lcs, "", "")), ",ε\nε,0\n");
    }

    #[test]
    fn symbols_are_no_formulas() {
        assert_eq!(csv(&board(Task::Lcs, "=", "-@")), ",ε,'-,'@\nε,0,0,0\n'=,0,0,0\n");
    }
}
