//! Draws a panel of a frame (one step of a lens) as SVG, in units of the panel: [`panel`]. A cell of a tape (a row of
//! cells) or of a grid is 36 units wide and high.
//!
//! In a small drawing, for example on a projector, letters are larger in these units, and other elements make space for
//! the letters.
//!
//! - `axes`: lanes, bars and sums
//! - `tapes`: rows of cells

use std::fmt::Write as _;

use explain::lens::frame::{GridRectangle, LensLabel, LensMark, LensPanel, LensSentence, PanelBody, PanelCell, PanelGrid, ShownValue};

use super::marks::MarkStyle;
use super::{LensInput, lens_keys, sentence_parts};
use crate::model::text::markup::escape;

mod axes;
mod tapes;

/// SVG pattern for three kinds of cells: idle cells, cells of two slices, and cells that are still to come.
pub const HATCH: &str = r#"<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V7"/></pattern></defs>"#;

/// Width and height of a cell, in units of the panel.
const CELL: f64 = 36.0;

/// Space left and right of a value in its cell.
const VALUE_MARGIN: f64 = 2.0;

/// Minimum width of a value, as a part of its usual width, to which its letters are condensed.
const MIN_CONDENSED: f64 = 0.5;

/// Height of a heading, in units of the panel.
const HEAD: f64 = 30.0;

/// Width of the plain edge around the fill of a bit that is 1, in units of the panel. The edge makes the bit's frame
/// visible.
const BIT_EDGE: f64 = 5.0;

/// Gap between two groups of cells in a tape, in units of the panel.
const GAP: f64 = 8.0;

/// Distance of an arrow's lowest point from the tape whose cells it joins, in units of the panel. The note of the arrow
/// is below that point.
const ARCH: f64 = 18.0;

/// Minimum number of rows of cells in a panel for which the rows may be arranged in several columns.
const MIN_SPLIT_ROWS: usize = 9;

/// Gap between the columns in which rows of cells are arranged, in units of the panel.
const COLUMN_GAP: f64 = 40.0;

/// Minimum length of the axis of lanes and bars, in units of the panel.
const AXIS: f64 = 330.0;

/// Height of the smallest letters in the style sheet, in units of the panel.
pub const MIN_LETTER_HEIGHT: f64 = 14.0;

/// Height of letters of names and notes, in units of the panel.
const NAMES: f64 = 15.0;

/// Distance of the middle of letters from their base line, as a fraction of the letters' height.
const MIDDLE: f64 = 0.34;

/// The settings for drawing panels: the arrangement of rows of cells, and the height of letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelSettings {
    /// Number of columns in which the tapes (rows of cells) of a panel are arranged if there are many.
    pub columns: usize,
    /// Minimum height of letters, in units of the panel.
    pub min_letter_height: f64,
}

impl Default for PanelSettings {
    fn default() -> Self {
        Self { columns: 1, min_letter_height: MIN_LETTER_HEIGHT }
    }
}

/// The drawing of a panel, with its width and height in units of the panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PanelDrawing {
    pub width: f64,
    pub height: f64,
    /// SVG without the outer element. Symbols of texts are escaped.
    pub body: String,
}

/// A pen, which draws the elements of one panel and tracks the extent of the drawing.
struct PanelPen<'w> {
    watched: &'w LensInput,
    setting: PanelSettings,
    out: String,
    right: f64,
    bottom: f64,
}

/// Draws a panel with its heading. `watched` are the texts that the lens shows.
///
/// If `setting` has several columns, many tapes (rows of cells) are arranged in these, unless arrows join tapes.
pub fn panel(panel: &LensPanel, watched: &LensInput, setting: PanelSettings) -> PanelDrawing {
    let mut pen = PanelPen { watched, setting, out: String::new(), right: 0.0, bottom: 0.0 };
    pen.text(0.0, pen.letter_height("h") + 1.0, "h", lens_keys::label(panel.title));
    match &panel.body {
        PanelBody::Grid(grid) => pen.grid(grid),
        PanelBody::Tapes(tapes) => pen.tapes(tapes),
        PanelBody::Lanes(lanes) => pen.lanes(lanes),
        PanelBody::Bars(bars) => pen.bars(bars),
        PanelBody::Sums(sums) => pen.sums(sums),
    }
    PanelDrawing { width: pen.right, height: pen.bottom, body: pen.out }
}

/// Estimates the width of a text, in units of the letters' height.
fn width_of(text: &str) -> f64 {
    let width = |letter: char| match letter {
        '−' | '∞' | '+' | '=' => 0.82,
        '\u{2e80}'.. => 1.0,
        _ => 0.56,
    };
    text.chars().map(width).sum()
}

/// Returns the height that the style sheet gives letters of a CSS class, in units of the panel.
fn usual(class: &str) -> f64 {
    let has = |name: &str| class.split(' ').any(|one| one == name);
    match (has("sym"), has("num")) {
        (true, _) => {
            if has("small") {
                16.0
            } else {
                19.0
            }
        }
        (_, true) => {
            if has("small") {
                MIN_LETTER_HEIGHT
            } else {
                17.0
            }
        }
        _ if has("t") => MIN_LETTER_HEIGHT,
        _ if has("m") => 16.0,
        _ if has("q") || has("h") => NAMES,
        _ => 16.0,
    }
}

impl PanelPen<'_> {
    /// Returns the height of letters of a CSS class in this drawing, in units of the panel.
    fn letter_height(&self, class: &str) -> f64 {
        usual(class).max(self.setting.min_letter_height)
    }

    /// Returns the factor by which letters are larger than in the style sheet. Distances that depend on the width of
    /// words are multiplied by it.
    fn larger(&self) -> f64 {
        self.letter_height("q") / NAMES
    }

    /// Returns the height of a heading, in units of the panel.
    fn head_height(&self) -> f64 {
        HEAD + self.letter_height("h") - NAMES
    }

    /// Estimates the width of a text of a CSS class, in units of the panel. Headings are bold and therefore wider.
    fn width(&self, class: &str, text: &str) -> f64 {
        self.letter_height(class) * width_of(text) * if class == "h" { 1.15 } else { 1.0 }
    }

    /// Returns the width of the widest of `names`, in units of the panel.
    fn widest<'l>(&self, names: impl Iterator<Item = &'l LensLabel>) -> f64 {
        names.map(|name| self.width("q", &sentence_parts::label(name, self.watched))).fold(0.0, f64::max)
    }

    /// Returns the y coordinate of the base line of letters of a CSS class. `middle` is the y coordinate of the
    /// letters' middle.
    fn base(&self, class: &str, middle: f64) -> f64 {
        middle + MIDDLE * self.letter_height(class)
    }

    fn reach(&mut self, x: f64, y: f64) {
        (self.right, self.bottom) = (self.right.max(x), self.bottom.max(y));
    }

    /// Draws a text of a CSS class at the point (`x`, `y`) of its base line. The class decides whether the text begins,
    /// ends or is centred at the point.
    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let _ = write!(self.out, r#"<text x="{x:.1}" y="{y:.1}" class="{class}">{}</text>"#, escape(text));
        let width = self.width(class, text);
        let right = match class {
            class if class.contains("mid") => x + width / 2.0,
            class if class.contains("end") => x,
            _ => x + width,
        };
        self.reach(right, y + 4.0);
    }

    fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4]) {
        let _ = write!(self.out, r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#);
        self.reach(x + width, y + height);
    }

    fn line(&mut self, class: &str, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) {
        let _ = write!(self.out, r#"<path class="{class}" d="M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}"/>"#);
        self.reach(x.max(to_x), y.max(to_y));
    }

    /// Draws an arrow of a CSS class from the point `[x, y]` to its tip at `[to_x, to_y]`.
    fn arrow(&mut self, class: &str, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) {
        let length = (to_x - x).hypot(to_y - y).max(1.0);
        let (dx, dy) = ((to_x - x) / length, (to_y - y) / length);
        let (base_x, base_y) = (to_x - 8.0 * dx, to_y - 8.0 * dy);
        self.line(class, [x, y], [base_x, base_y]);
        let (left, right) = ([base_x - 4.5 * dy, base_y + 4.5 * dx], [base_x + 4.5 * dy, base_y - 4.5 * dx]);
        let _ = write!(
            self.out,
            r#"<path class="tip {class}" d="M{to_x:.1} {to_y:.1}L{:.1} {:.1}L{:.1} {:.1}z"/>"#,
            left[0], left[1], right[0], right[1]
        );
    }

    /// Draws the cell `entry` with its content. `place` is `[x, y, width, height]` of the cell.
    fn cell(&mut self, entry: &PanelCell, place: [f64; 4]) {
        let [x, y, width, height] = place;
        let look = MarkStyle::of_entry(entry);
        match (entry.value, look.frame) {
            // A frame is visible only on a neutral background, and not on the dark background of a set bit.
            (ShownValue::Bit(true), Some(_)) => {
                self.rect("cell", place);
                self.rect(look.fill, [x + BIT_EDGE, y + BIT_EDGE, width - 2.0 * BIT_EDGE, height - 2.0 * BIT_EDGE]);
            }
            _ => self.rect(look.fill, place),
        }
        let mut shown = sentence_parts::shown(entry.value, self.watched);
        if shown.is_empty() && entry.computed_times > 1 {
            shown = format!("{}×", entry.computed_times);
        }
        let small = if shown.chars().count() > 2 { " small" } else { "" };
        let letters =
            if matches!(entry.value, ShownValue::A(_) | ShownValue::B(_) | ShownValue::Gap | ShownValue::Empty) { "sym" } else { "num" };
        let class = format!("{letters}{small} mid {}", look.ink);
        let middle = [x + width / 2.0, y + height / 2.0];
        if matches!(entry.value, ShownValue::Signed(_) | ShownValue::Number(_) | ShownValue::Unreachable) {
            self.value(&class, middle, &shown, width);
        } else {
            let cut: String = shown.chars().take(4).collect();
            self.within(&class, middle, &cut, width);
        }
        if let Some(sign) = look.sign.filter(|_| self.letter_height("t") < height / 2.0) {
            self.text(x + width - 7.0, y + 11.0, "t mid strong on", sign);
        }
        if look.is_struck {
            self.line("cut", [x + 7.0, y + height - 7.0], [x + width - 7.0, y + 7.0]);
        }
        if let Some(frame) = look.frame {
            self.rect(frame, [x + 1.5, y + 1.5, width - 3.0, height - 3.0]);
        }
    }

    /// Draws a number of a CSS class centred at the point `[x, middle]` of a cell. Letters of a number that is wider than the
    /// cell are condensed. A number that would be unreadable is left out.
    fn value(&mut self, class: &str, [x, middle]: [f64; 2], number: &str, width: f64) {
        let (usual, room) = (self.width(class, number), width - 2.0 * VALUE_MARGIN);
        if usual <= room {
            self.text(x, self.base(class, middle), class, number);
        } else if self.letter_height(class) < CELL && room >= MIN_CONDENSED * usual {
            let y = self.base(class, middle);
            let _ = write!(
                self.out,
                r#"<text x="{x:.1}" y="{y:.1}" class="{class}" textLength="{room:.1}" lengthAdjust="spacingAndGlyphs">{number}</text>"#
            );
        }
    }

    /// Draws a text of a CSS class centred at the point `[x, middle]`. Leaves it out if letters of readable height
    /// would be wider than `width`.
    fn within(&mut self, class: &str, [x, middle]: [f64; 2], text: &str, width: f64) {
        let height = self.letter_height(class);
        if height <= usual(class) || (height < CELL && self.width(class, text) < width + 6.0) {
            self.text(x, self.base(class, middle), class, text);
        }
    }

    fn grid(&mut self, grid: &PanelGrid) {
        let (rows, columns) = (grid.rows.len(), grid.columns.len());
        let names: Vec<String> = grid.labels.iter().map(|label| sentence_parts::label(label, self.watched)).collect();
        let named = self.widest(grid.labels.iter());
        let before = if grid.tapes_below.iter().any(|tape| tape.is_on_lines) { 10.0 + CELL / 2.0 } else { 10.0 };
        let under = self.widest(grid.tapes_below.iter().map(|tape| &tape.label)) + before;
        let left = (CELL + if named > 0.0 { named + 10.0 } else { 0.0 }).max(under);
        let top = self.head_height() + CELL;
        let at = |i: usize, j: usize| [left + CELL * j as f64, top + CELL * i as f64];
        for (j, head) in grid.columns.iter().enumerate() {
            let [x, _] = at(0, j);
            self.head(head, x + CELL / 2.0, top - 16.0);
        }
        for (i, head) in grid.rows.iter().enumerate() {
            let [_, y] = at(i, 0);
            self.head(head, left - CELL / 2.0, y + CELL / 2.0);
            if let Some(name) = names.get(i).filter(|_| self.letter_height("q") < CELL) {
                self.text(0.0, self.base("q", y + CELL / 2.0), "q", name);
            }
        }
        for i in 0..rows {
            for j in 0..columns {
                let [x, y] = at(i, j);
                self.cell(grid.cell(i, j), [x, y, CELL, CELL]);
            }
        }
        for link in &grid.links {
            let middle = |(i, j): (usize, usize)| at(i, j).map(|edge| edge + CELL / 2.0);
            let class = if link.mark == LensMark::Also { "go dash" } else { "go" };
            let ([x, y], [to_x, to_y]) = (middle(link.from), middle(link.to));
            // Arrows are between the values, not over them.
            let near = |from: f64, to: f64, share: f64| from + (to - from) * share;
            self.arrow(class, [near(x, to_x, 0.34), near(y, to_y, 0.34)], [near(x, to_x, 0.68), near(y, to_y, 0.68)]);
        }
        for rectangle in &grid.rectangles {
            self.rectangle(rectangle, at);
        }
        let mut below = top + CELL * rows as f64 + 12.0;
        for tape in &grid.tapes_below {
            let shift = if tape.is_on_lines { -CELL / 2.0 } else { 0.0 };
            self.tape(tape, left + shift, below, left + shift);
            below += CELL + 6.0;
        }
    }

    /// Draws `head`, the heading of a row or column of a grid, centred at the point (`x`, `middle`). A heading with
    /// marks is underlined.
    fn head(&mut self, head: &PanelCell, x: f64, middle: f64) {
        let shown = sentence_parts::shown(head.value, self.watched);
        let look = MarkStyle::of(head.marks);
        let class = if head.marks.is_empty() { "sym mid" } else { "sym mid strong p" };
        self.within(class, [x, middle], &shown, CELL);
        if !head.marks.is_empty() && look.fill != "idle" {
            let y = (self.base("sym", middle) + 5.0).min(middle + CELL / 2.0);
            self.line("go", [x - 8.0, y], [x + 8.0, y]);
        }
    }

    /// Draws a frame around a range of rows and columns of a grid. A frame without rows or without columns is a line,
    /// and one without both is a dot.
    ///
    /// `at` returns the point where the grid line above a row crosses the one on the left of a column, given the
    /// numbers of row and column.
    fn rectangle(&mut self, rectangle: &GridRectangle, at: impl Fn(usize, usize) -> [f64; 2]) {
        let ([x, y], [right, bottom]) = (at(rectangle.rows.start, rectangle.columns.start), at(rectangle.rows.end, rectangle.columns.end));
        let class = match rectangle.mark {
            LensMark::Open | LensMark::New | LensMark::Read => "now",
            LensMark::Path | LensMark::Found | LensMark::Chosen => "from",
            _ => "part",
        };
        match (rectangle.rows.is_empty(), rectangle.columns.is_empty()) {
            (true, true) => {
                let _ = write!(self.out, r#"<circle class="ink" cx="{x:.1}" cy="{y:.1}" r="5.5"/>"#);
            }
            (true, false) | (false, true) => self.line("cut", [x, y], [right, bottom]),
            (false, false) => {
                let inset = 1.5 + 2.0 * rectangle.depth.min(4) as f64;
                self.rect(class, [x + inset, y + inset, right - x - 2.0 * inset, bottom - y - 2.0 * inset]);
            }
        }
    }

    /// Draws a note that begins at `x`, with the middle of its letters at `middle`.
    fn note(&mut self, note: &LensSentence, x: f64, middle: f64) {
        let text = sentence_parts::plain(note, self.watched);
        self.text(x, self.base("q", middle), "q", &text);
    }
}
