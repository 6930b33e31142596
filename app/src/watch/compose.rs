//! All panels of a frame in one drawing of 940 × 600: the large part on the left, what is beside it, what is below both. In a narrow
//! window the panels stand below each other. Places are those of all steps, so that nothing moves from step to step.

use std::fmt::Write as _;

use explain::lens::Lens;
use explain::lens::frame::{Frame, Panel, Place};

use super::Watched;
use super::draw::{Drawn, panel};

/// Width and height of the drawing.
pub const SIZE: [f64; 2] = [940.0, 600.0];

/// Width of a narrow drawing.
const NARROW: f64 = 380.0;

/// How small a narrow drawing's units get; a larger panel is scrolled.
const LEAST_SCALE: f64 = 0.62;

/// How large units get.
const MOST_SCALE: f64 = 1.15;

/// Space between panels.
const GAP: f64 = 34.0;

/// Frames that are looked at for the places.
const LOOKED_AT: usize = 24;

/// Where panels lie, by their number in the frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Whether panels are below each other.
    pub is_narrow: bool,
    sizes: Vec<(Place, [f64; 2])>,
}

/// A drawing as SVG without the element around it, with the size of its view box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Composed {
    /// Width and height.
    pub size: [f64; 2],
    /// What is in it.
    pub body: String,
}

impl Layout {
    /// Of a lens: the room that its panels take in any step. Time: that of two dozen frames.
    pub fn of(lens: &dyn Lens, watched: &Watched, is_narrow: bool) -> Self {
        let mut sizes: Vec<(Place, [f64; 2])> = Vec::new();
        let count = lens.len().min(LOOKED_AT);
        for at in 0..=count {
            let step = (lens.len() * at).checked_div(count).unwrap_or(0);
            for (number, one) in lens.frame(step).panels.iter().enumerate() {
                let Drawn { width, height, .. } = panel(one, watched);
                if number == sizes.len() {
                    sizes.push((one.place, [0.0, 0.0]));
                }
                let [most_width, most_height] = &mut sizes[number].1;
                (*most_width, *most_height) = (most_width.max(width), most_height.max(height));
            }
        }
        Self { is_narrow, sizes }
    }

    /// Draws a frame.
    pub fn draw(&self, frame: &Frame, watched: &Watched) -> Composed {
        let drawn: Vec<Drawn> = frame.panels.iter().map(|one| panel(one, watched)).collect();
        let places = if self.is_narrow { self.stacked() } else { self.beside() };
        let [width, height] = places
            .iter()
            .zip(&self.sizes)
            .fold([1.0, 1.0], |[right, bottom]: [f64; 2], ([x, y], (_, [width, height]))| [right.max(x + width), bottom.max(y + height)]);
        let (scale, size) = if self.is_narrow {
            let scale = (NARROW / width).clamp(LEAST_SCALE, 1.0);
            (scale, [(width * scale).max(NARROW), height * scale + 6.0])
        } else {
            // A margin for frames at the edge.
            let scale = ((SIZE[0] - 8.0) / width).min((SIZE[1] - 8.0) / height).min(MOST_SCALE);
            (scale, SIZE)
        };
        let mut body = String::new();
        let margin = if self.is_narrow { 1.0 } else { 4.0 };
        let _ = write!(body, r#"<g transform="translate({margin} {margin}) scale({scale:.3})">"#);
        for (one, [x, y]) in drawn.iter().zip(places) {
            let _ = write!(body, r#"<g transform="translate({x:.1} {y:.1})">{}</g>"#, one.body);
        }
        body.push_str("</g>");
        Composed { size, body }
    }

    fn stacked(&self) -> Vec<[f64; 2]> {
        let mut y = 0.0;
        let below = |(_, [_, height]): &(Place, [f64; 2])| {
            let place = [0.0, y];
            y += height + GAP;
            place
        };
        self.sizes.iter().map(below).collect()
    }

    fn beside(&self) -> Vec<[f64; 2]> {
        let stack = |place: Place| -> [f64; 2] {
            let of = self.sizes.iter().filter(|(of, _)| *of == place);
            of.fold([0.0, 0.0], |[width, sum]: [f64; 2], (_, [w, h])| [width.max(*w), sum + h + GAP])
        };
        let ([main, main_height], [_, side_height]) = (stack(Place::Main), stack(Place::Side));
        let lower = main_height.max(side_height);
        let below: f64 = self.sizes.iter().filter(|(place, _)| *place == Place::Below).map(|(_, [width, _])| width + GAP).sum();
        let upper = main + GAP + stack(Place::Side)[0];
        // Side by side where that makes the whole no wider, else below each other.
        let in_row = below <= upper.max(SIZE[0]);
        let (mut main_y, mut side_y, mut below_at) = (0.0, 0.0, [0.0, lower]);
        let place = |(place, [width, height]): &(Place, [f64; 2])| match place {
            Place::Main => {
                let at = [0.0, main_y];
                main_y += height + GAP;
                at
            }
            Place::Side => {
                let at = [main + GAP, side_y];
                side_y += height + GAP;
                at
            }
            Place::Below => {
                let at = below_at;
                if in_row {
                    below_at[0] += width + GAP
                } else {
                    below_at[1] += height + GAP
                }
                at
            }
        };
        self.sizes.iter().map(place).collect()
    }
}

/// What is drawn, in words: the headings of the panels.
pub fn headings(panels: &[Panel]) -> String {
    panels.iter().map(|panel| super::words::label(panel.title)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use explain::lens::settings::Settings;
    use explain::lens::{Name, open};

    use super::*;
    use crate::watch::tests::samples;

    /// Every step of every lens is drawn, without a key in place of a word, and nothing of a text is markup.
    #[test]
    fn every_frame_is_drawn() {
        for watched in samples() {
            for name in watched.lenses() {
                let Ok(lens) = open(*name, watched.task.unwrap(), &watched.texts, &Settings::usual(*name)) else { continue };
                for is_narrow in [false, true] {
                    let layout = Layout::of(lens.as_ref(), &watched, is_narrow);
                    let size = layout.draw(&lens.frame(0), &watched).size;
                    for step in 0..=lens.len() {
                        let Composed { body, size: now } = layout.draw(&lens.frame(step), &watched);
                        assert_eq!(now, size, "{name:?} {step}: the picture keeps its size");
                        assert!(!body.contains("NaN") && !body.contains("<&") && !body.contains("><<"), "{name:?} {step}: {body}");
                        assert_eq!(body.matches("<text").count(), body.matches("</text>").count());
                    }
                }
            }
        }
    }

    #[test]
    fn a_wide_drawing_is_of_one_size() {
        let watched = &samples()[0];
        let lens = open(Name::TwoRows, watched.task.unwrap(), &watched.texts, &Settings::usual(Name::TwoRows)).unwrap();
        assert_eq!(Layout::of(lens.as_ref(), watched, false).draw(&lens.frame(3), watched).size, SIZE);
    }
}
