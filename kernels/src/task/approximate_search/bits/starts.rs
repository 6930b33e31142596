//! The hits at given ends: their distances and greatest starts.
//!
//! From an end `e` on the text is read backwards: the distance of the reversed pattern to the first `l` symbols of
//! `b[..e]` reversed is that of the pattern to `b[e − l..e]`. The least of them is the distance at `e`, and the first `l` that attains
//! it the greatest start. Eight ends share the lanes of the kernel. Beyond m + d columns no value can be as small as d.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u64x8};

use super::letter::{Letter, Pattern};
use super::long;
use super::rows::{self, Block, LANES, RISING, Vector, WORD};
use crate::found::Hit;
use crate::run::Halt;

/// Symbols of a pattern from which hits are made one by one, in a band.
const LONG: usize = 1 << 13;

/// The hits of `a` at some ends in `b`, whose distances are within `bound`. Time O(m (m + d) / 64) an end, d the distance; O(m d / 64) for a long pattern.
///
/// # Errors
/// None, since nobody can stop it.
pub(crate) fn hits<T: Letter>(a: &[T], b: &[T], ends: &[u64], bound: u64) -> Result<Vec<Hit>, Halt> {
    if a.len() >= LONG {
        return ends.iter().map(|&end| long::hit(a, b, end)).collect();
    }
    let level = Level::new();
    let pattern = Pattern::new(a.iter().rev().copied(), 0);
    let mut hits = Vec::with_capacity(ends.len());
    for ends in ends.chunks(LANES) {
        dispatch!(level, s => eight(s, &pattern, b, ends, bound, &mut hits));
    }
    Ok(hits)
}

#[inline(always)]
fn eight<S: Simd, T: Letter>(s: S, pattern: &Pattern<T>, b: &[T], ends: &[u64], bound: u64, hits: &mut Vec<Hit>) {
    let m = pattern.rows.len();
    let longest = m + bound.min(m as u64) as usize;
    let backwards: [Vec<T>; LANES] = std::array::from_fn(|lane| match ends.get(lane) {
        Some(&end) => b[(end as usize).saturating_sub(longest)..end as usize].iter().rev().copied().collect(),
        None => Vec::new(),
    });
    let texts: [&[T]; LANES] = std::array::from_fn(|lane| backwards[lane].as_slice());
    let columns = texts.iter().map(|text| text.len()).max().unwrap_or_default();
    let mut masks = vec![Vector::default(); pattern.masks(1)];
    let mut sides = vec![RISING; m];
    let mut block = Block::new(1);
    let mut value = Vector::splat(m as u64);
    // No symbol is the first candidate.
    let mut best = [(m as u64, 0); LANES];
    for first in (0..columns).step_by(WORD) {
        if best.iter().all(|&(least, _)| first as u64 > m as u64 + least) {
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
    }
    hits.extend(ends.iter().zip(best).map(|(&end, (distance, length))| Hit { start: end - length, end, distance }));
}
