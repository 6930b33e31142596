//! The minimap: an overview of all columns of an alignment, in which the visible columns are marked. The code of its
//! view is downloaded when it is drawn ([`part`]).

use explain::worker_protocol::query::OverviewQuery;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;

use crate::model::alignment::overview::{HEIGHT, OverviewChart, WIDTH};
use crate::model::text::humanize::{grouped, position, tenth};
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into};
use crate::view::explore::alignment::scroller::AlignmentScroller;
use crate::view::widgets::prose::placed;

/// Number of parts into which the overview divides the alignment.
const POINTS: usize = 320;

/// Minimum width of the frame around the visible columns, in user units of the SVG.
const MIN_FRAME_WIDTH: f64 = 6.0;

/// Draws the minimap of the alignment.
#[inline(never)]
#[wasm_split(minimap, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn part() -> LazyPart<()> {
    Ok(|place, ()| draw_into(place, || view! { <Minimap /> }))
}

/// Renders caption, overview and axis of the minimap.
#[component]
fn Minimap() -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let columns = scroller.summary.columns;
    let chart = RwSignal::new(OverviewChart::default());
    spawn_local(async move {
        if let Ok(bins) = scroller.location().query(OverviewQuery { points: POINTS }).await {
            chart.try_set(OverviewChart::new(&bins, columns));
        }
    });
    let caption = move || {
        let chart = chart.get();
        let peak = chart.peak.map(|(value, column)| {
            let link = view! {
                <button class="go" type="button" on:click=move |_| scroller.go_to(column)>
                    {tr!("{value} near {column}", value = grouped(value.round() as u64), column = position(column))}
                </button>
            };
            view! { " " {placed(t("The maximum, {link}, is cut off."), vec![("link", link.into_any())])} }
        });
        let all = grouped(columns).into_any();
        let what = view! { <b>{t("Edits per 1,000 columns")}</b> }.into_any();
        view! { {placed(t("{what}, all {n} columns."), vec![("what", what), ("n", all)])} {peak} }
    };
    view! {
        <figure class="minimap" aria-label=t("Overview of the alignment")>
            <figcaption>{caption}</figcaption>
            <Overview chart />
        </figure>
    }
}

/// Renders all columns as a slider that scrolls the alignment.
#[component]
fn Overview(chart: RwSignal<OverviewChart>) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let columns = scroller.summary.columns;
    let plot = NodeRef::<Div>::new();
    let middle = Memo::new(move |_| {
        let (from, to) = scroller.columns_in_view();
        from.midpoint(to)
    });
    let column_at = move |x: f64| {
        plot.get_untracked().map(|plot| {
            let place = plot.get_bounding_client_rect();
            ((x - place.left()) / place.width().max(1.0)).clamp(0.0, 1.0) * columns as f64
        })
    };
    let point = move |event: ev::PointerEvent| {
        let pressed = event.buttons() & 1 == 1;
        if let Some(column) = column_at(event.client_x().into()).filter(|_| pressed) {
            scroller.go_to(column as u64);
        }
    };
    let keys = move |event: ev::KeyboardEvent| {
        let (from, to) = untrack(|| scroller.columns_in_view());
        let page = to - from;
        let part = (columns / 100).max(page);
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => from.saturating_sub(page),
            "ArrowRight" | "ArrowUp" => from + page,
            "PageDown" => from.saturating_sub(10 * part),
            "PageUp" => from + 10 * part,
            "Home" => 0,
            "End" => columns,
            _ => return,
        };
        event.prevent_default();
        scroller.go_to(to);
    };
    // The frame around the visible columns, at least wide enough to be seen.
    let frame = Memo::new(move |_| {
        let (from, to) = scroller.columns_in_view();
        let [left, right] = [from, to].map(|column| column as f64 / columns.max(1) as f64 * WIDTH);
        let width = (right - left).max(MIN_FRAME_WIDTH);
        ((left + right - width) / 2.0, width)
    });
    let label = move || {
        tr!("Place in the alignment; about {n} edits per 1,000 columns", n = grouped(chart.with(|chart| chart.mean.round() as u64)))
    };
    let top = move || chart.with(|chart| chart.top);
    let scale = move |share: f64| {
        let value = top() * share;
        if value == 0.0 {
            return String::new();
        }
        if value >= 10.0 || value == value.trunc() { grouped(value.round() as u64) } else { tenth(value) }
    };
    let path = move |kind: usize| move || chart.with(|chart| chart.paths[kind].clone());
    let cut = move || chart.with(|chart| chart.peak).map(|(_, column)| column as f64 / columns.max(1) as f64 * WIDTH);
    view! {
        <div
            class="plot"
            node_ref=plot
            role="slider"
            tabindex="0"
            aria-label=label
            aria-valuemin="0"
            aria-valuemax=columns
            aria-valuenow=middle
            aria-valuetext=move || tr!("column {n}", n = position(middle.get()))
            on:pointerdown=point
            on:pointermove=point
            on:keydown=keys
        >
            <svg class="over" viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
                <rect class="frame" x=move || format!("{:.1}", frame.get().0) y="0" width=move || format!("{:.1}", frame.get().1) height=HEIGHT></rect>
                <path class="bar-x" d=path(0)></path>
                <path class="bar-i" d=path(1)></path>
                <path class="bar-d" d=path(2)></path>
                <path class="base" d=format!("M0 {HEIGHT}H{WIDTH}")></path>
                <path class="edge" d=move || format!("M{:.1} 0V{HEIGHT}M{:.1} 0V{HEIGHT}", frame.get().0, frame.get().0 + frame.get().1)></path>
                {move || cut().map(|x| view! { <path class="cut" d=format!("M{:.1} 9l8-4M{:.1} 14l8-4", x - 4.0, x - 4.0)></path> })}
            </svg>
            <span class="scale full">{move || scale(1.0)}</span>
            <span class="scale half">{move || scale(0.5)}</span>
        </div>
        <div class="axis">{(0..=4).map(|part| view! { <span>{position(columns * part / 4)}</span> }).collect_view()}</div>
    }
}
