//! The CPU engine of sequence alignment, for any points and affine gaps.
//!
//! ```text
//! H[i, j] = max(H[i−1, j−1] + points(a[i], b[j]),  E[i, j],  F[i, j],  0 if local)
//! E[i, j] = max(H[i−1, j] − open,  E[i−1, j]) − extend        a gap in b, which deletes symbols of a
//! F[i, j] = max(H[i, j−1] − open,  F[i, j−1]) − extend        a gap in a, which inserts symbols of b
//! ```
//!
//! Several alignments may have the highest score. The rule of all engines decides between their ranges: the alignment
//! ends first in `b`, then first in `a`; then it starts last in `b`, then last in `a`.
//!
//! A pass over both texts finds the score and the end. A second pass from the end backwards finds the start. Then the
//! pieces between start and end are aligned as whole texts.
//!
//! If gaps have no opening cost, a global alignment of long texts is one with the least sum of costs of its edits.
//!
//! - [`search`]: the passes of an alignment, and the alignment of its pieces
//! - [`coded`]: texts as integers in SIMD lanes
//! - [`lookup`]: points of the symbols in SIMD lanes
//! - [`differences`]: global and semi-global alignment by differences between neighbouring cells
//! - [`stored`]: a number for each cell of a tile
//! - [`values`]: the best end of an alignment in any cell, by the values of cells
//! - [`excluded`]: pairs that further pieces of a local alignment must not have, and [`constrained`]: the alignment of such a piece
//! - `cuda`: the passes over large matrices on a GPU
//! - [`effort`]: the expected cost for a planner

use std::cmp::Reverse;
use std::ops::Range;

use crate::alignment::Alignment;
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::job::{AlignmentMode, FreeEnds, GapCosts};
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::task::cost_model::CostPoints;
#[cfg(not(target_family = "wasm"))]
use cuda::DevicePasses;
use excluded::ExcludedPairs;
use search::Search;

mod coded;
mod constrained;
mod differences;
pub(crate) mod effort;
pub(crate) mod excluded;
mod lookup;
mod stored;
#[cfg(test)]
mod tests;
mod values;

/// The points of two symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SymbolPoints {
    /// Points of two equal symbols, and of two different ones.
    Equality { equal: i32, different: i32 },
    /// Points by classes of symbols.
    Table {
        /// The class of each symbol, by its number.
        classes: Vec<u8>,
        /// Number of classes.
        size: usize,
        /// A square table: the points of the classes x and y are at x · size + y.
        points: Vec<i32>,
    },
}

impl SymbolPoints {
    /// Returns the most points that two symbols may have.
    pub(crate) fn max(&self) -> i32 {
        match self {
            Self::Equality { equal, different } => *equal.max(different),
            Self::Table { points, .. } => points.iter().copied().max().unwrap_or(0),
        }
    }

    /// Returns the points of two symbols.
    pub(crate) fn of(&self, x: u32, y: u32) -> i32 {
        match self {
            Self::Equality { equal, different } => *if x == y { equal } else { different },
            Self::Table { classes, size, points } => points[usize::from(classes[x as usize]) * size + usize::from(classes[y as usize])],
        }
    }
}

/// The points and the kind of an alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlignmentModel {
    pub points: SymbolPoints,
    /// The rule by which columns are equal or substitutions.
    pub symbol_match: SymbolMatch,
    pub gap: GapCosts,
    pub mode: AlignmentMode,
    /// The ends that a semi-global alignment may leave out. Without effect in the other modes.
    pub free_ends: FreeEnds,
}

impl AlignmentModel {
    /// Creates the model of global alignments with the least sum of costs.
    pub(crate) fn of_costs(points: &CostPoints) -> Self {
        Self {
            points: SymbolPoints::Equality { equal: 0, different: points.different },
            symbol_match: SymbolMatch::Equal,
            gap: GapCosts { open: 0, extend: points.gap },
            mode: AlignmentMode::Global,
            free_ends: FreeEnds::NONE,
        }
    }

    /// Returns whether the score stays the same if both texts are exchanged.
    pub(crate) fn is_symmetric(&self) -> bool {
        let FreeEnds { a_start, a_end, b_start, b_end } = self.free_ends;
        let is_same_table = match &self.points {
            SymbolPoints::Equality { .. } => true,
            SymbolPoints::Table { size, points, .. } => (0..*size).all(|x| (0..x).all(|y| points[x * size + y] == points[y * size + x])),
        };
        is_same_table && (self.mode != AlignmentMode::SemiGlobal || (a_start, a_end) == (b_start, b_end))
    }

    /// Returns the points of two symbols that match, and of two others. Returns `None` if a matrix has the points.
    fn match_points(&self) -> Option<[i32; 2]> {
        match (&self.points, self.symbol_match) {
            (SymbolPoints::Equality { equal, different }, _) => Some([*equal, *different]),
            (SymbolPoints::Table { .. }, SymbolMatch::Overlap) => Some([self.points.of(1, 1), self.points.of(1, 2)]),
            (SymbolPoints::Table { .. }, SymbolMatch::Equal) => None,
        }
    }
}

/// The alignment with the highest score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BestAlignment {
    pub score: i64,
    /// The aligned piece of `a`.
    pub a: Range<u64>,
    /// The aligned piece of `b`.
    pub b: Range<u64>,
    /// The columns of both pieces, if they were requested.
    pub alignment: Option<Alignment>,
}

/// The best end of an alignment, with the highest score. Of several ends with this score, those in the first column are
/// better, and of these the one in the first row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BestEnd {
    score: i64,
    rows: usize,
    columns: usize,
}

impl BestEnd {
    /// Replaces this end by `other` if that is better.
    fn improve(&mut self, other: Self) {
        let key = |end: &Self| (Reverse(end.score), end.columns, end.rows);
        if key(&other) < key(self) {
            *self = other;
        }
    }
}

/// The width of integers for the cells of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellWidth {
    Bits8,
    Bits16,
    Bits32,
}

impl CellWidth {
    /// Returns the least width in which the symbols of two texts, or their classes, remain different.
    fn of_symbols<T: Symbol>(a: &[T], b: &[T], points: &SymbolPoints) -> Self {
        let is_below = |limit: u32| a.iter().chain(b).all(|symbol| symbol.number() < limit);
        match points {
            SymbolPoints::Equality { .. } if T::BYTES == 1 => Self::Bits8,
            SymbolPoints::Equality { .. } => {
                if is_below(1 << 16) {
                    Self::Bits16
                } else {
                    Self::Bits32
                }
            }
            SymbolPoints::Table { size, .. } => {
                if *size <= 1 << 7 {
                    Self::Bits8
                } else {
                    Self::Bits16
                }
            }
        }
    }
}

/// Evaluates an expression with a type of integers in which the symbols and the differences of a matrix fit.
macro_rules! with_differences {
    ($pieces:expr, $model:expr, |$cell:ident| $body:expr) => {
        match CellWidth::of_symbols($pieces[0], $pieces[1], &$model.points) {
            CellWidth::Bits8 if differences::fit($model.points.max(), $model.gap, i8::MAX.into()) => {
                type $cell = i8;
                $body
            }
            CellWidth::Bits8 | CellWidth::Bits16 => {
                type $cell = i16;
                $body
            }
            CellWidth::Bits32 => {
                type $cell = i32;
                $body
            }
        }
    };
}

#[cfg(not(target_family = "wasm"))]
pub(crate) mod cuda;
mod search;

/// Finds the alignment of `a` and `b` with the highest score, and its columns if `want` requests them.
///
/// Takes O(|a||b|) time, or less for a global alignment of similar texts. A vector computes up to 64 cells at once. Takes
/// O(|a| + |b|) memory for the score. The edges of tiles that an alignment needs take about 256 MB at most, unless a text
/// is longer than 2²⁰ symbols.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    model: &AlignmentModel,
    want: PairOutput,
    cpu: &Cpu,
    run: &Run,
) -> Result<BestAlignment, Halt> {
    solve_without(&ExcludedPairs::default(), [a, b], model, want, cpu, run)
}

/// Finds the best alignment like [`solve`], without any pair in `excluded`, if the alignment is local (Waterman and Eggert
/// 1987). A tile of the matrix with such a pair takes about 20 times as long as another one.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve_without<T: Symbol>(
    excluded: &ExcludedPairs,
    pieces: [&[T]; 2],
    model: &AlignmentModel,
    want: PairOutput,
    cpu: &Cpu,
    run: &Run,
) -> Result<BestAlignment, Halt> {
    let search = Search {
        model,
        threads: cpu.threads,
        run,
        excluded,
        #[cfg(not(target_family = "wasm"))]
        device: None,
    };
    search.best(pieces, want)
}

/// Finds the best alignment like [`solve`], with large matrices on the GPU of `device`.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, and `Engine` if the GPU fails. Returns `TooLarge` if a text is too long or needs
/// more memory than the GPU has.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn solve_on<T: Symbol>(
    device: DevicePasses,
    pieces: [&[T]; 2],
    model: &AlignmentModel,
    want: PairOutput,
    cpu: &Cpu,
    run: &Run,
) -> Result<BestAlignment, Halt> {
    Search { model, threads: cpu.threads, run, excluded: &ExcludedPairs::default(), device: Some(device) }.best(pieces, want)
}
