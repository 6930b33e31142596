//! Device: searches for many patterns on a GPU. Patterns and texts that the GPU does not take are searched on its host.
//!
//! The GPU takes patterns of at most 64 symbols that have a limit below their length, in texts whose symbols have a byte. It
//! leaves patterns with hits at more than one of 64 positions, because their hits take too much memory. A sample of the text
//! decides.

use std::collections::HashMap;

use super::{KnownHits, MIN_DEVICE_COLUMNS, PatternCollection, PatternHits};
use crate::collection::cuda::patterns::{self, HitLists, SearchSettings, SearchedText, ShortHit, ShortPattern};
use crate::cpu::Cpu;
use crate::found::Hit;
use crate::gpu::Gpu;
use crate::job::Task;
use crate::run::{Halt, Run};
use crate::strand::Strand;
use crate::task::progress_only::ProgressObserver;
use crate::task::{InputSize, searcher};
use crate::text::{Pair, TextSymbols};

/// A search in a text for patterns, each with the number of its cells, for at most a number of hits. Leaves some patterns to the
/// caller.
type Finder<'f> = dyn Fn(&SearchedText, &[ShortPattern], &[u64], u64, &Run) -> Result<HitLists, Halt> + 'f;

/// Returns the search on `gpu` with the sizes `settings`.
fn finder<'f>(gpu: &'f Gpu, settings: &'f SearchSettings, host: &'f Cpu) -> Box<Finder<'f>> {
    Box::new(|text, short, cells, max_hits, run| match patterns::takes(gpu, text) {
        true => {
            let settings = SearchSettings { max_hits: max_hits.min(settings.max_hits), ..*settings };
            patterns::find(gpu, text, (short, cells), &settings, host, run)
        }
        false => Ok(vec![None; short.len()]),
    })
}

/// The hits that a GPU has found, by the number of the file and that of the pattern.
type DeviceHits = HashMap<(usize, usize), KnownHits>;

impl PatternCollection {
    /// Searches for all patterns on `gpu`, with the answer of [`solve`](Self::solve). Patterns that the GPU does not take are
    /// searched on `host`.
    ///
    /// Takes the memory of all hits, and of all ends within the limits in one file, with 16 bytes each.
    ///
    /// # Errors
    /// Returns the errors of [`solve`](Self::solve), and `Engine` if the GPU fails.
    pub(crate) fn solve_on(&self, gpu: &Gpu, max_hits: u64, host: &Cpu, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        self.solve_by(&finder(gpu, &SearchSettings::DEVICE, host), MIN_DEVICE_COLUMNS, max_hits, host, run)
    }

    /// Searches like [`solve_on`](Self::solve_on). `find` searches in texts with at least `min_columns` columns of all
    /// patterns.
    fn solve_by(&self, find: &Finder, min_columns: u64, max_hits: u64, host: &Cpu, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        self.expect(0..self.limits.len(), run)?;
        let mut found = DeviceHits::new();
        let mut listed = 0;
        for source in 0..self.pairs.len() {
            listed += self.find_in(source, find, [min_columns, max_hits - listed], run, &mut found)?;
            if listed > max_hits {
                // The host ends at the limit.
                found.clear();
                break;
            }
        }
        self.search_all(0..self.limits.len(), max_hits, host, run, |source, pattern| found.remove(&(source, pattern)))
    }

    /// Searches for patterns in the file `source` by `find`, and adds their hits to `found`. `left` is the number of further hits
    /// that may be listed. Returns the number of listed hits.
    fn find_in(&self, source: usize, find: &Finder, [min_columns, left]: [u64; 2], run: &Run, found: &mut DeviceHits) -> Result<u64, Halt> {
        let pairs = &self.pairs[source];
        let Some(text) = pairs.first().and_then(searched_text) else { return Ok(0) };
        let members: Vec<usize> = (0..pairs.len()).filter(|pattern| self.is_for_device(*pattern)).collect();
        let strands = if self.options.strands.is_forward() { 1 } else { 2 };
        if self.device_columns(source).is_none_or(|columns| columns < min_columns) {
            return Ok(0);
        }
        let (mut short, mut cells) = (Vec::new(), Vec::new());
        for &pattern in &members {
            let limit = self.edits_of(pattern).unwrap_or(0) as u32;
            let work = searcher(self.task)?.work(&InputSize::from(&pairs[pattern]), &self.options).cells / strands;
            let reversed = if strands > 1 { Some(pairs[pattern].reversed()?) } else { None };
            for pair in std::iter::once(&pairs[pattern]).chain(&reversed) {
                let TextSymbols::Narrow(symbols) = pair.a_symbols() else { return Ok(0) };
                short.push(ShortPattern { symbols: symbols.clone(), limit });
                cells.push(work);
            }
        }
        let observer = ProgressObserver::of(run);
        let engine_run = Run::new(&observer);
        // Not all ends within the limits are listed if only their number or their minima are wanted. One hit more shows that there
        // are too many.
        let lists_some = self.options.count_only || self.options.local_minima && self.task == Task::ApproximateSearch;
        let max_hits = if lists_some { u64::MAX } else { left.saturating_add(1) };
        let lists = find(&text, &short, &cells, max_hits, &engine_run)?;
        let list_bytes = lists.iter().flatten().map(|list| size_of_val(&list[..]) as u64).sum();
        run.hold(list_bytes);
        let (strands, mut listed) = (strands as usize, 0);
        for (&pattern, lists) in members.iter().zip(lists.chunks(strands)) {
            if let Some(lists) = lists.iter().map(Option::as_deref).collect::<Option<Vec<_>>>() {
                let hits = self.hits_of_strands(&pairs[pattern], &lists);
                listed += hits.listed().map_or(0, |hits| hits.len() as u64);
                found.insert((source, pattern), hits);
            }
        }
        run.release(list_bytes);
        // Some cells were rounded off.
        let is_found = |pattern: &usize| found.contains_key(&(source, *pattern));
        let done = members.iter().zip(cells.chunks(strands)).filter(|(pattern, _)| is_found(pattern));
        let done: u64 = done.flat_map(|(_, cells)| cells).sum();
        run.tick(done.saturating_sub(engine_run.cells()))?;
        Ok(listed)
    }

    /// Returns the hits of a pattern in the order of the text, or their number if they are only counted. `lists` has the ends
    /// on each strand.
    fn hits_of_strands(&self, pair: &Pair, lists: &[&[ShortHit]]) -> KnownHits {
        let is_exact = self.task == Task::ExactSearch;
        let is_hit = |list: &[ShortHit], at: usize| is_exact || !self.options.local_minima || is_minimum(list, at);
        let count = |list: &[ShortHit]| (0..list.len()).filter(|at| is_hit(list, *at)).count();
        let total = lists.iter().map(|list| count(list)).sum();
        if self.options.count_only {
            return KnownHits::Counted(total as u64);
        }
        let mut hits = Vec::with_capacity(total);
        for (list, strand) in lists.iter().zip([Strand::Forward, Strand::Reverse]) {
            let strand = (lists.len() > 1).then_some(strand);
            hits.extend((0..list.len()).filter(|at| is_hit(list, *at)).map(|at| {
                let ShortHit { end, length, distance } = list[at];
                let start = end.saturating_sub(length.into());
                Hit { record: pair.b.in_record(start, end), strand, ..Hit::new(start, end, distance.into()) }
            }));
        }
        hits.sort_by_key(|hit| (if is_exact { hit.start } else { hit.end }, hit.strand));
        KnownHits::Listed(hits)
    }
}

/// Returns whether the end `at` of `ends` is a local minimum: of neighbouring ends with equal distances the last one, if the
/// distances on both sides are greater. All ends within a limit are in `ends`.
fn is_minimum(ends: &[ShortHit], at: usize) -> bool {
    let neighbour = |one: usize, other: usize| ends[one].end + 1 == ends[other].end;
    if ends.get(at + 1).is_some_and(|next| neighbour(at, at + 1) && next.distance <= ends[at].distance) {
        return false;
    }
    let mut first = at;
    while first > 0 && neighbour(first - 1, first) && ends[first - 1].distance == ends[at].distance {
        first -= 1;
    }
    first == 0 || !neighbour(first - 1, first) || ends[first - 1].distance > ends[at].distance
}

/// Returns the text of `pair` for a search on a GPU, or `None` if its symbols have four bytes.
fn searched_text(pair: &Pair) -> Option<SearchedText<'_>> {
    let TextSymbols::Narrow(symbols) = pair.b_symbols() else { return None };
    let border = if pair.b.record_count() > 1 { Some(symbols[pair.b.record_range(0).end]) } else { None };
    Some(SearchedText { symbols, alphabet: pair.alphabet(), symbol_match: pair.symbol_match, border })
}

#[cfg(test)]
mod tests;
