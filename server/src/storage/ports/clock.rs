//! Clock: the time of day, which may be set forward or back while the server runs, and the monotonic time since its
//! start. [`SystemClock`] is the clock of the machine, and [`ManualClock`] is for tests.
//!
//! The expiry of data that users see is a time of day. Durations are measured by monotonic time only.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// A source of the time of day and of monotonic time.
pub trait Clock: fmt::Debug + Send + Sync {
    fn now(&self) -> SystemTime;

    /// Returns the time since the clock was created. Never decreases.
    fn elapsed(&self) -> Duration;

    /// Returns the time of day in whole seconds since 1970, the unit of times in rows and in the API.
    fn seconds(&self) -> u64 {
        self.now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
    }
}

/// The clock of the operating system.
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

/// A clock for tests, whose time changes only by calls of its methods.
#[derive(Debug)]
pub struct ManualClock {
    time: Mutex<(SystemTime, Duration)>,
}

impl Default for ManualClock {
    /// Creates a clock whose time of day is the current time of the machine.
    fn default() -> Self {
        Self { time: Mutex::new((SystemTime::now(), Duration::ZERO)) }
    }
}

impl ManualClock {
    /// Advances the time of day and the monotonic time by `by`.
    pub fn advance(&self, by: Duration) {
        let mut time = self.time();
        time.0 += by;
        time.1 += by;
    }

    /// Sets the time of day forward by `by`, as an operator of the machine may. Monotonic time does not change.
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
