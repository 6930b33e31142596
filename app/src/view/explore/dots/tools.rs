//! Controls of a dot plot: zoom, length of words, the path of the alignment, the picture as a file, and the ends of the
//! visible range.

use leptos::ev;
use leptos::prelude::*;

use super::gestures::ZOOM;
use super::legend::of_file;
use super::plot::PlotState;
use crate::backend::files::save_bytes;
use crate::model::dots::svg::{DotPlotFile, svg};
use crate::model::dots::{RangeEnd, words};
use crate::model::preferences::positions;
use crate::model::text::humanize::{count, typed_number};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::canvas::save_canvas;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::positions::PositionsMenu;

/// Renders the controls of the plot.
#[component]
pub fn Tools() -> impl IntoView {
    let plot = expect_context::<PlotState>();
    let button = |name: &'static str, which: Icon, factor: f64| {
        view! {
            <button class="btn only" type="button" aria-label=name title=name on:click=move |_| plot.zoom(factor, None)>
                {icon(which)}
            </button>
        }
    };
    let longest = Memo::new(move |_| plot.dots.with(|dots| dots.as_ref().map_or(8, |dots| dots.longest)));
    let used = Memo::new(move |_| plot.dots.with(|dots| dots.as_ref().and_then(|dots| dots.frame.word)));
    let choices = move || {
        let mut lengths = words(longest.get());
        let chosen = plot.word.get();
        if let Some(other) = chosen.filter(|word| !lengths.contains(word)) {
            lengths.push(other);
            lengths.sort_unstable();
        }
        let length = |word: u32| {
            view! {
                <option value=word.to_string() selected=chosen == Some(word)>
                    {count(word.into(), "symbol", "symbols")}
                </option>
            }
        };
        lengths.into_iter().map(length).collect_view()
    };
    let automatic = move || match used.get().filter(|_| plot.word.get().is_none()) {
        Some(word) => tr!("automatic: {n}", n = word),
        None => t("automatic").to_owned(),
    };
    let choose = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| plot.set_word(event.target().value().parse().ok());
    let save_png = move |_| {
        if let Some(canvas) = plot.canvas.get_untracked() {
            save_canvas(&canvas, "dots.png");
        }
    };
    let save_svg = move |_| {
        let Some(found) = plot.filtered_dots.get_untracked() else { return };
        let [far, near] = plot.ways.get_untracked();
        let way = if near.is_empty() { far } else { near };
        let has_way = plot.is_aligned() && plot.shows_way.get_untracked() && !way.is_empty();
        let legend = of_file(&found.dots, has_way);
        let plotted = DotPlotFile { dots: &found.dots, way: has_way.then_some(&*way), names: plot.names.get_value(), legend };
        save_bytes(svg(&plotted).as_bytes(), "dots.svg");
    };
    view! {
        <div class="row wide">
            <div class="row" role="group" aria-label=t("Zoom")>
                {button(t("Zoom in"), Icon::Plus, ZOOM)}
                {button(t("Zoom out"), Icon::Minus, 1.0 / ZOOM)}
                <button class="btn" type="button" on:click=move |_| plot.show_all()>{t("Fit all")}</button>
            </div>
            <label class="row small">
                {t("Words of")}
                <span class="select">
                    <select on:change:target=choose>
                        <option value="" selected=move || plot.word.get().is_none()>{automatic}</option>
                        {choices}
                    </select>
                    {icon(Icon::Chevron)}
                </span>
            </label>
            {plot
                .is_aligned()
                .then(|| {
                    view! {
                        <label class="check">
                            <input
                                type="checkbox"
                                prop:checked=move || plot.shows_way.get()
                                on:change:target=move |event| plot.shows_way.set(event.target().checked())
                            />
                            <span>{t("Draw the alignment")}</span>
                        </label>
                    }
                })}
            <button class="btn small projector-off" type="button" on:click=save_png>
                {icon(Icon::Down)}
                "PNG"
            </button>
            <button class="btn small projector-off" type="button" on:click=save_svg>
                {icon(Icon::Down)}
                "SVG"
            </button>
            <PositionsMenu id="positions-dots" />
        </div>
    }
}

/// Returns the end `end` of the visible range as a number to show, counted from 0 or 1 as the visitor has chosen.
/// `symbols` are the ends of the range in both texts.
fn shown_end(end: RangeEnd, symbols: [u64; 4]) -> u64 {
    let at = symbols[end as usize];
    if end.begins() { positions().to_displayed(at) } else { at }
}

/// Renders the ends of the visible range as number fields.
#[component]
pub fn Window() -> impl IntoView {
    let plot = expect_context::<PlotState>();
    let field = move |name: &'static str, end: RangeEnd| {
        let value = move || shown_end(end, plot.sight.get().symbols()).to_string();
        let go = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
            if let Some(number) = typed_number(&event.target().value()) {
                let at = if end.begins() { positions().to_zero_based(number) } else { number };
                plot.sight.update(|sight| *sight = sight.ending(end, at, plot.of));
            }
            event.target().set_value(&untrack(value));
        };
        view! { <input class="text column" inputmode="numeric" autocomplete="off" aria-label=name prop:value=value on:change:target=go /> }
    };
    view! {
        <div class="row wide small projector-off">
            <span class="row ends" role="group" aria-label=t("Visible part of a")>
                <var>"a"</var>
                {field(t("a from"), RangeEnd::FromA)}
                "–"
                {field(t("a to"), RangeEnd::ToA)}
            </span>
            <span class="row ends" role="group" aria-label=t("Visible part of b")>
                <var>"b"</var>
                {field(t("b from"), RangeEnd::FromB)}
                "–"
                {field(t("b to"), RangeEnd::ToB)}
            </span>
        </div>
    }
}
