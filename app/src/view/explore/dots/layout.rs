//! Position of the picture of a dot plot on its canvas ([`PlotLayout`]). It depends on the letter size of the page.

use leptos::prelude::*;

use crate::model::dots::{PositionPair, sides};
use crate::model::text::humanize::grouped;

/// Size of a part (row or column) of the picture, in CSS pixels. It is large enough for lines of dots to be visible.
const PART: f64 = 1.4;

/// Width of the space for symbols beside the picture, as a multiple of the letter size.
pub(super) const LANE: f64 = 1.1;

/// Margins and size of the picture on its canvas, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlotLayout {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Returns the size of the letters beside the picture, in CSS pixels.
pub(super) fn letter() -> f64 {
    0.8125 * root()
}

/// Returns the base font size of the page, in CSS pixels.
fn root() -> f64 {
    let style = document().document_element().and_then(|root| window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    size.and_then(|size| size.trim_end_matches("px").parse().ok()).unwrap_or(16.0)
}

impl PlotLayout {
    /// Returns the left, top, right and bottom margin of a picture, in CSS pixels. The number of digits of `a`, the
    /// length of text `a`, determines the left one.
    fn around((a, _): PositionPair) -> [f64; 4] {
        let letter = letter();
        [letter * (0.6 * grouped(a).len() as f64 + 2.5 + LANE), letter * (3.1 + LANE), letter * 0.8, letter * 0.4]
    }

    /// Returns the width and the height of the canvas for texts of the lengths `of`, in a space of the width `room`,
    /// all in CSS pixels.
    pub fn size(of: PositionPair, room: f64) -> (f64, f64) {
        let [left, above, right, below] = Self::around(of);
        let inner = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0);
        // On a projector the tabs above the picture have larger letters.
        let is_projector = document().document_element().is_some_and(|root| root.has_attribute("data-projector"));
        let beside = if is_projector { 12.5 } else { 9.0 };
        let high = (inner - beside * root()).clamp(15.0 * root(), 50.0 * root());
        let (width, height) = sides(of, (room - left - right, high - above - below));
        ((width + left + right).floor(), (height + above + below).floor())
    }

    /// Returns the layout of a canvas of the given width and height, for texts of the lengths `of`.
    pub(super) fn of(of: PositionPair, (width, height): (f64, f64)) -> Self {
        let [left, top, right, below] = Self::around(of);
        let (left, top) = (left.floor(), top.floor());
        Self { left, top, right, width: (width - left - right).max(1.0), height: (height - top - below).max(1.0) }
    }

    /// Returns the number of columns and rows of parts in a picture that fits a canvas of the given `size`, for texts
    /// of the lengths `of`. With larger letters there are fewer parts, so that lines can be seen from afar.
    pub fn parts(of: PositionPair, size: (f64, f64)) -> (f64, f64) {
        let (layout, large) = (Self::of(of, size), PART * (root() / 16.0).max(1.0));
        (layout.width / large, layout.height / large)
    }

    /// Converts a point of the canvas (in CSS pixels) to fractions of the picture, horizontal and vertical.
    pub fn share(&self, (x, y): (f64, f64)) -> (f64, f64) {
        ((x - self.left) / self.width.max(1.0), (y - self.top) / self.height.max(1.0))
    }
}
