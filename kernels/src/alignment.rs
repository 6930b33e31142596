//! Alignment: runs of `=`, `X`, `I`, `D`. Whoever receives one can recompute the score from it.
//!
//! - `cigar`: reading one
//! - [`left`]: which of several optimal ones is shown
//! - `places`: where columns, symbols and differences are in it

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::strand::Strand;
use crate::{cbor_enum, cbor_struct};

mod cigar;
pub mod left;
mod places;

pub use places::{Placed, Side};

/// What a column of an alignment does. `I` and `D` are seen from `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Edit {
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
}

cbor_enum!(Edit { 0 Equal, 1 Substitute, 2 Insert, 3 Delete });

impl Edit {
    /// Letter in a CIGAR.
    pub fn letter(self) -> char {
        match self {
            Self::Equal => '=',
            Self::Substitute => 'X',
            Self::Insert => 'I',
            Self::Delete => 'D',
        }
    }

    /// The same seen from `b`.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Insert => Self::Delete,
            Self::Delete => Self::Insert,
            same => same,
        }
    }

    /// Symbols of `a` and of `b` that one column takes.
    pub fn takes(self) -> (u64, u64) {
        match self {
            Self::Equal | Self::Substitute => (1, 1),
            Self::Insert => (0, 1),
            Self::Delete => (1, 0),
        }
    }
}

/// `len` columns of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Stretch {
    /// The kind.
    pub edit: Edit,
    /// Number of columns, at least 1.
    pub len: u32,
}

cbor_struct!(Stretch { edit, len });

/// What an alignment consists of, in columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Summary {
    /// All columns.
    pub columns: u64,
    /// Equal symbols.
    pub matches: u64,
    /// Substitutions.
    pub mismatches: u64,
    /// Symbols of `b` only.
    pub insertions: u64,
    /// Symbols of `a` only.
    pub deletions: u64,
    /// Runs of columns that are not equal.
    pub differences: u64,
}

cbor_struct!(Summary { columns, matches, mismatches, insertions, deletions, differences });

impl Summary {
    /// Substitutions, insertions and deletions.
    pub fn distance(&self) -> u64 {
        self.mismatches + self.insertions + self.deletions
    }
}

/// Every so many stretches a mark is kept, so that a window costs O(log + this).
const MARK_EVERY: usize = 256;

/// Where a stretch begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    column: u64,
    a: u64,
    b: u64,
    difference: u64,
}

/// A whole alignment. Neighbouring stretches differ in kind. 8 bytes a stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Stretch>", into = "Vec<Stretch>")]
pub struct Alignment {
    stretches: Vec<Stretch>,
    marks: Vec<Mark>,
    summary: Summary,
    b_start: u64,
    strand: Option<Strand>,
}

/// Where an alignment does not fit its texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct Misfit {
    /// The column, from 0.
    pub column: u64,
    /// What is wrong there.
    pub what: &'static str,
}

impl Alignment {
    /// An alignment of these stretches; equal neighbours are joined and empty ones dropped. Time O(stretches).
    pub fn new(stretches: impl IntoIterator<Item = Stretch>) -> Self {
        let stretches = stretches.into_iter();
        let mut alignment = Self::with_room(stretches.size_hint().0);
        stretches.for_each(|stretch| alignment.push(stretch.edit, stretch.len.into()));
        alignment
    }

    /// Appends `len` columns.
    pub fn push(&mut self, edit: Edit, mut len: u64) {
        if let Some(last) = self.stretches.last_mut().filter(|last| last.edit == edit) {
            let room = u64::from(u32::MAX - last.len).min(len);
            last.len += room as u32;
            self.count(edit, room);
            len -= room;
        }
        while len > 0 {
            let inside = self.stretches.last().is_some_and(|last| last.edit != Edit::Equal);
            self.mark();
            self.summary.differences += u64::from(edit != Edit::Equal && !inside);
            let part = len.min(u32::MAX.into());
            self.stretches.push(Stretch { edit, len: part as u32 });
            self.count(edit, part);
            len -= part;
        }
    }

    /// One without columns, and room for so many stretches.
    pub(crate) fn with_room(stretches: usize) -> Self {
        Self { stretches: Vec::with_capacity(stretches), ..Self::default() }
    }

    /// Appends all of `other`. Time O(its stretches), about a nanosecond each.
    pub fn extend(&mut self, other: &Self) {
        let Some((first, rest)) = other.stretches.split_first() else { return };
        self.push(first.edit, first.len.into());
        // Neighbours differ in kind from here on, so that nothing is left to join: what lies before a stretch of `other` is what lay
        // before it there, less its first stretch, after what is here now.
        let (here, skipped) = (self.before_next(), other.before(1));
        let shift = self.stretches.len() - 1;
        let marked = (shift + 1).next_multiple_of(MARK_EVERY)..shift + other.stretches.len();
        self.marks.extend(marked.step_by(MARK_EVERY).map(|at| {
            let there = other.before(at - shift);
            Mark {
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
        sum.matches += less(Edit::Equal, all.matches);
        sum.mismatches += less(Edit::Substitute, all.mismatches);
        sum.insertions += less(Edit::Insert, all.insertions);
        sum.deletions += less(Edit::Delete, all.deletions);
        sum.differences += all.differences - skipped.difference;
    }

    /// The same columns from the last to the first.
    pub fn reversed(&self) -> Self {
        Self::new(self.stretches.iter().rev().copied())
    }

    /// The alignment of `b` to `a`.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.stretches.iter_mut().for_each(|stretch| stretch.edit = stretch.edit.swapped());
        self.marks.iter_mut().for_each(|mark| std::mem::swap(&mut mark.a, &mut mark.b));
        std::mem::swap(&mut self.summary.insertions, &mut self.summary.deletions);
        self.b_start = 0;
        self
    }

    /// The same columns over a part of `b` that begins there. A CIGAR does not hold this.
    #[must_use]
    pub fn starting_at(self, b_start: u64) -> Self {
        Self { b_start, ..self }
    }

    /// Symbols of `b` before the first column: 0 for an alignment of whole texts.
    pub fn b_start(&self) -> u64 {
        self.b_start
    }

    /// The same columns of the pattern of a strand: on the reverse one, of the reverse complement of `a`. A CIGAR does not hold this.
    #[must_use]
    pub fn on_strand(self, strand: Option<Strand>) -> Self {
        Self { strand, ..self }
    }

    /// The strand whose pattern is aligned, of a hit of a search on both.
    pub fn strand(&self) -> Option<Strand> {
        self.strand
    }

    /// The stretches, in order.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// What it consists of.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// Checks that it takes exactly the symbols of both texts, that `=` stands on equal symbols and `X` on different ones.
    /// Time O(columns).
    ///
    /// # Errors
    /// The first column that does not fit.
    pub fn check<T: PartialEq>(&self, a: &[T], b: &[T]) -> Result<(), Misfit> {
        let (mut a, mut b, mut column) = (a, b, 0u64);
        for &Stretch { edit, len } in &self.stretches {
            let len = len as usize;
            let (rows, columns) = match edit.takes() {
                (1, 1) => (len, len),
                (1, _) => (len, 0),
                _ => (0, len),
            };
            let fit = (if rows > 0 { a.len() } else { len }).min(if columns > 0 { b.len() } else { len }).min(len);
            let both = || a[..fit].iter().zip(&b[..fit]);
            let (wrong, what) = match edit {
                // Whole stretches are compared at once: most columns are equal.
                Edit::Equal if a[..fit] == b[..fit] => (None, ""),
                Edit::Equal => (both().position(|(x, y)| x != y), "= on different symbols"),
                Edit::Substitute => (both().position(|(x, y)| x == y), "X on equal symbols"),
                Edit::Insert | Edit::Delete => (None, ""),
            };
            if let Some(at) = wrong {
                return Err(Misfit { column: column + at as u64, what });
            }
            if fit < len {
                return Err(Misfit { column: column + fit as u64, what: "no symbol is left" });
            }
            (a, b, column) = (&a[rows..], &b[columns..], column + len as u64);
        }
        if a.is_empty() && b.is_empty() { Ok(()) } else { Err(Misfit { column, what: "symbols are left over" }) }
    }

    /// Marks where the next stretch begins, if it is its turn.
    fn mark(&mut self) {
        if self.stretches.len().is_multiple_of(MARK_EVERY) {
            self.marks.push(self.before_next());
        }
    }

    /// Where the next stretch will begin.
    fn before_next(&self) -> Mark {
        let Summary { columns, matches, mismatches, insertions, deletions, differences } = self.summary;
        Mark { column: columns, a: matches + mismatches + deletions, b: matches + mismatches + insertions, difference: differences }
    }

    /// Where a stretch begins. Time O([`MARK_EVERY`]).
    fn before(&self, stretch: usize) -> Mark {
        let marked = stretch / MARK_EVERY;
        let Some(mut mark) = self.marks.get(marked).copied() else { return self.before_next() };
        let from = marked * MARK_EVERY;
        let mut inside = from > 0 && self.stretches[from - 1].edit != Edit::Equal;
        for &Stretch { edit, len } in &self.stretches[from..stretch] {
            let (a, b) = edit.takes();
            mark.column += u64::from(len);
            mark.a += a * u64::from(len);
            mark.b += b * u64::from(len);
            mark.difference += u64::from(edit != Edit::Equal && !inside);
            inside = edit != Edit::Equal;
        }
        mark
    }

    fn count(&mut self, edit: Edit, len: u64) {
        let summary = &mut self.summary;
        summary.columns += len;
        *match edit {
            Edit::Equal => &mut summary.matches,
            Edit::Substitute => &mut summary.mismatches,
            Edit::Insert => &mut summary.insertions,
            Edit::Delete => &mut summary.deletions,
        } += len;
    }
}

impl From<Vec<Stretch>> for Alignment {
    fn from(stretches: Vec<Stretch>) -> Self {
        Self::new(stretches)
    }
}

impl From<Alignment> for Vec<Stretch> {
    fn from(alignment: Alignment) -> Self {
        alignment.stretches
    }
}

/// The CIGAR with distinct match and mismatch: `1X3=1X1=1I`.
impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stretches.iter().try_for_each(|stretch| write!(f, "{}{}", stretch.len, stretch.edit.letter()))
    }
}

#[cfg(test)]
mod tests;
