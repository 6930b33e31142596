//! An image of pixels: rectangles, letters of one font, and the whole as a PNG.

use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _, point};
use anyhow::Context as _;

/// DejaVu Sans, which is free and has the letters of most scripts; letters that it lacks are boxes.
static FONT: &[u8] = include_bytes!("DejaVuSans.ttf");

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
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// An image of one colour.
    pub(super) fn new((width, height): (usize, usize), paper: Colour) -> anyhow::Result<Self> {
        let font = FontRef::try_from_slice(FONT).context("the font of the cards")?;
        Ok(Self { font, width, height, pixels: paper.repeat(width * height) })
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
        let scale = self.scale(letters.size);
        for letter in text.chars() {
            let id = self.font.glyph_id(letter);
            let outlined = self.font.outline_glyph(id.with_scale_and_position(scale, point(x, y)));
            x += self.font.as_scaled(scale).h_advance(id);
            let Some(outlined) = outlined else { continue };
            let corner = outlined.px_bounds().min;
            let (width, height, pixels) = (self.width, self.height, &mut self.pixels);
            outlined.draw(|dx, dy, cover| {
                let (x, y) = (corner.x + dx as f32, corner.y + dy as f32);
                if x >= 0.0 && y >= 0.0 && (x as usize) < width && (y as usize) < height {
                    let at = 3 * (y as usize * width + x as usize);
                    for (pixel, ink) in pixels[at..at + 3].iter_mut().zip(letters.colour) {
                        *pixel = (f32::from(*pixel) + (f32::from(ink) - f32::from(*pixel)) * cover.min(1.0)).round() as u8;
                    }
                }
            });
        }
        x
    }

    /// A text around a point.
    pub(super) fn centred(&mut self, letters: &Letters, (x, y): (f32, f32), text: &str) {
        let width = self.measure(text, letters.size);
        self.text(letters, (x - width / 2.0, y), text);
    }

    /// Width of a text in pixels.
    fn measure(&self, text: &str, size: f32) -> f32 {
        let scaled = self.font.as_scaled(self.scale(size));
        text.chars().map(|letter| scaled.h_advance(scaled.glyph_id(letter))).sum()
    }

    /// As much of a text as fits, with an ellipsis where some is left out.
    pub(super) fn fitting(&self, text: &str, size: f32, width: f32) -> String {
        if self.measure(text, size) <= width {
            return text.to_owned();
        }
        let mut fitting = String::new();
        for letter in text.chars() {
            fitting.push(letter);
            if self.measure(&fitting, size) + size > width {
                break;
            }
        }
        fitting + "…"
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
