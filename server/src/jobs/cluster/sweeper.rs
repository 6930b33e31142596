//! Sweeper: queues jobs again that have not ended and have no message in the cluster's queue (method `sweep` of
//! `ClusterMember`).
//!
//! A job loses its message in three ways. Its process was killed before it queued the job, or while it solved the job
//! itself, or the NATS servers lost the message. If the process of a job sends no heartbeat, the job is queued sooner.
//! A job for an engine that no worker has any more is queued for another engine.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use kernels::plan::{EngineName, JobPlan};
use tracing::{info, warn};

use super::ClusterMember;
use crate::id::Id;
use crate::jobs::row::JobRowBody;
use crate::ops::metrics;
use crate::storage::ports::offers::{WorkerOffer, accepting_workers};
use crate::storage::ports::queue::nats::{PendingJob, QueuedJob, shards};
use crate::store::RowLookup;

/// Interval between sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Time without a queue message after which a job counts as lost. It is long, because brief jobs may wait a minute in
/// the process that accepted them, and workers may restart.
const LOST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(90);

/// Time without a queue message after which a job counts as lost if the process that accepted it and was to solve it is
/// gone.
const GONE_PROCESS_TIMEOUT: Duration = Duration::from_secs(5);

/// Assumed duration of a job that is queued again, in milliseconds.
const ASSUMED_JOB_MS: u64 = 1000;

impl ClusterMember {
    /// Queues lost jobs again, every [`SWEEP_INTERVAL`], until the server stops.
    pub(super) async fn sweep(&self) {
        let mut missing = HashMap::new();
        while !self.jobs.shared.open_jobs().closed {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            match self.sweep_once(&mut missing, LOST_MESSAGE_TIMEOUT).await {
                Ok(0) => {}
                Ok(count) => info!("{count} jobs had no message and are queued again"),
                Err(cause) => warn!("search for jobs without a message failed: {cause:#}"),
            }
        }
    }

    /// Queues lost jobs again: jobs without a queue message, and jobs for an engine that no worker has. A job is queued
    /// again if it was lost for the time `grace`, or sooner if its process is gone. `missing` stores the time since
    /// which each such job is lost, from one call to the next. Returns the number of queued jobs.
    pub(super) async fn sweep_once(&self, missing: &mut HashMap<Id, Instant>, grace: Duration) -> anyhow::Result<usize> {
        // Reads rows first, so that a job that is queued meanwhile has its message in the second list.
        let open = self.jobs.shared.store.open_jobs().get().await?;
        let (messages, workers) = (self.cluster.queue.messages().await?, self.cluster.offers.workers());
        let queued: HashSet<Id> = messages.iter().map(|message| message.job).collect();
        let own = |id: &Id| self.jobs.shared.open_jobs().live.contains_key(id);
        let without = open.into_iter().filter(|id| !queued.contains(id) && !own(id));
        let unserved: HashSet<Id> = messages.iter().filter(|message| is_unserved(message, &workers)).map(|message| message.job).collect();
        let all: HashSet<Id> = without.chain(unserved.iter().copied()).collect();
        missing.retain(|id, _| all.contains(id));
        let (mut count, mut present) = (0, None);
        for job in all {
            let waited = missing.entry(job).or_insert_with(Instant::now).elapsed();
            let was_own = || waited >= GONE_PROCESS_TIMEOUT && !unserved.contains(&job);
            if waited < grace && !(was_own() && self.is_of_gone_process(job, &mut present).await?) {
                continue;
            }
            let found = self.jobs.shared.store.job(job).get().await?;
            if unserved.contains(&job) {
                self.cluster.queue.remove(job).await?;
            }
            let RowLookup::Here(body) = found else { continue };
            let Ok(JobRowBody { record, ring }) = JobRowBody::read(&body) else {
                warn!("job row has unsupported version; leaving the job to a sweeper of that version");
                continue;
            };
            if ring.is_over() {
                continue;
            }
            let Some(engine) = self.engine_of(record.snapshot.plan.as_ref(), &workers) else { continue };
            let [shard, _] = shards(job.to_string().as_bytes());
            self.cluster.queue.push(&QueuedJob { job, engine, shard, ms: ASSUMED_JOB_MS, attempt: ring.attempt() }).await?;
            missing.remove(&job);
            metrics::job_queued_again();
            count += 1;
        }
        Ok(count)
    }

    /// Returns whether the process that accepted `job` in order to solve it has stopped. `present` caches the ids of
    /// the running processes, which are read at the first call. An empty list counts as unknown, because the NATS
    /// servers may have lost it.
    async fn is_of_gone_process(&self, job: Id, present: &mut Option<HashSet<String>>) -> anyhow::Result<bool> {
        let RowLookup::Here(body) = self.jobs.shared.store.job(job).get().await? else { return Ok(false) };
        let process = JobRowBody::read(&body).ok().and_then(|body| body.record.process);
        let Some(process) = process else { return Ok(false) };
        if present.is_none() {
            *present = Some(self.cluster.offers.present().await?);
        }
        Ok(present.as_ref().is_some_and(|present| !present.is_empty() && !present.contains(&process)))
    }

    /// Chooses the engine for a job with the earlier plan `plan` that is queued again. This is the planned engine if
    /// one of `workers` has it, or else the first engine of the workers or of this process.
    pub(super) fn engine_of(&self, plan: Option<&JobPlan>, workers: &[WorkerOffer]) -> Option<EngineName> {
        let workers = accepting_workers(workers);
        let mut of_site = workers.iter().flat_map(|worker| &worker.engines).map(|engine| engine.offered.offer.engine);
        let planned = plan.map(|plan| plan.engine).filter(|planned| of_site.clone().any(|engine| engine == *planned));
        planned.or_else(|| of_site.next()).or_else(|| self.jobs.shared.engines.offers().first().map(|offer| offer.engine))
    }
}

/// Returns whether the queued job `message` waits for an engine that none of `workers` has. Returns `false` if a worker
/// runs the job, or if the workers have no engine at all.
fn is_unserved(message: &PendingJob, workers: &[WorkerOffer]) -> bool {
    if workers.iter().any(|worker| worker.jobs.contains(&message.job)) {
        return false;
    }
    let mut engines = workers.iter().flat_map(|worker| &worker.engines).map(|engine| engine.offered.offer.engine).peekable();
    engines.peek().is_some() && engines.all(|engine| engine != message.engine)
}
