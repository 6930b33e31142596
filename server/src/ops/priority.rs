//! Priority of threads: large jobs run at a low priority, so that they leave the cores to requests and brief jobs.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

#[cfg(target_os = "linux")]
use thread_priority::{
    NormalThreadSchedulePolicy::Idle, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};

#[cfg(target_os = "linux")]
const IDLE_POLICY: ThreadSchedulePolicy = ThreadSchedulePolicy::Normal(Idle);

/// Lowers the priority of the current thread below that of all others. Threads that it starts afterwards inherit the
/// low priority. Thus requests and brief jobs are answered quickly while a large job uses every core.
///
/// The Linux policy `SCHED_IDLE` takes the core from a thread as soon as another thread needs it. A thread with a high
/// nice value would first finish its time slice. On other systems, this function does nothing.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, IDLE_POLICY) {
        tracing::debug!("priority of a thread cannot be lowered: {cause:?}");
    }
}

/// Runs `work` on a new thread of low priority (see [`lower_priority`]), and blocks until it has ended. If no thread
/// can be started, runs `work` on the current thread.
pub(crate) fn run_at_low_priority<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let work = Mutex::new(Some(work));
    let do_it = || work.lock().unwrap_or_else(PoisonError::into_inner).take().map(|work| work());
    thread::scope(|scope| {
        let started = thread::Builder::new().name("aside".into()).spawn_scoped(scope, || {
            lower_priority();
            do_it()
        });
        let done = started.ok().map_or_else(&do_it, |thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.expect("it is done once")
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use thread_priority::thread_schedule_policy;

    use super::*;

    #[test]
    fn low_priority_applies_to_a_thread_and_its_children_only() {
        let now = || thread_schedule_policy().unwrap();
        let before = now();
        let of_both = thread::spawn(move || {
            lower_priority();
            let started = thread::spawn(now).join().unwrap();
            [now(), started]
        });
        assert_eq!(of_both.join().unwrap(), [IDLE_POLICY; 2]);
        assert_eq!(run_at_low_priority(now), IDLE_POLICY);
        assert_eq!(now(), before);
        assert_ne!(before, IDLE_POLICY);
    }
}
