//! One row of the alignment, from top to bottom: ruler with column numbers, `a`, signs of the edits, `b`. The positions
//! in the texts stand at both ends. If symbols are words or lines, a row shows both texts side by side.

use std::fmt::Write as _;
use std::sync::Arc;

use kernels::alignment::EditKind;
use kernels::job::Unit;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;

use super::scroller::{AlignmentScroller, PROBE_LETTERS};
use crate::model::alignment::rows::{AlignmentRow, MarkedColumns, RowLine, RowPiece};
use crate::model::alignment::sign::sign_of_piece;
use crate::model::text::humanize::{self, grouped};
use crate::model::text::invisible;
use crate::model::text::markup::escape_into;
use crate::tr;

/// Renders row number `row`, which is empty until its window (a block of rows) is loaded.
#[component]
pub fn Block(row: u64, unit: Unit) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let content = Memo::new(move |_| scroller.row(row));
    let boxed = !matches!(unit, Unit::Words | Unit::Lines);
    move || match content.get() {
        Some(row) if boxed => EitherOf3::A(view! { <Columns row /> }),
        Some(row) => EitherOf3::B(view! { <Twin row unit /> }),
        None => EitherOf3::C(view! { <div class="block seq" aria-busy="true"></div> }),
    }
}

#[component]
fn Columns(row: Arc<AlignmentRow>) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    // Large cells are boxes for every symbol.
    let cell = if scroller.is_few() { scroller.cell.get_untracked().max(2) } else { scroller.cell.get_untracked() };
    let (column, end) = (row.column, row.column + row.len);
    let (from, to) = humanize::range(column, end);
    let differences = humanize::count(row.differences, "difference", "differences");
    let label = tr!("Columns {from} to {to}, {differences}", from = from, to = to, differences = differences);
    let step = if scroller.is_few() {
        1
    } else if row.len > 40 && cell == 1 {
        20
    } else {
        10
    };
    let ticks = (0..row.len).step_by(step).map(|at| {
        // A percentage, because the labels of the ruler have smaller letters than the row.
        let left = humanize::decimals(100.0 * at as f64 / row.len as f64, 4) + "%";
        view! { <i style:inset-inline-start=left>{humanize::position(column + at)}</i> }
    });
    let ticks = ticks.collect_view();
    let ruled = format!("{}ch", row.len * u64::from(cell));
    let mut signs = String::new();
    for piece in &row.pieces {
        units_into(&mut signs, std::iter::repeat_n(sign_of_piece(piece.edit, piece.is_similar), piece.len as usize), cell);
    }
    let (ends_a, ends_b) = (humanize::range(row.a.0, row.a.1), humanize::range(row.b.0, row.b.1));
    let here = here(scroller, &row);
    let spot = spot(scroller, &row);
    let (of_row, row_len) = (row.clone(), row.len);
    let below = move || scroller.decor.get().map(|decor| (decor.below)(of_row.clone(), cell));
    let line = move |which: RowLine| {
        let row = row.clone();
        move || {
            let marked = MarkedColumns { here: here.get(), spot: spot.get() };
            match scroller.decor.get() {
                Some(decor) => (decor.letters)(&row, which, cell, marked),
                None => letters(&row, which, cell, marked),
            }
        }
    };
    view! {
        <div class=format!("block seq cell-{cell}") role="group" aria-label=label data-column=column data-len=row_len>
            <span class="rule" aria-hidden="true" style:inline-size=ruled>
                {ticks}
            </span>
            <span class="pos">
                <span class="name">"a"</span>
                " "
                {ends_a.0}
            </span>
            <span class="line" inner_html=line(RowLine::A)></span>
            <span class="pos to">{ends_a.1}</span>
            <span class="line marks" aria-hidden="true" inner_html=signs></span>
            <span class="pos">
                <span class="name">"b"</span>
                " "
                {ends_b.0}
            </span>
            <span class="line" inner_html=line(RowLine::B)></span>
            <span class="pos to">{ends_b.1}</span>
            {below}
        </div>
    }
}

/// Returns a signal with the first column of the current edit if the column is in `row`, otherwise `None`.
fn here(scroller: AlignmentScroller, row: &AlignmentRow) -> Memo<Option<u64>> {
    let columns = row.column..row.column + row.len;
    Memo::new(move |_| scroller.current.get().map(|current| current.column).filter(|column| columns.contains(column)))
}

/// Returns a signal with the column that the visitor went to if the column is in `row`, otherwise `None`.
fn spot(scroller: AlignmentScroller, row: &AlignmentRow) -> Memo<Option<u64>> {
    let columns = row.column..row.column + row.len;
    Memo::new(move |_| scroller.spot.get().filter(|column| columns.contains(column)))
}

/// Returns the symbols of text `line` in a row as HTML; the columns in `marked` are marked. A cell has the width of
/// `cell` letters. HTML is written instead of views: texts that have little in common have dozens of edits per row, and
/// so many views take too long.
pub(super) fn letters(row: &AlignmentRow, line: RowLine, cell: u8, marked: MarkedColumns) -> String {
    let mut html = String::new();
    for piece in &row.pieces {
        let (units, unseen) = if line == RowLine::A { (&piece.a, &piece.invisible[0]) } else { (&piece.b, &piece.invisible[1]) };
        let tag = open(&mut html, piece, units.is_empty(), marked.here);
        let part = |html: &mut String, from: usize, to: usize| {
            if units.is_empty() {
                units_into(html, std::iter::repeat_n("–", to - from), cell);
            } else {
                symbols_into(html, (units, from, to), unseen, cell);
            }
        };
        let len = piece.len as usize;
        match marked.spot.and_then(|spot| spot.checked_sub(piece.column)).map(|at| at as usize).filter(|at| *at < len) {
            None => part(&mut html, 0, len),
            Some(at) => {
                part(&mut html, 0, at);
                html.push_str("<b class=\"spot\">");
                part(&mut html, at, at + 1);
                html.push_str("</b>");
                part(&mut html, at + 1, len);
            }
        }
        let _ = write!(html, "</{tag}>");
    }
    html
}

/// Writes the start tag of the element that marks the edit `piece`, struck through if it is a `gap`. `here` is the
/// first column of the current edit. Returns the element's name for the end tag.
pub(super) fn open(html: &mut String, piece: &RowPiece, gap: bool, here: Option<u64>) -> &'static str {
    let tag = match (piece.edit, gap) {
        (EditKind::Equal, _) => "span",
        (_, true) => "s",
        (EditKind::Substitute | EditKind::Transpose, _) => "mark",
        (EditKind::Insert, _) => "ins",
        (EditKind::Delete, _) => "del",
    };
    let class = match (piece.edit != EditKind::Equal && here == Some(piece.column), piece.is_similar) {
        (true, true) => " class=\"here similar\"",
        (true, false) => " class=\"here\"",
        (false, true) => " class=\"similar\"",
        (false, false) => "",
    };
    let _ = write!(html, "<{tag}{class}>");
    tag
}

/// Writes the symbols `units[from..to]` as HTML. `unseen` has the index and the name of each invisible symbol, which is
/// shown by its name. A cell has the width of `cell` letters.
fn symbols_into(html: &mut String, (units, from, to): (&[String], usize, usize), unseen: &[(usize, String)], cell: u8) {
    let (begin, mut from) = (from, from);
    for (at, unit) in unseen.iter().filter(|(at, _)| (begin..to).contains(at)) {
        units_into(html, units[from..*at].iter().map(String::as_str), cell);
        let class = if cell == 1 { "" } else { " class=\"u\"" };
        let _ = write!(html, "<bdi{class}{}>", invisible::attributes(unit));
        escape_into(html, &units[*at]);
        html.push_str("</bdi>");
        from = at + 1;
    }
    units_into(html, units[from..to].iter().map(String::as_str), cell);
}

/// Writes the symbols `units` as HTML. If `cell` is more than 1, because symbols are wide or run from right to left,
/// each symbol gets a box as wide as `cell` letters.
fn units_into<'a>(html: &mut String, units: impl Iterator<Item = &'a str>, cell: u8) {
    for unit in units {
        if cell == 1 {
            escape_into(html, unit);
        } else {
            html.push_str("<bdi class=\"u\">");
            escape_into(html, unit);
            html.push_str("</bdi>");
        }
    }
}

/// Renders a row of words or lines with both texts side by side.
#[component]
fn Twin(row: Arc<AlignmentRow>, unit: Unit) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let here = here(scroller, &row);
    // Lines are numbered from 1, as editors do.
    let number = |at: u64| if unit == Unit::Lines { grouped(at + 1) } else { humanize::position(at) };
    let (a, b) = (number(row.a.0), number(row.b.0));
    let (from, to) = humanize::range(row.column, row.column + row.len);
    let label = tr!("Columns {from} to {to}", from = from, to = to);
    let spot = spot(scroller, &row);
    let side = move |which: RowLine| {
        let row = row.clone();
        move || pieces(&row, which, unit, MarkedColumns { here: here.get(), spot: spot.get() })
    };
    view! {
        <div class="block twin" role="group" aria-label=label>
            <span class="pos">{a}</span>
            <span class="side" inner_html=side(RowLine::A)></span>
            <span class="pos">{b}</span>
            <span class="side" inner_html=side(RowLine::B)></span>
        </div>
    }
}

/// Returns the words or lines of text `line` in a row as HTML; the columns in `marked` are marked.
fn pieces(row: &AlignmentRow, line: RowLine, unit: Unit, marked: MarkedColumns) -> String {
    let between = if unit == Unit::Words { " " } else { "" };
    let mut html = String::new();
    for piece in &row.pieces {
        let units = if line == RowLine::A { &piece.a } else { &piece.b };
        let tag = open(&mut html, piece, units.is_empty(), marked.here);
        let spot = marked.spot.and_then(|spot| spot.checked_sub(piece.column)).filter(|at| *at < piece.len);
        if units.is_empty() {
            html.push_str(if spot.is_some() { "<b class=\"spot\">–</b>" } else { "–" });
        }
        for (at, unit) in (0..).zip(units.iter()) {
            html.push_str(if at > 0 { between } else { "" });
            let is_spot = spot == Some(at);
            html.push_str(if is_spot { "<b class=\"spot\">" } else { "" });
            escape_into(&mut html, unit);
            html.push_str(if is_spot { "</b>" } else { "" });
        }
        let _ = write!(html, "</{tag}> ");
    }
    html
}

/// Renders the placeholder of `rows` folded rows without differences, beginning with row `first`.
#[component]
pub fn Fold(first: u64, rows: u64) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
    let width = scroller.width.get_untracked();
    let columns = ((first + rows) * width).min(scroller.summary.columns) - (first * width).min(scroller.summary.columns);
    view! {
        <div class="fold">
            <button type="button" on:click=move |_| scroller.toggle_fold()>
                {humanize::count(columns, "equal column", "equal columns")}
            </button>
        </div>
    }
}

/// Renders an invisible row and an invisible placeholder of folded rows. The scroll area measures them, because sizes
/// depend on the screen.
#[component]
pub fn Probe(unit: Unit) -> impl IntoView {
    let scroller = expect_context::<AlignmentScroller>();
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
                <span class="line points-line"></span>
            </div>
        }),
    };
    view! {
        <div class="probe" aria-hidden="true">
            {block}
            <div class="fold">
                <button tabindex="-1" type="button">"0"</button>
            </div>
            <div class="cell"></div>
            <div class="gap"></div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use explain::window::AlignmentWindow;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    fn row(a: &str, b: &str, cigar: &str, unit: Unit) -> AlignmentRow {
        let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &ReadingOptions { unit, ..ReadingOptions::default() }).unwrap();
        let window = AlignmentWindow::new(&cigar.parse().unwrap(), &pair, 0, 100);
        crate::model::alignment::rows::rows(&window, 80).remove(0)
    }

    #[test]
    fn letters_are_marked_by_kind_and_escaped() {
        let row = row("k<b>t", "s<b>tg", "1X4=1I", Unit::Bytes);
        let here = |column| MarkedColumns { here: Some(column), spot: None };
        assert_eq!(letters(&row, RowLine::A, 1, here(5)), "<mark>k</mark><span>&lt;b&gt;t</span><s class=\"here\">–</s>");
        assert_eq!(letters(&row, RowLine::B, 1, here(0)), "<mark class=\"here\">s</mark><span>&lt;b&gt;t</span><ins>g</ins>");
    }

    #[test]
    fn wide_symbols_are_drawn_in_boxes() {
        assert_eq!(letters(&row("é&", "é", "1=1D", Unit::Chars), RowLine::A, 2, MarkedColumns::default()).matches("<bdi").count(), 2);
        assert!(
            letters(&row("é&", "é", "1=1D", Unit::Chars), RowLine::A, 2, MarkedColumns::default())
                .contains("<del><bdi class=\"u\">&amp;</bdi></del>")
        );
    }

    #[test]
    fn target_column_is_marked_in_both_rows() {
        let row = row("k<b>t", "s<b>tg", "1X4=1I", Unit::Bytes);
        let spot = |line, column| letters(&row, line, 1, MarkedColumns { here: None, spot: Some(column) });
        assert_eq!(spot(RowLine::A, 2), "<mark>k</mark><span>&lt;<b class=\"spot\">b</b>&gt;t</span><s>–</s>");
        assert_eq!(spot(RowLine::A, 5), "<mark>k</mark><span>&lt;b&gt;t</span><s><b class=\"spot\">–</b></s>");
        assert_eq!(spot(RowLine::B, 5), "<mark>s</mark><span>&lt;b&gt;t</span><ins><b class=\"spot\">g</b></ins>");
        assert!(!spot(RowLine::A, 6).contains("spot"));
        let words = self::row("one two", "one six", "1=1X", Unit::Words);
        let marked = MarkedColumns { here: None, spot: Some(1) };
        assert_eq!(pieces(&words, RowLine::B, Unit::Words, marked), "<span>one</span> <mark><b class=\"spot\">six</b></mark> ");
    }

    #[test]
    fn words_are_shown_side_by_side() {
        let row = row("one two", "one six", "1=1X", Unit::Words);
        assert_eq!(pieces(&row, RowLine::B, Unit::Words, MarkedColumns::default()), "<span>one</span> <mark>six</mark> ");
    }
}
