//! Frames: a [`LensFrame`] describes the drawing of one step of a method, as data. The code that draws frames does not
//! depend on methods.
//!
//! A frame has panels, each with a title and one body: a [`PanelGrid`], rows of cells ([`TapeTable`]), lanes along an
//! axis ([`LaneChart`]), counts to scale ([`BarChart`]), or sums of which one is chosen ([`PanelSum`]). A sentence
//! ([`LensSentence`]) is a key in the page's catalogue of translated sentences, with values to insert. Symbols are
//! given by their positions in `a` or `b`, so that the page can show them as they were typed.

use std::ops::Range;

use kernels::job::Points;

pub use entry::{LensLabel, LensMark, LensMarkSet, PanelCell, ShownValue};

mod entry;

/// The drawing of one step of a lens, with sentences and counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LensFrame {
    /// The panels, the most important first.
    pub panels: Vec<LensPanel>,
    /// The sentences about the step: its event, the reason and, in some lenses, the cost.
    pub sentences: Vec<LensSentence>,
    /// Counts of the work so far, at most four.
    pub counts: Vec<LensCount>,
    /// Index in the [code](super::Lens::code) of the line that is executed last in this step.
    pub line: Option<usize>,
    /// The result of the method in the last frame; `None` in all earlier frames.
    pub outcome: Option<LensOutcome>,
}

/// A part of the drawing, with a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LensPanel {
    /// Key of the heading in the catalogue of translated sentences.
    pub title: &'static str,
    /// Position of the panel in the drawing.
    pub position: PanelPosition,
    /// Content of the panel.
    pub body: PanelBody,
}

/// The position of a panel in a wide drawing. In a narrow one, all panels are stacked in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelPosition {
    /// The large part on the left.
    Main,
    /// The part beside `Main`.
    Side,
    /// The part below `Main` and `Side`.
    Below,
}

/// The content of a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PanelBody {
    /// Cells in rows and columns.
    Grid(PanelGrid),
    /// Rows of cells over common columns.
    Tapes(TapeTable),
    /// Rows of ranges along an axis.
    Lanes(LaneChart),
    /// Bars on one axis, which begins at 0.
    Bars(BarChart),
    /// Sums of which one is chosen.
    Sums(Vec<PanelSum>),
}

/// A panel's body with cells in rows and columns, and with rectangles and lines over the cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanelGrid {
    /// Headers of the rows, one for each row.
    pub rows: Vec<PanelCell>,
    /// Headers of the columns, one for each column.
    pub columns: Vec<PanelCell>,
    /// Names that replace the numbers of the rows; empty, or one for each row.
    pub labels: Vec<LensLabel>,
    /// The cells, row by row.
    pub cells: Vec<PanelCell>,
    /// Rectangles over the grid, the outermost first.
    pub rectangles: Vec<GridRectangle>,
    /// Lines from cell to cell.
    pub links: Vec<GridLink>,
    /// Rows of cells below the grid, over the same columns.
    pub tapes_below: Vec<CellTape>,
}

/// A rectangle over a grid. Its sides are lines of the grid: line `i` is above row `i`, line `j` before column `j`. If
/// either range is empty, the rectangle is a stroke along a line; if both are empty, it is a dot at the crossing of two
/// lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridRectangle {
    /// Half-open range of the rows inside the rectangle.
    pub rows: Range<usize>,
    /// Half-open range of the columns inside the rectangle.
    pub columns: Range<usize>,
    /// Mark of the rectangle.
    pub mark: LensMark,
    /// Number of rectangles that contain this one; 0 for the outermost.
    pub depth: usize,
}

/// A line between the middles of two cells of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLink {
    /// Row and column of the cell at which the line begins.
    pub from: (usize, usize),
    /// Row and column of the cell at the tip of the line.
    pub to: (usize, usize),
    /// Mark of the line.
    pub mark: LensMark,
}

/// A panel's body with rows of cells over common columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapeTable {
    /// Number of columns.
    pub columns: usize,
    /// Number above the first column, from which the columns are numbered; `None` if they have no numbers.
    pub numbered: Option<u32>,
    /// The rows.
    pub tapes: Vec<CellTape>,
    /// Arrows from cells of the rows to other cells.
    pub arrows: Vec<TapeArrow>,
}

/// One row of a [`TapeTable`]: cells with symbols, numbers or bits, and the name of the row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellTape {
    /// Name of the row.
    pub label: LensLabel,
    /// Index of the column in which the first cell stands.
    pub offset: usize,
    /// Whether the cells stand on the lines between columns instead of in the columns. There is one more line than
    /// columns.
    pub is_on_lines: bool,
    /// Cells of the row.
    pub cells: Vec<PanelCell>,
    /// Index of the cell under the cursor, or the number of cells if the cursor is after the last one. `None` if the
    /// row has no cursor.
    pub cursor: Option<usize>,
    /// Number of cells of a group (a word, or a bit field). There is a gap after each group; 0 means no gaps.
    pub group: usize,
    /// The value of each group as a number; empty if values are not shown.
    pub values: Vec<u32>,
    /// For each group except the last, in the order of the cells, whether a carry passes to the next group. Empty if
    /// carries are not shown.
    pub carries: Vec<bool>,
    /// Text after the row.
    pub note: Option<LensSentence>,
    /// Whether space for arrows is reserved below the row in every step, so that the drawing does not move when an
    /// arrow appears.
    pub has_arrows: bool,
    /// Whether a group of related rows ends with this row. Rows of a group stay together if rows are set in several
    /// columns. If no row ends a group, the first row is repeated at the top of each column.
    pub ends_group: bool,
}

/// An arrow from one cell of a [`TapeTable`] to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeArrow {
    /// Index of the row and index of the cell at which the arrow begins.
    pub from: (usize, usize),
    /// Index of the row and index of the cell at the tip of the arrow.
    pub to: (usize, usize),
    /// Text beside the arrow.
    pub note: Option<LensSentence>,
}

/// A panel's body with rows of ranges along an axis of positions, rounds or time units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneChart {
    /// Key of the name of the axis in the catalogue of translated sentences.
    pub axis: &'static str,
    /// Number of positions of the axis.
    pub length: usize,
    /// Number written at the first position of the axis.
    pub first: u32,
    /// Index of the position before which a line separates past and future; `None` for no line.
    pub now: Option<usize>,
    /// The rows.
    pub lanes: Vec<ChartLane>,
}

/// A row of a [`LaneChart`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartLane {
    /// Name of the row.
    pub label: LensLabel,
    /// Spans of the row.
    pub spans: Vec<LaneSpan>,
    /// Text after the row.
    pub note: Option<LensSentence>,
}

/// A range of positions in a row of a [`LaneChart`], with its content and marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneSpan {
    /// Half-open range of positions on the axis, from 0.
    pub range: Range<usize>,
    /// Content and marks of the range.
    pub entry: PanelCell,
}

/// A panel's body with bars for counts on one axis, which begins at 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BarChart {
    /// The bars, one for each count.
    pub bars: Vec<ChartBar>,
    /// Marked positions on the axis with their names, ascending.
    pub ticks: Vec<(u64, LensLabel)>,
}

/// A bar of a [`BarChart`]: a count drawn to scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartBar {
    /// Name of the count.
    pub label: LensLabel,
    /// Position on the axis at which the bar begins.
    pub from: u64,
    /// Count after the current step, drawn as the filled length of the bar.
    pub now: u64,
    /// Count after the last step, which is the length of the bar.
    pub total: u64,
    /// Mark of the bar.
    pub mark: Option<LensMark>,
}

/// One of the sums that can give the value of a matrix cell: the value of an earlier cell plus the number that a step
/// adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelSum {
    /// Key of the name of the sum in the catalogue of translated sentences.
    pub key: &'static str,
    /// Row and column of the earlier cell whose value is added.
    pub from: (usize, usize),
    /// Value of the earlier cell.
    pub value: Points,
    /// Number that the step adds; negative for points that a step costs.
    pub adds: Points,
    /// [`Chosen`](LensMark::Chosen) for the sum that gives the value, [`Also`](LensMark::Also) for an equally good sum,
    /// otherwise `None`.
    pub mark: Option<LensMark>,
}

/// A sentence: a key in the catalogue of translated sentences, and values to insert into the text of the sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LensSentence {
    /// Key of the sentence in the catalogue.
    pub key: &'static str,
    /// Values to insert, each with its name in the text of the sentence.
    pub values: Vec<(&'static str, SentenceValue)>,
}

/// A value to insert into a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentenceValue {
    /// A number.
    Number(u64),
    /// A number that may be negative, such as that of a diagonal.
    Signed(Points),
    /// A half-open range of symbols of `a`; may be empty.
    A(Range<usize>),
    /// A half-open range of symbols of `b`; may be empty.
    B(Range<usize>),
    /// A list of numbers in the given order.
    Numbers(Vec<u64>),
}

/// A count of the work of a method, such as comparisons: the number after the current step and, if known, after the
/// last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensCount {
    /// Key of the name of the counted things in the catalogue of translated sentences.
    pub key: &'static str,
    /// Number of counted things after the current step.
    pub now: u64,
    /// Number of counted things after the last step, if known.
    pub total: Option<u64>,
}

/// The result that a method has after its last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LensOutcome {
    /// An edit distance; in a search, the distance of the nearest substring of `b`.
    Distance(u64),
    /// A longest common subsequence.
    Common {
        /// Number of common symbols.
        length: u64,
        /// Position in `a` and position in `b` of each common symbol, ascending; `None` if the method computes only the
        /// length.
        matches: Option<Vec<(usize, usize)>>,
    },
    /// An optimal alignment and its score.
    Aligned {
        /// The edit distance, or the length of the common subsequence.
        score: u64,
        /// Half-open range of `b` in the alignment; all of `b` except in a search.
        range: Range<usize>,
        /// Edits of the alignment, one per column.
        edits: Vec<kernels::alignment::EditKind>,
    },
    /// An alignment with the highest score.
    Scored {
        /// Sum of the points.
        score: Points,
        /// Half-open range of `a` in the alignment.
        a: Range<usize>,
        /// Half-open range of `b` in the alignment.
        b: Range<usize>,
        /// Edits of the alignment, one per column.
        edits: Vec<kernels::alignment::EditKind>,
    },
    /// The score of each offset, from offset 0 on.
    Scores(Vec<u32>),
    /// The positions at which the pattern occurs, ascending.
    Positions(Vec<usize>),
    /// The values of one column of the matrix, from row 1 on.
    Column {
        /// Number of the column.
        j: usize,
        /// Values of the column, from row 1 on.
        values: Vec<u32>,
    },
    /// The failure table: for each symbol of `a`, the length of the longest proper prefix of `a` that is also a suffix
    /// of `a` up to this symbol.
    Table(Vec<u32>),
    /// Times of the same requests on the two memory machines.
    TimeUnits {
        /// Time units on the discrete memory machine (DMM, like shared memory).
        dmm: u64,
        /// Time units on the unified memory machine (UMM, like global memory).
        umm: u64,
    },
}

impl LensSentence {
    /// Creates a sentence from its key in the catalogue and the values to insert, each with its name.
    pub fn new(key: &'static str, values: impl Into<Vec<(&'static str, SentenceValue)>>) -> Self {
        Self { key, values: values.into() }
    }
}

impl SentenceValue {
    /// Creates a value that shows `number`.
    pub fn number(number: usize) -> Self {
        Self::Number(number as u64)
    }

    /// Creates a value that shows `number`, which may be negative.
    pub fn signed(number: impl Into<Points>) -> Self {
        Self::Signed(number.into())
    }

    /// Creates a value that shows the symbol of `a` at position `at`.
    pub fn a(at: usize) -> Self {
        Self::A(at..at + 1)
    }

    /// Creates a value that shows the symbol of `b` at position `at`.
    pub fn b(at: usize) -> Self {
        Self::B(at..at + 1)
    }
}

impl PanelSum {
    /// Returns the sum of the value and of the number that the step adds.
    pub fn total(&self) -> Points {
        self.value + self.adds
    }
}

impl LensCount {
    /// Creates a count of the things named by `key`: `now` after the current step, and `total` after the last step.
    pub fn new(key: &'static str, now: usize, total: usize) -> Self {
        Self { key, now: now as u64, total: Some(total as u64) }
    }

    /// Creates a count of the things named by `key` without a final number, because it is not known or equals `now`.
    pub fn without_total(key: &'static str, now: usize) -> Self {
        Self { key, now: now as u64, total: None }
    }
}

impl LensPanel {
    /// Creates a panel with the content `body` at the position `place`. Its heading has the key `title` in the
    /// catalogue of translated sentences.
    pub fn new(title: &'static str, place: PanelPosition, body: PanelBody) -> Self {
        Self { title, position: place, body }
    }
}

impl PanelGrid {
    /// Returns the cell in row `i` and column `j`.
    ///
    /// # Panics
    /// Panics if the position is outside of the grid.
    pub fn cell(&self, i: usize, j: usize) -> &PanelCell {
        &self.cells[i * self.columns.len() + j]
    }

    /// Returns the cell in row `i` and column `j`, so that it can be changed.
    ///
    /// # Panics
    /// Panics if the position is outside of the grid.
    pub fn cell_mut(&mut self, i: usize, j: usize) -> &mut PanelCell {
        let columns = self.columns.len();
        &mut self.cells[i * columns + j]
    }

    /// Creates a grid of empty cells with row headers ε and the `m` symbols of `a`, and column headers ε and the `n`
    /// symbols of `b`.
    pub fn of_texts(m: usize, n: usize) -> Self {
        let heads = |len: usize, of: fn(usize) -> ShownValue| -> Vec<PanelCell> {
            [ShownValue::Empty].into_iter().chain((0..len).map(of)).map(PanelCell::new).collect()
        };
        let cells = vec![PanelCell::default(); (m + 1) * (n + 1)];
        Self { rows: heads(m, ShownValue::A), columns: heads(n, ShownValue::B), cells, ..Self::default() }
    }
}
