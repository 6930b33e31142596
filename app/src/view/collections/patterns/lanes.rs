//! Where each pattern occurs: a lane for each pattern ([`Lanes`]).

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlSelectElement};

use crate::model::collection::patterns::answer::{LaneOrder, SearchedTexts};
use crate::model::collection::patterns::sentences;
use crate::model::collection::patterns::tracks::{AxisLabel, TrackMark, TrackSide};
use crate::model::text::humanize::{count, grouped};
use crate::page::patterns::PatternPage;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::more_button::{more_button, more_says};

/// Number of lanes that are shown at first, and that are added by each press.
const LANES: usize = 100;

/// Maximum distance between a click and the mark that it chooses, as a share of the track.
const MAX_CLICK_DISTANCE: f64 = 0.03;

/// Returns the elements of the marks of a lane.
fn marks(marks: &[TrackMark]) -> String {
    let mark = |mark: &TrackMark| {
        let (y, height) = match mark.side {
            TrackSide::Above => (3, 11),
            TrackSide::Below => (18, 11),
            TrackSide::Across => (3, 26),
        };
        let class = if mark.is_exact { "exact" } else { "edits" };
        format!(r#"<rect class="{class}" x="{:.3}%" y="{y}" width="4" height="{height}" transform="translate(-2 0)"/>"#, 100.0 * mark.at)
    };
    marks.iter().map(mark).collect()
}

/// Returns the elements of the frame around the chosen place of a lane.
fn chosen_mark(texts: &SearchedTexts, pattern: usize, chosen: Option<(usize, usize)>) -> String {
    let hit = chosen.filter(|(of, _)| *of == pattern).and_then(|place| texts.hit(place));
    let frame = |hit: kernels::found::Hit| {
        let at = 100.0 * texts.position(&hit) as f64 / texts.symbols().max(1) as f64;
        let y = match hit.strand.map(kernels::strand::Strand::sign) {
            Some('-') => 15,
            _ => 0,
        };
        format!(r#"<rect class="pick" x="{at:.3}%" y="{y}" width="10" height="17" transform="translate(-5 0)"/>"#)
    };
    hit.map(frame).unwrap_or_default()
}

/// Returns the elements of the axis.
fn axis(texts: &SearchedTexts) -> String {
    let label = |(at, label): (f64, AxisLabel)| {
        let says = match label {
            AxisLabel::Position(at) => grouped(at),
            AxisLabel::Text(text) => sentences::text_name(texts, text),
        };
        let anchor = if at > 0.0 && matches!(label, AxisLabel::Position(_)) { "middle" } else { "start" };
        let says = says.replace('&', "&amp;").replace('<', "&lt;");
        format!(r#"<text x="{:.3}%" y="12" text-anchor="{anchor}">{says}</text>"#, 100.0 * at)
    };
    texts.axis().into_iter().map(label).collect()
}

/// Renders the lanes.
#[component]
pub fn Lanes() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let most = RwSignal::new(LANES);
    let order = Memo::new(move |_| patterns.view.with(|view| view.order));
    let chosen = Memo::new(move |_| patterns.view.with(|view| view.chosen));
    let sort = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| {
        let name = event.target().value();
        let order = LaneOrder::ALL.into_iter().find(|order| order.name() == name).unwrap_or_default();
        patterns.look(|view| view.order = order);
    };
    let orders = LaneOrder::ALL.map(|of| {
        view! {
            <option value=of.name() prop:selected=move || order.get() == of>
                {sentences::order_says(of)}
            </option>
        }
    });
    let lanes = move || {
        let texts = patterns.answer.get()?;
        let lane = |pattern: usize| {
            let (name, info) = (sentences::name(&texts, pattern), texts.pattern(pattern));
            let (letters, places) = (info.letters.clone(), info.hits.len());
            let track = texts.track(pattern);
            let drawn = marks(&track);
            let label = format!("{name}: {}", count(places as u64, "place", "places"));
            let least = sentences::least_says(&texts, pattern);
            let limit = info.limit.filter(|_| places > 0 || info.nearest.is_some()).map(|limit| format!("k = {limit}"));
            let (is_none, of_frame) = (places == 0, texts.clone());
            let choose = move |_| patterns.look(|view| view.chosen = Some((pattern, 0)));
            let point = move |event: ev::MouseEvent| {
                let Some(track_element) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
                let rect = track_element.get_bounding_client_rect();
                let at = (f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0);
                let below = f64::from(event.client_y()) - rect.top() > rect.height() / 2.0;
                let distance = |mark: &TrackMark| {
                    let is_other_side = (mark.side == TrackSide::Below && !below) || (mark.side == TrackSide::Above && below);
                    (mark.at - at).abs() + if is_other_side { 1e-4 } else { 0.0 }
                };
                let nearest = track.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)));
                if let Some(mark) = nearest.filter(|mark| (mark.at - at).abs() <= MAX_CLICK_DISTANCE) {
                    patterns.look(|view| view.chosen = Some((pattern, mark.hit)));
                }
            };
            let is_on = move || chosen.get().is_some_and(|(of, _)| of == pattern);
            view! {
                <li class="lane" class:on=is_on class:none=is_none>
                    <button class="go" type="button" disabled=is_none && least == "–" on:click=choose>
                        {name}
                    </button>
                    <code>{letters}</code>
                    <span class="r num">
                        <b>{grouped(places as u64)}</b>
                    </span>
                    <svg role="img" aria-label=label on:click=point>
                        <line class="mid" x1="0" x2="100%" y1="16" y2="16"></line>
                        <g inner_html=drawn></g>
                        <g inner_html=move || chosen_mark(&of_frame, pattern, chosen.get())></g>
                    </svg>
                    <span class="r" title=limit>{least}</span>
                </li>
            }
        };
        Some(texts.lanes(order.get()).into_iter().take(most.get()).map(lane).collect_view())
    };
    let all = move || patterns.answer.with(|texts| texts.as_ref().map_or(0, |texts| texts.report.patterns.len()));
    let is_many = move || all() > 60;
    let labels = move || patterns.answer.with(|texts| texts.as_deref().map(axis).unwrap_or_default());
    let has_strands = move || patterns.answer.with(|texts| texts.as_ref().is_some_and(|texts| texts.form.has_both_strands));
    let chip = |class: &'static str| {
        view! {
            <svg class="mark" width="6" height="12" aria-hidden="true">
                <rect class=class x="1" y="1" width="4" height="10"></rect>
            </svg>
        }
    };
    view! {
        <section class="section" aria-labelledby="lanes-title">
            <header class="row apart mb">
                <div class="row wide">
                    <h2 id="lanes-title">{t("Where each pattern occurs")}</h2>
                    <ul class="legend lane-legend">
                        <li>{chip("exact")} {t("exact")}</li>
                        <li>{chip("edits")} {t("with edits")}</li>
                        <li class="quiet" hidden=move || !has_strands()>{t("above the line: + strand, below: −")}</li>
                    </ul>
                </div>
                <span class="select projector-off">
                    <select aria-label=t("Order of patterns") on:change:target=sort>
                        {orders}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </header>
            <ol class="lanes" class:many=is_many>
                <li class="lane head" aria-hidden="true">
                    <span>{t("Pattern")}</span>
                    <span>{t("Letters")}</span>
                    <span class="r">{t("Places")}</span>
                    <svg inner_html=labels></svg>
                    <span class="r">{t("Fewest edits")}</span>
                </li>
                {lanes}
            </ol>
            <p class="mt projector-off">
                {more_button(most, LANES, all, || more_says(LANES))}
            </p>
        </section>
    }
}
