//! The distances and greatest starts of the hits at given ends.
//!
//! From an end `e` on, the text is read backwards: the distance of the reversed pattern to the first `l` symbols of
//! `b[..e]` reversed is that of the pattern to `b[e − l..e]`. The least of these distances is the distance at `e`, and
//! the first `l` that attains it gives the greatest start. Eight ends share the SIMD lanes of the kernel. Beyond m + d
//! columns, no distance can be as small as d.

use std::ops::RangeInclusive;

use fearless_simd::{Level, Simd, dispatch, prelude::*, u64x8};

use super::MIN_CELLS_PER_THREAD;
use super::bands::{BandedHits, other_texts};
use super::masks::EncodedPattern;
use super::rows::{self, BlockState, LANES, LaneVector, RISING, WORD};
use crate::base_set::SymbolMatch;
use crate::cpu::Cpu;
use crate::cpu::try_spread;
use crate::found::Hit;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Minimum pattern length at which hits are computed in diagonal bands ([`BandedHits`]).
const MIN_BANDED_PATTERN: usize = 1 << 13;

/// Number of columns between two checks for a stop. It is a multiple of [`WORD`].
const CHECKED_COLUMNS: usize = 1 << 12;

/// A page of hits for which only the ends are known.
pub(crate) struct EndPage<'p, T> {
    /// The pattern.
    pub(crate) a: &'p [T],
    /// The text.
    pub(crate) b: &'p [T],
    /// Ends, ascending.
    pub(crate) ends: &'p [u64],
    /// The least and the greatest distance that the hits of this page may have.
    pub(crate) distances: RangeInclusive<u64>,
    /// The rule by which symbols match.
    pub(crate) symbol_match: SymbolMatch,
}

impl<T: Symbol> EndPage<'_, T> {
    /// Computes the hits of this page. Takes at most O(m (m + d) / 64) time per end, where d is the distance. For a
    /// long pattern of equal symbols it takes O(m d / 64), and less if neighbouring hits have the same start.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if `ends` are not the ends of hits.
    pub(crate) fn hits(&self, cpu: &Cpu, run: &Run) -> Result<Vec<Hit>, Halt> {
        if self.ends.last().is_some_and(|&end| end > self.b.len() as u64) {
            return Err(other_texts().into());
        }
        if self.a.len() >= MIN_BANDED_PATTERN && self.symbol_match.is_equality() {
            return BandedHits::new(self.a, self.b, &self.distances, run).hits(self.ends, cpu.threads);
        }
        let level = Level::new();
        let pattern = EncodedPattern::new(self.a.iter().rev().copied(), 0, self.symbol_match);
        let groups: Vec<&[u64]> = self.ends.chunks(LANES).collect();
        let cells = groups.len() as u64 * self.cells(self.longest());
        run.raise_expected(cells);
        let threads = cpu.threads.min((cells / MIN_CELLS_PER_THREAD) as usize);
        let hits = try_spread(&groups, threads, |ends| {
            let (hits, columns) = dispatch!(level, s => hits_at_ends(s, self, &pattern, ends, run))?;
            run.reduce_expected(self.cells(self.longest()) - self.cells(columns));
            run.tick(self.cells(columns))?;
            Ok::<_, Halt>(hits)
        })?;
        Ok(hits.concat())
    }

    /// Returns the maximum length of a hit, rounded up to whole words.
    fn longest(&self) -> usize {
        let m = self.a.len();
        (m + (*self.distances.end()).min(m as u64) as usize).next_multiple_of(WORD)
    }

    /// Returns the number of matrix cells in `columns` columns of all lanes.
    fn cells(&self, columns: usize) -> u64 {
        (LANES * columns) as u64 * self.a.len() as u64
    }
}

/// Computes the hits at `ends`, at most one per lane. Returns the hits, and the number of columns that were computed in
/// every lane.
///
/// # Errors
/// Returns an error if the run is stopped.
#[inline(always)]
fn hits_at_ends<S: Simd, T: Symbol>(
    s: S,
    page: &EndPage<T>,
    pattern: &EncodedPattern<T>,
    ends: &[u64],
    run: &Run,
) -> Result<(Vec<Hit>, usize), Halt> {
    let m = pattern.rows.len();
    let longest = page.longest();
    let backwards: [Vec<T>; LANES] = std::array::from_fn(|lane| match ends.get(lane) {
        Some(&end) => page.b[(end as usize).saturating_sub(longest)..end as usize].iter().rev().copied().collect(),
        None => Vec::new(),
    });
    let texts: [&[T]; LANES] = std::array::from_fn(|lane| backwards[lane].as_slice());
    let columns = texts.iter().map(|text| text.len()).max().unwrap_or_default();
    let mut masks = vec![LaneVector::default(); pattern.masks(1)];
    let mut sides = vec![RISING; m];
    let mut block = BlockState::new(1);
    let mut value = LaneVector::splat(m as u64);
    // The empty string is the first candidate. Lanes without an end search for nothing.
    let mut best: [(u64, u64); LANES] = std::array::from_fn(|lane| (if lane < ends.len() { m as u64 } else { 0 }, 0));
    let mut first = 0;
    while first < columns {
        if best.iter().all(|(least, _)| least <= page.distances.start() || first as u64 > m as u64 + least) {
            break;
        }
        pattern.fill::<S, 1>(s, &texts, &[first as isize; LANES], &mut masks);
        let mut row = [[u64x8::splat(s, !0), u64x8::splat(s, 0)]];
        rows::step::<S, 1>(s, &pattern.rows, &masks, &mut sides, &mut row);
        let right = block.put(&row, u64x8::from_slice(s, &value.0));
        for (lane, (least, length)) in best.iter_mut().enumerate() {
            let (mut value, hp, hn) = (value.0[lane], block.row[0][0].0[lane], block.row[0][1].0[lane]);
            if value >= *least + u64::from(hn.count_ones()) {
                continue;
            }
            for column in 0..WORD {
                value = value + (hp >> column & 1) - (hn >> column & 1);
                if value < *least {
                    (*least, *length) = (value, (first + column + 1) as u64);
                }
            }
        }
        right.store_slice(&mut value.0);
        first += WORD;
        if first.is_multiple_of(CHECKED_COLUMNS) {
            run.tick(0)?;
        }
    }
    let hits = ends.iter().zip(best).map(|(&end, (distance, length))| Hit::new(end - length, end, distance)).collect();
    Ok((hits, first))
}
