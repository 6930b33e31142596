//! Memory: a memory with contents, on which a program runs as on the machine, while the cost of its accesses is
//! counted.
//!
//! The program is a sequence of rounds. In a round, each thread makes at most one request, and the next round begins
//! when all requests are served. The proofs of papers 000 and 003 add up these rounds.

use super::MemoryMachine;

/// A discrete or unified memory machine (DMM or UMM) with contents.
#[derive(Clone, Debug)]
pub struct MachineMemory {
    machine: MemoryMachine,
    words: Vec<u64>,
    /// Cost of all rounds that were executed so far.
    pub spent: MemoryCost,
}

/// The cost of a sequence of rounds, in each of which a thread makes at most one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCost {
    /// Number of rounds in which at least one thread had a request.
    pub rounds: u64,
    /// Number of pipeline stages that the requests of all rounds filled.
    pub stages: u64,
    /// Number of requests of all threads in all rounds.
    pub requests: u64,
    /// Number of time units of all rounds, one after another without overlap.
    pub time_units: u64,
}

impl MachineMemory {
    /// Creates a memory of `words` words on `machine`, all 0.
    pub fn new(machine: MemoryMachine, words: usize) -> Self {
        Self { machine, words: vec![0; words], spent: MemoryCost::default() }
    }

    /// Stores `values` at the addresses from `at` on, without cost. This is for the input of a program, before the
    /// program begins.
    ///
    /// # Panics
    /// Panics if the values reach beyond the end of the memory.
    pub fn load(&mut self, at: usize, values: impl IntoIterator<Item = u64>) {
        values.into_iter().zip(at..).for_each(|(value, at)| self.words[at] = value);
    }

    /// Returns the word at `address`, without cost. This is for the result of a program, after the program has ended.
    pub fn at(&self, address: usize) -> u64 {
        self.words[address]
    }

    /// Executes a round of reads and returns the word that each thread has read. `addresses` holds the address that
    /// each thread reads. A thread with `None` makes no request and receives 0.
    pub fn read(&mut self, addresses: &[Option<usize>]) -> Vec<u64> {
        self.count(addresses);
        addresses.iter().map(|address| address.map_or(0, |address| self.words[address])).collect()
    }

    /// Executes a round of writes. `requests` holds the address and the value that each thread writes, or `None` for a
    /// thread without a request. If several threads write to one address, the value of the last thread stays.
    pub fn write(&mut self, requests: &[Option<(usize, u64)>]) {
        let addresses: Vec<_> = requests.iter().map(|request| request.map(|(address, _)| address)).collect();
        self.count(&addresses);
        requests.iter().flatten().for_each(|&(address, value)| self.words[address] = value);
    }

    fn count(&mut self, addresses: &[Option<usize>]) {
        let round = self.machine.round(addresses);
        self.spent.rounds += u64::from(round.stages > 0);
        self.spent.stages += round.stages;
        self.spent.requests += addresses.iter().flatten().count() as u64;
        self.spent.time_units += round.time_units();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_returns_written_words_and_counts_accesses() {
        let mut memory = MachineMemory::new(MemoryMachine::dmm(4, 5), 16);
        memory.load(8, [40, 41]);
        memory.write(&[Some((7, 70)), Some((5, 50)), Some((15, 150)), None]);
        assert_eq!(memory.spent, MemoryCost { rounds: 1, stages: 2, requests: 3, time_units: 6 });
        assert_eq!(memory.read(&[Some(5), Some(7), None, Some(8)]), [50, 70, 0, 40]);
        assert_eq!(memory.spent, MemoryCost { rounds: 2, stages: 3, requests: 6, time_units: 11 });
        memory.read(&[None, None]);
        assert_eq!(memory.spent.rounds, 2);
    }
}
