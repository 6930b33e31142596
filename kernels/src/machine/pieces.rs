//! Pieces: exact search in pieces on a UMM. This is `kmp_kernel` of paper 004 (section VII), whose arrays are all in
//! global memory.
//!
//! Thread `id` reads its piece from the first symbol on, and pieces begin 2m symbols apart. The threads of a warp
//! therefore access `w` address groups in each round. If they read adjacent symbols, one group would suffice. The paper
//! does not notice this, because its time O(2m) is that of one thread. For a text without any symbol of the pattern,
//! [`no_match_time`] is exact. With q = n/m threads, width `w` and latency `L`, it is
//!
//! ```text
//! 2m·(q/w)·(w + 1)   stages: a text symbol each, w groups a warp, and pattern[0], one
//!   − m              the last overlap, half of which lies beyond the text
//!   + 4m·(L − 1)     two reads for each symbol of a piece
//! ```
//!
//! The same number of coalesced reads would take only 2m·(q/w)·2 stages.

use super::MemoryMachine;
use super::memory::{MachineMemory, MemoryCost};
use crate::methods::exact_search::kmp::get_next;
use crate::methods::exact_search::kmp_blocks::pieces;

/// The result and the cost of a run of [`search`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceSearchResult {
    /// Positions in the text at which the pattern occurs, in ascending order.
    pub positions: Vec<usize>,
    /// Cost of the whole run.
    pub spent: MemoryCost,
}

/// The addresses of the arrays of `kmp_kernel` in global memory. Each array begins at a multiple of the machine's width
/// `w`, which is the start of an address group ([`MemoryModel::Umm`](super::MemoryModel::Umm)).
struct PieceSearchArrays {
    pattern: usize,
    text: usize,
    next: usize,
    answer: usize,
}

/// The state of a thread: its position in the text, the end of its piece, and the number of symbols of the pattern that
/// match so far.
struct PieceSearchThread {
    cursor: usize,
    end: usize,
    j: usize,
}

/// Searches for `pattern` in `text` by a simulation of `machine`, with a thread for each piece of the text. All threads
/// execute the rounds of the loop together.
///
/// # Panics
/// Panics if the pattern is empty.
pub fn search(machine: MemoryMachine, pattern: &[u64], text: &[u64]) -> PieceSearchResult {
    let (m, n) = (pattern.len(), text.len());
    let after = |at: usize, words: usize| (at + words).next_multiple_of(machine.width);
    let (text_at, next_at) = (after(0, m), after(after(0, m), n));
    let arrays = PieceSearchArrays { pattern: 0, text: text_at, next: next_at, answer: after(next_at, m) };
    let mut memory = MachineMemory::new(machine, arrays.answer + n);
    memory.load(arrays.pattern, pattern.iter().copied());
    memory.load(arrays.text, text.iter().copied());
    memory.load(arrays.next, get_next(pattern).into_iter().map(|length| length as u64));
    let mut threads: Vec<PieceSearchThread> =
        pieces(m, n).into_iter().map(|piece| PieceSearchThread { cursor: piece.start, end: piece.end, j: 0 }).collect();
    while threads.iter().any(|thread| thread.cursor < thread.end) {
        round(&mut memory, &arrays, &mut threads, m);
    }
    let positions = (0..n).filter(|at| memory.at(arrays.answer + at) == 1).collect();
    PieceSearchResult { positions, spent: memory.spent }
}

/// Executes one iteration of the loop of `KMP` for all threads that are not at the end of their piece. `m` is the
/// length of the pattern.
fn round(memory: &mut MachineMemory, arrays: &PieceSearchArrays, threads: &mut [PieceSearchThread], m: usize) {
    let is_active: Vec<bool> = threads.iter().map(|thread| thread.cursor < thread.end).collect();
    // if (pattern[j] == array[cursor])
    let equal = compare(memory, arrays, threads, &is_active);
    for (thread, equal) in threads.iter_mut().zip(&equal) {
        if *equal == Some(true) {
            (thread.j, thread.cursor) = (thread.j + 1, thread.cursor + 1);
        }
    }
    // if (j == pattern_len)
    let is_whole: Vec<bool> = threads.iter().zip(&is_active).map(|(thread, is_active)| *is_active && thread.j == m).collect();
    let found = |(thread, is_whole): (&PieceSearchThread, &bool)| is_whole.then(|| (arrays.answer + thread.cursor - m, 1));
    memory.write(&threads.iter().zip(&is_whole).map(found).collect::<Vec<_>>());
    // else if (pattern[j] != text[cursor]): symbols are read again if both positions have advanced.
    let is_moved: Vec<bool> =
        (0..threads.len()).map(|at| equal[at] == Some(true) && !is_whole[at] && threads[at].cursor < threads[at].end).collect();
    let moved = compare(memory, arrays, threads, &is_moved);
    let differs = |at: usize| equal[at] == Some(false) || moved[at] == Some(false);
    // j = next[j - 1], after a match and after a mismatch.
    let falls_back = |at: usize, thread: &PieceSearchThread| is_whole[at] || differs(at) && thread.j != 0;
    let asked: Vec<_> = threads.iter().enumerate().map(|(at, thread)| falls_back(at, thread).then(|| arrays.next + thread.j - 1)).collect();
    let next = memory.read(&asked);
    for (at, thread) in threads.iter_mut().enumerate() {
        if asked[at].is_some() {
            thread.j = next[at] as usize;
        } else if differs(at) {
            thread.cursor += 1;
        }
    }
}

/// Compares the current symbols of pattern and text in each thread for which `is_asked` is set. Takes two rounds of
/// reads. Returns for each thread whether its symbols are equal, or `None` for a thread that does not take part.
fn compare(memory: &mut MachineMemory, arrays: &PieceSearchArrays, threads: &[PieceSearchThread], is_asked: &[bool]) -> Vec<Option<bool>> {
    let of = |at: &dyn Fn(&PieceSearchThread) -> usize| -> Vec<_> {
        threads.iter().zip(is_asked).map(|(thread, is_asked)| is_asked.then(|| at(thread))).collect()
    };
    let pattern = memory.read(&of(&|thread| arrays.pattern + thread.j));
    let text = memory.read(&of(&|thread| arrays.text + thread.cursor));
    (0..threads.len()).map(|at| is_asked[at].then(|| pattern[at] == text[at])).collect()
}

/// Returns the number of time units that [`search`] takes on a UMM for a pattern of `m` symbols and a text of `q·m`
/// symbols, none of which is in the pattern. `q` is the number of threads. For the width `w` of `machine`, requires `w
/// ≤ 2m`, and `2w` must divide `q`.
pub fn no_match_time(machine: &MemoryMachine, m: u64, q: u64) -> u64 {
    let w = machine.width as u64;
    2 * m * (q / w) * (w + 1) - m + 4 * m * (machine.latency - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_agree_with_the_naive_search() {
        let mut rng = fastrand::Rng::with_seed(19);
        for _ in 0..1000 {
            let letters = rng.u64(1..4);
            let mut text = |len| -> Vec<u64> { (0..len).map(|_| rng.u64(..letters)).collect() };
            let (p, s) = (text(1 + letters as usize), text(50));
            let found = search(MemoryMachine::umm(4, 10), &p, &s).positions;
            assert!(found.into_iter().eq((0..50).filter(|at| s[*at..].starts_with(&p))), "{p:?} {s:?}");
        }
    }

    #[test]
    fn time_without_a_match_agrees_with_the_formula() {
        for (w, latency) in [(2, 1), (4, 10), (8, 100)] {
            for (m, q) in [(4, 16), (5, 32), (9, 48)] {
                let machine = MemoryMachine::umm(w, latency);
                let searched = search(machine, &vec![1; m], &vec![0; q * m]);
                assert_eq!(searched.spent.time_units, no_match_time(&machine, m as u64, q as u64), "w = {w}, m = {m}, q = {q}");
            }
        }
    }

    #[test]
    fn separate_pieces_cost_many_times_the_time_of_coalesced_access() {
        let machine = MemoryMachine::umm(32, 400);
        let (m, q) = (32, 1 << 20);
        let coalesced = 2 * m * (q / 32) * 2 + 4 * m * 399;
        assert!(no_match_time(&machine, m, q) > 15 * coalesced);
    }

    #[test]
    fn thread_takes_at_most_two_rounds_per_symbol_of_its_piece() {
        let (p, s) = ([vec![1; 9], vec![2]].concat(), vec![1; 400]);
        let spent = search(MemoryMachine::umm(4, 1), &p, &s).spent;
        // Maximum number of accesses in a round: two pairs of reads, a fallback and a mark.
        assert!(spent.rounds <= 6 * 2 * 20, "{spent:?}");
    }
}
