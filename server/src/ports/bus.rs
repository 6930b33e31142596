//! Bus: what is told of jobs that have not ended: their events, to whoever listens, and that they are to stop, to whoever runs them.
//!
//! - [`local`]: in the memory of this process
//! - [`nats`]: NATS JetStream, by which the processes of a site hear each other
//! - [`ring`]: the last events of a job
//!
//! Events carry the numbers that the attempt at the job gave them; they only grow, from one attempt to the next as well. What an attempt
//! that was given up still tells is dropped. The bus is no truth: once a job has ended, its row holds its events.

use std::fmt;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kernels::event::{Event, Progress};
use kernels::failure::Failure;
use serde::{Deserialize, Serialize};

use self::ring::{Replay, Ring};
use crate::id::Id;

#[cfg(test)]
pub(crate) mod conformance;
pub mod local;
pub mod nats;
pub mod ring;

/// Events after the one that a listener knows, some at a time: progress that is over by the time that it asks again is left out. Ends
/// after the last event of the job.
pub type Listener = BoxStream<'static, Replay>;

/// Why a run was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Somebody cancelled the job.
    Cancelled = 1,
    /// It has run as long as a job may.
    OutOfTime = 2,
    /// The server stops.
    Interrupted = 3,
}

/// What is told of jobs. Every call returns at once.
pub trait Bus: fmt::Debug + Send + Sync {
    /// Carries a job from now on, whose events so far are these.
    fn open(&self, job: Id, events: Ring);

    /// Lets other processes hear of a job that this one carries: what was told of it, and what will be.
    fn share(&self, job: Id);

    /// Hears of a job that another process carries and has shared: it is listened to here as if it were carried here, until its end or until nobody has
    /// listened for a minute. `known` are its events as far as its row says them; those that are news are told. Returns whether that begins now: not when the
    /// job is followed already or carried here, and not where no other process is heard.
    fn follow(&self, job: Id, known: Ring) -> bool;

    /// Tells an event of a job. Returns whether it was told: not when its number is not above all before it, nor of a job that is not
    /// carried.
    fn tell(&self, job: Id, number: u64, event: Event) -> bool;

    /// Carries the job no longer. Whoever listens hears what was told.
    fn close(&self, job: Id);

    /// What is told of a job after event `after`, that which was told before included. `None` when the job is not carried: if there is one,
    /// its row has its events.
    fn listen(&self, job: Id, after: u64) -> Option<Listener>;

    /// Is ready once the job's last event was told, or the job is carried no longer: for those who wait for nothing else, and would be woken by
    /// each event. `None` when the job is not carried.
    fn ended(&self, job: Id) -> Option<BoxFuture<'static, ()>>;

    /// Tells whoever runs a job to stop, here or in another process. The first reason stays.
    fn stop(&self, job: Id, why: Stop);

    /// Why a job was told to stop, if it was.
    fn stopped(&self, job: Id) -> Option<Stop>;
}

impl Stop {
    /// The last event of a run that was stopped for this reason, so far.
    pub fn event(self, job_seconds: u64, reached: Option<Progress>) -> Event {
        match self {
            Self::Cancelled => Event::Cancelled,
            Self::OutOfTime => {
                let reached = reached.filter(|progress| progress.done > 0).map(|progress| [progress.done, progress.total]);
                Event::Failed(Failure::OutOfTime { seconds: job_seconds, reached })
            }
            Self::Interrupted => Event::Failed(Failure::Interrupted),
        }
    }
}
