//! Conditional sum: addition of numbers of 1,024 bits by the 32 threads of a warp, each with a word of 32 bits. This is
//! conditional-sum addition (Sklansky, 1960) on words: `plus()` of Listing 5 in section 3.4 of paper 001.
//!
//! Each thread adds its words twice, without and with a carry from below: `a0` and `a1`, with their carries `c0` and
//! `c1`. Then adjacent groups of 1, 2, 4, 8 and 16 words are merged, and each word of the upper group selects its sums.
//! If the lower group has a carry in both cases, `a1` is right in both cases. If it has a carry in neither case, `a0`
//! is right in both cases. Otherwise both stay unchanged. After five steps, `a0` is the sum without and `a1` the sum
//! with a carry into the lowest word.
//!
//! As printed, the listing does not add correctly:
//!
//! - `if (tx & 1 == 0)` in lines 20, 26, 32 and 38 is `tx & (1 == 0)` in C, which is never true, so no words of a group
//!   of 16 are merged. It must be `(tx & 1) == 0`.
//! - Line 14 reads `*s_a0` for `*a0`, and line 22 writes `s_c0[x]` for `s_c0[tx]`.
//! - Line 15 removes the carry if `a1 ≥ max(v1, v2)`, which is wrong for equality of two words of ones. Lines 17 and 18
//!   restore it.
//!
//! The listing has the highest word in thread 0. Here thread 0 has the lowest word, so that the listing's `tx + 1` is
//! `tx − 1`.

/// Number of words of 32 bits in a number, and of threads in a warp that add two numbers.
pub const WORDS: usize = 32;

/// A number of 1,024 bits, the lowest word first.
pub type WideInteger = [u32; WORDS];

/// The two sums that conditional-sum addition computes, each with the carry out of its highest word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionalSums {
    /// Sum without a carry into the lowest word.
    pub without_carry: (WideInteger, bool),
    /// Sum with a carry into the lowest word.
    pub with_carry: (WideInteger, bool),
}

/// Adds `v1` and `v2`, without and with a carry into the lowest word. Takes 5 = log₂ 32 steps after an initial step. On
/// a GPU, all words execute a step at the same time.
///
/// ```
/// # use kernels::methods::lcs::conditional_sum::{WORDS, plus};
/// let ones = [u32::MAX; WORDS];
/// let sums = plus(&ones, &[0; WORDS]);
/// assert_eq!((sums.without, sums.with), ((ones, false), ([0; WORDS], true)));
/// ```
pub fn plus(v1: &WideInteger, v2: &WideInteger) -> ConditionalSums {
    let (mut a0, mut a1) = ([0; WORDS], [0; WORDS]);
    let (mut c0, mut c1) = ([false; WORDS], [true; WORDS]);
    for tx in 0..WORDS {
        let maximum = v1[tx].max(v2[tx]);
        a0[tx] = v1[tx].wrapping_add(v2[tx]);
        a1[tx] = a0[tx].wrapping_add(1);
        if a1[tx] >= maximum {
            c1[tx] = false;
        }
        if a0[tx] < maximum {
            (c0[tx], c1[tx]) = (true, true);
        }
    }
    for group in [1, 2, 4, 8, 16] {
        // Words of upper groups. Words of lower groups do not change in this step.
        for tx in (0..WORDS).filter(|tx| tx & group != 0) {
            let below = tx / group * group - 1;
            if c0[below] {
                (a0[tx], c0[tx]) = (a1[tx], c1[tx]);
            } else if !c1[below] {
                (a1[tx], c1[tx]) = (a0[tx], c0[tx]);
            }
        }
    }
    ConditionalSums { without_carry: (a0, c0[WORDS - 1]), with_carry: (a1, c1[WORDS - 1]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds word by word and passes the carry on.
    fn by_carry(v1: &WideInteger, v2: &WideInteger, mut carry: bool) -> (WideInteger, bool) {
        let mut sum = [0; WORDS];
        for (sum, (x, y)) in sum.iter_mut().zip(v1.iter().zip(v2)) {
            let wide = u64::from(*x) + u64::from(*y) + u64::from(carry);
            (*sum, carry) = (wide as u32, wide >> 32 != 0);
        }
        (sum, carry)
    }

    #[test]
    fn conditional_sums_agree_with_addition() {
        let mut rng = fastrand::Rng::with_seed(14);
        for round in 0..10_000 {
            // Words of ones and zeros propagate carries far.
            let word = |rng: &mut fastrand::Rng| match (round % 2, rng.u8(..8)) {
                (0, 0..3) => u32::MAX,
                (0, 3..6) => 0,
                _ => rng.u32(..),
            };
            let v1: WideInteger = std::array::from_fn(|_| word(&mut rng));
            let v2: WideInteger = std::array::from_fn(|at| if rng.bool() { !v1[at] } else { word(&mut rng) });
            let sums = plus(&v1, &v2);
            assert_eq!(sums.without_carry, by_carry(&v1, &v2, false), "{v1:?} {v2:?}");
            assert_eq!(sums.with_carry, by_carry(&v1, &v2, true), "{v1:?} {v2:?}");
        }
    }

    #[test]
    fn carry_stops_after_a_word_if_groups_are_not_merged() {
        // The sums under the conditions as printed: words that ignore the carries from below.
        let (mut ones, mut one) = ([u32::MAX; WORDS], [0; WORDS]);
        (ones[WORDS - 1], one[0]) = (0, 1);
        let words_alone: WideInteger = std::array::from_fn(|tx| ones[tx].wrapping_add(one[tx]));
        assert_ne!(words_alone, plus(&ones, &one).without_carry.0);
    }
}
