//! Rows of both texts, side by side or in one column.

use explain::editions::{MarkedLine, RowPair};
use kernels::alignment::{Edit, Side};
use leptos::prelude::*;

use super::{Pages, ROW};
use crate::model::alignment::editions::Chunk;
use crate::model::alignment::unified::{UnifiedPiece, line_of_both};
use crate::model::text::unseen::{TextPart, parts};
use crate::model::text::words::{self, grouped};
use crate::tr;
use crate::tr::t;

/// Renders the rows of a chunk, or the placeholder of a folded one.
#[component]
pub fn Rows(chunk: Chunk, pages: Pages) -> impl IntoView {
    if chunk.folded {
        let open = move |_| pages.opened.update(|opened| opened.push(chunk.first));
        return view! {
            <div class="twins fold" data-rows=chunk.first>
                <button type="button" title=t("Show them") on:click=open>
                    {equal_rows(chunk.len, pages.outline.with_untracked(|outline| outline.sentences))}
                </button>
            </div>
        }
        .into_any();
    }
    let rows = Memo::new(move |_| pages.rows.with(|rows| rows.get(&chunk).cloned().unwrap_or_default()));
    let current =
        Memo::new(move |_| pages.current.get().and_then(|current| pages.outline.with(|outline| outline.changes.get(current).copied())));
    let drawn = move || {
        // When the layout changes, this may run once more after the rows were dropped.
        let (rows, in_one_column) = (rows.try_get().unwrap_or_default(), pages.in_one_column.get());
        let row = |(at, twin): (u64, &RowPair)| {
            let here = move || current.get().is_some_and(|(from, to)| (from..to).contains(&at));
            let changed = if twin.changed { "twin changed" } else { "twin" };
            view! {
                <div class=changed class:here=here>
                    {if in_one_column { in_column(twin) } else { beside(twin) }}
                    {twin.coarse.then(|| view! { <p class="coarse">{t("not compared in detail")}</p> })}
                </div>
            }
        };
        (chunk.first..).zip(rows.iter()).map(row).collect_view()
    };
    // Until the rows are loaded, reserves their estimated height.
    let waiting = move || rows.with(|rows| rows.is_empty()).then(|| format!("{:.0}px", chunk.len as f64 * ROW));
    view! {
        <div class="twins" data-rows=chunk.first style:min-height=move || waiting().unwrap_or_default()>
            {drawn}
        </div>
    }
    .into_any()
}

/// Formats a number of rows, such as "3 equal lines", or as sentences.
pub(super) fn equal_rows(rows: u64, are_sentences: bool) -> String {
    if are_sentences { words::count(rows, "equal sentence", "equal sentences") } else { words::count(rows, "equal line", "equal lines") }
}

/// Draws the lines of a row side by side.
fn beside(twin: &RowPair) -> AnyView {
    let side = |marked: Option<&MarkedLine>, side: Side| {
        let class = if marked.is_some() { "side" } else { "side none" };
        let number = marked.map(|marked| number(marked, side));
        let pieces = marked.map(|marked| marked.pieces.iter().map(|(edit, text)| piece(*edit, text)).collect_view());
        line(class, number, pieces)
    };
    view! {
        {side(twin.a.as_ref(), Side::A)}
        {side(twin.b.as_ref(), Side::B)}
    }
    .into_any()
}

/// Draws a row in one column: as one line if both lines can be merged, else the line of the first text above that of the second.
fn in_column(twin: &RowPair) -> AnyView {
    if let (Some(a), Some(b), Some(pieces)) = (&twin.a, &twin.b, line_of_both(twin)) {
        let numbers = view! { {number(a, Side::A)} {number(b, Side::B)} };
        return line("side both", numbers, unified(&pieces)).into_any();
    }
    let side = |marked: &Option<MarkedLine>, side: Side| {
        let (class, sign, edit) = match side {
            Side::A => ("side of-a", "−", Edit::Delete),
            Side::B => ("side of-b", "+", Edit::Insert),
        };
        marked.as_ref().map(|marked| {
            let numbers = view! { {number(marked, side)} <span class="sign" aria-hidden="true">{sign}</span> };
            let pieces = marked.pieces.iter().map(|(done, text)| piece(if *done == Edit::Equal { *done } else { edit }, text));
            line(class, numbers, pieces.collect_view())
        })
    };
    view! {
        {side(&twin.a, Side::A)}
        {side(&twin.b, Side::B)}
    }
    .into_any()
}

/// Draws the parts of a merged line. Inserted text is kept apart from the text that it replaces.
fn unified(pieces: &[UnifiedPiece]) -> impl IntoView + use<> {
    let edit = |piece: &UnifiedPiece| match piece.side {
        None => Edit::Equal,
        Some(Side::A) => Edit::Delete,
        Some(Side::B) => Edit::Insert,
    };
    let mut before = None;
    let mut drawn = Vec::with_capacity(pieces.len());
    for it in pieces {
        let is_replacing = before == Some(Edit::Delete) && edit(it) == Edit::Insert;
        before = Some(edit(it));
        drawn.push(view! { {is_replacing.then_some(" ")} {piece(edit(it), &it.text)} });
    }
    drawn
}

/// Draws one line.
fn line(class: &'static str, numbers: impl IntoView, pieces: impl IntoView) -> impl IntoView {
    view! {
        <div class=class>
            {numbers}
            <span class="t" dir="auto">{pieces}</span>
        </div>
    }
}

/// Draws the number of a line, counted from 1 as in editors.
fn number(marked: &MarkedLine, side: Side) -> impl IntoView + use<> {
    let (class, name) = match side {
        Side::A => ("no", "a"),
        Side::B => ("no b", "b"),
    };
    view! {
        <span class=class><span class="vh">{tr!("{name}, line", name = name)} " "</span><span class:vh=marked.continues>{grouped(marked.line + 1)}</span></span>
    }
}

fn piece(edit: Edit, text: &str) -> impl IntoView + use<> {
    let tag = match edit {
        Edit::Equal => "span",
        Edit::Substitute => "mark",
        Edit::Insert => "ins",
        Edit::Delete => "del",
    };
    leptos::html::custom(tag).child(drawn(text, edit != Edit::Equal))
}

/// Draws a text with frames around invisible characters. Each is isolated, so that it does not change the direction of
/// its neighbours.
pub(super) fn drawn(text: &str, is_edited: bool) -> impl IntoView + use<> {
    let part = |part: TextPart| match part {
        TextPart::Plain(text) => text.into_any(),
        TextPart::Invisible { symbol, short, name } => {
            let title = name.clone();
            view! { <span class="inv" dir="ltr" role="img" aria-label=name title=title data-short=short>{symbol}</span> }.into_any()
        }
    };
    parts(text, is_edited).into_iter().map(part).collect_view()
}
