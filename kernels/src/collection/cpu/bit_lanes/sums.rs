//! Sums of bits in each lane.

use fearless_simd::{Simd, mask8x64, prelude::*, u8x64};

use super::WORD;
use super::rule::LaneSumBytes;

/// Maximum number of binary digits of a sum.
const MAX_DIGITS: usize = 24;

/// A binary number for each lane. A vector has one digit of all lanes.
pub(super) struct LaneSums<S: Simd> {
    simd: S,
    digits: [S::u64s; MAX_DIGITS],
    used: usize,
}

impl<S: Simd> LaneSums<S> {
    /// Creates sums of 0 that can grow to `max`.
    #[inline(always)]
    pub(super) fn new(s: S, max: usize) -> Self {
        let used = (usize::BITS - max.leading_zeros()) as usize;
        debug_assert!(used <= MAX_DIGITS);
        Self { simd: s, digits: [S::u64s::splat(s, 0); MAX_DIGITS], used: used.min(MAX_DIGITS) }
    }

    /// Adds all bits of `addends`, whose number is a power of two, in each lane. Two bits and a digit have a sum of two
    /// digits (Harley and Seal, in Warren, Hacker's Delight, section 5-1).
    #[inline(always)]
    pub(super) fn add<const N: usize>(&mut self, mut addends: [S::u64s; N]) {
        let mut count = N;
        let mut digit = 0;
        while count > 1 {
            count /= 2;
            let mut low = self.digits[digit];
            for pair in 0..count {
                let (x, y) = (addends[2 * pair], addends[2 * pair + 1]);
                addends[pair] = (low & x) | (low & y) | (x & y);
                low = low ^ x ^ y;
            }
            self.digits[digit] = low;
            digit += 1;
        }
        let mut carry = addends[0];
        for digit in &mut self.digits[digit..self.used.max(digit)] {
            let sum = *digit ^ carry;
            carry = *digit & carry;
            *digit = sum;
        }
    }

    /// Converts the sums to bytes in `buffer`.
    #[inline(always)]
    pub(super) fn bytes(self, buffer: &mut Vec<u8>) -> LaneSumBytes<'_> {
        let lanes = S::u64s::LEN * WORD;
        let s = self.simd;
        let len = self.used.max(1).div_ceil(8) * lanes;
        if buffer.len() != len {
            buffer.resize(len, 0);
        }
        for (byte, places) in buffer.chunks_exact_mut(lanes).enumerate() {
            let digits = 8 * byte..(8 * byte + 8).min(self.used);
            for (word, places) in places.chunks_exact_mut(WORD).enumerate() {
                let mut sums = u8x64::splat(s, 0);
                for digit in digits.clone() {
                    let is_set = mask8x64::from_bitmask(s, self.digits[digit].as_slice()[word]);
                    sums |= is_set.select(u8x64::splat(s, 1 << (digit % 8)), u8x64::splat(s, 0));
                }
                sums.store_slice(places);
            }
        }
        LaneSumBytes { bytes: buffer, lanes }
    }
}
