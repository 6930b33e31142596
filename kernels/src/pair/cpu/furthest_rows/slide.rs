//! Slides: moves the rows that edits reach over the equal symbols that follow.

use fearless_simd::Simd;

use super::{ReachedRows, UNREACHED_ROW};
use crate::symbol::Symbol;

#[cfg(target_arch = "x86_64")]
mod gather;

impl ReachedRows<'_> {
    /// Moves each row over the equal symbols that follow in `texts`. Returns the greatest number of symbols of both texts
    /// together that a path covers.
    #[inline(always)]
    pub(crate) fn slide_forwards<S: Simd, T: Symbol>(self, s: S, texts: [&[T]; 2]) -> usize {
        let Self { low, width, chunks } = self;
        #[cfg(target_arch = "x86_64")]
        if let Some((s, texts)) = gather::suits(s, width, texts) {
            return s.vectorize(
                #[inline(always)]
                || gather::slide::<false>(s, texts, low, chunks),
            );
        }
        // A function of its own, so that the loop has enough registers.
        s.vectorize(
            #[inline(always)]
            || slide_forwards(texts, low, &mut chunks[..width]),
        )
    }

    /// Moves rows of the reversed texts like [`Self::slide_forwards`]. Row 0 is the end of the first of `texts`, which are not
    /// reversed.
    #[inline(always)]
    pub(crate) fn slide_backwards<S: Simd, T: Symbol>(self, s: S, texts: [&[T]; 2]) -> usize {
        let Self { low, width, chunks } = self;
        #[cfg(target_arch = "x86_64")]
        if let Some((s, texts)) = gather::suits(s, width, texts) {
            return s.vectorize(
                #[inline(always)]
                || gather::slide::<true>(s, texts, low, chunks),
            );
        }
        s.vectorize(
            #[inline(always)]
            || slide_backwards(texts, low, &mut chunks[..width]),
        )
    }
}

/// Moves the rows of the diagonals from `low` on over the equal symbols that follow. Returns the greatest number of symbols of
/// both texts together that are covered.
#[inline(always)]
fn slide_forwards<T: Symbol>([a, b]: [&[T]; 2], low: i32, rows: &mut [i32]) -> usize {
    let mut covered = 0;
    for (x, row) in (low..).zip(rows) {
        // Negative numbers become greater than any text is long.
        let (i, j) = (*row as u32 as usize, (*row + x) as u32 as usize);
        *row += match T::equal_of_next(a, i, b, j) {
            Some(equal) => equal as i32,
            None if i <= a.len() && j <= b.len() => T::common_prefix(&a[i..], &b[j..]) as i32,
            None => {
                *row = UNREACHED_ROW;
                continue;
            }
        };
        covered = covered.max(2 * *row + x);
    }
    covered as usize
}

/// Moves the rows like [`slide_forwards`], from the ends of both texts.
#[inline(always)]
fn slide_backwards<T: Symbol>([a, b]: [&[T]; 2], low: i32, rows: &mut [i32]) -> usize {
    let (m, n) = (a.len() as i32, b.len() as i32);
    let mut covered = 0;
    for (x, row) in (low..).zip(rows) {
        // Rows and columns are at most `m` and `n`. Negative ones lead behind the end of a text.
        let (i, j) = (m.wrapping_sub(*row) as u32 as usize, n.wrapping_sub(*row + x) as u32 as usize);
        *row += match T::equal_of_last(a, i, b, j) {
            Some(equal) => equal as i32,
            None if i <= a.len() && j <= b.len() => T::common_suffix(&a[..i], &b[..j]) as i32,
            None => {
                *row = UNREACHED_ROW;
                continue;
            }
        };
        covered = covered.max(2 * *row + x);
    }
    covered as usize
}
