//! Edit distance: the least number of substitutions, insertions and deletions of single symbols that turn `a` into `b`
//! (Levenshtein), and one optimal alignment. With other [costs](crate::job::EditCosts), the least sum of costs.
//!
//! ```text
//! D[0, j] = j,  D[i, 0] = i
//! D[i, j] = min(D[i−1, j−1] + (a[i] ≠ b[j]),  D[i−1, j] + 1,  D[i, j−1] + 1)
//! ```
//!
//! Empty texts are valid input: the distance to an empty text is the length of the other text.
//!
//! A job may limit the distance of interest (`max_distance`). The engine on the CPU then sweeps no band wider than the
//! limit, and stops as soon as every alignment must cost more. The CUDA engine computes the distance without a limit,
//! because its two sweeps meet in the middle row, where alone their sum is known. The planner counts this.
//!
//! With `ambiguity`, letters stand for sets of bases (`ambiguous`). For unit costs the CPU sweeps the same bands as for
//! equal letters. With other costs and on a GPU, an alignment with the highest score has the least costs, and the distance
//! is computed without a limit.
//!
//! - [`cpu`]: the fast engine on the CPU
//! - [`short`]: short texts only
//! - [`short_pairs`]: two short strings, for callers that compare many pairs
//! - [`cuda`]: one persistent kernel launch over the whole pair
//! - [`weighted`]: any costs, and transpositions
//! - `published`: the published algorithms of paper 000

use super::halves::{self, HalvedTexts, JoinedHalves};
use super::lcs::Lcs;
use super::shares::ShareKind;
use super::{DivisibleTask, InputSize, JobShare, JoinedShares, Solution, SolvableTask, ambiguous, move_gaps_checked};
use crate::alignment::{Alignment, GapPlacement};
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
use crate::job::JobOptions;
use crate::job::Task;
use crate::pair::cpu::recurrence::unit_cost::MyersRecurrence;
use crate::pair::cpu::{NearEqualAttempt, PairRequest, WORD};
use crate::pair::effort::{PairEfforts, PairMethod, efforts};
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::text::Pair;
use crate::{with_symbols, with_units};
use cpu::PairOutput;
pub use cpu::short_pairs;
use weighted::CostModel;

#[cfg(not(target_family = "wasm"))]
use super::solver;
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};

pub(crate) mod cpu;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
mod published;
pub mod short;
pub(crate) mod weighted;

/// The solver of the task `edit-distance`.
pub struct EditDistance;

impl SolvableTask for EditDistance {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        if options.ambiguity {
            return ambiguous::work(Task::EditDistance, size, options);
        }
        let passes = if options.alignment { 2 } else { 1 };
        let each = match CostModel::of(&options.costs) {
            CostModel::Levenshtein | CostModel::Subsequence => passes,
            CostModel::Weighted(cells) => weighted::cost_per_cell(&cells),
        };
        size.work(Task::EditDistance, size.cells(), each)
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        if options.ambiguity {
            return ambiguous::work_for(Task::EditDistance, pair, options);
        }
        let cells = match CostModel::of(&options.costs) {
            CostModel::Levenshtein => None,
            CostModel::Subsequence => return JobWork { task: Task::EditDistance, ..Lcs.work_for(pair, options) },
            CostModel::Weighted(cells) => Some(cells),
        };
        let method = PairMethod {
            substitutes: true,
            compares_equal: true,
            aligned: options.alignment,
            max_searched_edits: cpu::few_edits,
            diagonals: 1.0,
            limit: options.max_distance,
        };
        let request = |cells| weighted::EffortRequest { cells, aligned: options.alignment, limit: options.max_distance };
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let PairEfforts { cpu, cuda } = with_symbols!(pair, |a, b| match &cells {
                None => efforts(a, b, pair.alphabet(), method),
                Some(cells) => weighted::efforts(a, b, pair.alphabet(), request(*cells)),
            });
            Ok(JobWork { cpu, cuda, is_known: true, ..work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        (cells.isqrt() as usize, cells.isqrt() as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        if !pair.symbol_match.is_equality() {
            return ambiguous::solve_on_cpu(Task::EditDistance, cpu, pair, options, run);
        }
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        let request = PairRequest { want, limit: options.max_distance };
        if options.costs.is_levenshtein() {
            // Returns from each of both arms, because a solution takes long to move compared with a pair of words.
            with_units!(pair, |a, b| if let Some(solution) = solve_short_pair(a, b, pair.unit_bound(), want, run)? {
                return Ok(solution);
            });
        }
        if !options.costs.is_levenshtein() {
            let (distance, alignment) =
                with_symbols!(pair, |a, b| weighted::solve(a, b, pair.alphabet(), &options.costs, request, cpu, run)?);
            return Ok(solution(distance, alignment));
        }
        solve_long_pair(cpu, pair, request, run)
    }

    fn has_cuda(&self) -> bool {
        true
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        cuda::variants().into_iter().chain(weighted::cuda::variants()).collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        if !pair.symbol_match.is_equality() {
            let align = |options: &JobOptions| solver(Task::SequenceAlignment).cuda(gpu, host, pair, options, run);
            return ambiguous::solve(Task::EditDistance, pair, options, align);
        }
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        if !options.costs.is_levenshtein() {
            let (distance, alignment) =
                with_symbols!(pair, |a, b| weighted::cuda::solve(gpu, host, [a, b], pair.alphabet(), &options.costs, want, run)?);
            return Ok(solution(distance, alignment));
        }
        let (distance, alignment) =
            with_symbols!(pair, |a, b| crate::pair::cuda::solve::<cuda::DeviceEditDistance, _>(gpu, [a, b], pair.alphabet(), want, run)?);
        Ok(solution(distance.unsigned_abs(), alignment))
    }
}

/// Jobs with other costs, ambiguity codes or a limit are not divided. A limit ends an undivided run early.
impl DivisibleTask for EditDistance {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        if engines < 2 || !is_halved(pair, options) {
            return 1.0;
        }
        halves::speedup(self.work_for(pair, options).cpu.cost_cells, pair.cells(), options.alignment)
    }

    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        if !is_halved(pair, options) {
            return Ok(Vec::new());
        }
        with_symbols!(pair, |a, b| HalvedTexts::new(a, b).divide::<MyersRecurrence, 2>(engines, run))
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, _options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        with_symbols!(pair, |a, b| {
            let texts = HalvedTexts::new(a, b);
            if share.kind != ShareKind::Align {
                return texts.solve_half::<MyersRecurrence, 2>(share, run);
            }
            let [rows, columns] = texts.part(share)?;
            let (_, alignment) = cpu::solve(rows, columns, pair.alphabet(), PairOutput::Alignment.into(), &Cpu::SINGLE, run)?;
            Ok(halves::encode(&alignment.unwrap_or_default()))
        })
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, _run: &Run) -> Result<JoinedShares, Halt> {
        let want = if options.alignment { PairOutput::Alignment } else { PairOutput::Distance };
        Ok(match with_symbols!(pair, |a, b| HalvedTexts::new(a, b).join(&results, want)?) {
            JoinedHalves::Solved(distance, alignment) => JoinedShares::Solved(solution(distance, alignment)),
            JoinedHalves::Further(shares) => JoinedShares::Further(shares),
        })
    }
}

fn is_halved(pair: &Pair, options: &JobOptions) -> bool {
    options.costs.is_levenshtein() && options.max_distance.is_none() && pair.symbol_match.is_equality()
}

/// Computes the distance and alignment that `request` contains, for texts that are too long for [`solve_short_pair`]. A function
/// of its own, so that short pairs need no large stack frame.
#[inline(never)]
fn solve_long_pair(cpu: &Cpu, pair: &Pair, request: PairRequest, run: &Run) -> Result<Solution, Halt> {
    // Few edits are searched in the bytes of the texts, so that these are not numbered.
    let attempt = with_units!(pair, |a, b| cpu::solve_few_edits(a, b, pair.unit_bound(), request, run)?);
    let (distance, alignment) = match attempt {
        NearEqualAttempt::Solved(found) => found,
        NearEqualAttempt::Far(about) => {
            with_symbols!(pair, |a, b| cpu::solve_many_edits([a, b], pair.alphabet(), about, request, cpu, run)?)
        }
    };
    Ok(solution(distance, alignment))
}

/// Solves a pair of short texts of which the shorter one has at most 64 symbols (a machine word). Returns `None` for
/// other pairs. `want` says whether an alignment is requested.
#[inline]
fn solve_short_pair<T: Symbol>(a: &[T], b: &[T], alphabet: u32, want: PairOutput, run: &Run) -> Result<Option<Solution>, Halt> {
    if want == PairOutput::Distance {
        let distance = cpu::short(a, b, alphabet, run)?;
        return Ok(distance.map(|distance| solution(distance, None)));
    }
    let alignment = cpu::short_alignment(a, b, alphabet, run)?;
    Ok(alignment.map(|alignment| solution(alignment.summary().distance(), Some(alignment))))
}

fn solution(distance: u64, alignment: Option<Alignment>) -> Solution {
    let summary = alignment.as_ref().map(Alignment::summary);
    Solution { answer: TaskAnswer::from_distance(distance, summary), alignment, found: None }
}

/// Returns one optimal alignment of two texts whose symbols are below `alphabet`: the one that users see, with its gaps
/// at the places `gaps` ([`Alignment::with_gaps`]).
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn align<T: Symbol>(a: &[T], b: &[T], alphabet: u32, gaps: GapPlacement, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
    let (_, alignment) = cpu::solve(a, b, alphabet, PairOutput::Alignment.into(), cpu, run)?;
    Ok(move_gaps_checked(alignment.unwrap_or_default(), gaps, a, b)?)
}

/// Returns the edit distance of two byte strings if one of them fits a machine word, and otherwise `None`. Takes O(|a| +
/// |b|) time and allocates no memory.
pub(crate) fn word_distance(a: &[u8], b: &[u8]) -> Option<u64> {
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    (pattern.len() <= WORD).then(|| cpu::word_distance(pattern, text))
}

/// Returns the edit distance of two byte strings, neither of which fits a machine word, if it is small. Otherwise returns an
/// estimate for [`many_edits`].
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn few_edits(a: &[u8], b: &[u8], run: &Run) -> Result<NearEqualAttempt<u64>, Halt> {
    Ok(match cpu::solve_few_edits(a, b, 1 << u8::BITS, PairOutput::Distance.into(), run)? {
        NearEqualAttempt::Solved((distance, _)) => NearEqualAttempt::Solved(distance),
        NearEqualAttempt::Far(about) => NearEqualAttempt::Far(about),
    })
}

/// Returns the edit distance of two texts whose symbols are below `alphabet`, after [`few_edits`] has returned the estimate
/// `about`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn many_edits<T: Symbol>(texts: [&[T]; 2], alphabet: u32, about: Option<u64>, cpu: &Cpu, run: &Run) -> Result<u64, Halt> {
    let (distance, _) = cpu::solve_many_edits(texts, alphabet, about, PairOutput::Distance.into(), cpu, run)?;
    Ok(distance)
}
