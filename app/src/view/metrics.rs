//! "This run": who computed, how long it was expected to take and took, and whether the answer was checked.

use kernels::event::Stage;
use kernels::job::Task;
use kernels::plan::{EngineName, Place};
use kernels::words::grouped;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use crate::page::Shown;
use crate::run::RunState;
use crate::words::{self, Counted};

/// Facts of a run, in the order in which they are shown.
pub fn facts(run: &RunState, counted: Counted) -> Vec<(&'static str, String)> {
    let metric = |name: &str| run.metrics.get(name).copied();
    let mut facts = Vec::new();
    if let Some(plan) = &run.plan {
        let engine = match (plan.place, plan.engine) {
            (Place::Browser, _) => "this browser",
            (Place::Server, EngineName::Cpu) => "server, processor",
            (Place::Server, EngineName::Cuda) => "server, CUDA",
        };
        facts.push(("Engine", engine.to_owned()));
        facts.push(("Device", plan.device.clone()));
        let took = metric("total_ms").map_or_else(|| "–".into(), words::took);
        facts.push(("Expected, took", format!("{}, {took}", words::took(plan.expected_ms))));
    }
    facts.extend(metric("queue_ms").filter(|ms| *ms >= 1.0).map(|ms| ("Waited", words::took(ms))));
    facts.extend(metric("cells").map(|cells| (counted.done(), grouped(cells as u64))));
    // Of shorter times the browser's clock, coarse on purpose, tells nothing.
    let solving = metric("compute_ms").unwrap_or_default() + metric("traceback_ms").unwrap_or_default();
    facts.extend(metric("cells_per_second").filter(|_| solving >= 1.0).map(|rate| ("Rate", counted.rate(rate))));
    for (stage, name) in Stage::ALL.into_iter().zip(["Reading", "Sending to the device", "Computing", "Alignment"]) {
        facts.extend(metric(stage.metric()).filter(|ms| *ms > 0.0).map(|ms| (name, words::took(ms))));
    }
    facts.extend(metric("peak_bytes").filter(|bytes| *bytes > 0.0).map(|peak| ("Memory", words::bytes(peak as u64))));
    facts
}

/// Whether an answer was checked on this device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Not yet.
    Pending,
    /// The columns of its alignment, or of a hit's, were walked through.
    Walked,
    /// They were added up again.
    Added,
    /// It has no alignment here.
    No,
}

/// The panel.
#[component]
pub fn ThisRun(shown: Shown, checked: RwSignal<Checked>) -> impl IntoView {
    let rows = facts(&shown.run, Counted::of(shown.form.task)).into_iter().map(|(name, value)| {
        view! {
            <dt>{name}</dt>
            <dd>{value}</dd>
        }
    });
    let walked = match shown.form.task {
        Task::EditDistance => "the edits turn a into b",
        Task::Lcs => "in this order in both",
        Task::ApproximateSearch | Task::MatchCount | Task::ExactSearch => "the opened hit",
    };
    let check = move || {
        let (ok, what) = match checked.get() {
            Checked::Pending => (false, "adding up the columns"),
            Checked::Walked => (true, walked),
            Checked::Added => (true, "the columns add up"),
            Checked::No => (false, "by the engine only"),
        };
        view! { <dd class:ok=ok>{ok.then(|| icon(Icon::Check))} <span>{what}</span></dd> }
    };
    let version = shown.at.is_here().then_some(env!("CARGO_PKG_VERSION"));
    view! {
        <section aria-label="This run">
            <h2 class="mb">"This run"</h2>
            <dl class="facts">
                {rows.collect_view()}
                {version.map(|version| view! { <dt>"Version"</dt><dd>{version}</dd> })}
                <dt>"Checked"</dt>
                {check}
            </dl>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use kernels::event::{Event, Metric};
    use kernels::plan::Plan;

    use super::*;
    use crate::run::Phase;

    #[test]
    fn only_what_was_measured_is_told() {
        let mut run = RunState::begun(Phase::Reading, 0.0);
        let because = String::new();
        let plan = Plan {
            engine: EngineName::Cuda,
            place: Place::Server,
            device: "NVIDIA H200".into(),
            because,
            reason: None,
            expected_ms: 100.0,
            alternative: None,
        };
        run.apply(Event::Planned(plan), 0.0);
        for (name, value) in [("cells", 1e6), ("cells_per_second", 42e12), ("total_ms", 110.0), ("compute_ms", 100.0), ("read_ms", 0.0)] {
            run.apply(Event::Metric(Metric { name: name.into(), value, unit: String::new() }), 1.0);
        }
        let facts = facts(&run, Counted::Cells);
        let named: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, ["Engine", "Device", "Expected, took", "Cells filled", "Rate", "Computing"]);
        assert_eq!(facts[2].1, "100\u{a0}ms, 110\u{a0}ms");
    }
}
