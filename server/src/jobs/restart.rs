//! Jobs at the end of a process and at the start of the next one.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures::future::join_all;
use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use tracing::warn;

use super::JobService;
use super::live::JobState;
use super::row::JobRowBody;
use super::run::EndedRun;
use crate::storage::ports::bus::StopReason;
use crate::store::RowLookup;
use crate::store::record::body::RowError;

impl JobService {
    /// Marks the jobs that the last process left unfinished as interrupted. Does nothing in a cluster, because other
    /// processes may run these jobs. Drops rows that cannot be read. Returns the number of jobs that had not ended.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn recover(&self) -> anyhow::Result<usize> {
        if self.shared.site.is_some() {
            return Ok(0);
        }
        let open = self.shared.store.open_jobs().get().await?;
        for id in &open {
            let RowLookup::Here(body) = self.shared.store.job(*id).get().await? else { continue };
            let body = match JobRowBody::read(&body) {
                Ok(body) => body,
                Err(cause @ RowError::Newer(_)) => {
                    warn!("job row of a newer version is left unchanged: {cause}");
                    continue;
                }
                Err(cause) => {
                    // One lost job must not prevent the start.
                    warn!("unreadable job row is dropped: {cause}");
                    self.shared.store.drop_job(*id).get().await?;
                    continue;
                }
            };
            let mut state = JobState { record: body.record, ring: body.ring };
            // Refuses later writes of the interrupted attempt.
            state.ring.begin_again();
            state.report(JobEvent::Failed(JobFailure::Interrupted));
            let until = self.shared.store.clock.seconds() + self.shared.keep_seconds;
            let row = self.shared.row(&state, Some(until), None)?;
            self.shared.store.put_job(*id, row).get().await?;
        }
        Ok(open.len())
    }

    /// Accepts no more jobs and interrupts waiting and running ones. Returns when all have ended, or after `patience`.
    pub async fn close(&self, patience: Duration) {
        let (waiting, running) = {
            let mut open_jobs = self.shared.open_jobs();
            open_jobs.closed = true;
            let waiting: Vec<_> = std::iter::from_fn(|| open_jobs.queue.remove(&|_| true)).map(|waiting| waiting.live).collect();
            (waiting, open_jobs.live.values().cloned().collect::<Vec<_>>())
        };
        running.iter().for_each(|live| live.stop(StopReason::Interrupted));
        let end = |live| self.shared.clone().end(live, EndedRun::with(JobEvent::Failed(JobFailure::Interrupted)));
        let ended = join_all(waiting.into_iter().map(end));
        let all = async {
            ended.await;
            let holds = || self.shared.site.as_ref().is_some_and(|site| site.held.load(Relaxed) > 0);
            while !self.shared.open_jobs().live.is_empty() || holds() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            warn!("a run did not stop in time; its job will be reported as interrupted");
        }
    }
}
