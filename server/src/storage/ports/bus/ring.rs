//! Ring: the last events of a job ([`Ring`]), for listeners that come late or reconnect.
//!
//! An event that only describes the current state (queue position, progress, a part of the answer) replaces the
//! previous event of its kind. A slow client therefore costs no memory and misses nothing that still matters.

use std::collections::VecDeque;
use std::mem::discriminant;

use kernels::event::JobEvent;
use serde::{Deserialize, Serialize};

/// Maximum number of stored events. A run has about twenty events that are not replaced by later ones.
const MAX_RING_EVENTS: usize = 256;

/// Number of low bits in an event's number that count the events of one attempt at the job. The higher bits are the
/// number of the attempt.
const ATTEMPT_SHIFT: u32 = 32;

/// The last events of a job in a buffer of fixed capacity, each with its number. Numbers begin at 1 and grow.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ring {
    events: VecDeque<(u64, JobEvent)>,
    last: u64,
    /// Number of the last event that was removed because the buffer was full, or 0.
    lost: u64,
}

/// The answer of [`Ring::after`] to a subscriber that knows the events up to some number.
#[derive(Clone, Debug, PartialEq)]
pub enum EventBatch {
    /// The events that the subscriber does not know, each after its number.
    Events(Vec<(u64, JobEvent)>),
    /// The subscriber has missed removed events, or knows a number that does not exist, so that it must fetch the
    /// snapshot of the job. The field is the number of the last event.
    Resync(u64),
}

impl Ring {
    /// Appends `event` with the next number and returns that number.
    pub fn push(&mut self, event: JobEvent) -> u64 {
        self.insert(self.last + 1, event);
        self.last
    }

    /// Appends `event` with the number `number`. Returns `false` if an event with this or a higher number exists.
    pub fn insert(&mut self, number: u64, event: JobEvent) -> bool {
        if number <= self.last {
            return false;
        }
        self.events.retain(|(_, old)| !replaces(&event, old));
        self.last = number;
        self.events.push_back((number, event));
        if self.events.len() > MAX_RING_EVENTS {
            self.lost = self.events.pop_front().map_or(self.lost, |(number, _)| number);
        }
        true
    }

    /// Begins the next attempt, so that the next numbers are greater than all earlier ones. Used for a job that another
    /// process has run, whose last numbers are unknown.
    pub fn begin_next_attempt(&mut self) {
        self.last = ((self.last >> ATTEMPT_SHIFT) + 1) << ATTEMPT_SHIFT;
    }

    /// Begins the attempt with the number `attempt`, to which the next events belong. Does nothing if a later attempt
    /// has begun.
    pub fn begin_attempt(&mut self, attempt: u32) {
        self.last = self.last.max(u64::from(attempt) << ATTEMPT_SHIFT);
    }

    /// Returns the number of the current attempt at the job.
    pub fn attempt(&self) -> u32 {
        (self.last >> ATTEMPT_SHIFT) as u32
    }

    /// Returns the events with numbers greater than `after`.
    pub fn after(&self, after: u64) -> EventBatch {
        if after < self.lost || after > self.last {
            return EventBatch::Resync(self.last);
        }
        EventBatch::Events(self.events.iter().filter(|(number, _)| *number > after).cloned().collect())
    }

    /// Returns all stored events with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &(u64, JobEvent)> {
        self.events.iter()
    }

    /// Returns the last number given to an event or reserved by the begin of an attempt, or 0 if there is none.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Returns whether the last event is final, so that the job has ended.
    pub fn is_over(&self) -> bool {
        self.events.back().is_some_and(|(_, event)| event.is_last())
    }
}

/// Returns whether the event `new` makes the event `old` obsolete, because both describe the same part of the job's
/// state.
fn replaces(new: &JobEvent, old: &JobEvent) -> bool {
    match (new, old) {
        (JobEvent::Queued { .. }, JobEvent::Queued { .. }) | (JobEvent::Progress(_), JobEvent::Progress(_)) => true,
        (JobEvent::Partial(new), JobEvent::Partial(old)) => discriminant(new) == discriminant(old),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kernels::event::{PartialAnswer, RunProgress, RunStage};

    use super::*;

    fn progress(done: u64) -> JobEvent {
        JobEvent::Progress(RunProgress { done, ..RunProgress::default() })
    }

    #[test]
    fn ring_keeps_only_the_latest_progress() {
        let mut ring = Ring::default();
        ring.push(JobEvent::Stage { stage: RunStage::Compute });
        for done in 0..10_000 {
            ring.push(progress(done));
        }
        ring.push(JobEvent::Cancelled);
        let EventBatch::Events(events) = ring.after(0) else { panic!("resync") };
        assert_eq!(events, [(1, JobEvent::Stage { stage: RunStage::Compute }), (10_001, progress(9999)), (10_002, JobEvent::Cancelled)]);
        assert_eq!(ring.after(10_001), EventBatch::Events(vec![(10_002, JobEvent::Cancelled)]));
        assert_eq!(ring.after(10_002), EventBatch::Events(vec![]));
        assert!(ring.is_over());
    }

    #[test]
    fn partial_answer_replaces_the_previous_one_of_its_kind() {
        let found = |total| JobEvent::Partial(PartialAnswer::Found { total, latest: None });
        let best = |score| JobEvent::Partial(PartialAnswer::Best { score });
        let mut ring = Ring::default();
        for event in [found(1), best(5), found(2), best(6), found(3)] {
            ring.push(event);
        }
        assert_eq!(ring.after(0), EventBatch::Events(vec![(4, best(6)), (5, found(3))]));
    }

    #[test]
    fn late_listener_is_told_to_resync() {
        let mut ring = Ring::default();
        for _ in 0..MAX_RING_EVENTS + 10 {
            ring.push(JobEvent::Stage { stage: RunStage::Compute });
        }
        assert_eq!(ring.after(9), EventBatch::Resync(ring.last()));
        assert!(matches!(ring.after(10), EventBatch::Events(events) if events.len() == MAX_RING_EVENTS));
        assert_eq!(ring.after(ring.last() + 1), EventBatch::Resync(ring.last()));
    }
}
