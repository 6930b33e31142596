//! Bus: publishes events of running jobs to listeners, and requests to stop to the process that runs the job.
//!
//! - [`local`]: in the memory of this process
//! - [`nats`]: NATS JetStream, which connects the processes of a cluster
//! - [`ring`]: the last events of a job
//!
//! The attempt at a job numbers its events. Numbers only grow, also from one attempt to the next. Events of an
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
pub mod nats;
pub mod ring;

/// Stream of batches of a job's events, beginning after the last event that the listener knows. Outdated progress is
/// left out. Ends after the last event of the job.
pub type EventBatchStream = BoxStream<'static, EventBatch>;

/// Reason for which a job was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A client cancelled the job.
    Cancelled = 1,
    /// The job has run for the maximum time of a job.
    OutOfTime = 2,
    /// The server shuts down.
    Interrupted = 3,
}

/// Publisher of the events of jobs. Every method returns at once.
pub trait EventBus: fmt::Debug + Send + Sync {
    /// Registers a job that this process runs. `events` are its events so far.
    fn register(&self, job: Id, events: Ring);

    /// Publishes all events of a job of this process, past and future, to other processes.
    fn share(&self, job: Id);

    /// Subscribes to a job that another process runs and shares. Listeners in this process receive its events until the
    /// job ends or has had no listener for a minute.
    ///
    /// `known` are the events in the row of the job; new ones are published to listeners. Returns whether a
    /// subscription began. Returns `false` if the job is already followed or run here, or if the bus is not connected
    /// to other processes.
    fn follow(&self, job: Id, known: Ring) -> bool;

    /// Publishes an event of a job under `number`. Returns `false` if the job is not registered, or if an event with
    /// this or a higher number was published.
    fn publish_event(&self, job: Id, number: u64, event: JobEvent) -> bool;

    /// Unregisters a job. Its listeners still receive all events published before.
    fn unregister(&self, job: Id);

    /// Subscribes to the events of a job with numbers above `after`, including those already published. Returns `None`
    /// if the job is not registered; then its row, if it exists, has its events.
    fn listen(&self, job: Id, after: u64) -> Option<EventBatchStream>;

    /// Returns a future that completes once the last event of the job is published or the job is unregistered. It is
    /// not woken by other events. Returns `None` if the job is not registered.
    fn wait_for_end(&self, job: Id) -> Option<BoxFuture<'static, ()>>;

    /// Tells the process that runs a job to stop it because of `why`. Only the first reason counts.
    fn stop(&self, job: Id, why: StopReason);

    /// Returns the reason for which a job was told to stop, or `None` if it was not.
    fn stop_reason(&self, job: Id) -> Option<StopReason>;
}

impl StopReason {
    /// Creates the last event of a run that was stopped for this reason. `job_seconds` is the maximum time of a job,
    /// and `reached` is the progress of the run.
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
