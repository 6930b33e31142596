//! Lens: a method watched step by step on small texts.
//!
//! A lens is a pure view: it has [`len`](Lens::len) steps, and [`frame`](Lens::frame) is the picture after any number of them, from 0 to
//! `len()`, made when it is asked for. A [`Frame`] says all that is to be drawn and said; [`Question`]s ask for what the next step does.
//! Nothing here knows a page, and whoever draws frames knows no method.
//!
//! - [`frame`]: what a picture is made of
//! - [`question`]: what a reader is asked
//! - [`settings`]: the parameters of a lens, and how a link carries them
//! - [`words`]: keys of headings, counts and names
//!
//! The lenses:
//!
//! - `traceback`: the way back through a filled matrix
//! - `two_rows`: the matrix with two rows in memory
//! - `hirschberg`: a longest common subsequence in linear memory
//! - `sliding`: the pattern under the text, with and without a failure table
//! - `table`: how the failure table is made
//! - `pieces`: a thread for each piece of the text
//! - `slices`: blocks of threads that search overlapping slices
//! - `shift`: numbers that take in the text symbol by symbol, with a bit or a counter for each symbol of the pattern
//! - `streams`: the parallel form of these counters
//! - `bit_vectors`: a column of the matrix as words, and the carries between them
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

use frame::Frame;
use question::Question;
use settings::{Parameter, Settings};

use crate::matrix::{MOST, Matrix};

mod bit_vectors;
pub mod frame;
mod hirschberg;
mod machine;
mod pieces;
pub mod question;
pub mod settings;
mod shift;
mod slices;
mod sliding;
mod streams;
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

    /// A question about the step after this one, to be asked while its frame is shown; `None` behind the last one, and where there is
    /// nothing to ask.
    fn question(&self, step: usize) -> Option<Question>;

    /// The pseudo-code, with the numbers and names that it has where it is published.
    fn code(&self) -> &'static [Line];
}

/// The lenses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// The way back through a filled matrix.
    Traceback,
    /// The matrix with two rows in memory.
    TwoRows,
    /// A longest common subsequence in linear memory.
    Hirschberg,
    /// The pattern under the text, at each place anew.
    Naive,
    /// The same with the failure table of Knuth, Morris and Pratt.
    Kmp,
    /// Blocks of threads that search overlapping slices.
    Slices,
    /// A bit for each symbol of the pattern.
    ShiftAnd,
    /// A counter for each symbol of the pattern.
    ShiftAdd,
    /// A stream of bits for each distinct symbol of the pattern.
    ParallelShiftAdd,
    /// A column of the matrix as words of bits.
    BitVectors,
    /// Requests of threads on two memories.
    Machine,
    /// How the failure table is made.
    FailureTable,
    /// A thread for each piece of the text.
    Pieces,
}

/// What a step of a lens is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A step.
    Step,
    /// A round of all threads.
    Round,
    /// A comparison of two symbols.
    Comparison,
    /// A time unit of a machine.
    TimeUnit,
}

/// A line of pseudo-code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number where it is published; may be empty.
    pub number: &'static str,
    /// Its text, with the indices that it has there.
    pub text: &'static str,
}

/// Where a method is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Number of the paper, as in [`kernels::methods`]; empty for textbook methods.
    pub paper: &'static str,
    /// Section and listing or figure, or author and year.
    pub section: &'static str,
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

impl Name {
    /// All lenses.
    pub const ALL: [Self; 13] = [
        Self::Traceback,
        Self::TwoRows,
        Self::Hirschberg,
        Self::Naive,
        Self::Kmp,
        Self::Slices,
        Self::ShiftAnd,
        Self::ShiftAdd,
        Self::ParallelShiftAdd,
        Self::BitVectors,
        Self::Machine,
        Self::FailureTable,
        Self::Pieces,
    ];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Traceback => "traceback",
            Self::TwoRows => "two-rows",
            Self::Hirschberg => "hirschberg",
            Self::Naive => "naive",
            Self::Kmp => "kmp",
            Self::Slices => "slices",
            Self::ShiftAnd => "shift-and",
            Self::ShiftAdd => "shift-add",
            Self::ParallelShiftAdd => "parallel-shift-add",
            Self::BitVectors => "bit-vectors",
            Self::Machine => "machine",
            Self::FailureTable => "failure-table",
            Self::Pieces => "kmp-blocks",
        }
    }

    /// The lens of a name in a link.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lens| lens.name() == name)
    }

    /// The lenses of a task, in the order in which they are offered.
    pub fn of(task: Task) -> &'static [Self] {
        match task {
            Task::EditDistance => &[Self::TwoRows, Self::Traceback, Self::BitVectors],
            Task::Lcs => &[Self::TwoRows, Self::Traceback, Self::BitVectors, Self::Hirschberg],
            Task::ApproximateSearch => &[Self::TwoRows, Self::Traceback, Self::BitVectors, Self::Slices, Self::Machine],
            Task::MatchCount => &[Self::ShiftAdd, Self::ParallelShiftAdd],
            Task::ExactSearch => &[Self::Naive, Self::FailureTable, Self::Kmp, Self::Pieces, Self::ShiftAnd],
        }
    }

    /// What its steps are.
    pub fn unit(self) -> Unit {
        match self {
            Self::Traceback | Self::TwoRows | Self::Hirschberg => Unit::Step,
            Self::ShiftAnd | Self::ShiftAdd | Self::ParallelShiftAdd | Self::BitVectors => Unit::Step,
            Self::Machine => Unit::TimeUnit,
            Self::Naive | Self::Kmp | Self::FailureTable => Unit::Comparison,
            Self::Slices | Self::Pieces => Unit::Round,
        }
    }

    /// Its parameters.
    pub fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Traceback | Self::TwoRows | Self::Hirschberg | Self::ShiftAdd | Self::ParallelShiftAdd => &[],
            Self::Naive | Self::Kmp | Self::FailureTable | Self::Pieces => &[],
            Self::Slices => slices::PARAMETERS,
            Self::ShiftAnd => shift::AND_PARAMETERS,
            Self::BitVectors => bit_vectors::PARAMETERS,
            Self::Machine => machine::PARAMETERS,
        }
    }

    /// Symbols of `a` and of `b`, at most.
    pub fn most(self) -> (usize, usize) {
        match self {
            Self::Traceback | Self::TwoRows | Self::Hirschberg | Self::BitVectors => (60, 60),
            // It does not look at them.
            Self::Machine => (MOST, MOST),
            Self::Naive | Self::Kmp | Self::FailureTable | Self::ShiftAnd => (30, 60),
            Self::Slices | Self::Pieces | Self::ShiftAdd | Self::ParallelShiftAdd => (16, 60),
        }
    }

    /// Where the method is published.
    pub fn source(self, task: Task) -> Source {
        let (paper, section) = match (self, task) {
            (Self::TwoRows, Task::Lcs) => ("001", "2.3, Listing 1"),
            (Self::TwoRows, _) => ("000", "4, the recurrence"),
            (Self::Hirschberg, _) => ("001", "2.3, Listings 1 and 2"),
            (Self::Naive, _) => ("004", "V.A"),
            (Self::Kmp | Self::FailureTable, _) => ("004", "VI"),
            (Self::Pieces, _) => ("004", "VII"),
            (Self::Slices, _) => ("000", "5 and 6, Parallel ASM algorithm on the HMM"),
            (Self::ShiftAnd, _) => ("", "Baeza-Yates and Gonnet 1992"),
            (Self::ShiftAdd, _) => ("002", "3.2, Figure 2"),
            (Self::ParallelShiftAdd, _) => ("002", "4.2, Figure 3"),
            (Self::BitVectors, Task::Lcs) => ("001", "2.4, Listing 3"),
            (Self::BitVectors, _) => ("", "Myers 1999, Hyyrö 2003"),
            (Self::Machine, _) => ("000", "2, Figure 3"),
            (Self::Traceback, Task::Lcs) => ("001", "2.2, the recurrence"),
            (Self::Traceback, _) => ("000", "4, the recurrence"),
        };
        Source { paper, section }
    }

    /// What it can say: each key with the names of its values.
    pub fn says(self) -> &'static [Phrase] {
        match self {
            Self::Traceback => traceback::SAYS,
            Self::TwoRows => two_rows::SAYS,
            Self::Hirschberg => hirschberg::SAYS,
            Self::Naive | Self::Kmp => sliding::SAYS,
            Self::Slices => slices::SAYS,
            Self::ShiftAnd | Self::ShiftAdd => shift::SAYS,
            Self::ParallelShiftAdd => streams::SAYS,
            Self::BitVectors => bit_vectors::SAYS,
            Self::Machine => machine::SAYS,
            Self::FailureTable => table::SAYS,
            Self::Pieces => pieces::SAYS,
        }
    }
}

/// A key of the catalogue and the names of the values that its sentence has.
pub type Phrase = (&'static str, &'static [&'static str]);

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
        Name::ParallelShiftAdd => Box::new(streams::Streams::new(texts)),
        Name::BitVectors => Box::new(bit_vectors::BitVectors::new(task, texts, settings)),
        Name::Machine => Box::new(machine::Machine::new(settings)),
        Name::FailureTable => Box::new(table::Table::new(texts)),
        Name::Pieces => Box::new(pieces::Pieces::new(texts)),
    })
}

/// The matrix of a task, of texts that a lens was opened on.
fn filled(task: Task, texts: &Texts) -> Matrix {
    Matrix::new(task, texts.a.clone(), texts.b.clone()).expect("texts of a lens are shorter than those of a matrix")
}

/// Lines without published numbers are numbered from 1 when they are shown.
const fn line(number: &'static str, text: &'static str) -> Line {
    Line { number, text }
}

#[cfg(test)]
mod tests;
