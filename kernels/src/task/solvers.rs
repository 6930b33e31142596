//! What solves each task. A program has all of them. The solver of a browser fetches one when its task is first asked for, so that nobody downloads what
//! they do not use: there `provide` is called with it first. Only short texts are compared without that (`edit_distance::short`).

use super::Solver;
use super::approximate_search::ApproximateSearch;
use super::by_method::ByMethod;
use super::by_record::ByRecord;
use super::edit_distance::EditDistance;
use super::exact_search::ExactSearch;
use super::lcs::Lcs;
use super::match_count::MatchCount;
use super::strands::OnStrands;
#[cfg(not(target_family = "wasm"))]
use crate::job::Task;

/// That of [`Task::EditDistance`].
pub fn edit_distance() -> Solver {
    Solver::Pair(&ByMethod(EditDistance))
}

/// That of [`Task::ApproximateSearch`].
pub fn approximate_search() -> Solver {
    static SEARCH: OnStrands<ByRecord<ByMethod<ApproximateSearch>>> = OnStrands(ByRecord::alone(ByMethod(ApproximateSearch)));
    Solver::Search(&SEARCH)
}

/// That of [`Task::Lcs`].
pub fn lcs() -> Solver {
    Solver::Pair(&ByMethod(Lcs))
}

/// That of [`Task::MatchCount`].
pub fn match_count() -> Solver {
    static SEARCH: ByRecord<ByMethod<MatchCount>> = ByRecord::alone(ByMethod(MatchCount));
    Solver::Search(&SEARCH)
}

/// That of [`Task::ExactSearch`].
pub fn exact_search() -> Solver {
    static SEARCH: OnStrands<ByRecord<ByMethod<ExactSearch>>> = OnStrands(ByRecord::at_once(ByMethod(ExactSearch)));
    Solver::Search(&SEARCH)
}

#[cfg(not(target_family = "wasm"))]
pub(super) fn of(task: Task) -> Solver {
    match task {
        Task::EditDistance => edit_distance(),
        Task::ApproximateSearch => approximate_search(),
        Task::Lcs => lcs(),
        Task::MatchCount => match_count(),
        Task::ExactSearch => exact_search(),
    }
}

/// Whether what solves the task is here: it always is in a program.
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

    use super::super::Solver;
    use super::super::edit_distance::short::Short;
    use crate::job::Task;

    static PROVIDED: [OnceLock<Solver>; Task::ALL.len()] = [const { OnceLock::new() }; Task::ALL.len()];

    /// From now on this solves the task. A second one changes nothing.
    pub fn provide(task: Task, solver: Solver) {
        let _ = PROVIDED[task as usize].set(solver);
    }

    /// Whether something solves the task.
    pub fn is_provided(task: Task) -> bool {
        PROVIDED[task as usize].get().is_some()
    }

    pub(in super::super) fn of(task: Task) -> Solver {
        let provided = PROVIDED[task as usize].get().copied();
        let or_short = provided.or((task == Task::EditDistance).then_some(Solver::Pair(&Short)));
        or_short.expect("what solves a task is provided before it is asked")
    }
}
