//! The lens of the sliding pattern: exact search with the pattern under the text, symbol by symbol. A step is a
//! comparison of two symbols.
//!
//! - naive (section V.A of paper 004): compares at each position until two symbols differ
//! - Knuth, Morris and Pratt (section VI of paper 004): the failure table gives the distance by which the pattern
//!   slides, and the number of symbols known to be equal
//!
//! After an equal pair, the loop of `KMP` in the paper tests the next pair twice. The second comparison is not counted,
//! because a program that stores the outcome does not repeat it.

use kernels::methods::exact_search::kmp::get_next;

use super::frame::{
    BarChart, CellTape, ChartBar, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody, PanelCell,
    PanelPosition, SentenceValue, ShownValue, TapeArrow, TapeTable,
};
use super::question::{LensQuestion, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

mod questions;

/// Number of positions of the pattern that are shown below the text. These are the latest positions.
const SHOWN_POSITIONS: usize = 7;

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("sliding.begin", &["m", "n"]),
    ("sliding.equal", &["a", "i", "j"]),
    ("sliding.differ", &["a", "b", "i", "j"]),
    ("sliding.found", &["at", "a"]),
    ("kmp.known", &["keep", "known", "by"]),
    ("kmp.unknown", &["by"]),
    ("kmp.table-why", &["m"]),
    ("kmp.end", &["found", "comparisons", "naive"]),
    ("naive.next", &["at", "back"]),
    ("naive.why", &["m", "n"]),
    ("naive.end", &["found", "comparisons"]),
    ("sliding.comparisons", &["comparisons"]),
    ("sliding.comparisons-found", &["comparisons"]),
    ("sliding.known", &["keep"]),
    ("sliding.fall-back", &["from", "to"]),
    ("question.slide", &["a", "b", "i", "j"]),
    ("question.read-next", &["a", "b", "i", "j"]),
    ("question.entry-read", &["equal"]),
    ("question.entry-says", &["known"]),
    ("question.compared-with", &["i"]),
    ("question.comparisons-at", &["at"]),
    ("question.naive-between", &["from", "to"]),
    ("why.entry-read", &["equal", "entry"]),
    ("why.entry-says", &["border", "known"]),
    ("why.compared-with", &["at", "j"]),
    ("why.all-equal", &["equal"]),
    ("why.equal-first", &["equal"]),
];

const KMP: &[CodeLine] = &[
    line("1", "while (i < text_len) {"),
    line("2", "  if (pattern[j] == text[i]) {"),
    line("3", "    j++; i++;"),
    line("4", "  }"),
    line("5", "  if (j == pattern_len) {"),
    line("6", "    answer[i - j] = 1;"),
    line("7", "    j = next[j - 1];"),
    line("8", "  }"),
    line("9", "  else if (pattern[j] != text[i]) {"),
    line("10", "    if (j != 0)"),
    line("11", "      j = next[j - 1];"),
    line("12", "    else"),
    line("13", "      i = i + 1;"),
    line("14", "  }"),
    line("15", "}"),
];

const NAIVE: &[CodeLine] = &[
    line("", "for at = 0 to n − m"),
    line("", "  j = 0"),
    line("", "  while j < m and pattern[j] == text[at + j]"),
    line("", "    j = j + 1"),
    line("", "  if j == m"),
    line("", "    answer[at] = 1"),
];

/// A comparison of `pattern[j]` with `text[i]`. `next` has the values of `i` and `j` in the next comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SlidingComparison {
    i: usize,
    j: usize,
    is_equal: bool,
    next: (usize, usize),
}

pub(super) struct SlidingLens {
    m: usize,
    n: usize,
    /// The failure table of the method of Knuth, Morris and Pratt; `None` for the naive search.
    next: Option<Vec<usize>>,
    compared: Vec<SlidingComparison>,
    /// For each comparison that a naive search of the same texts makes, the position of the pattern's first symbol in
    /// the text.
    naive: Vec<usize>,
}

impl SlidingComparison {
    /// Returns the position in the text of the pattern's first symbol in this comparison.
    fn at(&self) -> usize {
        self.i - self.j
    }

    /// Returns the position in the text of the pattern's first symbol in the next comparison.
    fn then(&self) -> usize {
        self.next.0 - self.next.1
    }
}

impl SlidingLens {
    pub(super) fn naive(texts: &LensTexts) -> Self {
        let compared = naive(texts);
        let at = compared.iter().map(SlidingComparison::at).collect();
        Self { m: texts.a.len(), n: texts.b.len(), next: None, compared, naive: at }
    }

    pub(super) fn kmp(texts: &LensTexts) -> Self {
        let next = get_next(&texts.a);
        let compared = kmp(texts, &next);
        let at = naive(texts).iter().map(SlidingComparison::at).collect();
        Self { m: texts.a.len(), n: texts.b.len(), next: Some(next), compared, naive: at }
    }

    fn is_found(&self, compared: &SlidingComparison) -> bool {
        compared.is_equal && compared.j + 1 == self.m
    }

    fn found(&self, steps: usize) -> Vec<usize> {
        self.compared[..steps].iter().filter(|one| self.is_found(one)).map(SlidingComparison::at).collect()
    }

    /// Returns the number of comparisons that a naive search makes at the positions that the pattern has left after
    /// `step` steps.
    fn naive_so_far(&self, step: usize) -> usize {
        let here = step.checked_sub(1).map_or(0, |last| self.compared[last].then());
        if step == self.compared.len() { self.naive.len() } else { self.naive.iter().filter(|at| **at < here).count() }
    }

    /// Returns the rows after `step` steps: the text and, below it, the pattern at its latest positions.
    fn places(&self, step: usize) -> TapeTable {
        let done = &self.compared[..step];
        let mut text: Vec<PanelCell> = (0..self.n).map(|i| PanelCell::new(ShownValue::B(i))).collect();
        let last = done.last();
        if let Some(last) = last {
            let mark = if last.is_equal { LensMark::Equal } else { LensMark::Different };
            text[last.i] = text[last.i].with_mark(LensMark::Compared).with_mark(mark);
            let (i, j) = last.next;
            text[i - j..i].iter_mut().for_each(|cell| cell.add(LensMark::Known));
        }
        let cursor = last.map(|last| last.next.0.min(self.n)).or((step == 0 && self.n > 0).then_some(0));
        let mut tapes = vec![CellTape { label: LensLabel::key("text"), cells: text, cursor, ..CellTape::default() }];
        let mut tried: Vec<(usize, CellTape)> = Vec::new();
        // Number of first symbols of the pattern that are known to be equal at the next position of the pattern.
        let mut known = 0;
        for one in done {
            if tried.last().is_none_or(|(at, _)| *at != one.at()) {
                tried.push((one.at(), self.pattern(one.at(), known)));
            }
            let Some((_, tape)) = tried.last_mut() else { continue };
            let cell = &mut tape.cells[one.j];
            *cell = cell.with_mark(if one.is_equal { LensMark::Equal } else { LensMark::Different });
            let count = tape.cells.iter().filter(|cell| cell.marks.has(LensMark::Equal) || cell.marks.has(LensMark::Different)).count();
            let key = if self.is_found(one) { "sliding.comparisons-found" } else { "sliding.comparisons" };
            tape.note = Some(LensSentence::new(key, [("comparisons", SentenceValue::number(count))]));
            if self.is_found(one) {
                tape.cells.iter_mut().for_each(|cell| cell.add(LensMark::Found));
            }
            known = one.next.1;
        }
        let (here, from) = last.map_or((0, None), |last| (last.then(), Some(last.at())));
        if let (Some(last), Some((_, tape))) = (last, tried.last_mut()) {
            tape.cells[last.j].add(LensMark::Compared);
        }
        let slid = from.is_some_and(|from| from != here) && here + self.m <= self.n;
        if slid || (from.is_none() && self.m > 0 && self.m <= self.n) {
            let mut tape = self.pattern(here, known);
            tape.note = (known > 0).then(|| LensSentence::new("sliding.known", [("keep", SentenceValue::number(known))]));
            tried.push((here, tape));
        }
        let first = tried.len().saturating_sub(SHOWN_POSITIONS);
        tapes.extend(tried.drain(first..).map(|(_, tape)| tape));
        // An arrow from the previous position of the pattern to the current one.
        let row = tapes.len() - 1;
        let arrows = if slid && row >= 2 { vec![TapeArrow { from: (row - 1, 0), to: (row, 0), note: None }] } else { Vec::new() };
        TapeTable { columns: self.n + self.m, numbered: Some(0), tapes, arrows }
    }

    fn pattern(&self, at: usize, known: usize) -> CellTape {
        let cells = (0..self.m).map(|j| PanelCell::new(ShownValue::A(j)).mark_if(j < known, LensMark::Known)).collect();
        CellTape { label: LensLabel::key("pattern"), offset: at, cells, ..CellTape::default() }
    }

    /// Returns the rows for the pattern and for the failure table `next`, with the entry that step `step` has read. For
    /// each symbol, a third row has the distance by which the pattern slides after a mismatch at this symbol.
    fn table(&self, next: &[usize], step: usize) -> TapeTable {
        let mut pattern: Vec<PanelCell> = (0..self.m).map(|j| PanelCell::new(ShownValue::A(j))).collect();
        let mut table: Vec<PanelCell> = next.iter().map(|length| PanelCell::number(*length)).collect();
        let slide = |j: usize| j.checked_sub(1).map_or(1, |before| j - next[before]);
        let mut slides: Vec<PanelCell> = (0..self.m).map(|j| PanelCell::number(slide(j))).collect();
        let mut arrows = Vec::new();
        let last = step.checked_sub(1).map(|last| self.compared[last]);
        // Number of symbols that are equal at this position of the pattern before the table is read.
        let equal = last.map_or(0, |last| last.j + usize::from(last.is_equal));
        if let Some(last) = last {
            if !last.is_equal {
                pattern[last.j].add(LensMark::Different);
                slides[last.j].add(LensMark::Chosen);
            }
            if equal > 0 && (!last.is_equal || equal == self.m) {
                let keep = next[equal - 1];
                table[equal - 1].add(LensMark::Chosen);
                pattern[..keep].iter_mut().for_each(|cell| cell.add(LensMark::Known));
                let note =
                    LensSentence::new("sliding.fall-back", [("from", SentenceValue::number(equal)), ("to", SentenceValue::number(keep))]);
                arrows.push(TapeArrow { from: (1, equal - 1), to: (1, keep), note: Some(note) });
            }
        }
        let cursor = last.map(|last| last.next.1);
        let tapes = vec![
            CellTape { label: LensLabel::code("pattern"), cells: pattern, cursor, ..CellTape::default() },
            CellTape { label: LensLabel::code("next"), cells: table, has_arrows: true, ..CellTape::default() },
            CellTape { label: LensLabel::key("slide-by"), cells: slides, ..CellTape::default() },
        ];
        TapeTable { columns: self.m, numbered: Some(0), tapes, arrows }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let (m, n) = (("m", SentenceValue::number(self.m)), ("n", SentenceValue::number(self.n)));
        let last = step.checked_sub(1).map(|last| self.compared[last]);
        let happens = match last {
            None => LensSentence::new("sliding.begin", [m.clone(), n.clone()]),
            Some(last) if self.is_found(&last) => {
                LensSentence::new("sliding.found", [("at", SentenceValue::number(last.at())), ("a", SentenceValue::A(0..self.m))])
            }
            Some(last) => {
                let (i, j) = (("i", SentenceValue::number(last.i)), ("j", SentenceValue::number(last.j)));
                let (a, b) = (("a", SentenceValue::a(last.j)), ("b", SentenceValue::b(last.i)));
                if last.is_equal {
                    LensSentence::new("sliding.equal", [a, i, j])
                } else {
                    LensSentence::new("sliding.differ", [a, b, i, j])
                }
            }
        };
        let count = |key, count: usize| (key, SentenceValue::number(count));
        let why = match (last, &self.next) {
            _ if step == self.compared.len() => {
                let mut values = vec![count("found", self.found(step).len()), count("comparisons", step)];
                if self.next.is_some() {
                    values.push(count("naive", self.naive.len()));
                }
                LensSentence::new(if self.next.is_some() { "kmp.end" } else { "naive.end" }, values)
            }
            (Some(last), Some(_)) if last.at() != last.then() => {
                let (keep, by) = (last.next.1, count("by", last.then() - last.at()));
                match keep {
                    0 => LensSentence::new("kmp.unknown", [by]),
                    _ => LensSentence::new("kmp.known", [count("keep", keep), ("known", SentenceValue::A(0..keep)), by]),
                }
            }
            (Some(last), None) if last.at() != last.then() => {
                LensSentence::new("naive.next", [count("at", last.then()), count("back", last.i + 1 - last.next.0)])
            }
            (_, Some(_)) => LensSentence::new("kmp.table-why", [m]),
            (_, None) => LensSentence::new("naive.why", [m, n]),
        };
        vec![happens, why]
    }
}

impl Lens for SlidingLens {
    fn len(&self) -> usize {
        self.compared.len()
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let mut panels = vec![LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(self.places(step)))];
        let bar = |key, now: usize, total: usize| ChartBar {
            label: LensLabel::key(key),
            from: 0,
            now: now as u64,
            total: total as u64,
            mark: None,
        };
        let mut counts = vec![LensCount::new("comparisons", step, all)];
        if let Some(next) = &self.next {
            let naive = self.naive_so_far(step);
            panels.push(LensPanel::new("failure-table", PanelPosition::Below, PanelBody::Tapes(self.table(next, step))));
            let bars = vec![bar("lens.kmp", step, all), bar("lens.naive", naive, self.naive.len())];
            panels.push(LensPanel::new("comparisons", PanelPosition::Below, PanelBody::Bars(BarChart { bars, ticks: Vec::new() })));
            counts.push(LensCount::new("comparisons-naive", naive, self.naive.len()));
            counts.push(LensCount::without_total("words-kept", self.m));
        }
        let positions = || match self.m {
            // An empty pattern occurs everywhere, without a comparison.
            0 => (0..=self.n).collect(),
            _ => self.found(all),
        };
        counts.push(LensCount::new("found", self.found(step).len(), self.found(all).len()));
        let last = step.checked_sub(1).map(|last| self.compared[last]);
        let line = match (last, self.next.is_some()) {
            (None, _) => 0,
            (Some(last), true) if self.is_found(&last) => 6,
            (Some(last), true) if last.is_equal => 2,
            (Some(last), true) if last.j > 0 => 10,
            (Some(_), true) => 12,
            (Some(last), false) if self.is_found(&last) => 5,
            (Some(last), false) if last.is_equal => 3,
            (Some(_), false) => 0,
        };
        LensFrame {
            panels,
            sentences: self.sentences(step),
            counts,
            line: Some(line),
            outcome: (step == all).then(|| LensOutcome::Positions(positions())),
        }
    }

    fn questions(&self, step: usize, _: QuestionTurn) -> Vec<LensQuestion> {
        self.build_questions(step)
    }

    fn code(&self) -> &'static [CodeLine] {
        if self.next.is_some() { KMP } else { NAIVE }
    }
}

fn naive(texts: &LensTexts) -> Vec<SlidingComparison> {
    let (m, n) = (texts.a.len(), texts.b.len());
    let mut compared = Vec::new();
    for at in 0..(n + 1).saturating_sub(m) {
        for j in 0..m {
            let is_equal = texts.equal(j, at + j);
            let is_over = !is_equal || j + 1 == m;
            compared.push(SlidingComparison { i: at + j, j, is_equal, next: if is_over { (at + 1, 0) } else { (at + j + 1, j + 1) } });
            if is_over {
                break;
            }
        }
    }
    compared
}

fn kmp(texts: &LensTexts, next: &[usize]) -> Vec<SlidingComparison> {
    let (m, n) = (texts.a.len(), texts.b.len());
    let (mut i, mut j) = (0, 0);
    let mut compared = Vec::new();
    while i < n && m > 0 {
        let is_equal = texts.equal(j, i);
        let then = match is_equal {
            true if j + 1 == m => (i + 1, next[j]),
            true => (i + 1, j + 1),
            false if j > 0 => (i, next[j - 1]),
            false => (i + 1, 0),
        };
        compared.push(SlidingComparison { i, j, is_equal, next: then });
        (i, j) = then;
    }
    compared
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::methods::exact_search;

    use super::super::LensName;
    use super::super::tests::{Case, cases};
    use super::*;

    #[test]
    fn worked_example_takes_34_comparisons_and_69_without_a_table() {
        let case = Case::new("abacabad", "abacabacabadabacababacabacabad");
        let (kmp, naive) = (case.open(LensName::Kmp, Task::ExactSearch, ""), case.open(LensName::Naive, Task::ExactSearch, ""));
        assert_eq!((kmp.len(), naive.len()), (34, 69));
        assert_eq!(kmp.frame(34).outcome, Some(LensOutcome::Positions(vec![4, 22])));
    }

    #[test]
    fn naive_search_makes_the_comparisons_of_the_method() {
        for case in cases(30, 60) {
            let mut ticks = 0;
            let tick = &mut |more| {
                ticks += more;
                Ok(())
            };
            exact_search::naive::naive(&case.a, &case.b, tick).unwrap();
            assert_eq!(case.open(LensName::Naive, Task::ExactSearch, "").len() as u64, ticks);
        }
    }

    #[test]
    fn search_with_a_table_compares_no_pair_twice_and_never_goes_back() {
        for case in cases(30, 60) {
            let lens = SlidingLens::kmp(&case.texts());
            assert!(lens.compared.len() <= 2 * case.b.len());
            assert!(lens.compared.is_sorted_by(|one, next| one.i <= next.i && one.at() <= next.at()));
            let mut pairs: Vec<_> = lens.compared.iter().map(|one| (one.i, one.j)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), lens.compared.len());
        }
    }

    #[test]
    fn table_gives_the_shift_of_the_pattern() {
        for case in cases(30, 60) {
            let lens = SlidingLens::kmp(&case.texts());
            for step in 1..=lens.len() {
                let (last, frame) = (lens.compared[step - 1], lens.frame(step));
                let PanelBody::Tapes(table) = &frame.panels[1].body else { panic!("expected tapes") };
                let chosen = table.tapes[2].cells.iter().find(|cell| cell.marks.has(LensMark::Chosen));
                let by = (!last.is_equal).then(|| PanelCell::number(last.then() - last.at()).value);
                assert_eq!(chosen.map(|cell| cell.value), by, "{step}");
            }
        }
    }

    #[test]
    fn cells_marked_as_known_are_equal() {
        for case in cases(30, 60) {
            let lens = case.open(LensName::Kmp, Task::ExactSearch, "");
            for step in 0..=lens.len() {
                let frame = lens.frame(step);
                let PanelBody::Tapes(tapes) = &frame.panels[0].body else { panic!("expected tapes") };
                for tape in &tapes.tapes[1..] {
                    for (j, cell) in tape.cells.iter().enumerate() {
                        let is_equal = case.b.get(tape.offset + j) == Some(&case.a[j]);
                        assert!(is_equal || !(cell.marks.has(LensMark::Known) || cell.marks.has(LensMark::Equal)), "{step}");
                        assert!(!(is_equal && cell.marks.has(LensMark::Different)), "{step}");
                    }
                }
            }
        }
    }
}
