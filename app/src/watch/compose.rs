//! All panels of a frame in one drawing of 940 × 600: the large part on the left, what is beside it, what is below both. In a narrow
//! window the panels stand below each other; on a projector the drawing is as large as it can be: a flat one takes the whole width, and where
//! what is beside the large part makes it too small to be read from the last row, that part stands alone, and many rows stand in two columns. Places are those of all steps, so
//! that nothing moves from step to step.

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

/// How large they get on a projector.
const PROJECTED: f64 = 2.0;

/// From which scale on letters of 14 units are read from the last row: on a projector of 1,280 × 720 they are 18 pixels high then.
const LEGIBLE: f64 = 1.55;

/// How much larger a drawing is that has the whole width of a projector, and not the sentence beside it.
const FLAT: f64 = 1.5;

/// How much larger the large part must be where it stands alone, or where rows stand in two columns.
const WORTH: f64 = 1.25;

/// Space between panels.
const GAP: f64 = 34.0;

/// Frames that are looked at for the places.
const LOOKED_AT: usize = 24;

/// What a drawing is looked at on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// A phone: panels are below each other.
    Narrow,
    /// A screen.
    #[default]
    Wide,
    /// A projector.
    Projected,
}

/// Where panels lie, by their number in the frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Where it is looked at.
    pub room: Room,
    /// In how many columns many rows of cells stand.
    columns: usize,
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

impl Composed {
    /// Whether it takes the whole width of a projector.
    pub fn is_flat(&self) -> bool {
        self.size[0] > 2.0 * self.size[1]
    }
}

impl Layout {
    /// Of a lens: the room that its panels take in any step. Time: that of two dozen frames.
    pub fn of(lens: &dyn Lens, watched: &Watched, room: Room) -> Self {
        let layout = Self::in_columns(lens, watched, room, 1);
        if room != Room::Projected || layout.seen() >= LEGIBLE {
            return layout;
        }
        let two = Self::in_columns(lens, watched, room, 2);
        let layout = if two.seen() >= WORTH * layout.seen() { two } else { layout };
        let alone = layout.clone().alone();
        if alone.seen() >= WORTH * layout.seen() { alone } else { layout }
    }

    fn in_columns(lens: &dyn Lens, watched: &Watched, room: Room, columns: usize) -> Self {
        let mut sizes: Vec<(Place, [f64; 2])> = Vec::new();
        let count = lens.len().min(LOOKED_AT);
        for at in 0..=count {
            let step = (lens.len() * at).checked_div(count).unwrap_or(0);
            for (number, one) in lens.frame(step).panels.iter().enumerate() {
                let Drawn { width, height, .. } = panel(one, watched, columns);
                if number == sizes.len() {
                    sizes.push((one.place, [0.0, 0.0]));
                }
                let [most_width, most_height] = &mut sizes[number].1;
                (*most_width, *most_height) = (most_width.max(width), most_height.max(height));
            }
        }
        Self { room, columns, sizes }
    }

    /// Without what is beside the large part and below it.
    fn alone(mut self) -> Self {
        for (_, size) in self.sizes.iter_mut().filter(|(place, _)| *place != Place::Main) {
            *size = [0.0, 0.0];
        }
        self
    }

    /// Whether a panel is drawn.
    fn has(&self, number: usize) -> bool {
        self.sizes.get(number).is_some_and(|(_, [width, _])| *width > 0.0)
    }

    /// Where each panel is, and how wide and high all are together.
    fn places(&self) -> (Vec<[f64; 2]>, [f64; 2]) {
        let places = if self.room == Room::Narrow { self.stacked() } else { self.beside() };
        let drawn = places.iter().zip(&self.sizes).enumerate().filter(|(number, _)| self.has(*number)).map(|(_, panel)| panel);
        let whole = drawn
            .fold([1.0, 1.0], |[right, bottom]: [f64; 2], ([x, y], (_, [width, height]))| [right.max(x + width), bottom.max(y + height)]);
        (places, whole)
    }

    /// How large a unit is.
    fn scale(&self) -> f64 {
        let (_, [width, height]) = self.places();
        // A margin for frames at the edge.
        let fits = ((SIZE[0] - 8.0) / width).min((SIZE[1] - 8.0) / height);
        match self.room {
            Room::Narrow => (NARROW / width).clamp(LEAST_SCALE, 1.0),
            Room::Wide => fits.min(MOST_SCALE),
            Room::Projected if self.is_flat() => ((SIZE[0] - 8.0) / width).min(PROJECTED / FLAT),
            Room::Projected => fits.min(PROJECTED),
        }
    }

    /// How large a unit is on a projector, of one whose drawing has the sentence beside it.
    fn seen(&self) -> f64 {
        if self.is_flat() { FLAT * self.scale() } else { self.scale() }
    }

    /// Whether the drawing takes the whole width of a projector.
    fn is_flat(&self) -> bool {
        let (_, [width, height]) = self.places();
        self.room == Room::Projected && width > 2.2 * height
    }

    /// Draws a frame.
    pub fn draw(&self, frame: &Frame, watched: &Watched) -> Composed {
        let (places, [width, height]) = self.places();
        let (scale, is_narrow) = (self.scale(), self.room == Room::Narrow);
        let size = match self.room {
            Room::Narrow => [(width * scale).max(NARROW), height * scale + 6.0],
            Room::Projected if self.is_flat() => [SIZE[0], height * scale + 8.0],
            Room::Wide | Room::Projected => SIZE,
        };
        let mut body = String::new();
        let margin = if is_narrow { 1.0 } else { 4.0 };
        let _ = write!(body, r#"<g transform="translate({margin} {margin}) scale({scale:.3})">"#);
        for (number, (one, [x, y])) in frame.panels.iter().zip(places).enumerate() {
            if self.has(number) {
                let _ = write!(body, r#"<g transform="translate({x:.1} {y:.1})">{}</g>"#, panel(one, watched, self.columns).body);
            }
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
                for room in [Room::Wide, Room::Narrow, Room::Projected] {
                    let layout = Layout::of(lens.as_ref(), &watched, room);
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
    fn a_projector_shows_as_much_as_can_be_read_from_afar() {
        for watched in samples() {
            for name in watched.lenses() {
                let Ok(lens) = open(*name, watched.task.unwrap(), &watched.texts, &Settings::usual(*name)) else { continue };
                let [wide, projected] = [Room::Wide, Room::Projected].map(|room| Layout::of(lens.as_ref(), &watched, room));
                assert!(projected.seen() >= wide.scale(), "{name:?}");
                let is_whole = (0..wide.sizes.len()).all(|number| projected.has(number));
                assert!(is_whole || wide.scale() < LEGIBLE, "{name:?}: nothing is left out that can be read");
            }
        }
    }

    /// The fourteen rows of words of bits, which were 10 pixels high on a projector of 1,280 × 720.
    #[test]
    fn many_rows_stand_in_two_columns_on_a_projector() {
        let watched = &samples()[0];
        let lens = open(Name::BitVectors, watched.task.unwrap(), &watched.texts, &Settings::usual(Name::BitVectors)).unwrap();
        let one = Layout::in_columns(lens.as_ref(), watched, Room::Projected, 1);
        let chosen = Layout::of(lens.as_ref(), watched, Room::Projected);
        assert_eq!((chosen.columns, Layout::of(lens.as_ref(), watched, Room::Wide).columns), (2, 1));
        assert!(chosen.seen() > 1.5 * one.seen(), "{} and {}", chosen.seen(), one.seen());
        let letters = |layout: &Layout| layout.draw(&lens.frame(2), watched).body.matches("<text").count();
        assert!(letters(&chosen) > letters(&one), "nothing is left out, and the letters stand above both");
    }

    #[test]
    fn a_wide_drawing_is_of_one_size() {
        let watched = &samples()[0];
        let lens = open(Name::TwoRows, watched.task.unwrap(), &watched.texts, &Settings::usual(Name::TwoRows)).unwrap();
        assert_eq!(Layout::of(lens.as_ref(), watched, Room::Wide).draw(&lens.frame(3), watched).size, SIZE);
    }
}
