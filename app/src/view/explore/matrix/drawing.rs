//! Draws the shapes in the picture of a large matrix ([`HeatDrawing`]): shades, alignment, values, the selected cell,
//! and both texts at the axes.

use explain::matrix::MatrixCell;
use explain::matrix::optimal::OptimalPath;
use leptos::prelude::window;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::model::matrix::MatrixBoard;
use crate::model::matrix::heat::{Camera, HeatFrame, between_ticks};
use crate::model::text::humanize::{cell_value, grouped};
use crate::view::widgets::canvas::rgb;

/// Width of the space to the left of the picture for letters and numbers of `a`, in CSS pixels.
pub const LEFT: f64 = 60.0;

/// Height of the space above the picture for letters and numbers of `b`, in CSS pixels.
pub const TOP: f64 = 44.0;

/// Minimum size of a cell whose value is drawn, in CSS pixels.
const READABLE: f64 = 22.0;

/// Minimum size of a cell, in CSS pixels, at which the letters of its row and column are drawn at the axes.
const LETTERS: f64 = 10.0;

/// Colours of the page that the picture uses, read once per frame.
pub struct HeatColours {
    low: [f64; 3],
    high: [f64; 3],
    ink: String,
    pine: String,
    well: String,
    /// Whether the page has a dark theme.
    pub dark: bool,
}

impl HeatColours {
    /// Reads the colours from the computed style of `canvas`, so that the browser resolves the theme.
    pub fn of(canvas: &HtmlCanvasElement) -> Self {
        let style = window().get_computed_style(canvas).ok().flatten();
        let read = |name: &str| style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default();
        let (low, high) = (rgb(&read("background-color")), rgb(&read("column-rule-color")));
        let dark = low.iter().sum::<f64>() < 384.0;
        Self { low, high, ink: read("color"), pine: read("caret-color"), well: read("text-decoration-color"), dark }
    }

    /// Returns the colour of `shade` (0 for the lightest shade, 255 for the strongest) as red, green, blue and opacity.
    pub fn shade(&self, shade: u8) -> [u8; 4] {
        let share = (f64::from(shade) / 255.0).sqrt();
        let mix = |channel: usize| (self.low[channel] + (self.high[channel] - self.low[channel]) * share) as u8;
        [mix(0), mix(1), mix(2), 255]
    }

    /// Returns the colour of a cell that is not filled yet, as red, green, blue and opacity.
    pub fn unfilled(&self) -> [u8; 4] {
        pixel(mixed(rgb(&self.well), rgb(&self.ink), 0.08))
    }

    /// Returns the colour of a cell that the order of filling leaves out, as red, green, blue and opacity.
    pub fn left_out(&self) -> [u8; 4] {
        pixel(mixed(rgb(&self.well), rgb(&self.ink), 0.3))
    }

    /// Returns the colour of a cell that the current step fills, as red, green, blue and opacity.
    pub fn now(&self) -> [u8; 4] {
        pixel(rgb(&self.ink))
    }

    /// Returns the colour of a text that is readable on the shade `shade`.
    fn on(&self, shade: u8) -> &str {
        let [red, green, blue, _] = self.shade(shade).map(f64::from);
        let light = 0.3 * red + 0.59 * green + 0.11 * blue > 128.0;
        if light { "#15201c" } else { "#ffffff" }
    }
}

fn mixed(from: [f64; 3], to: [f64; 3], share: f64) -> [f64; 3] {
    std::array::from_fn(|channel| from[channel] + (to[channel] - from[channel]) * share)
}

fn pixel(colour: [f64; 3]) -> [u8; 4] {
    [colour[0] as u8, colour[1] as u8, colour[2] as u8, 255]
}

/// The drawing of one frame of the picture: canvas, size and visible part.
pub struct HeatDrawing {
    /// Drawing context of the canvas.
    pub pen: CanvasRenderingContext2d,
    /// Size of the picture without its axes, and numbers of rows and columns of the matrix.
    pub frame: HeatFrame,
    /// The visible part of the matrix.
    pub camera: Camera,
    pub ink: HeatColours,
}

impl HeatDrawing {
    /// Calls `draw` while the origin is the corner of the picture and drawing is limited to the matrix. Draws the
    /// border of the matrix afterwards.
    pub fn inside(&self, draw: impl FnOnce()) {
        let pen = &self.pen;
        let (x0, y0, x1, y1) = self.edges();
        pen.save();
        let _ = pen.translate(LEFT, TOP);
        pen.save();
        pen.begin_path();
        pen.rect(x0, y0, x1 - x0, y1 - y0);
        pen.clip();
        draw();
        pen.restore();
        pen.set_stroke_style_str(&self.ink.ink);
        pen.set_line_width(1.0);
        pen.stroke_rect(x0 - 0.5, y0 - 0.5, x1 - x0 + 1.0, y1 - y0 + 1.0);
        pen.restore();
    }

    /// Returns the left, top, right and bottom edge of the matrix in the picture, cut to the picture, in CSS pixels.
    fn edges(&self) -> (f64, f64, f64, f64) {
        let (left, top) = self.frame.point(self.camera, (0.0, 0.0));
        let (right, bottom) = self.frame.point(self.camera, (self.frame.columns, self.frame.rows));
        (left.max(0.0), top.max(0.0), right.min(self.frame.width), bottom.min(self.frame.height))
    }

    /// Draws the shades from `pixels`, a canvas with one pixel per cell. `sharp` is the number of screen pixels per CSS
    /// pixel. If cells are smaller than a screen pixel, neighbouring cells are blended; otherwise each is a square.
    pub fn cells(&self, pixels: &HtmlCanvasElement, sharp: f64) {
        self.pen.set_image_smoothing_enabled(self.camera.scale * sharp < 1.0);
        let (x, y) = self.frame.point(self.camera, (0.0, 0.0));
        let (width, height) = (self.frame.columns * self.camera.scale, self.frame.rows * self.camera.scale);
        let _ = self.pen.draw_image_with_html_canvas_element_and_dw_and_dh(pixels, x, y, width, height);
    }

    /// Draws an optimal alignment as a line through its cells.
    pub fn path(&self, path: &OptimalPath) {
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

    /// Draws the values of the visible cells for which `is_told` returns true, if cells are large enough. `shades` has
    /// the shade of every cell, which determines the text colour.
    pub fn values(&self, board: &MatrixBoard, shades: &[u8], is_told: impl Fn(MatrixCell) -> bool) {
        if self.camera.scale < READABLE {
            return;
        }
        let pen = &self.pen;
        self.letters_of_values();
        for cell in self.rows(board).flat_map(|i| self.columns(board).map(move |j| MatrixCell { i, j })).filter(|&cell| is_told(cell)) {
            let (x, y) = self.middle(cell);
            pen.set_fill_style_str(self.ink.on(shades[board.matrix.index(cell)]));
            let _ = pen.fill_text(&cell_value(board.matrix.value(board.matrix.best_of(cell))), x, y);
        }
    }

    fn letters_of_values(&self) {
        self.pen.set_font("13px system-ui, sans-serif");
        self.pen.set_text_align("center");
        self.pen.set_text_baseline("middle");
    }

    /// Returns the rows of the matrix that are visible.
    fn rows(&self, board: &MatrixBoard) -> std::ops::RangeInclusive<usize> {
        let (_, top) = self.frame.position_at(self.camera, (0.0, 0.0));
        let (_, bottom) = self.frame.position_at(self.camera, (0.0, self.frame.height));
        top.max(0.0) as usize..=(bottom.max(0.0) as usize).min(board.matrix.last().i)
    }

    /// Returns the columns of the matrix that are visible.
    fn columns(&self, board: &MatrixBoard) -> std::ops::RangeInclusive<usize> {
        let (left, _) = self.frame.position_at(self.camera, (0.0, 0.0));
        let (right, _) = self.frame.position_at(self.camera, (self.frame.width, 0.0));
        left.max(0.0) as usize..=(right.max(0.0) as usize).min(board.matrix.last().j)
    }

    fn middle(&self, cell: MatrixCell) -> (f64, f64) {
        self.frame.point(self.camera, (cell.j as f64 + 0.5, cell.i as f64 + 0.5))
    }

    /// Marks `cell`, with lines from it to both axes.
    pub fn mark(&self, cell: MatrixCell) {
        let (x, y) = self.middle(cell);
        let half = self.camera.scale.max(5.0) / 2.0;
        let (left, top, ..) = self.edges();
        let pen = &self.pen;
        pen.set_stroke_style_str(&self.ink.pine);
        pen.set_line_width(1.0);
        pen.begin_path();
        pen.move_to(x, top);
        pen.line_to(x, (y - half).max(top));
        pen.move_to(left, y);
        pen.line_to((x - half).max(left), y);
        pen.stroke();
        pen.set_stroke_style_str(&self.ink.ink);
        pen.set_line_width(2.5);
        pen.stroke_rect(x - half, y - half, 2.0 * half, 2.0 * half);
    }

    /// Draws the names and numbers of both texts beside the picture and, if there is room, their letters.
    pub fn axes(&self, board: &MatrixBoard) {
        let (pen, scale) = (&self.pen, self.camera.scale);
        let (left, top, right, bottom) = self.edges();
        pen.set_fill_style_str(&self.ink.ink);
        pen.set_text_baseline("middle");
        pen.set_text_align("center");
        pen.set_font("italic 17px Palatino, \"Palatino Linotype\", P052, serif");
        let _ = pen.fill_text("b", LEFT + left - 12.0, TOP + top - 30.0);
        let _ = pen.fill_text("a", LEFT + left - 46.0, TOP + top - 12.0);
        let is_seen = |at: f64, from: f64, to: f64| at >= from && at <= to;
        if scale >= LETTERS {
            pen.set_font(&format!("600 {:.0}px ui-monospace, monospace", scale.clamp(11.0, 15.0)));
            for j in self.columns(board).filter(|&j| j > 0) {
                let (x, _) = self.middle(MatrixCell { i: 0, j });
                if is_seen(x, left, right) {
                    let _ = pen.fill_text(&board.b[j - 1], LEFT + x, TOP + top - 12.0);
                }
            }
            for i in self.rows(board).filter(|&i| i > 0) {
                let (_, y) = self.middle(MatrixCell { i, j: 0 });
                if is_seen(y, top, bottom) {
                    let _ = pen.fill_text(&board.a[i - 1], LEFT + left - 12.0, TOP + y);
                }
            }
        }
        pen.set_font("12px system-ui, sans-serif");
        pen.set_stroke_style_str(&self.ink.ink);
        pen.set_line_width(1.0);
        // Letters stand between the picture and the numbers.
        let apart = if scale >= LETTERS { 22.0 } else { 5.0 };
        pen.begin_path();
        let every = between_ticks(scale, 56.0);
        for j in self.columns(board).filter(|j| j.is_multiple_of(every)) {
            let (x, _) = self.middle(MatrixCell { i: 0, j });
            if is_seen(x, left + if j > 0 { 0.0 } else { -1.0 }, right) {
                let _ = pen.fill_text(&grouped(j as u64), LEFT + x, TOP + top - apart - 8.0);
                pen.move_to(LEFT + x, TOP + top - 1.0);
                pen.line_to(LEFT + x, TOP + top - 5.0);
            }
        }
        pen.set_text_align("right");
        let every = between_ticks(scale, 28.0);
        for i in self.rows(board).filter(|i| i.is_multiple_of(every)) {
            let (_, y) = self.middle(MatrixCell { i, j: 0 });
            if is_seen(y, top, bottom) {
                let _ = pen.fill_text(&grouped(i as u64), LEFT + left - apart - 2.0, TOP + y);
                pen.move_to(LEFT + left - 1.0, TOP + y);
                pen.line_to(LEFT + left - 5.0, TOP + y);
            }
        }
        pen.stroke();
    }
}
