//! The recurrences, row by row.

use super::{BestEnd, MatrixEnd, MatrixStart};
use crate::alignment::{Alignment, EditKind};
use crate::job::GapCosts;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// A score that no alignment has, and that stays below all scores if costs are subtracted.
const NEVER: i64 = i64::MIN / 2;

/// One row of the matrix, with the values of each column.
#[derive(Clone, Debug)]
struct Row {
    h: Vec<i64>,
    e: Vec<i64>,
}

impl Row {
    /// Creates the first row.
    fn first(n: usize, gap: GapCosts, start: MatrixStart) -> Self {
        let is_free = !matches!(start, MatrixStart::Edges { free_columns: false, .. });
        let h = (0..=n).map(|j| if is_free { 0 } else { -(gap.of(j as u64) as i64) }).collect();
        Self { h, e: vec![NEVER; n + 1] }
    }

    /// Computes the row `i` from the row before it. `choices` receives for each cell whether its pair, its gap in `b` or
    /// its gap in `a` is best, and whether both gaps are extended.
    fn advance(
        &mut self,
        i: usize,
        points: impl Fn(usize, usize) -> i64,
        gap: GapCosts,
        start: MatrixStart,
        mut choices: impl FnMut(usize, Choice),
    ) {
        let (open, extend) = (i64::from(gap.open), i64::from(gap.extend));
        let floor = if start == MatrixStart::Anywhere { 0 } else { NEVER };
        let is_free = !matches!(start, MatrixStart::Edges { free_rows: false, .. });
        let mut diagonal = self.h[0];
        self.h[0] = if is_free { 0 } else { -(gap.of(i as u64) as i64) };
        let mut f = NEVER;
        for j in 1..self.h.len() {
            let (e_opened, f_opened) = (self.h[j] - open, self.h[j - 1] - open);
            let extends = [self.e[j] > e_opened, f > f_opened];
            let e = self.e[j].max(e_opened) - extend;
            f = f.max(f_opened) - extend;
            let pair = diagonal + points(i - 1, j - 1);
            let h = pair.max(e).max(f).max(floor);
            diagonal = self.h[j];
            (self.h[j], self.e[j]) = (h, e);
            choices(j, Choice { is_pair: h == pair, is_delete: h == e, extends });
        }
    }
}

/// The ways in which the best alignments end in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    is_pair: bool,
    is_delete: bool,
    /// Whether the best alignments that end with a deletion, and those that end with an insertion, extend a gap.
    extends: [bool; 2],
}

/// Finds the best end of an alignment of `m` and `n` symbols.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn best_end(
    m: usize,
    n: usize,
    points: impl Fn(usize, usize) -> i64,
    gap: GapCosts,
    start: MatrixStart,
    end: MatrixEnd,
    run: &Run,
) -> Result<BestEnd, Halt> {
    run.raise_expected(m as u64 * n as u64);
    let mut row = Row::first(n, gap, start);
    let mut best = BestEnd { score: i64::MIN, rows: m, columns: n };
    for i in 0..=m {
        if i > 0 {
            row.advance(i, &points, gap, start, |_, _| ());
            run.tick(n as u64)?;
        }
        let (all_columns, last_column) = match end {
            MatrixEnd::Anywhere => (true, true),
            MatrixEnd::Edges { free_rows, free_columns } => (i == m && free_columns, i == m || free_rows),
        };
        let first = if all_columns { 0 } else { n };
        if last_column {
            row.h[first..].iter().zip(first..).for_each(|(&score, columns)| best.improve(BestEnd { score, rows: i, columns }));
        }
    }
    Ok(best)
}

/// Aligns all of `a` to all of `b`. Takes O(|b| √|a|) memory.
///
/// # Errors
/// Returns an error if the run is stopped.
pub(super) fn align<T: Symbol>(a: &[T], b: &[T], points: impl Fn(T, T) -> i64, gap: GapCosts, run: &Run) -> Result<Alignment, Halt> {
    let (m, n) = (a.len(), b.len());
    let start = MatrixStart::Edges { free_rows: false, free_columns: false };
    let each = m.isqrt().max(1);
    let points = |i: usize, j: usize| points(a[i], b[j]);
    let mut row = Row::first(n, gap, start);
    let mut kept = Vec::new();
    run.raise_expected(2 * m as u64 * n as u64);
    for i in 1..=m {
        if (i - 1) % each == 0 {
            kept.push(row.clone());
        }
        row.advance(i, points, gap, start, |_, _| ());
        run.tick(n as u64)?;
    }
    let mut backwards = Alignment::default();
    let (mut i, mut j) = (m, n);
    let mut within = None;
    while let Some(mut row) = kept.pop() {
        let first = each * kept.len();
        let mut choices = vec![vec![Choice::default(); n + 1]; i - first + 1];
        for (line, choices) in choices.iter_mut().enumerate().skip(1) {
            row.advance(first + line, points, gap, start, |j, choice| choices[j] = choice);
            run.tick(n as u64)?;
        }
        while i > first && j > 0 {
            let Choice { is_pair, is_delete, extends } = choices[i - first][j];
            if is_pair && within.is_none() {
                backwards.push(if a[i - 1] == b[j - 1] { EditKind::Equal } else { EditKind::Substitute }, 1);
                (i, j) = (i - 1, j - 1);
                continue;
            }
            let is_delete = within.unwrap_or(is_delete);
            within = extends[usize::from(!is_delete)].then_some(is_delete);
            backwards.push(if is_delete { EditKind::Delete } else { EditKind::Insert }, 1);
            (i, j) = if is_delete { (i - 1, j) } else { (i, j - 1) };
        }
    }
    backwards.push(EditKind::Delete, i as u64);
    backwards.push(EditKind::Insert, j as u64);
    Ok(backwards.reversed())
}
