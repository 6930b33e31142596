//! Bit lanes: the scores of one text with many members at a time. Each bit of a vector belongs to one pair.
//!
//! Rows are the symbols of the members, columns those of the text. Neighbouring cells of the matrices differ by −1, 0
//! or 1, so that a difference takes one or two bits (Myers 1999, section 3.1, whose words hold many rows of one pair
//! instead). Logical operations on vectors compute one cell of every pair. There is no carry and no shift, and members
//! may have any lengths:
//!
//! ```text
//! for each strip of rows:
//!   v[row] = differences down the left edge
//!   for each column: h = border[column]
//!     for each row: v[row], h = next(mask[text[column]][row], v[row], h)
//!     border[column] = h
//!   sums += v[row] for each row of the member of a lane
//! ```
//!
//! The score of a lane is a sum of the differences along a path to its last cell: the top row, then the right edges of
//! all strips. The sums are binary numbers, again with a bit of each lane in a vector.
//!
//! Within `limit` edits only the columns near the diagonal are computed (Ukkonen 1985). Differences of 1 stand for
//! cells left and right of the computed ones, so that every value is the cost of some edits.
//!
//! - [`group`]: the members in the lanes, and the masks of their symbols
//! - [`rule`]: the recurrences of a cell
//! - [`sums`]: sums of bits in each lane

use std::marker::PhantomData;
use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, prelude::*};

pub(super) use rule::{EditRule, ExchangeRule, LcsRule};

use super::words::AlignedWords;
use super::{LaneEngine, MAX_GROUP_BYTES};
use crate::symbol::Symbol;
use group::{LaneGroup, MaskStrip};
use rule::LaneRule;
use sums::LaneSums;

mod group;
mod rule;
mod sums;

/// Number of bits of a machine word, each of which is a lane.
const WORD: usize = u64::BITS as usize;

/// Maximum length of a text. The differences along its border take 256 bytes a symbol at most.
const MAX_TEXT: usize = 1 << 16;

/// Minimum number of members of a group up to which one pair at a time is faster.
const MIN_LANES: usize = 16;

/// Maximum length of the members of a group that needs only [`MIN_LANES`]. Pairs of longer members fill vectors, too.
const MAX_SHORT: usize = 256;

/// Share of the lanes that groups of longer members need to fill.
const MIN_FILL_DIVISOR: usize = 6;

/// Lengths of members above which a group in a browser needs more lanes, with the number of lanes in quarters of all. A browser
/// has short vectors, which one pair of long members fills (kernels/benches/results/collections.md).
const BROWSER_FILL_QUARTERS: [(usize, usize); 2] = [(1500, 3), (750, 2)];

/// Returns the number of words of a vector of the widest instructions of this processor.
fn vector_words() -> usize {
    dispatch!(Level::new(), s => words_of(s))
}

#[inline(always)]
fn words_of<S: Simd>(_: S) -> usize {
    S::u64s::LEN
}

/// Returns the number of rows of a strip, for vectors of `words` words and differences of `parts` vectors. The differences of all
/// rows fit the registers.
const fn strip_height(words: usize, parts: usize) -> usize {
    let most = if words == 8 { 8 } else { 4 };
    if parts > 2 { most / 2 } else { most }
}

/// Returns the number of lanes of a vector, which is the maximum number of members of a group.
pub(in crate::collection) fn lanes() -> usize {
    vector_words() * WORD
}

/// The engine of scores by the rule `R`.
pub(super) struct BitLanes<R, const K: usize> {
    level: Level,
    alphabet: u32,
    /// The greatest edit distance of interest.
    limit: Option<usize>,
    rule: PhantomData<R>,
}

impl<R: LaneRule<K>, const K: usize> BitLanes<R, K> {
    /// Creates the engine for symbols below `alphabet`. Edit distances above `limit` may be any number above `limit`.
    pub(super) fn new(alphabet: u32, limit: Option<usize>) -> Self {
        Self { level: Level::new(), alphabet, limit, rule: PhantomData }
    }
}

/// Buffers that a thread reuses for every text.
#[derive(Default)]
pub(super) struct LaneScratch {
    text: Vec<u32>,
    border: AlignedWords<u64>,
    sums: Vec<u8>,
}

impl<T: Symbol, R: LaneRule<K>, const K: usize> LaneEngine<T> for BitLanes<R, K> {
    type Group = LaneGroup;
    type Scratch = LaneScratch;

    const MIN_MIRRORED: usize = 64;

    fn lanes(&self) -> usize {
        lanes()
    }

    fn min_lanes(&self, longest: usize) -> usize {
        let quarters = BROWSER_FILL_QUARTERS.into_iter().find(|(above, _)| cfg!(target_family = "wasm") && longest > *above);
        match quarters {
            Some((_, quarters)) => lanes() * quarters / 4,
            None if longest <= MAX_SHORT => MIN_LANES,
            None => lanes() / MIN_FILL_DIVISOR,
        }
    }

    fn takes_member(&self, member: &[T]) -> bool {
        LaneGroup::max_bytes(member.len(), self.alphabet, strip_height(vector_words(), K)) <= MAX_GROUP_BYTES
    }

    fn max_bytes(&self, longest: usize) -> usize {
        LaneGroup::max_bytes(longest, self.alphabet, strip_height(vector_words(), K))
    }

    fn takes_text(&self, text: &[T]) -> bool {
        text.len() <= MAX_TEXT
    }

    fn group(&self, members: &[(usize, &[T])]) -> LaneGroup {
        LaneGroup::new(members, self.alphabet, strip_height(vector_words(), K))
    }

    /// Takes O(rows · |text|) vector operations for the number of rows of the longest member, or O(rows · limit).
    fn score(&self, group: &LaneGroup, text: &[T], scratch: &mut LaneScratch, scores: &mut [i32]) {
        if let Some(limit) = self.limit
            && group.least_difference(text.len()) > limit
        {
            group.write_differences(text.len(), scores);
            return;
        }
        scratch.text.clear();
        scratch.text.extend(text.iter().map(|symbol| symbol.number()));
        dispatch!(self.level, s => match strip_height(words_of(s), K) {
            8 => score_strips::<_, R, K, 8>(s, group, self.limit, scratch, scores),
            4 => score_strips::<_, R, K, 4>(s, group, self.limit, scratch, scores),
            _ => score_strips::<_, R, K, 2>(s, group, self.limit, scratch, scores),
        });
    }
}

/// Returns the columns of the rows `top + 1 ..= top + height` that a path of `limit` edits can touch.
fn columns_within(limit: Option<usize>, top: usize, height: usize, text: usize) -> Range<usize> {
    let Some(limit) = limit else { return 0..text };
    let end = text.min(top.saturating_add(height).saturating_add(limit));
    top.saturating_sub(limit).min(end)..end
}

#[inline(always)]
fn score_strips<S: Simd, R: LaneRule<K>, const K: usize, const HEIGHT: usize>(
    s: S,
    group: &LaneGroup,
    limit: Option<usize>,
    scratch: &mut LaneScratch,
    scores: &mut [i32],
) {
    let text = &scratch.text[..];
    let border = scratch.border.zeroed(text.len() * K * S::u64s::LEN);
    let mut sums = LaneSums::new(s, group.strips.len() * HEIGHT * R::MAX_ADDEND);
    for (number, strip) in group.strips.iter().enumerate() {
        let columns = columns_within(limit, number * HEIGHT, HEIGHT, text.len());
        let border = &mut border[columns.start * K * S::u64s::LEN..columns.end * K * S::u64s::LEN];
        let vertical = sweep::<S, R, K, HEIGHT>(s, strip, &text[columns], border);
        for addends in R::addends(s, &vertical, strip.member_rows.get()) {
            sums.add(addends);
        }
    }
    let sums = sums.bytes(&mut scratch.sums);
    R::finish(group, text.len(), sums, scores);
}

/// Computes the cells of a strip. Replaces the differences in `border`, along the strip's top edge, by those along its
/// bottom edge. Returns the differences along its right edge.
#[inline(always)]
fn sweep<S: Simd, R: LaneRule<K>, const K: usize, const HEIGHT: usize>(
    s: S,
    strip: &MaskStrip,
    text: &[u32],
    border: &mut [u64],
) -> [[S::u64s; K]; HEIGHT] {
    let words = S::u64s::LEN;
    let masks = strip.masks.get();
    let mut vertical = [R::left(s); HEIGHT];
    for (&symbol, border) in text.iter().zip(border.chunks_exact_mut(K * words)) {
        let first = usize::from(strip.numbers[symbol as usize]) * HEIGHT * words;
        let masks = &masks[first..first + HEIGHT * words];
        let mut horizontal: [S::u64s; K] = [S::u64s::splat(s, 0); K];
        for (part, horizontal) in horizontal.iter_mut().enumerate() {
            *horizontal = S::u64s::from_slice(s, &border[part * words..(part + 1) * words]);
        }
        for (row, vertical) in vertical.iter_mut().enumerate() {
            let equal = S::u64s::from_slice(s, &masks[row * words..(row + 1) * words]);
            (*vertical, horizontal) = R::next::<S>(equal, *vertical, horizontal);
        }
        for (part, horizontal) in horizontal.iter().enumerate() {
            horizontal.store_slice(&mut border[part * words..(part + 1) * words]);
        }
    }
    vertical
}

#[cfg(test)]
mod tests;
