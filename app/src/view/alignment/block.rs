//! One row of the alignment: ruler, a, signs, b, positions at both ends. For words and lines, both texts side by side.

use std::sync::Arc;

use kernels::alignment::Edit;
use kernels::job::Unit;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;

use super::scroller::{PROBE_LETTERS, Scroller};
use crate::rows::{Piece, Row};
use crate::tr;
use crate::view::sign::sign;
use crate::words::{self, grouped};

/// A row; empty until its window is here.
#[component]
pub fn Block(row: u64, unit: Unit) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let content = Memo::new(move |_| scroller.row(row));
    let boxed = !matches!(unit, Unit::Words | Unit::Lines);
    move || match content.get() {
        Some(row) if boxed => EitherOf3::A(view! { <Columns row /> }),
        Some(row) => EitherOf3::B(view! { <Twin row unit /> }),
        None => EitherOf3::C(view! { <div class="block seq" aria-busy="true"></div> }),
    }
}

/// Which of both rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    A,
    B,
}

#[component]
fn Columns(row: Arc<Row>) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let cell = scroller.cell.get_untracked();
    let (column, end) = (row.column, row.column + row.len);
    let differences = words::count(row.differences, "difference", "differences");
    let label = tr!("Columns {from} to {to}, {differences}", from = grouped(column), to = grouped(end), differences = differences);
    let step = if row.len > 40 && cell == 1 { 20 } else { 10 };
    let ticks = (0..row.len).step_by(step).map(|at| {
        // In parts of the ruler: a letter of the labels is narrower than one of the row.
        let left = format!("{:.4}%", 100.0 * at as f64 / row.len as f64);
        view! { <i style:inset-inline-start=left>{grouped(column + at)}</i> }
    });
    let ruled = format!("{}ch", row.len * u64::from(cell));
    let signs: String = row.pieces.iter().map(|piece| sign(piece.edit).repeat(piece.len as usize)).collect();
    let a: Vec<_> = row.pieces.iter().map(|piece| letters(scroller, piece, Line::A, cell)).collect();
    let b: Vec<_> = row.pieces.iter().map(|piece| letters(scroller, piece, Line::B, cell)).collect();
    let signs = if cell == 1 { Either::Left(signs) } else { Either::Right(boxes(signs.chars().map(String::from).collect())) };
    view! {
        <div class=format!("block seq cell-{cell}") role="group" aria-label=label>
            <span class="rule" aria-hidden="true" style:inline-size=ruled>
                {ticks.collect_view()}
            </span>
            <span class="pos">
                <span class="name">"a"</span>
                " "
                {grouped(row.a.0)}
            </span>
            <span class="line">{a}</span>
            <span class="pos to">{grouped(row.a.1)}</span>
            <span class="line marks" aria-hidden="true">
                {signs}
            </span>
            <span class="pos">
                <span class="name">"b"</span>
                " "
                {grouped(row.b.0)}
            </span>
            <span class="line">{b}</span>
            <span class="pos to">{grouped(row.b.1)}</span>
        </div>
    }
}

/// One kind of columns in one of both rows.
fn letters(scroller: Scroller, piece: &Piece, line: Line, cell: u8) -> impl IntoView + use<> {
    let units = if line == Line::A { &piece.a } else { &piece.b };
    let gap = units.is_empty();
    let units = if gap { vec!["–".to_owned(); piece.len as usize] } else { units.clone() };
    let text = if cell == 1 { Either::Left(units.concat()) } else { Either::Right(boxes(units)) };
    marked(scroller, (piece.edit, piece.column), gap, text)
}

/// An edit in its colour, in the element that says so; a gap is crossed out.
fn marked<V: IntoView + 'static>(scroller: Scroller, (edit, column): (Edit, u64), gap: bool, text: V) -> impl IntoView + use<V> {
    let tag = match (edit, gap) {
        (Edit::Equal, _) => "span",
        (_, true) => "s",
        (Edit::Substitute, _) => "mark",
        (Edit::Insert, _) => "ins",
        (Edit::Delete, _) => "del",
    };
    let here = move || edit != Edit::Equal && scroller.current.get().is_some_and(|current| current.column == column);
    leptos::html::custom(tag).class(("here", here)).child(text)
}

/// Every symbol in a box of its own, where they are not all of one width or run from right to left.
fn boxes(units: Vec<String>) -> impl IntoView {
    units.into_iter().map(|unit| view! { <bdi class="u">{unit}</bdi> }).collect_view()
}

/// Words or lines, side by side.
#[component]
fn Twin(row: Arc<Row>, unit: Unit) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let between = if unit == Unit::Words { " " } else { "" };
    let side = |line: Line| {
        let pieces = row.pieces.iter().map(|piece| {
            let units = if line == Line::A { &piece.a } else { &piece.b };
            let gap = units.is_empty();
            let text = if gap { "–".to_owned() } else { units.join(between) };
            view! { {marked(scroller, (piece.edit, piece.column), gap, text)} " " }
        });
        pieces.collect_view()
    };
    let label = tr!("Columns {from} to {to}", from = grouped(row.column), to = grouped(row.column + row.len));
    view! {
        <div class="block twin" role="group" aria-label=label>
            <span class="pos">{grouped(row.a.0)}</span>
            <span class="side">{side(Line::A)}</span>
            <span class="pos">{grouped(row.b.0)}</span>
            <span class="side">{side(Line::B)}</span>
        </div>
    }
}

/// Rows that are equal.
#[component]
pub fn Fold(first: u64, rows: u64) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let width = scroller.width.get_untracked();
    let columns = ((first + rows) * width).min(scroller.summary.columns) - (first * width).min(scroller.summary.columns);
    view! {
        <div class="fold">
            <button type="button" on:click=move |_| scroller.toggle_fold()>
                {words::count(columns, "equal column", "equal columns")}
            </button>
        </div>
    }
}

/// What a row and a fold measure on this screen. Nobody sees it.
#[component]
pub fn Probe(unit: Unit) -> impl IntoView {
    let scroller = expect_context::<Scroller>();
    let widest = grouped(scroller.summary.columns);
    let zeros = "0".repeat(PROBE_LETTERS);
    let pos = || view! { <span class="pos"><span class="name">"a"</span> " " {widest.clone()}</span> };
    let to = || view! { <span class="pos to">{widest.clone()}</span> };
    let block = match unit {
        Unit::Words | Unit::Lines => Either::Left(view! {
            <div class="block twin">
                {pos()}
                <span class="side">
                    <span class="line">{zeros}</span>
                </span>
                <span class="pos">"0"</span>
                <span class="side">"0"</span>
            </div>
        }),
        Unit::Bytes | Unit::Chars | Unit::Graphemes => Either::Right(view! {
            <div class="block seq">
                <span class="rule"></span>
                {pos()}
                <span class="line">{zeros}</span>
                {to()}
                <span class="line marks">"|"</span>
                {pos()}
                <span class="line">"0"</span>
                {to()}
            </div>
        }),
    };
    view! {
        <div class="probe" aria-hidden="true">
            {block}
            <div class="fold">
                <button tabindex="-1" type="button">"0"</button>
            </div>
            <div class="gap"></div>
        </div>
    }
}
