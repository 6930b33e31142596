//! Matrix: every cell that a task fills, for texts short enough to be looked at. What the page draws and the API hands out.
//!
//! A cell `(i, j)` is about the first `i` symbols of `a` and the first `j` of `b`. Its value is the best of up to three sums, each
//! of an earlier cell and one step:
//!
//! ```text
//! task                first row, first column   value of a cell                                     ends
//! edit-distance       j, i                      min(corner + (a[i] ≠ b[j]), above + 1, left + 1)    the last cell
//! approximate-search  0, i                      the same                                            least of the last row
//! lcs                 0, 0                      max(corner + 1 where a[i] = b[j], above, left)      the last cell
//! match-count         0, 0                      corner + (a[i] = b[j])                              greatest of the last row from j = |a| on
//! exact-search        1, 0                      corner ∧ (a[i] = b[j])                              ones of the last row
//! ```
//!
//! An optimal alignment is a walk from an end back to the beginning over inputs that win. All of this is serial and for at most
//! [`MOST`] symbols a text: what solves large pairs is in [`task`](kernels::task).
//!
//! - [`optimal`]: how many optimal alignments there are, the cells on any of them, and each by its number
//! - [`natural`]: numbers of any size, which these counts are
//! - [`order`]: orders in which the cells can be filled
//! - [`bits`]: a column as the words of a bit-parallel algorithm
//! - [`document`]: what is handed out

use kernels::alignment::Edit;
use kernels::failure::{Failure, large};
use kernels::job::Task;

pub mod bits;
pub mod document;
pub mod natural;
pub mod optimal;
pub mod order;

/// Symbols of each text, at most.
pub const MOST: usize = 2_000;

/// Symbols of each text up to which every cell is drawn by itself.
pub const MOST_GRID: usize = 60;

/// Symbols of each text up to which all values are handed out as a document.
pub const MOST_WRITTEN: usize = 500;

/// A cell: symbols of `a` and of `b` before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Its row, from 0 to |a|.
    pub i: usize,
    /// Its column, from 0 to |b|.
    pub j: usize,
}

/// An earlier cell that a value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// `(i − 1, j − 1)`: a symbol of each text.
    Corner,
    /// `(i − 1, j)`: a symbol of `a`.
    Above,
    /// `(i, j − 1)`: a symbol of `b`.
    Left,
}

/// One of the sums that a value is the best of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Which earlier cell.
    pub input: Input,
    /// That cell.
    pub from: Cell,
    /// Its value.
    pub value: u16,
    /// What the step adds; in `exact-search` what it is joined with by a logical and.
    pub adds: u16,
    /// Both together.
    pub total: u16,
    /// What the step does to the texts.
    pub edit: Edit,
    /// Whether the cell's value is this one.
    pub wins: bool,
}

/// All cells of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    task: Task,
    a: Vec<u32>,
    b: Vec<u32>,
    /// Row by row, |b| + 1 a row.
    values: Vec<u16>,
}

impl Input {
    /// All, in the order in which walks prefer them.
    pub const ALL: [Self; 3] = [Self::Corner, Self::Above, Self::Left];

    /// Bit in a set of inputs: 1, 2, 4.
    pub fn bit(self) -> u8 {
        match self {
            Self::Corner => 1,
            Self::Above => 2,
            Self::Left => 4,
        }
    }

    /// The earlier cell; `None` at the border.
    pub fn of(self, Cell { i, j }: Cell) -> Option<Cell> {
        let (di, dj) = match self {
            Self::Corner => (1, 1),
            Self::Above => (1, 0),
            Self::Left => (0, 1),
        };
        Some(Cell { i: i.checked_sub(di)?, j: j.checked_sub(dj)? })
    }
}

impl Matrix {
    /// Fills the matrix of a task for symbols that are equal where their numbers are. Time and memory O(|a||b|), 2 bytes a cell.
    ///
    /// # Errors
    /// `TooLarge` when a text has more than [`MOST`] symbols.
    ///
    /// ```
    /// use kernels::job::Task;
    /// use explain::matrix::{Cell, Matrix};
    ///
    /// let numbers = |text: &str| text.chars().map(u32::from).collect();
    /// let matrix = Matrix::new(Task::EditDistance, numbers("SUNDAY"), numbers("SATURDAY")).unwrap();
    /// assert_eq!(matrix.value(Cell { i: 3, j: 5 }), 3);
    /// ```
    pub fn new(task: Task, a: Vec<u32>, b: Vec<u32>) -> Result<Self, Failure> {
        fits(a.len(), b.len(), MOST)?;
        let width = b.len() + 1;
        let mut values: Vec<u16> = Vec::with_capacity((a.len() + 1) * width);
        for i in 0..=a.len() {
            for j in 0..width {
                values.push(match (i, j) {
                    (0, _) | (_, 0) => border(task, i, j),
                    (i, j) => {
                        let above = values.len() - width;
                        filled(task, a[i - 1] == b[j - 1], [values[above - 1], values[above], values[values.len() - 1]])
                    }
                });
            }
        }
        Ok(Self { task, a, b, values })
    }

    /// Whose matrix it is.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Symbols of `a` and of `b`: the last cell.
    pub fn last(&self) -> Cell {
        Cell { i: self.a.len(), j: self.b.len() }
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let Cell { i: rows, j: columns } = self.last();
        (0..=rows).flat_map(move |i| (0..=columns).map(move |j| Cell { i, j }))
    }

    /// The values of a row, from column 0 on.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, i: usize) -> &[u16] {
        let width = self.b.len() + 1;
        &self.values[i * width..(i + 1) * width]
    }

    /// Value of a cell.
    ///
    /// # Panics
    /// When the cell is not in the matrix.
    pub fn value(&self, Cell { i, j }: Cell) -> u16 {
        self.row(i)[j]
    }

    /// Place of a cell in lists of all cells, row by row.
    pub fn index(&self, Cell { i, j }: Cell) -> usize {
        i * (self.b.len() + 1) + j
    }

    /// Whether the symbols that meet in a cell are equal; never at the border.
    pub fn equal(&self, Cell { i, j }: Cell) -> bool {
        i > 0 && j > 0 && self.a[i - 1] == self.b[j - 1]
    }

    /// The sums that the value of a cell is the best of, at most three, in the order of [`Input::ALL`]. None where the value is
    /// given: at a beginning.
    pub fn sums(&self, cell: Cell) -> impl Iterator<Item = Sum> + use<'_> {
        Input::ALL.into_iter().filter_map(move |input| self.sum(cell, input))
    }

    /// The set of inputs that win, as the sum of their [bits](Input::bit).
    pub fn winners(&self, cell: Cell) -> u8 {
        self.sums(cell).filter(|sum| sum.wins).map(|sum| sum.input.bit()).sum()
    }

    /// Cells where an optimal alignment ends: columns ascending.
    pub fn ends(&self) -> Vec<Cell> {
        let last = self.last();
        let row = self.row(last.i);
        let of = |wanted: &dyn Fn(usize) -> bool| (0..=last.j).filter(|&j| wanted(j)).map(|j| Cell { i: last.i, j }).collect();
        match self.task {
            Task::EditDistance | Task::Lcs => vec![last],
            Task::ApproximateSearch => {
                let least = row.iter().min().copied();
                of(&|j| Some(row[j]) == least)
            }
            Task::MatchCount => {
                let best = row.get(last.i..).and_then(|row| row.iter().max().copied());
                of(&|j| j >= last.i && Some(row[j]) == best)
            }
            Task::ExactSearch => of(&|j| row[j] == 1),
        }
    }

    /// Whether walks end here: nothing lies before it.
    pub fn is_beginning(&self, Cell { i, j }: Cell) -> bool {
        match self.task {
            Task::EditDistance | Task::Lcs => (i, j) == (0, 0),
            Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => i == 0,
        }
    }

    fn sum(&self, cell: Cell, input: Input) -> Option<Sum> {
        let from = input.of(cell)?;
        let equal = self.equal(cell);
        let adds = match (self.task, input) {
            (Task::EditDistance | Task::ApproximateSearch, Input::Corner) => u16::from(!equal),
            (Task::EditDistance, Input::Above | Input::Left) | (Task::ApproximateSearch, Input::Above) => 1,
            (Task::ApproximateSearch, Input::Left) if cell.i > 0 => 1,
            (Task::Lcs, Input::Corner) if equal => 1,
            (Task::Lcs, Input::Above | Input::Left) => 0,
            (Task::MatchCount | Task::ExactSearch, Input::Corner) => u16::from(equal),
            (Task::ApproximateSearch | Task::Lcs | Task::MatchCount | Task::ExactSearch, _) => return None,
        };
        let (value, own) = (self.value(from), self.value(cell));
        let (total, wins) = match self.task {
            Task::ExactSearch => (value & adds, own == 1),
            Task::EditDistance | Task::ApproximateSearch | Task::Lcs | Task::MatchCount => (value + adds, value + adds == own),
        };
        let edit = match input {
            Input::Corner if equal => Edit::Equal,
            Input::Corner => Edit::Substitute,
            Input::Above => Edit::Delete,
            Input::Left => Edit::Insert,
        };
        Some(Sum { input, from, value, adds, total, edit, wins })
    }
}

/// Refuses texts of more than `most` symbols.
///
/// # Errors
/// `TooLarge` with the length of the longer one.
pub fn fits(a: usize, b: usize, most: usize) -> Result<(), Failure> {
    let longer = a.max(b);
    if longer <= most {
        return Ok(());
    }
    Err(Failure::TooLarge { what: large::MATRIX.into(), got: longer as u64, limit: most as u64 })
}

/// Value of a cell of the first row or column.
fn border(task: Task, i: usize, j: usize) -> u16 {
    match task {
        Task::EditDistance => (i + j) as u16,
        Task::ApproximateSearch => i as u16,
        Task::Lcs | Task::MatchCount => 0,
        Task::ExactSearch => u16::from(i == 0),
    }
}

/// Value of any other cell.
fn filled(task: Task, equal: bool, [corner, above, left]: [u16; 3]) -> u16 {
    match task {
        Task::EditDistance | Task::ApproximateSearch => (corner + u16::from(!equal)).min(above.min(left) + 1),
        Task::Lcs => (corner + u16::from(equal)).max(above).max(left),
        Task::MatchCount => corner + u16::from(equal),
        Task::ExactSearch => corner & u16::from(equal),
    }
}

#[cfg(test)]
mod tests;
