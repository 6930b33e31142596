//! A bus in the memory of this process ([`LocalBus`]). A listener stores only the number of the last event that it
//! knows, so a slow listener costs no memory and delays no other listener.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use kernels::event::JobEvent;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{EventBatchStream, EventBus, StopReason};
use crate::id::Id;
use crate::storage::ports::bus::ring::{EventBatch, Ring};

/// Pause of a listener between two batches, for each listener of its job: with *n* listeners, each pauses *n* times
/// this duration, scaled by [`share`]. The pauses spread the load if a whole lecture follows one job. Only the end of
/// the job interrupts them.
const LISTENER_PAUSE: Duration = Duration::from_millis(1);

/// Maximum pause of a listener between two batches, before scaling by [`share`].
const MAX_LISTENER_PAUSE: Duration = Duration::from_secs(2);

/// An event bus for the jobs of this process.
#[derive(Clone, Debug, Default)]
pub struct LocalBus {
    channels: Arc<Mutex<HashMap<Id, Arc<JobChannel>>>>,
}

/// The events of one registered job, and the signals that wake its listeners.
#[derive(Debug)]
struct JobChannel {
    events: Mutex<Ring>,
    /// Whether the job is still registered. The value is sent again after every event, to wake the listeners.
    registered: watch::Sender<bool>,
    /// Whether the last event was published or the job was unregistered.
    ended: watch::Sender<bool>,
    /// [`StopReason`] for which the job was told to stop, as a number, or 0.
    stop: AtomicU8,
    /// Number of subscriptions since the job was registered, which is the number of the next listener.
    listeners: AtomicU32,
}

struct LocalListener {
    channel: Arc<JobChannel>,
    registered: watch::Receiver<bool>,
    /// Number of the last event that the listener has received.
    known: u64,
    /// Whether the listener has received the last event of the job.
    over: bool,
    /// Factor from [`share`] by which the pauses of this listener are multiplied.
    share: f64,
    /// Whether the listener has received a batch, so that it pauses before the next one.
    rests: bool,
}

impl LocalBus {
    fn channels(&self) -> MutexGuard<'_, HashMap<Id, Arc<JobChannel>>> {
        // A poisoned lock is usable, because each change is a single insertion or removal.
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn channel(&self, job: Id) -> Option<Arc<JobChannel>> {
        self.channels().get(&job).cloned()
    }

    /// Returns whether `job` is registered.
    pub fn is_registered(&self, job: Id) -> bool {
        self.channels().contains_key(&job)
    }

    /// Returns the current number of listeners of `job`.
    pub fn listeners(&self, job: Id) -> usize {
        self.channel(job).map_or(0, |channel| channel.registered.receiver_count())
    }
}

impl JobChannel {
    fn events(&self) -> MutexGuard<'_, Ring> {
        // A poisoned lock is usable, because each change is a single push.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LocalListener {
    /// Returns the events that the listener has not received yet, or `None` if there are none.
    fn fetch(&mut self) -> Option<EventBatch> {
        let events = self.channel.events();
        let replay = events.after(self.known);
        self.known = events.last();
        self.over = events.is_over();
        (replay != EventBatch::Events(Vec::new())).then_some(replay)
    }

    /// Waits for the next batch and returns it with the listener. Returns `None` after the last event.
    async fn next(mut self) -> Option<(EventBatch, Self)> {
        if self.rests && !self.over {
            let listeners = u32::try_from(self.channel.registered.receiver_count()).unwrap_or(u32::MAX);
            let pace = (LISTENER_PAUSE * listeners).min(MAX_LISTENER_PAUSE).mul_f64(self.share);
            let mut ended = self.channel.ended.subscribe();
            // Both the timeout and the end of the job end the pause.
            let _ = timeout(pace, ended.wait_for(|ended| *ended)).await;
        }
        while !self.over {
            let carried = *self.registered.borrow_and_update();
            if let Some(replay) = self.fetch() {
                self.rests = true;
                return Some((replay, self));
            }
            if self.over || !carried || self.registered.changed().await.is_err() {
                break;
            }
        }
        None
    }
}

/// Returns the factor between 0.5 and 1.5 by which the pauses of listener `number` are multiplied. The factors are
/// spread evenly for any number of listeners, so that listeners that began together do not wake together.
fn share(number: u32) -> f64 {
    /// Fractional part of the golden ratio.
    const FRACTION: f64 = 0.618_033_988_749_894_9;
    0.5 + (f64::from(number) * FRACTION).fract()
}

impl EventBus for LocalBus {
    fn register(&self, job: Id, events: Ring) {
        let ended = watch::Sender::new(events.is_over());
        let channel = JobChannel {
            events: Mutex::new(events),
            registered: watch::Sender::new(true),
            ended,
            stop: AtomicU8::new(0),
            listeners: AtomicU32::new(0),
        };
        self.channels().insert(job, Arc::new(channel));
    }

    /// Does nothing, because every part of this process sees each job.
    fn share(&self, _: Id) {}

    /// Returns `false`, because there is no other process.
    fn follow(&self, _: Id, _: Ring) -> bool {
        false
    }

    fn publish_event(&self, job: Id, number: u64, event: JobEvent) -> bool {
        let Some(channel) = self.channel(job) else { return false };
        let is_last = event.is_last();
        let told = channel.events().insert(number, event);
        if told {
            channel.registered.send_replace(true);
        }
        if told && is_last {
            channel.ended.send_replace(true);
        }
        told
    }

    fn unregister(&self, job: Id) {
        if let Some(channel) = self.channels().remove(&job) {
            channel.registered.send_replace(false);
            channel.ended.send_replace(true);
        }
    }

    fn listen(&self, job: Id, after: u64) -> Option<EventBatchStream> {
        let channel = self.channel(job)?;
        let share = share(channel.listeners.fetch_add(1, Relaxed));
        let listening =
            LocalListener { registered: channel.registered.subscribe(), channel, known: after, over: false, share, rests: false };
        Some(stream::unfold(listening, LocalListener::next).boxed())
    }

    fn wait_for_end(&self, job: Id) -> Option<BoxFuture<'static, ()>> {
        let mut ended = self.channel(job)?.ended.subscribe();
        // An error means that the channel was dropped, so the job was unregistered.
        Some(async move { ended.wait_for(|ended| *ended).await.map_or((), |_| ()) }.boxed())
    }

    fn stop(&self, job: Id, why: StopReason) {
        if let Some(channel) = self.channel(job) {
            // If the exchange fails, an earlier reason exists.
            let _ = channel.stop.compare_exchange(0, why as u8, Relaxed, Relaxed);
        }
    }

    fn stop_reason(&self, job: Id) -> Option<StopReason> {
        let why = self.channel(job)?.stop.load(Relaxed);
        [StopReason::Cancelled, StopReason::OutOfTime, StopReason::Interrupted].into_iter().find(|stop| *stop as u8 == why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::ports::bus::conformance;

    #[tokio::test]
    async fn local_bus_conforms() {
        let bus = LocalBus::default();
        conformance::check(&bus).await;
        conformance::check_between(&bus, &bus.clone()).await;
    }

    #[tokio::test]
    async fn listeners_get_some_progress_and_always_the_end() {
        let (bus, job) = (LocalBus::default(), Id::random());
        bus.register(job, Ring::default());
        let listen = |_| {
            let mut listener = bus.listen(job, 0).unwrap();
            tokio::spawn(async move {
                let mut numbers = Vec::new();
                while let Some(told) = listener.next().await {
                    let EventBatch::Events(events) = told else { panic!("unexpected resync") };
                    numbers.extend(events.iter().map(|(number, _)| *number));
                }
                numbers
            })
        };
        let listeners: Vec<_> = (0..200).map(listen).collect();
        for number in 1..=100 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            assert!(bus.publish_event(job, number, conformance::progress(number)));
        }
        assert!(bus.publish_event(job, 101, JobEvent::Cancelled));
        for listener in listeners {
            let numbers = listener.await.unwrap();
            // At least half a second has passed, and each listener pauses for about a fifth of a second.
            assert!(numbers.len() < 50 && numbers.ends_with(&[100, 101]), "{numbers:?}");
        }
    }

    #[tokio::test]
    async fn sleeping_listener_delays_no_publisher() {
        let (bus, job) = (LocalBus::default(), Id::random());
        bus.register(job, Ring::default());
        let mut sleeper = bus.listen(job, 0).unwrap();
        for number in 1..=100_000 {
            assert!(bus.publish_event(job, number, conformance::progress(number)));
        }
        assert!(bus.publish_event(job, 100_001, JobEvent::Cancelled));
        let Some(EventBatch::Events(events)) = sleeper.next().await else { panic!("the listener received no events") };
        let numbers: Vec<u64> = events.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [100_000, 100_001], "old progress is not kept for a listener");
        assert!(sleeper.next().await.is_none());
    }
}
