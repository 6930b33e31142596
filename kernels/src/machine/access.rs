//! Access: formulas for accesses to `n` words by `p` threads, contiguous, with a stride, or at random. `w` is the
//! width, `l` or `L` the latency of the [machine](crate::machine).
//!
//! Thread `t` makes the accesses `t, t + p, t + 2p …`, in `⌈n / p⌉` rounds. Lemma 1 of papers 000 and 003 is about
//! contiguous accesses: *coalesced* in global memory, *conflict-free* in shared memory. It gives `O(n/w + nL/p)` and
//! `O(n/w + nl/p)` time units for `n ≥ p ≥ w`. It requires that the first address is the first one of an address group
//! (`w` adjacent addresses). [`contiguous_from`] computes the cost of other first addresses, which the papers leave
//! open.

use super::{MemoryMachine, MemoryModel};

/// Returns the number of time units in which `p` threads read `n` adjacent words, one round after the other, from the
/// beginning of an address group. It is `⌈n/w⌉ + ⌈n/p⌉·(l − 1)`, where `w` is the width and `l` the latency of
/// `machine`. `w` must divide `p`.
pub fn contiguous(machine: &MemoryMachine, n: u64, p: u64) -> u64 {
    n.div_ceil(machine.width as u64) + n.div_ceil(p) * (machine.latency - 1)
}

/// Returns the number of time units in which `p` threads read `n` adjacent words from address `from` on. The width `w`
/// of `machine` must divide `n` and `p`. In global memory, each warp accesses two address groups (`w` adjacent
/// addresses) unless `w` divides `from`.
pub fn contiguous_from(machine: &MemoryMachine, from: u64, n: u64, p: u64) -> u64 {
    let w = machine.width as u64;
    let is_aligned = from.is_multiple_of(w) || w == 1;
    let groups = if machine.model == MemoryModel::Umm && !is_aligned { 2 } else { 1 };
    groups * n.div_ceil(w) + n.div_ceil(p) * (machine.latency - 1)
}

/// Returns the number of pipeline stages that a warp fills if its threads access the addresses `0, s, 2s …` for a
/// stride `s`. With the width `w` of `machine`, this is `gcd(s, w)` on a DMM and `min(s, w)` on a UMM. The number stays
/// the same if a multiple of `w·s` is added to all addresses.
pub fn stride_stages(machine: &MemoryMachine, stride: u64) -> u64 {
    let w = machine.width as u64;
    match machine.model {
        _ if stride == 0 => 1,
        MemoryModel::Dmm => greatest_common_divisor(stride, w),
        MemoryModel::Umm => stride.min(w),
    }
}

/// Returns the number of time units in which `p` threads read `n` words whose addresses are successive multiples of
/// `stride`. The width of `machine` must divide `p` and `n`.
pub fn stride(machine: &MemoryMachine, stride: u64, n: u64, p: u64) -> u64 {
    n / machine.width as u64 * stride_stages(machine, stride) + n.div_ceil(p) * (machine.latency - 1)
}

/// Returns the expected number of pipeline stages that a warp fills if each thread accesses a random word of a memory
/// of `words` words, independently of the other threads.
///
/// On a UMM this is the expected number of distinct address groups, `g·(1 − (1 − 1/g)^w)` for `g` groups of `w` words.
/// On a DMM it is the expected maximum number of requests to one bank, for a memory so large that no address is
/// requested twice.
pub fn random_stages(machine: &MemoryMachine, words: u64) -> f64 {
    let w = machine.width;
    match machine.model {
        MemoryModel::Umm => {
            let groups = words as f64 / w as f64;
            groups * (1.0 - (1.0 - 1.0 / groups).powi(w as i32))
        }
        // E[max] = Σ P(max > k).
        MemoryModel::Dmm => (0..w).map(|k| 1.0 - at_most(w, k)).sum(),
    }
}

/// Returns the probability that no bank receives more than `k` requests, if each of `w` threads requests from a random
/// one of `w` banks. It is `w!/w^w · [z^w] (Σ_{i ≤ k} z^i/i!)^w`, computed bank by bank.
fn at_most(w: usize, k: usize) -> f64 {
    // `of[r]` is the probability that no bank so far receives more than `k` requests, if `r` requests go to these
    // banks.
    let mut of = vec![0.0; w + 1];
    of[0] = 1.0;
    for bank in 1..=w {
        let mut next = vec![0.0; w + 1];
        for (sum, entry) in next.iter_mut().enumerate() {
            // Of `sum` requests in `bank` banks, the number in the last bank has a binomial distribution.
            let (mut chance, others) = (1.0, (bank - 1) as f64);
            let powers: Vec<f64> = (0..=k.min(sum))
                .map(|last| {
                    if last > 0 {
                        chance *= (sum - last + 1) as f64 / last as f64;
                    }
                    chance * others.powi((sum - last) as i32) / (bank as f64).powi(sum as i32)
                })
                .collect();
            *entry = powers.iter().enumerate().map(|(last, weight)| weight * of[sum - last]).sum();
        }
        of = next;
    }
    of[w]
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::memory::MachineMemory;

    const MACHINES: [MemoryMachine; 2] =
        [MemoryMachine { model: MemoryModel::Dmm, width: 8, latency: 5 }, MemoryMachine { model: MemoryModel::Umm, width: 8, latency: 30 }];

    /// Simulates `n` reads by `p` threads and returns their time units. `address` returns the address of each read.
    fn counted(machine: MemoryMachine, n: u64, p: u64, address: impl Fn(u64) -> u64) -> u64 {
        let addresses: Vec<usize> = (0..n).map(|i| address(i) as usize).collect();
        let mut memory = MachineMemory::new(machine, addresses.iter().max().map_or(0, |last| last + 1));
        addresses.chunks(p as usize).for_each(|round| {
            memory.read(&round.iter().copied().map(Some).collect::<Vec<_>>());
        });
        memory.spent.time_units
    }

    #[test]
    fn round_of_all_threads_takes_p_over_w_plus_latency_minus_1() {
        for machine in MACHINES {
            for p in [8, 16, 64, 256] {
                assert_eq!(counted(machine, p, p, |i| i), p / 8 + machine.latency - 1);
            }
        }
    }

    #[test]
    fn contiguous_access_takes_the_time_of_its_formula() {
        for machine in MACHINES {
            for (n, p) in [(64, 8), (64, 64), (1000, 8), (1000, 40), (1001, 256), (1, 8), (0, 8)] {
                assert_eq!(counted(machine, n, p, |i| i), contiguous(&machine, n, p), "{machine:?} {n} {p}");
            }
        }
    }

    #[test]
    fn lemma_1_bounds_contiguous_access_from_both_sides() {
        for machine in MACHINES {
            for (n, p) in [(64, 8), (64, 64), (1000, 8), (1000, 40), (4096, 256), (4096, 4096)] {
                let lemma = (n as f64) / 8.0 + (n * machine.latency) as f64 / p as f64;
                let ratio = counted(machine, n, p, |i| i) as f64 / lemma;
                assert!((0.5..=2.0).contains(&ratio), "{machine:?} {n} {p}: {ratio}");
            }
        }
    }

    #[test]
    fn unaligned_words_access_a_second_group_in_global_memory_only() {
        for machine in MACHINES {
            for from in 0..20 {
                let expected = contiguous_from(&machine, from, 64, 16);
                assert_eq!(counted(machine, 64, 16, |i| from + i), expected, "{machine:?} {from}");
            }
        }
        assert_eq!(contiguous_from(&MACHINES[1], 8, 64, 64), 8 + 29);
        assert_eq!(contiguous_from(&MACHINES[1], 9, 64, 64), 16 + 29);
    }

    #[test]
    fn stride_causes_bank_conflicts_and_spreads_over_groups() {
        for machine in MACHINES {
            for step in 0..=40 {
                assert_eq!(counted(machine, 64, 16, |i| i * step), stride(&machine, step, 64, 16), "{machine:?} {step}");
            }
        }
        let [dmm, umm] = MACHINES;
        assert_eq!([1, 2, 3, 8, 9].map(|step| stride_stages(&dmm, step)), [1, 2, 1, 8, 1]);
        assert_eq!([1, 2, 3, 8, 9].map(|step| stride_stages(&umm, step)), [1, 2, 3, 8, 8]);
    }

    #[test]
    fn random_accesses_take_the_expected_stages() {
        const WARPS: u64 = 20_000;
        let words = 1 << 20;
        for machine in MACHINES {
            let mut rng = fastrand::Rng::with_seed(3);
            let total: u64 = (0..WARPS).map(|_| machine.stages(&[(); 8].map(|()| Some(rng.usize(..words))))).sum();
            let (mean, expected) = (total as f64 / WARPS as f64, random_stages(&machine, words as u64));
            assert!((mean - expected).abs() < 0.03, "{machine:?}: {mean} instead of {expected}");
        }
        // Two requests to two banks collide with probability 1/2.
        assert!((random_stages(&MemoryMachine::dmm(2, 1), 1 << 40) - 1.5).abs() < 1e-9);
    }
}
