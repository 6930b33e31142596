//! Observer of an inner run, such as the run for one record or for the second strand, that only forwards progress.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::RunSignal;
use crate::run::{Observer, Run};

/// An observer of an inner run that forwards its progress to the outer run. Ignores stages and hits, because they do
/// not describe the whole job.
pub(crate) struct ProgressObserver<'r, 'o> {
    run: &'r Run<'o>,
    done: AtomicU64,
}

impl<'r, 'o> ProgressObserver<'r, 'o> {
    /// Creates the observer of a run inside `run`.
    pub(crate) fn of(run: &'r Run<'o>) -> Self {
        Self { run, done: AtomicU64::new(0) }
    }
}

impl Observer for ProgressObserver<'_, '_> {
    fn on_signal(&self, signal: RunSignal) -> ControlFlow<()> {
        let cells = match signal {
            RunSignal::Progress { done, .. } => done.saturating_sub(self.done.fetch_max(done, Relaxed)),
            RunSignal::Stage(_) | RunSignal::Partial(_) => 0,
        };
        // A tick of 0 cells only checks for a stop.
        match self.run.tick(cells) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
