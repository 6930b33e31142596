//! Ring: the last events of a job, for listeners that come late or come back.
//!
//! An event that only says where things stand now (queue position, progress, a part of the answer) replaces the one of its kind
//! before it, so that a slow client costs no memory and misses nothing that still matters.

use std::collections::VecDeque;
use std::mem::discriminant;

use kernels::event::Event;
use serde::{Deserialize, Serialize};

/// Events that are kept. A run has about twenty that do not replace each other.
const CAPACITY: usize = 256;

/// Bits of an event's number that count the events of one attempt at the job; those above count attempts.
const ATTEMPT: u32 = 32;

/// Events with their numbers, ascending; numbers begin at 1.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ring {
    events: VecDeque<(u64, Event)>,
    last: u64,
    /// Number of the last event that fell out at the far end.
    lost: u64,
}

/// What a subscriber that knows the events up to some number gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// These are the ones it does not know.
    Events(Vec<(u64, Event)>),
    /// It has missed events that are no longer here, or it comes from another time: it must ask for the snapshot.
    Resync(u64),
}

impl Ring {
    /// Appends an event and gives it the next number.
    pub fn push(&mut self, event: Event) -> u64 {
        self.insert(self.last + 1, event);
        self.last
    }

    /// Appends an event that has a number. Returns whether it was: not when an event with this number or a later one is here.
    pub fn insert(&mut self, number: u64, event: Event) -> bool {
        if number <= self.last {
            return false;
        }
        self.events.retain(|(_, old)| !replaces(&event, old));
        self.last = number;
        self.events.push_back((number, event));
        if self.events.len() > CAPACITY {
            self.lost = self.events.pop_front().map_or(self.lost, |(number, _)| number);
        }
        true
    }

    /// Goes on where nobody knows which numbers were given last, in another process: the next ones are above all of those.
    pub fn begin_again(&mut self) {
        self.last = ((self.last >> ATTEMPT) + 1) << ATTEMPT;
    }

    /// Goes on as this attempt, unless a later one has begun.
    pub fn begin(&mut self, attempt: u32) {
        self.last = self.last.max(u64::from(attempt) << ATTEMPT);
    }

    /// Which attempt at the job its last event is of.
    pub fn attempt(&self) -> u32 {
        (self.last >> ATTEMPT) as u32
    }

    /// Events after number `after`.
    pub fn after(&self, after: u64) -> Replay {
        if after < self.lost || after > self.last {
            return Replay::Resync(self.last);
        }
        Replay::Events(self.events.iter().filter(|(number, _)| *number > after).cloned().collect())
    }

    /// All that are here.
    pub fn iter(&self) -> impl Iterator<Item = &(u64, Event)> {
        self.events.iter()
    }

    /// Number of the last event.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Whether nothing will follow.
    pub fn is_over(&self) -> bool {
        self.events.back().is_some_and(|(_, event)| event.is_last())
    }
}

/// Whether the new event leaves nothing of the old one to know.
fn replaces(new: &Event, old: &Event) -> bool {
    match (new, old) {
        (Event::Queued { .. }, Event::Queued { .. }) | (Event::Progress(_), Event::Progress(_)) => true,
        (Event::Partial(new), Event::Partial(old)) => discriminant(new) == discriminant(old),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kernels::event::{Partial, Progress, Stage};

    use super::*;

    fn progress(done: u64) -> Event {
        Event::Progress(Progress { done, ..Progress::default() })
    }

    #[test]
    fn the_latest_progress_wins() {
        let mut ring = Ring::default();
        ring.push(Event::Stage { stage: Stage::Compute });
        for done in 0..10_000 {
            ring.push(progress(done));
        }
        ring.push(Event::Cancelled);
        let Replay::Events(events) = ring.after(0) else { panic!("resync") };
        assert_eq!(events, [(1, Event::Stage { stage: Stage::Compute }), (10_001, progress(9999)), (10_002, Event::Cancelled)]);
        assert_eq!(ring.after(10_001), Replay::Events(vec![(10_002, Event::Cancelled)]));
        assert_eq!(ring.after(10_002), Replay::Events(vec![]));
        assert!(ring.is_over());
    }

    #[test]
    fn parts_of_an_answer_replace_those_of_their_kind() {
        let found = |total| Event::Partial(Partial::Found { total, latest: None });
        let best = |score| Event::Partial(Partial::Best { score });
        let mut ring = Ring::default();
        for event in [found(1), best(5), found(2), best(6), found(3)] {
            ring.push(event);
        }
        assert_eq!(ring.after(0), Replay::Events(vec![(4, best(6)), (5, found(3))]));
    }

    #[test]
    fn who_comes_too_late_is_told_so() {
        let mut ring = Ring::default();
        for _ in 0..CAPACITY + 10 {
            ring.push(Event::Stage { stage: Stage::Compute });
        }
        assert_eq!(ring.after(9), Replay::Resync(ring.last()));
        assert!(matches!(ring.after(10), Replay::Events(events) if events.len() == CAPACITY));
        assert_eq!(ring.after(ring.last() + 1), Replay::Resync(ring.last()));
    }
}
