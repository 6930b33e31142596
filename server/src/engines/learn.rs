//! Learn: corrects the measured rate of an engine by a completed run ([`RunTiming`]). Pure.
//!
//! Rates are only raised: other programs can slow a run down, but nothing makes a run faster than its engine.

use kernels::job::Task;
use kernels::plan::EngineName;

/// Minimum duration, in milliseconds, of a run that can correct a rate. In shorter runs, most time is spent on starting
/// threads and reading texts.
const MIN_LEARNED_RUN_MS: f64 = 250.0;

/// Minimum ratio of the expected to the measured duration of a run that corrects the rate.
const MIN_SPEEDUP: f64 = 1.25;

/// Maximum factor by which one run can raise the rate.
const MAX_SPEEDUP: f64 = 4.0;

/// The expected and the measured effort of a run that has ended with an answer.
#[derive(Clone, Copy, Debug)]
pub struct RunTiming {
    pub engine: EngineName,
    pub task: Task,
    /// Expected duration of the run, in milliseconds.
    pub expected_ms: f64,
    /// Measured duration of the run, in milliseconds.
    pub took_ms: f64,
    /// Number of matrix cells that the run was expected to fill.
    pub expected_cells: u64,
    /// Number of matrix cells that the run has filled.
    pub cells: u64,
}

impl RunTiming {
    /// Returns the factor by which the engine's rate is to be raised. `start_ms` is the part of both durations that is
    /// overhead, in milliseconds. Returns `None` if the run was too short, was not clearly faster than expected, or
    /// filled an unexpected number of cells.
    pub(super) fn speedup(&self, start_ms: f64) -> Option<f64> {
        // A run that filled fewer cells than expected does not prove that the engine is faster.
        let filled = self.cells as f64 / self.expected_cells as f64;
        if self.took_ms < MIN_LEARNED_RUN_MS || !(0.8..=1.25).contains(&filled) {
            return None;
        }
        let times = filled * (self.expected_ms - start_ms) / (self.took_ms - start_ms).max(1.0);
        (times.is_finite() && times >= MIN_SPEEDUP).then(|| times.min(MAX_SPEEDUP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAN: RunTiming = RunTiming {
        engine: EngineName::Cpu,
        task: Task::Lcs,
        expected_ms: 1000.0,
        took_ms: 500.0,
        expected_cells: 1_000_000,
        cells: 1_000_000,
    };

    #[test]
    fn fast_run_raises_the_rate() {
        let told = |ran: RunTiming| ran.speedup(0.0);
        assert_eq!(told(RAN), Some(2.0));
        assert_eq!(RunTiming { expected_ms: 1100.0, took_ms: 600.0, ..RAN }.speedup(100.0), Some(2.0));
        assert_eq!(told(RunTiming { expected_ms: 1e6, ..RAN }), Some(4.0), "one run raises the rate by a limited factor");
        let others = [
            RunTiming { took_ms: 900.0, ..RAN },
            RunTiming { took_ms: 5000.0, ..RAN },
            RunTiming { took_ms: 20.0, ..RAN },
            RunTiming { cells: 1000, ..RAN },
            RunTiming { expected_cells: 0, ..RAN },
        ];
        for ran in others {
            assert_eq!(told(ran), None, "{ran:?}");
        }
    }
}
