//! The table of jobs that have not ended: they wait in the queue, run, or are being stored.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kernels::plan::{EngineName, JobPlan, JobWork};
use kernels::text::Pair;

use super::live::JobHandle;
use crate::clients::ClientIdentity;
use crate::config::Config;
use crate::engines::{DeviceId, EnginePool};
use crate::id::Id;
use crate::storage::ports::queue::{FairQueue, JobQueue, QueueClass};

/// The jobs that have not ended, and whether more are accepted. Locked only for moments.
#[derive(Debug)]
pub(super) struct OpenJobs {
    pub(super) queue: Box<dyn JobQueue<WaitingRun>>,
    pub(super) places: DeviceCapacity,
    pub(super) live: HashMap<Id, Arc<JobHandle>>,
    /// Number of brief jobs whose results are being stored after they gave up their place on the engine.
    pub(super) storing: usize,
    pub(super) closed: bool,
}

/// Maximum expected duration of a job that runs on the calling thread, in milliseconds. Waking another thread takes
/// longer.
const MAX_MOMENTARY_MS: f64 = 0.5;

/// Maximum number of brief jobs that are stored beside running ones, because their results are in memory.
const MAX_STORING_JOBS: usize = 256;

/// Concurrent jobs on each device of an engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceCapacity {
    cpu: usize,
    cpu_brief: usize,
    cuda: usize,
    cuda_brief: usize,
}

/// All queues.
const QUEUE_CLASSES: [QueueClass; 4] = [
    QueueClass { engine: EngineName::Cpu, brief: false },
    QueueClass { engine: EngineName::Cpu, brief: true },
    QueueClass { engine: EngineName::Cuda, brief: false },
    QueueClass { engine: EngineName::Cuda, brief: true },
];

impl DeviceCapacity {
    /// Reads the numbers from the configuration.
    pub(super) fn of(config: &Config) -> Self {
        Self {
            cpu: config.running_cpu,
            cpu_brief: config.running_cpu_brief,
            cuda: config.running_cuda,
            cuda_brief: config.running_cuda_brief,
        }
    }

    /// Returns how many jobs of a queue run concurrently on one device.
    pub(super) fn on_a_device(self, line: QueueClass) -> usize {
        match (line.engine, line.brief) {
            (EngineName::Cpu, false) => self.cpu,
            (EngineName::Cpu, true) => self.cpu_brief,
            (EngineName::Cuda, false) => self.cuda,
            (EngineName::Cuda, true) => self.cuda_brief,
        }
    }

    /// Returns how many jobs of a queue run concurrently on all working devices. Counts one device if none works,
    /// because one may come back.
    pub(super) fn on(self, line: QueueClass, engines: &EnginePool) -> usize {
        self.on_a_device(line) * engines.device_count(line.engine).max(1)
    }
}

impl WaitingRun {
    /// Returns whether the run is shorter than waking a thread, and its texts are in memory.
    pub(super) fn is_momentary(&self) -> bool {
        self.plan.engine == EngineName::Cpu && self.pair.is_some() && self.plan.expected_ms <= MAX_MOMENTARY_MS
    }
}

impl OpenJobs {
    /// Creates an empty table with the places that the configuration allows.
    pub(super) fn new(config: &Config) -> Self {
        let places = DeviceCapacity::of(config);
        let permits = QUEUE_CLASSES.map(|line| (line, places.on_a_device(line)));
        let queue = Box::new(FairQueue::new(permits, config.queue_seconds));
        Self { queue, places, live: HashMap::new(), storing: 0, closed: false }
    }

    /// Adjusts the places of each queue to the number of working devices.
    pub(super) fn update_capacity(&mut self, engines: &EnginePool) {
        for line in QUEUE_CLASSES {
            self.queue.allow(line, self.places.on(line, engines));
        }
    }

    /// Releases the place of a brief job before its result is stored, unless too many results are being stored. Returns
    /// whether it was released.
    pub(super) fn release_for_storing(&mut self, line: QueueClass) -> bool {
        let has_room = self.storing < MAX_STORING_JOBS;
        if has_room {
            self.storing += 1;
            self.queue.release(line);
        }
        has_room
    }
}

/// A job in the queue.
#[derive(Debug)]
pub(super) struct WaitingRun {
    pub(super) live: Arc<JobHandle>,
    /// Parsed texts, if they are in memory.
    pub(super) pair: Option<Arc<Pair>>,
    pub(super) plan: JobPlan,
    pub(super) work: JobWork,
    /// Devices on which the job has failed.
    pub(super) failed: Vec<DeviceId>,
    pub(super) since: Instant,
    pub(super) client: ClientIdentity,
    /// Queue position that was last reported to the client.
    pub(super) told: Cell<Option<u64>>,
}
