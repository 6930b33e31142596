//! Widening: solves bands of growing width until the value of one is proven to be the distance.

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

/// Minimum number of edits that the first band allows, in addition to the difference of the lengths of both texts.
/// Narrower bands cost the same, because tiles are as high as such a band is wide.
pub(in crate::pair) const FIRST_BAND: u64 = 512;

/// Maximum ratio of a known upper bound on the distance to the number of edits that the last band allowed. Up to this
/// ratio the next band allows as many edits as the upper bound. Beyond it the next band is [`GROWTH`] times as wide as
/// the last one.
pub(in crate::pair) const MAX_TRUSTED_RATIO: u64 = 16;

/// Factor by which the next band allows more edits than the last one, if the known upper bound is more than
/// [`MAX_TRUSTED_RATIO`] times the edits of the last one.
pub(in crate::pair) const GROWTH: u64 = 8;

/// Divisor of the number of cells of the matrix. The next band is [`GROWTH`] times as wide only if it then covers at
/// most 1 / `UNPROVEN_BAND_DIVISOR` of the cells. Otherwise it allows as many edits as the upper bound, and is the last
/// one.
pub(in crate::pair) const UNPROVEN_BAND_DIVISOR: u64 = 3;

/// Divisor of the number of cells of the matrix. If the narrowest first band would cover more than 1 /
/// `COSTLY_BAND_DIVISOR` of the cells, the width of the first band follows from the estimated distance instead. A
/// larger band would cost more than the upper bound that it yields is worth.
const COSTLY_BAND_DIVISOR: u64 = 8;

/// Divisor of the estimated distance. A first band whose width follows from the estimate allows 1 /
/// `ESTIMATE_SLACK_DIVISOR` of the estimate more edits.
const ESTIMATE_SLACK_DIVISOR: u64 = 8;

/// Maximum ratio of a limit of the distance to the number of edits that the first band would allow. Up to this ratio
/// the first band allows as many edits as the limit, because it can end early.
const DIRECT_LIMIT_RATIO: u64 = 4;

/// Upper bounds on the distance for which a [`CostLimit`] narrows the band. Below this range a band is no wider than a
/// strip is high. Beyond this range the counters of a limit would overflow.
const LIMITED_BOUNDS: Range<u64> = 1024..1 << 29;

/// The requested result: the distance alone, or also an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOutput {
    Distance,
    /// The distance and one optimal alignment.
    Alignment,
}

/// The requested result for a pair, and the greatest distance of interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairRequest {
    pub(crate) want: PairOutput,
    /// Greatest distance of interest, or `None` if every distance is of interest.
    pub(crate) limit: Option<u64>,
}

impl From<PairOutput> for PairRequest {
    fn from(want: PairOutput) -> Self {
        Self { want, limit: None }
    }
}

/// Bounds and estimates of the distance, and the greatest distance of interest, known before the matrix is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownDistance {
    /// Cost of some alignment, which is an upper bound on the distance. `None` if no alignment is known.
    pub(crate) bound: Option<u64>,
    /// Estimated distance, which may be too low. `None` if there is no estimate.
    pub(crate) about: Option<u64>,
    /// Greatest distance of interest. `None` if every distance is of interest.
    pub(crate) limit: Option<u64>,
}

impl<T: Symbol, R: Recurrence<K>, const K: usize> StripGrid<'_, T, R, K> {
    /// Computes the distance, and an optimal alignment if `want` requests it. `known` holds an upper bound on the
    /// distance and an estimate of it, if there are any. If the distance exceeds the limit in `known`, returns a number
    /// above the limit, and no alignment, as soon as this is certain. `part` converts a lower and an upper bound on the
    /// distance, both inclusive, to a partial result to report.
    ///
    /// Takes O(d · (|a| + |b|) / 64) word operations for a distance d or a limit d below it, and seldom more than 1.2
    /// times the time of the whole matrix.
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
        let most = known.limit.unwrap_or(u64::MAX);
        if m.abs_diff(n) as u64 > most {
            return Ok((m.abs_diff(n) as u64, None));
        }
        run.hold(self.bytes());
        let first = (m.abs_diff(n) as u64 + FIRST_BAND).max(self.height.rows() as u64 / 2);
        let is_dear = self.cells(0..self.strips(), Band::for_edits(first, m, n), n) > m as u64 * n as u64 / COSTLY_BAND_DIVISOR;
        let about = known.about.filter(|_| is_dear).map(|about| first.max(about + about / ESTIMATE_SLACK_DIVISOR));
        let mut known = known.bound.filter(|bound| *bound > first);
        let mut k = known.or(about).unwrap_or(first);
        if known.is_none() && most <= DIRECT_LIMIT_RATIO * k {
            k = most;
        }
        loop {
            // A band as wide as the limit decides whether the distance exceeds it.
            let is_last = k >= most && known.is_none_or(|bound| bound > most);
            if is_last {
                (k, known) = (most, Some(most));
            }
            let band = Band::for_edits(k, m, n);
            let size =
                |bound| StripSize { rows: self.height.rows(), band: Band::for_edits(bound, m, n).diagonals(), threads: self.threads };
            let limit = match known {
                // Seeds are pieces of equal symbols.
                Some(bound) if LIMITED_BOUNDS.contains(&bound) && !self.symbol_match().is_equality() => {
                    Some(CostLimit::of_lengths(m, n, bound, size(bound)))
                }
                Some(bound) if LIMITED_BOUNDS.contains(&bound) => Some(CostLimit::new(self.a, self.b, bound, size(bound), run)?),
                // Such a band is hardly wider than a strip is high, but its sweep can end early.
                Some(bound) if is_last && bound < LIMITED_BOUNDS.start => Some(CostLimit::of_lengths(m, n, bound, size(bound))),
                _ => None,
            };
            let limit = if is_last { limit.map(CostLimit::assumed) } else { limit };
            let limited = limit.as_ref().map_or(0, CostLimit::bytes);
            run.hold(limited);
            let band = limit.as_ref().map_or(band, |limit| band.limited_by(limit));
            let strips = 0..self.strips();
            let (keep, bytes) = match want {
                PairOutput::Distance => (KeptBorders::Nothing, 0),
                PairOutput::Alignment => self.choose_borders(strips.clone(), band, n),
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
                let alignment = self.trace(&StripSweep { strips, top, kept_borders: keep, sweep }, band, run)?;
                return Ok((bound, Some(alignment)));
            }
            run.release(bytes);
            if is_last {
                return Ok((bound, None));
            }
            run.partial(part(k + 1, bound))?;
            let wider = GROWTH * k;
            let trusted = bound <= MAX_TRUSTED_RATIO * k
                || self.cells(strips, Band::for_edits(wider, m, n), n) > m as u64 * n as u64 / UNPROVEN_BAND_DIVISOR;
            (k, known) = if trusted { (bound, Some(bound)) } else { (wider, None) };
        }
    }
}
