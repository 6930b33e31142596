//! Summary of the scores of a part.
//!
//! The spans of the profile come first: no offset of a span is better than its greatest score. The TOP-th greatest of
//! these maxima is a bound that TOP offsets reach. If not too many offsets reach it, their scores are fetched and
//! sorted. If many do, a binary search finds the greatest score that at least TOP offsets reach. All better offsets and
//! the first ones with this score are taken.

use super::super::TOP_OFFSETS;
use super::ScoreRequest;
use super::scores::{self, DeviceScores};
use crate::found::ScoreSpan;
use crate::gpu::compaction::{DeviceBitSet, DeviceHitList, HIT_LIST_CAPACITY, PartOnes};
use crate::gpu::session::GpuSession;
use crate::run::Halt;
use cudarc::driver::CudaSlice;

/// The summary of the scores of one part of the text.
pub(super) struct PartSummary {
    /// The greatest score.
    pub(super) best: u32,
    /// Number of offsets that have the greatest score.
    pub(super) total_best: u64,
    /// Number of offsets with at most as many unequal symbols as requested, if there is a bound.
    pub(super) within: Option<u64>,
    /// Positions of the offsets within the bound, or of those with the greatest score if there is no bound.
    pub(super) ones: PartOnes,
    /// The best offsets, each as its score and the offset. There are at least `TOP_OFFSETS`, if the part has as many.
    pub(super) top: Vec<(u32, u32)>,
    pub(super) spans: Vec<ScoreSpan>,
}

/// Computes the summary of a part's scores, with what `wanted` requests.
///
/// # Errors
/// Returns an error if the device fails.
pub(super) fn summarize_part(session: &GpuSession, scores: &DeviceScores, wanted: ScoreRequest) -> Result<PartSummary, Halt> {
    let on_device = scores.spans(wanted.width)?;
    let spans = scores::spans(&session.download(&on_device)?, scores.shape.offsets, wanted.width);
    let best = spans.iter().map(|span| span.most).max().unwrap_or(0) as u32;
    let look = PartSummarizer { session, scores, spans: &on_device, width: wanted.width };
    let (total_best, best_ones) = look.all(best..=u32::MAX)?;
    let (within, ones) = match wanted.most {
        None => (None, best_ones),
        Some(most) => {
            let (within, ones) = look.all(wanted.m.saturating_sub(most) as u32..=u32::MAX)?;
            (Some(within), ones)
        }
    };
    let top = if wanted.count_only { Vec::new() } else { look.top(&spans, best)? };
    Ok(PartSummary { best, total_best, within, ones, top, spans })
}

struct PartSummarizer<'l> {
    session: &'l GpuSession<'l>,
    scores: &'l DeviceScores<'l>,
    spans: &'l CudaSlice<u64>,
    width: u64,
}

impl PartSummarizer<'_> {
    fn mark(&self, range: std::ops::RangeInclusive<u32>, room: u32) -> Result<(DeviceBitSet, DeviceHitList), Halt> {
        let marks = self.scores.mark(self.spans, self.width, range)?;
        let found = DeviceHitList::new(self.session, room)?;
        marks.compact(self.session, &found)?;
        Ok((marks, found))
    }

    /// Finds all offsets with scores in `range`. Returns their number and positions.
    fn all(&self, range: std::ops::RangeInclusive<u32>) -> Result<(u64, PartOnes), Halt> {
        let (marks, found) = self.mark(range, HIT_LIST_CAPACITY)?;
        let part = marks.positions(self.session, &found)?;
        Ok((part.total, part.ones))
    }

    /// Finds offsets with scores in `range`. Returns the number of all of them, and the first `count`.
    fn first(&self, range: std::ops::RangeInclusive<u32>, count: usize) -> Result<(u64, Vec<u32>), Halt> {
        let (total, _, list) = self.mark(range, count as u32)?.1.fetch(self.session)?;
        Ok((total, list))
    }

    /// Finds the best offsets, each with its score: at least `TOP_OFFSETS`, if the part has as many. `best` is the
    /// greatest score.
    fn top(&self, spans: &[ScoreSpan], best: u32) -> Result<Vec<(u32, u32)>, Halt> {
        let mut most: Vec<u32> = spans.iter().map(|span| span.most as u32).collect();
        most.sort_unstable_by(|one, other| other.cmp(one));
        let reached = most.get(TOP_OFFSETS - 1).copied().unwrap_or(0);
        let (total, list) = self.first(reached..=u32::MAX, HIT_LIST_CAPACITY as usize)?;
        let list = if total <= u64::from(HIT_LIST_CAPACITY) {
            list
        } else {
            // At least TOP offsets reach `low`, and fewer than TOP reach `high`.
            let (mut low, mut high) = (reached, best + 1);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                let (total, _) = self.first(middle..=u32::MAX, 0)?;
                if total >= TOP_OFFSETS as u64 { low = middle } else { high = middle }
            }
            let (_, mut better) = self.first(high..=u32::MAX, TOP_OFFSETS)?;
            better.extend(self.first(low..=low, TOP_OFFSETS)?.1);
            better
        };
        let scores = self.scores.look(&list)?;
        let mut top: Vec<(u32, u32)> = scores.into_iter().zip(list).collect();
        top.sort_unstable_by_key(|&(score, at)| (u32::MAX - score, at));
        top.truncate(TOP_OFFSETS);
        Ok(top)
    }
}
