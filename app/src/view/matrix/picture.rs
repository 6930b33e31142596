//! A matrix of up to 2,000 symbols as a picture: a shade for each cell, the optimal path over it, zoom and pan by wheel, fingers,
//! buttons and keys. The cell under the pointer, or the one that keys have moved to, is read with its sums.
//!
//! The shades are drawn once into a canvas of a pixel a cell; a frame is one stretched copy of a part of it.

use std::sync::Arc;

use explain::matrix::Cell;
use leptos::ev;
use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::deck::Deck;
use super::save::{Save, pen, save_canvas};
use super::scene::{End, Move, Scene};
use super::sums::Sums;
use crate::matrix::Board;
use crate::matrix::heat::{Camera, Frame, Heat, shades};
use crate::matrix::say::{self, big};
use crate::tr;
use crate::tr::t;
use crate::view::icon::{Icon, icon};

/// Pixels of a cell from which on its value is written into it.
const READABLE: f64 = 22.0;

/// What zooming by a button or a key multiplies by.
const ZOOM: f64 = 1.5;

/// The canvas and what it shows.
#[derive(Clone, Copy)]
struct Lens {
    scene: Scene,
    canvas: NodeRef<Canvas>,
    heat: RwSignal<Heat>,
    camera: RwSignal<Option<Camera>>,
    /// Grows when the frame's size may have changed, or its colours.
    resized: RwSignal<u32>,
    /// The shades as pixels, for the heat that they were made for.
    pixels: StoredValue<Option<(Heat, bool, HtmlCanvasElement)>, LocalStorage>,
    /// Fingers that are down: where each is.
    fingers: StoredValue<Vec<(i32, f64, f64)>>,
}

/// The picture and what belongs to it.
#[component]
pub fn Picture() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let lens = Lens {
        scene,
        canvas: NodeRef::new(),
        heat: RwSignal::new(Heat::default()),
        camera: RwSignal::new(None),
        resized: RwSignal::new(0),
        pixels: StoredValue::new_local(None),
        fingers: StoredValue::new(Vec::new()),
    };
    Effect::new(move |_| lens.draw());
    let resize = window_event_listener(ev::resize, move |_| lens.resized.update(|times| *times += 1));
    // A click may have changed the theme, whose colours are in the picture.
    let click = window_event_listener(ev::click, move |_| {
        request_animation_frame(move || {
            lens.resized.try_update(|times| *times += 1);
        });
    });
    on_cleanup(move || {
        resize.remove();
        click.remove();
    });
    let label = scene.board.with_value(|board| tr!("Matrix of {a} by {b} symbols as a picture", a = board.a.len(), b = board.b.len()));
    let spoken = move || scene.board.with_value(|board| say::spoken(board, scene.cell.get(), true));
    let total = scene.board.with_value(|board| board.total.as_deref().map(big));
    let counted = total.map(|total| view! { <p class="note">{tr!("{n} optimal alignments; one of them is drawn.", n = total)}</p> });
    view! {
        <div class="bench large">
            <div class="stack board">
                <canvas
                    class="heat"
                    tabindex="0"
                    role="application"
                    aria-roledescription=t("zoomable matrix")
                    aria-label=label
                    aria-describedby="heat-help"
                    node_ref=lens.canvas
                    on:keydown=move |event| lens.key(&event)
                    on:wheel=move |event| lens.wheel(&event)
                    on:pointerdown=move |event| lens.down(&event)
                    on:pointermove=move |event| lens.drag(&event)
                    on:pointerup=move |event| lens.up(&event)
                    on:pointercancel=move |event| lens.up(&event)
                    on:pointerleave=move |_| scene.hover.set(None)
                ></canvas>
                <p class="vh" role="status">{spoken}</p>
                <Tools lens />
                <Deck />
                <p class="note projector-off" id="heat-help">
                    {t("Drag to move, Ctrl and wheel or + and − to zoom, arrows move the selected cell, 0 shows the whole matrix.")}
                </p>
            </div>
            <aside class="stack loose">
                <Sums />
                {counted}
            </aside>
        </div>
        <Save />
    }
}

/// Zoom, and what the shades say.
#[component]
fn Tools(lens: Lens) -> impl IntoView {
    let button = |name: &'static str, which: Icon, factor: f64| {
        view! {
            <button class="btn only" type="button" aria-label=name title=name on:click=move |_| lens.zoom(factor, None)>
                {icon(which)}
            </button>
        }
    };
    let heats = [(Heat::Excess, t("how far from equal")), (Heat::Value, t("values"))].map(|(heat, name)| {
        view! {
            <label>
                <input type="radio" name="heat" prop:checked=move || lens.heat.get() == heat on:change=move |_| lens.heat.set(heat) />
                {name}
            </label>
        }
    });
    let save = move |_| {
        if let Some(canvas) = lens.canvas.get_untracked() {
            save_canvas(&canvas, "matrix.png");
        }
    };
    view! {
        <div class="row wide">
            <div class="row" role="group" aria-label=t("Zoom")>
                {button(t("Closer"), Icon::Plus, ZOOM)}
                {button(t("Farther"), Icon::Minus, 1.0 / ZOOM)}
                <button class="btn" type="button" on:click=move |_| lens.camera.set(None)>{t("Whole matrix")}</button>
            </div>
            <fieldset class="row">
                <legend class="vh">{t("Shades")}</legend>
                <span class="quiet small" aria-hidden="true">{t("Shades")}</span>
                <div class="seg">{heats.collect_view()}</div>
            </fieldset>
            <button class="btn small projector-off" type="button" on:click=save>
                {icon(Icon::Down)}
                "PNG"
            </button>
        </div>
    }
}

impl Lens {
    /// Size of the canvas as it is laid out, in CSS pixels.
    fn frame(self) -> Option<Frame> {
        let canvas = self.canvas.get_untracked()?;
        let last = self.scene.board.with_value(|board| board.matrix.last());
        let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        (width > 0.0 && height > 0.0).then_some(Frame { width, height, columns: last.j as f64 + 1.0, rows: last.i as f64 + 1.0 })
    }

    fn camera(self, frame: &Frame) -> Camera {
        self.camera.get_untracked().unwrap_or_else(|| frame.fit())
    }

    fn zoom(self, factor: f64, around: Option<(f64, f64)>) {
        let Some(frame) = self.frame() else { return };
        let around = around.unwrap_or((frame.width / 2.0, frame.height / 2.0));
        self.camera.set(Some(frame.zoom(self.camera(&frame), factor, around)));
    }

    fn wheel(self, event: &ev::WheelEvent) {
        if !crate::view::is_zoom(event) {
            return;
        }
        event.prevent_default();
        self.zoom((-event.delta_y() / 400.0).clamp(-1.0, 1.0).exp(), Some((f64::from(event.offset_x()), f64::from(event.offset_y()))));
    }

    fn key(self, event: &ev::KeyboardEvent) {
        let factor = match event.key().as_str() {
            "+" | "=" => ZOOM,
            "-" => 1.0 / ZOOM,
            "0" => {
                self.camera.set(None);
                return event.prevent_default();
            }
            _ => {
                // Ctrl with an arrow goes a page of cells, which are small here.
                let far = event.ctrl_key() || event.meta_key();
                let by = if far { 50 } else { 1 };
                match event.key().as_str() {
                    "ArrowRight" => self.scene.shift(Move::By(0, by)),
                    "ArrowLeft" => self.scene.shift(Move::By(0, -by)),
                    "ArrowDown" => self.scene.shift(Move::By(by, 0)),
                    "ArrowUp" => self.scene.shift(Move::By(-by, 0)),
                    "Home" if far => self.scene.shift(Move::All(End::First)),
                    "End" if far => self.scene.shift(Move::All(End::Last)),
                    key if !self.scene.key(key, far) => return,
                    _ => {}
                }
                event.prevent_default();
                if let Some(frame) = self.frame() {
                    self.camera.update(|camera| *camera = camera.map(|camera| frame.showing(camera, self.scene.cell.get_untracked())));
                }
                return;
            }
        };
        event.prevent_default();
        self.zoom(factor, None);
    }

    fn down(self, event: &ev::PointerEvent) {
        if let Some(canvas) = self.canvas.get_untracked() {
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        self.fingers.update_value(|fingers| fingers.push((event.pointer_id(), x, y)));
        if let Some(cell) = self.frame().and_then(|frame| frame.cell(self.camera(&frame), (x, y))) {
            self.scene.cell.set(cell);
        }
    }

    /// One finger moves the picture, two zoom it around the point between them; a mouse that is up reads a cell.
    fn drag(self, event: &ev::PointerEvent) {
        let Some(frame) = self.frame() else { return };
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let fingers = self.fingers.get_value();
        let Some(&(_, from_x, from_y)) = fingers.iter().find(|(id, ..)| *id == event.pointer_id()) else {
            return self.scene.hover.set(frame.cell(self.camera(&frame), (x, y)));
        };
        let other = fingers.iter().find(|(id, ..)| *id != event.pointer_id());
        let camera = match other {
            None => frame.pan(self.camera(&frame), (x - from_x, y - from_y)),
            Some(&(_, other_x, other_y)) => {
                let apart = |x: f64, y: f64| (x - other_x).hypot(y - other_y).max(1.0);
                frame.zoom(self.camera(&frame), apart(x, y) / apart(from_x, from_y), ((x + other_x) / 2.0, (y + other_y) / 2.0))
            }
        };
        self.camera.set(Some(camera));
        self.fingers.update_value(|fingers| {
            fingers.iter_mut().filter(|(id, ..)| *id == event.pointer_id()).for_each(|finger| (finger.1, finger.2) = (x, y));
        });
    }

    fn up(self, event: &ev::PointerEvent) {
        self.fingers.update_value(|fingers| fingers.retain(|(id, ..)| *id != event.pointer_id()));
    }

    /// Draws what is in the frame.
    fn draw(self) {
        self.resized.track();
        let (heat, step, last_step) = (self.heat.get(), self.scene.step.get(), self.scene.last_step());
        let (camera, cell) = (self.camera.get(), self.scene.looked());
        let Some(canvas) = self.canvas.get() else { return };
        let Some(frame) = self.frame() else { return };
        let camera = camera.unwrap_or_else(|| frame.fit());
        let sharp = window().device_pixel_ratio().max(1.0);
        let (width, height) = ((frame.width * sharp) as u32, (frame.height * sharp) as u32);
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let Some(pen) = pen(&canvas) else { return };
        let ink = Inks::of(&canvas);
        let board = self.scene.board.get_value();
        self.shade(&board, heat, &ink);
        let _ = pen.set_transform(sharp, 0.0, 0.0, sharp, 0.0, 0.0);
        pen.clear_rect(0.0, 0.0, frame.width, frame.height);
        // Far away, neighbouring cells are mixed; near, each is a square.
        pen.set_image_smoothing_enabled(camera.scale * sharp < 1.0);
        let (x, y) = frame.point(camera, (0.0, 0.0));
        self.pixels.with_value(|pixels| {
            if let Some((.., pixels)) = pixels {
                let (columns, rows) = (frame.columns * camera.scale, frame.rows * camera.scale);
                let _ = pen.draw_image_with_html_canvas_element_and_dw_and_dh(pixels, x, y, columns, rows);
            }
        });
        let drawing = Drawing { pen, frame, camera, ink };
        if step < last_step {
            drawing.front(&board, step);
        } else {
            drawing.path(&self.scene);
        }
        drawing.values(&board, step);
        drawing.mark(cell);
    }

    /// Makes the pixels of a heat, unless they are there.
    fn shade(self, board: &Arc<Board>, heat: Heat, ink: &Inks) {
        let dark = ink.dark;
        if self.pixels.with_value(|pixels| pixels.as_ref().is_some_and(|(of, in_dark, _)| (*of, *in_dark) == (heat, dark))) {
            return;
        }
        let last = board.matrix.last();
        let mix = |shade: u8, channel: usize| {
            let share = f64::from(shade) / 255.0;
            (ink.low[channel] + (ink.high[channel] - ink.low[channel]) * share.sqrt()) as u8
        };
        let colours: Vec<[u8; 4]> = (0..=255u8).map(|shade| [mix(shade, 0), mix(shade, 1), mix(shade, 2), 255]).collect();
        let bytes: Vec<u8> = shades(board, heat).into_iter().flat_map(|shade| colours[usize::from(shade)]).collect();
        let made = || -> Option<HtmlCanvasElement> {
            let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
            canvas.set_width(last.j as u32 + 1);
            canvas.set_height(last.i as u32 + 1);
            let data = ImageData::new_with_u8_clamped_array(Clamped(&bytes), last.j as u32 + 1).ok()?;
            pen(&canvas)?.put_image_data(&data, 0.0, 0.0).ok()?;
            Some(canvas)
        };
        self.pixels.set_value(made().map(|canvas| (heat, dark, canvas)));
    }
}

/// Colours of the page, read once a frame.
struct Inks {
    low: [f64; 3],
    high: [f64; 3],
    ink: String,
    pine: String,
    well: String,
    dark: bool,
}

impl Inks {
    fn of(canvas: &HtmlCanvasElement) -> Self {
        let style = window().get_computed_style(canvas).ok().flatten();
        let read = |name: &str| style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default();
        // The canvas has the two ends of its scale as its colours, so that the browser works out which theme counts.
        let (low, high) = (rgb(&read("background-color")), rgb(&read("column-rule-color")));
        let dark = low.iter().sum::<f64>() < 384.0;
        Self { low, high, ink: read("color"), pine: read("caret-color"), well: read("text-decoration-color"), dark }
    }
}

/// The channels of `rgb(…)`.
fn rgb(colour: &str) -> [f64; 3] {
    let mut channels = colour.split(|letter: char| !letter.is_ascii_digit() && letter != '.').filter_map(|part| part.parse().ok());
    std::array::from_fn(|_| channels.next().unwrap_or(0.0))
}

/// A frame that is being drawn.
struct Drawing {
    pen: CanvasRenderingContext2d,
    frame: Frame,
    camera: Camera,
    ink: Inks,
}

impl Drawing {
    /// Hides what is not filled after so many anti-diagonals, and draws the front.
    fn front(&self, board: &Board, step: usize) {
        let Cell { i: rows, j: columns } = board.matrix.last();
        let (pen, at) = (&self.pen, step as f64 + 2.0);
        let point = |x: f64, y: f64| self.frame.point(self.camera, (x, y));
        // Cells with i + j greater than the step: behind the line from (step + 1, 0) to (0, step + 1), cut to the matrix.
        let (right, bottom) = (columns as f64 + 1.0, rows as f64 + 1.0);
        let (top_x, left_y) = (at.min(right), at.min(bottom));
        let corners = [
            (top_x, (at - top_x).max(0.0)),
            (right, (at - top_x).max(0.0)),
            (right, bottom),
            ((at - left_y).max(0.0), bottom),
            ((at - left_y).max(0.0), left_y),
        ];
        pen.begin_path();
        for (nth, (x, y)) in corners.into_iter().enumerate() {
            let (x, y) = point(x, y);
            if nth == 0 { pen.move_to(x, y) } else { pen.line_to(x, y) }
        }
        pen.close_path();
        pen.set_fill_style_str(&self.ink.well);
        pen.fill();
        pen.begin_path();
        let ((x0, y0), (x1, y1)) = (point(corners[0].0, corners[0].1), point(corners[4].0, corners[4].1));
        pen.move_to(x0, y0);
        pen.line_to(x1, y1);
        pen.set_stroke_style_str(&self.ink.pine);
        pen.set_line_width(3.0);
        pen.stroke();
    }

    /// The first optimal alignment.
    fn path(&self, scene: &Scene) {
        let Some(path) = scene.path.get_untracked() else { return };
        let pen = &self.pen;
        pen.begin_path();
        for (nth, cell) in path.cells.iter().enumerate() {
            let (x, y) = self.frame.point(self.camera, (cell.j as f64 + 0.5, cell.i as f64 + 0.5));
            if nth == 0 { pen.move_to(x, y) } else { pen.line_to(x, y) }
        }
        pen.set_line_join("round");
        pen.set_stroke_style_str(&self.ink.ink);
        pen.set_line_width(2.0);
        pen.stroke();
    }

    /// The values, where there is room for them.
    fn values(&self, board: &Board, step: usize) {
        if self.camera.scale < READABLE {
            return;
        }
        let (pen, last) = (&self.pen, board.matrix.last());
        let (left, top) = self.frame.at(self.camera, (0.0, 0.0));
        let (right, bottom) = self.frame.at(self.camera, (self.frame.width, self.frame.height));
        let range = |from: f64, to: f64, last: usize| (from.max(0.0) as usize)..=(to.max(0.0) as usize).min(last);
        pen.set_font("12px system-ui, sans-serif");
        pen.set_text_align("center");
        pen.set_text_baseline("middle");
        for i in range(top, bottom, last.i) {
            for j in range(left, right, last.j).filter(|j| i + j <= step + 1 || i == 0 || *j == 0) {
                let (x, y) = self.frame.point(self.camera, (j as f64 + 0.5, i as f64 + 0.5));
                let value = board.matrix.value(Cell { i, j }).to_string();
                // An outline of the ground keeps a number readable on any shade.
                pen.set_stroke_style_str(&self.ink.well);
                pen.set_line_width(3.0);
                let _ = pen.stroke_text(&value, x, y);
                pen.set_fill_style_str(&self.ink.ink);
                let _ = pen.fill_text(&value, x, y);
            }
        }
    }

    /// The cell that is spoken of, with hair lines to both borders.
    fn mark(&self, cell: Cell) {
        let (x, y) = self.frame.point(self.camera, (cell.j as f64, cell.i as f64));
        let size = self.camera.scale.max(5.0);
        let pen = &self.pen;
        pen.set_stroke_style_str(&self.ink.ink);
        pen.set_line_width(1.0);
        pen.begin_path();
        let middle = self.camera.scale / 2.0;
        pen.move_to(x + middle, 0.0);
        pen.line_to(x + middle, y + middle);
        pen.move_to(0.0, y + middle);
        pen.line_to(x + middle, y + middle);
        pen.stroke();
        pen.set_line_width(2.5);
        pen.stroke_rect(x + middle - size / 2.0, y + middle - size / 2.0, size, size);
    }
}
