//! A matrix of up to 2,000 symbols as a picture ([`Picture`]): a shade for each cell, the optimal path over it, and
//! both texts at its axes. Wheel, fingers, buttons and keys zoom and move the picture. One cell is shown with its sums:
//! the cell under the pointer, the cell to which keys have moved, or the cell of the step.
//!
//! The shades are drawn into a canvas with one pixel per cell, and redrawn if a step changes them. A frame is one
//! stretched copy of a part of this canvas.

use kernels::job::Points;
use std::sync::Arc;

use explain::matrix::order::FillOrder;
use explain::matrix::{MatrixCell, MatrixNode};
use leptos::ev;
use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{HtmlCanvasElement, ImageData};

use super::drawing::{HeatColours, HeatDrawing, LEFT, TOP};
use super::rules::Rules;
use super::save::Save;
use super::scene::{MatrixScene, SelectionEnd, SelectionMove};
use super::sums::Sums;
use super::{Filled, KeptAnswer, Picker};
use crate::model::matrix::MatrixBoard;
use crate::model::matrix::cell_sentences::{self, big};
use crate::model::matrix::heat::{Camera, HeatFrame, HeatQuantity, filled_of_row, shades};
use crate::model::text::humanize::cell_value;
use crate::page::Page;
use crate::page::view_state::SettingLifetime;
use crate::tr;
use crate::tr::t;
use crate::view::browser::resized::on_resize;
use crate::view::browser::restyled::on_restyled;
use crate::view::explore::lens::Lens;
use crate::view::widgets::canvas::{pen, save_canvas};
use crate::view::widgets::icon::{Icon, icon};

/// Factor by which a button or a key zooms.
const ZOOM: f64 = 1.5;

/// Maximum distance in pixels that a pointer may move during a tap.
const MAX_TAP_MOVEMENT: f64 = 5.0;

/// The inputs from which the canvas of shades is drawn: the quantity that shades show, whether the theme is dark, the
/// order of filling, and the step.
type PixelKey = (HeatQuantity, bool, FillOrder, usize);

/// The state of the picture of a matrix: its canvas, shades and visible part. Copies share one state.
#[derive(Clone, Copy)]
struct HeatMap {
    scene: MatrixScene,
    canvas: NodeRef<Canvas>,
    heat: RwSignal<HeatQuantity>,
    camera: RwSignal<Option<Camera>>,
    /// A counter that grows when the size or the colours of the picture may have changed.
    redraw_count: RwSignal<u32>,
    /// The quantity that the shades show, and the shade of every cell, row by row.
    shades: StoredValue<Option<(HeatQuantity, Vec<u8>)>>,
    /// The canvas of shades with one pixel per cell, and the inputs from which it was drawn.
    pixels: StoredValue<Option<(PixelKey, HtmlCanvasElement)>, LocalStorage>,
    /// The pointers (fingers, or the mouse) that are pressed on the canvas: pointer id, x and y of each.
    fingers: StoredValue<Vec<(i32, f64, f64)>>,
    /// Position in pixels at which a tap may have begun. Reset when the finger moves too far for a tap, for example to
    /// scroll.
    tap: StoredValue<Option<(f64, f64)>>,
}

/// Renders the picture with its controls.
#[component]
pub fn Picture() -> impl IntoView {
    let (scene, page) = (expect_context::<MatrixScene>(), expect_context::<Page>());
    let map = HeatMap {
        scene,
        canvas: NodeRef::new(),
        heat: page.stored_setting(SettingLifetime::Always, "heat", HeatQuantity::default(), |heat| heat),
        camera: page.stored_setting(SettingLifetime::WithTexts, "camera", None, |camera| camera),
        redraw_count: RwSignal::new(0),
        shades: StoredValue::new(None),
        pixels: StoredValue::new_local(None),
        fingers: StoredValue::new(Vec::new()),
        tap: StoredValue::new(None),
    };
    Effect::new(move |_| map.draw());
    let draw_again = move || {
        map.redraw_count.try_update(|times| *times += 1);
    };
    // A zoom of the page changes the screen pixels per CSS pixel, but not always the size of the canvas.
    let resize = window_event_listener(ev::resize, move |_| draw_again());
    on_cleanup(move || resize.remove());
    on_resize(map.canvas, move |_| draw_again());
    on_restyled(draw_again);
    let label = scene.board.with_value(|board| tr!("Matrix of {a} by {b} symbols as a picture", a = board.a.len(), b = board.b.len()));
    let spoken =
        move || scene.board.with_value(|board| cell_sentences::spoken(board, scene.cell.get(), scene.is_value_visible(scene.cell.get())));
    let total = scene.board.with_value(|board| board.total.as_deref().map(big));
    let counted = total.map(|total| view! { <p class="note" hidden=move || scene.hides_answer()>{tr!("{n} optimal alignments; one of them is drawn.", n = total)}</p> });
    let canvas = view! {
        <canvas
            class="heat"
            tabindex="0"
            role="application"
            aria-roledescription=t("zoomable matrix")
            aria-label=label
            aria-describedby="heat-help"
            node_ref=map.canvas
            on:keydown=move |event| map.key(&event)
            on:wheel=move |event| map.wheel(&event)
            on:pointerdown=move |event| map.down(&event)
            on:pointermove=move |event| map.drag(&event)
            on:pointerup=move |event| map.up(&event)
            on:pointercancel=move |event| map.up(&event)
            on:pointerleave=move |_| scene.hover.set(None)
        ></canvas>
        <p class="vh" role="status">{spoken}</p>
    };
    let help = view! {
        <p class="note projector-off" id="heat-help">
            {t("Drag to move, Ctrl and wheel or + and − to zoom, arrows move the selected cell, 0 shows the whole matrix.")}
        </p>
    };
    view! {
        <Lens
            player=scene.player
            picker=view! { <Picker /> }
            picture=canvas
            says=view! { <Sums /> }
            knows=view! { <Filled />{counted}<Rules /><KeptAnswer /> }
            more=view! { <Tools map /><ShadeLegend map />{help} }
        />
        <Save />
    }
}

/// Renders the meaning of the shades and lines in the picture.
#[component]
fn ShadeLegend(map: HeatMap) -> impl IntoView {
    let (least, most, is_scored) = map.scene.board.with_value(|board| {
        let values = || board.matrix.cells().filter_map(|cell| board.matrix.value(board.matrix.best_of(cell)).number());
        (values().min().unwrap_or_default().min(Points::ZERO), values().max().unwrap_or_default(), board.matrix.scoring().is_some())
    });
    let ends = move || match map.heat.get() {
        HeatQuantity::Excess if is_scored => (t("the most points").to_owned(), t("farthest from it").to_owned()),
        HeatQuantity::Excess => (t("as good as its place allows").to_owned(), t("farthest from it").to_owned()),
        HeatQuantity::Value => (cell_value(least), cell_value(most)),
    };
    view! {
        <ul class="legend" aria-label=t("Legend")>
            <li>{move || ends().0} <span class="ramp" aria-hidden="true"></span> {move || ends().1}</li>
            <li><span class="chip line" aria-hidden="true"></span> {t("an optimal alignment")}</li>
            <li><span class="chip step" aria-hidden="true"></span> {t("filled by this step")}</li>
            <li><span class="chip unfilled" aria-hidden="true"></span> {t("not filled yet")}</li>
            <li><span class="chip left-out" aria-hidden="true"></span> {t("left out by this order")}</li>
        </ul>
    }
}

/// Renders the controls for zooming and for the quantity that the shades show.
#[component]
fn Tools(map: HeatMap) -> impl IntoView {
    let button = |name: &'static str, which: Icon, factor: f64| {
        view! {
            <button class="btn only" type="button" aria-label=name title=name on:click=move |_| map.zoom(factor, None)>
                {icon(which)}
            </button>
        }
    };
    let heats = [(HeatQuantity::Excess, t("how far from equal")), (HeatQuantity::Value, t("values"))].map(|(heat, name)| {
        view! {
            <label>
                <input type="radio" name="heat" prop:checked=move || map.heat.get() == heat on:change=move |_| map.heat.set(heat) />
                {name}
            </label>
        }
    });
    let save = move |_| {
        if let Some(canvas) = map.canvas.get_untracked() {
            save_canvas(&canvas, "matrix.png");
        }
    };
    view! {
        <div class="row wide tools">
            <div class="row" role="group" aria-label=t("Zoom")>
                {button(t("Zoom in"), Icon::Plus, ZOOM)}
                {button(t("Zoom out"), Icon::Minus, 1.0 / ZOOM)}
                <button class="btn" type="button" on:click=move |_| map.camera.set(None)>{t("Whole matrix")}</button>
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

impl HeatMap {
    /// Returns the size of the picture without its axes, in CSS pixels, and the size of the matrix. Returns `None`
    /// before the canvas is drawn.
    fn frame(self) -> Option<HeatFrame> {
        let canvas = self.canvas.get_untracked()?;
        let last = self.scene.board.with_value(|board| board.matrix.last());
        let (width, height) = (f64::from(canvas.client_width()) - LEFT - 1.0, f64::from(canvas.client_height()) - TOP - 1.0);
        (width > 0.0 && height > 0.0).then_some(HeatFrame { width, height, columns: last.j as f64 + 1.0, rows: last.i as f64 + 1.0 })
    }

    fn camera(self, frame: &HeatFrame) -> Camera {
        self.camera.get_untracked().map_or_else(|| frame.fit(), |camera| frame.clamp_camera(camera))
    }

    fn zoom(self, factor: f64, around: Option<(f64, f64)>) {
        let Some(frame) = self.frame() else { return };
        let around = around.unwrap_or((frame.width / 2.0, frame.height / 2.0));
        self.camera.set(Some(frame.zoom(self.camera(&frame), factor, around)));
    }

    fn wheel(self, event: &ev::WheelEvent) {
        if !crate::view::widgets::keys::is_zoom(event) {
            return;
        }
        event.prevent_default();
        self.zoom((-event.delta_y() / 400.0).clamp(-1.0, 1.0).exp(), Some(place(event)));
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
                // With Ctrl, an arrow key moves by 50 cells, because cells are small here.
                let far = event.ctrl_key() || event.meta_key();
                let by = if far { 50 } else { 1 };
                match event.key().as_str() {
                    "ArrowRight" => self.scene.shift(SelectionMove::By(0, by)),
                    "ArrowLeft" => self.scene.shift(SelectionMove::By(0, -by)),
                    "ArrowDown" => self.scene.shift(SelectionMove::By(by, 0)),
                    "ArrowUp" => self.scene.shift(SelectionMove::By(-by, 0)),
                    "Home" if far => self.scene.shift(SelectionMove::All(SelectionEnd::First)),
                    "End" if far => self.scene.shift(SelectionMove::All(SelectionEnd::Last)),
                    key if !self.scene.key(key, far) => return,
                    _ => {}
                }
                event.prevent_default();
                if let Some(frame) = self.frame() {
                    self.camera.update(|camera| *camera = camera.map(|camera| frame.showing(camera, self.scene.cell.get_untracked().cell)));
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
        let (x, y) = place(event);
        self.fingers.update_value(|fingers| fingers.push((event.pointer_id(), x, y)));
        if event.pointer_type() == "touch" {
            let is_one = self.fingers.with_value(|fingers| fingers.len() == 1);
            self.tap.set_value(is_one.then_some((x, y)));
        } else {
            self.hold((x, y));
        }
    }

    /// Returns `cell` in the layer where its value is greatest.
    fn best_of(self, cell: MatrixCell) -> MatrixNode {
        self.scene.board.with_value(|board| board.matrix.best_of(cell))
    }

    /// Selects and holds the cell at the point `place` of the picture, so that the sums of the cell are shown.
    fn hold(self, place: (f64, f64)) {
        if let Some(cell) = self.frame().and_then(|frame| frame.cell_in(self.camera(&frame), place)) {
            self.scene.held_cell.set(Some(self.best_of(cell)));
        }
    }

    /// Handles a moving pointer. One finger moves the picture sideways and scrolls the page up and down. Two fingers
    /// move the picture and zoom around the point between them. A pressed mouse moves the picture; otherwise the cell
    /// under the mouse is shown.
    fn drag(self, event: &ev::PointerEvent) {
        let Some(frame) = self.frame() else { return };
        let (x, y) = place(event);
        let fingers = self.fingers.get_value();
        let Some(&(_, from_x, from_y)) = fingers.iter().find(|(id, ..)| *id == event.pointer_id()) else {
            let cell = frame.cell_in(self.camera(&frame), (x, y));
            return self.scene.hover.set(cell.map(|cell| self.best_of(cell)));
        };
        self.tap.update_value(|tap| *tap = tap.filter(|at| (x - at.0).hypot(y - at.1) <= MAX_TAP_MOVEMENT));
        let other = fingers.iter().find(|(id, ..)| *id != event.pointer_id());
        let camera = match other {
            None => frame.pan(self.camera(&frame), (x - from_x, y - from_y)),
            Some(&(_, other_x, other_y)) => {
                let apart = |x: f64, y: f64| (x - other_x).hypot(y - other_y).max(1.0);
                let moved = frame.pan(self.camera(&frame), ((x - from_x) / 2.0, (y - from_y) / 2.0));
                frame.zoom(moved, apart(x, y) / apart(from_x, from_y), ((x + other_x) / 2.0, (y + other_y) / 2.0))
            }
        };
        self.camera.set(Some(camera));
        self.fingers.update_value(|fingers| {
            fingers.iter_mut().filter(|(id, ..)| *id == event.pointer_id()).for_each(|finger| (finger.1, finger.2) = (x, y));
        });
    }

    fn up(self, event: &ev::PointerEvent) {
        self.fingers.update_value(|fingers| fingers.retain(|(id, ..)| *id != event.pointer_id()));
        let tap = self.tap.try_update_value(Option::take).flatten();
        if let Some(place) = tap.filter(|_| event.type_() == "pointerup") {
            self.hold(place);
        }
    }

    /// Draws the visible part of the picture.
    fn draw(self) {
        self.redraw_count.track();
        let (heat, is_done) = (self.heat.get(), self.scene.player.is_done());
        let (camera, cell) = (self.camera.get(), self.scene.explained_cell().cell);
        let drawn = (heat, self.scene.order.get(), self.scene.player.step.get());
        let Some(canvas) = self.canvas.get() else { return };
        let Some(frame) = self.frame() else { return };
        let camera = camera.map_or_else(|| frame.fit(), |camera| frame.clamp_camera(camera));
        let sharp = window().device_pixel_ratio().max(1.0);
        let (width, height) = ((f64::from(canvas.client_width()) * sharp) as u32, (f64::from(canvas.client_height()) * sharp) as u32);
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let Some(pen) = pen(&canvas) else { return };
        let ink = HeatColours::of(&canvas);
        let board = self.scene.board.get_value();
        self.shade(&board, (heat, ink.dark, drawn.1, drawn.2), &ink);
        let _ = pen.set_transform(sharp, 0.0, 0.0, sharp, 0.0, 0.0);
        pen.clear_rect(0.0, 0.0, f64::from(width), f64::from(height));
        let drawing = HeatDrawing { pen, frame, camera, ink };
        drawing.inside(|| {
            self.pixels.with_value(|pixels| pixels.iter().for_each(|(_, pixels)| drawing.cells(pixels, sharp)));
            if let Some(path) = self.scene.path.get_untracked().filter(|_| is_done) {
                drawing.path(&path);
            }
            self.shades.with_value(|shades| {
                let told = |cell: MatrixCell| untrack(move || self.scene.is_value_visible(cell.into()));
                shades.iter().for_each(|(_, shades)| drawing.values(&board, shades, told));
            });
            drawing.mark(cell);
        });
        drawing.axes(&board);
    }

    /// Draws the canvas of shades for the inputs `wanted`, unless the cached canvas has the same inputs. `ink` are the
    /// colours.
    fn shade(self, board: &Arc<MatrixBoard>, wanted: PixelKey, ink: &HeatColours) {
        if self.pixels.with_value(|pixels| pixels.as_ref().is_some_and(|(of, _)| *of == wanted)) {
            return;
        }
        let (heat, .., step) = wanted;
        if self.shades.with_value(|shades| shades.as_ref().is_none_or(|(of, _)| *of != heat)) {
            self.shades.set_value(Some((heat, shades(board, heat))));
        }
        let last = board.matrix.last();
        let steps = self.scene.steps.get_untracked();
        let colours: Vec<[u8; 4]> = (0..=255u8).map(|shade| ink.shade(shade)).collect();
        let (unfilled, left_out, now) = (ink.unfilled(), ink.left_out(), ink.now());
        let is_done = step >= steps.len();
        let width = last.j + 1;
        let mut bytes = Vec::with_capacity(4 * width * (last.i + 1));
        self.shades.with_value(|shades| {
            for (i, row) in shades.iter().flat_map(|(_, shades)| shades.chunks(width)).enumerate() {
                let until = filled_of_row(&steps, i, last.j, step);
                for (j, &shade) in row.iter().enumerate() {
                    let is_given = i == 0 || j == 0;
                    let colour = match until {
                        Some((_, filled)) if j >= filled => unfilled,
                        Some((before, _)) if j >= before && !is_given && !is_done => now,
                        Some(_) => colours[usize::from(shade)],
                        None => match steps.step_of(MatrixCell { i, j }) {
                            None => left_out,
                            Some(at) if at > step => unfilled,
                            Some(at) if at == step && !is_given && !is_done => now,
                            Some(_) => colours[usize::from(shade)],
                        },
                    };
                    bytes.extend_from_slice(&colour);
                }
            }
        });
        let made = || -> Option<HtmlCanvasElement> {
            let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
            canvas.set_width(width as u32);
            canvas.set_height(last.i as u32 + 1);
            let data = ImageData::new_with_u8_clamped_array(Clamped(&bytes), width as u32).ok()?;
            pen(&canvas)?.put_image_data(&data, 0.0, 0.0).ok()?;
            Some(canvas)
        };
        self.pixels.set_value(made().map(|canvas| (wanted, canvas)));
    }
}

/// Returns the position of the pointer in the picture without its axes, in CSS pixels.
fn place(event: &web_sys::MouseEvent) -> (f64, f64) {
    (f64::from(event.offset_x()) - LEFT, f64::from(event.offset_y()) - TOP)
}
