//! The chart of the selected range of offsets ([`Zoom`]), with one bar for each offset if there is room. It marks the
//! selected offset and has a button that lays the pattern over the text at this offset.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use super::threshold::{Says, Threshold};
use super::{ProfileState, score_text};
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::chart::{ABOVE, BELOW, axes, left, moved, place, width_of};
use crate::view::widgets::prose::prose;

/// Height of the drawing, in pixels.
const HEIGHT: f64 = 190.0;

/// Renders the chart of the selected range of offsets. If `alone` is set, there is no chart of the whole text, and this
/// chart has the slider of the threshold. Calls `lay` with the offset at which the visitor wants to see the pattern
/// laid over the text.
#[component]
pub fn Zoom(scores: ProfileState, lay: Callback<u64>, alone: bool) -> impl IntoView {
    let ProfileState { range, offset, .. } = scores;
    let plot = NodeRef::<Div>::new();
    let width = width_of(plot);
    let drawn = scores.fetch(range.into(), width);
    let frame = Memo::new(move |_| scores.frame(drawn.with(|(_, range)| *range), width.get(), HEIGHT));
    // An offset outside of the range is no longer selected.
    let at = move || {
        let (from, len) = range.get();
        offset.get().clamp(from, from + len - 1)
    };
    let score = move || {
        drawn.with(|(spans, (from, _))| {
            let mut first = *from;
            let holds = |span: &&kernels::found::ScoreSpan| {
                first += span.offsets;
                at() < first
            };
            spans.iter().find(holds).map(|span| span.most)
        })
    };
    let point = move |event: &ev::PointerEvent| {
        let frame = frame.get_untracked();
        place(event, plot).map(|(x, _)| frame.offset(x - left(frame.top)))
    };
    let press = move |event: ev::PointerEvent| {
        if let Some(at) = point(&event) {
            offset.set(at);
            lay.run(at);
        }
    };
    let hover = move |event: ev::PointerEvent| {
        if let Some(at) = point(&event) {
            offset.set(at);
        }
    };
    let keys = move |event: ev::KeyboardEvent| {
        let (from, len) = range.get_untracked();
        if event.key() == "Enter" {
            event.prevent_default();
            lay.run(untrack(at));
        } else if let Some(to) = moved(&event, untrack(at) - from, len - 1, len / 10) {
            offset.set(from + to);
        }
    };
    let drawing = move || {
        let frame = frame.get();
        let threshold = scores.threshold.get();
        let (low, high) = drawn.with(|(spans, _)| {
            let bars = |high: bool| frame.bars(spans, |span| span.most as f64, |span| (span.most >= threshold) == high);
            (bars(false), bars(true))
        });
        let line = frame.y(threshold as f64);
        let x = frame.x(at()) + 0.5 * frame.width / frame.len as f64;
        let mark = score().map(|score| {
            let anchor = if x < 90.0 {
                "start"
            } else if x > frame.width - 90.0 {
                "end"
            } else {
                "middle"
            };
            let y = frame.y(score as f64);
            view! {
                <path class="at" d=format!("M{x:.1} {:.1}v-4", y - 1.0)></path>
                <text class="strong" x=format!("{x:.1}") y=format!("{:.1}", y - 8.0) text-anchor=anchor>
                    {grouped(score)}
                </text>
            }
        });
        view! {
            <g transform=format!("translate({:.1} {ABOVE})", left(frame.top))>
                {axes(&frame)}
                <path class="low" d=low></path>
                <path class="high" d=high></path>
                <path class="limit" d=format!("M0 {line:.1}H{:.1}", frame.width)></path>
                {mark}
            </g>
        }
    };
    let says = move || score().map(|score| score_text(score, at())).unwrap_or_default();
    let caption = move || {
        let each = drawn.with(|(spans, _)| spans.first().map_or(1, |span| span.offsets));
        match (alone, each) {
            (true, _) => t("Equal symbols at each offset.").to_owned(),
            (false, 1) => t("In the selection, one bar for each offset.").to_owned(),
            (false, each) => tr!("In the selection, the maximum of each {n} offsets.", n = grouped(each)),
        }
    };
    let go = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        if let Some(at) = humanize::typed_number(&event.target().value()) {
            let at = at.min(scores.all - 1);
            range.update(|range| *range = super::around(at, range.1, scores.all));
            offset.set(at);
            lay.run(at);
        }
    };
    view! {
        <figure class="chart profile" aria-label=t("Scores of a range of offsets")>
            <figcaption>
                <b>{caption}</b>
                " "
                {prose(t("Press a bar to place *a* over *b* there."))}
            </figcaption>
            <div class="plot" node_ref=plot>
                <div
                    role="slider"
                    tabindex="0"
                    aria-label=t("Offset; Enter places the pattern there")
                    aria-valuemin=move || range.get().0
                    aria-valuemax=move || range.get().0 + range.get().1 - 1
                    aria-valuenow=at
                    aria-valuetext=says
                    on:pointerdown=press
                    on:pointermove=hover
                    on:keydown=keys
                >
                    <svg width="100%" height=HEIGHT + ABOVE + BELOW aria-hidden="true">
                        {drawing}
                    </svg>
                </div>
                {alone.then(|| view! { <Threshold scores frame plot /> })}
            </div>
            <div class="row wide small">
                <span class="num">{says}</span>
                <label class="row small">
                    {t("Place at offset")}
                    " "
                    <input class="text column" inputmode="numeric" autocomplete="off" prop:value=move || at().to_string() on:change:target=go />
                </label>
            </div>
            {alone.then(|| view! { <Says scores /> })}
        </figure>
    }
}
