//! The answer of match count: the best score, where it is attained, the score at all offsets.

use kernels::event;
use kernels::found::Hit;
use kernels::job::Unit;
use kernels::words::grouped;
use leptos::prelude::*;

use crate::page::Shown;
use crate::view::answer::{Answer, Meaning};
use crate::view::facets::found;
use crate::view::hits::{Columns, Hits};
use crate::view::metrics::Checked;
use crate::view::profile::Profile;
use crate::words;

/// Best offsets that are listed under the profile.
const LISTED: usize = 10;

/// What a best score means, attained at `total` offsets, for texts of these lengths; `within` counts offsets with at most so many
/// unequal symbols.
pub fn meaning(best: Option<u64>, total: u64, within: Option<(u64, u64)>, (a, b): (u64, u64), unit: Unit) -> Meaning {
    let Some(best) = best else {
        let says = "offsets: *a* is longer than *b*, so that it cannot be laid over it.".into();
        return Meaning { number: "0".into(), says, aside: String::new() };
    };
    let (all, of) = (words::count(b + 1 - a.min(b), "offset", "offsets"), words::symbols(a, unit));
    let agree = if best == 1 { "agrees" } else { "agree" };
    let attain = if total == 1 { "One offset attains it".into() } else { format!("{} offsets attain it", grouped(total)) };
    let within = within.map_or(String::new(), |(most, offsets)| {
        let have = if offsets == 1 { "offset has" } else { "offsets have" };
        format!(" {} {have} at most {} unequal.", grouped(offsets), grouped(most))
    });
    Meaning {
        number: grouped(best),
        says: format!("of {of} {agree} where *a* fits *b* best."),
        aside: format!("{attain}, of {all}.{within}"),
    }
}

/// The answer of a result.
#[component]
pub fn MatchCount(shown: Shown, checked: RwSignal<Checked>) -> impl IntoView {
    let Some(event::Answer::MatchCount { best, total_best, within, top, .. }) = shown.run.answer.clone() else { return None };
    let asked = shown.form.asked();
    let pairs = asked.max_mismatches.zip(within);
    let meaning = meaning(best, total_best, pairs, shown.symbols, asked.unit);
    let hits = within.unwrap_or(total_best);
    let title = if within.is_some() { "Offsets within" } else { "Best offsets" };
    let best_hits: Vec<Hit> = top.into_iter().take(LISTED).collect();
    let seen = best.is_some() && !asked.count_only;
    Some(view! {
        <Answer meaning />
        {found(view! {
        {seen.then(|| view! {
            <section class="section" aria-labelledby="profile-title">
                <div class="split">
                    <Profile shown=shown.clone() />
                    <Best hits=best_hits.clone() pattern=shown.symbols.0 />
                </div>
            </section>
        })}
        <Hits shown total=hits columns=Columns { title, score: Some("Unequal") } checked />
        })}
    })
}

/// The best offsets, whatever was asked for.
#[component]
fn Best(hits: Vec<Hit>, pattern: u64) -> impl IntoView {
    let rows = hits.into_iter().map(|hit| {
        let share = words::percent((pattern - hit.distance) as f64 / pattern.max(1) as f64);
        view! {
            <tr>
                <td class="r">{grouped(hit.start)}</td>
                <td class="r">{grouped(pattern - hit.distance)}</td>
                <td class="r">{grouped(hit.distance)}</td>
                <td class="r">{share}</td>
            </tr>
        }
    });
    view! {
        <table class="figures">
            <caption class="vh">"The best offsets"</caption>
            <thead>
                <tr>
                    <th class="r">"Offset"</th>
                    <th class="r">"Equal"</th>
                    <th class="r">"Unequal"</th>
                    <th class="r">"Share"</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_score_and_where() {
        let text = |best, total, within, symbols| {
            let said = meaning(best, total, within, symbols, Unit::Graphemes);
            format!("{} {} {}", said.number, said.says.replace('*', ""), said.aside)
        };
        let abba = "3 of 4 letters agree where a fits b best. One offset attains it, of 6 offsets.";
        assert_eq!(text(Some(3), 1, None, (4, 9)), abba);
        assert!(text(Some(3), 2, Some((3, 5)), (4, 9)).ends_with("2 offsets attain it, of 6 offsets. 5 offsets have at most 3 unequal."));
        assert!(text(None, 0, None, (4, 3)).starts_with("0 offsets: a is longer than b"));
        assert!(text(Some(0), 1, None, (0, 0)).starts_with("0 of 0 letters agree"));
    }
}
