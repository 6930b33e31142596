//! Clock: the time of day, which may be set back or forth while the server runs, and the time since it began, which only grows.
//!
//! What is promised to people ends at a time of day. How long something has just taken is told by the other one alone.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Tells the time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time of day.
    fn now(&self) -> SystemTime;

    /// How long it is ago that the clock was made. Never less than the time before.
    fn elapsed(&self) -> Duration;

    /// The time of day in whole seconds since 1970, as in rows and on the wire.
    fn seconds(&self) -> u64 {
        self.now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
    }
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    made: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { made: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn elapsed(&self) -> Duration {
        self.made.elapsed()
    }
}

/// A clock that stands still until it is moved, for tests.
#[derive(Debug)]
pub struct ManualClock {
    time: Mutex<(SystemTime, Duration)>,
}

impl Default for ManualClock {
    /// It begins with the time of day.
    fn default() -> Self {
        Self { time: Mutex::new((SystemTime::now(), Duration::ZERO)) }
    }
}

impl ManualClock {
    /// Lets so much time pass.
    pub fn advance(&self, by: Duration) {
        let mut time = self.time();
        time.0 += by;
        time.1 += by;
    }

    /// Puts the time of day forth by so much, as an operator does: no time passes.
    pub fn put_forth(&self, by: Duration) {
        self.time().0 += by;
    }

    fn time(&self) -> MutexGuard<'_, (SystemTime, Duration)> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        self.time().0
    }

    fn elapsed(&self) -> Duration {
        self.time().1
    }
}
