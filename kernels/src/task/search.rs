//! What only searches have: hits, their alignments, and scores at every offset, made of what a run has found.

use std::ops::Range;

use super::Solve;
use crate::alignment::{Alignment, Edit};
use crate::cpu::Cpu;
use crate::event::Answer;
use crate::failure::Failure;
use crate::found::{Found, Hit, Span};
use crate::job::Options;
use crate::run::{Halt, Run};
use crate::text::Pair;

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

/// A text and what is looked for in it, as a device is given them: dense symbols below `alphabet`.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Copy)]
pub(super) struct SearchTexts<'t, T> {
    /// What is looked for.
    pub(super) a: &'t [T],
    /// What it is looked for in.
    pub(super) b: &'t [T],
    /// Above all symbols of both.
    pub(super) alphabet: u32,
}

/// A task that looks for one text in the other.
pub trait Search: Solve {
    /// The hits with the numbers in `page` of what a run has found, cut to what there is. Cost grows with the hits asked for, not
    /// with the text.
    ///
    /// # Errors
    /// When the run is stopped, or the texts are not those of the search.
    fn hits(&self, searched: &Searched, page: Range<u64>, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt>;

    /// An optimal alignment of `a` to the part of `b` that a hit covers, which begins there.
    ///
    /// # Errors
    /// When the run is stopped, or the hit is not one of this pair.
    fn align(&self, pair: &Pair, hit: Hit, cpu: &Cpu, run: &Run) -> Result<Alignment, Halt>;

    /// Number of offsets that have a score; none for a run that kept none.
    fn offsets(&self, searched: &Searched) -> Option<u64>;

    /// The score at these offsets, cut to what there is, in `points` spans at most: the distance at each end, the number of equal
    /// symbols at each start, or 1 where an occurrence begins.
    ///
    /// # Errors
    /// When the run is stopped, or kept no scores; `TooLarge` when that takes too long.
    fn profile(&self, searched: &Searched, offsets: Range<u64>, points: usize, run: &Run) -> Result<Vec<Span>, Halt>;

    /// Number of offsets with each distance, from 0 to the greatest that occurs.
    ///
    /// # Errors
    /// As [`profile`](Self::profile); for a task without a distance at every offset.
    fn counts(&self, _searched: &Searched, _run: &Run) -> Result<Vec<u64>, Halt> {
        Err(Failure::engine("This task has no distance at every offset.").into())
    }
}

/// The part of `b` under a hit.
///
/// # Errors
/// When the hit is not one of this pair.
pub(super) fn under<T>(b: &[T], hit: Hit) -> Result<&[T], Failure> {
    b.get(hit.start as usize..hit.end as usize).ok_or_else(|| Failure::engine("The hit lies outside of the text."))
}

/// The alignment without insertions and deletions.
pub(super) fn side_by_side<T: PartialEq>(a: &[T], b: &[T], hit: Hit) -> Result<Alignment, Failure> {
    let b = under(b, hit)?;
    if a.len() != b.len() {
        return Err(Failure::engine("The hit is not as long as the pattern."));
    }
    let mut alignment = Alignment::default();
    a.iter().zip(b).for_each(|(x, y)| alignment.push(if x == y { Edit::Equal } else { Edit::Substitute }, 1));
    Ok(alignment.starting_at(hit.start))
}
