//! Conformance tests of [`EventBus`].

use std::time::Duration;

use futures::StreamExt as _;
use futures::future::{join, select};
use kernels::event::{JobEvent, RunProgress, RunStage};
use tokio::time::timeout;

use super::{EventBatchStream, EventBus, StopReason};
use crate::id::Id;
use crate::storage::ports::bus::ring::{EventBatch, Ring};

/// Checks `bus`, which must have no jobs.
pub(crate) async fn check(bus: &impl EventBus) {
    events_arrive_once_and_in_order(bus).await;
    late_listener_receives_earlier_events(bus).await;
    abandoned_attempt_publishes_nothing(bus).await;
    closed_job_has_no_listeners(bus).await;
    end_reaches_callers_that_wait_for_it_alone(bus).await;
    first_stop_reason_is_final(bus);
    jobs_do_not_receive_events_of_each_other(bus).await;
}

/// Checks that events and requests to stop pass between two buses of different processes, or of two parts of one
/// process.
pub(crate) async fn check_between(one: &impl EventBus, other: &impl EventBus) {
    shared_job_can_be_followed_by_another_process(one, other).await;
    later_attempts_arrive_after_earlier_ones(one, other).await;
    unpublished_end_is_read_from_the_row(one, other).await;
    another_process_can_stop_a_job(one, other).await;
}

pub(crate) fn progress(done: u64) -> JobEvent {
    JobEvent::Progress(RunProgress { done, ..RunProgress::default() })
}

fn stage(stage: RunStage) -> JobEvent {
    JobEvent::Stage { stage }
}

/// Returns the numbers of the events that `listener` receives, up to the number `last`.
async fn heard(listener: &mut EventBatchStream, last: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    while numbers.last() != Some(&last) {
        match timeout(Duration::from_secs(10), listener.next()).await.expect("the event arrives in time") {
            Some(EventBatch::Events(events)) => numbers.extend(events.iter().map(|(number, _)| *number)),
            Some(EventBatch::Resync(number)) => numbers.push(number),
            None => panic!("the stream ends after {numbers:?}"),
        }
    }
    numbers
}

async fn is_over(listener: &mut EventBatchStream) -> bool {
    timeout(Duration::from_secs(10), listener.next()).await.expect("the stream ends").is_none()
}

async fn events_arrive_once_and_in_order(bus: &impl EventBus) {
    let job = Id::random();
    bus.register(job, Ring::default());
    let mut listener = bus.listen(job, 0).unwrap();
    assert!(timeout(Duration::from_millis(50), listener.next()).await.is_err(), "no event was published");
    assert!(bus.publish_event(job, 1, stage(RunStage::Read)));
    assert_eq!(heard(&mut listener, 1).await, [1]);
    assert!(bus.publish_event(job, 2, stage(RunStage::Compute)) && bus.publish_event(job, 3, JobEvent::Cancelled));
    assert_eq!(heard(&mut listener, 3).await, [2, 3]);
    assert!(is_over(&mut listener).await, "nothing follows the last event");
    assert!(is_over(&mut bus.listen(job, 3).unwrap()).await, "a listener with the last event receives nothing");
    bus.unregister(job);
}

async fn late_listener_receives_earlier_events(bus: &impl EventBus) {
    let job = Id::random();
    let mut known = Ring::default();
    known.push(stage(RunStage::Read));
    bus.register(job, known);
    assert!(
        bus.publish_event(job, 2, progress(5))
            && bus.publish_event(job, 3, progress(6))
            && bus.publish_event(job, 4, stage(RunStage::Compute))
    );
    assert_eq!(heard(&mut bus.listen(job, 0).unwrap(), 4).await, [1, 3, 4], "the latest progress is enough");
    assert_eq!(heard(&mut bus.listen(job, 3).unwrap(), 4).await, [4]);
    let mut ahead = bus.listen(job, 99).unwrap();
    assert!(matches!(ahead.next().await, Some(EventBatch::Resync(4))), "a listener ahead of the ring is resynchronized");
    assert!(bus.publish_event(job, 5, JobEvent::Cancelled));
    assert_eq!(heard(&mut ahead, 5).await, [5]);
    bus.unregister(job);
}

async fn abandoned_attempt_publishes_nothing(bus: &impl EventBus) {
    let job = Id::random();
    bus.register(job, Ring::default());
    let second_attempt = 1 << 32;
    assert!(bus.publish_event(job, 1, stage(RunStage::Read)) && bus.publish_event(job, second_attempt + 1, stage(RunStage::Read)));
    assert!(!bus.publish_event(job, 2, progress(9)), "the first attempt was abandoned");
    assert!(!bus.publish_event(job, second_attempt + 1, progress(9)), "event numbers are unique");
    assert!(bus.publish_event(job, second_attempt + 2, JobEvent::Cancelled));
    let mut listener = bus.listen(job, 0).unwrap();
    assert_eq!(heard(&mut listener, second_attempt + 2).await, [1, second_attempt + 1, second_attempt + 2]);
    bus.unregister(job);
}

async fn closed_job_has_no_listeners(bus: &impl EventBus) {
    let job = Id::random();
    assert!(bus.listen(job, 0).is_none() && !bus.publish_event(job, 1, progress(1)) && bus.stop_reason(job).is_none());
    bus.register(job, Ring::default());
    let mut listener = bus.listen(job, 0).unwrap();
    assert!(bus.publish_event(job, 1, stage(RunStage::Read)));
    bus.unregister(job);
    assert_eq!(heard(&mut listener, 1).await, [1], "events before the close are received");
    assert!(is_over(&mut listener).await);
    assert!(bus.listen(job, 0).is_none() && !bus.publish_event(job, 2, progress(1)));
    bus.unregister(job);
}

async fn end_reaches_callers_that_wait_for_it_alone(bus: &impl EventBus) {
    let [told, given_up] = [Id::random(), Id::random()];
    assert!(bus.wait_for_end(told).is_none(), "no process runs the job");
    bus.register(told, Ring::default());
    bus.register(given_up, Ring::default());
    let [mut told_end, mut closed] = [told, given_up].map(|job| bus.wait_for_end(job).unwrap());
    assert!(bus.publish_event(told, 1, stage(RunStage::Read)) && bus.publish_event(given_up, 1, stage(RunStage::Read)));
    assert!(timeout(Duration::from_millis(50), select(&mut told_end, &mut closed)).await.is_err(), "an event is no end");
    assert!(bus.publish_event(told, 2, JobEvent::Cancelled));
    bus.unregister(given_up);
    let both = join(told_end, closed);
    timeout(Duration::from_secs(10), both).await.expect("both waiters are notified");
    timeout(Duration::from_secs(10), bus.wait_for_end(told).unwrap()).await.expect("a late waiter is notified too");
    bus.unregister(told);
}

fn first_stop_reason_is_final(bus: &impl EventBus) {
    let job = Id::random();
    bus.register(job, Ring::default());
    assert_eq!(bus.stop_reason(job), None);
    bus.stop(job, StopReason::OutOfTime);
    bus.stop(job, StopReason::Cancelled);
    assert_eq!(bus.stop_reason(job), Some(StopReason::OutOfTime));
    bus.unregister(job);
    bus.stop(job, StopReason::Cancelled);
    assert_eq!(bus.stop_reason(job), None);
}

async fn shared_job_can_be_followed_by_another_process(one: &impl EventBus, other: &impl EventBus) {
    let job = Id::random();
    let mut known = Ring::default();
    known.push(stage(RunStage::Read));
    one.register(job, known.clone());
    one.share(job);
    assert!(one.publish_event(job, 2, progress(1)));
    other.follow(job, known.clone());
    assert!(!other.follow(job, known), "the job is followed already");
    let mut listener = other.listen(job, 0).expect("the other process knows the job");
    let ended = other.wait_for_end(job).expect("the other process knows the job");
    assert_eq!(heard(&mut listener, 2).await, [1, 2]);
    assert!(one.publish_event(job, 3, stage(RunStage::Compute)));
    assert_eq!(heard(&mut listener, 3).await, [3]);
    assert_eq!(heard(&mut other.listen(job, 2).unwrap(), 3).await, [3], "only events after the known number");
    assert!(one.publish_event(job, 4, JobEvent::Cancelled));
    assert_eq!(heard(&mut listener, 4).await, [4]);
    assert!(is_over(&mut listener).await);
    timeout(Duration::from_secs(10), ended).await.expect("the end is received");
    one.unregister(job);
}

async fn later_attempts_arrive_after_earlier_ones(one: &impl EventBus, other: &impl EventBus) {
    let (job, second) = (Id::random(), 1 << 32);
    one.register(job, Ring::default());
    one.share(job);
    other.follow(job, Ring::default());
    let mut listener = other.listen(job, 0).expect("the other process knows the job");
    assert!(one.publish_event(job, 1, progress(1)) && one.publish_event(job, second + 1, progress(2)));
    let numbers = heard(&mut listener, second + 1).await;
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert!(!one.publish_event(job, 2, progress(9)) && one.publish_event(job, second + 2, JobEvent::Cancelled));
    assert_eq!(heard(&mut listener, second + 2).await, [second + 2]);
    assert!(is_over(&mut listener).await);
    one.unregister(job);
}

async fn unpublished_end_is_read_from_the_row(one: &impl EventBus, other: &impl EventBus) {
    let job = Id::random();
    let mut row = Ring::default();
    row.push(stage(RunStage::Read));
    one.register(job, row.clone());
    one.share(job);
    if !other.follow(job, row.clone()) {
        // Both parts share one memory.
        return one.unregister(job);
    }
    let mut listener = other.listen(job, 0).expect("the other process knows the job");
    assert_eq!(heard(&mut listener, 1).await, [1]);
    row.begin_next_attempt();
    let last = row.push(JobEvent::Cancelled);
    assert!(!other.follow(job, row));
    assert_eq!(heard(&mut listener, last).await, [last]);
    assert!(is_over(&mut listener).await);
    one.unregister(job);
}

async fn another_process_can_stop_a_job(one: &impl EventBus, other: &impl EventBus) {
    let job = Id::random();
    one.register(job, Ring::default());
    other.stop(job, StopReason::Cancelled);
    let told = async {
        while one.stop_reason(job).is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), told).await.expect("the stop reason arrives");
    other.stop(job, StopReason::Interrupted);
    assert_eq!(one.stop_reason(job), Some(StopReason::Cancelled));
    one.unregister(job);
}

async fn jobs_do_not_receive_events_of_each_other(bus: &impl EventBus) {
    let [one, other] = [Id::random(), Id::random()];
    bus.register(one, Ring::default());
    bus.register(other, Ring::default());
    assert!(bus.publish_event(one, 1, stage(RunStage::Read)) && bus.publish_event(other, 7, JobEvent::Cancelled));
    bus.stop(other, StopReason::Cancelled);
    assert_eq!((heard(&mut bus.listen(one, 0).unwrap(), 1).await, bus.stop_reason(one)), (vec![1], None));
    assert_eq!(heard(&mut bus.listen(other, 0).unwrap(), 7).await, [7]);
    bus.unregister(one);
    bus.unregister(other);
}
