//! Histogram of the pairs of a collection ([`PairHistogram`]), and the threshold that it suggests ([`suggest`]).

use super::answer::ComparedTexts;
use super::measure::{Measure, Threshold, per_mille};

/// Number of bars of a histogram of similarities: one for each 2 %, and one for equal texts.
const SIMILARITY_BARS: usize = 51;

/// Maximum number of bars of a histogram of edits or points.
const MAX_EDIT_BARS: usize = 60;

/// Maximum range of values that are counted in an array. Those of a greater range are sorted.
const MAX_COUNTED_RANGE: i64 = 1 << 22;

/// The number of pairs for each value of the measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairHistogram {
    measure: Measure,
    /// Values with their numbers of pairs, in ascending order: per mille of similarity, edits or points.
    counts: Vec<(i32, u64)>,
    /// Least value of the scale: 0, or the least points.
    first: i32,
    /// Largest value of the scale: 1000 per mille, the most edits, or the most points.
    last: i32,
}

/// A bar of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramBar {
    /// First value: per cent, edits or points.
    pub from: i32,
    /// Value after the last one.
    pub to: i32,
    /// Number of pairs.
    pub pairs: u64,
}

/// The reason for a suggested threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionReason {
    /// Two normal curves fitted to the values cross there.
    Curves,
    /// The middle of the widest gap between the values that are nearer than half of the pairs.
    Gap,
    /// A usual value, because the values show no gap.
    Usual,
}

impl PairHistogram {
    /// Counts the pairs of different texts. Takes O(n²) time, and O(n² log n) if points differ very much.
    pub fn new(texts: &ComparedTexts) -> Self {
        let measure = texts.form.measure;
        let value = move |(a, b)| match measure {
            Measure::Similarity | Measure::LcsRatio => per_mille(texts.similarity(a, b)) as i32,
            Measure::Edits => texts.score(a, b),
            // A threshold is a whole number of points, and rounding down keeps the pairs that reach it.
            Measure::Points => texts.points(a, b).rounded_down() as i32,
        };
        let values = move || (0..texts.len()).flat_map(move |a| texts.partners_after(a).map(move |b| (a, b))).map(value);
        let (first, last) = match measure {
            Measure::Similarity | Measure::LcsRatio => (0, 1000),
            Measure::Edits => (0, values().max().unwrap_or(0)),
            Measure::Points => {
                let range = |range: Option<(i32, i32)>, value: i32| {
                    Some(range.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
                };
                values().fold(None, range).unwrap_or_default()
            }
        };
        let range = i64::from(last) - i64::from(first);
        let counts = if range < MAX_COUNTED_RANGE {
            let mut counts = vec![0; range as usize + 1];
            values().for_each(|value| counts[(value - first) as usize] += 1);
            (first..).zip(counts).filter(|(_, count)| *count > 0).collect()
        } else {
            let mut all: Vec<i32> = values().collect();
            all.sort_unstable();
            all.chunk_by(|x, y| x == y).map(|equal| (equal[0], equal.len() as u64)).collect()
        };
        Self { measure, counts, first, last }
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Returns the number of alike pairs.
    pub fn alike(&self, threshold: Threshold) -> u64 {
        let is_alike = |value: i32| match threshold {
            Threshold::Percent(percent) => i64::from(value) >= 10 * i64::from(percent),
            Threshold::Edits(edits) => i64::from(value) <= i64::from(edits),
            Threshold::Points(points) => value >= points,
        };
        self.counts.iter().filter(|(value, _)| is_alike(*value)).map(|(_, count)| count).sum()
    }

    /// Returns the range of the slider's thresholds: 1 to 100 per cent, 0 to the number of edits of the most distant pair, or
    /// the least points of a pair to the most ones.
    pub fn thresholds(&self) -> [i32; 2] {
        if self.measure.is_share() { [1, 100] } else { [self.first, self.last] }
    }

    /// Returns the difference of the largest and the least value, at least 1.
    fn range(&self) -> f64 {
        (f64::from(self.last) - f64::from(self.first)).max(1.0)
    }

    /// Returns the place of points between the least and the most ones of all pairs, from 0 to 1.
    pub fn place(&self, points: i32) -> f64 {
        (f64::from(points) - f64::from(self.first)) / self.range()
    }

    /// Returns the bars. A bar of similarities has 2 per cent, and the last one is that of equal texts.
    pub fn bars(&self) -> Vec<HistogramBar> {
        let values = i64::from(self.last) - i64::from(self.first) + 1;
        let (scale, step, bars) = if self.measure.is_share() {
            (10, 2, SIMILARITY_BARS)
        } else {
            let step = (values as u64).div_ceil(MAX_EDIT_BARS as u64) as i64;
            (1, step, (values as u64).div_ceil(step as u64) as usize)
        };
        let edge = |number: usize| (i64::from(self.first) + number as i64 * step).min(i32::MAX.into()) as i32;
        let mut all: Vec<HistogramBar> =
            (0..bars).map(|number| HistogramBar { from: edge(number), to: edge(number + 1), pairs: 0 }).collect();
        for &(value, count) in &self.counts {
            all[((i64::from(value) - i64::from(self.first)) / (scale * step)) as usize].pairs += count;
        }
        all
    }

    /// Returns the value below which half of the pairs are: per cent, edits or points.
    pub fn median(&self) -> i32 {
        let half = self.pairs() / 2;
        let mut sum = 0;
        let median = self.counts.iter().find(|(_, count)| {
            sum += count;
            sum > half
        });
        let value = median.map_or(self.first, |(value, _)| *value);
        if self.measure.is_share() { value / 10 } else { value }
    }

    /// Returns the values with their numbers of pairs, as nearness from 0 to 1, in ascending order.
    fn values(&self) -> Vec<(f64, f64)> {
        let mut values: Vec<(f64, f64)> = self.counts.iter().map(|&(value, count)| (self.place(value), count as f64)).collect();
        if self.measure == Measure::Edits {
            values.iter_mut().for_each(|(value, _)| *value = 1.0 - *value);
            values.reverse();
        }
        values
    }

    /// Returns the minimum width of a gap. Of edits and points, a number must be missing.
    fn min_gap(&self) -> f64 {
        if self.measure.is_share() { MIN_GAP } else { MIN_GAP.max(1.5 / self.range()) }
    }

    /// Converts a nearness from 0 to 1 into the threshold that texts with at least this nearness reach.
    fn threshold(&self, nearness: f64) -> Threshold {
        let range = f64::from(self.last) - f64::from(self.first);
        match self.measure {
            Measure::Similarity | Measure::LcsRatio => Threshold::Percent((100.0 * nearness).ceil().clamp(1.0, 100.0) as u32),
            Measure::Edits => Threshold::Edits(((1.0 - nearness) * range).floor().max(0.0) as u32),
            Measure::Points => Threshold::Points((f64::from(self.first) + (nearness * range).ceil()) as i32),
        }
    }

    /// Returns the threshold without any sign of groups.
    fn usual(&self) -> Threshold {
        match self.measure {
            Measure::Similarity | Measure::LcsRatio => Threshold::Percent(80),
            Measure::Edits => Threshold::Edits(2),
            Measure::Points => self.threshold(0.8),
        }
    }
}

/// Minimum width of a gap that separates alike pairs from the others, as a share of the scale.
const MIN_GAP: f64 = 0.1;

/// Suggests a threshold: where two normal curves fitted to the values cross, else the middle of the widest gap above the
/// median, else a usual value.
pub fn suggest(histogram: &PairHistogram) -> (Threshold, SuggestionReason) {
    let values = histogram.values();
    if let Some(crossing) = crossing(&values) {
        return (histogram.threshold(crossing), SuggestionReason::Curves);
    }
    match gap(&values, histogram.min_gap()) {
        Some(middle) => (histogram.threshold(middle), SuggestionReason::Gap),
        None => (histogram.usual(), SuggestionReason::Usual),
    }
}

/// Returns the middle of the widest gap above the median, if it has at least the width `min`.
fn gap(values: &[(f64, f64)], min: f64) -> Option<f64> {
    let half = values.iter().map(|(_, count)| count).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let mut widest = None::<(f64, f64)>;
    for pair in values.windows(2) {
        below += pair[0].1;
        let width = pair[1].0 - pair[0].0;
        if below >= half && width >= min && widest.is_none_or(|(most, _)| width > most) {
            widest = Some((width, (pair[0].0 + pair[1].0) / 2.0));
        }
    }
    widest.map(|(_, middle)| middle)
}

/// A normal curve with its share of the values.
#[derive(Clone, Copy, Debug)]
struct NormalCurve {
    share: f64,
    mean: f64,
    deviation: f64,
}

impl NormalCurve {
    /// Returns the logarithm of the density, without the constant that all curves have.
    fn log_density(&self, value: f64) -> f64 {
        let z = (value - self.mean) / self.deviation;
        (self.share / self.deviation).ln() - z * z / 2.0
    }
}

/// Number of steps of the fit.
const FIT_STEPS: usize = 50;

/// Least standard deviation of a curve, so that a curve does not shrink to a single value.
const MIN_DEVIATION: f64 = 0.005;

/// Minimum distance of both means, in root mean squares of the deviations, of curves that are two groups (Ashman's D,
/// Ashman, Bird and Zepf 1994).
const MIN_SEPARATION: f64 = 2.0;

/// Fits two normal curves to the values, and returns where they cross. Returns `None` if the values do not fall into two
/// groups.
///
/// The fit is expectation maximization whose values belong to one curve each (Celeux and Govaert, Computational Statistics
/// and Data Analysis 14, 1992). A curve of few alike pairs then does not widen over the many others.
fn crossing(values: &[(f64, f64)]) -> Option<f64> {
    let whole: f64 = values.iter().map(|(_, count)| count).sum();
    let (&(first, _), &(last, _)) = (values.first()?, values.last()?);
    if values.len() < 4 || last - first < MIN_GAP {
        return None;
    }
    let fit = |is_own: &dyn Fn(f64) -> bool| {
        let own = || values.iter().filter(|(value, _)| is_own(*value));
        let sum: f64 = own().map(|(_, count)| count).sum();
        let mean = own().map(|(value, count)| count * value).sum::<f64>() / sum;
        let square = own().map(|(value, count)| count * (value - mean) * (value - mean)).sum::<f64>() / sum;
        NormalCurve { share: sum / whole, mean, deviation: square.sqrt().max(MIN_DEVIATION) }
    };
    // Begins with a cut in the middle of the range.
    let middle = (first + last) / 2.0;
    let mut curves = [fit(&|value| value < middle), fit(&|value| value >= middle)];
    for _ in 0..FIT_STEPS {
        let [far, near] = curves;
        // A wide curve of near pairs is above the other one at both ends.
        let is_near = |value: f64| value > far.mean && near.log_density(value) > far.log_density(value);
        curves = [fit(&|value| !is_near(value)), fit(&is_near)];
    }
    let [far, near] = curves;
    let is_fitted = curves.iter().all(|curve| curve.mean.is_finite() && curve.share > 0.5 / whole);
    let spread = ((far.deviation * far.deviation + near.deviation * near.deviation) / 2.0).sqrt();
    if !is_fitted || near.mean - far.mean < MIN_SEPARATION * spread {
        return None;
    }
    let steps = 1000;
    let at = |step: usize| far.mean + (near.mean - far.mean) * step as f64 / steps as f64;
    (0..=steps).map(at).find(|&value| near.log_density(value) >= far.log_density(value)).filter(|&value| value > far.mean)
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::{compared, compared_by_points};
    use super::*;

    fn of_counts(measure: Measure, counts: &[u64]) -> PairHistogram {
        let last = counts.len() as i32 - 1;
        let counts = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
        PairHistogram { measure, counts, first: 0, last }
    }

    fn of_similarities(values: &[(usize, u64)]) -> PairHistogram {
        let mut counts = vec![0; 1001];
        values.iter().for_each(|&(per_mille, count)| counts[per_mille] += count);
        of_counts(Measure::Similarity, &counts)
    }

    #[test]
    fn pairs_are_counted_by_two_per_cent_or_by_edits() {
        let texts = compared(&["kitten", "sitting", "kitten", "mitten"], Measure::Similarity);
        let histogram = PairHistogram::new(&texts);
        assert_eq!((histogram.pairs(), histogram.bars().len(), histogram.thresholds()), (6, 51, [1, 100]));
        let full: Vec<_> = histogram.bars().into_iter().filter(|bar| bar.pairs > 0).map(|bar| (bar.from, bar.pairs)).collect();
        assert_eq!(full, [(56, 3), (82, 2), (100, 1)]);
        assert_eq!([0, 57, 58, 83, 84, 100].map(|percent| histogram.alike(Threshold::Percent(percent))), [6, 6, 3, 3, 1, 1]);
        let edits = PairHistogram::new(&compared(&["kitten", "sitting", "kitten", "mitten"], Measure::Edits));
        assert_eq!(edits.bars().iter().map(|bar| bar.pairs).collect::<Vec<_>>(), [1, 2, 0, 3]);
        assert_eq!((edits.alike(Threshold::Edits(1)), edits.median(), edits.thresholds()), (3, 3, [0, 3]));
        let one = PairHistogram::new(&compared(&["a"], Measure::Edits));
        assert_eq!((one.pairs(), one.median(), suggest(&one).1), (0, 0, SuggestionReason::Usual));
    }

    #[test]
    fn points_are_counted_from_the_least_ones() {
        let texts = compared_by_points(&["a", "b", "c"], &[9, -3, 4, 0, 9, 5, 0, 0, 9]);
        let histogram = PairHistogram::new(&texts);
        assert_eq!((histogram.pairs(), histogram.thresholds(), histogram.median()), (3, [-3, 5], 4));
        let bars = histogram.bars();
        assert_eq!((bars[0].from, bars[0].pairs, bars.last().map(|bar| (bar.from, bar.to, bar.pairs))), (-3, 1, Some((5, 6, 1))));
        assert_eq!([-4, -3, -2, 4, 5, 6].map(|points| histogram.alike(Threshold::Points(points))), [3, 3, 2, 2, 1, 0]);
        assert_eq!([-3, 1, 5].map(|points| histogram.place(points)), [0.0, 0.5, 1.0]);
        let (threshold, reason) = suggest(&histogram);
        assert!(matches!(threshold, Threshold::Points(-3..=5)) && reason != SuggestionReason::Curves, "{threshold:?}");
        // A range that no array has room for.
        let (least, most) = (-1_000_000_000, 2_000_000_000);
        let wide = PairHistogram::new(&compared_by_points(&["a", "b", "c"], &[0, least, most, 0, 0, most, 0, 0, 0]));
        assert_eq!((wide.pairs(), wide.thresholds(), wide.median(), wide.alike(Threshold::Points(most))), (3, [least, most], most, 2));
        let bars = wide.bars();
        assert_eq!((bars.len(), bars[0].pairs, bars.iter().map(|bar| bar.pairs).sum::<u64>()), (MAX_EDIT_BARS, 1, 3));
        let one = PairHistogram::new(&compared_by_points(&["a"], &[7]));
        assert_eq!((one.pairs(), one.thresholds(), suggest(&one).0), (0, [0, 0], Threshold::Points(0)));
    }

    #[test]
    fn long_distances_share_bars() {
        let bars = of_counts(Measure::Edits, &[1; 1000]).bars();
        assert!(bars.len() <= MAX_EDIT_BARS && bars.iter().map(|bar| bar.pairs).sum::<u64>() == 1000);
    }

    #[test]
    fn threshold_is_where_two_curves_cross() {
        let bell = |mean: i32, deviation: f64, height: f64| {
            (-100..=100).map(move |offset: i32| {
                let count = height * (-f64::from(offset * offset) / (2.0 * deviation * deviation)).exp();
                ((mean + offset) as usize, count.round() as u64)
            })
        };
        let values: Vec<_> = bell(200, 30.0, 50.0).chain(bell(700, 30.0, 50.0)).collect();
        let (threshold, reason) = suggest(&of_similarities(&values));
        assert!((44..=46).contains(&threshold.value()) && reason == SuggestionReason::Curves, "{threshold:?}");
        // A few alike pairs among many others.
        let values: Vec<_> = bell(100, 40.0, 10.0).chain([(380, 1), (700, 1), (750, 1), (800, 2), (920, 1), (1000, 1)]).collect();
        let (threshold, reason) = suggest(&of_similarities(&values));
        assert!((21..=38).contains(&threshold.value()) && reason == SuggestionReason::Curves, "{threshold:?}");
    }

    #[test]
    fn threshold_without_two_curves_is_in_a_gap_or_usual() {
        assert_eq!(suggest(&of_similarities(&[(100, 5), (140, 5), (600, 1)])), (Threshold::Percent(37), SuggestionReason::Gap));
        assert_eq!(suggest(&of_similarities(&[(100, 5), (120, 5), (140, 5)])), (Threshold::Percent(80), SuggestionReason::Usual));
        let edits = of_counts(Measure::Edits, &[0, 0, 0, 4, 4, 4]);
        assert_eq!(suggest(&edits), (Threshold::Edits(2), SuggestionReason::Usual));
    }

    #[test]
    fn half_of_the_pairs_are_below_the_median() {
        assert_eq!(of_similarities(&[(100, 1), (105, 2), (900, 1)]).median(), 10);
    }
}
