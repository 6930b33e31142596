//! Operator: what whoever runs a site sees of its jobs and does to them, from a process of the site that answers nobody and takes no jobs.

use std::collections::HashMap;

use anyhow::{Context as _, bail, ensure};
use explain::snapshot::{Snapshot, State};
use kernels::event::Event;
use kernels::job::Task as Computes;
use kernels::plan::EngineName;
use serde::Serialize;

use super::Jobs;
use super::elsewhere::Site;
use super::live::JobState;
use super::row::Body;
use crate::id::Id;
use crate::ports::bus::ring::Ring;
use crate::ports::offers::WorkerOffer;
use crate::ports::queue::nats::{Task, Waiting, shards};
use crate::ports::rows::{Deleted, JobRow, Put};
use crate::record::Record;
use crate::store::Found;

/// Rows that are read at a time.
const PAGE: u32 = 200;

/// Milliseconds that a job is taken to need which was never planned.
const UNKNOWN_MS: f64 = 1000.0;

/// A job, as an operator sees it.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Where it stands; none of a row that another version of the program wrote.
    pub state: Option<State>,
    /// What is computed.
    pub task: Option<Computes>,
    /// What computes it, or did.
    pub engine: Option<EngineName>,
    /// The last attempt at it.
    pub attempt: u32,
    /// Seconds since it was taken in, where that is known.
    pub age_seconds: Option<u64>,
    /// The process that has it.
    pub worker: Option<String>,
    /// The machine of that process.
    pub host: Option<String>,
    /// Why it has failed.
    pub failure: Option<String>,
}

/// What was done to a job that is to be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// It had not ended, and is cancelled.
    Cancelled,
    /// It had ended, and is removed with its result.
    Removed,
}

impl Jobs {
    /// The last jobs of a site that were taken in, the latest first: at most `most` of those in this state, or of all.
    ///
    /// # Errors
    /// When rows or NATS cannot be read.
    pub async fn list(&self, only: Option<State>, most: usize) -> anyhow::Result<Vec<Listed>> {
        let site = self.site()?;
        let workers = site.offers.read().await?;
        let messages = site.queue.messages().await?;
        let messages: HashMap<Id, &Waiting> = messages.iter().map(|message| (message.job, message)).collect();
        let (mut listed, mut after) = (Vec::new(), None);
        while listed.len() < most {
            let page = self.shared.store.jobs(after, PAGE).get().await?;
            let Some((last, _)) = page.last() else { break };
            after = Some(*last);
            let seen = page.iter().map(|(id, row)| self.listed(*id, row, messages.get(id).copied(), &workers));
            listed.extend(seen.filter(|job| only.is_none() || job.state == only));
        }
        listed.truncate(most);
        Ok(listed)
    }

    fn listed(&self, id: Id, row: &JobRow, message: Option<&Waiting>, workers: &[WorkerOffer]) -> Listed {
        let has_it = workers.iter().find(|worker| worker.jobs.contains(&id)).filter(|_| row.ended_until.is_none());
        let (worker, host) = has_it.map(|worker| (worker.id.clone(), worker.host.clone())).unzip();
        let mut listed = Listed {
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
        if let Ok(Body { record: Record { snapshot, taken_at, .. }, .. }) = Body::read(&row.body) {
            // That a worker has begun is not in its row before it ends.
            let state = if has_it.is_some() { State::Running } else { snapshot.state };
            let planned = snapshot.plan.map(|plan| plan.engine);
            listed = Listed {
                state: Some(state),
                task: Some(snapshot.task),
                engine: if state.is_final() { planned } else { listed.engine.or(planned) },
                age_seconds: taken_at.map(|at| self.shared.store.clock.seconds().saturating_sub(at)),
                failure: snapshot.failure.map(|failure| failure.to_string()),
                ..listed
            };
        }
        listed
    }

    /// Has a job tried again that has failed or was cancelled, as another attempt, for as many workers as a new one. Returns the engine that it is queued for.
    ///
    /// # Errors
    /// When it is another one, or cannot be queued: says why.
    pub async fn retry(&self, id: Id) -> anyhow::Result<EngineName> {
        let site = self.site()?;
        let (row, Body { record, ring }) = self.read(id).await?;
        ensure!(row.ended_until.is_some() && ring.is_over(), "job {id} has not ended");
        let Record { snapshot, a, b, .. } = &record;
        ensure!(matches!(snapshot.state, State::Failed | State::Cancelled), "job {id} has an answer");
        ensure!(self.shared.store.renewed(vec![*a, *b]).await?, "job {id} cannot be tried again: its texts are gone");
        let engine = self.engine_of(snapshot.plan.as_ref(), &site.offers.read().await?);
        let engine = engine.with_context(|| format!("job {id} cannot be tried again now: there is no worker"))?;
        let given_up_at = ring.attempt().max(row.attempt);
        let expected_ms = snapshot.plan.as_ref().map_or(UNKNOWN_MS, |plan| plan.expected_ms);
        let snapshot = Snapshot::new(snapshot.id.clone(), snapshot.task, snapshot.options, snapshot.a.clone(), snapshot.b.clone());
        // Nothing of what was told before: whoever comes now does not hear how it has ended then.
        let record = Record { given_up_at, taken_at: record.taken_at, ..Record::new(snapshot, *a, *b) };
        let mut state = JobState { record, ring: Ring::default() };
        state.ring.begin(given_up_at + 1);
        state.report(Event::Queued { position: 0, wait_ms: None });
        let again = self.shared.row(&state, None, None)?;
        let put = self.shared.store.reopen_job(id, again).get().await?;
        ensure!(put == Put::Written, "job {id} has changed meanwhile");
        let task =
            Task { job: id, engine, shard: shards(id.to_string().as_bytes())[0], ms: expected_ms.ceil() as u64, attempt: given_up_at + 1 };
        site.queue
            .push(&task)
            .await
            .with_context(|| format!("the sweeper will queue job {id} in two minutes, since it could not be now"))?;
        Ok(engine)
    }

    /// Cancels a job that has not ended, and removes one that has, with its result.
    ///
    /// # Errors
    /// When there is no such job, or it cannot be written.
    pub async fn drop_job(&self, id: Id) -> anyhow::Result<Dropped> {
        let site = self.site()?;
        let row = self.row_of(id).await?;
        if row.ended_until.is_none() {
            let live = self.find(id).await.map_err(|problem| anyhow::anyhow!("{}", problem.detail))?;
            ensure!(self.cancel(&live).await, "job {id} could not be cancelled");
            // Where it is left, a worker finds that the job has ended.
            site.queue.remove(id).await?;
            return Ok(Dropped::Cancelled);
        }
        match row.owner {
            Some(owner) => {
                let deleted = self.shared.store.delete_job(id, owner).get().await?;
                ensure!(deleted == Deleted::Gone, "job {id} has changed meanwhile");
            }
            None => self.shared.store.drop_job(id).get().await?,
        }
        Ok(Dropped::Removed)
    }

    async fn read(&self, id: Id) -> anyhow::Result<(JobRow, Body)> {
        let row = self.row_of(id).await?;
        let body = Body::read(&row.body).with_context(|| format!("another version of Editscope wrote the row of job {id}"))?;
        Ok((row, body))
    }

    async fn row_of(&self, id: Id) -> anyhow::Result<JobRow> {
        match self.shared.store.job_row(id).get().await? {
            Found::Here(row) => Ok(row),
            Found::Gone => bail!("job {id} was removed, or its time is over"),
            Found::Never => bail!("there is no job {id}"),
        }
    }

    fn site(&self) -> anyhow::Result<&Site> {
        self.shared.site.as_ref().context("this process is none of a site")
    }
}
