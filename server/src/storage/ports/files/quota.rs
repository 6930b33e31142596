//! Quota: counts stored and reserved bytes ([`Quota`], [`Reservation`]), so that all writers of this process stay
//! within the capacity of a file store.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{FileStore, StorageUsage};

/// The number of bytes in a file store, including the bytes that are being written, and the capacity of the store.
#[derive(Debug)]
pub(super) struct Quota {
    counts: Mutex<QuotaCounts>,
    capacity: u64,
    /// Other store whose bytes count towards the same capacity.
    other_store: Option<Arc<dyn FileStore>>,
}

#[derive(Debug, Default)]
struct QuotaCounts {
    /// Bytes of stored contents. May be negative for a while if this process removes contents that another machine
    /// wrote after the last count.
    stored: i64,
    /// Bytes that are reserved for contents that are being written.
    reserved: u64,
}

impl Quota {
    /// Creates a quota of `capacity` bytes without any stored bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self { counts: Mutex::default(), capacity, other_store: None }
    }

    /// Creates a quota without any stored bytes. Its bytes and those of the store `others` may be `capacity` bytes
    /// together.
    pub(super) fn with_other_store(others: Arc<dyn FileStore>, capacity: u64) -> Self {
        Self { counts: Mutex::default(), capacity, other_store: Some(others) }
    }

    pub(super) fn usage(&self) -> StorageUsage {
        StorageUsage { used_bytes: self.used_bytes(&self.counts()), capacity: self.capacity }
    }

    /// Returns the number of stored and reserved bytes, including those of the store `other_store`. The caller passes
    /// the locked `counts`. Bytes that move to the store `other_store` stay reserved in this quota meanwhile, so that
    /// they count at most twice.
    fn used_bytes(&self, counts: &QuotaCounts) -> u64 {
        let others = self.other_store.as_ref().map_or(0, |files| files.usage().used_bytes);
        counts.reserved.saturating_add(others).saturating_add_signed(counts.stored)
    }

    /// Subtracts `bytes`, the size of a content that this process has removed, from the stored bytes.
    pub(super) fn subtract_removed(&self, bytes: u64) {
        self.counts().stored -= bytes as i64;
    }

    /// Begins a count of all stored contents by the caller. Returns a value that the caller passes to
    /// [`count`](Self::count).
    pub(super) fn begin_count(&self) -> i64 {
        self.counts().stored
    }

    /// Sets the stored bytes to `bytes`, the result of a count. The count began when [`begin_count`](Self::begin_count)
    /// returned `before`, and the changes since then are added. Writes of this process during the count may be included
    /// twice until the next count.
    pub(super) fn count(&self, before: i64, bytes: u64) {
        let mut counts = self.counts();
        counts.stored = bytes as i64 + (counts.stored - before);
    }

    fn counts(&self) -> MutexGuard<'_, QuotaCounts> {
        // A poisoned lock is usable, because each change is of one or two numbers.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number of bytes that are reserved in a [`Quota`] for a content that is being written. Dropping it releases the
/// bytes.
#[derive(Debug)]
pub(super) struct Reservation {
    quota: Arc<Quota>,
    pub(super) bytes: u64,
}

impl Reservation {
    /// Creates a reservation of 0 bytes in `held`.
    pub(super) fn none(held: &Arc<Quota>) -> Self {
        Self { quota: held.clone(), bytes: 0 }
    }

    /// Reserves `bytes` bytes in `held`.
    ///
    /// # Errors
    /// Returns `StorageFull` if the capacity would be exceeded.
    pub(super) fn reserve(held: &Arc<Quota>, bytes: u64) -> io::Result<Self> {
        let mut reserved = Self::none(held);
        reserved.add(bytes)?;
        Ok(reserved)
    }

    /// Reserves `bytes` more bytes.
    ///
    /// # Errors
    /// Returns `StorageFull` if the capacity would be exceeded.
    pub(super) fn add(&mut self, bytes: u64) -> io::Result<()> {
        let mut counts = self.quota.counts();
        if self.quota.used_bytes(&counts).saturating_add(bytes) > self.quota.capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        counts.reserved += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// Counts all reserved bytes as stored.
    pub(super) fn commit(&mut self) {
        let bytes = self.bytes;
        self.keep_of(bytes);
    }

    /// Counts `bytes` of the reserved bytes as stored, and releases the rest.
    pub(super) fn keep_of(&mut self, bytes: u64) {
        let mut counts = self.quota.counts();
        counts.reserved -= self.bytes;
        counts.stored += bytes as i64;
        drop(counts);
        self.bytes = 0;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.quota.counts().reserved -= self.bytes;
    }
}
