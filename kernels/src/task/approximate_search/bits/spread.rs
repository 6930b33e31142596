//! Parts of a work on all cores.

use crate::run::Halt;

/// What `work` makes of the parts, in their order, on at most so many threads, of which this one is the first. Each takes the next
/// part that is left.
///
/// # Errors
/// The first one of `work`; no thread begins a part after its own.
#[cfg(not(target_family = "wasm"))]
pub(super) fn spread<P: Sync, R: Send>(parts: &[P], threads: usize, work: impl Fn(&P) -> Result<R, Halt> + Sync) -> Result<Vec<R>, Halt> {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    let threads = threads.min(parts.len());
    if threads <= 1 {
        return parts.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || -> Result<Vec<(usize, R)>, Halt> {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(part) = parts.get(number) else { return Ok(done) };
            done.push((number, work(part)?));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut all = take();
        for other in others {
            let done = match other.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all = all.and_then(|mut all| {
                all.extend(done?);
                Ok(all)
            });
        }
        all
    })?;
    all.sort_unstable_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, made)| made).collect())
}

/// One after the other: there are no threads here.
#[cfg(target_family = "wasm")]
pub(super) fn spread<P, R>(parts: &[P], _threads: usize, work: impl Fn(&P) -> Result<R, Halt>) -> Result<Vec<R>, Halt> {
    parts.iter().map(work).collect()
}
