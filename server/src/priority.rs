//! Priority: which threads give way where more of them want a core than there are.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Of 0 to 19: a thread at 0 gets seventy times as much of a core as one at this.
#[cfg(target_os = "linux")]
const GIVES_WAY: i32 = 19;

/// The calling thread, and those that it starts from now on, give way to all others: requests and brief jobs are answered beside a job of
/// minutes that takes every core. Linux knows a priority of each thread; elsewhere nothing changes.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = rustix::process::setpriority_process(None, GIVES_WAY) {
        tracing::debug!("the priority of a thread stays as it is: {cause}");
    }
}

/// Does `work` on a thread of its own that [gives way](give_way). Blocks until it is done; where no thread can be had, this one does it.
pub(crate) fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let work = Mutex::new(Some(work));
    let do_it = || work.lock().unwrap_or_else(PoisonError::into_inner).take().map(|work| work());
    thread::scope(|scope| {
        let started = thread::Builder::new().name("aside".into()).spawn_scoped(scope, || {
            give_way();
            do_it()
        });
        let done = started.ok().map_or_else(&do_it, |thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.expect("it is done once")
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn a_thread_and_those_it_starts_give_way_and_no_other() {
        let before = getpriority_process(None).unwrap();
        let of_both = thread::spawn(|| {
            give_way();
            let started = thread::spawn(|| getpriority_process(None).unwrap()).join().unwrap();
            [getpriority_process(None).unwrap(), started]
        });
        assert_eq!(of_both.join().unwrap(), [GIVES_WAY; 2]);
        assert_eq!(aside(|| getpriority_process(None).unwrap()), GIVES_WAY);
        assert_eq!(getpriority_process(None).unwrap(), before);
    }
}
