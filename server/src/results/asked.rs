//! Asked: an observer that has a run stopped when nobody waits for what it makes.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};

use kernels::event::Signal;
use kernels::run::Observer;

/// Held by whoever asks, who may be dropped at any time.
pub(super) struct Asker(#[expect(dead_code, reason = "that it is there says all")] Arc<()>);

/// Breaks when the asker is gone.
pub(super) struct Asked(Weak<()>);

impl Asked {
    /// An asker, and the observer of its run.
    pub(super) fn new() -> (Asker, Self) {
        let asker = Arc::new(());
        let asked = Self(Arc::downgrade(&asker));
        (Asker(asker), asked)
    }
}

impl Observer for Asked {
    fn on_signal(&self, _: Signal) -> ControlFlow<()> {
        if self.0.strong_count() > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
