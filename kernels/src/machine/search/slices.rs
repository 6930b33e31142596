//! Slices: "Parallel ASM algorithm on the HMM", section 6 of papers 000 and 003. `D` blocks of `m` threads each search
//! a slice of the text that overlaps the next one by `2m`. The answer is the smallest of the blocks' minima.
//!
//! 1. Each block copies `x` and its slice from global into shared memory, with a read and a write for each `t` symbols.
//! 2. Each block searches its slice like [`diagonal`](super::diagonal). Blocks on one DMM execute the same rounds, and
//!    so share each latency.
//! 3. One thread of each block writes the minimum to global memory.
//! 4. All threads compute the minimum of these values.
//!
//! Both papers leave the following open. Step 1 is coalesced only if a slice begins at a multiple of `w`; otherwise
//! each warp accesses two address groups, which doubles the stages. Step 3 takes one stage for each block, `D + L − 1`.
//! The papers bound it by `n/w + L`, which requires `D ≤ n/w`; Theorem 4 only requires `D ≤ n`. (The bound of Theorem 4
//! holds nevertheless if `m ≥ w`, by its term `mD/w`.) A slice must fit into shared memory. With n = 4 Mi and `D` of 16
//! to 64, as in Table 1, it does not fit into the 48 KiB of the papers' GPU.

use std::ops::Range;

use super::{SliceSearchResult, SliceThreadBlock, blocks_time, fill};
use crate::machine::memory::MachineMemory;
use crate::machine::{HierarchicalMachine, prefix};

/// The division of a text into slices, and the number of threads that search each slice.
#[derive(Clone, Copy, Debug)]
pub struct SliceMapping<'r> {
    /// Range of the text that each thread block searches. Block `b` runs on DMM number `b mod d`.
    pub slices: &'r [Range<usize>],
    /// Number of threads in each block. The papers use `m`, the length of the pattern, so that `p = mD` for `D` slices.
    pub threads: usize,
}

/// Searches for the pattern `x` in the text `y` by a simulation of `machine`, in the slices of `mapping`. The global
/// memory holds both texts from the beginning.
///
/// # Panics
/// Panics if `x` is empty, a number of the mapping or the machine is 0, or a slice reaches beyond `y`.
pub fn slices(machine: &HierarchicalMachine, x: &[u64], y: &[u64], mapping: SliceMapping) -> SliceSearchResult {
    let mut search = SliceSearchRun::new(machine, x, y, mapping);
    let x_of = |_: usize| 0..x.len();
    let slice_of = |block: usize| mapping.slices[block].clone();
    let load = search.copy(0, &x_of, |block| block.x) + search.copy(search.y_at, &slice_of, |block| block.y);
    let (rounds, write, levels) = (search.fill(), search.write_minima(), search.minimum());
    let fill = rounds.last().copied().unwrap_or_default();
    let mut over: Vec<u64> = rounds.into_iter().map(|round| load + round).collect();
    over.iter_mut().next_back().into_iter().for_each(|last| *last += write);
    for level in &levels {
        over.push(over[over.len() - 1] + level);
    }
    let steps = [load, fill, write, levels.iter().sum()];
    SliceSearchResult { least: search.global.at(search.minima_at), time_units: steps.iter().sum(), steps, elapsed: over }
}

/// Returns the number of time units of each of the four steps of [`slices`]. The pattern has `m` symbols. The text has
/// `D = blocks` slices of `n` symbols, with `t` threads for each slice.
///
/// `machine` has `d` DMMs of width `w` and latency `l`, and global memory of latency `L`. `w` must be at least 2, and
/// must divide `t` and the start of every slice. `d` must divide `D`. `w` and `D` must be powers of two.
///
/// ```text
/// 1: (D + D/d)·(⌈m/w⌉ + ⌈n/w⌉) + (L−1 + l−1)·(⌈m/t⌉ + ⌈n/t⌉)
/// 2: as diagonal_time, with D/d times the stages
/// 3: D + L − 1
/// 4: 3·Σ (⌈h/w⌉ + ⌈h/tD⌉·(L − 1)) over h = D/2, D/4 … 1
/// ```
pub fn slices_steps(machine: &HierarchicalMachine, m: u64, n: u64, blocks: u64, t: u64) -> [u64; 4] {
    let (w, on_one) = (machine.width as u64, blocks / machine.dmms as u64);
    let waits = machine.global_latency - 1 + machine.shared_latency - 1;
    let copy = |len: u64| (blocks + on_one) * len.div_ceil(w) + waits * len.div_ceil(t);
    let minimum = prefix::minimum_time(&machine.global(), blocks, blocks * t);
    [copy(m) + copy(n), blocks_time(&machine.shared(), on_one, m, n, t), blocks + machine.global_latency - 1, minimum]
}

/// Returns the number of time units of each of the four steps of [`slices`] if `machine` runs at most `resident` thread
/// blocks at the same time. Further blocks run after these. Each of `blocks` slices has `n` symbols, and a thread for
/// each of the `m` symbols of the pattern. The model of papers 000 and 003 has no such limit. `resident` must be a
/// multiple of the number of DMMs. `blocks` must be a multiple of `resident`, or less than `resident`.
pub fn resident_steps(machine: &HierarchicalMachine, m: u64, n: u64, blocks: u64, resident: u64) -> [u64; 4] {
    let at_once = blocks.min(resident);
    let turns = blocks.div_ceil(at_once);
    let [load, fill, ..] = slices_steps(machine, m, n, at_once, m);
    let [.., write, minimum] = slices_steps(machine, m, n, blocks, m);
    [turns * load, turns * fill, write, minimum]
}

/// A simulated search in progress: the global memory, and the shared memory of each DMM with the thread blocks on this
/// DMM.
struct SliceSearchRun<'r> {
    mapping: SliceMapping<'r>,
    width: usize,
    m: usize,
    y_at: usize,
    minima_at: usize,
    global: MachineMemory,
    dmms: Vec<(MachineMemory, Vec<SliceThreadBlock>)>,
}

impl<'r> SliceSearchRun<'r> {
    fn new(machine: &HierarchicalMachine, x: &[u64], y: &[u64], mapping: SliceMapping<'r>) -> Self {
        let (w, m) = (machine.width, x.len());
        let y_at = m.next_multiple_of(w);
        let minima_at = y_at + y.len().next_multiple_of(w);
        let mut global = MachineMemory::new(machine.global(), minima_at + mapping.slices.len());
        global.load(0, x.iter().copied());
        global.load(y_at, y.iter().copied());
        let dmm = |number: usize| {
            let mut end = 0;
            let place = |slice: &Range<usize>| {
                let (block, next) = SliceThreadBlock::new(end, m, slice.len(), w);
                end = next;
                block
            };
            let blocks: Vec<SliceThreadBlock> = mapping.slices.iter().skip(number).step_by(machine.dmms).map(place).collect();
            (MachineMemory::new(machine.shared(), end), blocks)
        };
        let dmms = (0..machine.dmms).map(dmm).collect();
        Self { mapping, width: w, m, y_at, minima_at, global, dmms }
    }

    /// Executes step 1 for one of the texts, which begins at address `at` of global memory. Each block copies the range
    /// that `of` returns for the block's number, to the shared address that `to` returns for the block. Returns the
    /// number of time units.
    fn copy(&mut self, at: usize, of: &dyn Fn(usize) -> Range<usize>, to: fn(&SliceThreadBlock) -> usize) -> u64 {
        let (t, blocks, dmms) = (self.mapping.threads, self.mapping.slices.len(), self.dmms.len());
        let lanes = t.next_multiple_of(self.width);
        let longest = (0..blocks).map(|block| of(block).len()).max().unwrap_or_default();
        let mut time = 0;
        for from in (0..longest).step_by(t) {
            let wants = |block: usize, lane: usize| lane < t && from + lane < of(block).len();
            let address = |block: usize, lane: usize| wants(block, lane).then(|| at + of(block).start + from + lane);
            let requests: Vec<_> = (0..blocks * lanes).map(|thread| address(thread / lanes, thread % lanes)).collect();
            let before = self.global.spent.time_units;
            let values = self.global.read(&requests);
            time += self.global.spent.time_units - before;
            let writes = |number: usize, blocks: &[SliceThreadBlock]| -> Vec<_> {
                let of_block = |(order, block): (usize, &SliceThreadBlock)| {
                    let (first, to) = ((number + order * dmms) * lanes, to(block) + from);
                    let threads = requests[first..first + lanes].iter().zip(&values[first..first + lanes]).enumerate();
                    threads.map(|(lane, (request, value))| request.map(|_| (to + lane, *value))).collect::<Vec<_>>()
                };
                blocks.iter().enumerate().flat_map(of_block).collect()
            };
            time += longest_of(&mut self.dmms, |number, memory, blocks| memory.write(&writes(number, blocks)));
        }
        time
    }

    /// Executes step 2: every block searches its slice. Returns the elapsed time units before the first round and after
    /// each round, on the slowest DMM.
    fn fill(&mut self) -> Vec<u64> {
        let (m, t, w) = (self.m, self.mapping.threads, self.width);
        let of_dmm = |(memory, blocks): &mut (MachineMemory, Vec<SliceThreadBlock>)| {
            let before = memory.spent.time_units;
            fill(memory, blocks, m, t, w).into_iter().map(|over| over - before).collect::<Vec<_>>()
        };
        let begun: Vec<Vec<u64>> = self.dmms.iter_mut().map(of_dmm).collect();
        let rounds = begun.iter().map(Vec::len).max().unwrap_or_default();
        let over = |round: usize| begun.iter().filter_map(|dmm| dmm.get(round).or(dmm.last())).max().copied().unwrap_or_default();
        (0..rounds).map(over).collect()
    }

    /// Executes step 3: each block writes the minimum of its slice to global memory. Returns the number of time units.
    fn write_minima(&mut self) -> u64 {
        let dmms = self.dmms.len();
        let mut requests = vec![None; self.mapping.slices.len() * self.width];
        for (number, (_, blocks)) in self.dmms.iter().enumerate() {
            for (order, block) in blocks.iter().enumerate() {
                let block_number = number + order * dmms;
                requests[block_number * self.width] = Some((self.minima_at + block_number, block.least));
            }
        }
        let before = self.global.spent.time_units;
        self.global.write(&requests);
        self.global.spent.time_units - before
    }

    /// Executes step 4: computes the minimum over all slices. Returns the number of time units of each level of the
    /// tree.
    fn minimum(&mut self) -> Vec<u64> {
        let blocks = self.mapping.slices.len();
        prefix::minimum(&mut self.global, self.minima_at, blocks, blocks * self.mapping.threads)
    }
}

/// Calls `run` for each DMM. All DMMs work at the same time, so that the result is the number of time units of the
/// slowest one.
fn longest_of(
    dmms: &mut [(MachineMemory, Vec<SliceThreadBlock>)],
    mut run: impl FnMut(usize, &mut MachineMemory, &mut Vec<SliceThreadBlock>),
) -> u64 {
    let times = dmms.iter_mut().enumerate().map(|(number, (memory, blocks))| {
        let before = memory.spent.time_units;
        run(number, memory, blocks);
        memory.spent.time_units - before
    });
    times.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::search::diagonal;

    fn binary(len: usize, seed: u64) -> Vec<u64> {
        let mut rng = fastrand::Rng::with_seed(seed);
        (0..len).map(|_| rng.u64(..2)).collect()
    }

    /// Returns slices as in papers 000 and 003: each has s symbols of its own, and 2m symbols of overlap.
    fn cut(m: usize, n: usize, blocks: usize) -> Vec<Range<usize>> {
        let s = (n - 2 * m) / blocks;
        assert_eq!(s * blocks, n - 2 * m, "s is an integer");
        (0..blocks).map(|i| i * s..(i + 1) * s + 2 * m).collect()
    }

    #[test]
    fn answer_is_right_and_time_agrees_with_the_formula() {
        for (m, s, blocks, w, d) in
            [(4, 8, 4, 4, 2), (8, 16, 8, 4, 4), (12, 8, 2, 4, 1), (16, 32, 4, 8, 2), (6, 4, 4, 4, 4), (8, 8, 1, 8, 1)]
        {
            let machine = HierarchicalMachine { dmms: d, width: w, shared_latency: 3, global_latency: 50 };
            let (x, y) = (binary(m, 1), binary(s * blocks + 2 * m, 2));
            let ranges = cut(m, y.len(), blocks);
            for threads in [w, m.next_multiple_of(w)] {
                let counted = slices(&machine, &x, &y, SliceMapping { slices: &ranges, threads });
                assert_eq!(counted.least, diagonal(machine.shared(), &x, &y, w).least);
                let formula = slices_steps(&machine, m as u64, (s + 2 * m) as u64, blocks as u64, threads as u64);
                assert_eq!(counted.steps, formula, "m = {m}, s = {s}, D = {blocks}, w = {w}, d = {d}, t = {threads}");
                // One entry before the first round, s + 3m − 1 entries for the rounds, and one for each level.
                assert_eq!(counted.elapsed.len(), 1 + s + 3 * m - 1 + blocks.ilog2() as usize);
                assert!(counted.elapsed.is_sorted() && counted.elapsed.last() == Some(&counted.time_units));
            }
        }
    }

    #[test]
    fn unaligned_slices_access_two_groups() {
        let machine = HierarchicalMachine { dmms: 2, width: 4, shared_latency: 1, global_latency: 1 };
        let (m, blocks, x) = (4, 4, binary(4, 1));
        let step_1 = |s: usize| {
            let y = binary(s * blocks + 2 * m, 2);
            slices(&machine, &x, &y, SliceMapping { slices: &cut(m, y.len(), blocks), threads: 4 }).steps[0]
        };
        // Slices of 16 symbols: `x` takes 6 stages, then come 4 slices of 4 warps, written in pairs.
        assert_eq!(step_1(8), 6 + 4 * 4 + 2 * 4);
        // Slices of 17 symbols: slices 1 to 3 begin at 9, 18 and 27. Each of their 4 warps accesses two groups; the
        // last warp has one symbol.
        assert_eq!(step_1(9), 6 + 5 + 3 * (2 * 4 + 1) + 2 * 5);
    }

    #[test]
    fn step_3_takes_one_stage_per_block() {
        // D = n − 2m blocks of one new symbol each: D + L − 1, which no multiple of n/w + L bounds for all w.
        let machine = HierarchicalMachine { dmms: 1, width: 32, shared_latency: 1, global_latency: 2 };
        let (x, y) = (binary(2, 1), binary(260, 2));
        let ranges = cut(2, y.len(), 256);
        let counted = slices(&machine, &x, &y, SliceMapping { slices: &ranges, threads: 32 });
        assert_eq!(counted.steps[2], 256 + 2 - 1);
        assert!(counted.steps[2] > 20 * (260 / 32 + 2));
        assert_eq!(counted.least, diagonal(machine.shared(), &x, &y, 32).least);
    }

    #[test]
    fn more_blocks_hide_latency_until_overlaps_cost_more() {
        let machine = HierarchicalMachine { dmms: 16, width: 32, shared_latency: 20, global_latency: 400 };
        let time = |m: u64, blocks: u64| -> u64 {
            slices_steps(&machine, m, (1u64 << 22).div_ceil(blocks).next_multiple_of(32) + 2 * m, blocks, m).iter().sum()
        };
        // As in Table 1 of paper 000, short patterns gain up to D = 128 and more; the longest one is fastest with the
        // fewest blocks.
        assert!(time(32, 128) * 5 < time(32, 16));
        assert!(time(1024, 2048) > time(1024, 16));
    }
}
