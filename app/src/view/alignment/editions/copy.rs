//! Copying: what is selected of a column.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Returns the line of a row that a node is in.
fn side_of(target: &wasm_bindgen::JsValue) -> Option<web_sys::Element> {
    let node = target.dyn_ref::<web_sys::Node>()?;
    let element = node.dyn_ref::<web_sys::Element>().cloned().or_else(|| node.parent_element())?;
    element.closest(".side").ok()?
}

/// Returns the text whose column a node is in.
pub(super) fn column_of(target: &wasm_bindgen::JsValue) -> Option<&'static str> {
    let side = side_of(target)?;
    Some(if side.previous_element_sibling().is_none() { "a" } else { "b" })
}

/// Copies what is selected of the column that the selection began in, line by line, with the characters that nobody sees.
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
