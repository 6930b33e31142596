//! Task: what to compute. One enum arm and one child each.
//!
//! - [`edit_distance`]: Levenshtein distance and one optimal alignment
//! - [`approximate_search`]: substrings of `b` nearest to `a`
//! - [`lcs`]: longest common subsequence
//! - [`match_count`]: equal symbols at every offset
//! - [`exact_search`]: every occurrence
//! - [`by_record`]: searches in files of several records; [`strands`]: on both strands of DNA; `by_method`: tasks by the methods of papers
//!
//! [`search`]: what only searches have. [`size`]: what a planner knows of two texts. [`solvers`]: what solves each task.

use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::Answer;
use crate::failure::Failure;
use crate::found::Found;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{Options, Task};
use crate::plan::Work;
use crate::run::{Halt, Run};
use crate::text::Pair;
use crate::with_symbols;
pub use search::{Search, Searched};
pub use size::Size;

pub mod approximate_search;
mod by_method;
mod by_record;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;
mod progress_only;
pub mod search;
mod size;
pub mod solvers;
mod strands;

/// How a task is solved. Everything that depends on the task goes through here and [`searcher`].
pub fn solver(task: Task) -> &'static dyn Solve {
    match solvers::of(task) {
        Solver::Pair(solver) => solver,
        Solver::Search(searcher) => searcher,
    }
}

/// How hits and scores are made of what a task has found.
///
/// # Errors
/// When the task compares whole texts, and so has none.
pub fn searcher(task: Task) -> Result<&'static dyn Search, Failure> {
    match solvers::of(task) {
        Solver::Pair(_) => Err(Failure::engine("This task has no hits.")),
        Solver::Search(searcher) => Ok(searcher),
    }
}

/// What solves a task.
#[derive(Clone, Copy)]
pub enum Solver {
    /// It compares whole texts.
    Pair(&'static dyn Solve),
    /// It looks for one in the other.
    Search(&'static dyn Search),
}

/// What a task has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The answer as it goes over the wire.
    pub answer: Answer,
    /// The alignment of both whole texts, when one was asked for and the task has one.
    pub alignment: Option<Alignment>,
    /// Where it was found, of a task that searches.
    pub found: Option<Found>,
}

impl Solution {
    /// Moves the gaps of the alignment to where they are shown ([`Alignment::left_aligned`]), and checks what the engine has found: the alignment
    /// takes both texts, its columns are what they say, and its cost is the score of the answer. Takes O(columns) time, mostly
    /// comparisons of whole stretches.
    ///
    /// # Errors
    /// `Engine` if the alignment does not fit its texts or its score.
    fn settled(self, pair: &Pair) -> Result<Self, Failure> {
        let Self { answer, alignment: Some(alignment), found } = self else { return Ok(self) };
        let alignment = with_symbols!(pair, |a, b| settle(alignment, a, b)?);
        let summary = alignment.summary();
        let (score, of_alignment, answer) = match answer {
            Answer::EditDistance { distance, .. } => {
                (distance, summary.distance(), Answer::EditDistance { distance, alignment: Some(summary) })
            }
            Answer::Lcs { length, .. } if summary.mismatches == 0 => {
                (length, summary.matches, Answer::Lcs { length, alignment: Some(summary) })
            }
            Answer::Lcs { .. } => return Err(failed_check("an alignment of a common subsequence has substitutions")),
            // Searches align their hits when these are looked at.
            other @ (Answer::ApproximateSearch { .. } | Answer::MatchCount { .. } | Answer::ExactSearch { .. }) => (0, 0, other),
        };
        if score == of_alignment {
            Ok(Self { answer, alignment: Some(alignment), found })
        } else {
            Err(failed_check(format!("the score is {score}, that of the alignment {of_alignment}")))
        }
    }
}

/// The alignment of `a` and `b` that is shown in place of this optimal one, once it has been checked.
///
/// # Errors
/// `Engine` if it does not fit both texts.
fn settle<T: PartialEq>(alignment: Alignment, a: &[T], b: &[T]) -> Result<Alignment, Failure> {
    alignment.check(a, b).map_err(failed_check)?;
    Ok(alignment.left_aligned(a, b))
}

fn failed_check(what: impl std::fmt::Display) -> Failure {
    Failure::engine(format!("The engine failed its own check: {what}."))
}

/// A task, for every engine that has it.
pub trait Solve: Sync {
    /// What the task asks of an engine, for texts of these lengths.
    fn work(&self, size: &Size, options: &Options) -> Work;

    /// What it asks for these texts: what its way through them is expected to fill. Looks at a sample of them, in well under a
    /// hundredth of the time that the job takes.
    fn work_for(&self, pair: &Pair, options: &Options) -> Work {
        Work { is_known: true, ..self.work(&Size::from(pair), options) }
    }

    /// Lengths of two texts that take about so many cells and fill an engine, for measuring its rate.
    fn probe(&self, cells: u64) -> (usize, usize);

    /// Solves on the CPU.
    ///
    /// # Errors
    /// `Halt` when the run was stopped or the task failed.
    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt>;

    /// Solves on a CUDA device, with the help of so much of the processor beside it.
    ///
    /// # Errors
    /// As [`cpu`](Self::cpu); `Failure::Engine` for a task that has no kernel.
    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, _gpu: &Gpu, _host: &Cpu, _pair: &Pair, _options: &Options, _run: &Run) -> Result<Solution, Halt> {
        Err(Failure::engine("This task has no CUDA kernel.").into())
    }

    /// Whether there is a CUDA kernel.
    fn has_cuda(&self) -> bool {
        false
    }

    /// Every CUDA kernel that a job can ask for.
    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        Vec::new()
    }
}
