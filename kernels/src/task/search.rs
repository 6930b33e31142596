//! Interface of searches: hits, their alignments, and scores at every offset, derived from the result of a run.

use std::ops::Range;

use super::SolvableTask;
use crate::alignment::{Alignment, EditKind, GapPlacement};
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::event::TaskAnswer;
use crate::failure::JobFailure;
use crate::found::{Hit, ScoreSpan, SearchResult};
use crate::job::JobOptions;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use crate::text::Pair;

/// A finished search: all data from which pages of hits and profiles of scores are computed.
#[derive(Clone, Copy, Debug)]
pub struct FinishedSearch<'s> {
    /// The pattern `a` and the searched text `b`.
    pub pair: &'s Pair,
    /// Options of the search.
    pub options: &'s JobOptions,
    /// The answer of the search.
    pub answer: &'s TaskAnswer,
    /// The positions and scores that the search has found.
    pub found: &'s SearchResult,
}

/// A pattern and a text in the form that a GPU receives: dense symbols below `alphabet`.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Copy)]
pub(super) struct SearchTexts<'t, T> {
    /// The pattern.
    pub(super) a: &'t [T],
    /// The searched text.
    pub(super) b: &'t [T],
    /// Exclusive upper bound of the symbols of both texts.
    pub(super) alphabet: u32,
}

/// The interface of the solver of a search for one text in another. In addition to [`SolvableTask`], returns hits,
/// their alignments, and scores.
pub trait SearchTask: SolvableTask {
    /// Returns the hits with the numbers `page`, which are counted from 0 in the order of the text. Numbers beyond the
    /// last hit are ignored. The cost grows with the number of requested hits, not with the text.
    ///
    /// # Errors
    /// Returns an error if the run is stopped or the texts are not those of the search.
    fn hits(&self, searched: &FinishedSearch, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt>;

    /// Returns an optimal alignment of `a` to the part of `b` that `hit` covers, with positions in the whole `b`
    /// and its gaps at the places `gaps`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped or the hit is not one of this pair.
    fn align(&self, pair: &Pair, hit: Hit, gaps: GapPlacement, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt>;

    /// Returns the number of offsets in `b` that have a score, or `None` if the search stored no scores.
    fn offsets(&self, searched: &FinishedSearch) -> Option<u64>;

    /// Returns the profile of `offsets` in `b`: their scores, summarized in at most `points` spans of neighbouring
    /// offsets. Offsets without a score are ignored. Depending on the task, the score is the distance at each end, the
    /// number of equal symbols at each start, or the number of occurrences that start there.
    ///
    /// # Errors
    /// Returns an error if `run` is stopped or the search stored no scores, and `TooLarge` if the computation would
    /// take too long.
    fn profile(&self, searched: &FinishedSearch, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<ScoreSpan>, Halt>;

    /// Returns a histogram: the element at index d is the number of offsets with the distance d. The last element
    /// belongs to the greatest distance.
    ///
    /// # Errors
    /// Returns the errors of [`profile`](Self::profile), and an error if the task has no distance at every offset.
    fn counts(&self, _searched: &FinishedSearch, _run: &Run) -> Result<Vec<u64>, Halt> {
        Err(JobFailure::engine("This task has no distance at every offset.").into())
    }
}

/// Returns the part of `b` that `hit` covers.
///
/// # Errors
/// Returns an error if the hit is not one of this pair.
pub(super) fn covered_part<T>(b: &[T], hit: Hit) -> Result<&[T], JobFailure> {
    b.get(hit.start as usize..hit.end as usize).ok_or_else(|| JobFailure::engine("The hit lies outside of the text."))
}

/// Returns the alignment of `a` to the part of `b` that `hit` covers, without insertions and deletions. `a` and this
/// part must be equally long. Symbols match by `symbol_match`.
///
/// # Errors
/// Returns an error if the hit is not one of this pair.
pub(super) fn side_by_side<T: Symbol>(a: &[T], b: &[T], symbol_match: SymbolMatch, hit: Hit) -> Result<Alignment, JobFailure> {
    let b = covered_part(b, hit)?;
    if a.len() != b.len() {
        return Err(JobFailure::engine("The hit is not as long as the pattern."));
    }
    let mut alignment = Alignment::default();
    let is_match = |x: T, y: T| symbol_match.matches(x.number(), y.number());
    a.iter().zip(b).for_each(|(x, y)| alignment.push(if is_match(*x, *y) { EditKind::Equal } else { EditKind::Substitute }, 1));
    Ok(alignment.starting_at(0, hit.start))
}
