//! The visitor fills the cells: one question after the other, in the order of filling.

use explain::matrix::order::Steps;
use explain::matrix::{Cell, Sum};
use kernels::job::Task;

use super::Board;

/// How far the visitor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quiz {
    /// Cells of the next step that are filled.
    pub done: usize,
    /// Cells that were answered or told.
    pub asked: u32,
    /// Those that were right at once.
    pub right: u32,
    /// The cell that is asked was answered wrongly once.
    tried: bool,
    /// What is to be said of the last guess.
    pub said: Option<Said>,
}

/// What is said of a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The cell that was asked.
    pub cell: Cell,
    /// What was typed.
    pub guess: u16,
    /// What follows from it.
    pub verdict: Verdict,
    /// The cell is over and was not right at once: its sums are shown.
    pub missed: bool,
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
    /// The second wrong one: the value is told.
    Told,
}

impl Quiz {
    /// The cell that is asked, after `step` steps; `None` when all are filled.
    pub fn question(&self, steps: &Steps, step: usize) -> Option<Cell> {
        steps.cells(step + 1).get(self.done).copied()
    }

    /// Takes a guess; returns the steps that are done now.
    pub fn guess(&mut self, board: &Board, steps: &Steps, step: usize, guess: u16) -> usize {
        let Some(cell) = self.question(steps, step) else { return step };
        let value = board.matrix.value(cell);
        let verdict = match guess == value {
            true => Verdict::Right,
            false if self.tried => Verdict::Told,
            false => why_not(board, cell, guess),
        };
        let over = matches!(verdict, Verdict::Right | Verdict::Told);
        self.asked += u32::from(over);
        let missed = over && self.tried;
        self.right += u32::from(over && !missed);
        self.tried = !over;
        self.said = Some(Said { cell, guess, verdict, missed });
        if !over {
            return step;
        }
        self.done += 1;
        if self.done < steps.cells(step + 1).len() {
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
    let least = matches!(board.task(), Task::EditDistance | Task::ApproximateSearch);
    let value = board.matrix.value(cell);
    let better = if least { value < guess } else { value > guess };
    match board.matrix.sums(cell).find(|sum| sum.total == value) {
        Some(sum) if better => Verdict::Better(sum),
        _ => Verdict::TooGood,
    }
}

#[cfg(test)]
mod tests {
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
}
