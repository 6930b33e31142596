//! A semaphore whose permits are dealt in turn over clients: whoever asks forty times waits as long for the second permit as somebody else for the
//! first. No client has all of them at a time, so that others find one whatever it does.
//!
//! ```text
//! turns:   C (waits)   A (waits, has one)   B (waits, has one)        front: served least recently
//! a permit comes back → the first that may have another one → goes to the back
//! a new client        → before those at the back that have permits, behind all others
//! ```
//!
//! So a new client comes before those who are being served, and nobody is passed by for ever: who has waited without a permit is behind those alone
//! who did so before.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Receiver, Sender, channel};

use super::client::Client;

/// Permits, and who waits for one.
#[derive(Debug)]
pub struct FairSemaphore {
    /// Permits that one client may have at a time; somebody on this machine, whose limits are those of the machine, may have all.
    per_client: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Clients that wait or have permits, the one first that was served least recently.
    turns: VecDeque<Turn>,
}

/// What one client has and waits for.
#[derive(Debug)]
struct Turn {
    client: Client,
    held: usize,
    waiting: VecDeque<Sender<Permit>>,
}

/// A permit. Dropping it gives it to the next one.
#[derive(Debug)]
pub struct Permit {
    semaphore: Arc<FairSemaphore>,
    client: Client,
}

impl FairSemaphore {
    /// So many permits, of which one client may have `per_client` at a time.
    pub fn new(permits: usize, per_client: usize) -> Self {
        Self { per_client, state: Mutex::new(State { free: permits, turns: VecDeque::new() }) }
    }

    /// A permit for this client, when it is its turn. Whoever drops the future waits no more, and no permit is lost.
    pub async fn acquire(self: &Arc<Self>, client: Client) -> Permit {
        let granted = self.state().wait(client);
        self.grant();
        granted.await.expect("who waits is taken out of the line with a permit only, or when nobody waits for it any more")
    }

    /// Gives out what is free.
    fn grant(self: &Arc<Self>) {
        loop {
            let next = self.state().next(self.per_client);
            let Some((client, waiter)) = next else { return };
            // Comes back at once where the waiter has gone away in this moment, by being dropped.
            drop(waiter.send(Permit { semaphore: self.clone(), client }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Puts one who waits into the client's turn.
    fn wait(&mut self, client: Client) -> Receiver<Permit> {
        let (waiter, granted) = channel();
        let known = self.turns.iter_mut().find(|turn| turn.client == client);
        if let Some(turn) = known {
            turn.waiting.retain(|waiter| !waiter.is_closed());
            turn.waiting.push_back(waiter);
        } else {
            let behind = self.turns.iter().rposition(|turn| turn.held == 0).map_or(0, |last| last + 1);
            self.turns.insert(behind, Turn { client, held: 0, waiting: VecDeque::from([waiter]) });
        }
        granted
    }

    /// Who gets the next free permit: the first turn in which somebody waits that may have another one. It goes to the back.
    fn next(&mut self, per_client: usize) -> Option<(Client, Sender<Permit>)> {
        if self.free == 0 {
            return None;
        }
        for turn in &mut self.turns {
            while turn.waiting.pop_front_if(|waiter| waiter.is_closed()).is_some() {}
        }
        self.turns.retain(Turn::is_there);
        let may_have = |turn: &Turn| turn.client == Client::Local || turn.held < per_client;
        let at = self.turns.iter().position(|turn| may_have(turn) && !turn.waiting.is_empty())?;
        let mut turn = self.turns.remove(at)?;
        let (client, waiter) = (turn.client, turn.waiting.pop_front()?);
        turn.held += 1;
        self.free -= 1;
        self.turns.push_back(turn);
        Some((client, waiter))
    }

    fn release(&mut self, client: Client) {
        self.free += 1;
        if let Some(turn) = self.turns.iter_mut().find(|turn| turn.client == client) {
            turn.held -= 1;
        }
        self.turns.retain(Turn::is_there);
    }
}

impl Turn {
    /// Whether there is anything to remember of it.
    fn is_there(&self) -> bool {
        self.held > 0 || !self.waiting.is_empty()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.semaphore.state().release(self.client);
        self.semaphore.grant();
    }
}

#[cfg(test)]
mod tests;
