//! A number for each cell of a tile, stored by anti-diagonal.

use crate::pair::cells::PADDING;

/// A number for each cell of a tile of `m` rows and `n` columns. Parts of `part_rows` rows are stored one after the other,
/// and each part by anti-diagonals.
#[derive(Default)]
pub(super) struct StoredCells<C> {
    pub(super) m: usize,
    pub(super) n: usize,
    /// Number of rows of all parts but the last one.
    pub(super) part_rows: usize,
    cells: Vec<C>,
}

impl<C: Copy + Default> StoredCells<C> {
    /// Makes place for a tile of `m` rows and `n` columns that is computed in parts of `part_rows` rows.
    pub(super) fn resize(&mut self, m: usize, n: usize, part_rows: usize) {
        (self.m, self.n, self.part_rows) = (m, n, part_rows);
        // A vector may reach beyond its anti-diagonal, into elements that are written later.
        self.cells.resize(m.div_ceil(part_rows) * self.part_len() + PADDING, C::default());
    }

    /// Returns the number of elements from one anti-diagonal to the next.
    pub(super) fn stride(&self) -> usize {
        self.part_rows.min(self.n)
    }

    /// Returns the number of elements of a part.
    fn part_len(&self) -> usize {
        (self.part_rows + self.n) * self.stride()
    }

    /// Returns the number of elements from one anti-diagonal to the next, and the elements of the part that begins with
    /// the row `first`.
    pub(super) fn part(&mut self, first: usize) -> (usize, &mut [C]) {
        let from = first / self.part_rows * self.part_len();
        (self.stride(), &mut self.cells[from..])
    }

    /// Returns the number of a cell.
    pub(super) fn at(&self, row: usize, column: usize) -> C {
        self.cells[self.index(row, column)]
    }

    /// Stores the number of a cell.
    pub(super) fn set(&mut self, row: usize, column: usize, number: C) {
        let index = self.index(row, column);
        self.cells[index] = number;
    }

    fn index(&self, row: usize, column: usize) -> usize {
        let (part, row) = (row / self.part_rows, row % self.part_rows);
        let diagonal = row + column;
        part * self.part_len() + diagonal * self.stride() + row - (diagonal + 1).saturating_sub(self.n)
    }
}
