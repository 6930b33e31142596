//! Histogram of the pairs of a collection ([`PairHistogram`]), and the threshold that it suggests ([`suggest`]).

use super::answer::ComparedTexts;
use super::measure::{Measure, Threshold, per_mille};

/// Number of bars of a histogram of similarities: one for each 2 %, and one for equal texts.
const SIMILARITY_BARS: usize = 51;

/// Maximum number of bars of a histogram of edits.
const MAX_EDIT_BARS: usize = 60;

/// The number of pairs for each value of the measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairHistogram {
    measure: Measure,
    /// Number of pairs for each value: per mille of similarity, or edits.
    counts: Vec<u64>,
}

/// A bar of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramBar {
    /// First value: per cent, or edits.
    pub from: u32,
    /// Value after the last one.
    pub to: u32,
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
    /// Counts the pairs of different texts. Takes O(n²) time.
    pub fn new(texts: &ComparedTexts) -> Self {
        let measure = texts.form.measure;
        let mut counts = vec![0; if measure == Measure::Edits { 1 } else { 1001 }];
        for a in 0..texts.len() {
            for b in texts.partners_after(a) {
                let value = match measure {
                    Measure::Similarity | Measure::LcsRatio => per_mille(texts.similarity(a, b)) as usize,
                    Measure::Edits => texts.score(a, b).max(0) as usize,
                };
                if value >= counts.len() {
                    counts.resize(value + 1, 0);
                }
                counts[value] += 1;
            }
        }
        Self { measure, counts }
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the number of alike pairs.
    pub fn alike(&self, threshold: Threshold) -> u64 {
        match threshold {
            Threshold::Percent(percent) => self.counts.iter().skip(10 * percent as usize).sum(),
            Threshold::Edits(edits) => self.counts.iter().take(edits as usize + 1).sum(),
        }
    }

    /// Returns the largest threshold of the slider: 100 per cent, or the number of edits of the most distant pair.
    pub fn max_threshold(&self) -> u32 {
        if self.measure == Measure::Edits { self.counts.len() as u32 - 1 } else { 100 }
    }

    /// Returns the bars. A bar of similarities has 2 per cent, and the last one is that of equal texts.
    pub fn bars(&self) -> Vec<HistogramBar> {
        let (scale, step, bars) = match self.measure {
            Measure::Similarity | Measure::LcsRatio => (10, 2, SIMILARITY_BARS),
            Measure::Edits => {
                let step = self.counts.len().div_ceil(MAX_EDIT_BARS);
                (1, step, self.counts.len().div_ceil(step))
            }
        };
        let bar = |number: usize| {
            let (from, to) = (number * step, (number + 1) * step);
            let values = scale * from..(scale * to).min(self.counts.len());
            HistogramBar { from: from as u32, to: to as u32, pairs: self.counts[values].iter().sum() }
        };
        (0..bars).map(bar).collect()
    }

    /// Returns the value below which half of the pairs are: per cent, or edits.
    pub fn median(&self) -> u32 {
        let half = self.pairs() / 2;
        let mut sum = 0;
        let value = self.counts.iter().position(|count| {
            sum += count;
            sum > half
        });
        let value = value.unwrap_or(0) as u32;
        if self.measure == Measure::Edits { value } else { value / 10 }
    }

    /// Returns the values with their numbers of pairs, as nearness from 0 to 1, in ascending order.
    fn values(&self) -> Vec<(f64, f64)> {
        let most = (self.counts.len() - 1).max(1) as f64;
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let mut values: Vec<(f64, f64)> = counted.map(|(value, count)| (value as f64 / most, *count as f64)).collect();
        if self.measure == Measure::Edits {
            values.iter_mut().for_each(|(value, _)| *value = 1.0 - *value);
            values.reverse();
        }
        values
    }

    /// Returns the minimum width of a gap. Of edits, a number must be missing.
    fn min_gap(&self) -> f64 {
        match self.measure {
            Measure::Similarity | Measure::LcsRatio => MIN_GAP,
            Measure::Edits => MIN_GAP.max(1.5 / (self.counts.len() - 1).max(1) as f64),
        }
    }

    /// Converts a nearness from 0 to 1 into the threshold that texts with at least this nearness reach.
    fn threshold(&self, nearness: f64) -> Threshold {
        match self.measure {
            Measure::Similarity | Measure::LcsRatio => Threshold::Percent((100.0 * nearness).ceil().clamp(1.0, 100.0) as u32),
            Measure::Edits => Threshold::Edits(((1.0 - nearness) * (self.counts.len() - 1) as f64).floor().max(0.0) as u32),
        }
    }
}

/// Threshold without any sign of groups, for similarities and for edits.
const USUAL: [Threshold; 2] = [Threshold::Percent(80), Threshold::Edits(2)];

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
        None => (USUAL[usize::from(histogram.measure == Measure::Edits)], SuggestionReason::Usual),
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
    use super::super::answer::tests::compared;
    use super::*;

    fn of_similarities(values: &[(usize, u64)]) -> PairHistogram {
        let mut counts = vec![0; 1001];
        values.iter().for_each(|&(per_mille, count)| counts[per_mille] += count);
        PairHistogram { measure: Measure::Similarity, counts }
    }

    #[test]
    fn pairs_are_counted_by_two_per_cent_or_by_edits() {
        let texts = compared(&["kitten", "sitting", "kitten", "mitten"], Measure::Similarity);
        let histogram = PairHistogram::new(&texts);
        assert_eq!((histogram.pairs(), histogram.bars().len(), histogram.max_threshold()), (6, 51, 100));
        let full: Vec<_> = histogram.bars().into_iter().filter(|bar| bar.pairs > 0).map(|bar| (bar.from, bar.pairs)).collect();
        assert_eq!(full, [(56, 3), (82, 2), (100, 1)]);
        assert_eq!([0, 57, 58, 83, 84, 100].map(|percent| histogram.alike(Threshold::Percent(percent))), [6, 6, 3, 3, 1, 1]);
        let edits = PairHistogram::new(&compared(&["kitten", "sitting", "kitten", "mitten"], Measure::Edits));
        assert_eq!(edits.bars().iter().map(|bar| bar.pairs).collect::<Vec<_>>(), [1, 2, 0, 3]);
        assert_eq!((edits.alike(Threshold::Edits(1)), edits.median(), edits.max_threshold()), (3, 3, 3));
        let one = PairHistogram::new(&compared(&["a"], Measure::Edits));
        assert_eq!((one.pairs(), one.median(), suggest(&one).1), (0, 0, SuggestionReason::Usual));
    }

    #[test]
    fn long_distances_share_bars() {
        let counts = vec![1; 1000];
        let bars = PairHistogram { measure: Measure::Edits, counts }.bars();
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
        let edits = PairHistogram { measure: Measure::Edits, counts: vec![0, 0, 0, 4, 4, 4] };
        assert_eq!(suggest(&edits), (Threshold::Edits(2), SuggestionReason::Usual));
    }

    #[test]
    fn half_of_the_pairs_are_below_the_median() {
        assert_eq!(of_similarities(&[(100, 1), (105, 2), (900, 1)]).median(), 10);
    }
}
