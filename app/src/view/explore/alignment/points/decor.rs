//! Additions to the rows of an alignment: colours of amino acids, bars or numbers of points below `b`, and the frame of
//! the chosen column.

use kernels::job::Points;
use std::fmt::Write as _;
use std::sync::Arc;

use kernels::alignment::EditKind;
use leptos::prelude::*;

use super::super::block::{letters, open};
use super::super::row_decor::RowDecor;
use super::PointsState;
use crate::model::alignment::columns::RowPoints;
use crate::model::alignment::residues::ResidueColours;
use crate::model::alignment::rows::{AlignmentRow, MarkedColumns, RowLine};
use crate::model::text::humanize::{decimals, plus, position};
use crate::model::text::markup::escape_into;
use crate::tr;
use crate::tr::t;

/// Returns the additions to the rows.
pub(super) fn rows(state: PointsState) -> RowDecor {
    RowDecor {
        letters: Arc::new(move |row, line, cell, marked| match state.colours.get() {
            // The frame of the chosen column replaces the mark of its letters.
            ResidueColours::Edits => letters(row, line, cell, MarkedColumns { spot: None, ..marked }),
            colours => coloured(row, line, cell, marked.here, colours),
        }),
        below: Arc::new(move |row, cell| below(state, row, cell)),
    }
}

/// Returns the symbols of text `line` in a row as HTML, coloured by property. The edit at column `here` is marked. A
/// cell has the width of `cell` letters.
fn coloured(row: &AlignmentRow, line: RowLine, cell: u8, here: Option<u64>, colours: ResidueColours) -> String {
    let mut html = String::from("<span class=\"by-residue\">");
    for piece in &row.pieces {
        let units = if line == RowLine::A { &piece.a } else { &piece.b };
        let tag = open(&mut html, piece, units.is_empty(), here);
        let is_alike = piece.is_similar || piece.edit == EditKind::Equal;
        let gap = "–".to_owned();
        let shown = if units.is_empty() { vec![&gap; piece.len as usize] } else { units.iter().collect() };
        for unit in shown {
            let wide = if cell == 1 { "" } else { " u" };
            let class = colours.group_of(unit, is_alike).map_or("", |group| group.class);
            let _ = write!(html, "<bdi class=\"{}{class}{wide}\">", if class.is_empty() { "" } else { "aa " });
            escape_into(&mut html, unit);
            html.push_str("</bdi>");
        }
        let _ = write!(html, "</{tag}>");
    }
    html + "</span>"
}

/// Draws the line below `b`: points of the columns, their sum, and the frame of the chosen column.
fn below(state: PointsState, row: Arc<AlignmentRow>, cell: u8) -> AnyView {
    let (column, len, is_few) = (row.column, row.len, state.scroller.is_few());
    let width = format!("{}ch", len * u64::from(cell));
    let of_row = row.clone();
    let points = Memo::new(move |_| if state.scroller.has_points.get() { state.points_of(&of_row) } else { None });
    let drawn = move || {
        points.get().map(|points| match is_few {
            true => numbers(&points).into_any(),
            false => bars(&row, &points).into_any(),
        })
    };
    let label = move || points.get().map(|points| tr!("Points of these columns: {sum}", sum = plus(points.sum())));
    let frame = move || {
        let at = state.scroller.spot.get()?.checked_sub(column).filter(|at| *at < len)?;
        Some(view! { <i class="spot-column" style=("--at", at.to_string()) style=("--of", len.to_string())></i> })
    };
    view! {
        <span class="pos points-name" aria-hidden="true">
            {move || state.scroller.has_points.get().then(|| t("points"))}
        </span>
        <span class="line points-line" role="img" aria-label=label style:inline-size=(!is_few).then_some(width)>
            {drawn}
            {frame}
        </span>
        <span class="pos to" aria-hidden="true">{move || points.get().map(|points| plus(points.sum()))}</span>
    }
    .into_any()
}

/// Draws the points of a row as bars. Cut bars have a label with their points.
fn bars(row: &AlignmentRow, points: &RowPoints) -> impl IntoView + use<> {
    let labels = points.labels().into_iter().map(|(at, points)| {
        let left = format!("{}%", decimals(100.0 * (at as f64 + 0.5) / row.len as f64, 3));
        view! {
            <small class:low=points < Points::ZERO style:inset-inline-start=left>
                {plus(points)}
            </small>
        }
    });
    let labels = labels.collect_view();
    let cut: Vec<String> = points.cut().iter().map(|(at, points)| format!("{}: {}", position(row.column + at), plus(*points))).collect();
    let title = (!cut.is_empty()).then(|| tr!("Cut bars, by column: {list}", list = cut.join(", ")));
    view! {
        <span class="bars" title=title inner_html=points.bars(row)></span>
        {labels}
    }
}

/// Draws the points of a row as a number for each column.
fn numbers(points: &RowPoints) -> impl IntoView + use<> {
    points.columns.iter().map(|points| view! { <bdi class="u">{plus(*points)}</bdi> }).collect_view()
}

#[cfg(test)]
mod tests {
    use explain::window::AlignmentWindow;
    use kernels::job::ScoringMatrix;
    use kernels::text::{Pair, ReadingOptions};

    use super::*;

    #[test]
    fn residues_are_coloured_in_place_of_edits() {
        let pair = Pair::parse(&b"VW<"[..], &b"LA"[..], &ReadingOptions::default()).unwrap();
        let window = AlignmentWindow::new(&"2X1D".parse().unwrap(), &pair, 0, 9);
        let row = crate::model::alignment::rows::rows(&window, 80).remove(0).with_matrix(&ScoringMatrix::BLOSUM62);
        let html = |line, colours| coloured(&row, line, 1, None, colours);
        assert_eq!(
            html(RowLine::A, ResidueColours::Zappo),
            "<span class=\"by-residue\"><mark class=\"similar\"><bdi class=\"aa aliphatic\">V</bdi></mark>\
             <mark><bdi class=\"aa aromatic\">W</bdi></mark><del><bdi class=\"\">&lt;</bdi></del></span>"
        );
        assert_eq!(
            html(RowLine::B, ResidueColours::Clustal),
            "<span class=\"by-residue\"><mark class=\"similar\"><bdi class=\"aa positive\">L</bdi></mark>\
             <mark><bdi class=\"\">A</bdi></mark><s><bdi class=\"\">–</bdi></s></span>"
        );
    }
}
