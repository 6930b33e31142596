//! The matrix as strips of tiles, and the sweep over them: a band around the diagonal, on any number of threads.
//!
//! A strip is one tile high. It reads the bottom border of the strip above and writes its own; a border says how far it
//! is ready, so that threads work on several strips at once, each some tiles behind the one above it. Left of a strip's
//! first column and beyond the border above, differences of +1 stand in for what was not computed: the values are then
//! upper bounds, made of real edit scripts, and exact wherever an optimal path lies inside the band (Ukkonen 1985).

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::border::Border;
use super::limit::{Corridor, Limit};
use super::planes::Planes;
use super::tile::{self, Height, Scratch, Tile, Tiling};
use super::{Differences, Rule, WORD, rise};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Most memory for the borders that one sweep keeps, in bytes; small texts never reach it.
const BORDERS_BYTES: u64 = 192 << 20;

/// Diagonals `j − i` that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band<'l> {
    low: i64,
    high: i64,
    limit: Option<&'l Limit>,
}

impl<'l> Band<'l> {
    /// Everything that an alignment of at most `k` edits can reach between texts of these lengths; `k ≥ |n − m|`.
    pub(crate) fn within(k: u64, m: usize, n: usize) -> Self {
        let delta = n as i64 - m as i64;
        let slack = (k as i64 - delta.abs()).max(0) / 2;
        Self { low: delta.min(0) - slack, high: delta.max(0) + slack, limit: None }
    }

    /// Everything that `k` edits can reach from the first row and the first column.
    pub(crate) fn from_corner(k: u64) -> Self {
        Self { low: -(k as i64), high: k as i64, limit: None }
    }

    /// The lowest and the highest one.
    pub(super) fn diagonals(self) -> (i64, i64) {
        (self.low, self.high)
    }

    /// Of these only what can lie on an alignment within the limit.
    pub(crate) fn under(self, limit: &'l Limit) -> Self {
        Self { limit: Some(limit), ..self }
    }
}

/// Two texts, cut into strips.
pub(crate) struct Grid<'t, T, R, const K: usize> {
    /// Rows.
    pub(crate) a: &'t [T],
    /// Columns.
    pub(crate) b: &'t [T],
    /// Height of a strip.
    pub(crate) height: Height,
    /// Columns of a tile.
    pub(super) tile_columns: usize,
    /// Most memory for the borders that one sweep keeps, in bytes.
    pub(crate) borders_bytes: u64,
    /// Differences down the left border: +1, or 0 where a path may begin in any row. Where they are not +1, a band must hold
    /// the first column of every row.
    pub(crate) left: Differences<K>,
    /// Hears of the right border of each strip that reaches it: the value at its end, the differences down it, and its rows. Strips
    /// come about in their order.
    pub(crate) heed: Option<&'t Heed<'t, K>>,
    planes: Planes,
    pub(super) threads: usize,
    rule: PhantomData<R>,
}

/// Vertical differences at the left of every tile of a strip, from the top word down, one tile after the other.
pub(crate) type Cuts<const K: usize> = Vec<Differences<K>>;

/// Hears of borders while a sweep is under way; an error ends it.
pub(crate) type Heed<'h, const K: usize> = dyn Fn(u64, &[Differences<K>], usize) -> Result<(), Halt> + Sync + 'h;

/// Which borders a sweep keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// None: only the value at the end is wanted.
    Nothing,
    /// The bottom of every so many strips, counted from the first.
    Every(usize),
    /// All, and the cuts.
    All,
    /// None, but the right border where the band reaches it.
    Right,
}

/// What a sweep leaves.
pub(crate) struct Sweep<const K: usize> {
    /// Value at the last row and the last column of the sweep.
    pub(crate) corner: u64,
    /// Kept borders, one place a strip.
    pub(super) borders: Vec<Option<Arc<Border<K>>>>,
    /// Kept cuts, one place a strip.
    pub(super) cuts: Vec<Cuts<K>>,
}

impl<const K: usize> Sweep<K> {
    /// Differences down the last column, of the words of every strip; none of a strip whose last column is another one. The last
    /// strip is filled up.
    pub(crate) fn right(&self) -> impl Iterator<Item = &[Differences<K>]> {
        self.cuts.iter().map(|cuts| cuts.as_slice())
    }
}

/// The place in line: which strip is next, and what lies above it.
struct Line<const K: usize> {
    next: usize,
    above: Arc<Border<K>>,
}

/// What all threads of a sweep share.
struct Shared<'s, const K: usize> {
    strips: Range<usize>,
    band: Band<'s>,
    end: usize,
    keep: Keep,
    line: Mutex<Line<K>>,
    given_up: AtomicBool,
    out: Mutex<Sweep<K>>,
    run: &'s Run<'s>,
}

/// Dropped where a strip ends early, by a stop or a panic: wakes whoever waits for its border.
struct Ends<'s, const K: usize> {
    border: &'s Border<K>,
    given_up: &'s AtomicBool,
}

impl<const K: usize> Drop for Ends<'_, K> {
    fn drop(&mut self) {
        self.given_up.store(true, Relaxed);
        self.border.wake();
    }
}

impl<'t, T: Symbol, R: Rule<K>, const K: usize> Grid<'t, T, R, K> {
    /// Cuts the matrix of two texts into strips.
    pub(crate) fn new(a: &'t [T], b: &'t [T], tiling: Tiling, threads: usize) -> Self {
        Self::of((a, b), Planes::new(a, b), tiling, threads)
    }

    /// The same, given the planes of both texts.
    pub(crate) fn of((a, b): (&'t [T], &'t [T]), planes: Planes, tiling: Tiling, threads: usize) -> Self {
        let Tiling { height, columns: tile_columns } = tiling;
        let left = Differences::RISING;
        Self {
            a,
            b,
            height,
            tile_columns,
            borders_bytes: BORDERS_BYTES,
            left,
            heed: None,
            planes,
            threads: threads.max(1),
            rule: PhantomData,
        }
    }

    /// Memory in bytes, without borders.
    pub(crate) fn bytes(&self) -> u64 {
        self.planes.bytes()
    }

    /// Number of strips.
    pub(crate) fn strips(&self) -> usize {
        self.a.len().div_ceil(self.height.rows())
    }

    /// Rows of a strip, the last one's cut to the text.
    pub(super) fn rows(&self, strip: usize) -> Range<usize> {
        let first = strip * self.height.rows();
        first..(first + self.height.rows()).min(self.a.len())
    }

    /// Columns of a strip in a band, as far as `end`.
    pub(super) fn columns(&self, strip: usize, band: Band, end: usize) -> Range<usize> {
        let rows = self.rows(strip);
        let low = (rows.start as i64 + band.low).max(0) as usize / WORD * WORD;
        let high = ((rows.end as i64 + band.high).max(0) as usize).next_multiple_of(WORD).min(end);
        low.min(high / WORD * WORD)..high
    }

    /// Cells of some strips in a band.
    pub(super) fn cells(&self, strips: Range<usize>, band: Band, end: usize) -> u64 {
        strips.map(|strip| (self.rows(strip).len() * self.columns(strip, band, end).len()) as u64).sum()
    }

    /// Solves `strips` below `top` in a band, up to the column `end`, which is a multiple of 64 or |b|.
    ///
    /// # Errors
    /// When the run is stopped.
    pub(crate) fn sweep(
        &self,
        strips: Range<usize>,
        top: Arc<Border<K>>,
        band: Band,
        end: usize,
        keep: Keep,
        run: &Run,
    ) -> Result<Sweep<K>, Halt> {
        run.expect(self.cells(strips.clone(), band, end));
        let places = strips.len();
        let mut out = Sweep { corner: 0, borders: Vec::new(), cuts: Vec::new() };
        out.borders.resize_with(places, || None);
        out.cuts.resize_with(places, Vec::new);
        let line = Mutex::new(Line { next: strips.start, above: top });
        let shared = Shared { strips, band, end, keep, line, given_up: false.into(), out: Mutex::new(out), run };
        let threads = self.threads.min(places);
        if threads <= 1 {
            self.work(&shared)?;
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (1..threads).map(|_| scope.spawn(|| self.work(&shared))).collect();
                let here = self.work(&shared);
                workers.into_iter().fold(here, |result, worker| match worker.join() {
                    Ok(other) => result.and(other),
                    Err(panic) => std::panic::resume_unwind(panic),
                })
            })?;
        }
        Ok(shared.out.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// One thread: takes strips in order until there is none.
    fn work(&self, shared: &Shared<K>) -> Result<(), Halt> {
        let mut scratch = Scratch::default();
        let mut bits = Vec::new();
        loop {
            let (strip, above, border) = {
                let mut line = shared.line.lock().unwrap_or_else(PoisonError::into_inner);
                let strip = line.next;
                if strip >= shared.strips.end {
                    return Ok(());
                }
                line.next += 1;
                let border = Arc::new(Border::new(self.columns(strip, shared.band, shared.end)));
                (strip, std::mem::replace(&mut line.above, Arc::clone(&border)), border)
            };
            let ends = Ends { border: &border, given_up: &shared.given_up };
            self.strip(strip, &above, &border, shared, &mut scratch, &mut bits)?;
            std::mem::forget(ends);
        }
    }

    fn strip(
        &self,
        strip: usize,
        above: &Border<K>,
        border: &Arc<Border<K>>,
        shared: &Shared<K>,
        scratch: &mut Scratch<K>,
        bits: &mut Vec<Differences<K>>,
    ) -> Result<(), Halt> {
        let place = strip - shared.strips.start;
        let rows = self.rows(strip);
        let words = self.height.words();
        let mut vertical = vec![self.left; words];
        let mut cuts = Vec::new();
        let corridor = shared.band.limit.map(|limit| Corridor { limit, strip, rows: &rows });
        let mut at = match &corridor {
            None => border.columns.start,
            Some(corridor) => corridor.first(above, &border.columns, &shared.given_up).ok_or(Halt::Stopped)?,
        };
        {
            let state = above.wait(at, &shared.given_up).ok_or(Halt::Stopped)?;
            border.begin(at, above.value(&state, at).saturating_add_signed(rise(&vertical, rows.len())));
        }
        let (first, mut end) = (at, border.columns.end);
        let mut corridor = corridor;
        while at < end {
            let columns = at..(at + self.tile_columns).min(end);
            let state = above.wait(columns.end, &shared.given_up).ok_or(Halt::Stopped)?;
            if let Some(whole) = corridor.take_if(|_| above.is_complete(&state)) {
                end = whole.end(above, &state, first..end);
                continue;
            }
            above.copy_from(&state, &columns, bits);
            drop(state);
            if shared.keep == Keep::All {
                cuts.extend_from_slice(&vertical);
            }
            tile::solve::<R, K>(&mut self.tile(strip, &columns, &mut vertical, bits), scratch);
            border.publish(&columns, bits);
            shared.run.tick((rows.len() * columns.len()) as u64)?;
            at = columns.end;
        }
        border.complete();
        shared.run.forgo((rows.len() * (border.columns.len() - (at - first))) as u64);
        let corner = {
            let state = above.wait(usize::MAX, &shared.given_up).ok_or(Halt::Stopped)?;
            above.value(&state, at).saturating_add_signed(rise(&vertical, rows.len())) + (border.columns.end - at) as u64
        };
        if shared.keep == Keep::Right
            && border.columns.end == shared.end
            && let Some(heed) = self.heed
        {
            heed(corner, &vertical, rows.len())?;
        }
        let mut out = shared.out.lock().unwrap_or_else(PoisonError::into_inner);
        if strip + 1 == shared.strips.end {
            out.corner = corner;
        }
        let keep = match shared.keep {
            Keep::Nothing => false,
            Keep::Every(strips) => (place + 1).is_multiple_of(strips),
            Keep::All => true,
            Keep::Right => {
                if border.columns.end == shared.end {
                    out.cuts[place] = vertical;
                }
                false
            }
        };
        if keep {
            out.borders[place] = Some(Arc::clone(border));
            out.cuts[place] = cuts;
        }
        Ok(())
    }

    /// The tile of a strip at `columns`.
    pub(super) fn tile<'g>(
        &'g self,
        strip: usize,
        columns: &Range<usize>,
        vertical: &'g mut [Differences<K>],
        horizontal: &'g mut [Differences<K>],
    ) -> Tile<'g, K> {
        let words = self.height.words();
        Tile {
            height: self.height,
            planes: self.planes.count,
            rows: self.planes.rows(strip * words, words),
            columns: &self.planes.columns,
            start: columns.start,
            len: columns.len(),
            vertical,
            horizontal,
        }
    }
}
