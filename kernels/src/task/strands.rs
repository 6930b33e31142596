//! Searches on both strands of DNA: the reverse complement of `a` is a second pattern for the same text.
//!
//! The engine searches each pattern separately, and the hits are merged in the order of the text. At the same position,
//! the forward strand comes first. This module does so for every engine, so that searches need not know of strands.
//! Positions of a hit refer to the text on either strand. The hit is aligned with the pattern of its strand
//! ([`Pair::reversed`]).

use std::ops::Range;

use super::progress_only::ProgressObserver;
use super::search::{FinishedSearch, SearchTask};
use super::shares::JobShare;
use super::{DivisibleTask, InputSize, JoinedShares, Solution, SolvableTask};
use crate::alignment::{Alignment, GapPlacement};
use crate::cpu::Cpu;
use crate::event::{FIRST_PAGE_HITS, TaskAnswer};
use crate::failure::JobFailure;
use crate::found::{Hit, PositionSet, PositionSetBuilder, ScoreSpan, SearchResult, in_spans};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{JobOptions, Task};
use crate::plan::{EngineEffort, JobWork};
use crate::run::{Halt, Run};
use crate::strand::Strand;
use crate::text::Pair;

/// Number of offsets whose scores are computed in one step.
const STRAND_OFFSETS_AT_ONCE: u64 = 1 << 16;

/// A wrapper of the solver `S` of a search, which also searches for the reverse complement of the pattern if the
/// options request it.
pub(super) struct StrandedSearch<S>(pub(super) S);

impl<S: SearchTask + DivisibleTask> SolvableTask for StrandedSearch<S> {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        double_work(self.0.work(size, options), options)
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        double_work(self.0.work_for(pair, options), options)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        self.0.benchmark_size(cells)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        self.solve(pair, options, run, &|pair, run| self.0.cpu(cpu, pair, options, run))
    }

    fn divisible(&self) -> Option<&dyn DivisibleTask> {
        Some(self)
    }

    fn has_cuda(&self) -> bool {
        self.0.has_cuda()
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        self.0.kernels()
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        self.solve(pair, options, run, &|pair, run| self.0.cuda(gpu, host, pair, options, run))
    }
}

impl<S: SearchTask + DivisibleTask> SearchTask for StrandedSearch<S> {
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        if searched.options.strands.is_forward() {
            return self.0.hits(searched, page, cpu, run);
        }
        let numbers: Vec<u64> = searched.found.positions.iter_page(&page).collect();
        let reversed = searched.pair.reversed()?;
        let of = |pair: &Pair, strand: Strand| -> Result<std::vec::IntoIter<Hit>, Halt> {
            let own = numbers
                .iter()
                .filter(|number| Strand::decode_position(**number).1 == strand)
                .map(|number| Strand::decode_position(*number).0);
            let found = SearchResult { positions: PositionSet::from_list(own.collect()), profile: None };
            let all = 0..found.positions.len();
            let hits = if all.is_empty() {
                Vec::new()
            } else {
                self.0.hits(&FinishedSearch { pair, found: &found, ..*searched }, all, cpu, run)?
            };
            Ok(hits.into_iter())
        };
        let mut of = [of(searched.pair, Strand::Forward)?, of(&reversed, Strand::Reverse)?];
        let hit = |number: &u64| {
            let (_, strand) = Strand::decode_position(*number);
            of[strand as usize].next().map(|hit| Hit { strand: Some(strand), ..hit })
        };
        Ok(numbers.iter().filter_map(hit).collect())
    }

    fn align(&self, pair: &Pair, hit: Hit, gaps: GapPlacement, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        let alignment = self.0.align(&pair.for_strand(hit.strand)?, hit, gaps, cpu, run)?;
        Ok(alignment.on_strand(hit.strand))
    }

    fn offsets(&self, searched: &FinishedSearch) -> Option<u64> {
        self.0.offsets(searched)
    }

    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<ScoreSpan>, Halt> {
        if searched.options.strands.is_forward() {
            return self.0.profile(searched, offsets, points, run);
        }
        let all = self.offsets(searched).unwrap_or_default();
        let offsets = offsets.start.min(all)..offsets.end.min(all);
        if searched.answer.task() == Task::ExactSearch {
            return Ok(begins(&searched.found.positions, offsets, points));
        }
        let reversed = searched.pair.reversed()?;
        in_spans(offsets, points, |offsets, take| {
            let at_once = STRAND_OFFSETS_AT_ONCE.max(4 * searched.pair.a.len() as u64);
            for from in offsets.clone().step_by(at_once as usize) {
                let end = offsets.end.min(from + at_once);
                let scores = |pair| self.0.profile(&FinishedSearch { pair, ..*searched }, from..end, (end - from) as usize, run);
                let both = scores(searched.pair)?.into_iter().zip(scores(&reversed)?);
                (from..).zip(both).for_each(|(at, (forward, reverse))| take(at, forward.sum.min(reverse.sum)));
            }
            Ok(())
        })
    }

    fn counts(&self, searched: &FinishedSearch, run: &Run) -> Result<Vec<u64>, Halt> {
        let mut counts = self.0.counts(searched, run)?;
        if !searched.options.strands.is_forward() {
            let reverse = self.0.counts(&FinishedSearch { pair: &searched.pair.reversed()?, ..*searched }, run)?;
            counts.resize(counts.len().max(reverse.len()), 0);
            counts.iter_mut().zip(reverse).for_each(|(count, more)| *count += more);
        }
        Ok(counts)
    }
}

/// Each strand has its own shares.
impl<S: SearchTask + DivisibleTask> DivisibleTask for StrandedSearch<S> {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        self.0.speedup(pair, options, engines)
    }

    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        let mut shares = self.0.divide(pair, options, engines, run)?;
        if !options.strands.is_forward() && !shares.is_empty() {
            let other = self.0.divide(&pair.reversed()?, options, engines, run)?;
            if other.is_empty() {
                return Ok(other);
            }
            shares.extend(other.into_iter().map(|share| JobShare { is_reverse: true, ..share }));
        }
        Ok(shares)
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        if share.is_reverse {
            return self.0.solve_share(share, &pair.reversed()?, options, run);
        }
        self.0.solve_share(share, pair, options, run)
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, run: &Run) -> Result<JoinedShares, Halt> {
        if options.strands.is_forward() {
            return self.0.join(results, pair, options, run);
        }
        let (reverse, forward): (Vec<_>, Vec<_>) = results.into_iter().partition(|(share, _)| share.is_reverse);
        let joined = [self.0.join(forward, pair, options, run)?, self.0.join(reverse, &pair.reversed()?, options, run)?];
        let [JoinedShares::Solved(forward), JoinedShares::Solved(reverse)] = joined else {
            return Err(JobFailure::engine("A search has no further shares.").into());
        };
        merged(forward, reverse, options).map(JoinedShares::Solved)
    }
}

impl<S: SearchTask> StrandedSearch<S> {
    /// Solves the task by `one`, for the pattern alone or also for its reverse complement, depending on the options.
    /// `one` solves the task for one strand.
    fn solve(
        &self,
        pair: &Pair,
        options: &JobOptions,
        run: &Run,
        one: &dyn Fn(&Pair, &Run) -> Result<Solution, Halt>,
    ) -> Result<Solution, Halt> {
        if options.strands.is_forward() {
            return one(pair, run);
        }
        let reversed = pair.reversed()?;
        let cells = self.0.work(&InputSize::from(pair), options).cells;
        run.raise_expected(cells);
        let forward = one(pair, run)?;
        let observer = ProgressObserver::of(run);
        let inner = Run::new(&observer);
        let reverse = one(&reversed, &inner)?;
        run.hold(inner.peak_bytes());
        run.release(inner.peak_bytes());
        run.tick(cells.saturating_sub(inner.cells()))?;
        merged(forward, reverse, options)
    }
}

/// Returns `work`, doubled if both strands are searched.
fn double_work(work: JobWork, options: &JobOptions) -> JobWork {
    if options.strands.is_forward() {
        return work;
    }
    let twice = |EngineEffort { cells, cost_cells: rated, overhead_ns: beside_ns }: EngineEffort| EngineEffort {
        cells: cells.saturating_mul(2),
        cost_cells: rated.saturating_mul(2),
        overhead_ns: beside_ns.saturating_mul(2),
    };
    JobWork { cells: work.cells.saturating_mul(2), cpu: twice(work.cpu), cuda: twice(work.cuda), ..work }
}

/// Combines the solutions of both strands. If the options request no maximum distance, only the hits with the least
/// distance on either strand remain.
fn merged(forward: Solution, reverse: Solution, options: &JobOptions) -> Result<Solution, Halt> {
    let both = [Strand::Forward, Strand::Reverse];
    let first = if options.count_only { 0 } else { FIRST_PAGE_HITS };
    let merge = |keeps: [bool; 2]| -> Option<PositionSet> {
        let [one, other] = [&forward, &reverse].map(|solution| solution.found.as_ref().map(|found| &found.positions));
        let none = PositionSet::default();
        let kept = |is_kept: bool, positions| if is_kept { positions } else { &none };
        Some(joined(kept(keeps[0], one?), kept(keeps[1], other?)))
    };
    let (answer, positions) = match (&forward.answer, &reverse.answer) {
        (
            TaskAnswer::ApproximateSearch { distance: one, total: on_one, hits: first_of_one, .. },
            TaskAnswer::ApproximateSearch { distance: other, total: on_other, hits: first_of_other, .. },
        ) => {
            let least = one.iter().chain(other).min().copied();
            let keeps = [one, other].map(|distance| distance.is_some() && (options.max_distance.is_some() || *distance == least));
            let kept = |is_kept: bool, total: u64| if is_kept { total } else { 0 };
            let (on_one, on_other) = (kept(keeps[0], *on_one), kept(keeps[1], *on_other));
            let told = |(hits, strand): (&Vec<Hit>, Strand)| -> Vec<Hit> {
                hits.iter().filter(|_| keeps[strand as usize]).map(|hit| Hit { strand: Some(strand), ..*hit }).collect()
            };
            let mut hits: Vec<Hit> = [first_of_one, first_of_other].into_iter().zip(both).flat_map(told).collect();
            hits.sort_by_key(|hit| (hit.end, hit.strand));
            hits.truncate(first);
            let answer = TaskAnswer::ApproximateSearch { distance: least, total: on_one + on_other, hits, reverse: Some(on_other) };
            (answer, merge(keeps))
        }
        (
            TaskAnswer::ExactSearch { total: on_one, positions: first_of_one, records: records_of_one, .. },
            TaskAnswer::ExactSearch { total: on_other, positions: first_of_other, records: records_of_other, .. },
        ) => {
            let told = |(positions, records, strand): (&Vec<u64>, &Vec<_>, Strand)| -> Vec<_> {
                let record = |at: usize| records.get(at).copied();
                positions.iter().enumerate().map(|(at, &position)| (position, strand, record(at))).collect()
            };
            let of_one = told((first_of_one, records_of_one, Strand::Forward));
            let mut begins = [of_one, told((first_of_other, records_of_other, Strand::Reverse))].concat();
            begins.sort_by_key(|&(position, strand, _)| (position, strand));
            begins.truncate(first);
            let answer = TaskAnswer::ExactSearch {
                total: on_one + on_other,
                positions: begins.iter().map(|begin| begin.0).collect(),
                records: begins.iter().filter_map(|begin| begin.2).collect(),
                strands: begins.iter().map(|begin| begin.1).collect(),
                reverse: Some(*on_other),
            };
            (answer, merge([true; 2]))
        }
        _ => return Err(JobFailure::engine("This task has no strands.").into()),
    };
    let found = positions.map(|positions| SearchResult { positions, profile: None });
    Ok(Solution { answer, alignment: None, found })
}

/// Merges the positions on both strands into one ascending set, whose numbers encode position and strand.
fn joined(forward: &PositionSet, reverse: &PositionSet) -> PositionSet {
    let (mut forward, mut reverse) = (forward.iter().peekable(), reverse.iter().peekable());
    let mut all = PositionSetBuilder::default();
    loop {
        let is_forward = match (forward.peek(), reverse.peek()) {
            (Some(one), Some(other)) => one <= other,
            (one, other) if one.is_none() && other.is_none() => break,
            (one, _) => one.is_some(),
        };
        let (next, strand) = if is_forward { (forward.next(), Strand::Forward) } else { (reverse.next(), Strand::Reverse) };
        next.into_iter().for_each(|at| all.push(strand.encode_position(at)));
    }
    all.finish()
}

/// Returns the profile of `offsets`, in at most `points` spans: the score of an offset is the number of hits that begin
/// there, on both strands together. `positions` are numbers that encode the start and the strand of each hit
/// ([`Strand::encode_position`]).
fn begins(positions: &PositionSet, offsets: Range<u64>, points: usize) -> Vec<ScoreSpan> {
    let len = offsets.end.saturating_sub(offsets.start);
    let (width, last) = (len.div_ceil(points.max(1) as u64).max(1), offsets.end);
    let span = |from: u64| {
        let end = last.min(from + width);
        let (all, sum) = (
            end - from,
            positions.count_below(Strand::Forward.encode_position(end)) - positions.count_below(Strand::Forward.encode_position(from)),
        );
        ScoreSpan { offsets: all, least: u64::from(sum == 2 * all), most: u64::from(sum > 0), sum }
    };
    offsets.step_by(width as usize).map(span).collect()
}
