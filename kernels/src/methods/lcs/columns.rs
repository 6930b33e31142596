//! Listing 2 of paper 001 on columns. Bit vectors fill the table column by column and end with its last column, where Listing 1 ends with
//! the last row; section 3.1 changes Listing 2 accordingly without printing it: what is cut in two is `B`, and what is looked for
//! is where to cut `A`.

use super::hirschberg::by_rows;
use super::{LastColumn, Matches};
use crate::methods::Tick;
use crate::run::Halt;

/// Matches of a longest common subsequence.
pub(crate) fn lcs<T: Copy + Eq>(a: &[T], b: &[T], by: &mut impl LastColumn<T>, tick: Tick) -> Result<Matches, Halt> {
    // Cutting `b` is cutting the first of the texts in the other order.
    let matches = by_rows(b, a, by, tick)?;
    Ok(matches.into_iter().map(|(j, i)| (i, j)).collect())
}
