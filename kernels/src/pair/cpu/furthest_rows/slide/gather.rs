//! Slides over bytes with AVX-512. Gather instructions read the next four symbols of both texts for 16 diagonals at once
//! (WFA2-lib, `wavefront_extend_kernels_avx.c`). More than three equal symbols are rare. Each row with more goes on alone, 64
//! symbols at a time.

use std::arch::x86_64::{__m512i, _mm512_lzcnt_epi32, _mm512_mask_i32gather_epi32, _mm512_setzero_si512};

use fearless_simd::prelude::*;
use fearless_simd::{Avx512, i32x16, kernel, mask32x16, u32x16};

use super::super::{CHUNK, UNREACHED_ROW};
use crate::symbol::Symbol;
use crate::symbol::lanes::{LANES, LaneWindow as _};

/// Minimum number of diagonals at which gathers are faster than one diagonal after the other.
const MIN_WIDTH: usize = 12;

/// Number of symbols that a lane of a gather reads.
const GATHERED: usize = 4;

/// Returns the token and the texts for [`slide`] if this is the fastest way to move `width` rows of `texts` at the SIMD level of `s`.
#[inline(always)]
pub(super) fn suits<S: Simd, T: Symbol>(s: S, width: usize, [a, b]: [&[T]; 2]) -> Option<(Avx512, [&[u8]; 2])> {
    let s = s.level().as_avx512().filter(|_| width >= MIN_WIDTH && a.len().min(b.len()) >= GATHERED)?;
    Some((s, [T::as_bytes(a)?, T::as_bytes(b)?]))
}

/// Moves the rows of the diagonals from `low` on over the equal symbols that follow, or that precede if `BACKWARDS`. Then row 0 is
/// the end of the first text. Returns the greatest number of symbols of both texts together that are covered. `rows` are whole
/// chunks. Both texts have at least [`GATHERED`] symbols.
#[inline(always)]
pub(super) fn slide<const BACKWARDS: bool>(s: Avx512, [a, b]: [&[u8]; 2], low: i32, rows: &mut [i32]) -> usize {
    let lanes = i32x16::from_slice(s, &std::array::from_fn::<_, CHUNK, _>(|lane| lane as i32));
    let [m, n] = [a, b].map(|text| u32x16::splat(s, text.len() as u32));
    let [last_i, last_j] = [a, b].map(|text| u32x16::splat(s, (text.len() - GATHERED) as u32));
    let (mut covered, mut covered_alone) = (i32x16::splat(s, 0), 0);
    for (low, rows) in (low..).step_by(CHUNK).zip(rows.as_chunks_mut::<CHUNK>().0) {
        let (before, x) = (i32x16::from_slice(s, rows), lanes + i32x16::splat(s, low));
        let [row, column]: [u32x16<_>; 2] = [before.bitcast(), (before + x).bitcast()];
        // Negative numbers become greater than any text is long.
        let is_inside = row.simd_le(m) & column.simd_le(n);
        let [i, j] = if BACKWARDS { [last_i - row, last_j - column] } else { [row, column] };
        let is_gathered = i.simd_le(last_i) & j.simd_le(last_j);
        let differences = gather(s, a, i, is_gathered) ^ gather(s, b, j, is_gathered);
        let equal_bits = if BACKWARDS { leading_zeros(s, differences) } else { trailing_zeros(s, differences) };
        let differs = differences.simd_gt(u32x16::splat(s, 0));
        let equal: i32x16<_> = differs.select(equal_bits >> 3, u32x16::splat(s, 0)).bitcast();
        let after = is_inside.select(before + equal, i32x16::splat(s, UNREACHED_ROW));
        after.store_slice(rows);
        covered = is_inside.select(covered.max(after + after + x), covered);
        let mut alone = (is_inside & !differs).to_bitmask();
        while alone != 0 {
            let lane = alone.trailing_zeros() as usize;
            alone &= alone - 1;
            let (row, x) = (rows[lane] as usize, low + lane as i32);
            let column = (rows[lane] + x) as usize;
            let equal = if BACKWARDS {
                common_suffix(s, &a[..a.len() - row], &b[..b.len() - column])
            } else {
                common_prefix(s, &a[row..], &b[column..])
            };
            rows[lane] += equal as i32;
            covered_alone = covered_alone.max(2 * rows[lane] + x);
        }
    }
    let covered: [i32; CHUNK] = covered.into();
    covered.into_iter().fold(covered_alone, i32::max) as usize
}

kernel!(
    /// Reads [`GATHERED`] bytes of `text` from each of the positions `at` in a lane of `lanes`, and 0 in all other lanes. The
    /// first byte is the lowest one.
    #[inline]
    fn gather(s: Avx512, text: &[u8], at: u32x16<Avx512>, lanes: mask32x16<Avx512>) -> u32x16<Avx512> {
        let Some(last) = text.len().checked_sub(GATHERED) else { return u32x16::splat(s, 0) };
        // Positions above 31 bits would be negative offsets.
        let lanes = lanes & at.simd_le(u32x16::splat(s, last.min(i32::MAX as usize) as u32));
        // SAFETY: every lane that is read has a position of at most `text.len()` − 4.
        let read = unsafe { _mm512_mask_i32gather_epi32::<1>(_mm512_setzero_si512(), lanes.into(), at.into(), text.as_ptr().cast()) };
        u32x16::simd_from(s, read)
    }
);

kernel!(
    /// Returns the number of leading zero bits of each lane.
    #[inline]
    fn leading_zeros(s: Avx512, lanes: u32x16<Avx512>) -> u32x16<Avx512> {
        let lanes: __m512i = lanes.into();
        u32x16::simd_from(s, _mm512_lzcnt_epi32(lanes))
    }
);

/// Returns the number of trailing zero bits of each lane.
#[inline(always)]
fn trailing_zeros(s: Avx512, lanes: u32x16<Avx512>) -> u32x16<Avx512> {
    // The zeros below the lowest 1 become ones, all other bits become zeros.
    let below = !lanes & (lanes - u32x16::splat(s, 1));
    u32x16::splat(s, u32::BITS) - leading_zeros(s, below)
}

/// Returns the number of equal bytes at the start of `a` and `b`.
#[inline(always)]
fn common_prefix(s: Avx512, a: &[u8], b: &[u8]) -> usize {
    let ((a_blocks, _), (b_blocks, _)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut equal = 0;
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        let differ = u8::differ(s, x, y);
        if differ != 0 {
            return equal + differ.trailing_zeros() as usize;
        }
        equal += LANES;
    }
    equal + u8::common_prefix(&a[equal..], &b[equal..])
}

/// Returns the number of equal bytes at the end of `a` and `b`.
#[inline(always)]
fn common_suffix(s: Avx512, a: &[u8], b: &[u8]) -> usize {
    let ((_, a_blocks), (_, b_blocks)) = (a.as_rchunks::<LANES>(), b.as_rchunks::<LANES>());
    let mut equal = 0;
    for (x, y) in a_blocks.iter().rev().zip(b_blocks.iter().rev()) {
        let differ = u8::differ(s, x, y);
        if differ != 0 {
            return equal + differ.leading_zeros() as usize;
        }
        equal += LANES;
    }
    equal + u8::common_suffix(&a[..a.len() - equal], &b[..b.len() - equal])
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::super::{slide_backwards, slide_forwards};
    use super::*;
    use crate::oracle::{mutated, random};

    #[test]
    fn gathers_move_rows_as_far_as_single_slides() {
        // Other processors have no gathers of AVX-512 to be tested.
        let Some(s) = Level::new().as_avx512() else { return };
        let mut rng = fastrand::Rng::with_seed(7);
        for round in 0..3000 {
            let a = random(if round % 2 == 0 { b"ab" } else { b"ACGT" }, rng.usize(4..300), round);
            let mut b = mutated(&a, b"ACGT", 0.03, round);
            b.resize(b.len().max(GATHERED), b'A');
            let width = rng.usize(1..60);
            let low = -rng.i32(0..40);
            // Rows far outside of the texts, at both ends, and inside.
            let rows: Vec<i32> = (0..width.next_multiple_of(CHUNK))
                .map(|lane| match rng.u8(0..8) {
                    _ if lane >= width => UNREACHED_ROW,
                    0 => UNREACHED_ROW + rng.i32(0..3),
                    1 => rng.i32(-3..5),
                    2 => a.len() as i32 - rng.i32(-3..6),
                    3 => b.len() as i32 - low - lane as i32 - rng.i32(-3..6),
                    _ => rng.i32(0..=a.len() as i32),
                })
                .collect();
            let [mut expected, mut got] = [rows.clone(), rows.clone()];
            let covered = slide_forwards([&a[..], &b], low, &mut expected);
            assert_eq!((slide::<false>(s, [&a, &b], low, &mut got), &got), (covered, &expected), "{round}: {rows:?}");
            let [mut expected, mut got] = [rows.clone(), rows.clone()];
            let covered = slide_backwards([&a[..], &b], low, &mut expected);
            assert_eq!((slide::<true>(s, [&a, &b], low, &mut got), &got), (covered, &expected), "{round}: {rows:?}");
        }
    }
}
