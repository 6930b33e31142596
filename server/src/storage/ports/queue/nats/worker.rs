//! Worker: takes jobs of one engine from the queue, shard by shard ([`ShardConsumers`], [`ClaimedJob`]). If a worker is
//! silent for [`JOB_ACK_TIMEOUT`], its job is delivered to another worker.

use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures::StreamExt as _;
use futures::future::try_join_all;
use kernels::plan::EngineName;
use tokio::time::timeout;
use tracing::warn;

use super::{QueueMessage, QueuedJob, SHARDS, VERSION, WorkQueue, name};

/// Time without a message from a worker about its job after which the job is delivered to another worker.
pub const JOB_ACK_TIMEOUT: Duration = Duration::from_secs(15);

/// Timeout of the request for the next job of a shard.
const PULL_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of jobs of a shard that workers have taken and not ended.
const MAX_RUNNING_JOBS: i64 = 10_000;

/// Delay before a message that this version cannot parse is delivered to another worker.
const UNREADABLE_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Number of deliveries after which a message that cannot be parsed is dropped. The row of its job still exists.
const MAX_DELIVERIES: u32 = 3;

/// The NATS consumers (readers) of the messages of one engine, one for each shard.
#[derive(Debug)]
pub struct ShardConsumers {
    consumers: Vec<Consumer<pull::Config>>,
    /// Number of the shard from which the next job is taken.
    next: usize,
}

/// A job that this worker has taken from the queue, with the claim on its message.
#[derive(Debug)]
pub struct ClaimedJob {
    pub task: QueuedJob,
    /// Number of times that the message was delivered to a worker, including this time.
    pub delivery: u32,
    /// Time between the publication of the message and its delivery.
    pub queue_time: Duration,
    message: Message,
    queue: WorkQueue,
}

impl WorkQueue {
    /// Opens the consumers of the messages for `engine`.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn shards(&self, engine: EngineName) -> anyhow::Result<ShardConsumers> {
        let stream = self.stream().await?;
        let consumer = |shard: u8| {
            let name = name(engine);
            let config = pull::Config {
                durable_name: Some(format!("{name}-{shard}")),
                filter_subject: format!("work.{name}.*.{shard}.>"),
                ack_policy: AckPolicy::Explicit,
                ack_wait: JOB_ACK_TIMEOUT,
                max_ack_pending: MAX_RUNNING_JOBS,
                ..pull::Config::default()
            };
            stream.create_consumer(config)
        };
        let consumers = try_join_all((0..SHARDS).map(consumer)).await.context("NATS gives no work")?;
        Ok(ShardConsumers { consumers, next: 0 })
    }

    /// Takes the next job of any of `shards`, or returns `None` if no job waits. Begins with the shard after the last
    /// one that this function polled.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn claim_next(&self, shards: &mut ShardConsumers) -> anyhow::Result<Option<ClaimedJob>> {
        for _ in 0..shards.consumers.len() {
            let consumer = &shards.consumers[shards.next];
            shards.next = (shards.next + 1) % shards.consumers.len();
            if let Some(taken) = self.claim_from_consumer(consumer).await? {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    /// Takes the next job of the shard number `shard`, or returns `None` if no job waits in it. Used after a hint.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn claim_from_shard(&self, shards: &mut ShardConsumers, shard: u8) -> anyhow::Result<Option<ClaimedJob>> {
        match shards.consumers.get(usize::from(shard)) {
            Some(consumer) => self.claim_from_consumer(consumer).await,
            None => Ok(None),
        }
    }

    async fn claim_from_consumer(&self, consumer: &Consumer<pull::Config>) -> anyhow::Result<Option<ClaimedJob>> {
        let mut batch = consumer.fetch().max_messages(1).messages().await.context("NATS gives no work")?;
        let Some(message) = timeout(PULL_TIMEOUT, batch.next()).await.context("NATS does not answer")? else { return Ok(None) };
        self.read(message.map_err(anyhow::Error::from_boxed).context("NATS gives no work")?).await
    }

    async fn read(&self, message: Message) -> anyhow::Result<Option<ClaimedJob>> {
        let info = message.info().map_err(anyhow::Error::from_boxed)?;
        let delivery = u32::try_from(info.delivered).unwrap_or(1);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let waited = now.saturating_sub(Duration::from_nanos(u64::try_from(info.published.unix_timestamp_nanos()).unwrap_or_default()));
        match serde_json::from_slice(&message.payload) {
            Ok(QueueMessage { version: VERSION, task }) => {
                Ok(Some(ClaimedJob { task, delivery, queue_time: waited, message, queue: self.clone() }))
            }
            // Another version wrote the message. A worker of that version may be able to read it.
            _ => {
                warn!("queue message is unreadable or of another version; leaving it to other workers");
                let answer = if delivery < MAX_DELIVERIES { AckKind::Nak(Some(UNREADABLE_RETRY_DELAY)) } else { AckKind::Term };
                message.ack_with(answer).await.map_err(anyhow::Error::from_boxed)?;
                Ok(None)
            }
        }
    }
}

impl ClaimedJob {
    /// Tells the servers that the job is still running, which extends the claim of this worker.
    pub async fn ack_progress(&self) {
        self.answer(AckKind::Progress).await;
    }

    /// Tells the servers that the job has ended, which removes its message. The row of the job must be written before.
    pub async fn done(&self) {
        self.answer(AckKind::Ack).await;
    }

    /// Returns the job to the queue. A worker may take it again after the delay `after`.
    pub async fn nak(&self, after: Duration) {
        self.answer(AckKind::Nak(Some(after))).await;
        // This process may be about to end, so the message must be sent now.
        let _ = self.queue.nats.client.flush().await;
    }

    async fn answer(&self, answer: AckKind) {
        if let Err(cause) = self.message.ack_with(answer).await {
            // The message is delivered again; its next worker reads the state of the job from its row.
            warn!("state of a running job could not be sent to NATS: {cause}");
        }
    }
}
