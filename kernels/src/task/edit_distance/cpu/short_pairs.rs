//! The distance of two short strings, for callers that compare many pairs, each in less time than the setup of a job
//! takes. JavaScript writes the UTF-16 code units of the strings into memory provided here.
//!
//! Computes the columns of Myers' algorithm in one word. The distance is read from the last column, so that the loop
//! updates no score. Equality masks lie in a table over all code units. Each call clears the entries that it used, so
//! that the alphabet need not be determined first.
//!
//! ```
//! use kernels::task::edit_distance::short_pairs::ShortPairs;
//!
//! static SHORT_PAIRS: ShortPairs = ShortPairs::new();
//! assert_eq!(SHORT_PAIRS.distance_of("kitten", "sitting"), Some(3));
//! ```

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

use super::{PairOutput, solve};
use crate::cpu::Cpu;
use crate::failure::JobFailure;
use crate::pair::cpu::recurrence::unit_cost::PatternColumn;
use crate::run::{Halt, NoObserver, Run};

/// Maximum number of UTF-16 code units in the shorter string.
pub const MAX_PATTERN_UNITS: usize = 64;

/// Maximum number of UTF-16 code units in the longer string.
pub const MAX_TEXT_UNITS: usize = 1024;

/// Memory in which two strings are compared, one call at a time. It takes 530 kB, so that it should be a `static`.
///
/// The cells are atomic because callers write to them through shared references. There is no lock, and two concurrent
/// calls would corrupt the answers of both.
pub struct ShortPairs {
    masks: [AtomicU64; 1 << 16],
    pattern: [AtomicU16; MAX_PATTERN_UNITS],
    text: [AtomicU16; MAX_TEXT_UNITS],
}

impl Default for ShortPairs {
    fn default() -> Self {
        Self::new()
    }
}

impl ShortPairs {
    /// Creates the memory, without strings in it.
    pub const fn new() -> Self {
        Self {
            masks: [const { AtomicU64::new(0) }; 1 << 16],
            pattern: [const { AtomicU16::new(0) }; MAX_PATTERN_UNITS],
            text: [const { AtomicU16::new(0) }; MAX_TEXT_UNITS],
        }
    }

    /// Returns the cells into which the caller writes the code units of the shorter string.
    pub fn pattern(&self) -> &[AtomicU16; MAX_PATTERN_UNITS] {
        &self.pattern
    }

    /// Returns the cells into which the caller writes the code units of the longer string.
    pub fn text(&self) -> &[AtomicU16; MAX_TEXT_UNITS] {
        &self.text
    }

    /// Computes the edit distance of two strings: the first `m` code units in [`pattern`](Self::pattern) and the first
    /// `n` in [`text`](Self::text). Greater numbers are cut to the size of the memory. Takes O(m + n) time.
    pub fn distance(&self, m: usize, n: usize) -> u32 {
        let (pattern, text) = (&self.pattern[..m.min(MAX_PATTERN_UNITS)], &self.text[..n.min(MAX_TEXT_UNITS)]);
        let mask = |unit: &AtomicU16| &self.masks[usize::from(unit.load(Relaxed))];
        let mut bit = 1u64;
        for unit in pattern {
            mask(unit).store(mask(unit).load(Relaxed) | bit, Relaxed);
            bit <<= 1;
        }
        let last = text.iter().fold(PatternColumn::FIRST, |column, unit| column.next(mask(unit).load(Relaxed)));
        pattern.iter().for_each(|unit| mask(unit).store(0, Relaxed));
        if pattern.is_empty() { text.len() as u32 } else { last.distance(pattern.len(), text.len()) as u32 }
    }

    /// Copies `a` and `b` into this memory and computes their edit distance. Returns `None` if the shorter or the
    /// longer string does not fit.
    pub fn distance_of(&self, a: &str, b: &str) -> Option<u32> {
        let lay = |string: &str, to: &[AtomicU16]| {
            let mut units = string.encode_utf16();
            let laid = to.iter().zip(&mut units).map(|(cell, unit)| cell.store(unit, Relaxed)).count();
            units.next().is_none().then_some(laid)
        };
        let (pattern, text) = if a.encode_utf16().count() <= b.encode_utf16().count() { (a, b) } else { (b, a) };
        Some(self.distance(lay(pattern, &self.pattern)?, lay(text, &self.text)?))
    }
}

/// Computes the edit distance of two strings of any length, given as UTF-16 code units, on one thread.
///
/// # Errors
/// Returns an error if the engine fails.
pub fn of_units(a: &[u16], b: &[u16]) -> Result<u64, JobFailure> {
    let mut numbers = vec![u32::MAX; 1 << 16];
    let mut alphabet = 0;
    let mut numbered = |units: &[u16]| -> Vec<u32> {
        let mut number = |unit: &u16| {
            let number = &mut numbers[usize::from(*unit)];
            if *number == u32::MAX {
                *number = alphabet;
                alphabet += 1;
            }
            *number
        };
        units.iter().map(&mut number).collect()
    };
    let (a, b) = (numbered(a), numbered(b));
    let solved = solve(&a, &b, alphabet, PairOutput::Distance.into(), &Cpu::SINGLE, &Run::new(&NoObserver));
    solved.map(|(distance, _)| distance).map_err(|halt| match halt {
        Halt::Failed(failure) => failure,
        Halt::Stopped => JobFailure::engine("The observer broke off."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobOptions, Task, Unit};
    use crate::oracle::serial;
    use crate::text::Pair;

    static SHORT_PAIRS: ShortPairs = ShortPairs::new();

    /// Computes the expected distance by the oracle. Each code unit becomes one character beyond the basic plane, so
    /// that half surrogate pairs are valid texts.
    fn expected(a: &[u16], b: &[u16]) -> u64 {
        let chars = |units: &[u16]| units.iter().filter_map(|&unit| char::from_u32(0x1_0000 + u32::from(unit))).collect::<String>();
        let options = JobOptions { unit: Unit::Chars, alignment: false, ..JobOptions::default() };
        let pair = Pair::parse(chars(a).into_bytes(), chars(b).into_bytes(), &options.reading()).unwrap();
        let crate::event::TaskAnswer::EditDistance { distance: Some(distance), .. } =
            serial::solve(Task::EditDistance, &pair, &options).answer
        else {
            panic!()
        };
        distance
    }

    #[test]
    fn distances_of_short_pairs_agree_with_the_oracle() {
        let mut rng = fastrand::Rng::with_seed(2026);
        // Latin, Hebrew, Han, halves of surrogate pairs, the ends of the table; few letters, so that many are equal.
        let letters = [0, 0x61, 0x62, 0xE9, 0x5D0, 0x5D1, 0x4E00, 0xD83D, 0xDC4D, 0xDFFF, 0xFFFF];
        for round in 0..6000 {
            let (shorter, longer) = if round % 20 == 0 { (65, 300) } else { (65, 70) };
            let m = rng.usize(..shorter);
            let n = rng.usize(m..longer);
            let among = rng.usize(1..=letters.len());
            let mut units = |len| -> Vec<u16> { (0..len).map(|_| letters[rng.usize(..among)]).collect() };
            let (a, b) = (units(m), units(n));
            SHORT_PAIRS.pattern().iter().zip(&a).for_each(|(cell, &unit)| cell.store(unit, Relaxed));
            SHORT_PAIRS.text().iter().zip(&b).for_each(|(cell, &unit)| cell.store(unit, Relaxed));
            let found = u64::from(SHORT_PAIRS.distance(m, n));
            assert_eq!(found, expected(&a, &b), "{a:04x?} and {b:04x?}");
            assert_eq!(of_units(&b, &a), Ok(found), "{b:04x?} and {a:04x?}");
        }
    }
}
