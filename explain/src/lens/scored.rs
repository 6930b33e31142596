//! The lenses of scores: Needleman and Wunsch (1970), Smith and Waterman (1981), and Gotoh (1982). They fill the matrix of
//! `sequence-alignment` row by row, then go the way back, a column of the alignment each step.
//!
//! [`matrix`](crate::matrix) has the recurrences. If the opening of a gap costs points, each cell has a value in three
//! layers, and a step fills all of them.

use kernels::alignment::EditKind;
use kernels::job::{AlignmentMode, Points};

use super::frame::{
    CellTape, GridLink, GridRectangle, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody,
    PanelCell, PanelGrid, PanelPosition, PanelSum, SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, input_key, line};
use crate::matrix::optimal::{self, OptimalPath};
use crate::matrix::value::CellValue;
use crate::matrix::{CellSum, DpMatrix, MatrixCell, MatrixLayer, MatrixNode};

mod questions;

/// The sentences that these lenses can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("scored.begin", &["cells"]),
    ("scored.global", &[]),
    ("filling.cell", &["i", "j", "value"]),
    ("filling.why-one", &["ways"]),
    ("scored.pair", &["a", "b", "i", "j", "points"]),
    ("scored.delete", &["a", "i", "j", "points"]),
    ("scored.insert", &["b", "i", "j", "points"]),
    ("scored.sum", &["value", "score"]),
    ("scored.end", &["score", "columns"]),
    ("question.value", &["i", "j"]),
    ("question.which-sum", &["i", "j", "value"]),
    ("question.next-cell", &["i", "j", "value"]),
];

/// The sentences of local alignments.
pub(super) const LOCAL_SAYS: &[SentenceTemplate] = &[
    ("scored.begin", &["cells"]),
    ("scored.local", &[]),
    ("filling.cell", &["i", "j", "value"]),
    ("filling.why-one", &["ways"]),
    ("scored.floor", &[]),
    ("scored.pair", &["a", "b", "i", "j", "points"]),
    ("scored.delete", &["a", "i", "j", "points"]),
    ("scored.insert", &["b", "i", "j", "points"]),
    ("scored.sum", &["value", "score"]),
    ("scored.end", &["score", "columns"]),
    ("scored.nothing", &[]),
    ("question.value", &["i", "j"]),
    ("question.which-sum", &["i", "j", "value"]),
    ("question.next-cell", &["i", "j", "value"]),
    ("question.best-end", &[]),
];

/// The sentences of matrices of three layers.
pub(super) const LAYER_SAYS: &[SentenceTemplate] = &[
    ("scored.begin", &["cells"]),
    ("scored.layers", &[]),
    ("scored.cells", &["i", "j", "pair", "delete", "insert"]),
    ("scored.gap", &["open", "extend"]),
    ("scored.pair", &["a", "b", "i", "j", "points"]),
    ("scored.delete", &["a", "i", "j", "points"]),
    ("scored.insert", &["b", "i", "j", "points"]),
    ("scored.from-m", &[]),
    ("scored.from-d", &[]),
    ("scored.from-i", &[]),
    ("scored.end", &["score", "columns"]),
    ("scored.nothing", &[]),
    ("question.value-m", &["i", "j"]),
    ("question.value-d", &["i", "j"]),
    ("question.value-i", &["i", "j"]),
    ("question.layer-m", &["i", "j"]),
    ("question.layer-d", &["i", "j"]),
    ("question.layer-i", &["i", "j"]),
    ("question.from-layer", &["i", "j"]),
];

const GLOBAL: &[CodeLine] = &[
    line("", "S[0, 0] = 0; S[i, 0] = −g i; S[0, j] = −g j"),
    line("", "for i = 1 to m"),
    line("", "  for j = 1 to n"),
    line("", "    S[i, j] = max(S[i−1, j−1] + s(a[i], b[j]),"),
    line("", "                  S[i−1, j] − g, S[i, j−1] − g)"),
    line("", "i = m; j = n"),
    line("", "while i > 0 or j > 0"),
    line("", "  go to a cell whose sum is S[i, j]"),
];

const LOCAL: &[CodeLine] = &[
    line("", "H[i, 0] = H[0, j] = 0"),
    line("", "for i = 1 to m"),
    line("", "  for j = 1 to n"),
    line("", "    H[i, j] = max(0, H[i−1, j−1] + s(a[i], b[j]),"),
    line("", "                  H[i−1, j] − g, H[i, j−1] − g)"),
    line("", "i, j = a cell with the greatest H[i, j]"),
    line("", "while H[i, j] > 0"),
    line("", "  go to a cell whose sum is H[i, j]"),
];

const LAYERS: &[CodeLine] = &[
    line("", "M[0, 0] = 0"),
    line("", "for i = 0 to m"),
    line("", "  for j = 0 to n"),
    line("", "    M[i, j] = max(M, D, I)[i−1, j−1] + s(a[i], b[j])"),
    line("", "    D[i, j] = max(M − o, I − o, D)[i−1, j] − g"),
    line("", "    I[i, j] = max(M − o, D − o, I)[i, j−1] − g"),
    line("", "i = m; j = n; L = the best layer"),
    line("", "go to a layer and cell whose sum is L[i, j]"),
];

pub(super) struct ScoredLens {
    matrix: DpMatrix,
    /// The alignment that the engines show.
    path: OptimalPath,
}

impl ScoredLens {
    /// Creates the lens, or returns `None` if a number of the scoring is out of its range.
    pub(super) fn new(texts: &LensTexts) -> Option<Self> {
        let letter = |number: u32| texts.letters.get(&number).copied().unwrap_or('\0');
        let matrix = DpMatrix::with_scoring(texts.scoring.clone(), texts.symbol_match, texts.a.clone(), texts.b.clone(), letter).ok()?;
        let path = optimal::first(&matrix)?;
        Some(Self { matrix, path })
    }

    fn has_layers(&self) -> bool {
        self.matrix.layers().len() > 1
    }

    /// Returns the number of steps that fill the matrix.
    fn cells(&self) -> usize {
        let MatrixCell { i: m, j: n } = self.matrix.last();
        m * n
    }

    /// Returns the cell that step number `step` fills, or `None` on the way back.
    fn filled(&self, step: usize) -> Option<MatrixCell> {
        let columns = self.matrix.last().j;
        let at = step.checked_sub(1).filter(|at| *at < self.cells())?;
        Some(MatrixCell { i: 1 + at / columns, j: 1 + at % columns })
    }

    /// Returns the number of columns of the alignment that `step` steps have found.
    fn columns(&self, step: usize) -> usize {
        step.saturating_sub(self.cells())
    }

    /// Returns the node at the end of the path without its last `columns` columns.
    fn node(&self, columns: usize) -> MatrixNode {
        self.path.nodes().rev().nth(columns).unwrap_or_default()
    }

    fn edit(&self, column: usize) -> EditKind {
        self.path.edits[self.path.edits.len() - column]
    }

    fn score(&self) -> Points {
        number(self.matrix.value(self.node(0)))
    }

    /// Returns the sum by which the way back leaves the node before column number `column` from the end, from 1.
    fn taken(&self, column: usize) -> Option<CellSum> {
        let (from, to) = (self.node(column - 1), self.node(column));
        self.matrix.sums(from).find(|sum| sum.wins && sum.origin() == to)
    }

    fn grid(&self, layer: MatrixLayer, step: usize) -> PanelGrid {
        let MatrixCell { i: m, j: n } = self.matrix.last();
        let mut grid = PanelGrid::of_texts(m, n);
        let now = self.filled(step);
        let is_filled = |cell: MatrixCell| cell.i == 0 || cell.j == 0 || (cell.i - 1) * n + cell.j <= step;
        for cell in self.matrix.cells() {
            let value = self.matrix.value(layer.at(cell));
            *grid.cell_mut(cell.i, cell.j) = match value.number() {
                _ if !is_filled(cell) => PanelCell::default().with_mark(LensMark::Ahead),
                None => PanelCell::new(ShownValue::Unreachable),
                Some(number) => PanelCell::signed(number).with_mark(if now == Some(cell) { LensMark::New } else { LensMark::Kept }),
            };
        }
        if let Some(cell) = now {
            grid.rows[cell.i].add(LensMark::Read);
            grid.columns[cell.j].add(LensMark::Read);
            let read = self.matrix.layers().iter().flat_map(|to| self.matrix.sums(to.at(cell)));
            read.filter(|sum| sum.layer == layer).for_each(|sum| grid.cell_mut(sum.from.i, sum.from.j).add(LensMark::Read));
        }
        if now.is_some() || step < self.cells() {
            return grid;
        }
        let columns = self.columns(step);
        let nodes: Vec<MatrixNode> = self.path.nodes().rev().take(columns + 1).collect();
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.layer == layer) {
            let cell = grid.cell_mut(node.cell.i, node.cell.j);
            cell.add(LensMark::Path);
            if at == columns {
                cell.add(LensMark::New);
            }
        }
        for (column, two) in nodes.windows(2).enumerate().filter(|(_, two)| two.iter().all(|node| node.layer == layer)) {
            let place = |node: MatrixNode| (node.cell.i, node.cell.j);
            grid.links.push(GridLink { from: place(two[0]), to: place(two[1]), mark: mark(self.edit(column + 1)) });
        }
        if let (true, [end, .., start]) = (self.matrix.is_local() && columns == self.path.edits.len(), &nodes[..]) {
            let (rows, columns) = (start.cell.i + 1..end.cell.i + 1, start.cell.j + 1..end.cell.j + 1);
            grid.rectangles.push(GridRectangle { rows, columns, mark: LensMark::Found, depth: 0 });
        }
        grid
    }

    /// Returns the sums of `node` for display. The sum that leads to `taken` is marked as chosen, or else the first one
    /// that gives the value. Sums of −∞ are left out.
    fn sums(&self, node: MatrixNode, taken: Option<MatrixNode>) -> Vec<PanelSum> {
        let has_layers = self.has_layers();
        let mut is_taken = taken.is_some();
        let of = |sum: CellSum| {
            let mark = match sum.wins {
                false => None,
                true if taken.is_some_and(|taken| taken == sum.origin()) || !std::mem::replace(&mut is_taken, true) => {
                    Some(LensMark::Chosen)
                }
                true => Some(LensMark::Also),
            };
            let key = if has_layers { layer_key(sum.layer) } else { input_key(sum.input) };
            Some(PanelSum { key, from: (sum.from.i, sum.from.j), value: sum.value.number()?, adds: sum.adds, mark })
        };
        let mut sums: Vec<PanelSum> = self.matrix.sums(node).filter_map(of).collect();
        if self.matrix.is_local() && node.layer == MatrixLayer::Main {
            let wins = self.matrix.is_beginning(node);
            let mark =
                if wins && sums.iter().all(|sum| sum.mark.is_none()) { Some(LensMark::Chosen) } else { wins.then_some(LensMark::Also) };
            sums.push(PanelSum { key: "input.start", from: (node.cell.i, node.cell.j), value: Points::ZERO, adds: Points::ZERO, mark });
        }
        sums
    }

    /// Returns the panel of sums of `layer` after `step` steps.
    fn sums_panel(&self, layer: MatrixLayer, step: usize) -> Vec<PanelSum> {
        match self.filled(step) {
            Some(cell) => self.sums(layer.at(cell), None),
            None if step == 0 && self.cells() > 0 => Vec::new(),
            None => {
                let columns = self.columns(step);
                let node = self.node(columns.saturating_sub(1));
                let taken = (columns > 0).then(|| self.node(columns));
                if node.layer == layer { self.sums(node, taken) } else { Vec::new() }
            }
        }
    }

    /// Returns the rows of the alignment after `step` steps. It grows from right to left.
    fn alignment(&self, step: usize) -> TapeTable {
        let (columns, all) = (self.columns(step), self.path.edits.len());
        let cells = |of: &dyn Fn(MatrixCell, EditKind) -> ShownValue| -> Vec<PanelCell> {
            let shown = |column: usize| {
                let (edit, cell) = (self.edit(column), self.node(column - 1).cell);
                PanelCell::new(of(cell, edit)).with_mark(mark(edit)).mark_if(column == columns, LensMark::New)
            };
            (1..=columns).rev().map(shown).collect()
        };
        let above = cells(&|cell, edit| if edit == EditKind::Insert { ShownValue::Gap } else { ShownValue::A(cell.i - 1) });
        let below = cells(&|cell, edit| if edit == EditKind::Delete { ShownValue::Gap } else { ShownValue::B(cell.j - 1) });
        let tape = |label, cells| CellTape { label: LensLabel::code(label), offset: all - columns, cells, ..CellTape::default() };
        TapeTable { columns: all, tapes: vec![tape("a", above), tape("b", below)], ..TapeTable::default() }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let count = SentenceValue::number;
        let score = ("score", SentenceValue::signed(self.score()));
        let (columns, all) = (self.columns(step), self.path.edits.len());
        let place = |MatrixCell { i, j }: MatrixCell| [("i", count(i)), ("j", count(j))];
        let happens = match self.filled(step) {
            _ if step == 0 => LensSentence::new("scored.begin", [("cells", count(self.cells() * self.matrix.layers().len()))]),
            Some(cell) if self.has_layers() => {
                let value = |layer: MatrixLayer| SentenceValue::signed(number(self.matrix.value(layer.at(cell))));
                let [pair, delete, insert] = MatrixLayer::ALL.map(value);
                LensSentence::new(
                    "scored.cells",
                    [place(cell).as_slice(), &[("pair", pair), ("delete", delete), ("insert", insert)]].concat(),
                )
            }
            Some(cell) => {
                let value = ("value", SentenceValue::signed(number(self.matrix.value(cell))));
                LensSentence::new("filling.cell", [place(cell).as_slice(), &[value]].concat())
            }
            None => {
                let (from, to) = (self.node(columns - 1).cell, self.node(columns).cell);
                let points = ("points", SentenceValue::signed(self.taken(columns).map_or(Points::ZERO, |sum| sum.adds)));
                let (a, b) = (|| ("a", SentenceValue::a(from.i - 1)), || ("b", SentenceValue::b(from.j - 1)));
                let (key, symbols) = match self.edit(columns) {
                    EditKind::Equal | EditKind::Substitute | EditKind::Transpose => ("scored.pair", vec![a(), b()]),
                    EditKind::Insert => ("scored.insert", vec![b()]),
                    EditKind::Delete => ("scored.delete", vec![a()]),
                };
                LensSentence::new(key, [symbols.as_slice(), &place(to), &[points]].concat())
            }
        };
        let why = match self.filled(step) {
            _ if step == self.len() && all == 0 && step > 0 && self.matrix.is_local() => LensSentence::new("scored.nothing", []),
            _ if step == self.len() && step > 0 => LensSentence::new("scored.end", [score, ("columns", count(all))]),
            _ if step == 0 && self.has_layers() => LensSentence::new("scored.layers", []),
            _ if step == 0 && self.matrix.is_local() => LensSentence::new("scored.local", []),
            _ if step == 0 => LensSentence::new("scored.global", []),
            Some(_) if self.has_layers() => {
                let gap = self.matrix.scoring().map(|scoring| scoring.numbers().gap).unwrap_or_default();
                let points = |cost: Points| SentenceValue::signed(-cost);
                LensSentence::new("scored.gap", [("open", points(gap.open)), ("extend", points(gap.extend))])
            }
            Some(cell) => match self.matrix.sums(cell).filter(|sum| sum.wins).count() {
                0 => LensSentence::new("scored.floor", []),
                ways => LensSentence::new("filling.why-one", [("ways", count(ways))]),
            },
            None if self.has_layers() => LensSentence::new(from_key(self.node(columns).layer), []),
            None => {
                let value = ("value", SentenceValue::signed(number(self.matrix.value(self.node(columns)))));
                LensSentence::new("scored.sum", [value, score])
            }
        };
        vec![happens, why]
    }

    fn outcome(&self) -> LensOutcome {
        let (start, end) = (self.node(self.path.edits.len()).cell, self.node(0).cell);
        LensOutcome::Scored { score: self.score(), a: start.i..end.i, b: start.j..end.j, edits: self.path.edits.clone() }
    }
}

impl Lens for ScoredLens {
    fn len(&self) -> usize {
        self.cells() + self.path.edits.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let (all, step) = (self.len(), step.min(self.len()));
        let layers = self.matrix.layers();
        let grid = |layer: &MatrixLayer| {
            let title = if layers.len() > 1 { grid_key(*layer) } else { "matrix" };
            LensPanel::new(title, PanelPosition::Main, PanelBody::Grid(self.grid(*layer, step)))
        };
        let sums = |layer: &MatrixLayer| {
            let title = if layers.len() > 1 { sums_key(*layer) } else { "which-sum" };
            LensPanel::new(title, PanelPosition::Side, PanelBody::Sums(self.sums_panel(*layer, step)))
        };
        let mut panels: Vec<LensPanel> = layers.iter().map(grid).chain(layers.iter().map(sums)).collect();
        panels.push(LensPanel::new("alignment-backwards", PanelPosition::Below, PanelBody::Tapes(self.alignment(step))));
        let (cells, columns) = (self.cells() * layers.len(), self.path.edits.len());
        LensFrame {
            panels,
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("cells-computed", step.min(self.cells()) * layers.len(), cells),
                LensCount::new("columns-found", self.columns(step), columns),
            ],
            line: Some(match step {
                0 => 0,
                _ if self.filled(step).is_some() => {
                    if layers.len() > 1 {
                        5
                    } else {
                        4
                    }
                }
                _ => 7,
            }),
            outcome: (step == all).then(|| self.outcome()),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        if step >= self.len() {
            return Vec::new();
        }
        match self.filled(step + 1) {
            Some(cell) => self.fill_questions(cell, turn),
            None if self.columns(step) == 0 && self.matrix.is_local() => self.end_question().into_iter().collect(),
            None => self.back_questions(self.columns(step)),
        }
    }

    fn code(&self) -> &'static [CodeLine] {
        match self.matrix.scoring().map(|scoring| scoring.mode).unwrap_or_default() {
            _ if self.has_layers() => LAYERS,
            AlignmentMode::Local => LOCAL,
            AlignmentMode::Global | AlignmentMode::SemiGlobal => GLOBAL,
        }
    }
}

/// Returns a value that is not −∞.
fn number(value: CellValue) -> Points {
    value.number().unwrap_or_default()
}

fn layer_key(layer: MatrixLayer) -> &'static str {
    match layer {
        MatrixLayer::Main => "layer.m",
        MatrixLayer::Deletions => "layer.d",
        MatrixLayer::Insertions => "layer.i",
    }
}

fn grid_key(layer: MatrixLayer) -> &'static str {
    match layer {
        MatrixLayer::Main => "layer-m",
        MatrixLayer::Deletions => "layer-d",
        MatrixLayer::Insertions => "layer-i",
    }
}

fn sums_key(layer: MatrixLayer) -> &'static str {
    match layer {
        MatrixLayer::Main => "sums-m",
        MatrixLayer::Deletions => "sums-d",
        MatrixLayer::Insertions => "sums-i",
    }
}

fn from_key(layer: MatrixLayer) -> &'static str {
    match layer {
        MatrixLayer::Main => "scored.from-m",
        MatrixLayer::Deletions => "scored.from-d",
        MatrixLayer::Insertions => "scored.from-i",
    }
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
mod tests;
