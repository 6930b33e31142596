//! Parts of both maps: the scale of colours ([`nearness_scale`], [`ScaleLegend`], [`colours_of`]), the canvas ([`redraw`],
//! [`draw_cells`]), the pointer ([`point_in`]), and the link to the list of pairs ([`TableLink`]).

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ImageData};

use super::AnswerState;
use crate::model::collection::choices::Tab;
use crate::model::collection::map::{MapColours, NearnessScale};
use crate::model::collection::measure::{Measure, Threshold};
use crate::model::collection::sentences::threshold_says;
use crate::model::collection::threshold::PairHistogram;
use crate::model::text::humanize::points;
use crate::tr;
use crate::tr::{language, t};
use crate::view::browser::restyled::on_restyled;
use crate::view::widgets::canvas::{pen, rgb};

/// Returns the scale of colours, which follows from the measure and the median of all pairs.
pub fn nearness_scale(state: AnswerState) -> Memo<NearnessScale> {
    Memo::new(move |_| {
        let (median, most) = state
            .histogram
            .with(|histogram| histogram.as_ref().map_or((1, 1), |histogram| (PairHistogram::median(histogram), histogram.thresholds()[1])));
        NearnessScale::new(state.measure.get(), median, most)
    })
}

/// Renders the colours from far to equal.
#[component]
pub fn ScaleLegend(scale: Memo<NearnessScale>) -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let far = move || {
        let value = |far| threshold_says(Threshold::new(state.measure.get(), far), state.costs.get());
        match state.measure.get() {
            Measure::Edits => tr!("{edits} and more", edits = value(scale.get().far)),
            Measure::Points => tr!("{points} and less", points = value(scale.get().far)),
            Measure::Similarity | Measure::LcsRatio => tr!("{percent} similar", percent = language().percent("0")),
        }
    };
    let near = move || match state.measure.get() {
        Measure::Points => points(scale.get().near),
        Measure::Similarity | Measure::LcsRatio | Measure::Edits => t("equal").into(),
    };
    view! {
        <div class="scale" aria-hidden="true">
            <div class="ramp"></div>
            <div class="row apart">
                <span>{far}</span>
                <span>{near}</span>
            </div>
        </div>
    }
}

/// Renders the link to the list of pairs.
#[component]
pub fn TableLink() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let show = move |event: ev::MouseEvent| {
        event.prevent_default();
        state.page.look(|view| view.tab = Tab::Pairs);
    };
    view! {
        <a href="#" class="projector-off" on:click=show>
            {t("Read as a table")}
        </a>
    }
}

/// Returns the point of the drawing in `room` at which the pointer is.
pub fn point_in(room: NodeRef<Div>, event: &ev::MouseEvent) -> Option<(f64, f64)> {
    let rect = room.get_untracked()?.get_bounding_client_rect();
    Some((f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top()))
}

/// Calls `draw` whenever the values that it reads or the colours of the page change.
pub fn redraw(draw: impl Fn() + 'static) {
    let restyled = RwSignal::new(0_u32);
    on_restyled(move || restyled.update(|count| *count += 1));
    Effect::new(move |_| {
        restyled.track();
        draw();
    });
}

/// Draws an image of `points` (columns and rows) over `size` pixels (width and height) of the page. Returns the pen for
/// lines over the image, in pixels of the page.
pub fn draw_cells(canvas: &HtmlCanvasElement, image: &[u8], points: [usize; 2], size: [f64; 2]) -> Option<CanvasRenderingContext2d> {
    let [columns, rows] = points.map(|points| points as u32);
    let small: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    small.set_width(columns);
    small.set_height(rows);
    let data = ImageData::new_with_u8_clamped_array(Clamped(image), columns).ok()?;
    pen(&small)?.put_image_data(&data, 0.0, 0.0).ok()?;
    let sharp = window().device_pixel_ratio().max(1.0);
    let [width, height] = size;
    canvas.set_width((width * sharp) as u32);
    canvas.set_height((height * sharp) as u32);
    let style = HtmlElement::style(canvas);
    let _ = style.set_property("width", &format!("{width:.0}px"));
    let _ = style.set_property("height", &format!("{height:.0}px"));
    let pen = pen(canvas)?;
    let _ = pen.set_transform(sharp, 0.0, 0.0, sharp, 0.0, 0.0);
    pen.set_image_smoothing_enabled(false);
    pen.draw_image_with_html_canvas_element_and_dw_and_dh(&small, 0.0, 0.0, width, height).ok()?;
    Some(pen)
}

/// Reads the colours of the scale from the computed style of `probe`, because the browser resolves the theme only for
/// colours in use.
pub fn colours_of(probe: &HtmlElement) -> MapColours {
    let style = HtmlElement::style(probe);
    let computed = window().get_computed_style(probe).ok().flatten();
    let read = |name: &str| {
        let _ = style.set_property("caret-color", &format!("var({name})"));
        let value = computed.as_ref().and_then(|computed| computed.get_property_value("caret-color").ok()).unwrap_or_default();
        rgb(&value).map(|channel| channel as u8)
    };
    let colours = MapColours { steps: std::array::from_fn(|step| read(&format!("--heat-{step}"))), itself: read("--itself") };
    let _ = style.remove_property("caret-color");
    colours
}
