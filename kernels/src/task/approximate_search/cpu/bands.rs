//! The hits of a long pattern at given ends: sweeps in a diagonal band around the diagonal of the end, as wide as the
//! known bounds of the distances require.
//!
//! ```text
//! start(e)  = the greatest start of a substring that ends at e and has the distance there
//! e ≤ e'    ⇒ start(e) ≤ start(e')     two paths that crossed could change places behind the crossing, and both stay the best
//! start = start(e) = start(e')         ⇒ the start of all ends between; their distances are those of the pattern to the prefixes
//!                                        of b[start..], which one sweep gives
//! |D(e) − D(e')| ≤ |e − e'|            limits the band of a neighbouring end
//! ```
//!
//! Therefore the first and the last of neighbouring ends are solved, then the middle one, and so on while starts
//! differ.

use std::ops::RangeInclusive;

use crate::cpu::try_spread;
use crate::failure::JobFailure;
use crate::found::Hit;
use crate::pair::cpu::band::Band;
use crate::pair::cpu::border::StripBorder;
use crate::pair::cpu::grid::StripGrid;
use crate::pair::cpu::recurrence::unit_cost::MyersRecurrence;
use crate::pair::cpu::sweep::KeptBorders;
use crate::pair::cpu::tiling::Tiling;
use crate::pair::cpu::{PairOutput, WORD};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Minimum number of edits that the first diagonal band allows, if the distance has no better bound.
const FIRST_BAND: u64 = 512;
/// Factor by which the next band allows more edits, if the distance exceeds the edits of the last band.
const GROWTH: u64 = 4;

/// Minimum number of ends that one thread solves, if there are enough ends.
const MIN_ENDS_PER_THREAD: usize = 8;

/// The search for the distances and starts of hits in a pair of pattern and text, given the ends of the hits.
pub(super) struct BandedHits<'p, T> {
    a: &'p [T],
    b: &'p [T],
    /// The reversed pattern.
    backwards: Vec<T>,
    /// The least and the greatest distance that hits may have.
    distances: RangeInclusive<u64>,
    run: &'p Run<'p>,
}

impl<'p, T: Symbol> BandedHits<'p, T> {
    /// Prepares the search for hits of `a` in `b` whose distances lie in `distances`. Each thread takes O(m + d) memory
    /// while it solves, where d is the greatest distance.
    pub(super) fn new(a: &'p [T], b: &'p [T], distances: &RangeInclusive<u64>, run: &'p Run<'p>) -> Self {
        let m = a.len() as u64;
        let distances = (*distances.start()).min(m)..=(*distances.end()).min(m);
        Self { a, b, backwards: a.iter().rev().copied().collect(), distances, run }
    }

    /// Returns the hits at `ends`, which must ascend, on at most `threads` threads. Takes O(m d / 64) time for each
    /// distinct start of a hit.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if `ends` are not the ends of hits.
    pub(super) fn hits(&self, ends: &[u64], threads: usize) -> Result<Vec<Hit>, Halt> {
        // Ends farther apart have different starts, because the length of a hit differs from the pattern length by at
        // most the distance.
        let near = 2 * self.distances.end();
        let most = ends.len().div_ceil(threads.max(1)).max(MIN_ENDS_PER_THREAD);
        let groups: Vec<&[u64]> = ends.chunk_by(|one, next| next - one <= near).flat_map(|group| group.chunks(most)).collect();
        let workers = threads.min(groups.len()).max(1);
        Ok(try_spread(&groups, workers, |ends| self.group(ends, threads / workers))?.concat())
    }

    /// Computes the hits at `ends`, which are near each other, so that many may have the same start.
    fn group(&self, ends: &[u64], threads: usize) -> Result<Vec<Hit>, Halt> {
        let Some((&first, rest)) = ends.split_first() else { return Ok(Vec::new()) };
        let low = self.first(first, threads)?;
        let mut hits = vec![low];
        if let Some((&last, between)) = rest.split_last() {
            let high = self.hit_at(last, low.distance + last - first, threads)?;
            self.between([low, high], between, threads, &mut hits)?;
            hits.push(high);
        }
        Ok(hits)
    }

    /// Appends the hits at `ends`, all of which lie between the ends of the hits `low` and `high`.
    fn between(&self, [low, high]: [Hit; 2], ends: &[u64], threads: usize, hits: &mut Vec<Hit>) -> Result<(), Halt> {
        if ends.is_empty() {
            return Ok(());
        }
        let most = |end: u64| (low.distance + end - low.end).min(high.distance + high.end - end);
        if low.start == high.start {
            let most = ends.iter().map(|&end| most(end)).max().unwrap_or_default();
            return self.push_hits_from(low.start, ends, most, threads, hits);
        }
        let middle = ends.len() / 2;
        let hit = self.hit_at(ends[middle], most(ends[middle]), threads)?;
        self.between([low, hit], &ends[..middle], threads, hits)?;
        hits.push(hit);
        self.between([hit, high], &ends[middle + 1..], threads, hits)
    }

    /// Computes the hit at `end` if no hit near it is known, by bands that allow more and more edits.
    fn first(&self, end: u64, threads: usize) -> Result<Hit, Halt> {
        let (least, most) = (*self.distances.start(), *self.distances.end());
        let mut within = FIRST_BAND.max(least).min(most);
        loop {
            if let Some(hit) = self.start(end, within, threads)? {
                return Ok(hit);
            }
            if within >= most {
                return Err(other_texts().into());
            }
            within = (GROWTH * within).min(most);
        }
    }

    /// Computes the hit at `end`, whose distance is known to be at most `most`.
    fn hit_at(&self, end: u64, most: u64, threads: usize) -> Result<Hit, Halt> {
        self.start(end, most.min(*self.distances.end()), threads)?.ok_or_else(|| other_texts().into())
    }

    /// Computes the hit at `end`. Returns `None` if its distance is more than `k`.
    fn start(&self, end: u64, k: u64, threads: usize) -> Result<Option<Hit>, Halt> {
        let (m, end) = (self.a.len() as u64, end as usize);
        let text: Vec<T> = self.b[end.saturating_sub((m + k) as usize)..end].iter().rev().copied().collect();
        // The empty string is the shortest substring. The others follow in the order of their lengths.
        let mut best = (m, 0);
        let mut known = self.prefixes(&self.backwards, &text, k, threads)?;
        known.reverse();
        for (length, distance) in known {
            if distance < best.0 {
                best = (distance, length);
            }
        }
        let (distance, length) = best;
        Ok((distance <= k).then(|| Hit::new(end as u64 - length, end as u64, distance)))
    }

    /// Appends the hits at `ends`, which all begin at `start` and have a distance of at most `most`.
    fn push_hits_from(&self, start: u64, ends: &[u64], most: u64, threads: usize, hits: &mut Vec<Hit>) -> Result<(), Halt> {
        let (least, bound) = (*self.distances.start(), *self.distances.end());
        if least == bound {
            hits.extend(ends.iter().map(|&end| Hit::new(start, end, least)));
            return Ok(());
        }
        let Some(&last) = ends.last() else { return Ok(()) };
        let mut known = self.prefixes(self.a, &self.b[start as usize..last as usize], most.min(bound), threads)?;
        known.reverse();
        let mut known = known.into_iter();
        for &end in ends {
            let (_, distance) = known.find(|(length, _)| start + length == end).ok_or_else(other_texts)?;
            hits.push(Hit::new(start, end, distance));
        }
        Ok(())
    }

    /// Computes the distances of prefixes of `text` to `pattern`. An element is the length of a prefix and its
    /// distance; lengths descend. Distances up to `k` are exact. Prefixes that are not listed have greater distances.
    fn prefixes(&self, pattern: &[T], text: &[T], k: u64, threads: usize) -> Result<Vec<(u64, u64)>, Halt> {
        let (m, n) = (pattern.len(), text.len());
        if n == 0 || (n as u64 + k) < m as u64 {
            return Ok(Vec::new());
        }
        let grid = StripGrid::<T, MyersRecurrence, 2>::new(
            text,
            pattern,
            Tiling::fitting::<MyersRecurrence, 2>(m.min(n), PairOutput::Distance, None),
            threads,
        );
        self.run.hold(grid.bytes());
        let sweep = grid.sweep(0..grid.strips(), StripBorder::top(), Band::from_corner(k), m, KeptBorders::Right, self.run)?;
        self.run.release(grid.bytes());
        // Reads the last column from the bottom up, as far as the band reaches it.
        let words: Vec<[u64; 2]> = sweep.right().flatten().map(|word| word.0).collect();
        let first = grid.strips() * grid.height.rows() - words.len() * WORD;
        let mut value = sweep.corner;
        let rows = (first..n).rev().map(|row| {
            let known = (row as u64 + 1, value);
            let [p, n] = words[(row - first) / WORD];
            let bit = (row - first) % WORD;
            value = value + (n >> bit & 1) - (p >> bit & 1);
            known
        });
        Ok(rows.collect())
    }
}

/// Creates the error for a page of hits that does not belong to a search in this text.
pub(super) fn other_texts() -> JobFailure {
    JobFailure::engine("The hits are those of another text.")
}
