//! The map of two collections: rows are texts of the first one, columns are texts of the second one ([`StripLayout`],
//! [`StripDrawing`]).

use std::fmt::Write as _;
use std::ops::Range;

use super::answer::ComparedTexts;
use super::map::{MIN_VALUE_CELL, MapColours, NearnessScale, value_in_cell};
use super::measure::Threshold;
use crate::model::text::humanize::grouped;
use crate::model::text::markup::escape;

/// Maximum height of the cells together, in pixels.
const MAX_HEIGHT: f64 = 480.0;

/// Maximum size of a cell, in pixels.
const MAX_CELL: [f64; 2] = [40.0, 22.0];

/// Minimum height of a row with its name, in pixels.
const MIN_NAMED_ROW: f64 = 11.0;

/// Width of a map below which rows have numbers instead of names, in pixels.
const MIN_NAMED_WIDTH: f64 = 600.0;

/// Widths of the names and of the numbers of rows, in pixels.
const ROW_HEADS: [f64; 2] = [150.0, 34.0];

/// Height of the numbers of columns, in pixels.
const NUMBERS: f64 = 22.0;

/// Maximum number of characters of a name.
const MAX_NAME: usize = 20;

/// Minimum distance between two numbers of columns, in pixels.
const MIN_NUMBER_DISTANCE: f64 = 56.0;

/// A row and a column of the map.
pub type StripCell = (usize, usize);

/// Rows or columns of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StripAxis {
    texts: usize,
    /// First pixel.
    start: f64,
    /// Size of a point, which is a cell or a block of cells.
    point: f64,
    /// Number of cells that share a point.
    block: usize,
}

impl StripAxis {
    fn new(texts: usize, start: f64, room: f64, most: f64) -> Self {
        let len = texts.max(1) as f64;
        let block = (len / room).ceil().max(1.0) as usize;
        let point = if block > 1 { 1.0 } else { (room / len).floor().clamp(1.0, most) };
        Self { texts, start, point, block }
    }

    fn points(self) -> usize {
        self.texts.div_ceil(self.block)
    }

    fn size(self) -> f64 {
        self.points() as f64 * self.point
    }

    fn cell(self) -> f64 {
        self.point / self.block as f64
    }

    fn at(self, place: usize) -> f64 {
        self.start + place as f64 * self.cell()
    }

    fn places(self, point: usize) -> Range<usize> {
        point * self.block..((point + 1) * self.block).min(self.texts)
    }

    fn place_at(self, pixel: f64) -> Option<usize> {
        let inside = (pixel - self.start) / self.cell();
        (inside >= 0.0 && inside < self.texts as f64).then_some(inside as usize)
    }
}

/// The places of the parts of a map of two collections, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StripLayout {
    rows: StripAxis,
    columns: StripAxis,
    pub has_names: bool,
    pub width: f64,
}

impl StripLayout {
    /// Lays out a map in `width` pixels.
    pub fn new(rows: usize, columns: usize, width: f64) -> Self {
        let rows = StripAxis::new(rows, NUMBERS, MAX_HEIGHT, MAX_CELL[1]);
        let has_names = width >= MIN_NAMED_WIDTH && rows.cell() >= MIN_NAMED_ROW;
        let left = ROW_HEADS[usize::from(!has_names)];
        let columns = StripAxis::new(columns, left, (width - left - 2.0).max(40.0), MAX_CELL[0]);
        Self { rows, columns, has_names, width }
    }

    /// Returns the left and the upper edge of the cells.
    pub fn start(&self) -> [f64; 2] {
        [self.columns.start, self.rows.start]
    }

    /// Returns the width and the height of the cells.
    pub fn size(&self) -> [f64; 2] {
        [self.columns.size(), self.rows.size()]
    }

    /// Returns the numbers of points in a row and in a column.
    pub fn points(&self) -> [usize; 2] {
        [self.columns.points(), self.rows.points()]
    }

    /// Returns the height of the whole drawing.
    pub fn height(&self) -> f64 {
        self.rows.start + self.rows.size() + 4.0
    }

    /// Returns the number of pairs of a point.
    pub fn pairs_of_point(&self) -> usize {
        self.rows.block * self.columns.block
    }

    /// Returns the cell at a point of the drawing. Returns `None` if the point is not on a cell.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<StripCell> {
        Some((self.rows.place_at(y)?, self.columns.place_at(x)?))
    }

    /// Returns the cell to which a key moves from the cell `at`. Returns `None` for other keys.
    pub fn moved(&self, key: &str, is_ctrl: bool, (row, column): StripCell) -> Option<StripCell> {
        let [rows, columns] = [self.rows.texts.checked_sub(1)?, self.columns.texts.checked_sub(1)?];
        let page = (self.columns.texts / 10).max(1);
        Some(match key {
            "ArrowUp" => (row.saturating_sub(1), column),
            "ArrowDown" => ((row + 1).min(rows), column),
            "ArrowLeft" => (row, column.saturating_sub(1)),
            "ArrowRight" => (row, (column + 1).min(columns)),
            "PageUp" => (row, column.saturating_sub(page)),
            "PageDown" => (row, (column + page).min(columns)),
            "Home" => (if is_ctrl { 0 } else { row }, 0),
            "End" => (if is_ctrl { rows } else { row }, columns),
            _ => return None,
        })
    }
}

/// The content of a map of two collections.
pub struct StripDrawing<'m> {
    pub texts: &'m ComparedTexts,
    /// Texts of the first collection in the order shown.
    pub rows: &'m [usize],
    /// Texts of the second collection in the order shown.
    pub columns: &'m [usize],
    pub layout: StripLayout,
    pub threshold: Threshold,
    pub scale: NearnessScale,
    /// Names of the texts by their numbers.
    pub names: &'m dyn Fn(usize) -> String,
}

impl StripDrawing<'_> {
    /// Returns the pixels, one for each point, in red, green, blue and opacity. A point of several cells has the colour of
    /// its nearest pair.
    pub fn pixels(&self, colours: &MapColours) -> Vec<u8> {
        let [columns, rows] = self.layout.points();
        let mut bytes = Vec::with_capacity(4 * rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let pairs =
                    self.layout.rows.places(row).flat_map(|row| self.layout.columns.places(column).map(move |column| (row, column)));
                let nearness = pairs.map(|(row, column)| self.nearness((row, column))).fold(f64::NEG_INFINITY, f64::max);
                let [red, green, blue] = colours.of(self.scale.share(nearness));
                bytes.extend([red, green, blue, 255]);
            }
        }
        bytes
    }

    fn nearness(&self, (row, column): StripCell) -> f64 {
        self.texts.nearness(self.rows[row], self.columns[column])
    }

    /// Returns the next or, if `is_back`, the previous alike pair after the cell `at`, row by row. Goes on at the other end.
    /// Returns `None` if no pair is alike.
    pub fn next_alike(&self, (row, column): StripCell, is_back: bool) -> Option<StripCell> {
        let (columns, cells) = (self.columns.len(), self.rows.len() * self.columns.len());
        let at = row * columns + column;
        (1..=cells)
            .map(|step| if is_back { (at + cells - step) % cells } else { (at + step) % cells })
            .map(|at| (at / columns, at % columns))
            .find(|&cell| self.nearness(cell) >= self.threshold.nearness())
    }

    /// Returns the drawing over the pixels as SVG elements: values, numbers and names.
    pub fn svg(&self) -> String {
        let (mut svg, layout) = (String::new(), &self.layout);
        let ([left, top], [width, height]) = (layout.start(), layout.size());
        let _ = write!(
            svg,
            r#"<rect class="edge" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}"/>"#,
            left - 0.5,
            top - 0.5,
            width + 1.0,
            height + 1.0
        );
        let has_values = layout.rows.point >= MIN_VALUE_CELL && layout.columns.point >= MIN_VALUE_CELL;
        for (row, column) in (0..self.rows.len()).flat_map(|row| (0..self.columns.len()).map(move |column| (row, column))) {
            if !has_values {
                break;
            }
            let nearness = self.nearness((row, column));
            if nearness >= self.threshold.nearness() {
                let step = (self.scale.share(nearness) * 8.0).round() as usize;
                let value = value_in_cell(self.texts, self.rows[row], self.columns[column]);
                let (x, y) = (layout.columns.at(column) + layout.columns.point / 2.0, layout.rows.at(row) + layout.rows.point / 2.0 + 4.0);
                let _ = write!(svg, r#"<text class="value h{step}" x="{x:.1}" y="{y:.1}">{value}</text>"#);
            }
        }
        let step = number_step(MIN_NUMBER_DISTANCE / layout.columns.cell());
        for column in (0..self.columns.len()).filter(|column| *column == 0 || (column + 1) % step == 0) {
            self.column_number(&mut svg, column, "");
        }
        let step = number_step(MIN_NAMED_ROW / layout.rows.cell());
        for row in (0..self.rows.len()).filter(|row| *row == 0 || (row + 1) % step == 0) {
            self.row_head(&mut svg, row, "");
        }
        svg
    }

    /// Returns the frame of the chosen cell with its number and name, as SVG elements.
    pub fn chosen(&self, (row, column): StripCell) -> String {
        if row >= self.rows.len() || column >= self.columns.len() {
            return String::new();
        }
        let (mut svg, layout) = (String::new(), &self.layout);
        let [width, height] = [layout.columns.cell(), layout.rows.cell()].map(|cell| cell.max(4.0) + 3.0);
        let x = layout.columns.at(column) + (layout.columns.cell() - width) / 2.0;
        let y = layout.rows.at(row) + (layout.rows.cell() - height) / 2.0;
        for class in ["halo", "chosen"] {
            let _ = write!(svg, r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#);
        }
        let (number, half) = (layout.columns.at(column) + layout.columns.cell() / 2.0, 24.0);
        let _ =
            write!(svg, r#"<rect class="ground" x="{:.1}" y="0" width="{:.1}" height="{:.1}"/>"#, number - half, 2.0 * half, NUMBERS - 4.0);
        self.column_number(&mut svg, column, " lit");
        let (middle, tall) = (layout.rows.at(row) + layout.rows.cell() / 2.0, layout.rows.cell().max(14.0));
        let _ = write!(
            svg,
            r#"<rect class="ground" x="0" y="{:.1}" width="{:.1}" height="{tall:.1}"/>"#,
            middle - tall / 2.0,
            layout.columns.start - 4.0
        );
        self.row_head(&mut svg, row, " lit");
        svg
    }

    fn column_number(&self, svg: &mut String, column: usize, class: &str) {
        let x = self.layout.columns.at(column) + self.layout.columns.cell() / 2.0;
        let _ = write!(
            svg,
            r#"<text class="name{class}" x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            NUMBERS - 7.0,
            grouped(column as u64 + 1)
        );
    }

    fn row_head(&self, svg: &mut String, row: usize, class: &str) {
        let y = self.layout.rows.at(row) + self.layout.rows.cell() / 2.0 + 4.0;
        let name = if self.layout.has_names { (self.names)(self.rows[row]) } else { grouped(row as u64 + 1) };
        let brief: String = name.chars().take(MAX_NAME).collect();
        let more = if brief.len() < name.len() { "…" } else { "" };
        let _ = write!(
            svg,
            r#"<text class="name{class}" x="{:.1}" y="{y:.1}" text-anchor="end">{}{more}</text>"#,
            self.layout.columns.start - 8.0,
            escape(&brief)
        );
    }
}

/// Returns a round number that is not below `least`.
fn number_step(least: f64) -> usize {
    let all = (0..8).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
    all.into_iter().find(|&step| step as f64 >= least).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::compared_two;
    use super::super::measure::Measure;
    use super::*;

    #[test]
    fn cells_fill_the_width_and_share_points_if_there_are_many() {
        let few = StripLayout::new(3, 5, 900.0);
        assert_eq!((few.points(), few.size(), few.has_names, few.pairs_of_point()), ([5, 3], [200.0, 66.0], true, 1));
        let many = StripLayout::new(24, 2_000, 900.0);
        assert!(many.size()[0] <= 750.0 && many.has_names && many.pairs_of_point() == 3, "{many:?}");
        let phone = StripLayout::new(2_000, 3, 358.0);
        assert!(!phone.has_names && phone.size()[1] <= MAX_HEIGHT && phone.start()[0] + phone.size()[0] <= 358.0, "{phone:?}");
        for layout in [few, many, phone] {
            let [left, top] = layout.start();
            assert_eq!((layout.cell_at(left, top), layout.cell_at(left - 1.0, top)), (Some((0, 0)), None));
        }
    }

    #[test]
    fn keys_move_within_both_sides() {
        let layout = StripLayout::new(3, 50, 900.0);
        let rows =
            [("ArrowDown", (2, 7)), ("ArrowUp", (0, 7)), ("PageDown", (1, 12)), ("End", (1, 49)), ("Home", (1, 0)), ("ArrowLeft", (1, 6))];
        for (key, expected) in rows {
            assert_eq!(layout.moved(key, false, (1, 7)), Some(expected), "{key}");
        }
        assert_eq!((layout.moved("End", true, (1, 7)), layout.moved("x", false, (1, 7))), (Some((2, 49)), None));
        assert_eq!(StripLayout::new(0, 5, 900.0).moved("End", false, (0, 0)), None);
    }

    #[test]
    fn drawing_has_values_names_and_the_chosen_cell() {
        let texts = compared_two(&["kitten", "<b>"], &["mitten", "kitten", "sitting"], Measure::Edits);
        let layout = StripLayout::new(2, 3, 900.0);
        let names = |text: usize| texts.report.members[text].name.clone();
        let scale = NearnessScale::new(Measure::Edits, 4, 0);
        let drawing = StripDrawing {
            texts: &texts,
            rows: &[0, 1],
            columns: &[3, 2, 4],
            layout,
            threshold: Threshold::Edits(1),
            scale,
            names: &names,
        };
        let svg = drawing.svg();
        assert!(
            svg.contains("&lt;b&gt;") && svg.contains(">kitten</text>") && svg.contains(">=</text>") && svg.contains(">1</text>"),
            "{svg}"
        );
        assert_eq!(svg.matches("class=\"value").count(), 2, "{svg}");
        assert_eq!((drawing.next_alike((0, 0), false), drawing.next_alike((0, 0), true)), (Some((0, 1)), Some((0, 1))));
        assert!(drawing.chosen((0, 1)).contains(r#"class="chosen""#) && drawing.chosen((2, 0)).is_empty());
        let mut colours = MapColours::default();
        (0..9).for_each(|step| colours.steps[step] = [10 * step as u8; 3]);
        let red: Vec<u8> = drawing.pixels(&colours).iter().step_by(4).copied().collect();
        assert_eq!(red, [80, 60, 20, 0, 0, 0]);
    }

    #[test]
    fn numbers_of_columns_are_round() {
        assert_eq!([0.3, 1.0, 1.2, 3.0, 11.0, 51.0].map(number_step), [1, 1, 2, 5, 20, 100]);
    }
}
