//! The answer of match count: the best score, its offsets, and the score at all offsets.

use kernels::alignment::AlignmentSummary;
use kernels::event;
use kernels::found::Hit;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::backend::latest::RequestCounter;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::location::ResultLocation;
use crate::model::search::hit_groups::{HitGroup, HitGrouping};
use crate::model::text::humanize::{self, grouped};
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::explore::alignment::AlignmentView;
use crate::view::result::hits::list::HitList;
use crate::view::result::hits::{Hits, HitsViewParts};
use crate::view::result::profile::{Profile, ProfileState};

/// Maximum number of best offsets that are listed below the charts.
const MAX_LISTED_OFFSETS: usize = 10;

/// Renders the best offsets and the charts of a result. `checked` receives the outcome of the verification of a shown
/// alignment.
#[component]
pub fn MatchCount(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let Some(event::TaskAnswer::MatchCount { best, within, top, .. }) = shown.run.answer.clone() else { return None };
    let asked = shown.form.job_options();
    let look = HitsViewParts {
        title: t("Offsets that reach the threshold"),
        score: Some(t("Unequal")),
        together: HitGrouping::Each,
        verse: false,
        opens: true,
    };
    let list = HitList::new(&shown, within.unwrap_or(0), look, checked);
    let charts = best.zip(top.first()).filter(|_| !asked.count_only).map(|(best, first)| {
        let scores = ProfileState::new(&shown, best, first.start);
        let laid = PatternOverlay::new(&shown, scores, checked);
        let list = list.telling(Callback::new(move |group: HitGroup| laid.lay(group.best.start)));
        view! {
            <Charts shown=shown.clone() laid top=top.clone() />
            {list.has_entries().then(|| view! { <Hits shown=shown.clone() list checked aside=() /> })}
        }
    });
    let page = expect_context::<Page>();
    let is_longer = shown.symbols.0 > shown.symbols.1 && shown.symbols.1 > 0;
    let swap = is_longer.then(|| {
        view! {
            <div class="msg">
                <button class="btn" type="button" on:click=move |_| page.swap()>
                    {t("Swap a and b")}
                </button>
            </div>
        }
    });
    Some((charts, swap))
}

/// State of the pattern that is laid over the text at an offset. Copies share one state.
#[derive(Clone, Copy)]
struct PatternOverlay {
    page: Page,
    location: StoredValue<ResultLocation>,
    scores: ProfileState,
    /// Location and summary of the alignment of the pattern with the text below it.
    overlay: RwSignal<Option<(ResultLocation, AlignmentSummary)>>,
    checked: RwSignal<CheckOutcome>,
    overlay_requests: RequestCounter,
}

impl PatternOverlay {
    /// Creates the overlay. The pattern lies at the offset that was selected in the previous result of the same texts,
    /// otherwise at the best offset. `scores` is the state of the charts, and `checked` receives the outcome of the
    /// verification.
    fn new(shown: &ShownResult, scores: ProfileState, checked: RwSignal<CheckOutcome>) -> Self {
        let (page, at) = (expect_context::<Page>(), StoredValue::new(shown.location.clone()));
        let laid = Self { page, location: at, scores, overlay: RwSignal::new(None), checked, overlay_requests: RequestCounter::new() };
        if shown.symbols.0 > 0 {
            laid.fetch(scores.offset.get_untracked());
        }
        laid
    }

    /// Lays the pattern over the text at `offset`, and selects this offset in the charts.
    fn lay(self, offset: u64) {
        self.scores.show(offset);
        self.fetch(offset);
    }

    fn fetch(self, offset: u64) {
        let (at, turn) = (self.location.get_value(), self.overlay_requests.begin());
        spawn_local(async move {
            match at.overlay(offset).await {
                _ if !turn.is_last() => {}
                Ok(over) => {
                    self.checked.try_set(if over.0.is_here() { CheckOutcome::Walked } else { CheckOutcome::Added });
                    self.overlay.try_set(Some(over));
                }
                Err(problem) => drop(self.page.problem.try_set(Some(problem))),
            }
        });
    }
}

/// Renders the charts, the best offsets, and the pattern laid over the text.
#[component]
fn Charts(shown: ShownResult, laid: PatternOverlay, top: Vec<Hit>) -> impl IntoView {
    let hits = top.into_iter().take(MAX_LISTED_OFFSETS).collect::<Vec<_>>();
    let best = view! { <Best hits laid /> };
    let of = shown;
    let over = move || {
        laid.overlay.get().map(|(at, summary)| {
            let shown = ShownResult { location: at.clone(), ..of.clone() };
            view! {
                <AlignmentView shown summary checked=laid.checked />
            }
        })
    };
    view! {
        {over}
        <section class="section" aria-labelledby="scores-title">
            <header>
                <h2 id="scores-title">{t("Matches at each offset")}</h2>
            </header>
            <Profile scores=laid.scores lay=Callback::new(move |offset| laid.lay(offset)) aside=best />
        </section>
    }
}

/// Renders the offsets with the best scores, `hits`, which do not depend on the requested threshold. A press on an
/// offset moves the overlay `laid` to it.
#[component]
fn Best(hits: Vec<Hit>, laid: PatternOverlay) -> impl IntoView {
    let pattern = laid.scores.pattern;
    let rows = hits.into_iter().map(|hit| {
        let share = humanize::percent((pattern - hit.distance) as f64 / pattern.max(1) as f64);
        let look = move |_| laid.lay(hit.start);
        let current = move || (laid.scores.offset.get() == hit.start).then_some("true");
        view! {
            <tr aria-current=current>
                <td class="r">
                    <button class="go num" type="button" aria-label=tr!("Offset {n}, place it there", n = grouped(hit.start)) on:click=look>
                        {grouped(hit.start)}
                    </button>
                </td>
                <td class="r"><b>{grouped(pattern - hit.distance)}</b></td>
                <td class="r">{grouped(hit.distance)}</td>
                <td class="r">{share}</td>
            </tr>
        }
    });
    view! {
        <table class="figures best">
            <caption class="vh">{t("The best offsets")}</caption>
            <thead>
                <tr>
                    <th class="r">{t("Offset")}</th>
                    <th class="r">{t("Equal")}</th>
                    <th class="r">{t("Unequal")}</th>
                    <th class="r">{t("Proportion")}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}
