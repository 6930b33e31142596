//! Lenses: views that show a method step by step on small texts.
//!
//! A lens is a pure view with [`len`](Lens::len) steps. [`frame`](Lens::frame) computes the picture after any number of
//! steps, from 0 to `len()`. A [`Frame`] describes everything to draw and to say; a [`Question`] asks the reader what
//! the next step does. Lenses do not depend on the page, and the code that draws frames does not depend on methods.
//!
//! - [`frame`]: the parts of a picture
//! - [`question`]: questions to the reader; [`cells`]: questions about a cell of a matrix
//! - [`settings`]: the parameters of a lens, and their encoding in links
//! - [`words`]: keys of headings, counts and names
//!
//! The lenses:
//!
//! - `filling`: the matrix in each of its orders
//! - `traceback`: the way back through a filled matrix
//! - `two_rows`: the matrix with two rows in memory
//! - `hirschberg`: a longest common subsequence in linear memory
//! - `sliding`: the pattern under the text, with and without a failure table
//! - `table`: the construction of the failure table
//! - `pieces`: a thread for each piece of the text
//! - `slices`: blocks of threads that search overlapping slices; `hierarchy`: the time of these on the HMM
//! - `shift`: numbers that read the text symbol by symbol, with a bit or a counter for each symbol of the pattern
//! - `streams`: the parallel form of these counters; `sums`: the time of it on a UMM
//! - `bit_vectors`: a column of the matrix as words, and the carries between them
//! - `carry_select`: one addition of these words by one thread per word; `carry_time`: the time of it in shared memory
//! - `machine`: requests of threads to memories with banks and with address groups
//!
//! ```
//! use explain::lens::{Name, Texts, frame::Outcome, open, settings::Settings};
//! use kernels::job::Task;
//!
//! let texts = Texts::of("kitten", "sitting");
//! let lens = open(Name::TwoRows, Task::EditDistance, &texts, &Settings::usual(Name::TwoRows)).unwrap();
//! assert_eq!(lens.len(), 6);
//! assert_eq!(lens.frame(6).outcome, Some(Outcome::Distance(3)));
//! ```

use kernels::job::Task;

use frame::{Frame, Mark, Sum};
pub use name::{Name, Phrase, Source, Unit};
use question::{Question, Turn};
use settings::Settings;

use crate::matrix::order::Order;
use crate::matrix::{Cell, Input, Matrix};

mod bit_vectors;
mod carry_select;
mod carry_time;
pub mod cells;
mod filling;
pub mod frame;
mod hierarchy;
mod hirschberg;
mod machine;
mod name;
mod pieces;
pub mod question;
pub mod settings;
mod shift;
mod slices;
mod sliding;
mod streams;
mod sums;
mod table;
mod traceback;
mod two_rows;
pub mod words;

/// A step-by-step view of a method.
pub trait Lens {
    /// Returns the number of steps.
    fn len(&self) -> usize;

    /// Returns whether there are no steps, so that the first frame is the last one.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the picture after `step` steps, or the last one if there are fewer. Takes O(size of the picture) time;
    /// some lenses also repeat the steps since a checkpoint.
    fn frame(&self, step: usize) -> Frame;

    /// Returns questions about the step after `step`, to ask while the frame of `step` is shown. There is at most one
    /// of each kind, about the place that `turn` selects. The list is empty after the last step, and if there is
    /// nothing to ask. See [`question::asked`].
    fn questions(&self, step: usize, turn: Turn) -> Vec<Question>;

    /// Returns the pseudo-code, with the line numbers and names of its publication.
    fn code(&self) -> &'static [Line];
}

/// A line of pseudo-code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number in the publication; may be empty.
    pub number: &'static str,
    /// Text of the line, with the indices of the publication.
    pub text: &'static str,
}

/// Two small texts as numbers. Equal numbers mean equal symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// The first text; in searches the pattern.
    pub a: Vec<u32>,
    /// The second text; in searches the text.
    pub b: Vec<u32>,
}

impl Texts {
    /// Numbers the symbols of two strings by their Unicode scalar values.
    pub fn of(a: &str, b: &str) -> Self {
        let numbers = |text: &str| text.chars().map(u32::from).collect();
        Self { a: numbers(a), b: numbers(b) }
    }

    /// Returns whether symbol `i` of `a` equals symbol `j` of `b`.
    ///
    /// # Panics
    /// Panics if a position is out of range.
    pub fn equal(&self, i: usize, j: usize) -> bool {
        self.a[i] == self.b[j]
    }
}

/// Error of a lens that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    /// The task does not have this lens, or the settings belong to another lens.
    #[error("This task has no such view.")]
    Task,
    /// A text is longer than the picture has room for.
    #[error("{text} has {got} symbols. This view shows at most {most}.")]
    TooLong {
        /// `a` or `b`.
        text: char,
        /// Number of symbols of the text.
        got: usize,
        /// Maximum number of symbols.
        most: usize,
    },
}

/// Opens a lens on two texts. Takes at most O(|a||b|) time.
///
/// # Errors
/// Returns an error if the task does not have this lens, if the settings belong to another lens, or if a text has more
/// symbols than [`Name::most`] allows.
pub fn open(name: Name, task: Task, texts: &Texts, settings: &Settings) -> Result<Box<dyn Lens>, NotOpened> {
    if !Name::of(task).contains(&name) || settings.name() != name {
        return Err(NotOpened::Task);
    }
    let (most_a, most_b) = name.most();
    for (text, got, most) in [('a', texts.a.len(), most_a), ('b', texts.b.len(), most_b)] {
        if got > most {
            return Err(NotOpened::TooLong { text, got, most });
        }
    }
    Ok(match name {
        Name::Traceback => Box::new(traceback::Traceback::new(task, texts)),
        Name::TwoRows => Box::new(two_rows::TwoRows::new(task, texts)),
        Name::Hirschberg => Box::new(hirschberg::Hirschberg::new(texts)),
        Name::Naive => Box::new(sliding::Sliding::naive(texts)),
        Name::Kmp => Box::new(sliding::Sliding::kmp(texts)),
        Name::Slices => Box::new(slices::Slices::new(texts, settings)),
        Name::ShiftAnd => Box::new(shift::Shift::and(texts, settings)),
        Name::ShiftAdd => Box::new(shift::Shift::add(texts)),
        Name::ParallelShiftAdd => Box::new(streams::Streams::new(texts, settings)),
        Name::BitVectors => Box::new(bit_vectors::BitVectors::new(task, texts, settings)),
        Name::Machine => Box::new(machine::Machine::new(settings)),
        Name::FailureTable => Box::new(table::Table::new(texts)),
        Name::Pieces => Box::new(pieces::Pieces::new(texts)),
        Name::CarrySelect => Box::new(carry_select::CarrySelect::new(texts, settings)),
        Name::Rows => Box::new(filling::Filling::new(Order::Row, task, texts)),
        Name::Columns => Box::new(filling::Filling::new(Order::Column, task, texts)),
        Name::Diagonals => Box::new(filling::Filling::new(Order::Diagonal, task, texts)),
        Name::Band => Box::new(filling::Filling::new(Order::Band, task, texts)),
        Name::CutOff => Box::new(filling::Filling::new(Order::CutOff, task, texts)),
        Name::Offsets => Box::new(filling::Filling::new(Order::Offset, task, texts)),
    })
}

/// Fills the matrix of a task for texts that a lens was opened on.
fn filled(task: Task, texts: &Texts) -> Matrix {
    Matrix::new(task, texts.a.clone(), texts.b.clone()).expect("texts of a lens are shorter than those of a matrix")
}

/// Returns the sums of a cell. The first winner is marked as chosen, the others as equally good.
fn sums_of(matrix: &Matrix, cell: Cell) -> Vec<Sum> {
    let mut is_taken = false;
    let of = |sum: crate::matrix::Sum| {
        let mark = match (sum.wins, is_taken) {
            (false, _) => None,
            (true, true) => Some(Mark::Also),
            (true, false) => Some(Mark::Chosen),
        };
        is_taken |= sum.wins;
        Sum { key: input_key(sum.input), from: (sum.from.i, sum.from.j), value: sum.value.into(), adds: sum.adds.into(), mark }
    };
    matrix.sums(cell).map(of).collect()
}

/// Returns the key of the name of an input.
fn input_key(input: Input) -> &'static str {
    match input {
        Input::Corner => "input.corner",
        Input::Above => "input.above",
        Input::Left => "input.left",
    }
}

/// Creates a line of pseudo-code. Lines without published numbers are shown with numbers from 1.
const fn line(number: &'static str, text: &'static str) -> Line {
    Line { number, text }
}

#[cfg(test)]
mod tests;
