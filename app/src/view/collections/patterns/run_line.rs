//! The line about a search for many patterns: progress, the number of patterns, and problems ([`PatternRunLine`]).

use leptos::prelude::*;

use super::super::run_line::{ASSUMED_CELLS_PER_MS, Failure, privacy_note};
use crate::model::collection::patterns::sentences;
use crate::model::collection::patterns::session::PatternInput;
use crate::model::collection::session::CollectionPhase;
use crate::model::text::humanize::{WorkUnit, expected_time, remaining_time, whole_percent};
use crate::page::patterns::PatternPage;
use crate::tr;
use crate::tr::t;

/// Renders the line.
#[component]
pub fn PatternRunLine() -> impl IntoView {
    let patterns = expect_context::<PatternPage>();
    let phase = Memo::new(move |_| patterns.phase.get());
    let run = move |_| patterns.handle_input(PatternInput::Run);
    let progress = Memo::new(move |_| match phase.get() {
        CollectionPhase::Running(progress) => progress,
        _ => None,
    });
    let is_running = Memo::new(move |_| progress.with(Option::is_some));
    let is_answered = Memo::new(move |_| phase.with(|phase| *phase == CollectionPhase::Answered));
    let is_cancelled = Memo::new(move |_| phase.with(|phase| *phase == CollectionPhase::Cancelled));
    let asked = Memo::new(move |_| match phase.get() {
        CollectionPhase::Asking { cells } => Some(cells),
        _ => None,
    });
    let asks = move || {
        asked.get().map(|cells| {
            let time = expected_time(cells as f64 / ASSUMED_CELLS_PER_MS);
            tr!("This search has {cells}, which take this browser {time}. Search here?", cells = WorkUnit::Cells.work(cells), time = time)
        })
    };
    let problem = Memo::new(move |_| match phase.get() {
        CollectionPhase::Failed(problem) => Some(problem),
        _ => None,
    });
    let says = move || {
        let (bold, rest) = patterns.answer.with(|texts| texts.as_deref().map(sentences::run_says))?;
        Some(view! {
            <strong>{bold}</strong>
            " "
            {rest}
            " "
            <span class="aside">{t("Nothing left this device.")}</span>
        })
    };
    let share =
        move || progress.with(|progress| progress.as_ref().map_or(0.0, |progress| progress.done as f64 / progress.total.max(1) as f64));
    let remaining = move || {
        let [before, number, after] = progress.with(|progress| remaining_time(progress.as_ref().map_or(0.0, |progress| progress.eta_ms)));
        format!("{} · {}", whole_percent(share()), [before, number, after].join(" ").trim())
    };
    let cancel = move |_| patterns.handle_input(PatternInput::Cancel);
    let unread = move || {
        let item = |says: &String| view! { <li>{says.clone()}</li> };
        patterns.unread.with(|unread| unread.iter().map(item).collect_view())
    };
    view! {
        <section class="collection-run projector-off" aria-label=t("Search")>
            <ul class="unread" role="status" hidden=move || patterns.unread.with(Vec::is_empty)>{unread}</ul>
            <p class="quiet" role="status">{move || patterns.is_opening.get().then(|| t("Files are being read."))}</p>
            {move || is_running.get().then(|| view! {
                <div class="progressing row apart">
                    <p class="say">
                        <strong>{t("Your browser searches for all patterns.")}</strong>
                        " "
                        {remaining}
                    </p>
                    <progress aria-label=t("Progress") max="1" prop:value=share></progress>
                    <button class="btn warn" type="button" on:click=cancel>{t("Cancel")}</button>
                </div>
            })}
            {move || asked.get().is_some().then(|| view! {
                <div class="msg">
                    <p class="say">{asks}</p>
                    <button class="btn main" type="button" on:click=run>{t("Search here")}</button>
                </div>
            })}
            {move || is_cancelled.get().then(|| view! {
                <div class="msg">
                    <p class="say">{t("The search was cancelled.")}</p>
                    <button class="btn" type="button" on:click=run>{t("Search again")}</button>
                </div>
            })}
            {move || problem.get().map(|problem| view! { <Failure problem /> })}
            <p class="say" hidden=move || !is_answered.get()>{says}</p>
            {privacy_note(is_answered)}
        </section>
    }
}
