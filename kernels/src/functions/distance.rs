//! Distance: a solver for the edit distances of many pairs of byte strings, which owns its buffers.

use crate::cpu::Cpu;
use crate::pair::cpu::NearEqualAttempt;
use crate::run::{NoObserver, Run};
use crate::task::edit_distance;

/// A solver for the edit distances of many pairs of byte strings. If the shorter string has at most 64 bytes, a call
/// allocates no memory.
///
/// ```
/// let mut solver = kernels::DistanceSolver::new();
/// let words = ["kitten", "sitting", "mitten"];
/// let nearest = words.iter().min_by_key(|word| solver.distance(b"bitten", word.as_bytes()));
/// assert_eq!(nearest, Some(&"kitten"));
/// ```
#[derive(Debug, Default)]
pub struct DistanceSolver {
    numbered: NumberedBytes,
}

impl DistanceSolver {
    /// Creates a solver in O(1) time.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the least number of bytes that must be substituted, inserted or deleted to turn `a` into `b`.
    ///
    /// Takes O(|a| + |b|) time if one string has at most 64 bytes, otherwise as long as
    /// [`distance`](crate::distance()).
    pub fn distance(&mut self, a: &[u8], b: &[u8]) -> u64 {
        if let Some(distance) = edit_distance::word_distance(a, b) {
            return distance;
        }
        let run = Run::new(&NoObserver);
        let about = match super::expect_done(edit_distance::few_edits(a, b, &run)) {
            NearEqualAttempt::Solved(distance) => return distance,
            NearEqualAttempt::Far(about) => about,
        };
        let alphabet = self.numbered.number(a, b);
        let NumberedBytes { a, b } = &self.numbered;
        super::expect_done(edit_distance::many_edits([a, b], alphabet, about, &Cpu::SINGLE, &run))
    }
}

/// Two byte strings in which each byte is replaced by its number among the distinct bytes of both, from 0. Small
/// numbers have fewer bits to compare.
#[derive(Debug, Default)]
pub(super) struct NumberedBytes {
    pub(super) a: Vec<u8>,
    pub(super) b: Vec<u8>,
}

impl NumberedBytes {
    /// Stores the numbers of the bytes of `a` and `b`, and returns the number of distinct bytes. Numbers follow the
    /// order of byte values. Takes O(|a| + |b|) time.
    pub(super) fn number(&mut self, a: &[u8], b: &[u8]) -> u32 {
        let mut occurs = [false; 256];
        a.iter().chain(b).for_each(|&byte| occurs[usize::from(byte)] = true);
        let mut numbers = [0; 256];
        let mut alphabet = 0u32;
        for (number, _) in numbers.iter_mut().zip(occurs).filter(|(_, occurs)| *occurs) {
            *number = alphabet as u8;
            alphabet += 1;
        }
        for (bytes, symbols) in [(a, &mut self.a), (b, &mut self.b)] {
            symbols.clear();
            symbols.extend(bytes.iter().map(|&byte| numbers[usize::from(byte)]));
        }
        alphabet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};

    /// No call leaves state that affects the next one.
    #[test]
    fn distance_does_not_depend_on_earlier_calls() {
        let mut solver = DistanceSolver::new();
        for seed in 0..300 {
            let a = random(b"abcdefgh", seed as usize % 70, seed);
            let b = mutated(&random(b"abcdefgh", (seed as usize * 7) % 90, seed + 1), b"abc", 0.1, seed);
            assert_eq!(solver.distance(&a, &b), DistanceSolver::new().distance(&a, &b), "{a:?}, {b:?}");
        }
    }
}
