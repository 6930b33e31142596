//! The lens of Hirschberg's method: a longest common subsequence in linear memory, by Listings 1 and 2 of paper 001. A
//! part is a rectangle of the matrix. A step fills one row of a half of a part, chooses where a part is cut, or solves
//! a part that is too small to be cut.
//!
//! A part is cut in the middle of its rows. The upper half is filled from above and the lower half from below, with two
//! rows of each in memory. An optimal path crosses the cut at the column with the greatest sum of the last rows of both
//! halves. Cells of a part are computed again in its halves: at most 2mn cells in total, plus one row for each level of
//! recursion.

use std::ops::Range;

use super::frame::{
    BarChart, CellTape, ChartBar, GridRectangle, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence,
    PanelBody, PanelCell, PanelGrid, PanelPosition, SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

mod questions;

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("hirschberg.begin", &["a", "b", "words"]),
    ("hirschberg.forward", &["row", "rows", "a", "b", "depth"]),
    ("hirschberg.backward", &["row", "rows", "a", "b", "depth"]),
    ("hirschberg.rows-why", &["cells", "least"]),
    ("hirschberg.split", &["sum", "k", "b", "left"]),
    ("hirschberg.split-why", &["upper", "lower", "left", "right"]),
    ("hirschberg.found", &["a", "b"]),
    ("hirschberg.absent", &["a", "b"]),
    ("hirschberg.empty", &["a", "b"]),
    ("hirschberg.end", &["length", "cells", "least"]),
    ("question.split", &["a", "b"]),
    ("question.common", &["a", "b"]),
    ("question.row-last", &["row", "b"]),
    ("question.greatest-sum", &["a", "b"]),
    ("question.cells-of-halves", &["a", "b", "k"]),
    ("question.does-next", &[]),
    ("question.from-neighbour", &["row", "b"]),
    ("why.cells-of-halves", &["upper", "left", "lower", "right"]),
    ("why.equal-ends", &["a"]),
    ("why.greater-neighbour", &["above", "left"]),
];

const CODE: &[CodeLine] = &[
    line("2", "lcs(A, m, B, n, C) {"),
    line("", "if (n==0) C = \"\""),
    line("", "else if (m==1) the first j with A[0]==B[j], or \"\""),
    line("13", "else {"),
    line("14", "  i = m/2"),
    line("15", "  llcs(A[0...i-1], i, B, n, L1)"),
    line("16", "  llcs(A[m-1...i], m-i, B[n-1...0], n, L2)"),
    line("17", "  M = max{L1[j] + L2[n-j]}"),
    line("18", "  k = min{j: L1[j] + L2[n-j] == M}"),
    line("19", "  lcs(A[0...i-1], i, B[0...k-1], k, C1)"),
    line("20", "  lcs(A[i...m-1], m-i, B[k...n-1], n-k, C2)"),
    line("21", "  C = strcat(C1, C2)"),
    line("22", "}"),
];

/// The work that one step does on a part (a rectangle) of the matrix.
enum StepWork {
    /// Fills row number `row` of the upper half, from 1. `before` has the values of the previous row, and `now` the
    /// values of the new row.
    Forward { row: usize, before: Vec<u32>, now: Vec<u32> },
    /// Fills row number `row` of the lower half, counted from below, with both texts reversed. `before` has the values
    /// of the previous row, and `now` the values of the new row.
    Backward { row: usize, before: Vec<u32>, now: Vec<u32> },
    /// Cuts the part between its columns at the offset `k`. `first` and `second` are the last rows of the upper and the
    /// lower half; `second` is in the reversed order in which it was computed.
    Split { first: Vec<u32>, second: Vec<u32>, k: usize },
    /// Searches a part with one row, and thus one symbol of `a`, for this symbol. The value is the position in `b` of
    /// the first equal symbol, or `None`.
    One(Option<usize>),
    /// Does nothing, because the part is empty.
    Nothing,
}

/// A step of the method: its work, the ranges of rows and columns of its part, and the depth of the recursion.
struct HirschbergStep {
    rows: Range<usize>,
    columns: Range<usize>,
    depth: usize,
    does: StepWork,
}

pub(super) struct HirschbergLens {
    texts: LensTexts,
    size: (usize, usize),
    steps: Vec<HirschbergStep>,
}

impl HirschbergStep {
    /// Returns the row before which the part of the step is cut into halves.
    fn middle(&self) -> usize {
        self.rows.start + self.rows.len() / 2
    }

    /// Returns the row and the half-open range of columns of the cells that the step computes, or `None` if it computes
    /// no cells. Rows and columns are numbered by the symbols of `a` and `b`, from 0.
    fn cells(&self) -> Option<(usize, Range<usize>)> {
        let columns = self.columns.clone();
        match self.does {
            StepWork::Forward { row, .. } => Some((self.rows.start + row - 1, columns)),
            StepWork::Backward { row, .. } => Some((self.rows.end - row, columns)),
            // Listing 2 stops at the first equal symbol.
            StepWork::One(found) => Some((self.rows.start, columns.start..found.map_or(columns.end, |j| j + 1))),
            StepWork::Split { .. } | StepWork::Nothing => None,
        }
    }

    fn work(&self) -> usize {
        self.cells().map_or(0, |(_, columns)| columns.len())
    }
}

impl HirschbergLens {
    pub(super) fn new(texts: &LensTexts) -> Self {
        let size = (texts.a.len(), texts.b.len());
        let mut steps = Vec::new();
        cut(texts, (0..size.0, 0..size.1), 0, &mut steps);
        Self { texts: texts.clone(), size, steps }
    }

    /// Returns the common symbols that the first `steps` steps have found, each as its position in `a` and its position
    /// in `b`.
    fn found(&self, steps: usize) -> Vec<(usize, usize)> {
        let one = |step: &HirschbergStep| match step.does {
            StepWork::One(Some(j)) => Some((step.rows.start, j)),
            _ => None,
        };
        self.steps[..steps].iter().filter_map(one).collect()
    }

    fn work(&self, steps: usize) -> usize {
        self.steps[..steps].iter().map(HirschbergStep::work).sum()
    }

    fn grid(&self, step: usize) -> PanelGrid {
        let (m, n) = self.size;
        let heads = |len: usize, of: fn(usize) -> ShownValue| (0..len).map(of).map(PanelCell::new).collect();
        let cells = vec![PanelCell::default(); m * n];
        let mut grid = PanelGrid { rows: heads(m, ShownValue::A), columns: heads(n, ShownValue::B), cells, ..PanelGrid::default() };
        for done in &self.steps[..step] {
            let Some((i, columns)) = done.cells() else { continue };
            for cell in &mut grid.cells[i * n + columns.start..i * n + columns.end] {
                cell.computed_times += 1;
                if cell.computed_times == 2 {
                    cell.add(LensMark::Again);
                }
            }
        }
        for (i, j) in self.found(step) {
            let cell = grid.cell_mut(i, j);
            cell.value = ShownValue::A(i);
            cell.add(LensMark::Found);
        }
        for done in self.steps[..step].iter().filter(|done| matches!(done.does, StepWork::Split { .. })) {
            self.frame_part(&mut grid, done, LensMark::Earlier);
        }
        let Some(now) = step.checked_sub(1).map(|last| &self.steps[last]) else { return grid };
        if matches!(now.does, StepWork::Split { .. }) {
            // The loop above has drawn this part last, so that its rectangles are the last three.
            let frames = grid.rectangles.iter_mut().rev().take(3);
            frames
                .filter(|part| part.mark == LensMark::Earlier && !part.rows.is_empty())
                .take(1)
                .for_each(|part| part.mark = LensMark::Open);
        } else {
            grid.rectangles.push(GridRectangle {
                rows: now.rows.clone(),
                columns: now.columns.clone(),
                mark: LensMark::Open,
                depth: now.depth,
            });
        }
        now.rows.clone().for_each(|i| grid.rows[i].add(LensMark::Open));
        now.columns.clone().for_each(|j| grid.columns[j].add(LensMark::Open));
        let values = |grid: &mut PanelGrid, i: usize, mark: LensMark, value: &dyn Fn(usize) -> u32| {
            for j in now.columns.clone() {
                let cell = grid.cell_mut(i, j);
                cell.value = ShownValue::Number(value(j));
                cell.add(mark);
            }
        };
        let (from, to) = (now.columns.start, now.columns.end);
        match &now.does {
            StepWork::Forward { row, before, now: values_now } => {
                let i = now.rows.start + row - 1;
                if *row > 1 {
                    values(&mut grid, i - 1, LensMark::Kept, &|j| before[j + 1 - from]);
                }
                values(&mut grid, i, LensMark::New, &|j| values_now[j + 1 - from]);
            }
            StepWork::Backward { row, before, now: values_now } => {
                let i = now.rows.end - row;
                if *row > 1 {
                    values(&mut grid, i + 1, LensMark::Kept, &|j| before[to - j]);
                }
                values(&mut grid, i, LensMark::New, &|j| values_now[to - j]);
            }
            StepWork::One(_) => {
                if let Some((i, columns)) = now.cells() {
                    columns.for_each(|j| grid.cell_mut(i, j).add(LensMark::New));
                }
            }
            StepWork::Split { .. } | StepWork::Nothing => {}
        }
        grid.tapes_below = scores(now);
        grid
    }

    /// Adds rectangles to `grid` for a step `done` that cuts a part: the part, the cut, and the point at which an
    /// optimal path crosses the cut. The rectangle of the part gets `mark`. Does nothing for other steps.
    fn frame_part(&self, grid: &mut PanelGrid, done: &HirschbergStep, mark: LensMark) {
        let StepWork::Split { k, .. } = done.does else { return };
        let (middle, crossing, depth) = (done.middle(), done.columns.start + k, done.depth);
        grid.rectangles.push(GridRectangle { rows: done.rows.clone(), columns: done.columns.clone(), mark, depth });
        grid.rectangles.push(GridRectangle { rows: middle..middle, columns: done.columns.clone(), mark: LensMark::Chosen, depth });
        grid.rectangles.push(GridRectangle { rows: middle..middle, columns: crossing..crossing, mark: LensMark::Path, depth });
    }

    /// Returns bars for the number of cells that each level of the recursion computes, one after the other on one axis.
    /// The bars are filled up to `step`.
    fn levels(&self, step: usize) -> BarChart {
        let levels = self.steps.iter().map(|step| step.depth + 1).max().unwrap_or_default();
        let work = |steps: &[HirschbergStep], depth: usize| {
            steps.iter().filter(|step| step.depth == depth).map(HirschbergStep::work).sum::<usize>() as u64
        };
        let mut from = 0;
        let bars = (0..levels).map(|depth| {
            let total = work(&self.steps, depth);
            let label = LensLabel::key("depth").with_index(ShownValue::Number(depth as u32 + 1));
            from += total;
            ChartBar { label, from: from - total, now: work(&self.steps[..step], depth), total, mark: None }
        });
        let bars = bars.collect();
        let least = (self.size.0 * self.size.1) as u64;
        BarChart { bars, ticks: vec![(least, LensLabel::code("mn")), (2 * least, LensLabel::code("2mn"))] }
    }

    fn subsequence(&self, step: usize) -> TapeTable {
        let (now, all) = (self.found(step), self.found(self.steps.len()).len());
        let known = now.iter().map(|(i, _)| PanelCell::new(ShownValue::A(*i)).with_mark(LensMark::Found));
        let cells: Vec<PanelCell> =
            known.chain((now.len()..all).map(|_| PanelCell::new(ShownValue::Unknown).with_mark(LensMark::Ahead))).collect();
        TapeTable {
            columns: all,
            tapes: vec![CellTape { label: LensLabel::code("C"), cells, ..CellTape::default() }],
            ..TapeTable::default()
        }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let (m, n) = self.size;
        let (least, work) = (SentenceValue::number(m * n), SentenceValue::number(self.work(step)));
        let last = step.checked_sub(1).map(|last| &self.steps[last]);
        let happens = match last {
            None => LensSentence::new(
                "hirschberg.begin",
                [("a", SentenceValue::A(0..m)), ("b", SentenceValue::B(0..n)), ("words", SentenceValue::number(4 * (n + 1)))],
            ),
            Some(now) => {
                let (a, b) = (("a", SentenceValue::A(now.rows.clone())), ("b", SentenceValue::B(now.columns.clone())));
                let row = |key, row: usize, rows: usize| {
                    let depth = SentenceValue::number(now.depth + 1);
                    LensSentence::new(
                        key,
                        [
                            ("row", SentenceValue::number(row)),
                            ("rows", SentenceValue::number(rows)),
                            a.clone(),
                            b.clone(),
                            ("depth", depth),
                        ],
                    )
                };
                match &now.does {
                    StepWork::Forward { row: at, .. } => row("hirschberg.forward", *at, now.middle() - now.rows.start),
                    StepWork::Backward { row: at, .. } => row("hirschberg.backward", *at, now.rows.end - now.middle()),
                    StepWork::Split { first, second, k } => {
                        let left = SentenceValue::B(now.columns.start..now.columns.start + k);
                        let sum = SentenceValue::number((first[*k] + second[second.len() - 1 - k]) as usize);
                        LensSentence::new("hirschberg.split", [("sum", sum), ("k", SentenceValue::number(*k)), b, ("left", left)])
                    }
                    StepWork::One(Some(_)) => LensSentence::new("hirschberg.found", [a, b]),
                    StepWork::One(None) => LensSentence::new("hirschberg.absent", [a, b]),
                    StepWork::Nothing => LensSentence::new("hirschberg.empty", [a, b]),
                }
            }
        };
        let why = match last {
            _ if step == self.steps.len() => LensSentence::new(
                "hirschberg.end",
                [("length", SentenceValue::number(self.found(step).len())), ("cells", work), ("least", least)],
            ),
            Some(now @ HirschbergStep { does: StepWork::Split { k, .. }, .. }) => {
                let (middle, crossing) = (now.middle(), now.columns.start + k);
                LensSentence::new(
                    "hirschberg.split-why",
                    [
                        ("upper", SentenceValue::A(now.rows.start..middle)),
                        ("lower", SentenceValue::A(middle..now.rows.end)),
                        ("left", SentenceValue::B(now.columns.start..crossing)),
                        ("right", SentenceValue::B(crossing..now.columns.end)),
                    ],
                )
            }
            _ => LensSentence::new("hirschberg.rows-why", [("cells", work), ("least", least)]),
        };
        vec![happens, why]
    }
}

impl Lens for HirschbergLens {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let step = step.min(self.len());
        let ((m, n), all) = (self.size, self.len());
        let line = match step.checked_sub(1).map(|last| &self.steps[last].does) {
            None => 0,
            Some(StepWork::Forward { .. }) => 5,
            Some(StepWork::Backward { .. }) => 6,
            Some(StepWork::Split { .. }) => 8,
            Some(StepWork::One(_)) => 2,
            Some(StepWork::Nothing) => 1,
        };
        let common = || {
            let matches = self.found(all);
            LensOutcome::Common { length: matches.len() as u64, matches: Some(matches) }
        };
        LensFrame {
            panels: vec![
                LensPanel::new("matrix", PanelPosition::Main, PanelBody::Grid(self.grid(step))),
                LensPanel::new("cells-by-level", PanelPosition::Side, PanelBody::Bars(self.levels(step))),
                LensPanel::new("subsequence", PanelPosition::Side, PanelBody::Tapes(self.subsequence(step))),
            ],
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("cells-computed", self.work(step), self.work(all)),
                // Two rows of the half that is being filled, and the last row of each half.
                LensCount::without_total("words-kept", 4 * (n + 1)),
                LensCount::without_total("words-of-table", (m + 1) * (n + 1)),
                LensCount::new("symbols-found", self.found(step).len(), self.found(all).len()),
            ],
            line: Some(line),
            outcome: (step == all).then(common),
        }
    }

    fn questions(&self, step: usize, _: QuestionTurn) -> Vec<LensQuestion> {
        self.build_questions(step)
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

/// Returns the rows of scores that the grid shows below itself at the step `now`. While a half is being filled, these
/// are its last two rows. For a cut, these are the last rows of both halves and their sum.
fn scores(now: &HirschbergStep) -> Vec<CellTape> {
    let tape = |label, cells: Vec<PanelCell>| CellTape {
        label: LensLabel::code(label),
        offset: now.columns.start,
        is_on_lines: true,
        cells,
        ..CellTape::default()
    };
    let plain = |values: &mut dyn Iterator<Item = u32>, mark: LensMark| -> Vec<PanelCell> {
        values.map(|value| PanelCell::number(value).with_mark(mark)).collect()
    };
    match &now.does {
        StepWork::Forward { before, now, .. } => {
            vec![
                tape("K[0]", plain(&mut before.iter().copied(), LensMark::Kept)),
                tape("K[1]", plain(&mut now.iter().copied(), LensMark::New)),
            ]
        }
        // The lower half is computed on the reversed texts, so its values are reversed here.
        StepWork::Backward { before, now, .. } => vec![
            tape("K[0]", plain(&mut before.iter().rev().copied(), LensMark::Kept)),
            tape("K[1]", plain(&mut now.iter().rev().copied(), LensMark::New)),
        ],
        StepWork::Split { first, second, k } => {
            let sums: Vec<u32> = first.iter().zip(second.iter().rev()).map(|(one, other)| one + other).collect();
            let best = sums.get(*k).copied();
            let sums = sums.iter().enumerate().map(|(j, sum)| {
                PanelCell::number(*sum).mark_if(j == *k, LensMark::Chosen).mark_if(j != *k && Some(*sum) == best, LensMark::Also)
            });
            vec![
                tape("L1[j]", plain(&mut first.iter().copied(), LensMark::Read)),
                tape("L2[n-j]", plain(&mut second.iter().rev().copied(), LensMark::Read)),
                tape("L1[j] + L2[n-j]", sums.collect()),
            ]
        }
        StepWork::One(_) | StepWork::Nothing => Vec::new(),
    }
}

/// Appends to `steps` the steps of Listing 2 on the part with the given ranges of rows and columns, recursively.
/// `depth` is the level of the recursion, from 0. Listing 2 does not define the case of an empty `A`, which becomes one
/// step that does nothing.
fn cut(texts: &LensTexts, (rows, columns): (Range<usize>, Range<usize>), depth: usize, steps: &mut Vec<HirschbergStep>) {
    let does = |does: StepWork| HirschbergStep { rows: rows.clone(), columns: columns.clone(), depth, does };
    if rows.is_empty() || columns.is_empty() {
        return steps.push(does(StepWork::Nothing));
    }
    if rows.len() == 1 {
        return steps.push(does(StepWork::One(columns.clone().find(|j| texts.equal(rows.start, *j)))));
    }
    let middle = rows.start + rows.len() / 2;
    let n = columns.len();
    let mut half = |i_of: &dyn Fn(usize) -> usize, j_of: &dyn Fn(usize) -> usize, count: usize, is_forward: bool| -> Vec<u32> {
        let mut now = vec![0; n + 1];
        for row in 1..=count {
            let before = now.clone();
            for j in 1..=n {
                now[j] = if texts.equal(i_of(row), j_of(j)) { before[j - 1] + 1 } else { now[j - 1].max(before[j]) };
            }
            let values = now.clone();
            steps.push(does(match is_forward {
                true => StepWork::Forward { row, before, now: values },
                false => StepWork::Backward { row, before, now: values },
            }));
        }
        now
    };
    let first = half(&|row| rows.start + row - 1, &|j| columns.start + j - 1, middle - rows.start, true);
    let second = half(&|row| rows.end - row, &|j| columns.end - j, rows.end - middle, false);
    let sums: Vec<u32> = first.iter().zip(second.iter().rev()).map(|(one, other)| one + other).collect();
    let most = sums.iter().max();
    let k = sums.iter().position(|sum| Some(sum) == most).unwrap_or_default();
    steps.push(does(StepWork::Split { first, second, k }));
    let crossing = columns.start + k;
    cut(texts, (rows.start..middle, columns.start..crossing), depth + 1, steps);
    cut(texts, (middle..rows.end, crossing..columns.end), depth + 1, steps);
}

#[cfg(test)]
mod tests {
    use kernels::methods::lcs::hirschberg::hirschberg;

    use super::super::tests::{Case, cases};
    use super::*;

    fn steps(case: &Case) -> HirschbergLens {
        HirschbergLens::new(&case.texts())
    }

    #[test]
    fn computed_cells_and_matches_agree_with_the_method() {
        for case in cases(60, 60) {
            let lens = steps(&case);
            let mut ticks = 0;
            let matches = hirschberg(&case.a, &case.b, &mut |cells| {
                ticks += cells;
                Ok(())
            });
            assert_eq!(lens.found(lens.len()), matches.unwrap());
            // For a row of one symbol the method reports all columns, although it may stop earlier.
            let whole = |step: &HirschbergStep| if matches!(step.does, StepWork::One(_)) { step.columns.len() } else { step.work() };
            assert_eq!(lens.steps.iter().map(whole).sum::<usize>() as u64, ticks);
            let (m, n) = lens.size;
            assert!(lens.work(lens.len()) <= n * (2 * m + m.checked_ilog2().unwrap_or_default() as usize + 1));
        }
    }

    #[test]
    fn worked_example_is_divided_as_in_its_drawing() {
        let lens = steps(&Case::new("TEACHING", "LEARNING"));
        assert_eq!(lens.len(), 39);
        let split = lens.steps.iter().position(|step| matches!(step.does, StepWork::Split { .. })).unwrap();
        let StepWork::Split { first, second, k } = &lens.steps[split].does else { panic!("expected a split") };
        assert_eq!((split, *k), (8, 3));
        assert_eq!((&first[..], &second[..]), (&[0, 0, 1, 2, 2, 2, 2, 2, 2][..], &[0, 1, 2, 3, 3, 3, 3, 3, 3][..]));
        let Some(LensOutcome::Common { length, .. }) = lens.frame(39).outcome else { panic!("expected an outcome") };
        assert_eq!(length, 5);
    }

    #[test]
    fn every_cell_is_computed_and_counted() {
        for case in cases(60, 60) {
            let lens = steps(&case);
            let frame = lens.frame(lens.len());
            let PanelBody::Grid(grid) = &frame.panels[0].body else { panic!("expected a grid") };
            let times: usize = grid.cells.iter().map(|cell| usize::from(cell.computed_times)).sum();
            assert_eq!(times, lens.work(lens.len()));
            assert!(case.a.len() < 2 || grid.cells.iter().all(|cell| cell.computed_times > 0));
            assert!(grid.cells.iter().all(|cell| cell.marks.has(LensMark::Again) == (cell.computed_times > 1)));
        }
    }
}
