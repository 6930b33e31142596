//! `parallel-shift-add`: a stream of bits for each symbol of the pattern. Each stream can run on a separate processor.
//! Paper 002, section 4.2, figure 3.
//!
//! ```text
//! for 1 ≤ i ≤ n − m + 1 do c_i := 0
//! for a ∈ Σ_p do
//!   ft := 0, fp := 0
//!   for 1 ≤ i ≤ m do
//!     ft := P(S_l(ft), M(t_i, a))
//!     fp := P(S_l(fp), M(p_i, a))
//!   for 1 ≤ i ≤ n − m + 1 do
//!     c_i := P(c_i, R(A(ft, fp)))
//!     ft := P(S_l(ft), M(t_{m+i}, a))
//! ```
//!
//! ft has a bit for each of the last m symbols of the text, and fp one for each of the pattern: 1 if the symbol is a.
//! Bits that are 1 in both are matches of a. The number of matches of all a in Σ_p, the distinct symbols of the
//! pattern, is a score (equation 2).
//!
//! In its last iteration the second loop reads `t_{n+1}`, which does not exist; here nothing is pushed then. In the
//! model of section 2.2, `R`, the number of ones, is a "reference" into a table, which takes a step for each word.
//! Theorem 1 has O(m²n/w), because Σ_p has at most m symbols: `|Σ_p|·⌈m/w⌉·n` words. With a processor for each symbol
//! the time is O(mn/w), a factor of log m faster than Shift-Add on one processor. The loops over the text are merged
//! here, so that the text may be a stream. [`machine::streams`](crate::machine::streams) has the time units on a memory
//! machine, including the sums.

use super::bits::BitSequence;
use crate::methods::StepSink;
use crate::run::Halt;

/// The two bit sequences of one symbol of the pattern: `ft` marks the symbol among the last m symbols of the text, and
/// `fp` marks it in the pattern. One processor updates both.
pub struct SymbolStream<T> {
    a: T,
    ft: BitSequence,
    fp: BitSequence,
}

impl<T: Copy + Eq> SymbolStream<T> {
    /// Creates the bit sequences of the symbol `a` for the pattern `p`.
    pub fn new(a: T, p: &[T]) -> Self {
        let mut fp = BitSequence::zeros(p.len());
        p.iter().for_each(|symbol| fp.push(*symbol == a));
        Self { a, ft: BitSequence::zeros(p.len()), fp }
    }

    /// Processes the next symbol of the text. Compares the last m symbols of the text with the pattern, and returns at
    /// how many positions both have `a`, the symbol of this stream. Takes O(⌈m/w⌉) time.
    pub fn push(&mut self, symbol: T) -> u32 {
        self.ft.push(symbol == self.a);
        self.ft.ones_in_both(&self.fp)
    }
}

/// Returns the number of equal symbols at every offset of the pattern `p` in the text `t`. Takes O(m²n/w) time on one
/// core, in `|Σ_p|·⌈m/64⌉·n` steps of one word each, and O(n) memory.
///
/// # Errors
/// Returns the error of `tick`.
pub fn parallel_shift_add<T: Copy + Ord>(p: &[T], t: &[T], tick: StepSink) -> Result<Vec<u32>, Halt> {
    let m = p.len();
    let mut scores = vec![0; (t.len() + 1).saturating_sub(m)];
    if scores.is_empty() || m == 0 {
        return Ok(scores);
    }
    let mut symbols = p.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    for a in symbols {
        let mut stream = SymbolStream::new(a, p);
        for (read, symbol) in (1..).zip(t) {
            let matches = stream.push(*symbol);
            if read >= m {
                scores[read - m] += matches;
            }
            tick(stream.ft.words() as u64)?;
        }
    }
    Ok(scores)
}
