//! Optimal alignments of a matrix. [`OptimalAlignmentCounts`] counts them and finds each by its number; [`first`],
//! [`count`] and [`any`] also work for long texts.
//!
//! An optimal alignment is a walk from a cell in which it may end, back over winning inputs. An input of a cell is an
//! earlier cell, and it wins if its sum gives the value of the cell. `walks[cell]` is the number of walks from a cell
//! to a cell at which an alignment may begin:
//!
//! ```text
//! walks[cell] = (1 if an alignment begins in the cell) + Σ walks[input] over the inputs that win
//! ```
//!
//! Walks are numbered in the order of tracing back: ends from left to right. At each cell, a walk that ends there is before
//! those to the corner, above, to the left and two back. To find a walk by its number, a step takes the first choice at
//! which the sum of walks of this and earlier choices exceeds the number.
//!
//! The first alignment of a matrix of scores is the one that the engines show ([`first`]). The walks before it follow it.

use kernels::alignment::{Alignment, EditKind};
use kernels::failure::JobFailure;

use super::big_uint::BigUint;
use super::{CellSum, DpMatrix, MAX_GRID_SYMBOLS, MatrixCell, MatrixLayer, MatrixNode, fits};

/// The numbers of optimal alignments through each cell of a matrix. With them, each alignment is found by its number.
#[derive(Clone, Debug)]
pub struct OptimalAlignmentCounts {
    ends: Vec<MatrixNode>,
    total: BigUint,
    /// For each cell, in the order of [`DpMatrix::index`], the number of walks back to a cell at which an alignment
    /// begins; 0 if there are no walks.
    walks: Vec<BigUint>,
    /// For each cell, the number of walks to it from the cells at which an optimal alignment ends.
    arrivals: Vec<BigUint>,
    /// The first alignment, and its number among the walks.
    first: Option<(OptimalPath, BigUint)>,
}

/// One optimal alignment, as a path through the cells of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimalPath {
    /// The cells of the path from the beginning of the alignment to its end. A step from a cell to the next one is one
    /// column of the alignment, or the two columns of a transposition.
    pub cells: Vec<MatrixCell>,
    /// The layer of each cell of `cells`.
    pub layers: Vec<MatrixLayer>,
    /// The edit of each step from a cell of `cells` to the next one.
    pub edits: Vec<EditKind>,
}

impl OptimalPath {
    /// Returns the path as an alignment of the parts of `a` and `b` that it covers.
    pub fn alignment(&self) -> Alignment {
        let mut alignment = Alignment::default();
        self.edits.iter().for_each(|&edit| alignment.push(edit, if edit == EditKind::Transpose { 2 } else { 1 }));
        let MatrixCell { i, j } = self.cells.first().copied().unwrap_or_default();
        alignment.starting_at(i as u64, j as u64)
    }

    /// Returns the cells of the path with their layers.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = MatrixNode> + ExactSizeIterator + '_ {
        self.layers.iter().zip(&self.cells).map(|(layer, &cell)| layer.at(cell))
    }

    /// Follows winning sums from `end` back to the beginning of an alignment. `choose` returns the sum to follow from a
    /// cell; without a sum, the alignment begins there.
    fn traced(end: MatrixNode, mut choose: impl FnMut(MatrixNode) -> Option<CellSum>) -> Self {
        let mut path = Self { cells: vec![end.cell], layers: vec![end.layer], edits: Vec::new() };
        let mut node = end;
        while let Some(sum) = choose(node) {
            node = sum.origin();
            path.cells.push(node.cell);
            path.layers.push(node.layer);
            path.edits.push(sum.edit);
        }
        path.cells.reverse();
        path.layers.reverse();
        path.edits.reverse();
        path
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
        let none = || vec![BigUint::ZERO; matrix.cell_count() * matrix.layers().len()];
        let (mut walks, mut arrivals) = (none(), none());
        for node in matrix.nodes() {
            walks[matrix.index(node)] =
                winning(matrix, node).fold(begun(matrix, node), |sum, won| plus(sum, &walks[matrix.index(won.origin())]));
        }
        ends.iter().for_each(|&end| arrivals[matrix.index(end)] = BigUint::from(1));
        let backwards: Vec<MatrixNode> = matrix.nodes().collect();
        for node in backwards.into_iter().rev() {
            let here = arrivals[matrix.index(node)].clone();
            if !here.is_zero() {
                winning(matrix, node).for_each(|won| arrivals[matrix.index(won.origin())].add(&here));
            }
        }
        let total = ends.iter().fold(BigUint::ZERO, |sum, &end| plus(sum, &walks[matrix.index(end)]));
        let mut counts = Self { ends, total, walks, arrivals, first: None };
        counts.first = first(matrix).map(|path| {
            let number = counts.number_of(matrix, &path);
            (path, number)
        });
        Ok(counts)
    }

    /// Returns the number of all optimal alignments.
    pub fn total(&self) -> &BigUint {
        &self.total
    }

    /// Returns whether any optimal alignment passes through a cell. `matrix` must be the matrix that was counted.
    pub fn is_on(&self, matrix: &DpMatrix, node: impl Into<MatrixNode>) -> bool {
        !self.arrivals[matrix.index(node)].is_zero()
    }

    /// Returns the number of optimal alignments that pass through a cell. `matrix` must be the matrix that was counted.
    pub fn count_through(&self, matrix: &DpMatrix, node: impl Into<MatrixNode>) -> BigUint {
        let at = matrix.index(node);
        self.arrivals[at].times(&self.walks[at])
    }

    /// Returns the optimal alignment with this `number`, from 0, or `None` if the number is too large. `matrix` must be
    /// the matrix that was counted. Takes O(|a| + |b|) comparisons of numbers.
    pub fn path(&self, matrix: &DpMatrix, number: &BigUint) -> Option<OptimalPath> {
        let (first, before) = self.first.as_ref()?;
        if number.is_zero() {
            return Some(first.clone());
        }
        // The first alignment is taken out of its place among the walks.
        let mut left = if number <= before { number.clone().checked_sub(&BigUint::from(1))? } else { number.clone() };
        let mut pass = |walks: &BigUint| match left.clone().checked_sub(walks) {
            Some(less) => {
                left = less;
                false
            }
            None => true,
        };
        let end = *self.ends.iter().find(|&&end| pass(&self.walks[matrix.index(end)]))?;
        Some(OptimalPath::traced(end, |node| {
            if matrix.is_beginning(node) && pass(&BigUint::from(1)) {
                return None;
            }
            winning(matrix, node).find(|won| pass(&self.walks[matrix.index(won.origin())]))
        }))
    }

    /// Returns the number of `path` among the walks.
    fn number_of(&self, matrix: &DpMatrix, path: &OptimalPath) -> BigUint {
        let mut nodes = path.nodes().rev();
        let Some(end) = nodes.next() else { return BigUint::ZERO };
        let ends = self.ends.iter().take_while(|&&other| other != end);
        let mut number = ends.fold(BigUint::ZERO, |sum, &other| plus(sum, &self.walks[matrix.index(other)]));
        let mut node = end;
        for earlier in nodes {
            number.add(&begun(matrix, node));
            let others = winning(matrix, node).take_while(|won| won.origin() != earlier);
            number = others.fold(number, |sum, won| plus(sum, &self.walks[matrix.index(won.origin())]));
            node = earlier;
        }
        number
    }
}

/// Returns the first optimal alignment of `matrix`, the one with number 0 in [`OptimalAlignmentCounts::path`]. Works
/// for a matrix of any size. Returns `None` if a search has no hit.
///
/// Of several alignments with the highest score, it is the one that the engines show: it ends first in `b`, then in `a`;
/// then it starts last in `b`, then in `a`. Takes O(|a| + |b|) time, or O(cells) time and one byte per cell if a scored
/// alignment may begin in several cells.
pub fn first(matrix: &DpMatrix) -> Option<OptimalPath> {
    let end = *matrix.ends().first()?;
    if !matrix.has_free_start() {
        return Some(OptimalPath::traced(end, |node| winning(matrix, node).next()));
    }
    let mut leads = vec![false; matrix.cell_count() * matrix.layers().len()];
    mark_walks(matrix, &[end], &mut leads);
    let begins = matrix.cells().filter(|&cell| leads[matrix.index(cell)] && matrix.is_beginning(cell));
    let start = begins.max_by_key(|cell| (cell.j, cell.i))?;
    // Only cells to which a walk from the start leads remain marked.
    for node in matrix.nodes() {
        let at = matrix.index(node);
        leads[at] &= node == start.into() || winning(matrix, node).any(|won| leads[matrix.index(won.origin())]);
    }
    let next = |node| winning(matrix, node).find(|won| leads[matrix.index(won.origin())]).filter(|_| node != start.into());
    Some(OptimalPath::traced(end, next))
}

/// Counts the optimal alignments of a matrix of any size. Returns `None` if the count would take more than `words`
/// additions of 32-bit words. Takes O(|b| · digits of a count) memory, and one byte per cell.
pub fn count(matrix: &DpMatrix, words: usize) -> Option<BigUint> {
    let on = any(matrix);
    let MatrixCell { i: rows, j: columns } = matrix.last();
    let (width, ends) = (columns + 1, matrix.ends());
    let mut spent = 0;
    let mut total = BigUint::ZERO;
    // A row of counts depends only on the two rows above it and on earlier counts of the same row, which comes first.
    let none = || vec![BigUint::ZERO; width * matrix.layers().len()];
    let mut counts = [none(), none(), none()];
    let place = |node: MatrixNode| node.layer as usize * width + node.cell.j;
    for i in 0..=rows {
        counts.rotate_right(1);
        counts[0] = none();
        let row = (0..=columns).flat_map(|j| matrix.layers().iter().map(move |layer| layer.at(MatrixCell { i, j })));
        for node in row.filter(|&node| on[matrix.index(node)]) {
            let count = winning(matrix, node).fold(begun(matrix, node), |sum, won| plus(sum, &counts[i - won.from.i][place(won.origin())]));
            spent += count.words() + 1;
            counts[0][place(node)] = count;
        }
        if spent > words {
            return None;
        }
        ends.iter().filter(|end| end.cell.i == i).for_each(|&end| total.add(&counts[0][place(end)]));
    }
    Some(total)
}

/// Returns for each cell, in the order of [`DpMatrix::index`], whether any optimal alignment passes through it. Works for
/// a matrix of any size. Takes O(cells) time and one byte per cell.
pub fn any(matrix: &DpMatrix) -> Vec<bool> {
    let mut on = vec![false; matrix.cell_count() * matrix.layers().len()];
    mark_walks(matrix, &matrix.ends(), &mut on);
    on
}

/// Marks in `on` the cells of all walks that begin in `ends`.
fn mark_walks(matrix: &DpMatrix, ends: &[MatrixNode], on: &mut [bool]) {
    ends.iter().for_each(|&end| on[matrix.index(end)] = true);
    let MatrixCell { i: rows, j: columns } = matrix.last();
    for cell in (0..=rows).rev().flat_map(|i| (0..=columns).rev().map(move |j| MatrixCell { i, j })) {
        for node in matrix.layers().iter().map(|layer| layer.at(cell)) {
            if on[matrix.index(node)] {
                winning(matrix, node).for_each(|won| on[matrix.index(won.origin())] = true);
            }
        }
    }
}

/// Returns the number of walks that end at once in `node`: 1 if an alignment begins there, else 0.
fn begun(matrix: &DpMatrix, node: MatrixNode) -> BigUint {
    BigUint::from(u32::from(matrix.is_beginning(node)))
}

fn winning(matrix: &DpMatrix, node: MatrixNode) -> impl Iterator<Item = CellSum> + use<'_> {
    matrix.sums(node).filter(|sum| sum.wins)
}

fn plus(mut sum: BigUint, other: &BigUint) -> BigUint {
    sum.add(other);
    sum
}
