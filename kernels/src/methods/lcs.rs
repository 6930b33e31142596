//! Longest common subsequence as in paper 001: its length by tables or bit vectors, and the subsequence itself by
//! Hirschberg's recursion in linear memory.
//!
//! - [`hirschberg`]: Listings 1 and 2, called CPU(Hi) in the paper
//! - [`bit_parallel`]: Listing 3 with Listing 2, called CPU(bp)
//! - [`bit_parallel_blocks`]: Listing 4 with Listing 2, called GPU(bp); the addition of Listing 5 is in
//!   [`conditional_sum`]
//! - `view`: texts that are read in either direction
//! - `masks`: bit vectors of symbols
//! - `columns`: Listing 2 on columns of the table, as section 3.1 requires

use crate::methods::StepSink;
use crate::run::Halt;
use masks::SymbolMasks;
pub(crate) use view::DirectedSymbols;

pub mod bit_parallel;
pub mod bit_parallel_blocks;
pub(crate) mod columns;
pub mod conditional_sum;
pub mod hirschberg;
mod masks;
mod view;

/// The symbols of a common subsequence. An entry is the position of a symbol in `a` and its position in `b`; both
/// ascend from entry to entry.
pub type MatchedPositions = Vec<(usize, usize)>;

/// An algorithm that computes the last column of the table of lengths, `L[i]` for i = 0 … m. `L[i]` is the length of a
/// longest common subsequence of the first `i` symbols of `a` and all of `b`.
pub(crate) trait LastColumn<T> {
    fn last_column(&mut self, a: DirectedSymbols<T>, b: DirectedSymbols<T>, tick: StepSink) -> Result<Vec<u32>, Halt>;
}

#[cfg(test)]
mod tests {
    use super::bit_parallel::bit_parallel;
    use super::bit_parallel_blocks::{MIN_BLOCK_TABLE_SYMBOLS, bit_parallel_blocks};
    use super::hirschberg::hirschberg;
    use super::*;
    use crate::methods::counted;

    /// Computes the length of a longest common subsequence by the recurrence R1 to R3 of paper 001, section 2.2.
    fn length(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table[i][j] = if a[i - 1] == b[j - 1] { table[i - 1][j - 1] + 1 } else { table[i][j - 1].max(table[i - 1][j]) };
            }
        }
        table[a.len()][b.len()]
    }

    fn check(a: &[u8], b: &[u8], matches: &MatchedPositions) {
        assert!(matches.iter().all(|&(i, j)| a[i] == b[j]), "{a:?} {b:?}: {matches:?}");
        assert!(matches.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1), "{a:?} {b:?}: {matches:?}");
        assert_eq!(matches.len(), length(a, b), "{a:?} {b:?}");
    }

    fn check_all(a: &[u8], b: &[u8]) {
        check(a, b, &counted(|tick| hirschberg(a, b, tick)).0);
        check(a, b, &counted(|tick| bit_parallel(a, b, tick)).0);
        for short in [0, 64, MIN_BLOCK_TABLE_SYMBOLS] {
            check(a, b, &counted(|tick| bit_parallel_blocks(a, b, short, tick)).0);
        }
    }

    fn random(rng: &mut fastrand::Rng, len: usize, letters: u8) -> Vec<u8> {
        (0..len).map(|_| rng.u8(..letters)).collect()
    }

    #[test]
    fn examples_of_section_2_are_right() {
        let text = |a: &[u8], b: &[u8]| -> Vec<u8> { counted(|tick| hirschberg(a, b, tick)).0.into_iter().map(|(i, _)| a[i]).collect() };
        assert_eq!(text(b"abcdefghij", b"cfilorux"), b"cfi");
        let one_of = [&b"ad"[..], b"ae", b"bd", b"be"];
        assert!(one_of.contains(&&text(b"abcde", b"baexd")[..]));
        check_all(b"abcdefghij", b"cfilorux");
        check_all(b"abcde", b"baexd");
    }

    #[test]
    fn all_methods_agree_on_random_texts() {
        let mut rng = fastrand::Rng::with_seed(11);
        for _ in 0..1000 {
            let letters = rng.u8(1..6);
            let (m, n) = (rng.usize(0..40), rng.usize(0..40));
            let (a, b) = (random(&mut rng, m, letters), random(&mut rng, n, letters));
            check_all(&a, &b);
        }
    }

    #[test]
    fn all_methods_agree_around_word_and_block_sizes() {
        let mut rng = fastrand::Rng::with_seed(12);
        for (m, n) in [
            (31, 33),
            (63, 65),
            (64, 64),
            (65, 1),
            (1023, 70),
            (1024, 70),
            (1025, 70),
            (70, 1025),
            (2049, 40),
            (4095, 9),
            (4096, 9),
            (4097, 9),
        ] {
            let (a, b) = (random(&mut rng, m, 3), random(&mut rng, n, 3));
            check_all(&a, &b);
            // All symbols are equal: every carry runs through all words.
            check_all(&a, &[vec![7; 3], a[..n.min(m)].to_vec()].concat());
            check_all(&vec![1; m], &vec![1; n]);
        }
    }

    #[test]
    fn table_is_filled_at_most_twice() {
        let mut rng = fastrand::Rng::with_seed(13);
        for (m, n) in [(1, 1), (2, 9), (64, 64), (100, 333), (333, 100)] {
            let (a, b) = (random(&mut rng, m, 4), random(&mut rng, n, 4));
            let (_, cells) = counted(|tick| hirschberg(&a, &b, tick));
            let (m, n) = (m as u64, n as u64);
            assert!((m * n..=n * (2 * m + u64::from(m.ilog2()) + 1)).contains(&cells), "{m} {n}: {cells}");
        }
    }
}
