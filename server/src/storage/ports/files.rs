//! Files: immutable contents named by their hash, so that equal texts are stored once. They are written as streams and
//! read whole, as streams or in ranges.
//!
//! - [`bucket`]: a bucket of an S3 server
//! - [`folder`]: a local folder; data are flushed to disk before a call returns
//! - [`disk_cache`]: copies of remote contents in a local folder
//! - [`short`]: short contents as rows of a database, beside another store for long ones
//! - `quota`: accounting of stored bytes
//!
//! Every call blocks on the disk or network, so it belongs on a thread that may block.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, Stream};

use crate::id::Id;

pub use crate::storage::ports::hash::{ContentHash, HashPrefix};

pub mod bucket;
#[cfg(test)]
pub(crate) mod conformance;
#[cfg(test)]
pub(crate) mod counted;
pub mod disk_cache;
pub mod folder;
mod quota;
pub mod short;

/// Size in bytes of the file that [`probe`](FileStore::probe) writes: one disk block.
const PROBE_BYTES: usize = 4096;

/// Prefix of the short content that [`probe`](FileStore::probe) writes. Each content is unique, because an existing one
/// would not be written again.
const SHORT_PROBE_PREFIX: &str = "probe ";

/// A file that is being written.
pub type BoxedFileWriter = Box<dyn FileWriter>;

/// A store of immutable contents. A file is either complete or absent.
pub trait FileStore: fmt::Debug + Send + Sync + 'static {
    /// Begins a file.
    ///
    /// # Errors
    /// Returns an error if no file can be created.
    fn create(&self) -> io::Result<BoxedFileWriter>;

    /// Returns the size of a file in bytes.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn bytes(&self, key: &ContentHash) -> io::Result<u64>;

    /// Reads `len` bytes of a file from byte `from` on, or fewer at its end. Needs memory for these bytes only.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>>;

    /// Opens a file for reading from its beginning. It stays readable if it is removed meanwhile.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile>;

    /// Returns whether a file exists, and resets its age if so. The caller then has the grace period of
    /// [`remove_old`](Self::remove_old) to write the row that uses the file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be looked up.
    fn renew(&self, key: &ContentHash) -> io::Result<bool>;

    /// Removes a file that was written or renewed more than `grace` ago. Returns whether the file no longer exists.
    ///
    /// # Errors
    /// Returns an error if the file cannot be removed.
    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool>;

    /// Returns all files that [`remove_old`](Self::remove_old) would remove for this `grace`. Visits every file, so it
    /// is meant for rare use, such as the start of a server.
    ///
    /// # Errors
    /// Returns an error if the files cannot be listed.
    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>>;

    /// Returns the number of stored bytes, including those being written, and the maximum.
    fn usage(&self) -> StorageUsage;

    /// Stores `bytes`. Takes no additional storage if they are stored already.
    ///
    /// # Errors
    /// Returns the errors of [`FileWriter::write`].
    fn put(&self, bytes: &[u8]) -> io::Result<ContentHash> {
        let key = ContentHash::from_content(bytes);
        if self.renew(&key)? {
            return Ok(key);
        }
        let mut file = self.create()?;
        file.write(bytes)?;
        file.finish()
    }

    /// Stores contents like [`put`](Self::put), but without blocking the calling task. Short contents are flushed to
    /// disk together.
    ///
    /// # Errors
    /// Returns the errors of [`FileWriter::write`].
    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
        put_each(self, contents)
    }

    /// Checks that files can be written: writes a file that is not finished, and stores a short content. No row uses
    /// the content, so the collector removes it later.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be written.
    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            probe_unfinished(self.clone()).await?;
            probe_short(self).await
        })
    }

    /// Reads the whole content of a file.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn read(&self, key: &ContentHash) -> io::Result<Vec<u8>> {
        self.range(key, 0, u64::MAX)
    }
}

/// Stores contents one after the other on a thread that may block.
fn put_each(files: Arc<impl FileStore + ?Sized>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
    let put = tokio::task::spawn_blocking(move || contents.iter().map(|content| files.put(content)).collect());
    Box::pin(async move { put.await.map_err(io::Error::other)? })
}

/// Writes a file that is not finished, which leaves nothing behind.
async fn probe_unfinished(files: Arc<impl FileStore + ?Sized>) -> io::Result<()> {
    tokio::task::spawn_blocking(move || files.create()?.write(&[0; PROBE_BYTES])).await.map_err(io::Error::other)?
}

/// Stores a short content that nothing uses.
async fn probe_short(files: Arc<impl FileStore + ?Sized>) -> io::Result<()> {
    files.put_soon(vec![format!("{SHORT_PROBE_PREFIX}{}", Id::random()).into_bytes()]).await.map(drop)
}

/// A file that is being written. If it is dropped without [`finish`](Self::finish), it leaves nothing behind.
pub trait FileWriter: Send {
    /// Appends bytes to the file.
    ///
    /// # Errors
    /// Returns `StorageFull` if all files together would exceed the capacity, or if the disk is full.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Completes the file and returns its name. Once this returns, the file survives a power failure.
    ///
    /// # Errors
    /// Returns an error if the file cannot be flushed to disk.
    fn finish(self: Box<Self>) -> io::Result<ContentHash>;
}

/// A file opened for reading.
pub struct ReadableFile {
    pub bytes: u64,
    pub content: Box<dyn Read + Send>,
}

/// Used and available storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageUsage {
    /// Bytes in use.
    pub used_bytes: u64,
    /// Maximum number of bytes.
    pub capacity: u64,
}

impl ReadableFile {
    /// Converts to a stream of pieces of at most `piece` bytes. Each is read on demand, so memory for one piece
    /// suffices.
    pub fn into_stream(self, piece: usize) -> impl Stream<Item = io::Result<Vec<u8>>> + Send {
        stream::try_unfold(self.content, move |mut content| async move {
            let read = tokio::task::spawn_blocking(move || {
                let mut bytes = Vec::with_capacity(piece);
                (&mut content).take(piece as u64).read_to_end(&mut bytes).map(|_| (bytes, content))
            });
            let (bytes, content) = read.await.map_err(io::Error::other)??;
            Ok((!bytes.is_empty()).then_some((bytes, content)))
        })
    }
}
