//! Searches in several records: every hit lies in exactly one record.
//!
//! The records of a text are concatenated with a border symbol in between, which no pattern contains. An exact search
//! runs on the whole text, because an occurrence cannot cross a border. Edits and mismatches could cross a border.
//! Therefore other searches run record by record, and the start of the record is added to their positions. This module
//! does so for solving, hits, profiles and histograms of every engine, so that tasks need not know of records.
//!
//! - [`solve`]: searches the records one by one, on all threads
//! - [`merge`]: combines the answers of all records
//! - [`profile`]: combines the scores of all records
//! - [`mod@placed`]: adds records to hits

use std::ops::Range;

use super::shares::malformed;
use super::{DivisibleTask, FinishedSearch, InputSize, JobShare, JoinedShares, SearchTask, Solution, SolvableTask};
use crate::alignment::{Alignment, GapPlacement};
use crate::cbor::from_bytes;
use crate::cpu::Cpu;
use crate::failure::JobFailure;
use crate::found::{Hit, PositionSet, ScoreSpan, SearchResult};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::KernelSource};
use crate::job::{JobOptions, Task};
use crate::plan::JobWork;
use crate::run::{Halt, Run};
use crate::text::Pair;
use merge::{RecordSolution, keep_best, merge_records};
use placed::{add_hit_record, add_hit_records, shift_hit};
use solve::RecordSearchRun;

mod merge;
mod placed;
mod profile;
mod solve;

/// A wrapper of the solver `S` of a search, for texts that may consist of several records.
pub(super) struct RecordwiseSearch<S> {
    search: S,
    /// Whether each record is searched alone, because a hit of the joined records could lie across a border.
    is_per_record: bool,
}

impl<S> RecordwiseSearch<S> {
    /// Wraps a search whose hits could lie across the border between two records. Each record is then searched alone.
    pub(super) const fn per_record(search: S) -> Self {
        Self { search, is_per_record: true }
    }

    /// Wraps a search that finds no hit across the border between two records. The whole text is then searched in one
    /// run.
    pub(super) const fn whole_text(search: S) -> Self {
        Self { search, is_per_record: false }
    }

    /// Returns whether the records of the searched text are searched one by one.
    fn divides(&self, pair: &Pair) -> bool {
        self.is_per_record && pair.b.has_separate_records()
    }
}

impl<S: SearchTask + DivisibleTask> SolvableTask for RecordwiseSearch<S> {
    fn work(&self, size: &InputSize, options: &JobOptions) -> JobWork {
        self.search.work(size, options)
    }

    fn work_for(&self, pair: &Pair, options: &JobOptions) -> JobWork {
        self.search.work_for(pair, options)
    }

    fn benchmark_size(&self, cells: u64) -> (usize, usize) {
        self.search.benchmark_size(cells)
    }

    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let solution = if self.divides(pair) {
            let records = RecordSearchRun { search: &self.search, pair, options };
            records.solve(cpu, run, &|part, inner| self.search.cpu(cpu, part, options, inner))?
        } else {
            self.search.cpu(cpu, pair, options, run)?
        };
        Ok(add_hit_records(solution, pair))
    }

    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, gpu: &Gpu, host: &Cpu, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Solution, Halt> {
        let solution = if self.divides(pair) {
            let records = RecordSearchRun { search: &self.search, pair, options };
            records.solve(host, run, &|part, inner| self.search.cuda(gpu, host, part, options, inner))?
        } else {
            self.search.cuda(gpu, host, pair, options, run)?
        };
        Ok(add_hit_records(solution, pair))
    }

    fn divisible(&self) -> Option<&dyn DivisibleTask> {
        Some(self)
    }

    fn has_cuda(&self) -> bool {
        self.search.has_cuda()
    }

    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<KernelSource> {
        self.search.kernels()
    }
}

/// Records that are searched one by one are divided among the shares. A record is never divided.
impl<S: SearchTask + DivisibleTask> DivisibleTask for RecordwiseSearch<S> {
    fn speedup(&self, pair: &Pair, options: &JobOptions, engines: usize) -> f64 {
        if self.divides(pair) && options.method.is_none() {
            return RecordSearchRun { search: &self.search, pair, options }.speedup(engines);
        }
        self.search.speedup(pair, options, engines)
    }

    fn divide(&self, pair: &Pair, options: &JobOptions, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        if self.divides(pair) && options.method.is_none() {
            return Ok(RecordSearchRun { search: &self.search, pair, options }.shares(engines));
        }
        self.search.divide(pair, options, engines, run)
    }

    fn solve_share(&self, share: &JobShare, pair: &Pair, options: &JobOptions, run: &Run) -> Result<Vec<u8>, Halt> {
        if self.divides(pair) {
            return RecordSearchRun { search: &self.search, pair, options }.solve_share(share, run);
        }
        self.search.solve_share(share, pair, options, run)
    }

    fn join(&self, results: Vec<(JobShare, Vec<u8>)>, pair: &Pair, options: &JobOptions, run: &Run) -> Result<JoinedShares, Halt> {
        let solution = if self.divides(pair) {
            let mut records = Vec::new();
            for (_, result) in results {
                records.append(&mut from_bytes::<Vec<RecordSolution>>(&result).ok_or_else(malformed)?);
            }
            keep_best(&mut records, options);
            merge_records(pair, records, options)
        } else {
            match self.search.join(results, pair, options, run)? {
                JoinedShares::Solved(solution) => solution,
                further @ JoinedShares::Further(_) => return Ok(further),
            }
        };
        Ok(JoinedShares::Solved(add_hit_records(solution, pair)))
    }
}

impl<S: SearchTask + DivisibleTask> SearchTask for RecordwiseSearch<S> {
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        let FinishedSearch { pair, options, answer, found } = *searched;
        if !self.divides(pair) {
            let hits = self.search.hits(searched, page, cpu, run)?;
            return Ok(hits.into_iter().map(|hit| add_hit_record(hit, &pair.b)).collect());
        }
        let positions: Vec<u64> = found.positions.iter_page(&page).collect();
        let record_of = |at: &u64| pair.b.record_at(*at as usize);
        let mut part = pair.of_record();
        let mut hits = Vec::with_capacity(positions.len());
        for here in positions.chunk_by(|one, next| record_of(one) == record_of(next)) {
            let record = record_of(&here[0]);
            part.select_record(pair, record);
            let from = pair.b.record_range(record).start as u64;
            let positions = PositionSet::from_list(here.iter().map(|at| at - from).collect());
            let searched = FinishedSearch { pair: &part, options, answer, found: &SearchResult { positions, profile: None } };
            let made = self.search.hits(&searched, 0..here.len() as u64, cpu, run)?;
            hits.extend(made.into_iter().map(|hit| add_hit_record(shift_hit(hit, from), &pair.b)));
        }
        Ok(hits)
    }

    fn align(&self, pair: &Pair, hit: Hit, gaps: GapPlacement, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        if pair.b.has_separate_records() && pair.b.record_range(pair.b.record_at(hit.start as usize)).end < hit.end as usize {
            return Err(JobFailure::bad_input("This piece of b would lie across the border between two records.").into());
        }
        self.search.align(pair, hit, gaps, cpu, run)
    }

    fn offsets(&self, searched: &FinishedSearch) -> Option<u64> {
        if searched.pair.b.has_separate_records() && searched.answer.task() == Task::MatchCount {
            return searched.found.profile.as_ref().map(|_| profile::offsets_of(searched.pair));
        }
        self.search.offsets(searched)
    }

    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<ScoreSpan>, Halt> {
        if !self.divides(searched.pair) {
            return self.search.profile(searched, offsets, points, run);
        }
        let all = self.offsets(searched).unwrap_or_default();
        profile::profile(&self.search, searched, all, (offsets, points), run)
    }

    fn counts(&self, searched: &FinishedSearch, run: &Run) -> Result<Vec<u64>, Halt> {
        if self.divides(searched.pair) { profile::counts(&self.search, searched, run) } else { self.search.counts(searched, run) }
    }
}
