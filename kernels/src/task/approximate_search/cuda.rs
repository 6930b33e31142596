//! The CUDA engine: overlapping slices of the text, with the pattern spread over the lanes of a warp.
//!
//! Distances in a slice are exact up to a guessed distance, which determines the overlap. If `max_distance` is given,
//! it is the guess. Otherwise the first guess is the usual distance of random texts with an alphabet of this size. If
//! no distance is within the guess, the part is swept again with the distance that was found. A long text is processed
//! in parts, so that the run can stop and GPU memory suffices. Patterns of more than [`MAX_LANE_ROWS`] symbols take
//! several warps per slice. An empty text or pattern is left to the processor.
//!
//! - [`shape`]: chooses the lanes and words of a pattern, and the slices of the text
//! - [`sweep`]: finds the ends of hits of a part from its last row
//! - [`slices`], [`long`]: compute the last row of a part

use super::ApproximateHits;
use crate::event::{PartialAnswer, RunStage};
use crate::gpu::Gpu;
use crate::gpu::compaction::HitCollector;
use crate::gpu::compile::KernelSource;
use crate::gpu::part;
use crate::gpu::session::DeviceSymbol;
use crate::job::JobOptions;
use crate::run::{Halt, Run};
use crate::task::search::SearchTexts;
use long::BandSweep;
use shape::{DistanceGuess, MAX_LANE_ROWS, PatternShape};
use slices::SliceSweep;
use sweep::{EndFinder, PartPlacement, PartSweep};

mod long;
mod shape;
mod slices;
mod sweep;

/// Lists every kernel that an approximate search can need.
pub fn variants() -> impl Iterator<Item = KernelSource> {
    shape::variants().chain(long::variants())
}

/// Finds the ends of all hits that the options request. Neither the text nor the pattern may be empty. Takes O(|a||b|)
/// time. Takes some bytes of GPU memory per symbol of a part of the text. For a long pattern, this is one byte more for
/// every 8,000 rows.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, `TooLarge` if the GPU's memory is too small for the pattern, and `Engine`
/// if the GPU fails.
pub(super) fn search<T: DeviceSymbol>(gpu: &Gpu, texts: SearchTexts<T>, options: &JobOptions, run: &Run) -> Result<ApproximateHits, Halt> {
    search_in_parts(gpu, texts, options, run, u64::MAX)
}

/// Searches like [`search`], in parts of the text of about `most` columns at most.
fn search_in_parts<T: DeviceSymbol>(
    gpu: &Gpu,
    texts: SearchTexts<T>,
    options: &JobOptions,
    run: &Run,
    most: u64,
) -> Result<ApproximateHits, Halt> {
    run.stage(RunStage::Transfer)?;
    let n = texts.b.len() as u64;
    if texts.a.len() > MAX_LANE_ROWS {
        let mut long = BandSweep::new(gpu, run, texts)?;
        let part = long.part(n, most.min(long::MAX_PART_COLUMNS))?;
        return search_by(&mut long, texts, options, run, part);
    }
    let shape = PatternShape::new(texts.a, texts.alphabet);
    let mut slices = SliceSweep::new(gpu, run, shape, T::BYTES as u32)?;
    let part = slices.part(n, most.min(part::MAX_PART_OFFSETS))?;
    search_by(&mut slices, texts, options, run, part)
}

/// Searches like [`search`], in parts of `part` columns. `sweep` computes the last row of each part.
fn search_by<'s, T: DeviceSymbol>(
    sweep: &mut impl PartSweep<'s>,
    texts: SearchTexts<T>,
    options: &JobOptions,
    run: &Run,
    part: u64,
) -> Result<ApproximateHits, Halt> {
    let (m, n) = (texts.a.len() as u64, texts.b.len() as u64);
    run.raise_expected(m * n);
    let parts = n.div_ceil(part) as usize;
    let finder = EndFinder::new(sweep, parts)?;
    let mut so_far = EndAccumulator { best: m, total: 0, collected: HitCollector::default() };
    let mut guess = options.max_distance.map_or_else(|| DistanceGuess::first(m, texts.alphabet), |k| DistanceGuess { most: k.min(m) });
    for number in 0..parts {
        let from = part * number as u64;
        let to = n.min(from + part);
        let lead = DistanceGuess { most: m }.lead(m).min(from);
        let text = sweep.session().copy_part(&texts.b[(from - lead) as usize..to as usize])?;
        run.stage(RunStage::Compute)?;
        let (bytes, before) = (sweep.bytes(to - from + lead), run.cells());
        run.hold(bytes);
        let place = PartPlacement { number, text: text.address(), columns: to - from + lead, skip: lead, is_last: to == n };
        let found = finder.part(sweep, &place, &mut guess, options, so_far.best);
        run.release(bytes);
        let found = found?;
        if options.max_distance.is_none() && found.best < so_far.best {
            so_far = EndAccumulator { best: found.best, total: 0, collected: HitCollector::default() };
        }
        if options.max_distance.is_some() || found.best == so_far.best {
            so_far.total += found.total;
            so_far.collected.push(from, found.ones);
        }
        so_far.best = so_far.best.min(found.best);
        so_far.report(options, run)?;
        // The sweep for a long pattern has reported its cells itself.
        run.tick((m * (to - from)).saturating_sub(run.cells() - before))?;
    }
    let distance = (so_far.total > 0).then_some(so_far.best);
    Ok(ApproximateHits { distance, total: so_far.total, positions: so_far.collected.positions() })
}

struct EndAccumulator {
    best: u64,
    total: u64,
    collected: HitCollector,
}

impl EndAccumulator {
    /// Reports the least distance and the number of hits so far to `run`.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn report(&self, options: &JobOptions, run: &Run) -> Result<(), Halt> {
        if options.max_distance.is_none_or(|k| self.best <= k) {
            run.partial(PartialAnswer::Best { score: self.best })?;
        }
        if self.total > 0 { run.partial(PartialAnswer::Found { total: self.total, latest: None }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
