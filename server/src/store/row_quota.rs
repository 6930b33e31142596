//! Size limit of rows (`RowQuota`): the size of all rows is measured from time to time, and the bytes written since
//! then are added.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::storage::ports::{StorageError, StorageErrorKind};

/// Estimated bytes of a row besides its body: ids, hashes and indexes.
pub const ROW_OVERHEAD_BYTES: u64 = 1024;

/// The size of all rows and its limit, in bytes.
#[derive(Debug)]
pub(super) struct RowQuota {
    used_bytes: AtomicU64,
    capacity: u64,
}

impl RowQuota {
    /// Creates a quota of `capacity` bytes.
    pub(super) fn new(capacity: u64) -> Self {
        Self { used_bytes: AtomicU64::new(0), capacity }
    }

    /// Returns the last measured size of all rows, plus the bytes written since.
    pub(super) fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Relaxed)
    }

    /// Sets the size of all rows to `bytes`, a newly measured size.
    pub(super) fn set(&self, bytes: u64) {
        self.used_bytes.store(bytes, Relaxed);
    }

    /// Adds the bytes of a new row with the body `body` to the known size.
    pub(super) fn add(&self, body: &str) {
        self.used_bytes.fetch_add(ROW_OVERHEAD_BYTES + body.len() as u64, Relaxed);
    }

    /// Checks whether new rows may be added.
    ///
    /// # Errors
    /// Returns `Full` if the size has reached the limit.
    pub(super) fn check(&self) -> Result<(), StorageError> {
        let held = self.used_bytes();
        let message = || StorageError::new(StorageErrorKind::Full, format!("rows take {held} bytes, and {} are the most", self.capacity));
        if held < self.capacity { Ok(()) } else { Err(message()) }
    }
}
