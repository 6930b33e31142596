//! Hirschberg: an optimal alignment in linear memory by Hirschberg's division, for any way to compute the last row of
//! the matrix.
//!
//! Paper 000 computes the distance alone and describes no traceback. The division is due to Hirschberg (1975). Paper
//! 001 gives it in Listing 2, for the longest common subsequence. Here it takes the minimum sum instead of the maximum.
//!
//! ```text
//! align(X, m, Y, n)
//!   if (n == 0) m deletions
//!   else if (m == 0) n insertions
//!   else if (m == 1) x_1 on the first y_j that equals it, or in place of y_1; insertions of the rest
//!   else
//!     i = m/2
//!     L1 = last row of c for X[0...i-1] and Y
//!     L2 = last row of c for X[m-1...i] and Y[n-1...0]
//!     M = min {L1[j] + L2[n-j]}  (0<=j<=n)
//!     k = min {j: L1[j] + L2[n-j] == M}
//!     align(X[0...i-1], i, Y[0...k-1], k)
//!     align(X[i...m-1], m-i, Y[k...n-1], n-k)
//! ```
//!
//! Section 3.1 of paper 001 reads strings backwards, because reversing them at each call would be slow. Here both texts
//! are reversed once. A part that is read backwards is a piece of the reversed text, so that the recurrences of paper
//! 000 remain unchanged.

use std::ops::Range;

use crate::alignment::{Alignment, EditKind};
use crate::methods::StepSink;
use crate::run::Halt;

/// Minimum number of symbols of `x` in a half whose last row the GPU computes. The CPU computes smaller halves with the
/// same method, because it is faster for them.
pub(crate) const MIN_DEVICE_HALF_SYMBOLS: usize = 64;

/// A piece of a text, with the direction in which it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectedPiece<'t, T> {
    /// Symbols of the piece, in the order in which they are read.
    pub(crate) symbols: &'t [T],
    /// Position of the first symbol of the piece in the text, or in the reversed text if `is_reversed` is set.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only devices have texts by their place"))]
    pub(crate) start: usize,
    /// Whether the piece belongs to the reversed text, because it is read backwards.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only devices have texts by their place"))]
    pub(crate) is_reversed: bool,
}

/// A text and its reversed copy.
struct TwoWayText<'t, T> {
    forwards: &'t [T],
    backwards: Vec<T>,
}

impl<'t, T: Copy> TwoWayText<'t, T> {
    fn new(forwards: &'t [T]) -> Self {
        Self { forwards, backwards: forwards.iter().rev().copied().collect() }
    }

    fn forwards(&self, range: &Range<usize>) -> DirectedPiece<'_, T> {
        DirectedPiece { symbols: &self.forwards[range.clone()], start: range.start, is_reversed: false }
    }

    fn backwards(&self, range: &Range<usize>) -> DirectedPiece<'_, T> {
        let (start, end) = (self.forwards.len() - range.end, self.forwards.len() - range.start);
        DirectedPiece { symbols: &self.backwards[start..end], start, is_reversed: true }
    }
}

/// An alignment by Hirschberg's division in progress: both texts, and the alignment so far.
struct HirschbergDivision<'t, T, R> {
    x: TwoWayText<'t, T>,
    y: TwoWayText<'t, T>,
    last_row: R,
    alignment: Alignment,
}

/// Computes an optimal alignment of `x` to `y`, whose number of edits is the edit distance.
///
/// `last_row` receives a piece of m symbols of `x` and a piece of n symbols of `y`, neither of them empty. It must
/// return `c[m][j]` for j = 0 … n, and report a step for each cell. Takes about twice as many steps as cells, at most
/// `n·(2m + log₂ m + 1)`. Takes O(m + n) memory in addition to the memory of `last_row`: both reversed texts, and two
/// rows, which are freed before the next division.
///
/// # Errors
/// Returns the errors of `last_row` and `tick`.
pub(crate) fn align<T, R>(x: &[T], y: &[T], last_row: R, tick: StepSink) -> Result<Alignment, Halt>
where
    T: Copy + Eq,
    R: FnMut(DirectedPiece<T>, DirectedPiece<T>, StepSink) -> Result<Vec<u32>, Halt>,
{
    let mut division = HirschbergDivision { x: TwoWayText::new(x), y: TwoWayText::new(y), last_row, alignment: Alignment::default() };
    division.align(0..x.len(), 0..y.len(), tick)?;
    Ok(division.alignment)
}

impl<T, R> HirschbergDivision<'_, T, R>
where
    T: Copy + Eq,
    R: FnMut(DirectedPiece<T>, DirectedPiece<T>, StepSink) -> Result<Vec<u32>, Halt>,
{
    /// Appends the columns that align the range `x` of the first text with the range `y` of the second text. The
    /// recursion is at most log₂ m deep.
    fn align(&mut self, x: Range<usize>, y: Range<usize>, tick: StepSink) -> Result<(), Halt> {
        let (m, n) = (x.len(), y.len());
        if n == 0 {
            self.alignment.push(EditKind::Delete, m as u64);
            return Ok(());
        }
        if m == 0 {
            self.alignment.push(EditKind::Insert, n as u64);
            return Ok(());
        }
        if m == 1 {
            self.align_symbol(self.x.forwards[x.start], y);
            return tick(n as u64);
        }
        let i = x.start + m / 2;
        let j = y.start + self.split(&x, &y, i, tick)?;
        self.align(x.start..i, y.start..j, tick)?;
        self.align(i..x.end, j..y.end, tick)
    }

    /// Returns k of the pseudo-code: the number of symbols at the start of the range `y` that are aligned with the
    /// first half of the range `x`. The first half ends at position `i`.
    fn split(&mut self, x: &Range<usize>, y: &Range<usize>, i: usize, tick: StepSink) -> Result<usize, Halt> {
        let first = (self.last_row)(self.x.forwards(&(x.start..i)), self.y.forwards(y), tick)?;
        let second = (self.last_row)(self.x.backwards(&(i..x.end)), self.y.backwards(y), tick)?;
        let sums = first.iter().zip(second.iter().rev()).map(|(before, after)| before + after);
        // Chooses the first of several equal sums.
        let (k, _) = sums.enumerate().min_by_key(|(_, sum)| *sum).unwrap_or_default();
        Ok(k)
    }

    /// Appends the columns that align `symbol`, one symbol of the first text, with the range `y` of the second text,
    /// which must not be empty. The cost is the length of the range − 1 if the range contains the symbol, otherwise its
    /// length.
    fn align_symbol(&mut self, symbol: T, y: Range<usize>) {
        let at = self.y.forwards[y.clone()].iter().position(|other| *other == symbol);
        let (before, edit) = at.map_or((0, EditKind::Substitute), |at| (at, EditKind::Equal));
        self.alignment.push(EditKind::Insert, before as u64);
        self.alignment.push(edit, 1);
        self.alignment.push(EditKind::Insert, (y.len() - 1 - before) as u64);
    }
}
