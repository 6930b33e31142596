//! Memory limit for parsing texts (`MemoryBudget`), common to all requests and jobs. Parsing needs at most a known
//! multiple of a text's size, so memory is reserved before anything is read.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use kernels::job::{ReadingOptions, Unit};

/// Total size of two texts, in bytes, up to which they are read without a reservation of memory. Small texts therefore
/// never wait for large ones.
pub(super) const MAX_UNRESERVED_BYTES: u64 = 16 << 20;

/// Returns the maximum memory, in bytes, for reading and parsing two texts of `bytes` bytes in total. It consists of
/// their bytes, symbols of up to 4 bytes, and 8 bytes for the position of each unit, unless units are bytes. The memory
/// for positions is doubled, because a growing vector may be half empty.
pub(super) fn to_read(bytes: u64, reading: &ReadingOptions) -> u64 {
    let each = if reading.unit == Unit::Bytes { 1 + 4 } else { 1 + 4 + 2 * 8 };
    bytes.saturating_mul(each)
}

/// A budget of memory, in bytes, of which callers reserve parts. They are served in the order of their arrival, so that
/// large requests do not starve.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    capacity: u64,
    state: Mutex<MemoryBudgetState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct MemoryBudgetState {
    reserved_bytes: u64,
    /// Ticket number of the caller that is served next. Callers get ascending numbers in the order of their arrival.
    serves: u64,
    /// Ticket number of the next caller to arrive.
    next: u64,
}

/// A reservation of memory. Dropping it returns the bytes to the budget.
#[derive(Debug)]
pub(super) struct MemoryReservation<'a> {
    memory: &'a MemoryBudget,
    bytes: u64,
}

impl MemoryBudget {
    pub(super) fn new(most: u64) -> Self {
        Self { capacity: most, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Reserves `bytes` bytes, but at most the whole budget. Blocks until they are free and all earlier callers were
    /// served.
    pub(super) fn reserve(&self, bytes: u64) -> MemoryReservation<'_> {
        let bytes = bytes.min(self.capacity);
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        while state.serves != ticket || state.reserved_bytes + bytes > self.capacity {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.serves += 1;
        state.reserved_bytes += bytes;
        drop(state);
        // The request of the next caller may fit into the rest of the budget.
        self.changed.notify_all();
        MemoryReservation { memory: self, bytes }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryBudgetState> {
        // A lock poisoned by a panic is usable, because each change is a single number.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        self.memory.lock().reserved_bytes -= self.bytes;
        self.memory.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn memory_budget_is_never_exceeded() {
        let (memory, taken, most) = (MemoryBudget::new(100), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for number in 0..16 {
                let (memory, taken, most) = (&memory, &taken, &most);
                scope.spawn(move || {
                    // A request for more than the whole budget gets all of it.
                    let bytes = [30, 40, 1000][number % 3];
                    let _place = memory.reserve(bytes);
                    let now = taken.fetch_add(bytes.min(100), SeqCst) + bytes.min(100);
                    most.fetch_max(now, SeqCst);
                    thread::sleep(Duration::from_millis(5));
                    taken.fetch_sub(bytes.min(100), SeqCst);
                });
            }
        });
        let most = most.into_inner();
        assert!((60..=100).contains(&most), "{most}: reads are concurrent and within the budget");
        assert_eq!(memory.lock().reserved_bytes, 0);
    }

    #[test]
    fn memory_for_parsing_is_estimated_from_the_size() {
        let letters = ReadingOptions { unit: Unit::Chars, ..ReadingOptions::default() };
        assert!(to_read(512 << 20, &letters) > 6 << 30, "two texts of 256 MiB");
        assert!(to_read(512 << 20, &ReadingOptions::default()) < 3 << 30);
        assert_eq!(to_read(u64::MAX, &letters), u64::MAX);
    }
}
