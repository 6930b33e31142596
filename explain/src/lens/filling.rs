//! The lens that fills the matrix of a task, in one of several orders, such as by rows, columns or diagonals. A step
//! fills one cell, or all cells of a diagonal, depending on the order.

use kernels::job::Task;

use super::frame::{
    LensCount, LensFrame, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelGrid, PanelPosition, SentenceValue,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, cells, filled, line, sums_of};
use crate::matrix::order::{FillOrder, FillSteps};
use crate::matrix::{DpMatrix, MatrixCell};

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("filling.begin", &["cells", "steps"]),
    ("filling.cell", &["i", "j", "value"]),
    ("filling.cells", &["step", "count"]),
    ("filling.why-one", &["ways"]),
    ("filling.why-many", &["count"]),
    ("filling.why-offset", &["count"]),
    ("filling.end", &["cells", "left"]),
    ("question.value", &["i", "j"]),
    ("question.inputs", &["i", "j", "value"]),
    ("question.next-filled", &[]),
    ("question.of-step", &["step"]),
    ("question.rounds", &["step", "threads"]),
    ("why.rounds", &["count", "threads"]),
];

const ROWS: &[CodeLine] =
    &[line("", "for i = 1 to m"), line("", "  for j = 1 to n"), line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])")];

const COLUMNS: &[CodeLine] =
    &[line("", "for j = 1 to n"), line("", "  for i = 1 to m"), line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])")];

const DIAGONALS: &[CodeLine] = &[
    line("", "for k = 1 to n + m − 1"),
    line("", "  for i = max(1, k − n + 1) to min(m, k) in parallel"),
    line("", "    j = k − i + 1"),
    line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])"),
];

const BAND: &[CodeLine] = &[
    line("", "for i = 1 to m"),
    line("", "  for j = max(1, i + low) to min(n, i + high)"),
    line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])"),
];

const CUT_OFF: &[CodeLine] = &[
    line("", "for j = 1 to n"),
    line("", "  last = greatest i with C[i, j−1] ≤ k"),
    line("", "  for i = 1 to min(m, last + 1)"),
    line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])"),
];

const OFFSETS: &[CodeLine] = &[
    line("", "for o = 1 − m to n − 1 in parallel"),
    line("", "  for each (i, j) with j − i = o"),
    line("", "    C[i, j] = f(C[i−1, j−1], a[i], b[j])"),
];

pub(super) struct FillingLens {
    pub(super) matrix: DpMatrix,
    order: FillOrder,
    steps: FillSteps,
}

impl FillingLens {
    pub(super) fn new(order: FillOrder, task: Task, texts: &LensTexts) -> Self {
        let matrix = filled(task, texts);
        let steps = order.steps(&matrix);
        Self { matrix, order, steps }
    }

    /// Returns the matrix after `step` steps.
    pub(super) fn grid(&self, step: usize) -> PanelGrid {
        let MatrixCell { i: m, j: n } = self.matrix.last();
        let mut grid = PanelGrid::of_texts(m, n);
        for cell in self.matrix.cells() {
            let value = || PanelCell::number(self.matrix.value(cell).count());
            *grid.cell_mut(cell.i, cell.j) = match self.steps.step_of(cell) {
                None => PanelCell::default(),
                Some(of) if of > step => PanelCell::default().with_mark(LensMark::Ahead),
                Some(of) if of == step && step > 0 => value().with_mark(LensMark::New),
                Some(_) => value().with_mark(LensMark::Kept),
            };
        }
        let new = self.steps.cells(step);
        for (lane, cell) in new.iter().enumerate() {
            if new.len() > 1 {
                grid.cell_mut(cell.i, cell.j).owner = Some(lane as u16);
            } else {
                grid.rows[cell.i].add(LensMark::Read);
                grid.columns[cell.j].add(LensMark::Read);
            }
            // Cells outside of the band have no value to read, and cells of the same step are new.
            for sum in self.matrix.sums(*cell).filter(|sum| self.steps.step_of(sum.from).is_some_and(|of| of < step)) {
                grid.cell_mut(sum.from.i, sum.from.j).add(LensMark::Read);
            }
        }
        grid
    }

    /// Returns the cell that step `step` fills, or `None` if the step fills several cells or none.
    pub(super) fn only(&self, step: usize) -> Option<MatrixCell> {
        let cells = self.steps.cells(step);
        if cells.len() == 1 { cells.first().copied() } else { None }
    }

    pub(super) fn outcome(&self) -> LensOutcome {
        let MatrixCell { i: m, j: n } = self.matrix.last();
        let row = self.matrix.row(m);
        match self.matrix.task() {
            Task::EditDistance | Task::SequenceAlignment => LensOutcome::Distance(row[n].count().into()),
            Task::ApproximateSearch => LensOutcome::Distance(row.iter().map(|value| value.count().into()).min().unwrap_or_default()),
            Task::Lcs => LensOutcome::Common { length: row[n].count().into(), matches: None },
            Task::MatchCount => LensOutcome::Scores(row.iter().skip(m).map(|value| value.count()).collect()),
            Task::ExactSearch => LensOutcome::Positions((m..=n).filter(|j| row[*j] == 1).map(|j| j - m).collect()),
        }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let (all, filled) = (self.steps.len(), self.steps.filled());
        let number = SentenceValue::number;
        let cells = self.steps.cells(step);
        let happens = match (step, &cells[..]) {
            (0, _) => LensSentence::new("filling.begin", [("cells", number(filled)), ("steps", number(all))]),
            (_, [cell]) => {
                let value = SentenceValue::Number(self.matrix.value(*cell).count().into());
                LensSentence::new("filling.cell", [("i", number(cell.i)), ("j", number(cell.j)), ("value", value)])
            }
            (_, cells) => LensSentence::new("filling.cells", [("step", number(step)), ("count", number(cells.len()))]),
        };
        let why = match &cells[..] {
            _ if step == all => {
                LensSentence::new("filling.end", [("cells", number(filled)), ("left", number(self.steps.cells_of_matrix() - filled))])
            }
            [cell] => {
                let ways = sums_of(&self.matrix, *cell).iter().filter(|sum| sum.mark.is_some()).count();
                LensSentence::new("filling.why-one", [("ways", number(ways))])
            }
            // A diagonal of offsets is a chain: each of its cells depends on the previous one.
            cells if self.order == FillOrder::Offset => LensSentence::new("filling.why-offset", [("count", number(cells.len()))]),
            cells => LensSentence::new("filling.why-many", [("count", number(cells.len()))]),
        };
        vec![happens, why]
    }
}

impl Lens for FillingLens {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let mut panels = vec![LensPanel::new("matrix", PanelPosition::Main, PanelBody::Grid(self.grid(step)))];
        if let Some(cell) = self.only(step) {
            panels.push(LensPanel::new("which-sum", PanelPosition::Side, PanelBody::Sums(sums_of(&self.matrix, cell))));
        }
        LensFrame {
            panels,
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("cells-computed", self.steps.filled_after(step), self.steps.filled()),
                LensCount::without_total("cells-of-matrix", self.steps.cells_of_matrix()),
                LensCount::without_total("cells-at-once", self.steps.cells(step).len()),
            ],
            line: Some(if step == 0 { 0 } else { self.code().len() - 1 }),
            outcome: (step == all).then(|| self.outcome()),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        let all = self.steps.cells(step + 1);
        let at = if turn.place(2) == 0 { all.len() / 2 } else { turn.place(all.len()) };
        let Some(cell) = all.get(at) else { return Vec::new() };
        let mut questions = vec![cells::value_question(&self.matrix, *cell), cells::inputs(&self.matrix, *cell)];
        questions.extend(cells::next_cells_question(&self.matrix, &self.steps, step + 1, at));
        if all.len() > 1 {
            let threads = [2, 3, 4][turn.place(3)];
            let says = LensSentence::new(
                "question.rounds",
                [("step", SentenceValue::number(step + 1)), ("threads", SentenceValue::number(threads))],
            );
            let others = [all.len() as u64, (all.len() / threads) as u64];
            let question = LensQuestion::number(QuestionKind::TimeUnits, says, all.len().div_ceil(threads) as u64, &others);
            let why =
                LensSentence::new("why.rounds", [("count", SentenceValue::number(all.len())), ("threads", SentenceValue::number(threads))]);
            questions.push(question.with_reason(why));
        }
        questions
    }

    fn code(&self) -> &'static [CodeLine] {
        match self.order {
            FillOrder::Row => ROWS,
            FillOrder::Column => COLUMNS,
            FillOrder::Diagonal => DIAGONALS,
            FillOrder::Band => BAND,
            FillOrder::CutOff => CUT_OFF,
            FillOrder::Offset => OFFSETS,
            // Bit vectors have a lens of their own.
            FillOrder::Bits => COLUMNS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::tests::inputs;
    use super::super::question::QuestionReply;
    use super::super::tests::{cases, questions, said, value};
    use super::super::{LensName, LensSettings};
    use super::*;

    const ORDERS: [LensName; 6] =
        [LensName::Rows, LensName::Columns, LensName::Diagonals, LensName::Band, LensName::CutOff, LensName::Offsets];

    #[test]
    fn each_cell_is_filled_once_after_its_inputs() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for (name, task) in ORDERS
                .iter()
                .flat_map(|name| Task::ALL.map(|task| (*name, task)))
                .filter(|(name, task)| LensName::for_task(*task).contains(name))
            {
                let lens = super::super::open(name, task, &case.texts(), &LensSettings::defaults(name)).unwrap();
                let mut before: Option<PanelGrid> = None;
                for step in 0..=lens.len() {
                    let mut frame = lens.frame(step);
                    let PanelBody::Grid(grid) = frame.panels.swap_remove(0).body else { panic!("expected a grid") };
                    let new = grid.cells.iter().filter(|cell| cell.marks.has(LensMark::New)).count() as u64;
                    assert!(step == 0 || new > 0);
                    assert_eq!(frame.counts[2].now, new);
                    if let Some(before) = &before {
                        for (now, earlier) in grid.cells.iter().zip(&before.cells) {
                            assert!(
                                !now.marks.has(LensMark::New) || earlier.marks.has(LensMark::Ahead),
                                "cell filled twice: {}",
                                name.name()
                            );
                            // A neighbour outside of the band is left out; no other neighbour is still unfilled.
                            assert!(
                                !now.marks.has(LensMark::Read) || !earlier.marks.has(LensMark::Ahead),
                                "cell read before it is filled: {}",
                                name.name()
                            );
                        }
                    }
                    before = Some(grid);
                }
            }
        }
    }

    #[test]
    fn expected_answers_agree_with_the_recurrence() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for (name, task) in
                ORDERS.iter().flat_map(|name| [Task::EditDistance, Task::Lcs, Task::ApproximateSearch].map(|task| (*name, task)))
            {
                if !LensName::for_task(task).contains(&name) {
                    continue;
                }
                let lens = super::super::open(name, task, &case.texts(), &LensSettings::defaults(name)).unwrap();
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                    let after = lens.frame(step + 1);
                    let PanelBody::Grid(grid) = &after.panels[0].body else { panic!("expected a grid") };
                    let new: Vec<(usize, usize)> = (0..grid.cells.len())
                        .filter(|at| grid.cells[*at].marks.has(LensMark::New))
                        .map(|at| (at / grid.columns.len(), at % grid.columns.len()))
                        .collect();
                    let number = |key| said(&question.prompt, key);
                    match question.prompt.key {
                        "question.value" => {
                            let (i, j) = (number("i"), number("j"));
                            assert_eq!(question.expected, QuestionReply::Number(value(task, &case, i, j)));
                            assert!(new.contains(&(i, j)));
                        }
                        "question.inputs" => {
                            assert_eq!(question.expected, QuestionReply::Cells(inputs(task, &case, number("i"), number("j"))));
                        }
                        "question.next-filled" => assert_eq!(question.expected, QuestionReply::Cells(new)),
                        "question.of-step" => {
                            let offered =
                                question.choices.iter().filter(|one| matches!(one, QuestionReply::Cells(cell) if new.contains(&cell[0])));
                            let offered =
                                offered.flat_map(|one| if let QuestionReply::Cells(cell) = one { cell.clone() } else { Vec::new() });
                            assert_eq!(question.expected, QuestionReply::Cells(offered.collect()));
                        }
                        "question.rounds" => {
                            assert_eq!(question.expected, QuestionReply::Number(new.len().div_ceil(number("threads")) as u64));
                        }
                        other => panic!("{other}"),
                    }
                }
            }
        }
    }
}
