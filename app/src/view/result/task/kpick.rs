//! The choice of `k`, the maximum number of edits ([`KPick`]). For each value of `k`, a bar shows the number of
//! positions at which a match ends.

use explain::worker_protocol::query::CountsQuery;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::model::text::humanize::{self, grouped};
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::restore_focus;
use crate::view::result::hits::list::show_element;

/// Number of values of `k` to choose from.
const CHOICES: u64 = 7;

/// Height of the highest bar, in pixels.
const MAX_BAR_HEIGHT: f64 = 64.0;

/// Element id of the chosen radio button. It keeps the focus when a choice gives another answer.
pub const ID: &str = "k-choice";

/// A value of `k` that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EditsChoice {
    k: u64,
    ends: u64,
    /// Height of the bar as a fraction of the highest bar.
    share: f64,
}

/// Returns the values of `k` to choose from, around the current `k`. `counts` has the number of match ends at distance
/// 0, 1, …. The values begin just below the smallest distance of a match end. If they would end before the current `k`,
/// they end with it instead.
fn choices(counts: &[u64], k: u64) -> Vec<EditsChoice> {
    let within: Vec<u64> = counts.iter().scan(0, |sum, ends| Some(std::mem::replace(sum, *sum + ends) + ends)).collect();
    let least = counts.iter().position(|ends| *ends > 0).unwrap_or_default() as u64;
    let first = least.saturating_sub(1).min(k).max((k + 1).saturating_sub(CHOICES));
    let last = (first + CHOICES).min(within.len() as u64);
    let chosen = first..last;
    let most = last.checked_sub(1).map_or(1, |last| within[last as usize]).max(1);
    chosen.map(|k| (k, within[k as usize])).map(|(k, ends)| EditsChoice { k, ends, share: ends as f64 / most as f64 }).collect()
}

/// Renders a radio button for each choice, below its bar. `least` is the smallest distance of a match, which is chosen
/// if the options have no maximum.
#[component]
pub fn KPick(shown: ShownResult, least: Option<u64>) -> impl IntoView {
    let page = expect_context::<Page>();
    let asked = shown.form.job_options().max_distance;
    let counts = RwSignal::new(Vec::new());
    let at = shown.location.clone();
    let chosen = asked.or(least).unwrap_or_default();
    spawn_local(async move {
        // Counting may take too long; in that case there is no choice.
        if let Ok(all) = at.query(CountsQuery {}).await {
            counts.try_set(all);
            restore_focus::restore(ID, chosen);
        }
    });
    let pick = move |k: u64| {
        restore_focus::remember(ID, k);
        page.set_options(|options| options.max_distance = Some(k));
        show_element(ID);
    };
    let bar = move |EditsChoice { k, ends, share }: EditsChoice| {
        let label =
            tr!("at most {edits}: {ends}", edits = humanize::count(k, "edit", "edits"), ends = humanize::count(ends, "end", "ends"));
        // A number of edits beyond the last choice gives the same ends as the last choice.
        let checked = k == chosen.min(counts.with_untracked(Vec::len) as u64 - 1);
        view! {
            <label class:in={k <= chosen}>
                <span class="n" title=grouped(ends)>{humanize::short(ends)}</span>
                <span class="col" style:block-size=format!("{:.0}px", (share * MAX_BAR_HEIGHT).max(2.0))></span>
                <span class="k">
                    <input type="radio" name="k" aria-label=label prop:checked=checked id=checked.then_some(ID) on:change=move |_| pick(k) />
                    {grouped(k)}
                </span>
            </label>
        }
    };
    view! {
        <fieldset class="stack tight" hidden=move || counts.with(Vec::is_empty)>
            <legend>{t("Matches by number of edits")}</legend>
            <p class="note">
                {if asked.is_none() { t("Only the best matches are shown.") } else { "" }} " " {t("Choose how many edits are allowed.")}
            </p>
            <div class="kpick">{move || choices(&counts.get(), chosen).into_iter().map(bar).collect_view()}</div>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(counts: &[u64], k: u64) -> Vec<(u64, u64)> {
        choices(counts, k).into_iter().map(|choice| (choice.k, choice.ends)).collect()
    }

    #[test]
    fn bars_are_cumulative_and_begin_near_the_minimum() {
        let sonnet = [1, 4, 6, 14, 64, 322, 213];
        assert_eq!(within(&sonnet, 2), [(0, 1), (1, 5), (2, 11), (3, 25), (4, 89), (5, 411), (6, 624)]);
        let far = [&[0; 20][..], &[1; 20]].concat();
        assert_eq!(within(&far, 21)[..3], [(19, 0), (20, 1), (21, 2)]);
        assert_eq!(within(&far, 30).last(), Some(&(30, 11)));
        assert_eq!(within(&far, 3)[0], (3, 0));
        assert_eq!(choices(&sonnet, 2)[6].share, 1.0);
        assert!(within(&[], 0).is_empty());
        assert_eq!(within(&[5], 3), [(0, 5)]);
    }
}
