//! Question: what a reader is asked before a step is shown, with the answer, choices and reasons as data.
//!
//! A lens has questions of several kinds for a step, and one of them is asked: kinds take turns, or a seed decides ([`Turn`]). So a seed and
//! the number of a step name a question, and a link can carry what was answered ([`Reply`] as a set of choices).

use super::Lens;
use super::frame::{Said, Sum};

/// What kind of answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// The value of a cell or counter.
    Value,
    /// The cells that a value is made of.
    Inputs,
    /// What comes next: a cell, a place, a side.
    Next,
    /// How many time units: stages, rounds, words or cells that something takes.
    TimeUnits,
}

impl Asked {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Value, Self::Inputs, Self::Next, Self::TimeUnits];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Inputs => "inputs",
            Self::Next => "next",
            Self::TimeUnits => "time",
        }
    }

    /// The kind of a name in a link.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Which question is asked at a step: without a seed kinds and places take turns, with one it decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    step: usize,
    seed: u32,
}

impl Turn {
    /// The question after so many steps. Seed 0 is none.
    pub fn new(step: usize, seed: u32) -> Self {
        Self { step, seed }
    }

    /// Which of so many kinds.
    fn kind(self, of: usize) -> usize {
        self.of(self.step, 1, of)
    }

    /// Which of so many places, as cells, threads or warps; 0 where there are none.
    pub(super) fn place(self, of: usize) -> usize {
        self.of(self.step / Asked::ALL.len() + self.step, 2, of)
    }

    fn of(self, turn: usize, salt: u64, of: usize) -> usize {
        let number = match self.seed {
            0 => turn as u64,
            seed => mixed(u64::from(seed) << 32 ^ (self.step as u64) << 2 ^ salt),
        };
        (number % of.max(1) as u64) as usize
    }
}

/// The question after so many steps: of this kind, or of the kind whose turn it is. `None` where the lens has none.
pub fn asked(lens: &dyn Lens, step: usize, seed: u32, kind: Option<Asked>) -> Option<Question> {
    let turn = Turn::new(step, seed);
    let mut all = lens.questions(step, turn);
    match kind {
        Some(kind) => all.into_iter().find(|question| question.asked == kind),
        None if all.is_empty() => None,
        None => Some(all.swap_remove(turn.kind(all.len()))),
    }
}

/// Mixes the bits of a number: the last steps of SplitMix64 (Steele, Lea and Flood 2014).
pub(super) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
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
    /// Why the answer is right; nothing where the next frame says it.
    pub why: Option<Said>,
    /// The sums that the answer follows from; empty where there are none.
    pub sums: Vec<Sum>,
}

/// Choices of a question, at most: a set of them is a letter of a link.
pub const MOST_CHOICES: usize = 6;

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
        Self {
            asked,
            says,
            expected: Reply::Number(expected),
            choices: numbers.into_iter().map(Reply::Number).collect(),
            why: None,
            sums: Vec::new(),
        }
    }

    /// A question for cells among some.
    pub fn cells(asked: Asked, says: Said, mut expected: Vec<(usize, usize)>, mut among: Vec<(usize, usize)>) -> Self {
        expected.sort_unstable();
        among.sort_unstable();
        among.dedup();
        let choices = among.into_iter().map(|cell| Reply::Cells(vec![cell])).collect();
        Self { asked, says, expected: Reply::Cells(expected), choices, why: None, sums: Vec::new() }
    }

    /// A question for a key among some.
    pub fn key(asked: Asked, says: Said, expected: &'static str, among: &[&'static str]) -> Self {
        Self {
            asked,
            says,
            expected: Reply::Key(expected),
            choices: among.iter().map(|key| Reply::Key(key)).collect(),
            why: None,
            sums: Vec::new(),
        }
    }

    /// A question of yes and no.
    pub fn whether(asked: Asked, says: Said, is_so: bool) -> Self {
        Self::key(asked, says, if is_so { "reply.yes" } else { "reply.no" }, &["reply.yes", "reply.no"])
    }

    /// The same with a reason.
    #[must_use]
    pub fn because(self, why: Said) -> Self {
        Self { why: Some(why), ..self }
    }

    /// The same with the sums that the answer follows from.
    #[must_use]
    pub fn by_sums(self, sums: Vec<Sum>) -> Self {
        Self { sums, ..self }
    }

    /// An answer as a set of its choices, one bit each; `None` where it is none of them.
    pub fn picked(&self, reply: &Reply) -> Option<u8> {
        let bit = |one: &Reply| self.choices.iter().position(|choice| choice == one).filter(|at| *at < MOST_CHOICES).map(|at| 1 << at);
        match reply {
            Reply::Cells(cells) if !cells.is_empty() => cells.iter().try_fold(0, |set, cell| Some(set | bit(&Reply::Cells(vec![*cell]))?)),
            Reply::Cells(_) => None,
            Reply::Number(_) | Reply::Key(_) => bit(reply),
        }
    }

    /// The answer that a set of choices is; `None` where it has none that is a choice, or several where one is asked for.
    pub fn reply(&self, picked: u8) -> Option<Reply> {
        let all: Vec<&Reply> = self
            .choices
            .iter()
            .enumerate()
            .filter(|(at, _)| *at < MOST_CHOICES && picked >> at & 1 == 1)
            .map(|(_, choice)| choice)
            .collect();
        if all.len() != picked.count_ones() as usize {
            return None;
        }
        let cells = |reply: &&Reply| if let Reply::Cells(cells) = reply { cells.clone() } else { Vec::new() };
        match (&all[..], &self.expected) {
            ([], _) => None,
            (_, Reply::Cells(_)) => Some(Reply::Cells(all.iter().flat_map(cells).collect())),
            ([one], _) => Some((*one).clone()),
            _ => None,
        }
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
