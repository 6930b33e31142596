//! Asked: an observer that has a run stopped when nobody waits for what it makes, or when that takes too long.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Instant;

use kernels::event::Signal;
use kernels::run::Observer;

/// Held by whoever asks, who may be dropped at any time.
pub(super) struct Asker(#[expect(dead_code, reason = "that it is there says all")] Arc<()>);

/// Breaks when the asker is gone, or after its time.
pub(super) struct Asked {
    asker: Weak<()>,
    until: Instant,
}

impl Asked {
    /// An asker, and the observer of its run.
    pub(super) fn until(until: Instant) -> (Asker, Self) {
        let asker = Arc::new(());
        let asked = Self { asker: Arc::downgrade(&asker), until };
        (Asker(asker), asked)
    }

    /// Whether its time is over.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Observer for Asked {
    fn on_signal(&self, _: Signal) -> ControlFlow<()> {
        if self.asker.strong_count() > 0 && !self.is_late() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
