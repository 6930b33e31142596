//! `bit-parallel`: the length by bit vectors (Crochemore and others, 2001), and the subsequence by Hirschberg's
//! recursion. This is Listing 3 of paper 001 with Listing 2, which the paper calls CPU(bp).
//!
//! ```text
//!  5 for (c=0 to 255)
//!  6   for (i=0 to m-1)
//!  7     if (c==A[m-i-1]) PM[c][i] = 1
//! 10     else PM[c][i] = 0
//! 11 for (i=0 to m-1) V[i] = 1
//! 12 for (j=1 to n)
//! 13   V = (V + (V & PM[B[j]])) | (V & ~(PM[B[j]]))
//! 16 L[0] = 0
//! 17 for (i=1 to m)
//! 18   L[i] = L[i-1] + (1 - V[i-1])
//! ```
//!
//! `V[i]` is 0 if the value in the current column increases from row i to row i + 1. Two lines contradict each other.
//! If `V[0]` is the lowest bit, as in section 2.4, line 7 fills the table of the reversed `A`, so that `L` does not
//! belong to prefixes of `A`. In figure 1, carries run from the highest index to the lowest, which fits line 7, but
//! then line 18 must count from the highest index. Here `V[0]` is the lowest bit, and line 7 reads `A[i]`. (Line 13
//! reads `B[j-1]`, because arrays begin at 0.)

use super::{DirectedSymbols, LastColumn, MatchedPositions, SymbolMasks, columns};
use crate::methods::StepSink;
use crate::run::Halt;

/// Number of bits in a word, called w in paper 001.
pub(super) const WORD: usize = u64::BITS as usize;

/// Finds a longest common subsequence of `a` and `b` by bit vectors and Hirschberg's recursion. Returns the position in
/// `a` and the position in `b` of each symbol.
///
/// Takes O(⌈m/64⌉·n) time: at most twice the time of [`length`], plus a step for each symbol at the end of the
/// recursion. Takes O(m + n) memory, plus a bit for each pair of a position in `a` and a distinct symbol.
///
/// # Errors
/// Returns the error of `tick`.
///
/// ```
/// # use kernels::methods::lcs::bit_parallel::bit_parallel;
/// assert_eq!(bit_parallel(b"abcdefghij", b"cfilorux", &mut |_| Ok(())).unwrap(), [(2, 0), (5, 1), (8, 2)]);
/// ```
pub fn bit_parallel<T: Copy + Ord>(a: &[T], b: &[T], tick: StepSink) -> Result<MatchedPositions, Halt> {
    columns::lcs(a, b, &mut WordColumns, tick)
}

/// Computes the length of a longest common subsequence without the subsequence itself, in `⌈m/64⌉·n` steps of one word
/// each.
///
/// # Errors
/// Returns the error of `tick`.
pub fn length<T: Copy + Ord>(a: &[T], b: &[T], tick: StepSink) -> Result<u32, Halt> {
    let column = WordColumns.last_column(DirectedSymbols::forwards(a), DirectedSymbols::forwards(b), tick)?;
    Ok(column[a.len()])
}

/// The algorithm of Listing 3, which fills the table in words of 64 bits.
struct WordColumns;

impl<T: Copy + Ord> LastColumn<T> for WordColumns {
    fn last_column(&mut self, a: DirectedSymbols<T>, b: DirectedSymbols<T>, tick: StepSink) -> Result<Vec<u32>, Halt> {
        let masks = SymbolMasks::new(a);
        let mut v = vec![u64::MAX; a.len().div_ceil(WORD)];
        for symbol in b.iter() {
            // A symbol that does not occur in A leaves V unchanged.
            if let Some(pm) = masks.of(symbol) {
                let mut carry = false;
                for (v, pm) in v.iter_mut().zip(pm) {
                    let (sum, over) = v.overflowing_add(*v & pm);
                    let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
                    carry = over || over_by_carry;
                    *v = sum | (*v & !pm);
                }
            }
            tick(v.len() as u64)?;
        }
        Ok(lengths(a.len(), |i| v[i / WORD] >> (i % WORD) & 1 == 1))
    }
}

/// Computes the last column of the table, `L[i]` for i = 0 … m, by lines 16 to 18 of Listing 3. `v(i)` is the bit
/// `V[i]`.
pub(crate) fn lengths(m: usize, v: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut length = 0;
    let grown = (0..m).map(|i| {
        length += u32::from(!v(i));
        length
    });
    [0].into_iter().chain(grown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::counted;

    #[test]
    fn column_takes_one_step_per_word() {
        for (m, words) in [(0, 0), (1, 1), (64, 1), (65, 2), (1000, 16)] {
            let a: Vec<u16> = (0..m).collect();
            assert_eq!(counted(|tick| length(&a, &a[..a.len() / 2], tick)), (u32::from(m / 2), words * u64::from(m / 2)));
        }
    }

    #[test]
    fn last_column_holds_the_length_of_every_prefix() {
        let (a, b) = (b"abcdefghij", b"cfilorux");
        let column = counted(|tick| WordColumns.last_column(DirectedSymbols::forwards(a), DirectedSymbols::forwards(b), tick)).0;
        assert_eq!(column, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
    }

    #[test]
    fn published_line_7_solves_the_reversed_text() {
        // With V[0] lowest and PM of the reversed A, "ab" and "ab" would have one symbol in common.
        let column = |a: DirectedSymbols<u8>| counted(|tick| WordColumns.last_column(a, DirectedSymbols::forwards(b"ab"), tick)).0;
        assert_eq!(column(DirectedSymbols::backwards(b"ab")), [0, 1, 1]);
        assert_eq!(column(DirectedSymbols::forwards(b"ab")), [0, 1, 2]);
    }
}
