//! A folder of files. A file is written under another name, brought to disk and renamed, so that under its own name it is always whole.
//!
//! - [`names`]: brings the names of files to the disk
//!
//! Bytes are counted before they are written, so that all writers together stay within the capacity.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::names::Names;
use super::{Files, Hash, NewFile, Opened, Room, Unfinished};
use crate::id::Id;
use crate::ports::clock::Clock;

mod names;

/// After so many bytes of a long file they are brought to the disk, so that another file, which waits for the disk, does not wait for all of them.
const SYNC_BYTES: u64 = 8 << 20;

/// Files in a folder of this machine.
#[derive(Clone, Debug)]
pub struct Folder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    files: PathBuf,
    unfinished: PathBuf,
    capacity: u64,
    clock: Arc<dyn Clock>,
    /// Bytes of all files, those that are being written too.
    held: AtomicU64,
    /// Held while a file gets its name and while old ones are removed: one must not happen inside the other. When each file was renewed by
    /// this process, in time that passes: the time of day, which the files carry, may be put forth.
    renewed: Mutex<HashMap<Hash, Duration>>,
    names: Names,
}

/// A file that is being written.
struct Writer {
    shared: Arc<Shared>,
    path: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
    /// Of them, those that may not be on the disk yet.
    unsynced: u64,
}

impl Folder {
    /// Opens the folder for `capacity` bytes, creates it if it is not there, and removes what an earlier process did not finish.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(folder: &Path, capacity: u64, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let (files, unfinished) = (folder.join("files"), folder.join("unfinished"));
        fs::create_dir_all(&files)?;
        fs::create_dir_all(&unfinished)?;
        let mut held = 0;
        for entry in fs::read_dir(&files)? {
            held += entry?.metadata()?.len();
        }
        for entry in fs::read_dir(&unfinished)? {
            fs::remove_file(entry?.path())?;
        }
        let (held, renewed) = (AtomicU64::new(held), Mutex::default());
        Ok(Self { shared: Arc::new(Shared { files, unfinished, capacity, clock, held, renewed, names: Names::default() }) })
    }
}

impl Files for Folder {
    fn create(&self) -> io::Result<Unfinished> {
        let path = self.shared.unfinished.join(Id::random().to_string());
        let file = File::create_new(&path)?;
        Ok(Box::new(Writer { shared: self.shared.clone(), path, file, hasher: blake3::Hasher::new(), bytes: 0, unsynced: 0 }))
    }

    fn bytes(&self, key: &Hash) -> io::Result<u64> {
        Ok(fs::metadata(self.shared.path(key))?.len())
    }

    fn range(&self, key: &Hash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.shared.path(key))?;
        let there = file.metadata()?.len().saturating_sub(from).min(len);
        let mut bytes = Vec::with_capacity(usize::try_from(there).map_err(|_| io::ErrorKind::OutOfMemory)?);
        if there > 0 {
            file.seek(SeekFrom::Start(from))?;
            file.take(there).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    fn open(&self, key: &Hash) -> io::Result<Opened> {
        let file = File::open(self.shared.path(key))?;
        Ok(Opened { bytes: file.metadata()?.len(), content: Box::new(file) })
    }

    fn renew(&self, key: &Hash) -> io::Result<bool> {
        self.shared.renew(key, &mut self.shared.renewed())
    }

    fn remove_old(&self, key: &Hash, grace: Duration) -> io::Result<bool> {
        let mut renewed = self.shared.renewed();
        let path = self.shared.path(key);
        let about = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            about => about?,
        };
        if !self.shared.is_old(key, &about, grace, &renewed)? {
            return Ok(false);
        }
        fs::remove_file(path)?;
        renewed.remove(key);
        self.shared.held.fetch_sub(about.len(), Relaxed);
        Ok(true)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<Hash>> {
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.shared.files)? {
            let entry = entry?;
            let Some(key) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if self.shared.is_old(&key, &entry.metadata()?, grace, &self.shared.renewed())? {
                old.push(key);
            }
        }
        Ok(old)
    }

    fn room(&self) -> Room {
        Room { held: self.shared.held.load(Relaxed), capacity: self.shared.capacity }
    }
}

impl Shared {
    fn path(&self, key: &Hash) -> PathBuf {
        self.files.join(key.to_string())
    }

    fn renewed(&self) -> MutexGuard<'_, HashMap<Hash, Duration>> {
        // Each change is one insertion or removal.
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn renew(&self, key: &Hash, renewed: &mut HashMap<Hash, Duration>) -> io::Result<bool> {
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

    /// Whether nobody has asked for the file within `grace`, by either way of telling the time.
    fn is_old(&self, key: &Hash, about: &fs::Metadata, grace: Duration, renewed: &HashMap<Hash, Duration>) -> io::Result<bool> {
        let by_day = self.clock.now().duration_since(about.modified()?).unwrap_or_default();
        let passed = renewed.get(key).map(|at| self.clock.elapsed().saturating_sub(*at));
        Ok(by_day > grace && passed.is_none_or(|passed| passed > grace))
    }
}

impl NewFile for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = bytes.len() as u64;
        if self.shared.held.fetch_add(more, Relaxed) + more > self.shared.capacity {
            self.shared.held.fetch_sub(more, Relaxed);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes += more;
        self.unsynced += more;
        self.hasher.update(bytes);
        self.file.write_all(bytes)?;
        if self.unsynced >= SYNC_BYTES {
            self.file.sync_data()?;
            self.unsynced = 0;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<Hash> {
        let key = Hash::from(self.hasher.finalize());
        if self.shared.renew(&key, &mut self.shared.renewed())? {
            // Its name may have been given a moment ago.
            self.shared.names.sync(&self.shared.files)?;
            return Ok(key);
        }
        self.file.set_modified(self.shared.clock.now())?;
        self.file.sync_all()?;
        let shared = self.shared.clone();
        let mut renewed = shared.renewed();
        // Somebody else may have finished the same content meanwhile.
        if !shared.renew(&key, &mut renewed)? {
            fs::rename(&self.path, shared.path(&key))?;
            shared.names.gave();
            renewed.insert(key, shared.clock.elapsed());
            // Its bytes count on, as those of the file.
            self.bytes = 0;
        }
        drop(renewed);
        shared.names.sync(&shared.files)?;
        Ok(key)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.held.fetch_sub(self.bytes, Relaxed);
        // After `finish` has renamed the file there is nothing to remove, and that is fine.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::ManualClock;
    use crate::ports::files::conformance;

    #[test]
    fn a_folder_keeps_files() {
        conformance::check(|capacity, clock| {
            let folder = tempfile::tempdir().unwrap();
            (Folder::open(folder.path(), capacity, clock).unwrap(), folder)
        });
    }

    #[test]
    fn what_is_there_counts_at_the_next_start_and_what_was_not_finished_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Folder::open(folder.path(), 1000, Arc::new(ManualClock::default())).unwrap();
        open().put(&[1; 999]).unwrap();
        fs::write(folder.path().join("unfinished/of-a-killed-process"), b"kit").unwrap();
        let files = open();
        assert_eq!(files.room(), Room { held: 999, capacity: 1000 });
        assert_eq!(files.put(&[2; 2]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(&files.shared.unfinished).unwrap().count(), 0);
    }
}
