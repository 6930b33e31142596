//! An image of pixels: rectangles, letters, and the whole as a PNG.

use std::cell::RefCell;
use std::collections::HashMap;

use ab_glyph::{Font as _, FontRef, OutlinedGlyph, PxScale, PxScaleFactor, ScaleFont as _, point};
use anyhow::Context as _;

use super::others::{Lent, Others, Writing};

/// DejaVu Sans, which is free and has the letters of most alphabets. What it lacks comes from the machine's fonts; what they lack too is
/// a box.
pub(super) static FONT: &[u8] = include_bytes!("DejaVuSans.ttf");

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// How letters look.
pub(super) struct Letters {
    /// Size in pixels.
    pub(super) size: f32,
    /// Colour.
    pub(super) colour: Colour,
}

/// The image.
pub(super) struct Canvas {
    font: FontRef<'static>,
    others: &'static Others,
    writing: Writing,
    /// Letters that the font lacks, as they are drawn; `None` are boxes.
    lent: RefCell<HashMap<char, Option<Lent>>>,
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// An image of one colour, for texts of this writing.
    pub(super) fn new((width, height): (usize, usize), paper: Colour, writing: Writing) -> anyhow::Result<Self> {
        let font = FontRef::try_from_slice(FONT).context("the font of the cards")?;
        let pixels = paper.repeat(width * height);
        Ok(Self { font, others: Others::of_machine(), writing, lent: RefCell::default(), width, height, pixels })
    }

    /// A rectangle: left, top, width, height. What lies outside is cut.
    pub(super) fn rect(&mut self, [x, y, width, height]: [f32; 4], colour: Colour) {
        let clamp = |value: f32, most: usize| (value.round().max(0.0) as usize).min(most);
        let (left, right) = (clamp(x, self.width), clamp(x + width, self.width));
        for row in clamp(y, self.height)..clamp(y + height, self.height) {
            let line = &mut self.pixels[3 * (row * self.width + left)..3 * (row * self.width + right.max(left))];
            line.chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&colour));
        }
    }

    /// A text from a point on its base line on. Returns where it ends.
    pub(super) fn text(&mut self, letters: &Letters, (mut x, y): (f32, f32), text: &str) -> f32 {
        for letter in text.chars() {
            let (outlined, advance) = self.outlined(letter, letters.size, (x, y));
            x += advance;
            if let Some(outlined) = outlined {
                self.ink(&outlined, letters.colour);
            }
        }
        x
    }

    /// A letter's shape and how far the next stands from it.
    fn outlined(&self, letter: char, size: f32, (x, y): (f32, f32)) -> (Option<OutlinedGlyph>, f32) {
        let lend = |lent: &Lent| {
            let glyph = ab_glyph::GlyphId(0).with_scale_and_position(size, point(x, y));
            let factor = PxScaleFactor { horizontal: lent.scale * size, vertical: lent.scale * size };
            (lent.outline.clone().map(|outline| OutlinedGlyph::new(glyph, outline, factor)), lent.advance * size)
        };
        let own = || {
            let (id, scale) = (self.font.glyph_id(letter), self.scale(size));
            (self.font.outline_glyph(id.with_scale_and_position(scale, point(x, y))), self.font.as_scaled(scale).h_advance(id))
        };
        if is_unseen(letter) { (None, 0.0) } else { self.lent(letter, lend).unwrap_or_else(own) }
    }

    /// Width of a letter in pixels.
    fn advance(&self, letter: char, size: f32) -> f32 {
        let own = || {
            let scaled = self.font.as_scaled(self.scale(size));
            scaled.h_advance(scaled.glyph_id(letter))
        };
        if is_unseen(letter) { 0.0 } else { self.lent(letter, |lent| lent.advance * size).unwrap_or_else(own) }
    }

    /// What to make of a letter that the font lacks; `None` where it has the letter, or nobody has.
    fn lent<T>(&self, letter: char, make: impl FnOnce(&Lent) -> T) -> Option<T> {
        if self.font.glyph_id(letter).0 != 0 {
            return None;
        }
        let mut lent = self.lent.borrow_mut();
        lent.entry(letter).or_insert_with(|| self.others.lend(letter, self.writing)).as_ref().map(make)
    }

    fn ink(&mut self, outlined: &OutlinedGlyph, colour: Colour) {
        let corner = outlined.px_bounds().min;
        let (width, height, pixels) = (self.width, self.height, &mut self.pixels);
        outlined.draw(|dx, dy, cover| {
            let (x, y) = (corner.x + dx as f32, corner.y + dy as f32);
            if x >= 0.0 && y >= 0.0 && (x as usize) < width && (y as usize) < height {
                let at = 3 * (y as usize * width + x as usize);
                for (pixel, ink) in pixels[at..at + 3].iter_mut().zip(colour) {
                    *pixel = (f32::from(*pixel) + (f32::from(ink) - f32::from(*pixel)) * cover.min(1.0)).round() as u8;
                }
            }
        });
    }

    /// A text around a point.
    pub(super) fn centred(&mut self, letters: &Letters, (x, y): (f32, f32), text: &str) {
        let width = self.measure(text, letters.size);
        self.text(letters, (x - width / 2.0, y), text);
    }

    /// Width of a text in pixels.
    fn measure(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|letter| self.advance(letter, size)).sum()
    }

    /// As much of a text as fits, with an ellipsis where some is left out. What lies behind is not looked at.
    pub(super) fn fitting(&self, text: &str, size: f32, width: f32) -> String {
        let (mut end, mut with_ellipsis) = (0.0, 0);
        for (at, letter) in text.char_indices() {
            end += self.advance(letter, size);
            if end > width {
                return format!("{}…", &text[..with_ellipsis]);
            }
            if end + size <= width {
                with_ellipsis = at + letter.len_utf8();
            }
        }
        text.to_owned()
    }

    /// A text in lines of at most this width, broken between words.
    pub(super) fn lines(&self, text: &str, size: f32, width: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match lines.last_mut() {
                Some(line) if self.measure(&format!("{line} {word}"), size) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(self.fitting(word, size, width)),
            }
        }
        lines
    }

    /// A font's scale is its height from the lowest to the highest letter; sizes are those of the em.
    fn scale(&self, size: f32) -> PxScale {
        let em = self.font.units_per_em().unwrap_or(1_000.0);
        PxScale::from(size * self.font.height_unscaled() / em)
    }

    /// The image as a PNG.
    pub(super) fn png(&self) -> anyhow::Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(file)
    }
}

/// Letters that only say something about their neighbours, such as how an emoji is joined.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}')
}
