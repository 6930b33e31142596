//! Names: a file name is durable only after its folder was flushed to disk (`FolderSync`). Concurrent callers share one
//! `fsync` of the folder, and no caller waits if no file was renamed.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The state of a folder on disk: how many files were renamed in it, and how many of these names were flushed.
#[derive(Debug, Default)]
pub(super) struct FolderSync {
    state: Mutex<FolderSyncState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct FolderSyncState {
    /// Number of renamed files so far.
    given: u64,
    /// Number of renamed files whose names were flushed to disk.
    synced: u64,
    /// Whether a thread is flushing the folder now.
    syncing: bool,
}

impl FolderSync {
    /// Records that a file of the folder was just renamed.
    pub(super) fn note_rename(&self) {
        self.state().given += 1;
    }

    /// Waits until the names of all files renamed before this call are on disk. Blocks.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be flushed.
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

    fn state(&self) -> MutexGuard<'_, FolderSyncState> {
        // A poisoned lock is usable, because each change is a single assignment.
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
    fn concurrent_callers_share_one_sync() {
        let (names, syncs) = (FolderSync::default(), AtomicUsize::new(0));
        let (begun, has_begun) = mpsc::channel();
        let (go, may_go) = mpsc::channel();
        let (begun, may_go) = (Mutex::new(begun), Mutex::new(may_go));
        let sync = || {
            syncs.fetch_add(1, Relaxed);
            begun.lock().unwrap().send(()).unwrap();
            may_go.lock().unwrap().recv().unwrap();
            Ok(())
        };
        names.note_rename();
        thread::scope(|scope| {
            scope.spawn(|| names.sync_by(sync).unwrap());
            has_begun.recv().unwrap();
            // These names were given after the current flush began, so it may not include them.
            let late: Vec<_> = (0..8)
                .map(|_| {
                    names.note_rename();
                    scope.spawn(|| names.sync_by(sync).unwrap())
                })
                .collect();
            go.send(()).unwrap();
            has_begun.recv().unwrap();
            go.send(()).unwrap();
            late.into_iter().for_each(|one| one.join().unwrap());
        });
        assert_eq!(syncs.load(Relaxed), 2);
        names.sync_by(|| panic!("an unchanged folder is not synced")).unwrap();
    }

    #[test]
    fn failed_sync_is_reported_to_all_waiting_callers() {
        let names = FolderSync::default();
        names.note_rename();
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
