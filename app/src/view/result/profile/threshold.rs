//! The threshold of a chart ([`Threshold`]): a dashed line that is a slider. Pointer and keys move it.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use super::ProfileState;
use crate::model::search::chart::ScoreChartFrame;
use crate::model::text::humanize::grouped;
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::browser::restore_focus;
use crate::view::widgets::chart::{ABOVE, capture, left, moved, place};

/// Element id of the slider. The slider keeps the focus when another threshold gives another answer.
const ID: &str = "threshold";

/// Renders the slider over the element `plot`. `frame` maps scores to pixels of the chart.
#[component]
pub fn Threshold(scores: ProfileState, frame: Memo<ScoreChartFrame>, plot: NodeRef<Div>) -> impl IntoView {
    let page = expect_context::<Page>();
    restore_focus::restore(ID, scores.run_threshold.unwrap_or_default());
    let held = RwSignal::new(false);
    let draft = scores.threshold;
    let set = move |score: u64| draft.set(score.clamp(1.min(scores.pattern), scores.pattern));
    // For a result in this browser, a run with the new threshold starts at once; otherwise the visitor starts it.
    let settle = move |keys: bool| {
        if scores.is_here() && Some(draft.get_untracked()) != scores.run_threshold {
            if keys {
                restore_focus::remember(ID, draft.get_untracked());
            }
            apply(page, scores);
        }
    };
    let drag = move |event: ev::PointerEvent| {
        if held.get_untracked()
            && let Some((_, y)) = place(&event, plot)
        {
            set(frame.get_untracked().score(y - ABOVE));
        }
    };
    let press = move |event: ev::PointerEvent| {
        event.stop_propagation();
        capture(&event);
        held.set(true);
    };
    let drop = move |_| {
        if held.get_untracked() {
            held.set(false);
            settle(false);
        }
    };
    let keys = move |event: ev::KeyboardEvent| {
        let page = (scores.pattern / 50).max(2);
        if let Some(score) = moved(&event, draft.get_untracked(), scores.pattern, page) {
            set(score);
            settle(true);
        }
    };
    let top = move || format!("{:.1}px", ABOVE + frame.get().y(draft.get() as f64));
    view! {
        <div
            id=ID
            class="grip across"
            role="slider"
            tabindex="0"
            aria-orientation="vertical"
            aria-label=t("Threshold: equal symbols that an offset needs")
            aria-valuemin=1.min(scores.pattern)
            aria-valuemax=scores.pattern
            aria-valuenow=move || draft.get()
            aria-valuetext=move || tr!("{n} equal", n = grouped(draft.get()))
            style:inset-block-start=top
            style:inset-inline-start=move || format!("{:.1}px", left(frame.get().top))
            on:pointerdown=press
            on:pointermove=drag
            on:pointerup=drop
            on:pointercancel=drop
            on:keydown=keys
        >
            <span class="says">{move || tr!("threshold {n}", n = grouped(draft.get()))}</span>
        </div>
    }
}

/// Starts a run that finds the offsets whose score is at least the threshold.
pub fn apply(page: Page, scores: ProfileState) {
    let most = scores.pattern - scores.threshold.get_untracked().min(scores.pattern);
    page.set_options(|options| options.max_mismatches = Some(most));
}

/// Renders a sentence about the meaning of the threshold. If the offsets that reach it are not known, also renders a
/// button that starts a run to find them.
#[component]
pub fn Says(scores: ProfileState) -> impl IntoView {
    let page = expect_context::<Page>();
    let most = move || scores.pattern - scores.threshold.get().min(scores.pattern);
    let other = move || !scores.is_here() && Some(scores.threshold.get()) != scores.run_threshold;
    let says = move || tr!("An offset reaches the threshold with at most {n} unequal.", n = grouped(most()));
    view! {
        <p class="row small">
            <span>{says}</span>
            <button class="btn small" type="button" hidden=move || !other() on:click=move |_| apply(page, scores)>
                {t("Count these offsets")}
            </button>
        </p>
    }
}
