//! Parts of an alignment: [`AlignmentWindow`] has a range of columns with their text, and [`overview`] counts the edits
//! in equal parts of all columns.

use kernels::alignment::{Alignment, CigarOp, EditKind};
use kernels::cbor_struct;
use kernels::text::Pair;
use serde::{Deserialize, Serialize};

use crate::excerpt::display_units;

/// A window of an alignment: the columns `from..from + len`, with the text in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Window))]
pub struct AlignmentWindow {
    /// First column of the window.
    pub from: u64,
    /// Number of columns in the window.
    pub len: u64,
    /// Number of columns of the whole alignment.
    pub columns: u64,
    /// Runs of equal edits in the window; their lengths add up to `len`.
    pub stretches: Vec<CigarOp>,
    /// Position in `a` of the first symbol of `a` in or after the window.
    pub a_start: u64,
    /// Position in `b` of the first symbol of `b` in or after the window.
    pub b_start: u64,
    /// The displayed units (symbols) of `a` in the window, one string each. A long unit is cut to its first 1,000
    /// bytes, or fewer if many are long, so that all together have at most 2 MiB, without ellipses.
    pub a: Vec<String>,
    /// The displayed units (symbols) of `b` in the window, cut like the units of `a`.
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

cbor_struct!(AlignmentWindow {
    from,
    len,
    columns,
    stretches,
    a_start,
    b_start,
    a,
    b,
    differences_before,
    previous_difference,
    next_difference
});

/// The numbers of edits in one of the equal parts into which the overview divides the columns of an alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Bin))]
pub struct OverviewBin {
    /// Number of columns with a substitution, and of transpositions that begin in this part.
    pub mismatches: u64,
    /// Number of columns with an insertion (a symbol of `b` only).
    pub insertions: u64,
    /// Number of columns with a deletion (a symbol of `a` only).
    pub deletions: u64,
}

cbor_struct!(OverviewBin { mismatches, insertions, deletions });

impl AlignmentWindow {
    /// Returns the window of the columns `from..from + len` of an alignment of `pair`, cut to the existing columns. For
    /// s runs of equal edits, takes O(log s + `len` + length of the units) time.
    pub fn new(alignment: &Alignment, pair: &Pair, from: u64, len: u64) -> Self {
        let all = alignment.summary();
        let columns = all.columns;
        let from = from.min(columns);
        let end = from.saturating_add(len).min(columns);
        let mut window = Self { from, len: end - from, columns, ..Self::default() };
        let Some(first) = alignment.op_at_column(from) else {
            // The window is behind the last column or the alignment is empty, so everything lies before it.
            (window.a_start, window.b_start) =
                (alignment.a_start() + columns - all.insertions, alignment.b_start() + columns - all.deletions);
            (window.differences_before, window.previous_difference) = (all.differences, alignment.difference_before(columns));
            return window;
        };
        let (di, dj) = first.cigar_op.edit.consumed_symbols();
        let inside = from - first.column;
        (window.a_start, window.b_start) = (first.a + di * inside, first.b + dj * inside);
        window.differences_before = first.differences + u64::from(inside > 0 && first.begins_difference);
        let (mut i, mut j) = (window.a_start, window.b_start);
        for placed in alignment.walk(first).take_while(|placed| placed.column < end) {
            let columns = placed.end().min(end) - placed.column.max(from);
            window.stretches.push(CigarOp { edit: placed.cigar_op.edit, len: columns as u32 });
            let (di, dj) = placed.cigar_op.edit.consumed_symbols();
            (i, j) = (i + di * columns, j + dj * columns);
        }
        (window.a, window.b) = (display_units(&pair.a, window.a_start..i), display_units(&pair.b, window.b_start..j));
        window.previous_difference = alignment.difference_before(from);
        window.next_difference = alignment.difference_from(end);
        window
    }
}

impl OverviewBin {
    /// Counts `len` columns of a run of columns of the kind `edit`, of which `before` columns stand before this part.
    pub fn add(&mut self, edit: EditKind, before: u64, len: u64) {
        match edit {
            EditKind::Equal => {}
            EditKind::Substitute => self.mismatches += len,
            // A transposition has two columns and counts at the first one.
            EditKind::Transpose => self.mismatches += (before + len).div_ceil(2) - before.div_ceil(2),
            EditKind::Insert => self.insertions += len,
            EditKind::Delete => self.deletions += len,
        }
    }
}

/// Counts the edits in each of at most `points` equal parts of an alignment's columns. For s runs of equal edits, takes
/// O(s + `points`) time.
pub fn overview(alignment: &Alignment, points: usize) -> Vec<OverviewBin> {
    let columns = alignment.summary().columns;
    let points = points.min(columns as usize).max(1);
    let mut bins = vec![OverviewBin::default(); points];
    let border = |bin: usize| (u128::from(columns) * bin as u128 / points as u128) as u64;
    let (mut column, mut bin) = (0u64, 0usize);
    for stretch in alignment.cigar_ops() {
        let (start, end) = (column, column + u64::from(stretch.len));
        while column < end {
            while border(bin + 1) <= column {
                bin += 1;
            }
            let part = border(bin + 1).min(end) - column;
            bins[bin].add(stretch.edit, column - start, part);
            column += part;
        }
    }
    bins
}

#[cfg(test)]
mod tests;
