//! A matrix as data: [`MatrixSymbols`] has the symbols of both texts, from which the page computes the cells again.
//! [`MatrixDocument`] also has all cells, for other clients.

use std::collections::BTreeMap;

use kernels::alignment::Alignment;
use kernels::base_set::SymbolMatch;
use kernels::cbor_struct;
use kernels::failure::JobFailure;
use kernels::job::{AlignmentMode, EditCosts, FreeEnds, GapPoints, JobOptions, Points, Scoring, ScoringMatrix, ScoringNumbers, Task};
use kernels::text::{Pair, Text, TextSymbols};
use serde::{Deserialize, Serialize};

use super::big_uint::BigUint;
use super::value::CellValue;
use super::{DpMatrix, MAX_MATRIX_SYMBOLS, MAX_WRITTEN_SYMBOLS, MatrixCell, MatrixLayer, START_BIT, fits, optimal};
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
    /// `sequence-alignment`: the points of columns. Absent for other tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<MatrixPoints>,
    /// The rule by which symbols match. Absent if equal symbols match. `overlap` means that numbers are sets of bases, which
    /// match if they have a bit in common.
    #[serde(default, skip_serializing_if = "SymbolMatch::is_equality")]
    pub symbol_match: SymbolMatch,
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

cbor_struct!(MatrixSymbols { task, costs, scoring, a, b, a_numbers, b_numbers, optimal, symbol_match });

/// The options of `sequence-alignment` from which a matrix is filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MatrixPoints {
    /// Parts of the texts that are aligned.
    pub mode: AlignmentMode,
    /// The ends that a semi-global alignment may leave out.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<kernels::job::FreeEnd>))]
    pub free_ends: FreeEnds,
    /// Points of two equal symbols, without a matrix of points.
    #[serde(rename = "match")]
    pub equal: Points,
    /// Points of two different symbols, without a matrix of points.
    #[serde(rename = "mismatch")]
    pub different: Points,
    /// Matrix with the points of two letters: the name of a published one, or the text of a custom one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<ScoringMatrix>,
    /// Points that gaps cost. If `open` is above 0, the matrix has three layers.
    pub gap: GapPoints,
}

cbor_struct!(MatrixPoints { mode, free_ends, equal, different, matrix, gap });

impl From<Scoring> for MatrixPoints {
    fn from(scoring: Scoring) -> Self {
        let ScoringNumbers { equal, different, gap } = scoring.numbers();
        Self { mode: scoring.mode, free_ends: scoring.free_ends, equal, different, matrix: scoring.matrix, gap }
    }
}

impl From<MatrixPoints> for Scoring {
    fn from(MatrixPoints { mode, free_ends, equal, different, matrix, gap }: MatrixPoints) -> Self {
        Self { mode, free_ends, matrix, ..Self::DEFAULT }.with_numbers(ScoringNumbers { equal, different, gap })
    }
}

/// The matrix of a task for two short texts: their symbols, the values of all cells, and one optimal alignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Matrix))]
pub struct MatrixDocument {
    /// The symbols of both texts, and the number of optimal alignments.
    #[serde(flatten)]
    pub sheet: MatrixSymbols,
    /// The cells of the matrix. In a matrix of three layers, each cell has the greatest value of the layers, and an input
    /// is the direction in which the last column of an alignment with this value leads back.
    #[serde(flatten)]
    pub cells: LayerCells,
    /// The layers of a matrix of three layers, in the order M, D, I; absent for other matrices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerDocument>,
    /// The requested optimal alignment; absent if a search has no hit.
    pub alignment: Option<OptimalAlignment>,
}

/// The cells of a matrix, or of one of its layers, row by row. Row `i` and column `j` are about the first `i` symbols of
/// `a` and the first `j` of `b`, from 0 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LayerCells {
    /// Values of the cells. `null` is −∞, the value of a cell in which no alignment ends.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Vec<Option<Points>>>))]
    pub values: Vec<Vec<CellValue>>,
    /// For each cell, the earlier cells that give its value, as a sum: 1 for the corner (upper left), 2 for the cell
    /// above, 4 for the cell on the left, 8 for the cell two rows above and two columns to the left. In a layer, 1, 2 and 4
    /// are the layers M, D and I of the earlier cell. 16 is added where a local or semi-global alignment may begin with
    /// this value. In `exact-search`, a cell with the value 0 has the sum 0.
    pub inputs: Vec<Vec<u8>>,
    /// For each cell, whether any optimal alignment passes through it.
    pub on_optimal: Vec<Vec<bool>>,
}

/// A layer of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatrixLayer))]
pub struct LayerDocument {
    /// `M` for alignments that end in a pair, `D` for those that end in a gap in `b`, `I` for those that end in a gap in
    /// `a`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub name: &'static str,
    /// The cells of the layer.
    #[serde(flatten)]
    pub cells: LayerCells,
}

/// One of the optimal alignments of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimalAlignment {
    /// Number of this alignment among the optimal ones, from 0, in decimal digits.
    pub number: String,
    /// CIGAR of the alignment. Each exchange of two neighbouring symbols is two columns `T`.
    pub cigar: String,
    /// Number of symbols of `a` before the first column of the alignment.
    pub a_start: u64,
    /// Number of symbols of `b` before the first column of the alignment.
    pub b_start: u64,
}

impl MatrixSymbols {
    /// Returns the symbols of both texts with the number of optimal alignments, and the matrix of `task`, in which the
    /// alignments were counted. Of `options`, only the costs and points of the task are used. Takes O(|a||b|) time.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_MATRIX_SYMBOLS`] symbols. Returns `BadInput` if `b` is divided
    /// into records that are searched separately.
    pub fn from_pair(task: Task, options: &JobOptions, pair: &Pair) -> Result<(Self, DpMatrix), JobFailure> {
        fits(pair.a.len(), pair.b.len(), MAX_MATRIX_SYMBOLS)?;
        if pair.b.has_separate_records() {
            return Err(JobFailure::bad_input("A matrix shows one record. Choose one record of b."));
        }
        let shown = |text: &Text| (0..text.len()).map(|at| excerpt(text.display_unit(at))).collect();
        let numbers = |symbols: &TextSymbols| -> Vec<u32> { (0..symbols.len()).map(|at| symbols.symbol_at(at)).collect() };
        let mut sheet = Self {
            task,
            costs: if task == Task::EditDistance { options.costs } else { EditCosts::LEVENSHTEIN },
            scoring: (task == Task::SequenceAlignment).then(|| options.scoring().into()),
            symbol_match: pair.symbol_match,
            a: shown(&pair.a),
            b: shown(&pair.b),
            a_numbers: numbers(pair.a_symbols()),
            b_numbers: numbers(pair.b_symbols()),
            optimal: None,
        };
        let matrix = sheet.matrix()?;
        sheet.optimal = optimal::count(&matrix, MAX_COUNTING_ADDITIONS).map(|count| count.to_string());
        Ok((sheet, matrix))
    }

    /// Fills the matrix of these symbols again.
    ///
    /// # Errors
    /// Returns the same errors as [`DpMatrix::new`] and [`DpMatrix::with_scoring`].
    pub fn matrix(&self) -> Result<DpMatrix, JobFailure> {
        let (a, b) = (self.a_numbers.clone(), self.b_numbers.clone());
        match &self.scoring {
            None => DpMatrix::with_match(self.task, self.costs, self.symbol_match, a, b),
            Some(points) => {
                let letters = self.letters();
                DpMatrix::with_scoring(points.clone().into(), self.symbol_match, a, b, |symbol| {
                    letters.get(&symbol).copied().unwrap_or('\0')
                })
            }
        }
    }

    /// Returns the letter of each symbol number that is a single letter. Symbols that count as equal have the points of
    /// the one that comes first.
    pub fn letters(&self) -> BTreeMap<u32, char> {
        let mut letters = BTreeMap::new();
        for (symbol, number) in self.a.iter().zip(&self.a_numbers).chain(self.b.iter().zip(&self.b_numbers)) {
            let mut chars = symbol.chars();
            let letter = chars.next().filter(|_| chars.next().is_none());
            letters.entry(*number).or_insert(letter.unwrap_or('\0'));
        }
        letters
    }
}

impl MatrixDocument {
    /// Returns the document of the matrix of `task` for `pair`, with the costs or points of `options`. Of the optimal
    /// alignments, the document contains the one with this `number`, from 0.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_WRITTEN_SYMBOLS`] symbols. For alignments other than the first,
    /// the limit is [`MAX_GRID_SYMBOLS`](super::MAX_GRID_SYMBOLS) symbols. Returns `BadInput` if there is no alignment
    /// with this number, or if `b` is divided into records that are searched separately.
    pub fn from_pair(task: Task, options: &JobOptions, pair: &Pair, number: &BigUint) -> Result<Self, JobFailure> {
        fits(pair.a.len(), pair.b.len(), MAX_WRITTEN_SYMBOLS)?;
        let (sheet, matrix) = MatrixSymbols::from_pair(task, options, pair)?;
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
            a_start: alignment.a_start(),
            b_start: alignment.b_start(),
        };
        let on = optimal::any(&matrix);
        let layer = |layer: MatrixLayer| LayerCells {
            values: by_row(&matrix, |cell| matrix.value(layer.at(cell))),
            inputs: by_row(&matrix, |cell| matrix.winners(layer.at(cell))),
            on_optimal: by_row(&matrix, |cell| on[matrix.index(layer.at(cell))]),
        };
        let (cells, layers) = if let [only] = matrix.layers() {
            (layer(*only), Vec::new())
        } else {
            let layers = matrix.layers().iter().map(|&one| LayerDocument { name: one.name(), cells: layer(one) }).collect();
            let best = |cell: MatrixCell| matrix.value(matrix.best_of(cell));
            let of_layers = |cell: MatrixCell| matrix.layers().iter().map(move |layer| layer.at(cell));
            let directions = |cell: MatrixCell| {
                let winners = of_layers(cell).filter(|&node| matrix.value(node) == best(cell));
                let bits = winners.map(|node| match matrix.winners(node) {
                    // The last column of an alignment without columns leads nowhere.
                    bits @ (0 | START_BIT) => bits,
                    bits => node.layer.bit() | bits & START_BIT,
                });
                bits.fold(0, |all, bits| all | bits)
            };
            let cells = LayerCells {
                values: by_row(&matrix, best),
                inputs: by_row(&matrix, directions),
                on_optimal: by_row(&matrix, |cell| of_layers(cell).any(|node| on[matrix.index(node)])),
            };
            (cells, layers)
        };
        Ok(Self { cells, layers, alignment: path.map(|path| aligned(path.alignment())), sheet })
    }
}

/// Returns the result of `of` for each cell of a layer of `matrix`, row by row.
fn by_row<T>(matrix: &DpMatrix, of: impl Fn(MatrixCell) -> T) -> Vec<Vec<T>> {
    let MatrixCell { i: rows, j: columns } = matrix.last();
    (0..=rows).map(|i| (0..=columns).map(|j| of(MatrixCell { i, j })).collect()).collect()
}
