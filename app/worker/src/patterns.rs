//! Searches for many patterns, places of their hits, and files of the answer.

use std::ops::Range;

use explain::collection::CollectionFormat;
use explain::collection::found::FoundPatterns;
use explain::collection::write::WriteError;
use explain::worker_protocol::patterns::{
    CONTEXT_LINES, LINE_SYMBOLS, MAX_COLUMNS, MAX_HITS, PatternAsk, PatternInfo, PatternReport, PatternRequest, PlaceColumn, PlaceLine,
    PlaceReport, SearchedText,
};
use kernels::cbor::{from_bytes, to_bytes};
use kernels::collection::{PatternCollection, PatternHits, PatternLabel};
use kernels::engine::Cpu;
use kernels::failure::{JobFailure, large};
use kernels::found::Hit;
use kernels::job::Task;
use kernels::run::{Halt, NoObserver, Run};
use kernels::text::Text;

use crate::session::{LastAnswer, lost};
use crate::shares::{ManyTexts, RequestParts};

/// The last answer about many patterns.
struct SearchedPatterns {
    collection: PatternCollection,
    hits: Vec<PatternHits>,
    /// For each pattern, its nearest part of the texts, if it has no hits.
    nearest: Vec<Option<Hit>>,
}

/// The patterns and texts of a request.
pub(crate) struct ReadPatterns {
    task: Task,
    collection: PatternCollection,
    cells: u64,
    /// Number of patterns of a share.
    share_len: usize,
    /// Number of shares, or 0.
    shares: usize,
}

/// The hits of a pattern, and its nearest part of the texts if there are no hits.
type FoundPattern = (PatternHits, Option<Hit>);

/// Maximum number of symbols of a pattern that the report has.
const MAX_LETTERS: usize = 200;

/// Minimum number of symbols to read for all patterns of a search that is divided among several workers. Fewer symbols
/// take about as long as the start of the workers.
const MIN_DIVIDED_SYMBOLS: u64 = if cfg!(test) { 1 } else { 200_000_000 };

impl ManyTexts for ReadPatterns {
    fn read([ask, bytes]: RequestParts, shares: usize) -> Result<Option<Self>, JobFailure> {
        match from_bytes(ask).ok_or_else(malformed)? {
            PatternAsk::Search(request) => Self::new(&request, bytes, shares).map(Some),
            PatternAsk::Place { .. } | PatternAsk::Export { .. } => Ok(None),
        }
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn shares(&self) -> usize {
        self.shares
    }

    /// Returns what is found of some patterns, in CBOR.
    fn solve_share(&self, share: usize) -> Result<Vec<u8>, Halt> {
        let (first, count) = (share * self.share_len, self.collection.pairs().len());
        Ok(to_bytes(&self.search(first.min(count)..count.min(first + self.share_len), &Run::new(&NoObserver))?))
    }

    fn solve(self, took_ms: impl FnOnce() -> f64, run: &Run, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
        let found = self.search(0..self.collection.pairs().len(), run)?;
        Ok(self.finish(found, took_ms(), last))
    }

    fn join(self, results: Vec<Vec<u8>>, took_ms: impl FnOnce() -> f64, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
        let mut found = Vec::new();
        for result in results {
            found.append(&mut from_bytes::<Vec<FoundPattern>>(&result).ok_or_else(malformed)?);
        }
        let got = found.iter().map(|(found, _)| found.hits.len() as u64).sum();
        if got > MAX_HITS {
            return Err(JobFailure::TooLarge { what: large::HITS.into(), got, limit: MAX_HITS }.into());
        }
        Ok(self.finish(found, took_ms(), last))
    }

    fn answer_last([ask, _]: RequestParts, run: &Run, last: &LastAnswer) -> Result<Vec<u8>, Halt> {
        let searched = last.as_ref().and_then(|last| last.downcast_ref::<SearchedPatterns>()).ok_or_else(lost)?;
        match from_bytes(ask).ok_or_else(malformed)? {
            PatternAsk::Place { pattern, hit } => Ok(to_bytes(&searched.place(pattern as usize, hit as usize, run)?)),
            PatternAsk::Export { format } => searched.file(&format, run),
            PatternAsk::Search(_) => Err(malformed().into()),
        }
    }
}

fn malformed() -> JobFailure {
    JobFailure::engine("The request for patterns is malformed.")
}

impl ReadPatterns {
    /// Reads the patterns and texts of a request, and divides a long search into at most `shares` shares.
    ///
    /// # Errors
    /// Returns `BadInput` if a pattern or text cannot be read, and `TooLarge` if there are too many patterns or cells.
    fn new(request: &PatternRequest, bytes: &[u8], shares: usize) -> Result<Self, JobFailure> {
        let (patterns, texts) = request.sides_of(bytes).ok_or_else(malformed)?;
        let mut collection = PatternCollection::parse(patterns, texts, request.task, &request.options)?;
        if !request.labels.is_empty() {
            collection = collection.with_labels(&request.labels.iter().map(PatternLabel::from).collect::<Vec<_>>())?;
        }
        let strands = if request.options.strands.is_forward() { 1 } else { 2 };
        let cells = collection.cells().saturating_mul(strands);
        if cells > request.max_cells {
            return Err(JobFailure::TooLarge { what: large::CELLS.into(), got: cells, limit: request.max_cells });
        }
        let patterns = collection.pairs().len();
        let is_long = patterns > 1 && (collection.searched_len() as u64).saturating_mul(patterns as u64) >= MIN_DIVIDED_SYMBOLS;
        let share_len = patterns.div_ceil(shares.max(1));
        let shares = if is_long && shares > 1 { patterns.div_ceil(share_len) } else { 0 };
        Ok(Self { task: request.task, collection, cells, share_len, shares })
    }

    /// Searches for some patterns, and for the nearest part of those that do not occur.
    fn search(&self, patterns: Range<usize>, run: &Run) -> Result<Vec<FoundPattern>, Halt> {
        let hits = self.collection.solve_some(patterns.clone(), MAX_HITS, &Cpu::SINGLE, run)?;
        let nearest = |(pattern, found): (usize, PatternHits)| {
            let nearest = if found.hits.is_empty() { self.collection.nearest(pattern, &Cpu::SINGLE, run)? } else { None };
            Ok((found, nearest))
        };
        patterns.zip(hits).map(nearest).collect()
    }

    /// Returns the encoded report on the patterns that were found, and stores the answer.
    fn finish(self, found: Vec<FoundPattern>, took_ms: f64, last: &mut LastAnswer) -> Vec<u8> {
        let Self { task, collection, cells, .. } = self;
        let (hits, nearest): (Vec<PatternHits>, Vec<Option<Hit>>) = found.into_iter().unzip();
        let info = |number: usize| {
            let pattern = &collection.pairs()[number].a;
            PatternInfo {
                name: pattern.name().unwrap_or_default().to_owned(),
                letters: units(pattern, 0, pattern.len().min(MAX_LETTERS)),
                symbols: pattern.len() as u64,
                limit: match task {
                    Task::ExactSearch => Some(0),
                    _ => collection.options_of(number).max_distance,
                },
                hits: hits[number].hits.clone(),
                nearest: nearest[number],
            }
        };
        let texts = collection.texts().iter().zip(0..);
        let report = PatternReport {
            patterns: (0..hits.len()).map(info).collect(),
            texts: texts.map(|(name, text)| SearchedText { name: name.clone(), symbols: collection.text_len(text) as u64 }).collect(),
            cells,
            took_ms,
        };
        let reply = to_bytes(&report);
        *last = Some(Box::new(SearchedPatterns { collection, hits, nearest }));
        reply
    }
}

/// Returns the symbols `from..to` of a text.
fn units(text: &Text, from: usize, to: usize) -> String {
    (from..to).map(|at| text.display_unit(at)).collect()
}

impl SearchedPatterns {
    /// Returns the alignment of a hit and the text around it. A pattern without hits has its nearest part as hit 0.
    fn place(&self, pattern: usize, hit: usize, run: &Run) -> Result<PlaceReport, Halt> {
        let found = self.hits.get(pattern).ok_or_else(malformed)?;
        let hit = found.hits.get(hit).copied().or(self.nearest[pattern]).ok_or_else(malformed)?;
        let pair = self.collection.pair_of(pattern, hit.record.map_or(0, |record| record.number)).for_strand(hit.strand)?;
        let alignment = self.collection.align(pattern, hit, &Cpu::SINGLE, run)?;
        let (mut a, mut b) = (alignment.a_start() as usize, alignment.b_start() as usize);
        let mut columns = Vec::new();
        for op in alignment.cigar_ops() {
            let (of_a, of_b) = op.edit.consumed_symbols();
            for _ in 0..op.len {
                if columns.len() < MAX_COLUMNS {
                    let (next_a, next_b) = (a + of_a as usize, b + of_b as usize);
                    let edit = op.edit.letter().to_string();
                    columns.push(PlaceColumn { pattern: units(&pair.a, a, next_a), edit, text: units(&pair.b, b, next_b) });
                    (a, b) = (next_a, next_b);
                }
            }
        }
        Ok(PlaceReport { columns, lines: lines(&pair.b, &hit) })
    }

    /// Writes the answer as a file in the format with the name `format`.
    fn file(&self, format: &str, run: &Run) -> Result<Vec<u8>, Halt> {
        let format: CollectionFormat = format.parse().map_err(|_| malformed())?;
        let mut file = Vec::new();
        let found = FoundPatterns { collection: &self.collection, hits: &self.hits };
        match found.write(format, &mut file, &Cpu::SINGLE, run) {
            Ok(()) => Ok(file),
            Err(WriteError::Answer(failure)) => Err(failure.into()),
            Err(WriteError::Output(_)) => Err(JobFailure::engine("The file was not written.").into()),
        }
    }
}

/// Returns the lines of `text` around `hit`, in the record of the hit.
fn lines(text: &Text, hit: &Hit) -> Vec<PlaceLine> {
    let (start, end) = (hit.start as usize, hit.end as usize);
    let record = match text.has_separate_records() {
        true => text.record_range(text.record_at(start)),
        false => 0..text.len(),
    };
    // The place is in the middle line or above it, so that its beginning is always shown.
    let line = (start - record.start) / LINE_SYMBOLS;
    let first = line.saturating_sub((CONTEXT_LINES - 1) / 2);
    let of_line = |line: usize| {
        let from = record.start + line * LINE_SYMBOLS;
        let to = (from + LINE_SYMBOLS).min(record.end);
        let within = |at: usize| at.clamp(from, to);
        PlaceLine {
            start: (from - record.start) as u64,
            before: units(text, from, within(start)),
            marked: units(text, within(start), within(end)),
            after: units(text, within(end), to),
        }
    };
    let all = record.len().div_ceil(LINE_SYMBOLS);
    (first..(first + CONTEXT_LINES).min(all)).map(of_line).collect()
}
