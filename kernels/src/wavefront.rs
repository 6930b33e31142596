//! The matrix of two texts as a wavefront of words: what recurrences share whose neighbours differ by −1, 0 or +1.
//!
//! A [`Rule`] solves the cells of one word and one column; here is everything around it: bit planes instead of tables of
//! equal symbols, words in SIMD lanes, bands, threads, and the way back in linear memory. Values are distances D with
//! `D[0, j] = j` and `D[i, 0] = i`, so that what lies outside of a band rises by one a cell.
//!
//! - [`planes`], [`tile`]: symbols as bit planes, and the SIMD kernel over them
//! - [`grid`], [`border`]: bands of tiles on all cores
//! - [`trace`]: the alignment
//! - [`widen`]: from narrow bands to wide ones
//! - [`ends`]: what both texts begin and end with

use fearless_simd::{Simd, u64x8};

use crate::alignment::Edit;

pub(crate) mod border;
pub(crate) mod ends;
pub(crate) mod grid;
mod limit;
mod planes;
pub(crate) mod tile;
mod trace;
mod widen;

pub(crate) use limit::seeds::letters;
pub(crate) use planes::{Planes, Symbol};
pub(crate) use trace::few::step;
pub(crate) use widen::{Known, Want};

/// What a way for near-equal texts comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempt<A> {
    /// The answer.
    Solved(A),
    /// The distance is too large for it to pay: about this, where it can tell.
    Far(Option<u64>),
}

/// Rows of a word, and columns of a word of a border.
pub(crate) const WORD: usize = 64;

/// Differences between 64 neighbours, a bit each: `[minus]` where a value rises by 1 unless it falls by 1, and `[plus, minus]`
/// where it may also stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Differences<const K: usize>(pub(crate) [u64; K]);

impl<const K: usize> Differences<K> {
    /// All +1: the left and the upper border of the matrix.
    pub(crate) const RISING: Self = {
        let mut bits = [0; K];
        if K == 2 {
            bits[0] = !0;
        }
        Self(bits)
    };

    /// The same up to `known`, and +1 from there on.
    fn rising_from(self, known: usize) -> Self {
        if known >= WORD {
            return self;
        }
        let keep = (1 << known) - 1;
        Self(std::array::from_fn(|side| self.0[side] & keep | Self::RISING.0[side] & !keep))
    }

    /// How many are −1.
    fn falls(self) -> u64 {
        self.0[K - 1].count_ones().into()
    }

    /// Their sum.
    fn rise(self) -> i64 {
        let ones = |side: usize| i64::from(self.0[side].count_ones());
        if K == 2 { ones(0) - ones(1) } else { WORD as i64 - 2 * ones(0) }
    }
}

/// Sum of the first `len` differences.
fn rise<const K: usize>(differences: &[Differences<K>], len: usize) -> i64 {
    let words = differences.iter().take(len.div_ceil(WORD)).enumerate();
    let rise: i64 = words.map(|(word, bits)| bits.rising_from(len - word * WORD).rise()).sum();
    rise - (len.next_multiple_of(WORD) - len) as i64
}

/// Cells of one column in the rows of a word, in every lane.
pub(crate) struct Cells<S: Simd, const K: usize> {
    /// Differences to the row above each.
    pub(crate) vertical: [u64x8<S>; K],
    /// Differences to the column before.
    pub(crate) horizontal: [u64x8<S>; K],
    /// What [`Rule::back`] asks for.
    pub(crate) seen: [u64x8<S>; K],
}

/// A recurrence on words, with `K` bits a difference.
pub(crate) trait Rule<const K: usize>: Sync {
    /// Symbols of the shorter text from which high tiles pay for a distance: the fewer operations a word takes, the longer it waits
    /// for its neighbours, and the more words it takes to fill the time.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "there is only one height"))]
    const HIGH_FROM: usize;

    /// Whether a symbol may be substituted by one edit.
    const SUBSTITUTES: bool;

    /// Solves a column of a word, given its equal symbols, the vertical differences of the column before, and the horizontal
    /// difference above in bit 0. Implemented as `#[inline(always)]`, so that every SIMD level compiles its own copy.
    fn solve<S: Simd>(equal: u64x8<S>, vertical: [u64x8<S>; K], above: [u64x8<S>; K]) -> Cells<S, K>;

    /// The last edit of an optimal path to a cell whose symbols differ, where this was seen. A step over equal symbols is always
    /// optimal.
    fn back(seen: [bool; K]) -> Edit;
}
