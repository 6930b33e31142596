//! `shift-add`: the scores of m offsets in one number of m fields, which takes in the text symbol by symbol; paper 002, section 3.2,
//! figure 2.
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
//! E(a) has a field of b bits for each symbol of the pattern, 1 where it is a. After the step for t_i, field j of D counts the matches of
//! p_1…p_j with the j symbols that end there; a field holds at most m, and so never overflows into its neighbour. The last
//! field, the lowest, is a score. Only the first m − 1 values are none: their index is below 1, and they are passed over. The figure
//! writes `S_i^b` for `S_l^b`.
//!
//! A number has `⌈m·b/w⌉` words, whose fields may lie across two of them. Time O(mn log m / w).

use super::bits::Bits;
use crate::methods::Tick;
use crate::run::Halt;

/// Bits of a field: ⌈log₂(m + 1)⌉.
///
/// ```
/// # use kernels::methods::match_count::shift_add::fields;
/// assert_eq!([1, 3, 4, 7, 8].map(fields), [1, 2, 3, 3, 4]);
/// ```
pub fn fields(m: usize) -> usize {
    (usize::BITS - m.leading_zeros()) as usize
}

/// Counts matches on a text that comes symbol by symbol.
pub struct ShiftAdd<T> {
    b: usize,
    m: usize,
    /// Distinct symbols of the pattern, ascending, and E of each.
    masks: Vec<(T, Bits)>,
    d: Bits,
    read: usize,
}

impl<T: Copy + Ord> ShiftAdd<T> {
    /// For a pattern. Time and memory O(s·⌈mb/w⌉ + m log m) for its s distinct symbols; the figure's loops take m² steps for the same.
    pub fn new(p: &[T]) -> Self {
        let (b, m) = (fields(p.len()), p.len());
        let mut symbols = p.to_vec();
        symbols.sort_unstable();
        symbols.dedup();
        let mut masks: Vec<(T, Bits)> = symbols.into_iter().map(|symbol| (symbol, Bits::zeros(m * b))).collect();
        for (j, symbol) in p.iter().enumerate() {
            if let Ok(row) = masks.binary_search_by_key(symbol, |mask| mask.0) {
                // p_1 is in the highest field.
                masks[row].1.set((m - 1 - j) * b);
            }
        }
        Self { b, m, masks, d: Bits::zeros(m * b), read: 0 }
    }

    /// Takes in a symbol: the score at the offset whose last symbol it is, if so many were read. Time O(⌈mb/w⌉).
    pub fn push(&mut self, symbol: T) -> Option<u32> {
        self.d.shift_right(self.b);
        if let Ok(row) = self.masks.binary_search_by_key(&symbol, |mask| mask.0) {
            self.d.add(&self.masks[row].1);
        }
        self.read += 1;
        (self.read >= self.m).then(|| self.d.lowest(self.b) as u32)
    }

    /// Words of its number, `⌈mb/w⌉`: what a symbol costs.
    pub fn words(&self) -> usize {
        self.d.words()
    }
}

/// The score at every offset. Time O(mn log m / w): `⌈mb/64⌉·n` steps of a word. Memory O(n).
///
/// # Errors
/// What `tick` returns.
pub fn shift_add<T: Copy + Ord>(p: &[T], t: &[T], tick: Tick) -> Result<Vec<u32>, Halt> {
    if p.is_empty() || t.len() < p.len() {
        // The paper has 0 < m < n. No symbol matches at any of n + 1 offsets; and a pattern longer than the text has none.
        return Ok(vec![0; if p.is_empty() { t.len() + 1 } else { 0 }]);
    }
    let mut counter = ShiftAdd::new(p);
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
    fn figure_1_step_by_step() {
        let mut counter = ShiftAdd::new(b"abbac");
        // Fields are written from the left, as in the figure: 001 000 000 001 000 for E(a).
        assert_eq!(counter.masks[0].1.lowest(15), 0b001_000_000_001_000);
        assert_eq!(counter.masks[1].1.lowest(15), 0b000_001_001_000_000);
        assert_eq!(counter.masks[2].1.lowest(15), 0b000_000_000_000_001);
        assert_eq!((counter.push(b'a'), counter.d.lowest(15)), (None, 0b001_000_000_001_000));
        // The figure's sum: c after the shift.
        assert_eq!((counter.push(b'c'), counter.d.lowest(15)), (None, 0b000_001_000_000_010));
    }
}
