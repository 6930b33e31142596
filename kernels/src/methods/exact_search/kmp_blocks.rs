//! `kmp-blocks`: Knuth, Morris and Pratt with a thread for each piece of the text; paper 004, section VII,
//! `kmp_kernel`.
//!
//! ```text
//! id = blockIdx.x * blockDim.x + threadIdx.x; offset = 2 * pattern_len
//! if (id < 0.5 * (array_len / pattern_len))
//!   cursor = id * offset; end = id * offset + offset
//! else                                                    aid threads
//!   cursor = (id % ((array_len / pattern_len) / 2)) * offset + offset - pattern_len
//!   end = (id % ((array_len / pattern_len) / 2)) * offset + offset + pattern_len
//! KMP(pattern, pattern_len, array, array_len, answer, next, cursor, end)
//! ```
//!
//! Half of the threads search pieces of 2m symbols. The other half, the aid threads, search overlaps: the 2m symbols
//! around the ends of these pieces. Every occurrence is in a piece or around its end. `next` is computed once in
//! advance. `answer` marks positions, so that an occurrence found by two threads is counted once.
//!
//! The paper does not state the number of threads; `q = ⌊n/m⌋` threads cover all ends of pieces. It leaves the
//! following cases open:
//!
//! - If q is odd or m does not divide n, the last piece or the last overlap reaches beyond the text by less than 2m
//!   symbols, and the paper's program reads beyond its end. Here pieces end with the text.
//! - For q = 1, an aid thread would divide by zero. Here there is no aid thread then.
//! - "Block number: O((m/n)/1024)" exchanges text and pattern, and must be rounded up: with fewer than 1,024 pieces
//!   there would be no block. Threads beyond q would search overlaps again.

use std::ops::Range;

use super::kmp::{get_next, search};
use crate::methods::StepSink;
use crate::run::Halt;

/// Number of threads in a thread block on a GPU, from section VII.A of paper 004.
pub const THREADS_PER_BLOCK: usize = 1024;

/// Returns the range of the text that each thread searches, for a pattern of `m ≥ 1` symbols and a text of `n` symbols.
///
/// ```
/// # use kernels::methods::exact_search::kmp_blocks::pieces;
/// // Two pieces, then the overlap at the end of each.
/// assert_eq!(pieces(5, 20), [0..10, 10..20, 5..15, 15..20]);
/// ```
pub fn pieces(m: usize, n: usize) -> Vec<Range<usize>> {
    let (q, offset) = (n / m, 2 * m);
    let piece = |id: usize| match 2 * id < q {
        true => id * offset..id * offset + offset,
        false => {
            let border = (id % (q / 2)) * offset + offset;
            border - m..border + m
        }
    };
    (0..q).map(piece).map(|piece| piece.start.min(n)..piece.end.min(n)).collect()
}

/// Returns all positions at which `p` occurs in `s`, in ascending order.
///
/// Takes O(m + n) time on one core, in at most 4n steps, each an iteration of the loop of `KMP`. On a GPU, each thread
/// takes O(m) time. Takes O(m + n) memory.
///
/// # Errors
/// Returns the error of `tick`.
pub fn kmp_blocks<T: Copy + Eq>(p: &[T], s: &[T], tick: StepSink) -> Result<Vec<usize>, Halt> {
    if p.is_empty() {
        return Ok((0..=s.len()).collect());
    }
    let next = get_next(p);
    let mut answer = vec![false; s.len()];
    for piece in pieces(p.len(), s.len()) {
        search(p, s, &next, piece, &mut |at| answer[at] = true, tick)?;
    }
    Ok((0..s.len()).filter(|at| answer[*at]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_lies_in_the_piece_of_a_thread() {
        for m in 1..8 {
            for n in 0..10 * m {
                let pieces = pieces(m, n);
                assert_eq!(pieces.len(), n / m);
                for at in 0..(n + 1).saturating_sub(m) {
                    assert!(pieces.iter().any(|piece| piece.start <= at && at + m <= piece.end), "m = {m}, n = {n}: {at}");
                }
            }
        }
    }

    #[test]
    fn published_pieces_would_read_beyond_the_text() {
        // q = 5: three pieces of 2m symbols, but the text has only 5m. q = 4 and a text that m does not divide: the
        // last overlap.
        assert_eq!(2 * 4 * 3, 24);
        assert_eq!(pieces(4, 20)[2], 16..20);
        assert_eq!(pieces(4, 18)[3], 12..18);
    }
}
