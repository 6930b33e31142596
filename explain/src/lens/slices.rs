//! The lens of approximate search in slices, as on a GPU (sections 5 and 6 of paper 000). `D` blocks of threads search
//! overlapping slices of the text along the diagonals of the matrix, with one thread per row. The answer is the least
//! of the minima of the blocks. In a step, each thread does one round, or the minima of two halves of the blocks are
//! combined.
//!
//! In round `k`, thread `i` fills column `k − i + 1` of its row if that column exists, so that threads wait at both
//! ends of a slice. The array `e` has three rows of `m + 1` words, because a value depends only on the two previous
//! diagonals. Cells in the overlap of two slices are computed in both. [`hierarchy`] counts the time of each step on
//! the hierarchical memory machine (HMM), a model of a GPU.

use std::ops::Range;

use kernels::methods::approximate_search::slices::cut;

use super::frame::{
    CellTape, ChartLane, LaneChart, LaneSpan, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody,
    PanelCell, PanelGrid, PanelPosition, SentenceValue, ShownValue, TapeTable,
};
use super::hierarchy::{self, HierarchyTime};
use super::question::{LensQuestion, QuestionTurn};
use super::settings::{LensParameter, LensSettings};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

mod questions;

/// The parameters of this lens: the number of blocks `D`, the number of threads of a warp, the block to show, and three
/// parameters of the machine ([`hierarchy::PARAMETERS`]).
pub(super) const PARAMETERS: &[LensParameter] = &[
    LensParameter::number("D", 1, 8, 4),
    LensParameter::number("w", 2, 32, 4),
    LensParameter::number("block", 0, 7, 0),
    hierarchy::PARAMETERS[0],
    hierarchy::PARAMETERS[1],
    hierarchy::PARAMETERS[2],
];

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("slices.begin", &["blocks", "threads", "overlap"]),
    ("slices.round", &["round", "blocks", "working", "waiting"]),
    ("slices.why", &["overlap", "warps"]),
    ("slices.copy", &["blocks"]),
    ("slices.minimum", &["half", "left"]),
    ("slices.end", &["least", "blocks"]),
    ("slices.least-of-block", &["least"]),
    ("question.thread-next", &["thread", "round"]),
    ("question.threads-at-work", &["round"]),
    ("question.minimum", &["half"]),
    ("question.minimum-with", &["left"]),
    ("question.value", &["i", "j"]),
    ("question.cells-read", &["thread", "i", "j"]),
    ("question.rounds-idle", &["thread", "rounds"]),
    ("why.threads-at-work", &["round", "last"]),
    ("why.rounds-idle", &["thread", "rounds", "works"]),
    ("why.thread-next", &["round", "thread", "j"]),
    ("why.least-of-three", &["corner", "above", "left"]),
    hierarchy::SAYS[0],
    hierarchy::SAYS[1],
    hierarchy::SAYS[2],
    hierarchy::SAYS[3],
];

const CODE: &[CodeLine] = &[
    line("1", "minval ← m; e[0][0] ← 0; e[0][1] ← 1; e[1][0] ← 0"),
    line("2", "for k ← 1 to n + m − 1 do"),
    line("3", "  for i ← 0 to m do in parallel"),
    line("4", "    j ← k − i + 1"),
    line("5", "    if i = 0 then e[j mod 3][i] ← 0"),
    line("6", "    else if j = 0 then e[j mod 3][i] ← i"),
    line("7", "    else if 1 ≤ j ≤ n then e[j mod 3][i] ←"),
    line("8", "      min(e[(j−1) mod 3][i] + 1,"),
    line("9", "          e[j mod 3][i−1] + 1,"),
    line("10", "          e[(j−1) mod 3][i−1] + (x[i] ≠ y[j]))"),
    line("11", "  if k ≥ m and e[j mod 3][m] < minval"),
    line("12", "    then minval ← e[j mod 3][m]"),
    line("", "minimum[block] ← minval"),
    line("", "for h ← D/2, D/4 … 1 do"),
    line("", "  for i ← 0 to h − 1 do in parallel"),
    line("", "    minimum[i] ← min(minimum[i], minimum[i + h])"),
];

/// A block of threads: its slice (a range of the text), and the matrix of this slice, column by column.
struct SliceBlock {
    slice: Range<usize>,
    columns: Vec<Vec<u32>>,
}

pub(super) struct SlicesLens {
    m: usize,
    n: usize,
    warp: usize,
    shown: usize,
    blocks: Vec<SliceBlock>,
    rounds: usize,
    /// The time of the search on the hierarchical memory machine; `None` if a text is empty.
    hierarchy: Option<HierarchyTime>,
}

impl SliceBlock {
    /// Returns the column of the slice's matrix that thread `i` fills in round `k`, or `None` if the thread waits.
    fn column(&self, k: usize, i: usize) -> Option<usize> {
        (k + 1).checked_sub(i).filter(|j| *j < self.columns.len())
    }

    /// Returns the number of threads of the block that work in round `k`. `m` is the length of the pattern.
    fn working(&self, k: usize, m: usize) -> usize {
        (0..=m).filter(|i| self.column(k, *i).is_some()).count()
    }

    /// Returns the least value of the matrix's last row, `m`, after `k` rounds. It is at most `m`, the distance of the
    /// pattern to an empty substring.
    fn least(&self, k: usize, m: usize) -> u32 {
        let filled = (k + 2).saturating_sub(m.max(1)).min(self.columns.len());
        self.columns[..filled].iter().map(|column| column[m]).min().unwrap_or(u32::MAX).min(m as u32)
    }

    /// Returns the number of matrix cells, in rows and columns from 1 on, that are filled after `k` rounds. `m` is the
    /// length of the pattern.
    fn filled(&self, k: usize, m: usize) -> usize {
        (1..=m).map(|i| (k + 1).saturating_sub(i).min(self.slice.len())).sum()
    }
}

impl SlicesLens {
    pub(super) fn new(texts: &LensTexts, settings: &LensSettings) -> Self {
        let (m, n) = (texts.a.len(), texts.b.len());
        let slices = cut(m, n, settings.number("D"));
        let hierarchy = HierarchyTime::new(texts, &slices, settings);
        let blocks: Vec<SliceBlock> = slices.into_iter().map(|slice| SliceBlock { columns: fill(texts, slice.clone()), slice }).collect();
        let longest = blocks.iter().map(|block| block.slice.len()).max().unwrap_or_default();
        let rounds = if m == 0 || longest == 0 { 0 } else { longest + m - 1 };
        let shown = settings.number("block").min(blocks.len() - 1);
        Self { m, n, warp: settings.number("w"), shown, blocks, rounds, hierarchy }
    }

    /// Returns the number of steps that combine the minima of the blocks. Each of these steps halves the number of
    /// minima.
    fn halves(&self) -> usize {
        self.blocks.len().next_power_of_two().ilog2() as usize
    }

    /// Returns the minimum of each block after `step` steps, and the number of blocks at the front whose minima are
    /// still to be combined.
    fn minima(&self, step: usize) -> (Vec<u32>, usize) {
        let mut minima: Vec<u32> = self.blocks.iter().map(|block| block.least(step.min(self.rounds), self.m)).collect();
        let mut half = self.blocks.len().next_power_of_two();
        for _ in self.rounds..step {
            half /= 2;
            for i in 0..half {
                minima[i] = minima[i].min(minima.get(i + half).copied().unwrap_or(u32::MAX));
            }
        }
        (minima, half.min(self.blocks.len()))
    }

    fn text(&self) -> TapeTable {
        let slice = &self.blocks[self.shown].slice;
        let cells = (0..self.n).map(|j| PanelCell::new(ShownValue::B(j)).mark_if(slice.contains(&j), LensMark::Open)).collect();
        TapeTable {
            columns: self.n,
            numbered: Some(0),
            tapes: vec![CellTape { label: LensLabel::code("Y"), cells, ..CellTape::default() }],
            arrows: Vec::new(),
        }
    }

    /// Returns a chart of the slices along the text, one row per block, with the minimum of each block after `step`
    /// steps.
    fn lanes(&self, step: usize) -> LaneChart {
        let lane = |(number, block): (usize, &SliceBlock)| {
            let own = number.checked_sub(1).map_or(block.slice.start, |before| self.blocks[before].slice.end.min(block.slice.end));
            let span = |range: Range<usize>, mark: LensMark| {
                let entry = PanelCell { owner: Some(number as u16), ..PanelCell::default() }
                    .with_mark(mark)
                    .mark_if(number == self.shown, LensMark::Open);
                (!range.is_empty()).then_some(LaneSpan { range, entry })
            };
            let spans = [span(block.slice.start..own, LensMark::Overlap), span(own..block.slice.end, LensMark::Kept)];
            let least = SentenceValue::Number(block.least(step.min(self.rounds), self.m).into());
            ChartLane {
                label: LensLabel::key("block").with_index(ShownValue::Number(number as u32)),
                spans: spans.into_iter().flatten().collect(),
                note: Some(LensSentence::new("slices.least-of-block", [("least", least)])),
            }
        };
        let lanes = self.blocks.iter().enumerate().map(lane).collect();
        LaneChart { axis: "positions", length: self.n, first: 0, now: None, lanes }
    }

    /// Returns the grid of the matrix of the shown block after `step` steps, with one row per thread.
    fn grid(&self, step: usize) -> PanelGrid {
        let (k, block) = (step.min(self.rounds), &self.blocks[self.shown]);
        let mut grid = PanelGrid::of_texts(self.m, block.slice.len());
        for (j, head) in grid.columns.iter_mut().enumerate().skip(1) {
            head.value = ShownValue::B(block.slice.start + j - 1);
        }
        grid.labels = (0..=self.m).map(|i| LensLabel::key("thread").with_index(ShownValue::Number(i as u32))).collect();
        for i in 0..=self.m {
            let now = block.column(k, i);
            let works = step > 0 && step <= self.rounds && now.is_some();
            grid.rows[i].owner = Some((i / self.warp) as u16);
            if step > 0 && step <= self.rounds && !works {
                grid.rows[i].add(LensMark::Idle);
            }
            for (j, column) in block.columns.iter().enumerate() {
                // Cells (0, 0), (0, 1) and (1, 0) are filled before the first round.
                let filled = (k + 2).saturating_sub(i).min(block.columns.len());
                let cell = grid.cell_mut(i, j);
                cell.owner = Some((i / self.warp) as u16);
                *cell = match j {
                    _ if works && now == Some(j) => PanelCell { value: ShownValue::Number(column[i]), ..*cell }.with_mark(LensMark::New),
                    _ if j < filled && j + 3 >= filled => {
                        PanelCell { value: ShownValue::Number(column[i]), ..*cell }.with_mark(LensMark::Kept)
                    }
                    _ if j < filled => PanelCell { value: ShownValue::Number(column[i]), ..*cell }.with_mark(LensMark::Dropped),
                    _ => cell.with_mark(LensMark::Ahead),
                };
            }
        }
        grid
    }

    /// Returns a chart of the rounds in which each thread of the shown block works. Rounds after `step` are marked as
    /// still to come.
    fn threads(&self, step: usize) -> LaneChart {
        let block = &self.blocks[self.shown];
        let lane = |i: usize| {
            let warp = PanelCell { owner: Some((i / self.warp) as u16), ..PanelCell::default() };
            let mut spans: Vec<LaneSpan> = Vec::new();
            for k in 1..=self.rounds {
                let works = block.column(k, i).is_some();
                let mark = match works {
                    false => LensMark::Idle,
                    true if k == step => LensMark::New,
                    true if k < step => LensMark::Kept,
                    true => LensMark::Ahead,
                };
                let entry = warp.with_mark(mark);
                match spans.last_mut().filter(|span| span.entry == entry) {
                    Some(span) => span.range.end = k,
                    None => spans.push(LaneSpan { range: k - 1..k, entry }),
                }
            }
            ChartLane { label: LensLabel::key("thread").with_index(ShownValue::Number(i as u32)), spans, note: None }
        };
        let now = Some(step.min(self.rounds));
        LaneChart { axis: "rounds", length: self.rounds, first: 1, now, lanes: (0..=self.m).map(lane).collect() }
    }

    /// Returns the three rows of the array `e` of the shown block after `step` steps.
    fn rows(&self, step: usize) -> TapeTable {
        let (k, block) = (step.min(self.rounds), &self.blocks[self.shown]);
        let cell = |row: usize, i: usize| {
            let filled = (k + 2).saturating_sub(i).min(block.columns.len());
            let Some(j) = (0..filled).rev().take(3).find(|j| j % 3 == row) else { return PanelCell::default() };
            let is_new = step > 0 && step <= self.rounds && block.column(k, i) == Some(j);
            PanelCell::number(block.columns[j][i]).with_mark(if is_new { LensMark::New } else { LensMark::Kept })
        };
        let tape = |row: usize| {
            let cells = (0..=self.m).map(|i| cell(row, i)).collect();
            CellTape { label: LensLabel::code("e").with_index(ShownValue::Number(row as u32)), cells, ..CellTape::default() }
        };
        TapeTable { columns: self.m + 1, numbered: Some(0), tapes: (0..3).map(tape).collect(), arrows: Vec::new() }
    }

    fn minimum(&self, step: usize) -> TapeTable {
        let (minima, left) = self.minima(step);
        let cell = |(i, least): (usize, &u32)| {
            let is_reduced = step > self.rounds && i < left;
            PanelCell::number(*least)
                .mark_if(i >= left, LensMark::Dropped)
                .mark_if(is_reduced, LensMark::New)
                .mark_if(i == self.shown, LensMark::Open)
        };
        let cells = minima.iter().enumerate().map(cell).collect();
        let blocks = self.blocks.len();
        TapeTable {
            columns: blocks,
            numbered: Some(0),
            tapes: vec![CellTape { label: LensLabel::code("minimum"), cells, ..CellTape::default() }],
            arrows: Vec::new(),
        }
    }

    fn working(&self, k: usize) -> usize {
        self.blocks.iter().map(|block| block.working(k, self.m)).sum()
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let blocks = || ("blocks", SentenceValue::number(self.blocks.len()));
        let threads = self.blocks.len() * (self.m + 1);
        let happens = match step {
            0 => LensSentence::new(
                "slices.begin",
                [blocks(), ("threads", SentenceValue::number(threads)), ("overlap", SentenceValue::number(2 * self.m))],
            ),
            _ if step <= self.rounds => {
                let working = self.working(step);
                let (working, waiting) =
                    (("working", SentenceValue::number(working)), ("waiting", SentenceValue::number(threads - working)));
                LensSentence::new("slices.round", [("round", SentenceValue::number(step)), blocks(), working, waiting])
            }
            _ => {
                let half = self.blocks.len().next_power_of_two() >> (step - self.rounds);
                LensSentence::new(
                    "slices.minimum",
                    [("half", SentenceValue::number(half)), ("left", SentenceValue::number(self.minima(step).1))],
                )
            }
        };
        let why = match step {
            _ if step == self.len() => {
                LensSentence::new("slices.end", [("least", SentenceValue::Number(self.minima(step).0[0].into())), blocks()])
            }
            _ if step >= self.rounds => LensSentence::new("slices.copy", [blocks()]),
            _ => {
                let warps = (self.m + 1).div_ceil(self.warp);
                LensSentence::new("slices.why", [("overlap", SentenceValue::number(2 * self.m)), ("warps", SentenceValue::number(warps))])
            }
        };
        let takes = self.hierarchy.as_ref().map(|hierarchy| hierarchy.sentence(step, self.len()));
        [happens, why].into_iter().chain(takes).collect()
    }
}

impl Lens for SlicesLens {
    fn len(&self) -> usize {
        self.rounds + self.halves()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let step = step.min(self.len());
        let filled = |k: usize| self.blocks.iter().map(|block| block.filled(k, self.m)).sum();
        let (k, all) = (step.min(self.rounds), self.rounds);
        let mut counts = vec![
            LensCount::new("cells-computed", filled(k), filled(all)),
            LensCount::without_total("words-kept", self.blocks.len() * 3 * (self.m + 1)),
            LensCount::without_total("threads-at-work", if (1..=all).contains(&step) { self.working(step) } else { 0 }),
        ];
        let mut panels = vec![
            LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(self.text())),
            LensPanel::new("slices", PanelPosition::Main, PanelBody::Lanes(self.lanes(step))),
            LensPanel::new("block", PanelPosition::Main, PanelBody::Grid(self.grid(step))),
            LensPanel::new("threads", PanelPosition::Side, PanelBody::Lanes(self.threads(step))),
            LensPanel::new("three-rows", PanelPosition::Below, PanelBody::Tapes(self.rows(step))),
            LensPanel::new("minima", PanelPosition::Below, PanelBody::Tapes(self.minimum(step))),
        ];
        if let Some(hierarchy) = &self.hierarchy {
            counts.push(LensCount::new("time-units", hierarchy.elapsed(step) as usize, hierarchy.total() as usize));
            panels.push(LensPanel::new("hmm", PanelPosition::Below, PanelBody::Bars(hierarchy.bars(step))));
        }
        let line = match step {
            0 => 0,
            _ if step <= self.rounds => 7,
            _ => 15,
        };
        LensFrame {
            panels,
            sentences: self.sentences(step),
            counts,
            line: Some(line),
            outcome: (step == self.len()).then(|| LensOutcome::Distance(self.minima(step).0[0].into())),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        self.build_questions(step, turn)
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

/// Returns all columns of the matrix of the slice `slice` of the text.
fn fill(texts: &LensTexts, slice: Range<usize>) -> Vec<Vec<u32>> {
    let m = texts.a.len();
    let mut columns: Vec<Vec<u32>> = vec![(0..=m as u32).collect()];
    for j in slice {
        let mut column = vec![0; m + 1];
        let before = columns.last().map_or(&[][..], Vec::as_slice);
        for i in 1..=m {
            let replaced = before[i - 1] + u32::from(!texts.equal(i - 1, j));
            column[i] = replaced.min(before[i] + 1).min(column[i - 1] + 1);
        }
        columns.push(column);
    }
    columns
}

#[cfg(test)]
mod tests {
    use kernels::methods::approximate_search::slices::slices;

    use super::super::LensName;
    use super::super::tests::{Case, cases};
    use super::*;

    fn settings(blocks: usize) -> LensSettings {
        LensSettings::defaults(LensName::Slices).with("D", &blocks.to_string()).unwrap()
    }

    #[test]
    fn cells_and_minima_agree_with_the_method() {
        for case in cases(16, 60) {
            for blocks in 1..=8 {
                let lens = SlicesLens::new(&case.texts(), &settings(blocks));
                let mut ticks = 0;
                let found = slices(&case.a, &case.b, blocks, &mut |cells| {
                    ticks += cells;
                    Ok(())
                });
                let found = found.unwrap();
                assert_eq!(lens.minima(lens.rounds).0, found.minima);
                let cells = lens.frame(lens.len()).counts[0];
                assert_eq!((cells.now, cells.total), (ticks, Some(ticks)));
            }
        }
    }

    #[test]
    fn cells_of_equal_slices_agree_with_the_formula() {
        // The formula is m(n + 2m(D − 1)).
        let case = Case::new("read", "the_words_we_write_are_the_world_we_read");
        let lens = SlicesLens::new(&case.texts(), &settings(4));
        let (m, n) = (4, 40);
        assert_eq!(lens.frame(lens.len()).counts[0].total, Some(m * (n + 2 * m * 3)));
        assert_eq!(lens.rounds, 19);
        assert_eq!(lens.frame(lens.len()).outcome, Some(LensOutcome::Distance(0)));
    }

    #[test]
    fn each_cell_is_filled_once_by_its_thread_from_stored_values() {
        for case in cases(16, 60).into_iter().filter(|case| !case.a.is_empty() && !case.b.is_empty()) {
            let lens = SlicesLens::new(&case.texts(), &settings(3));
            let (m, block) = (case.a.len(), &lens.blocks[lens.shown]);
            let mut filled = vec![0; (m + 1) * block.columns.len()];
            for step in 1..=lens.rounds {
                let before = lens.grid(step - 1);
                let grid = lens.grid(step);
                for (at, cell) in grid.cells.iter().enumerate().filter(|(_, cell)| cell.marks.has(LensMark::New)) {
                    filled[at] += 1;
                    let (i, j) = (at / grid.columns.len(), at % grid.columns.len());
                    let ShownValue::Number(value) = cell.value else { panic!("expected a value") };
                    if i == 0 || j == 0 {
                        assert_eq!(value as usize, i);
                        continue;
                    }
                    let input = |i: usize, j: usize| {
                        let input = before.cell(i, j);
                        let is_there = input.marks.has(LensMark::Kept) || input.marks.has(LensMark::New);
                        let ShownValue::Number(value) = input.value else { panic!("cell ({i}, {j}) has no value") };
                        assert!(is_there, "({i}, {j}) is dropped before step {step}");
                        value
                    };
                    let differs = u32::from(case.a[i - 1] != case.b[block.slice.start + j - 1]);
                    assert_eq!(value, (input(i, j - 1) + 1).min(input(i - 1, j) + 1).min(input(i - 1, j - 1) + differs));
                }
            }
            // All cells except those filled before the first round.
            let given = [(0, 0), (0, 1), (1, 0)].map(|(i, j)| i * block.columns.len() + j);
            assert!(filled.iter().enumerate().all(|(at, times)| *times == usize::from(!given.contains(&at))), "{filled:?}");
        }
    }
}
