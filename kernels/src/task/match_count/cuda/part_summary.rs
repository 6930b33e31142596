//! Summary of the scores of a part of the text.
//!
//! The spans of the profile come first, because no offset of a span has a better score than the span's maximum. Let TOP
//! be the number of best offsets that an answer lists. The TOP-th greatest of these maxima is a score that at least TOP
//! offsets reach. If not too many offsets reach it, their scores are downloaded and sorted. Otherwise a binary search
//! finds the greatest score that at least TOP offsets reach. Then all offsets with a better score are taken, and the
//! first ones with this score.

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
    /// Number of offsets with at most the requested number of unequal symbols, or `None` if no number is requested.
    pub(super) within: Option<u64>,
    /// The offsets with at most the requested number of unequal symbols. If no number is requested, the offsets with
    /// the greatest score.
    pub(super) ones: PartOnes,
    /// The best offsets in this part, best first: at most `TOP_OFFSETS`. An entry is the score and the offset. Empty if
    /// hits are only counted.
    pub(super) top: Vec<(u32, u32)>,
    pub(super) spans: Vec<ScoreSpan>,
}

/// Computes the summary that `wanted` requests of the scores of a part.
///
/// # Errors
/// Returns an error if the GPU fails.
pub(super) fn summarize_part(session: &GpuSession, scores: &DeviceScores, wanted: ScoreRequest) -> Result<PartSummary, Halt> {
    let on_device = scores.spans(wanted.width)?;
    let spans = scores::spans(&session.download(&on_device)?, scores.shape.offsets, wanted.width);
    let best = spans.iter().map(|span| span.most).max().unwrap_or(0) as u32;
    let look = PartSummarizer { session, scores, spans: &on_device, width: wanted.width };
    let (total_best, best_ones) = look.all(best..=u32::MAX)?;
    let (within, ones) = match wanted.max_mismatches {
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

    /// Finds all offsets with scores in `range`. Returns their number and their positions.
    fn all(&self, range: std::ops::RangeInclusive<u32>) -> Result<(u64, PartOnes), Halt> {
        let (marks, found) = self.mark(range, HIT_LIST_CAPACITY)?;
        let part = marks.positions(self.session, &found)?;
        Ok((part.total, part.ones))
    }

    /// Finds offsets with scores in `range`. Returns the number of all of them, and the first `count` of them.
    fn first(&self, range: std::ops::RangeInclusive<u32>, count: usize) -> Result<(u64, Vec<u32>), Halt> {
        let (total, _, list) = self.mark(range, count as u32)?.1.fetch(self.session)?;
        Ok((total, list))
    }

    /// Returns the best offsets of the part, best first: at most `TOP_OFFSETS`. An element is the score and the offset.
    /// `spans` is the profile of the part, and `best` its greatest score.
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
        let scores = self.scores.fetch_scores(&list)?;
        let mut top: Vec<(u32, u32)> = scores.into_iter().zip(list).collect();
        top.sort_unstable_by_key(|&(score, at)| (u32::MAX - score, at));
        top.truncate(TOP_OFFSETS);
        Ok(top)
    }
}
