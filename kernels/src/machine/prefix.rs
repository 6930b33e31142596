//! Prefix: minimum and prefix sums on one memory.
//!
//! Step 4 of the search in papers 000 and 003 takes the minimum of `D` numbers "in `O(D/w + DL/p + L)` time units on
//! the UMM". A tree has `⌈log₂ D⌉` levels, and each waits for the level below. The last term is therefore `L·log D`
//! instead of `L` ([`minimum_time`]). The paper that both cite for this has `O(n/w + nl/p + l·log n)` and shows that
//! less is impossible (Nakano, "An Optimal Parallel Prefix-Sums Algorithm on the Memory Machine Models for GPUs",
//! 2012). For long texts the difference is negligible.
//!
//! Prefix sums are computed by a tree that is traversed upwards and downwards. In place, as in the source of paper 003
//! (Harris and others, 2007), the stride doubles from level to level and causes bank conflicts: `O((n/w)·log w)` stages
//! ([`sum_in_place`]). With a separate array for each level, the stride is 2 everywhere ([`prefix_sums`]): `O(n/w)`
//! stages.

use super::MemoryMachine;
use super::memory::MachineMemory;

/// Stores the minimum of the words `at..at + n` in word `at`, with `p` threads. Returns the number of time units of
/// each level of the tree, from its leaves to its root.
///
/// In each of the `⌈log₂ n⌉` levels, each word of the first half is replaced by the minimum of itself and a word of the
/// second half. For each `p` words, a level takes three rounds: two reads and a write.
///
/// # Panics
/// Panics if `p` is 0 or the words reach beyond the end of the memory.
pub fn minimum(memory: &mut MachineMemory, at: usize, n: usize, p: usize) -> Vec<u64> {
    tree(memory, at, n, p, u64::min)
}

/// Stores the sum of the words `at..at + n` in word `at`, with `p` threads. Returns the number of time units of each
/// level of the tree, which are the same as for [`minimum`].
///
/// # Panics
/// Panics if `p` is 0 or the words reach beyond the end of the memory.
pub fn sum(memory: &mut MachineMemory, at: usize, n: usize, p: usize) -> Vec<u64> {
    tree(memory, at, n, p, |x, y| x + y)
}

fn tree(memory: &mut MachineMemory, at: usize, n: usize, p: usize, of: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let (mut left, mut levels) = (n, Vec::new());
    while left > 1 {
        let (half, before) = (left.div_ceil(2), memory.spent.time_units);
        combine(memory, left - half, p, |i| at + i, |i| at + half + i, &of);
        levels.push(memory.spent.time_units - before);
        left = half;
    }
    levels
}

/// Returns the number of time units that [`minimum`] takes with `p` threads for `n` words from the start of an address
/// group. It is `3·Σ (⌈h/w⌉ + ⌈h/p⌉·(l − 1))` over the levels `h = n/2, n/4 … 1`, where `w` is the width and `l` the
/// latency of `machine`. `n` and `w` must be powers of two, and `w` must divide `p`.
pub fn minimum_time(machine: &MemoryMachine, n: u64, p: u64) -> u64 {
    3 * levels(n).map(|h| rounds(machine, h, 1, p)).sum::<u64>()
}

/// Replaces each of the words `0..n` by the sum of this word and all words before it, with `p` threads. `n` must be a
/// power of two. The words `n..2n` are used as working memory.
///
/// # Panics
/// Panics if `p` is 0 or the memory has fewer than `2n` words.
pub fn prefix_sums(memory: &mut MachineMemory, n: usize, p: usize) {
    // Start of the words of each level. Level k has n / 2^k sums of 2^k words each.
    let mut starts = vec![0];
    let mut size = n;
    while size > 1 {
        let (from, to) = (starts[starts.len() - 1], starts[starts.len() - 1] + size);
        size /= 2;
        each(size, p, |threads| {
            let left = memory.read(&threads.clone().map(|i| Some(from + 2 * i)).collect::<Vec<_>>());
            let right = memory.read(&threads.clone().map(|i| Some(from + 2 * i + 1)).collect::<Vec<_>>());
            memory.write(&threads.zip(left.iter().zip(&right)).map(|(i, (x, y))| Some((to + i, x + y))).collect::<Vec<_>>());
        });
        starts.push(to);
    }
    // Downwards: the sum up to the end of a pair is the sum of its parent. The sum up to the middle of the pair is less
    // by the right half.
    for pair in starts.windows(2).rev() {
        let (from, to) = (pair[0], pair[1]);
        each(size, p, |threads| {
            let sums = memory.read(&threads.clone().map(|i| Some(to + i)).collect::<Vec<_>>());
            let right = memory.read(&threads.clone().map(|i| Some(from + 2 * i + 1)).collect::<Vec<_>>());
            memory.write(&threads.clone().zip(&sums).map(|(i, sum)| Some((from + 2 * i + 1, *sum))).collect::<Vec<_>>());
            let left = sums.iter().zip(&right).map(|(sum, right)| sum - right);
            memory.write(&threads.zip(left).map(|(i, sum)| Some((from + 2 * i, sum))).collect::<Vec<_>>());
        });
        size *= 2;
    }
}

/// Returns the number of time units that [`prefix_sums`] takes with `p` threads for `n` words. A level of the tree with
/// `h` pairs takes two rounds of contiguous accesses to `h` words, and five rounds of accesses at stride 2. `n` and the
/// width `w` of `machine` must be powers of two. `w` must be at least 2, and must divide `p`.
pub fn prefix_sums_time(machine: &MemoryMachine, n: u64, p: u64) -> u64 {
    levels(n).map(|h| 2 * rounds(machine, h, 1, p) + 5 * rounds(machine, h, 2, p)).sum()
}

/// Stores the sum of the words `0..n` in word `n − 1`, with `p` threads, by a tree in place whose strides double from
/// level to level. `n` must be a power of two.
///
/// # Panics
/// Panics if `p` is 0 or the words reach beyond the end of the memory.
pub fn sum_in_place(memory: &mut MachineMemory, n: usize, p: usize) {
    let mut stride = 1;
    while stride < n {
        let at = |i: usize| (2 * i + 2) * stride - 1;
        combine(memory, n / (2 * stride), p, at, |i| (2 * i + 1) * stride - 1, |x, y| x + y);
        stride *= 2;
    }
}

/// Replaces the word x at address `to(i)` by `of(x, y)`, where y is the word at address `from(i)`, for each `i` below
/// `items`. `p` threads process `p` items at a time.
fn combine(
    memory: &mut MachineMemory,
    items: usize,
    p: usize,
    to: impl Fn(usize) -> usize,
    from: impl Fn(usize) -> usize,
    of: impl Fn(u64, u64) -> u64,
) {
    each(items, p, |threads| {
        let x = memory.read(&threads.clone().map(|i| Some(to(i))).collect::<Vec<_>>());
        let y = memory.read(&threads.clone().map(|i| Some(from(i))).collect::<Vec<_>>());
        memory.write(&threads.zip(x.iter().zip(&y)).map(|(i, (x, y))| Some((to(i), of(*x, *y)))).collect::<Vec<_>>());
    });
}

/// Calls `run` with the ranges `0..p`, `p..2p` and so on up to `items`.
fn each(items: usize, p: usize, mut run: impl FnMut(std::ops::Range<usize>)) {
    (0..items).step_by(p).for_each(|from| run(from..(from + p).min(items)));
}

/// Returns the numbers of pairs in the levels of a binary tree over `n` words, from the leaves up: n/2, n/4 … 1. `n`
/// must be a power of two.
fn levels(n: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(n / 2), |h| Some(h / 2)).take_while(|h| *h > 0)
}

/// Returns the number of time units in which `p` threads access `h` words at the given stride, 1 or 2.
fn rounds(machine: &MemoryMachine, h: u64, stride: u64, p: u64) -> u64 {
    (stride * h).div_ceil(machine.width as u64) + h.div_ceil(p) * (machine.latency - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINES: [fn(usize, u64) -> MemoryMachine; 2] = [MemoryMachine::dmm, MemoryMachine::umm];

    fn filled(machine: MemoryMachine, words: &[u64]) -> MachineMemory {
        let mut memory = MachineMemory::new(machine, 2 * words.len());
        memory.load(0, words.iter().copied());
        memory
    }

    #[test]
    fn minimum_takes_the_time_of_its_formula() {
        let mut rng = fastrand::Rng::with_seed(4);
        for machine in MACHINES.map(|of| of(8, 30)) {
            for n in [1, 2, 4, 8, 16, 64, 1024] {
                for p in [8, 64, 512] {
                    let words: Vec<u64> = (0..n).map(|_| rng.u64(..1000)).collect();
                    let mut memory = filled(machine, &words);
                    let levels = minimum(&mut memory, 0, n, p);
                    assert_eq!(Some(memory.at(0)), words.into_iter().min());
                    assert_eq!((levels.len(), levels.iter().sum()), (n.ilog2() as usize, memory.spent.time_units));
                    assert_eq!(memory.spent.time_units, minimum_time(&machine, n as u64, p as u64), "{machine:?} {n} {p}");
                }
            }
        }
    }

    #[test]
    fn minimum_of_any_number_of_words_is_right() {
        for n in 1..100 {
            let words: Vec<u64> = (0..n).map(|i| (i * 37 + 11) % 101).collect();
            let mut memory = filled(MemoryMachine::umm(4, 3), &words);
            minimum(&mut memory, 0, n as usize, 8);
            assert_eq!(Some(memory.at(0)), words.into_iter().min());
        }
    }

    #[test]
    fn step_4_takes_one_latency_per_level_but_papers_state_one_in_all() {
        let umm = MemoryMachine::umm(32, 400);
        let over_claim = |n: u64| {
            let claim = n / 32 + n * 400 / n + 400;
            minimum_time(&umm, n, n) as f64 / claim as f64
        };
        // The ratio grows without bound, so no constant makes the claim hold.
        assert!(over_claim(64) > 8.0 && over_claim(1024) > 13.0 && over_claim(4096) > 15.0);
        let with_logarithm = |n: u64| minimum_time(&umm, n, n) as f64 / (n / 32 + 400 + 400 * u64::from(n.ilog2())) as f64;
        assert!([64, 1024, 4096].into_iter().all(|n| with_logarithm(n) < 3.0));
    }

    #[test]
    fn prefix_sums_are_right_and_take_the_time_of_their_formula() {
        let mut rng = fastrand::Rng::with_seed(5);
        for machine in MACHINES.map(|of| of(8, 5)) {
            for n in [1, 2, 4, 8, 16, 64, 1024] {
                for p in [8, 64, 512] {
                    let words: Vec<u64> = (0..n).map(|_| rng.u64(..1000)).collect();
                    let mut memory = filled(machine, &words);
                    prefix_sums(&mut memory, n, p);
                    let mut sum = 0;
                    for (at, word) in words.iter().enumerate() {
                        sum += word;
                        assert_eq!(memory.at(at), sum);
                    }
                    assert_eq!(memory.spent.time_units, prefix_sums_time(&machine, n as u64, p as u64), "{machine:?} {n} {p}");
                }
            }
        }
    }

    #[test]
    fn prefix_sums_take_the_time_of_the_cited_paper() {
        for machine in MACHINES.map(|of| of(32, 20)) {
            for (n, p) in [(1u64 << 10, 32), (1 << 10, 1 << 10), (1 << 20, 1 << 10), (1 << 20, 1 << 20)] {
                let claim = n / 32 + n * 20 / p + 20 * u64::from(n.ilog2());
                let ratio = prefix_sums_time(&machine, n, p) as f64 / claim as f64;
                assert!((1.0..=20.0).contains(&ratio), "{n} {p}: {ratio}");
            }
        }
    }

    #[test]
    fn prefix_sums_in_place_cause_bank_conflicts() {
        let n = 1 << 14;
        let mut in_place = filled(MemoryMachine::dmm(32, 1), &vec![1; n]);
        sum_in_place(&mut in_place, n, n);
        assert_eq!(in_place.at(n - 1), n as u64);
        let mut apart = filled(MemoryMachine::dmm(32, 1), &vec![1; n]);
        minimum(&mut apart, 0, n, n);
        // Each level with a stride of 2, 4 … 32 fills as many stages as the first one, n/w. Without conflicts it would
        // fill half the stages of the previous level.
        let (n, w) = (n as u64, 32);
        assert_eq!(in_place.spent.stages, 3 * (5 * n / w + (n / w - 1)));
        assert!(in_place.spent.stages > 5 * apart.spent.stages);
    }
}
