//! Construction of the failure table of Knuth, Morris and Pratt, `getNext` in section VI of paper 004. A step is a
//! comparison.
//!
//! The pattern slides along itself: `next[i]` is the length of the longest proper prefix of the pattern that ends at
//! `i`.

use super::frame::{Arrow, Body, Count, Entry, Frame, Label, Mark, Outcome, Panel, Place, Said, Shown, Tape, Tapes, Value};
use super::question::{Asked, Question, Turn};
use super::{Lens, Line, Phrase, Texts, line};

/// Phrases of this lens.
pub(super) const SAYS: &[Phrase] = &[
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

const CODE: &[Line] = &[
    line("", "len = 0; next[0] = 0; i = 1"),
    line("", "while (i < pattern_len)"),
    line("", "  if (pattern[i] == pattern[len])"),
    line("", "    len++; next[i] = len; i++"),
    line("", "  else if (len != 0)"),
    line("", "    len = next[len - 1]"),
    line("", "  else"),
    line("", "    next[i] = 0; i++"),
];

/// A comparison of `pattern[i]` with `pattern[len]`, and the values of both for the next one.
#[derive(Clone, Copy)]
struct Compared {
    i: usize,
    len: usize,
    is_equal: bool,
    then: (usize, usize),
}

pub(super) struct Table {
    next: Vec<u32>,
    compared: Vec<Compared>,
}

impl Table {
    pub(super) fn new(texts: &Texts) -> Self {
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
            compared.push(Compared { i, len, is_equal, then });
            (i, len) = then;
        }
        Self { next, compared }
    }

    fn last(&self, step: usize) -> Option<Compared> {
        step.checked_sub(1).map(|last| self.compared[last])
    }

    /// Returns the number of entries of the table that are known after `step` steps.
    fn known(&self, step: usize) -> usize {
        self.last(step).map_or(self.next.len().min(1), |last| last.then.0)
    }

    /// Draws the pattern, and under it the pattern at the position at which it is compared.
    fn sliding(&self, step: usize) -> Tapes {
        let m = self.next.len();
        let mut above: Vec<Entry> = (0..m).map(|at| Entry::new(Shown::A(at))).collect();
        let mut below = above.clone();
        let last = self.last(step);
        if let Some(last) = last {
            let mark = if last.is_equal { Mark::Equal } else { Mark::Different };
            below[..last.len].iter_mut().for_each(|cell| cell.add(Mark::Known));
            for cell in [&mut above[last.i], &mut below[last.len]] {
                *cell = cell.mark(Mark::Compared).mark(mark);
            }
        }
        let offset = last.map_or(1, |last| last.i - last.len);
        let tapes = vec![
            Tape { label: Label::code("pattern"), cells: above, cursor: last.map(|last| last.i), ..Tape::default() },
            Tape { label: Label::code("pattern"), offset, cells: below, cursor: last.map(|last| last.len), ..Tape::default() },
        ];
        Tapes { columns: 2 * m + 1, numbered: Some(0), tapes, arrows: Vec::new() }
    }

    fn table(&self, step: usize) -> Tapes {
        let known = self.known(step);
        let last = self.last(step);
        let made = last.filter(|last| last.then.0 > last.i).map(|last| last.i);
        let fallen = last.filter(|last| last.then.0 == last.i);
        let cell = |(at, length): (usize, &u32)| match at < known {
            true => {
                let is_read = fallen.is_some_and(|fallen| fallen.len - 1 == at);
                Entry::number(*length).mark_if(made == Some(at), Mark::New).mark_if(is_read, Mark::Chosen)
            }
            false => Entry::new(Shown::Unknown).mark(Mark::Ahead),
        };
        let pattern = (0..self.next.len()).map(|at| Entry::new(Shown::A(at))).collect();
        let arrow = |fallen: Compared| {
            let values = [("from", Value::number(fallen.len)), ("to", Value::number(fallen.then.1))];
            Arrow { from: (1, fallen.len - 1), to: (1, fallen.then.1), note: Some(Said::new("sliding.fall-back", values)) }
        };
        let tapes = vec![
            Tape { label: Label::code("pattern"), cells: pattern, ..Tape::default() },
            Tape { label: Label::code("next"), cells: self.next.iter().enumerate().map(cell).collect(), ..Tape::default() },
        ];
        Tapes { columns: self.next.len(), numbered: Some(0), tapes, arrows: fallen.map(arrow).into_iter().collect() }
    }

    fn says(&self, step: usize) -> Vec<Said> {
        let m = ("m", Value::number(self.next.len()));
        let happens = match self.last(step) {
            None => Said::new("table.begin", [m.clone()]),
            Some(Compared { i, len, is_equal, then }) => {
                let (a, at) = (("a", Value::a(i)), ("i", Value::number(i)));
                match (is_equal, len) {
                    (true, _) => Said::new("table.equal", [a, at, ("length", Value::number(then.1))]),
                    (false, 0) => Said::new("table.none", [a, at]),
                    (false, _) => {
                        let (from, to) = (("from", Value::number(len)), ("to", Value::number(then.1)));
                        Said::new("table.fall-back", [a, ("other", Value::a(len)), at, from, to])
                    }
                }
            }
        };
        let why = match self.last(step) {
            _ if step == self.len() => Said::new("table.end", [m, ("comparisons", Value::number(step))]),
            last => {
                let (i, length) = last.map_or((1, 0), |last| last.then);
                Said::new("table.why", [("border", Value::A(0..length)), ("i", Value::number(i))])
            }
        };
        vec![happens, why]
    }
}

impl Lens for Table {
    fn len(&self) -> usize {
        self.compared.len()
    }

    fn frame(&self, step: usize) -> Frame {
        let all = self.len();
        let step = step.min(all);
        let line = match self.last(step) {
            None => 0,
            Some(last) if last.is_equal => 3,
            Some(last) if last.len > 0 => 5,
            Some(_) => 7,
        };
        Frame {
            panels: vec![
                Panel::new("pattern-on-itself", Place::Main, Body::Tapes(self.sliding(step))),
                Panel::new("failure-table", Place::Main, Body::Tapes(self.table(step))),
            ],
            says: self.says(step),
            counts: vec![
                Count::new("comparisons", step, all),
                Count::new("entries-made", self.known(step), self.next.len()),
                Count::only("words-kept", self.next.len()),
            ],
            line: Some(line),
            outcome: (step == all).then(|| Outcome::Table(self.next.clone())),
        }
    }

    fn questions(&self, step: usize, _: Turn) -> Vec<Question> {
        let Some(next) = self.compared.get(step) else { return Vec::new() };
        let number = Value::number;
        let with = Said::new("question.table-with", [("i", number(next.i)), ("border", Value::A(0..next.len))]);
        let mut all = vec![
            Question::number(Asked::Inputs, with, next.len as u64, &[0, next.i as u64 - 1]),
            Question::number(
                Asked::TimeUnits,
                Said::new("question.entries-after", [("i", number(next.i))]),
                next.then.0 as u64,
                &[next.i as u64, next.i as u64 + 1],
            ),
        ];
        if next.then.0 > next.i {
            let says = Said::new("question.table", [("a", Value::A(0..next.i + 1)), ("i", number(next.i))]);
            all.insert(0, Question::number(Asked::Value, says, next.then.1 as u64, &[next.len as u64, next.i as u64]));
        } else {
            let says = Said::new("question.fall-back", [("from", number(next.len))]);
            all.insert(0, Question::number(Asked::Next, says, next.then.1 as u64, &[0, next.len as u64 - 1]));
        }
        all
    }

    fn code(&self) -> &'static [Line] {
        CODE
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::Name;
    use super::super::question::Reply;
    use super::super::tests::{cases, questions, said};
    use super::*;

    /// Returns the length of the longest proper prefix that is also a suffix, by its definition.
    fn border(text: &[u8]) -> u64 {
        (0..text.len()).rev().find(|length| text.ends_with(&text[..*length])).unwrap_or_default() as u64
    }

    #[test]
    fn questions_are_answered_as_the_definition_does() {
        for case in cases(30, 1) {
            let lens = case.open(Name::FailureTable, Task::ExactSearch, "");
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                let number = |key| said(&question.says, key);
                let expected = match question.says.key {
                    "question.table" => border(&case.a[..number("i") + 1]),
                    "question.fall-back" => border(&case.a[..number("from")]),
                    // The prefix that ends before the compared symbol: its length is the index of the symbol to compare
                    // with.
                    "question.table-with" => {
                        let Value::A(beginning) = &question.says.values[1].1 else { panic!("a text") };
                        assert!(case.a[..number("i")].ends_with(&case.a[beginning.clone()]));
                        beginning.len() as u64
                    }
                    "question.entries-after" => lens.frame(step + 1).counts[1].now,
                    other => panic!("{other}"),
                };
                assert_eq!(question.expected, Reply::Number(expected));
            }
        }
    }

    #[test]
    fn it_takes_fewer_than_two_comparisons_a_symbol() {
        for case in cases(30, 1) {
            assert!(Table::new(&case.texts()).compared.len() <= (2 * case.a.len()).saturating_sub(2));
        }
    }
}
