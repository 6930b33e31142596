//! Columns: Listing 2 of paper 001 on columns. Bit vectors fill the table column by column and end with its last
//! column, whereas Listing 1 ends with the last row. Section 3.1 adapts Listing 2 without printing it: it divides `B`
//! and searches for the position at which to divide `A`.

use super::hirschberg::by_rows;
use super::{LastColumn, MatchedPositions};
use crate::methods::StepSink;
use crate::run::Halt;

/// Finds a longest common subsequence of `a` and `b`, and returns the positions of its symbols in `a` and in `b`. `by`
/// computes last columns of tables. Reports its steps to `tick`.
pub(crate) fn lcs<T: Copy + Eq>(a: &[T], b: &[T], by: &mut impl LastColumn<T>, tick: StepSink) -> Result<MatchedPositions, Halt> {
    // Dividing `b` means dividing the first text after a swap.
    let matches = by_rows(b, a, by, tick)?;
    Ok(matches.into_iter().map(|(j, i)| (i, j)).collect())
}
