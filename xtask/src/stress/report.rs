//! The report of a scenario ([`StressReport`]): measured figures with their limits, and whether a limit is broken.

use std::time::Duration;

/// The measured figures of a scenario, in the order of measurement.
#[derive(Debug, Default)]
pub(crate) struct StressReport {
    rows: Vec<ReportFigure>,
}

#[derive(Debug)]
struct ReportFigure {
    description: String,
    figure: String,
    bound: String,
    is_met: bool,
}

impl StressReport {
    /// Adds a measured figure that has no limit. `what` describes the figure.
    pub(crate) fn figure(&mut self, what: &str, figure: impl ToString) {
        self.row(what, figure.to_string(), String::new(), true);
    }

    /// Adds the measured figure described by `what`, which must not exceed `most`.
    pub(crate) fn at_most(&mut self, what: &str, figure: f64, most: f64, unit: &str) {
        self.row(what, format!("{figure:.1} {unit}"), format!("≤ {most} {unit}"), figure <= most);
    }

    /// Adds the number described by `what`, which must equal `bound`.
    pub(crate) fn exactly(&mut self, what: &str, count: usize, bound: usize) {
        self.row(what, count.to_string(), format!("= {bound}"), count == bound);
    }

    /// Adds the condition described by `what`, which must hold. `holds` says whether it does, and `found` is the
    /// observed value.
    pub(crate) fn must_hold(&mut self, what: &str, holds: bool, found: impl ToString) {
        self.row(what, found.to_string(), "must".to_owned(), holds);
    }

    /// Returns the number of broken limits and conditions.
    pub(crate) fn broken_count(&self) -> usize {
        self.rows.iter().filter(|row| !row.is_met).count()
    }

    fn row(&mut self, what: &str, figure: String, bound: String, holds: bool) {
        let row = ReportFigure { description: what.to_owned(), figure, bound, is_met: holds };
        println!("  {}", row.line());
        self.rows.push(row);
    }
}

impl ReportFigure {
    fn line(&self) -> String {
        let sign = match (self.is_met, self.bound.is_empty()) {
            (_, true) => "      ",
            (true, _) => "ok    ",
            (false, _) => "BROKEN",
        };
        let bound = if self.bound.is_empty() { String::new() } else { format!("   ({})", self.bound) };
        format!("{sign} {:<64} {}{bound}", self.description, self.figure)
    }
}

/// The durations of many requests, in any order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestTimes(pub(crate) Vec<Duration>);

impl RequestTimes {
    /// Returns the duration in milliseconds within which the fraction `share` of all requests was answered: 0.5 gives
    /// the median, 1 the maximum. Returns infinity for an empty list, because requests without answers meet no limit.
    pub(crate) fn quantile_ms(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).map_or(f64::INFINITY, |time| time.as_secs_f64() * 1e3)
    }

    /// Formats the median, the 99th percentile and the maximum of the durations.
    pub(crate) fn summary(&self) -> String {
        if self.0.is_empty() {
            return "none".to_owned();
        }
        let [median, p99, longest] = [0.5, 0.99, 1.0].map(|share| self.quantile_ms(share));
        format!("median {median:.1}, p99 {p99:.1}, longest {longest:.1} ms of {}", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_times() {
        let times = RequestTimes((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|share| times.quantile_ms(share)), [1.0, 100.0, 198.0, 200.0]);
        assert_eq!(RequestTimes::default().quantile_ms(0.99), f64::INFINITY);
    }

    #[test]
    fn values_above_a_bound_break_the_bound() {
        let mut report = StressReport::default();
        report.at_most("at the bound", 50.0, 50.0, "ms");
        report.figure("without a bound", 1e9);
        assert_eq!(report.broken_count(), 0);
        report.at_most("beyond", 50.1, 50.0, "ms");
        report.exactly("a count", 3, 4);
        report.must_hold("a fact", false, "not so");
        assert_eq!(report.broken_count(), 3);
    }
}
