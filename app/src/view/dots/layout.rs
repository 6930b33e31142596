//! Where the picture of a dot plot is on its canvas, in letters of the page.

use leptos::prelude::*;

use crate::model::dots::{Spot, sides};
use crate::model::text::words::grouped;

/// Pixels of the page that a part of the picture is wide and high: a line can be seen.
const PART: f64 = 1.4;

/// Beside the picture the letters of the texts have a lane as wide as so many letters.
pub(super) const LANE: f64 = 1.1;

/// Where the picture is on its canvas, in pixels of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layout {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Size of the letters beside the picture, in pixels.
pub(super) fn letter() -> f64 {
    0.8125 * root()
}

/// The size that everything on the page follows.
fn root() -> f64 {
    let style = document().document_element().and_then(|root| window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    size.and_then(|size| size.trim_end_matches("px").parse().ok()).unwrap_or(16.0)
}

impl Layout {
    /// What stands around a picture of texts of these lengths: left, above, right, below.
    fn around((a, _): Spot) -> [f64; 4] {
        let letter = letter();
        [letter * (0.6 * grouped(a).len() as f64 + 2.5 + LANE), letter * (3.1 + LANE), letter * 0.8, letter * 0.4]
    }

    /// Size of the canvas for texts of these lengths in a room of this width.
    pub fn size(of: Spot, room: f64) -> (f64, f64) {
        let [left, above, right, below] = Self::around(of);
        let inner = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0);
        // On a projector the views stand above the picture, in larger letters.
        let is_projector = document().document_element().is_some_and(|root| root.has_attribute("data-projector"));
        let beside = if is_projector { 12.5 } else { 9.0 };
        let high = (inner - beside * root()).clamp(15.0 * root(), 50.0 * root());
        let (width, height) = sides(of, (room - left - right, high - above - below));
        ((width + left + right).floor(), (height + above + below).floor())
    }

    /// Of a canvas of this size.
    pub(super) fn of(of: Spot, (width, height): (f64, f64)) -> Self {
        let [left, top, right, below] = Self::around(of);
        let (left, top) = (left.floor(), top.floor());
        Self { left, top, right, width: (width - left - right).max(1.0), height: (height - top - below).max(1.0) }
    }

    /// Parts that fit across and down: fewer where everything is larger, so that lines can be seen from afar.
    pub fn parts(of: Spot, size: (f64, f64)) -> (f64, f64) {
        let (layout, large) = (Self::of(of, size), PART * (root() / 16.0).max(1.0));
        (layout.width / large, layout.height / large)
    }

    /// A point of the canvas in shares of the picture, across and down.
    pub fn share(&self, (x, y): (f64, f64)) -> (f64, f64) {
        ((x - self.left) / self.width.max(1.0), (y - self.top) / self.height.max(1.0))
    }
}
