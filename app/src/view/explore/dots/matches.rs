//! The visible matches (runs of dots along a diagonal) as a list ([`Matches`]), and filters for the matches that are
//! drawn ([`Filters`]).

use explain::dots::DotPlot;
use kernels::strand::Strand;
use leptos::ev;
use leptos::prelude::*;

use super::plot::PlotState;
use crate::model::dots::lines::{DotMatch, MAX_LISTED_MATCHES, part_symbols, strand_of};
use crate::model::text::humanize::{self, count, grouped};
use crate::page::Page;
use crate::page::view_state::SettingLifetime;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::more_button::more_button;
use crate::view::widgets::prose::prose;

/// Number of matches that are listed at first.
const INITIAL_LISTED_MATCHES: usize = 10;

/// Number of further matches that the button below the list adds.
const MORE_MATCHES: usize = MAX_LISTED_MATCHES - INITIAL_LISTED_MATCHES;

/// Renders the filters for matches: the minimum length and, for DNA, the strands.
#[component]
pub fn Filters() -> impl IntoView {
    let plot = expect_context::<PlotState>();
    let shortest = move || plot.filter.with(|filter| if filter.shortest == 0 { String::new() } else { filter.shortest.to_string() });
    let set = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        plot.filter.update(|filter| filter.shortest = humanize::typed_number(&event.target().value()).unwrap_or(0));
        event.target().set_value(&untrack(shortest));
    };
    let choose = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        plot.filter.update(|filter| filter.strand = strand_of(&event.target().value()));
    };
    let choice = move |value: &'static str, says: &'static str| {
        let selected = move || plot.filter.with(|filter| filter.strand) == strand_of(value);
        view! { <option value=value selected=selected>{says}</option> }
    };
    view! {
        <div class="row wide small">
            <label class="row small">
                {t("Shortest match")}
                <input class="text column" inputmode="numeric" autocomplete="off" placeholder=t("any") prop:value=shortest on:change:target=set />
            </label>
            {plot
                .has_strands()
                .then(|| {
                    view! {
                        <label class="row small">
                            {t("Strands")}
                            <span class="select">
                                <select on:change:target=choose>
                                    {choice("", t("both"))} {choice("forward", t("as it stands"))} {choice("reverse", t("the other one"))}
                                </select>
                                {icon(Icon::Chevron)}
                            </span>
                        </label>
                    }
                })}
        </div>
    }
}

/// Returns a sentence that says how precise the listed positions are.
fn exactness(dots: &DotPlot) -> String {
    match part_symbols(&dots.frame) {
        1 => t("Positions are exact.").into(),
        n => tr!("Positions are rounded to {n} symbols. Zoom in for exact ones.", n = grouped(n)),
    }
}

/// Renders the list of the longest visible matches. A press on a match moves the visible range of the plot to it.
#[component]
pub fn Matches() -> impl IntoView {
    let plot = expect_context::<PlotState>();
    let most = expect_context::<Page>().stored_setting(SettingLifetime::Always, "matches", INITIAL_LISTED_MATCHES, |most| most);
    let found = move || plot.filtered_dots.with(|found| found.as_ref().map(|found| found.matches.clone()).unwrap_or_default());
    let summary = move || {
        plot.filtered_dots.with(|found| {
            let found = found.as_ref()?;
            let matches = count(found.matches.len() as u64, "match in view", "matches in view");
            Some(format!("{matches}. {}", exactness(&found.dots)))
        })
    };
    let row = move |found: DotMatch| {
        let (a, b) = (humanize::range(found.a.0, found.a.1), humanize::range(found.b.0, found.b.1));
        let label = tr!("Show a {a}, b {b}", a = format!("{}–{}", a.0, a.1), b = format!("{}–{}", b.0, b.1));
        let strand = match found.strand {
            Strand::Forward => view! { <span aria-hidden="true">"+"</span> <span class="vh">{t("as it stands")}</span> },
            Strand::Reverse => view! { <span aria-hidden="true">"−"</span> <span class="vh">{t("the reverse complement")}</span> },
        };
        view! {
            <tr>
                <td>
                    <button class="go num nowrap" type="button" aria-label=label on:click=move |_| plot.show(&found)>
                        {a.0} "–" {a.1}
                    </button>
                </td>
                <td class="num nowrap">{b.0} "–" {b.1}</td>
                <td class="r">{grouped(found.len())}</td>
                <td hidden=!plot.has_strands()>{strand}</td>
            </tr>
        }
    };
    let rows = move || found().iter().take(most.get()).copied().map(row).collect_view();
    let all = move || plot.filtered_dots.with(|found| found.as_ref().map_or(0, |found| found.matches.len().min(MAX_LISTED_MATCHES)));
    view! {
        <div class="stack tight">
            <h2 id="matches-title">{t("Matches")}</h2>
            <p class="note">{summary}</p>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="matches-title" hidden=move || found().is_empty()>
                <table class="figures hits">
                    <thead>
                        <tr>
                            <th>{prose(t("In *a*"))}</th>
                            <th>{prose(t("In *b*"))}</th>
                            <th class="r">{t("Symbols")}</th>
                            <th hidden=!plot.has_strands()>{t("Strand")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {more_button(most, MORE_MATCHES, all, || t("Show more matches").into())}
        </div>
    }
}
