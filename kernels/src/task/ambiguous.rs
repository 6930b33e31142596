//! Edit distance and longest common subsequence with ambiguity codes.
//!
//! Codes that match need not match the same codes, so that no engine for equal symbols is right.
//!
//! - On the CPU, the bit-parallel recurrences solve sets of bases ([`base_sets`]) if the costs follow from the number of
//!   edits. With i and d as the costs of an insertion and of a deletion, m and n as the lengths, and e as the number of
//!   edits (2 · s = i + d for the cost s of a substitution) or of insertions and deletions (2 · s ≥ i + d):
//!
//!   ```text
//!   2 · costs = (i + d) · e + (i − d) · (n − m)
//!   ```
//!
//! - All others are alignments with the highest score, because the solver of `sequence-alignment` has points for each pair
//!   of codes. An alignment has n − m more insertions than deletions. With s as the cost of a substitution, its costs are
//!   therefore
//!
//!   ```text
//!   2 · costs = 2s · substitutions + (insert + delete) · (insertions + deletions) + (insert − delete) · (n − m)
//!   ```
//!
//!   So the alignment with the least costs has the highest score if each column costs its points of this sum. In a longest
//!   common subsequence, two letters that match have 1 point, and gaps cost nothing.

use super::cost_model::{CostModel, CostPoints};
use super::{InputSize, Solution, failed_check, solver};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::event::{PartialAnswer, TaskAnswer};
use crate::failure::JobFailure;
use crate::job::{EditCosts, GapPoints, JobOptions, Points, Task};
use crate::pair::cpu::recurrence::{lcs::HyyroRecurrence, unit_cost::MyersRecurrence};
use crate::pair::cpu::{PairOutput, PairRequest, base_sets};
use crate::pair::effort::{PairMethod, efforts};
use crate::plan::{EngineEffort, JobWork};
use crate::run::{Halt, Run};
use crate::text::Pair;
use crate::with_symbols;

/// Number of cells of a unit-cost distance or of a subsequence that take as long as a cell of a score with linear gaps: on
/// the processor, and on a GPU.
const UNIT_COST_CELLS: [u64; 2] = [40, 12];

/// Number of cells of equal symbols that take as long as a cell of sets of bases, in the bit-parallel recurrences.
const BASE_SET_CELLS: u64 = 2;

/// A pair whose costs follow from a number of edits.
struct EditModel {
    /// Whether one edit can substitute a symbol.
    substitutes: bool,
    /// The costs i + d and (i − d) · (n − m), see the module.
    gap: u64,
    longer: i64,
}

impl EditModel {
    /// Returns the model of `task` for texts of the lengths `m` and `n`, or `None` if its costs need scores.
    fn of(task: Task, costs: &EditCosts, [m, n]: [usize; 2]) -> Option<Self> {
        if task == Task::Lcs {
            return Some(Self { substitutes: false, gap: 2, longer: 0 });
        }
        let substitutes = match CostModel::of(costs) {
            CostModel::Levenshtein => true,
            CostModel::Subsequence => false,
            CostModel::Weighted(_) => return None,
        };
        let longer = (i64::from(costs.insert) - i64::from(costs.delete)) * (n as i64 - m as i64);
        Some(Self { substitutes, gap: (costs.insert + costs.delete).into(), longer })
    }

    /// Returns the costs of `edits` edits, or the greatest number if they exceed it. A sweep that ended at a limit returns
    /// a great number of edits.
    fn costs(&self, edits: u64) -> u64 {
        let costs = (i128::from(self.gap) * i128::from(edits) + i128::from(self.longer)).max(0) / 2;
        u64::try_from(costs).unwrap_or(u64::MAX)
    }

    /// Returns the number of edits whose costs are at most `most`.
    fn edits_within(&self, most: u64) -> Option<u64> {
        let edits = (2 * i128::from(most) - i128::from(self.longer)).max(0).checked_div(self.gap.into())?;
        u64::try_from(edits).ok()
    }

    /// Returns the answer and the costs that its alignment must have.
    fn answer(&self, task: Task, edits: u64, pair: &Pair, alignment: Option<&Alignment>) -> (TaskAnswer, u64) {
        let summary = alignment.map(Alignment::summary);
        if task == Task::Lcs {
            let length = subsequence(edits, pair);
            return (TaskAnswer::Lcs { length, alignment: summary }, length);
        }
        let distance = self.costs(edits);
        (TaskAnswer::from_distance(distance, summary), distance)
    }
}

/// Returns the length of a common subsequence of the texts of `pair` beside which `edits` symbols are left.
fn subsequence(edits: u64, pair: &Pair) -> u64 {
    ((pair.a.len() + pair.b.len()) as u64).saturating_sub(edits) / 2
}

/// Returns the options of the sequence alignment that solves `task`.
fn scored(task: Task, options: &JobOptions) -> JobOptions {
    let (equal, different, gap) = if task == Task::Lcs {
        (Points::from(1), Points::from(-1), GapPoints::whole(0, 0))
    } else {
        let CostPoints { different, gap, .. } = CostPoints::new(&options.costs);
        let gap = GapPoints { open: Points::ZERO, extend: Points::from(gap) };
        (Points::ZERO, Points::from(different), gap)
    };
    JobOptions { equal, different, gap, alignment: options.alignment, gaps: options.gaps, ambiguity: true, ..JobOptions::DEFAULT }
}

/// Estimates the work of `task` for texts of the lengths in `size`.
pub(super) fn work(task: Task, size: &InputSize, options: &JobOptions) -> JobWork {
    let work = of_task(task, solver(Task::SequenceAlignment).work(size, &scored(task, options)));
    let Some(_) = EditModel::of(task, &options.costs, [0, 0]) else { return work };
    let passes = if options.alignment { 2 } else { 1 };
    JobWork { cpu: of_base_sets(size.work(task, size.cells(), passes).cpu), ..work }
}

/// Estimates the work of `task` for the texts of `pair`, of which it examines a sample.
pub(super) fn work_for(task: Task, pair: &Pair, options: &JobOptions) -> JobWork {
    let work = of_task(task, solver(Task::SequenceAlignment).work_for(pair, &scored(task, options)));
    let Some(model) = EditModel::of(task, &options.costs, [pair.a.len(), pair.b.len()]) else { return work };
    let method = PairMethod {
        substitutes: model.substitutes,
        compares_equal: false,
        aligned: options.alignment,
        // No search compares runs of equal symbols.
        max_searched_edits: |_, _| 0,
        diagonals: 0.0,
        limit: options.max_distance.and_then(|most| model.edits_within(most)),
    };
    let known = || -> Result<JobWork, JobFailure> {
        let cpu = with_symbols!(pair, |a, b| efforts(a, b, pair.alphabet(), method)).cpu;
        Ok(JobWork { cpu: of_base_sets(cpu), ..work })
    };
    // The run itself will report the error.
    known().unwrap_or(work)
}

/// Returns an effort for equal symbols as that for sets of bases.
fn of_base_sets(effort: EngineEffort) -> EngineEffort {
    EngineEffort { cost_cells: effort.cost_cells.saturating_mul(BASE_SET_CELLS), ..effort }
}

/// Returns the work of a sequence alignment as that of `task`, whose engines have other rates.
fn of_task(task: Task, work: JobWork) -> JobWork {
    let [cpu, cuda] = UNIT_COST_CELLS;
    let times = |effort: EngineEffort, each: u64| EngineEffort { cost_cells: effort.cost_cells.saturating_mul(each), ..effort };
    JobWork { task, cpu: times(work.cpu, cpu), cuda: times(work.cuda, cuda), ..work }
}

/// Solves `task` on the processor for `pair`, whose letters are sets of bases.
///
/// # Errors
/// Returns an error if the run is stopped or the texts are no sets of bases, and `Engine` if an alignment does not fit its
/// score.
pub(super) fn solve_on_cpu(task: Task, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
    let Some(model) = EditModel::of(task, &options.costs, [pair.a.len(), pair.b.len()]) else {
        return solve(task, pair, options, |options| solver(Task::SequenceAlignment).cpu(cpu, pair, options, run));
    };
    let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
    let request = PairRequest { want, limit: options.max_distance.and_then(|most| model.edits_within(most)) };
    let part = |least, most| match task {
        Task::Lcs => PartialAnswer::Bounds { at_least: subsequence(most, pair), at_most: subsequence(least, pair) },
        _ => PartialAnswer::Bounds { at_least: model.costs(least), at_most: model.costs(most) },
    };
    with_symbols!(pair, |a, b| {
        let (edits, alignment) = if model.substitutes {
            base_sets::solve::<_, MyersRecurrence, 2>([a, b], request, cpu, &part, run)?
        } else {
            base_sets::solve::<_, HyyroRecurrence, 1>([a, b], request, cpu, &part, run)?
        };
        let moved = |alignment: Alignment| -> Result<Alignment, JobFailure> {
            alignment.check_match(a, b, pair.symbol_match).map_err(failed_check)?;
            Ok(alignment.with_gaps_over_matches(options.gaps, a, b, pair.symbol_match))
        };
        let alignment = alignment.map(moved).transpose()?;
        let (answer, expected) = model.answer(task, edits, pair, alignment.as_ref());
        Ok(checked(task, expected, options, Solution { answer, alignment, found: None })?)
    })
}

/// Returns `solution` if the costs of its alignment, or the length of its subsequence, are `expected`.
///
/// # Errors
/// Returns `Engine` if they are not.
fn checked(task: Task, expected: u64, options: &JobOptions, solution: Solution) -> Result<Solution, JobFailure> {
    let Some(summary) = solution.alignment.as_ref().map(Alignment::summary) else { return Ok(solution) };
    // A substitution is no part of a subsequence.
    let sum = if task == Task::Lcs { summary.matches.saturating_sub(summary.mismatches) } else { options.costs.sum(&summary) };
    if sum == expected { Ok(solution) } else { Err(failed_check(format!("the score is {expected}, that of the alignment {sum}"))) }
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
    // All points are whole numbers.
    let score = score.tenths() / 10;
    let (answer, expected) = if task == Task::Lcs {
        let length = score.unsigned_abs();
        (TaskAnswer::Lcs { length, alignment: summary }, length)
    } else {
        let costs = &options.costs;
        let halves = i64::from(CostPoints::new(costs).halves);
        let more_insertions = pair.b.len() as i64 - pair.a.len() as i64;
        let twice = (i64::from(costs.insert) - i64::from(costs.delete)) * more_insertions - halves * score;
        let distance = twice.unsigned_abs() / 2;
        (TaskAnswer::from_distance(distance, summary), distance)
    };
    Ok(checked(task, expected, options, Solution { answer, alignment, found })?)
}
