//! Jobs that this process does not run: follows them for local clients, and tells the process that runs them to stop.
//!
//! The reports of that process arrive by the event bus, and the end of a job also by its row. So a lost event delays a
//! client by at most a second. A process without a cluster has such jobs only if their rows were not written at their
//! end.

use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use kernels::event::JobEvent;
use tracing::warn;

use super::job_handle::{JobHandle, JobState};
use super::row::JobRowBody;
use super::{JobService, JobServiceState};
use crate::error::ApiProblem;
use crate::id::Id;
use crate::storage::ports::bus::StopReason;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::rows::PutOutcome;
use crate::store::RowLookup;

/// Interval at which the row of a job of another process is read while a local client follows the job.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Attempt number under which the end of a job is reported if its row is gone. It is greater than all real attempt
/// numbers, and JavaScript can represent the event numbers of this attempt exactly.
const GONE_ROW_ATTEMPT: u32 = 1 << 20;

/// Maximum time for which a query for a job's state waits for events that the bus has not delivered yet.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(250);

impl JobService {
    /// Starts to follow the job `live` of another process for local clients: its events arrive by the bus, and its end
    /// also by its row.
    pub(super) fn follow(&self, live: &JobHandle) {
        if !live.is_over() && self.shared.bus.follow(live.id, live.state().ring) {
            self.shared.runtime.spawn(watch(self.shared.clone(), live.id));
        }
    }

    /// Returns a local handle of the job `id`, which another process runs. The handle has the events in `state`, which
    /// was read from the job's row, and the events that the job has reported since then.
    pub(super) async fn follow_from_row(&self, id: Id, mut state: JobState) -> Arc<JobHandle> {
        let live = JobHandle::new(id, state.clone(), self.shared.bus.clone());
        self.follow(&live);
        let Some(mut told) = self.shared.bus.listen(id, state.ring.last()) else { return Arc::new(live) };
        if let Ok(Some(EventBatch::Events(events))) = tokio::time::timeout(CATCH_UP_TIMEOUT, told.next()).await {
            for (number, event) in events {
                if state.ring.insert(number, event.clone()) {
                    state.record.snapshot.apply(number, &event);
                }
            }
        }
        Arc::new(JobHandle::new(id, state, self.shared.bus.clone()))
    }

    /// Returns the final state of the job `live`, which has ended. Reads it from the job's row if another process has
    /// run the job.
    ///
    /// # Errors
    /// Returns the errors of [`find_any`](Self::find_any).
    pub async fn read_back(&self, live: Arc<JobHandle>) -> Result<Arc<JobHandle>, ApiProblem> {
        if live.is_over() || live.deferred_row().is_some() { Ok(live) } else { self.find_any(live.id).await }
    }

    /// Cancels the job `live`, which another process runs or no worker has taken yet. Writes its row as cancelled, and
    /// tells the process that runs it to stop. Returns whether the job has ended.
    pub(super) async fn cancel_in_cluster(&self, live: &JobHandle) -> bool {
        let mut state = live.state();
        state.ring.begin_next_attempt();
        state.report(JobEvent::Cancelled);
        let until = self.shared.store.clock.seconds() + self.shared.keep_seconds;
        let Ok(row) = self.shared.row(&state, Some(until), None) else { return false };
        let written = self.shared.store.put_job(live.id, row).get().await;
        // Stops the run even if the row could not be written. The run then writes its end itself.
        live.stop(StopReason::Cancelled);
        match written {
            Ok(PutOutcome::Written) => {
                self.shared.bus.follow(live.id, state.ring);
                true
            }
            // The row was not overwritten, because a worker has begun another attempt meanwhile or the job has ended.
            Ok(PutOutcome::Refused) => self.find_any(live.id).await.is_ok_and(|live| live.is_over()),
            Err(cause) => {
                warn!("cancellation of a job could not be written: {cause}");
                false
            }
        }
    }

    /// Tells the process that runs the deleted job `id` to stop the run.
    pub fn forget(&self, id: Id) {
        self.shared.bus.stop(id, StopReason::Cancelled);
    }
}

/// Reads the row of job `id` every [`POLL_INTERVAL`] while local clients follow the job, and publishes the job's end to
/// them.
async fn watch(shared: Arc<JobServiceState>, id: Id) {
    while let Some(ended) = shared.bus.wait_for_end(id) {
        tokio::select! {
            () = ended => return,
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
        match shared.store.job(id).get().await {
            Ok(RowLookup::Here(body)) => {
                let Ok(JobRowBody { ring, .. }) = JobRowBody::read(&body) else { continue };
                if ring.is_over() && shared.bus.wait_for_end(id).is_some_and(|ended| ended.now_or_never().is_none()) {
                    shared.bus.follow(id, ring);
                }
            }
            // The job was deleted.
            Ok(RowLookup::Gone | RowLookup::Never) => {
                let mut ring = Ring::default();
                ring.begin_attempt(GONE_ROW_ATTEMPT);
                ring.push(JobEvent::Cancelled);
                shared.bus.follow(id, ring);
            }
            Err(cause) => warn!("row of a followed job cannot be read: {cause}"),
        }
    }
}
