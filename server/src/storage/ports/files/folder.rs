//! Files in a local folder ([`FolderFiles`]). A file is written under a temporary name, flushed to disk and renamed, so
//! that it is complete under its final name.
//!
//! - [`folder_sync`]: flushing of file names to disk
//!
//! Bytes are counted before they are written, so that all writers together stay within the capacity.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;

use self::folder_sync::FolderSync;
use super::quota::{Quota, Reservation};
use super::{BoxedFileWriter, ContentHash, FileStore, FileWriter, ReadableFile, StorageUsage, probe_unfinished};
use crate::id::Id;
use crate::storage::ports::clock::Clock;

mod folder_sync;

/// Number of bytes after which a long file is flushed while it is written. Otherwise, the flush of another file could
/// have to wait until the disk has written the whole long file.
const SYNC_BYTES: u64 = 2 << 20;

/// A file store in a local folder.
#[derive(Clone, Debug)]
pub struct FolderFiles {
    shared: Arc<FolderState>,
}

#[derive(Debug)]
struct FolderState {
    files: PathBuf,
    unfinished: PathBuf,
    clock: Arc<dyn Clock>,
    quota: Arc<Quota>,
    /// Monotonic time at which this process last renewed each file. The modification times of files are times of day,
    /// which may be set forward.
    ///
    /// The lock of this map is held while a file is renamed and while an old file is removed, because a renaming and a
    /// removal must not overlap.
    renewal_times: Mutex<HashMap<ContentHash, Duration>>,
    names: FolderSync,
}

/// A file of [`FolderFiles`] that is being written.
struct FolderWriter {
    shared: Arc<FolderState>,
    /// Temporary path of the file.
    path: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    reserved: Reservation,
    /// Number of bytes written since the last flush to disk.
    unsynced: u64,
}

impl FolderFiles {
    /// Opens the store in `folder`, which may have `capacity` bytes and is created if it is missing. Removes unfinished
    /// files of an earlier process.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or read.
    pub fn open(folder: &Path, capacity: u64, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let (files, unfinished) = (folder.join("files"), folder.join("unfinished"));
        fs::create_dir_all(&files)?;
        fs::create_dir_all(&unfinished)?;
        let mut bytes = 0;
        for entry in fs::read_dir(&files)? {
            bytes += entry?.metadata()?.len();
        }
        for entry in fs::read_dir(&unfinished)? {
            fs::remove_file(entry?.path())?;
        }
        let (held, renewed, names) = (Arc::new(Quota::new(capacity)), Mutex::default(), FolderSync::default());
        held.count(0, bytes);
        Ok(Self { shared: Arc::new(FolderState { files, unfinished, clock, quota: held, renewal_times: renewed, names }) })
    }
}

impl FileStore for FolderFiles {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        let path = self.shared.unfinished.join(Id::random().to_string());
        let (shared, file, reserved) = (self.shared.clone(), File::create_new(&path)?, Reservation::none(&self.shared.quota));
        Ok(Box::new(FolderWriter { shared, path, file, hasher: blake3::Hasher::new(), reserved, unsynced: 0 }))
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        Ok(fs::metadata(self.shared.path(key))?.len())
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.shared.path(key))?;
        let there = file.metadata()?.len().saturating_sub(from).min(len);
        let mut bytes = Vec::with_capacity(usize::try_from(there).map_err(|_| io::ErrorKind::OutOfMemory)?);
        if there > 0 {
            file.seek(SeekFrom::Start(from))?;
            file.take(there).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        let file = File::open(self.shared.path(key))?;
        Ok(ReadableFile { bytes: file.metadata()?.len(), content: Box::new(file) })
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        self.shared.renew_file(key, &mut self.shared.lock_renewal_times())
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        let mut renewed = self.shared.lock_renewal_times();
        let path = self.shared.path(key);
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            about => {
                let about = about?;
                if !self.shared.is_old(key, about.modified()?, grace, &renewed) {
                    return Ok(false);
                }
                fs::remove_file(path)?;
                self.shared.quota.subtract_removed(about.len());
            }
        }
        renewed.remove(key);
        Ok(true)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.shared.files)? {
            let entry = entry?;
            let Some(key) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if self.shared.is_old(&key, entry.metadata()?.modified()?, grace, &self.shared.lock_renewal_times()) {
                old.push(key);
            }
        }
        Ok(old)
    }

    fn usage(&self) -> StorageUsage {
        self.shared.quota.usage()
    }

    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(probe_unfinished(self))
    }
}

impl FolderState {
    fn path(&self, key: &ContentHash) -> PathBuf {
        self.files.join(key.to_string())
    }

    fn lock_renewal_times(&self) -> MutexGuard<'_, HashMap<ContentHash, Duration>> {
        // A poisoned lock is usable, because each change is a single insertion or removal.
        self.renewal_times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn renew_file(&self, key: &ContentHash, renewed: &mut HashMap<ContentHash, Duration>) -> io::Result<bool> {
        match File::options().append(true).open(self.path(key)) {
            Ok(file) => {
                file.set_modified(self.clock.now())?;
                renewed.insert(*key, self.clock.elapsed());
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns whether more than `grace` has passed since the file `key` was written or renewed, both by the time of
    /// day and by monotonic time. `written` is its modification time, and `renewed` has the monotonic times of
    /// renewals.
    fn is_old(&self, key: &ContentHash, written: SystemTime, grace: Duration, renewed: &HashMap<ContentHash, Duration>) -> bool {
        self.clock.now().duration_since(written).unwrap_or_default() > grace
            && renewed.get(key).is_none_or(|at| self.clock.elapsed().saturating_sub(*at) > grace)
    }
}

impl FileWriter for FolderWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = bytes.len() as u64;
        self.reserved.add(more)?;
        self.hasher.update(bytes);
        self.file.write_all(bytes)?;
        self.unsynced += more;
        if self.unsynced >= SYNC_BYTES {
            self.file.sync_data()?;
            self.unsynced = 0;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<ContentHash> {
        let (key, shared) = (ContentHash::from(self.hasher.finalize()), self.shared.clone());
        if shared.renew_file(&key, &mut shared.lock_renewal_times())? {
            // Another writer may have renamed the file a moment ago, and not yet flushed its name to disk.
            shared.names.sync(&shared.files)?;
            return Ok(key);
        }
        self.file.set_modified(shared.clock.now())?;
        self.file.sync_all()?;
        let mut renewed = shared.lock_renewal_times();
        // Another writer may have finished the same content meanwhile.
        if !shared.renew_file(&key, &mut renewed)? {
            fs::rename(&self.path, shared.path(&key))?;
            shared.names.note_rename();
            renewed.insert(key, shared.clock.elapsed());
            self.reserved.commit();
        }
        drop(renewed);
        shared.names.sync(&shared.files)?;
        Ok(key)
    }
}

impl Drop for FolderWriter {
    fn drop(&mut self) {
        // After `finish` has renamed the file, this fails, because there is nothing to remove.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::ports::clock::ManualClock;
    use crate::storage::ports::files::conformance;

    #[test]
    fn folder_conforms() {
        conformance::check(|capacity, clock| {
            let folder = tempfile::tempdir().unwrap();
            (FolderFiles::open(folder.path(), capacity, clock).unwrap(), folder)
        });
    }

    #[test]
    fn restart_counts_stored_files_and_removes_unfinished_ones() {
        let folder = tempfile::tempdir().unwrap();
        let open = || FolderFiles::open(folder.path(), 1000, Arc::new(ManualClock::default())).unwrap();
        open().put(&[1; 999]).unwrap();
        fs::write(folder.path().join("unfinished/of-a-killed-process"), b"kit").unwrap();
        let files = open();
        assert_eq!(files.usage(), StorageUsage { used_bytes: 999, capacity: 1000 });
        assert_eq!(files.put(&[2; 2]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(&files.shared.unfinished).unwrap().count(), 0);
        assert_eq!(fs::read_dir(&files.shared.files).unwrap().count(), 1);
    }
}
