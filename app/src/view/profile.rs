//! The number of equal symbols at every offset, or over a range of them, as a chart: the most and the mean of neighbouring offsets.

use std::fmt::Write as _;

use kernels::found::Span;
use kernels::words::grouped;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::page::Shown;
use crate::words;

/// Width of the drawing, in its own units.
const WIDTH: f64 = 1200.0;

/// Height of the drawing.
const HEIGHT: f64 = 160.0;

/// Spans that are asked for.
const POINTS: usize = 600;

/// The chart, ready to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Outline of the greatest scores.
    pub most: String,
    /// Line of the means.
    pub mean: String,
    /// The greatest score, and the first offset of the span that has it.
    pub peak: (u64, u64),
    /// The mean of all scores.
    pub average: f64,
}

impl Chart {
    /// The chart of spans that begin at offset `from`, for a pattern of so many symbols.
    pub fn new(spans: &[Span], from: u64, pattern: u64) -> Self {
        let all: u64 = spans.iter().map(|span| span.offsets).sum();
        let x = |offset: u64| offset as f64 / all.max(1) as f64 * WIDTH;
        let y = |score: f64| HEIGHT - score / pattern.max(1) as f64 * HEIGHT;
        let mut chart = Self { most: format!("M0 {HEIGHT}"), ..Self::default() };
        let (mut at, mut sum) = (0, 0);
        for span in spans {
            let mean = span.sum as f64 / span.offsets.max(1) as f64;
            let middle = (x(at) + x(at + span.offsets)) / 2.0;
            let _ = write!(chart.most, "V{:.1}H{:.1}", y(span.most as f64), x(at + span.offsets));
            let _ = write!(chart.mean, "{}{middle:.1} {:.1}", if at == 0 { "M" } else { "L" }, y(mean));
            if span.most > chart.peak.0 || at == 0 {
                chart.peak = (span.most, from + at);
            }
            at += span.offsets;
            sum += span.sum;
        }
        let _ = write!(chart.most, "V{HEIGHT}z");
        chart.average = sum as f64 / all.max(1) as f64;
        chart
    }
}

/// A range of offsets that fits `all` of them: from, and how many.
fn range(from: u64, to: u64, all: u64) -> (u64, u64) {
    let from = from.min(all.saturating_sub(1));
    (from, to.clamp(from + 1, all.max(from + 1)) - from)
}

/// The chart, and the fields that choose its range.
#[component]
pub fn Profile(shown: Shown) -> impl IntoView {
    let (pattern, text) = shown.symbols;
    let all = text + 1 - pattern.min(text);
    let threshold = shown.form.asked().max_mismatches.filter(|most| *most < pattern).map(|most| pattern - most);
    let wanted = RwSignal::new((0, all));
    let drawn = RwSignal::new((Chart::default(), (0, all)));
    let at = StoredValue::new(shown.at);
    Effect::new(move |_| {
        let (from, len) = wanted.get();
        let at = at.get_value();
        spawn_local(async move {
            let spans = at.profile(from, len, POINTS).await;
            if let (Ok(spans), Some(true)) = (spans, wanted.try_get_untracked().map(|now| now == (from, len))) {
                drawn.try_set((Chart::new(&spans, from, pattern), (from, len)));
            }
        });
    });
    let label = move || {
        drawn.with(|(chart, (from, len))| {
            let (most, at) = chart.peak;
            let (first, last) = (grouped(*from), grouped(from + len - 1));
            let (most, at) = (grouped(most), grouped(at));
            format!("Equal symbols at offsets {first} to {last}: on average {:.1}, at most {most}, from offset {at} on", chart.average)
        })
    };
    let caption = move || {
        drawn.with(|(chart, (_, len))| {
            let each = len.div_ceil(POINTS as u64);
            let of = if each > 1 { format!(", most and mean of each {} offsets", grouped(each)) } else { String::new() };
            format!(" at each of {}{of}; {:.1} on average", words::count(*len, "offset", "offsets"), chart.average)
        })
    };
    let limit = threshold.map(|score| format!("M0 {:.1}H{WIDTH}", HEIGHT - score as f64 / pattern.max(1) as f64 * HEIGHT));
    let ends = move || drawn.with(|(_, (from, len))| (grouped(*from), grouped(from + len - 1)));
    view! {
        <figure class="profile" aria-labelledby="profile-title">
            <figcaption>
                <h2 id="profile-title">"Equal symbols"</h2>
                <span>{caption}</span>
            </figcaption>
            <div class="plot">
                <svg viewBox="0 0 1200 160" preserveAspectRatio="none" role="img" aria-label=label>
                    <path class="s-line" d="M0 0H1200M0 80H1200"></path>
                    <path class="most" d=move || drawn.with(|(chart, _)| chart.most.clone())></path>
                    <path class="mean" d=move || drawn.with(|(chart, _)| chart.mean.clone())></path>
                    <path class="limit" d=limit></path>
                    <path class="s-edge" d="M0 160H1200"></path>
                </svg>
                <span class="scale top">{grouped(pattern)}</span>
                <span class="scale half">{(pattern > 1).then(|| format!("{}", pattern as f64 / 2.0))}</span>
            </div>
            <div class="axis">
                <span>{move || ends().0}</span>
                <span>{move || ends().1}</span>
            </div>
            <Range wanted all drawn />
        </figure>
    }
}

/// The fields and buttons that choose the range.
#[component]
fn Range(wanted: RwSignal<(u64, u64)>, all: u64, drawn: RwSignal<(Chart, (u64, u64))>) -> impl IntoView {
    let number = |event: &ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let digits: String = event.target().value().chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    };
    let from = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let (start, len) = wanted.get_untracked();
        wanted.set(range(number(&event).unwrap_or(0), start + len, all));
    };
    let to = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let (start, _) = wanted.get_untracked();
        wanted.set(range(start, number(&event).map_or(all, |last| last.saturating_add(1)), all));
    };
    let closer = move |_| {
        let (start, len) = wanted.get_untracked();
        let (_, peak) = drawn.with_untracked(|(chart, _)| chart.peak);
        let half = (len / 8).max(5);
        wanted.set(range(peak.saturating_sub(half).max(start), (peak + half + 1).min(start + len), all));
    };
    let first = move || wanted.get().0.to_string();
    let last = move || {
        let (from, len) = wanted.get();
        (from + len - 1).to_string()
    };
    view! {
        <div class="row small" role="group" aria-label="Range of offsets">
            <label class="row small">"Offsets from " <input class="text column" inputmode="numeric" autocomplete="off" prop:value=first on:change:target=from /></label>
            <label class="row small">"to " <input class="text column" inputmode="numeric" autocomplete="off" prop:value=last on:change:target=to /></label>
            <button class="btn small" type="button" on:click=closer>
                "Closer to the peak"
            </button>
            <button class="btn small" type="button" disabled=move || wanted.get() == (0, all) on:click=move |_| wanted.set((0, all))>
                "All offsets"
            </button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_follows_the_greatest_scores() {
        let spans = [3, 1, 2, 2, 0, 1].map(Span::of);
        let chart = Chart::new(&spans, 10, 4);
        assert!(chart.most.starts_with("M0 160V40.0H200.0V120.0H400.0"), "{}", chart.most);
        assert!(chart.mean.starts_with("M100.0 40.0L300.0 120.0"), "{}", chart.mean);
        assert_eq!((chart.peak, chart.average), ((3, 10), 1.5));
        let joined = [Span::of(1).join(Span::of(3)), Span::of(4)];
        assert_eq!(Chart::new(&joined, 0, 4).peak, (4, 2));
        assert_eq!(Chart::new(&[], 0, 4).average, 0.0);
    }

    #[test]
    fn a_range_is_never_empty_nor_outside() {
        assert_eq!(range(0, 6, 6), (0, 6));
        assert_eq!(range(4, 2, 6), (4, 1));
        assert_eq!(range(100, 200, 6), (5, 1));
        assert_eq!(range(0, 0, 1), (0, 1));
    }
}
