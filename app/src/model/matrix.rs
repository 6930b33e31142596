//! The dynamic-programming matrix as the page shows it, as plain data for the grid, its arrows, its sentences and its
//! files.
//!
//! A [`MatrixBoard`] is the filled matrix and never changes. A [`BoardView`] is what the visitor sees of it, and is
//! part of the address.
//!
//! - [`paint`]: CSS classes and texts of the cells
//! - [`ink`]: arrows and the ribbon, drawn over and under the cells
//! - [`cell_sentences`]: sentences about a cell; [`recurrence`]: base cases and sums
//! - [`scores`]: the words of a matrix of scores
//! - [`quiz`]: questions about the cells
//! - [`heat`]: a matrix of up to 2,000 symbols as a picture
//! - [`files`]: the matrix as CSV, SVG and TikZ

use explain::invisible::visible_unit;
use explain::matrix::big_uint::BigUint;
use explain::matrix::document::MatrixSymbols;
use explain::matrix::optimal::{self, OptimalAlignmentCounts, OptimalPath};
use explain::matrix::order::{FillOrder, FillSteps};
use explain::matrix::value::CellValue;
use explain::matrix::{DpMatrix, MAX_GRID_SYMBOLS, MatrixCell, MatrixLayer, MatrixNode};
use kernels::failure::JobFailure;
use kernels::job::Task;

use crate::model::alignment::rows::visible;
use crate::model::lens::LensInput;
use crate::model::task::MatrixSentences;

pub mod cell_sentences;
pub mod files;
pub mod heat;
pub mod ink;
pub mod paint;
pub mod quiz;
pub mod recurrence;
pub mod scores;

/// Maximum number of symbols of a text on a printed sheet. With more, cells would have no space for handwriting.
pub const MAX_PRINTED_SYMBOLS: usize = 24;

/// Maximum number of symbols of each text for which a matrix of three layers is drawn cell by cell.
pub const MAX_LAYERED_SYMBOLS: usize = 30;

/// Minimum number of columns of a broad matrix, which takes the whole width of the page. With fewer columns, large
/// cells fit beside the explanations.
const MIN_BROAD_COLUMNS: usize = 16;

/// A filled dynamic-programming matrix, together with the symbols of both texts.
#[derive(Clone, Debug)]
pub struct MatrixBoard {
    /// Symbols of `a`, with invisible characters replaced by glyphs.
    pub a: Vec<String>,
    /// Symbols of `b`, with invisible characters replaced by glyphs.
    pub b: Vec<String>,
    pub matrix: DpMatrix,
    /// Number of optimal alignments, in decimal digits, or `None` if it was not counted.
    pub total: Option<String>,
    /// Numbers of optimal alignments through each cell, or `None` if the matrix is too large to be drawn cell by cell.
    optimal_counts: Option<OptimalAlignmentCounts>,
    /// Whether some symbol is wider than two letters, as words and lines are.
    pub wide: bool,
    /// Both texts as input of a lens (a view that shows a method step by step). Empty if the matrix is not drawn cell
    /// by cell.
    pub watched: LensInput,
    /// For each symbol of `a`, and for each symbol of `b`: its original form if it is a space or invisible, else
    /// `None`.
    pub invisible: [Vec<Option<String>>; 2],
}

/// The arrows to draw. An arrow leads from a cell to one of its inputs (the cells that its value is computed from).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ArrowSelection {
    /// Arrows from every cell to the inputs whose sums are the cell's value.
    #[default]
    Winning,
    /// Arrows along the chosen alignment only.
    Path,
    /// Arrows to all inputs. An arrow to an input that does not give the value is dashed.
    All,
}

impl ArrowSelection {
    /// All selections, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Winning, Self::Path, Self::All];

    /// Returns the name of the selection in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Winning => "winning",
            Self::Path => "path",
            Self::All => "all",
        }
    }
}

/// The visible state of a matrix: order and step of filling, selected cell, arrows, alignment and questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardView {
    /// The order in which the cells are filled.
    pub order: FillOrder,
    /// Number of completed steps, or `None` if all are completed.
    pub step: Option<usize>,
    /// The selected cell, or `None` if the selection moves with the steps.
    pub cell: Option<MatrixNode>,
    pub arrows: ArrowSelection,
    /// Number of the chosen optimal alignment, from 0.
    pub number: BigUint,
    /// Kind of the questions about hidden values, or `None` if there are no questions.
    pub question_kind: Option<quiz::MatrixQuestionKind>,
    /// First answers to the questions, encoded for a link.
    pub answers: Option<String>,
}

impl BoardView {
    /// Names of the settings of the view in an address.
    pub const NAMES: [&'static str; 7] = ["order", "step", "cell", "arrows", "k", "ask", "answers"];

    /// Parses a view from the parts of an address, given as pairs of name and value. Invalid values are ignored.
    pub fn read<'p>(parts: impl IntoIterator<Item = (&'p str, &'p str)>) -> Self {
        let mut look = Self::default();
        for (name, value) in parts {
            match name {
                "order" => look.order = FillOrder::ALL.into_iter().find(|order| order.name() == value).unwrap_or_default(),
                "step" => look.step = value.parse().ok(),
                "cell" => look.cell = parse_cell(value),
                "arrows" => look.arrows = ArrowSelection::ALL.into_iter().find(|arrows| arrows.name() == value).unwrap_or_default(),
                "ask" => look.question_kind = quiz::MatrixQuestionKind::parse(value),
                "answers" => look.answers = Some(value.to_owned()),
                // Numbers of alignments are displayed from 1.
                "k" => look.number = value.parse::<BigUint>().ok().and_then(|k| k.checked_sub(&BigUint::from(1))).unwrap_or_default(),
                _ => {}
            }
        }
        look
    }

    /// Returns the view as parts of an address, pairs of name and value. Default values are left out.
    pub fn write(&self) -> Vec<(&'static str, String)> {
        let mut parts = Vec::new();
        if self.order != FillOrder::default() {
            parts.push(("order", self.order.name().to_owned()));
        }
        parts.extend(self.step.map(|step| ("step", step.to_string())));
        parts.extend(self.cell.map(|MatrixNode { layer, cell: MatrixCell { i, j } }| {
            let of_layer = if layer == MatrixLayer::Main { String::new() } else { format!(",{}", layer.name()) };
            ("cell", format!("{i},{j}{of_layer}"))
        }));
        if self.arrows != ArrowSelection::default() {
            parts.push(("arrows", self.arrows.name().to_owned()));
        }
        if !self.number.is_zero() {
            let mut k = self.number.clone();
            k.add(&BigUint::from(1));
            parts.push(("k", k.to_string()));
        }
        parts.extend(self.question_kind.map(|kind| ("ask", kind.name().to_owned())));
        parts.extend(self.answers.clone().filter(|_| self.question_kind.is_some()).map(|answers| ("answers", answers)));
        parts
    }

    /// Returns this view, with defaults in place of an order, cell, alignment or questions that `board` does not have.
    #[must_use]
    pub fn fitted(mut self, board: &MatrixBoard) -> Self {
        let last = board.matrix.last();
        if !FillOrder::for_task(board.task(), board.matrix.costs()).contains(&self.order) {
            (self.order, self.step) = (FillOrder::default(), None);
        }
        let is_in = |node: &MatrixNode| node.cell.i <= last.i && node.cell.j <= last.j && board.matrix.layers().contains(&node.layer);
        self.cell = self.cell.filter(is_in);
        if board.path(&self.number).is_none() {
            self.number = BigUint::ZERO;
        }
        self.question_kind = self.question_kind.filter(|kind| board.question_kinds().contains(kind));
        self
    }
}

/// Parses the position of a cell, such as `3,5`, and the letter of its layer, if it is another than the main one.
fn parse_cell(value: &str) -> Option<MatrixNode> {
    let mut parts = value.split(',');
    let cell = MatrixCell { i: parts.next()?.parse().ok()?, j: parts.next()?.parse().ok()? };
    let layer = match parts.next() {
        None => MatrixLayer::Main,
        Some(name) => MatrixLayer::ALL.into_iter().find(|layer| layer.name() == name)?,
    };
    Some(layer.at(cell))
}

impl MatrixBoard {
    /// Fills the matrix for the texts of `sheet` (the symbols of both texts, and the task). Takes time linear in the
    /// number of cells.
    ///
    /// # Errors
    ///
    /// Returns `TooLarge` if the texts are too long for a matrix.
    pub fn new(sheet: MatrixSymbols) -> Result<Self, JobFailure> {
        let matrix = sheet.matrix()?;
        let shown = |symbols: &[String]| -> Vec<String> { symbols.iter().map(|symbol| shown(symbol)).collect() };
        let (a, b) = (shown(&sheet.a), shown(&sheet.b));
        let wide = a.iter().chain(&b).any(|symbol| symbol.chars().count() > 2 && !symbol.contains('\u{200d}'));
        let most = if matrix.layers().len() > 1 { MAX_LAYERED_SYMBOLS } else { MAX_GRID_SYMBOLS };
        let small = a.len().max(b.len()) <= most;
        let all = if small { Some(OptimalAlignmentCounts::new(&matrix)?) } else { None };
        let of = |symbols: &[String]| -> Vec<Option<String>> {
            symbols.iter().map(|symbol| (symbol == " " || visible_unit(symbol).is_some()).then(|| symbol.clone())).collect()
        };
        let unseen = [of(&sheet.a), of(&sheet.b)];
        let watched = if small { LensInput::of(&sheet) } else { LensInput::default() };
        Ok(Self { a, b, matrix, total: sheet.optimal, optimal_counts: all, wide, watched, invisible: unseen })
    }

    /// Returns whether the matrix is drawn cell by cell.
    pub fn is_grid(&self) -> bool {
        self.optimal_counts.is_some()
    }

    /// Returns whether the matrix needs the whole width of the page, because it has three layers or many columns. The
    /// explanations then stand below it.
    pub fn is_broad(&self) -> bool {
        let is_wide = self.b.len() >= MIN_BROAD_COLUMNS && self.b.len() > 2 * self.a.len();
        self.is_grid() && (is_wide || self.has_layers())
    }

    /// Returns whether the matrix has three layers.
    pub fn has_layers(&self) -> bool {
        self.matrix.layers().len() > 1
    }

    /// Returns the letter that names the matrix, or one of its layers, in formulas.
    pub fn letter(&self, layer: MatrixLayer) -> &'static str {
        if self.has_layers() { layer.name() } else { MatrixSentences::of(self.task()).letter }
    }

    /// Returns the kinds of questions about the cells. A cell that has several values, or a value without inputs, gets no
    /// question about inputs. Returns none for a matrix that is not drawn cell by cell.
    pub fn question_kinds(&self) -> &'static [quiz::MatrixQuestionKind] {
        use quiz::MatrixQuestionKind::{Inputs, Next, Value};
        match self.is_grid() {
            false => &[],
            true if self.matrix.scoring().is_some() => &[Value, Next],
            true => &[Value, Inputs, Next],
        }
    }

    /// Returns the optimal alignment with this number, from 0, or `None` if there is none. For a matrix that is not
    /// drawn cell by cell, only number 0 is available.
    pub fn path(&self, number: &BigUint) -> Option<OptimalPath> {
        match &self.optimal_counts {
            Some(all) => all.path(&self.matrix, number),
            None if number.is_zero() => optimal::first(&self.matrix),
            None => None,
        }
    }

    /// Returns whether a cell is on any optimal alignment. Returns `false` for a matrix that is not drawn cell by cell.
    pub fn is_on_any(&self, node: MatrixNode) -> bool {
        self.optimal_counts.as_ref().is_some_and(|all| all.is_on(&self.matrix, node))
    }

    /// Returns the number of optimal alignments through a cell, or `None` if the matrix is not drawn cell by cell.
    pub fn optimal_count_through(&self, node: MatrixNode) -> Option<BigUint> {
        self.optimal_counts.as_ref().map(|all| all.count_through(&self.matrix, node))
    }

    /// Returns the number of all optimal alignments, or `None` if the matrix is not drawn cell by cell.
    pub fn optimal_count(&self) -> Option<&BigUint> {
        self.optimal_counts.as_ref().map(OptimalAlignmentCounts::total)
    }

    /// Returns the number of the optimal alignment after alignment `number` if `forward` is set, and otherwise of the
    /// one before it. The first alignment follows the last one, and the last one precedes the first. Returns 0 if the
    /// matrix is not drawn cell by cell.
    pub fn beside(&self, number: &BigUint, forward: bool) -> BigUint {
        let Some(total) = self.optimal_count() else { return BigUint::ZERO };
        let one = BigUint::from(1);
        if forward {
            let mut next = number.clone();
            next.add(&one);
            return if &next < total { next } else { BigUint::ZERO };
        }
        number.clone().checked_sub(&one).or_else(|| total.clone().checked_sub(&one)).unwrap_or_default()
    }

    /// Returns the steps in which `order` fills the matrix.
    pub fn steps(&self, order: FillOrder) -> FillSteps {
        order.steps(&self.matrix)
    }

    /// Returns the values that step number `step` of `steps` fills: for each cell, those of all layers.
    pub fn nodes_of(&self, steps: &FillSteps, step: usize) -> Vec<MatrixNode> {
        let layers = self.matrix.layers();
        steps.cells(step).into_iter().flat_map(|cell| layers.iter().map(move |layer| layer.at(cell))).collect()
    }

    /// Returns the first cell in which an optimal alignment ends, which has the answer of most tasks. Falls back to the
    /// last cell. A view selects this cell at first.
    pub fn answer(&self) -> MatrixNode {
        self.matrix.ends().first().copied().unwrap_or(self.matrix.last().into())
    }

    /// Returns the score that students hand in after a lesson: the value of the answer's cell, or the number of
    /// occurrences for exact search.
    pub fn score(&self) -> CellValue {
        match self.task() {
            Task::ExactSearch => CellValue::from(self.matrix.ends().len() as i32),
            Task::EditDistance | Task::ApproximateSearch | Task::Lcs | Task::MatchCount | Task::SequenceAlignment => {
                self.matrix.value(self.answer())
            }
        }
    }

    pub fn task(&self) -> Task {
        self.matrix.task()
    }
}

/// Formats a symbol for a heading. Spaces and invisible characters are replaced by glyphs.
fn shown(symbol: &str) -> String {
    if symbol == " " { "␣".into() } else { visible(symbol) }
}

/// Joins the first `len` symbols of a text, of which only the last 16 are shown. If `wide` is set, symbols are
/// separated by spaces.
pub fn prefix(symbols: &[String], len: usize, wide: bool) -> String {
    const MAX_PREFIX_SYMBOLS: usize = 16;
    let from = len.saturating_sub(MAX_PREFIX_SYMBOLS);
    let between = if wide { " " } else { "" };
    let cut = if from > 0 { "…" } else { "" };
    format!("{cut}{}", symbols[from..len].join(between))
}

#[cfg(test)]
pub(crate) mod tests {
    use kernels::job::{EditCosts, JobOptions, Scoring};
    use kernels::text::{Pair, ReadingOptions, Unit};

    use super::*;
    use crate::model::points::PointsPreset;

    /// Creates the board of two texts, for tests.
    pub(crate) fn board(task: Task, a: &str, b: &str) -> MatrixBoard {
        let reading = ReadingOptions { unit: Unit::Graphemes, ..ReadingOptions::default() };
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &reading).unwrap();
        MatrixBoard::new(MatrixSymbols::from_pair(task, &JobOptions::DEFAULT, &pair).unwrap().0).unwrap()
    }

    /// Creates the board of the edit distance of two texts with costs, for tests.
    pub(crate) fn board_with_costs(costs: EditCosts, a: &str, b: &str) -> MatrixBoard {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        MatrixBoard::new(MatrixSymbols::from_pair(Task::EditDistance, &JobOptions { costs, ..JobOptions::DEFAULT }, &pair).unwrap().0)
            .unwrap()
    }

    /// Creates the board of the sequence alignment of two texts, for tests.
    pub(crate) fn board_with_scoring(scoring: Scoring, a: &str, b: &str) -> MatrixBoard {
        let mut options = JobOptions::DEFAULT;
        options.set_scoring(scoring);
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions::default()).unwrap();
        MatrixBoard::new(MatrixSymbols::from_pair(Task::SequenceAlignment, &options, &pair).unwrap().0).unwrap()
    }

    #[test]
    fn cell_of_a_layer_is_kept_in_an_address() {
        let board = board_with_scoring(PointsPreset::Gotoh.scoring(), "GCTTAGC", "GCAGTC");
        let read = |value: &str| BoardView::read([("cell", value), ("ask", "inputs")]).fitted(&board);
        let node = MatrixLayer::Deletions.at(MatrixCell { i: 4, j: 2 });
        assert_eq!((read("4,2,D").cell, read("4,2").cell), (Some(node), Some(node.cell.into())));
        assert_eq!(read("4,2,D").write(), [("cell", "4,2,D".to_owned())]);
        assert_eq!((read("4,2,X").cell, read("9,2,D").cell), (None, None));
        let linear = board_with_scoring(PointsPreset::NeedlemanWunsch.scoring(), "GCTTAGC", "GCAGTC");
        assert_eq!(BoardView::read([("cell", "4,2,D")]).fitted(&linear).cell, None);
    }

    #[test]
    fn layers_are_drawn_cell_by_cell_up_to_thirty_symbols() {
        let of = |preset: PointsPreset, len: usize| board_with_scoring(preset.scoring(), &"A".repeat(len), "AC");
        assert!(of(PointsPreset::Gotoh, 30).is_grid() && of(PointsPreset::Gotoh, 30).is_broad());
        assert!(!of(PointsPreset::Gotoh, 31).is_grid() && of(PointsPreset::SmithWaterman, 60).is_grid());
        assert_eq!(of(PointsPreset::Gotoh, 2).letter(MatrixLayer::Insertions), "I");
        assert_eq!(of(PointsPreset::SmithWaterman, 2).letter(MatrixLayer::Main), "H");
    }

    fn number(text: &str) -> BigUint {
        text.parse().unwrap()
    }

    #[test]
    fn matrix_is_broad_if_its_columns_need_the_space_beside_it() {
        let of = |a: &str, b: &str| board(Task::ApproximateSearch, a, b).is_broad();
        assert!(of("read", "the word we write are the world we read"));
        assert!(!of("read", "the word"), "few columns fit beside the explanation");
        assert!(!of("the word we", "write are the world"));
    }

    #[test]
    fn matrix_view_is_parsed_and_printed_without_loss() {
        let look = BoardView {
            order: FillOrder::Diagonal,
            step: Some(8),
            cell: Some(MatrixCell { i: 3, j: 5 }.into()),
            arrows: ArrowSelection::All,
            number: number("340282366920938463463374607431768211455"),
            question_kind: Some(quiz::MatrixQuestionKind::Value),
            answers: Some("BA.C".into()),
        };
        let written = look.write();
        let parts: Vec<String> = written.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(parts.join("&"), "order=diag&step=8&cell=3,5&arrows=all&k=340282366920938463463374607431768211456&ask=on&answers=BA.C");
        assert_eq!(BoardView::read(written.iter().map(|(name, value)| (*name, value.as_str()))), look);
        assert!(BoardView::default().write().is_empty());
    }

    #[test]
    fn invalid_parameters_of_an_address_are_ignored() {
        let parts = [("order", "zigzag"), ("step", "-1"), ("cell", "3"), ("arrows", ""), ("k", "0"), ("ask", "yes"), ("other", "x")];
        assert_eq!(BoardView::read(parts), BoardView::default());
    }

    #[test]
    fn matrix_view_is_limited_to_its_matrix() {
        let board = board(Task::MatchCount, "ab", "abab");
        let look = BoardView {
            order: FillOrder::Bits,
            step: Some(3),
            cell: Some(MatrixCell { i: 3, j: 0 }.into()),
            number: BigUint::from(2),
            ..BoardView::default()
        };
        assert_eq!(look.fitted(&board), BoardView::default());
        let fine = BoardView {
            order: FillOrder::Offset,
            cell: Some(MatrixCell { i: 2, j: 4 }.into()),
            number: BigUint::from(1),
            ..BoardView::default()
        };
        assert_eq!(fine.clone().fitted(&board), fine);
    }

    /// The score is the value of the answer's cell, which is not always the last cell.
    #[test]
    fn score_is_the_answer_of_the_task() {
        let score = |task, a, b| board(task, a, b).score();
        assert_eq!(score(Task::EditDistance, "kitten", "sitting"), 3);
        assert_eq!(score(Task::ApproximateSearch, "kitten", "sitting"), 2);
        assert_eq!(score(Task::Lcs, "kitten", "sitting"), 4);
        assert_eq!(score(Task::MatchCount, "ana", "bananas"), 3);
        assert_eq!(score(Task::ExactSearch, "ana", "bananas"), 2);
        assert_eq!(score(Task::ExactSearch, "x", "bananas"), 0);
    }

    #[test]
    fn next_after_the_last_alignment_is_the_first() {
        let board = board(Task::EditDistance, "INTENTION", "EXECUTION");
        assert_eq!(board.beside(&BigUint::ZERO, true), BigUint::from(1));
        assert_eq!(board.beside(&BigUint::ZERO, false), BigUint::from(6));
        assert_eq!(board.beside(&BigUint::from(6), true), BigUint::ZERO);
        assert_eq!(board.optimal_count().map(ToString::to_string).as_deref(), Some("7"));
    }

    #[test]
    fn invisible_symbols_are_drawn_and_long_prefixes_are_cut() {
        let letters: Vec<String> = "abcdefghijklmnopqrstuvwxyz".chars().map(String::from).collect();
        assert_eq!(prefix(&letters, 3, false), "abc");
        assert_eq!(prefix(&letters, 20, false), "…efghijklmnopqrst");
        assert_eq!(shown("line\r\n"), "line");
        assert_ne!(shown("\n"), "\n");
    }
}
