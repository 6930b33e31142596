//! Frame: one step of a method as something to draw. Whoever draws it knows no method.
//!
//! A frame has panels, each with a title and one body: a [`Grid`], rows of cells ([`Tapes`]), lanes along an axis ([`Lanes`]), counts
//! to scale ([`Bar`]) or sums of which one is chosen ([`Sum`]). It has no sentences: what it says are keys with values ([`Said`]). Symbols are
//! named by their place in `a` or `b`, so that whoever draws them shows them as they were typed.

use std::ops::Range;

pub use entry::{Entry, Label, Mark, Marks, Shown};

mod entry;

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What is drawn, the most important first.
    pub panels: Vec<Panel>,
    /// What is said: what happens first, then why, then what it takes.
    pub says: Vec<Said>,
    /// At most four counts.
    pub counts: Vec<Count>,
    /// The line of the [code](super::Lens::code) that was executed last, by its index there.
    pub line: Option<usize>,
    /// What the method found; in the last frame alone.
    pub outcome: Option<Outcome>,
}

/// A part of the drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Key of its heading.
    pub title: &'static str,
    /// Where it lies.
    pub place: Place,
    /// What it has.
    pub body: Body,
}

/// Where a panel lies in a wide drawing. In a narrow one all are below each other, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The large part on the left.
    Main,
    /// Beside it.
    Side,
    /// Below both.
    Below,
}

/// What a panel has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Cells in rows and columns.
    Grid(Grid),
    /// Rows of cells over the same columns.
    Tapes(Tapes),
    /// Rows along an axis.
    Lanes(Lanes),
    /// Counts on one axis, which begins at 0.
    Bars(Bars),
    /// Sums of which one is chosen.
    Sums(Vec<Sum>),
}

/// Cells in rows and columns, with what lies over them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// What stands before each row; as many as there are rows.
    pub rows: Vec<Entry>,
    /// What stands above each column; as many as there are columns.
    pub columns: Vec<Entry>,
    /// Names of the rows, instead of numbers; empty or as many as there are rows.
    pub labels: Vec<Label>,
    /// The cells, row by row.
    pub cells: Vec<Entry>,
    /// What is framed, the outermost first.
    pub rectangles: Vec<Rectangle>,
    /// Lines from cell to cell.
    pub links: Vec<Link>,
    /// Rows of cells under the columns of the grid.
    pub under: Vec<Tape>,
}

/// A frame over lines of a grid. Line `i` is above row `i`, line `j` before column `j`: an empty range of rows is a stroke along that
/// line, and two empty ranges are a dot where the lines cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Rows.
    pub rows: Range<usize>,
    /// Columns.
    pub columns: Range<usize>,
    /// What it is.
    pub mark: Mark,
    /// How many others it lies in.
    pub depth: usize,
}

/// A line between the middles of two cells, row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it begins.
    pub from: (usize, usize),
    /// Where its tip is.
    pub to: (usize, usize),
    /// What it is.
    pub mark: Mark,
}

/// Rows of cells over the same columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tapes {
    /// How many columns there are.
    pub columns: usize,
    /// The number above the first column, where columns are numbered.
    pub numbered: Option<u32>,
    /// The rows.
    pub tapes: Vec<Tape>,
    /// Arrows from cell to cell.
    pub arrows: Vec<Arrow>,
}

/// A row of cells: symbols, numbers or bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    /// Its name.
    pub label: Label,
    /// Column of its first cell.
    pub offset: usize,
    /// Whether its cells stand on the lines before columns, one more than there are columns, instead of in the columns.
    pub on_lines: bool,
    /// Its cells.
    pub cells: Vec<Entry>,
    /// The cell under the cursor, by its index in this tape; may be the one behind the last.
    pub cursor: Option<usize>,
    /// Cells of a word or a field, between which there is a gap; 0 where there are none.
    pub group: usize,
    /// The number that each group is; empty where these are not shown.
    pub values: Vec<u32>,
    /// The carry that passes each border between two groups, in the order of the cells; empty where there are none.
    pub carries: Vec<bool>,
    /// What stands behind it.
    pub note: Option<Said>,
    /// Whether arrows between its own cells, which go below it, have their room in every step.
    pub has_arrows: bool,
    /// Whether rows that belong together end with it: they stay together where rows are set in several columns. Where no row says so, the first one heads
    /// each of these.
    pub ends_group: bool,
}

/// An arrow between cells of two tapes of a panel: index of the tape, index of the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Where it begins.
    pub from: (usize, usize),
    /// Where its tip is.
    pub to: (usize, usize),
    /// What stands at it.
    pub note: Option<Said>,
}

/// Rows along an axis of positions, rounds or time units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// Key of what the axis counts.
    pub axis: &'static str,
    /// How many there are.
    pub length: usize,
    /// The number of the first one.
    pub first: u32,
    /// The line between what is past and what is to come, before this one.
    pub now: Option<usize>,
    /// The rows.
    pub lanes: Vec<Lane>,
}

/// A row along an axis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Its name.
    pub label: Label,
    /// What stands in it.
    pub spans: Vec<Span>,
    /// What stands behind it.
    pub note: Option<Said>,
}

/// A stretch of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// From where to where on the axis.
    pub range: Range<usize>,
    /// What it is.
    pub entry: Entry,
}

/// Counts on one axis, which begins at 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bars {
    /// The counts.
    pub bars: Vec<Bar>,
    /// Places on the axis that have a name, ascending.
    pub ticks: Vec<(u64, Label)>,
}

/// A count drawn to scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Its name.
    pub label: Label,
    /// Where it begins on the axis.
    pub from: u64,
    /// How much there is.
    pub now: u64,
    /// How much there will be.
    pub total: u64,
    /// What it is.
    pub mark: Option<Mark>,
}

/// A sum of an earlier cell and a step, as an input of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Key of its name.
    pub key: &'static str,
    /// The earlier cell, row and column.
    pub from: (usize, usize),
    /// Its value.
    pub value: u32,
    /// What the step adds.
    pub adds: u32,
    /// [`Chosen`](Mark::Chosen), [`Also`](Mark::Also), or none where it does not give the value.
    pub mark: Option<Mark>,
}

/// Something to say: a key of the catalogue with values by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The key.
    pub key: &'static str,
    /// The values, by their names in the sentence.
    pub values: Vec<(&'static str, Value)>,
}

/// A value of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u64),
    /// Symbols of `a` from one position to another; may be none.
    A(Range<usize>),
    /// Symbols of `b` from one position to another; may be none.
    B(Range<usize>),
    /// Numbers in their order.
    Numbers(Vec<u64>),
}

/// A count: now, and in the end where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Key of what is counted.
    pub key: &'static str,
    /// How many there are.
    pub now: u64,
    /// How many there will be.
    pub total: Option<u64>,
}

/// What a method found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An edit distance, or that of the nearest substring.
    Distance(u64),
    /// The length of a longest common subsequence, and the positions of one in `a` and `b` where the method finds them.
    Common {
        /// How many symbols.
        length: u64,
        /// Their positions, ascending; `None` where the length alone is computed.
        matches: Option<Vec<(usize, usize)>>,
    },
    /// An optimal alignment by its columns, and its score.
    Aligned {
        /// The edit distance, or the length of the common subsequence.
        score: u64,
        /// Where it begins and ends in `b`: all of it but in a search.
        range: Range<usize>,
        /// Its edits.
        edits: Vec<kernels::alignment::Edit>,
    },
    /// The score of each offset.
    Scores(Vec<u32>),
    /// Where the pattern occurs, ascending.
    Positions(Vec<usize>),
    /// The values of a column of the matrix, from row 1 on.
    Column {
        /// Which column.
        j: usize,
        /// Its values.
        values: Vec<u32>,
    },
    /// The failure table: the longest proper beginning that ends at each symbol of `a`.
    Table(Vec<u32>),
    /// Time units on the DMM and on the UMM.
    TimeUnits {
        /// On shared memory.
        dmm: u64,
        /// On global memory.
        umm: u64,
    },
}

impl Said {
    /// A key with its values.
    pub fn new(key: &'static str, values: impl Into<Vec<(&'static str, Value)>>) -> Self {
        Self { key, values: values.into() }
    }
}

impl Value {
    /// A number.
    pub fn number(number: usize) -> Self {
        Self::Number(number as u64)
    }

    /// One symbol of `a`.
    pub fn a(at: usize) -> Self {
        Self::A(at..at + 1)
    }

    /// One symbol of `b`.
    pub fn b(at: usize) -> Self {
        Self::B(at..at + 1)
    }
}

impl Count {
    /// A count of so many.
    pub fn new(key: &'static str, now: usize, total: usize) -> Self {
        Self { key, now: now as u64, total: Some(total as u64) }
    }

    /// A count that has no end, or does not change.
    pub fn only(key: &'static str, now: usize) -> Self {
        Self { key, now: now as u64, total: None }
    }
}

impl Panel {
    /// A panel.
    pub fn new(title: &'static str, place: Place, body: Body) -> Self {
        Self { title, place, body }
    }
}

impl Grid {
    /// Cell in a row and a column.
    ///
    /// # Panics
    /// When there is none.
    pub fn at(&self, i: usize, j: usize) -> &Entry {
        &self.cells[i * self.columns.len() + j]
    }

    /// The same to be changed.
    ///
    /// # Panics
    /// When there is none.
    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut Entry {
        let columns = self.columns.len();
        &mut self.cells[i * columns + j]
    }

    /// An empty grid whose rows are ε and the symbols of `a`, and whose columns are ε and those of `b`.
    pub fn of_texts(m: usize, n: usize) -> Self {
        let heads = |len: usize, of: fn(usize) -> Shown| -> Vec<Entry> {
            [Shown::Empty].into_iter().chain((0..len).map(of)).map(Entry::new).collect()
        };
        let cells = vec![Entry::default(); (m + 1) * (n + 1)];
        Self { rows: heads(m, Shown::A), columns: heads(n, Shown::B), cells, ..Self::default() }
    }
}
