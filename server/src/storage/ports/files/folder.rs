//! Files in a local folder. A file is written under a temporary name, flushed to disk and renamed, so that it is
//! complete under its own name. Contents of up to [`MAX_SMALL_FILE_BYTES`] bytes are rows of a database instead.
//!
//! - [`names`]: flushing of file names to disk
//! - [`small`]: short contents
//!
//! Bytes are counted before they are written, so that all writers together stay within the capacity.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use self::names::FolderSync;
use self::small::{SmallFileTable, WriteCallback};
use super::{BoxedFileWriter, ContentHash, FileStore, FileWriter, ReadableFile, StorageUsage};
use crate::id::Id;
use crate::storage::ports::clock::Clock;

mod names;
mod small;

/// Number of bytes after which a long file is flushed while it is written. Otherwise, the flush of another file could
/// have to wait until the disk has written all of the long file.
const SYNC_BYTES: u64 = 2 << 20;

/// Maximum size in bytes of a content stored as a row. With its other columns, it fits into a page of the database.
const MAX_SMALL_FILE_BYTES: usize = 4000;

/// Files in a local folder.
#[derive(Clone, Debug)]
pub struct FolderFiles {
    shared: Arc<FolderState>,
}

#[derive(Debug)]
struct FolderState {
    files: PathBuf,
    unfinished: PathBuf,
    capacity: u64,
    clock: Arc<dyn Clock>,
    /// Bytes of all contents, including those being written.
    held: Arc<AtomicU64>,
    /// Monotonic time at which this process last renewed each file. The times of files are times of day, which may be
    /// set forward.
    ///
    /// The lock is held while a file is renamed and while an old file is removed, because one must not happen within
    /// the other.
    renewed: Mutex<HashMap<ContentHash, Duration>>,
    names: FolderSync,
    small: SmallFileTable,
    /// Maximum size in bytes of a content stored as a row: [`MAX_SMALL_FILE_BYTES`], except in tests.
    most_small: usize,
}

/// A content that is being written.
struct FolderWriter {
    shared: Arc<FolderState>,
    content: FolderWriteBuffer,
    hasher: blake3::Hasher,
    reserved: FolderReservation,
    /// Bytes written since the last flush to disk.
    unsynced: u64,
}

/// Capacity reserved for a content that is being written. Dropping it releases the bytes.
#[derive(Debug)]
struct FolderReservation {
    held: Arc<AtomicU64>,
    capacity: u64,
    bytes: u64,
}

/// The place of the bytes written so far.
enum FolderWriteBuffer {
    /// Memory, as long as the content is short enough for a row.
    Memory(Vec<u8>),
    /// A file under a temporary name.
    File(PathBuf, File),
}

impl FolderFiles {
    /// Opens the folder for `capacity` bytes and creates it if it is missing. Removes unfinished files of an earlier
    /// process.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or read.
    pub fn open(folder: &Path, capacity: u64, clock: Arc<dyn Clock>) -> io::Result<Self> {
        Self::open_with(folder, capacity, clock, MAX_SMALL_FILE_BYTES)
    }

    fn open_with(folder: &Path, capacity: u64, clock: Arc<dyn Clock>, most_small: usize) -> io::Result<Self> {
        let (files, unfinished) = (folder.join("files"), folder.join("unfinished"));
        fs::create_dir_all(&files)?;
        fs::create_dir_all(&unfinished)?;
        let small = SmallFileTable::open(&folder.join("files.sqlite"))?;
        let mut held = small.bytes_of_all()?;
        for entry in fs::read_dir(&files)? {
            held += entry?.metadata()?.len();
        }
        for entry in fs::read_dir(&unfinished)? {
            fs::remove_file(entry?.path())?;
        }
        let (held, renewed) = (Arc::new(AtomicU64::new(held)), Mutex::default());
        let names = FolderSync::default();
        Ok(Self { shared: Arc::new(FolderState { files, unfinished, capacity, clock, held, renewed, names, small, most_small }) })
    }
}

impl FileStore for FolderFiles {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        let (shared, content, reserved) = (self.shared.clone(), FolderWriteBuffer::Memory(Vec::new()), self.shared.reserved());
        Ok(Box::new(FolderWriter { shared, content, hasher: blake3::Hasher::new(), reserved, unsynced: 0 }))
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        match self.shared.small.size(key)? {
            Some(bytes) => Ok(bytes),
            None => Ok(fs::metadata(self.shared.path(key))?.len()),
        }
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        if let Some(content) = self.shared.small.content(key)? {
            let from = usize::try_from(from).unwrap_or(usize::MAX).min(content.len());
            let len = usize::try_from(len).unwrap_or(usize::MAX).min(content.len() - from);
            return Ok(content[from..from + len].to_vec());
        }
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
        if let Some(content) = self.shared.small.content(key)? {
            return Ok(ReadableFile { bytes: content.len() as u64, content: Box::new(io::Cursor::new(content)) });
        }
        let file = File::open(self.shared.path(key))?;
        Ok(ReadableFile { bytes: file.metadata()?.len(), content: Box::new(file) })
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        let mut renewed = self.shared.renewed();
        if self.shared.small.size(key)?.is_some() {
            renewed.insert(*key, self.shared.clock.elapsed());
            return Ok(true);
        }
        self.shared.renew_file(key, &mut renewed)
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        let mut renewed = self.shared.renewed();
        let small = self.shared.small.about(key)?;
        let path = self.shared.path(key);
        let file = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            about => Some(about?),
        };
        let written = [small.map(|(_, written)| at(written)), file.as_ref().map(fs::Metadata::modified).transpose()?];
        if !written.into_iter().flatten().all(|written| self.shared.is_old(key, written, grace, &renewed)) {
            return Ok(false);
        }
        if let Some((bytes, _)) = small {
            self.shared.small.remove(key)?;
            self.shared.held.fetch_sub(bytes, Relaxed);
        }
        if let Some(about) = file {
            fs::remove_file(path)?;
            self.shared.held.fetch_sub(about.len(), Relaxed);
        }
        renewed.remove(key);
        Ok(true)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        let before = self.shared.clock.now().checked_sub(grace).unwrap_or(UNIX_EPOCH);
        let mut old = self.shared.small.written_before(millis(before))?;
        old.retain(|key| self.shared.has_passed(key, grace, &self.shared.renewed()));
        for entry in fs::read_dir(&self.shared.files)? {
            let entry = entry?;
            let Some(key) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if self.shared.is_old(&key, entry.metadata()?.modified()?, grace, &self.shared.renewed()) {
                old.push(key);
            }
        }
        Ok(old)
    }

    fn room(&self) -> StorageUsage {
        StorageUsage { held: self.shared.held.load(Relaxed), capacity: self.shared.capacity }
    }

    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
        if contents.iter().any(|content| content.len() > self.shared.most_small) {
            return super::put_each(self, contents);
        }
        async move {
            let mut reserved = self.shared.reserved();
            reserved.add(contents.iter().map(|content| content.len() as u64).sum())?;
            let keys: Vec<ContentHash> = contents.iter().map(|content| ContentHash::of(content)).collect();
            let (done, stored) = oneshot::channel();
            // If the caller has gone, the result is discarded.
            let tell = Box::new(move |said| drop(done.send(said)));
            self.shared.put_small(keys.iter().copied().zip(contents).collect(), reserved, tell);
            stored.await.map_err(|_| small::closed())??;
            Ok(keys)
        }
        .boxed()
    }
}

impl FolderState {
    fn path(&self, key: &ContentHash) -> PathBuf {
        self.files.join(key.to_string())
    }

    fn renewed(&self) -> MutexGuard<'_, HashMap<ContentHash, Duration>> {
        // A poisoned lock is usable, because each change is a single insertion or removal.
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reserved(&self) -> FolderReservation {
        FolderReservation { held: self.held.clone(), capacity: self.capacity, bytes: 0 }
    }

    /// Queues short contents for writing, and lets `done` receive the result. They count as renewed from now on, so
    /// that none is removed before it is written.
    fn put_small(&self, contents: Vec<(ContentHash, Vec<u8>)>, reserved: FolderReservation, done: WriteCallback) {
        self.renewed().extend(contents.iter().map(|(key, _)| (*key, self.clock.elapsed())));
        self.small.put(contents, reserved, millis(self.clock.now()), done);
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

    /// Returns whether more than `grace` has passed since the file was written or renewed, both by the time of day and
    /// by monotonic time.
    fn is_old(&self, key: &ContentHash, written: SystemTime, grace: Duration, renewed: &HashMap<ContentHash, Duration>) -> bool {
        self.clock.now().duration_since(written).unwrap_or_default() > grace && self.has_passed(key, grace, renewed)
    }

    /// Returns whether more than `grace` has passed since this process renewed the file, by monotonic time.
    fn has_passed(&self, key: &ContentHash, grace: Duration, renewed: &HashMap<ContentHash, Duration>) -> bool {
        renewed.get(key).is_none_or(|at| self.clock.elapsed().saturating_sub(*at) > grace)
    }
}

/// Converts a time to milliseconds since 1970.
fn millis(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |passed| i64::try_from(passed.as_millis()).unwrap_or(i64::MAX))
}

/// Converts milliseconds since 1970 to a time.
fn at(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis.unsigned_abs())
}

impl FolderReservation {
    /// Reserves `bytes` more bytes of the capacity, or fails with `StorageFull`.
    fn add(&mut self, bytes: u64) -> io::Result<()> {
        if self.held.fetch_add(bytes, Relaxed) + bytes > self.capacity {
            self.held.fetch_sub(bytes, Relaxed);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Counts `bytes` of the reserved bytes as stored, so that dropping the reservation does not release them.
    fn keep(&mut self, bytes: u64) {
        self.bytes -= bytes;
    }
}

impl Drop for FolderReservation {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Relaxed);
    }
}

impl FileWriter for FolderWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = bytes.len() as u64;
        self.reserved.add(more)?;
        self.hasher.update(bytes);
        if let FolderWriteBuffer::Memory(content) = &mut self.content {
            content.extend_from_slice(bytes);
            if content.len() <= self.shared.most_small {
                return Ok(());
            }
            let content = std::mem::take(content);
            let path = self.shared.unfinished.join(Id::random().to_string());
            let file = File::create_new(&path)?;
            self.content = FolderWriteBuffer::File(path, file);
            return self.append(&content);
        }
        self.append(bytes)
    }

    fn finish(mut self: Box<Self>) -> io::Result<ContentHash> {
        let (key, shared) = (ContentHash::from(self.hasher.finalize()), self.shared.clone());
        let (path, file) = match &mut self.content {
            FolderWriteBuffer::Memory(content) => {
                let content = std::mem::take(content);
                let reserved = std::mem::replace(&mut self.reserved, shared.reserved());
                let (done, stored) = mpsc::channel();
                shared.put_small(vec![(key, content)], reserved, Box::new(move |said| drop(done.send(said))));
                stored.recv().map_err(|_| small::closed())??;
                return Ok(key);
            }
            FolderWriteBuffer::File(path, file) => (path, file),
        };
        if shared.renew_file(&key, &mut shared.renewed())? {
            // Another writer may have renamed the file a moment ago, and not yet flushed its name to disk.
            shared.names.sync(&shared.files)?;
            return Ok(key);
        }
        file.set_modified(shared.clock.now())?;
        file.sync_all()?;
        let mut renewed = shared.renewed();
        // Another writer may have finished the same content meanwhile.
        if !shared.renew_file(&key, &mut renewed)? {
            fs::rename(path, shared.path(&key))?;
            shared.names.note_rename();
            renewed.insert(key, shared.clock.elapsed());
            let bytes = self.reserved.bytes;
            self.reserved.keep(bytes);
        }
        drop(renewed);
        shared.names.sync(&shared.files)?;
        Ok(key)
    }
}

impl FolderWriter {
    /// Appends bytes to the file, and flushes it after every [`SYNC_BYTES`] bytes.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let FolderWriteBuffer::File(_, file) = &mut self.content else { return Ok(()) };
        file.write_all(bytes)?;
        self.unsynced += bytes.len() as u64;
        if self.unsynced >= SYNC_BYTES {
            file.sync_data()?;
            self.unsynced = 0;
        }
        Ok(())
    }
}

impl Drop for FolderWriter {
    fn drop(&mut self) {
        if let FolderWriteBuffer::File(path, _) = &self.content {
            // After `finish` has renamed the file, this fails, because there is nothing to remove.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::ports::clock::ManualClock;
    use crate::storage::ports::files::conformance;

    #[test]
    fn a_folder_keeps_files() {
        for most_small in [0, 500, MAX_SMALL_FILE_BYTES] {
            conformance::check(|capacity, clock| {
                let folder = tempfile::tempdir().unwrap();
                (FolderFiles::open_with(folder.path(), capacity, clock, most_small).unwrap(), folder)
            });
        }
    }

    #[test]
    fn what_is_there_counts_at_the_next_start_and_what_was_not_finished_is_removed() {
        for most_small in [0, MAX_SMALL_FILE_BYTES] {
            let folder = tempfile::tempdir().unwrap();
            let open = || FolderFiles::open_with(folder.path(), 1000, Arc::new(ManualClock::default()), most_small).unwrap();
            open().put(&[1; 999]).unwrap();
            fs::write(folder.path().join("unfinished/of-a-killed-process"), b"kit").unwrap();
            let files = open();
            assert_eq!(files.room(), StorageUsage { held: 999, capacity: 1000 });
            assert_eq!(files.put(&[2; 2]).unwrap_err().kind(), io::ErrorKind::StorageFull);
            assert_eq!(fs::read_dir(&files.shared.unfinished).unwrap().count(), 0);
            assert_eq!(fs::read_dir(&files.shared.files).unwrap().count(), usize::from(most_small == 0));
        }
    }

    #[tokio::test]
    async fn what_is_put_together_is_there_together_and_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Arc::new(FolderFiles::open(folder.path(), 20_000, Arc::new(ManualClock::default())).unwrap());
        let files = open();
        let contents = || vec![b"kitten".to_vec(), b"sitting".to_vec(), b"kitten".to_vec(), Vec::new()];
        let many = (0..200).map(|_| files.clone().put_soon(contents()));
        for keys in futures::future::join_all(many).await {
            assert_eq!(keys.unwrap(), contents().iter().map(|content| ContentHash::of(content)).collect::<Vec<_>>());
        }
        let long = files.clone().put_soon(vec![vec![7; 9000], b"kitten".to_vec()]).await.unwrap();
        assert_eq!(files.room().held, 9013);
        let full = files.clone().put_soon(vec![vec![8; 3000], vec![9; 4000], vec![10; 4000]]).await;
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(files.room().held, 9013, "what was refused takes nothing");
        drop(files);
        let again = open();
        assert_eq!((again.read(&long[0]).unwrap().len(), again.read(&long[1]).unwrap()), (9000, b"kitten".to_vec()));
    }

    #[test]
    fn what_an_earlier_version_stored_as_a_file_is_read_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::default());
        let before = FolderFiles::open_with(folder.path(), 1000, clock.clone(), 0).unwrap();
        let key = before.put(b"kitten").unwrap();
        drop(before);
        let files = FolderFiles::open(folder.path(), 1000, clock.clone()).unwrap();
        assert_eq!(files.read(&key).unwrap(), b"kitten");
        assert_eq!(files.put(b"kitten").unwrap(), key);
        clock.advance(Duration::from_secs(3600));
        assert_eq!(files.old(Duration::from_secs(60)).unwrap(), [key]);
        assert!(files.remove_old(&key, Duration::from_secs(60)).unwrap());
        assert_eq!((files.room().held, files.renew(&key).unwrap()), (0, false));
    }
}
