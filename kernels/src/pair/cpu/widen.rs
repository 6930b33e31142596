//! Bands that widen until one proves its value.
//!
//! All values inside a band are costs of real edit scripts, so that a sweep of a narrow band gives an upper bound. A
//! band as wide as an upper bound contains an optimal path (Ukkonen 1985). If the bound is poor, the band grows by a
//! constant factor instead, until it would cover a large part of the matrix.

use std::ops::Range;

use super::Recurrence;
use super::band::Band;
use super::border::StripBorder;
use super::grid::StripGrid;
use super::limit::{CostLimit, StripSize};
use super::sweep::KeptBorders;
use super::trace::StripSweep;
use crate::alignment::Alignment;
use crate::event::{PartialAnswer, RunStage};
use crate::run::{Halt, Run};
use crate::symbol::Symbol;

/// Edits that the first band allows at least. Narrower bands cost the same, because a tile is as high.
const FIRST_BAND: u64 = 512;

/// Maximum ratio of bound to band at which the bound becomes the next band.
const MAX_TRUSTED_RATIO: u64 = 16;

/// Growth factor of the band if the bound is not trusted.
const GROWTH: u64 = 8;

/// A band that may not prove its value covers at most 1 / `UNPROVEN_BAND_DIVISOR` of the cells.
const UNPROVEN_BAND_DIVISOR: u64 = 3;

/// If the distance is known roughly, a first band of more than 1 / `COSTLY_BAND_DIVISOR` of the cells costs more than its bound is
/// worth.
const COSTLY_BAND_DIVISOR: u64 = 8;

/// A distance may exceed its estimate by 1 / `ESTIMATE_SLACK_DIVISOR`.
const ESTIMATE_SLACK_DIVISOR: u64 = 8;

/// Bounds for which a [`CostLimit`] is used. Below the start, a band is no wider than a strip is high. Beyond the end, the
/// counters of a limit overflow.
const LIMITED_BOUNDS: Range<u64> = 1024..1 << 29;

/// The requested result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOutput {
    Distance,
    /// The distance and one optimal alignment.
    Alignment,
}

/// Previous knowledge about the distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownDistance {
    /// Cost of some alignment, an upper bound.
    pub(crate) bound: Option<u64>,
    /// Estimated distance.
    pub(crate) about: Option<u64>,
}

impl<T: Symbol, R: Recurrence<K>, const K: usize> StripGrid<'_, T, R, K> {
    /// Computes the distance, and an optimal alignment if requested. `part` converts the bounds of the distance, both
    /// inclusive, to a partial result. Takes O(d · (|a| + |b|) / 64) word operations for a distance d, and seldom more
    /// than 1.2 times the time of the whole matrix.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    pub(crate) fn solve(
        &self,
        want: PairOutput,
        known: KnownDistance,
        part: &dyn Fn(u64, u64) -> PartialAnswer,
        run: &Run,
    ) -> Result<(u64, Option<Alignment>), Halt> {
        let (m, n) = (self.a.len(), self.b.len());
        run.hold(self.bytes());
        let first = (m.abs_diff(n) as u64 + FIRST_BAND).max(self.height.rows() as u64 / 2);
        let is_dear = self.cells(0..self.strips(), Band::within(first, m, n), n) > m as u64 * n as u64 / COSTLY_BAND_DIVISOR;
        let about = known.about.filter(|_| is_dear).map(|about| first.max(about + about / ESTIMATE_SLACK_DIVISOR));
        let mut known = known.bound.filter(|bound| *bound > first);
        let mut k = known.or(about).unwrap_or(first);
        loop {
            let band = Band::within(k, m, n);
            let limit = known.filter(|bound| LIMITED_BOUNDS.contains(bound)).map(|bound| {
                let size = StripSize { rows: self.height.rows(), band: Band::within(bound, m, n).diagonals(), threads: self.threads };
                CostLimit::new(self.a, self.b, bound, size, run)
            });
            let limit = limit.transpose()?;
            let limited = limit.as_ref().map_or(0, CostLimit::bytes);
            run.hold(limited);
            let band = limit.as_ref().map_or(band, |limit| band.under(limit));
            let strips = 0..self.strips();
            let (keep, bytes) = match want {
                PairOutput::Distance => (KeptBorders::Nothing, 0),
                PairOutput::Alignment => self.keep(strips.clone(), band, n),
            };
            run.hold(bytes);
            let top = StripBorder::top();
            let sweep = self.sweep(strips.clone(), top.clone(), band, n, keep, run)?;
            let bound = sweep.corner;
            run.release(limited);
            if bound <= k {
                run.partial(part(bound, bound))?;
                if want == PairOutput::Distance {
                    return Ok((bound, None));
                }
                run.stage(RunStage::Traceback)?;
                let alignment = self.trace(&StripSweep { strips, top, keep, sweep }, band, run)?;
                return Ok((bound, Some(alignment)));
            }
            run.release(bytes);
            run.partial(part(k + 1, bound))?;
            let wider = GROWTH * k;
            let trusted = bound <= MAX_TRUSTED_RATIO * k
                || self.cells(strips, Band::within(wider, m, n), n) > m as u64 * n as u64 / UNPROVEN_BAND_DIVISOR;
            (k, known) = if trusted { (bound, Some(bound)) } else { (wider, None) };
        }
    }
}
