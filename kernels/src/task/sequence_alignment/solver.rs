//! The solver of the task `sequence-alignment`, and the check of its answers.

use std::ops::Range;

use super::super::{InputSize, Solution, SolvableTask, failed_check};
use super::engine::effort::{cuda_effort, effort, effort_of};
use super::engine::excluded::ExcludedPairs;
use super::engine::{self, AlignmentModel, BestAlignment};
use crate::alignment::{Alignment, AlignmentScore, GapPlacement, SymbolRange};
use crate::cpu::Cpu;
use crate::event::{LocalPiece, TaskAnswer};
use crate::failure::JobFailure;
use crate::job::{JobOptions, Scoring, Task};
use crate::pair::cpu::PairOutput;
use crate::plan::{EngineEffort, JobWork};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::text::Pair;
use crate::with_symbols;

#[cfg(not(target_family = "wasm"))]
use super::engine::cuda::DevicePasses;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};

/// The solver of the task `sequence-alignment`.
pub struct SequenceAlignment;

impl SolvableTask for SequenceAlignment {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        let (scoring, aligned) = (options.scoring(), options.alignment);
        let cpu = effort(size.a, size.b, size.alphabet, &scoring, aligned);
        let cpu = of_all_pieces(cpu, size.cells(), options);
        let cuda = with_next_on_host(cuda_effort(size.a, size.b, &scoring, aligned), cpu, options);
        JobWork { cpu, cuda, ..size.work(Task::SequenceAlignment, size.cells(), 1) }
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let cpu = with_symbols!(pair, |a, b| effort_of(a, b, pair.alphabet, &options.scoring(), options.alignment));
            Ok(JobWork { cpu: of_all_pieces(cpu, pair.cells(), options), is_known: true, ..work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        (cells.isqrt() as usize, cells.isqrt() as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let model = AlignmentModel::new(&options.scoring(), pair)?;
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let best = with_symbols!(pair, |a, b| engine::solve(a, b, &model, want, cpu, run)?);
        let solution = solution(best, pair, Some(options.gaps), &model)?;
        with_next_pieces(solution, pair, &model, options, cpu, run)
    }

    fn has_cuda(&self) -> bool {
        true
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        engine::cuda::variants().collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let model = AlignmentModel::new(&options.scoring(), pair)?;
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let device = DevicePasses::new(gpu);
        let best = with_symbols!(pair, |a, b| engine::solve_on(device, [a, b], &model, want, host, run)?);
        let solution = solution(best, pair, Some(options.gaps), &model)?;
        with_next_pieces(solution, pair, &model, options, host, run)
    }
}

/// Number of cells of a global score with linear gaps that a host with four cores computes in a nanosecond.
const HOST_CELLS_PER_NS: u64 = 40;

/// Number of nanoseconds in which one core computes a cell of a tile with excluded pairs, or a cell of a piece without them.
const EXCLUDED_CELL_NS: u64 = 2;

/// Number of pieces whose pairs are in about all tiles of a matrix.
const FILLING_PIECES: u64 = 16;

/// Returns the effort of all pieces on a CPU, if `effort` is that of one and a piece has up to `cells` cells. The tiles with
/// the pairs of better pieces are computed cell by cell.
fn of_all_pieces(effort: EngineEffort, cells: u64, options: &JobOptions) -> EngineEffort {
    let (pieces, next) = (u64::from(options.pieces), u64::from(options.pieces.saturating_sub(1)));
    // The sum of min(1, piece / FILLING_PIECES) over all further pieces.
    let first = next.min(FILLING_PIECES);
    let matrices = first * (first + 1) / (2 * FILLING_PIECES) + (next - first);
    let slow_cells = cells.saturating_mul(matrices);
    EngineEffort {
        cells: effort.cells.saturating_mul(pieces).saturating_add(slow_cells),
        cost_cells: effort.cost_cells.saturating_mul(pieces),
        overhead_ns: effort.overhead_ns.saturating_mul(pieces).saturating_add(EXCLUDED_CELL_NS.saturating_mul(slow_cells)),
    }
}

/// Returns the effort of a GPU for the first piece and of its host for the further ones. `host` is the effort of all pieces
/// on a CPU.
fn with_next_on_host(device: EngineEffort, host: EngineEffort, options: &JobOptions) -> EngineEffort {
    if options.pieces < 2 {
        return device;
    }
    let host_ns = (host.cost_cells / HOST_CELLS_PER_NS).saturating_add(host.overhead_ns);
    EngineEffort { cells: device.cells.saturating_add(host.cells), overhead_ns: device.overhead_ns.saturating_add(host_ns), ..device }
}

/// Adds the further pieces of a local alignment that `options` request to the solution `first`. They are computed on the CPU.
///
/// # Errors
/// Returns an error if the run is stopped, and `Engine` if a piece fails its check.
fn with_next_pieces(
    mut first: Solution,
    pair: &Pair,
    model: &AlignmentModel,
    options: &JobOptions,
    cpu: &Cpu,
    run: &Run,
) -> Result<Solution, Halt> {
    let (Some(alignment), TaskAnswer::SequenceAlignment { next, .. }) = (&first.alignment, &mut first.answer) else {
        return Ok(first);
    };
    if alignment.summary().columns == 0 {
        return Ok(first);
    }
    let mut excluded = ExcludedPairs::default();
    excluded.add(alignment);
    let mut cigars = 0;
    for _ in 1..options.pieces {
        let best = with_symbols!(pair, |a, b| engine::solve_without(&excluded, [a, b], model, PairOutput::Alignment, cpu, run)?);
        if best.score == 0 {
            break;
        }
        // Moved gaps could bring excluded pairs together.
        let in_range = |range: &Range<u64>| SymbolRange::from(range.clone()).indices();
        let is_alone = excluded.within(&in_range(&best.a), &in_range(&best.b)).next().is_none();
        let piece = solution(best, pair, is_alone.then_some(options.gaps), model)?;
        let (Some(alignment), TaskAnswer::SequenceAlignment { score, a, b, alignment: Some(summary), scored: Some(scored), .. }) =
            (piece.alignment, piece.answer)
        else {
            break;
        };
        excluded.add(&alignment);
        let cigar = Some(alignment.to_string()).filter(|cigar| cigars + cigar.len() <= LocalPiece::MAX_CIGARS);
        cigars += cigar.as_ref().map_or(0, String::len);
        next.push(LocalPiece { score, a, b, alignment: summary, scored, cigar });
    }
    Ok(first)
}

/// Returns the answer for `best`, and its alignment after it is checked, with its gaps placed as in `gaps`, or left where
/// they are.
///
/// # Errors
/// Returns the errors of [`check_and_move_gaps`].
fn solution(best: BestAlignment, pair: &Pair, gaps: Option<GapPlacement>, model: &AlignmentModel) -> Result<Solution, Halt> {
    let BestAlignment { score, a, b, alignment } = best;
    let (in_a, in_b) = (SymbolRange::from(a), SymbolRange::from(b));
    let mut solution = Solution {
        answer: TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, alignment: None, scored: None, next: Vec::new() },
        alignment: None,
        found: None,
    };
    if let Some(alignment) = alignment {
        let alignment = alignment.starting_at(in_a.start, in_b.start);
        solution = check_and_move_gaps(score, [in_a, in_b], alignment, gaps, (pair, model))?;
    }
    Ok(solution)
}

/// Replaces the alignment by the equally good one that users see ([`Alignment::with_scored_gaps`]), and checks that it
/// aligns the ranges of the answer and has the score of the answer. Adds the counts of columns to the answer.
///
/// # Errors
/// Returns `Engine` if the alignment does not fit the ranges or the score.
fn check_and_move_gaps(
    score: i64,
    [in_a, in_b]: [SymbolRange; 2],
    alignment: Alignment,
    gaps: Option<GapPlacement>,
    (pair, model): (&Pair, &AlignmentModel),
) -> Result<Solution, JobFailure> {
    let (alignment, sum) = with_symbols!(pair, |a, b| {
        let (Some(a), Some(b)) = (a.get(in_a.indices()), b.get(in_b.indices())) else {
            return Err(failed_check("the ranges exceed the texts"));
        };
        move_gaps_checked(alignment, gaps, [a, b], model)?
    });
    if sum.score != score {
        return Err(failed_check(format!("the score is {score}, that of the alignment {}", sum.score)));
    }
    let (summary, scored) = (Some(alignment.summary()), Some(sum.columns));
    let answer = TaskAnswer::SequenceAlignment { score, a: in_a, b: in_b, alignment: summary, scored, next: Vec::new() };
    Ok(Solution { answer, alignment: Some(alignment), found: None })
}

/// Checks that `alignment` aligns `a` to `b`, and returns the equally good alignment that users see, with its score. With
/// `gaps`, no gap moves over a pair of different symbols whose points would change.
fn move_gaps_checked<T: Symbol>(
    alignment: Alignment,
    gaps: Option<GapPlacement>,
    [a, b]: [&[T]; 2],
    model: &AlignmentModel,
) -> Result<(Alignment, AlignmentScore), JobFailure> {
    alignment.check(a, b).map_err(failed_check)?;
    let points = |x: T, y: T| model.points.of(x.number(), y.number());
    let alignment = match gaps {
        Some(gaps) => alignment.with_scored_gaps(gaps, a, b, |[x, y], [u, v]| points(*x, *y) == points(*u, *v)),
        None => alignment,
    };
    let sum = alignment.score(a, b, |len| model.gap.of(len), points);
    Ok((alignment, sum))
}

impl Alignment {
    /// Returns the score of this alignment of pieces of the texts of `pair`, computed from its columns by `scoring`.
    ///
    /// # Errors
    /// Returns `Engine` if the alignment does not fit the texts, and `BadInput` if a matrix has no row for a symbol.
    pub fn score_in(&self, pair: &Pair, scoring: &Scoring) -> Result<AlignmentScore, JobFailure> {
        let model = AlignmentModel::new(scoring, pair)?;
        let summary = self.summary();
        let range = |start: u64, len: u64| start as usize..(start + len) as usize;
        let in_a = range(self.a_start(), summary.columns - summary.insertions);
        let in_b = range(self.b_start(), summary.columns - summary.deletions);
        with_symbols!(pair, |a, b| {
            let (Some(a), Some(b)) = (a.get(in_a), b.get(in_b)) else { return Err(failed_check("the alignment exceeds the texts")) };
            self.check(a, b).map_err(failed_check)?;
            Ok(self.score(a, b, |len| model.gap.of(len), |x, y| model.points.of(x.number(), y.number())))
        })
    }
}
