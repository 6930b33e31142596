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

use std::cmp::Reverse;
use std::ops::Range;

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::job::{AlignmentMode, FreeEnds, GapCosts};
use crate::pair::cpu::PairOutput;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

mod rows;
#[cfg(test)]
mod tests;

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
    pub gap: GapCosts,
    pub mode: AlignmentMode,
    /// The ends that a semi-global alignment may leave out. Without effect in the other modes.
    pub free_ends: FreeEnds,
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

/// The first row and column of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixStart {
    /// Alignments start in the first cell. With `free_rows` they may also start in other cells of the first column, and
    /// with `free_columns` in other cells of the first row.
    Edges { free_rows: bool, free_columns: bool },
    /// Alignments start in every cell.
    Anywhere,
}

/// The cells in which an alignment may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatrixEnd {
    /// The last cell. With `free_rows` also other cells of the last column, and with `free_columns` other cells of the
    /// last row.
    Edges { free_rows: bool, free_columns: bool },
    /// Every cell.
    Anywhere,
}

/// The best end of an alignment: that with the highest score, of these the one in the first column, of these the one in
/// the first row.
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

/// Finds the alignment of `a` and `b` with the highest score, and its columns if `want` requests them.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    model: &AlignmentModel,
    want: PairOutput,
    _cpu: &Cpu,
    run: &Run,
) -> Result<BestAlignment, Halt> {
    run.stage(RunStage::Compute)?;
    let free = if model.mode == AlignmentMode::SemiGlobal { model.free_ends } else { FreeEnds::NONE };
    let (start, end) = match model.mode {
        AlignmentMode::Local => (MatrixStart::Anywhere, MatrixEnd::Anywhere),
        AlignmentMode::Global | AlignmentMode::SemiGlobal => (
            MatrixStart::Edges { free_rows: free.a_start, free_columns: free.b_start },
            MatrixEnd::Edges { free_rows: free.a_end, free_columns: free.b_end },
        ),
    };
    let best = rows::best_end(a.len(), b.len(), |i, j| points(model, a[i], b[j]), model.gap, start, end, run)?;
    let (rows, columns) = (best.rows, best.columns);
    let is_whole_start = start == MatrixStart::Edges { free_rows: false, free_columns: false };
    let length = if is_whole_start {
        BestEnd { score: best.score, rows, columns }
    } else {
        let anchored = MatrixStart::Edges { free_rows: false, free_columns: false };
        let back = match start {
            MatrixStart::Edges { free_rows, free_columns } => MatrixEnd::Edges { free_rows, free_columns },
            MatrixStart::Anywhere => MatrixEnd::Anywhere,
        };
        let backwards = |i: usize, j: usize| points(model, a[rows - 1 - i], b[columns - 1 - j]);
        rows::best_end(rows, columns, backwards, model.gap, anchored, back, run)?
    };
    let (a_range, b_range) = (rows - length.rows..rows, columns - length.columns..columns);
    let alignment = match want {
        PairOutput::Distance => None,
        PairOutput::Alignment => {
            run.stage(RunStage::Traceback)?;
            Some(rows::align(&a[a_range.clone()], &b[b_range.clone()], |x, y| points(model, x, y), model.gap, run)?)
        }
    };
    let range = |range: Range<usize>| range.start as u64..range.end as u64;
    Ok(BestAlignment { score: best.score, a: range(a_range), b: range(b_range), alignment })
}

fn points<T: Symbol>(model: &AlignmentModel, x: T, y: T) -> i64 {
    model.points.of(x.number(), y.number()).into()
}
