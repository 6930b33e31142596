//! The button below a list that shows further rows ([`more_button`]).

use leptos::html::Button;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use crate::tr;
use crate::view::browser::focus_next::focus_next;

/// Selector of the rows of lists with such a button.
const LISTED_ROWS: &str = "tbody tr:not(.line),.lane:not(.head),.files li";

/// Renders the button that shows `step` further rows of the list before it, unless `all` rows are shown. `most` is the number of rows
/// shown, and `says` returns the label.
pub fn more_button(
    most: RwSignal<usize>,
    step: usize,
    all: impl Fn() -> usize + Copy + Send + Sync + 'static,
    says: impl Fn() -> String + Send + 'static,
) -> impl IntoView {
    let button = NodeRef::<Button>::new();
    let is_whole = move || most.get() >= all();
    view! {
        <button class="btn small" type="button" node_ref=button hidden=is_whole on:click=move |_| show_more(most, step, all, button)>
            {says}
        </button>
    }
}

/// Shows `step` further rows. The press that shows the last ones moves the focus to the first of them, because `button` is hidden
/// then.
fn show_more(most: RwSignal<usize>, step: usize, all: impl Fn() -> usize, button: NodeRef<Button>) {
    let before = most.get_untracked();
    most.set(before + step);
    if untrack(all) > before + step {
        return;
    }
    focus_next(move || {
        let button: Element = button.try_get_untracked().flatten()?.into();
        let row: HtmlElement = row_of(&button, before as u32)?.dyn_into().ok()?;
        row.set_tab_index(-1);
        Some(row)
    });
}

/// Returns row `number` of the list of a button: of the rows within its innermost ancestor with rows.
fn row_of(button: &Element, number: u32) -> Option<Element> {
    let around = std::iter::successors(button.parent_element(), |element| element.parent_element());
    let mut lists = around.filter_map(|around| around.query_selector_all(LISTED_ROWS).ok());
    lists.find(|rows| rows.length() > 0)?.item(number)?.dyn_into().ok()
}

/// Returns the label of a button that shows `rows` further rows.
pub fn more_says(rows: usize) -> String {
    tr!("Show {n} more", n = rows)
}
