//! Overview chart of a whole alignment: the numbers of edits along it, stacked by kind of edit. [`OverviewChart`] has
//! the paths to draw. A single high peak is cut off, so that it does not determine the scale.

use std::fmt::Write as _;

use explain::window::OverviewBin;

/// Width of the drawing, in user units of the SVG.
pub const WIDTH: f64 = 1200.0;

/// Height of the drawing, in user units of the SVG.
pub const HEIGHT: f64 = 64.0;

/// Maximum number of edits per 1,000 columns, reached if every column is an edit.
const MAX_RATE: f64 = 1_000.0;

/// The overview chart, ready to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverviewChart {
    /// SVG paths for substitutions, insertions and deletions, in this order.
    pub paths: [String; 3],
    /// Number of edits per 1,000 columns at the upper edge of the chart.
    pub top: f64,
    /// The peak that the chart cuts off, or `None` if the chart shows all peaks. It is given as the number of edits per
    /// 1,000 columns in its bin (one of the equal parts of the alignment), and the column in the middle of this bin.
    pub peak: Option<(f64, u64)>,
    /// Mean number of edits per 1,000 columns.
    pub mean: f64,
}

impl OverviewChart {
    /// Creates the chart of an alignment of `columns` columns. `bins` has the numbers of edits in equal parts of the
    /// alignment.
    pub fn new(bins: &[OverviewBin], columns: u64) -> Self {
        if bins.is_empty() || columns == 0 {
            return Self::default();
        }
        let per_thousand = 1e3 * bins.len() as f64 / columns as f64;
        let sum = |bin: &OverviewBin| (bin.mismatches + bin.insertions + bin.deletions) as f64 * per_thousand;
        let mut sums: Vec<f64> = bins.iter().map(sum).collect();
        let mean = sums.iter().sum::<f64>() / sums.len() as f64;
        let (peak_at, peak) = sums.iter().copied().enumerate().max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or_default();
        sums.sort_by(f64::total_cmp);
        let usual = sums[sums.len() * 98 / 100].max(f64::MIN_POSITIVE);
        let cut = peak > 2.5 * usual && usual > per_thousand;
        let top = nice(if cut { usual * 1.25 } else { peak }).min(MAX_RATE);
        let wide = WIDTH / bins.len() as f64;
        let gap = (wide * 0.2).min(0.8);
        let mut paths = [String::new(), String::new(), String::new()];
        for (at, bin) in bins.iter().enumerate() {
            let mut base = 0.0;
            for (path, edits) in paths.iter_mut().zip([bin.mismatches, bin.insertions, bin.deletions]) {
                let height = (edits as f64 * per_thousand / top * HEIGHT).min(HEIGHT - base);
                if height > 0.0 {
                    base += height;
                    let _ = write!(path, "M{:.1} {:.1}h{:.1}v{height:.1}h-{:.1}z", at as f64 * wide, HEIGHT - base, wide - gap, wide - gap);
                }
            }
        }
        let middle = ((peak_at as f64 + 0.5) * columns as f64 / bins.len() as f64) as u64;
        Self { paths, top, peak: cut.then_some((peak, middle)), mean }
    }
}

/// Rounds up to the next number of the form 1, 2 or 5 times a power of ten.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|step| *step >= value * 0.999_999).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(mismatches: u64) -> OverviewBin {
        OverviewBin { mismatches, insertions: 0, deletions: 0 }
    }

    #[test]
    fn single_peak_is_cut_off_and_labelled() {
        let mut bins = vec![bin(10); 100];
        bins[66] = bin(95);
        let chart = OverviewChart::new(&bins, 100_000);
        assert_eq!((chart.top, chart.peak), (20.0, Some((95.0, 66_500))));
        assert!(chart.mean > 10.0 && chart.mean < 11.0);
        assert_eq!(OverviewChart::new(&[bin(10), bin(10)], 20).top, 1_000.0, "every column is an edit");
        let most = OverviewChart::new(&[bin(1_000), bin(10), bin(9)], 3_000);
        assert!(most.top <= 1_000.0, "{most:?}");
        let even = OverviewChart::new(&[bin(10), bin(12)], 2_000);
        assert_eq!((even.top, even.peak), (20.0, None));
    }

    #[test]
    fn equal_texts_have_an_empty_chart() {
        assert_eq!(OverviewChart::new(&[bin(0); 4], 400).paths.concat(), "");
        assert_eq!(OverviewChart::new(&[], 0), OverviewChart::default());
    }
}
