//! `hirschberg`: the longest common subsequence in linear memory; Listings 1 and 2 of paper 001, which calls them
//! CPU(Hi).
//!
//! ```text
//!  2 llcs(A, m, B, n, L)                              2 lcs(A, m, B, n, C)
//!  5   for (j=0 to n) K[1][j] = 0                       if (n==0) C = ""
//!  6   for (i=1 to m)                                   else if (m==1) the first j with A[0]==B[j], or ""
//!  7     for (j=0 to n) K[0][j] = K[1][j]               else
//!  8     for (j=1 to n)                              14   i = m/2
//!  9       if (A[i-1]==B[j-1])                       15   llcs(A[0...i-1], i, B, n, L1)
//! 10         K[1][j] = K[0][j-1] + 1                 16   llcs(A[m-1...i], m-i, B[n-1...0], n, L2)
//! 11       else                                      17   M = max {L1[j] + L2[n-j]}  (0<=j<=n)
//! 12         K[1][j] = max(K[1][j-1], K[0][j])       18   k = min {j: L1[j] + L2[n-j] == M}
//! 14   for (j=0 to n) L[j] = K[1][j]                 19   lcs(A[0...i-1], i, B[0...k-1], k, C1)
//!                                                    20   lcs(A[i...m-1], m-i, B[k...n-1], n-k, C2)
//! ```
//!
//! Listing 2 does not cover an empty `A`: with m = 0 it would recurse forever. Here the answer is "".

use super::{DirectedSymbols, LastColumn, MatchedPositions};
use crate::methods::StepSink;
use crate::run::Halt;

/// Finds a longest common subsequence of `a` and `b` by Listings 1 and 2. Returns the position in `a` and the position
/// in `b` of each symbol. Takes O(mn) time, in at most `n·(2m + log₂ m + 1)` steps of one cell each, and O(m + n)
/// memory.
///
/// # Errors
/// Returns the error of `tick`.
///
/// ```
/// # use kernels::methods::lcs::hirschberg::hirschberg;
/// assert_eq!(hirschberg(b"abcdefghij", b"cfilorux", &mut |_| Ok(())).unwrap(), [(2, 0), (5, 1), (8, 2)]);
/// ```
pub fn hirschberg<T: Copy + Eq>(a: &[T], b: &[T], tick: StepSink) -> Result<MatchedPositions, Halt> {
    by_rows(a, b, &mut CellColumns, tick)
}

/// Finds a longest common subsequence of `a` and `b` by Listing 2, and returns the positions of its symbols in `a` and
/// in `b`. `by` computes each last row, as the last column of the table of the swapped texts.
pub(crate) fn by_rows<T: Copy + Eq>(a: &[T], b: &[T], by: &mut impl LastColumn<T>, tick: StepSink) -> Result<MatchedPositions, Halt> {
    let mut matches = Vec::new();
    lcs(a, b, (0, 0), by, &mut matches, tick)?;
    Ok(matches)
}

/// The algorithm of Listing 1, which fills the table cell by cell.
struct CellColumns;

impl<T: Copy + Eq> LastColumn<T> for CellColumns {
    fn last_column(&mut self, a: DirectedSymbols<T>, b: DirectedSymbols<T>, tick: StepSink) -> Result<Vec<u32>, Halt> {
        llcs(b, a, tick)
    }
}

/// Computes the length of a longest common subsequence without the subsequence itself, in mn steps of one cell each.
///
/// # Errors
/// Returns the error of `tick`.
pub fn length<T: Copy + Eq>(a: &[T], b: &[T], tick: StepSink) -> Result<u32, Halt> {
    let row = llcs(DirectedSymbols::forwards(a), DirectedSymbols::forwards(b), tick)?;
    Ok(row[b.len()])
}

/// Executes Listing 2 for the parts `a` and `b` of the texts. `at` holds the positions at which these parts begin, and
/// `by` computes each last row, as the last column of the table of the swapped texts. Appends the positions of matching
/// symbols to `matches`.
fn lcs<T: Copy + Eq>(
    a: &[T],
    b: &[T],
    at: (usize, usize),
    by: &mut impl LastColumn<T>,
    matches: &mut MatchedPositions,
    tick: StepSink,
) -> Result<(), Halt> {
    let (m, n) = (a.len(), b.len());
    if m == 0 || n == 0 {
        return Ok(());
    }
    if m == 1 {
        matches.extend(b.iter().position(|symbol| *symbol == a[0]).map(|j| (at.0, at.1 + j)));
        return tick(n as u64);
    }
    let i = m / 2;
    let first =
        by.last_column(DirectedSymbols::forwards(b).starting_at(at.1), DirectedSymbols::forwards(&a[..i]).starting_at(at.0), tick)?;
    let second =
        by.last_column(DirectedSymbols::backwards(b).starting_at(at.1), DirectedSymbols::backwards(&a[i..]).starting_at(at.0 + i), tick)?;
    let k = best_split(&first, &second);
    // Frees the rows before the parts are solved, so that memory stays linear.
    drop([first, second]);
    lcs(&a[..i], &b[..k], at, by, matches, tick)?;
    lcs(&a[i..], &b[k..], (at.0 + i, at.1 + k), by, matches, tick)
}

/// Executes lines 17 and 18 of Listing 2: returns the smallest `j` for which `first[j] + second[n − j]` is maximal.
fn best_split(first: &[u32], second: &[u32]) -> usize {
    let sums: Vec<u32> = first.iter().zip(second.iter().rev()).map(|(before, after)| before + after).collect();
    let most = sums.iter().max();
    sums.iter().position(|sum| Some(sum) == most).unwrap_or_default()
}

/// Executes Listing 1: returns the last row of the table of `a` and `b`, `L[j]` for j = 0 … n. Reports its steps to
/// `tick`.
pub(crate) fn llcs<T: Copy + Eq>(a: DirectedSymbols<T>, b: DirectedSymbols<T>, tick: StepSink) -> Result<Vec<u32>, Halt> {
    let mut k = [vec![0; b.len() + 1], vec![0; b.len() + 1]];
    for symbol in a.iter() {
        let [before, now] = &mut k;
        before.copy_from_slice(now);
        for (j, other) in (1..).zip(b.iter()) {
            now[j] = if symbol == other { before[j - 1] + 1 } else { now[j - 1].max(before[j]) };
        }
        tick(b.len() as u64)?;
    }
    let [_, last] = k;
    Ok(last)
}
