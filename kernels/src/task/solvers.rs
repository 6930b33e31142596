//! Solvers of all tasks. A native program contains all of them. A browser fetches each solver when its task is first
//! requested, so that users do not download unused code. In a browser, `provide` must be called before the task is
//! solved. Only short texts are compared without this call (`edit_distance::short`).

use super::TaskSolver;
use super::approximate_search::ApproximateSearch;
use super::by_method::MethodDispatch;
use super::by_record::RecordwiseSearch;
use super::edit_distance::EditDistance;
use super::exact_search::ExactSearch;
use super::lcs::Lcs;
use super::match_count::MatchCount;
use super::sequence_alignment::SequenceAlignment;
use super::strands::StrandedSearch;
#[cfg(not(target_family = "wasm"))]
use crate::job::Task;

/// Returns the solver of [`Task::EditDistance`].
pub fn edit_distance() -> TaskSolver {
    TaskSolver::Pair(&MethodDispatch(EditDistance))
}

/// Returns the solver of [`Task::ApproximateSearch`].
pub fn approximate_search() -> TaskSolver {
    static SEARCH: StrandedSearch<RecordwiseSearch<MethodDispatch<ApproximateSearch>>> =
        StrandedSearch(RecordwiseSearch::per_record(MethodDispatch(ApproximateSearch)));
    TaskSolver::Search(&SEARCH)
}

/// Returns the solver of [`Task::Lcs`].
pub fn lcs() -> TaskSolver {
    TaskSolver::Pair(&MethodDispatch(Lcs))
}

/// Returns the solver of [`Task::MatchCount`].
pub fn match_count() -> TaskSolver {
    static SEARCH: RecordwiseSearch<MethodDispatch<MatchCount>> = RecordwiseSearch::per_record(MethodDispatch(MatchCount));
    TaskSolver::Search(&SEARCH)
}

/// Returns the solver of [`Task::ExactSearch`].
pub fn exact_search() -> TaskSolver {
    static SEARCH: StrandedSearch<RecordwiseSearch<MethodDispatch<ExactSearch>>> =
        StrandedSearch(RecordwiseSearch::whole_text(MethodDispatch(ExactSearch)));
    TaskSolver::Search(&SEARCH)
}

/// Returns the solver of [`Task::SequenceAlignment`].
pub fn sequence_alignment() -> TaskSolver {
    TaskSolver::Pair(&SequenceAlignment)
}

#[cfg(not(target_family = "wasm"))]
pub(super) fn of(task: Task) -> TaskSolver {
    match task {
        Task::EditDistance => edit_distance(),
        Task::ApproximateSearch => approximate_search(),
        Task::Lcs => lcs(),
        Task::MatchCount => match_count(),
        Task::ExactSearch => exact_search(),
        Task::SequenceAlignment => sequence_alignment(),
    }
}

/// Returns whether the solver of a task is loaded. In a native program, all solvers are.
#[cfg(not(target_family = "wasm"))]
pub fn is_provided(_: Task) -> bool {
    true
}

#[cfg(target_family = "wasm")]
pub use provided::{is_provided, provide};

#[cfg(target_family = "wasm")]
pub(super) use provided::of;

#[cfg(target_family = "wasm")]
mod provided {
    use std::sync::OnceLock;

    use super::super::TaskSolver;
    use super::super::edit_distance::short::ShortEditDistance;
    use crate::job::Task;

    static PROVIDED: [OnceLock<TaskSolver>; Task::ALL.len()] = [const { OnceLock::new() }; Task::ALL.len()];

    /// Registers `solver` as the solver of `task`. Later calls for the same task have no effect.
    pub fn provide(task: Task, solver: TaskSolver) {
        let _ = PROVIDED[task as usize].set(solver);
    }

    /// Returns whether the solver of `task` is loaded.
    pub fn is_provided(task: Task) -> bool {
        PROVIDED[task as usize].get().is_some()
    }

    pub(in super::super) fn of(task: Task) -> TaskSolver {
        let provided = PROVIDED[task as usize].get().copied();
        let or_short = provided.or((task == Task::EditDistance).then_some(TaskSolver::Pair(&ShortEditDistance)));
        or_short.expect("what solves a task is provided before it is asked")
    }
}
