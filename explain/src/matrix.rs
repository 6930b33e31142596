//! Matrices: the whole dynamic-programming matrix of a task ([`DpMatrix`]), for short texts. The page draws it and the
//! API returns it.
//!
//! A cell `(i, j)` is about the first `i` symbols of `a` and the first `j` of `b`. Its value is the best of up to four
//! sums, each of the value of an earlier cell and the cost or gain of one step:
//!
//! ```text
//! task                first row, first column   value of a cell                                     ends
//! edit-distance       j, i                      min(corner + (a[i] ≠ b[j]), above + 1, left + 1)    the last cell
//! approximate-search  0, i                      the same                                            least of the last row
//! lcs                 0, 0                      max(corner + 1 where a[i] = b[j], above, left)      the last cell
//! match-count         0, 0                      corner + (a[i] = b[j])                              greatest of the last row from j = |a| on
//! exact-search        1, 0                      corner ∧ (a[i] = b[j])                              ones of the last row
//! ```
//!
//! The module [`scored`] has the recurrences of `sequence-alignment`. If the opening of a gap costs points, its matrix
//! has three layers ([`MatrixLayer`]), and each sum also names the layer of the earlier cell.
//!
//! In `edit-distance`, a job may have other [costs](EditCosts) than 1. A first row and column are then `insert · j` and
//! `delete · i`, and each sum adds the cost of its edit. If exchanges have a cost, a fourth sum is that of the cell
//! `(i − 2, j − 2)` and this cost. It exists where `a[i − 1] a[i]` are two different symbols and `b[j − 1] b[j]` are
//! the same ones exchanged.
//!
//! The last column of the table names the cells in which an optimal alignment ends. The alignment is a walk from such
//! an end back to the beginning. Each step of the walk goes to an earlier cell whose sum gives the value of the cell.
//! This code is serial and takes at most [`MAX_MATRIX_SYMBOLS`] symbols of each text; [`task`](kernels::task) solves
//! large pairs.
//!
//! - [`optimal`]: the number of optimal alignments, the cells on any of them, and each alignment by its number
//! - [`big_uint`]: natural numbers of any size, for the numbers of alignments
//! - [`order`]: orders in which the cells can be filled
//! - [`bits`]: a column as the words of a bit-parallel algorithm
//! - [`scored`]: matrices of scores
//! - [`value`]: values of cells
//! - [`document`]: the matrix as a JSON document

use kernels::alignment::EditKind;
use kernels::base_set::SymbolMatch;
use kernels::failure::{JobFailure, large};
use kernels::job::{EditCosts, Points, Scoring, Task};

pub mod big_uint;
pub mod bits;
pub mod document;
pub mod optimal;
pub mod order;
mod scored;
pub mod value;

use scored::MatrixScoring;
use value::CellValue;

/// Maximum number of symbols of each text whose matrix can be filled.
pub const MAX_MATRIX_SYMBOLS: usize = 2_000;

/// Maximum number of symbols of each text for which every cell is drawn on its own.
pub const MAX_GRID_SYMBOLS: usize = 60;

/// Maximum number of symbols of each text for which a [`document`] of the matrix contains all values.
pub const MAX_WRITTEN_SYMBOLS: usize = 500;

/// The bit of a cell at which a scored alignment may begin, in the sets of [`DpMatrix::winners`].
pub const START_BIT: u8 = 16;

/// The position of a cell of the matrix. The cell is about the first `i` symbols of `a` and the first `j` symbols of
/// `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatrixCell {
    /// Row of the cell, from 0 to |a|.
    pub i: usize,
    /// Column of the cell, from 0 to |b|.
    pub j: usize,
}

/// A layer of a matrix. Most matrices have one layer. A matrix of scores in which gaps have an opening cost has a layer for
/// each kind of the last column of an alignment, because a gap may go on without this cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatrixLayer {
    /// The only layer, or the layer `M` of alignments that end in a pair of symbols.
    #[default]
    Main,
    /// The layer `D` of alignments that end in a gap in `b`, which deletes symbols of `a`.
    Deletions,
    /// The layer `I` of alignments that end in a gap in `a`, which inserts symbols of `b`.
    Insertions,
}

/// A cell in one of the layers of a matrix. A [`MatrixCell`] alone means the main layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatrixNode {
    /// Layer of the value.
    pub layer: MatrixLayer,
    /// Position of the cell.
    pub cell: MatrixCell,
}

/// A direction from which the value of a cell is computed: the position of the earlier cell relative to the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellInput {
    /// The cell `(i − 1, j − 1)`: the step takes a symbol of each text.
    Corner,
    /// The cell `(i − 1, j)`: the step takes a symbol of `a`.
    Above,
    /// The cell `(i, j − 1)`: the step takes a symbol of `b`.
    Left,
    /// The cell `(i − 2, j − 2)`: the step exchanges two neighbouring symbols.
    TwoBack,
}

/// One of the sums that can give the value of a cell: the value of an earlier cell, plus the cost or gain of the step
/// from this earlier cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSum {
    /// Direction of the earlier cell.
    pub input: CellInput,
    /// Position of the earlier cell.
    pub from: MatrixCell,
    /// Layer of the earlier cell.
    pub layer: MatrixLayer,
    /// Value of the earlier cell.
    pub value: CellValue,
    /// Number that the step adds to `value`; in `exact-search`, the other operand of a logical and.
    pub adds: Points,
    /// The sum of `value` and `adds`; in `exact-search`, their logical and.
    pub total: CellValue,
    /// The edit that the step adds to the alignment.
    pub edit: EditKind,
    /// Whether this sum gives the value of the cell. In `exact-search`, `false` if the value is 0. Always `false` if the
    /// value is −∞.
    pub wins: bool,
}

/// The matrix of a task for two short texts: the values of all cells, with the symbol numbers of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DpMatrix {
    task: Task,
    costs: EditCosts,
    /// The points of `sequence-alignment`.
    scoring: Option<MatrixScoring>,
    a: Vec<u32>,
    b: Vec<u32>,
    symbol_match: SymbolMatch,
    /// Values layer by layer and row by row, |b| + 1 per row.
    values: Vec<CellValue>,
}

/// The origins of the values of a matrix of one layer, in the order of [`CellInput::ALL`].
const ONE_LAYER: &[(CellInput, MatrixLayer)] = &[
    (CellInput::Corner, MatrixLayer::Main),
    (CellInput::Above, MatrixLayer::Main),
    (CellInput::Left, MatrixLayer::Main),
    (CellInput::TwoBack, MatrixLayer::Main),
];

impl MatrixLayer {
    /// Every layer, in the order of their indices.
    pub const ALL: [Self; 3] = [Self::Main, Self::Deletions, Self::Insertions];

    /// Returns the letter that names the layer in a matrix of three layers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "M",
            Self::Deletions => "D",
            Self::Insertions => "I",
        }
    }

    /// Returns the node of `cell` in this layer.
    pub fn at(self, cell: MatrixCell) -> MatrixNode {
        MatrixNode { layer: self, cell }
    }

    /// Returns a value with one bit for this layer, 1, 2 or 4. It is the [bit](CellInput::bit) of the direction in which
    /// the last column of its alignments leads back.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Returns the origins of the values of this layer in a matrix of three layers: each direction with the layer of the
    /// earlier cell. The engines prefer origins in this order.
    fn origins(self) -> &'static [(CellInput, Self)] {
        use CellInput::{Above, Corner, Left};
        match self {
            Self::Main => &[(Corner, Self::Main), (Corner, Self::Deletions), (Corner, Self::Insertions)],
            Self::Deletions => &[(Above, Self::Main), (Above, Self::Insertions), (Above, Self::Deletions)],
            Self::Insertions => &[(Left, Self::Main), (Left, Self::Deletions), (Left, Self::Insertions)],
        }
    }
}

impl From<MatrixCell> for MatrixNode {
    fn from(cell: MatrixCell) -> Self {
        MatrixLayer::Main.at(cell)
    }
}

impl CellSum {
    /// Returns the earlier cell with its layer.
    pub fn origin(&self) -> MatrixNode {
        self.layer.at(self.from)
    }
}

impl CellInput {
    /// Every direction, in the order in which walks back through the matrix prefer them.
    pub const ALL: [Self; 4] = [Self::Corner, Self::Above, Self::Left, Self::TwoBack];

    /// Returns a value with one bit for this direction, 1, 2, 4 or 8, so that a set of directions is a sum.
    pub fn bit(self) -> u8 {
        match self {
            Self::Corner => 1,
            Self::Above => 2,
            Self::Left => 4,
            Self::TwoBack => 8,
        }
    }

    /// Returns the earlier cell that lies in this direction from the given cell, or `None` if it would be outside of
    /// the matrix.
    pub fn earlier_cell(self, MatrixCell { i, j }: MatrixCell) -> Option<MatrixCell> {
        let (di, dj) = match self {
            Self::Corner => (1, 1),
            Self::Above => (1, 0),
            Self::Left => (0, 1),
            Self::TwoBack => (2, 2),
        };
        Some(MatrixCell { i: i.checked_sub(di)?, j: j.checked_sub(dj)? })
    }
}

impl DpMatrix {
    /// Fills the matrix of `task` for two texts of symbol numbers. Equal numbers in `a` and `b` mean equal symbols.
    /// Only `edit-distance` has `costs`; other tasks ignore them. Scores are those of [`Scoring::DEFAULT`];
    /// [`Self::with_scoring`] has others. Takes O(|a||b|) time and 4 bytes per cell.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_MATRIX_SYMBOLS`] symbols. Returns `BadInput` if a cost exceeds
    /// [`EditCosts::MAX`].
    ///
    /// ```
    /// use kernels::job::{EditCosts, Task};
    /// use explain::matrix::{MatrixCell, DpMatrix};
    ///
    /// let numbers = |text: &str| text.chars().map(u32::from).collect();
    /// let filled = |costs| DpMatrix::new(Task::EditDistance, costs, numbers("SUNDAY"), numbers("SATURDAY")).unwrap();
    /// assert_eq!(filled(EditCosts::LEVENSHTEIN).value(MatrixCell { i: 3, j: 5 }), 3);
    /// assert_eq!(filled(EditCosts::INDEL).value(MatrixCell { i: 3, j: 5 }), 4);
    /// ```
    pub fn new(task: Task, costs: EditCosts, a: Vec<u32>, b: Vec<u32>) -> Result<Self, JobFailure> {
        Self::with_match(task, costs, SymbolMatch::Equal, a, b)
    }

    /// Fills the matrix of `task` like [`new`](Self::new), for symbols that match by `symbol_match`.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub fn with_match(task: Task, costs: EditCosts, symbol_match: SymbolMatch, a: Vec<u32>, b: Vec<u32>) -> Result<Self, JobFailure> {
        if task == Task::SequenceAlignment {
            return Self::with_scoring(Scoring::DEFAULT, symbol_match, a, b, |_| '\0');
        }
        fits(a.len(), b.len(), MAX_MATRIX_SYMBOLS)?;
        costs.check()?;
        let costs = if task == Task::EditDistance { costs } else { EditCosts::LEVENSHTEIN };
        let cells = (a.len() + 1) * (b.len() + 1);
        let mut matrix = Self { task, costs, scoring: None, a, b, symbol_match, values: Vec::with_capacity(cells) };
        for cell in matrix.cells() {
            let value = if cell.i == 0 || cell.j == 0 { matrix.border(cell) } else { matrix.filled(cell) };
            matrix.values.push(CellValue::from(value as i32));
        }
        Ok(matrix)
    }

    /// Returns the value of a cell of the first row or the first column.
    fn border(&self, MatrixCell { i, j }: MatrixCell) -> u32 {
        match self.task {
            // `with_scoring` fills a matrix of scores.
            Task::EditDistance | Task::SequenceAlignment => self.costs.delete * i as u32 + self.costs.insert * j as u32,
            Task::ApproximateSearch => i as u32,
            Task::Lcs | Task::MatchCount => 0,
            Task::ExactSearch => u32::from(i == 0),
        }
    }

    /// Returns the value of a cell outside of the first row and column, from the values of all cells before it.
    fn filled(&self, cell: MatrixCell) -> u32 {
        let last = self.values.len();
        let above = last - self.b.len() - 1;
        let [corner, above, left] = [above - 1, above, last - 1].map(|at| self.values[at].count());
        let equal = self.equal(cell);
        match self.task {
            Task::EditDistance | Task::ApproximateSearch | Task::SequenceAlignment => {
                let EditCosts { substitute, insert, delete, transpose } = self.costs;
                let best = (corner + substitute * u32::from(!equal)).min(above + delete).min(left + insert);
                match transpose.filter(|_| self.is_exchanged(cell)) {
                    Some(cost) => best.min(self.value(MatrixCell { i: cell.i - 2, j: cell.j - 2 }).count() + cost),
                    None => best,
                }
            }
            Task::Lcs => (corner + u32::from(equal)).max(above).max(left),
            Task::MatchCount => corner + u32::from(equal),
            Task::ExactSearch => corner & u32::from(equal),
        }
    }

    /// Returns the task whose recurrence fills the matrix.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Returns the costs of the edits. Tasks without costs have those of Levenshtein.
    pub fn costs(&self) -> EditCosts {
        self.costs
    }

    /// Returns the position of the last cell, (|a|, |b|).
    pub fn last(&self) -> MatrixCell {
        MatrixCell { i: self.a.len(), j: self.b.len() }
    }

    /// Returns the positions of all cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = MatrixCell> + use<> {
        let MatrixCell { i: rows, j: columns } = self.last();
        (0..=rows).flat_map(move |i| (0..=columns).map(move |j| MatrixCell { i, j }))
    }

    /// Returns all cells with their layers, row by row. The layers of a cell stand together.
    pub fn nodes(&self) -> impl Iterator<Item = MatrixNode> + use<> {
        let layers = self.layers();
        self.cells().flat_map(move |cell| layers.iter().map(move |layer| layer.at(cell)))
    }

    /// Returns the number of cells of a layer.
    pub fn cell_count(&self) -> usize {
        (self.a.len() + 1) * (self.b.len() + 1)
    }

    /// Returns the values of row `i` of the main layer, from column 0 on.
    ///
    /// # Panics
    /// Panics if `i` is out of range.
    pub fn row(&self, i: usize) -> &[CellValue] {
        self.layer_row(MatrixLayer::Main, i)
    }

    /// Returns the values of row `i` of `layer`, from column 0 on.
    ///
    /// # Panics
    /// Panics if `i` is out of range, or if the matrix has no such layer.
    pub fn layer_row(&self, layer: MatrixLayer, i: usize) -> &[CellValue] {
        let first = self.index(layer.at(MatrixCell { i, j: 0 }));
        &self.values[first..=first + self.b.len()]
    }

    /// Returns the value of a cell. Takes constant time.
    ///
    /// # Panics
    /// Panics if the cell is not in the matrix.
    pub fn value(&self, node: impl Into<MatrixNode>) -> CellValue {
        let MatrixNode { layer, cell: MatrixCell { i, j } } = node.into();
        self.layer_row(layer, i)[j]
    }

    /// Returns the index of a cell in a list of all cells of all layers: layer by layer, and row by row in the order of
    /// [`cells`](Self::cells).
    pub fn index(&self, node: impl Into<MatrixNode>) -> usize {
        let MatrixNode { layer, cell: MatrixCell { i, j } } = node.into();
        layer as usize * self.cell_count() + i * (self.b.len() + 1) + j
    }

    /// Returns the rule by which symbols match.
    pub fn symbol_match(&self) -> SymbolMatch {
        self.symbol_match
    }

    /// Returns whether the symbols `a[i − 1]` and `b[j − 1]` of the cell `(i, j)` match. Returns `false` for the first row
    /// and column.
    pub fn equal(&self, MatrixCell { i, j }: MatrixCell) -> bool {
        i > 0 && j > 0 && self.symbol_match.matches(self.a[i - 1], self.b[j - 1])
    }

    /// Returns whether the last two symbols of `a` before the cell `(i, j)` are different, and those of `b` are the same
    /// two symbols exchanged.
    pub fn is_exchanged(&self, MatrixCell { i, j }: MatrixCell) -> bool {
        let last_two = |text: &[u32], end: usize| end.checked_sub(2).map(|from| (text[from], text[from + 1]));
        last_two(&self.a, i).zip(last_two(&self.b, j)).is_some_and(|(a, b)| a.0 != a.1 && a == (b.1, b.0))
    }

    /// Returns the directions from which values of this matrix can come. Only with a cost of exchanges, a value can come
    /// from [`CellInput::TwoBack`].
    pub fn inputs(&self) -> impl Iterator<Item = CellInput> + use<> {
        let has_exchanges = self.costs.transpose.is_some();
        CellInput::ALL.into_iter().filter(move |input| *input != CellInput::TwoBack || has_exchanges)
    }

    /// Returns the sums that can give the value of a cell, at most four, in the order of [`CellInput::ALL`]. In a matrix
    /// of three layers, they are the three sums of the layer, and the sum that the engines prefer is before the others.
    /// Returns no sums for a cell of the first row or column whose value is fixed by the task.
    pub fn sums(&self, node: impl Into<MatrixNode>) -> impl Iterator<Item = CellSum> {
        let node = node.into();
        let origins = if self.layers().len() > 1 { node.layer.origins() } else { ONE_LAYER };
        origins.iter().filter_map(move |&(input, layer)| self.sum(node, input, layer))
    }

    /// Returns the set of origins whose sums give the value of a cell. In a matrix of one layer, it is the sum of the
    /// [bits](CellInput::bit) of directions, otherwise the sum of the [bits](MatrixLayer::bit) of layers. [`START_BIT`]
    /// is added if an alignment with a [free start](Self::has_free_start) may begin with the value. In `exact-search`,
    /// the set is empty if the value is 0.
    pub fn winners(&self, node: impl Into<MatrixNode>) -> u8 {
        let node = node.into();
        let has_layers = self.layers().len() > 1;
        let bit = |sum: CellSum| if has_layers { sum.layer.bit() } else { sum.input.bit() };
        let start = if self.has_free_start() && self.is_beginning(node) { START_BIT } else { 0 };
        self.sums(node).filter(|sum| sum.wins).map(bit).sum::<u8>() + start
    }

    /// Returns the cells in which an optimal alignment ends, by ascending column, then by ascending row.
    pub fn ends(&self) -> Vec<MatrixNode> {
        let last = self.last();
        let row = self.row(last.i);
        let of = |wanted: &dyn Fn(usize) -> bool| (0..=last.j).filter(|&j| wanted(j)).map(|j| MatrixCell { i: last.i, j }.into()).collect();
        match self.task {
            Task::EditDistance | Task::Lcs => vec![last.into()],
            Task::SequenceAlignment => self.scored_ends(),
            Task::ApproximateSearch => {
                let least = row.iter().min().copied();
                of(&|j| Some(row[j]) == least)
            }
            Task::MatchCount => {
                let best = row.get(last.i..).and_then(|row| row.iter().max().copied());
                of(&|j| j >= last.i && Some(row[j]) == best)
            }
            Task::ExactSearch => of(&|j| row[j] == 1),
        }
    }

    /// Returns whether an optimal alignment can begin at this cell, so that a walk back through the matrix may end here.
    /// In a matrix of scores, another walk may go on over the sums of the cell.
    pub fn is_beginning(&self, node: impl Into<MatrixNode>) -> bool {
        let node = node.into();
        let MatrixCell { i, j } = node.cell;
        match self.task {
            Task::EditDistance | Task::Lcs => (i, j) == (0, 0),
            Task::SequenceAlignment => self.may_begin(node) && self.value(node) == 0,
            Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => i == 0,
        }
    }

    fn sum(&self, to: MatrixNode, input: CellInput, layer: MatrixLayer) -> Option<CellSum> {
        let cell = to.cell;
        let from = input.earlier_cell(cell)?;
        let equal = self.equal(cell);
        let costs = self.costs;
        let adds = match (self.task, input) {
            (Task::EditDistance | Task::ApproximateSearch, CellInput::Corner) => Points::from(costs.substitute as i32 * i32::from(!equal)),
            (Task::EditDistance | Task::ApproximateSearch, CellInput::Above) => Points::from(costs.delete),
            (Task::EditDistance, CellInput::Left) => Points::from(costs.insert),
            (Task::EditDistance, CellInput::TwoBack) => Points::from(costs.transpose.filter(|_| self.is_exchanged(cell))?),
            (Task::ApproximateSearch, CellInput::Left) if cell.i > 0 => Points::from(costs.insert),
            (Task::Lcs, CellInput::Corner) if equal => Points::whole(1),
            (Task::Lcs, CellInput::Above | CellInput::Left) => Points::ZERO,
            (Task::MatchCount | Task::ExactSearch, CellInput::Corner) => Points::from(i32::from(equal)),
            (Task::SequenceAlignment, _) => self.step_points(to, layer, input)?,
            (Task::ApproximateSearch | Task::Lcs | Task::MatchCount | Task::ExactSearch, _) => return None,
        };
        let (value, own) = (self.value(layer.at(from)), self.value(to));
        let (total, wins) = match self.task {
            Task::ExactSearch => (CellValue::from(if value == 1 { adds } else { Points::ZERO }), own == 1),
            Task::EditDistance | Task::ApproximateSearch | Task::Lcs | Task::MatchCount | Task::SequenceAlignment => {
                let total = value.plus(adds);
                (total, total == own && own != CellValue::UNREACHABLE)
            }
        };
        let edit = match input {
            CellInput::Corner if equal => EditKind::Equal,
            CellInput::Corner => EditKind::Substitute,
            CellInput::Above => EditKind::Delete,
            CellInput::Left => EditKind::Insert,
            CellInput::TwoBack => EditKind::Transpose,
        };
        Some(CellSum { input, from, layer, value, adds, total, edit, wins })
    }
}

/// Checks that texts of `a` and `b` symbols have at most `most` symbols each.
///
/// # Errors
/// Returns `TooLarge` with the length of the longer text if one of them has more.
pub fn fits(a: usize, b: usize, most: usize) -> Result<(), JobFailure> {
    let longer = a.max(b);
    if longer <= most {
        return Ok(());
    }
    Err(JobFailure::TooLarge { what: large::MATRIX.into(), got: longer as u64, limit: most as u64 })
}

#[cfg(test)]
mod tests;
