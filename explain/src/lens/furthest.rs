//! The lens of furthest rows: for each number of edits e = 0, 1, 2, …, the furthest row that e edits reach on every
//! diagonal, until the last cell is reached. A step computes one diagonal of a wave, which has all diagonals of one e.
//!
//! ```text
//! F[e, x] = the largest i such that e edits lead to the cell [i, i + x]
//!         = slide(max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1))      a substitution, an insertion, a deletion
//! slide(i) goes on while symbols are equal
//! ```
//!
//! The distance has this form of Ukkonen (1985, section 3). A common subsequence has the greedy form of Myers (1986,
//! section 3), without substitutions, so that a wave has every second diagonal.
//!
//! A row beyond the end of a text is cut to the last row or column. No optimal path meets a cut cell. A diagonal whose
//! last cell is reached is left out of later waves.

use std::collections::BTreeMap;

use kernels::alignment::EditKind;
use kernels::job::Task;

use super::frame::{
    GridLink, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelGrid,
    PanelPosition, PanelSum, SentenceValue, ShownValue,
};
use super::question::{LensQuestion, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, input_key, line};
use crate::matrix::CellInput;

mod questions;

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("furthest.begin", &[]),
    ("furthest.aim", &["x"]),
    ("furthest.start", &["row"]),
    ("furthest.substitute", &["e", "x", "a", "b", "row"]),
    ("furthest.insert", &["e", "x", "b", "row"]),
    ("furthest.delete", &["e", "x", "a", "row"]),
    ("furthest.skip-b", &["e", "x", "b", "row"]),
    ("furthest.skip-a", &["e", "x", "a", "row"]),
    ("furthest.slide", &["symbols", "to"]),
    ("furthest.stop", &["row", "e"]),
    ("furthest.end", &["e", "visited", "cells"]),
    ("furthest.end-common", &["e", "length", "visited", "cells"]),
    ("question.furthest-row", &["e", "x"]),
    ("question.furthest-from", &["e", "x"]),
    ("question.furthest-next", &["e"]),
    ("question.furthest-compared", &["x", "row"]),
    ("why.furthest-row", &["row", "equal"]),
    ("why.furthest-next", &[]),
    ("why.furthest-compared", &["equal"]),
    ("why.furthest-border", &["equal"]),
];

const DISTANCE: &[CodeLine] = &[
    line("", "e = 0; F[0, 0] = slide(0, 0)"),
    line("", "while F[e, n − m] < m"),
    line("", "  e = e + 1"),
    line("", "  for x = −e to e"),
    line("", "    i = max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1)"),
    line("", "    F[e, x] = slide(min(i, m, n − x), x)"),
    line("", "slide(i, x)"),
    line("", "  while a[i+1] = b[i+x+1]"),
    line("", "    i = i + 1"),
    line("", "  return i"),
];

const COMMON: &[CodeLine] = &[
    line("", "e = 0; F[0, 0] = slide(0, 0)"),
    line("", "while F[e, n − m] < m"),
    line("", "  e = e + 1"),
    line("", "  for x = −e to e step 2"),
    line("", "    i = max(F[e−1, x−1], F[e−1, x+1] + 1)"),
    line("", "    F[e, x] = slide(min(i, m, n − x), x)"),
    line("", "slide(i, x)"),
    line("", "  while a[i+1] = b[i+x+1]"),
    line("", "    i = i + 1"),
    line("", "  return i"),
];

/// Number of waves in the panel of furthest rows.
const SHOWN_WAVES: usize = 4;

/// Number of diagonals in the panel of furthest rows, even if the matrix has fewer columns.
const MIN_SHOWN_DIAGONALS: i64 = 13;

/// One of the cells from which a wave reaches a diagonal.
#[derive(Clone, Copy)]
struct WaveInput {
    input: CellInput,
    /// Row and column of the cell that the earlier wave has reached.
    from: (usize, usize),
    /// Row that the edit reaches.
    row: usize,
}

/// A step: one diagonal of a wave.
struct WaveStep {
    /// Number of edits of the wave.
    e: usize,
    /// The diagonal, column minus row.
    x: i64,
    /// The possible inputs, the first of which with the greatest row is chosen. Empty in wave 0.
    inputs: Vec<WaveInput>,
    /// Row that the chosen edit reaches, before equal symbols.
    row: usize,
    /// Row after the equal symbols.
    to: usize,
    /// Number of comparisons of symbols.
    compared: usize,
}

impl WaveStep {
    /// Returns the column of a cell of the diagonal in row `i`.
    fn column(&self, i: usize) -> usize {
        (i as i64 + self.x) as usize
    }

    fn chosen(&self) -> Option<&WaveInput> {
        self.inputs.iter().find(|input| input.row == self.row)
    }

    /// Returns the cells that the step visits, from the one that the edit reaches.
    fn cells(&self) -> impl Iterator<Item = (usize, usize)> + use<'_> {
        (self.row..=self.to).map(|i| (i, self.column(i)))
    }
}

pub(super) struct FurthestLens {
    task: Task,
    m: usize,
    n: usize,
    steps: Vec<WaveStep>,
}

impl FurthestLens {
    pub(super) fn new(task: Task, texts: &LensTexts) -> Self {
        let (m, n) = (texts.a.len(), texts.b.len());
        let (last_row, target) = (m as i64, n as i64 - m as i64);
        let is_common = task == Task::Lcs;
        let mut steps: Vec<WaveStep> = Vec::new();
        // Furthest rows of the earlier waves and of the current one, by diagonal.
        let (mut before, mut rows): (BTreeMap<i64, usize>, BTreeMap<i64, usize>) = (BTreeMap::new(), BTreeMap::new());
        for e in 0..=m + n {
            let reach = e as i64;
            for x in (-reach..=reach).filter(|x| !is_common || (x + reach) % 2 == 0) {
                // A diagonal beside the matrix has a negative last row.
                let end = last_row.min(n as i64 - x);
                if x < -last_row || end < 0 || before.get(&x).is_some_and(|row| *row as i64 == end) {
                    continue;
                }
                let inputs = if e == 0 { Vec::new() } else { inputs(&before, x, end as usize, is_common) };
                let row = inputs.iter().map(|input| input.row).max().unwrap_or_default();
                let equal = (row..end as usize).take_while(|i| texts.equal(*i, (*i as i64 + x) as usize)).count();
                let compared = equal + usize::from(row + equal < end as usize);
                steps.push(WaveStep { e, x, inputs, row, to: row + equal, compared });
                rows.insert(x, row + equal);
                if x == target && row + equal == m {
                    return Self { task, m, n, steps };
                }
            }
            before.clone_from(&rows);
        }
        Self { task, m, n, steps }
    }

    fn is_common(&self) -> bool {
        self.task == Task::Lcs
    }

    /// Returns the steps from the first cell to the last one, the last step first.
    fn path(&self) -> Vec<&WaveStep> {
        let mut path: Vec<&WaveStep> = self.steps.last().into_iter().collect();
        while let Some((step, input)) = path.last().and_then(|step| Some((*step, step.chosen()?))) {
            let x = input.from.1 as i64 - input.from.0 as i64;
            let Some(earlier) = self.steps.iter().rev().find(|earlier| earlier.x == x && earlier.e < step.e) else { break };
            path.push(earlier);
        }
        path
    }

    /// Returns the edits of an optimal alignment, one per column.
    fn edits(&self) -> Vec<EditKind> {
        let of = |step: &WaveStep| {
            let edit = step.chosen().map(|input| edit(input.input));
            edit.into_iter().chain(std::iter::repeat_n(EditKind::Equal, step.to - step.row))
        };
        self.path().into_iter().rev().flat_map(of).collect()
    }

    fn outcome(&self) -> LensOutcome {
        let edits = self.edits();
        if !self.is_common() {
            let score = self.steps.last().map_or(0, |step| step.e as u64);
            return LensOutcome::Aligned { score, range: 0..self.n, edits };
        }
        let slid = |step: &&WaveStep| (step.row..step.to).map(|i| (i, step.column(i))).collect::<Vec<_>>();
        let matches: Vec<(usize, usize)> = self.path().iter().rev().flat_map(slid).collect();
        LensOutcome::Common { length: matches.len() as u64, matches: Some(matches) }
    }

    fn grid(&self, step: usize) -> PanelGrid {
        let mut grid = PanelGrid::of_texts(self.m, self.n);
        grid.cells.iter_mut().for_each(|cell| cell.add(LensMark::Ahead));
        for (number, done) in self.steps[..step].iter().enumerate() {
            for (i, j) in done.cells() {
                let mark = if number + 1 == step { LensMark::New } else { LensMark::Kept };
                *grid.cell_mut(i, j) = PanelCell::number(done.e).with_mark(mark);
            }
        }
        let links = |step: &WaveStep| {
            let edit =
                step.chosen().map(|input| GridLink { from: input.from, to: (step.row, step.column(step.row)), mark: mark(input.input) });
            let slide = (step.row..step.to).map(|i| {
                let j = step.column(i);
                GridLink { from: (i, j), to: (i + 1, j + 1), mark: LensMark::Equal }
            });
            edit.into_iter().chain(slide).collect::<Vec<_>>()
        };
        if step == self.steps.len() {
            let path = self.path();
            path.iter().flat_map(|step| step.cells()).for_each(|(i, j)| grid.cell_mut(i, j).add(LensMark::Path));
            grid.links = path.into_iter().flat_map(links).collect();
            return grid;
        }
        grid.links = self.steps[..step].iter().flat_map(links).collect();
        if let Some(now) = step.checked_sub(1).map(|at| &self.steps[at]) {
            now.inputs.iter().for_each(|input| grid.cell_mut(input.from.0, input.from.1).add(LensMark::Read));
            grid.rows[now.to].add(LensMark::Read);
            grid.columns[now.column(now.to)].add(LensMark::Read);
        }
        grid
    }

    /// Returns the furthest rows of the last waves, a row of the panel for each wave and a column for each diagonal. The
    /// panel has the diagonals around that of the step, not many more than the columns of the matrix.
    fn waves(&self, step: usize) -> PanelGrid {
        let all = self.steps.last().map_or(0, |step| step.e);
        let now = step.checked_sub(1).map(|at| &self.steps[at]);
        let (lowest, highest) = (-(all.min(self.m) as i64), all.min(self.n) as i64);
        let wide = (highest - lowest + 1).min(MIN_SHOWN_DIAGONALS.max(self.n as i64 + 1));
        let low = (now.map_or(0, |now| now.x) - wide / 2).clamp(lowest, highest + 1 - wide);
        let high = low + wide - 1;
        let shown = SHOWN_WAVES.min(all + 1);
        let first = now.map_or(0, |now| (now.e + 1).saturating_sub(shown));
        let columns: Vec<PanelCell> =
            (low..=high).map(|x| PanelCell::signed(x).mark_if(now.is_some_and(|now| now.x == x), LensMark::Read)).collect();
        let cells = vec![PanelCell::default(); shown * columns.len()];
        let rows = vec![PanelCell::default(); shown];
        let labels = (first..first + shown).map(|e| LensLabel::key("wave").with_index(ShownValue::Number(e as u32))).collect();
        let mut grid = PanelGrid { rows, columns, labels, cells, ..PanelGrid::default() };
        for (number, done) in self.steps[..step].iter().enumerate().filter(|(_, done)| done.e >= first && (low..=high).contains(&done.x)) {
            let mark = if number + 1 == step { LensMark::New } else { LensMark::Kept };
            *grid.cell_mut(done.e - first, (done.x - low) as usize) = PanelCell::number(done.to).with_mark(mark);
        }
        if let Some(now) = now.filter(|now| now.e > first) {
            for x in now.inputs.iter().map(|input| input.from.1 as i64 - input.from.0 as i64) {
                grid.cell_mut(now.e - first - 1, (x - low) as usize).add(LensMark::Read);
            }
        }
        grid
    }

    fn sums(step: &WaveStep) -> Vec<PanelSum> {
        let mut is_taken = false;
        let of = |input: &WaveInput| {
            let mark = match (input.row == step.row, is_taken) {
                (false, _) => None,
                (true, true) => Some(LensMark::Also),
                (true, false) => Some(LensMark::Chosen),
            };
            is_taken |= mark.is_some();
            let value = input.from.0 as i64;
            PanelSum { key: input_key(input.input), from: input.from, value: value.into(), adds: (input.row as i64 - value).into(), mark }
        };
        step.inputs.iter().map(of).collect()
    }

    fn visited(&self, steps: usize) -> usize {
        self.steps[..steps].iter().map(|step| step.cells().count()).sum()
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let number = SentenceValue::number;
        let Some(now) = step.checked_sub(1).map(|at| &self.steps[at]) else {
            let target = self.n as i64 - self.m as i64;
            return vec![
                LensSentence::new("furthest.begin", []),
                LensSentence::new("furthest.aim", [("x", SentenceValue::signed(target))]),
            ];
        };
        let row = ("row", number(now.row));
        let place = || vec![("e", number(now.e)), ("x", SentenceValue::signed(now.x)), row.clone()];
        let with = |mut symbols: Vec<(&'static str, SentenceValue)>| {
            symbols.extend(place());
            symbols
        };
        let (i, j) = (now.row, now.column(now.row));
        let (a, b) = (|| ("a", SentenceValue::a(i - 1)), || ("b", SentenceValue::b(j - 1)));
        let happens = match now.chosen().map(|input| input.input) {
            None => LensSentence::new("furthest.start", [row]),
            Some(CellInput::Left) => {
                LensSentence::new(if self.is_common() { "furthest.skip-b" } else { "furthest.insert" }, with(vec![b()]))
            }
            Some(CellInput::Above) => {
                LensSentence::new(if self.is_common() { "furthest.skip-a" } else { "furthest.delete" }, with(vec![a()]))
            }
            Some(CellInput::Corner | CellInput::TwoBack) => LensSentence::new("furthest.substitute", with(vec![a(), b()])),
        };
        let why = match now.to - now.row {
            _ if step == self.steps.len() => {
                let cells = (self.m + 1) * (self.n + 1);
                let mut values = vec![("e", number(now.e)), ("visited", number(self.visited(step))), ("cells", number(cells))];
                if self.is_common() {
                    values.push(("length", number((self.m + self.n - now.e) / 2)));
                }
                LensSentence::new(if self.is_common() { "furthest.end-common" } else { "furthest.end" }, values)
            }
            0 => LensSentence::new("furthest.stop", [("row", number(now.to)), ("e", number(now.e))]),
            _ => LensSentence::new("furthest.slide", [("symbols", SentenceValue::A(now.row..now.to)), ("to", number(now.to))]),
        };
        vec![happens, why]
    }
}

impl Lens for FurthestLens {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let now = step.checked_sub(1).map(|at| &self.steps[at]);
        let panels = vec![
            LensPanel::new("matrix", PanelPosition::Main, PanelBody::Grid(self.grid(step))),
            LensPanel::new("which-row", PanelPosition::Side, PanelBody::Sums(now.map(Self::sums).unwrap_or_default())),
            LensPanel::new("furthest-rows", PanelPosition::Below, PanelBody::Grid(self.waves(step))),
        ];
        let compared = |steps: usize| self.steps[..steps].iter().map(|step| step.compared).sum();
        let wave = |step: Option<&WaveStep>| step.map_or(0, |step| step.e + 1);
        LensFrame {
            panels,
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("waves", wave(now), wave(self.steps.last())),
                LensCount::new("cells-visited", self.visited(step), self.visited(all)),
                LensCount::new("comparisons", compared(step), compared(all)),
            ],
            line: Some(match now {
                None => 0,
                Some(now) if now.to > now.row => 8,
                Some(now) if now.e == 0 => 0,
                Some(_) => 5,
            }),
            outcome: (step == all).then(|| self.outcome()),
        }
    }

    fn questions(&self, step: usize, _: QuestionTurn) -> Vec<LensQuestion> {
        self.steps.get(step).map(|next| questions::all(self, next, step.checked_sub(1).map(|at| &self.steps[at]))).unwrap_or_default()
    }

    fn code(&self) -> &'static [CodeLine] {
        if self.is_common() { COMMON } else { DISTANCE }
    }
}

/// Returns the cells from which a wave reaches diagonal `x`, whose last row is `end`. `before` has the furthest row of
/// each diagonal in earlier waves.
fn inputs(before: &BTreeMap<i64, usize>, x: i64, end: usize, is_common: bool) -> Vec<WaveInput> {
    let of = |input: CellInput| {
        let (diagonal, down, right) = match input {
            CellInput::Corner if !is_common => (x, 1, 1),
            CellInput::Left => (x - 1, 0, 1),
            CellInput::Above => (x + 1, 1, 0),
            CellInput::Corner | CellInput::TwoBack => return None,
        };
        let row = (before.get(&diagonal)? + down).min(end);
        let column = (row as i64 + x) as usize;
        Some(WaveInput { input, from: (row.checked_sub(down)?, column.checked_sub(right)?), row })
    };
    CellInput::ALL.into_iter().filter_map(of).collect()
}

fn edit(input: CellInput) -> EditKind {
    match input {
        CellInput::Corner | CellInput::TwoBack => EditKind::Substitute,
        CellInput::Above => EditKind::Delete,
        CellInput::Left => EditKind::Insert,
    }
}

fn mark(input: CellInput) -> LensMark {
    match input {
        CellInput::Corner | CellInput::TwoBack => LensMark::Substituted,
        CellInput::Above => LensMark::Deleted,
        CellInput::Left => LensMark::Inserted,
    }
}

#[cfg(test)]
mod tests {
    use super::super::LensName;
    use super::super::tests::{Case, cases, value};
    use super::*;

    /// Checks every value of the picture against the recurrence: a cell that a wave visits is e edits away.
    #[test]
    fn visited_cells_have_their_distance() {
        for case in cases(20, 20) {
            for task in [Task::EditDistance, Task::Lcs] {
                let lens = case.open(LensName::Furthest, task, "");
                let PanelBody::Grid(grid) = &lens.frame(lens.len()).panels[0].body else { panic!("expected a grid") };
                for i in 0..=case.a.len() {
                    for j in 0..=case.b.len() {
                        let ShownValue::Number(e) = grid.cell(i, j).value else { continue };
                        let of = value(task, &case, i, j);
                        let expected = if task == Task::Lcs { (i + j) as u64 - 2 * of } else { of };
                        assert_eq!(u64::from(e), expected, "[{i}, {j}]");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_the_furthest_of_their_diagonal() {
        for case in cases(12, 12) {
            let lens = FurthestLens::new(Task::EditDistance, &case.texts());
            for step in &lens.steps {
                let rows = (0..=lens.m).filter(|i| (0..=lens.n as i64).contains(&(*i as i64 + step.x)));
                let within = |i: &usize| value(Task::EditDistance, &case, *i, (*i as i64 + step.x) as usize) <= step.e as u64;
                assert_eq!(rows.filter(within).max(), Some(step.to), "wave {} diagonal {}", step.e, step.x);
            }
        }
    }

    #[test]
    fn worked_example_has_the_waves_of_its_distance() {
        let lens = FurthestLens::new(Task::EditDistance, &Case::new("ABCABBA", "CBABAC").texts());
        let rows: Vec<(usize, i64, usize)> = lens.steps.iter().map(|step| (step.e, step.x, step.to)).take(4).collect();
        assert_eq!(rows, [(0, 0, 0), (1, -1, 1), (1, 0, 2), (1, 1, 0)]);
        // Myers (1986) finds 5 insertions and deletions for these texts.
        let lens = FurthestLens::new(Task::Lcs, &Case::new("ABCABBA", "CBABAC").texts());
        assert_eq!(lens.steps.last().map(|step| step.e), Some(5));
        assert!(matches!(lens.outcome(), LensOutcome::Common { length: 4, .. }));
    }
}
