//! A picture of a result, as SVG: the answer, the share of each edit in the alignment, the beginning of the alignment,
//! and the legend. [`ResultPicture`] has its content.
//!
//! The picture is self-contained: it uses no style sheets and no embedded fonts. Its light colours on white look the
//! same on a slide, in a browser and on the server.
//!
//! - `card`: a version with fewer and larger letters, for previews of links

use std::fmt::Write as _;

use explain::window::AlignmentWindow;
use kernels::alignment::{AlignmentSummary, EditKind};
use kernels::job::Unit;

use crate::model::alignment::rows::{AlignmentRow, RowPiece, rows, visible_text};
use crate::model::alignment::sign::sign;
use crate::model::form::FormSide;
use crate::model::result::meaning::AnswerMeaning;
use crate::model::text::humanize::grouped;
use crate::model::text::markup::escape_xml;
use crate::tr;
use crate::tr::t;

mod card;

/// Width of the picture, in user units of the SVG.
const WIDTH: f64 = 1_200.0;
/// Margin on the left and on the right, in user units of the SVG.
const MARGIN: f64 = 48.0;
/// Width between the margins, in user units of the SVG.
const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// Number of alignment columns in a row.
const COLUMNS: u64 = 80;
/// Maximum number of rows of the alignment that are drawn.
const ROWS: usize = 6;

/// Maximum number of alignment columns in a picture.
pub const MAX_RESULT_COLUMNS: u64 = COLUMNS * ROWS as u64;

/// Maximum number of letters in a line of text.
const LINE: usize = 96;

/// The content of a picture of a result.
#[derive(Clone, Debug, Default)]
pub struct ResultPicture {
    /// Title of the picture: the names of the texts.
    pub title: String,
    /// The answer and its meaning.
    pub meaning: AnswerMeaning,
    /// Summary of the alignment, if the answer has one.
    pub summary: Option<AlignmentSummary>,
    /// The first columns of the alignment, if the answer has one.
    pub window: Option<AlignmentWindow>,
    /// The unit of comparison.
    pub unit: Unit,
    /// Whether letters stand for sets of bases.
    pub has_codes: bool,
    /// Hits of a search, each as its formatted position and its text.
    pub hits: Vec<(String, String)>,
    /// The address of the result.
    pub source: String,
}

/// Returns the fill colour, the line colour and the name of an edit.
fn look(edit: EditKind) -> (&'static str, &'static str, &'static str) {
    match edit {
        EditKind::Equal => ("#dce2df", "#7d8984", t("equal")),
        EditKind::Substitute => ("#fce078", "#a67e00", t("substituted")),
        EditKind::Insert => ("#b0d2fa", "#1d62ba", t("inserted")),
        EditKind::Delete => ("#f8aca4", "#b5304a", t("deleted")),
        EditKind::Transpose => ("#fce078", "#a67e00", t("transposed")),
    }
}

const INK: &str = "#15201c";
const SOFT: &str = "#47534e";
const SANS: &str = "system-ui, sans-serif";
const SERIF: &str = "Palatino, 'Palatino Linotype', 'P052', 'Noto Serif', serif";
const MONO: &str = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

impl ResultPicture {
    /// Renders the picture as SVG.
    pub fn svg(&self) -> String {
        let mut canvas = SvgCanvas { shapes: String::new(), y: MARGIN };
        canvas.text(&LetterStyle { size: 24.0, family: SANS, weight: 700, fill: INK }, MARGIN, 24.0, &cut(&self.title, LINE));
        let AnswerMeaning { number, says, aside, .. } = &self.meaning;
        canvas.y += 116.0;
        let big = LetterStyle { size: 84.0, family: SERIF, weight: 400, fill: INK };
        canvas.text(&big, MARGIN, 0.0, number);
        let beside = MARGIN + 46.0 * number.chars().count() as f64 + 24.0;
        let says_at = if aside.is_empty() { -24.0 } else { -38.0 };
        canvas.text(&LetterStyle { size: 26.0, family: SERIF, weight: 400, fill: INK }, beside, says_at, &says.replace('*', ""));
        canvas.text(&LetterStyle { size: 18.0, family: SERIF, weight: 400, fill: SOFT }, beside, -8.0, &aside.replace('*', ""));
        canvas.y += 28.0;
        if let Some(summary) = &self.summary {
            canvas.legend(summary, self.has_codes);
        }
        if let Some(window) = &self.window {
            match self.unit {
                Unit::Words | Unit::Lines => canvas.side_by_side(window, self.unit),
                Unit::Bytes | Unit::Chars | Unit::Graphemes => canvas.rows(window),
            }
        }
        for (place, text) in self.hits.iter().take(2 * ROWS) {
            canvas.y += 30.0;
            canvas.text(&LetterStyle { size: 16.0, family: SANS, weight: 400, fill: SOFT }, MARGIN, 0.0, place);
            canvas.text(
                &LetterStyle { size: 18.0, family: MONO, weight: 400, fill: INK },
                MARGIN + 190.0,
                0.0,
                &cut(&visible_text(text), 80),
            );
        }
        canvas.y += 48.0;
        canvas.text(
            &LetterStyle { size: 15.0, family: SANS, weight: 400, fill: SOFT },
            MARGIN,
            0.0,
            &cut(&format!("Editscope · {}", self.source), LINE + 24),
        );
        let height = canvas.y + MARGIN - 16.0;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\
             <title>{}</title><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fafbfa\"/>{}</svg>",
            escape_xml(&format!("{} {}", self.meaning.plain(), self.title)),
            canvas.shapes
        )
    }
}

/// The size, font, weight and colour of letters.
struct LetterStyle {
    size: f64,
    family: &'static str,
    weight: u32,
    fill: &'static str,
}

/// The SVG of the shapes drawn so far, and the y coordinate of the current line.
struct SvgCanvas {
    shapes: String,
    y: f64,
}

impl SvgCanvas {
    /// Draws a text in the style `letters`. Its left edge is `x`, and its base line is `dy` below the current line.
    fn text(&mut self, letters: &LetterStyle, x: f64, dy: f64, text: &str) {
        self.y += dy;
        self.placed(letters, &format!("{x:.1}"), text);
        self.y -= dy;
    }

    /// Draws a text on the current line. `places` is the x coordinate of the first letter, or those of all letters
    /// separated by spaces.
    fn placed(&mut self, letters: &LetterStyle, places: &str, text: &str) {
        let LetterStyle { size, family, weight, fill } = letters;
        let (y, text) = (self.y, escape_xml(text));
        self.draw(format_args!(
            "<text x=\"{places}\" y=\"{y:.1}\" font-family=\"{family}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{fill}\" xml:space=\"preserve\">{text}</text>"
        ));
    }

    /// Draws a text centred at `x` on the current line.
    fn centred(&mut self, letters: &LetterStyle, x: f64, text: &str) {
        self.draw(format_args!("<g text-anchor=\"middle\">"));
        self.placed(letters, &format!("{x:.1}"), text);
        self.draw(format_args!("</g>"));
    }

    fn rect(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        self.draw(format_args!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"));
    }

    fn draw(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.shapes.write_fmt(shape);
    }

    /// Draws a bar that shows the shares of equal columns and of each edit, and below it the legend with their signs
    /// and numbers.
    fn legend(&mut self, summary: &AlignmentSummary, has_codes: bool) {
        let mut counts = vec![
            (EditKind::Equal, summary.matches),
            (EditKind::Substitute, summary.mismatches),
            (EditKind::Insert, summary.insertions),
            (EditKind::Delete, summary.deletions),
        ];
        if summary.transpositions > 0 {
            counts.push((EditKind::Transpose, summary.transpositions));
        }
        let total = summary.columns.max(1) as f64;
        let mut x = MARGIN;
        for &(edit, count) in &counts {
            let (ground, line, _) = look(edit);
            // An exchange has two columns.
            let columns = if edit == EditKind::Transpose { 2 * count } else { count };
            let width = INNER * columns as f64 / total;
            self.rect([x, self.y, (width - 2.0).max(0.0), 14.0], ground);
            self.rect([x, self.y + 12.0, (width - 2.0).max(0.0), 2.0], line);
            x += width;
        }
        self.y += 44.0;
        let mut x = MARGIN;
        for (edit, count) in counts {
            let (ground, line, word) = look(edit);
            let word = if has_codes && edit == EditKind::Equal { t("matching") } else { word };
            let label = format!("{} {word}", grouped(count));
            self.draw(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"22\" height=\"22\" rx=\"2\" fill=\"{}\" stroke=\"{line}\"/>",
                self.y - 17.0,
                if edit == EditKind::Equal { "none" } else { ground }
            ));
            self.text(&LetterStyle { size: 16.0, family: MONO, weight: 600, fill: INK }, x + 6.2, 0.0, sign(edit));
            self.text(&LetterStyle { size: 16.0, family: SANS, weight: 400, fill: INK }, x + 32.0, 0.0, &label);
            x += 62.0 + 9.2 * label.chars().count() as f64;
        }
        self.y += 14.0;
    }

    fn rows(&mut self, window: &AlignmentWindow) {
        let rows = rows(window, COLUMNS);
        // All rows use the same distance between columns, which is narrow for wide symbols.
        let step = INNER / COLUMNS as f64;
        for row in rows.iter().take(ROWS) {
            self.row(row, step);
        }
        let end = window.from + rows.iter().take(ROWS).map(|row| row.len).sum::<u64>();
        if end < window.columns {
            self.y += 30.0;
            let [from, end, all] = [window.from, end, window.columns].map(grouped);
            let label = tr!("columns {from} to {end} of {all}", from = from, end = end, all = all);
            self.text(&LetterStyle { size: 15.0, family: SANS, weight: 400, fill: SOFT }, MARGIN, 0.0, &label);
        }
    }

    fn row(&mut self, row: &AlignmentRow, step: f64) {
        self.y += 34.0;
        let x = |column: u64| MARGIN + step * (column - row.column) as f64;
        for column in (row.column..row.column + row.len).step_by(10) {
            self.rect([x(column), self.y - 12.0, 1.0, 14.0], "#7d8984");
            self.text(&LetterStyle { size: 11.0, family: SANS, weight: 400, fill: SOFT }, x(column) + 4.0, -2.0, &grouped(column));
        }
        let letters = LetterStyle { size: 19.0, family: MONO, weight: 400, fill: INK };
        let signs = LetterStyle { size: 15.0, family: MONO, weight: 400, fill: SOFT };
        for which in FormSide::BOTH {
            self.y += if which == FormSide::A { 26.0 } else { 22.0 };
            for piece in row.pieces.iter() {
                self.piece(piece, which, &letters, (x(piece.column), step));
            }
            if which == FormSide::A {
                self.y += 21.0;
                for piece in row.pieces.iter().filter(|piece| piece.edit != EditKind::Equal) {
                    self.spaced(&signs, (x(piece.column) + 2.0, step), &vec![sign(piece.edit).to_owned(); piece.len as usize]);
                }
            }
        }
    }

    /// Draws the symbols of the text `which` in `piece`, a run of columns with the same edit. The first symbol is at
    /// `x`, and the distance between symbols is `step`.
    fn piece(&mut self, piece: &RowPiece, which: FormSide, letters: &LetterStyle, (x, step): (f64, f64)) {
        let units = if which == FormSide::A { &piece.a } else { &piece.b };
        if piece.edit != EditKind::Equal && !units.is_empty() {
            self.rect([x, self.y - 17.0, step * piece.len as f64, 23.0], look(piece.edit).0);
        }
        let gaps = vec!["–".to_owned(); if units.is_empty() { piece.len as usize } else { 0 }];
        self.spaced(letters, (x + 1.0, step), if units.is_empty() { &gaps } else { units });
    }

    /// Draws the symbols `units` at equal distances `step`, whatever their width. The left edge of the first symbol is
    /// `x`.
    fn spaced(&mut self, letters: &LetterStyle, (x, step): (f64, f64), units: &[String]) {
        let place = |at: usize| format!("{:.1}", x + step * at as f64);
        if units.iter().all(|unit| unit.chars().count() == 1) {
            let places: Vec<String> = (0..units.len()).map(place).collect();
            return self.placed(letters, &places.join(" "), &units.concat());
        }
        for (at, unit) in units.iter().enumerate() {
            self.placed(letters, &place(at), unit);
        }
    }

    /// Draws the runs of equal edits of an alignment of words or lines, one below the other.
    fn side_by_side(&mut self, window: &AlignmentWindow, unit: Unit) {
        let between = if unit == Unit::Words { " " } else { " ↵ " };
        let pieces = rows(window, u64::MAX).into_iter().flat_map(|row| row.pieces);
        for piece in pieces.take(4 * ROWS) {
            let sides = match piece.edit {
                EditKind::Equal => [("|", &piece.a), ("", &Vec::new())],
                EditKind::Substitute | EditKind::Transpose | EditKind::Insert | EditKind::Delete => [("−", &piece.a), ("+", &piece.b)],
            };
            for (sign, units) in sides.into_iter().filter(|(_, units)| !units.is_empty()) {
                self.y += 30.0;
                let ground = match sign {
                    "−" => Some(look(EditKind::Delete).0),
                    "+" => Some(look(EditKind::Insert).0),
                    _ => None,
                };
                if let Some(ground) = ground {
                    self.rect([MARGIN, self.y - 19.0, INNER, 26.0], ground);
                }
                self.text(&LetterStyle { size: 18.0, family: MONO, weight: 600, fill: SOFT }, MARGIN + 6.0, 0.0, sign);
                self.text(
                    &LetterStyle { size: 18.0, family: SERIF, weight: 400, fill: INK },
                    MARGIN + 30.0,
                    0.0,
                    &cut(&units.join(between), LINE),
                );
            }
        }
    }
}

fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use kernels::alignment::Alignment;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    fn picture(a: &str, b: &str, cigar: &str, unit: Unit) -> ResultPicture {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        let alignment: Alignment = cigar.parse().unwrap();
        ResultPicture {
            title: "Cat and Sit".into(),
            meaning: AnswerMeaning {
                number: "3".into(),
                says: "edits turn *a* into *b*.".into(),
                aside: String::new(),
                ..AnswerMeaning::default()
            },
            summary: Some(alignment.summary()),
            window: Some(AlignmentWindow::new(&alignment, &pair, 0, MAX_RESULT_COLUMNS)),
            unit,
            ..ResultPicture::default()
        }
    }

    #[test]
    fn every_edit_is_drawn_with_its_background_and_sign() {
        let svg = picture("kitten", "sitting", "1X3=1X1=1I", Unit::Bytes).svg();
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>"));
        // The colour occurs in the bar, in the legend, and in both texts for each of two substitutions.
        assert_eq!(svg.matches(look(EditKind::Substitute).0).count(), 2 + 4);
        assert_eq!(svg.matches(look(EditKind::Insert).0).count(), 2 + 1);
        assert!(svg.contains("2 substituted") && svg.contains("1 inserted") && svg.contains(">3</text>"));
    }

    #[test]
    fn typed_markup_is_escaped() {
        let evil = "<script>\"'&</text>\u{0}\u{ffff}";
        for unit in [Unit::Chars, Unit::Lines] {
            let count = Pair::parse(evil.as_bytes(), &b""[..], &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap().a.len();
            let mut picture = picture(evil, "", &format!("{count}D"), unit);
            picture.title = evil.into();
            picture.hits = vec![(evil.into(), evil.into())];
            let svg = picture.svg();
            assert!(!svg.contains("<script") && !svg.contains('\u{0}'), "{svg}");
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        }
    }

    #[test]
    fn long_alignments_are_cut_with_a_note() {
        let text = "ACGT".repeat(1_000);
        let svg = picture(&text, &text, "4000=", Unit::Bytes).svg();
        assert!(svg.contains("columns 0 to 480 of 4,000"));
        assert!(svg.len() < 150_000);
    }
}
