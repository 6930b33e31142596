//! Questions about a round of the blocks, and about a halving of their minima.

use super::super::Lens;
use super::super::frame::{Said, Value};
use super::super::question::{Asked, Question, Turn};
use super::Slices;

impl Slices {
    pub(super) fn ask(&self, step: usize, turn: Turn) -> Vec<Question> {
        let round = step + 1;
        let number = Value::number;
        if round > self.len() {
            return Vec::new();
        }
        if round > self.rounds {
            let half = self.blocks.len().next_power_of_two() >> (round - self.rounds);
            let (before, left) = self.minima(step);
            let others: Vec<u64> = before.iter().copied().map(u64::from).collect();
            let says = Said::new("question.minimum", [("half", number(half))]);
            let mut all = vec![Question::number(Asked::Value, says, self.minima(round).0[0].into(), &others)];
            if half < left {
                let says = Said::new("question.minimum-with", [("left", number(left))]);
                all.push(Question::number(Asked::Inputs, says, half as u64, &[1, left as u64 - 1]));
            }
            return all;
        }
        let block = &self.blocks[self.shown];
        let working: Vec<usize> = (0..=self.m).filter(|i| block.column(round, *i).is_some()).collect();
        let threads = self.m + 1;
        let at_work = || {
            let says = Said::new("question.threads-at-work", [("round", number(round))]);
            let why = Said::new("why.threads-at-work", [("round", number(round)), ("last", number(block.slice.len()))]);
            Question::number(Asked::Value, says, working.len() as u64, &[threads as u64, block.slice.len() as u64]).because(why)
        };
        let thread = turn.place(threads);
        let idle = (1..=self.rounds).filter(|k| block.column(*k, thread).is_none()).count();
        let why = Said::new(
            "why.rounds-idle",
            [("thread", number(thread)), ("rounds", number(self.rounds)), ("works", number(self.rounds - idle))],
        );
        let says = Said::new("question.rounds-idle", [("thread", number(thread)), ("rounds", number(self.rounds))]);
        let idle = Question::number(Asked::TimeUnits, says, idle as u64, &[thread as u64, 0]).because(why);
        // Asks about the middle one of the working threads or about another one; this block may have none.
        let i = if turn.place(2) == 0 { working.get(working.len() / 2) } else { working.get(turn.place(working.len())) };
        let Some((i, j)) = i.and_then(|i| block.column(round, *i).map(|j| (*i, j))) else { return vec![at_work(), idle] };
        let says = Said::new("question.thread-next", [("thread", number(i)), ("round", number(round))]);
        let near = j.saturating_sub(2)..(j + 3).min(block.columns.len());
        let why = Said::new("why.thread-next", [("round", number(round)), ("thread", number(i)), ("j", number(j))]);
        let next = Question::cells(Asked::Next, says, vec![(i, j)], near.map(|j| (i, j)).collect()).because(why);
        if i == 0 || j == 0 {
            return vec![next, at_work(), idle];
        }
        let value = block.columns[j][i];
        let says = Said::new("question.value", [("i", number(i)), ("j", number(j))]);
        let inputs = [(i - 1, j - 1), (i - 1, j), (i, j - 1)];
        let totals = inputs.map(|(i, j)| u64::from(block.columns[j][i]) + 1);
        let of_cell = Question::number(Asked::Value, says, value.into(), &totals);
        let others = [(i - 1, j + 1), (i + 1, j)].into_iter().filter(|(i, j)| *i < threads && *j < block.columns.len());
        let says = Said::new("question.cells-read", [("thread", number(i)), ("i", number(i)), ("j", number(j))]);
        let read = Question::cells(Asked::Inputs, says, inputs.to_vec(), inputs.into_iter().chain(others).collect());
        let why = Said::new(
            "why.least-of-three",
            [("corner", Value::Number(totals[0] - 1)), ("above", Value::Number(totals[1] - 1)), ("left", Value::Number(totals[2] - 1))],
        );
        let value = if turn.place(2) == 0 { of_cell.because(why) } else { at_work() };
        vec![next, value, read, idle]
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use super::super::super::Name;
    use super::super::super::frame::{Body, Entry, Mark};
    use super::super::super::question::Reply;
    use super::super::super::settings::Settings;
    use super::super::super::tests::{cases, questions, said};
    use super::*;

    #[test]
    fn questions_are_answered_as_the_definition_does() {
        for case in cases(16, 60) {
            let lens = case.open(Name::Slices, Task::ApproximateSearch, "D:3,block:1");
            let own = Slices::new(&case.texts(), &Settings::parse(Name::Slices, "D:3,block:1").unwrap());
            let m = case.a.len();
            for step in 0..lens.len() {
                let after = lens.frame(step + 1);
                let Body::Grid(grid) = &after.panels[2].body else { panic!("a grid") };
                let new =
                    |(at, cell): (usize, &Entry)| cell.marks.has(Mark::New).then_some((at / grid.columns.len(), at % grid.columns.len()));
                let new: Vec<_> = grid.cells.iter().enumerate().filter_map(new).collect();
                for question in questions(&*lens, step) {
                    let says = &question.says;
                    match (says.key, &question.expected) {
                        ("question.thread-next", Reply::Cells(cells)) => assert!(cells.iter().all(|cell| new.contains(cell))),
                        ("question.threads-at-work", Reply::Number(number)) => assert_eq!(*number as usize, new.len()),
                        ("question.minimum", Reply::Number(number)) => {
                            let half = own.blocks.len().next_power_of_two() >> (step + 1 - own.rounds);
                            let all = own.minima(own.rounds).0;
                            assert_eq!(Some(*number), all.iter().step_by(half).min().map(|least| u64::from(*least)));
                        }
                        ("question.minimum-with", Reply::Number(number)) => {
                            let (left, half) = (own.minima(step).1, *number as usize);
                            assert!(half.is_power_of_two() && half < left && left <= 2 * half, "{left} {half}");
                        }
                        ("question.value", Reply::Number(number)) => {
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
                        ("question.cells-read", Reply::Cells(cells)) => {
                            let (i, j) = (said(says, "i"), said(says, "j"));
                            assert_eq!(cells, &[(i - 1, j - 1), (i - 1, j), (i, j - 1)]);
                        }
                        ("question.rounds-idle", Reply::Number(number)) => {
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
