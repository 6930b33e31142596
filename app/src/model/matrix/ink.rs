//! Arrows ([`arrows`]), and the ribbon along the chosen optimal alignment ([`ribbon`]), as the `d` attributes of a few
//! SVG paths: one path per style, whatever the number of arrows.
//!
//! A cell is 100 units wide and high. The origin is the upper left corner of the first cell.

use std::fmt::Write as _;

use explain::matrix::optimal::OptimalPath;
use explain::matrix::{CellInput, CellSum, MatrixCell, MatrixLayer, MatrixNode};
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

/// Letters of one layer, drawn where an arrow into that layer would begin, as attributes of an SVG text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerLetters {
    /// Positions of the middles of the letters from the left.
    pub x: String,
    /// Positions of the baselines from the top.
    pub y: String,
    /// The letters, all the same.
    pub text: String,
}

/// All arrows of one layer of a matrix, grouped by style.
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
    /// For each layer in the order of [`MatrixLayer::ALL`], its letter in each cell whose value comes from that layer. A
    /// layer has arrows instead for values that come from itself.
    pub letters: [LayerLetters; 3],
}

/// A line between the panels of two layers, from a value to the value that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerLink {
    /// The later cell, at which the line begins.
    pub to: MatrixNode,
    /// The earlier cell, at which the line has its tip.
    pub from: MatrixNode,
    /// Whether the line shows an input of the selected cell, and not a step of the alignment.
    pub is_soft: bool,
}

/// Draws the arrows of `layer`, grouped by style. `which` selects arrows, and `is_shown` returns whether a cell has
/// arrows. `path` is the chosen alignment. Takes time linear in the number of cells.
pub fn arrows(
    board: &MatrixBoard,
    layer: MatrixLayer,
    path: Option<&OptimalPath>,
    which: ArrowSelection,
    is_shown: impl Fn(MatrixCell) -> bool,
) -> StyledArrows {
    let mut ink = StyledArrows::default();
    // For each cell on the path, the cell before it.
    let mut arrives = vec![None; (board.a.len() + 1) * (board.b.len() + 1)];
    for (from, to) in path.iter().flat_map(|path| path.nodes().zip(path.nodes().skip(1))).filter(|(_, to)| to.layer == layer) {
        arrives[board.matrix.index(to.cell)] = Some(from);
    }
    let on_path = |sum: &CellSum, cell: MatrixCell| arrives[board.matrix.index(cell)] == Some(sum.origin());
    for cell in board.matrix.cells().filter(|&cell| is_shown(cell)) {
        let mut letters = 0;
        for sum in board.matrix.sums(layer.at(cell)) {
            if sum.layer != layer {
                if sum.wins && (which != ArrowSelection::Path || on_path(&sum, cell)) {
                    ink.letters[sum.layer as usize].put(cell, sum.input, sum.layer, letters);
                    letters += 1;
                }
                continue;
            }
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

/// Returns the lines between the layers of `board`: those along `path`, and those from `selected` to the other inputs of
/// its value. Inputs that no alignment reaches have no line.
pub fn links(board: &MatrixBoard, path: Option<&OptimalPath>, selected: Option<MatrixNode>) -> Vec<LayerLink> {
    let steps = path.into_iter().flat_map(|path| path.nodes().zip(path.nodes().skip(1)));
    let mut links: Vec<LayerLink> =
        steps.filter(|(from, to)| from.layer != to.layer).map(|(from, to)| LayerLink { to, from, is_soft: false }).collect();
    let Some(to) = selected else { return links };
    let inputs = board.matrix.sums(to).filter(|sum| sum.layer != to.layer && sum.value.number().is_some());
    let soft: Vec<LayerLink> = inputs
        .map(|sum| LayerLink { to, from: sum.origin(), is_soft: true })
        .filter(|soft| !links.iter().any(|link| (link.to, link.from) == (soft.to, soft.from)))
        .collect();
    links.extend(soft);
    links
}

impl LayerLetters {
    /// Adds the letter of `layer` on the side of `cell` on which its input lies. `before` is the number of letters that
    /// the cell has there already.
    fn put(&mut self, MatrixCell { i, j }: MatrixCell, input: CellInput, layer: MatrixLayer, before: usize) {
        let (x, y) = match input {
            CellInput::Corner | CellInput::TwoBack => (CELL * j + 34 + 26 * before, CELL * i + 12),
            CellInput::Above => (CELL * j + 76 - 50 * before, CELL * i + 12),
            CellInput::Left => (CELL * j + 6 + 26 * before, CELL * i + 92),
        };
        let gap = if self.text.is_empty() { "" } else { " " };
        let _ = write!(self.x, "{gap}{x}");
        let _ = write!(self.y, "{gap}{y}");
        self.text.push_str(layer.name());
    }
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

/// Returns the ribbon along the part of an optimal alignment in `layer`: an SVG path through the centres of the cells for
/// each run of equal edits. The path of the last run comes first, so that earlier runs are drawn over it. A step from
/// another layer is a dot at its cell.
pub fn ribbon(path: &OptimalPath, layer: MatrixLayer) -> Vec<(EditKind, String)> {
    let mut bands: Vec<(EditKind, String)> = Vec::new();
    let steps = path.nodes().zip(path.nodes().skip(1)).zip(&path.edits).collect::<Vec<_>>();
    // Whether the band of the last step goes on.
    let mut is_joined = false;
    for ((from, to), &edit) in steps.into_iter().rev() {
        if to.layer != layer {
            is_joined = false;
            continue;
        }
        let to_middle = middle(to.cell);
        let from_middle = if from.layer == layer { middle(from.cell) } else { to_middle };
        let (from, to, was_joined) = (from_middle, to_middle, std::mem::replace(&mut is_joined, from.layer == layer));
        match bands.last_mut() {
            // A run of equal edits is straight, so that it is one path.
            Some((last, d)) if *last == edit && was_joined => {
                let _ = write!(d, "L{} {}", from.0, from.1);
            }
            _ => bands.push((edit, format!("M{} {}L{} {}", to.0, to.1, from.0, from.1))),
        }
    }
    bands
}

/// Returns the SVG path of a dot at the first cell of an optimal alignment, or `None` if that cell is not in `layer`. The
/// dot is needed because no edit, and so no part of the ribbon, leads to that cell.
pub fn beginning(path: &OptimalPath, layer: MatrixLayer) -> Option<String> {
    path.nodes().next().filter(|node| node.layer == layer).map(|node| {
        let (x, y) = middle(node.cell);
        format!("M{x} {y}L{x} {y}")
    })
}

/// Returns the frame around the pieces of both texts that a local or semi-global alignment covers: x, y, width and
/// height. Returns `None` if it covers both whole texts, or nothing.
pub fn piece(board: &MatrixBoard, path: &OptimalPath) -> Option<[usize; 4]> {
    let (first, last) = (*path.cells.first()?, *path.cells.last()?);
    let is_whole = first == MatrixCell::default() && last == board.matrix.last();
    let (rows, columns) = (last.i - first.i, last.j - first.j);
    let is_framed = board.matrix.scoring().is_some() && !is_whole && rows > 0 && columns > 0;
    is_framed.then_some([CELL * (first.j + 1), CELL * (first.i + 1), CELL * columns, CELL * rows])
}

fn middle(MatrixCell { i, j }: MatrixCell) -> (usize, usize) {
    (CELL * j + CELL / 2, CELL * i + CELL / 2)
}

#[cfg(test)]
mod tests {
    use explain::matrix::big_uint::BigUint;
    use kernels::job::{EditCosts, Task};

    use super::super::tests::{board, board_with_costs, board_with_scoring};
    use super::*;
    use crate::model::points::PointsPreset;

    fn arrows_in(strokes: &ArrowStrokes) -> (usize, usize) {
        (strokes.lines.matches('M').count(), strokes.heads.matches('M').count())
    }

    #[test]
    fn winning_arrows_agree_with_the_winning_sums() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        let path = board.path(&BigUint::ZERO).unwrap();
        let winning: usize = board.matrix.cells().map(|cell| board.matrix.winners(cell).count_ones() as usize).sum();
        let all: usize = board.matrix.cells().map(|cell| board.matrix.sums(cell).count()).sum();
        let ink = arrows(&board, MatrixLayer::Main, Some(&path), ArrowSelection::Winning, |_| true);
        assert_eq!((arrows_in(&ink.path), arrows_in(&ink.substituted)), ((7, 7), (1, 1)));
        assert_eq!(arrows_in(&ink.winning).0, winning - 8);
        assert!(ink.other.lines.is_empty());
        let ink = arrows(&board, MatrixLayer::Main, Some(&path), ArrowSelection::All, |_| true);
        assert_eq!(arrows_in(&ink.other).0, all - winning);
        let ink = arrows(&board, MatrixLayer::Main, Some(&path), ArrowSelection::Path, |_| true);
        assert_eq!((arrows_in(&ink.path).0, ink.winning), (7, ArrowStrokes::default()));
        let ink = arrows(&board, MatrixLayer::Main, None, ArrowSelection::Winning, |cell| cell.i == 0);
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
        let ink = arrows(&board, MatrixLayer::Main, Some(&path), ArrowSelection::Path, |_| true);
        assert_eq!((arrows_in(&ink.path), arrows_in(&ink.substituted)), ((1, 1), (1, 1)));
        assert_eq!(ink.substituted.heads, "M150 176l9 15h-17z");
        assert_eq!(
            ribbon(&path, MatrixLayer::Main),
            [(EditKind::Transpose, "M350 350L150 150".to_owned()), (EditKind::Equal, "M150 150L50 50".to_owned())]
        );
    }

    /// The drawing of the page: `GCTTAGC` and `GCAGTC` with the points of Gotoh.
    #[test]
    fn path_through_layers_has_links_letters_and_dots() {
        let board = board_with_scoring(PointsPreset::Gotoh.scoring(), "GCTTAGC", "GCAGTC");
        let path = board.path(&BigUint::ZERO).unwrap();
        let node = |layer: MatrixLayer, i, j| layer.at(MatrixCell { i, j });
        let (main, delete, insert) = (MatrixLayer::Main, MatrixLayer::Deletions, MatrixLayer::Insertions);
        let along = links(&board, Some(&path), None);
        let expected = [
            (node(delete, 3, 2), node(main, 2, 2)),
            (node(main, 5, 3), node(delete, 4, 2)),
            (node(insert, 6, 5), node(main, 6, 4)),
            (node(main, 7, 6), node(insert, 6, 5)),
        ];
        assert_eq!(along, expected.map(|(to, from)| LayerLink { to, from, is_soft: false }));
        let soft = links(&board, None, Some(node(delete, 4, 2)));
        assert_eq!(soft.iter().map(|link| link.from).collect::<Vec<_>>(), [node(main, 3, 2), node(insert, 3, 2)]);
        assert_eq!(ribbon(&path, delete), [(EditKind::Delete, "M250 450L250 350L250 350".to_owned())]);
        assert_eq!(ribbon(&path, insert), [(EditKind::Insert, "M550 650L550 650".to_owned())]);
        assert_eq!((beginning(&path, main).is_some(), beginning(&path, delete)), (true, None));
        let ink = arrows(&board, delete, Some(&path), ArrowSelection::Path, |_| true);
        assert_eq!((arrows_in(&ink.path).0, ink.letters[0].text.as_str(), ink.letters[0].x.as_str()), (1, "M", "276"));
        assert_eq!(piece(&board, &path), None);
    }

    #[test]
    fn frame_surrounds_the_best_pieces() {
        let board = board_with_scoring(PointsPreset::SmithWaterman.scoring(), "TGTTACGG", "GGTTGACTA");
        assert_eq!(piece(&board, &board.path(&BigUint::ZERO).unwrap()), Some([200, 200, 600, 500]));
        let nothing = board_with_scoring(PointsPreset::SmithWaterman.scoring(), "AA", "CC");
        assert_eq!(piece(&nothing, &nothing.path(&BigUint::ZERO).unwrap()), None);
    }

    #[test]
    fn ribbon_changes_colour_with_the_edit() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        let ribbon = ribbon(&board.path(&BigUint::ZERO).unwrap(), MatrixLayer::Main);
        let edits: Vec<EditKind> = ribbon.iter().map(|(edit, _)| *edit).collect();
        assert_eq!(edits, [EditKind::Equal, EditKind::Substitute, EditKind::Equal, EditKind::Insert, EditKind::Equal]);
        assert_eq!(ribbon[4].1, "M150 150L50 50");
        assert_eq!(beginning(&board.path(&BigUint::ZERO).unwrap(), MatrixLayer::Main).as_deref(), Some("M50 50L50 50"));
    }
}
