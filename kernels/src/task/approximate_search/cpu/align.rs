//! The alignment of a hit whose letters stand for sets of bases: a band of the matrix around its diagonal.
//!
//! The distance of the hit is known. It limits the deletions and the insertions of every optimal alignment, and thereby the
//! diagonals that the alignment can reach. Some rows are stored. The traceback computes the rows between two stored rows again.

use crate::alignment::{Alignment, EditKind, GapPlacement};
use crate::base_set::SymbolMatch;
use crate::failure::JobFailure;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Value of a cell outside of the band.
const OUTSIDE: u32 = u32::MAX / 2;

/// A band of the matrix of two texts.
struct BandMatrix<'t, T> {
    a: &'t [T],
    b: &'t [T],
    symbol_match: SymbolMatch,
    /// Maximum number of edits.
    most: usize,
    /// Maximum number of deletions: the columns of the band before the main diagonal.
    deletions: usize,
    /// Maximum number of insertions: the columns of the band after the main diagonal.
    insertions: usize,
}

/// Returns an alignment of `a` and `b` with the least number of edits, which is at most `most`. Its gaps stand where
/// `gaps` says. Takes O(|a| · `most`) time and O(√|a| · `most`) memory.
///
/// # Errors
/// Returns an error if the run is stopped, and `Engine` if every alignment has more than `most` edits.
pub(in crate::task::approximate_search) fn align<T: Symbol>(
    a: &[T],
    b: &[T],
    symbol_match: SymbolMatch,
    most: u64,
    gaps: GapPlacement,
    run: &Run,
) -> Result<Alignment, Halt> {
    let most = (most as usize).min(a.len() + b.len());
    let (Some(deletions), Some(insertions)) = ((most + a.len()).checked_sub(b.len()), (most + b.len()).checked_sub(a.len())) else {
        return Err(too_far().into());
    };
    let (deletions, insertions) = (deletions / 2, insertions / 2);
    let alignment = if gaps.is_leftmost() {
        // The traceback prefers pairs to gaps, so that gaps are as far left as possible.
        BandMatrix { a, b, symbol_match, most, deletions, insertions }.trace_back(run)?.reversed()
    } else {
        let [a, b] = [a, b].map(|text| text.iter().rev().copied().collect::<Vec<T>>());
        BandMatrix { a: &a, b: &b, symbol_match, most, deletions, insertions }.trace_back(run)?
    };
    alignment.check_match(a, b, symbol_match).map_err(|fault| JobFailure::engine(format!("The engine failed its own check: {fault}.")))?;
    Ok(alignment)
}

fn too_far() -> JobFailure {
    JobFailure::engine("The hit has more edits than its distance.")
}

impl<T: Symbol> BandMatrix<'_, T> {
    /// Returns the number of cells in a row of the band.
    fn width(&self) -> usize {
        self.deletions + self.insertions + 1
    }

    /// Returns the memory of the stored and the computed rows in bytes, if every row of `each` rows is stored.
    fn bytes(&self, each: usize) -> u64 {
        ((self.a.len() / each + each + 2) * self.width() * size_of::<u32>()) as u64
    }

    /// Returns the column of the cell number `at` in the row `i` of the band, or `None` if the matrix has no such column.
    fn column(&self, i: usize, at: usize) -> Option<usize> {
        (i + at).checked_sub(self.deletions).filter(|j| *j <= self.b.len())
    }

    /// Returns the value of the cell `[i, j]`, given the row `i` of the band.
    fn at(&self, i: usize, j: usize, row: &[u32]) -> u32 {
        (j + self.deletions).checked_sub(i).and_then(|at| row.get(at)).copied().unwrap_or(OUTSIDE)
    }

    fn is_match(&self, i: usize, j: usize) -> bool {
        self.symbol_match.matches(self.a[i - 1].number(), self.b[j - 1].number())
    }

    /// Returns the first row of the band.
    fn first(&self) -> Vec<u32> {
        (0..self.width()).map(|at| self.column(0, at).map_or(OUTSIDE, |j| j as u32)).collect()
    }

    /// Replaces `row`, the row before `i`, by the row `i`.
    fn step(&self, i: usize, row: &mut [u32]) {
        let mut left = OUTSIDE;
        for at in 0..row.len() {
            let above = row.get(at + 1).map_or(OUTSIDE, |above| above + 1);
            left = match self.column(i, at) {
                None => OUTSIDE,
                Some(0) => i as u32,
                Some(j) => (row[at] + u32::from(!self.is_match(i, j))).min(above).min(left + 1).min(OUTSIDE),
            };
            row[at] = left;
        }
    }

    /// Returns the columns of an optimal alignment from the last one to the first one. Prefers pairs to deletions, and
    /// deletions to insertions.
    ///
    /// # Errors
    /// Returns the errors of [`align`].
    fn trace_back(&self, run: &Run) -> Result<Alignment, Halt> {
        let m = self.a.len();
        let each = m.isqrt() + 1;
        let bytes = self.bytes(each);
        run.hold(bytes);
        let mut stored = vec![self.first()];
        let mut row = stored[0].clone();
        for i in 1..=m {
            self.step(i, &mut row);
            run.tick(0)?;
            if i % each == 0 {
                stored.push(row.clone());
            }
        }
        let (mut i, mut j) = (m, self.b.len());
        if self.at(m, j, &row) as usize > self.most {
            return Err(too_far().into());
        }
        let mut columns = Alignment::default();
        while let Some(before) = stored.pop() {
            let first = stored.len() * each;
            let mut rows = vec![before];
            for below in first + 1..=i {
                let mut row = rows[rows.len() - 1].clone();
                self.step(below, &mut row);
                rows.push(row);
                run.tick(0)?;
            }
            let value = |i: usize, j: usize| self.at(i, j, &rows[i - first]);
            while i > first || (first == 0 && j > 0) {
                let own = value(i, j);
                let is_match = i > 0 && j > 0 && self.is_match(i, j);
                if i > 0 && j > 0 && own == value(i - 1, j - 1) + u32::from(!is_match) {
                    columns.push(if is_match { EditKind::Equal } else { EditKind::Substitute }, 1);
                    (i, j) = (i - 1, j - 1);
                } else if i > 0 && own == value(i - 1, j) + 1 {
                    columns.push(EditKind::Delete, 1);
                    i -= 1;
                } else {
                    columns.push(EditKind::Insert, 1);
                    j -= 1;
                }
            }
        }
        run.release(bytes);
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::NoObserver;

    /// Returns the alignment of two texts of bases as a CIGAR, with gaps on the left.
    fn cigar(a: &[u8], b: &[u8], most: u64) -> Result<String, Halt> {
        let aligned = align(a, b, SymbolMatch::Overlap, most, GapPlacement::Leftmost, &Run::new(&NoObserver));
        aligned.map(|alignment| alignment.to_string())
    }

    #[test]
    fn alignment_has_the_least_edits_of_texts_of_any_length() {
        for (a, b, most, expected) in [
            (&[][..], &[][..], 0, ""),
            (&[], &[1, 2], 2, "2I"),
            (&[1, 2], &[], 2, "2D"),
            (&[15, 15, 15], &[1, 2, 4], 0, "3="),
            (&[1, 2, 4], &[1, 4], 1, "1=1D1="),
            (&[1, 4], &[1, 2, 4], 1, "1=1I1="),
            (&[1, 1, 1], &[2, 2, 2], 3, "3X"),
            (&[3, 12], &[4, 1], 2, "2X"),
        ] {
            assert_eq!(cigar(a, b, most).unwrap(), expected, "{a:?} {b:?}");
            assert_eq!(cigar(a, b, most + 5).unwrap(), expected, "{a:?} {b:?}");
        }
        for len in 1..40 {
            let b = vec![1; len];
            let a = [&b[..len / 2], &[2][..], &b[len / 2..]].concat();
            let expected = [format!("{}=", len / 2), "1D".into(), format!("{}=", len - len / 2)].concat().replace("=0=", "=");
            assert_eq!(cigar(&a, &b, 1).unwrap(), expected.trim_start_matches("0="), "{len}");
        }
    }

    #[test]
    fn distance_that_is_too_small_is_an_error() {
        for (a, b, most) in [(&[1, 1, 1][..], &[2, 2, 2][..], 2), (&[1, 1, 1], &[1], 1), (&[1], &[1, 1, 1], 1)] {
            assert!(matches!(cigar(a, b, most), Err(Halt::Failed(JobFailure::Engine { .. }))), "{a:?} {b:?}");
        }
    }
}
