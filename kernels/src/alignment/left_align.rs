//! Places of gaps: the canonical choice among alignments of equal score that differ only in the positions of gaps. Every
//! gap is as far left as possible, or as far right.
//!
//! A gap is all deletions, or all insertions, between two columns that consume a symbol of both texts. A gap moves to
//! the left over such a column if the column keeps its kind: `=` stays `=`, `X` stays `X`. If pairs of symbols have
//! points, the column also keeps its points. So the score of each column never changes.
//!
//! ```text
//! D moves over (a[i], b[j])  if  (a[i + d], b[j]) is of the same kind, for d deletions
//! I moves over (a[i], b[j])  if  (a[i], b[j + k]) is of the same kind, for k insertions
//! ```
//!
//! Gaps move one after the other, the last one first. A gap that meets another gap of its kind merges with it, and both
//! move on as one. If opening a gap has a cost, this happens in no optimal alignment, because the score would rise. No
//! gap moves over a transposition. Deletions and insertions pass each other. If both stop between the same columns,
//! insertions come first. Gaps are never divided, and an alignment with other substitutions stays another alignment.
//! Tracing back through the matrix of the edit distance, with the order corner, above, left, gives a left-aligned
//! alignment.
//!
//! The alignment with its gaps as far right as possible is the mirror image: of both texts backwards, it is the alignment
//! with its gaps as far left as possible. So deletions come first if both kinds stop between the same columns.

use serde::{Deserialize, Serialize};

use super::{Alignment, CigarOp, EditKind, MAX_STRETCH};
use crate::cbor_enum;

/// The choice among alignments of equal score that differ only in the positions of gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GapPlacement {
    /// Every gap is as far left as possible, as VCF requires it.
    #[default]
    Leftmost,
    /// Every gap is as far right as possible, as HGVS requires it.
    Rightmost,
}

cbor_enum!(GapPlacement { 0 Leftmost, 1 Rightmost });

impl GapPlacement {
    /// Both placements.
    pub const ALL: [Self; 2] = [Self::Leftmost, Self::Rightmost];

    /// Returns the name in JSON, such as `leftmost`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leftmost => "leftmost",
            Self::Rightmost => "rightmost",
        }
    }

    /// Returns whether gaps are as far left as possible.
    pub fn is_leftmost(&self) -> bool {
        *self == Self::Leftmost
    }
}

/// The symbols of a text, in the order in which gaps move towards the first one.
struct OrderedSymbols<'t, T> {
    symbols: &'t [T],
    is_mirrored: bool,
}

impl<'t, T> OrderedSymbols<'t, T> {
    /// Returns the symbol at `index`, counted from the last symbol of the text if the order is mirrored.
    fn at(&self, index: usize) -> &'t T {
        if self.is_mirrored { &self.symbols[self.symbols.len() - 1 - index] } else { &self.symbols[index] }
    }
}

/// Runs of columns of one kind, from the end of an alignment to its start, or the other way if the order is mirrored.
#[derive(Default)]
struct ReversedCigarOps(Vec<CigarOp>);

impl ReversedCigarOps {
    fn push(&mut self, edit: EditKind, len: u64) {
        let mut len = len;
        if let Some(last) = self.0.last_mut().filter(|last| last.edit == edit) {
            let room = u64::from(MAX_STRETCH.saturating_sub(last.len)).min(len);
            last.len += room as u32;
            len -= room;
        }
        while len > 0 {
            let part = len.min(MAX_STRETCH.into());
            self.0.push(CigarOp { edit, len: part as u32 });
            len -= part;
        }
    }
}

/// The deletions and insertions that are being moved, and the columns behind them, which are final. Comments describe the
/// move to the left.
struct MovingGaps<'t, T, F> {
    a: OrderedSymbols<'t, T>,
    b: OrderedSymbols<'t, T>,
    /// Returns whether a column keeps its kind and its points if the second pair takes the place of the first one.
    keeps_column: F,
    deletions: usize,
    insertions: usize,
    settled: ReversedCigarOps,
}

impl<T, F: Fn([&T; 2], [&T; 2]) -> bool> MovingGaps<'_, T, F> {
    /// Ends the move of the deletions: they stay at the current position.
    fn leave_deletions(&mut self) {
        self.settled.push(EditKind::Delete, std::mem::take(&mut self.deletions) as u64);
    }

    /// Ends the move of the insertions: they stay at the current position.
    fn leave_insertions(&mut self) {
        self.settled.push(EditKind::Insert, std::mem::take(&mut self.insertions) as u64);
    }

    /// Moves the deletions and the insertions to the left over a column of kind `edit`, if possible. The column ends
    /// after `i` symbols of `a` and `j` symbols of `b`. A gap that cannot move stays to the right of the column.
    fn pass(&mut self, edit: EditKind, i: usize, j: usize) {
        let (x, y) = (self.a.at(i - 1 + self.deletions), self.b.at(j - 1 + self.insertions));
        let pair = [self.a.at(i - 1), self.b.at(j - 1)];
        if edit == EditKind::Equal {
            // The deletions move first. If they stay, the insertions may still move.
            if self.deletions > 0 && !(self.keeps_column)(pair, [x, pair[1]]) {
                self.leave_deletions();
            }
            if self.insertions > 0 && !(self.keeps_column)(pair, [self.a.at(i - 1 + self.deletions), y]) {
                self.leave_insertions();
            }
        } else if !(self.keeps_column)(pair, [x, y]) {
            self.leave_deletions();
            self.leave_insertions();
        }
    }
}

impl Alignment {
    /// Moves every gap as far left as possible without changing the score, as [this module](self) defines it.
    ///
    /// `a` and `b` are the symbols that the alignment consumes; for a hit, `b` is the part of the text that the hit
    /// covers. Takes O(runs of columns of one kind + columns that gaps move over) time.
    #[must_use]
    pub fn left_aligned<T: PartialEq>(self, a: &[T], b: &[T]) -> Self {
        self.with_gaps(GapPlacement::Leftmost, a, b)
    }

    /// Moves every gap as far to the side of `gaps` as possible without changing the score. Takes the time of
    /// [`left_aligned`](Self::left_aligned).
    #[must_use]
    pub fn with_gaps<T: PartialEq>(self, gaps: GapPlacement, a: &[T], b: &[T]) -> Self {
        self.with_scored_gaps(gaps, a, b, |[x, y], [u, v]| (x == y) == (u == v))
    }

    /// Moves every gap as far to the side of `gaps` as possible like [`with_gaps`](Self::with_gaps), but over a pair of
    /// symbols only if `keeps_column` returns true for this pair and the one that takes its place. Both pairs must then be
    /// of the same kind and have the same points.
    #[must_use]
    pub fn with_scored_gaps<T>(self, gaps: GapPlacement, a: &[T], b: &[T], keeps_column: impl Fn([&T; 2], [&T; 2]) -> bool) -> Self {
        let is_mirrored = !gaps.is_leftmost();
        let (mut i, mut j) = (a.len(), b.len());
        let settled = ReversedCigarOps(Vec::with_capacity(self.stretches.len()));
        let [a, b] = [a, b].map(|symbols| OrderedSymbols { symbols, is_mirrored });
        let mut moving = MovingGaps { a, b, keeps_column, deletions: 0, insertions: 0, settled };
        for at in 0..self.stretches.len() {
            let CigarOp { edit, len } = self.stretches[if is_mirrored { at } else { self.stretches.len() - 1 - at }];
            let len = len as usize;
            match edit {
                EditKind::Delete => (moving.deletions, i) = (moving.deletions + len, i - len),
                EditKind::Insert => (moving.insertions, j) = (moving.insertions + len, j - len),
                EditKind::Transpose => {
                    moving.leave_deletions();
                    moving.leave_insertions();
                    moving.settled.push(edit, len as u64);
                    (i, j) = (i - len, j - len);
                }
                EditKind::Equal | EditKind::Substitute => {
                    let mut passed = 0;
                    while passed < len {
                        moving.pass(edit, i - passed, j - passed);
                        if moving.deletions == 0 && moving.insertions == 0 {
                            break;
                        }
                        moving.settled.push(edit, 1);
                        passed += 1;
                    }
                    moving.settled.push(edit, (len - passed) as u64);
                    (i, j) = (i - len, j - len);
                }
            }
        }
        moving.leave_deletions();
        moving.leave_insertions();
        let mut settled = moving.settled.0;
        if !is_mirrored {
            settled.reverse();
        }
        Self { a_start: self.a_start, b_start: self.b_start, strand: self.strand, ..Self::new(settled) }
    }
}

#[cfg(test)]
mod tests;
