//! A bus over NATS: each process carries its jobs in its own memory, and tells others of those that it shares.
//!
//! - `follower`: what is heard of a job that another process carries
//!
//! An event is a message with the subject `event.<job>` in a stream that keeps it for an hour, so that it can be read again from the first one.
//! What is told is never waited for: a task for each job reads its events as any listener does, and sends them in their order, each until the
//! servers have it. While they are away progress is replaced by later progress, as in the memory of a slow listener. That a job is to stop goes
//! to all who listen at that moment, and is kept nowhere.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use axum::body::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use kernels::event::Event;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tracing::warn;

use self::follower::Followed;
use super::local::LocalBus;
use super::ring::{Replay, Ring};
use super::{Bus, Listener, Stop};
use crate::id::Id;
use crate::ports::nats::Nats;

mod follower;
#[cfg(test)]
#[cfg(unix)]
mod tests;

/// The stream of events.
const STREAM: &str = "EDITSCOPE_EVENTS";

/// How long an event is kept.
const KEPT: Duration = Duration::from_secs(3600);

/// Events of a job that are kept, at most.
const MOST_EVENTS: i64 = 256;

/// Bytes of all events together; then the oldest go. An event has a few hundred.
const MOST_BYTES: i64 = 1 << 30;

/// Within so long the same event is taken once, however often it is sent.
const ONCE: Duration = Duration::from_secs(120);

/// How long after an event was not taken it is sent again.
const AGAIN: Duration = Duration::from_millis(500);

/// What a message says: an event, in this version's form.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    version: u32,
    number: u64,
    event: Event,
}

/// The version of messages that this program writes and reads.
const VERSION: u32 = 1;

/// The jobs that this process carries, and those of others that it follows.
#[derive(Clone, Debug)]
pub struct NatsBus {
    nats: Nats,
    own: LocalBus,
    followed: Followed,
    runtime: Handle,
    _stops: Arc<Stops>,
}

/// The task that hears which jobs are to stop. Ends with the last clone of the bus.
#[derive(Debug)]
struct Stops(JoinHandle<()>);

impl Drop for Stops {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl NatsBus {
    /// A bus on this connection. Makes the stream of events where there is none.
    ///
    /// # Errors
    /// When the stream cannot be made.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub async fn open(nats: Nats) -> anyhow::Result<Self> {
        nats.stream_at_start(events()).await?;
        let own = LocalBus::default();
        let mut told = nats.client.subscribe("stop.*").await?;
        // The server has it before anybody is told that this process is here.
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
        Ok(Self { nats, own, followed: Followed::default(), runtime: Handle::current(), _stops: Arc::new(Stops(stops)) })
    }

    /// Tells whoever runs a job to stop. Once it returns, the servers have been told.
    ///
    /// # Errors
    /// When they cannot be reached.
    pub async fn tell_stop(&self, job: Id, why: Stop) -> anyhow::Result<()> {
        let payload = serde_json::to_vec(&why).expect("a word is JSON");
        self.nats.client.publish(format!("stop.{job}"), payload.into()).await?;
        Ok(self.nats.client.flush().await?)
    }

    /// Sends an event until the servers have it.
    async fn send(&self, job: Id, number: u64, event: Event) {
        let payload = serde_json::to_vec(&Told { version: VERSION, number, event }).expect("an event has string keys and finite numbers");
        let payload = Bytes::from(payload);
        loop {
            let message = PublishMessage::build().payload(payload.clone()).message_id(format!("{job}.{number}"));
            let sent = async { self.nats.jetstream.send_publish(subject(job), message).await?.await };
            match sent.await {
                Ok(_) => return,
                Err(cause) => warn!("an event was not taken by NATS and is sent again: {cause}"),
            }
            sleep(AGAIN).await;
            if let Err(cause) = self.nats.stream(events()).await {
                // Where the servers have lost all that they had, they have no stream either.
                warn!("{cause:#}");
            }
        }
    }
}

/// The stream of events.
fn events() -> Config {
    Config {
        name: STREAM.into(),
        subjects: vec![subject("*")],
        retention: RetentionPolicy::Limits,
        discard: DiscardPolicy::Old,
        storage: StorageType::File,
        max_age: KEPT,
        max_messages_per_subject: MOST_EVENTS,
        max_bytes: MOST_BYTES,
        duplicate_window: ONCE,
        ..Config::default()
    }
}

fn subject(job: impl std::fmt::Display) -> String {
    format!("event.{job}")
}

impl Bus for NatsBus {
    fn open(&self, job: Id, events: Ring) {
        self.own.open(job, events);
    }

    fn share(&self, job: Id) {
        let Some(mut listener) = self.own.listen(job, 0) else { return };
        let bus = self.clone();
        self.runtime.spawn(async move {
            while let Some(told) = listener.next().await {
                // Where it has missed some, those that follow will do.
                let Replay::Events(events) = told else { continue };
                for (number, event) in events {
                    bus.send(job, number, event).await;
                }
            }
        });
    }

    fn follow(&self, job: Id, known: Ring) -> bool {
        if self.own.carries(job) {
            return false;
        }
        if self.followed.bus.carries(job) {
            self.followed.tell(job, &known);
            return false;
        }
        let caught_up = self.followed.open(job, known);
        self.runtime.spawn(follower::follow(self.nats.clone(), self.followed.clone(), job, caught_up));
        true
    }

    fn tell(&self, job: Id, number: u64, event: Event) -> bool {
        self.own.tell(job, number, event)
    }

    fn close(&self, job: Id) {
        self.own.close(job);
    }

    fn listen(&self, job: Id, after: u64) -> Option<Listener> {
        self.own.listen(job, after).or_else(|| self.followed.listen(job, after))
    }

    fn ended(&self, job: Id) -> Option<BoxFuture<'static, ()>> {
        self.own.ended(job).or_else(|| self.followed.bus.ended(job))
    }

    fn stop(&self, job: Id, why: Stop) {
        if self.own.carries(job) {
            return self.own.stop(job, why);
        }
        self.followed.bus.stop(job, why);
        let client = self.nats.client.clone();
        let payload = serde_json::to_vec(&why).expect("a word is JSON");
        let told = async move { client.publish(format!("stop.{job}"), payload.into()).await };
        self.runtime.spawn(told.map(|told| told.unwrap_or_else(|cause| warn!("that a job is to stop could not be told: {cause}"))));
    }

    fn stopped(&self, job: Id) -> Option<Stop> {
        self.own.stopped(job).or_else(|| self.followed.bus.stopped(job))
    }
}
