//! A run inside of another, which only says how far it is: that of one record, or of the second strand.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::Signal;
use crate::run::{Observer, Run};

/// Passes on how far a run inside of another is, and nothing else: what it says of stages and hits is not said of the whole.
pub(super) struct ProgressOnly<'r, 'o> {
    run: &'r Run<'o>,
    done: AtomicU64,
}

impl<'r, 'o> ProgressOnly<'r, 'o> {
    /// For a run inside of this one.
    pub(super) fn of(run: &'r Run<'o>) -> Self {
        Self { run, done: AtomicU64::new(0) }
    }
}

impl Observer for ProgressOnly<'_, '_> {
    fn on_signal(&self, signal: Signal) -> ControlFlow<()> {
        let cells = match signal {
            Signal::Progress { done, .. } => done.saturating_sub(self.done.fetch_max(done, Relaxed)),
            Signal::Stage(_) | Signal::Partial(_) => 0,
        };
        // A tick of nothing asks whether the observer goes on.
        match self.run.tick(cells) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
