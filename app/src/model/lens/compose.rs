//! All panels of a frame (one step of a lens) in one drawing of 940 × 600 units: [`PanelLayout::draw`].
//!
//! The main panel is on the left, and others are beside and below it, unless letters would be too small. In a narrow
//! window the panels are stacked. For projectors and paper they are [`fitted`] into the available area. Positions suit
//! all steps, so that nothing moves between steps.

use std::fmt::Write as _;

use explain::lens::Lens;
use explain::lens::frame::{LensFrame, LensPanel};

use super::LensInput;
use super::draw::{PanelSettings, panel};
use super::fitted::{self, MAX_SCREEN_SCALE, MIN_SCREEN_LETTER_HEIGHT, ProjectorScreen};
use super::places::{MARGIN, PanelLayout, SIZE, fits, measure_panels, preferred_positions, stacked, whole};

/// Width of the drawing in a narrow window, in user units of the SVG.
const NARROW_WIDTH: f64 = 380.0;

/// Minimum scale of panels in a narrow window, in pixels per unit of a panel. If a panel is too wide at this scale, the
/// visitor scrolls it.
const MIN_NARROW_SCALE: f64 = 0.62;

/// Maximum number of intervals between the frames (steps of a lens) that are measured for the layout.
const MAX_MEASURED_FRAMES: usize = 24;

/// The medium that shows a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum DisplayMedium {
    /// A phone, with stacked panels.
    Narrow,
    /// A computer screen.
    #[default]
    Wide,
    /// A projector with this window.
    Projected(ProjectorScreen),
    /// A sheet of paper.
    Paper,
}

/// A drawing as SVG without its outer element, and the size of its view box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComposedDrawing {
    pub size: [f64; 2],
    /// Height of the smallest letters, in the units of the panels.
    pub min_letter_height: f64,
    /// Width in pixels below which the drawing is not shrunk further but scrolled.
    pub narrowest: f64,
    /// Whether the drawing takes the whole width of a projector or of a sheet of paper, with text below it instead of
    /// beside it.
    pub is_flat: bool,
    /// Content of the SVG element.
    pub body: String,
}

impl PanelLayout {
    /// Computes the layout of a lens for the medium `room`, with enough space for its panels in every step. `watched`
    /// are the texts that the lens shows.
    ///
    /// Takes the time to draw 25 frames, and several times as long for projectors and paper.
    pub fn of(lens: &dyn Lens, watched: &LensInput, room: DisplayMedium) -> Self {
        let frames = frames(lens);
        let setting = PanelSettings::default();
        let sizes = || measure_panels(&frames, watched, setting);
        match room {
            DisplayMedium::Narrow => {
                let sizes = sizes();
                let places = stacked(&sizes);
                let [width, height] = whole(&places, &sizes);
                let scale = (NARROW_WIDTH / width).clamp(MIN_NARROW_SCALE, 1.0);
                let size = [(width * scale).max(NARROW_WIDTH), height * scale + 6.0];
                Self { setting, places, scale, size, is_flat: false }
            }
            DisplayMedium::Wide => {
                let sizes = sizes();
                let places = preferred_positions(&sizes);
                let scale = fits(whole(&places, &sizes), SIZE).min(MAX_SCREEN_SCALE);
                let wanted = Self { setting, places, scale, size: SIZE, is_flat: false };
                // If letters would be too small, another arrangement may allow larger ones.
                let other = if setting.min_letter_height * scale < MIN_SCREEN_LETTER_HEIGHT {
                    fitted::readable(&frames, watched, &fitted::screen())
                } else {
                    None
                };
                other.unwrap_or(wanted)
            }
            DisplayMedium::Projected(screen) => {
                // A projector shows the sentences on what happens and what it costs, but not on the reason.
                let takes = frames.iter().any(|frame| frame.sentences.len() > 2);
                fitted::layout(&frames, watched, &screen.rooms(1 + usize::from(takes)))
            }
            DisplayMedium::Paper => fitted::layout(&frames, watched, &fitted::paper()),
        }
    }

    /// Draws a frame (one step of the lens) in this layout. `watched` are the texts that the lens shows.
    pub fn draw(&self, frame: &LensFrame, watched: &LensInput) -> ComposedDrawing {
        let mut body = String::new();
        let _ = write!(body, r#"<g transform="translate({MARGIN} {MARGIN}) scale({:.3})">"#, self.scale);
        for (one, place) in frame.panels.iter().zip(&self.places) {
            if let Some([x, y]) = place {
                let _ = write!(body, r#"<g transform="translate({x:.1} {y:.1})">{}</g>"#, panel(one, watched, self.setting).body);
            }
        }
        body.push_str("</g>");
        let narrowest = self.size[0] * MIN_NARROW_SCALE / self.scale;
        ComposedDrawing { size: self.size, min_letter_height: self.setting.min_letter_height, narrowest, is_flat: self.is_flat, body }
    }
}

/// Returns evenly spaced frames of a lens, including the first and the last, for measuring.
fn frames(lens: &dyn Lens) -> Vec<LensFrame> {
    let count = lens.len().min(MAX_MEASURED_FRAMES);
    (0..=count).map(|at| lens.frame((lens.len() * at).checked_div(count).unwrap_or(0))).collect()
}

/// Joins the headings of the panels to a description of the drawing.
pub fn headings(panels: &[LensPanel]) -> String {
    panels.iter().map(|panel| super::lens_keys::label(panel.title)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use explain::lens::settings::LensSettings;
    use explain::lens::{LensName, open};

    use super::*;
    use crate::model::lens::tests::samples;

    /// Every step of every lens can be drawn. No key appears in place of words, and texts are escaped.
    #[test]
    fn every_frame_can_be_drawn() {
        for watched in samples() {
            for name in watched.lenses() {
                let Ok(lens) = open(name, watched.task.unwrap(), &watched.texts, &LensSettings::defaults(name)) else { continue };
                for room in
                    [DisplayMedium::Wide, DisplayMedium::Narrow, DisplayMedium::Projected(ProjectorScreen::default()), DisplayMedium::Paper]
                {
                    let layout = PanelLayout::of(lens.as_ref(), &watched, room);
                    let size = layout.draw(&lens.frame(0), &watched).size;
                    for step in 0..=lens.len() {
                        let ComposedDrawing { body, size: now, .. } = layout.draw(&lens.frame(step), &watched);
                        assert_eq!(now, size, "{name:?} {step}: the size changed");
                        assert!(!body.contains("NaN") && !body.contains("<&") && !body.contains("><<"), "{name:?} {step}: {body}");
                        assert_eq!(body.matches("<text").count(), body.matches("</text>").count());
                    }
                }
            }
        }
    }

    #[test]
    fn wide_drawing_has_a_fixed_size() {
        let watched = &samples()[0];
        let lens = open(LensName::TwoRows, watched.task.unwrap(), &watched.texts, &LensSettings::defaults(LensName::TwoRows)).unwrap();
        assert_eq!(PanelLayout::of(lens.as_ref(), watched, DisplayMedium::Wide).draw(&lens.frame(3), watched).size, SIZE);
    }
}
