//! Edit distance and longest common subsequence with ambiguity codes, as alignments with the highest score.
//!
//! Codes that match need not match the same codes, so that no engine for equal symbols is right. The solver of
//! `sequence-alignment` has points for each pair of codes. An alignment of texts of m and n symbols has n − m more insertions
//! than deletions. With s as the cost of a substitution, its costs are therefore
//!
//! ```text
//! 2 · costs = 2s · substitutions + (insert + delete) · (insertions + deletions) + (insert − delete) · (n − m)
//! ```
//!
//! So the alignment with the least costs has the highest score if each column costs its points of this sum. In a longest
//! common subsequence, two letters that match have 1 point, and gaps cost nothing.

use super::{InputSize, Solution, failed_check, greatest_common_divisor, solver};
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
use crate::job::{EditCosts, GapCosts, JobOptions, Task};
use crate::plan::{EngineEffort, JobWork};
use crate::run::Halt;
use crate::text::Pair;

/// Number of cells of a unit-cost distance or of a subsequence that take as long as a cell of a score with linear gaps: on
/// the processor, and on a GPU.
const UNIT_COST_CELLS: [u64; 2] = [40, 12];

/// The points of the columns of an edit distance. Each point stands for `halves` halves of a cost.
struct CostPoints {
    different: i32,
    gap: GapCosts,
    halves: u32,
}

impl CostPoints {
    fn new(costs: &EditCosts) -> Self {
        let gap = costs.insert + costs.delete;
        // A substitution that costs more than a deletion and an insertion must lose against both.
        let substitute = (2 * costs.substitute).min(2 * gap + 1);
        let halves = greatest_common_divisor(substitute, gap).max(1);
        Self { different: -((substitute / halves) as i32), gap: GapCosts { open: 0, extend: gap / halves }, halves }
    }
}

/// Returns the options of the sequence alignment that solves `task`.
fn scored(task: Task, options: &JobOptions) -> JobOptions {
    let (equal, different, gap) = if task == Task::Lcs {
        (1, -1, GapCosts { open: 0, extend: 0 })
    } else {
        let CostPoints { different, gap, .. } = CostPoints::new(&options.costs);
        (0, different, gap)
    };
    JobOptions { equal, different, gap, alignment: options.alignment, gaps: options.gaps, ambiguity: true, ..JobOptions::DEFAULT }
}

/// Estimates the work of `task` for texts of the lengths in `size`.
pub(super) fn work(task: Task, size: &InputSize, options: &JobOptions) -> JobWork {
    of_task(task, solver(Task::SequenceAlignment).work(size, &scored(task, options)))
}

/// Estimates the work of `task` for the texts of `pair`, of which it examines a sample.
pub(super) fn work_for(task: Task, pair: &Pair, options: &JobOptions) -> JobWork {
    of_task(task, solver(Task::SequenceAlignment).work_for(pair, &scored(task, options)))
}

/// Returns the work of a sequence alignment as that of `task`, whose engines have other rates.
fn of_task(task: Task, work: JobWork) -> JobWork {
    let [cpu, cuda] = UNIT_COST_CELLS;
    let times = |effort: EngineEffort, each: u64| EngineEffort { cost_cells: effort.cost_cells.saturating_mul(each), ..effort };
    JobWork { task, cpu: times(work.cpu, cpu), cuda: times(work.cuda, cuda), ..work }
}

/// Solves `task` for `pair`, whose letters are sets of bases. `align` solves a sequence alignment of `pair` with the given
/// options.
///
/// # Errors
/// Returns the errors of `align`, and `Engine` if its alignment does not fit its score.
pub(super) fn solve(
    task: Task,
    pair: &Pair,
    options: &JobOptions,
    align: impl FnOnce(&JobOptions) -> Result<Solution, Halt>,
) -> Result<Solution, Halt> {
    let Solution { answer, alignment, found } = align(&scored(task, options))?;
    let TaskAnswer::SequenceAlignment { score, alignment: summary, .. } = answer else {
        return Err(JobFailure::engine("This is no answer of a sequence alignment.").into());
    };
    let (answer, expected, of_alignment) = if task == Task::Lcs {
        let length = score.unsigned_abs();
        // A substitution is no part of a subsequence.
        let of_alignment = summary.map(|summary| summary.matches.saturating_sub(summary.mismatches));
        (TaskAnswer::Lcs { length, alignment: summary }, length, of_alignment)
    } else {
        let costs = &options.costs;
        let halves = i64::from(CostPoints::new(costs).halves);
        let more_insertions = pair.b.len() as i64 - pair.a.len() as i64;
        let twice = (i64::from(costs.insert) - i64::from(costs.delete)) * more_insertions - halves * score;
        let distance = twice.unsigned_abs() / 2;
        (TaskAnswer::from_distance(distance, summary), distance, summary.map(|summary| costs.sum(&summary)))
    };
    match of_alignment {
        Some(sum) if sum != expected => Err(failed_check(format!("the score is {expected}, that of the alignment {sum}")).into()),
        _ => Ok(Solution { answer, alignment, found }),
    }
}
