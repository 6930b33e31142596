//! A job in memory that waits or runs, or was read from its row: its record and its events. Until it ends, the bus
//! delivers its events to listeners.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use explain::snapshot::JobSnapshot;
use kernels::event::JobEvent;

use super::deferred_row::DeferredRow;
use crate::id::Id;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::bus::{EventBus, StopReason};
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

/// A job in memory with its events. Events are reported only by its run, or by the owner of the queue while the job
/// waits.
#[derive(Debug)]
pub struct JobHandle {
    pub id: Id,
    /// First row of the job, if it was not written when the job was accepted.
    deferred_row: Option<DeferredRow>,
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
        Self { id, deferred_row: None, state: Mutex::new(state), bus, is_taken: false, signs: AtomicU64::new(0) }
    }

    pub(super) fn with_deferred_row(self, deferred_row: Option<DeferredRow>) -> Self {
        Self { deferred_row, ..self }
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

    pub(super) fn deferred_row(&self) -> Option<&DeferredRow> {
        self.deferred_row.as_ref()
    }

    /// Counts a signal of the run, as a proof that it is active.
    pub(super) fn record_activity(&self) {
        self.signs.fetch_add(1, Relaxed);
    }

    /// Returns the number of signals of the run so far. A worker that sees it grow extends its claim on the job.
    pub(super) fn activity_count(&self) -> u64 {
        self.signs.load(Relaxed)
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

    /// Replaces the state by the later `state`, and publishes its new events.
    pub fn replace(&self, state: JobState) {
        let mut old = self.lock();
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
        self.bus.stop_reason(self.id)
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        // Each write is one push, so that the state stays consistent after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
