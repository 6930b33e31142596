//! What is handed out of a matrix: the symbols of both texts, from which whoever has the code fills it again, and the whole as a
//! document for those who have not.

use kernels::alignment::Alignment;
use kernels::cbor_struct;
use kernels::failure::Failure;
use kernels::job::Task;
use kernels::text::{Pair, Symbols, Text};
use serde::{Deserialize, Serialize};

use super::natural::Natural;
use super::{Cell, MOST, MOST_WRITTEN, Matrix, fits, optimal};
use crate::excerpt::excerpt;

/// Additions of 32 bits that counting optimal alignments may take: some tenths of a second.
const COUNTED_WORDS: usize = 100_000_000;

/// The symbols of both texts. Where two numbers are equal, so are the symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatrixSymbols))]
pub struct Sheet {
    /// Whose matrix it is.
    pub task: Task,
    /// The symbols of `a` as they are shown.
    pub a: Vec<String>,
    /// Those of `b`.
    pub b: Vec<String>,
    /// The symbols of `a` as numbers.
    pub a_numbers: Vec<u32>,
    /// Those of `b`.
    pub b_numbers: Vec<u32>,
    /// How many optimal alignments there are, in decimal; `None` where that takes too long to find out.
    pub optimal: Option<String>,
}

cbor_struct!(Sheet { task, a, b, a_numbers, b_numbers, optimal });

/// A whole matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Matrix))]
pub struct Document {
    /// The symbols, and how many optimal alignments there are.
    #[serde(flatten)]
    pub sheet: Sheet,
    /// The rows of values, from that of the empty text on.
    pub values: Vec<Vec<u16>>,
    /// For each cell which inputs win: corner 1, above 2, left 4, added up.
    pub inputs: Vec<Vec<u8>>,
    /// For each cell whether it is on any optimal alignment.
    pub on_optimal: Vec<Vec<bool>>,
    /// One optimal alignment: the CIGAR, and the first symbol of `b` under it. `None` where nothing was found.
    pub alignment: Option<Aligned>,
}

/// One of the optimal alignments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = OptimalAlignment))]
pub struct Aligned {
    /// Its number, from 0, in decimal.
    pub number: String,
    /// Its columns.
    pub cigar: String,
    /// Symbols of `b` before its first column.
    pub b_start: u64,
}

impl Sheet {
    /// The sheet of two texts, and the matrix that it was counted in. Time O(|a||b|).
    ///
    /// # Errors
    /// `TooLarge` when a text has more than [`MOST`] symbols.
    pub fn of(task: Task, pair: &Pair) -> Result<(Self, Matrix), Failure> {
        fits(pair.a.len(), pair.b.len(), MOST)?;
        if pair.b.is_apart() {
            return Err(Failure::bad_input("A matrix shows one record. Choose one record of b."));
        }
        let shown = |text: &Text| (0..text.len()).map(|at| excerpt(text.show(at))).collect();
        let numbers = |symbols: &Symbols| -> Vec<u32> { (0..symbols.len()).map(|at| symbols.at(at)).collect() };
        let (a_numbers, b_numbers) = (numbers(&pair.a_symbols), numbers(&pair.b_symbols));
        let matrix = Matrix::new(task, a_numbers.clone(), b_numbers.clone())?;
        let optimal = optimal::count(&matrix, COUNTED_WORDS).map(|count| count.to_string());
        Ok((Self { task, a: shown(&pair.a), b: shown(&pair.b), a_numbers, b_numbers, optimal }, matrix))
    }

    /// Fills the matrix again.
    ///
    /// # Errors
    /// As [`Matrix::new`].
    pub fn matrix(&self) -> Result<Matrix, Failure> {
        Matrix::new(self.task, self.a_numbers.clone(), self.b_numbers.clone())
    }
}

impl Document {
    /// Everything about the matrix of two texts, with the optimal alignment of this number.
    ///
    /// # Errors
    /// `TooLarge` when a text has more than [`MOST_WRITTEN`] symbols, or when any but the first alignment is asked for and one has
    /// more than [`MOST_GRID`](super::MOST_GRID); `BadInput` when there are not so many alignments.
    pub fn of(task: Task, pair: &Pair, number: &Natural) -> Result<Self, Failure> {
        fits(pair.a.len(), pair.b.len(), MOST_WRITTEN)?;
        let (sheet, matrix) = Sheet::of(task, pair)?;
        let path = if number.is_zero() {
            optimal::first(&matrix)
        } else {
            let all = optimal::Optimal::of(&matrix)?;
            let none = || Failure::bad_input(format!("There are {} optimal alignments, numbered from 0.", all.total()));
            Some(all.path(&matrix, number).ok_or_else(none)?)
        };
        let aligned =
            |alignment: Alignment| Aligned { number: number.to_string(), cigar: alignment.to_string(), b_start: alignment.b_start() };
        let Cell { i: rows, j: columns } = matrix.last();
        let on = optimal::any(&matrix);
        let row = |i: usize| (0..=columns).map(move |j| Cell { i, j });
        Ok(Self {
            values: (0..=rows).map(|i| matrix.row(i).to_vec()).collect(),
            inputs: (0..=rows).map(|i| row(i).map(|cell| matrix.winners(cell)).collect()).collect(),
            on_optimal: on.chunks(columns + 1).map(<[bool]>::to_vec).collect(),
            alignment: path.map(|path| aligned(path.alignment())),
            sheet,
        })
    }
}
