//! Rest: a large run leaves the cores while many brief jobs are at hand.
//!
//! That its threads have the lowest priority (`priority::give_way`) is not enough for many jobs that come at the same moment: Linux counts a thread that gives way as one
//! that runs when it spreads threads over cores, so that two threads that answer requests stay together on one core while a large run
//! has the other. What sleeps leaves a core that others are moved to at once.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest rest at a time.
const LONGEST: Duration = Duration::from_millis(50);

/// How many brief jobs are at hand whose senders wait: taken, and not answered.
#[derive(Clone, Debug)]
pub(super) struct AtHand(Arc<Counted>);

#[derive(Debug)]
struct Counted {
    count: AtomicUsize,
    /// More than so many are many: each core is busy with one.
    few: usize,
    /// Told when no more than a few are at hand.
    turn: Mutex<()>,
    told: Condvar,
}

impl Default for AtHand {
    fn default() -> Self {
        Self::of(thread::available_parallelism().map_or(1, usize::from))
    }
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Brief(AtHand);

impl AtHand {
    fn of(few: usize) -> Self {
        Self(Arc::new(Counted { count: AtomicUsize::new(0), few, turn: Mutex::default(), told: Condvar::new() }))
    }

    /// Another one is.
    pub(super) fn one_more(&self) -> Brief {
        self.0.count.fetch_add(1, Relaxed);
        Brief(self.clone())
    }

    fn are_many(&self) -> bool {
        self.0.count.load(Relaxed) > self.0.few
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        // Nothing is under it: it orders who looks and who tells.
        self.0.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Brief {
    fn drop(&mut self) {
        if self.0.0.count.fetch_sub(1, Relaxed) == self.0.0.few + 1 {
            drop(self.0.turn());
            self.0.0.told.notify_all();
        }
    }
}

/// When a run rests. Its threads ask each at its ticks.
#[derive(Debug)]
pub(super) struct Rest {
    at_hand: AtHand,
    /// It goes on until then: after a rest it works for as long as it has rested, however many jobs come.
    until: Mutex<Option<Instant>>,
}

impl Rest {
    /// For a run beside these jobs.
    pub(super) fn beside(at_hand: &AtHand) -> Self {
        Self { at_hand: at_hand.clone(), until: Mutex::default() }
    }

    /// Returns at once, or when few jobs are at hand, or after 50 ms.
    pub(super) fn while_many(&self) {
        if !self.at_hand.are_many() || self.until().is_some_and(|until| Instant::now() < until) {
            return;
        }
        let begin = Instant::now();
        // It sleeps through: one that looked every millisecond would keep a core that Linux takes for busy, and moves nobody to.
        let told = self.at_hand.0.told.wait_timeout_while(self.at_hand.turn(), LONGEST, |()| self.at_hand.are_many());
        drop(told.unwrap_or_else(PoisonError::into_inner));
        let end = Instant::now();
        *self.until() = Some(end + (end - begin));
    }

    fn until(&self) -> MutexGuard<'_, Option<Instant>> {
        // One value is written.
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(rest: &Rest) -> Duration {
        let begin = Instant::now();
        rest.while_many();
        begin.elapsed()
    }

    #[test]
    fn a_run_rests_while_many_jobs_are_at_hand_and_works_as_long_as_it_has_rested() {
        let at_hand = AtHand::of(2);
        let rest = Rest::beside(&at_hand);
        let few = [at_hand.one_more(), at_hand.one_more()];
        assert!(takes(&rest) < LONGEST / 6, "two cores have one each");
        let many = [at_hand.one_more(), at_hand.one_more()];
        let answered = thread::spawn(move || {
            thread::sleep(LONGEST / 5);
            drop(many);
        });
        assert!(takes(&rest) >= LONGEST / 6, "until they are answered");
        answered.join().unwrap();
        let many = [at_hand.one_more(), at_hand.one_more()];
        assert!(takes(&rest) < LONGEST / 6, "its turn");
        thread::sleep(LONGEST);
        assert!(takes(&rest) >= LONGEST, "for so long, and no longer");
        drop((few, many));
        thread::sleep(2 * LONGEST);
        assert!(takes(&rest) < LONGEST / 6);
    }
}
