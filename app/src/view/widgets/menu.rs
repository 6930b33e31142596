//! A menu that opens over the page from a button. The browser opens the menu, closes it on Escape or an outside click,
//! and returns the focus to the button (attribute `popover`). This module only computes the menu's position, above or
//! below the button.

use leptos::ev;
use leptos::html::{Button, Div};
use leptos::prelude::*;

use crate::view::browser::lazy::{LazyPart, lazy};

/// Height below a button that its menu needs to open there, in pixels. If there is less, the menu opens on the larger
/// side.
const MIN_HEIGHT: f64 = 260.0;

/// Distance between a menu and its button or the edge of the window, in pixels.
const GAP: f64 = 6.0;

/// The position of a menu relative to the document, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MenuPosition {
    left: f64,
    top: f64,
    /// Whether the menu is above its button. `top` then is the menu's lower edge.
    above: bool,
    most_height: f64,
}

/// Returns the position of a menu. `left`, `top` and `bottom` are the edges of its button in a window of `height`
/// pixels height. `scrolled` is by how much the window is scrolled, horizontally and vertically.
fn placed((left, top, bottom): (f64, f64, f64), height: f64, scrolled: (f64, f64)) -> MenuPosition {
    let (room_above, room_below) = (top - 2.0 * GAP, height - bottom - 2.0 * GAP);
    let above = room_below < MIN_HEIGHT && room_above > room_below;
    let edge = if above { top - GAP } else { bottom + GAP };
    let most_height = if above { room_above } else { room_below };
    MenuPosition { left: left + scrolled.0, top: edge + scrolled.1, above, most_height: most_height.max(8.0 * GAP) }
}

/// Draws a button with the content `label` and the CSS class `class`, and the menu of `items` that it opens. `id` must
/// be unique on the page. `panel` refers to the menu, for example for [`close`].
pub fn menu<L, V>(id: String, class: &'static str, panel: NodeRef<Div>, label: L, items: V) -> impl IntoView
where
    L: IntoView + 'static,
    V: IntoView + 'static,
{
    menu_announced(id, class, panel, label, items, || ())
}

/// Draws a menu as [`menu`] does. `load` downloads the part that draws the items from the value of `what`, once the
/// pointer or the focus reaches the button.
pub fn menu_later<T, L, P>(
    id: String,
    class: &'static str,
    panel: NodeRef<Div>,
    label: L,
    what: impl Fn() -> T + 'static,
    load: impl Fn() -> P + Copy + 'static,
) -> impl IntoView
where
    T: 'static,
    L: IntoView + 'static,
    P: Future<Output = LazyPart<T>> + 'static,
{
    let is_near = RwSignal::new(false);
    let near = Memo::new(move |_| is_near.get());
    menu_announced(id, class, panel, label, lazy(move || near.get().then(&what), load), move || is_near.set(true))
}

/// Draws a menu as [`menu`] does, and calls `near` when the pointer or the focus reaches the button.
fn menu_announced<L, V>(
    id: String,
    class: &'static str,
    panel: NodeRef<Div>,
    label: L,
    items: V,
    near: impl Fn() + Copy + 'static,
) -> impl IntoView
where
    L: IntoView + 'static,
    V: IntoView + 'static,
{
    let button = NodeRef::<Button>::new();
    // The position is computed on click, before the browser opens the menu, because a key press clicks the button, too.
    let place = move |_: ev::MouseEvent| {
        near();
        if let (Some(button), Some(panel)) = (button.get_untracked(), panel.get_untracked()) {
            place_beside(&button, &panel);
        }
    };
    view! {
        <button class=class type="button" popovertarget=id.clone() aria-haspopup="true" node_ref=button on:click=place on:focus=move |_| near() on:pointerenter=move |_| near()>
            {label}
        </button>
        <div class="menu-panel" id=id popover="auto" node_ref=panel>
            {items}
        </div>
    }
}

/// Places the menu `panel` below `button`, or above it if there is too little space below and more above.
pub(crate) fn place_beside(button: &web_sys::Element, panel: &web_sys::HtmlElement) {
    let (rect, window) = (button.get_bounding_client_rect(), window());
    let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    let scrolled = (window.scroll_x().unwrap_or_default(), window.scroll_y().unwrap_or_default());
    let MenuPosition { left, top, above, most_height } = placed((rect.left(), rect.top(), rect.bottom()), height, scrolled);
    let style = panel.style();
    let pixels = [("--left", left), ("--top", top), ("--most-height", most_height)];
    // Positions are whole pixels, because code for decimals would be part of the first download.
    pixels.into_iter().for_each(|(name, value)| drop(style.set_property(name, &format!("{}px", value.round() as i32))));
    let _ = style.set_property("translate", if above { "0 -100%" } else { "none" });
}

/// Closes the menu `panel`. The browser returns the focus to its button.
pub fn close(panel: NodeRef<Div>) {
    if let Some(panel) = panel.get_untracked() {
        let _ = panel.hide_popover();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn menu_opens_on_the_side_with_more_space() {
        let open = |top: f64| placed((40.0, top, top + 30.0), 720.0, (0.0, 100.0));
        assert_eq!(open(200.0), MenuPosition { left: 40.0, top: 336.0, above: false, most_height: 478.0 });
        assert_eq!(open(600.0), MenuPosition { left: 40.0, top: 694.0, above: true, most_height: 588.0 });
        // If the window is too low for both sides, the menu takes the larger side.
        assert!(!placed((0.0, 40.0, 70.0), 200.0, (0.0, 0.0)).above);
    }
}
