//! Counts beside a step-by-step view that grow with the steps, such as filled cells, each with its total: [`Counts`].

use leptos::prelude::*;

use crate::model::text::humanize::grouped;
use crate::tr;

/// A count that grows with the steps, with its name and its total.
#[derive(Clone, Copy)]
pub struct NamedCount {
    /// Name of the counted things.
    pub of: &'static str,
    /// The count after the current step.
    pub now: Memo<u64>,
    /// The count after the last step; `None` if it is unknown or makes no sense.
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
