//! Number lanes: the scores of alignments of one text with some members at a time. Each lane of 16 bits belongs to one
//! pair.
//!
//! Rows are the symbols of the members, columns those of the text. The recurrence is that of the
//! [engine of one pair](crate::task::sequence_alignment::engine). Each value of a global or semi-global alignment is
//! raised by extend · (i + j), so that a gap is extended without an operation (as in CUDASW++ 4, Schmidt et al. 2024, the
//! cost of an extension moves to the points):
//!
//! ```text
//! T[i, j] = H[i, j] − open
//! E[i, j] = max(E[i, j−1], T[i, j−1])
//! F[i, j] = max(F[i−1, j], T[i−1, j])
//! H[i, j] = max(T[i−1, j−1] + points + open + 2 · extend,  E[i, j],  F[i, j])
//! ```
//!
//! Values of local alignments are not raised, because their least value is 0 in every cell.
//!
//! - [`group`]: the members in the lanes, and the points of their symbols

use fearless_simd::{Level, Simd, dispatch, prelude::*};

use super::words::AlignedWords;
use super::{LaneEngine, MAX_GROUP_BYTES};
use crate::job::AlignmentMode;
use crate::symbol::Symbol;
use crate::task::sequence_alignment::engine::AlignmentModel;
use group::{PointGroup, PointStrip};

mod group;
#[cfg(test)]
mod tests;

/// Maximum value of a cell.
///
/// All values fit 16 bits. The strips of a member have up to seven rows below its end, in which a value grows by at most
/// seven extensions. A gap through the whole member and text is an alignment, so that no value of a global or semi-global
/// alignment is less than minus three openings. Points of two symbols are at least −1,000, or at least −2 · extend if a sum of
/// costs follows from the score. The number by which values are raised may wrap in rows below all members, whose values are
/// masked.
const MAX_VALUE: i32 = 25_000;

/// A value less than all values of cells, from which costs can be subtracted.
const NOTHING: i16 = i16::MIN / 2;

/// Share of the lanes that a group needs to fill, because one pair at a time is faster with fewer lanes.
const MIN_FILL_DIVISOR: usize = 4;

#[inline(always)]
fn lanes_of<S: Simd>(_: S) -> usize {
    S::i16s::LEN
}

/// Returns the number of rows of a strip with vectors of `lanes` lanes. The values of its rows fit the registers.
const fn strip_height(lanes: usize) -> usize {
    if lanes == 32 { 8 } else { 4 }
}

/// The engine of the scores of alignments.
pub(super) struct NumberLanes<'m> {
    level: Level,
    lanes: usize,
    model: &'m AlignmentModel,
    alphabet: u32,
    /// Maximum length of members and texts.
    max_len: usize,
}

/// Buffers that a thread reuses for every text.
#[derive(Default)]
pub(super) struct NumberScratch {
    text: Vec<u32>,
    border: AlignedWords<i16>,
}

impl<'m> NumberLanes<'m> {
    /// Creates the engine for symbols below `alphabet`. Returns `None` if points or costs are so large that no lane can
    /// hold the values of a few symbols.
    pub(super) fn new(model: &'m AlignmentModel, alphabet: u32) -> Option<Self> {
        let extend = model.gap.extend as i32;
        // Growth of the values for each symbol of the longer text.
        let growth = match model.mode {
            AlignmentMode::Local => model.points.max().max(1),
            // Neither a raised value nor the number by which it is raised grows faster.
            AlignmentMode::Global | AlignmentMode::SemiGlobal => (model.points.max().max(0) + 2 * extend).max(1),
        };
        let level = Level::new();
        let lanes = dispatch!(level, s => lanes_of(s));
        let max_len = (MAX_VALUE / growth) as usize;
        (max_len >= 8).then_some(Self { level, lanes, model, alphabet, max_len })
    }
}

impl<T: Symbol> LaneEngine<T> for NumberLanes<'_> {
    type Group = PointGroup;
    type Scratch = NumberScratch;

    const MIN_MIRRORED: usize = 8;

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn min_lanes(&self, _: usize) -> usize {
        self.lanes / MIN_FILL_DIVISOR
    }

    fn takes_member(&self, member: &[T]) -> bool {
        let bytes = PointGroup::max_bytes(member.len(), &self.model.points, self.alphabet, self.lanes);
        (1..=self.max_len).contains(&member.len()) && bytes <= MAX_GROUP_BYTES
    }

    fn max_bytes(&self, longest: usize) -> usize {
        PointGroup::max_bytes(longest, &self.model.points, self.alphabet, self.lanes)
    }

    fn takes_text(&self, text: &[T]) -> bool {
        (1..=self.max_len).contains(&text.len())
    }

    fn group(&self, members: &[(usize, &[T])]) -> PointGroup {
        PointGroup::new(members, self.model, self.alphabet, self.lanes)
    }

    /// Takes O(rows · |text|) vector operations for the number of rows of the longest member.
    fn score(&self, group: &PointGroup, text: &[T], scratch: &mut NumberScratch, scores: &mut [i32]) {
        scratch.text.clear();
        scratch.text.extend(text.iter().map(|symbol| symbol.number()));
        dispatch!(self.level, s => match strip_height(lanes_of(s)) {
            8 => score_strips::<_, 8>(s, group, self.model, scratch, scores),
            _ => score_strips::<_, 4>(s, group, self.model, scratch, scores),
        });
    }
}

/// The costs of a model, and where its alignments may begin and end.
#[derive(Clone, Copy)]
struct Costs {
    open: i16,
    extend: i16,
    is_local: bool,
    /// Whether leaving out the start of the text (`a`) or of the member (`b`) costs nothing.
    free_text_start: bool,
    free_member_start: bool,
    /// Whether leaving out the end of the text or of the member costs nothing.
    free_text_end: bool,
    free_member_end: bool,
}

impl Costs {
    fn new(model: &AlignmentModel) -> Self {
        let is_semi_global = model.mode == AlignmentMode::SemiGlobal;
        Self {
            open: model.gap.open as i16,
            extend: model.gap.extend as i16,
            is_local: model.mode == AlignmentMode::Local,
            free_text_start: is_semi_global && model.free_ends.a_start,
            free_member_start: is_semi_global && model.free_ends.b_start,
            free_text_end: is_semi_global && model.free_ends.a_end,
            free_member_end: is_semi_global && model.free_ends.b_end,
        }
    }

    /// Returns the raised value H of a cell at the edge, `len` symbols from the corner. `is_free` says whether leaving
    /// out these symbols costs nothing.
    #[inline(always)]
    fn edge(self, len: usize, is_free: bool) -> i16 {
        match (self.is_local || len == 0, is_free) {
            (true, _) => 0,
            (false, true) => self.extend * len as i16,
            (false, false) => -self.open,
        }
    }

    /// Returns the cost that T has less than H.
    #[inline(always)]
    fn gap(self) -> i16 {
        if self.is_local { self.open + self.extend } else { self.open }
    }

    /// Returns the score after leaving out `len` symbols at an edge.
    #[inline(always)]
    fn left_out(self, len: usize, is_free: bool) -> i16 {
        if is_free || len == 0 { 0 } else { -self.open - self.extend * len as i16 }
    }
}

#[inline(always)]
fn score_strips<S: Simd, const HEIGHT: usize>(
    s: S,
    group: &PointGroup,
    model: &AlignmentModel,
    scratch: &mut NumberScratch,
    scores: &mut [i32],
) {
    let costs = Costs::new(model);
    let text = &scratch.text[..];
    let lanes = S::i16s::LEN;
    let border = scratch.border.zeroed(2 * lanes * text.len());
    for (column, border) in (1..).zip(border.chunks_exact_mut(2 * lanes)) {
        border[..lanes].fill(costs.edge(column, costs.free_text_start) - costs.gap());
        border[lanes..].fill(NOTHING);
    }
    // The ends in the first row and in the first column.
    let mut best = S::i16s::splat(s, if costs.is_local { 0 } else { i16::MIN });
    if costs.free_member_end {
        best = S::i16s::splat(s, costs.left_out(text.len(), costs.free_text_start));
    }
    if costs.free_text_end {
        let mut ends = best;
        for (end, &len) in ends.as_mut_slice().iter_mut().zip(&group.lens) {
            *end = costs.left_out(len, costs.free_member_start);
        }
        best = best.max(ends);
    }
    for (number, strip) in group.strips.iter().enumerate() {
        let top = number * HEIGHT;
        best = if costs.is_local {
            sweep::<S, HEIGHT, true, false, false>(s, strip, top, text, border, costs, best)
        } else if costs.free_text_end && strip.has_ends {
            sweep::<S, HEIGHT, false, true, false>(s, strip, top, text, border, costs, best)
        } else if costs.open == 0 {
            sweep::<S, HEIGHT, false, false, true>(s, strip, top, text, border, costs, best)
        } else {
            sweep::<S, HEIGHT, false, false, false>(s, strip, top, text, border, costs, best)
        };
    }
    for (&place, &score) in group.places.iter().zip(best.as_slice()) {
        scores[place] = score.into();
    }
}

/// Computes the cells of a strip below the row `top`. Replaces T and F in `border`, along the strip's top edge, by those
/// along its bottom edge. Returns the maximum of `best` and the scores of the alignments that end in the strip. With
/// `ENDS`, alignments may end in each column of the last row of a member. With `LINEAR`, opening a gap costs nothing, so that
/// E and F never exceed T.
#[inline(always)]
fn sweep<S: Simd, const HEIGHT: usize, const LOCAL: bool, const ENDS: bool, const LINEAR: bool>(
    s: S,
    strip: &PointStrip,
    top: usize,
    text: &[u32],
    border: &mut [i16],
    costs: Costs,
    mut best: S::i16s,
) -> S::i16s {
    let lanes = S::i16s::LEN;
    let (points, last_rows) = (strip.points.get(), strip.last_rows.get());
    let (gap, extend, zero) = (S::i16s::splat(s, costs.gap()), S::i16s::splat(s, costs.extend), S::i16s::splat(s, 0));
    let left = |row: usize| costs.edge(row, costs.free_member_start) - costs.gap();
    let mut values = [zero; HEIGHT];
    for (row, value) in values.iter_mut().enumerate() {
        *value = S::i16s::splat(s, left(top + row + 1));
    }
    let mut gaps = [S::i16s::splat(s, NOTHING); HEIGHT];
    let mut corner = S::i16s::splat(s, left(top));
    // The number by which the values of a column are raised in the row `top`. Those of a local alignment are not raised, and
    // the product would overflow.
    let mut raised = if LOCAL { zero } else { S::i16s::splat(s, costs.extend * top as i16) };
    for (&symbol, border) in text.iter().zip(border.chunks_exact_mut(2 * lanes)) {
        let first = usize::from(strip.numbers[symbol as usize]) * HEIGHT * lanes;
        let points = &points[first..first + HEIGHT * lanes];
        let (above, fall) = border.split_at_mut(lanes);
        let mut up = S::i16s::from_slice(s, above);
        let mut down = S::i16s::from_slice(s, fall);
        let mut diagonal = std::mem::replace(&mut corner, up);
        raised += extend;
        let mut raised_row = raised;
        for row in 0..HEIGHT {
            let points = S::i16s::from_slice(s, &points[row * lanes..(row + 1) * lanes]);
            let old = values[row];
            let mut value;
            if LOCAL {
                down = (down - extend).max(up);
                gaps[row] = (gaps[row] - extend).max(old);
                value = (diagonal + points).max(zero).max(gaps[row]).max(down);
                best = best.max(value);
            } else {
                down = if LINEAR { up } else { down.max(up) };
                gaps[row] = if LINEAR { old } else { gaps[row].max(old) };
                value = (diagonal + points).max(gaps[row]).max(down);
            }
            if ENDS {
                raised_row += extend;
                let most = S::i16s::from_slice(s, &last_rows[row * lanes..(row + 1) * lanes]);
                best = best.max((value - raised_row).min(most));
            }
            if !LINEAR {
                value -= gap;
            }
            diagonal = old;
            up = value;
            values[row] = value;
        }
        up.store_slice(above);
        down.store_slice(fall);
    }
    if !LOCAL {
        let ends = if costs.free_member_end { strip.member_rows.get() } else { last_rows };
        for (value, most) in values.iter().zip(ends.chunks_exact(lanes)) {
            raised += extend;
            best = best.max((*value + gap - raised).min(S::i16s::from_slice(s, most)));
        }
    }
    best
}
