//! Orders in which the cells can be filled: each step fills cells that need no other cell of the same step.

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

/// The steps of an order over one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The cells of each step, in the order in which they stand in the rows.
    steps: Vec<Vec<Cell>>,
    /// The step of each cell from 1, row by row; 0 for what is given, `None` for what is never filled.
    of: Vec<Option<usize>>,
    columns: usize,
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

    /// Its steps over a matrix. Time and memory O(cells).
    pub fn steps(self, matrix: &Matrix) -> Steps {
        let Cell { i: rows, j: columns } = matrix.last();
        let inner = move || (1..=rows).flat_map(move |i| (1..=columns).map(move |j| Cell { i, j }));
        let alone = |cells: &mut dyn Iterator<Item = Cell>| cells.map(|cell| vec![cell]).collect();
        let along = |number: usize, step: &dyn Fn(Cell) -> usize| {
            let mut steps = vec![Vec::new(); number];
            inner().for_each(|cell| steps[step(cell)].push(cell));
            steps
        };
        let steps: Vec<Vec<Cell>> = match self {
            _ if rows == 0 || columns == 0 => Vec::new(),
            Self::Row => alone(&mut inner()),
            Self::Column => alone(&mut (1..=columns).flat_map(|j| (1..=rows).map(move |i| Cell { i, j }))),
            Self::Band => {
                let (low, high) = band(matrix);
                let within = |&Cell { i, j }: &Cell| (low..=high).contains(&(j as i64 - i as i64));
                alone(&mut inner().filter(within))
            }
            Self::CutOff => alone(&mut cut_off(matrix).into_iter()),
            Self::Diagonal => along(rows + columns - 1, &|Cell { i, j }| i + j - 2),
            Self::Bits => along(columns, &|Cell { j, .. }| j - 1),
            Self::Offset => along(rows + columns - 1, &|Cell { i, j }| j + rows - i - 1),
        };
        let mut of = vec![None; (rows + 1) * (columns + 1)];
        for cell in matrix.cells().filter(|cell| cell.i == 0 || cell.j == 0) {
            of[matrix.index(cell)] = Some(0);
        }
        for (step, cells) in (1..).zip(&steps) {
            cells.iter().for_each(|&cell| of[matrix.index(cell)] = Some(step));
        }
        Steps { steps, of, columns }
    }
}

impl Steps {
    /// No steps over no cells.
    pub fn none() -> Self {
        Self { steps: Vec::new(), of: Vec::new(), columns: 0 }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to fill.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The cells that a step fills, from 1; none for step 0 and behind the last.
    pub fn cells(&self, step: usize) -> &[Cell] {
        step.checked_sub(1).and_then(|at| self.steps.get(at)).map_or(&[], Vec::as_slice)
    }

    /// The step that fills a cell: 0 for what is given; `None` for a cell that is left out.
    pub fn of(&self, Cell { i, j }: Cell) -> Option<usize> {
        self.of.get(i * (self.columns + 1) + j).copied().flatten()
    }

    /// Cells that are filled.
    pub fn filled(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }
}

/// The least value of the last row: how near the nearest piece is.
pub fn nearest(matrix: &Matrix) -> u16 {
    let Cell { i: rows, j: columns } = matrix.last();
    (0..=columns).map(|j| matrix.value(Cell { i: rows, j })).min().unwrap_or_default()
}

/// The cells that the cut-off fills for the nearest pieces. A value is at least that of its upper left neighbour, so that below the
/// last value within the distance of a column nothing of the next column is within it but for one row.
fn cut_off(matrix: &Matrix) -> Vec<Cell> {
    let Cell { i: rows, j: columns } = matrix.last();
    let within = nearest(matrix);
    let mut deepest = rows.min(within.into());
    let mut cells = Vec::new();
    for j in 1..=columns {
        let depth = rows.min(deepest + 1);
        cells.extend((1..=depth).map(|i| Cell { i, j }));
        deepest = (0..=depth).rev().find(|&i| matrix.value(Cell { i, j }) <= within).unwrap_or(0);
    }
    cells
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
