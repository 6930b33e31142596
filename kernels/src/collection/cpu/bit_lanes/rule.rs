//! Rule: the recurrence of a cell on differences, with a bit of each lane in a vector.

use fearless_simd::{Simd, prelude::*};

use super::group::LaneGroup;

/// A recurrence on differences of neighbouring cells, each in `K` vectors. The differences along the top edge of a
/// matrix are vectors of zeros.
pub(in super::super) trait LaneRule<const K: usize>: Sync {
    /// Largest sum of the addends of a row.
    const MAX_ADDEND: usize;

    /// Returns the difference at a row of the left edge.
    fn left<S: Simd>(s: S) -> [S::u64s; K];

    /// Returns the vertical difference right of a cell and the horizontal difference below it, from those left of and
    /// above it. `equal` has the lanes in which both symbols are equal.
    fn next<S: Simd>(equal: S::u64s, vertical: [S::u64s; K], horizontal: [S::u64s; K]) -> ([S::u64s; K], [S::u64s; K]);

    /// Returns the bits to add up along the right edge of a strip, from its differences and the rows of each member.
    fn addends<S: Simd, const HEIGHT: usize>(s: S, vertical: &[[S::u64s; K]; HEIGHT], rows: &[u64]) -> [[S::u64s; HEIGHT]; K];

    /// Writes the score of each lane into `scores`, from the sum of its addends.
    fn finish(group: &LaneGroup, text: usize, sums: LaneSumBytes, scores: &mut [i32]);
}

/// The sums of all lanes: the lowest byte of each lane, then the next byte of each lane, and so on.
#[derive(Clone, Copy)]
pub(in super::super) struct LaneSumBytes<'s> {
    pub(super) bytes: &'s [u8],
    pub(super) lanes: usize,
}

impl LaneSumBytes<'_> {
    /// Writes the sum of each lane of `group`, after `map` with the length of the lane's member, to the place of the
    /// member in `scores`.
    #[inline(always)]
    fn write(self, group: &LaneGroup, scores: &mut [i32], map: impl Fn(i32, i32) -> i32) {
        let Self { bytes, lanes } = self;
        let lens = &group.lens[..];
        let places = &group.places[..lens.len()];
        let Some(&first) = places.first() else { return };
        if lanes == bytes.len() {
            let bytes = &bytes[..lens.len()];
            let first = first as usize;
            if group.is_in_order {
                for ((score, &len), &sum) in scores[first..first + lens.len()].iter_mut().zip(lens).zip(bytes) {
                    *score = map(sum.into(), len);
                }
            } else {
                for ((&place, &len), &sum) in places.iter().zip(lens).zip(bytes) {
                    scores[place as usize] = map(sum.into(), len);
                }
            }
            return;
        }
        for (lane, (&place, &len)) in places.iter().zip(lens).enumerate() {
            let sum = bytes[lane..].iter().step_by(lanes).rev().fold(0, |sum, &byte| sum << 8 | i32::from(byte));
            scores[place as usize] = map(sum, len);
        }
    }
}

/// The edit distance (Levenshtein). A vertical difference is a vector of the lanes with +1 and one of those with −1. A
/// horizontal difference is a vector of the lanes without +1 and one of those with −1.
///
/// ```text
/// free = equal | v− | h−
/// h+'  = v− | ¬(free | v+)      h−' = free & v+
/// v+'  = h− | ¬(free | h+)      v−' = free & h+
/// ```
///
/// `free` has the lanes whose cell is equal to the one diagonally above. Each line takes one instruction for three
/// operands if the processor has such instructions. The lanes without +1 save a negation if it has none.
pub(in super::super) struct EditRule;

impl LaneRule<2> for EditRule {
    const MAX_ADDEND: usize = 2;

    #[inline(always)]
    fn left<S: Simd>(s: S) -> [S::u64s; 2] {
        [S::u64s::splat(s, !0), S::u64s::splat(s, 0)]
    }

    #[inline(always)]
    fn next<S: Simd>(equal: S::u64s, [up, down]: [S::u64s; 2], [not_right, left]: [S::u64s; 2]) -> ([S::u64s; 2], [S::u64s; 2]) {
        let free = equal | down | left;
        ([left | (!free & not_right), free & !not_right], [(free | up) & !down, free & up])
    }

    /// Adds 1 − v, in two bits, of each row of a member, so that no addend is negative.
    #[inline(always)]
    fn addends<S: Simd, const HEIGHT: usize>(s: S, vertical: &[[S::u64s; 2]; HEIGHT], rows: &[u64]) -> [[S::u64s; HEIGHT]; 2] {
        let mut addends = [[S::u64s::splat(s, 0); HEIGHT]; 2];
        for (row, [up, down]) in vertical.iter().enumerate() {
            let is_row = S::u64s::from_slice(s, &rows[row * S::u64s::LEN..(row + 1) * S::u64s::LEN]);
            addends[0][row] = *down & is_row;
            addends[1][row] = !*up & is_row;
        }
        addends
    }

    #[inline(always)]
    fn finish(group: &LaneGroup, text: usize, sums: LaneSumBytes, scores: &mut [i32]) {
        let text = text as i32;
        // A distance is at least the difference of the lengths. A value of a narrow band may be lower.
        sums.write(group, scores, |sum, len| (text + len - sum).max((text - len).abs()));
    }
}

/// The edit distance with exchanges of two neighbouring symbols as single edits (optimal string alignment; Hyyrö 2003,
/// section 4.1). The first two vectors of a difference are those of [`EditRule`]. The others pass two facts about a cell to
/// its neighbours below and to the right:
///
/// ```text
/// exchanged = equal[i−1, j] & equal[i, j−1]
/// free      = equal | v− | h− | exchanged & ¬free[i−1, j−1]
/// ```
///
/// A cell is free if its value equals that of the cell diagonally above. An exchange saves an edit only if the cell diagonally
/// above is not free.
pub(in super::super) struct ExchangeRule;

impl LaneRule<4> for ExchangeRule {
    const MAX_ADDEND: usize = EditRule::MAX_ADDEND;

    #[inline(always)]
    fn left<S: Simd>(s: S) -> [S::u64s; 4] {
        let [up, down] = EditRule::left(s);
        [up, down, S::u64s::splat(s, 0), S::u64s::splat(s, 0)]
    }

    /// Computes a cell. The last two vectors of the vertical difference are `free` and `equal` of the cell to the left. Those of
    /// the horizontal difference are `free` of the cell diagonally above and `equal` of the cell above.
    #[inline(always)]
    fn next<S: Simd>(
        equal: S::u64s,
        [up, down, free_left, equal_left]: [S::u64s; 4],
        [not_right, left, free_diagonal, equal_above]: [S::u64s; 4],
    ) -> ([S::u64s; 4], [S::u64s; 4]) {
        let free = equal | down | left | (equal_above & equal_left & !free_diagonal);
        let vertical = [left | (!free & not_right), free & !not_right, free, equal];
        (vertical, [(free | up) & !down, free & up, free_left, equal])
    }

    #[inline(always)]
    fn addends<S: Simd, const HEIGHT: usize>(s: S, vertical: &[[S::u64s; 4]; HEIGHT], rows: &[u64]) -> [[S::u64s; HEIGHT]; 4] {
        let [down, not_up] = EditRule::addends(s, &vertical.map(|[up, down, ..]| [up, down]), rows);
        let none = [S::u64s::splat(s, 0); HEIGHT];
        [down, not_up, none, none]
    }

    #[inline(always)]
    fn finish(group: &LaneGroup, text: usize, sums: LaneSumBytes, scores: &mut [i32]) {
        EditRule::finish(group, text, sums, scores);
    }
}

/// The length of a longest common subsequence. A difference is a vector of the lanes with +1.
///
/// ```text
/// v' = (equal | v) & ¬h      h' = (equal | h) & ¬v
/// ```
pub(in super::super) struct LcsRule;

impl LaneRule<1> for LcsRule {
    const MAX_ADDEND: usize = 1;

    #[inline(always)]
    fn left<S: Simd>(s: S) -> [S::u64s; 1] {
        [S::u64s::splat(s, 0)]
    }

    #[inline(always)]
    fn next<S: Simd>(equal: S::u64s, [v]: [S::u64s; 1], [h]: [S::u64s; 1]) -> ([S::u64s; 1], [S::u64s; 1]) {
        ([(equal | v) & !h], [(equal | h) & !v])
    }

    /// Adds all rows. Below the last row of a member no symbols are equal, and the differences are 0.
    #[inline(always)]
    fn addends<S: Simd, const HEIGHT: usize>(_: S, vertical: &[[S::u64s; 1]; HEIGHT], _: &[u64]) -> [[S::u64s; HEIGHT]; 1] {
        [vertical.map(|[v]| v)]
    }

    #[inline(always)]
    fn finish(group: &LaneGroup, _: usize, sums: LaneSumBytes, scores: &mut [i32]) {
        sums.write(group, scores, |sum, _| sum);
    }
}
