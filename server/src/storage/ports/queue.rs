//! Queue: classes and limits of pending jobs. Each process has its own queue ([`crate::jobs`]). If several processes
//! share the work, [`nats`] holds the jobs for all of them, and each takes as many as it may start.

use kernels::plan::{EngineName, JobPlan};

pub mod nats;

/// Fraction 1/`LARGE_SHARE` of the limit that one client may use in a class of large jobs.
pub const LARGE_SHARE: u64 = 4;

/// The class of a job: its engine, and whether it is brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueClass {
    pub engine: EngineName,
    /// Whether the class is for brief jobs only. The other class of the engine is for large jobs.
    pub brief: bool,
}

impl QueueClass {
    /// Returns the class of a job with the plan `plan`.
    pub fn from_plan(plan: &JobPlan) -> Self {
        Self { engine: plan.engine, brief: plan.is_brief() }
    }
}

/// The error for a job that a full queue rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFullError {
    /// Estimated milliseconds until the queue has room for the job.
    pub wait_ms: u64,
    /// Whether the client's own pending jobs fill the queue.
    pub is_own_backlog: bool,
}
