//! Profile: statistics of the scores at adjacent offsets, for a plot of the scores at all offsets of `a` in `b`.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::cbor_struct;

/// Maximum number of spans in a stored profile. To show a part of it in more detail, the scores are computed from the
/// texts again.
pub(super) const MAX_PROFILE_SPANS: u64 = 1 << 14;

/// A span of adjacent offsets of `a` in `b`, with statistics of the scores (numbers of equal symbols) at these offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Span))]
pub struct ScoreSpan {
    /// Number of offsets.
    pub offsets: u64,
    /// Lowest score.
    pub least: u64,
    /// Highest score.
    pub most: u64,
    /// Sum of the scores.
    pub sum: u64,
}

cbor_struct!(ScoreSpan { offsets, least, most, sum });

impl ScoreSpan {
    /// The statistics of no offsets. Joined with a span, they give this span.
    pub const EMPTY: Self = Self { offsets: 0, least: u64::MAX, most: 0, sum: 0 };

    /// Returns the statistics of the offsets of `self` and `other` together.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            offsets: self.offsets + other.offsets,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            sum: self.sum + other.sum,
        }
    }

    /// Creates the statistics of a single offset with the score `score`.
    pub fn of(score: u64) -> Self {
        Self { offsets: 1, least: score, most: score, sum: score }
    }
}

/// Statistics of the scores at all offsets of `a` in `b`, in spans of `width` offsets each. The last span may be
/// shorter. A profile has at most 16,384 spans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreProfile {
    /// Number of offsets in each span except for the last: a power of two.
    pub width: u64,
    /// Statistics of each span, in the order of the offsets.
    pub spans: Vec<ScoreSpan>,
}

cbor_struct!(ScoreProfile { width, spans });

impl ScoreProfile {
    /// Returns the number of offsets in each span of a profile of `offsets` offsets. It is the smallest power of two
    /// with which there are at most 16,384 spans.
    pub fn width_for(offsets: u64) -> u64 {
        offsets.div_ceil(MAX_PROFILE_SPANS).max(1).next_power_of_two()
    }
}

/// Divides `offsets` into at most `points` spans of equal width, except for the last one, and returns the statistics of
/// the scores in each. `each` receives `offsets` and a callback, to which it must pass every offset with its score.
///
/// # Errors
/// Returns the error of `each`.
pub(crate) fn in_spans<E>(
    offsets: Range<u64>,
    points: usize,
    each: impl FnOnce(Range<u64>, &mut dyn FnMut(u64, u64)) -> Result<(), E>,
) -> Result<Vec<ScoreSpan>, E> {
    let len = offsets.end.saturating_sub(offsets.start);
    let width = len.div_ceil(points.max(1) as u64).max(1);
    let mut spans = vec![ScoreSpan::EMPTY; len.div_ceil(width) as usize];
    let from = offsets.start;
    each(offsets, &mut |offset, score| {
        let span = &mut spans[((offset - from) / width) as usize];
        *span = span.join(ScoreSpan::of(score));
    })?;
    Ok(spans)
}
