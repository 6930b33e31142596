//! Streams: match count by streams on a UMM. This is `parallel-shift-add` of paper 002 (section 4.2, figure 3), with a
//! thread for each distinct symbol of the pattern.
//!
//! All arrays are in global memory, as in the CUDA kernel. The words `k` of all streams are adjacent, so that the
//! threads of a warp access one address group. The paper counts operations on words, `O(mn/w)` with a processor for
//! each symbol. It leaves open how the matches of all streams are added up to `c_i`. Here each thread writes its number
//! of matches, and a tree of `⌈log₂ σ⌉` levels adds them ([`prefix::sum`]). [`time`] is exact. With σ threads, a power
//! of two, `g = ⌈σ/w⌉` warps of `w` threads, W words in a stream and latency `L`, it is
//!
//! ```text
//! n·(1 + 3W)·(g + L − 1)     t_i, and for each word: ft read, fp read, ft written
//! (n − m + 1)·(g + L − 1)    the matches of each stream
//! (n − m + 1)·3·Σ (⌈h/w⌉ + L − 1) over h = σ/2, σ/4 … 1
//! (n − m + 1)·2·L            the sum is read and becomes c_i
//! ```
//!
//! The sums therefore cost more than the streams as soon as `3·log₂ σ > 3W`. For short patterns, the paper does not
//! count the largest part of the time.

use super::MemoryMachine;
use super::memory::{MachineMemory, MemoryCost};
use super::prefix;

/// The result and the cost of a run of [`count`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamCountResult {
    /// Number of equal symbols at each offset of the pattern in the text, from offset 0.
    pub scores: Vec<u64>,
    /// Cost of the whole run.
    pub spent: MemoryCost,
    /// Elapsed time units `[streams, sums]`: for the streams, and for adding up their matches. The first entry is taken
    /// before the last symbol under offset 0 is read, and the next ones after each offset.
    pub elapsed: Vec<[u64; 2]>,
}

/// Counts the equal symbols of the pattern `p` at every offset in the text `t`, by a simulation of `machine` with words
/// of `bits` bits. A stream is a bit sequence for one distinct symbol of the pattern, with a thread of its own. All
/// threads execute the same rounds.
///
/// # Panics
/// Panics if `p` is empty or `bits` is not between 1 and 64.
pub fn count(machine: MemoryMachine, bits: usize, p: &[u64], t: &[u64]) -> StreamCountResult {
    assert!((1..=64).contains(&bits) && !p.is_empty());
    let mut symbols = p.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    let (m, streams, words) = (p.len(), symbols.len(), p.len().div_ceil(bits));
    let offsets = (t.len() + 1).saturating_sub(m);
    // The words number `k` of all streams form a row of memory.
    let row = streams.next_multiple_of(machine.width);
    let fp_at = t.len().next_multiple_of(machine.width);
    let ft_at = fp_at + words * row;
    let matches_at = ft_at + words * row;
    let scores_at = matches_at + row;
    let mut memory = MachineMemory::new(machine, scores_at + offsets);
    memory.load(0, t.iter().copied());
    for (stream, symbol) in symbols.iter().enumerate() {
        // The first symbol of the pattern is the highest bit.
        for bit in p.iter().rev().enumerate().filter_map(|(at, other)| (other == symbol).then_some(at)) {
            let at = fp_at + bit / bits * row + stream;
            memory.load(at, [memory.at(at) | 1 << (bit % bits)]);
        }
    }
    let (mut of_streams, mut over) = (0, Vec::with_capacity(offsets + 1));
    let all = |at: usize| (0..streams).map(|stream| Some(at + stream)).collect::<Vec<_>>();
    for read in 1..=t.len() {
        let begun = memory.spent.time_units;
        if read == m {
            over.push([begun, 0]);
        }
        let symbol = memory.read(&vec![Some(read - 1); streams]);
        // Bits that are shifted into the next word of each stream, and the matches of each stream so far.
        let mut pushed: Vec<bool> = symbols.iter().zip(&symbol).map(|(own, symbol)| own == symbol).collect();
        let mut matches = vec![0; streams];
        for word in 0..words {
            let top = if word + 1 == words { m - word * bits } else { bits };
            let ft = memory.read(&all(ft_at + word * row));
            let fp = memory.read(&all(fp_at + word * row));
            let shifted: Vec<u64> =
                ft.iter().zip(&pushed).map(|(ft, bit)| (ft << 1 | u64::from(*bit)) & (u64::MAX >> (64 - top))).collect();
            memory.write(&shifted.iter().enumerate().map(|(stream, ft)| Some((ft_at + word * row + stream, *ft))).collect::<Vec<_>>());
            for (stream, (shifted, fp)) in shifted.iter().zip(&fp).enumerate() {
                matches[stream] += u64::from((shifted & fp).count_ones());
                pushed[stream] = ft[stream] >> (bits - 1) & 1 == 1;
            }
        }
        of_streams += memory.spent.time_units - begun;
        let Some(offset) = read.checked_sub(m) else { continue };
        memory.write(&matches.iter().enumerate().map(|(stream, matches)| Some((matches_at + stream, *matches))).collect::<Vec<_>>());
        prefix::sum(&mut memory, matches_at, streams, streams);
        let sum = memory.read(&[Some(matches_at)])[0];
        memory.write(&[Some((scores_at + offset, sum))]);
        over.push([of_streams, memory.spent.time_units - of_streams]);
    }
    let scores = (0..offsets).map(|offset| memory.at(scores_at + offset)).collect();
    StreamCountResult { scores, spent: memory.spent, elapsed: over }
}

/// Returns the number of time units that [`count`] takes for a pattern of `m` symbols and a text of `n ≥ m` symbols,
/// with `streams` streams of `words` words each. `streams` and the width of `machine` must be powers of two.
pub fn time(machine: &MemoryMachine, words: u64, m: u64, n: u64, streams: u64) -> u64 {
    let (offsets, wait) = (n - m + 1, machine.latency - 1);
    let round = streams.div_ceil(machine.width as u64) + wait;
    n * (1 + 3 * words) * round + offsets * (round + prefix::minimum_time(machine, streams, streams) + 2 * machine.latency)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(p: &[u64], t: &[u64]) -> Vec<u64> {
        t.windows(p.len()).map(|window| window.iter().zip(p).filter(|(x, y)| x == y).count() as u64).collect()
    }

    #[test]
    fn scores_agree_with_the_definition() {
        let mut rng = fastrand::Rng::with_seed(21);
        for _ in 0..1000 {
            let letters = rng.u64(1..7);
            let mut text = |len: usize| -> Vec<u64> { (0..len).map(|_| rng.u64(..letters)).collect() };
            let (p, t) = (text(1 + letters as usize * 3), text(30));
            for bits in [1, 4, 7, 64] {
                assert_eq!(count(MemoryMachine::umm(4, 3), bits, &p, &t).scores, scores(&p, &t), "{bits} {p:?} {t:?}");
            }
        }
    }

    #[test]
    fn a_text_shorter_than_the_pattern_has_no_score() {
        assert!(count(MemoryMachine::umm(4, 3), 8, &[1, 2, 3], &[1, 2]).scores.is_empty());
    }

    #[test]
    fn time_agrees_with_the_formula() {
        let mut rng = fastrand::Rng::with_seed(22);
        for (w, latency) in [(2, 1), (4, 10), (8, 100)] {
            for (streams, m, n, bits) in [(1, 3, 9, 2), (2, 5, 5, 8), (4, 9, 40, 4), (8, 8, 21, 3), (16, 40, 70, 32)] {
                let machine = MemoryMachine::umm(w, latency);
                // Every symbol of the alphabet occurs in the pattern.
                let p: Vec<u64> = (0..m).map(|i| i % streams).collect();
                let t: Vec<u64> = (0..n).map(|_| rng.u64(..streams)).collect();
                let counted = count(machine, bits, &p, &t);
                assert_eq!(counted.scores, scores(&p, &t));
                let words = m.div_ceil(bits as u64);
                let formula = time(&machine, words, m, n, streams);
                let of_streams = n * (1 + 3 * words) * (streams.div_ceil(w as u64) + latency - 1);
                assert_eq!(counted.elapsed.len() as u64, n - m + 2);
                assert_eq!(counted.elapsed.last(), Some(&[of_streams, formula - of_streams]));
                assert_eq!(counted.spent.time_units, formula, "w = {w}, L = {latency}, {streams} streams, m = {m}, n = {n}");
            }
        }
    }

    #[test]
    fn sums_take_longer_than_the_streams_of_a_short_pattern() {
        let (machine, m, n) = (MemoryMachine::umm(32, 400), 32, 1 << 20);
        let all = time(&machine, 1, m, n, 32);
        let streams = n * 4 * (1 + 399);
        assert!(all > 2 * streams, "{all} and {streams}");
    }
}
