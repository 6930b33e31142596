//! Run: a job in progress. A task reports its progress to an observer with a call whose return value can stop the run.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::{PartialAnswer, RunSignal, RunStage};
use crate::failure::JobFailure;

/// The reason why a task ends without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The observer stopped the run.
    Stopped,
    /// The task failed.
    Failed(JobFailure),
}

impl Halt {
    /// Converts the reason to a failure, for callers whose runs are never stopped. A stop becomes a failure of the
    /// engine.
    pub fn failure(self) -> JobFailure {
        match self {
            Self::Failed(failure) => failure,
            Self::Stopped => JobFailure::engine("This was stopped before it was done."),
        }
    }
}

impl From<JobFailure> for Halt {
    fn from(failure: JobFailure) -> Self {
        Self::Failed(failure)
    }
}

/// A receiver of a run's signals, which can stop the run by returning `Break`. Any thread of the run calls it, many
/// times a second, so that calls must be fast.
pub trait Observer: Sync {
    /// Receives `signal` and decides whether the run continues. `Break` stops the run at the end of the current tile (a
    /// block of cells that is computed at a time).
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()>;
}

/// An observer that ignores all signals and never stops the run.
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The handle of a job in progress. All threads of the task share it, to report progress and to learn whether the run
/// was stopped.
pub struct Run<'a> {
    observer: &'a dyn Observer,
    done_cells: AtomicU64,
    total: AtomicU64,
    held_bytes: AtomicU64,
    peak: AtomicU64,
}

impl<'a> Run<'a> {
    /// Creates a run that has computed nothing yet and reports to `observer`.
    pub fn new(observer: &'a dyn Observer) -> Self {
        Self { observer, done_cells: 0.into(), total: 0.into(), held_bytes: 0.into(), peak: 0.into() }
    }

    /// Raises the number of cells that the run expects to compute by `cells`.
    pub fn raise_expected(&self, cells: u64) {
        self.total.fetch_add(cells, Relaxed);
    }

    /// Lowers the number of cells that the run expects to compute by `cells`, for example because these cells can be
    /// skipped.
    pub fn reduce_expected(&self, cells: u64) {
        self.total.fetch_sub(cells, Relaxed);
    }

    /// Reports to the observer that `cells` more cells are computed. To be called once for each tile, a block of cells
    /// that is computed at a time.
    ///
    /// # Errors
    /// Returns `Halt::Stopped` if the observer stops the run. Callers must return this error immediately.
    pub fn tick(&self, cells: u64) -> Result<(), Halt> {
        let done = self.done_cells.fetch_add(cells, Relaxed) + cells;
        self.report(RunSignal::Progress { done, total: self.total.load(Relaxed).max(done) })
    }

    /// Reports to the observer that `stage` begins.
    ///
    /// # Errors
    /// Returns `Halt::Stopped` if the observer stops the run.
    pub fn stage(&self, stage: RunStage) -> Result<(), Halt> {
        self.report(RunSignal::Stage(stage))
    }

    /// Reports to the observer a part of the answer that is known before the end.
    ///
    /// # Errors
    /// Returns `Halt::Stopped` if the observer stops the run.
    pub fn partial(&self, partial: PartialAnswer) -> Result<(), Halt> {
        self.report(RunSignal::Partial(partial))
    }

    /// Adds `bytes` to the working memory in use, until [`release`](Self::release) is called for them.
    pub fn hold(&self, bytes: u64) {
        let held = self.held_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(held, Relaxed);
    }

    /// Subtracts `bytes` from the working memory in use, after an earlier call of [`hold`](Self::hold).
    pub fn release(&self, bytes: u64) {
        self.held_bytes.fetch_sub(bytes, Relaxed);
    }

    /// Returns the number of cells computed so far.
    pub fn cells(&self) -> u64 {
        self.done_cells.load(Relaxed)
    }

    /// Returns the maximum of the working memory in use, in bytes. The texts are not included.
    pub fn peak_bytes(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    fn report(&self, signal: RunSignal) -> Result<(), Halt> {
        match self.observer.on_signal(signal) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Stopped),
        }
    }
}
