//! Jobs at the start of a process ([`JobService::start`], [`JobService::recover`]) and at its end
//! ([`JobService::close`]).

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use explain::snapshot::JobStatus;
use futures::future::join_all;
use kernels::event::JobEvent;
use kernels::failure::JobFailure;
use tracing::{info, warn};

use super::job_handle::{JobHandle, JobState};
use super::row::JobRowBody;
use super::run::EndedRun;
use super::{JobService, JobServiceState, MAX_JOB_ATTEMPTS};
use crate::id::Id;
use crate::storage::ports::bus::StopReason;
use crate::store::RowLookup;
use crate::store::record::body::RowError;

/// Time for which a comparison that continues after a restart waits for the engine that ran it before.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(60);

/// Interval at which the engines are looked at in this time.
const ENGINE_POLL_INTERVAL: Duration = Duration::from_millis(500);

impl JobService {
    /// Starts the background tasks of this process in its cluster. Without a cluster, [recovers](Self::recover) the
    /// jobs that the last process has left.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn start(&self) -> anyhow::Result<()> {
        match self.cluster_member() {
            Some(member) => member.start().await,
            None => drop(self.recover().await?),
        }
        Ok(())
    }

    /// Marks the jobs that the last process left unfinished as interrupted, except comparisons of collections. These
    /// continue after their stored rows, at most [`MAX_JOB_ATTEMPTS`] times without progress. A comparison that has not
    /// begun may wait through any number of restarts. Drops rows that cannot be read, except rows of newer versions.
    ///
    /// Returns the number of jobs that were marked. Must not be called in a cluster, because other processes may run these
    /// jobs.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn recover(&self) -> anyhow::Result<usize> {
        let mut interrupted = 0;
        for id in self.shared.store.open_jobs().get().await? {
            let RowLookup::Here(body) = self.shared.store.job(id).get().await? else { continue };
            let body = match JobRowBody::read(&body) {
                Ok(body) => body,
                Err(cause @ RowError::Newer(_)) => {
                    warn!("job row of a newer version is left unchanged: {cause}");
                    continue;
                }
                Err(cause) => {
                    // One lost job must not prevent the start.
                    warn!("unreadable job row is dropped: {cause}");
                    self.shared.store.drop_job(id).get().await?;
                    continue;
                }
            };
            let mut state = JobState { record: body.record, ring: body.ring };
            let has_begun = state.record.snapshot.state != JobStatus::Queued;
            // Refuses later writes of the interrupted attempt.
            state.ring.begin_next_attempt();
            if !has_begun {
                state.record.given_up_at = state.ring.attempt();
            }
            if state.record.collection.is_some() && state.ring.attempt().saturating_sub(state.record.given_up_at) < MAX_JOB_ATTEMPTS {
                self.resume(id, state).await?;
                continue;
            }
            state.report(JobEvent::Failed(JobFailure::Interrupted));
            let until = self.shared.store.clock.seconds() + self.shared.keep_seconds;
            let row = self.shared.row(&state, Some(until), None)?;
            self.shared.store.put_job(id, row).get().await?;
            interrupted += 1;
        }
        if interrupted > 0 {
            info!("{interrupted} jobs of the last process had not ended and are reported as interrupted");
        }
        Ok(interrupted)
    }

    /// Accepts the comparison `id` again, which the last process left in `state`.
    async fn resume(&self, id: Id, mut state: JobState) -> anyhow::Result<()> {
        state.report(JobEvent::Queued { position: 0, wait_ms: None });
        let row = self.shared.row(&state, None, None)?;
        self.shared.store.put_job(id, row).get().await?;
        self.shared.bus.register(id, state.ring.clone());
        self.shared.bus.share(id);
        let live = Arc::new(JobHandle::new(id, state, self.shared.bus.clone()));
        self.shared.open_jobs().live.insert(id, live.clone());
        self.shared.runtime.spawn(queue_again(self.shared.clone(), live));
        info!("comparison of the last process continues");
        Ok(())
    }

    /// Accepts no more jobs, and interrupts waiting and running ones. Waits until all jobs have ended, at most for
    /// `patience`, and removes the published offer of this worker.
    pub async fn close(&self, patience: Duration) {
        let (waiting, running) = {
            let mut open_jobs = self.shared.open_jobs();
            open_jobs.closed = true;
            let waiting: Vec<_> = std::iter::from_fn(|| open_jobs.queue.remove(|_| true)).map(|waiting| waiting.live).collect();
            (waiting, open_jobs.live.values().cloned().collect::<Vec<_>>())
        };
        running.iter().for_each(|live| live.stop(StopReason::Interrupted));
        let end = |live| self.shared.clone().finish_job(live, EndedRun::from_event(JobEvent::Failed(JobFailure::Interrupted)));
        let ended = join_all(waiting.into_iter().map(end));
        let all = async {
            ended.await;
            while !self.shared.open_jobs().live.is_empty() || self.shared.held_messages.load(Relaxed) > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            warn!("a run did not stop in time; its job will be reported as interrupted");
        }
        if let Some(member) = self.cluster_member() {
            member.withdraw().await;
        }
    }
}

/// Queues the comparison `live` of the last process once the engine is open that ran it there. After [`ENGINE_TIMEOUT`], uses
/// any engine.
async fn queue_again(shared: Arc<JobServiceState>, live: Arc<JobHandle>) {
    let record = live.record();
    let Some(work) = record.collection.as_ref().map(|collection| collection.work_left()) else { return };
    let (begun, earlier) = (Instant::now(), record.snapshot.plan.map(|plan| plan.engine));
    let (entry, waiting) = loop {
        if shared.open_jobs().closed {
            return shared.detach(&live);
        }
        let is_late = begun.elapsed() >= ENGINE_TIMEOUT;
        match shared.waiting_run(live.clone(), None, work, Duration::ZERO) {
            Ok(run) if is_late || earlier.is_none_or(|earlier| earlier == run.1.plan.engine) => break run,
            Err(failure) if is_late => return shared.finish_job(live, EndedRun::from_event(JobEvent::Failed(failure))).await,
            Ok(_) | Err(_) => tokio::time::sleep(ENGINE_POLL_INTERVAL).await,
        }
    };
    shared.open_jobs().queue.push_first(entry, waiting);
    JobServiceState::start_ready_jobs(&shared);
}

#[cfg(test)]
mod tests {
    use explain::snapshot::{JobSnapshot, JobStatus, TextInfo};
    use kernels::collection::{KeptPairs, MemberSplit};
    use kernels::job::{JobOptions, Task};
    use kernels::plan::JobWork;

    use super::super::deferred_row::FirstRow;
    use super::*;
    use crate::config::Config;
    use crate::engines::EnginePool;
    use crate::jobs::MessagePorts;
    use crate::results::ResultReader;
    use crate::storage::ports::bus::local::LocalBus;
    use crate::storage::ports::bus::ring::Ring;
    use crate::storage::ports::files::ContentHash;
    use crate::store::Store;
    use crate::store::record::StoredResult;
    use crate::store::record::body::VERSION;
    use crate::store::record::collection::{StoredCollection, StoredSide};

    /// A comparison may wait through many restarts, but its runs may only be lost a few times.
    #[tokio::test]
    async fn restart_counts_only_begun_attempts() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { data: folder.path().to_owned(), ..Config::read(|_| None).unwrap() };
        let store = Store::open(&config).await.unwrap();
        let restarted = || {
            let messages = MessagePorts { bus: std::sync::Arc::new(LocalBus::default()), cluster: None };
            JobService::new(&config, EnginePool::default(), store.clone(), ResultReader::new(store.clone(), &config), messages)
        };
        let id = Id::random();
        let text = ContentHash::from_content(b"kitten");
        let snapshot = JobSnapshot::new(id.to_string(), Task::Lcs, JobOptions::default(), TextInfo::default(), TextInfo::default());
        let side = StoredSide { is_list: true, split: MemberSplit::Lines, texts: 2 };
        let collection = StoredCollection {
            keep: KeptPairs::All,
            a: side,
            b: None,
            rows: 2,
            work: JobWork::from_cells(Task::Lcs, 36),
            parts: Vec::new(),
            summary: None,
        };
        let record = StoredResult { collection: Some(Box::new(collection)), ..StoredResult::new(snapshot, text, text) };
        let mut state = JobState { record, ring: Ring::default() };
        let first = FirstRow { owner: ContentHash::from_content(b"owner"), requests: Vec::new(), texts: Vec::new() };
        store.put_job(id, restarted().shared.row(&state, None, Some(&first)).unwrap()).get().await.unwrap();
        for _ in 0..3 * MAX_JOB_ATTEMPTS {
            assert_eq!(restarted().recover().await.unwrap(), 0, "a waiting comparison is not given up");
        }
        for lost in 0..MAX_JOB_ATTEMPTS {
            let jobs = restarted();
            let RowLookup::Here(body) = store.job(id).get().await.unwrap() else { panic!("the row is lost") };
            let JobRowBody { record, ring } = JobRowBody::read(&body).unwrap();
            state = JobState { record, ring };
            state.record.snapshot.state = JobStatus::Running;
            jobs.shared.write_open_row(id, &state).await.unwrap();
            assert_eq!(jobs.recover().await.unwrap(), usize::from(lost + 1 == MAX_JOB_ATTEMPTS), "{lost}");
        }
    }

    #[tokio::test]
    async fn jobs_of_newer_versions_are_neither_interrupted_nor_counted() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { data: folder.path().to_owned(), ..Config::read(|_| None).unwrap() };
        let store = Store::open(&config).await.unwrap();
        let messages = MessagePorts { bus: std::sync::Arc::new(LocalBus::default()), cluster: None };
        let results = ResultReader::new(store.clone(), &config);
        let jobs = JobService::new(&config, EnginePool::default(), store.clone(), results, messages);
        let first = FirstRow { owner: ContentHash::from_content(b"owner"), requests: Vec::new(), texts: Vec::new() };
        let [known, newer] = [Id::random(), Id::random()];
        for id in [known, newer] {
            let snapshot =
                JobSnapshot::new(id.to_string(), Task::EditDistance, JobOptions::default(), TextInfo::default(), TextInfo::default());
            let text = ContentHash::from_content(b"kitten");
            let state = JobState { record: StoredResult::new(snapshot, text, text), ring: Ring::default() };
            let mut row = jobs.shared.row(&state, None, Some(&first)).unwrap();
            if id == newer {
                row.body = format!(r#"{{"version":{}}}"#, VERSION + 1);
            }
            store.put_job(id, row).get().await.unwrap();
        }
        assert_eq!(jobs.recover().await.unwrap(), 1);
        assert_eq!(jobs.find(known).await.unwrap().snapshot().state, JobStatus::Failed);
        assert_eq!(store.open_jobs().get().await.unwrap(), [newer]);
    }
}
