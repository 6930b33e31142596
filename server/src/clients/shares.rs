//! Shares: limits the number of slots of a shared resource, such as connections, that one client uses at the same time
//! ([`ClientSlotTable`]).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::identity::ClientIdentity;

/// The number of slots that each client uses. A client without a slot is not stored.
#[derive(Debug, Default)]
pub struct ClientSlotTable(Mutex<HashMap<ClientIdentity, usize>>);

/// A slot that a client uses. Dropping it frees the slot.
#[derive(Debug)]
pub struct ClientSlot {
    shares: Arc<ClientSlotTable>,
    client: ClientIdentity,
}

impl ClientSlotTable {
    /// Takes a slot for `client`. Returns `None` if the client already uses `most` slots.
    pub fn take(self: &Arc<Self>, client: ClientIdentity, most: usize) -> Option<ClientSlot> {
        let mut held = self.lock_counts();
        let own = held.get(&client).copied().unwrap_or(0);
        if own >= most {
            return None;
        }
        held.insert(client, own + 1);
        drop(held);
        Some(ClientSlot { shares: self.clone(), client })
    }

    fn lock_counts(&self) -> MutexGuard<'_, HashMap<ClientIdentity, usize>> {
        // A lock poisoned by a panic is usable, because each change is a single number.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        if let Entry::Occupied(mut own) = self.shares.lock_counts().entry(self.client) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_one_client_do_not_reduce_those_of_others() {
        let (shares, [one, other]) = (Arc::new(ClientSlotTable::default()), [0, 1].map(ClientIdentity::Class));
        let first = shares.take(one, 2).unwrap();
        let second = shares.take(one, 2).unwrap();
        assert!(shares.take(one, 2).is_none());
        let others = shares.take(other, 2).unwrap();
        drop(first);
        let third = shares.take(one, 2).unwrap();
        assert!(shares.take(one, 2).is_none(), "only one slot was released");
        drop((second, third, others));
        assert!(shares.lock_counts().is_empty(), "a client without slots is forgotten");
    }
}
