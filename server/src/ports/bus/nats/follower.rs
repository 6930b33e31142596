//! Follower: reads the events of a job that another process carries, from the first one that is kept, and tells them to those who listen here.

use std::time::Duration;

use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use futures::StreamExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep};
use tracing::warn;

use super::{Followed, STREAM, Told, VERSION, subject};
use crate::id::Id;
use crate::ports::bus::Bus as _;
use crate::ports::nats::Nats;

/// A job that nobody here has listened to for so long is followed no longer.
const IDLE: Duration = Duration::from_secs(60);

/// How often it is looked whether anybody listens.
const LOOK: Duration = Duration::from_secs(1);

/// How long after the events could not be read that is tried again.
const AGAIN: Duration = Duration::from_millis(500);

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
        loop {
            tokio::select! {
                message = messages.next() => {
                    let Some(Ok(message)) = message else { continue 'again };
                    let is_last_now = message.info().is_ok_and(|info| info.pending == 0);
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
                    let is_over = followed.bus.ended(job).is_none_or(|ended| futures::FutureExt::now_or_never(ended).is_some());
                    if is_over || heard.elapsed() > IDLE {
                        return followed.close(job);
                    }
                }
            }
        }
    }
}

/// All events of a job, those first that are kept. Says whether there is none so far.
async fn messages(nats: &Nats, job: Id, caught_up: &watch::Sender<bool>) -> anyhow::Result<Ordered> {
    let stream = nats.jetstream.get_stream_no_info(STREAM).await?;
    let consumer = stream.create_consumer(OrderedConfig { filter_subject: subject(job), ..OrderedConfig::default() }).await?;
    if consumer.cached_info().num_pending == 0 {
        caught_up.send_replace(true);
    }
    Ok(consumer.messages().await?)
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
