//! The lens of the failure table of Knuth, Morris and Pratt: its construction by `getNext` in section VI of paper 004.
//! A step is a comparison of two symbols.
//!
//! The pattern slides along itself. `next[i]` is the length of the longest proper prefix of the pattern that is also a
//! suffix of its first `i + 1` symbols.

use super::frame::{
    CellTape, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell, PanelPosition,
    SentenceValue, ShownValue, TapeArrow, TapeTable,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("table.begin", &["m"]),
    ("table.equal", &["a", "i", "length"]),
    ("table.fall-back", &["a", "other", "i", "from", "to"]),
    ("table.none", &["a", "i"]),
    ("table.why", &["border", "i"]),
    ("table.end", &["m", "comparisons"]),
    ("question.table", &["a", "i"]),
    ("question.fall-back", &["from"]),
    ("question.table-with", &["i", "border"]),
    ("question.entries-after", &["i"]),
    ("sliding.fall-back", &["from", "to"]),
];

const CODE: &[CodeLine] = &[
    line("", "len = 0; next[0] = 0; i = 1"),
    line("", "while (i < pattern_len)"),
    line("", "  if (pattern[i] == pattern[len])"),
    line("", "    len++; next[i] = len; i++"),
    line("", "  else if (len != 0)"),
    line("", "    len = next[len - 1]"),
    line("", "  else"),
    line("", "    next[i] = 0; i++"),
];

/// A comparison of `pattern[i]` with `pattern[len]`. `then` has the values of `i` and `len` in the next comparison.
#[derive(Clone, Copy)]
struct PrefixComparison {
    i: usize,
    len: usize,
    is_equal: bool,
    then: (usize, usize),
}

pub(super) struct FailureTableLens {
    next: Vec<u32>,
    compared: Vec<PrefixComparison>,
}

impl FailureTableLens {
    pub(super) fn new(texts: &LensTexts) -> Self {
        let m = texts.a.len();
        let mut next = vec![0; m];
        let mut compared = Vec::new();
        let (mut i, mut len) = (1, 0);
        while i < m {
            let is_equal = texts.a[i] == texts.a[len];
            let then = match (is_equal, len) {
                (true, _) => (i + 1, len + 1),
                (false, 0) => (i + 1, 0),
                (false, _) => (i, next[len - 1] as usize),
            };
            if then.0 > i {
                next[i] = then.1 as u32;
            }
            compared.push(PrefixComparison { i, len, is_equal, then });
            (i, len) = then;
        }
        Self { next, compared }
    }

    fn last(&self, step: usize) -> Option<PrefixComparison> {
        step.checked_sub(1).map(|last| self.compared[last])
    }

    /// Returns the number of entries of the table that are known after `step` steps.
    fn known(&self, step: usize) -> usize {
        self.last(step).map_or(self.next.len().min(1), |last| last.then.0)
    }

    /// Returns two rows after `step` steps: the pattern and, below it, the pattern again, moved so that the compared
    /// symbols are in one column.
    fn sliding(&self, step: usize) -> TapeTable {
        let m = self.next.len();
        let mut above: Vec<PanelCell> = (0..m).map(|at| PanelCell::new(ShownValue::A(at))).collect();
        let mut below = above.clone();
        let last = self.last(step);
        if let Some(last) = last {
            let mark = if last.is_equal { LensMark::Equal } else { LensMark::Different };
            below[..last.len].iter_mut().for_each(|cell| cell.add(LensMark::Known));
            for cell in [&mut above[last.i], &mut below[last.len]] {
                *cell = cell.with_mark(LensMark::Compared).with_mark(mark);
            }
        }
        let offset = last.map_or(1, |last| last.i - last.len);
        let tapes = vec![
            CellTape { label: LensLabel::code("pattern"), cells: above, cursor: last.map(|last| last.i), ..CellTape::default() },
            CellTape { label: LensLabel::code("pattern"), offset, cells: below, cursor: last.map(|last| last.len), ..CellTape::default() },
        ];
        TapeTable { columns: 2 * m + 1, numbered: Some(0), tapes, arrows: Vec::new() }
    }

    fn table(&self, step: usize) -> TapeTable {
        let known = self.known(step);
        let last = self.last(step);
        let made = last.filter(|last| last.then.0 > last.i).map(|last| last.i);
        let fallen = last.filter(|last| last.then.0 == last.i);
        let cell = |(at, length): (usize, &u32)| match at < known {
            true => {
                let is_read = fallen.is_some_and(|fallen| fallen.len - 1 == at);
                PanelCell::number(*length).mark_if(made == Some(at), LensMark::New).mark_if(is_read, LensMark::Chosen)
            }
            false => PanelCell::new(ShownValue::Unknown).with_mark(LensMark::Ahead),
        };
        let pattern = (0..self.next.len()).map(|at| PanelCell::new(ShownValue::A(at))).collect();
        let arrow = |fallen: PrefixComparison| {
            let values = [("from", SentenceValue::number(fallen.len)), ("to", SentenceValue::number(fallen.then.1))];
            TapeArrow { from: (1, fallen.len - 1), to: (1, fallen.then.1), note: Some(LensSentence::new("sliding.fall-back", values)) }
        };
        let tapes = vec![
            CellTape { label: LensLabel::code("pattern"), cells: pattern, ..CellTape::default() },
            CellTape { label: LensLabel::code("next"), cells: self.next.iter().enumerate().map(cell).collect(), ..CellTape::default() },
        ];
        TapeTable { columns: self.next.len(), numbered: Some(0), tapes, arrows: fallen.map(arrow).into_iter().collect() }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let m = ("m", SentenceValue::number(self.next.len()));
        let happens = match self.last(step) {
            None => LensSentence::new("table.begin", [m.clone()]),
            Some(PrefixComparison { i, len, is_equal, then }) => {
                let (a, at) = (("a", SentenceValue::a(i)), ("i", SentenceValue::number(i)));
                match (is_equal, len) {
                    (true, _) => LensSentence::new("table.equal", [a, at, ("length", SentenceValue::number(then.1))]),
                    (false, 0) => LensSentence::new("table.none", [a, at]),
                    (false, _) => {
                        let (from, to) = (("from", SentenceValue::number(len)), ("to", SentenceValue::number(then.1)));
                        LensSentence::new("table.fall-back", [a, ("other", SentenceValue::a(len)), at, from, to])
                    }
                }
            }
        };
        let why = match self.last(step) {
            _ if step == self.len() => LensSentence::new("table.end", [m, ("comparisons", SentenceValue::number(step))]),
            last => {
                let (i, length) = last.map_or((1, 0), |last| last.then);
                LensSentence::new("table.why", [("border", SentenceValue::A(0..length)), ("i", SentenceValue::number(i))])
            }
        };
        vec![happens, why]
    }
}

impl Lens for FailureTableLens {
    fn len(&self) -> usize {
        self.compared.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let line = match self.last(step) {
            None => 0,
            Some(last) if last.is_equal => 3,
            Some(last) if last.len > 0 => 5,
            Some(_) => 7,
        };
        LensFrame {
            panels: vec![
                LensPanel::new("pattern-on-itself", PanelPosition::Main, PanelBody::Tapes(self.sliding(step))),
                LensPanel::new("failure-table", PanelPosition::Main, PanelBody::Tapes(self.table(step))),
            ],
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("comparisons", step, all),
                LensCount::new("entries-made", self.known(step), self.next.len()),
                LensCount::without_total("words-kept", self.next.len()),
            ],
            line: Some(line),
            outcome: (step == all).then(|| LensOutcome::Table(self.next.clone())),
        }
    }

    fn questions(&self, step: usize, _: QuestionTurn) -> Vec<LensQuestion> {
        let Some(next) = self.compared.get(step) else { return Vec::new() };
        let number = SentenceValue::number;
        let with = LensSentence::new("question.table-with", [("i", number(next.i)), ("border", SentenceValue::A(0..next.len))]);
        let mut all = vec![
            LensQuestion::number(QuestionKind::Inputs, with, next.len as u64, &[0, next.i as u64 - 1]),
            LensQuestion::number(
                QuestionKind::TimeUnits,
                LensSentence::new("question.entries-after", [("i", number(next.i))]),
                next.then.0 as u64,
                &[next.i as u64, next.i as u64 + 1],
            ),
        ];
        if next.then.0 > next.i {
            let says = LensSentence::new("question.table", [("a", SentenceValue::A(0..next.i + 1)), ("i", number(next.i))]);
            all.insert(0, LensQuestion::number(QuestionKind::Value, says, next.then.1 as u64, &[next.len as u64, next.i as u64]));
        } else {
            let says = LensSentence::new("question.fall-back", [("from", number(next.len))]);
            all.insert(0, LensQuestion::number(QuestionKind::Next, says, next.then.1 as u64, &[0, next.len as u64 - 1]));
        }
        all
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::LensName;
    use super::super::question::QuestionReply;
    use super::super::tests::{cases, questions, said};
    use super::*;

    /// Returns the length of the longest proper prefix that is also a suffix, by its definition.
    fn border(text: &[u8]) -> u64 {
        (0..text.len()).rev().find(|length| text.ends_with(&text[..*length])).unwrap_or_default() as u64
    }

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(30, 1) {
            let lens = case.open(LensName::FailureTable, Task::ExactSearch, "");
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                let number = |key| said(&question.prompt, key);
                let expected = match question.prompt.key {
                    "question.table" => border(&case.a[..number("i") + 1]),
                    "question.fall-back" => border(&case.a[..number("from")]),
                    // The prefix that ends before the compared symbol: its length is the index of the symbol to compare
                    // with.
                    "question.table-with" => {
                        let SentenceValue::A(beginning) = &question.prompt.values[1].1 else { panic!("expected a text") };
                        assert!(case.a[..number("i")].ends_with(&case.a[beginning.clone()]));
                        beginning.len() as u64
                    }
                    "question.entries-after" => lens.frame(step + 1).counts[1].now,
                    other => panic!("{other}"),
                };
                assert_eq!(question.expected, QuestionReply::Number(expected));
            }
        }
    }

    #[test]
    fn table_takes_fewer_than_two_comparisons_per_symbol() {
        for case in cases(30, 1) {
            assert!(FailureTableLens::new(&case.texts()).compared.len() <= (2 * case.a.len()).saturating_sub(2));
        }
    }
}
