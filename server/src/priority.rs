//! Priority: which threads give way where more of them want a core than there are.

/// Of 0 to 19: a thread at 0 gets nine times as much of a core as one at this.
#[cfg(target_os = "linux")]
const GIVES_WAY: i32 = 10;

/// The calling thread, and those that it starts from now on, give way to all others: requests and brief jobs are answered beside a job of
/// minutes that takes every core. Linux knows a priority of each thread; elsewhere nothing changes.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = rustix::process::setpriority_process(None, GIVES_WAY) {
        tracing::debug!("the priority of a thread stays as it is: {cause}");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

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
        assert_eq!(getpriority_process(None).unwrap(), before);
    }
}
