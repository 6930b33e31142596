//! The recurrence of a task as it is taught: the values of the first row and column, and the sums that give every other
//! value. [`RecurrenceText`] has its lines.
//!
//! Formulas are the same in every language. Names in them stand between asterisks.

use explain::matrix::{CellInput, MatrixCell};
use kernels::job::Task;

use super::MatrixBoard;
use crate::tr::t;

/// The cells to which a line of the recurrence applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSubject {
    /// The cells of the first row.
    FirstRow,
    /// The cells of the first column.
    FirstColumn,
    /// The cells outside of the first row and column whose sum from this input is the best of their sums.
    Input(CellInput),
}

/// One line of a recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecurrenceRule {
    pub about: RuleSubject,
    /// The formula: a whole equation for the first row or column, and only one sum of the right side for other cells.
    pub formula: &'static str,
    /// The formula in words.
    pub says: &'static str,
}

/// The lines of a recurrence: the base cases (first row and column), and the sums of all other cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrenceText {
    /// The base cases of the first row and the first column.
    pub base: [RecurrenceRule; 2],
    /// The beginning of the equation for all other cells, up to the list of the sums, for example `*D*[*i*, *j*] is the
    /// smallest of`.
    pub head: &'static str,
    /// The sums of a cell outside of the first row and column, in the order of [`CellInput::ALL`]. The best of them is
    /// the value of the cell.
    pub sums: Vec<RecurrenceRule>,
}

impl RecurrenceText {
    /// Returns the recurrence of `task`.
    pub fn of(task: Task) -> Self {
        let row = |formula, says| RecurrenceRule { about: RuleSubject::FirstRow, formula, says };
        let column = |formula, says| RecurrenceRule { about: RuleSubject::FirstColumn, formula, says };
        let sum = |input, formula, says| RecurrenceRule { about: RuleSubject::Input(input), formula, says };
        let edits = || {
            vec![
                sum(CellInput::Corner, "*D*[*i*−1, *j*−1] + [*a*ᵢ ≠ *b*ⱼ]", t("costs 1 if the symbols differ, else nothing")),
                sum(CellInput::Above, "*D*[*i*−1, *j*] + 1", t("delete the symbol of *a*")),
                sum(CellInput::Left, "*D*[*i*, *j*−1] + 1", t("insert the symbol of *b*")),
            ]
        };
        let deleted = column("*D*[*i*, 0] = *i*", t("delete all symbols so far"));
        match task {
            Task::EditDistance => Self {
                base: [row("*D*[0, *j*] = *j*", t("insert all symbols so far")), deleted],
                head: t("*D*[*i*, *j*] is the smallest of"),
                sums: edits(),
            },
            Task::ApproximateSearch => Self {
                base: [row("*D*[0, *j*] = 0", t("a match can start anywhere")), deleted],
                head: t("*D*[*i*, *j*] is the smallest of"),
                sums: edits(),
            },
            Task::Lcs => Self {
                base: [
                    row("*L*[0, *j*] = 0", t("nothing in common with an empty text")),
                    column("*L*[*i*, 0] = 0", t("nothing in common with an empty text")),
                ],
                head: t("*L*[*i*, *j*] is the largest of"),
                sums: vec![
                    sum(CellInput::Corner, "*L*[*i*−1, *j*−1] + 1", t("only if the symbols are equal")),
                    sum(CellInput::Above, "*L*[*i*−1, *j*]", t("leave out the symbol of *a*")),
                    sum(CellInput::Left, "*L*[*i*, *j*−1]", t("leave out the symbol of *b*")),
                ],
            },
            Task::MatchCount => Self {
                base: [row("*S*[0, *j*] = 0", t("nothing compared yet")), column("*S*[*i*, 0] = 0", t("this diagonal starts inside *a*"))],
                head: t("*S*[*i*, *j*] is"),
                sums: vec![sum(CellInput::Corner, "*S*[*i*−1, *j*−1] + [*a*ᵢ = *b*ⱼ]", t("1 if the symbols are equal, else 0"))],
            },
            Task::ExactSearch => Self {
                base: [
                    row("*P*[0, *j*] = 1", t("the empty prefix ends everywhere")),
                    column("*P*[*i*, 0] = 0", t("no symbol can end before *b* begins")),
                ],
                head: t("*P*[*i*, *j*] is"),
                sums: vec![sum(CellInput::Corner, "*P*[*i*−1, *j*−1] ∧ [*a*ᵢ = *b*ⱼ]", t("1 if the symbols are equal, else 0"))],
            },
        }
    }
}

impl RecurrenceRule {
    /// Returns whether the value of `cell` is given by this line.
    pub fn makes(&self, board: &MatrixBoard, cell: MatrixCell) -> bool {
        match self.about {
            RuleSubject::FirstRow => cell.i == 0,
            RuleSubject::FirstColumn => cell.j == 0 && cell.i > 0,
            RuleSubject::Input(input) => cell.i > 0 && cell.j > 0 && board.matrix.sums(cell).any(|sum| sum.input == input && sum.wins),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::board;
    use super::*;

    /// Every value follows from some line of the recurrence, namely from those that its sums name.
    #[test]
    fn every_cell_follows_from_a_rule() {
        for task in Task::ALL {
            let board = board(task, "abca", "bcaab");
            let recurrence = RecurrenceText::of(task);
            for cell in board.matrix.cells() {
                let by: Vec<RuleSubject> =
                    recurrence.base.iter().chain(&recurrence.sums).filter(|rule| rule.makes(&board, cell)).map(|rule| rule.about).collect();
                let zero = board.matrix.value(cell) == 0;
                assert!(!by.is_empty() || (task == Task::ExactSearch && zero), "{task:?} {cell:?}");
                assert_eq!(by.contains(&RuleSubject::FirstRow), cell.i == 0);
            }
        }
    }

    /// The formulas of the first row and column agree with the values of the matrix.
    #[test]
    fn base_cases_agree_with_the_matrix() {
        for task in Task::ALL {
            let board = board(task, "abc", "abcd");
            let [row, column] = RecurrenceText::of(task).base;
            for (rule, cell) in [(row, MatrixCell { i: 0, j: 3 }), (column, MatrixCell { i: 2, j: 0 })] {
                let (_, right) = rule.formula.split_once(" = ").unwrap();
                let said = match right {
                    "*j*" => 3,
                    "*i*" => 2,
                    number => number.parse().unwrap(),
                };
                assert_eq!(board.matrix.value(cell), said, "{task:?}: {}", rule.formula);
            }
        }
    }

    #[test]
    fn every_input_of_a_task_has_a_sum() {
        for task in Task::ALL {
            let board = board(task, "ab", "ab");
            let inputs: Vec<RuleSubject> = board.matrix.sums(MatrixCell { i: 1, j: 1 }).map(|sum| RuleSubject::Input(sum.input)).collect();
            let sums: Vec<RuleSubject> = RecurrenceText::of(task).sums.iter().map(|rule| rule.about).collect();
            assert_eq!(sums, inputs, "{task:?}");
        }
    }
}
