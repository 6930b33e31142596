//! Listing 2 of paper 001 on columns. Bit vectors fill the table column by column and end with its last column, where Listing 1 ends with
//! the last row; section 3.1 changes Listing 2 accordingly without printing it: what is cut in two is `B`, and what is looked for
//! is where to cut `A`.

use super::hirschberg::best_split;
use super::{LastColumn, Matches, View};
use crate::methods::Tick;
use crate::run::Halt;

/// Matches of a longest common subsequence.
pub(crate) fn lcs<T: Copy + Eq>(a: &[T], b: &[T], by: &mut impl LastColumn<T>, tick: Tick) -> Result<Matches, Halt> {
    let mut matches = Vec::new();
    split(a, b, (0, 0), by, &mut matches, tick)?;
    Ok(matches)
}

fn split<T: Copy + Eq>(
    a: &[T],
    b: &[T],
    at: (usize, usize),
    by: &mut impl LastColumn<T>,
    matches: &mut Matches,
    tick: Tick,
) -> Result<(), Halt> {
    let (m, n) = (a.len(), b.len());
    if m == 0 || n == 0 {
        return Ok(());
    }
    if n == 1 {
        matches.extend(a.iter().position(|symbol| *symbol == b[0]).map(|i| (at.0 + i, at.1)));
        return tick(m as u64);
    }
    let j = n / 2;
    let first = by.last_column(View::forwards(a).starting_at(at.0), View::forwards(&b[..j]).starting_at(at.1), tick)?;
    let second = by.last_column(View::backwards(a).starting_at(at.0), View::backwards(&b[j..]).starting_at(at.1 + j), tick)?;
    let k = best_split(&first, &second);
    split(&a[..k], &b[..j], at, by, matches, tick)?;
    split(&a[k..], &b[j..], (at.0 + k, at.1 + j), by, matches, tick)
}
