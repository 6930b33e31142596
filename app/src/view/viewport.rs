//! The viewport of a virtual scroller: an area that scrolls over more than is drawn, with how far it is scrolled and how much it shows.

use leptos::html::Div;
use leptos::prelude::*;
use web_sys::HtmlElement;

/// State of the area. A handle: copying it copies no state. All sizes are in pixels of the page.
#[derive(Clone, Copy)]
pub struct Viewport {
    /// The area.
    pub area: NodeRef<Div>,
    scroll: RwSignal<f64>,
    height: RwSignal<f64>,
}

impl Viewport {
    /// Of an area that is still to be drawn, of some height until it is measured.
    pub fn new() -> Self {
        Self { area: NodeRef::new(), scroll: RwSignal::new(0.0), height: RwSignal::new(600.0) }
    }

    /// The area, when it is there.
    pub fn element(self) -> Option<HtmlElement> {
        self.area.try_get_untracked().flatten().map(Into::into)
    }

    /// How far it is scrolled, and how much it shows.
    pub fn sight(self) -> (f64, f64) {
        (self.scroll.get(), self.height.get())
    }

    /// Takes how far the area is scrolled. Returns whether it is there.
    pub fn scrolled(self) -> bool {
        let element = self.element();
        if let Some(area) = &element {
            self.scroll.set(area.scroll_top().into());
        }
        element.is_some()
    }

    /// Scrolls to a distance from the top, or as far as there is something. Returns whether the area is there.
    pub fn scroll_to(self, top: f64) -> bool {
        if let Some(area) = self.element() {
            area.set_scroll_top(top.max(0.0) as i32);
        }
        self.scrolled()
    }

    /// Scrolls the page to the area, as far as that is out of its view.
    pub fn bring_into_view(self) {
        let (Some(area), Some(window)) = (self.element(), web_sys::window()) else { return };
        let place = area.get_bounding_client_rect();
        let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        window.scroll_by_with_x_and_y(0.0, moved_by((place.top(), place.bottom()), height));
    }

    /// Takes how much of it is shown.
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

/// Pixels between the area and the edge of the page that they are brought to.
const EDGE: f64 = 16.0;

/// How far a page of this height scrolls for what lies between these heights to be in its view, or the upper part of it.
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
    fn area_out_of_view_is_brought_into_it() {
        assert_eq!(moved_by((100.0, 700.0), 900.0), 0.0);
        assert_eq!(moved_by((950.0, 1550.0), 900.0), 666.0);
        assert_eq!(moved_by((950.0, 2550.0), 900.0), 934.0, "of what is higher than the page, the upper part");
        assert_eq!(moved_by((-200.0, 400.0), 900.0), -216.0);
        assert_eq!(moved_by((10.0, 1550.0), 900.0), 0.0);
    }
}
