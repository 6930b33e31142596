//! Task: what to compute. One enum arm and one child each.
//!
//! - [`edit_distance`]: Levenshtein distance and one optimal alignment
//! - [`approximate_search`]: substrings of `b` nearest to `a`
//! - [`lcs`]: longest common subsequence
//! - [`match_count`]: equal symbols at every offset
//! - [`exact_search`]: every occurrence
//! - [`by_record`]: searches in files of several records

use std::ops::Range;

use crate::alignment::{Alignment, Edit};
use crate::cpu::Cpu;
use crate::event::Answer;
use crate::failure::Failure;
use crate::found::{Found, Hit, Span};
#[cfg(not(target_family = "wasm"))]
use crate::gpu::{Gpu, compile::Source};
use crate::job::{Options, Task};
use crate::plan::Work;
use crate::run::{Halt, Run};
use crate::text::Pair;
use by_record::ByRecord;

pub mod approximate_search;
mod by_record;
pub mod edit_distance;
pub mod exact_search;
pub mod lcs;
pub mod match_count;

/// How a task is solved. Everything that depends on the task goes through here.
pub fn solver(task: Task) -> &'static dyn Solve {
    static APPROXIMATE_SEARCH: ByRecord<approximate_search::ApproximateSearch> = ByRecord::alone(approximate_search::ApproximateSearch);
    static MATCH_COUNT: ByRecord<match_count::MatchCount> = ByRecord::alone(match_count::MatchCount);
    static EXACT_SEARCH: ByRecord<exact_search::ExactSearch> = ByRecord::at_once(exact_search::ExactSearch);
    match task {
        Task::EditDistance => &edit_distance::EditDistance,
        Task::ApproximateSearch => &APPROXIMATE_SEARCH,
        Task::Lcs => &lcs::Lcs,
        Task::MatchCount => &MATCH_COUNT,
        Task::ExactSearch => &EXACT_SEARCH,
    }
}

/// What a task has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The answer as it goes over the wire.
    pub answer: Answer,
    /// The alignment of both whole texts, when one was asked for and the task has one.
    pub alignment: Option<Alignment>,
    /// Where it was found, of a task that searches.
    pub found: Option<Found>,
}

/// A search that has ended: what pages of hits and profiles are made of.
#[derive(Clone, Copy, Debug)]
pub struct Searched<'s> {
    /// The texts.
    pub pair: &'s Pair,
    /// Asked how.
    pub options: &'s Options,
    /// The answer of the run.
    pub answer: &'s Answer,
    /// What it has found.
    pub found: &'s Found,
}

/// A task, for every engine that has it.
pub trait Solve: Sync {
    /// What the task asks of an engine, for texts of these lengths.
    fn work(&self, size: &Size, options: &Options) -> Work;

    /// Lengths of two texts that take about so many cells and fill an engine, for measuring its rate.
    fn probe(&self, cells: u64) -> (usize, usize);

    /// Solves on the CPU.
    ///
    /// # Errors
    /// `Halt` when the run was stopped or the task failed.
    fn cpu(&self, cpu: &Cpu, pair: &Pair, options: &Options, run: &Run) -> Result<Solution, Halt>;

    /// Solves on a CUDA device.
    ///
    /// # Errors
    /// As [`cpu`](Self::cpu); `Failure::Engine` for a task that has no kernel.
    #[cfg(not(target_family = "wasm"))]
    fn cuda(&self, _gpu: &Gpu, _pair: &Pair, _options: &Options, _run: &Run) -> Result<Solution, Halt> {
        Err(Failure::engine("This task has no CUDA kernel.").into())
    }

    /// Whether there is a CUDA kernel.
    fn has_cuda(&self) -> bool {
        false
    }

    /// Every CUDA kernel that a job can ask for.
    #[cfg(not(target_family = "wasm"))]
    fn kernels(&self) -> Vec<Source> {
        Vec::new()
    }

    /// The hits with the numbers in `page` of what a run has found, cut to what there is. Cost grows with the hits asked for, not
    /// with the text.
    ///
    /// # Errors
    /// When the run is stopped, or the texts are not those of the search.
    fn hits(&self, _searched: &Searched, _page: Range<u64>, _cpu: &Cpu, _run: &Run) -> Result<Vec<Hit>, Halt> {
        Ok(Vec::new())
    }

    /// An optimal alignment of `a` to the part of `b` that a hit covers, which begins there.
    ///
    /// # Errors
    /// When the run is stopped, or the hit is not one of this pair.
    fn align(&self, _pair: &Pair, _hit: Hit, _cpu: &Cpu, _run: &Run) -> Result<Alignment, Halt> {
        Err(Failure::engine("This task has no hits.").into())
    }

    /// Number of offsets that have a score; none for a task or a run without scores.
    fn offsets(&self, _searched: &Searched) -> Option<u64> {
        None
    }

    /// The score at these offsets, cut to what there is, in `points` spans at most: the distance at each end, the number of equal
    /// symbols at each start, or 1 where an occurrence begins.
    ///
    /// # Errors
    /// When the run is stopped, or the task has no score at offsets; `TooLarge` when that takes too long.
    fn profile(&self, _searched: &Searched, _offsets: Range<u64>, _points: usize, _run: &Run) -> Result<Vec<Span>, Halt> {
        Err(Failure::engine("This task has no profile.").into())
    }

    /// Number of offsets with each distance, from 0 to the greatest that occurs.
    ///
    /// # Errors
    /// As [`profile`](Self::profile).
    fn counts(&self, _searched: &Searched, _run: &Run) -> Result<Vec<u64>, Halt> {
        Err(Failure::engine("This task has no distance at every offset.").into())
    }
}

/// What the planner knows of two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Symbols of `a`.
    pub a: u64,
    /// Symbols of `b`.
    pub b: u64,
    /// Distinct symbols in both, or 1 where they are not known yet.
    pub alphabet: u64,
    /// Bytes of both.
    pub bytes: u64,
}

impl Size {
    /// |a|·|b|.
    pub fn cells(&self) -> u64 {
        self.a.saturating_mul(self.b)
    }

    /// So many cells of `task`, with what an offer is asked about beside them.
    pub fn work(&self, task: Task, cells: u64, passes: u64) -> Work {
        Work { task, cells, symbols: self.a.max(self.b), alphabet: self.alphabet, bytes: self.bytes, passes }
    }
}

/// The part of `b` under a hit.
///
/// # Errors
/// When the hit is not one of this pair.
fn under<T>(b: &[T], hit: Hit) -> Result<&[T], Failure> {
    b.get(hit.start as usize..hit.end as usize).ok_or_else(|| Failure::engine("The hit lies outside of the text."))
}

/// The alignment without insertions and deletions.
fn side_by_side<T: PartialEq>(a: &[T], b: &[T], hit: Hit) -> Result<Alignment, Failure> {
    let b = under(b, hit)?;
    if a.len() != b.len() {
        return Err(Failure::engine("The hit is not as long as the pattern."));
    }
    let mut alignment = Alignment::default();
    a.iter().zip(b).for_each(|(x, y)| alignment.push(if x == y { Edit::Equal } else { Edit::Substitute }, 1));
    Ok(alignment.starting_at(hit.start))
}

impl From<&Pair> for Size {
    fn from(pair: &Pair) -> Self {
        let bytes = (pair.a.bytes().len() + pair.b.bytes().len()) as u64;
        Self { a: pair.a.len() as u64, b: pair.b.len() as u64, alphabet: pair.alphabet.into(), bytes }
    }
}
