//! Time slicing: who has a device that a large job could fill for seconds. Brief jobs never wait for anybody; a large sweep leaves the
//! device at the next border of its tiles while there are any, and goes on where it was. Neither can starve the other: a pause
//! has an end, and after it the sweep has some time of its own. Large sweeps take turns among each other.
//!
//! Time is counted in looks of about a millisecond: nothing here knows a clock.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::run::{Halt, Run};

/// How long a look takes.
pub(super) const LOOK: Duration = Duration::from_millis(1);
/// Looks that a large sweep pauses at most.
const PAUSE: u32 = 200;
/// Looks that it has then: as many as it has paused, within these.
const OWN: [u32; 2] = [2, 50];
/// Looks that it has while another one waits.
const SLICE: u32 = 200;

/// The order of a device.
#[derive(Debug, Default)]
pub(super) struct TimeSlicing {
    desk: Mutex<Desk>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Desk {
    /// Brief jobs on the device.
    brief: usize,
    /// Whether a large sweep has the device.
    busy: bool,
    /// Large sweeps that wait, by their numbers, and the next number.
    line: VecDeque<u64>,
    next: u64,
}

/// A brief job, while it is on the device.
#[derive(Debug)]
pub(super) struct Brief<'t>(&'t TimeSlicing);

/// A large sweep's turn.
#[derive(Debug)]
pub(crate) struct TimeSlice<'t> {
    time_slicing: &'t TimeSlicing,
    /// Looks since it began, and those that are its own.
    looks: u32,
    own: u32,
}

impl TimeSlicing {
    /// A brief job begins.
    pub(super) fn arrive(&self) -> Brief<'_> {
        self.desk().brief += 1;
        Brief(self)
    }

    /// A brief job ends that [stays](Brief::stays).
    pub(super) fn leave(&self) {
        self.desk().brief -= 1;
        self.changed.notify_all();
    }

    /// Waits for the turn of a large sweep.
    ///
    /// # Errors
    /// `Stopped` when the observer breaks off meanwhile.
    pub(super) fn wait(&self, run: &Run) -> Result<TimeSlice<'_>, Halt> {
        let mut desk = self.desk();
        let number = desk.next;
        desk.next += 1;
        desk.line.push_back(number);
        let mut place = PlaceInLine { time_slicing: self, number, looks: 0 };
        loop {
            let first = desk.line.front() == Some(&number) && !desk.busy;
            if first && (desk.brief == 0 || place.looks >= PAUSE) {
                desk.busy = true;
                drop(desk);
                let own = place.looks.clamp(OWN[0], OWN[1]);
                return Ok(TimeSlice { time_slicing: self, looks: 0, own });
            }
            let (held, waited) = self.changed.wait_timeout(desk, LOOK).unwrap_or_else(PoisonError::into_inner);
            // What counts is how long brief jobs alone were in the way.
            place.looks += u32::from(first && waited.timed_out());
            drop(held);
            run.tick(0)?;
            desk = self.desk();
        }
    }

    /// Whether a large sweep has the device.
    #[cfg(test)]
    pub(super) fn is_busy(&self) -> bool {
        self.desk().busy
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        // Everything under this lock is a count or one push or remove.
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TimeSlice<'_> {
    /// Counts a look, and says whether the sweep shall leave the device now.
    pub(super) fn is_wanted(&mut self) -> bool {
        self.looks += 1;
        let desk = self.time_slicing.desk();
        desk.brief > 0 && self.looks >= self.own || !desk.line.is_empty() && self.looks >= SLICE
    }
}

/// A place in the line.
struct PlaceInLine<'t> {
    time_slicing: &'t TimeSlicing,
    number: u64,
    looks: u32,
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        self.time_slicing.desk().line.retain(|number| *number != self.number);
        self.time_slicing.changed.notify_all();
    }
}

impl Brief<'_> {
    /// It is there until somebody says that it [leaves](TimeSlicing::leave). True.
    pub(super) fn stays(self) -> bool {
        std::mem::forget(self);
        true
    }
}

impl Drop for Brief<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Drop for TimeSlice<'_> {
    fn drop(&mut self) {
        self.time_slicing.desk().busy = false;
        self.time_slicing.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
