//! Machine models: predict the cost of parallel methods in time units, without a GPU.
//!
//! A *memory machine* has `w` banks (its width), which are accessed through a pipeline of `l` stages (its latency). Its
//! `p` threads form warps of `w` threads. Warps are dispatched in turn, each with at most one request per thread; warps
//! without requests are skipped. The requests of a warp that can be served together form one stage. The pipeline
//! accepts one stage in each time unit:
//!
//! - DMM, the *discrete memory machine*, models shared memory: address `a` is in bank `a mod w`, and a bank serves one
//!   address at a time.
//! - UMM, the *unified memory machine*, models global memory: address `a` is in the address group `⌊a / w⌋`, and the
//!   memory serves one group at a time.
//! - HMM, the *hierarchical memory machine*, consists of `d` DMMs with latency `l`, and one UMM with latency `L` for
//!   all their threads.
//!
//! A round of requests, one per thread, that fills `k` stages takes `k + l − 1` time units.
//!
//! The models are those of paper 000, "An Optimal Implementation of the Approximate String Matching on the Hierarchical
//! Memory Machine" (Man, Nakano, Ito, IEICE Transactions E97-D 12, 2014), section 2, and of paper 003, "A Parallel
//! Algorithm for Approximate String Matching Based on Hierarchical Memory Machine" (Man, Song, 2015), section 2. Paper
//! 000 defines a conflict-free warp in two ways. First it requires "distinct banks"; section 3 then requires that two
//! addresses are equal or in distinct banks. This module implements the second definition: equal addresses are served
//! together. Paper 003 prints that condition for `i` and `j` instead of the addresses `a(i)` and `a(j)`.
//!
//! ```
//! use kernels::machine::MemoryMachine;
//!
//! // Figure 3 of the paper: two warps of four threads.
//! let requests = [7, 5, 15, 0, 10, 11, 12, 9].map(Some);
//! assert_eq!(MemoryMachine::dmm(4, 5).round(&requests).time_units(), 7);
//! assert_eq!(MemoryMachine::umm(4, 5).round(&requests).time_units(), 9);
//! ```
//!
//! - [`access`]: formulas for rounds of contiguous, stride and random accesses
//! - [`memory`]: a memory with contents that counts its accesses
//! - [`pipeline`]: warps that do not wait for each other between rounds
//! - [`prefix`]: minimum and prefix sums
//! - [`search`]: approximate search on a DMM and on an HMM, simulated and by exact formula
//! - [`pieces`]: exact search in pieces on a UMM
//! - [`streams`]: match count with a stream for each symbol on a UMM
//! - [`bit_vectors`]: longest common subsequence by blocks of bit vectors on an HMM
//! - [`carries`]: carries of an addition on a DMM, by selection and from word to word
//! - [`bounds`]: bounds of the lemmas and theorems of paper 000
//! - [`published`]: the measurements of papers 000, 001 and 003 beside the predictions

pub mod access;
pub mod bit_vectors;
pub mod bounds;
pub mod carries;
pub mod memory;
pub mod pieces;
pub mod pipeline;
pub mod prefix;
pub mod published;
pub mod search;
pub mod streams;

/// The rule by which a memory serves several requests of a warp (`w` threads that request together) in one pipeline
/// stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryModel {
    /// Discrete memory machine: serves requests to distinct banks together, like shared memory of a GPU.
    Dmm,
    /// Unified memory machine: serves requests to one address group (`w` adjacent addresses) together, like global
    /// memory of a GPU.
    Umm,
}

/// A discrete or unified memory machine (DMM or UMM), with width `w` and latency `l`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryMachine {
    /// Rule that decides which requests of a warp are served together.
    pub model: MemoryModel,
    /// Number of banks, or of words in an address group, which is also the number of threads in a warp (`w`). At least
    /// 1.
    pub width: usize,
    /// Time units from a request until it is served (`l`), at least 1.
    pub latency: u64,
}

/// A hierarchical memory machine (HMM): `d` discrete memory machines (DMMs) and one unified memory machine (UMM) of the
/// same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HierarchicalMachine {
    /// Number of discrete memory machines (DMMs), called `d`. Each stands for a multiprocessor of a GPU.
    pub dmms: usize,
    /// Number of banks of each memory, which is also the number of threads in a warp, called `w`.
    pub width: usize,
    /// Latency of the shared memories in time units, called `l`.
    pub shared_latency: u64,
    /// Latency of the global memory in time units, called `L`.
    pub global_latency: u64,
}

/// One stage of a memory's pipeline: requests of one warp that the memory serves together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineStage {
    /// Number of the warp (threads that request together) that makes these requests, from 0.
    pub warp: usize,
    /// Numbers of the requesting threads, counted over all warps, in ascending order.
    pub threads: Vec<usize>,
}

/// The cost of one round, in which each thread makes at most one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundCost {
    /// Number of pipeline stages that the requests fill. Requests that are served together fill one stage.
    pub stages: u64,
    /// Latency of the memory in time units.
    pub latency: u64,
}

impl RoundCost {
    /// Returns the number of time units from the first request until the last one is served: stages + latency − 1, or 0
    /// if there was no request.
    pub fn time_units(&self) -> u64 {
        if self.stages == 0 { 0 } else { self.stages + self.latency - 1 }
    }
}

impl MemoryMachine {
    /// Creates a discrete memory machine (DMM), like shared memory, with `width` banks and a latency in time units.
    pub fn dmm(width: usize, latency: u64) -> Self {
        Self { model: MemoryModel::Dmm, width, latency }
    }

    /// Creates a unified memory machine (UMM), like global memory, with address groups of `width` words and a latency
    /// in time units.
    pub fn umm(width: usize, latency: u64) -> Self {
        Self { model: MemoryModel::Umm, width, latency }
    }

    /// Returns the number of the bank that contains `address`.
    pub fn bank(&self, address: usize) -> usize {
        address % self.width
    }

    /// Returns the number of the address group (`width` adjacent addresses) that contains `address`.
    pub fn group(&self, address: usize) -> usize {
        address / self.width
    }

    /// Returns the number of pipeline stages that the requests of one warp fill. `warp` holds the address that each
    /// thread requests, or `None` for a thread without a request. Takes O(w log w) time for a warp of `w` threads.
    pub fn stages(&self, warp: &[Option<usize>]) -> u64 {
        let mut addresses: Vec<usize> = warp.iter().flatten().copied().collect();
        addresses.sort_unstable();
        addresses.dedup();
        match self.model {
            MemoryModel::Umm => addresses.chunk_by(|a, b| self.group(*a) == self.group(*b)).count() as u64,
            MemoryModel::Dmm => {
                let mut of_bank = vec![0; self.width];
                addresses.iter().for_each(|address| of_bank[self.bank(*address)] += 1);
                of_bank.into_iter().max().unwrap_or_default()
            }
        }
    }

    /// Returns the cost of a round of requests. `requests` holds the address that each thread requests, or `None` for a
    /// thread without a request.
    pub fn round(&self, requests: &[Option<usize>]) -> RoundCost {
        RoundCost { stages: requests.chunks(self.width).map(|warp| self.stages(warp)).sum(), latency: self.latency }
    }

    /// Returns the stages of a round in the order in which they enter the pipeline. `requests` holds the address that
    /// each thread requests, or `None` for a thread without a request.
    ///
    /// On the DMM, the n-th stage of a warp serves the n-th address of every bank. On the UMM, the n-th stage serves
    /// the n-th address group. Addresses and groups are counted in the order of the warp's threads.
    pub fn schedule(&self, requests: &[Option<usize>]) -> Vec<PipelineStage> {
        let warps = requests.chunks(self.width).enumerate();
        warps.flat_map(|(warp, requests)| self.schedule_warp(warp, requests)).collect()
    }

    fn schedule_warp(&self, warp: usize, requests: &[Option<usize>]) -> Vec<PipelineStage> {
        let mut stages: Vec<PipelineStage> = Vec::new();
        let mut groups: Vec<usize> = Vec::new();
        let mut of_bank: Vec<Vec<usize>> = vec![Vec::new(); self.width];
        for (lane, request) in requests.iter().enumerate() {
            let Some(address) = *request else { continue };
            let (asked, wanted) = match self.model {
                MemoryModel::Dmm => (&mut of_bank[self.bank(address)], address),
                MemoryModel::Umm => (&mut groups, self.group(address)),
            };
            let stage = asked.iter().position(|other| *other == wanted).unwrap_or_else(|| {
                asked.push(wanted);
                asked.len() - 1
            });
            if stage == stages.len() {
                stages.push(PipelineStage { warp, threads: Vec::new() });
            }
            stages[stage].threads.push(warp * self.width + lane);
        }
        stages
    }
}

impl HierarchicalMachine {
    /// Returns the discrete memory machine (DMM) that models each of the shared memories.
    pub fn shared(&self) -> MemoryMachine {
        MemoryMachine::dmm(self.width, self.shared_latency)
    }

    /// Returns the unified memory machine (UMM) that models the global memory.
    pub fn global(&self) -> MemoryMachine {
        MemoryMachine::umm(self.width, self.global_latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests of Figure 3 of paper 000.
    const FIGURE_3: [Option<usize>; 8] = [Some(7), Some(5), Some(15), Some(0), Some(10), Some(11), Some(12), Some(9)];

    #[test]
    fn worked_example_takes_7_and_9_time_units() {
        let (dmm, umm) = (MemoryMachine::dmm(4, 5), MemoryMachine::umm(4, 5));
        assert_eq!((dmm.stages(&FIGURE_3[..4]), dmm.stages(&FIGURE_3[4..])), (2, 1));
        assert_eq!((umm.stages(&FIGURE_3[..4]), umm.stages(&FIGURE_3[4..])), (3, 2));
        assert_eq!((dmm.round(&FIGURE_3).time_units(), umm.round(&FIGURE_3).time_units()), (7, 9));
    }

    #[test]
    fn worked_example_has_the_published_stages() {
        let threads = |machine: MemoryMachine| -> Vec<Vec<usize>> {
            let schedule = machine.schedule(&FIGURE_3);
            schedule.into_iter().map(|stage| stage.threads).collect()
        };
        assert_eq!(threads(MemoryMachine::dmm(4, 5)), [vec![0, 1, 3], vec![2], vec![4, 5, 6, 7]]);
        assert_eq!(threads(MemoryMachine::umm(4, 5)), [vec![0, 1], vec![2], vec![3], vec![4, 5, 7], vec![6]]);
    }

    #[test]
    fn k_cells_of_one_bank_take_k_plus_l_minus_1_time_units() {
        let cells = |k: usize| -> Vec<_> { (0..k).map(|i| Some(3 + 8 * i)).collect() };
        for k in 1..=8 {
            assert_eq!(MemoryMachine::dmm(8, 20).round(&cells(k)).time_units(), k as u64 + 20 - 1);
        }
    }

    #[test]
    fn equal_addresses_share_a_stage_and_idle_warps_take_none() {
        let dmm = MemoryMachine::dmm(4, 5);
        assert_eq!(dmm.round(&[Some(3); 4]).stages, 1);
        assert_eq!(dmm.round(&[Some(3), Some(7), Some(3), Some(7)]).stages, 2);
        assert_eq!(dmm.round(&[None, None, None, None, Some(1)]).stages, 1);
        assert_eq!(dmm.round(&[None; 8]).time_units(), 0);
    }

    #[test]
    fn schedule_has_as_many_stages_as_the_round_counts() {
        let mut rng = fastrand::Rng::with_seed(15);
        for _ in 0..1000 {
            let (width, threads) = (rng.usize(1..9), rng.usize(0..30));
            let requests: Vec<_> = (0..threads).map(|_| rng.bool().then(|| rng.usize(..40))).collect();
            for machine in [MemoryMachine::dmm(width, 7), MemoryMachine::umm(width, 7)] {
                let schedule = machine.schedule(&requests);
                assert_eq!(schedule.len() as u64, machine.round(&requests).stages, "{machine:?} {requests:?}");
                assert_eq!(schedule.iter().map(|stage| stage.threads.len()).sum::<usize>(), requests.iter().flatten().count());
            }
        }
    }
}
