//! Files that count what is read of them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::ports::files::{Files, Hash, Opened, Room, Unfinished};

/// Files, and how often and how much was read of them.
#[derive(Clone, Debug)]
pub(super) struct CountedFiles {
    files: Arc<dyn Files>,
    reads: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
}

impl CountedFiles {
    pub(super) fn new(files: Arc<dyn Files>) -> Self {
        Self { files, reads: Arc::default(), bytes: Arc::default() }
    }

    /// Reads and bytes since the last time.
    pub(super) fn take(&self) -> (u64, u64) {
        (self.reads.swap(0, Relaxed), self.bytes.swap(0, Relaxed))
    }
}

impl Files for CountedFiles {
    fn create(&self) -> io::Result<Unfinished> {
        self.files.create()
    }

    fn bytes(&self, key: &Hash) -> io::Result<u64> {
        self.files.bytes(key)
    }

    fn range(&self, key: &Hash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        let bytes = self.files.range(key, from, len)?;
        self.reads.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes.len() as u64, Relaxed);
        Ok(bytes)
    }

    fn open(&self, key: &Hash) -> io::Result<Opened> {
        self.files.open(key)
    }

    fn renew(&self, key: &Hash) -> io::Result<bool> {
        self.files.renew(key)
    }

    fn remove_old(&self, key: &Hash, grace: Duration) -> io::Result<bool> {
        self.files.remove_old(key, grace)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<Hash>> {
        self.files.old(grace)
    }

    fn room(&self) -> Room {
        self.files.room()
    }
}
