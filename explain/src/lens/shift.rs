//! The lenses of Shift-And and Shift-Add: a row of bit fields, one for each symbol of the pattern, that changes with
//! each symbol of the text. A step reads one symbol of the text.
//!
//! - Shift-And (Baeza-Yates and Gonnet 1992): bit `j` is 1 if the text read so far ends with the first `j + 1` symbols
//!   of the pattern.
//! - Shift-Add (section 3.2 of paper 002): the last `j + 1` symbols read are compared with the first `j + 1` symbols of
//!   the pattern. A field of `b = ⌈log₂(m + 1)⌉` bits is the number of equal pairs, where `m` is the length of the
//!   pattern.
//!
//! Bits are drawn as in paper 002: the first symbol of the pattern is on the left, at the highest bit, and a shift
//! moves bits to the right. Shift-And has words of `w` bits; a shift passes one bit from word to word.

use kernels::methods::match_count::shift_add::fields;

use super::frame::{
    CellTape, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelPosition,
    SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionTurn};
use super::settings::{LensParameter, LensSettings};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

mod questions;

/// The parameter of Shift-And: the number of bits of a word.
pub(super) const AND_PARAMETERS: &[LensParameter] = &[LensParameter::number("w", 2, 64, 8)];

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("shift-and.begin", &["m", "words"]),
    ("shift-and.step", &["b", "i", "ends"]),
    ("shift-and.found", &["b", "i", "at"]),
    ("shift-and.why", &["a"]),
    ("shift-add.begin", &["m", "bits"]),
    ("shift-add.step", &["b", "i"]),
    ("shift-add.score", &["b", "i", "k", "score"]),
    ("shift-add.why", &["m", "bits"]),
    ("shift.end", &["n"]),
    ("question.bit", &["b", "i", "a"]),
    ("question.field", &["b", "i", "a"]),
    ("question.score", &["k"]),
    ("question.moves-in", &["a", "m"]),
    ("question.leaves-next", &["m", "i"]),
    ("question.first-leaves", &["m", "i"]),
    ("question.words", &["m", "w"]),
    ("question.bits-of-field", &["m"]),
    ("why.bit", &["entering", "mask"]),
    ("why.field", &["entering", "mask"]),
    ("why.bits-of-field", &["m", "bits"]),
];

const AND: &[CodeLine] = &[
    line("", "for a in Σ do E[a] := 0"),
    line("", "for 1 ≤ j ≤ m do set bit j of E[p_j]"),
    line("", "D := 0"),
    line("", "for 1 ≤ i ≤ n do {"),
    line("", "  D := (Sr(D) | bit 1) & E[t_i]"),
    line("", "  if bit m of D is 1 then answer[i-m] := 1"),
    line("", "}"),
];

const ADD: &[CodeLine] = &[
    line("1", "b := ⌈log(m+1)⌉"),
    line("2", "for 1 ≤ i ≤ n do E[t_i] := 0"),
    line("3", "for 1 ≤ i ≤ m do {"),
    line("4", "  E[p_i] := 0"),
    line("5", "  for 1 ≤ j ≤ m do"),
    line("6", "    E[p_i] := P(Sl^b(E[p_i]), M(p_i, p_j))"),
    line("7", "}"),
    line("8", "D := 0"),
    line("9", "for 1 ≤ i ≤ n do {"),
    line("10", "  D := P(Sr^b(D), E[t_i])"),
    line("11", "  c_(i-m+1) := A(D, 1^b)"),
    line("12", "}"),
];

pub(super) struct ShiftLens {
    m: usize,
    n: usize,
    /// Number of bits of a field, which is the counter (or the bit) for one symbol of the pattern.
    field: usize,
    /// Number of bits of a word in Shift-And; 0 in Shift-Add.
    word: usize,
    /// Number of masks, one for each distinct symbol of the pattern. A mask has a one at each position of its symbol in
    /// the pattern.
    masks: usize,
    /// For each symbol of the text and each symbol of the pattern, whether they are equal, as `equal[i][j]` for symbol
    /// `i` of the text and symbol `j` of the pattern.
    equal: Vec<Vec<bool>>,
    /// Values of the fields after each step, from step 0 on. The first field belongs to the first symbol of the
    /// pattern.
    d: Vec<Vec<u32>>,
}

impl ShiftLens {
    pub(super) fn shift_and(texts: &LensTexts, settings: &LensSettings) -> Self {
        Self::new(texts, 1, settings.number("w"), |before, is_equal| before & u32::from(is_equal))
    }

    pub(super) fn shift_add(texts: &LensTexts) -> Self {
        Self::new(texts, fields(texts.a.len()), 0, |before, is_equal| before + u32::from(is_equal))
    }

    fn new(texts: &LensTexts, field: usize, word: usize, join: fn(u32, bool) -> u32) -> Self {
        let (m, n) = (texts.a.len(), texts.b.len());
        let equal: Vec<Vec<bool>> = (0..n).map(|i| (0..m).map(|j| texts.equal(j, i)).collect()).collect();
        let entering = u32::from(word > 0);
        let mut d = vec![vec![0; m]];
        for equal in &equal {
            let shifted = shift(&d[d.len() - 1], entering);
            d.push(shifted.into_iter().zip(equal).map(|(before, is_equal)| join(before, *is_equal)).collect());
        }
        let mut distinct = texts.a.clone();
        distinct.sort_unstable();
        distinct.dedup();
        Self { m, n, field, word, masks: distinct.len(), equal, d }
    }

    fn is_and(&self) -> bool {
        self.word > 0
    }

    /// Returns the results of the offsets (positions of the pattern in the text) that are known after `step` steps. The
    /// result of an offset is the value of the last field at the time when the last symbol under the pattern was read.
    fn left(&self, step: usize) -> Vec<u32> {
        (self.m..=step).filter(|_| self.m > 0).map(|i| self.d[i][self.m - 1]).collect()
    }

    fn found(&self, step: usize) -> Vec<usize> {
        let places = self.left(step).into_iter().enumerate();
        places.filter(|(_, bit)| *bit == 1).map(|(at, _)| at).collect()
    }

    /// Returns two rows after `step` steps: the text and, below it, the pattern at the offset whose result the last
    /// field has.
    fn text(&self, step: usize) -> TapeTable {
        let mut text: Vec<PanelCell> = (0..self.n).map(|i| PanelCell::new(ShownValue::B(i))).collect();
        text[step.saturating_sub(self.m)..step].iter_mut().for_each(|cell| cell.add(LensMark::Open));
        if step > 0 {
            text[step - 1].add(LensMark::Read);
        }
        let at = step.saturating_sub(self.m);
        let cell = |j: usize| {
            let is_under = step >= self.m && step > 0;
            let is_equal = is_under && self.equal[at + j][j];
            PanelCell::new(ShownValue::A(j)).mark_if(is_equal, LensMark::Equal).mark_if(is_under && !is_equal, LensMark::Different)
        };
        let mut pattern: Vec<PanelCell> = (0..self.m).map(cell).collect();
        if self.is_and() && self.found(step).last() == Some(&at) && step >= self.m {
            pattern.iter_mut().for_each(|cell| cell.add(LensMark::Found));
        }
        let tapes = vec![
            CellTape { label: LensLabel::code("t"), cells: text, cursor: (step < self.n).then_some(step), ..CellTape::default() },
            CellTape { label: LensLabel::code("p"), offset: at, cells: pattern, ..CellTape::default() },
        ];
        TapeTable { columns: self.n.max(self.m), numbered: Some(1), tapes, arrows: Vec::new() }
    }

    /// Returns a row of cells with the name `label` for the bit fields `fields`, each with its highest bit first. Every
    /// bit gets `mark`.
    fn tape(&self, label: LensLabel, fields: &[u32], mark: Option<LensMark>) -> CellTape {
        let bits = fields.iter().flat_map(|field| (0..self.field).rev().map(move |bit| field >> bit & 1 == 1));
        let cells = bits.map(|bit| mark.into_iter().fold(PanelCell::new(ShownValue::Bit(bit)), PanelCell::with_mark)).collect();
        let values = if self.is_and() { Vec::new() } else { fields.to_vec() };
        let group = if self.is_and() { self.word } else { self.field };
        CellTape { label, cells, group, values, ..CellTape::default() }
    }

    fn tracks(&self, step: usize) -> TapeTable {
        let symbols: Vec<PanelCell> = (0..self.m).map(|j| PanelCell::new(ShownValue::A(j))).collect();
        let mut tapes = Vec::new();
        if let Some(before) = step.checked_sub(1) {
            let entering = u32::from(self.is_and());
            let shifted = shift(&self.d[before], entering);
            let mask: Vec<u32> = self.equal[before].iter().copied().map(u32::from).collect();
            let label = if self.is_and() { LensLabel::code("Sr(D) | bit 1") } else { LensLabel::code("Sr^b(D)") };
            tapes.push(self.tape(LensLabel::code("D"), &self.d[before], Some(LensMark::Kept)));
            let mut shifted = self.tape(label, &shifted, None);
            if self.is_and() && self.m > 0 {
                // The last bit of each word moves to the next word.
                shifted.carries = (1..self.m.div_ceil(self.word)).map(|word| self.d[before][word * self.word - 1] == 1).collect();
            }
            tapes.push(shifted);
            tapes.push(self.tape(LensLabel::code("E").with_index(ShownValue::B(before)), &mask, Some(LensMark::Read)));
        }
        let mut now = self.tape(LensLabel::code("D"), &self.d[step], Some(LensMark::New));
        if step >= self.m && step > 0 {
            let last = now.cells.len() - self.field;
            now.cells[last..].iter_mut().for_each(|cell| cell.add(LensMark::Leaves));
        }
        tapes.push(now);
        let columns = self.m * self.field;
        // Each symbol of the pattern stands above its bit.
        if self.is_and() {
            tapes.insert(0, CellTape { label: LensLabel::code("p"), cells: symbols, group: self.word, ..CellTape::default() });
        }
        TapeTable { columns, numbered: None, tapes, arrows: Vec::new() }
    }

    fn scores(&self, step: usize) -> TapeTable {
        let left = self.left(step);
        let all = (self.n + 1).saturating_sub(self.m);
        let cell = |at: usize| match left.get(at) {
            Some(score) => PanelCell::number(*score).mark_if(at + self.m == step, LensMark::Leaves),
            None => PanelCell::default().with_mark(LensMark::Ahead),
        };
        let cells = if self.m == 0 { Vec::new() } else { (0..all).map(cell).collect() };
        let label = LensLabel::code(if self.is_and() { "answer" } else { "c" });
        TapeTable {
            columns: all,
            numbered: Some(u32::from(!self.is_and())),
            tapes: vec![CellTape { label, cells, ..CellTape::default() }],
            arrows: Vec::new(),
        }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let (m, bits) = (("m", SentenceValue::number(self.m)), ("bits", SentenceValue::number(self.field)));
        let leaves = step >= self.m && step > 0;
        let happens = match step.checked_sub(1) {
            None if self.is_and() => {
                LensSentence::new("shift-and.begin", [m.clone(), ("words", SentenceValue::number(self.m.div_ceil(self.word)))])
            }
            None => LensSentence::new("shift-add.begin", [m.clone(), bits.clone()]),
            Some(i) => {
                let (b, i) = (("b", SentenceValue::b(i)), ("i", SentenceValue::number(step)));
                let k = step.saturating_sub(self.m);
                match self.is_and() {
                    true if leaves && self.d[step][self.m - 1] == 1 => {
                        LensSentence::new("shift-and.found", [b, i, ("at", SentenceValue::number(k))])
                    }
                    true => {
                        let ends = self.d[step].iter().filter(|bit| **bit == 1).count();
                        LensSentence::new("shift-and.step", [b, i, ("ends", SentenceValue::number(ends))])
                    }
                    false if leaves => {
                        let score = SentenceValue::Number(self.d[step][self.m - 1].into());
                        LensSentence::new("shift-add.score", [b, i, ("k", SentenceValue::number(k + 1)), ("score", score)])
                    }
                    false => LensSentence::new("shift-add.step", [b, i]),
                }
            }
        };
        let why = match step {
            _ if step == self.len() => LensSentence::new("shift.end", [("n", SentenceValue::number(self.n))]),
            _ if self.is_and() => {
                // Length of the longest prefix of the pattern that ends at the last symbol read.
                let longest = self.d[step].iter().rposition(|bit| *bit == 1).map_or(0, |last| last + 1);
                LensSentence::new("shift-and.why", [("a", SentenceValue::A(0..longest))])
            }
            _ => LensSentence::new("shift-add.why", [m, bits]),
        };
        vec![happens, why]
    }
}

impl Lens for ShiftLens {
    fn len(&self) -> usize {
        if self.m == 0 { 0 } else { self.n }
    }

    fn frame(&self, step: usize) -> LensFrame {
        let step = step.min(self.len());
        let (m, n, all) = (self.m, self.n, self.len());
        let offsets = (n + 1).saturating_sub(m);
        let place = (step + 1).saturating_sub(m).min(offsets);
        let counts = match self.is_and() {
            true => vec![
                LensCount::without_total("bits-of-d", m),
                LensCount::new("words-computed", step * m.div_ceil(self.word), all * m.div_ceil(self.word)),
                LensCount::without_total("masks-kept", self.masks),
                LensCount::new("found", self.found(step).len(), self.found(all).len()),
            ],
            false => vec![
                LensCount::without_total("bits-of-d", m * self.field),
                LensCount::without_total("masks-kept", self.masks),
                LensCount::new("shifts-and-additions", 2 * step, 2 * all),
                LensCount::new("comparisons-naive", place * m, if m == 0 { 0 } else { offsets * m }),
            ],
        };
        let line = match (step, self.is_and()) {
            (0, true) => 2,
            (0, false) => 7,
            (_, true) if step >= m && self.d[step][m - 1] == 1 => 5,
            (_, true) => 4,
            (_, false) if step >= m => 10,
            (_, false) => 9,
        };
        let outcome = || match (self.is_and(), m) {
            (true, 0) => LensOutcome::Positions((0..=n).collect()),
            (true, _) => LensOutcome::Positions(self.found(n)),
            (false, 0) => LensOutcome::Scores(vec![0; n + 1]),
            (false, _) => LensOutcome::Scores(self.left(n)),
        };
        let title = if self.is_and() { "occurrences" } else { "match-counts" };
        LensFrame {
            panels: vec![
                LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(self.text(step))),
                LensPanel::new("words", PanelPosition::Main, PanelBody::Tapes(self.tracks(step))),
                LensPanel::new(title, PanelPosition::Below, PanelBody::Tapes(self.scores(step))),
            ],
            sentences: self.sentences(step),
            counts,
            line: Some(line),
            outcome: (step == all).then(outcome),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        self.build_questions(step, turn)
    }

    fn code(&self) -> &'static [CodeLine] {
        if self.is_and() { AND } else { ADD }
    }
}

/// Returns the fields moved by one index. `entering` becomes the first field, and the last field is lost.
fn shift(fields: &[u32], entering: u32) -> Vec<u32> {
    [entering].into_iter().chain(fields.iter().copied()).take(fields.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::LensName;
    use super::super::tests::{Case, cases};
    use super::*;

    #[test]
    fn figure_1_is_reproduced_step_by_step() {
        let case = Case::new("abbac", "acbabbaccb");
        let lens = ShiftLens::shift_add(&case.texts());
        assert_eq!((lens.field, lens.len()), (3, 10));
        // After "ac": 000 001 000 000 010.
        assert_eq!(lens.d[2], [0, 1, 0, 0, 2]);
        assert_eq!(lens.frame(10).outcome, Some(LensOutcome::Scores(vec![3, 1, 1, 5, 2, 0])));
        let PanelBody::Tapes(tracks) = &lens.frame(2).panels[1].body else { panic!("expected tapes") };
        let bits: Vec<bool> = tracks.tapes[3].cells.iter().map(|cell| cell.value == ShownValue::Bit(true)).collect();
        assert_eq!(bits.iter().map(|bit| u32::from(*bit)).fold(0, |word, bit| word << 1 | bit), 0b000_001_000_000_010);
    }

    #[test]
    fn no_field_overflows() {
        for case in cases(16, 60) {
            let lens = ShiftLens::shift_add(&case.texts());
            assert!(lens.d.iter().flatten().all(|field| field.checked_shr(lens.field as u32).unwrap_or_default() == 0));
            let formula = 2 * lens.len() as u64;
            assert_eq!(lens.frame(lens.len()).counts[2].total, Some(formula));
        }
    }

    #[test]
    fn words_of_any_width_pass_shifted_bits_to_the_next_word() {
        for case in cases(30, 60) {
            for width in [2, 3, 8, 64] {
                let settings = LensSettings::defaults(LensName::ShiftAnd).with("w", &width.to_string()).unwrap();
                let lens = ShiftLens::shift_and(&case.texts(), &settings);
                // Simulates separate words of `width` bits, the lowest bit first, and the bits that leave them.
                let m = case.a.len();
                let words = m.div_ceil(width);
                let mut d = vec![0u128; words];
                for (step, symbol) in (1..).zip(&case.b) {
                    if m == 0 {
                        break;
                    }
                    let PanelBody::Tapes(tracks) = &lens.frame(step).panels[1].body else { panic!("expected tapes") };
                    let mut carry = 1u128;
                    for (word, value) in d.iter_mut().enumerate() {
                        if word > 0 {
                            assert_eq!(tracks.tapes[2].carries[word - 1], carry == 1);
                        }
                        let shifted = *value << 1 | carry;
                        carry = shifted >> width & 1;
                        let here = (word * width..m.min((word + 1) * width)).filter(|j| case.a[*j] == *symbol);
                        let mask = here.fold(0u128, |mask, j| mask | 1 << (j - word * width));
                        *value = shifted & mask;
                    }
                    let drawn = tracks.tapes[4].cells.iter().map(|cell| cell.value);
                    assert!(drawn.eq((0..m).map(|j| ShownValue::Bit(d[j / width] >> (j % width) & 1 == 1))), "{width} {step}");
                }
            }
        }
    }
}
