//! A work queue in NATS JetStream ([`WorkQueue`]): jobs that any worker of a cluster may take. A job is one message in
//! the queue until the job ends.
//!
//! - [`worker`]: taking of jobs
//! - [`hint`]: announcements of new jobs to workers
//!
//! A message has the subject `work.<engine>.<lane>.<shard>.<milliseconds>.<job>`, so that a list of subjects tells how
//! much work is pending. The shard (a part of the queue) is one of two that a hash of the client selects. Workers serve
//! the shards in turn, so that a client with a hundred jobs delays no other.
//!
//! Rows are authoritative: a message only names a job, and the sweeper publishes lost messages again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use async_nats::Subscriber;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use futures::TryStreamExt as _;
use kernels::plan::EngineName;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::Instant;

pub use self::hint::JobHint;
use super::{EngineBacklog, LARGE_SHARE, QueueFullError};
use crate::id::Id;
use crate::storage::ports::files::HashPrefix;
use crate::storage::ports::nats::NatsConnection;
use crate::storage::ports::offers::EngineCapacity;

pub mod hint;
#[cfg(test)]
#[cfg(unix)]
mod tests;
pub mod worker;

/// Name of the NATS stream that stores the messages of jobs.
const WORK_STREAM: &str = "EDITSCOPE_WORK";

const SHARDS: u8 = 16;

/// Maximum number of messages in the stream. Each has a few hundred bytes.
const MAX_WORK_MESSAGES: i64 = 100_000;

/// Time for which NATS drops repeated messages for the same attempt at a job.
const WORK_DEDUP_WINDOW: Duration = Duration::from_secs(60);

/// Maximum age of the cached list of unfinished jobs.
const MAX_PENDING_LIST_AGE: Duration = Duration::from_secs(1);

/// Format version of the messages that this program writes and reads.
const VERSION: u32 = 1;

/// Name of the only lane so far. A lane is the kind of jobs in the subject of a message; brief jobs need none, because
/// the process that receives them solves them.
const LARGE_LANE: &str = "large";

/// A job in the queue, as its message describes it to the worker that takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedJob {
    pub job: Id,
    /// Engine that was chosen by the process that accepted the job.
    pub engine: EngineName,
    /// Number of the shard (part of the queue) in which the job waits.
    pub shard: u8,
    /// Expected duration of the job in milliseconds.
    pub ms: u64,
    /// Number of the last attempt at the job before it was queued. Attempts started because of this message have higher
    /// numbers.
    pub attempt: u32,
}

/// The content of a message: a job, and the version of the format.
#[derive(Debug, Serialize, Deserialize)]
struct QueueMessage {
    version: u32,
    #[serde(flatten)]
    task: QueuedJob,
}

/// A waiting or running job, as far as the subject of its message describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingJob {
    pub job: Id,
    pub engine: EngineName,
    /// Expected duration of the job in milliseconds.
    pub ms: u64,
    shard: u8,
}

/// The list of waiting and running jobs, after the time at which it was read.
type PendingJobsCache = Option<(Instant, Arc<Vec<PendingJob>>)>;

/// The queue of the jobs of a cluster, stored in NATS.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    nats: NatsConnection,
    limit_ms: u64,
    known: Arc<Mutex<PendingJobsCache>>,
}

/// Selects two different shards for a client by `hash`, a hash that identifies the client. A job waits in the less
/// loaded of them: a client that shares one shard with an overloading client is served from its second shard as quickly
/// as all others.
pub fn shards(hash: &[u8]) -> [u8; 2] {
    let [one, other] = [0, 1].map(|at| hash.get(at).copied().unwrap_or_default());
    let one = one % SHARDS;
    [one, (one + 1 + other % (SHARDS - 1)) % SHARDS]
}

/// The shard for a new job, and the number of jobs that are before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardChoice {
    /// Number of waiting and running jobs of the job's engine.
    pub ahead: u64,
    /// Number of the less loaded of the client's two shards.
    pub shard: u8,
}

impl WorkQueue {
    /// Opens the queue on the connection `nats`. Jobs with an expected time of up to `seconds` in total may be
    /// unfinished for each engine and worker. Creates the stream if it is missing.
    ///
    /// # Errors
    /// Returns an error if the stream cannot be created.
    pub async fn open(nats: NatsConnection, seconds: u64) -> anyhow::Result<Self> {
        let queue = Self { nats, limit_ms: seconds.saturating_mul(1000), known: Arc::default() };
        queue.nats.stream_at_start(work()).await?;
        Ok(queue)
    }

    async fn stream(&self) -> anyhow::Result<Stream> {
        self.nats.stream(work()).await
    }

    /// Returns whether the servers can be reached now.
    pub fn is_connected(&self) -> bool {
        self.nats.is_connected()
    }

    /// Adds the job `task` to the queue, and returns when the servers have stored it. Repeated calls for the same
    /// attempt within a minute add the job once.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached or are full. The job may have been added nevertheless.
    pub async fn push(&self, task: &QueuedJob) -> anyhow::Result<()> {
        self.push_cached(task, Vec::new()).await
    }

    /// Adds a job like [`push`](Self::push). Also announces that some worker has the texts `cached` in its cache, so
    /// that other workers leave the job to it for a moment.
    ///
    /// # Errors
    /// Returns the errors of [`push`](Self::push).
    pub async fn push_cached(&self, task: &QueuedJob, cached: Vec<HashPrefix>) -> anyhow::Result<()> {
        let payload = serde_json::to_vec(&QueueMessage { version: VERSION, task: *task }).context("a message cannot be written")?;
        let message =
            PublishMessage::build().payload(payload.into()).message_id(format!("{}.{}.{}", task.job, task.attempt, name(task.engine)));
        let QueuedJob { job, engine, shard, ms, .. } = task;
        let subject = format!("work.{}.{LARGE_LANE}.{shard}.{ms}.{job}", name(*engine));
        let push = async || self.nats.jetstream.send_publish(subject.clone(), message.clone()).await?.await;
        let pushed = match push().await {
            Err(error) if error.kind() == PublishErrorKind::StreamNotFound => {
                // The servers have lost their data.
                self.stream().await?;
                push().await
            }
            pushed => pushed,
        };
        pushed.context("NATS does not take work")?;
        // Idle workers wait for this hint. If it is lost, they find the job when they poll.
        let said = JobHint { shard: *shard, cached }.to_string();
        self.nats.client.publish(subject_of_hints(*engine), said.into()).await?;
        let mut known = self.known.lock().await;
        if let Some((_, waiting)) = known.as_mut() {
            Arc::make_mut(waiting).push(PendingJob { job: *job, engine: *engine, shard: *shard, ms: *ms });
        }
        Ok(())
    }

    /// Selects the less loaded of the two `shards` of a client for a job of `ms` milliseconds, and counts the
    /// unfinished jobs of `engine`. `of` is the capacity of this engine in the cluster: its limit is the limit of one
    /// worker times the number of workers. The limit of a shard is half of a client's share. The list of jobs may be a
    /// second old.
    ///
    /// # Errors
    /// Returns an inner error if the limit of the engine or of the shard is reached, and an outer error if the servers
    /// cannot be reached.
    pub async fn choose_shard(
        &self,
        engine: EngineName,
        shards: [u8; 2],
        ms: u64,
        of: EngineCapacity,
    ) -> anyhow::Result<Result<ShardChoice, QueueFullError>> {
        let limit_ms = self.limit_ms.saturating_mul(of.workers);
        let waiting = self.unfinished_jobs().await?;
        let of_engine = || waiting.iter().filter(|waiting| waiting.engine == engine);
        let all: u64 = of_engine().map(|waiting| waiting.ms).sum();
        let in_part = |shard| of_engine().filter(|waiting| waiting.shard == shard).map(|waiting| waiting.ms).sum::<u64>();
        let [(own, shard), _] = {
            let mut parts = shards.map(|shard| (in_part(shard), shard));
            parts.sort_by_key(|(ms, _)| *ms);
            parts
        };
        let (over, over_own) = ((all + ms).saturating_sub(limit_ms), (own + ms).saturating_sub(limit_ms / LARGE_SHARE / 2));
        Ok(if over > 0 && (own > 0 || all >= limit_ms) {
            Err(QueueFullError { wait_ms: over / of.places, is_own_backlog: own == all })
        } else if over_own > 0 && own > 0 {
            Err(QueueFullError { wait_ms: over_own / of.places, is_own_backlog: true })
        } else {
            Ok(ShardChoice { ahead: of_engine().count() as u64, shard })
        })
    }

    /// Reads the list of all jobs that have not ended, whether waiting or running.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn messages(&self) -> anyhow::Result<Vec<PendingJob>> {
        Ok(self.list_subjects().await?.iter().filter_map(|subject| parse_subject(subject)).collect())
    }

    /// Removes the messages of `job`, so that no worker takes it any more. Returns the number of messages.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn remove(&self, job: Id) -> anyhow::Result<usize> {
        let subjects = self.list_subjects().await?;
        let own: Vec<&String> =
            subjects.iter().filter(|subject| parse_subject(subject).is_some_and(|waiting| waiting.job == job)).collect();
        for subject in &own {
            self.stream().await?.purge().filter(subject.as_str()).await.context("NATS does not remove a job")?;
        }
        *self.known.lock().await = None;
        Ok(own.len())
    }

    /// Returns the number and the expected time of the unfinished jobs of each engine. The numbers are at most a second
    /// old.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn backlogs(&self) -> anyhow::Result<Vec<EngineBacklog>> {
        let waiting = self.unfinished_jobs().await?;
        let of = |engine| {
            let own = || waiting.iter().filter(move |waiting| waiting.engine == engine);
            EngineBacklog { engine, jobs: own().count() as u64, ms: own().map(|waiting| waiting.ms).sum() }
        };
        Ok(vec![of(EngineName::Cpu), of(EngineName::Cuda)])
    }

    async fn unfinished_jobs(&self) -> anyhow::Result<Arc<Vec<PendingJob>>> {
        let mut known = self.known.lock().await;
        match known.as_ref() {
            Some((since, waiting)) if since.elapsed() < MAX_PENDING_LIST_AGE => Ok(waiting.clone()),
            _ => {
                let waiting = Arc::new(self.messages().await?);
                *known = Some((Instant::now(), waiting.clone()));
                Ok(waiting)
            }
        }
    }

    /// Reads the subjects of the messages of all jobs that have not ended.
    async fn list_subjects(&self) -> anyhow::Result<Vec<String>> {
        // The stream is created again if it was lost.
        let listed = self.stream().await?.info_with_subjects("work.>").await.context("NATS does not say what waits")?;
        let subjects: Vec<(String, usize)> = listed.try_collect().await.context("NATS does not say what waits")?;
        Ok(subjects.into_iter().map(|(subject, _)| subject).collect())
    }

    /// Subscribes to hints (announcements) of new jobs for `engine`. A hint may be lost.
    ///
    /// # Errors
    /// Returns an error if the connection is closed.
    pub async fn hints(&self, engine: EngineName) -> anyhow::Result<Subscriber> {
        Ok(self.nats.client.subscribe(subject_of_hints(engine)).await?)
    }
}

fn work() -> Config {
    Config {
        name: WORK_STREAM.into(),
        subjects: vec!["work.>".into()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        max_messages: MAX_WORK_MESSAGES,
        duplicate_window: WORK_DEDUP_WINDOW,
        ..Config::default()
    }
}

fn name(engine: EngineName) -> String {
    format!("{engine:?}").to_lowercase()
}

fn subject_of_hints(engine: EngineName) -> String {
    format!("hint.{}", name(engine))
}

/// Parses `subject`, the subject of a job's message. Returns `None` if it has another form.
fn parse_subject(subject: &str) -> Option<PendingJob> {
    let parts: Vec<&str> = subject.split('.').collect();
    let [_, engine, _, shard, ms, job] = parts[..] else { return None };
    let engine = [EngineName::Cpu, EngineName::Cuda].into_iter().find(|known| name(*known) == engine)?;
    Some(PendingJob { job: job.parse().ok()?, engine, shard: shard.parse().ok()?, ms: ms.parse().ok()? })
}
