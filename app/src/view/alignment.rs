//! The alignment: a scroll area in which only what is in view is drawn.
//!
//! - [`scroller`]: what is in view, and the windows that are here
//! - [`block`]: one row
//! - [`edits`]: the edits in view, in words

use std::sync::Arc;

use kernels::alignment::Summary;
use kernels::job::Unit;
use kernels::words::grouped;
use leptos::either::Either;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;

use self::block::{Block, Fold, Probe};
use self::edits::EditList;
use self::scroller::Scroller;
use super::icon::{Icon, icon};
use super::metrics::{Checked, ThisRun};
use super::minimap::Minimap;
use crate::layout::Item;
use crate::page::Shown;
use crate::source::At;
use crate::words;

pub mod block;
pub mod edits;
pub mod scroller;

/// Overviews are worth their place from this many columns on.
const OVERVIEW_COLUMNS: u64 = 500;

/// Everything about the alignment of a result.
#[component]
pub fn AlignmentView(shown: Shown, summary: Summary, checked: RwSignal<Checked>) -> impl IntoView {
    let scroller = Scroller::new(&shown, summary);
    provide_context(scroller);
    // Once a copy of a distant alignment is here, its equal rows can be folded.
    Effect::new(move |_| {
        let width = scroller.width.get();
        if checked.get() == Checked::Added && width > 0 {
            scroller.ask_for_rows(width);
        }
    });
    let (title, facts) = match &shown.at {
        At::Hit(_, number) => (format!("Alignment of number {}", grouped(number + 1)), None),
        At::Offset(_, offset) => (format!("Laid over at offset {}", grouped(*offset)), None),
        At::Here | At::Job(_) | At::Link(_) => ("Alignment".into(), Some(view! { <ThisRun shown=shown.clone() checked /> })),
    };
    let note = format!(
        "{}, {}",
        words::count(summary.columns, "column", "columns"),
        words::count(summary.differences, "difference", "differences")
    );
    let keys = window_event_listener(ev::keydown, move |event| {
        if super::is_typing(&event) {
            return;
        }
        match event.key().as_str() {
            "j" | "J" => scroller.step(1),
            "k" | "K" => scroller.step(-1),
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <section class="section" aria-labelledby="alignment-title">
            <header>
                <div class="row wide">
                    <h2 id="alignment-title">{title}</h2>
                    <span class="note">{note}</span>
                </div>
                <Controls />
            </header>
            {(summary.columns >= OVERVIEW_COLUMNS).then(|| view! { <Minimap /> })}
            <div class="split">
                <Rows unit=shown.form.options.unit />
                <aside class="stack loose projector-off">
                    <EditList />
                    {facts}
                </aside>
            </div>
        </section>
    }
}

/// Folding, stepping, going to a column.
#[component]
fn Controls() -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let position = move || match scroller.current.get() {
        Some((number, _)) => format!("{} of {}", grouped(number + 1), grouped(scroller.summary.differences)),
        None => words::count(scroller.summary.differences, "difference", "differences"),
    };
    let none = scroller.summary.differences == 0;
    let go = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let digits: String = event.target().value().chars().filter(char::is_ascii_digit).collect();
        if let Ok(column) = digits.parse::<u64>() {
            scroller.go_to(column);
        }
    };
    view! {
        <div class="row">
            <button
                class="btn small"
                type="button"
                hidden=move || !scroller.can_fold()
                aria-pressed=move || if scroller.fold.get() { "true" } else { "false" }
                on:click=move |_| scroller.toggle_fold()
            >
                {move || scroller.fold.get().then(|| icon(Icon::Check))}
                "Hide equal rows"
            </button>
            <span class="seg">
                <button type="button" aria-label="Previous difference" title="Previous difference (K)" disabled=none on:click=move |_| scroller.step(-1)>
                    {icon(Icon::Previous)}
                </button>
                <button type="button" aria-label="Next difference" title="Next difference (J)" disabled=none on:click=move |_| scroller.step(1)>
                    {icon(Icon::Next)}
                </button>
            </span>
            <span class="num small" role="status">
                {position}
            </span>
            <label class="row small">
                "Go to column "
                <input class="text column" inputmode="numeric" autocomplete="off" on:change:target=go />
            </label>
        </div>
    }
}

/// The scroll area.
#[component]
fn Rows(unit: Unit) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let area = NodeRef::<Div>::new();
    scroller.attach(area);
    let label = move || {
        let (from, to) = scroller.columns_in_view();
        format!("Alignment, columns {} to {}", grouped(from), grouped(to))
    };
    let digits = grouped(scroller.summary.columns).len().to_string();
    let each = move || Arc::unwrap_or_clone(scroller.in_view.get());
    let key = move |item: &Item| (*item, scroller.width.get_untracked());
    let draw = move |item: Item| {
        let top = move || format!("{:.1}px", scroller.top(item));
        let content = match item {
            Item::Row(row) => Either::Left(view! { <Block row unit /> }),
            Item::Fold(first, rows) => Either::Right(view! { <Fold first rows /> }),
        };
        view! {
            <div class="at" style:top=top>
                {content}
            </div>
        }
    };
    view! {
        <div class="align scroller" role="region" aria-label=label tabindex="0" style=("--digits", digits) node_ref=area on:scroll=move |_| scroller.scrolled()>
            <Probe unit />
            <div class="tall" style:height=move || format!("{:.0}px", scroller.layout.with(|layout| layout.height()))>
                <For each=each key=key let:item>
                    {draw(item)}
                </For>
            </div>
        </div>
    }
}
