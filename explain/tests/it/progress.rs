//! Tests that the progress of a run, in the events for the page, never runs backwards.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use explain::event_builder::EventBuilder;
use kernels::engine::{Cpu, Engine};
use kernels::event::{JobEvent, RunProgress, RunSignal};
use kernels::job::{JobOptions, Task};
use kernels::plan::{EngineLimits, EngineName, EnginePlace, PlannerOffer, TaskRate, plan};
use kernels::run::{Observer, Run};
use kernels::task::solver;
use kernels::text::Pair;
use oracle::{bytes, mutated, random};

/// An observer like that of the server, which keeps every progress, sent or not.
struct Recorder {
    builder: Mutex<(EventBuilder, Vec<RunProgress>)>,
    clock: Instant,
}

impl Observer for Recorder {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let mut kept = self.builder.lock().unwrap();
        let now = 1e3 * self.clock.elapsed().as_secs_f64();
        let event = kept.0.event(signal, now);
        if matches!(signal, RunSignal::Progress { .. }) {
            let progress = kept.0.progress();
            assert!(event.is_none_or(|event| event == JobEvent::Progress(progress)), "another progress was reported");
            kept.1.push(progress);
        }
        ControlFlow::Continue(())
    }
}

fn check(task: Task, pair: &Pair, what: &str) {
    let tasks = vec![TaskRate { task, cells_per_second: 1e11 }];
    let (engine, place, device, version) = (EngineName::Cpu, EnginePlace::Server, String::new(), String::new());
    let offer = PlannerOffer { engine, place, device, tasks, start_ms: 0.0, bytes_per_second: 1e9, limits: EngineLimits::NONE, version };
    let options = JobOptions::default();
    // Tests a plan that knows the texts, and one that knows only their lengths.
    for work in [solver(task).work_for(pair, &options), solver(task).work(&pair.into(), &options)] {
        let builder = EventBuilder::new(&plan(&work, std::slice::from_ref(&offer)).unwrap(), 0.0);
        let recorder = Recorder { builder: Mutex::new((builder, Vec::new())), clock: Instant::now() };
        Engine::Cpu(Cpu { threads: 3 }).run(task, &options, pair, &Run::new(&recorder)).unwrap();
        let (builder, all) = recorder.builder.into_inner().unwrap();
        let share = |progress: &RunProgress| progress.done as f64 / progress.total.max(1) as f64;
        assert!(all.len() > 20, "{task:?}, {what}: {} signals", all.len());
        for (before, after) in all.iter().zip(&all[1..]) {
            assert!(share(before) <= share(after), "{task:?}, {what}: {before:?}, then {after:?}");
        }
        assert!(builder.all_done().is_some_and(|progress| progress.done == progress.total && progress.eta_ms == 0.0));
    }
}

/// Tests narrow bands that do not prove the distance, wider ones, the way back, and corridors that skip many cells.
#[test]
fn progress_of_pairs_never_decreases() {
    let a = random(b"ACGT", 150_000, 1);
    let gap = [&mutated(&a[..50_000], b"ACGT", 0.02, 5)[..], &random(b"ACGT", 9_000, 3), &mutated(&a[50_000..], b"ACGT", 0.02, 6)].concat();
    for task in [Task::EditDistance, Task::Lcs] {
        check(task, &bytes(&a, &random(b"ACGT", 150_000, 2)), "unrelated");
        check(task, &bytes(&a, &gap), "with a gap");
        for rate in [0.03, 0.3] {
            check(task, &bytes(&a, &mutated(&a, b"ACGT", rate, 4)), &format!("{rate}"));
        }
    }
}
