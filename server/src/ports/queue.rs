//! Queue: who waits in which line, and who may start. A port: [`Queue`] says what any implementation does, [`Lanes`] does it in this process.
//! Pure: it starts nothing itself. Where several processes share the work, [`nats`] has what waits for any of them, and each takes as much as it may start.
//!
//! Each engine has two lines, one for brief jobs, which so never wait behind long ones. In a line jobs are dealt in turn over clients:
//! whoever has sent a hundred waits as long for his second as somebody else for her first. How much may wait is counted in the time that it
//! is expected to take, since ten thousand words are answered sooner than one genome.

use std::collections::VecDeque;
use std::fmt::Debug;

use kernels::plan::{EngineName, Plan};

use crate::clients::client::Client;

pub mod nats;

/// A job that is expected to take at most so many milliseconds does not wait for longer ones.
const BRIEF_MS: f64 = 100.0;

/// Whatever its cells, a job takes so many milliseconds of a line: it is read, written and told. Bounds how many wait.
const LEAST_MS: u64 = 10;

/// No job counts more, so that sums have room: thirty years.
const MOST_MS: u64 = 1 << 40;

/// Milliseconds of brief jobs that may wait in a line: they are answered within a minute.
const BRIEF_WAIT_MS: u64 = 60_000;

/// What one client may have waiting, as a part of all that may: brief jobs, a class that shares an address say, and others.
const BRIEF_SHARE: u64 = 2;
const LARGE_SHARE: u64 = 4;

/// Where a job waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which engine for.
    pub engine: EngineName,
    /// Whether only brief jobs wait here.
    pub brief: bool,
}

impl Line {
    /// Where a job of this plan waits.
    pub fn of(plan: &Plan) -> Self {
        Self { engine: plan.engine, brief: plan.expected_ms <= BRIEF_MS }
    }
}

/// What a queue knows of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it waits.
    pub line: Line,
    /// Whose it is.
    pub client: Client,
    /// Milliseconds that it is expected to take.
    pub ms: u64,
}

impl Entry {
    /// Of a client's job with this plan.
    pub fn of(plan: &Plan, client: Client) -> Self {
        Self { line: Line::of(plan), client, ms: (plan.expected_ms.ceil() as u64).clamp(LEAST_MS, MOST_MS) }
    }
}

/// The queue takes no more of this for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// Milliseconds until there is room, as far as is known.
    pub wait_ms: u64,
    /// Whether it is this client's own jobs that fill it.
    pub by_itself: bool,
}

/// Somebody who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<T> {
    /// How many start before, those that run among them.
    pub ahead: u64,
    /// Where it waits.
    pub line: Line,
    /// Milliseconds until those that wait before it are done.
    pub wait_ms: u64,
    /// Who.
    pub item: T,
}

/// Jobs that wait, and places to run.
pub trait Queue<T>: Debug + Send {
    /// Lets `item` wait.
    ///
    /// # Errors
    /// `Full` when it would have to wait and as much as may wait already does, of all or of this client.
    fn push(&mut self, entry: Entry, item: T) -> Result<(), Full>;

    /// Lets `item`, which has waited before, wait at the head of another line. Never refused.
    fn push_first(&mut self, entry: Entry, item: T);

    /// The next one that may start now. Its place is taken until [`release`](Self::release).
    fn start(&mut self) -> Option<T>;

    /// Places of a line that nobody has, and nobody waits for.
    fn free(&self, line: Line) -> usize;

    /// Gives a place back.
    fn release(&mut self, line: Line);

    /// Lets a line have so many places from now on. Those that run go on.
    fn allow(&mut self, line: Line, places: usize);

    /// Takes the first one that `is` says yes to out of its line.
    fn remove(&mut self, is: &dyn Fn(&T) -> bool) -> Option<T>;

    /// Everyone who waits, in the order in which they start, line by line.
    fn positions(&self) -> Vec<Position<&T>>;

    /// Whether some line of these engines would take the least job of this client, or of somebody who has none waiting.
    ///
    /// # Errors
    /// `Full` when none would: what the first one says.
    fn has_room(&self, engines: &[EngineName], client: Option<Client>) -> Result<(), Full>;

    /// How many wait.
    fn waiting(&self) -> usize;

    /// How many run.
    fn running(&self) -> usize;
}

/// The queue of one process.
#[derive(Debug)]
pub struct Lanes<T> {
    lanes: Vec<Lane<T>>,
}

/// One line.
#[derive(Debug)]
struct Lane<T> {
    line: Line,
    permits: usize,
    running: usize,
    /// Milliseconds that may wait, and that do.
    limit_ms: u64,
    ms: u64,
    /// Those who have something waiting, the next one first.
    turns: VecDeque<Turn<T>>,
}

/// What one client has waiting.
#[derive(Debug)]
struct Turn<T> {
    client: Client,
    ms: u64,
    items: VecDeque<(u64, T)>,
}

impl<T> Lanes<T> {
    /// An empty queue with so many places for each line, in which large jobs of so many seconds may wait.
    pub fn new(permits: impl IntoIterator<Item = (Line, usize)>, seconds: u64) -> Self {
        let large_ms = seconds.saturating_mul(1000);
        let lane = |(line, permits): (Line, usize)| {
            let limit_ms = if line.brief { BRIEF_WAIT_MS.min(large_ms) } else { large_ms };
            Lane { line, permits, running: 0, limit_ms, ms: 0, turns: VecDeque::new() }
        };
        Self { lanes: permits.into_iter().map(lane).collect() }
    }

    fn lane(&mut self, line: Line) -> Option<&mut Lane<T>> {
        self.lanes.iter_mut().find(|lane| lane.line == line)
    }
}

impl<T> Lane<T> {
    /// Why a job of so many milliseconds would have to wait and may not.
    fn refuses(&self, client: Option<Client>, ms: u64) -> Option<Full> {
        if self.running < self.permits && self.turns.is_empty() {
            return None;
        }
        let own = self.turns.iter().find(|turn| Some(turn.client) == client).map_or(0, |turn| turn.ms);
        let share = self.limit_ms / if self.line.brief { BRIEF_SHARE } else { LARGE_SHARE };
        let permits = self.permits.max(1) as u64;
        // Whoever has nothing waiting is taken as long as there is any room.
        let (over, over_own) = ((self.ms + ms).saturating_sub(self.limit_ms), (own + ms).saturating_sub(share));
        if over > 0 && (own > 0 || self.ms >= self.limit_ms) {
            Some(Full { wait_ms: over / permits, by_itself: own == self.ms })
        } else if over_own > 0 && own > 0 {
            // Others are served in between.
            Some(Full { wait_ms: over_own.saturating_mul(self.turns.len() as u64) / permits, by_itself: true })
        } else {
            None
        }
    }

    /// Puts an item behind or before those of its client.
    fn add(&mut self, client: Client, ms: u64, item: T, first: bool) {
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
                let turn = Turn { client, ms, items: VecDeque::from([(ms, item)]) };
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

    /// Takes one item out of a turn that it has taken out of the line. The turn comes back in at the end, or where it was.
    fn take(&mut self, turn: usize, item: usize) -> Option<T> {
        let turn = self.turns.get_mut(turn)?;
        let (ms, item) = turn.items.remove(item)?;
        turn.ms -= ms;
        self.ms -= ms;
        Some(item)
    }
}

impl<T: Debug + Send> Queue<T> for Lanes<T> {
    fn push(&mut self, Entry { line, client, ms }: Entry, item: T) -> Result<(), Full> {
        let Some(lane) = self.lane(line) else { return Err(Full { wait_ms: 0, by_itself: false }) };
        match lane.refuses(Some(client), ms) {
            Some(full) => Err(full),
            None => {
                lane.add(client, ms, item, false);
                Ok(())
            }
        }
    }

    fn push_first(&mut self, Entry { line, client, ms }: Entry, item: T) {
        if let Some(lane) = self.lane(line) {
            lane.add(client, ms, item, true);
        }
    }

    fn start(&mut self) -> Option<T> {
        let lane = self.lanes.iter_mut().find(|lane| lane.running < lane.permits && !lane.turns.is_empty())?;
        let item = lane.take(0, 0)?;
        lane.running += 1;
        // Its next one comes after one of everybody else.
        lane.turns.rotate_left(1);
        lane.turns.retain(|turn| !turn.items.is_empty());
        Some(item)
    }

    fn free(&self, line: Line) -> usize {
        let lane = self.lanes.iter().find(|lane| lane.line == line && lane.turns.is_empty());
        lane.map_or(0, |lane| lane.permits.saturating_sub(lane.running))
    }

    fn release(&mut self, line: Line) {
        if let Some(lane) = self.lane(line) {
            lane.running = lane.running.saturating_sub(1);
        }
    }

    fn allow(&mut self, line: Line, places: usize) {
        if let Some(lane) = self.lane(line) {
            lane.permits = places;
        }
    }

    fn remove(&mut self, is: &dyn Fn(&T) -> bool) -> Option<T> {
        let find = |turn: &Turn<T>| turn.items.iter().position(|(_, item)| is(item));
        let (lane, (turn, item)) = self.lanes.iter_mut().find_map(|lane| {
            let found = lane.turns.iter().enumerate().find_map(|(at, turn)| Some((at, find(turn)?)))?;
            Some((lane, found))
        })?;
        let item = lane.take(turn, item);
        lane.turns.retain(|turn| !turn.items.is_empty());
        item
    }

    fn positions(&self) -> Vec<Position<&T>> {
        let mut all = Vec::with_capacity(self.waiting());
        for lane in &self.lanes {
            let (mut ahead, mut before) = (lane.running as u64, 0);
            let mut turns: Vec<_> = lane.turns.iter().map(|turn| turn.items.iter()).collect();
            // One of each, again and again.
            while !turns.is_empty() {
                turns.retain_mut(|items| {
                    let Some((ms, item)) = items.next() else { return false };
                    all.push(Position { ahead, line: lane.line, wait_ms: before / lane.permits.max(1) as u64, item });
                    (ahead, before) = (ahead + 1, before + ms);
                    true
                });
            }
        }
        all
    }

    fn has_room(&self, engines: &[EngineName], client: Option<Client>) -> Result<(), Full> {
        let mut refusals = self.lanes.iter().filter(|lane| engines.contains(&lane.line.engine)).map(|lane| lane.refuses(client, LEAST_MS));
        let Some(first) = refusals.next() else { return Ok(()) };
        match first {
            Some(full) if refusals.all(|refused| refused.is_some()) => Err(full),
            _ => Ok(()),
        }
    }

    fn waiting(&self) -> usize {
        self.lanes.iter().flat_map(|lane| &lane.turns).map(|turn| turn.items.len()).sum()
    }

    fn running(&self) -> usize {
        self.lanes.iter().map(|lane| lane.running).sum()
    }
}

#[cfg(test)]
mod tests;
