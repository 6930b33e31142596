//! The lens of optimal string alignment (OSA): the matrix with a fourth sum, for two neighbouring symbols that are
//! swapped. A step fills one cell. The last step compares the distance with that of the general problem, in which the
//! two symbols of a swap may have symbols between them.
//!
//! ```text
//! D[i, j] = min(D[i−1, j−1] + substitute where a[i] ≠ b[j], D[i−1, j] + delete, D[i, j−1] + insert,
//!               D[i−2, j−2] + transpose where a[i−1] a[i] = b[j] b[j−1])
//! E[i, j] = the same sums of E, and for the last k < i with a[k] = b[j] and the last l < j with b[l] = a[i]:
//!               E[k−1, l−1] + delete · (i − k − 1) + transpose + insert · (j − l − 1)
//! ```
//!
//! E has the recurrence of Lowrance and Wagner (1975). OSA does not allow its additional edits, because they edit a
//! piece of the text twice.

use kernels::job::{EditCosts, Task};

use super::filling::FillingLens;
use super::frame::{
    CellTape, LensCount, LensFrame, LensLabel, LensMark, LensPanel, LensSentence, PanelBody, PanelCell, PanelPosition, SentenceValue,
    ShownValue, TapeArrow, TapeTable,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};
use crate::matrix::MatrixCell;
use crate::matrix::order::FillOrder;

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("osa.begin", &["cells"]),
    ("osa.rule", &[]),
    ("osa.swap", &["a", "b", "i", "j"]),
    ("osa.end", &["value"]),
    ("osa.apart", &["a", "b", "less"]),
    ("osa.same", &["value"]),
    ("filling.cell", &["i", "j", "value"]),
    ("filling.why-one", &["ways"]),
    ("question.value", &["i", "j"]),
    ("question.inputs", &["i", "j", "value"]),
    ("question.next-filled", &[]),
    ("question.osa-apart", &["value"]),
];

const CODE: &[CodeLine] = &[
    line("", "for i = 1 to m"),
    line("", "  for j = 1 to n"),
    line("", "    D[i, j] = min(D[i−1, j−1] + sub(a[i], b[j]),"),
    line("", "                  D[i−1, j] + del, D[i, j−1] + ins)"),
    line("", "    if a[i−1] = b[j] and a[i] = b[j−1]"),
    line("", "      D[i, j] = min(D[i, j], D[i−2, j−2] + swap)"),
];

/// A swap of two symbols with symbols between them, as half-open ranges of both texts. The first symbol of each range
/// equals the last one of the other range.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WideSwap {
    a: std::ops::Range<usize>,
    b: std::ops::Range<usize>,
}

pub(super) struct OsaLens {
    filling: FillingLens,
    /// The least sum of costs of the general problem.
    least: u32,
    /// A swap that makes `least` less than the distance.
    swap: Option<WideSwap>,
}

impl OsaLens {
    pub(super) fn new(texts: &LensTexts) -> Self {
        let filling = FillingLens::new(FillOrder::Row, Task::EditDistance, texts);
        let (least, swap) = general(texts);
        let is_less = least < filling.matrix.value(filling.matrix.last()).count();
        Self { filling, least, swap: swap.filter(|_| is_less) }
    }

    fn value(&self) -> u32 {
        self.filling.matrix.value(self.filling.matrix.last()).count()
    }

    /// Returns whether step number `step` fills a cell with a fourth sum.
    fn swapped(&self, step: usize) -> Option<MatrixCell> {
        self.filling.only(step).filter(|cell| self.filling.matrix.is_exchanged(*cell))
    }

    /// Returns the two pieces of the swap with arrows between the swapped symbols.
    fn pieces(&self, swap: &WideSwap) -> TapeTable {
        let cells = |range: &std::ops::Range<usize>, of: fn(usize) -> ShownValue, between: LensMark| -> Vec<PanelCell> {
            let is_swapped = |at: usize| at == range.start || at + 1 == range.end;
            range.clone().map(|at| PanelCell::new(of(at)).with_mark(if is_swapped(at) { LensMark::Substituted } else { between })).collect()
        };
        let tape = |label, cells| CellTape { label: LensLabel::code(label), cells, ..CellTape::default() };
        let (a, b) = (cells(&swap.a, ShownValue::A, LensMark::Deleted), cells(&swap.b, ShownValue::B, LensMark::Inserted));
        let arrow = |from, to| TapeArrow { from: (0, from), to: (1, to), note: None };
        let arrows = vec![arrow(0, b.len() - 1), arrow(a.len() - 1, 0)];
        let columns = a.len().max(b.len());
        TapeTable { columns, tapes: vec![CellTape { has_arrows: true, ..tape("a", a) }, tape("b", b)], arrows, ..TapeTable::default() }
    }

    fn sentences(&self, step: usize, of_filling: Vec<LensSentence>) -> Vec<LensSentence> {
        let number = SentenceValue::number;
        let cells = self.filling.len();
        let value = ("value", SentenceValue::Number(self.value().into()));
        if step == 0 {
            return vec![LensSentence::new("osa.begin", [("cells", number(cells))]), LensSentence::new("osa.rule", [])];
        }
        if step > cells {
            let why = match &self.swap {
                Some(WideSwap { a, b }) => {
                    let less = ("less", SentenceValue::Number(self.least.into()));
                    LensSentence::new("osa.apart", [("a", SentenceValue::A(a.clone())), ("b", SentenceValue::B(b.clone())), less])
                }
                None => LensSentence::new("osa.same", [value.clone()]),
            };
            return vec![LensSentence::new("osa.end", [value]), why];
        }
        let Some(cell @ MatrixCell { i, j }) = self.filling.only(step) else { return of_filling };
        let why = match self.swapped(step) {
            Some(_) => {
                let (a, b) = (SentenceValue::A(i - 2..i), SentenceValue::B(j - 2..j));
                LensSentence::new("osa.swap", [("a", a), ("b", b), ("i", number(i - 2)), ("j", number(j - 2))])
            }
            None => LensSentence::new("filling.why-one", [("ways", number(self.filling.matrix.sums(cell).filter(|sum| sum.wins).count()))]),
        };
        of_filling.into_iter().take(1).chain([why]).collect()
    }
}

impl Lens for OsaLens {
    fn len(&self) -> usize {
        self.filling.len() + 1
    }

    fn frame(&self, step: usize) -> LensFrame {
        let (cells, step) = (self.filling.len(), step.min(self.len()));
        let is_last = step > cells;
        let mut frame = self.filling.frame(step);
        frame.sentences = self.sentences(step, frame.sentences);
        if is_last {
            // The last cell keeps its value, but is not new.
            frame.panels.truncate(1);
            if let Some(LensPanel { body: PanelBody::Grid(grid), .. }) = frame.panels.first_mut() {
                let MatrixCell { i, j } = self.filling.matrix.last();
                *grid = self.filling.grid(0);
                for cell in self.filling.matrix.cells() {
                    *grid.cell_mut(cell.i, cell.j) = PanelCell::number(self.filling.matrix.value(cell).count()).with_mark(LensMark::Kept);
                }
                grid.cell_mut(i, j).add(LensMark::Path);
            }
            let pieces = self.swap.iter().map(|swap| self.pieces(swap));
            frame.panels.extend(pieces.map(|pieces| LensPanel::new("swap-apart", PanelPosition::Side, PanelBody::Tapes(pieces))));
        }
        let swaps = |step: usize| (1..=step.min(cells)).filter(|step| self.swapped(*step).is_some()).count();
        frame.counts.truncate(2);
        frame.counts.push(LensCount::new("swaps-found", swaps(step), swaps(cells)));
        frame.line = Some(match step {
            0 => 0,
            _ if is_last => 0,
            _ if self.swapped(step).is_some() => 5,
            _ => 3,
        });
        frame.outcome = is_last.then(|| self.filling.outcome());
        frame
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        if step != self.filling.len() {
            return self.filling.questions(step, turn);
        }
        let value = self.value();
        let says = LensSentence::new("question.osa-apart", [("value", SentenceValue::Number(value.into()))]);
        vec![LensQuestion::number(QuestionKind::Value, says, self.least.into(), &[value.into()])]
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

/// Returns the least sum of costs if the two symbols of a swap may have symbols between them, and such a swap of an
/// optimal solution. Takes O(|a||b|) time.
fn general(LensTexts { a, b, costs, .. }: &LensTexts) -> (u32, Option<WideSwap>) {
    let EditCosts { substitute, insert, delete, transpose } = *costs;
    let (m, n) = (a.len(), b.len());
    // The value of each cell, and the swap that gives it.
    let mut cells: Vec<Vec<(u32, Option<WideSwap>)>> = vec![vec![(0, None); n + 1]; m + 1];
    for i in 0..=m {
        for j in 0..=n {
            let sums = [
                (i > 0).then(|| cells[i - 1][j].0 + delete),
                (j > 0).then(|| cells[i][j - 1].0 + insert),
                (i > 0 && j > 0).then(|| cells[i - 1][j - 1].0 + substitute * u32::from(a[i - 1] != b[j - 1])),
            ];
            let best = (sums.into_iter().flatten().min().unwrap_or(0), None);
            let swap = || {
                let (x, y) = (*a.get(i.checked_sub(1)?)?, *b.get(j.checked_sub(1)?)?);
                let k = a[..i - 1].iter().rposition(|symbol| *symbol == y && x != y)?;
                let l = b[..j - 1].iter().rposition(|symbol| *symbol == x)?;
                let between = delete * (i - k - 2) as u32 + insert * (j - l - 2) as u32;
                Some((cells[k][l].0 + between + transpose?, Some(WideSwap { a: k..i, b: l..j })))
            };
            cells[i][j] = swap().filter(|(sum, _)| *sum < best.0).unwrap_or(best);
        }
    }
    let least = cells[m][n].0;
    // The way back, until a swap has symbols between its two symbols.
    let (mut i, mut j) = (m, n);
    while i > 0 || j > 0 {
        let (value, swap) = &cells[i][j];
        (i, j) = match swap {
            Some(swap) if swap.a.len() + swap.b.len() > 4 => return (least, Some(swap.clone())),
            Some(swap) => (swap.a.start, swap.b.start),
            None if i > 0 && j > 0 && cells[i - 1][j - 1].0 + substitute * u32::from(a[i - 1] != b[j - 1]) == *value => (i - 1, j - 1),
            None if i > 0 && cells[i - 1][j].0 + delete == *value => (i - 1, j),
            None => (i, j - 1),
        };
    }
    (least, None)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, VecDeque};

    use super::super::tests::{Case, cases, questions};
    use super::*;

    fn texts(a: &str, b: &str) -> LensTexts {
        LensTexts { costs: EditCosts::OSA, ..LensTexts::from_strs(a, b) }
    }

    #[test]
    fn insertion_between_swapped_symbols_is_shown_in_the_last_step() {
        let lens = OsaLens::new(&texts("CA", "ABC"));
        assert_eq!((lens.value(), lens.least, lens.swap.clone()), (3, 2, Some(WideSwap { a: 0..2, b: 0..3 })));
        let frame = lens.frame(lens.len());
        assert_eq!(frame.sentences[1].key, "osa.apart");
        let PanelBody::Tapes(pieces) = &frame.panels[1].body else { panic!("expected rows of cells") };
        assert_eq!(pieces.arrows.iter().map(|arrow| (arrow.from.1, arrow.to.1)).collect::<Vec<_>>(), [(0, 2), (1, 0)]);
        assert!(pieces.tapes[1].cells[1].marks.has(LensMark::Inserted));
        let friends = OsaLens::new(&texts("freind", "friends"));
        assert_eq!((friends.value(), friends.least, friends.swap.as_ref()), (2, 2, None));
        assert_eq!(friends.frame(friends.len()).sentences[1].key, "osa.same");
    }

    #[test]
    fn fourth_sum_is_shown_where_two_symbols_are_swapped() {
        let lens = OsaLens::new(&texts("freind", "friends"));
        let step = (1..lens.len()).find(|step| lens.swapped(*step).is_some()).unwrap();
        let frame = lens.frame(step);
        let PanelBody::Sums(sums) = &frame.panels[1].body else { panic!("expected sums") };
        assert_eq!(
            sums.iter().map(|sum| (sum.key, sum.total().to_string())).collect::<Vec<_>>(),
            [("input.corner", 2), ("input.above", 2), ("input.left", 2), ("input.two-back", 1)].map(|(key, sum)| (key, sum.to_string()))
        );
        assert_eq!((frame.sentences[1].key, frame.line), ("osa.swap", Some(5)));
    }

    /// Returns the least number of edits of the whole text, with swaps of neighbours, by a search over all texts of up
    /// to five symbols.
    fn least_edits(from: &[u8], to: &[u8]) -> u32 {
        let (mut edits, mut queue) = (HashMap::from([(from.to_vec(), 0)]), VecDeque::from([from.to_vec()]));
        while let Some(text) = queue.pop_front() {
            let next = edits[&text] + 1;
            let mut others = Vec::new();
            for at in 0..=text.len() {
                let (before, after) = text.split_at(at);
                let letters = b"abc".iter().filter(|_| text.len() < 5);
                others.extend(letters.map(|letter| [before, &[*letter], after].concat()));
                if let Some((first, rest)) = after.split_first() {
                    others.push([before, rest].concat());
                    others.extend(b"abc".iter().map(|letter| [before, &[*letter], rest].concat()));
                    if let Some((second, rest)) = rest.split_first() {
                        others.push([before, &[*second, *first], rest].concat());
                    }
                }
            }
            for other in others {
                edits.entry(other.clone()).or_insert_with(|| {
                    queue.push_back(other);
                    next
                });
            }
        }
        edits[to]
    }

    #[test]
    fn general_distance_is_the_least_number_of_edits() {
        let mut rng = fastrand::Rng::with_seed(75);
        let mut text = || (0..rng.usize(0..=4)).map(|_| rng.u8(b'a'..=b'c')).collect::<Vec<_>>();
        let random = std::iter::repeat_with(|| Case::new(text(), text())).take(60);
        let fixed = [("ca", "abc"), ("acb", "ba"), ("abc", "ca"), ("abca", "cba")].map(|(a, b)| Case::new(a, b));
        let mut differs = 0;
        for case in fixed.into_iter().chain(random) {
            let lens = OsaLens::new(&LensTexts { costs: EditCosts::OSA, ..case.texts() });
            assert_eq!(lens.least, least_edits(&case.a, &case.b), "{:?} {:?}", case.a, case.b);
            differs += u32::from(lens.swap.is_some());
        }
        assert!(differs > 0);
    }

    #[test]
    fn question_of_the_last_step_asks_for_the_general_distance() {
        for case in cases(6, 6).into_iter().take(40) {
            let lens = OsaLens::new(&LensTexts { costs: EditCosts::OSA, ..case.texts() });
            let all = questions(&lens, lens.len() - 1);
            assert!(all.iter().all(|one| one.prompt.key == "question.osa-apart" && one.is_right(&one.expected)), "{all:?}");
            assert!(lens.least <= lens.value() && (lens.least < lens.value()) == lens.swap.is_some());
        }
    }
}
