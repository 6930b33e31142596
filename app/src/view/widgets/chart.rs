//! Shared helpers of charts: the available width ([`width_of`]), axes ([`axes`]), and sliders on a drawing ([`place`],
//! [`moved`]).

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::model::preferences::{PositionBase, positions};
use crate::model::search::chart::ScoreChartFrame;
use crate::model::text::humanize::grouped;
use crate::view::browser::resized::on_resize;

/// Height of the space below a drawing for the labels of its horizontal axis, in pixels.
pub const BELOW: f64 = 24.0;

/// Height of the space above a drawing, in pixels.
pub const ABOVE: f64 = 22.0;

/// Width of the space to the right of a drawing, in pixels.
pub const RIGHT: f64 = 8.0;

/// Returns the width of the space on the left of a drawing for labels of scores up to `top`, in pixels.
pub fn left(top: u64) -> f64 {
    14.0 + 7.5 * grouped(top).len() as f64
}

/// Width of the printable part of an A4 page (182 mm), in pixels.
const PAPER: f64 = 688.0;

/// Returns a signal of the width of `element` in pixels, which is 0 until it is known. While the page is printed, the
/// width is at most [`PAPER`], because browsers announce printing but not the width of the paper.
pub fn width_of(element: NodeRef<Div>) -> RwSignal<f64> {
    let width = RwSignal::new(0.0);
    // Effects run in browsers only, and only browsers print.
    Effect::new(move |_| {
        let begin = window_event_listener(ev::beforeprint, move |_| {
            width.try_update(|width: &mut f64| *width = f64::min(*width, PAPER));
        });
        let end = window_event_listener(ev::afterprint, move |_| {
            if let Some(element) = element.try_get_untracked().flatten() {
                width.try_set(f64::from(element.client_width()));
            }
        });
        on_cleanup(move || {
            begin.remove();
            end.remove();
        });
    });
    on_resize(element, move |element| {
        let now = f64::from(element.client_width());
        if width.try_get_untracked().is_some_and(|before| before != now) {
            width.try_set(now);
        }
    });
    width
}

/// Options of the horizontal axis of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisOptions {
    /// Whether the numbers at the axis are positions of symbols, which are counted from 0 or 1, as the visitor chose.
    /// If not, they are offsets or ends of hits, which are always counted from 0.
    pub has_positions: bool,
    /// Height of a space between the drawing and the numbers, for drawn symbols, in pixels.
    pub lane: f64,
}

/// Draws the axes of the chart `frame`: grid lines with their scores, the horizontal axis, and its ticks with their
/// offsets.
pub fn axes(frame: &ScoreChartFrame) -> impl IntoView + use<> {
    axes_with(frame, AxisOptions::default())
}

/// Draws the axes of the chart `frame` like [`axes`], with the options `axis` of the horizontal axis.
pub fn axes_with(frame: &ScoreChartFrame, axis: AxisOptions) -> impl IntoView + use<> {
    let ScoreChartFrame { width, height, .. } = *frame;
    let counted = if axis.has_positions { positions() } else { PositionBase::FromZero };
    let labels = height + 19.0 + axis.lane;
    let level = |score: u64| {
        let y = frame.y(score as f64);
        view! {
            <path class="s-line" d=format!("M0 {y:.1}H{width:.1}")></path>
            <text x="-8" y=format!("{:.1}", y + 4.0) text-anchor="end">
                {grouped(score)}
            </text>
        }
    };
    let tick = |number: u64| {
        let offset = counted.to_zero_based(number);
        let x = frame.x(offset) + 0.5 * width / frame.len as f64;
        // A label at the left edge begins at its tick, so that it does not leave the drawing.
        let anchor = if x < 20.0 { "start" } else { "middle" };
        view! {
            <path class="s-edge" d=format!("M{x:.1} {height:.1}v5")></path>
            <text x=format!("{x:.1}") y=format!("{labels:.1}") text-anchor=anchor>
                {grouped(number)}
            </text>
        }
    };
    view! {
        {frame.levels().into_iter().map(level).collect_view()}
        {frame.ticks().into_iter().filter(|number| *number >= counted.to_displayed(frame.from)).map(tick).collect_view()}
        <path class="s-edge" d=format!("M0 {height:.1}H{width:.1}")></path>
    }
}

/// Returns the position of the pointer relative to the upper left corner of `element`, in pixels. Returns `None` if the
/// element is not mounted.
pub fn place(event: &ev::PointerEvent, element: NodeRef<Div>) -> Option<(f64, f64)> {
    let rect = element.get_untracked()?.get_bounding_client_rect();
    Some((f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top()))
}

/// Sends further events of the pointer to the element that was pressed, even if the pointer leaves it.
pub fn capture(event: &ev::PointerEvent) {
    let target = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    if let Some(target) = target {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
}

/// Returns the value to which a key press moves a slider with the value `at` in the range `0..=most`. Returns `None`
/// for other keys. `page` is the step of Page Up and Page Down.
pub fn moved(event: &ev::KeyboardEvent, at: u64, most: u64, page: u64) -> Option<u64> {
    let to = match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => at.saturating_sub(1),
        "ArrowRight" | "ArrowUp" => at + 1,
        "PageDown" => at.saturating_sub(page.max(1)),
        "PageUp" => at + page.max(1),
        "Home" => 0,
        "End" => most,
        _ => return None,
    };
    event.prevent_default();
    Some(to.min(most))
}
