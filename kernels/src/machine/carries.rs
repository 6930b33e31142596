//! Carries: the carries of an addition on a DMM with a thread for each word, by selection and from word to word.
//! Selection is `plus()` of Listing 5 of paper 001.
//!
//! For each word, `s_c0` and `s_c1` in shared memory hold its carry without and with a carry from below. In selection,
//! all threads write both, and then groups of 1, 2, 4 … words are merged. In a merge, each thread of an upper group
//! reads both carries of the last word below and writes both of its own, like a warp in lockstep. In the other way,
//! from word to word, each thread in turn reads the carry of the word below and writes its own.
//!
//! The paper does not give the time of either way. For W words of one warp without bank conflicts, selection takes
//! `l·(2 + 4·⌈log₂ W⌉)` time units ([`selected_time`]). From word to word takes `l·(2W − 1)` ([`passed_time`]), where
//! `l` is the latency. Selection is faster for 8 words and for 10 or more. For the 32 words of a warp it takes a third
//! of the time: 22 instead of 63 accesses that wait for each other.

use super::MemoryMachine;
use super::memory::MachineMemory;

/// The carries out of the words of an addition, and the time to compute them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarryResult {
    /// For each word, the lowest first: whether a carry leaves the word if no carry enters the lowest word.
    pub carries: Vec<bool>,
    /// Elapsed time units after each step. A step of [`selected`] writes the carries of single words, or merges groups
    /// of words. A step of [`passed`] computes the carry of one word.
    pub elapsed: Vec<u64>,
}

/// Computes the carries out of all words by selection, as `plus()` of Listing 5 in paper 001 does. `words` holds, for
/// each word from the lowest, whether a carry leaves it if none enters, and whether a carry leaves it if one enters.
pub fn selected(machine: MemoryMachine, words: &[(bool, bool)]) -> CarryResult {
    let (count, c1) = (words.len(), words.len().next_multiple_of(machine.width));
    let mut memory = MachineMemory::new(machine, c1 + count);
    let mut now = words.to_vec();
    let mut over = Vec::new();
    let write = |memory: &mut MachineMemory, now: &[(bool, bool)], is_on: &dyn Fn(usize) -> bool| {
        let request = |at: usize, carry: bool, word: usize| is_on(word).then_some((at + word, u64::from(carry)));
        memory.write(&now.iter().enumerate().map(|(word, carries)| request(0, carries.0, word)).collect::<Vec<_>>());
        memory.write(&now.iter().enumerate().map(|(word, carries)| request(c1, carries.1, word)).collect::<Vec<_>>());
        memory.spent.time_units
    };
    if count > 0 {
        over.push(write(&mut memory, &now, &|_| true));
    }
    let mut group = 1;
    while group < count {
        let is_upper = |word: usize| word & group != 0;
        let below = |at: usize| (0..count).map(|word| is_upper(word).then(|| at + word / group * group - 1)).collect::<Vec<_>>();
        let (without, with) = (memory.read(&below(0)), memory.read(&below(c1)));
        for (word, own) in now.iter_mut().enumerate().filter(|(word, _)| is_upper(*word)) {
            let of = |carry: u64| if carry == 1 { own.1 } else { own.0 };
            *own = (of(without[word]), of(with[word]));
        }
        over.push(write(&mut memory, &now, &is_upper));
        group *= 2;
    }
    CarryResult { carries: (0..count).map(|word| memory.at(word) == 1).collect(), elapsed: over }
}

/// Computes the carries out of all words one after the other, from the lowest word up. `words` holds, for each word
/// from the lowest, whether a carry leaves it if none enters, and whether a carry leaves it if one enters.
pub fn passed(machine: MemoryMachine, words: &[(bool, bool)]) -> CarryResult {
    let mut memory = MachineMemory::new(machine, words.len());
    let over = words.iter().enumerate().map(|(word, (without, with))| {
        let mut request = vec![None; words.len()];
        request[word] = word.checked_sub(1);
        let carry = if memory.read(&request)[word] == 1 { *with } else { *without };
        let mut request = vec![None; words.len()];
        request[word] = Some((word, u64::from(carry)));
        memory.write(&request);
        memory.spent.time_units
    });
    let over = over.collect();
    CarryResult { carries: (0..words.len()).map(|word| memory.at(word) == 1).collect(), elapsed: over }
}

/// Returns the number of time units that [`selected`] takes for `words` words of one warp.
pub fn selected_time(machine: &MemoryMachine, words: u64) -> u64 {
    if words == 0 { 0 } else { machine.latency * (2 + 4 * u64::from(words.next_power_of_two().ilog2())) }
}

/// Returns the number of time units that [`passed`] takes for `words` words.
pub fn passed_time(machine: &MemoryMachine, words: u64) -> u64 {
    machine.latency * (2 * words).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::lcs::conditional_sum::{WORDS, plus};

    #[test]
    fn carries_agree_with_addition_and_time_with_the_formula() {
        let mut rng = fastrand::Rng::with_seed(29);
        for round in 0..2000 {
            // Words that generate a carry, propagate one, or stop one.
            let count = rng.usize(..=WORDS);
            let mut text = [0u32; WORDS];
            let mut other = [0u32; WORDS];
            for (one, two) in text.iter_mut().zip(&mut other).take(count) {
                (*one, *two) = [(u32::MAX, 1), (u32::MAX, 0), (7, 9)][rng.usize(..3)];
            }
            let words: Vec<(bool, bool)> = (0..count)
                .map(|word| {
                    let sum = u64::from(text[word]) + u64::from(other[word]);
                    (sum >> 32 == 1, (sum + 1) >> 32 == 1)
                })
                .collect();
            let (sum, _) = plus(&text, &other).without_carry;
            // A word has received a carry from below if its sum is one more than that of the two words.
            let is_one_more = |word: usize| sum[word] != text[word].wrapping_add(other[word]);
            let machine = MemoryMachine::dmm(32, 1 + round % 7);
            for (counted, time) in [
                (selected(machine, &words), selected_time(&machine, count as u64)),
                (passed(machine, &words), passed_time(&machine, count as u64)),
            ] {
                let expected: Vec<bool> = (1..count).map(is_one_more).collect();
                assert_eq!(counted.carries[..count.saturating_sub(1)], expected, "{words:?}");
                assert_eq!(counted.elapsed.last().copied().unwrap_or_default(), time, "{count} words");
                assert!(counted.elapsed.is_sorted());
            }
        }
    }

    #[test]
    fn carry_selection_is_faster_for_8_words_and_from_10_words_on() {
        let machine = MemoryMachine::dmm(32, 1);
        let times = |words| (selected_time(&machine, words), passed_time(&machine, words));
        assert_eq!([2, 4, 8, 9, 32].map(times), [(6, 3), (10, 7), (14, 15), (18, 17), (22, 63)]);
        let faster: Vec<u64> = (1..=32).filter(|words| times(*words).0 < times(*words).1).collect();
        assert_eq!(faster, [8].into_iter().chain(10..=32).collect::<Vec<_>>());
    }
}
