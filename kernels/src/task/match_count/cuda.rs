//! The CUDA engine: the whole score vector on the GPU, 32 offsets per word, and its summary.
//!
//! The pattern is cut into groups of neighbouring symbols (rows). Each group is one launch that adds to the scores. The
//! symbols of a group are numbered anew, so that the codes need few bits however large the alphabet is. If the text is
//! long or GPU memory is short, the text is processed in parts. The processor handles empty patterns, texts without an
//! offset, and patterns so long that Fourier transforms on its cores are faster.
//!
//! - [`shape`]: division of a part of the text into tiles
//! - [`rows`]: groups of pattern symbols that are counted together
//! - [`scores`]: the launches
//! - [`part_summary`]: summary of the scores of a part: the best offsets, the hits and the profile

use super::{ScoreRequest, TOP_OFFSETS};
use crate::event::{PartialAnswer, RunStage};
use crate::found::{CHUNK, PositionSet, ScoreProfile, ScoreSpan};
use crate::gpu::Gpu;
use crate::gpu::compaction::{DeviceBitSet, HitCollector};
use crate::gpu::compile::KernelSource;
use crate::gpu::part;
use crate::gpu::session::{DeviceSymbol, GpuSession};
use crate::run::{Halt, Run};
use crate::task::search::SearchTexts;
use part_summary::PartSummary;
use scores::DeviceScores;
use shape::TileShape;

mod part_summary;
mod rows;
mod scores;
mod shape;

/// Maximum number of cells (pattern symbols times offsets) that are queued between two checks for a stop, about a
/// hundredth of a second.
const TICK: u64 = 1 << 40;

/// Lists every kernel that a match count can need.
pub fn variants() -> impl Iterator<Item = KernelSource> {
    scores::variants()
}

/// Time of one core for the Fourier transforms of one distinct symbol, per offset, in nanoseconds. Measured on the
/// machines of `benches/results`.
const TRANSFORM_NS: f64 = 12.0;
/// Time in which a GPU compares one symbol of the pattern at one offset, in nanoseconds. Measured on the machines of
/// `benches/results`.
const DEVICE_NS: f64 = 8e-6;

/// Returns whether Fourier transforms on `cores` cores are faster than comparing all symbols on a GPU. The pattern has
/// `m` symbols, which are below `alphabet`.
pub(super) fn is_for_transforms(m: usize, alphabet: u32, cores: usize) -> bool {
    m as f64 * DEVICE_NS > TRANSFORM_NS * f64::from(alphabet) / cores as f64
}

/// The results of a match count on a GPU, as the answer needs them.
pub(super) struct DeviceMatchCount {
    pub(super) best: u64,
    pub(super) total_best: u64,
    pub(super) within: Option<u64>,
    /// The best offsets, each as its number of unequal symbols and the offset.
    pub(super) top: Vec<(u64, u64)>,
    pub(super) positions: PositionSet,
    pub(super) profile: ScoreProfile,
}

/// Computes the results of a match count that `wanted` requests. The pattern `texts.a` must not be empty, and the text
/// `texts.b` must not be shorter. Takes O(|a||b|) time, and some bytes of GPU memory per offset of a part of the text.
///
/// # Errors
/// Returns `Stopped` if the run is stopped, `TooLarge` if the GPU's memory is too small for the pattern, and `Engine`
/// if the GPU fails.
pub(super) fn count<T: DeviceSymbol>(gpu: &Gpu, texts: SearchTexts<T>, wanted: ScoreRequest, run: &Run) -> Result<DeviceMatchCount, Halt> {
    count_within(gpu, texts, wanted, run, u64::MAX)
}

/// Computes the same results as [`count`], in at most `limit` bytes of GPU memory.
fn count_within<T: DeviceSymbol>(
    gpu: &Gpu,
    texts: SearchTexts<T>,
    wanted: ScoreRequest,
    run: &Run,
    limit: u64,
) -> Result<DeviceMatchCount, Halt> {
    let SearchTexts { a, b, alphabet } = texts;
    let (m, all) = (a.len() as u64, (b.len() - a.len() + 1) as u64);
    let session = GpuSession::new(gpu, run)?;
    let part = part_of::<T>(&session, m, wanted.width, all, limit)?;
    run.stage(RunStage::Transfer)?;
    let mut so_far = ScoreAccumulator::new(wanted);
    run.raise_expected(m * all);
    for from in (0..all).step_by(part as usize) {
        let offsets = part.min(all - from);
        let shape = TileShape::new(gpu, offsets, m);
        let text = session.copy_part(&b[from as usize..(from + offsets + m - 1) as usize])?;
        run.stage(RunStage::Compute)?;
        run.hold(bytes::<T>(offsets, m));
        let scores = DeviceScores::new(&session, &shape)?;
        let (mut queued, mut ticked) = (0, 0);
        for group in rows::groups(a, alphabet, &shape) {
            scores.add(text.address(), T::BYTES as u32, &group)?;
            queued += group.rows as u64 * offsets;
            if queued - ticked > TICK {
                session.synchronize()?;
                run.tick(queued - ticked)?;
                ticked = queued;
            }
        }
        let kept = part_summary::summarize_part(&session, &scores, wanted);
        run.release(bytes::<T>(offsets, m));
        so_far.add_part(from, kept?);
        run.tick(queued - ticked)?;
        so_far.report(run)?;
    }
    Ok(so_far.counted())
}

/// Returns the GPU memory for a part of the text with `offsets` offsets of a pattern of `m` symbols, in bytes.
fn bytes<T: DeviceSymbol>(offsets: u64, m: u64) -> u64 {
    (offsets + m) * T::BYTES as u64 + scores::bytes(offsets, m) + 2 * DeviceBitSet::bytes(offsets) + (1 << 20)
}

/// Returns the number of offsets in a part of the text, the greatest that GPU memory and `limit` (in bytes) allow. A
/// part has whole position blocks ([`CHUNK`] offsets) and whole profile spans of `width` offsets. `m` is the length of
/// the pattern, and `all` the number of offsets of the whole text.
fn part_of<T: DeviceSymbol>(session: &GpuSession, m: u64, width: u64, all: u64, limit: u64) -> Result<u64, Halt> {
    let part = all.min(part::MAX_PART_OFFSETS);
    let wanted = part::PartRequirements { max_size: part, min_size: width.max(CHUNK as u64), bytes: bytes::<T>(part, m), limit };
    part::largest(session, wanted, |part, spare| part::check_memory_limit(bytes::<T>(part, m), spare))
}

/// The combined results of all parts of the text so far.
struct ScoreAccumulator {
    wanted: ScoreRequest,
    best: Option<u32>,
    total_best: u64,
    within: u64,
    top: Vec<(u64, u64)>,
    collected: HitCollector,
    spans: Vec<ScoreSpan>,
}

impl ScoreAccumulator {
    fn new(wanted: ScoreRequest) -> Self {
        Self { wanted, best: None, total_best: 0, within: 0, top: Vec::new(), collected: HitCollector::default(), spans: Vec::new() }
    }

    /// Adds `kept`, the results of the part of the text that begins at the offset `from`.
    fn add_part(&mut self, from: u64, kept: PartSummary) {
        if self.best < Some(kept.best) {
            (self.best, self.total_best) = (Some(kept.best), 0);
            if self.wanted.max_mismatches.is_none() {
                self.collected = HitCollector::default();
            }
        }
        if self.best == Some(kept.best) {
            self.total_best += kept.total_best;
        }
        self.within += kept.within.unwrap_or(0);
        if self.wanted.max_mismatches.is_some() || self.best == Some(kept.best) {
            self.collected.push(from, kept.ones);
        }
        self.top.extend(kept.top.iter().map(|&(score, at)| (self.wanted.m - u64::from(score), from + u64::from(at))));
        self.top.sort_unstable();
        self.top.truncate(TOP_OFFSETS);
        self.spans.extend(kept.spans);
    }

    /// Reports the best score and the number of hits so far.
    ///
    /// # Errors
    /// Returns an error if the run is stopped.
    fn report(&self, run: &Run) -> Result<(), Halt> {
        if let Some(best) = self.best {
            run.partial(PartialAnswer::Best { score: best.into() })?;
        }
        if self.within > 0 { run.partial(PartialAnswer::Found { total: self.within, latest: None }) } else { Ok(()) }
    }

    fn counted(self) -> DeviceMatchCount {
        DeviceMatchCount {
            best: self.best.unwrap_or(0).into(),
            total_best: self.total_best,
            within: self.wanted.max_mismatches.map(|_| self.within),
            top: self.top,
            positions: self.collected.positions(),
            profile: ScoreProfile { width: self.wanted.width, spans: self.spans },
        }
    }
}

#[cfg(test)]
mod tests;
