//! Threads for brief runs (`JobThreads`). A thread whose run has ended waits for the next run, because starting a
//! thread takes longer than many small jobs.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Time without a run after which a waiting thread ends.
const THREAD_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The pool of threads for brief runs. The threads do not belong to the async runtime, because its shutdown would wait
/// for an engine that does not stop.
#[derive(Clone, Debug, Default)]
pub(super) struct JobThreads(Arc<(Mutex<ThreadQueue>, Condvar)>);

type ThreadClosure = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct ThreadQueue {
    work: VecDeque<ThreadClosure>,
    /// Number of waiting threads, including threads that were woken and have not picked up their work yet.
    waiting: usize,
}

impl std::fmt::Debug for ThreadQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ThreadQueue").field("work", &self.work.len()).field("waiting", &self.waiting).finish()
    }
}

impl JobThreads {
    /// Runs `work` on a waiting thread, or else on a new thread called `name`. Returns before `work` has ended.
    ///
    /// # Errors
    /// Returns an error if no thread can be started. Then `work` is not run.
    pub(super) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut wanted = self.lock_queue();
        if wanted.waiting > wanted.work.len() {
            wanted.work.push_back(Box::new(work));
            self.0.1.notify_one();
            return Ok(());
        }
        drop(wanted);
        let threads = self.clone();
        let all = move || {
            work();
            while let Some(next) = threads.next() {
                next();
            }
        };
        thread::Builder::new().name(name.to_owned()).spawn(all).map(|_| ())
    }

    /// Waits on the calling thread for more work and returns it, or returns `None` after [`THREAD_IDLE_TIMEOUT`].
    fn next(&self) -> Option<ThreadClosure> {
        let mut wanted = self.lock_queue();
        wanted.waiting += 1;
        let is_idle = |wanted: &mut ThreadQueue| wanted.work.is_empty();
        let waited = self.0.1.wait_timeout_while(wanted, THREAD_IDLE_TIMEOUT, is_idle);
        wanted = waited.unwrap_or_else(PoisonError::into_inner).0;
        wanted.waiting -= 1;
        wanted.work.pop_front()
    }

    fn lock_queue(&self) -> MutexGuard<'_, ThreadQueue> {
        // Each change is one number or one push, so that the data is valid after a panic.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn idle_thread_is_reused_and_no_work_waits_for_a_busy_thread() {
        let (threads, (told, tells)) = (JobThreads::default(), mpsc::channel());
        let work = |threads: &JobThreads| {
            let told = told.clone();
            threads.start("run", move || told.send(thread::current().id()).unwrap()).unwrap();
        };
        work(&threads);
        let first = tells.recv_timeout(THREAD_IDLE_TIMEOUT).unwrap();
        while threads.lock_queue().waiting == 0 {
            thread::yield_now();
        }
        work(&threads);
        assert_eq!(tells.recv_timeout(THREAD_IDLE_TIMEOUT).unwrap(), first);
        // Each of these runs waits for all others, so that none may be given to a busy thread.
        let all = Arc::new(std::sync::Barrier::new(9));
        for _ in 0..8 {
            let all = all.clone();
            threads.start("run", move || _ = all.wait()).unwrap();
        }
        all.wait();
    }
}
