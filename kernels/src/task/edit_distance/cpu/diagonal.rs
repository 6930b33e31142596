//! Few edits in texts of any length, by [furthest rows](FurthestRows): for each number of edits and each diagonal, the
//! last row that can be reached.
//!
//! The distance d is the first number of edits that leads to the end of both texts. This takes O(d² + symbols slid
//! over) time, whatever the lengths. The search is given up if the rows reached so far predict that a sweep of the
//! matrix in words of 64 cells is faster.

use std::ops::ControlFlow;

use super::{PairOutput, PairRequest};
use crate::alignment::Alignment;
use crate::pair::cpu::NearEqualAttempt;
use crate::pair::cpu::furthest_rows::FurthestRows;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum number of edits that are searched. Each diagonal of each number of edits takes 4 bytes.
const MAX_DIAGONAL_EDITS: usize = 1500;

/// Number of diagonals whose search takes as long as preparing the matrix, which is swept if this search is given up.
const SETUP_DIAGONALS: usize = 600;

/// Number of matrix cells that a sweep computes in the time of one diagonal of this search.
const WORD_CELLS_PER_DIAGONAL: usize = 300;

/// Number of columns in the narrowest band of the matrix that a sweep computes.
const MIN_BAND_COLUMNS: usize = 1024;

/// Number of edits at the first check whether a sweep of the matrix is faster. Further checks follow at each doubling.
const FIRST_PROGRESS_CHECK: usize = 8;

/// Returns the number of edits up to which texts of the lengths `m` ≤ `n` are searched.
pub(super) fn most(m: usize, n: usize) -> usize {
    (SETUP_DIAGONALS + n.saturating_mul(m.min(MIN_BAND_COLUMNS)) / WORD_CELLS_PER_DIAGONAL).isqrt().min(MAX_DIAGONAL_EDITS)
}

/// Returns whether texts of the lengths `m` ≤ `n` are searched at all.
fn is_searched(m: usize, n: usize) -> bool {
    n - m <= most(m, n) && n <= FurthestRows::MAX_SYMBOLS
}

/// Computes the distance of `a` and `b`, and an optimal alignment if `request` contains it. If the distance exceeds the
/// limit in `request`, returns a number above the limit, and no alignment. Gives up and returns `Far` if a sweep of the
/// matrix is likely to be faster. `a` must not be longer than `b`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn solve<T: Symbol>(
    a: &[T],
    b: &[T],
    request: PairRequest,
    run: &Run,
) -> Result<NearEqualAttempt<(u64, Option<Alignment>)>, Halt> {
    let (m, n) = (a.len(), b.len());
    if !is_searched(m, n) {
        return Ok(NearEqualAttempt::Far(None));
    }
    let affordable = most(m, n);
    let limit = request.limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit < affordable);
    let most = limit.unwrap_or(affordable);
    let mut furthest = FurthestRows::default();
    furthest.begin(m, n, true);
    let end = (n - m) as i32;
    for edits in 0..=most {
        // From other diagonals the remaining edits cannot reach the end.
        let left = (most - edits) as i32;
        let _: ControlFlow<()> = furthest.extend(edits, [end - left, end + left], |x, row| {
            ControlFlow::Continue(T::common_prefix(&a[row as usize..], &b[(row + x) as usize..]) as i32)
        });
        if furthest.at(edits, end) == m as i32 {
            run.hold(furthest.bytes());
            // Reports the visited diagonals as cells, because the matrix was not filled.
            let filled = (edits as u64 + 1).pow(2);
            run.raise_expected(filled);
            run.tick(filled)?;
            return Ok(NearEqualAttempt::Solved((
                edits as u64,
                (request.want == PairOutput::Alignment).then(|| alignment(&furthest, edits, end)),
            )));
        }
        if edits >= FIRST_PROGRESS_CHECK && edits.is_power_of_two() {
            run.tick(0)?;
            let about = edits * (m + n) / progress(&furthest, edits).max(1);
            if about > affordable {
                return Ok(NearEqualAttempt::Far(Some(about as u64)));
            }
        }
    }
    let Some(limit) = limit else { return Ok(NearEqualAttempt::Far(None)) };
    let filled = (limit as u64 + 1).pow(2);
    run.raise_expected(filled);
    run.tick(filled)?;
    Ok(NearEqualAttempt::Solved((limit as u64 + 1, None)))
}

/// Returns the greatest number of symbols of both texts together that any path with `edits` edits covers.
fn progress(furthest: &FurthestRows, edits: usize) -> usize {
    let rows = (-(edits as i32)..).zip(furthest.all(edits)).filter(|&(_, &row)| row >= 0);
    rows.map(|(x, &row)| (2 * i64::from(row) + i64::from(x)) as usize).max().unwrap_or(0)
}

/// Builds the alignment with `edits` edits that reaches the end of both texts, on the diagonal `end`.
fn alignment(furthest: &FurthestRows, edits: usize, end: i32) -> Alignment {
    let mut backwards = Alignment::default();
    furthest.trace_back(edits, (end, furthest.at(edits, end)), |edit, len| backwards.push(edit, len));
    backwards.reversed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{bytes, mutated, random};
    use crate::run::NoObserver;

    #[test]
    fn texts_whose_positions_exceed_31_bits_are_not_searched() {
        let max = FurthestRows::MAX_SYMBOLS;
        assert!(is_searched(max, max) && is_searched(max - 1000, max));
        // The sum of the last row and a diagonal of this text would be above `i32::MAX`.
        assert!(!is_searched(i32::MAX as usize, i32::MAX as usize));
    }

    #[test]
    fn answers_of_the_diagonal_method_agree_with_the_oracle() {
        let mut answers = 0;
        for seed in 0..150 {
            let a = random(if seed % 3 == 0 { b"ab" } else { b"ACGT" }, 100 + 4 * seed as usize, seed);
            let mut b = mutated(&a, b"ACGT", 0.001 * (seed % 40) as f64, seed + 1);
            if seed % 5 == 0 {
                b.drain(10..30);
            }
            let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            let run = Run::new(&NoObserver);
            let NearEqualAttempt::Solved((distance, alignment)) = solve(&a, &b, PairOutput::Alignment.into(), &run).unwrap() else {
                continue;
            };
            answers += 1;
            let alignment = alignment.unwrap();
            assert_eq!(alignment.check(&a, &b), Ok(()));
            assert_eq!(alignment.summary().distance(), distance);
            assert_eq!(crate::oracle::serial::edit_distance::align(&bytes(&a, &b)).0, distance);
        }
        assert!(answers > 50, "{answers}");
    }

    #[test]
    fn pairs_with_many_edits_are_reported_as_far() {
        let run = Run::new(&NoObserver);
        let (a, b) = (random(b"ACGT", 1000, 1), random(b"ACGT", 1000, 2));
        let attempt = solve(&a, &b, PairOutput::Distance.into(), &run).unwrap();
        assert!(matches!(attempt, NearEqualAttempt::Far(Some(300..1000))), "{attempt:?}");
    }
}
