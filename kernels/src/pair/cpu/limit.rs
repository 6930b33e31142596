//! Limit: narrows a diagonal band to a corridor of cells that can lie on an alignment within an upper bound.
//!
//! A cell (i, j) lies on an alignment of at most `most` edits only if D[i, j] plus a lower bound on the cost of the
//! rest is at most `most`. D is known along the top of a strip (a row of tiles) when that strip is swept. The lower
//! bound is computed before, for each strip and each range x of diagonals j − i, from seeds. A seed is a piece of `a`.
//! It is in the alignment on one of the diagonals on which it occurs in `b`, or it has an edit of its own. This is the
//! seed heuristic of A* (Ivanov et al. 2022, Groot Koerkamp and Ivanov 2024), with chains by strips and ranges. With w
//! diagonals per range, from the last strip to the first:
//!
//! ```text
//! rest[s, x] = min over y of  rest[s+1, y] + edits in strip s from x to y
//! edits ≥ max(seeds in s − those that occur at x ± NEAR_RANGES,  (|y − x| − 1) w + 1)        if the alignment stays in x ± NEAR_RANGES
//! edits ≥ max(NEAR_RANGES w + 1,  (|y − x| − 1) w + 1)                                       if it does not
//! ```
//!
//! A strip needs to begin only at the first column at which D + rest ≤ most. From the last such column j0, an alignment
//! reaches on the bottom of the strip only diagonals y with
//!
//! ```text
//! D[i0, j0] + (y − j0 + i0) + rest[s+1, y] ≤ most
//! ```
//!
//! j − D[i0, j] never falls with j, so that the right end of the word of j0 can replace j0. Cells left out are replaced
//! by differences of +1, which are real edit scripts that are no better. Therefore everything inside stays an upper
//! bound, and is exact wherever an alignment of at most `most` edits passes.
//!
//! The bound may also be assumed: a client is not interested in greater distances. If no column at the top of a strip
//! can lie on an alignment of at most `most` edits, no such alignment exists, and the sweep ends.
//!
//! - [`seeds`]: counts the occurrences of the seeds of `a` in `b`

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use fearless_simd::{Level, Simd, dispatch};

use super::border::{BorderState, StripBorder};
use super::{WORD, WordDifferences};
use crate::cpu;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use seeds::{SeedOccurrences, SeedSearch};

mod seeds;

/// Number of diagonal ranges by which an alignment may move to either side inside one strip without a higher lower
/// bound.
const NEAR_RANGES: usize = 5;

/// Maximum number of diagonal ranges, summed over all strips. Ranges become wider if there would be more.
const MAX_RANGES: usize = 1 << 20;

/// Number of strips between two checks for a stop.
const STRIP_CHECK_INTERVAL: usize = 64;

/// A cost above any upper bound, small enough that sums do not overflow.
const UNREACHABLE_COST: u32 = u32::MAX / 4;

/// Number of columns for which a strip waits at a time, while it searches for its first column in the border above.
const WAIT_COLUMNS: usize = 1024;

/// The diagonals of a band, divided into ranges of equal width.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DiagonalRanges {
    /// The lowest diagonal, a multiple of `width`.
    low: i64,
    /// Number of diagonals in a range, a power of two and a multiple of 64.
    width: usize,
    ranges: usize,
}

impl DiagonalRanges {
    /// Divides the diagonals from `low` to `high`, both inclusive, into ranges. Each of the `strips` strips has bounds
    /// for all ranges, so that more strips require wider ranges to keep within [`MAX_RANGES`].
    fn new(low: i64, high: i64, strips: usize) -> Self {
        let ranges = |width: usize| ((high - low) as usize / width + 2) * strips;
        let mut width = WORD;
        while ranges(width) > MAX_RANGES && width as i64 <= high - low {
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

    /// Returns the index of the range that contains `diagonal`. The diagonal must lie in one of the ranges.
    #[inline]
    fn range(&self, diagonal: i64) -> usize {
        (diagonal - self.low) as usize >> self.width.trailing_zeros()
    }

    fn first_of(&self, range: usize) -> i64 {
        self.low + (range * self.width) as i64
    }

    /// Returns the ranges from which an alignment stays on the diagonals from `low` to `high`, both inclusive, if it moves by
    /// [`NEAR_RANGES`] at most.
    fn inside(&self, (low, high): (i64, i64)) -> Range<usize> {
        let near = (NEAR_RANGES * self.width) as i64;
        let all = 0..self.ranges;
        let is_inside = |range: &usize| self.first_of(*range) - near >= low && self.first_of(*range + 1) - 1 + near <= high;
        let first = all.clone().find(is_inside).unwrap_or(0);
        first..all.rev().find(is_inside).map_or(first, |last| last + 1)
    }

    /// Returns the number of diagonals from each range to the diagonal `end`. Below the last strip, only as many
    /// insertions or deletions remain.
    fn distances_to(&self, end: i64) -> Vec<u32> {
        let distance = |range| {
            let first = self.first_of(range);
            let apart = (first - end).max(end - (first + self.width as i64 - 1)).max(0);
            u32::try_from(apart).unwrap_or(UNREACHABLE_COST).min(UNREACHABLE_COST)
        };
        (0..self.ranges).map(distance).collect()
    }
}

/// An upper bound on the cost of an alignment, and lower bounds on the cost of the rest of the alignment from the top
/// of every strip on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CostLimit {
    most: u64,
    /// Whether no alignment is known that costs at most `most`.
    pub(super) is_assumed: bool,
    diagonals: DiagonalRanges,
    /// Lower bounds on the cost of the rest of an alignment, from the top of each strip on, for each range of
    /// diagonals. One additional strip stands for the end of `a`.
    rest: Vec<Vec<u32>>,
}

/// The least costs of strips for alignments that stay on some diagonals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalCosts<'l> {
    /// The lowest and the highest of these diagonals, both inclusive.
    pub(crate) diagonals: (i64, i64),
    /// The least cost of each strip, from the first one. Other strips have no known least cost.
    pub(crate) least: &'l [u32],
}

/// Lower bounds on the cost of the rest of an alignment from cells above a strip, which may move to other diagonals first.
#[cfg(not(target_family = "wasm"))]
pub(crate) struct EdgeCosts<'l> {
    limit: &'l CostLimit,
    strip: usize,
    /// Lower bounds from a cell above `strip`, for each range of diagonals.
    rest: Vec<u32>,
}

#[cfg(not(target_family = "wasm"))]
impl EdgeCosts<'_> {
    /// Returns whether every alignment through a cell on `diagonals`, both inclusive, above `strip` costs at least `most`. The
    /// value of these cells is at least `value`. Takes O(ranges) time for the first call with a strip.
    pub(crate) fn exceeds(&mut self, strip: usize, diagonals: (i64, i64), value: i64, most: u64) -> bool {
        let CostLimit { diagonals: all, rest, .. } = self.limit;
        if self.strip != strip {
            self.strip = strip;
            let rest = &rest[strip.min(rest.len() - 1)];
            self.rest.clone_from(rest);
            for (low, high) in [(0, 1), (1, 0)] {
                let beside = &rest[high..rest.len() - low];
                self.rest[low..rest.len() - high].iter_mut().zip(beside).for_each(|(least, beside)| *least = (*least).min(*beside));
            }
            let width = u32::try_from(all.width).unwrap_or(UNREACHABLE_COST);
            let mut nearest = UNREACHABLE_COST;
            for least in &mut self.rest {
                nearest = nearest.saturating_add(width).min(*least);
                *least = nearest;
            }
            for least in self.rest.iter_mut().rev() {
                nearest = nearest.saturating_add(width).min(*least);
                *least = nearest;
            }
        }
        // No alignment of `most` edits leaves all ranges.
        let (low, high) = (diagonals.0.max(all.low), diagonals.1.min(all.end() - 1));
        let mut ranges = if low > high { 0..0 } else { all.range(low)..all.range(high) + 1 };
        ranges.all(|range| value + i64::from(self.rest[range]) >= most as i64)
    }
}

/// The parameters for computing a [`CostLimit`]: height of the strips, range of diagonals, and number of threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StripSize {
    /// Number of rows in a strip, a power of two.
    pub(crate) rows: usize,
    /// The lowest and the highest diagonal that an alignment within the upper bound can reach, both inclusive.
    pub(crate) band: (i64, i64),
    pub(crate) threads: usize,
}

impl CostLimit {
    /// Computes the lower bounds for alignments of `a` and `b` that cost at most `most`. Takes O(|a| + |b|) time, plus
    /// O(1) for each strip and range, of which there are at most 2²⁰. If the band covers most of the matrix, the first
    /// term grows by a factor of the number of threads.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn new<T: Symbol>(a: &[T], b: &[T], most: u64, size: StripSize, run: &Run) -> Result<Self, Halt> {
        Self::with_local_costs(a, b, most, size, LocalCosts { diagonals: (0, -1), least: &[] }, run)
    }

    /// Computes the lower bounds like `new`, and uses `local`, the least costs of some strips on some diagonals.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(crate) fn with_local_costs<T: Symbol>(
        a: &[T],
        b: &[T],
        most: u64,
        size: StripSize,
        local: LocalCosts,
        run: &Run,
    ) -> Result<Self, Halt> {
        let strips = a.len().div_ceil(size.rows);
        let diagonals = DiagonalRanges::new(size.band.0, size.band.1, strips);
        let search = SeedSearch::new(a, b, size.rows, &diagonals, (2 * NEAR_RANGES + 1) * diagonals.width);
        let found = cpu::try_spread(&search.parts(size.threads), size.threads, |part| {
            run.tick(0)?;
            Ok::<_, Halt>(search.count_occurrences(part))
        })?;
        let apart = diagonals.distances_to(b.len() as i64 - a.len() as i64);
        let level = Level::new();
        let mut chain = LimitBuffers::new(diagonals.ranges, diagonals.width);
        let inside = diagonals.inside(local.diagonals);
        let mut rest = vec![apart.clone()];
        let found: Vec<SeedOccurrences> = found.into_iter().flatten().collect();
        for (number, strip) in found.iter().enumerate().rev() {
            if rest.len().is_multiple_of(STRIP_CHECK_INTERVAL) {
                run.tick(0)?;
            }
            let below = &rest[rest.len() - 1];
            let least = (inside.clone(), local.least.get(number).copied().unwrap_or(0));
            rest.push(dispatch!(level, s => above(s, &mut chain, below, strip, least, &apart)));
        }
        rest.reverse();
        Ok(Self { most, is_assumed: false, diagonals, rest })
    }

    /// Returns whether the ranges of the diagonals from `low` to `high` are as narrow as possible for `strips` strips.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn has_fine_ranges((low, high): (i64, i64), strips: usize) -> bool {
        DiagonalRanges::new(low, high, strips).width == WORD
    }

    /// Returns a view of the lower bounds for cells between the strips, in ascending order of the strips.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn edges(&self) -> EdgeCosts<'_> {
        EdgeCosts { limit: self, strip: usize::MAX, rest: Vec::new() }
    }

    /// Computes weaker lower bounds than [`new`](Self::new) from the lengths `m` and `n` of both texts alone: the
    /// insertions and deletions that lead to the end of both. Takes O(1) time for each strip and range.
    pub(super) fn of_lengths(m: usize, n: usize, most: u64, size: StripSize) -> Self {
        let strips = m.div_ceil(size.rows);
        let diagonals = DiagonalRanges::new(size.band.0, size.band.1, strips);
        let apart = diagonals.distances_to(n as i64 - m as i64);
        Self { most, is_assumed: false, diagonals, rest: vec![apart; strips + 1] }
    }

    /// Marks the upper bound as assumed: no alignment is known that costs so little.
    pub(super) fn assumed(self) -> Self {
        Self { is_assumed: true, ..self }
    }

    /// Returns the memory of the lower bounds in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.rest.len() * self.diagonals.ranges * size_of::<u32>()) as u64
    }

    /// Returns a lower bound on the cost from `diagonal` at the top of `strip` to the end of both texts. Returns
    /// [`UNREACHABLE_COST`] if the diagonal is in no range.
    fn rest(&self, strip: usize, diagonal: i64) -> u64 {
        let inside = (self.diagonals.low..self.diagonals.end()).contains(&diagonal);
        if inside { self.rest[strip][self.diagonals.range(diagonal)].into() } else { UNREACHABLE_COST.into() }
    }
}

/// Buffers for the lower bounds at the top of one strip, reused from strip to strip.
struct LimitBuffers {
    width: u32,
    /// Lower bounds at the bottom of the strip by range of diagonals, padded with [`UNREACHABLE_COST`] on both sides.
    below: Vec<u32>,
    /// Number of seed occurrences in all ranges before each range of diagonals (prefix sums).
    before: Vec<u32>,
}

impl LimitBuffers {
    /// Number of ranges on either side that are examined one by one. Ranges farther away are combined to their minimum.
    const SIDE_RANGES: usize = NEAR_RANGES + 2;

    fn new(ranges: usize, width: usize) -> Self {
        Self {
            width: width.try_into().unwrap_or(UNREACHABLE_COST),
            below: vec![UNREACHABLE_COST; ranges + 2 * Self::SIDE_RANGES],
            before: vec![0; ranges + 1],
        }
    }

    /// Computes the lower bounds at the top of a strip, one for each range of diagonals. `below` holds the lower bounds
    /// at the bottom of the strip. `found` counts the occurrences of the strip's seeds. `least` holds ranges from which the
    /// strip costs at least a number. `apart` is the distance of each range from the diagonal on which both texts end. Inlined, so that every SIMD level compiles its own copy.
    #[inline(always)]
    fn above(&mut self, below: &[u32], found: &SeedOccurrences, least: (Range<usize>, u32), apart: &[u32]) -> Vec<u32> {
        let ranges = below.len();
        self.below[Self::SIDE_RANGES..Self::SIDE_RANGES + ranges].copy_from_slice(below);
        for (range, count) in found.counts.iter().enumerate() {
            self.before[range + 1] = self.before[range] + count;
        }
        // Minimum number of edits that move an alignment across `ranges` whole ranges.
        let moved = |ranges: usize| (ranges as u32).saturating_mul(self.width).min(UNREACHABLE_COST);
        let over = |away: usize| if away == 0 { 0 } else { moved(away - 1) + 1 };
        let mut seeds: Vec<u32> = (0..ranges)
            .map(|range| {
                let occur = self.before[(range + NEAR_RANGES + 1).min(ranges)] - self.before[range.saturating_sub(NEAR_RANGES)];
                found.seeds.saturating_sub(occur)
            })
            .collect();
        let (inside, least) = least;
        seeds[inside].iter_mut().for_each(|seeds| *seeds = (*seeds).max(least));
        let mut rest = vec![UNREACHABLE_COST; ranges];
        for place in 1..2 * Self::SIDE_RANGES {
            let away = place.abs_diff(Self::SIDE_RANGES);
            let (least, below) = (over(away), &self.below[place..place + ranges]);
            let far = least.max(over(NEAR_RANGES + 1));
            if away <= NEAR_RANGES {
                for ((rest, &below), &seeds) in rest.iter_mut().zip(below).zip(&seeds) {
                    *rest = (*rest).min(below + seeds.max(least).min(far));
                }
            } else {
                rest.iter_mut().zip(below).for_each(|(rest, &below)| *rest = (*rest).min(below + far));
            }
        }
        // Moving on to a range farther away costs `width` more edits for each range.
        let far = over(Self::SIDE_RANGES);
        let mut nearest = UNREACHABLE_COST;
        for range in Self::SIDE_RANGES..ranges {
            nearest = nearest.saturating_add(self.width).min(below[range - Self::SIDE_RANGES]);
            rest[range] = rest[range].min(nearest.saturating_add(far));
        }
        nearest = UNREACHABLE_COST;
        for range in (0..ranges.saturating_sub(Self::SIDE_RANGES)).rev() {
            nearest = nearest.saturating_add(self.width).min(below[range + Self::SIDE_RANGES]);
            rest[range] = rest[range].min(nearest.saturating_add(far));
        }
        rest.iter_mut().zip(apart).for_each(|(rest, &apart)| *rest = (*rest).max(apart).min(UNREACHABLE_COST));
        rest
    }
}

#[inline(always)]
fn above<S: Simd>(
    _: S,
    chain: &mut LimitBuffers,
    below: &[u32],
    found: &SeedOccurrences,
    least: (Range<usize>, u32),
    apart: &[u32],
) -> Vec<u32> {
    chain.above(below, found, least, apart)
}

/// The first column that a strip needs.
pub(super) enum FirstColumn {
    At(usize),
    /// No alignment has a cost within the upper bound, which was assumed.
    Nowhere,
}

/// The part of a strip that can lie on an alignment whose cost is at most the upper bound of `limit`.
pub(super) struct StripCorridor<'c> {
    pub(super) limit: &'c CostLimit,
    pub(super) strip: usize,
    pub(super) rows: &'c Range<usize>,
}

impl StripCorridor<'_> {
    /// Returns the first of `columns` that the strip needs, a multiple of 64, by the values in `above`, the bottom row
    /// of the strip above. Returns `None` if `given_up` is set, because another thread has ended the sweep.
    pub(super) fn first<const K: usize>(
        &self,
        above: &StripBorder<K>,
        columns: &Range<usize>,
        given_up: &AtomicBool,
    ) -> Option<FirstColumn> {
        let from = above.first(given_up)?.max(columns.start).min(columns.end / WORD * WORD);
        let mut at = from;
        while at < columns.end {
            let part = at..(at + WAIT_COLUMNS).min(columns.end);
            let state = above.wait(part.end, given_up)?;
            let found = above.words(&state, part.clone()).find(|&(column, left, word)| self.survives(column, left, word));
            if let Some((column, ..)) = found {
                return Some(FirstColumn::At(column));
            }
            at = part.end;
        }
        // No alignment has a cost within the upper bound. If the bound is not assumed, it is wrong, and no column may be
        // left out.
        Some(if self.limit.is_assumed { FirstColumn::Nowhere } else { FirstColumn::At(from) })
    }

    /// Returns the end (exclusive) of the `columns` that the strip needs, by the values in `above`, the bottom row of
    /// the strip above. All columns of `above` must be final, and `state` is its locked state.
    pub(super) fn end<const K: usize>(&self, above: &StripBorder<K>, state: &BorderState<K>, columns: Range<usize>) -> usize {
        let words = above.words(state, columns.clone()).filter(|&(column, left, word)| self.survives(column, left, word));
        let Some((column, left, word)) = words.last() else { return columns.end };
        let (last, value) = (self.diagonal(column + WORD), left.saturating_add_signed(word.rise()));
        let CostLimit { most, diagonals, .. } = self.limit;
        let reached = |range: &usize| {
            let diagonal = diagonals.first_of(*range);
            value + (diagonal - last).max(0) as u64 + self.limit.rest(self.strip + 1, diagonal) <= *most
        };
        let end = (0..diagonals.ranges).rfind(reached).map_or(last, |range| diagonals.first_of(range + 1)).max(last);
        let end = (self.rows.end as i64 + end).max((columns.start + WORD) as i64) as usize;
        end.next_multiple_of(WORD).min(columns.end)
    }

    /// Returns whether an alignment within the upper bound may cross the top of the strip in the 64 columns from
    /// `column` on. `left` is the value just left of these columns, and `word` holds their horizontal differences.
    fn survives<const K: usize>(&self, column: usize, left: u64, word: WordDifferences<K>) -> bool {
        left.saturating_sub(word.falls()) + self.limit.rest(self.strip, self.diagonal(column)) <= self.limit.most
    }

    /// Returns the diagonal of `column` at the top of the strip.
    fn diagonal(&self, column: usize) -> i64 {
        column as i64 - self.rows.start as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{mutated, random};
    use crate::run::NoObserver;

    fn limit(a: &[u8], b: &[u8], rows: usize, threads: usize) -> CostLimit {
        let k = a.len() as i64 / 2;
        CostLimit::new(a, b, k as u64, StripSize { rows, band: (-k, k), threads }, &Run::new(&NoObserver)).unwrap()
    }

    /// Computes the exact cost from every cell to the end of both texts, by rows and columns.
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

    /// Checks that no lower bound exceeds the exact cost, and that bounds are close to it for similar texts.
    #[test]
    fn lower_bound_of_the_remaining_cost_is_never_too_high() {
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
                        assert!(rest <= u64::from(cost) || rest == u64::from(UNREACHABLE_COST), "{rest} of {cost} at {i}, {j}");
                    }
                }
                let (rest, cost) = (limit.rest(0, 0) as f64, f64::from(costs[0][0]));
                assert!(rest >= share * cost, "{rest} of {cost}");
            }
        }
    }

    #[test]
    fn edge_costs_are_never_too_high() {
        let a = random(b"ACGT", 3000, 1);
        for b in [mutated(&a, b"ACGT", 0.1, 2), random(b"ACGT", 2900, 3)] {
            let costs = costs(&a, &b);
            let limit = limit(&a, &b, 512, 1);
            for row in [0usize, 300, 512, 1000, 1024, 2900, 3000] {
                let mut edges = limit.edges();
                for column in (0..b.len()).step_by(37) {
                    let (cost, diagonal) = (u64::from(costs[row][column]), column as i64 - row as i64);
                    if (limit.diagonals.low..limit.diagonals.end()).contains(&diagonal) {
                        assert!(!edges.exceeds(row.div_ceil(512), (diagonal, diagonal), 7, cost + 8), "{row}, {column}");
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_contain_their_diagonals() {
        for (low, high, strips) in [(-1000, 1000, 1), (-1, 3_000_000, 5000), (64, 64, 3)] {
            let diagonals = DiagonalRanges::new(low, high, strips);
            assert!(diagonals.ranges * strips <= MAX_RANGES && diagonals.low <= low && diagonals.end() > high, "{diagonals:?}");
            for diagonal in [low, high] {
                let first = diagonals.first_of(diagonals.range(diagonal));
                assert!((first..first + diagonals.width as i64).contains(&diagonal));
            }
        }
    }
}
