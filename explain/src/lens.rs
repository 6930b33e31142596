//! Lenses: views that show a method (an algorithm) step by step on small texts.
//!
//! A lens has [`len`](Lens::len) steps and no changing state. [`frame`](Lens::frame) computes the picture after any
//! number of steps, from 0 to `len()`. A [`LensFrame`] describes everything to draw and to say; a [`LensQuestion`] asks
//! the reader what the next step does. Lenses do not depend on the page, and the code that draws frames does not depend
//! on methods.
//!
//! - [`frame`]: the parts of a picture
//! - [`question`]: questions to the reader; [`cells`]: questions about a cell of a matrix
//! - [`settings`]: the parameters of a lens, and their encoding in links
//! - [`lens_keys`]: keys of headings, counts and names
//!
//! The lenses:
//!
//! - `filling`: the matrix, filled in each of its orders
//! - `osa`: the matrix with swaps of neighbouring symbols
//! - `furthest`: the furthest row of each diagonal for 0, 1, 2, … edits
//! - `scored`: the matrix of scores in one layer or three, and the way back
//! - `traceback`: the way back through a filled matrix
//! - `two_rows`: the matrix with two rows in memory
//! - `hirschberg`: a longest common subsequence in linear memory
//! - `sliding`: the pattern under the text, with and without a failure table
//! - `table`: the construction of the failure table
//! - `pieces`: exact search with a thread for each piece of the text
//! - `slices`: approximate search by blocks of threads in overlapping slices of the text; `hierarchy`: their time on
//!   the hierarchical memory machine (HMM)
//! - `shift`: registers that read the text symbol by symbol, with a bit or a counter for each symbol of the pattern
//! - `streams`: the parallel form of the counters; `sums`: its time on a unified memory machine (UMM)
//! - `bit_vectors`: a column of the matrix as words, and the carries between them
//! - `carry_select`: one addition of bit vectors with one thread per word; `carry_time`: its time in shared memory
//! - `machine`: requests of threads to memories with banks and with address groups
//!
//! ```
//! use explain::lens::{LensName, LensTexts, frame::LensOutcome, open, settings::LensSettings};
//! use kernels::job::Task;
//!
//! let texts = LensTexts::from_strs("kitten", "sitting");
//! let settings = LensSettings::defaults(LensName::TwoRows);
//! let lens = open(LensName::TwoRows, Task::EditDistance, &texts, &settings).unwrap();
//! assert_eq!(lens.len(), 6);
//! assert_eq!(lens.frame(6).outcome, Some(LensOutcome::Distance(3)));
//! ```

use std::collections::BTreeMap;

use kernels::base_set::SymbolMatch;
use kernels::job::{EditCosts, Scoring, Task};

use frame::{LensFrame, LensMark, PanelSum};
pub use name::{LensName, MethodSource, SentenceTemplate, StepUnit};
use question::{LensQuestion, QuestionTurn};
use settings::LensSettings;

use crate::matrix::order::FillOrder;
use crate::matrix::{CellInput, DpMatrix, MatrixCell};

mod bit_vectors;
mod carry_select;
mod carry_time;
pub mod cells;
mod filling;
pub mod frame;
mod furthest;
mod hierarchy;
mod hirschberg;
pub mod lens_keys;
mod machine;
mod name;
mod osa;
mod pieces;
pub mod question;
mod scored;
pub mod settings;
mod shift;
mod slices;
mod sliding;
mod streams;
mod sums;
mod table;
mod traceback;
mod two_rows;

/// A step-by-step view of a method (an algorithm) on two small texts.
pub trait Lens {
    /// Returns the number of steps.
    fn len(&self) -> usize;

    /// Returns whether there are no steps, so that the first frame is the last one.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the picture after `step` steps, or the last picture if the lens has fewer steps. Takes time proportional
    /// to the size of the picture; some lenses also go through all earlier steps.
    fn frame(&self, step: usize) -> LensFrame;

    /// Returns questions about step `step + 1`, to ask while the frame of `step` is shown. There is at most one
    /// question of each kind; `turn` selects the cell, the thread or the position that each question is about. The list
    /// is empty after the last step, and if there is nothing to ask. See [`question::select_question`].
    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion>;

    /// Returns the pseudo-code of the method, with the line numbers and the variable names of its publication.
    fn code(&self) -> &'static [CodeLine];
}

/// A line of pseudo-code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// Line number in the publication; empty if the publication has none.
    pub number: &'static str,
    /// Text of the line. Its indices begin at 0 or 1, as in the publication.
    pub text: &'static str,
}

/// Two small texts as symbol numbers, and the costs or points of edits. Equal numbers mean equal symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LensTexts {
    /// The first text; in searches the pattern.
    pub a: Vec<u32>,
    /// The second text; in searches the text in which the pattern is searched.
    pub b: Vec<u32>,
    /// The rule by which symbols match.
    pub symbol_match: SymbolMatch,
    /// Costs of the edits. Tasks without costs have those of Levenshtein.
    pub costs: EditCosts,
    /// Points of `sequence-alignment`.
    pub scoring: Scoring,
    /// Letters of the symbols, for which a matrix has points. Other scorings need none.
    pub letters: BTreeMap<u32, char>,
}

impl LensTexts {
    /// Creates the texts of two strings, with the costs of Levenshtein. The number of a symbol is its Unicode scalar
    /// value.
    pub fn from_strs(a: &str, b: &str) -> Self {
        let numbers = |text: &str| text.chars().map(u32::from).collect();
        Self { a: numbers(a), b: numbers(b), ..Self::default() }
    }

    /// Returns whether symbol `i` of `a` equals symbol `j` of `b`.
    ///
    /// # Panics
    /// Panics if a position is out of range.
    pub fn equal(&self, i: usize, j: usize) -> bool {
        self.a[i] == self.b[j]
    }
}

/// The reason why a lens cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LensError {
    /// The task does not have this lens, the lens explains other costs or points, or the settings belong to another
    /// lens.
    #[error("This task has no such view.")]
    Task,
    /// A text is longer than the picture of the lens allows.
    #[error("{text} has {got} symbols. This view shows at most {most}.")]
    TooLong {
        /// The text that is too long: `a` or `b`.
        text: char,
        /// Number of symbols of the text.
        got: usize,
        /// Maximum number of symbols that the lens allows for the text.
        most: usize,
    },
}

/// Opens the lens `name` on the two texts of a job of `task`. Takes at most O(|a||b|) time.
///
/// # Errors
/// Returns an error in these cases: The task does not have this lens with these costs or points. Symbols match in another
/// way than by equality. The settings belong to another lens. A text has more symbols than [`LensName::max_symbols`] allows.
pub fn open(name: LensName, task: Task, texts: &LensTexts, settings: &LensSettings) -> Result<Box<dyn Lens>, LensError> {
    let is_of_task = LensName::for_task(task).contains(&name) && name.suits(texts.costs, &texts.scoring);
    if !is_of_task || !texts.symbol_match.is_equality() || settings.name() != name {
        return Err(LensError::Task);
    }
    let (most_a, most_b) = name.max_symbols();
    for (text, got, most) in [('a', texts.a.len(), most_a), ('b', texts.b.len(), most_b)] {
        if got > most {
            return Err(LensError::TooLong { text, got, most });
        }
    }
    Ok(match name {
        LensName::Traceback => Box::new(traceback::TracebackLens::new(task, texts)),
        LensName::TwoRows => Box::new(two_rows::TwoRowsLens::new(task, texts)),
        LensName::Hirschberg => Box::new(hirschberg::HirschbergLens::new(texts)),
        LensName::Naive => Box::new(sliding::SlidingLens::naive(texts)),
        LensName::Kmp => Box::new(sliding::SlidingLens::kmp(texts)),
        LensName::Slices => Box::new(slices::SlicesLens::new(texts, settings)),
        LensName::ShiftAnd => Box::new(shift::ShiftLens::shift_and(texts, settings)),
        LensName::ShiftAdd => Box::new(shift::ShiftLens::shift_add(texts)),
        LensName::ParallelShiftAdd => Box::new(streams::StreamsLens::new(texts, settings)),
        LensName::BitVectors => Box::new(bit_vectors::BitVectorLens::new(task, texts, settings)),
        LensName::Machine => Box::new(machine::MachineLens::new(settings)),
        LensName::FailureTable => Box::new(table::FailureTableLens::new(texts)),
        LensName::Pieces => Box::new(pieces::PiecesLens::new(texts)),
        LensName::CarrySelect => Box::new(carry_select::CarrySelectLens::new(texts, settings)),
        LensName::Rows => Box::new(filling::FillingLens::new(FillOrder::Row, task, texts)),
        LensName::Columns => Box::new(filling::FillingLens::new(FillOrder::Column, task, texts)),
        LensName::Diagonals => Box::new(filling::FillingLens::new(FillOrder::Diagonal, task, texts)),
        LensName::Band => Box::new(filling::FillingLens::new(FillOrder::Band, task, texts)),
        LensName::CutOff => Box::new(filling::FillingLens::new(FillOrder::CutOff, task, texts)),
        LensName::Offsets => Box::new(filling::FillingLens::new(FillOrder::Offset, task, texts)),
        LensName::Furthest => Box::new(furthest::FurthestLens::new(task, texts)),
        LensName::Osa => Box::new(osa::OsaLens::new(texts)),
        LensName::NeedlemanWunsch | LensName::SmithWaterman | LensName::Gotoh => {
            Box::new(scored::ScoredLens::new(texts).ok_or(LensError::Task)?)
        }
    })
}

/// Returns the filled matrix of `task` for the texts of a lens, which are always short enough for a matrix.
fn filled(task: Task, texts: &LensTexts) -> DpMatrix {
    DpMatrix::new(task, texts.costs, texts.a.clone(), texts.b.clone()).expect("texts of a lens are shorter than those of a matrix")
}

/// Returns the sums of `matrix` that can give the value of `cell`, for display. The first sum that equals the value is
/// marked as chosen, further ones as equally good.
fn sums_of(matrix: &DpMatrix, cell: MatrixCell) -> Vec<PanelSum> {
    let mut is_taken = false;
    let of = |sum: crate::matrix::CellSum| {
        let mark = match (sum.wins, is_taken) {
            (false, _) => None,
            (true, true) => Some(LensMark::Also),
            (true, false) => Some(LensMark::Chosen),
        };
        is_taken |= sum.wins;
        let (value, adds) = (sum.value.count().into(), sum.adds);
        PanelSum { key: input_key(sum.input), from: (sum.from.i, sum.from.j), value, adds, mark }
    };
    matrix.sums(cell).map(of).collect()
}

/// Returns the translation key for the name of the direction from which a value of the matrix comes.
fn input_key(input: CellInput) -> &'static str {
    match input {
        CellInput::Corner => "input.corner",
        CellInput::Above => "input.above",
        CellInput::Left => "input.left",
        CellInput::TwoBack => "input.two-back",
    }
}

/// Creates a line of pseudo-code. `number` is the line number in the publication, or empty. If no line has a published
/// number, the page numbers all lines from 1.
const fn line(number: &'static str, text: &'static str) -> CodeLine {
    CodeLine { number, text }
}

#[cfg(test)]
mod tests;
