//! `bit-parallel-blocks`: bit vectors in blocks of 1,024 bits and steps of 1,024 columns. This is Listing 4 of paper
//! 001 with Listing 2, which the paper calls GPU(bp).
//!
//! ```text
//!  1 llcs_kernel(m, n, dstr2, g_V, g_PM, car, num)        20 llcs_gpu(A, B, m, n, …)
//!  7   count = the step of this block                     27   num_x = (m+1023)/1024
//!  8   cursor = 1024 * count                              28   num_y = (n+1023)/1024
//!  9   V = g_V[index]                                     29   for (i=0 to ((m+31)/32)-1)
//! 10   read the carries from car                          30     g_V[i] = 0xFFFFFFFF
//! 11   for (j=0 to 1023)                                  31   make the PMV
//! 12     if (cursor+j >= n) return                        32   for (i=1 to num_x+num_y-1)
//! 13     PM = g_PM[dstr2[cursor+j]][index]                33     llcs_kernel() in parallel on GPU
//! 15     V = (V & (~PM)) | (V + (V & PM))                       (gridDim=num_x, blockDim=32)
//! 16   g_V[index] = V                                     35   for (i=0 to m)
//! 17   write the carries to car                           36     count the zeros up to bit i of g_V
//! ```
//!
//! A block of 32 threads has 1,024 bits of V. A call of the kernel advances each active block by one step (figure 1).
//! Block x executes step y in call x + y. By then, block x − 1 has written the carries of its own step y, a bit for
//! each column, to the buffer of the previous call. The addition is [`conditional_sum`](super::conditional_sum); the
//! carry from below selects one of its sums.
//!
//! Departures from the paper: blocks are numbered from the lowest block, which is the last one in figure 1. Line 12
//! returns before lines 16 and 17, and so loses V if the last step is not full; here line 12 ends the loop. Line 30 has
//! seven digits, as far as it is legible. Texts are not padded to a multiple of 32: bits beyond `A` match nothing and
//! stay 1, and a carry through them reaches no bit below.
//!
//! [`machine::bit_vectors`](crate::machine::bit_vectors) has the time units on a hierarchical memory machine.

use super::conditional_sum::{WORDS, WideInteger, plus};
use super::hirschberg::llcs;
use super::{DirectedSymbols, LastColumn, MatchedPositions, SymbolMasks, bit_parallel, columns};
use crate::methods::StepSink;
use crate::run::Halt;

/// Number of bits in a block, and of columns in a step.
pub const BLOCK: usize = 32 * WORDS;

/// Minimum number of symbols of `A` in a table that is filled by blocks. Smaller tables are filled cell by cell on the
/// CPU, because copies would take longer (section 3.5).
pub const MIN_BLOCK_TABLE_SYMBOLS: usize = 4096;

/// Finds a longest common subsequence by bit vectors in blocks and Hirschberg's recursion.
///
/// Takes O(⌈m/32⌉·n) operations on words of 32 bits on one core, at most twice the time of one table. Takes O(m + n)
/// memory, plus a bit for each pair of a position in `a` and a distinct symbol. A table with fewer than `short` symbols
/// of `a` is filled cell by cell; the paper uses [`MIN_BLOCK_TABLE_SYMBOLS`]. A step is a word, or a cell of such a
/// table.
///
/// # Errors
/// Returns the error of `tick`.
pub fn bit_parallel_blocks<T: Copy + Ord>(a: &[T], b: &[T], short: usize, tick: StepSink) -> Result<MatchedPositions, Halt> {
    columns::lcs(a, b, &mut BlockColumns { short }, tick)
}

/// Computes the length of a longest common subsequence without the subsequence itself, in `32·⌈m/1024⌉·n` steps of one
/// word of 32 bits each and `⌈m/1024⌉ + ⌈n/1024⌉ − 1` calls of the kernel.
///
/// # Errors
/// Returns the error of `tick`.
pub fn length<T: Copy + Ord>(a: &[T], b: &[T], tick: StepSink) -> Result<u32, Halt> {
    let column = BlockColumns { short: 0 }.last_column(DirectedSymbols::forwards(a), DirectedSymbols::forwards(b), tick)?;
    Ok(column[a.len()])
}

struct BlockColumns {
    short: usize,
}

impl<T: Copy + Ord> LastColumn<T> for BlockColumns {
    fn last_column(&mut self, a: DirectedSymbols<T>, b: DirectedSymbols<T>, tick: StepSink) -> Result<Vec<u32>, Halt> {
        if a.len() < self.short {
            // Listing 1 computes the last row, which is the last column for the swapped texts.
            return llcs(b, a, tick);
        }
        let masks = SymbolMasks::new(a);
        let (num_x, num_y) = (a.len().div_ceil(BLOCK), b.len().div_ceil(BLOCK));
        let mut v = vec![[u32::MAX; WORDS]; num_x];
        // Buffers with a bit for each column of a step: carries out of the blocks in this call, and in the previous
        // call.
        let mut carries = [vec![[0; WORDS]; num_x], vec![[0; WORDS]; num_x]];
        for call in 0..(num_x + num_y).saturating_sub(1) {
            let [below, above] = &mut carries;
            for x in (0..num_x).filter(|x| (*x..*x + num_y).contains(&call)) {
                let cursor = BLOCK * (call - x);
                let columns = cursor..(cursor + BLOCK).min(b.len());
                let from_below = if x == 0 { [0; WORDS] } else { below[x - 1] };
                above[x] = kernel(&mut v[x], columns.clone().map(|j| pattern(&masks, b.at(j), x)), &from_below);
                tick((columns.len() * WORDS) as u64)?;
            }
            carries.swap(0, 1);
        }
        Ok(bit_parallel::lengths(a.len(), |i| v[i / BLOCK][i % BLOCK / 32] >> (i % 32) & 1 == 1))
    }
}

/// Executes lines 9 to 17 for one block and one step: updates `v`, the block's bits of V, by the match vector of each
/// column in `patterns`. `from_below` has a bit for each column: the carry into the block. Returns the carries out of
/// the block, also a bit for each column.
fn kernel(v: &mut WideInteger, patterns: impl Iterator<Item = WideInteger>, from_below: &WideInteger) -> WideInteger {
    let mut to_above = [0; WORDS];
    for (j, pm) in patterns.enumerate() {
        let sums = plus(v, &std::array::from_fn(|tx| v[tx] & pm[tx]));
        let has_carry = from_below[j / 32] >> (j % 32) & 1 == 1;
        let (sum, carry) = if has_carry { sums.with_carry } else { sums.without_carry };
        to_above[j / 32] |= u32::from(carry) << (j % 32);
        *v = std::array::from_fn(|tx| (v[tx] & !pm[tx]) | sum[tx]);
    }
    to_above
}

/// Returns the words of the match vector of `symbol` that belong to block number `x`. The match vector is
/// `g_PM[symbol]` in Listing 4.
fn pattern<T: Copy + Ord>(masks: &SymbolMasks<T>, symbol: T, x: usize) -> WideInteger {
    let mut pattern = [0; WORDS];
    let words = masks.of(symbol).and_then(|words| words.get(x * WORDS / 2..)).unwrap_or_default();
    for (two, word) in pattern.as_chunks_mut::<2>().0.iter_mut().zip(words) {
        *two = [*word as u32, (word >> 32) as u32];
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::counted;

    #[test]
    fn full_and_partial_blocks_give_the_same_length() {
        let mut rng = fastrand::Rng::with_seed(16);
        for m in [1usize, 1023, 1024, 1025, 2048, 3072, 3100] {
            for n in [1, 1023, 1024, 1025, 2047, 4096] {
                let a: Vec<u8> = (0..m).map(|_| rng.u8(..4)).collect();
                let b: Vec<u8> = (0..n).map(|_| rng.u8(..4)).collect();
                let (of_blocks, words) = counted(|tick| length(&a, &b, tick));
                assert_eq!(of_blocks, counted(|tick| bit_parallel::length(&a, &b, tick)).0, "{m} {n}");
                assert_eq!(words, (32 * m.div_ceil(1024) * n) as u64);
            }
        }
    }

    #[test]
    fn carry_crosses_all_blocks_in_every_column() {
        let (a, b) = (vec![1u8; 5000], vec![1u8; 3000]);
        assert_eq!(counted(|tick| length(&a, &b, tick)).0, 3000);
    }

    #[test]
    fn empty_text_has_no_block() {
        assert_eq!(counted(|tick| length(b"", b"abc", tick)).0, 0);
        assert_eq!(counted(|tick| length(b"abc", b"", tick)).0, 0);
    }
}
