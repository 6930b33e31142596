//! Patterns: searches for many patterns in one text, or in each record of a file.

use super::members::{SideSources, read_sides};
use crate::alignment::Alignment;
use crate::cpu::Cpu;
use crate::failure::{JobFailure, large};
use crate::found::Hit;
use crate::job::{JobOptions, Task};
use crate::reading::{SourceRecords, SourceText};
use crate::run::{Halt, Run};
use crate::task::{FinishedSearch, searcher};
use crate::text::{Pair, Text};

/// Many patterns and one text, whose symbols are numbered together.
#[derive(Clone, Debug)]
pub struct PatternCollection {
    task: Task,
    options: JobOptions,
    /// A pair of each pattern with the text.
    pairs: Vec<Pair>,
    text: Text,
}

/// The hits of one pattern, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternHits {
    /// Number of all hits. It exceeds the length of `hits` if positions were not requested.
    pub total: u64,
    /// The hits.
    pub hits: Vec<Hit>,
}

impl PatternCollection {
    /// The tasks that search for patterns.
    pub const TASKS: [Task; 2] = [Task::ExactSearch, Task::ApproximateSearch];

    /// Maximum number of patterns.
    pub const MAX_PATTERNS: usize = 100_000;

    /// Reads `patterns` and the text `b` for the task `task` with `options`. The records of a file are searched separately.
    /// Takes O(bytes) time and memory.
    ///
    /// # Errors
    /// Returns `BadInput` in these cases:
    ///
    /// - the task is no search for patterns, or has no such option
    /// - `b` has not exactly one text
    /// - a pattern or the text cannot be read (the error names the pattern or file, and the place)
    ///
    /// Returns `TooLarge` if there are more than [`Self::MAX_PATTERNS`] patterns.
    pub fn parse(patterns: SideSources, b: SideSources, task: Task, options: &JobOptions) -> Result<Self, JobFailure> {
        options.check(task)?;
        if !Self::TASKS.contains(&task) {
            return Err(JobFailure::bad_input(format!("{} does not search for many patterns.", task.name())));
        }
        if options.method.is_some() {
            return Err(JobFailure::bad_input("Collections are compared by the default method. Leave out method."));
        }
        let reading = options.reading();
        let (sides, _) = read_sides(vec![("a", patterns)], &reading)?;
        let Some(patterns) = sides.into_iter().next() else { return Err(JobFailure::engine("The patterns were not read.")) };
        let (got, limit) = (patterns.members().len(), Self::MAX_PATTERNS);
        if got > limit {
            return Err(JobFailure::TooLarge { what: large::PATTERNS.into(), got: got as u64, limit: limit as u64 });
        }
        let mut sources = b.sources.into_iter();
        let (Some(source), None) = (sources.next(), sources.next()) else {
            return Err(JobFailure::bad_input("Patterns are searched in one text or file. Give b one text, such as a file of records."));
        };
        let decoded = SourceText::decode(source.name.clone(), source.bytes.into(), &reading, &mut Vec::new())?;
        let text = Text::from(decoded.cut(&reading, SourceRecords::Any, &mut Vec::new())?);
        let text = if text.name().is_none() { text.named(&source.name) } else { text };
        let pairs = Pair::of_patterns(patterns.member_texts(&reading)?, &text, &reading)?;
        Ok(Self { task, options: options.clone(), pairs, text })
    }

    /// Returns a pair of each pattern with the text, in the order of the patterns.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the searched text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Returns the task.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Returns the options of the task.
    pub fn options(&self) -> &JobOptions {
        &self.options
    }

    /// Returns the number of cells of all matrices of a pattern and the text.
    pub fn cells(&self) -> u64 {
        self.pairs.iter().map(Pair::cells).fold(0, u64::saturating_add)
    }

    /// Searches for all patterns, one after another, each on all threads of `cpu`. Takes the time of a job for each pattern,
    /// without reading, and the memory of all hits.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped, and `TooLarge` if there are more than `max_hits` hits.
    pub fn solve(&self, max_hits: u64, cpu: &Cpu, run: &Run) -> Result<Vec<PatternHits>, Halt> {
        let searcher = searcher(self.task)?;
        let mut left = max_hits;
        let mut all = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let solution = searcher.cpu(cpu, pair, &self.options, run)?;
            let total = solution.answer.hits().unwrap_or(0);
            let hits = match &solution.found {
                None => Vec::new(),
                Some(found) => {
                    let got = found.positions.len();
                    if got > left {
                        let got = max_hits - left + got;
                        return Err(JobFailure::TooLarge { what: large::HITS.into(), got, limit: max_hits }.into());
                    }
                    left -= got;
                    let searched = FinishedSearch { pair, options: &self.options, answer: &solution.answer, found };
                    searcher.hits(&searched, 0..got, cpu, run)?
                }
            };
            all.push(PatternHits { total, hits });
        }
        Ok(all)
    }

    /// Returns the alignment of the pattern `pattern` to the part of the text that `hit` covers.
    ///
    /// # Errors
    /// Returns `Stopped` if the run is stopped.
    ///
    /// # Panics
    /// Panics if the pattern does not exist.
    pub fn align(&self, pattern: usize, hit: Hit, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt> {
        searcher(self.task)?.align(&self.pairs[pattern], hit, self.options.gaps, cpu, run)
    }
}
