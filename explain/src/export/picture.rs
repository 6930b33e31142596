//! Some columns of an alignment as a picture (SVG 1.1), drawn by [`write_svg`]. Both texts are in rows with signs, ruler and
//! positions, above a legend. The file contains all colours and fonts and the position of every letter, so that it
//! looks the same everywhere.

use std::borrow::Cow;
use std::fmt::{self, Write};

use kernels::alignment::EditKind;
use kernels::base_set::SymbolMatch;
use kernels::humanize::grouped;
use kernels::text::{Pair, Unit};

use crate::invisible::{visible_text, visible_unit};
use crate::window::AlignmentWindow;

/// Maximum width of a row, in letters (character cells).
const WIDTH: usize = 80;

/// Width of a letter, in user units of the SVG.
const LETTER_WIDTH: usize = 9;

/// Height of a row with its ruler and the space below it, in user units of the SVG.
const PICTURE_ROW_HEIGHT: usize = 78;

/// Space to the left of the letters for positions, in user units of the SVG.
const POSITION_MARGIN: usize = 110;
/// Space around the picture, in user units of the SVG.
const PICTURE_MARGIN: usize = 16;

/// Edit kinds in the order of the legend: kind, CSS class, sign, name.
const KINDS: [(EditKind, &str, &str, &str); 5] = [
    (EditKind::Substitute, "x", "×", "substituted"),
    (EditKind::Insert, "i", "+", "inserted (only in b)"),
    (EditKind::Delete, "d", "−", "deleted (only in a)"),
    (EditKind::Equal, "e", "|", "equal"),
    (EditKind::Transpose, "x", "⇄", "transposed"),
];

/// Style sheet of the picture, with the light colours of the page. Readers who cannot tell the colours apart see the
/// edits by their signs.
const STYLE: &str = "text{font:15px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#15201c;white-space:pre}\
.n,.l{font:12px system-ui,sans-serif;fill:#5f6b66}.l{fill:#15201c}.s{fill:#47534e}.r{stroke:#7d8984;fill:none}\
.x{fill:#fce078}.i{fill:#b0d2fa}.d{fill:#f8aca4}.e{fill:#fff;stroke:#7d8984}";

/// One column of the alignment in the picture: its edit, its number and its symbols.
struct PictureCell {
    edit: EditKind,
    column: u64,
    /// The symbols of `a` and of `b`; `None` for a gap.
    letters: [Option<String>; 2],
    /// Width of the column, in letters (character cells).
    width: usize,
}

/// One row of the picture: its columns, and the numbers of symbols of `a` and `b` before and up to the end of the row.
#[derive(Default)]
struct PictureRow {
    cells: Vec<PictureCell>,
    width: usize,
    from: [u64; 2],
    to: [u64; 2],
}

/// Writes the picture of `window`, a part of an alignment of `pair`. The file has about 100 bytes for each run of equal
/// edits, or for each column if symbols are wide.
///
/// # Errors
/// Returns an error if writing to `out` fails.
///
/// ```
/// use explain::export::picture::write_svg;
/// use explain::window::AlignmentWindow;
/// use kernels::text::{Pair, ReadingOptions};
///
/// let pair = Pair::parse(&b"kitten"[..], &b"<itting"[..], &ReadingOptions::default()).unwrap();
/// let window = AlignmentWindow::new(&"1X3=1X1=1I".parse().unwrap(), &pair, 0, 100);
/// let mut out = String::new();
/// write_svg(&mut out, &window, &pair).unwrap();
/// assert!(out.starts_with("<svg ") && out.contains("&lt;") && !out.contains("><<"));
/// ```
pub fn write_svg(out: &mut dyn Write, window: &AlignmentWindow, pair: &Pair) -> fmt::Result {
    let rows = rows(window, pair.a.unit());
    let wide = rows.iter().map(|row| row.width).max().unwrap_or(0).max(WIDTH / 2) * LETTER_WIDTH + 2 * POSITION_MARGIN;
    let high = rows.len() * PICTURE_ROW_HEIGHT + 2 * PICTURE_MARGIN + 24;
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\">"
    )?;
    let (from, to) = (grouped(window.from), grouped(window.from + window.len));
    write!(out, "<title>Alignment, columns {from} to {to}</title><style>{STYLE}</style>")?;
    write!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    for (at, row) in rows.iter().enumerate() {
        write!(out, "<g transform=\"translate({POSITION_MARGIN} {})\">", PICTURE_MARGIN + at * PICTURE_ROW_HEIGHT)?;
        draw(out, row)?;
        out.write_str("</g>")?;
    }
    legend(out, window, pair.symbol_match, high - PICTURE_MARGIN)?;
    out.write_str("</svg>\n")
}

/// Draws a row from top to bottom: the ruler, the symbols of `a`, the signs, and the symbols of `b`.
fn draw(out: &mut dyn Write, row: &PictureRow) -> fmt::Result {
    let mut x = 0;
    let mut ticks = String::new();
    for cell in &row.cells {
        if cell.column.is_multiple_of(10) {
            write!(ticks, "M{x} 16v-4")?;
        }
        if cell.column.is_multiple_of(20) {
            write!(out, "<text class=\"n\" x=\"{x}\" y=\"9\">{}</text>", grouped(cell.column))?;
        }
        x += cell.width * LETTER_WIDTH;
    }
    write!(out, "<path class=\"r\" d=\"{ticks}M0 16H{x}\"/>")?;
    for (line, y) in [(0, 32), (1, 64)] {
        let name = ["a", "b"][line];
        write!(out, "<text class=\"n\" x=\"-8\" y=\"{y}\" text-anchor=\"end\">{name} {}</text>", grouped(row.from[line]))?;
        write!(out, "<text class=\"n\" x=\"{}\" y=\"{y}\">{}</text>", x + 8, grouped(row.to[line]))?;
    }
    let mut x = 0;
    // Narrow letters are written together; each wide symbol has a text element of its own.
    for run in row.cells.chunk_by(|one, next| one.edit == next.edit && one.width == 1 && next.width == 1) {
        let Some(first) = run.first() else { continue };
        let wide: usize = run.iter().map(|cell| cell.width).sum::<usize>() * LETTER_WIDTH;
        for (line, y) in [(0, 32), (1, 64)] {
            let gap = first.letters[line].is_none();
            if first.edit != EditKind::Equal && !gap {
                write!(out, "<rect class=\"{}\" x=\"{x}\" y=\"{}\" width=\"{wide}\" height=\"18\"/>", class(first.edit), y - 14)?;
            }
            let letters: String = run.iter().map(|cell| cell.letters[line].clone().unwrap_or_else(|| "–".repeat(cell.width))).collect();
            text(out, (x, y, wide), &letters)?;
        }
        let signs = sign(first.edit).repeat(run.iter().map(|cell| cell.width).sum());
        write!(out, "<g class=\"s\">")?;
        text(out, (x, 48, wide), &signs)?;
        out.write_str("</g>")?;
        x += wide;
    }
    Ok(())
}

fn text(out: &mut dyn Write, (x, y, wide): (usize, usize, usize), letters: &str) -> fmt::Result {
    if letters.is_empty() {
        return Ok(());
    }
    write!(out, "<text x=\"{x}\" y=\"{y}\" textLength=\"{wide}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>", escaped(letters))
}

fn legend(out: &mut dyn Write, window: &AlignmentWindow, symbol_match: SymbolMatch, y: usize) -> fmt::Result {
    let mut x = PICTURE_MARGIN;
    for (edit, class, sign, name) in KINDS {
        let columns: u64 = window.stretches.iter().filter(|stretch| stretch.edit == edit).map(|stretch| u64::from(stretch.len)).sum();
        // An exchange has two columns, of which the window may show one.
        let count = match edit {
            EditKind::Transpose if columns == 0 => continue,
            EditKind::Transpose => columns.div_ceil(2),
            EditKind::Equal | EditKind::Substitute | EditKind::Insert | EditKind::Delete => columns,
        };
        let name = if edit == EditKind::Equal && !symbol_match.is_equality() { "matching" } else { name };
        let label = format!("{sign} {} {name}", grouped(count));
        write!(out, "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"14\" height=\"14\"/>", y - 11)?;
        write!(out, "<text class=\"l\" x=\"{}\" y=\"{y}\">{label}</text>", x + 20)?;
        x += 40 + 7 * label.chars().count();
    }
    Ok(())
}

/// Divides the columns of a window into rows of at most [`WIDTH`] letters. `unit` is the kind of the symbols.
fn rows(window: &AlignmentWindow, unit: Unit) -> Vec<PictureRow> {
    let (mut a, mut b) = (window.a.iter(), window.b.iter());
    let mut at = [window.a_start, window.b_start];
    let edits = window.stretches.iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
    let mut rows: Vec<PictureRow> = Vec::new();
    for (column, edit) in (window.from..).zip(edits) {
        let (di, dj) = edit.consumed_symbols();
        let letters = [a.by_ref().take(di as usize).next(), b.by_ref().take(dj as usize).next()].map(|unit| unit.map(|unit| visible(unit)));
        let space = usize::from(unit == Unit::Words);
        let width = letters.iter().flatten().map(|letters| boxes(letters)).max().unwrap_or(1) + space;
        let row = match rows.last_mut() {
            Some(row) if row.width + width <= WIDTH => row,
            _ => {
                rows.push(PictureRow { from: at, to: at, ..PictureRow::default() });
                let Some(row) = rows.last_mut() else { break };
                row
            }
        };
        at = [at[0] + di, at[1] + dj];
        row.to = at;
        row.width += width;
        row.cells.push(PictureCell { edit, column, letters, width });
    }
    rows
}

fn class(edit: EditKind) -> &'static str {
    KINDS.iter().find(|kind| kind.0 == edit).map_or("e", |kind| kind.1)
}

fn sign(edit: EditKind) -> &'static str {
    KINDS.iter().find(|kind| kind.0 == edit).map_or("|", |kind| kind.2)
}

/// Returns the visible form of the symbol `unit`, shortened to fit in a row. Invisible characters are replaced, because
/// XML forbids some and others change the direction of the row.
fn visible(unit: &str) -> String {
    let whole = visible_unit(unit).map_or_else(|| visible_text(unit.trim_end_matches(['\n', '\r'])), Cow::into_owned);
    let mut shown: String = whole.chars().take(WIDTH - 2).collect();
    if whole.chars().nth(WIDTH - 2).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

/// Returns the width of a symbol, in letters (character cells). Characters beyond European alphabets, and emoji of
/// several characters, take two.
fn boxes(letters: &str) -> usize {
    let wide = |char: char| if u32::from(char) < 0x1100 { 1 } else { 2 };
    let all: usize = letters.chars().map(wide).sum();
    if letters.contains('\u{200d}') { 2 } else { all.clamp(1, WIDTH - 1) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use kernels::text::ReadingOptions;

    use super::*;

    fn drawn(a: &str, b: &str, cigar: &str, unit: Unit) -> String {
        drawn_as(a, b, cigar, &ReadingOptions { unit, ..ReadingOptions::default() })
    }

    fn drawn_as(a: &str, b: &str, cigar: &str, reading: &ReadingOptions) -> String {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), reading).unwrap();
        let mut out = String::new();
        write_svg(&mut out, &AlignmentWindow::new(&cigar.parse().unwrap(), &pair, 0, 1_000), &pair).unwrap();
        out
    }

    #[test]
    fn rows_wrap_and_have_positions_at_both_ends() {
        let out = drawn(&"ACGT".repeat(50), &"ACGT".repeat(50), "200=", Unit::Bytes);
        assert_eq!(out.matches("<g transform").count(), 3);
        assert!(out.contains(">a 80</text>") && out.contains(">160</text>") && out.contains("| 200 equal"), "{out}");
    }

    #[test]
    fn ambiguity_codes_are_matching_in_the_legend() {
        let out = drawn_as("RN", "GC", "2=", &ReadingOptions { ambiguity: true, ..ReadingOptions::default() });
        assert!(out.contains("| 2 matching") && !out.contains("equal"), "{out}");
    }

    #[test]
    fn exchanges_have_their_own_sign() {
        let out = drawn("xab", "xba", "1=2T", Unit::Bytes);
        assert!(out.contains(">⇄⇄</text>") && out.contains("⇄ 1 transposed") && out.contains("<rect class=\"x\" x=\"9\""), "{out}");
        assert!(!drawn("x", "x", "1=", Unit::Bytes).contains('⇄'));
    }

    #[test]
    fn svg_is_well_formed_for_any_text() {
        for (a, unit) in
            [("<&>\u{1}\u{7f}\u{ffff}\"", Unit::Chars), ("👩‍🚀é中", Unit::Graphemes), ("one <b> two", Unit::Words), ("", Unit::Bytes)]
        {
            let pair = Pair::parse(a.as_bytes(), &b""[..], &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
            let out = drawn(a, "", &format!("{}D", pair.a.len()).replace("0D", ""), unit);
            let inside = out.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "");
            assert!(!inside.contains('&') && !inside.chars().any(|char| char.is_control() && char != '\n'), "{out}");
            let (opened, closed) = (inside.matches('<').count(), inside.matches('>').count());
            assert_eq!(opened, closed, "{out}");
        }
    }

    #[test]
    fn words_are_separated() {
        let out = drawn("the cat", "the dog", "1=1X", Unit::Words);
        assert!(out.contains("textLength=\"36\" lengthAdjust=\"spacingAndGlyphs\">cat</text>"), "{out}");
    }
}
