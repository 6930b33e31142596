//! The lens of exact search in pieces: the method of Knuth, Morris and Pratt with one thread per piece of the text
//! (section VII of paper 004). In a step, each thread runs one round of its loop.
//!
//! Half of the threads have pieces of 2m symbols, where m is the length of the pattern. The other half, the aid
//! threads, have the 2m symbols around the ends of these pieces. A thread that has read its piece waits for the other
//! threads. A position that two threads find is marked once.

use std::ops::Range;

use kernels::methods::exact_search::kmp::get_next;
use kernels::methods::exact_search::kmp_blocks::pieces;

use super::frame::{
    CellTape, ChartLane, LaneChart, LaneSpan, LensCount, LensFrame, LensLabel, LensMark, LensOutcome, LensPanel, LensSentence, PanelBody,
    PanelCell, PanelPosition, SentenceValue, ShownValue, TapeTable,
};
use super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::{CodeLine, Lens, LensTexts, SentenceTemplate, line};

/// The sentences that this lens can show: for each, its key in the catalogue of translated sentences, and the names of
/// the values to insert.
pub(super) const SAYS: &[SentenceTemplate] = &[
    ("pieces.begin", &["threads", "m", "n"]),
    ("pieces.round", &["round", "working", "waiting"]),
    ("pieces.found", &["round", "working", "at"]),
    ("pieces.why", &["piece"]),
    ("pieces.end", &["found", "rounds"]),
    ("question.threads-at-work", &["round"]),
    ("question.cursor-next", &["thread", "i", "j"]),
    ("question.piece-start", &["thread", "m"]),
    ("question.aid-start", &["thread", "m"]),
    ("question.piece-length", &["thread", "m", "n"]),
    ("why.piece-length", &["start", "end"]),
];

const CODE: &[CodeLine] = &[
    line("", "offset = 2 * pattern_len"),
    line("", "if (id < 0.5 * (array_len / pattern_len))"),
    line("", "  cursor = id * offset; end = id * offset + offset"),
    line("", "else"),
    line("", "  id = id % ((array_len / pattern_len) / 2)"),
    line("", "  cursor = id * offset + offset - pattern_len"),
    line("", "  end = id * offset + offset + pattern_len"),
    line("", "KMP(pattern, pattern_len, array, array_len, answer, next, cursor, end)"),
];

/// The state of a thread: the position `i` in the text and the position `j` in the pattern of the two symbols to
/// compare next.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ThreadState {
    i: usize,
    j: usize,
}

pub(super) struct PiecesLens {
    m: usize,
    n: usize,
    pieces: Vec<Range<usize>>,
    /// The states of all threads after each round, from round 0 on.
    rounds: Vec<Vec<ThreadState>>,
    /// The occurrences that threads have found, each as the round and the position of the occurrence in the text.
    found: Vec<(usize, usize)>,
}

impl PiecesLens {
    pub(super) fn new(texts: &LensTexts) -> Self {
        let (m, n) = (texts.a.len(), texts.b.len());
        // An empty pattern occurs everywhere, so that no thread is needed.
        let pieces = if m == 0 { Vec::new() } else { pieces(m, n) };
        let next = get_next(&texts.a);
        let mut rounds = vec![pieces.iter().map(|piece| ThreadState { i: piece.start, j: 0 }).collect::<Vec<_>>()];
        let mut found = Vec::new();
        loop {
            let before = &rounds[rounds.len() - 1];
            if before.iter().zip(&pieces).all(|(at, piece)| at.i >= piece.end) {
                break;
            }
            let round = |(at, piece): (&ThreadState, &Range<usize>)| {
                let (at, is_found) = turn(texts, &next, *at, piece.end);
                if is_found {
                    found.push((rounds.len(), at.i - m));
                }
                at
            };
            let after = before.iter().zip(&pieces).map(round).collect();
            rounds.push(after);
        }
        Self { m, n, pieces, rounds, found }
    }

    fn works(&self, step: usize, thread: usize) -> bool {
        self.rounds[step][thread].i < self.pieces[thread].end
    }

    /// Returns the number of threads that work in round `round` (from 1).
    fn working(&self, round: usize) -> usize {
        (0..self.pieces.len()).filter(|thread| self.works(round - 1, *thread)).count()
    }

    /// Returns whether `thread` is an aid thread, which searches around the end of another thread's piece.
    fn is_aid(&self, thread: usize) -> bool {
        2 * thread >= self.pieces.len()
    }

    fn positions(&self, step: usize) -> Vec<usize> {
        let found = self.found.iter().filter(|(round, _)| *round <= step);
        let mut positions: Vec<usize> = found.map(|(_, at)| *at).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    fn text(&self, step: usize) -> TapeTable {
        let mut text: Vec<PanelCell> = (0..self.n).map(|i| PanelCell::new(ShownValue::B(i))).collect();
        for (thread, at) in self.rounds[step].iter().enumerate() {
            if self.works(step, thread) {
                text[at.i].add(LensMark::Read);
            }
        }
        let mut answer = vec![PanelCell::default(); self.n];
        for at in self.positions(step) {
            answer[at] = PanelCell::number(1usize).with_mark(LensMark::Found);
            text[at..at + self.m].iter_mut().for_each(|cell| cell.add(LensMark::Found));
        }
        let now: Vec<usize> = self.found.iter().filter(|(round, _)| *round == step).map(|(_, at)| *at).collect();
        now.into_iter().for_each(|at| answer[at].add(LensMark::New));
        let tapes = vec![
            CellTape { label: LensLabel::code("array"), cells: text, ..CellTape::default() },
            CellTape { label: LensLabel::code("answer"), cells: answer, ..CellTape::default() },
        ];
        TapeTable { columns: self.n, numbered: Some(0), tapes, arrows: Vec::new() }
    }

    /// Returns a chart of the pieces along the text, with one row per thread. Each row shows the symbols that the
    /// thread has read after `step` steps.
    fn lanes(&self, step: usize) -> LaneChart {
        let lane = |(thread, piece): (usize, &Range<usize>)| {
            let ThreadState { i, j } = self.rounds[step][thread];
            let works = self.works(step, thread);
            let span = |range: Range<usize>, mark: LensMark| {
                let entry = PanelCell { owner: Some(thread as u16), ..PanelCell::default() }.with_mark(mark);
                let entry = entry.mark_if(self.is_aid(thread), LensMark::Overlap).mark_if(!works, LensMark::Idle);
                (!range.is_empty()).then_some(LaneSpan { range, entry })
            };
            // The symbols that agree with the pattern, the next one, and the unread ones.
            let equal = i - j;
            let next = if works { i + 1 } else { i };
            let spans = [
                span(piece.start..equal, LensMark::Kept),
                span(equal..i, LensMark::Known),
                span(i..next, LensMark::Read),
                span(next..piece.end.max(next), LensMark::Ahead),
            ];
            let label = LensLabel::key(if self.is_aid(thread) { "aid-thread" } else { "thread" });
            ChartLane {
                label: label.with_index(ShownValue::Number(thread as u32)),
                spans: spans.into_iter().flatten().collect(),
                note: None,
            }
        };
        let lanes = self.pieces.iter().enumerate().map(lane).collect();
        LaneChart { axis: "positions", length: self.n, first: 0, now: None, lanes }
    }

    fn sentences(&self, step: usize) -> Vec<LensSentence> {
        let threads = self.pieces.len();
        let happens = match step {
            0 => LensSentence::new(
                "pieces.begin",
                [("threads", SentenceValue::number(threads)), ("m", SentenceValue::number(self.m)), ("n", SentenceValue::number(self.n))],
            ),
            _ => {
                let working = self.working(step);
                let now: Vec<u64> = self.found.iter().filter(|(round, _)| *round == step).map(|(_, at)| *at as u64).collect();
                let (round, working_now) = (("round", SentenceValue::number(step)), ("working", SentenceValue::number(working)));
                match now.is_empty() {
                    true => LensSentence::new("pieces.round", [round, working_now, ("waiting", SentenceValue::number(threads - working))]),
                    false => LensSentence::new("pieces.found", [round, working_now, ("at", SentenceValue::Numbers(now))]),
                }
            }
        };
        let why = match step == self.len() {
            true => LensSentence::new(
                "pieces.end",
                [("found", SentenceValue::number(self.positions(step).len())), ("rounds", SentenceValue::number(step))],
            ),
            false => LensSentence::new("pieces.why", [("piece", SentenceValue::number(2 * self.m))]),
        };
        vec![happens, why]
    }
}

impl Lens for PiecesLens {
    fn len(&self) -> usize {
        self.rounds.len() - 1
    }

    fn frame(&self, step: usize) -> LensFrame {
        let all = self.len();
        let step = step.min(all);
        let turns = |step: usize| (1..=step).map(|round| self.working(round)).sum();
        let positions = || if self.m == 0 { (0..=self.n).collect() } else { self.positions(all) };
        LensFrame {
            panels: vec![
                LensPanel::new("text", PanelPosition::Main, PanelBody::Tapes(self.text(step))),
                LensPanel::new("pieces", PanelPosition::Main, PanelBody::Lanes(self.lanes(step))),
            ],
            sentences: self.sentences(step),
            counts: vec![
                LensCount::new("rounds", step, all),
                LensCount::new("turns-of-threads", turns(step), turns(all)),
                LensCount::without_total("threads-at-work", if step == 0 { 0 } else { self.working(step) }),
                LensCount::new("found", self.positions(step).len(), self.positions(all).len()),
            ],
            line: Some(if step == 0 { 0 } else { 7 }),
            outcome: (step == all).then(|| LensOutcome::Positions(positions())),
        }
    }

    fn questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        if step >= self.len() {
            return Vec::new();
        }
        let number = SentenceValue::number;
        let says = LensSentence::new("question.threads-at-work", [("round", number(step + 1))]);
        let at_work = LensQuestion::number(QuestionKind::Value, says, self.working(step + 1) as u64, &[self.pieces.len() as u64]);
        let thread = turn.place(self.pieces.len());
        let (piece, aid) = (&self.pieces[thread], self.is_aid(thread));
        let values = [("thread", number(thread)), ("m", number(self.m))];
        let says = LensSentence::new(if aid { "question.aid-start" } else { "question.piece-start" }, values.clone());
        let others = [(thread * self.m) as u64, (thread * 2 * self.m) as u64, piece.end as u64];
        let start = LensQuestion::number(QuestionKind::Inputs, says, piece.start as u64, &others);
        let says = LensSentence::new("question.piece-length", [("thread", number(thread)), ("m", number(self.m)), ("n", number(self.n))]);
        let why = LensSentence::new("why.piece-length", [("start", number(piece.start)), ("end", number(piece.end))]);
        let length =
            LensQuestion::number(QuestionKind::TimeUnits, says, piece.len() as u64, &[self.m as u64, self.n as u64]).with_reason(why);
        let mut all = vec![at_work, start, length];
        let working: Vec<usize> = (0..self.pieces.len()).filter(|thread| self.works(step, *thread)).collect();
        if let Some(thread) = working.get(turn.place(working.len())).copied() {
            let (ThreadState { i, j }, then) = (self.rounds[step][thread], self.rounds[step + 1][thread]);
            let values = [("thread", number(thread)), ("i", number(i)), ("j", number(j))];
            let says = LensSentence::new("question.cursor-next", values);
            all.insert(0, LensQuestion::number(QuestionKind::Next, says, then.i as u64, &[i as u64, i as u64 + 1]));
        }
        all
    }

    fn code(&self) -> &'static [CodeLine] {
        CODE
    }
}

/// Runs one round of the loop of `KMP` in a thread. `end` is the end of the thread's piece (exclusive), and `next` is
/// the failure table. Returns the new state, and whether the thread finds the pattern in this round. A finished thread
/// does nothing.
fn turn(texts: &LensTexts, next: &[usize], ThreadState { mut i, mut j }: ThreadState, end: usize) -> (ThreadState, bool) {
    if i >= end {
        return (ThreadState { i, j }, false);
    }
    if texts.equal(j, i) {
        (i, j) = (i + 1, j + 1);
    }
    if j == texts.a.len() {
        return (ThreadState { i, j: next[j - 1] }, true);
    }
    if i < end && !texts.equal(j, i) {
        if j != 0 {
            j = next[j - 1];
        } else {
            i += 1;
        }
    }
    (ThreadState { i, j }, false)
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;
    use kernels::methods::exact_search::kmp_blocks::kmp_blocks;

    use super::super::LensName;
    use super::super::question::QuestionReply;
    use super::super::tests::{cases, questions, said};
    use super::*;

    #[test]
    fn threads_take_the_rounds_of_the_method() {
        for case in cases(12, 60) {
            let lens = PiecesLens::new(&case.texts());
            let mut ticks = 0;
            let positions = kmp_blocks(&case.a, &case.b, &mut |rounds| {
                ticks += rounds;
                Ok(())
            });
            let last = lens.frame(lens.len());
            assert_eq!(last.outcome, Some(LensOutcome::Positions(positions.unwrap())));
            assert_eq!(last.counts[1].total, Some(ticks));
            // Each symbol is read once, and each step back is a step of the failure table.
            assert!(lens.len() <= 4 * case.a.len());
        }
    }

    #[test]
    fn expected_answers_agree_with_the_loop() {
        for case in cases(12, 60) {
            let lens = case.open(LensName::Pieces, Task::ExactSearch, "");
            let own = PiecesLens::new(&case.texts());
            for (step, question) in (0..lens.len()).flat_map(|step| questions(&*lens, step).into_iter().map(move |one| (step, one))) {
                let QuestionReply::Number(expected) = question.expected else { panic!("expected a number") };
                let (m, n) = (case.a.len(), case.b.len());
                let thread = said(&question.prompt, if question.prompt.key == "question.threads-at-work" { "round" } else { "thread" });
                // Half of the threads have pieces of 2m symbols, the others the symbols around their ends.
                let q = n / m;
                let start = if 2 * thread < q { 2 * m * thread } else { 2 * m * (thread % (q / 2).max(1)) + m };
                match question.prompt.key {
                    "question.piece-start" | "question.aid-start" => {
                        assert_eq!((expected as usize, question.prompt.key == "question.piece-start"), (start, 2 * thread < q));
                        continue;
                    }
                    "question.piece-length" => {
                        assert_eq!(expected as usize, (start + 2 * m).min(n) - start);
                        continue;
                    }
                    _ => {}
                }
                let number = |at: usize| match question.prompt.values[at].1 {
                    SentenceValue::Number(number) => number as usize,
                    ref other => panic!("{other:?}"),
                };
                if question.prompt.key == "question.threads-at-work" {
                    // The threads for which the picture shows a symbol to read.
                    let lanes = own.lanes(step);
                    let reads = |lane: &&ChartLane| lane.spans.iter().any(|span| span.entry.marks.has(LensMark::Read));
                    assert_eq!(expected as usize, lanes.lanes.iter().filter(reads).count());
                    continue;
                }
                let (end, mut i, mut j) = (own.pieces[number(0)].end, number(1), number(2));
                // As in the paper, the second test reads the next symbols if the first pair is equal.
                let is_equal = case.a[j] == case.b[i];
                if is_equal {
                    (i, j) = (i + 1, j + 1);
                }
                let is_over = j == case.a.len() || i >= end;
                if !is_over && case.a[j] != case.b[i] && j == 0 {
                    i += 1;
                }
                assert_eq!(expected as usize, i);
            }
        }
    }
}
