//! The recurrence of a task as it is taught: the values of the first row and column, and the sums that give every other
//! value. [`RecurrenceText`] has its lines.
//!
//! Formulas are the same in every language. Names in them stand between asterisks.

use std::borrow::Cow;

use explain::matrix::{CellInput, DpMatrix, MatrixCell};
use kernels::job::{EditCosts, Task};

use crate::tr;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrenceRule {
    pub about: RuleSubject,
    /// The formula: a whole equation for the first row or column, and only one sum of the right side for other cells.
    pub formula: Cow<'static, str>,
    /// The formula in words.
    pub says: Cow<'static, str>,
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
    /// Returns the recurrence that fills `matrix`, with its costs.
    pub fn of(matrix: &DpMatrix) -> Self {
        let rule = |about, formula, says: &'static str| RecurrenceRule { about, formula, says: says.into() };
        let row = |formula: &'static str, says| rule(RuleSubject::FirstRow, formula.into(), says);
        let column = |formula: &'static str, says| rule(RuleSubject::FirstColumn, formula.into(), says);
        let sum = |input, formula: &'static str, says| rule(RuleSubject::Input(input), formula.into(), says);
        let EditCosts { substitute, insert, delete, transpose } = matrix.costs();
        // A factor of 1 is left out.
        let times = |cost: u32, of: &str| if cost == 1 { of.to_owned() } else { format!("{cost} · {of}") };
        let edits = || {
            let edit = |input, formula: String, says| rule(RuleSubject::Input(input), formula.into(), says);
            let differ = format!("*D*[*i*−1, *j*−1] + {}", times(substitute, "[*a*ᵢ ≠ *b*ⱼ]"));
            let corner = RecurrenceRule {
                about: RuleSubject::Input(CellInput::Corner),
                formula: differ.into(),
                says: tr!("costs {n} if the symbols differ, else nothing", n = substitute).into(),
            };
            let mut sums = vec![
                corner,
                edit(CellInput::Above, format!("*D*[*i*−1, *j*] + {delete}"), t("delete the symbol of *a*")),
                edit(CellInput::Left, format!("*D*[*i*, *j*−1] + {insert}"), t("insert the symbol of *b*")),
            ];
            sums.extend(transpose.map(|cost| {
                let says = t("swap two different neighbours of *a*, if *b* has them the other way round");
                edit(CellInput::TwoBack, format!("*D*[*i*−2, *j*−2] + {cost}"), says)
            }));
            sums
        };
        let all = |about, head: &str, cost: u32, of: &str, says| {
            let formula = if cost == 0 { format!("{head} = 0") } else { format!("{head} = {}", times(cost, of)) };
            rule(about, formula.into(), says)
        };
        let deleted = all(RuleSubject::FirstColumn, "*D*[*i*, 0]", delete, "*i*", t("delete all symbols so far"));
        match matrix.task() {
            Task::EditDistance => Self {
                base: [all(RuleSubject::FirstRow, "*D*[0, *j*]", insert, "*j*", t("insert all symbols so far")), deleted],
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
            Task::SequenceAlignment => Self {
                base: [
                    row("*S*[0, *j*] = −*g*(*j*)", t("a gap of all symbols so far")),
                    column("*S*[*i*, 0] = −*g*(*i*)", t("a gap of all symbols so far")),
                ],
                head: t("*S*[*i*, *j*] is the largest of"),
                sums: vec![
                    sum(CellInput::Corner, "*S*[*i*−1, *j*−1] + *s*(*a*ᵢ, *b*ⱼ)", t("points of the two symbols")),
                    sum(CellInput::Above, "*S*[*i*−*n*, *j*] − *g*(*n*)", t("a gap of *n* symbols in *b*")),
                    sum(CellInput::Left, "*S*[*i*, *j*−*n*] − *g*(*n*)", t("a gap of *n* symbols in *a*")),
                ],
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
    /// Returns whether the value of `cell` in `matrix` is given by this line of the recurrence.
    pub fn makes(&self, matrix: &DpMatrix, cell: MatrixCell) -> bool {
        match self.about {
            RuleSubject::FirstRow => cell.i == 0,
            RuleSubject::FirstColumn => cell.j == 0 && cell.i > 0,
            RuleSubject::Input(input) => cell.i > 0 && cell.j > 0 && matrix.sums(cell).any(|sum| sum.input == input && sum.wins),
        }
    }
}

#[cfg(test)]
mod tests {
    use explain::matrix::has_matrix;

    use super::super::MatrixBoard;
    use super::super::tests::{board, board_with_costs};
    use super::*;

    /// Returns a board of each task, and boards with costs.
    fn boards(a: &str, b: &str) -> Vec<MatrixBoard> {
        let weights = EditCosts { substitute: 3, insert: 2, delete: 0, transpose: Some(1) };
        let with_costs = [EditCosts::INDEL, EditCosts::OSA, weights].map(|costs| board_with_costs(costs, a, b));
        Task::ALL.into_iter().filter(|task| has_matrix(*task)).map(|task| board(task, a, b)).chain(with_costs).collect()
    }

    /// Every value follows from some line of the recurrence, namely from those that its sums name.
    #[test]
    fn every_cell_follows_from_a_rule() {
        for board in boards("abca", "bcaab") {
            let (task, recurrence) = (board.task(), RecurrenceText::of(&board.matrix));
            for cell in board.matrix.cells() {
                let by: Vec<RuleSubject> = recurrence
                    .base
                    .iter()
                    .chain(&recurrence.sums)
                    .filter(|rule| rule.makes(&board.matrix, cell))
                    .map(|rule| rule.about)
                    .collect();
                let zero = board.matrix.value(cell) == 0;
                assert!(!by.is_empty() || (task == Task::ExactSearch && zero), "{task:?} {cell:?}");
                assert_eq!(by.contains(&RuleSubject::FirstRow), cell.i == 0);
            }
        }
    }

    /// The formulas of the first row and column agree with the values of the matrix.
    #[test]
    fn base_cases_agree_with_the_matrix() {
        for board in boards("abc", "abcd") {
            let [row, column] = RecurrenceText::of(&board.matrix).base;
            for (rule, cell) in [(row, MatrixCell { i: 0, j: 3 }), (column, MatrixCell { i: 2, j: 0 })] {
                let (_, right) = rule.formula.split_once(" = ").unwrap();
                let (factor, of) = right.split_once(" · ").unwrap_or(("1", right));
                let said = match of {
                    "*j*" => 3,
                    "*i*" => 2,
                    number => number.parse::<u32>().unwrap(),
                };
                assert_eq!(board.matrix.value(cell).count(), factor.parse::<u32>().unwrap() * said, "{:?}: {}", board.task(), rule.formula);
            }
        }
    }

    #[test]
    fn every_input_of_a_task_has_a_sum() {
        for board in boards("aba", "abba") {
            let mut inputs: Vec<RuleSubject> =
                board.matrix.sums(MatrixCell { i: 1, j: 1 }).map(|sum| RuleSubject::Input(sum.input)).collect();
            inputs.extend(board.matrix.sums(MatrixCell { i: 2, j: 4 }).map(|sum| RuleSubject::Input(sum.input)).skip(3));
            let sums: Vec<RuleSubject> = RecurrenceText::of(&board.matrix).sums.iter().map(|rule| rule.about).collect();
            assert_eq!(sums, inputs, "{:?} {:?}", board.task(), board.matrix.costs());
        }
    }
}
