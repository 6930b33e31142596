//! A matrix as data: [`MatrixSymbols`] has the symbols of both texts, from which the page computes the cells again.
//! [`MatrixDocument`] also has all cells, for other clients.

use kernels::alignment::Alignment;
use kernels::cbor_struct;
use kernels::failure::JobFailure;
use kernels::job::{EditCosts, Task};
use kernels::text::{Pair, Text, TextSymbols};
use serde::{Deserialize, Serialize};

use super::big_uint::BigUint;
use super::{DpMatrix, MAX_MATRIX_SYMBOLS, MAX_WRITTEN_SYMBOLS, MatrixCell, fits, optimal};
use crate::excerpt::excerpt;

/// Maximum number of additions of 32-bit words to count the optimal alignments. So many additions take some tenths of a
/// second.
const MAX_COUNTING_ADDITIONS: usize = 100_000_000;

/// The symbols of both texts of a matrix, each as a displayed text and as a number. Equal numbers mean equal symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MatrixSymbols {
    /// The task of the matrix.
    pub task: Task,
    /// `edit-distance`: the cost of each kind of edit. Absent if each edit costs 1.
    #[serde(default, skip_serializing_if = "EditCosts::is_levenshtein")]
    pub costs: EditCosts,
    /// The displayed symbols of `a`.
    pub a: Vec<String>,
    /// The displayed symbols of `b`.
    pub b: Vec<String>,
    /// The symbols of `a` as numbers.
    pub a_numbers: Vec<u32>,
    /// The symbols of `b` as numbers.
    pub b_numbers: Vec<u32>,
    /// Number of optimal alignments, in decimal digits; absent if counting would take too long.
    pub optimal: Option<String>,
}

cbor_struct!(MatrixSymbols { task, costs, a, b, a_numbers, b_numbers, optimal });

/// The matrix of a task for two short texts: their symbols, the values of all cells, and one optimal alignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Matrix))]
pub struct MatrixDocument {
    /// The symbols of both texts, and the number of optimal alignments.
    #[serde(flatten)]
    pub sheet: MatrixSymbols,
    /// Values of the cells, row by row. Row `i` and column `j` are about the first `i` symbols of `a` and the first `j`
    /// of `b`, from 0 on.
    pub values: Vec<Vec<u32>>,
    /// For each cell, the earlier cells that give its value, as a sum: 1 for the corner (upper left), 2 for the cell
    /// above, 4 for the cell on the left, 8 for the cell two rows above and two columns to the left. In `exact-search`, a cell with the value 0 has the sum 0.
    pub inputs: Vec<Vec<u8>>,
    /// For each cell, whether any optimal alignment passes through it.
    pub on_optimal: Vec<Vec<bool>>,
    /// The requested optimal alignment; absent if a search has no hit.
    pub alignment: Option<OptimalAlignment>,
}

/// One of the optimal alignments of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimalAlignment {
    /// Number of this alignment among the optimal ones, from 0, in decimal digits.
    pub number: String,
    /// CIGAR of the alignment. Each exchange of two neighbouring symbols is two columns `T`.
    pub cigar: String,
    /// Number of symbols of `b` before the first column of the alignment.
    pub b_start: u64,
}

impl MatrixSymbols {
    /// Returns the symbols of both texts with the number of optimal alignments, and the matrix of `task`, in which the
    /// alignments were counted. Only `edit-distance` has `costs`; other tasks ignore them. Takes O(|a||b|) time.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_MATRIX_SYMBOLS`] symbols. Returns `BadInput` if `b` is divided
    /// into records that are searched separately.
    pub fn from_pair(task: Task, costs: EditCosts, pair: &Pair) -> Result<(Self, DpMatrix), JobFailure> {
        fits(pair.a.len(), pair.b.len(), MAX_MATRIX_SYMBOLS)?;
        if pair.b.has_separate_records() {
            return Err(JobFailure::bad_input("A matrix shows one record. Choose one record of b."));
        }
        let shown = |text: &Text| (0..text.len()).map(|at| excerpt(text.display_unit(at))).collect();
        let numbers = |symbols: &TextSymbols| -> Vec<u32> { (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect() };
        let (a_numbers, b_numbers) = (numbers(&pair.a_symbols), numbers(&pair.b_symbols));
        let matrix = DpMatrix::new(task, costs, a_numbers.clone(), b_numbers.clone())?;
        let optimal = optimal::count(&matrix, MAX_COUNTING_ADDITIONS).map(|count| count.to_string());
        Ok((Self { task, costs: matrix.costs(), a: shown(&pair.a), b: shown(&pair.b), a_numbers, b_numbers, optimal }, matrix))
    }

    /// Fills the matrix of these symbols again.
    ///
    /// # Errors
    /// Returns the same errors as [`DpMatrix::new`].
    pub fn matrix(&self) -> Result<DpMatrix, JobFailure> {
        DpMatrix::new(self.task, self.costs, self.a_numbers.clone(), self.b_numbers.clone())
    }
}

impl MatrixDocument {
    /// Returns the document of the matrix of `task` for `pair`, with these `costs` if the task is `edit-distance`. Of the optimal alignments, the document contains the
    /// one with this `number`, from 0.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_WRITTEN_SYMBOLS`] symbols. For alignments other than the first,
    /// the limit is [`MAX_GRID_SYMBOLS`](super::MAX_GRID_SYMBOLS) symbols. Returns `BadInput` if there is no alignment
    /// with this number, or if `b` is divided into records that are searched separately.
    pub fn from_pair(task: Task, costs: EditCosts, pair: &Pair, number: &BigUint) -> Result<Self, JobFailure> {
        fits(pair.a.len(), pair.b.len(), MAX_WRITTEN_SYMBOLS)?;
        let (sheet, matrix) = MatrixSymbols::from_pair(task, costs, pair)?;
        let path = if number.is_zero() {
            optimal::first(&matrix)
        } else {
            let all = optimal::OptimalAlignmentCounts::new(&matrix)?;
            let none = || JobFailure::bad_input(format!("There are {} optimal alignments, numbered from 0.", all.total()));
            Some(all.path(&matrix, number).ok_or_else(none)?)
        };
        let aligned = |alignment: Alignment| OptimalAlignment {
            number: number.to_string(),
            cigar: alignment.to_string(),
            b_start: alignment.b_start(),
        };
        let MatrixCell { i: rows, j: columns } = matrix.last();
        let on = optimal::any(&matrix);
        let row = |i: usize| (0..=columns).map(move |j| MatrixCell { i, j });
        Ok(Self {
            values: (0..=rows).map(|i| matrix.row(i).to_vec()).collect(),
            inputs: (0..=rows).map(|i| row(i).map(|cell| matrix.winners(cell)).collect()).collect(),
            on_optimal: on.chunks(columns + 1).map(<[bool]>::to_vec).collect(),
            alignment: path.map(|path| aligned(path.alignment())),
            sheet,
        })
    }
}
