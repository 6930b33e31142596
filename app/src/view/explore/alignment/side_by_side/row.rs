//! Rows of the side-by-side view. A row holds a line of `a`, a line of `b` or both, beside each other or in one column.

use explain::side_by_side::{MarkedLine, RowPair};
use kernels::alignment::{EditKind, PairSide};
use leptos::prelude::*;

use super::{ROW, SideBySideState};
use crate::model::alignment::side_by_side::RowChunk;
use crate::model::alignment::unified::{UnifiedPiece, line_of_both};
use crate::model::text::humanize::{self, grouped};
use crate::model::text::invisible::{DrawnTextPart, parts};
use crate::tr;
use crate::tr::t;

/// Renders the rows of a chunk (neighbouring rows that are drawn together), or the placeholder of a folded chunk.
#[component]
pub fn Rows(chunk: RowChunk, pages: SideBySideState) -> impl IntoView {
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
        // After a change of the layout, this may run once more when the rows are already dropped.
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

/// Formats `rows`, a number of equal rows, such as "3 equal lines". The rows are called sentences if `are_sentences` is
/// set.
pub(super) fn equal_rows(rows: u64, are_sentences: bool) -> String {
    if are_sentences {
        humanize::count(rows, "equal sentence", "equal sentences")
    } else {
        humanize::count(rows, "equal line", "equal lines")
    }
}

/// Draws the line of `a` and the line of `b` in a row side by side.
fn beside(twin: &RowPair) -> AnyView {
    let side = |marked: Option<&MarkedLine>, side: PairSide| {
        let class = if marked.is_some() { "side" } else { "side none" };
        let number = marked.map(|marked| number(marked, side));
        let pieces = marked.map(|marked| marked.pieces.iter().map(|(edit, text)| piece(*edit, text)).collect_view());
        line(class, number, pieces)
    };
    view! {
        {side(twin.a.as_ref(), PairSide::A)}
        {side(twin.b.as_ref(), PairSide::B)}
    }
    .into_any()
}

/// Draws a row in one column: as one line if both lines can be merged, otherwise the line of `a` above the line of `b`.
fn in_column(twin: &RowPair) -> AnyView {
    if let (Some(a), Some(b), Some(pieces)) = (&twin.a, &twin.b, line_of_both(twin)) {
        let numbers = view! { {number(a, PairSide::A)} {number(b, PairSide::B)} };
        return line("side both", numbers, unified(&pieces)).into_any();
    }
    let side = |marked: &Option<MarkedLine>, side: PairSide| {
        let (class, sign, edit) = match side {
            PairSide::A => ("side of-a", "−", EditKind::Delete),
            PairSide::B => ("side of-b", "+", EditKind::Insert),
        };
        marked.as_ref().map(|marked| {
            let numbers = view! { {number(marked, side)} <span class="sign" aria-hidden="true">{sign}</span> };
            let pieces = marked.pieces.iter().map(|(done, text)| piece(if *done == EditKind::Equal { *done } else { edit }, text));
            line(class, numbers, pieces.collect_view())
        })
    };
    view! {
        {side(&twin.a, PairSide::A)}
        {side(&twin.b, PairSide::B)}
    }
    .into_any()
}

/// Draws the pieces of a line that is merged from both texts. A space separates inserted text from the deleted text
/// before it.
fn unified(pieces: &[UnifiedPiece]) -> impl IntoView + use<> {
    let edit = |piece: &UnifiedPiece| match piece.side {
        None => EditKind::Equal,
        Some(PairSide::A) => EditKind::Delete,
        Some(PairSide::B) => EditKind::Insert,
    };
    let mut before = None;
    let mut drawn = Vec::with_capacity(pieces.len());
    for it in pieces {
        let is_replacing = before == Some(EditKind::Delete) && edit(it) == EditKind::Insert;
        before = Some(edit(it));
        drawn.push(view! { {is_replacing.then_some(" ")} {piece(edit(it), &it.text)} });
    }
    drawn
}

/// Draws one line in an element of the CSS class `class`: first the line numbers, then the pieces of the text.
fn line(class: &'static str, numbers: impl IntoView, pieces: impl IntoView) -> impl IntoView {
    view! {
        <div class=class>
            {numbers}
            <span class="t" dir="auto">{pieces}</span>
        </div>
    }
}

/// Draws the number of a line of the text `side`, counted from 1 as in editors.
fn number(marked: &MarkedLine, side: PairSide) -> impl IntoView + use<> {
    let (class, name) = match side {
        PairSide::A => ("no", "a"),
        PairSide::B => ("no b", "b"),
    };
    view! {
        <span class=class><span class="vh">{tr!("{name}, line", name = name)} " "</span><span class:vh=marked.continues>{grouped(marked.line + 1)}</span></span>
    }
}

fn piece(edit: EditKind, text: &str) -> impl IntoView + use<> {
    let tag = match edit {
        EditKind::Equal => "span",
        EditKind::Substitute | EditKind::Transpose => "mark",
        EditKind::Insert => "ins",
        EditKind::Delete => "del",
    };
    leptos::html::custom(tag).child(drawn(text, edit != EditKind::Equal))
}

/// Draws `text` with frames around invisible characters. Each of these is isolated in the sense of bidirectional text,
/// so that it does not change the direction of its neighbours. `is_edited` tells whether the text is part of an edit.
pub(super) fn drawn(text: &str, is_edited: bool) -> impl IntoView + use<> {
    let part = |part: DrawnTextPart| match part {
        DrawnTextPart::Plain(text) => text.into_any(),
        DrawnTextPart::Invisible { symbol, short, name } => {
            let title = name.clone();
            view! { <span class="inv" dir="ltr" role="img" aria-label=name title=title data-short=short>{symbol}</span> }.into_any()
        }
    };
    parts(text, is_edited).into_iter().map(part).collect_view()
}
