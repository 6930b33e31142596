//! Optimal alignments: how many there are, the cells on any of them, each by its number.
//!
//! Walks lead from an end back over inputs that win. `walks[cell]` is the number of walks from a cell to a beginning:
//!
//! ```text
//! walks[beginning] = 1,  walks[cell] = Σ walks[input] over the inputs that win
//! ```
//!
//! Walks are numbered as tracing back finds them: ends from left to right, and at each cell corner before above before left. The
//! number says which way to go: through the first input whose walks, with those of the inputs before it, are more.

use kernels::alignment::{Alignment, Edit};
use kernels::failure::Failure;

use super::natural::Natural;
use super::{Cell, MOST_GRID, Matrix, Sum, fits};

/// All optimal alignments of a matrix.
#[derive(Clone, Debug)]
pub struct Optimal {
    ends: Vec<Cell>,
    total: Natural,
    /// Walks from each cell back to a beginning, row by row; 0 off all of them.
    walks: Vec<Natural>,
    /// Walks from the ends to each cell.
    arrivals: Vec<Natural>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its cells, from the beginning to the end: one more than it has columns.
    pub cells: Vec<Cell>,
    /// What each step between them does.
    pub edits: Vec<Edit>,
}

impl Path {
    /// The alignment of `a` to the part of `b` that it covers.
    pub fn alignment(&self) -> Alignment {
        let mut alignment = Alignment::default();
        self.edits.iter().for_each(|&edit| alignment.push(edit, 1));
        alignment.starting_at(self.cells.first().map_or(0, |cell| cell.j as u64))
    }
}

impl Optimal {
    /// Counts all walks through every cell. Time and memory O(cells · digits of a count).
    ///
    /// # Errors
    /// `TooLarge` when a text has more than [`MOST_GRID`] symbols: then [`count`] is what can be told.
    pub fn of(matrix: &Matrix) -> Result<Self, Failure> {
        let Cell { i, j } = matrix.last();
        fits(i, j, MOST_GRID)?;
        let ends = matrix.ends();
        let none = || vec![Natural::ZERO; (i + 1) * (j + 1)];
        let (mut walks, mut arrivals) = (none(), none());
        for cell in matrix.cells() {
            walks[matrix.index(cell)] = match matrix.is_beginning(cell) {
                true => Natural::from(1),
                false => winning(matrix, cell).fold(Natural::ZERO, |sum, won| plus(sum, &walks[matrix.index(won.from)])),
            };
        }
        ends.iter().for_each(|&end| arrivals[matrix.index(end)] = Natural::from(1));
        let backwards: Vec<Cell> = matrix.cells().collect();
        for cell in backwards.into_iter().rev() {
            let here = arrivals[matrix.index(cell)].clone();
            if !here.is_zero() && !matrix.is_beginning(cell) {
                winning(matrix, cell).for_each(|won| arrivals[matrix.index(won.from)].add(&here));
            }
        }
        let total = ends.iter().fold(Natural::ZERO, |sum, &end| plus(sum, &walks[matrix.index(end)]));
        Ok(Self { ends, total, walks, arrivals })
    }

    /// How many there are.
    pub fn total(&self) -> &Natural {
        &self.total
    }

    /// Whether a cell is on any of them.
    pub fn is_on(&self, matrix: &Matrix, cell: Cell) -> bool {
        !self.arrivals[matrix.index(cell)].is_zero()
    }

    /// How many of them lead through a cell.
    pub fn through(&self, matrix: &Matrix, cell: Cell) -> Natural {
        let at = matrix.index(cell);
        self.arrivals[at].times(&self.walks[at])
    }

    /// The one with this number, from 0; `None` where there are not so many. Time O(|a| + |b|) comparisons.
    pub fn path(&self, matrix: &Matrix, number: &Natural) -> Option<Path> {
        let mut left = number.clone();
        let mut pass = |walks: &Natural| match left.clone().less(walks) {
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
        Some(Path { cells, edits })
    }
}

/// The first optimal alignment, for any matrix: what [`Optimal::path`] numbers 0. `None` where nothing was found. Time O(|a| + |b|).
pub fn first(matrix: &Matrix) -> Option<Path> {
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
    Some(Path { cells, edits })
}

/// How many optimal alignments there are, for any matrix; `None` where finding out would take more than `words` additions of 32 bits.
/// Memory O(|b| · digits of a count).
pub fn count(matrix: &Matrix, words: usize) -> Option<Natural> {
    let on = any(matrix);
    let Cell { i: rows, j: columns } = matrix.last();
    let mut spent = 0;
    // A row of sums is made of the row above it and of itself.
    let mut row = vec![Natural::ZERO; columns + 1];
    for i in 0..=rows {
        let above = std::mem::replace(&mut row, vec![Natural::ZERO; columns + 1]);
        for j in (0..=columns).filter(|&j| on[matrix.index(Cell { i, j })]) {
            let cell = Cell { i, j };
            row[j] = if matrix.is_beginning(cell) {
                Natural::from(1)
            } else {
                let of = |from: Cell| if from.i < i { &above[from.j] } else { &row[from.j] };
                winning(matrix, cell).fold(Natural::ZERO, |sum, won| plus(sum, of(won.from)))
            };
            spent += row[j].words() + 1;
        }
        if spent > words {
            return None;
        }
    }
    Some(matrix.ends().iter().fold(Natural::ZERO, |sum, end| plus(sum, &row[end.j])))
}

/// Whether each cell is on any optimal alignment, row by row, for any matrix. Time O(cells), memory a byte a cell.
pub fn any(matrix: &Matrix) -> Vec<bool> {
    let Cell { i: rows, j: columns } = matrix.last();
    let mut on = vec![false; (rows + 1) * (columns + 1)];
    matrix.ends().iter().for_each(|&end| on[matrix.index(end)] = true);
    for i in (0..=rows).rev() {
        for j in (0..=columns).rev() {
            let cell = Cell { i, j };
            if on[matrix.index(cell)] && !matrix.is_beginning(cell) {
                winning(matrix, cell).for_each(|won| on[matrix.index(won.from)] = true);
            }
        }
    }
    on
}

fn winning(matrix: &Matrix, cell: Cell) -> impl Iterator<Item = Sum> + use<'_> {
    matrix.sums(cell).filter(|sum| sum.wins)
}

fn plus(mut sum: Natural, other: &Natural) -> Natural {
    sum.add(other);
    sum
}
