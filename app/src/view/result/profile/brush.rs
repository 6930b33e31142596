//! The chart of the whole text ([`Brush`]): minimum and maximum score of neighbouring offsets. A brush on it selects a
//! range; both ends of the brush are sliders.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use super::threshold::{Says, Threshold};
use super::{ProfileState, around, score_text};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::chart::{ABOVE, BELOW, axes, capture, left, moved, place, width_of};

/// Height of the drawing, in CSS pixels.
const HEIGHT: f64 = 170.0;

/// Width of the drawing, in CSS pixels, below which the label of its peak is short.
const NARROW_PEAK_WIDTH: f64 = 420.0;

/// Minimum number of offsets that the brush selects.
const MIN_BRUSH_OFFSETS: u64 = 5;

/// The part of the brush (the selected range) that the pointer drags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrushGrip {
    Begin,
    End,
    /// The whole brush. The value is the distance from the beginning of the brush to the pointer, in offsets.
    Middle(u64),
}

/// Returns the range (first offset and length) after the pointer has dragged the part `held` of the brush to `offset`.
/// The first parameter is the range before, and `all` the number of offsets.
fn drag((from, len): (u64, u64), held: BrushGrip, offset: u64, all: u64) -> (u64, u64) {
    let end = from + len;
    let least = MIN_BRUSH_OFFSETS.min(all);
    match held {
        BrushGrip::Begin => {
            let from = offset.min(end.saturating_sub(least));
            (from, end - from)
        }
        BrushGrip::End => (from, (offset + 1).clamp(from + least, all.max(from + least)) - from),
        BrushGrip::Middle(grip) => (offset.saturating_sub(grip).min(all - len), len),
    }
}

/// Renders the chart of the whole text with the brush.
#[component]
pub fn Brush(scores: ProfileState) -> impl IntoView {
    let ProfileState { all, range, .. } = scores;
    let plot = NodeRef::<Div>::new();
    let width = width_of(plot);
    let drawn = scores.fetch(Signal::derive(move || (0, all)), width);
    let frame = Memo::new(move |_| scores.frame((0, all), width.get(), HEIGHT));
    let held = RwSignal::new(None::<BrushGrip>);
    let offset_at = move |event: &ev::PointerEvent| {
        let frame = frame.get_untracked();
        place(event, plot).map(|(x, _)| frame.offset(x - left(frame.top)))
    };
    let press = move |event: ev::PointerEvent| {
        let Some(offset) = offset_at(&event) else { return };
        capture(&event);
        let (from, len) = range.get_untracked();
        if !(from..from + len).contains(&offset) {
            range.set(around(offset, len, all));
        }
        held.set(Some(BrushGrip::Middle(offset.saturating_sub(range.get_untracked().0))));
    };
    let slide = move |event: ev::PointerEvent| {
        if let (Some(held), Some(offset)) = (held.get_untracked(), offset_at(&event)) {
            range.update(|range| *range = drag(*range, held, offset, all));
        }
    };
    let drop = move |_| held.set(None);
    let drawing = move || {
        let (frame, gap) = (frame.get(), left(frame.get().top));
        let (band, peak) = drawn.with(|(spans, _)| (frame.band(spans), frame.peak(spans)));
        let line = frame.y(scores.threshold.get() as f64);
        let (from, len) = range.get();
        let (x, wide) = (frame.x(from), (frame.x(from + len) - frame.x(from)).max(4.0));
        let peak = peak.map(|(at, span)| {
            let label = if frame.width < NARROW_PEAK_WIDTH { grouped(span.most) } else { score_text(span.most, scores.best) };
            let (x, anchor) = if frame.x(at) > frame.width - if frame.width < NARROW_PEAK_WIDTH { 60.0 } else { 190.0 } {
                (frame.x(at) - 14.0, "end")
            } else {
                (frame.x(at) + 14.0, "start")
            };
            view! {
                <text class="strong" x=format!("{x:.1}") y=format!("{:.1}", frame.y(span.most as f64) - 4.0) text-anchor=anchor>
                    {label}
                </text>
            }
        });
        view! {
            <g transform=format!("translate({gap:.1} {ABOVE})")>
                {axes(&frame)}
                <path class="band" d=band></path>
                <path class="limit" d=format!("M0 {line:.1}H{:.1}", frame.width)></path>
                <rect class="brush" x=format!("{x:.1}") y="0" width=format!("{wide:.1}") height=HEIGHT></rect>
                {peak}
            </g>
        }
    };
    let caption = move || {
        drawn.with(|(spans, _)| {
            let each = spans.first().map_or(1, |span| span.offsets);
            if each > 1 {
                format!(" {}", tr!("Each column shows the minimum and the maximum of its {n} offsets.", n = grouped(each)))
            } else {
                String::new()
            }
        })
    };
    let chance = move || {
        let (sum, all) =
            drawn.with(|(spans, _)| (spans.iter().map(|span| span.sum).sum::<u64>(), spans.iter().map(|span| span.offsets).sum::<u64>()));
        let mean = sum as f64 / all.max(1) as f64;
        let mean = if mean >= 10.0 { grouped(mean.round() as u64) } else { humanize::tenth(mean) };
        (all > 0).then(|| format!(" {}", tr!("Chance alone gives about {mean}.", mean = mean)))
    };
    let label = move || {
        drawn.with(|(spans, _)| {
            let least = spans.iter().map(|span| span.least).min().unwrap_or_default();
            let most = spans.iter().map(|span| span.most).max().unwrap_or_default();
            tr!(
                "Equal symbols at each of {all} offsets: {least} to {most}",
                all = grouped(all),
                least = grouped(least),
                most = grouped(most)
            )
        })
    };
    view! {
        <figure class="chart profile" aria-labelledby="profile-title">
            <figcaption>
                <b id="profile-title">{t("Equal symbols at each offset.")}</b>
                {caption}
                {chance}
            </figcaption>
            <div class="plot" node_ref=plot on:pointerdown=press on:pointermove=slide on:pointerup=drop on:pointercancel=drop>
                <svg width="100%" height=HEIGHT + ABOVE + BELOW role="img" aria-label=label>
                    {drawing}
                </svg>
                <End scores end=BrushGrip::Begin held slide=Callback::new(slide) frame_x=Signal::derive(move || {
                    let frame = frame.get();
                    left(frame.top) + frame.x(range.get().0)
                }) />
                <End scores end=BrushGrip::End held slide=Callback::new(slide) frame_x=Signal::derive(move || {
                    let frame = frame.get();
                    let (from, len) = range.get();
                    left(frame.top) + frame.x(from + len).max(frame.x(from) + 4.0)
                }) />
                <Threshold scores frame plot />
            </div>
            <Says scores />
        </figure>
    }
}

/// Renders one end of the brush, `end`, as a slider. `held` is set to this end when it is pressed, and `slide` is
/// called while the pointer moves it. `frame_x` is the end's position in pixels.
#[component]
fn End(
    scores: ProfileState,
    end: BrushGrip,
    held: RwSignal<Option<BrushGrip>>,
    slide: Callback<ev::PointerEvent>,
    frame_x: Signal<f64>,
) -> impl IntoView {
    let ProfileState { all, range, .. } = scores;
    let begins = end == BrushGrip::Begin;
    let at = move || {
        let (from, len) = range.get();
        if begins { from } else { from + len - 1 }
    };
    let press = move |event: ev::PointerEvent| {
        event.stop_propagation();
        capture(&event);
        held.set(Some(end));
    };
    let keys = move |event: ev::KeyboardEvent| {
        let (_, len) = range.get_untracked();
        if let Some(offset) = moved(&event, untrack(at), all - 1, len) {
            range.update(|range| *range = drag(*range, end, offset, all));
        }
    };
    view! {
        <div
            class="grip"
            class:begin=begins
            role="slider"
            tabindex="0"
            aria-label=if begins { t("First offset of the range") } else { t("Last offset of the range") }
            aria-valuemin="0"
            aria-valuemax=all - 1
            aria-valuenow=at
            aria-valuetext=move || tr!("offset {n}; {all} in all", n = grouped(at()), all = humanize::count(range.get().1, "offset", "offsets"))
            style:inset-inline-start=move || format!("{:.1}px", frame_x.get())
            on:pointerdown=press
            on:pointermove=move |event| slide.run(event)
            on:pointerup=move |_| held.set(None)
            on:keydown=keys
        ></div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_brush_stay_in_order_and_inside_the_text() {
        let range = (100, 50);
        assert_eq!(drag(range, BrushGrip::Begin, 20, 1_000), (20, 130));
        assert_eq!(drag(range, BrushGrip::Begin, 900, 1_000), (145, 5));
        assert_eq!(drag(range, BrushGrip::End, 0, 1_000), (100, 5));
        assert_eq!(drag(range, BrushGrip::End, 5_000, 1_000), (100, 900));
        assert_eq!(drag(range, BrushGrip::Middle(10), 5, 1_000), (0, 50));
        assert_eq!(drag(range, BrushGrip::Middle(10), 990, 1_000), (950, 50));
    }
}
