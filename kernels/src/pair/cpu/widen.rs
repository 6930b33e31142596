//! Bands that widen until one proves its value.
//!
//! All values inside of a band are those of real edit scripts, so that a sweep of a narrow band gives an upper bound; a band as
//! wide as a bound holds an optimal path (Ukkonen 1985). Where the bound is poor, the band grows by a factor instead, until it
//! would take a good part of the matrix.

use std::ops::Range;

use super::Recurrence;
use super::band::Band;
use super::border::Border;
use super::grid::Grid;
use super::limit::{Limit, StripSize};
use super::sweep::Keep;
use super::trace::Swept;
use crate::alignment::Alignment;
use crate::event::{Partial, Stage};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Edits that the first band allows at least: narrower ones cost the same, since a tile is as high.
const FIRST_BAND: u64 = 512;

/// A bound up to this many times the band is taken as the next band.
const TRUSTED: u64 = 16;

/// Growth of the band where the bound is not trusted.
const GROWTH: u64 = 8;

/// A band that may not prove its value takes at most one cell in so many.
const TRIED: u64 = 3;

/// A first band of more than one cell in so many is not worth the bound that it gives, where the distance is known roughly.
const DEAR: u64 = 8;

/// One part in so many that a distance may be more than it is known to be about.
const SLACK: u64 = 8;

/// Bounds from which a [`Limit`] is worth its seeds, below which a band is not wider than a strip is high; and to which it can count.
const LIMITED: Range<u64> = 1024..1 << 29;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// The distance.
    Distance,
    /// The distance and one optimal alignment.
    Alignment,
}

/// What is known of the distance before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// The cost of some alignment.
    pub(crate) bound: Option<u64>,
    /// About what it is.
    pub(crate) about: Option<u64>,
}

impl<T: Symbol, R: Recurrence<K>, const K: usize> Grid<'_, T, R, K> {
    /// The distance, and an optimal alignment where wanted. What the bounds of the distance, both included, are told as, `part`
    /// says. Time O(d · (|a| + |b|) / 64) in words for a distance d, and seldom more than 1.2 times that of the whole matrix.
    ///
    /// # Errors
    /// When the run is stopped.
    pub(crate) fn solve(
        &self,
        want: Want,
        known: Known,
        part: &dyn Fn(u64, u64) -> Partial,
        run: &Run,
    ) -> Result<(u64, Option<Alignment>), Halt> {
        let (m, n) = (self.a.len(), self.b.len());
        run.hold(self.bytes());
        let first = (m.abs_diff(n) as u64 + FIRST_BAND).max(self.height.rows() as u64 / 2);
        let is_dear = self.cells(0..self.strips(), Band::within(first, m, n), n) > m as u64 * n as u64 / DEAR;
        let about = known.about.filter(|_| is_dear).map(|about| first.max(about + about / SLACK));
        let mut known = known.bound.filter(|bound| *bound > first);
        let mut k = known.or(about).unwrap_or(first);
        loop {
            let band = Band::within(k, m, n);
            let limit = known.filter(|bound| LIMITED.contains(bound)).map(|bound| {
                let size = StripSize { rows: self.height.rows(), band: Band::within(bound, m, n).diagonals(), threads: self.threads };
                Limit::new(self.a, self.b, bound, size, run)
            });
            let limit = limit.transpose()?;
            let limited = limit.as_ref().map_or(0, Limit::bytes);
            run.hold(limited);
            let band = limit.as_ref().map_or(band, |limit| band.under(limit));
            let strips = 0..self.strips();
            let (keep, bytes) = match want {
                Want::Distance => (Keep::Nothing, 0),
                Want::Alignment => self.keep(strips.clone(), band, n),
            };
            run.hold(bytes);
            let top = Border::top();
            let sweep = self.sweep(strips.clone(), top.clone(), band, n, keep, run)?;
            let bound = sweep.corner;
            run.release(limited);
            if bound <= k {
                run.partial(part(bound, bound))?;
                if want == Want::Distance {
                    return Ok((bound, None));
                }
                run.stage(Stage::Traceback)?;
                let alignment = self.trace(&Swept { strips, top, keep, sweep }, band, run)?;
                return Ok((bound, Some(alignment)));
            }
            run.release(bytes);
            run.partial(part(k + 1, bound))?;
            let wider = GROWTH * k;
            let trusted = bound <= TRUSTED * k || self.cells(strips, Band::within(wider, m, n), n) > m as u64 * n as u64 / TRIED;
            (k, known) = if trusted { (bound, Some(bound)) } else { (wider, None) };
        }
    }
}
