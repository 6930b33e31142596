//! Traceback: the neighbour from which each value came, from the last cell to the first. A step is a column of the
//! alignment.
//!
//! Among equal neighbours, the code prefers the corner, then the left one, then the one above. For a search, it begins
//! at the first of the nearest ends and stops in row 0.

use kernels::alignment::Edit;
use kernels::job::Task;

use super::frame::{Body, Count, Entry, Frame, Grid, Label, Link, Mark, Outcome, Panel, Place, Said, Shown, Sum, Tape, Tapes, Value};
use super::question::{Asked, Question, Turn};
use super::{Lens, Line, Phrase, Texts, cells, filled, input_key, line};
use crate::matrix::{Cell, Input, Matrix};

/// Phrases of this lens.
pub(super) const SAYS: &[Phrase] = &[
    ("traceback.begin", &["i", "j", "value"]),
    ("traceback.equal", &["a", "i", "j", "value"]),
    ("traceback.substitute", &["a", "b", "i", "j", "value"]),
    ("traceback.insert", &["b", "i", "j", "value"]),
    ("traceback.delete", &["a", "i", "j", "value"]),
    ("traceback.skip-b", &["b", "i", "j", "value"]),
    ("traceback.skip-a", &["a", "i", "j", "value"]),
    ("traceback.ways", &["ways", "i", "j", "value"]),
    ("traceback.end", &["score", "columns"]),
    ("question.next-cell", &["i", "j", "value"]),
    ("question.inputs", &["i", "j", "value"]),
    ("question.edits-after", &["i", "j"]),
    ("question.common-after", &["i", "j"]),
];

const DISTANCE: &[Line] = &[
    line("", "i = m; j = n"),
    line("", "while i > 0 or j > 0"),
    line("", "  if D[i, j] = D[i−1, j−1] + (a[i] ≠ b[j])"),
    line("", "    equal or substitute; i, j = i−1, j−1"),
    line("", "  else if D[i, j] = D[i, j−1] + 1"),
    line("", "    insert b[j]; j = j−1"),
    line("", "  else"),
    line("", "    delete a[i]; i = i−1"),
];

const SEARCH: &[Line] = &[
    line("", "i = m; j = min {j: D[m, j] = min D[m, ·]}"),
    line("", "while i > 0"),
    line("", "  if j > 0 and D[i, j] = D[i−1, j−1] + (a[i] ≠ b[j])"),
    line("", "    equal or substitute; i, j = i−1, j−1"),
    line("", "  else if j > 0 and D[i, j] = D[i, j−1] + 1"),
    line("", "    insert b[j]; j = j−1"),
    line("", "  else"),
    line("", "    delete a[i]; i = i−1"),
];

const COMMON: &[Line] = &[
    line("", "i = m; j = n"),
    line("", "while i > 0 or j > 0"),
    line("", "  if a[i] = b[j]"),
    line("", "    common symbol; i, j = i−1, j−1"),
    line("", "  else if L[i, j] = L[i, j−1]"),
    line("", "    j = j−1"),
    line("", "  else"),
    line("", "    i = i−1"),
];

/// A step from a cell to a neighbour, with its edit.
#[derive(Clone, Copy)]
struct Column {
    from: Cell,
    to: Cell,
    edit: Edit,
    /// Number of table values that the step reads, in addition to the known value of its own cell.
    reads: usize,
}

pub(super) struct Traceback {
    matrix: Matrix,
    end: Cell,
    columns: Vec<Column>,
}

impl Traceback {
    pub(super) fn new(task: Task, texts: &Texts) -> Self {
        let matrix = filled(task, texts);
        let end = matrix.ends().first().copied().unwrap_or_default();
        let mut columns = Vec::new();
        let mut at = end;
        while !matrix.is_beginning(at) {
            let column = leave(&matrix, at);
            at = column.to;
            columns.push(column);
        }
        Self { matrix, end, columns }
    }

    /// Returns the current cell after `step` steps.
    fn stands(&self, step: usize) -> Cell {
        step.checked_sub(1).map_or(self.end, |last| self.columns[last].to)
    }

    /// Returns the cell that step `step` leaves. Before the first step, this is the cell that the first step will
    /// leave.
    fn left(&self, step: usize) -> Cell {
        self.stands(step.saturating_sub(1))
    }

    fn is_lcs(&self) -> bool {
        self.matrix.task() == Task::Lcs
    }

    fn score(&self) -> u64 {
        self.matrix.value(self.end).into()
    }

    fn grid(&self, step: usize) -> Grid {
        let Cell { i: m, j: n } = self.matrix.last();
        let mut grid = Grid::of_texts(m, n);
        for cell in self.matrix.cells() {
            *grid.at_mut(cell.i, cell.j) = Entry::number(self.matrix.value(cell)).mark(Mark::Kept);
        }
        for column in &self.columns[..step] {
            grid.at_mut(column.from.i, column.from.j).add(Mark::Path);
            let (from, to) = ((column.from.i, column.from.j), (column.to.i, column.to.j));
            grid.links.push(Link { from, to, mark: mark(column.edit) });
        }
        let now = self.stands(step);
        grid.at_mut(now.i, now.j).add(Mark::Path);
        grid.at_mut(now.i, now.j).add(Mark::New);
        if now.i > 0 {
            grid.rows[now.i].add(Mark::Read);
        }
        if now.j > 0 {
            grid.columns[now.j].add(Mark::Read);
        }
        for input in neighbours(&self.matrix, self.left(step)) {
            grid.at_mut(input.i, input.j).add(Mark::Read);
        }
        grid
    }

    /// Returns the sums that could give the value, with the chosen one marked.
    fn sums(&self, step: usize) -> Vec<Sum> {
        let (now, taken) = (self.stands(step), self.columns.get(step).map(|column| column.to));
        let sums = if self.matrix.is_beginning(now) { Vec::new() } else { self.matrix.sums(now).collect() };
        let of = |sum: crate::matrix::Sum| Sum {
            key: input_key(sum.input),
            from: (sum.from.i, sum.from.j),
            value: sum.value.into(),
            adds: sum.adds.into(),
            mark: match sum.wins {
                true if taken == Some(sum.from) => Some(Mark::Chosen),
                true => Some(Mark::Also),
                false => None,
            },
        };
        sums.into_iter().map(of).collect()
    }

    /// Draws the alignment so far, from the right.
    fn alignment(&self, step: usize) -> Tapes {
        let cells = |of: &dyn Fn(&Column) -> Shown| -> Vec<Entry> {
            let taken = self.columns[..step].iter().rev();
            let mut cells: Vec<Entry> = taken.map(|column| Entry::new(of(column)).mark(mark(column.edit))).collect();
            if let (Some(first), true) = (cells.first_mut(), step > 0) {
                first.add(Mark::New);
            }
            cells
        };
        let above = cells(&|column| if column.edit == Edit::Insert { Shown::Gap } else { Shown::A(column.from.i - 1) });
        let below = cells(&|column| if column.edit == Edit::Delete { Shown::Gap } else { Shown::B(column.from.j - 1) });
        let offset = self.columns.len() - step;
        let tape = |label, cells| Tape { label: Label::code(label), offset, cells, ..Tape::default() };
        Tapes { columns: self.columns.len(), tapes: vec![tape("a", above), tape("b", below)], ..Tapes::default() }
    }

    fn says(&self, step: usize) -> Vec<Said> {
        let now = self.stands(step);
        let place = |mut values: Vec<(&'static str, Value)>| {
            values.extend([("i", Value::number(now.i)), ("j", Value::number(now.j))]);
            values.push(("value", Value::Number(self.matrix.value(now).into())));
            values
        };
        let happens = match step.checked_sub(1).map(|last| self.columns[last]) {
            None => Said::new("traceback.begin", place(Vec::new())),
            Some(Column { from, edit, .. }) => {
                let (a, b) = (|| ("a", Value::a(from.i - 1)), || ("b", Value::b(from.j - 1)));
                match edit {
                    Edit::Equal => Said::new("traceback.equal", place(vec![a()])),
                    Edit::Substitute => Said::new("traceback.substitute", place(vec![a(), b()])),
                    Edit::Insert => Said::new(if self.is_lcs() { "traceback.skip-b" } else { "traceback.insert" }, place(vec![b()])),
                    Edit::Delete => Said::new(if self.is_lcs() { "traceback.skip-a" } else { "traceback.delete" }, place(vec![a()])),
                }
            }
        };
        let why = if step == self.columns.len() {
            Said::new("traceback.end", [("score", Value::Number(self.score())), ("columns", Value::number(step))])
        } else {
            let (of, left) = (step.saturating_sub(1), self.left(step));
            let ways = self.sums(of).iter().filter(|sum| sum.mark.is_some()).count();
            let (i, j) = (("i", Value::number(left.i)), ("j", Value::number(left.j)));
            let value = ("value", Value::Number(self.matrix.value(left).into()));
            Said::new("traceback.ways", [("ways", Value::number(ways)), i, j, value])
        };
        vec![happens, why]
    }

    /// Returns the number of edits, or of common symbols, that the first `steps` steps have found.
    fn counted(&self, steps: usize) -> usize {
        self.columns[..steps].iter().filter(|column| (column.edit == Edit::Equal) == self.is_lcs()).count()
    }

    fn counts(&self, step: usize) -> Vec<Count> {
        let Cell { i: m, j: n } = self.matrix.last();
        let reads = |steps: usize| 1 + self.columns[..steps].iter().map(|column| column.reads).sum::<usize>();
        let compared = |steps: usize| self.columns[..steps].iter().filter(|column| column.from.i > 0 && column.from.j > 0).count();
        let all = self.columns.len();
        vec![
            Count::new("values-read", reads(step), reads(all)),
            Count::only("words-kept", (m + 1) * (n + 1)),
            Count::new("comparisons", compared(step), compared(all)),
            Count::new(if self.is_lcs() { "symbols-found" } else { "edits-found" }, self.counted(step), self.counted(all)),
        ]
    }
}

impl Lens for Traceback {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn frame(&self, step: usize) -> Frame {
        let step = step.min(self.len());
        let panels = vec![
            Panel::new("matrix", Place::Main, Body::Grid(self.grid(step))),
            Panel::new("which-sum", Place::Side, Body::Sums(self.sums(step.saturating_sub(1)))),
            Panel::new("alignment-backwards", Place::Side, Body::Tapes(self.alignment(step))),
        ];
        let line = match step.checked_sub(1).map(|last| self.columns[last].edit) {
            None => 0,
            Some(Edit::Equal | Edit::Substitute) => 3,
            Some(Edit::Insert) => 5,
            Some(Edit::Delete) => 7,
        };
        let edits = || self.columns.iter().rev().map(|column| column.edit).collect();
        let aligned = || Outcome::Aligned { score: self.score(), range: self.stands(self.len()).j..self.end.j, edits: edits() };
        let outcome = (step == self.len()).then(aligned);
        Frame { panels, says: self.says(step), counts: self.counts(step), line: Some(line), outcome }
    }

    fn questions(&self, step: usize, _: Turn) -> Vec<Question> {
        let Some(column) = self.columns.get(step) else { return Vec::new() };
        let now = column.from;
        let key = if self.is_lcs() { "question.common-after" } else { "question.edits-after" };
        let counted = self.counted(step + 1) as u64;
        let place = [("i", Value::number(now.i)), ("j", Value::number(now.j))];
        let value = Question::number(Asked::Value, Said::new(key, place.clone()), counted, &[self.counted(step) as u64, counted + 1]);
        let mut all = vec![value.by_sums(self.sums(step)), cells::inputs(&self.matrix, now)];
        // If several neighbours are equally good, there is no question about the next cell.
        if self.matrix.sums(now).filter(|sum| sum.wins).count() == 1 {
            let values = [place.as_slice(), &[("value", Value::Number(self.matrix.value(now).into()))]].concat();
            let among = neighbours(&self.matrix, now).into_iter().map(|cell| (cell.i, cell.j)).collect();
            let next = Question::cells(Asked::Next, Said::new("question.next-cell", values), vec![(column.to.i, column.to.j)], among);
            all.push(next.by_sums(self.sums(step)));
        }
        all
    }

    fn code(&self) -> &'static [Line] {
        match self.matrix.task() {
            Task::Lcs => COMMON,
            Task::ApproximateSearch => SEARCH,
            Task::EditDistance | Task::MatchCount | Task::ExactSearch => DISTANCE,
        }
    }
}

/// Returns the existing neighbours of a cell.
fn neighbours(matrix: &Matrix, cell: Cell) -> Vec<Cell> {
    if matrix.is_beginning(cell) {
        return Vec::new();
    }
    Input::ALL.into_iter().filter_map(|input| input.of(cell)).collect()
}

/// Returns the step from a cell, as one round of the loop does.
fn leave(matrix: &Matrix, from: Cell) -> Column {
    let is_lcs = matrix.task() == Task::Lcs;
    let inside = from.i > 0 && from.j > 0;
    let wins = |input: Input| matrix.sums(from).any(|sum| sum.input == input && sum.wins);
    let go = |input: Input| input.of(from).unwrap_or_default();
    if wins(Input::Corner) && (!is_lcs || matrix.equal(from)) {
        let edit = if matrix.equal(from) { Edit::Equal } else { Edit::Substitute };
        return Column { from, to: go(Input::Corner), edit, reads: usize::from(!is_lcs) };
    }
    let corner = usize::from(inside && !is_lcs);
    if from.j > 0 && (from.i == 0 || wins(Input::Left)) {
        return Column { from, to: go(Input::Left), edit: Edit::Insert, reads: corner + 1 };
    }
    Column { from, to: go(Input::Above), edit: Edit::Delete, reads: corner + usize::from(from.j > 0) }
}

fn mark(edit: Edit) -> Mark {
    match edit {
        Edit::Equal => Mark::Equal,
        Edit::Substitute => Mark::Substituted,
        Edit::Insert => Mark::Inserted,
        Edit::Delete => Mark::Deleted,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Name;
    use super::super::cells::tests::inputs;
    use super::super::question::Reply;
    use super::super::tests::{Case, cases, questions, said, value};
    use super::*;

    #[test]
    fn questions_are_answered_as_the_recurrence_does() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for task in [Task::EditDistance, Task::Lcs, Task::ApproximateSearch] {
                let lens = case.open(Name::Traceback, task, "");
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                    let (i, j) = (said(&question.says, "i"), said(&question.says, "j"));
                    let inputs = inputs(task, &case, i, j);
                    let after = lens.frame(step + 1);
                    let Body::Grid(grid) = &after.panels[0].body else { panic!("a grid") };
                    let link = grid.links[step];
                    assert!(inputs.contains(&link.to) && link.from == (i, j));
                    match question.says.key {
                        "question.inputs" => assert_eq!(question.expected, Reply::Cells(inputs)),
                        "question.next-cell" => assert_eq!((&question.expected, inputs.len()), (&Reply::Cells(inputs.clone()), 1)),
                        // The edits behind are the score at the end minus the score at the current cell.
                        "question.edits-after" | "question.common-after" => {
                            let all = grid.links.iter().filter(|link| (link.mark == Mark::Equal) == (task == Task::Lcs)).count();
                            let end = if step == 0 { (i, j) } else { grid.links[0].from };
                            let behind = value(task, &case, end.0, end.1) - value(task, &case, link.to.0, link.to.1);
                            assert_eq!(question.expected, Reply::Number(behind));
                            assert_eq!(all as u64, behind);
                        }
                        other => panic!("{other}"),
                    }
                }
            }
        }
    }

    /// Checks that sentence, panel and frames are about the same cell: the one that the step leaves.
    #[test]
    fn a_step_tells_where_the_value_of_the_cell_that_it_leaves_comes_from() {
        let case = Case::new("KITTEN", "SITTING");
        let lens = Traceback::new(Task::EditDistance, &case.texts());
        for step in 1..=lens.len() {
            let (column, frame) = (lens.columns[step - 1], lens.frame(step));
            let Body::Sums(sums) = &frame.panels[1].body else { panic!("sums") };
            let chosen: Vec<_> = sums.iter().filter(|sum| sum.mark == Some(Mark::Chosen)).map(|sum| sum.from).collect();
            assert_eq!(chosen, [(column.to.i, column.to.j)], "{step}");
            if step < lens.len() {
                assert_eq!((said(&frame.says[1], "i"), said(&frame.says[1], "j")), (column.from.i, column.from.j));
            }
        }
    }

    #[test]
    fn the_worked_example_is_traced_as_it_was_drawn() {
        let case = Case::new("KITTEN", "SITTING");
        let lens = Traceback::new(Task::EditDistance, &case.texts());
        let edits: Vec<Edit> = lens.columns.iter().map(|column| column.edit).collect();
        let (equal, other) = (Edit::Equal, Edit::Substitute);
        assert_eq!(edits, [Edit::Insert, equal, other, equal, equal, equal, other]);
        // Every step reads the corner, the first one also the left neighbour; the initial value counts too.
        assert_eq!(lens.frame(7).counts[0].now, 1 + 7 + 1);
    }
}
