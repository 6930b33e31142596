//! Windows: pages of hits of large texts. Only windows of the searched text `b` are read: the symbols around the hits
//! that the task needs, and the context that the client requests.
//!
//! A hit depends only on a part of `b`. An occurrence, or the pattern `a` at an offset of `b`, depends on the symbols
//! of `b` under the pattern. The end of an occurrence with at most k edits depends on the m + k symbols before it, for
//! a pattern of m symbols.
//!
//! The task searches each window as a text of its own, and the window's position is then added to its results. Each
//! window lies in one record, if `b` has several, and windows do not overlap. If the windows would be too large, the
//! texts are read whole: see [`LoadedSearch`](super::search::LoadedSearch).

use std::io;
use std::ops::Range;
use std::sync::Arc;

use explain::hit_page::HitPage;
use kernels::alignment::Alignment;
use kernels::engine::Cpu;
use kernels::event::TaskAnswer;
use kernels::found::{Hit, PositionSet, RecordRange, SearchResult};
use kernels::job::{JobOptions, Task};
use kernels::run::Run;
use kernels::strand::{NucleicAcid, Strand};
use kernels::task::{self, FinishedSearch, searcher};
use kernels::text::{Pair, Text};

use super::file::StoredHits;
use super::search;
use super::units::StoredText;
use super::varint::invalid_data;
use crate::error::ApiProblem;

#[cfg(test)]
mod tests;

/// Maximum number of symbols of the pattern and of all windows (read parts of `b`) of one page of hits together.
const MAX_WINDOW_SYMBOLS: u64 = 1 << 19;
/// Maximum number of bytes that are read for the pattern and for all windows of one page of hits together.
const MAX_WINDOW_BYTES: u64 = 4 << 20;

/// Maximum number of symbols between two windows that are merged.
const MAX_WINDOW_GAP: u64 = 1024;

/// A search in large texts, which makes pages of hits from windows of the searched text. Every method computes and may
/// block on the disk.
#[derive(Clone, Debug)]
pub struct WindowedSearch {
    pub texts: Box<[StoredText; 2]>,
    pub found: Arc<StoredHits>,
    pub answer: TaskAnswer,
    pub task: Task,
    pub options: JobOptions,
    near: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RecordSpan {
    number: u64,
    start: u64,
    end: u64,
}

/// A window: a range of symbols of `b` that contains some hits and the symbols around them that the task needs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HitWindow {
    symbols: Range<u64>,
    /// Stored positions of the hits in the window, counted from the beginning of `b`. If both strands are searched,
    /// each is a position and a strand in one number ([`Strand::encode_position`]).
    positions: Vec<u64>,
    record: Option<RecordSpan>,
}

/// A window (a part of the searched text) that was read as a text of its own, together with the pattern and the hits in
/// the window.
struct WindowPair {
    pair: Pair,
    found: SearchResult,
    window: HitWindow,
    /// Byte offset in `b` of the window's first byte.
    byte: u64,
}

impl WindowedSearch {
    /// Creates a search in `texts`, of which it reads windows around the hits `found`. `answer`, `task` and `options`
    /// are those of the job.
    pub fn new(texts: Box<[StoredText; 2]>, found: Arc<StoredHits>, answer: TaskAnswer, task: Task, options: JobOptions) -> Self {
        Self { texts, found, answer, task, options, near: MAX_WINDOW_GAP }
    }

    /// Returns the hits with the numbers `numbers`, cut to the existing ones. If `context` is given, the page contains
    /// this number of symbols on either side of each hit, and otherwise only the hits. Returns `None` if the windows
    /// would be too large, so that the texts must be read whole.
    ///
    /// Takes one read for the hits. Each window takes one read of the text, and two of its index if there is one. The
    /// beginnings of records and lines take one read for each 64 KiB of their blocks.
    ///
    /// # Errors
    /// Returns an error if the run is stopped or a file cannot be read.
    pub fn page(&self, numbers: Range<u64>, context: Option<u64>, run: &Run<'_>) -> Result<Option<HitPage>, ApiProblem> {
        let Some(parts) = self.parts(numbers, context.unwrap_or(0)).map_err(ApiProblem::disk_failure)? else { return Ok(None) };
        let (searcher, cpu) = (self.searcher()?, Cpu::all_cores());
        let mut lines = self.found.line_feeds.lookup(&self.found.source);
        let mut seen = HitPage::default();
        for part in parts {
            let (searched, all) = (self.searched(&part), 0..part.window.positions.len() as u64);
            let (own, line) = match context {
                Some(context) => (
                    HitPage::page(searcher, &searched, all, context, &cpu, run)?,
                    lines.count_below(part.byte).map_err(ApiProblem::disk_failure)?,
                ),
                None => (HitPage { hits: searcher.hits(&searched, all, &cpu, run)?, ..HitPage::default() }, 0),
            };
            let before = seen.hits.len();
            seen.append(own, part.window.symbols.start, line);
            seen.hits[before..].iter_mut().for_each(|hit| *hit = part.window.placed(*hit));
            // A passage of context after the last symbol of `b` comes after all line feeds, including those after this
            // symbol.
            let behind = seen.passages.last_mut().filter(|passage| passage.from == self.texts[1].units.len);
            behind.into_iter().for_each(|passage| passage.line = self.found.line_feeds.len());
        }
        Ok(Some(seen))
    }

    /// Computes the alignment of the hit with the number `number`, counted from 0. Returns `None` if the texts must be
    /// read whole.
    ///
    /// # Errors
    /// Returns `NoResult` if there are no hits, and `NotFound` if `number` is too large. Also returns an error if the
    /// run is stopped or a file cannot be read.
    pub fn align(&self, number: u64, run: &Run<'_>) -> Result<Option<Alignment>, ApiProblem> {
        search::check_number(number, self.found.total())?;
        let parts = self.parts(number..number + 1, 0).map_err(ApiProblem::disk_failure)?;
        let Some(part) = parts.and_then(|parts| parts.into_iter().next()) else { return Ok(None) };
        let (searcher, cpu) = (self.searcher()?, Cpu::all_cores());
        let hits = searcher.hits(&self.searched(&part), 0..1, &cpu, run)?;
        let Some(hit) = hits.first() else { return Ok(None) };
        let alignment = searcher.align(&part.pair, *hit, self.options.gaps, &cpu, run)?;
        let start = alignment.b_start() + part.window.symbols.start;
        Ok(Some(alignment.starting_at(0, start)))
    }

    /// Reads the windows around the hits with the numbers `numbers`, each paired with the pattern. `context` is the
    /// number of symbols to read on either side of a hit. If there are no hits, returns one empty window at the end of
    /// `b`. Returns `None` if the windows would be too large.
    fn parts(&self, numbers: Range<u64>, context: u64) -> io::Result<Option<Vec<WindowPair>>> {
        let positions = self.found.hits.page(&self.found.source, numbers)?;
        let [a, b] = &*self.texts;
        let mut windows = self.windows(&positions, context)?;
        if windows.is_empty() {
            windows.push(HitWindow { symbols: b.units.len..b.units.len, positions, record: None });
        }
        let symbols = windows.iter().map(|window| window.symbols.end - window.symbols.start).sum::<u64>();
        if a.units.len.saturating_add(symbols) > MAX_WINDOW_SYMBOLS {
            return Ok(None);
        }
        let reading = self.options.reading();
        let Some(pattern) = a.part(0..a.units.len, reading.unit, MAX_WINDOW_BYTES)? else { return Ok(None) };
        let bytes_of = |text: &Text| text.bytes().len() as u64;
        // Older records do not have the alphabet (DNA or RNA). Here it follows from the pattern alone instead of both
        // texts.
        let acid = a.units.nucleic_acid().unwrap_or_else(|| NucleicAcid::detect([pattern.text.bytes()]));
        let mut left = MAX_WINDOW_BYTES - bytes_of(&pattern.text);
        let mut parts = Vec::with_capacity(windows.len());
        for window in windows {
            let Some(part) = b.part(window.symbols.clone(), reading.unit, left)? else { return Ok(None) };
            left -= bytes_of(&part.text);
            let positions = PositionSet::from_list(window.positions.iter().map(|at| at - self.number(window.symbols.start)).collect());
            let pair = Pair::from_known(pattern.text.clone(), part.text, &reading, acid).map_err(io::Error::other)?;
            parts.push(WindowPair { pair, found: SearchResult { positions, profile: None }, window, byte: part.byte });
        }
        Ok(Some(parts))
    }

    /// Returns the windows around the hits with the stored positions `positions`, in ascending order. A window has the
    /// symbols that the task needs for its hits, and `context` more on either side.
    fn windows(&self, positions: &[u64], context: u64) -> io::Result<Vec<HitWindow>> {
        let [m, all] = [self.texts[0].units.len, self.texts[1].units.len];
        let (before, after) = match &self.answer {
            TaskAnswer::ApproximateSearch { distance, .. } => {
                // The distance at an end is at most m, because the whole pattern could be deleted.
                let edits = self.options.max_distance.or(*distance).unwrap_or(m).min(m);
                (m + edits, 0)
            }
            _ => (0, m),
        };
        let mut records = RecordCursor::new(&self.found, all);
        let mut windows: Vec<HitWindow> = Vec::new();
        for &number in positions {
            let at = if self.options.strands.is_forward() { number } else { Strand::decode_position(number).0 };
            let record = records.record_at(at)?;
            let (first, last) = record.map_or((0, all), |record| (record.start, record.end));
            if at < first || at + after > last {
                return Err(invalid_data("a hit"));
            }
            // The window has one more symbol, because the bytes before it are shown together with the symbol before
            // them.
            let symbols = at.saturating_sub(before + context).max(first)..(at + after + context + 1).min(last);
            match windows.last_mut().filter(|last| last.record == record && symbols.start <= last.symbols.end + self.near) {
                Some(last) => {
                    last.symbols.end = last.symbols.end.max(symbols.end);
                    last.positions.push(number);
                }
                None => windows.push(HitWindow { symbols, positions: vec![number], record }),
            }
        }
        Ok(windows)
    }

    /// Returns the number that is stored for a hit at position `at` of the forward strand. If both strands are
    /// searched, it also contains the strand.
    fn number(&self, at: u64) -> u64 {
        if self.options.strands.is_forward() { at } else { Strand::Forward.encode_position(at) }
    }

    fn searched<'s>(&'s self, part: &'s WindowPair) -> FinishedSearch<'s> {
        FinishedSearch { pair: &part.pair, options: &self.options, answer: &self.answer, found: &part.found }
    }

    fn searcher(&self) -> Result<&'static dyn task::SearchTask, ApiProblem> {
        Ok(searcher(self.task)?)
    }
}

impl HitWindow {
    /// Returns `hit` with the number of the window's record, and its range within this record.
    fn placed(&self, hit: Hit) -> Hit {
        let inside = |RecordSpan { number, start, .. }: RecordSpan| RecordRange { number, start: hit.start - start, end: hit.end - start };
        Hit { record: self.record.map(inside), ..hit }
    }
}

/// A reader of the records of `b`, which is fast for lookups in ascending order.
struct RecordCursor<'s> {
    starts: super::positions::PositionLookup<'s>,
    len: u64,
    symbols: u64,
    last: Option<RecordSpan>,
}

impl<'s> RecordCursor<'s> {
    fn new(found: &'s StoredHits, symbols: u64) -> Self {
        Self { starts: found.records.lookup(&found.source), len: found.records.len(), symbols, last: None }
    }

    /// Returns the record that contains the position `at` of `b`, or `None` if records are not searched separately. The
    /// position after a record's last symbol belongs to this record.
    fn record_at(&mut self, at: u64) -> io::Result<Option<RecordSpan>> {
        if self.len == 0 {
            return Ok(None);
        }
        if self.last.is_none_or(|last| at < last.start || at > last.end) {
            let number = self.starts.count_below(at + 1)?.checked_sub(1).ok_or_else(|| invalid_data("a record"))?;
            let start = self.starts.position_at(number)?.ok_or_else(|| invalid_data("a record"))?;
            // The symbol before the next record is a separator and belongs to no record.
            let end = self.starts.position_at(number + 1)?.map_or(self.symbols, |next| next.saturating_sub(1));
            self.last = Some(RecordSpan { number, start, end });
        }
        Ok(self.last)
    }
}
