//! A work queue in NATS JetStream: jobs that any worker of a site may take, each in one message until it has ended.
//!
//! - [`worker`]: what takes them
//! - [`hint`]: what workers are told of one that was added
//!
//! A message has the subject `work.<engine>.<lane>.<shard>.<milliseconds>.<job>`, so that a list of subjects says how much waits. The shard is one of two
//! that a hash of the client gives: workers take from one shard after the other, so that whoever has sent a hundred jobs keeps nobody else waiting for
//! them. Rows are the truth: a message names a job and holds nothing of it, and one that is lost is published again by whoever sweeps.

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

pub use self::hint::Hint;
use super::{Full, LARGE_SHARE};
use crate::id::Id;
use crate::ports::files::HashPrefix;
use crate::ports::nats::Nats;
use crate::ports::offers::Capacity;

pub mod hint;
#[cfg(test)]
#[cfg(unix)]
mod tests;
pub mod worker;

/// The stream of work.
const STREAM: &str = "EDITSCOPE_WORK";

/// Parts that clients are spread over.
const SHARDS: u8 = 16;

/// Messages at most. Each has a few hundred bytes.
const MOST: i64 = 100_000;

/// Within so long the same attempt at a job is queued once, however often it is published.
const ONCE: Duration = Duration::from_secs(60);

/// How long what waits is known before it is asked for again.
const KNOWN: Duration = Duration::from_secs(1);

/// The version of messages that this program writes and reads.
const VERSION: u32 = 1;

/// The only lane so far: brief jobs are solved where they arrive.
const LANE: &str = "large";

/// A job that any worker may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Which.
    pub job: Id,
    /// What computes it, by the plan of whoever has taken it in.
    pub engine: EngineName,
    /// Which part it waits in.
    pub shard: u8,
    /// Milliseconds that it is expected to take.
    pub ms: u64,
    /// The last attempt at it; those that follow from this message have higher numbers.
    pub attempt: u32,
}

/// What a message says.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    version: u32,
    #[serde(flatten)]
    task: Task,
}

/// What is known of a message without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The job.
    pub job: Id,
    /// What computes it.
    pub engine: EngineName,
    /// Milliseconds that it is expected to take.
    pub ms: u64,
    shard: u8,
}

/// What has not ended of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Which engine.
    pub engine: EngineName,
    /// How many jobs.
    pub jobs: u64,
    /// Milliseconds that they are expected to take.
    pub ms: u64,
}

/// The messages that nobody has done with, and when that was known.
type Known = Option<(Instant, Arc<Vec<Waiting>>)>;

/// The queue of a site.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    nats: Nats,
    limit_ms: u64,
    known: Arc<Mutex<Known>>,
}

/// The two parts of whoever has this hash. A job waits in the one in which less does: a client who shares one of them with somebody who has filled it is
/// served as quickly as everybody else from the other one.
pub fn shards(hash: &[u8]) -> [u8; 2] {
    let [one, other] = [0, 1].map(|at| hash.get(at).copied().unwrap_or_default());
    let one = one % SHARDS;
    [one, (one + 1 + other % (SHARDS - 1)) % SHARDS]
}

/// Where a job may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many jobs there are of its engine.
    pub ahead: u64,
    /// The part.
    pub shard: u8,
}

impl WorkQueue {
    /// The queue on this connection, in which work of so many seconds may wait for each engine. Makes its stream where there is none.
    ///
    /// # Errors
    /// When the stream cannot be made.
    pub async fn open(nats: Nats, seconds: u64) -> anyhow::Result<Self> {
        let queue = Self { nats, limit_ms: seconds.saturating_mul(1000), known: Arc::default() };
        queue.nats.stream_at_start(work()).await?;
        Ok(queue)
    }

    async fn stream(&self) -> anyhow::Result<Stream> {
        self.nats.stream(work()).await
    }

    /// Whether the servers can be reached now.
    pub fn is_connected(&self) -> bool {
        self.nats.is_connected()
    }

    /// Adds a job; once it returns, the servers have it. One that is added again within a minute, at the same attempt, is there once.
    ///
    /// # Errors
    /// When the servers cannot be reached or take no more. The job may have been added nevertheless.
    pub async fn push(&self, task: &Task) -> anyhow::Result<()> {
        self.push_cached(task, Vec::new()).await
    }

    /// As [`push`](Self::push), for a job of whose texts a worker has these in its cache: it comes first.
    ///
    /// # Errors
    /// Those of [`push`](Self::push).
    pub async fn push_cached(&self, task: &Task, cached: Vec<HashPrefix>) -> anyhow::Result<()> {
        let payload = serde_json::to_vec(&Said { version: VERSION, task: *task }).context("a message cannot be written")?;
        let message =
            PublishMessage::build().payload(payload.into()).message_id(format!("{}.{}.{}", task.job, task.attempt, name(task.engine)));
        let Task { job, engine, shard, ms, .. } = task;
        let subject = format!("work.{}.{LANE}.{shard}.{ms}.{job}", name(*engine));
        let push = async || self.nats.jetstream.send_publish(subject.clone(), message.clone()).await?.await;
        let pushed = match push().await {
            Err(error) if error.kind() == PublishErrorKind::StreamNotFound => {
                // The servers have lost all that they had.
                self.stream().await?;
                push().await
            }
            pushed => pushed,
        };
        pushed.context("NATS does not take work")?;
        // Whoever has nothing to do waits for this, and looks every now and then where it is lost.
        let said = Hint { shard: *shard, cached }.to_string();
        self.nats.client.publish(subject_of_hints(*engine), said.into()).await?;
        let mut known = self.known.lock().await;
        if let Some((_, waiting)) = known.as_mut() {
            Arc::make_mut(waiting).push(Waiting { job: *job, engine: *engine, shard: *shard, ms: *ms });
        }
        Ok(())
    }

    /// The one of these parts in which less waits, where a job of so many milliseconds may be added to it, and how many jobs wait for this engine or run on
    /// it. As much may wait as each of the workers would let wait if it were alone, and in each part half of what one client may have waiting. What is known is
    /// a second old at most.
    ///
    /// # Errors
    /// `Full` as [`Queue::push`](super::Queue::push) has it, for workers with so many places; an error when the servers cannot be reached.
    pub async fn room(&self, engine: EngineName, shards: [u8; 2], ms: u64, of: Capacity) -> anyhow::Result<Result<Room, Full>> {
        let limit_ms = self.limit_ms.saturating_mul(of.workers);
        let waiting = self.waiting().await?;
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
            Err(Full { wait_ms: over / of.places, by_itself: own == all })
        } else if over_own > 0 && own > 0 {
            Err(Full { wait_ms: over_own / of.places, by_itself: true })
        } else {
            Ok(Room { ahead: of_engine().count() as u64, shard })
        })
    }

    /// The messages that there are now: of jobs that nobody has taken, and of those that somebody has.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn messages(&self) -> anyhow::Result<Vec<Waiting>> {
        Ok(self.ask().await?.iter().filter_map(|subject| waiting(subject)).collect())
    }

    /// Removes the messages of a job: nobody takes it any more. Returns how many there were.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn remove(&self, job: Id) -> anyhow::Result<usize> {
        let subjects = self.ask().await?;
        let own: Vec<&String> = subjects.iter().filter(|subject| waiting(subject).is_some_and(|waiting| waiting.job == job)).collect();
        for subject in &own {
            self.stream().await?.purge().filter(subject.as_str()).await.context("NATS does not remove a job")?;
        }
        *self.known.lock().await = None;
        Ok(own.len())
    }

    /// What has not ended of each engine, as of a second ago at most.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn queued(&self) -> anyhow::Result<Vec<Queued>> {
        let waiting = self.waiting().await?;
        let of = |engine| {
            let own = || waiting.iter().filter(move |waiting| waiting.engine == engine);
            Queued { engine, jobs: own().count() as u64, ms: own().map(|waiting| waiting.ms).sum() }
        };
        Ok(vec![of(EngineName::Cpu), of(EngineName::Cuda)])
    }

    async fn waiting(&self) -> anyhow::Result<Arc<Vec<Waiting>>> {
        let mut known = self.known.lock().await;
        match known.as_ref() {
            Some((since, waiting)) if since.elapsed() < KNOWN => Ok(waiting.clone()),
            _ => {
                let waiting = Arc::new(self.messages().await?);
                *known = Some((Instant::now(), waiting.clone()));
                Ok(waiting)
            }
        }
    }

    /// The subjects of all messages.
    async fn ask(&self) -> anyhow::Result<Vec<String>> {
        // It is made again where it was lost.
        let listed = self.stream().await?.info_with_subjects("work.>").await.context("NATS does not say what waits")?;
        let subjects: Vec<(String, usize)> = listed.try_collect().await.context("NATS does not say what waits")?;
        Ok(subjects.into_iter().map(|(subject, _)| subject).collect())
    }

    /// Tells of jobs that are added for this engine, as long as nothing is lost.
    ///
    /// # Errors
    /// When the connection is closed.
    pub async fn hints(&self, engine: EngineName) -> anyhow::Result<Subscriber> {
        Ok(self.nats.client.subscribe(subject_of_hints(engine)).await?)
    }
}

/// The stream of work.
fn work() -> Config {
    Config {
        name: STREAM.into(),
        subjects: vec!["work.>".into()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        max_messages: MOST,
        duplicate_window: ONCE,
        ..Config::default()
    }
}

fn name(engine: EngineName) -> String {
    format!("{engine:?}").to_lowercase()
}

fn subject_of_hints(engine: EngineName) -> String {
    format!("hint.{}", name(engine))
}

/// What a subject says.
fn waiting(subject: &str) -> Option<Waiting> {
    let parts: Vec<&str> = subject.split('.').collect();
    let [_, engine, _, shard, ms, job] = parts[..] else { return None };
    let engine = [EngineName::Cpu, EngineName::Cuda].into_iter().find(|known| name(*known) == engine)?;
    Some(Waiting { job: job.parse().ok()?, engine, shard: shard.parse().ok()?, ms: ms.parse().ok()? })
}
