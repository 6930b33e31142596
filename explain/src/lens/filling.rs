//! Filling: the matrix of a task in one of its orders. A step fills one cell, or a whole diagonal, depending on the
//! order.

use kernels::job::Task;

use super::frame::{Body, Count, Entry, Frame, Grid, Mark, Outcome, Panel, Place, Said, Value};
use super::question::{Asked, Question, Turn};
use super::{Lens, Line, Phrase, Texts, cells, filled, line, sums_of};
use crate::matrix::order::{Order, Steps};
use crate::matrix::{Cell, Matrix};

/// Phrases of this lens.
pub(super) const SAYS: &[Phrase] = &[
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

const ROWS: &[Line] =
    &[line("", "for i = 1 to m"), line("", "  for j = 1 to n"), line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])")];

const COLUMNS: &[Line] =
    &[line("", "for j = 1 to n"), line("", "  for i = 1 to m"), line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])")];

const DIAGONALS: &[Line] = &[
    line("", "for k = 1 to n + m − 1"),
    line("", "  for i = max(1, k − n + 1) to min(m, k) in parallel"),
    line("", "    j = k − i + 1"),
    line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])"),
];

const BAND: &[Line] = &[
    line("", "for i = 1 to m"),
    line("", "  for j = max(1, i + low) to min(n, i + high)"),
    line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])"),
];

const CUT_OFF: &[Line] = &[
    line("", "for j = 1 to n"),
    line("", "  last = greatest i with C[i, j−1] ≤ k"),
    line("", "  for i = 1 to min(m, last + 1)"),
    line("", "    C[i, j] = f(C[i−1, j−1], C[i−1, j], C[i, j−1])"),
];

const OFFSETS: &[Line] = &[
    line("", "for o = 1 − m to n − 1 in parallel"),
    line("", "  for each (i, j) with j − i = o"),
    line("", "    C[i, j] = f(C[i−1, j−1], a[i], b[j])"),
];

pub(super) struct Filling {
    matrix: Matrix,
    order: Order,
    steps: Steps,
}

impl Filling {
    pub(super) fn new(order: Order, task: Task, texts: &Texts) -> Self {
        let matrix = filled(task, texts);
        let steps = order.steps(&matrix);
        Self { matrix, order, steps }
    }

    fn grid(&self, step: usize) -> Grid {
        let Cell { i: m, j: n } = self.matrix.last();
        let mut grid = Grid::of_texts(m, n);
        for cell in self.matrix.cells() {
            let value = || Entry::number(self.matrix.value(cell));
            *grid.at_mut(cell.i, cell.j) = match self.steps.of(cell) {
                None => Entry::default(),
                Some(of) if of > step => Entry::default().mark(Mark::Ahead),
                Some(of) if of == step && step > 0 => value().mark(Mark::New),
                Some(_) => value().mark(Mark::Kept),
            };
        }
        let new = self.steps.cells(step);
        for (lane, cell) in new.iter().enumerate() {
            if new.len() > 1 {
                grid.at_mut(cell.i, cell.j).of = Some(lane as u16);
            } else {
                grid.rows[cell.i].add(Mark::Read);
                grid.columns[cell.j].add(Mark::Read);
            }
            // Cells outside of the band have no value to read, and cells of the same step are new.
            for sum in self.matrix.sums(*cell).filter(|sum| self.steps.of(sum.from).is_some_and(|of| of < step)) {
                grid.at_mut(sum.from.i, sum.from.j).add(Mark::Read);
            }
        }
        grid
    }

    /// Returns the new cell of a step, or `None` if there are several.
    fn only(&self, step: usize) -> Option<Cell> {
        let cells = self.steps.cells(step);
        if cells.len() == 1 { cells.first().copied() } else { None }
    }

    fn outcome(&self) -> Outcome {
        let Cell { i: m, j: n } = self.matrix.last();
        let row = self.matrix.row(m);
        match self.matrix.task() {
            Task::EditDistance => Outcome::Distance(row[n].into()),
            Task::ApproximateSearch => Outcome::Distance(row.iter().min().copied().unwrap_or_default().into()),
            Task::Lcs => Outcome::Common { length: row[n].into(), matches: None },
            Task::MatchCount => Outcome::Scores(row.iter().skip(m).map(|score| u32::from(*score)).collect()),
            Task::ExactSearch => Outcome::Positions((m..=n).filter(|j| row[*j] == 1).map(|j| j - m).collect()),
        }
    }

    fn says(&self, step: usize) -> Vec<Said> {
        let (all, filled) = (self.steps.len(), self.steps.filled());
        let number = Value::number;
        let cells = self.steps.cells(step);
        let happens = match (step, &cells[..]) {
            (0, _) => Said::new("filling.begin", [("cells", number(filled)), ("steps", number(all))]),
            (_, [cell]) => {
                let value = Value::Number(self.matrix.value(*cell).into());
                Said::new("filling.cell", [("i", number(cell.i)), ("j", number(cell.j)), ("value", value)])
            }
            (_, cells) => Said::new("filling.cells", [("step", number(step)), ("count", number(cells.len()))]),
        };
        let why = match &cells[..] {
            _ if step == all => {
                Said::new("filling.end", [("cells", number(filled)), ("left", number(self.steps.cells_of_matrix() - filled))])
            }
            [cell] => {
                let ways = sums_of(&self.matrix, *cell).iter().filter(|sum| sum.mark.is_some()).count();
                Said::new("filling.why-one", [("ways", number(ways))])
            }
            // A diagonal of offsets is a chain, in which each cell depends on the one before it.
            cells if self.order == Order::Offset => Said::new("filling.why-offset", [("count", number(cells.len()))]),
            cells => Said::new("filling.why-many", [("count", number(cells.len()))]),
        };
        vec![happens, why]
    }
}

impl Lens for Filling {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn frame(&self, step: usize) -> Frame {
        let all = self.len();
        let step = step.min(all);
        let mut panels = vec![Panel::new("matrix", Place::Main, Body::Grid(self.grid(step)))];
        if let Some(cell) = self.only(step) {
            panels.push(Panel::new("which-sum", Place::Side, Body::Sums(sums_of(&self.matrix, cell))));
        }
        Frame {
            panels,
            says: self.says(step),
            counts: vec![
                Count::new("cells-computed", self.steps.filled_after(step), self.steps.filled()),
                Count::only("cells-of-matrix", self.steps.cells_of_matrix()),
                Count::only("cells-at-once", self.steps.cells(step).len()),
            ],
            line: Some(if step == 0 { 0 } else { self.code().len() - 1 }),
            outcome: (step == all).then(|| self.outcome()),
        }
    }

    fn questions(&self, step: usize, turn: Turn) -> Vec<Question> {
        let all = self.steps.cells(step + 1);
        let at = if turn.place(2) == 0 { all.len() / 2 } else { turn.place(all.len()) };
        let Some(cell) = all.get(at) else { return Vec::new() };
        let mut questions = vec![cells::value(&self.matrix, *cell), cells::inputs(&self.matrix, *cell)];
        questions.extend(cells::next(&self.matrix, &self.steps, step + 1, at));
        if all.len() > 1 {
            let threads = [2, 3, 4][turn.place(3)];
            let says = Said::new("question.rounds", [("step", Value::number(step + 1)), ("threads", Value::number(threads))]);
            let others = [all.len() as u64, (all.len() / threads) as u64];
            let question = Question::number(Asked::TimeUnits, says, all.len().div_ceil(threads) as u64, &others);
            let why = Said::new("why.rounds", [("count", Value::number(all.len())), ("threads", Value::number(threads))]);
            questions.push(question.because(why));
        }
        questions
    }

    fn code(&self) -> &'static [Line] {
        match self.order {
            Order::Row => ROWS,
            Order::Column => COLUMNS,
            Order::Diagonal => DIAGONALS,
            Order::Band => BAND,
            Order::CutOff => CUT_OFF,
            Order::Offset => OFFSETS,
            // Bit vectors have a lens of their own.
            Order::Bits => COLUMNS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::tests::inputs;
    use super::super::question::Reply;
    use super::super::tests::{cases, questions, said, value};
    use super::super::{Name, Settings};
    use super::*;

    const ORDERS: [Name; 6] = [Name::Rows, Name::Columns, Name::Diagonals, Name::Band, Name::CutOff, Name::Offsets];

    #[test]
    fn each_cell_is_filled_once_after_its_inputs() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for (name, task) in
                ORDERS.iter().flat_map(|name| Task::ALL.map(|task| (*name, task))).filter(|(name, task)| Name::of(*task).contains(name))
            {
                let lens = super::super::open(name, task, &case.texts(), &Settings::usual(name)).unwrap();
                let mut before: Option<Grid> = None;
                for step in 0..=lens.len() {
                    let mut frame = lens.frame(step);
                    let Body::Grid(grid) = frame.panels.swap_remove(0).body else { panic!("a grid") };
                    let new = grid.cells.iter().filter(|cell| cell.marks.has(Mark::New)).count() as u64;
                    assert!(step == 0 || new > 0);
                    assert_eq!(frame.counts[2].now, new);
                    if let Some(before) = &before {
                        for (now, earlier) in grid.cells.iter().zip(&before.cells) {
                            assert!(!now.marks.has(Mark::New) || earlier.marks.has(Mark::Ahead), "filled again: {}", name.name());
                            // A neighbour outside of the band is left out; no other neighbour is still unfilled.
                            assert!(!now.marks.has(Mark::Read) || !earlier.marks.has(Mark::Ahead), "read too early: {}", name.name());
                        }
                    }
                    before = Some(grid);
                }
            }
        }
    }

    #[test]
    fn questions_are_answered_as_the_recurrence_does() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for (name, task) in
                ORDERS.iter().flat_map(|name| [Task::EditDistance, Task::Lcs, Task::ApproximateSearch].map(|task| (*name, task)))
            {
                if !Name::of(task).contains(&name) {
                    continue;
                }
                let lens = super::super::open(name, task, &case.texts(), &Settings::usual(name)).unwrap();
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                    let after = lens.frame(step + 1);
                    let Body::Grid(grid) = &after.panels[0].body else { panic!("a grid") };
                    let new: Vec<(usize, usize)> = (0..grid.cells.len())
                        .filter(|at| grid.cells[*at].marks.has(Mark::New))
                        .map(|at| (at / grid.columns.len(), at % grid.columns.len()))
                        .collect();
                    let number = |key| said(&question.says, key);
                    match question.says.key {
                        "question.value" => {
                            let (i, j) = (number("i"), number("j"));
                            assert_eq!(question.expected, Reply::Number(value(task, &case, i, j)));
                            assert!(new.contains(&(i, j)));
                        }
                        "question.inputs" => {
                            assert_eq!(question.expected, Reply::Cells(inputs(task, &case, number("i"), number("j"))));
                        }
                        "question.next-filled" => assert_eq!(question.expected, Reply::Cells(new)),
                        "question.of-step" => {
                            let offered = question.choices.iter().filter(|one| matches!(one, Reply::Cells(cell) if new.contains(&cell[0])));
                            let offered = offered.flat_map(|one| if let Reply::Cells(cell) = one { cell.clone() } else { Vec::new() });
                            assert_eq!(question.expected, Reply::Cells(offered.collect()));
                        }
                        "question.rounds" => {
                            assert_eq!(question.expected, Reply::Number(new.len().div_ceil(number("threads")) as u64));
                        }
                        other => panic!("{other}"),
                    }
                }
            }
        }
    }
}
