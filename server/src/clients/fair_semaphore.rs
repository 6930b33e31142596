//! A semaphore that grants permits to clients in turn ([`FairSemaphore`]). A client with forty requests waits as long
//! for its second permit as another client for its first. One client may hold only some of the permits, unless it is on
//! this machine.
//!
//! ```text
//! turns:   C (waits)   A (waits, has one)   B (waits, has one)        front: served least recently
//! a permit comes back → the first that may have another one → goes to the back
//! a new client        → before those at the back that have permits, behind all others
//! ```
//!
//! So a new client comes before clients that hold permits. No client starves: a client that waits without a permit is
//! behind only those that began to wait without a permit earlier.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Receiver, Sender, channel};

use crate::identity::ClientIdentity;

/// A semaphore with a fixed number of permits, which knows the clients that hold permits or wait for them.
#[derive(Debug)]
pub struct FairSemaphore {
    /// Maximum number of permits that one client may hold. A client on this machine may hold all permits.
    per_client: usize,
    state: Mutex<SemaphoreState>,
}

#[derive(Debug)]
struct SemaphoreState {
    free: usize,
    /// Clients that hold permits or wait for them. The first one was served least recently.
    turns: VecDeque<ClientTurn>,
}

/// A client that holds permits or waits for them: the number of its permits, and its waiting requests.
#[derive(Debug)]
struct ClientTurn {
    client: ClientIdentity,
    held_permits: usize,
    waiting: VecDeque<Sender<FairPermit>>,
}

/// A permit of a client. Dropping it gives the permit to the next waiting client.
#[derive(Debug)]
pub struct FairPermit {
    semaphore: Arc<FairSemaphore>,
    client: ClientIdentity,
}

impl FairSemaphore {
    /// Creates a semaphore with `permits` permits. One client may hold at most `per_client` of them at the same time.
    pub fn new(permits: usize, per_client: usize) -> Self {
        Self { per_client, state: Mutex::new(SemaphoreState { free: permits, turns: VecDeque::new() }) }
    }

    /// Waits until `client` gets a permit. Dropping the future cancels the wait without losing a permit.
    pub async fn acquire(self: &Arc<Self>, client: ClientIdentity) -> FairPermit {
        let granted = self.state().wait(client);
        self.grant();
        granted.await.expect("who waits is taken out of the line with a permit only, or when nobody waits for it any more")
    }

    /// Gives free permits to waiting clients, as long as there are free permits and clients that may have one.
    fn grant(self: &Arc<Self>) {
        loop {
            let next = self.state().next(self.per_client);
            let Some((client, waiter)) = next else { return };
            // If the waiting future was dropped in the meantime, this also drops the permit, which returns it.
            drop(waiter.send(FairPermit { semaphore: self.clone(), client }));
        }
    }

    fn state(&self) -> MutexGuard<'_, SemaphoreState> {
        // A lock poisoned by a panic is usable, because no panic can happen between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SemaphoreState {
    /// Adds a waiting request of `client`. Returns the channel on which this request receives its permit.
    fn wait(&mut self, client: ClientIdentity) -> Receiver<FairPermit> {
        let (waiter, granted) = channel();
        let known = self.turns.iter_mut().find(|turn| turn.client == client);
        if let Some(turn) = known {
            turn.waiting.retain(|waiter| !waiter.is_closed());
            turn.waiting.push_back(waiter);
        } else {
            let behind = self.turns.iter().rposition(|turn| turn.held_permits == 0).map_or(0, |last| last + 1);
            self.turns.insert(behind, ClientTurn { client, held_permits: 0, waiting: VecDeque::from([waiter]) });
        }
        granted
    }

    /// Takes a free permit for the next waiting request whose client has fewer than `per_client` permits. Removes the
    /// request, and moves its client to the end of the list. Returns the client and the channel for the permit, or
    /// `None` if there is no such request or no free permit.
    fn next(&mut self, per_client: usize) -> Option<(ClientIdentity, Sender<FairPermit>)> {
        if self.free == 0 {
            return None;
        }
        for turn in &mut self.turns {
            while turn.waiting.pop_front_if(|waiter| waiter.is_closed()).is_some() {}
        }
        self.turns.retain(ClientTurn::is_there);
        let may_have = |turn: &ClientTurn| turn.client == ClientIdentity::Local || turn.held_permits < per_client;
        let at = self.turns.iter().position(|turn| may_have(turn) && !turn.waiting.is_empty())?;
        let mut turn = self.turns.remove(at)?;
        let (client, waiter) = (turn.client, turn.waiting.pop_front()?);
        turn.held_permits += 1;
        self.free -= 1;
        self.turns.push_back(turn);
        Some((client, waiter))
    }

    fn release(&mut self, client: ClientIdentity) {
        self.free += 1;
        if let Some(turn) = self.turns.iter_mut().find(|turn| turn.client == client) {
            turn.held_permits -= 1;
        }
        self.turns.retain(ClientTurn::is_there);
    }
}

impl ClientTurn {
    /// Returns whether the client must stay in the list, because it holds a permit or waits for one.
    fn is_there(&self) -> bool {
        self.held_permits > 0 || !self.waiting.is_empty()
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        self.semaphore.state().release(self.client);
        self.semaphore.grant();
    }
}

#[cfg(test)]
mod tests;
