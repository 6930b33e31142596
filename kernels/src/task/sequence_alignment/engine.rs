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
//! - [`coded`]: texts as integers in SIMD lanes
//! - [`lookup`]: points of the symbols in SIMD lanes
//! - [`differences`]: global and semi-global alignment by differences between neighbouring cells
//! - [`stored`]: a number for each cell of a tile
//! - [`values`]: the best end of an alignment in any cell, by the values of cells
//! - [`wavefront`]: the order in which several threads compute tiles

use std::cmp::Reverse;
use std::ops::Range;

use crate::alignment::{Alignment, CigarOp, EditKind};
use crate::cpu::Cpu;
use crate::event::RunStage;
use crate::failure::JobFailure;
use crate::job::{AlignmentMode, FreeEnds, GapCosts};
use crate::pair::cpu::PairOutput;
use crate::pair::cpu::affix::CommonAffix;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use coded::Direction;
use differences::FreeEdges;
use values::ValueMatrix;

mod coded;
mod differences;
mod lookup;
mod stored;
#[cfg(test)]
mod tests;
mod values;
mod wavefront;

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

/// Minimum number of symbols before the end of an alignment that are searched for its start.
const MIN_WINDOW: usize = 64;

impl SymbolPoints {
    /// Returns the most points that two symbols may have.
    fn max(&self) -> i32 {
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
            CellWidth::Bits8 if differences::fit($model, i8::MAX.into()) => {
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

/// Finds the alignment of `a` and `b` with the highest score, and its columns if `want` requests them.
///
/// Takes O(|a||b|) time. A vector computes up to 64 cells at once. Takes O(|a| + |b|) memory for the score. The edges of
/// tiles that an alignment needs take at most about 256 MB, if texts have at most 2²¹ symbols.
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
    run.stage(RunStage::Compute)?;
    let search = Search { model, threads: cpu.threads, run };
    let whole = BestEnd { score: 0, rows: a.len(), columns: b.len() };
    let (end, len) = match model.mode {
        AlignmentMode::Global => (whole, whole),
        AlignmentMode::SemiGlobal => search.semi_global([a, b], model.free_ends)?,
        AlignmentMode::Local => search.local([a, b])?,
    };
    let (a_range, b_range) = (end.rows - len.rows..end.rows, end.columns - len.columns..end.columns);
    let range = |range: &Range<usize>| range.start as u64..range.end as u64;
    let mut best = BestAlignment { score: len.score, a: range(&a_range), b: range(&b_range), alignment: None };
    let pieces = [&a[a_range], &b[b_range]];
    match want {
        PairOutput::Distance if model.mode == AlignmentMode::Global => best.score = search.global_score(pieces)?,
        PairOutput::Distance => {}
        PairOutput::Alignment => {
            let (score, alignment) = search.align(pieces)?;
            if model.mode != AlignmentMode::Global && score != best.score {
                return Err(JobFailure::engine("The pieces of an alignment have another score than the whole texts.").into());
            }
            (best.score, best.alignment) = (score, Some(alignment));
        }
    }
    Ok(best)
}

/// The search for an alignment with a model.
struct Search<'s, 'r> {
    model: &'s AlignmentModel,
    threads: usize,
    run: &'s Run<'r>,
}

impl Search<'_, '_> {
    /// Finds the end of the best semi-global alignment, and the lengths of both pieces.
    fn semi_global<T: Symbol>(&self, pieces: [&[T]; 2], free: FreeEnds) -> Result<(BestEnd, BestEnd), Halt> {
        let starts = FreeEdges { rows: free.a_start, columns: free.b_start };
        let ends = FreeEdges { rows: free.a_end, columns: free.b_end };
        if ends == FreeEdges::NONE {
            let whole = BestEnd { score: 0, rows: pieces[0].len(), columns: pieces[1].len() };
            return Ok((whole, self.edge_end(pieces, Direction::Backwards, FreeEdges::NONE, starts)?));
        }
        let end = self.edge_end(pieces, Direction::Forwards, starts, ends)?;
        if starts == FreeEdges::NONE {
            return Ok((end, end));
        }
        let (a, b) = (&pieces[0][..end.rows], &pieces[1][..end.columns]);
        // Each text whose start is free is searched in growing windows before the end. The other is needed as a whole.
        let is_windowed = starts.rows != starts.columns;
        let mut window = 2 * if starts.rows { b.len() } else { a.len() } + MIN_WINDOW;
        loop {
            let rows = if is_windowed && starts.rows { in_window(window, a.len()) } else { a.len() };
            let columns = if is_windowed && starts.columns { in_window(window, b.len()) } else { b.len() };
            let len = self.edge_end([&a[a.len() - rows..], &b[b.len() - columns..]], Direction::Backwards, FreeEdges::NONE, starts)?;
            if len.score == end.score {
                return Ok((end, len));
            }
            if rows == a.len() && columns == b.len() {
                return Err(no_start());
            }
            window = window.saturating_mul(2);
        }
    }

    /// Finds the end of the best local alignment, and the lengths of both pieces.
    fn local<T: Symbol>(&self, pieces: [&[T]; 2]) -> Result<(BestEnd, BestEnd), Halt> {
        let end = self.local_end(pieces, Direction::Forwards)?;
        if end.score == 0 {
            return Ok((end, end));
        }
        let (a, b) = (&pieces[0][..end.rows], &pieces[1][..end.columns]);
        let before_end =
            |rows: usize, columns: usize| self.local_end([&a[a.len() - rows..], &b[b.len() - columns..]], Direction::Backwards);
        let points = i64::from(self.model.points.max());
        let mut window = (2 * end.score / points) as usize + MIN_WINDOW;
        loop {
            let (rows, columns) = (in_window(window, a.len()), in_window(window, b.len()));
            let len = before_end(rows, columns)?;
            if len.score == end.score {
                // An alignment with fewer symbols of b may have more symbols of a than the window.
                let columns = len.columns - 1;
                let reach = self.reach(columns, end.score).min(a.len());
                if reach > rows && points * columns as i64 >= end.score {
                    let other = before_end(reach, columns)?;
                    if other.score == end.score {
                        return Ok((end, other));
                    }
                }
                return Ok((end, len));
            }
            if rows == a.len() && columns == b.len() {
                return Err(no_start());
            }
            window = window.saturating_mul(2);
        }
    }

    /// Returns an upper bound of the number of symbols of `a` in an alignment with `columns` symbols of `b` and at least
    /// the score `score`.
    fn reach(&self, columns: usize, score: i64) -> usize {
        let left = i64::from(self.model.points.max()) * columns as i64 - i64::from(self.model.gap.open) - score;
        match i64::from(self.model.gap.extend) {
            _ if left < 0 => columns,
            0 => usize::MAX,
            extend => columns.saturating_add((left / extend) as usize),
        }
    }

    /// Finds the best end of an alignment in the last row or column, if gaps along `starts` and `ends` are free.
    fn edge_end<T: Symbol>(&self, pieces: [&[T]; 2], direction: Direction, starts: FreeEdges, ends: FreeEdges) -> Result<BestEnd, Halt> {
        with_differences!(pieces, self.model, |C| {
            differences::Matrix::<C>::new(pieces[0], pieces[1], self.model, direction).best_end(starts, ends, self.threads, self.run)
        })
    }

    /// Finds the best end of an alignment in any cell. An alignment may start in any cell if the texts are read forwards,
    /// otherwise only in the first one.
    fn local_end<T: Symbol>(&self, pieces: [&[T]; 2], direction: Direction) -> Result<BestEnd, Halt> {
        let [a, b] = pieces;
        let is_local = direction == Direction::Forwards;
        let width = CellWidth::of_symbols(a, b, &self.model.points);
        match values::max_tile(self.model, i16::MAX.into()) {
            Some(tile) if width <= CellWidth::Bits16 => {
                ValueMatrix::<i16>::new(a, b, self.model, direction, is_local, tile).best_end(self.threads, self.run)
            }
            _ => ValueMatrix::<i32>::new(a, b, self.model, direction, is_local, values::MAX_TILE).best_end(self.threads, self.run),
        }
    }

    /// Computes the score of the best alignment of both whole texts.
    fn global_score<T: Symbol>(&self, pieces: [&[T]; 2]) -> Result<i64, Halt> {
        let (ends, a, b) = self.cut(pieces);
        let score = self.edge_end([a, b], Direction::Forwards, FreeEdges::NONE, FreeEdges::NONE)?.score;
        Ok(score + self.points_of(ends))
    }

    /// Finds the best alignment of both whole texts, and its score.
    fn align<T: Symbol>(&self, pieces: [&[T]; 2]) -> Result<(i64, Alignment), Halt> {
        let (ends, a, b) = self.cut(pieces);
        let middle = [a, b];
        let (score, pairs) = with_differences!(middle, self.model, |C| {
            differences::Matrix::<C>::new(a, b, self.model, Direction::Forwards).align(self.threads, self.run)?
        });
        Ok((score + self.points_of(ends), ends.around(distinguish(&pairs, a, b))))
    }

    /// Cuts the common prefix and suffix off two texts, if an optimal alignment may pair their symbols.
    fn cut<'t, T: Symbol>(&self, [a, b]: [&'t [T]; 2]) -> (CommonAffix, &'t [T], &'t [T]) {
        match self.model.points {
            // A pair of the first symbols has at least as many points as any other pair, or as two symbols in gaps.
            SymbolPoints::Equality { equal, different } if equal >= different && equal + 2 * self.model.gap.extend as i32 >= 0 => {
                CommonAffix::cut(a, b)
            }
            SymbolPoints::Equality { .. } | SymbolPoints::Table { .. } => (CommonAffix { prefix: 0, suffix: 0 }, a, b),
        }
    }

    /// Returns the points of the pairs of a common prefix and suffix.
    fn points_of(&self, ends: CommonAffix) -> i64 {
        match self.model.points {
            SymbolPoints::Equality { equal, .. } => i64::from(equal) * (ends.prefix + ends.suffix) as i64,
            SymbolPoints::Table { .. } => 0,
        }
    }
}

/// Returns the number of symbols in a window, or `len` if the next window would have that many.
fn in_window(window: usize, len: usize) -> usize {
    if window.saturating_mul(2) > len { len } else { window }
}

fn no_start() -> Halt {
    JobFailure::engine("An alignment has an end but no start.").into()
}

/// Returns `pairs`, an alignment of `a` and `b` in which `Equal` stands for all pairs, with pairs of different symbols as
/// substitutions.
fn distinguish<T: Symbol>(pairs: &Alignment, a: &[T], b: &[T]) -> Alignment {
    let mut alignment = Alignment::with_capacity(pairs.cigar_ops().len());
    let (mut i, mut j) = (0, 0);
    for &CigarOp { edit, len } in pairs.cigar_ops() {
        let len = len as usize;
        if edit == EditKind::Equal {
            let (mut x, mut y) = (&a[i..i + len], &b[j..j + len]);
            while !x.is_empty() {
                let equal = T::common_prefix(x, y);
                alignment.push(EditKind::Equal, equal as u64);
                let different = x[equal..].iter().zip(&y[equal..]).take_while(|(x, y)| x != y).count();
                alignment.push(EditKind::Substitute, different as u64);
                (x, y) = (&x[equal + different..], &y[equal + different..]);
            }
        } else {
            alignment.push(edit, len as u64);
        }
        let (rows, columns) = edit.consumed_symbols();
        (i, j) = (i + rows as usize * len, j + columns as usize * len);
    }
    alignment
}
