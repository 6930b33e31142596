//! The report of a collection on paper: its head ([`ReportHead`]) and its alike pairs ([`AlikePairs`]). The other parts are
//! those of the overview. Both exist only while the page is printed.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;

use super::AnswerState;
use crate::model::collection::choices::Tab;
use crate::model::collection::measure::{Measure, Threshold};
use crate::model::collection::pairs::{ListedPair, MAX_LISTED, PairChoices, PairList};
use crate::model::collection::sentences::{self, share_of};
use crate::model::form::FormSide;
use crate::model::text::humanize::{self, count, grouped};
use crate::tr;
use crate::tr::t;

/// Maximum number of alike pairs of a report.
const MAX_PAIRS: usize = 200;

/// Time until the overview is drawn, in milliseconds.
const DRAW_MS: u64 = 150;

/// Adds the parts of the report before the page is printed, and removes them afterwards.
pub fn follow_print(state: AnswerState) {
    let begin = window_event_listener(ev::beforeprint, move |_| state.is_report.set(true));
    let end = window_event_listener(ev::afterprint, move |_| state.is_report.set(false));
    on_cleanup(move || {
        begin.remove();
        end.remove();
    });
}

/// Prints the report. It shows the overview.
pub fn print(state: AnswerState) {
    if state.page.view.with_untracked(|view| view.tab != Tab::Overview) {
        state.page.look(|view| view.tab = Tab::Overview);
    }
    state.is_report.set(true);
    set_timeout(|| drop(window().print()), Duration::from_millis(DRAW_MS));
}

/// Renders the name of the collection, its numbers and the date.
#[component]
pub fn ReportHead() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let head = move || {
        let of_side = |side: FormSide| {
            let name = state.page.form.with(|form| form.side(side).map(sentences::name_of_side))?;
            let parts = state.with(|texts| [Some(sentences::counted(texts, side)), sentences::exceptions(texts, side)])?;
            Some([Some(name)].into_iter().chain(parts).flatten().collect::<Vec<_>>().join(" · "))
        };
        let sides: Vec<String> = FormSide::BOTH.into_iter().filter_map(of_side).collect();
        let day = humanize::day((js_sys::Date::now() / 1_000.0) as u64);
        (!sides.is_empty()).then(|| [vec![day], sides].concat().join(" · "))
    };
    view! { <p class="report-head">{head}</p> }
}

/// Renders the alike pairs, the nearest one first.
#[component]
pub fn AlikePairs() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let pairs = Memo::new(move |_| {
        let (threshold, choices) = (state.threshold.get(), PairChoices { only_alike: true, ..PairChoices::default() });
        state.with(|texts| PairList::new(texts, MAX_LISTED).shown(texts, threshold, &choices, &|text| state.name(text))).unwrap_or_default()
    });
    let title = move || match state.threshold.get() {
        Threshold::Percent(_) | Threshold::Points(_) => tr!("Pairs at {value} or more", value = state.threshold_says()),
        Threshold::Edits(_) => tr!("Pairs within {value}", value = state.threshold_says()),
    };
    let is_points = move || state.measure.get() == Measure::Points;
    let row = move |(number, pair): (usize, &ListedPair)| {
        let &ListedPair { a, b, .. } = pair;
        let (value, score) = state.with(|texts| (share_of(texts, a, b), texts.score(a, b).max(0) as u64)).unwrap_or_default();
        view! {
            <tr>
                <td class="r">{grouped(number as u64 + 1)}</td>
                <th scope="row">{tr!("{a} and {b}", a = state.name(a), b = state.name(b))}</th>
                <td class="r">{value}</td>
                <td class="r" hidden=is_points>{grouped(score)}</td>
            </tr>
        }
    };
    let rows = move || pairs.with(|pairs| pairs.iter().take(MAX_PAIRS).enumerate().map(row).collect_view());
    let heading = move |number: usize| move || sentences::headings(state.measure.get(), state.costs.get())[number];
    let more = move || {
        let all = pairs.with(Vec::len);
        (all > MAX_PAIRS).then(|| tr!("The {n} nearest of {all} are listed.", n = MAX_PAIRS, all = count(all as u64, "pair", "pairs")))
    };
    view! {
        <section class="section report-pairs" aria-labelledby="report-pairs-title">
            <h2 id="report-pairs-title">{title}</h2>
            <table class="figures">
                <thead>
                    <tr>
                        <th class="r">{t("No.")}</th>
                        <th>{t("Pair")}</th>
                        <th class="r">{heading(0)}</th>
                        <th class="r" hidden=is_points>{heading(1)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <p class="note">{more}</p>
            <p class="note">
                {t("Alike is not copied. Texts that quote the same source, or begin from the same template, are alike as well. Open the pair and read it.")}
            </p>
        </section>
    }
}
