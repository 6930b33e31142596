//! The answer of approximate search: the smallest distance of a part of `b`, or the parts that are similar enough and
//! the number of these parts.

use kernels::event;
use leptos::prelude::*;

use crate::model::run::checked::CheckOutcome;
use crate::model::search::hit_groups::HitGrouping;
use crate::page::ShownResult;
use crate::tr::t;
use crate::view::result::hits::list::HitList;
use crate::view::result::hits::{Hits, HitsViewParts};
use crate::view::result::profile::dips::Dips;
use crate::view::result::task::kpick::KPick;

/// Renders the charts and the list of hits of a result. `checked` receives the outcome of the verification of an opened
/// hit.
#[component]
pub fn ApproximateSearch(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let Some(event::TaskAnswer::ApproximateSearch { distance, total, .. }) = shown.run.answer else { return None };
    if shown.symbols.0 == 0 {
        return None;
    }
    let look = HitsViewParts {
        title: t("Matches in the text"),
        score: Some(t("Edits")),
        together: HitGrouping::Neighbours,
        verse: true,
        opens: true,
    };
    // Local minima are never adjacent, so that each is a group of its own.
    let together = if shown.form.job_options().local_minima { HitGrouping::Each } else { look.together };
    let list = HitList::new(&shown, total, HitsViewParts { together, ..look }, checked);
    let counted = !shown.form.job_options().count_only;
    let pick = counted.then(|| view! { <KPick shown=shown.clone() least=distance /> });
    let dips = counted.then(|| view! { <Dips shown=shown.clone() list least=distance.unwrap_or_default() /> });
    Some(view! {
        <Hits shown=shown.clone() list checked aside=pick />
        {dips}
    })
}
