//! Optimal alignments of a matrix. [`OptimalAlignmentCounts`] counts them and finds each by its number; [`first`],
//! [`count`] and [`any`] also work for long texts.
//!
//! An optimal alignment is a walk from a cell in which it may end, back over winning inputs. An input of a cell is an
//! earlier cell, and it wins if its sum gives the value of the cell. `walks[cell]` is the number of walks from a cell
//! to a cell at which an alignment may begin:
//!
//! ```text
//! walks[beginning] = 1,  walks[cell] = Σ walks[input] over the inputs that win
//! ```
//!
//! Walks are numbered in the order of tracing back: ends from left to right, and at each cell corner before above
//! before left before two back. To find a walk by its number, a step takes the first input at which the sum of walks of this and
//! earlier inputs exceeds the number.

use kernels::alignment::{Alignment, EditKind};
use kernels::failure::JobFailure;

use super::big_uint::BigUint;
use super::{CellSum, DpMatrix, MAX_GRID_SYMBOLS, MatrixCell, fits};

/// The numbers of optimal alignments through each cell of a matrix. With them, each alignment is found by its number.
#[derive(Clone, Debug)]
pub struct OptimalAlignmentCounts {
    ends: Vec<MatrixCell>,
    total: BigUint,
    /// For each cell, row by row, the number of walks back to a cell at which an alignment begins; 0 if there are no
    /// walks.
    walks: Vec<BigUint>,
    /// For each cell, row by row, the number of walks to it from the cells at which an optimal alignment ends.
    arrivals: Vec<BigUint>,
}

/// One optimal alignment, as a path through the cells of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimalPath {
    /// The cells of the path from the beginning of the alignment to its end. A step from a cell to the next one is one
    /// column of the alignment, or the two columns of a transposition.
    pub cells: Vec<MatrixCell>,
    /// The edit of each step from a cell of `cells` to the next one.
    pub edits: Vec<EditKind>,
}

impl OptimalPath {
    /// Returns the path as an alignment of `a` with the part of `b` that it covers.
    pub fn alignment(&self) -> Alignment {
        let mut alignment = Alignment::default();
        self.edits.iter().for_each(|&edit| alignment.push(edit, if edit == EditKind::Transpose { 2 } else { 1 }));
        alignment.starting_at(0, self.cells.first().map_or(0, |cell| cell.j as u64))
    }
}

impl OptimalAlignmentCounts {
    /// Counts the optimal alignments that pass through each cell of `matrix`. Takes O(cells · digits of a count) time
    /// and memory.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_GRID_SYMBOLS`] symbols; [`count`] also works for longer texts.
    pub fn new(matrix: &DpMatrix) -> Result<Self, JobFailure> {
        let MatrixCell { i, j } = matrix.last();
        fits(i, j, MAX_GRID_SYMBOLS)?;
        let ends = matrix.ends();
        let none = || vec![BigUint::ZERO; (i + 1) * (j + 1)];
        let (mut walks, mut arrivals) = (none(), none());
        for cell in matrix.cells() {
            walks[matrix.index(cell)] = match matrix.is_beginning(cell) {
                true => BigUint::from(1),
                false => winning(matrix, cell).fold(BigUint::ZERO, |sum, won| plus(sum, &walks[matrix.index(won.from)])),
            };
        }
        ends.iter().for_each(|&end| arrivals[matrix.index(end)] = BigUint::from(1));
        let backwards: Vec<MatrixCell> = matrix.cells().collect();
        for cell in backwards.into_iter().rev() {
            let here = arrivals[matrix.index(cell)].clone();
            if !here.is_zero() && !matrix.is_beginning(cell) {
                winning(matrix, cell).for_each(|won| arrivals[matrix.index(won.from)].add(&here));
            }
        }
        let total = ends.iter().fold(BigUint::ZERO, |sum, &end| plus(sum, &walks[matrix.index(end)]));
        Ok(Self { ends, total, walks, arrivals })
    }

    /// Returns the number of all optimal alignments.
    pub fn total(&self) -> &BigUint {
        &self.total
    }

    /// Returns whether any optimal alignment passes through `cell`. `matrix` must be the matrix that was counted.
    pub fn is_on(&self, matrix: &DpMatrix, cell: MatrixCell) -> bool {
        !self.arrivals[matrix.index(cell)].is_zero()
    }

    /// Returns the number of optimal alignments that pass through `cell`. `matrix` must be the matrix that was counted.
    pub fn count_through(&self, matrix: &DpMatrix, cell: MatrixCell) -> BigUint {
        let at = matrix.index(cell);
        self.arrivals[at].times(&self.walks[at])
    }

    /// Returns the optimal alignment with this `number`, from 0, or `None` if the number is too large. `matrix` must be
    /// the matrix that was counted. Takes O(|a| + |b|) comparisons of numbers.
    pub fn path(&self, matrix: &DpMatrix, number: &BigUint) -> Option<OptimalPath> {
        let mut left = number.clone();
        let mut pass = |walks: &BigUint| match left.clone().checked_sub(walks) {
            Some(less) => {
                left = less;
                false
            }
            None => true,
        };
        let mut cell = *self.ends.iter().find(|&&end| pass(&self.walks[matrix.index(end)]))?;
        let (mut cells, mut edits) = (vec![cell], Vec::new());
        while !matrix.is_beginning(cell) {
            let won = winning(matrix, cell).find(|won| pass(&self.walks[matrix.index(won.from)]))?;
            cell = won.from;
            cells.push(cell);
            edits.push(won.edit);
        }
        cells.reverse();
        edits.reverse();
        Some(OptimalPath { cells, edits })
    }
}

/// Returns the first optimal alignment of `matrix`, the one with number 0 in [`OptimalAlignmentCounts::path`]. Works
/// for a matrix of any size. Returns `None` if a search has no hit. Takes O(|a| + |b|) time.
pub fn first(matrix: &DpMatrix) -> Option<OptimalPath> {
    let mut cell = *matrix.ends().first()?;
    let (mut cells, mut edits) = (vec![cell], Vec::new());
    while !matrix.is_beginning(cell) {
        let won = winning(matrix, cell).next()?;
        cell = won.from;
        cells.push(cell);
        edits.push(won.edit);
    }
    cells.reverse();
    edits.reverse();
    Some(OptimalPath { cells, edits })
}

/// Counts the optimal alignments of a matrix of any size. Returns `None` if the count would take more than `words`
/// additions of 32-bit words. Takes O(|b| · digits of a count) memory, and one byte per cell.
pub fn count(matrix: &DpMatrix, words: usize) -> Option<BigUint> {
    let on = any(matrix);
    let MatrixCell { i: rows, j: columns } = matrix.last();
    let mut spent = 0;
    // A row of counts depends only on the two rows above it and on earlier counts of the same row, which comes first.
    let none = || vec![BigUint::ZERO; columns + 1];
    let mut counts = [none(), none(), none()];
    for i in 0..=rows {
        counts.rotate_right(1);
        counts[0] = none();
        for j in (0..=columns).filter(|&j| on[matrix.index(MatrixCell { i, j })]) {
            let cell = MatrixCell { i, j };
            let count = match matrix.is_beginning(cell) {
                true => BigUint::from(1),
                false => winning(matrix, cell).fold(BigUint::ZERO, |sum, CellSum { from, .. }| plus(sum, &counts[i - from.i][from.j])),
            };
            spent += count.words() + 1;
            counts[0][j] = count;
        }
        if spent > words {
            return None;
        }
    }
    Some(matrix.ends().iter().fold(BigUint::ZERO, |sum, end| plus(sum, &counts[0][end.j])))
}

/// Returns for each cell, row by row, whether any optimal alignment passes through it. Works for a matrix of any size.
/// Takes O(cells) time and one byte per cell.
pub fn any(matrix: &DpMatrix) -> Vec<bool> {
    let MatrixCell { i: rows, j: columns } = matrix.last();
    let mut on = vec![false; (rows + 1) * (columns + 1)];
    matrix.ends().iter().for_each(|&end| on[matrix.index(end)] = true);
    for i in (0..=rows).rev() {
        for j in (0..=columns).rev() {
            let cell = MatrixCell { i, j };
            if on[matrix.index(cell)] && !matrix.is_beginning(cell) {
                winning(matrix, cell).for_each(|won| on[matrix.index(won.from)] = true);
            }
        }
    }
    on
}

fn winning(matrix: &DpMatrix, cell: MatrixCell) -> impl Iterator<Item = CellSum> + use<'_> {
    matrix.sums(cell).filter(|sum| sum.wins)
}

fn plus(mut sum: BigUint, other: &BigUint) -> BigUint {
    sum.add(other);
    sum
}
