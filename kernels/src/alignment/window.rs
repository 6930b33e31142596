//! Looking at a part of an alignment: a window of columns, and the overview of all of them.

use serde::{Deserialize, Serialize};

use super::{Alignment, Edit, MARK_EVERY, Mark, Stretch};
use crate::text::Pair;

/// Columns `from..from + len` of an alignment, with the texts under them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First column.
    pub from: u64,
    /// Columns in this window.
    pub len: u64,
    /// Columns of the whole alignment.
    pub columns: u64,
    /// What the columns do; the lengths add up to `len`.
    pub stretches: Vec<Stretch>,
    /// Position in `a` of the first symbol at or after `from`.
    pub a_start: u64,
    /// The same in `b`.
    pub b_start: u64,
    /// The units of `a` in the window, one string each.
    pub a: Vec<String>,
    /// The units of `b`.
    pub b: Vec<String>,
    /// Number of differences (runs of columns that are not equal) that begin before the window.
    pub differences_before: u64,
    /// First column of the nearest difference that begins before the window.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub previous_difference: Option<u64>,
    /// First column of the nearest difference that begins at or after the window's end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next_difference: Option<u64>,
}

/// Edits in one part of the overview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bin {
    /// Substitutions.
    pub mismatches: u64,
    /// Insertions.
    pub insertions: u64,
    /// Deletions.
    pub deletions: u64,
}

/// A stretch and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    at: usize,
    pub(super) mark: Mark,
    pub(super) stretch: Stretch,
}

impl Alignment {
    /// The columns `from..from + len`, cut to what there is. Time O(log stretches + len + length of the units).
    pub fn window(&self, pair: &Pair, from: u64, len: u64) -> Window {
        let columns = self.summary.columns;
        let from = from.min(columns);
        let end = from.saturating_add(len).min(columns);
        let mut window = Window { from, len: end - from, columns, ..Window::default() };
        let Some(first) = self.find(from) else { return window };
        let (di, dj) = first.stretch.edit.takes();
        let inside = from - first.mark.column;
        (window.a_start, window.b_start) = (first.mark.a + di * inside, self.b_start + first.mark.b + dj * inside);
        window.differences_before = first.mark.difference + u64::from(inside > 0 && self.begins_difference(first.at));
        let (mut i, mut j) = (window.a_start, window.b_start);
        for placed in self.walk(first).take_while(|placed| placed.mark.column < end) {
            let start = placed.mark.column.max(from);
            let stop = (placed.mark.column + u64::from(placed.stretch.len)).min(end);
            window.stretches.push(Stretch { edit: placed.stretch.edit, len: (stop - start) as u32 });
            let (di, dj) = placed.stretch.edit.takes();
            let (to_i, to_j) = (i + di * (stop - start), j + dj * (stop - start));
            window.a.extend((i..to_i).map(|at| pair.a.show(at as usize)));
            window.b.extend((j..to_j).map(|at| pair.b.show(at as usize)));
            (i, j) = (to_i, to_j);
        }
        window.previous_difference = self.difference_before(from);
        window.next_difference = self.difference_from(end);
        window
    }

    /// First column of the nearest difference that begins before `column`.
    pub fn difference_before(&self, column: u64) -> Option<u64> {
        let mut placed = self.find(column.checked_sub(1)?.min(self.summary.columns.checked_sub(1)?))?;
        while !self.begins_difference(placed.at) {
            placed = self.find(placed.mark.column.checked_sub(1)?)?;
        }
        Some(placed.mark.column)
    }

    /// First column of the nearest difference that begins at or after `column`.
    pub fn difference_from(&self, column: u64) -> Option<u64> {
        let first = self.find(column)?;
        self.walk(first).find(|placed| placed.mark.column >= column && self.begins_difference(placed.at)).map(|placed| placed.mark.column)
    }

    /// First column of the difference number `number`, from 0. Time O(log stretches).
    pub fn difference(&self, number: u64) -> Option<u64> {
        let mark = self.marks.partition_point(|mark| mark.difference <= number).checked_sub(1)?;
        let first = self.placed(mark * MARK_EVERY, self.marks[mark])?;
        self.walk(first)
            .filter(|placed| self.begins_difference(placed.at))
            .find(|placed| placed.mark.difference == number)
            .map(|placed| placed.mark.column)
    }

    /// Edits in each of `points` equal parts of the columns. Time O(stretches + points).
    pub fn overview(&self, points: usize) -> Vec<Bin> {
        let columns = self.summary.columns;
        let points = points.min(columns as usize).max(1);
        let mut bins = vec![Bin::default(); points];
        let border = |bin: usize| (u128::from(columns) * bin as u128 / points as u128) as u64;
        let (mut column, mut bin) = (0u64, 0usize);
        for stretch in &self.stretches {
            let end = column + u64::from(stretch.len);
            while column < end {
                while border(bin + 1) <= column {
                    bin += 1;
                }
                let part = border(bin + 1).min(end) - column;
                match stretch.edit {
                    Edit::Equal => {}
                    Edit::Substitute => bins[bin].mismatches += part,
                    Edit::Insert => bins[bin].insertions += part,
                    Edit::Delete => bins[bin].deletions += part,
                }
                column += part;
            }
        }
        bins
    }

    /// The stretch that holds a column.
    pub(super) fn find(&self, column: u64) -> Option<Placed> {
        let mark = self.marks.partition_point(|mark| mark.column <= column).checked_sub(1)?;
        let first = self.placed(mark * MARK_EVERY, self.marks[mark])?;
        self.walk(first).find(|placed| column < placed.mark.column + u64::from(placed.stretch.len))
    }

    pub(super) fn placed(&self, at: usize, mark: Mark) -> Option<Placed> {
        self.stretches.get(at).map(|&stretch| Placed { at, mark, stretch })
    }

    /// This stretch and all after it.
    pub(super) fn walk(&self, first: Placed) -> impl Iterator<Item = Placed> + '_ {
        std::iter::successors(Some(first), |last| {
            let (di, dj) = last.stretch.edit.takes();
            let len = u64::from(last.stretch.len);
            let mark = Mark {
                column: last.mark.column + len,
                a: last.mark.a + di * len,
                b: last.mark.b + dj * len,
                difference: last.mark.difference + u64::from(self.begins_difference(last.at)),
            };
            self.placed(last.at + 1, mark)
        })
    }

    fn begins_difference(&self, at: usize) -> bool {
        self.stretches[at].edit != Edit::Equal && (at == 0 || self.stretches[at - 1].edit == Edit::Equal)
    }
}
