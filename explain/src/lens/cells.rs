//! Questions about a cell of a matrix: its [`value_question`], the cells that determine its value ([`inputs`]), and the [`next_cells_question`]
//! cell to fill. The lenses that fill a matrix ask them, and so does the page beside the matrix.

use super::frame::{LensSentence, SentenceValue};
use super::question::{LensQuestion, QuestionKind};
use super::sums_of;
use crate::matrix::order::FillSteps;
use crate::matrix::{DpMatrix, MatrixCell};

/// Returns the values to insert in a sentence about `cell`: row, column and, if `with_value` is set, the value of the
/// cell.
fn cell_values(matrix: &DpMatrix, cell: MatrixCell, with_value: bool) -> Vec<(&'static str, SentenceValue)> {
    let mut place = vec![("i", SentenceValue::number(cell.i)), ("j", SentenceValue::number(cell.j))];
    place.extend(with_value.then(|| ("value", SentenceValue::Number(matrix.value(cell).count().into()))));
    place
}

/// Creates a question that asks for the value of `cell`.
pub fn value_question(matrix: &DpMatrix, cell: MatrixCell) -> LensQuestion {
    let totals: Vec<u64> = matrix.sums(cell).map(|sum| sum.total.count().into()).collect();
    let says = LensSentence { key: "question.value", values: cell_values(matrix, cell, false) };
    LensQuestion::number(QuestionKind::Value, says, matrix.value(cell).count().into(), &totals).with_sums(sums_of(matrix, cell))
}

/// Creates a question that asks for the neighbours that determine the value of `cell`. An alignment must not begin at
/// this cell.
pub fn inputs(matrix: &DpMatrix, cell: MatrixCell) -> LensQuestion {
    let places = |cells: &mut dyn Iterator<Item = MatrixCell>| -> Vec<(usize, usize)> { cells.map(|cell| (cell.i, cell.j)).collect() };
    let mut winners = places(&mut matrix.sums(cell).filter(|sum| sum.wins).map(|sum| sum.from));
    let among = places(&mut matrix.inputs().filter_map(|input| input.earlier_cell(cell)));
    // If no sum gives the value, as for different symbols in an exact search, the corner determines it.
    if winners.is_empty() {
        winners.extend(among.first());
    }
    let says = LensSentence { key: "question.inputs", values: cell_values(matrix, cell, true) };
    LensQuestion::cells(QuestionKind::Inputs, says, winners, among).with_sums(sums_of(matrix, cell))
}

/// Creates a question that asks for the cells that step number `step` (from 1) of `steps` fills. If the step fills one
/// cell, the choices are positions near the last filled cell. Otherwise the choices are cell number `at` (from 0) of
/// the step and its neighbours. Returns `None` after the last step.
pub fn next_cells_question(matrix: &DpMatrix, steps: &FillSteps, step: usize, at: usize) -> Option<LensQuestion> {
    let cells = steps.cells(step);
    let cell = *cells.get(at)?;
    let MatrixCell { i: m, j: n } = matrix.last();
    // If a step fills one cell, wrong choices are next to the last filled cell, and at the beginnings of the next row
    // and column.
    let now = steps.cells(step - 1).last().copied().unwrap_or(MatrixCell { i: 1, j: 0 });
    let beside = [(now.i, now.j + 1), (now.i + 1, now.j), (now.i + 1, 1), (1, now.j + 1), (now.i + 1, now.j + 1)];
    let is_open = |&(i, j): &(usize, usize)| (1..=m).contains(&i) && (1..=n).contains(&j);
    let beside = beside.into_iter().filter(is_open);
    if let [_] = cells[..] {
        let says = LensSentence { key: "question.next-filled", values: Vec::new() };
        return Some(LensQuestion::cells(QuestionKind::Next, says, vec![(cell.i, cell.j)], beside.chain([(cell.i, cell.j)]).collect()));
    }
    // If a step fills many cells, the choices are some of these cells and some cells of other steps.
    let around = [
        (cell.i, cell.j),
        (cell.i + 1, cell.j.wrapping_sub(1)),
        (cell.i, cell.j + 1),
        (cell.i.wrapping_sub(1), cell.j),
        (cell.i + 1, cell.j + 1),
    ];
    let mut among: Vec<(usize, usize)> = around.into_iter().filter(is_open).collect();
    among.dedup();
    let of_step = among.iter().copied().filter(|(i, j)| cells.contains(&MatrixCell { i: *i, j: *j })).collect();
    let says = LensSentence::new("question.of-step", [("step", SentenceValue::number(step))]);
    Some(LensQuestion::cells(QuestionKind::Next, says, of_step, among))
}

#[cfg(test)]
pub(super) mod tests {
    use kernels::job::Task;

    use super::super::tests::{Case, value};

    /// Returns the neighbours that determine a value by the recurrence, ascending.
    pub(in super::super) fn inputs(task: Task, case: &Case, i: usize, j: usize) -> Vec<(usize, usize)> {
        let own = value(task, case, i, j);
        let is_lcs = task == Task::Lcs;
        let mut inputs = Vec::new();
        if i > 0 && j > 0 {
            let is_equal = case.a[i - 1] == case.b[j - 1];
            let adds = u64::from(is_equal == is_lcs);
            if (is_equal || !is_lcs) && value(task, case, i - 1, j - 1) + adds == own {
                inputs.push((i - 1, j - 1));
            }
        }
        let step = u64::from(!is_lcs);
        if i > 0 && value(task, case, i - 1, j) + step == own {
            inputs.push((i - 1, j));
        }
        if j > 0 && value(task, case, i, j - 1) + step == own {
            inputs.push((i, j - 1));
        }
        inputs
    }
}
