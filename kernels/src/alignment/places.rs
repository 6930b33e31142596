//! Places: finds positions in an alignment. These are the run of columns of one kind (stretch) at a column or a symbol,
//! and the start of each difference (run of columns that are not equal).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::cbor_enum;

use super::{Alignment, CigarMark, CigarOp, EditKind, MARK_EVERY};

/// One of the two aligned texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairSide {
    /// The first text, `a`.
    A,
    /// The second text, `b`.
    B,
}

cbor_enum!(PairSide { 0 A, 1 B });

/// A run of columns of one kind, with its position in the alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocatedCigarOp {
    /// Kind and length of the run of columns.
    pub cigar_op: CigarOp,
    /// Number of columns before the run, which is also the number of its first column.
    pub column: u64,
    /// Number of symbols of `a` before the run. Symbols before the start of the alignment are included.
    pub a: u64,
    /// Number of symbols of `b` before the run. Symbols before the start of the alignment are included.
    pub b: u64,
    /// Number of differences (runs of columns that are not equal) that begin before this run.
    pub differences: u64,
    /// Whether a difference (run of columns that are not equal) begins with this run.
    pub begins_difference: bool,
    index: usize,
}

impl LocatedCigarOp {
    /// Returns the number of the column after the last one of the run.
    pub fn end(&self) -> u64 {
        self.column + u64::from(self.cigar_op.len)
    }

    /// Returns the range of positions of the symbols of the text `side` that the run consumes. It is empty for a run of
    /// gaps in this text.
    pub fn symbols(&self, side: PairSide) -> Range<u64> {
        let (a, b) = self.cigar_op.edit.consumed_symbols();
        let (start, takes) = match side {
            PairSide::A => (self.a, a),
            PairSide::B => (self.b, b),
        };
        start..start + takes * u64::from(self.cigar_op.len)
    }
}

impl Alignment {
    /// Returns the run of columns of one kind that contains column number `column`, or `None` behind the last column.
    pub fn op_at_column(&self, column: u64) -> Option<LocatedCigarOp> {
        let mark = self.marks.partition_point(|mark| mark.column <= column).checked_sub(1)?;
        self.walk(self.marked(mark)?).find(|placed| column < placed.end())
    }

    /// Returns the run of columns of one kind that consumes the symbol at `position` of the text `side`. Returns `None`
    /// if the alignment does not contain the symbol.
    pub fn op_at_symbol(&self, side: PairSide, position: u64) -> Option<LocatedCigarOp> {
        let before = |mark: &CigarMark| match side {
            PairSide::A => self.a_start + mark.a,
            PairSide::B => self.b_start + mark.b,
        };
        let mark = self.marks.partition_point(|mark| before(mark) <= position).checked_sub(1)?;
        self.walk(self.marked(mark)?).find(|placed| placed.symbols(side).contains(&position))
    }

    /// Iterates over the run `first` and all runs of columns of one kind after it, in order.
    pub fn walk(&self, first: LocatedCigarOp) -> impl Iterator<Item = LocatedCigarOp> + '_ {
        std::iter::successors(Some(first), |last| {
            let mark = CigarMark {
                column: last.end(),
                a: last.symbols(PairSide::A).end - self.a_start,
                b: last.symbols(PairSide::B).end - self.b_start,
                difference: last.differences + u64::from(last.begins_difference),
            };
            self.placed(last.index + 1, mark)
        })
    }

    /// Returns the number of the column that consumes the symbol at `position` of the text `side`. Returns 0 for a
    /// symbol before the alignment, and the number of columns for a symbol after it.
    pub fn column_of(&self, side: PairSide, position: u64) -> u64 {
        let start = match side {
            PairSide::A => self.a_start,
            PairSide::B => self.b_start,
        };
        if position < start {
            return 0;
        }
        let column = |placed: LocatedCigarOp| placed.column + position - placed.symbols(side).start;
        self.op_at_symbol(side, position).map_or(self.summary.columns, column)
    }

    /// Returns the number of the first column of the difference with the number `number`, from 0. A difference is a run
    /// of columns that are not equal. Returns `None` if there are not so many differences.
    pub fn difference(&self, number: u64) -> Option<u64> {
        let mark = self.marks.partition_point(|mark| mark.difference <= number).checked_sub(1)?;
        let mut differences = self.walk(self.marked(mark)?).filter(|placed| placed.begins_difference);
        differences.find(|placed| placed.differences == number).map(|placed| placed.column)
    }

    /// Returns the number of the first column of the nearest difference (run of columns that are not equal) that begins
    /// before `column`. Returns `None` if none does.
    pub fn difference_before(&self, column: u64) -> Option<u64> {
        let mut placed = self.op_at_column(column.checked_sub(1)?.min(self.summary.columns.checked_sub(1)?))?;
        while !placed.begins_difference {
            placed = self.op_at_column(placed.column.checked_sub(1)?)?;
        }
        Some(placed.column)
    }

    /// Returns the number of the first column of the nearest difference (run of columns that are not equal) that begins
    /// at or after `column`. Returns `None` if none does.
    pub fn difference_from(&self, column: u64) -> Option<u64> {
        let first = self.op_at_column(column)?;
        self.walk(first).find(|placed| placed.column >= column && placed.begins_difference).map(|placed| placed.column)
    }

    /// Returns the run of columns whose position is stored by the mark with the number `mark`, or `None` if the
    /// alignment ends at this position.
    fn marked(&self, mark: usize) -> Option<LocatedCigarOp> {
        self.placed(mark * MARK_EVERY, self.marks[mark])
    }

    fn placed(&self, at: usize, CigarMark { column, a, b, difference }: CigarMark) -> Option<LocatedCigarOp> {
        let stretch = *self.stretches.get(at)?;
        let begins_difference = stretch.edit != EditKind::Equal && (at == 0 || self.stretches[at - 1].edit == EditKind::Equal);
        let (a, b) = (self.a_start + a, self.b_start + b);
        Some(LocatedCigarOp { cigar_op: stretch, column, a, b, differences: difference, begins_difference, index: at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_has_its_column() {
        let cigars = ["", "5=", "2X3=1I1D4=1D2=1X1I1=", "3D2I", &"1=1X1D1=2I".repeat(300)];
        for cigar in cigars {
            let alignment = cigar.parse::<Alignment>().unwrap().starting_at(3, 4);
            let edits = alignment.cigar_ops().iter().flat_map(|stretch| (0..stretch.len).map(|_| stretch.edit));
            let (mut i, mut j) = (3, 4);
            for (column, edit) in (0u64..).zip(edits) {
                let (di, dj) = edit.consumed_symbols();
                if di == 1 {
                    assert_eq!(alignment.column_of(PairSide::A, i), column, "{cigar}");
                }
                if dj == 1 {
                    assert_eq!(alignment.column_of(PairSide::B, j), column, "{cigar}");
                }
                (i, j) = (i + di, j + dj);
            }
            let columns = alignment.summary().columns;
            assert_eq!((alignment.column_of(PairSide::A, i), alignment.column_of(PairSide::B, j)), (columns, columns));
            assert_eq!((alignment.column_of(PairSide::A, 2), alignment.column_of(PairSide::B, 0)), (0, 0));
        }
    }
}
