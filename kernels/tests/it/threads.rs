//! An engine with three threads uses three at the same time, also on a machine with fewer cores, and finds the same
//! answers as with one. Most texts of the other tests are so short that one thread does all the work because it is
//! faster.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use kernels::engine::{Cpu, Engine};
use kernels::event::RunSignal;
use kernels::job::{JobOptions, Task};
use kernels::run::{Observer, Run};
use kernels::text::Pair;
use oracle::{bytes, random, solve_and_verify};

const THREADS: usize = 3;

/// Maximum time for which a reporting thread waits for the others.
const WAIT: Duration = Duration::from_millis(20);

/// An observer that counts threads that report at the same time. Each thread waits until all have reported, or for
/// [`WAIT`].
#[derive(Default)]
struct AtOnce {
    threads: Mutex<Reporting>,
    changed: Condvar,
}

#[derive(Default)]
struct Reporting {
    now: usize,
    most: usize,
}

impl Observer for AtOnce {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        // Only one thread at a time reports hits.
        let RunSignal::Progress { .. } = signal else { return ControlFlow::Continue(()) };
        let mut threads = self.threads.lock().unwrap();
        threads.now += 1;
        threads.most = threads.most.max(threads.now);
        self.changed.notify_all();
        let (mut threads, _) = self.changed.wait_timeout_while(threads, WAIT, |threads| threads.most < THREADS).unwrap();
        threads.now -= 1;
        ControlFlow::Continue(())
    }
}

/// Returns the maximum number of threads that report at the same time while an engine with `threads` threads solves a
/// task.
fn at_once(threads: usize, task: Task, pair: &Pair, options: &JobOptions) -> usize {
    let observer = AtOnce::default();
    Engine::Cpu(Cpu { threads }).run(task, options, pair, &Run::new(&observer)).unwrap();
    observer.threads.into_inner().unwrap().most
}

/// Returns texts that three threads share, and options for the task.
fn large(task: Task) -> (Pair, JobOptions) {
    let texts = |m, n| bytes(&random(b"ACGT", m, 1), &random(b"ACGT", n, 2));
    let plain = JobOptions::default();
    match task {
        Task::EditDistance | Task::Lcs | Task::SequenceAlignment => (texts(3500, 3600), plain),
        Task::ApproximateSearch => (texts(40, 400_000), JobOptions { max_distance: Some(13), ..plain }),
        Task::MatchCount => (texts(200, 200_000), plain),
        Task::ExactSearch => (texts(9, 4 << 20), plain),
    }
}

#[test]
fn engine_with_three_threads_uses_three() {
    for task in Task::ALL {
        let (pair, options) = large(task);
        assert_eq!(at_once(THREADS, task, &pair, &options), THREADS, "{}", task.name());
        solve_and_verify(&Engine::Cpu(Cpu { threads: THREADS }), task, &pair, &options);
    }
}

/// The observer of the other test would notice fewer threads.
#[test]
fn engine_with_fewer_threads_uses_no_more() {
    let (pair, options) = large(Task::Lcs);
    for threads in [1, 2] {
        assert_eq!(at_once(threads, Task::Lcs, &pair, &options), threads);
    }
}
