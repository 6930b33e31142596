//! Search: what a search has found, with the texts that pages of hits are made of.

use std::ops::Range;
use std::sync::Arc;

use explain::export::listed::HitFile;
use explain::seen::Seen;
use kernels::alignment::Alignment;
use kernels::engine::Cpu;
use kernels::event::Answer;
use kernels::found::{Found, Hit, Span};
use kernels::job::{Options, Task};
use kernels::run::Run;
use kernels::task::{self, Searched, searcher};
use kernels::text::Pair;

use crate::error::{Kind, Problem};

/// Everything a page of hits needs. Every call computes: keep it off the threads that answer requests.
#[derive(Clone, Debug)]
pub struct Search {
    /// The texts.
    pub pair: Arc<Pair>,
    /// What was found in them.
    pub found: Arc<Found>,
    /// What was answered.
    pub answer: Answer,
    /// By which task.
    pub task: Task,
    /// Asked how.
    pub options: Options,
}

impl Search {
    /// Number of hits.
    pub fn total(&self) -> u64 {
        self.found.positions.len()
    }

    /// The hits `from..from + len`, cut to what there is.
    ///
    /// # Errors
    /// When the run is stopped, or the task cannot make them, which is a mistake of the server.
    pub fn hits(&self, from: u64, len: u64, run: &Run<'_>) -> Result<Vec<Hit>, Problem> {
        Ok(self.searcher()?.hits(&self.searched(), from..from.saturating_add(len), &Cpu::all_cores(), run)?)
    }

    /// The page of a file that begins with this hit.
    ///
    /// # Errors
    /// As [`hits`](Self::hits).
    pub fn written(&self, file: &HitFile<'_>, from: u64, run: &Run<'_>) -> Result<String, Problem> {
        let (searcher, hits) = (self.searcher()?, self.hits(from, file.at_once(), run)?);
        Ok(file.page(from, &hits, &|hit| searcher.align(&self.pair, hit, &Cpu::all_cores(), run))?)
    }

    /// The alignment of a hit.
    ///
    /// # Errors
    /// `NoResult` when nothing was found, `NotFound` when the number is too large.
    pub fn align(&self, number: u64, run: &Run<'_>) -> Result<Alignment, Problem> {
        check_number(number, self.total())?;
        let hits = self.hits(number, 1, run)?;
        let hit = *hits.first().ok_or_else(|| Problem::internal("a hit that was found is none"))?;
        Ok(self.searcher()?.align(&self.pair, hit, &Cpu::all_cores(), run)?)
    }

    /// A page of hits with so many symbols of the text around each.
    ///
    /// # Errors
    /// As [`hits`](Self::hits).
    pub fn seen(&self, page: Range<u64>, context: u64, run: &Run<'_>) -> Result<Seen, Problem> {
        Ok(Seen::page(self.searcher()?, &self.searched(), page, context, &Cpu::all_cores(), run)?)
    }

    /// The alignment of `a` laid over `b` at an offset, without insertions and deletions.
    ///
    /// # Errors
    /// `NoResult` for another task than match count, `NotFound` when there is no such offset.
    pub fn lay(&self, offset: u64, run: &Run<'_>) -> Result<Alignment, Problem> {
        if self.task != Task::MatchCount {
            let detail = format!("{} has no offsets; only match-count has. Leave out offset.", self.task.name());
            return Err(Problem::new(Kind::NoResult, detail));
        }
        let all = self.offsets()?;
        if offset >= all {
            let count = kernels::words::grouped(all);
            let detail = format!("There is no such offset. There are {count}, numbered from 0.");
            return Err(Problem::new(Kind::NotFound, detail).limit(all, offset));
        }
        let hit = Hit::new(offset, offset + self.pair.a.len() as u64, 0);
        Ok(self.searcher()?.align(&self.pair, hit, &Cpu::all_cores(), run)?)
    }

    /// Number of offsets that have a score.
    ///
    /// # Errors
    /// `NoResult` for a task without scores.
    pub fn offsets(&self) -> Result<u64, Problem> {
        self.searcher()?.offsets(&self.searched()).ok_or_else(|| {
            let detail = format!("{} has no profile.", self.task.name());
            Problem::new(Kind::NoResult, detail)
        })
    }

    /// Number of ends with each distance, from 0.
    ///
    /// # Errors
    /// `NoResult` for another task than approximate search; `TooLarge` where that takes too long.
    pub fn counts(&self, run: &Run<'_>) -> Result<Vec<u64>, Problem> {
        if self.task != Task::ApproximateSearch {
            let detail = format!("{} has no counts by distance; only approximate-search has.", self.task.name());
            return Err(Problem::new(Kind::NoResult, detail));
        }
        Ok(self.searcher()?.counts(&self.searched(), run)?)
    }

    /// The scores at these offsets in `points` spans at most.
    ///
    /// # Errors
    /// `NoResult` for a task without scores.
    pub fn profile(&self, offsets: Range<u64>, points: usize, run: &Run<'_>) -> Result<Vec<Span>, Problem> {
        self.offsets()?;
        Ok(self.searcher()?.profile(&self.searched(), offsets, points, run)?)
    }

    /// All scores, one span each, page by page with the first offset of each page; none for a task without scores.
    pub fn scores<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = Result<(u64, Vec<Span>), Problem>> + 's {
        let offsets = self.offsets().unwrap_or(0);
        // A page costs the task at least the length of the pattern, and the memory of its spans.
        let page = self.pair.a.len().clamp(1 << 16, 1 << 20);
        (0..offsets).step_by(page).map(move |from| {
            let end = offsets.min(from + page as u64);
            self.profile(from..end, page, run).map(|spans| (from, spans))
        })
    }

    fn searched(&self) -> Searched<'_> {
        Searched { pair: &self.pair, options: &self.options, answer: &self.answer, found: &self.found }
    }

    fn searcher(&self) -> Result<&'static dyn task::Search, Problem> {
        Ok(searcher(self.task)?)
    }
}

/// Whether there is a hit of this number among so many.
///
/// # Errors
/// `NoResult` when nothing was found, `NotFound` when the number is too large.
pub(super) fn check_number(number: u64, all: u64) -> Result<(), Problem> {
    if all == 0 {
        return Err(Problem::new(Kind::NoResult, "Nothing was found, so there is no alignment."));
    }
    if number >= all {
        let count = kernels::words::grouped(all);
        let detail = format!("There is no such hit. There are {count}, numbered from 0.");
        return Err(Problem::new(Kind::NotFound, detail).limit(all, number));
    }
    Ok(())
}
