//! The visitor fills the cells: one question after the other, in the order of filling. What is asked of a cell is its value, which is typed, the cells
//! that it is made of, or which cell it is; its answer fills it.

use explain::lens::cells;
use explain::lens::question::{Asked, Question, Reply};
use explain::matrix::order::Steps;
use explain::matrix::{Cell, Sum};

use super::Board;
use crate::model::task::InMatrix;
use crate::model::watch::quiz::{MOST_STEPS, letters, sets};

/// How far the visitor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quiz {
    /// What is asked of each cell; the value where nothing else is chosen.
    pub kind: Kind,
    /// Cells of the next step that are filled.
    pub done: usize,
    /// Cells that were answered or told.
    pub asked: u32,
    /// Those that were right at once.
    pub right: u32,
    /// The first answers, by the place of what is asked in the order: a value and 1, or a set of choices; 0 for none.
    answers: Vec<u8>,
    /// The cell that is asked was answered wrongly once.
    tried: bool,
    /// What is to be said of the last guess.
    pub said: Option<Said>,
}

/// What is asked of each cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Its value.
    #[default]
    Value,
    /// The cells that its value is made of.
    Inputs,
    /// Which cell is filled next.
    Next,
}

impl Kind {
    /// All, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Value, Self::Inputs, Self::Next];

    /// The kind of question that it is of a lens.
    pub fn asked(self) -> Asked {
        match self {
            Self::Value => Asked::Value,
            Self::Inputs => Asked::Inputs,
            Self::Next => Asked::Next,
        }
    }

    /// Its name in an address: that of a value is what it always was.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "on",
            Self::Inputs | Self::Next => self.asked().name(),
        }
    }

    /// The kind of a name in an address; nothing where it does not ask.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name || kind.asked().name() == name)
    }
}

/// What is said of a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The cell that was asked.
    pub cell: Cell,
    /// What was typed, or chosen.
    pub guess: Guess,
    /// What follows from it.
    pub verdict: Verdict,
    /// The cell is over and was not right at once: its sums are shown.
    pub missed: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guess {
    /// A value.
    Value(u16),
    /// Cells.
    Cells(Vec<(usize, usize)>),
}

/// Whether a guess is right, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Right,
    /// This sum is better: less, or greater where the greatest counts.
    Better(Sum),
    /// No sum is as good.
    TooGood,
    /// It is another one.
    Other,
    /// The second wrong one: the answer is told.
    Told,
}

impl Quiz {
    /// Questions of a kind.
    pub fn of(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Questions of a kind with the answers of a link, after `step` steps. What is none is passed over.
    pub fn read(kind: Kind, answers: &str, board: &Board, steps: &Steps, step: usize) -> Self {
        let mut quiz = Self { kind, answers: sets(answers).unwrap_or_default(), ..Self::default() };
        (quiz.right, quiz.asked) = quiz.score(board, steps);
        // Cells of the step that are filled already; of the last one nobody knows whether it was found in the end.
        let all = if kind == Kind::Next { 0 } else { steps.cells(step + 1).len() };
        let from = quiz.place(steps, step);
        quiz.done = (0..all.saturating_sub(1)).take_while(|at| quiz.answers.get(from + at).is_some_and(|one| *one > 0)).count();
        quiz
    }

    /// The first answers, as a link carries them.
    pub fn answers(&self) -> Option<String> {
        Some(letters(&self.answers)).filter(|answers| !answers.is_empty())
    }

    /// Place of what is asked among all that an order asks.
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

    /// Returns how many of the first answers are right, and how many answers there are.
    fn score(&self, board: &Board, steps: &Steps) -> (u32, u32) {
        let answered = self.answered(board, steps);
        (answered.iter().filter(|(_, is_right)| *is_right).count() as u32, answered.len() as u32)
    }

    /// Returns the cells that were asked and whether the first answer was right, in the order of filling.
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

    /// The cell that is asked, after `step` steps; `None` when all are filled.
    pub fn question(&self, steps: &Steps, step: usize) -> Option<Cell> {
        steps.cells(step + 1).get(self.done).copied()
    }

    /// Whether the cell that is asked about is marked: not where the question is which one it is.
    pub fn shows_cell(&self) -> bool {
        self.kind != Kind::Next
    }

    /// What is asked of the cell, with choices; nothing where its value is to be typed.
    pub fn choices(&self, board: &Board, steps: &Steps, step: usize) -> Option<Question> {
        let cell = self.question(steps, step)?;
        match self.kind {
            Kind::Value => None,
            Kind::Inputs => Some(cells::inputs(&board.matrix, cell)),
            Kind::Next => cells::next(&board.matrix, steps, step + 1, self.done),
        }
    }

    /// Takes a choice; returns the steps that are done now. A step that fills many cells at once is asked for once.
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

    /// Takes a guess; returns the steps that are done now.
    pub fn guess(&mut self, board: &Board, steps: &Steps, step: usize, guess: u16) -> usize {
        let Some(cell) = self.question(steps, step) else { return step };
        let value = board.matrix.value(cell);
        // No value of a matrix that is drawn cell by cell is as large as the largest letter.
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

    /// Somebody went to another step: the question is the first one there.
    pub fn moved(&mut self) {
        (self.done, self.tried, self.said) = (0, false, None);
    }
}

/// Why a wrong guess cannot be.
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

    /// Of every cell the right choice goes on, and every other one is refused, then told with its sums.
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
                    // Wrong at first.
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
        // A link that says more than there is, or nothing that can be read.
        let steps = board.steps(Order::Row);
        let read = |answers: &str| Quiz::read(Kind::Value, answers, &board, &steps, 0);
        assert_eq!((read("!!").asked, read(&"A".repeat(181)).asked, read(&"A".repeat(180)).asked), (0, 0, 48));
    }
}
