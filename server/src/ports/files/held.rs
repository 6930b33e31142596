//! Held: bytes that are counted, so that all writers of this process together stay within the capacity.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Files, Room};

/// Bytes of all contents, and of those that are being written.
#[derive(Debug)]
pub(super) struct Held {
    counts: Mutex<Counts>,
    capacity: u64,
    /// What these have counts too.
    beside: Option<Arc<dyn Files>>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Of what is there. Below nothing for a while where this process removes what another machine has written since all were counted.
    stored: i64,
    /// Of what is being written.
    reserved: u64,
}

impl Held {
    /// Nothing, of so much.
    pub(super) fn new(capacity: u64) -> Self {
        Self { counts: Mutex::default(), capacity, beside: None }
    }

    /// Nothing, of so much that other files are in as well.
    pub(super) fn beside(others: Arc<dyn Files>, capacity: u64) -> Self {
        Self { counts: Mutex::default(), capacity, beside: Some(others) }
    }

    pub(super) fn room(&self) -> Room {
        Room { held: self.held(&self.counts()), capacity: self.capacity }
    }

    /// Under the lock of the counts: what the others take meanwhile was reserved here before and is so still, and counts twice at most.
    fn held(&self, counts: &Counts) -> u64 {
        let others = self.beside.as_ref().map_or(0, |files| files.room().held);
        counts.reserved.saturating_add(others).saturating_add_signed(counts.stored)
    }

    /// This process has removed so many.
    pub(super) fn removed(&self, bytes: u64) {
        self.counts().stored -= bytes as i64;
    }

    /// What is to be told to [`count`](Self::count) when all are counted.
    pub(super) fn begin_count(&self) -> i64 {
        self.counts().stored
    }

    /// So many were counted since [`begin_count`](Self::begin_count) has returned `before`. What this process has written meanwhile may be among them: until the
    /// next time it counts twice.
    pub(super) fn count(&self, before: i64, bytes: u64) {
        let mut counts = self.counts();
        counts.stored = bytes as i64 + (counts.stored - before);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Each change is of one or two numbers.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of the capacity that were taken for what is being written. Dropping it gives them back.
#[derive(Debug)]
pub(super) struct Reserved {
    held: Arc<Held>,
    pub(super) bytes: u64,
}

impl Reserved {
    /// None yet.
    pub(super) fn none(held: &Arc<Held>) -> Self {
        Self { held: held.clone(), bytes: 0 }
    }

    /// So many.
    ///
    /// # Errors
    /// `StorageFull` where there are not as many left.
    pub(super) fn of(held: &Arc<Held>, bytes: u64) -> io::Result<Self> {
        let mut reserved = Self::none(held);
        reserved.add(bytes)?;
        Ok(reserved)
    }

    /// So many more.
    ///
    /// # Errors
    /// `StorageFull` where there are not as many left.
    pub(super) fn add(&mut self, bytes: u64) -> io::Result<()> {
        let mut counts = self.held.counts();
        if self.held.held(&counts).saturating_add(bytes) > self.held.capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        counts.reserved += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// They count on, as those of a content that is there.
    pub(super) fn keep(self) {
        let bytes = self.bytes;
        self.keep_of(bytes);
    }

    /// So many of them count on; the others are given back.
    pub(super) fn keep_of(mut self, bytes: u64) {
        let mut counts = self.held.counts();
        counts.reserved -= self.bytes;
        counts.stored += bytes as i64;
        drop(counts);
        self.bytes = 0;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.held.counts().reserved -= self.bytes;
    }
}
