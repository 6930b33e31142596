//! The map of two collections ([`StripMap`]): cells on a canvas, and numbers, names and the chosen cell over them.

use leptos::ev;
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlCanvasElement, HtmlElement};

use super::AnswerState;
use super::findings::open_chosen_pair;
use super::map_parts::{ScaleLegend, TableLink, colours_of, draw_cells, nearness_scale, point_in, redraw};
use crate::model::collection::strip::{StripCell, StripDrawing, StripLayout};
use crate::model::text::humanize::{count, grouped};
use crate::tr;
use crate::tr::t;
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
    let scale = nearness_scale(state);
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
    redraw(move || {
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
            (None, "Enter") => open_chosen_pair(state),
            (None, _) => return,
        }
        event.prevent_default();
    };
    let pointed = move |event: &ev::MouseEvent| point_in(room, event).and_then(|(x, y)| layout.get_untracked().cell_at(x, y));
    let click = move |event: ev::MouseEvent| {
        if let Some(cell) = pointed(&event) {
            choose(cell);
        }
    };
    let open = move |event: ev::MouseEvent| {
        if pointed(&event).is_some() {
            open_chosen_pair(state);
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
    let pixels = |at: f64| format!("{at:.0}px");
    view! {
        <figure class="map">
            <figcaption>
                <span>
                    <b id="map-title">{t("Each text of a (rows) against each of b (columns)")}</b>
                    " "
                    {t("Columns are sorted by their nearest row; those without one are at the right end.")}
                    " "
                    <TableLink />
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
                <ScaleLegend scale />
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
    draw_cells(canvas, &image, [columns, rows], strip.layout.size()).map(drop)
}
