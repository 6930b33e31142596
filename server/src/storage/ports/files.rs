//! Files: immutable contents named by their hash, so that equal texts are stored once ([`FileStore`]). A content is the
//! bytes of one file. Contents are written as streams ([`FileWriter`]) and read whole, as streams or in ranges.
//!
//! - [`bucket`]: a bucket of an S3 server
//! - [`folder`]: a local folder; data is flushed to disk before a call returns
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

#[cfg(feature = "cluster")]
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

/// Prefix of the short content that [`probe`](FileStore::probe) writes. Each such content is unique, because an
/// existing content would not be written again.
const SHORT_PROBE_PREFIX: &str = "probe ";

/// A file of any store that is being written.
pub type BoxedFileWriter = Box<dyn FileWriter>;

/// A store of immutable files, each named by the hash of its content. A file is either complete or absent.
pub trait FileStore: fmt::Debug + Send + Sync + 'static {
    /// Begins to write a new file.
    ///
    /// # Errors
    /// Returns an error if no file can be created.
    fn create(&self) -> io::Result<BoxedFileWriter>;

    /// Returns the size of the file `key` in bytes.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn bytes(&self, key: &ContentHash) -> io::Result<u64>;

    /// Reads `len` bytes of the file `key` from byte `from` on, or fewer if the file ends before. Needs memory for
    /// these bytes only.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn range(&self, key: &ContentHash, from: u64, len: u64) -> io::Result<Vec<u8>>;

    /// Opens the file `key` for reading from its beginning. The opened file stays readable if it is removed meanwhile.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn open(&self, key: &ContentHash) -> io::Result<ReadableFile>;

    /// Returns whether the file `key` exists, and if so, sets its age to 0. The caller then has the grace period of
    /// [`remove_old`](Self::remove_old) to write the row that uses the file.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn renew(&self, key: &ContentHash) -> io::Result<bool>;

    /// Removes the file `key` if it was last written or renewed more than `grace` ago. Returns whether the file no
    /// longer exists.
    ///
    /// # Errors
    /// Returns an error if the file cannot be removed.
    fn remove_old(&self, key: &ContentHash, grace: Duration) -> io::Result<bool>;

    /// Returns the hashes of all files that [`remove_old`](Self::remove_old) would remove for this `grace`. Visits
    /// every file, so it is meant for rare use, such as the start of a server.
    ///
    /// # Errors
    /// Returns an error if the files cannot be listed.
    fn old(&self, grace: Duration) -> io::Result<Vec<ContentHash>>;

    /// Returns the number of stored bytes, including the bytes that are being written, and the maximum number.
    fn usage(&self) -> StorageUsage;

    /// Stores `bytes` as a file and returns its name. Takes no additional storage if they are stored already.
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

    /// Stores each of `contents` like [`put`](Self::put), but without blocking the calling task, and returns the names
    /// in the order of the contents. Short contents are flushed to disk together.
    ///
    /// # Errors
    /// Returns the errors of [`FileWriter::write`].
    fn put_soon(self: Arc<Self>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
        put_each(self, contents)
    }

    /// Checks that files can be written: writes a file without finishing it, and stores a short content. No row uses
    /// the content, so the collector removes it later.
    ///
    /// # Errors
    /// Returns an error if the file or the short content cannot be written.
    fn probe(self: Arc<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            probe_unfinished(self.clone()).await?;
            probe_short(self).await
        })
    }

    /// Reads the whole content of the file `key`.
    ///
    /// # Errors
    /// Returns `NotFound` if the file does not exist.
    fn read(&self, key: &ContentHash) -> io::Result<Vec<u8>> {
        self.range(key, 0, u64::MAX)
    }
}

/// Stores `contents` in `files`, in their order, on a thread that may block. Returns the names in the order of the
/// contents.
fn put_each(files: Arc<impl FileStore + ?Sized>, contents: Vec<Vec<u8>>) -> BoxFuture<'static, io::Result<Vec<ContentHash>>> {
    let put = tokio::task::spawn_blocking(move || contents.iter().map(|content| files.put(content)).collect());
    Box::pin(async move { put.await.map_err(io::Error::other)? })
}

/// Writes a file without finishing it, which checks the storage and leaves nothing behind.
async fn probe_unfinished(files: Arc<impl FileStore + ?Sized>) -> io::Result<()> {
    tokio::task::spawn_blocking(move || files.create()?.write(&[0; PROBE_BYTES])).await.map_err(io::Error::other)?
}

/// Stores a short content that no row uses, as a check of the storage.
async fn probe_short(files: Arc<impl FileStore + ?Sized>) -> io::Result<()> {
    files.put_soon(vec![format!("{SHORT_PROBE_PREFIX}{}", Id::random()).into_bytes()]).await.map(drop)
}

/// A file that is being written. A file that is dropped without [`finish`](Self::finish) leaves nothing behind.
pub trait FileWriter: Send {
    /// Appends `bytes` to the file.
    ///
    /// # Errors
    /// Returns `StorageFull` if all files together would exceed the capacity, or if the disk is full.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Completes the file and returns its name, the hash of its content. When this function returns, the file survives
    /// a power failure.
    ///
    /// # Errors
    /// Returns an error if the file cannot be flushed to disk.
    fn finish(self: Box<Self>) -> io::Result<ContentHash>;
}

/// A file that is open for reading, and its size in bytes.
pub struct ReadableFile {
    pub bytes: u64,
    pub content: Box<dyn Read + Send>,
}

/// The number of bytes that a file store holds, and its capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageUsage {
    /// Stored bytes, including bytes that are being written.
    pub used_bytes: u64,
    /// Maximum number of bytes that the store may hold.
    pub capacity: u64,
}

impl ReadableFile {
    /// Converts the file to a stream of pieces of at most `piece` bytes. Each piece is read on demand, so memory for
    /// one piece suffices.
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
