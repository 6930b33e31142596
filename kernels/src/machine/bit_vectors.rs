//! Bit vectors: the longest common subsequence by blocks of bit vectors on an HMM. This is the method
//! `bit-parallel-blocks`: Listings 2, 4 and 5 of paper 001.
//!
//! A block is a warp of `w` threads with one word each, so it has `w` words of V. In a call it processes as many
//! columns as these words have bits. Block `x` is on DMM `x mod d`. V, the vectors of the symbols, the second text and
//! the carries between blocks are in global memory. The carries of the threads (`s_c0`, `s_c1`), and the carries from
//! and to the neighbouring blocks, are in shared memory. All active blocks execute the same rounds. The addition
//! executes both branches, like a warp in lockstep: each thread of an upper group of words reads both carries from
//! below and writes both of its own.
//!
//! The paper does not give the number of time units of a call. Let a call have k blocks, k₁ of them above another
//! block, `h = ⌈k/d⌉` of them on the busiest DMM, and c columns. It takes ([`call_time`])
//!
//! ```text
//! k·(3 + 2c) + k₁ + (L − 1)·(3 + 2c + [k₁ > 0])   global: V, carries from below, a symbol and its vector for each column; V, carries
//! (h + l − 1)·(3 + c·(5 + 4·log₂ w))              shared: carries in and out; of a column s_c0, s_c1, the levels, lower, upper
//! ```
//!
//! time units, and there are `⌈m/wB⌉ + ⌈n/wB⌉ − 1` calls for words of B bits ([`time`]). However few blocks there are,
//! a column takes at least `2L + l·(5 + 4·log₂ w)` time units. Only more blocks make the method faster. That is why it
//! is slow for short texts and for a slice that is not square (Table 1 of the paper).

use super::HierarchicalMachine;
use super::memory::MachineMemory;

/// The result and the cost of a run of [`length`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitVectorResult {
    /// Length of a longest common subsequence.
    pub length: u64,
    /// Number of time units that the whole run takes on the machine.
    pub time_units: u64,
    /// Number of kernel calls, each of which advances all active blocks by one step.
    pub calls: u64,
}

/// The addresses of the arrays in global memory. Each array begins at a multiple of the machine's width `w`, which is
/// the start of an address group ([`MemoryModel::Umm`](super::MemoryModel::Umm)).
struct BitVectorArrays {
    /// Address of the second text.
    text: usize,
    /// Address of the match vectors of the symbols, one vector for each symbol of the alphabet. A vector has a set bit
    /// for each position of the first text at which the symbol occurs.
    vectors: usize,
    /// Address of the bit vector V, which has a bit for each symbol of the first text.
    v: usize,
    /// Addresses of the carries out of each block, `w` words for each block: one array for the current call and one for
    /// the previous call, in turn.
    carries: [usize; 2],
}

/// Number of arrays of a block in shared memory: `s_c0`, `s_c1`, `lower` and `upper`, `w` words each.
const ARRAYS: usize = 4;

struct BitVectorRun {
    width: usize,
    bits: usize,
    /// Number of symbols of the second text.
    n: usize,
    blocks: usize,
    global: MachineMemory,
    dmms: Vec<MachineMemory>,
    arrays: BitVectorArrays,
    shared_time: u64,
}

/// Computes the length of a longest common subsequence of `a` and `b` by a simulation of `machine` with words of `bits`
/// bits. All symbols must be below `sigma`, the size of the alphabet.
///
/// # Panics
/// Panics if `bits` is not between 1 and 63, or if the width is not a power of two.
pub fn length(machine: &HierarchicalMachine, bits: usize, a: &[u64], b: &[u64], sigma: usize) -> BitVectorResult {
    assert!((1..64).contains(&bits) && machine.width.is_power_of_two());
    let (w, side) = (machine.width, machine.width * bits);
    let (blocks, steps) = (a.len().div_ceil(side), b.len().div_ceil(side));
    let words = blocks * w;
    let vectors = b.len().next_multiple_of(w);
    let v = vectors + sigma * words;
    let arrays = BitVectorArrays { text: 0, vectors, v, carries: [v + words, v + 2 * words] };
    let mut global = MachineMemory::new(machine.global(), v + 3 * words);
    global.load(arrays.text, b.iter().copied());
    global.load(arrays.v, vec![u64::MAX >> (64 - bits); words]);
    for (i, symbol) in a.iter().enumerate() {
        let at = arrays.vectors + *symbol as usize * words + i / bits;
        global.load(at, [global.at(at) | 1 << (i % bits)]);
    }
    let on_one = blocks.div_ceil(machine.dmms);
    let dmms = vec![MachineMemory::new(machine.shared(), on_one * ARRAYS * w); machine.dmms];
    let mut run = BitVectorRun { width: w, bits, n: b.len(), blocks, global, dmms, arrays, shared_time: 0 };
    let calls = if blocks == 0 { 0 } else { (blocks + steps).saturating_sub(1) };
    for call in 0..calls {
        let active: Vec<usize> = (0..blocks).filter(|x| (*x..x + steps).contains(&call)).collect();
        run.call(call, &active);
    }
    let bit = |i: usize| run.global.at(run.arrays.v + i / bits) >> (i % bits) & 1;
    let length = (0..a.len()).filter(|i| bit(*i) == 0).count() as u64;
    BitVectorResult { length, time_units: run.global.spent.time_units + run.shared_time, calls: calls as u64 }
}

/// The registers of a thread while it advances its block by one step.
#[derive(Clone, Copy, Default)]
struct BitVectorThread {
    v: u64,
    mask: u64,
    a0: u64,
    a1: u64,
    c0: bool,
    c1: bool,
}

impl BitVectorRun {
    /// Executes the kernel call with number `call`: each block in `active` advances by one step of columns.
    fn call(&mut self, call: usize, active: &[usize]) {
        let (w, bits, side) = (self.width, self.bits, self.width * self.bits);
        let [above, below] = if call.is_multiple_of(2) { self.arrays.carries } else { [self.arrays.carries[1], self.arrays.carries[0]] };
        let v_at = self.arrays.v;
        let columns: Vec<usize> = active.iter().map(|x| (self.n - (call - x) * side).min(side)).collect();
        let v = self.read_global(active, |x, tx| Some(v_at + x * w + tx));
        let lower = self.read_global(active, |x, tx| (x > 0).then(|| below + (x - 1) * w + tx));
        let mut threads: Vec<BitVectorThread> = v.into_iter().map(|v| BitVectorThread { v, ..BitVectorThread::default() }).collect();
        self.write_shared(active, |thread| Some((2, thread % w, lower[thread])));
        self.write_shared(active, |thread| Some((3, thread % w, 0)));
        for j in 0..columns.iter().copied().max().unwrap_or_default() {
            let is_on = |order: usize| j < columns[order];
            let (text, vectors, words) = (self.arrays.text, self.arrays.vectors, self.blocks * w);
            let order_of = |x: usize| active.iter().position(|other| *other == x).unwrap_or_default();
            let symbols = self.read_global(active, |x, _| is_on(order_of(x)).then(|| text + (call - x) * side + j));
            let symbol_of = |x: usize, tx: usize| symbols[order_of(x) * w + tx] as usize;
            let masks = self.read_global(active, |x, tx| is_on(order_of(x)).then(|| vectors + symbol_of(x, tx) * words + x * w + tx));
            self.plus(active, &mut threads, &masks, &is_on);
            let carries = self.read_shared(active, |thread| is_on(thread / w).then_some((2, j / bits)));
            let left = self.read_shared(active, |thread| (is_on(thread / w) && thread % w == w - 1).then_some((3, j / bits)));
            let mut written = vec![None; threads.len()];
            for (at, thread) in threads.iter_mut().enumerate().filter(|(at, _)| is_on(at / w)) {
                let has_carry = carries[at] >> (j % bits) & 1 == 1;
                let (sum, carry) = if has_carry { (thread.a1, thread.c1) } else { (thread.a0, thread.c0) };
                thread.v = (thread.v & !thread.mask) | sum;
                if at % w == w - 1 {
                    written[at] = Some((3, j / bits, left[at] | u64::from(carry) << (j % bits)));
                }
            }
            self.write_shared(active, |thread| written[thread]);
        }
        let upper = self.read_shared(active, |thread| Some((3, thread % w)));
        self.write_global(active, |x, tx, thread| (v_at + x * w + tx, threads[thread].v));
        self.write_global(active, |x, tx, thread| (above + x * w + tx, upper[thread]));
    }

    /// Executes `plus()` of Listing 5 for one column in all blocks `active`, and stores the sums and carries in the
    /// registers `threads`. Each thread adds its word of V and the matching bits of this word, once without and once
    /// with a carry from below. `masks` holds each thread's word of the match vector of the column's symbol. `is_on`
    /// tells for an index in `active` whether this block takes part.
    fn plus(&mut self, active: &[usize], threads: &mut [BitVectorThread], masks: &[u64], is_on: &dyn Fn(usize) -> bool) {
        let (w, every) = (self.width, u64::MAX >> (64 - self.bits));
        for (at, thread) in threads.iter_mut().enumerate().filter(|(at, _)| is_on(at / w)) {
            thread.mask = masks[at];
            let sum = thread.v + (thread.v & thread.mask);
            (thread.a0, thread.c0) = (sum & every, sum > every);
            (thread.a1, thread.c1) = ((sum + 1) & every, sum + 1 > every);
        }
        let own = |threads: &[BitVectorThread], thread: usize, array: usize| {
            u64::from(if array == 0 { threads[thread].c0 } else { threads[thread].c1 })
        };
        for array in [0, 1] {
            self.write_shared(active, |thread| is_on(thread / w).then(|| (array, thread % w, own(threads, thread, array))));
        }
        let mut group = 1;
        while group < w {
            let upper = |thread: usize| is_on(thread / w) && (thread % w) & group != 0;
            let below = |thread: usize| thread % w / group * group - 1;
            let [c0, c1] = [0, 1].map(|array| self.read_shared(active, |thread| upper(thread).then(|| (array, below(thread)))));
            for (at, thread) in threads.iter_mut().enumerate().filter(|(at, _)| upper(*at)) {
                if c0[at] == 1 {
                    (thread.a0, thread.c0) = (thread.a1, thread.c1);
                } else if c1[at] == 0 {
                    (thread.a1, thread.c1) = (thread.a0, thread.c0);
                }
            }
            for array in [0, 1] {
                self.write_shared(active, |thread| upper(thread).then(|| (array, thread % w, own(threads, thread, array))));
            }
            group *= 2;
        }
    }

    /// Executes a round of global reads by all threads of the blocks `active`. `at` receives the number of a block and
    /// the number of a thread in this block. It returns the address to read, or `None` for a thread without a request.
    /// Returns the words in the order of the threads, 0 for a thread without a request.
    fn read_global(&mut self, active: &[usize], at: impl Fn(usize, usize) -> Option<usize>) -> Vec<u64> {
        let requests: Vec<_> = active.iter().flat_map(|x| (0..self.width).map(|tx| at(*x, tx)).collect::<Vec<_>>()).collect();
        self.global.read(&requests)
    }

    /// Executes a round of global writes by all threads of the blocks `active`. `of` returns the address and the word
    /// to write. It receives the number of a block, the number of a thread in this block, and the number of this thread
    /// among all threads.
    fn write_global(&mut self, active: &[usize], of: impl Fn(usize, usize, usize) -> (usize, u64)) {
        let w = self.width;
        let thread = |thread: usize| Some(of(active[thread / w], thread % w, thread));
        self.global.write(&(0..active.len() * w).map(thread).collect::<Vec<_>>());
    }

    /// Executes a round of shared reads by all threads of the blocks `active`. `of` receives the number of a thread
    /// among all threads. It returns the number of the array and the index in the array, or `None` for a thread without
    /// a request. Returns the words in the order of the threads, 0 for a thread without a request.
    fn read_shared(&mut self, active: &[usize], of: impl Fn(usize) -> Option<(usize, usize)>) -> Vec<u64> {
        let (w, mut values) = (self.width, vec![0; active.len() * self.width]);
        self.on_each(active, |memory, threads, place| {
            let requests: Vec<_> = threads.iter().map(|thread| of(*thread).map(|(array, at)| place(*thread) + array * w + at)).collect();
            threads.iter().zip(memory.read(&requests)).for_each(|(thread, value)| values[*thread] = value);
        });
        values
    }

    /// Executes a round of shared writes by all threads of the blocks `active`. `of` receives the number of a thread
    /// among all threads. It returns the number of the array, the index in the array, and the word to write, or `None`
    /// for a thread without a request.
    fn write_shared(&mut self, active: &[usize], of: impl Fn(usize) -> Option<(usize, usize, u64)>) {
        let w = self.width;
        self.on_each(active, |memory, threads, place| {
            let request = |thread: &usize| of(*thread).map(|(array, at, value)| (place(*thread) + array * w + at, value));
            memory.write(&threads.iter().map(request).collect::<Vec<_>>());
        });
    }

    /// Executes a round on all DMMs at the same time, which takes as long as on the busiest one. For each DMM, `round`
    /// receives its shared memory, the numbers of its threads, and a function. This function converts the number of a
    /// thread to the address at which the arrays of its block begin.
    fn on_each(&mut self, active: &[usize], mut round: impl FnMut(&mut MachineMemory, &[usize], &dyn Fn(usize) -> usize)) {
        let (w, dmms) = (self.width, self.dmms.len());
        let place = |thread: usize| active[thread / w] / dmms * ARRAYS * w;
        let mut longest = 0;
        for (number, memory) in self.dmms.iter_mut().enumerate() {
            let threads: Vec<usize> = (0..active.len() * w).filter(|thread| active[thread / w] % dmms == number).collect();
            let before = memory.spent.time_units;
            round(memory, &threads, &place);
            longest = longest.max(memory.spent.time_units - before);
        }
        self.shared_time += longest;
    }
}

/// Returns the number of time units of a kernel call in which the blocks `from..to` process `columns` columns each.
pub fn call_time(machine: &HierarchicalMachine, from: u64, to: u64, columns: u64) -> u64 {
    let (blocks, above, levels) = (to - from, to - from.max(1), u64::from(machine.width.ilog2()));
    let global = blocks * (3 + 2 * columns) + above + (machine.global_latency - 1) * (3 + 2 * columns + u64::from(above > 0));
    let busiest = blocks.div_ceil(machine.dmms as u64);
    global + (busiest + machine.shared_latency - 1) * (3 + columns * (5 + 4 * levels))
}

/// Returns the number of time units of [`length`] if the first text fills `x` blocks and the second text fills `y`
/// steps. A block and a step have one symbol for each bit of `w` words of `bits` bits, where `w` is the width of
/// `machine`.
pub fn time(machine: &HierarchicalMachine, bits: u64, x: u64, y: u64) -> u64 {
    let columns = machine.width as u64 * bits;
    (0..(x + y).saturating_sub(1)).map(|call| call_time(machine, (call + 1).saturating_sub(y), (call + 1).min(x), columns)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::lcs::bit_parallel;

    fn machine(dmms: usize, width: usize, shared_latency: u64, global_latency: u64) -> HierarchicalMachine {
        HierarchicalMachine { dmms, width, shared_latency, global_latency }
    }

    fn text(rng: &mut fastrand::Rng, len: usize, sigma: u64) -> Vec<u64> {
        (0..len).map(|_| rng.u64(..sigma)).collect()
    }

    #[test]
    fn length_agrees_with_the_recurrence() {
        let mut rng = fastrand::Rng::with_seed(23);
        for round in 0..300 {
            let sigma = rng.u64(1..5);
            let (m, n) = (rng.usize(..50), rng.usize(..50));
            let (a, b) = (text(&mut rng, m, sigma), text(&mut rng, n, sigma));
            let (w, bits) = [(2, 3), (4, 2), (4, 5), (8, 1)][round % 4];
            let counted_here = length(&machine(1 + round % 3, w, 2, 9), bits, &a, &b, sigma as usize).length;
            assert_eq!(counted_here, u64::from(bit_parallel::length(&a, &b, &mut |_| Ok(())).unwrap()), "{a:?} {b:?} w = {w}, {bits} bits");
        }
    }

    #[test]
    fn time_agrees_with_the_formula_and_calls_with_the_paper() {
        let mut rng = fastrand::Rng::with_seed(24);
        for (dmms, w, shared, global) in [(1, 2, 1, 1), (2, 4, 3, 20), (3, 8, 5, 100)] {
            for (x, y, bits) in [(1, 1, 2), (1, 3, 2), (4, 1, 3), (3, 5, 2), (5, 2, 1)] {
                let (machine, side) = (machine(dmms, w, shared, global), w * bits);
                let (a, b) = (text(&mut rng, x * side, 3), text(&mut rng, y * side, 3));
                let counted = length(&machine, bits, &a, &b, 3);
                assert_eq!(counted.time_units, time(&machine, bits as u64, x as u64, y as u64), "{machine:?} {x} {y}");
                assert_eq!(counted.calls, (x + y - 1) as u64);
            }
        }
    }

    #[test]
    fn empty_text_takes_no_time() {
        let machine = machine(2, 4, 3, 20);
        assert_eq!(length(&machine, 4, &[], &[1, 0], 2), BitVectorResult { length: 0, time_units: 0, calls: 0 });
        assert_eq!(length(&machine, 4, &[0; 20], &[], 2).length, 0);
    }

    /// As in Table 1: for each cell, 0.27 M against 1.8 M is slower than 1.8 M against 1.8 M.
    #[test]
    fn narrow_table_costs_more_per_cell() {
        let machine = machine(15, 32, 16, 400);
        let a_cell = |x: u64, y: u64| time(&machine, 32, x, y) as f64 / (x * y) as f64;
        assert!(a_cell(256, 1024) > 1.3 * a_cell(1024, 1024), "{} {}", a_cell(256, 1024), a_cell(1024, 1024));
    }
}
