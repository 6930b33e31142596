//! Shared state of the disk cache (`DiskCacheState`): reads contents from copies or remotely, and creates and removes
//! copies. No lock is held during disk access.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::warn;

use super::copies::{CopyIndex, LocalCopy};
use super::fetch_rate::FetchRate;
use super::fetches::PendingFetches;
use super::{COPY_IDLE_TIMEOUT, DiskCacheLimits};
use crate::ops::disk;
use crate::ops::metrics;
use crate::storage::ports::clock::Clock;
use crate::storage::ports::files::{ContentHash, FileStore};

/// Divisor of the cache's capacity: a copied content may take 1/`MAX_COPY_DIVISOR` of it. A larger one would evict all
/// others.
const MAX_COPY_DIVISOR: u64 = 2;

/// The state shared by the clones of [`DiskCache`](super::DiskCache).
#[derive(Debug)]
pub(super) struct DiskCacheState {
    pub(super) origin: Arc<dyn FileStore>,
    pub(super) folder: PathBuf,
    pub(super) limits: DiskCacheLimits,
    pub(super) clock: Arc<dyn Clock>,
    /// Index of copies. The lock is held briefly, never during disk access.
    pub(super) copies: Mutex<CopyIndex>,
    pub(super) fetches: PendingFetches,
    pub(super) fetch_rate: FetchRate,
    /// Whether a failure of the folder was already logged.
    pub(super) has_warned: AtomicBool,
}

impl DiskCacheState {
    pub(super) fn copies(&self) -> MutexGuard<'_, CopyIndex> {
        // A poisoned lock is usable, because each change is complete before anything can panic.
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, name: u64) -> PathBuf {
        self.folder.join(name.to_string())
    }

    /// Reads the whole content `key`, from its copy or else from the remote store.
    pub(super) fn read(&self, key: &ContentHash) -> io::Result<Vec<u8>> {
        if let Some(content) = self.read_copy(key) {
            metrics::disk_cache_read(true);
            return Ok(content);
        }
        let mut is_own = false;
        let content = self.fetches.once(key, || {
            // Another caller may have fetched the content since the first look.
            if let Some(content) = self.read_copy(key) {
                return Ok(content);
            }
            is_own = true;
            let begin = self.clock.elapsed();
            let content = self.origin.read(key)?;
            self.fetch_rate.note(content.len() as u64, self.clock.elapsed().saturating_sub(begin));
            self.store_copy(key, &content);
            Ok(content)
        })?;
        if content.len() as u64 >= self.limits.min_copy_bytes {
            metrics::disk_cache_read(!is_own);
        }
        Ok(content)
    }

    /// Reads the whole content `key` from its copy. Returns `None` if there is no valid copy.
    fn read_copy(&self, key: &ContentHash) -> Option<Vec<u8>> {
        let copied = self.copied(key)?;
        match fs::read(self.path(copied.name)) {
            Ok(content) if ContentHash::from_content(&content) == *key => Some(content),
            read => {
                self.drop_copy(key, copied);
                // If the file is missing, another thread has just removed it.
                if read.is_ok() {
                    warn!("removed a damaged copy in {}; fetching the content again", self.folder.display());
                }
                None
            }
        }
    }

    /// Reads at most `len` bytes of the content `key` from byte `from` on from its copy. Returns `None` if there is no
    /// valid copy.
    pub(super) fn window(&self, key: &ContentHash, from: u64, len: u64) -> Option<Vec<u8>> {
        let (mut file, bytes) = self.open_copy(key)?;
        let there = bytes.saturating_sub(from).min(len);
        let mut part = Vec::with_capacity(usize::try_from(there).ok()?);
        if there > 0 {
            file.seek(SeekFrom::Start(from)).ok()?;
            file.take(there).read_to_end(&mut part).ok()?;
        }
        (part.len() as u64 == there).then_some(part)
    }

    /// Opens the copy of the content `key`, if the length of the file is right. Returns the file and its length in
    /// bytes.
    pub(super) fn open_copy(&self, key: &ContentHash) -> Option<(File, u64)> {
        let copied = self.copied(key)?;
        let file = File::open(self.path(copied.name)).ok();
        let file = file.filter(|file| file.metadata().is_ok_and(|about| about.len() == copied.bytes));
        if file.is_none() {
            self.drop_copy(key, copied);
        }
        Some((file?, copied.bytes))
    }

    /// Returns the copy of the content `key` from the index, unless it has expired, and records a read.
    fn copied(&self, key: &ContentHash) -> Option<LocalCopy> {
        self.remove_expired();
        self.copies().read(key, self.clock.elapsed())
    }

    /// Removes the copy `copied` of the content `key`, because it is unusable.
    fn drop_copy(&self, key: &ContentHash, copied: LocalCopy) {
        let name = self.copies().remove(key, Some(copied));
        self.remove(name);
    }

    /// Writes a copy of the content `key` to the folder, if its size allows. Failures are logged only.
    fn store_copy(&self, key: &ContentHash, content: &[u8]) {
        let bytes = content.len() as u64;
        if bytes < self.limits.min_copy_bytes || bytes > self.limits.bytes / MAX_COPY_DIVISOR {
            return;
        }
        if ContentHash::from_content(content) != *key {
            return warn!("not caching a remote content whose hash does not match its name");
        }
        if disk::free_bytes(&self.folder).is_some_and(|free| free < bytes.saturating_add(self.limits.free)) {
            return self.warn_once("there is no room on its disk");
        }
        // This is a separate statement, so that the lock is released before files are removed.
        let reserved = self.copies().reserve(bytes);
        let Some((name, driven_out)) = reserved else { return };
        self.remove(driven_out);
        match File::create_new(self.path(name)).and_then(|mut file| file.write_all(content)) {
            Ok(()) => {
                let other = self.copies().insert(key, LocalCopy { name, bytes }, self.clock.elapsed());
                self.remove(other);
            }
            Err(cause) => {
                self.remove([name]);
                self.copies().release(bytes);
                self.warn_once(&cause.to_string());
            }
        }
    }

    /// Removes copies that were not read for [`COPY_IDLE_TIMEOUT`].
    pub(super) fn remove_expired(&self) {
        let before = self.clock.elapsed().checked_sub(COPY_IDLE_TIMEOUT);
        let expired = before.map(|before| self.copies().expired(before)).unwrap_or_default();
        self.remove(expired);
    }

    /// Removes the files `names` of copies that are no longer in the index. Readers that have them open can continue.
    pub(super) fn remove(&self, names: impl IntoIterator<Item = u64>) {
        for name in names {
            // Remaining files are removed when this process ends or the next one starts.
            let _ = fs::remove_file(self.path(name));
        }
    }

    fn warn_once(&self, cause: &str) {
        if !self.has_warned.swap(true, Relaxed) {
            warn!("some remote contents cannot be cached in {}: {cause}", self.folder.display());
        }
    }
}
