//! Few edits: the furthest row on every diagonal that so many edits reach (Ukkonen 1985; Landau, Vishkin 1988).
//!
//! ```text
//! F[e, x] = the largest i with D[i, i + x] ≤ e
//!         = slide(max(F[e−1, x] + 1, F[e−1, x−1], F[e−1, x+1] + 1))      a substitution, an insertion, a deletion
//! slide(i) goes on while a[i] = b[i + x]
//! ```
//!
//! The distance d is the first e with F[e, n − m] = m. Time O(d² + symbols slid over), whatever the lengths; so it is given up
//! where the rows reached so far foretell that the matrix of words is faster. Rows are cut to the texts' ends; such a cell has
//! fewer edits than its row says, or a path through it takes a step back, so that no optimal path meets it.

use super::Want;
use crate::alignment::{Alignment, Edit};
use crate::pair::cpu::{Attempt, step};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Most edits; 4 bytes are kept for each diagonal of each number of edits.
const MOST_EDITS: usize = 1500;

/// Diagonals that take as long as the matrix of words takes to begin.
const BEGIN: usize = 600;

/// Cells of the matrix of words that take as long as a diagonal.
const CELLS: usize = 300;

/// Columns of the narrowest band of words.
const NARROWEST: usize = 1024;

/// Number of edits at which it is first judged, and then at each double.
const FIRST_LOOK: usize = 8;

/// A row that no path reaches.
const NOWHERE: i32 = i32::MIN / 2;

/// Distance of `a` and `b`, and an alignment where wanted, unless another way is likely to be faster. `a` is not longer than `b`.
///
/// # Errors
/// When the run is stopped.
pub(super) fn solve<T: Symbol>(a: &[T], b: &[T], want: Want, run: &Run) -> Result<Attempt<(u64, Option<Alignment>)>, Halt> {
    let (m, n) = (a.len(), b.len());
    let most = (BEGIN + n.saturating_mul(m.min(NARROWEST)) / CELLS).isqrt().min(MOST_EDITS);
    if n - m > most || i32::try_from(n).is_err() {
        return Ok(Attempt::Far(None));
    }
    let mut reached = Reached { a, b, most, rows: Vec::new() };
    for edits in 0..=most {
        reached.extend(edits);
        if reached.row(edits, (n - m) as i32) == m as i32 {
            run.hold(reached.rows.len() as u64 * 4);
            run.tick(m as u64 * n as u64)?;
            return Ok(Attempt::Solved((edits as u64, (want == Want::Alignment).then(|| reached.trace(edits)))));
        }
        if edits >= FIRST_LOOK && edits.is_power_of_two() {
            run.tick(0)?;
            let about = edits * (m + n) / reached.furthest(edits).max(1);
            if about > most {
                return Ok(Attempt::Far(Some(about as u64)));
            }
        }
    }
    Ok(Attempt::Far(None))
}

/// The rows that were reached by 0, 1, 2, … edits, and nowhere on two diagonals more to either side.
struct Reached<'t, T> {
    a: &'t [T],
    b: &'t [T],
    most: usize,
    rows: Vec<i32>,
}

impl<T: Symbol> Reached<'_, T> {
    /// Place of the row on the diagonal `x`, which is at most 2 beyond `edits`.
    fn place(edits: usize, x: i32) -> usize {
        edits * (edits + 4) + (x + edits as i32 + 2) as usize
    }

    fn row(&self, edits: usize, x: i32) -> i32 {
        self.rows.get(Self::place(edits, x)).copied().filter(|_| x.unsigned_abs() as usize <= edits).unwrap_or(NOWHERE)
    }

    /// Symbols of both texts that `edits` go through at most.
    fn furthest(&self, edits: usize) -> usize {
        let ends = (-(edits as i32)..).zip(&self.rows[Self::place(edits, -(edits as i32))..][..2 * edits + 1]);
        ends.filter(|&(_, &row)| row >= 0).map(|(x, &row)| (2 * i64::from(row) + i64::from(x)) as usize).max().unwrap_or(0)
    }

    /// Goes on from all but the last number of edits to that.
    fn extend(&mut self, edits: usize) {
        let (m, n) = (self.a.len() as i32, self.b.len() as i32);
        self.rows.resize(Self::place(edits + 1, -(edits as i32) - 3), NOWHERE);
        if edits == 0 {
            self.rows[Self::place(0, 0)] = T::common_prefix(self.a, self.b) as i32;
            return;
        }
        // No other diagonal leads to the end with the edits that are left.
        let left = (self.most - edits) as i32;
        let (low, high) = ((-(edits as i32)).max(-m).max(n - m - left), (edits as i32).min(n).min(n - m + left));
        if low > high {
            return;
        }
        let width = (high - low + 1) as usize;
        let (old, new) = self.rows.split_at_mut(Self::place(edits, low));
        let old = &old[Self::place(edits - 1, low - 1)..][..width + 2];
        for ((x, before), reached) in (low..).zip(old.windows(3)).zip(&mut new[..width]) {
            let from = step([before[0], before[1], before[2]], true).0.min(m).min(n - x);
            let (i, j) = (from as usize, (from + x) as usize);
            *reached = from + T::common_prefix(&self.a[i..], &self.b[j..]) as i32;
        }
    }

    /// The alignment of so many edits.
    fn trace(&self, edits: usize) -> Alignment {
        let mut backwards = Alignment::default();
        let mut x = self.b.len() as i32 - self.a.len() as i32;
        let mut row = self.a.len() as i32;
        for edits in (1..=edits).rev() {
            let (from, edit) = step([-1, 0, 1].map(|side| self.row(edits - 1, x + side)), true);
            backwards.push(Edit::Equal, (row - from) as u64);
            backwards.push(edit, 1);
            let (di, dj) = edit.takes();
            x += di as i32 - dj as i32;
            row = from - di as i32;
        }
        backwards.push(Edit::Equal, row as u64);
        backwards.reversed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, mutated, random};
    use crate::run::Silent;

    #[test]
    fn agrees_with_the_oracle_where_it_answers() {
        let mut answers = 0;
        for seed in 0..150 {
            let a = random(if seed % 3 == 0 { b"ab" } else { b"ACGT" }, 100 + 4 * seed as usize, seed);
            let mut b = mutated(&a, b"ACGT", 0.001 * (seed % 40) as f64, seed + 1);
            if seed % 5 == 0 {
                b.drain(10..30);
            }
            let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            let run = Run::new(&Silent);
            let Attempt::Solved((distance, alignment)) = solve(&a, &b, Want::Alignment, &run).unwrap() else { continue };
            answers += 1;
            let alignment = alignment.unwrap();
            assert_eq!(alignment.check(&a, &b), Ok(()));
            assert_eq!(alignment.summary().distance(), distance);
            assert_eq!(crate::oracle::serial::edit_distance::align(&bytes(&a, &b)).0, distance);
        }
        assert!(answers > 50, "{answers}");
    }

    #[test]
    fn many_edits_are_left_to_others() {
        let run = Run::new(&Silent);
        let (a, b) = (random(b"ACGT", 1000, 1), random(b"ACGT", 1000, 2));
        let attempt = solve(&a, &b, Want::Distance, &run).unwrap();
        assert!(matches!(attempt, Attempt::Far(Some(300..1000))), "{attempt:?}");
    }
}
