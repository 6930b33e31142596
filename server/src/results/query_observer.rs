//! Asked: an observer (`QueryObserver`) that stops the computation of a query if no caller waits for its result or if
//! it takes too long.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Instant;

use kernels::event::RunSignal;
use kernels::run::Observer;

/// The handle that a caller holds while it waits for the result of a query. Dropping it stops the computation.
pub(super) struct QueryGuard(#[expect(dead_code, reason = "that it is there says all")] Arc<()>);

/// The observer of a query's computation. It stops the computation when its [`QueryGuard`] was dropped or its time
/// limit has passed.
pub(super) struct QueryObserver {
    asker: Weak<()>,
    deadline: Instant,
}

impl QueryObserver {
    /// Creates the handle of a waiting caller, and the observer of its computation. The observer stops the computation
    /// at the time `until`, or earlier when the handle is dropped.
    pub(super) fn with_deadline(until: Instant) -> (QueryGuard, Self) {
        let asker = Arc::new(());
        let asked = Self { asker: Arc::downgrade(&asker), deadline: until };
        (QueryGuard(asker), asked)
    }

    /// Returns whether the time limit of the computation has passed.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

impl Observer for QueryObserver {
    fn on_signal(&self, _: RunSignal) -> ControlFlow<()> {
        if self.asker.strong_count() > 0 && !self.is_late() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
