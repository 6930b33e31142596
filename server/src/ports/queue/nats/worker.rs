//! Worker: takes jobs of one engine out of the queue, one shard after the other. A job that was taken is another's again once nothing was
//! heard of it for some seconds.

use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures::StreamExt as _;
use futures::future::try_join_all;
use kernels::plan::EngineName;
use tokio::time::timeout;
use tracing::warn;

use super::{SHARDS, Said, Task, VERSION, WorkQueue, name};

/// A job of which nothing was heard for so long is another worker's.
pub const SILENCE: Duration = Duration::from_secs(15);

/// How long the servers may take to say whether there is work.
const PATIENCE: Duration = Duration::from_secs(5);

/// Jobs of a shard that run at the same time.
const RUNNING: i64 = 10_000;

/// How long another worker is given a message that this version cannot read.
const UNREADABLE: Duration = Duration::from_secs(10);

/// Deliveries of a message that cannot be read before it is dropped: its row is there still.
const MOST_DELIVERIES: u32 = 3;

/// What a worker takes jobs of one engine from.
#[derive(Debug)]
pub struct Shards {
    consumers: Vec<Consumer<pull::Config>>,
    next: usize,
}

/// A job that this worker has.
#[derive(Debug)]
pub struct Taken {
    /// Which.
    pub task: Task,
    /// Which delivery of its message this is, from 1.
    pub delivery: u32,
    /// How long it has waited.
    pub waited: Duration,
    message: Message,
    queue: WorkQueue,
}

impl WorkQueue {
    /// What jobs of this engine are taken from.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn shards(&self, engine: EngineName) -> anyhow::Result<Shards> {
        let stream = self.stream().await?;
        let consumer = |shard: u8| {
            let name = name(engine);
            let config = pull::Config {
                durable_name: Some(format!("{name}-{shard}")),
                filter_subject: format!("work.{name}.*.{shard}.>"),
                ack_policy: AckPolicy::Explicit,
                ack_wait: SILENCE,
                max_ack_pending: RUNNING,
                ..pull::Config::default()
            };
            stream.create_consumer(config)
        };
        let consumers = try_join_all((0..SHARDS).map(consumer)).await.context("NATS gives no work")?;
        Ok(Shards { consumers, next: 0 })
    }

    /// Takes the next job, if there is one.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn take(&self, shards: &mut Shards) -> anyhow::Result<Option<Taken>> {
        for _ in 0..shards.consumers.len() {
            let consumer = &shards.consumers[shards.next];
            shards.next = (shards.next + 1) % shards.consumers.len();
            if let Some(taken) = self.take_of(consumer).await? {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    /// Takes the next job of one part, if there is one: what a worker does that is told of it.
    ///
    /// # Errors
    /// When the servers cannot be reached.
    pub async fn take_from(&self, shards: &mut Shards, shard: u8) -> anyhow::Result<Option<Taken>> {
        match shards.consumers.get(usize::from(shard)) {
            Some(consumer) => self.take_of(consumer).await,
            None => Ok(None),
        }
    }

    async fn take_of(&self, consumer: &Consumer<pull::Config>) -> anyhow::Result<Option<Taken>> {
        let mut batch = consumer.fetch().max_messages(1).messages().await.context("NATS gives no work")?;
        let Some(message) = timeout(PATIENCE, batch.next()).await.context("NATS does not answer")? else { return Ok(None) };
        self.read(message.map_err(anyhow::Error::from_boxed).context("NATS gives no work")?).await
    }

    async fn read(&self, message: Message) -> anyhow::Result<Option<Taken>> {
        let info = message.info().map_err(anyhow::Error::from_boxed)?;
        let delivery = u32::try_from(info.delivered).unwrap_or(1);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let waited = now.saturating_sub(Duration::from_nanos(u64::try_from(info.published.unix_timestamp_nanos()).unwrap_or_default()));
        match serde_json::from_slice(&message.payload) {
            Ok(Said { version: VERSION, task }) => Ok(Some(Taken { task, delivery, waited, message, queue: self.clone() })),
            // Another version wrote it, of whose workers there may be some.
            _ => {
                warn!("work cannot be read and is left to others");
                let answer = if delivery < MOST_DELIVERIES { AckKind::Nak(Some(UNREADABLE)) } else { AckKind::Term };
                message.ack_with(answer).await.map_err(anyhow::Error::from_boxed)?;
                Ok(None)
            }
        }
    }
}

impl Taken {
    /// It is under way still.
    pub async fn goes_on(&self) {
        self.answer(AckKind::Progress).await;
    }

    /// It has ended, and its row says so.
    pub async fn done(&self) {
        self.answer(AckKind::Ack).await;
    }

    /// Another worker shall have it, after some time.
    pub async fn give_back(&self, after: Duration) {
        self.answer(AckKind::Nak(Some(after))).await;
        // This process may be about to end.
        let _ = self.queue.nats.client.flush().await;
    }

    async fn answer(&self, answer: AckKind) {
        if let Err(cause) = self.message.ack_with(answer).await {
            // It is delivered again, to whoever finds how far it is in its row.
            warn!("NATS could not be told of a job that a worker has: {cause}");
        }
    }
}
