//! A bar chart with the number of occurrences that begin in each part of a long text ([`Density`]). The chart is a
//! slider that goes to the next occurrence.

use explain::worker_protocol::query::ProfileQuery;
use kernels::found::ScoreSpan;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::backend::latest::RequestCounter;
use crate::model::search::chart::ScoreChartFrame;
use crate::model::text::humanize::{self, grouped};
use crate::page::ShownResult;
use crate::tr;
use crate::tr::t;
use crate::view::result::hits::list::HitList;
use crate::view::widgets::chart::{AxisOptions, BELOW, RIGHT, axes_with, left, moved, place, width_of};

/// Height of the drawing, in pixels.
const HEIGHT: f64 = 56.0;

/// Width of a bar, in pixels.
const BAR: f64 = 4.0;

/// Returns the number of occurrences that begin before the span that contains `offset`. `spans` are consecutive ranges
/// of offsets from 0 on, each with its number of occurrences.
fn before(spans: &[ScoreSpan], offset: u64) -> u64 {
    let mut end = 0;
    spans.iter().take_while(|span| (end + span.offsets <= offset).then(|| end += span.offsets).is_some()).map(|span| span.sum).sum()
}

/// Renders the chart of the occurrences of the result `shown`. The chart is also a slider, which moves the list of hits
/// `list` to the chosen offset.
#[component]
pub fn Density(shown: ShownResult, list: HitList) -> impl IntoView {
    let all = (shown.symbols.1 + 1).saturating_sub(shown.symbols.0).max(1);
    let plot = NodeRef::<Div>::new();
    let width = width_of(plot);
    let spans = RwSignal::new(Vec::<ScoreSpan>::new());
    let offset = RwSignal::new(0u64);
    let at = StoredValue::new(shown.location);
    let asked = RequestCounter::new();
    Effect::new(move |_| {
        let points = (width.get() / BAR) as usize;
        if points == 0 {
            return;
        }
        let (at, turn) = (at.get_value(), asked.begin());
        spawn_local(async move {
            if let Ok(all) = at.query(ProfileQuery { from: 0, len: all, points }).await
                && turn.is_last()
            {
                spans.try_set(all);
            }
        });
    });
    let frame = Memo::new(move |_| {
        let top = spans.with(|spans| spans.iter().map(|span| span.sum).max()).unwrap_or_default().max(1);
        ScoreChartFrame { width: (width.get() - left(top) - RIGHT).max(1.0), height: HEIGHT, from: 0, len: all, top }
    });
    // The list follows the slider, and the slider's mark follows the list.
    let here = Memo::new(move |_| list.on_page().first().map(|group| group.best.start));
    Effect::new(move |_| {
        if let Some(start) = here.get() {
            offset.set(start);
        }
    });
    let go = move |to: u64| {
        offset.set(to);
        list.go_to(spans.with_untracked(|spans| before(spans, to)));
    };
    let point = move |event: ev::PointerEvent| {
        let frame = frame.get_untracked();
        if let Some((x, _)) = place(&event, plot).filter(|_| event.buttons() & 1 == 1) {
            go(frame.offset(x - left(frame.top)));
        }
    };
    let keys = move |event: ev::KeyboardEvent| {
        let part = (all / 100).max(1);
        let steps = moved(&event, offset.get_untracked() / part, (all - 1) / part, 10);
        if let Some(steps) = steps {
            go((steps * part).min(all - 1));
        }
    };
    let drawing = move || {
        let frame = frame.get();
        let bars = spans.with(|spans| frame.bars(spans, |span| span.sum as f64, |span| span.sum > 0));
        let x = frame.x(offset.get());
        view! {
            <g transform=format!("translate({:.1} 6)", left(frame.top))>
                {axes_with(&frame, AxisOptions { has_positions: true, lane: 0.0 })}
                <path class="high" d=bars></path>
                <path class="here" d=format!("M{x:.1} -4V{HEIGHT}")></path>
            </g>
        }
    };
    let value = move || {
        let near = spans.with(|spans| {
            let mut end = 0;
            let holds = |span: &&ScoreSpan| {
                end += span.offsets;
                offset.get() < end
            };
            spans.iter().find(holds).map_or(0, |span| span.sum)
        });
        tr!(
            "position {at}: {near} nearby",
            at = humanize::position(offset.get()),
            near = humanize::count(near, "occurrence", "occurrences")
        )
    };
    let caption = move || {
        let each = spans.with(|spans| spans.first().map_or(1, |span| span.offsets));
        format!(" {}", tr!("Each bar counts those that begin in {n} positions.", n = grouped(each)))
    };
    view! {
        <figure class="chart profile">
            <figcaption>
                <b>{t("Where they are.")}</b>
                {caption}
            </figcaption>
            <div
                class="plot"
                node_ref=plot
                role="slider"
                tabindex="0"
                aria-label=t("Place in the text")
                aria-valuemin="0"
                aria-valuemax=all - 1
                aria-valuenow=move || offset.get()
                aria-valuetext=value
                on:pointerdown=point
                on:pointermove=point
                on:keydown=keys
            >
                <svg width="100%" height=HEIGHT + 6.0 + BELOW aria-hidden="true">
                    {drawing}
                </svg>
            </div>
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_a_hit_is_the_sum_of_the_parts_before_it() {
        let span = |offsets, sum| ScoreSpan { offsets, least: 0, most: 1, sum };
        let spans = [span(10, 3), span(10, 0), span(5, 2)];
        assert_eq!([0, 9, 10, 19, 20, 24, 99].map(|at| before(&spans, at)), [0, 0, 3, 3, 3, 3, 5]);
    }
}
