//! The answer of exact search: the number of occurrences and their positions.

use explain::hit_page::HitPage;
use kernels::event;
use kernels::job::{Task, Unit};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::model::run::checked::CheckOutcome;
use crate::model::search::hit_groups::{HitGrouping, named_line, piece};
use crate::model::text::humanize::{self, grouped};
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::result::hits::list::HitList;
use crate::view::result::hits::{Hits, HitsViewParts};
use crate::view::result::profile::density::Density;

/// Renders the occurrences of a result. `checked` receives the outcome of the verification of an opened hit.
#[component]
pub fn ExactSearch(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let Some(event::TaskAnswer::ExactSearch { total, .. }) = shown.run.answer else { return None };
    // The empty text occurs everywhere, which is of no interest.
    if shown.symbols.0 == 0 {
        return None;
    }
    let look = HitsViewParts { title: t("Matches in the text"), score: None, together: HitGrouping::Each, verse: true, opens: false };
    let list = HitList::new(&shown, total, look, checked);
    let density = (list.has_entries() && !list.whole).then(|| view! { <Density shown=shown.clone() list /> });
    Some(view! {
        <Hits shown list checked aside=() />
        {density}
    })
}

/// Renders the closest match of a pattern that was not found, if this browser finds it quickly, and a button that
/// searches for it.
#[component]
pub fn Nearest(shown: ShownResult) -> impl IntoView {
    let page = expect_context::<Page>();
    let (at, unit) = (shown.location.clone(), shown.form.options.unit);
    let is_exact = shown.form.task == Task::ExactSearch;
    let says = RwSignal::new(None::<(String, String)>);
    let edits = RwSignal::new(None::<u64>);
    spawn_local(async move {
        if let Some(seen) = at.nearest(0).await {
            says.try_set(nearest(&seen, unit));
            edits.try_set(seen.hits.first().map(|hit| hit.distance));
        }
    });
    let search = move |_| match edits.get_untracked().filter(|_| !is_exact) {
        Some(edits) => page.set_options(move |options| options.max_distance = Some(edits)),
        None => page.set_task(Task::ApproximateSearch),
    };
    let label = move || match edits.get().filter(|_| !is_exact) {
        Some(edits) => tr!("Allow {edits}", edits = humanize::count(edits, "edit", "edits")),
        None => t("Search approximately").to_owned(),
    };
    let is_hidden = move || shown.symbols.1 == 0 || !is_exact && edits.with(Option::is_none);
    let sentence = move || {
        says.get().map(|(found, rest)| {
            view! {
                <p class="say">{t("The closest match is")} " " <code>{found}</code> " " {rest}</p>
            }
        })
    };
    view! {
        <div class="msg mb">
            {sentence}
            <button class="btn" type="button" on:click=search hidden=is_hidden>
                {label}
            </button>
            <button class="btn" type="button" on:click=move |_| page.swap() hidden={shown.symbols.0 <= shown.symbols.1 || shown.symbols.1 == 0}>
                {t("Swap a and b")}
            </button>
        </div>
    }
}

/// Returns the nearest part of the text, and a phrase with its position and distance, from a page with one hit. Returns
/// `None` if this part is empty.
fn nearest(seen: &HitPage, unit: Unit) -> Option<(String, String)> {
    let hit = seen.hits.first().filter(|hit| hit.end > hit.start)?;
    let found = piece(&seen.passages, hit.start, hit.end);
    let edits = humanize::count(hit.distance, "edit", "edits");
    let place = match named_line(&seen.passages, hit.start, unit) {
        Some(line) => tr!("in line {n}", n = grouped(line)),
        None => tr!("at position {n}", n = humanize::position(hit.start)),
    };
    Some((found, tr!("{place}, with {edits}.", place = place, edits = edits)))
}

#[cfg(test)]
mod tests {
    use explain::hit_page::TextPassage;
    use kernels::found::Hit;

    use super::*;

    #[test]
    fn nearest_piece_is_named_with_its_line() {
        let letters = "cold winde doth".chars().map(String::from).collect();
        let passages = vec![TextPassage { from: 50, line: 2, letters }];
        let seen = |end| HitPage { hits: vec![Hit::new(55, end, 2)], passages: passages.clone(), ..HitPage::default() };
        let says = nearest(&seen(60), Unit::Graphemes).unwrap();
        assert_eq!((says.0.as_str(), says.1.as_str()), ("winde", "in line 3, with 2 edits."));
        assert_eq!(nearest(&seen(60), Unit::Lines).unwrap().1, "at position 55, with 2 edits.");
        assert_eq!(nearest(&seen(55), Unit::Graphemes), None);
    }
}
