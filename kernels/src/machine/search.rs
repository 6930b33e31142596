//! Search: approximate search on the machines. Simulates both parallel algorithms of papers 000 and 003 on memories
//! with contents, counts the time of every access, and gives the time by exact formulas.
//!
//! - [`diagonal`]: "Improved parallel ASM algorithm" on a DMM, section 5 of both papers
//! - [`slices`](mod@slices): "Parallel ASM algorithm on the HMM", section 6 of both papers
//!
//! Cells are mapped to threads as in the papers, with one departure. In paper 000, `m` threads have to compute the
//! values for `i` from 0 to `m`. The additional value costs a second round in every step, for a column of zeros. Here,
//! as in paper 003, thread `t` has `i = t + 1`, and column 0 is written in advance. All three rows of column 0 are
//! written; both papers omit `e[2][0]`. All values except for the input texts and `e`, such as the minimum so far, are
//! in registers, as the papers assume.
//!
//! A cell takes six rounds: reads of `x[i]`, `y[j]`, `e[j−1][i]`, `e[j][i−1]`, `e[j−1][i−1]`, and a write of `e[j][i]`,
//! with rows modulo 3. All are conflict-free, because rows of `e` are padded to a multiple of `w`.

use super::MemoryMachine;
use super::memory::MachineMemory;
pub use slices::{SliceMapping, resident_steps, slices, slices_steps};

mod slices;

/// The result and the cost of a simulated approximate search by [`diagonal`] or [`slices`](fn@slices).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceSearchResult {
    /// Smallest distance between the pattern and a substring of the text.
    pub least: u64,
    /// Number of time units of the whole run.
    pub time_units: u64,
    /// Number of time units of each of the four steps of the search in slices (papers 000 and 003, section 6). A search
    /// by [`diagonal`] has only the second step.
    pub steps: [u64; 4],
    /// Elapsed time units before the first round of step 2, after each of its rounds, and after each level of step 4.
    /// The entry after the last round of step 2 includes step 3. The last entry is the time of the whole run.
    pub elapsed: Vec<u64>,
}

/// A thread block that searches one slice of the text: the addresses of its arrays in shared memory, and its result.
struct SliceThreadBlock {
    /// Address of the matrix `e`: three rows of `m + 1` words, each padded to a multiple of the width `w`.
    e: usize,
    /// Number of words from a row of `e` to the next.
    row: usize,
    /// Address of the pattern.
    x: usize,
    /// Address of the slice of the text.
    y: usize,
    /// Length of the slice, in symbols.
    n: usize,
    /// Smallest value in the last row of the matrix so far.
    least: u64,
}

impl SliceThreadBlock {
    /// Places the arrays of a block in shared memory from address `at` on, for a pattern of `m` symbols, a slice of `n`
    /// symbols, and the width `w`. Returns the block and the address after its arrays.
    fn new(at: usize, m: usize, n: usize, w: usize) -> (Self, usize) {
        let row = (m + 1).next_multiple_of(w);
        let x = at + 3 * row;
        let y = x + m.next_multiple_of(w);
        (Self { e: at, row, x, y, n, least: m as u64 }, y + n.next_multiple_of(w))
    }

    fn e(&self, j: usize, i: usize) -> usize {
        self.e + j % 3 * self.row + i
    }

    /// Returns the column of the cell in row `i` that is computed in step `k` of the matrix. Returns `None` if this
    /// column is before `from` or behind the end of the slice.
    fn column(&self, k: usize, i: usize, from: usize) -> Option<usize> {
        (k + 1).checked_sub(i).filter(|j| (from..=self.n).contains(j))
    }
}

/// Searches for the pattern `x` in the text `y` by a simulation of a DMM with `p` threads. The memory of the DMM holds
/// both texts from the beginning.
///
/// # Panics
/// Panics if `x` is empty or `p` is 0.
pub fn diagonal(machine: MemoryMachine, x: &[u64], y: &[u64], p: usize) -> SliceSearchResult {
    let (block, words) = SliceThreadBlock::new(0, x.len(), y.len(), machine.width);
    let mut memory = MachineMemory::new(machine, words);
    memory.load(block.x, x.iter().copied());
    memory.load(block.y, y.iter().copied());
    let mut blocks = [block];
    let over = fill(&mut memory, &mut blocks, x.len(), p, machine.width);
    let time_units = memory.spent.time_units;
    SliceSearchResult { least: blocks[0].least, time_units, steps: [0, time_units, 0, 0], elapsed: over }
}

/// Returns the number of time units that [`diagonal`] takes with `p` threads for a pattern of `m` symbols in a text of
/// `n ≥ 1` symbols. The width `w` of `machine` must be at least 2, and it must divide `p` unless `p ≥ m`. With the
/// latency `l`, `g = ⌈m/w⌉` warps, and `c = ⌈m/p⌉` rounds in which `p` threads process `m` rows, it is
///
/// ```text
/// 5·[g(n−1) + m + (l−1)(c(n−1) + m)]   reads: a warp of v rows has a cell in n + v − 1 steps
///   + gn + m − 1 + (l−1)(cn + m − 1)   writes: column 0 too, but not of row 1, which is there
///   + nl + 4l                          the last row's values, and what e begins with
/// ```
pub fn diagonal_time(machine: &MemoryMachine, m: u64, n: u64, p: u64) -> u64 {
    blocks_time(machine, 1, m, n, p)
}

/// Returns the number of time units in which `blocks` thread blocks each fill a matrix of `m` by `n` cells on one
/// discrete memory machine (DMM). Each block has `t` threads. The blocks execute their rounds together, so that they
/// share each latency.
fn blocks_time(machine: &MemoryMachine, blocks: u64, m: u64, n: u64, t: u64) -> u64 {
    let (w, wait) = (machine.width as u64, machine.latency - 1);
    let rounds = |stages_of: &dyn Fn(u64) -> u64| blocks * stages_of(m.div_ceil(w)) + wait * stages_of(m.div_ceil(t));
    5 * rounds(&|parts| parts * (n - 1) + m) + rounds(&|parts| parts * n + m - 1) + (n + 4) * (blocks + wait)
}

/// Executes step 2 on one DMM: every block fills its matrix `e` with `t` threads, all blocks in the same rounds. `m` is
/// the length of the pattern, and `w` the width of the machine. Returns the elapsed time units before the first round
/// and after each round.
fn fill(memory: &mut MachineMemory, blocks: &mut [SliceThreadBlock], m: usize, t: usize, w: usize) -> Vec<u64> {
    // One thread of each block writes the initial values of row 0 and column 0.
    for (j, i, value) in [(0, 0, 0), (0, 1, 1), (1, 0, 0), (2, 0, 0)] {
        memory.write(&per_block(blocks, 1, w, |block, _| Some((block.e(j, i), value))));
    }
    let longest = blocks.iter().map(|block| block.n).max().unwrap_or_default();
    let mut over = vec![memory.spent.time_units];
    for k in 1..longest + m {
        for from in (0..m).step_by(t) {
            let rows = from + 1..(from + t).min(m) + 1;
            let of = |at: &dyn Fn(&SliceThreadBlock, usize, usize) -> usize| -> Vec<Option<usize>> {
                per_block(blocks, rows.len(), w, |block, lane| {
                    let i = rows.start + lane;
                    block.column(k, i, 1).map(|j| at(block, j, i))
                })
            };
            let x = memory.read(&of(&|block, _, i| block.x + i - 1));
            let y = memory.read(&of(&|block, j, _| block.y + j - 1));
            let left = memory.read(&of(&|block, j, i| block.e(j - 1, i)));
            let above = memory.read(&of(&|block, j, i| block.e(j, i - 1)));
            let before = memory.read(&of(&|block, j, i| block.e(j - 1, i - 1)));
            let cell = |at: usize| (left[at] + 1).min(above[at] + 1).min(before[at] + u64::from(x[at] != y[at]));
            let width = rows.len().next_multiple_of(w);
            let writes: Vec<_> = per_block(blocks, rows.len(), w, |block, lane| {
                let i = rows.start + lane;
                block.column(k, i, 0).map(|j| (block.e(j, i), j))
            });
            let writes = writes.into_iter().enumerate().map(|(at, write)| {
                let i = rows.start + at % width;
                write.map(|(address, j)| (address, if j == 0 { i as u64 } else { cell(at) }))
            });
            memory.write(&writes.collect::<Vec<_>>());
        }
        // One thread of each block includes the new value of the last row in the minimum.
        let last = memory.read(&per_block(blocks, 1, w, |block, _| block.column(k, m, 1).map(|j| block.e(j, m))));
        for (number, block) in blocks.iter_mut().enumerate() {
            if block.column(k, m, 1).is_some() {
                block.least = block.least.min(last[number * w]);
            }
        }
        over.push(memory.spent.time_units);
    }
    over
}

/// Calls `request(block, thread)` for `t` threads of each block, and returns the results in order. Each block is padded
/// with `None` to whole warps of `w` threads, because a warp belongs to one block.
fn per_block<T>(
    blocks: &[SliceThreadBlock],
    t: usize,
    w: usize,
    request: impl Fn(&SliceThreadBlock, usize) -> Option<T>,
) -> Vec<Option<T>> {
    let lanes = t.next_multiple_of(w);
    blocks.iter().flat_map(|block| (0..lanes).map(|lane| if lane < t { request(block, lane) } else { None }).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(x: &[u64], y: &[u64]) -> u64 {
        let mut row: Vec<u64> = vec![0; y.len() + 1];
        for (i, symbol) in (1..).zip(x) {
            let mut before = std::mem::replace(&mut row[0], i);
            for j in 1..=y.len() {
                let cell = (row[j] + 1).min(row[j - 1] + 1).min(before + u64::from(*symbol != y[j - 1]));
                before = std::mem::replace(&mut row[j], cell);
            }
        }
        row.into_iter().min().unwrap_or_default()
    }

    #[test]
    fn answer_is_right_and_time_agrees_with_the_formula() {
        let mut rng = fastrand::Rng::with_seed(2);
        for (m, n) in [(1, 1), (1, 9), (2, 1), (3, 8), (4, 4), (7, 30), (8, 8), (9, 40), (16, 17), (33, 70)] {
            for (w, l) in [(2, 1), (4, 5), (8, 3)] {
                for p in [w, 2 * w, 4 * w, m, m + 3] {
                    if p % w != 0 && p < m {
                        continue;
                    }
                    let x: Vec<u64> = (0..m).map(|_| rng.u64(..2)).collect();
                    let y: Vec<u64> = (0..n).map(|_| rng.u64(..2)).collect();
                    let machine = MemoryMachine::dmm(w, l);
                    let counted = diagonal(machine, &x, &y, p);
                    assert_eq!(counted.least, least(&x, &y), "{x:?} {y:?}");
                    let formula = diagonal_time(&machine, m as u64, n as u64, p as u64);
                    assert_eq!(counted.time_units, formula, "m = {m}, n = {n}, w = {w}, l = {l}, p = {p}");
                    assert_eq!((counted.elapsed.len(), counted.elapsed.last()), (n + m, Some(&formula)));
                }
            }
        }
    }

    #[test]
    fn accesses_to_the_matrix_have_no_bank_conflict() {
        // With a latency of 1, a round takes its stages: one for each warp that has a request.
        let (x, y) = ([1; 15], [1; 40]);
        let stages = |w: usize| diagonal(MemoryMachine::dmm(w, 1), &x, &y, 16).time_units;
        assert_eq!(stages(16), 5 * (39 + 15) + 40 + 14 + 44);
        // Rows that are not a multiple of the width would cause conflicts, because row j and row j + 1 of e lie a step
        // apart.
        let machine = MemoryMachine::dmm(4, 1);
        let unpadded = |row: usize| machine.stages(&[(0, 4), (1, 3), (2, 2), (0, 1)].map(|(j, i)| Some(j * row + i)));
        assert_eq!((unpadded(8), unpadded(7)), (1, 2));
    }
}
