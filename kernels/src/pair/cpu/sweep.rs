//! The sweep over the strips of a [grid](StripGrid), on any number of threads.
//!
//! A strip reads the bottom border of the strip above and writes its own border. A border publishes how many of its
//! columns are ready. Threads therefore work on several strips at the same time, each a few tiles behind the strip
//! above. Left of a strip's first column and beyond the border above, differences of +1 replace values that were not
//! computed.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::band::Band;
use super::border::StripBorder;
use super::grid::StripGrid;
use super::limit::{FirstColumn, StripCorridor};
use super::tile::{self, TileScratch};
use super::{Recurrence, WordDifferences, rise};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Vertical differences along the left edges of the tiles of a strip, tile after tile, and within a tile from the top
/// word down. With [`KeptBorders::Right`], the differences along the right edge of the strip instead.
pub(crate) type TileCuts<const K: usize> = Vec<WordDifferences<K>>;

/// The parts that a sweep keeps of each strip: its bottom row, the left edges of its tiles, or its right edge. A strip
/// is a row of tiles over the width of the diagonal band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptBorders {
    /// No part, because only the value at the end is wanted.
    Nothing,
    /// The bottom row of every n-th strip, for the n in this variant: strips n − 1, 2n − 1, …, counted from 0.
    Every(usize),
    /// The bottom rows of all strips, and the left edges of all tiles.
    All,
    /// The right edge of each strip that reaches the last column, and no bottom rows.
    Right,
}

/// The value at the end of a sweep over strips, and the parts of the matrix that it kept.
pub(crate) struct SweepResult<const K: usize> {
    /// Value of the last cell (bottom right corner) that was swept. `u64::MAX` if the band has an assumed limit and the
    /// sweep ended early, because every alignment costs more.
    pub(crate) corner: u64,
    /// Bottom row of each strip, or `None` if it was not kept.
    pub(super) borders: Vec<Option<Arc<StripBorder<K>>>>,
    /// Vertical differences that were kept of each strip, along the left edges of its tiles or along its right edge.
    /// Empty if none were kept.
    pub(super) cuts: Vec<TileCuts<K>>,
}

impl<const K: usize> SweepResult<K> {
    /// Returns the vertical differences down the last column after a sweep with [`KeptBorders::Right`], one slice per
    /// strip. A slice is empty if its strip does not reach this column. The slice of the last strip is padded to the
    /// height of a tile.
    pub(crate) fn right(&self) -> impl Iterator<Item = &[WordDifferences<K>]> {
        self.cuts.iter().map(|cuts| cuts.as_slice())
    }
}

/// The number of the next strip that a thread takes, and the border (bottom row) of the strip above it.
struct StripQueue<const K: usize> {
    next: usize,
    above: Arc<StripBorder<K>>,
}

/// The parameters and the state that all threads of a sweep share.
struct SharedSweepState<'s, const K: usize> {
    strips: Range<usize>,
    band: Band<'s>,
    end: usize,
    kept_borders: KeptBorders,
    queue: Mutex<StripQueue<K>>,
    given_up: AtomicBool,
    /// Whether the sweep was given up because every alignment costs more than an assumed upper bound.
    is_exceeded: AtomicBool,
    result: Mutex<SweepResult<K>>,
    run: &'s Run<'s>,
}

/// A guard of a strip that a thread solves. If the strip ends early, by a stop or a panic, dropping the guard ends the
/// sweep and wakes the threads that wait for the strip's border.
struct AbandonedStripGuard<'s, const K: usize> {
    border: &'s StripBorder<K>,
    given_up: &'s AtomicBool,
}

impl<const K: usize> Drop for AbandonedStripGuard<'_, K> {
    fn drop(&mut self) {
        self.given_up.store(true, Relaxed);
        self.border.wake();
    }
}

impl<T: Symbol, R: Recurrence<K>, const K: usize> StripGrid<'_, T, R, K> {
    /// Solves the part of `strips` that lies in `band`, up to the column `end` (exclusive), which is a multiple of 64
    /// or |b|. `top` is the border (row of cells) above the first strip, and `keep` selects what the result contains.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(crate) fn sweep(
        &self,
        strips: Range<usize>,
        top: Arc<StripBorder<K>>,
        band: Band,
        end: usize,
        keep: KeptBorders,
        run: &Run,
    ) -> Result<SweepResult<K>, Halt> {
        run.raise_expected(self.cells(strips.clone(), band, end));
        let places = strips.len();
        let mut out = SweepResult { corner: 0, borders: Vec::new(), cuts: Vec::new() };
        out.borders.resize_with(places, || None);
        out.cuts.resize_with(places, Vec::new);
        let line = Mutex::new(StripQueue { next: strips.start, above: top });
        let shared = SharedSweepState {
            strips,
            band,
            end,
            kept_borders: keep,
            queue: line,
            given_up: false.into(),
            is_exceeded: false.into(),
            result: Mutex::new(out),
            run,
        };
        let threads = self.threads.min(places);
        let swept = if threads <= 1 {
            self.work(&shared)
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (1..threads).map(|_| scope.spawn(|| self.work(&shared))).collect();
                let here = self.work(&shared);
                workers.into_iter().fold(here, |result, worker| match worker.join() {
                    Ok(other) => result.and(other),
                    Err(panic) => std::panic::resume_unwind(panic),
                })
            })
        };
        if shared.is_exceeded.load(Relaxed) {
            return Ok(SweepResult { corner: u64::MAX, borders: Vec::new(), cuts: Vec::new() });
        }
        swept?;
        Ok(shared.result.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Solves strips on the calling thread, in order, until none remains or the sweep is given up.
    fn work(&self, shared: &SharedSweepState<K>) -> Result<(), Halt> {
        let mut scratch = TileScratch::default();
        let mut bits = Vec::new();
        loop {
            let (strip, above, border) = {
                let mut line = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
                let strip = line.next;
                if strip >= shared.strips.end {
                    return Ok(());
                }
                line.next += 1;
                let border = Arc::new(StripBorder::new(self.columns(strip, shared.band, shared.end)));
                (strip, std::mem::replace(&mut line.above, Arc::clone(&border)), border)
            };
            let leaving = AbandonedStripGuard { border: &border, given_up: &shared.given_up };
            self.strip(strip, &above, &border, shared, &mut scratch, &mut bits)?;
            std::mem::forget(leaving);
        }
    }

    fn strip(
        &self,
        strip: usize,
        above: &StripBorder<K>,
        border: &Arc<StripBorder<K>>,
        shared: &SharedSweepState<K>,
        scratch: &mut TileScratch<K>,
        bits: &mut Vec<WordDifferences<K>>,
    ) -> Result<(), Halt> {
        let place = strip - shared.strips.start;
        let rows = self.rows(strip);
        let words = self.height.words();
        let mut vertical = vec![self.left; words];
        let mut cuts = Vec::new();
        let corridor = shared.band.limit.map(|limit| StripCorridor { limit, strip, rows: &rows });
        let mut at = match &corridor {
            None => border.columns.start,
            Some(corridor) => match corridor.first(above, &border.columns, &shared.given_up).ok_or(Halt::Stopped)? {
                FirstColumn::At(column) => column,
                FirstColumn::Nowhere => {
                    shared.is_exceeded.store(true, Relaxed);
                    return Err(Halt::Stopped);
                }
            },
        };
        {
            let state = above.wait(at, &shared.given_up).ok_or(Halt::Stopped)?;
            border.begin(at, above.value(&state, at).saturating_add_signed(rise(&vertical, rows.len())));
        }
        let (first, mut end) = (at, border.columns.end);
        if shared.kept_borders == KeptBorders::All {
            cuts.reserve_exact(words * end.saturating_sub(at).div_ceil(self.tile_columns));
        }
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
            if shared.kept_borders == KeptBorders::All {
                cuts.extend_from_slice(&vertical);
            }
            tile::solve::<R, K>(&mut self.tile(strip, &columns, &mut vertical, bits), scratch);
            border.publish(&columns, bits);
            shared.run.tick((rows.len() * columns.len()) as u64)?;
            at = columns.end;
        }
        border.complete();
        shared.run.reduce_expected((rows.len() * (border.columns.len() - (at - first))) as u64);
        let corner = {
            let state = above.wait(usize::MAX, &shared.given_up).ok_or(Halt::Stopped)?;
            above.value(&state, at).saturating_add_signed(rise(&vertical, rows.len())) + (border.columns.end - at) as u64
        };
        if shared.kept_borders == KeptBorders::Right
            && border.columns.end == shared.end
            && let Some(observer) = self.observer
        {
            observer(corner, &vertical, rows.len())?;
        }
        let mut out = shared.result.lock().unwrap_or_else(PoisonError::into_inner);
        if strip + 1 == shared.strips.end {
            out.corner = corner;
        }
        let keep = match shared.kept_borders {
            KeptBorders::Nothing => false,
            KeptBorders::Every(strips) => (place + 1).is_multiple_of(strips),
            KeptBorders::All => true,
            KeptBorders::Right => {
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
}
