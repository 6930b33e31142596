//! Questions that a lens asks the reader before it shows a step: [`LensQuestion`] has answer, choices and reasons as
//! data.
//!
//! A lens has questions of several kinds for a step, of which one is asked: kinds take turns, or a seed decides
//! ([`QuestionTurn`]). So a seed and a step number determine a question, and a link can contain the reader's answers
//! ([`QuestionReply`] as a set of choices).

use kernels::job::Points;

use super::Lens;
use super::frame::{LensSentence, PanelSum};

/// The kind of a question, by what the reader has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuestionKind {
    /// Asks for a value, for example of a cell or a counter.
    Value,
    /// Asks for the inputs of a result, for example the cells that determine a value.
    Inputs,
    /// Asks for the next choice of the method, for example a cell, a position or a side.
    Next,
    /// Asks for an amount, for example of time units, stages, rounds, words or cells.
    TimeUnits,
}

impl QuestionKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Value, Self::Inputs, Self::Next, Self::TimeUnits];

    /// Returns the word by which links name the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Inputs => "inputs",
            Self::Next => "next",
            Self::TimeUnits => "time",
        }
    }

    /// Returns the kind that links name by the word `name`, or `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A rule that selects the question to ask after a step. Without a seed, the kinds of questions take turns, and so do
/// the cells or threads that the questions are about. With a seed, both are random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionTurn {
    step: usize,
    seed: u32,
}

impl QuestionTurn {
    /// Creates the rule for the question after `step` steps. A `seed` of 0 means no seed.
    pub fn new(step: usize, seed: u32) -> Self {
        Self { step, seed }
    }

    /// Selects one of `of` kinds of questions. Returns its index.
    fn kind(self, of: usize) -> usize {
        self.of(self.step, 1, of)
    }

    /// Selects one of `of` things to ask about, for example cells, threads or warps. Returns its index, or 0 if there
    /// are none.
    pub(super) fn place(self, of: usize) -> usize {
        self.of(self.step / QuestionKind::ALL.len() + self.step, 2, of)
    }

    fn of(self, turn: usize, salt: u64, of: usize) -> usize {
        let number = match self.seed {
            0 => turn as u64,
            seed => mixed(u64::from(seed) << 32 ^ (self.step as u64) << 2 ^ salt),
        };
        (number % of.max(1) as u64) as usize
    }
}

/// Returns the question to ask after `step` steps of `lens`. The question has the given `kind` or, if this is `None`, a
/// kind selected by turns or by `seed` (0 means no seed). Returns `None` if the lens has no such question.
pub fn select_question(lens: &dyn Lens, step: usize, seed: u32, kind: Option<QuestionKind>) -> Option<LensQuestion> {
    let turn = QuestionTurn::new(step, seed);
    let mut all = lens.questions(step, turn);
    match kind {
        Some(kind) => all.into_iter().find(|question| question.kind == kind),
        None if all.is_empty() => None,
        None => Some(all.swap_remove(turn.kind(all.len()))),
    }
}

/// Returns `number` with its bits mixed by the last steps of SplitMix64 (Steele, Lea and Flood 2014).
pub(super) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Returns `expected` and the first three distinct other numbers of the endless sequence `others`, ascending.
fn four_numbers<N: Copy + Ord>(expected: N, others: impl Iterator<Item = N>) -> [N; 4] {
    let (mut numbers, mut len) = ([expected; 4], 1);
    for other in others {
        if len < numbers.len() && !numbers[..len].contains(&other) {
            numbers[len] = other;
            len += 1;
        }
        if len == numbers.len() {
            break;
        }
    }
    numbers.sort_unstable();
    numbers
}

/// A question about the next step, to ask while the frame of the current step is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LensQuestion {
    /// Kind of the question.
    pub kind: QuestionKind,
    /// The text of the question.
    pub prompt: LensSentence,
    /// The correct answer. If the question asks for cells, the answer contains all correct cells, ascending.
    pub expected: QuestionReply,
    /// The choices, including the correct answer. If the question asks for [cells](QuestionReply::Cells), each choice
    /// is a single cell, and the reader must find all correct ones. Numbers and cells ascend, so that their order
    /// reveals nothing.
    pub choices: Vec<QuestionReply>,
    /// A sentence that says why the answer is correct; `None` if the next frame shows the reason.
    pub reason: Option<LensSentence>,
    /// Sums of earlier cells from which the answer follows; empty if there are none.
    pub sums: Vec<PanelSum>,
}

/// Maximum number of choices of a question. Six choices have 64 subsets, so that one letter of a link stands for a
/// subset.
pub const MAX_CHOICES: usize = 6;

/// An answer to a question: the correct one, a choice, or the reader's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionReply {
    /// A number.
    Number(u64),
    /// A number that may be negative.
    Signed(Points),
    /// Cells, ascending, each as its row and its column in the first grid of the frame.
    Cells(Vec<(usize, usize)>),
    /// A word, given as a key of the catalogue of translated sentences.
    Key(&'static str),
}

impl LensQuestion {
    /// Creates a question of kind `asked` with the text `says` and the numeric answer `expected`. There are four
    /// choices, in ascending order: `expected`, up to three of the likely wrong answers `others`, and for the rest the
    /// numbers nearest to `expected`.
    pub fn number(asked: QuestionKind, says: LensSentence, expected: u64, others: &[u64]) -> Self {
        let near = (1..).flat_map(|by| [expected.checked_add(by), expected.checked_sub(by)]).flatten();
        let choices = four_numbers(expected, others.iter().copied().chain(near)).map(QuestionReply::Number);
        Self::choice(asked, says, QuestionReply::Number(expected), choices.into())
    }

    /// Creates a question like [`number`](Self::number), whose answer and choices may be negative.
    pub fn signed(asked: QuestionKind, says: LensSentence, expected: Points, others: &[Points]) -> Self {
        let near = (1..).map(Points::whole).flat_map(|by| [expected + by, expected - by]);
        let choices = four_numbers(expected, others.iter().copied().chain(near)).map(QuestionReply::Signed);
        Self::choice(asked, says, QuestionReply::Signed(expected), choices.into())
    }

    /// Creates a question of kind `asked` with the text `says`, whose answer is the set of cells `expected`. The
    /// choices are the cells `among`. A cell is given by its row and column in the first grid of the frame.
    pub fn cells(asked: QuestionKind, says: LensSentence, mut expected: Vec<(usize, usize)>, mut among: Vec<(usize, usize)>) -> Self {
        expected.sort_unstable();
        among.sort_unstable();
        among.dedup();
        let choices = among.into_iter().map(|cell| QuestionReply::Cells(vec![cell])).collect();
        Self::choice(asked, says, QuestionReply::Cells(expected), choices)
    }

    /// Creates a question of kind `asked` with the text `says`, whose answer is the word with the key `expected`. The
    /// choices are the words with the keys `among`.
    pub fn key(asked: QuestionKind, says: LensSentence, expected: &'static str, among: &[&'static str]) -> Self {
        Self::choice(asked, says, QuestionReply::Key(expected), among.iter().map(|key| QuestionReply::Key(key)).collect())
    }

    fn choice(kind: QuestionKind, prompt: LensSentence, expected: QuestionReply, choices: Vec<QuestionReply>) -> Self {
        Self { kind, prompt, expected, choices, reason: None, sums: Vec::new() }
    }

    /// Creates a question of kind `asked` with the text `says` and the choices yes and no. The correct answer is yes if
    /// `is_so` is set.
    pub fn yes_no(asked: QuestionKind, says: LensSentence, is_so: bool) -> Self {
        Self::key(asked, says, if is_so { "reply.yes" } else { "reply.no" }, &["reply.yes", "reply.no"])
    }

    /// Returns the question with `why`, a sentence that says why the answer is correct.
    #[must_use]
    pub fn with_reason(self, why: LensSentence) -> Self {
        Self { reason: Some(why), ..self }
    }

    /// Returns the question with `sums`, the sums of earlier cells from which the answer follows.
    #[must_use]
    pub fn with_sums(self, sums: Vec<PanelSum>) -> Self {
        Self { sums, ..self }
    }

    /// Returns the set of choices that `reply` consists of, with bit `i` for choice number `i`. Returns `None` if the
    /// answer is not among the choices.
    pub fn picked(&self, reply: &QuestionReply) -> Option<u8> {
        let bit =
            |one: &QuestionReply| self.choices.iter().position(|choice| choice == one).filter(|at| *at < MAX_CHOICES).map(|at| 1 << at);
        match reply {
            QuestionReply::Cells(cells) if !cells.is_empty() => {
                cells.iter().try_fold(0, |set, cell| Some(set | bit(&QuestionReply::Cells(vec![*cell]))?))
            }
            QuestionReply::Cells(_) => None,
            QuestionReply::Number(_) | QuestionReply::Signed(_) | QuestionReply::Key(_) => bit(reply),
        }
    }

    /// Returns the answer that consists of the set of choices `picked`, with bit `i` for choice number `i`. Returns
    /// `None` if a bit stands for no choice, if no bit is set, or if several are set for a question with one answer.
    pub fn reply(&self, picked: u8) -> Option<QuestionReply> {
        let all: Vec<&QuestionReply> = self
            .choices
            .iter()
            .enumerate()
            .filter(|(at, _)| *at < MAX_CHOICES && picked >> at & 1 == 1)
            .map(|(_, choice)| choice)
            .collect();
        if all.len() != picked.count_ones() as usize {
            return None;
        }
        let cells = |reply: &&QuestionReply| if let QuestionReply::Cells(cells) = reply { cells.clone() } else { Vec::new() };
        match (&all[..], &self.expected) {
            ([], _) => None,
            (_, QuestionReply::Cells(_)) => Some(QuestionReply::Cells(all.iter().flat_map(cells).collect())),
            ([one], _) => Some((*one).clone()),
            _ => None,
        }
    }

    /// Returns whether `reply` is the correct answer. Cells in the reply may be in any order.
    pub fn is_right(&self, reply: &QuestionReply) -> bool {
        match reply {
            QuestionReply::Cells(cells) => {
                let mut cells = cells.clone();
                cells.sort_unstable();
                cells.dedup();
                self.expected == QuestionReply::Cells(cells)
            }
            QuestionReply::Number(_) | QuestionReply::Signed(_) | QuestionReply::Key(_) => *reply == self.expected,
        }
    }
}
