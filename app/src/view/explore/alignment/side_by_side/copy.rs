//! Copies the selected part of one text, or the rows of both texts, to the clipboard.

use std::fmt::Write as _;

use explain::side_by_side::MAX_REPLY_ROWS;
use explain::worker_protocol::query::RowPairsQuery;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::SideBySideState;
use super::row::equal_rows;
use crate::model::alignment::unified::as_text;
use crate::model::problem::Problem;
use crate::model::text::humanize;
use crate::page::Page;
use crate::tr::t;
use crate::view::widgets::copy_button::CopyOutcome;
use crate::view::widgets::icon::{Icon, icon};

/// Maximum number of rows that are copied as text.
const MAX_ROWS: u64 = 10_000;

/// Renders the button that copies the rows as text, similar to a unified diff. Folded rows are replaced by their
/// number.
#[component]
pub fn CopyRows(pages: SideBySideState) -> impl IntoView {
    let page = expect_context::<Page>();
    let copied = CopyOutcome::default();
    let copy = move |_| {
        spawn_local(async move {
            match rows_as_text(pages).await {
                Ok(text) => drop(copied.copy(&text).await),
                Err(problem) => drop(page.problem.try_set(Some(problem))),
            }
        });
    };
    view! {
        <button class="btn small copy-rows" type="button" title=t("Copy the rows as text") on:click=copy>
            {move || icon(if copied.is_taken() { Icon::Check } else { Icon::Copy })}
            <span class="copy-label">{move || copied.button_text(t("Copy"), t("Not copied"))}</span>
        </button>
        <span class="vh" role="status">{move || copied.button_text("", t("Not copied"))}</span>
    }
}

/// Returns the rows as text. If there are more than [`MAX_ROWS`], the last line states how many rows are left out.
async fn rows_as_text(pages: SideBySideState) -> Result<String, Problem> {
    let (at, batches) = (pages.location.get_value(), pages.chunks.with_untracked(|chunks| chunks.batches(MAX_REPLY_ROWS)));
    let (mut text, mut written, mut left_out) = (String::new(), 0, 0);
    for batch in batches {
        if written >= MAX_ROWS {
            left_out += batch.len;
        } else if batch.folded {
            let _ = writeln!(text, "⋯ {}", equal_rows(batch.len, pages.outline.with_untracked(|outline| outline.sentences)));
        } else {
            text += &as_text(&at.query(RowPairsQuery { from: batch.first, len: batch.len }).await?);
            written += batch.len;
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "⋯ {}", humanize::count(left_out, "line", "lines"));
    }
    Ok(text)
}

/// Returns the element of the line of one text that contains the node `target`.
fn side_of(target: &wasm_bindgen::JsValue) -> Option<web_sys::Element> {
    let node = target.dyn_ref::<web_sys::Node>()?;
    let element = node.dyn_ref::<web_sys::Element>().cloned().or_else(|| node.parent_element())?;
    element.closest(".side").ok()?
}

/// Returns the name of the text, `a` or `b`, whose column contains the node `target`.
pub(super) fn column_of(target: &wasm_bindgen::JsValue) -> Option<&'static str> {
    let side = side_of(target)?;
    Some(if side.previous_element_sibling().is_none() { "a" } else { "b" })
}

/// Copies the part of the selection that is in the column (text `a` or `b`) where the selection began, line by line,
/// with invisible characters. Returns `None` if the browser should copy as usual.
pub(super) fn copy_column(event: &web_sys::ClipboardEvent) -> Option<()> {
    let selection = window().get_selection().ok()??;
    let selected = selection.get_range_at(0).ok()?;
    let begin = selection.anchor_node()?;
    let area = side_of(&begin)?.closest(".tall").ok()??;
    let lines = match column_of(&begin)? {
        "a" => area.query_selector_all(".twin > .side:first-child:not(.none) > .t"),
        _ => area.query_selector_all(".twin > .side:nth-child(2):not(.none) > .t"),
    };
    let lines = lines.ok()?;
    let lines = (0..lines.length()).filter_map(|at| lines.item(at)).filter(|line| selected.intersects_node(line).unwrap_or_default());
    let part = |line: web_sys::Node| -> Option<String> {
        let part = document().create_range().ok()?;
        part.select_node_contents(&line).ok()?;
        let (start, end) = (selected.start_container().ok()?, selected.end_container().ok()?);
        if line.contains(Some(&start)) {
            part.set_start(&start, selected.start_offset().ok()?).ok()?;
        }
        if line.contains(Some(&end)) {
            part.set_end(&end, selected.end_offset().ok()?).ok()?;
        }
        Some(part.to_string().into())
    };
    let text = lines.map(part).collect::<Option<Vec<_>>>()?.join("\n");
    event.clipboard_data()?.set_data("text/plain", &text).ok()?;
    event.prevent_default();
    Some(())
}
