//! Fetches: concurrent fetches of one content are merged (`PendingFetches`). The first caller fetches the content for
//! all others.
//!
//! [`cache`](crate::cache) does the same for cached values. This module caches nothing: a single caller gets the bytes
//! themselves, whereas a cache would hold them longer and return a copy of up to hundreds of megabytes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::storage::ports::files::ContentHash;

/// The contents that are being fetched, each by one caller for all others that want it.
#[derive(Debug, Default)]
pub(super) struct PendingFetches {
    pending: Mutex<HashMap<ContentHash, Arc<PendingFetch>>>,
}

/// A fetch in progress, with its result for the callers that wait for it.
#[derive(Debug, Default)]
struct PendingFetch {
    outcome: Mutex<Option<FetchOutcome>>,
    changed: Condvar,
}

#[derive(Clone, Debug)]
enum FetchOutcome {
    Fetched(Arc<Vec<u8>>),
    Failed(io::ErrorKind, String),
}

/// The role of the caller that performs a fetch for all others. When it is dropped, even after a panic, all waiting
/// callers continue.
struct FetchLeader<'a> {
    fetches: &'a PendingFetches,
    key: ContentHash,
    own: Arc<PendingFetch>,
    has_ended: bool,
}

impl PendingFetches {
    /// Returns the result of `fetch` for the content `key`, or of another caller's concurrent fetch of the same
    /// content. Blocks.
    ///
    /// # Errors
    /// Returns the error of `fetch` to every waiting caller.
    pub(super) fn once(&self, key: &ContentHash, fetch: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        let fetcher = match self.lock_pending().entry(*key) {
            Entry::Occupied(other) => Err(other.get().clone()),
            Entry::Vacant(place) => {
                Ok(FetchLeader { fetches: self, key: *key, own: place.insert(Arc::default()).clone(), has_ended: false })
            }
        };
        match fetcher {
            Ok(fetcher) => fetcher.end(fetch()),
            Err(other) => other.wait(),
        }
    }

    fn lock_pending(&self) -> MutexGuard<'_, HashMap<ContentHash, Arc<PendingFetch>>> {
        // A poisoned lock is usable, because each change is a single insertion or removal.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingFetch {
    fn lock_outcome(&self) -> MutexGuard<'_, Option<FetchOutcome>> {
        // A poisoned lock is usable, because the result is written once.
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) -> io::Result<Vec<u8>> {
        let mut ended = self.lock_outcome();
        loop {
            match &*ended {
                Some(FetchOutcome::Fetched(content)) => {
                    let content = content.clone();
                    drop(ended);
                    return Ok(Arc::unwrap_or_clone(content));
                }
                Some(FetchOutcome::Failed(kind, cause)) => return Err(io::Error::new(*kind, cause.clone())),
                None => ended = self.changed.wait(ended).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl FetchLeader<'_> {
    /// Removes the fetch from the pending ones, so that no other caller begins to wait for it. Returns whether a caller
    /// is waiting.
    fn close(&mut self) -> bool {
        self.has_ended = true;
        self.fetches.lock_pending().remove(&self.key);
        Arc::strong_count(&self.own) > 1
    }

    fn send_outcome(&self, ended: FetchOutcome) {
        *self.own.lock_outcome() = Some(ended);
        self.own.changed.notify_all();
    }

    fn end(mut self, fetched: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        if !self.close() {
            return fetched;
        }
        match fetched {
            Ok(content) => {
                let content = Arc::new(content);
                self.send_outcome(FetchOutcome::Fetched(content.clone()));
                drop(self);
                Ok(Arc::unwrap_or_clone(content))
            }
            Err(cause) => {
                self.send_outcome(FetchOutcome::Failed(cause.kind(), cause.to_string()));
                Err(cause)
            }
        }
    }
}

impl Drop for FetchLeader<'_> {
    fn drop(&mut self) {
        if !self.has_ended && self.close() {
            self.send_outcome(FetchOutcome::Failed(io::ErrorKind::Other, "whoever fetched it has panicked".into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::thread::{scope, sleep};
    use std::time::Duration;

    use super::*;

    /// Returns the results of four concurrent callers, with the number of fetches.
    fn four(fetches: &PendingFetches, fetch: impl Fn() -> io::Result<Vec<u8>> + Sync) -> (u32, Vec<io::Result<Vec<u8>>>) {
        let (key, barrier, fetched) = (ContentHash::from_content(b"kitten"), Barrier::new(4), AtomicU32::new(0));
        let ask = || {
            barrier.wait();
            let asked = catch_unwind(AssertUnwindSafe(|| {
                fetches.once(&key, || {
                    fetched.fetch_add(1, SeqCst);
                    sleep(Duration::from_millis(200));
                    fetch()
                })
            }));
            asked.unwrap_or_else(|_| Err(io::ErrorKind::Interrupted.into()))
        };
        let got = scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(fetches.lock_pending().is_empty());
        (fetched.into_inner(), got)
    }

    #[test]
    fn concurrent_callers_share_one_fetch() {
        let fetches = PendingFetches::default();
        let (fetched, got) = four(&fetches, || Ok(b"kitten".to_vec()));
        assert!(fetched == 1 && got.iter().all(|got| got.as_ref().is_ok_and(|content| content == b"kitten")), "{fetched} {got:?}");
        let (fetched, got) = four(&fetches, || Err(io::ErrorKind::NotFound.into()));
        assert!(fetched == 1 && got.iter().all(|got| got.as_ref().is_err_and(|cause| cause.kind() == io::ErrorKind::NotFound)));
        let (fetched, got) = four(&fetches, || panic!("intended panic of a test"));
        let waited = got.iter().filter(|got| got.as_ref().is_err_and(|cause| cause.kind() == io::ErrorKind::Other)).count();
        assert_eq!((fetched, waited), (1, 3), "{got:?}");
    }
}
