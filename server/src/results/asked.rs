//! Observer that stops a run if nobody waits for its result or if it takes too long.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Instant;

use kernels::event::RunSignal;
use kernels::run::Observer;

/// The handle of a caller that waits for a result. Dropping it stops the run.
pub(super) struct QueryGuard(#[expect(dead_code, reason = "that it is there says all")] Arc<()>);

/// The observer that stops a run once its [`QueryGuard`] is dropped or its time is over.
pub(super) struct QueryObserver {
    asker: Weak<()>,
    until: Instant,
}

impl QueryObserver {
    /// Creates the handle of a caller and the observer of its run. The observer stops the run at the time `until` at
    /// the latest.
    pub(super) fn until(until: Instant) -> (QueryGuard, Self) {
        let asker = Arc::new(());
        let asked = Self { asker: Arc::downgrade(&asker), until };
        (QueryGuard(asker), asked)
    }

    /// Returns whether the time limit of the run has passed.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Observer for QueryObserver {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.asker.strong_count() > 0 && !self.is_late() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
