//! Positions of the rows of the side-by-side view in its scroll area: [`ChunkLayout`].
//!
//! Lines wrap, so that the height of a row is only known once the browser has laid it out. Rows are drawn in chunks.
//! The height of a chunk is an estimate until it is measured. Visible rows keep their position when the heights of
//! other chunks change.

use explain::side_by_side::SideBySideOutline;

/// Maximum number of rows of a chunk (rows that are drawn together) that is not folded.
pub const CHUNK: u64 = 40;

/// Number of equal rows that stay unfolded on each side of a change.
const CONTEXT: u64 = 2;

/// Minimum number of adjacent equal rows that a fold replaces.
const FOLDED: u64 = 4;

/// A chunk: adjacent rows that are drawn together, or that one fold replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowChunk {
    pub first: u64,
    /// Number of rows.
    pub len: u64,
    /// Whether a fold (a placeholder) replaces the rows.
    pub folded: bool,
}

/// The positions of all chunks (groups of adjacent rows), from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkLayout {
    chunks: Vec<RowChunk>,
    /// Heights of the chunks, in pixels.
    heights: Vec<f64>,
    /// Upper edges of the chunks, in pixels from the top of the scroll area, followed by the lower edge of the last
    /// chunk.
    tops: Vec<f64>,
}

impl ChunkLayout {
    /// Creates the chunks of all rows of `outline`. `row` is the estimated height of a row, in pixels.
    ///
    /// If `fold` is true, equal rows far from changes are folded. Folds whose first row is in `opened` stay open.
    pub fn new(outline: &SideBySideOutline, row: f64, fold: bool, opened: &[u64]) -> Self {
        let mut chunks = Vec::new();
        let mut open = 0;
        let mut cut = |from: u64, to: u64| {
            chunks.extend((from..to).step_by(CHUNK as usize).map(|first| RowChunk { first, len: CHUNK.min(to - first), folded: false }));
        };
        let mut folds = Vec::new();
        if fold {
            let mut equal = 0;
            for &(start, end) in outline.changes.iter().chain([&(outline.rows, outline.rows)]) {
                let from = if equal == 0 { 0 } else { equal + CONTEXT };
                let to = if start == outline.rows { start } else { start.saturating_sub(CONTEXT) };
                if to >= from + FOLDED && !opened.contains(&from) {
                    folds.push(RowChunk { first: from, len: to - from, folded: true });
                }
                equal = end;
            }
        }
        let mut all = Vec::new();
        for folded in folds {
            cut(open, folded.first);
            open = folded.first + folded.len;
            all.push((folded.first, folded));
        }
        cut(open, outline.rows);
        chunks.extend(all.into_iter().map(|(_, folded)| folded));
        chunks.sort_by_key(|chunk| chunk.first);
        let heights = chunks.iter().map(|chunk| if chunk.folded { row } else { chunk.len as f64 * row }).collect();
        Self { chunks, heights, tops: Vec::new() }.placed()
    }

    fn placed(mut self) -> Self {
        self.tops = std::iter::once(0.0)
            .chain(self.heights.iter().scan(0.0, |top, height| {
                *top += height;
                Some(*top)
            }))
            .collect();
        self
    }

    /// Returns whether any rows are folded.
    pub fn has_folds(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.folded)
    }

    /// Returns the height of all chunks, in pixels.
    pub fn height(&self) -> f64 {
        self.tops.last().copied().unwrap_or(0.0)
    }

    /// Returns the chunks that are at least partly visible in a view of `view` pixels height at the scroll position
    /// `scroll`, or less than `margin` pixels above or below it.
    pub fn visible(&self, scroll: f64, view: f64, margin: f64) -> &[RowChunk] {
        let first = self.tops.partition_point(|top| *top <= scroll - margin).saturating_sub(1);
        let end = self.tops.partition_point(|top| *top < scroll + view + margin).min(self.chunks.len());
        &self.chunks[first.min(end)..end]
    }

    /// Returns all chunks from top to bottom. Adjacent unfolded chunks are joined, up to `most` rows.
    pub fn batches(&self, most: u64) -> Vec<RowChunk> {
        let mut batches: Vec<RowChunk> = Vec::new();
        for chunk in &self.chunks {
            match batches.last_mut().filter(|last| !last.folded && !chunk.folded && last.len + chunk.len <= most) {
                Some(last) => last.len += chunk.len,
                None => batches.push(*chunk),
            }
        }
        batches
    }

    /// Returns the distance of a chunk's upper edge from the top of the scroll area, in pixels.
    pub fn top(&self, chunk: RowChunk) -> f64 {
        self.chunk_index(chunk.first).map_or(0.0, |at| self.tops[at])
    }

    /// Returns the distance of a row's upper edge from the top of the scroll area, in pixels. It is estimated as if all
    /// rows of a chunk had the same height.
    pub fn top_of(&self, row: u64) -> f64 {
        let Some(at) = self.chunk_index(row) else { return 0.0 };
        let (chunk, height) = (self.chunks[at], self.heights[at]);
        self.tops[at] + if chunk.folded { 0.0 } else { height * (row - chunk.first) as f64 / chunk.len as f64 }
    }

    /// Returns the number of the row that is `scroll` pixels below the top of the scroll area, estimated as in
    /// [`Self::top_of`].
    pub fn row_at(&self, scroll: f64) -> u64 {
        let Some(at) = self.tops.partition_point(|top| *top <= scroll).checked_sub(1) else { return 0 };
        let Some(chunk) = self.chunks.get(at.min(self.chunks.len().saturating_sub(1))) else { return 0 };
        let last = if chunk.folded { chunk.first } else { chunk.first + chunk.len - 1 };
        (chunk.first..last).take_while(|row| self.top_of(row + 1) <= scroll).last().map_or(chunk.first, |row| row + 1)
    }

    /// Stores the measured `heights` of chunks, in pixels. Returns by how many pixels the chunk at the scroll position
    /// `scroll` has moved down, so that the caller can scroll by as much.
    pub fn measured(&mut self, heights: &[(RowChunk, f64)], scroll: f64) -> f64 {
        let anchor = self.tops.partition_point(|top| *top <= scroll).saturating_sub(1);
        let before = self.tops.get(anchor).copied().unwrap_or(0.0);
        for (chunk, height) in heights {
            if let Some(at) = self.chunk_index(chunk.first).filter(|at| self.chunks[*at] == *chunk) {
                self.heights[at] = *height;
            }
        }
        *self = std::mem::take(self).placed();
        self.tops.get(anchor).copied().unwrap_or(0.0) - before
    }

    fn chunk_index(&self, row: u64) -> Option<usize> {
        self.chunks.partition_point(|chunk| chunk.first <= row).checked_sub(1)
    }
}

/// Returns the index of the run of changed rows (in `outline.changes`) that is `by` runs after `current`, clamped to
/// the first and last run.
///
/// Returns the first run if `current` is `None`, and `None` if nothing has changed.
pub fn next_change(outline: &SideBySideOutline, current: Option<usize>, by: i64) -> Option<usize> {
    let last = outline.changes.len().checked_sub(1)?;
    Some(match current {
        None => 0,
        Some(current) => current.saturating_add_signed(by as isize).min(last),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(rows: u64, changes: &[(u64, u64)]) -> SideBySideOutline {
        SideBySideOutline { rows, changes: changes.to_vec(), ..SideBySideOutline::default() }
    }

    fn shape(chunks: &ChunkLayout) -> Vec<(u64, u64, bool)> {
        chunks.chunks.iter().map(|chunk| (chunk.first, chunk.len, chunk.folded)).collect()
    }

    #[test]
    fn equal_rows_fold_and_changes_keep_their_context() {
        let outline = outline(200, &[(10, 12), (15, 16), (190, 200)]);
        let folded = ChunkLayout::new(&outline, 10.0, true, &[]);
        assert_eq!(shape(&folded), [(0, 8, true), (8, 10, false), (18, 170, true), (188, 12, false)]);
        assert_eq!(folded.height(), 10.0 + 100.0 + 10.0 + 120.0);
        assert!(folded.has_folds());
        assert!(
            !ChunkLayout::new(
                &SideBySideOutline { rows: 8, changes: vec![(1, 2), (5, 6)], ..SideBySideOutline::default() },
                10.0,
                true,
                &[]
            )
            .has_folds()
        );
        let opened = ChunkLayout::new(&outline, 10.0, true, &[18]);
        assert_eq!(shape(&opened)[1..4], [(8, 40, false), (48, 40, false), (88, 40, false)]);
        assert_eq!(shape(&ChunkLayout::new(&outline, 10.0, false, &[])).len(), 5);
        assert!(shape(&ChunkLayout::new(&SideBySideOutline::default(), 10.0, true, &[])).is_empty());
        let same = super::SideBySideOutline { rows: 9, ..super::SideBySideOutline::default() };
        assert_eq!(shape(&ChunkLayout::new(&same, 10.0, true, &[])), [(0, 9, true)]);
    }

    #[test]
    fn batches_join_neighbouring_chunks_that_are_not_folded() {
        let chunks = ChunkLayout::new(&outline(300, &[(150, 151)]), 10.0, true, &[153]);
        let shape = |most| chunks.batches(most).iter().map(|batch| (batch.first, batch.len, batch.folded)).collect::<Vec<_>>();
        assert_eq!(shape(500), [(0, 148, true), (148, 152, false)]);
        assert_eq!(shape(100), [(0, 148, true), (148, 80, false), (228, 72, false)]);
        assert!(ChunkLayout::default().batches(500).is_empty());
    }

    #[test]
    fn every_row_is_in_one_chunk() {
        for changes in [vec![], vec![(0, 1)], vec![(3, 5), (9, 10), (40, 90)], vec![(99, 100)]] {
            let chunks = ChunkLayout::new(&outline(100, &changes), 10.0, true, &[]);
            let mut next = 0;
            for (first, len, _) in shape(&chunks) {
                assert_eq!(first, next);
                next += len;
            }
            assert_eq!(next, 100);
        }
    }

    #[test]
    fn visible_rows_stay_in_place_if_rows_above_grow() {
        let mut chunks = ChunkLayout::new(&outline(400, &[]), 10.0, false, &[]);
        assert_eq!(chunks.visible(1_000.0, 200.0, 0.0).iter().map(|chunk| chunk.first).collect::<Vec<_>>(), [80]);
        assert_eq!(chunks.visible(0.0, 400.0, 0.0).len(), 1);
        let taller = [(RowChunk { first: 0, len: 40, folded: false }, 650.0), (RowChunk { first: 80, len: 40, folded: false }, 500.0)];
        assert_eq!(chunks.measured(&taller, 1_000.0), 250.0);
        assert_eq!(chunks.height(), 4_000.0 + 250.0 + 100.0);
        assert_eq!(chunks.measured(&taller, 1_000.0), 0.0, "heights that did not change move nothing");
        assert_eq!(chunks.top_of(100), 650.0 + 400.0 + 250.0);
    }

    #[test]
    fn row_at_a_position_is_the_row_that_begins_there() {
        let mut chunks = ChunkLayout::new(&outline(400, &[(100, 101)]), 10.0, true, &[]);
        for row in [98, 99, 100, 102] {
            assert_eq!(chunks.row_at(chunks.top_of(row).ceil()), row);
        }
        chunks.measured(&[(RowChunk { first: 98, len: 5, folded: false }, 133.0)], 0.0);
        for row in [98, 99, 100, 102] {
            assert_eq!(chunks.row_at(chunks.top_of(row).ceil()), row);
        }
        assert_eq!((chunks.row_at(0.0), chunks.row_at(3.0), chunks.row_at(1e9)), (0, 0, 103));
        assert_eq!(ChunkLayout::default().row_at(5.0), 0);
    }

    #[test]
    fn stepping_stops_at_the_last_change() {
        let outline = outline(10, &[(1, 2), (5, 6)]);
        assert_eq!(next_change(&outline, None, 1), Some(0));
        assert_eq!(next_change(&outline, Some(0), 1), Some(1));
        assert_eq!(next_change(&outline, Some(1), 1), Some(1));
        assert_eq!(next_change(&outline, Some(0), -1), Some(0));
        assert_eq!(next_change(&SideBySideOutline::default(), None, 1), None);
    }
}
