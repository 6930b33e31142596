//! The matrix as a TikZ picture for a LaTeX document, which needs the package `tikz`, and an engine and a font with
//! glyphs for the symbols.

use kernels::job::Points;
use std::fmt::Write as _;

use explain::matrix::{CellInput, MatrixCell, MatrixLayer};
use kernels::alignment::EditKind;

use super::{MatrixDrawing, colour};
use crate::model::matrix::ArrowSelection;

/// Writes the TikZ picture. A cell is one unit wide and high, and the y axis points down. Three layers are three scopes
/// side by side.
pub fn tikz(drawn: &MatrixDrawing) -> String {
    let columns = drawn.board.matrix.last().j;
    let mut out = format!("% {}\n% needs \\usepackage{{tikz}}\n", drawn.caption.replace(['\n', '\r'], " "));
    for (edit, name) in
        [(EditKind::Equal, "equal"), (EditKind::Substitute, "substitute"), (EditKind::Insert, "insert"), (EditKind::Delete, "delete")]
    {
        let _ = writeln!(out, "\\definecolor{{es-{name}}}{{HTML}}{{{}}}", colour(edit).to_uppercase());
    }
    out.push_str("\\begin{tikzpicture}[x=9mm, y=-9mm, >=latex]\n");
    for (nth, &layer) in drawn.board.matrix.layers().iter().enumerate() {
        if drawn.board.has_layers() {
            let _ = writeln!(out, "\\begin{{scope}}[shift={{({}, 0)}}]", nth * (columns + 3));
        }
        of_layer(&mut out, drawn, layer);
        if drawn.board.has_layers() {
            out.push_str("\\end{scope}\n");
        }
    }
    out.push_str("\\end{tikzpicture}\n");
    out
}

/// Draws the cells of one layer with their path and arrows.
fn of_layer(out: &mut String, MatrixDrawing { board, is_filled: is_told, is_now, path, arrows, .. }: &MatrixDrawing, layer: MatrixLayer) {
    let MatrixCell { i: rows, j: columns } = board.matrix.last();
    for MatrixCell { i, j } in board.matrix.cells().filter(|&cell| is_now(cell)) {
        let _ = writeln!(out, "  \\fill[black!10] ({}, {}) rectangle +(1, 1);", j as f64 - 0.5, i as f64 - 0.5);
    }
    if let Some(path) = path {
        let steps = path.nodes().zip(path.nodes().skip(1)).zip(&path.edits);
        for ((from, to), edit) in steps.filter(|((_, to), _)| to.layer == layer) {
            let name = match edit {
                EditKind::Equal => "equal",
                EditKind::Substitute | EditKind::Transpose => "substitute",
                EditKind::Insert => "insert",
                EditKind::Delete => "delete",
            };
            // A step from another layer is a dot.
            let (from, to) = (if from.layer == layer { from.cell } else { to.cell }, to.cell);
            let _ = writeln!(out, "  \\draw[es-{name}, line width=5mm, line cap=round] ({}, {}) -- ({}, {});", from.j, from.i, to.j, to.i);
        }
    }
    let _ = writeln!(out, "  \\draw[black!20, shift={{(-.5, -.5)}}] (0, 0) grid ({}, {});", columns + 1, rows + 1);
    let mut node = |x: i64, y: i64, text: &str| {
        let _ = writeln!(out, "  \\node at ({x}, {y}) {{{text}}};");
    };
    if board.has_layers() {
        node(-1, -1, &format!("$\\mathbf{{{}}}$", layer.name()));
    }
    node(0, -1, "$\\varepsilon$");
    node(-1, 0, "$\\varepsilon$");
    (1..).zip(&board.b).for_each(|(j, symbol)| node(j, -1, &format!("\\texttt{{{}}}", escaped(symbol))));
    (1..).zip(&board.a).for_each(|(i, symbol)| node(-1, i, &format!("\\texttt{{{}}}", escaped(symbol))));
    for cell in board.matrix.cells().filter(|&cell| is_told(cell)) {
        let value = board.matrix.value(layer.at(cell)).number();
        node(cell.j as i64, cell.i as i64, &value.map_or("$-\\infty$".to_owned(), written));
    }
    for cell in board.matrix.cells().filter(|&cell| is_told(cell)) {
        for sum in board.matrix.sums(layer.at(cell)) {
            let step = (sum.origin(), layer.at(cell));
            let on_path = path.is_some_and(|path| path.nodes().zip(path.nodes().skip(1)).any(|other| other == step));
            if sum.layer != layer {
                if sum.wins && (on_path || *arrows != ArrowSelection::Path) {
                    let (x, y) = (cell.j as f64 + if sum.input == CellInput::Above { 0.25 } else { -0.38 }, cell.i as f64 - 0.38);
                    let _ = writeln!(out, "  \\node[font=\\tiny\\itshape] at ({x:.2}, {y:.2}) {{{}}};", sum.layer.name());
                }
                continue;
            }
            let style = match (on_path && sum.wins, sum.wins, arrows) {
                (true, ..) => "thick",
                (_, _, ArrowSelection::Path) | (_, false, ArrowSelection::Winning) => continue,
                (_, true, _) => "black!60",
                (_, false, ArrowSelection::All) => "black!40, densely dotted",
            };
            let (x, y) = match sum.input {
                CellInput::Corner | CellInput::TwoBack => (0.28, 0.28),
                CellInput::Above => (0.0, 0.28),
                CellInput::Left => (0.28, 0.0),
            };
            let (i, j) = (cell.i as f64, cell.j as f64);
            let (to_i, to_j) = (sum.from.i as f64, sum.from.j as f64);
            let line = if sum.input == CellInput::TwoBack { "to[bend left=25]" } else { "--" };
            let _ = writeln!(out, "  \\draw[->, {style}] ({:.2}, {:.2}) {line} ({:.2}, {:.2});", j - x, i - y, to_j + x, to_i + y);
        }
    }
}

/// Formats a number, a negative one in mathematics because of its sign.
fn written(number: Points) -> String {
    if number < Points::ZERO { format!("${number}$") } else { number.to_string() }
}

/// Escapes a symbol for LaTeX.
fn escaped(symbol: &str) -> String {
    let mut out = String::new();
    for letter in symbol.chars() {
        match letter {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', letter]),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use explain::matrix::big_uint::BigUint;
    use kernels::job::{EditCosts, Task};

    use super::*;
    use crate::model::matrix::tests::{board, board_with_costs, board_with_scoring};
    use crate::model::points::PointsPreset;

    #[test]
    fn tikz_picture_has_every_value_and_the_selected_arrows() {
        let board = board(Task::EditDistance, "a_", "b%");
        let path = board.path(&BigUint::ZERO);
        let drawn = MatrixDrawing {
            board: &board,
            is_filled: &|_| true,
            is_now: &|_| false,
            path: path.as_ref(),
            arrows: ArrowSelection::Path,
            caption: "two\nlines",
        };
        let picture = tikz(&drawn);
        assert_eq!(picture.matches("\\node").count(), 9 + 6);
        assert_eq!(picture.matches("[->, thick]").count(), 2);
        assert_eq!(picture.matches("[->,").count(), 2);
        assert!(picture.starts_with("% two lines\n") && picture.contains("\\texttt{\\_}") && picture.contains("\\texttt{\\%}"));
        assert!(picture.ends_with("\\end{tikzpicture}\n"));
        assert_eq!(escaped("\\{^~&"), "\\textbackslash{}\\{\\textasciicircum{}\\textasciitilde{}\\&");
        let half = tikz(&MatrixDrawing { is_filled: &|cell| cell.i == 0, is_now: &|cell| cell.i == 0, path: None, ..drawn });
        assert_eq!((half.matches("\\node").count(), half.matches("\\fill").count()), (3 + 6, 3));
        let all = tikz(&MatrixDrawing { arrows: ArrowSelection::All, ..drawn });
        let gotoh = board_with_scoring(PointsPreset::Gotoh.scoring(), "GCTTAGC", "GCAGTC");
        let path = gotoh.path(&BigUint::ZERO);
        let layers = tikz(&MatrixDrawing { board: &gotoh, path: path.as_ref(), ..drawn });
        assert_eq!((layers.matches("\\begin{scope}").count(), layers.matches("$-\\infty$").count()), (3, 28));
        assert!(layers.contains("\\begin{scope}[shift={(18, 0)}]") && layers.contains("{$-11$}"), "{layers}");
        let swapped = board_with_costs(EditCosts::OSA, "ab", "ba");
        let path = swapped.path(&BigUint::ZERO);
        let swap = tikz(&MatrixDrawing { board: &swapped, path: path.as_ref(), ..drawn });
        assert!(swap.contains("\\draw[->, thick] (1.72, 1.72) to[bend left=25] (0.28, 0.28);"), "{swap}");
        assert!(swap.contains("\\draw[es-substitute, line width=5mm, line cap=round] (0, 0) -- (2, 2);"), "{swap}");
        assert_eq!(all.matches("[->,").count(), board.matrix.cells().map(|cell| board.matrix.sums(cell).count()).sum::<usize>());
    }
}
