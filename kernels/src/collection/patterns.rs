//! Patterns: searches for many patterns in one text, or in many. Each record of a file is a text. An empty pattern has no hits.
//!
//! - `device`: the searches on a GPU

use std::borrow::Cow;
use std::ops::Range;

use super::members::{MemberSplit, SideSources, read_sides};
use crate::alignment::Alignment;
use crate::cbor_struct;
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::failure::{JobFailure, large};
use crate::found::{Hit, RecordRange};
use crate::job::{JobOptions, Task};
use crate::plan::{EngineEffort, JobWork};
use crate::reading::{ReadingOptions, SourceRecords, SourceText};
use crate::run::{Halt, Run};
use crate::task::progress_only::ProgressObserver;
use crate::task::{FinishedSearch, InputSize, Solution, searcher};
use crate::text::{Pair, Text, TextSymbols};

#[cfg(not(target_family = "wasm"))]
mod device;

/// Maximum number of symbols of a pattern that is searched on a GPU.
const MAX_DEVICE_PATTERN: usize = 64;

/// Minimum number of columns of all patterns in a text that is searched on a GPU. A launch takes as long as a smaller search on
/// the processor.
const MIN_DEVICE_COLUMNS: u64 = 1 << 26;

/// Minimum number of symbols for each edit of a pattern that probably has few hits. A GPU leaves patterns with many hits to its
/// host.
const MIN_SYMBOLS_PER_EDIT: u64 = 4;

/// Number of cells of a long pattern that take a GPU as long as a column of a short one, by the numbers of operations.
const COLUMN_CELLS: u64 = 16;

/// Number of symbols of an exact search for one pattern that take a GPU as long as a column of a short one.
const EXACT_COLUMN_SYMBOLS: u64 = 2;

/// Lower bound of the symbols that are copied to a GPU in a nanosecond.
const TRANSFER_SYMBOLS_PER_NS: u64 = 10;

/// Many patterns and the texts in which they are searched. The symbols of a text and of all patterns are numbered together.
#[derive(Clone, Debug)]
pub struct PatternCollection {
    task: Task,
    options: JobOptions,
    /// For each source of texts, a pair of each pattern with it.
    pairs: Vec<Vec<Pair>>,
    /// For each source, the number of its first text.
    first_texts: Vec<u64>,
    texts: Vec<String>,
    /// For each pattern, the maximum number of edits, if it differs from that of the options.
    limits: Vec<Option<u64>>,
}

/// The name and the limit of a pattern, if its text does not have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternLabel {
    /// Name, instead of the one that was read.
    pub name: Option<String>,
    /// Maximum number of edits of an approximate search, instead of that of the options.
    pub max_distance: Option<u64>,
}

/// The hits of one pattern, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternHits {
    /// Number of all hits. It exceeds the length of `hits` if positions were not requested.
    pub total: u64,
    /// The hits.
    pub hits: Vec<Hit>,
}

cbor_struct!(PatternHits { total, hits });

impl PatternCollection {
    /// The tasks that search for patterns.
    pub const TASKS: [Task; 2] = [Task::ExactSearch, Task::ApproximateSearch];

    /// Maximum number of symbols of all patterns, multiplied by the number of searched files, because the patterns are numbered
    /// with each file.
    pub const MAX_NUMBERED: u64 = 1 << 28;

    /// Maximum number of patterns. With many files, it is the maximum number of pairs of a pattern and a file.
    pub const MAX_PATTERNS: usize = 100_000;

    /// Reads `patterns` and the texts `b` for the task `task` with `options`. The records of a file are searched separately.
    /// Takes O(bytes) time and memory for each file of `b`.
    ///
    /// # Errors
    /// Returns `BadInput` in these cases:
    ///
    /// - the task is no search for patterns, or has no such option
    /// - `b` has no text
    /// - a pattern or a text cannot be read (the error names the pattern or file, and the place)
    /// - the patterns have too many symbols for this number of files ([`Self::MAX_NUMBERED`])
    ///
    /// Returns `TooLarge` if there are more than [`Self::MAX_PATTERNS`] pairs of a pattern and a file.
    pub fn parse(patterns: SideSources, b: SideSources, task: Task, options: &JobOptions) -> Result<Self, JobFailure> {
        options.check(task)?;
        if !Self::TASKS.contains(&task) {
            return Err(JobFailure::bad_input(format!("{} does not search for many patterns.", task.name())));
        }
        if options.method.is_some() {
            return Err(JobFailure::bad_input("Collections are compared by the default method. Leave out `method`."));
        }
        let reading = options.reading();
        let (sides, _) = read_sides(vec![("a", patterns)], &reading)?;
        let Some(patterns) = sides.into_iter().next() else { return Err(JobFailure::engine("The patterns were not read.")) };
        let patterns = patterns.member_texts(&reading)?;
        let sources = searched_texts(b, &reading)?;
        let (got, limit) = (patterns.len() * sources.len(), Self::MAX_PATTERNS);
        if got > limit {
            return Err(JobFailure::TooLarge { what: large::PATTERNS.into(), got: got as u64, limit: limit as u64 });
        }
        let limits = vec![None; patterns.len()];
        let symbols = patterns.iter().map(|pattern| pattern.len() as u64).sum::<u64>();
        if symbols * sources.len() as u64 > Self::MAX_NUMBERED {
            let (texts, limit) = (sources.len(), Self::MAX_NUMBERED);
            return Err(JobFailure::bad_input(format!(
                "The patterns have {symbols} symbols in all, and there are {texts} searched texts. The product may be at most {limit}. \
                 Search in fewer texts at a time, or in one file with a record for each text."
            )));
        }
        let (mut pairs, mut first_texts, mut texts) = (Vec::with_capacity(sources.len()), Vec::with_capacity(sources.len()), Vec::new());
        for text in sources {
            first_texts.push(texts.len() as u64);
            match text.has_separate_records() {
                true => texts.extend((0..text.record_count()).map(|record| text.record_word(record as u64))),
                false => texts.push(text.name().unwrap_or_default().to_owned()),
            }
            pairs.push(Pair::of_patterns(patterns.clone(), &text, &reading)?);
        }
        Ok(Self { task, options: options.clone(), pairs, first_texts, texts, limits })
    }

    /// Gives the patterns names and limits, in their order.
    ///
    /// # Errors
    /// Returns `BadInput` if there are not as many labels as patterns.
    pub fn with_labels(mut self, labels: &[PatternLabel]) -> Result<Self, JobFailure> {
        if labels.len() != self.limits.len() {
            let (labels, patterns) = (labels.len(), self.limits.len());
            return Err(JobFailure::bad_input(format!("There are {patterns} patterns, and {labels} names or limits of patterns.")));
        }
        self.limits = labels.iter().map(|label| label.max_distance).collect();
        for pairs in &mut self.pairs {
            for (pair, label) in pairs.iter_mut().zip(labels) {
                if let Some(name) = &label.name {
                    pair.a = pair.a.clone().named(name);
                }
            }
        }
        Ok(self)
    }

    /// Returns a pair of each pattern with the first file, in the order of the patterns.
    pub fn pairs(&self) -> &[Pair] {
        self.pairs.first().map_or(&[], Vec::as_slice)
    }

    /// Returns the pair of the pattern `pattern` with the file that has the text `text`.
    ///
    /// # Panics
    /// Panics if the pattern or the text does not exist.
    pub fn pair_of(&self, pattern: usize, text: u64) -> &Pair {
        &self.pairs[self.source_of(text)][pattern]
    }

    /// Returns a pair of the first pattern with the file `source`.
    ///
    /// # Panics
    /// Panics if there are no patterns or no file has this number.
    pub fn pair_of_source(&self, source: usize) -> &Pair {
        &self.pairs[source][0]
    }

    /// Iterates over the files that are searched. Without patterns, the iterator is empty.
    pub fn searched(&self) -> impl Iterator<Item = &Text> {
        self.pairs.iter().filter_map(|pairs| pairs.first()).map(|pair| &pair.b)
    }

    /// Returns the number of files that are searched.
    pub fn sources(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the number of the file that has the text `text`.
    pub fn source_of(&self, text: u64) -> usize {
        self.first_texts.partition_point(|first| *first <= text).saturating_sub(1)
    }

    /// Returns the names of the searched texts: those of records or of files.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Returns the number of symbols of the searched text `text`.
    ///
    /// # Panics
    /// Panics if the text does not exist.
    pub fn text_len(&self, text: u64) -> usize {
        let source = self.source_of(text);
        let own = &self.pairs[source][0].b;
        match own.has_separate_records() {
            true => own.record_range((text - self.first_texts[source]) as usize).len(),
            false => own.len(),
        }
    }

    /// Returns the number of symbols of all searched files.
    pub fn searched_len(&self) -> usize {
        self.searched().map(Text::len).sum()
    }

    /// Returns the options by which `pattern` is searched.
    pub fn options_of(&self, pattern: usize) -> Cow<'_, JobOptions> {
        match self.limits.get(pattern).copied().flatten() {
            Some(limit) if self.task == Task::ApproximateSearch => {
                Cow::Owned(JobOptions { max_distance: Some(limit), ..self.options.clone() })
            }
            _ => Cow::Borrowed(&self.options),
        }
    }

    /// Returns the task.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Returns the options of the task.
    pub fn options(&self) -> &JobOptions {
        &self.options
    }

    /// Returns the number of cells of all matrices of a pattern and a text.
    pub fn cells(&self) -> u64 {
        self.pairs.iter().flatten().map(Pair::cells).fold(0, u64::saturating_add)
    }

    /// Returns the work of the searches. A GPU leaves some patterns to the processor of its host.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn work(&self) -> Result<JobWork, JobFailure> {
        let searcher = searcher(self.task)?;
        let strands = if self.options.strands.is_forward() { 1 } else { 2 };
        let (mut sum, mut cuda) = (JobWork::from_cells(self.task, 0), EngineEffort::default());
        for (source, pairs) in self.pairs.iter().enumerate() {
            let is_long = self.device_columns(source).is_some_and(|columns| columns >= MIN_DEVICE_COLUMNS);
            for (pattern, pair) in pairs.iter().enumerate().filter(|(_, pair)| is_searched(pair)) {
                let work = searcher.work_for(pair, &self.options);
                sum.cells = sum.cells.saturating_add(work.cells);
                sum.cpu = added(sum.cpu, work.cpu);
                let is_selective = |limit: u64| limit * MIN_SYMBOLS_PER_EDIT <= pair.a.len() as u64;
                let is_for_device = is_long && self.is_for_device(pattern) && self.edits_of(pattern).is_some_and(is_selective);
                let on_device = || {
                    let columns = (pair.b.len() as u64).saturating_mul(strands);
                    let each = if self.task == Task::ExactSearch { EXACT_COLUMN_SYMBOLS } else { COLUMN_CELLS };
                    EngineEffort { cells: work.cpu.cells, cost_cells: columns.saturating_mul(each), overhead_ns: 0 }
                };
                cuda = added(cuda, if is_for_device { on_device() } else { work.on_host(1).cuda });
                (sum.symbols, sum.alphabet) = (sum.symbols.max(work.symbols), sum.alphabet.max(work.alphabet));
            }
            let text = if is_long { pairs.first().map_or(0, |pair| pair.b.len() as u64) } else { 0 };
            cuda.overhead_ns = cuda.overhead_ns.saturating_add(text / TRANSFER_SYMBOLS_PER_NS);
        }
        Ok(JobWork { cuda, ..sum })
    }

    /// Returns whether a GPU takes the pattern `pattern` in texts with symbols of a byte.
    fn is_for_device(&self, pattern: usize) -> bool {
        let len = self.pairs().get(pattern).map_or(0, |pair| pair.a.len());
        (1..=MAX_DEVICE_PATTERN).contains(&len) && self.edits_of(pattern).is_some_and(|limit| limit < len as u64)
    }

    /// Returns whether a GPU searches for some pattern in some text.
    pub fn is_for_gpu(&self) -> bool {
        (0..self.pairs.len()).any(|source| self.device_columns(source).is_some_and(|columns| columns >= MIN_DEVICE_COLUMNS))
    }

    /// Returns the number of columns of the patterns that a GPU takes in the file `source`, on all strands. Returns `None` if the
    /// symbols of the text have four bytes, or no pattern is for a GPU.
    fn device_columns(&self, source: usize) -> Option<u64> {
        let pairs = &self.pairs[source];
        let TextSymbols::Narrow(symbols) = pairs.first()?.b_symbols() else { return None };
        let members = (0..pairs.len()).filter(|pattern| self.is_for_device(*pattern)).count() as u64;
        let strands = if self.options.strands.is_forward() { 1 } else { 2 };
        (members > 0).then(|| (symbols.len() as u64).saturating_mul(members * strands))
    }

    /// Returns the maximum number of edits of the hits of `pattern`, or `None` if only the best hits count.
    fn edits_of(&self, pattern: usize) -> Option<u64> {
        if self.task == Task::ExactSearch { Some(0) } else { self.options_of(pattern).max_distance }
    }

    /// Searches for all patterns, one after another, each on all threads of `cpu`. Takes the time of a job for each pattern and
    /// file, without reading, and the memory of all hits.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `TooLarge` if there are more than `max_hits` hits.
    pub fn solve(&self, max_hits: u64, cpu: &Cpu, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        self.solve_some(0..self.limits.len(), max_hits, cpu, run)
    }

    /// Searches for `patterns` like [`solve`](Self::solve), which searches for all.
    ///
    /// # Errors
    /// Returns the errors of [`solve`](Self::solve).
    ///
    /// # Panics
    /// Panics if a pattern does not exist.
    pub fn solve_some(&self, patterns: Range<usize>, max_hits: u64, cpu: &Cpu, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        self.expect(patterns.clone(), run)?;
        self.search_all(patterns, max_hits, cpu, run, |_, _| None)
    }

    /// Raises the number of cells that `run` expects by those of `patterns`.
    fn expect(&self, patterns: Range<usize>, run: &Run) -> Result<(), JobFailure> {
        let work = |pair: &Pair| searcher(self.task).map(|searcher| searcher.work(&InputSize::from(pair), &self.options).cells);
        let pairs = self.pairs.iter().flat_map(|pairs| &pairs[patterns.clone()]).filter(|pair| is_searched(pair));
        run.raise_expected(pairs.map(work).sum::<Result<u64, JobFailure>>()?);
        Ok(())
    }

    /// Searches for `patterns` one after another. `known` returns the hits of a file and a pattern that were found before.
    fn search_all(
        &self,
        patterns: Range<usize>,
        max_hits: u64,
        cpu: &Cpu,
        run: &Run,
        mut known: impl FnMut(usize, usize) -> Option<KnownHits>,
    ) -> Result<Vec<PatternHits>, Halt> {
        let mut found = 0;
        let mut all = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            let known: Vec<Option<KnownHits>> = (0..self.pairs.len()).map(|source| known(source, pattern)).collect();
            let hits = self.search(pattern, known, [max_hits - found, max_hits], cpu, run)?;
            found += hits.hits.len() as u64;
            all.push(hits);
        }
        Ok(all)
    }

    /// Searches for a pattern in all texts. `known` has the hits of each file that were found before. Of `max_hits` hits, `left`
    /// may be found.
    fn search(
        &self,
        pattern: usize,
        known: Vec<Option<KnownHits>>,
        [left, max_hits]: [u64; 2],
        cpu: &Cpu,
        run: &Run,
    ) -> Result<PatternHits, Halt> {
        let mut of_pattern = PatternHits { total: 0, hits: Vec::new() };
        if !is_searched(&self.pairs()[pattern]) {
            return Ok(of_pattern);
        }
        let searcher = searcher(self.task)?;
        let options = self.options_of(pattern);
        let mut searches = Vec::with_capacity(self.pairs.len());
        for (pairs, known) in self.pairs.iter().zip(known) {
            if let Some(hits) = known {
                searches.push(SourceSearch::Known(hits));
                continue;
            }
            let pair = &pairs[pattern];
            let cells = searcher.work(&InputSize::from(pair), &options).cells;
            let observer = ProgressObserver::of(run);
            let inner = Run::new(&observer);
            searches.push(SourceSearch::Solved(Box::new(searcher.cpu(cpu, pair, &options, &inner)?)));
            run.tick(cells.saturating_sub(inner.cells()))?;
        }
        // Without a limit, only the hits with the fewest edits in all texts are hits.
        let least = searches.iter().filter_map(SourceSearch::distance).min();
        let is_best = |search: &SourceSearch| match search.distance() {
            Some(distance) if options.max_distance.is_none() => Some(distance) == least,
            _ => true,
        };
        let is_best: Vec<bool> = searches.iter().map(is_best).collect();
        for (source, search) in searches.into_iter().enumerate().filter(|(source, _)| is_best[*source]) {
            of_pattern.total += search.total();
            let Some(count) = search.count() else { continue };
            let got = of_pattern.hits.len() as u64 + count;
            if got > left {
                return Err(JobFailure::TooLarge { what: large::HITS.into(), got: max_hits - left + got, limit: max_hits }.into());
            }
            let hits = match search {
                SourceSearch::Known(KnownHits::Counted(_)) => continue,
                SourceSearch::Known(KnownHits::Listed(hits)) => hits,
                SourceSearch::Solved(solution) => {
                    let Solution { answer, found, .. } = *solution;
                    let Some(found) = found else { continue };
                    let pair = &self.pairs[source][pattern];
                    let searched = FinishedSearch { pair, options: &options, answer: &answer, found: &found };
                    searcher.hits(&searched, 0..found.positions.len(), cpu, run)?
                }
            };
            of_pattern.hits.extend(hits.into_iter().map(|hit| self.numbered(source, hit)));
        }
        Ok(of_pattern)
    }

    /// Returns a hit in a file with the number of its text, if there are several texts.
    fn numbered(&self, source: usize, hit: Hit) -> Hit {
        let first = self.first_texts[source];
        let record = match hit.record {
            Some(record) => Some(RecordRange { number: record.number + first, ..record }),
            None if self.texts.len() > 1 => Some(RecordRange { number: first, start: hit.start, end: hit.end }),
            None => None,
        };
        Hit { record, ..hit }
    }

    /// Returns the first of the parts of all texts that have the fewest edits to the pattern `pattern`. Returns `None` if the
    /// pattern or all texts are empty. Takes the time of one approximate search.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped.
    ///
    /// # Panics
    /// Panics if the pattern does not exist.
    pub fn nearest(&self, pattern: usize, cpu: &Cpu, run: &Run) -> Result<Option<Hit>, Halt> {
        let searcher = searcher(Task::ApproximateSearch)?;
        let options = JobOptions { max_distance: None, ..self.options.clone() };
        let mut nearest: Option<Hit> = None;
        for (source, pairs) in self.pairs.iter().enumerate().filter(|(_, pairs)| is_searched(&pairs[pattern])) {
            let solution = searcher.cpu(cpu, &pairs[pattern], &options, run)?;
            let TaskAnswer::ApproximateSearch { hits, .. } = solution.answer else { continue };
            let best = hits.first().map(|hit| self.numbered(source, *hit));
            nearest = match (nearest, best) {
                (Some(nearest), Some(best)) if best.distance >= nearest.distance => Some(nearest),
                (nearest, best) => best.or(nearest),
            };
        }
        Ok(nearest)
    }

    /// Returns the alignment of the pattern `pattern` to the part of the text that `hit` covers. The hit is one of
    /// [`solve`](Self::solve) or [`nearest`](Self::nearest).
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped.
    ///
    /// # Panics
    /// Panics if the pattern or the text of the hit does not exist.
    pub fn align(&self, pattern: usize, hit: Hit, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        let task = if hit.distance > 0 { Task::ApproximateSearch } else { self.task };
        let pair = self.pair_of(pattern, hit.record.map_or(0, |record| record.number));
        searcher(task)?.align(pair, hit, self.options.gaps, cpu, run)
    }
}

/// Returns whether the pattern of `pair` can have hits. An empty pattern has none, although a job for it alone finds it everywhere.
fn is_searched(pair: &Pair) -> bool {
    !pair.a.is_empty()
}

/// Returns the effort of two searches.
fn added(one: EngineEffort, other: EngineEffort) -> EngineEffort {
    EngineEffort {
        cells: one.cells.saturating_add(other.cells),
        cost_cells: one.cost_cells.saturating_add(other.cost_cells),
        overhead_ns: one.overhead_ns.saturating_add(other.overhead_ns),
    }
}

/// All hits of a pattern in a file within a limit, which were found before.
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only a GPU finds hits before"))]
enum KnownHits {
    Listed(Vec<Hit>),
    /// The number of hits.
    Counted(u64),
}

impl KnownHits {
    fn listed(&self) -> Option<&[Hit]> {
        match self {
            Self::Listed(hits) => Some(hits),
            Self::Counted(_) => None,
        }
    }

    fn total(&self) -> u64 {
        match self {
            Self::Listed(hits) => hits.len() as u64,
            Self::Counted(total) => *total,
        }
    }
}

/// The search for a pattern in a file.
enum SourceSearch {
    Known(KnownHits),
    /// The solution of a job for the pattern alone.
    Solved(Box<Solution>),
}

impl SourceSearch {
    /// Returns the number of edits of the best hits, or `None` if they do not matter.
    fn distance(&self) -> Option<u64> {
        match self {
            Self::Known(_) => None,
            Self::Solved(solution) => distance(&solution.answer),
        }
    }

    /// Returns the number of all hits.
    fn total(&self) -> u64 {
        match self {
            Self::Known(hits) => hits.total(),
            Self::Solved(solution) => solution.answer.hits().unwrap_or(0),
        }
    }

    /// Returns the number of hits with positions, or `None` if hits are only counted.
    fn count(&self) -> Option<u64> {
        match self {
            Self::Known(hits) => hits.listed().map(|hits| hits.len() as u64),
            Self::Solved(solution) => solution.found.as_ref().map(|found| found.positions.len()),
        }
    }
}

/// Returns the number of edits of the best hits of an approximate search.
fn distance(answer: &TaskAnswer) -> Option<u64> {
    match answer {
        TaskAnswer::ApproximateSearch { distance, .. } => *distance,
        TaskAnswer::EditDistance { .. }
        | TaskAnswer::Lcs { .. }
        | TaskAnswer::MatchCount { .. }
        | TaskAnswer::ExactSearch { .. }
        | TaskAnswer::SequenceAlignment { .. } => None,
    }
}

/// Reads the texts that are searched: each file with all its records, or each part of a divided text.
fn searched_texts(side: SideSources, reading: &ReadingOptions) -> Result<Vec<Text>, JobFailure> {
    if side.sources.is_empty() {
        return Err(JobFailure::bad_input("Patterns are searched in `b`. Give `b` a text or file."));
    }
    match side.split {
        MemberSplit::Files | MemberSplit::Records => {
            let text = |source: super::MemberSource| {
                let decoded = SourceText::decode(source.name.clone(), source.bytes.into(), reading, &mut Vec::new())?;
                let text = Text::from(decoded.cut(reading, SourceRecords::Any, &mut Vec::new())?);
                Ok(if text.name().is_none() { text.named(&source.name) } else { text })
            };
            side.sources.into_iter().map(text).collect()
        }
        MemberSplit::Lines | MemberSplit::Blank | MemberSplit::Plain => {
            let (sides, _) = read_sides(vec![("b", side)], reading)?;
            sides.first().map_or_else(|| Ok(Vec::new()), |side| side.member_texts(reading))
        }
    }
}
