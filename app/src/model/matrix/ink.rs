//! Arrows ([`arrows`]), and the ribbon along the chosen optimal alignment ([`ribbon`]), as the `d` attributes of a few
//! SVG paths: one path per style, whatever the number of arrows.
//!
//! A cell is 100 units wide and high. The origin is the upper left corner of the first cell.

use std::fmt::Write as _;

use explain::matrix::optimal::OptimalPath;
use explain::matrix::{CellInput, CellSum, MatrixCell};
use kernels::alignment::EditKind;

use super::{ArrowSelection, MatrixBoard};

/// Width and height of a cell, in user units of the SVG.
pub const CELL: usize = 100;

/// The arrows of one style, as SVG paths of their shafts and of their heads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrowStrokes {
    /// SVG path of all shafts of the arrows.
    pub lines: String,
    /// SVG path of all heads of the arrows, which are filled.
    pub heads: String,
}

/// All arrows of a matrix, grouped by style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledArrows {
    /// Arrows from a cell to the inputs that give it its value, except along the chosen alignment.
    pub winning: ArrowStrokes,
    /// Arrows along the chosen alignment, without those of substitutions and exchanges.
    pub path: ArrowStrokes,
    /// Arrows of substitutions and exchanges along the chosen alignment. Their cells are black in the black and white palette.
    pub substituted: ArrowStrokes,
    /// Arrows from a cell to inputs that do not give it its value.
    pub other: ArrowStrokes,
}

/// Draws arrows, grouped by style. `which` selects arrows, and `is_shown` returns whether a cell has arrows. `path` is
/// the chosen alignment. Takes time linear in the number of cells.
pub fn arrows(
    board: &MatrixBoard,
    path: Option<&OptimalPath>,
    which: ArrowSelection,
    is_shown: impl Fn(MatrixCell) -> bool,
) -> StyledArrows {
    let mut ink = StyledArrows::default();
    // For each cell on the path, the cell before it.
    let mut arrives = vec![None; (board.a.len() + 1) * (board.b.len() + 1)];
    for step in path.iter().flat_map(|path| path.cells.windows(2)) {
        arrives[board.matrix.index(step[1])] = Some(step[0]);
    }
    let on_path = |sum: &CellSum, cell: MatrixCell| arrives[board.matrix.index(cell)] == Some(sum.from);
    for cell in board.matrix.cells().filter(|&cell| is_shown(cell)) {
        for sum in board.matrix.sums(cell) {
            let strokes = match (sum.wins, which) {
                (true, _) if on_path(&sum, cell) && matches!(sum.edit, EditKind::Substitute | EditKind::Transpose) => &mut ink.substituted,
                (true, _) if on_path(&sum, cell) => &mut ink.path,
                (_, ArrowSelection::Path) => continue,
                (true, ArrowSelection::Winning | ArrowSelection::All) => &mut ink.winning,
                (false, ArrowSelection::All) => &mut ink.other,
                (false, ArrowSelection::Winning) => continue,
            };
            strokes.draw(cell, sum.input);
        }
    }
    ink
}

impl ArrowStrokes {
    /// Adds an arrow from the cell `(i, j)` to one of its inputs.
    fn draw(&mut self, MatrixCell { i, j }: MatrixCell, input: CellInput) {
        let (x, y) = (CELL * j, CELL * i);
        let _ = match input {
            CellInput::Corner => {
                let _ = write!(self.lines, "M{} {}l-40-40", x + 25, y + 25);
                write!(self.heads, "M{} {}l21 5-16 16z", x - 21, y - 21)
            }
            CellInput::Above => {
                let _ = write!(self.lines, "M{} {}v-40", x + 50, y + 23);
                write!(self.heads, "M{} {}l-11 19h22z", x + 50, y - 24)
            }
            CellInput::Left => {
                let _ = write!(self.lines, "M{} {}h-40", x + 23, y + 50);
                write!(self.heads, "M{} {}l19-11v22z", x - 24, y + 50)
            }
            // A curve that crosses one cell, left of the arrows to the corner.
            CellInput::TwoBack => {
                let _ = write!(self.lines, "M{} {}c-72-8-164-80-170-150", x + 22, y + 40);
                write!(self.heads, "M{} {}l9 15h-17z", x - 150, y - 124)
            }
        };
    }
}

/// Returns the ribbon along an optimal alignment: an SVG path through the centres of the cells for each run of equal
/// edits. The path of the last run comes first, so that earlier runs are drawn over it.
pub fn ribbon(path: &OptimalPath) -> Vec<(EditKind, String)> {
    let mut bands: Vec<(EditKind, String)> = Vec::new();
    for (step, &edit) in path.cells.windows(2).zip(&path.edits).rev() {
        let (from, to) = (middle(step[0]), middle(step[1]));
        match bands.last_mut() {
            // A run of equal edits is straight, so that it is one path.
            Some((last, d)) if *last == edit => {
                let _ = write!(d, "L{} {}", from.0, from.1);
            }
            _ => bands.push((edit, format!("M{} {}L{} {}", to.0, to.1, from.0, from.1))),
        }
    }
    bands
}

/// Returns the SVG path of a dot at the first cell of an optimal alignment, or `None` if the alignment has no cell. The
/// dot is needed because no edit, and so no part of the ribbon, leads to that cell.
pub fn beginning(path: &OptimalPath) -> Option<String> {
    path.cells.first().map(|&cell| {
        let (x, y) = middle(cell);
        format!("M{x} {y}L{x} {y}")
    })
}

fn middle(MatrixCell { i, j }: MatrixCell) -> (usize, usize) {
    (CELL * j + CELL / 2, CELL * i + CELL / 2)
}

#[cfg(test)]
mod tests {
    use explain::matrix::big_uint::BigUint;
    use kernels::job::{EditCosts, Task};

    use super::super::tests::{board, board_with_costs};
    use super::*;

    fn arrows_in(strokes: &ArrowStrokes) -> (usize, usize) {
        (strokes.lines.matches('M').count(), strokes.heads.matches('M').count())
    }

    #[test]
    fn winning_arrows_agree_with_the_winning_sums() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        let path = board.path(&BigUint::ZERO).unwrap();
        let winning: usize = board.matrix.cells().map(|cell| board.matrix.winners(cell).count_ones() as usize).sum();
        let all: usize = board.matrix.cells().map(|cell| board.matrix.sums(cell).count()).sum();
        let ink = arrows(&board, Some(&path), ArrowSelection::Winning, |_| true);
        assert_eq!((arrows_in(&ink.path), arrows_in(&ink.substituted)), ((7, 7), (1, 1)));
        assert_eq!(arrows_in(&ink.winning).0, winning - 8);
        assert!(ink.other.lines.is_empty());
        let ink = arrows(&board, Some(&path), ArrowSelection::All, |_| true);
        assert_eq!(arrows_in(&ink.other).0, all - winning);
        let ink = arrows(&board, Some(&path), ArrowSelection::Path, |_| true);
        assert_eq!((arrows_in(&ink.path).0, ink.winning), (7, ArrowStrokes::default()));
        let ink = arrows(&board, None, ArrowSelection::Winning, |cell| cell.i == 0);
        assert_eq!(arrows_in(&ink.winning), (8, 8));
    }

    #[test]
    fn arrows_point_from_a_cell_to_its_input() {
        let mut strokes = ArrowStrokes::default();
        strokes.draw(MatrixCell { i: 1, j: 1 }, CellInput::Corner);
        assert_eq!((strokes.lines.as_str(), strokes.heads.as_str()), ("M125 125l-40-40", "M79 79l21 5-16 16z"));
    }

    #[test]
    fn exchange_is_one_arrow_and_one_part_of_the_ribbon() {
        let board = board_with_costs(EditCosts::OSA, "xab", "xba");
        let path = board.path(&BigUint::ZERO).unwrap();
        let ink = arrows(&board, Some(&path), ArrowSelection::Path, |_| true);
        assert_eq!((arrows_in(&ink.path), arrows_in(&ink.substituted)), ((1, 1), (1, 1)));
        assert_eq!(ink.substituted.heads, "M150 176l9 15h-17z");
        assert_eq!(ribbon(&path), [(EditKind::Transpose, "M350 350L150 150".to_owned()), (EditKind::Equal, "M150 150L50 50".to_owned())]);
    }

    #[test]
    fn ribbon_changes_colour_with_the_edit() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        let ribbon = ribbon(&board.path(&BigUint::ZERO).unwrap());
        let edits: Vec<EditKind> = ribbon.iter().map(|(edit, _)| *edit).collect();
        assert_eq!(edits, [EditKind::Equal, EditKind::Substitute, EditKind::Equal, EditKind::Insert, EditKind::Equal]);
        assert_eq!(ribbon[4].1, "M150 150L50 50");
        assert_eq!(beginning(&board.path(&BigUint::ZERO).unwrap()).as_deref(), Some("M50 50L50 50"));
    }
}
