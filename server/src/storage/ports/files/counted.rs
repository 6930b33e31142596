//! A file store for tests that counts reads, optionally with a delay ([`CountedFiles`]).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

use super::{BoxedFileWriter, ContentHash, FileStore, ReadableFile, StorageUsage};

/// A file store that forwards to another store and counts reads and read bytes.
#[derive(Clone, Debug)]
pub(crate) struct CountedFiles {
    files: Arc<dyn FileStore>,
    reads: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
    delay: Duration,
}

impl CountedFiles {
    pub(crate) fn new(files: Arc<dyn FileStore>) -> Self {
        Self::slow(files, Duration::ZERO)
    }

    /// Creates a store over `files` whose reads take `delay` longer.
    pub(crate) fn slow(files: Arc<dyn FileStore>, delay: Duration) -> Self {
        Self { files, reads: Arc::default(), bytes: Arc::default(), delay }
    }

    /// Returns the number of reads so far, including opened files.
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Relaxed)
    }

    /// Returns the number of reads and the number of read bytes since the last call of this function.
    pub(crate) fn take(&self) -> (u64, u64) {
        (self.reads.swap(0, Relaxed), self.bytes.swap(0, Relaxed))
    }
}

impl FileStore for CountedFiles {
    fn create(&self) -> io::Result<BoxedFileWriter> {
        self.files.create()
    }

    fn bytes(&self, key: &ContentHash) -> io::Result<u64> {
        self.files.bytes(key)
    }

    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>> {
        self.reads.fetch_add(1, Relaxed);
        sleep(self.delay);
        let bytes = self.files.range(key, from, len)?;
        self.bytes.fetch_add(bytes.len() as u64, Relaxed);
        Ok(bytes)
    }

    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile> {
        self.reads.fetch_add(1, Relaxed);
        sleep(self.delay);
        self.files.open(key)
    }

    fn renew(&self, key: &ContentHash) -> io::Result<bool> {
        self.files.renew(key)
    }

    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool> {
        self.files.remove_old(key, grace)
    }

    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>> {
        self.files.old(grace)
    }

    fn usage(&self) -> StorageUsage {
        self.files.usage()
    }
}
