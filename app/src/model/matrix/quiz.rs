//! Questions about the cells of a matrix, one after the other in the order of filling: [`MatrixQuiz`].
//!
//! A question asks for the value of a cell, for the cells that it depends on, or for the cell that is filled next. The
//! answer fills the cell, or the whole step if the next cell was asked for.

use explain::lens::cells;
use explain::lens::question::{LensQuestion, QuestionKind, QuestionReply};
use explain::matrix::order::FillSteps;
use explain::matrix::{CellSum, MatrixNode};
use kernels::job::Points;

use super::MatrixBoard;
use crate::model::lens::quiz::{MAX_STORED_STEPS, letters, sets};
use crate::model::task::MatrixSentences;

/// The state of the questions about a matrix, with the visitor's first answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatrixQuiz {
    /// Kind of the questions.
    pub kind: MatrixQuestionKind,
    /// Number of values of the current step that the visitor has filled already. A cell has a value in each layer.
    pub done: usize,
    /// Number of questions that were answered, or whose answer was revealed.
    pub finished_questions: u32,
    /// Number of questions whose first answer was right.
    pub right: u32,
    /// First answer to each question, in the order of the questions: the value as [`stored`], or a set of choices with
    /// one bit each. 0 if there is no answer.
    answers: Vec<u8>,
    /// Whether the current question was answered wrongly once.
    tried: bool,
    /// Feedback on the last guess.
    pub feedback: Option<GuessFeedback>,
}

/// The kind of the questions: for a value, for inputs, or for the next cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixQuestionKind {
    /// The question asks for the value of a cell.
    #[default]
    Value,
    /// The question asks for the cells on which a cell's value depends.
    Inputs,
    /// The question asks for the cell that is filled next.
    Next,
}

impl MatrixQuestionKind {
    /// All kinds, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Value, Self::Inputs, Self::Next];

    /// Returns the kind of the questions of lenses that corresponds to this kind.
    pub fn to_question_kind(self) -> QuestionKind {
        match self {
            Self::Value => QuestionKind::Value,
            Self::Inputs => QuestionKind::Inputs,
            Self::Next => QuestionKind::Next,
        }
    }

    /// Returns the name of the kind in addresses. [`Self::Value`] is called `on`, because older links have that name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "on",
            Self::Inputs | Self::Next => self.to_question_kind().name(),
        }
    }

    /// Parses a name in an address. Both `on` and `value` name [`Self::Value`]. Returns `None` for unknown names.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name || kind.to_question_kind().name() == name)
    }
}

/// Feedback on the visitor's last answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessFeedback {
    /// The cell that the question was about.
    pub cell: MatrixNode,
    pub guess: CellGuess,
    pub verdict: GuessVerdict,
    /// Whether the cell is filled although its first answer was wrong. The sums of the cell are then shown.
    pub missed: bool,
}

/// An answer of the visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellGuess {
    /// A typed value.
    Value(Points),
    /// Chosen cells.
    Cells(Vec<(usize, usize)>),
}

/// The verdict on a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuessVerdict {
    /// The guess is right.
    Right,
    /// The guess is wrong, because this sum of the cell is better than the guess: smaller if the value of a cell is its
    /// smallest sum, else greater.
    Better(CellSum),
    /// The guess is wrong, because no sum of the cell is as good as the guess.
    TooGood,
    /// The chosen cells are wrong.
    Other,
    /// The guess is the second wrong one for this cell, after which the right answer is shown.
    Told,
}

impl MatrixQuiz {
    /// Creates the state before the first question.
    pub fn of(kind: MatrixQuestionKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Restores the state after `step` completed steps. `answers` are the letters of a link that encode the first
    /// answers. Malformed answers are ignored.
    pub fn read(kind: MatrixQuestionKind, answers: &str, board: &MatrixBoard, steps: &FillSteps, step: usize) -> Self {
        let mut quiz = Self { kind, answers: sets(answers).unwrap_or_default(), ..Self::default() };
        (quiz.right, quiz.finished_questions) = quiz.score(board, steps);
        // Counts cells of the current step that are filled already. The last one is left out, because a link does not
        // tell whether it was solved.
        let all = if kind == MatrixQuestionKind::Next { 0 } else { board.nodes_of(steps, step + 1).len() };
        let from = quiz.place(board, steps, step);
        quiz.done = (0..all.saturating_sub(1)).take_while(|at| quiz.answers.get(from + at).is_some_and(|one| *one > 0)).count();
        quiz
    }

    /// Encodes the first answers for a link. Returns `None` if there are none.
    pub fn answers(&self) -> Option<String> {
        Some(letters(&self.answers)).filter(|answers| !answers.is_empty())
    }

    /// Returns the index of the current question after `step` completed steps, among all questions of the quiz.
    fn place(&self, board: &MatrixBoard, steps: &FillSteps, step: usize) -> usize {
        if self.kind == MatrixQuestionKind::Next { step } else { steps.filled_after(step) * board.matrix.layers().len() + self.done }
    }

    fn keep(&mut self, board: &MatrixBoard, steps: &FillSteps, step: usize, answer: u8) {
        let place = self.place(board, steps, step);
        if place >= MAX_STORED_STEPS {
            return;
        }
        if self.answers.len() <= place {
            self.answers.resize(place + 1, 0);
        }
        if self.answers[place] == 0 {
            self.answers[place] = answer;
        }
    }

    /// Returns the number of right first answers, and the number of all first answers, to the questions in the order of
    /// `steps`.
    fn score(&self, board: &MatrixBoard, steps: &FillSteps) -> (u32, u32) {
        let answered = self.answered(board, steps);
        (answered.iter().filter(|(_, is_right)| *is_right).count() as u32, answered.len() as u32)
    }

    /// Returns the cells whose question has a first answer, in the order of filling, each with whether that answer was
    /// right.
    pub fn answered(&self, board: &MatrixBoard, steps: &FillSteps) -> Vec<(MatrixNode, bool)> {
        let (mut answered, mut place) = (Vec::new(), 0);
        for step in 0..steps.len() {
            let cells = board.nodes_of(steps, step + 1);
            let asked = if self.kind == MatrixQuestionKind::Next { 1 } else { cells.len() };
            for (done, cell) in cells.iter().enumerate().take(asked) {
                let Some(&answer) = self.answers.get(place) else { return answered };
                place += 1;
                let here = Self { kind: self.kind, done, ..Self::default() };
                let is_right = match here.choices(board, steps, step) {
                    Some(question) => question.reply(answer).is_some_and(|reply| question.is_right(&reply)),
                    None => board.matrix.value(*cell).number().is_some_and(|value| stored(value, value) == answer),
                };
                if answer > 0 {
                    answered.push((*cell, is_right));
                }
            }
        }
        answered
    }

    /// Returns the cell of the current question after `step` completed steps, or `None` if all cells are filled.
    pub fn question(&self, board: &MatrixBoard, steps: &FillSteps, step: usize) -> Option<MatrixNode> {
        board.nodes_of(steps, step + 1).get(self.done).copied()
    }

    /// Returns whether the cell of the current question may be marked. It may not if the question asks for that cell.
    pub fn shows_cell(&self) -> bool {
        self.kind != MatrixQuestionKind::Next
    }

    /// Returns the current question after `step` completed steps with the cells to choose from. Returns `None` if a
    /// value must be typed instead, or if all cells are filled.
    pub fn choices(&self, board: &MatrixBoard, steps: &FillSteps, step: usize) -> Option<LensQuestion> {
        let node = self.question(board, steps, step)?;
        match self.kind {
            MatrixQuestionKind::Value => None,
            MatrixQuestionKind::Inputs => Some(cells::inputs(&board.matrix, node.cell)),
            MatrixQuestionKind::Next => cells::next_cells_question(&board.matrix, steps, step + 1, self.done),
        }
    }

    /// Processes the choice `reply` after `step` completed steps. Returns the number of completed steps after it. A
    /// question for the next cell completes its step, even if the step has more cells.
    pub fn choose(&mut self, board: &MatrixBoard, steps: &FillSteps, step: usize, reply: &QuestionReply) -> usize {
        let (Some(question), Some(cell)) = (self.choices(board, steps, step), self.question(board, steps, step)) else { return step };
        let QuestionReply::Cells(cells) = reply else { return step };
        if let Some(set) = question.picked(reply) {
            self.keep(board, steps, step, set);
        }
        let verdict = match question.is_right(reply) {
            true => GuessVerdict::Right,
            false if self.tried => GuessVerdict::Told,
            false => GuessVerdict::Other,
        };
        self.take(board, steps, step, GuessFeedback { cell, guess: CellGuess::Cells(cells.clone()), verdict, missed: false })
    }

    /// Processes the typed value `guess` after `step` completed steps. Returns the number of completed steps after it.
    pub fn guess(&mut self, board: &MatrixBoard, steps: &FillSteps, step: usize, guess: impl Into<Points>) -> usize {
        let guess = guess.into();
        let Some(cell) = self.question(board, steps, step) else { return step };
        let value = board.matrix.value(cell);
        self.keep(board, steps, step, stored(guess, value.number().unwrap_or(Points::whole(i32::MIN))));
        let verdict = match value.number() == Some(guess) {
            true => GuessVerdict::Right,
            false if self.tried => GuessVerdict::Told,
            false => why_not(board, cell, guess),
        };
        self.take(board, steps, step, GuessFeedback { cell, guess: CellGuess::Value(guess), verdict, missed: false })
    }

    fn take(&mut self, board: &MatrixBoard, steps: &FillSteps, step: usize, said: GuessFeedback) -> usize {
        let over = matches!(said.verdict, GuessVerdict::Right | GuessVerdict::Told);
        self.finished_questions += u32::from(over);
        let missed = over && self.tried;
        self.right += u32::from(over && !missed);
        self.tried = !over;
        self.feedback = Some(GuessFeedback { missed, ..said });
        if !over {
            return step;
        }
        self.done += 1;
        if self.kind != MatrixQuestionKind::Next && self.done < board.nodes_of(steps, step + 1).len() {
            return step;
        }
        self.done = 0;
        step + 1
    }

    /// Resets the questions after the visitor moved to another step. The next question is about the first cell of the
    /// new step.
    pub fn moved(&mut self) {
        (self.done, self.tried, self.feedback) = (0, false, None);
    }
}

/// Returns the number that stores the guess of a cell with the value `value` in a link: the guess plus 1. Guesses below 0
/// and from 62 on, and those with decimals, which only matrices with costs or points need, share their numbers with others. A right guess
/// never shares its number with a wrong one.
fn stored(guess: Points, value: Points) -> u8 {
    const LARGE: i64 = 62;
    let [kept, right] = [guess, value].map(|number| number.rounded_down().rem_euclid(LARGE));
    (if kept == right && guess != value { LARGE } else { kept }) as u8 + 1
}

/// Returns the reason why the value `guess` of `cell` is wrong.
fn why_not(board: &MatrixBoard, cell: MatrixNode, guess: Points) -> GuessVerdict {
    let value = board.matrix.value(cell);
    let better = if MatrixSentences::of(board.task()).is_least { value < guess.into() } else { value > guess.into() };
    match board.matrix.sums(cell).find(|sum| sum.total == value) {
        Some(sum) if better => GuessVerdict::Better(sum),
        _ => GuessVerdict::TooGood,
    }
}

#[cfg(test)]
mod tests {
    use kernels::job::{EditCosts, Task};

    use explain::matrix::order::FillOrder;

    use super::super::tests::{board, board_with_costs, board_with_scoring};
    use super::*;
    use crate::model::points::PointsPreset;

    #[test]
    fn large_values_are_restored_from_a_link() {
        let board = board_with_costs(EditCosts { substitute: 1_000, insert: 62, delete: 500, transpose: Some(0) }, "abca", "bcab");
        let steps = board.steps(FillOrder::Row);
        let (mut quiz, mut step) = (MatrixQuiz::default(), 0);
        while let Some(cell) = quiz.question(&board, &steps, step) {
            let value = board.matrix.value(cell).number().unwrap().rounded();
            // Every third first answer is wrong.
            if step % 3 == 1 {
                quiz.guess(&board, &steps, step, [value + 62, value % 62, 7][step / 3 % 3] + i64::from(value < 62));
            }
            step = quiz.guess(&board, &steps, step, value);
        }
        let read = MatrixQuiz::read(MatrixQuestionKind::Value, &quiz.answers().unwrap(), &board, &steps, step);
        assert_eq!((read.right, read.finished_questions), (quiz.right, quiz.finished_questions));
        assert!(quiz.right > 0 && quiz.right < quiz.finished_questions);
        for value in [0, 5, 25, 610, 625, 630, 1_240, 40_000].map(Points::from_tenths) {
            let guesses = (0..50_000).map(Points::from_tenths);
            let right = guesses.filter(|guess| stored(*guess, value) == stored(value, value)).collect::<Vec<_>>();
            assert_eq!(right, [value]);
        }
    }

    #[test]
    fn values_of_all_layers_are_asked_and_restored() {
        let board = board_with_scoring(PointsPreset::Gotoh.scoring(), "GCA", "GA");
        for &order in FillOrder::for_task(Task::SequenceAlignment, EditCosts::LEVENSHTEIN) {
            let steps = board.steps(order);
            let (mut quiz, mut step, mut asked) = (MatrixQuiz::default(), 0, 0);
            while let Some(node) = quiz.question(&board, &steps, step) {
                let value = board.matrix.value(node).number().unwrap();
                if asked % 4 == 3 {
                    quiz.guess(&board, &steps, step, value - Points::whole(1));
                }
                step = quiz.guess(&board, &steps, step, value);
                asked += 1;
                let read = MatrixQuiz::read(MatrixQuestionKind::Value, &quiz.answers().unwrap(), &board, &steps, step);
                assert_eq!((read.right, read.finished_questions, read.done), (quiz.right, quiz.finished_questions, quiz.done));
            }
            assert_eq!((step, asked, quiz.right), (steps.len(), 18, 14));
        }
    }

    #[test]
    fn right_values_fill_the_whole_matrix() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        for &order in FillOrder::for_task(Task::EditDistance, EditCosts::LEVENSHTEIN) {
            let steps = board.steps(order);
            let (mut quiz, mut step, mut filled) = (MatrixQuiz::default(), 0, 0);
            while let Some(cell) = quiz.question(&board, &steps, step) {
                assert_eq!(quiz.feedback.as_ref().map(|said| said.verdict == GuessVerdict::Right), (filled > 0).then_some(true));
                step = quiz.guess(&board, &steps, step, board.matrix.value(cell).number().unwrap());
                filled += 1;
            }
            assert_eq!((step, filled), (steps.len(), steps.filled()), "{order:?}");
            assert_eq!((quiz.finished_questions as usize, quiz.right as usize), (filled, filled));
        }
    }

    #[test]
    fn first_wrong_guess_gets_a_hint_and_the_second_the_answer() {
        let board = board(Task::EditDistance, "ab", "ab");
        let steps = board.steps(FillOrder::Row);
        let mut quiz = MatrixQuiz::default();
        assert_eq!(quiz.guess(&board, &steps, 0, 1), 0);
        let said = quiz.feedback.clone().unwrap();
        assert!(matches!(said.verdict, GuessVerdict::Better(sum) if sum.total == 0), "{said:?}");
        assert_eq!(quiz.guess(&board, &steps, 0, 2), 1);
        assert_eq!(quiz.feedback.clone().map(|said| (said.verdict, said.missed)), Some((GuessVerdict::Told, true)));
        assert_eq!((quiz.finished_questions, quiz.right), (1, 0));
        assert_eq!(quiz.guess(&board, &steps, 1, 0), 1);
        assert_eq!(quiz.feedback.clone().unwrap().verdict, GuessVerdict::TooGood);
        assert_eq!(quiz.guess(&board, &steps, 1, 1), 2);
        assert!(quiz.feedback.as_ref().is_some_and(|said| said.missed), "the second try shows the sums");
        assert_eq!((quiz.finished_questions, quiz.right), (2, 0));
        quiz.guess(&board, &steps, 2, 1);
        assert!(quiz.feedback.is_some_and(|said| !said.missed));
    }

    #[test]
    fn too_high_values_are_told_apart_if_the_maximum_wins() {
        let board = board(Task::Lcs, "ab", "ab");
        let steps = board.steps(FillOrder::Row);
        let mut quiz = MatrixQuiz::default();
        quiz.guess(&board, &steps, 0, 0);
        assert!(matches!(quiz.feedback.clone().unwrap().verdict, GuessVerdict::Better(sum) if sum.total == 1));
        quiz.moved();
        quiz.guess(&board, &steps, 0, 2);
        assert_eq!(quiz.feedback.unwrap().verdict, GuessVerdict::TooGood);
    }

    /// In every cell the right choice continues, and every other choice is rejected once, then the answer is revealed
    /// with the sums.
    #[test]
    fn questions_about_inputs_and_order_fill_the_whole_matrix() {
        for (task, a, b) in [
            (Task::EditDistance, "SUNDAY", "SATURDAY"),
            (Task::Lcs, "abcb", "bacab"),
            (Task::ApproximateSearch, "ab", "xaby"),
            (Task::MatchCount, "aba", "ababa"),
            (Task::ExactSearch, "ab", "cabb"),
        ] {
            let board = board(task, a, b);
            for (kind, &order) in [MatrixQuestionKind::Inputs, MatrixQuestionKind::Next]
                .into_iter()
                .flat_map(|kind| FillOrder::for_task(task, EditCosts::LEVENSHTEIN).iter().map(move |order| (kind, order)))
            {
                let steps = board.steps(order);
                let (mut quiz, mut step, mut asked) = (MatrixQuiz { kind, ..MatrixQuiz::default() }, 0, 0);
                while let Some(question) = quiz.choices(&board, &steps, step) {
                    for set in 1..1u8 << question.choices.len() {
                        let reply = question.reply(set).unwrap();
                        if !question.is_right(&reply) {
                            let mut other = quiz.clone();
                            assert_eq!(other.choose(&board, &steps, step, &reply), step, "{order:?}");
                            assert_eq!(other.feedback.clone().map(|said| (said.verdict, said.missed)), Some((GuessVerdict::Other, false)));
                            other.choose(&board, &steps, step, &reply);
                            assert_eq!(other.feedback.map(|said| (said.verdict, said.missed)), Some((GuessVerdict::Told, true)));
                        }
                    }
                    step = quiz.choose(&board, &steps, step, &question.expected);
                    asked += 1;
                }
                let expected = if kind == MatrixQuestionKind::Next { steps.len() } else { steps.filled() };
                assert_eq!((step, asked), (steps.len(), expected), "{task:?} {order:?} {kind:?}");
                assert_eq!((quiz.finished_questions as usize, quiz.right as usize), (asked, asked));
            }
        }
    }

    #[test]
    fn names_of_question_kinds_in_addresses_are_stable() {
        assert_eq!(
            ["on", "value", "inputs", "next", "time", ""].map(MatrixQuestionKind::parse),
            [
                Some(MatrixQuestionKind::Value),
                Some(MatrixQuestionKind::Value),
                Some(MatrixQuestionKind::Inputs),
                Some(MatrixQuestionKind::Next),
                None,
                None
            ]
        );
        assert!(MatrixQuestionKind::ALL.into_iter().all(|kind| MatrixQuestionKind::parse(kind.name()) == Some(kind)));
    }

    #[test]
    fn first_answers_and_score_are_restored_from_a_link() {
        let board = board(Task::EditDistance, "SUNDAY", "SATURDAY");
        for (kind, &order) in MatrixQuestionKind::ALL
            .into_iter()
            .flat_map(|kind| FillOrder::for_task(Task::EditDistance, EditCosts::LEVENSHTEIN).iter().map(move |order| (kind, order)))
        {
            let steps = board.steps(order);
            let (mut quiz, mut step) = (MatrixQuiz::of(kind), 0);
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
                    None => {
                        quiz.guess(&board, &steps, step, board.matrix.value(quiz.question(&board, &steps, step).unwrap()).number().unwrap())
                    }
                };
            }
            let link = quiz.answers().unwrap();
            let read = MatrixQuiz::read(kind, &link, &board, &steps, step);
            assert_eq!(
                (read.right, read.finished_questions, read.done),
                (quiz.right, quiz.finished_questions, quiz.done),
                "{kind:?} {order:?} {link}"
            );
            assert!(quiz.right < quiz.finished_questions, "two first answers were wrong");
        }
        // The link has too many answers, or malformed ones.
        let steps = board.steps(FillOrder::Row);
        let read = |answers: &str| MatrixQuiz::read(MatrixQuestionKind::Value, answers, &board, &steps, 0);
        assert_eq!(
            (read("!!").finished_questions, read(&"A".repeat(181)).finished_questions, read(&"A".repeat(180)).finished_questions),
            (0, 0, 48)
        );
    }
}
