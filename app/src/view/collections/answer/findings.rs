//! The chosen pair ([`ChosenPair`]) and the groups of alike texts ([`Groups`]).

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::AnswerState;
use crate::backend::latest::RequestCounter;
use crate::model::collection::measure::Threshold;
use crate::model::collection::sentences;
use crate::model::text::humanize::count;
use crate::tr;
use crate::tr::t;

/// Maximum number of groups that are listed at first.
const FIRST_GROUPS: usize = 12;

/// Maximum number of names of a group that are listed.
const MAX_NAMES: usize = 4;

/// Maximum number of texts of a group whose range of similarity is shown, because it takes all pairs of the group.
const MAX_RANGED: usize = 500;

/// Opens two texts on the two-text page. Does nothing if no address may contain them.
pub fn open_pair(state: AnswerState, a: usize, b: usize) {
    let Some(texts) = state.texts().filter(|_| a != b) else { return };
    spawn_local(async move {
        if let Some(address) = state.page.pair_address(&texts, a, b).await {
            state.page.write_pending_address();
            let _ = window().location().set_href(&address);
        }
    });
}

/// Opens the chosen pair, or the two nearest texts, on the two-text page.
pub fn open_chosen_pair(state: AnswerState) {
    if let Some((a, b)) = untrack(|| state.chosen()) {
        open_pair(state, a, b);
    }
}

/// The address of the chosen pair on the two-text page.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PairAddress {
    Pending,
    Ready(String),
    /// The texts do not fit into an address, or came from a private link.
    TooLong,
}

/// Renders the chosen pair with its numbers, and a link to the pair on the two-text page.
#[component]
pub fn ChosenPair() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let pair = Memo::new(move |_| state.chosen());
    let who = move || {
        let (a, b) = pair.get()?;
        Some(if a == b { state.name(a) } else { tr!("{a} and {b}", a = state.name(a), b = state.name(b)) })
    };
    let value = move || pair.get().and_then(|(a, b)| state.with(|texts| sentences::value_of(texts, a, b)).filter(|_| a != b));
    let says = move || pair.get().and_then(|(a, b)| state.with(|texts| sentences::pair_says(texts, a, b)));
    let spoken = move || {
        let (a, b) = pair.get()?;
        let letter = state.groups.with(|groups| {
            let has = |text: usize| move |group: &&crate::model::collection::answer::TextGroup| group.members.binary_search(&text).is_ok();
            groups.iter().filter(has(a)).find(has(b)).map(|group| group.letter.clone())
        });
        state.with(|texts| sentences::pair_spoken(texts, (a, b), letter.as_deref(), &|text| state.name(text)))
    };
    let address = RwSignal::new(PairAddress::Pending);
    let turns = RequestCounter::new();
    Effect::new(move |_| {
        let (Some((a, b)), Some(texts)) = (pair.get(), state.texts()) else { return };
        address.set(PairAddress::Pending);
        let turn = turns.begin();
        spawn_local(async move {
            let found = state.page.pair_address(&texts, a, b).await;
            if turn.is_last() {
                address.try_set(found.map_or(PairAddress::TooLong, PairAddress::Ready));
            }
        });
    });
    let href = move || match address.get() {
        PairAddress::Ready(address) => Some(address),
        PairAddress::Pending | PairAddress::TooLong => None,
    };
    let is_one = move || pair.get().is_none_or(|(a, b)| a == b);
    let left = move |_: ev::MouseEvent| state.page.write_pending_address();
    view! {
        <div class="chosen-pair">
            <h2>{t("Chosen pair")}</h2>
            <p class="vh" aria-live="polite" data-live="">{spoken}</p>
            <p class="who">{who}</p>
            <p class="say quiet">
                <b>{value}</b>
                {move || value().map(|_| ": ")}
                {says}
            </p>
            <a class="btn projector-off" href=href hidden=move || is_one() || address.get() == PairAddress::TooLong on:click=left>
                {t("Open this pair")}
            </a>
            <p class="note" hidden=move || is_one() || address.get() != PairAddress::TooLong>
                {move || {
                    // A pair of texts from a private link has no address.
                    let is_private = address.with(|address| *address == PairAddress::TooLong) && state.page.is_private();
                    if is_private {
                        t("These texts are from a private link, so that no address may contain them.")
                    } else {
                        t("These two texts are too long for an address. Open their files on the page of two texts.")
                    }
                }}
            </p>
        </div>
    }
}

/// Renders the groups of alike texts.
#[component]
pub fn Groups() -> impl IntoView {
    let state = expect_context::<AnswerState>();
    let shows_all = RwSignal::new(false);
    let title = move || match state.threshold.get() {
        Threshold::Percent(_) | Threshold::Points(_) => tr!("Groups at {value} or more", value = state.threshold_says()),
        Threshold::Edits(_) => tr!("Groups within {value}", value = state.threshold_says()),
    };
    let rows = move || {
        let is_report = state.is_report.get();
        let most = if shows_all.get() || is_report { usize::MAX } else { FIRST_GROUPS };
        let most_names = if is_report { usize::MAX } else { MAX_NAMES };
        let groups = state.groups.get();
        let row = |group: &crate::model::collection::answer::TextGroup| {
            let mut names: Vec<String> = group.members.iter().take(most_names).map(|&text| state.labelled(text)).collect();
            if group.members.len() > names.len() {
                names.push(tr!("{n} more", n = group.members.len() - names.len()));
            }
            let range = (group.members.len() <= MAX_RANGED).then(|| state.with(|texts| sentences::range_says(texts, group))).flatten();
            let first = (group.members[0], group.members[1]);
            view! {
                <li>
                    <span class="k">{group.letter.clone()}</span>
                    <button class="who link" type="button" on:click=move |_| state.choose(first)>{names.join(" · ")}</button>
                    <span class="how">{range}</span>
                </li>
            }
        };
        groups.iter().take(most).map(row).collect_view()
    };
    let more = move || state.groups.with(|groups| groups.len() > FIRST_GROUPS) && !shows_all.get();
    let apart = move || {
        let grouped = state.groups.with(|groups| groups.iter().map(|group| group.members.len()).sum::<usize>());
        let all = state.with(|texts| texts.len()).unwrap_or(0);
        tr!("In no group: {texts}.", texts = count((all - grouped.min(all)) as u64, "text", "texts"))
    };
    view! {
        <div>
            <h2 class="mb">{title}</h2>
            <ol class="groups">{rows}</ol>
            <button class="btn small projector-off" type="button" hidden=move || !more() on:click=move |_| shows_all.set(true)>
                {move || tr!("Show all {n}", n = state.groups.with(Vec::len))}
            </button>
            <p class="note mt">{apart}</p>
        </div>
        <p class="note projector-off">
            {t("Alike is not copied. Texts that quote the same source, or begin from the same template, are alike as well. Open the pair and read it.")}
        </p>
    }
}
