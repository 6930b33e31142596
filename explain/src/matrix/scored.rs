//! Matrices of scores, for the task `sequence-alignment`: one layer if the opening of a gap costs nothing, else three
//! layers (Gotoh 1982).
//!
//! ```text
//! one layer     M[i, j] = max(M[i−1, j−1] + points,  M[i−1, j] − extend,  M[i, j−1] − extend,  start)
//!
//! three layers  M[i, j] = max(max(M, D, I)[i−1, j−1] + points,  start)
//!               D[i, j] = max(M − open,  I − open,  D)[i−1, j] − extend
//!               I[i, j] = max(M − open,  D − open,  I)[i, j−1] − extend
//! ```
//!
//! `start` is 0 in a cell in which an alignment may begin, else −∞. A local alignment may begin in any cell, a global
//! one in the cell (0, 0). A semi-global one may also begin in the first row or column, if that end is free.

use kernels::alignment::{Alignment, GapPlacement};
use kernels::base_set::SymbolMatch;
use kernels::failure::JobFailure;
use kernels::job::{AlignmentMode, EditCosts, GapCosts, GapPoints, Points, Scoring, ScoringMatrix, Task};

use super::value::CellValue;
use super::{CellInput, DpMatrix, MAX_MATRIX_SYMBOLS, MatrixCell, MatrixLayer, MatrixNode, fits};

/// Number of letters in a table of points. Letters outside of ASCII have no row in a published matrix.
const ASCII_LETTERS: usize = 128;

/// The scoring of a matrix, with the points of the symbols of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MatrixScoring {
    scoring: Scoring,
    letters: Option<LetterPoints>,
}

/// The letters of two texts, and the points of each pair of letters in a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LetterPoints {
    /// The letters of `a` as ASCII codes; 0 for other letters.
    a: Vec<u8>,
    /// The letters of `b`, like those of `a`.
    b: Vec<u8>,
    /// The points of the codes x and y are at x · [`ASCII_LETTERS`] + y.
    table: Vec<Points>,
}

/// A symbol of one text, with its letter as an ASCII code if a matrix has the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ScoredSymbol {
    number: u32,
    letter: u8,
}

impl LetterPoints {
    fn new(matrix: &ScoringMatrix, [a, b]: [&[u32]; 2], letter: impl Fn(u32) -> char) -> Self {
        let code = |symbol: &u32| Some(letter(*symbol)).filter(char::is_ascii).map_or(0, |letter| letter as u8);
        Self { a: a.iter().map(code).collect(), b: b.iter().map(code).collect(), table: matrix.ascii_points() }
    }
}

impl DpMatrix {
    /// Fills the matrix of `sequence-alignment` for two texts of symbol numbers, which match by `symbol_match`. `letter`
    /// returns the letter of a symbol, or `'\0'` for a symbol of several letters; only a matrix of points needs it. Takes
    /// O(|a||b|) time, and 4 bytes per cell and layer.
    ///
    /// # Errors
    /// Returns `TooLarge` if a text has more than [`MAX_MATRIX_SYMBOLS`] symbols. Returns `BadInput` if `scoring` is out
    /// of its ranges.
    ///
    /// ```
    /// use kernels::base_set::SymbolMatch;
    /// use kernels::job::{GapCosts, Scoring};
    /// use explain::matrix::{DpMatrix, MatrixLayer};
    ///
    /// let numbers = |text: &str| text.chars().map(u32::from).collect();
    /// let scoring = Scoring { equal: 2, different: -1, gap: GapCosts { open: 2, extend: 1 }, ..Scoring::DEFAULT };
    /// let matrix = DpMatrix::with_scoring(scoring, SymbolMatch::Equal, numbers("GCTTAGC"), numbers("GCAGTC"), |_| '\0').unwrap();
    /// let last = MatrixLayer::ALL.map(|layer| matrix.value(layer.at(matrix.last())).to_string());
    /// assert_eq!(last, ["3", "−3", "0"]);
    /// ```
    pub fn with_scoring(
        scoring: Scoring,
        symbol_match: SymbolMatch,
        a: Vec<u32>,
        b: Vec<u32>,
        letter: impl Fn(u32) -> char,
    ) -> Result<Self, JobFailure> {
        fits(a.len(), b.len(), MAX_MATRIX_SYMBOLS)?;
        scoring.check()?;
        let letters = scoring.matrix.as_ref().map(|matrix| LetterPoints::new(matrix, [&a, &b], letter));
        let gap = scoring.gap;
        let scoring = Some(MatrixScoring { scoring, letters });
        let costs = EditCosts::LEVENSHTEIN;
        let mut matrix = Self { task: Task::SequenceAlignment, costs, scoring, a, b, symbol_match, values: Vec::new() };
        matrix.fill_scores(gap);
        Ok(matrix)
    }

    fn fill_scores(&mut self, GapCosts { open, extend }: GapCosts) {
        let [open, extend] = [open, extend].map(|units| self.scoring().map_or(Points::ZERO, |scoring| scoring.points(units.into())));
        let (cells, width, layers) = (self.cell_count(), self.b.len() + 1, self.layers());
        let mut values = vec![CellValue::UNREACHABLE; cells * layers.len()];
        for cell in self.cells() {
            let at = self.index(cell);
            let value = |layer: MatrixLayer, at: usize| values[layer as usize * cells + at];
            let best = |at: usize| layers.iter().map(|&layer| value(layer, at)).max().unwrap_or(CellValue::UNREACHABLE);
            let start = if self.may_begin(cell) { CellValue::from(0) } else { CellValue::UNREACHABLE };
            let pair = if cell.i > 0 && cell.j > 0 { best(at - width - 1).plus(self.points(cell)) } else { CellValue::UNREACHABLE };
            // In one layer, the opening of a gap costs nothing.
            let gap = |layer: MatrixLayer, before: usize| {
                let extended = if layers.len() > 1 { value(layer, before) } else { CellValue::UNREACHABLE };
                best(before).plus(-open).max(extended).plus(-extend)
            };
            let delete = if cell.i > 0 { gap(MatrixLayer::Deletions, at - width) } else { CellValue::UNREACHABLE };
            let insert = if cell.j > 0 { gap(MatrixLayer::Insertions, at - 1) } else { CellValue::UNREACHABLE };
            if layers.len() > 1 {
                values[at] = pair.max(start);
                values[cells + at] = delete;
                values[2 * cells + at] = insert;
            } else {
                values[at] = pair.max(delete).max(insert).max(start);
            }
        }
        self.values = values;
    }

    /// Returns the points of the symbols `a[i − 1]` and `b[j − 1]` of the cell `(i, j)`. Returns 0 for the first row and
    /// column, and in other tasks than `sequence-alignment`.
    pub fn points(&self, cell: MatrixCell) -> Points {
        if cell.i == 0 || cell.j == 0 {
            return Points::ZERO;
        }
        self.points_of(self.symbol_of_a(cell.i - 1), self.symbol_of_b(cell.j - 1))
    }

    /// Returns the points of two symbols; 0 in other tasks.
    fn points_of(&self, x: ScoredSymbol, y: ScoredSymbol) -> Points {
        match &self.scoring {
            None => Points::ZERO,
            Some(MatrixScoring { scoring, letters: None }) => {
                let units = if self.symbol_match.matches(x.number, y.number) { scoring.equal } else { scoring.different };
                scoring.points(units.into())
            }
            Some(MatrixScoring { letters: Some(letters), .. }) => {
                letters.table[usize::from(x.letter) * ASCII_LETTERS + usize::from(y.letter)]
            }
        }
    }

    fn symbol(&self, of: impl Fn(&LetterPoints) -> &[u8], number: u32, at: usize) -> ScoredSymbol {
        let letters = self.scoring.as_ref().and_then(|scoring| scoring.letters.as_ref());
        ScoredSymbol { number, letter: letters.map_or(0, |letters| of(letters)[at]) }
    }

    fn symbol_of_a(&self, at: usize) -> ScoredSymbol {
        self.symbol(|letters| &letters.a, self.a[at], at)
    }

    fn symbol_of_b(&self, at: usize) -> ScoredSymbol {
        self.symbol(|letters| &letters.b, self.b[at], at)
    }

    /// Returns the length of the common prefix of both texts between two cells, if the engines align it without a search,
    /// else 0. They do so if a pair of equal symbols is never worse than another pair, or than both symbols in gaps.
    pub(super) fn aligned_prefix(&self, from: MatrixCell, to: MatrixCell) -> usize {
        let Some(MatrixScoring { scoring, letters: None }) = &self.scoring else { return 0 };
        if scoring.equal < scoring.different || scoring.equal + 2 * (scoring.gap.extend as i32) < 0 {
            return 0;
        }
        self.a[from.i..to.i].iter().zip(&self.b[from.j..to.j]).take_while(|(x, y)| x == y).count()
    }

    /// Returns `alignment` of both texts between two cells with its gaps as far left as possible.
    pub(super) fn left_aligned(&self, alignment: Alignment, from: MatrixCell, to: MatrixCell) -> Alignment {
        let a: Vec<ScoredSymbol> = (from.i..to.i).map(|at| self.symbol_of_a(at)).collect();
        let b: Vec<ScoredSymbol> = (from.j..to.j).map(|at| self.symbol_of_b(at)).collect();
        let column = |[x, y]: [&ScoredSymbol; 2]| (self.symbol_match.matches(x.number, y.number), self.points_of(*x, *y));
        alignment.with_scored_gaps(GapPlacement::Leftmost, &a, &b, |before, after| column(before) == column(after))
    }

    /// Returns the scoring of `sequence-alignment`, or `None` in other tasks.
    pub fn scoring(&self) -> Option<&Scoring> {
        self.scoring.as_ref().map(|scoring| &scoring.scoring)
    }

    /// Returns whether the matrix has the scores of local alignments, which are 0 or more.
    pub fn is_local(&self) -> bool {
        self.scoring().is_some_and(|scoring| scoring.mode == AlignmentMode::Local)
    }

    /// Returns the layers of the matrix: three if the opening of a gap costs points, else one.
    pub fn layers(&self) -> &'static [MatrixLayer] {
        if self.scoring().is_some_and(|scoring| scoring.gap.open > 0) { &MatrixLayer::ALL } else { &[MatrixLayer::Main] }
    }

    /// Returns the value of `cell` in the layer where it is greatest; of several layers, in the first of them.
    pub fn best_of(&self, cell: MatrixCell) -> MatrixNode {
        let nodes = self.layers().iter().map(|layer| layer.at(cell));
        // Of several minima, `min_by_key` returns the first one.
        nodes.min_by_key(|&node| std::cmp::Reverse(self.value(node))).unwrap_or(cell.into())
    }

    /// Returns whether an alignment can begin in `node` with the score 0, instead of in an earlier cell. Its first
    /// column then is that after `node`.
    pub fn may_begin(&self, node: impl Into<MatrixNode>) -> bool {
        let MatrixNode { layer, cell: MatrixCell { i, j } } = node.into();
        let free = self.scoring().map(|scoring| scoring.free()).unwrap_or_default();
        layer == MatrixLayer::Main && (self.is_local() || (i, j) == (0, 0) || (i == 0 && free.b_start) || (j == 0 && free.a_start))
    }

    /// Returns whether scored alignments can begin in several cells.
    pub fn has_free_start(&self) -> bool {
        let free = self.scoring().map(|scoring| scoring.free()).unwrap_or_default();
        self.is_local() || free.a_start || free.b_start
    }

    /// Returns the number that a step from the layer `from` to `to` adds to a score, or `None` if the task has no scores
    /// or no such step.
    pub(super) fn step_points(&self, to: MatrixNode, from: MatrixLayer, input: CellInput) -> Option<Points> {
        let GapPoints { open, extend } = self.scoring()?.numbers().gap;
        match input {
            CellInput::Corner => Some(self.points(to.cell)),
            CellInput::Above | CellInput::Left if from == to.layer => Some(-extend),
            CellInput::Above | CellInput::Left => Some(-(open + extend)),
            CellInput::TwoBack => None,
        }
    }

    /// Returns the cells in which an alignment with the highest score ends, first by column and then by row.
    pub(super) fn scored_ends(&self) -> Vec<MatrixNode> {
        let MatrixCell { i: m, j: n } = self.last();
        let free = self.scoring().map(|scoring| scoring.free()).unwrap_or_default();
        let is_local = self.is_local();
        let may_end =
            |cell: &MatrixCell| is_local || (cell.i, cell.j) == (m, n) || (cell.i == m && free.b_end) || (cell.j == n && free.a_end);
        let cells = || (0..=n).flat_map(move |j| (0..=m).map(move |i| MatrixCell { i, j })).filter(may_end);
        let nodes = || cells().flat_map(|cell| self.layers().iter().map(move |layer| layer.at(cell)));
        let best = nodes().map(|node| self.value(node)).max();
        // Every cell ends an alignment without columns, whose score is 0. One of them stands for all.
        if is_local && best == Some(CellValue::from(0)) {
            return vec![MatrixCell::default().into()];
        }
        nodes().filter(|&node| Some(self.value(node)) == best).collect()
    }
}

#[cfg(test)]
mod tests;
