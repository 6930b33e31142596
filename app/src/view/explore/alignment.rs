//! The alignment ([`AlignmentView`]): a scroll area that draws only the visible part, as blocks of columns or as both
//! texts line by line.
//!
//! - [`scroller`]: the visible part and the loaded windows (blocks of rows)
//! - [`block`]: one row
//! - [`row_decor`]: additions to the rows
//! - [`similar`]: rows in which pairs of similar symbols are marked
//! - [`points`]: points and colours of the columns of `sequence-alignment`
//! - [`edits`]: the visible edits, in words
//! - [`side_by_side`]: words and lines side by side, or in one column
//! - [`goto`]: goes to a column or a position by its number
//! - [`copy`]: copies to the clipboard
//! - [`tools`]: the menu of further tools

use std::sync::Arc;

use kernels::alignment::{AlignmentSummary, EditKind, SymbolRange};
use kernels::event::TaskAnswer;
use kernels::job::{Task, Unit};
use kernels::strand::Strand;
use leptos::either::Either;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::block::{Block, Fold, Probe};
use self::copy::CopyMenu;
use self::edits::{EditList, INITIAL_LISTED_EDITS};
use self::scroller::AlignmentScroller;
use self::side_by_side::SideBySideState;
use crate::model::alignment::layout::ScrollItem;
use crate::model::alignment::sign::class;
use crate::model::link::link_view::Tab;
use crate::model::result::meaning::sequence_alignment::AlignmentAnswer;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::location::ResultLocation;
use crate::model::text::humanize::{self, decimals, grouped};
use crate::page::view_state::SettingLifetime;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::client_only::in_turn;
use crate::view::browser::lazy::lazy_inline;
use crate::view::result::composition::{Composition, legend, shares};
use crate::view::result::exports::ExportsOfHit;
use crate::view::result::minimap;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::keys::is_shortcut;
use crate::view::widgets::menu;
use crate::view::widgets::prose::prose;

pub mod block;
pub mod copy;
pub mod edits;
pub mod goto;
pub mod points;
pub mod row_decor;
pub mod scroller;
pub mod side_by_side;
mod similar;
pub mod tools;

/// Minimum number of columns of an alignment that has an overview, the minimap.
const OVERVIEW_COLUMNS: u64 = 500;

/// Maximum number of columns of an alignment whose symbols are each drawn as a large cell.
pub const MAX_LARGE_CELL_COLUMNS: u64 = 24;

/// Minimum number of columns of an alignment that is drawn in several animation frames: first the rows, then everything
/// beside and below them.
const MIN_LONG_COLUMNS: u64 = 2_000;

/// The layout in which an alignment is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AlignmentLayout {
    /// Both texts side by side, line by line.
    SideBySide,
    /// The lines of both texts in one column, below each other.
    Column,
    /// Rows of alignment columns, with `a` above `b`.
    Blocks,
}

/// Renders the alignment of the result `shown` with the controls and lists around it. `summary` has the alignment's
/// numbers of columns, `checked` the outcome of its verification, and `strand` the strand if it is the alignment of a
/// hit.
#[component]
pub fn AlignmentView(
    shown: ShownResult,
    summary: AlignmentSummary,
    checked: RwSignal<CheckOutcome>,
    #[prop(default = None)] strand: Option<Strand>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let scroller = AlignmentScroller::new(&shown, summary, page);
    provide_context(scroller);
    // Equal rows can be folded once the worker has a copy of the server's alignment.
    Effect::new(move |_| {
        let width = scroller.width.get();
        if checked.get() == CheckOutcome::Added && width > 0 {
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
    // Scrolls to a symbol that another tab has requested, as soon as the rows are redrawn.
    let goal = move |way: RwSignal<AlignmentLayout>| {
        Effect::new(move |_| {
            let Some((side, position)) = page.goal.get() else { return };
            page.goal.set(None);
            way.set(AlignmentLayout::Blocks);
            spawn_local(async move {
                crate::backend::sleep(120).await;
                scroller.go_to_symbol(side, position);
                scroller.focus();
            });
        })
    };
    let (title, is_whole) = match &shown.location {
        ResultLocation::Hit(_, number) => (tr!("Alignment of number {n}", n = grouped(number + 1)), false),
        ResultLocation::Offset(_, offset) => (tr!("Offset {n}", n = grouped(*offset)), false),
        ResultLocation::Here(_) | ResultLocation::Job(_) | ResultLocation::Link(_) => (t("Alignment").into(), true),
    };
    // A hit or a piece may begin inside a line, so that its lines cannot be shown side by side.
    let is_piece = answer_with_points(&shown).is_some_and(|answer| answer.pieces.map(SymbolRange::len) != <[u64; 2]>::from(shown.symbols))
        || matches!(shown.location, ResultLocation::Hit(..) | ResultLocation::Offset(..));
    let paired = matches!(unit, Unit::Words | Unit::Lines) && !is_piece;
    let refused = RwSignal::new(false);
    let look = match paired {
        true => page.stored_setting(SettingLifetime::Always, "alignment-way", AlignmentLayout::SideBySide, |way| way),
        false => RwSignal::new(AlignmentLayout::Blocks),
    };
    goal(look);
    let pages = paired.then(|| SideBySideState::new(&shown, look, refused));
    let is_paged = Memo::new(move |_| look.get() != AlignmentLayout::Blocks && !refused.get());
    let paged = move || pages.filter(|_| is_paged.get());
    let on_other = (strand == Some(Strand::Reverse)).then(|| prose(t("On the other strand: *a* is reversed and complemented.")));
    let keys = window_event_listener(ev::keydown, move |event| {
        let by = match event.key().as_str() {
            "j" | "J" => 1,
            "k" | "K" => -1,
            _ => return,
        };
        if !is_shortcut(&event) || page.link_view.with_untracked(|look| look.tab != Tab::Found) {
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
        let off = [EditKind::Substitute, EditKind::Insert, EditKind::Delete].into_iter().filter(|edit| !kinds.has(*edit));
        off.map(class).collect::<Vec<_>>().join(" ")
    };
    let looks = paired.then(|| {
        let button = |which: AlignmentLayout, name: &'static str| {
            view! {
                <button type="button" aria-pressed=move || if look.get() == which { "true" } else { "false" } on:click=move |_| look.set(which)>
                    {name}
                </button>
            }
        };
        view! {
            <span class="seg" role="group" aria-label=t("Layout") hidden=move || refused.get()>
                {button(AlignmentLayout::SideBySide, t("Side by side"))}
                {button(AlignmentLayout::Column, t("One column"))}
                {button(AlignmentLayout::Blocks, t("Blocks"))}
            </span>
        }
    });
    let of = shown.clone();
    let drawn = if summary.columns < MIN_LONG_COLUMNS { RwSignal::new(1).read_only() } else { in_turn(1) };
    Effect::new(move |_| {
        let seen = scroller.columns_in_view();
        page.in_view.set_value(Some(seen));
    });
    on_cleanup(move || {
        page.in_view.try_update_value(Option::take);
    });
    // By default, edits are listed if there are few of them, or if both texts are in one column.
    let chosen = page.stored_setting(SettingLifetime::Always, "edit-list", None::<bool>, |chosen| chosen);
    let is_listed = Memo::new(move |_| {
        chosen.get().unwrap_or(summary.differences <= INITIAL_LISTED_EDITS as u64 || look.get() == AlignmentLayout::Column)
    });
    let toggle = move || chosen.set(Some(!is_listed.get_untracked()));
    let list_key = window_event_listener(ev::keydown, move |event| {
        if event.key().eq_ignore_ascii_case("l") && is_shortcut(&event) && page.link_view.with_untracked(|look| look.tab == Tab::Found) {
            toggle();
        }
    });
    on_cleanup(move || list_key.remove());
    let (mut bar, mut kinds): (Vec<EditKind>, Vec<EditKind>) = match (shown.form.task, &shown.location) {
        // A pattern that is laid over a text has no insertions and deletions.
        (_, ResultLocation::Offset(..)) => (vec![], vec![EditKind::Substitute, EditKind::Equal]),
        (Task::Lcs, _) => (vec![], vec![EditKind::Insert, EditKind::Delete, EditKind::Equal]),
        _ => (
            vec![EditKind::Substitute, EditKind::Insert, EditKind::Delete],
            vec![EditKind::Substitute, EditKind::Insert, EditKind::Delete, EditKind::Equal],
        ),
    };
    if summary.transpositions > 0 {
        bar.push(EditKind::Transpose);
        kinds.push(EditKind::Transpose);
    }
    let composition = match answer_with_points(&shown) {
        Some(answer) => Composition::of_points(summary, answer.similar(&shown.form.job_options()), scroller.kind_points),
        None => Composition::of_edits(summary, &bar, &kinds),
    }
    .with_codes(shown.form.job_options().ambiguity);
    let has_bar = is_whole && !composition.bar.is_empty() && !matches!(unit, Unit::Words | Unit::Lines);
    let bar = has_bar.then(|| shares(&composition));
    let points = answer_with_points(&shown).filter(|_| !matches!(unit, Unit::Words | Unit::Lines)).map(|_| {
        scroller.has_points.set(page.link_view.with_untracked(|look| look.detail("points") != Some("0")));
        let of = shown.clone();
        (lazy_inline(move || Some(of.clone()), points::part), view! { <div id=points::BELOW></div> })
    });
    let (points, below_rows) = points.unzip();
    let panel = NodeRef::<Div>::new();
    let menu_id = if is_whole { "more-alignment" } else { "more-hit" };
    let files = NodeRef::<Div>::new();
    let exports = (!is_whole).then(|| {
        let items = view! { <ExportsOfHit at=shown.location.clone() form=shown.form.clone() /> };
        menu::menu("exports-hit".into(), "btn small", files, view! { {icon(Icon::Down)} {t("Export")} {icon(Icon::Chevron)} }, items)
    });
    view! {
        <section class="alignment" class:section=!is_whole aria-labelledby="alignment-title" data-off=off>
            {bar}
            <div class="strip">
                <h2 id="alignment-title" class:vh=is_whole>{title}</h2>
                {on_other.map(|says| view! { <span class="note">{says}</span> })}
                {legend(&composition)}
                <div class="nav">
                    {move || match paged() {
                        Some(pages) => Either::Left(lazy_inline(move || Some(pages), side_by_side::controls)),
                        None => Either::Right(view! { <Controls /> }),
                    }}
                    {looks}
                    <button
                        class="btn small list-button projector-off"
                        type="button"
                        hidden=summary.differences == 0
                        aria-pressed=move || if is_listed.get() { "true" } else { "false" }
                        on:click=move |_| toggle()
                    >
                        {icon(Icon::List)}
                        {t("List of edits")}
                    </button>
                    <span class="projector-off nav-menus">
                        {exports}
                        {menu::menu_later(menu_id.into(), "btn small", panel, view! { {icon(Icon::More)} <span class="vh">{t("More")}</span> }, || (), tools::menu)}
                    </span>
                </div>
            </div>
            {points}
            {(summary.columns >= OVERVIEW_COLUMNS && !paired).then(|| lazy_inline(|| Some(()), minimap::part))}
            <div class="split" class:alone=move || !is_listed.get()>
                {move || match paged() {
                    Some(pages) => {
                        let of = of.clone();
                        Either::Left(lazy_inline(move || Some((of.clone(), pages)), side_by_side::rows))
                    }
                    None => Either::Right(view! { <Rows unit /> }),
                }}
                <aside class="panel projector-off" aria-labelledby="edits-title" hidden=move || !is_listed.get()>
                    <header>
                        <h3 id="edits-title">{t("List of edits")}</h3>
                        <button class="btn ghost small only" type="button" aria-label=t("Close") on:click=move |_| toggle()>
                            {icon(Icon::Cross)}
                        </button>
                    </header>
                    {move || (drawn.get() > 0).then(|| match paged() {
                        Some(pages) => Either::Left(lazy_inline(move || Some(pages), side_by_side::edits)),
                        None => Either::Right(view! { <EditList /> }),
                    })}
                </aside>
            </div>
            {below_rows}
        </section>
    }
}

/// Returns the answer of a result with points, or `None` for other tasks.
fn answer_with_points(shown: &ShownResult) -> Option<AlignmentAnswer> {
    let TaskAnswer::SequenceAlignment { score, a, b, alignment, scored, .. } = shown.run.answer.as_ref()? else { return None };
    Some(AlignmentAnswer { score: *score, pieces: [*a, *b], columns: alignment.zip(*scored) })
}

/// Renders the controls for folding equal rows, stepping through the differences, going to a position, and copying.
#[component]
fn Controls() -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let position = move || match scroller.current.get() {
        Some(place) => tr!("{n} of {all}", n = grouped(place.number + 1), all = grouped(place.of)),
        None => humanize::count(scroller.summary.differences, "change", "changes"),
    };
    let is_long = scroller.summary.columns > MAX_LARGE_CELL_COLUMNS;
    let none = scroller.summary.differences == 0;
    view! {
        <button
            class="btn small"
            type="button"
            hidden=move || !scroller.has_equal_rows()
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
        {is_long.then(|| lazy_inline(|| Some(()), tools::goto))}
        <CopyMenu />
    }
}

/// Formats a CSS length to a tenth of a pixel.
fn pixels(length: f64) -> String {
    decimals(length, 1) + "px"
}

/// Renders the scroll area with the rows of the alignment.
#[component]
fn Rows(unit: Unit) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    scroller.attach();
    let label = move || {
        let (from, to) = scroller.columns_in_view();
        let (from, to) = humanize::range(from, to);
        tr!("Alignment, columns {from} to {to}", from = from, to = to)
    };
    let is_few = scroller.is_few();
    let digits = grouped(scroller.summary.columns).len().to_string();
    // Paper cannot scroll, so that letters shrink until a row fits its width.
    let columns = move || (scroller.width.get() * u64::from(scroller.cell.get())).to_string();
    let each = move || Arc::unwrap_or_clone(scroller.in_view.get());
    let key = move |item: &ScrollItem| (*item, scroller.width.get_untracked());
    let draw = move |item: ScrollItem| {
        let top = move || pixels(scroller.top(item));
        let content = match item {
            ScrollItem::Row(row) => Either::Left(view! { <Block row unit /> }),
            ScrollItem::Fold(first, rows) => Either::Right(view! { <Fold first rows /> }),
        };
        view! {
            <div class="at" style:top=top>
                {content}
            </div>
        }
    };
    view! {
        <div class="align scroller" class:few=is_few class:pointed=move || scroller.has_points.get() role="region" aria-label=label tabindex="0" style=("--digits", digits) style=("--columns", columns) style=("--cells", move || scroller.width.get().max(1).to_string()) node_ref=scroller.viewport.area on:scroll=move |_| scroller.scrolled()>
            <Probe unit />
            <div class="tall" style:height=move || pixels(scroller.layout.with(|layout| layout.height()))>
                <For each=each key=key let:item>
                    {draw(item)}
                </For>
            </div>
        </div>
    }
}
