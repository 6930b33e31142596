//! The queue of pending jobs in this process, with the slots of each class. It is pure and starts nothing itself.
//!
//! Each engine has two queue classes. One is for brief jobs, so that they never wait for long ones. Within a class,
//! clients take turns: the second job of a client with a hundred jobs waits as long as the first job of another client.
//! Limits are expected time rather than numbers of jobs, because ten thousand words take less time than one genome.

use std::collections::VecDeque;

use kernels::plan::{EngineName, JobPlan};

use crate::identity::ClientIdentity;
use crate::storage::ports::queue::{LARGE_SHARE, QueueClass, QueueFullError};

/// Minimum time that a job counts in the limits of the queue, in milliseconds, because every job must be read, written
/// and published. It bounds the number of pending jobs.
const MIN_JOB_MS: u64 = 10;

/// Maximum time that a job counts in the limits of the queue, in milliseconds (over thirty years), so that sums cannot
/// overflow.
const MAX_JOB_MS: u64 = 1 << 40;

/// Maximum sum of the expected times of pending jobs in a class of brief jobs, in milliseconds.
const MAX_BRIEF_WAIT_MS: u64 = 60_000;

/// Fraction 1/`BRIEF_SHARE` of the limit that one client may use in a class of brief jobs. It is large, because a
/// school class may share one address.
const BRIEF_SHARE: u64 = 2;

/// The properties of a job that determine when it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueEntry {
    pub(super) queue_class: QueueClass,
    pub(super) client: ClientIdentity,
    /// Expected time with which the job counts in limits, in milliseconds.
    pub(super) ms: u64,
}

impl QueueEntry {
    /// Creates the queue entry of a job.
    pub(super) fn from_plan(plan: &JobPlan, client: ClientIdentity) -> Self {
        Self { queue_class: QueueClass::from_plan(plan), client, ms: (plan.expected_ms.ceil() as u64).clamp(MIN_JOB_MS, MAX_JOB_MS) }
    }
}

/// The position of a pending job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueuePosition<T> {
    /// Number of jobs of the class that start earlier, including running ones.
    pub(super) ahead: u64,
    pub(super) queue_class: QueueClass,
    /// Estimated milliseconds until the pending jobs that start earlier are done.
    pub(super) wait_ms: u64,
    pub(super) item: T,
}

/// A queue in the memory of this process, in which clients take turns.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    class_queues: Vec<ClassQueue<T>>,
}

/// The pending jobs and the slots of one class.
#[derive(Debug)]
struct ClassQueue<T> {
    queue_class: QueueClass,
    permits: usize,
    running: usize,
    /// Maximum expected time of pending jobs, in milliseconds.
    limit_ms: u64,
    /// Expected time of the pending jobs, in milliseconds.
    ms: u64,
    /// Clients with pending jobs, in the order of their turns.
    turns: VecDeque<ClientQueue<T>>,
}

/// The pending jobs of one client in a class.
#[derive(Debug)]
struct ClientQueue<T> {
    client: ClientIdentity,
    /// Expected time of the client's jobs, in milliseconds.
    ms: u64,
    /// Jobs with their expected times in milliseconds.
    items: VecDeque<(u64, T)>,
}

impl<T> FairQueue<T> {
    /// Creates an empty queue. `permits` are the classes with their numbers of slots. Large jobs with an expected time
    /// of `seconds` seconds in total may be pending in a class.
    pub(super) fn new(permits: impl IntoIterator<Item = (QueueClass, usize)>, seconds: u64) -> Self {
        let large_ms = seconds.saturating_mul(1000);
        let lane = |(line, permits): (QueueClass, usize)| {
            let limit_ms = if line.brief { MAX_BRIEF_WAIT_MS.min(large_ms) } else { large_ms };
            ClassQueue { queue_class: line, permits, running: 0, limit_ms, ms: 0, turns: VecDeque::new() }
        };
        Self { class_queues: permits.into_iter().map(lane).collect() }
    }

    /// Adds the job `item` with the properties `entry` after the pending jobs of its client.
    ///
    /// # Errors
    /// Returns an error if the job would have to wait and the limit of the class or of the client is reached.
    pub(super) fn push(&mut self, QueueEntry { queue_class: line, client, ms }: QueueEntry, item: T) -> Result<(), QueueFullError> {
        let Some(lane) = self.class_queue(line) else { return Err(QueueFullError { wait_ms: 0, is_own_backlog: false }) };
        lane.check_room(Some(client), ms)?;
        lane.add(client, ms, item, false);
        Ok(())
    }

    /// Adds the job `item`, which waited before, so that it starts next in its class. Never rejected.
    pub(super) fn push_first(&mut self, QueueEntry { queue_class: line, client, ms }: QueueEntry, item: T) {
        if let Some(lane) = self.class_queue(line) {
            lane.add(client, ms, item, true);
        }
    }

    /// Takes the next job that may start now. It occupies a slot of its class until [`release`](Self::release).
    pub(super) fn take_ready(&mut self) -> Option<T> {
        let lane = self.class_queues.iter_mut().find(|lane| lane.running < lane.permits && !lane.turns.is_empty())?;
        let item = lane.take(0, 0)?;
        lane.running += 1;
        // The client's next job comes after one of each other client.
        lane.turns.rotate_left(1);
        lane.turns.retain(|turn| !turn.items.is_empty());
        Some(item)
    }

    /// Returns the number of free slots of the class `line`, or 0 if jobs are pending in it.
    pub(super) fn free(&self, line: QueueClass) -> usize {
        let lane = self.class_queues.iter().find(|lane| lane.queue_class == line && lane.turns.is_empty());
        lane.map_or(0, |lane| lane.permits.saturating_sub(lane.running))
    }

    /// Frees a slot of the class `line`, because a job has ended.
    pub(super) fn release(&mut self, line: QueueClass) {
        if let Some(lane) = self.class_queue(line) {
            lane.running = lane.running.saturating_sub(1);
        }
    }

    /// Sets the number of slots of the class `line` to `places`. Running jobs continue.
    pub(super) fn allow(&mut self, line: QueueClass, places: usize) {
        if let Some(lane) = self.class_queue(line) {
            lane.permits = places;
        }
    }

    /// Removes and returns the first pending job for which `is` returns true.
    pub(super) fn remove(&mut self, is: impl Fn(&T) -> bool) -> Option<T> {
        let find = |turn: &ClientQueue<T>| turn.items.iter().position(|(_, item)| is(item));
        let (lane, (turn, item)) = self.class_queues.iter_mut().find_map(|lane| {
            let found = lane.turns.iter().enumerate().find_map(|(at, turn)| Some((at, find(turn)?)))?;
            Some((lane, found))
        })?;
        let item = lane.take(turn, item);
        lane.turns.retain(|turn| !turn.items.is_empty());
        item
    }

    /// Returns all pending jobs, class by class, in the order in which they start.
    pub(super) fn positions(&self) -> Vec<QueuePosition<&T>> {
        let mut all = Vec::with_capacity(self.waiting());
        for lane in &self.class_queues {
            let (mut ahead, mut before) = (lane.running as u64, 0);
            let mut turns: Vec<_> = lane.turns.iter().map(|turn| turn.items.iter()).collect();
            // Clients take turns, one job each.
            while !turns.is_empty() {
                turns.retain_mut(|items| {
                    let Some((ms, item)) = items.next() else { return false };
                    all.push(QueuePosition { ahead, queue_class: lane.queue_class, wait_ms: before / lane.permits.max(1) as u64, item });
                    (ahead, before) = (ahead + 1, before + ms);
                    true
                });
            }
        }
        all
    }

    /// Checks whether any class of `engines` would accept the smallest possible job of `client`. `None` stands for a
    /// client without pending jobs.
    ///
    /// # Errors
    /// Returns the error of the first class if all would reject it.
    pub(super) fn check_room(&self, engines: &[EngineName], client: Option<ClientIdentity>) -> Result<(), QueueFullError> {
        let lanes = self.class_queues.iter().filter(|lane| engines.contains(&lane.queue_class.engine));
        let mut checks = lanes.map(|lane| lane.check_room(client, MIN_JOB_MS));
        let first = checks.next().unwrap_or(Ok(()));
        if checks.any(|check| check.is_ok()) { Ok(()) } else { first }
    }

    /// Returns the number of pending jobs of all classes.
    pub(super) fn waiting(&self) -> usize {
        self.class_queues.iter().flat_map(|lane| &lane.turns).map(|turn| turn.items.len()).sum()
    }

    /// Returns the number of running jobs of all classes.
    pub(super) fn running(&self) -> usize {
        self.class_queues.iter().map(|lane| lane.running).sum()
    }

    fn class_queue(&mut self, line: QueueClass) -> Option<&mut ClassQueue<T>> {
        self.class_queues.iter_mut().find(|lane| lane.queue_class == line)
    }
}

impl<T> ClassQueue<T> {
    /// Returns an error if a job of `client` with `ms` milliseconds would have to wait, and the limit of the class or
    /// of the client is reached.
    fn check_room(&self, client: Option<ClientIdentity>, ms: u64) -> Result<(), QueueFullError> {
        if self.running < self.permits && self.turns.is_empty() {
            return Ok(());
        }
        let own = self.turns.iter().find(|turn| Some(turn.client) == client).map_or(0, |turn| turn.ms);
        let share = self.limit_ms / if self.queue_class.brief { BRIEF_SHARE } else { LARGE_SHARE };
        let permits = self.permits.max(1) as u64;
        // A client without pending jobs is accepted as long as there is any room.
        let (over, over_own) = ((self.ms + ms).saturating_sub(self.limit_ms), (own + ms).saturating_sub(share));
        if over > 0 && (own > 0 || self.ms >= self.limit_ms) {
            Err(QueueFullError { wait_ms: over / permits, is_own_backlog: own == self.ms })
        } else if over_own > 0 && own > 0 {
            // The turns of other clients come in between.
            Err(QueueFullError { wait_ms: over_own.saturating_mul(self.turns.len() as u64) / permits, is_own_backlog: true })
        } else {
            Ok(())
        }
    }

    /// Adds `item` after the other jobs of its client. With `first`, adds it before them, and gives the client the next
    /// turn.
    fn add(&mut self, client: ClientIdentity, ms: u64, item: T, first: bool) {
        self.ms += ms;
        let at = self.turns.iter().position(|turn| turn.client == client);
        let mut turn = at.and_then(|at| if first { self.turns.remove(at) } else { None });
        match (&mut turn, at) {
            (None, Some(at)) => {
                let turn = &mut self.turns[at];
                turn.ms += ms;
                turn.items.push_back((ms, item));
            }
            (None, None) => {
                let turn = ClientQueue { client, ms, items: VecDeque::from([(ms, item)]) };
                if first { self.turns.push_front(turn) } else { self.turns.push_back(turn) }
            }
            (Some(turn), _) => {
                turn.ms += ms;
                turn.items.push_front((ms, item));
            }
        }
        if let Some(turn) = turn {
            self.turns.push_front(turn);
        }
    }

    /// Removes job number `item` of the client whose turn is number `turn`. The caller removes the turn if it is empty.
    fn take(&mut self, turn: usize, item: usize) -> Option<T> {
        let turn = self.turns.get_mut(turn)?;
        let (ms, item) = turn.items.remove(item)?;
        turn.ms -= ms;
        self.ms -= ms;
        Some(item)
    }
}

#[cfg(test)]
mod tests;
