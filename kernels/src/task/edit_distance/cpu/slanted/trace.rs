//! Traceback through the kept columns of a [slanted band](super), from the last one to the first.
//!
//! The cells of a kept column form a staircase, because each lane is one column further than the lane below. It goes on
//! above the highest word along its top row, and below the lowest word along its first column, where values rise by one per
//! cell. Every diagonal meets it in exactly one cell, and a path from a cell behind it crosses it in a cell.
//!
//! From the cell at which the path left the staircase behind, [furthest rows](FurthestRows) of the reversed texts find the
//! cell of this staircase whose value is lower by the number of edits. A row beyond the staircase is cut to it. A cut
//! row is never the cell that is looked for, because the values of neighbouring cells differ by at most 1.

use std::ops::ControlFlow::{Break, Continue};

use fearless_simd::{Level, Simd, dispatch};

use super::{KeptColumns, KeptDifferences, KeptPlace, VECTOR_WORDS, VECTORS};
use crate::alignment::{Alignment, EditKind};
use crate::failure::JobFailure;
use crate::pair::cpu::WORD;
use crate::pair::cpu::furthest_rows::{FurthestRows, StoredEdits, UNREACHED_ROW};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Maximum number of lanes of a band.
const MAX_LANES: usize = VECTORS[VECTORS.len() - 1] * VECTOR_WORDS;

/// Number of diagonals on which a lane has cells: its 64 rows and the row above.
const LANE_DIAGONALS: usize = WORD + 1;

/// Number of kept columns between two checks for a stop.
const COLUMN_CHECK_INTERVAL: usize = 1 << 10;

/// The cells of a kept column with their values, by diagonal.
pub(super) struct Staircase<'k> {
    place: KeptPlace,
    vertical: [&'k [u64]; 2],
    /// Number of lanes with words of the text.
    lanes: usize,
    /// Values at the last rows of all lanes.
    values: [i64; MAX_LANES],
}

impl<'k> Staircase<'k> {
    #[inline(always)]
    pub(super) fn new(place: KeptPlace, kept: &KeptDifferences<'k>) -> Self {
        let KeptDifferences { below, vertical } = *kept;
        let lanes = vertical[0].len().min(place.word + 1);
        let mut values = [place.value; MAX_LANES];
        for lane in 1..lanes {
            let rise = i64::from(vertical[0][lane - 1].count_ones()) - i64::from(vertical[1][lane - 1].count_ones());
            let step = (below[0] >> lane & 1) as i64 - (below[1] >> lane & 1) as i64;
            values[lane] = values[lane - 1] - rise + step;
        }
        Self { place, vertical, lanes, values }
    }

    /// Returns the value of the highest cell of the highest lane.
    pub(super) fn top(&self) -> i64 {
        self.value(self.last())
    }

    /// Returns the number of the cell on `diagonal`, counted from the lowest cell of lane 0.
    #[inline(always)]
    fn number(&self, diagonal: i32) -> i32 {
        diagonal - (self.place.column as i32 - (WORD * (self.place.word + 1)) as i32)
    }

    /// Returns the number of the highest cell of the highest lane.
    #[inline(always)]
    fn last(&self) -> i32 {
        (self.lanes * LANE_DIAGONALS) as i32 - 1
    }

    /// Returns the row of the cell with the number `number`.
    #[inline(always)]
    fn row(&self, number: i32) -> i32 {
        let bottom = (WORD * (self.place.word + 1)) as i32;
        let inside = number.clamp(0, self.last());
        let (lane, up) = (inside / LANE_DIAGONALS as i32, inside % LANE_DIAGONALS as i32);
        bottom - WORD as i32 * lane - up + (inside - number).max(0)
    }

    /// Returns the value of the cell with the number `number`.
    #[inline(always)]
    fn value(&self, number: i32) -> i64 {
        let inside = number.clamp(0, self.last()) as usize;
        let (lane, up) = (inside / LANE_DIAGONALS, inside % LANE_DIAGONALS);
        // The differences of the `up` lowest rows of the lane.
        let lowest = (!0u64).checked_shl((WORD - up) as u32).unwrap_or(0);
        let [plus, minus] = self.vertical.map(|words| i64::from((words[lane] & lowest).count_ones()));
        self.values[lane] - plus + minus + i64::from((number - inside as i32).abs())
    }
}

/// The buffers of a search for the cell in which a path crosses a staircase.
#[derive(Default)]
struct StairSearch {
    rows: FurthestRows,
    /// The edits of the path from the staircase to the known part, each with its number of columns.
    forwards: Vec<(EditKind, u64)>,
}

/// The part of a path that is known, from the end backwards.
struct KnownPath {
    row: i32,
    column: i32,
    value: i64,
    backwards: Alignment,
}

impl KnownPath {
    fn go(&mut self, edit: EditKind, len: u64) {
        let (di, dj) = edit.consumed_symbols();
        self.row -= (di * len) as i32;
        self.column -= (dj * len) as i32;
        self.value -= if edit == EditKind::Equal { 0 } else { len as i64 };
        self.backwards.push(edit, len);
    }
}

/// Returns an alignment of `texts` that costs `value`, the value at the last cell of the band whose columns are `kept`.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn alignment<T: Symbol>(kept: &KeptColumns, texts: [&[T]; 2], value: u64, run: &Run) -> Result<Alignment, Halt> {
    let [m, n] = texts.map(|text| text.len() as i32);
    let mut path = KnownPath { row: m, column: n, value: value as i64, backwards: Alignment::with_capacity(2 * value as usize + 1) };
    let mut search = StairSearch::default();
    for (at, place) in kept.places.iter().enumerate().rev() {
        if at % COLUMN_CHECK_INTERVAL == 0 {
            run.tick(0)?;
        }
        let found =
            dispatch!(Level::new(), s => step_back(s, &Staircase::new(*place, &kept.differences(at)), texts, &mut path, &mut search));
        if !found {
            return Err(JobFailure::engine("The path through a band is lost.").into());
        }
    }
    // The first kept column is the left edge of the matrix.
    path.go(EditKind::Delete, path.row as u64);
    path.go(EditKind::Insert, path.column as u64);
    Ok(path.backwards.reversed())
}

/// Extends `path` backwards to a cell of `stairs`. Returns whether there is such a cell.
#[inline(always)]
fn step_back<S: Simd, T: Symbol>(_: S, stairs: &Staircase, [a, b]: [&[T]; 2], path: &mut KnownPath, search: &mut StairSearch) -> bool {
    let StairSearch { rows, forwards } = search;
    let KnownPath { row, column, value, .. } = *path;
    let (a, b) = (&a[..row as usize], &b[..column as usize]);
    let here = stairs.number(column - row);
    rows.begin(a.len(), b.len(), true, StoredEdits::All);
    for edits in 0..=a.len() + b.len() {
        let found = rows.extend(edits, [i32::MIN, i32::MAX], |x, reached| {
            // Diagonal x of the reversed texts is the diagonal `column - row - x`.
            let number = here - x;
            let most = row - stairs.row(number);
            if most < 0 {
                return Continue(UNREACHED_ROW - reached);
            }
            if reached > most {
                return Continue(most - reached);
            }
            let (i, j) = ((row - reached) as usize, (column - reached - x) as usize);
            let left = (most - reached) as usize;
            let equal = T::common_suffix(&a[i - left..i], &b[j - left..j]);
            if equal == left && value - stairs.value(number) == edits as i64 { Break((x, most)) } else { Continue(equal as i32) }
        });
        if let Break((x, reached)) = found {
            forwards.clear();
            rows.trace_back(edits, (x, reached), |edit, len| forwards.push((edit, len)));
            forwards.iter().rev().for_each(|&(edit, len)| path.go(edit, len));
            // Beyond the lanes of the band the path follows its edge.
            let (number, last) = (here - x, stairs.last());
            path.go(EditKind::Insert, (number - last).max(0) as u64);
            path.go(EditKind::Delete, (-number).max(0) as u64);
            return true;
        }
    }
    false
}
