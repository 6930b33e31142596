//! Counts that grow with the steps, each with its total.

use leptos::prelude::*;

use crate::model::text::humanize::grouped;
use crate::tr;

/// A count with its name. The total is left out if it is unknown or does not exist.
#[derive(Clone, Copy)]
pub struct NamedCount {
    /// Name of the counted things.
    pub of: &'static str,
    /// The current number.
    pub now: Memo<u64>,
    /// The final number.
    pub total: Option<Memo<u64>>,
}

/// Renders each count above its name.
#[component]
pub fn Counts(counts: Vec<NamedCount>) -> impl IntoView {
    let entry = |NamedCount { of, now, total }: NamedCount| {
        let total = total.map(|total| view! { <small>" " {move || tr!("of {all}", all = grouped(total.get()))}</small> });
        view! {
            <div>
                <dt>{of}</dt>
                <dd>{move || grouped(now.get())} {total}</dd>
            </div>
        }
    };
    view! { <dl class="counts">{counts.into_iter().map(entry).collect_view()}</dl> }
}
