//! Operator's access to a cluster's jobs: the methods `list`, `retry` and `drop_job` of [`ClusterMember`]. The calling
//! process serves no clients and takes no jobs.

use std::collections::HashMap;

use anyhow::{Context as _, bail, ensure};
use explain::snapshot::{JobSnapshot, JobStatus};
use kernels::event::JobEvent;
use kernels::job::Task as Computes;
use kernels::plan::EngineName;
use serde::Serialize;

use super::ClusterMember;
use crate::id::Id;
use crate::jobs::job_handle::JobState;
use crate::jobs::row::JobRowBody;
use crate::storage::ports::bus::ring::Ring;
use crate::storage::ports::offers::WorkerOffer;
use crate::storage::ports::queue::nats::{PendingJob, QueuedJob, shards};
use crate::storage::ports::rows::{DeleteOutcome, JobRow, PutOutcome};
use crate::store::RowLookup;
use crate::store::record::StoredResult;

/// Number of job rows that one query reads.
const JOB_ROWS_PER_READ: u32 = 200;

/// Assumed duration of a retried job without a plan, in milliseconds.
const UNPLANNED_JOB_MS: f64 = 1000.0;

/// A job in the list that an operator sees, made by [`ClusterMember::list`].
#[derive(Clone, Debug, Serialize)]
pub struct JobListing {
    pub id: String,
    /// State of the job, or `None` if another version of the program wrote its row.
    pub state: Option<JobStatus>,
    /// Task of the job, or `None` if another version of the program wrote its row.
    pub task: Option<Computes>,
    /// Engine that runs or has run the job, or for which the job waits, if known.
    pub engine: Option<EngineName>,
    /// Number of the latest attempt to run the job.
    pub attempt: u32,
    /// Time since the job was accepted, in seconds, if known.
    pub age_seconds: Option<u64>,
    /// Id of the worker that runs the job, if one runs it.
    pub worker: Option<String>,
    /// Name of the machine of that worker, if a worker runs the job.
    pub host: Option<String>,
    /// Reason of the job's failure, if the job has failed.
    pub failure: Option<String>,
}

/// The outcome of [`ClusterMember::drop_job`], which cancels or removes a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobDropOutcome {
    /// The job had not ended and is cancelled now.
    Cancelled,
    /// The job had ended and is removed now, with its result.
    Removed,
}

impl ClusterMember {
    /// Lists the jobs of the cluster that were accepted last, newest first. Returns at most `most` jobs. If `only` is
    /// set, lists only jobs in this state.
    ///
    /// # Errors
    /// Returns an error if the rows or NATS cannot be read.
    pub async fn list(&self, only: Option<JobStatus>, most: usize) -> anyhow::Result<Vec<JobListing>> {
        let workers = self.cluster.offers.read().await?;
        let messages = self.cluster.queue.messages().await?;
        let messages: HashMap<Id, &PendingJob> = messages.iter().map(|message| (message.job, message)).collect();
        let (mut listed, mut after) = (Vec::new(), None);
        while listed.len() < most {
            let page = self.jobs.shared.store.jobs(after, JOB_ROWS_PER_READ).get().await?;
            let Some((last, _)) = page.last() else { break };
            after = Some(*last);
            let seen = page.iter().map(|(id, row)| self.listed(*id, row, messages.get(id).copied(), &workers));
            listed.extend(seen.filter(|job| only.is_none() || job.state == only));
        }
        listed.truncate(most);
        Ok(listed)
    }

    fn listed(&self, id: Id, row: &JobRow, message: Option<&PendingJob>, workers: &[WorkerOffer]) -> JobListing {
        let has_it = workers.iter().find(|worker| worker.jobs.contains(&id)).filter(|_| row.ended_until.is_none());
        let (worker, host) = has_it.map(|worker| (worker.id.clone(), worker.host.clone())).unzip();
        let mut listed = JobListing {
            id: id.to_string(),
            state: None,
            task: None,
            engine: message.map(|message| message.engine),
            attempt: row.attempt,
            age_seconds: None,
            worker,
            host,
            failure: None,
        };
        if let Ok(JobRowBody { record: StoredResult { snapshot, taken_at, .. }, .. }) = JobRowBody::read(&row.body) {
            // The row of a job does not show that a worker has begun before the job ends.
            let state = if has_it.is_some() { JobStatus::Running } else { snapshot.state };
            let planned = snapshot.plan.map(|plan| plan.engine);
            listed = JobListing {
                state: Some(state),
                task: Some(snapshot.task),
                engine: if state.is_final() { planned } else { listed.engine.or(planned) },
                age_seconds: taken_at.map(|at| self.jobs.shared.store.clock.seconds().saturating_sub(at)),
                failure: snapshot.failure.map(|failure| failure.to_string()),
                ..listed
            };
        }
        listed
    }

    /// Queues the failed or cancelled job `id` again as a new attempt. Earlier attempts no longer count towards the
    /// maximum. Returns the engine for which the job is queued.
    ///
    /// # Errors
    /// Returns an error with the reason if the job has another state or cannot be queued.
    pub async fn retry(&self, id: Id) -> anyhow::Result<EngineName> {
        let (row, JobRowBody { record, ring }) = self.read(id).await?;
        ensure!(row.ended_until.is_some() && ring.is_over(), "job {id} has not ended");
        let StoredResult { snapshot, a, b, .. } = &record;
        ensure!(matches!(snapshot.state, JobStatus::Failed | JobStatus::Cancelled), "job {id} has an answer");
        ensure!(self.jobs.shared.store.renew_files(vec![*a, *b]).await?, "job {id} cannot be tried again: its texts are gone");
        let engine = self.engine_of(snapshot.plan.as_ref(), &self.cluster.offers.read().await?);
        let engine = engine.with_context(|| format!("job {id} cannot be tried again now: there is no worker"))?;
        let given_up_at = ring.attempt().max(row.attempt);
        let expected_ms = snapshot.plan.as_ref().map_or(UNPLANNED_JOB_MS, |plan| plan.expected_ms);
        let snapshot =
            JobSnapshot::new(snapshot.id.clone(), snapshot.task, snapshot.options.clone(), snapshot.a.clone(), snapshot.b.clone());
        // Drops all earlier events, so that new listeners do not see how the last attempt ended.
        let collection = record.collection.clone();
        let record = StoredResult { given_up_at, taken_at: record.taken_at, collection, ..StoredResult::new(snapshot, *a, *b) };
        let mut state = JobState { record, ring: Ring::default() };
        state.ring.begin_attempt(given_up_at + 1);
        state.report(JobEvent::Queued { position: 0, wait_ms: None });
        let again = self.jobs.shared.row(&state, None, None)?;
        let put = self.jobs.shared.store.reopen_job(id, again).get().await?;
        ensure!(put == PutOutcome::Written, "job {id} has changed meanwhile");
        let task = QueuedJob {
            job: id,
            engine,
            shard: shards(id.to_string().as_bytes())[0],
            ms: expected_ms.ceil() as u64,
            attempt: given_up_at + 1,
        };
        self.cluster
            .queue
            .push(&task)
            .await
            .with_context(|| format!("the sweeper will queue job {id} in two minutes, since it could not be now"))?;
        Ok(engine)
    }

    /// Cancels the job `id` if it has not ended, or else removes it with its result.
    ///
    /// # Errors
    /// Returns an error if the job does not exist or cannot be written.
    pub async fn drop_job(&self, id: Id) -> anyhow::Result<JobDropOutcome> {
        let row = self.row_of(id).await?;
        if row.ended_until.is_none() {
            let live = self.jobs.find_any(id).await.map_err(|problem| anyhow::anyhow!("{}", problem.detail))?;
            ensure!(self.jobs.cancel(&live).await, "job {id} could not be cancelled");
            // If removing the message fails, a worker later finds that the job has ended.
            self.cluster.queue.remove(id).await?;
            return Ok(JobDropOutcome::Cancelled);
        }
        match row.owner {
            Some(owner) => {
                let deleted = self.jobs.shared.store.delete_job(id, owner).get().await?;
                ensure!(deleted == DeleteOutcome::Gone, "job {id} has changed meanwhile");
            }
            None => self.jobs.shared.store.drop_job(id).get().await?,
        }
        Ok(JobDropOutcome::Removed)
    }

    async fn read(&self, id: Id) -> anyhow::Result<(JobRow, JobRowBody)> {
        let row = self.row_of(id).await?;
        let body = JobRowBody::read(&row.body).with_context(|| format!("another version of Editscope wrote the row of job {id}"))?;
        Ok((row, body))
    }

    async fn row_of(&self, id: Id) -> anyhow::Result<JobRow> {
        match self.jobs.shared.store.job_row(id).get().await? {
            RowLookup::Here(row) => Ok(row),
            RowLookup::Gone => bail!("job {id} was removed, or its time is over"),
            RowLookup::Never => bail!("there is no job {id}"),
        }
    }
}
