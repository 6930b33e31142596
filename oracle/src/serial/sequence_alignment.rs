//! Sequence alignment by its plain recurrences, with three values for each cell.

use std::ops::Range;

use kernels::alignment::{Alignment, EditKind};
use kernels::job::{AlignmentMode, GapCosts, Scoring};

/// An optimal alignment of a piece of each text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedPieces {
    /// Greatest sum of points.
    pub score: i64,
    /// The aligned piece of `a`.
    pub a: Range<u64>,
    /// The aligned piece of `b`.
    pub b: Range<u64>,
    /// The columns of both pieces.
    pub alignment: Alignment,
}

/// The score of the best alignment that ends in a cell, and where that alignment starts. The order prefers greater
/// scores, then later starts in `b`, then later starts in `a`.
type Value = (i64, usize, usize);

/// The values of a cell: of all alignments, of those that end with a deletion, and of those that end with an insertion.
#[derive(Clone, Copy, Debug, Default)]
struct CellValues {
    all: Option<Value>,
    delete: Option<Value>,
    insert: Option<Value>,
}

fn plus(value: Option<Value>, points: i64) -> Option<Value> {
    value.map(|(score, b, a)| (score + points, b, a))
}

/// Returns an optimal alignment of `a` and `b`. Of several ones, it ends first in `b`, then first in `a`; then it starts last
/// in `b`, then last in `a`. `points` returns the points of two symbols; those of `scoring` are not used.
///
/// Takes O(|a||b|) time and memory, so that it suits small texts only.
pub fn align(a: &[u32], b: &[u32], points: &dyn Fn(u32, u32) -> i64, scoring: &Scoring) -> AlignedPieces {
    align_positions([a.len(), b.len()], &|i, j| Some(points(a[i], b[j])), &|i, j| a[i] == b[j], scoring)
}

/// Returns the highest score of a global alignment of texts of the lengths `m` and `n`, like [`align_positions`].
pub fn global_score(lens: [usize; 2], points: &dyn Fn(usize, usize) -> Option<i64>, gap: GapCosts) -> i64 {
    align_positions(lens, points, &|_, _| false, &Scoring { gap, ..Scoring::DEFAULT }).score
}

/// Returns an optimal alignment like [`align`] of texts of the lengths `m` and `n`. `points` returns the points of a position
/// in `a` and one in `b`, or `None` if the alignment must not have this pair.
pub fn align_positions(
    [m, n]: [usize; 2],
    points: &dyn Fn(usize, usize) -> Option<i64>,
    is_equal: &dyn Fn(usize, usize) -> bool,
    scoring: &Scoring,
) -> AlignedPieces {
    let is_local = scoring.mode == AlignmentMode::Local;
    let free = scoring.free();
    let (open, extend) = (i64::from(scoring.gap.open), i64::from(scoring.gap.extend));
    let starts = |i: usize, j: usize| is_local || (i == 0 && j == 0) || (i == 0 && free.b_start) || (j == 0 && free.a_start);
    let ends = |i: usize, j: usize| is_local || (i == m && j == n) || (i == m && free.b_end) || (j == n && free.a_end);
    let mut cells = vec![vec![CellValues::default(); n + 1]; m + 1];
    for i in 0..=m {
        for j in 0..=n {
            let delete = if i == 0 { None } else { plus(cells[i - 1][j].all, -open - extend).max(plus(cells[i - 1][j].delete, -extend)) };
            let insert = if j == 0 { None } else { plus(cells[i][j - 1].all, -open - extend).max(plus(cells[i][j - 1].insert, -extend)) };
            let pair = if i == 0 || j == 0 { None } else { points(i - 1, j - 1).and_then(|points| plus(cells[i - 1][j - 1].all, points)) };
            let start = starts(i, j).then_some((0, j, i));
            cells[i][j] = CellValues { all: start.max(pair).max(delete).max(insert), delete, insert };
        }
    }
    let all_cells = (0..=n).flat_map(|j| (0..=m).map(move |i| (i, j)));
    let ends = all_cells.filter(|&(i, j)| ends(i, j));
    let score_at = |(i, j): (usize, usize)| cells[i][j].all.map(|(score, _, _)| score);
    // Of several ends with the same score, the last one in reverse order is the first one.
    let end = ends.rev().max_by_key(|end| score_at(*end)).expect("an alignment may end in the last cell");
    let score = score_at(end).expect("an alignment may start in the first cell");
    let mut backwards = Alignment::default();
    let (mut i, mut j) = end;
    let mut value = cells[i][j].all;
    // The kind of gap that the alignment must end with, if its last column was cut off within a gap.
    let mut within = None;
    while value != Some((0, j, i)) || within.is_some() {
        let pair = if i > 0 && j > 0 && within.is_none() { points(i - 1, j - 1) } else { None };
        if pair.is_some_and(|pair| value == plus(cells[i - 1][j - 1].all, pair)) {
            backwards.push(if is_equal(i - 1, j - 1) { EditKind::Equal } else { EditKind::Substitute }, 1);
            (i, j) = (i - 1, j - 1);
            value = cells[i][j].all;
            continue;
        }
        let is_delete = within.unwrap_or(value == cells[i][j].delete);
        let before = if is_delete { (i - 1, j) } else { (i, j - 1) };
        backwards.push(if is_delete { EditKind::Delete } else { EditKind::Insert }, 1);
        let CellValues { all, delete, insert } = cells[before.0][before.1];
        let gap = if is_delete { delete } else { insert };
        let is_opened = value == plus(all, -open - extend);
        (value, within) = if is_opened { (all, None) } else { (gap, Some(is_delete)) };
        (i, j) = before;
    }
    let (a, b) = (i as u64..end.0 as u64, j as u64..end.1 as u64);
    AlignedPieces { score, a, b, alignment: backwards.reversed() }
}
