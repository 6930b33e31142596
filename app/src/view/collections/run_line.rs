//! The line about the comparison of many texts: progress, the number of pairs, and problems ([`RunLine`]).

use kernels::event::RunProgress;
use leptos::prelude::*;

use super::answer::AnswerState;
use crate::model::collection::comparison::CollectionInput;
use crate::model::collection::sentences;
use crate::model::collection::session::CollectionPhase;
use crate::model::problem::Problem;
use crate::model::text::humanize::{WorkUnit, expected_time, remaining_time, whole_percent};
use crate::page::collection::CollectionPage;
use crate::tr;
use crate::tr::t;
use crate::view::widgets::icon::{Icon, icon};

/// Rate of a browser that is assumed for an estimate, in cells per millisecond.
pub(super) const ASSUMED_CELLS_PER_MS: f64 = 2e6;

/// Renders the line.
#[component]
pub fn RunLine() -> impl IntoView {
    let (collection, state) = (expect_context::<CollectionPage>(), expect_context::<AnswerState>());
    let phase = Memo::new(move |_| collection.phase.get());
    let run = move |_| collection.handle_input(CollectionInput::Run);
    // A comparison that ends at once shows no progress.
    let progress = Memo::new(move |_| match phase.get() {
        CollectionPhase::Running(progress) => progress,
        _ => None,
    });
    let is_running = Memo::new(move |_| progress.with(Option::is_some));
    let says = move || {
        let (bold, rest) = state.with(sentences::run_says)?;
        Some(view! {
            <strong>{bold}</strong>
            " "
            {rest}
            " "
            <span class="aside">{t("Nothing left this device.")}</span>
        })
    };
    let is_answered = Memo::new(move |_| phase.with(|phase| *phase == CollectionPhase::Answered));
    let cells = Memo::new(move |_| match phase.get() {
        CollectionPhase::Asking { cells } => Some(cells),
        _ => None,
    });
    let asks = move || {
        cells.get().map(|cells| {
            let time = expected_time(cells as f64 / ASSUMED_CELLS_PER_MS);
            tr!(
                "All pairs have {cells}, which take this browser {time}. Compare them here?",
                cells = WorkUnit::Cells.work(cells),
                time = time
            )
        })
    };
    let is_cancelled = Memo::new(move |_| phase.with(|phase| *phase == CollectionPhase::Cancelled));
    let problem = Memo::new(move |_| match phase.get() {
        CollectionPhase::Failed(problem) => Some(problem),
        _ => None,
    });
    view! {
        <section class="collection-run projector-off" aria-label=t("Comparison")>
            {move || is_running.get().then(|| view! { <Progress progress /> })}
            {move || cells.get().is_some().then(|| view! {
                <div class="msg">
                    <p class="say">{asks}</p>
                    <button class="btn main" type="button" on:click=run>{t("Compare here")}</button>
                </div>
            })}
            {move || is_cancelled.get().then(|| view! {
                <div class="msg">
                    <p class="say">{t("The comparison was cancelled.")}</p>
                    <button class="btn" type="button" on:click=run>{t("Compare again")}</button>
                </div>
            })}
            {move || problem.get().map(|problem| view! { <Failure problem /> })}
            <p class="say" hidden=move || !is_answered.get()>{says}</p>
            {privacy_note(is_answered)}
        </section>
    }
}

/// Renders the explanation of what leaves the device, once there is an answer.
pub(super) fn privacy_note(is_answered: Memo<bool>) -> impl IntoView {
    view! {
        <details class="means" hidden=move || !is_answered.get()>
            <summary>{t("What “nothing left this device” means")}</summary>
            <p>
                {t("The page reads and compares the texts in this browser. No text, no name, no file and no result is sent to a server; the network may be switched off. Short texts are in the address of the page, so that a copied address contains them.")}
            </p>
        </details>
    }
}

/// Renders a problem.
#[component]
pub(super) fn Failure(problem: Problem) -> impl IntoView {
    let small = problem.said.as_deref().map(str::to_owned);
    view! {
        <div class="msg bad" role="alert">
            <h3>{icon(Icon::Alert)} {problem.title}</h3>
            <p class="say">{problem.detail}</p>
            <p class="note">{small}</p>
        </div>
    }
}

#[component]
fn Progress(progress: Memo<Option<RunProgress>>) -> impl IntoView {
    let collection = expect_context::<CollectionPage>();
    let share =
        move || progress.with(|progress| progress.as_ref().map_or(0.0, |progress| progress.done as f64 / progress.total.max(1) as f64));
    let says = move || {
        let [before, number, after] = progress.with(|progress| remaining_time(progress.as_ref().map_or(0.0, |progress| progress.eta_ms)));
        format!("{} · {}", whole_percent(share()), [before, number, after].join(" ").trim())
    };
    let cancel = move |_| collection.handle_input(CollectionInput::Cancel);
    view! {
        <div class="progressing row apart">
            <p class="say">
                <strong>{t("Your browser compares all pairs.")}</strong>
                " "
                {says}
            </p>
            <progress aria-label=t("Progress") max="1" prop:value=share></progress>
            <button class="btn warn" type="button" on:click=cancel>
                {t("Cancel")}
            </button>
        </div>
    }
}
