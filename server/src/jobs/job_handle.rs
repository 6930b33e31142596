//! A job in memory (`JobHandle`), which waits or runs or was read from its row, and its state (`JobState`): the record
//! and the events of the job. Until the job ends, the event bus delivers its events to listeners.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use explain::snapshot::JobSnapshot;
use kernels::event::JobEvent;

use super::deferred_row::DeferredRow;
use crate::id::Id;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::bus::{EventBus, StopReason};
use crate::store::record::StoredResult;

/// The state of a job that changes with each event: the stored record, and the numbered events in a ring buffer.
#[derive(Clone, Debug)]
pub struct JobState {
    /// Record of the job in its current state, with the hashes of its result's files.
    pub record: StoredResult,
    pub ring: Ring,
}

impl JobState {
    /// Appends `event` to the events and applies it to the record. Returns the number of the event.
    pub fn report(&mut self, event: JobEvent) -> u64 {
        let number = self.ring.push(event.clone());
        self.record.snapshot.apply(number, &event);
        number
    }
}

/// A job in memory, with its state and its connection to the event bus. Only the run of the job reports events, or the
/// queue while the job waits.
#[derive(Debug)]
pub struct JobHandle {
    pub id: Id,
    /// First row of the job, if it was not written when the job was accepted.
    deferred_row: Option<DeferredRow>,
    state: Mutex<JobState>,
    bus: Arc<dyn EventBus>,
    /// Whether the job was taken from the cluster's queue, so that this process holds its queue message until it ends.
    is_claimed: bool,
    /// Number of signals that the engine has sent to the run so far, by which a run without any signal is detected.
    signs: AtomicU64,
}

impl JobHandle {
    /// Creates the handle of the job `id` with the given `state`. If the job has not ended, the caller must also
    /// [open](EventBus::register) it on the bus.
    pub fn new(id: Id, state: JobState, bus: Arc<dyn EventBus>) -> Self {
        Self { id, deferred_row: None, state: Mutex::new(state), bus, is_claimed: false, signs: AtomicU64::new(0) }
    }

    pub(super) fn with_deferred_row(self, deferred_row: Option<DeferredRow>) -> Self {
        Self { deferred_row, ..self }
    }

    /// Marks the job as taken from the cluster's queue.
    pub fn into_claimed(self) -> Self {
        Self { is_claimed: true, ..self }
    }

    /// Returns whether the job was taken from the cluster's queue. Another process may take such a job if this process
    /// gives it up.
    pub fn is_claimed(&self) -> bool {
        self.is_claimed
    }

    pub(super) fn deferred_row(&self) -> Option<&DeferredRow> {
        self.deferred_row.as_ref()
    }

    /// Counts a signal of the job's run, which proves that the run is active.
    pub(super) fn record_activity(&self) {
        self.signs.fetch_add(1, Relaxed);
    }

    /// Returns the number of signals of the job's run so far. While the number grows, a worker extends its claim on the
    /// job.
    pub fn activity_count(&self) -> u64 {
        self.signs.load(Relaxed)
    }

    /// Returns a copy of the current snapshot, which is the state of the job as clients see it.
    pub fn snapshot(&self) -> JobSnapshot {
        self.lock().record.snapshot.clone()
    }

    /// Calls `look` with the current snapshot, without cloning it, and returns the result of `look`.
    pub fn with_snapshot<T>(&self, look: impl FnOnce(&JobSnapshot) -> T) -> T {
        look(&self.lock().record.snapshot)
    }

    /// Returns the stored form of the job in its current state, with the hashes of its result's files.
    pub fn record(&self) -> StoredResult {
        self.lock().record.clone()
    }

    /// Returns whether the job compares a collection.
    pub fn is_collection(&self) -> bool {
        self.lock().record.collection.is_some()
    }

    /// Calls `change` with the record of the job, without an event.
    pub(super) fn change_record(&self, change: impl FnOnce(&mut StoredResult)) {
        change(&mut self.lock().record);
    }

    pub fn state(&self) -> JobState {
        self.lock().clone()
    }

    /// Returns the events with numbers greater than `after`.
    pub fn replay(&self, after: u64) -> EventBatch {
        self.lock().ring.after(after)
    }

    /// Returns whether the job has ended, which means that its final event has been reported.
    pub fn is_over(&self) -> bool {
        self.lock().ring.is_over()
    }

    /// Appends `event` to the job's events and publishes it on the bus.
    pub fn report(&self, event: JobEvent) {
        // Publishes under the lock, so that events are published in the order of their numbers.
        let mut state = self.lock();
        let number = state.report(event.clone());
        self.bus.publish_event(self.id, number, event);
    }

    /// Replaces the state of the job by the later `state`, and publishes the events that only `state` has.
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

    /// Tells the run of the job to stop for the reason `why`. Only the first reason counts.
    pub fn stop(&self, why: StopReason) {
        self.bus.stop(self.id, why);
    }

    /// Returns the reason for stopping, or `None` if the run was not told to stop.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.bus.stop_reason(self.id)
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        // Each write is one push, so that the state stays consistent after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
