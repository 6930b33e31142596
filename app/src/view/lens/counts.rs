//! What is counted while the steps go on: so many now, of a total.

use leptos::prelude::*;

use crate::model::text::words::grouped;
use crate::tr;

/// One count. A total that is not known, or is none, is left out.
#[derive(Clone, Copy)]
pub struct Count {
    /// What is counted.
    pub of: &'static str,
    /// How many there are now.
    pub now: Memo<u64>,
    /// How many there will be.
    pub total: Option<Memo<u64>>,
}

/// The counts, each its number over what it is of.
#[component]
pub fn Counts(counts: Vec<Count>) -> impl IntoView {
    let entry = |Count { of, now, total }: Count| {
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
