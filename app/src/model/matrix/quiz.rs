//! Questions about the cells, one after the other in the order of filling.
//!
//! A question asks for the value of a cell, for the cells that it depends on, or for the next cell. Its answer fills
//! the cell.

use explain::lens::cells;
use explain::lens::question::{Asked, Question, Reply};
use explain::matrix::order::Steps;
use explain::matrix::{Cell, Sum};

use super::Board;
use crate::model::task::InMatrix;
use crate::model::watch::quiz::{MOST_STEPS, letters, sets};

/// The state of the questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quiz {
    /// Kind of the questions. The default is the value.
    pub kind: Kind,
    /// Number of filled cells of the next step.
    pub done: usize,
    /// Number of cells that were answered or revealed.
    pub asked: u32,
    /// Number of cells that were answered correctly at first.
    pub right: u32,
    /// First answers, in the order of the questions: a value plus 1, or a set of choices, or 0 for none.
    answers: Vec<u8>,
    /// Whether the current cell was answered wrongly once.
    tried: bool,
    /// Feedback on the last guess.
    pub said: Option<Said>,
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The value of the cell.
    #[default]
    Value,
    /// The cells that the value depends on.
    Inputs,
    /// The cell that is filled next.
    Next,
}

impl Kind {
    /// All kinds, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Value, Self::Inputs, Self::Next];

    /// Returns the same kind for questions of a lens.
    pub fn asked(self) -> Asked {
        match self {
            Self::Value => Asked::Value,
            Self::Inputs => Asked::Inputs,
            Self::Next => Asked::Next,
        }
    }

    /// Returns the name in addresses. The value is called `on`, because older links have that name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "on",
            Self::Inputs | Self::Next => self.asked().name(),
        }
    }

    /// Parses a name in an address. Returns `None` for other names.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name || kind.asked().name() == name)
    }
}

/// Feedback on a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The cell that was asked.
    pub cell: Cell,
    pub guess: Guess,
    pub verdict: Verdict,
    /// Whether the cell is finished without a correct first answer, so that its sums are shown.
    pub missed: bool,
}

/// An answer of the visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guess {
    /// A typed value.
    Value(u16),
    /// Chosen cells.
    Cells(Vec<(usize, usize)>),
}

/// The verdict on a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The guess is right.
    Right,
    /// This sum is better: smaller, or greater if the greatest value counts.
    Better(Sum),
    /// No sum is as good as the guess.
    TooGood,
    /// The guess is wrong, because another choice is right.
    Other,
    /// The second wrong guess, after which the answer is revealed.
    Told,
}

impl Quiz {
    /// Creates the state before the first question.
    pub fn of(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Restores the state from the answers of a link after `step` steps. Malformed answers are ignored.
    pub fn read(kind: Kind, answers: &str, board: &Board, steps: &Steps, step: usize) -> Self {
        let mut quiz = Self { kind, answers: sets(answers).unwrap_or_default(), ..Self::default() };
        (quiz.right, quiz.asked) = quiz.score(board, steps);
        // Counts cells of the step that are filled already, but not the last one, because a link does not tell whether
        // it was solved.
        let all = if kind == Kind::Next { 0 } else { steps.cells(step + 1).len() };
        let from = quiz.place(steps, step);
        quiz.done = (0..all.saturating_sub(1)).take_while(|at| quiz.answers.get(from + at).is_some_and(|one| *one > 0)).count();
        quiz
    }

    /// Encodes the first answers for a link. Returns `None` if there are none.
    pub fn answers(&self) -> Option<String> {
        Some(letters(&self.answers)).filter(|answers| !answers.is_empty())
    }

    /// Returns the index of the current question among all questions of the order.
    fn place(&self, steps: &Steps, step: usize) -> usize {
        if self.kind == Kind::Next { step } else { steps.filled_after(step) + self.done }
    }

    fn keep(&mut self, steps: &Steps, step: usize, answer: u8) {
        let place = self.place(steps, step);
        if place >= MOST_STEPS {
            return;
        }
        if self.answers.len() <= place {
            self.answers.resize(place + 1, 0);
        }
        if self.answers[place] == 0 {
            self.answers[place] = answer;
        }
    }

    /// Returns the number of right first answers, and the number of answers.
    fn score(&self, board: &Board, steps: &Steps) -> (u32, u32) {
        let answered = self.answered(board, steps);
        (answered.iter().filter(|(_, is_right)| *is_right).count() as u32, answered.len() as u32)
    }

    /// Returns the cells that were asked in the order of filling, and whether their first answer was right.
    pub fn answered(&self, board: &Board, steps: &Steps) -> Vec<(Cell, bool)> {
        let (mut answered, mut place) = (Vec::new(), 0);
        for step in 0..steps.len() {
            let cells = steps.cells(step + 1);
            let asked = if self.kind == Kind::Next { 1 } else { cells.len() };
            for (done, cell) in cells.iter().enumerate().take(asked) {
                let Some(&answer) = self.answers.get(place) else { return answered };
                place += 1;
                let here = Self { kind: self.kind, done, ..Self::default() };
                let is_right = match here.choices(board, steps, step) {
                    Some(question) => question.reply(answer).is_some_and(|reply| question.is_right(&reply)),
                    None => board.matrix.value(*cell) + 1 == u16::from(answer),
                };
                if answer > 0 {
                    answered.push((*cell, is_right));
                }
            }
        }
        answered
    }

    /// Returns the cell of the current question after `step` steps, or `None` if all cells are filled.
    pub fn question(&self, steps: &Steps, step: usize) -> Option<Cell> {
        steps.cells(step + 1).get(self.done).copied()
    }

    /// Returns whether the cell of the question may be marked. It must not if the question asks for that cell.
    pub fn shows_cell(&self) -> bool {
        self.kind != Kind::Next
    }

    /// Returns the choices of the current question, or `None` if a value must be typed.
    pub fn choices(&self, board: &Board, steps: &Steps, step: usize) -> Option<Question> {
        let cell = self.question(steps, step)?;
        match self.kind {
            Kind::Value => None,
            Kind::Inputs => Some(cells::inputs(&board.matrix, cell)),
            Kind::Next => cells::next(&board.matrix, steps, step + 1, self.done),
        }
    }

    /// Processes a choice. Returns the number of completed steps. A step that fills many cells at once has one
    /// question.
    pub fn choose(&mut self, board: &Board, steps: &Steps, step: usize, reply: &Reply) -> usize {
        let (Some(question), Some(cell)) = (self.choices(board, steps, step), self.question(steps, step)) else { return step };
        let Reply::Cells(cells) = reply else { return step };
        if let Some(set) = question.picked(reply) {
            self.keep(steps, step, set);
        }
        let verdict = match question.is_right(reply) {
            true => Verdict::Right,
            false if self.tried => Verdict::Told,
            false => Verdict::Other,
        };
        self.take(steps, step, Said { cell, guess: Guess::Cells(cells.clone()), verdict, missed: false })
    }

    /// Processes a typed value. Returns the number of completed steps.
    pub fn guess(&mut self, board: &Board, steps: &Steps, step: usize, guess: u16) -> usize {
        let Some(cell) = self.question(steps, step) else { return step };
        let value = board.matrix.value(cell);
        // Values of a matrix that is drawn cell by cell are smaller than 62, so that a larger guess is wrong in any
        // case.
        self.keep(steps, step, guess.min(62) as u8 + 1);
        let verdict = match guess == value {
            true => Verdict::Right,
            false if self.tried => Verdict::Told,
            false => why_not(board, cell, guess),
        };
        self.take(steps, step, Said { cell, guess: Guess::Value(guess), verdict, missed: false })
    }

    fn take(&mut self, steps: &Steps, step: usize, said: Said) -> usize {
        let over = matches!(said.verdict, Verdict::Right | Verdict::Told);
        self.asked += u32::from(over);
        let missed = over && self.tried;
        self.right += u32::from(over && !missed);
        self.tried = !over;
        self.said = Some(Said { missed, ..said });
        if !over {
            return step;
        }
        self.done += 1;
        if self.kind != Kind::Next && self.done < steps.cells(step + 1).len() {
            return step;
        }
        self.done = 0;
        step + 1
    }

    /// Resets the state after a move to another step, where the first question is asked.
    pub fn moved(&mut self) {
        (self.done, self.tried, self.said) = (0, false, None);
    }
}

/// Returns the reason why a guess is wrong.
fn why_not(board: &Board, cell: Cell, guess: u16) -> Verdict {
    let value = board.matrix.value(cell);
    let better = if InMatrix::of(board.task()).is_least { value < guess } else { value > guess };
    match board.matrix.sums(cell).find(|sum| sum.total == value) {
        Some(sum) if better => Verdict::Better(sum),
        _ => Verdict::TooGood,
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::Task;

    use explain::matrix::order::Order;

    use super::super::tests::board;
    use super::*;

    #[test]
    fn a_whole_matrix_is_filled_cell_by_cell() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        for &order in Order::of(Task::EditDistance) {
            let steps = board.steps(order);
            let (mut quiz, mut step, mut filled) = (Quiz::default(), 0, 0);
            while let Some(cell) = quiz.question(&steps, step) {
                assert_eq!(quiz.said.as_ref().map(|said| said.verdict == Verdict::Right), (filled > 0).then_some(true));
                step = quiz.guess(&board, &steps, step, board.matrix.value(cell));
                filled += 1;
            }
            assert_eq!((step, filled), (steps.len(), steps.filled()), "{order:?}");
            assert_eq!((quiz.asked as usize, quiz.right as usize), (filled, filled));
        }
    }

    #[test]
    fn a_wrong_guess_is_explained_and_the_second_one_tells() {
        let board = board(Task::EditDistance, "ab", "ab");
        let steps = board.steps(Order::Row);
        let mut quiz = Quiz::default();
        assert_eq!(quiz.guess(&board, &steps, 0, 1), 0);
        let said = quiz.said.clone().unwrap();
        assert!(matches!(said.verdict, Verdict::Better(sum) if sum.total == 0), "{said:?}");
        assert_eq!(quiz.guess(&board, &steps, 0, 2), 1);
        assert_eq!(quiz.said.clone().map(|said| (said.verdict, said.missed)), Some((Verdict::Told, true)));
        assert_eq!((quiz.asked, quiz.right), (1, 0));
        assert_eq!(quiz.guess(&board, &steps, 1, 0), 1);
        assert_eq!(quiz.said.clone().unwrap().verdict, Verdict::TooGood);
        assert_eq!(quiz.guess(&board, &steps, 1, 1), 2);
        assert!(quiz.said.as_ref().is_some_and(|said| said.missed), "right at the second try: its sums are worth a look");
        assert_eq!((quiz.asked, quiz.right), (2, 0));
        quiz.guess(&board, &steps, 2, 1);
        assert!(quiz.said.is_some_and(|said| !said.missed));
    }

    #[test]
    fn where_the_greatest_counts_more_is_better() {
        let board = board(Task::Lcs, "ab", "ab");
        let steps = board.steps(Order::Row);
        let mut quiz = Quiz::default();
        quiz.guess(&board, &steps, 0, 0);
        assert!(matches!(quiz.said.clone().unwrap().verdict, Verdict::Better(sum) if sum.total == 1));
        quiz.moved();
        quiz.guess(&board, &steps, 0, 2);
        assert_eq!(quiz.said.unwrap().verdict, Verdict::TooGood);
    }

    /// In every cell the right choice continues, and every other choice is rejected once, then the answer is revealed
    /// with the sums.
    #[test]
    fn a_matrix_is_filled_by_what_its_cells_are_made_of_and_by_which_is_next() {
        for (task, a, b) in [
            (Task::EditDistance, "SUNDAY", "SATURDAY"),
            (Task::Lcs, "abcb", "bacab"),
            (Task::ApproximateSearch, "ab", "xaby"),
            (Task::MatchCount, "aba", "ababa"),
            (Task::ExactSearch, "ab", "cabb"),
        ] {
            let board = board(task, a, b);
            for (kind, &order) in
                [Kind::Inputs, Kind::Next].into_iter().flat_map(|kind| Order::of(task).iter().map(move |order| (kind, order)))
            {
                let steps = board.steps(order);
                let (mut quiz, mut step, mut asked) = (Quiz { kind, ..Quiz::default() }, 0, 0);
                while let Some(question) = quiz.choices(&board, &steps, step) {
                    for set in 1..1u8 << question.choices.len() {
                        let reply = question.reply(set).unwrap();
                        if !question.is_right(&reply) {
                            let mut other = quiz.clone();
                            assert_eq!(other.choose(&board, &steps, step, &reply), step, "{order:?}");
                            assert_eq!(other.said.clone().map(|said| (said.verdict, said.missed)), Some((Verdict::Other, false)));
                            other.choose(&board, &steps, step, &reply);
                            assert_eq!(other.said.map(|said| (said.verdict, said.missed)), Some((Verdict::Told, true)));
                        }
                    }
                    step = quiz.choose(&board, &steps, step, &question.expected);
                    asked += 1;
                }
                let expected = if kind == Kind::Next { steps.len() } else { steps.filled() };
                assert_eq!((step, asked), (steps.len(), expected), "{task:?} {order:?} {kind:?}");
                assert_eq!((quiz.asked as usize, quiz.right as usize), (asked, asked));
            }
        }
    }

    #[test]
    fn a_kind_is_named_in_an_address_as_it_always_was() {
        assert_eq!(
            ["on", "value", "inputs", "next", "time", ""].map(Kind::parse),
            [Some(Kind::Value), Some(Kind::Value), Some(Kind::Inputs), Some(Kind::Next), None, None]
        );
        assert!(Kind::ALL.into_iter().all(|kind| Kind::parse(kind.name()) == Some(kind)));
    }

    #[test]
    fn first_answers_come_back_from_their_link_with_their_score() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        for (kind, &order) in Kind::ALL.into_iter().flat_map(|kind| Order::of(Task::EditDistance).iter().map(move |order| (kind, order))) {
            let steps = board.steps(order);
            let (mut quiz, mut step) = (Quiz::of(kind), 0);
            for nth in 0..7 {
                let right = quiz.choices(&board, &steps, step);
                if nth % 3 == 1 {
                    // The first answer is wrong.
                    let wrong = right
                        .as_ref()
                        .and_then(|question| (1..64).filter_map(|set| question.reply(set)).find(|reply| !question.is_right(reply)));
                    step = match wrong {
                        Some(wrong) => quiz.choose(&board, &steps, step, &wrong),
                        None if right.is_some() => continue,
                        None => quiz.guess(&board, &steps, step, 60),
                    };
                }
                step = match right {
                    Some(question) => quiz.choose(&board, &steps, step, &question.expected),
                    None => quiz.guess(&board, &steps, step, board.matrix.value(quiz.question(&steps, step).unwrap())),
                };
            }
            let link = quiz.answers().unwrap();
            let read = Quiz::read(kind, &link, &board, &steps, step);
            assert_eq!((read.right, read.asked, read.done), (quiz.right, quiz.asked, quiz.done), "{kind:?} {order:?} {link}");
            assert!(quiz.right < quiz.asked, "two were wrong at first");
        }
        // The link has too many answers, or malformed ones.
        let steps = board.steps(Order::Row);
        let read = |answers: &str| Quiz::read(Kind::Value, answers, &board, &steps, 0);
        assert_eq!((read("!!").asked, read(&"A".repeat(181)).asked, read(&"A".repeat(180)).asked), (0, 0, 48));
    }
}
