//! Alignment: the columns that align two texts. An [`Alignment`] stores them as stretches: runs of columns of one
//! [`EditKind`] (`=`, `X`, `I`, `D` or `T`). The receiver of an alignment can recompute the score from it.
//!
//! - `cigar`: parses a CIGAR string
//! - [`left_align`]: chooses one of several optimal alignments, with gaps as far left or right as possible
//! - `score`: adds up the points of the columns
//! - `places`: positions of columns, symbols and differences in an alignment

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::strand::Strand;
use crate::{cbor_enum, cbor_struct};

mod cigar;
pub mod left_align;
mod places;
mod score;

pub use left_align::GapPlacement;
pub use places::{LocatedCigarOp, PairSide};
pub use score::{AlignmentScore, ScoredColumns, SymbolRange};

/// The kind of one alignment column. `I` and `D` describe how `a` changes into `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Edit))]
pub enum EditKind {
    /// Equal symbols.
    #[serde(rename = "=")]
    Equal,
    /// A symbol of `a` is substituted by one of `b`.
    #[serde(rename = "X")]
    Substitute,
    /// A symbol of `b` only.
    #[serde(rename = "I")]
    Insert,
    /// A symbol of `a` only.
    #[serde(rename = "D")]
    Delete,
    /// One of the two columns of a transposition: two different neighbouring symbols of `a`, exchanged in `b`. A
    /// stretch has an even number of these columns.
    #[serde(rename = "T")]
    Transpose,
}

cbor_enum!(EditKind { 0 Equal, 1 Substitute, 2 Insert, 3 Delete, 4 Transpose });

impl EditKind {
    /// Returns the letter of this kind in a CIGAR string, the usual notation of alignments: `=`, `X`, `I` or `D`. CIGAR
    /// has no letter for a transposition; the letter here is `T`.
    pub fn letter(self) -> char {
        match self {
            Self::Equal => '=',
            Self::Substitute => 'X',
            Self::Insert => 'I',
            Self::Delete => 'D',
            Self::Transpose => 'T',
        }
    }

    /// Returns the kind that a column of this kind has after `a` and `b` are exchanged.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Insert => Self::Delete,
            Self::Delete => Self::Insert,
            same => same,
        }
    }

    /// Returns the number of symbols of `a` and the number of symbols of `b` that one column consumes, each 0 or 1.
    pub fn consumed_symbols(self) -> (u64, u64) {
        match self {
            Self::Equal | Self::Substitute | Self::Transpose => (1, 1),
            Self::Insert => (0, 1),
            Self::Delete => (1, 0),
        }
    }
}

/// A stretch of an alignment: a run of `len` columns of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Stretch))]
pub struct CigarOp {
    /// Kind of every column in the run.
    pub edit: EditKind,
    /// Number of columns, at least 1.
    pub len: u32,
}

cbor_struct!(CigarOp { edit, len });

/// The numbers of columns of an alignment, in total and of each kind, and the number of its differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Summary))]
pub struct AlignmentSummary {
    /// Number of columns.
    pub columns: u64,
    /// Columns with equal symbols.
    pub matches: u64,
    /// Columns with a substitution.
    pub mismatches: u64,
    /// Columns with a symbol of `b` only.
    pub insertions: u64,
    /// Columns with a symbol of `a` only.
    pub deletions: u64,
    /// Exchanges of two neighbouring symbols. Each has two columns.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub transpositions: u64,
    /// Maximal runs of columns that are not equal.
    pub differences: u64,
}

cbor_struct!(AlignmentSummary { columns, matches, mismatches, insertions, deletions, transpositions, differences });

impl AlignmentSummary {
    /// Returns the number of substitutions, insertions, deletions and transpositions.
    pub fn distance(&self) -> u64 {
        self.mismatches + self.insertions + self.deletions + self.transpositions
    }
}

#[cfg_attr(not(target_family = "wasm"), expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so"))]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Maximum length of a stretch (run of columns of one kind), an even number so that no transposition is cut.
const MAX_STRETCH: u32 = u32::MAX - 1;

/// Number of stretches (runs of columns of one kind) from one [`CigarMark`] to the next. With marks, finding a column
/// takes O(log n + `MARK_EVERY`) time for n stretches.
const MARK_EVERY: usize = 256;

/// The position at which a stretch (run of columns of one kind) begins. It counts the columns, the symbols of `a` and
/// the symbols of `b` before the stretch, and the differences that begin before it. It is stored for every
/// [`MARK_EVERY`]th stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CigarMark {
    column: u64,
    a: u64,
    b: u64,
    difference: u64,
}

/// The columns of an alignment, as stretches: runs of columns of one kind ([`CigarOp`]). Neighbouring stretches differ
/// in kind. A stretch takes 8 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<CigarOp>", into = "Vec<CigarOp>")]
pub struct Alignment {
    stretches: Vec<CigarOp>,
    marks: Vec<CigarMark>,
    summary: AlignmentSummary,
    a_start: u64,
    b_start: u64,
    strand: Option<Strand>,
}

/// The error of [`Alignment::check`]: the first column that does not fit the two texts, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct AlignmentError {
    /// Number of the first column that does not fit, from 0. Equals the total number of columns if all of them fit, but
    /// symbols are left over after the last one.
    pub column: u64,
    /// The reason why the column does not fit, as an English phrase.
    pub what: &'static str,
}

impl Alignment {
    /// Creates an alignment from `stretches`, runs of columns of one kind. Joins neighbouring runs of equal kind and
    /// drops empty runs. Takes O(stretches) time.
    pub fn new(stretches: impl IntoIterator<Item = CigarOp>) -> Self {
        let stretches = stretches.into_iter();
        let mut alignment = Self::with_capacity(stretches.size_hint().0);
        stretches.for_each(|stretch| alignment.push(stretch.edit, stretch.len.into()));
        alignment
    }

    /// Appends `len` columns of the kind `edit`.
    pub fn push(&mut self, edit: EditKind, mut len: u64) {
        if let Some(last) = self.stretches.last_mut().filter(|last| last.edit == edit) {
            let room = u64::from(MAX_STRETCH.saturating_sub(last.len)).min(len);
            last.len += room as u32;
            self.count(edit, room);
            len -= room;
        }
        while len > 0 {
            let inside = self.stretches.last().is_some_and(|last| last.edit != EditKind::Equal);
            self.mark();
            self.summary.differences += u64::from(edit != EditKind::Equal && !inside);
            let part = len.min(MAX_STRETCH.into());
            self.stretches.push(CigarOp { edit, len: part as u32 });
            self.count(edit, part);
            len -= part;
        }
    }

    /// Creates an alignment without columns, with memory for `stretches` runs of columns of one kind.
    pub(crate) fn with_capacity(stretches: usize) -> Self {
        Self { stretches: Vec::with_capacity(stretches), ..Self::default() }
    }

    /// Appends all columns of `other`. Takes O(stretches of `other`) time, where a stretch is a run of columns of one
    /// kind.
    pub fn extend(&mut self, other: &Self) {
        let Some((first, rest)) = other.stretches.split_first() else { return };
        self.push(first.edit, first.len.into());
        // Only the first stretch of `other` can be joined with the last stretch of this alignment. The marks of all
        // later stretches are the marks of `other`, shifted by a constant difference.
        let (here, skipped) = (self.before_next(), other.before(1));
        let shift = self.stretches.len() - 1;
        let marked = (shift + 1).next_multiple_of(MARK_EVERY)..shift + other.stretches.len();
        self.marks.extend(marked.step_by(MARK_EVERY).map(|at| {
            let there = other.before(at - shift);
            CigarMark {
                column: here.column + there.column - skipped.column,
                a: here.a + there.a - skipped.a,
                b: here.b + there.b - skipped.b,
                difference: here.difference + there.difference - skipped.difference,
            }
        }));
        self.stretches.extend_from_slice(rest);
        let (sum, all) = (&mut self.summary, other.summary);
        let less = |edit, columns| columns - if first.edit == edit { u64::from(first.len) } else { 0 };
        sum.columns += all.columns - u64::from(first.len);
        sum.matches += less(EditKind::Equal, all.matches);
        sum.mismatches += less(EditKind::Substitute, all.mismatches);
        sum.insertions += less(EditKind::Insert, all.insertions);
        sum.deletions += less(EditKind::Delete, all.deletions);
        sum.transpositions += all.transpositions - if first.edit == EditKind::Transpose { u64::from(first.len / 2) } else { 0 };
        sum.differences += all.differences - skipped.difference;
    }

    /// Returns the alignment with its columns in reverse order.
    pub fn reversed(&self) -> Self {
        Self::new(self.stretches.iter().rev().copied())
    }

    /// Returns the alignment of `b` to `a`, in which insertions and deletions are exchanged. In the result, no symbols
    /// of either text come before the first column.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.stretches.iter_mut().for_each(|stretch| stretch.edit = stretch.edit.swapped());
        self.marks.iter_mut().for_each(|mark| std::mem::swap(&mut mark.a, &mut mark.b));
        std::mem::swap(&mut self.summary.insertions, &mut self.summary.deletions);
        (self.a_start, self.b_start) = (0, 0);
        self
    }

    /// Returns the alignment with each transposition replaced by two substitutions, for file formats that have no
    /// transpositions.
    #[must_use]
    pub fn with_substitutions(&self) -> Self {
        if self.summary.transpositions == 0 {
            return self.clone();
        }
        let ops = self.stretches.iter().map(|&CigarOp { edit, len }| match edit {
            EditKind::Transpose => CigarOp { edit: EditKind::Substitute, len },
            _ => CigarOp { edit, len },
        });
        Self { a_start: self.a_start, b_start: self.b_start, strand: self.strand, ..Self::new(ops) }
    }

    /// Returns this alignment with `a_start` symbols of `a` and `b_start` symbols of `b` before its first column, for an
    /// alignment of pieces of the texts. A CIGAR string does not include these numbers.
    #[must_use]
    pub fn starting_at(self, a_start: u64, b_start: u64) -> Self {
        Self { a_start, b_start, ..self }
    }

    /// Returns the number of symbols of `a` before the first column: 0 for an alignment of all of `a`.
    pub fn a_start(&self) -> u64 {
        self.a_start
    }

    /// Returns the number of symbols of `b` before the first column: 0 for an alignment of whole texts.
    pub fn b_start(&self) -> u64 {
        self.b_start
    }

    /// Returns this alignment with `strand` as the strand of its hit. On the reverse strand, the columns align the
    /// reverse complement of `a`. A CIGAR string does not include the strand.
    #[must_use]
    pub fn on_strand(self, strand: Option<Strand>) -> Self {
        Self { strand, ..self }
    }

    /// Returns the strand that the aligned hit is on, or `None` if the search did not cover both strands.
    pub fn strand(&self) -> Option<Strand> {
        self.strand
    }

    /// Returns the stretches (runs of columns of one kind), in order.
    pub fn cigar_ops(&self) -> &[CigarOp] {
        &self.stretches
    }

    /// Returns the numbers of columns, in total and of each kind, and the number of differences (maximal runs of
    /// columns that are not equal).
    pub fn summary(&self) -> AlignmentSummary {
        self.summary
    }

    /// Checks that the columns consume exactly the symbols of both texts, that `=` columns have equal symbols, `X`
    /// columns different ones, and each pair of `T` columns two different symbols that are exchanged.
    ///
    /// Takes O(columns) time.
    ///
    /// # Errors
    /// Returns the first column that does not fit, or the number of columns if symbols of a text are left over after
    /// the last column.
    pub fn check<T: PartialEq>(&self, a: &[T], b: &[T]) -> Result<(), AlignmentError> {
        // Compares whole stretches at once, because most columns are equal.
        self.check_columns(a, b, |a, b| if a == b { None } else { a.iter().zip(b).position(|(x, y)| x != y) }, |x, y| x == y)
    }

    /// Checks the columns. `first_different` returns the first position at which two stretches of equal length do not match,
    /// and `matches` returns whether two symbols match.
    pub(crate) fn check_columns<T: PartialEq>(
        &self,
        a: &[T],
        b: &[T],
        first_different: impl Fn(&[T], &[T]) -> Option<usize>,
        matches: impl Fn(&T, &T) -> bool,
    ) -> Result<(), AlignmentError> {
        let (mut a, mut b, mut column) = (a, b, 0u64);
        for &CigarOp { edit, len } in &self.stretches {
            let len = len as usize;
            let (rows, columns) = match edit.consumed_symbols() {
                (1, 1) => (len, len),
                (1, _) => (len, 0),
                _ => (0, len),
            };
            let fit = (if rows > 0 { a.len() } else { len }).min(if columns > 0 { b.len() } else { len }).min(len);
            let (wrong, what) = match edit {
                EditKind::Equal => (first_different(&a[..fit], &b[..fit]), "= on different symbols"),
                EditKind::Substitute => (a[..fit].iter().zip(&b[..fit]).position(|(x, y)| matches(x, y)), "X on equal symbols"),
                EditKind::Transpose if len % 2 == 1 => (Some(len - 1), "T without a second column"),
                EditKind::Transpose => {
                    let pairs = a[..fit].chunks_exact(2).zip(b[..fit].chunks_exact(2));
                    let wrong = pairs.map(|(x, y)| x[0] == x[1] || x[0] != y[1] || x[1] != y[0]).position(|wrong| wrong);
                    (wrong.map(|pair| 2 * pair), "T on symbols that are not exchanged")
                }
                EditKind::Insert | EditKind::Delete => (None, ""),
            };
            if let Some(at) = wrong {
                return Err(AlignmentError { column: column + at as u64, what });
            }
            if fit < len {
                return Err(AlignmentError { column: column + fit as u64, what: "no symbol is left" });
            }
            (a, b, column) = (&a[rows..], &b[columns..], column + len as u64);
        }
        if a.is_empty() && b.is_empty() { Ok(()) } else { Err(AlignmentError { column, what: "symbols are left over" }) }
    }

    /// Adds a mark for the next stretch if the number of stretches so far is a multiple of [`MARK_EVERY`].
    fn mark(&mut self) {
        if self.stretches.len().is_multiple_of(MARK_EVERY) {
            self.marks.push(self.before_next());
        }
    }

    /// Returns the position at which the next appended stretch will begin.
    fn before_next(&self) -> CigarMark {
        let AlignmentSummary { columns, insertions, deletions, differences, .. } = self.summary;
        CigarMark { column: columns, a: columns - insertions, b: columns - deletions, difference: differences }
    }

    /// Returns the position at which the stretch with the number `stretch` begins. Takes O([`MARK_EVERY`]) time.
    fn before(&self, stretch: usize) -> CigarMark {
        let marked = stretch / MARK_EVERY;
        let Some(mut mark) = self.marks.get(marked).copied() else { return self.before_next() };
        let from = marked * MARK_EVERY;
        let mut inside = from > 0 && self.stretches[from - 1].edit != EditKind::Equal;
        for &CigarOp { edit, len } in &self.stretches[from..stretch] {
            let (a, b) = edit.consumed_symbols();
            mark.column += u64::from(len);
            mark.a += a * u64::from(len);
            mark.b += b * u64::from(len);
            mark.difference += u64::from(edit != EditKind::Equal && !inside);
            inside = edit != EditKind::Equal;
        }
        mark
    }

    fn count(&mut self, edit: EditKind, len: u64) {
        let summary = &mut self.summary;
        summary.columns += len;
        match edit {
            EditKind::Equal => summary.matches += len,
            EditKind::Substitute => summary.mismatches += len,
            EditKind::Insert => summary.insertions += len,
            EditKind::Delete => summary.deletions += len,
            EditKind::Transpose => summary.transpositions += len / 2,
        }
    }
}

impl From<Vec<CigarOp>> for Alignment {
    fn from(stretches: Vec<CigarOp>) -> Self {
        Self::new(stretches)
    }
}

impl From<Alignment> for Vec<CigarOp> {
    fn from(alignment: Alignment) -> Self {
        alignment.stretches
    }
}

/// Writes the alignment as a CIGAR string that distinguishes equal (`=`) from unequal (`X`) symbols, such as
/// `1X3=1X1=1I`.
impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stretches.iter().try_for_each(|stretch| write!(f, "{}{}", stretch.len, stretch.edit.letter()))
    }
}

#[cfg(test)]
mod tests;
