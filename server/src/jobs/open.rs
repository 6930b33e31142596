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
use crate::engines::{DeviceId, Engines};
use crate::id::Id;
use crate::ports::queue::{Lanes, Line, Queue};

/// The jobs that have not ended, and whether more are taken. Locked for moments only.
#[derive(Debug)]
pub(super) struct OpenJobs {
    pub(super) queue: Box<dyn Queue<Waiting>>,
    pub(super) places: Places,
    pub(super) live: HashMap<Id, Arc<Live>>,
    /// Brief jobs whose place on their engine is another one's already, while what they have found is stored.
    pub(super) storing: usize,
    pub(super) closed: bool,
}

/// A run that is expected to take so long is made in the place of whoever starts it: to wake a thread takes longer.
const MOMENT_MS: f64 = 0.5;

/// Brief jobs that are stored beside those that run, at most: what they have found is in memory.
const MOST_STORING: usize = 256;

/// Jobs that each device of an engine runs at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    cpu: usize,
    cpu_brief: usize,
    cuda: usize,
    cuda_brief: usize,
}

/// Every line.
const LINES: [Line; 4] = [
    Line { engine: EngineName::Cpu, brief: false },
    Line { engine: EngineName::Cpu, brief: true },
    Line { engine: EngineName::Cuda, brief: false },
    Line { engine: EngineName::Cuda, brief: true },
];

impl Places {
    /// Those of the configuration.
    pub(super) fn of(config: &Config) -> Self {
        Self {
            cpu: config.running_cpu,
            cpu_brief: config.running_cpu_brief,
            cuda: config.running_cuda,
            cuda_brief: config.running_cuda_brief,
        }
    }

    /// Jobs of a line that run at a time on one device.
    pub(super) fn on_a_device(self, line: Line) -> usize {
        match (line.engine, line.brief) {
            (EngineName::Cpu, false) => self.cpu,
            (EngineName::Cpu, true) => self.cpu_brief,
            (EngineName::Cuda, false) => self.cuda,
            (EngineName::Cuda, true) => self.cuda_brief,
        }
    }

    /// Jobs of a line that run at a time on all devices that work now; those of one device where none does, since one may come back.
    pub(super) fn on(self, line: Line, engines: &Engines) -> usize {
        self.on_a_device(line) * engines.device_count(line.engine).max(1)
    }
}

impl Waiting {
    /// Whether its run takes no longer than waking a thread for it: a few words, which are at hand.
    pub(super) fn is_momentary(&self) -> bool {
        self.plan.engine == EngineName::Cpu && self.pair.is_some() && self.plan.expected_ms <= MOMENT_MS
    }
}

impl OpenJobs {
    /// None, and places for as many as the configuration allows.
    pub(super) fn new(config: &Config) -> Self {
        let places = Places::of(config);
        let permits = LINES.map(|line| (line, places.on_a_device(line)));
        let queue = Box::new(Lanes::new(permits, config.queue_seconds));
        Self { queue, places, live: HashMap::new(), storing: 0, closed: false }
    }

    /// Gives each line as many places as the devices of its engine have that work now.
    pub(super) fn fit(&mut self, engines: &Engines) {
        for line in LINES {
            self.queue.allow(line, self.places.on(line, engines));
        }
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
    /// Devices that have failed at it.
    pub(super) failed: Vec<DeviceId>,
    pub(super) since: Instant,
    pub(super) client: Client,
    /// How many it was told are ahead.
    pub(super) told: Cell<Option<u64>>,
}
