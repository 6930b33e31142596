//! Checks that no job waits forever, and that no sweep yields without a reason.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;
use crate::event::RunSignal;
use crate::gpu::Gpu;
use crate::run::{NoObserver, Observer};

impl Gpu {
    /// Returns the number of brief jobs that need the GPU now.
    pub(crate) fn brief_jobs(&self) -> usize {
        self.time_slicing.state().brief_jobs
    }

    /// Returns whether a large sweep occupies the GPU.
    pub(crate) fn is_swept(&self) -> bool {
        self.time_slicing.is_busy()
    }

    /// Calls `work` while brief jobs come and go. Returns its result, and how often a sweep yielded to a brief job.
    pub(crate) fn disturbed<R>(&self, work: impl FnOnce() -> R) -> (R, u32) {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let jobs = scope.spawn(|| {
                let mut left = 0;
                while !over.load(Relaxed) {
                    let begun = self.time_slicing.is_busy();
                    let brief = self.time_slicing.begin_brief_job();
                    std::thread::sleep(Duration::from_millis(4));
                    left += u32::from(begun && !self.time_slicing.is_busy());
                    drop(brief);
                    std::thread::sleep(Duration::from_millis(1));
                }
                left
            });
            let done = work();
            over.store(true, Relaxed);
            (done, jobs.join().unwrap())
        })
    }
}

/// Returns the number of polls until the sweep must yield, or `most` + 1 if it need not yield within `most` polls.
fn looks(turn: &mut TimeSlice, most: u32) -> u32 {
    (1..=most).find(|_| turn.must_yield()).unwrap_or(most + 1)
}

#[test]
fn sweep_without_other_jobs_is_not_interrupted() {
    let turns = TimeSlicing::default();
    let mut turn = turns.wait(&Run::new(&NoObserver)).unwrap();
    assert_eq!(looks(&mut turn, 10 * TIME_SLICE_POLLS), 10 * TIME_SLICE_POLLS + 1);
}

#[test]
fn sweep_yields_to_a_brief_job_and_resumes() {
    let turns = TimeSlicing::default();
    let run = Run::new(&NoObserver);
    let mut turn = turns.wait(&run).unwrap();
    let brief = turns.begin_brief_job();
    assert_eq!(looks(&mut turn, 10), MIN_TURN_POLLS[0]);
    drop(turn);
    let gone = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (gone, turns, run) = (&gone, &turns, &run);
        let waits = scope.spawn(move || {
            let turn = turns.wait(run).unwrap();
            assert!(gone.load(Relaxed) || turn.min_polls == MIN_TURN_POLLS[1], "the sweep started too early beside a brief job");
        });
        std::thread::sleep(10 * SWEEP_POLL_INTERVAL);
        gone.store(true, Relaxed);
        drop(brief);
        waits.join().unwrap();
    });
}

#[test]
fn endless_brief_jobs_do_not_starve_a_sweep() {
    let turns = TimeSlicing::default();
    let run = Run::new(&NoObserver);
    let _brief = turns.begin_brief_job();
    for _ in 0..2 {
        let mut turn = turns.wait(&run).unwrap();
        assert_eq!(looks(&mut turn, 2 * MIN_TURN_POLLS[1]), MIN_TURN_POLLS[1]);
    }
}

#[test]
fn large_sweeps_take_turns() {
    let turns = TimeSlicing::default();
    let run = Run::new(&NoObserver);
    let mut turn = turns.wait(&run).unwrap();
    std::thread::scope(|scope| {
        let (turns, run) = (&turns, &run);
        let other = scope.spawn(move || drop(turns.wait(run).unwrap()));
        while turns.state().sweep_queue.is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(looks(&mut turn, 2 * TIME_SLICE_POLLS), TIME_SLICE_POLLS);
        drop(turn);
        // The sweep that has waited comes first.
        let _again = turns.wait(run).unwrap();
        other.join().unwrap();
    });
}

/// An observer that stops the run at its first signal.
struct StopsAtOnce;

impl Observer for StopsAtOnce {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn waiting_sweep_can_be_stopped() {
    let turns = TimeSlicing::default();
    let turn = turns.wait(&Run::new(&NoObserver)).unwrap();
    assert_eq!(turns.wait(&Run::new(&StopsAtOnce)).unwrap_err(), Halt::Stopped);
    assert_eq!(turns.state().sweep_queue.len(), 0);
    drop(turn);
    assert!(turns.wait(&Run::new(&NoObserver)).is_ok());
}
