//! A stored alignment ([`StoredAlignment`]), of which a query reads only the blocks that it needs. An alignment is a
//! list of operations, and each operation is a run of columns of one kind ([`CigarOp`]). A block has 4,096 operations.
//!
//! Only the mark of each block stays in memory: 40 bytes with the numbers of columns, symbols and differences before
//! the block. A column, symbol or difference is located by binary search among the marks, and then in one block. An
//! older file contains a CIGAR, and a computed alignment of a hit has no file. Both are serialized in memory in the
//! same format.
//!
//! - `form`: file format

use std::io;
use std::ops::Range;

use explain::difference_filter::{self, DifferencePosition, EditKinds};
use explain::window::{AlignmentWindow, OverviewBin};
use kernels::alignment::{Alignment, CigarOp, EditKind, PairSide};
use kernels::run::{Halt, Run};
use kernels::strand::Strand;

use self::form::AlignmentBlockMark;
use super::source::ByteSource;
use crate::error::ApiProblem;

mod form;
#[cfg(test)]
mod tests;

/// Number of blocks in one read when all operations are read.
const BLOCKS_PER_SCAN_READ: usize = 32;

/// An alignment of which only the marks are in memory (the numbers of columns, symbols and differences before each
/// block of operations). Methods that return a `Result` may block on the disk.
#[derive(Clone, Debug)]
pub struct StoredAlignment {
    source: ByteSource,
    marks: Vec<AlignmentBlockMark>,
    a_start: u64,
    b_start: u64,
    strand: Option<Strand>,
}

/// An operation (a run of columns of one kind), with the numbers of columns, symbols and differences before it.
#[derive(Clone, Copy, Debug)]
struct MarkedCigarOp {
    stretch: CigarOp,
    before: AlignmentBlockMark,
}

impl MarkedCigarOp {
    fn end(&self) -> u64 {
        self.before.column + u64::from(self.stretch.len)
    }

    fn begins_difference(&self) -> bool {
        self.before.begins(self.stretch.edit)
    }
}

/// Serializes an alignment in the format of an alignment file. Takes O(operations) time.
pub fn write(alignment: &Alignment) -> Vec<u8> {
    form::write(alignment)
}

impl StoredAlignment {
    /// Opens the alignment file `source`. Reads only its marks, but an older file with a CIGAR as a whole.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or contains no alignment.
    pub fn open(source: ByteSource) -> anyhow::Result<Self> {
        if form::is_ours(&source)? {
            let marks = form::marks(&source)?;
            return Ok(Self { source, marks, a_start: 0, b_start: 0, strand: None });
        }
        let cigar = String::from_utf8(source.range(0..source.size()?)?)?;
        Ok(Self::from_alignment(&cigar.parse()?)?)
    }

    /// Creates a stored alignment from `alignment` by serializing it in memory. Most operations take one or two bytes.
    /// Takes O(operations) time.
    ///
    /// # Errors
    /// Never fails for an alignment of texts.
    pub fn from_alignment(alignment: &Alignment) -> io::Result<Self> {
        let source = ByteSource::Memory(form::write(alignment).into());
        let (a_start, b_start) = (alignment.a_start(), alignment.b_start());
        Ok(Self { marks: form::marks(&source)?, source, a_start, b_start, strand: alignment.strand() })
    }

    /// Returns the alignment with these numbers of symbols of `a` and of `b` before its first column.
    pub fn starting_at(self, (a_start, b_start): (u64, u64)) -> Self {
        Self { a_start, b_start, ..self }
    }

    /// Returns the strand of the pattern that was aligned, if this is the alignment of a hit of a search on both
    /// strands.
    pub fn strand(&self) -> Option<Strand> {
        self.strand
    }

    /// Returns the number of bytes of memory that this value uses.
    pub fn memory_bytes(&self) -> u64 {
        size_of_val(self.marks.as_slice()) as u64 + self.source.memory_bytes()
    }

    pub fn columns(&self) -> u64 {
        self.end().column
    }

    pub fn differences(&self) -> u64 {
        self.end().difference
    }

    /// Reads the whole alignment into memory. Takes O(operations) time.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or if the run is stopped.
    pub fn read_all(&self, run: &Run<'_>) -> Result<Alignment, ApiProblem> {
        let mut stretches = Vec::new();
        self.scan(run, |stretch| stretches.push(stretch))?;
        Ok(Alignment::new(stretches).starting_at(self.a_start, self.b_start).on_strand(self.strand))
    }

    /// Returns the columns `from..from + len`, cut to the existing ones, without the letters of the texts. Takes one
    /// read for the blocks of these columns, and at most three more to find the previous and the next difference.
    ///
    /// # Errors
    /// Returns an error if the alignment cannot be read.
    pub fn window(&self, from: u64, len: u64) -> io::Result<AlignmentWindow> {
        let columns = self.columns();
        let from = from.min(columns);
        let end = from.saturating_add(len).min(columns);
        let mut window = AlignmentWindow { from, len: end - from, columns, ..AlignmentWindow::default() };
        if from == columns {
            // The window begins after the last column, or the alignment is empty: all columns lie before the window.
            let all = self.end();
            (window.a_start, window.b_start, window.differences_before) = (self.a_start + all.a, self.b_start + all.b, all.difference);
            window.previous_difference = all.difference.checked_sub(1).map_or(Ok(None), |last| self.difference(last))?;
            return Ok(window);
        }
        let last = self.block(end.max(from + 1) - 1, |mark| mark.column);
        let placed = self.marked_operations(self.block(from, |mark| mark.column)..last + 1)?;
        let placed = &placed[placed.partition_point(|placed| placed.end() <= from)..];
        let Some(first) = placed.first() else { return Ok(window) };
        let (inside, (a, b)) = (from - first.before.column, first.stretch.edit.consumed_symbols());
        (window.a_start, window.b_start) = (self.a_start + first.before.a + a * inside, self.b_start + first.before.b + b * inside);
        window.differences_before = first.before.difference + u64::from(inside > 0 && first.begins_difference());
        let inner = placed.iter().take_while(|placed| placed.before.column < end);
        window.stretches = inner
            .map(|placed| CigarOp { len: (placed.end().min(end) - placed.before.column.max(from)) as u32, ..placed.stretch })
            .collect();
        window.previous_difference = match window.differences_before.checked_sub(1) {
            Some(number) => self.difference(number)?,
            None => None,
        };
        let next = placed.iter().find(|placed| placed.before.column >= end && placed.begins_difference());
        window.next_difference = match next {
            Some(placed) => Some(placed.before.column),
            None => self.difference(self.begun_before(end)?)?,
        };
        Ok(window)
    }

    /// Returns the first column of the difference with the number `number`, counted from 0, or `None` if there are
    /// fewer differences. A difference is a maximal run of columns that are not equal. Takes one read.
    ///
    /// # Errors
    /// Returns an error if the alignment cannot be read.
    pub fn difference(&self, number: u64) -> io::Result<Option<u64>> {
        if number >= self.differences() {
            return Ok(None);
        }
        let block = self.block(number, |mark| mark.difference);
        let placed = self.marked_operations(block..block + 1)?;
        let found = placed.iter().find(|placed| placed.begins_difference() && placed.before.difference == number);
        Ok(found.map(|placed| placed.before.column))
    }

    /// Returns the alignment column of the symbol at `position` of the text `side`. Returns 0 if the symbol lies before
    /// the aligned part of the text, and the number of columns if it lies after that part. Takes one read.
    ///
    /// # Errors
    /// Returns an error if the alignment cannot be read.
    pub fn column_of(&self, side: PairSide, position: u64) -> io::Result<u64> {
        let before = |mark: &AlignmentBlockMark| match side {
            PairSide::A => self.a_start + mark.a,
            PairSide::B => self.b_start + mark.b,
        };
        if position < before(&AlignmentBlockMark::default()) {
            return Ok(0);
        }
        if position >= before(&self.end()) {
            return Ok(self.columns());
        }
        let block = self.block(position, before);
        let placed = self.marked_operations(block..block + 1)?;
        let at = placed.iter().rfind(|placed| {
            let (a, b) = placed.stretch.edit.consumed_symbols();
            before(&placed.before) <= position && if side == PairSide::A { a } else { b } == 1
        });
        Ok(at.map_or(0, |placed| placed.before.column + position - before(&placed.before)))
    }

    /// Finds a difference like [`explain::difference_filter::find_difference`]: only differences with an edit of
    /// `kinds` are numbered, and `which` selects one by its number or by a column. Returns `None` if there is no such
    /// difference. Takes one or two reads if `kinds` has all kinds, and otherwise O(operations) time.
    ///
    /// # Errors
    /// Returns an error if the alignment cannot be read or if the run is stopped.
    pub fn find_difference(
        &self,
        kinds: EditKinds,
        which: difference_filter::DifferenceQuery,
        run: &Run<'_>,
    ) -> Result<Option<DifferencePosition>, ApiProblem> {
        if kinds == EditKinds::ALL {
            let number = match which {
                difference_filter::DifferenceQuery::Number(number) => number,
                difference_filter::DifferenceQuery::At(at) => {
                    self.begun_before(at.saturating_add(1)).map_err(ApiProblem::internal)?.saturating_sub(1)
                }
            };
            let column = self.difference(number).map_err(ApiProblem::internal)?;
            return Ok(column.map(|column| DifferencePosition { number, column, of: self.differences() }));
        }
        let (mut found, mut of) = (None, 0);
        let mut visit = |column: u64| {
            let wanted = match which {
                difference_filter::DifferenceQuery::Number(number) => of == number,
                difference_filter::DifferenceQuery::At(at) => column <= at || found.is_none(),
            };
            if wanted {
                found = Some(DifferencePosition { number: of, column, of: 0 });
            }
            of += 1;
        };
        let (mut column, mut begins, mut counts) = (0, 0, false);
        self.scan(run, |CigarOp { edit, len }| {
            if edit == EditKind::Equal {
                if counts {
                    visit(begins);
                }
                (counts, begins) = (false, column + u64::from(len));
            }
            counts |= kinds.has(edit);
            column += u64::from(len);
        })?;
        if counts {
            visit(begins);
        }
        Ok(found.map(|place| DifferencePosition { of, ..place }))
    }

    /// Divides the columns into `points` equal parts and counts the edits in each part, like
    /// [`explain::window::overview`]. There are fewer parts if the alignment has fewer columns. Reads one group of
    /// blocks after the other. Takes O(operations + points) time.
    ///
    /// # Errors
    /// Returns an error if the alignment cannot be read or if the run is stopped.
    pub fn overview(&self, points: usize, run: &Run<'_>) -> Result<Vec<OverviewBin>, ApiProblem> {
        let columns = self.columns();
        let points = points.min(columns as usize).max(1);
        let border = |bin: usize| (u128::from(columns) * bin as u128 / points as u128) as u64;
        let mut bins = vec![OverviewBin::default(); points];
        let (mut column, mut bin, mut end_of_bin) = (0, 0, border(1));
        self.scan(run, |CigarOp { edit, len }| {
            let (start, end) = (column, column + u64::from(len));
            while column < end {
                while end_of_bin <= column {
                    bin += 1;
                    end_of_bin = border(bin + 1);
                }
                let part = end_of_bin.min(end) - column;
                bins[bin].add(edit, column - start, part);
                column += part;
            }
        })?;
        Ok(bins)
    }

    /// Returns the number of differences that begin before `column`.
    fn begun_before(&self, column: u64) -> io::Result<u64> {
        if column >= self.columns() {
            return Ok(self.differences());
        }
        let block = self.block(column, |mark| mark.column);
        let placed = self.marked_operations(block..block + 1)?;
        let before = placed.iter().rfind(|placed| placed.before.column <= column);
        Ok(before.map_or(0, |placed| placed.before.difference + u64::from(placed.before.column < column && placed.begins_difference())))
    }

    /// Calls `each` with every operation in order. Keeps at most [`BLOCKS_PER_SCAN_READ`] blocks in memory.
    fn scan(&self, run: &Run<'_>, mut each: impl FnMut(CigarOp)) -> Result<(), ApiProblem> {
        let all = self.marks.len() - 1;
        for from in (0..all).step_by(BLOCKS_PER_SCAN_READ) {
            let some = from..all.min(from + BLOCKS_PER_SCAN_READ);
            let stretches = form::blocks(&self.source, &self.marks, some).map_err(ApiProblem::internal)?;
            run.tick(stretches.len() as u64).map_err(|halt: Halt| ApiProblem::from(halt))?;
            stretches.into_iter().for_each(&mut each);
        }
        Ok(())
    }

    /// Reads the operations of the blocks with the numbers `blocks`. Returns each with the numbers of columns, symbols
    /// and differences before it in the whole alignment.
    fn marked_operations(&self, blocks: Range<usize>) -> io::Result<Vec<MarkedCigarOp>> {
        let mut before = self.marks[blocks.start];
        let stretches = form::blocks(&self.source, &self.marks, blocks)?;
        let place = |stretch| {
            let placed = MarkedCigarOp { stretch, before };
            before = before.after(stretch);
            placed
        };
        Ok(stretches.into_iter().map(place).collect())
    }

    /// Returns the number of the block that contains item number `at` (from 0), where items are columns, symbols or
    /// differences. `before` returns the number of items before a mark. `at` must be less than the total number of
    /// items.
    fn block(&self, at: u64, before: impl Fn(&AlignmentBlockMark) -> u64) -> usize {
        let blocks = &self.marks[..self.marks.len() - 1];
        blocks.partition_point(|mark| before(mark) <= at).saturating_sub(1)
    }

    /// Returns the mark after the last block, which has the total numbers of columns, symbols and differences.
    fn end(&self) -> AlignmentBlockMark {
        self.marks.last().copied().unwrap_or_default()
    }
}
