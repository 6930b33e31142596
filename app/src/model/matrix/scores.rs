//! The words of a matrix of scores, which depend on the part of the texts that is aligned and on the layer of a cell.
//! Templates have the values of [`cell_sentences`](super::cell_sentences).

use explain::matrix::optimal::OptimalPath;
use explain::matrix::{CellInput, CellSum, DpMatrix, MatrixCell, MatrixLayer, MatrixNode};
use kernels::job::Points;

use super::MatrixBoard;
use crate::model::text::humanize::{cell_value, plus, signed};
use crate::tr::t;

/// Returns the template of the sentence about the value of a cell.
pub fn about(board: &MatrixBoard, node: MatrixNode) -> &'static str {
    let (matrix, MatrixCell { i, j }) = (&board.matrix, node.cell);
    let is_beginning = matrix.is_beginning(node);
    if matrix.value(node).number().is_none() {
        return match node.layer {
            MatrixLayer::Main => t("{cell}: no alignment ends in a pair here."),
            MatrixLayer::Deletions => t("{cell}: no alignment ends in a gap in *b* here."),
            MatrixLayer::Insertions => t("{cell}: no alignment ends in a gap in *a* here."),
        };
    }
    match (i, j) {
        (0, _) | (_, 0) if matrix.is_local() && is_beginning => t("{cell}: a piece can start anywhere."),
        (0, 0) => t("{cell}: two empty texts have the score 0."),
        (0, _) if is_beginning => t("{cell}: {ys} may be left out at the start."),
        (_, 0) if is_beginning => t("{cell}: {xs} may be left out at the start."),
        (0, _) => t("{cell}: {ys} is one gap in *a*."),
        (_, 0) => t("{cell}: {xs} is one gap in *b*."),
        _ if matrix.is_local() && is_beginning => t("{cell}: no piece that ends in {x} and {y} scores above 0."),
        _ if board.has_layers() => match node.layer {
            MatrixLayer::Main => t("{cell}: {xs} and {ys}, where {x} and {y} are a pair."),
            MatrixLayer::Deletions => t("{cell}: {xs} and {ys}, where {x} has no partner."),
            MatrixLayer::Insertions => t("{cell}: {xs} and {ys}, where {y} has no partner."),
        },
        _ if matrix.is_local() => t("{cell}: the most points of pieces that end in {x} and {y}."),
        _ => t("{cell}: no alignment of {xs} and {ys} has a higher score."),
    }
}

/// Returns the template of the question for the hidden value of a cell.
pub fn asks(board: &MatrixBoard, node: MatrixNode) -> &'static str {
    match node.layer {
        MatrixLayer::Main if board.has_layers() => t("{cell}: what is the highest score if {x} and {y} are a pair?"),
        MatrixLayer::Main if board.matrix.is_local() => t("{cell}: how many points have the best pieces that end in {x} and {y}?"),
        MatrixLayer::Main => t("{cell}: what is the highest score of an alignment of {xs} and {ys}?"),
        MatrixLayer::Deletions => t("{cell}: what is the highest score if {x} has no partner?"),
        MatrixLayer::Insertions => t("{cell}: what is the highest score if {y} has no partner?"),
    }
}

/// Returns the template of the reason for a sum of a cell in `layer`.
pub fn why(board: &MatrixBoard, layer: MatrixLayer, sum: &CellSum) -> &'static str {
    if !board.has_layers() {
        return match sum.input {
            CellInput::Corner | CellInput::TwoBack => t("diagonal: points of {x} and {y}"),
            CellInput::Above => t("above: {x} in a gap"),
            CellInput::Left => t("left: {y} in a gap"),
        };
    }
    match (layer, sum.layer) {
        (MatrixLayer::Main, MatrixLayer::Main) => t("after a pair: points of {x} and {y}"),
        (MatrixLayer::Main, _) => t("after a gap: points of {x} and {y}"),
        (MatrixLayer::Deletions, MatrixLayer::Deletions) => t("the gap goes on: {x} is left out too"),
        (MatrixLayer::Insertions, MatrixLayer::Insertions) => t("the gap goes on: {y} is left out too"),
        (_, MatrixLayer::Main) => t("a gap opens after a pair"),
        _ => t("a gap opens after the other kind of gap"),
    }
}

/// Returns the reason why the value of a cell may be 0 without a sum, or `None` if no alignment may begin in the cell.
/// The first cell of a global alignment needs no reason.
pub fn start(matrix: &DpMatrix, node: MatrixNode) -> Option<&'static str> {
    if !matrix.has_free_start() || !matrix.may_begin(node) {
        return None;
    }
    Some(if matrix.is_local() { t("start here: a sum below 0 is not carried on") } else { t("start here: what is before may be left out") })
}

/// Returns the meaning of the values. Names stand between asterisks.
pub fn meaning(matrix: &DpMatrix) -> &'static str {
    match (matrix.layers().len() > 1, matrix.is_local()) {
        (true, _) => t(
            "A layer says what the last column is, so that a cell knows whether a gap is open. A small letter in a cell names the layer of its value; −∞ cannot be reached.",
        ),
        (false, true) => t(
            "*H*[*i*, *j*] is the highest score of two pieces that end with symbol *i* of *a* and symbol *j* of *b*. The path starts at a 0 and ends at the greatest value.",
        ),
        (false, false) => t("*H*[*i*, *j*] is the highest score of an alignment of the first *i* symbols of *a* and the first *j* of *b*."),
    }
}

/// Returns the words below the letter of a layer, with names in italics.
pub fn caption(layer: MatrixLayer) -> &'static str {
    match layer {
        MatrixLayer::Main => t("ends in a pair"),
        MatrixLayer::Deletions => t("ends in a gap in *b*"),
        MatrixLayer::Insertions => t("ends in a gap in *a*"),
    }
}

/// Formats the step of `sum` to a cell in `layer`: an addition or subtraction before and after the value of the earlier
/// cell, for example ` − 2 − 1 = −2 − 3 =`.
pub fn equation(matrix: &DpMatrix, layer: MatrixLayer, sum: &CellSum) -> String {
    let step = |points: Points| format!(" {} {}", if points < Points::ZERO { '−' } else { '+' }, signed(points.abs()));
    let gap = matrix.scoring().map(|scoring| scoring.numbers().gap).unwrap_or_default();
    let is_opened = sum.input != CellInput::Corner && sum.layer != layer;
    let parts = if is_opened { step(-gap.open) + &step(-gap.extend) } else { step(sum.adds) };
    format!("{parts} = {}{} =", cell_value(sum.value), step(sum.adds))
}

/// Returns the points that each column of the alignment `path` adds to its score, with signs.
pub fn column_points(board: &MatrixBoard, path: &OptimalPath) -> Vec<String> {
    let values: Vec<Points> = path.nodes().filter_map(|node| board.matrix.value(node).number()).collect();
    values.windows(2).map(|pair| plus(pair[1] - pair[0])).collect()
}
