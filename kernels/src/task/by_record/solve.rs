//! Search record by record. Short records are divided among threads in groups. A large record uses the whole engine.

use std::ops::Range;

use super::merge::{RecordSolution, keep_best, merge_records};
use super::profile::spans_of_record;
use crate::cbor::to_bytes;
use crate::cpu::{Cpu, try_spread};
use crate::event::RunStage;
use crate::job::JobOptions;
use crate::run::{Halt, Run};
use crate::task::progress_only::ProgressObserver;
use crate::task::shares::{JobShare, SHARES_PER_ENGINE, ShareKind, malformed, speedup_of_shares};
use crate::task::{InputSize, SearchTask, Solution};
use crate::text::Pair;

/// Minimum number of matrix cells of a large record, which is searched by all threads or by the GPU.
const MIN_LARGE_RECORD_CELLS: u64 = 1 << 26;

/// Number of matrix cells of short records at which a group for one thread is full.
const CELLS_PER_RECORD_GROUP: u64 = 1 << 22;

/// The parameters of a search in all records of a text, which are searched one by one.
pub(super) struct RecordSearchRun<'r> {
    pub(super) search: &'r dyn SearchTask,
    pub(super) pair: &'r Pair,
    pub(super) options: &'r JobOptions,
}

/// A function that solves the task for one record. It receives the pair of the pattern and the record.
type RecordSolver<'s> = dyn Fn(&Pair, &Run) -> Result<Solution, Halt> + 's;

/// Neighbouring records that are searched one after another.
struct RecordGroup {
    records: Range<usize>,
    is_large: bool,
}

impl RecordSearchRun<'_> {
    /// Searches every record and combines the results. Short records are searched on one thread each. `large` solves
    /// the task for large records, for which the whole engine is faster.
    pub(super) fn solve(&self, cpu: &Cpu, run: &Run, large: &RecordSolver) -> Result<Solution, Halt> {
        run.stage(RunStage::Compute)?;
        let records = self.pair.b.record_count();
        let groups = groups(records, |record| self.cells(record));
        run.raise_expected((0..records).map(|record| self.cells(record)).sum());
        let short: Vec<&RecordGroup> = groups.iter().filter(|group| !group.is_large).collect();
        let on_one = |part: &Pair, inner: &Run| self.search.cpu(&Cpu::SINGLE, part, self.options, inner);
        let mut made = try_spread(&short, cpu.threads, |group| self.solve_group(group, run, &on_one))?.into_iter();
        let mut solutions = Vec::new();
        for group in &groups {
            if group.is_large {
                solutions.extend(self.solve_group(group, run, large)?);
            } else {
                solutions.extend(made.next().into_iter().flatten());
            }
        }
        keep_best(&mut solutions, self.options);
        Ok(merge_records(self.pair, solutions, self.options))
    }

    /// Searches the records of `group` one after another by `solve`. Keeps only hits that may be among the best of all
    /// records.
    fn solve_group(&self, group: &RecordGroup, run: &Run, solve: &RecordSolver) -> Result<Vec<RecordSolution>, Halt> {
        let Self { search, pair, options } = *self;
        let mut part = pair.of_record();
        let mut kept = Vec::new();
        for record in group.records.clone() {
            part.select_record(pair, record);
            let observer = ProgressObserver::of(run);
            let inner = Run::new(&observer);
            let solution = solve(&part, &inner)?;
            run.hold(inner.peak_bytes());
            run.release(inner.peak_bytes());
            run.tick(self.cells(record).saturating_sub(inner.cells()))?;
            let from = pair.b.record_range(record).start as u64;
            let spans = spans_of_record(search, pair, (&part, from), &solution, options)?;
            kept.push(RecordSolution { from, answer: solution.answer, found: solution.found, spans });
        }
        keep_best(&mut kept, options);
        Ok(kept)
    }

    /// Divides the records into shares of about equal work for `engines` engines. Returns no shares for one record.
    pub(super) fn shares(&self, engines: usize) -> Vec<JobShare> {
        let (records, all) = (self.pair.b.record_count(), self.all_cells());
        let each = all / (SHARES_PER_ENGINE * engines.max(1)) as u64;
        let (mut shares, mut first, mut cells) = (Vec::new(), 0, 0);
        for record in 0..records {
            cells += self.cells(record);
            if cells > each || record + 1 == records {
                shares.push(JobShare::of_text(ShareKind::Records, first as u64..record as u64 + 1));
                (first, cells) = (record + 1, 0);
            }
        }
        if shares.len() > 1 { shares } else { Vec::new() }
    }

    /// Estimates the speedup by [`shares`](Self::shares). The largest share determines the time.
    pub(super) fn speedup(&self, engines: usize) -> f64 {
        let shares = self.shares(engines);
        let cells = |share: &JobShare| share.range().map(|record| self.cells(record)).sum::<u64>();
        let largest = shares.iter().map(cells).max().unwrap_or_default() as f64;
        let all = self.all_cells() as f64;
        speedup_of_shares(all, all / shares.len().max(1) as f64, shares.len(), engines).min(all / largest.max(1.0)).max(1.0)
    }

    /// Searches the records of a share on this thread. Returns the solutions in CBOR.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if there are no such records.
    pub(super) fn solve_share(&self, share: &JobShare, run: &Run) -> Result<Vec<u8>, Halt> {
        let records = share.range();
        if share.kind != ShareKind::Records || records.end > self.pair.b.record_count() {
            return Err(malformed().into());
        }
        let on_one = |part: &Pair, inner: &Run| self.search.cpu(&Cpu::SINGLE, part, self.options, inner);
        Ok(to_bytes(&self.solve_group(&RecordGroup { records, is_large: false }, run, &on_one)?))
    }

    fn all_cells(&self) -> u64 {
        (0..self.pair.b.record_count()).map(|record| self.cells(record)).sum()
    }

    /// Returns the number of matrix cells of the record with the number `record`, as the task estimates them.
    fn cells(&self, record: usize) -> u64 {
        let size = InputSize { b: self.pair.b.record_range(record).len() as u64, ..InputSize::from(self.pair) };
        self.search.work(&size, self.options).cells
    }
}

/// Groups `records` records: every large record alone, and neighbouring short records together. `cells` returns the
/// number of matrix cells of a record.
fn groups(records: usize, cells: impl Fn(usize) -> u64) -> Vec<RecordGroup> {
    let mut groups: Vec<RecordGroup> = Vec::new();
    let mut together = 0;
    for record in 0..records {
        let here = cells(record);
        let is_large = here >= MIN_LARGE_RECORD_CELLS;
        match groups.last_mut().filter(|last| !is_large && !last.is_large && together < CELLS_PER_RECORD_GROUP) {
            Some(last) => last.records.end = record + 1,
            None => {
                groups.push(RecordGroup { records: record..record + 1, is_large });
                together = 0;
            }
        }
        // Even a short record has a fixed cost.
        together += here + (1 << 10);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_in_one_group_and_a_large_one_is_alone() {
        let cells = [
            1,
            MIN_LARGE_RECORD_CELLS,
            MIN_LARGE_RECORD_CELLS - 1,
            1,
            5,
            5,
            CELLS_PER_RECORD_GROUP,
            0,
            MIN_LARGE_RECORD_CELLS,
            MIN_LARGE_RECORD_CELLS + 1,
            7,
        ];
        let made: Vec<_> = groups(cells.len(), |record| cells[record]).into_iter().map(|group| (group.records, group.is_large)).collect();
        let expected =
            [(0..1, false), (1..2, true), (2..3, false), (3..7, false), (7..8, false), (8..9, true), (9..10, true), (10..11, false)];
        assert_eq!(made, expected);
    }

    #[test]
    fn many_short_records_form_several_groups() {
        let made = groups(100_000, |_| 0);
        assert!(made.len() > 10 && made.len() < 1000, "{}", made.len());
        assert!(made.windows(2).all(|pair| pair[0].records.end == pair[1].records.start));
        assert_eq!(made.last().map(|last| last.records.end), Some(100_000));
    }
}
