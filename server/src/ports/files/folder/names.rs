//! Names: a file has its name for good once its folder is on the disk. Everybody who waits for that at the same time waits for one
//! `fsync` of the folder, and nobody for one that changes nothing.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Names of a folder.
#[derive(Debug, Default)]
pub(super) struct Names {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Names that were given.
    given: u64,
    /// So many of them are on the disk.
    synced: u64,
    /// Whether somebody brings the folder to the disk.
    syncing: bool,
}

impl Names {
    /// A file got its name just now.
    pub(super) fn gave(&self) {
        self.state().given += 1;
    }

    /// Returns when every name that was given before is on the disk. Blocks.
    ///
    /// # Errors
    /// When the folder cannot be brought there.
    pub(super) fn sync(&self, folder: &Path) -> io::Result<()> {
        self.sync_by(|| File::open(folder)?.sync_all())
    }

    fn sync_by(&self, sync: impl Fn() -> io::Result<()>) -> io::Result<()> {
        let mut state = self.state();
        let own = state.given;
        while state.synced < own {
            if state.syncing {
                state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.syncing = true;
            let covered = state.given;
            drop(state);
            let synced = sync();
            state = self.state();
            state.syncing = false;
            self.ended.notify_all();
            synced?;
            state.synced = covered;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one number.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn those_who_wait_together_wait_for_one_sync() {
        let (names, syncs) = (Names::default(), AtomicUsize::new(0));
        let (begun, has_begun) = mpsc::channel();
        let (go, may_go) = mpsc::channel();
        let (begun, may_go) = (Mutex::new(begun), Mutex::new(may_go));
        let sync = || {
            syncs.fetch_add(1, Relaxed);
            begun.lock().unwrap().send(()).unwrap();
            may_go.lock().unwrap().recv().unwrap();
            Ok(())
        };
        names.gave();
        thread::scope(|scope| {
            scope.spawn(|| names.sync_by(sync).unwrap());
            has_begun.recv().unwrap();
            // Their names are younger than the sync that is under way, and may not be part of it.
            let late: Vec<_> = (0..8)
                .map(|_| {
                    names.gave();
                    scope.spawn(|| names.sync_by(sync).unwrap())
                })
                .collect();
            go.send(()).unwrap();
            has_begun.recv().unwrap();
            go.send(()).unwrap();
            late.into_iter().for_each(|one| one.join().unwrap());
        });
        assert_eq!(syncs.load(Relaxed), 2);
        names.sync_by(|| panic!("nothing has changed")).unwrap();
    }

    #[test]
    fn a_failure_is_told_to_those_who_wait_and_nothing_counts_as_synced() {
        let names = Names::default();
        names.gave();
        assert!(names.sync_by(|| Err(io::ErrorKind::StorageFull.into())).is_err());
        let syncs = AtomicUsize::new(0);
        names
            .sync_by(|| {
                syncs.fetch_add(1, Relaxed);
                Ok(())
            })
            .unwrap();
        assert_eq!(syncs.load(Relaxed), 1);
    }
}
