//! Run: a job under way. Ticks go out, "stop" comes in, by one call.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::{Partial, Signal, Stage};
use crate::failure::Failure;

/// Why a task ends without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Nobody listens any more.
    Stopped,
    /// It cannot be done.
    Failed(Failure),
}

impl Halt {
    /// Why there is nothing to show, for a caller whose run nobody can stop.
    pub fn failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Stopped => Failure::engine("This was stopped before it was done."),
        }
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Hears what a run says. `Break` stops the run at its next tile. Called from any thread, many times a second: be quick.
pub trait Listen: Sync {
    /// Takes one signal.
    fn hear(&self, signal: Signal) -> ControlFlow<()>;
}

/// A listener that wants nothing and never stops the run.
pub struct Silent;

impl Listen for Silent {
    fn hear(&self, _: Signal) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Handle that a task holds while it computes. Shared by all threads of the task.
pub struct Run<'a> {
    listener: &'a dyn Listen,
    done: AtomicU64,
    total: AtomicU64,
    held: AtomicU64,
    peak: AtomicU64,
}

impl<'a> Run<'a> {
    /// A run that nothing has happened in yet.
    pub fn new(listener: &'a dyn Listen) -> Self {
        Self { listener, done: 0.into(), total: 0.into(), held: 0.into(), peak: 0.into() }
    }

    /// Says that `cells` more will be solved than was said so far.
    pub fn expect(&self, cells: u64) {
        self.total.fetch_add(cells, Relaxed);
    }

    /// Says that `cells` fewer will be solved than was said so far.
    pub fn forgo(&self, cells: u64) {
        self.total.fetch_sub(cells, Relaxed);
    }

    /// Says that `cells` were solved since the last tick. Call once a tile.
    ///
    /// # Errors
    /// `Halt::Stopped` when nobody listens: return it at once.
    pub fn tick(&self, cells: u64) -> Result<(), Halt> {
        let done = self.done.fetch_add(cells, Relaxed) + cells;
        self.say(Signal::Progress { done, total: self.total.load(Relaxed).max(done) })
    }

    /// Says that a stage begins.
    ///
    /// # Errors
    /// As [`tick`](Self::tick).
    pub fn stage(&self, stage: Stage) -> Result<(), Halt> {
        self.say(Signal::Stage(stage))
    }

    /// Says a part of the answer.
    ///
    /// # Errors
    /// As [`tick`](Self::tick).
    pub fn partial(&self, partial: Partial) -> Result<(), Halt> {
        self.say(Signal::Partial(partial))
    }

    /// Counts `bytes` of working memory until [`release`](Self::release) is called for them.
    pub fn hold(&self, bytes: u64) {
        let held = self.held.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(held, Relaxed);
    }

    /// Ends what [`hold`](Self::hold) began.
    pub fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// Cells solved so far.
    pub fn cells(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// Most working memory that was held at once, in bytes; texts are not counted.
    pub fn peak_bytes(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    fn say(&self, signal: Signal) -> Result<(), Halt> {
        match self.listener.hear(signal) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Stopped),
        }
    }
}
