//! The composition of an alignment: the number of columns of each kind, as a bar to scale ([`shares`]) and as a legend
//! ([`legend`]).

use kernels::alignment::{AlignmentSummary, EditKind};
use leptos::either::Either;
use leptos::prelude::*;

use crate::model::alignment::sign::class;
use crate::model::text::humanize::{self, decimals, grouped};
use crate::page::Page;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::chip::chip;
use crate::view::widgets::prose::prose;

/// Width of the bar, in user units of the SVG.
const WIDTH: f64 = 1200.0;

fn columns(summary: &AlignmentSummary, edit: EditKind) -> u64 {
    match edit {
        EditKind::Equal => summary.matches,
        EditKind::Substitute => summary.mismatches,
        EditKind::Insert => summary.insertions,
        EditKind::Delete => summary.deletions,
        // Each exchange has two columns.
        EditKind::Transpose => 2 * summary.transpositions,
    }
}

/// Returns the name of a kind of alignment column.
fn name(edit: EditKind) -> &'static str {
    match edit {
        EditKind::Equal => t("equal"),
        EditKind::Substitute => t("substituted"),
        EditKind::Insert => t("inserted"),
        EditKind::Delete => t("deleted"),
        EditKind::Transpose => t("transposed"),
    }
}

/// Draws a bar to scale with the numbers of columns of the kinds in `bar`, and a label for the bar.
pub fn shares(summary: &AlignmentSummary, bar: &[EditKind]) -> impl IntoView + use<> {
    let total: u64 = bar.iter().map(|edit| columns(summary, *edit)).sum();
    let share = |edit: EditKind| columns(summary, edit) as f64 / total.max(1) as f64;
    let mut at = 0.0;
    let bars: Vec<_> = bar
        .iter()
        .map(|edit| {
            let x = at;
            at += WIDTH * share(*edit);
            let width = (at - x - 3.0).max(0.0);
            let class = format!("bar-{}", class(*edit));
            view! {
                <g class=class>
                    <rect class="ground" x=decimals(x, 1) width=decimals(width, 1) height="14"></rect>
                    <rect class="edge" x=decimals(x, 1) y="12" width=decimals(width, 1) height="2"></rect>
                </g>
            }
        })
        .collect();
    let said: Vec<String> =
        bar.iter().map(|edit| format!("{} {}", humanize::whole_percent(share(*edit)), name(*edit).replace('*', ""))).collect();
    let label = tr!("Shares of the columns: {shares}", shares = humanize::list(&said));
    let title = label.clone();
    view! {
        <svg class="shares" class:none=move || total == 0 viewBox="0 0 1200 14" preserveAspectRatio="none" role="img" aria-label=label>
            <title>{title}</title>
            {bars}
        </svg>
    }
}

/// Renders the legend: the `kinds` with their numbers of columns, or of exchanges. Entries of edits are toggle buttons, which select the
/// edits that are shown.
pub fn legend(summary: &AlignmentSummary, kinds: &[EditKind]) -> impl IntoView + use<> {
    let page = use_context::<Page>();
    let entries: Vec<_> = kinds
        .iter()
        .map(|&edit| {
            let number = if edit == EditKind::Transpose { summary.transpositions } else { columns(summary, edit) };
            match page.filter(|_| !matches!(edit, EditKind::Equal | EditKind::Transpose) && number > 0) {
                Some(page) => Either::Left(view! { <li><Filter page edit number /></li> }),
                None => Either::Right(view! { <li class:zero=number == 0>{chip(edit)} {edit_count(edit, number)}</li> }),
            }
        })
        .collect();
    view! { <ul class="legend">{entries}</ul> }
}

/// Draws `number` and the name of the kind `edit`, such as "3 inserted".
fn edit_count(edit: EditKind, number: u64) -> impl IntoView {
    view! {
        <span>
            <b>{grouped(number)}</b>
            " "
            {prose(name(edit))}
        </span>
    }
}

/// Renders an entry of the legend as a toggle button. It is pressed while edits of the kind `edit` are coloured,
/// stepped through and listed.
#[component]
fn Filter(page: Page, edit: EditKind, number: u64) -> impl IntoView {
    let on = move || page.kinds.with(|kinds| kinds.has(edit));
    let title = move || if on() { t("Leave these out of next, previous and the list") } else { t("Include these again") };
    view! {
        <button
            class="kind"
            type="button"
            title=title
            aria-pressed=move || if on() { "true" } else { "false" }
            on:click=move |_| page.kinds.update(|kinds| *kinds = kinds.toggled(edit))
        >
            {chip(edit)}
            {edit_count(edit, number)}
        </button>
    }
}
