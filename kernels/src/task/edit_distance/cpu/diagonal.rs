//! Few edits in texts of any length, by [furthest rows](FurthestRows): for each number of edits and each diagonal, the
//! last row that can be reached from the start of both texts, and the first row from which their end can be reached.
//!
//! ```text
//! F[e, x]  furthest row of diagonal x that e edits reach from the start
//! R[e, x]  rows at the end of diagonal x from which e edits lead to the end
//! d = min(e + f : F[e, x] + R[f, x] ≥ m for some x)
//! ```
//!
//! Values never fall along a diagonal, so that paths whose rows overlap on a diagonal also meet there. After the first
//! edits from the start, the searches from both ends take turns. The distance d is the number of edits at which they first
//! meet. This takes O(d² / 2 + symbols slid over) time, whatever the lengths: half the diagonals of a search from one end
//! (Myers 1986, section 4b; Marco-Sola et al. 2023). An alignment takes no second search, because the rows of both are
//! kept. The search is given up if the rows predict that a sweep of the matrix in words of 64 cells is faster.

use std::ops::ControlFlow;

use fearless_simd::{Level, Simd, dispatch};

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
    let mut search = BothEnds::new([a, b]);
    let [mut from_start, mut from_end] = [0, 0];
    search.extend(Side::Start, 0, most);
    search.extend(Side::End, 0, most);
    loop {
        let edits = from_start + from_end;
        if search.meet([from_start, from_end]) {
            search.report(edits, run)?;
            let alignment = (request.want == PairOutput::Alignment).then(|| search.alignment([from_start, from_end], most));
            return Ok(NearEqualAttempt::Solved((edits as u64, alignment)));
        }
        if edits == most {
            break;
        }
        // Before the first check, edits from the start alone show whether the texts differ too much.
        if from_start >= FIRST_PROGRESS_CHECK && from_start > from_end {
            from_end += 1;
            search.extend(Side::End, from_end, most);
            continue;
        }
        from_start += 1;
        search.extend(Side::Start, from_start, most);
        if from_start >= FIRST_PROGRESS_CHECK && from_start.is_power_of_two() {
            run.tick(0)?;
            let about = from_start * (m + n) / progress(&search.from_start, from_start).max(1);
            if about > affordable {
                return Ok(NearEqualAttempt::Far(Some(about as u64)));
            }
        }
    }
    let Some(limit) = limit else { return Ok(NearEqualAttempt::Far(None)) };
    search.report(limit, run)?;
    Ok(NearEqualAttempt::Solved((limit as u64 + 1, None)))
}

/// An end of both texts, from which furthest rows are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

/// The furthest rows from both ends of two texts.
struct BothEnds<'t, T> {
    texts: [&'t [T]; 2],
    /// Diagonal of the last cell. Diagonal x of `from_start` is diagonal `end` − x of `from_end`.
    end: i32,
    from_start: FurthestRows,
    /// Rows of the reversed texts, counted from their ends.
    from_end: FurthestRows,
}

impl<'t, T: Symbol> BothEnds<'t, T> {
    fn new(texts: [&'t [T]; 2]) -> Self {
        let [m, n] = texts.map(<[T]>::len);
        let rows = || {
            let mut rows = FurthestRows::default();
            rows.begin(m, n, true);
            rows
        };
        Self { texts, end: n as i32 - m as i32, from_start: rows(), from_end: rows() }
    }

    /// Computes the rows that `edits` edits reach from `side`, on all diagonals from which `most` edits in all may reach the
    /// other end.
    fn extend(&mut self, side: Side, edits: usize, most: usize) {
        let left = most.saturating_sub(edits) as i32;
        let diagonals = [self.end - left, self.end + left];
        let texts = self.texts;
        match side {
            Side::Start => dispatch!(Level::new(), s => extend(s, &mut self.from_start, texts, edits, diagonals)),
            Side::End => dispatch!(Level::new(), s => extend_reversed(s, &mut self.from_end, texts, edits, diagonals)),
        }
    }

    /// Returns whether the rows of `edits` edits, from the start and from the end, overlap on a diagonal.
    fn meet(&self, edits: [usize; 2]) -> bool {
        let [from_start, from_end] = edits.map(|edits| edits as i32);
        let (least, most) = ((-from_start).max(self.end - from_end), from_start.min(self.end + from_end));
        if least > most {
            return false;
        }
        let all = self.from_start.all(edits[0]);
        let forwards = &all[(least + from_start) as usize..=(most + from_start) as usize];
        let all = self.from_end.all(edits[1]);
        let backwards = &all[(self.end - most + from_end) as usize..=(self.end - least + from_end) as usize];
        let sums = forwards.iter().zip(backwards.iter().rev()).map(|(row, other)| row + other);
        sums.fold(i32::MIN, i32::max) >= self.texts[0].len() as i32
    }

    /// Reports the memory of the search to `run`. Reports as cells the visited diagonals of a search with `edits` edits,
    /// because the matrix was not filled.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn report(&self, edits: usize, run: &Run) -> Result<(), Halt> {
        run.hold(self.from_start.bytes() + self.from_end.bytes());
        let filled = (edits as u64 + 1).pow(2);
        run.raise_expected(filled);
        run.tick(filled)
    }

    /// Builds an optimal alignment. The searches have met after the numbers `edits` of edits from the start and from the
    /// end.
    fn alignment(&mut self, edits: [usize; 2], most: usize) -> Alignment {
        let [from_start, from_end] = edits;
        let (end, m) = (self.end, self.texts[0].len() as i32);
        let mut backwards = Alignment::default();
        for x in (-(from_start as i32)).max(end - from_end as i32)..=(from_start as i32).min(end + from_end as i32) {
            let (row, rest) = (self.from_start.at(from_start, x), self.from_end.at(from_end, end - x));
            // Both paths have equal symbols in this row of the diagonal, after their last edit.
            let meeting = row.min(m - self.from_end.reached(from_end, end - x));
            if row >= 0 && rest >= 0 && row + rest >= m && meeting >= self.from_start.reached(from_start, x) {
                // The edits behind the meeting row come out in the order of the texts.
                let mut behind = Alignment::default();
                self.from_end.trace_back(from_end, (end - x, m - meeting), |edit, len| behind.push(edit, len));
                behind.reversed().cigar_ops().iter().for_each(|run| backwards.push(run.edit, run.len.into()));
                self.from_start.trace_back(from_start, (x, meeting), |edit, len| backwards.push(edit, len));
                return backwards.reversed();
            }
        }
        // If both paths meet only within edits, the search from the start goes on to the end.
        let edits = from_start + from_end;
        (from_start + 1..=edits).for_each(|edits| self.extend(Side::Start, edits, most));
        self.from_start.trace_back(edits, (end, m), |edit, len| backwards.push(edit, len));
        backwards.reversed()
    }
}

#[inline(always)]
fn extend<S: Simd, T: Symbol>(_s: S, rows: &mut FurthestRows, [a, b]: [&[T]; 2], edits: usize, diagonals: [i32; 2]) {
    let _: ControlFlow<()> = rows
        .extend(edits, diagonals, |x, row| ControlFlow::Continue(T::common_prefix(&a[row as usize..], &b[(row + x) as usize..]) as i32));
}

#[inline(always)]
fn extend_reversed<S: Simd, T: Symbol>(_s: S, rows: &mut FurthestRows, [a, b]: [&[T]; 2], edits: usize, diagonals: [i32; 2]) {
    let _: ControlFlow<()> = rows.extend(edits, diagonals, |x, row| {
        let (a, b) = (&a[..a.len() - row as usize], &b[..b.len() - (row + x) as usize]);
        ControlFlow::Continue(T::common_suffix(a, b) as i32)
    });
}

/// Returns the greatest number of symbols of both texts together that any path with `edits` edits covers.
fn progress(furthest: &FurthestRows, edits: usize) -> usize {
    let rows = (-(edits as i32)..).zip(furthest.all(edits)).filter(|&(_, &row)| row >= 0);
    rows.map(|(x, &row)| (2 * i64::from(row) + i64::from(x)) as usize).max().unwrap_or(0)
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

    /// Every pair of short texts over two letters, so that searches meet in every way.
    #[test]
    fn searches_from_both_ends_meet_at_the_distance() {
        let text = |bits: usize, len: usize| -> Vec<u8> { (0..len).map(|at| (bits >> at & 1) as u8).collect() };
        for (m, n) in [(0, 3), (1, 1), (1, 4), (2, 5), (4, 4), (5, 6), (6, 6)] {
            for (x, y) in (0..1 << m).flat_map(|x| (0..1 << n).map(move |y| (x, y))) {
                let (a, b) = (text(x, m), text(y, n));
                let expected = crate::oracle::serial::edit_distance::align(&bytes(&a, &b)).0;
                let run = Run::new(&NoObserver);
                for limit in [None, Some(expected), Some(expected + 1)] {
                    let request = PairRequest { want: PairOutput::Alignment, limit };
                    let NearEqualAttempt::Solved((distance, alignment)) = solve(&a, &b, request, &run).unwrap() else {
                        panic!("{a:?}, {b:?}")
                    };
                    let alignment = alignment.unwrap();
                    assert_eq!(
                        (distance, alignment.summary().distance(), alignment.check(&a, &b)),
                        (expected, expected, Ok(())),
                        "{a:?}, {b:?}"
                    );
                }
                if expected > 0 {
                    let request = PairRequest { want: PairOutput::Distance, limit: Some(expected - 1) };
                    assert_eq!(solve(&a, &b, request, &run).unwrap(), NearEqualAttempt::Solved((expected, None)), "{a:?}, {b:?}");
                }
            }
        }
    }

    #[test]
    fn pairs_with_many_edits_are_reported_as_far() {
        let run = Run::new(&NoObserver);
        let (a, b) = (random(b"ACGT", 1000, 1), random(b"ACGT", 1000, 2));
        let attempt = solve(&a, &b, PairOutput::Distance.into(), &run).unwrap();
        assert!(matches!(attempt, NearEqualAttempt::Far(Some(300..1000))), "{attempt:?}");
    }
}
