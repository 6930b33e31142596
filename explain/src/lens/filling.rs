//! Filling: the matrix of a task in one of its orders. A step is what an order fills at once: a cell, or a diagonal.

use kernels::job::Task;

use super::frame::{Body, Count, Entry, Frame, Grid, Mark, Outcome, Panel, Place, Said, Sum, Value};
use super::question::{Asked, Question};
use super::{Lens, Line, Phrase, Texts, filled, input_key, line};
use crate::matrix::order::{Order, Steps};
use crate::matrix::{Cell, Input, Matrix};

/// What it says.
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
    ("question.cells-at-once", &["step"]),
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
            // What a band leaves out has no value to be read, and what the same step makes is new.
            for sum in self.matrix.sums(*cell).filter(|sum| self.steps.of(sum.from).is_some_and(|of| of < step)) {
                grid.at_mut(sum.from.i, sum.from.j).add(Mark::Read);
            }
        }
        grid
    }

    /// The only new cell of a step.
    fn only(&self, step: usize) -> Option<Cell> {
        let cells = self.steps.cells(step);
        if cells.len() == 1 { cells.first().copied() } else { None }
    }

    /// The sums of a cell, the first winner being the one that is taken.
    fn sums(&self, cell: Cell) -> Vec<Sum> {
        let mut is_taken = false;
        let of = |sum: crate::matrix::Sum| {
            let mark = match (sum.wins, is_taken) {
                (false, _) => None,
                (true, true) => Some(Mark::Also),
                (true, false) => Some(Mark::Chosen),
            };
            is_taken |= sum.wins;
            Sum { key: input_key(sum.input), from: (sum.from.i, sum.from.j), value: sum.value.into(), adds: sum.adds.into(), mark }
        };
        self.matrix.sums(cell).map(of).collect()
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
                let ways = self.sums(*cell).iter().filter(|sum| sum.mark.is_some()).count();
                Said::new("filling.why-one", [("ways", number(ways))])
            }
            // A diagonal of offsets is a chain, each cell made of the one before it.
            cells if self.order == Order::Offset => Said::new("filling.why-offset", [("count", number(cells.len()))]),
            cells => Said::new("filling.why-many", [("count", number(cells.len()))]),
        };
        vec![happens, why]
    }

    /// Cells that a reader may take for the next one: beside and below what was filled last, and where lines begin.
    fn candidates(&self, step: usize, next: Cell) -> Vec<(usize, usize)> {
        let Cell { i: m, j: n } = self.matrix.last();
        let now = self.only(step).unwrap_or(Cell { i: 1, j: 0 });
        let (right, below) = ((now.i, now.j + 1), (now.i + 1, now.j));
        let all = [(next.i, next.j), right, below, (now.i + 1, 1), (1, now.j + 1), (now.i + 1, now.j + 1)];
        let is_open = |&(i, j): &(usize, usize)| (1..=m).contains(&i) && (1..=n).contains(&j);
        all.into_iter().filter(is_open).collect()
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
            panels.push(Panel::new("which-sum", Place::Side, Body::Sums(self.sums(cell))));
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

    fn question(&self, step: usize) -> Option<Question> {
        let cells = self.steps.cells(step + 1);
        let cell = *cells.get(cells.len() / 2)?;
        let place = [("i", Value::number(cell.i)), ("j", Value::number(cell.j))];
        let value = u64::from(self.matrix.value(cell));
        let sums: Vec<crate::matrix::Sum> = self.matrix.sums(cell).collect();
        Some(match step % 3 {
            0 => {
                let totals: Vec<u64> = sums.iter().map(|sum| sum.total.into()).collect();
                Question::number(Asked::Value, Said::new("question.value", place), value, &totals)
            }
            1 if cells.len() > 1 => {
                let says = Said::new("question.cells-at-once", [("step", Value::number(step + 1))]);
                Question::number(Asked::Value, says, cells.len() as u64, &[step as u64 + 1])
            }
            1 => Question::cells(
                Asked::Next,
                Said { key: "question.next-filled", values: Vec::new() },
                vec![(cell.i, cell.j)],
                self.candidates(step, cell),
            ),
            _ => {
                let winners: Vec<_> = sums.iter().filter(|sum| sum.wins).map(|sum| (sum.from.i, sum.from.j)).collect();
                let among = Input::ALL.into_iter().filter_map(|input| input.of(cell)).map(|from| (from.i, from.j)).collect();
                let values = [place.as_slice(), &[("value", Value::Number(value))]].concat();
                // Where no sum gives the value, as where symbols differ in an exact search, it is made of the corner all the same.
                Question::cells(
                    Asked::Inputs,
                    Said::new("question.inputs", values),
                    if winners.is_empty() { vec![(cell.i - 1, cell.j - 1)] } else { winners },
                    among,
                )
            }
        })
    }

    fn code(&self) -> &'static [Line] {
        match self.order {
            Order::Row => ROWS,
            Order::Column => COLUMNS,
            Order::Diagonal => DIAGONALS,
            Order::Band => BAND,
            Order::CutOff => CUT_OFF,
            Order::Offset => OFFSETS,
            // Bit vectors are a lens of their own.
            Order::Bits => COLUMNS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::question::Reply;
    use super::super::tests::{cases, said, value};
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
                            // A band's neighbours may be left out; none is still to come.
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
                for step in 0..lens.len() {
                    let question = lens.question(step).unwrap();
                    let after = lens.frame(step + 1);
                    let Body::Grid(grid) = &after.panels[0].body else { panic!("a grid") };
                    let new: Vec<(usize, usize)> = (0..grid.cells.len())
                        .filter(|at| grid.cells[*at].marks.has(Mark::New))
                        .map(|at| (at / grid.columns.len(), at % grid.columns.len()))
                        .collect();
                    match question.says.key {
                        "question.value" => {
                            let (i, j) = (said(&question.says, "i"), said(&question.says, "j"));
                            assert_eq!(question.expected, Reply::Number(value(task, &case, i, j)));
                            assert!(new.contains(&(i, j)));
                        }
                        "question.inputs" => {
                            let (i, j) = (said(&question.says, "i"), said(&question.says, "j"));
                            let own = value(task, &case, i, j);
                            let is_equal = case.a[i - 1] == case.b[j - 1];
                            let is_lcs = task == Task::Lcs;
                            let corner = (!is_lcs || is_equal) && value(task, &case, i - 1, j - 1) + u64::from(is_equal == is_lcs) == own;
                            let step = u64::from(!is_lcs);
                            let inputs = [
                                ((i - 1, j - 1), corner),
                                ((i - 1, j), value(task, &case, i - 1, j) + step == own),
                                ((i, j - 1), value(task, &case, i, j - 1) + step == own),
                            ];
                            let inputs = inputs.into_iter().filter(|(_, wins)| *wins).map(|(cell, _)| cell).collect();
                            assert_eq!(question.expected, Reply::Cells(inputs));
                        }
                        "question.next-filled" => assert_eq!(question.expected, Reply::Cells(new)),
                        "question.cells-at-once" => assert_eq!(question.expected, Reply::Number(new.len() as u64)),
                        other => panic!("{other}"),
                    }
                }
            }
        }
    }
}
