//! The plan of a run: a sentence beside the options about a run that waits or is under way ([`RunBar`]), and a small
//! line about the run below its result ([`run_line`]).

use kernels::plan::EnginePlace;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::model::link::link_view::Tab;
use crate::model::run::RunPhase;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::location::ResultLocation;
use crate::model::run::sentence::{StyledSentence, computed, unplanned};
use crate::model::text::humanize;
use crate::page::actions::Action;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::browser::lazy::{LazyPart, draw_into, lazy_inline};
use crate::view::form::run_button::RunButton;
use crate::view::form::stored_data::result_storage;
use crate::view::widgets::icon::{Icon, icon};

/// Minimum duration of a run's step for which the step is mentioned, in milliseconds.
const MIN_SHOWN_STEP_MS: f64 = 400.0;

/// Renders a sentence about a run that waits for the visitor or is under way, with the button that starts or cancels
/// it. Renders nothing once there is an answer.
#[component]
pub fn RunBar() -> impl IntoView {
    let page = expect_context::<Page>();
    // The reading of the texts while the visitor types is not mentioned, unless it takes long.
    let said = Memo::new(move |before: Option<&StyledSentence>| {
        let now = page.now.get();
        page.run.with(|run| match before {
            Some(before) if run.phase == RunPhase::Reading && now - run.started_at < MIN_SHOWN_STEP_MS => before.clone(),
            _ => match page.action_table().filter(|_| run.plan.is_some()) {
                Some(acts) => (acts.sentence)(run, now),
                None => unplanned(run),
            },
        })
    });
    let under_way = Memo::new(move |_| page.run.with(|run| run.is_under_way() && run.phase != RunPhase::Reading) || slow_reading(page));
    let idle = Memo::new(move |_| page.is_blank());
    let remark = move || page.connection.get().or_else(|| page.remark.get());
    let waits = Memo::new(move |before: Option<&bool>| {
        !idle.get()
            && page.run.with(|run| match run.phase {
                RunPhase::Done => false,
                // While the texts are read, the bar stays visible or hidden as before.
                RunPhase::Reading => slow_reading(page) || before == Some(&true),
                RunPhase::Idle | RunPhase::Waiting | RunPhase::Uploading { .. } | RunPhase::Queued { .. } | RunPhase::Running => true,
                RunPhase::Failed(_) | RunPhase::Cancelled => true,
            })
    });
    let is_uploaded = Memo::new(move |_| {
        let waits =
            page.run.with(|run| run.phase == RunPhase::Waiting && run.plan.as_ref().is_some_and(|plan| plan.place == EnginePlace::Server));
        waits && page.form.with(|form| form.bytes_to_send() > 0)
    });
    view! {
        <section class="runbar" class:waits=waits aria-label=t("Plan") hidden=move || !waits.get() && remark().is_none()>
            <p class="plan-said">
                {move || said.get().before}
                <strong>{move || said.get().bold}</strong>
                {move || said.get().plain}
                <span class="aside">{move || said.get().aside}</span>
                {move || is_uploaded.get().then(|| view! { " " <strong>{t("Your texts will be uploaded.")}</strong> })}
                <span class="aside" role="status">{move || remark().map(|remark| format!(" {remark}"))}</span>
            </p>
            <div class="row" hidden=move || !waits.get()>
                <RunButton under_way idle />
            </div>
        </section>
    }
}

/// Returns whether the run has been under way for longer than [`MIN_SHOWN_STEP_MS`].
fn slow_reading(page: Page) -> bool {
    page.run.with(|run| run.is_under_way() && page.now.get() - run.started_at > MIN_SHOWN_STEP_MS)
}

/// Draws the line about a run, which is below the answer.
#[inline(never)]
#[wasm_split(result, wasm_split_path = ::leptos::wasm_split, fallible)]
pub fn run_line() -> LazyPart<ArcRwSignal<(ShownResult, RwSignal<CheckOutcome>)>> {
    Ok(|place, result| draw_into(place, move || view! { <RunLine result /> }))
}

/// Renders the engine and the time of a run, whether its answer was verified, when the link to it expires, and a button
/// for further details.
#[component]
fn RunLine(result: ArcRwSignal<(ShownResult, RwSignal<CheckOutcome>)>) -> impl IntoView {
    let (page, result) = (expect_context::<Page>(), RwSignal::from(result));
    let parts = Memo::new(move |_| result.with(|(shown, _)| computed(&shown.run)));
    let at = Memo::new(move |_| result.with(|(shown, _)| shown.location.clone()));
    let ends = Memo::new(move |_| result.with(|(shown, _)| shown.expires_at));
    let ends = move || {
        ends.get().map(|at| {
            view! { <span>{tr!("The link to this result expires on {day}.", day = humanize::day(at))}</span> }
        })
    };
    let check = move || {
        let (ok, said) = match result.with(|(_, checked)| checked.get()) {
            CheckOutcome::Pending => (false, t("verifying …")),
            CheckOutcome::Walked | CheckOutcome::Added => (true, t("verified")),
            CheckOutcome::No => (false, t("not verified again")),
        };
        view! { <span class:ok=ok>{ok.then(|| icon(Icon::Check))} {said}</span> }
    };
    let job = move || match at.get() {
        ResultLocation::Job(id) => Some(id),
        ResultLocation::Here(_) | ResultLocation::Link(_) | ResultLocation::Hit(..) | ResultLocation::Offset(..) => None,
    };
    view! {
        <section class="runline" aria-label=t("Run")>
            <span>{move || parts.get().map(|[how, _]| how)}</span>
            {check}
            <span>{move || parts.get().map(|[_, texts]| texts)}</span>
            {ends}
            {lazy_inline(job, result_storage)}
            <button
                class="link"
                type="button"
                hidden=move || page.link_view.with(|look| look.tab == Tab::Metrics)
                on:click=move |_| page.dispatch(Action::LookAt(Tab::Metrics))
            >
                {t("Run details")}
            </button>
        </section>
    }
}
