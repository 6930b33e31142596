//! Geometry of charts, in pixels of the page: scales, ticks and outlines ([`ScoreChartFrame`]), and places of labels. A
//! chart is drawn for the available width and not scaled, so that letters keep their size.

use std::fmt::Write as _;

use kernels::found::ScoreSpan;

/// Minimum distance of two labelled ticks on an axis, in pixels.
const TICK: f64 = 90.0;

/// The area of a chart that shows the scores of a pattern at a range of offsets in a text. The lower edge is score 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreChartFrame {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// First offset of the range.
    pub from: u64,
    /// Number of offsets in the range, at least 1.
    pub len: u64,
    /// The score at the upper edge, above 0.
    pub top: u64,
}

impl ScoreChartFrame {
    /// Returns the x coordinate of the left edge of an offset's column, in pixels.
    pub fn x(&self, offset: u64) -> f64 {
        (offset as f64 - self.from as f64) / self.len as f64 * self.width
    }

    /// Returns the y coordinate of a score, in pixels from the upper edge.
    pub fn y(&self, score: f64) -> f64 {
        self.height - (score / self.top as f64).min(1.0) * self.height
    }

    /// Returns the offset whose column contains the x coordinate `x`, in pixels, clamped to the range.
    pub fn offset(&self, x: f64) -> u64 {
        let share = (x / self.width.max(1.0)).clamp(0.0, 1.0);
        self.from + ((share * self.len as f64) as u64).min(self.len - 1)
    }

    /// Returns the score at the y coordinate `y`, in pixels from the upper edge, clamped to the chart.
    pub fn score(&self, y: f64) -> u64 {
        (((1.0 - y / self.height).clamp(0.0, 1.0)) * self.top as f64).round() as u64
    }

    /// Returns the offsets to label: multiples of a round number, far enough apart for their labels.
    pub fn ticks(&self) -> Vec<u64> {
        let step = round_up(self.len as f64 * TICK / self.width.max(TICK));
        let first = self.from.div_ceil(step) * step;
        (first..self.from + self.len).step_by(step as usize).collect()
    }

    /// Returns the scores to label: multiples of a round number, from 0.
    pub fn levels(&self) -> Vec<u64> {
        let step = round_up(self.top as f64 * 36.0 / self.height);
        (0..=self.top).step_by(step as usize).collect()
    }

    /// Returns an SVG path of the area between the least and the greatest score of each of `spans` (runs of offsets,
    /// from the first offset of the chart on).
    pub fn band(&self, spans: &[ScoreSpan]) -> String {
        let mut path = String::new();
        let mut back = Vec::with_capacity(spans.len());
        let mut at = self.from;
        for span in spans {
            let (left, right) = (self.x(at), self.x(at + span.offsets));
            let open = if path.is_empty() { "M" } else { "L" };
            let (high, low) = (self.y(span.most as f64), self.y(span.least as f64));
            let _ = write!(path, "{open}{left:.1} {high:.1}H{right:.1}");
            back.push((right, low, left));
            at += span.offsets;
        }
        for (right, low, left) in back.into_iter().rev() {
            let _ = write!(path, "L{right:.1} {low:.1}H{left:.1}");
        }
        if !path.is_empty() {
            path.push('z');
        }
        path
    }

    /// Returns an SVG path with a bar for each of `spans` (runs of offsets) for which `wanted` holds. The bar of a span
    /// goes from 0 to the value that `score` returns.
    pub fn bars(&self, spans: &[ScoreSpan], score: impl Fn(&ScoreSpan) -> f64, wanted: impl Fn(&ScoreSpan) -> bool) -> String {
        let mut path = String::new();
        let mut at = self.from;
        for span in spans {
            let (left, right) = (self.x(at), self.x(at + span.offsets));
            // There is a gap between bars that are wide enough to be distinguished.
            let gap = if right - left >= 4.0 { 1.0 } else { 0.0 };
            if wanted(span) {
                let (left, right) = (left + gap / 2.0, (right - gap / 2.0).max(left + gap / 2.0 + 1.0));
                let _ = write!(path, "M{left:.1} {:.1}V{:.1}H{right:.1}V{:.1}z", self.height, self.y(score(span)), self.height);
            }
            at += span.offsets;
        }
        path
    }

    /// Returns the first offset of the span (run of offsets) with the greatest score, and the span itself. Returns
    /// `None` if `spans` is empty.
    pub fn peak(&self, spans: &[ScoreSpan]) -> Option<(u64, ScoreSpan)> {
        let mut at = self.from;
        let mut best: Option<(u64, ScoreSpan)> = None;
        for span in spans {
            if best.is_none_or(|(_, best)| span.most > best.most) {
                best = Some((at, *span));
            }
            at += span.offsets;
        }
        best
    }
}

/// The position of a label that does not overlap others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelPosition {
    /// Distance of the label's anchor from the left edge of the chart, in pixels.
    pub x: f64,
    /// Value of the SVG attribute `text-anchor`: whether the label starts, ends or is centred at `x`.
    pub anchor: &'static str,
}

/// Places labels over points of a chart of this `width`, so that they do not overlap. The result has an entry for each
/// point, which is `None` if its label is left out.
///
/// Each of `points` is an x coordinate and the width of its label, in pixels, the most important point first. A label
/// is centred over its point if it fits into `width`. A label that would touch an earlier one is left out.
pub fn place_labels(points: &[(f64, f64)], width: f64) -> Vec<Option<LabelPosition>> {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let place = |&(at, wide): &(f64, f64)| {
        let (from, anchor) = match at {
            at if at < wide / 2.0 => (at.max(0.0), "start"),
            at if at + wide / 2.0 > width => (at.min(width) - wide, "end"),
            at => (at - wide / 2.0, "middle"),
        };
        let reach = (from - LABEL_GAP, from + wide + LABEL_GAP);
        let is_free = taken.iter().all(|other| reach.1 <= other.0 || other.1 <= reach.0);
        is_free.then(|| {
            taken.push((from, from + wide));
            LabelPosition { x: at.clamp(0.0, width), anchor }
        })
    };
    points.iter().map(place).collect()
}

/// Minimum distance of two labels, in pixels.
const LABEL_GAP: f64 = 10.0;

/// Rounds up to the next of the round numbers 1, 2, 5, 10, 20, 50, …
pub fn round_up(value: f64) -> u64 {
    let mut power = 1u64;
    loop {
        for step in [1, 2, 5] {
            if (step * power) as f64 >= value {
                return step * power;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: ScoreChartFrame = ScoreChartFrame { width: 600.0, height: 100.0, from: 10, len: 6, top: 4 };

    #[test]
    fn chart_coordinates_are_converted_in_both_directions() {
        assert_eq!((FRAME.x(10), FRAME.x(16), FRAME.y(0.0), FRAME.y(4.0)), (0.0, 600.0, 100.0, 0.0));
        assert_eq!((FRAME.offset(-5.0), FRAME.offset(150.0), FRAME.offset(9e9)), (10, 11, 15));
        assert_eq!((FRAME.score(0.0), FRAME.score(74.0), FRAME.score(500.0)), (4, 1, 0));
    }

    #[test]
    fn labels_never_overlap() {
        let anchors =
            |points: &[(f64, f64)]| place_labels(points, 600.0).iter().map(|label| label.map(|label| label.anchor)).collect::<Vec<_>>();
        // The first label begins at the edge and ends at 85. The label over 95 would overlap it.
        assert_eq!(anchors(&[(5.0, 80.0), (95.0, 80.0), (150.0, 80.0), (590.0, 80.0)]), [Some("start"), None, Some("middle"), Some("end")]);
        assert_eq!(anchors(&[(300.0, 80.0), (230.0, 80.0), (210.0, 80.0)]), [Some("middle"), None, Some("middle")], "in any order");
        assert_eq!(place_labels(&[(300.0, 80.0)], 600.0), [Some(LabelPosition { x: 300.0, anchor: "middle" })]);
    }

    #[test]
    fn ticks_are_round_and_spaced() {
        assert_eq!(FRAME.ticks(), [10, 11, 12, 13, 14, 15]);
        let phage = ScoreChartFrame { width: 1160.0, height: 190.0, from: 0, len: 93_458, top: 1_024 };
        assert_eq!(phage.ticks(), [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000]);
        assert_eq!(phage.levels(), [0, 200, 400, 600, 800, 1_000]);
        assert_eq!(ScoreChartFrame { from: 29_960, len: 91, width: 300.0, ..phage }.ticks(), [30_000, 30_050]);
    }

    #[test]
    fn bands_and_bars_follow_the_scores() {
        let spans =
            [ScoreSpan::of(1).join(ScoreSpan::of(3)), ScoreSpan::of(4), ScoreSpan::of(0).join(ScoreSpan::of(0)).join(ScoreSpan::of(0))];
        assert_eq!(
            FRAME.band(&spans),
            "M0.0 25.0H200.0L200.0 0.0H300.0L300.0 100.0H600.0L600.0 100.0H300.0L300.0 0.0H200.0L200.0 75.0H0.0z"
        );
        let high = FRAME.bars(&spans, |span| span.most as f64, |span| span.most >= 3);
        assert_eq!(high, "M0.5 100.0V25.0H199.5V100.0zM200.5 100.0V0.0H299.5V100.0z");
        assert_eq!(FRAME.peak(&spans), Some((12, ScoreSpan::of(4))));
        assert_eq!(FRAME.band(&[]), "");
    }
}
