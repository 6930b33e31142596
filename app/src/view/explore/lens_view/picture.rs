//! The drawing of the current step of a lens ([`Picture`]). In a narrow window its panels are stacked.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;

use super::scene::LensScene;
use crate::model::lens::compose::{DisplayMedium, headings};
use crate::model::lens::draw::HATCH;
use crate::model::lens::fitted::ProjectorScreen;
use crate::model::lens::{lens_keys, sentence_parts};
use crate::page::Page;

/// Media query for windows that are wide enough to show panels beside each other.
const WIDE_SCREEN_QUERY: &str = "(min-width: 46rem)";

fn is_narrow() -> bool {
    window().match_media(WIDE_SCREEN_QUERY).ok().flatten().is_some_and(|wide| !wide.matches())
}

/// Returns the size of the window, from which projector mode computes its layout.
fn screen() -> ProjectorScreen {
    let pixels = |side: Result<JsValue, JsValue>| side.ok().and_then(|side| side.as_f64());
    match (pixels(window().inner_width()), pixels(window().inner_height())) {
        (Some(width), Some(height)) => ProjectorScreen::of(width, height),
        _ => ProjectorScreen::default(),
    }
}

/// Renders the drawing of the current step, and its description for screen readers.
#[component]
pub fn Picture() -> impl IntoView {
    let scene = expect_context::<LensScene>();
    let (narrow, seen_on) = (RwSignal::new(is_narrow()), RwSignal::new(screen()));
    let resized = window_event_listener(ev::resize, move |_| {
        if narrow.get_untracked() != is_narrow() {
            narrow.set(is_narrow());
        }
        seen_on.set(screen());
    });
    on_cleanup(move || resized.remove());
    let page = expect_context::<Page>();
    let room = Memo::new(move |_| match (narrow.get(), page.link_view.with(|look| look.projector)) {
        (true, _) => DisplayMedium::Narrow,
        (false, true) => DisplayMedium::Projected(seen_on.get()),
        (false, false) => DisplayMedium::Wide,
    });
    let layout = Memo::new(move |_| scene.layout(room.get()));
    let drawn = Memo::new(move |_| {
        let frame = scene.frame.get();
        layout.with(|layout| scene.watched.with_value(|watched| layout.draw(&frame, watched)))
    });
    let frame = move || drawn.with(|drawn| format!("0 0 {:.0} {:.0}", drawn.size[0], drawn.size[1]));
    let body = move || drawn.with(|drawn| format!("{HATCH}{}", drawn.body));
    let label = move || {
        let panels = scene.frame.with(|frame| headings(&frame.panels));
        format!("{}: {panels}", lens_keys::name(scene.name))
    };
    let spoken = move || {
        let says = scene.frame.with(|frame| frame.sentences.first().cloned());
        says.map(|said| scene.watched.with_value(|watched| sentence_parts::plain(&said, watched)))
    };
    view! {
        <div class="watch-pic scroll" class:narrow=narrow class:flat=move || drawn.with(|drawn| drawn.is_flat) role="region" tabindex="0" aria-label=label>
            <svg
                class="pic"
                viewBox=frame
                role="img"
                aria-label=label
                inner_html=body
                style=("--narrowest", move || drawn.with(|drawn| format!("{:.0}px", drawn.narrowest)))
                style=("--least", move || drawn.with(|drawn| format!("{:.1}px", drawn.min_letter_height)))
            ></svg>
        </div>
        <p class="vh" role="status">{spoken}</p>
    }
}
