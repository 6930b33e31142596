//! Time slicing: shares a GPU between brief jobs and jobs that could occupy it for seconds. Brief jobs never wait. A
//! large sweep (a kernel that fills a large matrix) stops soon while brief jobs exist, and continues later. Brief jobs
//! cannot starve a sweep, because a pause is limited, and after a pause the sweep has a minimum time of its own. Large
//! sweeps take turns.
//!
//! Time is counted in polls of about a millisecond, because kernels have no clock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::run::{Halt, Run};

/// Interval between two polls of a large sweep, which is a kernel that could occupy the GPU for seconds.
pub(super) const SWEEP_POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Maximum length of a large sweep's pause for brief jobs, in polls.
const MAX_PAUSE_POLLS: u32 = 200;
/// Bounds `[minimum, maximum]` of the time that a large sweep has after a pause before brief jobs may interrupt it
/// again, in polls. Within these bounds the time is as long as the pause was.
const MIN_TURN_POLLS: [u32; 2] = [2, 50];
/// Number of polls after which a large sweep yields to another large sweep that waits.
const TIME_SLICE_POLLS: u32 = 200;

/// The scheduler of a GPU, which decides whether a large sweep or brief jobs may use it.
#[derive(Debug, Default)]
pub(super) struct TimeSlicing {
    state: Mutex<TimeSlicingState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TimeSlicingState {
    /// Number of brief jobs that are using the GPU.
    brief_jobs: usize,
    /// Whether a large sweep occupies the GPU.
    busy: bool,
    /// Numbers of the large sweeps that wait, in the order of their turns.
    sweep_queue: VecDeque<u64>,
    /// Number that the next large sweep receives when it begins to wait.
    next: u64,
}

/// The registration of a brief job that uses the GPU. Dropping the value ends the registration.
#[derive(Debug)]
pub(super) struct BriefJobRegistration<'t>(&'t TimeSlicing);

/// The turn of a large sweep, during which no other large sweep uses the GPU. Dropping the value ends the turn.
#[derive(Debug)]
pub(crate) struct TimeSlice<'t> {
    time_slicing: &'t TimeSlicing,
    /// Number of polls since this turn began.
    polls: u32,
    /// Number of polls before which the sweep does not yield to brief jobs.
    min_polls: u32,
}

impl TimeSlicing {
    /// Registers a brief job, so that large sweeps yield to it.
    pub(super) fn begin_brief_job(&self) -> BriefJobRegistration<'_> {
        self.state().brief_jobs += 1;
        BriefJobRegistration(self)
    }

    /// Ends the registration of a brief job after [`BriefJobRegistration::leak_guard`] has leaked its guard.
    pub(super) fn end_brief_job(&self) {
        self.state().brief_jobs -= 1;
        self.changed.notify_all();
    }

    /// Waits until the calling large sweep may use the GPU, and returns its turn.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run meanwhile.
    pub(super) fn wait(&self, run: &Run) -> Result<TimeSlice<'_>, Halt> {
        let mut desk = self.state();
        let number = desk.next;
        desk.next += 1;
        desk.sweep_queue.push_back(number);
        let mut place = SweepQueuePlace { time_slicing: self, number, polls: 0 };
        loop {
            let first = desk.sweep_queue.front() == Some(&number) && !desk.busy;
            if first && (desk.brief_jobs == 0 || place.polls >= MAX_PAUSE_POLLS) {
                desk.busy = true;
                drop(desk);
                let own = place.polls.clamp(MIN_TURN_POLLS[0], MIN_TURN_POLLS[1]);
                return Ok(TimeSlice { time_slicing: self, polls: 0, min_polls: own });
            }
            let (held, waited) = self.changed.wait_timeout(desk, SWEEP_POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            // Counts only the time during which brief jobs alone delayed the sweep.
            place.polls += u32::from(first && waited.timed_out());
            drop(held);
            run.tick(0)?;
            desk = self.state();
        }
    }

    /// Returns whether a large sweep occupies the device.
    #[cfg(test)]
    pub(super) fn is_busy(&self) -> bool {
        self.state().busy
    }

    fn state(&self) -> MutexGuard<'_, TimeSlicingState> {
        // Each critical section changes a count or makes a single push or removal, so a panic leaves no partial change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TimeSlice<'_> {
    /// Counts a poll of the sweep, and returns whether the sweep must now yield the GPU.
    pub(super) fn must_yield(&mut self) -> bool {
        self.polls += 1;
        let desk = self.time_slicing.state();
        desk.brief_jobs > 0 && self.polls >= self.min_polls || !desk.sweep_queue.is_empty() && self.polls >= TIME_SLICE_POLLS
    }
}

/// The place of a waiting large sweep in the queue. Dropping the value removes the sweep from the queue.
struct SweepQueuePlace<'t> {
    time_slicing: &'t TimeSlicing,
    number: u64,
    polls: u32,
}

impl Drop for SweepQueuePlace<'_> {
    fn drop(&mut self) {
        self.time_slicing.state().sweep_queue.retain(|number| *number != self.number);
        self.time_slicing.changed.notify_all();
    }
}

impl BriefJobRegistration<'_> {
    /// Keeps the job registered until [`TimeSlicing::end_brief_job`] is called, although this guard is gone. Always returns
    /// `true`, for use in conditions.
    pub(super) fn leak_guard(self) -> bool {
        std::mem::forget(self);
        true
    }
}

impl Drop for BriefJobRegistration<'_> {
    fn drop(&mut self) {
        self.0.end_brief_job();
    }
}

impl Drop for TimeSlice<'_> {
    fn drop(&mut self) {
        self.time_slicing.state().busy = false;
        self.time_slicing.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
