//! How much room rows have: what they take is looked up now and then, and what is written meanwhile is added to it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::ports::{Error, Trouble};

/// Bytes that a row takes beside its body: ids, hashes, the trees that find it.
pub const ROW: u64 = 1024;

/// What rows take, and how much they may.
#[derive(Debug)]
pub(super) struct RowRoom {
    held: AtomicU64,
    capacity: u64,
}

impl RowRoom {
    /// For so many bytes.
    pub(super) fn of(capacity: u64) -> Self {
        Self { held: AtomicU64::new(0), capacity }
    }

    /// Bytes that they took when that was looked up, and what was written since.
    pub(super) fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    /// They take so many.
    pub(super) fn set(&self, bytes: u64) {
        self.held.store(bytes, Relaxed);
    }

    /// A row with such a body was written.
    pub(super) fn add(&self, body: &str) {
        self.held.fetch_add(ROW + body.len() as u64, Relaxed);
    }

    /// Whether somebody may still add rows.
    ///
    /// # Errors
    /// `Full` when they take as much as they may.
    pub(super) fn check(&self) -> Result<(), Error> {
        let held = self.held();
        let message = || Error::new(Trouble::Full, format!("rows take {held} bytes, and {} are the most", self.capacity));
        if held < self.capacity { Ok(()) } else { Err(message()) }
    }
}
