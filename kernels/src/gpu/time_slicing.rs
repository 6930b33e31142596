//! Time slicing: shares a device between brief jobs and jobs that could occupy it for seconds. Brief jobs never wait. A
//! large sweep stops at the next border of its tiles while brief jobs exist, and continues there later. Neither can
//! starve the other: a pause is limited, and after it the sweep has a minimum time of its own. Large sweeps take turns.
//!
//! Time is counted in polls of about a millisecond, because kernels have no clock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::run::{Halt, Run};

/// Interval between two polls.
pub(super) const SWEEP_POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Maximum number of polls for which a large sweep pauses.
const MAX_PAUSE_POLLS: u32 = 200;
/// Range of the minimum time that a sweep has after a pause, in polls. Within the range it equals the length of the
/// pause.
const MIN_TURN_POLLS: [u32; 2] = [2, 50];
/// Number of polls after which a sweep yields to another waiting sweep.
const TIME_SLICE_POLLS: u32 = 200;

/// The scheduler of a device.
#[derive(Debug, Default)]
pub(super) struct TimeSlicing {
    state: Mutex<TimeSlicingState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TimeSlicingState {
    /// Number of brief jobs on the device.
    brief: usize,
    /// Whether a large sweep occupies the device.
    busy: bool,
    /// Numbers of the waiting large sweeps in order, and the next number.
    line: VecDeque<u64>,
    next: u64,
}

/// The registration of a brief job that is on the device.
#[derive(Debug)]
pub(super) struct BriefJobRegistration<'t>(&'t TimeSlicing);

/// The turn of a large sweep.
#[derive(Debug)]
pub(crate) struct TimeSlice<'t> {
    time_slicing: &'t TimeSlicing,
    /// Polls since this turn began, and the number it may run before yielding to brief jobs.
    polls: u32,
    own: u32,
}

impl TimeSlicing {
    /// Registers a brief job.
    pub(super) fn arrive(&self) -> BriefJobRegistration<'_> {
        self.state().brief += 1;
        BriefJobRegistration(self)
    }

    /// Removes a brief job that was registered permanently by [`BriefJobRegistration::leak_guard`].
    pub(super) fn leave(&self) {
        self.state().brief -= 1;
        self.changed.notify_all();
    }

    /// Waits for the turn of a large sweep.
    ///
    /// # Errors
    /// Returns `Stopped` if the observer stops the run meanwhile.
    pub(super) fn wait(&self, run: &Run) -> Result<TimeSlice<'_>, Halt> {
        let mut desk = self.state();
        let number = desk.next;
        desk.next += 1;
        desk.line.push_back(number);
        let mut place = SweepQueuePlace { time_slicing: self, number, polls: 0 };
        loop {
            let first = desk.line.front() == Some(&number) && !desk.busy;
            if first && (desk.brief == 0 || place.polls >= MAX_PAUSE_POLLS) {
                desk.busy = true;
                drop(desk);
                let own = place.polls.clamp(MIN_TURN_POLLS[0], MIN_TURN_POLLS[1]);
                return Ok(TimeSlice { time_slicing: self, polls: 0, own });
            }
            let (held, waited) = self.changed.wait_timeout(desk, SWEEP_POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            // Counts only the time during which nothing but brief jobs delayed the sweep.
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
    /// Counts a poll and returns whether the sweep must yield the device now.
    pub(super) fn is_wanted(&mut self) -> bool {
        self.polls += 1;
        let desk = self.time_slicing.state();
        desk.brief > 0 && self.polls >= self.own || !desk.line.is_empty() && self.polls >= TIME_SLICE_POLLS
    }
}

/// A place in the queue of large sweeps. Dropping it leaves the queue.
struct SweepQueuePlace<'t> {
    time_slicing: &'t TimeSlicing,
    number: u64,
    polls: u32,
}

impl Drop for SweepQueuePlace<'_> {
    fn drop(&mut self) {
        self.time_slicing.state().line.retain(|number| *number != self.number);
        self.time_slicing.changed.notify_all();
    }
}

impl BriefJobRegistration<'_> {
    /// Keeps the job registered until [`TimeSlicing::leave`] is called. Returns `true` for use in conditions.
    pub(super) fn leak_guard(self) -> bool {
        std::mem::forget(self);
        true
    }
}

impl Drop for BriefJobRegistration<'_> {
    fn drop(&mut self) {
        self.0.leave();
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
