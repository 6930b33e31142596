//! The jobs that have not ended: those that wait in the queue, those that run, and those that are being stored.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kernels::plan::{EngineName, Plan, Work};
use kernels::text::Pair;

use super::live::Live;
use crate::clients::Client;
use crate::config::Config;
use crate::id::Id;
use crate::ports::queue::{Lanes, Line, Queue};

/// The jobs that have not ended, and whether more are taken. Locked for moments only.
#[derive(Debug)]
pub(super) struct OpenJobs {
    pub(super) queue: Box<dyn Queue<Waiting>>,
    pub(super) live: HashMap<Id, Arc<Live>>,
    /// Brief jobs whose place on their engine is another one's already, while what they have found is stored.
    pub(super) storing: usize,
    pub(super) closed: bool,
}

/// A run that is expected to take so long is made in the place of whoever starts it: to wake a thread takes longer.
const MOMENT_MS: f64 = 0.5;

/// Brief jobs that are stored beside those that run, at most: what they have found is in memory.
const MOST_STORING: usize = 256;

impl Waiting {
    /// Whether its run takes no longer than waking a thread for it: a few words, which are at hand.
    pub(super) fn is_momentary(&self) -> bool {
        self.plan.engine == EngineName::Cpu && self.pair.is_some() && self.plan.expected_ms <= MOMENT_MS
    }
}

impl OpenJobs {
    /// None, and places for as many as the configuration allows.
    pub(super) fn new(config: &Config) -> Self {
        let line = |engine, brief| Line { engine, brief };
        let permits = [
            (line(EngineName::Cpu, false), config.running_cpu),
            (line(EngineName::Cpu, true), config.running_cpu_brief),
            (line(EngineName::Cuda, false), config.running_cuda),
            (line(EngineName::Cuda, true), config.running_cuda_brief),
        ];
        Self { queue: Box::new(Lanes::new(permits, config.queue_seconds)), live: HashMap::new(), storing: 0, closed: false }
    }

    /// Gives the place of a brief job in its line to the next one before it is stored, unless too many are being stored. Whether it did.
    pub(super) fn store_beside(&mut self, line: Line) -> bool {
        let has_room = self.storing < MOST_STORING;
        if has_room {
            self.storing += 1;
            self.queue.release(line);
        }
        has_room
    }
}

/// A job in the queue.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) live: Arc<Live>,
    /// Its texts, where they are at hand.
    pub(super) pair: Option<Arc<Pair>>,
    pub(super) plan: Plan,
    pub(super) work: Work,
    /// Engines that have failed at it.
    pub(super) failed: Vec<EngineName>,
    pub(super) since: Instant,
    pub(super) client: Client,
    /// How many it was told are ahead.
    pub(super) told: Cell<Option<u64>>,
}
