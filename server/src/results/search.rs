//! Search: what a search has found, with the texts that pages of hits are made of.

use std::sync::Arc;

use kernels::alignment::Alignment;
use kernels::found::{Found, Hit, Span};
use kernels::job::{Options, Task};
use kernels::task::{Solve, solver};
use kernels::text::Pair;

use crate::error::{Kind, Problem};

/// Hits that a file is written with at a time.
const FILE_PAGE: u64 = 10_000;

/// Everything a page of hits needs. Every call computes: keep it off the threads that answer requests.
#[derive(Clone, Debug)]
pub struct Search {
    /// The texts.
    pub pair: Arc<Pair>,
    /// What was found in them.
    pub found: Arc<Found>,
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
    /// When the task cannot make them, which is a mistake of the server.
    pub fn hits(&self, from: u64, len: u64) -> Result<Vec<Hit>, Problem> {
        let from = from.min(self.total());
        let len = len.min(self.total() - from);
        Ok(self.solver().hits(&self.pair, &self.options, &self.found, from, len)?)
    }

    /// All hits, page by page.
    pub fn pages(&self) -> impl Iterator<Item = Result<Vec<Hit>, Problem>> + '_ {
        (0..self.total()).step_by(FILE_PAGE as usize).map(|from| self.hits(from, FILE_PAGE))
    }

    /// The alignment of a hit.
    ///
    /// # Errors
    /// `NoResult` when nothing was found, `NotFound` when the number is too large.
    pub fn align(&self, number: u64) -> Result<Alignment, Problem> {
        let all = self.total();
        if all == 0 {
            return Err(Problem::new(Kind::NoResult, "Nothing was found, so that there is no alignment to look at."));
        }
        let hit = self.hits(number, 1)?.first().copied().filter(|_| number < all).ok_or_else(|| {
            let count = kernels::words::grouped(all);
            Problem::new(Kind::NotFound, format!("The number of hits is {count}, and they are counted from 0.")).limit(all, number)
        })?;
        Ok(self.solver().align(&self.pair, hit)?)
    }

    /// Number of offsets that have a score.
    ///
    /// # Errors
    /// `NoResult` for a task without scores.
    pub fn offsets(&self) -> Result<u64, Problem> {
        match &self.found.profile {
            Some(profile) => Ok(profile.spans.iter().map(|span| span.offsets).sum()),
            None => Err(no_profile(self.task)),
        }
    }

    /// The scores at the offsets `from..from + len` in `points` spans at most.
    ///
    /// # Errors
    /// `NoResult` for a task without scores.
    pub fn profile(&self, from: u64, len: u64, points: usize) -> Result<Vec<Span>, Problem> {
        self.offsets()?;
        Ok(self.solver().profile(&self.pair, &self.found, from, len, points)?)
    }

    /// All scores, one span each, page by page with the first offset of each page; none for a task without scores.
    pub fn scores(&self) -> impl Iterator<Item = Result<(u64, Vec<Span>), Problem>> + '_ {
        let offsets = self.offsets().unwrap_or(0);
        // A page costs the task at least the length of the pattern, and the memory of its spans.
        let page = self.pair.a.len().clamp(1 << 16, 1 << 20);
        (0..offsets).step_by(page).map(move |from| {
            let len = (page as u64).min(offsets - from);
            self.profile(from, len, len as usize).map(|spans| (from, spans))
        })
    }

    fn solver(&self) -> &'static dyn Solve {
        solver(self.task)
    }
}

fn no_profile(task: Task) -> Problem {
    let detail = format!("{} has no score at every offset, and so no profile; match-count has one.", task.name());
    Problem::new(Kind::NoResult, detail)
}
