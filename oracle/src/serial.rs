//! Serial: solutions of each task by its definition ([`solve`]), which are obvious, slow and never optimised. Every
//! engine is checked against these solutions.
//!
//! - [`edit_distance`], [`lcs`], [`approximate_search`]: the plain recurrences
//! - [`match_count`], [`exact_search`]: the plain definitions
//! - [`strands`]: searches on both strands, made of two searches

use kernels::alignment::Alignment;
use kernels::event::TaskAnswer;
use kernels::job::{JobOptions, Task};
use kernels::task::Solution;
use kernels::text::Pair;

pub mod approximate_search;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;
pub mod strands;

/// Solves `task` by its definition, with one thread and without any optimization. Takes O(|a||b|) time, and up to
/// O(|b|²) more for local minima.
pub fn solve(task: Task, pair: &Pair, options: &JobOptions) -> Solution {
    if !options.strands.is_forward() {
        return strands::solve(task, pair, options);
    }
    match task {
        Task::EditDistance => {
            let (distance, alignment) = edit_distance::align_with_costs(pair, options.costs);
            if let Some(most) = options.max_distance.filter(|most| distance > *most) {
                return Solution { answer: TaskAnswer::above_distance(most), alignment: None, found: None };
            }
            let alignment = options.alignment.then_some(alignment);
            let summary = alignment.as_ref().map(Alignment::summary);
            Solution { answer: TaskAnswer::from_distance(distance, summary), alignment, found: None }
        }
        Task::ApproximateSearch => approximate_search::solve(pair, options),
        Task::Lcs => lcs::solve(pair, options),
        Task::MatchCount => match_count::solve(pair, options),
        Task::ExactSearch => exact_search::solve(pair, options),
    }
}
