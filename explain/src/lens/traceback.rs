//! The lens of tracing back: the way from the last cell of a filled matrix to the first, along the neighbours from
//! which the values came. A step gives a column of the alignment.
//!
//! If several neighbours give the value, the pseudo-code prefers the corner, then the left neighbour, then the one
//! above. In a search, the way begins at the first column with the least value in the last row, and stops in row 0.

use kernels::alignment::EditKind;
use kernels::job::Task;

use super::frame::{
    CellTape, GridLink, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelGrid,
    PanelPosition, PanelSum, SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, cells, filled, input_key, line};
use crate::matrix::{CellInput, DpMatrix, MatrixCell};

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
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

const DISTANCE: &[CodeLine] = &[
    line("", "i = m; j = n"),
    line("", "while i > 0 or j > 0"),
    line("", "  if D[i, j] = D[i−1, j−1] + (a[i] ≠ b[j])"),
    line("", "    equal or substitute; i, j = i−1, j−1"),
    line("", "  else if D[i, j] = D[i, j−1] + 1"),
    line("", "    insert b[j]; j = j−1"),
    line("", "  else"),
    line("", "    delete a[i]; i = i−1"),
];

const SEARCH: &[CodeLine] = &[
    line("", "i = m; j = min {j: D[m, j] = min D[m, ·]}"),
    line("", "while i > 0"),
    line("", "  if j > 0 and D[i, j] = D[i−1, j−1] + (a[i] ≠ b[j])"),
    line("", "    equal or substitute; i, j = i−1, j−1"),
    line("", "  else if j > 0 and D[i, j] = D[i, j−1] + 1"),
    line("", "    insert b[j]; j = j−1"),
    line("", "  else"),
    line("", "    delete a[i]; i = i−1"),
];

const COMMON: &[CodeLine] = &[
    line("", "i = m; j = n"),
    line("", "while i > 0 or j > 0"),
    line("", "  if a[i] = b[j]"),
    line("", "    common symbol; i, j = i−1, j−1"),
    line("", "  else if L[i, j] = L[i, j−1]"),
    line("", "    j = j−1"),
    line("", "  else"),
    line("", "    i = i−1"),
];

/// A step from the cell `from` to the neighbour `to` that gave its value, and the edit that the step stands for.
#[derive(Clone, Copy)]
struct TracebackStep {
    from: MatrixCell,
    to: MatrixCell,
    edit: EditKind,
    /// Number of values of the matrix that the step reads, without the value of the cell `from`.
    reads: usize,
}

pub(super) struct TracebackLens {
    matrix: DpMatrix,
    end: MatrixCell,
    columns: Vec<TracebackStep>,
}

impl TracebackLens {
    pub(super) fn new(task: Task, texts: &LensTexts) -> Self {
        let matrix = filled(task, texts);
        let end = matrix.ends().first().map(|end| end.cell).unwrap_or_default();
        let mut columns = Vec::new();
        let mut at = end;
        while !matrix.is_beginning(at) {
            let column = leave(&matrix, at);
            at = column.to;
            columns.push(column);
        }
        Self { matrix, end, columns }
    }

    /// Returns the cell that is reached after `step` steps.
    fn current_cell(&self, step: usize) -> MatrixCell {
        step.checked_sub(1).map_or(self.end, |last| self.columns[last].to)
    }

    /// Returns the cell that step `step` leaves. For step 0, returns the cell that the first step will leave.
    fn left(&self, step: usize) -> MatrixCell {
        self.current_cell(step.saturating_sub(1))
    }

    fn is_lcs(&self) -> bool {
        self.matrix.task() == Task::Lcs
    }

    fn score(&self) -> u64 {
        self.matrix.value(self.end).count().into()
    }

    fn grid(&self, step: usize) -> PanelGrid {
        let MatrixCell { i: m, j: n } = self.matrix.last();
        let mut grid = PanelGrid::of_texts(m, n);
        for cell in self.matrix.cells() {
            *grid.cell_mut(cell.i, cell.j) = PanelCell::number(self.matrix.value(cell).count()).with_mark(LensMark::Kept);
        }
        for column in &self.columns[..step] {
            grid.cell_mut(column.from.i, column.from.j).add(LensMark::Path);
            let (from, to) = ((column.from.i, column.from.j), (column.to.i, column.to.j));
            grid.links.push(GridLink { from, to, mark: mark(column.edit) });
        }
        let now = self.current_cell(step);
        grid.cell_mut(now.i, now.j).add(LensMark::Path);
        grid.cell_mut(now.i, now.j).add(LensMark::New);
        if now.i > 0 {
            grid.rows[now.i].add(LensMark::Read);
        }
        if now.j > 0 {
            grid.columns[now.j].add(LensMark::Read);
        }
        for input in neighbours(&self.matrix, self.left(step)) {
            grid.cell_mut(input.i, input.j).add(LensMark::Read);
        }
        grid
    }

    /// Returns the sums that can give the value of the cell that is reached after `step` steps. The sum of the
    /// neighbour to which the next step goes is marked as chosen.
    fn sums(&self, step: usize) -> Vec<PanelSum> {
        let (now, taken) = (self.current_cell(step), self.columns.get(step).map(|column| column.to));
        let sums = if self.matrix.is_beginning(now) { Vec::new() } else { self.matrix.sums(now).collect() };
        let of = |sum: crate::matrix::CellSum| PanelSum {
            key: input_key(sum.input),
            from: (sum.from.i, sum.from.j),
            value: sum.value.count().into(),
            adds: sum.adds,
            mark: match sum.wins {
                true if taken == Some(sum.from) => Some(LensMark::Chosen),
                true => Some(LensMark::Also),
                false => None,
            },
        };
        sums.into_iter().map(of).collect()
    }

    /// Returns the rows for the alignment after `step` steps, which grows from right to left.
    fn alignment(&self, step: usize) -> TapeTable {
        let cells = |of: &dyn Fn(&TracebackStep) -> ShownValue| -> Vec<PanelCell> {
            let taken = self.columns[..step].iter().rev();
            let mut cells: Vec<PanelCell> = taken.map(|column| PanelCell::new(of(column)).with_mark(mark(column.edit))).collect();
            if let (Some(first), true) = (cells.first_mut(), step > 0) {
                first.add(LensMark::New);
            }
            cells
        };
        let above = cells(&|column| if column.edit == EditKind::Insert { ShownValue::Gap } else { ShownValue::A(column.from.i - 1) });
        let below = cells(&|column| if column.edit == EditKind::Delete { ShownValue::Gap } else { ShownValue::B(column.from.j - 1) });
        let offset = self.columns.len() - step;
        let tape = |label, cells| CellTape { label: LensLabel::code(label), offset, cells, ..CellTape::default() };
        TapeTable { columns: self.columns.len(), tapes: vec![tape("a", above), tape("b", below)], ..TapeTable::default() }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let now = self.current_cell(step);
        let place = |mut values: Vec<(&'static str, SentenceValue)>| {
            values.extend([("i", SentenceValue::number(now.i)), ("j", SentenceValue::number(now.j))]);
            values.push(("value", SentenceValue::Number(self.matrix.value(now).count().into())));
            values
        };
        let happens = match step.checked_sub(1).map(|last| self.columns[last]) {
            None => LensSentence::new("traceback.begin", place(Vec::new())),
            Some(TracebackStep { from, edit, .. }) => {
                let (a, b) = (|| ("a", SentenceValue::a(from.i - 1)), || ("b", SentenceValue::b(from.j - 1)));
                match edit {
                    EditKind::Equal => LensSentence::new("traceback.equal", place(vec![a()])),
                    EditKind::Substitute | EditKind::Transpose => LensSentence::new("traceback.substitute", place(vec![a(), b()])),
                    EditKind::Insert => {
                        LensSentence::new(if self.is_lcs() { "traceback.skip-b" } else { "traceback.insert" }, place(vec![b()]))
                    }
                    EditKind::Delete => {
                        LensSentence::new(if self.is_lcs() { "traceback.skip-a" } else { "traceback.delete" }, place(vec![a()]))
                    }
                }
            }
        };
        let why = if step == self.columns.len() {
            LensSentence::new("traceback.end", [("score", SentenceValue::Number(self.score())), ("columns", SentenceValue::number(step))])
        } else {
            let (of, left) = (step.saturating_sub(1), self.left(step));
            let ways = self.sums(of).iter().filter(|sum| sum.mark.is_some()).count();
            let (i, j) = (("i", SentenceValue::number(left.i)), ("j", SentenceValue::number(left.j)));
            let value = ("value", SentenceValue::Number(self.matrix.value(left).count().into()));
            LensSentence::new("traceback.ways", [("ways", SentenceValue::number(ways)), i, j, value])
        };
        vec![happens, why]
    }

    /// Returns the number of edits that the first `steps` steps have found; for a common subsequence, the number of
    /// common symbols.
    fn counted(&self, steps: usize) -> usize {
        self.columns[..steps].iter().filter(|column| (column.edit == EditKind::Equal) == self.is_lcs()).count()
    }

    fn counts(&self, step: usize) -> Vec<LensCount> {
        let MatrixCell { i: m, j: n } = self.matrix.last();
        let reads = |steps: usize| 1 + self.columns[..steps].iter().map(|column| column.reads).sum::<usize>();
        let compared = |steps: usize| self.columns[..steps].iter().filter(|column| column.from.i > 0 && column.from.j > 0).count();
        let all = self.columns.len();
        vec![
            LensCount::new("values-read", reads(step), reads(all)),
            LensCount::without_total("words-kept", (m + 1) * (n + 1)),
            LensCount::new("comparisons", compared(step), compared(all)),
            LensCount::new(if self.is_lcs() { "symbols-found" } else { "edits-found" }, self.counted(step), self.counted(all)),
        ]
    }
}

impl Lens for TracebackLens {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let step = step.min(self.len());
        let panels = vec![
            LensPanel::new("matrix", PanelPosition::Main, PanelBody::Grid(self.grid(step))),
            LensPanel::new("which-sum", PanelPosition::Side, PanelBody::Sums(self.sums(step.saturating_sub(1)))),
            LensPanel::new("alignment-backwards", PanelPosition::Side, PanelBody::Tapes(self.alignment(step))),
        ];
        let line = match step.checked_sub(1).map(|last| self.columns[last].edit) {
            None => 0,
            Some(EditKind::Equal | EditKind::Substitute | EditKind::Transpose) => 3,
            Some(EditKind::Insert) => 5,
            Some(EditKind::Delete) => 7,
        };
        let edits = || self.columns.iter().rev().map(|column| column.edit).collect();
        let aligned = || LensOutcome::Aligned { score: self.score(), range: self.current_cell(self.len()).j..self.end.j, edits: edits() };
        let outcome = (step == self.len()).then(aligned);
        LensFrame { panels, sentences: self.sentences(step), counts: self.counts(step), line: Some(line), outcome }
    }

    fn questions(&self, step: usize, _: QuestionTurn) -> Vec<LensQuestion> {
        let Some(column) = self.columns.get(step) else { return Vec::new() };
        let now = column.from;
        let key = if self.is_lcs() { "question.common-after" } else { "question.edits-after" };
        let counted = self.counted(step + 1) as u64;
        let place = [("i", SentenceValue::number(now.i)), ("j", SentenceValue::number(now.j))];
        let value = LensQuestion::number(
            QuestionKind::Value,
            LensSentence::new(key, place.clone()),
            counted,
            &[self.counted(step) as u64, counted + 1],
        );
        let mut all = vec![value.with_sums(self.sums(step)), cells::inputs(&self.matrix, now)];
        // If several neighbours are equally good, there is no question about the next cell.
        if self.matrix.sums(now).filter(|sum| sum.wins).count() == 1 {
            let values = [place.as_slice(), &[("value", SentenceValue::Number(self.matrix.value(now).count().into()))]].concat();
            let among = neighbours(&self.matrix, now).into_iter().map(|cell| (cell.i, cell.j)).collect();
            let next = LensQuestion::cells(
                QuestionKind::Next,
                LensSentence::new("question.next-cell", values),
                vec![(column.to.i, column.to.j)],
                among,
            );
            all.push(next.with_sums(self.sums(step)));
        }
        all
    }

    fn code(&self) -> &'static [CodeLine] {
        match self.matrix.task() {
            Task::Lcs => COMMON,
            Task::ApproximateSearch => SEARCH,
            Task::EditDistance | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => DISTANCE,
        }
    }
}

/// Returns the neighbours of `cell` from which its value may come. Returns none for a cell at which the way back ends.
fn neighbours(matrix: &DpMatrix, cell: MatrixCell) -> Vec<MatrixCell> {
    if matrix.is_beginning(cell) {
        return Vec::new();
    }
    matrix.inputs().filter_map(|input| input.earlier_cell(cell)).collect()
}

/// Returns the step that leaves the cell `from`, as one round of the pseudo-code does.
fn leave(matrix: &DpMatrix, from: MatrixCell) -> TracebackStep {
    let is_lcs = matrix.task() == Task::Lcs;
    let inside = from.i > 0 && from.j > 0;
    let wins = |input: CellInput| matrix.sums(from).any(|sum| sum.input == input && sum.wins);
    let go = |input: CellInput| input.earlier_cell(from).unwrap_or_default();
    if wins(CellInput::Corner) && (!is_lcs || matrix.equal(from)) {
        let edit = if matrix.equal(from) { EditKind::Equal } else { EditKind::Substitute };
        return TracebackStep { from, to: go(CellInput::Corner), edit, reads: usize::from(!is_lcs) };
    }
    let corner = usize::from(inside && !is_lcs);
    if from.j > 0 && (from.i == 0 || wins(CellInput::Left)) {
        return TracebackStep { from, to: go(CellInput::Left), edit: EditKind::Insert, reads: corner + 1 };
    }
    TracebackStep { from, to: go(CellInput::Above), edit: EditKind::Delete, reads: corner + usize::from(from.j > 0) }
}

fn mark(edit: EditKind) -> LensMark {
    match edit {
        EditKind::Equal => LensMark::Equal,
        EditKind::Substitute | EditKind::Transpose => LensMark::Substituted,
        EditKind::Insert => LensMark::Inserted,
        EditKind::Delete => LensMark::Deleted,
    }
}

#[cfg(test)]
mod tests {
    use super::super::LensName;
    use super::super::cells::tests::inputs;
    use super::super::question::QuestionReply;
    use super::super::tests::{Case, cases, questions, said, value};
    use super::*;

    #[test]
    fn expected_answers_agree_with_the_recurrence() {
        for case in cases(12, 12).into_iter().filter(|case| case.a.len() < 20 && case.b.len() < 20) {
            for task in [Task::EditDistance, Task::Lcs, Task::ApproximateSearch] {
                let lens = case.open(LensName::Traceback, task, "");
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                    let (i, j) = (said(&question.prompt, "i"), said(&question.prompt, "j"));
                    let inputs = inputs(task, &case, i, j);
                    let after = lens.frame(step + 1);
                    let PanelBody::Grid(grid) = &after.panels[0].body else { panic!("expected a grid") };
                    let link = grid.links[step];
                    assert!(inputs.contains(&link.to) && link.from == (i, j));
                    match question.prompt.key {
                        "question.inputs" => assert_eq!(question.expected, QuestionReply::Cells(inputs)),
                        "question.next-cell" => assert_eq!((&question.expected, inputs.len()), (&QuestionReply::Cells(inputs.clone()), 1)),
                        // The edits behind are the score at the end minus the score at the current cell.
                        "question.edits-after" | "question.common-after" => {
                            let all = grid.links.iter().filter(|link| (link.mark == LensMark::Equal) == (task == Task::Lcs)).count();
                            let end = if step == 0 { (i, j) } else { grid.links[0].from };
                            let behind = value(task, &case, end.0, end.1) - value(task, &case, link.to.0, link.to.1);
                            assert_eq!(question.expected, QuestionReply::Number(behind));
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
    fn step_explains_the_value_of_the_cell_before_it() {
        let case = Case::new("KITTEN", "SITTING");
        let lens = TracebackLens::new(Task::EditDistance, &case.texts());
        for step in 1..=lens.len() {
            let (column, frame) = (lens.columns[step - 1], lens.frame(step));
            let PanelBody::Sums(sums) = &frame.panels[1].body else { panic!("expected sums") };
            let chosen: Vec<_> = sums.iter().filter(|sum| sum.mark == Some(LensMark::Chosen)).map(|sum| sum.from).collect();
            assert_eq!(chosen, [(column.to.i, column.to.j)], "{step}");
            if step < lens.len() {
                assert_eq!((said(&frame.sentences[1], "i"), said(&frame.sentences[1], "j")), (column.from.i, column.from.j));
            }
        }
    }

    #[test]
    fn worked_example_is_traced_as_in_its_drawing() {
        let case = Case::new("KITTEN", "SITTING");
        let lens = TracebackLens::new(Task::EditDistance, &case.texts());
        let edits: Vec<EditKind> = lens.columns.iter().map(|column| column.edit).collect();
        let (equal, other) = (EditKind::Equal, EditKind::Substitute);
        assert_eq!(edits, [EditKind::Insert, equal, other, equal, equal, equal, other]);
        // Every step reads the corner, the first one also the left neighbour; the initial value counts too.
        assert_eq!(lens.frame(7).counts[0].now, 1 + 7 + 1);
    }
}
