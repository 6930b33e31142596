//! Question: what a reader is asked before a step is shown, with the answer and choices as data.

use super::frame::Said;

/// What kind of answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// The value of a cell or counter.
    Value,
    /// The cells that a value is made of.
    Inputs,
    /// What comes next: a cell, a place, a side.
    Next,
    /// How many time units or stages.
    TimeUnits,
}

/// A question about the next step, while a frame is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked for.
    pub asked: Asked,
    /// The question as key and values.
    pub says: Said,
    /// The answer. Of cells, all of them in any order.
    pub expected: Reply,
    /// Answers to choose from, the expected one among them; of [cells](Reply::Cells), single cells, all of which are to be
    /// found. Ascending, so that their order tells nothing.
    pub choices: Vec<Reply>,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reply {
    /// A number.
    Number(u64),
    /// Cells of the first panel that is a grid: row and column; ascending.
    Cells(Vec<(usize, usize)>),
    /// A key of the catalogue.
    Key(&'static str),
}

impl Question {
    /// A question for a number, with others that a reader may take for it.
    pub fn number(asked: Asked, says: Said, expected: u64, others: &[u64]) -> Self {
        let mut numbers = vec![expected];
        // Others first, then neighbours, until there are four.
        let near = (1..).flat_map(|by| [expected.checked_add(by), expected.checked_sub(by)]).flatten();
        for other in others.iter().copied().chain(near) {
            if numbers.len() == 4 {
                break;
            }
            if !numbers.contains(&other) {
                numbers.push(other);
            }
        }
        numbers.sort_unstable();
        Self { asked, says, expected: Reply::Number(expected), choices: numbers.into_iter().map(Reply::Number).collect() }
    }

    /// A question for cells among some.
    pub fn cells(asked: Asked, says: Said, mut expected: Vec<(usize, usize)>, mut among: Vec<(usize, usize)>) -> Self {
        expected.sort_unstable();
        among.sort_unstable();
        among.dedup();
        let choices = among.into_iter().map(|cell| Reply::Cells(vec![cell])).collect();
        Self { asked, says, expected: Reply::Cells(expected), choices }
    }

    /// A question for a key among some.
    pub fn key(asked: Asked, says: Said, expected: &'static str, among: &[&'static str]) -> Self {
        Self { asked, says, expected: Reply::Key(expected), choices: among.iter().map(|key| Reply::Key(key)).collect() }
    }

    /// Whether an answer is right. Cells may come in any order.
    pub fn is_right(&self, reply: &Reply) -> bool {
        match reply {
            Reply::Cells(cells) => {
                let mut cells = cells.clone();
                cells.sort_unstable();
                cells.dedup();
                self.expected == Reply::Cells(cells)
            }
            Reply::Number(_) | Reply::Key(_) => *reply == self.expected,
        }
    }
}
