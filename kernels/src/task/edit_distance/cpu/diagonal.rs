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

use fearless_simd::{Level, Simd, dispatch};

use super::{PairOutput, PairRequest};
use crate::alignment::Alignment;
use crate::pair::cpu::NearEqualAttempt;
use crate::pair::cpu::furthest_rows::{FurthestRows, StoredEdits};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum number of edits that are searched. Each diagonal of each number of edits takes 4 bytes.
const MAX_DIAGONAL_EDITS: usize = 1500;

/// Number of diagonals whose search takes as long as preparing the matrix, which is swept if this search is given up.
const SETUP_DIAGONALS: usize = 600;

/// Number of matrix cells that a sweep computes in the time of one diagonal of this search.
const WORD_CELLS_PER_DIAGONAL: usize = if cfg!(target_family = "wasm") { 300 } else { 64 };

/// Number of columns in the narrowest band of the matrix that a sweep computes.
const MIN_BAND_COLUMNS: usize = if cfg!(target_family = "wasm") { 1024 } else { 512 };

/// Numbers of edits at the first check whether a sweep of the matrix is faster, for short and for long texts. Further checks
/// follow at each doubling. More edits make the estimate of the distance better.
const FIRST_PROGRESS_CHECK: [usize; 2] = [8, 32];

/// Divisor of the affordable number of edits, by which the first estimate may exceed it.
const UNCERTAIN_SHARE: usize = 4;

/// Minimum length of long texts, of both together.
const MIN_LONG_TEXTS: usize = 1 << 13;

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
    let mut search = BothEnds::new([a, b], request.want);
    let outcome = dispatch!(Level::new(), s => search.run(s, most, affordable, run))?;
    match (outcome, limit) {
        (SearchOutcome::Met(edits), _) => {
            let distance = edits[0] + edits[1];
            search.report(distance, run)?;
            let alignment = (request.want == PairOutput::Alignment).then(|| search.alignment(edits, most));
            Ok(NearEqualAttempt::Solved((distance as u64, alignment)))
        }
        (SearchOutcome::Far(about), _) => Ok(NearEqualAttempt::Far(Some(about as u64))),
        (SearchOutcome::Apart, None) => Ok(NearEqualAttempt::Far(None)),
        (SearchOutcome::Apart, Some(limit)) => {
            search.report(limit, run)?;
            Ok(NearEqualAttempt::Solved((limit as u64 + 1, None)))
        }
    }
}

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchOutcome {
    /// The searches met after these numbers of edits from the start and from the end.
    Met([usize; 2]),
    /// The searches did not meet within the greatest number of edits.
    Apart,
    /// The search was given up, because this estimated distance is too large.
    Far(usize),
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
    fn new(texts: [&'t [T]; 2], want: PairOutput) -> Self {
        let [m, n] = texts.map(<[T]>::len);
        let stored = if want == PairOutput::Alignment { StoredEdits::All } else { StoredEdits::LastTwo };
        let rows = || {
            let mut rows = FurthestRows::default();
            rows.begin(m, n, true, stored);
            rows
        };
        Self { texts, end: n as i32 - m as i32, from_start: rows(), from_end: rows() }
    }

    /// Searches from both ends up to `most` edits in all. Gives up if more than `affordable` edits are likely. Inlined, so
    /// that every SIMD level compiles its own copy.
    #[inline(always)]
    fn run<S: Simd>(&mut self, s: S, most: usize, affordable: usize, run: &Run) -> Result<SearchOutcome, Halt> {
        let both: usize = self.texts.iter().map(|text| text.len()).sum();
        let first_check = FIRST_PROGRESS_CHECK[usize::from(both >= MIN_LONG_TEXTS)];
        let mut covered = [0; 2];
        let [mut from_start, mut from_end] = [0, 0];
        covered[0] = self.extend_from_start(s, 0, most);
        covered[1] = self.extend_from_end(s, 0, most);
        loop {
            // Rows that overlap on a diagonal cover both texts.
            if covered[0] + covered[1] >= both && self.meet([from_start, from_end]) {
                return Ok(SearchOutcome::Met([from_start, from_end]));
            }
            if from_start + from_end == most {
                return Ok(SearchOutcome::Apart);
            }
            // Before the first check, edits from the start alone show whether the texts differ too much.
            if from_start >= first_check && from_start > from_end {
                from_end += 1;
                covered[1] = self.extend_from_end(s, from_end, most);
                continue;
            }
            from_start += 1;
            covered[0] = self.extend_from_start(s, from_start, most);
            if from_start >= first_check && from_start.is_power_of_two() {
                run.tick(0)?;
                let about = from_start * both / covered[0].max(1);
                // The first estimate is the least certain one.
                let uncertain = if from_start == first_check { affordable / UNCERTAIN_SHARE } else { 0 };
                if about > affordable + uncertain {
                    return Ok(SearchOutcome::Far(about));
                }
            }
        }
    }

    /// Computes the rows that `edits` edits reach from the start. Returns the greatest number of symbols of both texts together
    /// that a path covers.
    #[inline(always)]
    fn extend_from_start<S: Simd>(&mut self, s: S, edits: usize, most: usize) -> usize {
        let rows = self.from_start.reach(edits, [self.end - most_left(edits, most), self.end + most_left(edits, most)]);
        rows.slide_forwards(s, self.texts)
    }

    /// Computes the rows that `edits` edits reach from the end. Returns the greatest number of symbols of both texts together
    /// that a path covers.
    #[inline(always)]
    fn extend_from_end<S: Simd>(&mut self, s: S, edits: usize, most: usize) -> usize {
        let rows = self.from_end.reach(edits, [self.end - most_left(edits, most), self.end + most_left(edits, most)]);
        rows.slide_backwards(s, self.texts)
    }

    /// Returns whether the rows of `edits` edits, from the start and from the end, overlap on a diagonal.
    #[inline(always)]
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
        let mut most = i32::MIN;
        for (row, other) in forwards.iter().zip(backwards.iter().rev()) {
            most = most.max(row + other);
        }
        most >= self.texts[0].len() as i32
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
        for edits in from_start + 1..=edits {
            dispatch!(Level::new(), s => self.extend_from_start(s, edits, most));
        }
        self.from_start.trace_back(edits, (end, m), |edit, len| backwards.push(edit, len));
        backwards.reversed()
    }
}

/// Returns how many diagonals beside the last one may lead to the end, if `edits` of `most` edits are used.
fn most_left(edits: usize, most: usize) -> i32 {
    most.saturating_sub(edits) as i32
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
            let attempt = solve(&a, &b, PairOutput::Distance.into(), &run).unwrap();
            assert_eq!(attempt, NearEqualAttempt::Solved((distance, None)));
        }
        assert!(answers > 50, "{answers}");
    }

    /// A table of the last rows grows several times for this number of edits.
    #[test]
    fn distances_of_many_diagonals_agree_with_alignments() {
        let run = Run::new(&NoObserver);
        for seed in 0..4 {
            let a = random(b"ACGT", 20_000, seed);
            let b = mutated(&a, b"ACGT", 0.015, seed + 1);
            let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            let solved = |want: PairOutput| match solve(&a, &b, want.into(), &run).unwrap() {
                NearEqualAttempt::Solved((distance, _)) => distance,
                NearEqualAttempt::Far(about) => panic!("{about:?}"),
            };
            let distance = solved(PairOutput::Distance);
            assert!(distance > 200, "{distance}");
            assert_eq!(distance, solved(PairOutput::Alignment));
        }
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
