//! Drawings of the speed of a run over time ([`Rates`]), and of the interval that is known to contain the answer
//! ([`Bounds`]).

use leptos::prelude::*;

use crate::model::task::AnswerSentences;
use crate::model::task::TaskDescription;
use crate::model::text::humanize::{self, grouped};
use crate::page::Page;
use crate::tr;
use crate::tr::t;

/// Width of both drawings without their labels, in user units of the SVG.
const RATES_WIDTH: f64 = 430.0;

/// Height of the line chart, in user units of the SVG.
const RATES_HEIGHT: f64 = 140.0;

/// The line chart of a run's speed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateLine {
    /// SVG path of the line.
    pub path: String,
    /// Coordinates `(x, y)` of the last point of the line, in user units of the SVG.
    pub last: (f64, f64),
    /// Speed at the upper edge of the chart, in cells or symbols per second.
    pub top: f64,
    /// Time at the right edge of the chart, in milliseconds since the start of the run.
    pub span: f64,
}

impl RateLine {
    /// Creates the line from measurements. Each of `rates` is a time in milliseconds since the start of the run, and
    /// the speed in cells or symbols per second.
    pub fn new(rates: &[(f64, f64)]) -> Self {
        let top = rates.iter().map(|(_, rate)| *rate).fold(1.0, f64::max) * 1.15;
        let span = rates.last().map_or(1.0, |(at, _)| *at).max(1.0);
        let place = |(at, rate): (f64, f64)| (at / span * RATES_WIDTH, RATES_HEIGHT - rate / top * RATES_HEIGHT);
        let mut path = String::new();
        for (nth, point) in rates.iter().enumerate() {
            let (x, y) = place(*point);
            path.push_str(&format!("{}{x:.1} {y:.1}", if nth == 0 { "M" } else { "L" }));
        }
        Self { path, last: rates.last().copied().map(place).unwrap_or_default(), top, span }
    }
}

/// Renders the speed over time as a chart. Only the last point is animated.
#[component]
pub fn Rates() -> impl IntoView {
    let page = expect_context::<Page>();
    let line = Memo::new(move |_| page.run.with(|run| RateLine::new(&run.rates)));
    let any = move || page.run.with(|run| !run.rates.is_empty());
    let drawn = move || {
        let line = line.get();
        let counted = TaskDescription::of(page.form.with(|form| form.task)).work_unit;
        let (unit, name) = counted.rate_unit(line.top / 1.15);
        let now = page.run.with(|run| run.progress.map_or(0.0, |progress| progress.cells_per_second));
        let label = tr!("Rate over {time}: now {rate}", time = humanize::measured_time(line.span), rate = counted.rate(now));
        let (x, y) = line.last;
        let area = format!("{}L{x:.1} {RATES_HEIGHT}L0 {RATES_HEIGHT}z", line.path);
        view! {
            <figcaption>
                <b>{t("Rate")}</b>
                " "
                {tr!("in {unit}, last {time}", unit = name, time = humanize::measured_time(line.span))}
            </figcaption>
            <svg viewBox="-6 -12 520 188" role="img" aria-label=label>
                <path class="s-line" d=format!("M0 {:.1}H{RATES_WIDTH}", RATES_HEIGHT / 2.0)></path>
                <path class="s-edge" d=format!("M0 {RATES_HEIGHT}H{RATES_WIDTH}")></path>
                <path class="f-tint" d=area opacity=".8"></path>
                <path class="f-none s-pine" stroke-width="2" stroke-linejoin="round" d=line.path></path>
                <circle class="f-pine alive" cx=format!("{x:.1}") cy=format!("{y:.1}") r="4.5"></circle>
                <text class="strong" x=RATES_WIDTH + 10.0 y=format!("{:.1}", y + 4.0)>
                    {humanize::three_digits(now / unit)}
                </text>
                <text x="0" y=RATES_HEIGHT + 20.0>
                    "0 s"
                </text>
                <text x=RATES_WIDTH y=RATES_HEIGHT + 20.0 text-anchor="end">
                    {humanize::measured_time(line.span)}
                </text>
            </svg>
        }
    };
    view! { <figure class="chart fit">{move || any().then(drawn)}</figure> }
}

/// Renders the interval between the lower and the upper bound of the answer.
#[component]
pub fn Bounds() -> impl IntoView {
    let page = expect_context::<Page>();
    move || {
        let (low, high) = page.run.with(|run| run.bounds)?;
        let (task, costs) = page.form.with(|form| (form.task, form.job_options().costs));
        let answered = AnswerSentences::of(task);
        let label = answered.interval()?;
        let x = |value: u64| value as f64 / high.max(1) as f64 * RATES_WIDTH;
        let (from, to) = (x(low), x(high));
        let anchor = if from > RATES_WIDTH * 0.6 { "end" } else { "start" };
        Some(view! {
            <figure class="chart fit">
                <figcaption>
                    <b>{t("So far:")} " "</b>
                    {answered.bounds((low, high), costs)}
                </figcaption>
                <svg viewBox="-2 -8 436 48" role="img" aria-label=label>
                    <path class="s-edge" d=format!("M0 10H{RATES_WIDTH}")></path>
                    <rect x=from y="4" width=(to - from).max(2.0) height="12" class="f-tint"></rect>
                    <path class="s-pine" stroke-width="2" d=format!("M{from:.1} 0v20M{to:.1} 0v20")></path>
                    <text x=from y="34" class="strong" text-anchor=anchor>
                        {grouped(low)}
                    </text>
                    <text x=RATES_WIDTH y="34" class="strong" text-anchor="end">
                        {(low != high).then(|| grouped(high))}
                    </text>
                </svg>
            </figure>
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_ends_at_the_last_rate() {
        let line = RateLine::new(&[(0.0, 50.0), (1_000.0, 100.0)]);
        assert_eq!((line.last.0, line.span), (RATES_WIDTH, 1_000.0));
        assert!(line.path.starts_with("M0.0 ") && line.path.contains("L430.0 "), "{}", line.path);
        assert!((line.last.1 - (RATES_HEIGHT - RATES_HEIGHT / 1.15)).abs() < 0.1);
        assert_eq!(RateLine::new(&[]).path, "");
    }
}
