//! Score: adds up the points of the columns of an alignment, so that its receiver can check the score of
//! `sequence-alignment`.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Alignment, CigarOp, EditKind};
use crate::cbor_struct;

/// A range of symbols of one text, in units from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SymbolRange {
    /// Position of the first symbol.
    pub start: u64,
    /// Position after the last symbol.
    pub end: u64,
}

cbor_struct!(SymbolRange { start, end });

impl From<Range<u64>> for SymbolRange {
    fn from(Range { start, end }: Range<u64>) -> Self {
        Self { start, end }
    }
}

impl SymbolRange {
    /// Returns the number of symbols.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Returns whether the range has no symbols.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the range as indices of a slice.
    pub fn indices(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The counts of an alignment that depend on its scoring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ScoredColumns {
    /// Columns of two symbols whose points are above 0.
    pub positives: u64,
    /// Columns with a symbol of one text only.
    pub gaps: u64,
    /// Maximal runs of columns with a symbol of the same text only.
    pub gap_openings: u64,
}

cbor_struct!(ScoredColumns { positives, gaps, gap_openings });

/// The sum of the points of an alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlignmentScore {
    /// Sum of the points of all columns, less the costs of all gaps.
    pub score: i64,
    /// The counts that belong to the score.
    pub columns: ScoredColumns,
}

impl Alignment {
    /// Returns the score of this alignment. `a` and `b` are the symbols that it consumes, `points` returns the points of
    /// two symbols, and `gap_cost` returns the cost of a gap of a number of symbols.
    ///
    /// Two neighbouring gaps in different texts count as two gaps. Takes O(columns) time.
    ///
    /// # Panics
    /// Panics if the alignment consumes more symbols than `a` and `b` have; [`check`](Self::check) finds this before.
    pub fn score<T: Copy>(&self, a: &[T], b: &[T], gap_cost: impl Fn(u64) -> u64, points: impl Fn(T, T) -> i32) -> AlignmentScore {
        let (mut i, mut j) = (0, 0);
        let mut sum = AlignmentScore::default();
        // A long run of columns of one kind may be several stretches.
        for run in self.cigar_ops().chunk_by(|one, next| one.edit == next.edit) {
            let Some(&CigarOp { edit, .. }) = run.first() else { continue };
            let columns: u64 = run.iter().map(|stretch| u64::from(stretch.len)).sum();
            let count = columns as usize;
            match edit {
                EditKind::Insert | EditKind::Delete => {
                    sum.columns.gaps += columns;
                    sum.columns.gap_openings += 1;
                    sum.score -= gap_cost(columns) as i64;
                }
                EditKind::Equal | EditKind::Substitute | EditKind::Transpose => {
                    for (&x, &y) in a[i..i + count].iter().zip(&b[j..j + count]) {
                        let points = points(x, y);
                        sum.score += i64::from(points);
                        sum.columns.positives += u64::from(points > 0);
                    }
                }
            }
            let (of_a, of_b) = edit.consumed_symbols();
            (i, j) = (i + count * of_a as usize, j + count * of_b as usize);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap_cost(len: u64) -> u64 {
        10 + 2 * len
    }

    fn scored(cigar: &str, a: &[u8], b: &[u8]) -> AlignmentScore {
        let alignment: Alignment = cigar.parse().unwrap();
        alignment.check(a, b).unwrap();
        alignment.score(a, b, gap_cost, |x, y| if x == y { 5 } else { -4 })
    }

    #[test]
    fn each_gap_opens_once() {
        let of = |cigar, a: &[u8], b: &[u8]| {
            let AlignmentScore { score, columns: ScoredColumns { positives, gaps, gap_openings } } = scored(cigar, a, b);
            (score, positives, gaps, gap_openings)
        };
        assert_eq!(of("", b"", b""), (0, 0, 0, 0));
        assert_eq!(of("1=1X1=", b"abc", b"axc"), (6, 2, 0, 0));
        assert_eq!(of("1=3D1=", b"abcde", b"ae"), (10 - 16, 2, 3, 1));
        assert_eq!(of("1=1I1D1=", b"abc", b"axc"), (10 - 24, 2, 2, 2));
        assert_eq!(of("1D1=1D", b"xay", b"a"), (5 - 24, 1, 2, 2));
    }

    #[test]
    fn positives_have_points_above_zero() {
        let points = |x: u8, y: u8| if x == y { 0 } else { 1 };
        let sum = "2=1X".parse::<Alignment>().unwrap().score(b"abc", b"abd", gap_cost, points);
        assert_eq!((sum.score, sum.columns.positives), (1, 1));
    }
}
