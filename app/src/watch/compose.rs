//! All panels of a frame in one drawing of 940 × 600: the large part on the left, what is beside it, what is below both. In a narrow
//! window the panels stand below each other; on a projector and on paper they are [`fitted`] into the room there. Places are those of all steps,
//! so that nothing moves from step to step.

use std::fmt::Write as _;

use explain::lens::Lens;
use explain::lens::frame::{Frame, Panel, Place};

use super::Watched;
use super::draw::{Drawn, Setting, panel};
use super::fitted::{self, Screen};

/// Width and height of the drawing.
pub const SIZE: [f64; 2] = [940.0, 600.0];

/// Width of a narrow drawing.
const NARROW: f64 = 380.0;

/// How small a narrow drawing's units get; a larger panel is scrolled.
const LEAST_SCALE: f64 = 0.62;

/// How large units get.
const MOST_SCALE: f64 = 1.15;

/// Space between panels.
pub(super) const GAP: f64 = 34.0;

/// A margin for frames at the edge.
const MARGIN: f64 = 4.0;

/// Frames that are looked at for the places.
const LOOKED_AT: usize = 24;

/// What a drawing is looked at on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Room {
    /// A phone: panels are below each other.
    Narrow,
    /// A screen.
    #[default]
    Wide,
    /// A projector.
    Projected(Screen),
    /// A sheet of paper.
    Paper,
}

/// Where each panel is, by its number in the frame; none for one that is not drawn.
pub(super) type Places = Vec<Option<[f64; 2]>>;

/// Width and height of each panel in any step, and where the lens places it.
pub(super) type Sizes = Vec<(Place, [f64; 2])>;

/// Where panels lie in a drawing, and how large it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// How panels are drawn.
    pub(super) setting: Setting,
    /// Where they are.
    pub(super) places: Places,
    /// How large a unit is.
    pub(super) scale: f64,
    /// Width and height of the drawing.
    pub(super) size: [f64; 2],
    /// Whether it takes the whole width of a projector.
    pub(super) is_flat: bool,
}

/// A drawing as SVG without the element around it, with the size of its view box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Composed {
    /// Width and height.
    pub size: [f64; 2],
    /// Height of letters at least, in the units of the panels.
    pub least: f64,
    /// Whether it takes the whole width of a projector.
    pub is_flat: bool,
    /// What is in it.
    pub body: String,
}

impl Layout {
    /// Of a lens: the room that its panels take in any step. Time: that of two dozen frames, and on a projector and on paper of drawing them a few times.
    pub fn of(lens: &dyn Lens, watched: &Watched, room: Room) -> Self {
        let frames = frames(lens);
        let setting = Setting::default();
        let sizes = || measured(&frames, watched, setting);
        match room {
            Room::Narrow => {
                let sizes = sizes();
                let places = stacked(&sizes);
                let [width, height] = whole(&places, &sizes);
                let scale = (NARROW / width).clamp(LEAST_SCALE, 1.0);
                let size = [(width * scale).max(NARROW), height * scale + 6.0];
                Self { setting, places, scale, size, is_flat: false }
            }
            Room::Wide => {
                let sizes = sizes();
                let places = beside(&sizes);
                let scale = fits(whole(&places, &sizes), SIZE).min(MOST_SCALE);
                Self { setting, places, scale, size: SIZE, is_flat: false }
            }
            Room::Projected(screen) => {
                // What happens, and what it takes; why it is so is not said there.
                let takes = frames.iter().any(|frame| frame.says.len() > 2);
                fitted::layout(&frames, watched, &screen.rooms(1 + usize::from(takes)))
            }
            Room::Paper => fitted::layout(&frames, watched, &fitted::paper()),
        }
    }

    /// Draws a frame.
    pub fn draw(&self, frame: &Frame, watched: &Watched) -> Composed {
        let mut body = String::new();
        let _ = write!(body, r#"<g transform="translate({MARGIN} {MARGIN}) scale({:.3})">"#, self.scale);
        for (one, place) in frame.panels.iter().zip(&self.places) {
            if let Some([x, y]) = place {
                let _ = write!(body, r#"<g transform="translate({x:.1} {y:.1})">{}</g>"#, panel(one, watched, self.setting).body);
            }
        }
        body.push_str("</g>");
        Composed { size: self.size, least: self.setting.least, is_flat: self.is_flat, body }
    }
}

/// Frames of all parts of a lens.
fn frames(lens: &dyn Lens) -> Vec<Frame> {
    let count = lens.len().min(LOOKED_AT);
    (0..=count).map(|at| lens.frame((lens.len() * at).checked_div(count).unwrap_or(0))).collect()
}

/// How large panels get in any of the frames.
pub(super) fn measured(frames: &[Frame], watched: &Watched, setting: Setting) -> Sizes {
    let mut sizes = Sizes::new();
    for frame in frames {
        for (number, one) in frame.panels.iter().enumerate() {
            let Drawn { width, height, .. } = panel(one, watched, setting);
            if number == sizes.len() {
                sizes.push((one.place, [0.0, 0.0]));
            }
            let [most_width, most_height] = &mut sizes[number].1;
            (*most_width, *most_height) = (most_width.max(width), most_height.max(height));
        }
    }
    sizes
}

/// How wide and high all panels are together.
pub(super) fn whole(places: &Places, sizes: &Sizes) -> [f64; 2] {
    let drawn = places.iter().zip(sizes).filter_map(|(place, (_, size))| place.map(|place| (place, size)));
    drawn.fold([1.0, 1.0], |[right, bottom]: [f64; 2], ([x, y], [width, height])| [right.max(x + width), bottom.max(y + height)])
}

/// How large a unit is where a drawing of such a size fits into a room, with its margin.
pub(super) fn fits([width, height]: [f64; 2], room: [f64; 2]) -> f64 {
    ((room[0] - 2.0 * MARGIN) / width).min((room[1] - 2.0 * MARGIN) / height)
}

/// Panels below each other.
fn stacked(sizes: &Sizes) -> Places {
    let mut y = 0.0;
    let below = |(_, [_, height]): &(Place, [f64; 2])| {
        let place = [0.0, y];
        y += height + GAP;
        Some(place)
    };
    sizes.iter().map(below).collect()
}

/// Panels where the lens wants them.
pub(super) fn beside(sizes: &Sizes) -> Places {
    let stack = |place: Place| -> [f64; 2] {
        let of = sizes.iter().filter(|(of, _)| *of == place);
        of.fold([0.0, 0.0], |[width, sum]: [f64; 2], (_, [w, h])| [width.max(*w), sum + h + GAP])
    };
    let ([main, main_height], [_, side_height]) = (stack(Place::Main), stack(Place::Side));
    let lower = main_height.max(side_height);
    let below: f64 = sizes.iter().filter(|(place, _)| *place == Place::Below).map(|(_, [width, _])| width + GAP).sum();
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
    sizes.iter().map(place).map(Some).collect()
}

/// Panels in rows, in their order: a row ends before the panel that would make it wider than `most`.
pub(super) fn in_rows(sizes: &Sizes, most: f64) -> Places {
    let ([mut x, mut y], mut height) = ([0.0, 0.0], 0.0_f64);
    let place = |(_, [width, high]): &(Place, [f64; 2])| {
        if x > 0.0 && x + width > most {
            (x, y, height) = (0.0, y + height + GAP, 0.0);
        }
        let place = [x, y];
        (x, height) = (x + width + GAP, height.max(*high));
        Some(place)
    };
    sizes.iter().map(place).collect()
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
                for room in [Room::Wide, Room::Narrow, Room::Projected(Screen::default()), Room::Paper] {
                    let layout = Layout::of(lens.as_ref(), &watched, room);
                    let size = layout.draw(&lens.frame(0), &watched).size;
                    for step in 0..=lens.len() {
                        let Composed { body, size: now, .. } = layout.draw(&lens.frame(step), &watched);
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
        assert_eq!(Layout::of(lens.as_ref(), watched, Room::Wide).draw(&lens.frame(3), watched).size, SIZE);
    }

    #[test]
    fn rows_of_panels_are_as_wide_as_they_may_be() {
        let sizes: Sizes =
            [(300.0, 20.0), (100.0, 50.0), (100.0, 10.0), (200.0, 30.0)].map(|(width, height)| (Place::Main, [width, height])).into();
        let at = |most: f64| in_rows(&sizes, most).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(at(300.0), [[0.0, 0.0], [0.0, 54.0], [134.0, 54.0], [0.0, 138.0]]);
        assert_eq!(at(0.0), [[0.0, 0.0], [0.0, 54.0], [0.0, 138.0], [0.0, 182.0]]);
        assert_eq!(whole(&in_rows(&sizes, 9999.0), &sizes), [802.0, 50.0]);
    }
}
