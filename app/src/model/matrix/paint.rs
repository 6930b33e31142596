//! CSS classes and texts of the cells of a matrix: [`paint`] and [`body`].
//!
//! The look of a cell is a set of bits, [`CellPaint`]. Only cells whose bits have changed are updated, so that a step
//! over 3,600 cells needs few changes of the document.

use explain::matrix::optimal::OptimalPath;
use explain::matrix::order::FillSteps;
use explain::matrix::value::CellValue;
use explain::matrix::{MatrixCell, MatrixLayer, MatrixNode};
use kernels::alignment::EditKind;

use super::MatrixBoard;
use crate::model::text::invisible;
use crate::model::text::markup::escape;

/// The look of one cell, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CellPaint(u16);

impl CellPaint {
    /// The cell is not filled yet.
    pub const OFF: Self = Self(1);
    /// The current step filled the cell.
    pub const NOW: Self = Self(2);
    /// The cell is on the chosen optimal alignment.
    pub const PATH: Self = Self(4);
    /// The cell is an input of the selected cell: the value of the selected cell is computed from it.
    pub const FROM: Self = Self(8);
    /// The cell is on at least one optimal alignment.
    pub const ANY: Self = Self(16);
    /// The fill order omits the cell.
    pub const OUT: Self = Self(32);
    /// The visitor is asked for the value of the cell.
    pub const ASKED: Self = Self(64);
    /// The cell is selected.
    pub const SELECTED: Self = Self(128);
    /// The chosen alignment enters the cell by a substitution or an exchange, or an exchange crosses the cell. The
    /// background of the cell is black in the black and white palette.
    pub const SUBSTITUTED: Self = Self(256);
    /// No alignment ends in the cell: its value is −∞.
    pub const NEVER: Self = Self(512);
    /// The value is the 0 with which a local alignment may begin.
    pub const START: Self = Self(1024);

    const CLASSES: [(Self, &'static str); 10] = [
        (Self::OFF, "off"),
        (Self::NOW, "now"),
        (Self::PATH, "path"),
        (Self::FROM, "from"),
        (Self::ANY, "any"),
        (Self::OUT, "out"),
        (Self::ASKED, "asked"),
        (Self::SUBSTITUTED, "by-x"),
        (Self::NEVER, "never"),
        (Self::START, "start"),
    ];

    /// Returns whether all bits of `bits` are set.
    pub fn has(self, bits: Self) -> bool {
        self.0 & bits.0 == bits.0
    }

    /// Returns these bits, with those of `bits` added if `on` is set.
    #[must_use]
    pub fn with(self, bits: Self, on: bool) -> Self {
        Self(if on { self.0 | bits.0 } else { self.0 })
    }

    /// Returns whether a cell with these bits shows its value.
    pub fn shows_value(self) -> bool {
        self.0 & (Self::OFF.0 | Self::OUT.0) == 0
    }

    /// Returns the `class` attribute of a cell with these bits.
    pub fn classes(self) -> String {
        let classes: Vec<&str> = Self::CLASSES.iter().filter(|(bit, _)| self.has(*bit)).map(|(_, class)| *class).collect();
        classes.join(" ")
    }
}

/// The state of the view from which, together with the matrix, the look of the cells follows.
#[derive(Clone, Copy, Debug)]
pub struct PaintState<'s> {
    /// The steps in which the cells are filled.
    pub steps: &'s FillSteps,
    /// Number of completed steps.
    pub step: usize,
    /// The chosen optimal alignment.
    pub path: Option<&'s OptimalPath>,
    /// The selected cell.
    pub cell: MatrixNode,
    /// Number of values of the current step that the visitor has filled; the next one is asked for. `None` if there are
    /// no questions.
    pub quiz_filled_cells: Option<usize>,
}

/// Returns the look of all cells of `board` in the state `scene`, layer by layer and row by row. Takes time linear in the
/// number of cells.
pub fn paint(board: &MatrixBoard, scene: &PaintState) -> Vec<CellPaint> {
    let matrix = &board.matrix;
    let whole = scene.step >= scene.steps.len() && scene.quiz_filled_cells.is_none();
    let nodes = matrix.layers().iter().flat_map(|layer| matrix.cells().map(move |cell| layer.at(cell)));
    let is_local = matrix.is_local();
    let mut paints: Vec<CellPaint> = nodes
        .map(|node| {
            let value = matrix.value(node);
            let base = CellPaint::default()
                .with(CellPaint::ANY, whole && board.is_on_any(node))
                .with(CellPaint::NEVER, value == CellValue::UNREACHABLE)
                .with(CellPaint::START, is_local && value == 0);
            match scene.steps.step_of(node.cell) {
                None => base.with(CellPaint::OUT, true),
                Some(0) => base,
                Some(at) => base.with(CellPaint::OFF, at > scene.step).with(CellPaint::NOW, at == scene.step && !whole),
            }
        })
        .collect();
    let mut put = |node: MatrixNode, bit: CellPaint| {
        let at = matrix.index(node);
        paints[at] = paints[at].with(bit, true);
    };
    if let Some(path) = scene.path.filter(|_| whole) {
        path.nodes().for_each(|node| put(node, CellPaint::PATH));
        let arrivals = path.nodes().skip(1).zip(&path.edits);
        for (node, edit) in arrivals {
            if matches!(edit, EditKind::Substitute | EditKind::Transpose) {
                put(node, CellPaint::SUBSTITUTED);
            }
            // The ribbon of an exchange crosses a cell that is not on the path.
            if *edit == EditKind::Transpose {
                put(MatrixCell { i: node.cell.i - 1, j: node.cell.j - 1 }.into(), CellPaint::SUBSTITUTED);
            }
        }
    }
    // Marks all inputs of the selected cell, even if they are not filled yet, because the cell depends on them.
    matrix.sums(scene.cell).for_each(|sum| put(sum.origin(), CellPaint::FROM));
    put(scene.cell, CellPaint::SELECTED);
    if let Some(done) = scene.quiz_filled_cells {
        let next = board.nodes_of(scene.steps, scene.step + 1);
        next.iter().take(done).for_each(|&node| {
            let at = matrix.index(node);
            paints[at] = CellPaint(paints[at].0 & !CellPaint::OFF.0).with(CellPaint::NOW, true);
        });
        if let Some(&node) = next.get(done) {
            let at = matrix.index(node);
            paints[at] = paints[at].with(CellPaint::ASKED, true);
        }
    }
    paints
}

/// Renders the rows of the table of `layer` as HTML, without colours. Symbols are escaped.
pub fn body(board: &MatrixBoard, layer: MatrixLayer) -> String {
    use std::fmt::Write as _;
    let last = board.matrix.last();
    let mut html = String::with_capacity((last.i + 1) * (last.j + 1) * 40);
    for i in 0..=last.i {
        let _ = match i.checked_sub(1) {
            None => write!(html, "<tr><th scope=\"row\"><var>ε</var><small>0</small></th>"),
            Some(at) => {
                let named = named(&board.invisible[0], at);
                write!(html, "<tr><th scope=\"row\"><span{named}>{}</span><small>{i}</small></th>", escape(&board.a[at]))
            }
        };
        for value in board.matrix.layer_row(layer, i) {
            let _ = write!(html, "<td role=\"gridcell\" tabindex=\"-1\">{value}</td>");
        }
        html.push_str("</tr>");
    }
    html
}

/// Renders the cells of the table's head row as HTML, without the corner. Symbols are escaped.
pub fn head(board: &MatrixBoard) -> String {
    let letter = |(at, symbol): (usize, &String)| {
        let named = named(&board.invisible[1], at - 1);
        format!("<th scope=\"col\"><span{named}>{}</span><small>{at}</small></th>", escape(symbol))
    };
    let letters: String = (1..).zip(&board.b).map(letter).collect();
    format!("<th scope=\"col\"><var>ε</var><small>0</small></th>{letters}")
}

/// Returns the HTML attributes that name the symbol with index `at`, or an empty string if the symbol is visible.
/// `unseen` has the original form of each invisible symbol.
fn named(unseen: &[Option<String>], at: usize) -> String {
    unseen[at].as_deref().map_or_else(String::new, invisible::attributes)
}

#[cfg(test)]
mod tests {
    use explain::matrix::big_uint::BigUint;
    use explain::matrix::order::FillOrder;
    use kernels::job::Task;

    use super::super::tests::{board, board_with_scoring};
    use super::*;
    use crate::model::points::PointsPreset;

    /// Formats the paints as letters, one line per row, for tests.
    fn drawn(board: &MatrixBoard, order: FillOrder, step: usize, asked: Option<usize>) -> Vec<String> {
        let steps = board.steps(order);
        let path = board.path(&BigUint::ZERO).unwrap();
        let scene = PaintState { steps: &steps, step, path: Some(&path), cell: board.matrix.last().into(), quiz_filled_cells: asked };
        let letter = |paint: &CellPaint| match *paint {
            paint if paint.has(CellPaint::ASKED) => '?',
            paint if paint.has(CellPaint::OUT) => '#',
            paint if paint.has(CellPaint::OFF) => '.',
            paint if paint.has(CellPaint::NOW) => 'n',
            paint if paint.has(CellPaint::PATH) => 'p',
            paint if paint.has(CellPaint::ANY) => 'o',
            _ => '_',
        };
        paint(board, &scene).chunks(board.b.len() + 1).map(|row| row.iter().map(letter).collect()).collect()
    }

    #[test]
    fn steps_fill_cells_and_the_last_one_shows_the_path() {
        let board = board(Task::EditDistance, "ab", "cab");
        assert_eq!(drawn(&board, FillOrder::Diagonal, 0, None), ["____", "_...", "_..."]);
        assert_eq!(drawn(&board, FillOrder::Diagonal, 2, None), ["____", "__n.", "_n.."]);
        assert_eq!(drawn(&board, FillOrder::Diagonal, 4, None), ["pp__", "__p_", "___p"]);
        assert_eq!(drawn(&board, FillOrder::Band, 99, None), ["pp__", "__p#", "___p"].map(|row| row.to_owned()));
    }

    #[test]
    fn question_is_about_the_next_cell_of_the_next_step() {
        let board = board(Task::EditDistance, "ab", "cab");
        assert_eq!(drawn(&board, FillOrder::Diagonal, 1, Some(0)), ["____", "_n?.", "_..."]);
        assert_eq!(drawn(&board, FillOrder::Diagonal, 1, Some(1)), ["____", "_nn.", "_?.."]);
        assert_eq!(drawn(&board, FillOrder::Row, 0, Some(0)), ["____", "_?..", "_..."]);
    }

    #[test]
    fn inputs_and_selection_have_their_classes() {
        let board = board(Task::EditDistance, "ab", "cab");
        let steps = board.steps(FillOrder::Row);
        let scene = PaintState { steps: &steps, step: 6, path: None, cell: MatrixCell { i: 1, j: 1 }.into(), quiz_filled_cells: None };
        let paints = paint(&board, &scene);
        let has = |i, j, bit| paints[board.matrix.index(MatrixCell { i, j })].has(bit);
        assert!(has(0, 0, CellPaint::FROM) && has(0, 1, CellPaint::FROM) && has(1, 0, CellPaint::FROM) && !has(1, 2, CellPaint::FROM));
        assert!(has(1, 1, CellPaint::SELECTED) && !has(1, 1, CellPaint::FROM));
        assert_eq!(CellPaint::default().with(CellPaint::OFF, true).with(CellPaint::FROM, true).classes(), "off from");
    }

    /// Only cells in a sum are framed, because students take frames for inputs.
    #[test]
    fn only_inputs_of_the_sums_are_framed() {
        let framed = |task: Task, cell: MatrixCell| {
            let board = board(task, "aba", "ababa");
            let scene =
                PaintState { steps: &board.steps(FillOrder::Row), step: 15, path: None, cell: cell.into(), quiz_filled_cells: None };
            paint(&board, &scene).iter().filter(|paint| paint.has(CellPaint::FROM)).count()
        };
        let (equal, different) = (MatrixCell { i: 1, j: 1 }, MatrixCell { i: 1, j: 2 });
        for (task, counts) in [
            (Task::EditDistance, [3, 3]),
            (Task::ApproximateSearch, [3, 3]),
            (Task::Lcs, [3, 2]),
            (Task::MatchCount, [1, 1]),
            (Task::ExactSearch, [1, 1]),
        ] {
            assert_eq!([framed(task, equal), framed(task, different)], counts, "{task:?}");
        }
        assert_eq!(framed(Task::EditDistance, MatrixCell { i: 0, j: 3 }), 1);
    }

    #[test]
    fn layers_and_zeros_have_their_classes() {
        let of = |preset: PointsPreset, node: MatrixNode| {
            let board = board_with_scoring(preset.scoring(), "GA", "CA");
            let steps = board.steps(FillOrder::Row);
            let scene = PaintState { steps: &steps, step: 4, path: None, cell: MatrixNode::default(), quiz_filled_cells: None };
            paint(&board, &scene)[board.matrix.index(node)].classes()
        };
        let (border, inside) = (MatrixCell { i: 0, j: 1 }, MatrixCell { i: 1, j: 1 });
        assert_eq!(of(PointsPreset::Gotoh, border.into()), "never");
        assert_eq!(of(PointsPreset::Gotoh, MatrixLayer::Insertions.at(border)), "");
        assert_eq!(
            (of(PointsPreset::SmithWaterman, inside.into()).as_str(), of(PointsPreset::NeedlemanWunsch, border.into()).as_str()),
            ("any start", "")
        );
        let board = board_with_scoring(PointsPreset::Gotoh.scoring(), "GA", "CA");
        let steps = board.steps(FillOrder::Row);
        // The question after four values is about the layer D of the second cell.
        let scene = PaintState { steps: &steps, step: 1, path: None, cell: MatrixNode::default(), quiz_filled_cells: Some(1) };
        let paints = paint(&board, &scene);
        let asked: Vec<usize> = (0..paints.len()).filter(|at| paints[*at].has(CellPaint::ASKED)).collect();
        assert_eq!(asked, [board.matrix.index(MatrixLayer::Deletions.at(MatrixCell { i: 1, j: 2 }))]);
    }

    /// Cells of substitutions have a class of their own, because their digits are on black in the black and white
    /// palette.
    #[test]
    fn cells_of_substitutions_have_their_class() {
        let board = board(Task::EditDistance, "kitten", "sitting");
        let path = board.path(&BigUint::ZERO).unwrap();
        let steps = board.steps(FillOrder::Row);
        let scene =
            PaintState { steps: &steps, step: steps.len(), path: Some(&path), cell: MatrixNode::default(), quiz_filled_cells: None };
        let paints = paint(&board, &scene);
        let substituted: Vec<MatrixCell> =
            board.matrix.cells().zip(&paints).filter(|(_, paint)| paint.has(CellPaint::SUBSTITUTED)).map(|(cell, _)| cell).collect();
        assert_eq!(substituted, [MatrixCell { i: 1, j: 1 }, MatrixCell { i: 5, j: 5 }]);
        assert!(paints[board.matrix.index(MatrixCell { i: 1, j: 1 })].classes().contains("by-x"));
    }

    #[test]
    fn symbols_of_the_visitor_are_escaped() {
        let board = board(Task::Lcs, "<\"&", "'>");
        let html = format!("{}{}", head(&board), body(&board, MatrixLayer::Main));
        assert!(html.contains("<span>&lt;</span>") && html.contains("<span>&quot;</span>") && html.contains("<span>&amp;</span>"));
        assert!(html.contains("<span>&#39;</span>") && html.contains("<span>&gt;</span>"), "{html}");
        assert_eq!(html.matches("<td").count(), 12);
    }
}
