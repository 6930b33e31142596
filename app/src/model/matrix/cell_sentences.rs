//! Sentences about a cell of the matrix and its inputs (the cells from which its value is computed), such as [`about`]
//! and [`lines`]. A sentence consists of pieces ([`CellSentencePart`]), because names, values and the visitor's symbols
//! have their own fonts.

use explain::matrix::order::FillOrder;
use explain::matrix::value::CellValue;
use explain::matrix::{CellInput, CellSum, MatrixCell, MatrixLayer, MatrixNode};
use kernels::alignment::EditKind;

use super::{MatrixBoard, prefix, scores};
use crate::model::task::MatrixSentences;
use crate::model::text::humanize::{self, cell_value};
use crate::model::text::invisible;
use crate::tr;
use crate::tr::t;

/// A piece of a sentence in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellSentencePart {
    /// Plain words.
    Text(String),
    /// Emphasized words.
    Strong(String),
    /// A name in italics.
    Name(String),
    /// One or more symbols of the visitor's texts.
    Symbol(String),
    /// An invisible symbol.
    Invisible {
        /// The glyph that is drawn for the symbol.
        shown: String,
        /// The name of the symbol.
        name: String,
    },
    /// A cell as the subject of a sentence, with its value unless the value is hidden.
    Cell {
        /// The letter that names the matrix, for example `D`.
        name: &'static str,
        /// The indices of the cell, and its value if that is not hidden: `[3, 5] = 3`.
        rest: String,
    },
}

impl CellSentencePart {
    fn plain(&self) -> String {
        match self {
            Self::Text(text) | Self::Strong(text) | Self::Name(text) | Self::Symbol(text) => text.clone(),
            Self::Invisible { name, .. } => name.clone(),
            Self::Cell { name, rest } => format!("{name}{rest}"),
        }
    }
}

/// Joins a sentence as plain text.
pub fn plain(pieces: &[CellSentencePart]) -> String {
    pieces.iter().map(CellSentencePart::plain).collect()
}

/// Replaces each name in braces in `template` by its value in `values`; names without a value are left out. Text
/// between asterisks becomes a name in italics.
pub fn sentence(template: &str, values: &[(&str, CellSentencePart)]) -> Vec<CellSentencePart> {
    let mut pieces = Vec::new();
    let text = |pieces: &mut Vec<CellSentencePart>, part: &str| {
        for (nth, part) in part.split('*').enumerate().filter(|(_, part)| !part.is_empty()) {
            pieces.push(if nth % 2 == 1 { CellSentencePart::Name(part.into()) } else { CellSentencePart::Text(part.into()) });
        }
    };
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text(&mut pieces, before);
        let Some((name, behind)) = after.split_once('}') else { break };
        pieces.extend(values.iter().find(|(known, _)| *known == name).map(|(_, piece)| piece.clone()));
        rest = behind;
    }
    text(&mut pieces, rest);
    pieces
}

/// Formats a cell by its indices, for example `D[3, 5]`, and with its value if `value` is given.
pub fn cell_name(board: &MatrixBoard, node: MatrixNode, value: Option<CellValue>) -> CellSentencePart {
    let told = value.map(|value| format!(" = {}", cell_value(value))).unwrap_or_default();
    let MatrixCell { i, j } = node.cell;
    CellSentencePart::Cell { name: board.letter(node.layer), rest: format!("[{i}, {j}]{told}") }
}

/// Formats the beginning of the explanation of a step of `order` that fills `cells` cells together. A sentence about
/// one of these cells follows.
pub fn joint_fill_intro(order: FillOrder, cells: usize) -> String {
    let n = humanize::grouped(cells as u64);
    match order {
        FillOrder::Bits => tr!("{n} cells at once, as the bits of a word. One of them:", n = n),
        FillOrder::Offset => tr!("{n} cells of one offset, each from the one before. The first:", n = n),
        FillOrder::Row | FillOrder::Column | FillOrder::Diagonal | FillOrder::Band | FillOrder::CutOff => {
            tr!("{n} cells at once, as none needs another. One of them:", n = n)
        }
    }
}

/// Formats the question for the hidden value of a cell.
pub fn question(board: &MatrixBoard, node: MatrixNode) -> Vec<CellSentencePart> {
    let mut values = vec![("cell", cell_name(board, node, None))];
    values.extend(symbols(board, node.cell));
    let template = match board.matrix.scoring() {
        Some(_) => scores::asks(board, node),
        None => MatrixSentences::of(board.task()).asks(board.matrix.costs()),
    };
    sentence(template, &values)
}

/// Formats the question for the value of the first empty cell, while only the first row and column are filled.
pub fn first_question(board: &MatrixBoard, node: MatrixNode) -> Vec<CellSentencePart> {
    let mut said = vec![CellSentencePart::Strong(t("The borders are filled.").into())];
    said.extend(sentence(t(" What belongs in the first empty cell, "), &[]));
    said.extend(question(board, node));
    said
}

/// Formats the sentence that explains the value of a cell, which must be filled.
pub fn about(board: &MatrixBoard, node: MatrixNode) -> Vec<CellSentencePart> {
    let (value, cell) = (board.matrix.value(node), node.cell);
    let text = |text: String| CellSentencePart::Text(text);
    let template = match board.matrix.scoring() {
        Some(_) => scores::about(board, node),
        None => MatrixSentences::of(board.task()).cell(&board.matrix, cell),
    };
    let mut values = vec![
        ("cell", cell_name(board, node, Some(value))),
        ("edits", text(humanize::count(value.count().into(), "edit", "edits"))),
        ("symbols", text(humanize::count(value.count().into(), "symbol", "symbols"))),
    ];
    values.extend(symbols(board, cell));
    sentence(template, &values)
}

/// Returns the values of a template about the cell `(i, j)`, each with its name. `x` and `y` are the cell's symbols of
/// `a` and `b`. `xs` and `ys` are the prefixes that end with these symbols.
fn symbols(board: &MatrixBoard, MatrixCell { i, j }: MatrixCell) -> Vec<(&'static str, CellSentencePart)> {
    let symbol = |of: &[String], unseen: &[Option<String>], at: usize| {
        let Some(at) = at.checked_sub(1) else { return CellSentencePart::Symbol(String::new()) };
        let shown = of[at].clone();
        match unseen[at].as_deref().and_then(invisible::name) {
            Some(name) => CellSentencePart::Invisible { shown, name },
            None => CellSentencePart::Symbol(shown),
        }
    };
    vec![
        ("x", symbol(&board.a, &board.invisible[0], i)),
        ("y", symbol(&board.b, &board.invisible[1], j)),
        ("xs", CellSentencePart::Symbol(prefix(&board.a, i, board.wide))),
        ("ys", CellSentencePart::Symbol(prefix(&board.b, j, board.wide))),
    ]
}

/// One of the sums of a cell, formatted for display. The best sum is the value of the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumLine {
    /// Direction of the earlier cell, or `None` for the 0 with which an alignment may begin.
    pub input: Option<CellInput>,
    /// The letter of the earlier cell's layer, or `None` if the matrix has one layer.
    pub layer: Option<&'static str>,
    /// The cell whose value is the first term, for example `D[2, 4]`.
    pub from: Option<CellSentencePart>,
    /// The part of the equation between `from` and `total`, for example ` + 1 = 2 + 1 =`.
    pub equation: String,
    /// The meaning of the step from the cell `from`, for example a deletion.
    pub why: Vec<CellSentencePart>,
    /// The value of the sum.
    pub total: CellValue,
    /// Whether the sum is the value of the cell.
    pub wins: bool,
}

/// Returns the sums of a cell, the best of which is its value. A sum that stays in the layer is before the others.
pub fn lines(board: &MatrixBoard, node: MatrixNode) -> Vec<SumLine> {
    let sign = MatrixSentences::of(board.task()).sign;
    let line = |sum: CellSum| SumLine {
        input: Some(sum.input),
        layer: board.has_layers().then(|| sum.layer.name()),
        from: Some(cell_name(board, sum.origin(), None)),
        equation: match board.matrix.scoring() {
            Some(_) => scores::equation(&board.matrix, node.layer, &sum),
            None => format!(" {sign} {} = {} {sign} {} =", sum.adds, sum.value, sum.adds),
        },
        why: why(board, node, &sum),
        total: sum.total,
        wins: sum.wins,
    };
    let start = scores::start(&board.matrix, node).map(|why| SumLine {
        input: None,
        layer: None,
        from: None,
        equation: String::new(),
        why: sentence(why, &[]),
        total: 0.into(),
        wins: board.matrix.is_beginning(node),
    });
    let mut sums: Vec<CellSum> = board.matrix.sums(node).collect();
    sums.sort_by_key(|sum| sum.layer != node.layer);
    sums.into_iter().map(line).chain(start).collect()
}

fn why(board: &MatrixBoard, node: MatrixNode, sum: &CellSum) -> Vec<CellSentencePart> {
    let template = match board.matrix.scoring() {
        Some(_) => scores::why(board, node.layer, sum),
        None if sum.edit == EditKind::Equal && !board.matrix.symbol_match().is_equality() => t("diagonal: {x} and {y} match"),
        None => MatrixSentences::of(board.task()).why(sum.input, board.matrix.equal(node.cell)),
    };
    sentence(template, &symbols(board, node.cell))
}

/// Describes a cell for a screen reader: "Row 3 N, column 5 R: 3, from the corner." `is_told` tells whether the value
/// is visible.
pub fn spoken(board: &MatrixBoard, node: MatrixNode, is_told: bool) -> String {
    let cell = node.cell;
    let head = match (board.has_layers(), is_told) {
        (false, true) => t("Row {i} {x}, column {j} {y}: {value}"),
        (false, false) => t("Row {i} {x}, column {j} {y}: not filled yet"),
        (true, true) => t("Layer {layer}, row {i} {x}, column {j} {y}: {value}"),
        (true, false) => t("Layer {layer}, row {i} {x}, column {j} {y}: not filled yet"),
    };
    let text = |text: String| CellSentencePart::Text(text);
    let mut values = symbols(board, cell);
    values.extend([
        ("i", text(cell.i.to_string())),
        ("j", text(cell.j.to_string())),
        ("value", text(cell_value(board.matrix.value(node)))),
        ("layer", text(node.layer.name().to_owned())),
    ]);
    let said = plain(&sentence(head, &values));
    let origin = |sum: CellSum| if board.has_layers() { from_layer(sum.layer) } else { direction(sum.input) };
    let mut winners: Vec<&str> = board.matrix.sums(node).filter(|sum| is_told && sum.wins).map(origin).collect();
    let is_start = is_told && board.matrix.has_free_start() && board.matrix.is_beginning(node);
    winners.extend(is_start.then(|| t("start here")));
    match winners.is_empty() {
        true => tr!("{said}.", said = said),
        false => tr!("{said}, {from}.", said = said, from = humanize::list(&winners)),
    }
}

fn direction(input: CellInput) -> &'static str {
    match input {
        CellInput::Corner => t("from the corner"),
        CellInput::Above => t("from above"),
        CellInput::Left => t("from the left"),
        CellInput::TwoBack => t("from two back"),
    }
}

fn from_layer(layer: MatrixLayer) -> &'static str {
    match layer {
        MatrixLayer::Main => t("from layer M"),
        MatrixLayer::Deletions => t("from layer D"),
        MatrixLayer::Insertions => t("from layer I"),
    }
}

/// Formats a number given as decimal digits: with grouped thousands, or as a multiple of a power of ten if it has more
/// than 15 digits.
pub fn big(decimal: &str) -> String {
    if decimal.len() <= 15 {
        return crate::model::text::humanize::grouped(decimal.parse().unwrap_or_default());
    }
    let power: String =
        (decimal.len() - 1).to_string().bytes().filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(usize::from(digit - b'0'))).collect();
    format!("{} × 10{power}", crate::model::text::humanize::point(format!("{}.{}", &decimal[..1], &decimal[1..3])))
}

#[cfg(test)]
mod tests {
    use explain::matrix::big_uint::BigUint;
    use kernels::job::{AlignmentMode, EditCosts, FreeEnds, Scoring, Task};

    use super::super::tests::{board, board_with_costs, board_with_scoring};
    use super::*;
    use crate::model::points::PointsPreset;

    #[test]
    fn cell_is_explained_with_the_symbols_of_the_texts() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        let cell = MatrixCell { i: 3, j: 5 }.into();
        let said = about(&board, cell);
        assert_eq!(plain(&said), "D[3, 5] = 3: SUN and SATUR are 3 edits apart, the smallest of three sums.");
        assert_eq!(said[2], CellSentencePart::Symbol("SUN".into()));
        assert_eq!(plain(&question(&board, cell)), "D[3, 5]: how far is SUN from SATUR?");
        let first = plain(&first_question(&board, MatrixCell { i: 1, j: 1 }.into()));
        assert_eq!(first, "The borders are filled. What belongs in the first empty cell, D[1, 1]: how far is S from S?");
        let lines = lines(&board, cell);
        let shown: Vec<String> = lines
            .iter()
            .map(|line| {
                format!("{}{} {} {} {}", line.from.as_ref().unwrap().plain(), line.equation, line.total, plain(&line.why), line.wins)
            })
            .collect();
        assert_eq!(shown[0], "D[2, 4] + 1 = 2 + 1 = 3 diagonal: substitute N by R true");
        assert_eq!(shown[1], "D[2, 5] + 1 = 3 + 1 = 4 above: delete N false");
        assert_eq!(shown[2], "D[3, 4] + 1 = 3 + 1 = 4 left: insert R false");
    }

    #[test]
    fn cell_with_costs_is_explained_with_its_own_sums() {
        let costs = EditCosts { substitute: 2, insert: 3, delete: 1, transpose: Some(1) };
        let board = board_with_costs(costs, "ab", "ba");
        let cell = MatrixCell { i: 2, j: 2 }.into();
        assert_eq!(plain(&about(&board, cell)), "D[2, 2] = 1: ab becomes ba at this cost, the smallest of the sums.");
        assert_eq!(plain(&question(&board, cell)), "D[2, 2]: what does it cost to turn ab into ba?");
        let shown: Vec<String> = lines(&board, cell)
            .iter()
            .map(|line| {
                format!("{}{} {} {} {}", line.from.as_ref().unwrap().plain(), line.equation, line.total, plain(&line.why), line.wins)
            })
            .collect();
        assert_eq!(
            shown,
            [
                "D[1, 1] + 2 = 2 + 2 = 4 diagonal: substitute b by a false",
                "D[1, 2] + 1 = 3 + 1 = 4 above: delete b false",
                "D[2, 1] + 3 = 1 + 3 = 4 left: insert a false",
                "D[0, 0] + 1 = 0 + 1 = 1 two back: swap b and a true",
            ]
        );
        assert_eq!(spoken(&board, cell, true), "Row 2 b, column 2 a: 1, from two back.");
        assert_eq!(plain(&about(&board, MatrixCell { i: 0, j: 2 }.into())), "D[0, 2] = 6: ba is inserted, symbol by symbol.");
    }

    #[test]
    fn invisible_symbols_are_called_by_name() {
        let board = board(Task::EditDistance, "a\tb", "ab\u{202e}");
        let why = plain(&lines(&board, MatrixCell { i: 2, j: 3 }.into())[0].why);
        assert_eq!(why, "diagonal: substitute tab by U+202E right-to-left override");
        assert!(spoken(&board, MatrixCell { i: 2, j: 3 }.into(), true).starts_with("Row 2 tab, column 3 U+202E right-to-left override: "));
        let head = super::super::paint::head(&board);
        assert!(head.contains("title=\"U+202E right-to-left override\">RLO</span>"), "{head}");
    }

    #[test]
    fn every_cell_of_every_task_has_a_sentence() {
        for task in Task::ALL {
            let board = board(task, "aba", "ababa");
            for cell in board.matrix.nodes() {
                let said = plain(&about(&board, cell));
                assert!(!plain(&question(&board, cell)).contains(['{', '*']));
                assert!(said.starts_with(MatrixSentences::of(task).letter) && !said.contains(['{', '*']), "{task:?} {cell:?}: {said}");
                assert!(spoken(&board, cell, true).starts_with("Row "));
                lines(&board, cell).iter().for_each(|line| assert!(!plain(&line.why).contains(['{', '*'])));
            }
        }
    }

    #[test]
    fn step_of_several_cells_states_their_number() {
        assert_eq!(joint_fill_intro(FillOrder::Diagonal, 7), "7 cells at once, as none needs another. One of them:");
        assert!(joint_fill_intro(FillOrder::Bits, 6).starts_with("6 cells at once, as the bits"));
    }

    #[test]
    fn symbols_that_resemble_markup_are_unchanged() {
        let board = board(Task::EditDistance, "*{x}", "*");
        let said = about(&board, MatrixCell { i: 4, j: 1 }.into());
        assert!(plain(&said).contains(": *{x} and * are 3 edits apart"), "{said:?}");
    }

    #[test]
    fn screen_readers_get_value_and_origin_of_a_cell() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        assert_eq!(spoken(&board, MatrixCell { i: 3, j: 5 }.into(), true), "Row 3 N, column 5 R: 3, from the corner.");
        assert_eq!(spoken(&board, MatrixCell { i: 3, j: 5 }.into(), false), "Row 3 N, column 5 R: not filled yet.");
    }

    #[test]
    fn large_counts_are_shown_as_powers_of_ten() {
        assert_eq!(big("7"), "7");
        assert_eq!(big("123456789"), "123,456,789");
        assert_eq!(big("96614908840363322603893139521372656"), "9.66 × 10³⁴");
    }

    fn node(layer: MatrixLayer, i: usize, j: usize) -> MatrixNode {
        layer.at(MatrixCell { i, j })
    }

    /// Returns the sums of a cell as text.
    fn sums(board: &MatrixBoard, node: MatrixNode) -> Vec<String> {
        let line = |line: SumLine| {
            let from = line.from.as_ref().map(CellSentencePart::plain).unwrap_or_default();
            format!("{from}{} {} {}", line.equation, line.total, plain(&line.why))
        };
        lines(board, node).into_iter().map(line).collect()
    }

    #[test]
    fn sums_of_layers_name_layer_and_opening() {
        let board = board_with_scoring(PointsPreset::Gotoh.scoring(), "GCTTAGC", "GCAGTC");
        let here = node(MatrixLayer::Deletions, 4, 2);
        assert_eq!(
            sums(&board, here),
            [
                "D[3, 2] − 1 = 1 − 1 = 0 the gap goes on: T is left out too",
                "M[3, 2] − 2 − 1 = −2 − 3 = −5 a gap opens after a pair",
                "I[3, 2] − 2 − 1 = −5 − 3 = −8 a gap opens after the other kind of gap",
            ]
        );
        assert_eq!(plain(&about(&board, here)), "D[4, 2] = 0: GCTT and GC, where T has no partner.");
        assert_eq!(plain(&question(&board, here)), "D[4, 2]: what is the highest score if T has no partner?");
        assert_eq!(plain(&about(&board, node(MatrixLayer::Main, 0, 3))), "M[0, 3] = −∞: no alignment ends in a pair here.");
        let path = board.path(&BigUint::ZERO).unwrap();
        assert_eq!(scores::column_points(&board, &path), ["+2", "+2", "−3", "−1", "+2", "+2", "−3", "+2"]);
        assert_eq!(spoken(&board, here, true), "Layer D, row 4 T, column 2 C: 0, from layer D.");
    }

    #[test]
    fn start_is_a_fourth_sum_of_a_local_score() {
        let board = board_with_scoring(PointsPreset::SmithWaterman.scoring(), "TGTTACGG", "GGTTGACTA");
        let here = node(MatrixLayer::Main, 5, 2);
        let sums = sums(&board, here);
        assert_eq!(sums[0], "H[4, 1] − 3 = 0 − 3 = −3 diagonal: points of A and G");
        assert_eq!(sums[3], " 0 start here: a sum below 0 is not carried on");
        assert_eq!(plain(&about(&board, here)), "H[5, 2] = 0: no piece that ends in A and G scores above 0.");
        assert_eq!(spoken(&board, here, true), "Row 5 A, column 2 G: 0, start here.");
        assert!(scores::meaning(&board.matrix).contains("starts at a 0"));
    }

    #[test]
    fn every_cell_of_every_scoring_has_sentences() {
        let free = Scoring { mode: AlignmentMode::SemiGlobal, free_ends: FreeEnds::OVERLAP, ..Scoring::DEFAULT };
        let presets = PointsPreset::ALL.map(PointsPreset::scoring);
        for scoring in presets.into_iter().chain([free.clone(), Scoring { gap: PointsPreset::Gotoh.scoring().gap, ..free.clone() }]) {
            let board = board_with_scoring(scoring.clone(), "ACAC", "CAC");
            for node in board.matrix.nodes() {
                let said = [about(&board, node), question(&board, node)];
                assert!(said.iter().all(|said| !plain(said).contains(['{', '*'])), "{node:?} with {scoring:?}");
                assert!(lines(&board, node).iter().all(|line| !plain(&line.why).contains(['{', '*'])));
            }
        }
    }
}
