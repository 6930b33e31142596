//! Traceback: builds one optimal alignment from the borders that a sweep kept.
//!
//! If a sweep kept all borders (bottom rows of strips) and the vertical differences along the left edge of every tile,
//! the traceback visits only the tiles on the path, from the end backwards. It first searches for [few
//! edits](few_edits) by the borders alone. If that fails, the tile is solved again and records the bits that steps back
//! need.
//!
//! If the borders of all strips need too much memory, a sweep keeps only [`MAX_KEPT_BORDERS`] of them, at equal
//! distances. Groups of strips are then swept again, below the kept border and only as far as the path's column. Each
//! level takes O(|a| + |b|) memory. The levels are few: 16 levels suffice for far more strips than any text has.
//!
//! The path through a strip depends only on where it enters the strip, so that two paths that meet stay together. Each
//! thread traces a path through a part of the strips, from its likely entry. The true path, which comes from below, is
//! followed strip by strip only until it meets the traced path, mostly within the first strip.

use std::ops::Range;
use std::sync::Arc;

use super::band::Band;
use super::border::StripBorder;
use super::grid::StripGrid;
use super::sweep::{KeptBorders, SweepResult};
use super::tile::{self, TileScratch};
use super::{Recurrence, WORD, WordDifferences, rise};
use crate::alignment::{Alignment, EditKind};
use crate::cpu;
use crate::run::{Halt, Run};
use crate::symbol::Symbol;
use few_edits::{FewEditsSearch, TileCorner};

pub(super) mod few_edits;

/// Number of borders (bottom rows of strips) that a sweep keeps if the memory does not suffice for all.
const MAX_KEPT_BORDERS: usize = 16;

/// Minimum number of strips (rows of tiles) for which it is worth starting a thread.
const MIN_STRIPS_PER_THREAD: usize = 4;

/// Number of cells of a tile that are solved again in the time in which a search for few edits extends one diagonal.
const TILE_CELLS_PER_DIAGONAL: usize = 512;

/// A finished sweep of `strips` (rows of tiles) below the border row `top`, and what it kept.
pub(crate) struct StripSweep<const K: usize> {
    pub(crate) strips: Range<usize>,
    pub(crate) top: Arc<StripBorder<K>>,
    pub(crate) kept_borders: KeptBorders,
    pub(crate) sweep: SweepResult<K>,
}

/// The state of a thread that traces a part of an optimal path.
struct TraceWorker<'w, const K: usize> {
    swept: &'w StripSweep<K>,
    scratch: TileScratch<K>,
    horizontal: Vec<WordDifferences<K>>,
    few_edits: FewEditsSearch,
    run: &'w Run<'w>,
}

impl<'w, const K: usize> TraceWorker<'w, K> {
    fn new(swept: &'w StripSweep<K>, run: &'w Run) -> Self {
        Self { swept, scratch: TileScratch::default(), horizontal: Vec::new(), few_edits: FewEditsSearch::default(), run }
    }
}

/// A part of an optimal path, traced backwards.
struct BackwardPath {
    /// Row and column from which this part was traced backwards.
    from: (usize, usize),
    i: usize,
    j: usize,
    /// Runs of equal edits, in the order in which they were traced.
    backwards: Vec<(EditKind, u64)>,
    /// Number of substitutions, insertions and deletions in `backwards`.
    edits: usize,
}

impl BackwardPath {
    fn new(from: (usize, usize)) -> Self {
        Self { from, i: from.0, j: from.1, backwards: Vec::new(), edits: 0 }
    }

    /// Appends `other`, a part of the path that was traced from the cell that this part has reached.
    fn follow(&mut self, other: &Self) {
        other.backwards.iter().for_each(|&(edit, len)| self.go(edit, len as usize));
    }

    fn go(&mut self, edit: EditKind, len: usize) {
        if len == 0 {
            return;
        }
        match self.backwards.last_mut() {
            Some(last) if last.0 == edit => last.1 += len as u64,
            _ => self.backwards.push((edit, len as u64)),
        }
        self.edits += if edit == EditKind::Equal { 0 } else { len };
        let (di, dj) = edit.consumed_symbols();
        self.i -= di as usize * len;
        self.j -= dj as usize * len;
    }
}

impl<T: Symbol, R: Recurrence<K>, const K: usize> StripGrid<'_, T, R, K> {
    /// Chooses which borders (bottom rows) a sweep of `strips` in `band` up to column `end` (exclusive) can keep within
    /// the memory limit. Returns them and their size in bytes.
    pub(crate) fn choose_borders(&self, strips: Range<usize>, band: Band, end: usize) -> (KeptBorders, u64) {
        let bytes = |strip| StripBorder::<K>::bytes(&self.columns(strip, band, end)) * 3 / 2;
        let all: u64 = strips.clone().map(bytes).sum();
        if all <= self.borders_bytes || strips.len() <= MAX_KEPT_BORDERS {
            (KeptBorders::All, all)
        } else {
            (KeptBorders::Every(strips.len().div_ceil(MAX_KEPT_BORDERS)), all.div_ceil(strips.len() as u64) * MAX_KEPT_BORDERS as u64)
        }
    }

    /// Traces one optimal alignment back through `swept`, a sweep of the whole matrix in the diagonal band `band`.
    pub(crate) fn trace(&self, swept: &StripSweep<K>, band: Band, run: &Run) -> Result<Alignment, Halt> {
        let mut path = BackwardPath::new((self.a.len(), self.b.len()));
        self.trace_back(swept, band, &mut path, run)?;
        path.go(EditKind::Delete, path.i);
        path.go(EditKind::Insert, path.j);
        let mut alignment = Alignment::default();
        path.backwards.iter().rev().for_each(|&(edit, len)| alignment.push(edit, len));
        Ok(alignment)
    }

    /// Extends `path` backwards to the top of the swept strips, or to column 0. Sweeps groups of strips again if
    /// `swept` kept only some borders.
    fn trace_back(&self, swept: &StripSweep<K>, band: Band, path: &mut BackwardPath, run: &Run) -> Result<(), Halt> {
        let KeptBorders::Every(every) = swept.kept_borders else { return self.walk(swept, path, run) };
        let starts: Vec<usize> = swept.strips.clone().step_by(every).collect();
        for start in starts.into_iter().rev() {
            let strips = start..(start + every).min(swept.strips.end);
            if path.j == 0 || path.i <= self.rows(strips.start).start {
                continue;
            }
            let above = start.checked_sub(swept.strips.start + 1).and_then(|place| swept.sweep.borders[place].clone());
            let top = above.unwrap_or_else(|| Arc::clone(&swept.top));
            let end = path.j.next_multiple_of(WORD).min(self.b.len());
            let (keep, bytes) = self.choose_borders(strips.clone(), band, end);
            run.hold(bytes);
            let sweep = self.sweep(strips.clone(), Arc::clone(&top), band, end, keep, run)?;
            self.trace_back(&StripSweep { strips, top, kept_borders: keep, sweep }, band, path, run)?;
            run.release(bytes);
        }
        Ok(())
    }

    /// Extends `path` backwards through all strips of `swept`, a sweep that kept all borders (bottom rows), on all
    /// threads.
    fn walk(&self, swept: &StripSweep<K>, path: &mut BackwardPath, run: &Run) -> Result<(), Halt> {
        let strips = swept.strips.start..swept.strips.end.min(path.i.div_ceil(self.height.rows()));
        let each = strips.len().div_ceil(self.threads).max(MIN_STRIPS_PER_THREAD);
        let parts: Vec<Range<usize>> = strips.clone().step_by(each).map(|first| first..(first + each).min(strips.end)).collect();
        let ways = cpu::spread(&parts, self.threads, |part| -> Result<Vec<BackwardPath>, Halt> {
            let enter = if part.end == strips.end { Some((path.i, path.j)) } else { self.likely(swept, part.end - 1, path) };
            let Some(enter) = enter else { return Ok(Vec::new()) };
            let mut way = Vec::with_capacity(part.len());
            let mut walk = TraceWorker::new(swept, run);
            for strip in part.clone().rev() {
                let enter = way.last().map_or(enter, |last: &BackwardPath| (last.i, last.j));
                way.push(self.through(strip, enter, &mut walk)?);
            }
            Ok(way)
        });
        let mut walk = TraceWorker::new(swept, run);
        for (part, way) in parts.into_iter().zip(ways).rev() {
            for (strip, likely) in part.rev().zip(way?.into_iter().map(Some).chain(std::iter::repeat_with(|| None))) {
                match likely.filter(|likely| likely.from == (path.i, path.j)) {
                    Some(likely) => path.follow(&likely),
                    None => path.follow(&self.through(strip, (path.i, path.j), &mut walk)?),
                }
            }
        }
        Ok(())
    }

    /// Returns the number of pairs of symbols that match at the ends of two texts.
    fn common_suffix(&self, a: &[T], b: &[T]) -> usize {
        let symbol_match = self.symbol_match();
        if symbol_match.is_equality() {
            return T::common_suffix(a, b);
        }
        a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| symbol_match.matches(x.number(), y.number())).count()
    }

    /// Finds a cell on the bottom row of `strip` through which the rest of `path` probably passes. This is the cell
    /// with the lowest value relative to the average cost of its column. Returns its row and column, or `None` if
    /// `swept` has not kept this bottom row.
    fn likely(&self, swept: &StripSweep<K>, strip: usize, path: &BackwardPath) -> Option<(usize, usize)> {
        let border = swept.sweep.borders[strip - swept.strips.start].as_ref()?;
        let share = swept.sweep.corner as f64 / (path.i + path.j) as f64;
        let values = border.values();
        let least = values.min_by(|one, other| {
            let beside = |&(column, value): &(usize, u64)| value as f64 - share * column as f64;
            beside(one).total_cmp(&beside(other))
        });
        least.map(|(column, _)| (self.rows(strip).end, column))
    }

    /// Traces the path from the cell `from` to the top of `strip`. Tiles on the path are searched for few edits or
    /// solved again, from the end backwards.
    fn through(&self, strip: usize, from: (usize, usize), walk: &mut TraceWorker<K>) -> Result<BackwardPath, Halt> {
        let TraceWorker { swept, scratch, horizontal, few_edits, run } = walk;
        let mut path = BackwardPath::new(from);
        let place = strip - swept.strips.start;
        let rows = self.rows(strip);
        let Some(border) = &swept.sweep.borders[place] else { return Ok(path) };
        let above = place.checked_sub(1).and_then(|place| swept.sweep.borders[place].as_ref()).unwrap_or(&swept.top);
        // To the right of the solved columns, a border rises by one per column.
        let solved = border.solved_columns();
        path.go(EditKind::Insert, path.j.saturating_sub(solved.end));
        // The bottom row of the last strip may lie below the end of the text.
        let is_bottom = path.i == (strip + 1) * self.height.rows();
        let mut value = (is_bottom && path.j >= solved.start).then(|| border.at(path.j) as i64);
        while path.i > rows.start && path.j > solved.start {
            let tile = (path.j - 1 - solved.start) / self.tile_columns;
            let columns = solved.start + tile * self.tile_columns..path.j;
            above.copy(&columns, horizontal);
            let words = self.height.words();
            let mut vertical = swept.sweep.cuts[place][tile * words..(tile + 1) * words].to_vec();
            if let Some(value) = &mut value
                && self.symbol_match().is_equality()
            {
                let corner = TileCorner {
                    a: &self.a[rows.start..path.i],
                    b: &self.b[columns.clone()],
                    substitutes: R::SUBSTITUTES,
                    most: (self.height.rows() * columns.len() / TILE_CELLS_PER_DIAGONAL).isqrt(),
                };
                let first = above.at(columns.start) as i64;
                // On the tile's top and left edge either `row` or `column` is 0, so that the value needs only one of
                // the sums.
                let apart = |row, column| *value - first - rise(&vertical, row) - rise(horizontal, column);
                if let Some(edits) = few_edits.solve(&corner, apart) {
                    *value -= edits as i64;
                    few_edits.forwards.iter().rev().for_each(|&(edit, len)| path.go(edit, len as usize));
                    continue;
                }
            }
            let before = path.edits;
            let record = tile::record::<R, K>(&mut self.tile(strip, &columns, &mut vertical, horizontal), scratch);
            run.raise_expected((rows.len() * columns.len()) as u64);
            run.tick((rows.len() * columns.len()) as u64)?;
            while path.i > rows.start && path.j > columns.start {
                // A step over symbols that match is always optimal.
                let equal = self.common_suffix(&self.a[rows.start..path.i], &self.b[columns.start..path.j]);
                if equal > 0 {
                    path.go(EditKind::Equal, equal);
                    continue;
                }
                let seen = record.at(path.i - 1 - rows.start, path.j - 1 - columns.start);
                path.go(R::last_edit(seen), 1);
            }
            value = value.map(|value| value - (path.edits - before) as i64);
        }
        // To the left of the band, values rise by one per row.
        path.go(EditKind::Delete, path.i.saturating_sub(rows.start));
        Ok(path)
    }
}
