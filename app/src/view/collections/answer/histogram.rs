//! The histogram of all pairs, with the threshold as a slider ([`Histogram`]).

use std::fmt::Write as _;

use leptos::ev;
use leptos::html::{Div, Input};
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::AnswerState;
use crate::model::collection::measure::{Measure, Threshold};
use crate::model::collection::sentences;
use crate::model::collection::threshold::PairHistogram;
use crate::model::form::costs::counts_edits;
use crate::model::points::PointsNumber;
use crate::model::text::humanize::{count, grouped, signed, typed_number};
use crate::model::text::markup::escape;
use crate::tr;
use crate::tr::{language, t};
use crate::view::browser::focus_next::focus_next;
use crate::view::widgets::chart::{capture, moved, place, width_of};

/// Height of the space above the bars, in pixels.
const ABOVE: f64 = 40.0;

/// Height of the largest bar, in pixels.
const BARS: f64 = 92.0;

/// Height of the space below the bars, in pixels.
const BELOW: f64 = 24.0;

/// Space on the left and on the right of the bars, in pixels.
const SIDE: f64 = 12.0;

/// Minimum height of a bar with pairs, in pixels.
const MIN_BAR: f64 = 4.0;

/// Minimum width of a bar that has its count, in pixels.
const MIN_COUNTED_BAR: f64 = 7.0;

/// The scale of the values of a histogram in pixels.
#[derive(Clone, Copy, PartialEq)]
struct ValueScale {
    /// Value at the left edge.
    start: f64,
    /// Value at the right edge.
    end: f64,
    width: f64,
}

impl ValueScale {
    fn x(self, value: f64) -> f64 {
        SIDE + (value - self.start) / (self.end - self.start) * (self.width - 2.0 * SIDE)
    }

    fn value(self, x: f64) -> f64 {
        self.start + (x - SIDE) / (self.width - 2.0 * SIDE) * (self.end - self.start)
    }
}

/// Returns the place of the line of a threshold: before the alike bars, or after them if they are the bars of few edits.
fn line_at(threshold: Threshold) -> f64 {
    match threshold {
        Threshold::Percent(percent) => f64::from(percent),
        Threshold::Edits(edits) => f64::from(edits) + 1.0,
        Threshold::Points(points) => points.into(),
    }
}

/// Renders the histogram and the field of the threshold.
#[component]
pub fn Histogram() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let room = NodeRef::<Div>::new();
    let width = width_of(room);
    let range = Memo::new(move |_| state.histogram.with(|histogram| histogram.as_ref().map_or([1, 100], PairHistogram::thresholds)));
    let scale = Memo::new(move |_| {
        let bars = state.histogram.with(|histogram| {
            let bars = histogram.as_ref().map(PairHistogram::bars).unwrap_or_default();
            bars.first().zip(bars.last()).map(|(first, last)| (first.from, last.to))
        });
        let (start, end) = bars.unwrap_or((0, 1));
        ValueScale { start: start.into(), end: end.max(start.saturating_add(1)).into(), width: width.get().max(120.0) }
    });
    // Of edits, the alike pairs are at the left.
    let is_edits = Memo::new(move |_| matches!(state.threshold.get(), Threshold::Edits(_)));
    let drawing = move || {
        state.histogram.with(|histogram| {
            histogram.as_ref().map(|histogram| svg(state, histogram, state.threshold.get(), scale.get())).unwrap_or_default()
        })
    };
    let set = move |value: i32| {
        let [least, most] = range.get_untracked();
        let value = value.clamp(least, most.max(least));
        state.page.look(|view| view.threshold = Some(value));
    };
    let held = RwSignal::new(false);
    let drag = move |event: ev::PointerEvent| {
        if held.get_untracked()
            && let Some((x, _)) = place(&event, room)
        {
            let value = scale.get_untracked().value(x);
            set(if is_edits.get_untracked() { value - 1.0 } else { value }.round() as i32);
        }
    };
    let press = move |event: ev::PointerEvent| {
        capture(&event);
        held.set(true);
    };
    let keys = move |event: ev::KeyboardEvent| {
        let [least, most] = range.get_untracked();
        let above = |value: i32| (i64::from(value) - i64::from(least)).max(0) as u64;
        if let Some(value) = moved(&event, above(state.threshold.get_untracked().value()), above(most), 10) {
            set((i64::from(least) + value as i64).clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        }
    };
    // A half-typed value outlives an answer with another suggestion.
    let draft = RwSignal::new(None::<String>);
    let type_draft = move |event: ev::Targeted<ev::Event, HtmlInputElement>| draft.set(Some(event.target().value()));
    let shown = move || draft.get().unwrap_or_else(|| state.threshold.get().value().to_string());
    let left = move || format!("{:.1}px", scale.get().x(line_at(state.threshold.get())));
    let typed = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let text = event.target().value();
        let value = match state.measure.get_untracked() {
            Measure::Points => PointsNumber::parse(&text, tr::language().marks()).and_then(|points| i32::try_from(points.rounded()).ok()),
            Measure::Similarity | Measure::LcsRatio | Measure::Edits => typed_number(&text).map(|value| value.min(i32::MAX as u64) as i32),
        };
        if let Some(value) = value {
            set(value);
        }
        // A text that is no number is replaced by the number in use.
        draft.set(None);
    };
    let suggestion = move || {
        let (threshold, reason) = state.suggested.get();
        sentences::suggestion_says(threshold, reason, state.costs.get())
    };
    let is_own = move || state.page.view.with(|view| view.threshold.is_none());
    let pairs = move || state.with(|texts| count(texts.pairs(), "pair", "pairs"));
    let title = move || {
        let pairs = pairs().unwrap_or_default();
        match state.measure.get() {
            Measure::Similarity | Measure::LcsRatio => tr!("Similarity of {pairs}, in steps of 2%", pairs = pairs),
            Measure::Edits if counts_edits(state.costs.get()) => tr!("Edits of {pairs}", pairs = pairs),
            Measure::Edits => tr!("Costs of {pairs}", pairs = pairs),
            Measure::Points => tr!("Points of {pairs}", pairs = pairs),
        }
    };
    let label = move || match state.threshold.get() {
        Threshold::Percent(_) => t("Alike at"),
        Threshold::Edits(_) => t("Alike within"),
        Threshold::Points(_) => t("Alike with"),
    };
    let unit = move || match state.threshold.get() {
        Threshold::Percent(_) => t("% or more"),
        Threshold::Edits(_) if counts_edits(state.costs.get()) => t("edits"),
        Threshold::Edits(_) => t("costs"),
        Threshold::Points(_) => t("points or more"),
    };
    let field = NodeRef::<Input>::new();
    let reset = move |_| {
        state.page.look(|view| view.threshold = None);
        // The button is hidden now.
        focus_next(move || field.get_untracked().map(Into::into));
    };
    view! {
        <section class="section" aria-labelledby="dist-title">
            <div class="split">
                <figure class="stack tight dist-figure">
                    <figcaption id="dist-title">{title}</figcaption>
                    <div class="dist" node_ref=room>
                        <svg width=move || format!("{:.0}", scale.get().width) height=format!("{:.0}", ABOVE + BARS + BELOW) aria-hidden="true" inner_html=drawing></svg>
                        <div
                            class="grip"
                            role="slider"
                            tabindex="0"
                            aria-label=t("Threshold")
                            aria-valuemin=move || range.get()[0]
                            aria-valuemax=move || range.get()[1]
                            aria-valuenow=move || state.threshold.get().value()
                            aria-valuetext=move || state.threshold_says()
                            style:inset-inline-start=left
                            on:pointerdown=press
                            on:pointermove=drag
                            on:pointerup=move |_| held.set(false)
                            on:pointercancel=move |_| held.set(false)
                            on:keydown=keys
                        ></div>
                    </div>
                </figure>
                <aside class="stack threshold" aria-label=t("Threshold")>
                    <div class="field">
                        <label for="least">{label}</label>
                        <span class="row">
                            <input class="text" id="least" node_ref=field inputmode=move || if state.measure.get() == Measure::Points { "text" } else { "numeric" } autocomplete="off" prop:value=shown on:input:target=type_draft on:change:target=typed on:blur=move |_| draft.set(None) />
                            {unit}
                        </span>
                    </div>
                    <p class="note">
                        {suggestion}
                        " "
                        <button class="link" type="button" hidden=is_own on:click=reset>
                            {t("Use it")}
                        </button>
                    </p>
                    <p class="note">{t("A group is a chain of alike pairs: each text is alike to at least one other in it.")}</p>
                </aside>
            </div>
        </section>
    }
}

/// Returns the histogram as SVG elements.
fn svg(state: AnswerState, histogram: &PairHistogram, threshold: Threshold, scale: ValueScale) -> String {
    let bars = histogram.bars();
    let most = bars.iter().map(|bar| bar.pairs).max().unwrap_or(1).max(1);
    let base = ABOVE + BARS;
    let line = scale.x(line_at(threshold));
    let edge = scale.x(scale.end);
    let mut svg = String::new();
    let (is_percent, is_edits) = (matches!(threshold, Threshold::Percent(_)), matches!(threshold, Threshold::Edits(_)));
    let (from, to) = if is_edits { (scale.x(scale.start), line) } else { (line, edge) };
    let _ = write!(svg, r#"<rect class="region" x="{from:.1}" y="16" width="{:.1}" height="{:.1}"/>"#, (to - from).max(0.0), base - 16.0);
    for bar in bars.iter().filter(|bar| bar.pairs > 0) {
        let (x, right) = (scale.x(bar.from.into()), scale.x(bar.to.into()));
        let height = (bar.pairs as f64 / most as f64 * BARS).max(MIN_BAR);
        let is_near = match threshold {
            Threshold::Percent(_) | Threshold::Points(_) => bar.from >= threshold.value(),
            Threshold::Edits(_) => bar.to <= threshold.value().saturating_add(1),
        };
        let class = if is_near { "bar near" } else { "bar" };
        let width = (right - x - 1.0).max(0.75);
        let _ = write!(svg, r#"<rect class="{class}" x="{x:.1}" y="{:.1}" width="{width:.1}" height="{height:.1}"/>"#, base - height);
        let number = grouped(bar.pairs);
        let fits = right - x >= MIN_COUNTED_BAR * number.len() as f64 * 0.8;
        if bar.pairs == most || is_near && fits {
            let _ = write!(
                svg,
                r#"<text class="count" x="{:.1}" y="{:.1}" text-anchor="middle">{number}</text>"#,
                (x + right) / 2.0,
                base - height - 4.0
            );
        }
    }
    let median = f64::from(histogram.median());
    let at = scale.x(median);
    let half = match Threshold::new(state.measure.get(), histogram.median()) {
        Threshold::Percent(_) => tr!("half are below {value}", value = language().percent(&median.to_string())),
        value => tr!("half have less than {edits}", edits = sentences::threshold_says(value, state.costs.get())),
    };
    let (anchor, offset) = if at < scale.width / 2.0 { ("start", 5.0) } else { ("end", -5.0) };
    let _ = write!(
        svg,
        r#"<path class="half" d="M{at:.1} 16V{base:.1}"/><text x="{:.1}" y="12" text-anchor="{anchor}">{}</text>"#,
        at + offset,
        escape(&half)
    );
    let says = sentences::alike_says(histogram, threshold, state.costs.get());
    let is_left = if is_edits { line > scale.width * 0.5 } else { line > scale.width * 0.62 };
    let (anchor, offset) = if is_left { ("end", -8.0) } else { ("start", 8.0) };
    let _ = write!(
        svg,
        r#"<path class="limit" d="M{line:.1} 16V{:.1}"/><text class="count" x="{:.1}" y="30" text-anchor="{anchor}">{}</text>"#,
        base + 4.0,
        line + offset,
        escape(&says)
    );
    let _ = write!(svg, r#"<path class="s-edge" d="M{:.1} {base:.1}H{edge:.1}"/>"#, scale.x(scale.start));
    let [_, last] = histogram.thresholds();
    let first = if is_percent { 0 } else { histogram.thresholds()[0] };
    let range = i64::from(last) - i64::from(first);
    // 1, 2 or 5 times a power of ten.
    let steps = (0..10).flat_map(|digits| [1, 2, 5].map(|digit| digit * 10_i64.pow(digits)));
    let step = if is_percent { 20 } else { steps.into_iter().find(|step| range / step <= 6).unwrap_or(range.max(1)) };
    // Round numbers, also below 0.
    let from = i64::from(first) + (step - i64::from(first).rem_euclid(step)) % step;
    for value in (from..=i64::from(last)).step_by(step as usize) {
        // The number of a bar of one value stands below its middle.
        let x = scale.x(value as f64 + if is_percent { 0.0 } else { 0.5 });
        let label = if is_percent { language().percent(&value.to_string()) } else { signed(value) };
        let _ = write!(
            svg,
            r#"<path class="s-edge" d="M{x:.1} {base:.1}v5"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{label}</text>"#,
            base + 18.0
        );
    }
    svg
}
