//! A bus over NATS ([`NatsBus`]). Each process stores the events of its own jobs in memory and publishes those of
//! shared jobs.
//!
//! - `follower`: subscription to a job of another process
//!
//! An event is a message with the subject `event.<job>`. The NATS stream stores it for an hour, so that the events of a
//! job can be read again from the first one.
//!
//! Publishing never blocks: a task for each job reads its events like any listener and sends them in order. It repeats
//! each event until the servers have stored it. While the servers are unreachable, newer progress replaces older
//! progress. Requests to stop a job are sent to all current subscribers and not stored.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use axum::body::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use kernels::event::JobEvent;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tracing::warn;

use self::follower::FollowedJobs;
use super::local::LocalBus;
use super::ring::{EventBatch, Ring};
use super::{EventBatchStream, EventBus, StopReason};
use crate::id::Id;
use crate::storage::ports::nats::NatsConnection;

mod follower;
#[cfg(test)]
#[cfg(unix)]
mod tests;

/// Name of the NATS stream that stores events.
const EVENT_STREAM: &str = "EDITSCOPE_EVENTS";

/// Time for which the NATS stream stores an event.
const EVENT_RETENTION: Duration = Duration::from_secs(3600);

/// Maximum number of stored events of a job.
const MAX_JOB_EVENTS: i64 = 256;

/// Maximum size of the stored events of all jobs together, in bytes. The oldest are removed first. An event has a few
/// hundred bytes.
const MAX_EVENT_BYTES: i64 = 1 << 30;

/// Time in which NATS drops a message whose id it has already seen.
const EVENT_DEDUP_WINDOW: Duration = Duration::from_secs(120);

/// Delay before an event that the servers did not accept is sent again.
const EVENT_RETRY_DELAY: Duration = Duration::from_millis(500);

/// A NATS message with one event of a job, the number of the event and the format version.
#[derive(Debug, Serialize, Deserialize)]
struct EventMessage {
    version: u32,
    number: u64,
    event: JobEvent,
}

/// Format version of the event messages that this program writes and reads.
const VERSION: u32 = 1;

/// The bus of one process of a cluster: the jobs of this process, and the jobs of other processes that it follows.
#[derive(Clone, Debug)]
pub struct NatsBus {
    nats: NatsConnection,
    local: LocalBus,
    followed: FollowedJobs,
    runtime: Handle,
    _stops: Arc<StopSubscription>,
}

/// The task that receives requests to stop jobs of this process. Aborted when the last clone of the bus is dropped.
#[derive(Debug)]
struct StopSubscription(JoinHandle<()>);

impl Drop for StopSubscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl NatsBus {
    /// Opens a bus on the connection `nats`. Creates the stream of events if it is missing.
    ///
    /// # Errors
    /// Returns an error if the stream cannot be created.
    ///
    /// # Panics
    /// Panics outside of a Tokio runtime.
    pub async fn open(nats: NatsConnection) -> anyhow::Result<Self> {
        nats.stream_at_start(events()).await?;
        let own = LocalBus::default();
        let mut told = nats.client.subscribe("stop.*").await?;
        // The server must have the subscription before this process is announced.
        nats.client.flush().await?;
        let stopped = own.clone();
        let stops = tokio::spawn(async move {
            while let Some(message) = told.next().await {
                let job = message.subject.rsplit('.').next().and_then(|job| job.parse().ok());
                if let (Some(job), Ok(why)) = (job, serde_json::from_slice(&message.payload)) {
                    stopped.stop(job, why);
                }
            }
        });
        Ok(Self {
            nats,
            local: own,
            followed: FollowedJobs::default(),
            runtime: Handle::current(),
            _stops: Arc::new(StopSubscription(stops)),
        })
    }

    /// Tells the process that runs `job` to stop the job for the reason `why`. Returns when the NATS servers have the
    /// message.
    ///
    /// # Errors
    /// Returns an error if the servers cannot be reached.
    pub async fn publish_stop(&self, job: Id, why: StopReason) -> anyhow::Result<()> {
        let payload = serde_json::to_vec(&why).expect("a word is JSON");
        self.nats.client.publish(format!("stop.{job}"), payload.into()).await?;
        Ok(self.nats.client.flush().await?)
    }

    /// Sends `event` of `job` with its `number`, and repeats it until the servers have stored it.
    async fn send(&self, job: Id, number: u64, event: JobEvent) {
        let payload =
            serde_json::to_vec(&EventMessage { version: VERSION, number, event }).expect("an event has string keys and finite numbers");
        let payload = Bytes::from(payload);
        loop {
            let message = PublishMessage::build().payload(payload.clone()).message_id(format!("{job}.{number}"));
            let sent = async { self.nats.jetstream.send_publish(subject(job), message).await?.await };
            match sent.await {
                Ok(_) => return,
                Err(cause) => warn!("NATS rejected an event; retrying: {cause}"),
            }
            sleep(EVENT_RETRY_DELAY).await;
            if let Err(cause) = self.nats.stream(events()).await {
                // If the servers lost their data, the stream is missing as well.
                warn!("{cause:#}");
            }
        }
    }
}

fn events() -> Config {
    Config {
        name: EVENT_STREAM.into(),
        subjects: vec![subject("*")],
        retention: RetentionPolicy::Limits,
        discard: DiscardPolicy::Old,
        storage: StorageType::File,
        max_age: EVENT_RETENTION,
        max_messages_per_subject: MAX_JOB_EVENTS,
        max_bytes: MAX_EVENT_BYTES,
        duplicate_window: EVENT_DEDUP_WINDOW,
        ..Config::default()
    }
}

fn subject(job: impl std::fmt::Display) -> String {
    format!("event.{job}")
}

impl EventBus for NatsBus {
    fn register(&self, job: Id, events: Ring) {
        self.local.register(job, events);
    }

    fn share(&self, job: Id) {
        let Some(mut listener) = self.local.listen(job, 0) else { return };
        let bus = self.clone();
        self.runtime.spawn(async move {
            while let Some(told) = listener.next().await {
                // If the reader has missed events, the later ones are sufficient.
                let EventBatch::Events(events) = told else { continue };
                for (number, event) in events {
                    bus.send(job, number, event).await;
                }
            }
        });
    }

    fn follow(&self, job: Id, known: Ring) -> bool {
        if self.local.is_registered(job) {
            return false;
        }
        if self.followed.bus.is_registered(job) {
            self.followed.publish_known(job, &known);
            return false;
        }
        let caught_up = self.followed.open(job, known);
        self.runtime.spawn(follower::follow(self.nats.clone(), self.followed.clone(), job, caught_up));
        true
    }

    fn publish_event(&self, job: Id, number: u64, event: JobEvent) -> bool {
        self.local.publish_event(job, number, event)
    }

    fn unregister(&self, job: Id) {
        self.local.unregister(job);
    }

    fn listen(&self, job: Id, after: u64) -> Option<EventBatchStream> {
        self.local.listen(job, after).or_else(|| self.followed.listen(job, after))
    }

    fn wait_for_end(&self, job: Id) -> Option<BoxFuture<'static, ()>> {
        self.local.wait_for_end(job).or_else(|| self.followed.bus.wait_for_end(job))
    }

    fn stop(&self, job: Id, why: StopReason) {
        if self.local.is_registered(job) {
            return self.local.stop(job, why);
        }
        self.followed.bus.stop(job, why);
        let client = self.nats.client.clone();
        let payload = serde_json::to_vec(&why).expect("a word is JSON");
        let told = async move { client.publish(format!("stop.{job}"), payload.into()).await };
        self.runtime.spawn(told.map(|told| told.unwrap_or_else(|cause| warn!("request to stop a job could not be sent: {cause}"))));
    }

    fn stop_reason(&self, job: Id) -> Option<StopReason> {
        self.local.stop_reason(job).or_else(|| self.followed.bus.stop_reason(job))
    }
}
