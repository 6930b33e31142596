//! Pipeline: warps (groups of `w` threads) that do not wait for each other. A warp sends its next request as soon as
//! its previous one is served.
//!
//! The proofs of papers 000 and 003 wait for all threads between rounds, and so add the latency to each round. The
//! machine itself requires less: "a thread cannot send a new memory access request until the previous memory access
//! request is completed" (section 2). If there are as many warps as the latency has stages, the latency is hidden.

use super::{MemoryMachine, RoundCost};

/// The address that each thread of a warp requests in one access, or `None` for a thread without a request.
pub type WarpRequests = Vec<Option<usize>>;

/// Returns the number of time units until every warp has made its accesses, one after the other. `programs[i]` holds
/// the accesses of warp `i`. Warps take turns: the next warp whose previous access is served is dispatched. Takes
/// O(accesses · warps) time.
pub fn time_units(machine: &MemoryMachine, programs: &[Vec<WarpRequests>]) -> u64 {
    // Accesses without a request fill no stage and take no time.
    let stages: Vec<Vec<u64>> =
        programs.iter().map(|program| program.iter().map(|warp| machine.stages(warp)).filter(|stages| *stages > 0).collect()).collect();
    let mut next = vec![0; stages.len()];
    // `served` is the time at which each warp's last request is served. `free` is the time at which the pipeline can
    // accept the next stage.
    let mut served = vec![0; stages.len()];
    let (mut free, mut turn) = (0, 0);
    loop {
        let waiting = || (0..stages.len()).map(|i| (turn + i) % stages.len()).filter(|warp| next[*warp] < stages[*warp].len());
        let Some(earliest) = waiting().map(|warp| served[warp]).min() else { break };
        free = free.max(earliest);
        let Some(warp) = waiting().find(|warp| served[*warp] <= free) else { break };
        let round = RoundCost { stages: stages[warp][next[warp]], latency: machine.latency };
        served[warp] = free + round.time_units();
        free += round.stages;
        next[warp] += 1;
        turn = warp + 1;
    }
    served.into_iter().max().unwrap_or_default()
}

/// Returns the number of time units in which `warps` warps each make `rounds` accesses of one pipeline stage. It is
/// `(rounds − 1)·max(warps, l) + warps + l − 1`, where `l` is the latency of `machine`.
pub fn uniform(machine: &MemoryMachine, warps: u64, rounds: u64) -> u64 {
    match (warps, rounds) {
        (0, _) | (_, 0) => 0,
        _ => (rounds - 1) * warps.max(machine.latency) + warps + machine.latency - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(machine: &MemoryMachine, warps: usize, rounds: usize) -> Vec<Vec<WarpRequests>> {
        let w = machine.width;
        let access = |warp: usize, round: usize| (0..w).map(|lane| Some((round * warps + warp) * w + lane)).collect();
        (0..warps).map(|warp| (0..rounds).map(|round| access(warp, round)).collect()).collect()
    }

    #[test]
    fn many_warps_hide_the_latency_and_few_wait_for_it() {
        for machine in [MemoryMachine::dmm(4, 5), MemoryMachine::umm(4, 30), MemoryMachine::umm(4, 1)] {
            for warps in [0, 1, 2, 4, 5, 6, 29, 30, 31, 64] {
                for rounds in [0, 1, 2, 7] {
                    let counted = time_units(&machine, &programs(&machine, warps, rounds));
                    assert_eq!(counted, uniform(&machine, warps as u64, rounds as u64), "{machine:?} {warps} {rounds}");
                }
            }
        }
    }

    #[test]
    fn one_round_takes_the_time_of_the_worked_example() {
        let programs = [vec![[7, 5, 15, 0].map(Some).to_vec()], vec![[10, 11, 12, 9].map(Some).to_vec()]];
        assert_eq!(time_units(&MemoryMachine::dmm(4, 5), &programs), 7);
        assert_eq!(time_units(&MemoryMachine::umm(4, 5), &programs), 9);
    }

    #[test]
    fn synchronizing_between_rounds_is_never_faster() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..300 {
            let machine = if rng.bool() { MemoryMachine::dmm(4, rng.u64(1..9)) } else { MemoryMachine::umm(4, rng.u64(1..30)) };
            let (warps, rounds) = (rng.usize(1..6), rng.usize(1..6));
            let mut access = || -> WarpRequests { (0..4).map(|_| rng.bool().then(|| rng.usize(..40))).collect() };
            let programs: Vec<Vec<WarpRequests>> = (0..warps).map(|_| (0..rounds).map(|_| access()).collect()).collect();
            let together = |round: usize| programs.iter().flat_map(|program| program[round].clone()).collect::<Vec<_>>();
            let with_waiting: u64 = (0..rounds).map(|round| machine.round(&together(round)).time_units()).sum();
            assert!(time_units(&machine, &programs) <= with_waiting);
        }
    }
}
