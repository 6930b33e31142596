//! Names of the lenses ([`LensName`]), with the tasks, the kind of steps, the parameters and the publication of each.

use kernels::job::{AlignmentMode, EditCosts, Scoring, Task};

use super::settings::LensParameter;
use super::{
    bit_vectors, carry_select, filling, furthest, hirschberg, machine, osa, pieces, scored, shift, slices, sliding, streams, sums, table,
    traceback, two_rows,
};
use crate::matrix::MAX_MATRIX_SYMBOLS;
use crate::matrix::order::FillOrder;

/// The name of a [`Lens`](super::Lens), a step-by-step view of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LensName {
    /// The way back through a filled matrix, which gives an alignment.
    Traceback,
    /// The matrix row by row, with only two rows in memory.
    TwoRows,
    /// A longest common subsequence in linear memory, by Hirschberg's method.
    Hirschberg,
    /// The pattern under the text, compared from its beginning at each position.
    Naive,
    /// The pattern under the text, with the failure table of Knuth, Morris and Pratt.
    Kmp,
    /// Approximate search by blocks of threads in overlapping slices of the text.
    Slices,
    /// Shift-And: exact search with a bit for each symbol of the pattern.
    ShiftAnd,
    /// Shift-Add: match count with a counter for each symbol of the pattern.
    ShiftAdd,
    /// Parallel Shift-Add: match count with a stream of bits for each distinct symbol of the pattern.
    ParallelShiftAdd,
    /// A column of the matrix as words of bits, with carries between them.
    BitVectors,
    /// Requests of threads to a memory with banks and to one with address groups.
    Machine,
    /// The construction of the failure table of Knuth, Morris and Pratt.
    FailureTable,
    /// The method of Knuth, Morris and Pratt with one thread for each piece of the text.
    Pieces,
    /// The matrix row by row.
    Rows,
    /// The matrix column by column.
    Columns,
    /// The matrix by anti-diagonals (from the lower left to the upper right).
    Diagonals,
    /// Only a band of diagonals of the matrix: the cells through which an optimal alignment can pass.
    Band,
    /// Only the cells of the matrix that an alignment within the distance of the nearest substring can reach.
    CutOff,
    /// The matrix by offsets (diagonals from the upper left to the lower right).
    Offsets,
    /// The addition of bit vectors with one thread per word.
    CarrySelect,
    /// The furthest row of each diagonal that 0, 1, 2, … edits reach.
    Furthest,
    /// The matrix row by row, with swaps of neighbouring symbols (optimal string alignment).
    Osa,
    /// The matrix of scores of whole texts.
    NeedlemanWunsch,
    /// The matrix of scores of pieces.
    SmithWaterman,
    /// The matrix of scores in three layers, for gaps with an opening cost.
    Gotoh,
}

/// The kind of work that one step of a lens shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepUnit {
    /// A step of the method itself, such as a row, a cell or a symbol.
    Step,
    /// A round, in which each thread does one step.
    Round,
    /// A comparison of two symbols.
    Comparison,
    /// A time unit of a memory machine.
    TimeUnit,
}

/// The publication in which a method is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodSource {
    /// Number of the paper, as in [`kernels::methods`]; empty for textbook methods.
    pub paper: &'static str,
    /// Section and listing or figure, or author and year.
    pub section: &'static str,
}

/// A sentence that a lens can show: a key of the catalogue of translated sentences, and the names of the values to
/// insert into its text.
pub type SentenceTemplate = (&'static str, &'static [&'static str]);

impl LensName {
    /// Every lens.
    pub const ALL: [Self; 25] = [
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
        Self::Rows,
        Self::Columns,
        Self::Diagonals,
        Self::Band,
        Self::CutOff,
        Self::Offsets,
        Self::CarrySelect,
        Self::Furthest,
        Self::Osa,
        Self::NeedlemanWunsch,
        Self::SmithWaterman,
        Self::Gotoh,
    ];

    /// Returns the word by which links name the lens.
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
            Self::Rows => FillOrder::Row.name(),
            Self::Columns => FillOrder::Column.name(),
            Self::Diagonals => FillOrder::Diagonal.name(),
            Self::Band => FillOrder::Band.name(),
            Self::CutOff => FillOrder::CutOff.name(),
            Self::Offsets => FillOrder::Offset.name(),
            Self::CarrySelect => "carry-select",
            Self::Furthest => "furthest-rows",
            Self::Osa => "osa",
            Self::NeedlemanWunsch => "needleman-wunsch",
            Self::SmithWaterman => "smith-waterman",
            Self::Gotoh => "gotoh",
        }
    }

    /// Returns the lens that links name by the word `name`, or `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lens| lens.name() == name)
    }

    /// Returns the lenses of a task, in the order in which the page offers them. Each [suits](Self::suits) some costs
    /// only.
    pub fn for_task(task: Task) -> &'static [Self] {
        match task {
            Task::SequenceAlignment => &[Self::NeedlemanWunsch, Self::SmithWaterman, Self::Gotoh],
            Task::EditDistance => &[
                Self::Rows,
                Self::Columns,
                Self::Diagonals,
                Self::Band,
                Self::BitVectors,
                Self::TwoRows,
                Self::Traceback,
                Self::Furthest,
                Self::Osa,
            ],
            Task::Lcs => &[
                Self::Rows,
                Self::Columns,
                Self::Diagonals,
                Self::Band,
                Self::BitVectors,
                Self::CarrySelect,
                Self::TwoRows,
                Self::Traceback,
                Self::Hirschberg,
                Self::Furthest,
            ],
            Task::ApproximateSearch => &[
                Self::Rows,
                Self::Columns,
                Self::Diagonals,
                Self::CutOff,
                Self::BitVectors,
                Self::TwoRows,
                Self::Traceback,
                Self::Slices,
                Self::Machine,
            ],
            Task::MatchCount => &[Self::Rows, Self::Columns, Self::Offsets, Self::ShiftAdd, Self::ParallelShiftAdd],
            Task::ExactSearch => {
                &[Self::Rows, Self::Columns, Self::Offsets, Self::Naive, Self::FailureTable, Self::Kmp, Self::Pieces, Self::ShiftAnd]
            }
        }
    }

    /// Returns whether the lens explains a method for these costs of edits, or for the points of `scoring` in
    /// `sequence-alignment`. Tasks without costs have those of Levenshtein.
    pub fn suits(self, costs: EditCosts, scoring: &Scoring) -> bool {
        let (has_layers, is_local) = (scoring.gap.open > 0, scoring.mode == AlignmentMode::Local);
        match self {
            Self::Osa => costs.transpose.is_some(),
            Self::NeedlemanWunsch => !has_layers && !is_local,
            Self::SmithWaterman => !has_layers && is_local,
            Self::Gotoh => has_layers,
            Self::Traceback | Self::TwoRows | Self::Hirschberg | Self::Naive | Self::Kmp | Self::Slices => costs.is_levenshtein(),
            Self::ShiftAnd | Self::ShiftAdd | Self::ParallelShiftAdd | Self::BitVectors | Self::Machine => costs.is_levenshtein(),
            Self::FailureTable | Self::Pieces | Self::Rows | Self::Columns | Self::Diagonals => costs.is_levenshtein(),
            Self::Band | Self::CutOff | Self::Offsets | Self::CarrySelect | Self::Furthest => costs.is_levenshtein(),
        }
    }

    /// Returns the kind of work that one step of the lens shows, such as a round or a comparison.
    pub fn unit(self) -> StepUnit {
        match self {
            Self::Traceback | Self::TwoRows | Self::Hirschberg | Self::Furthest | Self::Osa => StepUnit::Step,
            Self::NeedlemanWunsch | Self::SmithWaterman | Self::Gotoh => StepUnit::Step,
            Self::ShiftAnd | Self::ShiftAdd | Self::ParallelShiftAdd | Self::BitVectors => StepUnit::Step,
            Self::Rows | Self::Columns | Self::Diagonals | Self::Band | Self::CutOff | Self::Offsets | Self::CarrySelect => StepUnit::Step,
            Self::Machine => StepUnit::TimeUnit,
            Self::Naive | Self::Kmp | Self::FailureTable => StepUnit::Comparison,
            Self::Slices | Self::Pieces => StepUnit::Round,
        }
    }

    /// Returns the parameters of the lens that the reader can change.
    pub fn parameters(self) -> &'static [LensParameter] {
        match self {
            Self::Traceback | Self::TwoRows | Self::Hirschberg | Self::ShiftAdd | Self::Furthest | Self::Osa => &[],
            Self::NeedlemanWunsch | Self::SmithWaterman | Self::Gotoh => &[],
            Self::Naive | Self::Kmp | Self::FailureTable | Self::Pieces => &[],
            Self::Rows | Self::Columns | Self::Diagonals | Self::Band | Self::CutOff | Self::Offsets => &[],
            Self::Slices => slices::PARAMETERS,
            Self::ShiftAnd => shift::AND_PARAMETERS,
            Self::BitVectors => bit_vectors::PARAMETERS,
            Self::CarrySelect => carry_select::PARAMETERS,
            Self::Machine => machine::PARAMETERS,
            Self::ParallelShiftAdd => sums::PARAMETERS,
        }
    }

    /// Returns the maximum number of symbols of `a`, and the maximum number of symbols of `b`.
    pub fn max_symbols(self) -> (usize, usize) {
        match self {
            Self::Traceback | Self::TwoRows | Self::Hirschberg | Self::BitVectors | Self::Furthest | Self::Osa => (60, 60),
            Self::NeedlemanWunsch | Self::SmithWaterman => (60, 60),
            // Three layers take three times the room.
            Self::Gotoh => (30, 30),
            // The machine does not use the texts.
            Self::Machine => (MAX_MATRIX_SYMBOLS, MAX_MATRIX_SYMBOLS),
            Self::Rows | Self::Columns | Self::Diagonals | Self::Band | Self::CutOff | Self::Offsets | Self::CarrySelect => (60, 60),
            Self::Naive | Self::Kmp | Self::FailureTable | Self::ShiftAnd => (30, 60),
            Self::Slices | Self::Pieces | Self::ShiftAdd | Self::ParallelShiftAdd => (16, 60),
        }
    }

    /// Returns the publication of the method that the lens shows for `task`.
    pub fn source(self, task: Task) -> MethodSource {
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
            (Self::CarrySelect, _) => ("001", "3.4, Listing 5"),
            (Self::BitVectors, Task::Lcs) => ("001", "2.4, Listing 3"),
            (Self::BitVectors, _) => ("", "Myers 1999, Hyyrö 2003"),
            (Self::Machine, _) => ("000", "2, Figure 3"),
            (Self::Rows | Self::Columns | Self::Traceback, Task::Lcs) => ("001", "2.2, the recurrence"),
            (Self::Rows | Self::Columns | Self::Offsets, Task::MatchCount) => ("002", "3.1"),
            (Self::Rows | Self::Columns | Self::Offsets, Task::ExactSearch) => ("004", "V.A"),
            (Self::Rows | Self::Columns | Self::Offsets | Self::Traceback, _) => ("000", "4, the recurrence"),
            (Self::Diagonals, _) => ("000", "5, Improved parallel ASM algorithm"),
            (Self::Furthest, Task::Lcs) => ("", "Myers 1986"),
            (Self::Band | Self::CutOff | Self::Furthest, _) => ("", "Ukkonen 1985"),
            (Self::NeedlemanWunsch, _) => ("", "Needleman and Wunsch 1970"),
            (Self::SmithWaterman, _) => ("", "Smith and Waterman 1981"),
            (Self::Gotoh, _) => ("", "Gotoh 1982"),
            (Self::Osa, _) => ("", "Damerau 1964, Hyyrö 2003"),
        };
        MethodSource { paper, section }
    }

    /// Returns the sentences that the lens can show, each as its key and the names of the values to insert.
    pub fn sentence_templates(self) -> &'static [SentenceTemplate] {
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
            Self::Rows | Self::Columns | Self::Diagonals | Self::Band | Self::CutOff | Self::Offsets => filling::SAYS,
            Self::CarrySelect => carry_select::SAYS,
            Self::Furthest => furthest::SAYS,
            Self::Osa => osa::SAYS,
            Self::NeedlemanWunsch => scored::SAYS,
            Self::SmithWaterman => scored::LOCAL_SAYS,
            Self::Gotoh => scored::LAYER_SAYS,
        }
    }
}
