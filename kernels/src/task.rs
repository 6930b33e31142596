//! Tasks: the problems that can be solved. Each has one enum variant and one child module.
//!
//! - [`edit_distance`]: Levenshtein distance and one optimal alignment
//! - [`approximate_search`]: substrings of `b` nearest to `a`
//! - [`lcs`]: longest common subsequence
//! - [`match_count`]: equal symbols at every offset
//! - [`exact_search`]: every occurrence
//! - [`sequence_alignment`]: highest score of an alignment
//! - `ambiguous`: pairs of texts whose letters stand for sets of bases
//! - [`by_record`]: searches in files of several records
//! - [`strands`]: searches on both strands of DNA
//! - `by_method`: tasks solved by a published algorithm
//! - `cost_model`: which recurrence solves an edit distance with given costs
//! - `halves`: pairs of texts from both ends
//! - [`search`]: the interface that only searches have
//! - [`shares`]: parts of a job that engines without shared memory compute
//! - [`size`]: lengths and alphabet of two texts, for a planner
//! - [`solvers`]: maps each task to its solver

use crate::alignment::{Alignment, AlignmentError, GapPlacement};
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
use crate::found::SearchResult;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{JobOptions, Task};
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::text::Pair;
use crate::{with_symbols, with_units};
pub use search::{FinishedSearch, SearchTask};
pub use shares::{DivisibleTask, JobShare, JoinedShares};
pub use size::InputSize;

mod ambiguous;
pub mod approximate_search;
mod by_method;
mod by_record;
pub(crate) mod cost_model;
pub mod edit_distance;
pub mod exact_search;
mod halves;
pub mod lcs;
pub mod match_count;
pub(crate) mod progress_only;
pub mod search;
pub mod sequence_alignment;
pub mod shares;
mod size;
pub mod solvers;
mod strands;

/// Returns the solver of `task`. All code that depends on the task uses this function or [`searcher`].
pub fn solver(task: Task) -> &'static dyn SolvableTask {
    match solvers::of(task) {
        TaskSolver::Pair(solver) => solver,
        TaskSolver::Search(searcher) => searcher,
    }
}

/// Returns the solver of `task` as a search, which can also list hits and scores.
///
/// # Errors
/// Returns an error if the task compares whole texts, because such a task has no hits.
pub fn searcher(task: Task) -> Result<&'static dyn SearchTask, JobFailure> {
    match solvers::of(task) {
        TaskSolver::Pair(_) => Err(JobFailure::engine("This task has no hits.")),
        TaskSolver::Search(searcher) => Ok(searcher),
    }
}

/// The solver of a task, as a trait object of the interface that the kind of task has.
#[derive(Clone, Copy)]
pub enum TaskSolver {
    /// Solver of a task that compares whole texts.
    Pair(&'static dyn SolvableTask),
    /// Solver of a task that searches one text in the other.
    Search(&'static dyn SearchTask),
}

/// The result of solving a task for one pair of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The answer, as it is serialized for clients.
    pub answer: TaskAnswer,
    /// The alignment of both texts, or of pieces for `sequence-alignment`, if it was requested and the task has one.
    pub alignment: Option<Alignment>,
    /// The positions and scores from which pages of hits are computed. `None` if the task is no search or hits are only
    /// counted.
    pub found: Option<SearchResult>,
}

impl Solution {
    /// Completes an engine's result for a client who asked for it with `options`. A distance above `max_distance` is
    /// left out, with its alignment. Any other alignment is checked, its gaps are moved, and the answer gets its rates.
    ///
    /// # Errors
    /// Returns `Engine` if the alignment does not fit its texts or its score.
    fn finish(self, pair: &Pair, options: &JobOptions) -> Result<Self, JobFailure> {
        match (&self.answer, options.max_distance) {
            (TaskAnswer::EditDistance { distance: Some(distance), .. }, Some(most)) if *distance > most => {
                Ok(Self { answer: TaskAnswer::above_distance(most), alignment: None, found: None })
            }
            _ => {
                // The solver of sets of bases has checked the alignment, and moved its gaps.
                let is_equality = pair.symbol_match.is_equality();
                let Self { answer, alignment, found } = if is_equality { self.check_and_move_gaps(pair, options)? } else { self };
                let answer = answer.with_rates((pair.a.len() as u64, pair.b.len() as u64), &options.costs);
                Ok(Self { answer, alignment, found })
            }
        }
    }

    /// Replaces the alignment by the equally good one that users see ([`Alignment::with_gaps`]), and checks the engine's
    /// result. The alignment must cover both texts, its columns must match their symbols, and the sum of its costs must
    /// equal the score of the answer. Takes O(columns) time, mostly for comparisons of whole runs.
    ///
    /// # Errors
    /// Returns `Engine` if the alignment does not fit its texts or its score.
    fn check_and_move_gaps(self, pair: &Pair, options: &JobOptions) -> Result<Self, JobFailure> {
        let Self { answer, alignment: Some(alignment), found } = self else { return Ok(self) };
        let alignment = with_units!(pair, |a, b| move_gaps_checked(alignment, options.gaps, a, b)?);
        let summary = alignment.summary();
        let (score, of_alignment, answer) = match answer {
            TaskAnswer::EditDistance { distance: Some(distance), .. } => {
                (distance, options.costs.sum(&summary), TaskAnswer::from_distance(distance, Some(summary)))
            }
            TaskAnswer::EditDistance { distance: None, .. } => return Err(failed_check("an alignment has no distance")),
            TaskAnswer::Lcs { length, .. } if summary.mismatches == 0 => {
                (length, summary.matches, TaskAnswer::Lcs { length, alignment: Some(summary) })
            }
            TaskAnswer::Lcs { .. } => return Err(failed_check("an alignment of a common subsequence has substitutions")),
            // Searches align a hit only when its alignment is requested. Sequence alignment has a check of its own, which
            // the first download of the page does not need.
            other @ (TaskAnswer::ApproximateSearch { .. }
            | TaskAnswer::MatchCount { .. }
            | TaskAnswer::ExactSearch { .. }
            | TaskAnswer::SequenceAlignment { .. }) => (0, 0, other),
        };
        if score == of_alignment {
            Ok(Self { answer, alignment: Some(alignment), found })
        } else {
            Err(failed_check(format!("the score is {score}, that of the alignment {of_alignment}")))
        }
    }
}

/// Checks that `alignment` aligns `a` to `b`, and returns the equally good alignment with its gaps at the places `gaps`
/// ([`Alignment::with_gaps`]).
///
/// # Errors
/// Returns `Engine` if the alignment does not fit both texts.
fn move_gaps_checked<T: PartialEq>(alignment: Alignment, gaps: GapPlacement, a: &[T], b: &[T]) -> Result<Alignment, JobFailure> {
    alignment.check(a, b).map_err(failed_check)?;
    Ok(alignment.with_gaps(gaps, a, b))
}

impl Alignment {
    /// Moves every gap of this alignment of the texts of `pair` as far left as possible
    /// ([`left_aligned`](Self::left_aligned)). Columns with symbols that match still have symbols that match.
    ///
    /// # Errors
    /// Returns an error if the texts have no symbols, which is a bug.
    pub fn left_aligned_in(self, pair: &Pair) -> Result<Self, JobFailure> {
        if pair.symbol_match.is_equality() {
            return Ok(with_units!(pair, |a, b| self.left_aligned(a, b)));
        }
        Ok(with_symbols!(pair, |a, b| self.with_gaps_over_matches(GapPlacement::Leftmost, a, b, pair.symbol_match)))
    }

    /// Moves every gap as far to the side of `gaps` as possible like [`with_gaps`](Self::with_gaps), for symbols that match
    /// by `symbol_match`.
    fn with_gaps_over_matches<T: Symbol>(self, gaps: GapPlacement, a: &[T], b: &[T], symbol_match: SymbolMatch) -> Self {
        let matches = |x: &T, y: &T| symbol_match.matches(x.number(), y.number());
        self.with_scored_gaps(gaps, a, b, |[x, y], [u, v]| matches(x, y) == matches(u, v))
    }

    /// Checks the columns like [`check`](Self::check), but `=` columns have symbols that match by `symbol_match`, and `X`
    /// columns have symbols that do not.
    ///
    /// # Errors
    /// Returns the errors of [`check`](Self::check).
    pub fn check_match<T: Symbol>(&self, a: &[T], b: &[T], symbol_match: SymbolMatch) -> Result<(), AlignmentError> {
        if symbol_match.is_equality() {
            return self.check(a, b);
        }
        let matches = |x: &T, y: &T| symbol_match.matches(x.number(), y.number());
        self.check_columns(a, b, |a, b| a.iter().zip(b).position(|(x, y)| !matches(x, y)), matches)
    }
}

/// Returns the greatest common divisor of two numbers, or the other number if one is 0.
fn greatest_common_divisor(x: u32, y: u32) -> u32 {
    if y == 0 { x } else { greatest_common_divisor(y, x % y) }
}

fn failed_check(what: impl std::fmt::Display) -> JobFailure {
    JobFailure::engine(format!("The engine failed its own check: {what}."))
}

/// The interface of a task's solver: estimates the work of a job, and solves the task on each engine.
pub trait SolvableTask: Sync {
    /// Estimates the work of every engine for texts of the lengths in `size`.
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork;

    /// Estimates the work of every engine for the texts of `pair`, by the number of matrix cells that the chosen method
    /// probably fills. Examines a sample of the texts, in well under a hundredth of the time of the job.
    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        JobWork { is_known: true, ..self.work(&InputSize::from(pair), options) }
    }

    /// Returns the lengths of two texts `a` and `b` that occupy an engine fully, and whose matrix has about `cells`
    /// cells. The engine's rate is measured by solving such a pair.
    fn benchmark_size(&self, cells: u64) -> (usize, usize);

    /// Solves the task for `pair` on the CPU.
    ///
    /// # Errors
    /// Returns `Halt` if the run was stopped or the task failed.
    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt>;

    /// Solves the task for the texts of `_pair` on the GPU `_gpu`. `_host` limits the processor cores that may help.
    ///
    /// # Errors
    /// Returns the errors of [`cpu`](Self::cpu), and `JobFailure::Engine` if the task has no kernel.
    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, _gpu: &Gpu, _host: &Cpu, _pair: &Pair, _options: &JobOptions, _run: &Run) -> Result<Solution, Halt> {
        Err(JobFailure::engine("This task has no CUDA kernel.").into())
    }

    /// Returns the interface by which jobs are divided among engines without shared memory, or `None` if the task has none.
    fn divisible(&self) -> Option<&dyn DivisibleTask> {
        None
    }

    /// Returns whether the task has a CUDA kernel.
    fn has_cuda(&self) -> bool {
        false
    }

    /// Lists every CUDA kernel that a job of this task can need.
    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        Vec::new()
    }
}
