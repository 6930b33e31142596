//! Moved blocks: words or lines that both texts have at different positions. They are listed above the rows.

use explain::side_by_side::RowMove;
use kernels::job::Unit;
use leptos::prelude::*;

use super::SideBySideState;
use crate::model::text::humanize::{self, grouped};
use crate::tr;
use crate::tr::t;
use crate::view::widgets::prose::placed;

/// Lists the moved blocks, with links to their rows. Draws nothing if there are none.
pub(super) fn moved_blocks(pages: SideBySideState, unit: Unit) -> impl IntoView {
    move || {
        let moves = pages.outline.with(|outline| outline.moves.clone());
        let entries = move || moves.iter().map(|moved| moved_block(pages, unit, *moved)).collect_view();
        pages.outline.with(|outline| !outline.moves.is_empty()).then(|| view! { <ul class="moves">{entries()}</ul> })
    }
}

/// Draws the positions of a block in both texts, with links to the rows of the block.
fn moved_block(pages: SideBySideState, unit: kernels::job::Unit, moved: RowMove) -> impl IntoView {
    // A block of many sentences may be in one line.
    let is_one_line = moved.from_line == moved.to_line;
    let go = move |place: &'static str, line: u64, row: u64| {
        let place = if is_one_line { place.to_owned() } else { tr!("line {n}", n = grouped(line + 1)) };
        view! {
            <button class="go" type="button" on:click=move |_| pages.go_to(row)>
                {place}
            </button>
        }
        .into_any()
    };
    let block = humanize::symbols(moved.symbols, unit).into_any();
    let values = vec![
        ("block", block),
        ("from", go(t("its old place"), moved.from_line, moved.from_row)),
        ("to", go(t("its new place"), moved.to_line, moved.to_row)),
    ];
    view! { <li>{placed(t("{block} moved from {from} to {to}"), values)}</li> }
}
