//! A bus in the memory of this process. A listener holds nothing but the number of the event that it knows: however slowly it reads, it
//! costs no memory, and it delays nobody.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use kernels::event::Event;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Bus, Listener, Stop};
use crate::id::Id;
use crate::ports::bus::ring::{Replay, Ring};

/// Who has heard of anything hears nothing but the end for so long, times the number of those who listen to the job, times a share of its
/// own: a lecture that follows one job is told one after the other, and not all in the same moment, four times a second.
const PACE: Duration = Duration::from_millis(1);

/// Nobody waits for longer.
const LONGEST_PACE: Duration = Duration::from_secs(2);

/// The jobs of this process.
#[derive(Clone, Debug, Default)]
pub struct LocalBus {
    channels: Arc<Mutex<HashMap<Id, Arc<Channel>>>>,
}

/// One job.
#[derive(Debug)]
struct Channel {
    events: Mutex<Ring>,
    /// Whether the job is still carried. Changes with every event, too: it wakes the listeners.
    carried: watch::Sender<bool>,
    /// Whether its last event was told, or it is carried no longer.
    ended: watch::Sender<bool>,
    stop: AtomicU8,
    /// How many have listened to it.
    listeners: AtomicU32,
}

/// One listener.
struct Listening {
    channel: Arc<Channel>,
    carried: watch::Receiver<bool>,
    /// Number of the last event that it knows.
    known: u64,
    over: bool,
    /// Its share of the pace.
    share: f64,
    /// Whether it has heard of anything.
    rests: bool,
}

impl LocalBus {
    fn channels(&self) -> MutexGuard<'_, HashMap<Id, Arc<Channel>>> {
        // Each change is one insertion or removal.
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn channel(&self, job: Id) -> Option<Arc<Channel>> {
        self.channels().get(&job).cloned()
    }

    /// Whether a job is carried.
    pub(super) fn carries(&self, job: Id) -> bool {
        self.channels().contains_key(&job)
    }

    /// How many listen to a job now.
    pub(super) fn listeners(&self, job: Id) -> usize {
        self.channel(job).map_or(0, |channel| channel.carried.receiver_count())
    }
}

impl Channel {
    fn events(&self) -> MutexGuard<'_, Ring> {
        // Each change is one push.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listening {
    /// What it does not know, if there is anything.
    fn fetch(&mut self) -> Option<Replay> {
        let events = self.channel.events();
        let replay = events.after(self.known);
        self.known = events.last();
        self.over = events.is_over();
        (replay != Replay::Events(Vec::new())).then_some(replay)
    }

    /// What comes next; `None` when nothing will.
    async fn next(mut self) -> Option<(Replay, Self)> {
        if self.rests && !self.over {
            let listeners = u32::try_from(self.channel.carried.receiver_count()).unwrap_or(u32::MAX);
            let pace = (PACE * listeners).min(LONGEST_PACE).mul_f64(self.share);
            let mut ended = self.channel.ended.subscribe();
            // Either is a reason to go on.
            let _ = timeout(pace, ended.wait_for(|ended| *ended)).await;
        }
        while !self.over {
            let carried = *self.carried.borrow_and_update();
            if let Some(replay) = self.fetch() {
                self.rests = true;
                return Some((replay, self));
            }
            if self.over || !carried || self.carried.changed().await.is_err() {
                break;
            }
        }
        None
    }
}

/// Between a half and one and a half, for the listener of this number: however many there are, their shares are spread evenly, so that those who began
/// together do not go on together.
fn share(number: u32) -> f64 {
    /// The golden ratio's.
    const FRACTION: f64 = 0.618_033_988_749_894_9;
    0.5 + (f64::from(number) * FRACTION).fract()
}

impl Bus for LocalBus {
    fn open(&self, job: Id, events: Ring) {
        let ended = watch::Sender::new(events.is_over());
        let channel = Channel {
            events: Mutex::new(events),
            carried: watch::Sender::new(true),
            ended,
            stop: AtomicU8::new(0),
            listeners: AtomicU32::new(0),
        };
        self.channels().insert(job, Arc::new(channel));
    }

    /// Every part of this process hears of each job.
    fn share(&self, _: Id) {}

    /// There is no other process.
    fn follow(&self, _: Id, _: Ring) -> bool {
        false
    }

    fn tell(&self, job: Id, number: u64, event: Event) -> bool {
        let Some(channel) = self.channel(job) else { return false };
        let is_last = event.is_last();
        let told = channel.events().insert(number, event);
        if told {
            channel.carried.send_replace(true);
        }
        if told && is_last {
            channel.ended.send_replace(true);
        }
        told
    }

    fn close(&self, job: Id) {
        if let Some(channel) = self.channels().remove(&job) {
            channel.carried.send_replace(false);
            channel.ended.send_replace(true);
        }
    }

    fn listen(&self, job: Id, after: u64) -> Option<Listener> {
        let channel = self.channel(job)?;
        let share = share(channel.listeners.fetch_add(1, Relaxed));
        let listening = Listening { carried: channel.carried.subscribe(), channel, known: after, over: false, share, rests: false };
        Some(stream::unfold(listening, Listening::next).boxed())
    }

    fn ended(&self, job: Id) -> Option<BoxFuture<'static, ()>> {
        let mut ended = self.channel(job)?.ended.subscribe();
        // An error says that the channel is gone, and the job with it.
        Some(async move { ended.wait_for(|ended| *ended).await.map_or((), |_| ()) }.boxed())
    }

    fn stop(&self, job: Id, why: Stop) {
        if let Some(channel) = self.channel(job) {
            // A failed exchange means that there is a reason already.
            let _ = channel.stop.compare_exchange(0, why as u8, Relaxed, Relaxed);
        }
    }

    fn stopped(&self, job: Id) -> Option<Stop> {
        let why = self.channel(job)?.stop.load(Relaxed);
        [Stop::Cancelled, Stop::OutOfTime, Stop::Interrupted].into_iter().find(|stop| *stop as u8 == why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::bus::conformance;

    #[tokio::test]
    async fn this_process_carries_jobs() {
        let bus = LocalBus::default();
        conformance::check(&bus).await;
        conformance::check_between(&bus, &bus.clone()).await;
    }

    #[tokio::test]
    async fn many_listeners_hear_of_progress_now_and_then_and_of_the_end_all_the_same() {
        let (bus, job) = (LocalBus::default(), Id::random());
        bus.open(job, Ring::default());
        let listen = |_| {
            let mut listener = bus.listen(job, 0).unwrap();
            tokio::spawn(async move {
                let mut numbers = Vec::new();
                while let Some(told) = listener.next().await {
                    let Replay::Events(events) = told else { panic!("it has missed nothing that matters") };
                    numbers.extend(events.iter().map(|(number, _)| *number));
                }
                numbers
            })
        };
        let listeners: Vec<_> = (0..200).map(listen).collect();
        for number in 1..=100 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            assert!(bus.tell(job, number, conformance::progress(number)));
        }
        assert!(bus.tell(job, 101, Event::Cancelled));
        for listener in listeners {
            let numbers = listener.await.unwrap();
            // Half a second or more has passed, and each rests for a fifth.
            assert!(numbers.len() < 50 && numbers.ends_with(&[100, 101]), "{numbers:?}");
        }
    }

    #[tokio::test]
    async fn nobody_is_held_up_by_a_listener_that_sleeps() {
        let (bus, job) = (LocalBus::default(), Id::random());
        bus.open(job, Ring::default());
        let mut sleeper = bus.listen(job, 0).unwrap();
        for number in 1..=100_000 {
            assert!(bus.tell(job, number, conformance::progress(number)));
        }
        assert!(bus.tell(job, 100_001, Event::Cancelled));
        let Some(Replay::Events(events)) = sleeper.next().await else { panic!("it was told of nothing") };
        let numbers: Vec<u64> = events.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [100_000, 100_001], "old progress is not kept for it");
        assert!(sleeper.next().await.is_none());
    }
}
