//! The global alignment of a piece without excluded pairs, cell by cell.
//!
//! A matrix of many cells is divided at its middle row, where a forward and a backward pass meet (Myers and Miller 1988).
//! A gap that crosses the middle row pays its opening above that row only.

use std::ops::Range;

use super::AlignmentModel;
use crate::alignment::{Alignment, EditKind};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum number of cells whose directions are stored, in one byte each.
const MAX_STORED: u64 = if cfg!(test) { 1 << 6 } else { 1 << 24 };

/// A value below those of all alignments.
const NEVER: i64 = i64::MIN / 4;

/// The direction in which the value of a cell was found: a pair, or a gap that ends in the cell.
const PAIR: u8 = 0;
const DELETION: u8 = 1;
const INSERTION: u8 = 2;
const SOURCE: u8 = 3;
/// Whether the deletion, or the insertion, that ends in a cell began before it.
const LONGER_DELETION: u8 = 4;
const LONGER_INSERTION: u8 = 8;

/// A rectangle of the matrix, and the deletions that cross its upper and its lower edge.
#[derive(Clone, Debug)]
struct Block {
    rows: Range<usize>,
    columns: Range<usize>,
    /// Whether the alignment may begin within a deletion, whose opening is paid above.
    continues: bool,
    /// Whether the alignment must end within a deletion.
    is_cut: bool,
}

impl Block {
    /// Returns whether the directions of all cells are stored.
    fn is_stored(&self) -> bool {
        let (m, n) = (self.rows.len(), self.columns.len());
        m < 2 || n == 0 || (m as u64 + 1) * (n as u64 + 1) <= MAX_STORED
    }
}

/// The values of a row: of all alignments, and of those that end with a deletion.
struct RowValues {
    all: Vec<i64>,
    delete: Vec<i64>,
}

/// Two texts that are aligned without excluded pairs.
pub(super) struct ConstrainedAlignment<'p, 'r, T> {
    pub(super) a: &'p [T],
    pub(super) b: &'p [T],
    pub(super) model: &'p AlignmentModel,
    /// Pairs of positions in both texts that the alignment must not have, in the order of `a`.
    pub(super) excluded: Vec<(usize, usize)>,
    pub(super) run: &'p Run<'r>,
}

impl<T: Symbol> ConstrainedAlignment<'_, '_, T> {
    /// Returns the columns of the best alignment of both texts. Of several best alignments, returns one whose gaps stand far
    /// left. Takes O(|a||b|) time and O(|a| + |b|) memory.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn align(&self) -> Result<Alignment, Halt> {
        let mut alignment = Alignment::default();
        let whole = Block { rows: 0..self.a.len(), columns: 0..self.b.len(), continues: false, is_cut: false };
        let passes = if whole.is_stored() { 1 } else { 2 };
        self.run.raise_expected(passes * self.a.len() as u64 * self.b.len() as u64);
        self.solve(whole, &mut alignment)?;
        Ok(alignment)
    }

    fn gap_costs(&self) -> (i64, i64) {
        (self.model.gap.open.into(), self.model.gap.extend.into())
    }

    /// Writes the points of the symbol `row` of `a` with the symbols `columns` of `b` to `points`.
    fn points(&self, row: usize, columns: &Range<usize>, points: &mut Vec<i64>) {
        let x = self.a[row].number();
        points.clear();
        points.extend(self.b[columns.clone()].iter().map(|y| i64::from(self.model.points.of(x, y.number()))));
        let first = self.excluded.partition_point(|(a, _)| *a < row);
        for (_, column) in self.excluded[first..].iter().take_while(|(a, _)| *a == row).filter(|(_, b)| columns.contains(b)) {
            points[column - columns.start] = NEVER;
        }
    }

    fn solve(&self, block: Block, alignment: &mut Alignment) -> Result<(), Halt> {
        if block.is_stored() {
            return self.trace(&block, alignment);
        }
        let row = block.rows.start + block.rows.len() / 2;
        let (column, crosses) = self.crossing(&block, row)?;
        let Block { rows, columns, continues, is_cut } = block;
        self.solve(Block { rows: rows.start..row, columns: columns.start..column, continues, is_cut: crosses }, alignment)?;
        self.solve(Block { rows: row..rows.end, columns: column..columns.end, continues: crosses, is_cut }, alignment)
    }

    /// Returns the column in which the best alignment of a block crosses the edge above `row`, and whether it crosses that
    /// edge within a deletion.
    fn crossing(&self, block: &Block, row: usize) -> Result<(usize, bool), Halt> {
        let bytes = 4 * size_of::<i64>() as u64 * (block.columns.len() as u64 + 1);
        self.run.hold(bytes);
        let above = self.forward(&Block { rows: block.rows.start..row, is_cut: false, ..block.clone() })?;
        let below = self.backward(&Block { rows: row..block.rows.end, ..block.clone() })?;
        self.run.release(bytes);
        let (open, _) = self.gap_costs();
        let met = block.columns.clone().chain([block.columns.end]).enumerate().flat_map(|(j, column)| {
            let within = above.delete[j] + below.delete[j] + open;
            [(above.all[j] + below.all[j], column, false), (within, column, true)]
        });
        // Of several maxima, `max_by_key` returns the last one.
        let best = met.max_by_key(|(value, ..)| *value);
        Ok(best.map_or((block.columns.start, false), |(_, column, crosses)| (column, crosses)))
    }

    /// Returns the values above the first row of `columns`. The alignment may begin within a deletion if `continues`.
    fn border(&self, columns: usize, continues: bool) -> RowValues {
        let (open, extend) = self.gap_costs();
        let all = (0..=columns).map(|len| if len == 0 { 0 } else { -(open + extend * len as i64) }).collect();
        let mut delete = vec![NEVER; columns + 1];
        if continues {
            delete[0] = 0;
        }
        RowValues { all, delete }
    }

    /// Returns the values after all rows of a block.
    fn forward(&self, block: &Block) -> Result<RowValues, Halt> {
        let mut row = self.border(block.columns.len(), block.continues);
        self.fill(&mut row, block.rows.clone(), &block.columns, false)?;
        Ok(row)
    }

    /// Returns the values before all rows of a block, for alignments from there to its end.
    fn backward(&self, block: &Block) -> Result<RowValues, Halt> {
        let mut row = self.border(block.columns.len(), block.is_cut);
        if block.is_cut {
            row.all.fill(NEVER);
        }
        self.fill(&mut row, block.rows.clone().rev(), &block.columns, true)?;
        row.all.reverse();
        row.delete.reverse();
        Ok(row)
    }

    /// Replaces the values before `rows` by those after them. The columns are read backwards if `is_reversed`.
    fn fill(
        &self,
        row_values: &mut RowValues,
        rows: impl Iterator<Item = usize>,
        columns: &Range<usize>,
        is_reversed: bool,
    ) -> Result<(), Halt> {
        let (open, extend) = self.gap_costs();
        let mut points = Vec::with_capacity(columns.len());
        for row in rows {
            self.points(row, columns, &mut points);
            if is_reversed {
                points.reverse();
            }
            fill_row(row_values, &points, open, extend);
            self.run.tick(columns.len() as u64)?;
        }
        Ok(())
    }

    /// Appends the columns of the best alignment of a block, whose directions are stored.
    fn trace(&self, Block { rows, columns, continues, is_cut }: &Block, alignment: &mut Alignment) -> Result<(), Halt> {
        let (m, n) = (rows.len(), columns.len());
        let (open, extend) = self.gap_costs();
        let width = n + 1;
        let mut directions = vec![0u8; (m + 1) * width];
        self.run.hold(directions.len() as u64);
        let RowValues { mut all, mut delete } = self.border(n, *continues);
        for (len, direction) in directions[..width].iter_mut().enumerate().skip(1) {
            *direction = INSERTION | if len > 1 { LONGER_INSERTION } else { 0 };
        }
        let mut points = Vec::with_capacity(n);
        for (row, directions) in rows.clone().zip(directions[width..].chunks_exact_mut(width)) {
            self.points(row, columns, &mut points);
            let mut diagonal = all[0];
            let (mut insert, mut left) = (NEVER, NEVER);
            for (column, direction) in directions.iter_mut().enumerate() {
                let is_longer = delete[column] >= all[column] - open;
                delete[column] = delete[column].max(all[column] - open) - extend;
                let mut found = if is_longer { LONGER_DELETION } else { 0 };
                if column > 0 {
                    found |= if insert >= left - open { LONGER_INSERTION } else { 0 };
                    insert = insert.max(left - open) - extend;
                }
                let pair = if column > 0 { diagonal + points[column - 1] } else { NEVER };
                diagonal = all[column];
                let best = pair.max(delete[column]).max(insert);
                found |= if best == pair {
                    PAIR
                } else if best == delete[column] {
                    DELETION
                } else {
                    INSERTION
                };
                (all[column], left, *direction) = (best, best, found);
            }
            self.run.tick(n as u64)?;
        }
        let mut backwards = Alignment::default();
        let (mut i, mut j) = (m, n);
        // The gap within which the last column lies, if there is one.
        let mut within = is_cut.then_some(DELETION);
        while i > 0 || j > 0 {
            let direction = directions[i * width + j];
            let source = within.unwrap_or(direction & SOURCE);
            let (edit, longer) = match source {
                PAIR => (self.pair(rows.start + i - 1, columns.start + j - 1), 0),
                DELETION => (EditKind::Delete, direction & LONGER_DELETION),
                _ => (EditKind::Insert, direction & LONGER_INSERTION),
            };
            backwards.push(edit, 1);
            within = (longer != 0).then_some(source);
            let (of_a, of_b) = edit.consumed_symbols();
            (i, j) = (i - of_a as usize, j - of_b as usize);
        }
        for stretch in backwards.reversed().cigar_ops() {
            alignment.push(stretch.edit, stretch.len.into());
        }
        self.run.release(directions.len() as u64);
        Ok(())
    }

    fn pair(&self, row: usize, column: usize) -> EditKind {
        let is_match = self.model.symbol_match.matches(self.a[row].number(), self.b[column].number());
        if is_match { EditKind::Equal } else { EditKind::Substitute }
    }
}

/// Replaces the values of a row by those of the next one, whose pairs have `points`.
fn fill_row(RowValues { all, delete }: &mut RowValues, points: &[i64], open: i64, extend: i64) {
    let mut diagonal = all[0];
    delete[0] = delete[0].max(all[0] - open) - extend;
    all[0] = delete[0];
    let (mut left, mut insert) = (all[0], NEVER);
    for ((all, delete), points) in all[1..].iter_mut().zip(&mut delete[1..]).zip(points) {
        *delete = (*delete).max(*all - open) - extend;
        insert = insert.max(left - open) - extend;
        let best = (diagonal + points).max(*delete).max(insert);
        diagonal = *all;
        (*all, left) = (best, best);
    }
}

#[cfg(test)]
mod tests {
    use super::super::SymbolPoints;
    use super::*;
    use crate::base_set::SymbolMatch;
    use crate::job::{AlignmentMode, FreeEnds, GapCosts};
    use crate::oracle::{mutated, random, serial};
    use crate::run::NoObserver;

    /// Small blocks are divided, because tests store few directions.
    #[test]
    fn alignment_without_excluded_pairs_has_the_score_of_the_oracle() {
        for seed in 0..400 {
            let letters = [0u8, 1, 2, 3];
            let a = random(&letters, seed as usize % 40, seed);
            let b = if seed % 2 == 0 { mutated(&a, &letters, 0.3, seed + 1) } else { random(&letters, seed as usize / 7 % 40, seed + 2) };
            let gap =
                [GapCosts { open: 3, extend: 1 }, GapCosts { open: 0, extend: 2 }, GapCosts { open: 9, extend: 0 }][seed as usize % 3];
            let points = SymbolPoints::Equality { equal: 2, different: -3 };
            let symbol_match = SymbolMatch::Equal;
            let model = AlignmentModel { points, symbol_match, gap, mode: AlignmentMode::Global, free_ends: FreeEnds::NONE };
            let share = [0.0, 0.1, 0.5, 1.0][seed as usize / 3 % 4];
            let drawn = random(&(0..100u8).collect::<Vec<_>>(), a.len() * b.len(), seed + 3);
            let all = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j)));
            let excluded: Vec<_> = all.zip(drawn).filter(|(_, drawn)| f64::from(*drawn) < 100.0 * share).map(|(pair, _)| pair).collect();
            let run = Run::new(&NoObserver);
            let piece = ConstrainedAlignment { a: &a, b: &b, model: &model, excluded: excluded.clone(), run: &run };
            let alignment = piece.align().unwrap();
            assert_eq!(alignment.check(&a, &b), Ok(()), "{seed}");
            let mut own = super::super::excluded::ExcludedPairs::default();
            own.add(&alignment);
            assert!(own.within(&(0..a.len()), &(0..b.len())).all(|pair| !excluded.contains(&pair)), "{seed}");
            let of_pair = |i: usize, j: usize| {
                if excluded.contains(&(i, j)) { None } else { Some(i64::from(model.points.of(a[i].into(), b[j].into()))) }
            };
            let expected = serial::sequence_alignment::global_score([a.len(), b.len()], &of_pair, gap);
            let sum = alignment.score(&a, &b, |len| gap.of(len), |x, y| model.points.of(x.into(), y.into()));
            assert_eq!(sum.score, expected, "{seed}: {alignment}");
        }
    }
}
