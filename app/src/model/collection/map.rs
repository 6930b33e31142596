//! The heat map of a collection: its layout ([`MapLayout`]), keys ([`moved`]), pixels ([`pixels`]) and the drawing over
//! them ([`drawing`]).
//!
//! Rows and columns are the same texts in the same order. A *place* is a position in this order.

use super::answer::ComparedTexts;
use super::choices::RowOrder;
use super::measure::{Measure, Threshold, per_mille};
use crate::model::text::humanize::signed;

pub mod drawing;

/// Maximum size of a cell, in pixels.
const MAX_CELL: f64 = 40.0;

/// Maximum width of the cells together, in pixels.
const MAX_SIZE: f64 = 760.0;

/// Minimum size of a cell that has a line of paper around it, in pixels.
pub const MIN_LINED_CELL: f64 = 15.0;

/// Minimum size of a cell with its value, in pixels.
pub(super) const MIN_VALUE_CELL: f64 = 17.0;

/// Minimum size of a row with its name, in pixels.
const MIN_NAMED_ROW: f64 = 11.0;

/// Width of a map below which there are neither names nor a tree, in pixels.
const MIN_NAMED_WIDTH: f64 = 600.0;

/// Width of the tree, in pixels.
const TREE: f64 = 96.0;

/// Width of the names, in pixels.
const NAMES: f64 = 176.0;

/// Height of the numbers of columns, and width of the numbers of rows, in pixels.
const NUMBERS: f64 = 22.0;

/// Maximum number of texts whose tree is drawn.
const MAX_TREE: usize = 2_000;

/// The square part of the map that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapWindow {
    /// First row.
    pub row: usize,
    /// First column.
    pub column: usize,
    /// Number of rows and of columns.
    pub len: usize,
}

impl MapWindow {
    /// Returns the window of all `texts`.
    pub fn all(texts: usize) -> Self {
        Self { row: 0, column: 0, len: texts }
    }

    /// Returns the window of at most `len` of `texts` around a cell.
    pub fn around((row, column): (usize, usize), len: usize, texts: usize) -> Self {
        let len = len.clamp(1, texts.max(1)).min(texts.max(1));
        let first = |at: usize| at.saturating_sub(len / 2).min(texts.saturating_sub(len));
        Self { row: first(row), column: first(column), len }
    }

    /// Returns the window, moved as little as possible so that it has a cell.
    pub fn with(self, (row, column): (usize, usize)) -> Self {
        let first = |from: usize, at: usize| from.min(at).max((at + 1).saturating_sub(self.len));
        Self { row: first(self.row, row), column: first(self.column, column), ..self }
    }
}

/// The places of the parts of a map, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapLayout {
    pub window: MapWindow,
    /// Left edge of the cells.
    pub left: f64,
    /// Upper edge of the cells.
    pub top: f64,
    /// Size of a point, which is a cell or a block of cells.
    pub point: f64,
    /// Number of rows and of columns of a block of cells that share a point.
    pub block: usize,
    pub has_tree: bool,
    pub has_names: bool,
    /// Width of the whole drawing.
    pub width: f64,
}

impl MapLayout {
    /// Lays out the part `window` of a map of `texts` in `width` pixels.
    pub fn new(texts: usize, window: MapWindow, order: RowOrder, width: f64) -> Self {
        let is_wide = width >= MIN_NAMED_WIDTH;
        let has_tree = is_wide && order == RowOrder::Tree && window.len == texts && (2..=MAX_TREE).contains(&texts);
        let left = if has_tree { TREE + 8.0 } else { NUMBERS + 8.0 };
        let room = |right: f64| (width - left - right).clamp(60.0, MAX_SIZE);
        let len = window.len.max(1) as f64;
        let has_names = is_wide && (room(NAMES) / len).floor() >= MIN_NAMED_ROW;
        let room = room(if has_names { NAMES } else { 12.0 });
        let block = (len / room).ceil().max(1.0) as usize;
        let point = if block > 1 { 1.0 } else { (room / len).floor().clamp(1.0, MAX_CELL) };
        Self { window, left, top: NUMBERS, point, block, has_tree, has_names, width }
    }

    /// Returns the number of points in a row.
    pub fn points(&self) -> usize {
        self.window.len.div_ceil(self.block)
    }

    /// Returns the width and height of all cells.
    pub fn size(&self) -> f64 {
        self.points() as f64 * self.point
    }

    /// Returns the height of the whole drawing.
    pub fn height(&self) -> f64 {
        self.top + self.size() + 4.0
    }

    /// Returns the width of a cell.
    fn cell(&self) -> f64 {
        self.point / self.block as f64
    }

    /// Returns the left edge of a column.
    fn x(&self, column: usize) -> f64 {
        self.left + (column as f64 - self.window.column as f64) * self.cell()
    }

    /// Returns the upper edge of a row.
    fn y(&self, row: usize) -> f64 {
        self.top + (row as f64 - self.window.row as f64) * self.cell()
    }

    /// Returns the cell nearest to a point of the drawing. Returns `None` if the point is not on a cell.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let place = |at: f64, from: f64, first: usize| {
            let inside = (at - from) / self.cell();
            (inside >= 0.0 && inside < self.window.len as f64).then_some(first + inside as usize)
        };
        Some((place(y, self.top, self.window.row)?, place(x, self.left, self.window.column)?))
    }
}

/// Returns the place to which a key moves from the chosen cell `at` of `texts`. Returns `None` for other keys.
pub fn moved(key: &str, is_ctrl: bool, (row, column): (usize, usize), texts: usize) -> Option<(usize, usize)> {
    let last = texts.checked_sub(1)?;
    let page = (texts / 10).max(1);
    Some(match key {
        "ArrowUp" => (row.saturating_sub(1), column),
        "ArrowDown" => ((row + 1).min(last), column),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowRight" => (row, (column + 1).min(last)),
        "PageUp" => (row.saturating_sub(page), column),
        "PageDown" => ((row + page).min(last), column),
        "Home" => (if is_ctrl { 0 } else { row }, 0),
        "End" => (if is_ctrl { last } else { row }, last),
        _ => return None,
    })
}

/// Returns the next or, if `is_back`, the previous alike pair after the chosen cell, row by row above the diagonal. Goes
/// on at the other end. Returns `None` if no pair is alike.
pub fn next_alike(
    texts: &ComparedTexts,
    rows: &[usize],
    threshold: Threshold,
    (row, column): (usize, usize),
    is_back: bool,
) -> Option<(usize, usize)> {
    let all = rows.len();
    let least = threshold.nearness();
    let at = row.min(column) * all + row.max(column);
    let cells = all * all;
    (1..=cells)
        .map(|step| if is_back { (at + cells - step) % cells } else { (at + step) % cells })
        .map(|at| (at / all, at % all))
        .find(|&(row, column)| row < column && texts.nearness(rows[row], rows[column]) >= least)
}

/// The colours of a map: nine steps from far to equal, and the colour of a text with itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapColours {
    pub steps: [[u8; 3]; 9],
    pub itself: [u8; 3],
}

impl MapColours {
    /// Returns the colour of a share from 0 to 1, between the two nearest steps.
    pub(super) fn of(&self, share: f64) -> [u8; 3] {
        let at = share.clamp(0.0, 1.0) * 8.0;
        let (from, part) = ((at.floor() as usize).min(7), at - at.floor().min(7.0));
        let [from, to] = [self.steps[from], self.steps[from + 1]];
        std::array::from_fn(|channel| (f64::from(from[channel]) + part * (f64::from(to[channel]) - f64::from(from[channel]))).round() as u8)
    }
}

/// The scale of nearness in a map: similarity as it is, edits up to the median of all pairs, or points from the median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearnessScale {
    measure: Measure,
    /// Number of edits or points that counts as far.
    pub far: i32,
    /// Points that count as near.
    pub near: i32,
}

impl NearnessScale {
    /// Creates the scale for a measure. `median` is the value below which half of the pairs are, and `most` the largest
    /// points.
    pub fn new(measure: Measure, median: i32, most: i32) -> Self {
        match measure {
            Measure::Points => Self { measure, far: median.min(most.saturating_sub(1)), near: most },
            Measure::Similarity | Measure::LcsRatio | Measure::Edits => Self { measure, far: median.max(1), near: 0 },
        }
    }

    /// Returns a nearness as a share from 0 (far) to 1 (equal).
    pub fn share(&self, nearness: f64) -> f64 {
        match self.measure {
            Measure::Similarity | Measure::LcsRatio => nearness,
            Measure::Edits => (1.0 + nearness / f64::from(self.far)).max(0.0),
            Measure::Points => ((nearness - f64::from(self.far)) / (f64::from(self.near) - f64::from(self.far))).max(0.0),
        }
    }
}

/// Returns the pixels of a map, one for each point, in red, green, blue and opacity. A point of several cells has the
/// colour of its nearest pair.
pub fn pixels(texts: &ComparedTexts, rows: &[usize], layout: &MapLayout, scale: NearnessScale, colours: &MapColours) -> Vec<u8> {
    let (points, window) = (layout.points(), layout.window);
    let mut bytes = Vec::with_capacity(4 * points * points);
    let places = |point: usize, first: usize| first + point * layout.block..first + ((point + 1) * layout.block).min(window.len);
    for point_row in 0..points {
        for point_column in 0..points {
            let mut nearest = None::<f64>;
            for row in places(point_row, window.row) {
                for column in places(point_column, window.column) {
                    if row != column {
                        let nearness = texts.nearness(rows[row], rows[column]);
                        nearest = Some(nearest.map_or(nearness, |nearest| nearest.max(nearness)));
                    }
                }
            }
            let colour = nearest.map_or(colours.itself, |nearness| colours.of(scale.share(nearness)));
            bytes.extend([colour[0], colour[1], colour[2], 255]);
        }
    }
    bytes
}

/// Returns the value of a pair in its cell: whole per cent or edits, `=` for equal texts, or points.
pub(super) fn value_in_cell(texts: &ComparedTexts, a: usize, b: usize) -> String {
    if texts.form.measure != Measure::Points && texts.is_equal(a, b) {
        return "=".into();
    }
    match texts.form.measure {
        Measure::Similarity | Measure::LcsRatio => (per_mille(texts.similarity(a, b)) / 10).to_string(),
        Measure::Edits => texts.score(a, b).to_string(),
        Measure::Points => signed(texts.points(a, b)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::compared;
    use super::*;

    #[test]
    fn cells_fill_the_room_in_whole_pixels() {
        let layout = MapLayout::new(30, MapWindow::all(30), RowOrder::Tree, 900.0);
        assert!(layout.has_tree && layout.has_names && layout.block == 1);
        assert_eq!((layout.point, layout.size()), (20.0, 600.0));
        let phone = MapLayout::new(30, MapWindow::all(30), RowOrder::Tree, 358.0);
        assert!(!phone.has_tree && !phone.has_names && phone.left + phone.size() <= 358.0, "{phone:?}");
        let large = MapLayout::new(5_000, MapWindow::all(5_000), RowOrder::Tree, 900.0);
        assert!(large.block > 1 && large.size() <= MAX_SIZE && !large.has_tree, "{large:?}");
        assert_eq!(MapLayout::new(2, MapWindow::all(2), RowOrder::Given, 900.0).point, MAX_CELL);
    }

    #[test]
    fn pointer_and_keys_choose_cells() {
        let layout = MapLayout::new(30, MapWindow { row: 10, column: 5, len: 10 }, RowOrder::Given, 358.0);
        let at = |row: usize, column: usize| (layout.x(column) + 1.0, layout.y(row) + 1.0);
        for cell in [(10, 5), (19, 14), (12, 9)] {
            let (x, y) = at(cell.0, cell.1);
            assert_eq!(layout.cell_at(x, y), Some(cell));
        }
        assert_eq!(layout.cell_at(layout.left - 1.0, layout.top), None);
        assert_eq!(layout.cell_at(layout.left + layout.size(), layout.top), None);
        let keys = [("ArrowRight", (0, 2)), ("ArrowUp", (0, 1)), ("PageDown", (3, 1)), ("End", (0, 29)), ("Home", (0, 0))];
        for (key, expected) in keys {
            assert_eq!(moved(key, false, (0, 1), 30), Some(expected), "{key}");
        }
        assert_eq!((moved("End", true, (0, 1), 30), moved("x", false, (0, 1), 30)), (Some((29, 29)), None));
        assert_eq!(moved("End", true, (0, 0), 0), None);
    }

    #[test]
    fn window_follows_the_chosen_cell() {
        let window = MapWindow::around((29, 0), 10, 30);
        assert_eq!(window, MapWindow { row: 20, column: 0, len: 10 });
        assert_eq!(window.with((19, 10)), MapWindow { row: 19, column: 1, len: 10 });
        assert_eq!(window.with((25, 5)), window);
        assert_eq!(MapWindow::around((0, 0), 50, 3), MapWindow::all(3));
    }

    #[test]
    fn next_alike_pair_is_found_in_both_directions() {
        let texts = compared(&["aaaa", "aaab", "xxxx", "xxxy"], Measure::Edits);
        let rows = texts.rows(RowOrder::Given);
        let next = |at, is_back| next_alike(&texts, &rows, Threshold::Edits(1), at, is_back);
        assert_eq!((next((0, 0), false), next((0, 1), false), next((2, 3), false)), (Some((0, 1)), Some((2, 3)), Some((0, 1))));
        assert_eq!((next((0, 1), true), next((1, 0), false)), (Some((2, 3)), Some((2, 3))));
        assert_eq!(next_alike(&texts, &rows, Threshold::Edits(0), (0, 0), false), None);
    }

    #[test]
    fn colours_follow_the_nearest_pair_of_a_point() {
        let texts = compared(&["aaaa", "aaaa", "aabb"], Measure::Similarity);
        let mut colours = MapColours { itself: [9, 9, 9], ..MapColours::default() };
        (0..9).for_each(|step| colours.steps[step] = [10 * step as u8; 3]);
        let scale = NearnessScale::new(Measure::Similarity, 0, 0);
        let layout = MapLayout::new(3, MapWindow::all(3), RowOrder::Given, 400.0);
        let image = pixels(&texts, &texts.rows(RowOrder::Given), &layout, scale, &colours);
        let red: Vec<u8> = image.iter().step_by(4).copied().collect();
        assert_eq!(red, [9, 80, 40, 80, 9, 40, 40, 40, 9]);
        let coarse = MapLayout { block: 2, ..layout };
        let image = pixels(&texts, &texts.rows(RowOrder::Given), &coarse, scale, &colours);
        assert_eq!(image.iter().step_by(4).copied().collect::<Vec<u8>>(), [80, 40, 40, 9]);
        let points = NearnessScale::new(Measure::Points, -4, 4);
        assert_eq!([4.0, 0.0, -4.0, -9.0].map(|nearness| points.share(nearness)), [1.0, 0.5, 0.0, 0.0]);
        let edits = NearnessScale::new(Measure::Edits, 4, 9);
        assert_eq!([0.0, -1.0, -4.0, -9.0].map(|nearness| edits.share(nearness)), [1.0, 0.75, 0.0, 0.0]);
    }
}
