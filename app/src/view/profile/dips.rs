//! The distance at every end of approximate search: where the line dips to the threshold or below, a near piece ends.

use kernels::found::Span;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::POINTS;
use crate::chart::Frame;
use crate::found::piece;
use crate::latest::Latest;
use crate::page::Shown;
use crate::tr;
use crate::tr::t;
use crate::view::chart::{ABOVE, BELOW, RIGHT, axes, left, width_of};
use crate::view::hits::list::List;
use crate::words::{self, grouped};

/// Ends that are charted at most, of texts in this browser and of those on the server: what takes a few tenths of a second. Only as
/// many parts as the chart has pixels come back.
const ENDS: [u64; 2] = [1 << 23, 1 << 26];

/// Height of the drawing in pixels.
const HEIGHT: f64 = 120.0;

/// Places that are named in the drawing.
const NAMED: usize = 12;

/// Pixels between two names.
const APART: f64 = 90.0;

/// The chart; nothing for long texts.
#[component]
pub fn Dips(shown: Shown, list: List, least: u64) -> impl IntoView {
    let ends = shown.symbols.1 + 1;
    let threshold = shown.form.asked().max_distance.unwrap_or(least);
    let plot = NodeRef::<Div>::new();
    let width = width_of(plot);
    let spans = RwSignal::new(Vec::<Span>::new());
    let most = ENDS[usize::from(!shown.at.is_here())];
    let gone = RwSignal::new(ends > most);
    let at = StoredValue::new(shown.at);
    let asked = Latest::new();
    Effect::new(move |_| {
        let points = width.get().min(POINTS) as usize;
        if points == 0 || gone.get_untracked() {
            return;
        }
        let (at, turn) = (at.get_value(), asked.begin());
        spawn_local(async move {
            match at.profile(0, ends, points).await {
                _ if !turn.is_last() => {}
                Ok(all) => drop(spans.try_set(all)),
                // The distances take too long to be computed.
                Err(_) => drop(gone.try_set(true)),
            }
        });
    });
    let frame = Memo::new(move |_| {
        let top = spans.with(|spans| spans.iter().map(|span| span.most).max()).unwrap_or_default().max(threshold).max(1);
        Frame { width: (width.get() - left(top) - RIGHT).max(1.0), height: HEIGHT, from: 0, len: ends, top }
    });
    let drawing = move || {
        let frame = frame.get();
        let line = frame.y(threshold as f64);
        let mut free = 0.0;
        let mut named = 0;
        let groups = list.groups.get();
        let marks = groups.iter().map(|group| {
            let (from, to) = (frame.x(group.best.start), frame.x(group.best.end + 1));
            let middle = f64::midpoint(from, to);
            let name = (named < NAMED && middle >= free).then(|| {
                (free, named) = (middle + APART, named + 1);
                let found = list.seen.with(|seen| piece(&seen.passages, group.best.start, group.best.end.min(group.best.start + 8)));
                let anchor = if middle < 40.0 {
                    "start"
                } else if middle > frame.width - 40.0 {
                    "end"
                } else {
                    "middle"
                };
                view! {
                    <text class="strong" x=format!("{middle:.1}") y="-7" text-anchor=anchor>
                        {format!("{found}, {}", grouped(group.best.distance))}
                    </text>
                }
            });
            view! {
                <rect class="dip" x=format!("{from:.1}") y="0" width=format!("{:.1}", (to - from).max(2.0)) height=HEIGHT></rect>
                {name}
            }
        });
        let marks = marks.take(500).collect_view();
        let outline = spans.with(|spans| frame.band(spans));
        view! {
            <g transform=format!("translate({:.1} {ABOVE})", left(frame.top))>
                {marks}
                {axes(&frame)}
                <path class="band line" d=outline></path>
                <path class="limit" d=format!("M0 {line:.1}H{:.1}", frame.width)></path>
            </g>
        }
    };
    let label = move || {
        let least = spans.with(|spans| spans.iter().map(|span| span.least).min()).unwrap_or_default();
        let places = list.places_in_words();
        tr!(
            "Distances at {ends}: {least} at least; {places} at {k} or below",
            ends = words::count(ends, "end", "ends"),
            least = grouped(least),
            places = places,
            k = grouped(threshold)
        )
    };
    let caption = move || {
        let each = spans.with(|spans| spans.first().map_or(1, |span| span.offsets));
        let of = if each > 1 {
            format!(" {}", tr!("Each column shows the least and the most of its {n} ends.", n = grouped(each)))
        } else {
            String::new()
        };
        format!(" {}{of}", tr!("Where the line dips to {k} or below, a near piece ends.", k = grouped(threshold)))
    };
    view! {
        <figure class="chart profile" hidden=gone>
            <figcaption>
                <b>{t("Distance at every end position.")}</b>
                {caption}
            </figcaption>
            <div class="plot" node_ref=plot>
                <svg width="100%" height=HEIGHT + ABOVE + BELOW role="img" aria-label=label>
                    {drawing}
                </svg>
            </div>
        </figure>
    }
}
