//! Queue: classes ([`QueueClass`]) and limits of pending jobs. Each process has its own queue ([`crate::jobs`]). If
//! several processes share the work, [`nats`] holds the jobs for all of them, and each takes as many as it can start.

use kernels::plan::{EngineName, JobPlan};

#[cfg(feature = "cluster")]
pub mod nats;

/// Divisor of the limit of a class of large jobs: one client may use 1/`LARGE_SHARE` of the limit.
pub const LARGE_SHARE: u64 = 4;

/// The class of a job in a queue: its engine, and whether the job is brief or large. Each class has its own limit and
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueClass {
    pub engine: EngineName,
    /// Whether the class is for brief jobs, whose expected duration is at most 100 ms. The other jobs of the engine
    /// (large ones) form another class.
    pub brief: bool,
}

impl QueueClass {
    /// Returns the class of a job with the plan `plan`.
    pub fn from_plan(plan: &JobPlan) -> Self {
        Self { engine: plan.engine, brief: plan.is_brief() }
    }
}

/// The error for a job that is rejected because its queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFullError {
    /// Estimated milliseconds until the queue has room for the job.
    pub wait_ms: u64,
    /// Whether the pending jobs of this client alone fill the queue.
    pub is_own_backlog: bool,
}

/// The number and the expected time of the waiting and running jobs of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineBacklog {
    pub engine: EngineName,
    pub jobs: u64,
    /// Sum of the expected durations of the waiting and running jobs, in milliseconds.
    pub ms: u64,
}
