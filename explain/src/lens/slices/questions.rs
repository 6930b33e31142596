//! Questions of the lens of the search in slices: about a round of all threads, and about a step that halves the number
//! of the blocks' minima.

use super::super::Lens;
use super::super::frame::{LensSentence, SentenceValue};
use super::super::question::{LensQuestion, QuestionKind, QuestionTurn};
use super::SlicesLens;

impl SlicesLens {
    pub(super) fn build_questions(&self, step: usize, turn: QuestionTurn) -> Vec<LensQuestion> {
        let round = step + 1;
        let number = SentenceValue::number;
        if round > self.len() {
            return Vec::new();
        }
        if round > self.rounds {
            let half = self.blocks.len().next_power_of_two() >> (round - self.rounds);
            let (before, left) = self.minima(step);
            let others: Vec<u64> = before.iter().copied().map(u64::from).collect();
            let says = LensSentence::new("question.minimum", [("half", number(half))]);
            let mut all = vec![LensQuestion::number(QuestionKind::Value, says, self.minima(round).0[0].into(), &others)];
            if half < left {
                let says = LensSentence::new("question.minimum-with", [("left", number(left))]);
                all.push(LensQuestion::number(QuestionKind::Inputs, says, half as u64, &[1, left as u64 - 1]));
            }
            return all;
        }
        let block = &self.blocks[self.shown];
        let working: Vec<usize> = (0..=self.m).filter(|i| block.column(round, *i).is_some()).collect();
        let threads = self.m + 1;
        let at_work = || {
            let says = LensSentence::new("question.threads-at-work", [("round", number(round))]);
            let why = LensSentence::new("why.threads-at-work", [("round", number(round)), ("last", number(block.slice.len()))]);
            LensQuestion::number(QuestionKind::Value, says, working.len() as u64, &[threads as u64, block.slice.len() as u64])
                .with_reason(why)
        };
        let thread = turn.place(threads);
        let idle = (1..=self.rounds).filter(|k| block.column(*k, thread).is_none()).count();
        let why = LensSentence::new(
            "why.rounds-idle",
            [("thread", number(thread)), ("rounds", number(self.rounds)), ("works", number(self.rounds - idle))],
        );
        let says = LensSentence::new("question.rounds-idle", [("thread", number(thread)), ("rounds", number(self.rounds))]);
        let idle = LensQuestion::number(QuestionKind::TimeUnits, says, idle as u64, &[thread as u64, 0]).with_reason(why);
        // Asks about the middle one of the working threads or about another one. The shown block may have none.
        let i = if turn.place(2) == 0 { working.get(working.len() / 2) } else { working.get(turn.place(working.len())) };
        let Some((i, j)) = i.and_then(|i| block.column(round, *i).map(|j| (*i, j))) else { return vec![at_work(), idle] };
        let says = LensSentence::new("question.thread-next", [("thread", number(i)), ("round", number(round))]);
        let near = j.saturating_sub(2)..(j + 3).min(block.columns.len());
        let why = LensSentence::new("why.thread-next", [("round", number(round)), ("thread", number(i)), ("j", number(j))]);
        let next = LensQuestion::cells(QuestionKind::Next, says, vec![(i, j)], near.map(|j| (i, j)).collect()).with_reason(why);
        if i == 0 || j == 0 {
            return vec![next, at_work(), idle];
        }
        let value = block.columns[j][i];
        let says = LensSentence::new("question.value", [("i", number(i)), ("j", number(j))]);
        let inputs = [(i - 1, j - 1), (i - 1, j), (i, j - 1)];
        let totals = inputs.map(|(i, j)| u64::from(block.columns[j][i]) + 1);
        let of_cell = LensQuestion::number(QuestionKind::Value, says, value.into(), &totals);
        let others = [(i - 1, j + 1), (i + 1, j)].into_iter().filter(|(i, j)| *i < threads && *j < block.columns.len());
        let says = LensSentence::new("question.cells-read", [("thread", number(i)), ("i", number(i)), ("j", number(j))]);
        let read = LensQuestion::cells(QuestionKind::Inputs, says, inputs.to_vec(), inputs.into_iter().chain(others).collect());
        let why = LensSentence::new(
            "why.least-of-three",
            [
                ("corner", SentenceValue::Number(totals[0] - 1)),
                ("above", SentenceValue::Number(totals[1] - 1)),
                ("left", SentenceValue::Number(totals[2] - 1)),
            ],
        );
        let value = if turn.place(2) == 0 { of_cell.with_reason(why) } else { at_work() };
        vec![next, value, read, idle]
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::super::LensName;
    use super::super::super::frame::{LensMark, PanelBody, PanelCell};
    use super::super::super::question::QuestionReply;
    use super::super::super::settings::LensSettings;
    use super::super::super::tests::{cases, questions, said};
    use super::*;

    #[test]
    fn expected_answers_agree_with_the_definition() {
        for case in cases(16, 60) {
            let lens = case.open(LensName::Slices, Task::ApproximateSearch, "D:3,block:1");
            let own = SlicesLens::new(&case.texts(), &LensSettings::parse(LensName::Slices, "D:3,block:1").unwrap());
            let m = case.a.len();
            for step in 0..lens.len() {
                let after = lens.frame(step + 1);
                let PanelBody::Grid(grid) = &after.panels[2].body else { panic!("expected a grid") };
                let new = |(at, cell): (usize, &PanelCell)| {
                    cell.marks.has(LensMark::New).then_some((at / grid.columns.len(), at % grid.columns.len()))
                };
                let new: Vec<_> = grid.cells.iter().enumerate().filter_map(new).collect();
                for question in questions(&*lens, step) {
                    let says = &question.prompt;
                    match (says.key, &question.expected) {
                        ("question.thread-next", QuestionReply::Cells(cells)) => assert!(cells.iter().all(|cell| new.contains(cell))),
                        ("question.threads-at-work", QuestionReply::Number(number)) => assert_eq!(*number as usize, new.len()),
                        ("question.minimum", QuestionReply::Number(number)) => {
                            let half = own.blocks.len().next_power_of_two() >> (step + 1 - own.rounds);
                            let all = own.minima(own.rounds).0;
                            assert_eq!(Some(*number), all.iter().step_by(half).min().map(|least| u64::from(*least)));
                        }
                        ("question.minimum-with", QuestionReply::Number(number)) => {
                            let (left, half) = (own.minima(step).1, *number as usize);
                            assert!(half.is_power_of_two() && half < left && left <= 2 * half, "{left} {half}");
                        }
                        ("question.value", QuestionReply::Number(number)) => {
                            // By the recurrence alone, with the slice as a text of its own.
                            let (i, j) = (said(says, "i"), said(says, "j"));
                            let from = own.blocks[own.shown].slice.start;
                            let mut row: Vec<u64> = vec![0; j + 1];
                            for i in 1..=i {
                                let above = row.clone();
                                row[0] = i as u64;
                                for j in 1..=j {
                                    let differs = u64::from(case.a[i - 1] != case.b[from + j - 1]);
                                    row[j] = (above[j - 1] + differs).min(above[j] + 1).min(row[j - 1] + 1);
                                }
                            }
                            assert_eq!(*number, row[j]);
                            assert!(new.contains(&(i, j)));
                        }
                        ("question.cells-read", QuestionReply::Cells(cells)) => {
                            let (i, j) = (said(says, "i"), said(says, "j"));
                            assert_eq!(cells, &[(i - 1, j - 1), (i - 1, j), (i, j - 1)]);
                        }
                        ("question.rounds-idle", QuestionReply::Number(number)) => {
                            // In round k, thread i has column k − i + 1, from column 0 to the length of the slice.
                            let (i, last) = (said(says, "thread"), own.blocks[own.shown].slice.len());
                            let works = (1..=own.rounds).filter(|k| k + 1 >= i && k + 1 - i <= last).count();
                            assert_eq!(*number as usize, own.rounds - works, "{m} {i}");
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
}
