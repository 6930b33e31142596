//! Search: the texts and the found positions of a search in memory ([`LoadedSearch`]), from which hits, scores and
//! alignments are computed.

use std::ops::Range;
use std::sync::Arc;

use explain::export::hit_file::HitFile;
use explain::hit_page::HitPage;
use kernels::alignment::Alignment;
use kernels::engine::Cpu;
use kernels::event::TaskAnswer;
use kernels::found::{Hit, ScoreSpan, SearchResult};
use kernels::job::{JobOptions, Task};
use kernels::run::Run;
use kernels::task::{self, FinishedSearch, searcher};
use kernels::text::Pair;

use crate::error::{ApiProblem, ProblemKind};

/// The texts and found positions of a search, in memory. Its methods compute, so they must not be called on a thread
/// that serves requests.
#[derive(Clone, Debug)]
pub struct LoadedSearch {
    pub pair: Arc<Pair>,
    pub found: Arc<SearchResult>,
    pub answer: TaskAnswer,
    pub task: Task,
    pub options: JobOptions,
}

impl LoadedSearch {
    pub fn total(&self) -> u64 {
        self.found.positions.len()
    }

    /// Returns the hits with the numbers `from..from + len`, cut to the existing ones.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if the task cannot make the hits, which is a bug of the server.
    pub fn hits(&self, from: u64, len: u64, run: &Run<'_>) -> Result<Vec<Hit>, ApiProblem> {
        Ok(self.searcher()?.hits(&self.searched(), from..from.saturating_add(len), &Cpu::all_cores(), run)?)
    }

    /// Formats the hits from number `from` on, as many as one part of the exported `file` has
    /// ([`HitFile::max_hits_per_page`]). Returns the lines of this part. `has_line` is that of [`HitFile::page`].
    ///
    /// # Errors
    /// Returns the errors of [`hits`](Self::hits). Formats with alignments also fail if a hit cannot be aligned.
    pub fn format_page(&self, file: &HitFile<'_>, from: u64, has_line: &mut bool, run: &Run<'_>) -> Result<String, ApiProblem> {
        let (searcher, hits) = (self.searcher()?, self.hits(from, file.max_hits_per_page(), run)?);
        Ok(file.page(has_line, &hits, &|hit| searcher.align(&self.pair, hit, self.options.gaps, &Cpu::all_cores(), run))?)
    }

    /// Computes the alignment of the hit with the number `number`, counted from 0.
    ///
    /// # Errors
    /// Returns `NoResult` if there are no hits, `NotFound` if `number` is too large, or an error if the run is stopped.
    pub fn align(&self, number: u64, run: &Run<'_>) -> Result<Alignment, ApiProblem> {
        check_number(number, self.total())?;
        let hits = self.hits(number, 1, run)?;
        let hit = *hits.first().ok_or_else(|| ApiProblem::internal("a hit that was found is none"))?;
        Ok(self.searcher()?.align(&self.pair, hit, self.options.gaps, &Cpu::all_cores(), run)?)
    }

    /// Returns the hits with the numbers `page`, with `context` symbols of `b` on either side of each hit.
    ///
    /// # Errors
    /// Returns the errors of [`hits`](Self::hits).
    pub fn hit_page(&self, page: Range<u64>, context: u64, run: &Run<'_>) -> Result<HitPage, ApiProblem> {
        Ok(HitPage::page(self.searcher()?, &self.searched(), page, context, &Cpu::all_cores(), run)?)
    }

    /// Aligns the pattern `a` with the part of `b` that begins at `offset`, without insertions and deletions.
    ///
    /// # Errors
    /// Returns `NoResult` for a task other than match count, `NotFound` if `offset` is too large, or an error if the
    /// run is stopped.
    pub fn align_at_offset(&self, offset: u64, run: &Run<'_>) -> Result<Alignment, ApiProblem> {
        if self.task != Task::MatchCount {
            let detail = format!("{} has no offsets; only match-count has. Leave out offset.", self.task.name());
            return Err(ApiProblem::new(ProblemKind::NoResult, detail));
        }
        let all = self.offsets()?;
        if offset >= all {
            let count = kernels::humanize::grouped(all);
            let detail = format!("There is no such offset. There are {count}, numbered from 0.");
            return Err(ApiProblem::new(ProblemKind::NotFound, detail).limit(all, offset));
        }
        let hit = Hit::new(offset, offset + self.pair.a.len() as u64, 0);
        Ok(self.searcher()?.align(&self.pair, hit, self.options.gaps, &Cpu::all_cores(), run)?)
    }

    /// Returns the number of offsets in `b` for which the task computes a score.
    ///
    /// # Errors
    /// Returns `NoResult` for a task without scores.
    pub fn offsets(&self) -> Result<u64, ApiProblem> {
        self.searcher()?.offsets(&self.searched()).ok_or_else(|| {
            let detail = format!("{} has no profile.", self.task.name());
            ApiProblem::new(ProblemKind::NoResult, detail)
        })
    }

    /// Returns a histogram of distances. The element at index d is the number of positions in `b` at which a substring
    /// with the distance d to the pattern ends, but none with a smaller distance.
    ///
    /// # Errors
    /// Returns `NoResult` for a task other than approximate search, `TooLarge` if the computation would take too long,
    /// or an error if the run is stopped.
    pub fn counts(&self, run: &Run<'_>) -> Result<Vec<u64>, ApiProblem> {
        if self.task != Task::ApproximateSearch {
            let detail = format!("{} has no counts by distance; only approximate-search has.", self.task.name());
            return Err(ApiProblem::new(ProblemKind::NoResult, detail));
        }
        Ok(self.searcher()?.counts(&self.searched(), run)?)
    }

    /// Returns the scores at `offsets` of `b`, summarized in at most `points` spans of adjacent offsets.
    ///
    /// # Errors
    /// Returns `NoResult` for a task without scores, `TooLarge` if the computation would take too long, or an error if
    /// the run is stopped.
    pub fn profile(&self, offsets: Range<u64>, points: usize, run: &Run<'_>) -> Result<Vec<ScoreSpan>, ApiProblem> {
        self.offsets()?;
        Ok(self.searcher()?.profile(&self.searched(), offsets, points, run)?)
    }

    /// Iterates over the scores of all offsets, in pages. An item is the offset of the page's first score, and one span
    /// for each score of the page. Yields nothing for a task without scores.
    pub fn scores<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = Result<(u64, Vec<ScoreSpan>), ApiProblem>> + 's {
        let offsets = self.offsets().unwrap_or(0);
        // The time for a page is at least proportional to the length of the pattern, and the memory of a page to the
        // number of its spans.
        let page = self.pair.a.len().clamp(1 << 16, 1 << 20);
        (0..offsets).step_by(page).map(move |from| {
            let end = offsets.min(from + page as u64);
            self.profile(from..end, page, run).map(|spans| (from, spans))
        })
    }

    fn searched(&self) -> FinishedSearch<'_> {
        FinishedSearch { pair: &self.pair, options: &self.options, answer: &self.answer, found: &self.found }
    }

    fn searcher(&self) -> Result<&'static dyn task::SearchTask, ApiProblem> {
        Ok(searcher(self.task)?)
    }
}

/// Checks that a search with `all` hits has a hit with the number `number`, counted from 0.
///
/// # Errors
/// Returns `NoResult` if there are no hits, and `NotFound` if `number` is too large.
pub(super) fn check_number(number: u64, all: u64) -> Result<(), ApiProblem> {
    if all == 0 {
        return Err(ApiProblem::new(ProblemKind::NoResult, "Nothing was found, so there is no alignment."));
    }
    if number >= all {
        let count = kernels::humanize::grouped(all);
        let detail = format!("There is no such hit. There are {count}, numbered from 0.");
        return Err(ApiProblem::new(ProblemKind::NotFound, detail).limit(all, number));
    }
    Ok(())
}
