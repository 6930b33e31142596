//! The alignment: a scroll area in which only what is in view is drawn, as blocks of columns or as both texts side by side.
//!
//! - [`scroller`]: what is in view, and the windows that are here
//! - [`block`]: one row
//! - [`edits`]: the edits in view, in words
//! - [`editions`]: words and lines side by side
//! - [`goto`]: a column or a position by its number
//! - [`copy`]: to the clipboard

use std::sync::Arc;

use kernels::alignment::{Edit, Summary};
use kernels::job::Unit;
use kernels::strand::Strand;
use leptos::either::Either;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::block::{Block, Fold, Probe};
use self::copy::CopyMenu;
use self::editions::Pages;
use self::edits::EditList;
use self::goto::GoTo;
use self::scroller::Scroller;
use super::exports::Exports;
use super::icon::{Icon, icon};
use super::keys::is_shortcut;
use super::late::in_turn;
use super::later::later_among;
use super::metrics::ThisRun;
use super::minimap;
use super::positions::PositionsMenu;
use super::prose::prose;
use crate::model::alignment::layout::Item;
use crate::model::alignment::sign::class;
use crate::model::link::look::Facet;
use crate::model::run::at::At;
use crate::model::run::checked::Checked;
use crate::model::text::words::{self, grouped};
use crate::page::view_state::Lasts;
use crate::page::{Page, Shown};
use crate::source::document;
use crate::tr;
use crate::tr::t;

pub mod block;
pub mod copy;
pub mod editions;
pub mod edits;
pub mod goto;
pub mod scroller;

/// Overviews are worth their place from this many columns on.
const OVERVIEW_COLUMNS: u64 = 500;

/// Up to so many columns an alignment is drawn large: its letters would be lost in their room.
const FEW_COLUMNS: u64 = 24;

/// From so many columns on an alignment is drawn in several frames: what is beside and below the rows comes after them.
const LONG_COLUMNS: u64 = 2_000;

/// How an alignment is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Both texts side by side, line by line.
    Editions,
    /// Columns in rows.
    Blocks,
}

/// Everything about the alignment of a result, or of a hit on a `strand`.
#[component]
pub fn AlignmentView(
    shown: Shown,
    summary: Summary,
    checked: RwSignal<Checked>,
    #[prop(default = None)] strand: Option<Strand>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let scroller = Scroller::new(&shown, summary, page);
    provide_context(scroller);
    // Once a copy of a distant alignment is here, its equal rows can be folded.
    Effect::new(move |_| {
        let width = scroller.width.get();
        if checked.get() == Checked::Added && width > 0 {
            scroller.ask_for_rows(width);
        }
    });
    Effect::new(move |before: Option<()>| {
        page.kinds.track();
        if before.is_some() {
            scroller.recount();
        }
    });
    let unit = shown.form.options.unit;
    // Another facet leads to a symbol: once the rows are drawn again, they go there.
    let goal = move |way: RwSignal<Way>| {
        Effect::new(move |_| {
            let Some((side, position)) = page.goal.get() else { return };
            page.goal.set(None);
            way.set(Way::Blocks);
            spawn_local(async move {
                crate::source::sleep(120).await;
                scroller.go_to_symbol(side, position);
                scroller.focus();
            });
        })
    };
    let (title, facts) = match &shown.at {
        At::Hit(_, number) => (tr!("Alignment of number {n}", n = grouped(number + 1)), None),
        At::Offset(_, offset) => (tr!("Laid over at offset {n}", n = grouped(*offset)), None),
        At::Here(_) | At::Job(_) | At::Link(_) => (t("Alignment").into(), Some(shown.clone())),
    };
    // Lines of a hit begin anywhere: there is nothing to stand beside.
    let paired = matches!(unit, Unit::Words | Unit::Lines) && !matches!(shown.at, At::Hit(..) | At::Offset(..));
    let refused = RwSignal::new(false);
    let pages = paired.then(|| Pages::new(&shown, refused));
    let look = match paired {
        true => page.kept(Lasts::Always, "alignment-way", Way::Editions, |way| way),
        false => RwSignal::new(Way::Blocks),
    };
    goal(look);
    let paged = move || pages.filter(|_| look.get() == Way::Editions && !refused.get());
    let note = note(&shown.at, &summary);
    let on_other = (strand == Some(Strand::Reverse)).then(|| prose(t("On the other strand: *a* is reversed and complemented.")));
    let keys = window_event_listener(ev::keydown, move |event| {
        let by = match event.key().as_str() {
            "j" | "J" => 1,
            "k" | "K" => -1,
            _ => return,
        };
        if !is_shortcut(&event) || page.look.with_untracked(|look| look.facet != Facet::Found) {
            return;
        }
        match untrack(paged) {
            Some(pages) => pages.step(by),
            None => scroller.step(by),
        }
    });
    on_cleanup(move || keys.remove());
    let off = move || {
        let kinds = page.kinds.get();
        let off = [Edit::Substitute, Edit::Insert, Edit::Delete].into_iter().filter(|edit| !kinds.has(*edit));
        off.map(class).collect::<Vec<_>>().join(" ")
    };
    let looks = paired.then(|| {
        let button = |which: Way, name: &'static str| {
            view! {
                <button type="button" aria-pressed=move || if look.get() == which { "true" } else { "false" } on:click=move |_| look.set(which)>
                    {name}
                </button>
            }
        };
        view! {
            <span class="seg" role="group" aria-label=t("Layout") hidden=move || refused.get()>
                {button(Way::Editions, t("Side by side"))}
                {button(Way::Blocks, t("Blocks"))}
            </span>
        }
    });
    let of = shown.clone();
    let drawn = if summary.columns < LONG_COLUMNS { RwSignal::new(2).read_only() } else { in_turn(2) };
    let facts = move || facts.clone().map(|shown| view! { <ThisRun shown checked /> });
    view! {
        <section class="section" aria-labelledby="alignment-title" data-off=off>
            <header>
                <div class="row wide">
                    <h2 id="alignment-title">{title}</h2>
                    <span class="note">{note}</span>
                    {on_other.map(|says| view! { <span class="note">{says}</span> })}
                </div>
                <div class="row">
                    {move || match paged() {
                        Some(pages) => Either::Left(later_among(move || Some(pages), editions::controls)),
                        None => Either::Right(view! { <Controls /> }),
                    }}
                    {looks}
                    <PositionsMenu id="positions-alignment" />
                    <Palette />
                </div>
            </header>
            {(summary.columns >= OVERVIEW_COLUMNS && !paired).then(|| later_among(|| Some(()), minimap::part))}
            <div class="split">
                {move || match paged() {
                    Some(pages) => {
                        let of = of.clone();
                        Either::Left(later_among(move || Some((of.clone(), pages)), editions::rows))
                    }
                    None => Either::Right(view! { <Rows unit /> }),
                }}
                <aside class="stack loose projector-off">
                    {move || (drawn.get() > 0).then(|| match paged() {
                        Some(pages) => Either::Left(later_among(move || Some(pages), editions::edits)),
                        None => Either::Right(view! { <EditList /> }),
                    })}
                    {move || (drawn.get() > 0).then(&facts)}
                </aside>
            </div>
        </section>
        {move || (drawn.get() > 1).then(|| view! { <Exports at=shown.at.clone() form=shown.form.clone() /> })}
    }
}

/// What the alignment consists of, beside its title. A pattern laid over a text has no edits: its symbols agree or do not.
fn note(at: &At, summary: &Summary) -> String {
    let columns = words::count(summary.columns, "column", "columns");
    match at {
        At::Offset(..) => tr!("{columns}, {n} of them unequal", columns = columns, n = grouped(summary.columns - summary.matches)),
        At::Here(_) | At::Job(_) | At::Link(_) | At::Hit(..) => {
            format!("{columns}, {}", words::count(summary.differences, "difference", "differences"))
        }
    }
}

/// Folding, stepping, going to a column or position, copying.
#[component]
fn Controls() -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let position = move || match scroller.current.get() {
        Some(place) => tr!("{n} of {all}", n = grouped(place.number + 1), all = grouped(place.of)),
        None => words::count(scroller.summary.differences, "difference", "differences"),
    };
    let none = scroller.summary.differences == 0;
    view! {
        <button
            class="btn small"
            type="button"
            hidden=move || !scroller.can_fold()
            aria-pressed=move || if scroller.fold.get() { "true" } else { "false" }
            on:click=move |_| scroller.toggle_fold()
        >
            {move || scroller.fold.get().then(|| icon(Icon::Check))}
            {t("Hide equal rows")}
        </button>
        <span class="seg">
            <button type="button" aria-label=t("Previous difference") title=t("Previous difference (K)") disabled=none on:click=move |_| scroller.step(-1)>
                {icon(Icon::Previous)}
            </button>
            <button type="button" aria-label=t("Next difference") title=t("Next difference (J)") disabled=none on:click=move |_| scroller.step(1)>
                {icon(Icon::Next)}
            </button>
        </span>
        <span class="num small" role="status">
            {position}
        </span>
        <GoTo />
        <CopyMenu />
    }
}

/// Colours, or black and white, which is also how the page is printed.
#[component]
fn Palette() -> impl IntoView {
    let on = RwSignal::new(false);
    Effect::new(move |_| on.set(document::palette_is_print()));
    let toggle = move |_| {
        document::set_palette(!on.get_untracked());
        on.set(document::palette_is_print());
    };
    view! {
        <button class="btn small projector-off" type="button" aria-pressed=move || if on.get() { "true" } else { "false" } on:click=toggle>
            {move || on.get().then(|| icon(Icon::Check))}
            {t("Black and white")}
        </button>
    }
}

/// The scroll area.
#[component]
fn Rows(unit: Unit) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    scroller.attach();
    let label = move || {
        let (from, to) = scroller.columns_in_view();
        let (from, to) = words::range(from, to);
        tr!("Alignment, columns {from} to {to}", from = from, to = to)
    };
    let is_few = scroller.summary.columns <= FEW_COLUMNS && !matches!(unit, Unit::Words | Unit::Lines);
    let digits = grouped(scroller.summary.columns).len().to_string();
    // Paper is as wide as it is: there letters are as small as a row needs.
    let columns = move || (scroller.width.get() * u64::from(scroller.cell.get())).to_string();
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
        <div class="align scroller" class:few=is_few role="region" aria-label=label tabindex="0" style=("--digits", digits) style=("--columns", columns) node_ref=scroller.viewport.area on:scroll=move |_| scroller.scrolled()>
            <Probe unit />
            <div class="tall" style:height=move || format!("{:.0}px", scroller.layout.with(|layout| layout.height()))>
                <For each=each key=key let:item>
                    {draw(item)}
                </For>
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_laid_over_a_text_has_unequal_symbols_and_no_edits() {
        // Two neighbours that differ are one difference, and two unequal symbols.
        let summary = Summary { columns: 30, matches: 27, mismatches: 3, differences: 2, ..Summary::default() };
        assert_eq!(note(&At::Offset(Box::new(At::Here(1)), 7), &summary), "30 columns, 3 of them unequal");
        assert_eq!(note(&At::Here(1), &summary), "30 columns, 2 differences");
    }
}
