//! The lens of bit-parallel algorithms. A column of the matrix is held as bit vectors, with one bit for each row, in
//! words of `w` bits. Carries pass from word to word. A step computes one word of a column.
//!
//! - longest common subsequence: Listing 3 of paper 001, line 13. A zero of `V` marks a row in which the length rises.
//! - distance and search: Myers 1999 in the form of Hyyrö. `VP` and `VN` mark the rows in which the column rises and
//!   falls downwards.
//!
//! Bits are drawn from the lowest one on, which is the first row, so that carries run to the right. An addition over
//! several words is one addition; a shift passes the highest bit of each word to the next.

use kernels::job::Task;

use super::frame::{
    CellTape, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelPosition,
    SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionTurn};
use super::settings::{LensParameter, LensSettings};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, filled, line};
use crate::matrix::{DpMatrix, MatrixCell};

mod questions;

/// The parameter of this lens: the number of bits of a word.
pub(super) const PARAMETERS: &[LensParameter] = &[LensParameter::number("w", 2, 32, 4)];

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("bit-vectors.begin", &["m", "words", "w"]),
    ("bit-vectors.word", &["b", "j", "word", "words", "from", "to"]),
    ("bit-vectors.carry", &["next"]),
    ("bit-vectors.no-carry", &["word"]),
    ("bit-vectors.column", &["j", "value"]),
    ("bit-vectors.end", &["value", "words", "cells"]),
    ("bit-vectors.why", &["w"]),
    ("question.carry", &["word", "j", "b"]),
    ("question.value", &["i", "j"]),
    ("question.carry-in", &["word", "j", "b"]),
    ("question.first-row", &["w"]),
    ("question.words", &["m", "w"]),
];

const COMMON: &[CodeLine] = &[
    line("5", "for (c=0 to 255)"),
    line("6", "  for (i=0 to m-1)"),
    line("7", "    if (c==A[i]) PM[c][i] = 1"),
    line("10", "    else PM[c][i] = 0"),
    line("11", "for (i=0 to m-1) V[i] = 1"),
    line("12", "for (j=1 to n)"),
    line("13", "  V = (V + (V & PM[B[j]])) | (V & ~(PM[B[j]]))"),
    line("16", "L[0] = 0"),
    line("17", "for (i=1 to m)"),
    line("18", "  L[i] = L[i-1] + (1 - V[i-1])"),
];

const DISTANCE: &[CodeLine] = &[
    line("", "VP = 1^m; VN = 0"),
    line("", "for j = 1 to n"),
    line("", "  D0 = (((EQ[b_j] & VP) + VP) ^ VP) | EQ[b_j] | VN"),
    line("", "  HP = VN | ~(D0 | VP)"),
    line("", "  HN = D0 & VP"),
    line("", "  VP = (HN << 1) | ~(D0 | (HP << 1 | 1))"),
    line("", "  VN = D0 & (HP << 1 | 1)"),
];

const SEARCH: &[CodeLine] = &[
    line("", "VP = 1^m; VN = 0"),
    line("", "for j = 1 to n"),
    line("", "  D0 = (((EQ[b_j] & VP) + VP) ^ VP) | EQ[b_j] | VN"),
    line("", "  HP = VN | ~(D0 | VP)"),
    line("", "  HN = D0 & VP"),
    line("", "  VP = (HN << 1) | ~(D0 | (HP << 1))"),
    line("", "  VN = D0 & (HP << 1)"),
];

/// A bit vector with one bit for each row of a column of the matrix, divided into words, with its name and the carry
/// out of each word.
struct VectorRow {
    name: &'static str,
    words: Vec<u64>,
    carries: Vec<bool>,
}

pub(super) struct BitVectorLens {
    matrix: DpMatrix,
    w: usize,
    /// For each column, the vector `EQ` (in the longest common subsequence, `PM`), divided into words. A bit is 1 if
    /// the symbol of its row equals the symbol of the column.
    equal: Vec<Vec<u64>>,
    /// For each column from 0 on, the vectors that the next column needs (`V`, or `VP` and `VN`), each divided into
    /// words.
    kept: Vec<Vec<Vec<u64>>>,
    /// For each step, whether the addition in its column has a carry out of the word that the step computes.
    carry: Vec<bool>,
    /// For each step, from step 0 on, the number of carries from a word to the next one up to this step.
    carries: Vec<usize>,
}

impl BitVectorLens {
    pub(super) fn new(task: Task, texts: &LensTexts, settings: &LensSettings) -> Self {
        let (m, w) = (texts.a.len(), settings.number("w"));
        let words = m.div_ceil(w);
        let of = |j: usize| -> Vec<u64> {
            let word = |x: usize| (x * w..m.min((x + 1) * w)).filter(|i| texts.equal(*i, j)).fold(0, |word, i| word | 1 << (i - x * w));
            (0..words).map(word).collect()
        };
        let equal = (0..texts.b.len()).map(of).collect();
        let ones = vec![(1 << w) - 1; words];
        let kept = if task == Task::Lcs { vec![ones] } else { vec![ones, vec![0; words]] };
        let mut lens = Self { matrix: filled(task, texts), w, equal, kept: vec![kept], carry: Vec::new(), carries: vec![0] };
        for j in 1..=texts.b.len() {
            let column = lens.column(j);
            if let Some(sum) = column.iter().find(|row| !row.carries.is_empty()) {
                lens.carry.extend(&sum.carries);
            }
            let last = column.len() - lens.kept[0].len();
            lens.kept.push(column.into_iter().skip(last).map(|row| row.words).collect());
        }
        for (step, carry) in lens.carry.iter().enumerate() {
            let is_inner = step % words + 1 < words;
            lens.carries.push(lens.carries[step] + usize::from(*carry && is_inner));
        }
        lens
    }

    fn size(&self) -> (usize, usize) {
        let MatrixCell { i, j } = self.matrix.last();
        (i, j)
    }

    fn words(&self) -> usize {
        self.size().0.div_ceil(self.w)
    }

    fn mask(&self) -> u64 {
        (1 << self.w) - 1
    }

    /// Returns the vectors of column `j` (from 1), in the order of their computation. The next column needs the last
    /// one (`V`) or the last two (`VP` and `VN`).
    fn column(&self, j: usize) -> Vec<VectorRow> {
        let equal = &self.equal[j - 1];
        match &self.kept[j - 1][..] {
            [v] => self.common(equal, v),
            [vp, vn] => self.distance(equal, vp, vn),
            _ => Vec::new(),
        }
    }

    fn row(&self, name: &'static str, word: impl Fn(usize) -> u64) -> VectorRow {
        VectorRow { name, words: (0..self.words()).map(|x| word(x) & self.mask()).collect(), carries: Vec::new() }
    }

    /// Returns the sum of the vectors `one` and `other`, under the name `name`, with the carry out of each word.
    fn sum(&self, name: &'static str, one: &[u64], other: &[u64]) -> VectorRow {
        let mut carry = 0;
        let mut row = VectorRow { name, words: Vec::new(), carries: Vec::new() };
        for (one, other) in one.iter().zip(other) {
            let sum = one + other + carry;
            carry = sum >> self.w;
            row.words.push(sum & self.mask());
            row.carries.push(carry == 1);
        }
        row
    }

    /// Returns the vector `of` shifted up by one bit, under the name `name`, with the bit that leaves each word as its
    /// carry. `entering` becomes the lowest bit.
    fn shifted(&self, name: &'static str, of: &[u64], entering: u64) -> VectorRow {
        let mut bit = entering;
        let mut row = VectorRow { name, words: Vec::new(), carries: Vec::new() };
        for word in of {
            row.words.push((word << 1 | bit) & self.mask());
            bit = word >> (self.w - 1) & 1;
            row.carries.push(bit == 1);
        }
        row
    }

    fn common(&self, equal: &[u64], v: &[u64]) -> Vec<VectorRow> {
        let pm = self.row("PM", |x| equal[x]);
        let both = self.row("V & PM", |x| v[x] & equal[x]);
        let sum = self.sum("V + (V & PM)", v, &both.words);
        let rest = self.row("V & ~PM", |x| v[x] & !equal[x]);
        let next = self.row("V", |x| sum.words[x] | rest.words[x]);
        vec![pm, both, sum, rest, next]
    }

    fn distance(&self, equal: &[u64], vp: &[u64], vn: &[u64]) -> Vec<VectorRow> {
        let entering = u64::from(self.matrix.task() == Task::EditDistance);
        let eq = self.row("EQ", |x| equal[x]);
        let both = self.row("EQ & VP", |x| equal[x] & vp[x]);
        let sum = self.sum("(EQ & VP) + VP", &both.words, vp);
        let d0 = self.row("D0", |x| (sum.words[x] ^ vp[x]) | equal[x] | vn[x]);
        let hp = self.row("HP", |x| vn[x] | !(d0.words[x] | vp[x]));
        let hn = self.row("HN", |x| d0.words[x] & vp[x]);
        let hp_up = self.shifted(if entering == 1 { "HP << 1 | 1" } else { "HP << 1" }, &hp.words, entering);
        let hn_up = self.shifted("HN << 1", &hn.words, 0);
        let next_p = self.row("VP", |x| hn_up.words[x] | !(d0.words[x] | hp_up.words[x]));
        let next_n = self.row("VN", |x| d0.words[x] & hp_up.words[x]);
        vec![eq, both, sum, d0, hp, hn, hp_up, hn_up, next_p, next_n]
    }

    /// Returns the column (from 1) and the number of the word (from 0) that step number `step` computes. Returns `None`
    /// for step 0.
    fn at(&self, step: usize) -> Option<(usize, usize)> {
        let last = step.checked_sub(1)?;
        Some((last / self.words() + 1, last % self.words()))
    }

    /// Returns the rows whose bits are in word number `word`, as a half-open range. The first row of the matrix has no
    /// bit, so that number 0 is row 1 of the matrix.
    fn rows(&self, word: usize) -> std::ops::Range<usize> {
        word * self.w..self.size().0.min((word + 1) * self.w)
    }

    /// Returns whether the addition in column `j` carries out of word number `word`.
    fn carry(&self, j: usize, word: usize) -> bool {
        self.carry[(j - 1) * self.words() + word]
    }

    /// Returns the row of cells for a vector, given as `words`, with the name `label`. Words before number `until` are
    /// marked as kept, and the bits of word number `until` get `mark`. Later words are shown as still to come.
    fn tape(&self, label: LensLabel, words: &[u64], until: usize, mark: LensMark) -> CellTape {
        let cell = |i: usize| {
            let (word, bit) = (i / self.w, i % self.w);
            match word <= until {
                true => PanelCell::new(ShownValue::Bit(words[word] >> bit & 1 == 1)).with_mark(if word == until {
                    mark
                } else {
                    LensMark::Kept
                }),
                false => PanelCell::default().with_mark(LensMark::Ahead),
            }
        };
        CellTape { label, cells: (0..self.size().0).map(cell).collect(), group: self.w, ..CellTape::default() }
    }

    fn tracks(&self, step: usize) -> TapeTable {
        let m = self.size().0;
        let symbols = (0..m).map(|i| PanelCell::new(ShownValue::A(i))).collect();
        let mut tapes = vec![CellTape { label: LensLabel::code("a"), cells: symbols, group: self.w, ..CellTape::default() }];
        let names: &[&str] = if self.kept[0].len() == 1 { &["V"] } else { &["VP", "VN"] };
        let (j, word) = self.at(step).unwrap_or((0, 0));
        let before = &self.kept[j.saturating_sub(1)];
        for (&name, words) in names.iter().zip(before) {
            tapes.push(self.tape(LensLabel::code(name), words, usize::MAX, LensMark::Kept));
        }
        if j > 0 {
            for row in self.column(j) {
                let label = LensLabel::code(row.name);
                let label = if row.name == "PM" || row.name == "EQ" { label.with_index(ShownValue::B(j - 1)) } else { label };
                let mut tape = self.tape(label, &row.words, word, LensMark::New);
                // A carry out of the last word of the column is lost.
                tape.carries = row.carries.iter().take(self.words() - 1).enumerate().map(|(at, carry)| *carry && at <= word).collect();
                let carried = word > 0 && row.carries.get(word - 1) == Some(&true);
                tape.cells.iter_mut().skip(word * self.w).take(usize::from(carried)).for_each(|cell| cell.add(LensMark::Carried));
                tapes.push(tape);
            }
        }
        let values = (0..m).map(|i| match i / self.w <= word && j > 0 {
            true => PanelCell::number(self.matrix.value(MatrixCell { i: i + 1, j }).count()),
            false if j == 0 => PanelCell::number(self.matrix.value(MatrixCell { i: i + 1, j }).count()).with_mark(LensMark::Kept),
            false => PanelCell::default().with_mark(LensMark::Ahead),
        });
        let name = if self.matrix.task() == Task::Lcs { "L" } else { "D" };
        tapes.push(CellTape { label: LensLabel::code(name), cells: values.collect(), group: self.w, ..CellTape::default() });
        TapeTable { columns: m, numbered: Some(1), tapes, arrows: Vec::new() }
    }

    fn text(&self, step: usize) -> TapeTable {
        let n = self.size().1;
        let j = self.at(step).map_or(0, |(j, _)| j);
        let cells = (0..n)
            .map(|at| PanelCell::new(ShownValue::B(at)).mark_if(at + 1 == j, LensMark::Read).mark_if(at + 1 < j, LensMark::Earlier))
            .collect();
        let tape = CellTape { label: LensLabel::code("b"), cells, cursor: j.checked_sub(1), ..CellTape::default() };
        TapeTable { columns: n, numbered: Some(1), tapes: vec![tape], arrows: Vec::new() }
    }

    /// Returns the value of the last row in column `j` of the matrix, computed from the bits of the column's vectors.
    fn value(&self, j: usize) -> usize {
        let m = self.size().0;
        let ones = |words: &[u64]| (0..m).filter(|i| words[i / self.w] >> (i % self.w) & 1 == 1).count();
        match &self.kept[j][..] {
            [v] => m - ones(v),
            [vp, vn] if self.matrix.task() == Task::EditDistance => j + ones(vp) - ones(vn),
            [vp, vn] => ones(vp) - ones(vn),
            _ => 0,
        }
    }

    fn answer(&self) -> usize {
        let n = self.size().1;
        match self.matrix.task() {
            Task::ApproximateSearch => (0..=n).map(|j| self.value(j)).min().unwrap_or_default(),
            Task::EditDistance | Task::Lcs | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => self.value(n),
        }
    }

    fn cells(&self, step: usize) -> usize {
        self.at(step).map_or(0, |(j, word)| (j - 1) * self.size().0 + self.rows(word).end)
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let (m, _) = self.size();
        let (words, w) = (("words", SentenceValue::number(self.words())), ("w", SentenceValue::number(self.w)));
        let Some((j, word)) = self.at(step) else {
            let why = match self.is_empty() {
                true => self.end(),
                false => LensSentence::new("bit-vectors.why", [w.clone()]),
            };
            return vec![LensSentence::new("bit-vectors.begin", [("m", SentenceValue::number(m)), words, w]), why];
        };
        let rows = self.rows(word);
        let values = [
            ("b", SentenceValue::b(j - 1)),
            ("j", SentenceValue::number(j)),
            ("word", SentenceValue::number(word)),
            words,
            ("from", SentenceValue::number(rows.start + 1)),
            ("to", SentenceValue::number(rows.end)),
        ];
        let why = match word + 1 < self.words() {
            true => {
                if self.carry(j, word) {
                    LensSentence::new("bit-vectors.carry", [("next", SentenceValue::number(word + 1))])
                } else {
                    LensSentence::new("bit-vectors.no-carry", [("word", SentenceValue::number(word))])
                }
            }
            false if step == self.len() => self.end(),
            false => {
                LensSentence::new("bit-vectors.column", [("j", SentenceValue::number(j)), ("value", SentenceValue::number(self.value(j)))])
            }
        };
        vec![LensSentence::new("bit-vectors.word", values), why]
    }

    fn end(&self) -> LensSentence {
        let (m, n) = self.size();
        let values = [("value", self.answer()), ("words", self.words() * n), ("cells", m * n)];
        LensSentence::new("bit-vectors.end", values.map(|(key, number)| (key, SentenceValue::number(number))))
    }
}

impl Lens for BitVectorLens {
    fn len(&self) -> usize {
        self.words() * self.size().1
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let is_lcs = self.matrix.task() == Task::Lcs;
        let line = match (step, is_lcs) {
            (0, true) => 4,
            (0, false) => 0,
            (_, true) => 6,
            // The computation of one word takes all lines of the loop.
            (_, false) => 2,
        };
        let answer = || self.answer() as u64;
        let outcome = || if is_lcs { LensOutcome::Common { length: answer(), matches: None } } else { LensOutcome::Distance(answer()) };
        LensFrame {
            panels: vec![
                LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(self.text(step))),
                LensPanel::new("words", PanelPosition::Main, PanelBody::Tapes(self.tracks(step))),
            ],
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("words-computed", step, all),
                LensCount::new("cells-computed", self.cells(step), self.cells(all)),
                LensCount::new("carries", self.carries[step], self.carries[all]),
                LensCount::without_total("words-kept", self.words() * self.kept[0].len()),
            ],
            line: Some(line),
            outcome: (step == all).then(outcome),
        }
    }

    fn questions(&self, step: usize, _: QuestionTurn) -> Vec<LensQuestion> {
        self.build_questions(step)
    }

    fn code(&self) -> &'static [CodeLine] {
        match self.matrix.task() {
            Task::Lcs => COMMON,
            Task::ApproximateSearch => SEARCH,
            Task::EditDistance | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => DISTANCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LensName;
    use super::super::tests::{Case, cases};
    use super::*;
    use crate::matrix::bits;

    const TASKS: [Task; 3] = [Task::EditDistance, Task::ApproximateSearch, Task::Lcs];

    fn opened(task: Task, case: &Case, w: usize) -> BitVectorLens {
        BitVectorLens::new(task, &case.texts(), &LensSettings::defaults(LensName::BitVectors).with("w", &w.to_string()).unwrap())
    }

    #[test]
    fn words_of_any_width_hold_the_bits_of_one_large_word() {
        for case in cases(60, 60) {
            for (task, w) in TASKS.iter().flat_map(|task| [2, 3, 4, 32].map(|w| (*task, w))) {
                let lens = opened(task, &case, w);
                for j in 1..=case.b.len() {
                    for whole in bits::column(&lens.matrix, j) {
                        let column = lens.column(j);
                        let Some(row) = column.iter().rev().find(|row| row.name == whole.name) else { continue };
                        let bit = |i: usize| row.words[i / w] >> (i % w) & 1;
                        assert!((0..case.a.len()).all(|i| bit(i) == whole.bits >> i & 1), "{} {j} {w}", whole.name);
                    }
                    assert_eq!(lens.value(j), lens.matrix.value(MatrixCell { i: case.a.len(), j }).count() as usize);
                }
            }
        }
    }

    #[test]
    fn number_of_computed_words_agrees_with_the_formula() {
        for (m, n, w) in [(60, 60, 4), (13, 7, 4), (12, 7, 4), (1, 5, 2), (33, 2, 32)] {
            let case = Case::new(vec![b'a'; m], vec![b'b'; n]);
            let lens = opened(Task::Lcs, &case, w);
            assert_eq!(lens.frame(lens.len()).counts[0].total, Some((m.div_ceil(w) * n) as u64));
        }
    }
}
