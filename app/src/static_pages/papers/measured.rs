//! A chart of times that the machine model predicts and that were measured on an H200, over the number *D* of blocks of
//! threads. Both axes are logarithmic. Each length of the pattern has a line for the model and eight measured points.

use std::fmt::Write as _;

use kernels::machine::published::{BLOCKS, TABLE_1};
use leptos::prelude::*;

use super::{PapersTexts, beside, figure};
use crate::model::text::humanize::grouped;
use crate::tr::fill;

/// Measured milliseconds of the method `slices`: a row for each length of the pattern, a column for each number of
/// thread blocks. From `2026-11-23-h200-papers.txt`.
const MEASURED: [[f64; 8]; 6] = [
    [65.00, 32.56, 16.30, 8.186, 4.131, 2.115, 1.167, 0.692],
    [64.36, 32.22, 16.13, 8.107, 4.102, 2.212, 1.280, 1.020],
    [64.35, 32.26, 16.19, 8.169, 4.461, 2.514, 1.955, 1.943],
    [71.12, 35.71, 17.97, 9.108, 5.020, 3.824, 3.793, 4.089],
    [84.40, 42.48, 21.51, 10.99, 7.580, 7.428, 8.073, 9.767],
    [113.0, 57.14, 29.19, 15.23, 14.35, 16.00, 19.59, 27.00],
];

/// Milliseconds that the model predicts for the runs of [`MEASURED`] with the measured constants *w*, *d*, *l* and *L*.
/// From `2026-11-23-h200-papers.txt`.
const PREDICTED: [[f64; 8]; 6] = [
    [30.31, 15.20, 7.641, 3.864, 2.038, 1.125, 0.671, 0.448],
    [29.70, 14.90, 7.497, 3.797, 2.061, 1.195, 0.766, 0.562],
    [30.63, 15.37, 7.745, 3.932, 2.243, 1.405, 1.000, 0.826],
    [33.55, 16.86, 8.513, 4.340, 2.684, 1.879, 1.523, 1.722],
    [39.96, 20.12, 10.20, 5.241, 3.637, 2.918, 3.292, 4.038],
    [53.10, 26.84, 13.71, 7.152, 5.711, 6.434, 7.879, 10.77],
];

/// Number of leading columns of [`MEASURED`] in which each block has a multiprocessor to itself, because an H200 has
/// 132 of them.
const ALONE: usize = 4;

/// Left, top, width and height of the plot area, in units of the drawing.
const FIELD: [f64; 4] = [64.0, 36.0, 480.0, 300.0];

/// Milliseconds at the lower and upper end of the vertical axis.
const MS: [f64; 2] = [0.3, 150.0];

/// Returns the smallest and the largest ratio of measured to predicted time in the columns `which` of [`MEASURED`].
fn ratios(which: std::ops::Range<usize>) -> [f64; 2] {
    let both = MEASURED.iter().flatten().zip(PREDICTED.iter().flatten()).enumerate();
    let of = both.filter(|(at, _)| which.contains(&(at % BLOCKS.len()))).map(|(_, (measured, predicted))| measured / predicted);
    of.fold([f64::INFINITY, 0.0], |[least, most], ratio| [ratio.min(least), ratio.max(most)])
}

/// Returns the chart of predicted and measured times as SVG elements in 640 × 400 units. `told` has the labels.
fn drawing(told: &PapersTexts) -> String {
    let [left, top, width, height] = FIELD;
    let (right, bottom) = (left + width, top + height);
    let x = |column: usize| left + width * column as f64 / (BLOCKS.len() - 1) as f64;
    let y = |ms: f64| top + height * (1.0 - (ms / MS[0]).ln() / (MS[1] / MS[0]).ln());
    let mut out = String::new();
    for ms in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        let at = y(ms);
        let _ = write!(out, r#"<path class="hair" d="M{left} {at:.1}H{right}"/>"#);
        let _ = write!(out, r#"<text class="t end" x="{}" y="{:.1}">{}</text>"#, left - 8.0, at + 5.0, figure(ms));
    }
    for (column, blocks) in BLOCKS.iter().enumerate() {
        let _ = write!(out, r#"<text class="t mid" x="{:.1}" y="{}">{}</text>"#, x(column), bottom + 22.0, grouped(*blocks));
    }
    let _ = write!(out, r#"<path class="edge" d="M{left} {top}V{bottom}H{right}"/>"#);
    for ((row, measured), predicted) in TABLE_1.iter().zip(MEASURED).zip(PREDICTED) {
        let mut line = String::new();
        for (column, ms) in predicted.iter().enumerate() {
            let _ = write!(line, "{}{:.1} {:.1}", if column == 0 { 'M' } else { 'L' }, x(column), y(*ms));
        }
        let _ = write!(out, r#"<path class="go dash" d="{line}"/>"#);
        for (column, ms) in measured.iter().enumerate() {
            let _ = write!(out, r#"<circle class="edge dot" cx="{:.1}" cy="{:.1}" r="4"/>"#, x(column), y(*ms));
        }
        let last = y(measured[BLOCKS.len() - 1]) + 5.0;
        let _ = write!(out, r#"<text class="t" x="{}" y="{last:.1}"><tspan class="m">m</tspan> = {}</text>"#, right + 10.0, grouped(row.m));
    }
    let (key, under) = (left + 60.0, bottom - 16.0);
    let _ = write!(
        out,
        r#"<path class="go dash" d="M{0} {under}h-36"/><text class="q p" x="{0}" y="{under}" dx="8" dy="5">{1}</text>"#,
        key, told.as_predicted
    );
    let _ = write!(
        out,
        r#"<text class="q end" x="{right}" y="{}"><tspan class="m">D</tspan></text><text class="q" x="6" y="{}">ms</text>"#,
        bottom + 50.0,
        top - 16.0
    );
    out
}

/// Renders the section with the chart and its explanation.
pub(super) fn section(told: &'static PapersTexts) -> impl IntoView {
    let from_to =
        |[least, most]: [f64; 2]| format!("{}–{}", figure((least * 100.0).round() / 100.0), figure((most * 100.0).round() / 100.0));
    let values = [("near", from_to(ratios(0..ALONE))), ("far", from_to(ratios(ALONE..BLOCKS.len())))];
    let says = fill(told.here_says, &values);
    beside("measured", told.here, says, told.here_note, drawing(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_times_agree_with_the_results_and_fit_the_chart() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/benches/results/2026-11-23-h200-papers.txt");
        let text = std::fs::read_to_string(path).unwrap();
        for ((row, measured), predicted) in TABLE_1.iter().zip(MEASURED).zip(PREDICTED) {
            let of_row = text.split_once(&format!("\nm = {}\n", row.m)).unwrap().1;
            let figures = |name: &str| -> Vec<f64> {
                let line = of_row.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap();
                line.split_whitespace().take(BLOCKS.len()).map(|word| word.parse().unwrap()).collect()
            };
            assert_eq!(figures("slices here"), measured, "m = {}", row.m);
            assert_eq!(figures("predicted here"), predicted, "m = {}", row.m);
            assert!(measured.iter().chain(&predicted).all(|ms| (MS[0]..=MS[1]).contains(ms)));
        }
    }

    #[test]
    fn model_is_proportional_to_the_time_if_blocks_run_alone() {
        let ([least, most], [under, over]) = (ratios(0..ALONE), ratios(ALONE..BLOCKS.len()));
        assert!(most / least < 1.05, "{least} {most}");
        assert!(over / under > 1.5, "{under} {over}");
    }
}
