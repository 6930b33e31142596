//! A time chart ([`Time`]): rows below one ruler, each with a bar, a duration and a sentence.

use leptos::prelude::*;

use crate::model::run::figures::ticks;
use crate::model::text::humanize;

/// Width of the drawing of a bar, in user units of its SVG.
const BAR_WIDTH: f64 = 1_000.0;

/// A row of the chart below the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineRow {
    pub name: String,
    /// Segments of the bar: start and length in milliseconds, and whether the segment is drawn solid.
    pub spans: Vec<(f64, f64, bool)>,
    /// Duration as a text, such as "12 ms".
    pub took: String,
    /// A sentence about the work that took this time.
    pub about: String,
}

/// Returns the length in milliseconds of a ruler that covers the bars of all rows.
fn length(lines: &[TimelineRow]) -> f64 {
    lines.iter().flat_map(|line| &line.spans).map(|(from, ms, _)| from + ms).fold(0.0, f64::max)
}

/// Renders the rows of the time line of runs, below their ruler.
#[component]
pub fn Time(lines: Vec<TimelineRow>) -> impl IntoView {
    let length = length(&lines).max(1e-6);
    let place = move |ms: f64| ms / length * BAR_WIDTH;
    let ticks = ticks(length);
    let marks: String = ticks.iter().map(|at| format!("M{:.1} 0v14", place(*at).clamp(1.0, BAR_WIDTH - 1.0))).collect();
    // A label at the end of the ruler would extend beyond it.
    let label = move |at: &f64| {
        let (at, text) = (*at, if *at == 0.0 { "0".into() } else { humanize::measured_time(*at) });
        let share = at / length * 100.0;
        let late = share > 80.0;
        (share <= 93.0).then(|| view! { <span class:late=late style:inset-inline-start=format!("{share:.2}%")>{text}</span> })
    };
    let labels = if length < 0.1 { Vec::new() } else { ticks.iter().map(label).collect() };
    let bar = move |(from, ms, solid): &(f64, f64, bool)| {
        let (from, width) = (place(*from), place(*ms).max(2.0));
        let class = if *solid { "f-pine" } else { "f-tint" };
        view! { <rect class=class x=format!("{:.1}", from.min(BAR_WIDTH - width)) y="2" width=format!("{width:.1}") height="10"></rect> }
    };
    let row = move |line: TimelineRow| {
        view! {
            <li>
                <b>{line.name}</b>
                <svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
                    <path class="s-line" vector-effect="non-scaling-stroke" d=marks.clone()></path>
                    {line.spans.iter().map(bar).collect_view()}
                </svg>
                <span class="num">{line.took}</span>
                <small>{line.about}</small>
            </li>
        }
    };
    view! {
        <div class="timing">
            <p class="axis" aria-hidden="true">{labels}</p>
            <ol>{lines.into_iter().map(row).collect_view()}</ol>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ruler_is_as_long_as_the_longest_row() {
        let line = |spans: &[(f64, f64, bool)]| TimelineRow {
            name: String::new(),
            spans: spans.to_vec(),
            took: String::new(),
            about: String::new(),
        };
        assert_eq!(length(&[line(&[(0.0, 3.0, true), (3.0, 4.0, false)]), line(&[(5.0, 1.0, true)])]), 7.0);
        assert_eq!(length(&[]), 0.0);
    }
}
