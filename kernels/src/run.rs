//! Run: a job under way. A task reports its progress to an observer, which stops it by what it returns: one call for both.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::{Partial, Signal, Stage};
use crate::failure::Failure;

/// Why a task ends without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The observer broke off.
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

/// Is given what a run reports. `Break` stops the run at its next tile. Called from any thread, many times a second: be quick.
pub trait Observer: Sync {
    /// Takes one signal.
    fn on_signal(&self, signal: Signal) -> ControlFlow<()>;
}

/// Wants nothing and never stops the run.
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_signal(&self, _: Signal) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Handle that a task holds while it computes. Shared by all threads of the task.
pub struct Run<'a> {
    observer: &'a dyn Observer,
    done: AtomicU64,
    total: AtomicU64,
    held: AtomicU64,
    peak: AtomicU64,
}

impl<'a> Run<'a> {
    /// A run that nothing has happened in yet.
    pub fn new(observer: &'a dyn Observer) -> Self {
        Self { observer, done: 0.into(), total: 0.into(), held: 0.into(), peak: 0.into() }
    }

    /// Reports that `cells` more will be solved than was said so far.
    pub fn expect(&self, cells: u64) {
        self.total.fetch_add(cells, Relaxed);
    }

    /// Reports that `cells` fewer will be solved than was said so far.
    pub fn forgo(&self, cells: u64) {
        self.total.fetch_sub(cells, Relaxed);
    }

    /// Reports that `cells` were solved since the last tick. Call once a tile.
    ///
    /// # Errors
    /// `Halt::Stopped` when the observer breaks off: return it at once.
    pub fn tick(&self, cells: u64) -> Result<(), Halt> {
        let done = self.done.fetch_add(cells, Relaxed) + cells;
        self.report(Signal::Progress { done, total: self.total.load(Relaxed).max(done) })
    }

    /// Reports that a stage begins.
    ///
    /// # Errors
    /// As [`tick`](Self::tick).
    pub fn stage(&self, stage: Stage) -> Result<(), Halt> {
        self.report(Signal::Stage(stage))
    }

    /// Reports a part of the answer.
    ///
    /// # Errors
    /// As [`tick`](Self::tick).
    pub fn partial(&self, partial: Partial) -> Result<(), Halt> {
        self.report(Signal::Partial(partial))
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

    fn report(&self, signal: Signal) -> Result<(), Halt> {
        match self.observer.on_signal(signal) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Stopped),
        }
    }
}
