//! An engine that is asked for three threads has three at work at the same time, also on a machine of fewer cores, and they find what one
//! finds. The texts of the other tests are mostly so short that one thread is quicker, and does all.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use kernels::engine::{Cpu, Engine};
use kernels::event::Signal;
use kernels::job::{Options, Task};
use kernels::run::{Observer, Run};
use kernels::text::Pair;
use oracle::{bytes, random, verified};

const THREADS: usize = 3;

/// How long a thread that reports waits for the others.
const WAIT: Duration = Duration::from_millis(20);

/// Counts threads that report at the same time: each stays until all are there, or for a while.
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
    fn on_signal(&self, signal: Signal) -> ControlFlow<()> {
        // What is found is reported by one thread after the other.
        let Signal::Progress { .. } = signal else { return ControlFlow::Continue(()) };
        let mut threads = self.threads.lock().unwrap();
        threads.now += 1;
        threads.most = threads.most.max(threads.now);
        self.changed.notify_all();
        let (mut threads, _) = self.changed.wait_timeout_while(threads, WAIT, |threads| threads.most < THREADS).unwrap();
        threads.now -= 1;
        ControlFlow::Continue(())
    }
}

/// Most threads that report at the same time while an engine of so many solves a task.
fn at_once(threads: usize, task: Task, pair: &Pair, options: &Options) -> usize {
    let observer = AtOnce::default();
    Engine::Cpu(Cpu { threads }).run(task, options, pair, &Run::new(&observer)).unwrap();
    observer.threads.into_inner().unwrap().most
}

/// Texts of this task that three threads share, and what is asked of them.
fn large(task: Task) -> (Pair, Options) {
    let texts = |m, n| bytes(&random(b"ACGT", m, 1), &random(b"ACGT", n, 2));
    let plain = Options::default();
    match task {
        Task::EditDistance | Task::Lcs => (texts(3500, 3600), plain),
        Task::ApproximateSearch => (texts(40, 400_000), Options { max_distance: Some(13), ..plain }),
        Task::MatchCount => (texts(200, 200_000), plain),
        Task::ExactSearch => (texts(9, 4 << 20), plain),
    }
}

#[test]
fn three_threads_are_three() {
    for task in Task::ALL {
        let (pair, options) = large(task);
        assert_eq!(at_once(THREADS, task, &pair, &options), THREADS, "{}", task.name());
        verified(&Engine::Cpu(Cpu { threads: THREADS }), task, &pair, &options);
    }
}

/// They would be seen if they were fewer.
#[test]
fn fewer_threads_are_fewer() {
    let (pair, options) = large(Task::Lcs);
    for threads in [1, 2] {
        assert_eq!(at_once(threads, Task::Lcs, &pair, &options), threads);
    }
}
