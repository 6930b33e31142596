//! Time slicing: shares a device between brief jobs and jobs that could occupy it for seconds. Brief jobs never wait. A
//! large sweep stops at the next border of its tiles while brief jobs exist, and continues there later. Neither can
//! starve the other: a pause is limited, and after it the sweep has a minimum time of its own. Large sweeps take turns.
//!
//! Time is counted in polls of about a millisecond, because kernels have no clock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::run::{Halt, Run};

/// Interval between two polls of a large sweep, which is a job that could occupy the device for seconds.
pub(super) const SWEEP_POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Maximum number of polls for which a large sweep pauses for brief jobs.
const MAX_PAUSE_POLLS: u32 = 200;
/// Minimum and maximum of the time that a large sweep has after a pause before it pauses again, in polls. Between them
/// the time equals the length of the pause.
const MIN_TURN_POLLS: [u32; 2] = [2, 50];
/// Number of polls after which a large sweep yields to another one that waits.
const TIME_SLICE_POLLS: u32 = 200;

/// The scheduler of a device, which decides whether a large sweep or brief jobs may use it.
#[derive(Debug, Default)]
pub(super) struct TimeSlicing {
    state: Mutex<TimeSlicingState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TimeSlicingState {
    /// Number of brief jobs that are using the device.
    brief: usize,
    /// Whether a large sweep occupies the device.
    busy: bool,
    /// Numbers of the waiting large sweeps, in the order of their turns.
    line: VecDeque<u64>,
    /// Number of the next large sweep that waits.
    next: u64,
}

/// The registration of a brief job that is on the device. Dropping it ends the registration.
#[derive(Debug)]
pub(super) struct BriefJobRegistration<'t>(&'t TimeSlicing);

/// The turn of a large sweep, during which it has the device. Dropping it ends the turn.
#[derive(Debug)]
pub(crate) struct TimeSlice<'t> {
    time_slicing: &'t TimeSlicing,
    /// Number of polls since this turn began.
    polls: u32,
    /// Number of polls that the turn lasts at least, before the sweep yields to brief jobs.
    own: u32,
}

impl TimeSlicing {
    /// Registers a brief job, so that large sweeps yield to it.
    pub(super) fn arrive(&self) -> BriefJobRegistration<'_> {
        self.state().brief += 1;
        BriefJobRegistration(self)
    }

    /// Ends the registration of a brief job whose guard was leaked by [`BriefJobRegistration::leak_guard`].
    pub(super) fn leave(&self) {
        self.state().brief -= 1;
        self.changed.notify_all();
    }

    /// Waits until it is the turn of this large sweep, and returns the turn.
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
    /// Counts a poll of the sweep and returns whether it must yield the device now.
    pub(super) fn is_wanted(&mut self) -> bool {
        self.polls += 1;
        let desk = self.time_slicing.state();
        desk.brief > 0 && self.polls >= self.own || !desk.line.is_empty() && self.polls >= TIME_SLICE_POLLS
    }
}

/// A waiting large sweep in the queue. Dropping it leaves the queue.
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
    /// Keeps the job registered until [`TimeSlicing::leave`] is called, although the guard is gone. Returns `true` for
    /// use in conditions.
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
