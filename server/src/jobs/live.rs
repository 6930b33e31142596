//! A job in memory that waits or runs, or was read from its row: its record and its events. Until it ends, the bus
//! delivers its events to listeners.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use explain::snapshot::JobSnapshot;
use kernels::event::JobEvent;

use super::cpu_yield::BriefJobGuard;
use crate::error::ApiProblem;
use crate::id::Id;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::bus::{EventBus, StopReason};
use crate::storage::ports::files::ContentHash;
use crate::storage::ports::rows::RequestRow;
use crate::store::record::StoredResult;

/// The mutable state of a job: its record and its events.
#[derive(Clone, Debug)]
pub struct JobState {
    /// Record of the job in its current state, with the hashes of its result's files.
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

/// The data that is written only with the first row of a job.
#[derive(Clone, Debug)]
pub struct FirstRow {
    /// Hash of the token with which the creator can delete the job.
    pub owner: ContentHash,
    /// Rows that let a repeated request find this job.
    pub requests: Vec<RequestRow>,
}

/// The data of a private job, one that only its waiting request knows. Its row is written when it ends or when another
/// client learns of it.
#[derive(Debug)]
struct PrivateJob {
    /// Data for the first row of the job.
    birth: FirstRow,
    /// Contents of the texts, which are not stored as files yet.
    texts: Vec<Vec<u8>>,
    /// Set once when the job stops being private: `Ok` if a client learned of it, or the reason why it could not be
    /// written.
    commit_state: OnceLock<Result<(), ApiProblem>>,
    /// Guard that counts the job as a pending brief one while it exists.
    _brief: BriefJobGuard,
}

/// A job in memory with its events. Events are reported only by its run, or by the owner of the queue while the job
/// waits.
#[derive(Debug)]
pub struct JobHandle {
    pub id: Id,
    unwritten: Option<PrivateJob>,
    state: Mutex<JobState>,
    bus: Arc<dyn EventBus>,
    /// Whether the job was taken from the cluster's queue, so that this process holds its queue message until it ends.
    is_taken: bool,
    /// Number of signals of the run so far, by which a silent run is detected.
    signs: AtomicU64,
}

impl JobHandle {
    /// Creates a job with the events in `state`. If the job has not ended, the caller must also [open](EventBus::open)
    /// it on the bus.
    pub fn new(id: Id, state: JobState, bus: Arc<dyn EventBus>) -> Self {
        Self { id, unwritten: None, state: Mutex::new(state), bus, is_taken: false, signs: AtomicU64::new(0) }
    }

    /// Makes a brief job private. `birth` is the data for its first row, `texts` are the contents that have no files
    /// yet, and `brief` counts the job as pending.
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

    /// Counts a signal of the run, as a proof that it is active.
    pub(super) fn record_activity(&self) {
        self.signs.fetch_add(1, Relaxed);
    }

    /// Returns the number of signals of the run so far. A worker that sees it grow extends its claim on the job.
    pub(super) fn activity_count(&self) -> u64 {
        self.signs.load(Relaxed)
    }

    /// Returns the data for the first row of a private job, or `None` if the job had a row from the start.
    pub fn birth(&self) -> Option<FirstRow> {
        self.unwritten.as_ref().map(|unwritten| unwritten.birth.clone())
    }

    /// Returns the contents of texts that are not stored as files. Empty if the job had a row from the start.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        self.unwritten.as_ref().map(|unwritten| unwritten.texts.clone()).unwrap_or_default()
    }

    /// Returns whether the job is private: only the waiting request knows of it.
    pub fn is_private(&self) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.commit_state.get().is_none())
    }

    /// Marks a private job as known to a client, so that its end must be published.
    ///
    /// # Errors
    /// Returns the reason if the job was given up.
    pub fn publish(&self) -> Result<(), ApiProblem> {
        self.unwritten.as_ref().map_or(Ok(()), |unwritten| unwritten.commit_state.get_or_init(|| Ok(())).clone())
    }

    /// Gives up a private job because it could not be written. `why` creates the reason for the waiting request.
    /// Returns whether the job is given up, which is `false` if a client knows of it already.
    pub fn give_up(&self, why: impl FnOnce() -> ApiProblem) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.commit_state.get_or_init(|| Err(why())).is_err())
    }

    /// Returns a copy of the current snapshot, which is the job as clients see it.
    pub fn snapshot(&self) -> JobSnapshot {
        self.lock().record.snapshot.clone()
    }

    /// Calls `look` with the snapshot, without cloning it.
    pub fn with_snapshot<T>(&self, look: impl FnOnce(&JobSnapshot) -> T) -> T {
        look(&self.lock().record.snapshot)
    }

    /// Returns the record of the job with its current state and the hashes of its result's files.
    pub fn record(&self) -> StoredResult {
        self.lock().record.clone()
    }

    pub fn state(&self) -> JobState {
        self.lock().clone()
    }

    /// Returns the events with numbers above `after`.
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

    /// Replaces the state by the later `state`, and publishes its new events unless the job is private.
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

    /// Tells the run to stop for the reason `why`. Only the first reason counts.
    pub fn stop(&self, why: StopReason) {
        self.bus.stop(self.id, why);
    }

    /// Returns the reason for stopping, if the run was told to stop.
    pub fn stopped(&self) -> Option<StopReason> {
        self.bus.stopped(self.id)
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        // Each write is one push, so that the state stays consistent after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
