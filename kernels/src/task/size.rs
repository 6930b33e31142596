//! Size: facts about two texts that are known before they are compared, such as their lengths. Every estimate of time
//! begins with these facts.

use crate::job::Task;
use crate::plan::{EngineEffort, JobWork};
use crate::text::Pair;

/// Facts about two texts from which a planner estimates the time of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputSize {
    /// Number of symbols in `a`.
    pub a: u64,
    /// Number of symbols in `b`.
    pub b: u64,
    /// Number of distinct symbols in both texts together, or 1 if unknown.
    pub alphabet: u64,
    /// Number of bytes in both texts together.
    pub bytes: u64,
}

impl InputSize {
    /// Returns |a|·|b|, the number of cells of the whole matrix.
    pub fn cells(&self) -> u64 {
        self.a.saturating_mul(self.b)
    }

    /// Estimates the work of `task` from the lengths alone. There are `cells` cells, and the engine's measured rate of
    /// cells per second is `passes` times as high as the rate of this task. Also copies the facts by which an engine
    /// decides whether it offers to take the job.
    pub fn work(&self, task: Task, cells: u64, passes: u64) -> JobWork {
        let effort = EngineEffort { cost_cells: cells.saturating_mul(passes), ..EngineEffort::from_cells(cells) };
        let symbols = self.a.max(self.b);
        JobWork {
            cpu: effort,
            cuda: effort,
            is_known: false,
            symbols,
            alphabet: self.alphabet,
            bytes: self.bytes,
            ..JobWork::from_cells(task, cells)
        }
    }
}

impl From<&Pair> for InputSize {
    fn from(pair: &Pair) -> Self {
        let bytes = (pair.a.bytes().len() + pair.b.bytes().len()) as u64;
        Self { a: pair.a.len() as u64, b: pair.b.len() as u64, alphabet: pair.alphabet().into(), bytes }
    }
}
