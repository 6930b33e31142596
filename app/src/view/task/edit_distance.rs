//! The answer of edit distance: the number, what it means, what it consists of.

use kernels::alignment::Edit;
use leptos::prelude::*;

use crate::page::Shown;
use crate::view::composition::composition;

/// What the answer of a result consists of.
#[component]
pub fn EditDistance(shown: Shown) -> impl IntoView {
    let edits = [Edit::Substitute, Edit::Insert, Edit::Delete];
    let summary = shown.run.summary()?;
    Some(composition(summary, &edits, &[Edit::Substitute, Edit::Insert, Edit::Delete, Edit::Equal]))
}
