//! The critical factorization of a pattern, that is, a cut and a period (Crochemore and Perrin 1991, "Two-way
//! string-matching"). It makes a search linear without a table.
//!
//! At its cut, a pattern has no repetition shorter than its period p. If the part right of the cut agrees with the text
//! in exactly k symbols, no occurrence begins at the next k positions. If all of this part agrees, no occurrence begins
//! at the next p − 1 positions.

use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of steps between two progress reports.
const STEPS_PER_TICK: usize = 1 << 20;

/// The critical factorization of a pattern: the cut that divides it into two parts, and its period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CriticalFactorization {
    /// Number of symbols left of the cut. It is less than the period.
    pub(super) cut: usize,
    /// Period of the pattern, which is the smallest distance of two overlapping occurrences.
    pub(super) period: PatternPeriod,
}

/// The smallest period of a pattern, or a lower bound of it. The period is the smallest p with `a[i] = a[i + p]` for
/// all i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternPeriod {
    /// The smallest period is known.
    Exactly(usize),
    /// Only a lower bound of the smallest period is known. It is more than half of the pattern length.
    AtLeast(usize),
}

impl CriticalFactorization {
    /// Computes the factorization of a pattern that is not empty. Takes O(m) time.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn of<T: Symbol>(pattern: &[T], run: &Run) -> Result<Self, Halt> {
        let ascending = maximal_suffix(pattern, |x, y| x < y, run)?;
        let descending = maximal_suffix(pattern, |x, y| x > y, run)?;
        // The later of the two cuts is critical.
        let (cut, period) = ascending.max(descending);
        let repeats = pattern[..cut] == pattern[period..period + cut];
        let period = if repeats { PatternPeriod::Exactly(period) } else { PatternPeriod::AtLeast(cut.max(pattern.len() - cut) + 1) };
        Ok(Self { cut, period })
    }
}

/// Returns the start and the period of the pattern's greatest suffix in the order of symbols `less`.
fn maximal_suffix<T: Symbol>(pattern: &[T], less: impl Fn(T, T) -> bool, run: &Run) -> Result<(usize, usize), Halt> {
    // `start` and `period` are those of the greatest suffix so far. `same` is the length of its common prefix with the
    // suffix at `next`.
    let (mut start, mut next, mut same, mut period) = (0, 1, 0, 1);
    let mut steps = 0;
    while next + same < pattern.len() {
        let (new, old) = (pattern[next + same], pattern[start + same]);
        if new == old {
            same += 1;
            if same == period {
                next += period;
                same = 0;
            }
        } else if less(new, old) {
            next += same + 1;
            same = 0;
            period = next - start;
        } else {
            start = next;
            next += 1;
            (same, period) = (0, 1);
        }
        steps += 1;
        if steps % STEPS_PER_TICK == 0 {
            run.tick(0)?;
        }
    }
    Ok((start, period))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::NoObserver;

    /// Tests all patterns of up to 10 symbols over 3 letters.
    #[test]
    fn factorization_is_critical_and_has_the_right_period() {
        for m in 1..=10u32 {
            for number in 0..3u32.pow(m) {
                let pattern: Vec<u8> = (0..m).map(|at| (number / 3u32.pow(at) % 3) as u8).collect();
                let m = pattern.len();
                let repeats = |from: usize, to: usize, p: usize| (from..to.saturating_sub(p)).all(|i| pattern[i] == pattern[i + p]);
                let period = (1..=m).find(|&p| repeats(0, m, p)).unwrap();
                let CriticalFactorization { cut, period: known } = CriticalFactorization::of(&pattern, &Run::new(&NoObserver)).unwrap();
                match known {
                    PatternPeriod::Exactly(p) => assert_eq!(p, period, "{pattern:?}"),
                    PatternPeriod::AtLeast(p) => assert!(p <= period && 2 * p > m, "{pattern:?}"),
                }
                assert!(cut < period, "{pattern:?}");
                let local = (1..=m).find(|&p| repeats(cut.saturating_sub(p), (cut + p).min(m), p)).unwrap();
                assert_eq!(local, period, "{pattern:?}");
            }
        }
    }
}
