//! A shared result as a small picture of pixels, 1200 × 630, for programs that show a link before it is opened: they take no SVG.
//!
//! - `canvas`: rectangles and letters on an RGB image, and the image as a PNG
//! - `others`: the machine's fonts, for letters that the canvas has none for
//!
//! It shows what [`Picture`] shows, in fewer lines: title, answer, shares, the first columns of the alignment or the first hits.

use app::form::Which;
use app::picture::Picture;
use app::rows::{Row, rows};
use app::view::sign::sign;
use explain::window::Window;
use kernels::alignment::{Edit, Summary};
use kernels::job::Unit;

use canvas::{Canvas, Colour, Letters};
use others::Writing;

mod canvas;
mod others;

/// Size in pixels, as the programs expect it.
pub const SIZE: (usize, usize) = (1200, 630);

const MARGIN: f32 = 64.0;
const INNER: f32 = SIZE.0 as f32 - 2.0 * MARGIN;

/// Columns of a row of the alignment, rows, and hits.
const COLUMNS: u64 = 36;
const ROWS: usize = 2;
const HITS: usize = 4;

/// The light colours of the page.
const PAPER: Colour = [0xfa, 0xfb, 0xfa];
const INK: Colour = [0x15, 0x20, 0x1c];
const SOFT: Colour = [0x47, 0x53, 0x4e];
const PINE: Colour = [0x0c, 0x6a, 0x54];

/// Ground of an edit's letters and of its share.
fn ground(edit: Edit) -> Colour {
    match edit {
        Edit::Equal => [0xdc, 0xe2, 0xdf],
        Edit::Substitute => [0xfc, 0xe0, 0x78],
        Edit::Insert => [0xb0, 0xd2, 0xfa],
        Edit::Delete => [0xf8, 0xac, 0xa4],
    }
}

/// Letters that are looked at for what the texts are written in.
const SEEN: usize = 10_000;

/// What the texts of a picture are written in.
fn writing(picture: &Picture) -> Writing {
    let units = picture.window.iter().flat_map(|window| window.a.iter().chain(&window.b));
    let hits = picture.hits.iter().map(|(_, text)| text);
    Writing::of([&picture.title].into_iter().chain(units).chain(hits).flat_map(|text| text.chars()).take(SEEN))
}

/// The picture as a PNG; some 20 ms of work, and the first time that the font lacks a letter a look at all fonts of the machine.
///
/// # Errors
/// When the font or the encoder refuses, which a test excludes.
pub fn png(picture: &Picture) -> anyhow::Result<Vec<u8>> {
    let mut canvas = Canvas::new(SIZE, PAPER, writing(picture))?;
    mark(&mut canvas, MARGIN, 52.0);
    canvas.text(&Letters { size: 26.0, colour: SOFT }, (MARGIN + 42.0, 76.0), "Editscope");
    canvas.text(&Letters { size: 34.0, colour: INK }, (MARGIN, 148.0), &canvas.fitting(&picture.title, 34.0, INNER));
    let meaning = &picture.meaning;
    let end = canvas.text(&Letters { size: 108.0, colour: INK }, (MARGIN, 282.0), &meaning.number);
    let left = end + 28.0;
    // The last line stands on the number's base line.
    let says = canvas.lines(&meaning.says.replace('*', ""), 34.0, MARGIN + INNER - left);
    let mut y = if says.len() > 1 { 238.0 } else { 282.0 };
    for line in says.iter().take(2) {
        canvas.text(&Letters { size: 34.0, colour: INK }, (left, y), line);
        y += 44.0;
    }
    y = 330.0;
    if let Some(summary) = &picture.summary {
        shares(&mut canvas, summary, y);
    }
    y += 40.0;
    match (&picture.window, picture.unit) {
        (Some(window), Unit::Words | Unit::Lines) => changes(&mut canvas, window, y),
        (Some(window), Unit::Bytes | Unit::Chars | Unit::Graphemes) => {
            for row in rows(window, COLUMNS).iter().take(ROWS) {
                alignment(&mut canvas, row, y);
                y += 126.0;
            }
        }
        (None, _) => {
            for (place, text) in picture.hits.iter().take(HITS) {
                y += 48.0;
                canvas.text(&Letters { size: 22.0, colour: SOFT }, (MARGIN, y), place);
                let text = canvas.fitting(&text.replace(['\n', '\t'], " "), 28.0, INNER - 200.0);
                canvas.text(&Letters { size: 28.0, colour: INK }, (MARGIN + 200.0, y), &text);
            }
        }
    }
    canvas.png()
}

/// The page's mark: four ticks over three.
fn mark(canvas: &mut Canvas, x: f32, y: f32) {
    for (nth, lower) in [true, true, false, true].into_iter().enumerate() {
        let x = x + 8.0 * nth as f32;
        canvas.rect([x, y, 4.0, 12.0], if lower { INK } else { PINE });
        if lower {
            canvas.rect([x, y + 15.0, 4.0, 12.0], INK);
        }
    }
}

/// What the alignment consists of, as a bar to scale.
fn shares(canvas: &mut Canvas, summary: &Summary, y: f32) {
    let counts = [
        (Edit::Equal, summary.matches),
        (Edit::Substitute, summary.mismatches),
        (Edit::Insert, summary.insertions),
        (Edit::Delete, summary.deletions),
    ];
    let total = summary.columns.max(1) as f32;
    let mut x = MARGIN;
    for (edit, count) in counts {
        let width = INNER * count as f32 / total;
        canvas.rect([x, y, (width - 2.0).max(0.0), 16.0], ground(edit));
        x += width;
    }
}

/// A row of columns: both texts and the signs between them.
fn alignment(canvas: &mut Canvas, row: &Row, top: f32) {
    let step = INNER / COLUMNS as f32;
    let letters = Letters { size: 28.0, colour: INK };
    for piece in &row.pieces {
        for nth in 0..piece.len {
            let x = MARGIN + step * (piece.column + nth - row.column) as f32;
            for which in Which::BOTH {
                let (units, y) = if which == Which::A { (&piece.a, top) } else { (&piece.b, top + 64.0) };
                let unit = units.get(nth as usize).map_or("–", String::as_str);
                if piece.edit != Edit::Equal && !units.is_empty() {
                    canvas.rect([x, y, step, 38.0], ground(piece.edit));
                }
                canvas.centred(&letters, (x + step / 2.0, y + 29.0), unit);
            }
            if piece.edit != Edit::Equal {
                canvas.centred(&Letters { size: 20.0, colour: SOFT }, (x + step / 2.0, top + 58.0), sign(piece.edit));
            }
        }
    }
}

/// Words or lines: what goes and what comes, a line each.
fn changes(canvas: &mut Canvas, window: &Window, top: f32) {
    let mut y = top;
    let pieces = rows(window, u64::MAX).into_iter().flat_map(|row| row.pieces).filter(|piece| piece.edit != Edit::Equal);
    let sides = pieces.flat_map(|piece| [(Edit::Delete, "−", piece.a), (Edit::Insert, "+", piece.b)]);
    for (edit, sign, units) in sides.filter(|(_, _, units)| !units.is_empty()).take(2 * HITS - 3) {
        canvas.rect([MARGIN, y, INNER, 38.0], ground(edit));
        canvas.text(&Letters { size: 24.0, colour: SOFT }, (MARGIN + 12.0, y + 28.0), sign);
        let text = canvas.fitting(&units.join(" "), 24.0, INNER - 60.0);
        canvas.text(&Letters { size: 24.0, colour: INK }, (MARGIN + 44.0, y + 28.0), &text);
        y += 44.0;
    }
}

#[cfg(test)]
mod tests {
    use app::view::answer::Meaning;
    use kernels::alignment::Alignment;
    use kernels::text::{Pair, Reading};

    use super::*;

    fn picture(a: &str, b: &str, cigar: &str, unit: Unit) -> Picture {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &Reading { unit, ..Reading::default() }).unwrap();
        let alignment: Alignment = cigar.parse().unwrap();
        Picture {
            title: "Cat and Sit".into(),
            meaning: Meaning { number: "3".into(), says: "edits turn *a* into *b*.".into(), aside: String::new() },
            summary: Some(alignment.summary()),
            window: Some(Window::new(&alignment, &pair, 0, 100)),
            unit,
            ..Picture::default()
        }
    }

    /// Colours of a picture that was encoded and decoded again.
    fn has(png: &[u8], colour: Colour) -> bool {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1200, 630));
        pixels.chunks_exact(3).any(|pixel| pixel == colour)
    }

    #[test]
    fn every_edit_has_its_ground() {
        let letters = png(&picture("kitten", "sitting", "1X3=1X1=1I", Unit::Bytes)).unwrap();
        assert!(has(&letters, ground(Edit::Substitute)) && has(&letters, ground(Edit::Insert)) && has(&letters, INK));
        assert!(!has(&letters, ground(Edit::Delete)));
        let words = png(&picture("a red house", "a blue house", "1=1X1=", Unit::Words)).unwrap();
        assert!(has(&words, ground(Edit::Delete)) && has(&words, ground(Edit::Insert)));
    }

    #[test]
    fn whatever_was_typed_is_drawn() {
        let text = "日本語 🇯🇵 ا\u{301}\u{0}".repeat(40);
        let count = Pair::parse(text.as_bytes(), &b""[..], &Reading { unit: Unit::Graphemes, ..Reading::default() }).unwrap().a.len();
        let mut all = picture(&text, "", &format!("{count}D"), Unit::Graphemes);
        all.title.clone_from(&text);
        all.meaning.says.clone_from(&text);
        all.meaning.number = "1,000,000,000,000".repeat(4);
        all.hits = vec![(text.clone(), text.clone())];
        assert!(png(&all).is_ok());
        assert!(png(&Picture { window: None, ..all }).is_ok());
        assert!(png(&Picture::default()).is_ok());
    }

    /// Two letters that are both drawn as boxes look the same.
    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn letters_of_other_scripts_are_drawn_by_the_machines_fonts() {
        let card = |title: &str| png(&Picture { title: title.into(), ..Picture::default() }).unwrap();
        assert_eq!(card("\u{f0000}"), card("\u{f0001}"), "nobody has these, and they are boxes");
        if others::Others::of_machine().lend('語', Writing::Japanese).is_none() {
            eprintln!("skipped: no font with Han letters; on Debian install fonts-noto-cjk");
            return;
        }
        // Radicals share their shapes with letters.
        let cards = ["語", "漢", "月", "一"].map(card);
        assert!((1..4).all(|nth| !cards[..nth].contains(&cards[nth])), "some are boxes");
        assert_eq!(card("あ\u{200d}い\u{fe0f}"), card("あい"), "what joins letters is not seen");
    }
}
