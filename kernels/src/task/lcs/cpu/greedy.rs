//! Near-equal texts: furthest-reaching paths, diagonal by diagonal (Myers 1986), for small distances only.
//!
//! ```text
//! x(d, k) = furthest row on the diagonal k = i − j that d insertions and deletions reach
//!         = max(x(d−1, k−1) + 1,  x(d−1, k+1))  and from there along equal symbols
//! ```
//!
//! Takes O(|a| + |b| + d²) expected time. All values of x are stored for the traceback: d²/2 numbers for the distance
//! d, which is limited. The search gives up as soon as its progress predicts a distance of more than twice the limit,
//! or its work exceeds that of the wavefront.

use crate::alignment::{Alignment, EditKind};
use crate::pair::cpu::NearEqualAttempt;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Entry for a diagonal that no path reaches.
const UNREACHED_PLACE: u32 = u32::MAX;

/// Divisor of the greatest distance that is searched: from 1 / `PROGRESS_CHECK_DIVISOR` of this distance on, each step
/// checks whether another method is faster.
const PROGRESS_CHECK_DIVISOR: usize = 4;

/// Number of equal symbols that take as long as one step to another diagonal.
const SYMBOLS_PER_DIAGONAL_STEP: usize = 16;

/// Returns the greatest distance that is searched if the longer text has `symbols` symbols. For a distance d, the
/// search takes d²/2 steps of 5 ns. This is a third of the time of the wavefront's first band, at 8 ns per symbol.
pub(super) fn limit(symbols: usize) -> usize {
    symbols.isqrt()
}

/// The furthest rows x(d, k), one distance d after another. For each d there are d + 1 entries, for the diagonals k =
/// −d, −d + 2, …, d.
struct ReachTable {
    m: usize,
    n: usize,
    rows: Vec<u32>,
}

impl ReachTable {
    fn at(&self, d: usize, k: isize) -> u32 {
        if k.unsigned_abs() > d { UNREACHED_PLACE } else { self.rows[d * (d + 1) / 2 + (k + d as isize) as usize / 2] }
    }

    /// Returns the row to which the `d`-th edit of a path leads on the diagonal `k`, and this edit. Returns `None` if
    /// no path leads to this diagonal.
    fn arrival(&self, d: usize, k: isize) -> Option<(usize, EditKind)> {
        let down = Some(self.at(d - 1, k - 1)).filter(|&x| x != UNREACHED_PLACE).map(|x| x as usize + 1).filter(|&x| x <= self.m);
        let right =
            Some(self.at(d - 1, k + 1)).filter(|&x| x != UNREACHED_PLACE && (x as isize - k) as usize <= self.n).map(|x| x as usize);
        match (down, right) {
            (Some(down), right) if right.is_none_or(|right| down > right) => Some((down, EditKind::Delete)),
            (_, right) => right.map(|x| (x, EditKind::Insert)),
        }
    }

    fn back(&self, d: usize) -> Alignment {
        let mut backwards = Alignment::default();
        let mut k = self.m as isize - self.n as isize;
        for d in (1..=d).rev() {
            // Every cell on the path was reached from another cell.
            let Some((x, edit)) = self.arrival(d, k) else { break };
            backwards.push(EditKind::Equal, (self.at(d, k) as usize - x) as u64);
            backwards.push(edit, 1);
            k += if edit == EditKind::Delete { -1 } else { 1 };
        }
        backwards.push(EditKind::Equal, self.at(0, 0).into());
        backwards.reversed()
    }
}

/// Computes the distance of `a` and `b` by insertions and deletions, and an alignment. Gives up and returns `Far` if
/// the distance exceeds `most` or takes too long to find.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn solve<T: Symbol>(a: &[T], b: &[T], most: usize, run: &Run) -> Result<NearEqualAttempt<(u64, Alignment)>, Halt> {
    let (m, n) = (a.len(), b.len());
    if m.max(n) >= UNREACHED_PLACE as usize {
        return Ok(NearEqualAttempt::Far(None));
    }
    let is_far = m.abs_diff(n) > most;
    let end = m as isize - n as isize;
    let budget = (most * most) / 2 + (m + n) / 4 + 2 * SYMBOLS_PER_DIAGONAL_STEP;
    let mut reach = ReachTable { m, n, rows: vec![T::common_prefix(a, b) as u32] };
    let (mut work, mut held) = (0, 0);
    let mut d = 0;
    while reach.at(d, end) != m as u32 {
        if d == most || work > budget {
            return Ok(NearEqualAttempt::Far(None));
        }
        d += 1;
        let mut progress = 0;
        for k in (-(d as isize)..=d as isize).step_by(2) {
            let x = reach.arrival(d, k).map(|(x, _)| {
                let y = (x as isize - k) as usize;
                let equal = T::common_prefix(&a[x..], &b[y..]);
                work += 1 + equal / SYMBOLS_PER_DIAGONAL_STEP;
                progress = progress.max(x + y + 2 * equal);
                (x + equal) as u32
            });
            reach.rows.push(x.unwrap_or(UNREACHED_PLACE));
        }
        if d >= most / PROGRESS_CHECK_DIVISOR && (is_far || d * (m + n) > 2 * most * progress) {
            let about = d * (m + n) / progress.max(1);
            return Ok(NearEqualAttempt::Far(Some(about.max(m.abs_diff(n)) as u64)));
        }
        if d.is_power_of_two() || d % 256 == 0 {
            let bytes = (reach.rows.capacity() * size_of::<u32>()) as u64;
            run.hold(bytes - held);
            held = bytes;
            run.tick(0)?;
        }
    }
    run.raise_expected(work as u64);
    run.tick(work as u64)?;
    let alignment = reach.back(d);
    run.release(held);
    Ok(NearEqualAttempt::Solved((d as u64, alignment)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, mutated, random, serial};
    use crate::run::NoObserver;

    fn check(a: &[u8], b: &[u8], most: usize) -> bool {
        let expected = (a.len() + b.len()) as u64 - 2 * serial::lcs::align(&bytes(a, b)).0;
        let NearEqualAttempt::Solved((distance, alignment)) = solve(a, b, most, &Run::new(&NoObserver)).unwrap() else { return false };
        assert_eq!(distance, expected);
        assert_eq!(alignment.check(a, b), Ok(()));
        assert_eq!((alignment.summary().distance(), alignment.summary().mismatches), (distance, 0));
        true
    }

    #[test]
    fn near_equal_texts_agree_with_the_oracle() {
        for seed in 0..20 {
            let a = random(b"ACGT", 600, seed);
            for (rate, most) in [(0.0, 1), (0.005, 40), (0.02, 100), (0.1, 300)] {
                assert!(check(&a, &mutated(&a, b"ACGT", rate, seed + 1), most), "seed {seed}, rate {rate}");
            }
            let cut = seed as usize / 2;
            assert!(check(&a, &a[cut..600 - 2 * cut], 60));
        }
    }

    #[test]
    fn any_distance_within_the_limit_is_solved() {
        for (a, b) in [(&b""[..], &b""[..]), (b"", b"ab"), (b"ab", b""), (b"a", b"b"), (b"abcabba", b"cbabac"), (b"aab", b"baaa")] {
            assert!(check(a, b, 1000), "{a:?}, {b:?}");
        }
        let (a, b) = (random(b"ab", 100, 1), random(b"ab", 130, 2));
        assert!(check(&a, &b, 1000));
        assert!(check(&b, &a, 1000));
    }

    #[test]
    fn greedy_search_gives_up_early_on_distant_texts() {
        let a = random(b"ACGT", 20_000, 1);
        let far = mutated(&a, b"ACGT", 0.3, 2);
        let periodic: Vec<u8> = b"ab".iter().copied().cycle().take(20_000).collect();
        let mut other = periodic.clone();
        (0..40).for_each(|at| other[at * 500 + 250] = b'c');
        for (a, b) in [(&a, &far), (&periodic, &other)] {
            assert!(matches!(solve(a, b, 70, &Run::new(&NoObserver)).unwrap(), NearEqualAttempt::Far(_)));
        }
    }
}
