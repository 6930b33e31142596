//! The virtual scroller of an alignment, [`AlignmentScroller`]. It draws only the visible rows, and fetches only the
//! windows (blocks of rows) around them. Its state has the visible items, the loaded windows and the width of a row.

use std::collections::HashMap;
use std::sync::Arc;

use explain::difference_filter::{DifferencePosition, DifferenceQuery, EditKinds};
use explain::worker_protocol::query::{ColumnQuery, WindowQuery};
use kernels::alignment::AlignmentSummary;
use kernels::alignment::PairSide;
use kernels::job::{Points, ScoringMatrix, Unit};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::HtmlElement;

use crate::backend::latest::RequestCounter;
use crate::model::alignment::layout::{RowHeights, ScrollItem, ScrollLayout};
use crate::model::alignment::rows::AlignmentRow;
use crate::model::run::location::ResultLocation;
use crate::page::view_state::SettingLifetime;
use crate::page::{Page, ShownResult};
use crate::view::browser::resized::on_resize;
use crate::view::explore::alignment::MAX_LARGE_CELL_COLUMNS;
use crate::view::explore::alignment::row_decor::RowDecor;
use crate::view::explore::alignment::similar::rows_with_similar;
use crate::view::widgets::viewport::Viewport;

#[cfg(test)]
mod tests;

/// Number of rows in a window, which is the block of rows that one request fetches. It is small, so that decoding a
/// window takes less than an animation frame.
pub(super) const WINDOW_ROWS: u64 = 16;

/// Maximum number of cached windows (blocks of rows). The visible part with its surroundings needs about ten.
const WINDOWS: usize = 128;

/// Height above and below the visible part within which windows (blocks of rows) are fetched in advance, in pixels.
/// During quick scrolling, rows are then loaded before they become visible.
const AHEAD: f64 = 3_000.0;

/// Time without scrolling after which the view is regarded as at rest, in milliseconds.
const REST_MS: i32 = 100;

/// Height above and below the visible part within which rows are drawn in advance, in pixels.
const MARGIN: f64 = 300.0;

/// The fetched windows (blocks of [`WINDOW_ROWS`] rows), by number. Each has its rows and the logical time at which it
/// was last visible.
#[derive(Clone, Debug, Default)]
pub struct RowWindows {
    rows: HashMap<u64, (u64, Vec<Arc<AlignmentRow>>)>,
    requested_windows: Vec<u64>,
    time: u64,
}

/// State of the view of an alignment: rows, folds, visible part and loaded windows. Copies share one state.
#[derive(Clone, Copy)]
pub struct AlignmentScroller {
    /// Summary of the alignment.
    pub summary: AlignmentSummary,
    /// Number of alignment columns in a row; 0 until it is measured.
    pub width: RwSignal<u64>,
    /// Width of a cell, which shows one symbol, in letters of the font.
    pub cell: RwSignal<u8>,
    /// Whether rows without differences are folded (hidden behind a placeholder).
    pub fold: RwSignal<bool>,
    /// The current difference: its number among the differences with an edit of `kinds`, and the column of the chosen
    /// edit.
    pub current: RwSignal<Option<DifferencePosition>>,
    /// The column that the visitor went to by a number.
    pub spot: RwSignal<Option<u64>>,
    /// Kinds of edits that are listed and stepped through.
    pub kinds: RwSignal<EditKinds>,
    /// Positions of all rows in the scroll area.
    pub layout: Memo<Arc<ScrollLayout>>,
    /// The visible items of the scroll area: rows, and placeholders of folded rows.
    pub in_view: Memo<Arc<Vec<ScrollItem>>>,
    /// The windows (blocks of rows) that are loaded.
    pub windows: RwSignal<RowWindows>,
    /// The first visible column, updated when the visitor stops scrolling.
    top: RwSignal<u64>,
    /// Whether the view will still scroll to the rows that were visible in the previous result. Set to `false` when the
    /// visitor scrolls.
    returns: StoredValue<bool>,
    /// Whether the visitor is not scrolling. Views beside the rows are updated only then.
    pub rests: RwSignal<bool>,
    moved: RequestCounter,
    location: StoredValue<ResultLocation>,
    unit: Unit,
    /// The matrix of points, by which pairs of different symbols may be similar.
    pub matrix: StoredValue<Option<ScoringMatrix>>,
    /// Whether rows have room for the points of their columns.
    pub has_points: RwSignal<bool>,
    /// Points of equal, similar, different, inserted and deleted columns, when they are known.
    pub kind_points: RwSignal<Option<[Points; 5]>>,
    /// Additions to the rows, when their code has arrived.
    pub decor: RwSignal<Option<RowDecor>>,
    heights: RwSignal<RowHeights>,
    /// The number of columns per row for which rows were requested, and the numbers of the rows with a difference.
    different: RwSignal<Option<(u64, Arc<Vec<u32>>)>>,
    /// The element in which the rows scroll.
    pub viewport: Viewport,
}

impl AlignmentScroller {
    /// Creates the state for the alignment of the result `shown`; `summary` has the alignment's numbers of columns.
    pub fn new(shown: &ShownResult, summary: AlignmentSummary, page: Page) -> Self {
        let width = RwSignal::new(0u64);
        // If all rows are equal, hiding them would leave nothing.
        let fold = match summary.differences {
            0 => RwSignal::new(false),
            _ => page.stored_setting(SettingLifetime::Always, "alignment-fold", true, |fold| fold),
        };
        let top = match shown.location {
            ResultLocation::Here(_) | ResultLocation::Job(_) | ResultLocation::Link(_) => {
                page.stored_setting(SettingLifetime::WithTexts, "alignment-top", 0, |top| top)
            }
            // Each hit has another alignment, so that its scroll position is not remembered.
            ResultLocation::Hit(..) | ResultLocation::Offset(..) => RwSignal::new(0),
        };
        let heights = RwSignal::new(RowHeights { row: 105.0, fold: 44.0 });
        let different: RwSignal<Option<(u64, Arc<Vec<u32>>)>> = RwSignal::new(None);
        let viewport = Viewport::new();
        let layout = Memo::new(move |_| {
            let (width, heights) = (width.get(), heights.get());
            let count = if width == 0 { 0 } else { summary.columns.div_ceil(width) };
            let folded = fold.get().then(|| different.get()).flatten().filter(|(of, _)| *of == width);
            Arc::new(match folded {
                Some((_, rows)) => ScrollLayout::folded(count, &rows, heights),
                None => ScrollLayout::open(count, heights),
            })
        });
        let in_view = Memo::new(move |_| {
            let (scroll, height) = viewport.sight();
            let placed = layout.with(|layout| layout.visible(scroll, height, MARGIN));
            Arc::new(placed.into_iter().map(|placed| placed.item).collect::<Vec<_>>())
        });
        Self {
            summary,
            width,
            cell: RwSignal::new(1),
            fold,
            current: RwSignal::new(None),
            spot: RwSignal::new(None),
            kinds: page.kinds,
            top,
            returns: StoredValue::new(top.get_untracked() > 0),
            layout,
            in_view,
            windows: RwSignal::new(RowWindows::default()),
            rests: RwSignal::new(true),
            moved: RequestCounter::new(),
            location: StoredValue::new(shown.location.clone()),
            unit: shown.form.options.unit,
            matrix: StoredValue::new(shown.form.job_options().matrix),
            has_points: RwSignal::new(false),
            kind_points: RwSignal::new(None),
            decor: RwSignal::new(None),
            heights,
            different,
            viewport,
        }
    }

    /// Returns the location of the result: browser or server, and its id.
    pub fn location(&self) -> ResultLocation {
        self.location.get_value()
    }

    /// Returns whether the alignment has so few columns that each symbol is drawn as a large cell.
    pub fn is_few(&self) -> bool {
        self.summary.columns <= MAX_LARGE_CELL_COLUMNS && !matches!(self.unit, Unit::Words | Unit::Lines)
    }

    /// Connects the state with the drawn scroll area: measures the area whenever its size changes, and fetches visible
    /// windows that are not loaded.
    pub fn attach(self) {
        let this = self;
        on_resize(self.viewport.area, move |_| this.measure());
        // Rows without differences fold as soon as their numbers are known, and the rows below them move.
        Effect::new(move |_| {
            this.layout.track();
            let width = this.width.get_untracked();
            if width > 0 && this.returns.get_value() {
                let folds = this.different.with_untracked(|different| different.as_ref().is_some_and(|(of, _)| *of == width));
                this.returns.set_value(!folds);
                let row = this.top.get_untracked() / width;
                request_animation_frame(move || this.return_to(row));
            }
        });
        Effect::new(move |_| {
            let width = this.width.get();
            this.in_view.track();
            if width > 0 {
                let (scroll, height) = untrack(|| this.viewport.sight());
                let placed = this.layout.with(|layout| layout.visible(scroll, height, AHEAD));
                this.fetch(width, placed.into_iter().map(|placed| placed.item));
            }
        });
    }

    /// Returns the distance from the top of the scrolled content at which `item` is drawn, in pixels.
    pub fn top(&self, item: ScrollItem) -> f64 {
        let (scroll, height) = self.viewport.sight();
        self.layout.with(|layout| layout.top(item, scroll, height))
    }

    /// Handles a scroll event of the area.
    pub fn scrolled(&self) {
        if self.viewport.scrolled() {
            self.mark_moving();
        }
    }

    /// Marks the view as scrolling until it has not been scrolled for [`REST_MS`].
    fn mark_moving(self) {
        if self.rests.get_untracked() {
            self.rests.set(false);
        }
        spawn_local(async move {
            if self.moved.debounce(REST_MS).await.is_some() {
                self.rests.try_set(true);
                if self.returns.try_get_value() == Some(false) {
                    self.top.try_set(untrack(|| self.columns_in_view()).0);
                }
            }
        });
    }

    /// Returns the visible columns as a half-open range: the first visible column, and the column after the last one.
    pub fn columns_in_view(&self) -> (u64, u64) {
        let width = self.width.get();
        let (scroll, height) = self.viewport.sight();
        let placed = self.layout.with(|layout| layout.visible(scroll, height, 0.0));
        let first = placed.first().map_or(0, |placed| placed.item.first());
        let last = placed.last().map_or(0, |placed| placed.item.end());
        (first * width, (last * width).min(self.summary.columns))
    }

    /// Returns the visible rows that are loaded.
    pub fn rows_in_view(&self) -> Vec<Arc<AlignmentRow>> {
        let (scroll, height) = self.viewport.sight();
        let placed = self.layout.with(|layout| layout.visible(scroll, height, 0.0));
        placed.iter().filter_map(|placed| if let ScrollItem::Row(row) = placed.item { self.row(row) } else { None }).collect()
    }

    /// Returns the row with number `row` if its window is loaded.
    pub fn row(&self, row: u64) -> Option<Arc<AlignmentRow>> {
        self.windows.with(|windows| {
            let (_, rows) = windows.rows.get(&(row / WINDOW_ROWS))?;
            rows.get((row % WINDOW_ROWS) as usize).cloned()
        })
    }

    /// Returns whether some rows have differences and some have none. Otherwise, folding makes no sense.
    pub fn has_equal_rows(&self) -> bool {
        let rows = self.summary.columns.div_ceil(self.width.get().max(1));
        self.different
            .with(|different| different.as_ref().is_some_and(|(_, rows_apart)| (rows_apart.len() as u64) < rows && !rows_apart.is_empty()))
    }

    /// Folds rows without differences, or unfolds them if they are folded. The first visible columns stay visible.
    pub fn toggle_fold(&self) {
        let column = untrack(|| self.columns_in_view()).0;
        self.fold.update(|fold| *fold = !*fold);
        self.scroll_soon(column);
    }

    /// Scrolls to `column` in the next animation frame, when the area has its new height. Until then, browsers would
    /// not scroll beyond the old end of the area.
    fn scroll_soon(self, column: u64) {
        request_animation_frame(move || {
            if self.width.try_get_untracked().is_some() {
                self.scroll_to(column);
            }
        });
    }

    /// Goes `by` differences of the selected kinds forward from the current one, or back if `by` is negative. Starts
    /// from the visible columns if the current difference is not visible.
    pub fn step(&self, by: i64) {
        let (from, end) = untrack(|| self.columns_in_view());
        let of =
            |place: DifferencePosition| DifferenceQuery::Number(place.number.saturating_add_signed(by).min(place.of.saturating_sub(1)));
        match self.current.get_untracked() {
            Some(place) if (from..end).contains(&place.column) => self.visit(of(place), None),
            _ => {
                let (this, at, kinds) = (*self, self.location(), self.kinds.get_untracked());
                spawn_local(async move {
                    if let Ok(Some(place)) = at.find_difference(kinds, DifferenceQuery::At(from)).await {
                        this.visit(DifferenceQuery::Number(adjacent_difference(place, from, by)), None);
                    }
                });
            }
        }
    }

    /// Scrolls to `column` without marking it.
    pub fn go_to(&self, column: u64) {
        self.scroll_to(column.min(self.summary.columns.saturating_sub(1)));
        self.viewport.bring_into_view();
    }

    /// Scrolls to `column` and marks it.
    pub fn go_to_column(&self, column: u64) {
        self.spot.set(Some(column));
        self.go_to(column);
    }

    /// Scrolls to the column of the symbol at `position` of the text `side`, and marks the column.
    pub fn go_to_symbol(&self, side: PairSide, position: u64) {
        let (this, at) = (*self, self.location());
        spawn_local(async move {
            if let Ok(column) = at.query(ColumnQuery { side, position }).await {
                this.go_to_column(column);
            }
        });
    }

    /// Gives the focus to the scroll area and scrolls the page to it.
    pub fn focus(&self) {
        if let Some(area) = self.viewport.element() {
            let _ = area.focus();
        }
    }

    /// Makes the edit that begins at `column` the current one and scrolls to it.
    pub fn choose(&self, column: u64) {
        self.visit(DifferenceQuery::At(column), Some(column));
    }

    /// Updates the number of the current difference after a change of the selected kinds, and scrolls to the
    /// difference.
    pub fn recount(&self) {
        if let Some(place) = self.current.get_untracked() {
            self.current.set(None);
            self.visit(DifferenceQuery::At(place.column), None);
        }
    }

    fn visit(&self, which: DifferenceQuery, chosen: Option<u64>) {
        let (this, at) = (*self, self.location());
        let kinds = self.kinds.get_untracked();
        spawn_local(async move {
            if let Ok(Some(place)) = at.find_difference(kinds, which).await {
                let column = chosen.unwrap_or(place.column);
                this.current.set(Some(DifferencePosition { column, ..place }));
                this.scroll_to(column);
                this.viewport.bring_into_view();
            }
        });
    }

    /// Scrolls so that `row` is the first visible one, as in the previous result.
    fn return_to(self, row: u64) {
        let Some(layout) = self.layout.try_get_untracked() else { return };
        let (_, height) = untrack(|| self.viewport.sight());
        // With one pixel less, the row above would be visible.
        if self.viewport.scroll_to(layout.scroll_to_top(row, height).ceil()) {
            self.mark_moving();
        }
    }

    fn scroll_to(&self, column: u64) {
        let width = self.width.get_untracked().max(1);
        let (_, height) = untrack(|| self.viewport.sight());
        let to = self.layout.with_untracked(|layout| layout.scroll_to(column / width, height));
        if self.viewport.scroll_to(to) {
            self.mark_moving();
        }
    }

    /// Measures how many columns fit into a row, and how high rows are.
    pub(super) fn measure(self) {
        let Some(area) = self.viewport.element() else { return };
        let Some(probe) = ScreenSizes::of(&area) else { return };
        let width = match self.unit {
            Unit::Bytes | Unit::Chars | Unit::Graphemes if self.is_few() => {
                // Cells are as large as the area allows, but never too small to be read.
                let fit = ((f64::from(area.client_width()) - probe.side_width) / probe.min_cell_width) as u64;
                fit.clamp(1, self.summary.columns.max(1))
            }
            Unit::Bytes | Unit::Chars | Unit::Graphemes => {
                let fit =
                    ((f64::from(area.client_width()) - probe.side_width) / (probe.letter * f64::from(self.cell.get_untracked()))) as u64;
                (fit / 10 * 10).clamp(10, 100)
            }
            Unit::Words => ((f64::from(area.client_width()) / probe.letter) as u64 / 16).clamp(3, 12),
            Unit::Lines => 1,
        };
        self.heights.set(probe.heights);
        self.viewport.measure();
        if self.width.get_untracked() != width {
            let column = if self.width.get_untracked() == 0 { 0 } else { untrack(|| self.columns_in_view().0) };
            self.windows.set(RowWindows::default());
            // Rows of the new width fold a moment later, when the rows without differences are known.
            if column > 0 && self.fold.get_untracked() {
                self.top.set(column);
                self.returns.set_value(true);
            }
            self.width.set(width);
            self.ask_for_rows(width);
            self.scroll_soon(column);
        }
    }

    /// Requests the numbers of the rows with a difference, for rows of `width` columns; folding needs them. Called
    /// again when a copy of the server's alignment has arrived.
    pub fn ask_for_rows(self, width: u64) {
        let at = self.location();
        spawn_local(async move {
            match at.rows(width).await {
                Some(rows) => drop(self.different.try_set(Some((width, Arc::new(rows))))),
                // Without folding, rows do not move any more.
                None => drop(self.returns.try_set_value(false)),
            }
        });
    }

    fn fetch(self, width: u64, items: impl Iterator<Item = ScrollItem>) {
        let mut numbers: Vec<u64> =
            items.filter_map(|item| if let ScrollItem::Row(row) = item { Some(row / WINDOW_ROWS) } else { None }).collect();
        numbers.dedup();
        let missing: Vec<u64> = self.windows.try_update_untracked(|windows| windows.missing(&numbers)).unwrap_or_default();
        for number in missing {
            let at = self.location();
            spawn_local(async move {
                let window = at.query(WindowQuery { from: number * WINDOW_ROWS * width, len: WINDOW_ROWS * width }).await;
                let matrix = self.matrix.try_get_value().flatten();
                let cut = match window {
                    Ok(window) => rows_with_similar(&window, width, matrix.as_ref()).await.ok(),
                    Err(_) => None,
                };
                if self.width.try_get_untracked() != Some(width) {
                    return;
                }
                let Some(cut) = cut else {
                    return self.windows.update_untracked(|windows| windows.requested_windows.retain(|asked| *asked != number));
                };
                let cell = cut.iter().map(|row| row.cell).max().unwrap_or(1);
                self.windows.update(|windows| windows.keep(number, cut));
                let boxes = matches!(self.unit, Unit::Bytes | Unit::Chars | Unit::Graphemes);
                if boxes && cell > self.cell.get_untracked() {
                    self.cell.set(cell);
                    self.measure();
                }
            });
        }
    }
}

impl RowWindows {
    /// Returns the windows among `numbers` that are neither loaded nor requested, and marks these windows as requested.
    /// Records that the loaded windows are visible now.
    fn missing(&mut self, numbers: &[u64]) -> Vec<u64> {
        self.time += 1;
        let mut missing = Vec::new();
        for number in numbers {
            match self.rows.get_mut(number) {
                Some((seen, _)) => *seen = self.time,
                None if self.requested_windows.contains(number) => {}
                None => missing.push(*number),
            }
        }
        self.requested_windows.extend(&missing);
        missing
    }

    /// Stores the `rows` of window `number`. If there are more than [`WINDOWS`] windows, evicts the window that was not
    /// visible for the longest time.
    fn keep(&mut self, number: u64, rows: Vec<AlignmentRow>) {
        self.requested_windows.retain(|asked| *asked != number);
        self.rows.insert(number, (self.time, rows.into_iter().map(Arc::new).collect()));
        if self.rows.len() > WINDOWS {
            let oldest = self.rows.iter().min_by_key(|(_, (seen, _))| *seen).map(|(number, _)| *number);
            oldest.map(|oldest| self.rows.remove(&oldest));
        }
    }
}

/// Sizes of letters, cells and rows as measured on this screen, in pixels.
struct ScreenSizes {
    letter: f64,
    /// Minimum width of a cell in pixels, so that its letter can be read.
    min_cell_width: f64,
    side_width: f64,
    heights: RowHeights,
}

/// Number of letters in the line of the probe, the invisible row that is measured. A longer line would be cut on narrow
/// screens and so appear narrower than it is.
pub(super) const PROBE_LETTERS: usize = 10;

impl ScreenSizes {
    fn of(area: &HtmlElement) -> Option<Self> {
        let size = |selector: &str| area.query_selector(selector).ok().flatten().map(|element| element.get_bounding_client_rect());
        let (block, line, fold) = (size(".probe > .block")?, size(".probe .line")?, size(".probe > .fold")?);
        let gap = size(".probe > .gap")?.height();
        let heights = RowHeights { row: (block.height() + gap).ceil().max(8.0), fold: (fold.height() + gap).ceil().max(8.0) };
        let letter = line.width() / PROBE_LETTERS as f64;
        let least = size(".probe > .cell").map_or(letter, |cell| cell.width()).max(1.0);
        (letter > 0.0).then_some(Self { letter, min_cell_width: least, side_width: block.width() - line.width(), heights })
    }
}

/// Returns the number of the next difference from column `from` on, or of the last difference before `from` if `by` is
/// negative. `place` must be the last difference that begins at or before `from`, or the first difference of all if
/// there is no such one.
fn adjacent_difference(place: DifferencePosition, from: u64, by: i64) -> u64 {
    let is_before = place.column < from;
    match by {
        ..0 if is_before => place.number,
        ..0 => place.number.saturating_sub(1),
        _ if is_before => (place.number + 1).min(place.of.saturating_sub(1)),
        _ => place.number,
    }
}
