//! Bus: publishes events of running jobs to listeners, and sends requests to stop a job to the process that runs it.
//!
//! - [`EventBus`]: the trait
//! - [`local`]: implementation in the memory of this process
//! - [`nats`]: implementation with NATS JetStream, which connects the processes of a cluster
//! - [`ring`]: the last events of a job
//!
//! Each attempt at a job numbers its events. Numbers only grow, also from one attempt to the next. Events of an
//! abandoned attempt are dropped. The bus is not authoritative: the row of a finished job holds its events.

use std::fmt;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kernels::event::{JobEvent, RunProgress};
use kernels::failure::JobFailure;
use serde::{Deserialize, Serialize};

use self::ring::{EventBatch, Ring};
use crate::id::Id;

#[cfg(test)]
pub(crate) mod conformance;
pub mod local;
#[cfg(feature = "cluster")]
pub mod nats;
pub mod ring;

/// A stream of batches of a job's events, beginning after the last event that the listener knows. Outdated progress is
/// left out. The stream ends after the last event of the job.
pub type EventBatchStream = BoxStream<'static, EventBatch>;

/// The reason for which a job was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A client cancelled the job.
    Cancelled = 1,
    /// The job has run for the maximum time that a job may take.
    OutOfTime = 2,
    /// The server is shutting down.
    Interrupted = 3,
}

/// A publisher of the events of jobs. A job must be registered with `register` or `follow`. No method waits for the network
/// or a disk.
pub trait EventBus: fmt::Debug + Send + Sync {
    /// Registers `job`, which this process runs. `events` are its events so far.
    fn register(&self, job: Id, events: Ring);

    /// Publishes all events of `job`, past and future, to other processes. This process must run the job.
    fn share(&self, job: Id);

    /// Subscribes to `job`, which another process runs and shares. Listeners in this process receive its events until
    /// the job ends or has had no listener for a minute.
    ///
    /// `known` are the events in the row of the job. Those that are new to this process are published to its listeners.
    /// Returns whether a subscription began. Returns `false` if this process already follows or runs the job, or if the
    /// bus is not connected to other processes.
    fn follow(&self, job: Id, known: Ring) -> bool;

    /// Publishes an event of `job` with the number `number`. Returns `false` if the job is not registered, or if an
    /// event with this or a higher number was published before.
    fn publish_event(&self, job: Id, number: u64, event: JobEvent) -> bool;

    /// Removes `job` from the registered jobs. Its listeners still receive all events that were published before.
    fn unregister(&self, job: Id);

    /// Subscribes to the events of `job` with numbers above `after`, including events published earlier. Returns `None`
    /// if the job is not registered. Then its row, if it exists, has its events.
    fn listen(&self, job: Id, after: u64) -> Option<EventBatchStream>;

    /// Returns a future that completes when the last event of `job` is published or the job is unregistered. Other
    /// events do not wake the future. Returns `None` if the job is not registered.
    fn wait_for_end(&self, job: Id) -> Option<BoxFuture<'static, ()>>;

    /// Tells the process that runs `job` to stop the job for the reason `why`. Only the first reason counts.
    fn stop(&self, job: Id, why: StopReason);

    /// Returns the reason for which `job` was told to stop, or `None` if it was not told to stop.
    fn stop_reason(&self, job: Id) -> Option<StopReason>;
}

impl StopReason {
    /// Creates the last event of a run that was stopped for this reason. `job_seconds` is the maximum time of a job,
    /// and `reached` is the progress of the run, if it has begun.
    pub fn event(self, job_seconds: u64, reached: Option<RunProgress>) -> JobEvent {
        match self {
            Self::Cancelled => JobEvent::Cancelled,
            Self::OutOfTime => {
                let reached = reached.filter(|progress| progress.done > 0).map(|progress| [progress.done, progress.total]);
                JobEvent::Failed(JobFailure::OutOfTime { seconds: job_seconds, reached })
            }
            Self::Interrupted => JobEvent::Failed(JobFailure::Interrupted),
        }
    }
}
