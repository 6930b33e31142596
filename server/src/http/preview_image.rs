//! Preview image: a shared result as a small PNG (the card), for programs that preview links but do not draw SVG
//! ([`png`]). The card is drawn by the page's own code ([`ResultPicture::card`]) and rendered by the library resvg.
//!
//! - `fonts`: the font of the cards, and system fonts for letters that it lacks

use anyhow::Context as _;
use app::model::result::picture::ResultPicture;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

mod fonts;

/// Maximum number of letters of the drawn texts that are examined to find their writing system.
const MAX_EXAMINED_LETTERS: usize = 10_000;

/// Renders the card of `picture` as a PNG of 1200 × 630 pixels. The first call lists the system fonts.
///
/// # Errors
/// Returns an error if resvg refuses the drawing, which a test excludes.
pub fn png(picture: &ResultPicture) -> anyhow::Result<Vec<u8>> {
    let units = picture.window.iter().flat_map(|window| window.a.iter().chain(&window.b));
    let hits = picture.hits.iter().map(|(_, text)| text);
    let letters = [&picture.title].into_iter().chain(units).chain(hits).flat_map(|text| text.chars()).take(MAX_EXAMINED_LETTERS);
    let options = Options { fontdb: fonts::all(), font_resolver: fonts::resolver(fonts::WritingSystem::of(letters)), ..Options::default() };
    let tree = Tree::from_str(&picture.card(), &options).context("the drawing of a card")?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).context("a card without pixels")?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

#[cfg(test)]
mod tests {
    use app::model::result::meaning::AnswerMeaning;
    use explain::window::AlignmentWindow;
    use kernels::alignment::Alignment;
    use kernels::job::Unit;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    const INK: [u8; 3] = [0x15, 0x20, 0x1c];
    const SUBSTITUTED: [u8; 3] = [0xfc, 0xe0, 0x78];
    const INSERTED: [u8; 3] = [0xb0, 0xd2, 0xfa];
    const DELETED: [u8; 3] = [0xf8, 0xac, 0xa4];

    fn picture(a: &str, b: &str, cigar: &str, unit: Unit) -> ResultPicture {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        let alignment: Alignment = cigar.parse().unwrap();
        ResultPicture {
            title: "Cat and Sit".into(),
            meaning: AnswerMeaning { number: "3".into(), says: "edits turn *a* into *b*.".into(), ..AnswerMeaning::default() },
            summary: Some(alignment.summary()),
            window: Some(AlignmentWindow::new(&alignment, &pair, 0, 100)),
            unit,
            ..ResultPicture::default()
        }
    }

    fn has(png: &[u8], [red, green, blue]: [u8; 3]) -> bool {
        let pixels = Pixmap::decode_png(png).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (1200, 630));
        pixels.pixels().iter().any(|pixel| (pixel.red(), pixel.green(), pixel.blue()) == (red, green, blue))
    }

    #[test]
    fn every_edit_has_its_background() {
        let letters = png(&picture("kitten", "sitting", "1X3=1X1=1I", Unit::Bytes)).unwrap();
        assert!(has(&letters, SUBSTITUTED) && has(&letters, INSERTED) && has(&letters, INK));
        assert!(!has(&letters, DELETED));
        let words = png(&picture("a red house", "a blue house", "1=1X1=", Unit::Words)).unwrap();
        assert!(has(&words, DELETED) && has(&words, INSERTED));
    }

    #[test]
    fn any_typed_text_can_be_drawn() {
        let text = "日本語 🇯🇵 ا\u{301}\u{0}".repeat(40);
        let count =
            Pair::parse(text.as_bytes(), &b""[..], &ReadingOptions { unit: Unit::Graphemes, ..ReadingOptions::default() }).unwrap().a.len();
        let mut all = picture(&text, "", &format!("{count}D"), Unit::Graphemes);
        all.title.clone_from(&text);
        all.meaning.says.clone_from(&text);
        all.meaning.number = "1,000,000,000,000".repeat(4);
        all.hits = vec![(text.clone(), text.clone())];
        assert!(png(&all).is_ok());
        assert!(png(&ResultPicture { window: None, ..all }).is_ok());
        assert!(png(&ResultPicture::default()).is_ok());
    }

    /// Two different letters that both lack a font are drawn as the same box.
    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn letters_of_other_scripts_use_installed_fonts() {
        let card = |title: &str| png(&ResultPicture { title: title.into(), ..ResultPicture::default() }).unwrap();
        assert_eq!(card("\u{f0000}"), card("\u{f0001}"), "letters of no font are drawn as boxes");
        if !fonts::draw('語') {
            eprintln!("skipped: no font with Han letters; on Debian install fonts-noto-cjk");
            return;
        }
        // These radicals share their shapes with letters, so that other fonts draw them alike.
        let cards = ["語", "漢", "月", "一"].map(card);
        assert!((1..4).all(|nth| !cards[..nth].contains(&cards[nth])), "some letters are drawn as boxes");
    }
}
