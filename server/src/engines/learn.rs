//! What a run shows of how fast its engine is. Pure. Only for the better: anything else on the machine can make a run slower, and nothing makes it
//! quicker than the engine is.

use kernels::job::Task;
use kernels::plan::EngineName;

/// Shorter runs, in milliseconds, show how long threads take to begin and texts to be read.
const LONG_ENOUGH_MS: f64 = 250.0;

/// So many times as fast as expected is worth learning, and no more is believed of one run.
const LEAST: f64 = 1.25;
const MOST: f64 = 4.0;

/// A run that has ended with an answer.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// What has computed
    pub engine: EngineName,
    /// what.
    pub task: Task,
    /// How long it was expected to take, and did.
    pub expected_ms: f64,
    /// As above.
    pub took_ms: f64,
    /// How many cells it was expected to fill, and has.
    pub expected_cells: u64,
    /// As above.
    pub cells: u64,
}

impl Ran {
    /// How many times the rate of the engine is what was known, if this tells; of the time, `start_ms` are no cells.
    pub(super) fn times_as_fast(&self, start_ms: f64) -> Option<f64> {
        // Where it filled fewer than was thought, it was not the engine that was quick.
        let filled = self.cells as f64 / self.expected_cells as f64;
        if self.took_ms < LONG_ENOUGH_MS || !(0.8..=1.25).contains(&filled) {
            return None;
        }
        let times = filled * (self.expected_ms - start_ms) / (self.took_ms - start_ms).max(1.0);
        (times.is_finite() && times >= LEAST).then(|| times.min(MOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAN: Ran =
        Ran { engine: EngineName::Cpu, task: Task::Lcs, expected_ms: 1000.0, took_ms: 500.0, expected_cells: 1_000_000, cells: 1_000_000 };

    #[test]
    fn a_quick_run_tells_the_rate() {
        let told = |ran: Ran| ran.times_as_fast(0.0);
        assert_eq!(told(RAN), Some(2.0));
        assert_eq!(Ran { expected_ms: 1100.0, took_ms: 600.0, ..RAN }.times_as_fast(100.0), Some(2.0));
        assert_eq!(told(Ran { expected_ms: 1e6, ..RAN }), Some(4.0), "not all of it at once");
        let others = [
            Ran { took_ms: 900.0, ..RAN },
            Ran { took_ms: 5000.0, ..RAN },
            Ran { took_ms: 20.0, ..RAN },
            Ran { cells: 1000, ..RAN },
            Ran { expected_cells: 0, ..RAN },
        ];
        for ran in others {
            assert_eq!(told(ran), None, "{ran:?}");
        }
    }
}
