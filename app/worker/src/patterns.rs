//! Searches for many patterns, places of their hits, and files of the answer: [`answer`].

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
use kernels::run::{Halt, Run};
use kernels::text::Text;

use crate::collection::LastAnswer;

/// The last answer about many patterns.
struct SearchedPatterns {
    collection: PatternCollection,
    hits: Vec<PatternHits>,
    /// For each pattern, its nearest part of the texts, if it has no hits.
    nearest: Vec<Option<Hit>>,
}

/// Maximum number of symbols of a pattern that the report has.
const MAX_LETTERS: usize = 200;

/// Answers a request about many patterns. It receives and returns the values of a
/// [`CollectionFn`](crate::collection::CollectionFn).
///
/// # Errors
/// Returns `BadInput` if a pattern or text cannot be read, and `TooLarge` if there are too many patterns, cells or hits.
pub(crate) fn answer([ask, bytes]: [&[u8]; 2], now: fn() -> f64, run: &Run, last: &mut LastAnswer) -> Result<Vec<u8>, Halt> {
    let ask: PatternAsk = from_bytes(ask).ok_or_else(malformed)?;
    let request = match ask {
        PatternAsk::Search(request) => request,
        PatternAsk::Place { pattern, hit } => return Ok(to_bytes(&searched(last)?.place(pattern as usize, hit as usize, run)?)),
        PatternAsk::Export { format } => return searched(last)?.file(&format, run),
    };
    *last = None;
    let (searched, report) = search(&request, bytes, now, run)?;
    *last = Some(Box::new(searched));
    Ok(to_bytes(&report))
}

fn searched(last: &LastAnswer) -> Result<&SearchedPatterns, JobFailure> {
    let searched = last.as_ref().and_then(|last| last.downcast_ref());
    searched.ok_or_else(|| JobFailure::engine("There is no result here any more. Run it again."))
}

fn malformed() -> JobFailure {
    JobFailure::engine("The request for patterns is malformed.")
}

/// Searches for all patterns, and for the nearest part of those that do not occur.
fn search(request: &PatternRequest, bytes: &[u8], now: fn() -> f64, run: &Run) -> Result<(SearchedPatterns, PatternReport), Halt> {
    let (patterns, texts) = request.sides_of(bytes).ok_or_else(malformed)?;
    let mut collection = PatternCollection::parse(patterns, texts, request.task, &request.options)?;
    if !request.labels.is_empty() {
        collection = collection.with_labels(&request.labels.iter().map(PatternLabel::from).collect::<Vec<_>>())?;
    }
    let strands = if request.options.strands.is_forward() { 1 } else { 2 };
    let cells = collection.cells().saturating_mul(strands);
    if cells > request.max_cells {
        return Err(JobFailure::TooLarge { what: large::CELLS.into(), got: cells, limit: request.max_cells }.into());
    }
    let started = now();
    let hits = collection.solve(MAX_HITS, &Cpu::SINGLE, run)?;
    let nearest = |(number, found): (usize, &PatternHits)| match found.hits.is_empty() {
        true => collection.nearest(number, &Cpu::SINGLE, run),
        false => Ok(None),
    };
    let nearest = hits.iter().enumerate().map(nearest).collect::<Result<Vec<_>, Halt>>()?;
    let took_ms = now() - started;
    let info = |number: usize| {
        let pattern = &collection.pairs()[number].a;
        PatternInfo {
            name: pattern.name().unwrap_or_default().to_owned(),
            letters: units(pattern, 0, pattern.len().min(MAX_LETTERS)),
            symbols: pattern.len() as u64,
            limit: match request.task {
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
    Ok((SearchedPatterns { collection, hits, nearest }, report))
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
