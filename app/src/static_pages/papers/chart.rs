//! A chart of the machine model against the 48 times of Table 1 of paper 000: predicted time units across, published
//! milliseconds upwards, both logarithmic.

use std::fmt::Write as _;
use std::sync::LazyLock;

use kernels::machine::published::{BLOCKS, TABLE_1, predicted};
use leptos::prelude::*;

use super::{PapersTexts, beside, figure};
use crate::model::text::humanize::{percent, short};
use crate::tr::fill;

/// For each of the 48 times, the time units that the model predicts and the published milliseconds.
static POINTS: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
    let of_row = |row: &kernels::machine::published::SearchTimesRow| {
        let (m, times) = (row.m, row.gpu_ms);
        BLOCKS.iter().zip(times).map(move |(blocks, ms)| (predicted(m, *blocks) as f64, ms)).collect::<Vec<_>>()
    };
    TABLE_1.iter().flat_map(of_row).collect()
});

/// Returns the minimum and the maximum, over all published times, of predicted time units per published millisecond.
fn factors() -> (f64, f64) {
    let factors = POINTS.iter().map(|(units, ms)| units / ms);
    factors.fold((f64::INFINITY, 0.0), |(least, most), factor| (least.min(factor), most.max(factor)))
}

/// Returns the number of time units per millisecond that minimizes the largest relative deviation from the published
/// times.
pub fn units_of_a_millisecond() -> f64 {
    let (least, most) = factors();
    (least * most).sqrt()
}

/// Returns the largest relative deviation of a published time from the model.
pub fn furthest() -> f64 {
    let (least, most) = factors();
    (most / least).sqrt() - 1.0
}

/// Left, top, width and height of the plot area, in units of the drawing.
const FIELD: [f64; 4] = [64.0, 36.0, 540.0, 300.0];

/// Milliseconds at the lower and upper end of the vertical axis.
const MS: [f64; 2] = [20.0, 1000.0];

/// Returns the chart as SVG elements in 640 × 400 units. `told` has the labels.
fn drawing(told: &PapersTexts) -> String {
    let [left, top, width, height] = FIELD;
    let factor = units_of_a_millisecond();
    let share = |ms: f64| (ms / MS[0]).ln() / (MS[1] / MS[0]).ln();
    let (x, y) = (|units: f64| left + width * share(units / factor), |ms: f64| top + height * (1.0 - share(ms)));
    let (right, bottom) = (left + width, top + height);
    let mut out = String::new();
    for ms in [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0] {
        let at = y(ms);
        let _ = write!(out, r#"<path class="hair" d="M{left} {at:.1}H{right}"/>"#);
        let _ = write!(out, r#"<text class="t end" x="{}" y="{:.1}">{}</text>"#, left - 8.0, at + 5.0, figure(ms));
    }
    for units in [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8] {
        let at = x(units);
        if (left..=right).contains(&at) {
            let _ = write!(out, r#"<path class="hair" d="M{at:.1} {top}V{bottom}"/>"#);
            let _ = write!(out, r#"<text class="t mid" x="{at:.1}" y="{}">{}</text>"#, bottom + 22.0, short(units as u64));
        }
    }
    let _ =
        write!(out, r#"<path class="edge" d="M{left} {top}V{bottom}H{right}"/><path class="go dash" d="M{left} {bottom}L{right} {top}"/>"#);
    for (units, ms) in POINTS.iter() {
        let _ = write!(out, r#"<circle class="edge dot" cx="{:.1}" cy="{:.1}" r="5"/>"#, x(*units), y(*ms));
    }
    let _ = write!(
        out,
        r#"<path class="go dash" d="M{0} {1}h-36"/><text class="q p end" x="{0}" y="{1}" dx="-44" dy="5">{2}</text>"#,
        right - 20.0,
        bottom - 20.0,
        told.as_predicted
    );
    let _ = write!(
        out,
        r#"<text class="q end" x="{right}" y="{}">{}</text><text class="q" x="6" y="{}">ms</text>"#,
        bottom + 50.0,
        told.time_units,
        top - 16.0
    );
    out
}

/// Renders the section with the chart and its explanation.
pub(super) fn section(told: &'static PapersTexts) -> impl IntoView {
    let says = fill(told.chart_says, &[("n", POINTS.len().to_string()), ("share", percent(furthest()))]);
    beside("model", told.chart, says, told.chart_note, drawing(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_inside_the_chart_and_close_to_the_line() {
        assert_eq!(POINTS.len(), 48);
        assert!(furthest() < 0.22, "{}", furthest());
        let factor = units_of_a_millisecond();
        for (units, ms) in POINTS.iter() {
            assert!((MS[0]..=MS[1]).contains(ms) && (MS[0]..=MS[1]).contains(&(units / factor)), "{units} {ms}");
        }
    }
}
