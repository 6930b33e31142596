//! The queue of pending jobs in this process (`FairQueue`), with the slots of each queue class. It is pure and starts
//! nothing itself.
//!
//! Each engine has two queue classes. One is for brief jobs, so that they never wait for large ones. Within a class,
//! clients take turns: the second job of a client with a hundred jobs waits as long as the first job of another client.
//! Limits are expected time rather than numbers of jobs, because ten thousand words take less time than one genome.

use std::collections::VecDeque;

use kernels::plan::{EngineName, JobPlan};

use crate::identity::ClientIdentity;
use crate::storage::ports::queue::{LARGE_SHARE, QueueClass, QueueFullError};

/// Minimum time with which a job counts in the limits of the queue, in milliseconds, because every job must be read,
/// written and published. This minimum also limits the number of pending jobs.
const MIN_JOB_MS: u64 = 10;

/// Maximum time with which a job counts in the limits of the queue, in milliseconds (over thirty years), so that sums
/// cannot overflow.
const MAX_JOB_MS: u64 = 1 << 40;

/// Maximum sum of the expected times of pending jobs in a class of brief jobs, in milliseconds.
const MAX_BRIEF_WAIT_MS: u64 = 60_000;

/// Divisor of the limit of a class of brief jobs: one client may use 1/`BRIEF_SHARE` of the limit. The fraction is
/// large, because a school class may share one address.
const BRIEF_SHARE: u64 = 2;

/// The properties of a job that determine when the job starts: its queue class, its client and its expected time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueEntry {
    pub(super) queue_class: QueueClass,
    pub(super) client: ClientIdentity,
    /// Expected time with which the job counts in limits, in milliseconds.
    pub(super) ms: u64,
}

impl QueueEntry {
    /// Creates the queue entry of a job of `client` with the plan `plan`.
    pub(super) fn from_plan(plan: &JobPlan, client: ClientIdentity) -> Self {
        Self { queue_class: QueueClass::from_plan(plan), client, ms: (plan.expected_ms.ceil() as u64).clamp(MIN_JOB_MS, MAX_JOB_MS) }
    }
}

/// The position of the pending job `item` in the queue, as [`FairQueue::positions`] lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueuePosition<T> {
    /// Number of jobs of the same class that start earlier, including running ones.
    pub(super) ahead: u64,
    pub(super) queue_class: QueueClass,
    /// Estimated milliseconds until all pending jobs of the same class that start earlier are done.
    pub(super) wait_ms: u64,
    pub(super) item: T,
}

/// The queue of the jobs that wait in this process. In each queue class, the clients take turns.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    class_queues: Vec<ClassQueue<T>>,
}

/// The pending jobs and the slots (places for concurrent runs) of one queue class.
#[derive(Debug)]
struct ClassQueue<T> {
    queue_class: QueueClass,
    permits: usize,
    running: usize,
    /// Maximum sum of the expected times of the pending jobs, in milliseconds.
    limit_ms: u64,
    /// Sum of the expected times of the pending jobs, in milliseconds.
    ms: u64,
    /// Pending jobs of each client, in the order of the clients' turns.
    turns: VecDeque<ClientQueue<T>>,
}

/// The pending jobs of one client in one queue class.
#[derive(Debug)]
struct ClientQueue<T> {
    client: ClientIdentity,
    /// Sum of the expected times of the client's pending jobs, in milliseconds.
    ms: u64,
    /// Pending jobs, each after its expected time in milliseconds, in the order in which they start.
    items: VecDeque<(u64, T)>,
}

impl<T> FairQueue<T> {
    /// Creates an empty queue. `permits` lists the queue classes with their numbers of slots. The pending large jobs of
    /// one class may have an expected time of `seconds` in total, and the pending brief jobs at most one minute.
    pub(super) fn new(permits: impl IntoIterator<Item = (QueueClass, usize)>, seconds: u64) -> Self {
        let large_ms = seconds.saturating_mul(1000);
        let lane = |(line, permits): (QueueClass, usize)| {
            let limit_ms = if line.brief { MAX_BRIEF_WAIT_MS.min(large_ms) } else { large_ms };
            ClassQueue { queue_class: line, permits, running: 0, limit_ms, ms: 0, turns: VecDeque::new() }
        };
        Self { class_queues: permits.into_iter().map(lane).collect() }
    }

    /// Adds the job `item` of `client` to a class of the queue, after the pending jobs of this client. `ms` is the
    /// expected time of the job.
    ///
    /// # Errors
    /// Returns an error if the job would have to wait and the time limit of its class or of its client is reached.
    pub(super) fn push(&mut self, QueueEntry { queue_class: line, client, ms }: QueueEntry, item: T) -> Result<(), QueueFullError> {
        let Some(lane) = self.class_queue(line) else { return Err(QueueFullError { wait_ms: 0, is_own_backlog: false }) };
        lane.check_room(Some(client), ms)?;
        lane.add(client, ms, item, false);
        Ok(())
    }

    /// Adds the job `item`, which was accepted before, so that it starts next in its class. Ignores the limits of the
    /// queue.
    pub(super) fn push_first(&mut self, QueueEntry { queue_class: line, client, ms }: QueueEntry, item: T) {
        if let Some(lane) = self.class_queue(line) {
            lane.add(client, ms, item, true);
        }
    }

    /// Removes and returns the next job that may start now, or `None` if no class with pending jobs has a free slot.
    /// The job occupies a slot of its class until [`release`](Self::release).
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
    #[cfg(feature = "cluster")]
    pub(super) fn free(&self, line: QueueClass) -> usize {
        let lane = self.class_queues.iter().find(|lane| lane.queue_class == line && lane.turns.is_empty());
        lane.map_or(0, |lane| lane.permits.saturating_sub(lane.running))
    }

    /// Frees a slot of the class `line`, whose job has ended.
    pub(super) fn release(&mut self, line: QueueClass) {
        if let Some(lane) = self.class_queue(line) {
            lane.running = lane.running.saturating_sub(1);
        }
    }

    /// Sets the number of slots of the class `line` to `places`. Running jobs continue even if they are more.
    pub(super) fn allow(&mut self, line: QueueClass, places: usize) {
        if let Some(lane) = self.class_queue(line) {
            lane.permits = places;
        }
    }

    /// Removes and returns the first pending job for which `is` returns `true`, or returns `None`.
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

    /// Returns the positions of all pending jobs, class by class, in the order in which the jobs start.
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

    /// Checks whether any queue class of `engines` would accept the shortest possible job of `client`. `None` stands
    /// for a client without pending jobs.
    ///
    /// # Errors
    /// Returns the error of the first class if all would reject the job.
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
    /// Checks the limits for a job of `client` with an expected time of `ms` milliseconds.
    ///
    /// # Errors
    /// Returns an error if the job would have to wait, and the time limit of the class or of the client is reached.
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

    /// Adds the job `item` of `client` with an expected time of `ms` milliseconds after the other jobs of the client.
    /// With `first`, adds it before them, and gives the client the next turn.
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

    /// Removes and returns a job: number `item` (from 0) of the client with turn number `turn` (from 0). The caller
    /// removes the client's queue if it is empty then.
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
