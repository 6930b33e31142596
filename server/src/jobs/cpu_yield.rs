//! Pauses of a large run while many brief jobs are pending: `PendingBriefJobs` counts these jobs, and `YieldState`
//! pauses a run.
//!
//! The threads of a large run have the lowest priority (`priority::lower_priority`), but a burst of brief jobs needs
//! more. When Linux spreads threads over cores, it counts a low-priority thread as running. So two threads that answer
//! requests would stay on one core while the large run has the other core. A sleeping thread leaves its core free, and
//! Linux moves another thread there immediately.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum duration of one pause of a large run.
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// The counter of pending brief jobs: jobs that were accepted and whose clients wait for the answer. Its clones share
/// the count.
#[derive(Clone, Debug)]
pub(super) struct PendingBriefJobs(Arc<BriefJobCounter>);

#[derive(Debug)]
struct BriefJobCounter {
    count: AtomicUsize,
    /// Number of cores. Large runs pause only while more brief jobs are pending, because up to this number each job has
    /// a core.
    max_without_pause: usize,
    /// Lock for waiting on `few_pending`, which is notified when the number of pending jobs falls to
    /// `max_without_pause`.
    turn: Mutex<()>,
    few_pending: Condvar,
}

impl Default for PendingBriefJobs {
    fn default() -> Self {
        Self::of(thread::available_parallelism().map_or(1, usize::from))
    }
}

/// A guard that keeps one brief job counted in [`PendingBriefJobs`] until the guard is dropped.
#[derive(Debug)]
pub(super) struct BriefJobGuard(PendingBriefJobs);

impl PendingBriefJobs {
    fn of(few: usize) -> Self {
        Self(Arc::new(BriefJobCounter {
            count: AtomicUsize::new(0),
            max_without_pause: few,
            turn: Mutex::default(),
            few_pending: Condvar::new(),
        }))
    }

    /// Counts one more pending brief job until the returned guard is dropped.
    pub(super) fn count_brief_job(&self) -> BriefJobGuard {
        self.0.count.fetch_add(1, Relaxed);
        BriefJobGuard(self.clone())
    }

    fn are_many(&self) -> bool {
        self.0.count.load(Relaxed) > self.0.max_without_pause
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        // Protects no data. It only orders waiting and notifying.
        self.0.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BriefJobGuard {
    fn drop(&mut self) {
        if self.0.0.count.fetch_sub(1, Relaxed) == self.0.0.max_without_pause + 1 {
            drop(self.0.turn());
            self.0.0.few_pending.notify_all();
        }
    }
}

/// The pause state of one large run. All threads of the run check it whenever they report progress, and pause together.
#[derive(Debug)]
pub(super) struct YieldState {
    pending_brief_jobs: PendingBriefJobs,
    /// Time before which the run may not pause again. After each pause the run works for as long as the pause took,
    /// however many brief jobs arrive.
    no_pause_until: Mutex<Option<Instant>>,
}

impl YieldState {
    /// Creates the pause state of a large run that pauses while many of the brief jobs counted by `at_hand` are
    /// pending.
    pub(super) fn new(at_hand: &PendingBriefJobs) -> Self {
        Self { pending_brief_jobs: at_hand.clone(), no_pause_until: Mutex::default() }
    }

    /// Pauses the calling thread while more brief jobs than cores are pending, for at most [`MAX_PAUSE`]. Does nothing
    /// if the run has paused too recently.
    pub(super) fn pause_while_many(&self) {
        if !self.pending_brief_jobs.are_many() || self.lock_no_pause_until().is_some_and(|until| Instant::now() < until) {
            return;
        }
        let begin = Instant::now();
        // Sleeps without polling, because Linux would count a thread that wakes every millisecond as busy.
        let told = self
            .pending_brief_jobs
            .0
            .few_pending
            .wait_timeout_while(self.pending_brief_jobs.turn(), MAX_PAUSE, |()| self.pending_brief_jobs.are_many());
        drop(told.unwrap_or_else(PoisonError::into_inner));
        let end = Instant::now();
        *self.lock_no_pause_until() = Some(end + (end - begin));
    }

    fn lock_no_pause_until(&self) -> MutexGuard<'_, Option<Instant>> {
        // Each write replaces the whole value, so that it is valid after a panic.
        self.no_pause_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(rest: &YieldState) -> Duration {
        let begin = Instant::now();
        rest.pause_while_many();
        begin.elapsed()
    }

    #[test]
    fn run_pauses_for_many_pending_jobs_and_then_works_for_an_equal_time() {
        let at_hand = PendingBriefJobs::of(2);
        let rest = YieldState::new(&at_hand);
        let few = [at_hand.count_brief_job(), at_hand.count_brief_job()];
        assert!(takes(&rest) < MAX_PAUSE / 6, "two jobs have a core each");
        let many = [at_hand.count_brief_job(), at_hand.count_brief_job()];
        let answered = thread::spawn(move || {
            thread::sleep(MAX_PAUSE / 5);
            drop(many);
        });
        assert!(takes(&rest) >= MAX_PAUSE / 6, "the run pauses until the jobs have ended");
        answered.join().unwrap();
        let many = [at_hand.count_brief_job(), at_hand.count_brief_job()];
        assert!(takes(&rest) < MAX_PAUSE / 6, "the run works after its pause");
        thread::sleep(MAX_PAUSE);
        assert!(takes(&rest) >= MAX_PAUSE, "the run pauses again after its turn");
        drop((few, many));
        thread::sleep(2 * MAX_PAUSE);
        assert!(takes(&rest) < MAX_PAUSE / 6);
    }
}
