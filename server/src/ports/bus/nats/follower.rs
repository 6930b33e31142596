//! Follower: reads the events of a job that another process carries, from the first one that is kept, and tells them to those who listen here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::AckPolicy;
use async_nats::jetstream::consumer::pull::{Config, Stream};
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep, timeout};
use tracing::warn;

use super::{STREAM, Told, VERSION, subject};
use crate::id::Id;
use crate::ports::bus::local::LocalBus;
use crate::ports::bus::ring::{Replay, Ring};
use crate::ports::bus::{Bus as _, Listener};
use crate::ports::nats::Nats;

/// A job that nobody here has listened to for so long is followed no longer.
const IDLE: Duration = Duration::from_secs(60);

/// How often it is looked whether anybody listens.
const LOOK: Duration = Duration::from_secs(1);

/// How often the servers say that there is nothing new. After two that were missed the events are read again.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// How long the servers remember how far a process is that is gone.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// How long after the events could not be read that is tried again.
const AGAIN: Duration = Duration::from_millis(500);

/// How long a listener waits until what was told before is here.
const CATCH_UP: Duration = Duration::from_secs(3);

/// Jobs of other processes, of which each listener here is told from one source.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    pub(super) bus: LocalBus,
    /// Whether what was told before a job was followed is here.
    caught_up: Arc<Mutex<HashMap<Id, watch::Receiver<bool>>>>,
}

impl Followed {
    fn caught_up(&self) -> MutexGuard<'_, HashMap<Id, watch::Receiver<bool>>> {
        // Each change is one insertion or removal.
        self.caught_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows a job whose events so far are these. Returns what is told when those that others were told before are here.
    pub(super) fn open(&self, job: Id, known: Ring) -> watch::Sender<bool> {
        let (tells, caught_up) = watch::channel(known.is_over());
        self.bus.open(job, known);
        self.caught_up().insert(job, caught_up);
        tells
    }

    /// Tells what of this ring is news.
    pub(super) fn tell(&self, job: Id, known: &Ring) {
        for (number, event) in known.iter() {
            self.bus.tell(job, *number, event.clone());
        }
    }

    fn close(&self, job: Id) {
        self.caught_up().remove(&job);
        self.bus.close(job);
    }

    /// What is told of a job after event `after`. `None` when it is not followed.
    pub(super) fn listen(&self, job: Id, after: u64) -> Option<Listener> {
        let mut caught_up = self.caught_up().get(&job)?.clone();
        let followed = self.clone();
        // Listens from the beginning, so that it hears what is told while it waits.
        let all = followed.bus.listen(job, 0)?;
        let first = async move {
            // Either is a reason to go on.
            let _ = timeout(CATCH_UP, caught_up.wait_for(|caught_up| *caught_up)).await;
            match followed.bus.listen(job, after) {
                Some(rest) => rest,
                // It has ended meanwhile.
                None => all.filter_map(move |told| async move { later(told, after) }).boxed(),
            }
        };
        Some(stream::once(first).flatten().boxed())
    }
}

/// Of what was told, that which has a number above `after`.
fn later(told: Replay, after: u64) -> Option<Replay> {
    let Replay::Events(events) = told else { return Some(told) };
    let events: Vec<_> = events.into_iter().filter(|(number, _)| *number > after).collect();
    (!events.is_empty()).then_some(Replay::Events(events))
}

/// Follows until the end of the job, or until nobody listens any more.
pub(super) async fn follow(nats: Nats, followed: Followed, job: Id, caught_up: watch::Sender<bool>) {
    let mut look = interval(LOOK);
    let mut heard = Instant::now();
    'again: while followed.bus.carries(job) {
        let mut messages = match messages(&nats, job, &caught_up).await {
            Ok(messages) => messages,
            Err(cause) => {
                warn!("the events of a job cannot be read and are asked for again: {cause:#}");
                sleep(AGAIN).await;
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
                        // Some were lost on their way.
                        continue 'again;
                    }
                    let is_last_now = info.pending == 0;
                    let over = tell(&followed, job, &message.payload);
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
                    let is_over = followed.bus.ended(job).is_none_or(|ended| ended.now_or_never().is_some());
                    if is_over || heard.elapsed() > IDLE {
                        return followed.close(job);
                    }
                }
            }
        }
    }
}

/// All events of a job, those first that are kept. Says whether there is none so far. The client's own ordered consumer takes a minute until it goes on
/// where a server was killed; events have numbers, so that all can as well be read again.
async fn messages(nats: &Nats, job: Id, caught_up: &watch::Sender<bool>) -> anyhow::Result<Stream> {
    let stream = nats.jetstream.get_stream_no_info(STREAM).await?;
    let config = Config {
        filter_subject: subject(job),
        ack_policy: AckPolicy::None,
        inactive_threshold: FORGOTTEN,
        num_replicas: 1,
        memory_storage: true,
        ..Config::default()
    };
    let consumer = stream.create_consumer(config).await?;
    if consumer.cached_info().num_pending == 0 {
        caught_up.send_replace(true);
    }
    Ok(consumer.stream().heartbeat(HEARTBEAT).expires(5 * HEARTBEAT).messages().await?)
}

/// Tells what a message says. Returns whether it was the last event.
fn tell(followed: &Followed, job: Id, message: &[u8]) -> bool {
    match serde_json::from_slice::<Told>(message) {
        Ok(Told { version: VERSION, number, event }) => {
            let is_last = event.is_last();
            followed.bus.tell(job, number, event) && is_last
        }
        // The row says how it ends.
        Ok(Told { version, .. }) => {
            warn!("an event has the form of another version, {version}, and is passed over");
            false
        }
        Err(cause) => {
            warn!("an event cannot be read and is passed over: {cause}");
            false
        }
    }
}
