//! A score at every offset, down-sampled to what a plot needs.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::cbor_struct;

/// Spans that a profile keeps at most. Finer ones are computed again from the texts.
pub(super) const MOST_SPANS: u64 = 1 << 14;

/// Scores over neighbouring offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Span {
    /// Number of offsets.
    pub offsets: u64,
    /// Least score.
    pub least: u64,
    /// Greatest score.
    pub most: u64,
    /// Sum of the scores.
    pub sum: u64,
}

cbor_struct!(Span { offsets, least, most, sum });

impl Span {
    /// No offset at all.
    pub const EMPTY: Self = Self { offsets: 0, least: u64::MAX, most: 0, sum: 0 };

    /// Both spans together.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            offsets: self.offsets + other.offsets,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            sum: self.sum + other.sum,
        }
    }

    /// One offset.
    pub fn of(score: u64) -> Self {
        Self { offsets: 1, least: score, most: score, sum: score }
    }
}

/// The score vector in spans of `width` offsets each, the last one shorter. At most `MOST_SPANS` spans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Offsets of all spans but the last: a power of two.
    pub width: u64,
    /// The spans, in order.
    pub spans: Vec<Span>,
}

impl Profile {
    /// Width of the spans for so many offsets: the least power of two that needs no more than `MOST_SPANS` spans.
    pub fn width_for(offsets: u64) -> u64 {
        offsets.div_ceil(MOST_SPANS).max(1).next_power_of_two()
    }
}

/// Scores over a range of offsets in `points` spans at most, equal in width but for the last: of what `each` hands on, which is the
/// score at every one of them.
///
/// # Errors
/// Those of `each`.
pub(crate) fn in_spans<E>(
    offsets: Range<u64>,
    points: usize,
    each: impl FnOnce(Range<u64>, &mut dyn FnMut(u64, u64)) -> Result<(), E>,
) -> Result<Vec<Span>, E> {
    let len = offsets.end.saturating_sub(offsets.start);
    let width = len.div_ceil(points.max(1) as u64).max(1);
    let mut spans = vec![Span::EMPTY; len.div_ceil(width) as usize];
    let from = offsets.start;
    each(offsets, &mut |offset, score| {
        let span = &mut spans[((offset - from) / width) as usize];
        *span = span.join(Span::of(score));
    })?;
    Ok(spans)
}
