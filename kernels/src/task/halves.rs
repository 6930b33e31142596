//! Halves: a pair of texts from both ends, for two engines without shared memory (Hirschberg 1975).
//!
//! ```text
//! F[i] = D(rows[..i], columns[..mid])     R[i] = D(rows[i..], columns[mid..])
//! D = min over i of F[i] + R[i]           an optimal path passes row i before column mid
//! ```
//!
//! A narrow band of the whole matrix gives an upper bound k of the distance, unless the lengths differ much. Both halves are
//! swept in the band for k edits. Values in a band are costs of real alignments. The band has an optimal path, so that the least sum is the distance.
//!
//! Both parts of an alignment are pairs of their own. With more than two engines they are halved again, and their distances
//! are known then. For a distance alone, more than two engines would have to exchange borders while they compute.

use std::sync::{Mutex, PoisonError};

use super::shares::{JobShare, ShareKind, malformed};
use crate::alignment::{Alignment, EditKind};
use crate::cbor::{from_bytes, to_bytes};
use crate::cbor_struct;
use crate::pair::cpu::affix::CommonAffix;
use crate::pair::cpu::band::Band;
use crate::pair::cpu::border::StripBorder;
use crate::pair::cpu::grid::StripGrid;
use crate::pair::cpu::recurrence::Recurrence;
use crate::pair::cpu::sweep::KeptBorders;
use crate::pair::cpu::tiling::Tiling;
use crate::pair::cpu::{PairOutput, WORD, WordDifferences};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Number of edits that the first, narrow band allows in addition to the difference of the lengths.
const NARROW_EDITS: u64 = if cfg!(test) { 2 } else { 512 };

/// Divisor of the cells of the matrix, which gives the maximum number of cells in the narrow band. A larger band costs more than
/// it saves.
const NARROW_BAND_DIVISOR: u64 = if cfg!(test) { 2 } else { 8 };

/// Minimum number of columns of a part that is halved.
const MIN_HALVED_COLUMNS: usize = if cfg!(test) { 2 } else { 4096 };

/// Minimum share of the matrix that one engine fills, from which a pair is halved. One engine is faster for similar texts,
/// because it narrows its band by pieces that both texts have.
const MIN_FILLED_SHARE: f64 = 0.3;

/// Speedup of a distance by two engines, and of an alignment.
const SPEEDUPS: [f64; 2] = [1.8, 1.6];

/// Estimates the speedup by halves if one engine has the cost of `cost_cells` of the `cells` cells of a matrix.
pub(super) fn speedup(cost_cells: u64, cells: u64, is_aligned: bool) -> f64 {
    if cost_cells as f64 >= MIN_FILLED_SHARE * cells as f64 { SPEEDUPS[usize::from(is_aligned)] } else { 1.0 }
}

/// Two texts without their common prefix and suffix. The longer one has the rows of the matrix.
pub(super) struct HalvedTexts<'t, T> {
    ends: CommonAffix,
    rows: &'t [T],
    columns: &'t [T],
    /// Whether the rows belong to the second text.
    is_swapped: bool,
}

/// The distances at the right edge of a half, from the row `first` on. Rows before it have none.
struct HalfEdge {
    first: usize,
    /// Distance before the row `first`.
    value: u64,
    rows: usize,
    /// For 64 rows each, the rows after which the distance is 1 more than before, and those after which it is 1 less.
    differences: Vec<(u64, u64)>,
}

cbor_struct!(HalfEdge { first, value, rows, differences });

impl HalfEdge {
    /// Iterates over the numbers of rows, and the distance after them.
    fn values(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut value = self.value;
        (0..=self.rows).map(move |row| {
            let before = value;
            if let Some(&(rises, falls)) = self.differences.get(row / WORD) {
                value = value.saturating_add(rises >> (row % WORD) & 1).saturating_sub(falls >> (row % WORD) & 1);
            }
            (self.first + row, before)
        })
    }
}

/// The outcome of joining halves.
pub(super) enum JoinedHalves {
    /// The distance of both texts, with the alignment if it is requested.
    Solved(u64, Option<Alignment>),
    Further(Vec<JobShare>),
}

impl<'t, T: Symbol> HalvedTexts<'t, T> {
    pub(super) fn new(a: &'t [T], b: &'t [T]) -> Self {
        let (ends, a, b) = CommonAffix::cut(a, b);
        let is_swapped = a.len() <= b.len();
        let (rows, columns) = if is_swapped { (b, a) } else { (a, b) };
        Self { ends, rows, columns, is_swapped }
    }

    /// Returns the number of symbols in the common prefix and suffix, and of those between them in both texts.
    pub(super) fn symbols(&self) -> [u64; 2] {
        [(self.ends.prefix + self.ends.suffix) as u64, (self.rows.len() + self.columns.len()) as u64]
    }

    /// Divides the pair in two halves. Returns no shares if a narrow band has the distance, or if the texts are short.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(super) fn divide<R: Recurrence<K>, const K: usize>(&self, engines: usize, run: &Run) -> Result<Vec<JobShare>, Halt> {
        let (m, n) = (self.rows.len(), self.columns.len());
        if engines < 2 || n < MIN_HALVED_COLUMNS {
            return Ok(Vec::new());
        }
        let narrow = (m - n) as u64 + NARROW_EDITS;
        let grid = StripGrid::<T, R, K>::new(self.rows, self.columns, Tiling::fitting::<R, K>(n, PairOutput::Distance, Some(narrow)), 1);
        let band = Band::for_edits(narrow, m, n);
        // If the lengths differ much, even the narrow band covers much of the matrix.
        let is_dear = grid.cells(0..grid.strips(), band, n) > (m as u64).saturating_mul(n as u64) / NARROW_BAND_DIVISOR;
        let bound = if is_dear {
            if R::SUBSTITUTES { m as u64 } else { (m + n) as u64 }
        } else {
            grid.sweep(0..grid.strips(), StripBorder::top(), band, n, KeptBorders::Nothing, run)?.corner
        };
        if !is_dear && bound <= narrow {
            return Ok(Vec::new());
        }
        let levels = engines.ilog2().saturating_sub(1).into();
        Ok(halves([0, m as u64], [0, n as u64], bound, levels).into())
    }

    /// Computes the right edge of a half. Returns it in CBOR.
    ///
    /// # Errors
    /// Returns an error if the run is stopped, or if the share does not belong to these texts.
    pub(super) fn solve_half<R: Recurrence<K>, const K: usize>(&self, share: &JobShare, run: &Run) -> Result<Vec<u8>, Halt> {
        let ([rows, columns], bound) = (self.part(share)?, share.bound.ok_or_else(malformed)?);
        let band = Band::for_edits(bound.max(rows.len().abs_diff(columns.len()) as u64), rows.len(), columns.len());
        let middle = columns.len() / 2;
        let edge = match share.kind {
            ShareKind::Forward => edge::<T, R, K>(rows, &columns[..middle], band, bound, run)?,
            ShareKind::Reverse => {
                let reversed = |text: &[T]| text.iter().rev().copied().collect::<Vec<T>>();
                edge::<T, R, K>(&reversed(rows), &reversed(&columns[middle..]), band, bound, run)?
            }
            ShareKind::Text | ShareKind::LongPattern | ShareKind::Records | ShareKind::Align => return Err(malformed().into()),
        };
        Ok(to_bytes(&edge))
    }

    /// Returns the rows and columns of a share.
    ///
    /// # Errors
    /// Returns an error if these texts have no such part.
    pub(super) fn part(&self, share: &JobShare) -> Result<[&'t [T]; 2], Halt> {
        let part = |text: &'t [T], [from, end]: [u64; 2]| text.get(from as usize..end as usize);
        let both = part(self.rows, share.a).zip(part(self.columns, share.b));
        both.map(|(rows, columns)| [rows, columns]).ok_or_else(|| malformed().into())
    }

    /// Joins the results of all shares. After halves, finds where the least path of each pair of halves passes.
    ///
    /// # Errors
    /// Returns an error if a result is malformed, or if an alignment has not the distance of its part.
    pub(super) fn join(&self, results: &[(JobShare, Vec<u8>)], want: PairOutput) -> Result<JoinedHalves, Halt> {
        if results.iter().all(|(share, _)| share.kind == ShareKind::Align) {
            return self.join_alignments(results);
        }
        let (mut parts, mut distance) = (Vec::new(), 0);
        for pair in results.chunks(2) {
            let [(share, forward), (_, reverse)] = pair else { return Err(malformed().into()) };
            let edge = |bytes: &[u8]| from_bytes::<HalfEdge>(bytes).ok_or_else(malformed);
            let (forward, reverse) = (edge(forward)?, edge(reverse)?);
            let rows = (share.a[1] - share.a[0]) as usize;
            let mut after = vec![None; rows + 1];
            for (row, value) in reverse.values() {
                *rows.checked_sub(row).and_then(|row| after.get_mut(row)).ok_or_else(malformed)? = Some(value);
            }
            let sums = forward.values().filter_map(|(row, before)| Some((row as u64, before, after.get(row).copied()??)));
            let (row, before, after) = sums.min_by_key(|(_, before, after)| before + after).ok_or_else(malformed)?;
            distance += before + after;
            let ([top, bottom], [left, right]) = (share.a, share.b);
            let middle = left + (right - left) / 2;
            parts.push(([top, top + row], [left, middle], before, share.levels));
            parts.push(([top + row, bottom], [middle, right], after, share.levels));
        }
        if want == PairOutput::Distance {
            return Ok(JoinedHalves::Solved(distance, None));
        }
        let are_long = parts.iter().all(|(rows, columns, ..)| rows[1] > rows[0] && columns[1] - columns[0] >= MIN_HALVED_COLUMNS as u64);
        let further = parts.into_iter().flat_map(|(rows, columns, bound, levels)| match levels.checked_sub(1).filter(|_| are_long) {
            Some(levels) => halves(rows, columns, bound, levels).to_vec(),
            None => vec![JobShare { kind: ShareKind::Align, is_reverse: false, a: rows, b: columns, bound: Some(bound), levels: 0 }],
        });
        Ok(JoinedHalves::Further(further.collect()))
    }

    fn join_alignments(&self, results: &[(JobShare, Vec<u8>)]) -> Result<JoinedHalves, Halt> {
        let (mut alignment, mut distance) = (Alignment::default(), 0);
        for (share, result) in results {
            let ops: Vec<(EditKind, u32)> = from_bytes(result).ok_or_else(malformed)?;
            ops.into_iter().for_each(|(edit, len)| alignment.push(edit, len.into()));
            distance += share.bound.ok_or_else(malformed)?;
        }
        if alignment.summary().distance() != distance {
            return Err(malformed().into());
        }
        let alignment = if self.is_swapped { alignment.swapped() } else { alignment };
        Ok(JoinedHalves::Solved(distance, Some(self.ends.around(alignment))))
    }
}

/// Encodes the alignment of the rows of a share to its columns, in CBOR.
pub(super) fn encode(alignment: &Alignment) -> Vec<u8> {
    to_bytes(&alignment.cigar_ops().iter().map(|op| (op.edit, op.len)).collect::<Vec<_>>())
}

/// Returns both halves of a part of the matrix whose distance is at most `bound`.
fn halves(a: [u64; 2], b: [u64; 2], bound: u64, levels: u64) -> [JobShare; 2] {
    let half = |kind| JobShare { kind, is_reverse: false, a, b, bound: Some(bound), levels };
    [half(ShareKind::Forward), half(ShareKind::Reverse)]
}

/// Computes the distances of all prefixes of `rows` to `columns` that lie in `band`, whose cells have at most `bound` edits.
fn edge<T: Symbol, R: Recurrence<K>, const K: usize>(
    rows: &[T],
    columns: &[T],
    band: Band,
    bound: u64,
    run: &Run,
) -> Result<HalfEdge, Halt> {
    let strips: Mutex<Vec<(u64, Vec<WordDifferences<K>>, usize)>> = Mutex::default();
    let observer = |bottom: u64, vertical: &[WordDifferences<K>], rows: usize| {
        strips.lock().unwrap_or_else(PoisonError::into_inner).push((bottom, vertical.to_vec(), rows));
        Ok(())
    };
    let mut grid = StripGrid::<T, R, K>::new(rows, columns, Tiling::fitting::<R, K>(columns.len(), PairOutput::Distance, Some(bound)), 1);
    grid.observer = Some(&observer);
    let bytes = grid.bytes();
    run.hold(bytes);
    grid.sweep(0..grid.strips(), StripBorder::top(), band, columns.len(), KeptBorders::Right, run)?;
    run.release(bytes);
    drop(grid);
    let strips = strips.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Strips that do not reach the last column are the first ones.
    let reached: usize = strips.iter().map(|(_, _, rows)| rows).sum();
    let sides = |word: &WordDifferences<K>| if K == 2 { (word.0[0], word.0[K - 1]) } else { (!word.0[0], word.0[0]) };
    let differences: Vec<(u64, u64)> =
        strips.iter().flat_map(|(_, vertical, rows)| vertical.iter().take(rows.div_ceil(WORD)).map(sides)).collect();
    let mut edge = HalfEdge { first: rows.len() - reached, value: 0, rows: reached, differences };
    let Some((bottom, _, first)) = strips.first() else { return Ok(edge) };
    // Counts from a value that is large enough for every fall.
    edge.value = reached as u64;
    let change = edge.values().nth(*first).map_or(0, |(_, value)| value as i64 - edge.value as i64);
    edge.value = bottom.saturating_add_signed(-change);
    Ok(edge)
}
