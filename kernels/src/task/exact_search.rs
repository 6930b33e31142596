//! Exact search: every occurrence of `a` in `b`, including overlapping ones (paper 004).
//!
//! ```text
//! { s : a[i] = b[s + i] for all 0 ≤ i < m },  0 ≤ s ≤ n − m
//! ```
//!
//! The absence of occurrences is a valid answer. An empty `a` occurs at all n + 1 positions, and an `a` longer than `b`
//! at none.
//!
//! One vector comparison finds at which of 64 positions one symbol of the pattern agrees with the text. The conjunction
//! of a few such comparisons is a word of bits. It is the answer for a short pattern, and the set of candidates for a
//! long pattern. This takes O(m + n) time for all texts, including repetitive ones, and runs near the speed of reading
//! for most texts.
//!
//! With `ambiguity`, letters stand for sets of bases, and two letters match if their sets overlap. Such a search takes
//! O(m n / 64) time at most. GPUs leave these jobs to the CPU.
//!
//! - [`cpu`]: pieces of the text on all cores
//! - [`cuda`]: one pass over the text on a GPU, fingerprints for long patterns
//! - `published`: the published algorithms of paper 004

use std::ops::Range;

use super::search::side_by_side;
use super::shares::{SHARES_PER_ENGINE, ShareKind, malformed, ranges, speedup_of_shares};
use super::{DivisibleTask, FinishedSearch, InputSize, JobShare, JoinedShares, SearchTask, Solution, SolvableTask};
use crate::alignment::{Alignment, GapPlacement};
use crate::base_set::SymbolMatch;
use crate::cbor::{from_bytes, to_bytes};
use crate::cpu::Cpu;
use crate::event::{FIRST_PAGE_HITS, RunStage, TaskAnswer};
use crate::failure::JobFailure;
use crate::found::{Hit, PositionSet, PositionSetBuilder, ScoreSpan, SearchResult};
use crate::job::{JobOptions, Task};
use crate::plan::{EngineEffort, JobWork};
use crate::run::{Halt, Run};
use crate::text::{Pair, SymbolSlices};
use crate::{with_symbols, with_units};
use cpu::ScanTexts;

#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};

mod cpu;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
mod published;

/// Usual number of letters of the pattern that are compared with 64 positions, if letters stand for sets of bases.
const SET_COMPARISONS: u64 = 4;

/// Lower bound of the symbols that a host compares in a nanosecond, if letters stand for sets of bases.
const HOST_CELLS_PER_NS: u64 = 1;

/// The solver of the task `exact-search`.
pub struct ExactSearch;

impl SolvableTask for ExactSearch {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        let cells = size.a.saturating_add(size.b);
        match options.ambiguity {
            false => size.work(Task::ExactSearch, cells, 1),
            true => size.work(Task::ExactSearch, cells, SET_COMPARISONS).on_host(HOST_CELLS_PER_NS),
        }
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        let work = JobWork { is_known: true, ..self.work(&InputSize::from(pair), options) };
        let known = || -> Result<JobWork, JobFailure> {
            let comparisons = with_symbols!(pair, |a, b| cpu::set_comparisons(a, b));
            let cost_cells = (work.cpu.cells as f64 * comparisons.max(1.0)) as u64;
            Ok(JobWork { cpu: EngineEffort { cost_cells, ..work.cpu }, ..work }.on_host(HOST_CELLS_PER_NS))
        };
        if pair.symbol_match.is_equality() {
            return work;
        }
        // The run itself will report the error.
        known().unwrap_or(work)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        (8, cells as usize)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        run.stage(RunStage::Compute)?;
        let cells = pair.a.len() as u64 + pair.b.len() as u64;
        run.raise_expected(cells);
        let before = run.cells();
        let units = pair.unit_slices()?;
        let lowest = match units {
            SymbolSlices::Narrow(_, b) => b,
            SymbolSlices::Wide(..) => pair.b_lowest(),
        };
        let cpu::ExactHits { total, positions } = with_units!(pair, |a, b| {
            let texts = ScanTexts { a, b, lowest, symbol_match: pair.symbol_match };
            cpu::search(texts, cpu.threads, options.count_only, run)?
        });
        // An empty pattern has one position more than the text has symbols.
        run.tick((before + cells).saturating_sub(run.cells()))?;
        Ok(solution(total, positions, options))
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
        run.raise_expected((m + n) as u64);
        // Numbers the units first, so that distinct ones are not counted before.
        pair.symbol_slices()?;
        let alphabet = pair.alphabet();
        let (total, positions) =
            with_symbols!(pair, |a, b| cuda::search(gpu, super::search::SearchTexts { a, b, alphabet }, options.count_only, run)?);
        Ok(solution(total, positions, options))
    }
}

/// Returns the number of positions at which `a` fits into `b`, and that of a share for `engines` engines.
fn divided_positions(pair: &Pair, engines: usize) -> (u64, u64) {
    let all = (pair.b.len() as u64 + 1).saturating_sub(pair.a.len() as u64);
    (all, all.div_ceil((SHARES_PER_ENGINE * engines) as u64))
}

/// A share is a range of positions. It reads the symbols of an occurrence at its last position too.
impl DivisibleTask for ExactSearch {
    fn speedup(&self, pair: &Pair, _options: &JobOptions, engines: usize) -> f64 {
        let (all, each) = divided_positions(pair, engines);
        let shares = all.div_ceil(each.max(1));
        speedup_of_shares(pair.b.len() as f64, (each + pair.a.len() as u64) as f64, shares as usize, engines)
    }

    fn divide(&self, pair: &Pair, _options: &JobOptions, engines: usize, _run: &Run) -> Result<Vec<JobShare>, Halt> {
        let (all, each) = divided_positions(pair, engines);
        let shares: Vec<_> = ranges(all, each).map(|range| JobShare::of_text(ShareKind::Text, range)).collect();
        Ok(if shares.len() > 1 { shares } else { Vec::new() })
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        let (range, m) = (share.range(), pair.a.len());
        if share.kind != ShareKind::Text || range.is_empty() || range.end + m > pair.b.len() + 1 {
            return Err(malformed().into());
        }
        let symbols = range.start..range.end + m - 1;
        let units = pair.unit_slices()?;
        let lowest = match units {
            SymbolSlices::Narrow(_, b) => b,
            SymbolSlices::Wide(..) => pair.b_lowest(),
        };
        let cpu::ExactHits { total, positions } = with_units!(pair, |a, b| {
            let texts = ScanTexts { a, b: &b[symbols.clone()], lowest: &lowest[symbols.clone()], symbol_match: pair.symbol_match };
            cpu::search(texts, 1, options.count_only, run)?
        });
        Ok(to_bytes(&(total, positions)))
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, _pair: &Pair, options: &JobOptions, _run: &Run) -> Result<JoinedShares, Halt> {
        let (mut all, mut set) = (0, PositionSetBuilder::default());
        for (share, result) in results {
            let (total, positions): (u64, PositionSet) = from_bytes(&result).ok_or_else(malformed)?;
            all += total;
            positions.iter().for_each(|at| set.push(share.b[0] + at));
        }
        Ok(JoinedShares::Solved(solution(all, set.finish(), options)))
    }
}

impl SearchTask for ExactSearch {
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, _cpu: &Cpu, _run: &Run) -> Result<Vec<Hit>, Halt> {
        let m = searched.pair.a.len() as u64;
        let hit = |start: u64| Hit::new(start, start + m, 0);
        Ok(searched.found.positions.iter_page(&page).map(hit).collect())
    }

    fn align(&self, pair: &Pair, hit: Hit, _gaps: GapPlacement, _cpu: &Cpu, _run: &Run) -> Result<Alignment, Halt> {
        let aligned = with_units!(pair, |a, b| side_by_side(a, b, pair.symbol_match, hit));
        Ok(aligned?)
    }

    fn offsets(&self, searched: &FinishedSearch) -> Option<u64> {
        Some((searched.pair.b.len() as u64 + 1).saturating_sub(searched.pair.a.len() as u64))
    }

    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, _run: &Run) -> Result<Vec<ScoreSpan>, Halt> {
        let all = self.offsets(searched).unwrap_or_default();
        Ok(searched.found.positions.in_spans(offsets.start.min(all)..offsets.end.min(all), points))
    }
}

/// Builds the solution from `total`, the number of occurrences, and their positions.
fn solution(total: u64, positions: PositionSet, options: &JobOptions) -> Solution {
    let first = if options.count_only { 0 } else { FIRST_PAGE_HITS };
    let answer = TaskAnswer::ExactSearch {
        total,
        positions: positions.iter().take(first).collect(),
        records: Vec::new(),
        strands: Vec::new(),
        reverse: None,
    };
    Solution { answer, alignment: None, found: (!options.count_only).then_some(SearchResult { positions, profile: None }) }
}

/// Returns every position at which `a` occurs in `b`, on this thread.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(crate) fn positions(a: &[u8], b: &[u8], run: &Run) -> Result<PositionSet, Halt> {
    Ok(cpu::search(ScanTexts { a, b, lowest: b, symbol_match: SymbolMatch::Equal }, Cpu::SINGLE.threads, false, run)?.positions)
}
