//! The heat map of a collection ([`HeatMap`]): cells on a canvas, and tree, frames and names over them.

use leptos::ev;
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlCanvasElement, HtmlElement, HtmlSelectElement};

use super::AnswerState;
use super::findings::open_chosen_pair;
use super::map_parts::{ScaleLegend, TableLink, colours_of, draw_cells, nearness_scale, point_in, redraw};
use crate::model::collection::answer::ComparedTexts;
use crate::model::collection::choices::RowOrder;
use crate::model::collection::map::drawing::MapDrawing;
use crate::model::collection::map::{MIN_LINED_CELL, MapLayout, MapWindow, NearnessScale, moved, next_alike, pixels};
use crate::model::text::humanize::{count, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::chart::width_of;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::keys::is_zoom;

/// Factor by which a button or a key zooms.
const ZOOM: f64 = 1.6;

fn name_of_order(order: RowOrder) -> &'static str {
    match order {
        RowOrder::Tree => t("Similar together"),
        RowOrder::Given => t("As given"),
        RowOrder::Name => t("By name"),
        RowOrder::Length => t("By length"),
    }
}

/// Renders the map.
#[component]
pub fn HeatMap() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let (room, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
    let width = width_of(room);
    let texts = Memo::new(move |_| state.with(ComparedTexts::len).unwrap_or(0));
    let order = Memo::new(move |_| state.page.view.with(|view| view.order));
    // The shown part, or `None` for all texts.
    let zoomed = RwSignal::new(None::<MapWindow>);
    let window = Memo::new(move |_| {
        let texts = texts.get();
        zoomed
            .get()
            .filter(|window| window.len < texts && window.row.max(window.column) + window.len <= texts)
            .unwrap_or(MapWindow::all(texts))
    });
    let layout = Memo::new(move |_| MapLayout::new(texts.get(), window.get(), order.get(), width.get()));
    let scale = nearness_scale(state);
    // The row and the column of the chosen pair.
    let chosen = Memo::new(move |_| {
        let (a, b) = state.chosen()?;
        state.rows.with(|rows| Some((rows.iter().position(|&text| text == a)?, rows.iter().position(|&text| text == b)?)))
    });
    let choose = move |(row, column): (usize, usize)| {
        let pair = state.rows.with_untracked(|rows| rows.get(row).copied().zip(rows.get(column).copied()));
        if pair.is_some() {
            zoomed.update(|window| *window = window.map(|window| window.with((row, column))));
            state.page.look(|view| view.chosen = pair);
        }
    };
    let zoom = move |factor: f64| {
        let (all, shown) = (texts.get_untracked(), window.get_untracked());
        let len = (shown.len as f64 / factor).round().clamp(5.0_f64.min(all as f64), all as f64) as usize;
        let center = chosen.get_untracked().unwrap_or((shown.row + shown.len / 2, shown.column + shown.len / 2));
        zoomed.set((len < all).then(|| MapWindow::around(center, len, all)));
    };
    redraw(move || {
        let (layout, scale) = (layout.get(), scale.get());
        if let (Some(canvas), Some(texts)) = (canvas.get(), state.texts())
            && width.get() > 0.0
        {
            state.rows.with(|rows| draw(&canvas, &texts, rows, &layout, scale));
        }
    });
    let drawing = move |content: &dyn Fn(&MapDrawing) -> String| {
        let (threshold, layout, scale) = (state.threshold.get(), layout.get(), scale.get());
        let draw = |texts: &ComparedTexts| {
            state.rows.with(|rows| {
                state.groups.with(|groups| {
                    // The rows of an older answer may have other texts.
                    if rows.len() != texts.len() || layout.window.row + layout.window.len > rows.len() {
                        return String::new();
                    }
                    content(&MapDrawing { texts, rows, layout, groups, threshold, scale, names: &|text| state.name(text) })
                })
            })
        };
        state.with(draw).unwrap_or_default()
    };
    let base = move || drawing(&|map| map.svg(order.get()));
    let over = move || chosen.get().map(|cell| drawing(&|map| map.chosen(cell))).unwrap_or_default();
    let keys = move |event: ev::KeyboardEvent| {
        let at = chosen.get_untracked().unwrap_or((0, 0));
        let key = event.key();
        if event.alt_key() || event.meta_key() {
            return;
        }
        let next = match key.as_str() {
            "n" | "N" if !event.ctrl_key() => state.texts().and_then(|texts| {
                state.rows.with_untracked(|rows| next_alike(&texts, rows, state.threshold.get_untracked(), at, event.shift_key()))
            }),
            key => moved(key, event.ctrl_key(), at, texts.get_untracked()),
        };
        match (next, key.as_str()) {
            (Some(next), _) => choose(next),
            (None, "Enter") => open_chosen_pair(state),
            (None, "+" | "=") => zoom(ZOOM),
            (None, "-") => zoom(1.0 / ZOOM),
            (None, "0") => zoomed.set(None),
            (None, _) => return,
        }
        event.prevent_default();
    };
    let pointed = move |event: &ev::MouseEvent| point_in(room, event).and_then(|(x, y)| layout.get_untracked().cell_at(x, y));
    let click = move |event: ev::MouseEvent| {
        let Some(cell) = pointed(&event) else { return };
        // A second tap on the chosen cell opens its pair.
        if chosen.get_untracked() == Some(cell) && event.detail() < 2 {
            return;
        }
        choose(cell);
    };
    let open = move |event: ev::MouseEvent| {
        if pointed(&event).is_some() {
            open_chosen_pair(state);
        }
    };
    let wheel = move |event: ev::WheelEvent| {
        if is_zoom(&event) {
            event.prevent_default();
            zoom(if event.delta_y() < 0.0 { 1.25 } else { 0.8 });
        }
    };
    let sort = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let order = RowOrder::ALL.into_iter().find(|order| order.name() == name).unwrap_or_default();
        state.page.look(|view| view.order = order);
    };
    let orders = RowOrder::ALL.map(|of| {
        view! {
            <option value=of.name() prop:selected=move || order.get() == of>
                {name_of_order(of)}
            </option>
        }
    });
    let label = move || {
        tr!(
            "Heat map of {texts}. Arrow keys choose a cell, N and Shift N the next and the previous alike pair, Enter opens the pair, plus, minus and 0 zoom.",
            texts = count(texts.get() as u64, "text", "texts")
        )
    };
    let caption = move || {
        let layout = layout.get();
        (layout.block > 1)
            .then(|| tr!("A point is up to {n} pairs and shows the nearest of them.", n = grouped((layout.block * layout.block) as u64)))
    };
    let pixels_of = move |size: fn(&MapLayout) -> f64| move || format!("{:.0}px", size(&layout.get()));
    view! {
        <figure class="map">
            <figcaption>
                <span>
                    <b id="map-title">{t("Every text against every other")}</b>
                    " "
                    <TableLink />
                </span>
                <span class="row projector-off">
                    <span class="select">
                        <select aria-label=t("Order") on:change:target=sort>
                            {orders}
                        </select>
                        {icon(Icon::Chevron)}
                    </span>
                    <span class="seg" role="group" aria-label=t("Zoom")>
                        <button type="button" aria-label=t("Zoom out") on:click=move |_| zoom(1.0 / ZOOM)>{icon(Icon::Minus)}</button>
                        <button type="button" aria-label=t("Zoom in") on:click=move |_| zoom(ZOOM)>{icon(Icon::Plus)}</button>
                        <button type="button" aria-pressed=move || if window.get().len == texts.get() { "true" } else { "false" } on:click=move |_| zoomed.set(None)>{t("All")}</button>
                    </span>
                </span>
            </figcaption>
            <div
                class="drawn"
                tabindex="0"
                role="application"
                aria-label=label
                node_ref=room
                style:block-size=pixels_of(MapLayout::height)
                on:keydown=keys
                on:click=click
                on:dblclick=open
                on:wheel=wheel
            >
                <canvas node_ref=canvas style:inset-inline-start=pixels_of(|layout| layout.left) style:inset-block-start=pixels_of(|layout| layout.top)></canvas>
                <svg width=move || format!("{:.0}", layout.get().width) height=move || format!("{:.0}", layout.get().height()) aria-hidden="true">
                    <g inner_html=base></g>
                    <g inner_html=over></g>
                </svg>
            </div>
            <div class="maplegend">
                <ScaleLegend scale />
                <ul class="legend">
                    <li><span class="chip frame"></span>{t("a group")}</li>
                    <li><span class="chip self"></span>{t("itself")}</li>
                    <li><span class="chip cut"></span>{t("threshold")}</li>
                </ul>
            </div>
            <p class="note">{caption}</p>
        </figure>
    }
}

/// Draws the cells of a map.
fn draw(canvas: &HtmlCanvasElement, texts: &ComparedTexts, rows: &[usize], layout: &MapLayout, scale: NearnessScale) -> Option<()> {
    let points = layout.points();
    if rows.len() != texts.len() || points == 0 || layout.window.row.max(layout.window.column) + layout.window.len > rows.len() {
        return None;
    }
    let probe: HtmlElement = canvas.parent_element()?.dyn_into().ok()?;
    let image = pixels(texts, rows, layout, scale, &colours_of(&probe));
    let size = layout.size();
    let pen = draw_cells(canvas, &image, [points; 2], [size; 2])?;
    if layout.point >= MIN_LINED_CELL {
        let paper = window().get_computed_style(&probe).ok().flatten().and_then(|style| style.get_property_value("background-color").ok());
        pen.set_stroke_style_str(&paper.unwrap_or_default());
        pen.set_line_width(1.0);
        pen.begin_path();
        for point in 1..points {
            let at = point as f64 * layout.point;
            pen.move_to(at, 0.0);
            pen.line_to(at, size);
            pen.move_to(0.0, at);
            pen.line_to(size, at);
        }
        pen.stroke();
    }
    Some(())
}
