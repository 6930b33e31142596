//! The viewport of a virtual scroller (a scroll area of which only the visible content is drawn): its element, its
//! scroll position and its height.

use leptos::html::Div;
use leptos::prelude::*;
use web_sys::HtmlElement;

/// The state of a scroll area. Copies share one state. All sizes are in CSS pixels.
#[derive(Clone, Copy)]
pub struct Viewport {
    pub area: NodeRef<Div>,
    scroll: RwSignal<f64>,
    height: RwSignal<f64>,
}

impl Viewport {
    /// Creates the state of an area that is not mounted yet. A usual height is assumed until the area is measured.
    pub fn new() -> Self {
        Self { area: NodeRef::new(), scroll: RwSignal::new(0.0), height: RwSignal::new(600.0) }
    }

    /// Returns the element of the scroll area, if it is mounted.
    pub fn element(self) -> Option<HtmlElement> {
        self.area.try_get_untracked().flatten().map(Into::into)
    }

    /// Returns the scroll position and the height of the area. A view that calls this function is updated when one of
    /// them changes.
    pub fn sight(self) -> (f64, f64) {
        (self.scroll.get(), self.height.get())
    }

    /// Reads the scroll position after the area was scrolled. Returns whether the area is mounted.
    pub fn scrolled(self) -> bool {
        let element = self.element();
        if let Some(area) = &element {
            self.scroll.set(area.scroll_top().into());
        }
        element.is_some()
    }

    /// Scrolls the area until `top`, a distance from the top of the content, is at the area's upper edge, or as near as
    /// possible. Returns whether the area is mounted.
    pub fn scroll_to(self, top: f64) -> bool {
        if let Some(area) = self.element() {
            area.set_scroll_top(top.max(0.0) as i32);
        }
        self.scrolled()
    }

    /// Scrolls the page until the area is visible.
    pub fn bring_into_view(self) {
        let (Some(area), Some(window)) = (self.element(), web_sys::window()) else { return };
        let place = area.get_bounding_client_rect();
        let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        window.scroll_by_with_x_and_y(0.0, moved_by((place.top(), place.bottom()), height));
    }

    /// Measures the height of the area after its size may have changed.
    pub fn measure(self) {
        let height = self.element().map(|area| f64::from(area.client_height()));
        if let Some(height) = height.filter(|height| (self.height.get_untracked() - height).abs() > 0.5) {
            self.height.set(height);
        }
    }
}

impl Default for Viewport {
    fn default() -> Self {
        Self::new()
    }
}

/// Minimum space between the area and the edge of the window after scrolling, in pixels.
const EDGE: f64 = 16.0;

/// Returns by how many pixels the page must scroll down (up if negative) so that the range from `top` to `bottom` of a
/// window of this `height` is visible. If the range is too high, its upper part becomes visible.
fn moved_by((top, bottom): (f64, f64), height: f64) -> f64 {
    if top < 0.0 {
        top - EDGE
    } else if bottom > height {
        (bottom - height + EDGE).min(top - EDGE).max(0.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_area_is_scrolled_into_view() {
        assert_eq!(moved_by((100.0, 700.0), 900.0), 0.0);
        assert_eq!(moved_by((950.0, 1550.0), 900.0), 666.0);
        assert_eq!(moved_by((950.0, 2550.0), 900.0), 934.0, "the upper part of an area higher than the window");
        assert_eq!(moved_by((-200.0, 400.0), 900.0), -216.0);
        assert_eq!(moved_by((10.0, 1550.0), 900.0), 0.0);
    }
}
