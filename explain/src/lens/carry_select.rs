//! The lens of carry select: a fast addition of two long numbers, here of the bit vectors for one column of the matrix,
//! with one thread per word. It is `plus()` of Listing 5 of paper 001 (conditional-sum addition, Sklansky 1960). In a
//! step of the lens, all threads do one step.
//!
//! Each thread adds its words twice: `a0` is the sum without a carry from below, and `a1` the sum with one. Then groups
//! of 1, 2, 4 … words are merged in pairs. If the carry out of the lower group is the same with and without a carry
//! into this group, the words of the upper group know which of their two sums is correct. After ⌈log₂ words⌉ of these
//! steps, `a0` is the sum. In a plain addition, the carry would pass from word to word instead.
//!
//! [`carry_time`] counts the time in shared memory. Thread 0 has the lowest word here, but the last one in the listing;
//! [`conditional_sum`](kernels::methods::lcs::conditional_sum) lists further differences.

use super::carry_time::{self, CarryTime};
use super::frame::{
    CellTape, ChartLane, LaneChart, LaneSpan, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody,
    PanelCell, PanelPosition, SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::settings::{LensParameter, LensSettings};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

/// The parameters of this lens: the number of bits of a word, the column, and the latency of shared memory.
pub(super) const PARAMETERS: &[LensParameter] =
    &[LensParameter::number("w", 2, 8, 2), LensParameter::number("column", 1, 60, 1), LensParameter::number("l", 1, 20, 5)];

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("carry-select.begin", &["words", "w", "j"]),
    ("carry-select.both", &["words", "j"]),
    ("carry-select.merge", &["group", "selected"]),
    ("carry-select.why", &["steps", "words"]),
    ("carry-select.end", &["words", "steps", "carries"]),
    ("question.select", &["word", "below"]),
    ("question.word-carry", &["word"]),
    ("question.looks-at", &["word", "group"]),
    ("question.selected", &["group"]),
    ("question.carry-steps", &["words"]),
    ("why.carries-always", &["below"]),
    ("why.carries-never", &["below"]),
    ("why.carries-if", &["below"]),
    carry_time::SAYS[0],
    carry_time::SAYS[1],
    carry_time::SAYS[2],
];

const CODE: &[CodeLine] = &[
    line("11", "s_c0[tx] = false; s_c1[tx] = true"),
    line("14", "*a0 = *v1 + *v2; *a1 = *a0 + 1"),
    line("15", "if (*a1 >= maximum) s_c1[tx] = false"),
    line("17", "if (*a0 < maximum) s_c0[tx] = s_c1[tx] = true"),
    line("", "for (group = 1; group < words; group *= 2)"),
    line("", "  if ((tx & group) != 0)"),
    line("", "    x = tx / group * group - 1"),
    line("", "    if (s_c0[x])"),
    line("", "      *a0 = *a1; s_c0[tx] = s_c1[tx]"),
    line("", "    else if (!s_c1[x])"),
    line("", "      *a1 = *a0; s_c1[tx] = s_c0[tx]"),
];

/// The two sums of a thread's word, without and with a carry from below. Each is a pair: the sum, and whether the sum
/// has a carry out of the word.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ThreadSums {
    without_carry: (u64, bool),
    with_carry: (u64, bool),
}

/// The choice of a thread between its two sums when groups of words are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SumChoice {
    /// The thread changes neither sum, because its word belongs to the lower group.
    Nothing,
    /// The thread selects its sum with a carry from below, which replaces both sums.
    With,
    /// The thread selects its sum without a carry from below, which replaces both sums.
    Without,
    /// The thread changes neither sum, because the carry out of the lower group still depends on words below this
    /// group.
    Both,
}

pub(super) struct CarrySelectLens {
    m: usize,
    w: usize,
    /// Number of the column, from 1; 0 if `b` is empty.
    j: usize,
    v: u64,
    mask: u64,
    /// For each step, from step 1 on, the sums of all threads after it; empty if there are no words.
    sums: Vec<Vec<ThreadSums>>,
    choices: Vec<Vec<SumChoice>>,
    time: Option<CarryTime>,
}

impl CarrySelectLens {
    pub(super) fn new(texts: &LensTexts, settings: &LensSettings) -> Self {
        let (m, w) = (texts.a.len(), settings.number("w"));
        let j = settings.number("column").min(texts.b.len());
        let words = if j == 0 { 0 } else { m.div_ceil(w) };
        let of = |j: usize| (0..m).filter(|i| texts.equal(*i, j)).fold(0u64, |mask, i| mask | 1 << i);
        let rows = if m == 0 { 0 } else { u64::MAX >> (64 - m) };
        let v = (1..j).fold(rows, |v, column| ((v + (v & of(column - 1))) | (v & !of(column - 1))) & rows);
        let mask = if j == 0 { 0 } else { of(j - 1) };
        let mut lens = Self { m, w, j, v, mask, sums: Vec::new(), choices: Vec::new(), time: None };
        if words > 0 {
            let first: Vec<ThreadSums> = (0..words).map(|word| lens.add(word)).collect();
            let carries: Vec<_> = first.iter().map(|sums| (sums.without_carry.1, sums.with_carry.1)).collect();
            lens.time = Some(CarryTime::new(&carries, settings.number("l") as u64));
            lens.sums.push(first);
            lens.choices.push(vec![SumChoice::Both; words]);
        }
        let mut group = 1;
        while group < words {
            let before = &lens.sums[lens.sums.len() - 1];
            let takes: Vec<SumChoice> = (0..words).map(|word| choose_sum(before, word, group)).collect();
            let select = |(sums, takes): (&ThreadSums, &SumChoice)| match takes {
                SumChoice::Nothing | SumChoice::Both => *sums,
                SumChoice::With => ThreadSums { without_carry: sums.with_carry, with_carry: sums.with_carry },
                SumChoice::Without => ThreadSums { without_carry: sums.without_carry, with_carry: sums.without_carry },
            };
            let after = before.iter().zip(&takes).map(select).collect();
            lens.sums.push(after);
            lens.choices.push(takes);
            group *= 2;
        }
        lens
    }

    fn words(&self) -> usize {
        self.sums.first().map_or(0, Vec::len)
    }

    /// Returns word number `word` (from 0, the lowest) of the bit vector `of`.
    fn word(&self, of: u64, word: usize) -> u64 {
        of >> (word * self.w) & ((1 << self.w) - 1)
    }

    fn add(&self, word: usize) -> ThreadSums {
        let sum = self.word(self.v, word) + self.word(self.v & self.mask, word);
        let cut = |sum: u64| (self.word(sum, 0), sum >> self.w == 1);
        ThreadSums { without_carry: cut(sum), with_carry: cut(sum + 1) }
    }

    /// Returns the final sum, with the words of all threads joined to one number.
    fn sum(&self) -> u64 {
        let last = self.sums.last().map(Vec::as_slice).unwrap_or_default();
        last.iter().enumerate().fold(0, |sum, (word, sums)| sum | sums.without_carry.0 << (word * self.w))
    }

    /// Returns the values of the matrix column that follow from the sum, from row 1 on. Zeros of the vector `V` mark
    /// the rows in which the length of the common subsequence rises.
    fn lengths(&self) -> Vec<u32> {
        let v = if self.j == 0 { u64::MAX } else { self.sum() | (self.v & !self.mask) };
        let mut length = 0;
        let grown = |i: usize| {
            length += u32::from(v >> i & 1 == 0);
            length
        };
        (0..self.m).map(grown).collect()
    }

    /// Returns the number of carries from a word to the next one. In a plain addition, a thread would wait for the
    /// thread below at each of these carries.
    fn carries(&self) -> usize {
        let last = self.sums.last().map(Vec::as_slice).unwrap_or_default();
        last.iter().take(self.words().saturating_sub(1)).filter(|sums| sums.without_carry.1).count()
    }

    fn tape(&self, label: &'static str, value: impl Fn(usize) -> Option<u64>, takes: Option<&[SumChoice]>, is_with: bool) -> CellTape {
        let cell = |i: usize| {
            let word = i / self.w;
            let Some(bits) = value(word) else { return PanelCell::default().with_mark(LensMark::Ahead) };
            let entry = PanelCell { owner: Some(word as u16), ..PanelCell::new(ShownValue::Bit(bits >> (i % self.w) & 1 == 1)) };
            match takes.map(|takes| takes[word]) {
                Some(SumChoice::With) => entry.with_mark(if is_with { LensMark::Chosen } else { LensMark::New }),
                Some(SumChoice::Without) => entry.with_mark(if is_with { LensMark::New } else { LensMark::Chosen }),
                Some(SumChoice::Both) => entry.with_mark(LensMark::Read),
                Some(SumChoice::Nothing) => entry.with_mark(LensMark::Kept),
                None => entry,
            }
        };
        let cells = (0..self.m).map(cell).collect();
        CellTape { label: LensLabel::code(label), cells, group: self.w, ..CellTape::default() }
    }

    fn tracks(&self, step: usize) -> TapeTable {
        let now = step.checked_sub(1).map(|last| &self.sums[last]);
        let takes = step.checked_sub(2).map(|_| &self.choices[step - 1][..]);
        let mut tapes = vec![
            self.tape("v1 = V", |word| Some(self.word(self.v, word)), None, false),
            self.tape("v2 = V & PM", |word| Some(self.word(self.v & self.mask, word)), None, false),
            self.tape("a0", |word| now.map(|now| now[word].without_carry.0), takes, false),
            self.tape("a1", |word| now.map(|now| now[word].with_carry.0), takes, true),
        ];
        if let Some(now) = now {
            let inner = self.words().saturating_sub(1);
            tapes[2].carries = now.iter().take(inner).map(|sums| sums.without_carry.1).collect();
            tapes[3].carries = now.iter().take(inner).map(|sums| sums.with_carry.1).collect();
        }
        TapeTable { columns: self.m, numbered: None, tapes, arrows: Vec::new() }
    }

    /// Returns a chart of the groups of words that each step merges. The groups that step `step` merges are marked as
    /// new.
    fn groups(&self, step: usize) -> LaneChart {
        let words = self.words();
        let lane = |level: usize| {
            let group = 1 << level;
            let span = |first: usize| {
                let mark = match level + 1 {
                    now if now == step => LensMark::New,
                    past if past < step => LensMark::Kept,
                    _ => LensMark::Ahead,
                };
                LaneSpan { range: first..(first + group).min(words), entry: PanelCell::default().with_mark(mark) }
            };
            let label = LensLabel::key("group").with_index(ShownValue::Number(group as u32));
            ChartLane { label, spans: (0..words).step_by(group).map(span).collect(), note: None }
        };
        LaneChart { axis: "words", length: words, first: 0, now: None, lanes: (0..self.len()).map(lane).collect() }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let number = SentenceValue::number;
        let (words, steps, j) = (("words", number(self.words())), ("steps", number(self.len())), ("j", number(self.j)));
        let happens = match step {
            0 => LensSentence::new("carry-select.begin", [words.clone(), ("w", number(self.w)), j]),
            1 => LensSentence::new("carry-select.both", [words.clone(), j]),
            _ => {
                let selected = self.choices[step - 1].iter().filter(|takes| matches!(takes, SumChoice::With | SumChoice::Without)).count();
                LensSentence::new("carry-select.merge", [("group", number(1 << (step - 1))), ("selected", number(selected))])
            }
        };
        let why = match step == self.len() {
            true => LensSentence::new("carry-select.end", [words, steps, ("carries", number(self.carries()))]),
            false => LensSentence::new("carry-select.why", [steps, words]),
        };
        vec![happens, why]
    }
}

impl Lens for CarrySelectLens {
    fn len(&self) -> usize {
        self.sums.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let line = match step {
            0 => 0,
            1 => 3,
            _ => 8,
        };
        // Each thread adds twice; then each thread of an upper group reads one word of the group below.
        let looks = |step: usize| -> usize {
            let of = |takes: &Vec<SumChoice>| takes.iter().filter(|takes| **takes != SumChoice::Nothing).count();
            self.choices[..step].iter().skip(1).map(of).sum()
        };
        let mut panels = vec![
            LensPanel::new("words", PanelPosition::Main, PanelBody::Tapes(self.tracks(step))),
            LensPanel::new("groups", PanelPosition::Below, PanelBody::Lanes(self.groups(step))),
        ];
        let mut says = self.sentences(step);
        if let Some(time) = &self.time {
            panels.push(LensPanel::new("dmm-time", PanelPosition::Below, PanelBody::Bars(time.bars(step))));
            says.push(time.sentence(step));
        }
        LensFrame {
            panels,
            sentences: says,
            counts: vec![
                LensCount::new("steps-of-threads", step, all),
                LensCount::without_total("steps-word-by-word", self.words()),
                LensCount::new("additions", 2 * self.words() * step.min(1), 2 * self.words()),
                LensCount::new("selections", looks(step), looks(all)),
            ],
            line: Some(line),
            outcome: (step == all).then(|| LensOutcome::Column { j: self.j, values: self.lengths() }),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        let Some(next) = self.choices.get(step) else { return Vec::new() };
        let number = SentenceValue::number;
        let words = self.words();
        let worst = LensSentence::new("question.carry-steps", [("words", number(words))]);
        let log = (usize::BITS - (words - 1).leading_zeros()) as u64;
        let worst = LensQuestion::number(QuestionKind::TimeUnits, worst, words as u64, &[log, log + 1, words as u64 * 2]);
        if step == 0 {
            // Asks about the first word whose sum carries out of the word, or else about the last word.
            let word = self.sums[0].iter().position(|sums| sums.without_carry.1).unwrap_or(words - 1);
            let word = if turn.place(2) == 0 { word } else { turn.place(words) };
            let key = if self.sums[0][word].without_carry.1 { "reply.one" } else { "reply.zero" };
            let says = LensSentence::new("question.word-carry", [("word", number(word))]);
            return vec![LensQuestion::key(QuestionKind::Value, says, key, &["reply.zero", "reply.one"]), worst];
        }
        let group = 1 << (step - 1);
        let upper: Vec<usize> = (0..words).filter(|word| word & group != 0).collect();
        let Some(word) = upper.get(turn.place(upper.len())).copied() else { return vec![worst] };
        let key = match next[word] {
            SumChoice::With => "reply.with",
            SumChoice::Without => "reply.without",
            SumChoice::Both | SumChoice::Nothing => "reply.both",
        };
        let below = word / group * group - 1;
        let carries = self.sums[step - 1][below];
        let why = match (carries.without_carry.1, carries.with_carry.1) {
            (true, _) => "why.carries-always",
            (false, false) => "why.carries-never",
            (false, true) => "why.carries-if",
        };
        let says = LensSentence::new("question.select", [("word", number(word)), ("below", number(below))]);
        let selected = next.iter().filter(|takes| matches!(takes, SumChoice::With | SumChoice::Without)).count() as u64;
        vec![
            LensQuestion::key(QuestionKind::Next, says, key, &["reply.with", "reply.without", "reply.both"])
                .with_reason(LensSentence::new(why, [("below", number(below))])),
            LensQuestion::number(
                QuestionKind::Inputs,
                LensSentence::new("question.looks-at", [("word", number(word)), ("group", number(group))]),
                below as u64,
                &[word as u64 - 1, (word - group) as u64],
            ),
            LensQuestion::number(
                QuestionKind::Value,
                LensSentence::new("question.selected", [("group", number(group))]),
                selected,
                &[upper.len() as u64, 0],
            ),
            worst,
        ]
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

/// Returns the choice of the thread of word number `word` in a step that merges groups of `group` words in pairs.
/// `sums` are the sums of all threads before this step.
fn choose_sum(sums: &[ThreadSums], word: usize, group: usize) -> SumChoice {
    if word & group == 0 {
        return SumChoice::Nothing;
    }
    let below = &sums[word / group * group - 1];
    match (below.without_carry.1, below.with_carry.1) {
        (true, _) => SumChoice::With,
        (false, false) => SumChoice::Without,
        (false, true) => SumChoice::Both,
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::LensName;
    use super::super::question::QuestionReply;
    use super::super::tests::{cases, questions, said, value};
    use super::*;

    fn opened(case: &super::super::tests::Case, w: usize, column: usize) -> CarrySelectLens {
        let settings = LensSettings::parse(LensName::CarrySelect, &format!("w:{w},column:{column}")).unwrap();
        CarrySelectLens::new(&case.texts(), &settings)
    }

    #[test]
    fn sum_agrees_with_addition_and_column_with_the_recurrence() {
        for case in cases(60, 12).into_iter().filter(|case| !case.b.is_empty() && !case.a.is_empty()) {
            for (w, j) in [2, 3, 8].iter().flat_map(|w| (1..=case.b.len()).map(|j| (*w, j))) {
                let lens = opened(&case, w, j);
                let bits = lens.words() * w;
                let expected = u128::from(lens.v) + u128::from(lens.v & lens.mask);
                assert_eq!(u128::from(lens.sum()), expected & ((1 << bits) - 1));
                assert_eq!(lens.len(), 1 + lens.words().next_power_of_two().ilog2() as usize);
                if case.a.len() < 15 {
                    assert!(lens.lengths().into_iter().zip(1..).all(|(length, i)| u64::from(length) == value(Task::Lcs, &case, i, j)));
                }
            }
        }
    }

    #[test]
    fn expected_answers_cover_both_carries_from_below() {
        for case in cases(60, 12) {
            for column in 1..=case.b.len() {
                let lens = opened(&case, 2, column);
                let v2 = lens.v & lens.mask;
                for (step, question) in (0..lens.len()).flat_map(|step| questions(&lens, step).into_iter().map(move |one| (step, one))) {
                    let words = case.a.len().div_ceil(2);
                    match question.prompt.key {
                        "question.carry-steps" => {
                            assert_eq!(question.expected, QuestionReply::Number(words as u64));
                            continue;
                        }
                        "question.selected" => {
                            // Words of upper groups for which the carry from below is the same in both cases.
                            let group = said(&question.prompt, "group");
                            let is_known = |below: &ThreadSums| below.without_carry.1 == below.with_carry.1;
                            let knows = |word: &usize| word & group != 0 && is_known(&lens.sums[step - 1][word / group * group - 1]);
                            assert_eq!(question.expected, QuestionReply::Number((0..words).filter(knows).count() as u64));
                            continue;
                        }
                        "question.looks-at" => {
                            // The last word of the group below.
                            let (word, group) = (said(&question.prompt, "word"), said(&question.prompt, "group"));
                            assert_eq!(
                                question.expected,
                                QuestionReply::Number((0..word).rfind(|below| below & group == 0).unwrap() as u64)
                            );
                            continue;
                        }
                        _ => {}
                    }
                    let word = said(&question.prompt, "word");
                    // The carry out of the words from the beginning of a group up to one of them.
                    let carry = |from: usize, to: usize, entering: u64| {
                        let cut = |of: u64| (of >> (2 * from)) & ((1u64 << (2 * (to + 1 - from))) - 1);
                        (u128::from(cut(lens.v)) + u128::from(cut(v2)) + u128::from(entering)) >> (2 * (to + 1 - from)) == 1
                    };
                    let expected = if question.prompt.key == "question.word-carry" {
                        if carry(word, word, 0) { "reply.one" } else { "reply.zero" }
                    } else {
                        let (below, group) = (said(&question.prompt, "below"), 1 << (step - 1));
                        match (carry(below + 1 - group, below, 0), carry(below + 1 - group, below, 1)) {
                            (true, _) => "reply.with",
                            (false, false) => "reply.without",
                            (false, true) => "reply.both",
                        }
                    };
                    assert_eq!(question.expected, QuestionReply::Key(expected), "{column} {step}");
                }
            }
        }
    }
}
