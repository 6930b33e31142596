//! Disk cache: copies of remote contents, such as those in a bucket, in a local folder ([`DiskCache`]). A content that
//! is read whole is copied, so that a text which ten jobs compare is transferred once.
//!
//! - `shared`: reads, copies and removals of contents
//! - `copies`: index of copies, and their eviction
//! - `fetches`: sharing of concurrent fetches of one content
//! - `fetch_rate`: measured transfer rate
//!
//! Contents never change, so a copy stays valid. A copy that is read whole is hashed; if it is damaged, it is removed
//! and the content is fetched again. Copies therefore need no flush to disk. For reads of a range, which must be fast,
//! only the length of the copy is checked.
//!
//! Nothing depends on the folder: if it is full or fails, contents are read remotely.
//!
//! Text deleted by a visitor must not stay in the folder for long, and the deleting process does not know which
//! machines have copies. A copy is therefore removed [`COPY_IDLE_TIMEOUT`] after its last read, and all copies are
//! removed when the process starts and ends. The index is in memory only, and file names reveal nothing.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::runtime::Handle;

use self::copies::CopyIndex;
use self::fetch_rate::FetchRate;
use self::fetches::PendingFetches;
use self::shared::DiskCacheState;
use super::{BoxedFileWriter, ContentHash, FileStore, HashPrefix, ReadableFile, StorageUsage};
use crate::ops::disk;
use crate::storage::ports::clock::Clock;

mod copies;
mod fetch_rate;
mod fetches;
mod shared;
#[cfg(test)]
mod tests;

/// Time without a read after which a copy is removed.
pub const COPY_IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// Interval between searches for expired copies.
const COPY_CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// Minimum size in bytes of a content that is copied. For a shorter one, the latency of a request exceeds the time of
/// the transfer.
pub const MIN_COPY_BYTES: u64 = 64 << 10;

#[derive(Clone, Copy, Debug)]
pub struct DiskCacheLimits {
    /// Maximum size of all copies together, in bytes.
    pub bytes: u64,
    /// Minimum size of a content that is copied, in bytes.
    pub min_copy_bytes: u64,
    /// Number of bytes that copies must leave free on the disk.
    pub free: u64,
}

/// A file store that reads a remote store and keeps local copies of the contents that were read recently.
#[derive(Clone, Debug)]
pub struct DiskCache {
    shared: Arc<DiskCacheState>,
}

impl DiskCache {
    /// Opens a cache of the remote store `far` in `folder`, which is created with private permissions. Removes copies
    /// of earlier processes.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or emptied.
    pub fn open(far: Arc<dyn FileStore>, folder: PathBuf, limits: DiskCacheLimits, clock: Arc<dyn Clock>) -> io::Result<Self> {
        disk::make_private(&folder)?;
        let copies = Mutex::new(CopyIndex::new(limits.bytes));
        let cache = Self {
            shared: Arc::new(DiskCacheState {
                origin: far,
                folder,
                limits,
                clock,
                copies,
                fetches: PendingFetches::default(),
                fetch_rate: FetchRate::default(),
                has_warned: AtomicBool::new(false),
            }),
        };
        cache.remove_all()?;
        Ok(cache)
    }

    /// Starts a task that removes copies that were not read for [`COPY_IDLE_TIMEOUT`]. The task ends when the cache is
    /// dropped.
    pub fn remove_old_copies(&self, runtime: &Handle) {
        self.spawn_expiry_loop(COPY_CHECK_INTERVAL, runtime);
    }

    fn spawn_expiry_loop(&self, time: Duration, runtime: &Handle) {
        let shared = Arc::downgrade(&self.shared);
        runtime.spawn(async move {
            loop {
                tokio::time::sleep(time).await;
                let Some(shared) = shared.upgrade() else { return };
                let _ = tokio::task::spawn_blocking(move || shared.remove_expired()).await;
            }
        });
    }

    /// Removes all copies, and any other files in the cache folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be emptied.
    pub fn remove_all(&self) -> io::Result<()> {
        let names = self.shared.copies().clear();
        self.shared.remove(names);
        for entry in fs::read_dir(&self.shared.folder)? {
            fs::remove_file(entry?.path())?;
        }
        Ok(())
    }

    /// Returns the size of all copies together, in bytes.
    pub fn bytes_of_copies(&self) -> u64 {
        self.shared.copies().bytes()
    }

    /// Returns the hash prefixes of the `most` copied contents of at least `bytes` bytes that were read last. They are
    /// sorted by hash, so that their order does not reveal when they were read.
    pub fn recently_read(&self, bytes: u64, most: usize) -> Vec<HashPrefix> {
        let mut lately = self.shared.copies().recently_read(bytes, most);
        lately.sort();
        lately
    }

    /// Returns the recent rate at which large contents were fetched, or `None` before the first fetch.
    pub fn bytes_per_second(&self) -> Option<f64> {
        self.shared.fetch_rate.bytes_per_second()
    }

    /// Returns whether the cache has copies of all of `contents`.
    pub fn has_all(&self, contents: &[HashPrefix]) -> bool {
        self.shared.copies().has_all(contents)
    }
}

impl FileStore for DiskCache {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        self.shared.origin.create()
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        self.shared.origin.bytes(key)
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        if (from, len) == (0, u64::MAX) {
            return self.shared.read(key);
        }
        self.shared.window(key, from, len).map_or_else(|| self.shared.origin.range(key, from, len), Ok)
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        match self.shared.open_copy(key) {
            Some((file, bytes)) => Ok(ReadableFile { bytes, content: Box::new(file) }),
            None => self.shared.origin.open(key),
        }
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        self.shared.origin.renew(key)
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        let is_gone = self.shared.origin.remove_old(key, grace)?;
        if is_gone {
            let name = self.shared.copies().remove(key, None);
            self.shared.remove(name);
        }
        Ok(is_gone)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        self.shared.origin.old(grace)
    }

    fn usage(&self) -> StorageUsage {
        self.shared.origin.usage()
    }

    fn put(&self, bytes: &[u8]) -> io::Result<ContentHash> {
        self.shared.origin.put(bytes)
    }

    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
        self.shared.origin.clone().put_soon(contents)
    }

    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        self.shared.origin.clone().probe()
    }
}
