//! A job that waits or runs, or was read from its row: its record and its events. Until it ends, the bus carries its
//! events.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use explain::snapshot::JobSnapshot;
use kernels::event::JobEvent;

use super::cpu_yield::BriefJobGuard;
use crate::http::error::ApiProblem;
use crate::id::Id;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::bus::{EventBus, StopReason};
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::RequestRow;
use crate::storage::record::StoredResult;

/// The mutable state of a job.
#[derive(Clone, Debug)]
pub struct JobState {
    /// Current record of the job, with the files of its result.
    pub record: StoredResult,
    pub ring: Ring,
}

impl JobState {
    /// Appends an event and applies it to the record. Returns the number of the event.
    pub fn report(&mut self, event: JobEvent) -> u64 {
        let number = self.ring.push(event.clone());
        self.record.snapshot.apply(number, &event);
        number
    }
}

/// The data that only the first row of a job has.
#[derive(Clone, Debug)]
pub struct FirstRow {
    /// Hash of the token that deletes the job.
    pub owner: ContentHash,
    /// Earlier requests that lead to this job.
    pub requests: Vec<RequestRow>,
}

/// A private job, which has no row before it ends or a client learns of it.
#[derive(Debug)]
struct PrivateJob {
    /// Data for the first row.
    birth: FirstRow,
    /// Texts without files.
    texts: Vec<Vec<u8>>,
    /// Outcome of the job, set once: published, or given up because it could not be written.
    commit_state: OnceLock<Result<(), ApiProblem>>,
    /// Counts the job as a brief one while it exists.
    _brief: BriefJobGuard,
}

/// A job with its events. Only its run reports events, or the owner of the queue while the job waits.
#[derive(Debug)]
pub struct JobHandle {
    pub id: Id,
    unwritten: Option<PrivateJob>,
    state: Mutex<JobState>,
    bus: Arc<dyn EventBus>,
    /// Whether the job was taken from the cluster's queue, so that this process holds its message until it ends.
    is_taken: bool,
    /// Number of signs of life of the run.
    signs: AtomicU64,
}

impl JobHandle {
    /// Creates a job with its events so far. If it has not ended, the caller must also [open](EventBus::open) it on the bus.
    pub fn new(id: Id, state: JobState, bus: Arc<dyn EventBus>) -> Self {
        Self { id, unwritten: None, state: Mutex::new(state), bus, is_taken: false, signs: AtomicU64::new(0) }
    }

    /// Makes a brief job private: it has no row yet, and its texts have no files.
    pub(super) fn without_row(self, birth: FirstRow, texts: Vec<Vec<u8>>, brief: BriefJobGuard) -> Self {
        Self { unwritten: Some(PrivateJob { birth, texts, commit_state: OnceLock::new(), _brief: brief }), ..self }
    }

    /// Marks the job as taken from the cluster's queue.
    pub(super) fn taken(self) -> Self {
        Self { is_taken: true, ..self }
    }

    /// Returns whether the job was taken from the cluster's queue. Another process may take such a job if this one
    /// gives it up.
    pub fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Records a sign of life of the run.
    pub(super) fn record_activity(&self) {
        self.signs.fetch_add(1, Relaxed);
    }

    /// Returns the number of signs of life so far.
    pub(super) fn activity_count(&self) -> u64 {
        self.signs.load(Relaxed)
    }

    /// Returns the data for the first row, or `None` if the job had a row from the start.
    pub fn birth(&self) -> Option<FirstRow> {
        self.unwritten.as_ref().map(|unwritten| unwritten.birth.clone())
    }

    /// Returns the texts that have no files until the job has a row.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        self.unwritten.as_ref().map(|unwritten| unwritten.texts.clone()).unwrap_or_default()
    }

    /// Returns whether only the waiting request knows of this job.
    pub fn is_private(&self) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.commit_state.get().is_none())
    }

    /// Marks the job as known to a client. From now on its end must be published.
    ///
    /// # Errors
    /// Returns the reason if the job was given up.
    pub fn publish(&self) -> Result<(), ApiProblem> {
        self.unwritten.as_ref().map_or(Ok(()), |unwritten| unwritten.commit_state.get_or_init(|| Ok(())).clone())
    }

    /// Gives up a private job because it could not be written. Returns `true` if it is given up now; then only the
    /// waiting request learns of it, with the reason.
    pub fn give_up(&self, why: impl FnOnce() -> ApiProblem) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.commit_state.get_or_init(|| Err(why())).is_err())
    }

    /// Returns the current snapshot.
    pub fn snapshot(&self) -> JobSnapshot {
        self.lock().record.snapshot.clone()
    }

    /// Calls `look` with the snapshot, without cloning it.
    pub fn with_snapshot<T>(&self, look: impl FnOnce(&JobSnapshot) -> T) -> T {
        look(&self.lock().record.snapshot)
    }

    /// Returns the record with the current state and the files of the result.
    pub fn record(&self) -> StoredResult {
        self.lock().record.clone()
    }

    pub fn state(&self) -> JobState {
        self.lock().clone()
    }

    /// Returns the events after number `after`.
    pub fn replay(&self, after: u64) -> EventBatch {
        self.lock().ring.after(after)
    }

    /// Returns whether the last event has been reported.
    pub fn is_over(&self) -> bool {
        self.lock().ring.is_over()
    }

    /// Appends an event and publishes it.
    pub fn report(&self, event: JobEvent) {
        // Publishes under the lock, so that events are published in the order of their numbers.
        let mut state = self.lock();
        let number = state.report(event.clone());
        self.bus.publish_event(self.id, number, event);
    }

    /// Replaces the state with a successor, and publishes the new events unless the job is private.
    pub fn replace(&self, state: JobState) {
        let mut old = self.lock();
        if self.is_private() {
            *old = state;
            return;
        }
        let new = state.ring.after(old.ring.last());
        *old = state;
        if let EventBatch::Events(events) = new {
            for (number, event) in events {
                self.bus.publish_event(self.id, number, event);
            }
        }
    }

    /// Tells the run to stop. Only the first reason counts.
    pub fn stop(&self, why: StopReason) {
        self.bus.stop(self.id, why);
    }

    /// Returns the reason if the run was told to stop.
    pub fn stopped(&self) -> Option<StopReason> {
        self.bus.stopped(self.id)
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        // Every write is one push, so that the state stays consistent after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
