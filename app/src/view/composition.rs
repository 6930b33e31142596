//! What an alignment consists of: a bar to scale, and how many columns there are of each kind.

use kernels::alignment::{Edit, Summary};
use kernels::words::grouped;
use leptos::prelude::*;

use super::sign;

/// Width of the bar, in its own units.
const WIDTH: f64 = 1200.0;

fn columns(summary: &Summary, edit: Edit) -> u64 {
    match edit {
        Edit::Equal => summary.matches,
        Edit::Substitute => summary.mismatches,
        Edit::Insert => summary.insertions,
        Edit::Delete => summary.deletions,
    }
}

/// What a kind of column is called, and the text that alone has a symbol there.
fn name(edit: Edit) -> (&'static str, Option<&'static str>) {
    match edit {
        Edit::Equal => ("equal", None),
        Edit::Substitute => ("substituted", None),
        Edit::Insert => ("inserted", Some("b")),
        Edit::Delete => ("deleted", Some("a")),
    }
}

/// Shares of these kinds as a bar with its label, and all kinds of `legend` with their numbers.
pub fn composition(summary: Summary, bar: &[Edit], legend: &[Edit]) -> impl IntoView + use<> {
    let total: u64 = bar.iter().map(|edit| columns(&summary, *edit)).sum();
    let share = |edit: Edit| columns(&summary, edit) as f64 / total.max(1) as f64;
    let mut at = 0.0;
    let bars: Vec<_> = bar
        .iter()
        .map(|edit| {
            let x = at;
            at += WIDTH * share(*edit);
            let width = (at - x - 3.0).max(0.0);
            let class = format!("bar-{}", sign::class(*edit));
            view! {
                <g class=class>
                    <rect class="ground" x=format!("{x:.1}") width=format!("{width:.1}") height="14"></rect>
                    <rect class="edge" x=format!("{x:.1}") y="12" width=format!("{width:.1}") height="2"></rect>
                </g>
            }
        })
        .collect();
    let shares: Vec<String> = bar.iter().map(|edit| format!("{:.0} % {}", 100.0 * share(*edit), name(*edit).0)).collect();
    let label = format!("Shares of the columns: {}", shares.join(", "));
    let entries: Vec<_> = legend
        .iter()
        .map(|edit| {
            let (what, only) = name(*edit);
            view! {
                <li>
                    {sign::chip(*edit)}
                    <span>
                        <b>{grouped(columns(&summary, *edit))}</b>
                        " "
                        {what}
                        {only.map(|only| view! { " (only in " <var>{only}</var> ")" })}
                    </span>
                </li>
            }
        })
        .collect();
    view! {
        <svg class="shares" class:none=move || total == 0 viewBox="0 0 1200 14" preserveAspectRatio="none" role="img" aria-label=label>
            {bars}
        </svg>
        <ul class="legend">{entries}</ul>
    }
}
