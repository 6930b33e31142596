//! Bits: bit sequences of any length in words of 64 bits, with the operations of section 2.2 of paper 002. The paper
//! writes sequences from the left, with `u_1` as the highest bit. Here its last bit, `u_w`, is the lowest bit of the
//! first word.

/// Number of bits in a word, called w in paper 002.
pub(super) const WORD: usize = u64::BITS as usize;

/// A bit sequence of fixed length, called u in paper 002.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BitSequence {
    words: Vec<u64>,
    len: usize,
}

impl BitSequence {
    /// Creates a sequence of `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(WORD)], len }
    }

    /// Returns the number of words of 64 bits.
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    /// Executes `S_r^k`: k shift-right operations, for k ≤ 64. The lowest k bits are lost.
    pub(super) fn shift_right(&mut self, k: usize) {
        let mut above = 0;
        for word in self.words.iter_mut().rev() {
            let shifted = word.checked_shr(k as u32).unwrap_or_default() | above;
            above = word.checked_shl((WORD - k) as u32).unwrap_or_default();
            *word = shifted;
        }
    }

    /// Executes `P(S_l(u), bit)`: shifts the sequence left by one bit and adds `bit` as the lowest bit. The highest bit
    /// is lost.
    pub(super) fn push(&mut self, bit: bool) {
        let mut below = u64::from(bit);
        for word in &mut self.words {
            (*word, below) = (*word << 1 | below, *word >> (WORD - 1));
        }
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), self.len % WORD) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Executes `P(u, v)`: adds `other` to this sequence, both regarded as numbers. A carry out of the highest word is
    /// lost.
    pub(super) fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            let (sum, over) = word.overflowing_add(*other);
            let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, over || over_by_carry);
        }
    }

    /// Sets the bit with the number `at` to 1, counted from the lowest bit, 0.
    pub(super) fn set(&mut self, at: usize) {
        self.words[at / WORD] |= 1 << (at % WORD);
    }

    /// Returns `A(u, 1^k)`: the lowest k bits as a number, for k < 64.
    pub(super) fn lowest(&self, k: usize) -> u64 {
        self.words.first().map_or(0, |word| word & ((1 << k) - 1))
    }

    /// Returns `R(A(u, v))`: the number of bits that are 1 in both this sequence and `other`.
    pub(super) fn ones_in_both(&self, other: &Self) -> u32 {
        self.words.iter().zip(&other.words).map(|(x, y)| (x & y).count_ones()).sum()
    }
}
