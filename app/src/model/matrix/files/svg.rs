//! The matrix as a self-contained SVG drawing, with colours and a legend.

use std::fmt::Write as _;

use explain::matrix::{MatrixCell, MatrixLayer};

use super::{MatrixDrawing, colour};
use crate::model::alignment::sign::sign;
use crate::model::matrix::ink::{self, ArrowStrokes, CELL};
use crate::model::task::MatrixSentences;
use crate::model::text::humanize::cell_value;
use crate::model::text::markup::escape_xml as escape;

/// Width and height of a cell, in pixels.
const PIXELS: f64 = 44.0;

/// Height that the legend adds to the drawing, in heights of a cell.
const LEGEND_ROWS: usize = 2;

/// Minimum width of the drawing, which the legend needs, in widths of a cell.
const LEGEND_COLUMNS: usize = 10;

/// Minimum width of the drawing if the legend has exchanges.
const LEGEND_COLUMNS_WITH_SWAPS: usize = 12;

/// Writes the SVG document. A cell is 100 units wide and high. The headings are left of and above the origin. Three
/// layers stand side by side.
pub fn svg(drawn: &MatrixDrawing) -> String {
    let MatrixCell { i: rows, j: columns } = drawn.board.matrix.last();
    let has_swaps = drawn.board.matrix.costs().transpose.is_some();
    let legend_columns = if has_swaps { LEGEND_COLUMNS_WITH_SWAPS } else { LEGEND_COLUMNS };
    let layers = drawn.board.matrix.layers();
    let step = CELL * (columns + 3);
    let (width, height) = ((step * layers.len() - CELL).max(CELL * legend_columns), CELL * (rows + 2 + LEGEND_ROWS));
    let pixels = |units: usize| units as f64 / CELL as f64 * PIXELS;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" viewBox=\"-{CELL} -{CELL} {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"34\" text-anchor=\"middle\" fill=\"#15201c\">\n<title>{}</title>\n\
         <rect x=\"-{CELL}\" y=\"-{CELL}\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        pixels(width),
        pixels(height),
        escape(drawn.caption)
    );
    for (nth, &layer) in layers.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate({} 0)\">", nth * step);
        of_layer(&mut out, drawn, layer);
        out.push_str("</g>\n");
    }
    legend(&mut out, drawn, CELL * (rows + 1));
    out.push_str("</svg>\n");
    out
}

/// Draws the cells of one layer with their ribbon and arrows.
fn of_layer(out: &mut String, drawn: &MatrixDrawing, layer: MatrixLayer) {
    let MatrixCell { i: rows, j: columns } = drawn.board.matrix.last();
    for MatrixCell { i, j } in drawn.board.matrix.cells().filter(|&cell| (drawn.is_now)(cell)) {
        let _ = writeln!(out, "<rect x=\"{}\" y=\"{}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"#ddefe8\"/>", CELL * j, CELL * i);
    }
    grid(out, rows, columns);
    for (edit, d) in drawn.path.map(|path| ink::ribbon(path, layer)).unwrap_or_default() {
        let _ = writeln!(
            out,
            "<path d=\"{d}\" fill=\"none\" stroke=\"#{}\" stroke-width=\"64\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
            colour(edit)
        );
    }
    if let Some([x, y, width, height]) = drawn.path.and_then(|path| ink::piece(drawn.board, path)) {
        let frame = "fill=\"none\" stroke=\"#15201c\" stroke-width=\"5\"";
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {frame}/>");
    }
    texts(out, drawn, layer);
    let arrows = ink::arrows(drawn.board, layer, drawn.path, drawn.arrows, drawn.is_filled);
    strokes(out, &arrows.other, "#5f6b66\" stroke-dasharray=\"7 6\" opacity=\".7", 3);
    strokes(out, &arrows.winning, "#5f6b66", 4);
    strokes(out, &arrows.path, "#15201c", 6);
    strokes(out, &arrows.substituted, "#15201c", 6);
    for letters in arrows.letters.iter().filter(|letters| !letters.text.is_empty()) {
        let style = "font-size=\"24\" font-style=\"italic\" fill=\"#0c6a54\"";
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" {style}>{}</text>", letters.x, letters.y, letters.text);
    }
}

fn grid(out: &mut String, rows: usize, columns: usize) {
    let mut d = String::new();
    for i in 0..=rows + 1 {
        let _ = write!(d, "M0 {}h{}", CELL * i, CELL * (columns + 1));
    }
    for j in 0..=columns + 1 {
        let _ = write!(d, "M{} 0v{}", CELL * j, CELL * (rows + 1));
    }
    let _ = writeln!(out, "<path d=\"{d}\" fill=\"none\" stroke=\"#dce2df\" stroke-width=\"2\"/>");
}

fn texts(out: &mut String, MatrixDrawing { board, path, is_filled: is_told, .. }: &MatrixDrawing, layer: MatrixLayer) {
    let head = |symbol: &str| -> String { escape(&symbol.chars().take(4).collect::<String>()) };
    let mut text = |x: i64, y: i64, style: &str, text: &str| {
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\"{style}>{text}</text>", x + 50, y + 62);
    };
    let size = CELL as i64;
    let mono = " font-family=\"monospace\" font-weight=\"600\"";
    let empty = " font-style=\"italic\" fill=\"#47534e\"";
    if board.has_layers() {
        text(-size, -size, " font-style=\"italic\" font-weight=\"700\"", layer.name());
    }
    text(0, -size, empty, "ε");
    text(-size, 0, empty, "ε");
    (1..).zip(&board.b).for_each(|(j, symbol)| text(size * j, -size, mono, &head(symbol)));
    (1..).zip(&board.a).for_each(|(i, symbol)| text(-size, size * i, mono, &head(symbol)));
    for cell in board.matrix.cells().filter(|&cell| is_told(cell)) {
        let node = layer.at(cell);
        let bold = if path.is_some_and(|path| path.nodes().any(|other| other == node)) { " font-weight=\"700\"" } else { "" };
        text(size * cell.j as i64, size * cell.i as i64, bold, &cell_value(board.matrix.value(node)));
    }
}

/// Draws arrows with shafts that are `width` units wide. `colour` is inserted into an attribute, and may close it to
/// add other attributes.
fn strokes(out: &mut String, ArrowStrokes { lines, heads }: &ArrowStrokes, colour: &str, width: usize) {
    if !lines.is_empty() {
        let _ = writeln!(out, "<path d=\"{lines}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>");
        let _ = writeln!(out, "<path d=\"{heads}\" fill=\"{colour}\"/>");
    }
}

fn legend(out: &mut String, MatrixDrawing { board, caption, .. }: &MatrixDrawing, y: usize) {
    for (at, (edit, word)) in MatrixSentences::of(board.task()).edits(&board.matrix).enumerate() {
        let x = 230 * at as i64 - 90;
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{}\" width=\"40\" height=\"40\" fill=\"#{}\"/>", y + 30, colour(edit));
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" font-size=\"26\">{}</text>", x + 20, y + 59, sign(edit));
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" font-size=\"26\" text-anchor=\"start\">{}</text>", x + 52, y + 59, escape(word));
    }
    let _ = writeln!(out, "<text x=\"-90\" y=\"{}\" font-size=\"26\" text-anchor=\"start\">{}</text>", y + 130, escape(caption));
}

#[cfg(test)]
mod tests {
    use explain::matrix::big_uint::BigUint;
    use kernels::job::{EditCosts, Task};

    use super::*;
    use crate::model::matrix::ArrowSelection;
    use crate::model::matrix::tests::{board, board_with_costs, board_with_scoring};
    use crate::model::points::PointsPreset;

    #[test]
    fn drawing_is_well_formed_and_symbols_are_escaped() {
        let board = board(Task::EditDistance, "SUN<", "SATU&");
        let path = board.path(&BigUint::ZERO);
        let drawn = MatrixDrawing {
            board: &board,
            is_filled: &|_| true,
            is_now: &|_| false,
            path: path.as_ref(),
            arrows: ArrowSelection::All,
            caption: "a < b & c",
        };
        let drawing = svg(&drawn);
        assert!(drawing.starts_with("<svg xmlns") && drawing.ends_with("</svg>\n"));
        assert!(
            drawing.contains("<title>a &lt; b &amp; c</title>") && drawing.contains(">&lt;</text>") && drawing.contains(">&amp;</text>")
        );
        assert_eq!(drawing.matches("<text").count(), 30 + 11 + 9);
        assert_eq!(drawing.matches('<').count(), drawing.matches('>').count());
        assert!(drawing.contains("stroke-dasharray"));
        // Before the last step, cells that are not filled are empty, and cells of the current step are tinted.
        let half =
            svg(&MatrixDrawing { is_filled: &|cell| cell.i < 3, is_now: &|cell| cell == MatrixCell { i: 2, j: 5 }, path: None, ..drawn });
        assert_eq!(half.matches("<text").count(), 18 + 11 + 9);
        assert_eq!(half.matches("#ddefe8").count(), 1);
        let gotoh = board_with_scoring(PointsPreset::Gotoh.scoring(), "GCTTAGC", "GCAGTC");
        let path = gotoh.path(&BigUint::ZERO);
        let layers = svg(&MatrixDrawing { board: &gotoh, path: path.as_ref(), is_filled: &|_| true, is_now: &|_| false, ..drawn });
        assert_eq!((layers.matches("<g ").count(), layers.matches(">−∞</text>").count()), (3, 7 + 6 + 7 + 8));
        assert!(layers.contains("translate(1800 0)") && layers.contains(">I</text>"), "{layers}");
        let swapped = board_with_costs(EditCosts::OSA, "ab", "ba");
        let path = swapped.path(&BigUint::ZERO);
        let swap = svg(&MatrixDrawing { board: &swapped, path: path.as_ref(), is_filled: &|_| true, is_now: &|_| false, ..drawn });
        assert!(swap.contains(">⇄</text>") && swap.contains(">swap</text>") && swap.contains("M250 250L50 50"), "{swap}");
    }
}
