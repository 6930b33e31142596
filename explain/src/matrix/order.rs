//! Orders in which the cells can be filled, step by step. In the orders by rows, columns and anti-diagonals the cells of a step need no
//! other cell of the same step. A step of [`Order::Bits`] is a column, whose vertical dependences the bits of a word carry; one of
//! [`Order::Offset`] is a diagonal, along which the count goes on.

use kernels::job::Task;

use super::{Cell, Matrix};

/// An order of filling. The first row and column are given and take no step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// A cell a step, row by row.
    #[default]
    Row,
    /// A cell a step, column by column.
    Column,
    /// All cells of an anti-diagonal in one step, as a GPU does it.
    Diagonal,
    /// A cell a step, row by row, and only where an alignment as good as the answer can pass.
    Band,
    /// A cell a step, column by column, and no deeper than a piece within the answer's distance can reach (Ukkonen 1985).
    CutOff,
    /// A column a step, as the words of a bit-parallel algorithm.
    Bits,
    /// A diagonal a step: one offset of `a` in `b`.
    Offset,
}

/// The steps of an order over one matrix. Nothing is listed: the cells of a step and the step of a cell are worked out when they are
/// asked for, so that four million cells have steps too. Memory O(|a| + |b|).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    order: Order,
    rows: usize,
    columns: usize,
    /// Where a line leaves cells out: the first cell that it fills, for the rows of a band and the columns of a cut-off.
    first: Vec<usize>,
    /// Cells that are filled before each of those lines, and before the one behind the last.
    before: Vec<usize>,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 7] = [Self::Row, Self::Column, Self::Diagonal, Self::Band, Self::CutOff, Self::Bits, Self::Offset];

    /// Those that a task's matrix can be filled in.
    pub fn of(task: Task) -> &'static [Self] {
        match task {
            Task::EditDistance | Task::Lcs => &[Self::Row, Self::Column, Self::Diagonal, Self::Band, Self::Bits],
            Task::ApproximateSearch => &[Self::Row, Self::Column, Self::Diagonal, Self::CutOff, Self::Bits],
            Task::MatchCount => &[Self::Row, Self::Column, Self::Offset],
            Task::ExactSearch => &[Self::Row, Self::Column, Self::Offset, Self::Bits],
        }
    }

    /// Its name in an address.
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

    /// Its steps over a matrix. Time O(|a| + |b|), for [`CutOff`](Self::CutOff) O(cells).
    pub fn steps(self, matrix: &Matrix) -> Steps {
        let Cell { i: rows, j: columns } = matrix.last();
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
        Steps { order: self, rows, columns, first: lines.into_iter().map(|(first, _)| first).collect(), before }
    }
}

impl Steps {
    /// How many.
    pub fn len(&self) -> usize {
        match self.order {
            _ if self.rows == 0 || self.columns == 0 => 0,
            Order::Row | Order::Column => self.rows * self.columns,
            Order::Diagonal | Order::Offset => self.rows + self.columns - 1,
            Order::Bits => self.columns,
            Order::Band | Order::CutOff => self.before.last().copied().unwrap_or_default(),
        }
    }

    /// Whether there is nothing to fill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells that a step fills, from 1; none for step 0 and behind the last.
    pub fn cells(&self, step: usize) -> Vec<Cell> {
        let Some(at) = step.checked_sub(1).filter(|_| step <= self.len()) else { return Vec::new() };
        let (rows, columns) = (self.rows, self.columns);
        match self.order {
            Order::Row => vec![Cell { i: 1 + at / columns, j: 1 + at % columns }],
            Order::Column => vec![Cell { i: 1 + at % rows, j: 1 + at / rows }],
            Order::Diagonal => {
                (1usize.max((step + 1).saturating_sub(columns))..=rows.min(step)).map(|i| Cell { i, j: step + 1 - i }).collect()
            }
            Order::Bits => (1..=rows).map(|i| Cell { i, j: step }).collect(),
            // A step is the diagonal `j − i = step − rows`.
            Order::Offset => {
                let last = rows.min((columns + rows).saturating_sub(step));
                (1usize.max((rows + 1).saturating_sub(step))..=last).map(|i| Cell { i, j: step + i - rows }).collect()
            }
            Order::Band | Order::CutOff => {
                // The last line before which no more than these are filled is the line of the step: empty ones end before it.
                let line = self.before.partition_point(|&before| before <= at);
                let along = self.first[line - 1] + at - self.before[line - 1];
                vec![if self.order == Order::Band { Cell { i: line, j: along } } else { Cell { i: along, j: line } }]
            }
        }
    }

    /// The step that fills a cell: 0 for what is given; `None` for a cell that is left out, or outside.
    pub fn of(&self, Cell { i, j }: Cell) -> Option<usize> {
        let (rows, columns) = (self.rows, self.columns);
        let along_line = |line: usize, along: usize| {
            let (first, before) = (self.first[line - 1], self.before[line - 1]);
            let step = before + (along + 1).checked_sub(first)?;
            (step > before && step <= self.before[line]).then_some(step)
        };
        match self.order {
            _ if i > rows || j > columns => None,
            _ if i == 0 || j == 0 => Some(0),
            Order::Row => Some((i - 1) * columns + j),
            Order::Column => Some((j - 1) * rows + i),
            Order::Diagonal => Some(i + j - 1),
            Order::Bits => Some(j),
            Order::Offset => Some(j + rows - i),
            Order::Band => along_line(i, j),
            Order::CutOff => along_line(j, i),
        }
    }

    /// Cells that are filled when all steps are done.
    pub fn filled(&self) -> usize {
        match self.order {
            Order::Band | Order::CutOff => self.len(),
            Order::Row | Order::Column | Order::Diagonal | Order::Bits | Order::Offset => self.rows * self.columns,
        }
    }

    /// Cells that could be filled: all but the first row and column.
    pub fn cells_of_matrix(&self) -> usize {
        self.rows * self.columns
    }

    /// Cells that are filled when so many steps are done.
    pub fn filled_after(&self, step: usize) -> usize {
        let step = step.min(self.len());
        match self.order {
            Order::Row | Order::Column | Order::Band | Order::CutOff => step,
            Order::Bits => step * self.rows,
            Order::Diagonal | Order::Offset => {
                // Diagonals grow by a cell each, stay, and shrink again.
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

/// The least value of the last row: how near the nearest piece is.
pub fn nearest(matrix: &Matrix) -> u16 {
    let Cell { i: rows, j: columns } = matrix.last();
    (0..=columns).map(|j| matrix.value(Cell { i: rows, j })).min().unwrap_or_default()
}

/// Cells that the cut-off fills in each column, for the nearest pieces. A value is at least that of its upper left neighbour, so that
/// below the last value within the distance of a column nothing of the next column is within it but for one row.
fn depths(matrix: &Matrix) -> Vec<usize> {
    let Cell { i: rows, j: columns } = matrix.last();
    let within = nearest(matrix);
    let mut deepest = rows.min(within.into());
    let of_column = |j: usize| {
        let depth = rows.min(deepest + 1);
        deepest = (0..=depth).rev().find(|&i| matrix.value(Cell { i, j }) <= within).unwrap_or(0);
        depth
    };
    (1..=columns).map(of_column).collect()
}

/// Diagonals `j − i`, from and to, that hold every optimal alignment. A walk that leaves the main diagonals for the diagonal `k`
/// takes at least |k| insertions or deletions and as many more as lead from there to the last cell.
fn band(matrix: &Matrix) -> (i64, i64) {
    let last = matrix.last();
    let (rows, columns, value) = (last.i as i64, last.j as i64, i64::from(matrix.value(last)));
    match matrix.task() {
        // As many deletions as symbols of `a` are left over, and insertions as of `b`.
        Task::Lcs => (value - rows, columns - value),
        Task::EditDistance | Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => (-value, value),
    }
}
