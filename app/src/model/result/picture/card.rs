//! A result as a card of 1,200 × 630 pixels, which other programs show for a link. The card has the parts of the
//! picture in fewer and larger letters. The server converts it to a bitmap, because such programs do not accept SVG.

use explain::window::AlignmentWindow;
use kernels::alignment::{AlignmentSummary, EditKind};
use kernels::job::Unit;

use super::{INK, LetterStyle, ResultPicture, SANS, SOFT, SvgCanvas, look};
use crate::model::alignment::rows::{AlignmentRow, rows, visible_text};
use crate::model::alignment::sign::sign;
use crate::model::form::FormSide;

/// Width and height of the card, in pixels, as programs that show previews expect.
const SIZE: (f64, f64) = (1_200.0, 630.0);
const MARGIN: f64 = 64.0;
const INNER: f64 = SIZE.0 - 2.0 * MARGIN;

/// Number of alignment columns in a row.
const COLUMNS: u64 = 36;
/// Maximum number of rows of the alignment that are drawn.
const ROWS: usize = 2;
/// Maximum number of hits that are listed.
const HITS: usize = 4;

const PINE: &str = "#0c6a54";

impl ResultPicture {
    /// Renders the card as SVG. Content below its lower edge is cut off.
    pub fn card(&self) -> String {
        let mut canvas = SvgCanvas { shapes: String::new(), y: 76.0 };
        mark(&mut canvas);
        let letters = |size, fill| LetterStyle { size, family: SANS, weight: 400, fill };
        canvas.text(&letters(26.0, SOFT), MARGIN + 42.0, 0.0, "Editscope");
        canvas.text(&letters(34.0, INK), MARGIN, 72.0, &fitting(&self.title, 34.0, INNER));
        let number = fitting(&self.meaning.number, 108.0, INNER);
        canvas.text(&letters(108.0, INK), MARGIN, 206.0, &number);
        let left = MARGIN + width(&number, 108.0) + 28.0;
        // The last line of the sentence has the same base line as the number.
        let room = MARGIN + INNER - left;
        let says = if room > 100.0 { lines(&self.meaning.says.replace('*', ""), 34.0, room) } else { Vec::new() };
        let first = if says.len() > 1 { 162.0 } else { 206.0 };
        for (nth, line) in says.iter().take(2).enumerate() {
            canvas.text(&letters(34.0, INK), left, first + 44.0 * nth as f64, line);
        }
        if let Some(summary) = &self.summary {
            shares(&mut canvas, summary, 330.0);
        }
        match (&self.window, self.unit) {
            (Some(window), Unit::Words | Unit::Lines) => changes(&mut canvas, window, 370.0),
            (Some(window), Unit::Bytes | Unit::Chars | Unit::Graphemes) => {
                for (nth, row) in rows(window, COLUMNS).iter().take(ROWS).enumerate() {
                    alignment(&mut canvas, row, 370.0 + 126.0 * nth as f64);
                }
            }
            (None, _) => {
                for (nth, (place, text)) in self.hits.iter().take(HITS).enumerate() {
                    canvas.y = 418.0 + 48.0 * nth as f64;
                    canvas.text(&letters(22.0, SOFT), MARGIN, 0.0, &fitting(place, 22.0, 190.0));
                    canvas.text(&letters(28.0, INK), MARGIN + 200.0, 0.0, &fitting(&visible_text(text), 28.0, INNER - 200.0));
                }
            }
        }
        let (width, height) = SIZE;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fafbfa\"/>{}</svg>",
            canvas.shapes
        )
    }
}

/// Draws the logo of the page: a row of four ticks above a row of three.
fn mark(canvas: &mut SvgCanvas) {
    for (nth, lower) in [true, true, false, true].into_iter().enumerate() {
        let x = MARGIN + 8.0 * nth as f64;
        canvas.rect([x, 52.0, 4.0, 12.0], if lower { INK } else { PINE });
        if lower {
            canvas.rect([x, 67.0, 4.0, 12.0], INK);
        }
    }
}

/// Draws a bar that shows the shares of equal columns and of each edit to scale. `y` is the y coordinate of its upper
/// edge.
fn shares(canvas: &mut SvgCanvas, summary: &AlignmentSummary, y: f64) {
    let counts = [
        (EditKind::Equal, summary.matches),
        (EditKind::Substitute, summary.mismatches),
        (EditKind::Insert, summary.insertions),
        (EditKind::Delete, summary.deletions),
        // An exchange has two columns.
        (EditKind::Transpose, 2 * summary.transpositions),
    ];
    let total = counts.iter().map(|(_, count)| count).sum::<u64>().max(1) as f64;
    let mut x = MARGIN;
    for (edit, count) in counts {
        let width = INNER * count as f64 / total;
        canvas.rect([x, y, (width - 2.0).max(0.0), 16.0], look(edit).0);
        x += width;
    }
}

/// Draws a row of the alignment: both texts and the signs between them. `top` is the y coordinate of its upper edge.
fn alignment(canvas: &mut SvgCanvas, row: &AlignmentRow, top: f64) {
    let step = INNER / COLUMNS as f64;
    let letters = LetterStyle { size: 28.0, family: SANS, weight: 400, fill: INK };
    let signs = LetterStyle { size: 20.0, family: SANS, weight: 400, fill: SOFT };
    for piece in &row.pieces {
        for nth in 0..piece.len {
            let x = MARGIN + step * (piece.column + nth - row.column) as f64;
            for which in FormSide::BOTH {
                let (units, y) = if which == FormSide::A { (&piece.a, top) } else { (&piece.b, top + 64.0) };
                let unit = units.get(nth as usize).map_or("–", String::as_str);
                if piece.edit != EditKind::Equal && !units.is_empty() {
                    canvas.rect([x, y, step, 38.0], look(piece.edit).0);
                }
                canvas.y = y + 29.0;
                canvas.centred(&letters, x + step / 2.0, &fitting(unit, letters.size, 2.2 * step));
            }
            if piece.edit != EditKind::Equal {
                canvas.y = top + 58.0;
                canvas.centred(&signs, x + step / 2.0, sign(piece.edit));
            }
        }
    }
}

/// Draws the deleted and inserted words or lines of `window`, one run below the other. `top` is the y coordinate of the
/// upper edge.
fn changes(canvas: &mut SvgCanvas, window: &AlignmentWindow, top: f64) {
    let pieces = rows(window, u64::MAX).into_iter().flat_map(|row| row.pieces).filter(|piece| piece.edit != EditKind::Equal);
    let sides = pieces.flat_map(|piece| [(EditKind::Delete, "−", piece.a), (EditKind::Insert, "+", piece.b)]);
    let shown = sides.filter(|(_, _, units)| !units.is_empty()).take(2 * HITS - 3);
    for (nth, (edit, sign, units)) in shown.enumerate() {
        let y = top + 44.0 * nth as f64;
        canvas.rect([MARGIN, y, INNER, 38.0], look(edit).0);
        let letters = |fill| LetterStyle { size: 24.0, family: SANS, weight: 400, fill };
        canvas.y = y + 28.0;
        canvas.text(&letters(SOFT), MARGIN + 12.0, 0.0, sign);
        canvas.text(&letters(INK), MARGIN + 44.0, 0.0, &fitting(&units.join(" "), 24.0, INNER - 60.0));
    }
}

/// Estimates the width of a letter in ems. The values are those of DejaVu Sans, rounded up, because the font is not
/// known.
fn ems(letter: char) -> f64 {
    match letter {
        'f' | 'i' | 'j' | 'l' | 't' | 'I' | '.' | ',' | '\'' | ':' | ' ' | '|' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.99,
        '\u{1100}'.. => 1.0,
        'A'..='Z' => 0.74,
        _ => 0.64,
    }
}

/// Estimates the width of a text with letters of this `size`, in the unit of `size`.
fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(ems).sum::<f64>()
}

/// Cuts a text with letters of this `size` to the width `most`. If something is cut off, the text ends with an
/// ellipsis. Reads only the part that fits.
fn fitting(text: &str, size: f64, most: f64) -> String {
    let (mut end, mut with_ellipsis) = (0.0, 0);
    for (at, letter) in text.char_indices() {
        end += size * ems(letter);
        if end > most {
            return format!("{}…", &text[..with_ellipsis]);
        }
        if end + size <= most {
            with_ellipsis = at + letter.len_utf8();
        }
    }
    text.to_owned()
}

/// Breaks a text with letters of this `size` between words into lines whose width is at most `most`, if no word is
/// wider.
fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fitting(word, size, most)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::result::meaning::AnswerMeaning;

    #[test]
    fn long_texts_end_inside_the_card() {
        let long = "W".repeat(10_000);
        let shown = fitting(&long, 34.0, INNER);
        assert!(shown.ends_with('…') && width(&shown, 34.0) <= INNER + 34.0);
        assert_eq!(fitting("short", 34.0, INNER), "short");
        let broken = lines("two words and a fewmoreletters", 34.0, 200.0);
        assert!(broken.len() > 1 && broken.iter().all(|line| width(line, 34.0) <= 234.0), "{broken:?}");
        let hits = vec![("1–2".to_owned(), long.clone())];
        let card = ResultPicture { title: long, hits, ..ResultPicture::default() }.card();
        assert!(card.len() < 4_000, "{} bytes", card.len());
    }

    #[test]
    fn typed_markup_is_escaped() {
        let evil = "<script>\"'&</text>\u{0}\u{ffff}";
        let meaning = AnswerMeaning { number: evil.into(), says: evil.into(), aside: String::new(), ..AnswerMeaning::default() };
        let card = ResultPicture { title: evil.into(), meaning, hits: vec![(evil.into(), evil.into())], ..ResultPicture::default() }.card();
        assert!(!card.contains("<script") && !card.contains('\u{0}'), "{card}");
        assert_eq!(card.matches("<text").count(), card.matches("</text>").count());
    }
}
