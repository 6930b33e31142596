//! Draws the canvas of a dot plot: [`keep_drawn`]. The dots are a stretched image with one pixel per part (row and
//! column of the picture). The path of the alignment is a band below the dots. The canvas also shows axes, the selected
//! pair of positions, and a rectangle that the visitor is dragging. The colours follow the theme of the page.

use std::sync::Arc;

use explain::dots::DotPlot;
use kernels::job::Unit;
use leptos::prelude::*;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::layout::{LANE, PlotLayout, letter};
use super::plot::PlotState;
use crate::model::alignment::rows::visible;
use crate::model::dots::alignment_path::AlignmentPath;
use crate::model::dots::lines::MatchFilter;
use crate::model::dots::{AxisRange, PositionPair, VisibleArea, full, parts, shade, ticks};
use crate::model::preferences::positions;
use crate::model::text::humanize::grouped;
use crate::view::widgets::canvas::{pen, rgb};

/// Minimum distance between labelled ticks of the horizontal and of the vertical axis, as multiples of the letter size.
const APART: (f64, f64) = (7.0, 3.2);

/// Minimum size of a symbol in the picture, in CSS pixels, at which the symbol is written at the axis.
const MIN_NAMED_SYMBOL_PIXELS: f64 = 8.0;

/// Maximum number of letters of a text's name that are written at an axis.
const MAX_AXIS_NAME: usize = 28;

/// Minimum size of letters, in CSS pixels; smaller ones are not drawn.
const MIN_LETTER_PIXELS: f64 = 6.0;

/// Colours of the page that the plot uses, read once per frame.
struct PlotColours {
    sheet: String,
    ink: String,
    quiet: String,
    edge: String,
    pine: String,
    /// Colour of parts (pixels of the picture) whose dots are mostly inverted words, which match on the other strand of
    /// DNA.
    other: String,
    mono: String,
}

impl PlotColours {
    /// Reads the colours from the computed style of `canvas`, so that the browser resolves the theme.
    fn of(canvas: &HtmlCanvasElement) -> Self {
        let style = window().get_computed_style(canvas).ok().flatten();
        let read = |name: &str| style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default();
        Self {
            sheet: read("background-color"),
            ink: read("color"),
            quiet: read("text-decoration-color"),
            edge: read("column-rule-color"),
            pine: read("caret-color"),
            other: read("outline-color"),
            mono: read("--mono"),
        }
    }
}

/// Cached images of dots: for each, the plot, the colour in which it is drawn, and the image.
type DotImages = Vec<(Arc<DotPlot>, String, HtmlCanvasElement)>;

/// Draws `plot` on its canvas, and redraws it whenever it changes.
pub fn keep_drawn(plot: PlotState) {
    let images = StoredValue::new_local(DotImages::new());
    Effect::new(move |_| plot.draw(images));
}

impl PlotState {
    /// Returns whether symbols are letters or bytes, which are about as wide as one letter.
    fn unit_is_letter(self) -> bool {
        !matches!(self.unit, Unit::Words | Unit::Lines)
    }

    /// Draws the visible range of the plot. `images` is a cache that lasts from frame to frame.
    fn draw(self, images: StoredValue<DotImages, LocalStorage>) {
        self.redraw_count.track();
        let (size, sight, mark, brush) = (self.size.get(), self.sight.get(), self.mark.get(), self.brush.get());
        // Dots that the filter hides are not drawn in the background either.
        let dots = self.filtered_dots.get().map(|found| found.dots);
        let everything = self.everything.get().filter(|_| self.filter.with(MatchFilter::is_all));
        let ways = self.shows_way.get().then(|| self.ways.get());
        let Some(canvas) = self.canvas.get() else { return };
        if size.0 <= 0.0 {
            return;
        }
        let layout = PlotLayout::of(self.of, size);
        self.layout.set_value(layout);
        let sharp = window().device_pixel_ratio().max(1.0);
        let (width, height) = ((size.0 * sharp) as u32, (size.1 * sharp) as u32);
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let Some(pen) = pen(&canvas) else { return };
        let ink = PlotColours::of(&canvas);
        images.update_value(|images| {
            images.retain(|(of, colour, _)| {
                *colour == ink.ink && [&dots, &everything].into_iter().flatten().any(|kept| Arc::ptr_eq(kept, of))
            })
        });
        let image = |dots: &Arc<DotPlot>| {
            images.try_update_value(|images| {
                if let Some((.., image)) = images.iter().find(|(of, ..)| Arc::ptr_eq(of, dots)) {
                    return Some(image.clone());
                }
                let image = image_of(dots, [&ink.ink, &ink.other])?;
                images.push((dots.clone(), ink.ink.clone(), image.clone()));
                Some(image)
            })
        };
        let _ = pen.set_transform(sharp, 0.0, 0.0, sharp, 0.0, 0.0);
        pen.set_fill_style_str(&ink.sheet);
        pen.fill_rect(0.0, 0.0, size.0, size.1);
        let drawing = PlotDrawing { pen, layout, sight, ink: &ink, sharp };
        drawing.pen.save();
        drawing.pen.begin_path();
        drawing.pen.rect(layout.left, layout.top, layout.width, layout.height);
        drawing.pen.clip();
        let covers = dots.as_ref().is_some_and(|dots| drawing.covers(dots));
        if let Some(everything) = everything.as_ref().filter(|_| !covers) {
            drawing.stretch(everything, image(everything).flatten());
            if let Some((x, y, width, height)) = dots.as_ref().map(|dots| drawing.place(dots)) {
                drawing.pen.fill_rect(x, y, width, height);
            }
        }
        if let Some([far, near]) = ways {
            drawing.way(if near.is_empty() { &far } else { &near });
        }
        if let Some(dots) = &dots {
            drawing.stretch(dots, image(dots).flatten());
        }
        drawing.mark(mark);
        drawing.brush(brush);
        drawing.pen.restore();
        let named = self.unit_is_letter().then(|| dots.as_ref().map(|dots| drawing.names(dots))).flatten().unwrap_or_default();
        drawing.axes(named, self.names.get_value());
    }
}

/// Returns the name of a text, shortened if it is too long for an axis.
fn cut(name: &str) -> String {
    match name.char_indices().nth(MAX_AXIS_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Returns the dots as an image with one pixel per part of the picture. A part has the second colour of `inks` if most
/// of its words are inverted, otherwise the first.
fn image_of(dots: &DotPlot, inks: [&str; 2]) -> Option<HtmlCanvasElement> {
    let (frame, full) = (&dots.frame, full(dots));
    let inks = inks.map(|ink| rgb(ink).map(|channel| channel as u8));
    let bytes: Vec<u8> = parts(dots)
        .flat_map(|(count, is_inverted)| {
            let [red, green, blue] = inks[usize::from(is_inverted)];
            [red, green, blue, shade(count, full)]
        })
        .collect();
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(frame.width as u32);
    canvas.set_height(frame.height as u32);
    let data = ImageData::new_with_u8_clamped_array(Clamped(&bytes), frame.width as u32).ok()?;
    pen(&canvas)?.put_image_data(&data, 0.0, 0.0).ok()?;
    Some(canvas)
}

/// The drawing of one frame of the plot: the canvas, its layout and colours.
struct PlotDrawing<'i> {
    pen: CanvasRenderingContext2d,
    layout: PlotLayout,
    sight: VisibleArea,
    ink: &'i PlotColours,
    sharp: f64,
}

impl PlotDrawing<'_> {
    fn x(&self, b: f64) -> f64 {
        self.layout.left + self.sight.b.share(b) * self.layout.width
    }

    fn y(&self, a: f64) -> f64 {
        self.layout.top + self.sight.a.share(a) * self.layout.height
    }

    /// Returns the rectangle on the canvas that the picture `dots` covers: left, top, width, height, in CSS pixels.
    fn place(&self, dots: &DotPlot) -> (f64, f64, f64, f64) {
        let frame = &dots.frame;
        let (left, top) = (self.x(frame.from_b as f64), self.y(frame.from_a as f64));
        (left, top, self.x(frame.to_b as f64) - left, self.y(frame.to_a as f64) - top)
    }

    /// Returns whether the picture `dots` covers the whole visible range.
    fn covers(&self, dots: &DotPlot) -> bool {
        let [from_a, to_a, from_b, to_b] = self.sight.symbols();
        let frame = &dots.frame;
        frame.from_a <= from_a && to_a <= frame.to_a && frame.from_b <= from_b && to_b <= frame.to_b
    }

    fn stretch(&self, dots: &DotPlot, image: Option<HtmlCanvasElement>) {
        let Some(image) = image else { return };
        let (x, y, width, height) = self.place(dots);
        // Blends neighbouring parts when zoomed out, and draws each as a square when zoomed in.
        self.pen.set_image_smoothing_enabled(width * self.sharp < 0.9 * f64::from(image.width()));
        let _ = self.pen.draw_image_with_html_canvas_element_and_dw_and_dh(&image, x, y, width, height);
    }

    /// Draws the alignment as a band below the dots.
    fn way(&self, way: &AlignmentPath) {
        let pen = &self.pen;
        pen.begin_path();
        for (nth, &(a, b)) in way.iter().enumerate() {
            if nth == 0 { pen.move_to(self.x(b), self.y(a)) } else { pen.line_to(self.x(b), self.y(a)) }
        }
        pen.set_line_join("round");
        pen.set_line_cap("round");
        pen.set_global_alpha(0.32);
        pen.set_stroke_style_str(&self.ink.pine);
        // The band is wider than a symbol, so that it is visible beside large dots.
        pen.set_line_width((1.1 * self.layout.width / self.sight.b.len().max(1.0)).clamp(9.0, 60.0));
        pen.stroke();
        pen.set_global_alpha(1.0);
    }

    /// Draws the selected pair of positions, with lines to the axes.
    fn mark(&self, mark: Option<PositionPair>) {
        let Some((a, b)) = mark else { return };
        let (x, y) = (self.x(b as f64 + 0.5), self.y(a as f64 + 0.5));
        let pen = &self.pen;
        pen.set_stroke_style_str(&self.ink.ink);
        pen.set_line_width(1.0);
        pen.begin_path();
        pen.move_to(x, self.layout.top);
        pen.line_to(x, y - 7.0);
        pen.move_to(self.layout.left, y);
        pen.line_to(x - 7.0, y);
        pen.stroke();
        pen.set_line_width(2.5);
        pen.stroke_rect(x - 7.0, y - 7.0, 14.0, 14.0);
    }

    /// Draws the rectangle that the visitor is dragging. `brush` has two opposite corners, in fractions of the picture.
    fn brush(&self, brush: Option<[(f64, f64); 2]>) {
        let Some([from, to]) = brush else { return };
        let at = |(x, y): (f64, f64)| (self.layout.left + x * self.layout.width, self.layout.top + y * self.layout.height);
        let ((x, y), (right, bottom)) = (at(from), at(to));
        let pen = &self.pen;
        pen.set_global_alpha(0.15);
        pen.set_fill_style_str(&self.ink.pine);
        pen.fill_rect(x, y, right - x, bottom - y);
        pen.set_global_alpha(1.0);
        pen.set_stroke_style_str(&self.ink.pine);
        pen.set_line_width(2.0);
        pen.stroke_rect(x, y, right - x, bottom - y);
    }

    /// Draws the symbols of both texts beside the picture, if there is room. Returns whether the symbols of `a` and
    /// whether the symbols of `b` were drawn.
    fn names(&self, dots: &DotPlot) -> (bool, bool) {
        let PlotLayout { left, top, width, height, .. } = self.layout;
        let (across, down) = (width / self.sight.b.len().max(1.0), height / self.sight.a.len().max(1.0));
        let named = (down >= MIN_NAMED_SYMBOL_PIXELS && !dots.a.is_empty(), across >= MIN_NAMED_SYMBOL_PIXELS && !dots.b.is_empty());
        let lane = LANE * letter();
        self.pen.set_fill_style_str(&self.ink.ink);
        self.pen.set_text_align("center");
        self.pen.set_text_baseline("middle");
        let room = |symbol: f64| if symbol < 1.5 * MIN_NAMED_SYMBOL_PIXELS { symbol } else { symbol - 2.0 };
        let within = |at: f64, from: f64, len: f64| at >= from && at <= from + len;
        for (nth, symbol) in dots.b.iter().enumerate().filter(|_| named.1) {
            let x = self.x((dots.frame.from_b + nth as u64) as f64 + 0.5);
            if within(x, left, width) {
                self.name(symbol, (x, top - 0.55 * lane), (room(across), lane));
            }
        }
        for (nth, symbol) in dots.a.iter().enumerate().filter(|_| named.0) {
            let y = self.y((dots.frame.from_a + nth as u64) as f64 + 0.5);
            if within(y, top, height) {
                self.name(symbol, (left - 0.55 * lane, y), (lane, 1.15 * down));
            }
        }
        named
    }

    /// Draws a symbol with its middle at `(x, y)`, in a space of the width `wide` and the height `high`. Shrinks the
    /// letters to fit, and draws nothing if they would be too small to read.
    fn name(&self, symbol: &str, (x, y): (f64, f64), (wide, high): (f64, f64)) {
        // There is room only for the number of a byte that is no text.
        let symbol = visible(symbol.strip_prefix("\\x").unwrap_or(symbol));
        let size = letter().min(high);
        let font =
            |size: f64| self.pen.set_font(&format!("{size:.1}px {}", if self.ink.mono.is_empty() { "monospace" } else { &self.ink.mono }));
        font(size);
        let width = self.pen.measure_text(&symbol).map_or(size, |measured| measured.width());
        let fits = if width > wide { size * wide / width } else { size };
        if fits >= MIN_LETTER_PIXELS {
            font(fits);
            let _ = self.pen.fill_text(&symbol, x, y);
        }
    }

    /// Draws the border of the picture, round positions of both texts, and the names of the texts. `named` says for `a`
    /// and `b` whether symbols are written at the axis; positions then leave room for them.
    fn axes(&self, named: (bool, bool), [name_a, name_b]: [Option<String>; 2]) {
        let PlotLayout { left, top, right, width, height } = self.layout;
        let (pen, letter) = (&self.pen, letter());
        let [beside, above] = [named.0, named.1].map(|named| if named { LANE * letter } else { 0.0 });
        pen.set_stroke_style_str(&self.ink.edge);
        pen.set_line_width(1.0);
        pen.stroke_rect(left - 0.5, top - 0.5, width + 1.0, height + 1.0);
        pen.set_fill_style_str(&self.ink.quiet);
        pen.set_font(&format!("{letter}px system-ui, sans-serif"));
        pen.set_text_baseline("alphabetic");
        let labelled = |reach: AxisRange, pixels: f64, apart: f64| {
            // Labels are round numbers in the visitor's way of counting, from 0 or from 1.
            let numbered =
                AxisRange { from: positions().to_displayed(0) as f64 + reach.from, to: positions().to_displayed(0) as f64 + reach.to };
            let round = ticks(numbered, pixels, apart * letter).into_iter().map(|number| positions().to_zero_based(number));
            round.map(move |at| (at, reach.share(at as f64) * pixels))
        };
        pen.begin_path();
        for (at, along) in labelled(self.sight.b, width, APART.0) {
            let (x, label) = (left + along, grouped(positions().to_displayed(at)));
            let half = 0.3 * letter * label.len() as f64;
            // Keeps labels at the edge inside the canvas.
            pen.set_text_align(if x + half > left + width + right { "end" } else { "center" });
            let _ = pen.fill_text(
                &label,
                x.min(left + width + right - if x + half > left + width + right { 1.0 } else { 0.0 }),
                top - 0.75 * letter - above,
            );
            pen.move_to(x.round() - 0.5, top - 5.0 - above);
            pen.line_to(x.round() - 0.5, top - above);
        }
        pen.set_text_align("right");
        for (at, along) in labelled(self.sight.a, height, APART.1) {
            let y = top + along;
            let _ =
                pen.fill_text(&grouped(positions().to_displayed(at)), left - 0.75 * letter - beside, (y + 0.35 * letter).min(top + height));
            pen.move_to(left - 5.0 - beside, y.round() - 0.5);
            pen.line_to(left - beside, y.round() - 0.5);
        }
        pen.stroke();
        pen.set_fill_style_str(&self.ink.ink);
        pen.set_font(&format!("italic {}px Palatino, 'P052', 'Noto Serif', serif", 1.25 * letter));
        pen.set_text_align("center");
        let titled =
            |letter: &str, name: Option<String>| name.map_or_else(|| letter.to_owned(), |name| format!("{letter} · {}", cut(&name)));
        let _ = pen.fill_text(&titled("b", name_b), left + width / 2.0, top - (2.05 + LANE) * letter);
        let beside = titled("a", name_a);
        if beside == "a" {
            let _ = pen.fill_text("a", 0.8 * letter, top + height / 2.0);
        } else {
            // There is no room to write the name from left to right, so that it is written upwards, along the picture.
            pen.save();
            let _ = pen.translate(1.2 * letter, top + height / 2.0);
            let _ = pen.rotate(-std::f64::consts::FRAC_PI_2);
            let _ = pen.fill_text(&beside, 0.0, 0.0);
            pen.restore();
        }
    }
}
