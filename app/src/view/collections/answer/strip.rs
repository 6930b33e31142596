//! The map of two collections ([`StripMap`]): cells on a canvas, and numbers, names and the chosen cell over them.

use leptos::ev;
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{HtmlCanvasElement, HtmlElement, ImageData};

use super::AnswerState;
use super::findings::open_pair;
use super::heat_map::colours_of;
use crate::model::collection::choices::Tab;
use crate::model::collection::map::NearnessScale;
use crate::model::collection::measure::Measure;
use crate::model::collection::strip::{StripCell, StripDrawing, StripLayout};
use crate::model::collection::threshold::PairHistogram;
use crate::model::text::humanize::{count, grouped};
use crate::tr;
use crate::tr::{language, t};
use crate::view::browser::restyled::on_restyled;
use crate::view::widgets::canvas::pen;
use crate::view::widgets::chart::width_of;

/// Renders the map.
#[component]
pub fn StripMap() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let (room, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
    let width = width_of(room);
    let sizes = Memo::new(move |_| [state.rows.with(Vec::len), state.columns.with(Vec::len)]);
    let layout = Memo::new(move |_| {
        let [rows, columns] = sizes.get();
        StripLayout::new(rows, columns, width.get())
    });
    let scale = Memo::new(move |_| {
        let median = state.histogram.with(|histogram| histogram.as_ref().map_or(1, PairHistogram::median));
        NearnessScale::new(state.with(|texts| texts.form.measure).unwrap_or_default(), median)
    });
    let chosen = Memo::new(move |_| {
        let (a, b) = state.chosen()?;
        let place = |texts: &Vec<usize>, text: usize| texts.iter().position(|&other| other == text);
        Some((state.rows.with(|rows| place(rows, a))?, state.columns.with(|columns| place(columns, b))?))
    });
    // Calls `read` with the drawing, unless rows or columns are those of another answer.
    let drawn = move |read: &mut dyn FnMut(&StripDrawing)| {
        let (layout, threshold, scale) = (layout.get(), state.threshold.get(), scale.get());
        let (rows, columns) = (state.rows.get(), state.columns.get());
        state.with(|texts| {
            let is_known = |text: &usize| *text < texts.len();
            if texts.is_two() && rows.iter().chain(&columns).all(is_known) && [rows.len(), columns.len()] == sizes.get() {
                let names = &|text| state.name(text);
                read(&StripDrawing { texts, rows: &rows, columns: &columns, layout, threshold, scale, names });
            }
        });
    };
    let choose = move |(row, column): StripCell| {
        let text = |of: Memo<Vec<usize>>, place: usize| of.with_untracked(|texts| texts.get(place).copied());
        if let Some(pair) = text(state.rows, row).zip(text(state.columns, column)) {
            state.choose(pair);
        }
    };
    let restyled = RwSignal::new(0_u32);
    on_restyled(move || restyled.update(|count| *count += 1));
    Effect::new(move |_| {
        restyled.track();
        if let Some(canvas) = canvas.get()
            && width.get() > 0.0
        {
            drawn(&mut |strip| {
                draw(&canvas, strip);
            });
        }
    });
    let base = move || {
        let mut svg = String::new();
        drawn(&mut |strip| svg = strip.svg());
        svg
    };
    let over = move || {
        let mut svg = String::new();
        if let Some(cell) = chosen.get() {
            drawn(&mut |strip| svg = strip.chosen(cell));
        }
        svg
    };
    let keys = move |event: ev::KeyboardEvent| {
        if event.alt_key() || event.meta_key() {
            return;
        }
        let (key, at) = (event.key(), chosen.get_untracked().unwrap_or_default());
        let mut next = layout.get_untracked().moved(&key, event.ctrl_key(), at);
        if matches!(key.as_str(), "n" | "N") && !event.ctrl_key() {
            untrack(|| drawn(&mut |strip| next = strip.next_alike(at, event.shift_key())));
        }
        match (next, key.as_str()) {
            (Some(next), _) => choose(next),
            (None, "Enter") => {
                if let Some((a, b)) = untrack(|| state.chosen()) {
                    open_pair(state, a, b);
                }
            }
            (None, _) => return,
        }
        event.prevent_default();
    };
    let point = move |event: &ev::MouseEvent| {
        let rect = room.get_untracked()?.get_bounding_client_rect();
        layout.get_untracked().cell_at(f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top())
    };
    let click = move |event: ev::MouseEvent| {
        if let Some(cell) = point(&event) {
            choose(cell);
        }
    };
    let open = move |event: ev::MouseEvent| {
        if let (Some(_), Some((a, b))) = (point(&event), untrack(|| state.chosen())) {
            open_pair(state, a, b);
        }
    };
    let label = move || {
        let [rows, columns] = sizes.get().map(|texts| count(texts as u64, "text", "texts"));
        tr!(
            "Heat map of {rows} and {columns}. Arrow keys choose a cell, N and Shift N the next and the previous alike pair, Enter opens the pair.",
            rows = rows,
            columns = columns
        )
    };
    let caption = move || {
        let pairs = layout.get().pairs_of_point();
        (pairs > 1).then(|| tr!("A point is up to {n} pairs and shows the nearest of them.", n = grouped(pairs as u64)))
    };
    let far = move || match state.with(|texts| texts.form.measure) {
        Some(Measure::Edits) => tr!("{edits} and more", edits = count(scale.get().far_edits.into(), "edit", "edits")),
        _ => tr!("{percent} similar", percent = language().percent("0")),
    };
    let as_table = move |event: ev::MouseEvent| {
        event.prevent_default();
        state.page.look(|view| view.tab = Tab::Pairs);
    };
    let pixels = |at: f64| format!("{at:.0}px");
    view! {
        <figure class="map">
            <figcaption>
                <span>
                    <b id="map-title">{t("Each text of a (rows) against each of b (columns)")}</b>
                    " "
                    {t("Columns are sorted by their nearest row; those without one are at the right end.")}
                    " "
                    <a href="#" class="projector-off" on:click=as_table>{t("Read as a table")}</a>
                </span>
            </figcaption>
            <div
                class="drawn"
                tabindex="0"
                role="application"
                aria-label=label
                node_ref=room
                style:block-size=move || pixels(layout.get().height())
                on:keydown=keys
                on:click=click
                on:dblclick=open
            >
                <canvas node_ref=canvas style:inset-inline-start=move || pixels(layout.get().start()[0]) style:inset-block-start=move || pixels(layout.get().start()[1])></canvas>
                <svg width=move || format!("{:.0}", layout.get().width) height=move || format!("{:.0}", layout.get().height()) aria-hidden="true">
                    <g inner_html=base></g>
                    <g inner_html=over></g>
                </svg>
            </div>
            <div class="maplegend">
                <div class="scale" aria-hidden="true">
                    <div class="ramp"></div>
                    <div class="row apart">
                        <span>{far}</span>
                        <span>{t("equal")}</span>
                    </div>
                </div>
            </div>
            <p class="note">{caption}</p>
        </figure>
    }
}

/// Draws the cells of a map.
fn draw(canvas: &HtmlCanvasElement, strip: &StripDrawing) -> Option<()> {
    let [columns, rows] = strip.layout.points();
    if columns == 0 || rows == 0 {
        return None;
    }
    let probe: HtmlElement = canvas.parent_element()?.dyn_into().ok()?;
    let image = strip.pixels(&colours_of(&probe));
    let small: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    small.set_width(columns as u32);
    small.set_height(rows as u32);
    let data = ImageData::new_with_u8_clamped_array(Clamped(&image), columns as u32).ok()?;
    pen(&small)?.put_image_data(&data, 0.0, 0.0).ok()?;
    let sharp = window().device_pixel_ratio().max(1.0);
    let [width, height] = strip.layout.size();
    canvas.set_width((width * sharp) as u32);
    canvas.set_height((height * sharp) as u32);
    let style = HtmlElement::style(canvas);
    let _ = style.set_property("width", &format!("{width:.0}px"));
    let _ = style.set_property("height", &format!("{height:.0}px"));
    let pen = pen(canvas)?;
    let _ = pen.set_transform(sharp, 0.0, 0.0, sharp, 0.0, 0.0);
    pen.set_image_smoothing_enabled(false);
    pen.draw_image_with_html_canvas_element_and_dw_and_dh(&small, 0.0, 0.0, width, height).ok()
}
