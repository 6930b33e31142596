//! Lens: a method watched step by step on small texts.
//!
//! A lens is a pure view: it has [`len`](Lens::len) steps, and [`frame`](Lens::frame) is the picture after any number of them, from 0 to
//! `len()`, made when it is asked for. A [`Frame`] says all that is to be drawn and said; [`Question`]s ask for what the next step does.
//! Nothing here knows a page, and whoever draws frames knows no method.
//!
//! - [`frame`]: what a picture is made of
//! - [`question`]: what a reader is asked; [`cells`]: what is asked about a cell of a matrix
//! - [`settings`]: the parameters of a lens, and how a link carries them
//! - [`words`]: keys of headings, counts and names
//!
//! The lenses:
//!
//! - `filling`: the matrix in each of its orders
//! - `traceback`: the way back through a filled matrix
//! - `two_rows`: the matrix with two rows in memory
//! - `hirschberg`: a longest common subsequence in linear memory
//! - `sliding`: the pattern under the text, with and without a failure table
//! - `table`: how the failure table is made
//! - `pieces`: a thread for each piece of the text
//! - `slices`: blocks of threads that search overlapping slices; `hierarchy`: what that takes on the HMM
//! - `shift`: numbers that take in the text symbol by symbol, with a bit or a counter for each symbol of the pattern
//! - `streams`: the parallel form of these counters; `sums`: what it takes on a UMM
//! - `bit_vectors`: a column of the matrix as words, and the carries between them
//! - `carry_select`: one addition of such words by as many threads; `carry_time`: what that takes in shared memory
//! - `machine`: requests of threads on memories with banks and with address groups
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

/// One way to see a method work.
pub trait Lens {
    /// Number of steps.
    fn len(&self) -> usize;

    /// Whether there is no step: the first frame is the last one.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The picture after so many steps; of more than there are, the last one. Time O(its size), and for some lenses that of the
    /// steps since a checkpoint.
    fn frame(&self, step: usize) -> Frame;

    /// Questions about the step after this one, to be asked while its frame is shown: one of each kind at most, about the place whose
    /// turn it is. None behind the last step, and where there is nothing to ask. See [`question::asked`].
    fn questions(&self, step: usize, turn: Turn) -> Vec<Question>;

    /// The pseudo-code, with the numbers and names that it has where it is published.
    fn code(&self) -> &'static [Line];
}

/// A line of pseudo-code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number where it is published; may be empty.
    pub number: &'static str,
    /// Its text, with the indices that it has there.
    pub text: &'static str,
}

/// Two small texts as numbers that are equal where the symbols are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// The pattern in searches.
    pub a: Vec<u32>,
    /// The text in searches.
    pub b: Vec<u32>,
}

impl Texts {
    /// Of two strings, by their scalar values.
    pub fn of(a: &str, b: &str) -> Self {
        let numbers = |text: &str| text.chars().map(u32::from).collect();
        Self { a: numbers(a), b: numbers(b) }
    }

    /// Whether symbol `i` of `a` is symbol `j` of `b`.
    ///
    /// # Panics
    /// When there is no such symbol.
    pub fn equal(&self, i: usize, j: usize) -> bool {
        self.a[i] == self.b[j]
    }
}

/// Why a lens cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    /// The task has no such lens, or the settings are of another one.
    #[error("This task has no such view.")]
    Task,
    /// A text is longer than the picture has room for.
    #[error("{text} has {got} symbols. This view shows at most {most}.")]
    TooLong {
        /// `a` or `b`.
        text: char,
        /// Its symbols.
        got: usize,
        /// How many there may be.
        most: usize,
    },
}

/// Opens a lens on two texts. Time O(|a||b|) at most.
///
/// # Errors
/// When the task has no such lens, or a text has more symbols than [`Name::most`] says.
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

/// The matrix of a task, of texts that a lens was opened on.
fn filled(task: Task, texts: &Texts) -> Matrix {
    Matrix::new(task, texts.a.clone(), texts.b.clone()).expect("texts of a lens are shorter than those of a matrix")
}

/// The sums of a cell; the first winner is the one that is taken, further ones are as good.
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

/// Key of an input's name.
fn input_key(input: Input) -> &'static str {
    match input {
        Input::Corner => "input.corner",
        Input::Above => "input.above",
        Input::Left => "input.left",
    }
}

/// Lines without published numbers are numbered from 1 when they are shown.
const fn line(number: &'static str, text: &'static str) -> Line {
    Line { number, text }
}

#[cfg(test)]
mod tests;
