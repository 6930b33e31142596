//! Copies a part of the alignment to the clipboard: the visible rows, a range of columns, or the CIGAR (a short
//! notation of the alignment).

use explain::format::{AlignmentFormat, ExportFormat};
use explain::window::AlignmentWindow;
use explain::worker_protocol::query::WindowQuery;
use leptos::ev;
use leptos::html::{Div, Input};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::scroller::AlignmentScroller;
use super::similar::rows_with_similar;
use crate::model::alignment::rows::AlignmentRow;
use crate::model::alignment::sign::sign_of_piece;
use crate::model::preferences::positions;
use crate::model::problem::Problem;
use crate::model::text::humanize::{grouped, range, typed_number};
use crate::page::Page;
use crate::tr::t;
use crate::view::widgets::copy_button::CopyOutcome;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::menu;

/// Maximum number of alignment columns that are copied.
const MAX_COPIED_COLUMNS: u64 = 20_000;

/// Formats the `rows` of a window of the alignment as text: `a`, signs, `b`, with positions at both ends.
pub fn as_text(window: &AlignmentWindow, rows: &[AlignmentRow]) -> String {
    let digits = grouped(window.a_start.max(window.b_start) + window.len).len();
    let mut out = String::new();
    for row in rows {
        let line = |of_a: bool| -> String {
            let letters = row.pieces.iter().map(|piece| {
                let units = if of_a { &piece.a } else { &piece.b };
                if units.is_empty() { "–".repeat(piece.len as usize) } else { units.concat() }
            });
            letters.collect()
        };
        let signs: String = row.pieces.iter().map(|piece| sign_of_piece(piece.edit, piece.is_similar).repeat(piece.len as usize)).collect();
        let (a, b) = (range(row.a.0, row.a.1), range(row.b.0, row.b.1));
        out += &format!("a {:>digits$} {} {}\n", a.0, line(true), a.1);
        out += &format!("  {:digits$} {}\n", "", signs);
        out += &format!("b {:>digits$} {} {}\n\n", b.0, line(false), b.1);
    }
    out.trim_end_matches('\n').to_owned() + "\n"
}

/// The part of the alignment to copy: the visible rows, a range of columns, or the CIGAR of the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyScope {
    View,
    Columns(u64, u64),
    Cigar,
}

async fn text(scroller: AlignmentScroller, what: CopyScope) -> Result<String, Problem> {
    let at = scroller.location();
    let (from, to) = match what {
        CopyScope::View => untrack(|| scroller.columns_in_view()),
        CopyScope::Columns(from, to) => (from, to.max(from)),
        CopyScope::Cigar => {
            let bytes = at.export(ExportFormat::Aligned(AlignmentFormat::Cigar), (0, 0)).await?;
            return Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned());
        }
    };
    let window = at.query(WindowQuery { from, len: (to - from).min(MAX_COPIED_COLUMNS) }).await?;
    let rows = rows_with_similar(&window, scroller.width.get_untracked().max(1), scroller.matrix.get_value().as_ref()).await?;
    Ok(as_text(&window, &rows))
}

/// Renders the menu with the parts of the alignment that can be copied.
#[component]
pub fn CopyMenu() -> impl IntoView {
    let page = expect_context::<Page>();
    let scroller = expect_context::<AlignmentScroller>();
    let panel = NodeRef::<Div>::new();
    let copied = CopyOutcome::default();
    let [from, to] = [NodeRef::<Input>::new(), NodeRef::<Input>::new()];
    let copy = move |what: CopyScope| {
        spawn_local(async move {
            match text(scroller, what).await {
                Ok(text) => {
                    copied.copy(&text).await;
                }
                Err(problem) => page.problem.set(Some(problem)),
            }
        });
        menu::close(panel);
    };
    let number = |input: NodeRef<Input>| typed_number(&input.get_untracked()?.value());
    let columns = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let all = scroller.summary.columns;
        copy(CopyScope::Columns(
            number(from).map_or(0, |first| positions().to_zero_based(first)).min(all),
            number(to).unwrap_or(all).min(all),
        ));
    };
    let label = view! {
        {icon(Icon::Copy)}
        <span class="copy-label">{move || copied.button_text(t("Copy"), t("Not copied"))}</span>
    };
    let items = view! {
            <ul>
                <li>
                    <button type="button" on:click=move |_| copy(CopyScope::View)>
                        <b>{t("The rows in view")}</b>
                    </button>
                </li>
                <li>
                    <button type="button" on:click=move |_| copy(CopyScope::Cigar)>
                        <b>{t("The CIGAR")}</b>
                        <small>{t("all edits in one line")}</small>
                    </button>
                </li>
                <li>
                    <form class="row small" on:submit=columns>
                        <label class="row small">{t("Columns")} " " <input class="text short-number" inputmode="numeric" autocomplete="off" placeholder=positions().to_displayed(0).to_string() node_ref=from /></label>
                        <label class="row small">{t("to")} " " <input class="text short-number" inputmode="numeric" autocomplete="off" placeholder=t("the end") node_ref=to /></label>
                        <button class="btn small" type="submit">{t("Copy")}</button>
                    </form>
                </li>
            </ul>
    };
    view! {
        <span class="vh" role="status">{move || copied.button_text("", t("Not copied"))}</span>
        {menu::menu("copy-menu".into(), "btn small", panel, label, items)}
    }
}

#[cfg(test)]
mod tests {
    use kernels::text::{Pair, ReadingOptions};

    use super::*;
    use crate::model::alignment::rows::rows;

    #[test]
    fn window_is_copied_as_shown() {
        let pair = Pair::parse(&b"kitten"[..], &b"sitting"[..], &ReadingOptions::default()).unwrap();
        let window = AlignmentWindow::new(&"1X3=1X1=1I".parse().unwrap(), &pair, 0, 100);
        assert_eq!(as_text(&window, &rows(&window, 4)), "a 0 kitt 4\n    ×|||\nb 0 sitt 4\n\na 4 en– 6\n    ×|+\nb 4 ing 7\n");
    }
}
