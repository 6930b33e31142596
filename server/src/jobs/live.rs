//! A job that is waiting or running, or one that was read back: its record, its events, and the flag that stops it.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use explain::snapshot::Snapshot;
use kernels::event::{Event, Progress};
use kernels::failure::Failure;
use tokio::sync::watch;

use super::ring::{Replay, Ring};
use crate::id::Id;
use crate::record::Record;

/// Why a run was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Somebody cancelled the job.
    Cancelled = 1,
    /// It has run as long as a job may.
    OutOfTime = 2,
    /// The server stops.
    Interrupted = 3,
}

/// What changes while a job lives.
#[derive(Clone, Debug)]
pub struct JobState {
    /// The job as it stands, with the files of its result.
    pub record: Record,
    /// Its events.
    pub ring: Ring,
}

impl JobState {
    /// Appends an event and applies it.
    pub fn report(&mut self, event: Event) {
        let number = self.ring.push(event.clone());
        self.record.snapshot.apply(number, &event);
    }
}

/// One job. Only its run (or, while it waits, whoever holds the queue) reports events.
#[derive(Debug)]
pub struct Live {
    /// Its id.
    pub id: Id,
    state: Mutex<JobState>,
    last: watch::Sender<u64>,
    stop: AtomicU8,
}

impl Live {
    /// A job with what has happened to it so far.
    pub fn new(id: Id, state: JobState) -> Self {
        let last = watch::Sender::new(state.ring.last());
        Self { id, state: Mutex::new(state), last, stop: AtomicU8::new(0) }
    }

    /// Where it stands.
    pub fn snapshot(&self) -> Snapshot {
        self.lock().record.snapshot.clone()
    }

    /// Where it stands, with the files of its result.
    pub fn record(&self) -> Record {
        self.lock().record.clone()
    }

    /// All of it.
    pub fn state(&self) -> JobState {
        self.lock().clone()
    }

    /// Events after number `after`.
    pub fn replay(&self, after: u64) -> Replay {
        self.lock().ring.after(after)
    }

    /// Whether nothing will follow.
    pub fn is_over(&self) -> bool {
        self.lock().ring.is_over()
    }

    /// Changes with every event.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// Appends an event and wakes its subscribers.
    pub fn report(&self, event: Event) {
        let number = {
            let mut state = self.lock();
            state.report(event);
            state.ring.last()
        };
        self.last.send_replace(number);
    }

    /// Puts `state`, which was made from this one, in its place and wakes the subscribers.
    pub fn replace(&self, state: JobState) {
        let number = state.ring.last();
        *self.lock() = state;
        self.last.send_replace(number);
    }

    /// Tells the run to stop. The first reason stays.
    pub fn stop(&self, why: Stop) {
        // A failed exchange means that there is a reason already.
        let _ = self.stop.compare_exchange(0, why as u8, Relaxed, Relaxed);
    }

    /// Why the run was told to stop, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        [Stop::Cancelled, Stop::OutOfTime, Stop::Interrupted].into_iter().find(|why| *why as u8 == self.stop.load(Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        // A panic while the lock is held leaves whole values behind: every write is one push.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stop {
    /// The last event of a run that was stopped for this reason, so far.
    pub fn event(self, job_seconds: u64, reached: Option<Progress>) -> Event {
        match self {
            Self::Cancelled => Event::Cancelled,
            Self::OutOfTime => {
                let reached = reached.filter(|progress| progress.done > 0).map(|progress| [progress.done, progress.total]);
                Event::Failed(Failure::OutOfTime { seconds: job_seconds, reached })
            }
            Self::Interrupted => Event::Failed(Failure::Interrupted),
        }
    }
}
