//! Match count: the score vector C(b, a), the number of equal symbols at every offset of `a` in `b` (paper 002).
//!
//! ```text
//! c[s] = |{ i : a[i] = b[s + i] }|,  0 ≤ s ≤ n − m
//! ```
//!
//! The Hamming distance at offset s is `m − c[s]`. An `a` longer than `b` has no offset, which is a valid answer. An
//! empty `a` has n + 1 offsets with score 0. The whole vector is not stored, but its profile and the best offsets are.
//! If `max_mismatches` is given, all offsets with at most this number of unequal symbols are stored too.
//!
//! With `ambiguity`, letters stand for sets of bases, and letters count whose sets overlap. The CPU compares all of them, and
//! GPUs leave these jobs to it.
//!
//! - [`cpu`]: the fast engine on the CPU
//! - [`cuda`]: the whole vector on a GPU
//! - `published`: the published algorithms of paper 002

use std::ops::Range;

use super::search::side_by_side;
use super::{DivisibleTask, FinishedSearch, InputSize, JobShare, JoinedShares, SearchTask, Solution, SolvableTask};
use crate::alignment::{Alignment, GapPlacement};
use crate::cpu::Cpu;
use crate::event::{RunStage, TaskAnswer};
use crate::failure::JobFailure;
use crate::found::{Hit, ScoreProfile, ScoreSpan};
use crate::job::{JobOptions, Task};
use crate::plan::{EngineEffort, JobWork};
use crate::run::{Halt, Run};
use crate::text::Pair;
#[cfg(not(target_family = "wasm"))]
use crate::with_symbols;
use crate::with_units;
pub use cpu::cost_model::ScoreMethod;
use cpu::pages::ScorePages;
pub use cpu::pattern::{ExpectedText, PreparedPattern};
pub use cpu::score::ScoreSlice;
pub use cpu::stream::ScoreStream;

#[cfg(not(target_family = "wasm"))]
use crate::{
    event::FIRST_PAGE_HITS,
    found::SearchResult,
    gpu::{Gpu, compile::KernelSource},
};

mod cpu;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
mod published;

/// Cost of a cell of a count with ambiguity codes, in cells of the reference pattern.
const SET_PASSES: u64 = 5;

/// Lower bound of the cells of the reference pattern that a host computes in a nanosecond.
const HOST_CELLS_PER_NS: u64 = 40;

/// Maximum number of offsets in the list of the best offsets (with the fewest unequal symbols) of an answer.
pub const TOP_OFFSETS: usize = 100;

/// The request for a match count: which results of the score vector (the number of equal symbols at every offset) the
/// answer needs.
#[derive(Clone, Copy, Debug)]
struct ScoreRequest {
    /// Number of symbols in the pattern.
    m: u64,
    /// Number of offsets in a span of the profile, a power of two.
    width: u64,
    /// Maximum number of unequal symbols at a hit. If `None`, the offsets with the greatest score are the hits.
    max_mismatches: Option<u64>,
    /// Whether hits are only counted, without their positions.
    count_only: bool,
}

/// The solver of the task `match-count`.
pub struct MatchCount;

impl SolvableTask for MatchCount {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        let cells = size.a.saturating_mul((size.b + 1).saturating_sub(size.a));
        match options.ambiguity {
            false => size.work(Task::MatchCount, cells, 1),
            true => size.work(Task::MatchCount, cells, SET_PASSES).on_host(HOST_CELLS_PER_NS),
        }
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let rated = with_units!(pair, |a, b| cpu::cost_cells(a, b, pair.alphabet(), pair.symbol_match));
            let work = JobWork { cpu: EngineEffort { cost_cells: rated, ..work.cpu }, is_known: true, ..work };
            Ok(if options.ambiguity { work.on_host(HOST_CELLS_PER_NS) } else { work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        let pattern = cells.isqrt().clamp(1, 64);
        (pattern as usize, (cells / pattern + pattern) as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        run.stage(RunStage::Compute)?;
        with_units!(pair, |a, b| cpu::solve(a, b, (pair.alphabet(), pair.symbol_match), cpu, options, run))
    }

    fn has_cuda(&self) -> bool {
        true
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        cuda::variants().collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let (m, n) = (pair.a.len(), pair.b.len());
        if m == 0 || m > n || !pair.symbol_match.is_equality() {
            return self.cpu(host, pair, options, run);
        }
        // Numbers the units first, so that distinct ones are not counted before.
        pair.symbol_slices()?;
        if cuda::is_for_transforms(m, pair.alphabet(), host.threads) {
            return self.cpu(host, pair, options, run);
        }
        let wanted = score_request(m, cpu::offsets(m, n), options);
        let alphabet = pair.alphabet();
        let counted = with_symbols!(pair, |a, b| cuda::count(gpu, super::search::SearchTexts { a, b, alphabet }, wanted, run)?);
        Ok(device_solution(counted, wanted))
    }
}

impl DivisibleTask for MatchCount {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        let known = || -> Result<f64, JobFailure> {
            Ok(with_units!(pair, |a, b| cpu::speedup(a, b, (pair.alphabet(), pair.symbol_match), options, engines)))
        };
        known().unwrap_or(1.0)
    }

    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, _run: &Run) -> Result<Vec<JobShare>, Halt> {
        Ok(with_units!(pair, |a, b| cpu::divide(a, b, (pair.alphabet(), pair.symbol_match), options, engines)))
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        with_units!(pair, |a, b| cpu::solve_share(a, b, (pair.alphabet(), pair.symbol_match), options, share, run))
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, _run: &Run) -> Result<JoinedShares, Halt> {
        let lengths = (pair.a.len(), pair.b.len());
        cpu::join_shares(results.iter().map(|(_, result)| result.as_slice()), lengths, options).map(JoinedShares::Solved)
    }
}

impl SearchTask for MatchCount {
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, _cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        let FinishedSearch { pair, options, answer, found } = *searched;
        // If no maximum of unequal symbols is given, all hits have the best score.
        let best = match answer {
            TaskAnswer::MatchCount { best, .. } if options.max_mismatches.is_none() => *best,
            _ => None,
        };
        let distance = best.map(|best| pair.a.len() as u64 - best);
        let starts: Vec<u64> = found.positions.iter_page(&page).collect();
        with_units!(pair, |a, b| ScorePages { a, b, symbol_match: pair.symbol_match, run }.hits(&starts, distance))
    }

    fn align(&self, pair: &Pair, hit: Hit, _gaps: GapPlacement, _cpu: &Cpu, _run: &Run) -> Result<Alignment, Halt> {
        let aligned = with_units!(pair, |a, b| side_by_side(a, b, pair.symbol_match, hit));
        Ok(aligned?)
    }

    fn offsets(&self, searched: &FinishedSearch) -> Option<u64> {
        searched.found.profile.as_ref().map(|profile| profile.spans.iter().map(|span| span.offsets).sum())
    }

    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<ScoreSpan>, Halt> {
        let Some(kept) = &searched.found.profile else { return Err(JobFailure::engine("The run kept no profile.").into()) };
        let symbol_match = searched.pair.symbol_match;
        with_units!(searched.pair, |a, b| ScorePages { a, b, symbol_match, run }.profile(kept, offsets, points))
    }
}

/// Creates the request for a match count with `options`, for a pattern of `m` symbols that has `all` offsets in the
/// text.
fn score_request(m: usize, all: u64, options: &JobOptions) -> ScoreRequest {
    ScoreRequest {
        m: m as u64,
        width: ScoreProfile::width_for(all),
        max_mismatches: options.max_mismatches,
        count_only: options.count_only,
    }
}

/// Builds the solution of the request `wanted` from the results `counted` of a GPU.
#[cfg(not(target_family = "wasm"))]
fn device_solution(counted: cuda::DeviceMatchCount, wanted: ScoreRequest) -> Solution {
    let cuda::DeviceMatchCount { best, total_best, within, top, positions, profile } = counted;
    let is_best = |(distance, _): &&(u64, u64)| *distance == wanted.m - best;
    let offsets = top.iter().take_while(is_best).map(|(_, start)| *start).take(FIRST_PAGE_HITS).collect();
    let top = top.into_iter().map(|(distance, start)| Hit::new(start, start + wanted.m, distance)).collect();
    let answer = TaskAnswer::MatchCount { best: Some(best), total_best, offsets, within, top, records: Vec::new() };
    let found = (!wanted.count_only).then_some(SearchResult { positions, profile: Some(profile) });
    Solution { answer, alignment: None, found }
}
