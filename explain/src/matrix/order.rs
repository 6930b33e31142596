//! Orders in which the cells of a matrix can be filled ([`FillOrder`]), and the steps of an order for one matrix
//! ([`FillSteps`]).
//!
//! In the orders by rows, columns and anti-diagonals, the cells of a step need no other cell of the same step. A step
//! of [`FillOrder::Bits`] is a column of bits, whose vertical dependences become carries between the bits of a word. A
//! step of [`FillOrder::Offset`] is a diagonal, along which the number of matches is counted.

use kernels::job::{EditCosts, Task};

use super::{DpMatrix, MatrixCell};

/// An order in which the cells of a matrix are filled, in steps. The first row and column have fixed values and take no
/// step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FillOrder {
    /// One cell per step, row by row.
    #[default]
    Row,
    /// One cell per step, column by column.
    Column,
    /// All cells of an anti-diagonal per step, as on a GPU.
    Diagonal,
    /// One cell per step, row by row, but only in a band of diagonals that contains every optimal alignment.
    Band,
    /// One cell per step, column by column, but in each column only down to the last row that may matter (Ukkonen
    /// 1985). An alignment within the distance of the nearest substring cannot reach a lower row.
    CutOff,
    /// One column per step, as the words of a bit-parallel algorithm.
    Bits,
    /// One diagonal per step, which stands for an offset of `a` in `b`.
    Offset,
}

/// The steps of a fill order for one matrix. The cells of a step and the step of a cell are computed on request, so
/// that even a matrix of four million cells takes only O(|a| + |b|) memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillSteps {
    order: FillOrder,
    rows: usize,
    columns: usize,
    /// For a band, the first filled column of each row; for a cut-off, the first filled row of each column; otherwise
    /// empty.
    first: Vec<usize>,
    /// For a band, the number of cells filled before each row; for a cut-off, before each column. A last entry has the
    /// total.
    before: Vec<usize>,
}

impl FillOrder {
    /// Every order.
    pub const ALL: [Self; 7] = [Self::Row, Self::Column, Self::Diagonal, Self::Band, Self::CutOff, Self::Bits, Self::Offset];

    /// Returns the orders in which the matrix of a task can be filled with these costs. The words of
    /// [`Bits`](Self::Bits) have differences of at most 1, so that they need the costs of Levenshtein.
    pub fn for_task(task: Task, costs: EditCosts) -> &'static [Self] {
        match task {
            Task::EditDistance if !costs.is_levenshtein() => &[Self::Row, Self::Column, Self::Diagonal, Self::Band],
            Task::SequenceAlignment => &[Self::Row, Self::Column, Self::Diagonal],
            Task::EditDistance | Task::Lcs => &[Self::Row, Self::Column, Self::Diagonal, Self::Band, Self::Bits],
            Task::ApproximateSearch => &[Self::Row, Self::Column, Self::Diagonal, Self::CutOff, Self::Bits],
            Task::MatchCount => &[Self::Row, Self::Column, Self::Offset],
            Task::ExactSearch => &[Self::Row, Self::Column, Self::Offset, Self::Bits],
        }
    }

    /// Returns the name of the order in URLs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
            Self::Diagonal => "diag",
            Self::Band => "band",
            Self::CutOff => "cut-off",
            Self::Bits => "bits",
            Self::Offset => "offset",
        }
    }

    /// Returns the steps of this order for `matrix`. Takes O(|a| + |b|) time, or O(cells) for [`CutOff`](Self::CutOff).
    pub fn steps(self, matrix: &DpMatrix) -> FillSteps {
        let MatrixCell { i: rows, j: columns } = matrix.last();
        let lines: Vec<(usize, usize)> = match self {
            _ if rows == 0 || columns == 0 => Vec::new(),
            Self::Band => {
                let (low, high) = band(matrix);
                let of_row = |i: i64| ((i + low).max(1), (i + high).min(columns as i64));
                let filled = |(from, to): (i64, i64)| (from.max(1) as usize, (to - from + 1).max(0) as usize);
                (1..=rows as i64).map(|i| filled(of_row(i))).collect()
            }
            Self::CutOff => depths(matrix).into_iter().map(|depth| (1, depth)).collect(),
            Self::Row | Self::Column | Self::Diagonal | Self::Bits | Self::Offset => Vec::new(),
        };
        let before = lines.iter().scan(0, |sum, (_, filled)| {
            *sum += filled;
            Some(*sum)
        });
        let before = std::iter::once(0).chain(before).collect();
        FillSteps { order: self, rows, columns, first: lines.into_iter().map(|(first, _)| first).collect(), before }
    }
}

impl FillSteps {
    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        match self.order {
            _ if self.rows == 0 || self.columns == 0 => 0,
            FillOrder::Row | FillOrder::Column => self.rows * self.columns,
            FillOrder::Diagonal | FillOrder::Offset => self.rows + self.columns - 1,
            FillOrder::Bits => self.columns,
            FillOrder::Band | FillOrder::CutOff => self.before.last().copied().unwrap_or_default(),
        }
    }

    /// Returns whether there are no steps, because no cell needs to be filled.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the cells that step number `step` fills. Steps count from 1; there are no cells for step 0 and after the
    /// last step.
    pub fn cells(&self, step: usize) -> Vec<MatrixCell> {
        let Some(at) = step.checked_sub(1).filter(|_| step <= self.len()) else { return Vec::new() };
        let (rows, columns) = (self.rows, self.columns);
        match self.order {
            FillOrder::Row => vec![MatrixCell { i: 1 + at / columns, j: 1 + at % columns }],
            FillOrder::Column => vec![MatrixCell { i: 1 + at % rows, j: 1 + at / rows }],
            FillOrder::Diagonal => {
                (1usize.max((step + 1).saturating_sub(columns))..=rows.min(step)).map(|i| MatrixCell { i, j: step + 1 - i }).collect()
            }
            FillOrder::Bits => (1..=rows).map(|i| MatrixCell { i, j: step }).collect(),
            // Step number `step` is the diagonal `j − i = step − rows`.
            FillOrder::Offset => {
                let last = rows.min((columns + rows).saturating_sub(step));
                (1usize.max((rows + 1).saturating_sub(step))..=last).map(|i| MatrixCell { i, j: step + i - rows }).collect()
            }
            FillOrder::Band | FillOrder::CutOff => {
                // The line (row of a band or column of a cut-off) is the last one before which at most `at` cells are
                // filled. Empty lines end before it.
                let line = self.before.partition_point(|&before| before <= at);
                let along = self.first[line - 1] + at - self.before[line - 1];
                vec![if self.order == FillOrder::Band { MatrixCell { i: line, j: along } } else { MatrixCell { i: along, j: line } }]
            }
        }
    }

    /// Returns the number of the step that fills the given cell, from 1, or 0 for a cell of the first row or column.
    /// Returns `None` for a cell that the order leaves out, or that is outside of the matrix.
    pub fn step_of(&self, MatrixCell { i, j }: MatrixCell) -> Option<usize> {
        let (rows, columns) = (self.rows, self.columns);
        let along_line = |line: usize, along: usize| {
            let (first, before) = (self.first[line - 1], self.before[line - 1]);
            let step = before + (along + 1).checked_sub(first)?;
            (step > before && step <= self.before[line]).then_some(step)
        };
        match self.order {
            _ if i > rows || j > columns => None,
            _ if i == 0 || j == 0 => Some(0),
            FillOrder::Row => Some((i - 1) * columns + j),
            FillOrder::Column => Some((j - 1) * rows + i),
            FillOrder::Diagonal => Some(i + j - 1),
            FillOrder::Bits => Some(j),
            FillOrder::Offset => Some(j + rows - i),
            FillOrder::Band => along_line(i, j),
            FillOrder::CutOff => along_line(j, i),
        }
    }

    /// Returns the number of cells that all steps together fill.
    pub fn filled(&self) -> usize {
        match self.order {
            FillOrder::Band | FillOrder::CutOff => self.len(),
            FillOrder::Row | FillOrder::Column | FillOrder::Diagonal | FillOrder::Bits | FillOrder::Offset => self.rows * self.columns,
        }
    }

    /// Returns the number of cells of the matrix, without the first row and column.
    pub fn cells_of_matrix(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns the number of cells filled by the first `step` steps.
    pub fn filled_after(&self, step: usize) -> usize {
        let step = step.min(self.len());
        match self.order {
            FillOrder::Row | FillOrder::Column | FillOrder::Band | FillOrder::CutOff => step,
            FillOrder::Bits => step * self.rows,
            FillOrder::Diagonal | FillOrder::Offset => {
                // The lengths of diagonals grow by one, stay the same, and then shrink by one.
                let (short, long) = (self.rows.min(self.columns), self.rows.max(self.columns));
                let grown = |steps: usize| steps * (steps + 1) / 2;
                match step {
                    _ if step <= short => grown(step),
                    _ if step <= long => grown(short) + (step - short) * short,
                    _ => self.rows * self.columns - grown(self.len() - step),
                }
            }
        }
    }
}

/// Returns the least value of the last row of `matrix`. In an approximate search, it is the distance of the nearest
/// substring.
pub fn nearest(matrix: &DpMatrix) -> u32 {
    let MatrixCell { i: rows, j: columns } = matrix.last();
    (0..=columns).map(|j| matrix.value(MatrixCell { i: rows, j }).count()).min().unwrap_or_default()
}

/// Returns, for each column from 1 on, the number of rows that the order [`FillOrder::CutOff`] fills.
///
/// A value is at least as great as the value of its upper left neighbour. So if no value of a column below row `r` is
/// within the distance of the nearest substring, no value of the next column below row `r + 1` is.
fn depths(matrix: &DpMatrix) -> Vec<usize> {
    let MatrixCell { i: rows, j: columns } = matrix.last();
    let within = nearest(matrix);
    let mut deepest = rows.min(within as usize);
    let of_column = |j: usize| {
        let depth = rows.min(deepest + 1);
        deepest = (0..=depth).rev().find(|&i| matrix.value(MatrixCell { i, j }).count() <= within).unwrap_or(0);
        depth
    };
    (1..=columns).map(of_column).collect()
}

/// Returns the first and the last diagonal of a band that contains every optimal alignment. Diagonal `k` has the cells
/// with `j − i = k`. An alignment that reaches diagonal `k` needs at least |k| insertions or deletions to get there.
/// Their sum of costs is at most the value of the last cell. If they cost nothing, the band has no border.
fn band(matrix: &DpMatrix) -> (i64, i64) {
    let last = matrix.last();
    let (rows, columns, value) = (last.i as i64, last.j as i64, i64::from(matrix.value(last).count()));
    match matrix.task() {
        // Deletions remove the symbols of `a` outside of the subsequence, and insertions add the symbols of `b` outside
        // of it.
        Task::Lcs => (value - rows, columns - value),
        Task::EditDistance | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch | Task::SequenceAlignment => {
            let EditCosts { insert, delete, .. } = matrix.costs();
            (-value.checked_div(delete.into()).unwrap_or(rows), value.checked_div(insert.into()).unwrap_or(columns))
        }
    }
}
