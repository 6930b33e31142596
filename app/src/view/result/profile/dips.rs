//! The chart of approximate search ([`Dips`]): for each position of the text, the smallest distance of a match that
//! ends there. Where the line dips to the threshold or below, a similar part of the text ends.

use explain::hit_page::HitPage;
use explain::worker_protocol::query::ProfileQuery;
use kernels::found::ScoreSpan;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::POINTS;
use crate::backend::latest::RequestCounter;
use crate::model::alignment::rows::visible;
use crate::model::search::chart::{LabelPosition, ScoreChartFrame, place_labels};
use crate::model::search::hit_groups::{HitGroup, piece};
use crate::model::text::humanize::{self, grouped};
use crate::page::ShownResult;
use crate::tr;
use crate::tr::t;
use crate::view::result::hits::list::HitList;
use crate::view::widgets::chart::{ABOVE, AxisOptions, BELOW, RIGHT, axes_with, left, width_of};

/// Maximum number of ends (positions at which a match may end) of a chart: for results of this browser, and for results
/// of the server. Computing the distances of so many ends takes a few tenths of a second. The size of the response does
/// not depend on them, because it has one value per pixel.
const MAX_CHARTED_ENDS: [u64; 2] = [1 << 23, 1 << 26];

/// Height of the drawing, in pixels.
const HEIGHT: f64 = 120.0;

/// Maximum number of groups of adjacent hits whose texts are written into the drawing.
const MAX_NAMED_PLACES: usize = 12;

/// Width of a letter in the drawing, in pixels.
const LETTER: f64 = 7.6;

/// Minimum width of a column, in CSS pixels, whose symbol is drawn below the axis.
const NAMED_FROM: f64 = 9.0;

/// Height of the space below the axis for the symbols, in pixels.
const LANE: f64 = 14.0;

/// Maximum number of groups of adjacent hits that are shaded in the drawing.
const SHADED: usize = 500;

/// Maximum number of symbols that are written for a group of hits.
const NAMED_SYMBOLS: u64 = 8;

/// Returns the x coordinates of the left and the right edge of the best hit of `group`. Symbol `p` lies between end `p`
/// and end `p + 1`. Ends are in the middle of their columns, so that `n` symbols are as wide as `n` columns.
fn shaded(frame: &ScoreChartFrame, group: &HitGroup) -> (f64, f64) {
    let half = f64::midpoint(frame.x(group.best.start), frame.x(group.best.start + 1)) - frame.x(group.best.start);
    (frame.x(group.best.start) + half, frame.x(group.best.end) + half)
}

/// Returns the text of the best hit (found in the passages of `seen`) and the hit's distance, or only the distance if
/// the text is empty.
fn name(seen: &HitPage, HitGroup { best, .. }: &HitGroup) -> String {
    let found = piece(&seen.passages, best.start, best.end.min(best.start + NAMED_SYMBOLS));
    let distance = grouped(best.distance);
    if found.is_empty() { distance } else { humanize::list(&[found, distance]) }
}

/// Renders the chart, or nothing if the text has too many ends (`MAX_CHARTED_ENDS`). `least` is the smallest
/// distance.
#[component]
pub fn Dips(shown: ShownResult, list: HitList, least: u64) -> impl IntoView {
    let ends = shown.symbols.1 + 1;
    let threshold = shown.form.job_options().max_distance.unwrap_or(least);
    let plot = NodeRef::<Div>::new();
    let width = width_of(plot);
    let spans = RwSignal::new(Vec::<ScoreSpan>::new());
    let most = MAX_CHARTED_ENDS[usize::from(!shown.location.is_here())];
    let gone = RwSignal::new(ends > most);
    let at = StoredValue::new(shown.location);
    let asked = RequestCounter::new();
    Effect::new(move |_| {
        let points = width.get().min(POINTS) as usize;
        if points == 0 || gone.get_untracked() {
            return;
        }
        let (at, turn) = (at.get_value(), asked.begin());
        spawn_local(async move {
            match at.query(ProfileQuery { from: 0, len: ends, points }).await {
                _ if !turn.is_last() => {}
                Ok(all) => drop(spans.try_set(all)),
                // The distances would take too long to compute.
                Err(_) => drop(gone.try_set(true)),
            }
        });
    });
    let frame = Memo::new(move |_| {
        let top = spans.with(|spans| spans.iter().map(|span| span.most).max()).unwrap_or_default().max(threshold).max(1);
        ScoreChartFrame { width: (width.get() - left(top) - RIGHT).max(1.0), height: HEIGHT, from: 0, len: ends, top }
    });
    let drawing = move || {
        let frame = frame.get();
        let line = frame.y(threshold as f64);
        let groups: Vec<_> = list.groups.get().into_iter().take(SHADED).collect();
        let names: Vec<String> = list.hit_page.with(|seen| groups.iter().map(|group| name(seen, group)).collect());
        let points = groups.iter().zip(&names).take(MAX_NAMED_PLACES).map(|(group, name)| {
            let (from, to) = shaded(&frame, group);
            (f64::midpoint(from, to), LETTER * name.chars().count() as f64)
        });
        let labels = place_labels(&points.collect::<Vec<_>>(), frame.width);
        let marks = groups.iter().map(|group| {
            let (from, to) = shaded(&frame, group);
            view! { <rect class="dip" x=format!("{from:.1}") y="0" width=format!("{:.1}", (to - from).max(2.0)) height=HEIGHT></rect> }
        });
        let marks = marks.collect_view();
        let named = labels.into_iter().zip(names).filter_map(|(label, name)| {
            let LabelPosition { x, anchor } = label?;
            Some(view! {
                <text class="strong" x=format!("{x:.1}") y="-7" text-anchor=anchor>
                    {name}
                </text>
            })
        });
        let named = named.collect_view();
        let is_lettered = list.whole && frame.x(1) >= NAMED_FROM;
        let symbols = list.hit_page.with(|seen| if is_lettered { seen.passages.first().map(|all| all.letters.clone()) } else { None });
        let symbols = symbols.unwrap_or_default().into_iter().zip(0..).map(|(symbol, at)| {
            // The symbol lies between the end before it and the end after it.
            let x = frame.x(at + 1);
            view! {
                <text class="symbol" x=format!("{x:.1}") y=format!("{:.1}", HEIGHT + 15.0) text-anchor="middle">
                    {visible(&symbol)}
                </text>
            }
        });
        let symbols = symbols.collect_view();
        let axis = AxisOptions { has_positions: false, lane: if is_lettered { LANE } else { 0.0 } };
        let outline = spans.with(|spans| frame.band(spans));
        view! {
            <g transform=format!("translate({:.1} {ABOVE})", left(frame.top))>
                {marks}
                {named}
                {symbols}
                {axes_with(&frame, axis)}
                <path class="band line" d=outline></path>
                <path class="limit" d=format!("M0 {line:.1}H{:.1}", frame.width)></path>
            </g>
        }
    };
    let label = move || {
        let least = spans.with(|spans| spans.iter().map(|span| span.least).min()).unwrap_or_default();
        let places = list.places_in_words();
        tr!(
            "Distances at {ends}: minimum {least}; {places} at {k} or below",
            ends = humanize::count(ends, "end", "ends"),
            least = grouped(least),
            places = places,
            k = grouped(threshold)
        )
    };
    let caption = move || {
        let each = spans.with(|spans| spans.first().map_or(1, |span| span.offsets));
        let of = if each > 1 {
            format!(" {}", tr!("Each column shows the minimum and the maximum of its {n} ends.", n = grouped(each)))
        } else {
            String::new()
        };
        let dips = match threshold {
            0 => t("Where the line comes down to 0, *a* occurs exactly.").replace('*', ""),
            k => tr!("Where the line dips to {k} or below, a match ends.", k = grouped(k)),
        };
        format!(" {dips}{of}")
    };
    view! {
        <figure class="chart profile" hidden=gone>
            <figcaption>
                <b>{t("Distance at every end position.")}</b>
                {caption}
            </figcaption>
            <div class="plot" node_ref=plot>
                <svg width="100%" height=HEIGHT + ABOVE + BELOW + LANE role="img" aria-label=label>
                    {drawing}
                </svg>
            </div>
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use explain::hit_page::TextPassage;
    use kernels::found::Hit;

    use super::*;

    fn place(start: u64, end: u64) -> HitGroup {
        HitGroup { number: 0, best: Hit::new(start, end, 3), ends: 1 }
    }

    #[test]
    fn shaded_hit_is_as_wide_as_its_symbols() {
        // Ends 0 to 20 in columns of 10 pixels; the middle of end 7 is at 75.
        let frame = ScoreChartFrame { width: 210.0, height: 100.0, from: 0, len: 21, top: 4 };
        assert_eq!((shaded(&frame, &place(7, 10)), shaded(&frame, &place(0, 6))), ((75.0, 105.0), (5.0, 65.0)));
    }

    #[test]
    fn label_of_an_empty_hit_has_no_comma() {
        let letters = "annealing".chars().map(String::from).collect();
        let seen = HitPage { passages: vec![TextPassage { from: 0, line: 0, letters }], ..HitPage::default() };
        assert_eq!((name(&seen, &place(0, 4)), name(&seen, &place(3, 3))), ("anne, 3".to_owned(), "3".to_owned()));
    }
}
