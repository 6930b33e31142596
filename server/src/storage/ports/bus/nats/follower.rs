//! Follower: reads the stored events of a job that another process runs, and publishes them to the listeners of this
//! process (`FollowedJobs`, `follow`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::AckPolicy;
use async_nats::jetstream::consumer::pull::{Config, Stream};
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep, timeout};
use tracing::warn;

use super::{EVENT_STREAM, EventMessage, VERSION, subject};
use crate::id::Id;
use crate::storage::ports::bus::local::LocalBus;
use crate::storage::ports::bus::ring::{EventBatch, Ring};
use crate::storage::ports::bus::{EventBatchStream, EventBus as _};
use crate::storage::ports::nats::NatsConnection;

/// Time without a listener after which a job is no longer followed.
const FOLLOW_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Interval between checks whether a followed job still has listeners.
const FOLLOW_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Interval of the servers' heartbeats for a subscription. After two missed heartbeats, the events are read again.
const CONSUMER_HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);

/// Time after which the servers delete the subscription of a process that no longer reads.
const CONSUMER_EXPIRY: Duration = Duration::from_secs(30);

/// Delay before a failed read of the events is retried.
const FOLLOW_RETRY_DELAY: Duration = Duration::from_millis(500);

/// Maximum time for which a new listener waits for the events that were published before the subscription.
const LISTENER_CATCH_UP_TIMEOUT: Duration = Duration::from_secs(3);

/// The jobs of other processes that this process follows. All listeners of a job share one subscription to NATS.
#[derive(Clone, Debug, Default)]
pub(super) struct FollowedJobs {
    pub(super) bus: LocalBus,
    /// For each followed job, whether the events published before the subscription have arrived.
    caught_up: Arc<Mutex<HashMap<Id, watch::Receiver<bool>>>>,
}

impl FollowedJobs {
    fn caught_up(&self) -> MutexGuard<'_, HashMap<Id, watch::Receiver<bool>>> {
        // A poisoned lock is usable, because each change is a single insertion or removal.
        self.caught_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to follow `job`. `known` are its events so far. The caller sends `true` to the returned sender when the
    /// events published before the subscription have arrived.
    pub(super) fn open(&self, job: Id, known: Ring) -> watch::Sender<bool> {
        let (tells, caught_up) = watch::channel(known.is_over());
        self.bus.register(job, known);
        self.caught_up().insert(job, caught_up);
        tells
    }

    /// Publishes the events in `known`, the stored events of `job`, as far as this process does not have them yet.
    pub(super) fn publish_known(&self, job: Id, known: &Ring) {
        for (number, event) in known.iter() {
            self.bus.publish_event(job, *number, event.clone());
        }
    }

    fn close(&self, job: Id) {
        self.caught_up().remove(&job);
        self.bus.unregister(job);
    }

    /// Subscribes to the events of `job` with numbers greater than `after`. Returns `None` if the job is not followed.
    pub(super) fn listen(&self, job: Id, after: u64) -> Option<EventBatchStream> {
        let mut caught_up = self.caught_up().get(&job)?.clone();
        let followed = self.clone();
        // Subscribes from the beginning, so that no event is missed while the future waits.
        let all = followed.bus.listen(job, 0)?;
        let first = async move {
            // Both the timeout and a complete history end the wait.
            let _ = timeout(LISTENER_CATCH_UP_TIMEOUT, caught_up.wait_for(|caught_up| *caught_up)).await;
            match followed.bus.listen(job, after) {
                Some(rest) => rest,
                // The subscription has ended meanwhile, because the job has.
                None => all.filter_map(move |told| async move { events_after(told, after) }).boxed(),
            }
        };
        Some(stream::once(first).flatten().boxed())
    }
}

/// Removes the events with numbers up to `after` from the batch `told`. Returns `None` if no event is left.
fn events_after(told: EventBatch, after: u64) -> Option<EventBatch> {
    let EventBatch::Events(events) = told else { return Some(told) };
    let events: Vec<_> = events.into_iter().filter(|(number, _)| *number > after).collect();
    (!events.is_empty()).then_some(EventBatch::Events(events))
}

/// Follows `job` until it ends or has had no listener for [`FOLLOW_IDLE_TIMEOUT`]. Sends `true` to `caught_up` when the
/// events published before the subscription have arrived.
pub(super) async fn follow(nats: NatsConnection, followed: FollowedJobs, job: Id, caught_up: watch::Sender<bool>) {
    let mut look = interval(FOLLOW_CHECK_INTERVAL);
    let mut heard = Instant::now();
    'again: while followed.bus.is_registered(job) {
        let mut messages = match messages(&nats, job, &caught_up).await {
            Ok(messages) => messages,
            Err(cause) => {
                warn!("events of a job cannot be read; retrying: {cause:#}");
                sleep(FOLLOW_RETRY_DELAY).await;
                continue;
            }
        };
        let mut count = 0;
        loop {
            tokio::select! {
                message = messages.next() => {
                    let Some(Ok(message)) = message else { continue 'again };
                    let Ok(info) = message.info() else { continue 'again };
                    count += 1;
                    if info.consumer_sequence != count {
                        // Some messages were lost on their way.
                        continue 'again;
                    }
                    let is_last_now = info.pending == 0;
                    let over = publish_message(&followed, job, &message.payload);
                    if is_last_now || over {
                        caught_up.send_replace(true);
                    }
                    if over {
                        return followed.close(job);
                    }
                }
                _ = look.tick() => {
                    if followed.bus.listeners(job) > 0 {
                        heard = Instant::now();
                    }
                    let is_over = followed.bus.wait_for_end(job).is_none_or(|ended| ended.now_or_never().is_some());
                    if is_over || heard.elapsed() > FOLLOW_IDLE_TIMEOUT {
                        return followed.close(job);
                    }
                }
            }
        }
    }
}

/// Subscribes to all events of `job`, from the first stored one. Sends `true` to `caught_up` if no event is stored yet.
///
/// The ordered consumer of the NATS client needs a minute to continue after a server was killed. Events have numbers,
/// so all of them can be read again instead.
async fn messages(nats: &NatsConnection, job: Id, caught_up: &watch::Sender<bool>) -> anyhow::Result<Stream> {
    let stream = nats.jetstream.get_stream_no_info(EVENT_STREAM).await?;
    let config = Config {
        filter_subject: subject(job),
        ack_policy: AckPolicy::None,
        inactive_threshold: CONSUMER_EXPIRY,
        num_replicas: 1,
        memory_storage: true,
        ..Config::default()
    };
    let consumer = stream.create_consumer(config).await?;
    if consumer.cached_info().num_pending == 0 {
        caught_up.send_replace(true);
    }
    Ok(consumer.stream().heartbeat(CONSUMER_HEARTBEAT_INTERVAL).expires(5 * CONSUMER_HEARTBEAT_INTERVAL).messages().await?)
}

/// Publishes the event of `job` in `message` to the listeners of this process. Returns whether the event was new and
/// the last event of the job.
fn publish_message(followed: &FollowedJobs, job: Id, message: &[u8]) -> bool {
    match serde_json::from_slice::<EventMessage>(message) {
        Ok(EventMessage { version: VERSION, number, event }) => {
            let is_last = event.is_last();
            followed.bus.publish_event(job, number, event) && is_last
        }
        // This version cannot read the event, but the row of the job will tell that it has ended.
        Ok(EventMessage { version, .. }) => {
            warn!("ignoring an event of unsupported version {version}");
            false
        }
        Err(cause) => {
            warn!("ignoring an unreadable event: {cause}");
            false
        }
    }
}
