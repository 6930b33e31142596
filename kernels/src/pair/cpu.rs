//! The matrix of two texts as a wavefront of words: what recurrences share whose neighbours differ by −1, 0 or +1.
//!
//! A [`Recurrence`] solves the cells of one word and one column; here is everything around it: bit planes instead of tables of
//! equal symbols, words in SIMD lanes, bands, threads, and the way back in linear memory. Values are distances D with
//! `D[0, j] = j` and `D[i, 0] = i`, so that what lies outside of a band rises by one a cell.
//!
//! - [`recurrence`]: what one cell is made of
//! - [`planes`], [`tile`]: symbols as bit planes, and the SIMD kernel over them; [`tiling`]: which tiles suit which texts
//! - [`grid`], [`band`]: the matrix as strips of tiles, and which part of it is computed; [`limit`]: less of it, by a bound
//! - [`sweep`], [`border`]: the strips on all cores
//! - [`trace`]: the alignment
//! - [`widen`]: from narrow bands to wide ones
//! - [`affix`]: what both texts begin and end with; [`furthest_rows`]: few edits, whatever the lengths

pub(crate) mod affix;
pub(crate) mod band;
pub(crate) mod border;
pub(crate) mod furthest_rows;
pub(crate) mod grid;
mod limit;
mod planes;
pub(crate) mod recurrence;
pub(crate) mod sweep;
mod tile;
pub(crate) mod tiling;
mod trace;
mod widen;

pub(crate) use limit::seeds::letters;
pub(crate) use planes::Planes;
use recurrence::Recurrence;
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
