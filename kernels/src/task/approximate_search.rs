//! Approximate search: the substrings of `b` with the least edit distance to `a`, or the ends of all substrings within
//! `max_distance` edits (papers 000 and 003: ASM).
//!
//! ```text
//! D[0, j] = 0,  D[i, 0] = i
//! D[i, j] = min(D[i−1, j−1] + (a[i] ≠ b[j]),  D[i−1, j] + 1,  D[i, j−1] + 1)
//! distance at the end j = D[m, j], 0 ≤ j ≤ n
//! ```
//!
//! A hit is an end `j`, with its distance and the greatest start from which `b[start..j]` has that distance. An empty
//! `a` is found at every end with distance 0. An empty `b` has one end, 0, at distance m. Every end is within m edits,
//! so that a `max_distance` of m or more finds all n + 1 ends. With `local_minima`, only local minima are hits: of
//! neighbouring ends with equal distances, the last one is a hit if the ends on both sides have greater distances or do
//! not exist.
//!
//! With `ambiguity`, letters stand for sets of bases, and two letters match if their sets overlap. The engine on the CPU then
//! looks for no pieces of the pattern, because a piece that matches need not be equal. GPUs leave these jobs to it.
//!
//! - [`cpu`]: the fast engine on the CPU
//! - [`cuda`]: slices of the text on a GPU, or bands of rows for a long pattern
//! - `published`: the published algorithms of papers 000 and 003

use std::ops::Range;

use super::search::covered_part;
use super::{DivisibleTask, FinishedSearch, InputSize, JobShare, JoinedShares, SearchTask, Solution, SolvableTask};
use crate::alignment::{Alignment, GapPlacement};
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::event::{FIRST_PAGE_HITS, TaskAnswer};
use crate::failure::JobFailure;
use crate::found::{Hit, PositionSet, ScoreSpan, SearchResult, in_spans};
use crate::job::{JobOptions, Task};
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::text::Pair;
#[cfg(not(target_family = "wasm"))]
use crate::with_symbols;
use crate::with_units;
use cpu::distances::EndDistances;
use cpu::division;

#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};

mod cpu;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
mod published;

/// Lower bound of the cells of a search with ambiguity codes that a host computes in a nanosecond.
const HOST_CELLS_PER_NS: u64 = 8;

/// The solver of the task `approximate-search`.
pub struct ApproximateSearch;

impl SolvableTask for ApproximateSearch {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        let work = size.work(Task::ApproximateSearch, size.cells(), 1);
        if options.ambiguity { work.on_host(HOST_CELLS_PER_NS) } else { work }
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        let work = self.work(&InputSize::from(pair), options);
        let known = || -> Result<JobWork, JobFailure> {
            let cpu = with_units!(pair, |a, b| cpu::effort(a, b, (pair.unit_bound(), pair.symbol_match), options));
            let work = JobWork { cpu, is_known: true, ..work };
            Ok(if options.ambiguity { work.on_host(HOST_CELLS_PER_NS) } else { work })
        };
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        let pattern = cells.isqrt().clamp(1, 128);
        (pattern as usize, (cells / pattern) as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let hits = with_units!(pair, |a, b| cpu::solve(a, b, (pair.unit_bound(), pair.symbol_match), options, cpu, run)?);
        self.solution(pair, options, hits, cpu, run)
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
        if m == 0 || n == 0 || !pair.symbol_match.is_equality() {
            return self.cpu(host, pair, options, run);
        }
        // Numbers the units first, so that distinct ones are not counted before.
        pair.symbol_slices()?;
        let alphabet = pair.alphabet();
        let hits = with_symbols!(pair, |a, b| cuda::search(gpu, super::search::SearchTexts { a, b, alphabet }, options, run)?);
        self.solution(pair, options, hits, host, run)
    }
}

impl DivisibleTask for ApproximateSearch {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        let known = || -> Result<f64, JobFailure> {
            Ok(with_units!(pair, |a, b| division::speedup(a, b, (pair.unit_bound(), pair.symbol_match), options, engines)))
        };
        known().unwrap_or(1.0)
    }

    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        with_units!(pair, |a, b| division::divide(a, b, (pair.unit_bound(), pair.symbol_match), options, engines, run))
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        with_units!(pair, |a, b| division::solve_share(a, b, (pair.unit_bound(), pair.symbol_match), options, share, run))
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, run: &Run) -> Result<JoinedShares, Halt> {
        let hits = division::join_shares(results.iter().map(|(_, result)| result.as_slice()), options)?;
        self.solution(pair, options, hits, &Cpu::SINGLE, run).map(JoinedShares::Solved)
    }
}

impl SearchTask for ApproximateSearch {
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        let FinishedSearch { pair, options, answer, found } = *searched;
        let least = match answer {
            TaskAnswer::ApproximateSearch { distance, .. } => *distance,
            _ => None,
        };
        // Without `max_distance`, all hits have the least distance.
        let distances = match (least, options.max_distance) {
            (Some(least), None) => least..=least,
            (least, most) => least.unwrap_or(0)..=most.unwrap_or(u64::MAX),
        };
        let ends: Vec<u64> = found.positions.iter_page(&page).collect();
        with_units!(pair, |a, b| cpu::EndPage { a, b, ends: &ends, distances, symbol_match: pair.symbol_match }.hits(cpu, run))
    }

    fn align(&self, pair: &Pair, hit: Hit, gaps: GapPlacement, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        let alignment = with_units!(pair, |a, b| {
            let b = covered_part(b, hit)?;
            match pair.symbol_match {
                SymbolMatch::Equal => super::edit_distance::align(a, b, pair.unit_bound(), gaps, cpu, run)?,
                SymbolMatch::Overlap => cpu::align::align(a, b, pair.symbol_match, hit.distance, gaps, run)?,
            }
        });
        Ok(alignment.starting_at(0, hit.start))
    }

    fn offsets(&self, searched: &FinishedSearch) -> Option<u64> {
        Some(searched.pair.b.len() as u64 + 1)
    }

    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<ScoreSpan>, Halt> {
        let all = searched.pair.b.len() as u64 + 1;
        in_spans(offsets.start.min(all)..offsets.end.min(all), points, |ends, take| for_each_end(searched.pair, ends, run, take))
    }

    fn counts(&self, searched: &FinishedSearch, run: &Run) -> Result<Vec<u64>, Halt> {
        let mut counts = Vec::new();
        for_each_end(searched.pair, 0..u64::MAX, run, &mut |_, distance| {
            let distance = distance as usize;
            if counts.len() <= distance {
                counts.resize(distance + 1, 0);
            }
            counts[distance] += 1;
        })?;
        Ok(counts)
    }
}

/// Calls `take` for each end in `ends`, with the end and the least distance of a substring that ends there.
fn for_each_end(pair: &Pair, ends: Range<u64>, run: &Run, take: &mut dyn FnMut(u64, u64)) -> Result<(), Halt> {
    let alphabet = pair.unit_bound();
    with_units!(pair, |a, b| EndDistances { a, b, alphabet, symbol_match: pair.symbol_match, run }.for_each_end(ends, take))
}

/// The result of a search: the ends of substrings that are hits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ApproximateHits {
    /// The least distance of a hit, or `None` if there is no hit.
    pub(crate) distance: Option<u64>,
    /// Number of hits.
    pub(crate) total: u64,
    /// End positions of the hits, if requested.
    pub(crate) positions: PositionSet,
}

impl ApproximateSearch {
    /// Builds the solution from `hits`. The first page of hits is computed on the processor.
    fn solution(&self, pair: &Pair, options: &JobOptions, hits: ApproximateHits, cpu: &Cpu, run: &Run) -> Result<Solution, Halt> {
        let ApproximateHits { distance, total, positions } = hits;
        let found = SearchResult { positions, profile: None };
        let mut answer = TaskAnswer::ApproximateSearch { distance, total, hits: Vec::new(), reverse: None };
        if !options.count_only {
            let page = self.hits(&FinishedSearch { pair, options, answer: &answer, found: &found }, 0..FIRST_PAGE_HITS as u64, cpu, run)?;
            answer = TaskAnswer::ApproximateSearch { distance, total, hits: page, reverse: None };
        }
        Ok(Solution { answer, alignment: None, found: (!options.count_only).then_some(found) })
    }
}

/// Returns all hits of `a` in `b`, computed on this thread. The symbols of both texts are below `alphabet`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn find_all<T: Symbol>(a: &[T], b: &[T], alphabet: u32, options: &JobOptions, run: &Run) -> Result<Vec<Hit>, Halt> {
    let hits = cpu::solve(a, b, (alphabet, SymbolMatch::Equal), options, &Cpu::SINGLE, run)?;
    let ends: Vec<u64> = hits.positions.iter().collect();
    let distances = hits.distance.unwrap_or(0)..=options.max_distance.or(hits.distance).unwrap_or(u64::MAX);
    cpu::EndPage { a, b, ends: &ends, distances, symbol_match: SymbolMatch::Equal }.hits(&Cpu::SINGLE, run)
}
