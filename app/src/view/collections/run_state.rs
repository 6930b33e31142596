//! The state of a comparison or search ([`RunState`]): progress, the question before a long run, problems, and the work done.

use kernels::event::RunProgress;
use leptos::html::Button;
use leptos::prelude::*;

use crate::model::collection::session::CollectionPhase;
use crate::model::problem::Problem;
use crate::model::text::humanize::{WorkUnit, expected_time, remaining_time, whole_percent};
use crate::tr::t;
use crate::view::browser::focus_next::focus_next;
use crate::view::widgets::icon::{Icon, icon};

/// Rate of a browser that is assumed for an estimate, in cells per millisecond.
const ASSUMED_CELLS_PER_MS: f64 = 2e6;

/// The texts about a comparison or search.
#[derive(Clone, Copy, Debug)]
pub struct RunTexts {
    /// Text beside the progress.
    pub running: &'static str,
    /// Returns the question before a long run from its work and its expected time.
    pub asks: fn(String, String) -> String,
    /// Label of the button that starts a long run.
    pub start: &'static str,
    /// Text after a run was cancelled.
    pub cancelled: &'static str,
    /// Label of the button that starts a cancelled run again.
    pub again: &'static str,
}

/// Renders the state. `says` is the work done: a part in bold, and the rest. `is_stored` says whether the server
/// stores the texts for a private link, or `None` if no link was made. The buttons call `run`, `cancel` and `convert`.
#[component]
pub fn RunState(
    texts: RunTexts,
    phase: RwSignal<CollectionPhase>,
    says: Signal<Option<(String, String)>>,
    is_stored: Memo<Option<bool>>,
    run: Callback<()>,
    cancel: Callback<()>,
    convert: Callback<()>,
) -> impl IntoView {
    let RunTexts { running, asks, start, cancelled, again } = texts;
    let phase = Memo::new(move |_| phase.get());
    // A run that ends at once shows no progress.
    let progress = Memo::new(move |_| match phase.get() {
        CollectionPhase::Running(progress) => progress,
        _ => None,
    });
    let is_running = Memo::new(move |_| progress.with(Option::is_some));
    let is_answered = Memo::new(move |_| phase.with(|phase| *phase == CollectionPhase::Answered));
    let is_cancelled = Memo::new(move |_| phase.with(|phase| *phase == CollectionPhase::Cancelled));
    let cells = Memo::new(move |_| match phase.get() {
        CollectionPhase::Asking { cells } => Some(cells),
        _ => None,
    });
    let question = move || {
        let cells = cells.get()?;
        Some(asks(WorkUnit::Cells.work(cells), expected_time(cells as f64 / ASSUMED_CELLS_PER_MS)))
    };
    let problem = Memo::new(move |_| match phase.get() {
        CollectionPhase::Failed(problem) => Some(problem),
        _ => None,
    });
    let done = move || {
        let (bold, rest) = says.get()?;
        Some(view! {
            <strong>{bold}</strong>
            " "
            {rest}
            " "
            <span class="aside">
                {move || match is_stored.get() {
                    None => t("Nothing left this device."),
                    Some(true) => t("The server stores an encrypted copy for your link."),
                    Some(false) => "",
                }}
            </span>
        })
    };
    let restart = NodeRef::<Button>::new();
    let cancel = Callback::new(move |()| {
        cancel.run(());
        // The button is gone now.
        focus_next(move || restart.get_untracked().map(Into::into));
    });
    view! {
        {move || is_running.get().then(|| view! { <Progress progress running cancel /> })}
        {move || cells.get().is_some().then(|| view! {
            <div class="msg">
                <p class="say">{question}</p>
                <button class="btn main" type="button" on:click=move |_| run.run(())>{start}</button>
            </div>
        })}
        {move || is_cancelled.get().then(|| view! {
            <div class="msg">
                <p class="say">{cancelled}</p>
                <button class="btn" type="button" node_ref=restart on:click=move |_| run.run(())>{again}</button>
            </div>
        })}
        {move || problem.get().map(|problem| view! { <Failure problem convert /> })}
        <p class="say" hidden=move || !is_answered.get()>{done}</p>
        <details class="means" hidden=move || is_stored.get().is_some() || !is_answered.get()>
            <summary>{t("What “nothing left this device” means")}</summary>
            <p>
                {t("The page reads and compares the texts in this browser. No text, no name, no file and no result is sent to a server; the network may be switched off. Short texts are in the address of the page, so that a copied address contains them.")}
            </p>
        </details>
    }
}

/// Renders a problem. A button converts texts that are not UTF-8.
#[component]
fn Failure(problem: Problem, convert: Callback<()>) -> impl IntoView {
    let is_encoding = problem.kind == "not-utf-8";
    let small = problem.said.as_deref().map(str::to_owned);
    view! {
        <div class="msg bad" role="alert">
            <h3>{icon(Icon::Alert)} {problem.title}</h3>
            <p class="say">{problem.detail}</p>
            <p class="note">{small}</p>
            <button class="btn small" type="button" hidden=!is_encoding on:click=move |_| convert.run(())>
                {t("Convert and edit")}
            </button>
        </div>
    }
}

#[component]
fn Progress(progress: Memo<Option<RunProgress>>, running: &'static str, cancel: Callback<()>) -> impl IntoView {
    let share =
        move || progress.with(|progress| progress.as_ref().map_or(0.0, |progress| progress.done as f64 / progress.total.max(1) as f64));
    let says = move || {
        let eta_ms = progress.with(|progress| progress.as_ref().filter(|progress| progress.done > 0).map(|progress| progress.eta_ms));
        match eta_ms.map(remaining_time) {
            Some(words) => format!("{} · {}", whole_percent(share()), words.join(" ").trim()),
            // Nothing is measured yet.
            None => whole_percent(share()),
        }
    };
    view! {
        <div class="progressing row apart">
            <p class="say">
                <strong>{running}</strong>
                " "
                {says}
            </p>
            <progress aria-label=t("Progress") max="1" prop:value=share></progress>
            <button class="btn warn" type="button" on:click=move |_| cancel.run(())>
                {t("Cancel")}
            </button>
        </div>
    }
}
