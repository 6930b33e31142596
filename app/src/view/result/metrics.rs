//! Measurements of a run: the panel "This run" with engine, expected and actual time, and verification of the answer;
//! and a tab with all measurements.
//!
//! - [`time`]: stages on one ruler
//! - [`versus`]: compares this browser and the server; [`mod@bench`]: runs one job on each of them
//! - [`reproduce`]: commands that reproduce the run

use kernels::event::RunStage;
use kernels::job::Task;
use kernels::plan::{EngineName, EnginePlace};
use leptos::prelude::*;

use self::reproduce::Again;
use self::time::{Time, TimelineRow};
use self::versus::Versus;
use crate::model::run::RunState;
use crate::model::run::checked::CheckOutcome;
use crate::model::run::figures;
use crate::model::task::AnswerSentences;
use crate::model::task::TaskDescription;
use crate::model::text::humanize::{self, WorkUnit, grouped};
use crate::page::actions::Action;
use crate::page::{Page, ShownResult};
use crate::tr;
use crate::tr::t;
use crate::view::form::options::called;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::sheets::sheets;

pub mod bench;
pub mod reproduce;
pub mod time;
pub mod versus;

/// Returns the facts about a run in display order: name and value of each. `counted` is the unit of the run's work,
/// such as cells.
pub fn facts(run: &RunState, counted: WorkUnit) -> Vec<(&'static str, String)> {
    let metric = |name: &str| run.metrics.get(name).copied();
    let mut facts = Vec::new();
    if let Some(plan) = &run.plan {
        let engine = match (plan.place, plan.engine) {
            (EnginePlace::Browser, _) => t("this browser"),
            (EnginePlace::Server, EngineName::Cpu) => t("server, processor"),
            (EnginePlace::Server, EngineName::Cuda) => t("server, CUDA"),
        };
        facts.push((t("Engine"), engine.to_owned()));
        facts.push((t("Device"), humanize::device(&plan.device)));
        let took = metric("total_ms").map_or_else(|| "–".into(), humanize::measured_time);
        facts.push((t("Estimated"), humanize::measured_time(plan.expected_ms)));
        facts.push((t("Took"), took));
    }
    facts.extend(metric("threads").filter(|threads| *threads > 1.0).map(|threads| (t("Threads"), grouped(threads as u64))));
    facts.extend(metric("vector_bits").map(|bits| (t("Vectors"), tr!("{n} bits", n = bits))));
    facts.extend(metric("queue_ms").filter(|ms| *ms >= 1.0).map(|ms| (t("Waited"), humanize::measured_time(ms))));
    facts.extend(metric("cells").map(|cells| (counted.done(), grouped(cells as u64))));
    // Browsers reduce the resolution of their clock on purpose, so that shorter times mean nothing.
    let solving = metric("compute_ms").unwrap_or_default() + metric("traceback_ms").unwrap_or_default();
    facts.extend(metric("cells_per_second").filter(|_| solving >= 1.0).map(|rate| (t("Rate"), counted.rate(rate))));
    for (stage, name) in RunStage::ALL.into_iter().zip([t("Reading"), t("To the device"), t("Computing"), t("Alignment")]) {
        facts.extend(metric(stage.metric()).filter(|ms| *ms > 0.0).map(|ms| (name, humanize::measured_time(ms))));
    }
    facts.extend(metric("peak_bytes").filter(|bytes| *bytes > 0.0).map(|peak| (t("Memory"), humanize::bytes(peak as u64))));
    facts
}

/// Renders the panel "This run". `checked` is the outcome of the verification of the answer.
#[component]
pub fn ThisRun(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let rows = facts(&shown.run, TaskDescription::of(shown.form.task).work_unit).into_iter().map(|(name, value)| {
        view! {
            <dt>{name}</dt>
            <dd>{value}</dd>
        }
    });
    let walked = AnswerSentences::of(shown.form.task).verified_property();
    let check = move || {
        let (ok, what) = match checked.get() {
            CheckOutcome::Pending => (false, t("verifying …")),
            CheckOutcome::Walked => (true, walked),
            CheckOutcome::Added => (true, t("the columns add up")),
            CheckOutcome::No => (false, t("not verified again")),
        };
        view! { <dd class:ok=ok>{ok.then(|| icon(Icon::Check))} <span>{what}</span></dd> }
    };
    let version = shown.location.is_here().then_some(env!("CARGO_PKG_VERSION"));
    let page = expect_context::<Page>();
    view! {
        <section aria-label=t("This run")>
            <h2 class="mb">{t("This run")}</h2>
            <dl class="facts">
                {rows.collect_view()}
                {method(&shown)}
                {version.map(|version| view! { <dt>{t("Version")}</dt><dd>{version}</dd> })}
                <dt>{t("Verified")}</dt>
                {check}
            </dl>
            <p class="mt">
                <button class="btn small" type="button" on:click=move |_| page.dispatch(Action::Start)>
                    {t("Run again")}
                </button>
            </p>
        </section>
    }
}

/// Renders the method that the options name, with the section of the paper that describes it. Returns `None` if they
/// name no method.
fn method(shown: &ShownResult) -> Option<impl IntoView + use<>> {
    let method = shown.form.job_options().method?;
    let published = method.published(shown.form.task)?;
    let place = tr!("paper {paper}, {section}", paper = published.paper, section = published.section);
    Some(view! {
        <dt>{t("Method")}</dt>
        <dd>{called(method)} ", " <a href="/papers">{place}</a></dd>
    })
}

/// Renders all measurements of the run that produced the result `shown`. `checked` is the outcome of the verification
/// of the answer.
#[component]
pub fn MetricsView(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let (links, styled) = sheets(["metrics.css"]);
    view! {
        {links}
        {move || styled.get().then(|| view! { <Figures shown=shown.clone() checked /> })}
    }
}

/// Renders the measurements as soon as their style sheet is loaded.
#[component]
fn Figures(shown: ShownResult, checked: RwSignal<CheckOutcome>) -> impl IntoView {
    let run = shown.run.clone();
    let here = shown.location.is_here();
    let line = |span: figures::TimelineSpan| TimelineRow {
        name: span.part.name().into(),
        spans: vec![(span.from, span.ms, true)],
        took: humanize::measured_time(span.ms),
        about: span.part.about().into(),
    };
    let stages: Vec<TimelineRow> = figures::spans(&run, here).into_iter().map(line).collect();
    let counted = TaskDescription::of(shown.form.task).work_unit;
    let share = (!Task::SEARCHES.contains(&shown.form.task))
        .then(|| figures::share(run.metrics.get("cells").copied().unwrap_or_default(), shown.symbols))
        .flatten();
    let tile = |(name, value, about): (&'static str, String, String)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>
                    {value} " " <small>{about}</small>
                </dd>
            </div>
        }
    };
    let meaning = match counted {
        WorkUnit::Cells => t("CUPS are cells of the matrix a second: a GCUPS is a billion, a TCUPS a thousand times as many."),
        WorkUnit::Symbols => t("Every symbol of both texts is read once, so symbols are counted, not cells of a matrix."),
    };
    view! {
        <section class="section metrics" aria-labelledby="metrics-title">
            <header>
                <h2 id="metrics-title">{t("How it was found")}</h2>
            </header>
            <dl class="tiles">{tiles(&run, counted).into_iter().map(tile).collect_view()}</dl>
            <div class="split">
                <div class="stack loose">
                    <section class="stack" aria-labelledby="time-title">
                        <h3 id="time-title">{t("Time by stage")}</h3>
                        <Time lines=stages />
                        {figures::expectation(&run).map(|said| view! { <p class="say">{said}</p> })}
                        <p class="note">{share.map(|share| format!("{share} "))} {meaning}</p>
                    </section>
                    <Versus shown=shown.clone() />
                </div>
                <div class="stack loose">
                    <ThisRun shown=shown.clone() checked />
                </div>
            </div>
            <Again shown />
        </section>
    }
}

/// Returns the most important measurements, at most four: name, value and remark of each. `counted` is the unit of the
/// run's work, such as cells.
fn tiles(run: &RunState, counted: WorkUnit) -> Vec<(&'static str, String, String)> {
    let metric = |name: &str| run.metrics.get(name).copied();
    let solving = metric("compute_ms").unwrap_or_default() + metric("traceback_ms").unwrap_or_default();
    let mut tiles = Vec::new();
    tiles.extend(metric("total_ms").map(|ms| (t("Time"), humanize::measured_time(ms), String::new())));
    tiles.extend(metric("cells").map(|cells| (counted.done(), humanize::large(cells), String::new())));
    // Browsers reduce the resolution of their clock on purpose, so that shorter times mean nothing.
    let rate = metric("cells_per_second").filter(|_| solving >= 1.0);
    let unknown = || (t("Rate"), "–".to_owned(), t("too fast for the clock").to_owned());
    tiles.push(rate.map_or_else(unknown, |rate| (t("Rate"), counted.rate(rate), String::new())));
    let without = t("without the texts").to_owned();
    tiles.extend(metric("peak_bytes").filter(|bytes| *bytes > 0.0).map(|bytes| (t("Memory"), humanize::bytes(bytes as u64), without)));
    tiles
}

#[cfg(test)]
mod tests {
    use kernels::event::{JobEvent, RunMetric};
    use kernels::plan::JobPlan;

    use super::*;
    use crate::model::run::RunPhase;

    #[test]
    fn only_measured_values_are_shown() {
        let mut run = RunState::new(RunPhase::Reading, 0.0);
        let device = "NVIDIA H200".into();
        let plan = JobPlan { device, expected_ms: 100.0, ..JobPlan::unestimated(EngineName::Cuda, EnginePlace::Server) };
        run.apply(JobEvent::Planned(plan), 0.0);
        for (name, value) in [("cells", 1e6), ("cells_per_second", 42e12), ("total_ms", 110.0), ("compute_ms", 100.0), ("read_ms", 0.0)] {
            run.apply(JobEvent::Metric(RunMetric { name: name.into(), value, unit: String::new() }), 1.0);
        }
        let facts = facts(&run, WorkUnit::Cells);
        let named: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, ["Engine", "Device", "Estimated", "Took", "Cells filled", "Rate", "Computing"]);
        assert_eq!([&facts[2].1, &facts[3].1], ["100\u{a0}ms", "110\u{a0}ms"]);
        let tiles: Vec<String> = tiles(&run, WorkUnit::Cells).into_iter().map(|(_, value, _)| value).collect();
        assert_eq!(tiles, ["110\u{a0}ms", "1.0 × 10⁶", "42.0\u{a0}TCUPS"]);
    }
}
