//! The lens of a matrix that is filled row by row, with only two rows in memory. A step fills a row. Two rows suffice
//! for the score, but not for tracing an alignment back.

use kernels::job::Task;

use super::frame::{
    CellTape, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelGrid,
    PanelPosition, SentenceValue,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, cells, filled, line};
use crate::matrix::{DpMatrix, MatrixCell};

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("two-rows.begin", &["words"]),
    ("two-rows.row", &["i", "a", "cells"]),
    ("two-rows.why", &["words", "table"]),
    ("two-rows.end", &["value", "words"]),
    ("question.value", &["i", "j"]),
    ("question.inputs", &["i", "j", "value"]),
    ("question.row-kept", &["i"]),
    ("question.cells-left", &["from", "n"]),
    ("why.cells-left", &["rows", "n"]),
];

/// Pseudo-code for the longest common subsequence, Listing 1 of paper 001.
const COMMON: &[CodeLine] = &[
    line("2", "llcs(A, m, B, n, L) {"),
    line("5", "  for (j=0 to n) K[1][j] = 0"),
    line("6", "  for (i=1 to m) {"),
    line("7", "    for (j=0 to n) K[0][j] = K[1][j]"),
    line("8", "    for (j=1 to n)"),
    line("9", "      if (A[i-1]==B[j-1])"),
    line("10", "        K[1][j] = K[0][j-1] + 1"),
    line("11", "      else"),
    line("12", "        K[1][j] = max(K[1][j-1], K[0][j])"),
    line("13", "  }"),
    line("14", "  for (j=0 to n) L[j] = K[1][j]"),
];

const DISTANCE: &[CodeLine] = &[
    line("", "for j = 0 to n: K[1][j] = j"),
    line("", "for i = 1 to m"),
    line("", "  for j = 0 to n: K[0][j] = K[1][j]"),
    line("", "  K[1][0] = i"),
    line("", "  for j = 1 to n"),
    line("", "    K[1][j] = min(K[0][j] + 1, K[1][j−1] + 1,"),
    line("", "                  K[0][j−1] + (x[i] ≠ y[j]))"),
    line("", "output K[1][n]"),
];

const SEARCH: &[CodeLine] = &[
    line("", "for j = 0 to n: K[1][j] = 0"),
    line("", "for i = 1 to m"),
    line("", "  for j = 0 to n: K[0][j] = K[1][j]"),
    line("", "  K[1][0] = i"),
    line("", "  for j = 1 to n"),
    line("", "    K[1][j] = min(K[0][j] + 1, K[1][j−1] + 1,"),
    line("", "                  K[0][j−1] + (x[i] ≠ y[j]))"),
    line("", "output min K[1][·]"),
];

pub(super) struct TwoRowsLens {
    matrix: DpMatrix,
}

impl TwoRowsLens {
    pub(super) fn new(task: Task, texts: &LensTexts) -> Self {
        Self { matrix: filled(task, texts) }
    }

    fn size(&self) -> (usize, usize) {
        let MatrixCell { i, j } = self.matrix.last();
        (i, j)
    }

    /// Returns the cells of row `i` of the matrix, each with its value and with `mark`.
    fn row(&self, i: usize, mark: LensMark) -> Vec<PanelCell> {
        self.matrix.row(i).iter().map(|value| PanelCell::number(value.count()).with_mark(mark)).collect()
    }

    fn grid(&self, step: usize) -> PanelGrid {
        let (m, n) = self.size();
        let mut grid = PanelGrid::of_texts(m, n);
        for i in 0..=m {
            let row = match i {
                _ if i == step => self.row(i, LensMark::New),
                _ if i + 1 == step => self.row(i, LensMark::Kept),
                _ if i < step => vec![PanelCell::default().with_mark(LensMark::Dropped); n + 1],
                _ => vec![PanelCell::default().with_mark(LensMark::Ahead); n + 1],
            };
            grid.cells[i * (n + 1)..(i + 1) * (n + 1)].copy_from_slice(&row);
        }
        grid.rows[step].add(LensMark::New);
        // K[0] has no values before the first step.
        let above = step.checked_sub(1).map_or_else(|| vec![PanelCell::default(); n + 1], |above| self.row(above, LensMark::Kept));
        let tape = |label, cells| CellTape { label: LensLabel::code(label), cells, ..CellTape::default() };
        grid.tapes_below = vec![tape("K[0]", above), tape("K[1]", self.row(step, LensMark::New))];
        grid
    }

    fn score(&self) -> u64 {
        let row = self.matrix.row(self.size().0);
        let score = match self.matrix.task() {
            Task::ApproximateSearch => row.iter().min(),
            Task::EditDistance | Task::Lcs | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => row.last(),
        };
        score.map_or(0, |value| value.count().into())
    }
}

impl Lens for TwoRowsLens {
    fn len(&self) -> usize {
        self.size().0
    }

    fn frame(&self, step: usize) -> LensFrame {
        let (m, n) = self.size();
        let step = step.min(m);
        let (words, table) = (2 * (n + 1), (m + 1) * (n + 1));
        let happens = match step {
            0 => LensSentence::new("two-rows.begin", [("words", SentenceValue::number(words))]),
            _ => LensSentence::new(
                "two-rows.row",
                [("i", SentenceValue::number(step)), ("a", SentenceValue::a(step - 1)), ("cells", SentenceValue::number(n))],
            ),
        };
        let why = match step == m {
            true => {
                LensSentence::new("two-rows.end", [("value", SentenceValue::Number(self.score())), ("words", SentenceValue::number(words))])
            }
            false => LensSentence::new("two-rows.why", [("words", SentenceValue::number(words)), ("table", SentenceValue::number(table))]),
        };
        let is_lcs = self.matrix.task() == Task::Lcs;
        let line = match (step, is_lcs) {
            (0, true) => 1,
            (0, false) => 0,
            (_, true) if step == m => 10,
            (_, true) => 8,
            (_, false) if step == m => 7,
            (_, false) => 5,
        };
        let outcome = || match is_lcs {
            true => LensOutcome::Common { length: self.score(), matches: None },
            false => LensOutcome::Distance(self.score()),
        };
        LensFrame {
            panels: vec![LensPanel::new("matrix", PanelPosition::Main, PanelBody::Grid(self.grid(step)))],
            sentences: vec![happens, why],
            counts: vec![
                LensCount::new("cells-computed", step * n, m * n),
                LensCount::without_total("words-kept", words),
                LensCount::without_total("words-of-table", table),
                LensCount::new("comparisons", step * n, m * n),
            ],
            line: Some(line),
            outcome: (step == m).then(outcome),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        let (m, n) = self.size();
        if step >= m || n == 0 {
            return Vec::new();
        }
        // Asks for one of the first columns, because a reader has to fill the row up to this cell.
        let cell = MatrixCell { i: step + 1, j: 1 + turn.place(n.min(3)) };
        let number = SentenceValue::number;
        let row = LensSentence::new("question.row-kept", [("i", number(step + 1))]);
        let kept = LensQuestion::number(QuestionKind::Next, row, step as u64, &[step as u64 + 1, 0]);
        let values = [("from", number(step + 1)), ("n", number(n))];
        let left = LensQuestion::number(
            QuestionKind::TimeUnits,
            LensSentence::new("question.cells-left", values),
            ((m - step) * n) as u64,
            &[(m * n) as u64, ((m - step - 1) * n) as u64],
        );
        let why = LensSentence::new("why.cells-left", [("rows", number(m - step)), ("n", number(n))]);
        vec![cells::value_question(&self.matrix, cell), cells::inputs(&self.matrix, cell), kept, left.with_reason(why)]
    }

    fn code(&self) -> &'static [CodeLine] {
        match self.matrix.task() {
            Task::Lcs => COMMON,
            Task::ApproximateSearch => SEARCH,
            Task::EditDistance | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => DISTANCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LensName;
    use super::super::question::QuestionReply;
    use super::super::tests::{cases, questions, said, value};
    use super::*;

    const TASKS: [Task; 3] = [Task::EditDistance, Task::Lcs, Task::ApproximateSearch];

    #[test]
    fn expected_answers_agree_with_the_recurrence() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for task in TASKS {
                let lens = case.open(LensName::TwoRows, task, "");
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                    let number = |key| said(&question.prompt, key);
                    let expected = match question.prompt.key {
                        "question.value" => QuestionReply::Number(value(task, &case, number("i"), number("j"))),
                        "question.inputs" => {
                            QuestionReply::Cells(super::super::cells::tests::inputs(task, &case, number("i"), number("j")))
                        }
                        // The row before the one to fill.
                        "question.row-kept" => QuestionReply::Number(number("i") as u64 - 1),
                        "question.cells-left" => QuestionReply::Number(((case.a.len() - step) * case.b.len()) as u64),
                        other => panic!("{other}"),
                    };
                    assert_eq!(question.expected, expected, "{:?}", question.prompt);
                }
            }
        }
    }

    #[test]
    fn at_most_two_rows_have_values() {
        for case in cases(60, 60) {
            for task in TASKS {
                let lens = TwoRowsLens::new(task, &case.texts());
                for step in 0..=lens.len() {
                    let grid = lens.grid(step);
                    let has_values = |row: &[PanelCell]| row.iter().any(|cell| cell.value != super::super::frame::ShownValue::Nothing);
                    let rows = grid.cells.chunks(case.b.len() + 1).filter(|row| has_values(row)).count();
                    assert_eq!(rows, 2.min(step + 1));
                }
            }
        }
    }
}
