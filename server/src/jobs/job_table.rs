//! The table of jobs that have not ended (`OpenJobs`): they wait in the queue, run, or are being stored. Also defines
//! the number of concurrent runs (`DeviceCapacity`) and the entry of a waiting job (`WaitingRun`).

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kernels::plan::{EngineName, JobPlan, JobWork};
use kernels::text::Pair;

use super::fair_queue::FairQueue;
use super::job_handle::JobHandle;
use crate::config::Config;
use crate::engines::{DeviceId, EnginePool};
use crate::id::Id;
use crate::identity::ClientIdentity;
use crate::storage::ports::queue::QueueClass;

/// The table of jobs of this process that have not ended, with the queue of the waiting ones. Its lock is held only for
/// moments.
#[derive(Debug)]
pub(super) struct OpenJobs {
    pub(super) queue: FairQueue<WaitingRun>,
    pub(super) capacity: DeviceCapacity,
    pub(super) live: HashMap<Id, Arc<JobHandle>>,
    /// Number of brief jobs whose results are being stored after their engine slots were released.
    pub(super) storing: usize,
    pub(super) closed: bool,
}

/// Maximum expected duration of a job that runs on the thread that started it, in milliseconds. Waking another thread
/// would take longer.
const MAX_MOMENTARY_MS: f64 = 0.5;

/// Maximum number of brief jobs that have released their slots while their results are stored. Limited, because these
/// results are in memory.
const MAX_STORING_JOBS: usize = 256;

/// The configured number of concurrent jobs on one device, for each engine, separately for large and for brief jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceCapacity {
    cpu: usize,
    cpu_brief: usize,
    cuda: usize,
    cuda_brief: usize,
}

/// All queue classes: each engine, once with large and once with brief jobs.
const QUEUE_CLASSES: [QueueClass; 4] = [
    QueueClass { engine: EngineName::Cpu, brief: false },
    QueueClass { engine: EngineName::Cpu, brief: true },
    QueueClass { engine: EngineName::Cuda, brief: false },
    QueueClass { engine: EngineName::Cuda, brief: true },
];

impl DeviceCapacity {
    /// Returns the numbers of concurrent jobs that `config` sets.
    pub(super) fn from_config(config: &Config) -> Self {
        Self {
            cpu: config.running_cpu,
            cpu_brief: config.running_cpu_brief,
            cuda: config.running_cuda,
            cuda_brief: config.running_cuda_brief,
        }
    }

    /// Returns how many jobs of the class `line` may run concurrently on one device.
    pub(super) fn slots_per_device(self, line: QueueClass) -> usize {
        match (line.engine, line.brief) {
            (EngineName::Cpu, false) => self.cpu,
            (EngineName::Cpu, true) => self.cpu_brief,
            (EngineName::Cuda, false) => self.cuda,
            (EngineName::Cuda, true) => self.cuda_brief,
        }
    }

    /// Returns how many jobs of the class `line` may run concurrently on all working devices of `engines`. Counts one
    /// device if none works, because a device may come back.
    pub(super) fn total_slots(self, line: QueueClass, engines: &EnginePool) -> usize {
        self.slots_per_device(line) * engines.device_count(line.engine).max(1)
    }
}

impl WaitingRun {
    /// Returns whether the job runs on the CPU, has its texts in memory, and is expected to be shorter than waking a
    /// thread.
    pub(super) fn is_momentary(&self) -> bool {
        self.plan.engine == EngineName::Cpu && self.pair.is_some() && self.plan.expected_ms <= MAX_MOMENTARY_MS
    }
}

impl OpenJobs {
    /// Creates an empty table with the configured number of slots for each queue class.
    pub(super) fn new(config: &Config) -> Self {
        let places = DeviceCapacity::from_config(config);
        let permits = QUEUE_CLASSES.map(|line| (line, places.slots_per_device(line)));
        let queue = FairQueue::new(permits, config.queue_seconds);
        Self { queue, capacity: places, live: HashMap::new(), storing: 0, closed: false }
    }

    /// Sets the number of slots of each queue class according to the number of working devices in `engines`.
    pub(super) fn update_capacity(&mut self, engines: &EnginePool) {
        for line in QUEUE_CLASSES {
            self.queue.allow(line, self.capacity.total_slots(line, engines));
        }
    }

    /// Releases the slot of a brief job of class `line` before its result is stored, unless [`MAX_STORING_JOBS`]
    /// results are being stored already. Returns whether the slot was released.
    pub(super) fn release_for_storing(&mut self, line: QueueClass) -> bool {
        let has_room = self.storing < MAX_STORING_JOBS;
        if has_room {
            self.storing += 1;
            self.queue.release(line);
        }
        has_room
    }
}

/// A job that waits for a free slot on its engine.
#[derive(Debug)]
pub(super) struct WaitingRun {
    pub(super) live: Arc<JobHandle>,
    /// Parsed texts, if they are in memory. Otherwise the run reads them.
    pub(super) pair: Option<Arc<Pair>>,
    pub(super) plan: JobPlan,
    pub(super) work: JobWork,
    /// Devices on which earlier runs of the job have failed.
    pub(super) failed: Vec<DeviceId>,
    pub(super) since: Instant,
    pub(super) client: ClientIdentity,
    /// Number of jobs ahead that was last reported to the client.
    pub(super) last_reported_ahead: Cell<Option<u64>>,
}
