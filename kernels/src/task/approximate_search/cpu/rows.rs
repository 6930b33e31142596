//! The kernel: words of 64 text columns in SIMD lanes, each lane in another piece of a text, row after row of the
//! pattern.
//!
//! A word holds the horizontal differences of 64 columns of a row, `hp` (+1) and `hn` (−1). One step computes the word
//! of the next row. It takes the equality mask of this row's symbol and the vertical difference at the left border of
//! the word, and returns the vertical difference at the right border (Myers 1999 with rows and columns exchanged, in
//! the form of Hyyrö 2003):
//!
//! ```text
//! t   = eq & hp                 s   = t + hp + vn_in
//! vns = s ^ t ^ hp              d0  = eq | hn | vns          the carries of the addition are VN << 1 | vn_in
//! vp  = hn | ~(d0 | hp)         vps = vp << 1 | vp_in
//! hp' = vns | ~(d0 | vps)       hn' = vps & d0
//! out: vp >> 63, (d0 & hp) >> 63
//! ```
//!
//! Lanes are independent of each other. `N` words per lane lie side by side, so that the differences between them stay
//! in registers. Only the differences at the right border of the last word are stored for the next block. Steps of the
//! words overlap in time: a word is one row ahead of the word at its right.

use fearless_simd::{Simd, prelude::*, u8x64, u64x8};

/// Number of text columns in a word.
pub(super) const WORD: usize = 64;

/// Number of SIMD lanes, which sweep separate pieces of the text.
pub(super) const LANES: usize = 8;

/// Minimum number of rows between two checks whether the rows below can be left out.
pub(super) const MIN_SEGMENT_ROWS: usize = 8;

/// Maximum distance of a hit from which on checks whether rows can be left out are half as frequent, because more rows
/// have to be swept then.
const MIN_RARE_CHECK_BOUND: u64 = 8;

/// A vector in memory, with one value per lane, on a separate cache line.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
pub(super) struct LaneVector(pub(super) [u64; LANES]);

impl LaneVector {
    /// Creates a vector with the same value in all lanes.
    pub(super) const fn splat(value: u64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load<S: Simd>(&self, s: S) -> u64x8<S> {
        u64x8::from_slice(s, &self.0)
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, value: u64x8<S>) {
        value.store_slice(&mut self.0);
    }
}

/// Vertical differences of one row at the right edge of a block of columns, `[vp, vn]` (rises and falls), in the
/// highest bit of each lane.
pub(super) type BlockSide = [LaneVector; 2];

/// Vertical differences of 1 down a row in every lane. This is the left edge of the matrix, and replaces differences
/// that were not computed.
pub(super) const RISING: BlockSide = [LaneVector::splat(!0), LaneVector::splat(0)];

/// Horizontal differences of one row in a block of `N` words of columns: `[hp, hn]` (rises and falls) of each word.
pub(super) type BlockRow<S, const N: usize> = [[u64x8<S>; 2]; N];

/// Computes the rows of the pattern symbols `symbols` in a block of columns, one after another. Replaces `row`, the row
/// above, by the last of these rows, and the left edges in `sides` by the right edges. `masks` are the equality masks
/// of the columns.
#[inline(always)]
pub(super) fn step<S: Simd, const N: usize>(
    s: S,
    symbols: &[u32],
    masks: &[LaneVector],
    sides: &mut [BlockSide],
    row: &mut BlockRow<S, N>,
) {
    for (&symbol, side) in symbols.iter().zip(sides) {
        let masks = &masks[symbol as usize * N..][..N];
        let mut vp_in = side[0].load(s);
        let mut vn_in = side[1].load(s);
        for (mask, [hp, hn]) in masks.iter().zip(row.iter_mut()) {
            let eq = mask.load(s);
            let t = eq & *hp;
            let sum = t + *hp + (vn_in >> 63);
            let vns = sum ^ t ^ *hp;
            let d0 = eq | *hn | vns;
            let vp = *hn | !(d0 | *hp);
            let vps = (vp << 1) | (vp_in >> 63);
            vp_in = vp;
            vn_in = d0 & *hp;
            *hp = vns | !(d0 | vps);
            *hn = vps & d0;
        }
        side[0].store(vp_in);
        side[1].store(vn_in);
    }
}

/// One row of a block of columns: its distances and differences.
pub(super) struct BlockState {
    /// Distance before each word of the row.
    pub(super) lefts: Vec<LaneVector>,
    /// Horizontal differences of the row: `[hp, hn]` (rises and falls) of each word.
    pub(super) row: Vec<[LaneVector; 2]>,
}

impl BlockState {
    /// Allocates the state for a block of `words` words per lane.
    pub(super) fn new(words: usize) -> Self {
        Self { lefts: vec![LaneVector::default(); words], row: vec![[LaneVector::default(); 2]; words] }
    }

    /// Stores `row`, where `left` is the distance before it. Returns the distance at its right end.
    #[inline(always)]
    pub(super) fn put<S: Simd, const N: usize>(&mut self, row: &BlockRow<S, N>, left: u64x8<S>) -> u64x8<S> {
        let mut left = left;
        for (([hp, hn], out), place) in row.iter().zip(&mut self.row).zip(&mut self.lefts) {
            place.store(left);
            out[0].store(*hp);
            out[1].store(*hn);
            left = left + hp.count_ones() - hn.count_ones();
        }
        left
    }

    /// Returns whether all distances in the word with the index `word` are above `bound`, in all lanes. May return
    /// `false` if they are only slightly above.
    #[inline(always)]
    pub(super) fn above<S: Simd>(&self, s: S, word: usize, bound: u64) -> bool {
        above(s, u64x8::splat(s, bound), self.lefts[word].load(s), &self.row[word].map(|side| side.load(s)))
    }
}

/// State that determines how many rows of each block must be computed (Ukkonen's cut-off, for all lanes together).
/// Below these rows, no distance is within the bound, which is the maximum distance of a hit. Distances below the last
/// computed row are assumed to rise by one per row. They are costs of real edit scripts, so that no distance is too
/// small, and distances within the bound are exact.
pub(super) struct RowCutoff {
    /// Number of rows in a segment. After each segment it is checked whether to go on.
    segment: usize,
    /// Distances at the right edge of the last block, in the last row of each segment.
    values: Vec<LaneVector>,
    /// Number of segments of the last block that were computed.
    computed: usize,
    /// Number of segments in which the right edge of the last block may have a distance within the bound.
    reach: usize,
}

impl RowCutoff {
    /// Prepares the cut-off for a pattern of `rows` symbols, before the first column. `bound` is the maximum distance
    /// of a hit.
    pub(super) fn new(rows: usize, bound: u64) -> Self {
        let segment = if bound < MIN_RARE_CHECK_BOUND { MIN_SEGMENT_ROWS } else { 2 * MIN_SEGMENT_ROWS };
        let segments = rows.div_ceil(segment);
        let reach = (bound / segment as u64 + 1).min(segments as u64) as usize;
        Self { segment, values: vec![LaneVector::default(); segments], computed: 0, reach }
    }

    /// Computes the rows of the next block of columns, as far as any lane can have a distance within `bound`. Returns
    /// whether the last row was reached. If so, `block` holds this row. The other parameters are those of [`step`].
    #[inline(always)]
    pub(super) fn advance<S: Simd, const N: usize>(
        &mut self,
        s: S,
        bound: u64,
        symbols: &[u32],
        masks: &[LaneVector],
        sides: &mut [BlockSide],
        block: &mut BlockState,
    ) -> bool {
        let mut row: BlockRow<S, N> = [[u64x8::splat(s, 0); 2]; N];
        let mut left = u64x8::splat(s, 0);
        let limit = u64x8::splat(s, bound);
        let segments = self.values.len();
        let mut reach = 0;
        for segment in 0..segments {
            let first = segment * self.segment;
            let rows = self.segment.min(symbols.len() - first);
            step::<S, N>(s, &symbols[first..first + rows], masks, &mut sides[first..first + rows], &mut row);
            left = if segment < self.computed { self.values[segment].load(s) } else { left + rows as u64 };
            let mut lefts = [left; N];
            let mut right = left;
            for (place, [hp, hn]) in lefts.iter_mut().zip(&row) {
                *place = right;
                right = right + hp.count_ones() - hn.count_ones();
            }
            self.values[segment].store(right);
            if right.simd_le(limit + self.segment as u64).any_true() {
                reach = segment + 1;
            }
            if segment + 1 == segments {
                block.put(&row, left);
                (self.computed, self.reach) = (segments, reach);
                return true;
            }
            if segment + 1 >= self.reach && (0..N).all(|q| above(s, limit, lefts[q], &row[q])) {
                let end = (self.computed * self.segment).min(symbols.len());
                sides[(first + rows).min(end)..end].fill(RISING);
                (self.computed, self.reach) = (segment + 1, reach);
                return false;
            }
        }
        true
    }
}

/// Returns whether all distances of a word are above `limit`, in all lanes. `left` are the distances before the word,
/// and `[hp, hn]` its rises and falls. May return `false` if the distances are only slightly above.
#[inline(always)]
fn above<S: Simd>(s: S, limit: u64x8<S>, left: u64x8<S>, [hp, hn]: &[u64x8<S>; 2]) -> bool {
    if left.simd_gt(limit + hn.count_ones()).all_true() {
        return true;
    }
    if left.simd_le(limit).any_true() {
        return false;
    }
    // For every eight columns, a lower bound relative to `left`: the change before them, less their falls.
    let falls: u8x64<S> = hn.bitcast::<u8x64<S>>().count_ones();
    let change = hp.bitcast::<u8x64<S>>().count_ones() - falls;
    let mut before = change;
    for shift in [8, 16, 32] {
        before += (before.bitcast::<u64x8<S>>() << shift).bitcast::<u8x64<S>>();
    }
    let before = before - change - falls;
    // There are at most 64 falls, so that more slack changes nothing.
    let slack = (left - limit).min(u64x8::splat(s, 65));
    let slack = (slack * 0x0101_0101_0101_0101).bitcast::<u8x64<S>>();
    // Sums lie between −64 and 121, and all must be positive.
    let sum = before + slack;
    (sum - 1).simd_lt(u8x64::splat(s, 0x80)).all_true()
}
