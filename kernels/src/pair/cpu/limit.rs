//! What can lie on an alignment that costs no more than a bound: a corridor in the band.
//!
//! A cell (i, j) lies on an alignment of at most `most` edits only if D[i, j] and what the rest costs at least come to no more
//! than `most`. D is known along the top of a strip when it is swept. What the rest costs is found before, for each strip and each
//! range x of diagonals j − i, from seeds: pieces of `a`, each of which is in the alignment on one of the diagonals on which it
//! occurs in `b`, or has an edit of its own (the seed heuristic of A*, Ivanov et al. 2022, Groot Koerkamp and Ivanov 2024, here with
//! chains by strips and ranges). With w diagonals a range, from the last strip to the first:
//!
//! ```text
//! rest[s, x] = min over y of  rest[s+1, y] + edits in strip s from x to y
//! edits ≥ max(seeds in s − those that occur at x ± NEAR,  (|y − x| − 1) w + 1)        where the alignment stays in x ± NEAR
//! edits ≥ max(NEAR w + 1,  (|y − x| − 1) w + 1)                                       where it does not
//! ```
//!
//! A strip needs to begin only at the first column at which D + rest ≤ most. From the last such column j0 an alignment
//! reaches, on the bottom of the strip, only diagonals y with
//!
//! ```text
//! D[i0, j0] + (y − j0 + i0) + rest[s+1, y] ≤ most
//! ```
//!
//! j − D[i0, j] never falls with j, so that the right end of the word of j0 will do for j0. What is left out is replaced by
//! differences of +1, real edit scripts that are no better, so that everything inside stays an upper bound, and exact wherever
//! an alignment within the bound goes.
//!
//! - [`seeds`]: where seeds occur

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use fearless_simd::{Level, Simd, dispatch};

use super::border::{Border, State};
use super::{Differences, WORD};
use crate::cpu;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use seeds::{Occurrences, SeedSearch};

pub(crate) mod seeds;

/// Ranges of diagonals on either side in which an alignment may stay throughout a strip.
const NEAR: usize = 5;

/// Ranges of all strips together, above which they are wider.
const RANGES: usize = 1 << 20;

/// Strips between two looks whether to stop.
const LOOK: usize = 64;

/// More than any bound.
const NEVER: u32 = u32::MAX / 4;

/// Columns of the border above that a strip waits for at a time while it looks for its first one.
const WAITED: usize = 1024;

/// Diagonals of a band, in ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Diagonals {
    /// The first one, a multiple of `width`.
    low: i64,
    /// Diagonals of a range, a power of two and a multiple of 64.
    width: usize,
    ranges: usize,
}

impl Diagonals {
    /// All between these, for so many strips.
    fn new(low: i64, high: i64, strips: usize) -> Self {
        let ranges = |width: usize| ((high - low) as usize / width + 2) * strips;
        let mut width = WORD;
        while ranges(width) > RANGES && width as i64 <= high - low {
            width *= 2;
        }
        let low = low.div_euclid(width as i64) * width as i64;
        Self { low, width, ranges: (high - low) as usize / width + 1 }
    }

    fn len(&self) -> usize {
        self.ranges * self.width
    }

    fn end(&self) -> i64 {
        self.low + self.len() as i64
    }

    /// The range of a diagonal that is in one.
    #[inline]
    fn range(&self, diagonal: i64) -> usize {
        (diagonal - self.low) as usize >> self.width.trailing_zeros()
    }

    fn first_of(&self, range: usize) -> i64 {
        self.low + (range * self.width) as i64
    }
}

/// A bound of the whole, and what the rest costs at least from the top of every strip on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    most: u64,
    diagonals: Diagonals,
    /// `[strip][range]`, with one more strip for the end.
    rest: Vec<Vec<u32>>,
}

/// What a [`Limit`] is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct StripSize {
    /// Rows of a strip, a power of two.
    pub(super) rows: usize,
    /// The lowest and the highest diagonal that alignments within the bound reach.
    pub(super) band: (i64, i64),
    pub(super) threads: usize,
}

impl Limit {
    /// For strips of `a`. Time O(|a| + |b|), and O(1) a strip and range, of which there are 2²⁰ at most; or, where the band takes in
    /// most of the matrix, threads times that.
    ///
    /// # Errors
    /// When the run is stopped.
    pub(super) fn new<T: Symbol>(a: &[T], b: &[T], most: u64, size: StripSize, run: &Run) -> Result<Self, Halt> {
        let strips = a.len().div_ceil(size.rows);
        let diagonals = Diagonals::new(size.band.0, size.band.1, strips);
        let search = SeedSearch::new(a, b, size.rows, &diagonals, (2 * NEAR + 1) * diagonals.width);
        let found = cpu::try_spread(&search.parts(size.threads), size.threads, |part| {
            run.tick(0)?;
            Ok::<_, Halt>(search.of(part))
        })?;
        // At the end only insertions and deletions are left.
        let end = b.len() as i64 - a.len() as i64;
        let apart: Vec<u32> = (0..diagonals.ranges)
            .map(|range| {
                let first = diagonals.first_of(range);
                let apart = (first - end).max(end - (first + diagonals.width as i64 - 1)).max(0);
                u32::try_from(apart).unwrap_or(NEVER).min(NEVER)
            })
            .collect();
        let level = Level::new();
        let mut chain = Chain::new(diagonals.ranges, diagonals.width);
        let mut rest = vec![apart.clone()];
        for strip in found.iter().flatten().rev() {
            if rest.len().is_multiple_of(LOOK) {
                run.tick(0)?;
            }
            let below = &rest[rest.len() - 1];
            rest.push(dispatch!(level, s => above(s, &mut chain, below, strip, &apart)));
        }
        rest.reverse();
        Ok(Self { most, diagonals, rest })
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.rest.len() * self.diagonals.ranges * size_of::<u32>()) as u64
    }

    /// What the rest costs at least from a column of a row on which a strip begins, whose diagonal may be in no range.
    fn rest(&self, strip: usize, diagonal: i64) -> u64 {
        let inside = (self.diagonals.low..self.diagonals.end()).contains(&diagonal);
        if inside { self.rest[strip][self.diagonals.range(diagonal)].into() } else { NEVER.into() }
    }
}

/// Buffers for one strip after the other.
struct Chain {
    width: u32,
    /// What the rest costs below, and never as far as a far one reaches on both sides.
    below: Vec<u32>,
    /// How many seeds occur before each range.
    before: Vec<u32>,
}

impl Chain {
    /// Ranges on either side that are looked at.
    const SIDE: usize = NEAR + 2;

    fn new(ranges: usize, width: usize) -> Self {
        Self { width: width.try_into().unwrap_or(NEVER), below: vec![NEVER; ranges + 2 * Self::SIDE], before: vec![0; ranges + 1] }
    }

    /// From the top of a strip, given what it is from its bottom, and how far each range is apart from the end. Inlined, so that
    /// every SIMD level compiles its own copy.
    #[inline(always)]
    fn above(&mut self, below: &[u32], found: &Occurrences, apart: &[u32]) -> Vec<u32> {
        let ranges = below.len();
        self.below[Self::SIDE..Self::SIDE + ranges].copy_from_slice(below);
        for (range, count) in found.counts.iter().enumerate() {
            self.before[range + 1] = self.before[range] + count;
        }
        // At least so many edits over so many ranges.
        let moved = |ranges: usize| (ranges as u32).saturating_mul(self.width).min(NEVER);
        let over = |away: usize| if away == 0 { 0 } else { moved(away - 1) + 1 };
        let seeds: Vec<u32> = (0..ranges)
            .map(|range| {
                let occur = self.before[(range + NEAR + 1).min(ranges)] - self.before[range.saturating_sub(NEAR)];
                found.seeds.saturating_sub(occur)
            })
            .collect();
        let mut rest = vec![NEVER; ranges];
        for place in 1..2 * Self::SIDE {
            let away = place.abs_diff(Self::SIDE);
            let (least, below) = (over(away), &self.below[place..place + ranges]);
            let far = least.max(over(NEAR + 1));
            if away <= NEAR {
                for ((rest, &below), &seeds) in rest.iter_mut().zip(below).zip(&seeds) {
                    *rest = (*rest).min(below + seeds.max(least).min(far));
                }
            } else {
                rest.iter_mut().zip(below).for_each(|(rest, &below)| *rest = (*rest).min(below + far));
            }
        }
        // Farther away, at `width` a range.
        let far = over(Self::SIDE);
        let mut nearest = NEVER;
        for range in Self::SIDE..ranges {
            nearest = nearest.saturating_add(self.width).min(below[range - Self::SIDE]);
            rest[range] = rest[range].min(nearest.saturating_add(far));
        }
        nearest = NEVER;
        for range in (0..ranges.saturating_sub(Self::SIDE)).rev() {
            nearest = nearest.saturating_add(self.width).min(below[range + Self::SIDE]);
            rest[range] = rest[range].min(nearest.saturating_add(far));
        }
        rest.iter_mut().zip(apart).for_each(|(rest, &apart)| *rest = (*rest).max(apart).min(NEVER));
        rest
    }
}

#[inline(always)]
fn above<S: Simd>(_: S, chain: &mut Chain, below: &[u32], found: &Occurrences, apart: &[u32]) -> Vec<u32> {
    chain.above(below, found, apart)
}

/// One strip in a limit.
pub(super) struct Corridor<'c> {
    pub(super) limit: &'c Limit,
    pub(super) strip: usize,
    pub(super) rows: &'c Range<usize>,
}

impl Corridor<'_> {
    /// First column that the strip needs, a multiple of 64; `None` when the sweep was given up.
    pub(super) fn first<const K: usize>(&self, above: &Border<K>, columns: &Range<usize>, given_up: &AtomicBool) -> Option<usize> {
        let from = above.first(given_up)?.max(columns.start).min(columns.end / WORD * WORD);
        let mut at = from;
        while at < columns.end {
            let part = at..(at + WAITED).min(columns.end);
            let state = above.wait(part.end, given_up)?;
            let found = above.words(&state, part.clone()).find(|&(column, left, word)| self.survives(column, left, word));
            if let Some((column, ..)) = found {
                return Some(column);
            }
            at = part.end;
        }
        // No alignment is within the bound: then the bound was none, and nothing may be left out.
        Some(from)
    }

    /// End of the columns that the strip needs, when what lies above is complete.
    pub(super) fn end<const K: usize>(&self, above: &Border<K>, state: &State<K>, columns: Range<usize>) -> usize {
        let words = above.words(state, columns.clone()).filter(|&(column, left, word)| self.survives(column, left, word));
        let Some((column, left, word)) = words.last() else { return columns.end };
        let (last, value) = (self.diagonal(column + WORD), left.saturating_add_signed(word.rise()));
        let Limit { most, diagonals, .. } = self.limit;
        let reached = |range: &usize| {
            let diagonal = diagonals.first_of(*range);
            value + (diagonal - last).max(0) as u64 + self.limit.rest(self.strip + 1, diagonal) <= *most
        };
        let end = (0..diagonals.ranges).rfind(reached).map_or(last, |range| diagonals.first_of(range + 1)).max(last);
        let end = (self.rows.end as i64 + end).max((columns.start + WORD) as i64) as usize;
        end.next_multiple_of(WORD).min(columns.end)
    }

    /// Whether an alignment within the bound may cross the top of the strip in these 64 columns.
    fn survives<const K: usize>(&self, column: usize, left: u64, word: Differences<K>) -> bool {
        left.saturating_sub(word.falls()) + self.limit.rest(self.strip, self.diagonal(column)) <= self.limit.most
    }

    /// Of a column on the top of the strip.
    fn diagonal(&self, column: usize) -> i64 {
        column as i64 - self.rows.start as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};
    use crate::run::NoObserver;

    fn limit(a: &[u8], b: &[u8], rows: usize, threads: usize) -> Limit {
        let k = a.len() as i64 / 2;
        Limit::new(a, b, k as u64, StripSize { rows, band: (-k, k), threads }, &Run::new(&NoObserver)).unwrap()
    }

    /// The least of what the rest costs, by rows and columns.
    fn costs(a: &[u8], b: &[u8]) -> Vec<Vec<u32>> {
        let mut below: Vec<u32> = (0..=b.len() as u32).rev().collect();
        let mut all = vec![below.clone()];
        for &x in a.iter().rev() {
            let mut row = vec![below[b.len()] + 1; b.len() + 1];
            for j in (0..b.len()).rev() {
                row[j] = (below[j + 1] + u32::from(x != b[j])).min(below[j] + 1).min(row[j + 1] + 1);
            }
            below.clone_from(&row);
            all.push(row);
        }
        all.reverse();
        all
    }

    /// At no cell more than it costs, and little less where texts are alike.
    #[test]
    fn the_rest_costs_no_less() {
        let a = random(b"ACGT", 4000, 1);
        let moved = [&a[1000..2000], &a[..1000], &a[2000..]].concat();
        let repeats: Vec<u8> = b"ACGTTGCAAC".iter().copied().cycle().take(4000).collect();
        let letters = random(b"abcdefghijklmnopqrstuvwxyz", 4000, 5);
        for (a, b, share) in [
            (&a, mutated(&a, b"ACGT", 0.05, 2), 0.7),
            (&a, mutated(&a, b"ACGT", 0.2, 3), 0.2),
            (&a, random(b"ACGT", 3900, 4), 0.0),
            (&a, moved, 0.0),
            (&repeats, mutated(&repeats, b"ACGT", 0.05, 6), 0.0),
            (&letters, mutated(&letters, b"abcdefghijklmnopqrstuvwxyz", 0.1, 7), 0.6),
        ] {
            let costs = costs(a, &b);
            for (rows, threads) in [(512, 1), (1024, 3)] {
                let limit = limit(a, &b, rows, threads);
                for (strip, i) in (0..a.len()).step_by(rows).chain([a.len()]).enumerate() {
                    for (j, &cost) in costs[i].iter().enumerate() {
                        let rest = limit.rest(strip, j as i64 - i as i64);
                        assert!(rest <= u64::from(cost) || rest == u64::from(NEVER), "{rest} of {cost} at {i}, {j}");
                    }
                }
                let (rest, cost) = (limit.rest(0, 0) as f64, f64::from(costs[0][0]));
                assert!(rest >= share * cost, "{rest} of {cost}");
            }
        }
    }

    #[test]
    fn ranges_hold_their_diagonals() {
        for (low, high, strips) in [(-1000, 1000, 1), (-1, 3_000_000, 5000), (64, 64, 3)] {
            let diagonals = Diagonals::new(low, high, strips);
            assert!(diagonals.ranges * strips <= RANGES && diagonals.low <= low && diagonals.end() > high, "{diagonals:?}");
            for diagonal in [low, high] {
                let first = diagonals.first_of(diagonals.range(diagonal));
                assert!((first..first + diagonals.width as i64).contains(&diagonal));
            }
        }
    }
}
