//! `slices`: "Parallel ASM algorithm on the HMM", papers 000 and 003, section 6. The text is divided into D slices that
//! overlap by 2m. A block of m threads searches each slice along the diagonals of its matrix.
//!
//! ```text
//! Step 1: Each block reads X and Y_i from the global memory and writes them to the shared memory.
//! Step 2: Each block computes ASM(X, Y_i).
//! Step 3: Each block writes ASM(X, Y_i) to the global memory.
//! Step 4: Compute min{ASM(X, Y_i) | 0 ≤ i ≤ D − 1}.
//! ```
//!
//! Y_i has the symbols from `is` to `(i+1)s + 2m − 1`, where s = (n − 2m)/D. Each substring of at most 2m symbols is
//! therefore in a slice. A longer substring has a larger distance to X than the empty substring.
//!
//! Theorem 4: `O((n+p)/w + m(n+p)/(dw) + nL/p + mnl/p + L + ml)` time units with `p = mD` threads.
//! [`machine::search::slices`](crate::machine::search::slices) counts the time units on a hierarchical memory machine
//! (HMM).
//!
//! The papers assume that s is an integer and, implicitly, that n is greater than 2m. Here s is rounded up: the last
//! slices end with the text, slices without own symbols are omitted, and a text of at most 2m symbols is one slice.

use std::ops::Range;

use super::SubstringDistances;
use crate::methods::{StepSink, fill};
use crate::run::Halt;

/// The result of [`slices()`]: the range and the smallest distance of each slice of the text, and the smallest distance
/// at each position of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlicesResult {
    /// Range of the text that each slice covers. Neighbouring slices overlap.
    pub slices: Vec<Range<usize>>,
    /// For each slice `Y_i`, the smallest distance between the pattern and a substring of the slice: `ASM(X, Y_i)`.
    pub minima: Vec<u32>,
    /// For each position in the text, the smallest distance between the pattern and a substring that ends there and
    /// lies in a slice.
    pub ends: SubstringDistances,
}

/// Divides a text of `n` symbols into overlapping slices for a pattern of `m` symbols. Returns the range of each slice.
/// There are at most `blocks` slices, and at least one.
///
/// ```
/// # use kernels::methods::approximate_search::slices::cut;
/// // The example of section 6.
/// assert_eq!(cut(32, 1024, 4), [0..304, 240..544, 480..784, 720..1024]);
/// ```
pub fn cut(m: usize, n: usize, blocks: usize) -> Vec<Range<usize>> {
    let own = n.saturating_sub(2 * m);
    let s = own.div_ceil(blocks.max(1)).max(1);
    let starts = (0..own.max(1)).step_by(s);
    starts.map(|start| start..(start + s + 2 * m).min(n)).collect()
}

/// Searches for `x` in at most `blocks` overlapping slices of `y`, each along the diagonals of its matrix. Reports its
/// steps to `tick`.
///
/// Takes O(m(n + 2mD)) time on one core for D slices. A step is a cell; there are m·(n + 2m(D − 1)) steps if D divides
/// n − 2m. Takes O(m) memory beside the result.
///
/// # Errors
/// Returns the error of `tick`.
pub fn slices<T: Copy + Eq>(x: &[T], y: &[T], blocks: usize, tick: StepSink) -> Result<SlicesResult, Halt> {
    let slices = cut(x.len(), y.len(), blocks);
    let longest = x.len() as u32;
    let mut distances = vec![longest; y.len() + 1];
    let mut minima = Vec::with_capacity(slices.len());
    for slice in &slices {
        let mut least = longest;
        let on_last = |j: usize, distance: u32| {
            least = least.min(distance);
            let end = &mut distances[slice.start + j];
            *end = distance.min(*end);
        };
        fill::by_diagonals(x, &y[slice.clone()], |_| 0, on_last, tick)?;
        minima.push(least);
    }
    Ok(SlicesResult { slices, minima, ends: SubstringDistances { distances } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_substring_of_twice_the_pattern_length_lies_in_a_slice() {
        for m in 0..5 {
            for n in 0..40 {
                for blocks in 1..12 {
                    let slices = cut(m, n, blocks);
                    assert!(slices.len() <= blocks && slices.last().is_some_and(|last| last.end == n), "{m} {n} {blocks}: {slices:?}");
                    for start in 0..n {
                        let end = (start + 2 * m.max(1)).min(n);
                        let end = if m == 0 { start + 1 } else { end };
                        assert!(slices.iter().any(|slice| slice.start <= start && end <= slice.end), "{m} {n} {blocks} {start}");
                    }
                }
            }
        }
    }

    #[test]
    fn slices_equal_those_of_the_paper_if_the_length_is_divisible() {
        for (m, n, blocks) in [(32, 1024, 4), (3, 46, 8), (1024, 1 << 22, 2)] {
            let s = (n - 2 * m) / blocks;
            assert_eq!(s * blocks, n - 2 * m);
            assert!(cut(m, n, blocks).into_iter().eq((0..blocks).map(|i| i * s..(i + 1) * s + 2 * m)));
        }
    }
}
