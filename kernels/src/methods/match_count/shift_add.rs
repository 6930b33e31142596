//! `shift-add`: keeps the scores of m offsets in one number of m bit fields, and processes the text symbol by symbol.
//! Paper 002, section 3.2, figure 2.
//!
//! ```text
//! b := ⌈log(m+1)⌉
//! for 1 ≤ i ≤ n do E[t_i] := 0
//! for 1 ≤ i ≤ m do
//!   E[p_i] := 0
//!   for 1 ≤ j ≤ m do E[p_i] := P(S_l^b(E[p_i]), M(p_i, p_j))
//! D := 0
//! for 1 ≤ i ≤ n do
//!   D := P(S_r^b(D), E[t_i])
//!   c_{i−m+1} := A(D, 1^b)
//! ```
//!
//! E(a) has a field of b bits for each symbol of the pattern: 1 if the symbol is a. After the step for t_i, field j of
//! D counts the matches of p_1…p_j with the j symbols that end there. A field holds at most m, and so never overflows
//! into the next one. The last field, the lowest, holds a score. The first m − 1 values are not scores, because their
//! index is below 1; they are ignored. The figure writes `S_i^b` for `S_l^b`.
//!
//! A number has `⌈m·b/w⌉` words, and a field may span two words. Takes O(mn log m / w) time.

use super::bits::BitSequence;
use crate::methods::StepSink;
use crate::run::Halt;

/// Returns the number of bits that a count from 0 to `m` needs, which is the width of a bit field: ⌈log₂(m + 1)⌉.
///
/// ```
/// # use kernels::methods::match_count::shift_add::fields;
/// assert_eq!([1, 3, 4, 7, 8].map(fields), [1, 2, 3, 3, 4]);
/// ```
pub fn fields(m: usize) -> usize {
    (usize::BITS - m.leading_zeros()) as usize
}

/// A counter of equal symbols at each offset of a pattern, in a text that arrives symbol by symbol.
pub struct ShiftAddCounter<T> {
    b: usize,
    m: usize,
    /// For each distinct symbol of the pattern in ascending order, its bit sequence E, which has a 1 in the bit fields
    /// of the symbol's positions.
    masks: Vec<(T, BitSequence)>,
    /// The bit sequence D, with a bit field for each offset that is being counted.
    d: BitSequence,
    /// Number of symbols of the text that were read so far.
    read: usize,
}

impl<T: Copy + Ord> ShiftAddCounter<T> {
    /// Creates the counter for the pattern `p`. Takes O(s·⌈mb/w⌉ + m log m) time and memory for s distinct symbols and
    /// bit fields of b bits. The loops of the figure would take m² steps.
    pub fn new(p: &[T]) -> Self {
        let (b, m) = (fields(p.len()), p.len());
        let mut symbols = p.to_vec();
        symbols.sort_unstable();
        symbols.dedup();
        let mut masks: Vec<(T, BitSequence)> = symbols.into_iter().map(|symbol| (symbol, BitSequence::zeros(m * b))).collect();
        for (j, symbol) in p.iter().enumerate() {
            if let Ok(row) = masks.binary_search_by_key(symbol, |mask| mask.0) {
                // p_1 is in the highest field.
                masks[row].1.set((m - 1 - j) * b);
            }
        }
        Self { b, m, masks, d: BitSequence::zeros(m * b), read: 0 }
    }

    /// Processes the next symbol of the text. Returns the number of equal symbols at the offset at which the pattern
    /// ends with this symbol, or `None` before m symbols have arrived. Takes O(⌈mb/w⌉) time.
    pub fn push(&mut self, symbol: T) -> Option<u32> {
        self.d.shift_right(self.b);
        if let Ok(row) = self.masks.binary_search_by_key(&symbol, |mask| mask.0) {
            self.d.add(&self.masks[row].1);
        }
        self.read += 1;
        (self.read >= self.m).then(|| self.d.lowest(self.b) as u32)
    }

    /// Returns the number of words in the bit sequence D, `⌈mb/w⌉`, which is the number of steps for each symbol of the
    /// text.
    pub fn words(&self) -> usize {
        self.d.words()
    }
}

/// Returns the number of equal symbols at every offset of the pattern `p` in the text `t`. Takes O(mn log m / w) time,
/// in `⌈mb/64⌉·n` steps of one word each with bit fields of b bits, and O(n) memory.
///
/// # Errors
/// Returns the error of `tick`.
pub fn shift_add<T: Copy + Ord>(p: &[T], t: &[T], tick: StepSink) -> Result<Vec<u32>, Halt> {
    if p.is_empty() || t.len() < p.len() {
        // The paper has 0 < m < n. An empty pattern has no matches at any of n + 1 offsets; a pattern longer than the
        // text has no offset.
        return Ok(vec![0; if p.is_empty() { t.len() + 1 } else { 0 }]);
    }
    let mut counter = ShiftAddCounter::new(p);
    let mut scores = Vec::with_capacity(t.len() + 1 - p.len());
    for symbol in t {
        scores.extend(counter.push(*symbol));
        tick(counter.words() as u64)?;
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_1_is_reproduced_step_by_step() {
        let mut counter = ShiftAddCounter::new(b"abbac");
        // Fields are written from the left, as in figure 2: 001 000 000 001 000 for E(a).
        assert_eq!(counter.masks[0].1.lowest(15), 0b001_000_000_001_000);
        assert_eq!(counter.masks[1].1.lowest(15), 0b000_001_001_000_000);
        assert_eq!(counter.masks[2].1.lowest(15), 0b000_000_000_000_001);
        assert_eq!((counter.push(b'a'), counter.d.lowest(15)), (None, 0b001_000_000_001_000));
        // The sum in figure 2: c after the shift.
        assert_eq!((counter.push(b'c'), counter.d.lowest(15)), (None, 0b000_001_000_000_010));
    }
}
